/*
 * The box's own copies of git's configurations.
 *
 * Git in a box may change settings, git on the host must not obey them. So the box has a copy of each
 * configuration, in STATE/git/WORKSPACE, which it sees as /caisson/git/WORKSPACE. In the place of the
 * configuration it sees a link to the copy (OP_COVER): git follows that link before it makes its lock file
 * and renames it. The host's file is untouched while the box runs, and no git on the host ever reads the
 * copy.
 *
 * After the run the launcher, or the undertaker of a killed one, merges settings of a positive list
 * (git_merge.c) into the host's file. It overwrites the file in place, since renaming over a name lifts the
 * mounts on it in other boxes; git's own lock keeps other writers away.
 *
 * The directory stays: making and removing files costs more than comparing them. Whoever uses it has its
 * lock, and trusts nothing in it: a copy is used again if it is a file with one name and the right text, and
 * everything else is removed, at the start and at the end. A box beside another one of the workspace has a
 * directory of its own, STATE/git/RUN-WORKSPACE, which is removed; one that was left because everything was
 * killed at once has nobody's lock, and the next run removes it.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h> /* renameat */
#include <sys/syscall.h>
#include <unistd.h>

#include "box/git_merge.h"
#include "box/protect_inner.h"
#include "sys/directory.h"
#include "sys/file.h"

#define PRIVATE_MAX 64
#define FOLDER "git"
#define INSIDE "/caisson/git"
#define LINKS "/caisson/links"
#define NAME_HEX 16
#define LOCK_MODE 0400  /* git's own locks can be written by their owner */
#define LOCK_TRIES 40
#define LOCK_WAIT_NS 5000000
#define REMOVE_ENTRIES ((size_t)1 << 20)
#define REFUSED_SHOWN 6
#define KEPT_MAX 64     /* directories that stay, of all workspaces */

static bool lock_alone(int fd) { return syscall(SYS_flock, fd, LOCK_EX | LOCK_NB) == 0; }

/* ---- removing ---- */

struct copies_removal {
	int top;             /* -1: the entries of the directory itself */
	size_t *left;
	unsigned *moved;
};

/*
 * Programs may have put anything there. Nothing is followed, and nothing leads out. A directory in a
 * directory is moved up, so that a deep tree needs no deep stack.
 */
