/*
 * src/box/watch.c: a tree of processes with known sizes, in a pid namespace whose /proc is theirs alone. The
 * children eat in their own memory and wait for the end of a pipe; the test looks at them through a
 * descriptor that the namespace's first process opened.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "box/watch.h"
#include "sys/file.h"
#include "unit.h"

#define MIB ((uint64_t)1 << 20)
/* The additional memory of a process of this program; sanitizers have bookkeeping of their own. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define OWN (6 * MIB)
#endif
#endif
#ifndef OWN
#define OWN (3 * MIB)
#endif
/* before Linux 6.2 the cheap numbers of a process are late by up to 64 pages of each kind */
#define LAG (MIB / 2)
#define ROOMY (UINT64_MAX / 4) /* a limit that nothing here reaches */

static struct watch_times times; /* of the tree that is watched */

struct tree {
	int ready[2], hold[2]; /* a byte from each process that is done; closed when all may go */
	int procfd;
	pid_t pid;
};

static char *eat(size_t bytes, int flags)
{
	char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		_exit(97);
	for (size_t i = 0; i < bytes; i += 4096)
		p[i] = 1;
	return p;
}

static void spin(double seconds)
{
	struct timespec t;
	do
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	while ((double)t.tv_sec + (double)t.tv_nsec / 1e9 < seconds);
}

static void wait_for_end(const struct tree *t)
{
	char c = 1;
	if (write(t->ready[1], &c, 1) == 1)
		while (read(t->hold[0], &c, 1) > 0)
			;
}

/*
 * Starts fn as the first process of a pid namespace; returns when `processes` of them have said that they are
 * ready.
 */
static bool grow(struct tree *t, void (*fn)(const struct tree *), int processes)
{
	times = (struct watch_times){0};
	if (pipe2(t->ready, O_CLOEXEC) < 0 || pipe2(t->hold, O_CLOEXEC) < 0)
		return false;
	/* The table of descriptors is shared: what the child opens is here as well. */
	t->pid = (pid_t)syscall(SYS_clone, CLONE_NEWPID | CLONE_NEWNS | CLONE_FILES | SIGCHLD, 0, 0, 0, 0);
	if (t->pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		int fd = -1;
		if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
				mount("proc", "/proc", "proc", 0, NULL) == 0)
			fd = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (write(t->ready[1], &fd, sizeof fd) != sizeof fd || fd < 0)
			_exit(96);
		if (unshare(CLONE_FILES) < 0)
			_exit(95);
		close(t->hold[1]);
		fn(t);
		_exit(0);
	}
	char c;
	t->procfd = -1;
	if (t->pid < 0 || read(t->ready[0], &t->procfd, sizeof t->procfd) != sizeof t->procfd ||
			t->procfd < 0)
		return false;
	for (int i = 0; i < processes; i++)
		if (read(t->ready[0], &c, 1) != 1)
			return false;
	return true;
}

static void fell(struct tree *t)
{
	int status;
	close(t->hold[1]);
	CHECK_INT(waitpid(t->pid, &status, 0), t->pid);
	CHECK_INT(status, 0);
	struct watch_sum sum = {.processes = 77};
	if (watch_box(t->procfd, -1, ROOMY, &times, &sum) == 0)
		CHECK_INT(sum.processes, 0); /* a box that is gone has nothing, or says that it is gone */
	else
		CHECK_INT(sum.processes, 77);
	close(t->procfd);
	close(t->ready[0]);
	close(t->ready[1]);
	close(t->hold[0]);
}

/* 20 MB private, 10 MB shared. */
static void one(const struct tree *t)
{
	eat(20 * MIB, MAP_PRIVATE);
	eat(10 * MIB, MAP_SHARED);
	spin(0.1);
	wait_for_end(t);
}

/* Four children that use what the parent has and add 2 MB each. */
static void family(const struct tree *t)
{
	eat(40 * MIB, MAP_PRIVATE);
	for (int i = 0; i < 4; i++)
		if (fork() == 0) {
			eat(2 * MIB, MAP_PRIVATE);
			wait_for_end(t);
			_exit(0);
		}
	wait_for_end(t);
	while (wait(NULL) > 0)
		;
}

