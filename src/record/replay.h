/*
 * The record of one request, and its verdict derived again: by the recorded policy and view, which gives the
 * recorded verdict unless the program has changed since; or by other policies.
 *
 * Two things cannot be reproduced: a classifier's answer (none is asked), and redacted text. Memory belongs
 * to the arena; the caller is inside an arena_run().
 */
#pragma once
#include "audit/read.h"
#include "record/record.h"

#define REPLAY_ROWS_MAX 64 /* rows of one request that are looked at: the newest */

struct replay {
	struct audit_line *verdict, *begin, *end; /* the newest of each kind; NULL: there is none */
	const struct audit_line *asked;           /* the row that has the request */
	/* the row that has verdict, policy and view; NULL: it was not judged */
	const struct audit_line *judged;
	struct str id, command, cwd;
	struct str said;                          /* the recorded verdict; empty: none */
	struct str policy, view;                  /* digests; empty: none */
	struct str answers;                       /* what the row has of the view, as JSON; empty: none */
	bool redacted;                            /* the command or its directory is not as it was */
	/* the command is longer than a row holds: its beginning alone is there */
	bool cut;
};

/* Does the row hold only the beginning of its command? */
bool replay_cut(const struct audit_line *row);

/* The rows of a request. 1, 0 when there are none, or -1. */
int replay_find(struct arena *a, const struct audit *au, struct str id, struct replay *ret, struct err *e);

struct derived {
	struct policies policies;
	struct view view;
	struct engine_request rq;
	struct facts facts;
	struct judgement judgement;
};

/* By the recorded policy and view. ret must stay where it is: the view points into itself. */
int replay_derive(struct arena *a, const struct blobs *blobs, const struct replay *r, struct derived *ret,
		struct err *e);
/* By these policies and the recorded view. */
int replay_under(struct arena *a, const struct blobs *blobs, const struct replay *r, const struct policies *p,
		struct derived *ret, struct err *e);
/*
 * By what is in force now where it was asked, and by the world as it is now. `config` stands in for the
 * user's file; may be NULL.
 */
int replay_now(struct arena *a, const struct blobs *blobs, const struct replay *r, const char *config,
		struct derived *ret, struct err *e);
/* Is this judgement what the row says: the verdict, and the reasons' ids as a set? */
bool replay_same(const struct audit_line *row, const struct judgement *j);
/* Is this id among the reasons of the row? */
bool replay_has_reason(const struct audit_line *row, struct str id);

/*
 * Has the gate a question now that it had not then, so that the recorded view has no answer to it? The
 * judgement means nothing then.
 */
bool replay_unseen(const struct audit_line *row, const struct judgement *j);

/* ---- other policies (replay_all.c) ---- */

/*
 * The user's files that are to be tried: in the recorded policies they take the place of the user's; what the
 * system's and the project's files said stays as it was recorded.
 */
struct trial {
	struct arena *a;          /* for what is kept */
	const struct blobs *blobs;
	struct policy_file *owner; /* a list */
	struct trial_policy *policies;
	size_t npolicies;
	struct policy_file *extra; /* one more of the user's, behind the others; NULL: none */
};
#define TRIAL_POLICIES_MAX 1024 /* different ones in what is gone over */

/* `config`: this file is the user's; NULL: what the user has now. */
int trial_open(struct arena *a, const struct blobs *blobs, const char *config, struct trial *ret,
		struct err *e);
/* Nothing is made yet: after `extra` was changed. */
void trial_forget(struct trial *t);
/*
 * The recorded policies of this digest, with the user's files in place of theirs. Made once. They are the
 * trial's.
 */
int trial_policies(struct trial *t, struct str digest, const struct policies **ret, struct err *e);

/*
 * Visits the requests that pass the filter, newest first. Each distinct one (recorded verdict, command, view,
 * policy) is judged once and passed to `judged`, which returns a tag; then `row` is called for it, and for
 * each further row like it with the same tag. The targets of *r and *d live until `judged` returns.
 */
struct replay_visitor {
	void *ctx;
	void *(*judged)(void *ctx, const struct replay *r, enum verdict from, const struct derived *d);
	void (*row)(void *ctx, void *tag, enum verdict from, enum verdict to);
};

struct replay_counts {
	uint64_t rows;               /* with a verdict, that passed the filter */
	uint64_t judged;             /* ... and were judged again */
	/* ... or not: the command is not as it was; view or policy are gone; something else */
	uint64_t redacted, missing, failed;
	/* ... or not: these policies ask about files that nobody looked at then */
	uint64_t unseen;
};

int replay_each(struct arena *a, const struct audit *au, struct trial *t, const struct audit_filter *f,
		const struct replay_visitor *v, struct replay_counts *ret, struct err *e);

struct replay_change { /* requests whose verdict would be another one, by command */
	struct str command, cwd, id;  /* of the newest */
	enum verdict from, to;
	uint64_t n;
	struct str reasons;           /* ids of the new judgement, with commas */
};
#define REPLAY_CHANGES_MAX 16384     /* different commands that are told apart */

struct replay_all {
	struct replay_counts counts;
	uint64_t matrix[VERDICT_ALLOW + 1][VERDICT_ALLOW + 1]; /* from, to */
	struct replay_change *changes; /* most frequent first */
	size_t nchanges;
	bool more;                   /* there were more commands than are told apart */
};

int replay_all(struct arena *a, const struct audit *au, struct trial *t, const struct audit_filter *f,
		struct replay_all *ret, struct err *e);
