/* Programs that are shells themselves: bash -c TEXT, sh FILE, bash -s, a script on standard input. */
#include "shell/eval.h"

static const struct {
	char name[8];
	bool sh;              /* read as dash and as bash */
	enum dialect dialect;
	bool foreign;         /* another shell's language, which is not modelled */
} shells[] = {
	{"bash", false, DIALECT_BASH, false}, {"rbash", false, DIALECT_BASH, false},
	{"sh", true, DIALECT_SH, false},
	{"dash", true, DIALECT_SH, false},    {"ash", true, DIALECT_SH, false},
	{"zsh", false, DIALECT_ZSH, false},
	{"rzsh", false, DIALECT_ZSH, false},  {"ksh", true, DIALECT_BASH, true},
	{"mksh", true, DIALECT_BASH, true},
	{"ksh93", true, DIALECT_BASH, true},  {"pdksh", true, DIALECT_BASH, true},
	{"yash", true, DIALECT_SH, true},
	{"fish", true, DIALECT_BASH, true},   {"csh", true, DIALECT_BASH, true},
	{"tcsh", true, DIALECT_BASH, true},
	{"elvish", true, DIALECT_BASH, true}, {"nu", true, DIALECT_BASH, true},
	{"xonsh", true, DIALECT_BASH, true},
};

struct invocation {
	bool command, from_stdin, opaque, nothing; /* -c; -s; unknown options; --version */
	bool interactive;                          /* -i: history expansion */
	bool odd_globs;                            /* -O dotglob, nocaseglob */
	/* -O extglob; -e -n -u ...: the script may end early or not run */
	bool extglob, less;
	struct word rc;                            /* --rcfile */
	size_t operand;                            /* index of the first operand */
};

/* Parses long options of bash. False for an unknown one. */
static bool long_option(struct invocation *v, struct str s, const struct word *argv, size_t argc, size_t *i)
{
	if (str_is_any(s, "--version --help")) {
		v->nothing = true;
		return true;
	}
	if (str_is_any(s, "--rcfile --init-file")) {
		if (*i + 1 < argc)
			v->rc = argv[++*i];
		return true;
	}
	if (str_is_any(s,
			"--norc --noprofile --posix --login --restricted --verbose --noediting --debugger "
			"--dump-strings --dump-po-strings --wordexp --pretty-print --no-rcs --no-globalrcs"))
			return true;
	return false;
}

/* Parses a cluster such as -lc or +x. False for an unknown letter. */
static bool short_options(struct invocation *v, struct str s, const struct word *argv, size_t argc, size_t *i)
{
	for (size_t k = 1; k < s.n; k++) {
		char c = s.p[k];
		if (c == 'c' && s.p[0] == '-') {
			v->command = true;
		} else if (c == 's') {
			v->from_stdin = true;
		} else if (c == 'o' || c == 'O') {
			if (*i + 1 < argc) {
				struct word w = argv[++*i];
				if (w.kind != WORD_EXACT)
					return false;
				v->extglob |= c == 'O' && str_is(w.text, "extglob");
				v->odd_globs |= c == 'O' &&
						str_is_any(w.text, "dotglob nocaseglob");
				v->less |= c == 'o';
				if (c == 'O' && !(s.p[0] == '-' && str_is(w.text, "extglob")) &&
						!shopt_harmless(w.text))
					return false;
				/* most options of -o and -O change nothing that is modelled here; these do */
				if (str_is_any(w.text, "keyword braceexpand posix"))
					return false;
			}
		} else if (!strchr("abefhilmnprtuvxBCDEHIPT", c) || c == 'k') {
			return false;
		}
		if (c == 'B' && s.p[0] == '+')
			return false;
		v->less |= strchr("entuD", c) != NULL;
		v->interactive |= c == 'i';
	}
	return true;
}

/* True for the pattern of paths that find reports: at least one path. */
static bool found_files(const struct word *w)
{
	return w->glob && str_ends(w->text, "/**") && w->text.p[0] != '-' && w->text.p[0] != '+';
}

static struct invocation invocation_of(struct arena *a, const struct word *argv, size_t argc)
{
	struct invocation v = {.operand = argc};
	size_t i = 1;
	for (; i < argc; i++) {
		struct str s = argv[i].text;
		if (argv[i].kind != WORD_EXACT) { /* an operand if it starts like no option */
			v.opaque = (argv[i].kind == WORD_REST && !found_files(&argv[i])) || s.n == 0 ||
					text_hole(s.p[0]) || s.p[0] == '-' || s.p[0] == '+';
			break;
		}
		if (s.n < 2 || (s.p[0] != '-' && s.p[0] != '+'))
			break;
		if (str_is(s, "--")) {
			i++;
			break;
		}
		/* bash accepts -norc for --norc, too */
		struct str dashes = str_starts(s, "--") ? s : str_cat(a, STR("-"), s);
		bool known = long_option(&v, dashes, argv, argc, &i) ||
				(!str_starts(s, "--") && short_options(&v, s, argv, argc, &i));
		if (!known)
			v.opaque = true;
	}
	if (i < argc && str_is(argv[i].text, "-") && argv[i].kind == WORD_EXACT)
		i++;
	v.operand = i;
	return v;
}

