/*
 * The changes that a machine's box made in its workspace, repeated on the host. vm.h has the theory.
 *
 * The list comes from the machine and is not trusted. Paths are relative to the workspace, go through no
 * link, and lead only to places where the plan lets a native box write.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "box/vm.h"
#include "sys/directory.h"
#include "sys/file.h"
#include "sys/mounts.h"
#include "sys/tree_walk.h"

#define CHANGES_MAX 1000000
#define NEW_NAME ".caisson-new-%d"

static bool below(const char *path, const char *dir)
{
	size_t n = strlen(dir);

	return !strncmp(path, dir, n) && path[n] == '/';
}

/*
 * True if a native box with this plan could change this path in the workspace. A mount point can be neither
 * removed nor replaced, and nothing above one can be removed.
 */
static bool may_change(const struct op *ops, const char *workspace, const char *path, enum vm_what what)
{
	const struct op *on = guest_mount_of(ops, path);

	/* Other mounts in the workspace show something else than its files. */
	if (!on || !(on->flags & OP_WRITABLE) ||
			(on->kind != OP_INSIDE && strcmp(on->source, workspace) != 0) ||
			(!below(on->target, workspace) && strcmp(on->target, workspace) != 0))
		return false;
	for (const struct op *op = ops; op && what != VM_DIR; op = op->next)
		if (op->kind != OP_DIR && op->kind != OP_FILE && op->kind != OP_LINK &&
				(!strcmp(op->target, path) || below(op->target, path)))
			return false;
	return strcmp(path, workspace) != 0;
}

struct applying {
	FILE *from;
	int top; /* the workspace */
	const struct op *ops;
	const char *workspace;
};

static bool is_plain_path(const char *path)
{
	for (const char *at = path; *at;) {
		size_t n = strcspn(at, "/");

		if (!n || (n == 1 && at[0] == '.') || (n == 2 && at[0] == '.' && at[1] == '.'))
			return false;
		at += n + (at[n] == '/' && at[n + 1]);
		if (*at == '/')
			return false;
	}
	return path[0];
}

/* The directory that holds the name; -1: there is none. */
static int open_parent(const struct applying *c, char *path, const char **ret_name)
{
	char *slash = strrchr(path, '/');
	int fd;

	*ret_name = slash ? slash + 1 : path;
	if (!slash)
		return dup(c->top);
	*slash = 0;
	fd = open_beneath(c->top, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	*slash = '/';
	return fd;
}

static int skip_bytes(const struct applying *c, uint64_t n)
{
	return n <= INT64_MAX && fseeko(c->from, (off_t)n, SEEK_CUR) == 0 ? 0 : -1;
}

static int write_new(const struct applying *c, int dir, const char *name, const struct vm_change *h)
{
	FD_CLEANUP int fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	const struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {h->mtime_s, (long)h->mtime_ns}};
	char chunk[1 << 15];

	if (fd < 0)
		return -1;
	for (uint64_t left = h->size; left;) {
		size_t part = left < sizeof(chunk) ? (size_t)left : sizeof(chunk);

		if (fread(chunk, 1, part, c->from) != part || write(fd, chunk, part) != (ssize_t)part)
			return -1;
		left -= part;
	}
	return fchmod(fd, h->mode & 01777) == 0 && futimens(fd, times) == 0 ? 0 : -1;
}

static bool is_dir(int dir, const char *name)
{
	struct stat st;

	return fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode);
}

/* A file appears as a whole. */
static int apply_file(const struct applying *c, int dir, const char *name, const struct vm_change *h)
{
	char temporary[64];

	str_put(temporary, sizeof(temporary), NEW_NAME, (int)getpid());
	(void)unlinkat(dir, temporary, 0);
	if (write_new(c, dir, temporary, h) == 0 && (!is_dir(dir, name) || tree_remove(dir, name) == 0) &&
			renameat(dir, temporary, dir, name) == 0)
		return 0;
	(void)unlinkat(dir, temporary, 0);
	return -1;
}

static int apply_link(const struct applying *c, int dir, const char *name, const struct vm_change *h)
{
	char to[PATH_MAX];

	if (h->size >= sizeof(to) || fread(to, 1, h->size, c->from) != h->size)
		return -1;
	to[h->size] = 0;
	return tree_remove(dir, name) == 0 ? symlinkat(to, dir, name) : -1;
}

static int apply_dir(int dir, const char *name, const struct vm_change *h)
{
	if ((h->what == VM_DIR_ANEW || !is_dir(dir, name)) && tree_remove(dir, name) != 0)
		return -1;
	if (mkdirat(dir, name, 0700) != 0 && errno != EEXIST)
		return -1;
	FD_CLEANUP int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return fd >= 0 ? fchmod(fd, h->mode & 01777) : -1;
}

static int apply_one(const struct applying *c, char *path, const struct vm_change *h)
{
	char whole[2 * PATH_MAX];
	enum vm_what what = h->what;
	const char *name;

	str_put(whole, sizeof(whole), "%s/%s", c->workspace, path);
	if (!is_plain_path(path))
		return -1;
	FD_CLEANUP int dir = open_parent(c, path, &name);
	/* A directory that stays is no change to a name in it; a new one in its place is. */
	if (what == VM_DIR && dir >= 0 && !is_dir(dir, name))
		what = VM_DIR_ANEW;
	if (!may_change(c->ops, c->workspace, whole, what) || (dir < 0 && what == VM_GONE))
		return skip_bytes(c, h->size);
	if (dir < 0)
		return -1;
	switch (what) {
	case VM_FILE: return apply_file(c, dir, name, h);
	case VM_LINK: return apply_link(c, dir, name, h);
	case VM_DIR:
	case VM_DIR_ANEW: return apply_dir(dir, name, h);
	case VM_GONE: return tree_remove(dir, name);
	}
	return -1;
}

static int apply_all(const struct applying *c, struct err *e)
{
	char path[PATH_MAX];
	struct vm_change h;
	size_t got;

	for (unsigned n = 0; (got = fread(&h, 1, sizeof(h), c->from)) == sizeof(h); n++) {
		if (n == CHANGES_MAX || !h.path || h.path >= sizeof(path) ||
				fread(path, 1, h.path, c->from) != h.path || memchr(path, 0, h.path))
			return err_host(e, "the machine sent no list of changes");
		path[h.path] = 0;
		if (apply_one(c, path, &h) != 0)
			return err_system(e,
					"cannot bring '%.200s' back from the machine: the workspace has only "
					"a part of the changes",
					path);
	}
	return got ? err_host(e, "the machine sent no list of changes") : 0;
}

int vm_changes_apply(int file, const struct op *ops, const struct spec *s, struct err *e)
{
	char workspace[PATH_MAX];
	struct stat st;
	int rc;

	str_put(workspace, sizeof(workspace), "%.*s", STR_ARG(s->workspace));
	FD_CLEANUP int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	FD_CLEANUP int top = open_beneath(root, workspace, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (top < 0 || fstat(top, &st) != 0 || !directory_is(&st, s->workspace_id))
		return err_input(e, "the workspace '%s' was moved or replaced during the run", workspace);
	FILE *from = lseek(file, 0, SEEK_SET) == 0 ? fdopen(dup(file), "r") : NULL;
	if (!from)
		return err_system(e, "cannot read the changes of the machine");
	rc = apply_all(&(struct applying){.from = from, .top = top, .ops = ops, .workspace = workspace}, e);
	fclose(from);
	return rc;
}
