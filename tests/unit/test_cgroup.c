/*
 * src/sys/cgroup.c with real groups of this host (where it gives any): limits that bite, events that fire,
 * nothing left behind. Everything hungry happens in a forked child inside the group. `test_cgroup bench`
 * measures instead.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <linux/sched.h>
#include <time.h>
#include <unistd.h>

#include "sys/cgroup.h"
#include "nobody.h"
#include "sys/file.h"
#include "unit.h"

#define MIB ((uint64_t)1 << 20)

/* ---- real groups ---- */

static void make(struct cgroup *cg)
{
	struct err e = {0};
	if (cg_make(cg, CG_HAS_CPU | CG_HAS_IO, &e) < 0)
		unit_fail(__FILE__, __LINE__, "cg_make: %s", e.text);
}

static int parents[CG_HIERARCHIES_MAX]; /* the directories this host's groups are made in */
static size_t n_parents;

static void keep_parents(void)
{
	struct cgroup cg;
	make(&cg);
	for (size_t i = 0; i < cg.n; i++)
		parents[n_parents++] = fcntl(cg.dirs[i].parent, F_DUPFD_CLOEXEC, 0);
	cg_remove(&cg);
}

/* Groups in all hierarchies whose names begin so; removed when `away`. */
static size_t count_groups(const char *prefix, bool away)
{
	size_t n = 0;
	for (size_t i = 0; i < n_parents; i++) {
		DIR *d = fdopendir(openat(parents[i], ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
		for (const struct dirent *de; d && (de = readdir(d));) {
			bool is = strncmp(de->d_name, prefix, strlen(prefix)) == 0;
			n += is;
			if (is && away)
				CHECK_INT(unlinkat(parents[i], de->d_name, AT_REMOVEDIR), 0);
		}
		if (d)
			closedir(d);
	}
	return n;
}

static const char *our_prefix(void)
{
	static char prefix[40];
	snprintf(prefix, sizeof prefix, "caisson-%d-", (int)getpid());
	return prefix;
}

static void set(struct cgroup *cg, enum cg_limit what, uint64_t n)
{
	struct err e = {0};
	if (cg_set(cg, what, n, &e) < 0)
		unit_fail(__FILE__, __LINE__, "cg_set: %s", e.text);
}

/*
 * A child in the group by way of cg_into() and cg_enter(), as a box does it; fn's result is its exit status.
 */
static pid_t spawn(struct cgroup *cg, int (*fn)(void))
{
	bool rest;
	int into = cg_into(cg, &rest);
	struct clone_args args = {.exit_signal = SIGCHLD, .flags = into >= 0 ? CLONE_INTO_CGROUP : 0,
			.cgroup = (uint64_t)(into >= 0 ? into : 0)};
	pid_t pid = (pid_t)syscall(SYS_clone3, &args, sizeof args);
	if (pid == 0) {
		int doors[CG_HIERARCHIES_MAX];
		if (rest && cg_enter(doors, cg_doors(cg, doors)) < 0)
			_exit(98);
		_exit(fn());
	}
	CHECK(pid > 0);
	return pid;
}

static int reap(pid_t pid)
{
	int status = -1;
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

static int eat(size_t bytes)
{
	char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return 97;
	for (size_t i = 0; i < bytes; i += 4096)
		p[i] = 1;
	return 0;
}
static int eat_much(void) { return eat(96 * MIB); }
static int eat_little(void) { return eat(16 * MIB); }

/* Version 2 tells it since Linux 5.19. */
static bool peak_unknown(const struct cgroup *cg)
{
	return cg_memory_peak(cg) == 0 && cg_enforcer(cg, CG_MEMORY_MAX) == ENFORCED_CGROUP2;
}

/* Version 2 ends the whole group, and counts whom it has chosen first once more then. */
static bool one_killed(const struct cgroup *cg, uint64_t kills)
{
	return kills == 1 || (kills == 2 && cg_enforcer(cg, CG_MEMORY_MAX) == ENFORCED_CGROUP2);
}

static void test_oom(void)
{
	struct cgroup cg;
	make(&cg);
	set(&cg, CG_MEMORY_MAX, 32 * MIB);
	CHECK(cg.oom_event >= 0);
	struct pollfd p = {.fd = cg.oom_event, .events = cg.oom_poll};
	CHECK_INT(poll(&p, 1, 0), 0);
	int status = reap(spawn(&cg, eat_much));
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	CHECK_INT(poll(&p, 1, 1000), 1);
	CHECK(one_killed(&cg, cg_oom_kills(&cg)));
	usleep(50000); /* version 2 tells of what comes in quick succession a little later */
	CHECK(one_killed(&cg, cg_oom_kills(&cg)));
	CHECK_INT(poll(&p, 1, 0), 0); /* armed again */
	uint64_t peak = cg_memory_peak(&cg);
	CHECK(peak_unknown(&cg) || (peak > 30 * MIB && peak <= 32 * MIB));
	cg_remove(&cg);
}

/*
 * Whoever is woken by the event finds the kill counted, also when version 1 tells of the former before the
 * latter.
 */
static void test_oom_at_once(void)
{
	for (int i = 0; i < 10; i++) {
		struct cgroup cg;
		make(&cg);
		set(&cg, CG_MEMORY_MAX, 32 * MIB);
		struct pollfd p = {.fd = cg.oom_event, .events = cg.oom_poll};
		pid_t pid = spawn(&cg, eat_much);
		uint64_t kills = 0;
		/* version 2 also tells of lesser things */
		for (int woken = 0; woken < 200 && kills == 0; woken++) {
			if (poll(&p, 1, 2000) != 1)
				break;
			kills = cg_oom_kills(&cg);
		}
		CHECK(one_killed(&cg, kills));
		CHECK(WIFSIGNALED(reap(pid)));
		cg_remove(&cg);
	}
}

/* The benign twin: within the limit nothing is killed, and the peak is what was used. */
static void test_no_oom(void)
{
	struct cgroup cg;
	make(&cg);
	set(&cg, CG_MEMORY_MAX, 32 * MIB);
	CHECK_INT(reap(spawn(&cg, eat_little)), 0);
	struct pollfd p = {.fd = cg.oom_event, .events = cg.oom_poll};
	CHECK_INT(poll(&p, 1, 0), 0);
	CHECK_INT(cg_oom_kills(&cg), 0);
	uint64_t peak = cg_memory_peak(&cg);
	CHECK(peak_unknown(&cg) || (peak >= 16 * MIB && peak < 20 * MIB));
	CHECK(cg_memory_now(&cg) < 4 * MIB);
	cg_remove(&cg);
}

/* A limit can also be raised: version 1 wants the two files in the other order then. */
static void test_raise(void)
{
	struct cgroup cg;
	make(&cg);
	set(&cg, CG_MEMORY_MAX, 32 * MIB);
	set(&cg, CG_MEMORY_MAX, 160 * MIB);
	CHECK_INT(reap(spawn(&cg, eat_much)), 0);
	CHECK_INT(cg_oom_kills(&cg), 0);
	cg_remove(&cg);
}

#define PIDS 8

/* How many forks succeed: the children wait for the end of a pipe. */
static int fork_many(void)
{
	int p[2], n = 0;
	char c;
	if (pipe2(p, O_CLOEXEC) < 0)
		return 97;
	for (; n < 3 * PIDS; n++) {
		pid_t pid = fork();
		if (pid < 0)
			break;
		if (pid == 0) {
			close(p[1]);
			_exit(read(p[0], &c, 1) == 0 ? 0 : 1);
		}
	}
	int why = n < 3 * PIDS ? errno : 0;
	close(p[1]);
	while (wait(NULL) > 0)
		;
	return why == EAGAIN ? n : 96;
}

static void test_pids(void)
{
	struct cgroup cg;
	make(&cg);
	set(&cg, CG_PIDS_MAX, PIDS);
	int status = reap(spawn(&cg, fork_many));
	CHECK(WIFEXITED(status));
	CHECK_INT(WEXITSTATUS(status), PIDS - 1);
	cg_remove(&cg);
}

static double seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int spin(void)
{
	for (double end = seconds() + 0.5; seconds() < end;)
		;
	return 0;
}

static uint64_t cpu_us(const struct rusage *u)
{
	return (uint64_t)(u->ru_utime.tv_sec + u->ru_stime.tv_sec) * 1000000 +
			(uint64_t)(u->ru_utime.tv_usec + u->ru_stime.tv_usec);
}

/*
 * A fifth of a CPU for half a second of spinning: about a tenth of a second is used, says the group where it
 * counts, else the process.
 */
static void test_cpu(void)
{
	struct cgroup cg;
	make(&cg);
	if (cg_enforcer(&cg, CG_CPU_MILLI) != ENFORCED_NOT) {
		struct rusage b;
		getrusage(RUSAGE_CHILDREN, &b);
		uint64_t before = cpu_us(&b);
		set(&cg, CG_CPU_MILLI, 200);
		CHECK_INT(reap(spawn(&cg, spin)), 0);
		struct rusage u;
		getrusage(RUSAGE_CHILDREN, &u);
		uint64_t us = cg_cpu_us(&cg) ? cg_cpu_us(&cg) : cpu_us(&u) - before;
		if (us < 20000 || us > 200000)
			unit_fail(__FILE__, __LINE__, "%ju us of CPU time", (uintmax_t)us);
		set(&cg, CG_CPU_MILLI, 1); /* the least */
		set(&cg, CG_CPU_MILLI, 64000);
	}
	cg_remove(&cg);
}

static int sleep_long(void) { return (int)sleep(60); }

static void test_kill(void)
{
	struct cgroup cg;
	struct cg_host host;
	cg_probe(&host);
	make(&cg);
	set(&cg, CG_PIDS_MAX, 100);
	pid_t pid = spawn(&cg, sleep_long);
	double begin = seconds();
	if (!host.kill)
		kill(pid, SIGKILL);
	cg_kill(&cg);
	int status = reap(pid);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	CHECK(seconds() - begin < 2);
	cg_remove(&cg);
	CHECK_INT(count_groups(our_prefix(), false), 0);
}

/* Until the child has entered every hierarchy. */
static void wait_inside(const struct cgroup *cg)
{
	char one[2];
	for (size_t i = 0; i < cg->n; i++)
		for (int k = 0; k < 4000 && cg->dirs[i].fd >= 0 && cg_read(cg->dirs[i].fd, "cgroup.procs",
				one, sizeof one) == 0; k++)
			usleep(500);
}

/* A thousandth of a CPU, gone at once: the next is a second away. Its death does not wait for that. */
static int spin_long(void)
{
	for (double end = seconds() + 20; seconds() < end;)
		;
	return 0;
}
static void test_kill_throttled(void)
{
	struct cgroup cg;
	make(&cg);
	if (cg_enforcer(&cg, CG_CPU_MILLI) != ENFORCED_NOT) {
		set(&cg, CG_CPU_MILLI, 1);
		pid_t pid = spawn(&cg, spin_long);
		wait_inside(&cg);
		usleep(200000);
		double begin = seconds();
		kill(pid, SIGKILL);
		cg_kill(&cg);
		CHECK(WIFSIGNALED(reap(pid)));
		if (seconds() - begin > 0.4)
			unit_fail(__FILE__, __LINE__, "dead after %.3f s", seconds() - begin);
	}
	cg_remove(&cg);
}

/* Removing waits for a process that is about to leave, but not for ever. */
static int leave_soon(void) { return usleep(30000); }
static void test_remove_waits(void)
{
	struct cgroup cg;
	make(&cg);
	pid_t pid = spawn(&cg, leave_soon);
	wait_inside(&cg);
	cg_remove(&cg);
	CHECK_INT(reap(pid), 0);
	CHECK_INT(count_groups(our_prefix(), false), 0);
	make(&cg);
	pid = spawn(&cg, sleep_long);
	wait_inside(&cg);
	double begin = seconds();
	cg_remove(&cg);
	CHECK(seconds() - begin < 1.5);
	CHECK(count_groups(our_prefix(), false) > 0);
	kill(pid, SIGKILL);
	reap(pid);
	CHECK(count_groups(our_prefix(), true) > 0);
	CHECK_INT(count_groups(our_prefix(), false), 0);
}

static void test_rejects(void)
{
	struct cgroup cg;
	struct err e = {0};
	make(&cg);
	CHECK_INT(cg_set(&cg, CG_MEMORY_MAX, 0, &e), -1);
	CHECK_INT(e.kind, ERR_INPUT);
	CHECK_INT(cg_set(&cg, CG_PIDS_MAX, UINT64_MAX, &e), -1);
	cg_remove(&cg);
	cg_remove(&cg); /* twice is nothing */
	CHECK_INT(cg_oom_kills(&cg), 0);
	CHECK_INT(cg_memory_peak(&cg), 0);
	CHECK_INT(cg_cpu_us(&cg), 0);
	cg_kill(&cg);
}

/* Launchers that died between making and removing. */
static void test_leftovers(void)
{
	pid_t dead[3];
	for (int i = 0; i < 3; i++) {
		dead[i] = fork();
		if (dead[i] == 0) {
			struct cgroup cg;
			_exit(cg_make(&cg, CG_HAS_CPU, NULL) == 0 &&
					cg_set(&cg, CG_CPU_MILLI, 500, NULL) == 0 ? 0 : 1);
		}
		CHECK_INT(reap(dead[i]), 0);
	}
	struct cgroup cg, other;
	char prefix[40], foreign[CG_NAME_MAX + 40];
	snprintf(prefix, sizeof prefix, "caisson-%d-", (int)dead[2]);
	CHECK(count_groups(prefix, false) >= 1);
	make(&cg);
	cg_remove(&cg);
	for (int i = 0; i < 3; i++) {
		snprintf(prefix, sizeof prefix, "caisson-%d-", (int)dead[i]);
		CHECK_INT(count_groups(prefix, false), 0);
	}
	make(&cg);
	/* names that are not ours, or of a pid namespace that is not, stay; so do those of the living */
	static const char *const others[] = {"caisson-1", "caisson-999999999-1-1-012345670123456",
			"caisson-999999999-1-1-0123456701234567", "caissonx",
			"caisson-999999999-1-x-0123456701234567"};
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		CHECK_INT(mkdirat(cg.dirs[0].parent, others[i], 0755), 0);
	make(&other);
	cg_remove(&other);
	struct stat st;
	CHECK_INT(fstatat(cg.dirs[0].parent, cg.name, &st, 0), 0);
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		CHECK_INT(unlinkat(cg.dirs[0].parent, others[i], AT_REMOVEDIR), 0);
	/* a number used again: our parent lives, but started after that group was made */
	const char *rest = strchr(strchr(cg.name + strlen("caisson-"), '-') + 1, '-');
	snprintf(foreign, sizeof foreign, "caisson-%d-1%s", (int)getppid(), rest);
	CHECK_INT(mkdirat(cg.dirs[0].parent, foreign, 0755), 0);
	make(&other);
	cg_remove(&other);
	CHECK_INT(fstatat(cg.dirs[0].parent, foreign, &st, 0), -1);
	unlinkat(cg.dirs[0].parent, foreign, AT_REMOVEDIR);
	cg_remove(&cg);
}

static void test_nothing_left(void)
{
	struct cgroup cg;
	int fds = count_fds();
	for (int i = 0; i < 200; i++) {
		make(&cg);
		set(&cg, CG_MEMORY_MAX, 64 * MIB);
		set(&cg, CG_CPU_MILLI, 1500);
		cg_remove(&cg);
	}
	CHECK_INT(count_fds(), fds);
	CHECK_INT(count_groups(our_prefix(), false), 0);
}

static int make_as_nobody(void)
{
	struct cgroup cg;
	struct err e = {0};
	struct cg_host host;
	int fds = count_fds();
	if (cg_make(&cg, CG_HAS_CPU, &e) == 0)
		return 1;
	cg_probe(&host);
	bool clear = e.kind == ERR_SYSTEM && strstr(e.text, "control group") && host.memory == ENFORCED_NOT &&
			strstr(host.where, "control group");
	return clear && count_fds() == fds && cg.n == 0 ? 0 : 2;
}

static void test_ordinary_user(void) { CHECK_INT(as_nobody(make_as_nobody), 0); }

static void test_probe(void)
{
	struct cg_host host;
	cg_probe(&host);
	CHECK(host.memory != ENFORCED_NOT);
	CHECK(host.pids != ENFORCED_NOT);
	CHECK(host.where[0] == '/');
	printf("# groups are made in %s; kill %d, into %d\n", host.where, host.kill, host.into);
}

/* ---- measuring ---- */

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static int nothing(void) { return 0; }

enum { MAKE, SET, SPAWN, REMOVE, WHOLE, STEPS };
#define ROUNDS 200

static void bench(const char *name, unsigned pause_us, bool cpu)
{
	static double t[STEPS][ROUNDS];
	for (int i = 0; i < ROUNDS; i++) {
		struct cgroup cg;
		usleep(pause_us);
		double t0 = seconds();
		make(&cg);
		double t1 = seconds();
		set(&cg, CG_MEMORY_MAX, 64 * MIB);
		set(&cg, CG_PIDS_MAX, 100);
		if (cpu)
			set(&cg, CG_CPU_MILLI, 1000);
		double t2 = seconds();
		pid_t pid = spawn(&cg, nothing);
		double t3 = seconds();
		reap(pid);
		double t4 = seconds();
		cg_remove(&cg);
		double t5 = seconds();
		const double step[STEPS] = {t1 - t0, t2 - t1, t3 - t2, t5 - t4, t1 - t0 + t2 - t1 + t5 - t4};
		for (int k = 0; k < STEPS; k++)
			t[k][i] = step[k] * 1000;
	}
	printf("%-40s", name);
	static const char *const names[] = {"make", "set", "spawn", "remove", "make+set+remove"};
	for (int k = 0; k < STEPS; k++) {
		qsort(t[k], ROUNDS, sizeof t[k][0], compare);
		printf("  %s %.3f (p95 %.3f)", names[k], t[k][ROUNDS / 2], t[k][ROUNDS * 95 / 100]);
	}
	printf(" ms\n");
}

static int measure(void)
{
	bench("tight, enter", 0, true);
	bench("tight, enter, no cpu limit", 0, false);
	bench("30 ms pauses, enter", 30000, true);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "bench") == 0)
		return measure();
	struct cg_host host;
	cg_probe(&host);
	if (host.memory == ENFORCED_NOT) {
		unit_skip("real groups", host.where);
		return unit_end();
	}
	keep_parents();
	RUN(test_probe);
	RUN(test_oom);
	RUN(test_oom_at_once);
	RUN(test_no_oom);
	RUN(test_raise);
	RUN(test_pids);
	RUN(test_cpu);
	RUN(test_kill);
	RUN(test_kill_throttled);
	RUN(test_remove_waits);
	RUN(test_rejects);
	RUN(test_leftovers);
	RUN(test_nothing_left);
	if (is_root())
		RUN(test_ordinary_user);
	else
		unit_skip("test_ordinary_user", "needs root to become another user");
	return unit_end();
}
