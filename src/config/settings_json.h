/*
 * Adds the permission rules of a client's settings file (Claude Code's settings.json) to a policy:
 *
 *     {"permissions": {"allow": ["Bash(npm test)"], "ask": [], "deny": ["Read(./.env)"], "defaultMode":
 *     "acceptEdits"}}
 *
 * Other keys are ignored. The caller decides which files are read, and if a project's files are trusted.
 */
#pragma once
#include "base/err.h"
#include "model/policy.h"

#define SETTINGS_BYTES_MAX ((size_t)4 << 20)
#define SETTINGS_RULES_MAX 20000 /* of one file */
#define SETTINGS_RULE_BYTES_MAX 8192

/*
 * Patterns with one leading slash start at `base_dir`: the project for its own files, otherwise the file's
 * directory. Each rule has its origin: "name: permissions.allow[3]". A given mode replaces the policy's; an
 * unknown one is the default. On failure *p is untouched and e->text says where: "name:line:column: what" for
 * invalid JSON.
 */
int settings_load(struct arena *a, struct str name, struct str bytes, struct str base_dir, struct policy *p,
		struct err *e);
