/*
 * Control groups: creation, limits, counters, removal. cgroup.h explains how a process gets in.
 *
 * Every run creates, fills and removes one group before it returns, so system calls are few. A knob costs one
 * open, one write and one close; files that are read more than once stay open. Nothing is allocated.
 */
#define _GNU_SOURCE
#include "sys/cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "base/num.h"
#include "sys/file.h"

#define NAME_PREFIX "caisson-"
#define HOLDER_GROUP "holder"
#define KNOB_MAX 64          /* bytes of one value */
#define COUNTERS_MAX 2048    /* bytes read of a counter file */
#define SWEEP_BYTES 32768    /* bytes of directory entries searched for leftovers: some 700 names */
/* start times compared: pid reuse is rare, live launchers are not */
#define SWEEP_STARTS_MAX 8
#define SWEEP_REMOVE_MAX 32  /* directories removed in one hierarchy */
#define REMOVE_WAIT_US 200000
#define OOM_WAIT_US 3000     /* longest wait from an OOM event to its kill */
#define OOM_AGAIN_MAX 50     /* events that may pass without a kill */
#define DISKS_MAX 4096
#define CPU_PERIOD_US 100000
#define CPU_QUOTA_MIN_US 1000 /* the kernel's own minimum */

/* ---- small files ---- */

static int put_file(int dir, const char *name, const char *text)
{
	FD_CLEANUP int fd = openat(dir, name, O_WRONLY | O_CLOEXEC);
	ssize_t n = (ssize_t)strlen(text);
	return fd >= 0 && write(fd, text, (size_t)n) == n ? 0 : -1;
}

static int put_number(int dir, const char *name, uint64_t n)
{
	char text[KNOB_MAX];
	str_put(text, sizeof text, "%ju", (uintmax_t)n);
	return put_file(dir, name, text);
}

/*
 * Returns the number that follows `key` and a blank at the start of a line. With key "", the number on the
 * first line. 0 if there is no such number.
 */
static uint64_t read_counter(struct str text, const char *key)
{
	size_t k = strlen(key);
	for (size_t at = 0; at < text.n;) {
		size_t end = str_end(text, '\n', at);
		struct str line = str_sub(text, at, end);
		int64_t n;
		if (k == 0)
			return num_parse(line, 0, INT64_MAX, &n) == 0 ? (uint64_t)n : 0;
		if (line.n > k && str_starts(line, key) && line.p[k] == ' ' &&
				num_parse(str_from(line, k + 1), 0, INT64_MAX, &n) == 0)
			return (uint64_t)n;
		at = end + 1;
	}
	return 0;
}

static uint64_t get_counter(int dir, const char *name, const char *key)
{
	char text[COUNTERS_MAX];
	ssize_t n = cg_read(dir, name, text, sizeof text);
	return n < 0 ? 0 : read_counter(str_n(text, (size_t)n), key);
}

/* ---- names and leftovers ---- */

/*
 * Returns the start time of a process: field 22 of its stat, counted from the last bracket, since the name
 * may hold any byte. 0 if there is no such process.
 */
static uint64_t start_of(const char *path)
{
	char text[COUNTERS_MAX];
	ssize_t n = cg_read(AT_FDCWD, path, text, sizeof text);
	const char *p = n > 0 ? strrchr(text, ')') : NULL;
	for (int field = 2; p && field < 22; field++)
		p = strchr(p + 1, ' ');
	if (!p)
		return 0;
	const char *end = strchr(++p, ' ');
	int64_t start;
	return end && num_parse(str_n(p, (size_t)(end - p)), 1, INT64_MAX, &start) == 0 ? (uint64_t)start : 0;
}

static int origin_now(struct cg_origin *ret, struct err *e)
{
	struct stat st;
	struct timespec now;
	if (stat("/proc/self/ns/pid", &st) < 0)
		return err_system(e, "cannot stat '/proc/self/ns/pid'");
	clock_gettime(CLOCK_BOOTTIME, &now);
	long per_second = sysconf(_SC_CLK_TCK);
	*ret = (struct cg_origin){getpid(), now.tv_sec * per_second + now.tv_nsec / (1000000000 / per_second),
			(int64_t)st.st_ino};
	return 0;
}

