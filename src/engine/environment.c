/*
 * The environment of a program in a box: made anew from what is known to be harmless, what a person asked for, and a few variables that make
 * programs behave where nobody watches. Two tables decide about the caller's variables: what looks like a credential is left out and named
 * in the report; what decides which code programs execute never passes.
 */
#include "base/glob.h"
#include "engine/run.h"

#define NAME_MAX_BYTES 256
#define VALUE_LOOK_MAX 4096  /* bytes of a value that are looked at */
#define VARIABLES_MAX 4096   /* of the caller that are looked at */
#define SCRUBBED_MAX 256     /* names that are reported */
#define NAME_ROOM 32         /* bytes of a name in the tables, which stand in place: pointers would have to be relocated at each start */
#define USER "box"
#define COUNT(a) (sizeof(a) / sizeof(*(a)))

/* ---- what a name says; compared in upper case ---- */

static const char secret_names[][NAME_ROOM] = {
	"ANTHROPIC_*", "CLAUDE_CODE_OAUTH*", "CLAUDE_CODE_SESSION_ACCESS*", "OPENAI_*", "AWS_*ACCESS_KEY*", "AWS_SESSION*", "AWS_BEARER*", "AWS_*SECRET*", "AWS_WEB_IDENTITY*",
	"GOOGLE_*CREDENTIAL*", "GOOGLE_OAUTH*", "GCP_*", "GCLOUD_*", "CLOUDSDK_AUTH*", "AZURE_*", "ARM_CLIENT*", "ARM_ACCESS*", "ACTIONS_*", "GITHUB_TOKEN", "GH_*TOKEN", "RUNNER_TOKEN",
	"OTEL_*HEADERS*", "INPUT_*", "SSH_AUTH_SOCK", "SSH_AGENT_PID", "GPG_AGENT_INFO", "NETRC", "KUBECONFIG", "DOCKER_AUTH*", "VAULT_*", "NPM_CONFIG_*AUTH*", "DATABASE_URL", "PGPASS*",
	"*TOKEN", "*TOKEN_*", "*_TOKENS", "*SECRET*", "*_KEY", "*_KEYS", "*APIKEY*", "*API_KEY*", "*ACCESSKEY*", "*PRIVATE_KEY*", "*_KEY_ID", "*PASSWORD*", "*PASSWD*", "*PASSPHRASE*", "*_PASS",
	"*CREDENTIAL*", "*_AUTH", "*_AUTH_*", "*AUTHORIZATION*", "*_PAT", "*COOKIE*", "*_DSN", "*WEBHOOK*", "*CONNECTION_STRING*", "*_CERT_KEY*", "*SIGNING_KEY*", "*ENCRYPTION_KEY*", "*_PWD",
};

