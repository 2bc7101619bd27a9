/*
 * The queue and the workers: waiting calls get warm workers, answers and events go back to their calls. A
 * worker whose caller went away is asked to end (SIGTERM), so that the record gets its end, and killed if it
 * does not.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/json_write.h"
#include "cli/cli.h"
#include "serve/serve_inner.h"
#include "sys/clock.h"
#include "sys/fds.h"
#include "sys/file.h"

#define PATIENCE (5 * SERVE_SECOND) /* from SIGTERM to SIGKILL */
#define PIECE 65536
#define EVENTS_HIGH \
	((size_t)1 << 20) /* bytes of events that the caller has not read: then the program waits */
#define STALLED (60 * SERVE_SECOND) /* for a caller to read what is too much to keep */
#define EARLY_MAX 8
#define UNBOXED_MORE 4 /* workers without a box, beside as many as there may be runs */
#define QUEUE_KEPT 8   /* this part of the queue is kept for callers of whom nothing waits */
#define PAUSE SERVE_SECOND
#define FILL_LATER (SERVE_SECOND / 50)

size_t serve_queue_count(const struct serve *s, enum slot_kind kind)
{
	size_t n = 0;

	for (size_t i = 0; i < s->nslots; i++)
		n += s->slots[i].kind == kind;
	return n;
}

static size_t count_work(const struct serve *s, enum slot_kind kind, enum serve_kind work)
{
	size_t n = 0;

	for (size_t i = 0; i < s->nslots; i++)
		n += s->slots[i].kind == kind && s->slots[i].work == work;
	return n;
}

/* Workers that are at work on requests like these: boxed ones of both kinds, or others. */
static size_t count_busy(const struct serve *s, enum serve_kind work)
{
	if (work == SERVE_UNBOXED)
		return count_work(s, SLOT_BUSY, work);
	return count_work(s, SLOT_BUSY, SERVE_BOXED) + count_work(s, SLOT_BUSY, SERVE_PRELOADED);
}

/* ---- answers ---- */

static void finish_call(struct serve_call *c)
{
	c->state = CALL_ANSWERED;
	c->ended = true;
	serve_connection_answers(c);
	serve_http_resume(c);
}

void serve_queue_answer(struct serve_call *c, unsigned status, const char *id, const char *message)
{
	c->out.n = c->sent = 0;
	c->status = status;
	c->type = SERVE_JSON;
	c->stream = false;
	serve_put_error(&c->out, id, str_of(message));
	finish_call(c);
}

/* Events are built in the buffer that is sent, so that a long stream takes no more memory than a short one.
 */
static void event_start(struct serve_call *c, const char *name)
{
	if (c->sent == c->out.n)
		c->out.n = c->sent = 0;
	buf_fmt(&c->out, "event: %s\ndata: ", name);
}

static void event_end(struct serve_call *c)
{
	buf_c(&c->out, "\n\n");
	serve_http_resume(c);
}

static void put_event(struct serve_call *c, const char *name, struct str data)
{
	event_start(c, name);
	buf_str(&c->out, str_trim(data, "\n"));
	event_end(c);
}

/* ---- slots ---- */

static void close_pipes(struct serve_slot *k)
{
	for (size_t i = 0; i < 2; i++)
		if (k->pipes[i] >= 0) {
			serve_unwatch(k->s, k->pipes[i]);
			fd_close(&k->pipes[i]);
		}
}

static void slot_free(struct serve_slot *k)
{
	serve_unwatch(k->s, k->talk);
	fd_close(&k->talk);
	fd_close(&k->pidfd);
	close_pipes(k);
	arena_free(&k->a);
	k->kind = SLOT_UNUSED;
}

void serve_queue_kill(struct serve_slot *k, int64_t now)
{
	if (k->kind == SLOT_UNUSED || k->kill_at)
		return;
	syscall(SYS_pidfd_send_signal, k->pidfd, SIGTERM, NULL, 0);
	k->kill_at = now + PATIENCE;
}

