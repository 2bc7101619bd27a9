/*
 * libFuzzer: messages to the keeper. The input is a list of short steps: a peer, how many descriptors come,
 * how much time has passed, and a message made of a few ids, sessions, keys and ports, so that messages meet
 * each other; or raw bytes of any length. Holds: a malformed message closes the connection; a life line is
 * taken exactly when a box is held; boxes that are not ending stay within their bounds; whoever has to end is
 * a box; networks come from boxes alone; a port is published once, and only for a network that a box has.
 */
#include <stdio.h>
#include <stdlib.h>

#include "keeper/keeper.h"

#define PEERS 24

static size_t living(const struct keeper_table *t)
{
	size_t n = 0;

	for (size_t i = 0; i < KEEPER_PEERS_MAX; i++)
		n += t->peers[i].state == KEEPER_HOLDING && !t->peers[i].due;
	return n;
}

static bool has_network(const struct keeper_peer *p)
{
	return p->state == KEEPER_HOLDING || p->state == KEEPER_LENDING;
}

static void check_step(
		const struct keeper_table *t, int at, bool valid, bool was_box, const struct keeper_step *s)
{
	bool is_box = t->peers[at].state == KEEPER_HOLDING;

	if ((!valid && !s->drop) || s->takes_life != (is_box && !was_box) || living(t) > KEEPER_BOXES_MAX)
		abort();
	if (s->ends >= 0 && (t->peers[s->ends].state != KEEPER_HOLDING || !t->peers[s->ends].due ||
					    !keeper_valid(&s->end, sizeof(s->end))))
		abort();
	if (s->takes_network && (!has_network(&t->peers[at]) || !t->peers[at].network[0]))
		abort();
	if (s->gives >= 0 && (!has_network(&t->peers[s->gives]) || !t->peers[s->gives].network[0]))
		abort();
	if (s->publishes >= 0 && !s->answers)
		abort();
	for (size_t i = 0; i < KEEPER_PORTS_MAX; i++)
		for (size_t k = 0; k < i; k++)
			if (t->ports[i].port && t->ports[i].port == t->ports[k].port)
				abort();
	if (s->answers && !keeper_valid(&s->answer, sizeof(s->answer)))
		abort();
}

#define STEP 8
#define HEAD 12  /* bytes of magic and protocol */
#define RAW 0x80 /* of the kind: the bytes that follow are the message */

struct fuzz_input {
	const uint8_t *p;
	size_t n;
};

static void put_letter(char *field, const char *prefix, uint8_t value, uint8_t among)
{
	if (value % (among + 1))
		snprintf(field, 16, "%s%u", prefix, value % (among + 1));
}

/* A well-formed message of the fields that the step chooses. */
static size_t make_message(const uint8_t *step, struct keeper_message *ret)
{
	*ret = keeper_message(1 + (step[3] & 0x7f) % KEEPER_KIND_LAST);
	put_letter(ret->id, "b", step[4], 40);
	put_letter(ret->session, "s", step[5], 3);
	put_letter(ret->text, "k", step[6], 4);
	ret->active = step[7] < 200 ? step[7] % 24 : (uint64_t)step[7] << 12;
	ret->memory = (uint64_t)step[7] << 24;
	return sizeof(*ret);
}

static size_t raw_message(struct fuzz_input *in, const uint8_t *step, struct keeper_message *ret)
{
	size_t n = (size_t)step[4] << 1 < in->n ? (size_t)step[4] << 1 : in->n;

	*ret = keeper_message(KEEPER_HELLO);
	n = n < sizeof(*ret) ? n : sizeof(*ret);
	if (step[5] % 2 == 0)
		memcpy(ret, in->p, n);
	else /* keeps the head */
		memcpy((char *)ret + HEAD, in->p, n < sizeof(*ret) - HEAD ? n : sizeof(*ret) - HEAD);
	in->p += n;
	in->n -= n;
	return step[6] % 8 ? sizeof(*ret) : n;
}

static void end_late(struct keeper_table *t, int64_t now)
{
	int64_t due = keeper_due(t);

	for (int i = 0; i < KEEPER_PEERS_MAX; i++)
		if (t->peers[i].due && now >= t->peers[i].due)
			keeper_gone(t, i);
	if ((due && due <= now) != (due && keeper_due(t) != due && now >= due))
		abort();
}

static void one_step(struct keeper_table *t, struct fuzz_input *in, int places[PEERS], int64_t now)
{
	const uint8_t *step = in->p;
	int *at = &places[step[0] % PEERS];
	size_t nfds = step[1] % 4, n;
	struct keeper_message m;
	struct keeper_step s;
	bool valid, was_box;

	in->p += STEP;
	in->n -= STEP;
	if (*at >= 0 && t->peers[*at].state == KEEPER_FREE) /* it was late */
		*at = -1;
	if (*at < 0)
		*at = keeper_admit(t, now);
	n = step[3] & RAW ? raw_message(in, step, &m) : make_message(step, &m);
	if (*at < 0)
		return;
	valid = keeper_valid(&m, n);
	was_box = t->peers[*at].state == KEEPER_HOLDING;
	keeper_take(t, *at, &m, n, nfds, now, &s);
	check_step(t, *at, valid, was_box, &s);
	if (s.drop || step[1] == 0xff) {
		keeper_gone(t, *at);
		*at = -1;
	}
	for (int port; (port = keeper_stale_port(t)) >= 0;)
		t->ports[port] = (struct keeper_port){0};
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static const int64_t pauses[] = {0, 1000000, 1000000000, 30000000000, 61000000000};
	struct keeper_table t = {.memory_max = (uint64_t)1 << 30};
	struct fuzz_input in = {data, n};
	int places[PEERS];
	int64_t now = 1;

	memset(places, -1, sizeof(places));
	while (in.n >= STEP) {
		now += pauses[in.p[2] % ARRAY_SIZE(pauses)];
		end_late(&t, now);
		one_step(&t, &in, places, now);
	}
	return 0;
}