/* ---- running ---- */

struct keep_exported {
	struct arena *a;
	const struct pmap *to;
};

static void exported_only(void *ctx, struct str key, const void *value)
{
	struct keep_exported *k = ctx;
	const struct shell_value *v = value;
	/* a new shell sets these itself */
	static const char own[][8] = {"IFS", "PWD", "OLDPWD", "SHLVL", "PPID", "OPTIND", "_"};
	for (size_t i = 0; i < ARRAY_SIZE(own); i++)
		if (str_is(key, own[i]))
			return;
	if (v->exported && !v->doubt_exported && v->kind == VALUE_TEXT) {
		/* the environment does not carry attributes */
		struct shell_value *plain = arena_copy(k->a,
				(struct shell_value){.set = v->set, .maybe = v->maybe, .ambient = v->ambient,
				.exported = true, .text = v->text});
		k->to = pmap_set(k->a, k->to, key, plain);
		return;
	}
	/* not exported here; but a variable that came from the environment is exported anyway */
	struct shell_value *either = arena_copy(k->a, (struct shell_value){.set = true, .maybe = true,
			.exported = true, .text = HOLE,
			.ambient = v->kind == VALUE_TEXT && (v->ambient || text_numeric(v->text))});
	k->to = pmap_set(k->a, k->to, key, either);
}

/* Sets up the state of a new shell: exported variables, its directory, and its arguments. */
static void fresh_state(struct eval *e, const struct word *argv, size_t from, size_t argc, bool extglob)
{
	struct keep_exported k = {e->a, NULL};
	/* a new shell accepts a PWD that leads here, also through a symbolic link: then .. leads elsewhere */
	if (var_get(e, STR("PWD")))
		e->physical = true;
	pmap_each(e->s.vars, exported_only, &k);
	e->s.vars = k.to;
	if (!(e->s.options & OPT_FUNCS_EXPORTED))
		e->s.funcs = NULL;
	e->s.aliases = NULL;
	e->s.params = (struct params){from < argc ? argv + from : NULL, from < argc ? argc - from : 0};
	e->s.options = (e->s.options & (OPT_PATH_CHANGED | OPT_FUNCS_EXPORTED)) | (extglob ? OPT_EXTGLOB : 0);
	e->s.nstack = 0;
}

struct shell_script {
	struct str text;
	struct text_from from;
	size_t row;
};

static void run_script(struct eval *e, const struct shell_script *s, const struct word *argv, size_t args,
	size_t argc, bool extglob, enum via_kind way)
{
	struct shell_state keep = e->s;
	unsigned reads = e->reads;
	struct frame *frame = e->frame;
	struct loop *loop = e->loop;
	const struct via *outer = via_enter(e, (struct via){.kind = way});
	e->frame = NULL;
	e->loop = NULL;
	fresh_state(e, argv, args, argc, extglob);
	if (way == VIA_SH_C && args - 1 < argc && argv[args - 1].kind == WORD_EXACT &&
			shells[s->row].dialect != DIALECT_ZSH) /* functions of zsh have a $0 of their own */
		var_set_text(e, STR("0"), argv[args - 1].text);
	if (shells[s->row].foreign)
		emit_trouble(e, TROUBLE_CONSTRUCT, "a script for a shell whose language is not read",
				argv[0].at);
	if (shells[s->row].sh)
		eval_text_sh(e, s->text, s->from, argv[0].at);
	else
		eval_text_apart(e, s->text, s->from, argv[0].at, shells[s->row].dialect);
	state_return(e, &keep);
	e->s.in.known &= e->reads == reads;
	e->s.status = -1;
	e->frame = frame;
	e->loop = loop;
	e->via = outer;
}

static void from_stdin(struct eval *e, size_t row, const struct word *argv, size_t args, size_t argc,
		bool extglob)
{
	if (!e->s.in.known && e->s.in.file.n && !e->elsewhere) {
		struct word file = word_of(e->s.in.file, argv[0].at);
		emit_access(e, ACCESS_EXEC, file, false, shells[row].name, argv[0].at);
		content_run(e, file, str_of(shells[row].name), argv, args, argc);
		out_unknown(e);
		in_forget(e);
		return;
	}
	if (!e->s.in.known || !text_exact(e->s.in.rest)) {
		emit_trouble(e, TROUBLE_OPAQUE_SCRIPT,
				"pipes a script into a shell that cannot be read in advance", argv[0].at);
		out_spoil(e);
		return;
	}
	struct shell_script s = {e->s.in.rest, TEXT_FROM(STDIN), row};
	in_forget(e); /* commands of the script read the rest of it */
	e->s.in.script = true;
	bool outer = e->script_input;
	e->script_input = true;
	run_script(e, &s, argv, args, argc, extglob, VIA_STDIN_SHELL);
	e->script_input = outer;
}

