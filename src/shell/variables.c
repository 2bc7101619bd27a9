/* Variables that matter beyond their value: those that make the shell, or a program, run, load or write something. */
#include "shell/marks.h"

/* A text that bash expands as a prompt (PS4 under set -x, ${x@P}): its substitutions run. */
void eval_prompt(struct eval *e, struct str text, struct span at)
{
	if (!memchr(text.p, '$', text.n) && !memchr(text.p, '`', text.n) && !memchr(text.p, '\\', text.n) && text_exact(text))
		return;
	if (!text_exact(text) || memchr(text.p, '\\', text.n)) { /* \044( becomes $( before the prompt is expanded */
		emit_trouble(e, TROUBLE_OPAQUE_SCRIPT, "a prompt whose text is not known runs what is in it", at);
		return;
	}
	uint32_t index = emit_text(e, text, "prompt", at);
	struct parser p;
	struct syn_part *parts = NULL;
	parser_for(e, &p, text, index);
	if (parse_text(&p, IN_DOUBLE, &parts) != PARSE_LINE || p.unsure || p.alias_found) {
		emit_trouble(e, TROUBLE_CONSTRUCT, "a prompt that cannot be read", at);
		return;
	}
	marks_parts(e, index, parts);
	struct state keep = e->s;
	struct sink *out = e->out;
	unsigned reads = e->reads;
	e->out = NULL;
	expand_text(e, parts);
	e->out = out;
	e->s = keep;
	e->s.in.known &= e->reads == reads;
}

/* Where the system keeps its programs: only its administrator writes there. */
static bool system_dir(struct str dir)
{
	static const char dirs[][20] = {"/bin", "/usr/bin", "/sbin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin", "/usr/games", "/opt/homebrew/bin"};
	for (size_t i = 0; i < sizeof dirs / sizeof *dirs; i++)
		if (str_is(dir, dirs[i]))
			return true;
	return false;
}

bool system_path(struct str path)
{
	struct str base = base_name(path);
	return base.n && base.n < path.n && !str_is(base, "..") && system_dir(str_sub(path, 0, path.n - base.n - 1));
}

/* A PATH of such directories alone. */
static bool system_dirs(struct str path)
{
	for (size_t from = 0; from <= path.n;) {
		ptrdiff_t colon = str_find(path, ':', from);
		size_t to = colon < 0 ? path.n : (size_t)colon;
		if (!system_dir(str_sub(path, from, to)))
			return false;
		from = to + 1;
	}
	return true;
}

enum variable_effect {
	EFFECT_NONE,       /* a name that a wider row below would take */
	EFFECT_PROMPT, EFFECT_PATH, EFFECT_STARTUP, EFFECT_SCRIPT,
	EFFECT_UNFOLLOWED, /* it changes what runs in a way that is not followed */
	EFFECT_LOAD,       /* files or directories, between colons, that a program loads code or settings that run code from */
	EFFECT_FLAGS,      /* options that may make a program load code */
	EFFECT_COMMAND,    /* a command line that a program runs, with words of its own added */
	EFFECT_CODE,       /* code; `safe` is its language */
	EFFECT_WRITE,      /* a file that is written */
	EFFECT_WRITE_TREE, /* a directory in which files are written */
	EFFECT_HOST,       /* a machine that is contacted */
};

/*
 * Values that are ordinary, between blanks; one that ends in * is a beginning. Of flags and commands each word must be one of them, of the
 * others the whole value. Nothing here may load, run or write what the value names.
 */
#define SAFE_JAVA "@java"
#define SAFE_TOOLS "@tools"
#define SAFE_NODE "@node"
#define SAFE_RUST "@rust"
#define SAFE_LESS "@less"
#define SAFE_EDITORS "@editors"
#define SAFE_MAKE "@make"
#define SAFE_GNUMAKE "@gnumake"
#define SAFE_GO "@go"
#define SAFE_GOPROXY "@goproxy"

