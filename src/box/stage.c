/* The plan as a directory and a list of mounts. stage.h has the theory. */
#define _GNU_SOURCE
#include "box/stage.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "box/guest.h"
#include "sys/mount_list.h"
#include "sys/mounts.h"
#include "sys/path.h"
#include "sys/tree_walk.h"

#define NAME_PREFIX "box-"
#define MEMORY "/dev/shm"
#define MEMORY_MIN ((uint64_t)4 << 20) /* free bytes, or the stage lies on a disk */
#define SWEEP_MAX 4096 /* names that one run looks at */
#define MAKE_TRIES 16
#define DEPTH_MAX 64
#define TAR_BLOCK 512
#define TAR_FILE_MAX ((size_t)1 << 20)
#define TAR_NAMES_MAX 1024 /* in one directory */
/* Shares of the scratch: /tmp gets one half, and the others share the rest. */
#define SCRATCH_PARTS 2

struct staging {
	struct arena *a;
	const struct spec *spec;
	struct ops *ops;
	struct box_stage *st;
	struct texts *host_mounts; /* mount points of the host */
	unsigned nscratch;         /* empty directories besides /tmp */
};

/* ---- the directory ---- */

static bool lock_alone(int fd)
{
	return syscall(SYS_flock, fd, LOCK_EX | LOCK_NB) == 0;
}

/* A directory without a lock was left behind, or is so new that its launcher will take another. */
static void remove_abandoned(int parent, const char *name)
{
	FD_CLEANUP int dir = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (dir >= 0 && fstat(dir, &st) == 0 && st.st_uid == geteuid() && lock_alone(dir))
		(void)tree_remove(parent, name);
}

static void sweep(const char *parent)
{
	FD_CLEANUP int fd = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(dup(fd));
	const struct dirent *entry;

	for (int n = 0; d && n < SWEEP_MAX && (entry = readdir(d)); n++)
		if (str_starts(str_of(entry->d_name), NAME_PREFIX))
			remove_abandoned(fd, entry->d_name);
	if (d)
		closedir(d);
}

