/*
 * Tables of file name patterns. A pattern that starts with ~/ is matched below every home directory, one that
 * starts with / against the whole path, any other against the end of the path at any depth. `**` crosses
 * directories.
 */
#include <strings.h>

#include "base/descriptor.h"
#include "base/glob.h"
#include "gate/path_table.h"

/* stored inline: a table of pointers would need relocation at each start */
#define PATTERN_ROOM 48

/* Files that shells, tools, editors and agent clients run or obey without being asked. */
static const char protected_names[][PATTERN_ROOM] = {
	/* shells */
	".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile", ".zshrc",
	".zshenv", ".zprofile", ".zlogin", ".zlogout",
	".inputrc", ".envrc", "~/.config/fish/**", "~/.config/nushell/**", "~/.config/powershell/**",
	"~/.oh-my-zsh/**",
	/* tools that run commands from their file */
	".gitconfig", ".gitmodules", ".lfsconfig", ".ripgreprc", ".npmrc", ".yarnrc", ".yarnrc.yml",
	".pypirc", ".vimrc", ".nvimrc", ".exrc", ".gdbinit", ".lldbinit", ".wgetrc", ".curlrc",
	".screenrc", ".tmux.conf", "~/.config/git/**", "~/.config/nvim/**", "~/.config/pip/**",
	"~/.cargo/config.toml", "~/.cargo/config",
	"~/.gradle/init.gradle", "~/.m2/settings.xml", "~/.emacs", "~/.emacs.d/**", "~/.ssh/config",
	"~/.ssh/rc", "~/.aws/config", "~/.local/bin/**", "~/bin/**",
	"~/.config/systemd/**", "~/.config/autostart/**", "~/.xprofile", "~/.xsession", "~/.xinitrc",
	"~/.pam_environment", "~/.config/environment.d/**",
	"~/Library/LaunchAgents/**", "~/.kube/config",
	/* agent clients and editors */
	".mcp.json", ".claude.json", ".claude/**", ".vscode/**", ".idea/**", ".cursor/**", ".codex/**",
	".gemini/**", ".qwen/**", ".opencode/**", ".windsurf/**",
	".github/hooks/**", ".devcontainer/**",
	/* the repository's own */
	".git", ".git/**", ".husky/**", ".githooks/**", ".pre-commit-config.yaml",
	/* the system's */
	"/etc/cron*", "/etc/cron*/**", "/var/spool/cron/**", "/var/spool/at/**", "/etc/profile",
	"/etc/profile.d/**", "/etc/bash.bashrc", "/etc/zsh/**", "/etc/environment",
	"/etc/ld.so.preload", "/etc/ld.so.conf", "/etc/ld.so.conf.d/**", "/etc/systemd/**",
	"/usr/lib/systemd/**", "/lib/systemd/**", "/etc/init.d/**", "/etc/rc.local",
	"/etc/rc*.d/**", "/etc/xdg/autostart/**", "/etc/udev/**", "/etc/modules*", "/etc/modprobe.d/**",
	"/etc/apt/apt.conf.d/**",
};

/* Exceptions: ordinary work inside protected directories. */
static const char unprotected_names[][PATTERN_ROOM] = {
	".git/index.lock", ".git/HEAD.lock", ".git/refs/**/*.lock", ".git/gc.log", ".git/COMMIT_EDITMSG",
	".git/info/exclude", ".claude/plans/**", ".claude/todos/**", ".claude/worktrees/**",
};

