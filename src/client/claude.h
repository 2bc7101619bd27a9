/*
 * Claude Code's own sandbox, read from its settings: {"sandbox": {"enabled": true, "filesystem":
 * {"allowWrite": [], "denyWrite": [], "denyRead": [], "allowRead": []}, "excludedCommands": []}}. Deny rules
 * for Read and Edit apply inside that sandbox, too.
 */
#pragma once
#include "client/client.h"
#include "model/walls.h"

#define CLAUDE_ENTRIES_MAX 50000 /* bound on project entries matched against patterns */

struct claude_session {
	const struct policy_file *files; /* only files of kind POLICY_SETTINGS are read */
	struct str base; /* start directory of the session, which the sandbox lets it write; may be empty */
	struct str home, project;
};

/*
 * Computes the walls of the sandbox. Their mode is "none" if no settings file enables it. *ret_refuse says
 * why a box cannot reproduce these walls; it is empty if a box can.
 */
void claude_walls(
	struct arena *a, const struct claude_session *s, struct client_walls *ret, struct str *ret_refuse);
