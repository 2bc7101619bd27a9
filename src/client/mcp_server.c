/*
 * The MCP server: lines in, lines out, several concurrent calls.
 *
 * Processes:
 *
 *   - The server only reads, writes and waits.
 *   - Each tool call is a child that the server forks. The child does the work (for `run` it is the launcher
 *     of the box) and writes lines into a pipe: progress first, one answer at the end. The server forwards
 *     them unchanged.
 *
 * So calls do not wait for each other. Cancelling a call kills its child. If a child dies, only its own call
 * fails, and the server answers it. A child dies with the server (parent-death signal), and a box with its
 * launcher (src/box). A box that went to the background has a holder, which sees the end of the server by a
 * pidfd (run/job_hold.h).
 *
 * Bounds: MCP_RUNNING_MAX children and MCP_WAITING_MAX queued calls; further calls fail at once. While the
 * client does not read its answers, the server reads neither from the client nor from the children.
 *
 * Shutdown: at EOF on standard input, running calls get a moment to finish, so that a client that writes all
 * its lines and closes gets its quick answers. Then everything is killed. If nobody reads standard output any
 * more, that happens at once.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/json_write.h"
#include "client/mcp.h"
#include "judge/engine.h"
#include "sys/clock.h"
#include "sys/file.h"
#include "sys/ids.h"
#include "sys/process.h"

#define MS 1000000LL
#define GRACE (1000 * MS)        /* from EOF to killing the running calls */
#define PATIENCE (3000 * MS)     /* from SIGTERM to SIGKILL */
#define DRAIN (3000 * MS)        /* for a client that does not read its last answers */
#define PIECE 65536
#define WRITE_PIECE 4096         /* a writable pipe takes this much without blocking */
#define OUT_HIGH ((size_t)4 << 20)   /* bytes queued for output; beyond it the server stops reading */
#define OUT_MAX ((size_t)512 << 20)
#define LINE_ARENA ((size_t)512 << 20)
/* in the child: both streams at their maximum, and the texts derived from them */
#define CALL_ARENA ((size_t)4 << 30)
#define BATCHES 8
#define SLOTS (MCP_RUNNING_MAX + MCP_WAITING_MAX)
#define NAME_MAX_BYTES 200       /* bytes of an agent's name */
#define CALL_FD 3                /* the child's pipe to the server */

struct mcp_batch { /* answers sent together */
	bool used;
	size_t pending;
	struct arena a;
	struct buf b;
};

enum slot_state { SLOT_FREE, SLOT_WAITING, SLOT_RUNNING };

struct slot { /* one call */
	enum slot_state state;
	uint64_t seq;
	struct arena a;            /* holds the message and the child's output */
	struct mcp_message m;
	struct arena call;         /* holds m.params until the child has them */
	struct str agent;
	struct mcp_batch *batch;
	pid_t pid;
	int pidfd, fd;
	struct buf in;
	bool cancelled, answered;
	int64_t kill_at;           /* time of the SIGKILL; 0: not requested */
};

struct server {
	struct arena *a;           /* parent of all other arenas */
	struct arena_cleanup cleanup; /* ends the calls on unwinding */
	const struct mcp_options *o;
	int in, out;
	struct mcp_splitter lines;
	struct arena out_a;
	struct buf waiting;        /* output queue; bytes before `sent` are written */
	size_t sent;
	struct slot slots[SLOTS];
	struct mcp_batch batches[BATCHES];
	uint64_t seq;
	char client[NAME_MAX_BYTES + 1]; /* name given in `initialize` */
	char session[ID_LETTERS + 1];    /* whose end ends boxes in the background; empty: there are none */
	struct str version;        /* agreed on in `initialize`; empty: not yet */
	bool in_ended, out_failed;
	int64_t end_at;            /* time to kill everything; 0: not yet */
	int64_t drain_until;       /* time to give up on the last answers; 0: not yet */
};

struct turn { /* one line being handled */
	struct server *s;
	struct arena *a;
	struct str line;
	struct mcp_frame frame;
	struct mcp_batch *batch;   /* NULL: a single message */
};

/* ---- out ---- */