/* Another launcher may sweep the new directory before its lock is taken: then the path leads elsewhere. */
static bool make_locked(struct box_stage *st, const char *parent, uint64_t state)
{
	struct stat opened, named;

	if (str_put(st->dir, sizeof(st->dir), "%s/" NAME_PREFIX "%ju-XXXXXX", parent, (uintmax_t)state) >=
					sizeof(st->dir) ||
			!mkdtemp(st->dir)) {
		st->dir[0] = 0;
		return false;
	}
	st->lock = open(st->dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (st->lock >= 0 && lock_alone(st->lock) && fstat(st->lock, &opened) == 0 &&
			stat(st->dir, &named) == 0 && opened.st_ino == named.st_ino)
		return true;
	fd_close(&st->lock);
	rmdir(st->dir);
	st->dir[0] = 0;
	return false;
}

static bool is_ours(const char *dir)
{
	struct stat at;

	return lstat(dir, &at) == 0 && S_ISDIR(at.st_mode) && at.st_uid == geteuid() && !(at.st_mode & 022);
}

static bool is_memory(const char *dir)
{
	struct statfs fs;

	return statfs(dir, &fs) == 0 && fs.f_type == TMPFS_MAGIC;
}

/* The stage has programs of the plan, so MEMORY must let them run. */
static bool memory_suffices(void)
{
	struct statvfs fs;

	return is_memory(MEMORY) && statvfs(MEMORY, &fs) == 0 && !(fs.f_flag & (ST_NOEXEC | ST_RDONLY)) &&
	       (uint64_t)fs.f_bavail * fs.f_frsize >= MEMORY_MIN;
}

/*
 * A launcher that ends removes the directory of this user if it was the last one there. False: the stage must
 * lie on a disk.
 */
static bool make_in_memory(struct box_stage *st, uint64_t state)
{
	char parent[64];

	str_put(parent, sizeof(parent), SPEC_STAGE_MEMORY, (unsigned)geteuid());
	if (!memory_suffices())
		return false;
	for (int i = 0; i < MAKE_TRIES && !st->dir[0]; i++) {
		if ((mkdir(parent, 0700) != 0 && errno != EEXIST) || !is_ours(parent))
			return false;
		sweep(parent);
		st->in_memory = make_locked(st, parent, state);
		if (!st->in_memory && errno != ENOENT && errno != EEXIST)
			return false;
	}
	return st->in_memory;
}

static uint64_t inode_of(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 ? st.st_ino : 0;
}

static int make_dir(struct staging *g, bool local, struct err *e)
{
	struct box_stage *st = g->st;
	const char *usual = str_c(g->a, str_fmt(g->a, "/tmp/caisson-boxes-%u", (unsigned)geteuid()));
	const char *parent = g->spec->stage.n ? str_c(g->a, g->spec->stage) : usual;
	uint64_t state = g->spec->stage.n ? inode_of(str_c(g->a, path_parent(g->spec->stage))) : 0;

	if (local && !is_memory(parent) && make_in_memory(st, state)) {
		if (is_ours(parent))
			sweep(parent);
		return 0;
	}
	/* a state directory that does not exist is not made for this */
	if (g->spec->stage.n && mkdir(parent, 0700) != 0 && errno == ENOENT)
		parent = usual;
	if (mkdir(parent, 0700) != 0 && errno != EEXIST)
		return err_set(e, ERR_SYSTEM, errno, "cannot make '%s'", parent);
	if (!is_ours(parent))
		return err_set(e, ERR_INPUT, 0, "'%s' is not a directory of this user alone", parent);
	sweep(parent);
	for (int i = 0; i < MAKE_TRIES; i++)
		if (make_locked(st, parent, state))
			return 0;
	return err_set(e, ERR_SYSTEM, errno, "cannot make a directory in '%s'", parent);
}

static const char *in_stage(const struct staging *g, const char *name)
{
	return str_c(g->a, str_fmt(g->a, "%s/%s", g->st->dir, name));
}

static int fill_dir(struct staging *g, struct err *e)
{
	struct box_stage *st = g->st;
	const char *none = in_stage(g, "none");

	st->root = in_stage(g, "root");
	FD_CLEANUP int fd = open(none, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0);
	if (fd < 0 || mkdir(st->root, 0755) != 0 || mkdir(in_stage(g, "caisson"), 0755) != 0 ||
			mkdir(in_stage(g, "empty"), 0755) != 0)
		return err_set(e, ERR_SYSTEM, errno, "cannot fill '%s'", st->dir);
	return 0;
}

void stage_remove(struct box_stage *st)
{
	if (st->dir[0])
		(void)tree_remove(AT_FDCWD, st->dir);
	if (st->in_memory) { /* in a directory that goes with the last stage */
		*strrchr(st->dir, '/') = 0;
		(void)rmdir(st->dir);
	}
	st->in_memory = false;
	st->dir[0] = 0;
	if (st->lock > 0)
		fd_close(&st->lock);
}

/* ---- the list of mounts ---- */

static bool is_below(const char *path, const char *dir)
{
	size_t n = strlen(dir);

	return !strncmp(path, dir, n) && path[n] == '/';
}

/* The mount that shows this path; NULL: the root. */
static const struct stage_mount *mount_of(const struct box_stage *st, const char *path)
{
	const struct stage_mount *found = NULL;

	for (const struct stage_mount *m = st->mounts; m; m = m->next)
		if ((!strcmp(path, m->target) || is_below(path, m->target)) &&
				(!found || strlen(m->target) >= strlen(found->target)))
			found = m;
	return found;
}

/* A new mount hides what was mounted at its target, and below it. */
static void forget_hidden(struct box_stage *st, const char *target)
{
	struct stage_mount **at = &st->mounts;

	while (*at)
		if (!strcmp((*at)->target, target) || is_below((*at)->target, target))
			*at = (*at)->next;
		else
			at = &(*at)->next;
	st->end = at;
}

static void add_mount(struct staging *g, struct stage_mount m)
{
	struct stage_mount *copy;

	forget_hidden(g->st, m.target);
	copy = arena_dup(g->a, &m, sizeof(m));
	copy->next = NULL;
	*g->st->end = copy;
	g->st->end = &copy->next;
}

/* The path on the host that is visible at a path of the box; NULL: it is in an empty directory. */
static const char *host_path(struct staging *g, const char *path)
{
	const struct stage_mount *m = mount_of(g->st, path);

	if (!m)
		return str_c(g->a, str_fmt(g->a, "%s%s", g->st->root, path));
	if (m->kind == STAGE_TMPFS)
		return NULL;
	return str_c(g->a, str_fmt(g->a, "%s%s", m->source, path + strlen(m->target)));
}

/* ---- names of the root ---- */

static int make_parents(struct staging *g, const char *host)
{
	char path[PATH_MAX];
	size_t skip = strlen(g->st->dir) + 1;

	if (strlen(host) >= sizeof(path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	for (size_t i = skip; host[i]; i++) {
		if (host[i] != '/')
			continue;
		memcpy(path, host, i);
		path[i] = 0;
		if (mkdir(path, 0755) != 0 && errno != EEXIST)
			return -1;
	}
	return 0;
}

static int write_file(const char *path, const char *text, size_t n, mode_t mode)
{
	FD_CLEANUP int fd = open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, mode);

	return fd >= 0 && write(fd, text, n) == (ssize_t)n ? 0 : -1;
}

static bool is_in_stage(const struct staging *g, const char *host)
{
	return host && is_below(host, g->st->dir);
}

/* A name of the box's own: in the tree, or in an empty directory, where the guest makes it. */
static int make_own(struct staging *g, const struct op *op, struct err *e)
{
	const char *host = host_path(g, op->target);
	int rc;

	if (!host)
		return 0;
	if (!is_in_stage(g, host) || make_parents(g, host) != 0)
		return err_set(e, ERR_SYSTEM, errno, "cannot make '%s' in the box", op->target);
	if (op->kind == OP_FILE)
		rc = write_file(host, op->text ? op->text : "", op->ntext,
				op->flags & OP_EXECUTABLE ? 0755 : 0644);
	else if (op->kind == OP_LINK)
		rc = symlink(op->source, host);
	else
		rc = mkdir(host, 0755) == 0 || errno == EEXIST ? 0 : -1;
	return rc == 0 ? 0 : err_set(e, ERR_SYSTEM, errno, "cannot make '%s' in the box", op->target);
}

/* An engine cannot make a mount point in a directory of the host, and must not. */
static int make_point(struct staging *g, struct stage_mount *m, struct err *e)
{
	const char *host = host_path(g, m->target);
	struct stat st;
	int rc;

	if (!host)
		return 0;
	if (lstat(host, &st) == 0) {
		m->socket = S_ISSOCK(st.st_mode) ? host : NULL;
		return 0;
	}
	if (!is_in_stage(g, host) || make_parents(g, host) != 0)
		return err_set(e, ERR_SYSTEM, errno, "cannot mount '%s' in the box: the name does not exist",
				m->target);
	rc = m->directory ? mkdir(host, 0755) : write_file(host, "", 0, 0644);
	/* Some engines give an empty directory the mode of its mount point. */
	if (rc == 0 && m->kind == STAGE_TMPFS)
		rc = chmod(host, m->mode);
	return rc == 0 || errno == EEXIST
			       ? 0
			       : err_set(e, ERR_SYSTEM, errno, "cannot make '%s' in the box", m->target);
}

static int place(struct staging *g, struct stage_mount m, struct err *e)
{
	if (make_point(g, &m, e) != 0)
		return -1;
	add_mount(g, m);
	return 0;
}

/* ---- operations ---- */

static bool is_virtual(const char *path)
{
	return !strcmp(path, "/proc") || is_below(path, "/proc") || !strcmp(path, "/sys") ||
	       is_below(path, "/sys") || !strcmp(path, "/dev") || is_below(path, "/dev");
}

/* Every mount of the host below a source is a mount of its own in the box. */
static int place_bind(struct staging *g, const char *source, const char *target, bool writable, struct err *e)
{
	struct stage_mount m = {.kind = STAGE_BIND, .source = source, .target = target, .writable = writable};
	struct stat st;

	if (stat(source, &st) != 0)
		return err_set(e, ERR_SYSTEM, errno, "cannot use '%s' in the box", source);
	m.directory = S_ISDIR(st.st_mode);
	if (place(g, m, e) != 0)
		return -1;
	for (const struct texts *t = m.directory ? g->host_mounts : NULL; t; t = t->next) {
		const char *path = str_c(g->a, t->text);

		if (!is_below(path, source) || is_virtual(path) || lstat(path, &st) != 0)
			continue;
		m.source = path;
		m.directory = S_ISDIR(st.st_mode);
		m.target = str_c(g->a, str_fmt(g->a, "%s%s", target, path + strlen(source)));
		if (place(g, m, e) != 0)
			return -1;
	}
	return 0;
}

/* Follows no link in a path that the caller named, and notes the identity for the guest. */
static int stage_bind(struct staging *g, struct op *op, struct err *e)
{
	bool strict = op->flags & (OP_CALLERS | OP_IMAGE);
	bool cache = op->flags & OP_CACHE;
	struct stat st;

	if (cache && !(op->flags & OP_LOWER))
		return 0;
	FD_CLEANUP int top = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	FD_CLEANUP int fd = strict ? open_beneath(top, op->source, O_PATH | O_NOFOLLOW)
				   : open(op->source, O_PATH | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) != 0)
		return cache ? 0 : op_unusable(op, e);
	errno = ESTALE;
	if (!op_is_source(op, &st))
		return op_unusable(op, e);
	op->expected = (struct identity){st.st_dev, st.st_ino};
	return place_bind(g, op->source, op->target, op->flags & OP_WRITABLE && !cache, e);
}

static int stage_scratch(struct staging *g, const struct op *op, struct err *e)
{
	bool tmp = !strcmp(op->target, "/tmp");
	uint64_t part = g->spec->limits.scratch / SCRATCH_PARTS;

	return place(g,
			(struct stage_mount){.kind = STAGE_TMPFS,
					.target = op->target,
					.writable = true,
					.directory = true,
					.size = tmp ? part : part / (g->nscratch ? g->nscratch : 1),
					.mode = op->flags & OP_STICKY ? 01777 : 0700},
			e);
}

/* True for a path in a directory of the host that programs of other boxes may write, too. */
static bool is_shared(const struct staging *g, const char *path)
{
	const struct stage_mount *m = mount_of(g->st, path);

	return m && m->kind == STAGE_BIND && m->writable;
}

/* The engine may meet something else at this path: the guest compares. Our own files stay what they are. */
static int note_identity(struct staging *g, struct op *op, const char *host, struct err *e)
{
	FD_CLEANUP int top = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	FD_CLEANUP int fd = is_in_stage(g, host) ? open(host, O_PATH | O_NOFOLLOW | O_CLOEXEC)
						 : open_beneath(top, host, O_PATH | O_NOFOLLOW);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) != 0)
		return err_set(e, ERR_SYSTEM, errno, "cannot protect '%s' in the box", op->target);
	op->expected = (struct identity){st.st_dev, st.st_ino};
	return 0;
}

