/* The table of backends, and a run from spec to outcome with any of them. backend.h lists the steps. */
#define _GNU_SOURCE
#include "box/box.h"

#include <unistd.h>

#include "box/backend.h"
#include "sys/file.h"
#include "sys/process.h"
#include "sys/stream.h"

static const struct backend *const backends[] = {&backend_ns, &backend_bwrap, &backend_docker,
		&backend_podman, &backend_runc, &backend_crun, &backend_gvisor, &backend_systemd,
		&backend_qemu, &backend_firecracker};
#define NBACKENDS ARRAY_SIZE(backends)

const struct backend *box_backend_at(size_t i)
{
	return i < NBACKENDS ? backends[i] : NULL;
}

const struct backend *box_backend(const char *name)
{
	for (size_t i = 0; i < NBACKENDS; i++)
		if (!name || !strcmp(backends[i]->name, name))
			return backends[i];
	return NULL;
}

const char *box_backend_name(const struct backend *b) { return b->name; }
const char *box_backend_about(const struct backend *b) { return b->about; }
int box_backend_probe(const struct backend *b, struct err *e) { return b->probe(b, e); }

int box_backend_lacks(const struct backend *b, const struct spec *s, struct err *e)
{
	return b->lacks ? b->lacks(s, e) : 0;
}

const struct backend *box_choose(enum backend_choice c, const struct spec *s)
{
	struct err none;

	if (c != BACKEND_AUTO)
		return box_backend(backend_choice_name(c));
	for (size_t i = 0; i < NBACKENDS; i++)
		if (box_backend_probe(backends[i], &none) == 0 &&
				box_backend_lacks(backends[i], s, &none) == 0)
			return backends[i];
	return backends[0];
}

/* ---- for backends ---- */

int box_before_program(struct box_state *b, struct err *e)
{
	b->may_start = !b->start->before_program || b->start->before_program(b->start->ctx, e) == 0;
	return b->may_start ? 0 : -1;
}

void box_leave(struct box_state *b, pid_t pid)
{
	if (pid > 0 && b->nleaving < BOX_LEAVING_MAX)
		b->leaving[b->nleaving++] = pid;
}

/* ---- the life of a box ---- */

static void close_streams(struct box_state *b)
{
	capture_close(&b->out);
	capture_close(&b->err);
	fd_close(&b->in.to);
}

static void stop_state(struct box_state *b, enum box_stop how)
{
	if (b->own && !b->stopped) {
		b->stopped = true;
		b->backend->stop(b, how);
	}
	close_streams(b);
}

static void wait_for(pid_t *pid)
{
	process_wait(*pid);
	*pid = 0;
}

static void wait_for_all(pid_t pids[BOX_LEAVING_MAX])
{
	for (size_t i = 0; i < BOX_LEAVING_MAX; i++)
		wait_for(&pids[i]);
}

static void dismiss_undertakers(struct box_state *b)
{
	box_leave(b, undertaker_dismiss(&b->protection.undertaker));
	box_leave(b, undertaker_dismiss(&b->protection.undertaker_git));
}

static void close_outcome(struct outcome *o)
{
	stream_close(&o->out);
	stream_close(&o->err);
	if (o->home > 0)
		close(o->home);
	o->home = 0;
}

/* The cleanup of a box, at any point of its life. Nobody takes its outcome. */
static void abandon_state(void *ptr)
{
	struct box_state *b = ptr;

	stop_state(b, STOP_NOW);
	protection_abandon(&b->protection);
	dismiss_undertakers(b);
	close_outcome(&b->outcome);
	wait_for_all(b->leaving);
	if (b->box)
		b->box->begun = NULL;
	if (b->late)
		b->late->late = NULL;
}

static void discard_state(struct box_state *b) { arena_release(b->a, &b->cleanup); }

static int begin_state(struct arena *a, const struct backend *backend, const struct spec *s,
		struct box_state **ret, struct err *e)
{
	struct box_state *b = arena_new(a, struct box_state);

	b->backend = backend;
	b->a = a;
	b->in.to = b->out.fd = b->out.file = b->err.fd = b->err.file = -1;
	arena_defer(a, &b->cleanup, abandon_state, b);
	*ret = b;
	return backend->begin(b, s, e);
}

void box_begin(struct box *box, struct arena *a, const struct backend *backend)
{
	struct box_state *b;
	struct err e;

	box_discard(box);
	if (begin_state(a, backend, NULL, &b, &e) != 0) {
		discard_state(b);
		return;
	}
	box->begun = b;
	b->box = box;
}

bool box_prime(struct box *box, const struct spec *guess, struct err *e)
{
	struct box_state *b = box->begun;

	if (!b || !b->backend->prime || guess->workspace.n || guess->git_common.n) {
		err_input(e, "a box with a workspace cannot be put together ahead");
		return false;
	}
	b->spec = guess;
	b->primed = plan_root(b->a, guess, &b->ops, e) == 0 && plan_close(b->a, guess, &b->ops, e) == 0 &&
			b->backend->prime(b, e) == 0;
	if (!b->primed && e->kind == ERR_INPUT) { /* nothing was done */
		b->ops = (struct ops){0};
		b->spec = NULL;
	} else if (!b->primed) {
		discard_state(b);
	}
	return box->begun && box->begun->primed;
}

