/* See kept_tmp.h. */
#define _GNU_SOURCE
#include "sys/kept_tmp.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/glob.h"
#include "sys/directory.h"
#include "sys/file.h"
#include "sys/ids.h"
#include "sys/mounts.h"
#include "sys/path.h"
#include "sys/state.h"

#define FOLDER "tmp"
#define LOCK "lock"
#define FILES "files"
#define OLD "old"
#define OPEN_TRIES 8                 /* a sweep may remove the directory at the same time */
#define FILES_MODE 01777             /* as /tmp has; the directory above keeps others out */
#define MOUNT_POINT_MODE 01000       /* of the empty file below a mount; programs make none by chance */
#define DIRECTORY_FLAGS (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)

static struct str project_path(struct arena *a, struct str state, struct str workspace)
{
	return str_fmt(a, "%.*s/" FOLDER "/%.*s", STR_ARG(state), STR_ARG(state_project_key(a, workspace)));
}

struct str kept_tmp_path(struct arena *a, struct str state, struct str workspace)
{
	return str_fmt(a, "%.*s/" FILES, STR_ARG(project_path(a, state, workspace)));
}

void kept_tmp_close(struct kept_tmp *t)
{
	fd_close(&t->files);
	fd_close(&t->lock);
	fd_close(&t->dir);
}

/* ---- directories that their own mode closes ---- */