static const char hijacking_names[][NAME_ROOM] = {
	/* the loader and the C library */
	"LD_*", "DYLD_*", "GCONV_PATH", "GETCONF_DIR", "HOSTALIASES", "LOCALDOMAIN", "LOCPATH", "MALLOC_*", "NIS_PATH", "NLSPATH", "RESOLV_*", "RES_OPTIONS", "GLIBC_TUNABLES",
	/* shells */
	"BASH_ENV", "ENV", "SHELLOPTS", "BASHOPTS", "BASH_FUNC_*", "BASH_LOADABLES_PATH", "BASH_XTRACEFD", "PS0", "PS1", "PS2", "PS4", "PROMPT_COMMAND", "IFS", "CDPATH", "GLOBIGNORE", "FPATH", "ZDOTDIR", "FCEDIT",
	"HISTFILE", "INPUTRC",
	/* languages: modules and options */
	"PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "PYTHONINSPECT", "PYTHONUSERBASE", "PYTHONEXECUTABLE", "PYTHONPLATLIBDIR", "PYTHONBREAKPOINT", "PYTHONWARNINGS", "PYTHONPYCACHEPREFIX", "PYTEST_ADDOPTS",
	"PYTEST_PLUGINS", "PIP_*", "UV_*", "NODE_OPTIONS", "NODE_PATH", "NODE_REPL_*", "NPM_CONFIG_*", "YARN_*", "PNPM_*", "BUN_*", "DENO_*", "TS_NODE_*", "PERL5LIB", "PERL5OPT", "PERL5DB", "PERLLIB", "PERL5SHELL",
	"RUBYLIB", "RUBYOPT", "RUBYSHELL", "GEM_PATH", "GEM_HOME", "BUNDLE_*", "CLASSPATH", "JAVA_OPTS", "JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS", "MAVEN_OPTS", "MAVEN_ARGS", "GRADLE_OPTS", "SBT_OPTS",
	"GOFLAGS", "GOENV", "GOPROXY", "GONOSUMDB", "GOINSECURE", "GOTOOLCHAIN", "CGO_*", "RUSTFLAGS", "RUSTDOCFLAGS", "RUSTC", "RUSTC_*", "CARGO_ENCODED_*", "CARGO_BUILD_*", "CARGO_TARGET_*", "CARGO_ALIAS_*",
	"LUA_PATH*", "LUA_CPATH*", "LUA_INIT*", "PHPRC", "PHP_INI_SCAN_DIR", "R_PROFILE*", "R_ENVIRON*", "R_LIBS*", "JULIA_*", "ERL_*", "ELIXIR_*", "GHC_*", "OCAML*", "DOTNET_STARTUP_HOOKS", "COMPLUS_*", "CORECLR_*", "TCLLIBPATH",
	/* programs that start programs */
	"GIT_*", "EDITOR", "VISUAL", "PAGER", "MANPAGER", "BROWSER", "LESS", "LESSOPEN", "LESSCLOSE", "LESSKEY*", "MAKEFLAGS", "MFLAGS", "GNUMAKEFLAGS", "MAKEFILES", "MAKE", "CC", "CXX", "CFLAGS", "LDFLAGS", "CMAKE_TOOLCHAIN_FILE",
	"SSH_ASKPASS", "SUDO_ASKPASS", "TAR_OPTIONS", "GREP_OPTIONS", "RIPGREP_CONFIG_PATH", "FZF_DEFAULT_*", "VIMINIT", "EXINIT", "GDBINIT", "WGETRC", "CURL_HOME", "SYSTEMD_*", "TERMINFO*", "TERMCAP",
	/* where programs look for what they obey */
	"XDG_*", "OPENSSL_CONF", "OPENSSL_MODULES", "OPENSSL_ENGINES", "SSL_CERT_*", "SSLKEYLOGFILE", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "FTP_PROXY",
	"QT_*PLUGIN*", "GTK_MODULES", "GIO_*", "GST_PLUGIN*",
};

/* Harmless, and useful to programs. */
static const char passed_names[][NAME_ROOM] = {"TZ", "NO_COLOR", "CI", "SOURCE_DATE_EPOCH", "COLUMNS", "LINES"};
/* The work profile's besides: a project's tools as its people have them. Their paths mean something only where they are seen in the box. */
static const char passed_work[][NAME_ROOM] = {
	"FORCE_COLOR", "CLICOLOR", "NODE_ENV", "RAILS_ENV", "RACK_ENV", "MIX_ENV", "APP_ENV", "FLASK_ENV", "DEBUG", "VERBOSE", "RUST_BACKTRACE", "RUST_LOG", "CARGO_TERM_COLOR", "PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE",
	"PYTHONIOENCODING", "PYTHONUTF8", "PYTHONHASHSEED", "VIRTUAL_ENV", "CONDA_PREFIX", "CONDA_DEFAULT_ENV", "NVM_DIR", "NVM_BIN", "CARGO_HOME", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN", "GOPATH", "GOROOT", "PYENV_ROOT", "PYENV_VERSION",
	"RBENV_ROOT", "RBENV_VERSION", "VOLTA_HOME", "JAVA_HOME", "ANDROID_HOME", "SDKMAN_DIR",
};

/* Values that are credentials whatever their names. */
static const char secret_values[][28] = {"sk-*", "sk_live_*", "rk_live_*", "ghp_*", "gho_*", "ghu_*", "ghs_*", "ghr_*", "github_pat_*", "glpat-*", "gldt-*", "xoxb-*", "xoxp-*", "xoxa-*", "xapp-*", "AKIA????????????????",
	"ASIA????????????????", "AIza*", "ya29.*", "npm_*", "pypi-*", "hf_*", "SG.*.*", "dop_v1_*", "shpat_*", "eyJ*.*.*", "Bearer *", "Basic *", "hvs.*", "figd_*", "lin_api_*", "dckr_pat_*"};
