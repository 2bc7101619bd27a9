/* Output filter for clients: parent and child. See output_filter.h. */
#define _GNU_SOURCE
#include "run/output_filter.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "record/secret_values.h"
#include "result/normalise.h"
#include "result/redact.h"
#include "run/run.h"
#include "sys/fds.h"
#include "sys/file.h"
#include "sys/process.h"

#define CHUNK ((size_t)64 << 10)
#define HELD_MAX 2 /* bytes */
#define CHILD_CAP ((size_t)256 << 20)

struct lane { /* one stream in the child */
	int from, to;
	struct normaliser normaliser;
	struct redactor *redactor;
	struct buf plain, clean;
};

struct filter_child {
	struct arena *a;
	const struct str *values; /* secret values */
	size_t nvalues;
	struct lane lanes[2];
	char chunk[CHUNK];
};

/* A reader that has gone must not stop the program: its output is read and discarded. */
static void hand_on(struct lane *l)
{
	if (l->to >= 0 && l->clean.n && fd_write_all(l->to, "output", buf_view(&l->clean), NULL) != 0)
		l->to = -1;
	l->clean.n = 0;
}

/*
 * The last bytes of a line may begin a secret, so the redactor holds them back; then streams that share a
 * file would mix. A line end too short to reveal anything is written with its line.
 */
static void complete_line(struct lane *l)
{
	size_t held = redactor_held(l->redactor), n = l->plain.n;

	if (!n || l->plain.p[n - 1] != '\n' || held > HELD_MAX || held > n)
		return;
	buf_add(&l->clean, l->plain.p + n - held, held);
	redactor_hide(l->redactor);
}

static void take_bytes(struct lane *l, struct str bytes)
{
	normaliser_feed(&l->normaliser, bytes);
	redactor_feed(l->redactor, buf_view(&l->plain), &l->clean);
	complete_line(l);
	l->plain.n = 0;
	hand_on(l);
}

static void finish_lane(struct lane *l)
{
	normaliser_end(&l->normaliser);
	redactor_feed(l->redactor, buf_view(&l->plain), &l->clean);
	redactor_end(l->redactor, &l->clean);
	hand_on(l);
	close(l->from);
	l->from = -1;
}

static int filter_output(void *arg)
{
	static const struct normalise_options options = {0}; /* numbers stay as printed */
	struct filter_child *c = arg;

	for (size_t i = 0; i < 2; i++) {
		c->lanes[i].redactor = redactor_new(c->a, c->values, c->nvalues);
		buf_init(&c->lanes[i].plain, c->a, CHILD_CAP);
		buf_init(&c->lanes[i].clean, c->a, CHILD_CAP);
		normaliser_start(&c->lanes[i].normaliser, c->a, &options, &c->lanes[i].plain);
	}
	while (c->lanes[0].from >= 0 || c->lanes[1].from >= 0) {
		struct pollfd p[2] = {{.fd = c->lanes[0].from, .events = POLLIN},
				{.fd = c->lanes[1].from, .events = POLLIN}};

		if (poll(p, 2, -1) < 0 && errno != EINTR)
			return 1;
		for (size_t i = 0; i < 2; i++) {
			ssize_t n = p[i].revents ? read(p[i].fd, c->chunk, sizeof(c->chunk)) : -1;

			if (n > 0)
				take_bytes(&c->lanes[i], str_n(c->chunk, (size_t)n));
			else if (n == 0 || (p[i].revents && errno != EINTR && errno != EAGAIN))
				finish_lane(&c->lanes[i]);
		}
	}
	return 0;
}

/* The child process. After the fork its memory is private. */
static void __attribute__((noreturn)) be_child(struct filter_child *c)
{
	sigset_t all;

	prctl(PR_SET_NAME, "caisson-output");
	sigfillset(&all); /* a person who interrupts the run wants its output; we end when the pipes close */
	sigprocmask(SIG_BLOCK, &all, NULL);
	_exit(arena_run(c->a, filter_output, c) == 0 ? 0 : 1);
}

int output_filter_start(struct arena *a, char *const *environ, struct output_filter *ret, struct err *e)
{
	struct filter_child *c = arena_new(a, struct filter_child);
	int out[2], err[2];
	size_t n = 0;
	struct str *values = secret_values(a, environ, NULL, &n);
	pid_t pid;

	if (pipe2(out, O_CLOEXEC) != 0)
		return err_system(e, "cannot make a pipe");
	if (pipe2(err, O_CLOEXEC) != 0) {
		close(out[0]);
		close(out[1]);
		return err_system(e, "cannot make a pipe");
	}
	pid = process_fork(a);
	if (pid == 0) {
		int keep[] = {STDOUT_FILENO, STDERR_FILENO, out[0], err[0]};

		fds_sort(keep, ARRAY_SIZE(keep));
		fds_keep(keep, ARRAY_SIZE(keep)); /* EOF of any other is for others to see */
		c->a = a;
		c->values = values;
		c->nvalues = n;
		c->lanes[0] = (struct lane){.from = out[0], .to = STDOUT_FILENO};
		c->lanes[1] = (struct lane){.from = err[0], .to = STDERR_FILENO};
		be_child(c);
	}
	*ret = (struct output_filter){.child = pid, .out = pid > 0 ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC,
			10) : -1, .err = pid > 0 ? fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 10) : -1};
	if (pid > 0 && (dup2(out[1], STDOUT_FILENO) < 0 || dup2(err[1], STDERR_FILENO) < 0))
		pid = -1;
	close(out[0]);
	close(out[1]);
	close(err[0]);
	close(err[1]);
	return pid > 0 ? 0 : err_system(e, "cannot start the output filter");
}

bool output_filter_end(struct output_filter *p)
{
	int status;

	if (p->child <= 0)
		return true;
	dup2(p->out, STDOUT_FILENO);
	dup2(p->err, STDERR_FILENO);
	fd_close(&p->out);
	fd_close(&p->err);
	status = process_wait(p->child);
	p->child = 0;
	return status == 0;
}