/* True only for caisson-PID-MADE-NAMESPACE-RANDOM. */
static bool origin_parse(const char *name, struct cg_origin *ret)
{
	struct str rest = str_of(name);
	if (!str_take(&rest, NAME_PREFIX))
		return false;
	int64_t part[3];
	for (int i = 0; i < 3; i++) {
		ptrdiff_t end = str_find(rest, '-', 0);
		if (end < 0 || num_parse(str_first(rest, (size_t)end), 1, i == 0 ? INT32_MAX : INT64_MAX,
				&part[i]) < 0)
			return false;
		rest = str_from(rest, (size_t)end + 1);
	}
	*ret = (struct cg_origin){part[0], part[1], part[2]};
	return rest.n == 16 && strspn(rest.p, "0123456789abcdef") == 16;
}

/*
 * True if the creator is certainly gone: no process has its pid, or the one with that pid started later.
 * Creators in another pid namespace are never certainly gone.
 */
static bool maker_dead(const struct cg_origin *o, const struct cg_origin *self, int *starts_left)
{
	if (o->namespace != self->namespace || o->pid == self->pid)
		return false;
	if (kill((pid_t)o->pid, 0) < 0 && errno == ESRCH)
		return true;
	if (--*starts_left < 0)
		return false;
	char path[64];
	str_put(path, sizeof path, "/proc/%jd/stat", (intmax_t)o->pid);
	return start_of(path) > (uint64_t)o->made;
}

/* Removes empty groups of dead launchers. The kernel refuses to remove a group that still holds a process. */
static void sweep_groups(int parent, const struct cg_origin *self, int *starts_left)
{
	_Alignas(struct dirent64) char buf[SWEEP_BYTES];
	ssize_t n = getdents64(parent, buf, sizeof buf);
	int removed = 0;
	for (ssize_t at = 0; at < n && removed < SWEEP_REMOVE_MAX;) {
		const struct dirent64 *d = (const struct dirent64 *)(buf + at);
		struct cg_origin o;
		if (d->d_type == DT_DIR && origin_parse(d->d_name, &o) && maker_dead(&o, self, starts_left))
			removed += unlinkat(parent, d->d_name, AT_REMOVEDIR) == 0;
		at += d->d_reclen;
	}
}

/* ---- making ---- */

/* required controllers; all others are optional */
#define NEEDED (CG_HAS_MEMORY | CG_HAS_PIDS)

/* Adds a hierarchy to the group; takes over the descriptor of the parent directory. */
static int add_slot(struct cgroup *cg, int parent, bool v2, unsigned controllers)
{
	cg->dirs[cg->n++] = (struct cg_dir){.parent = parent, .fd = -1, .tasks = -1, .v2 = v2,
			.controllers = controllers};
	return 0;
}

static bool is_group(int fd, long magic)
{
	struct statfs fs;
	return fstatfs(fd, &fs) == 0 && fs.f_type == magic;
}