/* Both paths are the box's. A missing one in a cache is left out with it. */
static int stage_inside(struct staging *g, struct op *op, const char *source, struct err *e)
{
	const char *host = !strcmp(source, "/dev/null") ? in_stage(g, "none") : host_path(g, source);
	const char *target = host_path(g, op->target);
	struct stat st;

	if (op->flags & OP_CACHE && (!target || lstat(target, &st) != 0))
		return 0;
	if (!host || !target)
		return err_set(e, ERR_SYSTEM, 0, "cannot protect '%s' in the box", op->target);
	if (is_shared(g, op->target) && note_identity(g, op, host, e) != 0)
		return -1;
	return place_bind(g, host, op->target, op->flags & OP_WRITABLE && op->kind == OP_INSIDE, e);
}

static int stage_system(struct staging *g, struct err *e);

static int stage_op(struct staging *g, struct op *op, struct err *e)
{
	switch (op->kind) {
	case OP_SYSTEM: return stage_system(g, e);
	case OP_DIR:
	case OP_FILE:
	case OP_LINK:
	case OP_PTS: return make_own(g, op, e);
	case OP_BIND:
		if (op->flags & OP_DEVICES)
			return place(g,
					(struct stage_mount){.kind = STAGE_DEVICE,
							.source = op->source,
							.target = op->target,
							.writable = true},
					e);
		return stage_bind(g, op, e);
	case OP_SCRATCH: return stage_scratch(g, op, e);
	case OP_INSIDE: return stage_inside(g, op, op->source, e);
	case OP_COVER: return stage_inside(g, op, op->target, e);
	case OP_EMPTY:
		if (*op->source)
			return stage_inside(g, op, op->source, e);
		if (is_shared(g, op->target) && note_identity(g, op, in_stage(g, "empty"), e) != 0)
			return -1;
		return place_bind(g, in_stage(g, "empty"), op->target, false, e);
	case OP_MASK:
		g->st->masked = arena_copy(
				g->a, (struct texts){.text = str_of(str_c(g->a, str_of(op->target))),
						      .next = g->st->masked});
		return 0;
	case OP_LAYER: g->st->no_overlay = true; return 0;
	case OP_HOME:
	case OP_HOLD:
	case OP_PROC: return 0;
	}
	return err_set(e, ERR_INTERNAL, 0, "an unknown operation in the plan of a box");
}

