/* ${ }: names, subscripts, operators and their arguments. */
#include "shell/lex.h"

static bool is_special(int c) { return c > 0 && strchr("@*#?-$!", c) != NULL; }

/* Reads a name, digits, or one special character; false if none is next. */
static bool read_name(struct parser *p, struct str *ret)
{
	int c = lex_peek(p);
	if (is_special(c)) {
		*ret = str_n(p->s + p->pos, 1);
		lex_next(p);
		return true;
	}
	bool digits = ascii_is_digit(c);
	if (!digits && !ascii_is_name_start(c))
		return false;
	struct buf b;
	buf_init(&b, p->a, 0);
	while (ascii_is_name(c = lex_peek(p)) && (!digits || ascii_is_digit(c)))
		buf_char(&b, (char)lex_next(p));
	*ret = buf_view(&b);
	return true;
}

static void read_subscript(struct parser *p, struct syn_param *pm)
{
	if (p->dialect == DIALECT_SH || lex_peek(p) != '[' ||
			!ascii_is_name_start((unsigned char)pm->name.p[0]))
		return;
	pm->subscripted = true;
	int c = lex_ahead(p, 1);
	if ((c == '@' || c == '*') && lex_ahead(p, 2) == ']') {
		pm->all = (char)c;
		lex_next(p);
		lex_next(p);
		lex_next(p);
		return;
	}
	pm->subscript = parts_subscript(p);
}

/* Parses the argument of an operator, up to one of the stops. */
static struct syn_part *parse_argument(struct parser *p, const char *stops, enum quote_context q, bool soft)
{
	struct until u = {.stops = stops, .quotes = q, .soft = soft && q == IN_DOUBLE};
	if (q == IN_ARITH)
		u = (struct until){.stops = stops, .quotes = q, .soft = true, .open = '(', .close = ')'};
	return parts_until(p, &u);
}

struct op_row {
	char sign[4];
	enum param_op op;
	/* argument is a word (default, alternate ...): single quotes inside double quotes are ordinary */
	bool word;
};

/* Longer signs first. */
static const struct op_row ops[] = {
	{"##", PARAM_CUT_HEAD_MAX, false}, {"#", PARAM_CUT_HEAD, false},
	{"%%", PARAM_CUT_TAIL_MAX, false}, {"%", PARAM_CUT_TAIL, false},
	{"//", PARAM_REPLACE_ALL, false},  {"/#", PARAM_REPLACE_HEAD, false},
	{"/%", PARAM_REPLACE_TAIL, false}, {"/", PARAM_REPLACE, false},
	{"^^", PARAM_UPPER_ALL, false},    {"^", PARAM_UPPER, false},
	{",,", PARAM_LOWER_ALL, false},    {",", PARAM_LOWER, false},
	{"~~", PARAM_TOGGLE_ALL, false},   {"~", PARAM_TOGGLE, false},
	{"-", PARAM_DEFAULT, true},        {"=", PARAM_ASSIGN, true},         {"?", PARAM_ERROR, true},
	{"+", PARAM_ALTERNATE, true},
};

static const struct op_row *read_op(struct parser *p)
{
	for (size_t i = 0; i < ARRAY_SIZE(ops); i++) {
		if (p->dialect == DIALECT_SH && !ops[i].word && strchr("/^,~", ops[i].sign[0]))
			continue;
		if (lex_take(p, ops[i].sign))
			return &ops[i];
	}
	return NULL;
}

static bool is_replace(enum param_op op) { return op >= PARAM_REPLACE && op <= PARAM_REPLACE_TAIL; }

/* An unknown form up to the brace: its value is unknown, but its content is still parsed. */
static void read_unknown(struct parser *p, struct syn_param *pm, enum quote_context q)
{
	pm->unknown = true;
	lex_unsure(p, "a form of ${...} that is not known");
	pm->arg = parse_argument(p, "}", q, true);
}

