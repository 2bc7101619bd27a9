/* See job_hold.h. */
#define _GNU_SOURCE
#include "run/job_hold.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "audit/read.h"
#include "base/json_write.h"
#include "base/num.h"
#include "keeper/background.h"
#include "keeper/keeper.h"
#include "result/normalise.h"
#include "run/job_network.h"
#include "run/job_record.h"
#include "run/publish.h"
#include "sys/clock.h"
#include "sys/file.h"
#include "sys/ids.h"
#include "sys/listening.h"
#include "sys/peer.h"
#include "sys/state.h"

#define HINT "background"
#define ACTIVE_MS 20      /* CPU time between two looks: less is idle */
#define CHILDREN_MAX 4096 /* bytes of a list of pids */
#define LEND_MS 500                   /* until the first look for a server in the box */
#define LISTENING_ARENA_MAX ((size_t)4 << 20)
#define ARGV_MAX 300      /* bytes of a command line in a report */

/* ---- what stays ---- */

/* A program chooses its own name, so it is shown like output. */
static void add_process(struct job_hold *h, struct str pid)
{
	struct texts **end = &h->about.processes;
	const char *path = str_fmt_c(h->a, "/proc/%.*s/cmdline", STR_ARG(pid));
	FD_CLEANUP int fd = open(path, O_RDONLY | O_CLOEXEC);
	char text[ARGV_MAX];
	struct sanitized counts = {0};
	struct str raw;
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text));

	if (n <= 0)
		return;
	for (ssize_t i = 0; i < n; i++)
		if (!text[i])
			text[i] = ' ';
	while (n > 0 && text[n - 1] == ' ')
		n--;
	raw = normalise_text(
			h->a, str_dup(h->a, str_n(text, (size_t)n)), &(struct normalise_options){0}, &counts);
	texts_add(h->a, end, record_redact(h->a, &h->j->record, raw));
}

/* Processes whose parent has ended are children of init, and so is the program. */
static void look_at_processes(struct job_hold *h)
{
	char path[64], text[CHILDREN_MAX];
	struct str rest;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)h->box.init, (int)h->box.init);
	FD_CLEANUP int fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, text, sizeof(text));
	rest = str_n(text, n > 0 ? (size_t)n : 0);
	if (network_isolated(&h->j->run.spec.network))
		h->about.nports = listening_ports(h->a, h->box.init, h->about.ports, RUN_PORTS_MAX);
	for (size_t i = 0; i < JOB_HOLD_PROCESSES; i++) {
		struct str pid = str_cut(&rest, ' ');

		if (!pid.n)
			break;
		add_process(h, pid);
	}
}

/* ---- the launcher ---- */

static void close_all(struct job_hold *h)
{
	fd_close(&h->keeper);
	fd_close(&h->dir);
	fd_close(&h->lock);
	fd_close(&h->log);
	fd_close(&h->box.client);
	h->box.keeper = -1;
}

static void cancel(void *ctx)
{
	struct job_hold *h = ctx;

	if (h->dir >= 0)
		background_unmake(h->a, h->state, str_of(h->id));
	close_all(h);
}

static struct str session_of(struct job_hold *h)
{
	struct str s = str_dup(h->a, h->j->who.session);

	s.n = s.n < 71 ? s.n : 71;
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] < 0x21 || s.p[i] > 0x7e)
			((char *)s.p)[i] = '?';
	return s;
}

static int name_box(struct job_hold *h, struct err *e)
{
	struct str id = h->j->run.id;

	if (h->left)
		return id_new(h->id, e);
	if (id.n >= sizeof(h->id))
		return err_internal(e, "the id of the run is too long");
	memcpy(h->id, id.p, id.n);
	h->id[id.n] = 0;
	return 0;
}

static int make_entry(struct job_hold *h, struct err *e)
{
	const struct job *j = h->j;
	char now[AUDIT_TS_CHARS + 1];
	struct background b = {.id = str_of(h->id),
			.of = j->run.id,
			.session = j->who.session,
			.client = j->who.client,
			.project = j->run.spec.workspace,
			.init = h->box.init,
			.init_start = peer_start_time(h->box.init),
			.shares = j->run.spec.shares,
			.network = str_of(h->key)};

	audit_time_text(clock_real_us(), now);
	b.started = str_of(now);
	b.command = record_redact(h->a, &h->j->record, j->run.gate_request.command);
	if (background_make(h->a, h->state, &b, &h->dir, &h->lock, e) != 0)
		return -1;
	/* A reader of the log finds it as soon as the launcher has answered. */
	h->log = background_log(h->dir);
	return h->log < 0 ? err_system(e, "cannot make the log of the box") : 0;
}

