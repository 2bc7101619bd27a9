/*
 * The image of a virtual machine: an archive of the kind "newc", which the kernel unpacks by itself. vm.h has
 * the theory.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "box/vm.h"
#include "sys/file.h"

#define HEAD 110 /* bytes */
#define ALIGN 4
#define DEPTH_MAX 128

static int flush(struct vm_image *m, struct err *e)
{
	size_t n = m->used;

	m->used = 0;
	return fd_write_all(m->fd, "the image of the machine", str_n(m->at, n), e);
}

static int put(struct vm_image *m, const char *bytes, size_t n, struct err *e)
{
	m->total += n;
	if (m->total > VM_IMAGE_MAX)
		return err_limit(e,
				"the root and the paths of the box are more than %llu MB, and all of them "
				"travel to the machine",
				(unsigned long long)VM_IMAGE_MAX >> 20);
	while (n) {
		size_t room = sizeof(m->at) - m->used, part = n < room ? n : room;

		memcpy(m->at + m->used, bytes, part);
		m->used += part;
		bytes += part;
		n -= part;
		if (m->used == sizeof(m->at) && flush(m, e) != 0)
			return -1;
	}
	return 0;
}

static int pad(struct vm_image *m, struct err *e)
{
	static const char zeros[ALIGN];

	return put(m, zeros, -m->total & (ALIGN - 1), e);
}

struct image_entry {
	const char *name; /* absolute */
	uint32_t mode, mtime;
	uint64_t size;
};

static int put_head(struct vm_image *m, const struct image_entry *n, struct err *e)
{
	const char *name = n->name[0] == '/' ? n->name + 1 : n->name;
	char head[HEAD + 1];

	if (n->size > UINT32_MAX)
		return err_limit(e, "'%s' is too large for the machine", n->name);
	str_put(head, sizeof(head), "070701%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x", ++m->inode,
			n->mode, m->uid, m->gid, 1u, n->mtime, (unsigned)n->size, 0u, 0u, 0u, 0u,
			(unsigned)strlen(name) + 1, 0u);
	if (put(m, head, HEAD, e) != 0 || put(m, name, strlen(name) + 1, e) != 0)
		return -1;
	return pad(m, e);
}

int vm_image_open(struct vm_image *m, const char *path, struct err *e)
{
	m->uid = m->gid = m->inode = 0;
	m->total = m->used = 0;
	m->fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	return m->fd >= 0 ? 0 : err_system(e, "cannot make '%s'", path);
}

int vm_image_text(struct vm_image *m, const char *name, uint32_t mode, struct str text, struct err *e)
{
	struct image_entry n = {.name = name, .mode = mode, .size = text.n};

	return put_head(m, &n, e) == 0 && put(m, text.p, text.n, e) == 0 ? pad(m, e) : -1;
}

int vm_image_dir(struct vm_image *m, const char *name, struct err *e)
{
	return put_head(m, &(struct image_entry){.name = name, .mode = S_IFDIR | 0755}, e);
}

/* A file that shrinks meanwhile ends with zeros, and one that grows ends early. */
static int put_content(struct vm_image *m, int fd, uint64_t size, struct err *e)
{
	char chunk[1 << 15];

	while (size) {
		size_t part = size < sizeof(chunk) ? (size_t)size : sizeof(chunk);
		ssize_t n = read(fd, chunk, part);

		if (n <= 0) {
			memset(chunk, 0, part);
			n = (ssize_t)part;
		}
		if (put(m, chunk, (size_t)n, e) != 0)
			return -1;
		size -= (uint64_t)n;
	}
	return pad(m, e);
}

static int put_file(struct vm_image *m, int fd, const struct image_entry *n, struct err *e)
{
	return put_head(m, n, e) == 0 ? put_content(m, fd, n->size, e) : -1;
}

int vm_image_file(struct vm_image *m, const char *name, uint32_t mode, const char *from, struct err *e)
{
	FD_CLEANUP int fd = open(from, O_RDONLY | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) != 0)
		return err_system(e, "cannot read '%s'", from);
	return put_file(m, fd,
			&(struct image_entry){.name = name, .mode = mode, .size = (uint64_t)st.st_size}, e);
}

