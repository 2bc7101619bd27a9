/*
 * Internal to redaction: the tables of secrets, which are made from knowledge/secrets.yaml, and the functions
 * that match them at one place of a text.
 */
#pragma once
#include "base/start_bits.h"
#include "base/str.h"

#define REDACT_MATCH_MAX ((size_t)32 << 10) /* bytes of one secret, or of a PEM block */
#define REDACT_PREFIX_MIN 3
#define REDACT_BEHIND_MAX ((size_t)64) /* bytes before a word that may belong to a name */

enum found { FOUND_NO = 0, FOUND_YES, FOUND_MORE /* undecided: the text ends too early */ };

/* A text that may start with a secret, or with a name before one. `more`: text may follow. */
struct candidate {
	struct str text;
	bool more;
	bool command;  /* for a person who decides: replace nothing that a shell could run */
	char before;   /* the character before the text; ']' after a secret, 0 at the start */
	size_t behind; /* bytes that may be read before the text */
};

/* True if the text ends at `at` but may continue. */
static inline bool candidate_open(const struct candidate *c, size_t at) { return at >= c->text.n && c->more; }

struct match { /* replaces [from, to) of a candidate */
	const char *kind;
	size_t from, to;
};

enum { /* flags of a form, in the order of gen_secrets.c: parse_flags() */
	FORM_NOCASE = 1,
	FORM_ANYWHERE = 2, /* may follow a letter or digit */
	FORM_ALONE = 4,    /* may not follow - _ . / either */
	FORM_DIGIT = 8,    /* must contain a digit */
	FORM_MIXED = 16,   /* must contain a capital letter, a small letter and a digit */
	FORM_URL = 32,     /* a function matches it */
	FORM_PEM = 64,
};
#define FORM_WHOLE 255         /* secret_form.from: the prefix is replaced, too */
#define STEP_NO_MAXIMUM 65535

struct secret_step { /* a run of characters of one set */
	uint16_t set, min, max;
};

struct secret_form {
	uint16_t kind, prefix, step; /* texts, and the first step */
	uint8_t nsteps, from, to;    /* steps [from, to) are replaced */
	uint8_t flags;
};

enum name_value { VALUE_ANY, VALUE_STRONG, VALUE_DATA };

struct secret_name { /* the last word of a name, and words of which one must stand before it */
	uint16_t kind, word, after;
	uint8_t value;
};

struct secret_vendor { /* a value of this form after a name with this word in it */
	uint16_t kind, near, step;
	uint8_t nsteps;
};

extern const char secret_texts[];
extern const uint32_t secret_sets[][8];
extern const struct secret_step secret_steps[];
extern const struct secret_form secret_forms[]; /* sorted by redact_start(), as names are */
extern const size_t secret_nforms;
extern const uint32_t secret_form_starts[], secret_name_starts[];
extern const uint16_t secret_form_next[], secret_name_next[]; /* redact_next(); 0: any */
/* Bit tables by start_slot() and start_kind_slot() of four bytes: where forms and names may start */
extern const uint32_t secret_four[];        /* all of them */
extern const uint32_t secret_forms_four[];  /* forms that may not follow a letter or digit */
extern const uint32_t secret_inside_four[]; /* forms that may */
extern const uint32_t secret_names_four[];  /* names */
extern const struct secret_name secret_names[];
extern const size_t secret_nnames;
extern const struct secret_vendor secret_vendors[];
extern const size_t secret_nvendors;
extern const uint16_t secret_placeholder_words, secret_placeholder_parts;

static inline const char *secret_text(uint16_t at) { return secret_texts + at; }
static inline bool secret_in_set(unsigned set, char c)
{
	return secret_sets[set][(unsigned char)c / 32] >> (unsigned char)c % 32 & 1;
}

/* Three characters in any case: compared before anything else of a row. 0: there are fewer. */
static inline uint32_t redact_start(struct str s)
{
	if (s.n < REDACT_PREFIX_MIN)
		return 0;
	return start_of_three(s.p) | 0x202020;
}

/* The two characters behind those, in any case. 0: there are fewer. */
static inline uint16_t redact_next(struct str s)
{
	if (s.n < REDACT_PREFIX_MIN + 2)
		return 0;
	return (uint16_t)(((unsigned)(unsigned char)s.p[3] | (unsigned)(unsigned char)s.p[4] << 8) | 0x2020);
}

/* False if these characters show that the row does not match. */
static inline bool redact_may_match(uint16_t row, uint16_t next) { return !row || !next || row == next; }

/* redact_shapes.c */
bool redact_in_set(const char *set, char c);
size_t redact_run(struct str s, size_t at, const char *set, size_t most);
enum found redact_url(const struct candidate *c, struct match *ret);
enum found redact_pem(const struct candidate *c, struct match *ret);

/* redact_match.c */
/* Returns the first row that starts so, or the place where it would be; 0 for a start that is not known. */
size_t redact_first_row(const uint32_t *starts, size_t n, uint32_t start);
enum found redact_forms_at(const struct candidate *c, struct match *ret);
/* Matches the steps at `at`; *ret_to is the place after them. */
enum found redact_steps(const struct candidate *c, size_t at, const struct secret_step *s, size_t n,
		size_t *ret_to);
/* In a command, leaves everything visible from the first character with a meaning to a shell on. */
size_t redact_neutral(struct str s);

/* redact_names.c: a name, a separator and a value; the candidate starts with the last word of the name. */
enum found redact_names_at(const struct candidate *c, struct match *ret);

/* redact_value.c */
bool redact_placeholder(struct str value);
/* True if the text has what these of FORM_DIGIT and FORM_MIXED ask for. */
bool redact_has(struct str s, unsigned flags);
bool redact_random(struct str value); /* letters and digits in disorder */
bool redact_identifier(struct str value); /* words of a program or of a sentence */
