/* Verdicts and reasons. Zeroed memory denies; between parts the minimum wins. */
#pragma once
#include "model/check.h"
#include "model/facts.h"

enum verdict { VERDICT_DENY = 0, VERDICT_ASK, VERDICT_CONTAIN, VERDICT_ALLOW };
enum grade { GRADE_OFF, GRADE_WARN, GRADE_CONTAIN, GRADE_ASK, GRADE_DENY };

/* Where a command runs when a person says yes to a reason for asking. */
enum approval {
	APPROVAL_OUTSIDE = 0, /* outside of the box: what the reason is about cannot be done in it */
	APPROVAL_PLAIN,       /* where it would run if the question were not there */
	APPROVAL_BOX,         /* in the box */
	/* likewise, and the network may be added: it executes code that is not judged */
	APPROVAL_CODE,
	/* in the box with the network if the same command executes such code, else outside */
	APPROVAL_NETWORK,
	/* of a whole request: nowhere, since a part of it must be in the box and another cannot */
	APPROVAL_SPLIT,
};

struct reason_place { /* where the same is found once more */
	struct reason_place *next;
	struct span at;
	enum approval approval;
};

struct reason {
	struct reason *next;
	enum check_id id;
	enum grade grade;
	enum approval approval;
	struct str message;
	struct str alternative; /* may be empty */
	struct str rule;        /* "file:line", a preset's name, or empty for a built-in check */
	struct span at;
	struct reason_place *more; /* further places, which are not told */
};

/* A rule of the policy that spoke, or a finding that a rule lifted: the derivation that --explain shows. */
struct step {
	struct step *next;
	/*
	 * "deny", "scoped allow", "ask", "allow", "default", "lifted", "mode"; the classifier's: a verdict,
	 * "no answer"
	 */
	const char *what;
	/*
	 * where the rule stands; the id of the check when something was lifted; the mode's name; "classifier"
	 */
	struct str rule;
	struct str subject; /* the command, shortened */
	struct span at;
};

/*
 * Where one path of an access leads, and which row of knowledge a command was read by: for --explain, a
 * bounded number of each.
 */
struct placed {
	struct placed *next;
	const struct access *access;
	struct str path;    /* absolute, in plain form */
	struct str real;    /* resolved; equals `path` when nothing on the way is a link */
	/*
	 * "project", "writable root", "temporary", "home", "system", "outside", "device", "nothing is kept"
	 */
	const char *place;
	bool wild;          /* from a pattern: the pattern itself, or a file that it finds */
	bool sure;          /* false: its links could not be resolved */
};

struct known {
	struct known *next;
	const struct command *command;
	const char *row;    /* with its subcommand: "git push" */
	unsigned effects;   /* EFFECT_* of knowledge.h */
	bool own;           /* a row of the person's own */
	bool readonly;      /* this form only reads */
};

/* Something the judge needs to know of the world. Engine answers into the view and judges again. */
enum question_kind {
	QUESTION_PATH,      /* what is this path? */
	QUESTION_GLOB,      /* which paths does this pattern find? */
	QUESTION_GIT,       /* what does git run of the project in this directory? */
	QUESTION_TREE,      /* which names does git change in the working tree around this directory? */
};

struct question {
	struct question *next;
	enum question_kind kind;
	struct str path;    /* absolute */
	struct tree_answer *tree; /* QUESTION_TREE: the rest of the question, without an answer */
};

struct view;

struct judgement {
	enum verdict verdict;
	bool complete;
	bool cut;           /* there were more reasons than are listed */
	struct reason *reasons;
	struct reason *warnings;
	struct reason *advice;
	/*
	 * For an ask: the effect of a yes. For a contain by the client's mode: the effect of the mode's yes
	 * to the asks, which are warnings now.
	 */
	enum approval approval;
	struct step *steps;
	struct placed *placed;
	struct known *known;
	struct question *questions; /* not empty: the verdict is not final */
	const struct view *view;    /* what was known of the world; NULL: nothing was asked of it */
};

static inline enum verdict verdict_min(enum verdict a, enum verdict b) { return a < b ? a : b; }
