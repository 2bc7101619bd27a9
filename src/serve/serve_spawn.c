/*
 * The spawner: forks workers for the server. It exists before the first request, so neither it nor a worker
 * ever holds the data of another caller. serve.h has the theory.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/embedded.h"
#include "run/job.h"
#include "serve/serve.h"
#include "sys/clock.h"
#include "sys/fds.h"
#include "sys/file.h"
#include "sys/process.h"
#include "sys/title.h"

#define GUESS_AGE (2000 * 1000000LL)

/* The child of a parent that died before this was set would never get the signal. */
static void die_with(pid_t parent)
{
	if (prctl(PR_SET_PDEATHSIG, SIGTERM) != 0 || getppid() != parent)
		_exit(1);
}

static void default_signals(void)
{
	sigset_t none;

	sigemptyset(&none);
	signal(SIGTERM, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	signal(SIGCHLD, SIG_DFL);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* ---- the guess: the spec of a request without options ---- */

struct guess {
	struct arena a;
	const struct serve_options *o;
	enum serve_kind kind;
	struct job *job;
	const struct spec *spec; /* NULL: none */
	int64_t made;
	bool failed;             /* serve_spawn_try(): `why` */
	struct err why;
};

/* The same program, which waits for its code. */
static void add_preload(struct guess *g)
{
	char **argv = arena_array(&g->a, 5, sizeof(*argv));

	argv[0] = g->spec->argv[0];
	argv[1] = g->spec->argv[1];
	argv[2] = (char *)preload_python;
	argv[3] = (char *)g->o->preload;
	g->job->run.spec.preload = argv;
}

static int guess_spec(void *arg)
{
	struct guess *g = arg;
	bool python = g->kind == SERVE_PRELOADED;
	struct str text = python ? STR("{\"code\":\"\",\"lang\":\"python\"}") : STR("{\"command\":\":\"}");
	struct json *body;
	struct err e;

	g->job = arena_new(&g->a, struct job);
	if (json_read(&g->a, text, &body, &e) == 0 &&
			mcp_request(&g->a, &g->o->mcp, STR(SERVE_ANONYMOUS), "run", body, NULL, g->job,
					&e) == 0 &&
			job_prepare(&g->a, g->job, &e) == 0)
		g->spec = &g->job->run.spec;
	if (g->spec && python)
		add_preload(g);
	return 0;
}

/* Policies may change: an old guess is wrong then, which costs time and nothing else. */
static const struct spec *current_guess(struct guess *g)
{
	int64_t now = clock_now();

	if (g->made && now < g->made + GUESS_AGE)
		return g->spec;
	arena_free(&g->a);
	arena_init(&g->a, ARENA_CAP_DEFAULT);
	g->made = now;
	g->spec = NULL;
	if (arena_run(&g->a, guess_spec, g) < 0)
		g->spec = NULL;
	return g->spec;
}

static int try_guess(void *arg)
{
	struct guess *g = arg;
	struct box *box = arena_new(&g->a, struct box);
	struct err *e = arena_new(&g->a, struct err);

	(void)guess_spec(g);
	if (!g->spec) /* runs will say why */
		return 0;
	box_begin(box, &g->a, box_backend(NULL));
	g->failed = !box_prime(box, g->spec, e);
	g->why = *e;
	box_discard(box);
	return 0;
}

int serve_spawn_try(const struct serve_options *o, struct err *e)
{
	struct guess g = {.o = o, .kind = SERVE_PRELOADED};

	arena_init(&g.a, ARENA_CAP_DEFAULT);
	(void)arena_run(&g.a, try_guess, &g);
	arena_free(&g.a);
	return g.failed ? err_set(e, ERR_INPUT, 0, "--preload: %s", g.why.text) : 0;
}

static int spawn_worker(const struct serve_options *o, const struct spec *guess, int control,
		enum serve_kind wanted)
{
	pid_t self = getpid(), pid;
	FD_CLEANUP int pidfd = -1;
	char kind = (char)wanted;
	int talk[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, talk) != 0)
		return -1;
	pid = process_fork(NULL);
	if (pid == 0) {
		default_signals();
		die_with(self);
		close(talk[0]);
		close(control);
		serve_worker(o, guess, talk[1], wanted);
	}
	close(talk[1]);
	pidfd = pid < 0 ? -1 : (int)syscall(SYS_pidfd_open, pid, 0);
	const int fds[] = {talk[0], pidfd};
	ssize_t sent = pidfd < 0 ? -1 : fds_send(control, &kind, 1, fds, 2);
	close(talk[0]);
	return sent == 1 ? 0 : -1;
}

/* Workers are not waited for: the server has their pidfds. */
static void __attribute__((noreturn)) serve_workers(const struct serve_options *o, int control, pid_t server)
{
	struct guess guesses[SERVE_KINDS] = {0};
	char kind;

	for (size_t i = SERVE_BOXED; i < SERVE_KINDS; i++) {
		guesses[i] = (struct guess){.o = o, .kind = i};
		arena_init(&guesses[i].a, ARENA_CAP_DEFAULT);
	}
	default_signals();
	signal(SIGCHLD, SIG_IGN);
	die_with(server);
	setpgid(0, 0); /* ^C on a terminal is for the server alone */
	title_set("caissond: spawner");
	for (;;) {
		ssize_t n = recv(control, &kind, 1, 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0 || kind < 0 || kind >= SERVE_KINDS ||
				spawn_worker(o, kind ? current_guess(&guesses[(size_t)kind]) : NULL, control,
						(enum serve_kind)kind) != 0)
			break;
	}
	close(control);
	while (wait(NULL) > 0 || errno == EINTR) /* with SIGCHLD ignored: until the last one has ended */
		;
	_exit(0);
}

pid_t serve_spawner(const struct serve_options *o, int *ret_control, struct err *e)
{
	pid_t self = getpid(), pid;
	int control[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, control) != 0)
		return err_set(e, ERR_SYSTEM, errno, "cannot make a socket");
	pid = process_fork(NULL);
	if (pid == 0) {
		close(control[0]);
		serve_workers(o, control[1], self);
	}
	close(control[1]);
	if (pid < 0) {
		close(control[0]);
		return err_set(e, ERR_SYSTEM, errno, "cannot start a process");
	}
	*ret_control = control[0];
	return pid;
}

int serve_spawn_ask(int control, enum serve_kind wanted, struct err *e)
{
	char kind = (char)wanted;

	if (send(control, &kind, 1, MSG_NOSIGNAL) == 1)
		return 0;
	return err_set(e, ERR_SYSTEM, errno, "the spawner of workers is gone");
}

int serve_spawn_take(int control, enum serve_kind *ret_kind, int *ret_talk, int *ret_pidfd)
{
	int fds[2];
	size_t n = 2;
	char kind;
	ssize_t got = fds_recv(control, &kind, 1, fds, &n, MSG_DONTWAIT);

	if (got < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (got != 1 || n != 2)
		return -1;
	*ret_kind = (enum serve_kind)kind;
	*ret_talk = fds[0];
	*ret_pidfd = fds[1];
	return 1;
}
