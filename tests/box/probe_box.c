/* Leaks and leftovers of a box: items 9, 10, 14, 16 to 18 of the list. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "probe.h"

#define FDS_MAX 4096
#define SYSV_KEY 0xca155

/* ---- descriptors and the box's first process ---- */

static struct answer fds(char **args)
{
	char name[64], target[160];
	(void)args;
	for (int fd = 3; fd < FDS_MAX; fd++)
		if (fcntl(fd, F_GETFD) >= 0) {
			snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
			ssize_t n = readlink(name, target, sizeof target - 1);
			return leak("descriptor %d: %.*s", fd, n > 0 ? (int)n : 1, n > 0 ? target : "?");
		}
	return absent("descriptors");
}

static struct answer init_root(char **args)
{
	struct stat ours, its;
	(void)args;
	if (stat("/proc/1/root/", &its) < 0 || stat("/", &ours) < 0)
		return result(-1);
	return its.st_dev == ours.st_dev && its.st_ino == ours.st_ino ? absent("another root") :
			leak("another root");
}

static struct answer init_fd(char **args)
{
	(void)args;
	DIR *d = opendir("/proc/1/fd");
	int n = 0;
	while (d && readdir(d))
		n++;
	return d ? leak("%d descriptors of init", n - 2) : result(-1);
}

static const char *const init_files[] = {"/proc/1/mem", "/proc/1/environ", "/proc/1/maps", "/proc/1/auxv",
		"/proc/1/io"};

static struct answer init_file(char **args)
{
	char buf[64];
	const char *path = init_files[probe_flags()];
	(void)args;
	int fd = open(path, O_RDONLY);
	if (fd < 0)
		return result(-1);
	if (probe_flags() == 0)
		return leak("%s was opened", path);
	ssize_t n = read(fd, buf, sizeof buf);
	return n > 0 ? leak("%s: %zd bytes or more", path, n) : n < 0 ? result(-1) : absent("anything in it");
}

/* root, fd, mem, environ in one: the first that gives something. */
static struct answer proc1(char **args)
{
	struct answer a, first = init_root(args);
	if (first.kind == LEAK || (a = init_fd(args)).kind == LEAK)
		return first.kind == LEAK ? first : a;
	for (size_t i = 0; i < 2; i++) {
		int fd = open(init_files[i], O_RDONLY);
		char c;
		if (fd >= 0 && (i == 0 || read(fd, &c, 1) > 0))
			return leak("%s", init_files[i]);
	}
	return a;
}

/*
 * "busy" is no protection: it can be written once nobody runs it. The kernel says so before it looks at the
 * mount, so that is asked besides.
 */
static struct answer overwrite(char **args)
{
	const char *path = probe_flags() ? "/proc/self/exe" : "/proc/1/exe";
	(void)args;
	if (open(path, O_WRONLY) >= 0)
		return leak("it was opened");
	return errno == ETXTBSY && access(path, W_OK) == 0 ? leak("it is only busy") : result(-1);
}

/* ---- privileges ---- */

static struct answer set_id_file(char **args)
{
	(void)args;
	const char *path = fresh_path("setid");
	int fd = open(path, O_CREAT | O_WRONLY, 0755);
	if (fd < 0)
		return absent("a place for a file");
	struct answer a = result(probe_flags() & 1 ? fchmod(fd, 02755) : chmod(path, 04755));
	unlink(path);
	return a;
}

static long open2(const char *path)
{
	struct { uint64_t flags, mode, resolve; } how = {O_CREAT | O_WRONLY, 04755, 0};
	return syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how);
}

/* Born with the bit. */
static struct answer set_id_born(char **args)
{
	struct stat st = {0};
	(void)args;
	const char *path = fresh_path("setid");
	umask(0);
	long r = probe_flags() == 0 ? open(path, O_CREAT | O_WRONLY, 04755) : probe_flags() == 1 ?
			open2(path) : mknod(path, S_IFREG | 04755, 0);
	struct answer a = result(r);
	if (r >= 0 && stat(path, &st) == 0)
		a = st.st_mode & S_ISUID ? leak("a set-user-ID file") : absent("the bit");
	unlink(path);
	return a;
}

static struct answer become_root(char **args)
{
	(void)args;
	return getuid() == 0 ? leak("runs as root") : result(setresuid(0, 0, 0));
}

/* Meant for a copy of this program that has the set-user-ID bit, or is started by one. */
static struct answer effective(char **args)
{
	uid_t r, e, s;
	gid_t rg, eg, sg;
	(void)args;
	getresuid(&r, &e, &s);
	getresgid(&rg, &eg, &sg);
	return r != e || r != s || rg != eg || rg != sg ? leak("uid %d, effective %d, saved %d", (int)r,
			(int)e, (int)s) : absent("another user");
}

