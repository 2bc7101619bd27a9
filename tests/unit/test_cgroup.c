/*
 * src/sys/cgroup.c: other hosts' texts and trees as fixtures, then real groups of this host (where it gives any): limits that bite, events
 * that fire, nothing left behind. Everything hungry happens in a forked child inside the group. `test_cgroup bench` measures instead.
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
#include "sys/file.h"
#include "unit.h"

#define MIB ((uint64_t)1 << 20)

/* ---- fixtures: what /proc says on other hosts ---- */

static void each_line(struct cg_map *m, const char *text, void (*fn)(struct cg_map *, struct str))
{
	for (const char *end; (end = strchr(text, '\n')); text = end + 1)
		fn(m, str_n(text, (size_t)(end - text)));
}

static struct cg_map map_of(const char *groups, const char *mounts)
{
	struct cg_map m = {0};
	each_line(&m, groups, cg_map_group);
	each_line(&m, mounts, cg_map_mount);
	return m;
}

static const struct {
	const char *name, *groups, *mounts;
	struct {
		unsigned controllers;
		bool v2;
		const char *path;
	} want[CG_HIERARCHIES_MAX];
} hosts[] = {
	{"version 1, one mount each",
		"9:name=systemd:/\n8:pids:/\n4:memory:/jobs/a1\n2:cpuacct:/\n1:cpu:/\n",
		"31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755\n"
		"32 31 0:29 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu\n"
		"33 31 0:30 / /sys/fs/cgroup/cpuacct rw,relatime - cgroup cgroup rw,cpuacct\n"
		"35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n"
		"39 31 0:36 / /sys/fs/cgroup/pids rw,relatime - cgroup cgroup rw,pids\n",
		{{CG_HAS_PIDS, false, "/sys/fs/cgroup/pids"}, {CG_HAS_MEMORY, false, "/sys/fs/cgroup/memory/jobs/a1"},
			{CG_HAS_CPUACCT, false, "/sys/fs/cgroup/cpuacct"}, {CG_HAS_CPU, false, "/sys/fs/cgroup/cpu"}}},
	{"hybrid, two controllers in one mount, optional fields, a blank in the mount point",
		"5:cpu,cpuacct:/user.slice\n4:pids:/user.slice/user-0.slice\n3:memory:/user.slice\n1:name=systemd:/user.slice\n0::/user.slice/user-0.slice/session-1.scope\n",
		"30 25 0:26 / /sys/fs/cgroup/unified rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n"
		"31 25 0:27 / /sys/fs/cgroup/systemd rw,nosuid shared:10 - cgroup cgroup rw,xattr,name=systemd\n"
		"37 25 0:33 / /sys/fs/cgroup/cpu,cpuacct rw shared:17 master:3 - cgroup cgroup rw,cpu,cpuacct\n"
		"38 25 0:34 / /cg\\040here/memory rw shared:18 - cgroup cgroup rw,memory\n"
		"39 25 0:35 / /sys/fs/cgroup/pids rw shared:19 - cgroup cgroup rw,pids\n",
		{{CG_HAS_CPU | CG_HAS_CPUACCT, false, "/sys/fs/cgroup/cpu,cpuacct/user.slice"}, {CG_HAS_PIDS, false, "/sys/fs/cgroup/pids/user.slice/user-0.slice"},
			{CG_HAS_MEMORY, false, "/cg here/memory/user.slice"}, {0, true, "/sys/fs/cgroup/unified/user.slice/user-0.slice/session-1.scope"}}},
	{"version 2, a user's session",
		"0::/user.slice/user-1000.slice/user@1000.service/app.slice/run-1.scope\n",
		"24 18 0:22 / /sys/fs/cgroup rw,nosuid,nodev shared:4 - cgroup2 cgroup2 rw,nsdelegate,memory_recursiveprot\n",
		{{0, true, "/sys/fs/cgroup/user.slice/user-1000.slice/user@1000.service/app.slice/run-1.scope"}}},
	{"a container with the host's names: the mount shows the container's part only",
		"7:pids:/docker/4f\n5:memory:/docker/4f\n0::/\n",
		"733 732 0:29 /docker/4f /sys/fs/cgroup/pids ro master:11 - cgroup cgroup rw,pids\n"
		"734 732 0:30 /docker/4f /sys/fs/cgroup/memory ro master:12 - cgroup cgroup rw,memory\n",
		{{CG_HAS_PIDS, false, "/sys/fs/cgroup/pids"}, {CG_HAS_MEMORY, false, "/sys/fs/cgroup/memory"}, {0, true, ""}}},
	{"a mount that shows another part, then one that shows ours",
		"5:memory:/docker/4f\n",
		"734 732 0:30 /docker/4 /a rw - cgroup cgroup rw,memory\n735 732 0:30 /other /b rw - cgroup cgroup rw,memory\n736 732 0:30 / /c rw - cgroup cgroup rw,memory\n",
		{{CG_HAS_MEMORY, false, "/c/docker/4f"}}},
	{"a container with a namespace of its own", "0::/\n", "600 599 0:28 / /sys/fs/cgroup ro,nosuid - cgroup2 cgroup ro,nsdelegate\n", {{0, true, "/sys/fs/cgroup"}}},
	{"our group is outside of our namespace", "0::/../../user.slice\n", "600 599 0:28 / /sys/fs/cgroup rw - cgroup2 cgroup rw\n", {{0, false, NULL}}},
	{"a group with a colon and a lying name", "5:memory:/a:b/name=x\n6:memoryx,xpids:/c\n", "1 2 0:3 / /m rw - cgroup cgroup rw,memory\n", {{CG_HAS_MEMORY, false, "/m/a:b/name=x"}}},
	{"broken lines", "\n:\n::\n0:\n5:memory\n5:memory:\n5:memory:x\n", "\n1\n1 2 3 / /m\n1 2 3 / /m rw -\n1 2 3 / /m rw - cgroup\n", {{0, false, NULL}}},
};