static int put_tree(struct vm_image *m, int dir, const char *name, char *path, unsigned depth, struct err *e);

static int put_dir(struct vm_image *m, int fd, char *path, unsigned depth, struct err *e)
{
	DIR *d = depth < DEPTH_MAX ? fdopendir(fd) : NULL;
	size_t len = strlen(path);
	const struct dirent *entry;
	int rc = 0;

	if (!d) {
		close(fd);
		return err_set(e, ERR_SYSTEM, depth < DEPTH_MAX ? errno : ENAMETOOLONG, "cannot read '%s'",
				path);
	}
	while (rc == 0 && (entry = readdir(d))) {
		if (path_is_dots(entry->d_name))
			continue;
		if (str_put(path + len, PATH_MAX - len, "/%s", entry->d_name) >= PATH_MAX - len)
			rc = err_limit(e, "a path below '%.200s' is too long", path);
		else
			rc = put_tree(m, dirfd(d), entry->d_name, path, depth + 1, e);
		path[len] = 0;
	}
	closedir(d);
	return rc;
}

static int put_link(struct vm_image *m, int dir, const char *name, struct image_entry *n, struct err *e)
{
	char to[PATH_MAX];
	ssize_t got = readlinkat(dir, name, to, sizeof(to));

	if (got < 0 || got == (ssize_t)sizeof(to))
		return err_system(e, "cannot read '%s'", n->name);
	n->size = (uint64_t)got;
	return put_head(m, n, e) == 0 && put(m, to, (size_t)got, e) == 0 ? pad(m, e) : -1;
}

/*
 * Placeholders are sockets (protect_made.c), and a mount needs their names. A file that the caller cannot
 * read is left out of an image; in a workspace, bringing back an empty one could destroy it.
 */
static int put_tree(struct vm_image *m, int dir, const char *name, char *path, unsigned depth, struct err *e)
{
	struct stat st;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return errno == ENOENT ? 0 : err_system(e, "cannot stat '%s'", path);
	struct image_entry n = {
			.name = path, .mode = st.st_mode & (S_IFMT | 01777), .mtime = (uint32_t)st.st_mtime};

	if (S_ISLNK(st.st_mode))
		return put_link(m, dir, name, &n, e);
	if (S_ISSOCK(st.st_mode) || S_ISFIFO(st.st_mode))
		return put_head(m, &n, e);
	if (!S_ISDIR(st.st_mode) && !S_ISREG(st.st_mode))
		return 0;
	int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return (errno == EACCES && m->partly) || errno == ENOENT
				       ? 0
				       : err_system(e, "cannot read '%s'", path);
	if (S_ISDIR(st.st_mode)) {
		if (put_head(m, &n, e) == 0)
			return put_dir(m, fd, path, depth, e);
		close(fd);
		return -1;
	}
	n.size = (uint64_t)st.st_size;
	int rc = put_file(m, fd, &n, e);
	close(fd);
	return rc;
}

/* The directories above belong to root, and everybody may pass. */
static int put_parents(struct vm_image *m, const char *path, struct err *e)
{
	uint32_t uid = m->uid, gid = m->gid;
	char parent[PATH_MAX];
	int rc = 0;

	m->uid = m->gid = 0;
	for (size_t i = 1; path[i] && rc == 0; i++)
		if (path[i] == '/') {
			memcpy(parent, path, i);
			parent[i] = 0;
			rc = vm_image_dir(m, parent, e);
		}
	m->uid = uid;
	m->gid = gid;
	return rc;
}

int vm_image_tree(struct vm_image *m, const char *path, struct err *e)
{
	char at[PATH_MAX];

	if (path[0] != '/' || strlen(path) >= sizeof(at))
		return err_input(e, "'%s' cannot travel to the machine", path);
	memcpy(at, path, strlen(path) + 1);
	return put_parents(m, path, e) == 0 ? put_tree(m, AT_FDCWD, path, at, 0, e) : -1;
}

int vm_image_close(struct vm_image *m, struct err *e)
{
	int rc = put_head(m, &(struct image_entry){.name = "TRAILER!!!"}, e);

	if (rc == 0)
		rc = flush(m, e);
	fd_close(&m->fd);
	return rc;
}