#define PRIVATE_KEY "*-----BEGIN*PRIVATE KEY*" /* the only one that is found anywhere in a value */
#define SECRET_VALUE_MIN 16 /* bytes: shorter ones are words */

/*
 * Every variable is held against every row before each run, so this is not the matcher of policies: stars only, no set-up, the last star
 * tried again where the text after it does not fit.
 */
static bool matches(const char *pattern, struct str text)
{
	const char *star = NULL;
	size_t at = 0, again = 0;

	while (at < text.n) {
		if (*pattern == '*') {
			star = ++pattern;
			again = at;
			if (!*star)
				return true;
		} else if (*pattern == text.p[at]) {
			pattern++;
			at++;
		} else if (star) { /* on to where it could fit */
			const char *next = ++again < text.n ? memchr(text.p + again, *star, text.n - again) : NULL;

			if (!next)
				return false;
			pattern = star;
			at = again = (size_t)(next - text.p);
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return !*pattern;
}

/* Which letters there are, as bits: a name that lacks one of a pattern's need not be compared with it. */
static uint32_t letters_of(struct str s)
{
	uint32_t bits = 0;

	for (size_t i = 0; i < s.n; i++)
		bits |= 1u << (s.p[i] & 31);
	return bits;
}

static uint32_t letters(const char *pattern)
{
	uint32_t bits = 0;

	for (; *pattern; pattern++)
		if (*pattern != '*')
			bits |= 1u << (*pattern & 31);
	return bits;
}

static bool matches_any(const char (*patterns)[NAME_ROOM], size_t n, struct str text)
{
	for (size_t i = 0; i < n; i++)
		if (matches(patterns[i], text))
			return true;
	return false;
}

static struct str upper(struct str s, char room[static NAME_MAX_BYTES])
{
	s.n = s.n < NAME_MAX_BYTES ? s.n : NAME_MAX_BYTES;
	for (size_t i = 0; i < s.n; i++)
		room[i] = (char)(s.p[i] >= 'a' && s.p[i] <= 'z' ? s.p[i] - 32 : s.p[i]);
	return str_n(room, s.n);
}

/* scheme://user:password@host */
static bool url_with_password(struct str v)
{
	for (ptrdiff_t at = str_find(v, ':', 0); at >= 0 && (size_t)at + 3 < v.n; at = str_find(v, ':', (size_t)at + 1)) {
		bool colon = false;

		if (v.p[at + 1] != '/' || v.p[at + 2] != '/')
			continue;
		for (size_t k = (size_t)at + 3; k < v.n && v.p[k] != '/' && v.p[k] != ' '; k++) {
			colon |= v.p[k] == ':';
			if (v.p[k] == '@' && colon)
				return true;
		}
	}
	return false;
}

/* A slash is a byte like any other here, and `?` is any byte. */
static bool value_matches(const char *pattern, struct str v)
{
	struct str p;
	size_t q = 0;

	if (pattern[0] != '*' && (!v.n || pattern[0] != v.p[0]))
		return false;
	p = str_of(pattern);
	while (q < p.n && p.p[q] != '?')
		q++;
	if (q == p.n)
		return matches(pattern, v);
	if (v.n != p.n || memcmp(v.p, p.p, q) != 0)
		return false;
	for (; q < v.n; q++)
		if (!((v.p[q] >= 'A' && v.p[q] <= 'Z') || (v.p[q] >= '0' && v.p[q] <= '9')))
			return false;
	return true;
}

struct screen { /* what most names and values lack */
	uint32_t names[COUNT(secret_names)]; /* letters of the patterns */
	uint64_t starts[4];                  /* first bytes of the patterns of values, as bits */
};

static bool starts_like_one(const struct screen *s, unsigned char first) { return s->starts[first >> 6] >> (first & 63) & 1; }

static void screen_make(struct screen *ret)
{
	*ret = (struct screen){0};
	for (size_t i = 0; i < COUNT(secret_names); i++)
		ret->names[i] = letters(secret_names[i]);
	for (size_t i = 0; i < COUNT(secret_values); i++) {
		unsigned char first = (unsigned char)secret_values[i][0];

		ret->starts[first >> 6] |= (uint64_t)1 << (first & 63);
	}
}

static bool secret_value(const struct screen *s, struct str v)
{
	if (v.n < SECRET_VALUE_MIN)
		return false;
	if (!starts_like_one(s, (unsigned char)v.p[0]))
		return value_matches(PRIVATE_KEY, v);
	for (size_t i = 0; i < COUNT(secret_values); i++)
		if (value_matches(secret_values[i], v))
			return true;
	return value_matches(PRIVATE_KEY, v);
}

static bool screened_secret(const struct screen *s, struct str name, struct str value)
{
	char room[NAME_MAX_BYTES];
	struct str v = str_sub(value, 0, VALUE_LOOK_MAX), big = upper(name, room);
	uint32_t lacks = ~letters_of(big);

	for (size_t i = 0; i < COUNT(secret_names); i++)
		if (!(s->names[i] & lacks) && matches(secret_names[i], big))
			return true;
	return secret_value(s, v) || url_with_password(v);
}

bool variable_secret(struct str name, struct str value)
{
	struct screen s;

	screen_make(&s);
	return screened_secret(&s, name, value);
}

bool variable_hijacks(struct str name)
{
	char room[NAME_MAX_BYTES];

	return matches_any(hijacking_names, COUNT(hijacking_names), upper(name, room));
}

/* ---- making ---- */

static bool is_name(struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];

		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (i && c >= '0' && c <= '9')))
			return false;
	}
	return s.n > 0 && s.n < NAME_MAX_BYTES;
}