static bool names_stdin(struct str s)
{
	return str_is_any(s, "/dev/stdin /dev/fd/0 /proc/self/fd/0 -");
}

/* True if a path with an unknown name in it may lead to standard input, in any spelling. */
static bool in_devices(const struct eval *e, struct str path)
{
	struct str plain = path_normal(e->a, STR("/."), path); /* a relative path could be below /dev, too */
	return str_starts(plain, "/dev") || str_starts(plain, "/proc") ||
			(plain.n > 1 && text_hole(plain.p[1])) || path_climbs(path) || str_starts(path, "..");
}

static void run_file(struct eval *e, size_t row, const struct word *argv, size_t at, size_t argc)
{
	if (argv[at].kind == WORD_EXACT && names_stdin(argv[at].text)) {
		from_stdin(e, row, argv, at + 1, argc, false);
		return;
	}
	struct str printed;
	if (pipe_text(e, &argv[at], &printed)) {
		struct shell_script s = {printed, TEXT_FROM(PROCSUB), row};
		run_script(e, &s, argv, at + 1, argc, false, VIA_SOURCE);
		return;
	}
	bool found = found_files(&argv[at]) && !in_devices(e, argv[at].text);
	if (argv[at].kind != WORD_EXACT && !found &&
			!(argv[at].kind == WORD_UNKNOWN && names_only(argv[at].text) &&
			!in_devices(e, argv[at].text))) {
		emit_trouble(e, TROUBLE_OPAQUE_SCRIPT, "a shell runs a script that is not known", argv[0].at);
		out_spoil(e);
		return;
	}
	emit_access(e, ACCESS_EXEC, argv[at], false, shells[row].name, argv[0].at);
	content_run(e, argv[at], str_of(shells[row].name), argv, at + 1, argc);
	out_unknown(e);
	in_forget(e);
}

/*
 * bash -n FILE only checks the syntax; nothing runs. True only for this plain form; zsh reads its startup
 * files anyway.
 */
static bool checks_only(size_t row, const struct word *argv, size_t argc)
{
	if (argc != 3 || shells[row].foreign || shells[row].dialect == DIALECT_ZSH ||
			argv[1].kind != WORD_EXACT || !str_is(argv[1].text, "-n"))
		return false;
	return argv[2].kind == WORD_EXACT && argv[2].text.n && argv[2].text.p[0] != '-' &&
			argv[2].text.p[0] != '+';
}

static size_t shell_row(struct str base)
{
	size_t row = 0;
	while (row < ARRAY_SIZE(shells) && !str_is(base, shells[row].name))
		row++;
	return row;
}

bool shell_text(struct eval *e, struct str base, struct str text, const struct word *argv, size_t args,
		size_t argc)
{
	struct shell_script s = {text, TEXT_FROM(FILE), shell_row(base)};
	if (s.row == ARRAY_SIZE(shells))
		return false;
	if (!shells[s.row].foreign)
		run_script(e, &s, argv, args, argc, false, VIA_SOURCE);
	return true;
}

bool shell_program(struct eval *e, struct str base, const struct word *argv, size_t argc)
{
	size_t row = shell_row(base);
	if (row == ARRAY_SIZE(shells))
		return false;
	struct invocation v = invocation_of(e->a, argv, argc);
	e->odd_globs |= v.odd_globs;
	if (v.less)
		out_spoil(e);
	if (v.rc.at.to)
		emit_access(e, ACCESS_EXEC, v.rc, false, "--rcfile", argv[0].at);
	const struct shell_value *env = var_get(e, STR("BASH_ENV"));
	if (env && env->set)
		emit_variable_access(e, ACCESS_EXEC, word_of(env->text, argv[0].at), false, "BASH_ENV",
				argv[0].at);
	if (v.opaque || (v.interactive && !v.command)) {
		emit_trouble(e, TROUBLE_OPAQUE_SCRIPT, "a shell is started with options that are not known",
				argv[0].at);
		out_spoil(e);
	} else if (checks_only(row, argv, argc)) {
		emit_access(e, ACCESS_READ, argv[2], false, shells[row].name, argv[0].at);
		out_unknown(e);
		in_forget(e);
	} else if (v.nothing) {
		out_unknown(e);
	} else if (v.command) {
		if (v.operand >= argc)
			return true;
		const struct word *text = &argv[v.operand];
		if (text->kind != WORD_EXACT) {
			emit_trouble(e, TROUBLE_OPAQUE_SCRIPT, "a shell runs a text that is not known",
					argv[0].at);
			out_spoil(e);
			return true;
		}
		struct shell_script s = {
			text->text, {TEXT_SH_C, shells[row].name}, row};
		run_script(e, &s, argv, v.operand + 2, argc, v.extglob, VIA_SH_C);
	} else if (v.from_stdin || v.operand >= argc) {
		from_stdin(e, row, argv, v.operand, argc, v.extglob);
	} else {
		run_file(e, row, argv, v.operand, argc);
	}
	return true;
}
