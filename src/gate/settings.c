/*
 * Environment variables that are never ignored before a command: an allow rule for `npm test` does not hold for
 * `NODE_OPTIONS=--require=./x npm test`, while `CI=1 npm test` is the same command. See settings.h.
 */
#include "gate/settings.h"

enum part { WHOLE, START, END };

struct row {
	enum part part; /* of the name */
	bool program;   /* its value is a command line that is run */
	char names[584]; /* upper case, between blanks */
};

static const struct row dangerous[] = {
	/* which programs and libraries are found */
	{WHOLE, false, " PATH FPATH CDPATH MODULE_PATH GCONV_PATH LOCPATH NLSPATH GETCONF_DIR HOSTALIASES RESOLV_HOST_CONF LIBPATH SHLIB_PATH TERMINFO TERMINFO_DIRS "},
	{START, false, " LD_ DYLD_ "},
	/* what shells do when they start, split and trace */
	{WHOLE, false, " SHELL BASH_ENV ENV ZDOTDIR IFS PS0 PS1 PS2 PS4 PROMPT_COMMAND SHELLOPTS BASHOPTS BASH_XTRACEFD GLOBIGNORE EXECIGNORE HISTFILE INPUTRC "},
	{START, false, " BASH_FUNC_ "},
	/* where files are looked for */
	{WHOLE, false, " HOME TMPDIR TMP TEMP PWD OLDPWD USERPROFILE XDG_CONFIG_HOME XDG_CONFIG_DIRS XDG_DATA_HOME XDG_DATA_DIRS XDG_RUNTIME_DIR APPDATA "},
	/* modules and flags of languages */
	{WHOLE, false, " PYTHONPATH PYTHONHOME PYTHONSTARTUP PYTHONINSPECT PYTHONBREAKPOINT PYTHONWARNINGS PYTHONUSERBASE PYTHONEXECUTABLE PYTHONPLATLIBDIR "
		       "PYTHONPYCACHEPREFIX PYTEST_ADDOPTS PYTEST_PLUGINS COVERAGE_PROCESS_START VIRTUAL_ENV "},
	{WHOLE, false, " NODE_PATH NODE_OPTIONS NODE_REPL_EXTERNAL_MODULE NODE_EXTRA_CA_CERTS NODE_TLS_REJECT_UNAUTHORIZED ELECTRON_RUN_AS_NODE "},
	{START, false, " NPM_CONFIG_ YARN_ PNPM_ BUN_ DENO_ TS_NODE_ COREPACK_ "},
	{WHOLE, false, " CLASSPATH JAVA_HOME JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS JAVA_OPTS JVM_OPTS MAVEN_OPTS MAVEN_ARGS GRADLE_OPTS GRADLE_USER_HOME "
		       "ANT_OPTS ANT_ARGS SBT_OPTS LEIN_JVM_OPTS KOTLIN_HOME SCALA_HOME "},
	{WHOLE, false, " RUBYLIB RUBYOPT RUBYSHELL GEM_HOME GEM_PATH BUNDLE_GEMFILE BUNDLE_PATH RAKEOPT PERL5LIB PERL5OPT PERL5DB PERL5SHELL PERLLIB PERLIO_DEBUG "
		       "LUA_PATH LUA_CPATH LUA_INIT PHPRC PHP_INI_SCAN_DIR JULIA_LOAD_PATH JULIA_DEPOT_PATH JULIA_PROJECT GUILE_LOAD_PATH R_PROFILE R_PROFILE_USER "
		       "R_ENVIRON R_ENVIRON_USER R_LIBS R_LIBS_USER ERL_LIBS ERL_FLAGS ERL_AFLAGS ERL_ZFLAGS ELIXIR_ERL_OPTIONS TCLLIBPATH DOTNET_STARTUP_HOOKS "
		       "DOTNET_ROOT CORECLR_PROFILER CORECLR_PROFILER_PATH CORECLR_ENABLE_PROFILING PSMODULEPATH "},
	{START, false, " LUA_PATH_ LUA_CPATH_ LUA_INIT_ PIP_ UV_ POETRY_ CONDA_ "},
	/* compilers and builds */
	{WHOLE, false, " GOFLAGS GOPATH GOROOT GOPROXY GONOSUMDB GONOSUMCHECK GOSUMDB GOINSECURE GOPRIVATE GOTOOLCHAIN GOENV GOVCS GOWORK GOEXPERIMENT RUSTFLAGS RUSTDOCFLAGS "
		       "RUSTC RUSTDOC RUSTC_WRAPPER RUSTC_WORKSPACE_WRAPPER RUSTUP_TOOLCHAIN RUSTUP_HOME CC CXX CPP LD AS AR NM FC STRIP RANLIB CFLAGS CXXFLAGS CPPFLAGS "
		       "LDFLAGS COMPILER_PATH GCC_EXEC_PREFIX LIBRARY_PATH CPATH C_INCLUDE_PATH CPLUS_INCLUDE_PATH PKG_CONFIG PKG_CONFIG_PATH PKG_CONFIG_LIBDIR MAKEFLAGS "
		       "MFLAGS GNUMAKEFLAGS MAKEFILES MAKE CMAKE_TOOLCHAIN_FILE CMAKE_PREFIX_PATH CMAKE_GENERATOR TEXINPUTS ACLOCAL_PATH CONFIG_SITE CONFIG_SHELL "},
	{START, false, " CARGO_ CGO_ CCACHE_ SCCACHE_ "},
	/* version control, remote copies, questions */
	{START, false, " GIT_ HG SVN_ "},
	{WHOLE, true, " CVS_RSH RSYNC_RSH RSYNC_CONNECT_PROG SSH_ASKPASS SUDO_ASKPASS "},
	{WHOLE, false, " SSH_AUTH_SOCK SSH_SK_PROVIDER SSH_CONFIG "},
	/* programs that are started by others */
	{WHOLE, true, " PAGER EDITOR VISUAL BROWSER FCEDIT LESSOPEN LESSCLOSE LESSEDIT FZF_DEFAULT_COMMAND CHROME_BIN COMSPEC "},
	{END, true, " PAGER _EDITOR _BROWSER _ASKPASS "},
	{WHOLE, false, " LESS LESSKEY LESSKEYIN LESSKEY_SYSTEM MANOPT MANROFFOPT VIMINIT EXINIT GVIMINIT VIM VIMRUNTIME MYVIMRC NVIM_APPNAME EMACSLOADPATH FZF_DEFAULT_OPTS "
		       "FZF_DEFAULT_OPTS_FILE RIPGREP_CONFIG_PATH ACKRC BAT_CONFIG_PATH TAR_OPTIONS ZIPOPT UNZIP GREP_OPTIONS CURL_HOME WGETRC SCREENRC "},
	/* other places to talk to, other keys to trust */
	{END, false, " _PROXY _CA_BUNDLE "},
	{WHOLE, false, " SSL_CERT_FILE SSL_CERT_DIR OPENSSL_CONF OPENSSL_MODULES OPENSSL_ENGINES GNUPGHOME KRB5_CONFIG DBUS_SESSION_BUS_ADDRESS DBUS_SYSTEM_BUS_ADDRESS "
		       "DOCKER_HOST DOCKER_CONFIG DOCKER_CONTEXT CONTAINER_HOST KUBECONFIG AWS_CONFIG_FILE AWS_SHARED_CREDENTIALS_FILE AWS_ENDPOINT_URL CLOUDSDK_CONFIG "
		       "CLOUDSDK_PYTHON PSQLRC PGSERVICEFILE PGSYSCONFDIR PGPASSFILE MYSQL_HOME TF_CLI_CONFIG_FILE HELM_PLUGINS GH_HOST GH_CONFIG_DIR "},
	{START, false, " TF_CLI_ARGS ANSIBLE_ VAGRANT_ "},
	/* graphical libraries that load plug-ins */
	{WHOLE, false, " QT_PLUGIN_PATH QT_QPA_PLATFORM_PLUGIN_PATH GTK_MODULES GTK_PATH GIO_EXTRA_MODULES GIO_MODULE_DIR GDK_PIXBUF_MODULE_FILE GST_PLUGIN_PATH "},
	/* our own */
	{START, false, " CAISSON_ "},
};

