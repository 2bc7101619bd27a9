/*
 * Files that the program wrote in the box's scratch, which ends with the box: without a word they would seem
 * to exist. Init looks after the last process has ended, and allocates nothing.
 *
 * Only files and directories count that lie directly in the home, in /var/tmp, or beside a directory that the
 * program may write; hidden ones are settings and caches. Another file system under a name is a mount of the
 * caller's, and the plan tells which other names are the box's own.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "box/ns.h"
#include "sys/file.h"

#define DROPPED_NAMED 3
#define LISTING 4096 /* bytes of the entries that are looked at, in each directory */

struct dropped_search {
	const struct op *ops;
	char *text;
	size_t size, n, named;
	dev_t scratch;
	const char *home;
};

/* Control characters and quotes would change the meaning of the hint. */
static bool is_odd_name(const char *name)
{
	for (; *name; name++)
		if ((unsigned char)*name < ' ' || strchr("'\"`$\\\x7F", *name))
			return true;
	return false;
}

static bool is_listed(const struct dropped_search *s, const char *line)
{
	size_t n = strlen(line);

	for (const char *p = s->text; (p = strstr(p, line)); p++)
		if ((p == s->text || p[-1] == '\n') && (!p[n] || p[n] == '\n'))
			return true;
	return false;
}

/* The box itself made this, or something below it. */
static bool is_planned(const struct op *op, const char *path)
{
	size_t n = strlen(path);

	for (; op; op = op->next)
		if (op->target && !strncmp(op->target, path, n) && (!op->target[n] || op->target[n] == '/'))
			return true;
	return false;
}

static void add_name(struct dropped_search *s, const char *dir, const char *name)
{
	char line[ERR_TEXT_MAX];
	size_t n = str_put(line, sizeof(line), "%s/%s", dir, name);

	if (n >= sizeof(line) || s->n + n + 2 > s->size || is_odd_name(line) || is_listed(s, line) ||
			is_planned(s->ops, line))
		return;
	s->n += str_put(s->text + s->n, s->size - s->n, "%s%s", s->n ? "\n" : "", line);
	s->named++;
}

static void look_into(struct dropped_search *s, const char *dir)
{
	char buf[LISTING] __attribute__((aligned(__alignof__(struct dirent64))));
	FD_CLEANUP int fd = open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : getdents64(fd, buf, sizeof(buf));
	struct stat st;

	for (ssize_t at = 0; at < got && s->named < DROPPED_NAMED;) {
		const struct dirent64 *d = (const struct dirent64 *)(buf + at);

		at += d->d_reclen;
		if (d->d_name[0] != '.' && (d->d_type == DT_REG || d->d_type == DT_DIR) &&
				fstatat(fd, d->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
				st.st_dev == s->scratch)
			add_name(s, dir, d->d_name);
	}
}

/* The directory around a writable path of the caller's, if both are in the home and none is hidden. */
static void look_beside(struct dropped_search *s, const char *target)
{
	char dir[PATH_MAX];
	size_t n = strlen(s->home), len = strlen(target);
	char *slash;

	if (len >= sizeof(dir) || strncmp(target, s->home, n) != 0 || target[n] != '/' ||
			strstr(target + n, "/."))
		return;
	memcpy(dir, target, len + 1);
	slash = strrchr(dir, '/');
	*slash = 0;
	if (strlen(dir) > n)
		look_into(s, dir);
}

size_t ns_dropped(const struct op *ops, char *text, size_t size)
{
	struct dropped_search s = {.ops = ops, .text = text, .size = size};
	struct stat st;

	text[0] = 0;
	for (const struct op *op = ops; op; op = op->next) {
		if (op->kind != OP_SCRATCH || !strcmp(op->target, "/tmp") || !strcmp(op->target, "/dev/shm"))
			continue;
		if (lstat(op->target, &st) != 0)
			continue;
		s.scratch = st.st_dev;
		if (strcmp(op->target, "/var/tmp") != 0)
			s.home = op->target;
		look_into(&s, op->target);
	}
	for (const struct op *op = s.home ? ops : NULL; op && s.named < DROPPED_NAMED; op = op->next)
		if (op->kind == OP_BIND && op->flags & OP_WRITABLE && op->flags & OP_CALLERS)
			look_beside(&s, op->target);
	return s.n;
}
