/* Detects that a file changed: see stamp.h. */
#define _GNU_SOURCE
#include "sys/stamp.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>

static int64_t ns_of(struct timespec t) { return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec; }

static void look_at(const char *path, struct stamp *ret)
{
	struct stat st;

	*ret = (struct stamp){.settled = true};
	if (fstatat(AT_FDCWD, path, &st, AT_NO_AUTOMOUNT) != 0) {
		ret->errnum = errno;
		return;
	}
	ret->id = (struct identity){.dev = st.st_dev, .ino = st.st_ino};
	ret->size = (uint64_t)st.st_size;
	ret->modified_ns = ns_of(st.st_mtim);
	ret->changed_ns = ns_of(st.st_ctim);
}

void stamp_take(const char *path, struct stamp *ret)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now); /* before stat(): a later change is never older */
	look_at(path, ret);
	if (ret->errnum == 0)
		ret->settled = ret->changed_ns < ns_of(now) - STAMP_SETTLED_NS;
}

bool stamp_holds(const struct stamp *old, const char *path)
{
	struct stamp now;

	if (!old->settled)
		return false;
	look_at(path, &now);
	return stamp_same(old, &now);
}

bool stamp_same(const struct stamp *old, const struct stamp *now)
{
	if (!old->settled || old->errnum || now->errnum)
		return old->settled && old->errnum == now->errnum;
	return identity_same(old->id, now->id) && old->size == now->size &&
		old->modified_ns == now->modified_ns && old->changed_ns == now->changed_ns;
}