static int show(struct staging *g, const char *path, struct err *e)
{
	struct op op = {.kind = OP_LINK, .target = path, .tree = -1};
	char to[PATH_MAX];
	struct stat st;
	ssize_t n;

	if (lstat(path, &st) != 0)
		return errno == ENOENT ? 0 : err_set(e, ERR_SYSTEM, errno, "cannot stat '%s'", path);
	if (S_ISDIR(st.st_mode) || S_ISREG(st.st_mode))
		return place_bind(g, path, path, false, e);
	n = S_ISLNK(st.st_mode) ? readlink(path, to, sizeof(to) - 1) : -1;
	if (n < 0)
		return 0;
	to[n] = 0;
	op.source = to;
	return make_own(g, &op, e);
}

/* The rows that init builds by itself in a native box. */
static int stage_system(struct staging *g, struct err *e)
{
	struct op op;

	for (size_t i = 0; plan_system(i); i++)
		if (show(g, plan_system(i), e) != 0)
			return -1;
	for (size_t i = 0; plan_usual(i, &op); i++)
		if (stage_op(g, arena_dup(g->a, &op, sizeof(op)), e) != 0)
			return -1;
	return 0;
}

static void count_scratch(struct staging *g)
{
	struct op op;
	bool system = g->ops->first && g->ops->first->kind == OP_SYSTEM;

	for (size_t i = 0; system && plan_usual(i, &op); i++)
		g->nscratch += op.kind == OP_SCRATCH && strcmp(op.target, "/tmp") != 0;
	for (const struct op *o = g->ops->first; o; o = o->next)
		g->nscratch += o->kind == OP_SCRATCH && !(o->flags & OP_USUAL) &&
			       strcmp(o->target, "/tmp") != 0;
}

