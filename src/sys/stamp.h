/*
 * struct stamp: the state of a file by stat(2), to notice later that it was changed, replaced, made or
 * removed.
 *
 * A stamp is taken before the file is read. A file that changed within STAMP_SETTLED_NS before that may
 * change once more without a new time stamp, since the kernel's clock for files is coarse: such a stamp never
 * holds again.
 */
#pragma once
#include <stdint.h>

#include "model/identity.h"

#define STAMP_SETTLED_NS ((int64_t)1000000000)

struct stamp {
	struct identity id; /* links are followed */
	uint64_t size;
	int64_t modified_ns, changed_ns;
	int errnum;   /* it could not be looked at: ENOENT is one that is not there. Else 0 */
	bool settled; /* false: it changed just now */
};

void stamp_take(const char *path, struct stamp *ret);
/* Is the file still in the state of this stamp? */
bool stamp_holds(const struct stamp *old, const char *path);
