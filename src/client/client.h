/*
 * The agent clients: one row each says how a client's hook input is recognised, what its events are called,
 * where the parts of a tool call are, how it is answered, and what it cannot do. `caisson hook`, `init`,
 * `doctor --client` and docs/hooks.md use the same rows.
 *
 *     input (JSON) --hook_read()--> hook --hook_answer()--> reply: what goes to standard output and error,
 *     and the exit code
 *
 * Nothing here prints or exits. Whatever cannot be understood is a refusal (exit 2, which denies with every
 * client), never silence: for most clients silence means "run it".
 */
#pragma once
#include "judge/engine.h"
#include "base/json.h"

#define HOOK_INPUT_MAX ((size_t)32 << 20) /* bytes of one input */
#define HOOK_REASON_MAX 4000              /* bytes of a reason that a client is given */
#define HOOK_PATHS_MAX 4096               /* paths that one call of a tool names */
enum { HOOK_PASS = 0, HOOK_BLOCK = 2 };   /* exit codes; every other one lets a tool run with some client */

enum phase {
	PHASE_PRE = 0, /* before a tool runs: judged */
	PHASE_POST,    /* after one that succeeded: its output is cleaned */
	PHASE_FAILURE, /* after one that failed, where that is an event of its own */
	PHASE_START,   /* of a session: guidance */
	PHASE_END,     /* of a session: its tickets go */
	PHASE_OTHER,   /* about no tool call: always passes */
};

enum { /* what a client does with an answer */
	CLIENT_ASKS = 1 << 0, /* "ask" asks a person, or is a denial where there is none */
	CLIENT_REWRITES = 1 << 1, /* the input of a tool can be replaced before it runs */
	CLIENT_REPLACES = 1 << 2, /* the output of a tool can be replaced */
	CLIENT_ADDS = 1 << 3, /* text for the model can be added to an output */
	CLIENT_FOLLOWS = 1 << 4, /* a cd of one shell command holds for the next */
	CLIENT_GUIDES = 1 << 5, /* text for the model is taken when a session starts */
	CLIENT_APPROVES = 1 << 6, /* "allow" takes the place of the client's own question */
	/* has permission rules in settings.json, which see only a rewritten command: we enforce them */
	CLIENT_SETTINGS = 1 << 7,
	/*
	 * its bypassPermissions says only that nobody is asked (Codex: in every `exec`), not that nothing is
	 * to be judged
	 */
	CLIENT_UNATTENDED = 1 << 8,
	/* its tools of MCP servers are known by their names (mcp_...), so every other tool is its own */
	CLIENT_MARKS = 1 << 9,
	/* a replaced output comes without the exit code, so we write that again */
	CLIENT_LOSES_CODE = 1 << 10,
	/* a replaced output is shown to the model as an error: only secrets are worth that */
	CLIENT_SHOWS_ERROR = 1 << 11,
	CLIENT_NORMALISES = 1 << 12, /* its events after a tool want the whole result back in one shape */
	/* a command may end in a comment: no rule of the client's compares the whole line */
	CLIENT_COMMENTS = 1 << 13,
	CLIENT_TYPES = 1 << 14, /* commands go to a shell that keeps running, as if they were typed */
	/*
	 * an "ask" together with another input asks about that and runs that; elsewhere the ORIGINAL would
	 * run
	 */
	CLIENT_ASKS_BOXED = 1 << 15,
	/* it reads an answer beside the exit code (generic: the input says what it can do) */
	CLIENT_ANSWERS = 1 << 16,
	/*
	 * its shell takes `apply_patch` with a here-document for a call of the tool of that name
	 * (shell_patch.c)
	 */
	CLIENT_PATCHES = 1 << 17,
	/*
	 * it ends a command, or moves it to the background, by time limits of its own: ours must not end what
	 * it keeps
	 */
	CLIENT_LIMITS = 1 << 18,
	CLIENT_INPUT = 1 << 20, /* a command has a standard input of its own, into which the model can type */
	/*
	 * of a hook that exits with 2 it shows the answer on standard output, and nothing of standard error
	 */
	CLIENT_HIDES_ERROR = 1 << 21,
	/* it sets CLAUDE_PROJECT_DIR for its hooks, whatever its own environment says */
	CLIENT_BASE = 1 << 19,
};

