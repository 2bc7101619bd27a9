/* Sums up what a box uses when no cgroup counts it. watch.h says what is counted, and why. */
#define _GNU_SOURCE
#include "box/watch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/num.h"
#include "sys/file.h"

#define DIRECTORY_BYTES 32768
#define STATUS_BYTES 4096
#define PROCESSES_MAX 32768 /* far above any limit of processes; a box with more counts as too large */

/* ---- memory ---- */

/* Sum of the values of these keys ("RssAnon:    1234 kB"), in KiB. */
static uint64_t sum_kib(struct str text, const char *const *keys)
{
	uint64_t kib = 0;

	for (size_t at = 0; at < text.n;) {
		size_t nl = str_end(text, '\n', at);
		struct str line = str_sub(text, at, nl);
		for (const char *const *key = keys; *key; key++) {
			size_t from = strlen(*key);
			if (!str_starts(line, *key))
				continue;
			while (from < line.n && ascii_is_blank(line.p[from]))
				from++;
			ptrdiff_t end = str_find(line, ' ', from);
			int64_t n;
			if (end >= 0 &&
					num_parse(str_sub(line, from, (size_t)end), 0, INT64_MAX / 1024,
							&n) == 0)
				kib += (uint64_t)n;
		}
		at += line.n + 1;
	}
	return kib;
}

/* The text of a process's file; empty if the process is gone or access is denied. */
static struct str read_process_file(int procfd, const char *pid, const char *file, char *buf, size_t cap)
{
	char path[64];

	str_put(path, sizeof(path), "%.20s/%s", pid, file);
	FD_CLEANUP int fd = openat(procfd, path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, buf, cap);
	return str_n(buf, n < 0 ? 0 : (size_t)n);
}

static const char *const cheap[] = {"RssAnon:", "RssShmem:", "VmSwap:", "VmPTE:", NULL};
/* Page tables: reading here and there in a large empty mapping fills a machine with them. */
static const char *const tables[] = {"VmPTE:", NULL};
static const char *const exact[] = {"Pss_Anon:", "Pss_Shmem:", "SwapPss:", NULL};

static uint64_t of_status(int procfd, const char *pid, const char *const *keys)
{
	char buf[STATUS_BYTES];

	return sum_kib(read_process_file(procfd, pid, "status", buf, sizeof(buf)), keys) * 1024;
}

static uint64_t cheap_memory(int procfd, const char *pid) { return of_status(procfd, pid, cheap); }

/* Without access, or before Linux 5.4, shared pages count in full for each process. */
static uint64_t exact_memory(int procfd, const char *pid)
{
	char buf[STATUS_BYTES];
	struct str text = read_process_file(procfd, pid, "smaps_rollup", buf, sizeof(buf));

	return str_contains(text, STR("Pss_Anon:"))
			? sum_kib(text, exact) * 1024 + of_status(procfd, pid, tables)
			: cheap_memory(procfd, pid);
}

/* ---- time ---- */

enum stat_field { STAT_STATE = 3, STAT_FLAGS = 9, STAT_UTIME = 14, STAT_STIME, STAT_CUTIME, STAT_CSTIME,
		STAT_START = 22, STAT_FIELDS };

struct process_times { /* of one process */
	uint64_t own, waited; /* clock ticks: its own, and of children that it waited for */
	uint64_t start;
};

/*
 * Reads the fields of a process or thread by their numbers in proc(5); those before STAT_STATE stay empty.
 * The name in brackets may hold any byte, so fields are counted after its last bracket. False if the process
 * is gone.
 */
static bool read_stat(int procfd, const char *pid, char *buf, size_t cap, struct str ret[STAT_FIELDS])
{
	struct str text = read_process_file(procfd, pid, "stat", buf, cap);
	const char *close = text.n ? memrchr(text.p, ')', text.n) : NULL;

	if (!close)
		return false;
	text = str_from(text, (size_t)(close - text.p));
	str_cut(&text, ' ');
	for (int i = 0; i < STAT_FIELDS; i++)
		ret[i] = i < STAT_STATE ? STR("") : str_cut(&text, ' ');
	return text.n;
}

static bool read_times(int procfd, const char *pid, struct process_times *ret)
{
	char buf[STATUS_BYTES];
	struct str field[STAT_FIELDS];
	int64_t n[STAT_FIELDS] = {0};

	if (!read_stat(procfd, pid, buf, sizeof(buf), field))
		return false;
	for (int i = STAT_UTIME; i < STAT_FIELDS; i++)
		(void)num_parse(field[i], 0, INT64_MAX / 8, &n[i]);
	*ret = (struct process_times){(uint64_t)(n[STAT_UTIME] + n[STAT_STIME]),
			(uint64_t)(n[STAT_CUTIME] + n[STAT_CSTIME]), (uint64_t)n[STAT_START]};
	return true;
}

