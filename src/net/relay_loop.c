/* Events of the relay: listeners, name queries, sockets of connections, the resolver, the clock. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/dns.h"
#include "net/relay_inner.h"
#include "sys/clock.h"

#define EVENTS_MAX 256
#define ACCEPTS_MAX 64 /* connections, and name queries, taken before others get their turn */
#define QUERY_MAX 1500
#define FIRST_WORDS_MS 300000 /* for the first words of a client whose protocol starts with them */
#define FILES_RESERVED 64     /* descriptors that are not for connections, besides the listeners */
#define FOREVER INT64_MAX

/* ---- events ---- */

/* An event's number: kind, index of a slot or descriptor, generation. */
static uint64_t event_tag(unsigned kind, uint32_t index, uint32_t generation)
{
	return (uint64_t)kind << 56 | (uint64_t)(index & 0xffffff) << 32 | generation;
}

static int watch_fd(const struct relay_loop *l, int op, int fd, uint32_t events, uint64_t tag)
{
	return epoll_ctl(l->epoll, op, fd, &(struct epoll_event){.events = events, .data.u64 = tag});
}

int relay_watch(struct relay_loop *l, struct relay_connection *c, int fd, unsigned kind, bool change)
{
	return watch_fd(l, change ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, fd,
			EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET,
			event_tag(kind, (uint32_t)(c - l->connections), c->generation));
}

static void watch_resolver(void *ctx, int fd, bool read, bool write)
{
	const struct relay_loop *l = ctx;
	uint32_t events = (read ? EPOLLIN : 0u) | (write ? EPOLLOUT : 0u);
	uint64_t tag = event_tag(RELAY_AT_RESOLVER, (uint32_t)fd, 0);
	if (!events)
		watch_fd(l, EPOLL_CTL_DEL, fd, 0, 0);
	else if (watch_fd(l, EPOLL_CTL_MOD, fd, events, tag) != 0)
		watch_fd(l, EPOLL_CTL_ADD, fd, events, tag);
}

void relay_queue(struct relay_loop *l, struct relay_connection *c)
{
	if (c->queued)
		return;
	c->queued = true;
	c->run_next = NULL;
	if (l->run)
		l->run_last->run_next = c;
	else
		l->run = c;
	l->run_last = c;
}

void relay_wake_at(struct relay_loop *l, int64_t when)
{
	if (when < l->wake)
		l->wake = when;
}

void relay_set_deadline(struct relay_loop *l, struct relay_connection *c, int64_t when)
{
	c->deadline = when;
	if (when)
		relay_wake_at(l, when);
}

/* ---- begin and end of a connection ---- */

/* Whoever gets much is one of the few that were there then, so that there are never more of them. */
static int room_for(size_t active)
{
	return active <= RELAY_ROOM_FREE_MAX    ? RELAY_ROOM_FREE
	       : active <= RELAY_ROOM_LARGE_MAX ? RELAY_ROOM_LARGE
						: RELAY_ROOM_SMALL;
}

static struct relay_connection *take_slot(struct relay_loop *l)
{
	struct relay_connection *c = l->free;
	if (l->active == l->active_max)
		return NULL;
	if (c)
		l->free = c->free_next;
	else
		c = &l->connections[l->used++]; /* all before are active, so there is one */
	l->active++;
	*c = (struct relay_connection){.generation = c->generation + 1,
			.queued = c->queued,
			.run_next = c->run_next,
			.words = l->words + (size_t)(c - l->connections) * RELAY_WORDS_MAX,
			.row = RELAY_ROW_NONE,
			.room = room_for(l->active),
			.client.fd = -1,
			.server.fd = -1};
	for (size_t i = 0; i < RELAY_ATTEMPTS_MAX; i++)
		c->dial.attempts[i] = -1;
	return c;
}

/* Every socket was made to reset (relay_set_options()). */
static void close_socket(int fd, bool reset)
{
	if (fd < 0)
		return;
	if (!reset)
		setsockopt(fd, SOL_SOCKET, SO_LINGER, &(struct linger){0, 0}, sizeof(struct linger));
	close(fd);
}

static void close_flow(struct relay_loop *l, struct relay_flow *flow)
{
	if (flow->pipe)
		relay_pipe_give(&l->pipes, flow->pipe);
	flow->pipe = NULL;
}

/* Lets directions go on that found no pipe. */
static void wake_waiting(struct relay_loop *l)
{
	l->starved = false;
	for (size_t i = 0; i < l->used; i++) {
		struct relay_connection *c = &l->connections[i];
		if (c->stage == RELAY_OPEN && (c->up.waits || c->down.waits))
			relay_queue(l, c);
	}
}

