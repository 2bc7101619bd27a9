/* Unit tests of the keeper's decisions: what a message means in each state, and who ends for whom. */
#include "keeper/keeper.h"

#include "unit.h"

#define MS 1000000LL
#define NOW (1000 * MS)

static struct keeper_table t;
static struct keeper_step step;

static void say_at(int at, const struct keeper_message *m, size_t nfds, int64_t now)
{
	keeper_take(&t, at, m, sizeof(*m), nfds, now, &step);
}

static void say(int at, enum keeper_kind kind, size_t nfds)
{
	struct keeper_message m = keeper_message(kind);

	say_at(at, &m, nfds, NOW);
}

static int hold(const char *id, const char *session, int64_t now)
{
	struct keeper_message m = keeper_message(KEEPER_HOLD);
	int at = keeper_admit(&t, now);

	(void)keeper_put(m.id, sizeof(m.id), str_of(id));
	(void)keeper_put(m.session, sizeof(m.session), str_of(session));
	say(at, KEEPER_HELLO, 0);
	say_at(at, &m, 1, now);
	return at;
}

static void start(void)
{
	t = (struct keeper_table){.memory_max = 1000};
}

static void test_states(void)
{
	int at;

	start();
	for (int kind = 0; kind <= KEEPER_KIND_LAST + 1; kind++) {
		at = keeper_admit(&t, NOW);
		say(at, (enum keeper_kind)kind, 0);
		CHECK_INT(step.drop, kind != KEEPER_HELLO);
		keeper_gone(&t, at);
	}
	at = keeper_admit(&t, NOW);
	say(at, KEEPER_HELLO, 1);
	CHECK(step.drop); /* a descriptor that nobody asked for */
	say(at, KEEPER_HELLO, 0);
	CHECK(step.answers && step.answer.kind == KEEPER_WELCOME);
	say(at, KEEPER_HELLO, 0);
	CHECK(step.drop);
	say(at, KEEPER_HOLD, 1);
	CHECK(step.answer.kind == KEEPER_REFUSED && !step.takes_life); /* without an id */
	say(at, KEEPER_HOLD, 0);
	CHECK(step.drop);
	say(at, KEEPER_USAGE, 0);
	CHECK(step.drop);
	keeper_gone(&t, at);
	CHECK_INT(keeper_due(&t), 0);
}

static void ask_network(int at, enum keeper_kind kind, const char *key, size_t nfds)
{
	struct keeper_message m = keeper_message(kind);

	(void)keeper_put(m.text, sizeof(m.text), str_of(key));
	say_at(at, &m, nfds, NOW);
}

static void test_networks(void)
{
	int first, second, guest;

	start();
	first = hold("a", "", NOW + 1);
	second = hold("b", "", NOW);
	guest = keeper_admit(&t, NOW);
	say(guest, KEEPER_HELLO, 0);
	ask_network(guest, KEEPER_JOIN, "k", 0);
	CHECK(step.answer.kind == KEEPER_REFUSED && step.gives < 0 && !step.drop);
	ask_network(first, KEEPER_SHARE, "k", 2);
	CHECK(step.takes_network && !step.takes_life && !step.answers && !step.drop);
	ask_network(first, KEEPER_SHARE, "l", 1);
	CHECK(step.drop && !step.takes_network); /* once */
	ask_network(guest, KEEPER_JOIN, "k", 0);
	CHECK(step.answer.kind == KEEPER_JOINED && step.gives == first);
	ask_network(guest, KEEPER_JOIN, "l", 0);
	CHECK(step.answer.kind == KEEPER_REFUSED && step.gives < 0);
	ask_network(guest, KEEPER_JOIN, "", 0);
	CHECK(step.answer.kind == KEEPER_REFUSED && step.gives < 0); /* those who share nothing */
	ask_network(second, KEEPER_SHARE, "k", 1);
	ask_network(guest, KEEPER_JOIN, "k", 0);
	CHECK_INT(step.gives, second); /* the older one */
	t.peers[second].due = NOW;
	ask_network(guest, KEEPER_JOIN, "k", 0);
	CHECK_INT(step.gives, first); /* the other one ends */
	keeper_gone(&t, first);
	ask_network(guest, KEEPER_JOIN, "k", 0);
	CHECK(step.gives < 0);
	ask_network(guest, KEEPER_SHARE, "k", 1);
	CHECK(step.takes_network && t.peers[guest].state == KEEPER_LENDING && !t.peers[guest].due);
	CHECK_INT(keeper_boxes(&t), 1); /* it holds no place */
	ask_network(guest, KEEPER_SHARE, "k", 1);
	CHECK(step.drop); /* once */
	first = keeper_admit(&t, NOW);
	say(first, KEEPER_HELLO, 0);
	ask_network(first, KEEPER_JOIN, "k", 0);
	CHECK_INT(step.gives, guest);
	ask_network(first, KEEPER_SHARE, "", 1);
	CHECK(step.drop);
	keeper_gone(&t, guest);
	ask_network(second, KEEPER_SHARE, "", 1);
	CHECK(step.drop);
	ask_network(second, KEEPER_JOIN, "k", 0);
	CHECK(step.drop);
}

