/*
 * Protected names of a workspace: before and after the run.
 *
 * Mounts pin the names that exist: the name itself read-only, the directories above it as they are. A name
 * that does not exist cannot be mounted on, so the launcher makes a placeholder on the host: an empty
 * directory or a socket (which git does not see), or inside a repository an empty file. A mount covers it in
 * the box; the launcher removes it afterwards if it is still what was made. Several boxes may share a
 * workspace: each holds a shared lock (protect_lock.c), and only the launcher that gets the lock alone
 * removes placeholders, since removing a name on the host lifts every mount on it elsewhere. protect_made.c
 * makes and removes them.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/glob.h"
#include "box/protect_inner.h"
#include "sys/directory.h"
#include "sys/file.h"

#define BURY_TRIES 2000
#define EMPTY_FILE "/caisson/empty" /* in the box */
#define CLOCK_SLACK_NS 20000000 /* tolerance for a clock that is being adjusted */
#define CLOCK_WINDOW_NS 1000000 /* two readings this close count as one */
#define CLOCK_TRIES 16
#define BURY_BYTES ((size_t)64 << 20)

void protect_report(struct protect *p, const char *path, const char *what, struct str moved_to)
{
	struct change *c;

	if (p->nchanges++ >= PROTECT_CHANGES_MAX)
		return;
	c = arena_new(p->a, struct change);
	if (p->nchanges == PROTECT_CHANGES_MAX)
		*c = (struct change){.path = STR("."), .what = STR("more changes, not listed")};
	else
		*c = (struct change){.path = str_dup(p->a, str_of(path)), .what = str_dup(p->a, str_of(what)),
				.moved_to = moved_to};
	LIST_ADD(p->changes_end, c);
}

bool protect_kept(const struct protect *p, const char *path)
{
	const struct kept *k = pmap_get(p->kept_paths, str_of(path));

	return k && k->kind != KEPT_WATCHED;
}

/* ---- protected names ---- */

static struct kept *keep(struct protect *p, const char *path, enum kept_kind kind, unsigned flags,
		const struct stat *st)
{
	struct kept *k = arena_copy(p->a, (struct kept){.next = p->kept, .path = path, .kind = kind,
			.flags = flags, .st = *st});

	p->kept = k;
	p->kept_paths = pmap_set(p->a, p->kept_paths, str_of(path), k);
	p->nkept++;
	return k;
}

static void keep_link(struct protect *p, const char *path, unsigned flags, const struct stat *st)
{
	HELD dir = {p, held_open(p, path_dirname(p->a, path), O_PATH | O_DIRECTORY)};
	struct kept *k = keep(p, path, KEPT_LINK, flags, st);
	const char *target = flags & NAME_GIT
			? NULL
			: protect_inside(p, str_path(p->a, p->workspace, str_of(path)));

	k->link = str_c(p->a, dir.fd < 0 ? STR("") : link_text(p->a, dir.fd, path_basename(path)));
	if (target)
		protect_keep(p, target, 0, NULL);
}

void protect_keep(struct protect *p, const char *path, unsigned flags, const char *text)
{
	struct stat st;
	int got;

	if (protect_kept(p, path))
		return;
	if (p->nkept >= PROTECT_PINS_MAX) { /* judged after the run */
		p->full = true;
		return;
	}
	got = below_stat(p->ws, path, &st);
	if (flags & NAME_REPORT) {
		keep(p, path, KEPT_WATCHED, flags, got == 0 ? &st : &(struct stat){0});
		return;
	}
	if (got < 0 && errno == ELOOP) {
		const char *link = protect_link_above(p, path);

		if (link)
			protect_keep(p, link, flags & NAME_GIT, NULL);
		return;
	}
	if (got == 0 && S_ISLNK(st.st_mode))
		keep_link(p, path, flags, &st);
	else if (placeholder_make(p, path, got == 0 && S_ISREG(st.st_mode) ? flags & NAME_MASK_FILE : flags,
				 text, &st))
		keep(p, path, KEPT_MADE, flags, &st);
	else if (flags & (NAME_MASK | NAME_MASK_FILE) ? below_stat(p->ws, path, &st) == 0 : got == 0)
		keep(p, path, flags & NAME_WRITABLE ? KEPT_ABOVE : KEPT_PATH, flags, &st);
	else
		keep(p, path, KEPT_ABSENT, flags, &(struct stat){0});
}

