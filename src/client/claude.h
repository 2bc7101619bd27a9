/*
 * Claude Code's own sandbox, as its settings describe it: {"sandbox": {"enabled": true, "filesystem":
 * {"allowWrite": [], "denyWrite": [], "denyRead": [], "allowRead": []}, "excludedCommands": []}}. Its deny
 * rules for Read and Edit count there, too.
 */
#pragma once
#include "client/client.h"
#include "model/walls.h"

#define CLAUDE_ENTRIES_MAX 50000 /* files and directories of a project that are compared with patterns */

struct claude_session {
	const struct policy_file *files; /* those of kind POLICY_SETTINGS are read */
	struct str base; /* where the session began: what its sandbox lets be written; may be empty */
	struct str home, project;
};

/*
 * The walls of the sandbox; mode none where no settings file turns it on. *ret_refuse is a sentence when a
 * box cannot repeat these walls; empty otherwise.
 */
void claude_walls(
	struct arena *a, const struct claude_session *s, struct client_walls *ret, struct str *ret_refuse);
