/*
 * One run from wishes to report: ticket, policies, gate, record, box, report, record. `caisson run` and the
 * MCP server are this with different ways of asking and answering.
 */
#pragma once
#include "record/record.h"
#include "record/ticket.h"
#include "run/run.h"

struct job {
	struct run_wishes wishes;  /* given; what a ticket says replaces them */
	/* given; what a ticket says replaces it. Without an agent it is the one of the wishes */
	struct record_who who;
	struct ticket ticket;
	struct policies policies;
	struct run_world world;
	struct run run;
	struct box box;            /* job_end() when the report is out */
	struct record record;
	struct outcome outcome;
	struct judgement judgement;
	/* the ticket could not be taken, only read: this is the client's sandbox */
	bool peeked;
	bool sandboxed;            /* that sandbox lets no box be made */
	/* the policy trusts that sandbox: the caller runs the ticket's command as it is */
	bool direct;
	bool refused;              /* by the gate, or because there is no policy to judge by */
	struct report report;
	/* the directory a ticket's command left behind, if that is in the project; else empty */
	struct str ended_in;
};

/*
 * 0 and a report, whatever happened; -1 when the wishes are wrong: e says how, and nothing was made. The
 * caller is inside an arena_run().
 */
int job_go(struct arena *a, struct job *j, const struct box_progress *progress, struct err *e);
/*
 * Waits until nothing of the run is left, and closes its streams. Last of all, so that nobody who reads the
 * report waits for the kernel; the arena may be gone by then. Also for a job that never ran.
 */
void job_end(struct job *j);
/*
 * Only what the gate would say of it, whether the wishes ask for the gate or not; `refused` is set when there
 * is no policy to judge by.
 */
int job_judge(struct arena *a, struct job *j, struct facts *ret, struct err *e);