/* The end of a pipe may be the first bytes of a character. */
static size_t whole_characters(struct str s)
{
	for (size_t back = 1; back <= 3 && back <= s.n; back++) {
		unsigned char c = (unsigned char)s.p[s.n - back];

		if (c >= 0xC0)
			return (c >= 0xF0 ? 4u : c >= 0xE0 ? 3u : 2u) > back ? s.n - back : s.n;
		if (c < 0x80)
			break;
	}
	return s.n;
}

static bool is_full(const struct serve_slot *k)
{
	return k->call && k->call->out.n - k->call->sent > EVENTS_HIGH;
}

/* A run that is being ended does not wait for a caller who does not read: its report has the output. */
static void put_output(struct serve_slot *k, size_t i, bool last)
{
	struct str all = buf_view(&k->held[i]);
	size_t n = last ? all.n : whole_characters(all);

	if (n && k->call && !(k->kill_at && is_full(k))) {
		event_start(k->call, i ? "stderr" : "stdout");
		buf_c(&k->call->out, "{\"text\":");
		json_put_string(&k->call->out, str_sub(all, 0, n));
		buf_char(&k->call->out, '}');
		event_end(k->call);
	}
	if (n == 0)
		return;
	memmove(k->held[i].p, k->held[i].p + n, all.n - n);
	k->held[i].n = all.n - n;
}

/* True: there may be more. */
static bool take_pipe(struct serve_slot *k, size_t i)
{
	char piece[PIECE];
	ssize_t n = k->pipes[i] < 0 ? 0 : read(k->pipes[i], piece, sizeof(piece));

	if (n > 0) {
		buf_add(&k->held[i], piece, (size_t)n);
		put_output(k, i, false);
		return true;
	}
	if (n == 0 && k->pipes[i] >= 0) {
		serve_unwatch(k->s, k->pipes[i]);
		fd_close(&k->pipes[i]);
	}
	return false;
}

static void on_pipe(struct serve_slot *k, size_t i)
{
	if (is_full(k) && !k->kill_at) {
		/* nobody reads: the program waits, and its time limit ends it */
		serve_unwatch(k->s, k->pipes[i]);
		return;
	}
	(void)take_pipe(k, i);
}

static void on_stdout(void *ctx, uint32_t events)
{
	(void)events, on_pipe(ctx, 0);
}
static void on_stderr(void *ctx, uint32_t events)
{
	(void)events, on_pipe(ctx, 1);
}

static void slot_lose_call(struct serve_slot *k)
{
	struct serve_call *c = k->call;

	k->call = NULL;
	close_pipes(k); /* a worker that waits for somebody to read goes on */
	if (c) {
		c->slot = NULL;
		c->usage->running--;
	}
}

static void take_answer(struct serve_slot *k, const struct serve_frame *f, struct str body)
{
	struct serve_call *c = k->call;

	k->answered = true;
	if (!c)
		return;
	for (size_t i = 0; i < 2 && c->stream; i++) {
		while (take_pipe(k, i))
			;
		put_output(k, i, true);
	}
	slot_lose_call(k);
	if (c->stream && c->queued) { /* the status was sent with the first event */
		put_event(c, f->status == 200 ? "report" : "error", body);
		finish_call(c);
		return;
	}
	c->out.n = c->sent = 0;
	c->stream = false;
	c->status = f->status;
	c->type = f->type;
	buf_str(&c->out, body);
	finish_call(c);
}

static void take_frame(struct serve_slot *k, const struct serve_frame *f, struct str body)
{
	if (f->kind == SERVE_ANSWER && !k->answered)
		take_answer(k, f, body);
	if (f->kind != SERVE_BEGUN || body.n > RUN_ID_MAX)
		return;
	memcpy(k->id, body.p, body.n);
	k->s->count.runs++;
	if (!k->call)
		return;
	memcpy(k->call->id, k->id, sizeof(k->id));
	if (k->call->stream) {
		k->call->queued = true;
		event_start(k->call, "started");
		buf_fmt(&k->call->out, "{\"id\":\"%s\"}", k->id);
		event_end(k->call);
	}
}

