/* Builtins that run something, or that change the directory, the control flow or shell options. */
#include "base/num.h"
#include "shell/builtin.h"

void builtin_eval(struct builtin_call *b)
{
	struct eval *e = b->e;
	size_t from = b->argc > 1 && b->argv[1].kind == WORD_EXACT && str_is(b->argv[1].text, "--") ? 2 : 1;
	struct str text = fields_join(e, b->argv + from, b->argc > from ? b->argc - from : 0);
	if (!text_exact(text)) {
		emit_trouble(e, TROUBLE_OPAQUE_SCRIPT, "eval runs a text that is not known", b->at);
		out_spoil(e);
		state_forget(e);
		return;
	}
	const struct via *outer = via_enter(e, (struct via){.kind = VIA_EVAL});
	eval_text(e, text, TEXT_FROM(EVAL), b->at, e->dialect);
	e->via = outer;
	e->s.status = -1;
}

static void source_text(struct builtin_call *b, struct str text, size_t args)
{
	struct eval *e = b->e;
	struct frame frame = {.outer = e->frame, .returned = state_dead(&e->s)};
	struct params params = e->s.params;
	const struct via *outer = via_enter(e, (struct via){.kind = VIA_SOURCE});
	e->frame = &frame;
	bool given = args < b->argc;
	if (given)
		e->s.params = (struct params){b->argv + args, b->argc - args};
	const struct word *first = e->s.params.at;
	eval_text(e, text, TEXT_FROM(SOURCE), b->at, e->dialect);
	e->s = state_join(e, &e->s, &frame.returned);
	if (given && e->s.params.at == first) {
		e->s.params = params;
	} else if (given) { /* `set` in the sourced text lasts, `shift` does not */
		e->s.params = params_unknown(e, b->at);
	}
	e->s.status = -1;
	e->frame = frame.outer;
	e->via = outer;
}

void builtin_source(struct builtin_call *b)
{
	struct eval *e = b->e;
	size_t i = b->argc > 1 && b->argv[1].kind == WORD_EXACT && str_is(b->argv[1].text, "--") ? 2 : 1;
	if (i >= b->argc) {
		e->s.status = 1;
		return;
	}
	struct word file = b->argv[i];
	bool in = file.kind == WORD_EXACT &&
			str_is_any(file.text, "/dev/stdin /dev/fd/0 /proc/self/fd/0");
	if (in && e->s.in.known && text_exact(e->s.in.rest)) {
		struct str text = e->s.in.rest;
		in_forget(e);
		source_text(b, text, i + 1);
		return;
	}
	struct str printed;
	if (pipe_text(e, &file, &printed)) {
		source_text(b, printed, i + 1);
		return;
	}
	if (file.kind != WORD_EXACT || in)
		emit_trouble(e, TROUBLE_OPAQUE_SCRIPT, "a script that is not known is sourced", b->at);
	else
		emit_access(e, ACCESS_EXEC, file, false, "source", b->at);
	out_spoil(e);
	content_run(e, file, STR("source"), b->argv, i + 1, b->argc);
	struct dirs dirs = e->s.dirs;
	state_forget(e);
	/* a known file is one contained effect; we do not assume that it changes the directory */
	if (file.kind == WORD_EXACT)
		e->s.dirs = dirs;
	in_forget(e);
}

void builtin_exec(struct builtin_call *b)
{
	char seen[OPTIONS_MAX];
	bool known;
	size_t i = builtin_options(b, "a", seen, &known);
	if (i >= b->argc) {
		b->e->exec_redirects = true;
		b->e->changes++;
		b->e->s.status = -1;
		return;
	}
	out_leave(b->e);
	known &= seen[strspn(seen, "cla")] == 0; /* an invalid option is an error, and the script continues */
	if (strchr(seen, 'c'))
		state_forget_vars(b->e); /* -c: empty environment */
	call_via(b->e, (struct via){.kind = VIA_WRAPPER, .name = "exec"}, b->argv + i, b->argc - i,
		CALL_PROGRAMS, b->at);
	b->e->s.dead = known && b->argv[i].kind == WORD_EXACT;
}

