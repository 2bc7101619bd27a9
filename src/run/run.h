/*
 * Runs a program in a box. A request (request.h) becomes a spec, the caller may ask the gate about it
 * (job.c), the box runs it, and a report describes the result.
 *
 *     request + policies + world --run_prepare()--> run (spec, gate_request ...) --run_go()--> outcome
 *     --report_make()--> report
 *
 * run_prepare() reports invalid requests as ERR_INPUT, before anything is created. Memory belongs to the
 * arena; the caller is inside an arena_run().
 */
#pragma once
#include "box/box.h"
#include "judge/engine.h"
#include "result/normalise.h"
#include "result/truncate.h"
#include "run/request.h"

#define RUN_ID_MAX 32         /* characters of a run's id */
#define RUN_SCRIPT_MAX ((size_t)2 << 20) /* bytes of a script that is passed into the box */
/* bytes of a stream in a report; TRUNCATE_DEFAULT unless lines are requested */
#define RUN_STREAM_MAX ((size_t)1 << 20)
/* longer streams are kept in a file, even if the report shows all of it */
#define RUN_KEEP_ABOVE 30000
/* bytes of a stream's text in a file; only escape sequences that draw much more than their length reach it */
#define RUN_TEXT_MAX ((uint64_t)128 << 20)

enum { EXIT_OUTPUT_LIMIT = 153 /* 128 + SIGXFSZ */, EXIT_TIMEOUT = 124, EXIT_SETUP = 125, EXIT_REFUSED = 126,
		EXIT_OOM = 137 };

struct run_world { /* the caller's environment */
	char *const *environ;
	struct context context;           /* open, with an absolute cwd: its view names the caller's places */
	/* the given workspace as a place of its own; view NULL: it is not given, or not open */
	struct context workspace;
	struct machine machine;
	bool terminal;                    /* output goes to a terminal */
};

struct run_task { /* the purpose of a run (run_validation.h) */
	enum task kind;                /* of the request, else of the skill */
	enum result_need need;         /* of the policy */
	bool canary;                   /* tests that must fail are added (canary.h) */
	struct str schema;             /* json: the text of a JSON Schema */
	/* a script that judges the result; NULL: only those of the policy */
	const char *validator;
	struct str validator_text;     /* its text before the run */
};

#define RUN_PORTS_MAX 16

struct run_background { /* processes that stay, in a box of this id */
	struct str id;
	bool running;                  /* the program itself is among them */
	struct texts *processes;       /* command lines, redacted */
	uint16_t ports[RUN_PORTS_MAX]; /* on which the box listens */
	size_t nports;
	uint16_t published[RUN_PORTS_MAX]; /* that this run published on the host */
	size_t npublished;
};

struct run {
	const struct run_request *rq;
	const struct run_world *world;
	struct spec spec;
	const struct backend *backend; /* makes the box */
	struct str id;
	struct str image_name;         /* by which spec.image was asked for */
	struct texts *scrubbed;        /* names of removed variables that look like credentials */
	struct texts *capped;          /* names of limits that are lower than requested */
	struct network_rule *taken_away; /* listed hosts that a project's policy does not cover */
	bool policy_hosts;             /* the hosts of the person's policy hold for this run */
	bool standing_network;         /* the network is that of every command of the project, and no more */
	struct texts *path_notes;      /* paths of the policy that the box lacks, with the reason */
	struct texts *hidden_dirs;     /* directories of the caller's PATH that the box lacks, and why */
	struct texts *registry_notes;  /* about registries that a preset of hosts may lack (registries.h) */
	uint64_t registry_tools;       /* the tools of the presets */
	struct engine_request gate_request; /* what the gate is asked, if it is */
	struct run_task task;
	struct test_report *asked;    /* reports requested from test runners (test_reports.h) */
	/* days and bytes for which full outputs are kept; 0 days: as the record; 0 bytes: unlimited */
	unsigned outputs_days;
	uint64_t outputs_quota;
	/* directories below the state to create before the run, in order */
	struct texts *caches;
	unsigned ncaches;              /* the person's caches among spec.paths */
	uint64_t caches_total;         /* bytes of the caches of all projects; 0: no limit */
};