static void set(struct making *m, struct str name, struct str value)
{
	struct spec_var **at = &m->r->spec.env;

	while (*at && !str_eq((*at)->name, name))
		at = &(*at)->next;
	if (!*at)
		*at = arena_new(m->a, struct spec_var);
	(*at)->name = name;
	(*at)->value = value;
}

static bool listed(const struct texts *t, struct str name, bool exactly)
{
	for (; t; t = t->next)
		if (exactly ? str_eq(t->text, name) : glob_name(t->text, name))
			return true;
	return false;
}

static bool passes(const struct making *m, struct str name)
{
	if (matches_any(passed_names, COUNT(passed_names), name))
		return true;
	if (m->r->spec.profile == PROFILE_WORK && matches_any(passed_work, COUNT(passed_work), name))
		return true;
	return listed(m->p->own.sandbox.env_pass, name, false);
}

static void note_scrubbed(struct making *m, struct str name, size_t *n)
{
	struct texts **end = &m->r->scrubbed, *t;

	if ((*n)++ >= SCRUBBED_MAX)
		return;
	while (*end)
		end = &(*end)->next;
	t = arena_new(m->a, struct texts);
	t->text = str_dup(m->a, name);
	*end = t;
}

static bool scrubbed_around(const struct policies *p, struct str name)
{
	for (const struct policy_around *x = p->around; x; x = x->next)
		if (listed(x->policy.sandbox.env_scrub, name, false))
			return true;
	return false;
}

static void take_callers(struct making *m)
{
	const struct sandbox *own = &m->p->own.sandbox, *project = &m->p->project.sandbox;
	struct screen screen;
	size_t scrubbed = 0;

	screen_make(&screen);
	for (size_t i = 0; m->world->environ && m->world->environ[i] && i < VARIABLES_MAX; i++) {
		struct str s = str_of(m->world->environ[i]);
		ptrdiff_t eq = str_find(s, '=', 0);
		struct str name = eq > 0 ? str_sub(s, 0, (size_t)eq) : STR(""), value = str_sub(s, (size_t)eq + 1, s.n);

		if (!is_name(name))
			continue;
		if (listed(own->env_scrub, name, false) || (m->p->apart && listed(project->env_scrub, name, false)) ||
		    scrubbed_around(m->p, name) || (screened_secret(&screen, name, value) && !listed(own->env_pass, name, true)))
			note_scrubbed(m, name, &scrubbed);
		else if (passes(m, name) && !variable_hijacks(name)) /* in this order: few pass, and the other table is long */
			set(m, name, value);
	}
}

static struct str callers(const struct making *m, const char *name)
{
	size_t n = strlen(name);

	for (size_t i = 0; m->world->environ && m->world->environ[i] && i < VARIABLES_MAX; i++)
		if (!strncmp(m->world->environ[i], name, n) && m->world->environ[i][n] == '=')
			return str_of(m->world->environ[i] + n + 1);
	return STR("");
}