static struct answer file_caps(char **args)
{
	static const uint32_t cap[5] = {0x02000001, 0xffffffff, 0, 0, 0};
	(void)args;
	const char *path = fresh_path("caps");
	int fd = open(path, O_CREAT | O_WRONLY, 0755);
	if (fd < 0)
		return absent("a place for a file");
	struct answer a = result(fsetxattr(fd, "security.capability", cap, sizeof cap, 0));
	unlink(path);
	return a;
}

/* Lines of /proc/self/status that must be exactly so. */
static const struct { const char *name, *want; } status_lines[] = {
	{"CapInh:", "0000000000000000"}, {"CapPrm:", "0000000000000000"}, {"CapEff:", "0000000000000000"},
	{"CapBnd:", "0000000000000000"},
	{"CapAmb:", "0000000000000000"}, {"NoNewPrivs:", "1"}, {"Seccomp:", "2"},
};
#define STATUS_LINES (sizeof status_lines / sizeof *status_lines)

static struct answer caps(char **args)
{
	char line[256];
	size_t seen = 0;
	(void)args;
	FILE *f = fopen("/proc/self/status", "r");
	if (!f)
		return absent("/proc/self/status");
	while (fgets(line, sizeof line, f)) {
		line[strcspn(line, "\n")] = 0;
		for (size_t i = 0; i < STATUS_LINES; i++) {
			size_t n = strlen(status_lines[i].name);
			if (strncmp(line, status_lines[i].name, n))
				continue;
			seen++;
			if (strcmp(line + n + strspn(line + n, " \t"), status_lines[i].want))
				return leak("%s", line);
		}
	}
	fclose(f);
	return seen == STATUS_LINES ? absent("privileges") : leak("only %zu of the lines are there", seen);
}

static bool has_option(const char *options, const char *name)
{
	size_t n = strlen(name);
	for (const char *p = options; (p = strstr(p, name)); p += n)
		if ((p == options || p[-1] == ',') && (p[n] == ',' || !p[n]))
			return true;
	return false;
}

/*
 * Every mount must ignore set-user-ID bits; the flag asks whether it must be read-only instead, with the
 * writable ones as arguments.
 */
static struct answer mounts(char **args)
{
	char line[1024], point[512], options[256];
	(void)args;
	FILE *f = fopen("/proc/self/mountinfo", "r");
	if (!f)
		return absent("/proc/self/mountinfo");
	while (fgets(line, sizeof line, f))
		if (sscanf(line, "%*s %*s %*s %*s %511s %255s", point, options) == 2 &&
				!has_option(options, "nosuid"))
			return leak("%.100s is %.100s", point, options);
	fclose(f);
	return absent("a mount with set-user-ID bits");
}

static struct answer core(char **args)
{
	struct rlimit r;
	int status;
	(void)args;
	if (getrlimit(RLIMIT_CORE, &r) < 0 || r.rlim_max > 1)
		return leak("the limit is %ld", (long)r.rlim_max);
	pid_t pid = fork();
	if (pid == 0)
		abort();
	waitpid(pid, &status, 0);
	return WIFSIGNALED(status) && WCOREDUMP(status) ? leak("a core was dumped") : absent("core dumps");
}

/* ---- sockets ---- */

#define SOCKET(family, type, protocol) \
	((unsigned long)(family) | (unsigned long)(type) << 8 | (unsigned long)(protocol) << 16)

static struct answer make_socket(char **args)
{
	unsigned long f = probe_flags();
	(void)args;
	return result(socket((int)(f & 0xff), (int)(f >> 8 & 0xff), (int)(f >> 16)));
}

static struct answer socket_high(char **args)
{
	(void)args;
	return result(syscall(SYS_socket, AF_INET + (1L << 32), SOCK_STREAM, 0));
}

static struct answer connect_unix(char **args)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX};
	bool abstract = probe_flags();
	size_t n = strlen(args[0]);
	if (n >= sizeof a.sun_path - 1)
		return absent("room for that name");
	memcpy(a.sun_path + abstract, args[0], n);
	socklen_t len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + abstract + n);
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	return fd < 0 ? result(fd) : result(connect(fd, (struct sockaddr *)&a, len));
}

static struct answer connect_tcp(char **args)
{
	struct sockaddr_in a = {.sin_family = AF_INET};
	if (!args[1] || inet_pton(AF_INET, args[0], &a.sin_addr) != 1)
		return absent("an address and a port");
	a.sin_port = htons((uint16_t)strtoul(args[1], NULL, 10));
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	return fd < 0 ? result(fd) : result(connect(fd, (struct sockaddr *)&a, sizeof a));
}

/* ---- control groups, and what other runs left ---- */