/* ---- changes since the start ---- */

static int64_t clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/*
 * The offset between the clock of time stamps and the monotonic one. On a busy machine the process may be
 * preempted between the two readings, which would look like a clock that was set back, so a slow pair is read
 * again.
 */
static int64_t clock_offset(void)
{
	int64_t offset = 0, window = INT64_MAX;

	for (int i = 0; i < CLOCK_TRIES && window > CLOCK_WINDOW_NS; i++) {
		const int64_t before = clock_ns(CLOCK_BOOTTIME), real = clock_ns(CLOCK_REALTIME),
			      took = clock_ns(CLOCK_BOOTTIME) - before;

		if (took < window) {
			window = took;
			offset = real - before;
		}
	}
	return offset;
}

bool protect_is_new(const struct protect *p, const struct stat *st)
{
	const long part = st->st_ctim.tv_nsec;

	if (p->clock_set_back)
		return true;
	/* some file systems store whole seconds */
	return st->st_ctim.tv_sec > p->start.tv_sec ||
			(st->st_ctim.tv_sec == p->start.tv_sec && (part >= p->start.tv_nsec || !part));
}

bool path_unchanged(const struct protect *p, const char *path)
{
	char part[2 * PROTECT_PATH_MAX];
	struct stat st;
	bool above_new;

	if (strlen(path) >= sizeof part || fstat(p->ws, &st) < 0)
		return false;
	above_new = protect_is_new(p, &st);
	for (const char *at = path; *at;) {
		const char *slash = strchr(at, '/'), *end = slash ? slash : at + strlen(at);

		memcpy(part, path, (size_t)(end - path));
		part[end - path] = 0;
		if (below_stat(p->ws, part, &st) < 0 ||
				(protect_is_new(p, &st) && (above_new || !S_ISDIR(st.st_mode))))
			return false;
		above_new = protect_is_new(p, &st);
		at = slash ? slash + 1 : end;
	}
	return true;
}

/* ---- operations ---- */

enum pin { PIN_ABOVE, PIN_READONLY, PIN_EMPTY, PIN_EMPTY_FILE };

struct pinned {
	const char *path;
	enum pin pin;
};

/* Orders paths by components, so that a parent comes first; for one path the stronger pin comes first. */
static int pinned_order(const void *x, const void *y)
{
	const struct pinned *a = x, *b = y;
	size_t i = 0;

	while (a->path[i] && a->path[i] == b->path[i])
		i++;
	if (a->path[i] == b->path[i])
		return (int)b->pin - (int)a->pin;
	int ca = a->path[i] == '/' ? 1 : (unsigned char)a->path[i] + 1,
	    cb = b->path[i] == '/' ? 1 : (unsigned char)b->path[i] + 1;
	return (a->path[i] ? ca : 0) - (b->path[i] ? cb : 0);
}

static bool path_below(const char *path, const char *dir)
{
	size_t n = strlen(dir);
	return !strncmp(path, dir, n) && (path[n] == '/' || !path[n]);
}

static size_t count_slashes(const char *path)
{
	size_t n = 0;

	for (; *path; path++)
		n += *path == '/';
	return n;
}

static enum pin pin_of(const struct kept *k)
{
	if (k->kind != KEPT_MADE)
		return k->kind == KEPT_ABOVE ? PIN_ABOVE : PIN_READONLY;
	return S_ISDIR(k->st.st_mode) ? PIN_EMPTY : S_ISSOCK(k->st.st_mode) ? PIN_EMPTY_FILE : PIN_READONLY;
}

