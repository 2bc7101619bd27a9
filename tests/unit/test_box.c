/*
 * The seam of the backends: box_run() and supervise_box() over a backend that is not the native one. This
 * backend isolates nothing: it starts the program as an ordinary child with three pipes, and the test says
 * what it uses. Streams, limits, statuses, progress and the protection of the workspace must work all the
 * same.
 *
 *   launcher (this test)  ── fork, exec ──► the program, in a process group of its own
 *     pidfd               an event: the program has ended
 *     oom_event           an event: the kernel killed for memory, if the test says so
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "box/backend.h"
#include "place.h"
#include "sys/clock.h"

struct plain { /* the backend's data, and what the test wants of it */
	int pidfd, oom_event;
	uint64_t memory, cpu_ms;   /* what usage() says */
	bool watched, oom, fail_begin, fail_start, mute;
	unsigned begins, fits, starts, kills, stops;
	enum box_stop stopped;
	size_t nops;               /* operations of the plan */
};

static struct plain plain;

static int plain_begin(struct box_state *b, const struct spec *s, struct err *e)
{
	(void)s;
	plain.begins++;
	plain.pidfd = plain.oom_event = -1;
	b->own = &plain;
	return plain.fail_begin ? err_host(e, "cannot begin") : 0;
}

static bool plain_fits(struct box_state *b, const struct spec *s)
{
	(void)b;
	plain.fits++;
	return !network_has_sockets(&s->network);
}

static void run_program(const struct spec *s, int in, int out, int err)
{
	setpgid(0, 0);
	if (dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0 ||
			(s->workspace.n && chdir(s->workspace.p) != 0))
		_exit(99);
	execv(s->argv[0], s->argv);
	_exit(98);
}

static int plain_start(struct box_state *b, struct err *e)
{
	int in[2], out[2], err[2];

	plain.starts++;
	for (const struct op *op = b->ops.first; op; op = op->next)
		plain.nops++;
	if (plain.fail_start)
		return err_host(e, "cannot start");
	if (!plain.mute && box_before_program(b, e) != 0)
		return -1;
	CHECK(pipe2(in, O_CLOEXEC) == 0 && pipe2(out, O_CLOEXEC) == 0 && pipe2(err, O_CLOEXEC) == 0);
	b->in.to = in[1];
	b->out.fd = out[0];
	b->err.fd = err[0];
	CHECK(fcntl(in[1], F_SETFL, O_NONBLOCK) == 0 && fcntl(out[0], F_SETFL, O_NONBLOCK) == 0 &&
			fcntl(err[0], F_SETFL, O_NONBLOCK) == 0);
	fflush(stdout);
	b->memory_watched = plain.watched;
	b->started = clock_now();
	b->init = fork();
	if (!b->init)
		run_program(b->spec, in[0], out[1], err[1]);
	setpgid(b->init, b->init);
	close(in[0]);
	close(out[1]);
	close(err[1]);
	plain.pidfd = (int)syscall(SYS_pidfd_open, b->init, 0);
	plain.oom_event = plain.oom ? eventfd(1, EFD_CLOEXEC) : -1;
	return 0;
}

static void handle_end(void *ctx, short revents)
{
	struct box_state *b = ctx;
	siginfo_t si = {0};

	(void)revents;
	if (waitid(P_PID, (id_t)b->init, &si, WEXITED | WNOWAIT) != 0)
		return;
	b->events.status = si.si_code == CLD_EXITED ? si.si_status << 8 : si.si_status;
	b->events.ended = b->events.gone = true;
}

static void handle_oom(void *ctx, short revents)
{
	struct box_state *b = ctx;

	(void)revents;
	b->events.oom = true;
}

static void plain_add_sources(struct box_state *b, struct sources *ret)
{
	sources_add(ret, (struct pollfd){.fd = plain.pidfd, .events = POLLIN}, handle_end, b);
	if (!plain.kills)
		sources_add(ret, (struct pollfd){.fd = plain.oom_event, .events = POLLIN}, handle_oom, b);
}

static void plain_take_events(struct box_state *b) { (void)b; }

static void plain_kill(struct box_state *b)
{
	plain.kills++;
	kill(-b->init, SIGKILL);
}

static void plain_usage(struct box_state *b, unsigned wanted, struct box_usage *ret)
{
	(void)b;
	ret->memory = wanted & USAGE_MEMORY ? plain.memory : 0;
	ret->cpu_ms = wanted & USAGE_CPU ? plain.cpu_ms : 0;
	ret->oom_kills = wanted & USAGE_PEAK && plain.oom;
}

static bool plain_all_exiting(struct box_state *b) { return b->events.gone; }

