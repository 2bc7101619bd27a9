/* See image_tree.h. */
#define _GNU_SOURCE
#include "image/image_tree.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/texts.h"
#include "model/spec.h"
#include "sys/file.h"
#include "sys/mounts.h"

#define DIRECTORY (O_PATH | O_DIRECTORY | O_NOFOLLOW)
#define READ_BYTES ((size_t)64 << 10)

/* Directories that are links into /usr in a merged system. */
static const char usr_dirs[][8] = {"bin", "lib", "lib32", "lib64", "libx32", "sbin"};

const char *image_usr_dir(size_t i) { return i < ARRAY_SIZE(usr_dirs) ? usr_dirs[i] : NULL; }

void image_tree_init(struct image_tree *t, int root)
{
	*t = (struct image_tree){.root = root, .file = -1, .entries_max = IMAGE_ENTRIES_MAX,
			.bytes_max = IMAGE_BYTES_MAX};
}

void image_tree_close(struct image_tree *t) { fd_close(&t->file); }

/* ---- names ---- */

struct tree_name { /* a checked name: components with single slashes */
	char path[PATH_MAX];
	size_t n;
	unsigned depth; /* number of components */
};

static bool is_merged(struct str part)
{
	size_t i = 0;

	while (image_usr_dir(i) && !str_is(part, image_usr_dir(i)))
		i++;
	return image_usr_dir(i);
}

static int add_part(struct tree_name *to, struct str part)
{
	if (part.n > NAME_MAX || to->depth >= IMAGE_DEPTH_MAX || to->n + part.n + 2 > sizeof(to->path))
		return -1;
	if (to->depth++)
		to->path[to->n++] = '/';
	memcpy(to->path + to->n, part.p, part.n);
	to->n += part.n;
	to->path[to->n] = 0;
	return 0;
}

/* Checks a name of an archive. 1: it is left out. The root itself has no component. */
static int read_name(const struct image_tree *t, struct str name, struct tree_name *ret, struct err *e)
{
	struct str rest = name, part;

	*ret = (struct tree_name){0};
	if (str_starts(name, "/"))
		return err_input(e, "'%.*s': an absolute name", STR_ARG(name));
	if (str_has(name, 0))
		return err_input(e, "'%.*s': a name with NUL", STR_ARG(name));
	while ((part = str_part(&rest)).n) {
		if (str_is(part, ".."))
			return err_input(e, "'%.*s': a name that contains '..'", STR_ARG(name));
		if (!ret->depth && str_is_any(part, SPEC_ROOT_OWN))
			return 1;
		if (!ret->depth && t->merge_usr && is_merged(part) && add_part(ret, STR("usr")) != 0)
			return -1;
		if (add_part(ret, part) != 0)
			return err_limit(e, "'%.200s…': a name that is too long or too deep", ret->path);
	}
	return 0;
}

static int count_entry(struct image_tree *t, struct err *e)
{
	return t->entries++ < t->entries_max ? 0 : err_limit(e, "the image has more than %llu names",
			(unsigned long long)t->entries_max);
}

static int cannot_enter(const struct tree_name *name, struct err *e)
{
	if (errno == ELOOP || errno == EXDEV || errno == ENOTDIR)
		return err_input(e, "'%s': the way to it leads through a link or a file", name->path);
	return err_system(e, "cannot make '%s'", name->path);
}

static int cannot_make(const struct tree_name *name, struct err *e)
{
	if (errno == EISDIR || errno == EEXIST)
		return err_input(e, "'%s' is a directory and something else in one image", name->path);
	return err_system(e, "cannot make '%s'", name->path);
}

