/*
 * From the run to the hook after it: the report of a contained command, kept below the state until the client says that the command is over.
 * Its name is made from the session and the id of the tool call, so that the hook finds it, and it is read once.
 */
#pragma once
#include "base/str.h"

#define KEPT_BYTES_MAX ((size_t)8 << 20)

/* `state`: the state directory, made and checked. Nothing is kept without an id. */
int kept_write(struct arena *a, struct str state, struct str session, struct str tool_use_id, struct str report, struct err *e);
/* Takes it away. ERR_INPUT when there is none. */
int kept_take(struct arena *a, struct str state, struct str session, struct str tool_use_id, uint32_t uid, struct str *ret, struct err *e);