static void plain_enforcers(const struct box_state *b, struct enforced *ret)
{
	(void)b;
	*ret = (struct enforced){.time = ENFORCED_TIMER, .output = ENFORCED_PIPE};
}

static void plain_stop(struct box_state *b, enum box_stop how)
{
	plain.stops++;
	plain.stopped = how;
	fd_close(&plain.pidfd);
	fd_close(&plain.oom_event);
	if (how != STOP_NOW) {
		box_leave(b, b->init);
		return;
	}
	if (b->init > 0) {
		kill(-b->init, SIGKILL);
		while (waitpid(b->init, NULL, 0) < 0 && errno == EINTR)
			;
	}
	b->init = 0;
}

static const struct backend backend_plain = {
	.name = "plain", .begin = plain_begin, .fits = plain_fits, .start = plain_start,
	.add_sources = plain_add_sources, .take_events = plain_take_events, .kill = plain_kill,
	.usage = plain_usage,
	.all_exiting = plain_all_exiting, .enforcers = plain_enforcers, .stop = plain_stop,
};

/* ---- runs ---- */

static char *script[] = {"/bin/sh", "-c", NULL, NULL};

static struct spec spec_for(const char *text)
{
	script[2] = (char *)(uintptr_t)text;
	return (struct spec){
		.argv = script, .home = STR("/home/dev"), .input = -1,
		.limits = {.cpu_milli = 1000, .pids = 20, .memory = 64 * MB, .scratch = MB, .output = MB,
		.time_ms = 20000},
	};
}

/* The same run, whatever was begun. The outcome's streams stay open until the box is ended. */
static int run_in(struct box *box, const struct spec *s, struct outcome *ret, struct err *e)
{
	*ret = (struct outcome){0};
	return box_run(box, A, &backend_plain, &(struct box_start){0}, s, NULL, ret, e);
}

static struct outcome run(const struct spec *s)
{
	struct box box = {0};
	struct outcome o;
	struct err e = {0};

	if (run_in(&box, s, &o, &e) != 0)
		unit_fail(__FILE__, __LINE__, "box_run: %s", e.text);
	box_wait(&box, &o);
	return o;
}

static void test_streams_and_status(void)
{
	struct spec s = spec_for("echo out; echo err >&2; exit 3");
	struct outcome o;

	plain = (struct plain){0};
	o = run(&s);
	CHECK_INT(o.status, STATUS_EXIT_NONZERO);
	CHECK_INT(o.exit_code, 3);
	CHECK_STR(o.out.text, "out\n");
	CHECK_STR(o.err.text, "err\n");
	CHECK_STR(str_of(o.backend), "plain");
	CHECK_INT(o.enforced.time, ENFORCED_TIMER);
	CHECK(plain.nops > 5); /* the plan of the root */
	CHECK_INT(plain.kills, 0);
	CHECK_INT(plain.stopped, STOP_LATER);

	s = spec_for("kill -9 $$");
	o = run(&s);
	CHECK_INT(o.status, STATUS_SIGNAL);
	CHECK_INT(o.signal, 9);
	s = spec_for("true");
	o = run(&s);
	CHECK_INT(o.status, STATUS_OK);
}

