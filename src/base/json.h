/*
 * JSON parser for requests, hook events, settings, rows of the record and outputs of tools. json_write.h
 * writes JSON.
 *
 * A value lives in the arena of its reader. It knows its place in the text, and a number keeps its spelling.
 * A string without escapes is a slice of the text, so the text must live as long as the values.
 *
 * Every reader rejects: duplicate keys in an object (two parsers of one request may pick different ones),
 * invalid UTF-8, control characters in strings, unknown escapes, NaN and Infinity, nesting and counts beyond
 * the bounds, anything after the value. A strict one also rejects texts that other parsers may read
 * differently; see JSON_TOLERANT.
 */
#pragma once
#include "base/str.h"

#define JSON_DEPTH_MAX 256               /* nesting depth */
#define JSON_COUNT_MAX ((size_t)2 << 20) /* values per reader: about 200 MB */
#define JSON_PROBES_PER_KEY 32           /* average probe length; more means a text made to attack our hash */

enum json_kind { JSON_NULL, JSON_FALSE, JSON_TRUE, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

struct json {
	enum json_kind kind;
	uint32_t n;      /* members of an object, items of an array */
	struct str text; /* string: its bytes; number: as written */
	struct str key;  /* key of a member of an object */
	struct json *first, *next, *parent;
	uint32_t start, from,
		to; /* the value is [from, to) of the text; `start` is where its key starts, or `from` */
	struct json_index *index; /* hash index of an object with many members */
	void *own;                /* free for the owner of the tree, for example a compiled pattern */
};

enum json_flags {
	JSON_STRICT = 0,
	/*
	 * For foreign texts: accepts a byte order mark, half of a surrogate pair (as U+FFFD), NUL in a key,
	 * and numbers of any size.
	 */
	JSON_TOLERANT = 1,
	JSON_COMMENTS = 2, /* comments of C and C++ */
	JSON_REPAIR = 4,   /* json_unescape(): unknown escape becomes its letter, \\u without digits '?' */
};

enum json_trouble {
	JSON_FINE,
	JSON_SYNTAX,     /* not JSON */
	JSON_CUT,        /* the text ends inside a value */
	JSON_NOT_FINITE, /* NaN, Infinity, -Infinity */
	JSON_RANGE,      /* strict: a number that neither int64_t nor double can hold */
	JSON_DUPLICATE,  /* a duplicate key */
	JSON_LIMIT,      /* a bound is exhausted, so the answer is unknown */
};

struct json_reader {
	struct arena *a;
	struct str text;
	size_t at; /* offset of the next value; after a failure: of the error */
	unsigned flags;
	size_t depth_max, count_max;
	enum json_trouble trouble;
	struct str what; /* detail of the trouble: the key, the literal, the bound, or what was expected */
	size_t count, keys, probes, depth;
	struct json *block, *spare; /* values are allocated in blocks */
	size_t nspare;
};

/* ---- reading ---- */

/* Parses a text that is one strict value. 0 and *ret, or -1 with "line L, column C: why". */
int json_read(struct arena *a, struct str text, struct json **ret, struct err *e);

/* The bounds are JSON_DEPTH_MAX and JSON_COUNT_MAX until the caller changes them. */
void json_reader_init(struct json_reader *r, struct arena *a, struct str text, unsigned flags);
/*
 * Starts another text with the same bounds. Invalidates all values of the previous text: their memory is
 * reused.
 */
void json_reader_again(struct json_reader *r, struct str text);
/* Skips blanks, parses the value at r->at and moves r->at behind it; NULL with r->trouble. */
struct json *json_next(struct json_reader *r);
/* The same for the last value of the text: NULL with r->trouble if anything follows it. */
struct json *json_only(struct json_reader *r);
/* True if only blanks are left. */
bool json_at_end(struct json_reader *r);
/* Describes a failure: "expected ':'", "a key twice: id". */
struct str json_why(const struct json_reader *r);

struct json_place {
	size_t line, column;
}; /* both from 1; columns are bytes */
struct json_place json_place(struct str text, size_t at);

/* ---- values; all functions accept NULL for a missing value ---- */

static inline bool json_is(const struct json *v, enum json_kind k)
{
	return v && v->kind == k;
}
/* A member, or NULL; also NULL if o is not an object. */
struct json *json_get(const struct json *o, struct str key);
static inline struct json *json_key(const struct json *o, const char *key)
{
	return json_get(o, str_of(key));
}
/* The first item of an array or the first member of an object, else NULL. `next` links to the others. */
static inline struct json *json_items(const struct json *v)
{
	return json_is(v, JSON_ARRAY) ? v->first : NULL;
}
static inline struct json *json_members(const struct json *v)
{
	return json_is(v, JSON_OBJECT) ? v->first : NULL;
}
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
/* The same, copied into the arena. */
static inline struct str json_dup_at(struct arena *a, const struct json *o, const char *key)
{
	return str_dup(a, json_text_at(o, key));
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
/* A number, rounded to double, else 0. */
double json_double(struct arena *a, const struct json *v);

/* ---- scanning without a tree (json_scan.c) ---- */

/* Returns the offset after the string whose opening quote is s[i]; 0 if it does not end. */
size_t json_skip_string(struct str s, size_t i);
/*
 * Returns the offset after the value at s[i]; 0 if it does not end or nests deeper than depth_max (at most
 * JSON_DEPTH_MAX). Checks only brackets and quotes.
 */
size_t json_skip(struct str s, size_t i, size_t depth_max);
/*
 * Unescapes a string (without its quotes) into `out`, which has s.n bytes. -1: an unknown escape, or, if
 * strict, half of a surrogate pair.
 */
int json_unescape(struct str s, unsigned flags, char *out, size_t *ret_n);
