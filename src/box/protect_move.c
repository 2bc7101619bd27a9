/*
 * Quarantine: what should not be in the workspace is renamed into a directory of the caller's, under a name
 * that means nothing to anybody, or, where that directory lies on another file system, renamed in place.
 * Nothing is copied or deleted.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/random.h>
#include <unistd.h>

#include "box/protect_inner.h"
#include "sys/file.h"

#define NAME_KEPT 80 /* bytes of the old name in the new one */
#define TRIES 16
#define OWNER_WRITE 0300

/* The last two components may be missing. */
static int quarantine_open(struct protect *p)
{
	char *path = str_c(p->a, p->quarantine), *slash = strrchr(path, '/');

	if (p->qfd >= 0 || !slash || slash == path)
		return p->qfd;
	*slash = 0;
	if (mkdir(path, 0700) < 0 && errno != EEXIST)
		return -1;
	*slash = '/';
	if (mkdir(path, 0700) < 0 && errno != EEXIST)
		return -1;
	p->qfd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return p->qfd;
}

/* Bytes that a terminal or a program could take for something are left out of the new name. */
static struct str plain(struct arena *a, const char *name)
{
	size_t n = strnlen(name, NAME_KEPT);
	char *c = arena_alloc(a, n + 1);

	for (size_t i = 0; i < n; i++)
		c[i] = name[i] > ' ' && name[i] < 127 && name[i] != '/' ? name[i] : '_';
	return str_n(c, n);
}

static bool move_out(struct protect *p, int dir, const char *name, struct str *ret)
{
	int to = p->quarantine.n ? quarantine_open(p) : -1;

	for (int i = 0; to >= 0 && i < TRIES; i++) {
		struct str as = str_fmt(p->a, "%u-%.*s", ++p->moved, STR_ARG(plain(p->a, name)));

		if (renameat2(dir, name, to, str_c(p->a, as), RENAME_NOREPLACE) == 0) {
			*ret = str_path(p->a, p->quarantine, as);
			return true;
		}
		if (errno != EEXIST)
			return false;
	}
	return false;
}

static bool move_aside(struct protect *p, const char *path, int dir, const char *name, struct str *ret)
{
	for (int i = 0; i < TRIES; i++) {
		uint64_t r = 0;
		const char *as;

		if (getrandom(&r, sizeof r, 0) != sizeof r)
			return false;
		as = str_fmt_c(p->a, "%.*s.quarantined-%016llx", STR_ARG(plain(p->a, name)),
				(unsigned long long)r);
		/* some file systems have no such flag; nobody can have guessed the name */
		if (renameat2(dir, name, dir, as, RENAME_NOREPLACE) == 0 ||
				(errno == EINVAL && renameat(dir, name, dir, as) == 0)) {
			*ret = str_of(path_join(p->a, str_c(p->a, p->workspace),
					path_join(p->a, path_dirname(p->a, path), as)));
			return true;
		}
		if (errno != EEXIST)
			return false;
	}
	return false;
}

static bool move(struct protect *p, const char *path, struct str *ret)
{
	const char *name = path_basename(path);
	HELD dir = {p, held_open(p, path_dirname(p->a, path), O_PATH | O_DIRECTORY)};

	return dir.fd >= 0 && (move_out(p, dir.fd, name, ret) || move_aside(p, path, dir.fd, name, ret));
}

/* A directory that is moved gets a new "..", so it must be writable as well as the one it is in. */
int protect_move(struct protect *p, const char *path, const char *what)
{
	struct str to = STR("");
	bool moved = move(p, path, &to);

	if (!moved) {
		bool lifted = mode_lift(p, path_dirname(p->a, path), OWNER_WRITE);

		lifted |= mode_lift(p, path, OWNER_WRITE);
		moved = lifted && move(p, path, &to);
	}
	if (moved) {
		protect_report(p, path, what, to);
		return 0;
	}
	p->incomplete = true;
	protect_report(p, path, str_fmt_c(p->a, "%s, could not be moved away", what), STR(""));
	return -1;
}
