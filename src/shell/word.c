/* Words and their parts: quotes, expansions, substitutions, extended patterns, assignments. */
#include "shell/escape.h"
#include "shell/lex.h"

/* ---- a list of parts under construction, with a run of literal characters at its end ---- */

struct builder {
	struct parser *p;
	struct syn_part *first, **end;
	const char *run;      /* literal run: a slice of the text while it is contiguous, else owned */
	size_t run_n, run_from, run_to;
	bool owned;
	struct buf b;
};

static void build_init(struct builder *l, struct parser *p)
{
	*l = (struct builder){.p = p};
	l->end = &l->first;
}

static void build_flush(struct builder *l)
{
	if (l->run_n == 0)
		return;
	struct str text = l->owned ? buf_view(&l->b) : str_n(l->run, l->run_n);
	struct syn_part *part = part_new(l->p, PART_TEXT, text, l->run_from);
	part->at.to = (uint32_t)l->run_to; /* the parser may already be past the next part */
	LIST_ADD(l->end, part);
	l->run_n = 0;
	l->owned = false;
}

/* Adds the literal byte at offset `at` of the text. */
static void build_byte(struct builder *l, size_t at)
{
	const char *c = l->p->s + at;
	if (l->run_n == 0) {
		l->run = c;
		l->run_from = at;
	} else if (!l->owned && c != l->run + l->run_n) {
		buf_init(&l->b, l->p->a, 0);
		buf_add(&l->b, l->run, l->run_n);
		l->owned = true;
	}
	if (l->owned)
		buf_char(&l->b, *c);
	l->run_n++;
	l->run_to = at + 1;
}

static void build_part(struct builder *l, struct syn_part *part)
{
	build_flush(l);
	while (part) { /* takes a whole chain */
		LIST_ADD(l->end, part);
		part = part->next;
	}
}

static struct syn_part *build_done(struct builder *l)
{
	build_flush(l);
	return l->first;
}

struct syn_part *part_new(struct parser *p, enum part_kind kind, struct str text, size_t from)
{
	struct syn_part *part = arena_new(p->a, struct syn_part);
	part->kind = kind;
	part->text = text;
	part->at = lex_span(p, from);
	return part;
}

/* ---- quotes ---- */

static struct syn_part *single_quote(struct parser *p)
{
	size_t from = p->pos++;
	const char *close = memchr(p->s + p->pos, '\'', p->end - p->pos);
	if (!close)
		lex_fail(p, "a single quote is not closed");
	struct str text = {p->s + p->pos, (size_t)(close - p->s) - p->pos};
	p->pos += text.n + 1;
	return part_new(p, PART_QUOTED, text, from);
}

/* In abstract text, the bytes 1 and 2 mean unknown numbers and names: as data they become HOLE_ANY. */
static struct str without_marks(struct parser *p, struct str s)
{
	if (text_exact(s))
		return s;
	char *copy = arena_alloc(p->a, s.n);
	for (size_t i = 0; i < s.n; i++)
		copy[i] = text_hole(s.p[i]) ? HOLE_ANY : s.p[i];
	return str_n(copy, s.n);
}

/* At the quote of $'...'. */
static struct syn_part *ansi_quote(struct parser *p, size_t from)
{
	size_t start = ++p->pos;
	while (p->pos < p->end && p->s[p->pos] != '\'')
		p->pos += p->s[p->pos] == '\\' ? 2 : 1;
	if (p->pos >= p->end) {
		p->pos = p->end;
		lex_fail(p, "a $' quote is not closed");
	}
	struct str raw = {p->s + start, p->pos - start};
	p->pos++;
	return part_new(p, PART_QUOTED, without_marks(p, escape_ansi_c(p->a, raw)), from);
}

/*
 * The characters that a backslash quotes inside double quotes, and thus also in here-documents and in ${ }
 * there.
 */
static bool double_escapable(int c, enum quote_context q, const char *stops)
{
	if (c == '$' || c == '`' || c == '\\')
		return true;
	if (c == '"')
		return q != IN_HERE;
	return c == '}' && stops && strchr(stops, '}');
}

