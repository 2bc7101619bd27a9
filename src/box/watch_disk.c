/* See watch_disk.h. */
#define _GNU_SOURCE
#include "box/watch_disk.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "sys/file.h"

#define FLAGS (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
#define LIST_BYTES 32768

struct disk_walk {
	uint64_t bytes, names, limit;
	unsigned depth;                /* open directories */
	int dirs[WATCH_DISK_DEPTH_MAX];
};

static uint64_t used(const struct disk_walk *w)
{
	uint64_t by_names = w->names * WATCH_DISK_ENTRY;

	return w->bytes > by_names ? w->bytes : by_names;
}

/* A directory that its mode closes is skipped: nothing new can get a name in it. */
static void enter(struct disk_walk *w, int at, const char *name)
{
	int fd;

	if (w->depth == WATCH_DISK_DEPTH_MAX) {
		w->bytes = UINT64_MAX / 2;
		return;
	}
	fd = openat(at, name, FLAGS);
	if (fd >= 0)
		w->dirs[w->depth++] = fd;
}

/* Adds the names of the deepest directory up to the next directory in it, which becomes the deepest. */
static void list_names(struct disk_walk *w)
{
	_Alignas(struct dirent64) char buf[LIST_BYTES];
	int dir = w->dirs[w->depth - 1];
	unsigned depth = w->depth;
	struct stat st;
	ssize_t n;

	while ((n = getdents64(dir, buf, sizeof(buf))) > 0)
		for (ssize_t at = 0; at < n;) {
			const struct dirent64 *d = (const struct dirent64 *)(buf + at);

			at += d->d_reclen;
			if (path_is_dots(d->d_name) || fstatat(dir, d->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0)
				continue;
			w->names++;
			w->bytes += (uint64_t)st.st_blocks * 512;
			if (used(w) > w->limit)
				return;
			if (S_ISDIR(st.st_mode))
				enter(w, dir, d->d_name);
			if (w->depth != depth) {
				(void)lseek(dir, d->d_off, SEEK_SET); /* goes on here afterwards */
				return;
			}
		}
	fd_close(&w->dirs[--w->depth]);
}

uint64_t watch_disk(const char *path, uint64_t limit)
{
	struct disk_walk w = {.limit = limit};

	enter(&w, AT_FDCWD, path);
	while (w.depth && used(&w) <= limit)
		list_names(&w);
	while (w.depth)
		fd_close(&w.dirs[--w.depth]);
	return used(&w);
}

uint64_t watch_free(const char *path)
{
	struct statfs fs;

	if (statfs(path, &fs) != 0)
		return UINT64_MAX;
	return (uint64_t)fs.f_bfree * (uint64_t)fs.f_bsize + (uint64_t)fs.f_ffree * WATCH_DISK_ENTRY;
}
