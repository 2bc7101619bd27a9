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
#define SAFE_JAVA \
	" -Xmx* -Xms* -Xss* -Xmn* -XX:Max* -XX:Min* -XX:Reserved* -XX:Metaspace* -XX:+Use* -XX:-Use*" \
	" -XX:+HeapDumpOnOutOfMemoryError -XX:+ExitOnOutOfMemoryError -XX:+TieredCompilation -XX:TieredStopAtLevel=*" \
	" -Dfile.encoding=* -Duser.language=* -Duser.country=* -Duser.timezone=* -Djava.awt.headless=* -Dmaven.test.*" \
	" -Dmaven.wagon.* -Dorg.gradle.daemon=* -Dorg.gradle.parallel=* -Dorg.gradle.workers.max=* -Dorg.gradle.caching=*" \
	" -Dorg.gradle.console=* -Dorg.slf4j.simpleLogger.* -Dstyle.color=* -ea -server --add-opens* --add-exports* java.* jdk.*" \
	" --enable-preview --enable-native-access=* -Dkotlin.compiler.execution.strategy=* "
#define SAFE_TOOLS \
	" gcc g++ cc c++ clang clang++ cpp tcc icc icpc icx icpx nvcc emcc em++ rustc musl-gcc zig ld ld.lld lld mold gold ar" \
	" llvm-ar gcc-ar ranlib gfortran ccache sccache distcc x86_64-linux-gnu- aarch64-linux-gnu- arm-linux-gnueabihf-" \
	" i686-w64-mingw32- x86_64-w64-mingw32- riscv64-linux-gnu- arm-none-eabi- /usr/bin/gcc /usr/bin/g++ /usr/bin/cc" \
	" /usr/bin/c++ /usr/bin/clang /usr/bin/clang++ -m32 -m64 -march=* -mtune=* -std=* -O* -g -fPIC -Wall -Wextra -Werror" \
	" -pipe "
#define SAFE_NODE \
	" --max-old-space-size* --max_old_space_size* --max-semi-space-size* --max-http-header-size* --no-warnings" \
	" --no-deprecation --trace-warnings --trace-deprecation --trace-uncaught --trace-exit --enable-source-maps" \
	" --experimental-vm-modules --experimental-specifier-resolution=* --experimental-json-modules --experimental-fetch" \
	" --experimental-test-coverage --no-experimental-* --openssl-legacy-provider --unhandled-rejections=*" \
	" --stack-trace-limit=* --stack-size=* --dns-result-order=* --preserve-symlinks --throw-deprecation" \
	" --pending-deprecation "
#define SAFE_RUST \
	" -D* -W* -A* -C -g --cfg warnings unused dead_code clippy::* rust_* target-cpu=* target-feature=* opt-level=*" \
	" debuginfo=* codegen-units=* lto* panic=* instrument-coverage debug-assertions* overflow-checks* -Ctarget-cpu=*" \
	" -Copt-level=* -Cdebuginfo=* -Cinstrument-coverage "
#define SAFE_LESS \
	" -R -F -X -S -i -I -M -m -N -n -r -q -Q -s -e -E -FR -RF -FX -RX -SR -RS -iR -FRX -RFX -FRSX -FRXS -SFRX -iMRS -iRS R FRX FR -eFRX "
#define SAFE_EDITORS \
	" vim vi nvim nano emacs emacsclient code subl micro hx ed true false : cat less more bat most delta -w --wait" \
	" --new-window -nw -R -F -X -r -FRX -RFX -FX -RX "