static struct syn_part *double_quote(struct parser *p)
{
	size_t from = p->pos++;
	lex_enter(p);
	struct until u = {.stops = "\"", .quotes = IN_DOUBLE};
	struct syn_part *inside = parts_until(p, &u);
	p->pos++; /* parts_until stopped at the quote */
	lex_exit(p);
	struct syn_part *part = part_new(p, PART_DOUBLE, (struct str){"", 0}, from);
	part->inside = inside;
	return part;
}

/* ---- substitutions ---- */

/*
 * The result of parsing "$(" at a position. "$((" may be tried as arithmetic first; the memo saves a second
 * parse per level.
 */
struct subst_memo {
	size_t pos, after;
	struct syn_part *part;
};

static struct subst_memo *memo_slot(struct parser *p, size_t pos)
{
	if (p->memo_n * 2 >= p->memo_cap) {
		size_t old = p->memo_cap;
		struct subst_memo *was = p->memo;
		p->memo_cap = old ? old * 2 : 16;
		p->memo = arena_array(p->a, p->memo_cap, sizeof *p->memo);
		p->memo_n = 0;
		for (size_t i = 0; i < old; i++)
			if (was[i].part) {
				*memo_slot(p, was[i].pos) = was[i];
				p->memo_n++;
			}
	}
	size_t i = (pos * 2654435761u) & (p->memo_cap - 1);
	while (p->memo[i].part && p->memo[i].pos != pos)
		i = (i + 1) & (p->memo_cap - 1);
	return &p->memo[i];
}

static void memo_keep(struct parser *p, size_t pos, struct syn_part *part)
{
	struct subst_memo *m = memo_slot(p, pos);
	if (!m->part)
		p->memo_n++;
	*m = (struct subst_memo){pos, p->pos, part};
}

/* At "((" after a "$": arithmetic if "))" closes it, else NULL and nothing consumed. */
static struct syn_part *try_arith(struct parser *p, size_t from)
{
	struct syn_part *inside;
	if (!parts_arith(p, &inside))
		return NULL;
	struct syn_part *part = part_new(p, PART_ARITH, (struct str){"", 0}, from);
	part->inside = inside;
	return part;
}

/* At "(" after "$". */
static struct syn_part *dollar_paren(struct parser *p, size_t from)
{
	size_t key = p->pos;
	struct subst_memo *m = memo_slot(p, key);
	if (m->part) {
		p->pos = m->after;
		/* a part belongs to one list: return a copy */
		struct syn_part *copy = arena_new(p->a, struct syn_part);
		*copy = *m->part;
		copy->next = NULL;
		return copy;
	}
	lex_enter(p);
	struct syn_part *part = lex_ahead(p, 1) == '(' ? try_arith(p, from) : NULL;
	if (!part) {
		lex_next(p);
		struct syn_node *body = parse_substitution(p);
		part = part_new(p, PART_COMMAND, (struct str){"", 0}, from);
		part->body = body;
		if (!body) /* $( ) runs nothing, which an empty list expresses */
			part->body = arena_new(p->a, struct syn_node), part->body->kind = NODE_LIST;
	}
	lex_exit(p);
	memo_keep(p, key, part);
	return part;
}

/*
 * At the first backtick. Removes the backslashes that protect $ ` and \ (and " inside double quotes); the
 * result is a script.
 */
static struct syn_part *read_backtick(struct parser *p, enum quote_context q)
{
	size_t from = p->pos++;
	struct buf b;
	buf_init(&b, p->a, 0);
	for (;;) {
		int c = lex_next(p);
		if (c < 0)
			lex_fail(p, "a backtick is not closed");
		if (c == '`')
			break;
		if (c == '\\' && p->pos < p->end) {
			int d = (unsigned char)p->s[p->pos++];
			if (!(d == '$' || d == '`' || d == '\\' || (d == '"' && q == IN_DOUBLE)))
				buf_char(&b, '\\');
			c = d;
		}
		buf_char(&b, (char)c);
	}
	return part_new(p, PART_COMMAND, buf_view(&b), from);
}

