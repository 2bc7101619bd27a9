/*
 * The gate: facts and a policy in, a judgement out. Pure: no system calls, no clock, no environment; the same
 * input always gets the same answer, so a decision can be replayed. The view holds everything that the gate
 * may know of the world; for missing parts it asks (judgement.questions), and the engine judges again with
 * the answers.
 *
 * Every reason carries the id of one row of the table of checks (model/check_rows.h). Their names are public:
 * docs/checks.md documents each, and a test compares the two.
 */
#pragma once
#include "model/call_note.h"
#include "model/policy.h"
#include "model/verdict.h"
#include "model/view.h"

/* a question about paths that is still open after as many rounds is bound-reached: a person is asked */
#define GATE_ROUNDS_MAX 4

struct judge; /* judge.h, private to the gate */

enum check_lift {
	LIFT_NEVER = 0,
	LIFT_COMMAND, /* an allow rule for the command it belongs to lifts an ask or contain of this check */
};

struct check {
	enum check_id id;
	enum grade grade;  /* as built in */
	bool fixed;        /* no policy makes it milder */
	enum check_lift lift;
	enum approval approval;
	char about[144];   /* one line for docs and people */
	unsigned long marks; /* for checks of syntax: which marks, as bits */
};

/*
 * Judges, or only asks: when the view is not closed and paths are missing in it, *ret has questions and
 * denies. Leaves the arena_run of the caller when the arena is full; *ret was zeroed first and zero denies.
 */
void gate_judge(struct arena *a, const struct facts *f, const struct policy *p, const struct view *v,
		struct judgement *ret);

const char *approval_name(enum approval x);
/* The effect of a person's yes to an ask. */
struct approved {
	enum approval run;           /* APPROVAL_CODE is none of its values */
	/* APPROVAL_OUTSIDE: something that would be contained runs outside as well */
	bool unboxed;
	/* APPROVAL_SPLIT: a command that must be in the box, and one that cannot */
	struct span inside, outside;
};

/*
 * approval.c. For a judgement that asks; reasons may have been added to it. Depends only on the gate's
 * findings, so a replay gets the same. Inside an arena_run().
 */
struct approved gate_approved(struct arena *a, const struct facts *f, const struct judgement *j,
		const struct policy *p);

/*
 * amend.c. Adds the reasons that notes of the client's call give, in their order, and lowers the verdict by
 * them. This is the only way to add a reason to a judgement. `p` has the mode in force.
 */
void gate_amend(struct arena *a, const struct facts *f, const struct policy *p, const struct call_note *notes,
		struct judgement *j);
const char *gate_note_name(enum call_note_kind kind);
bool gate_note_find(struct str name, enum call_note_kind *ret);
/* sandbox.always: does this command go into the box although it is allowed? */
bool gate_boxes_always(struct arena *a, const struct facts *f, const struct policy *p);

/* The table, in the order in which the checks run. */
const struct check *gate_checks(size_t *ret_n);
const struct check *gate_check(enum check_id id); /* CHECK_NONE has an empty, fixed row */
/* Does the policy name only checks that exist, and soften none that is fixed? -1 with ERR_CONFIG. */
int gate_verify(const struct policy *p, struct err *e);

/* The gravest first, those of one grade in the order in which they were found. */
void gate_order_reasons(struct judgement *j);
/*
 * Is contain the answer only because the walls of a box bound what is not known? Then it is at best asked
 * about where there is no box.
 */
bool gate_needs_walls(const struct judgement *j, const struct policy *p);

const char *verdict_name(enum verdict v);
const char *grade_name(enum grade g);

struct explain_style {
	unsigned width; /* columns of the terminal */
	bool colour;
};

/*
 * The judgement for a person: the text with its parts underlined, what was found, the reasons, the verdict.
 * Control characters are made visible, so that a hostile command cannot write to the terminal.
 */
void gate_explain(struct buf *out, const struct facts *f, const struct judgement *j,
		struct explain_style style);
/* The judgement in a few plain lines: the verdict, then a line for each reason. */
void gate_summary(struct buf *out, const struct judgement *j, struct explain_style style);