struct hint {
	struct hint *next;
	const char *id;
	struct str text;
};

/*
 * A stream that is long or not fully shown. Bytes and lines are those of its text; for parts without text,
 * those that the program wrote.
 */
struct stream_cut {
	bool is;
	uint64_t total_bytes, total_lines, omitted_bytes, omitted_lines;
	uint64_t dropped_bytes;        /* part of total_bytes that the file cannot contain */
	struct str path;               /* file with all that was kept; empty: could not be kept */
};

struct report {
	const struct run *run;
	const struct outcome *outcome;
	struct str out, err;           /* the shown text */
	struct stream_cut out_cut, err_cut;
	struct sanitized sanitized;    /* both streams together */
	uint64_t redacted;
	/* meaning of the output; NULL: no task given and no format recognised */
	const struct validation *validation;
	struct hint *hints;
	const struct run_background *background; /* NULL: nothing stays */
	const struct reason *reasons;  /* why the run was refused */
	struct str error;              /* why the box could not be created; empty: no error */
	int code;                      /* exit code of caisson */
};

/* Opens the context, and fills in the rest. NULL: that of the process's own directory. */
int run_world(struct arena *a, const struct context *at, struct run_world *ret, struct err *e);
/*
 * Reads the skill, if one is named. A skill that lists programs turns the gate on, which enforces the list.
 */
int run_skill(struct arena *a, struct run_request *rq, struct err *e);
/* True if the caller or the skill asks for Unix times as ISO 8601. */
bool run_iso_times(const struct run_request *rq);
/* spec.c. Reads files and creates nothing. */
int run_prepare(struct arena *a, const struct run_request *rq, const struct run_world *world,
		const struct policies *p, struct run *ret, struct err *e);
/*
 * spec_places.c. ERR_CONFIG if runs refuse this path of sandbox.read or sandbox.write (`key`). A path that
 * does not exist is not refused.
 */
int run_policy_path(struct arena *a, const struct run_world *world, const char *key, struct str text,
		bool writable, struct err *e);
/* spec_tmp.c. Adds those files of the host's /tmp that the box may have. */
void run_show_tmp(struct arena *a, struct run *r, const struct tmp_name *names);
/*
 * Creates the caches and runs the program, in *box if it was begun. Failures of ours give STATUS_SETUP_ERROR.
 * The caller waits for the box (box_wait()).
 */
void run_go(struct arena *a, const struct run *r, struct box *box, const struct box_start *start,
		const struct box_progress *progress, struct outcome *ret);
/* streams.c: fills in the shown parts of the streams, and keeps long streams below the state. */
void streams_show(struct arena *a, const struct run *r, const struct outcome *o, struct report *ret);
/* report.c */
void report_make(struct arena *a, const struct run *r, const struct outcome *o,
		const struct judgement *refusal, struct report *ret);
/* True if the run failed, or if its result is invalid. */
bool report_error(const struct report *r);
/* Appends the report as one line (docs/schema/report.schema.json). */
void report_json(struct buf *b, const struct report *r);
void report_hints(struct buf *b, const struct hint *hints);
/* report_network.c: appends the member about connections. */
void report_network(struct buf *b, const struct network_spec *n, const struct outcome *o);
/* Appends a member: null if the stream is fully shown. */
void report_cut(struct buf *b, const char *name, const struct stream_cut *c);
/* Appends the non-zero counters as an object. */
void report_sanitized(struct buf *b, const struct sanitized *s);

/* environment.c */
/* True if this variable decides what code programs execute. */
bool variable_hijacks(struct str name);
/*
 * Returns the variables given for the run, then the caller's: both may contain credentials. `rq` may be NULL.
 */
char *const *variables_known(struct arena *a, const struct run_world *world, const struct run_request *rq);
/* denial_hints.c */
struct hint *denial_hints(struct arena *a, const struct run *r, const struct outcome *o);
