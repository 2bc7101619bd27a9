/* See background.h. */
#define _GNU_SOURCE
#include "keeper/background.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/json_write.h"
#include "base/num.h"
#include "model/policy.h"
#include "sys/clock.h"
#include "sys/file.h"
#include "sys/listening.h"
#include "sys/path.h"
#include "sys/peer.h"

#define INFO_MAX ((size_t)64 << 10)
#define COMMAND_MAX 2000
#define LOOK_EVERY_MS 20
#define VERSION 1
#define JSON_PORTS_MAX 16 /* that are shown of one box */

static const char *const files[] = {"info.json", "lock", "log", "log.old", "report.json", "lost"};

static struct str folder_of(struct arena *a, struct str state)
{
	return str_path(a, state, STR(BACKGROUND_FOLDER));
}

static const char *entry_path(struct arena *a, struct str state, struct str id)
{
	return str_c(a, str_path(a, folder_of(a, state), id));
}

/* ---- making ---- */

static struct str info_json(struct arena *a, const struct background *b)
{
	struct buf j;

	buf_init(&j, a, INFO_MAX);
	buf_fmt(&j, "{\"v\":%d", VERSION);
	json_put_field(&j, "id", b->id);
	json_put_field(&j, "of", b->of);
	json_put_field(&j, "command",
			str_sub(b->command, 0, b->command.n < COMMAND_MAX ? b->command.n : COMMAND_MAX));
	json_put_field(&j, "session", b->session);
	json_put_field(&j, "client", b->client);
	json_put_field(&j, "project", b->project);
	json_put_field(&j, "started", b->started);
	json_put_field(&j, "network", b->network);
	buf_fmt(&j, ",\"init\":%d,\"init_start\":%" PRIu64, b->init, b->init_start);
	json_put_bool(&j, "shares", b->shares);
	buf_c(&j, "}\n");
	return buf_view(&j);
}

static bool lock_file(int fd)
{
	struct flock l = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

	return fcntl(fd, F_OFD_SETLK, &l) == 0;
}

