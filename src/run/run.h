/*
 * Running something in a box: wishes (the command line's, as they were written) become a spec, the gate may
 * have its say, the box runs it, and a report says what happened.
 *
 *     wishes + policies + world --run_prepare()--> run (spec, ...) --run_judge()--> --run_go()--> outcome
 *     --report_make()--> report
 *
 * Wrong wishes are errors of run_prepare() (ERR_INPUT): nothing was made yet. Memory is the arena's; the
 * caller is inside an arena_run().
 */
#pragma once
#include "box/box.h"
#include "judge/engine.h"
#include "model/validation.h"
#include "model/walls.h"
#include "result/normalise.h"
#include "result/truncate.h"
#include "run/audience.h"
#include "run/skill.h"

#define RUN_LIST_MAX 256      /* uses of one repeatable option */
#define RUN_ID_MAX 32         /* letters of a run's id */
#define RUN_SCRIPT_MAX ((size_t)2 << 20) /* bytes of a script that is given to the box */
/* bytes of a stream that a report shows at most; TRUNCATE_DEFAULT unless lines are asked for */
#define RUN_STREAM_MAX ((size_t)1 << 20)
/* a longer stream is kept in a file, even when it is shown as a whole */
#define RUN_KEEP_ABOVE 30000
/* of a stream as text in a file; only sequences that draw far more than they are long get there */
#define RUN_TEXT_MAX ((uint64_t)128 << 20)
#define RUN_LINES_MAX 1000000            /* that can be asked for */

enum { EXIT_OUTPUT_LIMIT = 153 /* 128 + SIGXFSZ */, EXIT_TIMEOUT = 124, EXIT_SETUP = 125, EXIT_REFUSED = 126,
		EXIT_OOM = 137 };

struct run_list {
	/*
	 * of who adds to it: room for RUN_LIST_MAX. Elsewhere, because wishes are copied, and most have none
	 */
	const char **v;
	size_t n;
};

struct run_wishes { /* NULL or empty: not given */
	/* the program and its arguments; or, with code or file, arguments for that */
	char *const *argv;
	const char *code, *lang, *shell, *file, *ticket;
	const char *profile, *workspace, *root, *cwd, *network, *backend, *require, *accept, *skill, *task,
			*agent, *config;
	const char *columns, *schema, *validator; /* of the task: data, json, custom */
	const char *cpus, *memory, *timeout, *pids, *scratch, *output, *cpu_time, *io, *head, *tail;
	struct run_list env, read, write;
	bool input, gate, plain;
	/* Unix times in the report become ISO 8601; else numbers stay as they were printed */
	bool iso_times;
	/* of a ticket: ids of the reasons that were approved, separated by blanks */
	struct str approved;
	enum audience audience;          /* who reads what is said about the run */
	const struct directory *pin;     /* the project, of who has found it before; NULL: it is looked for */
	const struct directory *place;   /* the directory that `workspace` was then; NULL: as it is now */
	const struct skill *skilled;     /* what the file `skill` says; run_skill() fills it in */
	/* of the sandbox that the box stands in for: it opens no more. NULL: none */
	const struct client_walls *walls;
	/*
	 * of an agent: its limits can only be smaller than what holds without them; the rest of it is not
	 * looked at
	 */
	const struct run_wishes *within;
};

struct run_world { /* of the caller */
	char *const *environ;
	struct str cwd, home, user;
	uint32_t uid;
	struct machine machine;
	struct str config_dir, state_dir; /* caisson's own, resolved; empty: not known */
	struct str project;               /* of cwd; empty: none */
	/* Known from a ticket or a pinned project; otherwise taken when the paths are resolved. */
	struct identity project_id, cwd_id;
	const struct view *view;          /* the same for the judge */
	bool terminal;                    /* output goes to a terminal */
};

struct run_task { /* what a run is for (run_validation.h) */
	const char *name;              /* NULL: whatever is recognised */
	const struct str *columns;     /* data: those that must be there */
	size_t ncolumns;
	struct str schema;             /* json: the text of a JSON Schema */
	/* a script that judges the result; NULL: none but those of the policy */
	const char *validator;
	struct str validator_text;     /* what it was before the run */
};

