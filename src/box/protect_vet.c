/*
 * Vetting: the search after the run, also when it takes longer than a caller should wait, and the memory of a
 * workspace that it needs.
 *
 * In STATE/vetted a workspace has up to five names, made from its path, device and inode:
 *   NAME.unvetted  a dangling link whose text is a time and the workspace: programs have run since then, and
 *                  the search has not judged their work. MTIME as the time is that of the link itself
 *   NAME.index     the repositories and settings that were accepted by the last complete search; the first
 *                  line says how large the workspace is
 *   NAME.found     rows for the next report: found by a search that ended after its run's own report
 *   NAME.prepared  becomes NAME.unvetted when a box is about to start: a launcher that is killed before that
 *                  leaves nothing to judge
 *   NAME.spare     a mark of an earlier run for the next one: a new link costs 5 % of a short run
 *
 * Processes:
 *   launcher   makes NAME.unvetted before the run, unless it exists. It removes it after its search if no
 *              other box runs in the workspace. If it made the name itself, everything in the workspace is
 *              the person's; else only files that the index accepts or that are older than the time.
 *   vetter     searches a large workspace after the launcher has answered, with a low priority. It holds no
 *              descriptor of the caller.
 *
 * Two locks (bytes of the state's file of locks) order vetters: `waiting` is held by one that has not begun,
 * `searching` by one that has. A launcher that finds `waiting` held needs no vetter of its own: that search
 * begins later than now. A vetter whose search is over removes NAME.unvetted only if it gets the workspace's
 * lock alone and nobody is waiting. If a vetter is killed the name stays, and the next run or hook that finds
 * it without a vetter starts another one.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/num.h"
#include "box/protect_inner.h"
#include "model/view.h"
#include "sys/directory.h"
#include "sys/fds.h"
#include "sys/file.h"
#include "sys/path.h"
#include "sys/process.h"

#define VET_FOLDER "vetted"
#define MARK "unvetted"
#define PREPARED "prepared"
#define SPARE "spare"
#define MTIME "mtime" /* programs before this word see no time in it, and judge everything */
#define INDEX_HEAD "caisson-index 2 "
#define INDEX_MAX ((size_t)16 << 20)
#define FOUND_MAX ((size_t)256 << 10)
#define IOPRIO_LOW (2 << 13 | 7) /* best effort, the last */
#define VETTER_NICE 10
#define IOPRIO_WHO_PROCESS 1
#define ENTER_TRIES 5000 /* milliseconds */
#define VETTER_SECONDS 3600
#define LEAVE_TRIES 2000 /* of 5 ms */
#define VETTER_BYTES ((size_t)2 << 30)

static const char *vet_file(struct protect *p, const char *suffix)
{
	return str_fmt_c(p->a, "%s.%s", p->vet_name, suffix);
}

const char *protect_state(struct protect *p)
{
	return path_dirname(p->a, path_dirname(p->a, str_c(p->a, p->quarantine)));
}

static void vet_name(struct arena *a, struct str workspace, const struct stat *st, char ret[VET_NAME + 1])
{
	char hex[SHA256_HEX + 1];

	sha256_hex(str_fmt(a, "%llu %llu %.*s", (unsigned long long)st->st_dev,
				   (unsigned long long)st->st_ino, STR_ARG(workspace)),
			hex);
	memcpy(ret, hex, VET_NAME);
	ret[VET_NAME] = 0;
}

void vet_open(struct protect *p)
{
	const char *state = protect_state(p), *path = path_join(p->a, state, VET_FOLDER);
	struct stat st;

	if (!state[0] || p->lock < 0 || fstat(p->ws, &st) < 0)
		return;
	vet_name(p->a, p->workspace, &st, p->vet_name);
	p->vet = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (p->vet < 0 && errno == ENOENT && mkdir(path, 0700) == 0)
		p->vet = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (p->vet >= 0 && (fstat(p->vet, &st) < 0 || st.st_uid != geteuid() || (st.st_mode & 022)))
		fd_close(&p->vet);
}

