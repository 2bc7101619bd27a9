/*
 * Writes the record (docs/audit.md): judgements, the start of runs, their end. `run`, the hooks and the MCP
 * server use this; src/audit has the rows, the chain and the files.
 *
 *     record_open()     once per request, with the policies in force: they say if the record is required and
 *                       what is synced
 *     record_verdict()  one row for a judged command that this process does not run; also for denied ones and
 *                       questions
 *     record_begin()    before anything runs, synced (by policy) on return: if it fails, nothing may run
 *     record_end()      after it, with the same id; a begin without an end is evidence of a crash
 *
 * If the record cannot be written and `audit.required` is true (default), these fail, and the caller refuses
 * with record_refuse(). If it is false they succeed, `off` is set, and `why` holds the reason, for a warning.
 *
 * Commands are redacted here: credentials by their form, and the values of environment variables that look
 * like credentials. Views and policies become blobs, so that a verdict can be derived again (record_view(),
 * record_policies()). Memory belongs to the arena, which must live as long as the record, and which closes
 * the record when it is left; the caller is inside an arena_run().
 */
#pragma once
#include "audit/audit.h"
#include "audit/blob.h"
#include "judge/engine.h"
#include "model/outcome.h"
#include "model/validation.h"

/* A row's note begins with this if its command was cut; replay looks for it. */
#define RECORD_CUT "the command has "
#define RECORD_JSON_MAX ((size_t)16 << 20) /* bytes of a view, or of the list of policies */

struct record_options { /* in addition to the view, which has the state directory and its owner */
	char *const *environ;         /* the caller's; may be NULL */
	const struct texts *scrubbed; /* names of further variables whose values are secrets */
	const struct str *workspace;  /* its programs must not reach the state; NULL: the project */
	bool fresh;                   /* the view is new: its stat cache is still valid */
};

struct record_who { /* empty: not known */
	struct str agent, session, client, tool, tool_use_id;
};

struct record {
	struct arena *a;
	struct arena_cleanup cleanup; /* closes the record when the arena is left */
	bool off;              /* nothing is written, which the policy permits */
	struct err why;        /* the reason for `off` */
	bool required;
	struct audit audit;
	struct blobs blobs;
	struct str state;      /* resolved and checked */
	uint64_t output_max;   /* bytes stored per stream */
	const struct policies *policies;
	struct str policy;     /* digest of the policies' blob, once it is stored */
	char *const *environ;
	const struct texts *scrubbed;
	struct redactor *redactor; /* created on first use */
	/* from the last begin row; its end row repeats them, so one row has command and result */
	struct {
		struct str id, command, verdict;
	} begun;
};

struct record_id { /* id of a request, shared by its rows. Empty: no row */
	char text[AUDIT_ID_MAX + 1];
};

/*
 * `p` may be NULL (the policies did not load): then the built-in settings apply. Returns 0 also if the record
 * is off. record_close() is always valid.
 */
int record_open(struct arena *a, const struct view *v, const struct record_options *o,
		const struct policies *p,
		struct record *ret, struct err *e);
/*
 * Also called between rows, so that no boxed process inherits a descriptor of the record; the next write
 * reopens it.
 */
void record_close(struct record *r);
/* Makes a judgement that denies because nothing can be recorded. */
void record_refuse(struct arena *a, const struct err *why, struct judgement *ret);

/* An empty `id` creates a new one. ret_id may be NULL. */
int record_verdict(struct arena *a, struct record *r, const struct record_who *who, struct str id,
		const struct engine_request *rq, const struct judgement *j,
	struct record_id *ret_id, struct err *e);

struct record_start {
	struct str id;                      /* letters, digits, - and _ */
	const struct engine_request *rq;    /* the program, as a request to the gate */
	const struct judgement *judgement;  /* NULL: not judged */
	/* the walls: a JSON object on one line, redacted by the caller. Empty: none */
	struct str spec;
	const char *backend;                /* may be NULL */
};
int record_begin(struct arena *a, struct record *r, const struct record_who *who,
		const struct record_start *s, struct err *e);

struct record_stop {
	struct str id;
	const struct outcome *outcome;
	int exit_code;                        /* as in the report */
	const struct validation *validation;  /* NULL: none */
	struct str out, err;                  /* digests from record_stream(); empty: none */
	struct str note;
};
int record_end(struct arena *a, struct record *r, const struct record_who *who, const struct record_stop *s,
		struct err *e);

/* Records an action of a person on Caisson itself: the command and its meaning. */
int record_person(struct arena *a, struct record *r, struct str command, struct str cwd, struct str note,
		struct err *e);

/*
 * Stores the redacted raw bytes of a stream as a blob and returns its digest. Above the limit
 * `audit.outputs`, only head and tail are stored, with a line between them that says so, and *ret_cut is set.
 * An empty stream has no blob, and *ret is empty.
 */
int record_stream(struct arena *a, struct record *r, const struct stream *s, struct str *ret, bool *ret_cut,
		struct err *e);
/* Redacts a text in the same way as commands. */
struct str record_redact(struct arena *a, struct record *r, struct str text);
/*
 * ... for a person who decides about a command: everything that a shell could run stays visible
 * (redact_command()).
 */
struct str record_redact_command(struct arena *a, struct record *r, struct str text);

/* ---- record_json.c: inputs for deriving a verdict again ---- */

/*
 * The view of a judgement, with shell and mode: enough to judge again without stat. It has two parts. The
 * part that many requests share is a blob, so that few are written. The answers about files of this request
 * are in its row (`answers`), because a new blob for each would cost more than all the rest.
 */
void record_view_json(struct buf *b, const struct view *v, const struct engine_request *rq);
/* Appends nothing and returns false if the view has no answers. */
bool record_answers_json(struct buf *b, const struct view *v);
/*
 * Restores a view and its request for engine_judge_again(). `answers` may be empty. Fills cwd, home, user,
 * dialect and mode of *ret_rq, not its command.
 */
int record_view_parse(struct arena *a, struct str json, struct str answers, struct view *ret,
		struct engine_request *ret_rq, struct err *e);
/* The same for a view that is a blob. */
int record_view(struct arena *a, const struct blobs *blobs, struct str digest, struct str answers,
		struct view *ret, struct engine_request *ret_rq, struct err *e);

/* The policy files in force: path, owner, and digest of each. */
void record_policies_json(struct buf *b, const struct policies *p);
/* Restores the policies of a row: reads the blob with this digest, and the files it names. */
int record_policies(struct arena *a, const struct blobs *blobs, struct str digest, struct policies *ret,
		struct err *e);
