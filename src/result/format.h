/*
 * Formats as data: the output of a tool that prints lines for people, described by line templates, counts and
 * equations. knowledge/result/formats.yaml has the rows and says what they mean; scripts/format-table turns
 * them into constant tables; format.c matches. A text is an offset into format_texts: pointers would have to
 * be relocated at each start of the program.
 */
#pragma once
#include "result/validate.h"

#define FORMAT_COUNTERS 16
#define FORMAT_WORDS 192      /* distinct words that rows look for */
#define FORMAT_LINE_MAX 2048  /* a longer line matches no template that has text before its end */

/* A template is text with these bytes in it. */
enum template_op {
	TEMPLATE_COUNT = 1, /* a number; the next byte is 'a' + its counter, or '_' for none */
	TEMPLATE_SECONDS,   /* 1, 0.05 */
	TEMPLATE_ANY,       /* any text, possibly empty */
	TEMPLATE_BLANKS,    /* one blank or more */
	TEMPLATE_MAYBE,     /* a text that may be missing, up to the next TEMPLATE_MAYBE */
	TEMPLATE_OF,        /* one of several texts, separated by '|', up to the next TEMPLATE_OF */
	TEMPLATE_ITEMS,     /* a list of counts: separator, TEMPLATE_ITEMS, form, TEMPLATE_ITEMS, words */
	TEMPLATE_WORD = 14, /* text without blanks, not empty */
	TEMPLATE_SPACE,     /* any number of blanks */
	TEMPLATE_SOLID,     /* matches nothing, where something other than a blank follows */
};

enum line_role {
	LINE_START, /* a run begins */
	LINE_END,   /* its summary */
	LINE_MORE,  /* directly below the summary, or below another such line */
	LINE_LATE,  /* anywhere behind the summary */
	LINE_ITEM,  /* one test; none comes behind the summary */
	LINE_LIST,  /* a line that counts wherever it is */
	LINE_NONE,  /* there was nothing to run */
	LINE_FAIL,  /* something failed, whatever the counts say */
	LINE_DRY,   /* tests were listed, not run */
	LINE_STOP,  /* the run was interrupted */
};

struct format_line {
	uint16_t text;
	uint8_t role, counter; /* counter: increased by each such line; FORMAT_COUNTERS: none */
	uint8_t word;          /* every such line has it; FORMAT_WORDS: no word is known */
};

enum rule_relation { RULE_EQUAL, RULE_AT_MOST, RULE_AT_LEAST };
enum rule_when { RULE_ALWAYS, RULE_IF_LEFT /* the left side is not 0 */, RULE_IF_PASS /* nothing failed */ };

/* An equation of two sums of counters, such as "+a-b"; a digit is a constant. */
struct format_rule {
	uint16_t left, right;
	uint8_t note, when;
	uint8_t relation;
};

struct format_count {
	uint16_t name, sum;
	bool only_some; /* left out if 0 */
};

enum format_stream { STREAM_OUT, STREAM_ERR, STREAM_BOTH, STREAM_EITHER };
enum format_flag {
	FORMAT_MANY = 1,    /* several summaries of one output add up */
	FORMAT_VERDICT = 2, /* LINE_FAIL if and only if the counts say so */
	FORMAT_AFTER = 4,   /* text behind the summary is noted */
	FORMAT_LOOSE = 8,   /* another exit code without a failure is one if `loose` is not 0 */
	FORMAT_ZERO = 16,   /* the tool may exit with 0 whatever it finds */
	FORMAT_LAST = 32,   /* the summary is the last thing that the tool prints: else the result is open */
};

struct format_row {
	uint16_t name, tool, how;
	uint8_t task, flags, stream;
	bool both;                                        /* serves typecheck and lint */
	/* confidence by what was seen; after: a summary with other text behind it, 0: as without */
	uint8_t sure_end, sure_start, sure_item, sure_none, sure_after;
	uint8_t exit_usual;                               /* exit code of a failure; 0: any */
	uint8_t exit_broken;                              /* from here on the tool itself failed; 0: none */
	uint16_t words, lines, rules, counts;             /* the first one in its table */
	uint8_t nwords, nlines, nrules, ncounts;
	uint16_t fail, none, shown, loose;                /* sums; 0: none */
};

struct format_word {
	uint16_t text;
	uint8_t n, at; /* at: three bytes by which it is looked for */
};

/* A format with code of its own: one of these words occurs in each of its outputs. */
struct format_code {
	uint16_t name, words;
	uint8_t nwords;
};

/* format_table.c, generated */
extern const char format_texts[];
extern const struct format_row format_rows[];
extern const struct format_line format_lines[];
extern const struct format_rule format_rules[];
extern const struct format_count format_counts[];
extern const struct format_word format_words[];
extern const uint8_t format_row_words[];
extern const struct format_code format_codes[];
extern const size_t format_nrows, format_nwords, format_ncodes;

/* A set of words. */
struct format_found {
	uint64_t bits[FORMAT_WORDS / 64];
};
/* Adds the words of a validator; its code is called only if one of them occurs. */
void format_want(const struct validator *r, struct format_found *wanted);
bool format_has_words(const struct validator *r, const struct format_found *found);
/* Adds the wanted words that occur in the text. */
void format_find(struct str text, const struct format_found *wanted, struct format_found *found);
int format_sure_at_most(const struct format_row *row); /* the highest confidence that a row can have */
/* Returns the confidence; *ret is what was read, if anything. */
int format_detect(const struct format_row *row, struct arena *a, const struct validate_input *in,
		const struct format_found *found, const struct format_reading **ret);
/* r: what was read of the same output, or NULL. */
void format_check(const struct format_row *row, const struct format_reading *r, struct arena *a,
		const struct validate_input *in, struct validation *v);

/* False if the first byte of the line shows already that it does not match. */
static inline bool template_may_match(const char *template, struct str line)
{
	unsigned char c = (unsigned char)template[0];

	return c == TEMPLATE_COUNT ? line.n && line.p[0] >= '0' && line.p[0] <= '9' :
			c < ' ' || (line.n && line.p[0] == template[0]);
}
/* Matches a whole line and sets `counters` to its numbers, which mean nothing if it does not match. */
bool template_match(const char *template, struct str line, int64_t counters[FORMAT_COUNTERS]);