static const char secret_names[][PATTERN_ROOM] = {
	"~/.ssh/*", "~/.ssh/**", "~/.gnupg/**", "~/.aws/credentials", "~/.aws/sso/**", "~/.aws/cli/cache/**",
	"~/.azure/**", "~/.config/gcloud/**", "~/.kube/config", "~/.kube/cache/**",
	"~/.docker/config.json", "~/.netrc", "~/.npmrc", "~/.pypirc", "~/.git-credentials",
	"~/.config/git/credentials", "~/.config/gh/hosts.yml", "~/.config/hub",
	"~/.config/glab-cli/**", "~/.config/op/**", "~/.password-store/**", "~/.local/share/keyrings/**",
	"~/.gem/credentials", "~/.cargo/credentials", "~/.cargo/credentials.toml", "~/.m2/settings.xml",
	"~/.m2/settings-security.xml", "~/.gradle/gradle.properties", "~/.cache/huggingface/token",
	"~/.cache/huggingface/stored_tokens", "~/.huggingface/token", "~/.composer/auth.json",
	"~/.config/composer/auth.json", "~/.sbt/.credentials", "~/.ivy2/.credentials",
	"~/.config/pypoetry/auth.toml", "~/.julia/servers/**", "~/.bundle/config",
	"~/.nuget/NuGet/NuGet.Config",
	"~/.config/NuGet/NuGet.Config", "~/.yarnrc.yml", "~/.config/pip/pip.conf", "~/.pip/pip.conf",
	"~/.terraform.d/credentials.tfrc.json", "~/.vault-token", "~/.config/rclone/rclone.conf", "~/.s3cfg",
	"~/.boto", "~/.pgpass", "~/.my.cnf", "~/.mylogin.cnf", "~/.dbshell",
	"~/.bash_history", "~/.zsh_history", "~/.python_history", "~/.psql_history", "~/.mysql_history",
	"~/.node_repl_history", "~/.local/share/fish/fish_history", "~/.lesshst",
	"~/.mozilla/**", "~/.config/google-chrome/**", "~/.config/chromium/**", "~/.config/BraveSoftware/**",
	"~/.config/microsoft-edge/**", "~/Library/Keychains/**",
	"~/Library/Application Support/Google/Chrome/**", "~/Library/Application Support/Firefox/**",
	"~/.thunderbird/**", "~/.config/Signal/**", "~/.electrum/**", "~/.bitcoin/**",
	"~/.ethereum/**", "~/.config/solana/**", "~/.claude/.credentials.json", "~/.claude.json",
	"~/.codex/auth.json", "~/.gemini/oauth_creds.json", "~/.qwen/oauth_creds.json",
	"~/.config/github-copilot/**", "~/.local/share/opencode/auth.json", "~/.config/doctl/config.yaml",
	"~/.fly/config.yml", "~/.heroku/**", "~/.config/heroku/**",
	"~/.config/helm/registry.json", "~/.config/containers/auth.json", "~/.oci/**", "~/.Xauthority",
	"~/.ICEauthority",
	"~/.kaggle/kaggle.json", "~/.databrickscfg", "~/.snowflake/config.toml",
	"~/.snowflake/connections.toml",
	"~/.snowsql/config", "~/.dbt/profiles.yml", "~/.circleci/cli.yml", "~/.config/hcloud/cli.toml",
	"~/.config/scw/config.yaml", "~/.config/linode-cli", "~/.linode-cli", "~/.bluemix/config.json",
	"~/.aliyun/config.json", "~/.config/netlify/config.json", "~/.netlify/config.json",
	"~/.local/share/com.vercel.cli/auth.json", "~/.vercel/auth.json",
	"~/.config/configstore/firebase-tools.json", "~/.config/stripe/config.toml",
	"~/.config/ngrok/ngrok.yml", "~/.ngrok2/ngrok.yml", "~/.cloudflared/**",
	"~/.config/.wrangler/config/default.toml", "~/.wrangler/config/default.toml", "~/.sentryclirc",
	"~/.pulumi/credentials.json", "~/.edgerc", "~/.supabase/access-token", "~/.config/planetscale/**",
	"~/.railway/config.json", "~/.modal.toml", "~/.expo/state.json", "~/.hex/hex.config",
	"~/.continuum/anaconda-client/tokens/**", "~/.rancher/cli2.json", "~/.argocd/config",
	"~/.config/argocd/config", "~/.minikube/**/client.key", "~/.minikube/client.key", "~/.mc/config.json",
	"~/.step/secrets/**", "~/.acme.sh/account.conf", "~/.config/sops/age/**", "~/.age/**",
	"~/.msmtprc", "~/.fetchmailrc", "~/.offlineimaprc", "~/.authinfo", "~/.authinfo.gpg",
	"~/.smbcredentials", "~/.vnc/passwd", "~/.config/filezilla/sitemanager.xml",
	"~/.config/filezilla/recentservers.xml", "~/.purple/accounts.xml", "~/.config/Slack/**",
	"~/.config/discord/**", "~/.local/share/TelegramDesktop/**", "~/.irb_history", "~/.rediscli_history",
	"~/.sqlite_history", "~/.mongodb/mongosh/**", "~/.config/nushell/history.txt",
	"~/.local/share/powershell/PSReadLine/**", "~/.anthropic/**", "~/.config/anthropic/**",
	"~/.config/openai/**", "~/.config/wandb/settings", "~/.config/tea/config.yml",
	"~/.config/gitlab-runner/**", "~/.config/remmina/**", "~/.ipython/profile_default/history.sqlite",
	"~/.cursor/auth.json", "~/.continue/config.json", "~/.aider.conf.yml",
	".env", ".env.*", "*.env", ".envrc", ".htpasswd", ".git-credentials", ".netrc", ".pgpass",
	".vault-token", ".vault_pass", "vault_pass.txt", ".vault_password",
	"id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_ecdsa_sk", "id_ed25519_sk", "*_rsa", "*_ed25519",
	"*.pfx", "*.p12", "*.kdbx", "*.keystore", "*.jks", "*.ppk",
	"private.key", "privkey.pem", "*-key.pem", "*_key.pem", "private*.pem", "server.key", "tls.key",
	"ca.key", "credentials.json", "client_secret*.json", "service-account*.json", "serviceaccount*.json",
	"secrets.yml", "secrets.yaml",
	"secrets.json", "secrets.toml", "*.tfstate", "*.tfstate.backup", "*.tfvars", "*.tfvars.json",
	"master.key",
	".dev.vars", "*firebase-adminsdk*.json", ".aws/credentials", ".docker/config.json", ".kube/config",
	"kubeconfig", ".pypirc", ".my.cnf", ".vault-password", "config/credentials.yml.enc",
	"wp-config.php", "logins.json", "key4.db", "cookies.sqlite", "Login Data",
	"/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-", "/etc/sudoers", "/etc/sudoers.d/**",
	"/etc/ssh/ssh_host_*_key", "/etc/ssl/private/**", "/etc/krb5.keytab",
	"/etc/security/opasswd", "/var/run/secrets/**", "/run/secrets/**", "/var/lib/docker/**",
	"/etc/kubernetes/**", "/var/lib/kubelet/**", "/etc/wireguard/**", "/etc/openvpn/**",
	"/etc/NetworkManager/system-connections/**", "/proc/*/mem", "/proc/kcore", "/dev/mem", "/dev/kmem",
	"/dev/sd*", "/dev/nvme*", "/dev/vd*", "/dev/xvd*", "/dev/mmcblk*", "/dev/dm-*", "/dev/mapper/**",
	"/dev/disk/**", "/dev/input/**", "/var/lib/sss/**", "/etc/mysql/debian.cnf",
	"/etc/letsencrypt/archive/**",
	"/etc/letsencrypt/live/**", "/etc/docker/key.json", "/etc/rancher/**",
};