static void test_map(void)
{
	for (size_t i = 0; i < sizeof hosts / sizeof hosts[0]; i++) {
		struct cg_map m = map_of(hosts[i].groups, hosts[i].mounts);
		size_t n = 0;
		for (; n < CG_HIERARCHIES_MAX && hosts[i].want[n].path; n++) {
			CHECK_ROW(m.of[n].v2 == hosts[i].want[n].v2, hosts[i].name);
			CHECK_ROW(m.of[n].controllers == hosts[i].want[n].controllers, hosts[i].name);
			CHECK_ROW(strcmp(m.of[n].path, hosts[i].want[n].path) == 0, hosts[i].name);
		}
		CHECK_ROW(m.n == n, hosts[i].name);
	}
}

static void test_prune(void)
{
	struct cg_map m = map_of("9:pids:/\n4:memory:/a\n2:cpuacct:/\n1:cpu:/\n0::/x\n", "");
	cg_map_prune(&m);
	CHECK_INT(m.n, 3);
	CHECK_INT(m.of[0].controllers | m.of[1].controllers | m.of[2].controllers, CG_HAS_PIDS | CG_HAS_MEMORY | CG_HAS_CPU);
	CHECK_STR(str_of(m.of[1].group), "/a");
	m = map_of("9:pids:/\n2:cpu,cpuacct:/\n0::/x\n", ""); /* memory can only be version 2's */
	cg_map_prune(&m);
	CHECK_INT(m.n, 3);
	CHECK(m.of[2].v2);
	m = map_of("0::/x\n", "");
	cg_map_prune(&m);
	CHECK_INT(m.n, 1);
}