/* Cuts off the part before the next space. */
static struct str field(struct str *line)
{
	size_t space = str_end(*line, ' ', 0);
	struct str got = str_sub(*line, 0, space);

	*line = str_sub(*line, got.n + 1, line->n);
	return got;
}

/* ---- the time since when nothing was judged ---- */

static bool marker_time(struct protect *p, const char *name, struct timespec *ret)
{
	struct str all = link_text(p->a, p->vet, name), rest = all, text = field(&rest);
	ptrdiff_t dot = str_find(text, '.', 0);
	struct stat st;
	int64_t s, ns;

	if (!all.n)
		return false;
	if (str_is(text, MTIME) && fstatat(p->vet, name, &st, AT_SYMLINK_NOFOLLOW) == 0) {
		*ret = st.st_mtim;
		return true;
	}
	if (dot < 0 || num_parse(str_sub(text, 0, (size_t)dot), 0, INT64_MAX, &s) < 0 ||
			num_parse(str_sub(text, (size_t)dot + 1, text.n), 0, 999999999, &ns) < 0)
		s = ns = 0; /* all that is there is newer */
	*ret = (struct timespec){.tv_sec = s, .tv_nsec = ns};
	return true;
}

static bool marker_read(struct protect *p, struct timespec *ret)
{
	return marker_time(p, vet_file(p, MARK), ret);
}

/*
 * Prepares the mark under another name. Only the launcher that holds the lock alone does this, so an old one
 * is a killed launcher's.
 */
static int marker_prepare(struct protect *p)
{
	const struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, p->start};
	const char *name = vet_file(p, PREPARED), *text;
	int got = renameat(p->vet, vet_file(p, SPARE), p->vet, name);

	if (got < 0 && errno == ENOENT) {
		text = str_fmt_c(p->a, MTIME " %.*s", STR_ARG(p->workspace));
		(void)unlinkat(p->vet, name, 0);
		got = symlinkat(text, p->vet, name);
		if (got < 0 && errno == ENAMETOOLONG)
			got = symlinkat(MTIME, p->vet, name);
	}
	if (got == 0)
		got = utimensat(p->vet, name, times, AT_SYMLINK_NOFOLLOW);
	p->prepared = got == 0;
	return got;
}

int vet_mark(struct protect *p)
{
	if (!p->prepared)
		return 0;
	if (renameat(p->vet, vet_file(p, PREPARED), p->vet, vet_file(p, MARK)) != 0)
		return -1;
	p->prepared = false;
	return 0;
}

void vet_unprepare(struct protect *p)
{
	char name[VET_NAME + sizeof "." PREPARED];

	if (!p->prepared)
		return;
	str_put(name, sizeof name, "%s." PREPARED, p->vet_name);
	unlinkat(p->vet, name, 0);
	p->prepared = false;
}

/* Only a mark of marker_prepare() has the text that the next one needs. */
void vet_done(struct protect *p)
{
	const char *mark = vet_file(p, MARK);

	if (!str_starts(link_text(p->a, p->vet, mark), MTIME) ||
			renameat(p->vet, mark, p->vet, vet_file(p, SPARE)) != 0)
		unlinkat(p->vet, mark, 0);
}

/* ---- the index ---- */

static void index_digest(struct buf *b, const struct git_danger *d)
{
	buf_char(b, ' ');
	if (!d->any) {
		buf_char(b, '-');
		return;
	}
	for (size_t i = 0; i < SHA256_BYTES; i++)
		buf_fmt(b, "%02x", d->digest[i]);
}

static bool one_line(struct str path) { return !memchr(path.p, '\n', path.n); }

static void index_gitdir(void *ctx, struct str key, const void *value)
{
	const struct gitdir *g = value;
	struct buf *b = ctx;

	if (!one_line(key))
		return; /* judged by times */
	buf_fmt(b, "%c %d %llu %llu", g->heavy ? 'G' : 'g', g->worktree, (unsigned long long)g->dev,
			(unsigned long long)g->ino);
	for (size_t i = 0; i < PARTS; i++)
		index_digest(b, &g->parts[i]);
	buf_fmt(b, " %.*s\n", STR_ARG(key));
}

