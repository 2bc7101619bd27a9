/*
 * Writes the record (docs/audit.md): judgements, the start of runs, their end. `run`, the hooks and the MCP
 * server use this; src/audit has the rows, the chain and the files.
 *
 *     record_open()     once per request, with the policies in force: they say if the record is required and
 *                       what is synced
 *     record_verdict()  one row for a judged command that we do not run; also for denied ones and questions
 *     record_begin()    before anything runs, synced (by policy) on return: if it fails, nothing may run
 *     record_end()      after it, with the same id; a begin without an end is evidence of a crash
 *
 * If the record cannot be written and `audit.required` is true (default), these fail, and the caller refuses
 * with record_refuse(). If it is false they succeed, `off` is set, and `why` says why, for a warning.
 *
 * Commands are redacted here: credentials by their form, and the values of environment variables that look
 * like credentials. Views and policies become blobs, so that a verdict can be derived again (record_view(),
 * record_policies()). Memory belongs to the arena, which must live as long as the record, and which
 * closes the record when it is left; the caller is inside an arena_run().
 */
#pragma once
#include "audit/audit.h"
#include "audit/blob.h"
#include "judge/engine.h"
#include "model/outcome.h"
#include "model/validation.h"

/* how the note of a row starts that holds the beginning of its command alone */
#define RECORD_CUT "the command has "
#define RECORD_JSON_MAX ((size_t)16 << 20) /* bytes of a view, or of the list of policies */

struct record_options { /* beside the view, which says where the state is, and whose */
	char *const *environ;         /* of the caller; may be NULL */
	const struct texts *scrubbed; /* names of further variables whose values are secrets */
	const struct str *workspace;  /* its commands must not reach the state; NULL: the project's */
	bool fresh;                   /* the view was made just now: its memo still holds */
};

struct record_who { /* empty: not known */
	struct str agent, session, client, tool, tool_use_id;
};

struct record {
	struct arena *a;
	struct arena_cleanup cleanup; /* closes it when the arena is left */
	bool off;              /* nothing is written, and need not be */
	struct err why;        /* off: why */
	bool required;
	struct audit audit;
	struct blobs blobs;
	struct str state;      /* resolved and checked */
	uint64_t output_max;   /* bytes of a stream that are kept */
	const struct policies *policies;
	struct str policy;     /* the digest of their blob, once it is there */
	char *const *environ;
	const struct texts *scrubbed;
	struct redactor *redactor; /* made when it is first needed */
	struct {
		struct str id, command, verdict;
	/*
	 * of the last begin row: its end row repeats them, so that a row can be found by what ran and how it
	 * went
	 */
	} begun;
};

struct record_id { /* of a request: its rows share it. Empty: there is no row */
	char text[AUDIT_ID_MAX + 1];
};

/*
 * Policies NULL: they did not load; the built-in settings hold. 0 also when the record is off. record_close()
 * may always be called.
 */
int record_open(struct arena *a, const struct view *v, const struct record_options *o,
		const struct policies *p,
		struct record *ret, struct err *e);
/*
 * Also in between, so that no process of a box inherits a way to the record: what is written next opens it
 * again.
 */
void record_close(struct record *r);
/* A judgement that denies because nothing can be recorded. */
void record_refuse(struct arena *a, const struct err *why, struct judgement *ret);

/* `id` empty: a new one is made. ret_id may be NULL. */
int record_verdict(struct arena *a, struct record *r, const struct record_who *who, struct str id,
		const struct engine_request *rq, const struct judgement *j,
	struct record_id *ret_id, struct err *e);

struct record_start {
	struct str id;                      /* letters, digits, - and _ */
	const struct engine_request *rq;    /* what runs, as the gate was or would be asked */
	const struct judgement *judgement;  /* NULL: it was not judged */
	/* within which walls: an object in JSON on one line, redacted by the caller. Empty: none */
	struct str spec;
	const char *backend;                /* may be NULL */
};
int record_begin(struct arena *a, struct record *r, const struct record_who *who,
		const struct record_start *s, struct err *e);

struct record_stop {
	struct str id;
	const struct outcome *outcome;
	int exit_code;                        /* as the report says it */
	const struct validation *validation;  /* NULL: none */
	struct str out, err;                  /* digests from record_stream(); empty: none */
	struct str note;
};
int record_end(struct arena *a, struct record *r, const struct record_who *who, const struct record_stop *s,
		struct err *e);

/* An action of a person on caisson itself: the command and its meaning. */
int record_person(struct arena *a, struct record *r, struct str command, struct str cwd, struct str note,
		struct err *e);

/*
 * Keeps a stream as a blob and says its digest: the raw bytes, redacted. More than `audit.outputs` allows:
 * its head and its tail, with a line between them that says so, and *ret_cut. An empty stream is no blob, and
 * *ret is empty.
 */
int record_stream(struct arena *a, struct record *r, const struct stream *s, struct str *ret, bool *ret_cut,
		struct err *e);
/* A text without secrets, by the same means as commands. */
struct str record_redact(struct arena *a, struct record *r, struct str text);
/*
 * ... for a person who decides about a command: nothing that a shell could run is taken out
 * (redact_command()).
 */
struct str record_redact_command(struct arena *a, struct record *r, struct str text);

/* ---- record_json.c: deriving a verdict again ---- */

/*
 * The view of a judgement, with shell and mode: enough to judge again without looking. It has two parts. The
 * part that many requests share is a blob, so that few are written. The answers about files of this request
 * stand in its row (`answers`), because a new blob for each would cost more than all the rest.
 */
void record_view_json(struct buf *b, const struct view *v, const struct engine_request *rq);
/* false: there are none, and nothing is added */
bool record_answers_json(struct buf *b, const struct view *v);
/* `answers` may be empty. Fills cwd, home, user, dialect and mode of *ret_rq, not its command. */
int record_view_parse(struct arena *a, struct str json, struct str answers, struct view *ret,
		struct engine_request *ret_rq, struct err *e);
/* engine_judge_again() judges by both. */

/* The files in force: where each lies, whose it is, and the digest of its bytes. */
void record_policies_json(struct buf *b, const struct policies *p);
/* The policies of a row again: reads the blob of this digest, and the files it names. */
int record_policies(struct arena *a, const struct blobs *blobs, struct str digest, struct policies *ret,
		struct err *e);
int record_view(struct arena *a, const struct blobs *blobs, struct str digest, struct str answers,
		struct view *ret, struct engine_request *ret_rq, struct err *e);
