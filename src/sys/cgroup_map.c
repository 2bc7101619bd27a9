/* Finds the caller's own control groups, and the directory of a version 2 tree that can hold a new one. */
#define _GNU_SOURCE
#include "sys/cgroup_map.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "sys/file.h"

#define MAP_BYTES_MAX ((size_t)4 << 20) /* limit for mountinfo: some 20,000 mounts */
#define INITIAL_NAMESPACE 0xEFFFFFFBu   /* inode of the initial cgroup namespace, fixed by the kernel */
#define DEPTH_MAX 64                    /* levels of a version 2 tree */

static const struct {
	char name[8];
	unsigned bit;
} controllers[] = {{"memory", CG_HAS_MEMORY}, {"pids", CG_HAS_PIDS}, {"cpu", CG_HAS_CPU},
		{"cpuacct", CG_HAS_CPUACCT}, {"blkio", CG_HAS_IO}, {"io", CG_HAS_IO}};

/*
 * Returns the bits of the controllers in a line like "cpu memory pids" (version 2) or "rw,cpu,cpuacct"
 * (version 1).
 */
static unsigned bits_of(struct str names)
{
	unsigned bits = 0;
	for (size_t i = 0; i < names.n;) {
		size_t from = i;
		while (i < names.n && names.p[i] != ',' && names.p[i] != ' ' && names.p[i] != '\n')
			i++;
		for (size_t k = 0; k < ARRAY_SIZE(controllers); k++)
			if (str_is(str_sub(names, from, i), controllers[k].name))
				bits |= controllers[k].bit;
		i++;
	}
	return bits;
}

ssize_t cg_read(int dir, const char *name, char *buf, size_t cap)
{
	FD_CLEANUP int fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	ssize_t n = read(fd, buf, cap - 1);
	if (n >= 0)
		buf[n] = '\0';
	return n;
}

void cg_map_group(struct cg_map *m, struct str line)
{
	ptrdiff_t a = str_find(line, ':', 0);
	ptrdiff_t b = a < 0 ? -1 : str_find(line, ':', (size_t)a + 1);
	if (b < 0 || m->n == CG_HIERARCHIES_MAX)
		return;
	struct str group = str_from(line, (size_t)b + 1);
	bool v2 = a == 1 && line.p[0] == '0' && b == a + 1;
	unsigned bits = bits_of(str_sub(line, (size_t)a + 1, (size_t)b));
	/* "/.." marks a group outside our cgroup namespace */
	if ((!v2 && bits == 0) || group.n == 0 || group.n >= CG_PATH_MAX || group.p[0] != '/' ||
			str_starts(group, "/.."))
		return;
	struct cg_hierarchy *h = &m->of[m->n++];
	*h = (struct cg_hierarchy){.v2 = v2, .controllers = bits};
	memcpy(h->group, group.p, group.n);
}

/* Takes the next field of a mountinfo line (a blank in a field is \040). False at the end of the line. */
static bool next_field(struct str *line, struct str *ret)
{
	if (line->n == 0)
		return false;
	ptrdiff_t end = str_find(*line, ' ', 0);
	*ret = str_first(*line, end < 0 ? line->n : (size_t)end);
	*line = str_from(*line, end < 0 ? line->n : (size_t)end + 1);
	return true;
}

/* Decodes octal escapes into a NUL-terminated string. Returns its length, or 0 if it does not fit. */
static size_t unescape(struct str s, char *to, size_t cap)
{
	size_t n = 0;
	for (size_t i = 0; i < s.n; n++) {
		if (n + 1 >= cap)
			return 0;
		bool octal = s.p[i] == '\\' && s.n - i >= 4;
		for (size_t k = 1; octal && k < 4; k++)
			octal = s.p[i + k] >= '0' && s.p[i + k] <= '7';
		to[n] = octal ? (char)((s.p[i + 1] - '0') << 6 | (s.p[i + 2] - '0') << 3 |
				(s.p[i + 3] - '0')) : s.p[i];
		i += octal ? 4 : 1;
	}
	to[n] = '\0';
	return n;
}

