/*
 * exhaust NAME [SECONDS]: takes all that it can get of something that the kernel counts for a whole user,
 * says how much that is, and holds it.
 *
 *     inotify    instances              inflight  descriptors in messages that nobody has received
 *     signals    pending signals        queues    POSIX message queues
 *     terminals  pseudo-terminals
 *     epoll      watches, in so many processes as a second argument says
 *
 * exhaust use NAME: a little of it, as ordinary programs need; says "done" or why not.
 *
 * Others try the limits of the box itself:
 *
 *     core       changes the limit of core dumps in every way, and says what it is then
 *     shared MB  shared memory that is not mapped any more but still there
 *     burn S     CPU time in children that nobody waits for, for that many seconds
 *     cpus       takes all CPUs, and says how many it may use
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define FDS_OF_MESSAGE 253 /* the kernel's own bound */
#define MESSAGES_OF_SOCKET 60
#define EVENTS 10000
#define HIGH ((void *)0x100000000ul) /* a pointer whose low half is 0 */

static double seconds(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int send_fds(int to, int n)
{
	int fds[FDS_OF_MESSAGE] = {0};
	char control[CMSG_SPACE(sizeof fds)] = {0}, byte = 'x';
	struct iovec io = {&byte, 1};
	struct msghdr m = {.msg_iov = &io, .msg_iovlen = 1, .msg_control = control,
			.msg_controllen = CMSG_SPACE((size_t)n * sizeof *fds)};
	struct cmsghdr *h = CMSG_FIRSTHDR(&m);

	h->cmsg_level = SOL_SOCKET;
	h->cmsg_type = SCM_RIGHTS;
	h->cmsg_len = CMSG_LEN((size_t)n * sizeof *fds);
	memcpy(CMSG_DATA(h), fds, (size_t)n * sizeof *fds);
	return sendmsg(to, &m, MSG_DONTWAIT) < 0 ? -1 : 0;
}

/* ---- all of it ---- */

static int take_inotify(void)
{
	int n = 0;

	while (inotify_init1(0) >= 0)
		n++;
	return n;
}

static int take_inflight(void)
{
	int n = 0;

	for (;;) {
		int pair[2];

		if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0)
			return n;
		for (int k = 0; k < MESSAGES_OF_SOCKET; k++, n += FDS_OF_MESSAGE)
			if (send_fds(pair[0], FDS_OF_MESSAGE) != 0) {
				if (errno != EAGAIN)
					return n;
				break;
			}
	}
}

static int take_signals(void)
{
	sigset_t all;
	int n = 0;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	while (sigqueue(getpid(), SIGRTMIN + 1, (union sigval){0}) == 0)
		n++;
	return n;
}

static int take_queues(void)
{
	char name[32];
	int n = 0;

	for (;; n++) {
		snprintf(name, sizeof name, "/exhaust-%d-%d", (int)getpid(), n);
		if (mq_open(name, O_CREAT | O_RDWR, 0600, NULL) == (mqd_t)-1)
			return n;
	}
}

static int take_epoll(void)
{
	struct epoll_event e = {.events = EPOLLIN};
	int fds[EVENTS], n = 0, all = 0;

	while (n < EVENTS && (fds[n] = eventfd(0, 0)) >= 0)
		n++;
	for (int k = 0; k < n / 2; k++) /* room for the others */
		close(fds[--n]);
	for (int ep; (ep = epoll_create1(0)) >= 0;)
		for (int i = 0; i < n; i++, all++)
			if (epoll_ctl(ep, EPOLL_CTL_ADD, fds[i], &e) != 0)
				return all;
	return all;
}

static int take_terminals(void)
{
	int n = 0;

	while (open("/dev/ptmx", O_RDWR | O_NOCTTY) >= 0)
		n++;
	return n;
}

/* ---- a little ---- */

static int use_inotify(void)
{
	int fd = inotify_init1(0);

	return fd < 0 ? -1 : inotify_add_watch(fd, "/tmp", IN_CREATE);
}

static int use_inflight(void)
{
	int pair[2];

	return socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0 ? send_fds(pair[0], 3) : -1;
}

static int use_signals(void)
{
	struct sigevent e = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN + 2};
	timer_t t;

	signal(SIGRTMIN + 1, SIG_IGN);
	return sigqueue(getpid(), SIGRTMIN + 1, (union sigval){0}) == 0 ? timer_create(CLOCK_MONOTONIC, &e,
			&t) : -1;
}

static int use_queues(void)
{
	mqd_t q = mq_open("/exhaust-use", O_CREAT | O_RDWR, 0600, NULL);

	return q == (mqd_t)-1 || mq_unlink("/exhaust-use") != 0 ? -1 : mq_close(q);
}