static void note_time(struct relay_loop *l, const struct relay_connection *c)
{
	if (c->row == RELAY_ROW_NONE)
		return;
	int64_t ms = (clock_now() - c->began) / MILLISECOND;
	struct network_connection *row = &l->report->rows[c->row];
	if (ms > row->ms)
		row->ms = ms < UINT32_MAX ? (uint32_t)ms : UINT32_MAX;
}

void relay_close(struct relay_loop *l, struct relay_connection *c, bool reset)
{
	note_time(l, c);
	close_socket(c->client.fd, reset);
	close_socket(c->server.fd, reset);
	relay_dial_end(c);
	close_flow(l, &c->up);
	close_flow(l, &c->down);
	c->stage = RELAY_FREE;
	c->generation++;
	c->free_next = l->free;
	l->free = c;
	l->active--;
}

void relay_refuse(struct relay_loop *l, struct relay_connection *c, enum network_refusal why)
{
	relay_report_add(l->report, c->target.host, c->target.port, why);
	relay_close(l, c, true);
}

/* ---- listeners ---- */

/* Finds the name or listed address that the program connected to. */
static enum network_refusal find_target(const struct relay_loop *l, const struct relay_listener *from, int fd,
		struct relay_target *ret)
{
	union {
		struct sockaddr any;
		struct sockaddr_in v4;
		struct sockaddr_in6 v6;
	} at;
	socklen_t n = sizeof at;
	memset(ret, 0, sizeof *ret);
	if (from->to_host) {
		*ret = (struct relay_target){
				.host = "localhost",
				.port = from->port,
				.is_address = true,
				.to_host = true};
		return NETWORK_NOT_REFUSED;
	}
	if (getsockname(fd, &at.any, &n) != 0)
		return NETWORK_NOT_LISTED;
	if (at.any.sa_family == AF_INET6) {
		memcpy(ret->ip, &at.v6.sin6_addr, IP_BYTES);
		ret->port = ntohs(at.v6.sin6_port);
	} else if (at.any.sa_family == AF_INET) {
		ret->ip[10] = ret->ip[11] = 0xff;
		memcpy(ret->ip + 12, &at.v4.sin_addr, 4);
		ret->port = ntohs(at.v4.sin_port);
	}
	struct str name = net_names_of_address(l->names, ret->ip);
	if (name.n) {
		str_put(ret->host, sizeof ret->host, "%.*s", STR_ARG(name));
		return net_names_check(l->names, name, ret->port);
	}
	ret->is_address = true;
	ip_put(ret->host, ret->ip);
	return net_names_check_address(l->names, ret->ip, ret->port);
}

static void begin_connection(struct relay_loop *l, const struct relay_listener *at, int fd)
{
	struct relay_target target;
	enum network_refusal why = find_target(l, at, fd, &target);
	struct relay_connection *c = why == NETWORK_NOT_REFUSED ? take_slot(l) : NULL;
	if (!c) {
		relay_report_add(l->report, target.host, target.port,
				why == NETWORK_NOT_REFUSED ? NETWORK_LIMIT : why);
		close_socket(fd, true);
		return;
	}
	c->target = target;
	c->client = (struct relay_socket){.fd = fd, .readable = true, .writable = true};
	c->began = c->moved = l->now;
	relay_set_room(fd, c->room);
	c->stage = RELAY_LISTENING;
	if (relay_watch(l, c, fd, RELAY_AT_CLIENT, false) != 0) {
		relay_refuse(l, c, NETWORK_LIMIT);
		return;
	}
	relay_inspect_begin(c);
	relay_dial_route(l, c);
	if (c->must_tls || c->must_http)
		relay_set_deadline(l, c, l->now + FIRST_WORDS_MS * MILLISECOND);
	else
		relay_dial(l, c); /* the server may speak first */
	if (c->stage != RELAY_FREE)
		relay_queue(l, c);
}

/* Without a free descriptor a listener would stay readable for ever, so the spare one is used up. */
static void refuse_for_files(struct relay_loop *l, const struct relay_listener *at)
{
	struct relay_target target;
	close(l->spare);
	int fd = accept4(at->fd, NULL, NULL, SOCK_CLOEXEC);
	if (fd >= 0) {
		find_target(l, at, fd, &target);
		relay_report_add(l->report, target.host, target.port, NETWORK_LIMIT);
		close_socket(fd, true);
	}
	l->spare = fcntl(l->epoll, F_DUPFD_CLOEXEC, 0);
}