static void add_ops(struct protect *p, struct ops *ops)
{
	size_t n = 0, max = 0;
	struct pinned *all;
	const char *closed = NULL; /* read-only from here on down */

	for (struct kept *k = p->kept; k; k = k->next)
		max += count_slashes(k->path) + 1;
	all = arena_array(p->a, max, sizeof *all);
	for (struct kept *k = p->kept; k; k = k->next) {
		if (k->kind == KEPT_ABSENT || k->kind == KEPT_WATCHED)
			continue;
		for (const char *slash = strchr(k->path, '/'); slash; slash = strchr(slash + 1, '/'))
			all[n++] = (struct pinned){
					str_c(p->a, str_n(k->path, (size_t)(slash - k->path))), PIN_ABOVE};
		if (k->kind != KEPT_LINK)
			all[n++] = (struct pinned){k->path, pin_of(k)};
	}
	if (n)
		ops_add(p->a, ops, OP_FILE, 0, STR(""), STR(EMPTY_FILE))->text = "";
	qsort(all, n, sizeof *all, pinned_order);
	for (size_t i = 0; i < n; i++) {
		struct str at = str_path(p->a, p->workspace, str_of(all[i].path));

		if ((i && !strcmp(all[i].path, all[i - 1].path)) ||
				(closed && path_below(all[i].path, closed)))
			continue;
		const char *link = all[i].pin == PIN_READONLY ? private_link(p, all[i].path) : NULL;

		if (all[i].pin == PIN_EMPTY)
			ops_add(p->a, ops, OP_EMPTY, 0, STR(""), at);
		else if (all[i].pin == PIN_EMPTY_FILE)
			ops_add(p->a, ops, OP_EMPTY, 0, STR(EMPTY_FILE), at);
		else if (link)
			ops_add(p->a, ops, OP_COVER, 0, str_of(link), at);
		else
			ops_add(p->a, ops, OP_INSIDE, all[i].pin == PIN_ABOVE ? OP_WRITABLE : 0, at, at);
		if (all[i].pin != PIN_ABOVE)
			closed = all[i].path;
	}
}

int protect_part(struct protect *p, int (*part)(void *), void *arg)
{
	mode_t mode = workspace_lift(p);
	int got;

	got = arena_run(p->a, part, arg);
	while (p->nheld)
		fd_close(&p->held[--p->nheld]);
	modes_restore(p);
	workspace_restore(p, mode);
	return got;
}

static void protect_close(struct protect *p)
{
	private_end(p);
	fd_close(&p->qfd);
	fd_close(&p->pool);
	vet_unprepare(p);
	fd_close(&p->vet);
	if (p->ws >= 0)
		workspace_unlock(p); /* the undertaker has copies of the descriptors */
	fd_close(&p->lock);
	fd_close(&p->ws);
}

/* ---- before ---- */

const struct protect_name *protect_nested(const struct walk_spot *dir, const char *name)
{
	const struct protect_name *row;

	if (!dir->path[0] && !str_ends(str_of(name), ".code-workspace"))
		return NULL;
	row = protect_nested_find(path_basename(dir->path), name);
	return row && !dir->heavy && !dotgit_around(dir) ? row : NULL;
}

static void before_entry(struct walk *w, struct walk_spot *dir, int fd, const char *name, unsigned char type)
{
	struct protect *p = w->p;
	const struct protect_name *row;

	(void)fd;
	if (dotgit_name(name)) {
		if (type != DT_DIR)
			git_before(p, path_join(p->a, dir->path, name), type, !dir->heavy);
		return;
	}
	if (p->patterns) {
		const char *path = path_join(p->a, dir->path, name);

		for (struct texts *t = p->patterns; t; t = t->next)
			if (glob_path(t->text, str_of(path), 0))
				protect_keep(p, path, 0, NULL);
	}
	row = protect_nested(dir, name);
	if (row && !(row->flags & NAME_REPORT)) {
		const char *path = path_join(p->a, dir->path, name);

		texts_push(p->a, &p->nested, str_of(path));
		p->settings = pmap_set(p->a, p->settings, p->nested->text, p->nested);
		protect_keep(p, path, 0, NULL);
	}
}

