/*
 * The parser's state, its reading of characters, and its way of failing. Shared by lex.c (characters, blanks,
 * here-documents), word.c (words and what is inside them), param.c (${ }) and parse.c (commands).
 *
 * There are no tokens in between: bash's grammar decides by context what a character means, so the parser
 * looks at characters and each function knows its context. A backslash-newline is no character at all outside
 * single quotes; lex_peek() and lex_next() skip it.
 *
 * Failing: lex_fail() leaves the arena_run() of parse_line() or parse_words() with LEAVE_SYNTAX; bounds leave
 * with LEAVE_BOUND.
 */
#pragma once
#include "base/pmap.h"
#include "shell/syntax.h"

enum { LEAVE_SYNTAX = -2, LEAVE_BOUND = -3 };

#define PARSE_DEPTH_MAX 160      /* nested commands, substitutions and quotes together */

struct subst_memo;                     /* what a $( at a position was read as */

struct lex_note {                /* a range of the text that the tree does not keep; in order, each once */
	struct lex_note *next;
	size_t from, to;
};

struct parser {
	struct arena *a;
	enum dialect dialect;
	bool extglob;            /* shopt -s extglob is on, or may be */
	uint32_t text;           /* index of the text for spans */
	const char *s;
	size_t pos, end;
	unsigned depth;
	uint64_t *fuel;
	struct syn_redir *pending, **pending_end; /* here-documents whose bodies have not come yet */
	const struct pmap *aliases;
	/* words that start before this were made by an alias: they are not looked up again */
	size_t alias_done;
	struct str alias_barred; /* nor is this one before alias_barred_end: it is being replaced there */
	size_t alias_barred_end;
	bool alias_found;        /* the first one that applies */
	size_t alias_from, alias_to;
	struct str alias_name;
	const char *error;       /* after a failure: what, and where */
	size_t error_at;
	const char *unsure;      /* the text was read, but real shells may read it otherwise: not complete */
	size_t unsure_at;
	struct lex_note *comments, *last_comment; /* of this line: those with a quote character in them */
	struct lex_note *bodies, *last_body;      /* and here-documents whose delimiter is quoted */
	struct subst_memo *memo;
	size_t memo_cap, memo_n;
};

void lex_fail(struct parser *p, const char *why) __attribute__((noreturn));
/* Reading goes on, but the result is not to be relied on. */
void lex_unsure(struct parser *p, const char *why);
/* one level deeper; leaves with LEAVE_BOUND past the bound */
void lex_enter(struct parser *p);
static inline void lex_exit(struct parser *p) { p->depth--; }
void lex_burn(struct parser *p, uint64_t n);       /* takes fuel */

/* The character at the position, past any backslash-newline; -1 at the end. */
static inline int lex_peek(struct parser *p)
{
	while (p->pos + 1 < p->end && p->s[p->pos] == '\\' && p->s[p->pos + 1] == '\n')
		p->pos += 2;
	return p->pos < p->end ? (unsigned char)p->s[p->pos] : -1;
}
static inline int lex_next(struct parser *p)
{
	int c = lex_peek(p);
	if (c >= 0)
		p->pos++;
	return c;
}
/* The k-th character after the current one (k >= 1). */
int lex_ahead(struct parser *p, unsigned k);
bool lex_take(struct parser *p, const char *chars); /* these characters come next: skip them */

static inline bool lex_is_blank(int c) { return c == ' ' || c == '\t'; }
bool lex_is_meta(int c);                            /* ends a word: blank newline ; & | < > ( ) or the end */
static inline bool lex_name_start(int c) { return ascii_is_name_start(c); }
static inline bool lex_name_char(int c) { return lex_name_start(c) || ascii_is_digit(c); }

void lex_blanks(struct parser *p);                  /* blanks and a comment */
/* blanks, comments and newlines (with the here-documents that start there) */
void lex_newlines(struct parser *p);
/* consumes one newline and reads pending here-documents */
void lex_newline(struct parser *p);

static inline struct span lex_span(const struct parser *p, size_t from)
{
	return (struct span){p->text, (uint32_t)from, (uint32_t)p->pos};
}

/* ---- word.c ---- */

enum word_context {
	WORD_NORMAL,
	WORD_COMMAND,   /* where a command's name or an assignment may stand: NAME[...] is read whole */
	WORD_PATTERN,   /* extended patterns are on (case, [[ == ]]) */
	WORD_REGEX,     /* right side of =~ */
	WORD_WHOLE,     /* the text is one word: no character ends it */
};

/* NULL when no word starts here. */
struct syn_word *word_read(struct parser *p, enum word_context cx);
enum quote_context { IN_NOTHING, IN_DOUBLE, IN_HERE, IN_ARITH };

/*
 * How far parts_until() reads and what quotes mean there. bash finds the end of ${ } and (( )) in a first
 * pass in which single quotes always quote, and expands in a second in which, inside double quotes, they may
 * be ordinary characters: `soft` single quotes hide the stop characters but not the expansions between them.
 */
struct until {
	const char *stops;       /* any of these ends the parts, outside quotes and at nesting level 0 */
	char open, close;        /* nesting that hides stops, or 0 */
	enum quote_context quotes;
	bool soft;
	bool whole;              /* the end of the text also ends the parts */
};
struct syn_part *parts_until(struct parser *p, const struct until *u);
struct syn_part *part_new(struct parser *p, enum part_kind kind, struct str text, size_t from);
struct syn_part *parts_subscript(struct parser *p);        /* at the [, ends past the ] */

/* ---- param.c ---- */
struct syn_part *param_brace(struct parser *p, enum quote_context q, size_t from); /* past "${" */

/* ---- parse.c ---- */
/* past "$(" or "<(": a list up to and including ")" */
struct syn_node *parse_substitution(struct parser *p);