/* A child that was waited for: its memory is gone, its time is not. */
static void past(const struct tree *t)
{
	if (fork() == 0) {
		eat(30 * MIB, MAP_PRIVATE);
		spin(0.1);
		_exit(0);
	}
	wait(NULL);
	wait_for_end(t);
}

/* Children that nobody waits for, one after the other. The tree holds as long as each is looked at. */
static void lost(const struct tree *t)
{
	signal(SIGCHLD, SIG_IGN);
	for (int i = 0; i < 5; i++) {
		if (fork() == 0) {
			spin(0.06);
			_exit(0);
		}
		while (wait(NULL) > 0)
			;
	}
	wait_for_end(t);
}

/* A name that looks like the fields after it. */
static void liar(const struct tree *t)
{
	prctl(PR_SET_NAME, ") R 1 1 1 1 1 1");
	wait_for_end(t);
}

static bool between(uint64_t n, uint64_t from, uint64_t to) { return n >= from && n <= to; }

static struct watch_sum look(const struct tree *t, uint64_t limit)
{
	struct watch_sum sum = {0};
	CHECK_INT(watch_box(t->procfd, -1, limit, &times, &sum), 0);
	return sum;
}

static void test_one(void)
{
	struct tree t;
	CHECK(grow(&t, one, 1));
	for (int precise = 0; precise < 2; precise++) {
		struct watch_sum sum = look(&t, precise ? 1 : ROOMY);
		CHECK(between(sum.memory, precise ? 30 * MIB : 30 * MIB - LAG, 30 * MIB + OWN));
		CHECK(between(sum.cpu_ms, 80, 400));
		CHECK_INT(sum.processes, 1);
	}
	fell(&t);
}

static void test_family(void)
{
	struct tree t;
	CHECK(grow(&t, family, 5));
	CHECK(!watch_all_leaving(t.procfd, -1, 0));
	struct watch_sum cheap = look(&t, ROOMY), exact = look(&t, 100 * MIB);
	CHECK_INT(cheap.processes, 5);
	CHECK(between(cheap.memory, 208 * MIB - 5 * LAG, 225 * MIB)); /* five times the parent's */
	CHECK(between(exact.memory, 48 * MIB, 56 * MIB));   /* once */
	fell(&t);
}

static void test_past(void)
{
	struct tree t;
	CHECK(grow(&t, past, 1));
	struct watch_sum sum = look(&t, ROOMY);
	CHECK(sum.memory < 5 * MIB);
	CHECK(between(sum.cpu_ms, 80, 400));
	fell(&t);
}

/*
 * Looked at every two milliseconds until it has done its work: a fifth of what they used may be missed, and
 * nothing is added.
 */
static void test_lost(void)
{
	struct tree t;
	struct watch_sum sum = {0};
	CHECK(grow(&t, lost, 0));
	struct pollfd ready = {.fd = t.ready[0], .events = POLLIN};
	while (poll(&ready, 1, 2) == 0)
		CHECK_INT(watch_box(t.procfd, -1, ROOMY, &times, &sum), 0);
	CHECK(between(sum.cpu_ms, 200, 5 * 60 + 60));
	fell(&t);
}

static void test_liar(void)
{
	struct tree t;
	CHECK(grow(&t, liar, 1));
	struct watch_sum sum = look(&t, ROOMY);
	CHECK(sum.cpu_ms < 50);
	CHECK(sum.memory < 5 * MIB);
	fell(&t);
}

