/*
 * The gate: facts and a policy in, a judgement out. It is pure: no system calls, no clock, no environment.
 * The same input always gets the same answer, so a decision can be replayed. The view holds everything that
 * the gate may know of the world. For missing parts the gate asks questions (judgement.questions), and the
 * engine judges again with the answers.
 *
 * Every reason carries the id of one row of the table of checks (model/check_rows.h). The names of the ids
 * are public: docs/checks.md documents each, and a test compares the two.
 */
#pragma once
#include "model/call_note.h"
#include "model/policy.h"
#include "model/verdict.h"
#include "model/view.h"

/* a question still open after this many rounds raises bound-reached (ask) */
#define GATE_ROUNDS_MAX 4

struct judge; /* judge.h, private to the gate */

enum check_lift {
	LIFT_NEVER = 0,
	LIFT_COMMAND, /* an allow rule for the command lifts an ask or contain of this check */
};

struct check {
	enum check_id id;
	enum grade grade;  /* built-in grade */
	bool fixed;        /* no policy can make it milder */
	enum check_lift lift;
	enum approval approval;
	char about[144];   /* one line for the docs */
	unsigned long marks; /* for syntax checks: bit set of marks */
};

/*
 * Judges. If the view is not closed and lacks paths, *ret has questions and denies. When the arena is full it
 * leaves the caller's arena_run(); *ret was zeroed first, and zero denies.
 */
void gate_judge(struct arena *a, const struct facts *f, const struct policy *p, const struct view *v,
		struct judgement *ret);

/* The effect of a person's approval of an ask. */
struct approved {
	enum approval run;           /* never APPROVAL_CODE */
	/* APPROVAL_OUTSIDE: a command that would be contained also runs outside */
	bool unboxed;
	/* APPROVAL_SPLIT: a command that must be in the box, and one that cannot be */
	struct span inside, outside;
};

/*
 * approval.c. Returns the effect of approving a judgement that asks; reasons may have been added to it. The
 * result depends only on the gate's findings, so a replay gives the same. Call it inside an arena_run().
 */
struct approved gate_approved(struct arena *a, const struct facts *f, const struct judgement *j,
		const struct policy *p);

/* approval.c. Sets j->network from the reasons, the verdict and the approval. Call it after these changed. */
void gate_grant(struct arena *a, struct judgement *j);

/*
 * amend.c. Adds the reasons for the notes of the client's call, in order, and lowers the verdict accordingly.
 * This is the only way to add a reason because of a client's call. `p` has the mode in force.
 */
void gate_amend(struct arena *a, const struct facts *f, const struct policy *p, const struct call_note *notes,
		struct judgement *j);
const char *gate_note_name(enum call_note_kind kind);
bool gate_note_find(struct str name, enum call_note_kind *ret);
/* sandbox.always: true if this command goes into the box although it is allowed. */
bool gate_boxes_always(struct arena *a, const struct facts *f, const struct policy *p);

/* Returns the table of checks, in the order in which they run. */
const struct check *gate_checks(size_t *ret_n);
const struct check *gate_check(enum check_id id); /* CHECK_NONE: an empty, fixed row */
/* Returns -1 and ERR_CONFIG if the policy names an unknown check or makes a fixed one milder. */
int gate_verify(const struct policy *p, struct err *e);

/* Sorts the reasons, gravest first; reasons of one grade keep their order. */
void gate_order_reasons(struct judgement *j);
/*
 * True if the verdict is contain only because a box bounds unknown effects. Without a box such a command is
 * at best asked about.
 */
bool gate_needs_walls(const struct judgement *j, const struct policy *p);

struct explain_style {
	unsigned width; /* columns of the terminal */
	bool colour;
	bool wrap;      /* break reasons into lines of that width; else each has one line */
};

/*
 * Appends the judgement for a person: the text with marks under its parts, the findings, the reasons, the
 * verdict. Control characters are made visible, so a hostile command cannot write to the terminal.
 */
void gate_explain(struct buf *out, const struct facts *f, const struct judgement *j,
		struct explain_style style);
/* Appends a summary: the verdict, then one line for each reason. */
void gate_summary(struct buf *out, const struct judgement *j, struct explain_style style);