/* The longer ones, and those that several variables have, by the names above. */
static const struct {
	char name[12], list[624];
} lists[] = {
	{SAFE_JAVA,
		" -Xmx* -Xms* -Xss* -Xmn* -XX:Max* -XX:Min* -XX:Reserved* -XX:Metaspace* -XX:+Use* -XX:-Use*"
		" -XX:+HeapDumpOnOutOfMemoryError -XX:+ExitOnOutOfMemoryError -XX:+TieredCompilation -XX:TieredStopAtLevel=*"
		" -Dfile.encoding=* -Duser.language=* -Duser.country=* -Duser.timezone=* -Djava.awt.headless=* -Dmaven.test.*"
		" -Dmaven.wagon.* -Dorg.gradle.daemon=* -Dorg.gradle.parallel=* -Dorg.gradle.workers.max=* -Dorg.gradle.caching=*"
		" -Dorg.gradle.console=* -Dorg.slf4j.simpleLogger.* -Dstyle.color=* -ea -server --add-opens* --add-exports* java.* jdk.*"
		" --enable-preview --enable-native-access=* -Dkotlin.compiler.execution.strategy=* "},
	{SAFE_TOOLS,
		" gcc g++ cc c++ clang clang++ cpp tcc icc icpc icx icpx nvcc emcc em++ rustc musl-gcc zig ld ld.lld lld mold gold ar"
		" llvm-ar gcc-ar ranlib gfortran ccache sccache distcc x86_64-linux-gnu- aarch64-linux-gnu- arm-linux-gnueabihf-"
		" i686-w64-mingw32- x86_64-w64-mingw32- riscv64-linux-gnu- arm-none-eabi- /usr/bin/gcc /usr/bin/g++ /usr/bin/cc"
		" /usr/bin/c++ /usr/bin/clang /usr/bin/clang++ -m32 -m64 -march=* -mtune=* -std=* -O* -g -fPIC -Wall -Wextra -Werror"
		" -pipe "},
	{SAFE_NODE,
		" --max-old-space-size* --max_old_space_size* --max-semi-space-size* --max-http-header-size* --no-warnings"
		" --no-deprecation --trace-warnings --trace-deprecation --trace-uncaught --trace-exit --enable-source-maps"
		" --experimental-vm-modules --experimental-specifier-resolution=* --experimental-json-modules --experimental-fetch"
		" --experimental-test-coverage --no-experimental-* --openssl-legacy-provider --unhandled-rejections=*"
		" --stack-trace-limit=* --stack-size=* --dns-result-order=* --preserve-symlinks --throw-deprecation"
		" --pending-deprecation "},
	{SAFE_RUST,
		" -D* -W* -A* -C -g --cfg warnings unused dead_code clippy::* rust_* target-cpu=* target-feature=* opt-level=*"
		" debuginfo=* codegen-units=* lto* panic=* instrument-coverage debug-assertions* overflow-checks* -Ctarget-cpu=*"
		" -Copt-level=* -Cdebuginfo=* -Cinstrument-coverage "},
	{SAFE_LESS,
		" -R -F -X -S -i -I -M -m -N -n -r -q -Q -s -e -E -FR -RF -FX -RX -SR -RS -iR -FRX -RFX -FRSX -FRXS -SFRX -iMRS -iRS R FRX FR -eFRX "},
	{SAFE_EDITORS,
		" vim vi nvim nano emacs emacsclient code subl micro hx ed true false : cat less more bat most delta -w --wait"
		" --new-window -nw -R -F -X -r -FRX -RFX -FX -RX "},
	{SAFE_MAKE,
		" -j* -s -k -l* -B -w -O* --jobs* --silent --quiet --keep-going --no-print-directory --output-sync* --load-average* "},
	{SAFE_GNUMAKE,
		" -j* -s -k -l* -B -w -O* --jobs* --silent --no-print-directory --output-sync* "},
	{SAFE_GO,
		" -mod=* -count=* -v -race -tags=* -buildvcs=* -trimpath -p=* -short -modcacherw "},
	{SAFE_GOPROXY,
		" off direct https://proxy.golang.org https://proxy.golang.org,direct "},
};