static uint64_t ns_of(uint64_t ticks)
{
	long per_second = sysconf(_SC_CLK_TCK);

	return per_second > 0 ? ticks * (uint64_t)(1000000000 / per_second) : 0;
}

/*
 * CPU time of the first thread in ns, if the kernel has it: ticks are too coarse for processes of a few ms.
 */
static uint64_t precise_ns(int procfd, const char *pid)
{
	char buf[64];
	struct str text = read_process_file(procfd, pid, "schedstat", buf, sizeof(buf));
	ptrdiff_t end = str_find(text, ' ', 0);
	int64_t n;

	return end > 0 && num_parse(str_sub(text, 0, (size_t)end), 0, INT64_MAX / 8, &n) == 0 ? (uint64_t)n
											      : 0;
}

/* One look at all processes, compared with the look before. */
struct time_look {
	struct watch_times *times;
	uint64_t own_ns, all_ns; /* of living processes: their own, and including children they waited for */
	/* Guess for the next index in the old list: both lists have the same order. */
	unsigned near;
};

static void look_begin(struct time_look *l, struct watch_times *t)
{
	memcpy(t->old, t->now, t->n * sizeof(*t->now));
	t->nold = t->n;
	t->n = 0;
	*l = (struct time_look){.times = t};
}

/* The process is still alive, so its time is not added to that of the dead. */
static void found_again(struct time_look *l, int pid, uint64_t start)
{
	struct watch_times *t = l->times;

	for (unsigned i = 0; i < t->nold; i++) {
		unsigned at = (l->near + i) % t->nold;
		if (t->old[at].pid != pid || t->old[at].start != start)
			continue;
		t->old[at].ns = 0;
		l->near = at + 1;
		return;
	}
}

static void look_at_process(struct time_look *l, int procfd, const char *pid)
{
	struct watch_times *t = l->times;
	struct process_times of;
	uint64_t own, precise;
	int64_t number;

	if (!read_times(procfd, pid, &of) || num_parse(str_of(pid), 1, INT32_MAX, &number) != 0)
		return;
	own = ns_of(of.own);
	precise = precise_ns(procfd, pid);
	if (precise > own)
		own = precise;
	l->own_ns += own;
	l->all_ns += own + ns_of(of.waited);
	found_again(l, (int)number, of.start);
	if (t->n < WATCH_PROCESSES)
		t->now[t->n++] = (struct watch_process){(int)number, of.start, own};
}

/*
 * Neither sum is ever too large: the living with the children they waited for, and everything that was seen.
 */
static uint64_t look_end_ms(struct time_look *l)
{
	struct watch_times *t = l->times;
	uint64_t seen;

	for (unsigned i = 0; i < t->nold; i++)
		t->gone_ns += t->old[i].ns;
	t->nold = 0;
	seen = l->own_ns + t->gone_ns;
	return (seen > l->all_ns ? seen : l->all_ns) / 1000000;
}

uint64_t watch_time(int list, int init, struct watch_times *times)
{
	FD_CLEANUP int proc = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
	char buf[DIRECTORY_BYTES], first[16], pid[16];
	/* Room for about 5,000 pids; of a larger box only a part is counted. */
	ssize_t n = list < 0 ? 0 : read(list, buf, sizeof(buf));
	struct str left = str_n(buf, n < 0 ? 0 : (size_t)n);
	struct time_look l;

	look_begin(&l, times);
	str_put(first, sizeof(first), "%d", init);
	look_at_process(&l, proc, first);
	for (ptrdiff_t end; (end = str_find(left, '\n', 0)) >= 0;
			left = str_sub(left, (size_t)end + 1, left.n)) {
		str_put(pid, sizeof(pid), "%.*s", (int)end, left.p);
		if (strcmp(pid, first) != 0) /* on version 2 init is in the list */
			look_at_process(&l, proc, pid);
	}
	return look_end_ms(&l);
}

/* ---- exiting ---- */

#define LEAVING 0x4 /* PF_EXITING */

