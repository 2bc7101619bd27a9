/* The decisions of the keeper, without a system call. See keeper.h. */
#include "keeper/keeper.h"

#include <string.h>

#include "base/version.h"

#define MS 1000000LL

struct keeper_message keeper_message(enum keeper_kind kind)
{
	struct keeper_message m;

	memset(&m, 0, sizeof(m));
	memcpy(m.magic, KEEPER_MAGIC, sizeof(m.magic));
	m.protocol = KEEPER_PROTOCOL;
	m.kind = kind;
	(void)keeper_put(m.program, sizeof(m.program), STR(CAISSON_VERSION));
	return m;
}

bool keeper_put(char *field, size_t size, struct str text)
{
	if (text.n >= size)
		return false;
	memcpy(field, text.n ? text.p : "", text.n);
	memset(field + text.n, 0, size - text.n);
	return true;
}

/* Printable ASCII and an end: texts of messages go to terminals and into files. */
static bool text_valid(const char *field, size_t size)
{
	size_t n = strnlen(field, size);

	for (size_t i = 0; i < n; i++)
		if (field[i] < 0x20 || field[i] > 0x7e)
			return false;
	return n < size;
}

bool keeper_valid(const void *bytes, size_t n)
{
	struct keeper_message m;

	if (n != sizeof(m))
		return false;
	memcpy(&m, bytes, sizeof(m));
	if (memcmp(m.magic, KEEPER_MAGIC, sizeof(m.magic)) != 0 || m.kind < KEEPER_HELLO ||
			m.kind > KEEPER_KIND_LAST ||
			(m.protocol != KEEPER_PROTOCOL && m.kind > KEEPER_RETIRE))
		return false;
	return text_valid(m.program, sizeof(m.program)) && text_valid(m.id, sizeof(m.id)) &&
	       text_valid(m.session, sizeof(m.session)) && text_valid(m.text, sizeof(m.text));
}

/* ---- peers ---- */

static bool is_box(const struct keeper_peer *p)
{
	return p->state == KEEPER_HOLDING;
}
static bool is_ending(const struct keeper_peer *p)
{
	return is_box(p) && p->due;
}

static bool has_network(const struct keeper_peer *p)
{
	return is_box(p) || p->state == KEEPER_LENDING;
}

size_t keeper_boxes(const struct keeper_table *t)
{
	size_t n = 0;

	for (size_t i = 0; i < KEEPER_PEERS_MAX; i++)
		n += is_box(&t->peers[i]);
	return n;
}

int64_t keeper_due(const struct keeper_table *t)
{
	int64_t due = 0;

	for (size_t i = 0; i < KEEPER_PEERS_MAX; i++)
		if (t->peers[i].due && (!due || t->peers[i].due < due))
			due = t->peers[i].due;
	return due;
}

/* Connections that hold no box are bounded as well, so that a flood leaves room for boxes. */
int keeper_admit(struct keeper_table *t, int64_t now)
{
	size_t guests = 0;
	int at = -1;

	for (int i = KEEPER_PEERS_MAX - 1; i >= 0; i--) {
		guests += t->peers[i].state == KEEPER_NEW || t->peers[i].state == KEEPER_GREETED;
		if (t->peers[i].state == KEEPER_FREE)
			at = i;
	}
	if (guests >= KEEPER_PEERS_MAX - 2 * KEEPER_BOXES_MAX - KEEPER_LENDERS_MAX)
		return -1;
	if (at >= 0)
		t->peers[at] = (struct keeper_peer){.state = KEEPER_NEW, .due = now + KEEPER_HELLO_MS * MS};
	return at;
}

void keeper_gone(struct keeper_table *t, int at)
{
	t->peers[at] = (struct keeper_peer){0};
}

/* ---- bounds ---- */

struct keeper_sums {
	size_t boxes, session;
	uint64_t memory;
};

/* A box that is ending does not count any more: it ends within KEEPER_END_MS. */
static struct keeper_sums sums_of(const struct keeper_table *t, const char *session)
{
	struct keeper_sums s = {0};

	for (size_t i = 0; i < KEEPER_PEERS_MAX; i++) {
		const struct keeper_peer *p = &t->peers[i];

		if (!is_box(p) || is_ending(p))
			continue;
		s.boxes++;
		s.session += session[0] && !strcmp(p->session, session);
		s.memory += p->memory;
	}
	return s;
}

/* The box that has been there longest of those that do nothing; -1: all are busy. */
static int oldest_idle(const struct keeper_table *t, const char *session, int64_t now)
{
	int found = -1;

	for (int i = 0; i < KEEPER_PEERS_MAX; i++) {
		const struct keeper_peer *p = &t->peers[i];

		if (!is_box(p) || is_ending(p) || (session && strcmp(p->session, session) != 0) ||
				now - p->active < KEEPER_IDLE_BOX_MS * MS)
			continue;
		if (found < 0 || p->since < t->peers[found].since)
			found = i;
	}
	return found;
}

