/*
 * Finds the directories that a command may write: the project's root and /tmp/claude.
 *
 * The root is the git top level above the working directory, or else that directory itself; never the home
 * directory, / or a parent of either. A top level counts only if it and its .git belong to the caller or
 * root: another user's /tmp/.git must not make /tmp a project. A root that was seen before (remembered.h)
 * stays one: a program in a box can delete .git/HEAD, but must not widen the next box that way.
 */
#pragma once
#include "model/policy.h"
#include "sys/path.h"
#include "sys/remembered.h"

#define PROJECT_DEPTH_MAX 64 /* parent directories searched */

#define PROJECT_ENCLOSING_MAX 8 /* roots around one root */

struct project_look { /* context of a search */
	struct path_memo *m;
	struct str home;
	uint32_t uid;
	/* Roots seen before stay roots, even without a valid HEAD. May be NULL. */
	const struct remembered *known;
};

/*
 * Returns the resolved root, or an empty string if there is none. A directory that does not exist on this
 * machine is its own root.
 */
struct str project_find(const struct project_look *l, struct str cwd);
/*
 * Lists the roots around a root, innermost first: repositories, and directories that were repositories when
 * seen before.
 */
struct texts *project_enclosing(const struct project_look *l, struct str root);
/* True if this resolved directory is the top level of a repository that belongs to the caller or root. */
bool project_repository(struct path_memo *m, struct str dir, uint32_t uid);

/*
 * True if `root` is a linked worktree of the repository and both sides point at each other. A program in a
 * box can write only one side.
 */
bool project_worktree(struct arena *a, struct str root, struct str repository);

/*
 * How an absolute path is resolved. A program in a box can replace a link between two lookups. Therefore the
 * walk reads each link once, and callers continue with `real` instead of resolving the path again.
 *
 * A link in a repository, or in a former workspace of a box, may have been created by a program in a box. If
 * it leads out of there, its target is not a project of its own. Links elsewhere are trusted as the user's.
 */
struct project_way {
	/* resolved path; empty: it changed during the walk, or has too many links */
	struct str real;
	/* the project that the path leaves through a link, and that link; or empty */
	struct str root, link;
};
struct project_way project_way(const struct project_look *l, struct str path);
/*
 * True if this resolved directory may be a root: not /, not the home directory, no parent of it, no system
 * directory.
 */
bool project_allowed(struct path_memo *m, struct str dir, struct str home);
/*
 * Returns /tmp/claude resolved, or an empty string. It must be a directory, not a link, that belongs to the
 * caller and that nobody else may write. It may be absent if nobody else could remove it after its creation:
 * /tmp belongs to root or the caller, and is sticky if others may write it.
 */
struct str project_scratch(struct path_memo *m, uint32_t uid);
