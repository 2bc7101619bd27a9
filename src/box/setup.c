/*
 * The root of the box, put together inside its namespaces from the plan. Nothing is allocated, nothing is decided; every failure says which
 * operation it was.
 *
 * A tmpfs is mounted on top of the old /proc, which is not needed any more (a mount needs a place, and no source lies there). One of its
 * directories is the new root, mounted once more on itself and read-only; directories of the scratch are parts of that which are mounted
 * again, writable, and so share its size.
 *
 * Taking the old root away takes the kernel as long as all the rest. So the program first only changes its own root (it has no capability to
 * leave it again, no descriptor outside, and a filter before both), and setup_seal() does the rest while it runs. The old root passes through
 * another directory of the tmpfs, beside the new root and not below it: no path of the program leads there, and its list of mounts, which
 * begins at its own root, does not show what is mounted there for that moment.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "box/ns.h"
#include "sys/mounts.h"

#define BASE "/proc"       /* where the tmpfs is mounted in the old root */
#define NEW "root"         /* in it: the new root, and a place for the old one */
#define OLD "old"
#define INODE_BYTES 4096 /* of scratch for each inode in it */
#define ROOT_BYTES 262144 /* what the root itself needs besides the scratch */
#define ROOT_INODES 512

struct root {
	int fd;
	const char *parent; /* the directory made last, of this many bytes: neighbours need not make it again */
	size_t nparent;
	int at;             /* that directory; -1: none yet */
};

static int fail(const struct op *op, const char *what, struct err *e)
{
	return err_set(e, ERR_SYSTEM, errno, "cannot %s '%s' in the box", what, op->target);
}

/* ---- directories and files of the root itself ---- */

/*
 * All directories above the target, and a descriptor of the last that is the root's to close. What exists is used: it may be part of something
 * mounted. A link among them is refused: the root is not turned yet, and the links of an image would lead to the host.
 */
