/* One exchange by HTTP/1.1 with `Connection: close`. See unix_http.h. */
#define _GNU_SOURCE
#include "sys/unix_http.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/num.h"
#include "sys/clock.h"
#include "sys/file.h"

#define ANSWER_MAX ((size_t)16 << 20)
#define CHUNK ((size_t)64 << 10)

static int open_socket(const char *path, struct err *e)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	int fd;

	if (str_put(at.sun_path, sizeof(at.sun_path), "%s", path) >= sizeof(at.sun_path))
		return err_input(e, "the path '%s' is too long for a socket", path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || connect(fd, (struct sockaddr *)&at, sizeof(at)) != 0) {
		err_system(e, "cannot connect to '%s'", path);
		fd_close(&fd);
		return -1;
	}
	(void)fcntl(fd, F_SETFL, O_NONBLOCK);
	return fd;
}

static int await(int fd, short events, int64_t until, struct err *e)
{
	struct pollfd p = {.fd = fd, .events = events};
	int64_t left;

	do {
		left = (until - clock_now()) / 1000000;
		if (left <= 0)
			return err_limit(e, "the engine does not answer");
	} while (poll(&p, 1, (int)left) <= 0);
	return 0;
}

static int send_all(int fd, struct str s, int64_t until, struct err *e)
{
	for (size_t at = 0; at < s.n;) {
		ssize_t n = send(fd, s.p + at, s.n - at, MSG_NOSIGNAL);

		if (n > 0)
			at += (size_t)n;
		else if (errno != EAGAIN && errno != EINTR)
			return err_system(e, "cannot send to the engine");
		else if (await(fd, POLLOUT, until, e) != 0)
			return -1;
	}
	return 0;
}

static int read_all(int fd, struct buf *b, int64_t until, struct err *e)
{
	for (;;) {
		char chunk[4096];
		ssize_t n = read(fd, chunk, sizeof(chunk));

		if (n == 0)
			return 0;
		if (n < 0 && errno != EAGAIN && errno != EINTR)
			return err_system(e, "cannot read the engine's answer");
		if (n < 0 && await(fd, POLLIN, until, e) != 0)
			return -1;
		if (n > 0 && b->n + (size_t)n > ANSWER_MAX)
			return err_limit(e, "the engine's answer is too long");
		if (n > 0)
			buf_add(b, chunk, (size_t)n);
	}
}

/* The body in chunks, each after a line with its size. */
static int join_chunks(struct arena *a, struct str s, struct str *ret)
{
	struct buf b;
	size_t at = 0;

	buf_init(&b, a, ANSWER_MAX);
	for (;;) {
		ptrdiff_t nl = str_find(s, '\n', at);
		size_t n = 0;

		if (nl < 0)
			return -1;
		for (; at < (size_t)nl && s.p[at] != '\r' && s.p[at] != ';'; at++) {
			const char *digits = "0123456789abcdef", *d = strchr(digits, s.p[at] | 32);

			if (!d || !*d || n > ANSWER_MAX)
				return -1;
			n = n * 16 + (size_t)(d - digits);
		}
		at = (size_t)nl + 1;
		if (n == 0)
			break;
		if (n > s.n - at)
			return -1;
		buf_add(&b, s.p + at, n);
		at += n + 2;
		if (at > s.n)
			return -1;
	}
	*ret = buf_view(&b);
	return 0;
}

static int parse_answer(struct arena *a, struct str s, struct unix_http_answer *ret, struct err *e)
{
	const char *end = memmem(s.p, s.n, "\r\n\r\n", 4);
	struct unix_http_answer answer = {0};
	struct str head;
	int64_t status;

	if (!s.n)
		return err_host(e, "the engine closed the connection without an answer");
	if (!end || !str_starts(s, "HTTP/1.") || num_parse(str_sub(s, 9, 12), 100, 599, &status) != 0)
		return err_host(e, "the engine's answer is not HTTP");
	head = str_first(s, (size_t)(end - s.p));
	answer.status = (int)status;
	answer.body = str_from(s, head.n + 4);
	if (str_contains_nocase(head, "transfer-encoding: chunked") &&
			join_chunks(a, answer.body, &answer.body) != 0)
		return err_host(e, "the engine's answer ends early");
	*ret = answer;
	return 0;
}

int unix_http(struct arena *a, const struct unix_http_request *rq, struct unix_http_answer *ret,
		struct err *e)
{
	int64_t until = clock_now() + (int64_t)rq->timeout_ms * 1000000;
	struct ucred peer = {0};
	socklen_t size = sizeof(peer);
	FD_SCOPE f = {0};
	struct buf out, in;

	buf_init(&out, a, 0);
	buf_init(&in, a, ANSWER_MAX + CHUNK);
	buf_fmt(&out, "%s %.*s HTTP/1.1\r\nHost: engine\r\nConnection: close\r\n", rq->method,
			STR_ARG(rq->target));
	if (rq->type)
		buf_fmt(&out, "Content-Type: %s\r\n", rq->type);
	buf_fmt(&out, "Content-Length: %zu\r\n\r\n", rq->body.n);
	buf_str(&out, rq->body);
	fd_scope(&f, a, open_socket(rq->socket, e));
	if (f.fd < 0 || send_all(f.fd, buf_view(&out), until, e) != 0 || read_all(f.fd, &in, until, e) != 0)
		return -1;
	if (getsockopt(f.fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0)
		return err_system(e, "cannot find the user of '%s'", rq->socket);
	if (parse_answer(a, buf_view(&in), ret, e) != 0)
		return -1;
	ret->peer = peer.uid;
	return 0;
}