void box_discard(struct box *box)
{
	if (box->begun)
		discard_state(box->begun);
	wait_for_all(box->leaving);
}

/* The report is out: nobody waits for the removal of the cgroup. */
static void stop_late(struct box *box)
{
	struct box_state *b = box->late;

	box->late = NULL;
	stop_state(b, STOP_LATER);
	memcpy(box->leaving, b->leaving, sizeof(box->leaving));
	arena_forget(b->a, &b->cleanup);
}

void box_wait(struct box *box, struct outcome *o)
{
	close_outcome(o);
	if (box->late)
		stop_late(box);
	wait_for_all(box->leaving);
}

/* ---- a run ---- */

static int check_spec(const struct spec *s, struct err *e)
{
	const struct limits *l = &s->limits;

	if (!s->argv || !s->argv[0])
		return err_input(e, "there is nothing to run");
	if (!l->cpu_milli || !l->pids || !l->memory || !l->scratch || !l->output || !l->time_ms)
		return err_input(e, "every limit must be more than 0");
	return 0;
}

/* The box that was begun, if it is of this backend and fits the spec; any other is discarded. */
static struct box_state *take_begun(struct box *box, const struct backend *backend, const struct spec *s)
{
	struct box_state *b = box->begun;

	box->begun = NULL;
	if (b)
		b->box = NULL;
	if (b && (b->backend != backend || !backend->fits(b, s))) {
		discard_state(b);
		b = NULL;
	}
	return b;
}

/*
 * The spec as operations: the root, the pinned names of the workspace, and what is closed or hidden after all
 * that.
 */
static int make_plan(struct box_state *b, struct err *e)
{
	const struct spec *s = b->spec;

	if (b->primed)
		return 0;
	if (b->start->plan) {
		b->ops.first = (struct op *)b->start->plan; /* nothing is added */
		return 0;
	}
	b->protection.undertaker.before = b->protection.undertaker_git.before = &b->bury;
	if (plan_root(b->a, s, &b->ops, e) != 0 ||
			protection_begin(b->a, &b->protection, s, &b->init, &b->ops, e) != 0)
		return -1;
	return plan_close(b->a, s, &b->ops, e);
}

static int start_program(struct box_state *b, struct err *e)
{
	if (make_plan(b, e) != 0 || b->backend->start(b, e) != 0)
		return -1;
	return b->may_start ? 0 : err_internal(e, "the backend started a program without asking");
}

static int run_program(struct box_state *b, const struct box_progress *p, struct outcome *ret, struct err *e)
{
	if (start_program(b, e) != 0 || supervise_box(b, p, ret, e) != 0)
		return -1;
	b->backend->enforcers(b, &ret->enforced);
	capture_end(&b->out, &ret->out);
	capture_end(&b->err, &ret->err);
	return 0;
}

/*
 * Files are compared when nothing can change them any more. Otherwise the caller need not wait for the last
 * exits.
 */
static enum box_stop how_to_stop(const struct box_state *b, bool ran, bool lingers)
{
	if (ran && lingers)
		return STOP_LINGERING;
	return !ran || b->protection.workspace ? STOP_NOW : STOP_LATER;
}

/* Restores the workspace after every run. A failure to restore it counts if there is no earlier one. */
static int finish_run(struct box_state *b, int rc, struct outcome *ret, struct err *e)
{
	struct err after = {0};
	enum box_stop how;

	if (ret->held) { /* all of it is the holder's */
		b->stopped = true;
		return rc;
	}
	how = how_to_stop(b, rc == 0, ret->lingers);
	if (how == STOP_LATER && b->late)
		close_streams(b);
	else
		stop_state(b, how);
	if (protection_end(b->a, &b->protection, b->spec, &ret->changes, &after) != 0 && rc == 0) {
		*e = after;
		rc = -1;
	}
	dismiss_undertakers(b);
	return rc;
}

int box_run(struct box *box, struct arena *a, const struct backend *backend, const struct box_start *how,
		const struct spec *s, const struct box_progress *p, struct outcome *ret, struct err *e)
{
	struct box_state *b;
	int rc = 0;

	if (check_spec(s, e) != 0 || box_backend_lacks(backend, s, e) != 0) {
		box_discard(box);
		return -1;
	}
	b = take_begun(box, backend, s);
	wait_for_all(box->leaving);
	if (!b)
		rc = begin_state(a, backend, s, &b, e);
	b->spec = s;
	b->start = how;
	b->late = box->lasts && b->primed ? box : NULL;
	b->tmp = s->tmp.n ? str_c(a, s->tmp) : NULL;
	b->caches = s->caches_limit && s->caches.n ? str_c(a, s->caches) : NULL;
	b->outcome.backend = backend->name;
	if (rc == 0)
		rc = run_program(b, p, &b->outcome, e);
	rc = finish_run(b, rc, &b->outcome, e);
	if (rc == 0 && b->late && !b->stopped) {
		box->late = b;
		*ret = b->outcome;
		b->outcome = (struct outcome){0}; /* the caller's, with its descriptors */
		return 0;
	}
	stop_state(b, STOP_NOW);
	memcpy(box->leaving, b->leaving, sizeof(box->leaving));
	arena_forget(a, &b->cleanup);
	if (rc == 0)
		*ret = b->outcome;
	else
		box_wait(box, &b->outcome);
	return rc;
}