static void ask_port(int at, enum keeper_kind kind, uint64_t port, const char *key, size_t nfds)
{
	struct keeper_message m = keeper_message(kind);

	m.active = port;
	(void)keeper_put(m.text, sizeof(m.text), str_of(key));
	say_at(at, &m, nfds, NOW);
}

static void test_ports(void)
{
	int first, second, guest;

	start();
	first = hold("a", "", NOW);
	second = hold("b", "", NOW);
	ask_network(first, KEEPER_SHARE, "k", 1);
	ask_network(second, KEEPER_SHARE, "l", 1);
	guest = keeper_admit(&t, NOW);
	say(guest, KEEPER_HELLO, 0);
	ask_port(guest, KEEPER_PUBLISH, 3000, "k", 1);
	CHECK(step.answer.kind == KEEPER_PORT && step.publishes >= 0 && step.answer.active == 3000);
	ask_port(guest, KEEPER_PUBLISH, 3000, "l", 1);
	CHECK(step.answer.kind == KEEPER_REFUSED && step.publishes < 0); /* it is another's */
	ask_port(guest, KEEPER_PUBLISH, 3001, "m", 1);
	CHECK(step.answer.kind == KEEPER_REFUSED && step.publishes < 0); /* no box */
	ask_port(guest, KEEPER_PUBLISH, 3001, "l", 1);
	ask_port(guest, KEEPER_PORTS, 1, "", 0);
	CHECK(step.answer.kind == KEEPER_PORT && step.answer.active == 3001);
	CHECK_STR(str_of(step.answer.text), "l");
	ask_port(guest, KEEPER_PORTS, 2, "", 0);
	CHECK_INT(step.answer.kind, KEEPER_REFUSED);
	CHECK_INT(keeper_stale_port(&t), -1);
	t.peers[first].due = NOW;
	CHECK_INT(keeper_stale_port(&t), -1); /* its box is still there */
	ask_port(guest, KEEPER_PUBLISH, 3002, "k", 1);
	CHECK_INT(step.answer.kind, KEEPER_REFUSED); /* and ends */
	keeper_gone(&t, first);
	CHECK(keeper_stale_port(&t) >= 0 && t.ports[keeper_stale_port(&t)].port == 3000);
	t.ports[keeper_stale_port(&t)] = (struct keeper_port){0};
	ask_port(guest, KEEPER_UNPUBLISH, 3001, "", 0);
	CHECK(step.answer.kind == KEEPER_PORT && step.unpublishes >= 0);
	ask_port(guest, KEEPER_UNPUBLISH, 3001, "", 0);
	CHECK(step.answer.kind == KEEPER_REFUSED && step.unpublishes < 0);
	ask_port(guest, KEEPER_UNPUBLISH, 0, "", 0);
	CHECK(step.answer.kind == KEEPER_REFUSED && step.unpublishes < 0);
	for (unsigned i = 0; i < KEEPER_PORTS_MAX; i++)
		ask_port(guest, KEEPER_PUBLISH, 4000 + i, "l", 1);
	CHECK_INT(step.answer.kind, KEEPER_PORT);
	ask_port(guest, KEEPER_PUBLISH, 5000, "l", 1);
	CHECK(step.answer.kind == KEEPER_REFUSED && step.publishes < 0);
	ask_port(second, KEEPER_PUBLISH, 5000, "l", 1);
	CHECK(step.drop); /* a box does not publish */
}

static void test_ports_odd(void)
{
	static const struct {
		enum keeper_kind kind;
		uint64_t port;
		const char *key;
		size_t nfds;
	} odd[] = {{KEEPER_PUBLISH, 3000, "k", 0}, {KEEPER_PUBLISH, 3000, "k", 2},
			{KEEPER_PUBLISH, 0, "k", 1}, {KEEPER_PUBLISH, 65536, "k", 1},
			{KEEPER_PUBLISH, 3000, "", 1}, {KEEPER_UNPUBLISH, 3000, "", 1},
			{KEEPER_PORTS, 0, "", 1}, {KEEPER_PORT, 3000, "k", 0}};

	start();
	ask_network(hold("a", "", NOW), KEEPER_SHARE, "k", 1);
	for (size_t i = 0; i < ARRAY_SIZE(odd); i++) {
		int guest = keeper_admit(&t, NOW);

		say(guest, KEEPER_HELLO, 0);
		ask_port(guest, odd[i].kind, odd[i].port, odd[i].key, odd[i].nfds);
		CHECK(step.drop && step.publishes < 0 && step.unpublishes < 0);
		keeper_gone(&t, guest);
	}
}

