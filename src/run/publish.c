/* See publish.h. */
#define _GNU_SOURCE
#include "run/publish.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/num.h"
#include "box/forward.h"
#include "sys/file.h"
#include "sys/listening.h"

#define BACKLOG 128
#define LISTENING_MAX 1024

/* Programs of the host look for these services there, and send them passwords and data. */
static const struct {
	uint16_t port;
	char name[16];
} services[] = {
		{1080, "SOCKS"},
		{1433, "SQL Server"},
		{1521, "Oracle"},
		{1883, "MQTT"},
		{2049, "NFS"},
		{2181, "ZooKeeper"},
		{2375, "Docker"},
		{2376, "Docker"},
		{2379, "etcd"},
		{2380, "etcd"},
		{3128, "a proxy"},
		{3306, "MySQL"},
		{3389, "RDP"},
		{4222, "NATS"},
		{4317, "OpenTelemetry"},
		{4318, "OpenTelemetry"},
		{5037, "adb"},
		{5432, "PostgreSQL"},
		{5671, "AMQP"},
		{5672, "AMQP"},
		{5900, "VNC"},
		{5984, "CouchDB"},
		{6000, "X11"},
		{6379, "Redis"},
		{6443, "Kubernetes"},
		{7687, "Neo4j"},
		{8086, "InfluxDB"},
		{8200, "Vault"},
		{8500, "Consul"},
		{8883, "MQTT"},
		{9042, "Cassandra"},
		{9050, "Tor"},
		{9092, "Kafka"},
		{9150, "Tor"},
		{9200, "Elasticsearch"},
		{9222, "Chrome DevTools"},
		{9229, "Node's debugger"},
		{9300, "Elasticsearch"},
		{10250, "Kubernetes"},
		{11211, "memcached"},
		{11434, "Ollama"},
		{26257, "CockroachDB"},
		{27017, "MongoDB"},
};

int publish_check(const struct policy *p, uint16_t port, struct err *e)
{
	int64_t listed;

	if (port < PUBLISH_PORT_MIN)
		return err_input(e, "only ports from %d on can be published", PUBLISH_PORT_MIN);
	for (size_t i = 0; i < ARRAY_SIZE(services); i++)
		if (services[i].port == port)
			return err_input(e,
					"port %u is that of %s, which programs of this machine "
					"would look for there",
					port, services[i].name);
	for (const struct texts *t = p->sandbox.host_ports; t; t = t->next)
		if (num_parse(t->text, 1, UINT16_MAX, &listed) == 0 && listed == port)
			return err_input(e,
					"port %u is one of this machine's services "
					"(sandbox.network.host_ports)",
					port);
	return 0;
}

/* A browser tries ::1 as well, so a server there counts, too. */
static bool is_in_use(struct arena *a, uint16_t port)
{
	uint16_t ports[LISTENING_MAX];
	size_t n = listening_ports(a, getpid(), ports, LISTENING_MAX);

	for (size_t i = 0; i < n; i++)
		if (ports[i] == port)
			return true;
	return n == LISTENING_MAX;
}

static int open_listener(struct arena *a, uint16_t port, struct err *e)
{
	const struct sockaddr_in at = {.sin_family = AF_INET,
			.sin_port = htons(port),
			.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	const int on = 1;
	int fd = is_in_use(a, port) ? (errno = EADDRINUSE, -1)
				    : socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	/* Former connections may linger; a listener never shares its port. */
	if (fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) == 0 &&
			bind(fd, (const struct sockaddr *)&at, sizeof(at)) == 0 && listen(fd, BACKLOG) == 0)
		return fd;
	err_set(e, ERR_SYSTEM, errno == EADDRINUSE ? 0 : errno,
			errno == EADDRINUSE ? "port %u of this machine is in use" : "cannot open port %u",
			port);
	fd_close(&fd);
	return -1;
}

/* True if the port is published: for this network, or *e says for another one. */
static bool is_published(struct str state, struct str key, uint16_t port, struct err *e)
{
	struct keeper_port all[KEEPER_PORTS_MAX];
	size_t n = keeper_ports(state, all);

	for (size_t i = 0; i < n; i++)
		if (all[i].port == port) {
			if (!str_is(key, all[i].network))
				err_input(e, "port %u is published for another project", port);
			return true;
		}
	return false;
}

int publish_port(struct arena *a, struct str state, struct str key, uint16_t port, bool *ret_before,
		struct err *e)
{
	struct err other = {0};
	int network[KEEPER_NETWORK_FDS] = {-1, -1}, rc = -1;
	struct relay relay;
	size_t n;

	*ret_before = is_published(state, key, port, &other);
	if (*ret_before)
		return other.kind ? (*e = other, -1) : 0;
	FD_CLEANUP int listener = open_listener(a, port, e);
	if (listener < 0)
		return -1;
	n = keeper_join(state, key, network);
	if (!n)
		return err_input(e, "no box of the project is in the background");
	if (forward_start(a, network[0], listener, port, &relay, e) == 0) {
		rc = keeper_publish(state, key, port, relay_lifeline(&relay), e);
		if (rc == 0)
			relay_leave(&relay);
		else
			relay_stop(&relay);
	}
	for (size_t i = 0; i < n; i++)
		close(network[i]);
	return rc;
}
