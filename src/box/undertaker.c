/* See undertaker.h. */
#define _GNU_SOURCE
#include "box/undertaker.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sys/fds.h"
#include "sys/file.h"
#include "sys/process.h"

#define UNDERTAKER_PATIENCE_MS 10000
#define UNDERTAKER_BURY_SECONDS 20
#define UNDERTAKER_CALL_SECONDS 60
#define UNDERTAKER_LATER_MS 300000

/*
 * Waits for the box's pid 1, whose exit means that its namespace is empty. The undertaker never kills by pid:
 * PDEATHSIG ends pid 1 with the launcher. False: it is still there.
 */
static bool wait_for_box(const pid_t *box)
{
	int fd = box && *box > 0 ? (int)syscall(SYS_pidfd_open, *box, 0) : -1;
	bool ended;

	if (fd < 0)
		return true;
	ended = poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, UNDERTAKER_PATIENCE_MS) > 0;
	close(fd);
	return ended;
}

/* In a child: it allocates, and the launcher may have died in the middle of that. */
static void call_before(const struct undertaker_call *c)
{
	pid_t pid = c && c->fn ? process_fork(NULL) : -1;

	if (!pid) {
		alarm(UNDERTAKER_CALL_SECONDS);
		c->fn(c->ctx);
		_exit(0);
	}
	process_wait(pid);
}

static int undertake(void *arg)
{
	/* errno is shared with the launcher: while the launcher lives, no call may fail here */
	const struct undertaker *w = arg;
	char word;
	ssize_t n;

	setsid();
	/*
	 * Closes everything but the descriptors that it needs, among them its end of the pipe: readers of the
	 * launcher's output must see EOF when the launcher ends.
	 */
	fds_keep(w->keep, w->nkeep);
	n = fd_read(w->life[0], &word, 1);
	if (n == 0) {
		call_before(w->before);
		if (w->cg) {
			cg_kill(w->cg);
			cg_remove(w->cg);
		}
		if (w->protect) {
			bool ended = wait_for_box(w->box);

			/* the launcher's death may have left anything half done */
			alarm(UNDERTAKER_BURY_SECONDS);
			protect_bury(w->protect, ended);
		}
	}
	_exit(0);
}

static size_t list_group(const struct cgroup *cg, int *ret)
{
	size_t n = 0;

	for (size_t i = 0; cg && i < cg->n; i++) {
		ret[n++] = cg->dirs[i].parent;
		if (cg->dirs[i].fd >= 0)
			ret[n++] = cg->dirs[i].fd;
	}
	return n;
}

static void list_needed(struct undertaker *u)
{
	u->keep[0] = u->life[0];
	u->nkeep = 1 + list_group(u->cg, u->keep + 1);
	if (u->protect)
		u->nkeep += protect_fds(u->protect, u->keep + u->nkeep);
	fds_sort(u->keep, u->nkeep);
}

int undertaker_start(struct undertaker *u, struct cgroup *cg, struct protect *protect, struct err *e)
{
	if (pipe2(u->life, O_CLOEXEC) != 0)
		return err_system(e, "cannot make a pipe");
	u->cg = cg;
	u->protect = protect;
	list_needed(u);
	u->pid = clone(undertake, u->stack + UNDERTAKER_STACK, CLONE_VM | SIGCHLD, u);
	if (u->pid > 0)
		return 0;
	u->pid = 0;
	fd_close(&u->life[0]);
	fd_close(&u->life[1]);
	return err_system(e, "cannot start the process that cleans up");
}

int undertaker_dismiss(struct undertaker *u)
{
	int pid = u->pid;

	if (!pid)
		return 0;
	if (u->adopted) {
		(void)!write(u->life[1], "", 1);
		pid = 0;
	} else
		kill(pid, SIGKILL);
	fd_close(&u->life[0]);
	fd_close(&u->life[1]);
	u->pid = 0;
	return pid;
}

/*
 * Forked, unlike the undertaker: the launcher's memory may be reused by then. Its parent exits at once, so
 * nobody has to wait for it.
 */
void undertaker_later(struct cgroup *cg, int pidfd)
{
	int keep[1 + 2 * CG_HIERARCHIES_MAX] = {pidfd};
	pid_t pid = process_fork(NULL);
	size_t n;

	if (pid < 0)
		return; /* the cgroup is empty soon; the next launcher removes it */
	while (pid > 0)
		if (waitpid(pid, NULL, 0) >= 0 || errno != EINTR)
			return;
	if (process_fork(NULL) != 0)
		_exit(0);
	setsid();
	n = 1 + list_group(cg, keep + 1);
	fds_sort(keep, n);
	fds_keep(keep, n);
	poll(&(struct pollfd){.fd = pidfd, .events = POLLIN}, 1, UNDERTAKER_LATER_MS);
	cg_remove(cg);
	_exit(0);
}
