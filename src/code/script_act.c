/*
 * Functions of Perl, Ruby, PHP and Lua that access files or start programs, with constant arguments. See
 * script.h and script_table.c.
 */
#include "code/script.h"

#define ACT_ARGS_MAX 32

/* Reads a string without escapes or interpolation, up to and including `end`. */
static bool plain_text(struct script *x, char end, bool dead, struct str *ret)
{
	size_t from = x->i;

	for (; x->i < x->s.n && script_at(x, 0) != end; x->i++)
		if (script_at(x, 0) == '\\' || text_hole(script_at(x, 0)) ||
				(!dead && strchr("$@#{", script_at(x, 0))))
			return false;
	*ret = str_sub(x->s, from, x->i);
	x->i++;
	return x->i <= x->s.n;
}

void script_here(struct script *x, size_t from)
{
	x->w->here = (struct span){x->w->text, (uint32_t)from, (uint32_t)(x->i < x->s.n ? x->i : x->s.n)};
}

/* Records a call, for rules about calls. n == 0: unknown arguments. */
static void note_act(struct script *x, const char *name, const struct str *args, size_t n)
{
	struct word *words = arena_array(x->w->a, n + 1, sizeof(*words));
	struct str *names = arena_array(x->w->a, n + 1, sizeof(*names));

	for (size_t i = 0; i < n; i++)
		words[i] = (struct word){.kind = WORD_EXACT, .text = args[i], .at = x->w->here};
	words[n] = (struct word){.kind = WORD_REST, .at = x->w->here};
	code_call_add(x->w, str_of(name), words, names, n ? n : 1, (TSNode){0});
}

bool script_shell_text(struct script *x, char open, size_t from)
{
	struct str command;

	if (!plain_text(x, script_closing(open), false, &command) ||
			(open != script_closing(open) && str_has(command, open)))
		return false;
	script_here(x, from);
	note_act(x, "`", &command, 1);
	code_run_text(x->w, command, (TSNode){0});
	x->operand = true;
	x->bare = false;
	x->runs = true;
	return true;
}

bool script_backquote(struct script *x)
{
	if (x->l->dash_comment)
		return false;
	x->i++;
	return script_shell_text(x, '`', x->i - 1);
}

static const struct script_act *find_act(const struct script_language *l, struct str name)
{
	for (const struct script_act *a = l->acts; a && a->name[0]; a++)
		if (str_is(name, a->name))
			return a;
	return NULL;
}

/* True at a token that may follow the last argument without parentheses. */
static bool ends_arguments(const struct script *x)
{
	size_t to = x->i;

	if (x->i >= x->s.n || strchr(";})\n", script_at(x, 0)))
		return true;
	while (to < x->s.n && ascii_is_name_start(x->s.p[to]))
		to++;
	return str_is_any(str_sub(x->s, x->i, to), "or and if unless end then do");
}

/* Reads constant arguments: at least `needed`, or all of them. False if one of these is not constant. */
static bool read_constants(struct script *x, struct str *args, size_t needed, bool all, size_t *ret_n)
{
	bool paren, ok;
	size_t n = 0;

	x->i = script_blanks(x, x->i);
	paren = script_at(x, 0) == '(';
	x->i += paren;
	for (;;) {
		char quote;

		x->i = script_blanks(x, x->i);
		quote = script_at(x, 0);
		if ((quote != '"' && quote != '\'') || n == ACT_ARGS_MAX)
			return false;
		x->i++;
		if (!plain_text(x, quote, quote == '\'', &args[n++]))
			return false;
		while (ascii_is_blank(script_at(x, 0)))
			x->i++;
		if (script_at(x, 0) != ',' || (!all && n >= needed))
			break;
		x->i++;
	}
	ok = script_at(x, 0) == ',' ? n >= needed && !all : paren ? script_at(x, 0) == ')' &&
			n >= needed : ends_arguments(x) && n >= needed;
	x->i += ok && paren && script_at(x, 0) == ')';
	*ret_n = n;
	return ok;
}