struct run {
	const struct run_wishes *w;
	const struct run_world *world;
	struct spec spec;
	const char *backend;           /* NULL: the default */
	struct str id;
	struct texts *scrubbed;        /* names of variables that look like credentials and were left out */
	struct texts *capped;          /* names of limits that are smaller than was asked for */
	struct engine_request gate;    /* what the gate is asked, when it is */
	/* lines of each stream that the report shows; both 0: TRUNCATE_DEFAULT bytes */
	size_t head, tail;
	struct run_task task;
	struct test_report *asked;    /* reports that runners are asked for (test_reports.h) */
	/*
	 * how long full outputs are kept, and how many bytes of them; 0: as long as the record is; any number
	 */
	unsigned outputs_days;
	uint64_t outputs_quota;
	/* directories below the state that must be made before the run, in order */
	struct texts *caches;
};

struct hint {
	struct hint *next;
	const char *id;
	struct str text;
};

/*
 * a stream that is not shown as a whole, or is long; bytes and lines of its text; of what is no text any more
 * as they were written
 */
struct stream_cut {
	bool is;
	uint64_t total_bytes, total_lines, omitted_bytes, omitted_lines;
	uint64_t dropped_bytes;        /* those of total_bytes that are not in the file, nor would be */
	struct str path;               /* the whole of what was kept; empty: it could not be kept */
};

struct report {
	const struct run *run;
	const struct outcome *outcome;
	struct str out, err;           /* as they are shown */
	struct stream_cut out_cut, err_cut;
	struct sanitized sanitized;    /* of both streams together */
	uint64_t redacted;
	/* what the output means; NULL: no task was asked for and nothing was recognised */
	const struct validation *validation;
	struct hint *hints;
	const struct reason *reasons;  /* why it was refused */
	struct str error;              /* why the box could not be made; empty: it could */
	int code;                      /* how caisson ends */
};

/* The caller's world; `cwd` is the directory of the run, empty: the process's own directory. */
int run_world(struct arena *a, struct str cwd, struct run_world *ret, struct err *e);
/* The same with a project that was pinned before. */
int run_world_pinned(struct arena *a, struct str cwd, const struct directory *pin, struct run_world *ret,
		struct err *e);
/*
 * The directory whose project has a say: the workspace that is given, else empty for the working directory.
 */
struct str run_project(const struct run_wishes *w);
/*
 * Reads the skill, if one is named. One that lists programs is nothing without the gate, so it is turned on.
 */
int run_skill(struct arena *a, struct run_wishes *w, struct err *e);
/* Does the caller or the skill ask for Unix times as ISO 8601? */
bool run_iso_times(const struct run_wishes *w);
/* spec.c. Looks at files and makes nothing. */
int run_prepare(struct arena *a, const struct run_wishes *w, const struct run_world *world,
		const struct policies *p, struct run *ret, struct err *e);
/* run.c. The judgement about what would run. */
int run_judge(struct arena *a, const struct run *r, const struct policies *p, struct judgement *ret,
		struct err *e);
/*
 * Makes the caches and runs it, in *box if that was begun. A failure of ours is the outcome
 * STATUS_SETUP_ERROR. The caller ends the box (box_end()).
 */
void run_go(struct arena *a, const struct run *r, struct box *box, const struct box_start *start,
		const struct box_progress *progress, struct outcome *ret);
/* streams.c: what the report shows of them. Keeps those that are too long for it below the state. */
void streams_show(struct arena *a, const struct run *r, const struct outcome *o, struct report *ret);
/* report.c */
void report_make(struct arena *a, const struct run *r, const struct outcome *o,
		const struct judgement *refusal, struct report *ret);
/* Something went wrong: it did not end well, or what it says of itself cannot be true. */
bool report_error(const struct report *r);
/* One object on one line (docs/schema/report.schema.json). */
void report_json(struct buf *b, const struct report *r);
/* A member: null when the stream is shown as a whole. */
void report_cut(struct buf *b, const char *name, const struct stream_cut *c);
/* Counters that are not zero, as an object. */
void report_sanitized(struct buf *b, const struct sanitized *s);

/* environment.c */
/*
 * Does this variable of the caller look like a credential, by its name or by its value? Does it decide what
 * programs execute?
 */
bool variable_hijacks(struct str name);
/*
 * The caller's variables, and before them those that are given for the run: a credential among these is one
 * as well. `w` may be NULL.
 */
char *const *variables_known(struct arena *a, const struct run_world *world, const struct run_wishes *w);
/* denial_hints.c */
struct hint *denial_hints(struct arena *a, const struct run *r, const struct outcome *o);
