/*
 * Which directories a command may write: the project's root and /tmp/claude.
 *
 * The root is the git top level above the working directory, or else that directory itself; never the home
 * directory, / or a parent of either. A top level counts only if it and its .git are the caller's or root's:
 * another user's /tmp/.git must not make /tmp a project. A root that was seen before (remembered.h) stays
 * one: a program in a box can delete .git/HEAD, and must not widen the next box by that.
 */
#pragma once
#include "model/policy.h"
#include "sys/path.h"
#include "sys/remembered.h"

#define PROJECT_DEPTH_MAX 64 /* directories looked at upwards */

#define PROJECT_ENCLOSING_MAX 8 /* roots around another one */

struct project_look { /* with what one looks */
	struct path_memo *m;
	struct str home;
	uint32_t uid;
	/* Roots that were seen before are roots without a valid HEAD, too. May be NULL. */
	const struct remembered *known;
};

/*
 * The root, resolved, or empty when there is none. A directory that does not exist on this machine is its own
 * root.
 */
struct str project_find(const struct project_look *l, struct str cwd);
/* The roots around a root, innermost first: repositories, and what was one when it was seen. */
struct texts *project_enclosing(const struct project_look *l, struct str root);
/* Is this resolved directory a repository's top level, and the caller's? */
bool project_repository(struct str dir, uint32_t uid);

/*
 * Is `root` a linked worktree of the repository, by what both sides say? A program in a box writes only
 * one of them.
 */
bool project_worktree(struct arena *a, struct str root, struct str repository);

/*
 * The way of an absolute path. A program in a box can exchange a link between two looks, so the walk reads
 * each link once, and callers go on with `real` instead of resolving the path again.
 *
 * A link that lies in a repository, or in a directory that was a box's workspace, may be the work of a
 * program in a box. If it leads out of there, its target is no project of its own. Links elsewhere are the
 * person's.
 */
struct project_way {
	/* where the path leads; empty: it changed during the walk, or has too many links */
	struct str real;
	/* the project that the path leaves by a link, and that link; empty: it leaves none */
	struct str root, link;
};
struct project_way project_way(const struct project_look *l, struct str path);
/*
 * May this resolved directory be a root at all? Not /, not the home directory, nothing above it, no directory
 * of the system.
 */
bool project_allowed(struct path_memo *m, struct str dir, struct str home);
/*
 * /tmp/claude, resolved, or empty: a directory, no link, of the caller's, that nobody else may write. Absent
 * is fine where nobody else could take it away again once it is made: /tmp is root's or the caller's, and
 * sticky if others may write it.
 */
struct str project_scratch(struct path_memo *m, uint32_t uid);