static void send_line(struct server *s, struct str line)
{
	if (s->out_failed)
		return;
	if (s->waiting.n - s->sent + line.n > OUT_MAX) {
		s->out_failed = true;
		return;
	}
	buf_str(&s->waiting, line);
}

static void out_init(struct server *s)
{
	arena_init_in(&s->out_a, 4 * OUT_MAX, s->a);
	buf_init(&s->waiting, &s->out_a, 2 * OUT_MAX);
	s->sent = 0;
}

static void write_some(struct server *s)
{
	struct str rest = str_sub(buf_view(&s->waiting), s->sent, s->waiting.n);
	ssize_t n = write(s->out, rest.p, rest.n < WRITE_PIECE ? rest.n : WRITE_PIECE);

	if (n < 0 && errno != EINTR && errno != EAGAIN)
		s->out_failed = true;
	if (n > 0)
		s->sent += (size_t)n;
	if (s->sent < s->waiting.n)
		return;
	s->waiting.n = s->sent = 0;
	if (s->out_a.used > OUT_HIGH) {
		arena_free(&s->out_a);
		out_init(s);
	}
}

static bool is_choked(const struct server *s) { return s->waiting.n - s->sent > OUT_HIGH; }

/* Sends an answer: at once, or with the others of its batch. */
static void send_reply(struct server *s, struct mcp_batch *b, struct str line)
{
	if (!b) {
		send_line(s, line);
		return;
	}
	buf_char(&b->b, b->b.n ? ',' : '[');
	buf_str(&b->b, str_first(line, line.n - 1));
}

static void batch_done(struct server *s, struct mcp_batch *b)
{
	if (!b || --b->pending)
		return;
	if (b->b.n) {
		buf_c(&b->b, "]\n");
		send_line(s, buf_view(&b->b));
	}
	arena_free(&b->a);
	b->used = false;
}

static struct mcp_batch *batch_new(struct server *s)
{
	for (size_t i = 0; i < BATCHES; i++) {
		struct mcp_batch *b = &s->batches[i];

		if (b->used)
			continue;
		*b = (struct mcp_batch){.used = true, .pending = 1};
		arena_init_in(&b->a, 4 * OUT_MAX, s->a);
		buf_init(&b->b, &b->a, OUT_MAX);
		return b;
	}
	return NULL;
}

/* ---- calls: the child ---- */

static int call_tool(void *arg)
{
	mcp_call_do(arg);
	return 0;
}

struct refusal { /* fallback answer of a call that ran out of memory */
	struct arena a;
	const struct mcp_message *m;
	const char *version;
};

static int refuse_call(void *arg)
{
	struct refusal *r = arg;
	struct buf b;

	buf_init(&b, &r->a, 0);
	buf_char(&b, 'R');
	mcp_put_failure(&b, r->m, r->version, "the memory limit was reached");
	fd_write_all(CALL_FD, "the server", buf_view(&b), NULL);
	return 0;
}

/* Never returns. Only standard error and the pipe stay open from the server. */
static void run_child(struct server *s, struct slot *k, int out, pid_t server)
{
	struct arena a;
	struct mcp_call c = {.o = s->o, .a = &a, .m = &k->m, .agent = k->agent, .out = CALL_FD,
			.session = str_of(s->session), .server = server};
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (prctl(PR_SET_PDEATHSIG, SIGTERM) != 0 || getppid() != server)
		_exit(1);
	if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(null, STDOUT_FILENO) < 0 ||
			(out != CALL_FD && dup3(out, CALL_FD, O_CLOEXEC) < 0))
		_exit(1);
	syscall(SYS_close_range, CALL_FD + 1, ~0U, 0);
	arena_init(&a, CALL_ARENA);
	if (arena_run(&a, call_tool, &c) < 0) {
		struct refusal r = {.m = &k->m, .version = s->o->version};

		arena_init(&r.a, ARENA_CAP_DEFAULT);
		/* if even that fails, the server reports a missing answer */
		(void)arena_run(&r.a, refuse_call, &r);
	}
	_exit(0);
}

/* ---- calls: the server's side ---- */