static void test_map_bounds(void)
{
	struct cg_map m = {0};
	char line[2 * CG_PATH_MAX + 64];
	size_t n = (size_t)snprintf(line, sizeof line, "5:memory:/");
	memset(line + n, 'a', sizeof line - n);
	cg_map_group(&m, str_n(line, n + CG_PATH_MAX)); /* does not fit */
	CHECK_INT(m.n, 0);
	cg_map_group(&m, str_n(line, n + CG_PATH_MAX - 10));
	CHECK_INT(m.n, 1);
	cg_map_mount(&m, STR("1 2 0:3 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory")); /* nor do both together */
	CHECK_STR(str_of(m.of[0].path), "");
	CHECK(!cg_map_complete(&m));
	cg_map_mount(&m, STR("1 2 0:3 / /m rw - cgroup cgroup rw,memory"));
	CHECK_INT(strlen(m.of[0].path), CG_PATH_MAX - 9 + 2);
	CHECK(cg_map_complete(&m));
	for (int i = 0; i < 20; i++)
		cg_map_group(&m, STR("7:pids:/"));
	CHECK_INT(m.n, CG_HIERARCHIES_MAX);
}

static void slurp(const char *path, char *buf, size_t cap)
{
	FD_CLEANUP int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t n = 0;
	for (ssize_t got; fd >= 0 && n + 1 < cap && (got = read(fd, buf + n, cap - 1 - n)) > 0;)
		n += (size_t)got;
	buf[n] = '\0';
}

/* On this host: whatever the usual places give is what mountinfo says. */
static void test_usual(void)
{
	static char groups[65536], mounts[1 << 20];
	slurp("/proc/self/cgroup", groups, sizeof groups);
	slurp("/proc/self/mountinfo", mounts, sizeof mounts);
	struct cg_map said = map_of(groups, mounts), usual = map_of(groups, ""), both = {0};
	CHECK(said.n > 0);
	cg_map_prune(&said);
	cg_map_prune(&usual);
	cg_map_usual(&usual);
	CHECK_INT(cg_map_read(&both, NULL), 0);
	CHECK_INT(both.n, said.n);
	for (size_t i = 0; i < said.n; i++) {
		CHECK_STR(str_of(both.of[i].path), said.of[i].path);
		CHECK_INT(both.of[i].mount_n, said.of[i].mount_n);
		if (usual.of[i].path[0])
			CHECK_STR(str_of(usual.of[i].path), said.of[i].path);
	}
}

/* In a cgroup namespace of its own every name begins at the caller's group, and the usual places are not asked. */
static int usual_in_namespace(void)
{
	static char groups[65536];
	if (unshare(CLONE_NEWCGROUP) < 0)
		return 2;
	slurp("/proc/self/cgroup", groups, sizeof groups);
	struct cg_map m = map_of(groups, "");
	cg_map_usual(&m);
	for (size_t i = 0; i < m.n; i++)
		if (m.of[i].path[0])
			return 1;
	return 0;
}

static void test_usual_in_namespace(void)
{
	pid_t pid = fork();
	int status = -1;
	if (pid == 0)
		_exit(usual_in_namespace());
	CHECK_INT(waitpid(pid, &status, 0), pid);
	CHECK_INT(status, 0);
}

/* ---- fixtures: version 2 trees, as plain directories ---- */

static char dir[] = "/tmp/caisson-cgroup-XXXXXX";

static void write_file(const char *path, const char *text)
{
	FD_CLEANUP int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	CHECK(fd >= 0);
	CHECK_INT(write(fd, text, strlen(text)), strlen(text));
}

/* controllers: NULL makes no such file; type: the real root has none */
static void make_group(const char *name, const char *controllers, const char *subtree, const char *procs, bool type)
{
	char path[300];
	const struct { const char *file, *text; } files[] = {
		{"cgroup.controllers", controllers}, {"cgroup.subtree_control", subtree}, {"cgroup.procs", procs}, {"cgroup.type", type ? "domain\n" : NULL}};
	snprintf(path, sizeof path, "%s%s", dir, name);
	mkdir(path, 0755);
	for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
		snprintf(path, sizeof path, "%s%s/%s", dir, name, files[i].file);
		unlink(path);
		if (files[i].text)
			write_file(path, files[i].text);
	}
}

