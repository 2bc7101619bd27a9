/* See directory.h. */
#define _GNU_SOURCE
#include "sys/directory.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sys/file.h"

#ifndef SYS_fchmodat2
#define SYS_fchmodat2 452
#endif

static int open_linkless(int dir, const char *path, int flags, uint64_t resolve)
{
	struct open_how how = {.flags = (uint64_t)(unsigned)(flags | O_DIRECTORY | O_CLOEXEC),
			.resolve = RESOLVE_NO_SYMLINKS | resolve};

	return (int)syscall(SYS_openat2, dir, path, &how, sizeof(how));
}

int directory_open(const char *path) { return open_linkless(AT_FDCWD, path, O_PATH, 0); }

int directory_open_below(int root, const char *path)
{
	return open_linkless(root, *path ? path : ".", O_PATH, RESOLVE_BENEATH);
}

int directory_chmod(int fd, mode_t mode)
{
	char link[32];

	if (syscall(SYS_fchmodat2, fd, "", mode, AT_EMPTY_PATH) == 0)
		return 0;
	if (errno != ENOSYS && errno != EINVAL)
		return -1;
	str_put(link, sizeof(link), "/proc/self/fd/%d", fd); /* kernels before 6.6 */
	return chmod(link, mode);
}

int directory_identity(int fd, struct identity *ret)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return -1;
	*ret = (struct identity){st.st_dev, st.st_ino};
	return 0;
}

bool directory_is(const struct stat *st, struct identity expected)
{
	return !identity_known(expected) ||
			(S_ISDIR(st->st_mode) && identity_same((struct identity){st->st_dev,
			st->st_ino}, expected));
}

int directory_open_expected(const char *path, struct identity expected, int flags)
{
	struct stat st;
	int fd = open_linkless(AT_FDCWD, path, flags, 0), why;

	if (fd < 0)
		return -1;
	why = fstat(fd, &st) != 0 ? errno : directory_is(&st, expected) ? 0 : ESTALE;
	if (!why)
		return fd;
	fd_close(&fd);
	errno = why;
	return -1;
}

int directory_check(const struct directory *d)
{
	char path[PATH_MAX];

	if (d->path.n >= sizeof(path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy(path, d->path.p, d->path.n);
	path[d->path.n] = 0;
	FD_CLEANUP int fd = directory_open_expected(path, d->id, O_PATH);
	return fd < 0 ? -1 : 0;
}