static void slot_free(struct server *s, struct slot *k)
{
	struct mcp_batch *b = k->batch;

	if (k->state == SLOT_RUNNING) {
		close(k->fd);
		close(k->pidfd);
	}
	arena_free(&k->a);
	arena_free(&k->call);
	*k = (struct slot){0};
	batch_done(s, b);
}

static void slot_failed(struct server *s, struct slot *k, const char *why)
{
	struct arena a;
	struct buf b;

	if (k->answered || k->cancelled)
		return;
	arena_init_in(&a, ARENA_CAP_DEFAULT, s->a);
	buf_init(&b, &a, 0);
	mcp_put_failure(&b, &k->m, s->o->version, why);
	send_reply(s, k->batch, buf_view(&b));
	arena_free(&a);
	k->answered = true;
}

static int slot_start(struct server *s, struct slot *k)
{
	pid_t self = getpid(), pid;
	int fds[2];

	if (pipe2(fds, O_CLOEXEC) != 0)
		return -1;
	pid = process_fork(s->a);
	if (pid == 0)
		run_child(s, k, fds[1], self);
	close(fds[1]);
	k->pidfd = pid < 0 ? -1 : (int)syscall(SYS_pidfd_open, pid, 0);
	if (k->pidfd < 0 || fcntl(fds[0], F_SETFL, O_NONBLOCK) != 0) {
		if (pid > 0) {
			kill(pid, SIGKILL);
			waitpid(pid, NULL, 0);
		}
		if (k->pidfd >= 0)
			close(k->pidfd);
		close(fds[0]);
		return -1;
	}
	k->pid = pid;
	k->fd = fds[0];
	k->state = SLOT_RUNNING;
	arena_free(&k->call);
	k->m.params = NULL;
	return 0;
}

static size_t count_slots(const struct server *s, enum slot_state state)
{
	size_t n = 0;

	for (size_t i = 0; i < SLOTS; i++)
		n += s->slots[i].state == state;
	return n;
}

static void start_waiting(struct server *s)
{
	size_t most = s->o->parallel ? s->o->parallel : MCP_RUNNING_MAX;

	while (count_slots(s, SLOT_RUNNING) < most) {
		struct slot *first = NULL;

		for (size_t i = 0; i < SLOTS; i++)
			if (s->slots[i].state == SLOT_WAITING && (!first || s->slots[i].seq < first->seq))
				first = &s->slots[i];
		if (!first)
			return;
		if (slot_start(s, first) != 0) {
			slot_failed(s, first, "a process for this call could not be started");
			slot_free(s, first);
		}
	}
}

static void slot_kill(struct slot *k, int64_t now)
{
	if (k->state != SLOT_RUNNING || k->kill_at)
		return;
	kill(k->pid, SIGTERM); /* a launcher first ends its box and records that */
	k->kill_at = now + PATIENCE;
}

static void take_line(struct server *s, struct slot *k, struct str line)
{
	char kind = line.p[0];

	if (k->cancelled || k->answered)
		return;
	line = str_from(line, 1);
	if (kind == 'P') {
		send_line(s, line);
		return;
	}
	k->answered = true;
	send_reply(s, k->batch, line);
}

/* Reads all available output. After the answer, further output is dropped. */
static void take_output(struct server *s, struct slot *k)
{
	char piece[PIECE];
	ssize_t n;

	while ((n = fd_read(k->fd, piece, sizeof(piece))) > 0) {
		size_t from = 0;
		ptrdiff_t end;

		if (k->answered || k->cancelled)
			continue;
		if (k->in.n + (size_t)n > MCP_LINE_MAX + PIECE) {
			slot_failed(s, k, "the answer is too long");
			slot_kill(k, clock_now());
			return;
		}
		end = (ptrdiff_t)k->in.n;
		buf_add(&k->in, piece, (size_t)n);
		while ((end = str_find(buf_view(&k->in), '\n', (size_t)end)) >= 0) {
			take_line(s, k, str_sub(buf_view(&k->in), from, (size_t)++end));
			from = (size_t)end;
		}
		memmove(k->in.p, k->in.p + from, k->in.n - from);
		k->in.n -= from;
	}
}

