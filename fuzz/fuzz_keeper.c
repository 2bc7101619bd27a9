/*
 * libFuzzer: messages to the keeper. The input is a list of steps: a peer, how many descriptors come, how
 * much time has passed, and a message, whose head may be made right so that the rest is reached. Holds: a
 * malformed message closes the connection; a life line is taken exactly when a box is held; boxes that are
 * not ending stay within their bounds; whoever has to end is a box; networks come from boxes alone.
 */
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

static void check_step(
		const struct keeper_table *t, int at, bool valid, bool was_box, const struct keeper_step *s)
{
	bool is_box = t->peers[at].state == KEEPER_HOLDING;

	if ((!valid && !s->drop) || s->takes_life != (is_box && !was_box) || living(t) > KEEPER_BOXES_MAX)
		abort();
	if (s->ends >= 0 && (t->peers[s->ends].state != KEEPER_HOLDING || !t->peers[s->ends].due ||
					    !keeper_valid(&s->end, sizeof(s->end))))
		abort();
	if (s->takes_network && (!is_box || !t->peers[at].network[0]))
		abort();
	if (s->gives >= 0 && (t->peers[s->gives].state != KEEPER_HOLDING || !t->peers[s->gives].network[0]))
		abort();
	if (s->answers && !keeper_valid(&s->answer, sizeof(s->answer)))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct keeper_table t = {.memory_max = (uint64_t)1 << 30};
	int places[PEERS];
	int64_t now = 1;

	for (size_t i = 0; i < PEERS; i++)
		places[i] = -1;
	while (n > 4) {
		struct keeper_message m = keeper_message(1 + data[3] % KEEPER_KIND_LAST);
		int *at = &places[data[0] % PEERS];
		size_t nfds = data[1] % 3, take = n - 4 < sizeof(m) ? n - 4 : sizeof(m);
		struct keeper_step s;
		bool valid, was_box;

		now += (int64_t)data[2] * 1000000000;
		if (*at < 0)
			*at = keeper_admit(&t, now);
		if (*at < 0)
			return 0;
		if (data[3] & 0x80)
			memcpy(&m, data + 4, take);
		else if (take > 16) /* keeps the head */
			memcpy((char *)&m + 16, data + 4 + 16, take - 16);
		valid = keeper_valid(&m, sizeof(m));
		was_box = t.peers[*at].state == KEEPER_HOLDING;
		keeper_take(&t, *at, &m, sizeof(m), nfds, now, &s);
		check_step(&t, *at, valid, was_box, &s);
		if (s.drop) {
			keeper_gone(&t, *at);
			*at = -1;
		}
		data += 4 + take;
		n -= 4 + take;
	}
	return 0;
}