static void before_leave(struct walk *w, struct walk_spot *dir)
{
	struct protect *p = w->p;

	dir->kind = gitdir_kind(dir);
	p->visited = pmap_set(p->a, p->visited, str_of(dir->path), dir);
	if (dir->kind != GITDIR_NONE)
		gitdir_before(p, dir->path, dir->kind == GITDIR_WORKTREE, !dir->heavy);
}

/* A placeholder of this run is an empty directory: there is nothing to list, and it counts as visited. */
static bool skip_placeholder(struct protect *p, const struct walk_spot *dir, const char *name)
{
	const struct made *m = p->made;
	struct walk_spot *s;

	while (m && (m->kind != S_IFDIR || strcmp(m->name, name) != 0 || strcmp(m->parent, dir->path) != 0))
		m = m->next;
	if (!m)
		return false;
	s = arena_copy(p->a, (struct walk_spot){
			.up = dir, .path = path_join(p->a, dir->path, name), .dotgit = dotgit_name(name)});
	p->visited = pmap_set(p->a, p->visited, str_of(s->path), s);
	return true;
}

/* Inside a repository, only directories that may hold other repositories are searched. */
static bool before_descend(const struct walk *w, const struct walk_spot *dir, int fd, const char *name)
{
	const struct walk_spot *gitdir = dotgit_around(dir);

	(void)fd;
	if (skip_placeholder(w->p, dir, name))
		return false;
	if (dir == gitdir)
		return !strcmp(name, "modules") || !strcmp(name, "worktrees");
	return !gitdir || !str_like_any(str_of(name), "objects refs logs hooks info lfs");
}

/* A name with a dot inside is a file's. */
static unsigned mask_for(const char *path)
{
	return NAME_MASK | (strchr(path_basename(path) + 1, '.') ? NAME_SOCKET : 0);
}

static void keep_names(struct protect *p, const struct texts *names)
{
	for (; names; names = names->next) {
		const char *path = path_clean(p->a, names->text);
		const struct protect_name *row = path ? protect_name_find(str_of(path)) : NULL;

		if (!path || !strcmp(path, ".git"))
			continue;
		/* protect_git.c knows how git reacts when one of its files is missing */
		if (str_starts(str_of(path), ".git/")) {
			if (!gitdir_name(path + 5))
				protect_keep(p, path, 0, NULL);
			continue;
		}
		if (strpbrk(path, "*?[")) {
			texts_push(p->a, &p->patterns, str_of(path));
		} else {
			protect_keep(p, path, row ? row->flags : mask_for(path), row ? row->text : NULL);
		}
	}
}

struct before {
	struct protect *p;
	const struct spec *s;
	struct ops *ops;
};

static void dangerous(void *ctx, struct str key, const void *value)
{
	const struct gitdir *g = value;
	bool *any = ctx;

	(void)key;
	for (size_t i = 0; i < PARTS; i++)
		*any |= g->parts[i].any;
}

/* Boxes that start while this one runs cannot know the state before it. */
static void remember(struct protect *p, size_t entries)
{
	bool needed = entries > VET_SMALL || p->index.n;

	pmap_each(p->gitdirs, dangerous, &needed);
	if (needed && p->alone && !p->dirty && !p->large)
		index_save(p, entries);
}

