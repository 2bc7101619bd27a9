/*
 * Primed boxes of the native backend: a box that was begun is put together for a guessed spec, so that a run
 * of that spec waits for its program alone. ns.h has the theory.
 *
 * A guess is right for a run if the box would be the same: the same operations, apart from files in the home,
 * which the program's own process makes; the same filter, network and size of the scratch. The second brief
 * has everything else, and limits of the cgroup are set again where they differ. Mounts of the caller's
 * directories are never guessed: a directory may have been replaced by the time of the run.
 */
#define _GNU_SOURCE
#include <errno.h>

#include "box/ns.h"
#include "sys/fds.h"
#include "sys/path.h"

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

bool ns_prime_fits(struct box_state *b, const struct spec *s)
{
	struct ops ops = {0};
	struct err e;

	if (!same_walls(b->spec, s) || plan_root(b->a, s, &ops, &e) != 0 ||
			plan_close(b->a, s, &ops, &e) != 0)
		return false;
	return can_guess_all(s, ops.first) && same_plan(b, s, ops.first) &&
			ns_group_wants(&s->limits) == ns_group_wants(&b->spec->limits);
}

int ns_prime(struct box_state *b, struct err *e)
{
	struct ns_box *n = b->own;
	int doors[CG_HIERARCHIES_MAX];
	char word = NS_PRIME;
	size_t ndoors;

	if (!can_guess_all(b->spec, b->ops.first))
		return err_set(e, ERR_INPUT, 0, "the box shows directories of the caller");
	if (ns_send_task(b, true, e) != 0)
		return -1;
	ndoors = n->grouped ? cg_doors(&n->cg, doors) : 0;
	word |= n->grouped ? NS_GROUP : 0;
	if (fds_send(n->talk, &word, 1, doors, ndoors) != 1)
		return err_set(e, ERR_SYSTEM, errno, "cannot talk to the box");
	n->primed = brief_size();
	n->primed_limits = b->spec->limits;
	return 0;
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
