/*
 * Reads Codex's own files: the sandbox of the current turn (codex_mode.c), the shell of a call
 * (codex_shell.c), and the person's trust in our hooks (codex_trust.c).
 *
 * A hook's input does not say how Codex sandboxes the command: `permission_mode` is "bypassPermissions" in
 * every `codex exec`. The session's transcript does: when a turn begins, Codex writes a line of type
 * turn_context with the turn's permissions.
 */
#pragma once
#include "client/client.h"
#include "client/shell_place.h"
#include "model/walls.h"

#define CODEX_TRANSCRIPT_MAX ((size_t)64 << 20) /* bytes searched, from the end of the transcript */
#define CODEX_LINE_MAX ((size_t)1 << 20)        /* bytes of one transcript line */

/* Returns $CODEX_HOME, else ~/.codex; empty if unknown. */
struct str codex_home(struct arena *a, struct str home);

/* A command that Codex is about to run. */
struct codex_turn {
	struct str transcript, turn; /* `transcript_path` and `turn_id` of the hook's input; may be empty */
	struct str home;             /* the person's home directory */
	struct str project;          /* an agent may have written a transcript inside it */
	uint32_t uid;
};

static inline struct codex_turn codex_turn_of(const struct json *input, const struct view *v)
{
	return (struct codex_turn){.transcript = json_text_at(input, "transcript_path"),
			.turn = json_text_at(input, "turn_id"), .home = v->home, .project = v->project,
			.uid = v->uid};
}

/*
 * Computes the walls of the turn's sandbox. Their mode is "unknown" if the transcript is missing, is not the
 * person's own, or does not name a mode. *ret_refuse says why a box cannot reproduce the walls; it is empty
 * if a box can.
 */
void codex_walls(
	struct arena *a, const struct codex_turn *t, struct client_walls *ret, struct str *ret_refuse);
/* Does the same for one line of a transcript. Returns -1 if the line is not the turn_context of this turn. */
int codex_walls_of_line(
	struct arena *a, struct str line, struct str turn, struct client_walls *ret, struct str *ret_refuse);

/* Opens the transcript if it is the person's own file in Codex's own directory; else returns -1. */
int codex_open_transcript(struct arena *a, const struct codex_turn *t, size_t *ret_size);
/* Reads up to n bytes at an offset. Returns the number of bytes read. */
size_t codex_read_at(int fd, char *to, size_t n, size_t at);

/* ---- codex_shell.c ---- */

struct codex_places { /* inputs of the shell search */
	struct shell_places at;
	struct str login;  /* login shell from the password database */
	struct str shells; /* content of /etc/shells */
};

/*
 * Finds the shell that reads a command. The model can name one (`shell` of exec_command); the transcript
 * records it, the hook's input does not. A shell planted by an agent would run unjudged. It would even run
 * outside Codex's sandbox, because our rule lets the rewritten command leave it.
 */
void codex_shell(struct arena *a, const struct codex_turn *t, struct str call, const struct view *v,
	struct shell_choice *ret);
/* Does the same for the arguments of a call; NULL: unknown. */
void codex_shell_of_call(
	struct arena *a, const struct codex_places *p, const struct json *call, struct shell_choice *ret);
/* Returns the arguments if the transcript line is the row of this call, else NULL. */
const struct json *codex_call_of_line(struct arena *a, struct str line, struct str call);

/* ---- codex_trust.c ---- */

enum codex_trust {
	CODEX_UNTRUSTED, /* no entry; Codex skips the hook */
	CODEX_STALE,     /* entry of another hook; Codex skips this one */
	CODEX_OFF,       /* disabled by the person */
	CODEX_TRUSTED,
};

struct codex_hook {          /* one hook of a hooks.json */
	struct str file;     /* path of the hooks.json, as Codex spells it */
	struct str event;    /* "PreToolUse" */
	size_t group, index; /* index of its entry, and its index in that entry */
	struct str command, matcher;
	bool has_matcher;
	int64_t timeout; /* seconds; -1: not set */
};

/* Returns the digest that Codex stores for a trusted hook: "sha256:…" over its normal form. */
struct str codex_hook_hash(struct arena *a, const struct codex_hook *h);
/*
 * Looks up a hook in `config`, the text of $CODEX_HOME/config.toml: [hooks.state."FILE:pre_tool_use:0:0"]
 * with trusted_hash = "…".
 */
enum codex_trust codex_trusted(struct arena *a, struct str config, const struct codex_hook *h);
