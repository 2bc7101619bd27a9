/*
 * struct str: a slice of bytes with another owner (usually an arena or a literal); not NUL-terminated, may
 * contain NUL. struct buf: bytes that grow in an arena, never past `max` (reaching it leaves the arena_run
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
/* Case-insensitive for ASCII letters. */
bool str_is_like(struct str a, const char *c);
/* True if s is one of the words, which blanks separate; NULL: no words. */
bool str_is_any(struct str s, const char *words);
bool str_like_any(struct str s, const char *words); /* case-insensitive for ASCII letters */
/* Inline, because the other string is usually a literal with a known length. */
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
/*
 * The index of the row whose member, a char array, is s; -1: none. STR_INDEX() is for a table of names alone.
 * The table has `n` rows, `stride` bytes apart.
 */
ptrdiff_t str_row(const char (*first)[], size_t stride, size_t n, struct str s);
#define STR_ROW(table, member, s) str_row(&(table)->member, sizeof(*(table)), ARRAY_SIZE(table), (s))
#define STR_INDEX(names, s) str_row((names), sizeof(*(names)), ARRAY_SIZE(names), (s))
/* True if s contains one of these names. */
bool str_contains_row(struct str s, const char (*first)[], size_t stride, size_t n);
#define STR_CONTAINS_ANY(s, names) str_contains_row((s), (names), sizeof(*(names)), ARRAY_SIZE(names))
/* -1, 0, 1 by bytes, shorter first */
int str_cmp(struct str a, struct str b);
/* The same for qsort() and bsearch(). */
int str_order(const void *x, const void *y);
/* index of byte c at or after `from`, or -1 */
ptrdiff_t str_find(struct str s, char c, size_t from);
/* the same, or s.n without one */
static inline size_t str_end(struct str s, char c, size_t from)
{
	ptrdiff_t at = str_find(s, c, from);

	return at < 0 ? s.n : (size_t)at;
}
/* the part before the first byte c; all of s without one */
static inline struct str str_until(struct str s, char c)
{
	const char *at = s.n ? memchr(s.p, c, s.n) : NULL;

	return str_n(s.p, at ? (size_t)(at - s.p) : s.n);
}
/* Takes the part before the first byte c, and that byte with it; all of *rest without one. */
static inline struct str str_cut(struct str *rest, char c)
{
	struct str part = str_until(*rest, c);
	size_t n = part.n < rest->n ? part.n + 1 : part.n;

	*rest = str_n(rest->p + n, rest->n - n);
	return part;
}
static inline bool str_has(struct str s, char c) { return s.n && memchr(s.p, c, s.n); }
/* number of bytes c */
uint64_t str_count(struct str s, char c);
bool str_contains(struct str s, struct str needle);
bool str_contains_nocase(struct str s, const char *needle); /* case-insensitive for ASCII letters */
/* n lower-case hex digits: the form of digests and ids */
static inline bool path_is_dots(const char *name) { return !strcmp(name, ".") || !strcmp(name, ".."); }
bool path_climbs(struct str path); /* contains .. after a name: the target depends on links */
bool str_is_hex(struct str s, size_t n);
bool str_is_digits(struct str s);               /* one or more decimal digits */
bool str_is_ascii(struct str s);                /* also if it is empty */
/* One or more characters, each a letter, a digit or one of the others. */
bool str_is_alnum_or(struct str s, const char *others);
bool str_only(struct str s, const char *bytes); /* it has no other bytes, or is empty */
/* s[from, to) with both clamped to the string */
struct str str_sub(struct str s, size_t from, size_t to);
static inline struct str str_from(struct str s, size_t from) { return str_sub(s, from, s.n); }
static inline struct str str_first(struct str s, size_t n) { return str_sub(s, 0, n); }
/* part after the last '/'; the whole string without one */
struct str str_base(struct str path);
/* Removes the prefix, if it is there. True if it was. */
static inline bool str_take(struct str *s, const char *prefix)
{
	size_t n = strlen(prefix);

	if (!str_starts(*s, prefix))
		return false;
	*s = str_n(s->p + n, s->n - n);
	return true;
}
/* removes the bytes of `set` from both ends */
struct str str_trim(struct str s, const char *set);
/* Takes the next word of a list separated by blanks and newlines; empty at the end. */
struct str str_word(struct str *rest);
/* Takes the next component of a path, without slashes; passes over "."; empty at the end. */
struct str str_part(struct str *rest);
struct str str_dup(struct arena *a, struct str s);
struct str str_lower(struct arena *a, struct str s); /* ASCII letters in lower case */
/* NUL-terminated copy */
char *str_c(struct arena *a, struct str s);
/* Like snprintf(): writes a truncated text and a NUL, and returns the full length. */
size_t str_put(char *to, size_t room, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
struct str str_fmt(struct arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The same as a NUL-terminated text. */
char *str_fmt_c(struct arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
struct str str_cat(struct arena *a, struct str x, struct str y);
/* "dir/name", with a NUL after it */
struct str str_path(struct arena *a, struct str dir, struct str name);
uint32_t str_hash(struct str s); /* FNV-1a, 32 bits */
uint32_t str_key_hash(struct str s); /* faster, for tables in memory: not the same on every machine */

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
void buf_quoted(struct buf *b, struct str s); /* in single quotes, valid in every shell */
void buf_fmt(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static inline struct str buf_view(const struct buf *b) { return (struct str){b->p ? b->p : "", b->n}; }
