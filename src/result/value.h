/*
 * JSON values in the arena, for texts that are to be judged rather than obeyed.
 *
 * Why not jansson: its values would be lost when a full arena leaves in the middle, integers beyond 64 bits are an error to it although a tool
 * may well print them, and its complaint does not say whether the text broke off, has a NaN in it or is simply no JSON. Here a number keeps
 * its spelling, a string without escapes is a slice of the text, and the first problem has a kind and a line.
 */
#pragma once
#include "base/str.h"

#define VALUE_DEPTH_MAX 256            /* values in values */
#define VALUE_COUNT_MAX ((size_t)2 << 20) /* values in one arena: some 160 MB */
#define VALUE_PROBES_PER_KEY 32        /* on average: more is a text made for our hash */

enum value_kind { VALUE_NULL, VALUE_FALSE, VALUE_TRUE, VALUE_NUMBER, VALUE_STRING, VALUE_ARRAY, VALUE_OBJECT };

struct value {
	enum value_kind kind;
	struct str text;          /* string: its bytes; number: as written */
	struct str key;           /* in an object */
	struct value *first, *next;
	size_t n;                 /* members */
	struct value **index;     /* object with many members: by hash of the key */
	size_t slots;             /* of it, a power of two */
	void *own;                /* for the reader of the tree: a compiled pattern, say */
};

enum value_trouble {
	VALUE_FINE,
	VALUE_SYNTAX,     /* no JSON */
	VALUE_CUT,        /* JSON so far, but the text ends in it */
	VALUE_NOT_FINITE, /* NaN, Infinity, -Infinity */
	VALUE_DUPLICATE,  /* a key twice in one object */
	VALUE_LIMIT,      /* a bound was reached: nothing can be said */
};

struct value_reader {
	struct arena *a;
	struct str text;
	size_t at;               /* where the next value starts; after a failure: where it failed */
	enum value_trouble trouble;
	struct str what;         /* of the trouble: the key, the literal, or what was expected */
	size_t count, keys, probes, depth;
	struct value *spare;     /* values are taken from the arena in blocks */
	size_t nspare;
};

void value_reader_init(struct value_reader *r, struct arena *a, struct str text);
/* The value at r->at, blanks before it skipped; NULL with r->trouble when there is none. Moves on behind it. */
struct value *value_next(struct value_reader *r);
/* Nothing but blanks is left. */
bool value_at_end(struct value_reader *r);
/* The line of r->at, from 1. */
size_t value_line(const struct value_reader *r);

/* A member, or NULL: also when o is NULL or no object. */
struct value *value_get(const struct value *o, struct str key);
static inline struct value *value_key(const struct value *o, const char *key) { return value_get(o, str_of(key)); }
/* A whole number that fits, else `otherwise`. */
int64_t value_int(const struct value *v, int64_t otherwise);
static inline bool value_is(const struct value *v, enum value_kind k) { return v && v->kind == k; }

/* Numbers, exactly, by their digits: value = 0.DIGITS * 10^exponent. */
struct decimal {
	bool negative;
	struct str digits;       /* without leading and trailing zeros, but perhaps with a point in it; empty: zero */
	size_t ndigits;          /* the point not counted */
	int64_t exponent;
};
struct decimal value_decimal(struct str number);
int decimal_cmp(const struct decimal *x, const struct decimal *y);
bool decimal_is_whole(const struct decimal *d);
uint32_t decimal_hash(const struct decimal *d);
