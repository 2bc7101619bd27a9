/*
 * Self-test of the box on the user's machine: programs that try to break limits and walls, each in a fresh
 * box, created as by `caisson run`. Targets outside the box are canaries in a temporary directory, or names
 * that nobody else uses.
 *
 * An attempt is a script for /bin/sh (and common tools), so that nothing has to be installed. It prints
 * BREACH if it succeeds; we also check from outside. An attempt whose tool is missing here counts as untried.
 * The first row is not an attempt but ordinary work that must succeed: a box in which nothing works would
 * pass all the others.
 */
#pragma once
#include "run/run.h"

#define TRIAL_PATH_MAX 4096
#define TRIAL_TOKEN 32 /* characters of the token that marks our canaries and processes */

enum trial_end { TRIAL_HELD, TRIAL_BROKEN, TRIAL_UNTRIED };

/* The walls and limits that rows name; for limits the outcome names the enforcer. */
enum trial_wall { BY_NOBODY, BY_MEMORY, BY_TIME, BY_PIDS, BY_SCRATCH, BY_OUTPUT, BY_NETWORK, BY_MOUNTS,
		BY_FILTER, BY_PID_NAMESPACE, BY_ENVIRONMENT, BY_PRIVILEGES, BY_PROTECTION };

struct trial_place { /* the canaries */
	char dir[TRIAL_PATH_MAX];     /* temporary directory with workspace/ and outside/ */
	char token[TRIAL_TOKEN + 1];
	struct str home;              /* the caller's home */
	int listener;                 /* a socket on this host's loopback; -1: none */
	unsigned port;
};

/* Checks outside the box after the attempt. */
enum attempt_look { LOOK_NOWHERE, LOOK_WORK, LOOK_OUTSIDE, LOOK_PROTECTED, LOOK_LISTENER };

struct attempt { /* inline strings; empty: not given */
	char name[16], title[36];
	enum trial_wall wall;
	bool workspace;               /* needs a writable workspace */
	char network[20];             /* the host that its box reaches */
	uint64_t limits[LIMITS];      /* 0: the profile's */
	unsigned ends;                /* bits 1 << status: permitted results */
	char need[20];                /* required tools, separated by blanks */
	char script[344];
	char must[8];                 /* the output must contain this */
	enum attempt_look look;
};

struct selftest_trial {
	struct selftest_trial *next;
	const struct attempt *attempt;
	enum trial_end end;
	struct str why;               /* unless TRIAL_HELD */
	const char *by;               /* the wall or limit that stopped it */
	enum status status;
	bool timed;                   /* the time limit ended it, */
	int64_t over_ms;              /* this long after its expiry */
	uint64_t duration_ms, peak_memory;
};

struct box_test {
	struct selftest_trial *trials;
	unsigned held, broken, untried;
};

/* selftest_attempts.c */
extern const struct attempt attempts[];
extern const size_t nattempts;
/* Returns the fault found outside; NULL: none. */
const char *attempt_look(enum attempt_look look, struct trial_place *p);
/* Final check: no process of the attempts is left, and nothing was written later. */
const char *attempts_leftover(struct trial_place *p);

/*
 * Runs all attempts. `dir` will contain the temporary directory. -1 if no box, or no canary, can be created.
 */
int box_test(struct arena *a, const struct policies *p, enum backend_choice backend, const char *dir,
		struct box_test *ret, struct err *e);
/* Appends the result as a JSON value (docs/selftest.md). */
void box_test_json(struct buf *out, const struct box_test *t);
