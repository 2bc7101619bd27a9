/*
 * Counts rows for `caisson metrics` and `caisson stats`. Each counter is one number under a key
 * `family|word|word`, so that all counters are stored, printed and read in one way:
 *
 *     decisions|VERDICT|RULE      judged requests, by verdict and first reason (`none`: no reason)
 *     reasons|RULE                all reasons
 *     requests|CLIENT             judged or run requests, by client (`none`: by hand)
 *     rows|KIND                   rows
 *     started, runs|STATUS        begin rows; end rows
 *     duration|I, duration|sum    runs by bucket of metrics_buckets(), and milliseconds
 *     memory|I, memory|sum        likewise, in megabytes; runs with unknown memory are left out
 *     cpu|sum                     milliseconds
 *     validations|TASK|OUTCOME    validations; results|TASK|RESULT
 *     day|DAY|WORD                only with `days`: verdicts and `run`, by day
 *     agent|ID, denied|COMMAND    only with `days`: bounded, for people; never in metrics
 *
 * A family has at most METRICS_WORDS_MAX words; further ones count as `other`. Words consist of letters,
 * digits, `.`, `_`, `:`, `-`; other characters become `_`, except in the families for people.
 */
#pragma once
#include "audit/read.h"

#define METRICS_WORDS_MAX 256   /* different keys of one family */
#define METRICS_WORD_MAX 64     /* letters of a word */
#define METRICS_KEYS_MAX 65536  /* of all */
#define METRICS_STATE_MAX ((size_t)16 << 20)
#define METRICS_BUCKETS 14      /* and one for what is larger */

struct tally {
	struct arena *a;
	struct tally_entry {
		struct str key;
		uint64_t n;
	} *entries;             /* a hash table; an empty key is a free place */
	size_t n, cap;
	struct {
		char name[16];
		size_t n;
	} families[24];
	bool days;              /* for people: by day, agent, command */
	uint64_t seq;           /* the newest row that was counted */
	char hash[AUDIT_HASH + 1];
	int64_t first, last;    /* its time, and that of the oldest; 0: none */
};

enum metrics_histogram { METRICS_DURATION_MS, METRICS_MEMORY_MB };

void tally_init(struct tally *t, struct arena *a);
uint64_t tally_get(const struct tally *t, const char *key);
/* Entries of a family ("decisions|"), by key; in the arena. */
struct tally_entry *tally_family(const struct tally *t, const char *start, size_t *ret_n);
/* The same, largest first. */
struct tally_entry *tally_largest(const struct tally *t, const char *start, size_t *ret_n);
/* The i-th word of a key; word 0 is the family. */
struct str tally_word(struct str key, unsigned i);

/* Upper bounds, METRICS_BUCKETS of them. */
const uint64_t *metrics_buckets(enum metrics_histogram h);
/* Counts all rows that pass the filter and are newer than t->seq. */
int metrics_rows(struct tally *t, const struct audit *au, const struct audit_filter *f, struct err *e);

/*
 * Counters that never decrease: the state so far is stored as JSON, and only newer rows are read. Dropped
 * rows stay counted. If the record does not continue from the stored hash, counting starts again: *ret_anew.
 */
int metrics_update(struct tally *t, const struct audit *au, struct str state, bool *ret_anew, struct err *e);
void metrics_state(struct buf *b, const struct tally *t);
enum metrics_format {
	METRICS_OPENMETRICS,
	METRICS_CLASSIC, /* the older Prometheus text: counters typed by their full name, no info, no units */
	METRICS_JSON,    /* one object: "families", each with its samples */
};

/* Appends all families. The caller provides `version` and the size of the record. */
void metrics_print(struct buf *b, const struct tally *t, enum metrics_format format, const char *version,
		uint64_t row_bytes);
