/*
 * Mounts that the engine made at a place of our own, moved to their targets by the guest. stage.h has the
 * reason.
 *
 * Targets lie in directories that programs of other boxes may change meanwhile. They are looked up without
 * links, and below an OP_ANCHOR or an empty directory of the box from that mount itself. In the latter mount
 * points are made; elsewhere a target that is away at the moment is an error.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "box/guest.h"
#include "sys/mounts.h"

#define LIST_MAX ((size_t)4 << 20)
#define ANCHORS_MAX 32

struct late_anchor {
	const char *target;
	size_t n;
	int fd;
	bool own; /* an empty directory of the box */
};

struct late_mounts {
	const struct op *ops;
	int root;
	struct late_anchor anchors[ANCHORS_MAX];
	size_t nanchors;
};

/* The operation that later targets inside are looked up from. NULL: none is at this target. */
static const struct op *anchor_at(const struct op *ops, const char *target)
{
	for (const struct op *op = ops; op; op = op->next)
		if ((op->flags & OP_ANCHOR || op->kind == OP_SCRATCH) && !strcmp(op->target, target))
			return op;
	return NULL;
}

/* Makes a name of this kind, and directories above it, as far as they are missing. */
static void make_point(int dir, const char *name, bool directory)
{
	const char *slash = strchr(name, '/');
	FD_CLEANUP int below = -1;
	char part[NAME_MAX + 1];

	if (!slash) {
		(void)(directory ? mkdirat(dir, name, 0755) : mknodat(dir, name, S_IFREG | 0644, 0));
		return;
	}
	if (str_put(part, sizeof(part), "%.*s", (int)(slash - name), name) >= sizeof(part))
		return;
	(void)mkdirat(dir, part, 0755);
	below = openat(dir, part, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (below >= 0)
		make_point(below, slash + 1, directory);
}

/* The target from the innermost anchor above it. */
static int open_target(const struct late_mounts *l, const char *target, bool directory)
{
	const struct late_anchor root = {.fd = l->root}, *found = &root;

	for (const struct late_anchor *k = l->anchors; k < l->anchors + l->nanchors; k++)
		if (!strncmp(target, k->target, k->n) && target[k->n] == '/' && k->n > found->n)
			found = k;
	if (found->own)
		make_point(found->fd, target + found->n + 1, directory);
	return open_beneath(found->fd, target + found->n + 1, O_PATH | O_NOFOLLOW);
}

static int place_one(struct late_mounts *l, unsigned number, const char *target, struct err *e)
{
	const struct op *anchor = anchor_at(l->ops, target);
	char path[sizeof(STAGE_LATE) + 16];
	struct stat st;

	str_put(path, sizeof(path), STAGE_LATE "/%u", number);
	FD_CLEANUP int tree = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	FD_CLEANUP int at = tree < 0 || fstat(tree, &st) != 0 ? -1
							      : open_target(l, target, S_ISDIR(st.st_mode));
	if (at < 0 || mount_place(tree, at) != 0)
		return err_set(e, ERR_SYSTEM, errno, "cannot mount '%s' in the box", target);
	if (!anchor)
		return 0;
	if (l->nanchors == ANCHORS_MAX)
		return err_set(e, ERR_LIMIT, 0, "too many mounts in the box");
	l->anchors[l->nanchors++] = (struct late_anchor){target, strlen(target), tree,
			anchor->kind == OP_SCRATCH};
	tree = -1;
	return 0;
}

static int read_list(char *text, size_t *ret_n, struct err *e)
{
	FD_CLEANUP int fd = open(STAGE_LATE_LIST, O_RDONLY | O_CLOEXEC);
	size_t n = 0;
	ssize_t got = fd < 0 ? -1 : 1;

	while (got > 0 && n < LIST_MAX && (got = read(fd, text + n, LIST_MAX - n)) > 0)
		n += (size_t)got;
	if (got != 0 || (n && text[n - 1]))
		return err_set(e, ERR_SYSTEM, errno, "cannot list the mounts of the box");
	*ret_n = n;
	return 0;
}

int guest_place_late(const struct op *ops, struct err *e)
{
	struct late_mounts l = {.ops = ops, .root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC)};
	char *text = malloc(LIST_MAX);
	unsigned number = 0;
	size_t n = 0;
	int rc = text && l.root >= 0 ? read_list(text, &n, e)
				     : err_set(e, ERR_SYSTEM, errno, "cannot list the mounts of the box");

	for (const char *at = text; rc == 0 && at < text + n; at += strlen(at) + 1)
		rc = place_one(&l, number++, at, e);
	while (l.nanchors)
		fd_close(&l.anchors[--l.nanchors].fd);
	fd_close(&l.root);
	free(text);
	return rc;
}
