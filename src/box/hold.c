/* See hold.h. */
#define _GNU_SOURCE
#include "box/hold.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sys/clock.h"
#include "sys/fds.h"
#include "sys/file.h"
#include "sys/process.h"

#define KEPT_WAIT_MS 2000
#define GO 'g'   /* the box is the holder's */
#define AWAY 'a' /* it is not */

/* ---- holder ---- */

/* The caller waits for EOF of its pipes. Our own descriptors are close-on-exec, and the holder keeps them. */
static int drop_descriptors(const struct box_hold *h)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(null, STDOUT_FILENO) < 0 ||
			dup2(null, STDERR_FILENO) < 0)
		return -1;
	return fds_replace_inherited(h->callers, ARRAY_SIZE(h->callers), null);
}

static enum hold_side be_holder(struct box_state *b, int word)
{
	char said = 0;
	ssize_t n;

	setsid();
	b->backend->adopt(b);
	b->protection.undertaker.adopted = b->protection.undertaker_git.adopted = true;
	n = fd_read(word, &said, 1);
	if (n == 1 && said == AWAY)
		_exit(0);
	close(word);
	b->in.from = -1;
	fd_close(&b->in.to); /* nobody types into a box in the background */
	return drop_descriptors(b->start->hold) == 0 && chdir("/") == 0 && n == 1 ? HOLD_HOLDER : HOLD_ORPHAN;
}

/* ---- launcher ---- */

/* False: init has not answered, or the box has ended meanwhile. */
static bool await_kept(struct box_state *b)
{
	int64_t due = clock_now() + KEPT_WAIT_MS * 1000000LL;

	while (!b->events.kept && !b->events.ended && !b->events.gone && !b->events.failed) {
		struct sources s = {.n = 0};

		if (clock_now() >= due)
			return false;
		b->backend->add_sources(b, &s);
		if (sources_wait(&s, due - clock_now()) != 0)
			return false;
	}
	return b->events.kept && !b->events.ended && !b->events.gone;
}

static void share_network(const struct box_state *b)
{
	int fds[2];
	size_t n = b->spec->shares ? b->backend->shared(b, fds) : 0;

	if (n)
		b->start->hold->share(b->start->hold->ctx, fds, n);
}

static bool say_word(int socket, char word)
{
	return send(socket, &word, 1, MSG_NOSIGNAL) == 1;
}

/* Once the holder has its word, its fork is nobody's child: the launcher does not wait for it. */
static enum hold_side hand_over(struct box_state *b, int life, int word, pid_t holder, struct err *e)
{
	bool kept = b->backend->keep(b, life, b->start->hold->age_ms, e) == 0 && await_kept(b);

	if (kept)
		share_network(b);
	if (kept && say_word(word, GO))
		return HOLD_LAUNCHER;
	(void)say_word(word, AWAY);
	process_wait(holder);
	return e->kind ? HOLD_FAILED : (err_host(e, "the box could not be handed over"), HOLD_FAILED);
}

enum hold_side hold_box(struct box_state *b, int life, struct err *e)
{
	enum hold_side side = HOLD_FAILED;
	int words[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, words) != 0) {
		close(life);
		err_system(e, "cannot make a socket pair");
		return side;
	}
	pid = process_fork_heir();
	if (pid == 0) {
		close(life);
		close(words[0]);
		return be_holder(b, words[1]);
	}
	close(words[1]);
	if (pid > 0)
		side = hand_over(b, life, words[0], pid, e);
	else
		err_system(e, "cannot start the process that holds the box");
	close(life);
	close(words[0]);
	return side;
}