static struct syn_part *read_process(struct parser *p)
{
	size_t from = p->pos;
	struct str sign = {p->s + from, 1};
	lex_next(p);
	lex_next(p);
	lex_enter(p);
	struct syn_node *body = parse_substitution(p);
	lex_exit(p);
	struct syn_part *part = part_new(p, PART_PROCESS, sign, from);
	part->body = body;
	return part;
}

static bool process_ahead(struct parser *p, int c)
{
	return (c == '<' || c == '>') && p->dialect != DIALECT_SH && lex_ahead(p, 1) == '(';
}

/* At the name of $x, $1, $@ ...; NULL if there is none. */
static struct syn_part *dollar_name(struct parser *p, size_t from)
{
	int c = lex_peek(p);
	struct syn_param *pm = arena_new(p->a, struct syn_param);
	if (ascii_is_name_start(c)) {
		struct buf b;
		buf_init(&b, p->a, 0);
		while (ascii_is_name(lex_peek(p)))
			buf_char(&b, (char)lex_next(p));
		pm->name = buf_view(&b);
	} else if (c > 0 && strchr("0123456789@*#?-$!", c)) {
		pm->name = str_n(p->s + p->pos, 1);
		lex_next(p);
	} else {
		return NULL;
	}
	struct syn_part *part = part_new(p, PART_PARAM, (struct str){"", 0}, from);
	part->param = pm;
	if (p->dialect == DIALECT_ZSH && (lex_peek(p) == '[' || lex_peek(p) == ':'))
		lex_unsure(p, "zsh subscripts and modifiers without braces are not followed");
	return part;
}

/*
 * $'...' inside "${x:-...}": bash decodes it while it searches for the closing brace. It leaves the result in
 * the text and parses it again, so the result may be an expansion.
 */
static struct syn_part *ansi_in_double(struct parser *p, size_t from)
{
	lex_unsure(p, "a $'...' inside \"${...}\" may make syntax of its own");
	return ansi_quote(p, from);
}

static struct syn_part *read_dollar(struct parser *p, enum quote_context q)
{
	if (lex_peek(p) == '`')
		return read_backtick(p, q);
	size_t from = p->pos;
	lex_next(p);
	int c = lex_peek(p);
	bool plain_sh = p->dialect == DIALECT_SH;
	struct syn_part *part = NULL;
	if (c == '(') {
		part = dollar_paren(p, from);
	} else if (c == '{') {
		lex_next(p);
		part = param_brace(p, q, from);
	} else if (c == '[' && !plain_sh) {
		struct syn_part *inside = parts_subscript(p);
		part = part_new(p, PART_ARITH, (struct str){"", 0}, from);
		part->inside = inside;
	} else if (c == '\'' && q == IN_NOTHING && !plain_sh) {
		part = ansi_quote(p, from);
	} else if (c == '"' && q == IN_NOTHING && !plain_sh) {
		part = double_quote(p);
	} else {
		part = dollar_name(p, from);
	}
	if (part)
		return part;
	if (p->dialect == DIALECT_ZSH && c > 0 && strchr("~=^+", c))
		lex_unsure(p, "an expansion of zsh that is not followed");
	return part_new(p, PART_TEXT, STR("$"), from);
}

/* ---- the general reader of parts ---- */

/* At a single quote that hides stops but not expansions. */
static void soft_quote(struct builder *l, const struct until *u)
{
	struct parser *p = l->p;
	const char *close = memchr(p->s + p->pos + 1, '\'', p->end - p->pos - 1);
	if (!close)
		lex_fail(p, "a single quote is not closed");
	size_t stop = (size_t)(close - p->s), end = p->end;
	build_byte(l, p->pos++);
	lex_enter(p);
	p->end = stop;
	struct until inner = {.stops = "", .quotes = u->quotes == IN_HERE ? IN_HERE : IN_DOUBLE,
			.whole = true};
	build_part(l, parts_until(p, &inner));
	p->end = end;
	lex_exit(p);
	build_byte(l, p->pos++);
}

