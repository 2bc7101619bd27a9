/*
 * Repository roots that were seen before, so that a program in a box cannot make a root vanish: it may delete
 * .git/HEAD, and then the directory above would become the project of the next run. And directories that
 * boxes could write and that are no repositories: they are no roots by that, but programs may have left
 * links there.
 *
 * STATE/roots is a text of lines "DEV INO SEEN PATH" or "DEV INO SEEN workspace PATH": device and inode, the
 * second in which the directory was last noted, and the path with % and control bytes as %XX. Lines are
 * appended under a lock; the last one of a path and kind counts. A line whose directory has another identity
 * by now says nothing. Beyond REMEMBERED_BYTES the file is written anew with the latest lines.
 */
#pragma once
#include "model/identity.h"

#define REMEMBERED_BYTES ((size_t)64 << 10) /* of the file before it is written anew */
#define REMEMBERED_MAX 256                  /* of each kind that are kept then */
#define REMEMBERED_AGE_S (180 * 86400)      /* a root that was not seen for so long is forgotten then */
#define REMEMBERED_AGAIN_S (7 * 86400)      /* a root that is still used is noted again after this time */

enum remembered_kind { REMEMBERED_ROOT, REMEMBERED_WORKSPACE, REMEMBERED_KINDS };

struct remembered {
	struct str text; /* of the file; empty: nothing is known */
};

/* A file that is missing, not the caller's or not readable holds no roots. */
void remembered_read(struct arena *a, struct str state_dir, uint32_t uid, struct remembered *ret);
/* Is this resolved directory a root that was seen before? `r` may be NULL. */
bool remembered_root(const struct remembered *r, struct str dir);
/* Is it a root or a workspace that was seen before? `r` may be NULL. */
bool remembered_place(const struct remembered *r, struct str dir);
/* Was it noted lately as this kind, so that nothing need be written? */
bool remembered_lately(const struct remembered *r, enum remembered_kind kind, const struct directory *d,
		int64_t now_s);
/* Notes a directory. `state_dir`: made and checked. */
int remembered_add(struct arena *a, struct str state_dir, enum remembered_kind kind,
		const struct directory *d, int64_t now_s, struct err *e);
