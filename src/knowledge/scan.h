/*
 * Splitting an argv into options and operands the way a command's own option parser would. Inside
 * src/knowledge only.
 *
 * The scan never guesses: where a word could be an option but is not known, or an option is not in the row,
 * it says so (`unsure`), and for from where on (`lost`): nobody can tell where an inner command after that
 * starts.
 */
#pragma once
#include "knowledge/row.h"

struct know_hit {           /* an option that is present */
	const struct know_flag *flag; /* NULL: an assignment word, or an option that is not in the row */
	struct str name;    /* of an option that is not in the row (know_scan.generic) */
	size_t word;        /* index of the option's own word */
	size_t at, to;      /* argv range of the value, or of the option when it has none */
	struct word value;
	bool has_value;
};

struct know_scan {
	struct arena *a;
	const struct know_row *row;
	const struct word *argv;
	size_t argc, start;     /* the first word after the (sub)command's name */
	bool subs;              /* the first operand may name a subcommand */
	bool generic;           /* options that are not in the row are hits too, read as getopt would */
	size_t word;            /* being read */
	struct know_hit *hits;
	size_t nhits, hits_cap;
	size_t *operands;       /* indexes into argv */
	size_t noperands, operands_cap;
	size_t sub;             /* index of the word that may name a subcommand, 0 = none */
	size_t dashdash;        /* number of operands before "--", SIZE_MAX without it */
	bool unsure;            /* positions, or which options are present, are not certain */
	bool maybe_option;      /* a word that is not known may be an option */
	/* index of the first word that may be or take something else than it seems, 0 = none */
	size_t lost;
	size_t lost_operands;   /* operands before it: an inner command after them cannot be located */
	size_t opaque;          /* index of a word that may run anything, 0 = none */
	bool last;              /* an option that ends the options was seen */
};

void know_scan(struct know_scan *s);
void know_scan_find(struct know_scan *s); /* STYLE_FIND */
/* A part of a word, as a word. */
struct word know_part(struct word w, size_t from);
void know_hit_add(struct know_scan *s, const struct know_flag *f, size_t at, size_t to,
		const struct word *value);
void know_operand_add(struct know_scan *s, size_t at);
const struct know_flag *know_flag_find(const struct know_row *r, struct str name);
/* With `generic`: an option that is not in the row. */
void know_unlisted_add(struct know_scan *s, struct str name, const struct word *value);
/* The row that a user's row without content of its own stands for, else the row itself. */
const struct know_row *know_forwarded(const struct know_row *row);
/* The row of a subcommand: first where the row itself comes from, then baked in; NULL without one. */
const struct know_row *know_sub_find(const struct know_row *row, struct str sub);