static void reap_call(struct server *s, struct slot *k)
{
	char why[80] = "the call ended without an answer";
	int status = 0;

	take_output(s, k);
	waitpid(k->pid, &status, 0);
	if (WIFSIGNALED(status))
		snprintf(why, sizeof(why), "the call was ended by signal %d", WTERMSIG(status));
	slot_failed(s, k, why);
	slot_free(s, k);
}

static struct slot *slot_of(struct server *s, struct str id)
{
	for (size_t i = 0; i < SLOTS; i++)
		if (s->slots[i].state != SLOT_FREE && !s->slots[i].cancelled && !s->slots[i].answered &&
				str_eq(s->slots[i].m.id, id))
			return &s->slots[i];
	return NULL;
}

/* ---- methods ---- */

static void put_versions(struct buf *b)
{
	buf_char(b, '[');
	for (size_t i = 0; mcp_version_at(i); i++)
		buf_fmt(b, "%s\"%s\"", i ? "," : "", mcp_version_at(i));
	buf_char(b, ']');
}

static void put_server(struct turn *t, struct buf *b)
{
	buf_c(b, "\"capabilities\":{\"tools\":{}},\"serverInfo\":{\"name\":\"caisson\","
			"\"title\":\"Caisson\",\"version\":");
	json_put_string(b, str_of(t->s->o->version));
	buf_c(b, "},\"instructions\":");
	json_put_string(b, mcp_instructions(t->a, t->s->o));
}

static void answer_error(struct turn *t, struct mcp_batch *b, struct str id, int code, const char *why,
		struct str data)
{
	struct buf out;

	buf_init(&out, t->a, 0);
	mcp_put_error(&out, id, code, str_of(why), data);
	send_reply(t->s, b, buf_view(&out));
}

static void answer_message(struct turn *t, struct mcp_batch *b, const struct mcp_message *m,
		struct str fields)
{
	struct buf out;

	buf_init(&out, t->a, 0);
	mcp_put_result(&out, m, t->s->o->version, fields);
	send_reply(t->s, b, buf_view(&out));
}

static void on_initialize(struct turn *t, struct mcp_batch *batch, const struct mcp_message *m)
{
	struct str wanted = json_text_at(m->params, "protocolVersion"),
			name = json_text_at(json_key(m->params, "clientInfo"),  "name");
	struct server *s = t->s;
	struct buf b;

	if (batch || !wanted.n) {
		answer_error(t, batch, m->id, batch ? MCP_INVALID_REQUEST : MCP_INVALID_PARAMS,
				batch ? "initialize must not be part of a batch" :
				"'protocolVersion' is missing or not a string", STR(""));
		return;
	}
	s->version = str_of(mcp_version_at(1));
	for (size_t i = 1; mcp_version_at(i); i++)
		if (str_is(wanted, mcp_version_at(i)))
			s->version = str_of(mcp_version_at(i));
	name = str_first(name, NAME_MAX_BYTES);
	if (!str_has(name, '\0')) {
		memcpy(s->client, name.p, name.n);
		s->client[name.n] = '\0';
	}
	buf_init(&b, t->a, 0);
	buf_fmt(&b, "\"protocolVersion\":\"%.*s\",", STR_ARG(s->version));
	put_server(t, &b);
	answer_message(t, batch, m, buf_view(&b));
}

static void on_discover(struct turn *t, struct mcp_batch *batch, const struct mcp_message *m)
{
	struct mcp_message modern = *m;
	struct buf b;

	modern.version = STR(MCP_MODERN);
	buf_init(&b, t->a, 0);
	buf_c(&b, "\"supportedVersions\":");
	put_versions(&b);
	buf_char(&b, ',');
	put_server(t, &b);
	buf_c(&b, ",\"ttlMs\":0,\"cacheScope\":\"private\"");
	answer_message(t, batch, &modern, buf_view(&b));
}

static void on_ping(struct turn *t, struct mcp_batch *batch, const struct mcp_message *m)
{
	answer_message(t, batch, m, STR(""));
}

