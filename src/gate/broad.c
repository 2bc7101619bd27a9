/*
 * Over-broad allow rules. A row is a command that runs whatever its further words say. A rule is over-broad
 * if it is such a command, or matches it with any words after it: Bash(python:*), Bash(py*),
 * Bash(/usr/bin/python3.11 -c *), Bash(npm:*) because of `npm run`. A rule with specific words after the
 * command (python -m pytest, npm run test) names what runs, and is fine.
 */
#include "gate/broad.h"

#include "base/glob.h"

#define BROAD_RULE_MAX 512 /* compared bytes of a rule; longer rules are specific */

static const char all_commands[] = "it allows every command";
static const char any_name[] = "this rule allows any command: its first star matches every command name";
static const char all_tools[] = "it allows every tool";
static const char all_files[] = "it allows changing every file of the machine or the home directory";
static const char code[] =
		"it allows arbitrary code: the command is an interpreter";
static const char any_command[] =
		"it allows any command: this program runs the command given as its arguments";
static const char any_script[] = "it allows any script of the project or of a package registry";
static const char as_root[] = "it allows any command with another user's rights";
static const char remote[] = "it allows any command on another machine or in a container";
static const char effects[] =
		"it allows running other programs or deleting files through options of this program";
static const char later[] = "it allows any command to run later, unseen";

static const char operator_idle[] =
		"it never matches: commands are judged one by one, without operators and substitutions";

static const struct broad_program {
	const char *why;
	const char *names; /* lower case, between bars */
} rows[] = {
	{code, "|python|pypy|ipython|node|nodejs|deno|deno run|deno "
			"eval|bun|tsx|ts-node|ruby|irb|perl|php|lua|luajit|julia|rscript|r|tclsh|wish|"
			"expect|osascript|groovy|"
	       "jshell|scala|clojure|elixir|iex|erl|ghci|runghc|guile|sbcl|racket|swift|dart "
	       "run|dart|dotnet script|dotnet fsi|go run|java|kotlin|"
	       "gdb|lldb|ed|ex|vi|vim|nvim|emacs|m4|"},
	{code, "|bash|sh|zsh|fish|dash|ksh|mksh|csh|tcsh|rbash|ash|busybox|nu|xonsh|elvish|eval|source|.|"},
	{code, "|pwsh|powershell|cmd|wsl|iex|invoke-expression|start-process|saps|start-job|sajb|"
			"register-objectevent|invoke-command|icm|add-type|new-object|"},
	{any_command, "|exec|env|xargs|command|builtin|nohup|timeout|time|gtimeout|nice|ionice|renice|"
			"stdbuf|setsid|setarch|taskset|chrt|watch|parallel|script|flock|"
		      "unbuffer|strace|ltrace|perf|valgrind|caffeinate|entr|nodemon|direnv exec|mise "
		      "exec|mise x|asdf exec|rtx exec|nvm exec|fnm exec|pyenv exec|rbenv exec|"
		      "dotenv|cross-env|concurrently|xvfb-run|dbus-run-session|uv run|poetry run|pipenv "
		      "run|pdm run|hatch run|rye run|conda run|micromamba run|bundle exec|"
		      "nix-shell|nix run|nix shell|nix develop|tmux|screen|ssh-agent|unshare|nsenter|chroot|"
		      "fakeroot|proot|bwrap|firejail|runcon|prlimit|coproc|trap|"},
	{any_script, "|npx|bunx|pnpx|uvx|npm run|npm run-script|npm exec|npm x|yarn|yarn run|yarn exec|yarn "
			"dlx|pnpm run|pnpm exec|pnpm dlx|bun run|bun x|pipx run|"
		     "deno task|corepack|"},
	{as_root, "|sudo|doas|su|runuser|pkexec|run0|gosu|su-exec|setpriv|machinectl shell|systemd-run|"},
	{remote, "|ssh|autossh|mosh|sshpass|docker run|docker exec|docker compose run|docker compose "
			"exec|podman run|podman exec|nerdctl run|kubectl exec|kubectl run|"
		 "oc exec|lxc exec|vagrant ssh|gcloud compute ssh|ansible|ansible-playbook|"},
	{effects, "|find|fd|fdfind|awk|gawk|mawk|nawk|"},
	{later, "|at|batch|crontab|"},
};

/* Exactly these commands, without further words, are not over-broad. */
static const char fine_alone[] = "yarn env time trap screen tmux";

/* a normalized rule: lower case, without directory, version, options and assignments */
struct room {
	char p[BROAD_RULE_MAX];
	size_t n;
	bool more; /* the rule allows any further words */
};

#define BLANKS " \t"

/* Strips a version: python3.11 and python3 become python; r2, 7z and i3 stay. */
static struct str without_version(struct str name)
{
	size_t n = name.n;

	if (str_ends(name, ".exe"))
		n -= 4;
	name.n = n;
	while (n > 0 && (ascii_is_digit(name.p[n - 1]) || name.p[n - 1] == '.'))
		n--;
	while (n > 0 && name.p[n - 1] == '-')
		n--;
	return n >= 3 ? str_first(name, n) : name;
}

/* True for an option or an assignment, which does not name what runs. */
static bool says_nothing(struct str word)
{
	return !word.n || word.p[0] == '-' || (str_find(word, '=', 0) > 0 && word.p[0] != '/');
}