/* Variables whose value makes the shell, or a program, run, load or write something. The first row that takes a name counts; * stands for anything. */
static const struct variable {
	char name[36];
	enum variable_effect effect;
	char safe[60]; /* empty: none */
} variables[] = {
	{"PS4", EFFECT_PROMPT, ""}, {"PS0", EFFECT_PROMPT, ""}, {"PS1", EFFECT_PROMPT, ""}, {"PS2", EFFECT_PROMPT, ""},
	{"PATH", EFFECT_PATH, ""}, {"path", EFFECT_PATH, ""}, {"BASH_ENV", EFFECT_STARTUP, ""}, {"ENV", EFFECT_STARTUP, ""},
	{"ZDOTDIR", EFFECT_STARTUP, ""}, {"PROMPT_COMMAND", EFFECT_SCRIPT, ""}, {"BASH_CMDS", EFFECT_UNFOLLOWED, ""},
	{"BASH_ALIASES", EFFECT_UNFOLLOWED, ""}, {"BASH_LOADABLES_PATH", EFFECT_UNFOLLOWED, ""}, {"SHELLOPTS", EFFECT_UNFOLLOWED, ""},
	{"BASH_XTRACEFD", EFFECT_UNFOLLOWED, ""}, {"FUNCNEST", EFFECT_UNFOLLOWED, ""}, {"BASHOPTS", EFFECT_UNFOLLOWED, ""},
	{"BASH_COMPAT", EFFECT_UNFOLLOWED, ""}, {"POSIXLY_CORRECT", EFFECT_UNFOLLOWED, ""}, {"INPUTRC", EFFECT_LOAD, ""},
	{"HISTFILE", EFFECT_WRITE, ""},
	/* git, and what asks, shows and edits for it */
	{"GIT_SSH_COMMAND", EFFECT_COMMAND, ""}, {"GIT_SSH", EFFECT_COMMAND, ""}, {"GIT_EXTERNAL_DIFF", EFFECT_COMMAND, ""},
	{"GIT_PAGER", EFFECT_COMMAND, SAFE_EDITORS}, {"GIT_EDITOR", EFFECT_COMMAND, SAFE_EDITORS},
	{"GIT_SEQUENCE_EDITOR", EFFECT_COMMAND, SAFE_EDITORS}, {"GIT_ASKPASS", EFFECT_COMMAND, " true false echo "},
	{"GIT_PROXY_COMMAND", EFFECT_COMMAND, ""}, {"GIT_CONFIG_PARAMETERS", EFFECT_UNFOLLOWED, ""},
	{"GIT_CONFIG_COUNT", EFFECT_UNFOLLOWED, " 0 "}, {"GIT_CONFIG_KEY_*", EFFECT_UNFOLLOWED, ""},
	{"GIT_CONFIG_VALUE_*", EFFECT_UNFOLLOWED, ""}, 
	{"GIT_CONFIG_GLOBAL", EFFECT_LOAD, " ~/.gitconfig ~/.config/git/config "}, {"GIT_CONFIG_SYSTEM", EFFECT_LOAD, ""},
	{"GIT_CONFIG", EFFECT_LOAD, ""}, {"GIT_EXEC_PATH", EFFECT_LOAD, ""}, {"GIT_TEMPLATE_DIR", EFFECT_LOAD, ""},
	{"GIT_DIR", EFFECT_LOAD, " .git ./.git "}, {"GIT_WORK_TREE", EFFECT_WRITE_TREE, ""}, {"GIT_INDEX_FILE", EFFECT_WRITE, ""},
	{"GIT_OBJECT_DIRECTORY", EFFECT_WRITE_TREE, ""}, {"GIT_TRACE*", EFFECT_WRITE, " 0 1 2 true false "},
	{"PAGER", EFFECT_COMMAND, SAFE_EDITORS}, {"MANPAGER", EFFECT_COMMAND, SAFE_EDITORS}, {"EDITOR", EFFECT_COMMAND, SAFE_EDITORS},
	{"VISUAL", EFFECT_COMMAND, SAFE_EDITORS}, {"GH_PAGER", EFFECT_COMMAND, SAFE_EDITORS}, {"AWS_PAGER", EFFECT_COMMAND, SAFE_EDITORS},
	{"SYSTEMD_PAGER", EFFECT_COMMAND, SAFE_EDITORS}, {"GH_EDITOR", EFFECT_COMMAND, SAFE_EDITORS},
	{"KUBE_EDITOR", EFFECT_COMMAND, SAFE_EDITORS}, {"BROWSER", EFFECT_COMMAND, " true false none echo : "},
	{"FZF_DEFAULT_COMMAND", EFFECT_COMMAND, ""}, {"RSYNC_RSH", EFFECT_COMMAND, ""},
	{"SSH_ASKPASS", EFFECT_COMMAND, " true false echo "}, {"SUDO_ASKPASS", EFFECT_COMMAND, " true false echo "},
	{"LESSOPEN", EFFECT_UNFOLLOWED, ""}, {"LESSCLOSE", EFFECT_UNFOLLOWED, ""}, {"TAR_OPTIONS", EFFECT_UNFOLLOWED, ""},
	{"VIMINIT", EFFECT_CODE, "vim"}, {"EXINIT", EFFECT_CODE, "vim"},
	/* what programs find, load, start or write because a variable says so, whatever their words are */
	{"LESS", EFFECT_FLAGS, SAFE_LESS}, {"SYSTEMD_LESS", EFFECT_FLAGS, SAFE_LESS}, {"LESSKEY*", EFFECT_LOAD, ""}, {"LESSEDIT", EFFECT_COMMAND, SAFE_EDITORS},
	{"MANOPT", EFFECT_LOAD, ""}, {"MANROFFOPT", EFFECT_LOAD, " -c "}, {"MANLESS", EFFECT_LOAD, ""}, {"BAT_PAGER", EFFECT_COMMAND, SAFE_EDITORS},
	{"BAT_CONFIG_*", EFFECT_LOAD, ""}, {"BAT_OPTS", EFFECT_LOAD, ""}, {"DELTA_PAGER", EFFECT_COMMAND, SAFE_EDITORS},
	{"ACK_PAGER*", EFFECT_COMMAND, SAFE_EDITORS}, {"ACKRC", EFFECT_LOAD, ""}, {"ACK_OPTIONS", EFFECT_LOAD, ""},
	{"DPKG_PAGER", EFFECT_COMMAND, SAFE_EDITORS}, {"SYSTEMD_EDITOR", EFFECT_COMMAND, SAFE_EDITORS}, {"ALTERNATE_EDITOR", EFFECT_COMMAND, SAFE_EDITORS},
	{"CSCOPE_EDITOR", EFFECT_COMMAND, SAFE_EDITORS}, {"HGEDITOR", EFFECT_COMMAND, SAFE_EDITORS}, {"HGMERGE", EFFECT_COMMAND, SAFE_EDITORS},
	{"FZF_DEFAULT_OPTS*", EFFECT_LOAD, ""}, {"RMT", EFFECT_COMMAND, ""}, {"TAPE", EFFECT_HOST, ""}, {"ZIPOPT", EFFECT_LOAD, ""},
	{"RSYNC_CONNECT_PROG", EFFECT_COMMAND, ""}, {"RSYNC_PROXY", EFFECT_HOST, ""}, {"CVS_RSH", EFFECT_COMMAND, " ssh "},
	{"SHELL", EFFECT_LOAD, " /bin/bash /bin/sh /bin/zsh /bin/dash bash sh zsh "}, {"VIM", EFFECT_LOAD, ""}, {"VIMRUNTIME", EFFECT_LOAD, ""},
	{"NVIM_APPNAME", EFFECT_LOAD, " nvim "}, {"EMACSLOADPATH", EFFECT_LOAD, ""}, {"GIT_COMMON_DIR", EFFECT_LOAD, " .git ./.git "},
	{"GITPERLLIB", EFFECT_LOAD, ""}, {"HGRCPATH", EFFECT_LOAD, ""}, {"HG", EFFECT_LOAD, " hg "}, {"CURL_HOME", EFFECT_LOAD, ""},
	{"WGETRC", EFFECT_LOAD, ""}, {"SYSTEM_WGETRC", EFFECT_LOAD, ""}, {"GNUPGHOME", EFFECT_LOAD, " ~/.gnupg ~/.gnupg/ "},
	{"SSH_SK_PROVIDER", EFFECT_LOAD, " internal "}, {"SCREENRC", EFFECT_LOAD, ""}, {"APT_CONFIG", EFFECT_LOAD, ""}, {"RPM_CONFIGDIR", EFFECT_LOAD, ""},
	{"HOMEBREW_BREW_FILE", EFFECT_LOAD, ""}, {"HOMEBREW_LIBRARY", EFFECT_LOAD, ""}, {"HOMEBREW_*_PATH", EFFECT_LOAD, ""},
	{"PSQLRC", EFFECT_LOAD, ""}, {"PGSERVICEFILE", EFFECT_LOAD, ""}, {"PGSYSCONFDIR", EFFECT_LOAD, ""}, {"MYSQL_HOME", EFFECT_LOAD, ""},
	{"SQLITE_HISTORY", EFFECT_WRITE, ""}, {"BC_ENV_ARGS", EFFECT_LOAD, " -l -q -lq -ql "}, {"AWKPATH", EFFECT_LOAD, ""}, {"AWKLIBPATH", EFFECT_LOAD, ""},
	{"GROFF_BIN_PATH", EFFECT_LOAD, ""}, {"GROFF_COMMAND_PREFIX", EFFECT_LOAD, ""}, {"GTAGSCONF", EFFECT_LOAD, ""}, {"GVBINDIR", EFFECT_LOAD, ""}, {"VALGRIND_LIB", EFFECT_LOAD, ""},
	{"GETCONF_DIR", EFFECT_LOAD, ""}, {"NLSPATH", EFFECT_LOAD, ""}, {"TERMINFO_DIRS", EFFECT_LOAD, ""},
	{"MALLOC_TRACE", EFFECT_WRITE, ""}, {"LD_DEBUG_OUTPUT", EFFECT_WRITE, ""}, {"LD_PROFILE_OUTPUT", EFFECT_WRITE_TREE, ""},
	{"LIBGL_DRIVERS_PATH", EFFECT_LOAD, ""}, {"VK_ICD_FILENAMES", EFFECT_LOAD, ""}, {"VK_DRIVER_FILES", EFFECT_LOAD, ""},
	{"VK_LAYER_PATH", EFFECT_LOAD, ""}, {"VK_ADD_*", EFFECT_LOAD, ""}, {"OCL_ICD_VENDORS", EFFECT_LOAD, ""}, {"QT_PLUGIN_PATH", EFFECT_LOAD, ""},
	{"QT_QPA_PLATFORM_PLUGIN_PATH", EFFECT_LOAD, ""}, {"GTK_MODULES", EFFECT_LOAD, ""}, {"GTK_PATH", EFFECT_LOAD, ""},
	{"GTK_EXE_PREFIX", EFFECT_LOAD, ""}, {"GIO_EXTRA_MODULES", EFFECT_LOAD, ""}, {"GIO_MODULE_DIR", EFFECT_LOAD, ""},
	{"GDK_PIXBUF_MODULE*", EFFECT_LOAD, ""}, {"GST_PLUGIN_*", EFFECT_LOAD, ""}, {"FREI0R_PATH", EFFECT_LOAD, ""}, {"LADSPA_PATH", EFFECT_LOAD, ""},
	{"LV2_PATH", EFFECT_LOAD, ""}, {"XDG_DATA_HOME", EFFECT_LOAD, " ~/.local/share ~/.local/share/ "}, {"XDG_DATA_DIRS", EFFECT_LOAD, ""},
	{"XDG_RUNTIME_DIR", EFFECT_LOAD, " /run/user/* "}, {"DBUS_SESSION_BUS_ADDRESS", EFFECT_LOAD, " unix:path=/run/user/* disabled: "},
	{"DBUS_SYSTEM_BUS_ADDRESS", EFFECT_LOAD, " unix:path=/run/* unix:path=/var/run/* "}, {"DBUS_STARTER_ADDRESS", EFFECT_LOAD, ""},
	/* where the network leads */
	{"http_proxy", EFFECT_HOST, ""}, {"https_proxy", EFFECT_HOST, ""}, {"all_proxy", EFFECT_HOST, ""}, {"ftp_proxy", EFFECT_HOST, ""},
	{"HTTP_PROXY", EFFECT_HOST, ""}, {"HTTPS_PROXY", EFFECT_HOST, ""}, {"ALL_PROXY", EFFECT_HOST, ""}, {"FTP_PROXY", EFFECT_HOST, ""},
	{"DEBUGINFOD_URLS", EFFECT_HOST, ""}, {"GOPROXY", EFFECT_HOST, SAFE_GOPROXY},
	/* languages */
	{"GEMRC", EFFECT_LOAD, ""}, {"RUBYGEMS_GEMDEPS", EFFECT_LOAD, ""}, {"PYTHONEXECUTABLE", EFFECT_LOAD, ""}, {"PYTHONPLATLIBDIR", EFFECT_LOAD, ""},
	{"PYTHONPYCACHEPREFIX", EFFECT_LOAD, ""}, {"COVERAGE_PROCESS_START", EFFECT_LOAD, ""}, {"UV_PYTHON", EFFECT_FLAGS, " 3.* 3 python3* cpython* pypy* "},
	{"UV_CONFIG_FILE", EFFECT_LOAD, ""}, {"PYENV_ROOT", EFFECT_LOAD, " ~/.pyenv "}, {"RBENV_ROOT", EFFECT_LOAD, " ~/.rbenv "}, {"NVM_DIR", EFFECT_LOAD, " ~/.nvm "},
	{"VOLTA_HOME", EFFECT_LOAD, " ~/.volta "}, {"ASDF_DATA_DIR", EFFECT_LOAD, " ~/.asdf "}, {"MISE_CONFIG_FILE", EFFECT_LOAD, ""},
	{"COREPACK_HOME", EFFECT_LOAD, ""}, {"BUN_OPTIONS", EFFECT_LOAD, ""}, {"JAVA_HOME", EFFECT_LOAD, " /opt/* /Library/* ~/.sdkman/* "},
	{"R_PROFILE*", EFFECT_LOAD, ""}, {"R_ENVIRON*", EFFECT_LOAD, ""}, {"R_HOME", EFFECT_LOAD, ""}, {"R_LIBS*", EFFECT_LOAD, ""},
	{"JULIA_LOAD_PATH", EFFECT_LOAD, ""}, {"JULIA_DEPOT_PATH", EFFECT_LOAD, " ~/.julia "}, {"TCLLIBPATH", EFFECT_LOAD, ""},
	{"GUILE_LOAD_PATH", EFFECT_LOAD, ""}, {"ERL_*FLAGS", EFFECT_LOAD, ""}, {"ERL_LIBS", EFFECT_LOAD, ""}, {"DOTNET_ROOT", EFFECT_LOAD, " ~/.dotnet "},
	{"CORECLR_PROFILER_PATH*", EFFECT_LOAD, ""}, {"MSBUILD_EXE_PATH", EFFECT_LOAD, ""}, {"PSMODULEPATH", EFFECT_LOAD, ""},
	{"NODE_OPTIONS", EFFECT_FLAGS, SAFE_NODE}, {"NODE_PATH", EFFECT_LOAD, ""}, {"NODE_REPL_EXTERNAL_MODULE", EFFECT_LOAD, ""},
	{"PERL5OPT", EFFECT_FLAGS, " -w -W -CS -CSD -CSDA -T "}, {"PERL5LIB", EFFECT_LOAD, ""}, {"PERLLIB", EFFECT_LOAD, ""},
	{"PERL5DB", EFFECT_CODE, "perl"}, {"PYTHONSTARTUP", EFFECT_LOAD, ""}, {"PYTHONPATH", EFFECT_LOAD, ""},
	{"PYTHONHOME", EFFECT_LOAD, ""}, {"PYTHONINSPECT", EFFECT_LOAD, ""}, {"PYTHONUSERBASE", EFFECT_LOAD, ""}, {"PYTHONBREAKPOINT", EFFECT_LOAD, " 0 "},
	{"RUBYOPT", EFFECT_FLAGS, " -W* -w --yjit --jit --enable=* --disable=* "}, {"RUBYLIB", EFFECT_LOAD, ""},
	{"BUNDLE_GEMFILE", EFFECT_LOAD, ""}, {"GEM_PATH", EFFECT_LOAD, ""}, {"GEM_HOME", EFFECT_LOAD, " ~/.gem ~/.gem/* "},
	{"LUA_INIT", EFFECT_CODE, "lua"}, {"LUA_INIT_*", EFFECT_CODE, "lua"}, {"LUA_PATH*", EFFECT_LOAD, ""},
	{"LUA_CPATH*", EFFECT_LOAD, ""}, {"PHPRC", EFFECT_LOAD, ""}, {"PHP_INI_SCAN_DIR", EFFECT_LOAD, ""},
	{"CLASSPATH", EFFECT_LOAD, ""}, {"JAVA_TOOL_OPTIONS", EFFECT_FLAGS, SAFE_JAVA}, {"_JAVA_OPTIONS", EFFECT_FLAGS, SAFE_JAVA},
	{"JDK_JAVA_OPTIONS", EFFECT_FLAGS, SAFE_JAVA}, {"JAVA_OPTS", EFFECT_FLAGS, SAFE_JAVA}, {"MAVEN_OPTS", EFFECT_FLAGS, SAFE_JAVA},
	{"GRADLE_OPTS", EFFECT_FLAGS, SAFE_JAVA}, {"SBT_OPTS", EFFECT_FLAGS, SAFE_JAVA}, {"DOTNET_STARTUP_HOOKS", EFFECT_LOAD, ""},
	/* builds */
	{"COMPILER_PATH", EFFECT_LOAD, ""}, {"GCC_EXEC_PREFIX", EFFECT_LOAD, ""}, {"COLLECT_GCC", EFFECT_LOAD, ""}, {"COLLECT_LTO_WRAPPER", EFFECT_LOAD, ""},
	{"CCC_OVERRIDE_OPTIONS", EFFECT_LOAD, ""}, {"CLANG_CONFIG_FILE_*", EFFECT_LOAD, ""}, {"DEPENDENCIES_OUTPUT", EFFECT_WRITE, ""},
	{"SUNPRO_DEPENDENCIES", EFFECT_WRITE, ""}, {"CC_*_FILE", EFFECT_WRITE, ""}, {"CCACHE_CONFIGPATH", EFFECT_LOAD, ""}, {"CCACHE_LOGFILE", EFFECT_WRITE, ""},
	{"CCACHE_PREFIX*", EFFECT_COMMAND, SAFE_TOOLS}, {"CCACHE_COMPILER", EFFECT_COMMAND, SAFE_TOOLS}, {"PKG_CONFIG", EFFECT_COMMAND, " pkg-config pkgconf "},
	{"RUSTUP_TOOLCHAIN", EFFECT_FLAGS, " stable* nightly* beta* 1.* "}, {"RUSTUP_HOME", EFFECT_LOAD, " ~/.rustup "}, {"CARGO", EFFECT_COMMAND, " cargo "},
	{"CARGO_ALIAS_*", EFFECT_LOAD, ""}, {"GOROOT", EFFECT_LOAD, " /opt/* "}, {"GOENV", EFFECT_LOAD, " off "}, {"GOWORK", EFFECT_LOAD, " off "},
	{"GOTOOLCHAIN", EFFECT_LOAD, " local auto "}, {"GOCACHEPROG", EFFECT_COMMAND, ""}, {"GOAUTH", EFFECT_LOAD, " off netrc "},
	{"GOPACKAGESDRIVER", EFFECT_LOAD, " off "}, {"GCCGO", EFFECT_COMMAND, " gccgo "},
	{"MAKEFLAGS", EFFECT_FLAGS, SAFE_MAKE},
	{"MFLAGS", EFFECT_FLAGS, " -j* -s -k -l* -B -w -O* "},
	{"GNUMAKEFLAGS", EFFECT_FLAGS, SAFE_GNUMAKE},
	{"MAKEFILES", EFFECT_LOAD, ""}, {"CC", EFFECT_COMMAND, SAFE_TOOLS}, {"CXX", EFFECT_COMMAND, SAFE_TOOLS},
	{"LD", EFFECT_COMMAND, SAFE_TOOLS}, {"AR", EFFECT_COMMAND, SAFE_TOOLS}, {"HOSTCC", EFFECT_COMMAND, SAFE_TOOLS},
	{"CONFIG_SHELL", EFFECT_COMMAND, " bash sh /bin/sh /bin/bash "}, {"RUSTC", EFFECT_COMMAND, SAFE_TOOLS},
	{"RUSTC_WRAPPER", EFFECT_COMMAND, SAFE_TOOLS}, {"RUSTC_WORKSPACE_WRAPPER", EFFECT_COMMAND, SAFE_TOOLS},
	{"CARGO_BUILD_RUSTC_WRAPPER", EFFECT_COMMAND, SAFE_TOOLS}, {"CARGO_BUILD_RUSTC", EFFECT_COMMAND, SAFE_TOOLS},
	{"CARGO_BUILD_RUSTC_WORKSPACE_WRAPPER", EFFECT_COMMAND, SAFE_TOOLS}, {"CARGO_TARGET_*_RUNNER", EFFECT_COMMAND, ""},
	{"CARGO_TARGET_*_LINKER", EFFECT_COMMAND, SAFE_TOOLS}, {"CARGO_HOME", EFFECT_LOAD, " ~/.cargo ~/.cargo/ "},
	{"RUSTFLAGS", EFFECT_FLAGS, SAFE_RUST},
	{"GOFLAGS", EFFECT_FLAGS, SAFE_GO},
	{"CGO_CFLAGS", EFFECT_FLAGS, " -I* -L* -l* -O* -g -D* -std=* -fPIC -m32 -m64 -march=* "},
	{"CGO_CXXFLAGS", EFFECT_FLAGS, " -I* -L* -l* -O* -g -D* -std=* -fPIC -m32 -m64 -march=* "},
	{"CGO_LDFLAGS", EFFECT_FLAGS, " -L* -l* -O* -g -static -m32 -m64 "}, {"CGO_CFLAGS_ALLOW", EFFECT_UNFOLLOWED, ""},
	{"CGO_LDFLAGS_ALLOW", EFFECT_UNFOLLOWED, ""},
	/* package managers: most of their settings may name a program, a file or a registry */
	{"npm_config_loglevel", EFFECT_NONE, ""}, {"npm_config_fund", EFFECT_NONE, ""}, {"npm_config_audit", EFFECT_NONE, ""},
	{"npm_config_color", EFFECT_NONE, ""}, {"npm_config_progress", EFFECT_NONE, ""},
	{"npm_config_update_notifier", EFFECT_NONE, ""}, {"npm_config_offline", EFFECT_NONE, ""}, {"npm_config_yes", EFFECT_NONE, ""},
	{"npm_config_prefer_offline", EFFECT_NONE, ""}, {"npm_config_ignore_scripts", EFFECT_NONE, ""},
	{"npm_config_cache", EFFECT_WRITE_TREE, ""}, {"npm_config_*", EFFECT_LOAD, ""},
	{"PIP_DISABLE_PIP_VERSION_CHECK", EFFECT_NONE, ""}, {"PIP_NO_*", EFFECT_NONE, ""}, {"PIP_QUIET", EFFECT_NONE, ""},
	{"PIP_VERBOSE", EFFECT_NONE, ""}, {"PIP_PROGRESS_BAR", EFFECT_NONE, ""}, {"PIP_ROOT_USER_ACTION", EFFECT_NONE, ""},
	{"PIP_BREAK_SYSTEM_PACKAGES", EFFECT_NONE, ""}, {"PIP_REQUIRE_VIRTUALENV", EFFECT_NONE, ""},
	{"PIP_DEFAULT_TIMEOUT", EFFECT_NONE, ""}, {"PIP_RETRIES", EFFECT_NONE, ""}, {"PIP_CACHE_DIR", EFFECT_WRITE_TREE, ""},
	{"PIP_*", EFFECT_LOAD, " https://pypi.org/simple https://pypi.org/simple/ "},
	/* what is loaded into every program, or read by most */
	{"LD_PRELOAD", EFFECT_LOAD, ""}, {"LD_LIBRARY_PATH", EFFECT_LOAD, ""}, {"LD_AUDIT", EFFECT_LOAD, ""},
	{"DYLD_PRINT_*", EFFECT_NONE, ""}, {"DYLD_*", EFFECT_LOAD, ""}, {"GCONV_PATH", EFFECT_LOAD, ""},
	{"LOCPATH", EFFECT_LOAD, ""}, {"TERMINFO", EFFECT_LOAD, ""}, {"OPENSSL_CONF", EFFECT_LOAD, ""},
	{"OPENSSL_MODULES", EFFECT_LOAD, ""}, {"OPENSSL_ENGINES", EFFECT_LOAD, ""}, {"HOME", EFFECT_LOAD, " ~ ~/ "},
	{"XDG_CONFIG_HOME", EFFECT_LOAD, " ~/.config ~/.config/ "}, {"XDG_CONFIG_DIRS", EFFECT_LOAD, ""}, {"SSLKEYLOGFILE", EFFECT_WRITE, ""}, {"RIPGREP_CONFIG_PATH", EFFECT_LOAD, ""},
	/* machines and clusters */
	{"AWS_CONFIG_FILE", EFFECT_LOAD, " ~/.aws/* "}, {"CLOUDSDK_PYTHON", EFFECT_LOAD, " python3 "}, {"CLOUDSDK_CONFIG", EFFECT_LOAD, " ~/.config/gcloud "},
	{"CONTAINERS_CONF*", EFFECT_LOAD, ""}, {"CONTAINERS_STORAGE_CONF", EFFECT_LOAD, ""}, {"DOCKER_CLI_PLUGIN_EXTRA_DIRS", EFFECT_LOAD, ""},
	{"HELM_PLUGINS", EFFECT_LOAD, ""}, {"HELM_CONFIG_HOME", EFFECT_LOAD, ""}, {"HELM_DATA_HOME", EFFECT_LOAD, ""},
	{"TF_CLI_CONFIG_FILE", EFFECT_LOAD, " ~/.terraformrc "}, {"TF_CLI_ARGS*", EFFECT_FLAGS, " -no-color -input=false -compact-warnings "},
	{"TF_PLUGIN_CACHE_DIR", EFFECT_LOAD, " ~/.terraform.d/* "}, {"TF_LOG_PATH", EFFECT_WRITE, ""}, {"DIRENV_CONFIG", EFFECT_LOAD, ""},
	{"KUBECONFIG", EFFECT_LOAD, " ~/.kube/* "}, {"DOCKER_CONFIG", EFFECT_LOAD, " ~/.docker ~/.docker/ "}, {"DOCKER_HOST", EFFECT_HOST, ""},
	{"PGHOST", EFFECT_HOST, ""}, {"PGHOSTADDR", EFFECT_HOST, ""}, {"PGSERVICE", EFFECT_HOST, ""}, {"PGSERVICEFILE", EFFECT_LOAD, " ~/.pg_service.conf "}, {"MYSQL_HOST", EFFECT_HOST, ""},
	{"MYSQL_GROUP_SUFFIX", EFFECT_HOST, ""}, {"PSQL_PAGER", EFFECT_COMMAND, SAFE_EDITORS}, {"CLOUDSDK_PYTHON_ARGS", EFFECT_FLAGS, " -S "},
	{"AZURE_CONFIG_DIR", EFFECT_LOAD, " ~/.azure "}, {"AZURE_EXTENSION_DIR", EFFECT_LOAD, " ~/.azure/cliextensions "}, {"XML_CATALOG_FILES", EFFECT_LOAD, " /etc/xml/catalog "},
	{"LIBMYSQL_PLUGIN*", EFFECT_LOAD, ""}, {"MYSQL_TEST_LOGIN_FILE", EFFECT_LOAD, " ~/.mylogin.cnf "},
	{"CONTAINER_HOST", EFFECT_HOST, ""}, {"ANSIBLE_NOCOLOR", EFFECT_NONE, ""}, {"ANSIBLE_FORCE_COLOR", EFFECT_NONE, ""},
	{"ANSIBLE_HOST_KEY_CHECKING", EFFECT_NONE, ""}, {"ANSIBLE_VERBOSITY", EFFECT_NONE, ""},
	{"ANSIBLE_STDOUT_CALLBACK", EFFECT_NONE, ""}, {"ANSIBLE_DEPRECATION_WARNINGS", EFFECT_NONE, ""},
	{"ANSIBLE_RETRY_FILES_ENABLED", EFFECT_NONE, ""}, {"ANSIBLE_*", EFFECT_LOAD, ""}, {"NIX_PATH", EFFECT_LOAD, ""},
	{"NIX_CONFIG", EFFECT_LOAD, ""}, {"NIX_CONF_DIR", EFFECT_LOAD, ""}, {"NIX_USER_CONF_FILES", EFFECT_LOAD, ""},
	{"NIX_REMOTE", EFFECT_LOAD, ""},
};

