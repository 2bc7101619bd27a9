/*
 * The engine joins the pure parts and the world. The caller loads the policies (policies_load()). For one
 * request the engine then fills the view and reads the command, and the gate judges in rounds: between rounds
 * the engine answers the gate's questions about the world. The caller gets facts and judgement.
 */
#pragma once
#include "config/config.h"
#include "judge/context.h"
#include "model/call_note.h"
#include "model/identity.h"
#include "model/policy.h"
#include "model/verdict.h"
#include "model/view.h"
#include "sys/stamp.h"

#define ENGINE_CONFIG_MAX ((size_t)4 << 20) /* bytes of one policy file */

enum policy_kind { POLICY_CAISSON, POLICY_FENCEPOST,
		POLICY_SETTINGS /* the client's permission rules */ };

struct policy_file {
	struct policy_file *next;
	struct str path, bytes;
	struct str base;     /* start of patterns with one leading slash */
	enum policy_kind kind;
	enum config_who who; /* WHO_ANYONE: an untrusted project's */
	bool project;        /* lies in a project */
	/* Root of the enclosing project that the file belongs to; empty: the project's own file. */
	struct str around;
	struct err *err;     /* why it could not be read or looked up in the trust store; else NULL */
	bool unread;         /* `err` is about the file itself, not about the trust store */
};

struct engine_request {
	struct str command;
	const struct context *context; /* NULL: that of the process */
	enum dialect dialect;
	enum mode mode;        /* the client session's; MODE_DEFAULT: the policy's */
	const struct call_note *notes; /* notes of the client's call, see engine_amend() */
	/* facts of a tool call other than a shell's (`command` only describes it); NULL: a command */
	const struct facts *facts;
};

struct policy_source { /* a file that decides which policies are in force; it need not exist */
	struct policy_source *next;
	const char *path;
	struct stamp stamp; /* taken before the file was read */
};

/* Policy of a repository around the project. It applies in the project, too, and can only be stricter. */
struct policy_around {
	struct policy_around *next;
	struct str root;
	struct policy policy;
};

/*
 * The policies in force. `own` merges the system's, the user's and a trusted project's policy. An untrusted
 * project's policy is judged separately, and the stricter verdict wins; none of its texts is shown.
 */
struct policies {
	struct policy own, project;
	bool apart;            /* `project` is set */
	struct policy_around *around; /* innermost first; NULL: no enclosing project */
	struct str root;       /* root of the project they were loaded for */
	struct str digest;     /* over all policies */
	struct config_note *notes;
	struct policy_file *files; /* the existing files, in merge order */
	struct policy_source *sources; /* for policy_cache.h */
};

/*
 * Judges one request and returns 0. Fails closed: after an internal failure (such as the arena's limit)
 * *ret_judgement denies with internal-error, *ret_facts is empty, and the return value is still 0. Returns -1
 * only if there was no memory even for that refusal.
 */
int engine_judge(struct arena *a, const struct engine_request *rq, const struct policies *p,
		struct facts *ret_facts, struct judgement *ret_judgement, struct err *e);
/*
 * Judges again with an existing view and without looking at the world: open questions stay open, and the
 * classifier's recorded answer is reused. Changes *v.
 */
int engine_judge_again(struct arena *a, const struct engine_request *rq, const struct policies *p,
		struct view *v, struct facts *ret_facts, struct judgement *ret_judgement, struct err *e);
/*
 * Adds the reasons of rq->notes to a judgement that was made without them, because some notes are known only
 * after a first judgement. engine_judge() does the same at its end if the request has notes.
 */
void engine_amend(struct arena *a, const struct engine_request *rq, const struct policies *p,
		  const struct facts *f, struct judgement *j);
/*
 * Makes a judgement that denies for a reason outside the command. `id` is internal-error, policy-error,
 * record-error or project-changed.
 */
void engine_refuse(struct arena *a, enum check_id id, const char *message, struct judgement *ret);
/* Parses "bash", "sh", "zsh" or "powershell". Returns -1 for any other name. */
int engine_dialect(struct str name, enum dialect *ret);
const char *dialect_name(enum dialect d);
/*
 * Parses "default", "acceptEdits", "plan", "bypassPermissions", "dontAsk" or "paused"; -1 for any other name.
 */
int engine_mode(struct str name, enum mode *ret);
const char *mode_name(enum mode m);

/* policies.c */
struct policies_request {
	const char *config;    /* replaces the user's file; NULL: the user's own */
	const struct context *context; /* as in struct engine_request */
	/* an additional policy file with a trusted project's rights; empty: none */
	struct str extra_name, extra;
	struct str hosts;      /* the same with the user's rights: hosts that the caller lists for this run */
	bool settings;         /* load the client's permission rules even if the policy does not say so */
	bool alone;            /* this file alone, no system and no project (`config verify FILE`) */
	/* also try the presets' examples; they are constants, so a test per build is enough */
	bool thorough;
	bool keep;             /* record the files that they depend on, for policy_cache.h */
};
/*
 * Loads the policies in force: system, user, project. Returns -1 and *e if a file does not load; the caller
 * then denies.
 */
int policies_load(struct arena *a, const struct policies_request *rq, struct policies *ret, struct err *e);
/* Lists the files: sets only `files` and `root`. A file that cannot be read is listed with its error. */
int policies_files(struct arena *a, const struct policies_request *rq, struct policies *ret, struct err *e);
/* Loads one listed file alone, with the rights of f->who. Tries no examples. */
int policies_of_file(struct arena *a, const struct policy_file *f, struct policies *ret,
		struct config_note **ret_notes, struct err *e);
/*
 * Loads files that were in force before (struct policies.files). Reads nothing from the disk and tries no
 * examples.
 */
int policies_of_files(struct arena *a, struct policy_file *files, struct str root, struct policies *ret,
		struct err *e);
/* Returns the built-in policy alone. */
void policies_default(struct policies *ret);
/* Wraps one policy that the caller has built (tests, files given by hand). */
void policies_of(const struct policy *p, struct policies *ret);

/*
 * policy_examples.c: tries the examples of all rules (match, not_match), each with a policy that holds only
 * its rule. Returns -1 and *e at the first example that fails.
 */
int policies_examples(const struct policies_request *rq, const struct policy *p, struct err *e);

/*
 * policy_lock.c: removes from `p` (the merge of the system's and all other files) everything that is milder
 * than the system's policy alone.
 */
void policy_lock_apply(struct policy *p, const struct policy *system);
bool mode_lifts(enum mode mode); /* acceptEdits, bypassPermissions, paused */

/*
 * answer.c: appends the answer of `check --json` (docs/schema/check-answer.schema.json), one object on one
 * line. `id` is JSON text, or empty for no id.
 */
void answer_json(struct buf *out, struct str id, const struct facts *f, const struct judgement *j,
		struct str policy_digest);
/*
 * Appends the classifier's input (docs/classifier.md): the command, its directory, the reasons for the ask,
 * and the commands that would run.
 */
void answer_question(struct buf *out, struct str command, struct str cwd, const struct facts *f,
		const struct judgement *j);
