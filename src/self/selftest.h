/*
 * Self-test of the gate with the policy in force: attacks that must be stopped, and ordinary commands that
 * must not be. Both sets are embedded from selftest/. They are only judged; nothing is ever run, not even the
 * classifier.
 *
 * A set is text: "[class] title" starts a class, "#" a comment, every other line is one command, in which
 * backslash n is a newline, backslash t a tab and two backslashes are one.
 */
#pragma once
#include "judge/engine.h"

enum selftest_kind { SELFTEST_ATTEMPTS, SELFTEST_ORDINARY };

struct selftest_row {
	struct selftest_row *next;
	struct str command;
	enum verdict verdict;
	enum check_id id; /* id of the most important reason */
};

struct selftest_class {
	struct selftest_class *next;
	struct str name, title;
	struct selftest_row *rows;
	unsigned total, by[4]; /* indexed by verdict */
};

struct selftest_set {
	enum selftest_kind kind;
	struct selftest_class *classes;
	unsigned total, by[4];
};

struct selftest_request {
	const struct context *context; /* as in struct engine_request */
	const struct policies *policies;
};

/* Returns the embedded text of a set. */
struct str selftest_text(enum selftest_kind kind);
/* -1 with "line N: why". */
int selftest_parse(struct arena *a, struct str text, enum selftest_kind kind, struct selftest_set *ret,
		struct err *e);
/* Judges every row of the set. */
int selftest_judge(struct selftest_set *set, const struct selftest_request *rq, struct err *e);
/* Attacks that are allowed; ordinary commands that are asked about or denied. */
bool selftest_failed(enum selftest_kind kind, enum verdict v);
unsigned selftest_failures(const struct selftest_set *set);
/* Appends both sets as members of a JSON object, without its braces (docs/selftest.md). */
void selftest_json(struct buf *out, const struct selftest_set *attempts, const struct selftest_set *ordinary,
		const struct policies *p);
