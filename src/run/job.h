/*
 * One run, from request to report: ticket, policies, gate, record, box, report, record. `caisson run` and the
 * MCP server are frontends to it.
 */
#pragma once
#include "record/record.h"
#include "record/ticket.h"
#include "run/run.h"

struct job {
	struct run_request request; /* input; a ticket replaces it */
	/* input; a ticket replaces it. Without an agent, that of the request */
	struct record_who who;
	struct ticket ticket;
	struct policies policies;
	struct run_world world;
	struct run run;
	struct box box;            /* ended by job_end() after the report is out */
	struct record record;
	struct outcome outcome;
	struct judgement judgement;
	/* the ticket was read but could not be taken: we are in the client's sandbox */
	bool peeked;
	bool sandboxed;            /* no box can be created in that sandbox */
	/* the policy trusts that sandbox: the caller runs the ticket's command without a box */
	bool direct;
	/* input: the caller's streams under other numbers, not for a box in the background; 0: none */
	int callers[2];
	struct job_hold *hold;     /* the box may go to the background; NULL: no */
	bool refused;              /* by the gate, or because the policy did not load */
	struct report report;
	/* final directory of a ticket's command, if it is in the project; else empty */
	struct str ended_in;
};

/*
 * 0 and a report, whatever happened; -1 and *e if the request is invalid and nothing was started. The caller
 * is inside an arena_run().
 */
int job_go(struct arena *a, struct job *j, const struct box_progress *progress, struct err *e);
/*
 * Waits until no process of the run is left, and closes its streams. Call it last, so that readers of the
 * report do not wait for the kernel; the arena may be gone by then. Also valid for a job that never ran.
 */
void job_end(struct job *j);
/* Judges only, even if the request does not ask for the gate. Sets `refused` if the policy did not load. */
int job_judge(struct arena *a, struct job *j, struct facts *ret, struct err *e);
