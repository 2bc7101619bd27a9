/*
 * The table of agent clients. A row says how to recognise a client's hook input, how its events are named,
 * where a tool call's parts are, how to answer, and what the client cannot do. `caisson hook`, `init`,
 * `doctor --client` and docs/hooks.md use the same rows.
 *
 *     input (JSON) --hook_read()--> hook --before() or after()--> reply (stdout, stderr, exit code)
 *
 * Nothing here prints or exits. An input that cannot be parsed is refused (exit 2, which every client takes
 * as a denial). The answer is never silence: most clients run the tool then.
 */
#pragma once
#include "judge/engine.h"
#include "base/json.h"

#define HOOK_INPUT_MAX ((size_t)32 << 20) /* bytes of a hook input */
#define HOOK_REASON_MAX 4000              /* bytes of a reason sent to a client */
#define HOOK_PATHS_MAX 4096               /* paths in one tool call */
enum { HOOK_PASS = 0, HOOK_BLOCK = 2 };   /* exit codes; with some client, any other code lets the tool run */

enum phase {
	PHASE_PRE = 0, /* before a tool runs: judge the call */
	PHASE_POST,    /* after a tool succeeded: clean its output */
	PHASE_FAILURE, /* after a tool failed, if the client has a separate event for it */
	PHASE_START,   /* session start: send guidance */
	PHASE_END,     /* session end: drop its tickets */
	PHASE_OTHER,   /* not about a tool call: always passes */
};

enum { /* client abilities and quirks */
	CLIENT_ASKS = 1 << 0, /* "ask" asks a person; without a person, the client denies */
	CLIENT_REWRITES = 1 << 1, /* a hook can replace a tool's input */
	CLIENT_REPLACES = 1 << 2, /* a hook can replace a tool's output */
	CLIENT_ADDS = 1 << 3, /* a hook can add text for the model to an output */
	CLIENT_FOLLOWS = 1 << 4, /* the working directory persists between shell commands */
	CLIENT_GUIDES = 1 << 5, /* a hook can send text for the model at session start */
	CLIENT_APPROVES = 1 << 6, /* "allow" suppresses the client's own question */
	/* has permission rules in settings.json. They see only our rewritten command, so we enforce them */
	CLIENT_SETTINGS = 1 << 7,
	/* bypassPermissions only means that nobody is asked (Codex sends it in `exec`); we still judge */
	CLIENT_UNATTENDED = 1 << 8,
	/* MCP tools are named mcp_..., so every other tool is built in */
	CLIENT_MARKS = 1 << 9,
	/* replacing an output drops the exit code; we write it again */
	CLIENT_LOSES_CODE = 1 << 10,
	/* the model sees a replaced output as an error, so we replace only to remove secrets */
	CLIENT_SHOWS_ERROR = 1 << 11,
	CLIENT_NORMALISES = 1 << 12, /* events after a tool expect the whole result in one fixed shape */
	/* a command may end in a comment: the client has no rule that compares the whole line */
	CLIENT_COMMENTS = 1 << 13,
	CLIENT_TYPES = 1 << 14, /* sends commands to a running shell, as if typed */
	/* "ask" with a changed input shows and runs the changed input; other clients run the ORIGINAL */
	CLIENT_ASKS_BOXED = 1 << 15,
	/* reads an answer besides the exit code (generic: the input lists the abilities) */
	CLIENT_ANSWERS = 1 << 16,
	/* treats `apply_patch` with a here-document as a call of its patch tool (shell_patch.c) */
	CLIENT_PATCHES = 1 << 17,
	/* ends a command, or moves it to the background, at its own time limit; ours must not be earlier */
	CLIENT_LIMITS = 1 << 18,
	/* always sets CLAUDE_PROJECT_DIR for its hooks, overriding its own environment */
	CLIENT_START_DIR = 1 << 19,
	CLIENT_INPUT = 1 << 20, /* the model can type into a command's standard input */
	/* when a hook exits with 2, shows its standard output and drops standard error */
	CLIENT_HIDES_ERROR = 1 << 21,
	CLIENT_BASH = 1 << 22, /* runs commands by bash; other clients take the person's own shell */
	CLIENT_WRAPS = 1 << 23, /* its tool_call wraps a call of another tool */
};