static struct answer cgroup_write(char **args)
{
	static const char *const dirs[] = {"/sys/fs/cgroup", "/sys/fs/cgroup/memory", "/sys/fs/cgroup/pids",
			"/sys/fs/cgroup/cpu", "/sys/fs/cgroup/unified"};
	char path[128];
	int last = ENOENT;
	(void)args;
	for (size_t i = 0; i < sizeof dirs / sizeof *dirs; i++) {
		snprintf(path, sizeof path, "%s/probe-%d", dirs[i], (int)getpid());
		if (mkdir(path, 0755) == 0 && rmdir(path) == 0)
			return leak("a group could be made in %s", dirs[i]);
		last = errno;
		snprintf(path, sizeof path, "%s/cgroup.procs", dirs[i]);
		int fd = open(path, O_WRONLY);
		if (fd >= 0)
			return leak("%s was opened", path);
		last = errno == ENOENT ? last : errno;
	}
	return refused(last);
}

static struct answer sysv(char **args)
{
	static const char *const lists[] = {"/proc/sysvipc/shm", "/proc/sysvipc/sem", "/proc/sysvipc/msg"};
	char line[256];
	(void)args;
	if (shmget(SYSV_KEY, 1, 0) >= 0)
		return leak("shared memory of another run");
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
		FILE *f = fopen(lists[i], "r");
		if (f && fgets(line, sizeof line, f) && fgets(line, sizeof line, f))
			return leak("%s has entries", lists[i]);
		if (f)
			fclose(f);
	}
	return absent("shared memory of others");
}

/* For `sysv` in the next box to find. */
static struct answer sysv_leave(char **args)
{
	(void)args;
	return result(shmget(SYSV_KEY, 4096, IPC_CREAT | 0666));
}

/* Among the processes in /proc: more than init, this one's family, and its starter. */
static struct answer processes(char **args)
{
	int n = 0;
	long max = args[0] ? strtol(args[0], NULL, 10) : 8;
	DIR *d = opendir("/proc");
	for (struct dirent *e; d && (e = readdir(d));)
		n += e->d_name[0] >= '1' && e->d_name[0] <= '9';
	return n > max ? leak("%d processes", n) : absent("other processes");
}

const struct probe probes_box[] = {
	{"fds", fds, 0, NULL},
	{"proc1", proc1, 0, NULL},
	{"proc1-root", init_root, 0, NULL},
	{"proc1-fd", init_fd, 0, NULL},
	{"proc1-mem", init_file, 0, NULL},
	{"proc1-environ", init_file, 1, NULL},
	{"proc1-maps", init_file, 2, NULL},
	{"proc1-auxv", init_file, 3, NULL},
	{"proc1-io", init_file, 4, NULL},
	{"exe-overwrite", overwrite, 0, NULL},
	{"exe-self", overwrite, 1, NULL},
	{"setuid", set_id_file, 0, NULL},
	{"setgid", set_id_file, 1, NULL},
	{"setuid-open", set_id_born, 0, NULL},
	{"setuid-openat2", set_id_born, 1, NULL},
	{"setuid-mknod", set_id_born, 2, NULL},
	{"setuid-root", become_root, 0, NULL},
	{"effective", effective, 0, NULL},
	{"file-caps", file_caps, 0, NULL},
	{"caps", caps, 0, NULL},
	{"mounts", mounts, 0, NULL},
	{"core", core, 0, NULL},
	{"socket-inet", make_socket, SOCKET(AF_INET, SOCK_STREAM, 0), NULL},
	{"socket-inet-high", socket_high, 0, NULL},
	{"socket-inet6", make_socket, SOCKET(AF_INET6, SOCK_STREAM, 0), NULL},
	{"socket-udp", make_socket, SOCKET(AF_INET, SOCK_DGRAM, 0), NULL},
	{"socket-icmp", make_socket, SOCKET(AF_INET, SOCK_RAW, 1), NULL},
	{"netlink", make_socket, SOCKET(AF_NETLINK, SOCK_RAW, 0), NULL},
	{"netlink-netfilter", make_socket, SOCKET(AF_NETLINK, SOCK_RAW, 12), NULL},
	{"netlink-audit", make_socket, SOCKET(AF_NETLINK, SOCK_RAW, 9), NULL},
	{"netlink-uevent", make_socket, SOCKET(AF_NETLINK, SOCK_RAW, 15), NULL},
	{"packet", make_socket, SOCKET(AF_PACKET, SOCK_RAW, 0x300), NULL},
	{"vsock", make_socket, SOCKET(AF_VSOCK, SOCK_STREAM, 0), NULL},
	{"alg", make_socket, SOCKET(AF_ALG, SOCK_SEQPACKET, 0), NULL},
	{"connect-tcp", connect_tcp, 0, "ADDRESS PORT"},
	{"abstract-socket", connect_unix, 1, "NAME"},
	{"unix-connect", connect_unix, 0, "PATH"},
	{"cgroup-write", cgroup_write, 0, NULL},
	{"sysv", sysv, 0, NULL},
	{"sysv-leave", sysv_leave, 0, "ANYTHING"},
	{"processes", processes, 0, NULL},
	{NULL, NULL, 0, NULL},
};