/* Opens the first n bytes of the name as a directory, and makes it where it is missing. */
static int make_dir(struct image_tree *t, struct tree_name *name, size_t n, struct err *e)
{
	int fd = open_beneath(t->root, ".", DIRECTORY);

	for (size_t from = 0; fd >= 0 && from < n;) {
		size_t to = from + strcspn(name->path + from, "/");
		FD_CLEANUP int above = fd;
		char part[NAME_MAX + 1];

		str_put(part, sizeof(part), "%.*s", (int)(to - from), name->path + from);
		fd = -1;
		if (mkdirat(above, part, 0700) == 0) {
			if (count_entry(t, e) != 0)
				return -1;
		} else if (errno != EEXIST)
			break;
		fd = open_beneath(above, part, DIRECTORY);
		from = to + 1;
	}
	return fd >= 0 ? fd : cannot_enter(name, e);
}

/* Opens the directory of a name. Its last component is *ret_last. Most of them exist. */
static int open_dir_of(struct image_tree *t, struct tree_name *name, const char **ret_last, struct err *e)
{
	char *slash = strrchr(name->path, '/');
	int fd;

	*ret_last = slash ? slash + 1 : name->path;
	if (!slash)
		return make_dir(t, name, 0, e);
	*slash = 0;
	fd = open_beneath(t->root, name->path, DIRECTORY);
	*slash = '/';
	return fd >= 0 || errno != ENOENT ? (fd >= 0 ? fd : cannot_enter(name, e))
					  : make_dir(t, name, (size_t)(slash - name->path), e);
}

/*
 * The place for a file or link: opens its directory and removes what has this name. 1: the name is left out.
 */
static int make_room(struct image_tree *t, struct str text, struct tree_name *name, int *ret_dir,
		const char **ret_last, struct err *e)
{
	int rc = read_name(t, text, name, e);

	if (rc != 0)
		return rc;
	if (!name->depth)
		return err_input(e, "the root of the image is no directory");
	if (count_entry(t, e) != 0)
		return -1;
	*ret_dir = open_dir_of(t, name, ret_last, e);
	if (*ret_dir < 0)
		return -1;
	return unlinkat(*ret_dir, *ret_last, 0) == 0 || errno == ENOENT ? 0 : cannot_make(name, e);
}

/* ---- entries ---- */

int image_tree_dir(struct image_tree *t, struct str text, struct err *e)
{
	struct tree_name name;
	int rc = read_name(t, text, &name, e);

	if (rc != 0)
		return rc;
	FD_CLEANUP int fd = make_dir(t, &name, name.n, e);
	return fd < 0 ? -1 : 0;
}

/* True if the link's target climbs above the root, taken by its text. */
static bool climbs_out(struct str target, unsigned depth)
{
	struct str part;

	if (str_starts(target, "/"))
		depth = 0;
	while ((part = str_part(&target)).n) {
		if (!str_is(part, ".."))
			depth++;
		else if (!depth--)
			return true;
	}
	return false;
}

int image_tree_link(struct image_tree *t, struct str text, struct str target, struct err *e)
{
	struct tree_name name;
	const char *last;
	char to[PATH_MAX];
	FD_CLEANUP int dir = -1;
	int rc = make_room(t, text, &name, &dir, &last, e);

	if (rc != 0)
		return rc;
	if (!target.n || target.n >= sizeof(to) || str_has(target, 0))
		return err_input(e, "'%s': a link without a valid target", name.path);
	if (climbs_out(target, name.depth - 1))
		return err_input(e, "'%s': a link out of the image", name.path);
	str_put(to, sizeof(to), "%.*s", STR_ARG(target));
	return symlinkat(to, dir, last) == 0 ? 0 : cannot_make(&name, e);
}

int image_tree_hard_link(struct image_tree *t, struct str text, struct str target, struct err *e)
{
	struct tree_name name, other;
	const char *last;
	char path[64];
	struct stat st;
	int rc = read_name(t, target, &other, e);

	if (rc < 0)
		return -1;
	/* looked at first: the name may be that of the target itself, which is no change */
	FD_CLEANUP int file = rc > 0 ? -1 : open_beneath(t->root, other.path, O_PATH);
	if (file < 0 || fstat(file, &st) != 0 || !S_ISREG(st.st_mode))
		return err_input(e, "'%.*s': a hard link to '%.*s', which is not a file in the image",
				STR_ARG(text), STR_ARG(target));
	if (read_name(t, text, &name, e) == 0 && !strcmp(name.path, other.path))
		return 0;
	FD_CLEANUP int dir = -1;
	rc = make_room(t, text, &name, &dir, &last, e);
	if (rc != 0)
		return rc;
	str_put(path, sizeof(path), "/proc/self/fd/%d", file);
	return linkat(AT_FDCWD, path, dir, last, AT_SYMLINK_FOLLOW) == 0 ? 0 : cannot_make(&name, e);
}