/* npm takes its names in either case. */
static char npm_fold(const struct variable *v, char c) { return v->name[0] == 'n' && c >= 'A' && c <= 'Z' ? (char)(c + 32) : c; }

static bool takes(const struct variable *v, struct str name)
{
	const char *star = strchr(v->name, '*');
	size_t n = strlen(v->name), head = star ? (size_t)(star - v->name) : n, tail = star ? n - head - 1 : 0;
	if (star ? name.n < head + tail : name.n != n)
		return false;
	for (size_t i = 0; i < head; i++)
		if (npm_fold(v, name.p[i]) != v->name[i])
			return false;
	return memcmp(name.p + name.n - tail, v->name + n - tail, tail) == 0;
}

/* ---- values that are ordinary ---- */

static const char *safe_list(const struct variable *v)
{
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
		if (v->safe[0] == '@' && strcmp(v->safe, lists[i].name) == 0)
			return lists[i].list;
	return v->safe;
}

static bool in_list(const char *list, struct str word)
{
	for (const char *p = list + 1; *list && *p;) {
		size_t n = strcspn(p, " ");
		bool start = p[n - 1] == '*';
		if (word.n >= n - start && memcmp(word.p, p, n - start) == 0 && (start || word.n == n))
			return true;
		p += n + 1;
	}
	return false;
}

