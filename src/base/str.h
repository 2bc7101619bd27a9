/*
 * struct str: a slice of bytes that somebody else owns (usually an arena or a literal); not NUL-terminated,
 * may hold NUL. struct buf: bytes that grow in an arena, never past `max` (reaching it leaves the arena_run
 * like a full arena).
 */
#pragma once
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/ascii.h"

struct str {
	const char *p;
	size_t n;
};

#define STR(literal) ((struct str){("" literal), sizeof(literal) - 1})
#define STR_ARG(s) (int)(s).n, (s).p /* for "%.*s" */

static inline struct str str_of(const char *c) { return (struct str){c, strlen(c)}; }
static inline struct str str_n(const char *p, size_t n) { return (struct str){p, n}; }
static inline bool str_eq(struct str a, struct str b)
{
	return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}
static inline bool str_is(struct str a, const char *c) { return str_eq(a, str_of(c)); }
/* In upper or lower case. */
bool str_is_like(struct str a, const char *c);
/* Like one of these: texts in place, the last one empty. */
#define STR_LISTED(a, list) str_listed((a), (list)[0], sizeof(*(list)))
bool str_listed(struct str a, const char *list, size_t room);
/* In line, because the other string is a literal nearly everywhere and its length is known then. */
static inline bool str_starts(struct str s, const char *prefix)
{
	size_t n = strlen(prefix);
	return n == 0 || (s.n >= n && memcmp(s.p, prefix, n) == 0);
}
static inline bool str_ends(struct str s, const char *suffix)
{
	size_t n = strlen(suffix);
	return n == 0 || (s.n >= n && memcmp(s.p + s.n - n, suffix, n) == 0);
}
/* -1, 0, 1 by bytes, shorter first */
int str_cmp(struct str a, struct str b);
/* index of byte c at or after `from`, or -1 */
ptrdiff_t str_find(struct str s, char c, size_t from);
/* how often byte c is in it */
uint64_t str_count(struct str s, char c);
bool str_contains(struct str s, struct str needle);
bool str_contains_nocase(struct str s, const char *needle); /* ASCII letters in either case */
/* n hexadecimal digits in lower case, as digests and ids are written */
bool path_climbs(struct str path); /* .. after a name: where that leads depends on links */
bool str_is_hex(struct str s, size_t n);
/* s[from, to) with both clamped to the string */
struct str str_sub(struct str s, size_t from, size_t to);
/* the bytes behind the last '/'; all of it when there is none */
struct str str_base(struct str path);
/* without those of the bytes of `set` that stand at its ends */
struct str str_trim(struct str s, const char *set);
/* Takes the next word of a list that blanks and newlines separate; empty at its end. */
struct str str_word(struct str *rest);
struct str str_dup(struct arena *a, struct str s);
/* NUL-terminated copy */
char *str_c(struct arena *a, struct str s);
/* As snprintf(): writes what fits and a NUL, and returns the length of all of it. */
size_t str_put(char *to, size_t room, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
struct str str_fmt(struct arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
struct str str_cat(struct arena *a, struct str x, struct str y);
uint32_t str_hash(struct str s); /* FNV-1a, 32 bits */

struct buf {
	struct arena *a;
	char *p;
	size_t n, cap, max;
};

#define BUF_MAX_DEFAULT ((size_t)64 << 20)

void buf_init(struct buf *b, struct arena *a, size_t max); /* max 0 = BUF_MAX_DEFAULT */
void buf_char(struct buf *b, char c);
void buf_add(struct buf *b, const char *p, size_t n);
void buf_str(struct buf *b, struct str s);
void buf_c(struct buf *b, const char *c);
void buf_quoted(struct buf *b, struct str s); /* in single quotes, as every shell reads them */
void buf_fmt(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static inline struct str buf_view(const struct buf *b) { return (struct str){b->p ? b->p : "", b->n}; }