void builtin_command(struct builtin_call *b)
{
	char seen[OPTIONS_MAX];
	bool known;
	size_t i = builtin_options(b, "", seen, &known);
	if (strpbrk(seen, "vV") || i >= b->argc) {
		out_unknown(b->e);
		b->e->s.status = -1;
		return;
	}
	call_via(b->e, (struct via){.kind = VIA_WRAPPER, .name = "command"}, b->argv + i, b->argc - i,
		CALL_BUILTINS | CALL_PROGRAMS, b->at);
}

void builtin_builtin(struct builtin_call *b)
{
	size_t i = b->argc > 1 && b->argv[1].kind == WORD_EXACT && str_is(b->argv[1].text, "--") ? 2 : 1;
	if (i < b->argc)
		call_via(b->e, (struct via){.kind = VIA_WRAPPER, .name = "builtin"}, b->argv + i, b->argc - i,
			CALL_BUILTINS, b->at);
	else
		b->e->s.status = 0;
}

/* jobs -x runs a command. */
void builtin_jobs(struct builtin_call *b)
{
	char seen[OPTIONS_MAX];
	bool known;
	size_t i = builtin_options(b, "", seen, &known);
	b->e->s.status = -1;
	out_unknown(b->e);
	if (!known || strchr(seen, 'x')) {
		struct word rest = word_rest(b->at);
		if (i < b->argc)
			call_via(b->e, (struct via){.kind = VIA_WRAPPER, .name = "jobs"}, b->argv + i,
				b->argc - i, CALL_ALL, b->at);
		else if (!known)
			emit_command(b->e, &rest, 1, b->at);
	}
}

/* ---- directories ---- */

/* How the directory probably looks that cd goes to by this word, although it is not known. */
static struct str likely_target(struct eval *e, const struct word *to, const struct shell_value *cdpath)
{
	struct str dir = cdpath && cdpath->kind == VALUE_TEXT ? cdpath->text : STR("");

	if (to->kind != WORD_EXACT || !cdpath || str_starts(to->text, "/"))
		return word_likely(e, to);
	dir = str_first(dir, str_end(dir, ':', 0));
	return str_fmt(e->a, "%.*s/%.*s", STR_ARG(dir), STR_ARG(to->text));
}

void builtin_cd(struct builtin_call *b)
{
	struct eval *e = b->e;
	char seen[OPTIONS_MAX];
	bool known;
	size_t i = builtin_options(b, "", seen, &known);
	struct str path = HOLE;
	const struct shell_value *cdpath = var_get(e, STR("CDPATH")), *home = var_get(e, STR("HOME"));
	if (known && i >= b->argc)
		path = home ? (home->set && !home->maybe ? home->text : HOLE) : e->rq->view &&
				e->rq->view->home.n ? e->rq->view->home : HOLE;
	else if (known && b->argv[i].kind != WORD_REST && !str_is(b->argv[i].text, "-") && i + 1 == b->argc)
		path = b->argv[i].text;
	if (cdpath && path.n && path.p[0] != '/')
		path = HOLE;
	if (path.n == 1 && text_hole(path.p[0])) /* after "--", a name may be "-" */
		path = HOLE;
	if (e->dialect == DIALECT_ZSH && path.n && (path.p[0] == '-' || path.p[0] == '+'))
		path = HOLE;
	if ((e->physical && str_contains(path, STR(".."))) || (strchr(seen, 'P') && path_climbs(path)))
		path = HOLE;
	/* cd -P may resolve a symbolic link: the text no longer tells where .. leads */
	if (strchr(seen, 'P'))
		e->physical = true;
	if (path.n == 0) { /* cd "" does nothing */
		e->s.status = -1;
		return;
	}
	if (e->out) /* cd - and CDPATH print the directory */
		out_unknown(e);
	emit_look(e, word_of(path, b->at));
	dirs_change(e, path);
	if (i < b->argc && str_eq(path, HOLE))
		e->likely_dir = likely_target(e, &b->argv[i], cdpath);
}

