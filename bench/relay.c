/*
 * Measures the relay beside direct connections over loopback, in network namespaces of its own:
 *
 *   here     the relay, a server, and the client that connects directly
 *   between  the listeners, as in a run with named hosts
 *   behind   the client whose only way is a veth pair to `between`
 *
 * Prints throughput as a ratio and the time that the relay adds to one connection: medians of rounds in which
 * both clients take turns. The client sends or reads MEGABYTES; a server process and a client process share
 * the machine with the relay, so two cores show the worst case.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "net/relay.h"
#include "sys/clock.h"
#include "sys/fds.h"
#include "sys/netlink.h"

#define PORT 9100
#define NAME "bench.test"
#define NAME_ADDRESS "198.19.0.1" /* the first name's */
#define ROUNDS 9
#define PINGS 200 /* connections in one round */
#define MEGABYTES 512
#define BLOCK ((size_t)1 << 20)
#define LINK 77

enum work { DOWN = 'd', UP = 'u', PING = 'p' };

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void must(int failed, const char *what)
{
	if (failed)
		die(what);
}

/* ---- the server ---- */

static void serve_one(int fd, char *block)
{
	char word = 0;
	if (read(fd, &word, 1) != 1)
		return;
	for (int i = 0; word == DOWN && i < MEGABYTES; i++)
		for (size_t at = 0; at < BLOCK;) {
			ssize_t n = write(fd, block + at, BLOCK - at);
			if (n <= 0)
				return;
			at += (size_t)n;
		}
	while (word == UP && read(fd, block, BLOCK) > 0)
		;
	if (word != DOWN && write(fd, "x", 1) != 1)
		return;
}

static void serve(int listener)
{
	char *block = calloc(1, BLOCK);
	for (;;) {
		int fd = accept(listener, NULL, NULL);
		if (fd < 0)
			exit(0);
		serve_one(fd, block);
		close(fd);
	}
}

/* ---- clients ---- */

static int dial(const char *address)
{
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(PORT)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	inet_pton(AF_INET, address, &to.sin_addr);
	must(connect(fd, (struct sockaddr *)&to, sizeof to) != 0, "connect");
	return fd;
}

static void transfer(int fd, char word, char *block)
{
	size_t left = word == PING ? 1 : (size_t)MEGABYTES << 20;
	must(write(fd, &word, 1) != 1, "write");
	for (size_t sent = 0; word == UP && sent < left;) {
		ssize_t n = write(fd, block, BLOCK);
		must(n <= 0, "write");
		sent += (size_t)n;
	}
	if (word == UP) {
		shutdown(fd, SHUT_WR);
		left = 1;
	}
	while (left) {
		ssize_t n = read(fd, block, BLOCK);
		must(n <= 0, "the connection ended early");
		left -= (size_t)n < left ? (size_t)n : left;
	}
}

/* Does what each word on the socket says, and answers with the nanoseconds that it took. */
static void run_client(int socket, const char *address)
{
	char word, *block = calloc(1, BLOCK);
	while (read(socket, &word, 1) == 1) {
		int64_t began = clock_now();
		for (int i = 0; i < (word == PING ? PINGS : 1); i++) {
			int fd = dial(address);
			transfer(fd, word, block);
			close(fd);
		}
		int64_t took = clock_now() - began;
		must(write(socket, &took, sizeof took) != sizeof took, "write");
	}
	exit(0);
}

/* ---- namespaces ---- */

static struct netlink_prefix prefix(const char *text, unsigned bits)
{
	struct netlink_prefix p = {.bits = 96 + bits};
	p.address[10] = p.address[11] = 0xff;
	inet_pton(AF_INET, text, p.address + 12);
	return p;
}

static void set_up(void (*add)(struct netlink *n, pid_t peer), pid_t peer)
{
	static struct netlink n;
	must(netlink_open(&n) != 0, "netlink");
	netlink_add_up(&n, NETLINK_LOOPBACK);
	if (add)
		add(&n, peer);
	int why = netlink_send(&n);
	if (why) {
		fprintf(stderr, "relay: netlink: %s\n", strerror(why));
		exit(1);
	}
	netlink_close(&n);
}

static void add_behind(struct netlink *n, pid_t peer)
{
	struct netlink_prefix own = prefix("198.18.0.2", 30), names = prefix("198.19.0.0", 16),
			      gate = prefix("198.18.0.1", 32);
	netlink_add_pair(n, LINK, "box", peer, "relay");
	netlink_add_address(n, LINK, &own);
	netlink_add_up(n, LINK);
	netlink_add_route(n, LINK, &names, &gate);
}

static void add_between(struct netlink *n, pid_t peer)
{
	struct netlink_prefix own = prefix("198.18.0.1", 30), names = prefix("198.19.0.0", 16);
	(void)peer;
	netlink_add_address(n, LINK, &own);
	netlink_add_up(n, LINK);
	netlink_add_local(n, &names);
}

static int listen_here(int family)
{
	int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0), off = 0;
	struct sockaddr_in6 at = {.sin6_family = AF_INET6, .sin6_port = htons(PORT)};
	struct sockaddr_in at4 = {.sin_family = AF_INET, .sin_port = htons(PORT)};
	bool six = family == AF_INET6;
	if (six)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
	must(bind(fd, six ? (void *)&at : (void *)&at4, six ? sizeof at : sizeof at4) != 0, "bind");
	must(listen(fd, 1024) != 0, "listen");
	return fd;
}

static pid_t fork_child(void)
{
	pid_t pid = fork();
	must(pid < 0, "fork");
	if (!pid)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	return pid;
}