/* The worker has ended. A call without an answer is told so. */
static void slot_ended(struct serve_slot *k)
{
	struct serve *s = k->s;
	struct serve_call *c = k->call;

	slot_lose_call(k);
	s->early_ends = k->kind == SLOT_WARM ? s->early_ends + 1 : 0;
	s->fill_at = 0;
	if (s->early_ends > EARLY_MAX)
		s->not_before = clock_now() + PAUSE;
	if (k->kind == SLOT_BUSY && !k->answered)
		s->count.lost++;
	if (c && c->stream && c->queued) {
		put_event(c, "error",
				STR("{\"error\":\"lost\",\"message\":\"the worker of this run died\"}"));
		finish_call(c);
	} else if (c) {
		serve_queue_answer(c, 500, "lost", "the worker of this request died");
	}
	slot_free(k);
}

static void on_talk(void *ctx, uint32_t events)
{
	struct serve_slot *k = ctx;
	char piece[PIECE];
	ssize_t n = recv(k->talk, piece, sizeof(piece), MSG_DONTWAIT);
	struct serve_frame f;
	size_t from = 0;

	(void)events;
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		slot_ended(k);
		return;
	}
	if (k->in.n + (size_t)n > SERVE_ANSWER_MAX + PIECE) {
		serve_queue_kill(k, clock_now());
		return;
	}
	buf_add(&k->in, piece, (size_t)n);
	while (k->in.n - from >= sizeof(f)) {
		memcpy(&f, k->in.p + from, sizeof(f));
		if (k->in.n - from - sizeof(f) < f.n)
			break;
		take_frame(k, &f, str_n(k->in.p + from + sizeof(f), f.n));
		from += sizeof(f) + f.n;
	}
	memmove(k->in.p, k->in.p + from, k->in.n - from);
	k->in.n -= from;
}

/* ---- workers come ---- */

static void slot_new(struct serve *s, enum serve_kind work, int talk, int pidfd)
{
	struct serve_slot *k = s->slots;

	while (k < s->slots + SERVE_SLOTS_MAX && k->kind != SLOT_UNUSED)
		k++;
	if (k == s->slots + SERVE_SLOTS_MAX) { /* its socket closes, so it ends */
		close(talk);
		close(pidfd);
		return;
	}
	*k = (struct serve_slot){.s = s,
			.kind = SLOT_WARM,
			.work = work,
			.talk = talk,
			.pidfd = pidfd,
			.pipes = {-1, -1},
			.on_talk = {on_talk, k},
			.on_pipe = {{on_stdout, k}, {on_stderr, k}}};
	if (s->nslots < (size_t)(k - s->slots) + 1)
		s->nslots = (size_t)(k - s->slots) + 1;
	arena_init_in(&k->a, 4 * SERVE_ANSWER_MAX, s->a);
	buf_init(&k->in, &k->a, 2 * SERVE_ANSWER_MAX);
	serve_watch(s, talk, EPOLLIN, &k->on_talk);
}

void serve_queue_control(void *ctx, uint32_t events)
{
	struct serve *s = ctx;
	int talk, pidfd, got;
	enum serve_kind work;

	(void)events;
	while ((got = serve_spawn_take(s->control, &work, &talk, &pidfd)) > 0) {
		s->asked[work] -= s->asked[work] > 0;
		slot_new(s, work, talk, pidfd);
	}
	if (got < 0 && !s->failed) {
		output_error("the spawner of workers is gone");
		s->failed = true;
	}
}

static bool may_start(const struct serve_call *c)
{
	return !c->token.parallel || c->usage->running < c->token.parallel || !c->route->boxed;
}

/* Workers of this kind that are ready while nobody asks. */
static size_t spare_workers(const struct serve *s, enum serve_kind work)
{
	return work == SERVE_UNBOXED ? 1 : work == SERVE_BOXED || s->o->preload ? s->o->pool : 0;
}

