/*
 * Parses the parts of a simple command: redirections, assignments, and the arguments of declare and related
 * builtins.
 */
#include "shell/parse_inner.h"

/* ---- redirections ---- */

static const struct {
	char sign[4];
	enum redir_op op;
	unsigned dialects;
} signs[] = { /* longer signs first */
	{"&>>", REDIR_BOTH_APPEND, BASH | ZSH}, {"<<<", REDIR_HERE_STRING, BASH | ZSH},
	{"<<-", REDIR_HERE, ALL},
	{"&>", REDIR_BOTH, BASH | ZSH}, {"<<", REDIR_HERE, ALL}, {"<&", REDIR_DUP_IN, ALL},
	{">&", REDIR_DUP_OUT, ALL},
	{"<>", REDIR_READ_WRITE, ALL}, {">>", REDIR_APPEND, ALL}, {">|", REDIR_CLOBBER, ALL},
	{"<", REDIR_READ, ALL}, {">", REDIR_WRITE, ALL},
};

/* True for a name, or a name with a subscript. */
static bool fd_variable(struct str s)
{
	size_t i = 0;
	while (i < s.n && ascii_is_name((unsigned char)s.p[i]))
		i++;
	return i > 0 && ascii_is_name_start((unsigned char)s.p[0]) &&
			(i == s.n || (s.p[i] == '[' && s.p[s.n - 1] == ']'));
}

/*
 * Reads the digits or {var} before an operator, if an operator follows directly. Otherwise consumes nothing.
 */
static bool redir_prefix(struct parser *p, struct syn_redir *r)
{
	size_t keep = p->pos;
	int c = lex_peek(p);
	struct buf b;
	buf_init(&b, p->a, 0);
	r->fd = -1;
	if (ascii_is_digit(c)) {
		int64_t n = 0;
		for (; ascii_is_digit(c); c = lex_peek(p)) {
			n = n > INT32_MAX ? n : n * 10 + (c - '0');
			lex_next(p);
		}
		r->fd = (int)n;
		/*
		 * A number beyond int is a word. dash allows only one digit: 20>f is a word and a redirection
		 * there.
		 */
		if (n > INT32_MAX || (p->dialect == DIALECT_SH && p->pos > keep + 1)) {
			p->pos = keep;
			return false;
		}
	} else if (c == '{' && p->dialect != DIALECT_SH) {
		lex_next(p);
		while ((c = lex_peek(p)) >= 0 && !lex_is_meta(c) && c != '}' && !strchr("'\"\\$`", c))
			buf_char(&b, (char)lex_next(p));
		if (!fd_variable(buf_view(&b)) || !lex_take(p, "}")) {
			p->pos = keep;
			return false;
		}
		r->var = buf_view(&b);
	}
	c = lex_peek(p);
	bool process = p->dialect != DIALECT_SH && lex_ahead(p, 1) == '(';
	if ((c == '<' || c == '>') && !process)
		return true;
	if (p->pos == keep && c == '&' && p->dialect != DIALECT_SH && lex_ahead(p, 1) == '>')
		return true;
	p->pos = keep;
	return false;
}

static bool source_quoted(struct str s)
{
	return str_has(s, '\'') || str_has(s, '"') || str_has(s, '\\');
}

static void here_target(struct parser *p, struct syn_redir *r)
{
	/* A backslash-newline in the delimiter does not quote it: rebuild the source without it. */
	struct str src = r->target->source;
	struct buf b;
	buf_init(&b, p->a, 0);
	for (size_t i = 0; i < src.n; i++) {
		if (src.p[i] == '\\' && i + 1 < src.n && src.p[i + 1] == '\n')
			i++;
		else
			buf_char(&b, src.p[i]);
	}
	r->target->source = buf_view(&b);
	r->here_quoted = source_quoted(r->target->source);
	if (str_has(r->target->source, '$') ||
			str_has(r->target->source, '`'))
		lex_unsure(p, "a here-document delimiter with an expansion in it");
	if (!p->pending)
		p->pending_end = &p->pending;
	*p->pending_end = r;
	p->pending_end = &r->here_next;
}

/* Parses a redirection at the position; NULL if there is none. */
struct syn_redir *parse_redirection(struct parser *p)
{
	int c = lex_peek(p);
	if (!(c == '<' || c == '>' || c == '&' || c == '{' || ascii_is_digit(c)))
		return NULL;
	size_t from = p->pos;
	struct syn_redir *r = arena_new(p->a, struct syn_redir);
	r->here_source = (struct str){"", 0};
	if (!redir_prefix(p, r))
		return NULL;
	size_t i = 0;
	while (!((signs[i].dialects & 1u << p->dialect) && lex_take(p, signs[i].sign)))
		i++; /* ends: every dialect has "<" and ">", and one of them is next */
	r->op = signs[i].op;
	r->here_dash = strcmp(signs[i].sign, "<<-") == 0;
	if (p->dialect == DIALECT_ZSH && lex_peek(p) == '!')
		lex_unsure(p, "a forced redirection of zsh");
	lex_blanks(p);
	r->target = word_read(p, WORD_NORMAL);
	if (!r->target)
		lex_fail(p, "a redirection has no target");
	if (r->op == REDIR_HERE)
		here_target(p, r);
	r->at = lex_span(p, from);
	return r;
}

