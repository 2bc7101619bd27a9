/*
 * JSON, read: the one reader for requests, hook events, settings, rows of the record and outputs of tools.
 * json_write.h writes.
 *
 * A value lives in the arena of its reader and is never freed by itself. It knows its place in the text, a
 * number keeps its spelling, and a string without escapes is a slice of the text: the text must live as long
 * as the values.
 *
 * Every reader refuses: a key twice in one object (two readers of one request may pick different ones), bytes
 * that are not UTF-8, control characters in strings, unknown escapes, NaN and Infinity, nesting and counts
 * beyond the bounds, anything after the value. A strict one also refuses texts that other readers may read
 * differently; see JSON_TOLERANT.
 */
#pragma once
#include "base/str.h"

#define JSON_DEPTH_MAX 256               /* values in values */
#define JSON_COUNT_MAX ((size_t)2 << 20) /* values of one reader: some 200 MB */
#define JSON_PROBES_PER_KEY 32           /* on average: more is a text made for our hash */

enum json_kind { JSON_NULL, JSON_FALSE, JSON_TRUE, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

struct json {
	enum json_kind kind;
	uint32_t n;      /* members of an object, items of an array */
	struct str text; /* string: its bytes; number: as written */
	struct str key;  /* in an object */
	struct json *first, *next, *parent;
	uint32_t start, from,
		to; /* its bytes are [from, to) of the text; `start` is where its key starts, or `from` */
	struct json_index *index; /* object with many members: by hash of the key */
	void *own;                /* for the owner of the tree: a compiled pattern, say */
};

enum json_flags {
	JSON_STRICT = 0,
	/* For texts of others: takes a byte order mark, half of a surrogate pair (as U+FFFD), NUL in a key,
	   and numbers of any size. */
	JSON_TOLERANT = 1,
	JSON_COMMENTS = 2, /* those of C and C++ */
	JSON_REPAIR = 4,   /* json_unescape(): an unknown escape is its letter, a \\u without digits is '?' */
};

enum json_trouble {
	JSON_FINE,
	JSON_SYNTAX,     /* no JSON */
	JSON_CUT,        /* JSON so far, but the text ends in it */
	JSON_NOT_FINITE, /* NaN, Infinity, -Infinity */
	JSON_RANGE,      /* strict: a number that neither int64_t nor double can hold */
	JSON_DUPLICATE,  /* a key twice in one object */
	JSON_LIMIT,      /* a bound was reached: nothing can be said */
};

struct json_reader {
	struct arena *a;
	struct str text;
	size_t at; /* where the next value starts; after a failure: where it failed */
	unsigned flags;
	size_t depth_max, count_max;
	enum json_trouble trouble;
	struct str what; /* of the trouble: the key, the literal, the bound, or what was expected */
	size_t count, keys, probes, depth;
	struct json *block, *spare; /* values are taken from the arena in blocks */
	size_t nspare;
};

/* ---- reading ---- */

/* One strict value that is the whole text. 0 and *ret, or -1 with "line L, column C: why". */
int json_read(struct arena *a, struct str text, struct json **ret, struct err *e);

/* Bounds are JSON_DEPTH_MAX and JSON_COUNT_MAX until the caller sets others. */
void json_reader_init(struct json_reader *r, struct arena *a, struct str text, unsigned flags);
/* Begins another text with the same bounds. Values of the text before are no longer valid: their memory is
 * used again. */
void json_reader_again(struct json_reader *r, struct str text);
/* The value at r->at, blanks before it skipped; NULL with r->trouble when there is none. Moves on behind it.
 */
struct json *json_next(struct json_reader *r);
/* The value at r->at when nothing follows it; else NULL with r->trouble. */
struct json *json_only(struct json_reader *r);
/* Nothing but blanks is left. */
bool json_at_end(struct json_reader *r);
/* After a failure: "expected ':'", "a key twice: id". */
struct str json_why(const struct json_reader *r);

struct json_place {
	size_t line, column;
}; /* both from 1; columns are bytes */
struct json_place json_place(struct str text, size_t at);

/* ---- values; all of them take NULL for "not there" ---- */

static inline bool json_is(const struct json *v, enum json_kind k)
{
	return v && v->kind == k;
}
/* A member, or NULL: also when o is no object. */
struct json *json_get(const struct json *o, struct str key);
static inline struct json *json_key(const struct json *o, const char *key)
{
	return json_get(o, str_of(key));
}
/* The first item of an array, the first member of an object; NULL when it is something else. `next` leads on.
 */
static inline struct json *json_items(const struct json *v)
{
	return json_is(v, JSON_ARRAY) ? v->first : NULL;
}
static inline struct json *json_members(const struct json *v)
{
	return json_is(v, JSON_OBJECT) ? v->first : NULL;
}
/* Item i of an array, or NULL; found by walking. */
struct json *json_at(const struct json *v, size_t i);
/* The number of items of an array, else 0. */
static inline size_t json_size(const struct json *v)
{
	return json_is(v, JSON_ARRAY) ? v->n : 0;
}
/* The bytes of a string (NUL included), else empty. */
static inline struct str json_text(const struct json *v)
{
	return json_is(v, JSON_STRING) ? v->text : STR("");
}
static inline struct str json_text_at(const struct json *o, const char *key)
{
	return json_text(json_key(o, key));
}
static inline bool json_true_at(const struct json *o, const char *key)
{
	return json_is(json_key(o, key), JSON_TRUE);
}
/* A number that is written as an integer and fits, else `otherwise`. */
int64_t json_int(const struct json *v, int64_t otherwise);
static inline int64_t json_int_at(const struct json *o, const char *key)
{
	return json_int(json_key(o, key), 0);
}
bool json_is_int(const struct json *v);
/* A number as near as a double comes, else 0. */
double json_double(struct arena *a, const struct json *v);

/* ---- texts that are not made a tree of (json_scan.c) ---- */

/* Where the string that starts with the quote at s[i] ends, behind its quote; 0: it does not. */
size_t json_skip_string(struct str s, size_t i);
/* Where the value at s[i] ends; 0: it does not, or has more levels than depth_max (at most JSON_DEPTH_MAX).
 * Looks at brackets and quotes only. */
size_t json_skip(struct str s, size_t i, size_t depth_max);
/* The text of a string between its quotes into `out`, which has s.n bytes. -1: an unknown escape, or, if
 * strict, a half of a pair. */
int json_unescape(struct str s, unsigned flags, char *out, size_t *ret_n);
