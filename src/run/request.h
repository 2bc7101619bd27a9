/*
 * The request for one run: struct run_request, typed. The command line, the MCP server, tickets, custom
 * validators and the record build it; run_prepare() turns it into a spec.
 *
 * Most options are written as texts, on the command line and in the record. struct run_words holds these
 * texts, request_parse() parses them once, and request_text() writes the same notation back.
 */
#pragma once
#include "base/texts.h"
#include "model/limits.h"
#include "model/network_request.h"
#include "model/tmp_name.h"
#include "model/validation.h"
#include "model/walls.h"
#include "run/audience.h"
#include "run/language.h"
#include "run/skill.h"

#define RUN_LIST_MAX 256      /* strings of `env`, `read` or `write` in a record */
#define RUN_LINES_MAX 1000000 /* lines that can be requested */

struct directory;

struct run_workspace {
	struct str path;       /* as given; meaningful only if `given` */
	bool given, writable;
};

#define RUN_FILES_MAX 256                    /* files of a request, and their bytes */
#define RUN_FILES_BYTES ((size_t)8 << 20)

struct run_file { /* a file that the caller gives with the request */
	struct run_file *next;
	struct str name;       /* relative to the home of the box */
	struct str text;
};

struct run_request { /* zeroed: nothing requested */
	/* the program and its arguments; with code or file, only arguments */
	char *const *argv;
	const char *code, *file, *ticket;                 /* NULL: not given, here and below */
	const char *root, *image, *cwd, *skill, *agent, *config;
	const char *schema, *validator;                   /* for the tasks json, custom */
	enum run_language language;
	enum profile profile;
	enum task task;
	struct run_workspace workspace;
	struct network_request network;
	/* an agent's: it gets the part of it that it would have without it */
	struct network_request network_part;
	enum backend_choice backend;                      /* BACKEND_UNSET: the policy's */
	uint64_t limits[LIMITS];                          /* 0: not given */
	/* limits of an agent: each can only lower the limit that results without it. 0: not given */
	uint64_t lower[LIMITS];
	/* lines of each stream that the report shows; both 0: TRUNCATE_DEFAULT bytes */
	size_t head, tail;
	const struct str *columns;                        /* for the task data */
	size_t ncolumns;
	struct texts *env, *read, *write;                 /* their strings end with NUL */
	bool collects;             /* outcome.home is wanted: the home of the box after its end */
	const struct run_file *files;                     /* in the home, where the program may change them */
	bool require_cgroup, accept_watched;
	bool input, gate, plain;
	bool head_tests;                 /* runs in a copy with the tests of HEAD (head_tests.c) */
	bool background;                 /* processes that outlive the program stay */
	uint64_t background_after;       /* ms after which the program itself stays; 0: never */
	bool background_policy;          /* from an agent: both only if the policy keeps what stays */
	/* show Unix times in the report as ISO 8601; else numbers stay as printed */
	bool iso_times;
	/* from a ticket: ids of the approved reasons, separated by blanks */
	struct str approved;
	enum audience audience;          /* reader of texts about the run */
	const struct directory *pin;     /* the project, if already known; NULL: search for it */
	const struct directory *place;   /* identity of `workspace` when it was chosen; NULL: as it is now */
	const struct skill *skilled;     /* content of the file `skill`, filled in by run_skill() */
	/* walls of the client's sandbox that the box replaces: it permits no more. NULL: none */
	const struct client_walls *walls;
	const struct tmp_name *tmp;      /* from a ticket: files in the host's /tmp */
};

/* Options that are written as a text and mean something else than that text. */
enum run_word {
	WORD_LANG, WORD_SHELL, WORD_PROFILE, WORD_WORKSPACE, WORD_NETWORK, WORD_BACKEND, WORD_REQUIRE,
	WORD_ACCEPT, WORD_TASK, WORD_COLUMNS, WORD_HEAD, WORD_TAIL,
	WORD_LIMIT, /* WORD_LIMIT + enum limit */
	RUN_WORDS = WORD_LIMIT + LIMITS
};

struct run_words {
	const char *v[RUN_WORDS]; /* NULL: not given */
};

/* The word of an option that lists things: all its values with commas between them; NULL: none is given. */
const char *request_join(struct arena *a, const struct texts *values);
/* Sets the fields whose words are given. ERR_INPUT names the option of the first word that is wrong. */
int request_parse(struct arena *a, const struct run_words *w, struct run_request *rq, struct err *e);

/* The options that a record keeps, in the order of its row, for i from 0 on. */
const char *request_option(size_t i); /* its key; NULL after the last */
/* Returns the option's text, as request_parse() reads it; p is NULL if it is not given. */
struct str request_text(struct arena *a, const struct run_request *rq, size_t i);
/* Returns the place for the option's text. After all are set, call request_parse(). */
const char **request_slot(struct run_words *w, struct run_request *rq, size_t i);
