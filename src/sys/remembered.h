/*
 * Remembers repository roots, so that a program in a box cannot make a root vanish: it may delete .git/HEAD,
 * and then the directory above would become the project of the next run. Also remembers workspaces of boxes
 * that are not repositories. Those do not count as roots, but programs may have left links there.
 *
 * STATE/roots is a text file with lines "DEV INO SEEN PATH" or "DEV INO SEEN workspace PATH": device and
 * inode, the time of the last note in seconds, and the path with % and control bytes as %XX. Lines are
 * appended under a lock; the last line of a path and kind counts. A line is ignored if the directory's
 * identity has changed. Beyond REMEMBERED_BYTES the file is rewritten with the latest lines.
 */
#pragma once
#include "model/identity.h"

struct stamp_cache;

#define REMEMBERED_BYTES ((size_t)64 << 10) /* file size that triggers a rewrite */
#define REMEMBERED_MAX 256                  /* lines of each kind kept by a rewrite */
#define REMEMBERED_AGE_S (180 * 86400)      /* age at which a rewrite drops a line */
#define REMEMBERED_AGAIN_S (7 * 86400)      /* age at which a root in use is noted again */

enum remembered_kind { REMEMBERED_ROOT, REMEMBERED_WORKSPACE, REMEMBERED_KINDS };

struct remembered {
	struct str text; /* content of the file; may be empty */
};

/*
 * Reads the file. A file that is missing, unreadable or not the caller's counts as empty. `stamps` keeps its
 * content, or is NULL.
 */
void remembered_read(struct arena *a, struct stamp_cache *stamps, struct str state_dir, uint32_t uid,
		struct remembered *ret);
/* True if this resolved directory is a root seen before. `r` may be NULL. */
bool remembered_root(const struct remembered *r, struct str dir);
/* True if it is a root or a workspace seen before. `r` may be NULL. */
bool remembered_place(const struct remembered *r, struct str dir);
/* True if it was noted recently as this kind, so that no write is needed. */
bool remembered_lately(const struct remembered *r, enum remembered_kind kind, const struct directory *d,
		int64_t now_s);
/* Notes a directory. `state_dir` must exist and be checked. */
int remembered_add(struct arena *a, struct str state_dir, enum remembered_kind kind,
		const struct directory *d, int64_t now_s, struct err *e);