/* A program of the list, also with a version (gcc-12), or with the machine it compiles for before it (TRIPLE-gcc). */
static bool known_tool(const char *list, struct str word)
{
	size_t n = word.n;
	if (in_list(list, word))
		return true;
	while (n && ((word.p[n - 1] >= '0' && word.p[n - 1] <= '9') || word.p[n - 1] == '.'))
		n--;
	if (n < word.n && n > 1 && word.p[n - 1] == '-')
		word.n = n - 1;
	for (size_t i = word.n; i-- > 1;)
		if (word.p[i] == '-' && in_list(list, str_sub(word, 0, i + 1)))
			return in_list(list, str_sub(word, i + 1, word.n));
	return in_list(list, word);
}

static bool safe_words(const struct variable *v, struct str value)
{
	const char *list = safe_list(v);
	for (size_t i = 0; i < value.n;) {
		size_t from = i;
		while (i < value.n && value.p[i] != ' ' && value.p[i] != '\t')
			i++;
		struct str word = str_sub(value, from, i);
		for (size_t k = 0; k < word.n; k++)
			if (strchr("$`;|&<>()'\"\\\n", word.p[k]))
				return false; /* syntax, for whoever splits it */
		if (word.n && !(v->effect == EFFECT_COMMAND ? known_tool(list, word) : in_list(list, word)))
			return false;
		i++;
	}
	return true;
}