static const char open_names[][PATTERN_ROOM] = {
	"~/.ssh/*.pub", "~/.ssh/known_hosts", "~/.ssh/known_hosts.old", "~/.ssh/config", "~/.ssh/config.d/**",
	"~/.ssh/authorized_keys", "~/.gnupg/pubring.*", "~/.gnupg/gpg.conf",
	".env.example", ".env.sample", ".env.template", ".env.dist", ".env.test", ".env.ci", ".env.schema",
	".env.d.ts", "example.env", "sample.env", "*.example", "*.sample", "*.template",
	"*.tfvars.example", "~/.mozilla/firefox/profiles.ini",
};

/* Directories of a home that hold little but secrets: reading below them counts as reading a secret. */
static const char secret_dirs[][PATTERN_ROOM] = {".ssh", ".gnupg", ".aws", ".azure", ".config/gcloud",
		".kube", ".docker", ".password-store", ".mozilla", ".config/google-chrome", ".config/gh"};

static const char access_names[][PATTERN_ROOM] = {
	"~/.ssh/authorized_keys", "~/.ssh/authorized_keys2", "authorized_keys", "/etc/passwd", "/etc/shadow",
	"/etc/group", "/etc/gshadow", "/etc/sudoers", "/etc/sudoers.d/**", "/etc/pam.d/**",
	"/etc/ssh/**", "/etc/hosts.allow", "/etc/hosts.deny", "/etc/security/**", "/etc/ld.so.preload",
	"~/.rhosts", "~/.shosts", "/etc/hosts.equiv", "/etc/polkit-1/**", "/etc/doas.conf", "/etc/selinux/**",
	"/etc/iptables/**", "/etc/nftables.conf", "/etc/ufw/**",
};

const char *path_table_pattern(const char *table, size_t i)
{
	static const struct {
		const char *name;
		const char (*list)[PATTERN_ROOM];
		size_t n;
	} tables[] = {{"protected", protected_names, ARRAY_SIZE(protected_names)},
			{"unprotected", unprotected_names, ARRAY_SIZE(unprotected_names)},
		{"secret", secret_names, ARRAY_SIZE(secret_names)},
		{"open", open_names, ARRAY_SIZE(open_names)},
		{"secret-dirs", secret_dirs, ARRAY_SIZE(secret_dirs)},
		{"access", access_names, ARRAY_SIZE(access_names)}};

	for (size_t k = 0; k < ARRAY_SIZE(tables); k++)
		if (!strcmp(tables[k].name, table))
			return i < tables[k].n ? tables[k].list[i] : NULL;
	return NULL;
}

/* Returns the part of the path below its home directory; empty: not in a home. */
static struct str below_home(struct str home, struct str path)
{
	ptrdiff_t slash;

	if (home.n > 1 && path_within(path, home) && path.n > home.n)
		return str_from(path, home.n + 1);
	if (str_starts(path, "/root/"))
		return str_from(path, 6);
	if (!str_starts(path, "/home/") && !str_starts(path, "/Users/"))
		return STR("");
	slash = str_find(path, '/', str_starts(path, "/home/") ? 6 : 7);
	return slash < 0 ? STR("") : str_from(path, (size_t)slash + 1);
}

static struct str in_home(const struct judge *j, struct str path) { return below_home(j->v->home, path); }

static bool same_path(const struct judge *j, struct str pattern, struct str path)
{
	if (!pattern.n || !path.n)
		return false;
	if (!strchr("*?[", pattern.p[0]) && ascii_to_lower(pattern.p[0]) != ascii_to_lower(path.p[0]))
		return false;
	return glob_path(pattern, path, judge_folds(j) ? GLOB_FOLD : 0);
}

