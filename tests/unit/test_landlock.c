/* src/sys/landlock: rulesets in force in children, each wall with what must still work beside it. */
#define _GNU_SOURCE
#include "sys/landlock.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <termios.h>

#include "jail.h"
#include "unit.h"

#define PATH_BYTES 256

static char dir[] = "/tmp/caisson-landlock-XXXXXX";

/* Several at once in one call: the names rotate. */
static const char *in_dir(const char *name)
{
	static char paths[4][PATH_BYTES];
	static int next;
	char *p = paths[next++ % 4];
	snprintf(p, PATH_BYTES, "%s/%s", dir, name);
	return p;
}

static int try_open(const char *name, int flags)
{
	int fd = open(in_dir(name), flags | O_CLOEXEC, 0644);
	int why = jail_errno(fd);
	if (fd >= 0)
		close(fd);
	return why;
}

static void make_file(const char *name)
{
	CHECK_INT(try_open(name, O_CREAT | O_WRONLY), 0);
}

static void setup(void)
{
	CHECK(mkdtemp(dir) != NULL);
	CHECK_INT(mkdir(in_dir("ro"), 0755) | mkdir(in_dir("rw"), 0755) | mkdir(in_dir("rw/sub"), 0755) |
			mkdir(in_dir("out"), 0755), 0);
	make_file("ro/file");
	make_file("rw/file");
	make_file("rw/second");
	make_file("rw/third");
	make_file("out/file");
	make_file("out/single");
	CHECK_INT(chmod(in_dir("out/file"), 0755), 0); /* empty, so running it would be ENOEXEC */
}

struct start {
	bool network;
	pid_t outside;              /* a process to signal */
	const char *abstract;       /* a socket to connect to */
};

static void wall(const struct start *s)
{
	int fd = landlock_start(s->network);
	if (fd < 0 || landlock_allow(fd, in_dir("ro"), false) < 0 ||
			landlock_allow(fd, in_dir("rw"), true) < 0 ||
	    landlock_allow(fd, in_dir("out/single"), true) < 0 || landlock_allow(fd, "/dev", true) < 0 ||
	    landlock_allow(fd, "/bin", false) < 0 ||
	    landlock_allow(fd, "/lib", false) < 0 || landlock_allow(fd, "/lib64", false) < 0 ||
	    landlock_enforce(fd) < 0)
		_exit(98);
	close(fd);
}

static const struct wanted {
	const char *what;
	int version; /* from which the kernel enforces it */
	int want;
} files[] = {
	{"read what may be read", 2, 0},
	{"list what may be read", 2, 0},
	{"write what may be read", 2, EACCES},
	{"truncate what may be read", 3, EACCES},
	{"make a file in what may be read", 2, EACCES},
	{"remove from what may be read", 2, EACCES},
	{"write", 2, 0},
	{"truncate", 2, 0},
	{"make a file", 2, 0},
	{"make a directory", 2, 0},
	{"make a link", 2, 0},
	{"make a fifo", 2, 0},
	{"move between writable directories", 2, 0},
	{"link between writable directories", 2, 0},
	{"move to what may be read", 2, EACCES},
	{"move to what is outside", 2, EACCES},
	{"remove", 2, 0},
	{"read what is outside", 2, EACCES},
	{"write what is outside", 2, EACCES},
	{"list what is outside", 2, EACCES},
	{"write a single file that is allowed", 2, 0},
	{"read and write /dev/null", 2, 0},
	{"make a device", 2, EACCES},
	{"mount", 2, EPERM},
	{"run what is outside", 2, EACCES},
};
#define FILES ARRAY_SIZE(files)

