/*
 * Passes the report of a contained command from the run to the hook after it. The report is a file below the
 * state until the client says that the command has ended. Its name is derived from the session and the id of
 * the tool call, so that the hook finds it. It is read once.
 */
#pragma once
#include "base/str.h"

#define HANDOFF_BYTES_MAX ((size_t)8 << 20)
#define HANDOFF_AGE_S (24 * 3600)     /* reports that were not taken are removed after a day */
#define HANDOFF_SWEEP_MAX 4096        /* bound for directory entries */
#define HANDOFF_BOX_FAILED_S 600          /* then a run tries again to create a box */

/* In place of a call's id: the last run of the session that the client ended. */
#define HANDOFF_ENDED "\nended"
/* A run that a client may kill leaves its hints early. This key of them names the process of that run. */
#define HANDOFF_LAUNCHER "launcher"

/* `state` is the state directory, created and checked. Without an id nothing is stored. */
int handoff_write(struct arena *a, struct str state, struct str session, struct str tool_use_id,
		struct str report);
/* Reads and removes the report. ERR_INPUT if it does not exist. */
int handoff_take(struct arena *a, struct str state, struct str session, struct str tool_use_id, uint32_t uid,
		struct str *ret, struct err *e);
/* The same without removing it. */
int handoff_look(struct arena *a, struct str state, struct str session, struct str tool_use_id, uint32_t uid,
		struct str *ret, struct err *e);
void handoff_drop(struct arena *a, struct str state, struct str session, struct str tool_use_id);
/* Removes expired tickets and reports. */
void handoff_sweep(struct arena *a, struct str state, int64_t now_s);

/*
 * Remembers for HANDOFF_BOX_FAILED_S that this host cannot create boxes (`failed`), or forgets it. Without
 * it, hooks would send every command into a box that fails. It is only a hint: a hook tries again (box_try())
 * before it relies on it.
 */
void handoff_note_box_failure(struct arena *a, struct str state, bool failed);
bool handoff_box_failed(struct arena *a, struct str state, int64_t now_s);
