/* The twins: what looks like an attack and is ordinary work, and must be done in the box as outside. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <sys/shm.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "probe.h"

#define THREADS 8
#define TRY(call) \
	do { \
		if ((call) < 0) \
			return failed(#call); \
	} while (0)

/* A benign twin that is refused says which call it was. */
static struct answer failed(const char *call)
{
	struct answer a = refused(0);
	snprintf(a.text, sizeof a.text, "%s by %.150s", strerrorname_np(errno), call);
	return a;
}

static void *count(void *arg)
{
	__atomic_fetch_add((int *)arg, 1, __ATOMIC_SEQ_CST);
	return NULL;
}

static struct answer threads(char **args)
{
	pthread_t t[THREADS];
	int n = 0;
	(void)args;
	for (int i = 0; i < THREADS; i++)
		if ((errno = pthread_create(&t[i], NULL, count, &n)))
			return failed("pthread_create");
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	return n == THREADS ? done() : absent("threads");
}

/* This program once more, from wherever fd is; its list of names goes nowhere. */
static struct answer run_again(int fd)
{
	static char *argv[] = {"probe", "list", NULL}, *envp[] = {NULL};
	int status = -1;
	pid_t pid = fork();
	if (pid == 0) {
		dup2(open("/dev/null", O_WRONLY), 1);
		fexecve(fd, argv, envp);
		_exit(127);
	}
	TRY(waitpid(pid, &status, 0));
	errno = status ? ENOEXEC : 0;
	return status ? failed("fexecve") : done();
}

static struct answer memfd_exec(char **args)
{
	struct stat st;
	(void)args;
	int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), fd = memfd_create("probe", MFD_CLOEXEC);
	TRY(from);
	TRY(fd);
	TRY(fstat(from, &st));
	for (off_t at = 0; at < st.st_size;)
		TRY(sendfile(fd, from, &at, (size_t)(st.st_size - at)));
	return run_again(fd);
}

static struct answer exec_self(char **args)
{
	(void)args;
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	TRY(fd);
	return run_again(fd);
}

static struct answer spawn(char **args)
{
	static char *argv[] = {"sh", "-c", "exit 7", NULL}, *envp[] = {NULL};
	pid_t pid;
	int status = -1;
	(void)args;
	if ((errno = posix_spawn(&pid, "/bin/sh", NULL, NULL, argv, envp)))
		return failed("posix_spawn");
	TRY(waitpid(pid, &status, 0));
	return WIFEXITED(status) && WEXITSTATUS(status) == 7 ? done() : absent("the exit status");
}

/* One message from a socket that listens to one that connects. */
static struct answer talk(const struct sockaddr_un *a, socklen_t n)
{
	char c = 0;
	int server = socket(AF_UNIX, SOCK_STREAM, 0), client = socket(AF_UNIX, SOCK_STREAM, 0);
	TRY(server);
	TRY(bind(server, (const struct sockaddr *)a, n));
	TRY(listen(server, 1));
	TRY(connect(client, (const struct sockaddr *)a, n));
	int peer = accept4(server, NULL, NULL, SOCK_CLOEXEC);
	TRY(peer);
	TRY(send(client, "x", 1, 0));
	TRY(recv(peer, &c, 1, 0));
	return c == 'x' ? done() : absent("the message");
}

static struct answer unix_socket(char **args)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX};
	int pair[2];
	(void)args;
	snprintf(a.sun_path, sizeof a.sun_path, "%s", fresh_path("s"));
	struct answer r = talk(&a, sizeof a);
	unlink(a.sun_path);
	TRY(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair));
	return r;
}

static struct answer abstract_own(char **args)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX};
	(void)args;
	snprintf(a.sun_path + 1, sizeof a.sun_path - 1, "probe-%d", (int)getpid());
	return talk(&a, sizeof a);
}