/* Names that a row above catches and that only label, colour or switch off. */
static const struct row harmless[] = {
	{WHOLE, false, " GIT_TERMINAL_PROMPT GIT_OPTIONAL_LOCKS GIT_ADVICE GIT_FLUSH GIT_PAGER_IN_USE GIT_MERGE_AUTOEDIT GIT_LFS_SKIP_SMUDGE HGPLAIN "
		       "CARGO_INCREMENTAL CARGO_NET_OFFLINE UV_OFFLINE UV_NO_PROGRESS UV_NO_CACHE PIP_DISABLE_PIP_VERSION_CHECK PIP_NO_INPUT PIP_NO_CACHE_DIR PIP_QUIET "
		       "PIP_PROGRESS_BAR YARN_ENABLE_TELEMETRY NPM_CONFIG_LOGLEVEL NPM_CONFIG_FUND NPM_CONFIG_AUDIT NPM_CONFIG_COLOR NPM_CONFIG_PROGRESS "
		       "NPM_CONFIG_UPDATE_NOTIFIER NPM_CONFIG_OFFLINE CGO_ENABLED DENO_NO_UPDATE_CHECK CCACHE_DISABLE NO_PROXY ANSIBLE_NOCOLOR ANSIBLE_FORCE_COLOR "},
	{START, false, " GIT_AUTHOR_ GIT_COMMITTER_ CARGO_TERM_ CARGO_PROFILE_ "},
};

