/* Resolves paths with statx and readlink. See path.h for the contract. */
#define _GNU_SOURCE
#include "sys/path.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "sys/stamp_cache.h"

#define REST_MAX (2 * PATH_MAX)
#define MEMO_FIRST ((size_t)16) /* initial capacity for directories */

struct path_lookup {
	enum path_kind kind;
	uint32_t mode, owner, links;
	bool automount;
	struct stamp stamp; /* without `settled` */
};

/*
 * `done` is resolved: no links, no dots, no trailing slash ("" is the root). The unresolved names are at the
 * end of `rest`. The used parts of both buffers lie close together: this struct is on the stack of every
 * lookup, and touching a new page costs as much as a lookup.
 */
struct path_walk {
	char rest[REST_MAX];
	struct path_memo *m;
	size_t n, at;
	unsigned links;
	size_t below;         /* trailing names of `done` that are only text */
	size_t exists;        /* length of `done` before those names */
	bool blind;           /* those names are unreadable; false: absent */
	struct path_lookup look;     /* for `done` without those names */
	bool looked;
	bool stays;           /* `done` ends in a link that is kept as a name */
	bool placed;          /* kind and place are set */
	enum path_kind kind;
	struct str place;
	char done[PATH_MAX];
};

enum walk_step { STEP_ON, STEP_END, STEP_LOST };

void path_memo_init(struct path_memo *m, struct arena *a, struct str cwd)
{
	*m = (struct path_memo){.a = a, .cwd = cwd};
}

static struct path_dir *memo_find(struct path_memo *m, struct str path)
{
	for (size_t i = m->ndirs; i > 0; i--)
		if (str_eq(m->dirs[i - 1].path, path))
			return &m->dirs[i - 1];
	return NULL;
}

static struct path_dir *memo_add(struct path_memo *m, struct str path)
{
	if (m->ndirs == PATH_MEMO_MAX)
		return NULL;
	if (m->ndirs == m->cap) {
		size_t cap = m->cap ? 2 * m->cap : MEMO_FIRST;
		m->dirs = arena_grow(m->a, m->dirs, m->cap * sizeof *m->dirs, cap * sizeof *m->dirs);
		m->cap = cap;
	}
	struct path_dir d = {.path = str_dup(m->a, path)};
	m->dirs[m->ndirs] = d;
	return &m->dirs[m->ndirs++];
}

void path_memo_trust(struct path_memo *m, struct str cwd)
{
	for (size_t i = 1; i <= cwd.n; i++)
		if ((i == cwd.n && cwd.p[i - 1] != '/') || (i < cwd.n && cwd.p[i] == '/'))
			if (!memo_find(m, str_n(cwd.p, i)))
				memo_add(m, str_n(cwd.p, i));
}

bool path_memo_knows(struct path_memo *m, struct str path) { return memo_find(m, path); }

bool path_inside(struct str path, struct str dir)
{
	if (!path.n || !dir.n)
		return false;
	if (dir.n == 1)
		return true;
	return path.n >= dir.n && memcmp(path.p, dir.p, dir.n) == 0 &&
			(path.n == dir.n || path.p[dir.n] == '/');
}

struct str path_parent(struct str path)
{
	size_t n = path.n;
	while (n > 0 && path.p[n - 1] != '/')
		n--;
	return n > 1 ? str_n(path.p, n - 1) : STR("/");
}

static enum path_kind kind_of(uint32_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFREG:
		return PATH_FILE;
	case S_IFDIR:
		return PATH_DIR;
	case S_IFLNK:
		return PATH_LINK;
	case S_IFCHR:
	case S_IFBLK:
		return PATH_DEVICE;
	}
	return PATH_OTHER;
}

static int64_t ns_of(struct statx_timestamp t) { return t.tv_sec * 1000000000 + t.tv_nsec; }