static size_t free_slots(const struct serve *s)
{
	size_t used = 1;

	for (size_t i = 0; i < SERVE_KINDS; i++)
		used += s->asked[i];
	for (size_t i = 0; i < s->nslots; i++)
		used += s->slots[i].kind != SLOT_UNUSED;
	return used < SERVE_SLOTS_MAX ? SERVE_SLOTS_MAX - used : 0;
}

/*
 * Making a box takes CPU time that a run which has just begun can use better: the pool is filled up when that
 * has ended, or a little later, unless half of it is gone.
 */
static bool fills_later(const struct serve *s, enum serve_kind work, size_t warm, int64_t now)
{
	return !s->waiting && now < s->fill_at && warm && 2 * warm >= spare_workers(s, work);
}

/* Asks for as many workers as waiting calls need, and for the pool. */
static void ask_for_workers(struct serve *s, enum serve_kind work, int64_t now)
{
	size_t busy = count_busy(s, work), warm = count_work(s, SLOT_WARM, work);
	size_t most = s->o->parallel + (work == SERVE_UNBOXED ? UNBOXED_MORE : 0);
	size_t want = spare_workers(s, work), bound = want + most - (busy < most ? busy : most);
	struct err e;

	if (fills_later(s, work, warm, now))
		return;
	for (const struct serve_call *c = s->first; c; c = c->next)
		want += c->state == CALL_WAITING && c->work == work && may_start(c);
	if (want > bound)
		want = bound;
	for (size_t room = free_slots(s); room && warm + s->asked[work] < want; room--) {
		if (serve_spawn_ask(s->control, work, &e) != 0) {
			s->failed = true;
			return;
		}
		s->asked[work]++;
	}
}

/* ---- calls ---- */

bool serve_queue_add(struct serve_call *c)
{
	struct serve *s = c->s;

	if (s->stop_at) {
		serve_queue_answer(c, 503, "stopping", "the server is stopping");
		return false;
	}
	if (s->waiting >= s->o->queue - (c->usage->waiting ? s->o->queue / QUEUE_KEPT : 0)) {
		s->count.full++;
		serve_queue_answer(c, 429, "busy", "too many requests are waiting: try again later");
		return false;
	}
	c->state = CALL_WAITING;
	c->work = !c->route->boxed ? SERVE_UNBOXED
		  : s->o->preload && serve_seems_python(buf_view(&c->body)) ? SERVE_PRELOADED
									    : SERVE_BOXED;
	c->usage->waiting++;
	s->waiting++;
	return true;
}

static void stop_waiting(struct serve_call *c)
{
	c->usage->waiting--;
	c->s->waiting--;
}

void serve_queue_leave(struct serve_call *c)
{
	struct serve_slot *k = c->slot;

	if (c->state == CALL_WAITING)
		stop_waiting(c);
	if (k) {
		slot_lose_call(k);
		serve_queue_kill(k, clock_now());
	}
	c->state = CALL_ANSWERED;
}

static int open_pipes(struct serve_slot *k, int ret_ends[2])
{
	for (size_t i = 0; i < 2; i++) {
		int ends[2];

		if (pipe2(ends, O_CLOEXEC) != 0)
			return -1;
		k->pipes[i] = ends[0];
		ret_ends[i] = ends[1];
		if (fcntl(ends[0], F_SETFL, O_NONBLOCK) != 0)
			return -1;
		buf_init(&k->held[i], &k->a, 0);
		serve_watch(k->s, ends[0], EPOLLIN, &k->on_pipe[i]);
	}
	return 0;
}

/* Sends the request: the body as a memory file, so that the server never waits for a worker. */
static int send_job(struct serve_slot *k, struct serve_call *c)
{
	struct serve_job job = {.route = (uint32_t)serve_route_number(c->route),
			.scopes = c->token.scopes,
			.stream = c->stream};
	int fds[3] = {-1, -1, -1}, rc = -1;
	struct err e;

	memcpy(job.token, c->token.name, sizeof(job.token));
	memcpy(job.target, c->target, sizeof(job.target));
	fds[0] = fd_of_text("request", buf_view(&c->body), &e);
	if (fds[0] >= 0 && (!c->stream || open_pipes(k, fds + 1) == 0))
		rc = fds_send(k->talk, &job, sizeof(job), fds, c->stream ? 3 : 1) == sizeof(job) ? 0 : -1;
	for (size_t i = 0; i < 3; i++)
		fd_close(&fds[i]);
	return rc;
}