static void accept_clients(struct relay_loop *l, const struct relay_listener *at)
{
	for (int i = 0; i < ACCEPTS_MAX; i++) {
		int fd = accept4(at->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
		if (fd >= 0)
			begin_connection(l, at, fd);
		else if (errno == EMFILE || errno == ENFILE)
			refuse_for_files(l, at);
		else if (errno != EINTR && errno != ECONNABORTED)
			return;
	}
}

/* ---- name queries ---- */

static void answer_queries(struct relay_loop *l, int socket)
{
	uint8_t query[QUERY_MAX], reply[DNS_REPLY_MAX];
	for (int i = 0; i < ACCEPTS_MAX; i++) {
		struct sockaddr_storage from;
		socklen_t room = sizeof from;
		struct dns_result result = {0};
		ssize_t n = recvfrom(socket, query, sizeof query, MSG_DONTWAIT | MSG_TRUNC,
				(struct sockaddr *)&from, &room);
		if (n < 0)
			return;
		if (n > (ssize_t)sizeof query)
			continue;
		size_t m = dns_answer(l->names, query, (size_t)n, reply, &result);
		if (result.refusal != NETWORK_NOT_REFUSED)
			relay_report_query(l->report, l->unpaired, &result);
		if (m)
			sendto(socket, reply, m, MSG_DONTWAIT | MSG_NOSIGNAL, (struct sockaddr *)&from, room);
	}
}

/* ---- the loop ---- */

static void handle_connection(
		struct relay_loop *l, struct relay_connection *c, unsigned kind, uint32_t events)
{
	if (kind >= RELAY_AT_ATTEMPT) {
		relay_dial_event(l, c, kind - RELAY_AT_ATTEMPT);
		return;
	}
	struct relay_socket *s = kind == RELAY_AT_CLIENT ? &c->client : &c->server;
	s->readable = s->readable || events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR);
	s->writable = s->writable || events & (EPOLLOUT | EPOLLHUP | EPOLLERR);
	s->hung_up = s->hung_up || events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR);
	s->failed = s->failed || events & EPOLLERR;
	if (kind == RELAY_AT_CLIENT && s->failed && c->stage != RELAY_OPEN)
		relay_close(l, c, true);
	else if (kind == RELAY_AT_SERVER && c->stage == RELAY_ASKING)
		relay_dial_step(l, c);
	else
		relay_queue(l, c);
}

static void hear_launcher(struct relay_loop *l)
{
	char word;
	if (recv(l->lifeline, &word, 1, MSG_DONTWAIT) != 1)
		relay_drain_alone(l);
	else if (word == RELAY_WORD_FLUSH)
		l->flush++;
	else
		relay_drain_begin(l);
}

static void handle_event(struct relay_loop *l, const struct epoll_event *event)
{
	unsigned kind = (unsigned)(event->data.u64 >> 56);
	uint32_t index = (uint32_t)(event->data.u64 >> 32) & 0xffffff, generation = (uint32_t)event->data.u64;
	switch (kind) {
	case RELAY_AT_LISTENER: accept_clients(l, &l->listeners[index]); return;
	case RELAY_AT_DNS: answer_queries(l, (int)index); return;
	case RELAY_AT_LIFELINE: hear_launcher(l); return;
	case RELAY_AT_RESOLVER:
		upstream_process(l->upstream, (int)index, event->events & (EPOLLIN | EPOLLERR | EPOLLHUP),
				event->events & EPOLLOUT);
		l->wake = l->now; /* connections may wait for this */
		return;
	default: break;
	}
	if (index < l->used && l->connections[index].stage != RELAY_FREE &&
			l->connections[index].generation == generation)
		handle_connection(l, &l->connections[index], kind, event->events);
}

/* Looks at every connection that waits for the clock or the resolver. */
static void tick(struct relay_loop *l)
{
	l->wake = FOREVER;
	if (l->starved)
		wake_waiting(l);
	for (size_t i = 0; i < l->used; i++) {
		struct relay_connection *c = &l->connections[i];
		if (!c->deadline || c->stage == RELAY_FREE)
			continue;
		if (c->stage == RELAY_ENDING)
			relay_pump(l, c);
		else if (c->stage != RELAY_LISTENING)
			relay_dial_step(l, c);
		else if (l->now >= c->deadline)
			relay_close(l, c, true);
		if (c->stage == RELAY_FREE || !c->deadline)
			continue;
		relay_wake_at(l, c->deadline);
		if (c->stage == RELAY_CONNECTING && c->dial.next < c->dial.to.n)
			relay_wake_at(l, c->dial.again > l->now ? c->dial.again : l->now + 50 * MILLISECOND);
	}
}