static void read_backslash(struct builder *l, const struct until *u)
{
	struct parser *p = l->p;
	size_t from = p->pos++;
	if (p->pos >= p->end) {
		if (p->dialect == DIALECT_ZSH)
			lex_unsure(p, "a backslash at the end of a text, which zsh drops");
		build_byte(l, from);
		return;
	}
	int c = (unsigned char)p->s[p->pos];
	bool quotes = u->quotes == IN_NOTHING ||
			(u->quotes != IN_ARITH && double_escapable(c, u->quotes, u->stops));
	if (u->quotes == IN_ARITH && (c == '$' || c == '`' || c == '"' || c == '\\'))
		quotes = true;
	if (quotes) {
		p->pos++;
		build_part(l, part_new(p, PART_QUOTED, str_n(p->s + from + 1, 1), from));
		return;
	}
	if (u->quotes == IN_HERE && c == '"' && strchr(u->stops, '}'))
		lex_unsure(p, "quotes inside ${...} of a here-document");
	build_byte(l, from);
	build_byte(l, p->pos++);
}

static void quote_char(struct builder *l, const struct until *u, int c)
{
	struct parser *p = l->p;
	if (c == '"') {
		if (u->quotes == IN_HERE) { /* shells differ in the operators for which they remove it */
			lex_unsure(p, "quotes inside ${...} of a here-document");
			build_byte(l, p->pos++);
		}
		else
			build_part(l, double_quote(p));
	} else if (u->quotes == IN_NOTHING || !u->soft) {
		if (u->quotes == IN_HERE)
			build_byte(l, p->pos++);
		else
			build_part(l, single_quote(p));
	} else {
		soft_quote(l, u);
	}
}

/*
 * True if quotes quote here. Directly inside "..." and in the body of a here-document a single quote is an
 * ordinary character; in the body a double quote is, too.
 */
static bool quotes_count(const struct until *u)
{
	if (u->quotes == IN_DOUBLE && u->stops[0] == '"')
		return false;
	return !u->whole || u->quotes == IN_NOTHING || u->quotes == IN_ARITH;
}

/* True at $'...' inside "${x#...}". */
static bool ansi_ahead(struct parser *p, const struct until *u, int c)
{
	return c == '$' && u->quotes == IN_DOUBLE && u->stops[0] != '"' && lex_ahead(p, 1) == '\'' &&
		p->dialect != DIALECT_SH;
}

/* Reads one part or one character. *level counts the open brackets. */
static void part_at(struct builder *l, const struct until *u, int c, unsigned *level)
{
	struct parser *p = l->p;
	size_t from = p->pos;

	if (c == '\\') {
		read_backslash(l, u);
	} else if (ansi_ahead(p, u, c)) {
		lex_next(p);
		build_part(l, ansi_in_double(p, from));
	} else if (c == '$' || c == '`') {
		build_part(l, read_dollar(p, u->quotes == IN_ARITH ? IN_DOUBLE : u->quotes));
	} else if ((c == '\'' || c == '"') && quotes_count(u)) {
		quote_char(l, u, c);
	} else if (u->quotes == IN_NOTHING && process_ahead(p, c)) {
		build_part(l, read_process(p));
	} else {
		if (u->open && c == u->open)
			(*level)++;
		else if (u->close && c == u->close && *level > 0)
			(*level)--;
		build_byte(l, p->pos++);
	}
}

struct syn_part *parts_until(struct parser *p, const struct until *u)
{
	struct builder l;
	unsigned level = 0;

	build_init(&l, p);
	for (;;) {
		int c = lex_peek(p);

		if (c < 0 && u->whole)
			return build_done(&l);
		if (c < 0)
			lex_fail(p, u->stops[0] == '"' ? "a double quote is not closed" :
					"an expansion is not closed");
		if (level == 0 && strchr(u->stops, c) && c != 0)
			return build_done(&l);
		part_at(&l, u, c, &level);
	}
}

bool parts_arith(struct parser *p, struct syn_part **ret_inside)
{
	size_t keep = p->pos;
	lex_take(p, "((");
	struct until u = {.stops = ")", .open = '(', .close = ')', .quotes = IN_ARITH, .soft = true};
	*ret_inside = parts_until(p, &u);
	if (lex_take(p, "))"))
		return true;
	lex_burn(p, p->pos - keep);
	p->pos = keep;
	return false;
}