/* Stats one name without following links. Returns 0 or an errno. */
static int look_at(const char *path, struct path_lookup *ret)
{
	struct statx st;
	if (statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT | AT_STATX_DONT_SYNC,
			STATX_BASIC_STATS, &st) < 0)
		return errno;
	*ret = (struct path_lookup){.kind = kind_of(st.stx_mode), .mode = st.stx_mode, .owner = st.stx_uid,
			.links = st.stx_nlink,
		.automount = st.stx_attributes & STATX_ATTR_AUTOMOUNT};
	ret->stamp = (struct stamp){.id = {makedev(st.stx_dev_major, st.stx_dev_minor), st.stx_ino},
		.size = st.stx_size, .modified_ns = ns_of(st.stx_mtime), .changed_ns = ns_of(st.stx_ctime)};
	return 0;
}

/* The clock is read before the first look: a change after a look is never older. */
static void dir_keep(struct path_memo *m, struct path_dir *d, const struct path_lookup *look)
{
	*d = (struct path_dir){.path = d->path, .looked = true, .mode = look->mode, .owner = look->owner,
			.stamp = look->stamp};
	d->stamp.settled = m->stamps && look->stamp.changed_ns < m->started_ns - STAMP_SETTLED_NS;
}

static void start_clock(struct path_memo *m)
{
	struct timespec now;

	if (m->stamps && !m->started_ns && clock_gettime(CLOCK_REALTIME, &now) == 0)
		m->started_ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

const struct stamp *path_memo_stamp(struct path_memo *m, struct str path)
{
	const struct path_dir *d = m->stamps ? memo_find(m, path) : NULL;

	return d && d->looked ? &d->stamp : NULL;
}

/*
 * Returns the kept state of a name if the stamp of its directory still holds. If the memo only trusts the
 * directory so far, it is stat'ed now for a missing name: others may be missing there, too.
 */
static enum stamp_name proved_name(struct path_memo *m, struct str path)
{
	struct path_dir *dir = m->stamps ? memo_find(m, path_parent(path)) : NULL;
	struct path_lookup look;

	if (!dir || (!dir->looked && stamp_cache_name(m->stamps, path, NULL) != STAMP_NAME_MISSING))
		return STAMP_NAME_UNKNOWN;
	start_clock(m);
	if (!dir->looked && look_at(str_c(m->a, dir->path), &look) == 0 && look.kind == PATH_DIR)
		dir_keep(m, dir, &look);
	return dir->looked ? stamp_cache_name(m->stamps, path, &dir->stamp) : STAMP_NAME_UNKNOWN;
}

static void keep_name(struct path_memo *m, struct str path, enum stamp_name state)
{
	const struct path_dir *dir = m->stamps ? memo_find(m, path_parent(path)) : NULL;

	if (dir && dir->looked && stamp_cache_name(m->stamps, path, &dir->stamp) != state)
		stamp_cache_put_name(m->stamps, path, state, &dir->stamp);
}

static void keep_missing(struct path_memo *m, struct str path)
{
	if (m->nmissing < PATH_MISSING_MAX)
		m->missing[m->nmissing++] = str_dup(m->a, path);
}

/* Returns the state of a name as far as this memo or the stamp of the name's directory proves it. */
static enum stamp_name known_name(struct path_memo *m, struct str path)
{
	enum stamp_name state;

	for (size_t i = 0; i < m->nmissing; i++)
		if (path_inside(path, m->missing[i]))
			return STAMP_NAME_MISSING;
	state = proved_name(m, path);
	if (state == STAMP_NAME_MISSING)
		keep_missing(m, path);
	return state;
}

bool path_memo_missing(struct path_memo *m, struct str path)
{
	return known_name(m, path) == STAMP_NAME_MISSING;
}

static struct str done_str(const struct path_walk *w) { return w->n ? str_n(w->done, w->n) : STR("/"); }

/*
 * Puts bytes in front of the remaining path, which is empty or starts with a slash. False if the path gets
 * longer than the kernel accepts.
 */
static bool push_rest(struct path_walk *w, struct str s)
{
	if (s.n > w->at)
		return false;
	w->at -= s.n;
	memcpy(w->rest + w->at, s.p, s.n);
	return true;
}

/* Takes the next name; false at the end. *ret_last is true if nothing follows it, not even a slash. */
static bool next_name(struct path_walk *w, struct str *ret, bool *ret_last)
{
	while (w->at < REST_MAX && w->rest[w->at] == '/')
		w->at++;
	size_t from = w->at;
	while (w->at < REST_MAX && w->rest[w->at] != '/')
		w->at++;
	*ret = str_n(w->rest + from, w->at - from);
	*ret_last = w->at == REST_MAX;
	return ret->n > 0;
}

static void pop_component(struct path_walk *w)
{
	while (w->n > 0 && w->done[w->n - 1] != '/')
		w->n--;
	if (w->n > 0)
		w->n--;
	w->done[w->n] = '\0';
	if (w->below > 0)
		w->below--;
	if (w->below == 0)
		w->looked = w->blind = false;
}

static bool append_component(struct path_walk *w, struct str name)
{
	if (w->n + 1 + name.n + 1 > sizeof w->done)
		return false;
	w->done[w->n++] = '/';
	memcpy(w->done + w->n, name.p, name.n);
	w->n += name.n;
	w->done[w->n] = '\0';
	return true;
}

static void place_link_here(struct path_walk *w)
{
	w->placed = true;
	w->kind = PATH_LINK;
	w->place = str_dup(w->m->a, done_str(w));
}

enum process { PROCESS_NONE, PROCESS_SELF, PROCESS_OTHER };

/*
 * Tells if `dir` is below /proc/self or /proc/PID. *ret_tail is the rest of the path, also after /task/TID;
 * it may be empty.
 */
static enum process process_of(struct str dir, struct str *ret_tail)
{
	if (!str_starts(dir, "/proc/"))
		return PROCESS_NONE;
	struct str tail = str_from(dir, 6);
	size_t end = str_end(tail, '/', 0);
	struct str who = str_first(tail, end);
	bool self = str_is(who, "self");
	if (!self && !str_is_digits(who))
		return PROCESS_NONE;
	tail = str_from(tail, who.n);
	if (str_starts(tail, "/task/")) {
		ptrdiff_t thread = str_find(tail, '/', 6);
		tail = thread < 0 ? STR("") : str_from(tail, (size_t)thread);
	}
	*ret_tail = tail;
	return self ? PROCESS_SELF : PROCESS_OTHER;
}

static bool follow_text(struct path_walk *w, struct str text)
{
	if (++w->links > PATH_LINKS_MAX || !push_rest(w, text))
		return false;
	if (text.p[0] == '/') {
		w->n = w->below = 0;
		w->done[0] = '\0';
		w->looked = w->blind = false;
	}
	return true;
}

/*
 * Follows /proc/self/{cwd,root} as the process that will use the path would. `done` already ends in the name.
 */
static enum walk_step jump_to(struct path_walk *w, struct str where, bool last)
{
	if (last && !w->placed)
		place_link_here(w);
	if (!where.n || where.p[0] != '/' || !follow_text(w, where))
		return STEP_LOST;
	return STEP_ON;
}

/* Keeps a link as a name; nothing is known below it. */
static enum walk_step stay_at_link(struct path_walk *w, bool last)
{
	if (!last)
		return STEP_LOST;
	if (!w->placed)
		place_link_here(w);
	w->stays = true;
	return STEP_END;
}

/*
 * Handles the names in /proc that differ for every process. *ret_known is false for all other names, which
 * are looked up as usual. `done` is the directory and does not yet end in the name.
 */
static enum walk_step step_process(struct path_walk *w, struct str name, bool last, bool *ret_known)
{
	struct str tail = {0};
	*ret_known = true;
	if (str_is(done_str(w), "/proc") && str_is_any(name, "self thread-self")) {
		w->looked = false;
		return append_component(w, str_is(name, "self") ? name : STR("self/task/thread-self")) ?
				STEP_ON : STEP_LOST;
	}
	enum process who = process_of(done_str(w), &tail);
	if (who == PROCESS_OTHER && !tail.n && str_is_any(name, "root cwd exe fd map_files"))
		return STEP_LOST;
	if (who == PROCESS_SELF && str_is_any(tail, "/fd /map_files"))
		return append_component(w, name) ? stay_at_link(w, last) : STEP_LOST;
	if (who == PROCESS_SELF && !tail.n && str_is_any(name, "cwd root"))
		return append_component(w, name) ? jump_to(w, str_is(name, "cwd") ? w->m->cwd : STR("/"),
				last) : STEP_LOST;
	*ret_known = false;
	return STEP_ON;
}

/* True if `done` is in procfs, mounted anywhere. Its links point into the kernel, not to their text. */
static bool in_procfs(struct path_walk *w)
{
	struct statfs fs;
	size_t n = w->n;
	while (n > 0 && w->done[n - 1] != '/')
		n--;
	char keep = w->done[n];
	w->done[n] = '\0';
	bool yes = statfs(w->done, &fs) < 0 || fs.f_type == PROC_SUPER_MAGIC;
	w->done[n] = keep;
	return yes;
}

static enum walk_step step_link(struct path_walk *w, bool last)
{
	char text[PATH_MAX];
	struct str tail;
	enum process who = process_of(done_str(w), &tail);
	if (who == PROCESS_OTHER)
		return STEP_LOST;
	if (who == PROCESS_SELF)
		return stay_at_link(w, last);
	if (last && !w->placed)
		place_link_here(w);
	ssize_t n = readlink(w->done, text, sizeof text);
	if (n <= 0 || (size_t)n == sizeof text)
		return STEP_LOST;
	if (!str_is(path_parent(done_str(w)), "/proc") && in_procfs(w))
		return STEP_LOST;
	pop_component(w);
	return follow_text(w, str_n(text, (size_t)n)) ? STEP_ON : STEP_LOST;
}

/* From here on, names are only text. */
static void step_absent(struct path_walk *w, size_t exists, bool blind)
{
	w->exists = exists;
	w->below = 1;
	w->blind = blind;
}

static void memo_keep(struct path_walk *w)
{
	struct path_dir *d = memo_find(w->m, done_str(w));
	if (!d)
		d = memo_add(w->m, done_str(w));
	if (d)
		dir_keep(w->m, d, &w->look);
}

/* `done` is a cached directory. */
static void use_memo(struct path_walk *w, const struct path_dir *d)
{
	w->looked = d->looked;
	if (d->looked)
		w->look = (struct path_lookup){.kind = PATH_DIR, .mode = d->mode, .owner = d->owner};
}

static enum walk_step step_failed(struct path_walk *w, size_t before, int why)
{
	step_absent(w, before, why != ENOENT && why != ENOTDIR && why != ENAMETOOLONG);
	return STEP_ON;
}

/* Steps to the name at the end of `done`, whose directory ends at `before`. */
static enum walk_step look_and_step(struct path_walk *w, size_t before, bool last)
{
	enum stamp_name state = known_name(w->m, done_str(w));
	struct path_lookup found;
	int why;

	if (state == STAMP_NAME_MISSING)
		return step_failed(w, before, ENOENT);
	if (state == STAMP_NAME_DIRECTORY && memo_add(w->m, done_str(w))) {
		w->looked = false;
		return STEP_ON;
	}
	why = look_at(w->done, &found);
	if (why == ENOENT) {
		keep_missing(w->m, done_str(w));
		keep_name(w->m, done_str(w), STAMP_NAME_MISSING);
	}
	if (why)
		return step_failed(w, before, why);
	w->look = found;
	w->looked = true;
	if (found.kind == PATH_LINK)
		return step_link(w, last);
	if (found.kind == PATH_DIR && !found.automount) {
		memo_keep(w);
		keep_name(w->m, done_str(w), STAMP_NAME_DIRECTORY);
	}
	return STEP_ON;
}

static enum walk_step step_name(struct path_walk *w, struct str name, bool last)
{
	bool known, sealed = w->looked && w->look.kind == PATH_DIR && w->look.automount;
	size_t before = w->n;
	enum walk_step s = step_process(w, name, last, &known);
	if (known)
		return s;
	if (!append_component(w, name))
		return STEP_LOST;
	if (w->below > 0) {
		w->below++;
		return STEP_ON;
	}
	const struct path_dir *d = memo_find(w->m, done_str(w));
	if (d) {
		use_memo(w, d);
		return STEP_ON;
	}
	if (w->m->looks++ >= PATH_LOOKS_MAX)
		return STEP_LOST;
	start_clock(w->m);
	return sealed ? step_failed(w, before, EACCES) : look_and_step(w, before, last);
}

static enum walk_step walk_component(struct path_walk *w)
{
	struct str name;
	bool last;
	if (!next_name(w, &name, &last))
		return STEP_END;
	if (str_is(name, "."))
		return STEP_ON;
	if (str_is(name, "..")) {
		pop_component(w);
		return STEP_ON;
	}
	return step_name(w, name, last);
}

/* Stats `done`, or the directory in which it would be created. */
static void look_again(struct path_walk *w)
{
	if (w->looked)
		return;
	size_t n = w->below ? w->exists : w->n;
	struct path_dir *d = memo_find(w->m, n ? str_n(w->done, n) : STR("/"));
	if (d)
		use_memo(w, d);
	if (w->looked)
		return;
	char keep = w->done[n];
	w->done[n] = '\0';
	start_clock(w->m);
	int why = look_at(n ? w->done : "/", &w->look);
	w->done[n] = keep;
	if (why)
		w->look = (struct path_lookup){.kind = why == ENOENT ? PATH_ABSENT : PATH_UNREADABLE,
				.mode = S_IWOTH};
	else if (d && w->look.kind == PATH_DIR)
		dir_keep(w->m, d, &w->look);
	else if (w->look.kind == PATH_LINK) /* /proc/self: a directory for its user */
		w->look.kind = PATH_DIR;
	w->looked = true;
}

static void answer_stays(const struct path_walk *w, struct path_answer *ret)
{
	struct str end = done_str(w);
	/* /dev/stdout and /dev/fd/1 end at a /proc/self/fd name; report the familiar /dev name */
	bool device = str_starts(ret->path, "/dev/") && str_starts(end, "/proc/self/fd/"),
			own = str_eq(w->place, end);
	ret->kind = w->kind;
	ret->target = PATH_OTHER;
	if (device)
		ret->real = own ? str_fmt(w->m->a, "/dev/fd/%.*s", (int)(end.n - 14), end.p + 14) : w->place;
	else
		ret->real = str_dup(w->m->a, end);
	ret->place = own ? ret->real : w->place;
}

static enum path_kind target_of(const struct path_walk *w)
{
	return w->below ? (w->blind ? PATH_UNREADABLE : PATH_ABSENT) : w->look.kind;
}

static void answer_walk(struct path_walk *w, struct path_answer *ret)
{
	look_again(w);
	ret->real = str_dup(w->m->a, done_str(w));
	ret->target = target_of(w);
	if (!w->below)
		ret->owner = w->look.owner;
	if (ret->target == PATH_FILE)
		ret->links = w->look.links;
	ret->shared = w->look.mode & (S_IWGRP | S_IWOTH);
	ret->kind = w->placed ? w->kind : ret->target;
	ret->place = w->placed ? w->place : ret->real;
}

/* A path in a cached directory is walked from there. */
static void start_at_known(struct path_walk *w, struct str *path)
{
	struct str parent = path_parent(*path);
	const struct path_dir *d = parent.n > 1 ? memo_find(w->m, parent) : NULL;

	if (!d)
		return;
	memcpy(w->done, parent.p, parent.n);
	w->done[parent.n] = '\0';
	w->n = parent.n;
	use_memo(w, d);
	*path = str_from(*path, parent.n);
}

/*
 * Walks to the end of the path. Initializes all of the walk except its two buffers, whose content has no
 * meaning before it is written.
 */
static enum walk_step walk_path(struct path_walk *w, struct path_memo *m, struct str path)
{
	enum walk_step s = STEP_ON;
	memset((char *)w + offsetof(struct path_walk, m), 0,
			offsetof(struct path_walk, done) - offsetof(struct path_walk, m));
	w->done[0] = '\0';
	w->m = m;
	if (path.n == 0 || path.p[0] != '/' || path.n >= PATH_MAX || str_has(path, '\0'))
		return STEP_LOST;
	start_at_known(w, &path);
	w->at = REST_MAX - path.n;
	memcpy(w->rest + w->at, path.p, path.n);
	/* terminates: each step takes a name, and only links add names, up to PATH_LINKS_MAX */
	while (s == STEP_ON)
		s = walk_component(w);
	return s;
}

struct str path_real(struct path_memo *m, struct str path, enum path_kind *ret_target)
{
	struct path_walk w;
	enum walk_step s = walk_path(&w, m, path);
	bool known = s == STEP_END && !w.below && !w.stays && !w.looked && memo_find(m, done_str(&w));
	*ret_target = PATH_OTHER;
	if (s != STEP_END || w.stays)
		return STR("");
	if (!known)
		look_again(&w);
	*ret_target = known ? PATH_DIR : target_of(&w);
	return str_dup(m->a, done_str(&w));
}

struct str path_of_fd(struct arena *a, int fd)
{
	char self[32], text[PATH_MAX];
	ssize_t n;

	str_put(self, sizeof(self), "/proc/self/fd/%d", fd);
	n = readlink(self, text, sizeof(text));
	return n > 0 && (size_t)n < sizeof(text) &&
			text[0] == '/' ? str_dup(a, (struct str){text, (size_t)n}) : STR("");
}

bool path_leaves(struct path_memo *m, struct str path, struct str real, struct str dir)
{
	bool inside = false, entered = false;

	if (!dir.n || path_inside(real, dir))
		return false;
	for (size_t n = 1; n <= path.n; n++) {
		enum path_kind kind;
		bool now, up = n >= 3 && memcmp(path.p + n - 3, "/..", 3) == 0;

		if (n < path.n && path.p[n] != '/')
			continue;
		now = path_inside(path_real(m, (struct str){path.p, n}, &kind), dir);
		if (inside)
			entered = up ? entered && now : true;
		inside = now;
	}
	return entered;
}

const struct path_dir *path_dir(struct path_memo *m, struct str real)
{
	struct path_answer p;
	path_look(m, real, &p);
	const struct path_dir *d = memo_find(m, real);
	return d && d->looked ? d : NULL;
}

static void look_path(struct path_memo *m, struct str path, bool existing, struct path_answer *ret)
{
	struct path_walk w;
	*ret = (struct path_answer){.path = path, .kind = PATH_OTHER, .target = PATH_OTHER, .place = STR(""),
			.real = STR(""), .shared = true};
	enum walk_step s = walk_path(&w, m, path);
	if (s == STEP_END && w.stays)
		answer_stays(&w, ret);
	else if (s == STEP_END && !(existing && w.below && !w.placed))
		answer_walk(&w, ret);
	else if (s == STEP_END)
		ret->kind = target_of(&w);
	else if (w.placed) {
		ret->kind = w.kind;
		ret->place = w.place;
	}
}

void path_look(struct path_memo *m, struct str path, struct path_answer *ret)
{
	look_path(m, path, false, ret);
}

bool path_look_existing(struct path_memo *m, struct str path, struct path_answer *ret)
{
	look_path(m, path, true, ret);
	return ret->kind != PATH_ABSENT && ret->kind != PATH_UNREADABLE;
}

bool path_exists(struct path_memo *m, struct str path)
{
	struct path_answer at;

	if (known_name(m, path) == STAMP_NAME_FILE)
		return true;
	if (!path_look_existing(m, path, &at))
		return false;
	if (at.kind == PATH_FILE)
		keep_name(m, path, STAMP_NAME_FILE);
	return true;
}
