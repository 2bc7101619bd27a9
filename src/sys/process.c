/* Runs another program; process.h has the theory. */
#define _GNU_SOURCE
#include "sys/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sys/clock.h"
#include "sys/file.h"

#define SLICE_MS 10     /* polling interval for the child on a kernel without pidfd */
#define FDS_MAX 65536   /* descriptors closed one by one on a kernel without close_range */
#define READ_MAX 65536  /* bytes of one read */
#define SINK_BYTES 16384 /* bytes of one piece of output */

struct pipes {
	int input;               /* memory file */
	int out[2], status[2];   /* [0] parent's end, [1] child's end */
};

struct child {
	pid_t pid;
	int pidfd;               /* -1 on a kernel without pidfd */
	int64_t deadline;        /* ms on the monotonic clock */
	bool out_ended, status_ended, exited;
	int errnum;              /* reason why it could not be started */
	bool too_much;
};

/* ---- pipes ---- */

static void pipes_close(struct pipes *p)
{
	int *const all[] = {&p->input, &p->out[0], &p->out[1], &p->status[0], &p->status[1]};

	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		fd_close(all[i]);
}

/* Moves a descriptor above the standard streams, so that dup2() in the child never overwrites it. */
static int lift_fd(int *fd)
{
	int up;

	if (*fd > STDERR_FILENO)
		return 0;
	up = fcntl(*fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (up < 0)
		return -1;
	close(*fd);
	*fd = up;
	return 0;
}

static int pipes_open(struct pipes *p, struct str input, struct err *e)
{
	p->input = memfd_create("input", MFD_CLOEXEC);
	if (p->input < 0 || pipe2(p->out, O_CLOEXEC) != 0 || pipe2(p->status, O_CLOEXEC) != 0)
		return err_system(e, "cannot make a pipe");
	if (lift_fd(&p->input) || lift_fd(&p->out[0]) || lift_fd(&p->out[1]) || lift_fd(&p->status[0]) ||
			lift_fd(&p->status[1]))
		return err_system(e, "cannot make a pipe");
	if (fcntl(p->out[0], F_SETFL, O_NONBLOCK) != 0 || fcntl(p->status[0], F_SETFL, O_NONBLOCK) != 0)
		return err_system(e, "cannot make a pipe");
	if (fd_write_all(p->input, "the input of a program", input, e) != 0)
		return -1;
	return lseek(p->input, 0, SEEK_SET) == 0 ? 0 : err_system(e, "cannot rewind the input of a program");
}

/* ---- the child: nothing here allocates ---- */

static void child_signals(void)
{
	sigset_t none;

	for (int s = 1; s < NSIG; s++)
		signal(s, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static void child_close_others(void)
{
	if (syscall(SYS_close_range, STDERR_FILENO + 1, ~0u, 4u /* CLOSE_RANGE_CLOEXEC */) == 0)
		return;
	for (int fd = STDERR_FILENO + 1; fd < FDS_MAX; fd++)
		fcntl(fd, F_SETFD, FD_CLOEXEC);
}

static void __attribute__((noreturn)) child_run(const struct process_request *rq, const struct pipes *p,
		pid_t parent)
{
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC), why;

	if (null >= 0 && lift_fd(&null) != 0)
		null = -1;
	setpgid(0, 0);
	child_signals();
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() == parent && null >= 0 && chdir("/") == 0 && dup2(p->input, STDIN_FILENO) >= 0 &&
			dup2(p->out[1], STDOUT_FILENO) >= 0 &&
	    dup2(null, STDERR_FILENO) >= 0) {
		child_close_others();
		execve(rq->path, rq->argv, rq->envp);
	}
	why = errno ? errno : EINVAL;
	if (write(p->status[1], &why, sizeof(why)) < 0)
		_exit(126);
	_exit(127);
}

/* ---- the parent ---- */

static void take_status(struct child *c, int fd)
{
	int why = 0;
	ssize_t n = read(fd, &why, sizeof(why));

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	c->status_ended = true;
	if (n == (ssize_t)sizeof(why))
		c->errnum = why;
}

static void pass_output(struct child *c, int fd, const struct process_request *rq)
{
	char piece[SINK_BYTES];

	while (!c->out_ended && clock_now_ms() < c->deadline) {
		ssize_t got = fd_read(fd, piece, sizeof piece);

		if (got < 0 && errno == EAGAIN)
			return;
		if (got <= 0)
			c->out_ended = true;
		else
			rq->sink(rq->sink_ctx, piece, (size_t)got);
	}
}

/* Reads all available output. More data than the buffer holds is too much. */
static void take_output(struct child *c, int fd, const struct process_request *rq, size_t *n)
{
	char spill;

	if (rq->sink) {
		pass_output(c, fd, rq);
		return;
	}
	while (!c->out_ended && !c->too_much) {
		size_t room = rq->output_max - *n;
		ssize_t got = room ? fd_read(fd, rq->output + *n, room < READ_MAX ? room : READ_MAX) :
				fd_read(fd, &spill, 1);

		if (got < 0 && errno == EAGAIN)
			return;
		if (got <= 0)
			c->out_ended = true;
		else if (!room)
			c->too_much = true;
		else
			*n += (size_t)got;
	}
}

static bool has_exited(const struct child *c)
{
	siginfo_t si = {0};

	return waitid(P_PID, (id_t)c->pid, &si, WEXITED | WNOHANG | WNOWAIT) == 0 && si.si_pid == c->pid;
}

/* Waits until the child exits, writes too much, fails to start, or the time is over. */
static void watch_child(struct child *c, const struct pipes *p, const struct process_request *rq, size_t *n)
{
	while (!c->exited && !c->too_much && !c->errnum) {
		struct pollfd fds[] = {{.fd = c->out_ended ? -1 : p->out[0], .events = POLLIN},
				{.fd = c->status_ended ? -1 : p->status[0], .events = POLLIN},
				{.fd = c->pidfd, .events = POLLIN}};
		int64_t left = c->deadline - clock_now_ms();

		if (left <= 0)
			return;
		if (c->pidfd < 0 && left > SLICE_MS)
			left = SLICE_MS;
		if (poll(fds, 3, (int)left) < 0 && errno != EINTR)
			return;
		c->exited = has_exited(c); /* check before reading: after the exit the output is complete */
		if (!c->status_ended)
			take_status(c, p->status[0]);
		take_output(c, p->out[0], rq, n);
	}
}

int process_wait(pid_t pid)
{
	int status = 0;

	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

static int reap_child(const struct child *c)
{
	int status;

	kill(-c->pid, SIGKILL);
	kill(c->pid, SIGKILL); /* in case it has no group yet */
	status = process_wait(c->pid);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

pid_t process_fork_heir(void) { return fork(); }

pid_t process_fork(struct arena *a)
{
	pid_t pid = fork();

	if (!pid && a)
		arena_disown(a);
	return pid;
}

static int start_child(const struct process_request *rq, struct pipes *p, struct child *c, struct err *e)
{
	pid_t parent = getpid();

	c->deadline = clock_now_ms() + rq->timeout_ms;
	c->pid = process_fork(NULL);
	if (c->pid < 0)
		return err_system(e, "cannot start '%s'", rq->path);
	if (!c->pid)
		child_run(rq, p, parent);
	setpgid(c->pid, c->pid); /* the child does it too; either may be first */
	fd_close(&p->out[1]);
	fd_close(&p->status[1]);
	c->pidfd = (int)syscall(SYS_pidfd_open, c->pid, 0);
	return 0;
}

int process_ask(const struct process_request *rq, struct process_result *ret, struct err *e)
{
	struct pipes p = {-1, {-1, -1}, {-1, -1}};
	struct child c = {.pidfd = -1};
	struct process_result r = {0};
	struct sigaction before, plain = {.sa_handler = SIG_DFL};

	if (rq->input.n > PROCESS_INPUT_MAX)
		return err_limit(e, "the input of '%s' is longer than %zu bytes", rq->path,
				PROCESS_INPUT_MAX);
	if (pipes_open(&p, rq->input, e) != 0) {
		pipes_close(&p);
		return -1;
	}
	/* if SIGCHLD were ignored, the kernel would reap the child and reuse its pid */
	sigaction(SIGCHLD, &plain, &before);
	int started = start_child(rq, &p, &c, e);
	if (started == 0) {
		watch_child(&c, &p, rq, &r.n);
		r.status = reap_child(&c);
	}
	sigaction(SIGCHLD, &before, NULL);
	fd_close(&c.pidfd);
	pipes_close(&p);
	if (started != 0)
		return -1;
	if (c.errnum)
		return err_set(e, ERR_SYSTEM, c.errnum, "cannot start '%s'", rq->path);
	if (c.too_much)
		return err_limit(e, "'%s' wrote more than %zu bytes", rq->path, rq->output_max);
	if (!c.exited)
		return err_limit(e, "'%s' took longer than %u ms", rq->path, rq->timeout_ms);
	*ret = r;
	return 0;
}
