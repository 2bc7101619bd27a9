/*
 * Permission rules in Claude Code's language (docs/permissions.md) against one command, or one file that a
 * command touches.
 *
 * Two directions, as for prefix rules: a deny or ask rule must not be missed (MATCH_MAYBE where a word is not
 * known), an allow rule must not be stretched. Commands come taken apart: each part of a compound command,
 * and each command inside a wrapper, is judged by itself.
 */
#pragma once
#include "gate/judge.h"

#define PERMISSION_PATH_MAX 4096 /* bytes of a path that are looked at; a longer one may match anything */
#define PERMISSION_WRAPPERS_MAX 16 /* wrappers inside wrappers */
#define PERMISSION_SETTINGS_MAX 32 /* assignments before a command that a rule can name */

/*
 * A Bash rule as deny or ask. Any directory before the command's name is ignored, assignments before it are
 * too.
 */
enum prefix_match permission_bash(const struct permission_rule *r, const struct command *c);
/*
 * A Bash rule as allow: it holds whatever the unknown words are, and no assignment before the command changes
 * what it does.
 */
bool permission_bash_allows(const struct permission_rule *r, const struct command *c);
/*
 * One of the rules allows the command; or it is a harmless wrapper (timeout, nice, ...) and they allow what
 * it runs.
 */
bool permission_allowed(const struct permission_rule *rules, const struct facts *f, const struct command *c);

/*
 * Does the rule speak of this kind of access? Read rules of reading; Edit and Write rules of writing and
 * deleting.
 */
bool permission_covers(const struct permission_rule *r, enum access_kind kind);
enum {
	PERMISSION_FOLD = 1,  /* without regard to case */
	/* the path is a directory that is touched with all that is in it, some of which may match (rm -r) */
	PERMISSION_BELOW = 2,
};
/*
 * A file rule against an absolute path (abstract text). Textual: both the path as written and the resolved
 * one are to be tried, and for deny and ask the stronger answer holds, for allow the weaker. Relative
 * patterns start at the view's cwd, the session's, not where a cd led.
 */
enum prefix_match permission_file(const struct permission_rule *r, const struct view *v, struct str path,
		unsigned flags);
/* The same without flags. */
enum prefix_match permission_path(const struct permission_rule *r, const struct view *v, struct str path);
