/* Parses [[ ... ]]: a small grammar in which < > ( ) && || and newlines have other meanings. */
#include "shell/parse_inner.h"

static struct syn_test *any_of(struct parser *p);

static struct syn_test *test_new(struct parser *p, enum test_kind kind)
{
	struct syn_test *t = arena_new(p->a, struct syn_test);
	t->kind = kind;
	return t;
}

static bool is_unary(const struct syn_word *w)
{
	if (!w->plain || !w->parts || w->parts->text.n != 2 || w->parts->text.p[0] != '-')
		return false;
	return strchr("abcdefghknoprstuvwxzGLNORS", w->parts->text.p[1]) != NULL;
}

static bool is_binary(const struct syn_word *w)
{
	if (!w->plain || !w->parts)
		return false;
	return str_is_any(w->parts->text, "= == != =~ -eq -ne -lt -le -gt -ge -nt -ot -ef");
}

static bool is_closing(struct parser *p)
{
	return lex_peek(p) == ']' && lex_ahead(p, 1) == ']' && lex_is_meta(lex_ahead(p, 2));
}

static struct syn_word *parse_operand(struct parser *p, enum word_context cx)
{
	lex_newlines(p);
	struct syn_word *w = is_closing(p) ? NULL : word_read(p, cx);
	if (!w)
		lex_fail(p, "an operand is missing in [[ ]]");
	return w;
}

/* After the left word: parses an operator and the right side, or nothing. */
static struct syn_test *parse_comparison(struct parser *p, struct syn_word *left)
{
	struct syn_test *t = test_new(p, TEST_WORD);
	t->a = left;
	t->op = STR("-n");
	lex_newlines(p);
	int c = lex_peek(p);
	if ((c == '<' || c == '>') && lex_ahead(p, 1) != '(') {
		t->op = str_n(p->s + p->pos, 1);
		lex_next(p);
		t->kind = TEST_BINARY;
		t->b = parse_operand(p, WORD_NORMAL);
		return t;
	}
	size_t keep = p->pos;
	struct syn_word *op = is_closing(p) ? NULL : word_read(p, WORD_NORMAL);
	if (!op)
		return t;
	if (!is_binary(op)) {
		p->pos = keep;
		lex_fail(p, "an operator is missing in [[ ]]");
	}
	t->kind = TEST_BINARY;
	t->op = op->parts->text;
	bool equal = t->op.n <= 2 && t->op.p[t->op.n - 1] == '=';
	t->b = parse_operand(p, str_is(t->op, "=~") ? WORD_REGEX : equal ? WORD_PATTERN : WORD_NORMAL);
	return t;
}

static struct syn_test *parse_term(struct parser *p)
{
	lex_newlines(p);
	lex_burn(p, 1);
	if (lex_peek(p) == '(') {
		lex_next(p);
		lex_enter(p);
		struct syn_test *t = any_of(p);
		lex_newlines(p);
		if (!lex_take(p, ")"))
			lex_fail(p, "a parenthesis is not closed in [[ ]]");
		lex_exit(p);
		return t;
	}
	struct syn_word *w = parse_operand(p, WORD_NORMAL);
	if (w->plain && w->parts && str_is(w->parts->text, "!")) {
		struct syn_test *t = test_new(p, TEST_NOT);
		lex_enter(p);
		t->left = parse_term(p);
		lex_exit(p);
		return t;
	}
	if (!is_unary(w))
		return parse_comparison(p, w);
	lex_newlines(p);
	struct syn_test *t = test_new(p, TEST_UNARY);
	t->op = w->parts->text;
	t->a = parse_operand(p, WORD_NORMAL);
	return t;
}

/* Builds left-deep chains in a loop: a long chain costs no depth. */
static struct syn_test *parse_chain(struct parser *p, const char *sign, enum test_kind kind,
		struct syn_test *(*next)(struct parser *))
{
	struct syn_test *left = next(p);
	for (;;) {
		lex_newlines(p);
		if (!lex_take(p, sign))
			return left;
		struct syn_test *t = test_new(p, kind);
		t->left = left;
		t->right = next(p);
		left = t;
	}
}

static struct syn_test *all_of(struct parser *p) { return parse_chain(p, "&&", TEST_AND, parse_term); }
static struct syn_test *any_of(struct parser *p) { return parse_chain(p, "||", TEST_OR, all_of); }

struct syn_node *parse_test(struct parser *p, size_t from)
{
	struct syn_node *n = parse_node(p, NODE_COND, from);
	n->test = any_of(p);
	lex_newlines(p);
	if (!is_closing(p))
		lex_fail(p, "[[ is not closed");
	lex_next(p);
	lex_next(p);
	n->at = lex_span(p, from);
	return n;
}