/* The same on every machine, where it can be; editors and pagers that nobody would answer are off, and so is the search for leaks, which traces the program. */
static void inject(struct making *m)
{
	static const struct {
		char name[20], value[16];
	} fixed[] = {{"SHELL", "/bin/bash"}, {"TMPDIR", "/tmp"}, {"LANG", "C.UTF-8"}, {"LC_ALL", "C.UTF-8"}, {"GIT_EDITOR", "true"}, {"GIT_TERMINAL_PROMPT", "0"}, {"PAGER", "cat"}, {"GIT_PAGER", "cat"},
		{"LSAN_OPTIONS", "detect_leaks=0"}, {"CAISSON", "1"}, {"CLAUDECODE", "1"}};
	struct str term = callers(m, "TERM");

	for (size_t i = 0; i < COUNT(fixed); i++)
		set(m, str_of(fixed[i].name), str_of(fixed[i].value));
	set(m, STR("HOME"), m->r->spec.home);
	set(m, STR("USER"), STR(USER)); /* the only one that the box knows */
	set(m, STR("LOGNAME"), STR(USER));
	set(m, STR("PATH"), making_path(m));
	set(m, STR("TERM"), m->w->plain && m->world->terminal && term.n && term.n < NAME_MAX_BYTES ? term : STR("dumb"));
}

static int take_given(struct making *m, struct err *e)
{
	for (size_t i = 0; i < m->w->env.n; i++) {
		struct str s = str_of(m->w->env.v[i]);
		ptrdiff_t eq = str_find(s, '=', 0);
		struct str name = eq > 0 ? str_sub(s, 0, (size_t)eq) : STR("");

		if (!is_name(name))
			return err_set(e, ERR_INPUT, 0, "--env '%.*s': expected NAME=VALUE", (int)(s.n < 60 ? s.n : 60), s.p);
		if (m->w->agent && variable_hijacks(name))
			return err_set(e, ERR_INPUT, 0, "--env '%.*s': it decides what programs execute, so an agent cannot set it", STR_ARG(name));
		set(m, name, str_sub(s, (size_t)eq + 1, s.n));
	}
	return 0;
}

int making_environment(struct making *m, struct err *e)
{
	take_callers(m);
	inject(m);
	return take_given(m, e);
}

/* ---- values that must not be shown ---- */

/* These say where a secret is, and are none themselves. */
static const char place_names[][NAME_ROOM] = {"SSH_AUTH_SOCK", "SSH_AGENT_PID", "GPG_AGENT_INFO", "NETRC", "KUBECONFIG", "GOOGLE_APPLICATION_CREDENTIALS", "*_FILE", "*_PATH", "*_DIR"};

char *const *variables_known(struct arena *a, const struct run_world *world, const struct run_wishes *w)
{
	char *const *environ = world ? world->environ : NULL;
	const size_t given = w ? w->env.n : 0;
	size_t n = 0;
	char **v;

	while (environ && environ[n] && n < VARIABLES_MAX)
		n++;
	v = arena_array(a, given + n + 1, sizeof(*v));
	for (size_t i = 0; i < given; i++)
		v[i] = (char *)w->env.v[i];
	if (n)
		memcpy(v + given, environ, n * sizeof(*v));
	return v;
}

struct str *variables_secret(struct arena *a, char *const *environ, const struct texts *also, size_t *ret_n)
{
	struct screen screen;
	struct str *v;
	size_t n = 0;

	screen_make(&screen);
	while (environ && environ[n] && n < VARIABLES_MAX)
		n++;
	v = arena_array(a, n + 1, sizeof(*v));
	n = 0;
	for (size_t i = 0; environ && environ[i] && i < VARIABLES_MAX; i++) {
		struct str s = str_of(environ[i]);
		ptrdiff_t eq = str_find(s, '=', 0);
		struct str name = eq > 0 ? str_sub(s, 0, (size_t)eq) : STR(""), value = str_sub(s, (size_t)eq + 1, s.n);

		if (name.n && (screened_secret(&screen, name, value) || listed(also, name, true)) && !matches_any(place_names, COUNT(place_names), name))
			v[n++] = value;
	}
	*ret_n = n;
	return v;
}
