/*
 * A job whose box goes to the background: it asks the keeper, makes the entry (background.h), and, in the
 * holder, writes log, record and report. box/hold.h hands the box over, keeper/keeper.h says who ends with
 * whom.
 *
 * Ids. If the program itself goes on, the run goes on: its begin row exists, the holder writes its end row,
 * and the launcher's report has the status `running`. If the program has ended and others are left, the run
 * is over: the launcher writes its end row as ever, and what is left is a run with an id of its own, whose
 * begin and end rows the holder writes.
 */
#pragma once
#include "run/job.h"
#include "run/output_filter.h"
#include "sys/sha256.h"

#define JOB_HOLD_AGE_MS ((uint64_t)8 * 3600 * 1000) /* a box in the background ends after this time */
#define JOB_HOLD_PROCESSES 8                        /* that a report names */

struct job_hold {
	struct arena *a;
	struct job *j;
	struct box_hold box;
	int keeper, dir, lock, log; /* -1: none */
	struct str state;
	struct output_filter filter; /* in the holder: cleans the log */
	char id[RUN_ID_MAX + 8];
	char key[SHA256_HEX + 1]; /* of the network that other boxes may join; empty: none */
	char ended[40]; /* a box that ended for this one */
	struct {        /* while the launcher's own box lends its network; -1: none */
		int keeper, dir, lock;
	} lent;
	char why[152];  /* the keeper's reason to end the box */
	bool left, holder;
	uint64_t cpu_ms;
	struct run_background about; /* for the launcher's report */
	struct texts *unpublished;   /* ports of the policy that could not be published, and why */
};

/* True if the policy keeps what an agent's command leaves behind, and the box can stay. */
bool job_keeps(const struct job *j);
/* Prepares j->hold, if the request allows the background. */
int job_hold_prepare(struct arena *a, struct job *j, struct err *e);
/* In the launcher, after report_make(): what stays, or why nothing does. */
void job_hold_report(struct arena *a, struct job *j);
/* In the holder, after the end row: leaves the report, and ends the process. */
void job_hold_end(struct arena *a, struct job *j) __attribute__((noreturn));
/* Writes the end rows of boxes whose holder was killed. */
void job_hold_settle(struct arena *a, const struct view *v, struct str state);
