/* See upstream.h. */
#define _GNU_SOURCE
#include "net/upstream.h"

#include <ares.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "model/network.h"
#include "sys/clock.h"

#define SECOND ((int64_t)1000000000)
#define KEEP_MIN (5 * SECOND)
#define KEEP_MAX (300 * SECOND)
#define KEEP_FAILED (2 * SECOND) /* long enough for one program's retries, short enough for a person's */
#define QUERY_TIMEOUT_MS 2500
#define QUERY_TRIES 2

struct upstream_name {
	char name[NETWORK_HOST_MAX + 1]; /* "": unused */
	enum upstream_answer answer;
	int64_t until; /* the answer counts until then */
	struct upstream_addresses found;
};

struct upstream {
	ares_channel channel;
	unsigned pending;
	struct upstream_name names[UPSTREAM_NAMES_MAX];
};

/* ---- answers ---- */

static void add_address(struct upstream_addresses *to, const struct sockaddr *sa)
{
	if (to->n == UPSTREAM_ADDRESSES_MAX)
		return;
	uint8_t *ip = to->ip[to->n];
	if (sa->sa_family == AF_INET6) {
		memcpy(ip, &((const struct sockaddr_in6 *)(const void *)sa)->sin6_addr, IP_BYTES);
		to->n++;
	} else if (sa->sa_family == AF_INET) {
		memset(ip, 0, IP_BYTES);
		ip[10] = ip[11] = 0xff;
		memcpy(ip + 12, &((const struct sockaddr_in *)(const void *)sa)->sin_addr, 4);
		to->n++;
	}
}

/* Takes the families in turn, so that a dead IPv6 costs one attempt and not four. */
static void interleave_families(struct upstream_addresses *all)
{
	struct upstream_addresses from = *all;
	bool used[UPSTREAM_ADDRESSES_MAX] = {false}, mapped = from.n && ip_is_mapped(from.ip[0]);
	for (size_t n = 0; n < from.n; n++) {
		size_t pick = from.n;
		for (size_t i = from.n; i-- > 0;)
			if (!used[i] && (pick == from.n || ip_is_mapped(from.ip[i]) == mapped ||
							ip_is_mapped(from.ip[pick]) != mapped))
				pick = i;
		used[pick] = true;
		memcpy(all->ip[n], from.ip[pick], IP_BYTES);
		mapped = !ip_is_mapped(from.ip[pick]);
	}
}

static int64_t keep_time(int ttl)
{
	int64_t t = ttl * SECOND;
	return t < KEEP_MIN ? KEEP_MIN : t > KEEP_MAX ? KEEP_MAX : t;
}

struct upstream_query { /* in the callback's hands until it has run */
	struct upstream *upstream;
	struct upstream_name *name;
};

static void take_answer(void *arg, int status, int timeouts, struct ares_addrinfo *info)
{
	struct upstream_query q = *(struct upstream_query *)arg;
	int64_t keep = KEEP_MAX;
	(void)timeouts;
	free(arg);
	q.upstream->pending--;
	q.name->found.n = 0;
	for (struct ares_addrinfo_node *node = info ? info->nodes : NULL; node; node = node->ai_next) {
		add_address(&q.name->found, node->ai_addr);
		if (keep > keep_time(node->ai_ttl))
			keep = keep_time(node->ai_ttl);
	}
	bool ready = status == ARES_SUCCESS && q.name->found.n > 0;
	interleave_families(&q.name->found);
	q.name->answer = ready ? UPSTREAM_READY : UPSTREAM_FAILED;
	q.name->until = clock_now() + (ready ? keep : KEEP_FAILED);
	if (info)
		ares_freeaddrinfo(info);
}

/* ---- the table ---- */

/* Returns the entry of the name, or the one to use for it: unused, else the one that ends first. */
static struct upstream_name *find_name(struct upstream *u, struct str name)
{
	struct upstream_name *best = NULL;
	for (size_t i = 0; i < UPSTREAM_NAMES_MAX; i++) {
		struct upstream_name *n = &u->names[i];
		if (n->name[0] && str_is(name, n->name))
			return n;
		if (n->name[0] && n->answer == UPSTREAM_PENDING)
			continue;
		if (!best || (best->name[0] && (!n->name[0] || n->until < best->until)))
			best = n;
	}
	if (best)
		best->name[0] = 0;
	return best;
}