static void index_git_file(void *ctx, struct str key, const void *value)
{
	(void)value;
	if (one_line(key))
		buf_fmt(ctx, "f %.*s\n", STR_ARG(key));
}

void index_save(struct protect *p, size_t entries)
{
	struct buf b;

	if (p->vet < 0)
		return;
	buf_init(&b, p->a, INDEX_MAX);
	buf_fmt(&b, INDEX_HEAD "%c\n", entries > VET_SMALL ? 'L' : 'S');
	pmap_each(p->gitdirs, index_gitdir, &b);
	pmap_each(p->git_files, index_git_file, &b);
	for (const struct texts *t = p->nested; t; t = t->next)
		if (one_line(t->text))
			buf_fmt(&b, "p %.*s\n", STR_ARG(t->text));
	if (str_eq(buf_view(&b), p->index) && p->index.n)
		return;
	file_replace(path_join(p->a, path_join(p->a, protect_state(p), VET_FOLDER), vet_file(p, "index")),
			buf_view(&b), NULL);
}

static bool digest_read(struct str hex, struct git_danger *ret)
{
	static const char digits[] = "0123456789abcdef";

	if (str_is(hex, "-"))
		return true;
	if (!str_is_hex(hex, SHA256_HEX))
		return false;
	for (size_t i = 0; i < SHA256_BYTES; i++)
		ret->digest[i] = (unsigned char)((strchr(digits, hex.p[2 * i]) - digits) << 4 |
				(strchr(digits, hex.p[2 * i + 1]) - digits));
	ret->any = true;
	return true;
}

static void index_row(struct protect *p, struct str line)
{
	struct str kind = field(&line);
	struct gitdir *g = arena_new(p->a, struct gitdir);
	int64_t worktree, dev, ino;

	if (str_is_any(kind, "g G")) {
		if (num_parse(field(&line), 0, 1, &worktree) < 0 ||
				num_parse(field(&line), 0, INT64_MAX, &dev) < 0 ||
				num_parse(field(&line), 0, INT64_MAX, &ino) < 0)
			return;
		for (size_t i = 0; i < PARTS; i++)
			if (!digest_read(field(&line), &g->parts[i]))
				return;
		g->path = str_c(p->a, line);
		g->heavy = str_is(kind, "G");
		g->worktree = worktree;
		g->dev = (dev_t)dev;
		g->ino = (ino_t)ino;
		p->accepted = pmap_set(p->a, p->accepted, str_of(g->path), g);
	} else if (str_is_any(kind, "f p")) {
		texts_push(p->a, str_is(kind, "f") ? &p->index_files : &p->index_names,
				str_dup(p->a, line));
	}
}

static void index_load(struct protect *p)
{
	struct str text;

	if (below_read(p->a, p->vet, vet_file(p, "index"), INDEX_MAX, &text) < 0 ||
			!str_starts(text, INDEX_HEAD))
		return;
	p->index = text;
	p->large = str_starts(str_sub(text, sizeof INDEX_HEAD - 1, text.n), "L");
	for (size_t from = 0; from < text.n;) {
		size_t to = str_end(text, '\n', from);

		index_row(p, str_sub(text, from, to));
		from = to + 1;
	}
}

/* ---- before the run ---- */

static void pin_accepted(void *ctx, struct str key, const void *value)
{
	struct protect *p = ctx;
	const struct gitdir *g = value;
	struct stat st;

	if (below_stat(p->ws, g->path, &st) == 0 && S_ISDIR(st.st_mode))
		gitdir_before(p, str_c(p->a, key), g->worktree, !g->heavy);
}