/* Only the system's administrator writes there; or it is nothing. */
static bool trusted_place(struct str path)
{
	static const char roots[][12] = {"/usr/", "/lib/", "/lib64/", "/etc/", "/nix/store/"};
	if (path.n == 0 || str_is(path, "/dev/null"))
		return true;
	for (size_t i = 0; i < sizeof roots / sizeof *roots; i++)
		if (str_starts(path, roots[i]))
			return !path_climbs(path);
	return false;
}

static bool trusted_places(struct str value)
{
	for (size_t from = 0; from <= value.n;) {
		ptrdiff_t colon = str_find(value, ':', from);
		size_t to = colon < 0 ? value.n : (size_t)colon;
		if ((from == to && value.n) || !trusted_place(str_sub(value, from, to))) /* an empty one among others is the working directory */
			return false;
		from = to + 1;
	}
	return true;
}

/* The whole value is in the row's list, where ~ is the home directory. */
static bool listed(const struct eval *e, const struct variable *v, struct str value)
{
	struct str home = e->rq->view ? e->rq->view->home : (struct str){"", 0};
	bool below = home.n > 1 && value.n >= home.n && memcmp(value.p, home.p, home.n) == 0 && !path_climbs(value);
	const char *list = safe_list(v);
	return in_list(list, value) || (below && in_list(list, str_cat(e->a, STR("~"), str_sub(value, home.n, value.n))));
}

