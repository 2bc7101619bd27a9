/*
 * The parser's state, its scanning of characters, and its errors. Shared by lex.c (characters, blanks,
 * here-documents), word.c (words and their parts), param.c (${ }) and the parse*.c files (commands).
 *
 * There is no separate tokenizer: in bash's grammar the meaning of a character depends on context, so the
 * parser works on characters and each function knows its context. A backslash-newline counts as no character
 * outside single quotes; lex_peek() and lex_next() skip it.
 *
 * Errors: lex_fail() leaves the arena_run() of parse_line(), parse_word() or parse_text() with LEAVE_SYNTAX.
 * A bound that is reached leaves it with LEAVE_BOUND.
 */
#pragma once
#include "base/pmap.h"
#include "shell/syntax.h"

enum { LEAVE_SYNTAX = -2, LEAVE_BOUND = -3 };

#define PARSE_DEPTH_MAX 160      /* nested commands, substitutions and quotes together */

struct subst_memo;                     /* cached result of parsing a $( at a position */

struct lex_note {                /* range of the text that the tree does not keep; in order, each once */
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
	struct syn_redir *pending, **pending_end; /* here-documents whose bodies are still unread */
	const struct pmap *aliases;
	/* words that start before this offset are not looked up as aliases again */
	size_t alias_done;
	struct str alias_barred; /* name that is not expanded before alias_barred_end, inside its own value */
	size_t alias_barred_end;
	bool alias_found;        /* set by the first word that is an alias */
	size_t alias_from, alias_to;
	struct str alias_name;
	const char *error;       /* message after a failure */
	size_t error_at;
	/* the text was parsed, but real shells may parse it differently: not complete */
	const char *unsure;
	size_t unsure_at;
	struct lex_note *comments, *last_comment; /* comments of this line that contain a quote character */
	struct lex_note *bodies, *last_body;      /* bodies of here-documents with a quoted delimiter */
	struct subst_memo *memo;
	size_t memo_cap, memo_n;
};

void lex_fail(struct parser *p, const char *why) __attribute__((noreturn));
/* Records that the result is unreliable; parsing continues. */
void lex_unsure(struct parser *p, const char *why);
/* Enters one level; leaves with LEAVE_BOUND beyond PARSE_DEPTH_MAX. */
void lex_enter(struct parser *p);
static inline void lex_exit(struct parser *p) { p->depth--; }
void lex_burn(struct parser *p, uint64_t n);       /* uses n units of fuel, or leaves with LEAVE_BOUND */

/* Returns the character at the position, past any backslash-newline; -1 at the end. */
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
/* Returns the k-th character after the current one (k >= 1). */
int lex_ahead(struct parser *p, unsigned k);
bool lex_take(struct parser *p, const char *chars); /* true if these characters come next; then skips them */

bool lex_is_meta(int c);                            /* ends a word: blank newline ; & | < > ( ) or the end */

void lex_blanks(struct parser *p);                  /* skips blanks and a comment */
/* Skips blanks, comments and newlines, and reads here-documents that start there. */
void lex_newlines(struct parser *p);
/* Consumes one newline and reads pending here-documents. */
void lex_newline(struct parser *p);

static inline struct span lex_span(const struct parser *p, size_t from)
{
	return (struct span){p->text, (uint32_t)from, (uint32_t)p->pos};
}

/* ---- word.c ---- */

enum word_context {
	WORD_NORMAL,
	WORD_COMMAND,   /* a command name or an assignment: NAME[...] is read whole */
	WORD_PATTERN,   /* extended patterns are on (case, [[ == ]]) */
	WORD_REGEX,     /* right side of =~ */
	WORD_WHOLE,     /* the whole text is one word: no character ends it */
};

/* Reads a word; NULL if none starts here. */
struct syn_word *word_read(struct parser *p, enum word_context cx);
enum quote_context { IN_NOTHING, IN_DOUBLE, IN_HERE, IN_ARITH };

/*
 * The end of the parts that parts_until() reads, and the meaning of quotes in them. bash finds the end of ${
 * } and (( )) in a first pass in which single quotes always quote. It expands in a second pass, in which they
 * may be ordinary characters inside double quotes. So `soft` single quotes hide the stop characters but not
 * the expansions between them.
 */
struct until {
	const char *stops;       /* any of these ends the parts, outside quotes and at nesting level 0 */
	char open, close;        /* brackets whose nesting hides stops, or 0 */
	enum quote_context quotes;
	bool soft;
	bool whole;              /* the end of the text also ends the parts */
};
struct syn_part *parts_until(struct parser *p, const struct until *u);
struct syn_part *part_new(struct parser *p, enum part_kind kind, struct str text, size_t from);
/* At "((": what is inside. False, and nothing is consumed, unless "))" closes it. */
bool parts_arith(struct parser *p, struct syn_part **ret_inside);
struct syn_part *parts_subscript(struct parser *p);        /* from the [ to past the ] */

/* ---- param.c ---- */
struct syn_part *param_brace(struct parser *p, enum quote_context q, size_t from); /* after "${" */

/* ---- parse.c ---- */
/* After "$(" or "<(": parses a list up to and including ")". */
struct syn_node *parse_substitution(struct parser *p);