void index_pin(struct protect *p)
{
	struct stat st;

	pmap_each(p->accepted, pin_accepted, p);
	for (const struct texts *t = p->index_files; t; t = t->next)
		if (below_stat(p->ws, t->text.p, &st) == 0 && !S_ISDIR(st.st_mode))
			git_before(p, t->text.p, (unsigned char)IFTODT(st.st_mode), true);
	for (const struct texts *t = p->index_names; t; t = t->next)
		if (below_stat(p->ws, t->text.p, &st) == 0)
			protect_keep(p, t->text.p, 0, NULL);
}

/* Earlier runs were not judged: of what is there now, only what the index accepts counts as known. */
static void only_accepted(void *ctx, struct str key, const void *value)
{
	struct protect *p = ctx;
	const struct gitdir *now = value, *was = pmap_get(p->accepted, key);
	struct gitdir *g;

	if (!was || was->dev != now->dev || was->ino != now->ino)
		return;
	g = arena_new(p->a, struct gitdir);
	*g = *now;
	for (size_t i = 0; i < PARTS; i++) {
		bool same = now->parts[i].any == was->parts[i].any &&
				!memcmp(now->parts[i].digest, was->parts[i].digest, SHA256_BYTES);

		g->parts[i] = was->parts[i];
		g->parts[i].text = same ? now->parts[i].text : STR("");
	}
	p->gitdirs_before = pmap_set(p->a, p->gitdirs_before, key, g);
}

void vet_known(struct protect *p)
{
	p->gitdirs_before = NULL;
	if (!p->dirty) {
		p->gitdirs_before = p->gitdirs;
		return;
	}
	pmap_each(p->gitdirs, only_accepted, p);
	p->git_files = NULL;
	p->settings = NULL;
	p->visited = NULL;
}

static void judge_now(struct protect *p)
{
	p->gitdirs_before = p->accepted;
	git_after(p, PROTECT_ENTRIES_MAX);
	p->gitdirs = p->gitdirs_before = p->git_files = p->settings = NULL;
	p->nested = NULL;
}

/* ---- marks of other workspaces ---- */

struct mark_name {
	char text[VET_NAME + sizeof "." MARK];
};

/*
 * The marks in STATE/vetted, in memory of the caller's: leaving for want of memory closes nothing. How many;
 * above UNVETTED_MAX: too many.
 */
static size_t marks_list(int dir, struct mark_name ret[UNVETTED_MAX])
{
	DIR *d = fdopendir(dir);
	size_t n = 0;

	for (struct dirent *e; d && n <= UNVETTED_MAX && (e = readdir(d));) {
		if (!str_ends(str_of(e->d_name), "." MARK))
			continue;
		if (n == UNVETTED_MAX || strlen(e->d_name) >= sizeof ret->text)
			n = UNVETTED_MAX;
		else
			memcpy(ret[n].text, e->d_name, strlen(e->d_name) + 1);
		n++;
	}
	if (!d) {
		close(dir);
		return UNVETTED_MAX + 1;
	}
	closedir(d);
	return n;
}

/*
 * False: the mark's workspace is gone, or another directory has its place. An empty path: any place may be
 * meant.
 */
static bool mark_workspace(struct arena *a, const char *folder, const struct mark_name *m, struct str *ret)
{
	char text[PATH_MAX], name[VET_NAME + 1];
	ssize_t n = readlink(path_join(a, folder, m->text), text, sizeof text);
	struct str path = n > 0 && (size_t)n < sizeof text ? str_dup(a, str_n(text, (size_t)n)) : STR("");
	struct stat st;

	if (n < 0 && errno == ENOENT)
		return false; /* judged meanwhile */
	field(&path);
	*ret = str_starts(path, "/") ? path : STR("");
	if (!ret->n)
		return true;
	if (stat(str_c(a, path), &st) < 0)
		return errno != ENOENT && errno != ENOTDIR;
	vet_name(a, path, &st, name);
	return !memcmp(name, m->text, VET_NAME);
}

/*
 * Boxes in workspaces above or below this one change the same files. Repositories that they made since their
 * marks do not count as the person's only because they existed before this run.
 */
