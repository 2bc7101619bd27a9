/*
 * Theory of operation:
 * - The caller forks one child and sends it a byte on the stop pipe when all writers have ended.
 * - The child holds every named pipe open for reading and writing, so a writer never waits for a reader, and
 *   the close of a writer is no EOF. It copies each pipe to a memory file of its own.
 * - The child drains the pipes after the stop byte, or when nobody holds the stop pipe any more, and exits.
 *   It allocates nothing and runs no foreign code.
 * - A fork of the caller may end it in the caller's place: then the child is not its own, and a pidfd tells
 *   the end.
 */
#define _GNU_SOURCE
#include "sys/collect.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sys/fds.h"
#include "sys/file.h"
#include "sys/process.h"

#define CHUNK 65536
#define STRANGER_MS 10000

struct collector_work { /* state of the child */
	const struct collector *c;
	int pipes[COLLECT_MAX];
	uint64_t totals[COLLECT_MAX];
};

/* Copies the content. Over the limit, keeps a file that is one byte too long as the mark. */
static void take_bytes(struct collector_work *w, size_t i)
{
	static char chunk[CHUNK];
	ssize_t got;

	while ((got = read(w->pipes[i], chunk, sizeof(chunk))) > 0) {
		w->totals[i] += (uint64_t)got;
		if (w->totals[i] > w->c->max)
			(void)!ftruncate(w->c->files[i], (off_t)w->c->max + 1);
		else if (fd_write_all(w->c->files[i], "report", str_n(chunk, (size_t)got), NULL) != 0)
			w->totals[i] = w->c->max; /* the next byte exceeds the limit */
	}
}

/* Closes all other descriptors: the reporting program may wait for EOF on a pipe of the caller. */
static void shut_pipes(const struct collector_work *w, int stop)
{
	int keep[2 * COLLECT_MAX + 1];
	size_t n = 0;

	keep[n++] = stop;
	for (size_t i = 0; i < w->c->n; i++) {
		keep[n++] = w->pipes[i];
		keep[n++] = w->c->files[i];
	}
	fds_sort(keep, n);
	fds_keep(keep, n);
}

static void collect_pipes(struct collector_work *w, int stop)
{
	struct pollfd p[COLLECT_MAX + 1];

	shut_pipes(w, stop);
	signal(SIGINT, SIG_IGN); /* the caller decides when to stop */
	signal(SIGTERM, SIG_IGN);
	for (size_t i = 0; i < w->c->n; i++)
		p[i] = (struct pollfd){.fd = w->pipes[i], .events = POLLIN};
	p[w->c->n] = (struct pollfd){.fd = stop, .events = POLLIN};
	do {
		if (poll(p, w->c->n + 1, -1) < 0 && errno != EINTR)
			_exit(1);
		for (size_t i = 0; i < w->c->n; i++)
			take_bytes(w, i);
	} while (!p[w->c->n].revents);
	for (size_t i = 0; i < w->c->n; i++)
		take_bytes(w, i);
	_exit(0);
}

static void forget_pipes(struct collector *c)
{
	for (size_t i = 0; i < c->n; i++) {
		fd_close(&c->files[i]);
		unlink(c->paths[i]);
	}
	c->n = 0;
}

static int open_all(struct collector *c, const char *const *paths, size_t n, struct collector_work *w,
	struct err *e)
{
	for (size_t i = 0; i < n; i++) {
		if (mkfifo(paths[i], 0600) != 0)
			return err_system(e, "cannot make the pipe '%s'", paths[i]);
		c->paths[i] = paths[i];
		w->pipes[i] = open(paths[i], O_RDWR | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
		c->files[i] = memfd_create("report", MFD_CLOEXEC);
		c->n++;
		/* others may only write */
		if (w->pipes[i] < 0 || c->files[i] < 0 || fchmod(w->pipes[i], 0200) != 0)
			return err_system(e, "cannot open the pipe '%s'", paths[i]);
	}
	return 0;
}

/* Returns the status of the child; 0 if it is another's. */
static int wait_for_child(struct collector *c)
{
	int status = process_wait(c->pid);

	poll(&(struct pollfd){.fd = c->pidfd, .events = POLLIN}, 1, STRANGER_MS);
	fd_close(&c->pidfd);
	c->pid = 0;
	return status;
}

static void abandon(void *ptr)
{
	struct collector *c = ptr;

	if (c->pid > 0) {
		(void)syscall(SYS_pidfd_send_signal, c->pidfd, SIGKILL, NULL, 0);
		fd_close(&c->stop);
		(void)wait_for_child(c);
	}
	forget_pipes(c);
}

int collector_start(struct arena *a, const char *const *paths, size_t n, size_t max, struct collector *ret,
		struct err *e)
{
	struct collector c = {.max = max};
	struct collector_work w = {.c = &c, .pipes = {-1, -1, -1, -1, -1, -1, -1, -1}};
	int stop[2] = {-1, -1}, rc = -1;

	if (n <= COLLECT_MAX && open_all(&c, paths, n, &w, e) == 0) {
		if (pipe2(stop, O_CLOEXEC) != 0 || (c.pid = process_fork(NULL)) < 0)
			rc = err_system(e, "cannot start collecting reports");
		else if (c.pid == 0)
			collect_pipes(&w, stop[0]);
		else if ((c.pidfd = (int)syscall(SYS_pidfd_open, c.pid, 0)) < 0)
			rc = err_system(e, "cannot start collecting reports");
		else
			rc = 0;
	}
	for (size_t i = 0; i < c.n; i++)
		fd_close(&w.pipes[i]);
	fd_close(&stop[0]);
	if (rc != 0) {
		fd_close(&stop[1]);
		forget_pipes(&c);
		return -1;
	}
	c.stop = stop[1];
	c.a = a;
	*ret = c;
	arena_defer(a, &ret->cleanup, abandon, ret);
	return 0;
}

void collector_end(struct collector *c, struct str *texts, bool *large)
{
	int status;

	if (c->pid <= 0)
		return;
	(void)!write(c->stop, "", 1);
	fd_close(&c->stop);
	status = wait_for_child(c);
	for (size_t i = 0; i < c->n; i++) {
		struct stat st;

		texts[i] = STR("");
		large[i] = status != 0 || fstat(c->files[i], &st) != 0 || (uint64_t)st.st_size > c->max;
		if (!large[i] &&
				(lseek(c->files[i], 0, SEEK_SET) != 0 ||
				fd_read_all(c->a, c->files[i], "report", c->max, &texts[i], NULL) != 0))
			large[i] = true;
	}
	arena_release(c->a, &c->cleanup);
}
