/*
 * The root of the box, built from the plan inside the box's namespaces. Nothing is allocated or decided here;
 * every failure names its operation.
 *
 * Layers. A tmpfs is mounted over the old /proc, which nothing needs any more. One of its directories is the
 * new root, bind-mounted on itself. When the first operation comes that is not a mount of the system, one
 * call makes the new root and everything in it read-only. From then on new names in the root are made through
 * the directory below it, the working directory, which belongs to the tmpfs and is still writable.
 * Directories of the scratch are bound from there, and so share its size.
 *
 * Paths. Nearly everything in the root is ours: names in directories that we made, without foreign links.
 * There paths are used as they are, which takes the kernel half as long as descriptors. Paths in something
 * mounted may hold foreign links, and are opened step by step. Programs of other boxes can exchange
 * directories in what boxes share (/tmp, caches) at any time. So whatever belongs to one mount, such as the
 * protected names of a workspace, is looked up from that mount (OP_ANCHOR).
 *
 * The old root. Unmounting it takes the kernel as long as all the rest, so it happens in two steps:
 *   - setup_enter() changes the root of init and the program. The program has no capability to leave it, no
 *     descriptor outside, and a filter against both. The old root lies on top of the tmpfs, above the new
 *     root: no path of the program leads there. The program can read init's list of mounts, which begins at
 *     init's root, so init goes into the new root as well.
 *   - setup_seal() unmounts the old root while the program already runs.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "box/ns.h"
#include "sys/directory.h"
#include "sys/mounts.h"

#define BASE "/proc"       /* where the tmpfs is mounted in the old root */
#define ROOT "/root"       /* in it: the new root */
#define NEW BASE ROOT
/*
 * Mount points in the old root, with which they disappear: of the caller's home and other lower layers of
 * overlays, and of the upper layer of caches. No source lies there.
 */
#define HOME "/sys/fs"
#define LAYER "/sys/kernel"
#define INODE_BYTES 4096 /* bytes of scratch per inode */
#define ROOT_BYTES 262144 /* bytes for the root itself, besides the scratch */
#define ROOT_INODES 512
/* Pseudo-terminals of a box. The kernel has a few thousand for all users and boxes. */
#define PTS_MAX "256"
#define MASK_MAX 32 /* longest source of a mask */
#define OWN_MAX 16 /* remembered directories of the root; others are looked up again */
#define ANCHORS_MAX 32

struct box_root {
	int fd;
	bool closed;        /* the root and everything bound before are read-only */
	struct own {        /* directories that this code made, without a mount on them */
		const char *path;
		size_t n;
	} own[OWN_MAX];
	size_t nown;
	const struct ns_task *task;
	int home;           /* the caller's home, source of OP_PART; -1: none */
	size_t nhome;       /* bytes of its path */
	int layer;          /* OP_LAYER; -1: none */
	bool layered;       /* the home is an overlay with the layer on top */
	int no_overlay;     /* errno: why it is not, although there is a layer */
	unsigned noverlays; /* with the layer */
	/* cwd lies in an overlay and is the expected directory */
	bool start_checked;
	int at;             /* the last parent of a target outside of our own directories; -1: none yet */
	struct own above;   /* its path */
	struct anchor {     /* OP_ANCHOR: mounts by whose descriptors the targets inside are looked up */
		struct own at;
		int fd;
	} anchors[ANCHORS_MAX];
	size_t nanchors;
	char *path;         /* buffer of PATH_ROOM bytes for one path */
};

#define PATH_ROOM (sizeof(NEW) + PATH_MAX)

static int op_failed(const struct op *op, const char *what, struct err *e)
{
	return err_system(e, "cannot %s '%s' in the box", what, op->target);
}

/* ---- directories and files of the root itself ---- */

/* The path of a target in the old root. */
static const char *path_of(struct box_root *r, const char *target)
{
	str_put(r->path, PATH_ROOM, NEW "%s", target);
	return r->path;
}

/* The path of a target below the new root's mount: relative to the working directory. */
static const char *name_of(const char *target) { return target + 1; }

static void own_add(struct box_root *r, const char *path, size_t n)
{
	r->own[r->nown++ % OWN_MAX] = (struct own){path, n};
}

static bool own_has(const struct box_root *r, const char *path, size_t n)
{
	for (size_t i = r->nown < OWN_MAX ? r->nown : OWN_MAX; i-- > 0;)
		if (r->own[i].n == n && !memcmp(r->own[i].path, path, n))
			return true;
	return n == 0;
}

/* Forgets remembered directories: a new mount on an existing name may hide them. */
static void own_forget(struct box_root *r)
{
	r->nown = 0;
	fd_close(&r->at);
}