/*
 * Sets the group's directory below a mount that shows the hierarchy from `root` on. A group outside `root` is
 * not visible through that mount.
 */
static void set_path(struct cg_hierarchy *h, const char *root, const char *point, size_t point_n)
{
	size_t n = strcmp(root, "/") == 0 ? 0 : strlen(root);
	if (strncmp(h->group, root, n) != 0 || (h->group[n] != '/' && h->group[n] != '\0'))
		return;
	const char *rest = strcmp(h->group + n, "/") == 0 ? "" : h->group + n;
	if (point_n + strlen(rest) >= sizeof h->path)
		return;
	memcpy(h->path, point, point_n);
	memcpy(h->path + point_n, rest, strlen(rest) + 1);
	h->mount_n = point_n;
}

void cg_map_mount(struct cg_map *m, struct str line)
{
	struct str root, point, field, type, options;
	struct str rest = line;
	for (int i = 0; i < 3; i++) /* id, parent, device */
		if (!next_field(&rest, &field))
			return;
	if (!next_field(&rest, &root) || !next_field(&rest, &point))
		return;
	do { /* mount options and optional fields, any number */
		if (!next_field(&rest, &field))
			return;
	} while (!str_is(field, "-"));
	if (!next_field(&rest, &type) || !next_field(&rest, &field) || !next_field(&rest, &options))
		return;
	bool v2 = str_is(type, "cgroup2");
	if (!v2 && !str_is(type, "cgroup"))
		return;
	char root_c[CG_PATH_MAX], point_c[CG_PATH_MAX];
	size_t point_n = unescape(point, point_c, sizeof point_c);
	if (unescape(root, root_c, sizeof root_c) == 0 || point_n == 0)
		return;
	unsigned bits = v2 ? 0 : bits_of(options);
	for (size_t i = 0; i < m->n; i++) {
		struct cg_hierarchy *h = &m->of[i];
		/* the first mount that shows our group wins */
		if (h->path[0] == '\0' && h->v2 == v2 && (v2 || (h->controllers & bits) != 0))
			set_path(h, root_c, point_c, point_n);
	}
}

void cg_map_prune(struct cg_map *m)
{
	unsigned v1 = 0;
	for (size_t i = 0; i < m->n; i++)
		v1 |= m->of[i].controllers;
	bool all = (v1 & CG_HAS_MEMORY) && (v1 & CG_HAS_PIDS);
	unsigned idle = (CG_HAS_CPUACCT | CG_HAS_CPU | CG_HAS_IO) & ~m->want;
	size_t kept = 0;
	for (size_t i = 0; i < m->n; i++) {
		if (m->of[i].v2 ? all : !(m->of[i].controllers & ~idle))
			continue;
		if (kept != i)
			m->of[kept] = m->of[i];
		kept++;
	}
	m->n = kept;
}

bool cg_map_complete(const struct cg_map *m)
{
	for (size_t i = 0; i < m->n; i++)
		if (m->of[i].path[0] == '\0')
			return false;
	return true;
}

/* Calls fn for every line of a file, until enough() is true. */
static int each_line(struct cg_map *m, const char *path, void (*fn)(struct cg_map *, struct str),
		bool (*enough)(const struct cg_map *), struct err *e)
{
	FD_CLEANUP int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return err_system(e, "cannot open '%s'", path);
	char buf[CG_LINE_MAX];
	size_t kept = 0;
	bool too_long = false; /* in the middle of a line that did not fit */
	for (size_t total = 0; total < MAP_BYTES_MAX;) {
		ssize_t got = read(fd, buf + kept, sizeof buf - kept);
		if (got < 0)
			return err_system(e, "cannot read '%s'", path);
		if (got == 0)
			return 0;
		total += (size_t)got;
		struct str left = str_n(buf, kept + (size_t)got);
		for (ptrdiff_t end; (end = str_find(left, '\n', 0)) >= 0;
				left = str_from(left, (size_t)end + 1)) {
			if (!too_long)
				fn(m, str_first(left, (size_t)end));
			too_long = false;
		}
		if (enough && enough(m))
			return 0;
		too_long |= left.n == sizeof buf;
		kept = too_long ? 0 : left.n;
		memmove(buf, left.p, kept);
	}
	return err_limit(e, "'%s' is longer than %zu bytes", path, MAP_BYTES_MAX);
}

