/* Everything the relay gives up before it reads a byte of the box. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "net/relay_inner.h"
#include "sys/fds.h"
#include "sys/landlock.h"
#include "sys/seccomp.h"
#include "sys/title.h"

/* two sockets and two pipes for each connection, and the resolver's */
#define FILES_MAX (6 * RELAY_CONNECTIONS_MAX + RELAY_LISTENERS_MAX + 256)

/* ---- descriptors ---- */

static int lift_fd(int *fd)
{
	if (*fd < 0 || *fd > STDERR_FILENO)
		return 0;
	*fd = fcntl(*fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	return *fd < 0 ? -1 : 0;
}

/* The standard streams become /dev/null: no message of a library may reach a socket that has their number. */
static int keep_descriptor(int *fd)
{
	if (lift_fd(fd) != 0)
		return -1;
	fds_keep(fd, 1);
	for (int std = STDIN_FILENO; std <= STDERR_FILENO; std++)
		if (open("/dev/null", O_RDWR | O_CLOEXEC) != std)
			return -1;
	return 0;
}

/* ---- identity and limits ---- */

static int drop_capabilities(void)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {{0}};
	return (int)syscall(SYS_capset, &head, none);
}

static int take_identity(const struct relay_request *rq)
{
	bool root = geteuid() == 0 && (rq->uid != 0 || rq->gid != 0);
	if (root && (setgroups(0, NULL) != 0 || setresgid(rq->gid, rq->gid, rq->gid) != 0 ||
			setresuid(rq->uid, rq->uid, rq->uid) != 0))
		return -1;
	return drop_capabilities();
}

static void default_signals(void)
{
	sigset_t none;
	for (int s = 1; s < NSIG; s++)
		signal(s, SIG_DFL);
	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static void set_limits(void)
{
	struct rlimit files;
	/* A core limit of 1 also keeps the kernel from starting the host's core dump handler. */
	setrlimit(RLIMIT_CORE, &(struct rlimit){1, 1});
	setrlimit(RLIMIT_FSIZE, &(struct rlimit){0, 0});
	if (getrlimit(RLIMIT_NOFILE, &files) != 0)
		return;
	files.rlim_cur = files.rlim_max < FILES_MAX ? files.rlim_max : FILES_MAX;
	setrlimit(RLIMIT_NOFILE, &files);
}

int relay_settle(const struct relay_request *rq, int *lifeline, pid_t parent, struct err *e)
{
	default_signals();
	title_set("relay");
	setsid(); /* signals of a terminal are for the program, whose connections end with it */
	set_limits();
	if (keep_descriptor(lifeline) != 0)
		return err_system(e, "cannot prepare the relay's descriptors");
	if (take_identity(rq) != 0)
		return err_system(e, "the relay cannot become user %u", rq->uid);
	/* a change of the user clears both */
	if (prctl(PR_SET_PDEATHSIG, rq->outlives ? 0 : SIGKILL) != 0 || prctl(PR_SET_DUMPABLE, 0) != 0 ||
			(getppid() != parent && !rq->outlives))
		return err_system(e, "the relay cannot follow the launcher");
	if (chdir("/") != 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		return err_system(e, "cannot confine the relay");
	return 0;
}

/* ---- confinement ---- */

/* c-ares reads /etc/hosts for each query; everything else was read before. */
static int confine_files(void)
{
	int rules = landlock_start(true);
	if (rules < 0)
		return errno == EOPNOTSUPP ? 0 : -1; /* the filter stands alone on this kernel */
	int done = landlock_allow(rules, "/etc/hosts", false) == 0 || errno == ENOENT ? 0 : -1;
	if (done == 0)
		done = landlock_enforce(rules);
	int why = errno;
	close(rules);
	errno = why;
	return done;
}

/* Tokens and passwords of the environment have no business in a process that reads hostile bytes. */
static void wipe_environment(void)
{
	for (char **v = environ; v && *v; v++)
		explicit_bzero(*v, strlen(*v));
}

int relay_confine(struct err *e)
{
	static const unsigned short calls[] = {
		/* bytes */
		SYS_read, SYS_write, SYS_readv, SYS_writev, SYS_close, SYS_splice, SYS_pipe2, SYS_fcntl,
		SYS_ioctl,
		/* sockets */
		SYS_socket, SYS_connect, SYS_accept4, SYS_shutdown, SYS_getsockname, SYS_getpeername,
		SYS_getsockopt, SYS_setsockopt, SYS_sendto, SYS_recvfrom, SYS_sendmsg, SYS_recvmsg,
#ifdef SYS_epoll_wait
		SYS_epoll_wait,
#endif
		SYS_epoll_pwait, SYS_epoll_ctl,
		/* /etc/hosts */
		SYS_openat, SYS_newfstatat, SYS_fstat, SYS_lseek,
		/* memory and the end */
		SYS_mmap, SYS_munmap, SYS_mremap, SYS_mprotect, SYS_madvise, SYS_brk, SYS_exit,
		SYS_exit_group, SYS_getpid, SYS_gettid, SYS_tgkill, SYS_rt_sigreturn, SYS_rt_sigprocmask,
		SYS_restart_syscall, SYS_clock_gettime, SYS_gettimeofday, SYS_getrandom, SYS_futex,
	};
	wipe_environment();
	if (confine_files() != 0)
		return err_system(e, "cannot confine the relay with Landlock");
	/* the first refuses unusual sockets and other architectures, the second every other call */
	int why = seccomp_load(true, false);
	if (!why)
		why = seccomp_only(calls, ARRAY_SIZE(calls));
	return why ? err_set(e, ERR_SYSTEM, why, "cannot load the relay's system call filter") : 0;
}
