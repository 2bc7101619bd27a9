/* See tmp_tree.h. */
#define _GNU_SOURCE
#include "sys/tmp_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "sys/file.h"

struct tmp_walk {
	struct arena *a;
	uint32_t uid;
	struct texts **list;
	size_t *n;
};

/* As run/spec_tmp.c shows them. */
static bool is_own(const struct stat *st, uint32_t uid)
{
	return st->st_uid == uid && ((S_ISREG(st->st_mode) && st->st_nlink == 1) ||
			(S_ISDIR(st->st_mode) && !(st->st_mode & 022)));
}

static bool walk(struct tmp_walk *w, int dir, const char *name, struct str path, unsigned depth)
{
	const struct dirent *entry;
	struct stat st;
	bool all = true;
	DIR *d;
	int fd;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !is_own(&st, w->uid) ||
			++*w->n > TMP_TREE_MAX)
		return false;
	texts_push(w->a, w->list, path);
	if (S_ISREG(st.st_mode))
		return true;
	fd = depth < TMP_TREE_DEPTH ? openat(dir, name,
			O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) : -1;
	d = fd < 0 ? NULL : fdopendir(fd);
	if (!d) {
		fd_close(&fd);
		return false;
	}
	while (all && (entry = readdir(d)))
		if (!path_is_dots(entry->d_name))
			all = walk(w, dirfd(d), entry->d_name, str_path(w->a, path,
					str_dup(w->a, str_of(entry->d_name))), depth + 1);
	closedir(d);
	return all;
}

bool tmp_tree(struct arena *a, struct str path, uint32_t uid, struct texts **list, size_t *n)
{
	struct tmp_walk w = {.a = a, .uid = uid, .list = list, .n = n};

	return walk(&w, AT_FDCWD, str_c(a, path), path, 0);
}