/* A path that is matched with many patterns. */
struct tabled_path {
	struct str path, base;
	struct str rest; /* its part below a home, or empty */
	/* First bytes of patterns that may match it: nearly all patterns of a table start with another. */
	bool anywhere[256], root[256], home[256];
};

/* Adds this byte in both cases. */
static void add_start(bool starts[256], char c)
{
	starts[(unsigned char)ascii_to_lower(c)] = starts[(unsigned char)ascii_to_upper(c)] = true;
}

static struct tabled_path tabled_path(struct str home, struct str path)
{
	struct tabled_path t = {.path = path, .base = path_base(path), .rest = below_home(home, path)};

	add_start(t.root, path.n > 1 ? path.p[1] : '\0');
	if (t.rest.n)
		add_start(t.home, t.rest.p[0]);
	for (const char *wild = "*?["; *wild; wild++) {
		add_start(t.root, *wild);
		add_start(t.home, *wild);
		add_start(t.anywhere, *wild);
	}
	for (size_t i = 0; i < path.n; i++)
		if (i == 0 || path.p[i - 1] == '/')
			add_start(t.anywhere, path.p[i]);
	return t;
}

static bool may_start(const struct tabled_path *t, const char *pattern)
{
	switch (pattern[0]) {
	case '~': return t->home[(unsigned char)pattern[2]];
	case '/': return t->root[(unsigned char)pattern[1]];
	default: return t->anywhere[(unsigned char)pattern[0]];
	}
}

/* A pattern of one component matches the last one; any other may start after any slash. */
static bool ends_with(const struct judge *j, struct str pattern, const struct tabled_path *t)
{
	if (!str_has(pattern, '/'))
		return same_path(j, pattern, t->base);
	for (size_t i = 0; i < t->path.n; i++)
		if (t->path.p[i] == '/' && same_path(j, pattern, str_from(t->path, i + 1)))
			return true;
	return false;
}

/* True if the letters at the end of the pattern are the end of the path: most patterns fail here. */
static bool same_end(struct str pattern, struct str path)
{
	while (pattern.n && (ascii_is_alnum(pattern.p[pattern.n - 1]) || pattern.p[pattern.n - 1] == '.')) {
		if (!path.n || ascii_to_lower(pattern.p[--pattern.n]) != ascii_to_lower(path.p[--path.n]))
			return false;
	}
	return true;
}

static bool matches_pattern(const struct judge *j, struct str pattern, const struct tabled_path *t)
{
	if (!same_end(pattern, t->path))
		return false;
	if (str_starts(pattern, "~/"))
		return t->rest.n && same_path(j, str_from(pattern, 2), t->rest);
	if (str_starts(pattern, "/"))
		return pattern.n > 1 && t->path.n > 1 &&
			same_path(j, str_from(pattern, 1), str_from(t->path, 1));
	return ends_with(j, pattern, t);
}

static bool matches_any(const struct judge *j, const char (*list)[PATTERN_ROOM], size_t n,
		const struct tabled_path *t)
{
	for (size_t i = 0; i < n; i++)
		if (may_start(t, list[i]) && matches_pattern(j, str_of(list[i]), t))
			return true;
	return false;
}

static bool any_own(const struct judge *j, const struct texts *list, const struct tabled_path *t)
{
	for (; list; list = list->next)
		if (matches_pattern(j, list->text, t))
			return true;
	return false;
}

static bool is_unprotected(const struct judge *j, const struct tabled_path *t)
{
	return matches_any(j, unprotected_names, ARRAY_SIZE(unprotected_names), t);
}

bool path_table_protected(const struct judge *j, struct str path)
{
	struct tabled_path t = tabled_path(j->v->home, path);

	return (matches_any(j, protected_names, ARRAY_SIZE(protected_names), &t) && !is_unprotected(j, &t)) ||
		any_own(j, j->p->protected_paths, &t);
}

/* "dir/.envr" is the start of "dir/.envrc". */
bool path_table_protected_start(const struct judge *j, struct str path)
{
	struct str rest = in_home(j, path);

	for (size_t i = 0; i < ARRAY_SIZE(protected_names); i++) {
		struct str pattern = str_of(protected_names[i]), start = path_base(path);

		if (str_starts(pattern, "~/"))
			start = rest.n ? str_cat(j->a, STR("~/"), rest) : STR("");
		else if (str_starts(pattern, "/"))
			start = path;
		else if (str_has(pattern, '/'))
			continue;
		if (start.n && pattern.n > start.n && str_eq(str_first(pattern, start.n), start))
			return true;
	}
	return path_table_protected(j, path);
}

/* True for a directory whose whole content is protected: .claude, .vscode. */
bool path_table_protected_dir(const struct judge *j, struct str path)
{
	struct tabled_path t;

	if (!path_table_protected(j, str_cat(j->a, path, STR("/x"))))
		return false;
	t = tabled_path(j->v->home, path);
	return !is_unprotected(j, &t);
}