/* The innermost anchor that is the path of n bytes or above it, or NULL. */
static struct anchor *find_anchor(struct box_root *r, const char *path, size_t n)
{
	struct anchor *found = NULL;

	for (struct anchor *k = r->anchors; k < r->anchors + r->nanchors; k++)
		if (k->at.n <= n && !memcmp(path, k->at.path, k->at.n) &&
				(k->at.n == n || path[k->at.n] == '/') && (!found || k->at.n > found->at.n))
			found = k;
	return found;
}

static int open_target(struct box_root *r, const char *target, int flags)
{
	const struct anchor *k = find_anchor(r, target, strlen(target));

	return k ? open_beneath(k->fd, target + k->at.n, flags) : open_beneath(r->fd, target, flags);
}

/*
 * The tree is mounted at the target of the operation now: later targets are looked up from there if the
 * operation says so, or if they were looked up from what is below it.
 */
static int keep_anchor(struct box_root *r, const struct op *op, int tree)
{
	size_t n = strlen(op->target);
	struct anchor *k = find_anchor(r, op->target, n);
	bool same = k && k->at.n == n;
	int fd;

	if (!same && !(op->flags & OP_ANCHOR))
		return 0;
	if (!same && r->nanchors == ANCHORS_MAX) {
		errno = E2BIG;
		return -1;
	}
	fd = fcntl(tree, F_DUPFD_CLOEXEC, 3);
	if (fd < 0)
		return -1;
	if (same)
		fd_close(&k->fd);
	else
		k = &r->anchors[r->nanchors++];
	*k = (struct anchor){{op->target, n}, fd};
	return 0;
}

static void close_anchors(struct box_root *r)
{
	while (r->nanchors)
		fd_close(&r->anchors[--r->nanchors].fd);
}

/* Sets r->path to the next directory of the first n bytes of the target, from the top; *at starts at 0. */
static bool next_directory(struct box_root *r, const char *target, size_t n, size_t *at)
{
	if (*at >= n)
		return false;
	for (++*at; *at < n && target[*at] != '/';)
		++*at;
	memcpy(r->path, target, *at);
	r->path[*at] = 0;
	return true;
}

static int check_length(size_t n)
{
	if (n < PATH_MAX)
		return 0;
	errno = ENAMETOOLONG;
	return -1;
}

/*
 * Makes or finds all directories above the target. 1: all of them are ours; 0: something else is there,
 * perhaps a mount; -1: error.
 */
static int own_parents(struct box_root *r, const char *target)
{
	size_t n = (size_t)(strrchr(target, '/') - target);

	if (own_has(r, target, n))
		return 1;
	if (find_anchor(r, target, n))
		return 0;
	if (check_length(n) != 0)
		return -1;
	for (size_t i = 0; next_directory(r, target, n, &i);) {
		if (own_has(r, target, i))
			continue;
		if (mkdir(name_of(r->path), 0755) != 0) {
			FD_CLEANUP int dir = errno == EEXIST
					? open_within(r->fd, r->path, O_PATH | O_DIRECTORY | O_NOFOLLOW)
					: -1;
			if (dir < 0)
				return errno == EXDEV ? 0 : -1;
		}
		own_add(r, target, i);
	}
	return 1;
}

/*
 * Opens or creates the directories above a target that are not ours; returns a descriptor of the last one,
 * which the root closes. Existing ones are used. A link among them is refused: the root is not changed yet,
 * and a link of an image would lead to the host.
 */
