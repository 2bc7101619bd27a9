/* Reads security-relevant files: see secure.h. */
#define _GNU_SOURCE
#include "sys/secure.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "sys/file.h"
#include "sys/path.h"

#define OTHERS (S_IWGRP | S_IWOTH)

static int check_owner(uint32_t owner, const char *path, uint32_t uid, struct err *e)
{
	if (owner == uid || owner == 0)
		return 0;
	return err_config(e,
			"'%s' belongs to user %lu, so it is not used; if its content is yours: chown %lu "
			"'%s'", path,
		(unsigned long)owner, (unsigned long)uid, path);
}

static int check_mode(uint32_t mode, const char *path, struct err *e)
{
	if (!(mode & OTHERS) || (S_ISDIR(mode) && (mode & S_ISVTX)))
		return 0;
	return err_config(e, "others may write '%s', so it is not used; chmod go-w '%s'", path, path);
}

static int check_opened(int fd, const char *path, uint32_t uid, struct stat *ret, struct err *e)
{
	if (fstat(fd, ret) < 0)
		return err_system(e, "cannot stat '%s'", path);
	if (check_owner(ret->st_uid, path, uid, e) < 0)
		return -1;
	return check_mode(ret->st_mode, path, e);
}

/* Opens a directory and checks it. Returns the descriptor, or -1 and *e. */
static int open_dir(const char *path, uint32_t uid, struct err *e)
{
	struct stat st;
	int fd = open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return err_system(e, "cannot open '%s'", path);
	if (check_opened(fd, path, uid, &st, e) < 0)
		fd_close(&fd);
	return fd;
}

int secure_dir(struct path_memo *m, struct str dir, uint32_t uid, struct err *e)
{
	const char *path = str_c(m->a, dir);
	const struct path_dir *known = path_dir(m, dir);
	if (known)
		return check_owner(known->owner, path, uid, e) < 0 ? -1 : check_mode(known->mode, path, e);
	FD_CLEANUP int fd = open_dir(path, uid, e); /* for its error message */
	return fd < 0 ? -1 : 0;
}

static int resolve_path(struct path_memo *m, struct str path, struct path_answer *ret, struct err *e)
{
	path_look(m, path, ret);
	if (ret->kind == PATH_ABSENT)
		return SECURE_ABSENT;
	if (ret->target == PATH_ABSENT)
		return err_config(e, "'%.*s' is a link to '%.*s', which does not exist",
				STR_ARG(path), STR_ARG(ret->real));
	if (ret->target == PATH_UNREADABLE)
		return err_set(e, ERR_SYSTEM, EACCES, "cannot open '%.*s'", STR_ARG(path));
	if (ret->target != PATH_FILE || !ret->real.n)
		return err_config(e, "'%.*s' is not a regular file", STR_ARG(path));
	return 0;
}

/*
 * Opens the last component of a resolved path below its checked directory. Allocates nothing, because
 * descriptors are open.
 */
static int open_below(int dir, const char *name, const char *path, struct stat *ret, struct err *e)
{
	int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return err_system(e, "cannot open '%s'", path);
	if (fstat(fd, ret) < 0 || !S_ISREG(ret->st_mode)) {
		close(fd);
		return err_config(e, "'%s' is not a regular file", path);
	}
	return fd;
}

int secure_read_known(struct path_memo *m, struct str path, size_t max, uint32_t uid, struct str *ret,
		struct err *e)
{
	struct arena *a = m->a;
	struct path_answer at;
	struct stat st;
	int rc = resolve_path(m, path, &at, e);
	if (rc != 0)
		return rc;
	const char *real = str_c(a, at.real), *name = strrchr(real, '/') + 1;
	const char *real_dir = str_c(a, path_parent(at.real)), *link_dir = str_c(a, path_parent(at.place));
	if (at.kind == PATH_LINK) {
		FD_CLEANUP int holds_link = open_dir(link_dir, uid, e);
		if (holds_link < 0)
			return -1;
	}
	FD_SCOPE f = {0};
	{
		FD_CLEANUP int dir = open_dir(real_dir, uid, e);
		if (dir < 0)
			return -1;
		fd_scope(&f, a, open_below(dir, name, real, &st, e));
	}
	if (f.fd < 0 || check_owner(st.st_uid, real, uid, e) < 0 || check_mode(st.st_mode, real, e) < 0)
		return -1;
	return fd_read_file(a, f.fd, real, &st, max, ret, e);
}

int secure_read(struct arena *a, struct str path, size_t max, uint32_t uid, struct str *ret, struct err *e)
{
	struct path_memo m;
	path_memo_init(&m, a, STR(""));
	int rc = secure_read_known(&m, path, max, uid, ret, e);
	return rc == SECURE_ABSENT ? err_set(e, ERR_SYSTEM, ENOENT, "cannot open '%.*s'", STR_ARG(path)) : rc;
}

int secure_read_project(struct path_memo *m, struct str root, struct str path, size_t max, struct str *ret,
		struct err *e)
{
	struct arena *a = m->a;
	struct path_answer at;
	struct stat st;
	int rc = resolve_path(m, path, &at, e);
	if (rc != 0)
		return rc;
	if (!path_inside(at.real, root))
		return err_config(e, "'%.*s' leads out of the project to '%.*s'", STR_ARG(path),
				STR_ARG(at.real));
	const char *real = str_c(a, at.real);
	FD_SCOPE f = {0};
	fd_scope(&f, a, open_below(AT_FDCWD, real, real, &st, e));
	if (f.fd < 0)
		return -1;
	return fd_read_file(a, f.fd, real, &st, max, ret, e);
}
