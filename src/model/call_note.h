/*
 * Facts about a client's call that its command line does not show. The client module adds the notes and
 * gate_amend() turns them into reasons. The record stores them with the view, so that a replay derives the
 * same reasons.
 */
#pragma once
#include "base/str.h"

enum call_note_kind {
	NOTE_OTHER_PROJECT,   /* the call names a directory of another project; text: its path */
	NOTE_SHELL_DIFFERS,   /* the shell is not known, and one would read the command differently */
	NOTE_SHELL_REFUSED,   /* none of the possible shells can be trusted; text: why */
	NOTE_PATCH_NAME,      /* the client may read it as a patch, but it is not judged as one */
	NOTE_INPUT_LONG,      /* the input is too long to be searched for secrets */
	NOTE_INPUT_SECRET,    /* the input holds a secret; text: its kind */
	NOTE_UNBOXED,         /* the agent asks to run outside the sandbox */
	NOTE_PROJECT_CHANGED, /* the session's project is now another directory; text: what happened */
	NOTE_NO_PROJECT,      /* the shell command runs in a directory that is no project */
	NOTE_OUTSIDE_PROJECT, /* the shell command runs in a directory outside the project */
	CALL_NOTE_KINDS
};

struct call_note {
	struct call_note *next;
	enum call_note_kind kind;
	struct str text; /* may be empty */
};
