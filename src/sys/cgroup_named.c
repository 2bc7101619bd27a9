/* Control groups that another program made. See cgroup.h. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "sys/cgroup.h"
#include "sys/mount_list.h"

/* `groups` is the text of /proc/self/cgroup: ID:CONTROLLERS:PATH. */
static unsigned remove_named_at(struct arena *a, struct str mount, struct str groups, const char *name)
{
	unsigned busy = 0;

	for (ptrdiff_t at = 0, end; (end = str_find(groups, '\n', (size_t)at)) >= 0; at = end + 1) {
		struct str line = str_sub(groups, (size_t)at, (size_t)end);
		ptrdiff_t first = str_find(line, ':', 0);
		ptrdiff_t second = first < 0 ? -1 : str_find(line, ':', (size_t)first + 1);
		struct str path = second < 0 ? STR("") : str_sub(line, (size_t)second + 1, line.n);

		if (rmdir(str_fmt_c(a, "%.*s%.*s/%s", STR_ARG(mount), STR_ARG(path), name)) != 0)
			busy += errno == EBUSY;
	}
	if (rmdir(str_fmt_c(a, "%.*s/%s", STR_ARG(mount), name)) != 0)
		busy += errno == EBUSY;
	return busy;
}

unsigned cg_remove_named(const char *name)
{
	struct texts *mounts = NULL;
	char groups[4096];
	struct statfs fs;
	struct arena a;
	unsigned busy = 0;
	ssize_t n = cg_read(AT_FDCWD, "/proc/self/cgroup", groups, sizeof groups);

	arena_init(&a, (size_t)32 << 20);
	(void)mount_list(&a, &mounts, NULL);
	for (const struct texts *t = mounts; t && n > 0; t = t->next)
		if (statfs(str_c(&a, t->text), &fs) == 0 &&
				(fs.f_type == CGROUP_SUPER_MAGIC || fs.f_type == CGROUP2_SUPER_MAGIC))
			busy += remove_named_at(&a, t->text, str_n(groups, (size_t)n), name);
	arena_free(&a);
	return busy;
}