static void test_bytes(void)
{
	struct keeper_message m = keeper_message(KEEPER_HELLO);

	CHECK(keeper_valid(&m, sizeof(m)) && !keeper_valid(&m, sizeof(m) - 1) && !keeper_valid(&m, 0));
	m.protocol = 99;
	CHECK(keeper_valid(&m, sizeof(m))); /* the greeting is the same in every version */
	m.kind = KEEPER_HOLD;
	CHECK(!keeper_valid(&m, sizeof(m)));
	m = keeper_message(KEEPER_HOLD);
	memset(m.id, 'x', sizeof(m.id));
	CHECK(!keeper_valid(&m, sizeof(m))); /* no end */
	m = keeper_message(KEEPER_HOLD);
	m.session[0] = '\n';
	CHECK(!keeper_valid(&m, sizeof(m)));
	CHECK(!keeper_put(m.id, sizeof(m.id), STR("0123456789012345678901234567890123456789")));
}

static void test_places(void)
{
	int n = 0;

	start();
	while (keeper_admit(&t, NOW) >= 0)
		n++;
	/* guests leave room for boxes */
	CHECK_INT(n, KEEPER_PEERS_MAX - 2 * KEEPER_BOXES_MAX - KEEPER_LENDERS_MAX);
	CHECK_INT(keeper_due(&t), NOW + KEEPER_HELLO_MS * MS);
	start();
	CHECK_INT(hold("a", "", NOW), 0);
	CHECK(step.takes_life && step.answer.kind == KEEPER_HELD && !step.answer.id[0] && step.ends < 0);
	hold("a", "", NOW);
	CHECK(step.answer.kind == KEEPER_REFUSED && !step.takes_life); /* the name is taken */
	CHECK_INT(keeper_boxes(&t), 1);
}

static void test_bounds(void)
{
	const int64_t later = NOW + (KEEPER_IDLE_BOX_MS + 1) * MS;
	struct keeper_message busy = keeper_message(KEEPER_USAGE);
	char id[8] = "a";

	start();
	for (int i = 0; i < KEEPER_SESSION_MAX; i++, id[0]++)
		hold(id, "s", NOW + i);
	hold("x", "s", NOW);
	CHECK(step.answer.kind == KEEPER_REFUSED); /* all are busy */
	hold("y", "other", NOW);
	CHECK(step.answer.kind == KEEPER_HELD && step.ends < 0);
	busy.active = 1;
	say_at(0, &busy, 0, later);
	hold("x", "s", later);
	CHECK(step.answer.kind == KEEPER_HELD && step.ends == 1 &&
			!strcmp(step.answer.id, "b")); /* the oldest idle */
	CHECK(step.end.kind == KEEPER_END && step.end.text[0]);
	CHECK_INT(t.peers[1].due, later + KEEPER_END_MS * MS);
	hold("z", "s", later);
	CHECK(step.ends == 2 && !strcmp(step.answer.id, "c")); /* the one that ends no longer counts */
	for (int i = 0; i < KEEPER_BOXES_MAX; i++) {
		id[0] = (char)('A' + i);
		hold(id, "", later);
	}
	CHECK_INT(keeper_boxes(&t), KEEPER_BOXES_MAX + 8); /* with those that are ending */
}

static void test_memory(void)
{
	struct keeper_message m = keeper_message(KEEPER_USAGE);
	int small, large;

	start();
	small = hold("a", "", NOW);
	large = hold("b", "", NOW);
	m.memory = 300;
	say_at(small, &m, 0, NOW);
	CHECK(step.ends < 0);
	m.memory = UINT64_MAX;
	say_at(large, &m, 0, NOW);
	CHECK_INT(step.ends, large);
	say_at(large, &m, 0, NOW);
	CHECK(step.ends < 0); /* it is ending already */
	m.memory = 1001;
	say_at(small, &m, 0, NOW + (KEEPER_IDLE_BOX_MS + 1) * MS);
	CHECK_INT(step.ends, small);
}

static void test_retired(void)
{
	int at;

	start();
	hold("a", "", NOW);
	at = keeper_admit(&t, NOW);
	say(at, KEEPER_RETIRE, 0);
	CHECK(step.drop && !t.retired); /* not before a greeting */
	say(at, KEEPER_HELLO, 0);
	CHECK_INT(step.answer.active, 1);
	say(at, KEEPER_RETIRE, 0);
	CHECK(step.drop && t.retired);
	hold("b", "", NOW);
	CHECK(step.answer.kind == KEEPER_REFUSED);
	CHECK_INT(keeper_boxes(&t), 1);
}

int main(void)
{
	RUN(test_states);
	RUN(test_networks);
	RUN(test_ports);
	RUN(test_ports_odd);
	RUN(test_bytes);
	RUN(test_places);
	RUN(test_bounds);
	RUN(test_memory);
	RUN(test_retired);
	return unit_end();
}