/* A thread that is gone counts as exiting. */
static bool thread_leaves(int tasks, const char *tid)
{
	char buf[STATUS_BYTES];
	struct str field[STAT_FIELDS];
	int64_t flags = 0;

	if (!read_stat(tasks, tid, buf, sizeof(buf), field))
		return true;
	return str_is_any(field[STAT_STATE], "Z X") ||
			(num_parse(field[STAT_FLAGS], 0, UINT32_MAX, &flags) == 0 && flags & LEAVING);
}

typedef bool entry_fn(int dir, const char *name);

/*
 * True if fn is true for every numeric name of the directory. False with errno when the directory cannot be
 * read, else with errno 0.
 */
static bool all_numbers(int dir, entry_fn *fn)
{
	_Alignas(struct dirent64) char buf[DIRECTORY_BYTES];
	ssize_t n;

	if (lseek(dir, 0, SEEK_SET) < 0)
		return false;
	while ((n = getdents64(dir, buf, sizeof(buf))) > 0)
		for (ssize_t at = 0; at < n;) {
			const struct dirent64 *d = (const struct dirent64 *)(buf + at);
			at += d->d_reclen;
			if (!ascii_is_digit(d->d_name[0]) || fn(dir, d->d_name))
				continue;
			errno = 0;
			return false;
		}
	return n == 0;
}

static bool process_leaves(int procfd, const char *pid)
{
	char path[64];

	str_put(path, sizeof(path), "%.20s/task", pid);
	FD_CLEANUP int tasks = openat(procfd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (tasks < 0)
		return errno == ENOENT || errno == ESRCH;
	return all_numbers(tasks, thread_leaves) || errno == ENOENT; /* the process is gone */
}

static bool list_leaves(int list, int init)
{
	FD_CLEANUP int proc = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
	char buf[DIRECTORY_BYTES], pid[16];
	ssize_t n = proc < 0 || list < 0 ? -1 : read(list, buf, sizeof(buf));
	struct str left = str_n(buf, n < 0 ? 0 : (size_t)n);

	if (n < 0 || (size_t)n == sizeof(buf))
		return false;
	str_put(pid, sizeof(pid), "%d", init);
	if (!process_leaves(proc, pid))
		return false;
	for (ptrdiff_t end; (end = str_find(left, '\n', 0)) >= 0;
			left = str_sub(left, (size_t)end + 1, left.n)) {
		str_put(pid, sizeof(pid), "%.*s", (int)end, left.p);
		if (!process_leaves(proc, pid))
			return false;
	}
	return true;
}

bool watch_all_leaving(int procfd, int list, int init)
{
	return procfd >= 0 ? all_numbers(procfd, process_leaves) : list_leaves(list, init);
}

/* ---- a box as a whole ---- */

struct memory_total {
	uint64_t memory;
	unsigned processes;
};

typedef uint64_t memory_fn(int procfd, const char *pid);

static int add_up(int procfd, memory_fn *memory, struct time_look *time, struct memory_total *ret)
{
	_Alignas(struct dirent64) char buf[DIRECTORY_BYTES];
	struct memory_total t = {0};
	ssize_t n;

	if (lseek(procfd, 0, SEEK_SET) < 0)
		return -1;
	while ((n = getdents64(procfd, buf, sizeof(buf))) > 0 && t.processes < PROCESSES_MAX)
		for (ssize_t at = 0; at < n;) {
			const struct dirent64 *d = (const struct dirent64 *)(buf + at);
			at += d->d_reclen;
			if (!ascii_is_digit(d->d_name[0]))
				continue;
			t.processes++;
			t.memory += memory(procfd, d->d_name);
			if (time)
				look_at_process(time, procfd, d->d_name);
		}
	if (n < 0)
		return -1;
	if (n > 0)
		t.memory = UINT64_MAX / 2;
	*ret = t;
	return 0;
}

static uint64_t scratch_used(int fd)
{
	struct statfs fs;

	return fd >= 0 && fstatfs(fd, &fs) == 0 ? (uint64_t)(fs.f_blocks - fs.f_bfree) * (uint64_t)fs.f_bsize
						: 0;
}

int watch_box(int procfd, int scratchfd, uint64_t limit, struct watch_times *times, struct watch_sum *ret)
{
	struct memory_total t, shared;
	uint64_t scratch = scratch_used(scratchfd);
	struct time_look time;

	look_begin(&time, times);
	if (add_up(procfd, cheap_memory, &time, &t) != 0)
		return -1;
	if (t.memory + scratch > limit && add_up(procfd, exact_memory, NULL, &shared) == 0)
		t.memory = shared.memory;
	*ret = (struct watch_sum){
			.memory = t.memory + scratch, .cpu_ms = look_end_ms(&time), .processes = t.processes};
	return 0;
}