struct syn_part *parts_subscript(struct parser *p)
{
	lex_next(p);
	lex_enter(p);
	struct until u = {.stops = "]", .open = '[', .close = ']', .quotes = IN_ARITH, .soft = true};
	struct syn_part *parts = parts_until(p, &u);
	lex_next(p);
	lex_exit(p);
	return parts;
}

/* ---- words ---- */

/*
 * Reads a group in parentheses that belongs to the word: an extended pattern's alternatives, or a group in a
 * regular expression.
 */
static void read_group(struct builder *l)
{
	struct parser *p = l->p;
	build_byte(l, p->pos++);
	lex_enter(p);
	struct until u = {.stops = ")", .open = '(', .close = ')', .quotes = IN_NOTHING};
	build_part(l, parts_until(p, &u));
	lex_exit(p);
	build_byte(l, p->pos++);
}

/* NAME[...] where an assignment may stand is one word up to the closing bracket, including blanks. */
static void read_bracket(struct builder *l)
{
	struct parser *p = l->p;
	size_t from = p->pos;
	build_byte(l, from);
	p->pos++;
	lex_enter(p);
	struct until u = {.stops = "]", .open = '[', .close = ']', .quotes = IN_NOTHING};
	build_part(l, parts_until(p, &u));
	lex_exit(p);
	build_byte(l, p->pos++);
}

static bool run_is_name(const struct builder *l)
{
	if (l->first || l->run_n == 0 || !ascii_is_name_start((unsigned char)l->run[0]))
		return false;
	struct str run = l->owned ? buf_view(&l->b) : str_n(l->run, l->run_n);
	for (size_t i = 0; i < run.n; i++)
		if (!ascii_is_name((unsigned char)run.p[i]))
			return false;
	return true;
}

static bool extended_ahead(struct parser *p, int c, enum word_context cx)
{
	if (!strchr("?*+@!", c) || p->dialect == DIALECT_SH ||
			!(p->extglob || cx == WORD_PATTERN || cx == WORD_WHOLE))
		return false;
	return lex_ahead(p, 1) == '(';
}

/* Reads one step of a word. False if the next character ends the word. */
static bool word_step(struct builder *l, struct syn_word *w, enum word_context cx)
{
	struct parser *p = l->p;
	int c = lex_peek(p);
	if (c < 0)
		return false;
	if (c == '\\') {
		struct until u = {.stops = "", .quotes = IN_NOTHING};
		read_backslash(l, &u);
	} else if (c == '\'') {
		build_part(l, single_quote(p));
	} else if (c == '"') {
		build_part(l, double_quote(p));
	} else if (c == '$' || c == '`') {
		build_part(l, read_dollar(p, IN_NOTHING));
	} else if (process_ahead(p, c)) {
		build_part(l, read_process(p));
	} else if (c && extended_ahead(p, c, cx)) {
		build_byte(l, p->pos++);
		lex_peek(p);
		read_group(l);
	} else if (cx == WORD_REGEX && c == '(') {
		read_group(l);
	} else if (cx == WORD_COMMAND && c == '[' && p->dialect != DIALECT_SH && run_is_name(l)) {
		read_bracket(l);
	} else if (lex_is_meta(c) && cx != WORD_WHOLE && !(cx == WORD_REGEX && c == '|')) {
		return false;
	} else {
		w->braces |= c == '{';
		build_byte(l, p->pos++);
	}
	return true;
}

struct syn_word *word_read(struct parser *p, enum word_context cx)
{
	int c = lex_peek(p);
	if (cx != WORD_WHOLE && lex_is_meta(c) && !process_ahead(p, c) &&
			!(cx == WORD_REGEX && (c == '(' || c == '|')))
		return NULL;
	struct syn_word *w = arena_new(p->a, struct syn_word);
	struct builder l;
	build_init(&l, p);
	size_t from = p->pos;
	while (word_step(&l, w, cx))
		;
	lex_burn(p, p->pos - from);
	w->parts = build_done(&l);
	w->source = str_n(p->s + from, p->pos - from);
	w->at = lex_span(p, from);
	w->plain = !w->parts || (w->parts->kind == PART_TEXT && !w->parts->next);
	return w;
}