/* Variables whose value makes the shell, or a program, run, load or write something. The first row that takes a name counts; * stands for anything. */
static const struct variable {
	const char *name;
	enum variable_effect effect;
	const char *safe;
} variables[] = {
	{"PS4", EFFECT_PROMPT, NULL}, {"PS0", EFFECT_PROMPT, NULL}, {"PS1", EFFECT_PROMPT, NULL}, {"PS2", EFFECT_PROMPT, NULL},
	{"PATH", EFFECT_PATH, NULL}, {"path", EFFECT_PATH, NULL}, {"BASH_ENV", EFFECT_STARTUP, NULL}, {"ENV", EFFECT_STARTUP, NULL},
	{"ZDOTDIR", EFFECT_STARTUP, NULL}, {"PROMPT_COMMAND", EFFECT_SCRIPT, NULL}, {"BASH_CMDS", EFFECT_UNFOLLOWED, NULL},
	{"BASH_ALIASES", EFFECT_UNFOLLOWED, NULL}, {"BASH_LOADABLES_PATH", EFFECT_UNFOLLOWED, NULL}, {"SHELLOPTS", EFFECT_UNFOLLOWED, NULL},
	{"BASH_XTRACEFD", EFFECT_UNFOLLOWED, NULL}, {"FUNCNEST", EFFECT_UNFOLLOWED, NULL}, {"BASHOPTS", EFFECT_UNFOLLOWED, NULL},
	{"BASH_COMPAT", EFFECT_UNFOLLOWED, NULL}, {"POSIXLY_CORRECT", EFFECT_UNFOLLOWED, NULL}, {"INPUTRC", EFFECT_LOAD, NULL},
	{"HISTFILE", EFFECT_WRITE, NULL},
	/* git, and what asks, shows and edits for it */
	{"GIT_SSH_COMMAND", EFFECT_COMMAND, NULL}, {"GIT_SSH", EFFECT_COMMAND, NULL}, {"GIT_EXTERNAL_DIFF", EFFECT_COMMAND, NULL},
	{"GIT_PAGER", EFFECT_COMMAND, SAFE_EDITORS}, {"GIT_EDITOR", EFFECT_COMMAND, SAFE_EDITORS},
	{"GIT_SEQUENCE_EDITOR", EFFECT_COMMAND, SAFE_EDITORS}, {"GIT_ASKPASS", EFFECT_COMMAND, " true false echo "},
	{"GIT_PROXY_COMMAND", EFFECT_COMMAND, NULL}, {"GIT_CONFIG_PARAMETERS", EFFECT_UNFOLLOWED, NULL},
	{"GIT_CONFIG_COUNT", EFFECT_UNFOLLOWED, " 0 "}, {"GIT_CONFIG_KEY_*", EFFECT_UNFOLLOWED, NULL},
	{"GIT_CONFIG_VALUE_*", EFFECT_UNFOLLOWED, NULL}, 
	{"GIT_CONFIG_GLOBAL", EFFECT_LOAD, " ~/.gitconfig ~/.config/git/config "}, {"GIT_CONFIG_SYSTEM", EFFECT_LOAD, NULL},
	{"GIT_CONFIG", EFFECT_LOAD, NULL}, {"GIT_EXEC_PATH", EFFECT_LOAD, NULL}, {"GIT_TEMPLATE_DIR", EFFECT_LOAD, NULL},
	{"GIT_DIR", EFFECT_LOAD, " .git ./.git "}, {"GIT_WORK_TREE", EFFECT_WRITE_TREE, NULL}, {"GIT_INDEX_FILE", EFFECT_WRITE, NULL},
	{"GIT_OBJECT_DIRECTORY", EFFECT_WRITE_TREE, NULL}, {"GIT_TRACE*", EFFECT_WRITE, " 0 1 2 true false "},
	{"PAGER", EFFECT_COMMAND, SAFE_EDITORS}, {"MANPAGER", EFFECT_COMMAND, SAFE_EDITORS}, {"EDITOR", EFFECT_COMMAND, SAFE_EDITORS},
	{"VISUAL", EFFECT_COMMAND, SAFE_EDITORS}, {"GH_PAGER", EFFECT_COMMAND, SAFE_EDITORS}, {"AWS_PAGER", EFFECT_COMMAND, SAFE_EDITORS},
	{"SYSTEMD_PAGER", EFFECT_COMMAND, SAFE_EDITORS}, {"GH_EDITOR", EFFECT_COMMAND, SAFE_EDITORS},
	{"KUBE_EDITOR", EFFECT_COMMAND, SAFE_EDITORS}, {"BROWSER", EFFECT_COMMAND, " true false none echo : "},
	{"FZF_DEFAULT_COMMAND", EFFECT_COMMAND, NULL}, {"RSYNC_RSH", EFFECT_COMMAND, NULL},
	{"SSH_ASKPASS", EFFECT_COMMAND, " true false echo "}, {"SUDO_ASKPASS", EFFECT_COMMAND, " true false echo "},
	{"LESSOPEN", EFFECT_UNFOLLOWED, NULL}, {"LESSCLOSE", EFFECT_UNFOLLOWED, NULL}, {"TAR_OPTIONS", EFFECT_UNFOLLOWED, NULL},
	{"VIMINIT", EFFECT_CODE, "vim"}, {"EXINIT", EFFECT_CODE, "vim"},
	/* what programs find, load, start or write because a variable says so, whatever their words are */
	{"LESS", EFFECT_FLAGS, SAFE_LESS}, {"SYSTEMD_LESS", EFFECT_FLAGS, SAFE_LESS}, {"LESSKEY*", EFFECT_LOAD, NULL}, {"LESSEDIT", EFFECT_COMMAND, SAFE_EDITORS},
	{"MANOPT", EFFECT_LOAD, NULL}, {"MANROFFOPT", EFFECT_LOAD, " -c "}, {"MANLESS", EFFECT_LOAD, NULL}, {"BAT_PAGER", EFFECT_COMMAND, SAFE_EDITORS},
	{"BAT_CONFIG_*", EFFECT_LOAD, NULL}, {"BAT_OPTS", EFFECT_LOAD, NULL}, {"DELTA_PAGER", EFFECT_COMMAND, SAFE_EDITORS},
	{"ACK_PAGER*", EFFECT_COMMAND, SAFE_EDITORS}, {"ACKRC", EFFECT_LOAD, NULL}, {"ACK_OPTIONS", EFFECT_LOAD, NULL},
	{"DPKG_PAGER", EFFECT_COMMAND, SAFE_EDITORS}, {"SYSTEMD_EDITOR", EFFECT_COMMAND, SAFE_EDITORS}, {"ALTERNATE_EDITOR", EFFECT_COMMAND, SAFE_EDITORS},
	{"CSCOPE_EDITOR", EFFECT_COMMAND, SAFE_EDITORS}, {"HGEDITOR", EFFECT_COMMAND, SAFE_EDITORS}, {"HGMERGE", EFFECT_COMMAND, SAFE_EDITORS},
	{"FZF_DEFAULT_OPTS*", EFFECT_LOAD, NULL}, {"RMT", EFFECT_COMMAND, NULL}, {"TAPE", EFFECT_HOST, NULL}, {"ZIPOPT", EFFECT_LOAD, NULL},
	{"RSYNC_CONNECT_PROG", EFFECT_COMMAND, NULL}, {"RSYNC_PROXY", EFFECT_HOST, NULL}, {"CVS_RSH", EFFECT_COMMAND, " ssh "},
	{"SHELL", EFFECT_LOAD, " /bin/bash /bin/sh /bin/zsh /bin/dash bash sh zsh "}, {"VIM", EFFECT_LOAD, NULL}, {"VIMRUNTIME", EFFECT_LOAD, NULL},
	{"NVIM_APPNAME", EFFECT_LOAD, " nvim "}, {"EMACSLOADPATH", EFFECT_LOAD, NULL}, {"GIT_COMMON_DIR", EFFECT_LOAD, " .git ./.git "},
	{"GITPERLLIB", EFFECT_LOAD, NULL}, {"HGRCPATH", EFFECT_LOAD, NULL}, {"HG", EFFECT_LOAD, " hg "}, {"CURL_HOME", EFFECT_LOAD, NULL},
	{"WGETRC", EFFECT_LOAD, NULL}, {"SYSTEM_WGETRC", EFFECT_LOAD, NULL}, {"GNUPGHOME", EFFECT_LOAD, " ~/.gnupg ~/.gnupg/ "},
	{"SSH_SK_PROVIDER", EFFECT_LOAD, " internal "}, {"SCREENRC", EFFECT_LOAD, NULL}, {"APT_CONFIG", EFFECT_LOAD, NULL}, {"RPM_CONFIGDIR", EFFECT_LOAD, NULL},
	{"HOMEBREW_BREW_FILE", EFFECT_LOAD, NULL}, {"HOMEBREW_LIBRARY", EFFECT_LOAD, NULL}, {"HOMEBREW_*_PATH", EFFECT_LOAD, NULL},
	{"PSQLRC", EFFECT_LOAD, NULL}, {"PGSERVICEFILE", EFFECT_LOAD, NULL}, {"PGSYSCONFDIR", EFFECT_LOAD, NULL}, {"MYSQL_HOME", EFFECT_LOAD, NULL},
	{"SQLITE_HISTORY", EFFECT_WRITE, NULL}, {"BC_ENV_ARGS", EFFECT_LOAD, " -l -q -lq -ql "}, {"AWKPATH", EFFECT_LOAD, NULL}, {"AWKLIBPATH", EFFECT_LOAD, NULL},
	{"GROFF_BIN_PATH", EFFECT_LOAD, NULL}, {"GROFF_COMMAND_PREFIX", EFFECT_LOAD, NULL}, {"GTAGSCONF", EFFECT_LOAD, NULL}, {"GVBINDIR", EFFECT_LOAD, NULL}, {"VALGRIND_LIB", EFFECT_LOAD, NULL},
	{"GETCONF_DIR", EFFECT_LOAD, NULL}, {"NLSPATH", EFFECT_LOAD, NULL}, {"TERMINFO_DIRS", EFFECT_LOAD, NULL},
	{"MALLOC_TRACE", EFFECT_WRITE, NULL}, {"LD_DEBUG_OUTPUT", EFFECT_WRITE, NULL}, {"LD_PROFILE_OUTPUT", EFFECT_WRITE_TREE, NULL},
	{"LIBGL_DRIVERS_PATH", EFFECT_LOAD, NULL}, {"VK_ICD_FILENAMES", EFFECT_LOAD, NULL}, {"VK_DRIVER_FILES", EFFECT_LOAD, NULL},
	{"VK_LAYER_PATH", EFFECT_LOAD, NULL}, {"VK_ADD_*", EFFECT_LOAD, NULL}, {"OCL_ICD_VENDORS", EFFECT_LOAD, NULL}, {"QT_PLUGIN_PATH", EFFECT_LOAD, NULL},
	{"QT_QPA_PLATFORM_PLUGIN_PATH", EFFECT_LOAD, NULL}, {"GTK_MODULES", EFFECT_LOAD, NULL}, {"GTK_PATH", EFFECT_LOAD, NULL},
	{"GTK_EXE_PREFIX", EFFECT_LOAD, NULL}, {"GIO_EXTRA_MODULES", EFFECT_LOAD, NULL}, {"GIO_MODULE_DIR", EFFECT_LOAD, NULL},
	{"GDK_PIXBUF_MODULE*", EFFECT_LOAD, NULL}, {"GST_PLUGIN_*", EFFECT_LOAD, NULL}, {"FREI0R_PATH", EFFECT_LOAD, NULL}, {"LADSPA_PATH", EFFECT_LOAD, NULL},
	{"LV2_PATH", EFFECT_LOAD, NULL}, {"XDG_DATA_HOME", EFFECT_LOAD, " ~/.local/share ~/.local/share/ "}, {"XDG_DATA_DIRS", EFFECT_LOAD, NULL},
	{"XDG_RUNTIME_DIR", EFFECT_LOAD, " /run/user/* "}, {"DBUS_SESSION_BUS_ADDRESS", EFFECT_LOAD, " unix:path=/run/user/* disabled: "},
	{"DBUS_SYSTEM_BUS_ADDRESS", EFFECT_LOAD, " unix:path=/run/* unix:path=/var/run/* "}, {"DBUS_STARTER_ADDRESS", EFFECT_LOAD, NULL},
	/* where the network leads */
	{"http_proxy", EFFECT_HOST, NULL}, {"https_proxy", EFFECT_HOST, NULL}, {"all_proxy", EFFECT_HOST, NULL}, {"ftp_proxy", EFFECT_HOST, NULL},
	{"HTTP_PROXY", EFFECT_HOST, NULL}, {"HTTPS_PROXY", EFFECT_HOST, NULL}, {"ALL_PROXY", EFFECT_HOST, NULL}, {"FTP_PROXY", EFFECT_HOST, NULL},
	{"DEBUGINFOD_URLS", EFFECT_HOST, NULL}, {"GOPROXY", EFFECT_HOST, " off direct https://proxy.golang.org https://proxy.golang.org,direct "},
	/* languages */
	{"GEMRC", EFFECT_LOAD, NULL}, {"RUBYGEMS_GEMDEPS", EFFECT_LOAD, NULL}, {"PYTHONEXECUTABLE", EFFECT_LOAD, NULL}, {"PYTHONPLATLIBDIR", EFFECT_LOAD, NULL},
	{"PYTHONPYCACHEPREFIX", EFFECT_LOAD, NULL}, {"COVERAGE_PROCESS_START", EFFECT_LOAD, NULL}, {"UV_PYTHON", EFFECT_FLAGS, " 3.* 3 python3* cpython* pypy* "},
	{"UV_CONFIG_FILE", EFFECT_LOAD, NULL}, {"PYENV_ROOT", EFFECT_LOAD, " ~/.pyenv "}, {"RBENV_ROOT", EFFECT_LOAD, " ~/.rbenv "}, {"NVM_DIR", EFFECT_LOAD, " ~/.nvm "},
	{"VOLTA_HOME", EFFECT_LOAD, " ~/.volta "}, {"ASDF_DATA_DIR", EFFECT_LOAD, " ~/.asdf "}, {"MISE_CONFIG_FILE", EFFECT_LOAD, NULL},
	{"COREPACK_HOME", EFFECT_LOAD, NULL}, {"BUN_OPTIONS", EFFECT_LOAD, NULL}, {"JAVA_HOME", EFFECT_LOAD, " /opt/* /Library/* ~/.sdkman/* "},
	{"R_PROFILE*", EFFECT_LOAD, NULL}, {"R_ENVIRON*", EFFECT_LOAD, NULL}, {"R_HOME", EFFECT_LOAD, NULL}, {"R_LIBS*", EFFECT_LOAD, NULL},
	{"JULIA_LOAD_PATH", EFFECT_LOAD, NULL}, {"JULIA_DEPOT_PATH", EFFECT_LOAD, " ~/.julia "}, {"TCLLIBPATH", EFFECT_LOAD, NULL},
	{"GUILE_LOAD_PATH", EFFECT_LOAD, NULL}, {"ERL_*FLAGS", EFFECT_LOAD, NULL}, {"ERL_LIBS", EFFECT_LOAD, NULL}, {"DOTNET_ROOT", EFFECT_LOAD, " ~/.dotnet "},
	{"CORECLR_PROFILER_PATH*", EFFECT_LOAD, NULL}, {"MSBUILD_EXE_PATH", EFFECT_LOAD, NULL}, {"PSMODULEPATH", EFFECT_LOAD, NULL},
	{"NODE_OPTIONS", EFFECT_FLAGS, SAFE_NODE}, {"NODE_PATH", EFFECT_LOAD, NULL}, {"NODE_REPL_EXTERNAL_MODULE", EFFECT_LOAD, NULL},
	{"PERL5OPT", EFFECT_FLAGS, " -w -W -CS -CSD -CSDA -T "}, {"PERL5LIB", EFFECT_LOAD, NULL}, {"PERLLIB", EFFECT_LOAD, NULL},
	{"PERL5DB", EFFECT_CODE, "perl"}, {"PYTHONSTARTUP", EFFECT_LOAD, NULL}, {"PYTHONPATH", EFFECT_LOAD, NULL},
	{"PYTHONHOME", EFFECT_LOAD, NULL}, {"PYTHONINSPECT", EFFECT_LOAD, NULL}, {"PYTHONUSERBASE", EFFECT_LOAD, NULL}, {"PYTHONBREAKPOINT", EFFECT_LOAD, " 0 "},
	{"RUBYOPT", EFFECT_FLAGS, " -W* -w --yjit --jit --enable=* --disable=* "}, {"RUBYLIB", EFFECT_LOAD, NULL},
	{"BUNDLE_GEMFILE", EFFECT_LOAD, NULL}, {"GEM_PATH", EFFECT_LOAD, NULL}, {"GEM_HOME", EFFECT_LOAD, " ~/.gem ~/.gem/* "},
	{"LUA_INIT", EFFECT_CODE, "lua"}, {"LUA_INIT_*", EFFECT_CODE, "lua"}, {"LUA_PATH*", EFFECT_LOAD, NULL},
	{"LUA_CPATH*", EFFECT_LOAD, NULL}, {"PHPRC", EFFECT_LOAD, NULL}, {"PHP_INI_SCAN_DIR", EFFECT_LOAD, NULL},
	{"CLASSPATH", EFFECT_LOAD, NULL}, {"JAVA_TOOL_OPTIONS", EFFECT_FLAGS, SAFE_JAVA}, {"_JAVA_OPTIONS", EFFECT_FLAGS, SAFE_JAVA},
	{"JDK_JAVA_OPTIONS", EFFECT_FLAGS, SAFE_JAVA}, {"JAVA_OPTS", EFFECT_FLAGS, SAFE_JAVA}, {"MAVEN_OPTS", EFFECT_FLAGS, SAFE_JAVA},
	{"GRADLE_OPTS", EFFECT_FLAGS, SAFE_JAVA}, {"SBT_OPTS", EFFECT_FLAGS, SAFE_JAVA}, {"DOTNET_STARTUP_HOOKS", EFFECT_LOAD, NULL},
	/* builds */
	{"COMPILER_PATH", EFFECT_LOAD, NULL}, {"GCC_EXEC_PREFIX", EFFECT_LOAD, NULL}, {"COLLECT_GCC", EFFECT_LOAD, NULL}, {"COLLECT_LTO_WRAPPER", EFFECT_LOAD, NULL},
	{"CCC_OVERRIDE_OPTIONS", EFFECT_LOAD, NULL}, {"CLANG_CONFIG_FILE_*", EFFECT_LOAD, NULL}, {"DEPENDENCIES_OUTPUT", EFFECT_WRITE, NULL},
	{"SUNPRO_DEPENDENCIES", EFFECT_WRITE, NULL}, {"CC_*_FILE", EFFECT_WRITE, NULL}, {"CCACHE_CONFIGPATH", EFFECT_LOAD, NULL}, {"CCACHE_LOGFILE", EFFECT_WRITE, NULL},
	{"CCACHE_PREFIX*", EFFECT_COMMAND, SAFE_TOOLS}, {"CCACHE_COMPILER", EFFECT_COMMAND, SAFE_TOOLS}, {"PKG_CONFIG", EFFECT_COMMAND, " pkg-config pkgconf "},
	{"RUSTUP_TOOLCHAIN", EFFECT_FLAGS, " stable* nightly* beta* 1.* "}, {"RUSTUP_HOME", EFFECT_LOAD, " ~/.rustup "}, {"CARGO", EFFECT_COMMAND, " cargo "},
	{"CARGO_ALIAS_*", EFFECT_LOAD, NULL}, {"GOROOT", EFFECT_LOAD, " /opt/* "}, {"GOENV", EFFECT_LOAD, " off "}, {"GOWORK", EFFECT_LOAD, " off "},
	{"GOTOOLCHAIN", EFFECT_LOAD, " local auto "}, {"GOCACHEPROG", EFFECT_COMMAND, NULL}, {"GOAUTH", EFFECT_LOAD, " off netrc "},
	{"GOPACKAGESDRIVER", EFFECT_LOAD, " off "}, {"GCCGO", EFFECT_COMMAND, " gccgo "},
	{"MAKEFLAGS", EFFECT_FLAGS, " -j* -s -k -l* -B -w -O* --jobs* --silent --quiet --keep-going --no-print-directory --output-sync* --load-average* "},
	{"MFLAGS", EFFECT_FLAGS, " -j* -s -k -l* -B -w -O* "},
	{"GNUMAKEFLAGS", EFFECT_FLAGS, " -j* -s -k -l* -B -w -O* --jobs* --silent --no-print-directory --output-sync* "},
	{"MAKEFILES", EFFECT_LOAD, NULL}, {"CC", EFFECT_COMMAND, SAFE_TOOLS}, {"CXX", EFFECT_COMMAND, SAFE_TOOLS},
	{"LD", EFFECT_COMMAND, SAFE_TOOLS}, {"AR", EFFECT_COMMAND, SAFE_TOOLS}, {"HOSTCC", EFFECT_COMMAND, SAFE_TOOLS},
	{"CONFIG_SHELL", EFFECT_COMMAND, " bash sh /bin/sh /bin/bash "}, {"RUSTC", EFFECT_COMMAND, SAFE_TOOLS},
	{"RUSTC_WRAPPER", EFFECT_COMMAND, SAFE_TOOLS}, {"RUSTC_WORKSPACE_WRAPPER", EFFECT_COMMAND, SAFE_TOOLS},
	{"CARGO_BUILD_RUSTC_WRAPPER", EFFECT_COMMAND, SAFE_TOOLS}, {"CARGO_BUILD_RUSTC", EFFECT_COMMAND, SAFE_TOOLS},
	{"CARGO_BUILD_RUSTC_WORKSPACE_WRAPPER", EFFECT_COMMAND, SAFE_TOOLS}, {"CARGO_TARGET_*_RUNNER", EFFECT_COMMAND, NULL},
	{"CARGO_TARGET_*_LINKER", EFFECT_COMMAND, SAFE_TOOLS}, {"CARGO_HOME", EFFECT_LOAD, " ~/.cargo ~/.cargo/ "},
	{"RUSTFLAGS", EFFECT_FLAGS, SAFE_RUST},
	{"GOFLAGS", EFFECT_FLAGS, " -mod=* -count=* -v -race -tags=* -buildvcs=* -trimpath -p=* -short -modcacherw "},
	{"CGO_CFLAGS", EFFECT_FLAGS, " -I* -L* -l* -O* -g -D* -std=* -fPIC -m32 -m64 -march=* "},
	{"CGO_CXXFLAGS", EFFECT_FLAGS, " -I* -L* -l* -O* -g -D* -std=* -fPIC -m32 -m64 -march=* "},
	{"CGO_LDFLAGS", EFFECT_FLAGS, " -L* -l* -O* -g -static -m32 -m64 "}, {"CGO_CFLAGS_ALLOW", EFFECT_UNFOLLOWED, NULL},
	{"CGO_LDFLAGS_ALLOW", EFFECT_UNFOLLOWED, NULL},
	/* package managers: most of their settings may name a program, a file or a registry */
	{"npm_config_loglevel", EFFECT_NONE, NULL}, {"npm_config_fund", EFFECT_NONE, NULL}, {"npm_config_audit", EFFECT_NONE, NULL},
	{"npm_config_color", EFFECT_NONE, NULL}, {"npm_config_progress", EFFECT_NONE, NULL},
	{"npm_config_update_notifier", EFFECT_NONE, NULL}, {"npm_config_offline", EFFECT_NONE, NULL}, {"npm_config_yes", EFFECT_NONE, NULL},
	{"npm_config_prefer_offline", EFFECT_NONE, NULL}, {"npm_config_ignore_scripts", EFFECT_NONE, NULL},
	{"npm_config_cache", EFFECT_WRITE_TREE, NULL}, {"npm_config_*", EFFECT_LOAD, NULL},
	{"PIP_DISABLE_PIP_VERSION_CHECK", EFFECT_NONE, NULL}, {"PIP_NO_*", EFFECT_NONE, NULL}, {"PIP_QUIET", EFFECT_NONE, NULL},
	{"PIP_VERBOSE", EFFECT_NONE, NULL}, {"PIP_PROGRESS_BAR", EFFECT_NONE, NULL}, {"PIP_ROOT_USER_ACTION", EFFECT_NONE, NULL},
	{"PIP_BREAK_SYSTEM_PACKAGES", EFFECT_NONE, NULL}, {"PIP_REQUIRE_VIRTUALENV", EFFECT_NONE, NULL},
	{"PIP_DEFAULT_TIMEOUT", EFFECT_NONE, NULL}, {"PIP_RETRIES", EFFECT_NONE, NULL}, {"PIP_CACHE_DIR", EFFECT_WRITE_TREE, NULL},
	{"PIP_*", EFFECT_LOAD, " https://pypi.org/simple https://pypi.org/simple/ "},
	/* what is loaded into every program, or read by most */
	{"LD_PRELOAD", EFFECT_LOAD, NULL}, {"LD_LIBRARY_PATH", EFFECT_LOAD, NULL}, {"LD_AUDIT", EFFECT_LOAD, NULL},
	{"DYLD_PRINT_*", EFFECT_NONE, NULL}, {"DYLD_*", EFFECT_LOAD, NULL}, {"GCONV_PATH", EFFECT_LOAD, NULL},
	{"LOCPATH", EFFECT_LOAD, NULL}, {"TERMINFO", EFFECT_LOAD, NULL}, {"OPENSSL_CONF", EFFECT_LOAD, NULL},
	{"OPENSSL_MODULES", EFFECT_LOAD, NULL}, {"OPENSSL_ENGINES", EFFECT_LOAD, NULL}, {"HOME", EFFECT_LOAD, " ~ ~/ "},
	{"XDG_CONFIG_HOME", EFFECT_LOAD, " ~/.config ~/.config/ "}, {"XDG_CONFIG_DIRS", EFFECT_LOAD, NULL}, {"SSLKEYLOGFILE", EFFECT_WRITE, NULL}, {"RIPGREP_CONFIG_PATH", EFFECT_LOAD, NULL},
	/* machines and clusters */
	{"AWS_CONFIG_FILE", EFFECT_LOAD, " ~/.aws/* "}, {"CLOUDSDK_PYTHON", EFFECT_LOAD, " python3 "}, {"CLOUDSDK_CONFIG", EFFECT_LOAD, " ~/.config/gcloud "},
	{"CONTAINERS_CONF*", EFFECT_LOAD, NULL}, {"CONTAINERS_STORAGE_CONF", EFFECT_LOAD, NULL}, {"DOCKER_CLI_PLUGIN_EXTRA_DIRS", EFFECT_LOAD, NULL},
	{"HELM_PLUGINS", EFFECT_LOAD, NULL}, {"HELM_CONFIG_HOME", EFFECT_LOAD, NULL}, {"HELM_DATA_HOME", EFFECT_LOAD, NULL},
	{"TF_CLI_CONFIG_FILE", EFFECT_LOAD, " ~/.terraformrc "}, {"TF_CLI_ARGS*", EFFECT_FLAGS, " -no-color -input=false -compact-warnings "},
	{"TF_PLUGIN_CACHE_DIR", EFFECT_LOAD, " ~/.terraform.d/* "}, {"TF_LOG_PATH", EFFECT_WRITE, NULL}, {"DIRENV_CONFIG", EFFECT_LOAD, NULL},
	{"KUBECONFIG", EFFECT_LOAD, " ~/.kube/* "}, {"DOCKER_CONFIG", EFFECT_LOAD, " ~/.docker ~/.docker/ "}, {"DOCKER_HOST", EFFECT_HOST, NULL},
	{"CONTAINER_HOST", EFFECT_HOST, NULL}, {"ANSIBLE_NOCOLOR", EFFECT_NONE, NULL}, {"ANSIBLE_FORCE_COLOR", EFFECT_NONE, NULL},
	{"ANSIBLE_HOST_KEY_CHECKING", EFFECT_NONE, NULL}, {"ANSIBLE_VERBOSITY", EFFECT_NONE, NULL},
	{"ANSIBLE_STDOUT_CALLBACK", EFFECT_NONE, NULL}, {"ANSIBLE_DEPRECATION_WARNINGS", EFFECT_NONE, NULL},
	{"ANSIBLE_RETRY_FILES_ENABLED", EFFECT_NONE, NULL}, {"ANSIBLE_*", EFFECT_LOAD, NULL}, {"NIX_PATH", EFFECT_LOAD, NULL},
	{"NIX_CONFIG", EFFECT_LOAD, NULL}, {"NIX_CONF_DIR", EFFECT_LOAD, NULL}, {"NIX_USER_CONF_FILES", EFFECT_LOAD, NULL},
	{"NIX_REMOTE", EFFECT_LOAD, NULL},
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

static bool in_list(const char *list, struct str word)
{
	for (const char *p = list + 1; *p;) {
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
	for (size_t i = 0; i < value.n;) {
		size_t from = i;
		while (i < value.n && value.p[i] != ' ' && value.p[i] != '\t')
			i++;
		struct str word = str_sub(value, from, i);
		for (size_t k = 0; k < word.n; k++)
			if (strchr("$`;|&<>()'\"\\\n", word.p[k]))
				return false; /* syntax, for whoever splits it */
		if (word.n && !(v->effect == EFFECT_COMMAND ? known_tool(v->safe, word) : in_list(v->safe, word)))
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
	return v->safe && (in_list(v->safe, value) || (below && in_list(v->safe, str_cat(e->a, STR("~"), str_sub(value, home.n, value.n)))));
}

static bool ordinary(const struct eval *e, const struct variable *v, struct str value)
{
	if (value.n == 0)
		return true;
	if (!text_exact(value))
		return false;
	switch (v->effect) {
	case EFFECT_FLAGS: return safe_words(v, value);
	case EFFECT_COMMAND: return v->safe && safe_words(v, value);
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
		bool always = v->effect == EFFECT_PROMPT || v->effect == EFFECT_PATH || v->effect == EFFECT_SCRIPT || (v->effect == EFFECT_UNFOLLOWED && !v->safe);
		if (always || !ordinary(e, v, value))
			affect(e, v, value, at);
		return;
	}
}
