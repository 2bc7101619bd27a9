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
	/* ended by job_end() after the report is out; box_begin() may have begun it before job_go() */
	struct box box;
	struct record record;
	struct outcome outcome;
	struct judgement judgement;
	/* the ticket was read but could not be taken: we are in the client's sandbox */
	bool peeked;
	bool sandboxed;            /* no box can be created in that sandbox */
	/* the policy trusts that sandbox: the caller runs the ticket's command without a box */
	bool direct;
	/*
	 * input: called as soon as the begin row is written, before the program starts: from then on the
	 * record has the run, whatever happens. NULL: nobody wants to know
	 */
	void (*begun)(void *ctx, struct str id);
	void *begun_ctx;
	/* input: the caller's streams under other numbers, not for a box in the background; 0: none */
	int callers[2];
	/*
	 * input: returns a descriptor that is readable once the agent client has ended, or -1. Boxes in the
	 * background end then. NULL: they do not
	 */
	int (*client)(struct arena *a, void *ctx);
	void *client_ctx;
	struct job_hold *hold;     /* the box may go to the background; NULL: no */
	bool refused;              /* by the gate, or because the policy did not load */
	struct report report;
	/* job_unfinished.h: bytes of output and hosts at the last look, and that hints were left */
	uint64_t seen_bytes;
	size_t seen_hosts;
	bool noted;
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
/* Makes j->run.spec, and nothing else: box_prime() can put a box together for runs like this one. */
int job_prepare(struct arena *a, struct job *j, struct err *e);
/* Judges only, even if the request does not ask for the gate. Sets `refused` if the policy did not load. */
int job_judge(struct arena *a, struct job *j, struct facts *ret, struct err *e);
