/*
 * src/sys/cgroup_map.c: other hosts' texts and trees as fixtures, and that this host's usual places are what
 * its mountinfo says.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sys/cgroup_map.h"
#include "nobody.h"
#include "sys/file.h"
#include "unit.h"

/* ---- what /proc says on other hosts ---- */

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
		{{CG_HAS_PIDS, false, "/sys/fs/cgroup/pids"},
				{CG_HAS_MEMORY, false, "/sys/fs/cgroup/memory/jobs/a1"},
			{CG_HAS_CPUACCT, false, "/sys/fs/cgroup/cpuacct"},
			{CG_HAS_CPU, false, "/sys/fs/cgroup/cpu"}}},
	{"hybrid, two controllers in one mount, optional fields, a blank in the mount point",
		"5:cpu,cpuacct:/user.slice\n4:pids:/user.slice/user-0.slice\n3:memory:/user.slice\n"
				"1:name=systemd:/user.slice\n0::/user.slice/user-0.slice/session-1.scope\n",
		"30 25 0:26 / /sys/fs/cgroup/unified rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n"
		"31 25 0:27 / /sys/fs/cgroup/systemd rw,nosuid shared:10 - cgroup cgroup "
		"rw,xattr,name=systemd\n"
		"37 25 0:33 / /sys/fs/cgroup/cpu,cpuacct rw shared:17 master:3 - cgroup cgroup "
		"rw,cpu,cpuacct\n"
		"38 25 0:34 / /cg\\040here/memory rw shared:18 - cgroup cgroup rw,memory\n"
		"39 25 0:35 / /sys/fs/cgroup/pids rw shared:19 - cgroup cgroup rw,pids\n",
		{{CG_HAS_CPU | CG_HAS_CPUACCT, false, "/sys/fs/cgroup/cpu,cpuacct/user.slice"},
				{CG_HAS_PIDS, false, "/sys/fs/cgroup/pids/user.slice/user-0.slice"},
			{CG_HAS_MEMORY, false, "/cg here/memory/user.slice"},
			{0, true, "/sys/fs/cgroup/unified/user.slice/user-0.slice/session-1.scope"}}},
	{"version 2, a user's session",
		"0::/user.slice/user-1000.slice/user@1000.service/app.slice/run-1.scope\n",
		"24 18 0:22 / /sys/fs/cgroup rw,nosuid,nodev shared:4 - cgroup2 cgroup2 "
				"rw,nsdelegate,memory_recursiveprot\n",
		{{0, true, "/sys/fs/cgroup/user.slice/user-1000.slice/user@1000.service/app.slice/run-1.scop"
				"e"}}},
	{"a container with the host's names: the mount shows the container's part only",
		"7:pids:/docker/4f\n5:memory:/docker/4f\n0::/\n",
		"733 732 0:29 /docker/4f /sys/fs/cgroup/pids ro master:11 - cgroup cgroup rw,pids\n"
		"734 732 0:30 /docker/4f /sys/fs/cgroup/memory ro master:12 - cgroup cgroup rw,memory\n",
		{{CG_HAS_PIDS, false, "/sys/fs/cgroup/pids"}, {CG_HAS_MEMORY, false, "/sys/fs/cgroup/memory"},
				{0, true, ""}}},
	{"a mount that shows another part, then one that shows ours",
		"5:memory:/docker/4f\n",
		"734 732 0:30 /docker/4 /a rw - cgroup cgroup rw,memory\n735 732 0:30 /other /b rw - cgroup "
				"cgroup rw,memory\n736 732 0:30 / /c rw - cgroup cgroup rw,memory\n",
		{{CG_HAS_MEMORY, false, "/c/docker/4f"}}},
	{"a container with a namespace of its own", "0::/\n",
			"600 599 0:28 / /sys/fs/cgroup ro,nosuid - cgroup2 cgroup ro,nsdelegate\n",
			{{0, true, "/sys/fs/cgroup"}}},
	{"our group is outside of our namespace", "0::/../../user.slice\n",
			"600 599 0:28 / /sys/fs/cgroup rw - cgroup2 cgroup rw\n", {{0, false, NULL}}},
	{"a group with a colon and a lying name", "5:memory:/a:b/name=x\n6:memoryx,xpids:/c\n",
			"1 2 0:3 / /m rw - cgroup cgroup rw,memory\n",
			{{CG_HAS_MEMORY, false, "/m/a:b/name=x"}}},
	{"broken lines", "\n:\n::\n0:\n5:memory\n5:memory:\n5:memory:x\n",
			"\n1\n1 2 3 / /m\n1 2 3 / /m rw -\n1 2 3 / /m rw - cgroup\n", {{0, false, NULL}}},
};

static void test_map(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(hosts); i++) {
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
	m.want = CG_HAS_CPU;
	cg_map_prune(&m);
	CHECK_INT(m.n, 3);
	CHECK_INT(m.of[0].controllers | m.of[1].controllers | m.of[2].controllers,
			CG_HAS_PIDS | CG_HAS_MEMORY | CG_HAS_CPU);
	CHECK_STR(str_of(m.of[1].group), "/a");
	m = map_of("9:pids:/\n2:cpu,cpuacct:/\n0::/x\n", ""); /* memory can only be version 2's */
	m.want = CG_HAS_CPU;
	cg_map_prune(&m);
	CHECK_INT(m.n, 3);
	CHECK(m.of[2].v2);
	m.want = 0; /* nobody limits CPU time: not worth a directory */
	cg_map_prune(&m);
	CHECK_INT(m.n, 2);
	CHECK(m.of[1].v2);
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
	/* nor do both together */
	cg_map_mount(&m, STR("1 2 0:3 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory"));
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
	CHECK_INT(cg_map_read(&both, 0, NULL), 0);
	CHECK_INT(both.n, said.n);
	for (size_t i = 0; i < said.n; i++) {
		CHECK_STR(str_of(both.of[i].path), said.of[i].path);
		CHECK_INT(both.of[i].mount_n, said.of[i].mount_n);
		if (usual.of[i].path[0])
			CHECK_STR(str_of(usual.of[i].path), said.of[i].path);
	}
}

/*
 * In a cgroup namespace of its own every name begins at the caller's group, and the usual places are not
 * asked.
 */
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

/* ---- version 2 trees, as plain directories ---- */

static char dir[] = "/tmp/caisson-cgroup-XXXXXX";

static void write_file(const char *path, const char *text)
{
	FD_CLEANUP int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	CHECK(fd >= 0);
	CHECK_INT(write(fd, text, strlen(text)), strlen(text));
}

/* controllers: NULL makes no such file; type: the real root has none */
static void make_group(const char *name, const char *controllers, const char *subtree, const char *procs,
		bool type)
{
	char path[300];
	const struct { const char *file, *text; } files[] = {
		{"cgroup.controllers", controllers}, {"cgroup.subtree_control", subtree},
		{"cgroup.procs", procs}, {"cgroup.type", type ? "domain\n" : NULL}};
	snprintf(path, sizeof path, "%s%s", dir, name);
	mkdir(path, 0755);
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
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

int main(void)
{
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
	for (size_t i = 0; i < ARRAY_SIZE(groups); i++) {
		make_group(groups[i], NULL, NULL, NULL, false);
		char path[300];
		snprintf(path, sizeof path, "%s%s", dir, groups[i]);
		CHECK_INT(rmdir(path), 0);
	}
	unit_result("the trees are removed");
	return unit_end();
}
