/* Inside redaction: what secrets look like. */
#pragma once
#include "base/str.h"

#define REDACT_MATCH_MAX ((size_t)32 << 10) /* bytes of one secret, or of a PEM block */
#define REDACT_PREFIX_MIN 3

enum found { FOUND_NO = 0, FOUND_YES, FOUND_MORE /* the text ends before it is decided */ };

/* The text from a prefix on. `more`: text may follow its end. [*ret_from, *ret_to) is replaced. */
struct candidate {
	struct str text;
	bool more;
	bool command; /* a person decides about this text: nothing that a shell could run is replaced */
};

/* A shape beyond a prefix and a run of bytes has a function. */
enum redact_shape { SHAPE_RUN, SHAPE_AWS_SECRET, SHAPE_JWT, SHAPE_URL, SHAPE_PEM };

enum { /* flags of a row */
	ROW_NOCASE = 1,  /* of the prefix */
	ROW_INSIDE = 2,  /* may follow a letter or digit */
	ROW_EXACT = 4,   /* more than max is none */
	ROW_DIGIT = 8,   /* holds a digit */
};

struct redact_row {
	char kind[20], prefix[28];
	/* of the bytes after the prefix: ranges such as "A-Za-z0-9_" with a dash last for itself */
	char set[20];
	unsigned min, max;     /* max 0: no bound but REDACT_MATCH_MAX */
	unsigned flags;
	enum redact_shape shape; /* other than SHAPE_RUN: instead of set, min and max */
};

extern const struct redact_row redact_rows[];
extern const size_t redact_nrows;
enum found redact_shape(enum redact_shape shape, const struct candidate *c, size_t *ret_from, size_t *ret_to);

bool redact_in_set(const char *set, char c);
