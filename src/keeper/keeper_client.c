/* Connecting to the keeper, starting it, asking it. See keeper.h. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/version.h"
#include "keeper/keeper.h"
#include "sys/clock.h"
#include "sys/fds.h"
#include "sys/file.h"
#include "sys/peer.h"
#include "sys/process.h"

#define MS 1000000LL
#define TICK_MS 10

static int open_socket(struct str state)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	char path[PATH_MAX];
	int fd;

	if (snprintf(path, sizeof(path), "%.*s/" KEEPER_FOLDER, STR_ARG(state)) >= (int)sizeof(path))
		return -1;
	FD_CLEANUP int dir = open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (dir < 0)
		return -1;
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	snprintf(at.sun_path, sizeof(at.sun_path), "/proc/self/fd/%d/socket", dir);
	if (fd >= 0 && connect(fd, (struct sockaddr *)&at, sizeof(at)) != 0)
		fd_close(&fd);
	return fd;
}

static bool is_late(const struct keeper_wait *w)
{
	return clock_now() >= w->due;
}

/* True if the descriptor is ready in time. */
static bool wait_for(int fd, const struct keeper_wait *w)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	do {
		if (poll(&p, 1, TICK_MS) > 0)
			return true;
		if (w->tick)
			w->tick(w->ctx);
	} while (!is_late(w));
	return false;
}

/* The next message of the keeper. -1: none came in time, or nobody is there. */
static int hear_with(int fd, const struct keeper_wait *w, struct keeper_message *ret, int *fds, size_t *nfds)
{
	char bytes[sizeof(*ret) + 1];
	ssize_t n;

	if (!wait_for(fd, w))
		return -1;
	n = fds_recv(fd, bytes, sizeof(bytes), fds, nfds, MSG_DONTWAIT);
	if (n <= 0 || !keeper_valid(bytes, (size_t)n)) {
		for (size_t i = 0; n > 0 && i < *nfds; i++)
			close(fds[i]);
		return -1;
	}
	memcpy(ret, bytes, sizeof(*ret));
	return 0;
}

static int hear(int fd, const struct keeper_wait *w, struct keeper_message *ret)
{
	size_t none = 0;

	return hear_with(fd, w, ret, NULL, &none);
}

static int say(int fd, const struct keeper_message *m, const int *fds, size_t n)
{
	return fds_send(fd, m, sizeof(*m), fds, n) == (ssize_t)sizeof(*m) ? 0 : -1;
}

/* Greets whoever listens. The connection and *ret, or -1. */
static int greet(struct str state, const struct keeper_wait *w, struct keeper_message *ret, pid_t *ret_pid)
{
	const struct keeper_message hello = keeper_message(KEEPER_HELLO);
	int fd = open_socket(state);

	if (fd >= 0 && (peer_check(fd, ret_pid) != 0 || say(fd, &hello, NULL, 0) != 0 ||
				       hear(fd, w, ret) != 0 || ret->kind != KEEPER_WELCOME))
		fd_close(&fd);
	return fd;
}

/* ---- starting ---- */

/* A process of its own session with nothing of ours but its end of the pipe, which says that it serves. */
static void __attribute__((noreturn)) become_keeper(struct str state, int ready)
{
	char variable[PATH_MAX + 32];
	char *argv[] = {"caisson", "keeper", NULL}, *envp[] = {variable, NULL};
	sigset_t none;

	snprintf(variable, sizeof(variable), "CAISSON_STATE=%.*s", STR_ARG(state));
	sigemptyset(&none);
	for (int s = 1; s < NSIG; s++)
		signal(s, SIG_DFL);
	sigprocmask(SIG_SETMASK, &none, NULL);
	setsid();
	if (process_fork(NULL) != 0)
		_exit(0); /* the keeper is nobody's child, and leads no session */
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (null < 0 || chdir("/") != 0 || dup2(null, 0) < 0 || dup2(ready, 1) < 0 || dup2(null, 2) < 0)
		_exit(1);
	fds_keep((const int[]){0, 1, 2}, 3);
	umask(077);
	execve("/proc/self/exe", argv, envp);
	_exit(1);
}

static int no_answer(struct err *e)
{
	return err_host(e, "the keeper, the process that holds boxes in the background, does not answer");
}

/* Returns when a keeper serves; -1 and *e: none does, and its own words say why. */
static int start(struct str state, const struct keeper_wait *w, struct err *e)
{
	int ends[2];
	char words[ERR_TEXT_MAX];
	ssize_t n = -1;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) != 0)
		return err_system(e, "cannot make a pipe");
	pid = process_fork(NULL);
	if (pid == 0)
		become_keeper(state, ends[1]);
	close(ends[1]);
	if (pid > 0) {
		process_wait(pid);
		if (wait_for(ends[0], w))
			n = read(ends[0], words, sizeof(words) - 1);
	}
	close(ends[0]);
	if (n > 0 && words[0] == '\n')
		return 0;
	if (n <= 0)
		return err_host(e, "cannot start the keeper, the process that holds boxes in the background");
	words[n] = 0;
	return err_host(e, "%s", words);
}

bool keeper_seen(struct str state)
{
	char path[PATH_MAX];
	int n = snprintf(path, sizeof(path), "%.*s/" KEEPER_FOLDER "/socket", STR_ARG(state));

	return n < (int)sizeof(path) && access(path, F_OK) == 0;
}

void keeper_look(struct str state, struct keeper_status *ret)
{
	struct keeper_message m;
	const struct keeper_wait w = {.due = clock_now() + KEEPER_WAIT_MS * MS};
	pid_t pid = 0;
	int fd = greet(state, &w, &m, &pid);

	*ret = (struct keeper_status){.runs = fd >= 0};
	if (fd < 0)
		return;
	memcpy(ret->program, m.program, sizeof(ret->program));
	ret->boxes = m.active;
	ret->pid = pid;
	close(fd);
}