static void stack_forget(struct eval *e)
{
	e->changes++;
	dirs_forget_names(e);
	e->s.stack_unknown = true;
	e->s.dirs.n = 0;
	e->s.cd_pending = false;
	e->s.status = -1;
}

void builtin_pushd(struct builtin_call *b)
{
	struct eval *e = b->e;
	bool plain = b->argc == 2 && b->argv[1].kind == WORD_EXACT && b->argv[1].text.n &&
			!strchr("+-", b->argv[1].text.p[0]);
	out_unknown(e);
	if (plain)
		emit_look(e, b->argv[1]);
	if (plain && e->s.stack_unknown && !var_get(e, STR("CDPATH"))) { /* it still goes to that directory */
		dirs_change(e, b->argv[1].text);
		return;
	}
	if (!plain || e->s.stack_unknown || var_get(e, STR("CDPATH"))) {
		stack_forget(e);
		return;
	}
	struct dirs *stack = arena_array(e->a, e->s.nstack + 1, sizeof *stack);
	stack[0] = e->s.dirs;
	for (size_t i = 0; i < e->s.nstack; i++) { /* if pushd fails, every entry keeps its old index */
		stack[i + 1] = e->s.stack[i];
		stack[i] = dirs_join(&stack[i], &e->s.stack[i]);
	}
	eval_burn(e, e->s.nstack + 1);
	dirs_change(e, b->argv[1].text);
	e->s.stack = stack;
	e->s.nstack++;
	if (!e->s.dirs_ok.n)
		stack_forget(e);
}

void builtin_popd(struct builtin_call *b)
{
	struct eval *e = b->e;
	out_unknown(e);
	if (b->argc != 1 || e->s.stack_unknown || e->s.nstack == 0) {
		/* popd on an empty stack changes nothing; it is empty if the pushd before failed */
		stack_forget(e);
		return;
	}
	struct dirs was = e->s.dirs, top = e->s.stack[0];
	e->changes++;
	dirs_forget_names(e);
	e->s.stack++;
	e->s.nstack--;
	e->s.dirs_ok = top;
	e->s.dirs_fail = was;
	struct shell_state x = e->s, y = e->s;
	x.dirs = top;
	y.dirs = was;
	e->s.dirs = state_join(e, &x, &y).dirs;
	e->s.cd_pending = true;
	e->s.status = -1;
}

/* ---- traps and aliases ---- */

static bool only_exit(const struct builtin_call *b, size_t i)
{
	for (; i < b->argc; i++)
		if (!(b->argv[i].kind == WORD_EXACT &&
				str_is_any(b->argv[i].text, "EXIT 0")))
			return false;
	return true;
}

void builtin_trap(struct builtin_call *b)
{
	struct eval *e = b->e;
	size_t i = 1;
	e->s.status = -1;
	if (i < b->argc && b->argv[i].kind == WORD_EXACT && str_is(b->argv[i].text, "--"))
		i++;
	out_spoil(e); /* trap prints, or its handler may print at any time */
	if (i >= b->argc)
		return;
	struct word w = b->argv[i];
	if (w.kind == WORD_REST || !script_known(w.text)) {
		emit_trouble(e, TROUBLE_OPAQUE_SCRIPT, "a trap runs a text that is not known", b->at);
		return;
	}
	if (str_is_any(w.text, "- -l -p") || w.text.n == 0)
		return;
	e->changes++;
	/*
	 * eval_traps() checks at the end, when every function is known, if the handler changes the shell's
	 * state
	 */
	bool apart = only_exit(b, i + 1);
	e->trapped |= !apart;
	trap_add(e, w.text, b->at, apart ? TRAP_APART : TRAP_ANY_TIME);
}

