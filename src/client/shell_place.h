/* Finds the shell that a client starts by name, and tests if an agent may have planted it. */
#pragma once
#include "sys/path.h"

struct shell_places {
	struct str path; /* $PATH of the client */
	struct str tmp;  /* $TMPDIR */
	struct str own;  /* resolved directory of the client itself, not agent-writable; may be empty */
	const struct root *roots; /* agent-writable directories */
};

struct shell_choice { /* which shell reads a command, if the model chooses it */
	bool named;           /* the model named the shell */
	enum dialect dialect; /* valid if `named` */
	/* if unnamed: bits 1 << dialect of the shells that may read the command instead of the default one */
	unsigned others;
	struct str refuse;    /* why none of them may be started; empty: allowed */
};

enum shell_found { SHELL_NONE, SHELL_OWN, SHELL_FOREIGN };

/* Returns $PATH and the directories of this view. */
struct shell_places shell_places(const struct view *v);
/* True if the file is an executable program. */
bool shell_is_program(struct arena *a, struct str path);
/* True if an agent may have put a file there without a question to the person. */
bool shell_agents_place(struct path_memo *m, const struct shell_places *p, struct str path);
/*
 * Finds the first program with this name in PATH. Returns SHELL_FOREIGN if an agent may have put it there.
 * Without `present`, a directory where an agent could put an earlier match counts as foreign, too.
 */
enum shell_found shell_in_path(
	struct path_memo *m, const struct shell_places *p, const char *name, bool present, struct str *ret);