int keeper_connect(struct str state, const struct keeper_wait *w, struct err *e)
{
	const struct keeper_message retire = keeper_message(KEEPER_RETIRE);

	/* Again after keepers that have just ended, that others start, that are replaced. */
	while (!is_late(w)) {
		struct keeper_message m;
		int fd = greet(state, w, &m, NULL);

		if (fd >= 0 && m.protocol == KEEPER_PROTOCOL && !strcmp(m.program, CAISSON_VERSION))
			return fd;
		if (fd >= 0) {
			(void)say(fd, &retire, NULL, 0);
			(void)wait_for(fd, w); /* EOF: it has */
			close(fd);
		}
		if (!is_late(w) && start(state, w, e) != 0)
			return -1;
	}
	return no_answer(e);
}

/* ---- asking ---- */

int keeper_hold(int keeper, struct str id, struct str session, int life, const struct keeper_wait *w,
		char ret_ended[40], struct err *e)
{
	struct keeper_message m = keeper_message(KEEPER_HOLD), answer;

	if (!keeper_put(m.id, sizeof(m.id), id) || !keeper_put(m.session, sizeof(m.session), session))
		return err_input(e, "the name of the box or of its session is too long");
	if (say(keeper, &m, &life, 1) != 0 || hear(keeper, w, &answer) != 0)
		return no_answer(e);
	if (answer.kind != KEEPER_HELD)
		return err_limit(e, "%s (caisson ps lists them, caisson stop ends them)", answer.text);
	memcpy(ret_ended, answer.id, sizeof(answer.id));
	return 0;
}

void keeper_share(int keeper, struct str key, const int *fds, size_t n)
{
	struct keeper_message m = keeper_message(KEEPER_SHARE);

	if (keeper_put(m.text, sizeof(m.text), key))
		(void)say(keeper, &m, fds, n);
}

size_t keeper_join(struct str state, struct str key, int ret_fds[KEEPER_NETWORK_FDS])
{
	const struct keeper_wait w = {.due = clock_now() + KEEPER_WAIT_MS * MS};
	struct keeper_message m, ask = keeper_message(KEEPER_JOIN);
	size_t n = KEEPER_NETWORK_FDS;
	int fd = keeper_put(ask.text, sizeof(ask.text), key) ? greet(state, &w, &m, NULL) : -1;

	if (fd < 0 || m.protocol != KEEPER_PROTOCOL || say(fd, &ask, NULL, 0) != 0 ||
			hear_with(fd, &w, &m, ret_fds, &n) != 0)
		n = 0;
	else if (m.kind != KEEPER_JOINED)
		while (n)
			close(ret_fds[--n]);
	fd_close(&fd);
	return n;
}

/* ---- published ports ---- */

/* Sends one message over a connection of its own, or over *fd, and expects a PORT. */
static int ask_port(struct str state, int *fd, const struct keeper_message *ask, const int *life,
		struct keeper_message *ret, struct err *e)
{
	const struct keeper_wait w = {.due = clock_now() + KEEPER_WAIT_MS * MS};

	if (*fd < 0)
		*fd = greet(state, &w, ret, NULL);
	if (*fd < 0)
		return err_input(e, "nothing is in the background");
	if (say(*fd, ask, life, life ? 1 : 0) != 0 || hear(*fd, &w, ret) != 0)
		return no_answer(e);
	return ret->kind == KEEPER_PORT ? 0 : err_input(e, "%s", ret->text);
}

int keeper_publish(struct str state, struct str key, uint16_t port, int life, struct err *e)
{
	struct keeper_message m = keeper_message(KEEPER_PUBLISH), answer;
	FD_CLEANUP int fd = -1;

	m.active = port;
	if (!keeper_put(m.text, sizeof(m.text), key))
		return err_internal(e, "the key of the network is too long");
	return ask_port(state, &fd, &m, &life, &answer, e);
}

int keeper_unpublish(struct str state, uint16_t port, struct err *e)
{
	struct keeper_message m = keeper_message(KEEPER_UNPUBLISH), answer;
	FD_CLEANUP int fd = -1;

	m.active = port;
	return ask_port(state, &fd, &m, NULL, &answer, e);
}

size_t keeper_ports(struct str state, struct keeper_port ret[KEEPER_PORTS_MAX])
{
	struct keeper_message m = keeper_message(KEEPER_PORTS), answer;
	FD_CLEANUP int fd = -1;
	size_t n = 0;

	while (n < KEEPER_PORTS_MAX && ask_port(state, &fd, &m, NULL, &answer, &(struct err){0}) == 0) {
		ret[n].port = (uint16_t)answer.active;
		memcpy(ret[n].network, answer.text, sizeof(answer.text));
		m.active = ++n;
	}
	return n;
}

void keeper_tell(int keeper, uint64_t memory, bool active)
{
	struct keeper_message m = keeper_message(KEEPER_USAGE);

	m.memory = memory;
	m.active = active;
	(void)say(keeper, &m, NULL, 0); /* a keeper that is gone is seen as EOF */
}

bool keeper_wants_end(int keeper, char text[152])
{
	struct keeper_message m;
	struct pollfd p = {.fd = keeper, .events = POLLIN};
	const struct keeper_wait now = {0};

	if (poll(&p, 1, 0) <= 0)
		return false;
	text[0] = 0;
	if (hear(keeper, &now, &m) == 0 && m.kind == KEEPER_END)
		memcpy(text, m.text, sizeof(m.text));
	if (!text[0])
		snprintf(text, sizeof(m.text), "the keeper has ended");
	return true;
}
