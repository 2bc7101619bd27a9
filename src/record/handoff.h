/*
 * From the run to the hook after it: the report of a contained command, kept below the state until the client
 * says that the command is over. Its name is made from the session and the id of the tool call, so that the
 * hook finds it, and it is read once.
 */
#pragma once
#include "base/str.h"

#define HANDOFF_BYTES_MAX ((size_t)8 << 20)
#define HANDOFF_AGE_S (24 * 3600)     /* what nobody has taken after a day is removed */
#define HANDOFF_SWEEP_MAX 4096        /* names that are looked at */
#define HANDOFF_NO_BOX_S 600          /* after that a run finds out anew whether a box can be made */

/* `state`: the state directory, made and checked. Nothing is kept without an id. */
int handoff_write(struct arena *a, struct str state, struct str session, struct str tool_use_id,
		struct str report, struct err *e);
/* Takes it away. ERR_INPUT when there is none. */
int handoff_take(struct arena *a, struct str state, struct str session, struct str tool_use_id, uint32_t uid,
		struct str *ret, struct err *e);
/* Removes tickets and reports that were left over. */
void handoff_sweep(struct arena *a, struct str state, int64_t now_s);

/*
 * Remembers for HANDOFF_NO_BOX_S that this host can make no box (`none`), or forgets it: else hooks would
 * send command after command there. It is a hint. A hook tries again (box_try()) before it believes it.
 */
void handoff_no_box(struct arena *a, struct str state, bool none);
bool handoff_is_no_box(struct arena *a, struct str state, int64_t now_s);