/* True for a directory of secret_dirs itself, by its path below a home. */
static bool is_secret_dir(struct str rest)
{
	for (size_t i = 0; i < ARRAY_SIZE(secret_dirs) && rest.n; i++)
		if (str_is(rest, secret_dirs[i]))
			return true;
	return false;
}

/*
 * Strips /proc/PID/root, which leads to the whole file system; for another user's process it cannot be
 * resolved.
 */
static struct str without_proc_root(struct str path)
{
	ptrdiff_t pid = str_starts(path, "/proc/") ? str_find(path, '/', 6) : -1;
	struct str rest = pid > 0 ? str_from(path, (size_t)pid) : STR("");

	if (str_starts(rest, "/task/")) {
		ptrdiff_t task = str_find(rest, '/', 6);

		rest = task > 0 ? str_from(rest, (size_t)task) : STR("");
	}
	return str_starts(rest, "/root/") ? str_from(rest, 5) : path;
}

static bool is_secret(const struct judge *j, struct str path, bool below)
{
	struct tabled_path t = tabled_path(j->v->home, without_proc_root(path));

	if (any_own(j, j->p->secret_allow, &t))
		return false;
	if (is_secret_dir(t.rest) || any_own(j, j->p->secret_paths, &t) ||
		(matches_any(j, secret_names, ARRAY_SIZE(secret_names), &t) &&
			!matches_any(j, open_names, ARRAY_SIZE(open_names), &t)))
		return true;
	if (!below)
		return false;
	if (str_is_any(t.path, "/ /etc /home /root") || str_eq(t.path, j->v->home))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(secret_dirs) && t.rest.n; i++)
		if (path_within(str_of(secret_dirs[i]), t.rest))
			return true;
	return false;
}

/* Returns an example name for a pattern of a table: its stars become a letter. */
static struct str make_instance(struct arena *a, struct str base, struct str pattern)
{
	struct buf b;

	buf_init(&b, a, 0);
	buf_str(&b, base);
	for (size_t i = 0; i < pattern.n; i++)
		if (pattern.p[i] != '*')
			buf_char(&b, pattern.p[i]);
		else if (i == 0 || pattern.p[i - 1] != '*')
			buf_char(&b, 'x');
	return buf_view(&b);
}

#define GROUPS_MAX 4 /* groups of an extended pattern that are followed */

static bool may_find_in(const struct judge *j, struct str pattern, unsigned depth);

/* @(.env|x) is one of its alternatives. *ret: one of them may find a secret. False: there is no group. */
static bool in_groups(const struct judge *j, struct str pattern, unsigned depth, bool *ret)
{
	size_t open = 0, close;

	while (open + 1 < pattern.n && !(pattern.p[open + 1] == '(' && strchr("@?+*", pattern.p[open])))
		open++;
	close = str_end(pattern, ')', open);
	if (open + 1 >= pattern.n || close >= pattern.n || depth == GROUPS_MAX)
		return false;
	for (size_t from = open + 2; from <= close && !*ret;) {
		size_t to = str_end(str_first(pattern, close), '|', from);

		*ret = may_find_in(j, str_fmt(j->a, "%.*s%.*s%.*s", STR_ARG(str_first(pattern, open)),
				STR_ARG(str_sub(pattern, from, to)), STR_ARG(str_from(pattern, close + 1))),
				depth + 1);
		from = to + 1;
	}
	return true;
}

/*
 * True if a file name pattern of the command may match a secret. Tries one name of each kind; existing files
 * are judged by their own names.
 */
static bool may_find_in(const struct judge *j, struct str pattern, unsigned depth)
{
	bool found = false;
	static const char more[][20] = {"~/.ssh/id_rsa", "~/.ssh/id_ed25519", "~/.ssh/id_ecdsa"};
	ptrdiff_t slash = -1;

	if (in_groups(j, pattern, depth, &found))
		return found;
	if (!strpbrk(str_c(j->a, pattern), "*?["))
		return depth && is_secret(j, pattern, false);
	for (size_t i = 0; i < pattern.n; i++)
		if (pattern.p[i] == '/')
			slash = (ptrdiff_t)i;
	for (size_t i = 0; i < ARRAY_SIZE(secret_names) + ARRAY_SIZE(more); i++) {
		struct str s = str_of(i < ARRAY_SIZE(more) ? more[i] : secret_names[i - ARRAY_SIZE(more)]),
				name;

		if (str_starts(s, "~/"))
			name = make_instance(j->a, j->v->home, str_from(s, 1));
		else if (str_starts(s, "/"))
			name = make_instance(j->a, STR(""), s);
		else if ((str_starts(s, ".env") || str_starts(s, "id_")) && pattern.p[slash + 1] == s.p[0])
			name = make_instance(j->a, str_first(pattern, (size_t)(slash + 1)), s);
		else
			continue;
		if (glob_path(pattern, name, 0) &&
				(pattern.p[slash + 1] == '.' || path_base(name).p[0] != '.') &&
				is_secret(j, name, false))
			return true;
	}
	return false;
}

