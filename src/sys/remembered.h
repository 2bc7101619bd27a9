/*
 * Repository roots that were seen before, so that a program in a box cannot make a root vanish: it may delete
 * .git/HEAD, and then the directory above would become the project of the next run.
 *
 * STATE/roots is a text of lines "DEV INO SEEN PATH": device and inode, the second in which the root was
 * last noted, and the path with % and control bytes as %XX. Lines are appended under a lock; the last one
 * of a path counts. A line whose directory has another identity by now says nothing. Beyond
 * REMEMBERED_BYTES the file is written anew with the latest lines.
 */
#pragma once
#include "model/identity.h"

#define REMEMBERED_BYTES ((size_t)64 << 10) /* of the file before it is written anew */
#define REMEMBERED_MAX 256                  /* roots that are kept then */
#define REMEMBERED_AGE_S (180 * 86400)      /* a root that was not seen for so long is forgotten then */
#define REMEMBERED_AGAIN_S (7 * 86400)      /* a root that is still used is noted again after this time */

struct remembered {
	struct str text; /* of the file; empty: no root is known */
};

/* A file that is missing, not the caller's or not readable holds no roots. */
void remembered_read(struct arena *a, struct str state_dir, uint32_t uid, struct remembered *ret);
/* Is this resolved directory a root that was seen before? `r` may be NULL. */
bool remembered_root(const struct remembered *r, struct str dir);
/* Was it noted lately, so that nothing need be written? */
bool remembered_lately(const struct remembered *r, const struct directory *root, int64_t now_s);
/* Notes a root. `state_dir`: made and checked. */
int remembered_add(struct arena *a, struct str state_dir, const struct directory *root, int64_t now_s,
		struct err *e);