struct syn_redir **parse_redirections(struct parser *p, struct syn_redir **list)
{
	struct syn_redir **end = list, *r;

	while (*end)
		end = &(*end)->next;
	for (lex_blanks(p); (r = parse_redirection(p)); lex_blanks(p))
		LIST_ADD(end, r);
	return end;
}

/* ---- assignments ---- */

static struct syn_word *empty_word(struct parser *p)
{
	struct syn_word *w = arena_new(p->a, struct syn_word);
	w->source = (struct str){"", 0};
	w->plain = true;
	w->at = lex_span(p, p->pos);
	return w;
}

/* Parses [subscript]= or [subscript]+=. Otherwise false, and consumes nothing. */
static bool element_key(struct parser *p, struct syn_element *el)
{
	size_t keep = p->pos;
	if (lex_peek(p) != '[')
		return false;
	struct syn_part *sub = parts_subscript(p);
	bool append = lex_take(p, "+=");
	if (append || lex_take(p, "=")) {
		el->subscripted = true;
		el->subscript = sub;
		el->append = append;
		return true;
	}
	p->pos = keep;
	return false;
}

/* After the "(" of NAME=( ... ). */
static void array_elements(struct parser *p, struct syn_assign *as)
{
	as->array = true;
	struct syn_element **end = &as->elements;
	lex_enter(p);
	struct syn_redir *outer = p->pending, **outer_end = p->pending_end;
	for (;;) {
		p->pending = NULL;
		lex_newlines(p);
		p->pending = outer;
		p->pending_end = outer_end;
		if (lex_take(p, ")")) {
			if (!lex_is_meta(lex_peek(p))) { /* bash adds the following text to the same word */
				lex_unsure(p, "text directly after an array");
				word_read(p, WORD_NORMAL);
			}
			break;
		}
		struct syn_element *el = arena_new(p->a, struct syn_element);
		bool keyed = element_key(p, el);
		el->value = word_read(p, WORD_NORMAL);
		if (!el->value && !keyed)
			lex_fail(p, "an array is not closed");
		if (!el->value)
			el->value = empty_word(p);
		LIST_ADD(end, el);
	}
	lex_exit(p);
}

/* Consumes NAME=, NAME+= or NAME[..]=. Otherwise false. */
static bool assign_head(struct parser *p, struct syn_assign *as)
{
	size_t keep = p->pos;
	if (!ascii_is_name_start(lex_peek(p)))
		return false;
	struct buf b;
	buf_init(&b, p->a, 0);
	while (ascii_is_name(lex_peek(p)))
		buf_char(&b, (char)lex_next(p));
	as->name = buf_view(&b);
	int c = lex_peek(p);
	if (c == '[' && p->dialect != DIALECT_SH) {
		as->subscripted = true;
		as->subscript = parts_subscript(p);
	}
	if (lex_take(p, "=") || (p->dialect != DIALECT_SH && (as->append = lex_take(p, "+="))))
		return true;
	p->pos = keep;
	return false;
}

/* Cheap check before any allocation: a name directly followed by = + or [. */
static bool assign_ahead(struct parser *p)
{
	size_t i = p->pos;
	if (i >= p->end || !ascii_is_name_start((unsigned char)p->s[i]))
		return false;
	while (i < p->end && ascii_is_name((unsigned char)p->s[i]))
		i++;
	return i < p->end && (p->s[i] == '=' || p->s[i] == '+' || p->s[i] == '[' || p->s[i] == '\\');
}

struct syn_assign *parse_assignment(struct parser *p)
{
	if (!assign_ahead(p))
		return NULL;
	size_t from = p->pos;
	struct syn_assign *as = arena_new(p->a, struct syn_assign);
	if (!assign_head(p, as))
		return NULL;
	if (lex_peek(p) == '(' && p->dialect != DIALECT_SH) {
		lex_next(p);
		array_elements(p, as);
	} else {
		as->value = word_read(p, WORD_NORMAL);
		if (!as->value)
			as->value = empty_word(p);
	}
	as->at = lex_span(p, from);
	return as;
}

/* Parses an argument of declare or a related builtin: a word that also has its form as an assignment. */
struct syn_word *parse_declared_word(struct parser *p)
{
	size_t from = p->pos;
	struct syn_assign *as = parse_assignment(p);
	if (!as)
		return word_read(p, WORD_NORMAL);
	struct syn_word *w = arena_new(p->a, struct syn_word);
	w->source = str_n(p->s + from, p->pos - from);
	w->at = lex_span(p, from);
	w->assign = as;
	struct syn_part *head = part_new(p, PART_TEXT,
			str_cat(p->a, as->name, as->append ? STR("+=") : STR("=")), from);
	w->parts = head;
	if (as->value)
		head->next = as->value->parts;
	w->braces = as->value && as->value->braces;
	return w;
}

bool parse_declares(const struct parser *p, const struct syn_word *w)
{
	if (!w->plain || !w->parts || p->dialect == DIALECT_SH)
		return false;
	return str_is_any(w->parts->text, "declare typeset export readonly local alias eval let");
}