static int largest(const struct keeper_table *t)
{
	int found = -1;

	for (int i = 0; i < KEEPER_PEERS_MAX; i++)
		if (is_box(&t->peers[i]) && !is_ending(&t->peers[i]) &&
				(found < 0 || t->peers[i].memory > t->peers[found].memory))
			found = i;
	return found;
}

static void end_box(struct keeper_table *t, int at, const char *why, int64_t now, struct keeper_step *ret)
{
	t->peers[at].due = now + KEEPER_END_MS * MS;
	ret->ends = at;
	ret->end = keeper_message(KEEPER_END);
	(void)keeper_put(ret->end.text, sizeof(ret->end.text), str_of(why));
}

/* ---- messages ---- */

static void refuse(struct keeper_step *ret, const char *why)
{
	ret->answers = true;
	ret->answer = keeper_message(KEEPER_REFUSED);
	(void)keeper_put(ret->answer.text, sizeof(ret->answer.text), str_of(why));
}

static void greet(struct keeper_table *t, struct keeper_peer *p, int64_t now, struct keeper_step *ret)
{
	p->state = KEEPER_GREETED;
	p->due = now + KEEPER_ASK_MS * MS;
	ret->answers = true;
	ret->answer = keeper_message(KEEPER_WELCOME);
	ret->answer.active = keeper_boxes(t);
}

static bool id_taken(const struct keeper_table *t, const char *id)
{
	for (size_t i = 0; i < KEEPER_PEERS_MAX; i++)
		if (is_box(&t->peers[i]) && !strcmp(t->peers[i].id, id))
			return true;
	return false;
}

static void hold(struct keeper_table *t, int at, const struct keeper_message *m, int64_t now,
		struct keeper_step *ret)
{
	struct keeper_sums s = sums_of(t, m->session);
	bool full = s.boxes >= KEEPER_BOXES_MAX, session_full = s.session >= KEEPER_SESSION_MAX;
	int victim = -1;

	if (t->retired || !m->id[0] || id_taken(t, m->id)) {
		refuse(ret, t->retired ? "a newer keeper has taken over" : "the box has no name of its own");
		return;
	}
	if (full || session_full) {
		victim = oldest_idle(t, session_full ? m->session : NULL, now);
		if (victim < 0) {
			refuse(ret, session_full ? "this session's limit of background boxes is reached, and "
						   "all of them are busy"
						 : "the limit of background boxes is reached, and all of "
						   "them are busy");
			return;
		}
	}
	t->peers[at] = (struct keeper_peer){.state = KEEPER_HOLDING, .since = now, .active = now};
	memcpy(t->peers[at].id, m->id, sizeof(m->id));
	memcpy(t->peers[at].session, m->session, sizeof(m->session));
	ret->takes_life = ret->answers = true;
	ret->answer = keeper_message(KEEPER_HELD);
	if (victim >= 0) {
		end_box(t, victim, "ended to make room for another box", now, ret);
		memcpy(ret->answer.id, t->peers[victim].id, sizeof(ret->answer.id));
	}
}

static void note_usage(struct keeper_table *t, struct keeper_peer *p, const struct keeper_message *m,
		int64_t now, struct keeper_step *ret)
{
	int victim;

	p->memory = m->memory < t->memory_max ? m->memory : t->memory_max + 1; /* sums cannot overflow */
	if (m->active)
		p->active = now;
	if (sums_of(t, "").memory <= t->memory_max)
		return;
	victim = oldest_idle(t, NULL, now);
	if (victim < 0)
		victim = largest(t);
	if (victim >= 0)
		end_box(t, victim, "ended because boxes in the background used too much memory", now, ret);
}

static size_t count_lenders(const struct keeper_table *t)
{
	size_t n = 0;

	for (size_t i = 0; i < KEEPER_PEERS_MAX; i++)
		n += t->peers[i].state == KEEPER_LENDING;
	return n;
}

/* A box shares its network once. */
static void share(struct keeper_table *t, struct keeper_peer *p, const struct keeper_message *m, int64_t now,
		struct keeper_step *ret)
{
	bool lends = p->state == KEEPER_GREETED;
	bool full = lends && (t->retired || count_lenders(t) >= KEEPER_LENDERS_MAX);

	if (!m->text[0] || p->network[0] || full) {
		ret->drop = true;
		return;
	}
	if (lends)
		*p = (struct keeper_peer){.state = KEEPER_LENDING, .since = now};
	memcpy(p->network, m->text, sizeof(p->network));
	ret->takes_network = true;
}

static void join(const struct keeper_table *t, const struct keeper_message *m, struct keeper_step *ret)
{
	for (int i = 0; i < KEEPER_PEERS_MAX; i++) {
		const struct keeper_peer *p = &t->peers[i];

		if (has_network(p) && !is_ending(p) && m->text[0] && !strcmp(p->network, m->text) &&
				(ret->gives < 0 || p->since < t->peers[ret->gives].since))
			ret->gives = i;
	}
	if (ret->gives < 0) {
		refuse(ret, "no box shares this network");
		return;
	}
	ret->answers = true;
	ret->answer = keeper_message(KEEPER_JOINED);
}

