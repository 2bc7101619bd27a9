/* Characters, blanks, comments, bounds, and the bodies of here-documents. */
#include "shell/lex.h"

void lex_fail(struct parser *p, const char *why)
{
	p->error = why;
	p->error_at = p->pos < p->end ? p->pos : p->end;
	arena_leave(p->a, LEAVE_SYNTAX);
}

void lex_unsure(struct parser *p, const char *why)
{
	if (p->unsure)
		return;
	p->unsure = why;
	p->unsure_at = p->pos;
}

static void reach_bound(struct parser *p, const char *why)
{
	p->error = why;
	p->error_at = p->pos < p->end ? p->pos : p->end;
	arena_leave(p->a, LEAVE_BOUND);
}

void lex_enter(struct parser *p)
{
	if (++p->depth > PARSE_DEPTH_MAX)
		reach_bound(p, "nested too deeply");
}

void lex_burn(struct parser *p, uint64_t n)
{
	if (*p->fuel < n)
		reach_bound(p, "too much work for its length");
	*p->fuel -= n;
}

int lex_ahead(struct parser *p, unsigned k)
{
	size_t keep = p->pos;
	int c = lex_next(p);
	while (k-- > 0 && c >= 0) {
		c = lex_peek(p);
		if (k > 0)
			p->pos++;
	}
	p->pos = keep;
	return c;
}

bool lex_take(struct parser *p, const char *chars)
{
	size_t keep = p->pos;
	for (; *chars; chars++)
		if (lex_next(p) != (unsigned char)*chars) {
			p->pos = keep;
			return false;
		}
	return true;
}

bool lex_is_meta(int c)
{
	switch (c) {
	case ' ': case '\t': case '\n': case ';': case '&': case '|': case '<': case '>': case '(': case ')':
			case -1:
		return true;
	default:
		return false;
	}
}

/*
 * The parser may scan the same place again: a range that starts before the end of the last note is already
 * noted.
 */
static void add_note(struct parser *p, struct lex_note **first, struct lex_note **last, size_t from)
{
	if (*last && from < (*last)->to)
		return;
	struct lex_note *n = arena_copy(p->a, (struct lex_note){.from = from, .to = p->pos});
	if (*last)
		(*last)->next = n;
	else
		*first = n;
	*last = n;
}

void lex_blanks(struct parser *p)
{
	while (ascii_is_blank(lex_peek(p)))
		p->pos++;
	if (lex_peek(p) != '#')
		return;
	/* A comment ends at the newline, even after a backslash. */
	const char *nl = memchr(p->s + p->pos, '\n', p->end - p->pos);
	size_t from = p->pos;
	p->pos = nl ? (size_t)(nl - p->s) : p->end;
	if (memchr(p->s + from, '\'', p->pos - from) || memchr(p->s + from, '"', p->pos - from))
		add_note(p, &p->comments, &p->last_comment, from);
}

void lex_newlines(struct parser *p)
{
	for (;;) {
		lex_blanks(p);
		if (lex_peek(p) != '\n')
			return;
		lex_newline(p);
	}
}

/* ---- here-documents ---- */

/*
 * Reads one raw line of a body. With an unquoted delimiter, a backslash-newline joins lines first. Returns
 * the line without its newline; *ret_newline is false if the text ended without one.
 */
static struct str body_line(struct parser *p, bool joins, bool *ret_newline)
{
	size_t from = p->pos;
	bool joined = false;
	struct buf b;
	buf_init(&b, p->a, 0);
	while (p->pos < p->end && p->s[p->pos] != '\n') {
		if (p->s[p->pos] == '\\' && p->pos + 1 < p->end && joins) {
			if (p->s[p->pos + 1] == '\n') {
				buf_add(&b, p->s + from, p->pos - from);
				p->pos += 2;
				from = p->pos;
				joined = true;
				continue;
			}
			p->pos++;
		}
		p->pos++;
	}
	*ret_newline = p->pos < p->end;
	struct str rest = {p->s + from, p->pos - from};
	if (*ret_newline)
		p->pos++;
	if (!joined)
		return rest;
	buf_str(&b, rest);
	return buf_view(&b);
}

static struct str without_tabs(struct str line)
{
	while (line.n > 0 && line.p[0] == '\t') {
		line.p++;
		line.n--;
	}
	return line;
}

/*
 * Returns the delimiter after quote removal. bash removes only quotes: $ and ` in a delimiter are ordinary
 * characters.
 */
static struct str read_delimiter(struct parser *p, struct syn_redir *r)
{
	struct str src = r->target->source;
	struct buf b;
	buf_init(&b, p->a, 0);
	for (size_t i = 0; i < src.n; i++) {
		char c = src.p[i];
		if (c == '\\' && i + 1 < src.n) {
			if (src.p[++i] != '\n')
				buf_char(&b, src.p[i]);
		} else if (c == '\'' || c == '"') {
			for (i++; i < src.n && src.p[i] != c; i++) {
				if (c == '"' && src.p[i] == '\\' && i + 1 < src.n &&
						strchr("$`\"\\", src.p[i + 1]))
					i++;
				buf_char(&b, src.p[i]);
			}
		} else {
			buf_char(&b, c);
		}
	}
	return buf_view(&b);
}

static void read_body(struct parser *p, struct syn_redir *r)
{
	struct str delim = read_delimiter(p, r);
	struct buf b;
	buf_init(&b, p->a, 0);
	size_t from = p->pos;
	bool newline = true;
	while (newline && p->pos < p->end) {
		struct str line = body_line(p, !r->here_quoted, &newline);
		if (r->here_dash)
			line = without_tabs(line);
		if (str_eq(line, delim))
			break;
		buf_str(&b, line);
		/* bash adds a missing newline at the end of the text */
		if (newline || p->dialect == DIALECT_BASH)
			buf_char(&b, '\n');
	}
	lex_burn(p, p->pos - from);
	if (r->here_quoted)
		add_note(p, &p->bodies, &p->last_body, from);
	r->here_source = buf_view(&b); /* eval parses and expands the body when the command runs */
}

void lex_newline(struct parser *p)
{
	lex_next(p);
	struct syn_redir *r = p->pending;
	p->pending = NULL;
	p->pending_end = &p->pending;
	/* `next` of a pending redirection links the command's list; `here_next` links the pending ones. */
	for (; r; r = r->here_next)
		read_body(p, r);
}