/* Values that make "run this program" mean nothing. */
static const char idle_programs[][16] = {"", "cat", "/bin/cat", "/usr/bin/cat", "true", "/bin/true", "/usr/bin/true", "false", "/bin/false", "/usr/bin/false", ":", "less", "more"};

static char upper(char c) { return c >= 'a' && c <= 'z' ? (char)(c - 32) : c; }

static bool same(struct str name, struct str row)
{
	if (name.n != row.n)
		return false;
	for (size_t i = 0; i < name.n; i++)
		if (upper(name.p[i]) != row.p[i])
			return false;
	return true;
}

static bool row_has(const struct row *r, struct str name)
{
	for (const char *p = r->names + 1; *p;) {
		size_t n = strcspn(p, " ");

		if (r->part == WHOLE ? same(name, str_n(p, n)) :
			name.n >= n && same(r->part == START ? str_sub(name, 0, n) : str_sub(name, name.n - n, name.n), str_n(p, n)))
			return true;
		p += n + 1;
	}
	return false;
}

static const struct row *find(const struct row *rows, size_t n, struct str name)
{
	for (size_t i = 0; i < n; i++)
		if (row_has(&rows[i], name))
			return &rows[i];
	return NULL;
}

static const struct row *danger(struct str name)
{
	if (find(harmless, sizeof harmless / sizeof *harmless, name))
		return NULL;
	return find(dangerous, sizeof dangerous / sizeof *dangerous, name);
}

bool setting_is_dangerous(struct str name) { return !name.n || !text_exact(name) || danger(name); }

bool setting_matters(const struct setting *s)
{
	const struct row *r;

	if (!setting_is_dangerous(s->name))
		return false;
	r = s->name.n && text_exact(s->name) ? danger(s->name) : NULL;
	if (!r || !(r->program || same(s->name, STR("GIT_PAGER")) || same(s->name, STR("GIT_EDITOR")) || same(s->name, STR("GIT_SEQUENCE_EDITOR"))))
		return true;
	for (size_t i = 0; i < sizeof idle_programs / sizeof *idle_programs; i++)
		if (str_is(s->value, idle_programs[i]))
			return false;
	return true;
}