static void read_slice(struct parser *p, struct syn_param *pm, enum quote_context q)
{
	pm->op = PARAM_SLICE;
	size_t from = p->pos;
	pm->arg = parse_argument(p, ":}", IN_ARITH, true);
	if (memchr(p->s + from, '?', p->pos - from))
		lex_unsure(p, "a condition inside a substring expansion");
	if (lex_take(p, ":")) {
		pm->arg2 = parse_argument(p, "}", IN_ARITH, true);
		if (!pm->arg2) /* ${x::} has a length of 0 */
			pm->arg2 = part_new(p, PART_TEXT, (struct str){"", 0}, p->pos);
	}
	(void)q;
}

static void read_operator(struct parser *p, struct syn_param *pm, enum quote_context q)
{
	int c = lex_peek(p), next = lex_ahead(p, 1);
	if (c == '@' && next > 0 && strchr("UuLQEPAKak", next) && lex_ahead(p, 2) == '}') {
		lex_next(p);
		pm->op = PARAM_TRANSFORM;
		pm->letter = (char)lex_next(p);
		return;
	}
	if (c == ':' && next > 0 && strchr("-=?+", next)) {
		lex_next(p);
		pm->colon = true;
	} else if (c == ':') {
		if (p->dialect != DIALECT_BASH) /* dash does not have this form, zsh has modifiers here */
			lex_unsure(p, "a substring expansion or modifier");
		lex_next(p);
		read_slice(p, pm, q);
		return;
	}
	const struct op_row *row = read_op(p);
	if (!row) {
		read_unknown(p, pm, q);
		return;
	}
	pm->op = row->op;
	struct syn_part *slash = NULL;
	if (row->op == PARAM_REPLACE_ALL && lex_peek(p) == '/') { /* ${x////y}: the pattern is a slash */
		slash = part_new(p, PART_TEXT, STR("/"), p->pos);
		lex_next(p);
	}
	pm->arg = parse_argument(p, is_replace(row->op) ? "/}" : "}", q, row->word);
	if (slash) {
		slash->next = pm->arg;
		pm->arg = slash;
	}
	if (is_replace(row->op) && lex_take(p, "/"))
		pm->arg2 = parse_argument(p, "}", q, true);
}

/* ${#...}: a length, or an operator on $#. */
static bool read_length(struct parser *p, struct syn_param *pm)
{
	size_t keep = p->pos;
	lex_next(p);
	if (read_name(p, &pm->name)) {
		read_subscript(p, pm);
		if (lex_peek(p) == '}') {
			pm->length = true;
			return true;
		}
	}
	p->pos = keep;
	*pm = (struct syn_param){.name = STR("#")};
	lex_next(p);
	return false;
}

/* ${!...}: indirection, names with a prefix, the keys of an array, or an operator on $!. */
static void read_indirect(struct parser *p, struct syn_param *pm)
{
	size_t keep = p->pos;
	lex_next(p);
	int c = lex_peek(p);
	if (c == '}' || !(ascii_is_name(c) || is_special(c)) || (is_special(c) && lex_ahead(p, 1) != '}')) {
		p->pos = keep;
		read_name(p, &pm->name);
		return;
	}
	read_name(p, &pm->name);
	read_subscript(p, pm);
	c = lex_peek(p);
	if ((c == '*' || c == '@') && lex_ahead(p, 1) == '}') {
		pm->op = PARAM_NAMES;
		pm->all = (char)lex_next(p);
	} else if (pm->all && c == '}') {
		pm->op = PARAM_KEYS;
	} else {
		pm->indirect = true;
	}
}

struct syn_part *param_brace(struct parser *p, enum quote_context q, size_t from)
{
	lex_enter(p);
	struct syn_param *pm = arena_new(p->a, struct syn_param);
	pm->name = (struct str){"", 0};
	int c = lex_peek(p);
	if (c == '#' && lex_ahead(p, 1) != '}')
		read_length(p, pm);
	else if (c == '!' && p->dialect != DIALECT_SH)
		read_indirect(p, pm);
	else if (read_name(p, &pm->name))
		read_subscript(p, pm);
	else
		read_unknown(p, pm, q);
	if (lex_peek(p) != '}' && !pm->unknown)
		read_operator(p, pm, q);
	if (!lex_take(p, "}"))
		lex_fail(p, "${ is not closed");
	lex_exit(p);
	struct syn_part *part = part_new(p, PART_PARAM, (struct str){"", 0}, from);
	part->param = pm;
	return part;
}