static bool may_find_secret(const struct judge *j, struct str pattern) { return may_find_in(j, pattern, 0); }

bool path_table_secret(const struct judge *j, const struct where *w, bool below)
{
	if (is_secret(j, w->path, below) || (!str_eq(w->path, w->real) && is_secret(j, w->real, below)))
		return true;
	return w->wild && !w->answer && may_find_secret(j, w->path);
}

/* The path starts at a directory that is not known, which may be a home or lie in one. */
static bool secret_somewhere(const struct judge *j, struct str path)
{
	for (size_t i = 0; i < path.n; i++)
		if (path.p[i] == '/' && (is_secret(j, str_from(path, i), false) ||
			is_secret(j, str_fmt(j->a, "/home/x%.*s", STR_ARG(str_from(path, i))), false)))
			return true;
	return false;
}

bool path_table_secret_anywhere(const struct judge *j, struct str pattern)
{
	struct str path = make_instance(j->a, STR("/"), pattern);

	return secret_somewhere(j, path_plain(j->a, path));
}

/* Names that stand for all files of a directory of secrets. */
static bool finds_sample(struct str pattern)
{
	return glob_path(pattern, STR("id_rsa"), 0) || glob_path(pattern, STR("x.key"), 0) ||
	       glob_path(pattern, STR("x.pem"), 0);
}

bool path_table_secret_below(const struct judge *j, struct str start, struct str pattern)
{
	for (size_t i = 0; i < ARRAY_SIZE(secret_names); i++) {
		struct str s = str_of(secret_names[i]), path, base = path_base(s);

		if (str_starts(s, "~/"))
			path = make_instance(j->a, j->v->home, str_from(s, 1));
		else if (str_starts(s, "/"))
			path = make_instance(j->a, STR(""), s);
		else
			continue;
		if (!path_within(path, start))
			continue;
		if (str_only(base, "*") ? finds_sample(pattern) : glob_path(pattern, path_base(path), 0))
			return true;
	}
	return false;
}

/* Returns the text with each hole replaced; a file name becomes a star if `names`. */
static struct str fill_holes(const struct judge *j, struct str text, const char *filler, bool names)
{
	struct buf b;

	buf_init(&b, j->a, 0);
	for (size_t i = 0; i < text.n; i++)
		if (names && text.p[i] == HOLE_NAME)
			buf_char(&b, '*');
		else if (text_hole(text.p[i]))
			buf_c(&b, filler);
		else
			buf_char(&b, text.p[i]);
	return buf_view(&b);
}

static bool is_open(const struct judge *j, struct str path)
{
	struct tabled_path t = tabled_path(j->v->home, path);

	return matches_any(j, open_names, ARRAY_SIZE(open_names), &t);
}

/*
 * True for a partly known path if everything in the directory before its first hole is secret, or if the part
 * after its last hole is the name of a secret in any home.
 */
bool path_table_secret_text(const struct judge *j, struct str text)
{
	size_t slash = 0, hole = 0;
	ptrdiff_t tail;
	struct str dir, name;

	if (path_descriptor(text) == DESCRIPTOR_BELOW)
		return secret_somewhere(j, path_plain(j->a, text));
	for (size_t i = 0; i < text.n; i++)
		hole = text_hole(text.p[i]) ? i + 1 : hole;
	for (size_t i = 0; i < text.n && !text_hole(text.p[i]); i++)
		slash = text.p[i] == '/' ? i : slash;
	dir = str_first(text, slash);
	if (hole && hole < text.n && is_open(j, path_plain(j->a, fill_holes(j, text, "x", false))))
		return false; /* ~/.ssh/$k.pub: known letters at the end make every value public */
	if (str_starts(dir, "/") && (is_secret_dir(in_home(j, path_plain(j->a, dir))) ||
			is_secret(j, str_cat(j->a, path_plain(j->a, dir), STR("/x")), false)))
		return true;
	tail = hole ? str_find(text, '/', hole) : -1;
	if (tail < 0 || (size_t)tail + 1 >= text.n)
		return false;
	name = path_plain(j->a, str_from(text, (size_t)tail));
	return is_secret(j, name, false) || is_secret(j, str_fmt(j->a, "/home/x%.*s", STR_ARG(name)), false);
}

/*
 * Variables are often empty, so that .e${X}nv is .env; and a file name from a pattern may be any that the
 * pattern finds.
 */
bool path_table_secret_likely(const struct judge *j, struct str text, bool below)
{
	struct str empty, names;

	if (!text.n)
		return false;
	if (path_table_secret_text(j, text))
		return true;
	empty = path_plain(j->a, fill_holes(j, text, "", false));
	if (is_secret(j, empty, below && text_exact(text)))
		return true;
	names = path_plain(j->a, fill_holes(j, text, "", true));
	return path_base(names).n && path_base(names).p[0] != '*' && may_find_secret(j, names);
}

