/* Codex's own record of a session (JSON lines): how a command ended. Its hook input does not say that. */
#pragma once
#include "base/str.h"

/* The exit code of the call with this id; -1: the file does not say, or is not the caller's own. */
int transcript_exit_code(struct arena *a, struct str path, struct str call_id, uint32_t uid);
