/*
 * When each fact may happen. A clock counts simple commands. A fact of straight-line code has the moment at
 * which it is found. A fact that runs concurrently with other commands, or repeatedly, gets a later `last`
 * when its construct is closed (model/facts.h).
 */
#include "shell/eval.h"

void order_tick(struct eval *e)
{
	if (e->clock < UINT32_MAX - 2)
		e->clock++;
}

static void remember_moment(struct eval *e, struct moment *when)
{
	if (!e->unordered)
		return;
	e->moments = arena_room(e->a, e->moments, e->nmoments, &e->moments_cap, sizeof(*e->moments));
	e->moments[e->nmoments++] = when;
}

void order_found(struct eval *e, struct moment *when)
{
	*when = e->fixed ? *e->fixed : (struct moment){e->clock, e->clock, false};
	remember_moment(e, when);
}

/*
 * A text for sh is evaluated twice with the same clock: a fact found again at the same moment is the same
 * command.
 */
void order_found_again(struct eval *e, struct moment *when)
{
	struct moment now = e->fixed ? *e->fixed : (struct moment){e->clock, e->clock, false};
	when->again |= now.again || now.first != when->first;
	if (now.first < when->first)
		when->first = now.first;
	if (now.last > when->last)
		when->last = now.last;
	remember_moment(e, when);
}

struct unordered order_open(struct eval *e)
{
	e->unordered++;
	return (struct unordered){e->nmoments};
}

static void extend_moments(struct eval *e, size_t from, size_t to, enum order order)
{
	uint32_t last = order == ORDER_LOOP || order == ORDER_WAITED ? e->clock : UINT32_MAX;
	eval_burn(e, (to - from) / 4 + 1);
	for (size_t i = from; i < to; i++) {
		struct moment *m = e->moments[i];
		if (m->last < last)
			m->last = last;
		if (order == ORDER_ANY_TIME)
			m->first = 0;
		m->again |= order == ORDER_LOOP || order == ORDER_ANY_TIME;
	}
}

static void close_moments(struct eval *e)
{
	if (--e->unordered == 0)
		e->nmoments = 0;
}

void order_close(struct eval *e, struct unordered u, enum order order)
{
	if (order != ORDER_KNOWN && u.from < e->nmoments) {
		order_tick(e); /* its end is later than everything in it */
		extend_moments(e, u.from, e->nmoments, order);
	}
	close_moments(e);
}

/* Only a change by another stage can come between the commands of one stage. */
void order_close_stages(struct eval *e, struct unordered u, uint32_t changes, const struct stage *stages,
	size_t n)
{
	uint32_t total = n ? stages[n - 1].changes - changes : 0;
	size_t from = u.from;
	order_tick(e);
	for (size_t i = 0; i < n; i++) {
		uint32_t own = stages[i].changes - (i ? stages[i - 1].changes : changes);
		if (total > own)
			extend_moments(e, from, stages[i].to, ORDER_WAITED);
		from = stages[i].to;
	}
	close_moments(e);
}

/* A program that runs others: its own files, found before own_end, may also be accessed while those run. */
void order_close_program(struct eval *e, struct unordered u, size_t own_end, bool loops)
{
	if (own_end < e->nmoments) {
		order_tick(e);
		extend_moments(e, u.from, loops ? e->nmoments : own_end, loops ? ORDER_LOOP : ORDER_WAITED);
	}
	close_moments(e);
}
