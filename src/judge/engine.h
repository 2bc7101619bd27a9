/*
 * The engine joins the pure parts and the world: it loads the policies, fills the view, reads the command,
 * lets the gate judge in rounds (what the gate asks of the world is answered between them), and hands facts
 * and judgement back.
 */
#pragma once
#include "config/config.h"
#include "judge/session.h"
#include "model/call_note.h"
#include "model/identity.h"
#include "model/policy.h"
#include "model/verdict.h"
#include "model/view.h"
#include "sys/stamp.h"

#define ENGINE_CONFIG_MAX ((size_t)4 << 20) /* bytes of one policy file */

enum policy_kind { POLICY_CAISSON, POLICY_FENCEPOST,
		POLICY_SETTINGS /* of the client: its permission rules */ };

struct policy_file {
	struct policy_file *next;
	struct str path, bytes;
	struct str base;     /* where its patterns with one leading slash start */
	enum policy_kind kind;
	enum config_who who; /* WHO_ANYONE: of a project, and not trusted */
	bool project;        /* it lies in the project */
	/* Root of the project around this one that it belongs to; empty: it is the project's own. */
	struct str around;
	struct err *err;     /* it could not be read; else NULL */
	bool unread;         /* ... the file itself; else what decides about it */
};

struct engine_request {
	struct str command;
	const struct session *session; /* NULL: of the process */
	enum dialect dialect;
	enum mode mode;        /* of the client's session; MODE_DEFAULT: the policy's */
	const struct call_note *notes; /* of the client's call: engine_amend() */
	/* a call of another tool than a shell: what it does; `command` only says it. NULL: a command */
	const struct facts *facts;
};

struct policy_source { /* a file that decides which policies are in force, whether it is there or not */
	struct policy_source *next;
	const char *path;
	struct stamp stamp; /* before it was read */
};

struct policy_around { /* of a repository around the project: it holds there, too, and can only be stricter */
	struct policy_around *next;
	struct str root;
	struct policy policy;
};

/*
 * The policies in force. `own` merges the system's, the user's and a trusted project's policy. An untrusted
 * project's policy is judged separately, and the minimum holds; none of its texts is shown.
 */
struct policies {
	struct policy own, project;
	bool apart;            /* there is a `project` */
	struct policy_around *around; /* innermost first; NULL: no other project is around */
	struct str root;       /* the project's root they were loaded for */
	struct str digest;     /* of all of them */
	struct config_note *notes;
	struct policy_file *files; /* that there are, in the order in which they are merged */
	struct policy_source *sources; /* policy_cache.h */
};

/*
 * Judges. Fails closed: when the memory bound is reached or something goes wrong inside, *ret_judgement
 * denies with the reason internal-error, *ret_facts is empty, and the return value is still 0: the answer
 * stands. -1 only when not even that could be made.
 */
int engine_judge(struct arena *a, const struct engine_request *rq, const struct policies *p,
		struct facts *ret_facts, struct judgement *ret_judgement, struct err *e);
/*
 * The same with a view that is there already, and nothing else of the world: no question is answered anew,
 * and what a classifier said then it says now. *v is changed.
 */
int engine_judge_again(struct arena *a, const struct engine_request *rq, const struct policies *p,
		struct view *v, struct facts *ret_facts, struct judgement *ret_judgement, struct err *e);
/*
 * Adds what rq->notes say to a judgement that was made without them: some of them are known only when the
 * command was judged once. engine_judge() of a request that has notes does the same at its end.
 */
void engine_amend(struct arena *a, const struct engine_request *rq, const struct policies *p,
		  const struct facts *f, struct judgement *j);
/*
 * A judgement that denies because of something outside the command: id is internal-error, policy-error,
 * record-error or project-changed.
 */
void engine_refuse(struct arena *a, enum check_id id, const char *message, struct judgement *ret);
/* "bash", "sh", "zsh", "powershell"; 0 or -1 */
int engine_dialect(struct str name, enum dialect *ret);
const char *dialect_name(enum dialect d);
/* "default", "acceptEdits", "plan", "bypassPermissions", "dontAsk"; 0 or -1 */
int engine_mode(struct str name, enum mode *ret);
const char *mode_name(enum mode m);

/* policies.c */
struct policies_request {
	const char *config;    /* stands in for the user's file; NULL: the user's own */
	const struct session *session; /* as in the request */
	/* one more policy file, which counts as a trusted project's; empty: none */
	struct str extra_name, extra;
	bool settings;         /* the client's own permission rules count, whatever the policy says */
	bool alone;            /* the file alone: no system, no project (`config verify FILE`) */
	/* examples of presets are tried as well: ours are constants, so one test of each build will do */
	bool thorough;
};
/*
 * Loads the policies in force: system, user, project. A file that does not load is an error, and the caller
 * denies.
 */
int policies_load(struct arena *a, const struct policies_request *rq, struct policies *ret, struct err *e);
/* Only `files` and `root`: which files there are. One that cannot be read is listed with its error. */
int policies_files(struct arena *a, const struct policies_request *rq, struct policies *ret, struct err *e);
/* One of them by itself, as who it counts for. Examples are not tried. */
int policies_of_file(struct arena *a, const struct policy_file *f, struct policies *ret,
		struct config_note **ret_notes, struct err *e);
/*
 * These files, as they were in force once (struct policies.files). Looks at nothing, and tries no examples.
 */
int policies_of_files(struct arena *a, struct policy_file *files, struct str root, struct policies *ret,
		struct err *e);
/* The built-in policy alone. */
void policies_default(struct policies *ret);
/* One policy that is made already (tests, files given by hand). */
void policies_of(const struct policy *p, struct policies *ret);

/*
 * policy_examples.c: tries the examples of all rules (match, not_match), each with its rule alone. The first
 * that fails is the error.
 */
int policies_examples(const struct policies_request *rq, const struct policy *p, struct err *e);

/*
 * policy_lock.c: takes out of `p` (the system's and others' files in one) what makes anything milder than the
 * system's policy alone.
 */
void policy_lock_apply(struct policy *p, const struct policy *system);
bool mode_lifts(enum mode mode); /* acceptEdits, bypassPermissions */

/*
 * answer.c: the answer of `check --json` (docs/schema/check-answer.schema.json), one object on one line. `id`
 * is JSON text, or empty for none.
 */
void answer_json(struct buf *out, struct str id, const struct facts *f, const struct judgement *j,
		struct str policy_digest);
/*
 * The input of a classifier (docs/classifier.md): the command, its directory, the reasons for the question,
 * and the commands that would run.
 */
void answer_question(struct buf *out, struct str command, struct str cwd, const struct facts *f,
		const struct judgement *j);