static int make_parents(struct root *r, const char *target)
{
	size_t n = (size_t)(strrchr(target, '/') - target);
	char path[PATH_MAX];
	int dir = r->fd;

	if (n == 0)
		return r->fd;
	if (r->at >= 0 && n == r->nparent && !memcmp(target, r->parent, n))
		return r->at;
	if (n >= sizeof(path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	fd_close(&r->at);
	memcpy(path, target, n);
	path[n] = 0;
	for (char *name = path + 1; name && dir >= 0;) {
		char *slash = strchr(name, '/');

		if (slash)
			*slash = 0;
		if (mkdirat(dir, name, 0755) != 0 && errno != EEXIST && errno != EROFS) {
			fd_close(&r->at);
			return -1;
		}
		dir = openat(dir, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		fd_close(&r->at);
		r->at = dir;
		name = slash ? slash + 1 : NULL;
	}
	r->parent = target;
	r->nparent = n;
	return r->at;
}

static const char *last_name(const char *target) { return strrchr(target, '/') + 1; }

/* 1: it is new, and so surely no link; 0: there is something already; -1 */
static int make_name(int dir, const char *target, mode_t mode)
{
	if ((S_ISDIR(mode) ? mkdirat(dir, last_name(target), mode & 07777) : mknodat(dir, last_name(target), mode, 0)) == 0)
		return 1;
	return errno == EEXIST || errno == EROFS ? 0 : -1;
}

static int make_dir(int dir, const char *target) { return make_name(dir, target, S_IFDIR | 0755) < 0 ? -1 : 0; }

static int make_file(int dir, const char *target, const char *text, size_t n)
{
	FD_CLEANUP int fd = openat(dir, last_name(target), O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644);

	if (fd < 0)
		return errno == EEXIST || errno == EROFS ? 0 : -1;
	return write(fd, text, n) == (ssize_t)n ? 0 : -1;
}

/* Makes the name that something is mounted on, of the same kind as the thing. */
static int place(struct root *r, const struct op *op, int tree)
{
	bool dir = op->flags & OP_IS_DIR;
	struct stat st;
	int parent, made;

	if (!(op->flags & (OP_IS_DIR | OP_IS_FILE))) {
		if (fstatat(tree, "", &st, AT_EMPTY_PATH) != 0)
			return -1;
		dir = S_ISDIR(st.st_mode);
	}
	parent = make_parents(r, op->target);
	made = parent < 0 ? -1 : make_name(parent, op->target, dir ? S_IFDIR | 0755 : S_IFREG | 0644);
	if (made)
		return made > 0 ? mount_place_at(tree, parent, last_name(op->target)) : -1;
	FD_CLEANUP int at = open_beneath(r->fd, op->target, O_PATH | O_NOFOLLOW);
	return at < 0 ? -1 : mount_place(tree, at);
}

/* ---- operations ---- */

static unsigned mount_flags(const struct op *op)
{
	return (op->flags & OP_WRITABLE ? 0 : MOUNT_READONLY) | (op->flags & OP_DEVICES ? MOUNT_NOEXEC : MOUNT_NODEV);
}

static int bind_source(const struct op *op)
{
	if (op->tree >= 0)
		return op->tree;
	if (!(op->flags & (OP_CALLERS | OP_IMAGE)))
		return mount_copy(AT_FDCWD, op->source);
	FD_CLEANUP int top = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	FD_CLEANUP int source = top < 0 ? -1 : open_beneath(top, op->source, O_PATH | O_NOFOLLOW);
	return source < 0 ? -1 : mount_copy(source, "");
}

static int do_bind(struct root *r, const struct op *op, struct err *e)
{
	FD_CLEANUP int tree = bind_source(op);

	if (tree < 0 && errno == ENOENT && op->flags & OP_OPTIONAL)
		return 0;
	if (tree < 0)
		return err_set(e, ERR_SYSTEM, errno, "cannot use '%s' in the box", op->source);
	if (mount_attributes(tree, mount_flags(op) | MOUNT_BELOW) != 0 || place(r, op, tree) != 0)
		return fail(op, "mount", e);
	return 0;
}

/* The root's own directory once more on itself, writable. */
static int do_scratch(struct root *r, const struct op *op, struct err *e)
{
	mode_t mode = op->flags & OP_STICKY ? 01777 : 0700, mask = umask(0);
	int parent = make_parents(r, op->target), made = parent < 0 ? -1 : make_name(parent, op->target, S_IFDIR | mode);

	umask(mask);
	if (made < 0)
		return fail(op, "make", e);
	FD_CLEANUP int at = made ? -1 : open_beneath(r->fd, op->target, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
	FD_CLEANUP int tree = made ? mount_copy(parent, last_name(op->target)) : at < 0 || fchmod(at, mode) != 0 ? -1 : mount_copy(at, "");
	if (tree < 0 || mount_attributes(tree, MOUNT_NODEV) != 0 || (made ? mount_place_at(tree, parent, last_name(op->target)) : mount_place(tree, at)) != 0)
		return fail(op, "mount", e);
	return 0;
}

static int do_inside(struct root *r, const struct op *op, struct err *e)
{
	FD_CLEANUP int source = open_beneath(r->fd, op->source, O_PATH | O_NOFOLLOW);
	FD_CLEANUP int tree = source < 0 ? -1 : mount_copy(source, "");

	if (tree < 0 || mount_attributes(tree, mount_flags(op) | MOUNT_BELOW) != 0)
		return fail(op, "protect", e);
	FD_CLEANUP int at = open_beneath(r->fd, op->target, O_PATH | O_NOFOLLOW);
	return at >= 0 && mount_place(tree, at) == 0 ? 0 : fail(op, "protect", e);
}

static int do_empty(struct root *r, const struct op *op, struct err *e)
{
	static const char *const options[][2] = {{"size", "4k"}, {"nr_inodes", "2"}, {"mode", "0555"}, {NULL, NULL}};
	FD_CLEANUP int tree = mount_new("tmpfs", options, MOUNT_READONLY | MOUNT_NODEV | MOUNT_NOEXEC);

	return tree >= 0 && place(r, op, tree) == 0 ? 0 : fail(op, "cover", e);
}

static int do_own(struct root *r, const struct op *op, struct err *e)
{
	int parent = make_parents(r, op->target), rc = -1;

	if (parent >= 0)
		rc = op->kind == OP_DIR ? make_dir(parent, op->target) : op->kind == OP_FILE ? make_file(parent, op->target, op->text, op->ntext) : symlinkat(op->source, parent, last_name(op->target));
	return rc == 0 ? 0 : fail(op, "make", e);
}

/* Read-only, so that nothing of the kernel can be set through it whoever the user is on the host. */
static int do_proc(struct root *r, const struct op *op, struct err *e)
{
	FD_CLEANUP int tree = mount_new("proc", NULL, MOUNT_READONLY | MOUNT_NODEV | MOUNT_NOEXEC);

	if (tree < 0 && errno == EPERM)
		return err_set(e, ERR_SYSTEM, errno, "cannot mount /proc in the box (a container that hides parts of /proc does not let us)");
	return tree >= 0 && place(r, op, tree) == 0 ? 0 : fail(op, "mount", e);
}

static int do_pts(struct root *r, const struct op *op, struct err *e)
{
	static const char *const options[][2] = {{"ptmxmode", "0666"}, {"mode", "0620"}, {NULL, NULL}};
	FD_CLEANUP int tree = mount_new("devpts", options, MOUNT_NOEXEC);

	return tree >= 0 && place(r, op, tree) == 0 ? 0 : fail(op, "mount", e);
}

static int (*const operations[])(struct root *r, const struct op *op, struct err *e) = {
	[OP_DIR] = do_own, [OP_FILE] = do_own, [OP_LINK] = do_own, [OP_BIND] = do_bind, [OP_SCRATCH] = do_scratch,
	[OP_INSIDE] = do_inside, [OP_EMPTY] = do_empty, [OP_PROC] = do_proc, [OP_PTS] = do_pts,
};

/* ---- the whole ---- */

/* A tmpfs on the old /proc. */
static int base(uint64_t scratch)
{
	char size[32], inodes[32];
	const char *const options[][2] = {{"size", size}, {"nr_inodes", inodes}, {"mode", "0755"}, {NULL, NULL}};
	FD_CLEANUP int at = open(BASE, O_PATH | O_DIRECTORY | O_CLOEXEC);
	int fd;

	snprintf(size, sizeof(size), "%llu", (unsigned long long)(scratch + ROOT_BYTES));
	snprintf(inodes, sizeof(inodes), "%llu", (unsigned long long)(scratch / INODE_BYTES + ROOT_INODES));
	fd = at < 0 ? -1 : mount_new("tmpfs", options, MOUNT_NODEV);
	if (fd >= 0 && mount_place(fd, at) != 0)
		fd_close(&fd);
	return fd;
}

/* The new root in it, still writable, and the place for the old one. */
static int divide(int top, int *ret_hidden)
{
	int root;

	if (mkdirat(top, NEW, 0755) != 0 || mkdirat(top, NEW "/run", 0755) != 0 || mkdirat(top, OLD, 0700) != 0)
		return -1;
	FD_CLEANUP int at = open_beneath(top, NEW, O_PATH | O_NOFOLLOW);
	FD_CLEANUP int hidden = open_beneath(top, OLD, O_PATH | O_NOFOLLOW);
	root = at < 0 || hidden < 0 ? -1 : mount_copy(top, NEW);
	if (root < 0 || mount_place(root, at) != 0) {
		fd_close(&root);
		return -1;
	}
	*ret_hidden = hidden;
	hidden = -1;
	return root;
}

int setup_root(const struct op *ops, uint64_t scratch, int *ret_root, int *ret_hidden, struct err *e)
{
	FD_CLEANUP int top = base(scratch);
	struct root r = {.fd = top < 0 ? -1 : divide(top, ret_hidden), .at = -1};

	if (r.fd < 0)
		return err_set(e, ERR_SYSTEM, errno, "cannot mount a tmpfs for the box");
	for (const struct op *op = ops; op; op = op->next)
		if (operations[op->kind](&r, op, e) != 0)
			return -1;
	fd_close(&r.at);
	if (mount_attributes(top, MOUNT_READONLY | MOUNT_NODEV) != 0 || mount_attributes(r.fd, MOUNT_READONLY | MOUNT_NODEV) != 0)
		return err_set(e, ERR_SYSTEM, errno, "cannot finish the root of the box");
	*ret_root = r.fd;
	return 0;
}

int setup_enter(struct err *e)
{
	return chdir(BASE "/" NEW) == 0 && chroot(".") == 0 ? 0 : err_set(e, ERR_SYSTEM, errno, "cannot change to the root of the box");
}

int setup_seal(int hidden, struct err *e)
{
	return mount_pivot(BASE, hidden) == 0 ? 0 : err_set(e, ERR_SYSTEM, errno, "cannot take the old root away");
}
