/*
 * The box's own test, on the user's own machine: programs that break limits and walls on purpose, each in a
 * fresh box, made as `caisson run` makes them. Whatever an attempt aims at outside is a canary in a temporary
 * directory made for this, or a name nobody else uses.
 *
 * An attempt is a program for /bin/sh (and common tools), so that nothing has to be installed. It prints
 * BREACH when it got what it wanted; a check of ours looks from outside. An attempt that could not be made at
 * all, because a tool is missing here, is said to be untried. The first row is no attempt: ordinary work,
 * which must succeed, for a box in which nothing works would pass all the others.
 */
#pragma once
#include "run/run.h"

#define TRIAL_PATH_MAX 4096
#define TRIAL_TOKEN 32 /* letters of the word that marks our canaries and processes */

enum trial_end { TRIAL_HELD, TRIAL_BROKEN, TRIAL_UNTRIED };

/* The walls and limits, as a row names them; for the limits the outcome says who enforced them. */
enum trial_wall { BY_NOBODY, BY_MEMORY, BY_TIME, BY_PIDS, BY_SCRATCH, BY_OUTPUT, BY_NETWORK, BY_MOUNTS,
		BY_FILTER, BY_PID_NAMESPACE, BY_ENVIRONMENT, BY_PRIVILEGES, BY_PROTECTION };

struct trial_place { /* the canaries */
	char dir[TRIAL_PATH_MAX];     /* made for this test, and removed; below it workspace/, outside/ */
	char token[TRIAL_TOKEN + 1];
	struct str home;              /* the caller's */
	int listener;                 /* a socket on this host's loopback, -1: none */
	unsigned port;
};

/* Things checked outside the box afterwards. */
enum attempt_look { LOOK_NOWHERE, LOOK_WORK, LOOK_OUTSIDE, LOOK_PROTECTED, LOOK_LISTENER };

struct attempt { /* texts in place; those that are empty are not given */
	char name[16], title[36];
	enum trial_wall wall;
	bool workspace;               /* with a writable one */
	/* as on the command line; empty: the profile's */
	char memory[8], timeout[8], pids[8], scratch[8], output[8];
	unsigned ends;                /* bits 1 << status: how it may end */
	char need[20];                /* tools, separated by blanks */
	char script[272];
	char must[8];                 /* its output must have this */
	enum attempt_look look;
};

struct selftest_trial {
	struct selftest_trial *next;
	const struct attempt *attempt;
	enum trial_end end;
	struct str why;               /* when it is not held */
	const char *by;               /* what stopped it */
	enum status status;
	bool timed;                   /* it ended by the time limit, */
	int64_t over_ms;              /* this much after it */
	uint64_t duration_ms, peak_memory;
};

struct box_test {
	struct selftest_trial *trials;
	unsigned held, broken, untried;
};

/* selftest_attempts.c */
extern const struct attempt attempts[];
extern const size_t nattempts;
/* The fault found outside; NULL: none. */
const char *attempt_look(enum attempt_look look, struct trial_place *p);
/* Checked at the very end: no process of the attempts lives, and nothing was written later. */
const char *attempts_leftover(struct trial_place *p);

/*
 * Runs all. `dir`: where the temporary directory is made. -1 when no box can be made, or the canaries cannot.
 */
int box_test(struct arena *a, const struct policies *p, const char *dir, struct box_test *ret, struct err *e);
/* As the value of a key, without anything around it (docs/selftest.md). */
void box_test_json(struct buf *out, const struct box_test *t);
