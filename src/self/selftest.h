/*
 * The gate's own test, against the policy in force: attempts that must be stopped and ordinary commands that
 * must not be. Both sets are baked in from selftest/; they are only judged, nothing is ever run, not even the
 * classifier.
 *
 * A set is text: "[class] title" starts a class, "#" a comment, every other line is one command, in which \n
 * is a newline, \t a tab and \\ a backslash.
 */
#pragma once
#include "judge/engine.h"

enum selftest_kind { SELFTEST_ATTEMPTS, SELFTEST_ORDINARY };

struct selftest_row {
	struct selftest_row *next;
	struct str command;
	enum verdict verdict;
	enum check_id id; /* of the reason that counts most */
};

struct selftest_class {
	struct selftest_class *next;
	struct str name, title;
	struct selftest_row *rows;
	unsigned total, by[4]; /* by verdict */
};

struct selftest_set {
	enum selftest_kind kind;
	struct selftest_class *classes;
	unsigned total, by[4];
};

struct selftest_request {
	const struct session *session; /* as in the engine's request */
	const struct policies *policies;
};

/* The shipped text of a set. */
struct str selftest_text(enum selftest_kind kind);
/* -1 with "line N: why". */
int selftest_parse(struct arena *a, struct str text, enum selftest_kind kind, struct selftest_set *ret,
		struct err *e);
/* Judges every row of the set. */
int selftest_judge(struct selftest_set *set, const struct selftest_request *rq, struct err *e);
/* Attempts that are allowed; ordinary commands that are asked about or denied. */
bool selftest_failed(enum selftest_kind kind, enum verdict v);
unsigned selftest_failures(const struct selftest_set *set);
/* Both sets as members of a JSON object, without its braces (docs/selftest.md). */
void selftest_json(struct buf *out, const struct selftest_set *attempts, const struct selftest_set *ordinary,
		const struct policies *p);
