/*
 * Circumstances of a client's call that its command does not show. The client notes them, and gate_amend()
 * makes reasons of them; the record keeps them with the view, so that a replay derives the same reasons.
 */
#pragma once
#include "base/str.h"

enum call_note_kind {
	NOTE_OTHER_PROJECT,   /* the call names a directory of another project: its path */
	NOTE_SHELL_DIFFERS,   /* another shell may read the command, and would find something else in it */
	NOTE_SHELL_REFUSED,   /* no shell that may read it can be relied on: why */
	NOTE_PATCH_NAME,      /* the client may take it for a patch, as which it is not judged */
	NOTE_INPUT_LONG,      /* the input is too long to be searched for secrets */
	NOTE_INPUT_SECRET,    /* the input holds a secret: its kind */
	NOTE_UNBOXED,         /* the agent wants to be outside of the sandbox */
	NOTE_PROJECT_CHANGED, /* the session's project is another directory by now: what happened */
	NOTE_NO_PROJECT,      /* a shell command in a directory that is no project */
	NOTE_OUTSIDE_PROJECT, /* a shell command in a directory outside of the project */
	CALL_NOTE_KINDS
};

struct call_note {
	struct call_note *next;
	enum call_note_kind kind;
	struct str text; /* may be empty */
};