static void add_name(struct room *r, struct str word)
{
	if (r->n)
		r->p[r->n++] = ' ';
	for (size_t i = 0; i < word.n; i++)
		r->p[r->n++] = ascii_to_lower(word.p[i]);
}

/* Normalizes the rule's text; false if it is too long. The result is never longer than the text. */
static bool make_plain(struct str text, bool more, struct room *ret)
{
	struct str dropped = STR("");
	size_t at = 0;
	bool named = false;

	ret->n = 0;
	ret->more = more;
	if (text.n >= sizeof ret->p)
		return false;
	while (at < text.n) {
		size_t end = str_end(text, ' ', at);
		struct str word = str_sub(text, at, end);

		at += word.n + 1;
		if (!named && (!word.n || (says_nothing(word) && !str_has(word, '*'))))
			continue; /* leading assignments */
		if (!named) {
			for (ptrdiff_t slash; (slash = str_find(word, '/', 0)) >= 0 && (size_t)slash +
					1 < word.n;)
				word = str_from(word, (size_t)slash + 1);
			word = without_version(word);
			named = true;
		} else if (says_nothing(word) && !str_has(word, '*')) {
			dropped = word;
			continue;
		}
		add_name(ret, word);
	}
	if (dropped.n && !more && ret->n && !memchr(ret->p, '*', ret->n))
		return false; /* `node --version` exactly */
	return ret->n > 0;
}

static bool is_fine_alone(struct str name)
{
	return str_is_any(name, fine_alone);
}

/* True if the rule matches the name with any words after it. */
static bool covers(const struct room *r, struct str name)
{
	struct str rule = str_n(r->p, r->n);
	struct glob g;

	if (!r->more && str_eq(rule, name))
		return !is_fine_alone(name);
	glob_start(&g, rule, r->more ? GLOB_WORDS : 0);
	glob_feed(&g, name);
	glob_feed(&g, str_n(" \0", 2));
	return glob_end(&g) == GLOB_YES;
}

static const char *why_broad(struct str text, bool more)
{
	struct room r;

	if (!make_plain(text, more, &r))
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		for (const char *p = rows[i].names + 1; *p;) {
			size_t n = strcspn(p, "|");

			if (covers(&r, str_n(p, n)))
				return rows[i].why;
			p += n + 1;
		}
	return NULL;
}

static const char *command_broad(struct str text)
{
	bool more = false;

	text = str_trim(text, BLANKS);
	if (str_ends(text, ":*") || str_ends(text, " *")) {
		text.n -= 2;
		more = true;
	}
	text = str_trim(text, BLANKS);
	if (!text.n || glob_may(text, str_n("\0", 1), 0) == GLOB_YES)
		return all_commands;
	if (text.p[0] == '*')
		return any_name;
	return why_broad(text, more);
}

const char *permission_broad(const struct permission_rule *r)
{
	static const char edits[][16] = {"Edit", "Write", "MultiEdit", "NotebookEdit"};
	static const char everything[][8] = {"//**", "//*", "//", "~/**", "~/*", "~/", "~"};

	if (r->tool.n && glob_may(r->tool, str_n("\0", 1), 0) == GLOB_YES)
		return all_tools;
	if (str_is_any(r->tool, "Bash PowerShell"))
		return r->all ? all_commands : command_broad(r->pattern);
	for (size_t i = 0; i < ARRAY_SIZE(edits); i++)
		for (size_t k = 0; str_is(r->tool, edits[i]) && k < ARRAY_SIZE(everything); k++)
			if (str_is(r->pattern, everything[k]))
				return all_files;
	return NULL;
}

const char *prefix_broad(struct str prefix)
{
	prefix = str_trim(prefix, BLANKS);
	return prefix.n ? why_broad(prefix, true) : all_commands;
}

const char *prefix_idle(struct str prefix)
{
	static const char operators[] = "&& || ; | & |& > >> < <<";

	prefix = str_trim(prefix, BLANKS);
	if (str_ends(prefix, " *") || str_ends(prefix, ":*"))
		return "it matches only a literal star: further words may always follow, so leave the star "
		       "out";
	if (str_ends(prefix, "*"))
		return "it matches only a literal star: give whole words, or a regular expression below "
		       "tools.bash.checks";
	if (str_starts(prefix, "^"))
		return "it matches only a literal '^': regular expressions belong below tools.bash.checks";
	for (size_t at = 0; at < prefix.n;) {
		size_t end = str_end(prefix, ' ', at);

		if (end > at && str_is_any(str_sub(prefix, at, end), operators))
			return operator_idle;
		at = end + 1;
	}
	return NULL;
}

const char *permission_idle(const struct permission_rule *r)
{
	struct str p = r->pattern;
	char quote = '\0';

	for (size_t i = 0; str_is(r->tool, "Bash") && i < p.n; i++) {
		char c = p.p[i], after = i + 1 < p.n ? p.p[i + 1] : '\0';

		if (c == '\\' && quote != '\'')
			i++;
		else if (c == quote)
			quote = '\0';
		else if (!quote && (c == '"' || c == '\''))
			quote = c;
		else if (quote != '\'' && (c == '`' || (c == '$' && after == '(')))
			return operator_idle;
		else if (!quote && (c == '|' || c == ';' || c == '<' || c == '>' || c == '\n' ||
				(c == '&' && after == '&')))
			return operator_idle;
	}
	return NULL;
}