static void try_files(int *r, const void *arg)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN};
	wall(arg);
	sigaction(SIGPIPE, &ignore, NULL);
	*r++ = try_open("ro/file", O_RDONLY);
	*r++ = try_open("ro", O_RDONLY | O_DIRECTORY);
	*r++ = try_open("ro/file", O_WRONLY);
	*r++ = jail_errno(truncate(in_dir("ro/file"), 1));
	*r++ = try_open("ro/new", O_CREAT | O_WRONLY);
	*r++ = jail_errno(unlink(in_dir("ro/file")));
	*r++ = try_open("rw/file", O_WRONLY);
	*r++ = jail_errno(truncate(in_dir("rw/file"), 1));
	*r++ = try_open("rw/new", O_CREAT | O_WRONLY);
	*r++ = jail_errno(mkdir(in_dir("rw/newdir"), 0755));
	*r++ = jail_errno(symlink("new", in_dir("rw/link")));
	*r++ = jail_errno(mkfifo(in_dir("rw/fifo"), 0600));
	*r++ = jail_errno(rename(in_dir("rw/file"), in_dir("rw/sub/file")));
	*r++ = jail_errno(link(in_dir("rw/second"), in_dir("rw/sub/second")));
	*r++ = jail_errno(rename(in_dir("rw/second"), in_dir("ro/second")));
	*r++ = jail_errno(rename(in_dir("rw/second"), in_dir("out/second")));
	*r++ = jail_errno(unlink(in_dir("rw/third")));
	*r++ = try_open("out/file", O_RDONLY);
	*r++ = try_open("out/file", O_WRONLY);
	*r++ = try_open("out", O_RDONLY | O_DIRECTORY);
	*r++ = try_open("out/single", O_RDWR);
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	*r++ = null < 0 ? errno : 0;
	*r++ = jail_errno(mknod(in_dir("rw/device"), S_IFCHR | 0600, 0x103));
	*r++ = jail_errno(mount("none", in_dir("rw/sub"), "tmpfs", 0, NULL));
	*r++ = jail_errno(execl(in_dir("out/file"), "file", (char *)NULL));
}

static void check_wanted(const struct wanted *w, size_t n, const int *got)
{
	for (size_t i = 0; i < n; i++)
		if (landlock_version() >= w[i].version && got[i] != w[i].want)
			unit_fail(__FILE__, __LINE__, "%s: %s, want %s", w[i].what, strerror(got[i]),
					strerror(w[i].want));
}

static void test_files(void)
{
	int *r = jail_results();
	struct start s = {0};
	CHECK_INT(jail_run(try_files, r, &s), 0);
	/* An ordinary user hears of the missing privilege first, and that is a refusal as well. */
	for (size_t i = 0; i < FILES; i++)
		if (!strcmp(files[i].what, "make a device") && r[i] == EPERM)
			r[i] = EACCES;
	check_wanted(files, FILES, r);
}

static int bind_tcp(int fd)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	return jail_errno(bind(fd, (struct sockaddr *)&a, sizeof a));
}

static void try_tcp(int *r, const void *arg)
{
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
			.sin_port = htons(1)};
	wall(arg);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	r[0] = fd < 0 ? -1 : bind_tcp(fd);
	r[1] = jail_errno(connect(fd, (struct sockaddr *)&a, sizeof a));
}

static void test_tcp(void)
{
	int *r = jail_results();
	CHECK_INT(jail_run(try_tcp, r, &(struct start){.network = false}), 0);
	CHECK_INT(r[0], EACCES);
	CHECK_INT(r[1], EACCES);
	CHECK_INT(jail_run(try_tcp, r, &(struct start){.network = true}), 0);
	CHECK_INT(r[0], 0);
	CHECK(r[1] != EACCES); /* nobody listens */
}

static int listen_abstract(const char *name)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	snprintf(a.sun_path + 1, sizeof a.sun_path - 1, "%s", name);
	return fd >= 0 && bind(fd, (struct sockaddr *)&a, sizeof a) == 0 && listen(fd, 1) == 0 ? fd : -1;
}

static int connect_abstract(const char *name)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	snprintf(a.sun_path + 1, sizeof a.sun_path - 1, "%s", name);
	return jail_errno(connect(fd, (struct sockaddr *)&a, sizeof a));
}