int background_make(struct arena *a, struct str state, const struct background *b, int *ret_dir,
		int *ret_lock, struct err *e)
{
	const char *top = str_c(a, folder_of(a, state)), *path = entry_path(a, state, b->id);
	struct str info = info_json(a, b);
	int dir, lock;

	if ((mkdir(top, 0700) != 0 && errno != EEXIST) || mkdir(path, 0700) != 0)
		return err_system(e, "cannot make '%s'", path);
	dir = open(path, O_DIRECTORY | O_NOFOLLOW | O_RDONLY | O_CLOEXEC);
	lock = dir < 0 ? -1 : openat(dir, "lock", O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	/* The lock is there before anything that a reader looks for. */
	if (lock < 0 || !lock_file(lock) ||
			file_replace_in(dir, "info.json", info, &(struct file_look){.mode = 0600}, e) != 0) {
		int why = errno;

		fd_close(&dir);
		fd_close(&lock);
		background_unmake(a, state, b->id);
		return err_set(e, ERR_SYSTEM, why, "cannot make '%s'", path);
	}
	*ret_dir = dir;
	*ret_lock = lock;
	return 0;
}

void background_name(int lock)
{
	char text[64];
	int n = snprintf(text, sizeof(text), "%d %" PRIu64 "\n", (int)getpid(), peer_start_time(getpid()));

	(void)!pwrite(lock, text, (size_t)n, 0);
}

int background_log(int dir)
{
	return openat(dir, "log", O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
}

void background_unlog(int dir) { unlinkat(dir, "log", 0); }

/* Bytes that come between the copy and the cut are lost. */
void background_bound_log(int dir, int log)
{
	struct stat st;
	loff_t from = 0;

	if (log < 0 || fstat(log, &st) != 0 || (uint64_t)st.st_size < BACKGROUND_LOG_MAX)
		return;
	if ((uint64_t)st.st_size > 2 * BACKGROUND_LOG_MAX)
		from = st.st_size - (loff_t)BACKGROUND_LOG_MAX;
	FD_CLEANUP int old =
			openat(dir, "log.old", O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	while (old >= 0 && sendfile(old, log, &from, (size_t)(2 * BACKGROUND_LOG_MAX)) > 0)
		;
	(void)!ftruncate(log, 0);
}

void background_end(int dir, struct str report)
{
	(void)file_replace_in(dir, report.n ? "report.json" : "lost", report,
			&(struct file_look){.mode = 0600}, NULL);
}

void background_unmake(struct arena *a, struct str state, struct str id)
{
	const char *path = entry_path(a, state, id);
	FD_CLEANUP int dir = open(path, O_DIRECTORY | O_NOFOLLOW | O_RDONLY | O_CLOEXEC);

	for (size_t i = 0; dir >= 0 && i < ARRAY_SIZE(files); i++)
		unlinkat(dir, files[i], 0);
	rmdir(path);
}

/* ---- reading ---- */

static bool is_locked(int fd)
{
	struct flock l = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

	return fcntl(fd, F_OFD_GETLK, &l) == 0 && l.l_type != F_UNLCK;
}

static int open_lock(struct arena *a, struct str state, struct str id)
{
	return open(str_fmt_c(a, "%s/lock", entry_path(a, state, id)), O_RDWR | O_NOFOLLOW | O_CLOEXEC);
}

static void read_holder(int lock, struct background *ret)
{
	char text[64];
	ssize_t n = pread(lock, text, sizeof(text), 0);
	struct str s = str_n(text, n > 0 ? (size_t)n : 0);
	ptrdiff_t blank = str_find(s, ' ', 0), end = str_find(s, '\n', 0);
	int64_t pid, start;

	if (blank < 0 || end < blank || num_parse(str_sub(s, 0, (size_t)blank), 1, INT32_MAX, &pid) != 0 ||
			num_parse(str_sub(s, (size_t)blank + 1, (size_t)end), 1, INT64_MAX, &start) != 0)
		return;
	ret->pid = (int)pid;
	ret->start_time = (uint64_t)start;
}

int background_report(struct arena *a, struct str state, struct str id, struct json **ret)
{
	struct str text;

	if (file_read(a, str_fmt_c(a, "%s/report.json", entry_path(a, state, id)), BACKGROUND_REPORT_MAX,
			&text, NULL, NULL) != 0)
		return -1;
	return json_read(a, text, ret, NULL);
}

/* The lock is looked at before the report: a holder writes the report before it lets the lock go. */
static bool read_entry(struct arena *a, struct str state, struct str id, struct background *ret)
{
	const char *path = entry_path(a, state, id);
	struct json *o;
	struct str text;
	FD_CLEANUP int lock = open_lock(a, state, id);
	bool lives = lock >= 0 && is_locked(lock);

	if (lock < 0 || file_read(a, str_fmt_c(a, "%s/info.json", path), INFO_MAX, &text, NULL, NULL) !=
			0 || json_read(a, text, &o, NULL) != 0)
		return false;
	*ret = (struct background){.id = id,
			.of = json_text_at(o, "of"),
			.command = json_text_at(o, "command"),
			.session = json_text_at(o, "session"),
			.client = json_text_at(o, "client"),
			.project = json_text_at(o, "project"),
			.started = json_text_at(o, "started"),
			.init = (int)json_int_at(o, "init"),
			.init_start = (uint64_t)json_int_at(o, "init_start"),
			.shares = json_true_at(o, "shares"),
			.network = json_text_at(o, "network"),
			.dir = -1};
	read_holder(lock, ret);
	ret->state = lives ? BACKGROUND_LIVES : BACKGROUND_ENDED;
	if (lives)
		return true;
	if (access(str_fmt_c(a, "%s/report.json", path), F_OK) == 0)
		ret->status = background_report(a, state, id, &o) == 0 ? json_text_at(o, "status")
								       : STR("unknown");
	else
		ret->state = BACKGROUND_LOST;
	return true;
}

static bool is_id(const char *name)
{
	return name[0] && strspn(name, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_") ==
					  strlen(name);
}

static int newest_first(const void *x, const void *y)
{
	const struct background *const *a = x, *const *b = y;

	return str_cmp((*b)->started, (*a)->started);
}

struct background *background_list(struct arena *a, struct str state)
{
	struct background *found[BACKGROUND_LIST_MAX], *first = NULL, **end = &first;
	DIR *d = opendir(str_c(a, folder_of(a, state)));
	const struct dirent *x;
	struct texts *names = NULL;
	size_t n = 0;

	while (d && n < BACKGROUND_LIST_MAX && (x = readdir(d)))
		if (is_id(x->d_name)) {
			texts_push(a, &names, str_dup(a, str_of(x->d_name)));
			n++;
		}
	if (d)
		closedir(d);
	n = 0;
	for (const struct texts *t = names; t; t = t->next) {
		struct background b;

		if (read_entry(a, state, t->text, &b))
			found[n++] = arena_copy(a, b);
	}
	qsort(found, n, sizeof(found[0]), newest_first);
	for (size_t i = 0; i < n; i++)
		LIST_ADD(end, found[i]);
	*end = NULL;
	return first;
}

int background_open(struct arena *a, struct str state, struct str id, struct background *ret, struct err *e)
{
	const struct background *found = NULL;

	for (const struct background *b = background_list(a, state); b; b = b->next) {
		if (!id.n || !str_eq(str_sub(b->id, 0, id.n), id))
			continue;
		if (found && !str_eq(found->id, id))
			return err_input(e, "several boxes have an id that begins with '%.*s'", STR_ARG(id));
		found = b;
	}
	if (!found)
		return err_input(e, "there is no box '%.*s' in the background (caisson ps --all)",
				STR_ARG(id));
	*ret = *found;
	ret->dir = open(entry_path(a, state, found->id), O_DIRECTORY | O_NOFOLLOW | O_RDONLY | O_CLOEXEC);
	return ret->dir < 0 ? err_system(e, "cannot open the entry of the box") : 0;
}

int background_claim(const struct background *b, struct arena *a, struct str state)
{
	int lock = b->state == BACKGROUND_LOST ? open_lock(a, state, b->id) : -1;
	const char *path = entry_path(a, state, b->id);

	if (lock >= 0 && (!lock_file(lock) || access(str_fmt_c(a, "%s/report.json", path), F_OK) ==
			0 || access(str_fmt_c(a, "%s/lost", path), F_OK) == 0))
		fd_close(&lock);
	return lock;
}

/* The table of a process that has taken the pid meanwhile is not the box's. */
size_t background_ports(struct arena *a, const struct background *b, uint16_t *ret, size_t room)
{
	size_t n = b->init > 0 ? listening_ports(a, b->init, ret, room) : 0;

	return b->init_start && peer_start_time(b->init) == b->init_start ? n : 0;
}

void background_prune(struct arena *a, struct str state)
{
	size_t n = 0;

	for (const struct background *b = background_list(a, state); b; b = b->next)
		if (b->state != BACKGROUND_LIVES && ++n > BACKGROUND_KEPT)
			background_unmake(a, state, b->id);
}

const char *background_state_name(enum background_state s)
{
	static const char names[][8] = {"running", "ended", "lost"};

	return names[s];
}

void background_json(struct buf *out, const struct background *b)
{
	uint16_t ports[JSON_PORTS_MAX];
	size_t n = b->state == BACKGROUND_LIVES ? background_ports(out->a, b, ports, JSON_PORTS_MAX) : 0;

	json_put_open(out, NULL, '{');
	json_put_field(out, "id", b->id);
	json_put_field(out, "of", b->of);
	json_put_field(out, "state", str_of(background_state_name(b->state)));
	json_put_field(out, "status",
			b->state == BACKGROUND_LIVES ? STR("running")
			: b->status.n                ? b->status
						     : STR("unknown"));
	json_put_field(out, "started", b->started);
	json_put_field(out, "session", b->session);
	json_put_field(out, "project", b->project);
	json_put_field(out, "command", b->command);
	json_put_open(out, "ports", '[');
	for (size_t i = 0; i < n; i++)
		buf_fmt(out, "%s%u", i ? "," : "", ports[i]);
	buf_c(out, "]}");
}

/* ---- the holder ---- */

bool background_wait(const struct background *b, struct arena *a, struct str state, uint64_t ms)
{
	const int64_t due = clock_now() + (int64_t)ms * 1000000;
	FD_CLEANUP int lock = open_lock(a, state, b->id);

	while (lock >= 0 && is_locked(lock)) {
		if (clock_now() >= due)
			return false;
		nanosleep(&(struct timespec){.tv_nsec = LOOK_EVERY_MS * 1000000L}, NULL);
	}
	return true;
}

/* The pidfd comes first: the start time then belongs to the process that it means. */
static bool signal_holder(const struct background *b, int sig)
{
	FD_CLEANUP int pidfd = b->pid > 0 ? (int)syscall(SYS_pidfd_open, b->pid, 0) : -1;

	return pidfd >= 0 && b->start_time && peer_start_time(b->pid) == b->start_time &&
	       syscall(SYS_pidfd_send_signal, pidfd, sig, NULL, 0) == 0;
}

void background_ask_end(const struct background *b)
{
	(void)signal_holder(b, SIGTERM);
}

int background_stop(const struct background *b, struct arena *a, struct str state, unsigned ms, struct err *e)
{
	struct background now = *b;

	/* A holder that has just been born names itself in a moment. */
	for (int i = 0; i < 50 && !now.pid && now.state == BACKGROUND_LIVES; i++) {
		nanosleep(&(struct timespec){.tv_nsec = LOOK_EVERY_MS * 1000000L}, NULL);
		if (!read_entry(a, state, b->id, &now))
			break;
	}
	(void)signal_holder(&now, SIGTERM);
	if (background_wait(b, a, state, ms))
		return 0;
	(void)signal_holder(&now, SIGKILL);
	if (background_wait(b, a, state, 1000))
		return 0;
	return err_host(e, "the box '%.*s' could not be stopped", STR_ARG(b->id));
}