/* The scratch counts, also files that nobody has open. */
static void test_scratch(void)
{
	char dir[] = "/tmp/caisson-watch-XXXXXX", path[64];
	struct tree t;
	CHECK(grow(&t, liar, 1));
	CHECK(mkdtemp(dir) != NULL);
	if (unshare(CLONE_NEWNS) == 0 && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
			mount("scratch", dir, "tmpfs", 0, "size=16m") == 0) {
		FD_CLEANUP int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		struct watch_sum before = {0}, after = {0};
		CHECK_INT(watch_box(t.procfd, fd, ROOMY, &times, &before), 0);
		snprintf(path, sizeof path, "%s/file", dir);
		FD_CLEANUP int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
		CHECK_INT(posix_fallocate(file, 0, 8 * (off_t)MIB), 0);
		fd_close(&file);
		CHECK_INT(watch_box(t.procfd, fd, ROOMY, &times, &after), 0);
		CHECK_INT((after.memory - before.memory) / MIB, 8);
		fd_close(&fd);
		CHECK_INT(umount(dir), 0);
	} else
		unit_fail(__FILE__, __LINE__, "no tmpfs");
	CHECK_INT(rmdir(dir), 0);
	fell(&t);
}

static void test_bad(void)
{
	struct watch_sum sum = {.memory = 5};
	CHECK_INT(watch_box(-1, -1, ROOMY, &times, &sum), -1);
	FD_CLEANUP int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	CHECK_INT(watch_box(fd, -1, ROOMY, &times, &sum), -1);
	CHECK_INT(sum.memory, 5); /* untouched */
}

/* A list as in a cgroup file: one number per line. A pid named twice counts once; a dead one is ignored. */
static void test_time(void)
{
	char text[64];
	int life[2], list[2], done[2];
	CHECK(pipe2(life, O_CLOEXEC) == 0 && pipe2(list, O_CLOEXEC) == 0 && pipe2(done, O_CLOEXEC) == 0);
	pid_t pid = fork();
	if (pid == 0) {
		close(life[1]);
		spin(0.2);
		_exit(write(done[1], "", 1) == 1 && read(life[0], text, 1) == 0 ? 0 : 1);
	}
	CHECK_INT(read(done[0], text, 1), 1);
	int n = snprintf(text, sizeof text, "%d\n%d\n", (int)pid, 0x7ffffff0);
	CHECK_INT(write(list[1], text, (size_t)n), n);
	times = (struct watch_times){0};
	uint64_t alone = watch_time(-1, pid, &times), listed = watch_time(list[0], 0x7ffffff0, &times);
	CHECK(alone >= 150 && alone < 2000);
	CHECK_INT(listed, alone);
	CHECK_INT(write(list[1], text, (size_t)n), n);
	CHECK_INT(watch_time(list[0], pid, &times), alone);
	CHECK_INT(write(list[1], text, (size_t)n), n);
	CHECK(!watch_all_leaving(-1, list[0], 0x7ffffff0)); /* it waits for its end */
	CHECK(!watch_all_leaving(-1, -1, pid));             /* no list: nothing is known */
	CHECK_INT(kill(pid, SIGKILL), 0);
	CHECK_INT(waitid(P_PID, (id_t)pid, &(siginfo_t){0}, WEXITED | WNOWAIT), 0);
	CHECK_INT(write(list[1], text, (size_t)n), n);
	CHECK(watch_all_leaving(-1, list[0], pid));         /* nobody has waited for it yet */
	close(life[1]);
	CHECK_INT(waitpid(pid, NULL, 0), pid);
	uint64_t gone = watch_time(-1, pid, &times); /* what was seen of it stays in the sum */
	CHECK(gone >= alone && gone < alone + 50);
	CHECK_INT(watch_time(-1, 0x7ffffff0, &times), gone);
	times = (struct watch_times){0};
	CHECK_INT(watch_time(-1, 0x7ffffff0, &times), 0);
	for (int i = 0; i < 2; i++) {
		close(list[i]);
		close(done[i]);
	}
	close(life[0]);
}

int main(void)
{
	RUN(test_bad);
	RUN(test_time);
	if (geteuid() != 0) {
		unit_skip("trees of processes", "needs root to mount a /proc of their own");
		return unit_end();
	}
	RUN(test_one);
	RUN(test_family);
	RUN(test_past);
	RUN(test_lost);
	RUN(test_liar);
	RUN(test_scratch);
	return unit_end();
}