static const struct {
	unsigned controllers;
	bool v2;
	char point[28];
} usual[] = {
	{CG_HAS_MEMORY, false, "/sys/fs/cgroup/memory"},
	{CG_HAS_PIDS, false, "/sys/fs/cgroup/pids"},
	{CG_HAS_CPU, false, "/sys/fs/cgroup/cpu"},
	{CG_HAS_CPU | CG_HAS_CPUACCT, false, "/sys/fs/cgroup/cpu,cpuacct"},
	{CG_HAS_CPUACCT, false, "/sys/fs/cgroup/cpuacct"},
	{CG_HAS_IO, false, "/sys/fs/cgroup/blkio"},
	{0, true, "/sys/fs/cgroup/unified"},
	{0, true, "/sys/fs/cgroup"},
};

static bool is_hierarchy_root(const char *path, bool v2)
{
	struct statfs fs;
	struct stat st;
	return statfs(path, &fs) == 0 && fs.f_type == (v2 ? CG_V2_MAGIC : CG_V1_MAGIC) &&
			stat(path, &st) == 0 && st.st_ino == 1;
}

void cg_map_usual(struct cg_map *m)
{
	struct stat st;
	if (stat("/proc/self/ns/cgroup", &st) < 0 || st.st_ino != INITIAL_NAMESPACE)
		return;
	for (size_t k = 0; k < ARRAY_SIZE(usual); k++)
		for (size_t i = 0; i < m->n; i++) {
			struct cg_hierarchy *h = &m->of[i];
			if (h->path[0] == '\0' && h->v2 == usual[k].v2 &&
					h->controllers == usual[k].controllers &&
					is_hierarchy_root(usual[k].point, h->v2))
				set_path(h, "/", usual[k].point, strlen(usual[k].point));
		}
}

static int map_read(struct cg_map *ret, const char *groups, unsigned want, struct err *e)
{
	ret->n = 0;
	ret->want = want;
	if (each_line(ret, groups, cg_map_group, NULL, e) < 0)
		return -1;
	cg_map_prune(ret);
	cg_map_usual(ret);
	return cg_map_complete(ret) ? 0 : each_line(ret, "/proc/self/mountinfo", cg_map_mount,
			cg_map_complete, e);
}

int cg_map_read(struct cg_map *ret, unsigned want, struct err *e)
{
	return map_read(ret, "/proc/self/cgroup", want, e);
}

int cg_map_read_of(struct cg_map *ret, pid_t pid, unsigned want, struct err *e)
{
	char path[32];
	str_put(path, sizeof path, "/proc/%d/cgroup", (int)pid);
	return map_read(ret, path, want, e);
}

/* ---- version 2: which directory ---- */

static unsigned bits_in(int dir, const char *name)
{
	char text[512];
	ssize_t n = cg_read(dir, name, text, sizeof text);
	return n < 0 ? 0 : bits_of(str_n(text, (size_t)n));
}

static bool switch_on(int dir, unsigned bits)
{
	char text[64];
	size_t n = str_put(text, sizeof text, "%s%s%s%s", bits & CG_HAS_MEMORY ? "+memory " : "",
			bits & CG_HAS_PIDS ? "+pids " : "", bits & CG_HAS_IO ? "+io " : "",
			bits & CG_HAS_CPU ? "+cpu" : "");
	FD_CLEANUP int fd = openat(dir, "cgroup.subtree_control", O_WRONLY | O_CLOEXEC);
	return fd >= 0 && write(fd, text, n) == (ssize_t)n;
}