static struct serve_slot *warm_slot(struct serve *s, enum serve_kind work)
{
	for (size_t i = 0; i < s->nslots; i++)
		if (s->slots[i].kind == SLOT_WARM && s->slots[i].work == work && !s->slots[i].kill_at)
			return &s->slots[i];
	return work == SERVE_PRELOADED ? warm_slot(s, SERVE_BOXED) : NULL;
}

static void start_call(struct serve_slot *k, struct serve_call *c)
{
	struct serve *s = k->s;

	stop_waiting(c);
	c->state = CALL_RUNNING;
	c->slot = k;
	c->usage->running++;
	k->call = c;
	k->kind = SLOT_BUSY;
	k->since = clock_now();
	s->fill_at = k->since + FILL_LATER;
	memcpy(k->token, c->token.name, sizeof(k->token));
	if (send_job(k, c) != 0) /* its end, which follows, answers the call */
		serve_queue_kill(k, k->since);
	serve_http_drop_body(c);
}

/* The oldest call of the caller with the fewest runs: no caller starves another. NULL: none can start. */
static struct serve_call *next_call(struct serve *s, enum serve_kind work)
{
	struct serve_call *best = NULL;

	for (struct serve_call *c = s->first; c; c = c->next)
		if (c->state == CALL_WAITING && c->work == work && may_start(c) &&
				(!best || c->usage->running < best->usage->running))
			best = c;
	return best;
}

static void start_waiting(struct serve *s, enum serve_kind work)
{
	struct serve_slot *k;
	struct serve_call *c;

	while ((work == SERVE_UNBOXED || count_busy(s, work) < s->o->parallel) &&
			(c = next_call(s, work)) && (k = warm_slot(s, work)))
		start_call(k, c);
}

/*
 * Pipes that were full are read again when the caller has read. A caller who reads too slowly for too long
 * would keep a box: its connection is ended.
 */
static void look_after_pipes(struct serve_slot *k, int64_t now)
{
	bool full = is_full(k);

	if (!full)
		k->full_since = 0;
	else if (!k->full_since)
		k->full_since = now;
	else if (now > k->full_since + STALLED)
		serve_connection_end(k->call);
	for (size_t p = 0; p < 2 && (!full || k->kill_at); p++)
		if (k->pipes[p] >= 0)
			serve_watch(k->s, k->pipes[p], EPOLLIN, &k->on_pipe[p]);
}

static void look_after_streams(struct serve *s, int64_t now)
{
	for (size_t i = 0; i < s->nslots; i++)
		if (s->slots[i].kind == SLOT_BUSY && s->slots[i].call && s->slots[i].call->stream)
			look_after_pipes(&s->slots[i], now);
}

void serve_queue_close(struct serve *s)
{
	for (size_t i = 0; i < s->nslots; i++)
		if (s->slots[i].kind != SLOT_UNUSED)
			slot_free(&s->slots[i]);
}

void serve_queue_turn(struct serve *s, int64_t now)
{
	for (size_t i = SERVE_KINDS; i-- > 0;)
		start_waiting(s, (enum serve_kind)i);
	for (size_t i = SERVE_KINDS; i-- > 0 && !s->stop_at && now >= s->not_before;)
		ask_for_workers(s, (enum serve_kind)i, now);
	look_after_streams(s, now);
	for (size_t i = 0; i < s->nslots; i++) {
		struct serve_slot *k = &s->slots[i];

		if (k->kind != SLOT_UNUSED && k->kill_at && now >= k->kill_at) {
			syscall(SYS_pidfd_send_signal, k->pidfd, SIGKILL, NULL, 0);
			k->kill_at = now + PATIENCE;
		}
	}
}