static void try_scope(int *r, const void *arg)
{
	const struct start *s = arg;
	wall(s);
	r[0] = connect_abstract(s->abstract);
	r[1] = listen_abstract("caisson-landlock-own") < 0;
	r[2] = connect_abstract("caisson-landlock-own");
	r[3] = jail_errno(kill(s->outside, 0));
	pid_t child = fork();
	if (child == 0) {
		pause();
		_exit(0);
	}
	r[4] = jail_errno(kill(child, SIGKILL));
	waitpid(child, NULL, 0);
}

static void test_scope(void)
{
	char name[64];
	int *r = jail_results();
	snprintf(name, sizeof name, "caisson-landlock-%d", (int)getpid());
	int fd = listen_abstract(name);
	CHECK(fd >= 0);
	CHECK_INT(connect_abstract(name), 0); /* it can be reached without the wall */
	CHECK_INT(jail_run(try_scope, r, &(struct start){.outside = getpid(), .abstract = name}), 0);
	CHECK_INT(r[0], EPERM);
	CHECK_INT(r[1], 0);
	CHECK_INT(r[2], 0);
	CHECK_INT(r[3], EPERM);
	CHECK_INT(r[4], 0);
	close(fd);
}

/* A terminal below what may be changed is one; below what may only be read it takes no orders. */
static void try_device(int *r, const void *arg)
{
	struct termios t;
	struct winsize w = {.ws_row = 1};
	int fd = landlock_start(true);
	if (fd < 0 || landlock_allow(fd, "/dev/ptmx", *(const bool *)arg) < 0 ||
			landlock_allow(fd, "/dev/pts", *(const bool *)arg) < 0 || landlock_enforce(fd) < 0)
		_exit(98);
	int pty = open("/dev/ptmx", O_RDONLY | O_NOCTTY | O_CLOEXEC);
	r[0] = pty < 0 ? errno : 0;
	r[1] = jail_errno(tcgetattr(pty, &t));
	r[2] = jail_errno(ioctl(pty, TIOCSWINSZ, &w));
}

static void test_device(void)
{
	int *r = jail_results();
	bool writable = true;
	CHECK_INT(jail_run(try_device, r, &writable), 0);
	CHECK_INT(r[0], 0);
	CHECK_INT(r[1], 0);
	CHECK_INT(r[2], 0);
	writable = false;
	CHECK_INT(jail_run(try_device, r, &writable), 0);
	CHECK_INT(r[0], 0);
	CHECK_INT(r[1], EACCES);
	CHECK_INT(r[2], EACCES);
}

static void test_errors(void)
{
	int fd = landlock_start(false);
	CHECK(fd >= 0);
	CHECK(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	CHECK_INT(landlock_allow(fd, "/nonexistent/x", false), -1);
	CHECK_INT(errno, ENOENT);
	CHECK_INT(landlock_allow(-1, "/dev", false), -1);
	CHECK_INT(errno, EBADF);
	CHECK_INT(landlock_enforce(-1), -1);
	CHECK(errno == EBADF || errno == EPERM); /* EPERM: new privileges could still be gained here */
	close(fd);
}

static void cleanup(void)
{
	static const char *const names[] = {"ro/file", "ro/new", "ro/second", "rw/file", "rw/second",
			"rw/third", "rw/new", "rw/link", "rw/fifo", "rw/device",
		"rw/sub/file", "rw/sub/second", "rw/newdir", "rw/sub", "out/file", "out/single", "out/second",
		"rw", "ro", "out", ""};
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		remove(in_dir(names[i]));
	CHECK(access(dir, F_OK) < 0);
}

static void run_from(int version, void (*fn)(void), const char *name)
{
	char why[64];
	if (landlock_version() >= version) {
		fn();
		unit_result(name);
		return;
	}
	snprintf(why, sizeof why, "Landlock %d is needed, the kernel has %d", version, landlock_version());
	unit_skip(name, why);
}

int main(void)
{
	printf("# Landlock %d\n", landlock_version());
	setup();
	run_from(2, test_files, "test_files");
	run_from(4, test_tcp, "test_tcp");
	run_from(5, test_device, "test_device");
	run_from(6, test_scope, "test_scope");
	run_from(2, test_errors, "test_errors");
	cleanup();
	return unit_end();
}