int image_tree_file(struct image_tree *t, struct str text, uint64_t size, struct err *e)
{
	struct tree_name name;
	const char *last;
	FD_CLEANUP int dir = -1;
	int rc = make_room(t, text, &name, &dir, &last, e);

	if (rc != 0)
		return rc;
	if (size > t->bytes_max - t->bytes)
		return err_limit(e, "the files of the image have more than %llu bytes",
				(unsigned long long)t->bytes_max);
	t->bytes += size;
	t->file = openat(dir, last, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	return t->file >= 0 ? 0 : cannot_make(&name, e);
}

int image_tree_write(struct image_tree *t, struct str bytes, struct err *e)
{
	return fd_write_all(t->file, "a file of the image", bytes, e);
}

int image_tree_file_end(struct image_tree *t, bool executable, struct err *e)
{
	int rc = fchmod(t->file, executable ? 0555 : 0444);

	image_tree_close(t);
	return rc == 0 ? 0 : err_system(e, "cannot change the mode of a file of the image");
}

static const struct {
	char name[20], text[56];
} completed[] = {
	{"etc/hostname", "box\n"},
	{"etc/hosts", "127.0.0.1 localhost box\n::1 localhost box\n"},
	{"etc/resolv.conf", ""},
};

static bool is_there(const struct image_tree *t, const char *name)
{
	return faccessat(t->root, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

int image_tree_complete(struct image_tree *t, struct err *e)
{
	struct stat st;

	if (!t->entries) /* stays empty, which is an error */
		return 0;
	if (fstatat(t->root, "etc", &st, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISDIR(st.st_mode))
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(completed); i++) {
		struct str text = str_of(completed[i].text);

		if (!is_there(t, completed[i].name) &&
				(image_tree_file(t, str_of(completed[i].name), text.n, e) != 0 ||
				image_tree_write(t, text, e) != 0 || image_tree_file_end(t, false, e) != 0))
			return -1;
	}
	return 0;
}

/* ---- sealing ---- */

struct tree_sealing {
	struct arena *a;
	struct image_tree *t;
	struct sha256_state listing;
	struct image_seal seal;
	char path[PATH_MAX];
	char buffer[READ_BYTES];
};

static void list_field(struct tree_sealing *s, struct str text)
{
	sha256_add(&s->listing, text);
	sha256_add(&s->listing, str_n("", 1));
}

static int hash_file(struct tree_sealing *s, int dir, const char *name, struct err *e)
{
	FD_CLEANUP int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct sha256_state content;
	char hex[SHA256_HEX + 1], size[24];
	uint64_t total = 0;
	struct stat st;
	ssize_t n;

	if (fd < 0 || fstat(fd, &st) != 0)
		return err_system(e, "cannot read '%s'", s->path);
	sha256_start(&content);
	while ((n = read(fd, s->buffer, sizeof(s->buffer))) > 0) {
		sha256_add(&content, str_n(s->buffer, (size_t)n));
		total += (uint64_t)n;
	}
	if (n < 0)
		return err_system(e, "cannot read '%s'", s->path);
	sha256_end_hex(&content, hex);
	str_put(size, sizeof(size), "%llu", (unsigned long long)total);
	list_field(s, STR("f"));
	list_field(s, str_of(s->path));
	list_field(s, st.st_mode & 0111 ? STR("x") : STR("-"));
	list_field(s, str_of(size));
	list_field(s, str_of(hex));
	s->seal.bytes += total;
	return 0;
}

static int list_link(struct tree_sealing *s, int dir, const char *name, struct err *e)
{
	ssize_t n = readlinkat(dir, name, s->buffer, PATH_MAX);

	if (n <= 0 || n == PATH_MAX)
		return err_system(e, "cannot read the link '%s'", s->path);
	list_field(s, STR("l"));
	list_field(s, str_of(s->path));
	list_field(s, str_n(s->buffer, (size_t)n));
	return 0;
}

int image_name_order(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The names of a directory, sorted. */
static int read_names(struct tree_sealing *s, int fd, const char ***ret, size_t *ret_n, struct err *e)
{
	struct texts *all = NULL;
	const struct dirent *entry;
	DIR_SCOPE d = {0};
	size_t n = 0;

	dir_scope(&d, s->a, fdopendir(fcntl(fd, F_DUPFD_CLOEXEC, 3)));
	if (!d.dir)
		return err_system(e, "cannot read '%s'", s->path);
	for (errno = 0; (entry = readdir(d.dir)); errno = 0) {
		if (path_is_dots(entry->d_name))
			continue;
		if (++n > IMAGE_ENTRIES_MAX)
			return err_limit(e, "'%s' has too many names", s->path);
		texts_push(s->a, &all, str_dup(s->a, str_of(entry->d_name)));
	}
	if (errno)
		return err_system(e, "cannot read '%s'", s->path);
	*ret = arena_array(s->a, n + 1, sizeof(**ret));
	for (size_t i = 0; all; all = all->next)
		(*ret)[i++] = all->text.p;
	qsort(*ret, n, sizeof(**ret), image_name_order);
	*ret_n = n;
	return 0;
}

static int seal_dir(struct tree_sealing *s, int fd, size_t length, unsigned depth, struct err *e);

static int seal_entry(struct tree_sealing *s, int dir, const char *name, size_t length, unsigned depth,
		struct err *e)
{
	size_t n = str_put(s->path + length, sizeof(s->path) - length, "%s%s", length ? "/" : "", name);
	struct stat st;

	if (length + n >= sizeof(s->path) || depth > IMAGE_DEPTH_MAX)
		return err_limit(e, "'%.200s…': too long or too deep", s->path);
	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return err_system(e, "cannot stat '%s'", s->path);
	s->seal.entries++;
	if (S_ISREG(st.st_mode))
		return hash_file(s, dir, name, e);
	if (S_ISLNK(st.st_mode))
		return list_link(s, dir, name, e);
	if (!S_ISDIR(st.st_mode))
		return err_input(e, "'%s' is neither file, directory nor link", s->path);
	list_field(s, STR("d"));
	list_field(s, str_of(s->path));
	FD_SCOPE fd = {0};
	fd_scope(&fd, s->a, openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
	return fd.fd < 0 ? err_system(e, "cannot read '%s'", s->path)
			 : seal_dir(s, fd.fd, length + n, depth, e);
}

/* A directory becomes read-only after everything in it. */
static int seal_dir(struct tree_sealing *s, int fd, size_t length, unsigned depth, struct err *e)
{
	const char **names = NULL;
	size_t n = 0;

	if (read_names(s, fd, &names, &n, e) != 0)
		return -1;
	for (size_t i = 0; i < n; i++) {
		if (seal_entry(s, fd, names[i], length, depth + 1, e) != 0)
			return -1;
		s->path[length] = 0;
	}
	return fchmod(fd, 0555) == 0 ? 0 : err_system(e, "cannot change the mode of '%s'", s->path);
}

int image_tree_seal(struct arena *a, struct image_tree *t, struct image_seal *ret, struct err *e)
{
	struct tree_sealing *s = arena_new(a, struct tree_sealing);

	*s = (struct tree_sealing){.a = a, .t = t};
	sha256_start(&s->listing);
	if (seal_dir(s, t->root, 0, 0, e) != 0)
		return -1;
	if (!s->seal.entries)
		return err_input(e, "the image is empty");
	sha256_end_hex(&s->listing, s->seal.digest);
	*ret = s->seal;
	return 0;
}