/* Opens a directory and gives its owner all rights to it. A link is an error. */
static int open_listed(int dir, const char *name)
{
	FD_CLEANUP int at = openat(dir, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (at < 0 || fstat(at, &st) != 0)
		return -1;
	if ((st.st_mode & 0700) != 0700)
		(void)directory_chmod(at, (st.st_mode & 07777) | 0700);
	return openat(dir, name, DIRECTORY_FLAGS);
}

/* ---- deleting ---- */

/* Moves a name below `from` to a new name in `to`. */
static int move_aside(int from, const char *name, int to)
{
	char fresh[ID_LETTERS + 1];

	if (id_new(fresh, NULL) != 0)
		return -1;
	if (renameat(from, name, to, fresh) == 0)
		return 0;
	if (errno != EACCES)
		return -1;
	/* A directory that changes its parent must be writable. */
	FD_CLEANUP int opened = open_listed(from, name);
	return opened < 0 ? -1 : renameat(from, name, to, fresh);
}


/*
 * Deletes the content of a directory in `old` and the directory itself. Directories inside move up to `old`,
 * so that no depth of a tree takes more than three descriptors.
 */
static void delete_directory(int old, const char *name, size_t *left)
{
	int fd = open_listed(old, name);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;

	if (!d)
		fd_close(&fd);
	while (d && *left && (entry = readdir(d))) {
		if (path_is_dots(entry->d_name))
			continue;
		--*left;
		if (unlinkat(dirfd(d), entry->d_name, 0) != 0 && errno == EISDIR)
			(void)move_aside(dirfd(d), entry->d_name, old);
	}
	if (d)
		closedir(d);
	unlinkat(old, name, AT_REMOVEDIR);
}

/* Deletes what is in `old`, names that move up included, until nothing is left or *left is 0. */
static void empty_old(int dir, size_t *left)
{
	size_t before;

	do {
		FD_CLEANUP int fd = openat(dir, OLD, DIRECTORY_FLAGS);
		DIR *d = fd < 0 ? NULL : fdopendir(fd);
		const struct dirent *entry;

		if (!d)
			return;
		fd = -1;
		before = *left;
		while (*left && (entry = readdir(d))) {
			if (path_is_dots(entry->d_name))
				continue;
			--*left;
			if (unlinkat(dirfd(d), entry->d_name, 0) != 0 && errno == EISDIR)
				delete_directory(dirfd(d), entry->d_name, left);
		}
		closedir(d);
	} while (*left && *left < before && unlinkat(dir, OLD, AT_REMOVEDIR) != 0);
}

/* Returns a descriptor of `old`, which is made if it is missing. */
static int open_old(int dir)
{
	if (mkdirat(dir, OLD, 0700) != 0 && errno != EEXIST)
		return -1;
	return openat(dir, OLD, DIRECTORY_FLAGS);
}

/* ---- opening ---- */

static int open_project(const char *top, const char *path, bool *ret_made)
{
	int fd = open(path, DIRECTORY_FLAGS);

	if (fd >= 0 || errno != ENOENT)
		return fd;
	if (mkdir(top, 0700) != 0 && errno != EEXIST)
		return -1;
	*ret_made = mkdir(path, 0700) == 0;
	return *ret_made || errno == EEXIST ? open(path, DIRECTORY_FLAGS) : -1;
}

/* True if the lock still has its name: a sweep did not remove it before we had it. */
static bool has_name(int dir, int lock)
{
	struct stat named, held;

	return fstat(lock, &held) == 0 && fstatat(dir, LOCK, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
			named.st_ino == held.st_ino && named.st_dev == held.st_dev;
}

static void note_use(int lock)
{
	struct stat st;

	if (fstat(lock, &st) == 0 && st.st_mtime + KEPT_TMP_FRESH_S < time(NULL))
		(void)futimens(lock, NULL);
}

/* A box shares the lock, and waits for it; a cleaner has it alone, or not at all. */
static int set_lock(int fd, bool alone)
{
	struct flock whole = {.l_type = alone ? F_WRLCK : F_RDLCK, .l_whence = SEEK_SET};
	int rc;

	do
		rc = fcntl(fd, alone ? F_OFD_SETLK : F_OFD_SETLKW, &whole);
	while (rc != 0 && errno == EINTR);
	return rc;
}

/* Takes the lock of an open project directory. -1 with errno; ENOENT: the directory was removed. */
static int take_lock(int dir, bool alone)
{
	FD_CLEANUP int fd = openat(dir, LOCK, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	int taken;

	if (fd < 0)
		return -1;
	if (set_lock(fd, alone) != 0)
		return -1;
	if (!has_name(dir, fd)) {
		errno = ENOENT;
		return -1;
	}
	taken = fd;
	fd = -1;
	return taken;
}

/* The program in a box owns `files` and may have changed its mode. */
static int open_files(int dir)
{
	if (mkdirat(dir, FILES, FILES_MODE) != 0 && errno != EEXIST)
		return -1;
	FD_CLEANUP int at = openat(dir, FILES, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (at < 0 || directory_chmod(at, FILES_MODE) != 0)
		return -1;
	return openat(dir, FILES, DIRECTORY_FLAGS);
}

int kept_tmp_open(struct arena *a, struct str state, struct str workspace, struct kept_tmp *ret,
		struct err *e)
{
	const char *top = str_fmt_c(a, "%.*s/" FOLDER, STR_ARG(state));
	const char *path = str_c(a, project_path(a, state, workspace));
	KEPT_TMP_CLEANUP struct kept_tmp t = {-1, -1, -1};
	bool made = false;

	for (int i = 0; i < OPEN_TRIES && t.lock < 0; i++) {
		kept_tmp_close(&t);
		t.dir = open_project(top, path, &made);
		t.lock = t.dir < 0 ? -1 : take_lock(t.dir, false);
		if (t.lock < 0 && errno != ENOENT)
			break;
	}
	if (t.lock >= 0)
		t.files = open_files(t.dir);
	if (t.files < 0)
		return err_system(e, "cannot make '%s' for the /tmp of the box", path);
	note_use(t.lock);
	*ret = t;
	t = (struct kept_tmp){-1, -1, -1};
	if (made)
		kept_tmp_sweep(a, state, time(NULL));
	return 0;
}

/* ---- mount points ---- */

static int move_to_old(int dir, int at, const char *name)
{
	FD_CLEANUP int old = open_old(dir);

	return old < 0 ? -1 : move_aside(at, name, old);
}

/* Makes or opens one directory on the way. Anything else in its place moves to `old` of the project `dir`. */
static int step_into(int dir, int at, const char *name)
{
	for (int i = 0; i < 3; i++) {
		int next = open_listed(at, name);

		if (next >= 0)
			return next;
		if (errno == ENOENT ? mkdirat(at, name, 0755) != 0 && errno != EEXIST
				    : (errno != ENOTDIR && errno != ELOOP) || move_to_old(dir, at, name) != 0)
			return -1;
	}
	return -1;
}

static bool is_mount_point(const struct stat *st)
{
	return S_ISREG(st->st_mode) && !st->st_size && (st->st_mode & 07777) == MOUNT_POINT_MODE;
}

static int make_file(int dir, int at, const char *name)
{
	for (int i = 0; i < 2; i++) {
		struct stat st;

		if (fstatat(at, name, &st, AT_SYMLINK_NOFOLLOW) == 0) {
			if (S_ISREG(st.st_mode))
				return 0;
			if (move_to_old(dir, at, name) != 0)
				return -1;
		}
		FD_CLEANUP int fd = openat(at, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0);
		if (fd >= 0)
			return fchmod(fd, MOUNT_POINT_MODE);
		if (errno != EEXIST)
			return -1;
	}
	return -1;
}

/* Opens the directory of a name; *ret_name is the last part. With `dir` < 0 nothing is made or moved. */
static int open_above(int dir, int files, const char *path, const char **ret_name)
{
	FD_CLEANUP int at = openat(files, ".", DIRECTORY_FLAGS);
	char name[NAME_MAX + 1];
	int found;

	for (int depth = 0; at >= 0; depth++) {
		const char *slash = strchr(path, '/');
		size_t n = slash ? (size_t)(slash - path) : strlen(path);

		if (!n || n > NAME_MAX || depth > KEPT_TMP_DEPTH_MAX) {
			errno = ENAMETOOLONG;
			return -1;
		}
		if (!slash)
			break;
		memcpy(name, path, n);
		name[n] = 0;
		FD_CLEANUP int next = path_is_dots(name) ? -1 : dir >= 0 ? step_into(dir, at, name)
				: openat(at, name, DIRECTORY_FLAGS);
		fd_close(&at);
		at = next;
		next = -1;
		path = slash + 1;
	}
	*ret_name = path;
	found = at;
	at = -1;
	return path_is_dots(path) ? -1 : found;
}

int kept_tmp_mount_point(const struct kept_tmp *t, const char *path, bool directory)
{
	const char *name = path;
	FD_CLEANUP int at = open_above(t->dir, t->files, path, &name);
	FD_CLEANUP int made = at >= 0 && directory ? step_into(t->dir, at, name) : -1;

	if (at < 0)
		return -1;
	return directory ? (made < 0 ? -1 : 0) : make_file(t->dir, at, name);
}

void kept_tmp_remove_mount_point(const struct kept_tmp *t, const char *path)
{
	const char *name = path;
	FD_CLEANUP int at = open_above(-1, t->files, path, &name);
	struct stat st;

	/* Removing a name removes the mounts of other boxes on it. */
	if (at < 0 || fstatat(at, name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !is_mount_point(&st) ||
			set_lock(t->lock, true) != 0)
		return;
	unlinkat(at, name, 0);
}

/* ---- questions ---- */

bool kept_tmp_has(struct arena *a, struct str state, struct str workspace, struct str path)
{
	struct stat st;

	if (!str_starts(path, "/tmp/") || !state.n || !workspace.n)
		return false;
	const char *dir = str_c(a, kept_tmp_path(a, state, workspace)),
			*below = str_c(a, str_from(path, 5));
	FD_CLEANUP int files = open(dir, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	FD_CLEANUP int fd = files < 0 ? -1 : open_beneath(files, below, O_PATH | O_NOFOLLOW);
	return fd >= 0 && fstat(fd, &st) == 0 && !is_mount_point(&st);
}

struct kept_look {
	size_t left; /* names */
	bool filled; /* see kept_tmp_matches() */
};

static bool below_counts(int dir, const char *name, const char *pattern, struct kept_look *k, unsigned depth);

/* True if a name in the directory matches the pattern and counts. "": all names. */
static bool names_count(int dir, const char *pattern, struct kept_look *k, unsigned depth)
{
	size_t n = strcspn(pattern, "/");
	struct str part = str_n(pattern, n);
	const char *rest = pattern + n + (pattern[n] == '/');
	const struct dirent *entry;
	bool found = false;
	DIR *d = fdopendir(dir);

	if (!d)
		fd_close(&dir);
	while (d && !found && k->left && (entry = readdir(d))) {
		struct str name = str_of(entry->d_name);
		bool hidden = path_is_dots(name.p) || (name.p[0] == '.' && n && *pattern != '.');

		k->left--;
		found = !hidden && (!n || glob_may(part, name, GLOB_PATH) != GLOB_NO) &&
				below_counts(dirfd(d), name.p, rest, k, depth);
	}
	if (d)
		closedir(d);
	return found;
}

/* True if the name counts; with a rest of a pattern, if a name below it does. */
static bool below_counts(int dir, const char *name, const char *pattern, struct kept_look *k, unsigned depth)
{
	struct stat st;
	int fd;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return false;
	if (!S_ISDIR(st.st_mode))
		return !*pattern && !is_mount_point(&st);
	if (!*pattern && !k->filled)
		return true;
	if (depth >= KEPT_TMP_LOOK_DEPTH || k->left <= KEPT_TMP_OPEN_COST)
		return false;
	k->left -= KEPT_TMP_OPEN_COST;
	fd = openat(dir, name, DIRECTORY_FLAGS);
	return fd >= 0 && names_count(fd, pattern, k, depth + 1);
}

static int open_kept(struct arena *a, struct str state, struct str workspace, struct str dir)
{
	if (!path_inside(dir, STR("/tmp")) || !state.n || !workspace.n)
		return -1;
	const char *top = str_c(a, kept_tmp_path(a, state, workspace)),
			*below = dir.n > 5 ? str_c(a, str_from(dir, 5)) : ".";
	FD_CLEANUP int files = open(top, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return files < 0 ? -1 : open_beneath(files, below, DIRECTORY_FLAGS);
}

bool kept_tmp_matches(struct arena *a, struct str state, struct str workspace, struct str pattern,
		bool filled)
{
	struct kept_look k = {.left = KEPT_TMP_NAMES_MAX, .filled = filled};
	int fd = str_starts(pattern, "/tmp/") ? open_kept(a, state, workspace, STR("/tmp")) : -1;

	return fd >= 0 && names_count(fd, str_c(a, str_from(pattern, 5)), &k, 0);
}

bool kept_tmp_filled(struct arena *a, struct str state, struct str workspace, struct str dir)
{
	struct kept_look k = {.left = KEPT_TMP_NAMES_MAX, .filled = true};
	int fd = open_kept(a, state, workspace, dir);

	return fd >= 0 && names_count(fd, "", &k, 0);
}

/* ---- cleaning ---- */

/* Moves `files` away while no box uses it, and removes the directory if nothing is left. */
static void clean_project(int top, const char *key, size_t *left)
{
	FD_CLEANUP int dir = openat(top, key, DIRECTORY_FLAGS);
	FD_CLEANUP int lock = dir < 0 ? -1 : take_lock(dir, true);
	FD_CLEANUP int old = lock < 0 ? -1 : open_old(dir);

	if (old < 0)
		return;
	(void)move_aside(dir, FILES, old);
	fd_close(&old);
	empty_old(dir, left);
	unlinkat(dir, OLD, AT_REMOVEDIR);
	/* This process alone has the lock: others wait for it, and then find that it has lost its name. */
	if (faccessat(dir, OLD, F_OK, AT_SYMLINK_NOFOLLOW) != 0 &&
			faccessat(dir, FILES, F_OK, AT_SYMLINK_NOFOLLOW) != 0 && unlinkat(dir, LOCK, 0) == 0)
		unlinkat(top, key, AT_REMOVEDIR);
}

static int open_top(struct arena *a, struct str state)
{
	return open(str_fmt_c(a, "%.*s/" FOLDER, STR_ARG(state)), DIRECTORY_FLAGS);
}

void kept_tmp_clean(struct arena *a, struct str state, struct str workspace)
{
	const char *key = str_c(a, state_project_key(a, workspace));
	size_t left = KEPT_TMP_DELETES_MAX;
	FD_CLEANUP int top = open_top(a, state);

	if (top >= 0)
		clean_project(top, key, &left);
}

static bool is_unused(int top, const char *key, int64_t now_s)
{
	FD_CLEANUP int dir = openat(top, key, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	return dir >= 0 && (fstatat(dir, LOCK, &st, AT_SYMLINK_NOFOLLOW) == 0 || fstat(dir, &st) == 0) &&
			st.st_mtime + KEPT_TMP_AGE_S < now_s;
}

void kept_tmp_sweep(struct arena *a, struct str state, int64_t now_s)
{
	int top = open_top(a, state);
	DIR *d = top < 0 ? NULL : fdopendir(top);
	size_t left = KEPT_TMP_DELETES_MAX;
	const struct dirent *entry;

	if (!d)
		fd_close(&top);
	for (size_t n = 0; d && left && n < KEPT_TMP_PROJECTS_MAX && (entry = readdir(d)); n++) {
		if (entry->d_name[0] == '.')
			continue;
		if (is_unused(top, entry->d_name, now_s)) {
			clean_project(top, entry->d_name, &left);
			continue;
		}
		FD_CLEANUP int dir = openat(top, entry->d_name, DIRECTORY_FLAGS);
		if (dir >= 0 && faccessat(dir, OLD, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
			empty_old(dir, &left);
	}
	if (d)
		closedir(d);
}
