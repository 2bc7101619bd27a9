/*
 * Counting rows: for `caisson metrics` and `caisson stats`. Everything that is counted is one number under a key of words, `family|word|word`, so
 * that all of it is kept, printed and read again in the same way:
 *
 *     decisions|VERDICT|RULE      requests that were judged, by verdict and the first reason (`none`: there is none)
 *     reasons|RULE                all reasons
 *     requests|CLIENT             requests that were judged or run, by client (`none`: by hand)
 *     rows|KIND                   rows
 *     started, runs|STATUS        begin rows; end rows
 *     duration|I, duration|sum    runs by bucket of metrics_buckets(), and milliseconds
 *     memory|I, memory|sum        likewise, megabytes; a run whose memory is not known is not counted
 *     cpu|sum                     milliseconds
 *     validations|TASK|OUTCOME    validations; results|TASK|RESULT
 *     day|DAY|WORD                only with `days`: verdicts, and `run`, of a day
 *     agent|ID, denied|COMMAND    only with `days`: bounded, for people; never in metrics
 *
 * The words of a family are bounded (METRICS_WORDS_MAX); what is beyond is counted as `other`. They have letters, digits, `.`, `_`, `:`, `-`; other
 * letters become `_`, except in those for people.
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
/* The i-th word of a key, from 0, which is the family. */
struct str tally_word(struct str key, unsigned i);

/* Upper bounds, METRICS_BUCKETS of them. */
const uint64_t *metrics_buckets(enum metrics_histogram h);
/* Counts all rows that pass the filter and are newer than t->seq. */
int metrics_rows(struct tally *t, const struct audit *au, const struct audit_filter *f, struct err *e);

/*
 * Counters that never go down: what was counted so far is kept (JSON), and only newer rows are read. Rows that are dropped later stay counted. A
 * record that does not go on from what was counted (another hash) is counted from nothing: *ret_anew.
 */
int metrics_update(struct tally *t, const struct audit *au, struct str state, bool *ret_anew, struct err *e);
void metrics_state(struct buf *b, const struct tally *t);
/*
 * OpenMetrics text; or, with `classic`, the older Prometheus text format, which is what a textfile collector reads: counters are typed under their
 * whole name, there is no `info` and no unit. `version` and the size of the record are facts of the caller.
 */
void metrics_text(struct buf *b, const struct tally *t, bool classic, const char *version, uint64_t row_bytes);