static bool ordinary(const struct eval *e, const struct variable *v, struct str value)
{
	if (value.n == 0)
		return true;
	if (!text_exact(value))
		return false;
	switch (v->effect) {
	case EFFECT_FLAGS: return safe_words(v, value);
	case EFFECT_COMMAND: return v->safe[0] && safe_words(v, value);
	case EFFECT_LOAD: case EFFECT_STARTUP: return listed(e, v, value) || trusted_places(value);
	case EFFECT_WRITE: case EFFECT_UNFOLLOWED: return listed(e, v, value) || (v->effect == EFFECT_WRITE && str_is(value, "/dev/null"));
	case EFFECT_HOST: return str_starts(value, "unix:") || value.p[0] == '/' || listed(e, v, value);
	default: return false;
	}
}

/* ---- what they do ---- */

static void affect(struct eval *e, const struct variable *v, struct str value, struct span at)
{
	switch (v->effect) {
	case EFFECT_NONE: break;
	case EFFECT_PROMPT: /* now, and at any later time */
		marks_prompt(e, value, at);
		eval_prompt(e, value, at);
		if (text_exact(value))
			trap_add(e, value, at, TRAP_PROMPT);
		break;
	case EFFECT_PATH:
		if (!system_dirs(value))
			e->s.options |= OPT_PATH_CHANGED;
		break;
	case EFFECT_STARTUP: case EFFECT_LOAD: case EFFECT_FLAGS: {
		bool one = v->effect != EFFECT_FLAGS && text_exact(value) && !memchr(value.p, ':', value.n);
		emit_access(e, ACCESS_EXEC, word_of(one ? value : HOLE, at), false, v->name, at);
		break;
	}
	case EFFECT_SCRIPT:
		if (text_exact(value))
			eval_text_apart(e, value, "PROMPT_COMMAND", at, e->dialect);
		else
			emit_trouble(e, TROUBLE_OPAQUE_SCRIPT, "a prompt command that is not known", at);
		break;
	case EFFECT_COMMAND: inner_script(e, v->name, value, true, at); break;
	case EFFECT_CODE: emit_snippet(e, v->safe, word_of(value, at), at); break;
	case EFFECT_WRITE: case EFFECT_WRITE_TREE:
		emit_access(e, ACCESS_WRITE, word_of(value, at), v->effect == EFFECT_WRITE_TREE, v->name, at);
		break;
	case EFFECT_HOST: emit_touch(e, word_of(value, at), at); break;
	case EFFECT_UNFOLLOWED: emit_trouble(e, TROUBLE_CONSTRUCT, "a variable that changes how commands are read or found", at); break;
	}
}

void assign_effect(struct eval *e, struct str name, struct str value, enum assign_scope scope, struct span at)
{
	emit_setting(e, name, value, scope == ASSIGN_LEADING, at);
	for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
		const struct variable *v = &variables[i];
		if (name.n == 0 || (name.p[0] != v->name[0] && v->name[0] != 'n') || !takes(v, name))
			continue;
		bool always = v->effect == EFFECT_PROMPT || v->effect == EFFECT_PATH || v->effect == EFFECT_SCRIPT || (v->effect == EFFECT_UNFOLLOWED && !v->safe[0]);
		if (always || !ordinary(e, v, value))
			affect(e, v, value, at);
		return;
	}
}
