/* Verdicts and reasons. Zeroed memory denies. The verdict of several parts is their minimum. */
#pragma once
#include "model/check.h"
#include "model/facts.h"

enum verdict { VERDICT_DENY = 0, VERDICT_ASK, VERDICT_CONTAIN, VERDICT_ALLOW };
enum grade { GRADE_OFF, GRADE_WARN, GRADE_CONTAIN, GRADE_ASK, GRADE_DENY };

/* Where a command runs after a person approves a reason for asking. */
enum approval {
	APPROVAL_OUTSIDE = 0, /* outside the box: the effect is impossible inside */
	APPROVAL_PLAIN,       /* where it would run without the question */
	APPROVAL_BOX,         /* in the box */
	/* in the box, possibly with the network: it executes code that is not judged */
	APPROVAL_CODE,
	/* in the box with the network if the same command executes unjudged code, else outside */
	APPROVAL_NETWORK,
	/* for a whole request: nowhere. One part must run in the box, another cannot */
	APPROVAL_SPLIT,
};

struct reason_place { /* another place of the same reason */
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
	/* what a run in the box needs of the network: words as in judgement.network, separated by blanks */
	struct str network;
	struct span at;
	struct reason_place *more; /* further places, which are not shown */
};

/* In the order in which --explain shows them. */
enum step_kind {
	STEP_DENY, /* a rule of the policy matched */
	STEP_SCOPED_ALLOW,
	STEP_ASK,
	STEP_ALLOW,
	STEP_DEFAULT,
	STEP_LIFTED, /* a rule lifted a finding */
	STEP_MODE,   /* the client's mode */
	STEP_PAUSE,
	STEP_CLASSIFIED_DENY, /* answers of the classifier */
	STEP_CLASSIFIED_CONTAIN,
	STEP_CLASSIFIED_ALLOW,
	STEP_UNANSWERED,
	STEP_KINDS
};

/* One step of the derivation that --explain shows. */
struct step {
	struct step *next;
	enum step_kind kind;
	/* place of the rule; id of the lifted check; name of the mode; "classifier" */
	struct str rule;
	struct str subject; /* the command, shortened */
	struct span at;
};

enum place {
	PLACE_UNKNOWN = 0,
	PLACE_NULL,    /* /dev/null and the like: keeps nothing */
	PLACE_ROOT,    /* inside a writable root */
	PLACE_TEMP,    /* inside a shared temporary directory */
	PLACE_DEVICE,
	PLACE_SYSTEM,
	PLACE_OUTSIDE,
	/* of struct placed only: the part of PLACE_ROOT in the project, of PLACE_OUTSIDE in the home */
	PLACE_PROJECT,
	PLACE_HOME,
	PLACES
};

/*
 * For --explain, a bounded number of each: the place where a path of an access leads, and the knowledge row
 * that describes a command.
 */
struct placed {
	struct placed *next;
	const struct access *access;
	struct str path;    /* absolute and normalized */
	struct str real;    /* resolved; equals `path` without links on the way */
	enum place place;
	bool wild;          /* from a pattern: the pattern itself, or a file that it matches */
	bool sure;          /* false: its links could not be resolved */
};

struct known {
	struct known *next;
	const struct command *command;
	const char *row;    /* program and subcommand: "git push" */
	unsigned effects;   /* EFFECT_* of knowledge.h */
	bool own;           /* from the person's own rows */
	bool readonly;      /* this form of the command only reads */
};

/*
 * A question about the world that the judge needs answered. The engine adds the answer to the view and judges
 * again.
 */
enum question_kind {
	QUESTION_PATH,      /* stat and resolve this path */
	QUESTION_GLOB,      /* expand this glob */
	QUESTION_GIT,       /* list the project's hooks and programs that git runs in this directory */
	QUESTION_TREE,      /* list the names that git changes in the working tree around this directory */
};

struct question {
	struct question *next;
	enum question_kind kind;
	struct str path;    /* absolute */
	struct tree_answer *tree; /* QUESTION_TREE: the other parameters; the answer is empty */
};

struct view;
struct texts;

struct judgement {
	enum verdict verdict;
	bool complete;
	bool cut;           /* a bound was reached: more reasons may exist than are listed */
	struct reason *reasons;
	struct reason *warnings;
	struct reason *advice;
	/*
	 * For an ask: the effect of an approval. For a contain because of the client's mode: the effect of
	 * the mode's approval of the asks, which become warnings.
	 */
	enum approval approval;
	/*
	 * Everything that a run in the box may reach, of a contain and of an ask whose approval is the
	 * network. Each word is "HOST[:PORT]", "preset:registries/TOOL", or "host" alone: the network of this
	 * machine. NULL: nothing.
	 */
	struct texts *network;
	struct step *steps;
	struct placed *placed;
	struct known *known;
	struct question *questions; /* not empty: the verdict is not final */
	const struct view *view;    /* knowledge about the world; NULL: none was needed */
};

/* Names for answers and explanations: static strings. */
const char *verdict_name(enum verdict v);
const char *grade_name(enum grade g);
const char *approval_name(enum approval x);
const char *step_name(enum step_kind k);
const char *place_name(enum place p);

static inline enum verdict verdict_min(enum verdict a, enum verdict b) { return a < b ? a : b; }