static void test_input(void)
{
	struct spec s = spec_for("cat");
	FD_CLEANUP int fd = open(at("input"), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	struct outcome o;

	CHECK(write(fd, "given\n", 6) == 6 && lseek(fd, 0, SEEK_SET) == 0);
	plain = (struct plain){0};
	s.input = fd;
	o = run(&s);
	CHECK_STR(o.out.text, "given\n");
	s.input = -1; /* EOF at once */
	o = run(&s);
	CHECK_INT(o.status, STATUS_OK);
	CHECK_STR(o.out.text, "");
}

static void test_limits(void)
{
	struct spec s = spec_for("sleep 30 & sleep 30");
	struct outcome o;

	plain = (struct plain){0};
	s.limits.time_ms = 100;
	o = run(&s);
	CHECK_INT(o.status, STATUS_TIMEOUT);
	CHECK(o.duration_ms >= 100 && o.duration_ms < 10000 && !o.by_cpu_time);
	CHECK_INT(plain.kills, 1);

	plain = (struct plain){.cpu_ms = 70};
	s.limits.time_ms = 20000;
	s.limits.cpu_ms = 50;
	o = run(&s);
	CHECK_INT(o.status, STATUS_TIMEOUT);
	CHECK(o.by_cpu_time && o.cpu_ms == 70);

	plain = (struct plain){.watched = true, .memory = 100 * MB};
	s.limits.cpu_ms = 0;
	o = run(&s);
	CHECK_INT(o.status, STATUS_OOM);
	CHECK(o.peak_memory == 100 * MB && !o.peak_by_cgroup);

	plain = (struct plain){.memory = 100 * MB}; /* something else enforces it */
	s = spec_for("true");
	o = run(&s);
	CHECK_INT(o.status, STATUS_OK);

	plain = (struct plain){.oom = true};
	s = spec_for("sleep 30");
	o = run(&s);
	CHECK_INT(o.status, STATUS_OOM);

	plain = (struct plain){0};
	s = spec_for("yes");
	s.limits.output = 100000;
	o = run(&s);
	CHECK_INT(o.status, STATUS_OUTPUT_LIMIT);
	CHECK_INT(o.out.text.n, 100000);
}

static void test_interrupted(void)
{
	struct spec s = spec_for("kill -TERM $PPID; sleep 30");
	struct outcome o;
	sigset_t term, before;

	plain = (struct plain){0};
	sigemptyset(&term);
	sigaddset(&term, SIGTERM);
	sigprocmask(SIG_BLOCK, &term, &before); /* the program may be faster than the supervisor */
	o = run(&s);
	sigprocmask(SIG_SETMASK, &before, NULL);
	CHECK_INT(o.status, STATUS_UNKNOWN);
	CHECK_INT(o.interrupted, SIGTERM);
}

/* ---- begin ---- */

static void test_begin(void)
{
	struct spec s = spec_for("true");
	struct box box = {0};
	struct outcome o;
	struct err e = {0};

	plain = (struct plain){0};
	box_begin(&box, A, &backend_plain);
	CHECK(box.begun && plain.begins == 1);
	CHECK_INT(run_in(&box, &s, &o, &e), 0); /* used */
	CHECK(!box.begun && plain.begins == 1 && plain.fits == 1 && plain.stops == 1);
	box_wait(&box, &o);

	s.network.mode = NETWORK_LOOPBACK;
	box_begin(&box, A, &backend_plain);
	CHECK_INT(run_in(&box, &s, &o, &e), 0); /* does not fit: discarded, and another is begun */
	CHECK(plain.begins == 3 && plain.stops == 3);
	box_wait(&box, &o);

	s.network.mode = NETWORK_DENY;
	box_begin(&box, A, box_backend(NULL));
	CHECK_INT(run_in(&box, &s, &o, &e), 0); /* of another backend: discarded */
	CHECK(plain.begins == 4 && plain.fits == 2);
	box_wait(&box, &o);

	box_begin(&box, A, &backend_plain); /* never run */
	box_discard(&box);
	box_discard(&box);
	CHECK(!box.begun && plain.begins == 5 && plain.stops == 5 && plain.starts == 3);
}

static void test_failures(void)
{
	struct spec s = spec_for("true");
	struct box box = {0};
	struct outcome o;
	struct err e = {0};

	plain = (struct plain){.fail_begin = true};
	box_begin(&box, A, &backend_plain);
	CHECK(!box.begun);
	CHECK_INT(run_in(&box, &s, &o, &e), -1);
	CHECK_STR(str_of(e.text), "cannot begin");
	CHECK(plain.begins == 2 && plain.stops == 2 && plain.starts == 0 && plain.stopped == STOP_NOW);

	plain = (struct plain){.fail_start = true};
	CHECK_INT(run_in(&box, &s, &o, &e), -1);
	CHECK_STR(str_of(e.text), "cannot start");
	CHECK(plain.stops == 1 && plain.stopped == STOP_NOW);

	plain = (struct plain){.mute = true}; /* a backend must ask before it starts a program */
	CHECK_INT(run_in(&box, &s, &o, &e), -1);
	CHECK_INT(e.kind, ERR_INTERNAL);

	s.limits.pids = 0;
	plain = (struct plain){0};
	box_begin(&box, A, &backend_plain);
	CHECK_INT(run_in(&box, &s, &o, &e), -1);
	CHECK(!box.begun && plain.begins == 1 && plain.stops == 1 && plain.starts == 0);
}

static int say_no(void *ctx, struct err *e)
{
	++*(int *)ctx;
	return err_input(e, "not now");
}

static void test_ready(void)
{
	struct spec s = spec_for("touch should-not-exist");
	struct box box = {0};
	struct outcome o = {0};
	struct err e = {0};
	int asked = 0;

	plain = (struct plain){0};
	struct box_start start = {.before_program = say_no, .ctx = &asked};
	CHECK_INT(box_run(&box, A, &backend_plain, &start, &s, NULL, &o, &e), -1);
	CHECK_STR(str_of(e.text), "not now");
	CHECK(asked == 1 && plain.stops == 1);
}

/* ---- the workspace ---- */

static const struct change *find_change(const struct change *c, const char *path)
{
	while (c && !str_is(c->path, path))
		c = c->next;
	return c;
}

/* The backend pins nothing, so everything that protection finds afterwards was really there. */
static void test_workspace(void)
{
	struct spec s = spec_for("git init -q --bare planted && mkdir -p made && echo x >made/file");
	struct outcome o;
	struct stat st;

	make_dir("ws", 0700);
	make_dir("state", 0700);
	make_dir("state/quarantine", 0700);
	s.workspace = str_of(at("ws"));
	s.workspace_writable = true;
	s.quarantine = str_of(at("state/quarantine/run"));
	plain = (struct plain){0};
	o = run(&s);
	CHECK_INT(o.status, STATUS_OK);
	CHECK_INT(plain.stopped, STOP_NOW);
	CHECK(find_change(o.changes, "planted/HEAD"));
	CHECK(stat(at("ws/planted/HEAD"), &st) != 0 && stat(at("ws/made/file"), &st) == 0);

	s = spec_for("git init -q --bare kept");
	s.workspace = str_of(at("ws"));
	plain = (struct plain){0};
	o = run(&s); /* not writable, so nothing is protected: a backend would have mounted it read-only */
	CHECK(!o.changes && stat(at("ws/kept"), &st) == 0);
}

/* ---- parts ---- */

static void note_call(void *ctx, short revents)
{
	struct str *log = ctx;

	CHECK(revents & POLLIN);
	*log = str_fmt(A, "%.*s!", STR_ARG(*log));
}

static void test_sources(void)
{
	struct sources s = {.n = 0};
	struct str first = STR("a"), second = STR("b");
	int pipes[2];

	CHECK(pipe2(pipes, O_CLOEXEC) == 0);
	sources_add(&s, (struct pollfd){.fd = -1, .events = POLLIN}, note_call, &first);
	CHECK_INT(s.n, 0);
	sources_add(&s, (struct pollfd){.fd = pipes[0], .events = POLLIN}, note_call, &first);
	sources_add(&s, (struct pollfd){.fd = pipes[0], .events = POLLIN}, note_call, &second);
	CHECK_INT(sources_wait(&s, -5), 0);
	CHECK_STR(first, "a");
	CHECK(write(pipes[1], "x", 1) == 1);
	CHECK_INT(sources_wait(&s, 1000000000), 0);
	CHECK_STR(first, "a!");
	CHECK_STR(second, "b!");
	for (size_t i = 2; i <= SOURCES_MAX; i++)
		sources_add(&s, (struct pollfd){.fd = pipes[0], .events = POLLIN}, note_call, &first);
	CHECK(sources_wait(&s, 0) == -1 && errno == ENOBUFS); /* never some of them silently */
	close(pipes[0]);
	close(pipes[1]);
}

static void test_networks(void)
{
	static const struct {
		const char *name;
		bool isolated, sockets, loopback, host_dns;
	} rows[] = {{"deny", true, false, false, false}, {"loopback", true, true, true, false},
			{"host", false, true, false, true}};
	struct network_spec n, none = {0};

	CHECK_STR(str_of(network_name(&none)), "deny");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		CHECK_ROW(network_parse(str_of(rows[i].name), &n) == 0, rows[i].name);
		CHECK_STR(str_of(network_name(&n)), rows[i].name);
		CHECK_ROW(network_isolated(&n) == rows[i].isolated, rows[i].name);
		CHECK_ROW(network_has_sockets(&n) == rows[i].sockets, rows[i].name);
		CHECK_ROW(network_has_loopback(&n) == rows[i].loopback, rows[i].name);
		CHECK_ROW(network_uses_host_dns(&n) == rows[i].host_dns, rows[i].name);
	}
	n.mode = NETWORK_LOOPBACK;
	CHECK(network_parse(STR("Host"), &n) != 0 && network_parse(STR(""), &n) != 0 &&
			n.mode == NETWORK_LOOPBACK);
	n.mode = (enum network_mode)99; /* no row: closed */
	CHECK(network_isolated(&n) && !network_has_sockets(&n));
}

int main(void)
{
	int fds;

	if (place_begin() != 0)
		return 1;
	fds = count_fds();
	RUN(test_networks);
	RUN(test_sources);
	RUN(test_streams_and_status);
	RUN(test_input);
	RUN(test_limits);
	RUN(test_interrupted);
	RUN(test_begin);
	RUN(test_failures);
	RUN(test_ready);
	RUN(test_workspace);
	CHECK_INT(count_fds(), fds);
	CHECK(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD);
	unit_result("no descriptor and no child is left");
	place_end();
	return unit_end();
}
