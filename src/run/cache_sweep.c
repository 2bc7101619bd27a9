/* See cache_sweep.h. */
#define _GNU_SOURCE
#include "run/cache_sweep.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "box/watch_disk.h"
#include "sys/mounts.h"
#include "sys/process.h"
#include "sys/tree_walk.h"

#define PROJECTS_MAX 4096
#define KEY_MAX 64
#define EVERY_S 3600
#define UNUSED_S 600       /* a project that was used later than this is left alone */
#define CHILD_SECONDS 600
#define TRIES 20           /* the box of a run that has just ended may still hold its lock */
#define NICE 10
#define STAMP ".swept"     /* its modification time: the last sweep */
#define OLD ".old."        /* prefix of names that are being deleted */
#define LIST (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

struct cached_project {
	char key[KEY_MAX];
	int64_t used_s;
	uint64_t size;
};

struct sweep_state {
	int caches; /* STATE/caches */
	uint64_t limit, total, all;
	size_t n;
	struct cached_project projects[PROJECTS_MAX];
};

/* ---- deleting ---- */

/* Takes every lock of a project. False: a box has one. The locks are held until the process ends. */
static bool take_locks(int project)
{
	FD_CLEANUP int layers = open_beneath(project, "layers", LIST);
	struct dirent *d;
	bool all = true;
	DIR *dir;

	if (layers < 0)
		return errno == ENOENT;
	dir = fdopendir(dup(layers));
	while (dir && all && (d = readdir(dir))) {
		struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
		char path[KEY_MAX * 5];
		int lock;

		if (d->d_name[0] == '.')
			continue;
		str_put(path, sizeof(path), "%s/lock", d->d_name);
		lock = open_beneath(layers, path, O_RDWR | O_NOFOLLOW);
		all = lock >= 0 ? fcntl(lock, F_OFD_SETLK, &whole) == 0 : errno == ENOENT;
	}
	if (dir)
		closedir(dir);
	return dir && all;
}

/* Under another name first, so that a box that starts now makes new directories. */
static bool delete_project(struct sweep_state *s, const struct cached_project *p)
{
	FD_CLEANUP int project = open_beneath(s->caches, p->key, LIST);
	char old[KEY_MAX + 16];

	str_put(old, sizeof(old), OLD "%s", p->key);
	if (project < 0 || !take_locks(project))
		return false;
	return renameat2(s->caches, p->key, s->caches, old, RENAME_NOREPLACE) == 0 &&
			tree_remove(s->caches, old) == 0;
}

/* ---- looking ---- */

static void add_project(struct sweep_state *s, const char *caches, const char *key)
{
	struct cached_project *p = &s->projects[s->n];
	char path[PATH_MAX];
	struct stat st;

	if (s->n == PROJECTS_MAX || strlen(key) >= KEY_MAX ||
			fstatat(s->caches, key, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISDIR(st.st_mode) ||
			str_put(path, sizeof(path), "%s/%s", caches, key) >= sizeof(path))
		return;
	str_put(p->key, sizeof(p->key), "%s", key);
	p->used_s = st.st_mtim.tv_sec;
	p->size = watch_disk(path, UINT64_MAX / 4);
	s->all += p->size;
	s->n++;
}

static void look(struct sweep_state *s, const char *caches)
{
	DIR *dir = fdopendir(openat(s->caches, ".", LIST));
	const struct dirent *d;

	while (dir && (d = readdir(dir)))
		if (str_starts(str_of(d->d_name), OLD))
			(void)tree_remove(s->caches, d->d_name); /* of a sweep that was interrupted */
		else if (d->d_name[0] != '.')
			add_project(s, caches, d->d_name);
	if (dir)
		closedir(dir);
}

static int compare_use(const void *a, const void *b)
{
	const struct cached_project *x = a, *y = b;

	return x->used_s < y->used_s ? -1 : x->used_s > y->used_s;
}

/* The least recently used first. One above the limit of a project goes at once: its run has ended. */
static void sweep(struct sweep_state *s, const char *caches)
{
	static const struct timespec pause = {.tv_nsec = 100000000};
	int64_t now = (int64_t)time(NULL);

	look(s, caches);
	qsort(s->projects, s->n, sizeof(*s->projects), compare_use);
	for (size_t i = 0; i < s->n; i++) {
		const struct cached_project *p = &s->projects[i];
		bool large = s->limit && p->size > s->limit,
		     old = s->total && s->all > s->total && now - p->used_s > UNUSED_S;

		for (int tries = large || old ? TRIES : 0; tries; tries--) {
			if (delete_project(s, p)) {
				s->all -= p->size;
				break;
			}
			nanosleep(&pause, NULL);
		}
	}
}

/* ---- when ---- */

static void __attribute__((noreturn)) child(struct sweep_state *s, const char *caches)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int fd = STDIN_FILENO; null >= 0 && fd <= STDERR_FILENO; fd++)
		(void)dup2(null, fd);
	(void)close_range(STDERR_FILENO + 1, ~0u, 0); /* somebody may wait for their EOF */
	(void)setsid();
	(void)setpriority(PRIO_PROCESS, 0, NICE);
	alarm(CHILD_SECONDS);
	s->caches = open(caches, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (s->caches >= 0)
		sweep(s, caches);
	_exit(0);
}

/* Nobody's child: a launcher may live on. */
static void start(struct sweep_state *s, const char *caches)
{
	pid_t pid = process_fork(NULL);

	if (pid == 0) {
		if (process_fork(NULL) == 0)
			child(s, caches);
		_exit(0);
	}
	process_wait(pid);
}

/* True if it is time, which is then noted. */
static bool is_due(const char *stamp, bool at_once)
{
	struct stat st;

	if (stat(stamp, &st) == 0 && !at_once && time(NULL) - st.st_mtim.tv_sec < EVERY_S)
		return false;
	FD_CLEANUP int fd = open(stamp, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	return fd >= 0 && futimens(fd, NULL) == 0;
}

void cache_sweep(struct arena *a, const struct run *r, const struct outcome *o)
{
	const char *project = str_c(a, r->spec.caches);
	struct sweep_state *s;
	const char *caches;

	if (!r->spec.caches.n)
		return;
	(void)utimensat(AT_FDCWD, project, NULL, AT_SYMLINK_NOFOLLOW);
	caches = str_c(a, str_first(r->spec.caches, r->spec.caches.n - strlen(strrchr(project, '/'))));
	if (!is_due(str_fmt_c(a, "%s/" STAMP, caches), o->by_caches))
		return;
	s = arena_new(a, struct sweep_state);
	s->limit = r->spec.caches_limit;
	s->total = r->caches_total;
	start(s, caches);
}