static void on_list(struct turn *t, struct mcp_batch *batch, const struct mcp_message *m)
{
	const struct json *cursor = json_key(m->params, "cursor");
	struct buf b;

	if (cursor && !json_is(cursor, JSON_NULL)) {
		answer_error(t, batch, m->id, MCP_INVALID_PARAMS, "'cursor' is not supported: there is only "
				"one page",
				STR(""));
		return;
	}
	buf_init(&b, t->a, 0);
	mcp_tools_list(&b, t->s->o);
	if (mcp_modern(m))
		buf_c(&b, ",\"ttlMs\":0,\"cacheScope\":\"private\"");
	answer_message(t, batch, m, buf_view(&b));
}

/* The line is freed before the call starts, so parse its params again from a copy. */
static const struct json *keep_params(struct arena *a, struct str line, const struct json *params)
{
	struct json *copy = NULL;

	json_read(a, str_dup(a, str_sub(line, params->from, params->to)), &copy, NULL);
	return copy;
}

static void keep_message(struct slot *k, const struct mcp_message *m, struct str line, struct str agent)
{
	k->m = *m;
	k->m.id = str_dup(&k->a, m->id);
	k->m.method = STR("tools/call");
	k->m.token = str_dup(&k->a, m->token);
	k->m.version = str_dup(&k->a, m->version);
	k->m.client = str_dup(&k->a, m->client);
	k->m.tool_use = str_dup(&k->a, m->tool_use);
	k->m.params = keep_params(&k->call, line, m->params);
	k->agent = str_dup(&k->a, str_first(agent, NAME_MAX_BYTES));
	buf_init(&k->in, &k->a, MCP_LINE_MAX + 2 * PIECE);
}

static void on_call(struct turn *t, struct mcp_batch *batch, const struct mcp_message *m)
{
	const char *wrong = mcp_call_wrong(t->a, t->s->o, m);
	struct server *s = t->s;
	struct slot *k = NULL;
	struct buf b;

	if (wrong) {
		answer_error(t, batch, m->id, MCP_INVALID_PARAMS, wrong, STR(""));
		return;
	}
	for (size_t i = 0; i < SLOTS && !k; i++)
		if (s->slots[i].state == SLOT_FREE)
			k = &s->slots[i];
	if (!k || count_slots(s, SLOT_WAITING) >= MCP_WAITING_MAX) {
		buf_init(&b, t->a, 0);
		mcp_put_failure(&b, m, s->o->version,
				"too many calls at once: try again when some of them have been answered");
		send_reply(s, batch, buf_view(&b));
		return;
	}
	*k = (struct slot){.seq = s->seq++, .batch = batch};
	arena_init_in(&k->a, 4 * MCP_LINE_MAX, t->a);
	arena_init_in(&k->call, 4 * MCP_LINE_MAX, t->a);
	keep_message(k, m, t->line, m->client.n ? m->client : str_of(s->client));
	arena_adopt(&k->a, s->a);
	arena_adopt(&k->call, s->a);
	k->state = SLOT_WAITING;
	if (batch)
		batch->pending++;
	start_waiting(s);
}

static void on_cancelled(struct turn *t, const struct mcp_message *m)
{
	struct slot *k = slot_of(t->s, mcp_name(t->a, json_key(m->params, "requestId")));

	if (!k)
		return;
	k->cancelled = true;
	if (k->state == SLOT_WAITING)
		slot_free(t->s, k);
	else
		slot_kill(k, clock_now());
}

static const struct method {
	const char *name;
	bool legacy, modern; /* eras that have the method */
	void (*fn)(struct turn *t, struct mcp_batch *batch, const struct mcp_message *m);
} methods[] = {
	{"initialize", true, false, on_initialize},
	{"ping", true, false, on_ping},
	/* first request of a client of the newer era, perhaps without a version */
	{"server/discover", true, true, on_discover},
	{"tools/list", true, true, on_list},
	{"tools/call", true, true, on_call},
};