/* Where a group would be made, "" when nowhere; *ret_e says why not. */
static const char *place(const char *own, unsigned *ret_controllers, struct err *ret_e)
{
	static struct cg_hierarchy h;
	h = (struct cg_hierarchy){.v2 = true, .mount_n = strlen(dir)};
	snprintf(h.path, sizeof h.path, "%s%s", dir, own);
	*ret_controllers = 0;
	FD_CLEANUP int fd = cg_place_v2(&h, CG_HAS_MEMORY | CG_HAS_PIDS, CG_HAS_CPU, ret_controllers, ret_e);
	return fd < 0 ? "" : strcmp(h.path, dir) == 0 ? "/" : h.path + strlen(dir);
}

static bool subtree_is(const char *name, const char *want)
{
	char path[300], text[200] = "";
	snprintf(path, sizeof path, "%s%s/cgroup.subtree_control", dir, name);
	cg_read(AT_FDCWD, path, text, sizeof text);
	return strcmp(text, want) == 0;
}

#define ALL "cpuset cpu io memory pids\n"

static void test_place(void)
{
	unsigned have;
	struct err e = {0};
	/* a user's session under systemd: the scope holds us, the slice above hands out */
	make_group("", ALL, ALL, "", false);
	make_group("/app.slice", "cpu memory pids\n", "cpu memory pids\n", "", true);
	make_group("/app.slice/run.scope", "cpu memory pids\n", "", "77\n", true);
	CHECK_STR(str_of(place("/app.slice/run.scope", &have, &e)), "/app.slice");
	CHECK_INT(have, CG_HAS_MEMORY | CG_HAS_PIDS | CG_HAS_CPU);
	CHECK(subtree_is("/app.slice", "cpu memory pids\n"));
	/* the slice could hand out, but does not: it is told to */
	make_group("/app.slice", "memory pids\n", "", "", true);
	CHECK_STR(str_of(place("/app.slice/run.scope", &have, &e)), "/app.slice");
	CHECK_INT(have, CG_HAS_MEMORY | CG_HAS_PIDS);
	CHECK(subtree_is("/app.slice", "+memory +pids "));
	/* it holds processes as well: up to the root */
	make_group("/app.slice", "memory pids\n", "", "12\n", true);
	CHECK_STR(str_of(place("/app.slice/run.scope", &have, &e)), "/");
	CHECK(subtree_is("/app.slice", ""));
	/* the real root may hold processes and hand out */
	make_group("", ALL, "", "1\n2\n", false);
	CHECK_STR(str_of(place("", &have, &e)), "/");
	CHECK(subtree_is("", "+memory +pids +cpu"));
	/* the root of a container may not */
	make_group("", ALL, "", "1\n2\n", true);
	CHECK_STR(str_of(place("/app.slice/run.scope", &have, &e)), "");
	CHECK_INT(e.kind, ERR_SYSTEM);
	CHECK(strstr(e.text, "holds processes"));
	CHECK(subtree_is("", ""));
	/* the kernel offers no memory controller */
	make_group("", "cpu pids\n", "cpu pids\n", "", false);
	make_group("/app.slice", "cpu pids\n", "", "", true);
	CHECK_STR(str_of(place("/app.slice", &have, &e)), "");
	CHECK(strstr(e.text, "is not given"));
	/* no such group */
	CHECK_STR(str_of(place("/gone", &have, &e)), "");
}

static bool is_root(void) { return geteuid() == 0; }

