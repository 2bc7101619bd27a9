/*
 * The permission rules of a client's own settings file (Claude Code's settings.json), added to a policy:
 *     {"permissions": {"allow": ["Bash(npm test)"], "ask": [], "deny": ["Read(./.env)"], "defaultMode": "acceptEdits"}}
 * Other keys are the client's business and are skipped. Which files are read, and whether a project's are trusted, is the caller's.
 */
#pragma once
#include "base/err.h"
#include "model/policy.h"

#define SETTINGS_BYTES_MAX ((size_t)4 << 20)
#define SETTINGS_RULES_MAX 20000 /* of one file */
#define SETTINGS_RULE_BYTES_MAX 8192

/*
 * `base_dir` is where patterns with one leading slash start: the project for its own files, the directory of the file otherwise. Each rule
 * says where it stands: "name: permissions.allow[3]". A mode that is given replaces the policy's, one that is not known
 * is the default. On failure *p is untouched and e->text says where: "name:line:column: what" for broken JSON.
 */
int settings_load(struct arena *a, struct str name, struct str bytes, struct str base_dir, struct policy *p, struct err *e);
