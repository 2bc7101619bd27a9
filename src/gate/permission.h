/*
 * Matches permission rules in Claude Code's language (docs/permissions.md) with one command, or with one file
 * that a command touches.
 *
 * Two directions, as for prefix rules: a deny or ask rule must not be missed (MATCH_MAYBE where a word is
 * unknown), an allow rule must not be stretched. The caller has split commands: each part of a compound
 * command, and each command inside a wrapper, is judged separately.
 */
#pragma once
#include "gate/judge.h"

#define PERMISSION_PATH_MAX 4096 /* compared bytes of a path; a longer one may match anything */
#define PERMISSION_WRAPPERS_MAX 16 /* nesting of wrappers */
#define PERMISSION_SETTINGS_MAX 32 /* leading assignments that a rule can name */

/*
 * Matches a Bash rule as deny or ask. Ignores any directory before the command's name, and leading
 * assignments.
 */
enum prefix_match permission_bash(const struct permission_rule *r, const struct command *c);
/*
 * Matches a Bash rule as allow: it must match whatever the unknown words are, and no leading assignment may
 * change the command's effect.
 */
bool permission_bash_allows(const struct permission_rule *r, const struct command *c);
/*
 * True if one of the rules allows the command, or if it is a harmless wrapper (timeout, nice, ...) and they
 * allow the command inside.
 */
bool permission_allowed(const struct permission_rule *rules, const struct facts *f, const struct command *c);

/*
 * True if the rule is about this kind of access: Read rules about reading, Edit and Write rules about writing
 * and deleting.
 */
bool permission_covers(const struct permission_rule *r, enum access_kind kind);
enum {
	PERMISSION_FOLD = 1,  /* ignore case */
	/* the path is a directory and the access includes its content (rm -r), some of which may match */
	PERMISSION_BELOW = 2,
};
/*
 * Matches a file rule with an absolute path (abstract text), textually. Try both the path as written and the
 * resolved one: for deny and ask take the stronger answer, for allow the weaker. Relative patterns start at
 * the view's cwd, the session's, not where a cd led.
 */
enum prefix_match permission_file(const struct permission_rule *r, const struct view *v, struct str path,
		unsigned flags);
/* The same without flags. */
enum prefix_match permission_path(const struct permission_rule *r, const struct view *v, struct str path);