/* ---- the tree as an archive ---- */

struct tar_head { /* ustar */
	char name[100], mode[8], uid[8], gid[8], size[12], time[12], sum[8], type, link[100], magic[6],
			version[2], user[32], group[32], major[8], minor[8], prefix[155], pad[12];
};

static int put_head(struct buf *b, const char *path, char type, mode_t mode, const char *link, size_t size)
{
	struct tar_head h = {.type = type, .magic = "ustar", .version = {'0', '0'}};
	unsigned sum = 0;

	/* names of the plan are short; one that is not cannot be packed */
	if (str_put(h.name, sizeof(h.name), "%s", path) >= sizeof(h.name) ||
			str_put(h.link, sizeof(h.link), "%s", link) >= sizeof(h.link)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	str_put(h.mode, sizeof(h.mode), "%07o", (unsigned)mode);
	str_put(h.uid, sizeof(h.uid), "%07o", 0u);
	str_put(h.gid, sizeof(h.gid), "%07o", 0u);
	str_put(h.size, sizeof(h.size), "%011zo", size);
	str_put(h.time, sizeof(h.time), "%011o", 0u);
	memset(h.sum, ' ', sizeof(h.sum));
	for (size_t i = 0; i < sizeof(h); i++)
		sum += ((const unsigned char *)&h)[i];
	str_put(h.sum, sizeof(h.sum), "%06o", sum);
	buf_add(b, (const char *)&h, sizeof(h));
	return 0;
}

static int by_name(const void *x, const void *y)
{
	return strcmp(*(char *const *)x, *(char *const *)y);
}

static int pack_dir(struct arena *a, const char *host, const char *path, struct buf *b, unsigned depth);

static int pack(struct arena *a, const char *host, const char *path, struct buf *b, unsigned depth)
{
	static const char zeros[TAR_BLOCK];
	char link[PATH_MAX] = "";
	struct str text = {0};
	struct stat st;

	if (lstat(host, &st) != 0)
		return -1;
	if (S_ISDIR(st.st_mode))
		return put_head(b, str_c(a, str_fmt(a, "%s/", path)), '5', st.st_mode & 07777, "", 0) == 0
				       ? pack_dir(a, host, path, b, depth + 1)
				       : -1;
	if (S_ISLNK(st.st_mode))
		return readlink(host, link, sizeof(link) - 1) > 0 ? put_head(b, path, '2', 0777, link, 0)
								  : -1;
	if (st.st_size && file_read(a, host, TAR_FILE_MAX, &text, NULL, NULL) != 0)
		return -1;
	if (put_head(b, path, '0', st.st_mode & 0777, "", text.n) != 0)
		return -1;
	buf_str(b, text);
	buf_add(b, zeros, (TAR_BLOCK - text.n % TAR_BLOCK) % TAR_BLOCK);
	return 0;
}

static int pack_dir(struct arena *a, const char *host, const char *path, struct buf *b, unsigned depth)
{
	char **names = arena_array(a, TAR_NAMES_MAX, sizeof(*names));
	const struct dirent *entry;
	DIR_SCOPE d = {0};
	size_t n = 0;

	dir_scope(&d, a, depth < DEPTH_MAX ? opendir(host) : NULL);
	while (d.dir && n < TAR_NAMES_MAX && (entry = readdir(d.dir)))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			names[n++] = str_c(a, str_of(entry->d_name));
	if (!d.dir || n == TAR_NAMES_MAX)
		return -1;
	qsort(names, n, sizeof(*names), by_name);
	for (size_t i = 0; i < n; i++) {
		struct str inner = *path ? str_fmt(a, "%s/%s", path, names[i]) : str_of(names[i]);

		if (pack(a, str_c(a, str_fmt(a, "%s/%s", host, names[i])), str_c(a, inner), b, depth) != 0)
			return -1;
	}
	return 0;
}

int stage_tar(struct arena *a, const struct box_stage *st, struct str *ret, struct err *e)
{
	static const char zeros[2 * TAR_BLOCK];
	struct buf b;

	buf_init(&b, a, 0);
	if (pack_dir(a, st->root, "", &b, 0) != 0)
		return err_set(e, ERR_SYSTEM, errno, "cannot pack '%s'", st->root);
	buf_add(&b, zeros, sizeof(zeros));
	*ret = buf_view(&b);
	return 0;
}

/* ---- all of it ---- */

int stage_write(struct arena *a, const struct box_stage *st, const char *name, struct str text, struct err *e)
{
	const char *path = str_c(a, str_fmt(a, "%s/%s", st->dir, name));

	return write_file(path, text.p, text.n, 0600) == 0
			       ? 0
			       : err_set(e, ERR_SYSTEM, errno, "cannot write '%s'", path);
}

/* True if an earlier mount above it can be written: the plan has parents first. */
static bool is_below_shared(const struct box_stage *st, const struct stage_mount *m)
{
	for (const struct stage_mount *k = st->mounts; k != m; k = k->next)
		if (k->kind == STAGE_BIND && k->writable && is_below(m->target, k->target))
			return true;
	return false;
}

int stage_defer(struct arena *a, struct box_stage *st, struct err *e)
{
	struct buf list;
	unsigned n = 0;

	buf_init(&list, a, 0);
	if (mkdir(str_c(a, str_fmt(a, "%s" STAGE_LATE, st->dir)), 0755) != 0)
		return err_set(e, ERR_SYSTEM, errno, "cannot fill '%s'", st->dir);
	for (struct stage_mount *m = st->mounts; m; m = m->next) {
		const char *point;

		if (!is_below_shared(st, m))
			continue;
		m->late = str_c(a, str_fmt(a, STAGE_LATE "/%u", n++));
		point = str_c(a, str_fmt(a, "%s%s", st->dir, m->late));
		if ((m->directory ? mkdir(point, 0755) : write_file(point, "", 0, 0644)) != 0)
			return err_set(e, ERR_SYSTEM, errno, "cannot fill '%s'", st->dir);
		buf_add(&list, m->target, strlen(m->target) + 1);
	}
	return stage_write(a, st, &STAGE_LATE_LIST[1], buf_view(&list), e);
}

int stage_dir(struct arena *a, const struct spec *s, struct box_stage *ret, struct err *e)
{
	struct staging g = {.a = a, .spec = s, .st = ret};

	return make_dir(&g, false, e);
}

int stage_make(struct arena *a, const struct spec *s, struct ops *ops, const char *guest,
		bool local, struct box_stage *ret, struct err *e)
{
	struct staging g = {.a = a, .spec = s, .ops = ops, .st = ret};
	static const char points[][8] = {"/proc", "/dev", "/sys", "/run"};

	ret->end = &ret->mounts;
	if (make_dir(&g, local, e) != 0 || fill_dir(&g, e) != 0 || mount_list(a, &g.host_mounts, e) != 0)
		return -1;
	for (size_t i = 0; i < ARRAY_SIZE(points); i++)
		if (make_own(&g, &(struct op){.kind = OP_DIR, .target = points[i]}, e) != 0)
			return -1;
	count_scratch(&g);
	if (place_bind(&g, in_stage(&g, "caisson"), STAGE_CAISSON, false, e) != 0 ||
			place_bind(&g, guest, STAGE_GUEST, false, e) != 0)
		return -1;
	for (struct op *op = ops->first; op; op = op->next)
		if (!(op->flags & OP_USUAL) && stage_op(&g, op, e) != 0)
			return -1;
	return 0;
}