static bool is_reserved(struct str name)
{
	static const char names[][12] = {"!", "{", "}", "[[", "]]", "case", "coproc", "do", "done", "elif",
			"else", "esac", "fi", "for", "function", "if", "in",
					    "select", "then", "time", "until", "while"};
	return STR_INDEX(names, name) >= 0;
}

void builtin_alias(struct builtin_call *b)
{
	struct eval *e = b->e;
	e->s.status = -1;
	if (e->substitutions && b->argc > 1) /* bash parses $( ) again, line by line, when it runs it */
		emit_trouble(e, TROUBLE_CONSTRUCT, "an alias defined inside a substitution", b->at);
	if (e->dialect == DIALECT_ZSH && b->argc > 1 && str_starts(b->argv[1].text, "-"))
		emit_trouble(e, TROUBLE_CONSTRUCT, "a global or suffix alias of zsh", b->at);
	for (size_t i = 1; i < b->argc; i++) {
		struct str s = b->argv[i].kind == WORD_REST ? HOLE : b->argv[i].text;
		ptrdiff_t eq = str_find(s, '=', 0);
		if (eq < 0 && text_exact(s)) {
			out_unknown(e);
			continue;
		}
		struct str name = eq < 0 ? HOLE : str_first(s, (size_t)eq);
		if (eq < 0 || !text_exact(name) || !text_exact(s)) {
			emit_trouble(e, TROUBLE_OPAQUE_SCRIPT, "an alias that is not known is defined",
					b->at);
			continue;
		}
		if (is_reserved(name)) /* the alias replaces the reserved word where it is one */
			emit_trouble(e, TROUBLE_CONSTRUCT, "an alias named like a reserved word", b->at);
		struct shell_value *v = arena_copy(e->a,
				(struct shell_value){.set = true, .text = str_from(s, (size_t)eq + 1)});
		e->changes++;
		e->s.aliases = pmap_set(e->a, e->s.aliases, str_dup(e->a, name), v);
	}
}

/* ---- leaving ---- */

/* At most one argument, and that a number: then the command certainly leaves. */
static bool surely_leaves(const struct builtin_call *b)
{
	int64_t n;
	if (b->argc == 1)
		return true;
	return b->argc == 2 && (b->argv[1].kind == WORD_EXACT ? num_parse(b->argv[1].text, 0, 255, &n) == 0 :
			b->argv[1].text.n == 1 && b->argv[1].text.p[0] == HOLE_NUM);
}

void builtin_exit(struct builtin_call *b)
{
	out_leave(b->e);
	if (surely_leaves(b))
		b->e->s.dead = true;
	else
		out_spoil(b->e);
}

void builtin_return(struct builtin_call *b)
{
	struct eval *e = b->e;
	e->changes++;
	if (!e->frame) { /* an error in bash; dash exits */
		if (e->dialect == DIALECT_SH)
			out_spoil(e);
		return;
	}
	e->s.status = -1;
	e->frame->returned = state_join(e, &e->frame->returned, &e->s);
	out_leave(e);
	if (surely_leaves(b))
		e->s.dead = true;
	else
		out_spoil(e);
}

void builtin_break(struct builtin_call *b)
{
	struct eval *e = b->e;
	bool on = str_is(b->argv[0].text, "continue");
	int64_t n = 1;
	bool known = b->argc == 1 ||
			(b->argc == 2 && b->argv[1].kind == WORD_EXACT && num_parse(b->argv[1].text, 1, 1000,
			&n) == 0);
	struct loop *l = e->loop;
	e->s.status = 0;
	e->changes++;
	out_leave(e);
	if (!l)
		return;
	for (; l; l = l->outer, n--) {
		if (!known || ((n == 1 || !l->outer) && on))
			l->next = state_join(e, &l->next, &e->s);
		if (!known || n > 1 || !on)
			l->left = state_join(e, &l->left, &e->s);
		if (known && n == 1)
			break;
	}
	if (known)
		e->s.dead = true;
}

