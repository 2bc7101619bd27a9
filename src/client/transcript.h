/* Reads Codex's session transcript (JSON lines) for a command's exit code, which the hook input lacks. */
#pragma once
#include "base/str.h"

/*
 * Returns the exit code of the call with this id; -1 if the file does not have it, or is not the caller's
 * own.
 */
int transcript_exit_code(struct arena *a, struct str path, struct str call_id, uint32_t uid);