static int make_parents(struct box_root *r, const char *target)
{
	size_t n = (size_t)(strrchr(target, '/') - target);
	const struct anchor *k = find_anchor(r, target, n);
	size_t from = k ? k->at.n : 0;
	char path[PATH_MAX];
	int dir = k ? k->fd : r->fd;

	if (check_length(n) != 0)
		return -1;
	fd_close(&r->at);
	memcpy(path, target + from, n - from);
	path[n - from] = 0;
	if (n == from)
		r->at = fcntl(dir, F_DUPFD_CLOEXEC, 3);
	for (char *name = n == from ? NULL : path + 1; name && dir >= 0;) {
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
	r->above = (struct own){target, n};
	return r->at;
}

/* Many targets in a row have the same parent: its descriptor is still open. */
static bool same_parent(const struct box_root *r, const char *target)
{
	size_t n = (size_t)(strrchr(target, '/') - target);

	return r->at >= 0 && r->above.n == n && !memcmp(r->above.path, target, n);
}

struct target_spot { /* the place of a new name */
	int dir;
	const char *name;
	bool own; /* the directory is ours */
};

static int find_spot(struct box_root *r, const char *target, struct target_spot *ret)
{
	int own = same_parent(r, target) ? 0 : own_parents(r, target);

	if (own > 0)
		*ret = (struct target_spot){AT_FDCWD, name_of(target), true};
	else if (own == 0)
		*ret = (struct target_spot){same_parent(r, target) ? r->at : make_parents(r, target),
				strrchr(target, '/') + 1, false};
	return own < 0 || ret->dir == -1 ? -1 : 0;
}

/* 1: it is new, so it is no link; 0: it exists; -1: error */
static int make_name(const struct target_spot *s, mode_t mode)
{
	if ((S_ISDIR(mode) ? mkdirat(s->dir, s->name, mode & 07777) : mknodat(s->dir, s->name, mode, 0)) == 0)
		return 1;
	return errno == EEXIST || errno == EROFS ? 0 : -1;
}

static int make_file(const struct target_spot *s, const char *text, size_t n, mode_t mode)
{
	FD_CLEANUP int fd = openat(s->dir, s->name, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, mode);

	if (fd < 0)
		return errno == EEXIST || errno == EROFS ? 0 : -1;
	return write(fd, text, n) == (ssize_t)n ? 0 : -1;
}

/* Creates the mount point: a directory for a directory, a file for a file. */
static int place(struct box_root *r, const struct op *op, int tree)
{
	bool dir = op->flags & OP_IS_DIR;
	struct stat st;
	struct target_spot s;
	int made;

	if (!(op->flags & (OP_IS_DIR | OP_IS_FILE))) {
		if (fstatat(tree, "", &st, AT_EMPTY_PATH) != 0)
			return -1;
		dir = S_ISDIR(st.st_mode);
	}
	made = find_spot(r, op->target, &s) != 0 ? -1 : make_name(&s, dir ? S_IFDIR | 0755 : S_IFREG | 0644);
	if (made < 0)
		return -1;
	if (made) {
		made = s.own ? mount_place_at(tree, r->fd, name_of(op->target))
			     : mount_place_at(tree, s.dir, s.name);
		return made == 0 ? keep_anchor(r, op, tree) : -1;
	}
	FD_CLEANUP int at = s.own ? open_beneath(r->fd, op->target, O_PATH | O_NOFOLLOW)
				  : open_beneath(s.dir, s.name, O_PATH | O_NOFOLLOW);
	/* below a cache there is nothing else yet */
	if (!(op->flags & OP_CACHE))
		own_forget(r);
	return at < 0 || mount_place(tree, at) != 0 ? -1 : keep_anchor(r, op, tree);
}

/* ---- operations ---- */

static unsigned mount_flags(const struct op *op)
{
	return (op->flags & OP_WRITABLE ? 0 : MOUNT_READONLY) |
			(op->flags & OP_DEVICES ? MOUNT_NOEXEC : MOUNT_NODEV);
}

static int bind_source(const struct op *op)
{
	if (op->tree >= 0)
		return op->tree;
	if (!(op->flags & (OP_CALLERS | OP_IMAGE)))
		return mount_copy(AT_FDCWD, op->source);
	FD_CLEANUP int top = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	FD_CLEANUP int source = top < 0 ? -1 : open_beneath(top, op->source, O_PATH | O_NOFOLLOW);
	struct stat st;
	if (source < 0 || fstat(source, &st) != 0)
		return -1;
	if (!op_is_source(op, &st)) {
		errno = ESTALE;
		return -1;
	}
	return mount_copy(source, "");
}

/* Binds a part of the system on a new name in a directory of ours. 1: done; 0: not applicable; -1: error. */
static int bind_new(struct box_root *r, const struct op *op)
{
	struct target_spot s;
	int made;

	if (op->tree >= 0 || !(op->flags & (OP_IS_DIR | OP_IS_FILE)) || op->flags & (OP_CALLERS | OP_IMAGE))
		return 0;
	if (find_spot(r, op->target, &s) != 0)
		return -1;
	made = s.own ? make_name(&s, op->flags & OP_IS_DIR ? S_IFDIR | 0755 : S_IFREG | 0644) : 0;
	if (made <= 0)
		return made;
	if (mount_bind(op->source, path_of(r, op->target)) != 0)
		return -1;
	return !r->closed || mount_attributes_at(r->path, mount_flags(op) | MOUNT_BELOW) == 0 ? 1 : -1;
}

/*
 * An overlay gives directories other identities, so cwd is compared in the lower layer, after the overlay has
 * looked it up: from then on the overlay keeps what it found.
 */
static int check_start(struct box_root *r, const struct op *op, int below)
{
	const char *start = r->task->cwd;
	size_t n = strlen(op->target);
	struct stat st;

	if (!identity_known(r->task->cwd_id) || strncmp(start, op->target, n) != 0 ||
			(start[n] && start[n] != '/'))
		return 0;
	FD_CLEANUP int seen = open_target(r, start, O_PATH | O_DIRECTORY | O_NOFOLLOW);
	FD_CLEANUP int fd = open_beneath(below, start + n, O_PATH | O_DIRECTORY | O_NOFOLLOW);
	r->start_checked = seen >= 0 && fd >= 0 && fstat(fd, &st) == 0 && directory_is(&st, r->task->cwd_id);
	return 0;
}

/*
 * A read-only mount does not stop a program from opening a FIFO to write, connecting to a socket or taking a
 * lock, and Landlock's rule for a writable directory holds for whatever is mounted below it. In an overlay
 * such inodes are its own: files have the host's content, and a FIFO or socket has nobody at its other end.
 * *ret stays where the kernel has none for us, or not of this file system. -1: we are lost.
 */
typedef const char *const overlay_options[2];

static int overlay_with(int dir, overlay_options *options, unsigned flags, int *ret)
{
	FD_CLEANUP int here = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (here < 0 || fchdir(dir) != 0)
		return 0;
	*ret = mount_new("overlay", options, flags);
	return fchdir(here);
}

static int overlay_of(int dir, unsigned flags, int *ret)
{
	static overlay_options options[] = {
		{"lowerdir", NEW "/run:."}, /* an overlay needs two lower layers; the first is empty */
		{"redirect_dir", "nofollow"}, {"metacopy", "off"}, {NULL, NULL},
	};

	return overlay_with(dir, options, flags, ret);
}

/*
 * An overlay that can be written: whatever changes is in the layer. Everything by which an upper layer could
 * refer to files elsewhere is off, since boxed programs have written that layer. `volatile`: otherwise the
 * end of a box would write the whole file system of the layer to its disk. Each overlay has a new directory
 * to work in.
 */
static int overlay_on(struct box_root *r, int dir, const char *upper, int *ret)
{
	char above[sizeof(LAYER) + 8 + PATH_MAX], work[sizeof(LAYER) + 32];
	const char *const options[][2] = {
		{"lowerdir", "."}, {"upperdir", above}, {"workdir", work}, {"userxattr", NULL},
		{"redirect_dir", "nofollow"}, {"metacopy", "off"}, {"index", "off"}, {"xino", "off"},
		{"nfs_export", "off"}, {"volatile", NULL}, {NULL, NULL},
	};

	str_put(above, sizeof(above), LAYER "/upper%s%s", *upper ? "/" : "", upper);
	str_put(work, sizeof(work), LAYER "/workdir/%u", r->noverlays++);
	return mkdir(work, 0700) == 0 ? overlay_with(dir, options, MOUNT_NODEV, ret) : 0;
}

/* Without an overlay the mount stays as it is. */
static int set_apart(struct box_root *r, const struct op *op)
{
	FD_CLEANUP int at = open_target(r, op->target, O_PATH | O_DIRECTORY | O_NOFOLLOW), tree = -1;

	if (at < 0)
		return 0; /* a file */
	if (overlay_of(at, mount_flags(op), &tree) != 0)
		return -1;
	if (tree < 0 || mount_place(tree, at) != 0)
		return 0;
	return keep_anchor(r, op, tree) == 0 ? check_start(r, op, at) : -1;
}

/* Keeps the layer for do_home(). */
static int do_layer(struct box_root *r, const struct op *op, struct err *e)
{
	FD_CLEANUP int tree = bind_source(op);

	if (tree < 0)
		return op_unusable(op, e);
	if (mount_attributes(tree, MOUNT_NODEV | MOUNT_BELOW) != 0)
		return op_failed(op, "mount", e);
	if (mount_place_at(tree, AT_FDCWD, LAYER) != 0) {
		r->no_overlay = errno;
		return 0;
	}
	r->layer = tree;
	tree = -1;
	return 0;
}

/* *ret stays without an overlay. -1: we are lost. */
static int add_layer(struct box_root *r, int dir, const char *upper, int *ret)
{
	errno = 0;
	if (overlay_on(r, dir, upper, ret) != 0)
		return -1;
	if (*ret < 0)
		r->no_overlay = errno;
	return 0;
}

/*
 * The caller's home in one overlay, outside of the new root. The kernel takes longer to make and to remove an
 * overlay than for all other mounts of a toolchain, and a home has many toolchains. Without an overlay they
 * are parts of the mount.
 */
static int do_home(struct box_root *r, const struct op *op, struct err *e)
{
	FD_CLEANUP int tree = bind_source(op), overlay = -1;
	int *home = &tree;

	if (tree < 0)
		return op_unusable(op, e);
	if (mount_attributes(tree, mount_flags(op) | MOUNT_BELOW) != 0)
		return op_failed(op, "mount", e);
	/* newer kernels also take parts of a mount that is attached nowhere */
	(void)mount_place_at(tree, AT_FDCWD, HOME);
	if (r->layer >= 0 && add_layer(r, tree, "", &overlay) != 0)
		return op_failed(op, "mount", e);
	r->layered = overlay >= 0;
	if (overlay < 0 && overlay_of(tree, mount_flags(op), &overlay) != 0)
		return op_failed(op, "mount", e);
	if (overlay >= 0 && mount_place(overlay, tree) == 0)
		home = &overlay;
	r->home = *home;
	r->nhome = strlen(op->source);
	*home = -1;
	return 0;
}

/* Returns a part of the home, or -1 if the operation's own source is to be used. */
static int home_part(const struct box_root *r, const struct op *op)
{
	bool is_part = op->flags & OP_PART && r->home >= 0;
	FD_CLEANUP int source =
			is_part ? open_beneath(r->home, op->source + r->nhome, O_PATH | O_NOFOLLOW) : -1;

	return source < 0 ? -1 : mount_copy(source, "");
}

/*
 * A program may have put something else in the way of a cache, a link for example, when it had the directory
 * above for itself. Only in that directory can this remove a name.
 */
static bool clear_way(struct box_root *r, const struct op *op)
{
	struct target_spot s;

	return find_spot(r, op->target, &s) == 0 && !s.own && unlinkat(s.dir, s.name, 0) == 0;
}

static bool place_cache(struct box_root *r, const struct op *op, int tree)
{
	if (place(r, op, tree) == 0 || (clear_way(r, op) && place(r, op, tree) == 0))
		return true;
	if (errno != ENOENT) /* its tool's directory is read-only, and lacks it */
		r->no_overlay = errno;
	return false;
}

/* A cache in an overlay of its own. 1: done; 0: there is no overlay; -1: we are lost */
static int overlay_cache(struct box_root *r, const struct op *op, int tree)
{
	FD_CLEANUP int overlay = -1;

	if (r->layer < 0)
		return 0;
	(void)mount_place_at(tree, AT_FDCWD, HOME);
	if (add_layer(r, tree, op->text, &overlay) != 0)
		return -1;
	if (overlay >= 0)
		(void)place_cache(r, op, overlay);
	return overlay >= 0;
}

/*
 * Without an overlay: the person's, read-only, or nothing in a directory that the project has for itself. A
 * cache that cannot be mounted is left out, since an empty one breaks no tool.
 */
static int do_cache(struct box_root *r, const struct op *op, struct err *e)
{
	bool part = op->flags & OP_PART;
	FD_CLEANUP int tree = part ? home_part(r, op) : bind_source(op);
	int done = part || tree < 0 ? 0 : overlay_cache(r, op, tree);

	if (done < 0)
		return op_failed(op, "mount", e);
	if (done || tree < 0 || (!(part && r->layered) && !(op->flags & OP_LOWER)))
		return 0;
	/* the overlay has its own attributes */
	if (!(part && r->layered) && mount_attributes(tree, MOUNT_READONLY | MOUNT_NODEV | MOUNT_BELOW) != 0)
		return op_failed(op, "mount", e);
	(void)place_cache(r, op, tree);
	return 0;
}

static int do_bind(struct box_root *r, const struct op *op, struct err *e)
{
	int done;

	if (op->flags & OP_CACHE)
		return do_cache(r, op, e);
	done = bind_new(r, op);
	if (done)
		return done > 0 ? 0 : op_failed(op, "mount", e);
	FD_CLEANUP int part = home_part(r, op);
	FD_CLEANUP int tree = part < 0 ? bind_source(op) : -1;
	int used = part < 0 ? tree : part;
	if (used < 0)
		return op_unusable(op, e);
	if (mount_attributes(used, mount_flags(op) | MOUNT_BELOW) != 0 || place(r, op, used) != 0)
		return op->flags & OP_IS_FILE && errno == ENOENT ? op_unusable(op, e) /* it was removed */
								 : op_failed(op, "mount", e);
	return op->flags & OP_APART && part < 0 && set_apart(r, op) != 0 ? op_failed(op, "mount", e) : 0;
}

/* Makes a directory of the tmpfs, below the new root's mount, with all directories above it. */
static int make_hidden(struct box_root *r, const char *target, mode_t mode)
{
	size_t n = strlen(target);

	if (check_length(n) != 0)
		return -1;
	for (size_t i = 0; next_directory(r, target, n, &i);)
		if (mkdir(name_of(r->path), i < n ? 0755 : mode) != 0 && errno != EEXIST)
			return -1;
	return chmod(name_of(target), mode);
}

/* Binds a directory of the tmpfs over a directory that is not ours. */
static int scratch_elsewhere(struct box_root *r, const struct op *op, mode_t mode)
{
	FD_CLEANUP int at = open_target(r, op->target, O_PATH | O_DIRECTORY | O_NOFOLLOW);
	FD_CLEANUP int tree = at < 0 || make_hidden(r, op->target, mode) != 0
			? -1
			: mount_copy(AT_FDCWD, name_of(op->target));

	if (tree < 0 || mount_attributes(tree, MOUNT_NODEV) != 0 || mount_place(tree, at) != 0)
		return -1;
	return keep_anchor(r, op, tree);
}

/* Binds the tmpfs's directory over the root's name, with the writable attributes of the tmpfs. */
static int do_scratch(struct box_root *r, const struct op *op, struct err *e)
{
	mode_t mode = op->flags & OP_STICKY ? 01777 : 0700;
	struct target_spot s;
	int made = find_spot(r, op->target, &s) != 0 ? -1 : make_name(&s, S_IFDIR | mode);

	if (made < 0)
		return op_failed(op, "make", e);
	FD_CLEANUP int within = made ? -1 : open_within(r->fd, op->target, O_PATH | O_DIRECTORY | O_NOFOLLOW);
	if (!made)
		own_forget(r);
	if (!s.own || (!made && within < 0))
		return scratch_elsewhere(r, op, mode) == 0 ? 0 : op_failed(op, "mount", e);
	return (made || chmod(s.name, mode) == 0) && mount_bind(s.name, path_of(r, op->target)) == 0
			? 0
			: op_failed(op, "mount", e);
}

/* Both are names of the box, so neither is a link. */
static int do_mask(struct box_root *r, const struct op *op, struct err *e)
{
	char source[sizeof(NEW) + MASK_MAX];

	own_forget(r);
	str_put(source, sizeof(source), NEW "%s", op->source);
	return mount_bind(source, path_of(r, op->target)) == 0 || errno == ENOENT ? 0
										  : op_failed(op, "cover", e);
}

static int repeat(struct box_root *r, const struct op *op)
{
	FD_CLEANUP int source = open_target(r, op->source, O_PATH | O_NOFOLLOW);
	FD_CLEANUP int tree = source < 0 ? -1 : mount_copy(source, "");

	if (tree < 0 || mount_attributes(tree, mount_flags(op) | MOUNT_BELOW) != 0)
		return -1;
	FD_CLEANUP int at = open_target(r, op->target, O_PATH | O_NOFOLLOW);
	return at < 0 || mount_place(tree, at) != 0 ? -1 : keep_anchor(r, op, tree);
}

/* A cache that is not mounted does not show what is to be hidden in it. */
static bool is_left_out(const struct op *op)
{
	return op->flags & OP_CACHE && (errno == ENOENT || errno == ENOTDIR || errno == ELOOP);
}

static int do_inside(struct box_root *r, const struct op *op, struct err *e)
{
	own_forget(r);
	return repeat(r, op) == 0 || is_left_out(op) ? 0 : op_failed(op, "protect", e);
}

/*
 * Git replaces its configuration by renaming, which no mount allows. But it resolves a link in the place of
 * the file first, so a link is mounted there. Kernels without such mounts have the file read-only.
 */
static int do_cover(struct box_root *r, const struct op *op, struct err *e)
{
	FD_CLEANUP int source = open_target(r, op->source, O_PATH | O_NOFOLLOW);
	FD_CLEANUP int tree = source < 0 ? -1 : mount_copy(source, "");
	FD_CLEANUP int at = open_target(r, op->target, O_PATH | O_NOFOLLOW);

	own_forget(r);
	if (tree >= 0 && at >= 0 && mount_attributes(tree, MOUNT_READONLY | MOUNT_NODEV) == 0 &&
			mount_place(tree, at) == 0)
		return 0;
	return do_inside(r, &(struct op){.kind = OP_INSIDE, .source = op->target, .target = op->target}, e);
}

/* The root's /run is empty, and read-only like the root. So is the file that the operation names. */
static int do_empty(struct box_root *r, const struct op *op, struct err *e)
{
	FD_CLEANUP int at = open_target(r, op->target, O_PATH | O_NOFOLLOW);
	const char *cover = path_of(r, *op->source ? op->source : "/run");
	FD_CLEANUP int tree = at < 0 ? -1 : mount_copy(AT_FDCWD, cover);

	own_forget(r);
	if (at < 0 && is_left_out(op))
		return 0;
	return tree >= 0 && mount_place(tree, at) == 0 && keep_anchor(r, op, tree) == 0
			? 0
			: op_failed(op, "cover", e);
}

static int do_own(struct box_root *r, const struct op *op, struct err *e)
{
	struct target_spot s;
	int rc = find_spot(r, op->target, &s);

	if (rc == 0)
		rc = op->kind == OP_DIR               ? make_name(&s, S_IFDIR | 0755)
				: op->kind == OP_FILE ? make_file(&s, op->text, op->ntext,
						op->flags & OP_EXECUTABLE ? 0755 : 0644)
						      : symlinkat(op->source, s.dir, s.name);
	if (rc > 0 && s.own)
		own_add(r, op->target, strlen(op->target));
	return rc >= 0 ? 0 : op_failed(op, "make", e);
}

/* Mounts a kernel file system on a new name in a directory of ours. */
static int mount_own(struct box_root *r, const struct op *op, const char *type, const char *options,
		unsigned flags)
{
	struct target_spot s;

	if (find_spot(r, op->target, &s) != 0 || mkdirat(s.dir, s.name, 0755) != 0)
		return -1;
	return mount_fs(type, options, flags, path_of(r, op->target));
}

/* Read-only, so that no kernel setting can be changed through it, whatever the user is on the host. */
static int do_proc(struct box_root *r, const struct op *op, struct err *e)
{
	if (mount_own(r, op, "proc", NULL, MOUNT_READONLY | MOUNT_NODEV | MOUNT_NOEXEC) == 0)
		return 0;
	if (errno == EPERM)
		return err_system(e, "cannot mount /proc in the box (a container that hides parts of /proc "
				"does not let us)");
	return op_failed(op, "mount", e);
}

static int do_pts(struct box_root *r, const struct op *op, struct err *e)
{
	return mount_own(r, op, "devpts", "ptmxmode=0666,mode=0620,max=" PTS_MAX, MOUNT_NOEXEC) == 0
			? 0
			: op_failed(op, "mount", e);
}

/*
 * One path of the system, mounted at itself: a link stays a link, everything else is bound. A missing path is
 * skipped.
 */
static int show(struct box_root *r, const char *path)
{
	struct op op = {.kind = OP_BIND, .source = path, .target = path, .tree = -1};
	char to[PATH_MAX];
	struct stat st;
	struct target_spot s;
	ssize_t n;

	if (lstat(path, &st) != 0)
		return errno == ENOENT ? 0 : -1;
	op.flags = S_ISDIR(st.st_mode) ? OP_IS_DIR : S_ISREG(st.st_mode) ? OP_IS_FILE : 0;
	if (!S_ISLNK(st.st_mode))
		return !op.flags || bind_new(r, &op) > 0 ? 0 : -1;
	n = readlink(path, to, sizeof(to));
	if (n < 0 || n == (ssize_t)sizeof(to) || find_spot(r, path, &s) != 0)
		return -1;
	to[n] = 0;
	return symlinkat(to, s.dir, s.name);
}

static int do_system(struct box_root *r, const struct op *op, struct err *e)
{
	const char *path;

	(void)op;
	for (size_t i = 0; (path = plan_system(i)); i++) {
		if (show(r, path) != 0)
			return err_system(e, "cannot use '%s' in the box", path);
	}
	return 0;
}

/* Init keeps the descriptor by itself. */
static int do_nothing(struct box_root *r, const struct op *op, struct err *e)
{
	(void)r;
	(void)op;
	(void)e;
	return 0;
}

static int (*const operations[])(struct box_root *r, const struct op *op, struct err *e) = {
	[OP_DIR] = do_own,
	[OP_FILE] = do_own,
	[OP_LINK] = do_own,
	[OP_BIND] = do_bind,
	[OP_SCRATCH] = do_scratch,
	[OP_INSIDE] = do_inside,
	[OP_MASK] = do_mask,
	[OP_COVER] = do_cover,
	[OP_EMPTY] = do_empty,
	[OP_PROC] = do_proc,
	[OP_PTS] = do_pts,
	[OP_SYSTEM] = do_system,
	[OP_LAYER] = do_layer,
	[OP_HOME] = do_home,
	[OP_HOLD] = do_nothing,
};

/* ---- the root as a whole ---- */

/*
 * Mounts a tmpfs over the old /proc with the new root in it, still writable. The working directory becomes
 * the directory below the new root's mount.
 */
static int mount_base(struct err *e)
{
	if (mount_fs("tmpfs", "mode=0755", MOUNT_NODEV, BASE) != 0 || mkdir(NEW, 0755) != 0 ||
			chdir(NEW) != 0 || mkdir("run", 0755) != 0 || mount_bind(NEW, NEW) != 0)
		return err_system(e, "cannot mount a tmpfs for the box");
	return 0;
}

/* Sets the size of the tmpfs. Returns descriptors of the new root and of the tmpfs. */
static int open_base(uint64_t scratch, int *ret_root, int *ret_top, struct err *e)
{
	char options[128];

	str_put(options, sizeof(options), "size=%llu,nr_inodes=%llu",
			(unsigned long long)(scratch + ROOT_BYTES),
			(unsigned long long)(scratch / INODE_BYTES + ROOT_INODES));
	if (mount_limit(BASE, options, MOUNT_NODEV) != 0)
		return err_system(e, "cannot limit the scratch of the box");
	*ret_root = open(NEW, O_PATH | O_DIRECTORY | O_CLOEXEC);
	*ret_top = *ret_root < 0 ? -1 : open(BASE, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return *ret_top >= 0 ? 0 : err_system(e, "cannot open the root of the box");
}

/* Operations whose mounts become read-only together with the root. */
static bool closes(const struct op *op)
{
	return op->kind == OP_DIR || op->kind == OP_FILE || op->kind == OP_LINK || op->kind == OP_PROC ||
			op->kind == OP_SYSTEM ||
			(op->kind == OP_BIND && !(op->flags & (OP_WRITABLE | OP_DEVICES)));
}

static int close_root(struct box_root *r, struct err *e)
{
	if (r->closed)
		return 0;
	r->closed = true;
	if (mount_attributes_at(NEW, MOUNT_READONLY | MOUNT_NODEV | MOUNT_BELOW) != 0)
		return err_system(e, "cannot close the root of the box");
	return 0;
}

static int execute_op(struct box_root *r, const struct op *op, struct err *e)
{
	return !closes(op) && close_root(r, e) != 0 ? -1 : operations[op->kind](r, op, e);
}

static int make_usual(struct box_root *r, struct err *e)
{
	struct op op = {.kind = OP_SYSTEM};

	if (mount_base(e) != 0 || execute_op(r, &op, e) != 0)
		return -1;
	for (size_t i = 0; plan_usual(i, &op); i++)
		if (execute_op(r, &op, e) != 0)
			return -1;
	return 0;
}

/* Carries out the operations that setup_begin() has not. */
static int make_rest(struct box_root *r, const struct op *ops, struct err *e)
{
	for (const struct op *op = ops; op; op = op->next)
		if (op->kind != OP_SYSTEM && !(op->flags & OP_USUAL) && execute_op(r, op, e) != 0)
			return -1;
	return close_root(r, e);
}

int setup_begin(struct err *e)
{
	char path[PATH_ROOM];
	struct box_root r = {.fd = -1, .at = -1, .home = -1, .layer = -1, .path = path};
	mode_t mask = umask(0);
	int rc = make_usual(&r, e);

	umask(mask);
	return rc;
}

/* Uses the root that init has built, or a new one for a caller's root. */
static int make_root(struct box_root *r, const struct op *ops, uint64_t scratch, int *ret_top, struct err *e)
{
	if (ops && ops->kind == OP_SYSTEM) {
		r->closed = true;
		own_add(r, "/etc", 4);
	} else if (mount_base(e) != 0) {
		return -1;
	}
	return open_base(scratch, &r->fd, ret_top, e) == 0 ? make_rest(r, ops, e) : -1;
}

int setup_root(const struct ns_task *t, struct setup_notes *ret, struct err *e)
{
	char path[PATH_ROOM];
	struct box_root r = {.fd = -1, .at = -1, .home = -1, .layer = -1, .path = path, .task = t};
	mode_t mask = umask(0);
	FD_CLEANUP int top = -1;
	int rc = make_root(&r, t->ops, t->limits.scratch, &top, e);

	umask(mask);
	fd_close(&r.at);
	close_anchors(&r);
	fd_close(&r.home);
	fd_close(&r.layer);
	if (rc == 0 && mount_attributes(top, MOUNT_READONLY | MOUNT_NODEV) != 0)
		rc = err_system(e, "cannot finish the root of the box");
	fd_close(&r.fd);
	*ret = (struct setup_notes){r.start_checked, r.no_overlay};
	return rc;
}

int setup_enter(int *ret_old, struct err *e)
{
	FD_CLEANUP int old = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (old < 0 || mount_pivot(BASE) != 0 || chdir(ROOT) != 0 || chroot(".") != 0)
		return err_system(e, "cannot change to the root of the box");
	*ret_old = old;
	old = -1;
	return 0;
}

int setup_seal(int old, struct err *e)
{
	return mount_detach(old) == 0 ? 0 : err_system(e, "cannot unmount the old root");
}
