/* The server: the loop around HTTP, workers and signals. serve.h has the theory. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cli.h"
#include "serve/serve_inner.h"
#include "sys/clock.h"
#include "sys/file.h"

#define CONNECTION_IDLE 60     /* seconds without a byte */
#define CONNECTION_BYTES 32768 /* of a connection's headers */
#define TICK_MS 500
#define LAST_WORDS (8 * SERVE_SECOND) /* for ended runs to be recorded and answered */

void serve_watch(struct serve *s, int fd, uint32_t events, struct serve_source *source)
{
	struct epoll_event ev = {.events = events, .data.ptr = source};

	(void)epoll_ctl(s->epoll, EPOLL_CTL_ADD, fd, &ev); /* it may be watched already */
}

void serve_unwatch(struct serve *s, int fd)
{
	(void)epoll_ctl(s->epoll, EPOLL_CTL_DEL, fd, NULL);
}

/* ---- start ---- */

static int listen_socket(const struct serve_options *o, struct err *e)
{
	struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_port = htons(o->port)};
	struct sockaddr_in four = {.sin_family = AF_INET, .sin_port = htons(o->port)};
	bool is_four = inet_pton(AF_INET, o->address, &four.sin_addr) == 1;
	int on = 1, fd;

	if (!is_four && inet_pton(AF_INET6, o->address, &six.sin6_addr) != 1)
		return err_set(e, ERR_INPUT, 0, "'%s' is not an address", o->address);
	fd = socket(is_four ? AF_INET : AF_INET6, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return err_set(e, ERR_SYSTEM, errno, "cannot make a socket");
	(void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	if ((is_four ? bind(fd, (struct sockaddr *)&four, sizeof(four))
		     : bind(fd, (struct sockaddr *)&six, sizeof(six))) != 0 ||
			listen(fd, SOMAXCONN) != 0) {
		err_set(e, ERR_SYSTEM, errno, "cannot listen on %s port %d", o->address, o->port);
		close(fd);
		return -1;
	}
	return fd;
}

static int start_http(struct serve *s, struct err *e)
{
	int fd = listen_socket(s->o, e);
	const union MHD_DaemonInfo *info;

	if (fd < 0)
		return -1;
	s->http = MHD_start_daemon(MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL,
			serve_http_request, s, MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_NOTIFY_COMPLETED,
			serve_http_done, s, MHD_OPTION_NOTIFY_CONNECTION, serve_connection_notify, s,
			MHD_OPTION_CONNECTION_LIMIT, (unsigned)SERVE_CONNECTIONS_MAX,
			MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)CONNECTION_IDLE,
			MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_BYTES, MHD_OPTION_END);
	if (!s->http) {
		close(fd);
		return err_set(e, ERR_SYSTEM, 0, "cannot start the HTTP server");
	}
	info = MHD_get_daemon_info(s->http, MHD_DAEMON_INFO_EPOLL_FD);
	serve_watch(s, info->epoll_fd, EPOLLIN, &s->on_http);
	return 0;
}

static void say_address(struct serve *s)
{
	const union MHD_DaemonInfo *info = MHD_get_daemon_info(s->http, MHD_DAEMON_INFO_LISTEN_FD);
	struct sockaddr_storage at;
	socklen_t n = sizeof(at);
	bool six;
	char line[128];

	if (!info || getsockname(info->listen_fd, (struct sockaddr *)&at, &n) != 0)
		return;
	six = at.ss_family == AF_INET6;
	n = (socklen_t)str_put(line, sizeof(line), "listening on http://%s%s%s:%d\n", six ? "[" : "",
			s->o->address, six ? "]" : "",
			ntohs(six ? ((struct sockaddr_in6 *)&at)->sin6_port
				  : ((struct sockaddr_in *)&at)->sin_port));
	(void)output_write(str_n(line, n), 0);
}

/* ---- the end ---- */

static void refuse_waiting(struct serve *s)
{
	for (struct serve_call *c = s->first, *next; c; c = next) {
		next = c->next;
		if (c->state != CALL_WAITING)
			continue;
		serve_queue_leave(c);
		serve_queue_answer(c, 503, "stopping", "the server is stopping: nothing ran");
	}
}

/* No new connections; running requests get the time that the options say. A second signal ends them now. */
static void on_signal(void *ctx, uint32_t events)
{
	struct serve *s = ctx;
	struct signalfd_siginfo si;
	int64_t now = clock_now();

	(void)events;
	if (read(s->signals, &si, sizeof(si)) != (ssize_t)sizeof(si))
		return;
	if (s->stop_at) {
		s->stop_at = now;
		return;
	}
	s->stop_at = now + s->o->grace_ms * 1000000;
	int fd = MHD_quiesce_daemon(s->http);
	if (fd >= 0)
		close(fd);
	refuse_waiting(s);
}

