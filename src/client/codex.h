/*
 * Reads Codex's own files: the sandbox of the current turn (codex_mode.c), the shell of a call
 * (codex_shell.c), and the person's trust in our hooks (codex_trust.c).
 *
 * A hook's input does not say how Codex sandboxes the command: `permission_mode` is "bypassPermissions" in
 * every `codex exec`. The session's transcript does. Codex writes one line of type turn_context when a turn
 * begins, with the turn's permissions.
 */
#pragma once
#include "client/client.h"
#include "client/shell_place.h"
#include "model/walls.h"

#define CODEX_TRANSCRIPT_MAX ((size_t)64 << 20) /* bytes that are searched, from the transcript's end */
#define CODEX_LINE_MAX ((size_t)1 << 20)        /* bytes of the line */

/* $CODEX_HOME, else ~/.codex; empty: not known. */
struct str codex_home(struct arena *a, struct str home);

/* A command that Codex is about to run. */
struct codex_turn {
	struct str transcript, turn; /* `transcript_path` and `turn_id` of the hook's input; may be empty */
	struct str home;             /* of the person */
	struct str project;          /* a transcript inside it is an agent's work */
	uint32_t uid;
};

/*
 * The walls of the turn's sandbox. Mode unknown when the transcript cannot be found, is not the person's own,
 * or does not say it. *ret_refuse is a sentence when the sandbox has walls that a box cannot repeat; empty
 * otherwise.
 */
void codex_walls(
	struct arena *a, const struct codex_turn *t, struct client_walls *ret, struct str *ret_refuse);
/* The same of one line of a transcript; -1 when it is not the turn_context of this turn. */
int codex_walls_of_line(
	struct arena *a, struct str line, struct str turn, struct client_walls *ret, struct str *ret_refuse);

/* The transcript, opened, when it is the person's own file in Codex's own directory; else -1. */
int codex_open_transcript(struct arena *a, const struct codex_turn *t, size_t *ret_size);
/* As many bytes at an offset as there are, at most n. */
size_t codex_read_at(int fd, char *to, size_t n, size_t at);

/* ---- codex_shell.c ---- */

/*
 * The shell that reads a command. The model can name one (`shell` of exec_command), and the hook's input does
 * not say so; the transcript does. A shell that an agent may have put in its place would run unjudged, and
 * outside of Codex's sandbox where our rule takes the rewritten command out of it.
 */
struct codex_shell {
	bool named;           /* the call names one */
	enum dialect dialect; /* of that */
	unsigned others;      /* else: bits 1 << dialect of those that may be started */
	struct str refuse;    /* why the call must not run; empty: it may */
};

struct codex_places { /* what the answer depends on */
	struct shell_places at;
	struct str login;  /* the person's shell in the password database */
	struct str shells; /* the text of /etc/shells */
};

void codex_shell(struct arena *a, const struct codex_turn *t, struct str call, const struct view *v,
	struct codex_shell *ret);
/* The same for the arguments of a call; NULL: they are not known. */
void codex_shell_of_call(
	struct arena *a, const struct codex_places *p, const struct json *call, struct codex_shell *ret);
/* The arguments, when a line of the transcript is the row of this call; else NULL. */
const struct json *codex_call_of_line(struct arena *a, struct str line, struct str call);

/* ---- codex_trust.c ---- */

enum codex_trust {
	CODEX_UNTRUSTED, /* no entry: Codex skips the hook */
	CODEX_STALE,     /* the entry is of another hook: the same */
	CODEX_OFF,       /* the person has turned the hook off */
	CODEX_TRUSTED,
};

struct codex_hook {          /* one hook of a hooks.json */
	struct str file;     /* the hooks.json, as Codex names it */
	struct str event;    /* "PreToolUse" */
	size_t group, index; /* of its entry, and in that */
	struct str command, matcher;
	bool has_matcher;
	int64_t timeout; /* seconds; -1: the entry has none */
};

/* The digest that Codex stores for a trusted hook: "sha256:…" over its normal form. */
struct str codex_hook_hash(struct arena *a, const struct codex_hook *h);
/* `config` is the text of $CODEX_HOME/config.toml: [hooks.state."FILE:pre_tool_use:0:0"] with trusted_hash =
 * "…". */
enum codex_trust codex_trusted(struct arena *a, struct str config, const struct codex_hook *h);