/* Makes `between`, and `behind` with a client in it. Returns the listener of `between`. */
static int make_namespaces(int client)
{
	int pair[2], fd = -1;
	size_t n = 1;
	char word;
	must(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0, "socketpair");
	if (!fork_child()) {
		must(unshare(CLONE_NEWNET) != 0, "unshare");
		pid_t between = getpid();
		int ready[2];
		must(pipe2(ready, O_CLOEXEC) != 0, "pipe");
		if (!fork_child()) {
			must(unshare(CLONE_NEWNET) != 0, "unshare");
			set_up(add_behind, between);
			must(write(ready[1], "x", 1) != 1, "write");
			run_client(client, NAME_ADDRESS);
		}
		must(read(ready[0], &word, 1) != 1, "read");
		set_up(add_between, 0);
		fd = listen_here(AF_INET6);
		must(fds_send(pair[1], "x", 1, &fd, 1) != 1, "send");
		pause();
	}
	must(fds_recv(pair[0], &word, 1, &fd, &n, 0) != 1 || n != 1, "receive");
	return fd;
}

/* An ordinary user becomes root of a user namespace. */
static void write_map(const char *file, unsigned id)
{
	char text[64];
	int fd = open(file, O_WRONLY | O_CLOEXEC), n = snprintf(text, sizeof text, "0 %u 1\n", id);
	must(fd < 0 || write(fd, text, (size_t)n) != n, file);
	close(fd);
}

static void enter_here(void)
{
	unsigned uid = geteuid(), gid = getegid();
	char hosts[] = "/tmp/caisson-bench-XXXXXX";
	if (uid != 0) {
		must(unshare(CLONE_NEWUSER) != 0, "unshare");
		int fd = open("/proc/self/setgroups", O_WRONLY | O_CLOEXEC);
		must(fd < 0 || write(fd, "deny", 4) != 4, "setgroups");
		close(fd);
		write_map("/proc/self/uid_map", uid);
		write_map("/proc/self/gid_map", gid);
	}
	must(unshare(CLONE_NEWNET | CLONE_NEWNS) != 0, "unshare");
	must(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0, "mount");
	set_up(NULL, 0);
	int fd = mkostemp(hosts, O_CLOEXEC);
	must(fd < 0 || dprintf(fd, "127.0.0.1 " NAME "\n") < 0 || fchmod(fd, 0644) != 0, hosts);
	must(mount(hosts, "/etc/hosts", NULL, MS_BIND, NULL) != 0, "/etc/hosts");
	close(fd);
	unlink(hosts);
}

/* ---- measuring ---- */

static int64_t ask(int client, char word)
{
	int64_t took = 0;
	must(write(client, &word, 1) != 1 || read(client, &took, sizeof took) != sizeof took, "a client");
	return took;
}

static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return (x > y) - (x < y);
}

static int64_t median(int64_t *values)
{
	qsort(values, ROUNDS, sizeof *values, by_value);
	return values[ROUNDS / 2];
}

static void measure(int direct, int relayed, char word, double *ret_direct, double *ret_relayed)
{
	int64_t a[ROUNDS], b[ROUNDS];
	ask(direct, word);
	ask(relayed, word);
	for (int i = 0; i < ROUNDS; i++) {
		a[i] = ask(direct, word);
		b[i] = ask(relayed, word);
	}
	*ret_direct = (double)median(a);
	*ret_relayed = (double)median(b);
}

static void show(const char *what, double value, double goal, bool at_least)
{
	bool met = at_least ? value >= goal : value <= goal;
	printf("  %-52s%8.3f   goal %-5g%s\n", what, value, goal, met ? "met" : "MISSED");
}

static int start_client(const char *address)
{
	int pair[2];
	must(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0, "socketpair");
	if (!fork_child())
		run_client(pair[1], address);
	return pair[0];
}

static void start_relay(struct arena *a, int listener, struct relay *ret)
{
	struct err e = {0};
	struct network_rule *name = arena_new(a, struct network_rule),
			    *address = arena_new(a, struct network_rule);
	char port[8];
	snprintf(port, sizeof port, ":%d", PORT);
	must(network_rule_parse(a, str_cat(a, STR(NAME), str_of(port)), name, &e) != 0, "a rule");
	must(network_rule_parse(a, str_cat(a, STR("127.0.0.1"), str_of(port)), address, &e) != 0, "a rule");
	name->next = address;
	struct relay_listener l = {.fd = listener, .port = PORT};
	struct relay_request rq = {.rules = name};
	struct relay_sockets sockets = {.listeners = &l, .n = 1, .dns4 = -1, .dns6 = -1};
	int64_t began = clock_now();
	if (relay_start(a, &rq, ret, &e) != 0 || relay_serve(ret, &sockets, &e) != 0) {
		fprintf(stderr, "relay: %s\n", e.text);
		exit(1);
	}
	printf("  %-52s%8.3f\n", "start until ready, ms", (double)(clock_now() - began) / 1e6);
}

int main(void)
{
	struct arena a;
	struct relay relay;
	int behind[2];
	double direct, relayed;
	arena_init(&a, ARENA_CAP_DEFAULT);
	enter_here();
	printf("relay: a connection through the relay / one over loopback\n");
	must(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, behind) != 0, "socketpair");
	int listener = make_namespaces(behind[1]), server = listen_here(AF_INET);
	if (!fork_child())
		serve(server);
	start_relay(&a, listener, &relay);
	int near = start_client("127.0.0.1");
	measure(near, behind[0], DOWN, &direct, &relayed);
	show("throughput to the program", direct / relayed, 0.35, true);
	measure(near, behind[0], UP, &direct, &relayed);
	show("throughput from the program", direct / relayed, 0.35, true);
	measure(near, behind[0], PING, &direct, &relayed);
	show("added to a connection with one byte each way, us", (relayed - direct) / PINGS / 1e3, 300,
			false);
	relay_stop(&relay);
	arena_free(&a);
	return 0;
}
