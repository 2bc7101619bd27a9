/* Internal to redaction: the shapes of secrets. */
#pragma once
#include "base/str.h"

#define REDACT_MATCH_MAX ((size_t)32 << 10) /* bytes of one secret, or of a PEM block */
#define REDACT_PREFIX_MIN 3

enum found { FOUND_NO = 0, FOUND_YES, FOUND_MORE /* undecided: the text ends too early */ };

/* A text that starts with a prefix. `more`: text may follow. Functions replace [*ret_from, *ret_to). */
struct candidate {
	struct str text;
	bool more;
	bool command; /* for a person who decides: replace nothing that a shell could run */
};

/* Shapes other than SHAPE_RUN have a function. */
enum redact_shape { SHAPE_RUN, SHAPE_AWS_SECRET, SHAPE_JWT, SHAPE_URL, SHAPE_PEM };

enum { /* flags of a row */
	ROW_NOCASE = 1,  /* the prefix is case-insensitive */
	ROW_INSIDE = 2,  /* may follow a letter or digit */
	ROW_EXACT = 4,   /* longer runs do not match */
	ROW_DIGIT = 8,   /* must contain a digit */
};

struct redact_row {
	char kind[20], prefix[28];
	/* characters after the prefix: ranges such as "A-Za-z0-9_"; a final dash is literal */
	char set[20];
	unsigned min, max;     /* max 0: REDACT_MATCH_MAX */
	unsigned flags;
	enum redact_shape shape; /* other than SHAPE_RUN: replaces set, min and max */
};

extern const struct redact_row redact_rows[];
extern const size_t redact_nrows;
enum found redact_shape(enum redact_shape shape, const struct candidate *c, size_t *ret_from, size_t *ret_to);

bool redact_in_set(const char *set, char c);
