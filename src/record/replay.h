/*
 * Finds one request in the record and derives its verdict again. With the recorded policy and view the
 * verdict is the recorded one, unless Caisson has changed since. Other policies can be tried too.
 *
 * Two things cannot be reproduced: a classifier's answer (no classifier is called), and redacted text. Memory
 * belongs to the arena; the caller is inside an arena_run().
 */
#pragma once
#include "audit/read.h"
#include "record/record.h"

#define REPLAY_ROWS_MAX 64 /* newest rows of one request that are read */

struct replay {
	struct audit_line *verdict, *begin, *end; /* the newest row of each kind; NULL: none */
	const struct audit_line *asked;           /* the row with the request */
	/* the row with verdict, policy and view; NULL: not judged */
	const struct audit_line *judged;
	struct str id, command, cwd;
	struct str said;                          /* the recorded verdict; empty: none */
	struct str policy, view;                  /* digests; empty: none */
	struct str answers;                       /* the row's part of the view, as JSON; empty: none */
	bool redacted;                            /* the recorded command or directory is redacted */
	/* the row holds only the beginning of the command */
	bool cut;
};

/* True if the row holds only the beginning of its command. */
bool replay_cut(const struct audit_line *row);

/* Finds the rows of a request. Returns 1, 0 if there are none, or -1. */
int replay_find(struct arena *a, const struct audit *au, struct str id, struct replay *ret, struct err *e);

struct derived {
	struct policies policies;
	struct view view;
	struct engine_request rq;
	struct facts facts;
	struct judgement judgement;
};

/* Judges with the recorded policy and view. *ret must not move: the view points into itself. */
int replay_derive(struct arena *a, const struct blobs *blobs, const struct replay *r, struct derived *ret,
		struct err *e);
/* Judges with these policies and the recorded view. */
int replay_under(struct arena *a, const struct blobs *blobs, const struct replay *r, const struct policies *p,
		struct derived *ret, struct err *e);
/*
 * Judges with the policies now in force in the recorded directory, and with a new view. `config` replaces the
 * user's file; may be NULL.
 */
int replay_now(struct arena *a, const struct blobs *blobs, const struct replay *r, const char *config,
		struct derived *ret, struct err *e);
/* True if the judgement equals the row: the verdict, and the set of reason ids. */
bool replay_same(const struct audit_line *row, const struct judgement *j);
/* True if this id is among the reasons of the row. */
bool replay_has_reason(const struct audit_line *row, struct str id);

/*
 * True if the gate asks a question that the recorded view does not answer. Then the judgement means nothing.
 */
bool replay_unseen(const struct audit_line *row, const struct judgement *j);

/* ---- other policies (replay_all.c) ---- */

/*
 * Tries other policy files of the user: they replace the user's files in the recorded policies. The files of
 * the system and of the project stay as recorded.
 */
struct trial {
	struct arena *a;          /* for results and cached policies */
	const struct blobs *blobs;
	struct policy_file *owner; /* the user's files, a list */
	struct trial_policy *policies;
	size_t npolicies;
	struct policy_file *extra; /* one more file of the user, after the others; NULL: none */
};
#define TRIAL_POLICIES_MAX 1024 /* different policies in one replay */

/* `config` becomes the user's file; NULL: the user's current files. */
int trial_open(struct arena *a, const struct blobs *blobs, const char *config, struct trial *ret,
		struct err *e);
/* Clears the cache of policies, after `extra` has changed. */
void trial_forget(struct trial *t);
/*
 * Returns the recorded policies with this digest, with the user's files replaced. Cached; owned by the trial.
 */
int trial_policies(struct trial *t, struct str digest, const struct policies **ret, struct err *e);

/*
 * Visits the requests that pass the filter, newest first. Each distinct one (recorded verdict, command, view,
 * policy) is judged once and passed to `judged`, which returns a tag. Then `row` is called for it, and for
 * each further equal row with the same tag. The targets of *r and *d live until `judged` returns.
 */
struct replay_visitor {
	void *ctx;
	void *(*judged)(void *ctx, const struct replay *r, enum verdict from, const struct derived *d);
	void (*row)(void *ctx, void *tag, enum verdict from, enum verdict to);
};

struct replay_counts {
	uint64_t rows;               /* rows with a verdict that passed the filter */
	uint64_t judged;             /* rows that were judged again */
	/* rows that were not: the command is redacted; view or policy are missing; other errors */
	uint64_t redacted, missing, failed;
	/* rows that were not: these policies need answers that the recorded view lacks */
	uint64_t unseen;
};

int replay_each(struct arena *a, const struct audit *au, struct trial *t, const struct audit_filter *f,
		const struct replay_visitor *v, struct replay_counts *ret, struct err *e);

struct replay_change { /* requests with a different verdict, grouped by command */
	struct str command, cwd, id;  /* those of the newest request */
	enum verdict from, to;
	uint64_t n;
	struct str reasons;           /* ids of the new judgement, separated by commas */
};
#define REPLAY_CHANGES_MAX 16384     /* bound for different commands */

struct replay_all {
	struct replay_counts counts;
	uint64_t matrix[VERDICT_ALLOW + 1][VERDICT_ALLOW + 1]; /* from, to */
	struct replay_change *changes; /* most frequent first */
	size_t nchanges;
	bool more;                   /* more commands than the bound */
};

int replay_all(struct arena *a, const struct audit *au, struct trial *t, const struct audit_filter *f,
		struct replay_all *ret, struct err *e);