struct client_event {
	char name[24];        /* empty: the list ends */
	enum phase phase;
	char tool[12];        /* the tool it is about; empty: the input says */
	char args[4];         /* "*": the whole input is the tool's; empty: what has the row's key is */
	char result[16];      /* key of its output; empty: the row's */
	bool no_ask;          /* an "ask" is no answer to this one, whatever its client does elsewhere */
};

struct hook;
struct verdict_answer;
struct output_answer;

struct reply { /* what goes out */
	struct buf out, err;
	int code;
};

struct client {
	const char *name, *title;
	unsigned can;             /* CLIENT_* */
	const char *need, *not;   /* recognition: keys that are there, and that are not, between blanks */
	const char *event_key, *tool_key, *args_key, *result_key, *session_key, *id_key;
	const struct client_event *events;
	const char *config;       /* where its hooks are set up, for people */
	/* what it does not let anybody enforce, one sentence; NULL: nothing known */
	const char *cannot;
	/* render.c */
	void (*before)(struct reply *r, const struct hook *h, const struct verdict_answer *v);
	void (*after)(struct reply *r, const struct hook *h, const struct output_answer *o);
};

/* Row i, or NULL after the last. A client whose inputs come in two shapes has two rows of one name. */
const struct client *client_at(size_t i);
/* The first row of this name, or NULL. */
const struct client *client_find(struct str name);
/* The phase of this client's event. An unknown event is PHASE_PRE, so that nothing passes by mistake. */
enum phase client_phase(const char *name, const char *event);
/* "claude-code, codex, ...", for messages. */
struct str client_names(struct arena *a);

/* ---- the input ---- */

enum tool_kind { TOOL_OTHER = 0, TOOL_SHELL, TOOL_READ, TOOL_SEARCH, TOOL_LIST, TOOL_WRITE, TOOL_PATCH,
		TOOL_FETCH };

struct hook { /* one input, as it was understood. Texts and values are the arena's. */
	const struct client *client;
	const struct client_event *event;
	enum phase phase;
	const struct json *all;   /* the whole input */
	struct str tool;           /* as the client calls it; empty: no tool */
	enum tool_kind kind;
	const struct json *args;  /* object; NULL: none */
	const struct json *result; /* NULL: none */
	struct str command_key;    /* of a shell's command in args */
	struct str command;        /* the shell text */
	bool words;                /* it was given as a list of words, so it cannot be replaced by a text */
	enum dialect dialect;
	struct str cwd;            /* where the tool runs; empty: not said */
	struct str start;          /* where relative paths in a tool's input start; empty: in cwd */
	/*
	 * where it would run if the caller had not named a directory; empty: it did not, or that is not known
	 */
	struct str session_cwd;
	struct str base;           /* where the session started; empty: not known */
	struct str session, tool_use_id, agent; /* may be empty */
	struct str prompt;         /* the client's name for what the person wrote; may be empty */
	enum mode mode;
	uint64_t time_ms;          /* the client's own limit for the tool; 0: none */
	bool background, unboxed;  /* the caller asks for that */
};

/*
 * Reads an input. `client` is a name or NULL, `event` what it is if the input does not say, or NULL. -1 with
 * the reason: it is not one that we know, and nothing may run because of it. Inside an arena_run().
 */
int hook_read(struct arena *a, struct str text, const char *client, const char *event, struct hook *ret,
		struct err *e);

/* tools.c: what a tool is, by its name. */
enum tool_kind tool_kind(struct str name);
/* Has a tool that is not listed a command for a shell? */
bool tool_unlisted_shell(struct str name, const struct json *args);
/* Reads what a shell tool runs from h->args into h. */
int tool_command(struct arena *a, struct hook *h, struct err *e);
/*
 * shell_patch.c: is this shell text a call of the patch tool and nothing else? *ret_dir: the directory of a
 * `cd` before it, or empty.
 */
bool tool_shell_patch(struct str command, struct str *ret_dir);
/* Does a shell text start what that client could take for its patch tool? */
bool tool_names_patch(const struct facts *f);
/* Without the white space around it, also of kinds that are not ASCII. */
struct str tool_trimmed(struct str s);
/* The effects of another tool on files and hosts, as facts for the gate. */
/* `home`: where ~ leads; may be empty. */
int tool_facts(struct arena *a, const struct hook *h, struct str home, struct facts *ret, struct err *e);
/* Every string in the input of a tool, one after the other. */
void tool_texts(const struct json *v, struct buf *out);
