/* The table of shell builtins, and those builtins that need only a few lines. */
#include "shell/builtin.h"
#include "shell/known_output.h"

size_t builtin_options(const struct builtin_call *b, const char *with_arg, char seen[OPTIONS_MAX],
	bool *ret_known)
{
	size_t i = 1, n = 0;
	*ret_known = true;
	for (; i < b->argc; i++) {
		if (b->from && b->from[i]) /* parsed as an assignment: no option */
			break;
		if (b->argv[i].kind != WORD_EXACT) {
			/* text that certainly does not start with - is an operand */
			struct str t = b->argv[i].text;
			if (b->argv[i].kind == WORD_REST || t.n == 0 || text_hole(t.p[0]) || t.p[0] == '-')
				*ret_known = false;
			break;
		}
		struct str s = b->argv[i].text;
		bool plus = s.n && s.p[0] == '+' &&
				str_is_any(b->argv[0].text, "declare typeset local");
		if (s.n < 2 || (s.p[0] != '-' && !plus))
			break;
		if (str_is(s, "--")) {
			i++;
			break;
		}
		for (size_t k = 1; k < s.n; k++) {
			if (n + 1 < OPTIONS_MAX)
				seen[n++] = s.p[k];
			else
				*ret_known = false;
			if (strchr(with_arg, s.p[k])) {
				if (k + 1 == s.n)
					i++;
				break;
			}
		}
	}
	seen[n] = 0;
	return i < b->argc ? i : b->argc;
}

const struct word *option_arg(const struct builtin_call *b, const char *with_arg, char letter,
		struct word *ret_inside)
{
	for (size_t i = 1; i < b->argc && b->argv[i].kind == WORD_EXACT; i++) {
		struct str s = b->argv[i].text;
		if (s.n < 2 || s.p[0] != '-' || str_is(s, "--"))
			return NULL;
		for (size_t k = 1; k < s.n; k++) {
			if (!strchr(with_arg, s.p[k]))
				continue;
			bool last = k + 1 == s.n;
			if (s.p[k] == letter && !last) {
				*ret_inside = word_of(str_from(s, k + 1), b->argv[i].at);
				return ret_inside;
			}
			if (s.p[k] == letter)
				return i + 1 < b->argc ? &b->argv[i + 1] : NULL;
			if (last)
				i++;
			break;
		}
	}
	return NULL;
}

/* ---- one-liners ---- */

static void succeed(struct builtin_call *b) { b->e->s.status = 0; }
static void fail(struct builtin_call *b) { b->e->s.status = 1; }
static void silent(struct builtin_call *b) { b->e->s.status = -1; }

/* May kill this shell itself. */
static void kills(struct builtin_call *b)
{
	b->e->s.status = -1;
	out_spoil(b->e);
}

static void prints(struct builtin_call *b)
{
	b->e->s.status = -1;
	out_unknown(b->e);
}

static void unfollowed(struct builtin_call *b)
{
	emit_trouble(b->e, TROUBLE_CONSTRUCT, "a builtin whose effect is not followed", b->at);
	state_forget(b->e);
}

/* With arguments, history reads and writes files and expands their content. */
static void history(struct builtin_call *b)
{
	if (b->argc > 1)
		unfollowed(b);
	else
		prints(b);
}

/* echo, printf, pwd: adds their output if it is known. */
static void output(struct builtin_call *b)
{
	struct eval *e = b->e;
	struct str text;
	struct output_env env = {.dialect = e->dialect, .cwd = e->s.dirs.n == 1 ? e->s.dirs.at[0] : HOLE};
	e->s.status = -1;
	bool doubtful = false;
	for (size_t i = 0; i < b->argc && (e->s.options & OPT_XPG_ECHO); i++)
		doubtful |= memchr(b->argv[i].text.p, '\\', b->argv[i].text.n) != NULL;
	if (!e->out)
		return;
	if (!doubtful && output_of(e->a, b->argv, b->argc, &env, &text)) {
		out_add(e, text);
	} else {
		out_unknown(e);
	}
}

static void test(struct builtin_call *b)
{
	size_t n = b->argc - 1;
	bool bracket = str_is(b->argv[0].text, "[");
	bool closed = n > 0 && b->argv[n].kind == WORD_EXACT && str_is(b->argv[n].text, "]");
	int status = test_command(b->e, b->argv + 1, bracket && closed ? n - 1 : n);
	b->e->s.status = bracket && !closed ? -1 : status;
}

enum { B = 1 << DIALECT_BASH, S = 1 << DIALECT_SH, Z = 1 << DIALECT_ZSH, ALL = B | S | Z };

static const struct builtin_entry {
	char name[16];
	unsigned dialects;
} rows[] = {
#define BUILTIN(name, dialects, run) {name, dialects},
#include "shell/builtin_rows.h"
#undef BUILTIN
};

/* Separate from the names: the loader relocates pointers at each start, so they should occupy few pages. */
static builtin_fn *const functions[] = {
#define BUILTIN(name, dialects, run) run,
#include "shell/builtin_rows.h"
#undef BUILTIN
};

static const struct builtin_entry *find_builtin(const struct eval *e, struct str name)
{
	size_t from = 0, to = ARRAY_SIZE(rows);
	while (from < to) {
		size_t mid = (from + to) / 2;
		int c = str_cmp(name, str_of(rows[mid].name));
		if (c == 0)
			return rows[mid].dialects & 1u << e->dialect ? &rows[mid] : NULL;
		if (c < 0)
			to = mid;
		else
			from = mid + 1;
	}
	return NULL;
}

bool builtin_is(const struct eval *e, struct str name) { return find_builtin(e, name) != NULL; }

/* Special builtins whose errors end dash: output after them is uncertain. */
static bool ends_dash(struct str name)
{
	if (str_is_any(name, "export readonly set shift trap unset ."))
			return true;
	return false;
}

bool builtin_run(struct eval *e, struct str name, const struct word *argv, size_t argc,
		const struct syn_assign *const *from)
{
	const struct builtin_entry *row = find_builtin(e, name);
	if (!row)
		return false;
	struct builtin_call b = {e, argv, argc, from, argv[0].at};
	functions[row - rows](&b);
	if (e->dialect == DIALECT_SH && ends_dash(name) && argc > 1)
		out_spoil(e);
	return true;
}