static int before(void *arg)
{
	struct before *b = arg;
	struct protect *p = b->p;
	struct walk w = {.p = p, .descend = before_descend, .entry = before_entry, .leave = before_leave};

	vet_begin(p);
	keep_names(p, b->s->protected);
	git_around(p);
	index_pin(p);
	w.left = p->large ? VET_LOOK : PROTECT_ENTRIES_MAX;
	walk_run(&w);
	if (!w.incomplete)
		remember(p, PROTECT_ENTRIES_MAX - w.left);
	vet_known(p);
	alternates_show(p, b->ops);
	private_begin(p, b->ops);
	add_ops(p, b->ops);
	return vet_mark(p) < 0 ? errno : 0;
}

static int open_lock(void *arg)
{
	workspace_lock_open(arg);
	vet_open(arg);
	return 0;
}

static int enter(void *arg) { return vet_enter(arg) < 0 ? errno : 0; }

static int open_pool(void *arg)
{
	pool_open(arg);
	return 0;
}

/*
 * A program in an earlier box may have closed the workspace by its mode. The descriptor stays valid when the
 * mode is restored.
 */
int workspace_open(const char *path, struct identity expected)
{
	int fd = directory_open_expected(path, expected, O_RDONLY);
	struct stat st;

	if (fd >= 0 || errno != EACCES)
		return fd;
	FD_CLEANUP int closed = directory_open_expected(path, expected, O_PATH);
	if (closed < 0)
		return -1;
	if (fstat(closed, &st) < 0 || st.st_uid != geteuid() ||
			directory_chmod(closed, (st.st_mode & 07777) | 0700) < 0) {
		errno = EACCES;
		return -1;
	}
	fd = directory_open_expected(path, expected, O_RDONLY);
	directory_chmod(closed, st.st_mode & 07777);
	return fd;
}

int protect_open(struct arena *a, const struct spec *s, struct protect **ret, struct err *e)
{
	const char *path = str_c(a, s->workspace);
	struct protect *p;
	int why = 0;

	if (!s->workspace.n || !s->workspace_writable) {
		*ret = NULL;
		return 0;
	}
	p = arena_new(a, struct protect);
	*p = (struct protect){.a = a, .ws = -1, .lock = -1, .qfd = -1, .pool = -1, .vet = -1,
			.private_fd = -1, .workspace = s->workspace, .quarantine = s->quarantine,
			.home = s->callers_home,
			.git_configs = s->git_configs, .changes_end = &p->changes};
	p->ws = workspace_open(path, s->workspace_id);
	if (p->ws < 0 && (errno == ESTALE || errno == ELOOP))
		return err_input(e, "the workspace '%s' was moved or replaced since the command was judged; "
				"run the command again", path);
	if (p->ws < 0)
		return err_system(e, "cannot open the workspace '%s'", path);
	clock_gettime(CLOCK_REALTIME_COARSE, &p->start); /* the clock of time stamps */
	p->clock_offset = clock_offset();
	if (protect_part(p, open_lock, p) < 0 || (why = protect_part(p, enter, p)) != 0 ||
			protect_part(p, open_pool, p) < 0) {

		protect_close(p);
		return err_set(e, ERR_SYSTEM, why > 0 ? why : 0, "cannot lock the workspace '%s'", path);
	}
	*ret = p;
	return 0;
}

int protect_before(struct protect *p, const struct spec *s, struct ops *ops, struct err *e)
{
	struct ops mine = {NULL, &mine.first};
	struct before b = {.p = p, .s = s, .ops = &mine};
	int got;

	if (!p)
		return 0;
	got = protect_part(p, before, &b);
	if (got != 0) {
		protect_abandon(p);
		protect_close(p);
		return got < 0 ? err_limit(e, "out of memory for the protected names of '%.*s'",
				STR_ARG(s->workspace)) : err_set(e, ERR_SYSTEM, got,
				"cannot mark the workspace '%.*s' as one where a box runs",
				STR_ARG(s->workspace));
	}
	if (mine.first) {
		if (!ops->end)
			ops->end = &ops->first;
		*ops->end = mine.first;
		ops->end = mine.end;
	}
	p->looked = true;
	if (p->alone && workspace_lock_share(p) < 0) {
		protect_abandon(p);
		protect_close(p);
		return err_system(e, "cannot lock the workspace '%.*s'", STR_ARG(s->workspace));
	}
	return 0;
}