struct client_event {
	char name[24];        /* empty: end of the list */
	enum phase phase;
	char tool[12];        /* the event's tool; empty: named in the input */
	char args[4];         /* "*": the whole input; empty: the value of the row's args_key */
	char result[16];      /* key of the output; empty: the row's result_key */
	bool no_ask;          /* this event does not accept "ask", even if the client does */
};

struct hook_input;
struct verdict_answer;
struct output_answer;

struct reply { /* output of one hook run */
	struct buf out, err;
	int code;
};

struct client {
	const char *name, *title;
	unsigned can;             /* CLIENT_* */
	const char *need, *not;   /* keys the input must have, and must not have, separated by blanks */
	const char *event_key, *tool_key, *args_key, *result_key, *session_key, *id_key;
	const struct client_event *events;
	const char *config;       /* the client's hook settings, for messages */
	/* the client's enforcement gap in one sentence; NULL: none known */
	const char *cannot;
	/* renderers (render.c) */
	void (*before)(struct reply *r, const struct hook_input *h, const struct verdict_answer *v);
	void (*after)(struct reply *r, const struct hook_input *h, const struct output_answer *o);
};

/* Returns row i, or NULL after the last. A client with two input shapes has two rows of the same name. */
const struct client *client_at(size_t i);
/* Returns the first row with this name, or NULL. */
const struct client *client_find(struct str name);
/* Returns the phase of this client's event. An unknown event is PHASE_PRE, so that it is judged. */
enum phase client_phase(const char *name, const char *event);
/* Returns "claude-code, codex, ..." for messages. */
struct str client_names(struct arena *a);

/* ---- the input ---- */

enum tool_kind { TOOL_OTHER = 0, TOOL_SHELL, TOOL_READ, TOOL_SEARCH, TOOL_LIST, TOOL_WRITE, TOOL_PATCH,
		TOOL_FETCH };

struct hook_input { /* one parsed input; the arena owns its texts and values */
	const struct client *client;
	const struct client_event *event;
	enum phase phase;
	const struct json *all;   /* the whole input */
	struct str tool;           /* the client's name for the tool; empty: no tool */
	enum tool_kind kind;
	const struct json *args;  /* object; NULL: none */
	const struct json *result; /* NULL: none */
	struct str command_key;    /* key of the shell command in args */
	struct str command;        /* the shell text */
	bool words;                /* the command was a list of words: a text cannot replace it */
	enum dialect dialect;
	struct str cwd;            /* working directory of the tool; empty: not given */
	struct str paths_base;     /* base of relative paths in the tool's input; empty: cwd */
	/* cwd without the caller's own choice of directory; empty: the caller made none, or unknown */
	struct str session_cwd;
	struct str start_dir;      /* where the session started; empty: unknown */
	struct str session, tool_use_id, agent; /* may be empty */
	struct str prompt;         /* the client's id of the person's prompt; may be empty */
	enum mode mode;
	uint64_t time_ms;          /* the client's time limit for the tool; 0: none */
	bool background, unboxed;  /* requested by the caller */
};

/*
 * Parses an input. `client` is a name or NULL. `event` names the event if the input does not, or is NULL.
 * Fails with -1 for an unknown input; then nothing may run because of it. Call inside an arena_run().
 */
int hook_read(struct arena *a, struct str text, const char *client, const char *event, struct hook_input *ret,
		struct err *e);

/* tools.c: classifies a tool by its name. */
enum tool_kind tool_kind(struct str name);
/* True if an unlisted tool's input has a shell command. */
bool tool_unlisted_shell(struct str name, const struct json *args);
/* Reads the command of a shell tool from h->args into h. */
int tool_command(struct arena *a, struct hook_input *h, struct err *e);
/*
 * shell_patch.c: true if the shell text is a call of the patch tool and nothing else. *ret_dir is the
 * directory of a preceding `cd`, or empty.
 */
bool tool_shell_patch(struct str command, struct str *ret_dir);
/* True if a shell text starts a program that Codex could take for its patch tool. */
bool tool_names_patch(const struct facts *f);
/* Trims white space from both ends, Unicode white space included. */
struct str tool_trimmed(struct str s);
/*
 * Records the effects of any other tool on files and hosts as facts for the gate. `home` replaces ~; may be
 * empty.
 */
int tool_facts(struct arena *a, const struct hook_input *h, struct str home, struct facts *ret,
		struct err *e);
/* Appends every string in a tool's input. */
void tool_texts(const struct json *v, struct buf *out);