static void on_request(struct turn *t, struct mcp_batch *batch, const struct mcp_message *m)
{
	struct buf data;

	if (slot_of(t->s, m->id)) {
		answer_error(t, batch, m->id, MCP_INVALID_REQUEST, "this id is in use", STR(""));
		return;
	}
	if (m->version.n && !mcp_modern(m)) {
		buf_init(&data, t->a, 0);
		buf_c(&data, "{\"supported\":");
		put_versions(&data);
		buf_c(&data, ",\"requested\":");
		json_put_string(&data, m->version);
		buf_char(&data, '}');
		answer_error(t, batch, m->id, MCP_VERSION_ERROR, "unsupported protocol version",
				buf_view(&data));
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(methods); i++)
		if (str_is(m->method, methods[i].name) &&
				(mcp_modern(m) ? methods[i].modern : methods[i].legacy)) {
			methods[i].fn(t, batch, m);
			return;
		}
	answer_error(t, batch, m->id, MCP_NO_METHOD,
			str_fmt_c(t->a, "method not found: %.*s", STR_ARG(m->method)), STR(""));
}

static void on_message(struct turn *t, struct mcp_batch *batch, const struct mcp_message *m)
{
	switch (m->kind) {
	case MCP_BAD:
		answer_error(t, batch, m->id, m->code, m->why, STR(""));
		break;
	case MCP_REQUEST:
		on_request(t, batch, m);
		break;
	case MCP_NOTIFICATION:
		if (str_is(m->method, "notifications/cancelled"))
			on_cancelled(t, m);
		break;
	case MCP_RESPONSE:
		break;
	}
}

/* ---- lines ---- */

static int handle_line(void *arg)
{
	struct turn *t = arg;

	mcp_frame_read(t->a, t->line, &t->frame);
	if (t->frame.batch && !str_is(t->s->version, MCP_BATCHES)) {
		answer_error(t, NULL, STR("null"), MCP_INVALID_REQUEST,
				"several messages in one line are not part of this version", STR(""));
		return 0;
	}
	if (t->frame.batch) {
		t->batch = batch_new(t->s);
		if (!t->batch) {
			answer_error(t, NULL, STR("null"), MCP_INVALID_REQUEST,
					"too many lists of messages at once", STR(""));
			return 0;
		}
	}
	for (size_t i = 0; i < t->frame.n; i++)
		on_message(t, t->batch, &t->frame.v[i]);
	return 0;
}

static void one_line(struct server *s, int kind, struct str line)
{
	struct arena a;
	struct turn t = {.s = s, .a = &a, .line = line};

	arena_init_in(&a, LINE_ARENA, s->a);
	if (kind == MCP_TOO_LONG)
		answer_error(&t, NULL, STR("null"), MCP_INVALID_REQUEST, "the line is too long", STR(""));
	else if (arena_run(&a, handle_line, &t) < 0)
		send_line(s, STR(
				"{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32603,\"message\":\""
				"the memory limit was reached\"}}\n"));
	batch_done(s, t.batch);
	arena_free(&a);
}

static void take_input(struct server *s)
{
	char piece[PIECE];
	ssize_t n = read(s->in, piece, sizeof(piece));
	struct str line;
	int kind;

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n <= 0) {
		s->in_ended = true;
		s->end_at = clock_now() + GRACE;
		return;
	}
	mcp_splitter_feed(&s->lines, str_n(piece, (size_t)n));
	while ((kind = mcp_splitter_next(&s->lines, &line)) != MCP_MORE)
		one_line(s, kind, line);
}

/* ---- the loop ---- */

static int wait_ms(const struct server *s, int64_t now)
{
	int64_t until = s->drain_until ? s->drain_until : s->end_at ? s->end_at : INT64_MAX;

	for (size_t i = 0; i < SLOTS; i++)
		if (s->slots[i].kill_at && s->slots[i].kill_at < until)
			until = s->slots[i].kill_at;
	return until == INT64_MAX ? -1 : until <= now ? 0 : (int)((until - now) / MS) + 1;
}