static int open_v1(struct cgroup *cg, const struct cg_hierarchy *h, struct err *e)
{
	bool needed = h->controllers & NEEDED;
	int fd = open(h->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return needed ? err_system(e, "cannot open the control group '%s'", h->path) :
				0;
	if (!is_group(fd, CG_V1_MAGIC)) { /* another file system is mounted over it */
		close(fd);
		return needed ? err_host(e, "'%s' is not a control group", h->path) : 0;
	}
	if (!needed && faccessat(fd, ".", W_OK, AT_EACCESS) < 0) {
		close(fd);
		return 0;
	}
	return add_slot(cg, fd, false, h->controllers);
}

static int open_v2(struct cgroup *cg, struct cg_hierarchy *h, unsigned need, unsigned want, struct err *e)
{
	unsigned have = 0;
	int fd = cg_place_v2(h, need, want, &have, e);
	if (fd < 0)
		return -1;
	if (!is_group(fd, CG_V2_MAGIC)) {
		close(fd);
		return err_host(e, "'%s' is not a control group", h->path);
	}
	return add_slot(cg, fd, true, have);
}

/* Opens every hierarchy that limits something. */
static int open_all(struct cgroup *cg, struct cg_map *m, struct err *e)
{
	unsigned v1 = 0;
	struct cg_hierarchy *v2 = NULL;
	for (size_t i = 0; i < m->n; i++) {
		struct cg_hierarchy *h = &m->of[i];
		if (h->path[0] == '\0')
			continue;
		if (h->v2)
			v2 = h;
		else if (open_v1(cg, h, e) < 0)
			return -1;
		v1 |= h->controllers;
	}
	unsigned need = NEEDED & ~v1;
	if (need == 0)
		return 0;
	if (!v2)
		return err_host(e, "no control group hierarchy with %s is mounted and shows this process",
				need & CG_HAS_MEMORY ? "memory" : "pids");
	return open_v2(cg, v2, need, m->want & ~v1, e);
}

/* The path of an open directory, for messages. */
static void name_of(int fd, char *ret, size_t cap)
{
	char link[32];
	str_put(link, sizeof link, "/proc/self/fd/%d", fd);
	ssize_t n = readlink(link, ret, cap - 1);
	ret[n < 0 ? 0 : n] = '\0';
}

static int make_dir(const struct cgroup *cg, struct cg_dir *d, struct err *e)
{
	if (mkdirat(d->parent, cg->name, 0755) < 0) {
		char path[256];
		int errnum = errno;
		name_of(d->parent, path, sizeof path);
		return err_set(e, ERR_SYSTEM, errnum, "cannot make a control group in '%s'", path);
	}
	d->fd = openat(d->parent, cg->name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (d->fd >= 0 && !d->v2)
		d->tasks = openat(d->fd, "tasks", O_WRONLY | O_CLOEXEC);
	if (d->fd >= 0 && (d->v2 || d->tasks >= 0))
		return 0;
	err_system(e, "cannot open the control group '%s'", cg->name);
	fd_close(&d->fd);
	unlinkat(d->parent, cg->name, AT_REMOVEDIR);
	return -1;
}

static const struct cg_dir *dir_with(const struct cgroup *cg, unsigned controller)
{
	for (size_t i = 0; i < cg->n; i++)
		if (cg->dirs[i].controllers & controller)
			return &cg->dirs[i];
	return NULL;
}

static const struct cg_dir *dir_v2(const struct cgroup *cg)
{
	for (size_t i = 0; i < cg->n; i++)
		if (cg->dirs[i].v2)
			return &cg->dirs[i];
	return NULL;
}

/*
 * Asks the kernel to signal an eventfd when the group runs out of memory. Some kernels cannot: then there is
 * no event, only the counter.
 */
static void listen_v1(struct cgroup *cg, int dir)
{
	FD_CLEANUP int event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	char text[KNOB_MAX];
	str_put(text, sizeof text, "%d %d", event, cg->oom_count);
	if (event < 0 || put_file(dir, "cgroup.event_control", text) < 0)
		return;
	cg->oom_event = event;
	cg->oom_poll = POLLIN;
	event = -1;
}

static int listen_for_oom(struct cgroup *cg, struct err *e)
{
	const struct cg_dir *d = dir_with(cg, CG_HAS_MEMORY);
	const char *file = d->v2 ? "memory.events" : "memory.oom_control";
	cg->oom_count = openat(d->fd, file, O_RDONLY | O_CLOEXEC);
	if (cg->oom_count < 0)
		return err_system(e, "cannot open '%s' of a new control group", file);
	if (!d->v2) {
		listen_v1(cg, d->fd);
		return 0;
	}
	cg->oom_event = cg->oom_count;
	cg->oom_poll = POLLPRI;
	cg_oom_kills(cg); /* the first read arms POLLPRI */
	return 0;
}

static int name_group(struct cgroup *cg, struct err *e)
{
	struct cg_origin self = {0};
	uint64_t chance;
	if (origin_now(&self, e) < 0)
		return -1;
	if (getrandom(&chance, sizeof chance, 0) != sizeof chance)
		return err_system(e, "no random bytes");
	str_put(cg->name, sizeof cg->name, NAME_PREFIX "%jd-%jd-%jd-%016jx", (intmax_t)self.pid,
			(intmax_t)self.made, (intmax_t)self.namespace, (uintmax_t)chance);
	cg->self = self;
	return 0;
}

static int make_all(struct cgroup *cg, unsigned want, struct err *e)
{
	if (name_group(cg, e) < 0)
		return -1;
	for (size_t i = 0; i < cg->n; i++) {
		struct cg_dir *d = &cg->dirs[i];
		/* a hierarchy that only limits CPU or I/O gets its directory in cg_set() */
		if ((d->controllers & (NEEDED | (want & CG_HAS_CPUACCT))) && make_dir(cg, d, e) < 0)
			return -1;
	}
	return listen_for_oom(cg, e);
}

static void close_all(struct cgroup *cg)
{
	if (cg->n > 0) {
		if (cg->oom_event != cg->oom_count)
			fd_close(&cg->oom_event);
		fd_close(&cg->oom_count);
	}
	for (size_t i = 0; i < cg->n; i++) {
		fd_close(&cg->dirs[i].tasks);
		fd_close(&cg->dirs[i].fd);
		fd_close(&cg->dirs[i].parent);
	}
	cg->n = 0;
	cg->oom_event = cg->oom_count = -1;
}

int cg_make(struct cgroup *cg, unsigned want, struct err *e)
{
	struct cg_map map;
	*cg = (struct cgroup){.oom_event = -1, .oom_count = -1};
	if (cg_map_read(&map, want, e) == 0 && open_all(cg, &map, e) == 0 && make_all(cg, want, e) == 0)
		return 0;
	cg_remove(cg);
	return -1;
}

/* ---- in a scope ---- */

/* Opens the scope's directory if the kernel reports `first` as a member. */
static int open_scope(struct cgroup *cg, const struct cg_scope *scope, unsigned want, struct err *e)
{
	struct cg_map map;
	if (cg_map_read_of(&map, scope->first, want, e) < 0)
		return -1;
	const struct cg_hierarchy *h = map.n == 1 && map.of[0].v2 ? &map.of[0] : NULL;
	const char *name = h ? strrchr(h->path, '/') : NULL;
	if (!name || strcmp(name + 1, scope->unit) != 0)
		return err_host(e, "the user manager has moved no process to '%s'", scope->unit);
	int fd = open(h->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return err_system(e, "cannot open the control group '%s'", h->path);
	add_slot(cg, fd, true, 0);
	return is_group(fd, CG_V2_MAGIC) ? 0 : err_host(e, "'%s' is not a control group", h->path);
}

/*
 * Moves both processes out of the scope's own group, because a group with processes cannot delegate
 * controllers.
 */
static int settle_group(struct cgroup *cg, const struct cg_scope *scope, unsigned want, struct err *e)
{
	struct cg_dir *d = &cg->dirs[0];
	if (mkdirat(d->parent, HOLDER_GROUP, 0755) < 0)
		return err_system(e, "cannot make a control group in '%s'", scope->unit);
	if (put_number(d->parent, HOLDER_GROUP "/cgroup.procs", (uint64_t)scope->holder) < 0 ||
			put_number(d->fd, "cgroup.procs", (uint64_t)scope->first) < 0)
		return err_system(e, "cannot move a process within '%s'", scope->unit);
	return cg_hand_out_v2(d->parent, NEEDED, want, &d->controllers, e);
}

int cg_make_in_scope(struct cgroup *cg, const struct cg_scope *scope, unsigned want, struct err *e)
{
	*cg = (struct cgroup){.oom_event = -1, .oom_count = -1};
	if (open_scope(cg, scope, want, e) == 0 && name_group(cg, e) == 0 &&
			make_dir(cg, &cg->dirs[0], e) == 0 && settle_group(cg, scope, want, e) == 0 &&
	    listen_for_oom(cg, e) == 0)
		return 0;
	close_all(cg); /* the new directory holds a process, or goes away with the scope */
	return -1;
}

/* ---- groups of others ---- */

static unsigned controllers_of(int dir)
{
	static const struct {
		char file[16];
		unsigned bit;
	} files[] = {{"memory.max", CG_HAS_MEMORY}, {"pids.max", CG_HAS_PIDS}, {"cpu.max", CG_HAS_CPU},
			{"io.max", CG_HAS_IO}};
	unsigned bits = 0;
	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		if (faccessat(dir, files[i].file, F_OK, 0) == 0)
			bits |= files[i].bit;
	return bits;
}

int cg_adopt(struct cgroup *cg, pid_t pid, struct err *e)
{
	struct cg_map map;
	*cg = (struct cgroup){.oom_event = -1, .oom_count = -1};
	if (cg_map_read_of(&map, pid, CG_HAS_CPU | CG_HAS_CPUACCT, e) < 0)
		return -1;
	for (size_t i = 0; i < map.n; i++) {
		const struct cg_hierarchy *h = &map.of[i];
		int fd = h->path[0] ? open(h->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
		if (fd < 0)
			continue;
		add_slot(cg, -1, h->v2, h->v2 ? controllers_of(fd) : h->controllers);
		cg->dirs[cg->n - 1].fd = fd;
	}
	if (dir_with(cg, CG_HAS_MEMORY) && dir_with(cg, CG_HAS_PIDS) && listen_for_oom(cg, e) == 0)
		return 0;
	close_all(cg);
	return err_host(e, "no control group limits memory and processes");
}

uint64_t cg_limit_now(const struct cgroup *cg, enum cg_limit what)
{
	bool memory = what == CG_MEMORY_MAX;
	const struct cg_dir *d = dir_with(cg, memory ? CG_HAS_MEMORY : CG_HAS_PIDS);
	uint64_t n = d ? get_counter(d->fd, !memory ? "pids.max" : d->v2 ? "memory.max" :
			"memory.limit_in_bytes", "") : 0;
	return n ? n : UINT64_MAX;
}

/* ---- limits ---- */

static int set_memory_v1(int dir, uint64_t n)
{
	/*
	 * TCP buffers have their own counter. It counts only once it has a limit, and only sockets created
	 * after that.
	 */
	if (put_number(dir, "memory.kmem.tcp.limit_in_bytes", n) < 0 && errno != ENOENT)
		return -1;
	/*
	 * The limit with swap may never be below the limit without. Lowering must set the limit without swap
	 * first; raising (EINVAL in that order) must set the limit with swap first.
	 */
	if (put_number(dir, "memory.limit_in_bytes", n) == 0)
		return put_number(dir, "memory.memsw.limit_in_bytes", n) == 0 || errno == ENOENT ? 0 : -1;
	if (errno != EINVAL || put_number(dir, "memory.memsw.limit_in_bytes", n) < 0)
		return -1;
	return put_number(dir, "memory.limit_in_bytes", n);
}

static int set_memory_v2(int dir, uint64_t n)
{
	if (put_number(dir, "memory.max", n) < 0)
		return -1;
	/* ENOENT: no swap accounting. Without memory.oom.group the caller kills the rest of the group. */
	if (put_file(dir, "memory.swap.max", "0") < 0 && errno != ENOENT)
		return -1;
	return put_file(dir, "memory.oom.group", "1") < 0 && errno != ENOENT ? -1 : 0;
}

/*
 * Converts thousandths of a CPU to a quota per period. Below a hundredth, the quota stays at its minimum and
 * the period grows.
 */
static void cpu_share(uint64_t milli, uint64_t *ret_quota, uint64_t *ret_period)
{
	*ret_quota = milli * (CPU_PERIOD_US / 1000);
	*ret_period = CPU_PERIOD_US;
	if (*ret_quota < CPU_QUOTA_MIN_US) {
		*ret_quota = CPU_QUOTA_MIN_US;
		*ret_period = CPU_QUOTA_MIN_US * 1000 / milli;
	}
}

static int set_cpu(const struct cg_dir *d, uint64_t milli)
{
	uint64_t quota, period;
	cpu_share(milli, &quota, &period);
	if (d->v2) {
		char text[KNOB_MAX];
		str_put(text, sizeof text, "%ju %ju", (uintmax_t)quota, (uintmax_t)period);
		return put_file(d->fd, "cpu.max", text);
	}
	if (period != CPU_PERIOD_US && put_number(d->fd, "cpu.cfs_period_us", period) < 0)
		return -1;
	if (put_number(d->fd, "cpu.cfs_quota_us", quota) == 0)
		return 0;
	/* Version 1 refuses a quota above the parent's; the parent's tighter limit applies then. */
	return errno == EINVAL ? 0 : -1;
}

/*
 * Limits one disk in both directions. Fails for a partition, whose disk is in the list too, and for a disk
 * that is gone.
 */
static int limit_disk(const struct cg_dir *d, struct str device, uint64_t n)
{
	char text[KNOB_MAX];
	if (d->v2) {
		str_put(text, sizeof text, "%.*s rbps=%ju wbps=%ju", STR_ARG(device), (uintmax_t)n,
				(uintmax_t)n);
		return put_file(d->fd, "io.max", text);
	}
	str_put(text, sizeof text, "%.*s %ju", STR_ARG(device), (uintmax_t)n);
	return put_file(d->fd, "blkio.throttle.read_bps_device", text) == 0 &&
			put_file(d->fd, "blkio.throttle.write_bps_device", text) == 0 ? 0 : -1;
}

static int set_io(const struct cg_dir *d, uint64_t n)
{
	DIR *blocks = opendir("/sys/block");
	int limited = 0;
	const struct dirent *entry;
	if (!blocks)
		return -1;
	for (int left = DISKS_MAX; left > 0 && (entry = readdir(blocks)); left--) {
		char path[sizeof entry->d_name + 8], device[KNOB_MAX];
		str_put(path, sizeof path, "%s/dev", entry->d_name);
		ssize_t len = cg_read(dirfd(blocks), path, device, KNOB_MAX / 2);
		if (len > 1)
			limited += limit_disk(d, str_n(device, (size_t)len - 1), n) == 0;
	}
	closedir(blocks);
	if (!limited)
		errno = ENODEV;
	return limited ? 0 : -1;
}

static const struct {
	unsigned controller;
	char name[8];
	uint64_t max; /* largest value the kernel can store */
} limits[] = {
	[CG_MEMORY_MAX] = {CG_HAS_MEMORY, "memory", INT64_MAX},
	[CG_CPU_MILLI] = {CG_HAS_CPU, "CPU", 1000000000},
	[CG_PIDS_MAX] = {CG_HAS_PIDS, "process", 4194304},
	[CG_IO_MAX] = {CG_HAS_IO, "disk", INT64_MAX},
};

int cg_set(struct cgroup *cg, enum cg_limit what, uint64_t n, struct err *e)
{
	struct cg_dir *d = (struct cg_dir *)dir_with(cg, limits[what].controller);
	if (!d)
		return err_host(e, "no control group limits %s here", limits[what].name);
	if (n == 0 || n > limits[what].max)
		return err_input(e, "a %s limit of %ju is not possible", limits[what].name, (uintmax_t)n);
	if (d->fd < 0 && make_dir(cg, d, e) < 0)
		return -1;
	int bad = what == CG_PIDS_MAX ? put_number(d->fd, "pids.max", n)
		: what == CG_CPU_MILLI ? set_cpu(d, n)
		: what == CG_IO_MAX ? set_io(d, n)
		: d->v2 ? set_memory_v2(d->fd, n) : set_memory_v1(d->fd, n);
	return bad < 0 ? err_system(e, "cannot set the %s limit of a control group", limits[what].name) : 0;
}

enum enforcer cg_enforcer(const struct cgroup *cg, enum cg_limit what)
{
	const struct cg_dir *d = dir_with(cg, limits[what].controller);
	return !d ? ENFORCED_NOT : d->v2 ? ENFORCED_CGROUP2 : ENFORCED_CGROUP1;
}

/* ---- processes ---- */

int cg_into(const struct cgroup *cg, bool *ret_rest)
{
	const struct cg_dir *v2 = dir_v2(cg);
	*ret_rest = cg->n > (v2 ? 1 : 0);
	return v2 ? v2->fd : -1;
}

size_t cg_doors(const struct cgroup *cg, int ret[CG_HIERARCHIES_MAX])
{
	size_t n = 0;
	for (size_t i = 0; i < cg->n; i++)
		if (cg->dirs[i].fd >= 0 && cg->dirs[i].tasks >= 0)
			ret[n++] = cg->dirs[i].tasks;
	return n;
}

/* "0" names the writing thread; `tasks` moves that thread only. */
int cg_enter(const int *doors, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (write(doors[i], "0", 1) != 1)
			return -1;
	return 0;
}

bool cg_guess_v2(void)
{
	struct statfs fs;
	return statfs("/sys/fs/cgroup", &fs) == 0 && fs.f_type == CG_V2_MAGIC;
}

void cg_kill(const struct cgroup *cg)
{
	const struct cg_dir *v2 = dir_v2(cg), *cpu = dir_with(cg, CG_HAS_CPU);
	if (v2 && v2->fd >= 0)
		put_file(v2->fd, "cgroup.kill", "1");
	/*
	 * Before Linux 6.18, a process that has used up its CPU quota cannot even die before the next period.
	 */
	if (cpu && cpu->fd >= 0)
		put_file(cpu->fd, cpu->v2 ? "cpu.max" : "cpu.cfs_quota_us", cpu->v2 ? "max" : "-1");
}

/* ---- counters ---- */

static uint64_t memory_counter(const struct cgroup *cg, const char *name_v2, const char *name_v1)
{
	const struct cg_dir *d = dir_with(cg, CG_HAS_MEMORY);
	return d && d->fd >= 0 ? get_counter(d->fd, d->v2 ? name_v2 : name_v1, "") : 0;
}

uint64_t cg_memory_now(const struct cgroup *cg)
{
	return memory_counter(cg, "memory.current", "memory.usage_in_bytes");
}
uint64_t cg_memory_peak(const struct cgroup *cg)
{
	return memory_counter(cg, "memory.peak", "memory.max_usage_in_bytes");
}

/* The directory that counts CPU time. Every version 2 group does, even without the cpu controller. */
static const struct cg_dir *dir_time(const struct cgroup *cg)
{
	const struct cg_dir *d = dir_v2(cg);
	if (!d || d->fd < 0)
		d = dir_with(cg, CG_HAS_CPUACCT);
	return d && d->fd >= 0 ? d : NULL;
}

enum enforcer cg_time_counter(const struct cgroup *cg)
{
	const struct cg_dir *d = dir_time(cg);
	return !d ? ENFORCED_NOT : d->v2 ? ENFORCED_CGROUP2 : ENFORCED_CGROUP1;
}

uint64_t cg_cpu_us(const struct cgroup *cg)
{
	const struct cg_dir *d = dir_time(cg);
	if (!d)
		return 0;
	return d->v2 ? get_counter(d->fd, "cpu.stat", "usage_usec")
		     : get_counter(d->fd, "cpuacct.usage", "") / 1000;
}

int cg_processes(const struct cgroup *cg)
{
	const struct cg_dir *d = dir_with(cg, CG_HAS_PIDS);
	return openat(d ? d->fd : -1, "cgroup.procs", O_RDONLY | O_CLOEXEC);
}

static void wait_us(long us) { nanosleep(&(struct timespec){.tv_nsec = us * 1000}, NULL); }

static uint64_t kills_counted(const struct cgroup *cg)
{
	char text[COUNTERS_MAX];
	ssize_t n = pread(cg->oom_count, text, sizeof text, 0);
	return n < 0 ? 0 : read_counter(str_n(text, (size_t)n), "oom_kill");
}

/*
 * Version 1 sends the event first and kills afterwards. A caller that reads the counter in between would see
 * no kill and get no second event.
 */
static uint64_t wait_for_kill(struct cgroup *cg)
{
	uint64_t kills = 0, again = 1;
	for (long waited = 0, step = 50; kills == 0 && waited < OOM_WAIT_US; waited += step, step *= 2) {
		wait_us(step);
		kills = kills_counted(cg);
	}
	/* busy machine: signal the event again (bounded: memory pressure may pass without a kill) */
	if (kills == 0 && cg->oom_again++ < OOM_AGAIN_MAX && write(cg->oom_event, &again, sizeof again) < 0)
		return 0;
	return kills;
}

uint64_t cg_oom_kills(struct cgroup *cg)
{
	uint64_t signals = 0;
	if (cg->n == 0 || cg->oom_count < 0)
		return 0;
	bool notified = cg->oom_poll == POLLIN && cg->oom_event >= 0 &&
			read(cg->oom_event, &signals, sizeof signals) == sizeof signals;
	uint64_t kills = kills_counted(cg);
	return notified && kills == 0 ? wait_for_kill(cg) : kills;
}

/* ---- removal ---- */

void cg_remove(struct cgroup *cg)
{
	int starts_left = SWEEP_STARTS_MAX;
	long waited = 0;
	for (size_t i = cg->n; i-- > 0;) {
		const struct cg_dir *d = &cg->dirs[i];
		long step = 50;
		while (d->fd >= 0 && unlinkat(d->parent, cg->name, AT_REMOVEDIR) < 0 && errno == EBUSY &&
				waited < REMOVE_WAIT_US) {
			wait_us(step);
			waited += step;
			step *= 2;
		}
	}
	for (size_t i = 0; i < cg->n && cg->self.pid; i++)
		sweep_groups(cg->dirs[i].parent, &cg->self, &starts_left);
	close_all(cg);
}

void cg_spare_sweep(struct cgroup *cg) { cg->self.pid = 0; }

static bool has_file(const struct cg_dir *d, const char *name, int mode)
{
	return d && d->fd >= 0 && faccessat(d->fd, name, mode, AT_EACCESS) == 0;
}

void cg_describe(const struct cgroup *cg, struct cg_host *ret)
{
	const struct cg_dir *memory = dir_with(cg, CG_HAS_MEMORY);
	bool rest;
	*ret = (struct cg_host){
		.memory = cg_enforcer(cg, CG_MEMORY_MAX), .cpu = cg_enforcer(cg, CG_CPU_MILLI),
				.pids = cg_enforcer(cg, CG_PIDS_MAX),
		.into = cg_into(cg, &rest) >= 0, .kill = has_file(dir_v2(cg), "cgroup.kill", W_OK),
		.swap = has_file(memory, "memory.swap.max", F_OK) ||
		has_file(memory, "memory.memsw.limit_in_bytes", F_OK),
	};
	name_of(memory->parent, ret->where, sizeof ret->where);
}

void cg_probe(struct cg_host *ret)
{
	struct cgroup cg;
	struct err e;
	if (cg_make(&cg, CG_HAS_CPU | CG_HAS_IO, &e) < 0) {
		*ret = (struct cg_host){0};
		str_put(ret->where, sizeof ret->where, "%.*s", (int)sizeof ret->where - 1, e.text);
		return;
	}
	cg_describe(&cg, ret);
	cg_remove(&cg);
}
