/* src/sys/netlink: real links, addresses and routes in network namespaces that the test makes. */
#define _GNU_SOURCE
#include "sys/netlink.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/rtnetlink.h>
#include <netinet/in.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"

#define INDEX 77
#define PORT 4711
#define V4(a, b, c, d) {[10] = 0xff, 0xff, (a), (b), (c), (d)}
#define MANY 200 /* requests: more than one batch holds */

static const struct netlink_prefix here = {V4(198, 18, 0, 1), 126}, there = {V4(198, 18, 0, 2), 126},
		names = {V4(198, 19, 0, 0), 112};

static void test_family(void)
{
	CHECK(netlink_is_ipv4(&here) && netlink_is_ipv4(&names));
	CHECK(!netlink_is_ipv4(&(struct netlink_prefix){{0xfd}, 8}));
	/* a prefix that is shorter than the mapped part has both families in it */
	CHECK(!netlink_is_ipv4(&(struct netlink_prefix){V4(0, 0, 0, 0), 80}));
}

/* A child in a user and a network namespace of its own; its exit status counts the failures. */
static int in_namespace(int (*fn)(void))
{
	int status = 0;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		if (unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0)
			_exit(99);
		_exit(fn());
	}
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 98;
}

static struct sockaddr_in at(uint32_t address)
{
	return (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons(PORT),
			.sin_addr.s_addr = htonl(address)};
}

static int listen_everywhere(void)
{
	struct sockaddr_in any = at(INADDR_ANY);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	return fd < 0 || bind(fd, (void *)&any, sizeof(any)) != 0 || listen(fd, 5) != 0 ? -1 : fd;
}

/* Connects to an address and returns 0 if the listener sees the same one. */
static int connect_to(int listener, uint32_t address)
{
	struct sockaddr_in to = at(address), seen;
	socklen_t n = sizeof(seen);
	int fd = socket(AF_INET, SOCK_STREAM, 0), got;

	if (connect(fd, (void *)&to, sizeof(to)) != 0)
		return 1;
	got = accept(listener, NULL, NULL);
	if (got < 0 || getsockname(got, (void *)&seen, &n) != 0 || seen.sin_addr.s_addr != to.sin_addr.s_addr)
		return 2;
	close(got);
	close(fd);
	return 0;
}

static int local_prefix(void)
{
	struct netlink n;
	int listener;

	if (netlink_open(&n) != 0)
		return 10;
	netlink_add_up(&n, NETLINK_LOOPBACK);
	netlink_add_local(&n, &names);
	if (netlink_send(&n) != 0)
		return 11;
	listener = listen_everywhere();
	if (connect_to(listener, 0xc6130000 + 1) != 0 || connect_to(listener, 0xc6130000 + 0xffff) != 0)
		return 12;
	return connect_to(listener, 0xc6140001) == 1 ? 0 : 13; /* no route leads there */
}

static int route_types(void)
{
	static const uint8_t name[16] = V4(198, 19, 7, 7), other[16] = V4(198, 20, 0, 1);
	static const struct netlink_prefix six = {{0x26, 0, 0, 2}, 64};
	uint8_t in_six[16] = {0x26, 0, 0, 2, [15] = 7};
	unsigned type = 0;
	struct netlink n;

	if (netlink_open(&n) != 0)
		return 50;
	netlink_add_up(&n, NETLINK_LOOPBACK);
	netlink_add_local(&n, &names);
	netlink_add_local(&n, &six);
	if (netlink_send(&n) != 0)
		return 51;
	if (netlink_route_type(n.fd, name, &type) != 0 || type != RTN_LOCAL)
		return 52;
	type = 0;
	if (netlink_route_type(n.fd, in_six, &type) != 0 || type != RTN_LOCAL)
		return 53;
	if (netlink_route_type(n.fd, other, &type) != ENETUNREACH)
		return 54;
	return netlink_route_type(-1, name, &type) == EBADF ? 0 : 55;
}

/* The pair's other end is in the namespace of a child. */
static int linked_pair(void)
{
	int ready[2], status = 0, listener;
	struct netlink n;
	char c;
	pid_t pid;

	if (pipe(ready) != 0 || netlink_open(&n) != 0)
		return 20;
	pid = fork();
	if (!pid) {
		struct netlink own;

		if (unshare(CLONE_NEWNET) != 0 || write(ready[1], "", 1) != 1 || netlink_open(&own) != 0)
			_exit(21);
		for (int tries = 0; tries < 500; tries++) { /* until the link is here */
			netlink_add_up(&own, INDEX);
			if (netlink_send(&own) == 0)
				break;
			own.failed = 0;
			usleep(2000);
		}
		netlink_add_address(&own, INDEX, &there);
		netlink_add_route(&own, INDEX, &names, &here);
		if (netlink_send(&own) != 0)
			_exit(22);
		struct sockaddr_in to = at(0xc6130007);
		for (int tries = 0; tries < 500; tries++) {
			int fd = socket(AF_INET, SOCK_STREAM, 0);

			if (connect(fd, (void *)&to, sizeof(to)) == 0)
				_exit(0);
			close(fd);
			usleep(2000);
		}
		_exit(23);
	}
	listener = listen_everywhere();
	if (listener < 0 || read(ready[0], &c, 1) != 1)
		return 24;
	netlink_add_pair(&n, INDEX, "here0", pid, "there0");
	netlink_add_up(&n, INDEX);
	netlink_add_up(&n, NETLINK_LOOPBACK);
	netlink_add_address(&n, INDEX, &here);
	netlink_add_local(&n, &names);
	if (netlink_send(&n) != 0)
		return 25;
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 26;
}

/* The first failure is kept, and later requests are carried out all the same. */
static int failures(void)
{
	struct netlink n;

	if (netlink_open(&n) != 0)
		return 30;
	netlink_add_up(&n, INDEX); /* there is none */
	netlink_add_up(&n, NETLINK_LOOPBACK);
	netlink_add_local(&n, &names);
	if (netlink_send(&n) != ENODEV || netlink_send(&n) != ENODEV)
		return 31;
	return connect_to(listen_everywhere(), 0xc6130001) == 0 ? 0 : 32;
}

static int many(void)
{
	struct netlink n;

	if (netlink_open(&n) != 0)
		return 40;
	netlink_add_up(&n, NETLINK_LOOPBACK);
	for (uint8_t i = 0; i < MANY; i++)
		netlink_add_local(&n, &(struct netlink_prefix){V4(10, i, 0, 0), 112});
	if (netlink_send(&n) != 0)
		return 41;
	return connect_to(listen_everywhere(), 0x0a000001 + ((MANY - 1) << 16)) == 0 ? 0 : 42;
}

static void test_local(void) { CHECK_INT(in_namespace(local_prefix), 0); }
static void test_pair(void) { CHECK_INT(in_namespace(linked_pair), 0); }

static void test_route_types(void) { CHECK_INT(in_namespace(route_types), 0); }
static void test_failures(void) { CHECK_INT(in_namespace(failures), 0); }
static void test_many(void) { CHECK_INT(in_namespace(many), 0); }

int main(void)
{
	RUN(test_family);
	RUN(test_local);
	RUN(test_pair);
	RUN(test_route_types);
	RUN(test_failures);
	RUN(test_many);
	return unit_end();
}
