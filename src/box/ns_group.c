/*
 * The cgroup of a native box: one that the launcher makes, or one in a scope of the user's systemd manager.
 *
 * Processes that take part:
 *   launcher    makes the group, sets its limits, reads its counters, removes it
 *   init        is born in the group (version 2), or the manager moves it there while it waits for its user
 *   program     enters by itself (version 1)
 *   undertaker  removes the group if the launcher is killed; in a scope it keeps that alive
 */
#define _GNU_SOURCE
#include "box/ns.h"
#include "sys/cpus.h"

/* On version 2 init is in the group as well, and so is, for a while, the helper of ns_network.c. */
static int limit_pids(struct box_state *b, bool helper, struct err *e)
{
	struct ns_box *n = b->own;

	return cg_set(&n->cg, CG_PIDS_MAX, (uint64_t)b->spec->limits.pids + cg_guess_v2() + helper, e);
}

static bool has_helper(const struct box_state *b)
{
	return cg_guess_v2() && network_has_names(&b->spec->network);
}

int ns_group_settle(struct box_state *b, struct err *e)
{
	const struct ns_box *n = b->own;

	return n->grouped && has_helper(b) ? limit_pids(b, false, e) : 0;
}

static int set_limits(struct box_state *b, struct err *e)
{
	const struct limits *l = &b->spec->limits;
	struct ns_box *n = b->own;

	if (cg_set(&n->cg, CG_MEMORY_MAX, l->memory, e) != 0 || limit_pids(b, has_helper(b), e) != 0)
		return -1;
	if (l->io && cg_set(&n->cg, CG_IO_MAX, l->io, e) != 0)
		return -1;
	if (n->cpus_suffice || cg_enforcer(&n->cg, CG_CPU_MILLI) == ENFORCED_NOT)
		return 0;
	return cg_set(&n->cg, CG_CPU_MILLI, l->cpu_milli, e);
}

static void group_make(struct ns_box *n) { n->grouped = cg_make(&n->cg, n->want, &n->no_group) == 0; }

int ns_group_begin(struct ns_box *n)
{
	struct err none;
	bool rest = false;
	int into = -1;

	if (cg_guess_v2()) {
		group_make(n);
		n->child.moved_in = !n->grouped && scope_open(&n->scope, &none) == 0;
	}
	if (n->grouped)
		into = cg_into(&n->cg, &rest);
	n->child.born_in = into >= 0 && !rest;
	return into;
}

unsigned ns_group_wants(const struct limits *l)
{
	bool suffice = (uint64_t)cpus_count() * 1000 <= l->cpu_milli;

	return (suffice ? 0 : CG_HAS_CPU) | (l->io ? CG_HAS_IO : 0) | (l->cpu_ms ? CG_HAS_CPUACCT : 0);
}

static int refuse_without_group(const struct box_state *b, struct err *e)
{
	const struct spec *s = b->spec;
	const struct ns_box *n = b->own;

	if (s->limits.io)
		return err_host(e, "no cgroup can limit disks here: %s", n->no_group.text);
	if (s->require_cgroup)
		return err_host(e, "no cgroup can limit memory and processes here: %s", n->no_group.text);
	if (s->refuse_watched)
		return err_host(e, "the memory limit cannot be enforced here: %s (add --accept watched to "
				"have it watched instead; caisson doctor says what a cgroup needs)",
				n->no_group.text);
	return 0;
}

int ns_group_ready(struct box_state *b, struct err *e)
{
	struct ns_box *n = b->own;

	if (!n->grouped && !n->no_group.kind)
		group_make(n);
	return n->grouped ? set_limits(b, e) : refuse_without_group(b, e);
}

void ns_scope_begin(struct box_state *b)
{
	struct ns_box *n = b->own;
	pid_t pids[2] = {b->init};

	if (undertaker_start(&n->undertaker, NULL, NULL, &n->no_group) == 0) {
		pids[1] = n->undertaker.pid;
		if (scope_ask(&n->scope, pids, 2, &n->no_group) == 0)
			return;
	}
	scope_close(&n->scope);
}

void ns_scope_finish(struct box_state *b)
{
	const struct spec *s = b->spec;
	struct ns_box *n = b->own;
	const struct cg_scope in = {n->scope.unit, b->init, n->undertaker.pid};
	bool needed = s->require_cgroup || s->refuse_watched || s->limits.io;

	n->grouped = scope_wait(&n->scope, needed, &n->no_group) == 0 &&
			cg_make_in_scope(&n->cg, &in, n->want, &n->no_group) == 0;
	scope_close(&n->scope);
}

enum enforcer ns_group_cpus(const struct ns_box *n)
{
	enum enforcer quota =
			n->grouped && !n->cpus_suffice ? cg_enforcer(&n->cg, CG_CPU_MILLI) : ENFORCED_NOT;

	return quota == ENFORCED_NOT ? ENFORCED_AFFINITY : quota;
}