bool path_table_environ_likely(const struct judge *j, struct str text)
{
	struct str empty, one;

	if (text.n && text_hole(text.p[0]) && str_ends(text, "/environ"))
		return true; /* a file of this name lies below /proc */
	if (!str_starts(text, "/proc/"))
		return false;
	empty = path_plain(j->a, fill_holes(j, text, "", false));
	one = path_plain(j->a, fill_holes(j, text, "1", false));
	return path_table_environ(empty, empty) || path_table_environ(one, one) ||
		str_eq(one, STR("/proc/1/1"));
}

bool path_table_environ_found(const struct judge *j, struct str pattern)
{
	struct str rest = str_starts(pattern, "/proc/") ? str_from(pattern, 6) : STR(""), pid;

	if (!rest.n)
		return false;
	pid = str_first(rest, str_end(rest, '/', 0));
	if (strpbrk(str_c(j->a, pid), "*?["))
		pid = STR("1");
	if (!str_is_digits(pid) && !str_is_any(pid, "self thread-self"))
		return false;
	return glob_path(pattern, str_fmt(j->a, "/proc/%.*s/environ", STR_ARG(pid)), 0) ||
		glob_path(pattern,
				str_fmt(j->a, "/proc/%.*s/task/%.*s/environ", STR_ARG(pid), STR_ARG(pid)), 0);
}

bool path_table_process(struct str path)
{
	struct str rest = str_starts(path, "/proc/") ? str_from(path, 6) : STR("");
	size_t end = str_end(rest, '/', 0);

	if (str_is(path, "/proc"))
		return true;
	return rest.n && (str_is_digits(str_first(rest, end)) || str_is_any(str_first(rest, end),
			"self thread-self")) && (end == rest.n || str_starts(str_from(rest, end), "/task"));
}

bool path_table_secret_elsewhere(const struct judge *j, struct str path, bool below)
{
	path = path_plain(j->a, str_starts(path, "/") ? path : str_cat(j->a, STR("/"), path));
	return path_table_environ(path, path) || secret_somewhere(j, path) || is_secret(j, path, below) ||
		may_find_secret(j, path);
}

bool path_table_opens_access(const struct judge *j, struct str path)
{
	struct tabled_path t = tabled_path(j->v->home, path);

	return matches_any(j, access_names, ARRAY_SIZE(access_names), &t);
}

bool path_table_environ(struct str path, struct str real)
{
	static const char names[][24] = {"/proc/*/environ", "/proc/*/task/*/environ"};

	if (!str_starts(path, "/proc/") && !str_starts(real, "/proc/"))
		return false;
	path = without_proc_root(path);
	real = without_proc_root(real);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (glob_path(str_of(names[i]), path, 0) || glob_path(str_of(names[i]), real, 0))
			return true;
	return false;
}

/* ---- directories that no box may write ---- */

/* Worktrees that clients create are ordinary projects. */
static const char worktree_names[][PATTERN_ROOM] = {".claude/worktrees/**", ".codex/worktrees/**",
		".cursor/worktrees/**"};

/* Strips a final star component from a pattern; empty if it has other wildcards. */
static struct str stem_of(struct str pattern)
{
	if (str_ends(pattern, "/**"))
		pattern.n -= 3;
	else if (str_ends(pattern, "/*"))
		pattern.n -= 2;
	for (size_t i = 0; i < pattern.n; i++)
		if (pattern.p[i] == '*' || pattern.p[i] == '?' || pattern.p[i] == '[')
			return STR("");
	return pattern;
}

static bool overlaps(struct str path, struct str stem)
{
	return stem.n && path.n && (path_within(path, stem) || path_within(stem, path));
}

/* True if the path leads through these components, wherever they begin. */
static bool leads_through(struct str path, struct str stem)
{
	for (size_t i = 0; i + 1 < path.n; i++)
		if (path.p[i] == '/' && path_within(str_from(path, i + 1), stem))
			return true;
	return false;
}

static bool is_worktree(struct str path)
{
	for (size_t i = 0; i < ARRAY_SIZE(worktree_names); i++)
		for (size_t k = 0; k + 1 < path.n; k++)
			if (path.p[k] == '/' && path.p[k + 1] == '.' &&
			    glob_path(str_of(worktree_names[i]), str_from(path, k + 1), 0))
				return true;
	return false;
}

/*
 * Patterns without a fixed place count only for directories: a plain file of such a name belongs to the
 * project.
 */
static bool guards(const char *pattern, const struct tabled_path *t, bool anywhere)
{
	struct str p = str_of(pattern), path = t->path;

	if (str_starts(p, "~/"))
		return t->rest.n && overlaps(t->rest, stem_of(str_from(p, 2)));
	if (str_starts(p, "/"))
		return overlaps(path, stem_of(p)) ||
		       (!stem_of(p).n && glob_path(str_from(p, 1), str_from(path, 1), 0));
	return anywhere && (str_ends(p, "/**") || str_is(p, ".git")) && leads_through(path, stem_of(p));
}