/* ---- after ---- */

static bool same(const struct stat *x, const struct stat *y)
{
	return x->st_dev == y->st_dev && x->st_ino == y->st_ino &&
			(x->st_mode & S_IFMT) == (y->st_mode & S_IFMT);
}

/* Compares links by their text: a new link may get the old one's inode. */
static bool same_link(struct protect *p, const struct kept *k)
{
	HELD dir = {p, held_open(p, path_dirname(p->a, k->path), O_PATH | O_DIRECTORY)};

	return dir.fd >= 0 && str_is(link_text(p->a, dir.fd, path_basename(k->path)), k->link);
}

static void put_link_back(struct protect *p, const struct kept *k, bool present)
{
	HELD dir = {p, held_open(p, path_dirname(p->a, k->path), O_PATH | O_DIRECTORY)};

	if (present && protect_move(p, k->path, "link replaced, put back") < 0)
		return;
	if (!present)
		protect_report(p, k->path, "link removed, put back", STR(""));
	if (dir.fd < 0 || symlinkat(k->link, dir.fd, path_basename(k->path)) < 0)
		protect_report(p, k->path, "link could not be put back", STR(""));
}

static void compare_path(struct protect *p, const struct kept *k, const struct stat *now, bool present)
{
	if (!present)
		protect_report(p, k->path, "removed while the box ran", STR(""));
	else if (!same(&k->st, now))
		protect_report(p, k->path, "replaced while the box ran", STR(""));
	else if (S_ISREG(now->st_mode) && k->st.st_nlink > 1 &&
			(now->st_ctim.tv_sec != k->st.st_ctim.tv_sec ||
					now->st_ctim.tv_nsec != k->st.st_ctim.tv_nsec))
		protect_report(p, k->path, "changed while the box ran: the file has other names", STR(""));
}

/* A name appeared that was absent before. */
static void appeared(struct protect *p, const struct kept *k)
{
	const char *link = protect_link_above(p, k->path);

	if (k->flags & (NAME_MASK | NAME_MASK_FILE | NAME_MOVE))
		protect_move(p, link ? link : k->path, "protected name made");
	else
		protect_report(p, k->path, "protected name made", STR(""));
}

static void compare_watched(struct protect *p, const struct kept *k, const struct stat *now, bool present)
{
	const bool was = k->st.st_ino != 0;

	if (present && !was)
		protect_report(p, k->path, "made by the program", STR(""));
	else if (present &&
			(!same(&k->st, now) || now->st_ctim.tv_sec != k->st.st_ctim.tv_sec ||
					now->st_ctim.tv_nsec != k->st.st_ctim.tv_nsec))
		protect_report(p, k->path, "changed by the program", STR(""));
	else if (was && !present)
		protect_report(p, k->path, "removed by the program", STR(""));
}

static void compare(struct protect *p, const struct kept *k)
{
	struct stat now = {0};
	int got = below_stat(p->ws, k->path, &now);
	bool present = got == 0, through_link = got < 0 && errno == ELOOP;

	if (present && (k->kind == KEPT_ABSENT || k->kind == KEPT_MADE) &&
			placeholder_at(p, k->path, &now, k->st.st_size))
		return;
	if (k->kind == KEPT_WATCHED)
		compare_watched(p, k, &now, present);
	else if (k->kind == KEPT_PATH || k->kind == KEPT_ABOVE)
		compare_path(p, k, &now, present);
	else if (k->kind == KEPT_LINK && !(present && S_ISLNK(now.st_mode) && same_link(p, k)))
		put_link_back(p, k, present);
	else if (k->kind == KEPT_ABSENT && (present || through_link))
		appeared(p, k);
	else if (k->kind == KEPT_MADE && present && !same(&k->st, &now))
		appeared(p, k);
}

