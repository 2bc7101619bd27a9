/* A worker: waits for one request, answers it, ends. serve.h has the theory. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/json_write.h"
#include "run/job.h"
#include "run/output_filter.h"
#include "serve/serve.h"
#include "sys/fds.h"
#include "sys/file.h"
#include "sys/title.h"

/* both streams at their maximum, and the texts derived from them */
#define WORK_ARENA ((size_t)4 << 30)
#define TALK_FD 3

extern char **environ;

/* ---- answering ---- */

/* Both parts at once, so that the server wakes up once. */
static void send_frame(int talk, const struct serve_frame *f, struct str body)
{
	const struct iovec parts[] = {{(void *)f, sizeof(*f)}, {(void *)body.p, body.n}};
	struct str head = str_n((const char *)f, sizeof(*f));
	ssize_t n = writev(talk, parts, ARRAY_SIZE(parts));
	size_t sent = n > 0 ? (size_t)n : 0, of_head = sent < head.n ? sent : head.n;

	if (fd_write_all(talk, "the server", str_sub(head, of_head, head.n), NULL) == 0)
		(void)fd_write_all(talk, "the server", str_sub(body, sent - of_head, body.n), NULL);
}

void serve_answer(struct serve_work *w, unsigned status, enum serve_type type, struct str body)
{
	struct serve_frame f = {.kind = SERVE_ANSWER,
			.n = (uint32_t)body.n,
			.status = (uint16_t)status,
			.type = type};

	if (body.n > SERVE_ANSWER_MAX) {
		serve_fail(w, 500, "too-long", STR("the answer is too long to be sent"));
		return;
	}
	send_frame(w->talk, &f, body);
}

void serve_put_error(struct buf *b, const char *id, struct str message)
{
	buf_char(b, '{');
	json_put_field(b, "error", str_of(id));
	json_put_field(b, "message", message);
	buf_c(b, "}\n");
}

void serve_fail(struct serve_work *w, unsigned status, const char *id, struct str message)
{
	struct buf b;

	buf_init(&b, w->a, 0);
	serve_put_error(&b, id, message);
	serve_answer(w, status, SERVE_JSON, buf_view(&b));
}

/* ---- running ---- */

/* From here on the record has the run: its id may be told. */
static void tell_begun(void *ctx, struct str id)
{
	struct serve_work *w = ctx;
	struct serve_frame f = {.kind = SERVE_BEGUN, .n = (uint32_t)id.n};

	send_frame(w->talk, &f, id);
}

/*
 * A signal that comes before the box is supervised waits until then, so that a run in the record always gets
 * its end there.
 */
static void hold_signals(void)
{
	sigset_t term;

	sigemptyset(&term);
	sigaddset(&term, SIGTERM);
	sigprocmask(SIG_BLOCK, &term, NULL);
}

static int go(struct serve_work *w, struct err *e)
{
	struct output_filter filter = {0};
	int rc;

	if (w->job.stream && output_filter_start(w->a, environ, &filter, e) != 0)
		return -1;
	w->run->request.plain = w->job.stream;
	rc = job_go(w->a, w->run, NULL, e);
	/* the last output has to be in the pipes before the report */
	if (w->job.stream && !output_filter_end(&filter) && rc == 0)
		return err_set(e, ERR_INTERNAL, 0,
				"the output could not be cleaned, so a part of it is missing");
	return rc;
}

int serve_go(struct serve_work *w, const char *tool)
{
	struct job *j = w->run;
	struct err e = {0};

	hold_signals();
	j->request.gate = !w->o->no_gate;
	j->who = (struct record_who){.client = STR("http"), .tool = str_of(tool)};
	j->begun = tell_begun;
	j->begun_ctx = w;
	if (go(w, &e) == 0)
		return 0;
	serve_fail(w, e.kind == ERR_INPUT ? 400 : 500, e.kind == ERR_INPUT ? "invalid" : "failed",
			audience_text(w->a, AUDIENCE_MCP, str_of(e.text)));
	return -1;
}

/* ---- the request ---- */

static struct str percent_decoded(struct arena *a, struct str s)
{
	char *to = arena_alloc(a, s.n + 1);
	size_t n = 0;