/*
 * True if the group may enable further controllers. Processes of its own forbid it, except in the root, which
 * has no cgroup.type.
 */
static bool may_hand_out(int dir)
{
	char one[2];
	if (faccessat(dir, "cgroup.type", F_OK, 0) < 0)
		return true;
	return cg_read(dir, "cgroup.procs", one, sizeof one) == 0;
}

/*
 * Reasons why a group cannot be used, the most informative last. The least informative ones hold for any
 * group without delegation.
 */
enum obstacle { NOT_READABLE, NOT_GIVEN, HOLDS_PROCESSES, NOT_CHANGED, NOT_WRITTEN };
static const char obstacles[][72] = {
	[NOT_READABLE] = "cannot be read",
	[NOT_GIVEN] = "is not given the controllers",
	[HOLDS_PROCESSES] = "holds processes and so cannot hand out controllers",
	[NOT_CHANGED] = "does not hand out the controllers, and this user may not change that",
	[NOT_WRITTEN] = "may not be written by this user",
};

/*
 * Returns the controllers of this group's children after enabling the missing ones that are available.
 * *ret_why says why they are not enough.
 */
static unsigned hand_out(int dir, unsigned need, unsigned want, enum obstacle *ret_why)
{
	unsigned have = bits_in(dir, "cgroup.subtree_control");
	unsigned missing = (need | want) & ~have;
	if (missing == 0)
		return have;
	missing &= bits_in(dir, "cgroup.controllers");
	*ret_why = NOT_GIVEN;
	if ((need & ~have & ~missing) != 0 || missing == 0)
		return have;
	*ret_why = HOLDS_PROCESSES;
	if (!may_hand_out(dir))
		return have;
	*ret_why = NOT_CHANGED;
	if (switch_on(dir, missing))
		return have | missing;
	bool without_wishes = (missing & need) != 0 && (missing & ~need) != 0;
	return without_wishes && switch_on(dir, missing & need) ? have | (missing & need) : have;
}

/*
 * True if a child group with all of `need` can be created here and a process moved into it. For a move the
 * kernel checks the common ancestor of the old and the new group, which is this one.
 */
static bool will_do(int dir, unsigned need, unsigned want, unsigned *ret_controllers, enum obstacle *ret_why)
{
	unsigned have = hand_out(dir, need, want, ret_why);
	if ((need & ~have) != 0)
		return false;
	*ret_why = NOT_WRITTEN;
	if (faccessat(dir, ".", W_OK, AT_EACCESS) < 0 || faccessat(dir, "cgroup.procs", W_OK, AT_EACCESS) < 0)
		return false;
	*ret_controllers = have;
	return true;
}

int cg_hand_out_v2(int dir, unsigned need, unsigned want, unsigned *ret_controllers, struct err *e)
{
	enum obstacle why = NOT_READABLE;
	unsigned have = hand_out(dir, need, want, &why);
	if ((need & ~have) != 0)
		return err_host(e, "the control group of the scope %s", obstacles[why]);
	*ret_controllers = have;
	return 0;
}

int cg_place_v2(struct cg_hierarchy *h, unsigned need, unsigned want, unsigned *ret_controllers,
		struct err *e)
{
	char where[CG_PATH_MAX] = "";
	enum obstacle worst = NOT_READABLE;
	for (int depth = 0; depth < DEPTH_MAX; depth++) {
		enum obstacle why = NOT_READABLE;
		int fd = open(h->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (fd >= 0 && will_do(fd, need, want, ret_controllers, &why))
			return fd;
		fd_close(&fd);
		if (depth == 0 || why > worst) {
			worst = why;
			str_put(where, sizeof where, "%s", h->path);
		}
		char *slash = strrchr(h->path, '/');
		if (!slash || (size_t)(slash - h->path) < h->mount_n)
			break;
		*slash = '\0';
	}
	return err_host(e, "no control group of this process or above it can hold a box: '%.200s' %s", where,
			obstacles[worst]);
}