static struct keeper_wait wait_of(const struct job_hold *h)
{
	return (struct keeper_wait){.due = clock_now() + KEEPER_WAIT_MS * 1000000LL, .tick = h->box.tick,
			.ctx = h->box.tick_ctx};
}

static int ask(void *ctx, bool left, int *ret_life, struct err *e)
{
	struct job_hold *h = ctx;
	const struct view *v = h->j->world.context.view;
	const struct keeper_wait w = wait_of(h);
	int ends[2] = {-1, -1};
	int rc;

	h->left = left;
	rc = state_make(h->a, v->state_dir, h->j->run.spec.workspace, v->uid, &h->state, e) == 0 &&
					     name_box(h, e) == 0
			     ? 0
			     : -1;
	if (rc == 0) {
		job_hold_settle(h->a, v, h->state);
		background_prune(h->a, h->state);
		h->box.keeper = h->keeper = keeper_connect(h->state, &w, e);
		rc = h->keeper < 0 ? -1 : make_entry(h, e);
	}
	if (rc == 0 && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
		rc = err_system(e, "cannot make a socket pair");
	if (rc == 0)
		rc = keeper_hold(h->keeper, str_of(h->id), session_of(h), ends[0], &w, h->ended, e);
	fd_close(&ends[0]); /* the keeper's copy is the only one */
	if (rc != 0) {
		fd_close(&ends[1]);
		cancel(h);
		return -1;
	}
	look_at_processes(h);
	if (h->j->client)
		h->box.client = h->j->client(h->a, h->j->client_ctx);
	*ret_life = ends[1];
	return 0;
}

/* The ports of the policy, unless a former box of the project published them. */
static void publish_ports(struct job_hold *h)
{
	const struct policy *p = &h->j->policies.own;

	for (const struct texts *t = p->sandbox.publish; t; t = t->next) {
		struct run_background *k = &h->about;
		struct err e = {0};
		bool before = false;
		int64_t port;

		if (num_parse(t->text, PUBLISH_PORT_MIN, UINT16_MAX, &port) != 0)
			continue;
		if (publish_check(p, (uint16_t)port, &e) != 0 ||
				publish_port(h->a, h->state, str_of(h->key), (uint16_t)port, &before, &e) !=
						0)
			texts_add(h->a, &h->unpublished,
					str_fmt(h->a, "port %u is not published: %s", (unsigned)port,
							e.text));
		else if (!before && k->npublished < RUN_PORTS_MAX)
			k->published[k->npublished++] = (uint16_t)port;
	}
}

/* ---- a box that is still the launcher's ---- */

static void close_lent(struct job_hold *h)
{
	fd_close(&h->lent.keeper);
	fd_close(&h->lent.dir);
	fd_close(&h->lent.lock);
}

static void end_lending(struct job_hold *h)
{
	if (h->lent.dir >= 0)
		background_unmake(h->a, h->state, h->j->run.id);
	close_lent(h);
}

static bool is_host_port(const struct network_spec *n, uint16_t port)
{
	for (size_t i = 0; i < n->nhost_ports; i++)
		if (n->host_ports[i] == port)
			return true;
	return false;
}

/* Somebody in the box listens, or the client says that the command goes on in its background. */
static bool wants_lending(void *ctx)
{
	struct job_hold *h = ctx;
	struct arena scratch;
	uint16_t ports[RUN_PORTS_MAX];
	size_t n;

	if (h->j->ticket.background)
		return true;
	if (h->j->run.spec.joins)
		return false; /* the ports are those of others */
	arena_init_in(&scratch, LISTENING_ARENA_MAX, h->a);
	n = listening_ports(&scratch, h->box.init, ports, RUN_PORTS_MAX);
	arena_free(&scratch);
	while (n && is_host_port(&h->j->run.spec.network, ports[n - 1]))
		n--;
	return n > 0;
}

/* A failure here is no failure of the command: it goes on, and no other box reaches it. */
static bool lend(void *ctx, const int *fds, size_t n)
{
	struct job_hold *h = ctx;
	const struct view *v = h->j->world.context.view;
	const struct keeper_wait w = wait_of(h);
	struct err e = {0};

	h->left = false;
	if (state_make(h->a, v->state_dir, h->j->run.spec.workspace, v->uid, &h->state, &e) != 0 ||
			name_box(h, &e) != 0)
		return false;
	h->keeper = keeper_connect(h->state, &w, &e);
	if (h->keeper < 0 || make_entry(h, &e) != 0) {
		cancel(h);
		return false;
	}
	background_name(h->lock);
	keeper_share(h->keeper, str_of(h->key), fds, n);
	publish_ports(h);
	h->lent.keeper = h->keeper;
	h->lent.dir = h->dir;
	h->lent.lock = h->lock;
	fd_close(&h->log);
	background_unlog(h->dir); /* the output is the caller's */
	h->keeper = h->dir = h->lock = -1;
	return true;
}

static void share(void *ctx, const int *fds, size_t n)
{
	struct job_hold *h = ctx;

	keeper_share(h->keeper, str_of(h->key), fds, n);
	end_lending(h);
	publish_ports(h);
}

static void add_hint(struct arena *a, struct job *j, struct str text)
{
	struct hint **end = &j->report.hints;

	while (*end)
		end = &(*end)->next;
	*end = arena_copy(a, (struct hint){.id = HINT, .text = audience_text(a, j->request.audience, text)});
}

void job_hold_report(struct arena *a, struct job *j)
{
	struct job_hold *h = j->hold;

	if (!h || h->holder)
		return;
	end_lending(h);
	if (j->outcome.held) {
		h->about.id = str_of(h->id);
		h->about.running = !h->left;
		j->report.background = &h->about;
	} else if (j->outcome.err_hold.kind)
		add_hint(a, j, str_fmt(a, "nothing keeps running in the background: %s",
				j->outcome.err_hold.text));
	for (const struct texts *t = j->outcome.held ? h->unpublished : NULL; t; t = t->next)
		add_hint(a, j, t->text);
	for (size_t i = 0; j->outcome.held && i < h->about.npublished; i++)
		add_hint(a, j,
				str_fmt(a,
						"http://127.0.0.1:%u on this machine leads to port %u of the "
						"project's boxes until the last of them ends",
						h->about.published[i], h->about.published[i]));
	if (j->outcome.held && h->ended[0])
		add_hint(a, j,
				str_fmt(a,
						"the box %s in the background was idle and has been ended to "
						"make room",
						h->ended));
}

/* ---- the holder ---- */

/* Processes that a finished run left are a run of its own in the record. Without its row they end. */
static bool begin(void *ctx)
{
	struct job_hold *h = ctx;
	struct job *j = h->j;
	struct err e = {0};
	bool shown;

	h->holder = true;
	close_lent(h);
	background_name(h->lock);
	shown = dup2(h->log, STDOUT_FILENO) >= 0 && dup2(h->log, STDERR_FILENO) >= 0 &&
		output_filter_start(h->a, j->world.environ, &h->filter, &e) == 0;
	if (!h->left)
		return shown;
	j->run.id = str_of(h->id);
	j->run.asked = NULL; /* the reports were the program's */
	j->run.task = (struct run_task){0};
	if (job_record_begin(h->a, j, &e) != 0)
		shutdown(h->keeper, SHUT_RDWR); /* seen as the keeper's end */
	record_close(&j->record);
	return shown;
}

static bool wants_end(void *ctx)
{
	struct job_hold *h = ctx;

	return keeper_wants_end(h->keeper, h->why);
}

static void client_ended(void *ctx)
{
	struct job_hold *h = ctx;

	(void)keeper_put(h->why, sizeof(h->why), STR("ended because the agent client has ended"));
}

static void tell_usage(void *ctx, uint64_t memory, uint64_t cpu_ms)
{
	struct job_hold *h = ctx;

	background_bound_log(h->dir, h->log);
	keeper_tell(h->keeper, memory, cpu_ms > h->cpu_ms + ACTIVE_MS);
	h->cpu_ms = cpu_ms;
}

void job_hold_end(struct arena *a, struct job *j)
{
	struct job_hold *h = j->hold;
	struct buf b;

	(void)output_filter_end(&h->filter);
	if (h->why[0])
		j->report.error = str_of(h->why);
	buf_init(&b, a, 0);
	report_json(&b, &j->report);
	background_end(h->dir, buf_view(&b));
	_exit(0);
}

/* ---- preparing ---- */

/* A command that only waits is no work that goes on. */
static bool only_sleeps(struct str command)
{
	while (command.n && command.p[0] == ' ')
		command = str_from(command, 1);
	if (!str_starts(command, "sleep "))
		return false;
	for (size_t i = 6; i < command.n; i++)
		if (!strchr("0123456789.smhd ", command.p[i]))
			return false;
	return true;
}

static bool is_agents(const struct run_request *rq) { return rq->ticket || rq->background_policy; }

bool job_keeps(const struct job *j)
{
	return j->policies.own.sandbox.background && j->run.spec.profile == PROFILE_WORK &&
	       j->run.backend == box_backend(NULL);
}

/* Contained commands of agents stay by the policy, where a box can. */
static bool stays_by_policy(const struct job *j)
{
	return is_agents(&j->request) && job_keeps(j);
}

int job_hold_prepare(struct arena *a, struct job *j, struct err *e)
{
	const struct run_request *rq = &j->request;
	struct job_hold *h;

	if (!stays_by_policy(j) && (rq->background_policy || (!rq->background && !rq->background_after)))
		return 0;
	if (j->run.spec.profile != PROFILE_WORK)
		return err_input(e, "--background needs --profile work");
	h = arena_new(a, struct job_hold);
	*h = (struct job_hold){.a = a,
			.j = j,
			.keeper = -1,
			.dir = -1,
			.lock = -1,
			.log = -1,
			.lent = {-1, -1, -1},
			.box = {.ask = ask,
					.cancel = cancel,
					.share = share,
					.wants_lending = wants_lending,
					.lend = lend,
					.begin = begin,
					.keeper = -1,
					.client = -1,
					.client_ended = client_ended,
					.wants_end = wants_end,
					.usage = tell_usage,

					.ctx = h,
					.callers = {j->callers[0], j->callers[1]},
					.age_ms = JOB_HOLD_AGE_MS,
					.after_ms = only_sleeps(j->run.gate_request.command)
								    ? 0
								    : rq->background_after}};
	j->hold = h;
	j->run.spec.background = true;
	j->run.spec.shares = job_network_key(a, j, h->key);
	if (is_agents(rq) && j->run.spec.shares && !rq->background_after)
		h->box.lend_ms = j->ticket.background ? 1 : LEND_MS;
	return 0;
}

/* ---- lost boxes ---- */

static void settle_one(struct arena *a, const struct view *v, struct str state, const struct background *b)
{
	struct outcome o = {.status = STATUS_UNKNOWN, .exit_code = -1};
	struct record_who who = {.session = b->session, .client = b->client};
	struct record_stop s = {.id = b->id,
			.outcome = &o,
			.exit_code = EXIT_SETUP,
			.note = STR("the process that held this box in the background was killed; the box "
				    "ended with it")};
	FD_CLEANUP int lock = background_claim(b, a, state);
	struct record r = {0};
	struct err e = {0};
	FD_SCOPE dir = {0};

	if (lock < 0)
		return;
	fd_scope(&dir, a, open(str_fmt_c(a, "%.*s/" BACKGROUND_FOLDER "/%.*s", STR_ARG(state),
			STR_ARG(b->id)), O_DIRECTORY | O_NOFOLLOW | O_RDONLY | O_CLOEXEC));
	if (dir.fd < 0 || record_open(a, v, &(struct record_options){0}, NULL, &r, &e) != 0)
		return;
	if (record_end(a, &r, &who, &s, &e) == 0)
		background_end(dir.fd, STR(""));
	record_close(&r);
}

void job_hold_settle(struct arena *a, const struct view *v, struct str state)
{
	for (const struct background *b = background_list(a, state); b; b = b->next)
		if (b->state == BACKGROUND_LOST)
			settle_one(a, v, state, b);
}