static int use_epoll(void)
{
	struct epoll_event e = {.events = EPOLLIN};
	int ep = epoll_create1(0), fd = eventfd(0, 0);

	return ep < 0 || fd < 0 ? -1 : epoll_ctl(ep, EPOLL_CTL_ADD, fd, &e);
}

static int use_terminals(void)
{
	int fd = posix_openpt(O_RDWR | O_NOCTTY);

	return fd < 0 || grantpt(fd) != 0 ? -1 : unlockpt(fd);
}

static const struct {
	const char *name;
	int (*take)(void);
	int (*use)(void);
} things[] = {
	{"inotify", take_inotify, use_inotify}, {"inflight", take_inflight, use_inflight},
	{"signals", take_signals, use_signals},
	{"queues", take_queues, use_queues}, {"epoll", take_epoll, use_epoll},
	{"terminals", take_terminals, use_terminals},
};

static int use(const char *name)
{
	for (size_t i = 0; i < sizeof things / sizeof *things; i++)
		if (!strcmp(things[i].name, name)) {
			int rc = things[i].use();

			puts(rc < 0 ? strerrorname_np(errno) : "done");
			return rc < 0;
		}
	return 64;
}

/* ---- limits of the box ---- */

static int change_core(void)
{
	struct rlimit zero = {0, 0}, all = {RLIM_INFINITY, RLIM_INFINITY}, old, now;

	mmap(HIGH, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	memcpy(HIGH, &zero, sizeof zero);
	printf("setrlimit %d", setrlimit(RLIMIT_CORE, &zero));
	printf(" raise %d", setrlimit(RLIMIT_CORE, &all));
	printf(" syscall %ld", syscall(SYS_setrlimit, RLIMIT_CORE, &zero));
	printf(" prlimit %d", prlimit(0, RLIMIT_CORE, &zero, NULL));
	printf(" of-itself %d", prlimit(getpid(), RLIMIT_CORE, &zero, NULL));
	printf(" high %ld", syscall(SYS_prlimit64, 0, RLIMIT_CORE, HIGH, NULL));
	printf(" bits %ld", syscall(SYS_prlimit64, 0, RLIMIT_CORE | 1ul << 32, &zero, NULL));
	printf(" both %d", prlimit(0, RLIMIT_CORE, &zero, &old) == 0 ? 0 : errno);
	printf(" high-both %d", syscall(SYS_prlimit64, 0, RLIMIT_CORE, HIGH, &old) == 0 ? 0 : errno);
	if (prlimit(0, RLIMIT_CORE, NULL, &now) != 0 || getrlimit(RLIMIT_CORE, &old) != 0)
		return 1;
	printf(" now %ld %ld %ld\n", (long)now.rlim_cur, (long)now.rlim_max, (long)old.rlim_cur);
	return 0;
}

static int share(size_t total)
{
	const size_t step = (size_t)8 << 20;
	char *p = mmap(NULL, total, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1,
			0);

	for (size_t at = 0; p != MAP_FAILED && at < total; at += step) {
		memset(p + at, 'x', step);
		madvise(p + at, step, MADV_DONTNEED);
	}
	printf("held %zu MB\n", p == MAP_FAILED ? 0 : total >> 20);
	return 0;
}

static int burn(double limit)
{
	double start = seconds(CLOCK_MONOTONIC);
	int n = 0;

	signal(SIGCHLD, SIG_IGN);
	for (; seconds(CLOCK_MONOTONIC) - start < limit; n++) {
		if (!fork()) {
			while (seconds(CLOCK_PROCESS_CPUTIME_ID) < 0.03)
				;
			_exit(0);
		}
		while (wait(NULL) > 0)
			;
	}
	printf("%d\n", n * 30);
	return 0;
}

static int take_cpus(void)
{
	cpu_set_t all, now;
	int rc;

	memset(&all, 0xff, sizeof all);
	rc = sched_setaffinity(0, sizeof all, &all);
	printf("%s ", rc == 0 ? "set" : strerrorname_np(errno));
	sched_getaffinity(0, sizeof now, &now);
	printf("%d\n", CPU_COUNT(&now));
	return 0;
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "", *arg = argc > 2 ? argv[2] : "0";

	if (!strcmp(name, "use"))
		return use(arg);
	if (!strcmp(name, "core"))
		return change_core();
	if (!strcmp(name, "shared"))
		return share((size_t)atol(arg) << 20);
	if (!strcmp(name, "burn"))
		return burn(atof(arg));
	if (!strcmp(name, "cpus"))
		return take_cpus();
	for (int more = argc > 3 ? atoi(argv[3]) : 1; more > 1; more--)
		if (!fork())
			break;
	for (size_t i = 0; i < sizeof things / sizeof *things; i++)
		if (!strcmp(things[i].name, name)) {
			printf("%d\n", things[i].take());
			fflush(stdout);
			usleep((useconds_t)(atof(arg) * 1e6));
			return 0;
		}
	return 64;
}