static void file_act(struct script *x, const struct script_act *a, char how, struct str path)
{
	enum access_kind kind = how == 'r' ? ACCESS_READ : how == 'w' || how == 'W' ? ACCESS_WRITE :
			ACCESS_DELETE;

	/* a different name, because the program file(1) only reads metadata */
	const char *op = !strcmp(a->name, "file") ? "file()" : a->name;

	if (how != '.')
		code_access(x->w, kind, path, how == 'D' || how == 'W', op, (TSNode){0});
}

/* Handles a call with constant arguments; x->i is after the name. False if they are not constant. */
static bool act_on_call(struct script *x, const struct script_act *a, size_t from)
{
	struct str args[ACT_ARGS_MAX];
	size_t needed = strcspn(a->what, "*"), n, after = x->i;
	bool shell = a->what[0] == 's', all = shell || a->what[needed] == '*';

	/* PHP connects if the argument is an address */
	if (!needed && x->l->slash_comment) {
		bool known = read_constants(x, args, 1, false, &n);

		x->i = after;
		if (!known || str_has(args[0], ':'))
			return false;
	}
	if (!needed) { /* the arguments have no effect */
		x->operand = x->bare = true;
		return true;
	}
	if (!read_constants(x, args, needed, all, &n)) {
		x->i = after;
		script_here(x, from);
		note_act(x, a->name, NULL, 0);
		if (strcmp(a->what, "r") != 0 || x->l->sigil)
			return false;
		/* any file, but it is only read */
		code_access(x->w, ACCESS_READ, CODE_HOLE, false, a->name, (TSNode){0});
		return x->operand = x->bare = true;
	}
	script_here(x, from);
	note_act(x, a->name, args, n);
	x->operand = true;
	x->bare = false;
	x->runs |= shell;
	if (shell && n > 1) {
		struct word *argv = arena_array(x->w->a, n, sizeof(*argv));

		for (size_t i = 0; i < n; i++)
			argv[i] = (struct word){.kind = WORD_EXACT, .text = args[i], .at = x->w->here};
		code_run_argv(x->w, argv, n, (TSNode){0});
		return true;
	}
	if (shell)
		code_run_text(x->w, args[0], (TSNode){0});
	for (size_t i = 0; !shell && i < n; i++) {
		if (x->l->sigil && !x->l->perl && str_has(args[i], ':'))
			return false; /* PHP: a URL or stream wrapper */
		if (x->l->marks && str_starts(args[i], "|"))
			return false; /* Ruby: some versions run it as a command */
		file_act(x, a, a->what[i < needed ? i : needed - 1], args[i]);
	}
	return true;
}

int script_effect(struct script *x, struct str w, size_t from)
{
	const struct script_act *a = x->arrow ? NULL : find_act(x->l, w);
	size_t to = x->i;

	if (x->arrow)
		return 0;
	if (!a && x->l->dot_member && script_at(x, 0) == '.' && ascii_is_name_start(script_at(x, 1))) {
		for (to++; to < x->s.n && (ascii_is_name_start(x->s.p[to]) || text_digit(x->s.p[to]));)
			to++;
		to += x->l->marks && to < x->s.n && (x->s.p[to] == '?' || x->s.p[to] == '!');
		a = find_act(x->l, str_sub(x->s, from, to));
	} else if (!a && x->l->marks && script_at(x, 0) == '[') { /* Dir["*.rb"] */
		struct str pattern;

		x->i++;
		if (!str_is(w, "Dir") || (script_at(x, 0) != '"' && script_at(x, 0) != '\''))
			return x->i = to, 0;
		x->i++;
		return plain_text(x, x->s.p[x->i - 1], false, &pattern) && script_at(x, 0) == ']' ? 1 : -1;
	}
	if (!a)
		return 0;
	x->i = to;
	return act_on_call(x, a, from) ? 1 : -1;
}