	for (size_t i = 0; i < s.n; i++) {
		int high = s.p[i] == '%' && i + 2 < s.n ? ascii_hex_value(s.p[i + 1]) : -1;
		int low = high >= 0 ? ascii_hex_value(s.p[i + 2]) : -1;

		if (low >= 0)
			i += 2;
		to[n++] = (char)(low >= 0 ? high * 16 + low : s.p[i] == '+' ? ' ' : s.p[i]);
	}
	return str_n(to, n);
}

struct str serve_parameter(struct arena *a, struct str query, const char *name)
{
	for (size_t from = 0; from < query.n;) {
		ptrdiff_t end = str_find(query, '&', from);
		size_t to = end < 0 ? query.n : (size_t)end;
		struct str part = str_sub(query, from, to);
		ptrdiff_t equal = str_find(part, '=', 0);

		if (equal >= 0 && str_is(str_sub(part, 0, (size_t)equal), name))
			return percent_decoded(a, str_sub(part, (size_t)equal + 1, part.n));
		from = to + 1;
	}
	return (struct str){0};
}

static void split_target(struct serve_work *w)
{
	struct str all = str_of(w->job.target);
	ptrdiff_t mark = str_find(all, '?', 0);

	w->target = str_sub(all, 0, mark < 0 ? all.n : (size_t)mark);
	w->query = mark < 0 ? STR("") : str_sub(all, (size_t)mark + 1, all.n);
}

/* Takes the request and its descriptors. False: the server wants none of this worker. */
static bool take_job(struct serve_work *w)
{
	int fds[3];
	size_t n = 3;
	ssize_t got;
	struct err e;

	do {
		n = 3;
		got = fds_recv(w->talk, &w->job, sizeof(w->job), fds, &n, MSG_WAITALL);
	} while (got < 0 && errno == EINTR);
	if (got != (ssize_t)sizeof(w->job) || n != (w->job.stream ? 3 : 1) || !serve_route_at(w->job.route))
		return false;
	if (w->job.stream && (dup2(fds[1], STDOUT_FILENO) < 0 || dup2(fds[2], STDERR_FILENO) < 0))
		return false;
	for (size_t i = 1; i < n; i++)
		close(fds[i]);
	w->job.token[SERVE_NAME_MAX] = w->job.target[SERVE_TARGET_MAX] = 0;
	split_target(w);
	n = fd_read_all(w->a, fds[0], "the request", SERVE_BODY_MAX, &w->body, &e) == 0;
	close(fds[0]);
	return n;
}

static int work(void *arg)
{
	struct serve_work *w = arg;
	struct err e = {0};

	if (w->run)
		box_begin(&w->run->box, w->a, box_backend(NULL));
	if (w->run && w->guess)
		(void)box_prime(&w->run->box, w->guess, &e); /* else the run begins a box of its own */
	if (!take_job(w)) {
		if (w->run)
			box_discard(&w->run->box);
		return 0;
	}
	serve_route_at(w->job.route)->work(w);
	if (w->run && w->run->box.begun)
		box_discard(&w->run->box);
	return 0;
}

/* Only standard error and the socket stay open from the server. */
static int settle(int talk)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(null, STDOUT_FILENO) < 0 ||
			(talk != TALK_FD && dup3(talk, TALK_FD, O_CLOEXEC) < 0))
		return -1;
	syscall(SYS_close_range, TALK_FD + 1, ~0U, 0);
	title_set("caissond: worker");
	return 0;
}

void serve_worker(const struct serve_options *o, const struct spec *guess, int talk, enum serve_kind kind)
{
	static const char full[] = "{\"error\":\"memory\",\"message\":\"the memory bound was reached\"}\n";
	struct arena a;
	struct job job = {0};
	struct serve_work w = {.a = &a,
			.o = o,
			.talk = TALK_FD,
			.run = kind == SERVE_UNBOXED ? NULL : &job,
			.guess = guess};

	job.box.lasts = true;
	if (settle(talk) != 0)
		_exit(1);
	arena_init(&a, WORK_ARENA);
	if (arena_run(&a, work, &w) < 0) {
		struct serve_frame f = {.kind = SERVE_ANSWER, .n = sizeof(full) - 1, .status = 500};

		send_frame(TALK_FD, &f, str_n(full, sizeof(full) - 1));
	}
	shutdown(TALK_FD, SHUT_RDWR); /* the server need not wait for the kernel's clean-up */
	if (w.run)
		job_end(&job);
	_exit(0);
}