/* Runs that did not end in time are named: the record has their end. */
static void end_running(struct serve *s, int64_t now)
{
	for (size_t i = 0; i < s->nslots; i++) {
		struct serve_slot *k = &s->slots[i];

		if (k->kind != SLOT_BUSY || k->kill_at)
			continue;
		if (k->id[0] && !k->answered)
			output_error("run %s of %s was ended: the server stops", k->id, k->token);
		serve_queue_kill(k, now);
	}
}

static bool has_ended(struct serve *s, int64_t now)
{
	if (s->failed)
		return true;
	if (!s->stop_at)
		return false;
	if (now >= s->stop_at)
		end_running(s, now);
	if (now >= s->stop_at + LAST_WORDS)
		return true;
	for (const struct serve_call *c = s->first; c; c = c->next)
		if (c->state != CALL_RECEIVING)
			return false;
	return !serve_queue_count(s, SLOT_BUSY);
}

/* Closing a worker's socket ends it; the spawner waits for them all, and we for the spawner. */
static void end_workers(struct serve *s)
{
	int64_t until = clock_now() + LAST_WORDS;

	serve_queue_close(s);
	fd_close(&s->control);
	while (waitpid(s->spawner, NULL, WNOHANG) == 0) {
		if (clock_now() > until)
			kill(s->spawner, SIGTERM);
		poll(NULL, 0, 5);
	}
}

/* ---- the loop ---- */

static void on_http(void *ctx, uint32_t events)
{
	(void)ctx, (void)events;
}

static int wait_ms(struct serve *s)
{
	int64_t fill = s->fill_at ? (s->fill_at - clock_now()) / 1000000 + 1 : TICK_MS;
	int most = fill > 0 && fill < TICK_MS ? (int)fill : TICK_MS;
	MHD_UNSIGNED_LONG_LONG ms;

	if (MHD_get_timeout(s->http, &ms) == MHD_YES && ms < (unsigned)most)
		return (int)ms;
	return most;
}

/*
 * One event a turn: what it frees cannot be the subject of another one, and the kernel takes turns between
 * those that are ready.
 */
static void turn(struct serve *s)
{
	struct epoll_event event;
	int n = epoll_wait(s->epoll, &event, 1, wait_ms(s));

	if (n == 1) {
		struct serve_source *source = event.data.ptr;

		source->fn(source->ctx, event.events);
	} else if (n < 0 && errno != EINTR) {
		output_error("cannot wait for events (%s)", strerror(errno));
		s->failed = true;
	}
	MHD_run(s->http);
	serve_queue_turn(s, clock_now());
	serve_connections_expire(s, clock_now());
}

static int open_loop(struct serve *s, struct err *e)
{
	sigset_t ends;

	sigemptyset(&ends);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGINT);
	sigprocmask(SIG_BLOCK, &ends, NULL);
	s->epoll = epoll_create1(EPOLL_CLOEXEC);
	s->signals = signalfd(-1, &ends, SFD_CLOEXEC | SFD_NONBLOCK);
	if (s->epoll < 0 || s->signals < 0)
		return err_set(e, ERR_SYSTEM, errno, "cannot start the loop");
	s->on_http = (struct serve_source){on_http, s};
	s->on_signal = (struct serve_source){on_signal, s};
	s->on_control = (struct serve_source){serve_queue_control, s};
	serve_watch(s, s->signals, EPOLLIN, &s->on_signal);
	serve_watch(s, s->control, EPOLLIN, &s->on_control);
	return start_http(s, e);
}

int serve_run(struct arena *a, const struct serve_options *o, int control, pid_t spawner)
{
	struct serve *s = arena_copy(a, (struct serve){.a = a,
							.o = o,
							.epoll = -1,
							.signals = -1,
							.control = control,
							.spawner = spawner});
	struct err e = {0};

	arena_init_in(&s->token_arena, ARENA_CAP_DEFAULT, a);
	if (open_loop(s, &e) != 0) {
		output_error("%s", e.text);
		return e.kind == ERR_INPUT ? EXIT_USAGE : EXIT_INTERNAL;
	}
	serve_queue_turn(s, clock_now());
	say_address(s);
	while (!has_ended(s, clock_now()))
		turn(s);
	for (struct serve_call *c = s->first; c; c = c->next)
		serve_http_resume(c);
	MHD_stop_daemon(s->http);
	end_workers(s);
	return s->failed ? EXIT_INTERNAL : 0;
}