static void heed_neighbours(struct protect *p)
{
	const char *folder = path_join(p->a, protect_state(p), VET_FOLDER);
	int dir = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct mark_name marks[UNVETTED_MAX];
	size_t n = dir < 0 ? 0 : marks_list(dir, marks);

	if (dir < 0 || n > UNVETTED_MAX) {
		p->dirty = true;
		p->start = (struct timespec){0};
		return;
	}
	for (size_t i = 0; i < n; i++) {
		struct str workspace = STR("");
		struct timespec since;

		if (!memcmp(marks[i].text, p->vet_name, VET_NAME) ||
				!mark_workspace(p->a, folder, &marks[i], &workspace))
			continue;
		if (workspace.n && !path_inside(workspace, p->workspace) &&
				!path_inside(p->workspace, workspace))
			continue;
		if (!marker_time(p, marks[i].text, &since))
			continue; /* judged meanwhile */
		p->dirty = true;
		if (since.tv_sec < p->start.tv_sec ||
				(since.tv_sec == p->start.tv_sec && since.tv_nsec < p->start.tv_nsec))
			p->start = since;
	}
}

int vet_enter(struct protect *p)
{
	struct timespec since;

	if (p->vet < 0)
		return workspace_lock_share(p);
	for (int i = 0; i < ENTER_TRIES; i++) {
		if (marker_read(p, &since)) {
			if (workspace_lock_share(p) < 0)
				return -1;
			p->dirty = marker_read(p, &since);
			if (p->dirty) {
				p->start = since;
				return 0;
			}
			workspace_unlock(p); /* the last one has just judged everything */
		} else if (boxes_lock_alone(p)) {
			p->alone = !marker_read(p, &since);
			if (p->alone && marker_prepare(p) == 0)
				return 0;
			if (p->alone) { /* a state directory that is full or read-only */
				p->alone = false;
				fd_close(&p->vet);
				return workspace_lock_share(p);
			}
			workspace_unlock(p);
		}
		nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL); /* another launcher begins */
	}
	errno = EWOULDBLOCK;
	return -1;
}

/* Judges earlier runs now if their vetter was killed or could not see everything. */
static void judge_left(struct protect *p)
{
	if (!p->dirty || !boxes_lock_alone(p))
		return;
	p->alone = true;
	if (!vet_idle(p))
		return;
	judge_now(p);
	if (p->incomplete) {
		p->incomplete = false;
		return;
	}
	vet_done(p);
	clock_gettime(CLOCK_REALTIME_COARSE, &p->start);
	p->dirty = marker_prepare(p) < 0;
}

void vet_begin(struct protect *p)
{
	if (p->vet < 0)
		return;
	index_load(p);
	judge_left(p);
	heed_neighbours(p);
}

/* ---- rows for the next report ---- */

static void found_part(struct buf *b, struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] < ' ' || s.p[i] == '%')
			buf_fmt(b, "%%%02x", (unsigned char)s.p[i]);
		else
			buf_char(b, s.p[i]);
}

static void found_save(struct protect *p)
{
	FD_CLEANUP int fd = -1;
	struct buf b;

	if (!p->changes)
		return;
	buf_init(&b, p->a, FOUND_MAX);
	for (const struct change *c = p->changes; c; c = c->next) {
		found_part(&b, c->path);
		buf_char(&b, '\t');
		found_part(&b, c->what);
		buf_char(&b, '\t');
		found_part(&b, c->moved_to);
		buf_char(&b, '\n');
	}
	fd = openat(p->vet, vet_file(p, "found"), O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC,
			0600);
	if (fd >= 0)
		fd_write_all(fd, "found", buf_view(&b), NULL);
}

static struct str found_read(struct arena *a, struct str s)
{
	struct buf b;

