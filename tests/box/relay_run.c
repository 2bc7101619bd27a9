/*
 * relay_run [-u UID] [-p FILE] [-r FILE] RULE... -- COMMAND...: runs a command in a network namespace whose
 * only way out is the relay, without a box around it. For tests of the relay; needs root, or a user namespace
 * of its own with uid 0.
 *
 *   parent  stays in the caller's namespaces, starts the relay, waits, writes the report
 *   child   makes the namespace, passes listeners and name socket to the parent, execs the command there
 *
 * A rule with '+' before it may lie in a private network (on_site). -p: file for the relay's pid. -r: file
 * for the report, one line for each row: "HOST PORT REFUSAL COUNT IN OUT MS". -u: the user that the relay
 * becomes.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "net/relay.h"
#include "sys/fds.h"

#define PORTS_MAX 32

extern char **environ;

struct options {
	const char *pid_file, *report_file;
	uint32_t uid;
	struct network_rule *rules, **last;
	uint16_t ports[PORTS_MAX];
	size_t nports;
	char **command;
};

static void die(const char *what)
{
	perror(what);
	exit(99);
}

static void add_rule(struct options *o, struct arena *a, const char *text)
{
	struct err e = {0};
	struct network_rule *r = arena_new(a, struct network_rule);
	bool on_site = text[0] == '+';
	if (network_rule_parse(a, str_of(text + on_site), r, &e) != 0) {
		fprintf(stderr, "relay_run: %s\n", e.text);
		exit(99);
	}
	r->on_site = on_site;
	*o->last = r;
	o->last = &r->next;
	for (size_t i = 0; i < r->nports; i++) {
		size_t k = 0;
		while (k < o->nports && o->ports[k] != r->ports[i])
			k++;
		if (k == o->nports && o->nports < PORTS_MAX)
			o->ports[o->nports++] = r->ports[i];
	}
}

/* ---- the child ---- */

static void run_ip(const char *words)
{
	char line[256];
	snprintf(line, sizeof line, "ip %s", words);
	if (system(line) != 0)
		die(line);
}

static void make_namespace(const struct options *o, struct arena *a)
{
	if (unshare(CLONE_NEWNET | CLONE_NEWNS) != 0 ||
			mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
		die("unshare");
	run_ip("link set lo up");
	run_ip("address add 198.18.0.1/32 dev lo");
	run_ip("route add local 198.19.0.0/16 dev lo");
	run_ip("-6 route add local fd00:ca15:0:1::/112 dev lo");
	for (const struct network_rule *r = o->rules; r; r = r->next)
		if (r->kind == NETWORK_ADDRESS)
			run_ip(str_fmt_c(a, "route add local %.*s dev lo", STR_ARG(r->name)));
	const char *file = getenv("RELAY_RESOLV"); /* names 198.18.0.1 */
	if (file && mount(file, "/etc/resolv.conf", NULL, MS_BIND, NULL) != 0)
		die("resolv.conf");
}

static int listen_on(uint16_t port)
{
	int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0), off = 0, on = 1;
	struct sockaddr_in6 at = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
	setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
	if (bind(fd, (struct sockaddr *)&at, sizeof at) != 0 || listen(fd, 4096) != 0)
		die("listen");
	return fd;
}

static int name_socket(void)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(53)};
	inet_pton(AF_INET, "198.18.0.1", &at.sin_addr);
	if (bind(fd, (struct sockaddr *)&at, sizeof at) != 0)
		die("bind");
	return fd;
}

static void run_child(const struct options *o, struct arena *a, int socket)
{
	int fds[PORTS_MAX + 1];
	char go;
	make_namespace(o, a);
	fds[0] = name_socket();
	for (size_t i = 0; i < o->nports; i++)
		fds[i + 1] = listen_on(o->ports[i]);
	if (fds_send(socket, "x", 1, fds, o->nports + 1) != 1 || read(socket, &go, 1) != 1)
		exit(99);
	fds_keep((const int[]){0, 1, 2}, 3); /* the listeners must be the relay's alone */
	execvp(o->command[0], o->command);
	die(o->command[0]);
}

/* ---- the parent ---- */

static void write_report(const struct options *o, const struct network_report *r)
{
	FILE *f = o->report_file ? fopen(o->report_file, "w") : NULL;
	if (!f)
		return;
	fprintf(f, "allowed %llu refused %llu\n", (unsigned long long)r->allowed,
			(unsigned long long)r->refused);
	for (uint32_t i = 0; i < r->n && i < NETWORK_REPORT_MAX; i++) {
		const struct network_connection *c = &r->rows[i];
		fprintf(f, "%s %u %s %u %llu %llu %u\n", c->host, c->port,
				c->refusal ? network_refusal_name(c->refusal) : "ok", c->count,
				(unsigned long long)c->bytes_in, (unsigned long long)c->bytes_out, c->ms);
	}
	fclose(f);
}

static int run_parent(const struct options *o, struct arena *a, int socket, pid_t child)
{
	int fds[PORTS_MAX + 1], status = 0;
	size_t n = PORTS_MAX + 1;
	char word;
	struct err e = {0};
	struct relay_listener listeners[PORTS_MAX];
	struct relay relay;
	if (fds_recv(socket, &word, 1, fds, &n, 0) != 1 || n != o->nports + 1)
		exit(99);
	for (size_t i = 0; i < o->nports; i++)
		listeners[i] = (struct relay_listener){.fd = fds[i + 1], .port = o->ports[i]};
	struct relay_request rq = {.rules = o->rules, .environ = environ, .uid = o->uid, .gid = o->uid};
	struct relay_sockets sockets = {.listeners = listeners, .n = o->nports, .dns4 = fds[0], .dns6 = -1};
	if (relay_start(a, &rq, &relay, &e) != 0 || relay_serve(&relay, &sockets, &e) != 0) {
		fprintf(stderr, "relay_run: %s\n", e.text);
		exit(99);
	}
	for (size_t i = 0; i < n; i++)
		close(fds[i]);
	FILE *f = o->pid_file ? fopen(o->pid_file, "w") : NULL;
	if (f) {
		fprintf(f, "%d\n", relay.pid);
		fclose(f);
	}
	if (write(socket, "g", 1) != 1)
		die("write");
	while (waitpid(child, &status, 0) < 0)
		;
	if (WIFEXITED(status))
		relay_drain(&relay);
	relay_stop(&relay);
	write_report(o, relay.report);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int main(int argc, char **argv)
{
	struct arena a;
	struct options o = {.last = &o.rules};
	int opt, pair[2];
	arena_init(&a, ARENA_CAP_DEFAULT);
	while ((opt = getopt(argc, argv, "+u:p:r:")) != -1)
		switch (opt) {
		case 'u': o.uid = (uint32_t)strtoul(optarg, NULL, 10); break;
		case 'p': o.pid_file = optarg; break;
		case 'r': o.report_file = optarg; break;
		default: return 99;
		}
	for (; optind < argc && strcmp(argv[optind], "--") != 0 && strcmp(argv[optind - 1], "--") != 0;
			optind++)
		add_rule(&o, &a, argv[optind]);
	if (optind < argc && !strcmp(argv[optind], "--"))
		optind++;
	o.command = argv + optind;
	if (optind >= argc || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
		return 99;
	pid_t child = fork();
	if (!child)
		run_child(&o, &a, pair[1]);
	close(pair[1]);
	int status = run_parent(&o, &a, pair[0], child);
	arena_free(&a);
	return status;
}