/* ---- options ---- */

/* Options that change nothing that is modelled here, or only make fewer things happen. */
static const char harmless_shopts[] =
		"autocd cdspell checkhash checkjobs checkwinsize cmdhist complete_fullquote direxpand "
		"dirspell dotglob bash_source_fullpath expand_aliases force_fignore globasciiranges "
		"globskipdots globstar gnu_errfmt histappend histreedit histverify hostcomplete huponexit "
		"inherit_errexit lithist login_shell mailwarn no_empty_cmd_completion nocaseglob "
		"noexpand_translation nullglob progcomp progcomp_alias promptvars shift_verbose sourcepath "
		"varredir_close interactive_comments extquote";

bool shopt_harmless(struct str name)
{
	return str_is_any(name, harmless_shopts);
}

void builtin_shopt(struct builtin_call *b)
{
	struct eval *e = b->e;
	char seen[OPTIONS_MAX];
	bool known;
	size_t i = builtin_options(b, "", seen, &known);
	bool on = strchr(seen, 's'), off = strchr(seen, 'u');
	e->changes++;
	out_unknown(e);
	e->s.status = -1;
	if (known && !on && !off)
		return;
	for (; i < b->argc || !known; i++) {
		struct str s = known && i < b->argc ? b->argv[i].text : HOLE;
		bool fine = false;
		if (str_is(s, "extglob")) {
			e->s.options = on ? e->s.options |
					OPT_EXTGLOB : e->s.options & ~(unsigned)OPT_EXTGLOB;
			fine = true;
		} else if (str_is_any(s, "lastpipe xpg_echo")) {
			e->s.options |= str_is(s, "lastpipe") ? OPT_LASTPIPE : OPT_XPG_ECHO;
			fine = true;
		}
		fine |= shopt_harmless(s);
		e->odd_globs |= str_is_any(s, "dotglob nocaseglob");
		if (strchr(seen, 'o'))
			fine = false;
		if (!fine)
			emit_trouble(e, TROUBLE_CONSTRUCT, "a shell option that is not followed", b->at);
		if (!known)
			break;
	}
}

/* Builtins with options that are not modelled because they load, move or run something. */
static const struct {
	char name[12], with_arg[12], risky[8], message[36];
} guarded[] = {
	{"compgen", "oACFGPSWX", "CFWXG", "completion may run commands"},
	{"complete", "oACFGPSWX", "CFWXG", "completion may run commands"},
	{"enable", "f", "fnd", "builtins are loaded or taken away"},
	{"hash", "p", "p", "a command's place is set by hand"},
};

/* zsh: hash NAME=FILE and hash -d add entries; enable and disable change every table. */
static bool changes_tables(const struct builtin_call *b)
{
	bool some = b->argc > 1 && !str_is(b->argv[0].text, "hash");
	for (size_t i = 1; i < b->argc; i++)
		some |= b->argv[i].kind != WORD_EXACT || str_has(b->argv[i].text, '=') ||
			(str_starts(b->argv[i].text, "-") && !str_is(b->argv[i].text, "-r"));
	return b->e->dialect == DIALECT_ZSH && some;
}

void builtin_guarded(struct builtin_call *b)
{
	char seen[OPTIONS_MAX];
	bool known;
	size_t row = 0;
	while (!str_is(b->argv[0].text, guarded[row].name))
		row++; /* the table of builtins sends no other name here */
	builtin_options(b, guarded[row].with_arg, seen, &known);
	out_unknown(b->e);
	b->e->s.status = -1;
	if (!known || strpbrk(seen, guarded[row].risky) || changes_tables(b))
		emit_trouble(b->e, TROUBLE_CONSTRUCT, guarded[row].message, b->at);
}