static struct answer pty(char **args)
{
	char name[64], got[8] = "";
	struct termios t;
	struct winsize w = {.ws_row = 24, .ws_col = 80};
	(void)args;
	int master = posix_openpt(O_RDWR | O_NOCTTY);
	TRY(master);
	TRY(grantpt(master));
	TRY(unlockpt(master));
	TRY(-ptsname_r(master, name, sizeof name));
	TRY(setsid());
	int fd = open(name, O_RDWR);
	TRY(fd);
	TRY(ioctl(fd, TIOCSCTTY, 0));
	TRY(tcgetattr(fd, &t));
	TRY(tcsetattr(fd, TCSANOW, &t));
	TRY(ioctl(master, TIOCSWINSZ, &w));
	TRY(write(master, "hi\n", 3));
	TRY(read(fd, got, sizeof got));
	return !strncmp(got, "hi\n", 3) ? done() : absent("what was typed");
}

static struct answer ipc(char **args)
{
	(void)args;
	int id = shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600);
	TRY(id);
	char *p = shmat(id, NULL, 0);
	TRY(p == (void *)-1 ? -1 : 0);
	TRY(shmctl(id, IPC_RMID, NULL));
	int sem = semget(IPC_PRIVATE, 1, IPC_CREAT | 0600);
	TRY(sem);
	TRY(semctl(sem, 0, IPC_RMID));
	return done();
}

static struct answer shm(char **args)
{
	char name[64];
	(void)args;
	snprintf(name, sizeof name, "/probe-%d", (int)getpid());
	int fd = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
	TRY(fd);
	TRY(shm_unlink(name));
	TRY(ftruncate(fd, 4096));
	sem_t *s = sem_open(name, O_CREAT | O_EXCL, 0600, 1);
	TRY(s == SEM_FAILED ? -1 : 0);
	TRY(sem_wait(s));
	TRY(sem_unlink(name));
	return done();
}

static struct answer files(char **args)
{
	char dir[280], a[300], b[300];
	struct timespec times[2] = {{1, 0}, {1, 0}};
	(void)args;
	snprintf(dir, sizeof dir, "%s", fresh_path("files"));
	TRY(mkdir(dir, 0755));
	TRY(chdir(dir));
	TRY(mkdir("sub", 0755));
	int fd = open("a", O_CREAT | O_EXCL | O_RDWR, 0644);
	TRY(fd);
	TRY(write(fd, "text", 4));
	TRY(fchmod(fd, 0755));
	TRY(fchmodat(AT_FDCWD, "sub", 01777, 0));
	TRY(fallocate(fd, 0, 0, 4096));
	TRY(ftruncate(fd, 10));
	TRY(fsync(fd));
	TRY(link("a", "sub/b"));
	TRY(rename("a", "sub/c"));
	TRY(symlink("c", "sub/d"));
	TRY(mkfifo("sub/fifo", 0600));
	TRY(utimensat(AT_FDCWD, "sub/c", times, 0));
	TRY(unlink("sub/b") | unlink("sub/c") | unlink("sub/d") | unlink("sub/fifo") | rmdir("sub"));
	snprintf(a, sizeof a, "%s", dir);
	snprintf(b, sizeof b, "%s-moved", dir);
	TRY(rename(a, b));
	TRY(rmdir(b));
	return done();
}

static struct answer tmpfile_link(char **args)
{
	char name[64];
	(void)args;
	const char *dir = getenv("TMPDIR");
	int fd = open(dir ? dir : "/tmp", O_TMPFILE | O_RDWR, 0600);
	if (fd < 0 && errno == EOPNOTSUPP)
		return done(); /* the file system has none */
	TRY(fd);
	const char *to = fresh_path("tmpfile");
	snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
	TRY(linkat(AT_FDCWD, name, AT_FDCWD, to, AT_SYMLINK_FOLLOW));
	TRY(unlink(to));
	return done();
}

static struct answer events(char **args)
{
	struct epoll_event e = {.events = EPOLLIN}, got;
	struct itimerspec in = {.it_value.tv_nsec = 1000000};
	sigset_t set;
	(void)args;
	int ep = epoll_create1(EPOLL_CLOEXEC), timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC),
			ev = eventfd(0, EFD_CLOEXEC);
	TRY(ep | timer | ev);
	TRY(timerfd_settime(timer, 0, &in, NULL));
	TRY(epoll_ctl(ep, EPOLL_CTL_ADD, timer, &e));
	TRY(epoll_ctl(ep, EPOLL_CTL_ADD, ev, &e));
	TRY(epoll_wait(ep, &got, 1, 5000));
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	TRY(signalfd(-1, &set, SFD_CLOEXEC));
	int in_fd = inotify_init1(IN_CLOEXEC);
	TRY(in_fd);
	TRY(inotify_add_watch(in_fd, "/tmp", IN_CREATE));
	return done();
}

