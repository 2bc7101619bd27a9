/*
 * Reads text line by line and word by word, for validators. Everything is a slice of the output; nothing is
 * copied.
 */
#pragma once
#include "base/str.h"

#define COUNT_MAX 1000000000000 /* bound for counts; sums of a few of them fit */

struct lines {
	struct str text;
	size_t at;
};

static inline struct lines lines_of(struct str text) { return (struct lines){text, 0}; }
/* Returns the next line without its end (LF or CRLF); false after the last. */
bool lines_next(struct lines *l, struct str *ret);

struct str lines_trim(struct str s);                 /* removes blanks and tabs at both ends */
struct str lines_trim_char(struct str s, char c);    /* ... and of c */
bool lines_blank(struct str s);

/* A position in a line. Each scan_ function advances it and returns true, or leaves it unchanged. */
struct scan {
	struct str s;
	size_t at;
};

static inline struct scan scan_of(struct str s) { return (struct scan){s, 0}; }
static inline struct str scan_rest(const struct scan *c) { return str_sub(c->s, c->at, c->s.n); }
static inline bool scan_end(const struct scan *c) { return c->at >= c->s.n; }
bool scan_text(struct scan *c, const char *text);
bool scan_count(struct scan *c, int64_t *ret);   /* decimal digits, at most COUNT_MAX */
bool scan_seconds(struct scan *c);               /* 1, 0.05 */
bool scan_blanks(struct scan *c);                /* at least one */
bool scan_word(struct scan *c, struct str *ret); /* letters and '-' */