	buf_init(&b, a, FOUND_MAX);
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '%' && i + 2 < s.n + 0 && str_is_hex(str_sub(s, i + 1, i + 3), 2)) {
			const char *d = "0123456789abcdef";

			buf_char(&b, (char)((strchr(d, s.p[i + 1]) - d) << 4 | (strchr(d, s.p[i + 2]) - d)));
			i += 2;
		} else {
			buf_char(&b, s.p[i]);
		}
	}
	return buf_view(&b);
}

static void report_found(struct protect *p, struct str path, struct str what, struct str moved_to)
{
	struct str late = str_fmt(p->a, "%.*s (after an earlier run)", STR_ARG(what));

	protect_report(p, str_c(p->a, path), str_c(p->a, late), str_dup(p->a, moved_to));
}

void vet_found(struct protect *p)
{
	struct str text;

	if (p->vet < 0 || below_read(p->a, p->vet, vet_file(p, "found"), FOUND_MAX, &text) < 0)
		return;
	unlinkat(p->vet, vet_file(p, "found"), 0);
	while (text.n) {
		struct str line = str_cut(&text, '\n');

		if (str_count(line, '\t') >= 2) {
			struct str path = found_read(p->a, str_cut(&line, '\t'));
			struct str what = found_read(p->a, str_cut(&line, '\t'));

			report_found(p, path, what, found_read(p->a, line));
		}
	}
}

/* ---- the vetter ---- */

/*
 * The launcher that left the search to us may still hold its lock for a moment. A box that runs longer has
 * its own search.
 */
static bool others_end(struct protect *p)
{
	for (int i = 0; i < LEAVE_TRIES; i++) {
		if (boxes_lock_alone(p))
			return true;
		nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
	}
	return false;
}

static int vetter_search(void *arg)
{
	struct protect *p = arg;
	size_t entries;

	p->incomplete = false;
	p->nested = NULL;
	entries = git_after(p, PROTECT_ENTRIES_MAX);
	if (p->incomplete)
		protect_report(p, ".", "not everything could be searched for planted repositories", STR(""));
	found_save(p);
	if (!p->incomplete && others_end(p) && vet_nobody_waits(p)) {
		index_save(p, entries);
		vet_done(p);
	}
	return 0;
}

/*
 * Git is contained until the search is over, so it must get on beside a busy build: the idle class would wait
 * for minutes there.
 */
static void low_priority(void)
{
	setpriority(PRIO_PROCESS, 0, VETTER_NICE);
	syscall(SYS_ioprio_set, IOPRIO_WHO_PROCESS, 0, IOPRIO_LOW);
}

static void no_streams(void)
{
	FD_CLEANUP int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int i = 0; null >= 0 && i <= STDERR_FILENO; i++)
		if (dup2(null, i) < 0)
			_exit(1);
}

/* Its lock is its own: the launcher unlocks nothing of it. */
static int vetter_lock(void *arg)
{
	workspace_lock_open(arg);
	return vet_search_lock(arg) < 0;
}

static void vetter(struct protect *p, int waiting)
{
	int keep[8], n = 0;
	struct arena a;
	struct protect mine = *p;

	setsid();
	signal(SIGHUP, SIG_IGN);
	if (chdir("/") < 0)
		_exit(1);
	for (int fd = 0; fd <= STDERR_FILENO; fd++)
		keep[n++] = fd;
	keep[n++] = p->ws;
	keep[n++] = p->vet;
	keep[n++] = waiting;
	fds_sort(keep, (size_t)n);
	fds_keep(keep, (size_t)n);
	no_streams();
	low_priority();
	alarm(VETTER_SECONDS);
	arena_init(&a, VETTER_BYTES);
	mine.a = &a;
	mine.qfd = mine.pool = mine.lock = -1;
	mine.nheld = 0;
	mine.lifted = NULL;
	mine.changes = NULL;
	mine.changes_end = &mine.changes;
	mine.nchanges = 0;
	if (arena_run(&a, vetter_lock, &mine) != 0)
		_exit(1);
	close(waiting);
	protect_part(&mine, vetter_search, &mine);
	_exit(0);
}

