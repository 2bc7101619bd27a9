/*
 * The caller's files in a box of root. In the box root is nobody, so each path is mounted with mapped owners:
 * whatever belongs to the owner of the path belongs to the user of the box, and nothing changes on disk.
 * Parts of a root keep their owners, but the way to an image leads through directories of root alone.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "box/ns.h"
#include "sys/directory.h"
#include "sys/file.h"
#include "sys/mounts.h"
#include "sys/namespace.h"

/* Most paths have the same owner as the one before, so the last namespace is kept. */
static int idmap_for(struct ns_box *n, const struct stat *st, struct err *e)
{
	uid_t outside = n->user.outside_uid;

	if (n->idmap >= 0 && n->idmap_uid == st->st_uid && n->idmap_gid == st->st_gid)
		return 0;
	fd_close(&n->idmap);
	n->idmap = namespace_for_idmap(st->st_uid, outside, st->st_gid, outside, e);
	n->idmap_uid = st->st_uid;
	n->idmap_gid = st->st_gid;
	return n->idmap < 0 ? -1 : 0;
}

static int map_owners(struct ns_box *n, const struct op *op, const struct stat *st, struct err *e)
{
	if (idmap_for(n, st, e) != 0)
		return -1;
	return mount_idmap(op->tree, n->idmap) == 0 ? 0 : err_system(e, "cannot lend '%s' to the box: its "
			"file system does not support idmapped mounts; run caisson as the user who owns it",
			op->source);
}

static int open_tree_for(struct ns_box *n, struct op *op, int top, struct err *e)
{
	FD_CLEANUP int source = open_beneath(top, op->source, O_PATH | O_NOFOLLOW);
	struct stat st;

	if (source < 0 || fstat(source, &st) != 0)
		return op_unusable(op, e);
	if (!op_is_source(op, &st)) {
		errno = ESTALE;
		return op_unusable(op, e);
	}
	op->tree = mount_copy(source, "");
	if (op->tree < 0)
		return err_system(e, "cannot use '%s' in the box", op->source);
	return op->flags & OP_IMAGE ? 0 : map_owners(n, op, &st, e);
}

/* A part of the home is mapped with it when it and every directory on the way belong to the home's owner. */
static bool mapped_with_home(const struct op *home, const struct op *part)
{
	struct stat owner, st;
	char path[PATH_MAX];

	if (!home || strlen(part->source) >= sizeof(path) || lstat(home->source, &owner) != 0)
		return false;
	for (const char *end = part->source + strlen(home->source); *end;) {
		end = strchrnul(end + 1, '/');
		str_put(path, sizeof(path), "%.*s", (int)(end - part->source), part->source);
		if (lstat(path, &st) != 0 || st.st_uid != owner.st_uid || st.st_gid != owner.st_gid)
			return false;
	}
	return true;
}

/* A box does without a cache on a file system that cannot be lent. */
static void leave_out(struct op *op)
{
	fd_close(&op->tree);
	op->kind = OP_HOLD; /* of nothing */
	op->flags = 0;
}

int ns_trees_open(struct box_state *b, struct err *e)
{
	FD_CLEANUP int top = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	const struct op *home = NULL;

	for (struct op *op = b->ops.first; op; op = op->next) {
		if (op->kind == OP_HOME)
			home = op;
		if (!(op->flags & (OP_CALLERS | OP_IMAGE)) || (op->flags & OP_CACHE && op->flags & OP_PART) ||
				(op->flags & OP_PART && mapped_with_home(home, op)))
			continue;
		op->flags &= ~(unsigned)OP_PART;
		if (open_tree_for(b->own, op, top, e) == 0)
			continue;
		if (!(op->flags & OP_CACHE))
			return -1;
		leave_out(op);
	}
	return 0;
}

void ns_trees_close(struct box_state *b)
{
	struct ns_box *n = b->own;

	for (struct op *op = b->ops.first; op; op = op->next)
		if (op->tree >= 0)
			fd_close(&op->tree);
	fd_close(&n->idmap);
}