/* Ends the calls whose deadline has passed. */
static void enforce_deadlines(struct server *s, int64_t now)
{
	bool over = s->end_at && (now >= s->end_at || s->out_failed);

	for (size_t i = 0; i < SLOTS; i++) {
		struct slot *k = &s->slots[i];

		if (over && k->state == SLOT_WAITING) {
			k->cancelled = true;
			slot_free(s, k);
		} else if (over && k->state == SLOT_RUNNING) {
			k->cancelled = true;
			slot_kill(k, now);
		}
		if (k->state == SLOT_RUNNING && k->kill_at && now >= k->kill_at) {
			kill(k->pid, SIGKILL);
			k->kill_at = now + PATIENCE;
		}
	}
	if (over && s->end_at <= now)
		s->end_at = now + PATIENCE; /* only sets the next wake-up */
}

static void poll_once(struct server *s)
{
	struct pollfd fds[2 + 2 * SLOTS];
	struct slot *of[2 + 2 * SLOTS];
	nfds_t n = 2;
	bool full = is_choked(s);

	fds[0] = (struct pollfd){.fd = s->in_ended || full ? -1 : s->in, .events = POLLIN};
	/* Even with no events set, poll() reports that the reader is gone. */
	fds[1] = (struct pollfd){.fd = s->out_failed ? -1 : s->out,
			.events = s->sent < s->waiting.n ? POLLOUT : 0};
	for (size_t i = 0; i < SLOTS; i++)
		if (s->slots[i].state == SLOT_RUNNING) {
			of[n] = of[n + 1] = &s->slots[i];
			fds[n++] = (struct pollfd){.fd = full ? -1 : s->slots[i].fd, .events = POLLIN};
			fds[n++] = (struct pollfd){.fd = full ? -1 : s->slots[i].pidfd, .events = POLLIN};
		}
	if (poll(fds, n, wait_ms(s, clock_now())) < 0)
		return;
	if (fds[1].revents & POLLOUT)
		write_some(s);
	else if (fds[1].revents & (POLLERR | POLLNVAL | POLLHUP))
		s->out_failed = true;
	for (nfds_t i = 2; i < n; i += 2) {
		if (fds[i + 1].revents)
			reap_call(s, of[i]);
		else if (fds[i].revents & POLLIN)
			take_output(s, of[i]);
		else if (fds[i].revents)
			poll(NULL, 0, 1); /* the child closed its end and is about to exit */
	}
	if (fds[0].revents)
		take_input(s);
	if (s->out_failed && !s->end_at)
		s->in_ended = true, s->end_at = clock_now();
	enforce_deadlines(s, clock_now());
	start_waiting(s);
}

/* True if nothing runs and all output is written, or nobody reads it. */
static bool is_finished(struct server *s)
{
	if (!s->in_ended || count_slots(s, SLOT_FREE) < SLOTS)
		return false;
	if (!s->drain_until)
		s->drain_until = clock_now() + DRAIN;
	s->out_failed |= s->sent < s->waiting.n && clock_now() > s->drain_until;
	return s->out_failed || s->sent == s->waiting.n;
}

/* Ends calls as at EOF: a launcher is asked to end its box first. */
static void end_calls(void *ptr)
{
	struct server *s = ptr;

	for (size_t i = 0; i < SLOTS; i++)
		slot_kill(&s->slots[i], clock_now());
	for (size_t i = 0; i < SLOTS; i++) {
		struct slot *k = &s->slots[i];

		if (k->state == SLOT_RUNNING) {
			if (poll(&(struct pollfd){.fd = k->pidfd, .events = POLLIN}, 1,
					(int)(PATIENCE / MS)) <= 0)
				kill(k->pid, SIGKILL);
			waitpid(k->pid, NULL, 0);
			fd_close(&k->fd);
			fd_close(&k->pidfd);
		}
		k->state = SLOT_FREE;
	}
}

int mcp_serve(struct arena *a, const struct mcp_options *o, int in, int out, struct err *e)
{
	struct server *s = arena_copy(a, (struct server){.a = a, .o = o, .in = in, .out = out,
			.version = STR("")});

	arena_defer(a, &s->cleanup, end_calls, s);
	if (o->keeps && id_new(s->session, e) != 0)
		return -1;
	mcp_splitter_init(&s->lines, a);
	out_init(s);
	while (!is_finished(s))
		poll_once(s);
	return s->out_failed ? err_host(e, "the client does not read its answers") : 0;
}