/* Runs fn in a child that is nobody; its result is the exit status. */
static int as_nobody(int (*fn)(void))
{
	pid_t pid = fork();
	if (pid == 0)
		_exit(setgid(65534) == 0 && setuid(65534) == 0 ? fn() : 99);
	int status;
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int place_foreign(void)
{
	unsigned have;
	struct err e = {0};
	bool nowhere = place("/app.slice/run.scope", &have, &e)[0] == '\0';
	return nowhere && e.kind == ERR_SYSTEM && strstr(e.text, "app.slice' may not be written") ? 0 : 1;
}

static void test_place_without_delegation(void)
{
	make_group("", ALL, ALL, "", false);
	make_group("/app.slice", "memory pids\n", "memory pids\n", "", true);
	make_group("/app.slice/run.scope", "memory pids\n", "", "77\n", true);
	CHECK_INT(as_nobody(place_foreign), 0);
}

/* ---- real groups ---- */

static size_t count_fds(void)
{
	size_t n = 0;
	DIR *d = opendir("/proc/self/fd");
	while (d && readdir(d))
		n++;
	if (d)
		closedir(d);
	return n;
}

static void make(struct cgroup *cg)
{
	struct err e = {0};
	if (cg_make(cg, &e) < 0)
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

/* A child in the group by way of cg_into() and cg_enter(), as a box does it; fn's result is its exit status. */
static pid_t spawn(struct cgroup *cg, int (*fn)(void))
{
	bool rest;
	int into = cg_into(cg, &rest);
	struct clone_args args = {.exit_signal = SIGCHLD, .flags = into >= 0 ? CLONE_INTO_CGROUP : 0, .cgroup = (uint64_t)(into >= 0 ? into : 0)};
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
static bool peak_unknown(const struct cgroup *cg) { return cg_memory_peak(cg) == 0 && cg_enforcer(cg, CG_MEMORY_MAX) == ENFORCED_CGROUP2; }

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
	CHECK_INT(cg_oom_kills(&cg), 1);
	CHECK_INT(poll(&p, 1, 0), 0); /* armed again */
	uint64_t peak = cg_memory_peak(&cg);
	CHECK(peak_unknown(&cg) || (peak > 30 * MIB && peak <= 32 * MIB));
	cg_remove(&cg);
}

/* Whoever is woken by the event finds the kill counted, also when version 1 tells of the former before the latter. */
static void test_oom_at_once(void)
{
	for (int i = 0; i < 10; i++) {
		struct cgroup cg;
		make(&cg);
		set(&cg, CG_MEMORY_MAX, 32 * MIB);
		struct pollfd p = {.fd = cg.oom_event, .events = cg.oom_poll};
		pid_t pid = spawn(&cg, eat_much);
		uint64_t kills = 0;
		for (int woken = 0; woken < 200 && kills == 0; woken++) { /* version 2 also tells of lesser things */
			if (poll(&p, 1, 2000) != 1)
				break;
			kills = cg_oom_kills(&cg);
		}
		CHECK_INT(kills, 1);
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
	return (uint64_t)(u->ru_utime.tv_sec + u->ru_stime.tv_sec) * 1000000 + (uint64_t)(u->ru_utime.tv_usec + u->ru_stime.tv_usec);
}

/* A fifth of a CPU for half a second of spinning: about a tenth of a second is used, says the group where it counts, else the process. */
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

static void test_kill_and_attach(void)
{
	struct cgroup cg;
	struct cg_host host;
	struct err e = {0};
	cg_probe(&host);
	make(&cg);
	set(&cg, CG_PIDS_MAX, 100);
	pid_t pid = fork();
	if (pid == 0)
		_exit(sleep_long());
	CHECK_INT(cg_attach(&cg, pid, false, &e), 0);
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

/* Removing waits for a process that is about to leave, but not for ever. */
static int leave_soon(void) { return usleep(30000); }
static void test_remove_waits(void)
{
	struct cgroup cg;
	make(&cg);
	pid_t pid = spawn(&cg, leave_soon);
	usleep(5000); /* it is in by now */
	cg_remove(&cg);
	CHECK_INT(reap(pid), 0);
	CHECK_INT(count_groups(our_prefix(), false), 0);
	make(&cg);
	pid = spawn(&cg, sleep_long);
	usleep(5000);
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
	CHECK_INT(cg_attach(&cg, 0x7ffffff0, false, &e), -1); /* nobody has this number */
	CHECK_INT(e.kind, ERR_SYSTEM);
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
			_exit(cg_make(&cg, NULL) == 0 && cg_set(&cg, CG_CPU_MILLI, 500, NULL) == 0 ? 0 : 1);
		}
		CHECK_INT(reap(dead[i]), 0);
	}
	struct cgroup cg, other;
	char prefix[40], foreign[CG_NAME_MAX + 40];
	snprintf(prefix, sizeof prefix, "caisson-%d-", (int)dead[2]);
	CHECK(count_groups(prefix, false) >= 1);
	make(&cg);
	for (int i = 0; i < 3; i++) {
		snprintf(prefix, sizeof prefix, "caisson-%d-", (int)dead[i]);
		CHECK_INT(count_groups(prefix, false), 0);
	}
	/* names that are not ours, or of a pid namespace that is not, stay; so do those of the living */
	static const char *const others[] = {"caisson-1", "caisson-999999999-1-1-012345670123456", "caisson-999999999-1-1-0123456701234567", "caissonx", "caisson-999999999-1-x-0123456701234567"};
	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
		CHECK_INT(mkdirat(cg.dirs[0].parent, others[i], 0755), 0);
	make(&other);
	struct stat st;
	CHECK_INT(fstatat(cg.dirs[0].parent, cg.name, &st, 0), 0);
	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
		CHECK_INT(unlinkat(cg.dirs[0].parent, others[i], AT_REMOVEDIR), 0);
	/* a number used again: our parent lives, but started after that group was made */
	const char *rest = strchr(strchr(cg.name + strlen("caisson-"), '-') + 1, '-');
	snprintf(foreign, sizeof foreign, "caisson-%d-1%s", (int)getppid(), rest);
	CHECK_INT(mkdirat(cg.dirs[0].parent, foreign, 0755), 0);
	cg_remove(&other);
	make(&other);
	CHECK_INT(fstatat(cg.dirs[0].parent, foreign, &st, 0), -1);
	unlinkat(cg.dirs[0].parent, foreign, AT_REMOVEDIR);
	cg_remove(&other);
	cg_remove(&cg);
}

static void test_nothing_left(void)
{
	struct cgroup cg;
	size_t fds = count_fds();
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
	size_t fds = count_fds();
	if (cg_make(&cg, &e) == 0)
		return 1;
	cg_probe(&host);
	bool clear = e.kind == ERR_SYSTEM && strstr(e.text, "control group") && host.memory == ENFORCED_NOT && strstr(host.where, "control group");
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

static void bench(const char *name, unsigned pause_us, bool cpu, bool attach)
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
		pid_t pid = attach ? fork() : spawn(&cg, nothing);
		if (pid == 0)
			_exit((int)usleep(20000));
		if (attach)
			cg_attach(&cg, pid, false, NULL);
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
	bench("tight, enter", 0, true, false);
	bench("tight, enter, no cpu limit", 0, false, false);
	bench("30 ms pauses, enter", 30000, true, false);
	bench("30 ms pauses, attach from outside", 30000, true, true);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "bench") == 0)
		return measure();
	RUN(test_map);
	RUN(test_prune);
	RUN(test_map_bounds);
	RUN(test_usual);
	if (is_root())
		RUN(test_usual_in_namespace);
	else
		unit_skip("test_usual_in_namespace", "needs root");
	if (!mkdtemp(dir))
		return 1;
	chmod(dir, 0755);
	RUN(test_place);
	if (is_root())
		RUN(test_place_without_delegation);
	else
		unit_skip("test_place_without_delegation", "needs root to become another user");
	static const char *const groups[] = {"/app.slice/run.scope", "/app.slice", ""};
	for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++) {
		make_group(groups[i], NULL, NULL, NULL, false);
		char path[300];
		snprintf(path, sizeof path, "%s%s", dir, groups[i]);
		CHECK_INT(rmdir(path), 0);
	}
	unit_result("the trees are removed");

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
	RUN(test_kill_and_attach);
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