/*
 * If the search takes long and a caller waits, a vetter does it. If no vetter can be started, it is done
 * here.
 */
static void search(struct protect *p)
{
	const bool may_leave = p->vet >= 0 && !p->burying;

	p->gitdirs = p->gitdirs_before;
	p->nested = NULL;
	if (may_leave && !p->large)
		git_after(p, VET_SMALL);
	if (may_leave && (p->large || p->over_budget) && vet_later(p)) {
		p->incomplete = false;
		p->left = true;
		return;
	}
	if (!may_leave || p->large || p->over_budget) {
		size_t entries;

		p->incomplete = false;
		entries = git_after(p, PROTECT_ENTRIES_MAX);
		if (p->large && p->alone)
			index_save(p, entries);
	}
}

static int after(void *arg)
{
	struct protect *p = arg;

	vet_found(p);
	for (struct kept *k = p->kept; k; k = k->next)
		compare(p, k);
	private_merge(p);
	search(p);
	if (p->incomplete)
		protect_report(p, ".", "not everything could be searched for planted repositories", STR(""));
	if (p->alone && p->vet >= 0 && !p->left && !p->incomplete)
		vet_done(p);
	return 0;
}

int protect_after(struct arena *a, struct protect *p, struct change **ret, struct err *e)
{
	int got;

	if (!p || p->ws < 0) {
		*ret = NULL;
		return 0;
	}
	if (!p->looked) { /* no box was made: nothing to compare with */
		protect_abandon(p);
		protect_close(p);
		*ret = NULL;
		return 0;
	}
	p->a = a;
	p->clock_set_back = clock_offset() < p->clock_offset - CLOCK_SLACK_NS;
	protect_abandon(p);
	p->alone = p->vet >= 0 && boxes_lock_alone(p);
	got = protect_part(p, after, p);
	protect_close(p);
	if (got < 0)
		return err_limit(e, "out of memory to check '%.*s' after the run", STR_ARG(p->workspace));
	*ret = p->changes;
	return 0;
}

size_t protect_fds(const struct protect *p, int ret[PROTECT_FDS])
{
	size_t n = 0;

	if (p->ws >= 0)
		ret[n++] = p->ws;
	if (p->lock >= 0)
		ret[n++] = p->lock;
	if (p->pool >= 0)
		ret[n++] = p->pool;
	if (p->vet >= 0)
		ret[n++] = p->vet;
	return n;
}

void protect_abandon(const struct protect *p)
{
	mode_t mode;

	if (!p || p->ws < 0 || !workspace_lock_alone(p))
		return; /* another box still runs here: the last one removes them */
	mode = workspace_lift(p);
	for (const struct made *m = p->made; m; m = m->next)
		placeholder_remove(p, m);
	workspace_restore(p, mode);
}

/*
 * Other launchers in this workspace may have been killed as well. Their undertakers wait here, too, so each
 * releases its shared lock between two tries: otherwise they would wait for each other until all give up.
 */
static void wait_alone(struct protect *p, bool ended)
{
	for (int i = 0; i < BURY_TRIES; i++) {
		if (workspace_lock_alone(p))
			return;
		if (ended)
			workspace_unlock(p);
		nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
	}
	workspace_lock_share(p);
}

void protect_bury(struct protect *p, bool ended)
{
	struct change *changes;
	struct arena a;

	if (p && p->ws >= 0)
		wait_alone(p, ended);
	protect_abandon(p);
	if (!p || p->ws < 0)
		return; /* everything is cleaned up */
	/* The launcher's own descriptors and unfinished work are gone. */
	p->qfd = -1;
	private_retake(p);
	private_unlock(p);
	if (!p->looked) { /* no box was made */
		private_end(p);
		return;
	}
	p->nheld = 0;
	p->lifted = NULL;
	p->burying = true;
	arena_init(&a, BURY_BYTES);
	protect_after(&a, p, &changes, NULL);
}