static void start_query(struct upstream *u, struct upstream_name *n)
{
	const struct ares_addrinfo_hints hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
	struct upstream_query *q = malloc(sizeof *q);
	n->answer = UPSTREAM_FAILED;
	n->until = clock_now() + KEEP_FAILED;
	if (!q)
		return;
	*q = (struct upstream_query){u, n};
	n->answer = UPSTREAM_PENDING;
	u->pending++;
	ares_getaddrinfo(u->channel, n->name, NULL, &hints, take_answer, q); /* may answer at once */
}

enum upstream_answer upstream_resolve(struct upstream *u, struct str name, struct upstream_addresses *ret)
{
	struct upstream_name *n = name.n && name.n <= NETWORK_HOST_MAX ? find_name(u, name) : NULL;
	if (!n)
		return UPSTREAM_FAILED;
	bool known = n->name[0] && (n->answer == UPSTREAM_PENDING || clock_now() < n->until);
	if (!known) {
		memcpy(n->name, name.p, name.n);
		n->name[name.n] = 0;
		start_query(u, n);
	}
	if (n->answer == UPSTREAM_READY)
		*ret = n->found;
	return n->answer;
}

/* ---- c-ares ---- */

struct upstream_watcher {
	upstream_watch *watch;
	void *ctx;
};

static void socket_state(void *data, ares_socket_t fd, int read, int write)
{
	const struct upstream_watcher *w = data;
	w->watch(w->ctx, fd, read != 0, write != 0);
}

/*
 * c-ares can look up services by name and port, for which a static program would load shared libraries. The
 * relay asks for no service, so these replace the functions of the C library (the Makefile wraps the calls).
 */
struct servent;
struct servent *__wrap_getservbyname(const char *name, const char *protocol);
struct servent *__wrap_getservbyname(const char *name, const char *protocol)
{
	(void)name;
	(void)protocol;
	return NULL;
}

int __wrap_getservbyport_r(int port, const char *protocol, struct servent *entry, char *room, size_t n,
		struct servent **ret);
int __wrap_getservbyport_r(int port, const char *protocol, struct servent *entry, char *room, size_t n,
		struct servent **ret)
{
	(void)port, (void)protocol, (void)entry, (void)room, (void)n;
	*ret = NULL;
	return ENOENT;
}

int upstream_new(upstream_watch *watch, void *ctx, struct upstream **ret, struct err *e)
{
	struct upstream *u = calloc(1, sizeof *u);
	struct upstream_watcher *w = calloc(1, sizeof *w);
	if (!u || !w) {
		free(u);
		free(w);
		return err_limit(e, "out of memory for the resolver");
	}
	*w = (struct upstream_watcher){watch, ctx};
	struct ares_options options = {.sock_state_cb = socket_state,
			.sock_state_cb_data = w,
			.timeout = QUERY_TIMEOUT_MS,
			.tries = QUERY_TRIES,
			/* no search list: a listed name is that name and no other */
			.domains = NULL,
			.ndomains = 0};
	int status = ares_library_init(ARES_LIB_INIT_ALL);
	if (status == ARES_SUCCESS)
		status = ares_init_options(&u->channel, &options,
				ARES_OPT_SOCK_STATE_CB | ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES |
						ARES_OPT_DOMAINS);
	if (status != ARES_SUCCESS) {
		free(u);
		free(w);
		return err_host(e, "cannot start the resolver: %s", ares_strerror(status));
	}
	*ret = u;
	return 0;
}

void upstream_process(struct upstream *u, int fd, bool readable, bool writable)
{
	ares_process_fd(u->channel, readable ? fd : ARES_SOCKET_BAD, writable ? fd : ARES_SOCKET_BAD);
}

int upstream_timeout(struct upstream *u)
{
	struct timeval room;
	if (!u->pending || !ares_timeout(u->channel, NULL, &room))
		return -1;
	return (int)(room.tv_sec * 1000 + room.tv_usec / 1000 + 1);
}