bool vet_later(struct protect *p)
{
	int waiting = vet_wait_lock(p);
	pid_t pid;

	if (waiting == VET_WAITS)
		return true;
	if (waiting < 0)
		return false;
	pid = process_fork(NULL);
	if (pid == 0) {
		/* Nobody's child: a launcher may live on, and nobody waits for this one. */
		if (process_fork(NULL) == 0)
			vetter(p, waiting);
		_exit(0);
	}
	close(waiting);
	process_wait(pid);
	return pid > 0;
}

/* ---- for those who ask ---- */

static struct protect asking(struct arena *a, struct str state, struct str workspace)
{
	return (struct protect){.a = a, .ws = -1, .lock = -1, .qfd = -1, .pool = -1, .vet = -1,
			.workspace = workspace,
			.quarantine = str_fmt(a, "%.*s/quarantine/vetter", STR_ARG(state))};
}

static void asked(struct protect *p)
{
	fd_close(&p->lock);
	fd_close(&p->vet);
	fd_close(&p->ws);
}

enum vetting protect_vetting(struct arena *a, struct str state, struct str workspace)
{
	struct protect p = {0};
	enum vetting got = VETTING_LOST;
	struct stat st;
	short boxes;
	char text[2];

	if (!state.n || !workspace.n || stat(str_c(a, workspace), &st) < 0)
		return VETTING_DONE;
	vet_name(a, workspace, &st, p.vet_name);
	if (readlink(str_fmt_c(a, "%.*s/" VET_FOLDER "/%s." MARK, STR_ARG(state), p.vet_name), text,
			sizeof text) < 0)
		return errno == ENOENT || errno == ENOTDIR ? VETTING_DONE : VETTING_LOST;
	p = asking(a, state, workspace);
	p.ws = directory_open_expected(str_c(a, workspace), (struct identity){0}, O_PATH);
	if (p.ws >= 0)
		workspace_lock_open(&p);
	boxes = boxes_lock(&p);
	if (p.lock < 0)
		got = VETTING_LOST;
	else if (boxes == F_RDLCK)
		got = VETTING_BOX;
	else if (boxes == F_WRLCK || !vet_idle(&p))
		got = VETTING_UNDER_WAY;
	asked(&p);
	return got;
}

const char *protect_marks(struct arena *a, struct str state)
{
	return str_c(a, str_path(a, state, STR(VET_FOLDER)));
}

void protect_unvetted(struct arena *a, struct str state, struct unvetted *ret)
{
	const char *folder = protect_marks(a, state);
	struct mark_name marks[UNVETTED_MAX];
	struct root **end = &ret->workspaces;
	struct str workspace;
	size_t n;
	int dir;

	*ret = (struct unvetted){0};
	dir = state.n ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	if (dir < 0) {
		ret->everywhere = state.n && errno != ENOENT && errno != ENOTDIR;
		return;
	}
	n = marks_list(dir, marks);
	ret->marked = n > 0;
	ret->everywhere = n > UNVETTED_MAX;
	for (size_t i = 0; i < n && !ret->everywhere; i++) {
		if (!mark_workspace(a, folder, &marks[i], &workspace))
			continue;
		ret->everywhere = !workspace.n;
		*end = arena_new(a, struct root);
		(*end)->path = workspace;
		end = &(*end)->next;
	}
	if (ret->everywhere)
		ret->workspaces = NULL;
}

static int vet_again(void *arg)
{
	struct protect *p = arg;

	workspace_lock_open(p);
	vet_open(p);
	if (p->vet < 0 || !marker_read(p, &p->start))
		return 0;
	index_load(p);
	p->gitdirs_before = p->accepted;
	vet_later(p);
	return 0;
}

void protect_vet(struct arena *a, struct str state, struct str workspace)
{
	struct protect p = asking(a, state, workspace);

	p.changes_end = &p.changes;
	p.ws = workspace_open(str_c(a, workspace), (struct identity){0});
	if (p.ws >= 0)
		protect_part(&p, vet_again, &p);
	asked(&p);
}
