/*
 * Primed boxes of the native backend: a box that was begun is put together for a guessed spec, so that a run
 * of that spec waits for its program alone. ns.h has the theory.
 *
 * A guess is right for a run if the box would be the same: the same operations, apart from files in the home,
 * which the program's own process makes; the same filter, network and size of the scratch. The second brief
 * has everything else, and limits of the cgroup are set again where they differ. Mounts of the caller's
 * directories are never guessed: a directory may have been replaced by the time of the run.
 *
 * With spec.preload the guess is wrong for a run with another environment, directory or number of CPUs as
 * well, since its program has started already.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>

#include "box/ns.h"
#include "sys/clock.h"
#include "sys/fds.h"
#include "sys/path.h"

#define READY_MS 20000 /* for an interpreter to import its modules */
#define PRELOAD_MEMORY ((uint64_t)64 << 20) /* a smaller limit may be below what an interpreter uses */
#define PRELOAD_WORDS 2                     /* of argv that the interpreter has already */

static bool same_op(const struct op *x, const struct op *y)
{
	return x->kind == y->kind && x->flags == y->flags && !strcmp(x->source, y->source) &&
			!strcmp(x->target, y->target) &&
			str_eq(str_n(x->text, x->ntext), str_n(y->text, y->ntext));
}

/* The operation shows nothing of the caller's. */
static bool can_guess(const struct op *op)
{
	switch (op->kind) {
	case OP_DIR:
	case OP_FILE:
	case OP_LINK:
	case OP_SCRATCH:
	case OP_PROC:
	case OP_PTS:
	case OP_SYSTEM:
		return true;
	default:
		return op->flags & OP_USUAL;
	}
}

static bool can_guess_all(const struct spec *s, const struct op *ops)
{
	for (; ops; ops = ops->next)
		if (!can_guess(ops))
			return false;
	return !s->workspace.n && !s->joins && !s->background && !network_has_names(&s->network);
}

static bool same_walls(const struct spec *x, const struct spec *y)
{
	return x->network.mode == y->network.mode && x->ptrace == y->ptrace &&
			x->limits.scratch == y->limits.scratch && x->limits.io == y->limits.io &&
			!x->limits.cpu_ms == !y->limits.cpu_ms && str_eq(x->home, y->home);
}

/* Both lists are the same but for files of the run in the home: those become n->files. */
static bool same_plan(struct box_state *b, const struct spec *s, const struct op *run)
{
	const struct op *guess = b->ops.first;
	struct ns_box *n = b->own;
	struct ops files = {0};

	files.end = &files.first;
	for (; run; run = run->next)
		if (guess && same_op(guess, run)) {
			guess = guess->next;
		} else if (run->kind == OP_FILE && path_inside(str_of(run->target), s->home)) {
			*files.end = arena_dup(b->a, run, sizeof(*run));
			(*files.end)->next = NULL;
			files.end = &(*files.end)->next;
		} else {
			return false;
		}
	n->files = files.first;
	return !guess;
}

static bool same_variables(const struct spec_var *x, const struct spec_var *y)
{
	for (; x && y && str_eq(x->name, y->name) && str_eq(x->value, y->value); x = x->next)
		y = y->next;
	return !x && !y;
}

/* The program of this run is the one that waits, with other code or arguments. */
static bool same_program(const struct spec *guess, const struct spec *s)
{
	for (size_t i = 0; i < PRELOAD_WORDS; i++)
		if (!s->argv[i] || strcmp(s->argv[i], guess->argv[i]) != 0)
			return false;
	return s->argv[PRELOAD_WORDS] && same_variables(guess->env, s->env) && str_eq(guess->cwd, s->cwd);
}

static bool same_limits(const struct ns_box *n, const struct spec *guess, const struct spec *s)
{
	const struct limits *x = &guess->limits, *y = &s->limits;

	return guess->profile == s->profile && x->cpu_milli == y->cpu_milli &&
			(n->grouped || x->pids == y->pids) &&
			(x->memory <= y->memory || y->memory >= PRELOAD_MEMORY);
}

static bool preload_fits(const struct box_state *b, const struct spec *s)
{
	return !b->spec->preload || (same_program(b->spec, s) && same_limits(b->own, b->spec, s));
}

bool ns_prime_fits(struct box_state *b, const struct spec *s)
{
	struct ops ops = {0};
	struct err e;

	if (!same_walls(b->spec, s) || !preload_fits(b, s) || plan_root(b->a, s, &ops, &e) != 0 ||
			plan_close(b->a, s, &ops, &e) != 0)
		return false;
	return can_guess_all(s, ops.first) && same_plan(b, s, ops.first) &&
			ns_group_wants(&s->limits) == ns_group_wants(&b->spec->limits);
}

static bool has_printed(const struct box_state *b)
{
	struct pollfd streams[] = {
			{.fd = b->out.fd, .events = POLLIN}, {.fd = b->err.fd, .events = POLLIN}};

	return poll(streams, ARRAY_SIZE(streams), 0) != 0;
}

static int await_ready(struct box_state *b, struct err *e)
{
	struct ns_box *n = b->own;
	int64_t until = clock_now() + READY_MS * 1000000LL;
	struct pollfd talk = {.fd = n->talk, .events = POLLIN};

	while (!n->ready && !b->events.failed && !(talk.revents & POLLHUP) && clock_now() < until) {
		(void)poll(&talk, 1, READY_MS);
		ns_take_events(b);
	}
	if (b->events.failed)
		*e = b->events.err;
	else if (!n->ready)
		err_host(e, "the interpreter that starts ahead is not ready in time");
	else if (has_printed(b))
		err_host(e, "the interpreter that starts ahead prints something");
	return e->kind ? -1 : 0;
}

int ns_prime(struct box_state *b, struct err *e)
{
	struct ns_box *n = b->own;
	int doors[CG_HIERARCHIES_MAX];
	char word = NS_PRIME;
	size_t ndoors;

	if (!can_guess_all(b->spec, b->ops.first))
		return err_input(e, "the box shows directories of the caller");
	if (ns_send_task(b, true, e) != 0)
		return -1;
	ndoors = n->grouped ? cg_doors(&n->cg, doors) : 0;
	word |= (char)ns_start_bits(n);
	if (fds_send(n->talk, &word, 1, doors, ndoors) != 1)
		return err_system(e, "cannot talk to the box");
	n->primed = brief_size();
	n->primed_limits = b->spec->limits;
	return b->spec->preload ? await_ready(b, e) : 0;
}

int ns_prime_ready(struct box_state *b, struct err *e)
{
	const struct limits *run = &b->spec->limits;
	struct ns_box *n = b->own;
	const struct limits *set = &n->primed_limits;

	if (n->grouped && run->memory == set->memory && run->pids == set->pids &&
			run->cpu_milli == set->cpu_milli)
		return 0;
	return ns_group_ready(b, e);
}