static struct answer devices_work(char **args)
{
	char buf[16];
	(void)args;
	int null = open("/dev/null", O_RDWR), zero = open("/dev/zero", O_RDONLY),
			full = open("/dev/full", O_WRONLY), random = open("/dev/urandom", O_RDONLY);
	TRY(null | zero | full | random);
	TRY(write(null, "x", 1));
	TRY(read(zero, buf, sizeof buf));
	TRY(read(random, buf, sizeof buf));
	TRY(getrandom(buf, sizeof buf, 0));
	return write(full, "x", 1) < 0 && errno == ENOSPC ? done() : absent("a full device");
}

static struct answer proc_self(char **args)
{
	static const char *const names[] = {"status", "maps", "cmdline", "environ", "stat", "fd/0", "mem",
			"limits", "mountinfo", "cgroup"};
	char path[64], exe[256];
	(void)args;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		snprintf(path, sizeof path, "/proc/self/%s", names[i]);
		if (access(path, R_OK) < 0)
			return failed(names[i]);
	}
	TRY(readlink("/proc/self/exe", exe, sizeof exe));
	return done();
}

static struct answer pidfd(char **args)
{
	siginfo_t info;
	(void)args;
	pid_t pid = fork();
	if (pid == 0) {
		pause();
		_exit(0);
	}
	int fd = (int)syscall(SYS_pidfd_open, pid, 0);
	TRY(fd);
	TRY(syscall(SYS_pidfd_send_signal, fd, SIGKILL, NULL, 0));
	TRY(waitid(P_PIDFD, (id_t)fd, &info, WEXITED));
	return done();
}

static struct answer schedule(char **args)
{
	cpu_set_t set;
	struct sched_param p = {0};
	(void)args;
	TRY(sched_getaffinity(0, sizeof set, &set));
	TRY(sched_setaffinity(0, sizeof set, &set));
	TRY(sched_setscheduler(0, SCHED_BATCH, &p));
	TRY(nice(1));
	return done();
}

static struct answer aio(char **args)
{
	aio_context_t ctx = 0;
	(void)args;
	if (syscall(SYS_io_setup, 1, &ctx) < 0)
		return errno == ENOSYS ? done() : failed("io_setup"); /* a kernel built without it */
	TRY(syscall(SYS_io_destroy, ctx));
	return done();
}

static struct answer memory(char **args)
{
	(void)args;
	char *p = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	TRY(p == MAP_FAILED ? -1 : 0);
	TRY(madvise(p, 1 << 20, MADV_DONTNEED));
	p = mremap(p, 1 << 20, 1 << 21, MREMAP_MAYMOVE);
	TRY(p == MAP_FAILED ? -1 : 0);
	TRY(mlock(p, 4096));
	TRY(mprotect(p, 4096, PROT_READ | PROT_EXEC)); /* as a compiler at run time does */
	return done();
}

const struct probe probes_benign[] = {
	{"threads", threads, 0, NULL},
	{"memfd-exec", memfd_exec, 0, NULL},
	{"exec-self", exec_self, 0, NULL},
	{"spawn", spawn, 0, NULL},
	{"unix-socket", unix_socket, 0, NULL},
	{"abstract-own", abstract_own, 0, NULL},
	{"pty", pty, 0, NULL},
	{"ipc", ipc, 0, NULL},
	{"shm", shm, 0, NULL},
	{"files", files, 0, NULL},
	{"tmpfile", tmpfile_link, 0, NULL},
	{"events", events, 0, NULL},
	{"devices-work", devices_work, 0, NULL},
	{"proc-self", proc_self, 0, NULL},
	{"pidfd", pidfd, 0, NULL},
	{"schedule", schedule, 0, NULL},
	{"aio", aio, 0, NULL},
	{"memory", memory, 0, NULL},
	{NULL, NULL, 0, NULL},
};