static void run_queue(struct relay_loop *l)
{
	struct relay_connection *c = l->run, *next;
	l->run = l->run_last = NULL;
	for (; c; c = next) {
		next = c->run_next;
		c->queued = false;
		if (c->stage != RELAY_FREE)
			relay_pump(l, c);
	}
}

static int wait_time(struct relay_loop *l)
{
	int resolver = upstream_timeout(l->upstream), clock = -1;
	l->resolver_due = resolver < 0 ? FOREVER : l->now + resolver * MILLISECOND;
	if (l->run || l->wake <= l->now)
		return 0;
	if (l->wake != FOREVER)
		clock = (int)((l->wake - l->now) / MILLISECOND) + 1;
	if (resolver >= 0 && (clock < 0 || resolver < clock))
		return resolver;
	return clock;
}

void relay_loop_run(struct relay_loop *l)
{
	struct epoll_event events[EVENTS_MAX];
	while (!l->ended) {
		l->now = clock_now();
		int n = epoll_wait(l->epoll, events, EVENTS_MAX, wait_time(l));
		l->now = clock_now();
		for (int i = 0; i < n; i++)
			handle_event(l, &events[i]);
		if (l->now >= l->resolver_due) {
			upstream_process(l->upstream, -1, false, false);
			l->wake = l->now;
		}
		if (l->now >= l->wake)
			tick(l);
		run_queue(l);
		if (l->drain_end)
			relay_drain_step(l, n);
		else if (l->flush != l->report->flushes)
			relay_flush_step(l, n);
	}
	for (size_t i = 0; i < l->used; i++)
		if (l->connections[i].stage != RELAY_FREE)
			relay_close(l, &l->connections[i], true);
}

/* ---- begin ---- */

static size_t connections_max(const struct relay_loop *l)
{
	size_t reserved = FILES_RESERVED + l->nlisteners;
	if (l->files <= reserved)
		return 1;
	size_t n = (l->files - reserved) / 3; /* two sockets, and often half a pipe */
	return n < RELAY_CONNECTIONS_MAX ? n : RELAY_CONNECTIONS_MAX;
}

/* Zeroed memory whose pages exist once they were used. */
static void *reserve(size_t n)
{
	void *p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	return p == MAP_FAILED ? NULL : p;
}

struct relay_loop *relay_loop_new(const struct relay_request *rq)
{
	struct relay_loop *l = reserve(sizeof *l);
	if (!l)
		return NULL;
	l->words = reserve((size_t)RELAY_CONNECTIONS_MAX * RELAY_WORDS_MAX);
	if (!l->words)
		return NULL;
	l->request = rq;
	l->wake = l->resolver_due = FOREVER;
	struct rlimit files;
	l->files = getrlimit(RLIMIT_NOFILE, &files) == 0 ? (size_t)files.rlim_cur : 0;
	return l;
}

int relay_loop_begin(struct relay_loop *l, struct err *e)
{
	l->epoll = epoll_create1(EPOLL_CLOEXEC);
	l->spare = l->epoll < 0 ? -1 : fcntl(l->epoll, F_DUPFD_CLOEXEC, 0);
	if (l->spare < 0)
		return err_system(e, "cannot watch the relay's sockets");
	l->routes = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	if (l->routes < 0)
		return err_system(e, "the relay cannot ask for routes");
	upstream_proxies_read(l->request->environ, &l->proxies);
	return upstream_new(watch_resolver, l, &l->upstream, e);
}

int relay_loop_serve(struct relay_loop *l, struct err *e)
{
	l->active_max = connections_max(l);
	int bad = watch_fd(l, EPOLL_CTL_ADD, l->lifeline, EPOLLIN | EPOLLRDHUP,
			event_tag(RELAY_AT_LIFELINE, 0, 0));
	for (size_t i = 0; i < ARRAY_SIZE(l->dns); i++)
		if (l->dns[i] >= 0)
			bad |= watch_fd(l, EPOLL_CTL_ADD, l->dns[i], EPOLLIN,
					event_tag(RELAY_AT_DNS, (uint32_t)l->dns[i], 0));
	for (size_t i = 0; i < l->nlisteners; i++) {
		int fd = l->listeners[i].fd;
		bad |= fcntl(fd, F_SETFL, O_NONBLOCK);
		relay_set_options(fd); /* accepted sockets inherit them */
		relay_set_room(fd, RELAY_ROOM_LARGE); /* the box is near, so that more would not be quicker */
		bad |= watch_fd(l, EPOLL_CTL_ADD, fd, EPOLLIN, event_tag(RELAY_AT_LISTENER, (uint32_t)i, 0));
	}
	return bad ? err_system(e, "cannot watch the relay's sockets") : 0;
}
