/*
 * struct stamp: the state of a file by stat(2), to detect later that the file was changed, replaced, created
 * or removed.
 *
 * Take the stamp before reading the file. The kernel's clock for files is coarse: a file that changed less
 * than STAMP_SETTLED_NS before the stamp may change again without a new time stamp. Such a stamp never holds.
 */
#pragma once
#include <stdint.h>

#include "model/identity.h"

#define STAMP_SETTLED_NS ((int64_t)1000000000)

struct stamp {
	struct identity id; /* after following links */
	uint64_t size;
	int64_t modified_ns, changed_ns;
	int errnum;   /* errno of stat(); ENOENT: the file is missing */
	bool settled; /* false: the file has just changed */
};

void stamp_take(const char *path, struct stamp *ret);
/* True if the file is still in the state of this stamp. */
bool stamp_holds(const struct stamp *old, const char *path);
/* The same for a caller who has just looked at the file. */
bool stamp_same(const struct stamp *old, const struct stamp *now);