static const char *find_guard(const char (*list)[PATTERN_ROOM], size_t n, const struct tabled_path *t,
		bool anywhere)
{
	for (size_t i = 0; i < n; i++)
		if ((t->path.n <= 1 || may_start(t, list[i])) && /* all is below the root */
				guards(list[i], t, anywhere))
			return list[i];
	return NULL;
}

/* The patterns without a slash. Most of them are told apart by their first and last character. */
static bool is_named(const char (*list)[PATTERN_ROOM], size_t n, struct str name)
{
	for (size_t i = 0; name.n && i < n; i++) {
		struct str p;

		if (list[i][0] != '*' && list[i][0] != name.p[0])
			continue;
		p = str_of(list[i]);
		if ((p.p[p.n - 1] == '*' || p.p[p.n - 1] == name.p[name.n - 1]) &&
				str_find(p, '/', 0) < 0 && glob_name(p, name))
			return true;
	}
	return false;
}

bool path_table_secret_name(struct str name)
{
	return is_named(secret_names, ARRAY_SIZE(secret_names), name) &&
			!is_named(open_names, ARRAY_SIZE(open_names), name);
}

static const char *find_keys(const struct tabled_path *t)
{
	for (size_t i = 0; i < ARRAY_SIZE(secret_dirs); i++)
		if (t->rest.n && overlaps(t->rest, str_of(secret_dirs[i])))
			return secret_dirs[i];
	return find_guard(secret_names, ARRAY_SIZE(secret_names), t, false);
}

const char *path_table_keys(struct str path, struct str home)
{
	struct tabled_path t = tabled_path(home, path);

	return find_keys(&t);
}

const char *path_table_guarded(struct str path, struct str home)
{
	struct tabled_path t = tabled_path(home, path);
	const char *keys = find_keys(&t);

	return keys ? keys
		    : find_guard(protected_names, ARRAY_SIZE(protected_names), &t, !is_worktree(path));
}

/* ---- names that other systems read differently ---- */

/* con, prn, aux, nul, com1 ... com9, lpt1 ... lpt9, conin$, conout$ */
static bool device_name(struct str name)
{
	static const char whole[][8] = {"con", "prn", "aux", "nul", "conin$", "conout$"},
			numbered[][4] = {"com", "lpt"};

	if (name.n < 3 || name.n > 7 || !strchr("cpanl", ascii_to_lower(name.p[0])))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(whole); i++)
		if (str_is_like(name, whole[i]))
			return true;
	for (size_t i = 0; i < ARRAY_SIZE(numbered); i++)
		if (name.n == 4 && name.p[3] >= '1' && name.p[3] <= '9' && !strncasecmp(numbered[i], name.p,
				3))
			return true;
	return false;
}

/* NAME:STREAM, where NAME has a dot: .bashrc:x, notes.txt:x. A time of day (12:30) does not count. */
static bool names_stream(struct str name)
{
	ptrdiff_t colon = str_find(name, ':', 2);

	if (colon < 0 || (size_t)colon + 1 == name.n || !memchr(name.p, '.', (size_t)colon))
		return false;
	return !ascii_is_digit(name.p[colon - 1]) || !ascii_is_digit(name.p[colon + 1]);
}

/* .git.CON: some programs there open .git. An ordinary name may end like this: paper.aux is LaTeX's. */
static bool device_suffix(struct str name)
{
	size_t dot = name.n;

	while (dot > 1 && name.p[dot - 1] != '.')
		dot--;
	return dot > 2 && name.p[0] == '.' && device_name(str_from(name, dot));
}

static bool odd_component(struct str name)
{
	ptrdiff_t tilde = str_find(name, '~', 1);
	bool dots = name.n >= 3 && name.p[0] == '.';

	for (size_t i = 1; i < name.n && dots; i++)
		dots = name.p[i] == '.';
	if (dots || device_name(name) || device_suffix(name))
		return true;
	if (str_has(name, ':') && (names_stream(name) || str_contains(name, STR("::$"))))
		return true;
	if (tilde > 0 && tilde <= 6 && (size_t)tilde + 1 < name.n && name.p[tilde + 1] >= '1' &&
			name.p[tilde + 1] <= '9')
		return (size_t)tilde + 2 == name.n || name.p[tilde + 2] == '.'; /* PROGRA~1, DOCUME~1.TXT */
	/* ".git. " means .git there */
	return name.n > 2 && name.p[0] == '.' && (name.p[name.n - 1] == '.' || name.p[name.n - 1] == ' ');
}

bool path_table_odd(struct str path)
{
	bool marked = str_has(path, ':') || str_has(path, '~');

	if (str_has(path, '\\') &&
			(str_contains(path, STR("\\\\?\\")) || str_contains(path, STR("\\\\.\\"))))
		return true;
	if (str_has(path, '?') && str_contains(path, STR("//?/")))
		return true;
	while (path.n) {
		struct str name = str_until(path, '/');

		if (name.n && (marked || name.p[0] == '.' || device_name(name)) && odd_component(name))
			return true;
		path = str_from(path, name.n + 1);
	}
	return false;
}