static void remove_entry(void *ctx, int fd, const char *name, unsigned char type)
{
	const struct copies_removal *r = ctx;
	char as[32];

	if (type != DT_DIR) {
		unlinkat(fd, name, 0);
		return;
	}
	FD_CLEANUP int path = openat(fd, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (path >= 0)
		directory_chmod(path, 0700);
	if (r->top >= 0) {
		str_put(as, sizeof as, "moved-%u", ++*r->moved);
		renameat(fd, name, r->top, as);
		return;
	}
	FD_CLEANUP int dir = openat(fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (dir >= 0)
		dir_each(dir, r->left, remove_entry, &(struct copies_removal){fd, r->left, r->moved});
	unlinkat(fd, name, AT_REMOVEDIR);
}

static void remove_tree(int at, const char *name)
{
	FD_CLEANUP int dir = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	size_t left = REMOVE_ENTRIES, before = 0;
	unsigned moved = 0;

	while (dir >= 0 && left != before && unlinkat(at, name, AT_REMOVEDIR) != 0) {
		before = left;
		if (lseek(dir, 0, SEEK_SET) < 0)
			return;
		dir_each(dir, &left, remove_entry, &(struct copies_removal){-1, &left, &moved});
	}
}

/* True for a copy as it was made. Its text may have changed. */
static bool is_copy(const struct protect *p, int fd, const char *name)
{
	const struct private_config *c = p->privates;
	struct stat st;

	while (c && strcmp(c->name, name) != 0)
		c = c->next;
	return c && fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode) &&
			st.st_nlink == 1 && st.st_size == (off_t)c->base.n;
}

/* A program may have closed a directory to its owner. */
static int open_reopened(int at, const char *name)
{
	FD_CLEANUP int path = openat(at, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (path < 0 || fstat(path, &st) < 0 ||
			((st.st_mode & 07777) != 0700 && directory_chmod(path, 0700) < 0))
		return -1;
	return openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static void remove_stranger(void *ctx, int fd, const char *name, unsigned char type)
{
	if (is_copy(ctx, fd, name))
		return;
	if (type != DT_DIR) {
		unlinkat(fd, name, 0);
		return;
	}
	int dir = open_reopened(fd, name);
	fd_close(&dir);
	remove_tree(fd, name);
}

static void remove_strangers(struct protect *p)
{
	size_t left = REMOVE_ENTRIES;

	if (lseek(p->private_fd, 0, SEEK_SET) == 0)
		dir_each(p->private_fd, &left, remove_stranger, p);
}

void private_end(struct protect *p)
{
	if (p->private_dir && p->private_stays && p->private_fd >= 0)
		remove_strangers(p);
	else if (p->private_dir && !p->private_stays)
		remove_tree(AT_FDCWD, p->private_dir);
	p->private_dir = NULL;
	fd_close(&p->private_fd);
}

/* For the undertaker: the launcher's lock is gone, and the next run may have the directory already. */
void private_retake(struct protect *p)
{
	p->private_fd = p->private_dir ? open(p->private_dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
				       : -1;
	if (p->private_fd >= 0 && lock_alone(p->private_fd))
		return;
	fd_close(&p->private_fd);
	p->private_dir = NULL;
}

/* A directory of a run of which nothing lives any more, or one too many of those that stay. */
static void sweep_entry(void *ctx, int fd, const char *name, unsigned char type)
{
	size_t *stay = ctx;
	bool leave = type != DT_DIR || (!strchr(name, '-') && ++*stay <= KEPT_MAX);
	FD_CLEANUP int dir = leave ? -1 : openat(fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (dir >= 0 && lock_alone(dir))
		remove_tree(fd, name);
}

/* ---- before ---- */

/* Makes a directory, or opens the one that is there. -1: not possible, or another box has it. */
static int directory_take(int folder, const char *name, bool stays)
{
	FD_CLEANUP int fd = stays ? open_reopened(folder, name) : -1;
	struct stat st;
	int got;

	if (fd < 0 && mkdirat(folder, name, 0700) == 0)
		fd = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || !lock_alone(fd) || fstat(fd, &st) < 0 || st.st_uid != geteuid())
		return -1;
	got = fd;
	fd = -1;
	return got;
}

/* The directory of this run, without links on its way. False: there can be none. */
static bool directory_make(struct protect *p)
{
	const char *state = protect_state(p), *folder = path_join(p->a, state, FOLDER), *run = p->vet_name;
	struct stat st;
	size_t left = PRIVATE_MAX * PRIVATE_MAX, stay = 0;

	if (p->private_fd >= 0)
		return true;
	if (!state[0] || !p->vet_name[0] || p->nprivates)
		return false;
	HELD dir = {p, held_add(p, open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC))};
	if (dir.fd < 0 && errno == ENOENT && mkdir(folder, 0700) == 0)
		dir.fd = held_add(p, open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
	if (dir.fd < 0 || fstat(dir.fd, &st) < 0 || st.st_uid != geteuid() || (st.st_mode & 022))
		return false;
	dir_each(dir.fd, &left, sweep_entry, &stay);
	folder = str_c(p->a, link_text(p->a, AT_FDCWD, str_fmt_c(p->a, "/proc/self/fd/%d", dir.fd)));
	if (folder[0] != '/')
		return false;
	p->private_stays = true;
	p->private_fd = directory_take(dir.fd, run, true);
	if (p->private_fd < 0) {
		p->private_stays = false;
		run = str_fmt_c(p->a, "%s-%s", path_basename(str_c(p->a, p->quarantine)), run);
		p->private_fd = directory_take(dir.fd, run, false);
	}
	if (p->private_fd >= 0)
		p->private_dir = path_join(p->a, folder, run);
	return p->private_fd >= 0;
}

/* A copy of an earlier run, which a program may have replaced by anything. */
static bool copy_is_there(struct protect *p, const char *name, struct str text)
{
	HELD file = {p, held_add(p, openat(p->private_fd, name,
			O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC))};
	char *now = arena_alloc(p->a, text.n + 1);
	struct stat st;

	return file.fd >= 0 && fstat(file.fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_nlink == 1 &&
			st.st_uid == geteuid() && (st.st_mode & 07777) == 0644 &&
			st.st_size == (off_t)text.n && read(file.fd, now, text.n + 1) == (ssize_t)text.n &&
			memcmp(now, text.p, text.n) == 0;
}

static int copy_make(struct protect *p, const char *name, struct str text)
{
	if (p->private_stays && copy_is_there(p, name, text))
		return 0;
	if (p->private_stays)
		unlinkat(p->private_fd, name, 0);
	HELD file = {p, held_add(p, openat(p->private_fd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW |
			O_CLOEXEC, 0644))};

	return file.fd < 0 || fd_write_all(file.fd, name, text, NULL) < 0 ? -1 : 0;
}

/* The .gitmodules beside a directory called .git. No box can change it. */
static struct str modules_of(struct protect *p, const char *config)
{
	const char *gitdir = path_dirname(p->a, config),
		   *path = path_join(p->a, path_dirname(p->a, gitdir), ".gitmodules");
	struct str text;

	if (!dotgit_name(path_basename(gitdir)) || !protect_kept(p, path) ||
			below_read(p->a, p->ws, path, PROTECT_CONFIG_MAX, &text) < 0)
		return STR("");
	return text;
}

static void private_add(struct protect *p, const struct kept *k)
{
	char hex[SHA256_HEX + 1];
	struct private_config *c;
	struct str base = STR("");

	/* The file is overwritten: it must have no other name. */
	if (k->kind == KEPT_PATH && (!S_ISREG(k->st.st_mode) || k->st.st_nlink != 1 ||
			(geteuid() && k->st.st_uid != geteuid()) ||
			below_read(p->a, p->ws, k->path, PROTECT_CONFIG_MAX, &base) < 0))
		return;
	if (p->nprivates >= PRIVATE_MAX || !directory_make(p))
		return;
	sha256_hex(str_of(k->path), hex);
	hex[NAME_HEX] = 0;
	c = arena_copy(p->a, (struct private_config){.next = p->privates, .path = k->path,
			.name = str_c(p->a, str_of(hex)), .base = base, .modules = modules_of(p, k->path)});
	/* A file that is missing is empty: programs that walk a tree give up at a link that leads nowhere. */
	if (copy_make(p, c->name, base) < 0)
		return;
	p->privates = c;
	p->nprivates++;
}

static struct str inside_of(struct protect *p) { return str_fmt(p->a, INSIDE "/%s", p->vet_name); }

static const char *link_of(struct protect *p, const struct private_config *c)
{
	return str_fmt_c(p->a, LINKS "/%s-%s", p->vet_name, c->name);
}

void private_begin(struct protect *p, struct ops *ops)
{
	for (const struct kept *k = p->kept; k; k = k->next)
		if (k->flags & NAME_PRIVATE && (k->kind == KEPT_PATH || k->kind == KEPT_MADE))
			private_add(p, k);
	if (!p->privates)
		return;
	if (p->private_stays)
		remove_strangers(p);
	ops_add(p->a, ops, OP_BIND, OP_CALLERS | OP_WRITABLE, str_of(p->private_dir), inside_of(p));
	for (const struct private_config *c = p->privates; c; c = c->next)
		ops_add(p->a, ops, OP_LINK, 0, str_path(p->a, inside_of(p), str_of(c->name)),
				str_of(link_of(p, c)));
}

const char *private_link(struct protect *p, const char *path)
{
	for (const struct private_config *c = p->privates; c; c = c->next)
		if (!strcmp(c->path, path))
			return link_of(p, c);
	return NULL;
}

/* ---- after ---- */

/*
 * A lock of ours is an empty file that its holder has locked with flock() as well. If the holder dies, even
 * with its undertaker, anybody sees that nobody holds it.
 */
static bool is_our_lock(int dir, const char *name, int fd)
{
	struct stat st, named;

	return fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && (st.st_mode & 07777) == LOCK_MODE &&
			st.st_uid == geteuid() && !st.st_size && lock_alone(fd) &&
			fstatat(dir, name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
			named.st_dev == st.st_dev && named.st_ino == st.st_ino;
}

/* Removes a lock of ours that nobody holds. */
static void remove_stale(int dir, const char *name)
{
	FD_CLEANUP int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

	if (is_our_lock(dir, name, fd))
		unlinkat(dir, name, 0);
}

void private_unlock(struct protect *p)
{
	char parent[PROTECT_PATH_MAX];
	const char *name = p->config_lock ? path_basename(p->config_lock) : NULL;

	if (!name || (size_t)(name - p->config_lock) >= sizeof parent)
		return;
	str_put(parent, sizeof parent, "%.*s", (int)(name - p->config_lock), p->config_lock);
	FD_CLEANUP int dir = below_open(p->ws, parent, O_PATH | O_DIRECTORY);
	if (dir >= 0)
		remove_stale(dir, name);
	p->config_lock = NULL;
}

/* Makes the lock and returns its descriptor; -1: another process has it. */
static int config_lock(struct protect *p, int dir, const char *path)
{
	const char *lock = str_fmt_c(p->a, "%s.lock", path), *name = path_basename(lock);

	p->config_lock = lock; /* before the file is there: the launcher may be killed at any time */
	for (int i = 0; i < LOCK_TRIES; i++) {
		int fd = held_add(p, openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
				LOCK_MODE));

		if (is_our_lock(dir, name, fd))
			return fd;
		if (fd < 0 && errno != EEXIST)
			break;
		held_close(&(struct held){p, fd});
		remove_stale(dir, name);
		nanosleep(&(struct timespec){.tv_nsec = LOCK_WAIT_NS}, NULL);
	}
	p->config_lock = NULL;
	return -1;
}

/* One write in place. A text that became shorter is padded by empty lines first, so that it is never torn. */
static int overwrite(struct protect *p, int fd, const char *path, struct str text)
{
	struct stat st;
	struct buf b;

	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_nlink != 1 ||
			st.st_size > (off_t)PROTECT_CONFIG_MAX)
		return -1;
	buf_init(&b, p->a, 0);
	buf_str(&b, text);
	while ((off_t)b.n < st.st_size)
		buf_char(&b, '\n');
	return fd_write_all(fd, path, buf_view(&b), NULL) < 0 || ftruncate(fd, (off_t)text.n) < 0 ? -1 : 0;
}

/* A placeholder that other boxes share cannot be written by its mode. */
static int config_write(struct protect *p, int dir, const char *path, struct str text)
{
	const char *name = path_basename(path);
	struct stat st;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && placeholder_at(p, path, &st, 0) &&
			!st.st_size) {
		HELD at = {p, held_add(p, openat(dir, name, O_PATH | O_NOFOLLOW | O_CLOEXEC))};

		if (at.fd >= 0)
			directory_chmod(at.fd, 0644);
	}
	HELD file = {p, held_add(p, openat(dir, name,
			O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0644))};
	return file.fd < 0 ? -1 : overwrite(p, file.fd, path, text);
}

static void report_refused(struct protect *p, const struct private_config *c, const struct texts *names)
{
	struct buf b;
	size_t n = 0;

	buf_init(&b, p->a, 0);
	buf_c(&b, "settings made in the box, not taken over (set them outside of it): ");
	for (; names; names = names->next, n++)
		if (n < REFUSED_SHOWN)
			buf_fmt(&b, "%s%.*s", n ? ", " : "", STR_ARG(names->text));
	if (n > REFUSED_SHOWN)
		buf_fmt(&b, " and %zu more", n - REFUSED_SHOWN);
	protect_report(p, c->path, str_c(p->a, buf_view(&b)), STR(""));
}

static void report_failed(struct protect *p, const struct private_config *c, const char *why)
{
	protect_report(p, c->path, str_fmt_c(p->a, "settings made in the box, not taken over: %s", why),
			STR(""));
}

static void merge_locked(struct protect *p, const struct private_config *c, int dir, struct str box)
{
	struct git_merge m = {.base = c->base, .box = box, .modules = c->modules};
	struct git_merged got;
	struct stat st;

	if (below_read(p->a, p->ws, c->path, PROTECT_CONFIG_MAX, &m.now) < 0) {
		if (c->base.n || fstatat(dir, path_basename(c->path), &st, AT_SYMLINK_NOFOLLOW) == 0) {
			report_failed(p, c, "the file was replaced");
			return;
		}
		m.now = STR("");
	}
	if (!git_merge(p->a, &m, &got))
		report_failed(p, c, "they cannot be read");
	if (got.refused)
		report_refused(p, c, got.refused);
	if (got.taken && config_write(p, dir, c->path, got.text) < 0)
		report_failed(p, c, "the file cannot be written");
}

static void merge_one(struct protect *p, const struct private_config *c, int copies)
{
	struct stat st;
	struct str box;

	if (below_read(p->a, copies, c->name, PROTECT_CONFIG_MAX, &box) < 0) {
		/* Removing a file that was missing changes nothing. */
		if (c->base.n || fstatat(copies, c->name, &st, AT_SYMLINK_NOFOLLOW) == 0)
			report_failed(p, c, "they cannot be read");
		return;
	}
	if (str_eq(box, c->base))
		return;
	unlinkat(copies, c->name, 0); /* the next run would not use it */
	HELD dir = {p, held_open(p, path_dirname(p->a, c->path), O_PATH | O_DIRECTORY)};
	HELD lock = {p, dir.fd < 0 ? -1 : config_lock(p, dir.fd, c->path)};
	if (lock.fd < 0) {
		report_failed(p, c, "another process holds its lock");
		return;
	}
	merge_locked(p, c, dir.fd, box);
	held_close(&lock);
	private_unlock(p);
}

void private_merge(struct protect *p)
{
	HELD copies = {p, p->privates && p->private_dir
			? held_add(p, open(p->private_dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC))
			: -1};

	for (const struct private_config *c = copies.fd < 0 ? NULL : p->privates; c; c = c->next)
		merge_one(p, c, copies.fd);
}

bool private_unlink(struct protect *p, const char *path, struct str text)
{
	const struct private_config *c = p->privates;
	struct str inside = inside_of(p), now;

	while (c && !str_eq(str_path(p->a, inside, str_of(c->name)), text))
		c = c->next;
	if (!c || protect_move(p, path, "copied settings of a repository, made a file again") < 0)
		return c != NULL;
	HELD dir = {p, held_open(p, path_dirname(p->a, path), O_PATH | O_DIRECTORY)};
	if (below_read(p->a, p->ws, c->path, PROTECT_CONFIG_MAX, &now) < 0)
		return true; /* it leads nowhere */
	if (dir.fd < 0 || config_write(p, dir.fd, path, now) < 0)
		protect_report(p, path, "could not be made a file again", STR(""));
	return true;
}