/* ---- published ports ---- */

static bool has_box(const struct keeper_table *t, const char *network, bool ending_too)
{
	for (size_t i = 0; i < KEEPER_PEERS_MAX; i++)
		if (has_network(&t->peers[i]) && (ending_too || !is_ending(&t->peers[i])) &&
				!strcmp(t->peers[i].network, network))
			return true;
	return false;
}

/* The place of this port; of 0: a free place. */
static int find_port(const struct keeper_table *t, uint64_t port)
{
	for (int i = 0; i < KEEPER_PORTS_MAX; i++)
		if (t->ports[i].port == port)
			return i;
	return -1;
}

int keeper_stale_port(const struct keeper_table *t)
{
	for (int i = 0; i < KEEPER_PORTS_MAX; i++)
		if (t->ports[i].port && !has_box(t, t->ports[i].network, true))
			return i;
	return -1;
}

static void answer_port(const struct keeper_port *p, struct keeper_step *ret)
{
	ret->answers = true;
	ret->answer = keeper_message(KEEPER_PORT);
	ret->answer.active = p->port;
	memcpy(ret->answer.text, p->network, sizeof(p->network));
}

static void publish(struct keeper_table *t, const struct keeper_message *m, struct keeper_step *ret)
{
	int at = find_port(t, 0);

	if (!m->active || m->active > UINT16_MAX || !m->text[0])
		ret->drop = true;
	else if (find_port(t, m->active) >= 0)
		refuse(ret, "the port is published already");
	else if (at < 0)
		refuse(ret, "the limit of published ports is reached");
	else if (!has_box(t, m->text, false))
		refuse(ret, "no box of the project is in the background");
	if (ret->drop || ret->answers)
		return;
	t->ports[at].port = (uint16_t)m->active;
	memcpy(t->ports[at].network, m->text, sizeof(m->text));
	answer_port(&t->ports[at], ret);
	ret->publishes = at;
}

static void unpublish(struct keeper_table *t, const struct keeper_message *m, struct keeper_step *ret)
{
	int at = m->active ? find_port(t, m->active) : -1;

	if (at < 0) {
		refuse(ret, "the port is not published");
		return;
	}
	answer_port(&t->ports[at], ret);
	t->ports[at] = (struct keeper_port){0};
	ret->unpublishes = at;
}

static void list_port(const struct keeper_table *t, const struct keeper_message *m, struct keeper_step *ret)
{
	uint64_t n = 0;

	for (int i = 0; i < KEEPER_PORTS_MAX; i++)
		if (t->ports[i].port && n++ == m->active) {
			answer_port(&t->ports[i], ret);
			return;
		}
	refuse(ret, "no further port is published");
}

static void take_port(struct keeper_table *t, const struct keeper_message *m, size_t nfds,
		struct keeper_step *ret)
{
	if (m->kind == KEEPER_PUBLISH && nfds == 1)
		publish(t, m, ret);
	else if (m->kind == KEEPER_UNPUBLISH && !nfds)
		unpublish(t, m, ret);
	else if (m->kind == KEEPER_PORTS && !nfds)
		list_port(t, m, ret);
	else
		ret->drop = true;
}

static bool may_share(const struct keeper_peer *p)
{
	return p->state == KEEPER_HOLDING || p->state == KEEPER_GREETED;
}

void keeper_take(struct keeper_table *t, int at, const void *bytes, size_t n, size_t nfds, int64_t now,
		struct keeper_step *ret)
{
	struct keeper_peer *p = &t->peers[at];
	struct keeper_message m;

	*ret = (struct keeper_step){.ends = -1, .gives = -1, .publishes = -1, .unpublishes = -1};
	if (!keeper_valid(bytes, n)) {
		ret->drop = true;
		return;
	}
	memcpy(&m, bytes, sizeof(m));
	if (p->state == KEEPER_NEW && m.kind == KEEPER_HELLO && !nfds)
		greet(t, p, now, ret);
	else if (p->state == KEEPER_GREETED && m.kind == KEEPER_RETIRE && !nfds)
		t->retired = ret->drop = true;
	else if (p->state == KEEPER_GREETED && m.kind == KEEPER_HOLD && nfds == 1)
		hold(t, at, &m, now, ret);
	else if (p->state == KEEPER_HOLDING && m.kind == KEEPER_USAGE && !nfds)
		note_usage(t, p, &m, now, ret);
	else if (may_share(p) && m.kind == KEEPER_SHARE && nfds && nfds <= KEEPER_NETWORK_FDS)
		share(t, p, &m, now, ret);
	else if (p->state == KEEPER_GREETED && m.kind == KEEPER_JOIN && !nfds)
		join(t, &m, ret);
	else if (p->state == KEEPER_GREETED)
		take_port(t, &m, nfds, ret);
	else
		ret->drop = true;
}
