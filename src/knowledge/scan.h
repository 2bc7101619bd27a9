/*
 * Splits an argv into options and operands as the command's own option parser would. Inside src/knowledge
 * only.
 *
 * The scan never guesses. If an unknown word could be an option, or an option is not in the row, it sets
 * `unsure`. `lost` is the first word from which on an inner command can no longer be located.
 */
#pragma once
#include "knowledge/row.h"

struct know_hit {           /* an option that is present */
	const struct know_flag *flag; /* NULL: an assignment word, or an option that is not in the row */
	struct str name;    /* name of an unlisted option (know_scan.generic) */
	size_t word;        /* index of the option's own word */
	size_t at, to;      /* argv range of the value, or of the option if it has none */
	struct word value;
	bool has_value;
};

struct know_scan {
	struct arena *a;
	const struct know_row *row;
	const struct word *argv;
	size_t argc, start;     /* the first word after the (sub)command's name */
	bool subs;              /* the first operand may name a subcommand */
	bool generic;           /* unlisted options are hits too, read as by getopt */
	size_t word;            /* index of the word being read */
	struct know_hit *hits;
	size_t nhits, hits_cap;
	size_t *operands;       /* indexes into argv */
	size_t noperands, operands_cap;
	size_t sub;             /* index of the word that may name a subcommand; 0 = none */
	size_t dashdash;        /* number of operands before "--", SIZE_MAX without it */
	bool unsure;            /* positions, or the set of options, are uncertain */
	bool maybe_option;      /* an unknown word may be an option */
	/* index of the first word whose meaning, or number of arguments, is uncertain; 0 = none */
	size_t lost;
	/* number of operands before `lost`: an inner command after them cannot be located */
	size_t lost_operands;
	size_t opaque;          /* index of a word that may run anything; 0 = none */
	bool last;              /* an option with MOD_LAST was seen */
};

void know_scan(struct know_scan *s);
void know_scan_find(struct know_scan *s); /* STYLE_FIND */
/* The part of a word from offset `from`, as a word. */
struct word know_part(struct word w, size_t from);
void know_hit_add(struct know_scan *s, const struct know_flag *f, size_t at, size_t to,
		const struct word *value);
void know_operand_add(struct know_scan *s, size_t at);
const struct know_flag *know_flag_find(const struct know_row *r, struct str name);
/* With `generic`: adds an option that is not in the row. */
void know_unlisted_add(struct know_scan *s, struct str name, const struct word *value);
/* Returns the embedded row that a ROW_FORWARD row stands for, otherwise the row itself. */
const struct know_row *know_forwarded(const struct know_row *row);
/* Returns the row of a subcommand, or NULL. Searches the blob of `row` first, then the embedded table. */
const struct know_row *know_sub_find(const struct know_row *row, struct str sub);
