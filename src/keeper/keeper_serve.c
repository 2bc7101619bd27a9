/*
 * The keeper's process: lock, socket and loop. See keeper.h.
 *
 *   STATE/keeper/lock     locked for as long as the keeper takes new boxes: there is one
 *   STATE/keeper/socket   exists while the lock is held
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "keeper/keeper.h"
#include "sys/clock.h"
#include "sys/confined.h"
#include "sys/fds.h"
#include "sys/file.h"
#include "sys/peer.h"
#include "sys/title.h"

#define MS 1000000LL
#define BACKLOG 16
#define MEMORY_MAX ((uint64_t)1 << 50)

struct keeper_process {
	struct keeper_table table;
	int dir, lock, listener;
	int fds[KEEPER_PEERS_MAX], lives[KEEPER_PEERS_MAX]; /* -1: none */
	int networks[KEEPER_PEERS_MAX][KEEPER_NETWORK_FDS]; /* what peers share; -1: none */
	int ports[KEEPER_PORTS_MAX]; /* life lines of relays that publish; -1: none */
	int64_t idle_since;
};

/* ---- start ---- */

static int open_folder(struct str state, struct err *e)
{
	char path[PATH_MAX];
	struct stat st;
	int fd;

	if (snprintf(path, sizeof(path), "%.*s/" KEEPER_FOLDER, STR_ARG(state)) >= (int)sizeof(path))
		return err_input(e, "the path of the state directory is too long");
	if (mkdir(path, 0700) != 0 && errno != EEXIST)
		return err_system(e, "cannot make '%s'", path);
	fd = open(path, O_DIRECTORY | O_NOFOLLOW | O_RDONLY | O_CLOEXEC);
	if (fd >= 0 && fstat(fd, &st) == 0 && st.st_uid == geteuid() && !(st.st_mode & 077))
		return fd;
	fd_close(&fd);
	return err_system(e, "'%s' is not a directory of this user alone", path);
}

/* An open file description's lock: it goes with the process, however that ends. */
static int take_lock(struct keeper_process *k, bool *ret_other, struct err *e)
{
	struct flock l = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

	k->lock = openat(k->dir, "lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (k->lock < 0)
		return err_system(e, "cannot open the keeper's lock");
	if (fcntl(k->lock, F_OFD_SETLK, &l) == 0)
		return 0;
	*ret_other = errno == EAGAIN || errno == EACCES;
	return err_system(e, "cannot take the keeper's lock");
}

/* The address names the directory by its descriptor: a path may be longer than an address can hold. */
static int open_socket(struct keeper_process *k, struct err *e)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};

	k->listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	snprintf(at.sun_path, sizeof(at.sun_path), "/proc/self/fd/%d/socket", k->dir);
	unlinkat(k->dir, "socket", 0);
	if (k->listener < 0 || bind(k->listener, (struct sockaddr *)&at, sizeof(at)) != 0 ||
			fchmodat(k->dir, "socket", 0600, 0) != 0 || listen(k->listener, BACKLOG) != 0)
		return err_system(e, "cannot make the keeper's socket");
	return 0;
}

/*
 * A keeper that was started in the sandbox of an agent client would give its boxes less than they ask for, or
 * serve people from inside a sandbox.
 */
static int check_place(struct err *e)
{
	const char *by = confined_by();

	return by ? err_input(e, "a keeper does not start under %s", by) : 0;
}

static uint64_t half_of_memory(void)
{
	long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
	uint64_t half = pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size / 2 : (uint64_t)1 << 30;

	return half < MEMORY_MAX ? half : MEMORY_MAX;
}

/* ---- the loop ---- */

static void drop_peer(struct keeper_process *k, int at)
{
	fd_close(&k->fds[at]);
	fd_close(&k->lives[at]); /* ends the box if it is still there */
	for (size_t i = 0; i < KEEPER_NETWORK_FDS; i++)
		fd_close(&k->networks[at][i]);
	keeper_gone(&k->table, at);
}

static void drop_port(struct keeper_process *k, int at)
{
	fd_close(&k->ports[at]); /* ends the relay if it is still there */
	k->table.ports[at] = (struct keeper_port){0};
}

/* No new client finds this keeper from now on. The socket goes first: without the lock it would be another's.
 */
static void stop_listening(struct keeper_process *k)
{
	if (k->listener < 0)
		return;
	unlinkat(k->dir, "socket", 0);
	fd_close(&k->listener);
	fd_close(&k->lock);
}

static void accept_peer(struct keeper_process *k)
{
	int fd = accept4(k->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK), at;

	if (fd < 0)
		return;
	at = peer_check(fd, NULL) == 0 ? keeper_admit(&k->table, clock_now()) : -1;
	if (at < 0)
		close(fd);
	else
		k->fds[at] = fd;
}

/* Keeps the descriptors of a message where its step says, and closes the others. */
static void keep_descriptors(
		struct keeper_process *k, int at, const struct keeper_step *s, int *fds, size_t n)
{
	if (s->takes_life)
		k->lives[at] = fds[0];
	else if (s->takes_network)
		memcpy(k->networks[at], fds, n * sizeof(fds[0]));
	else if (s->publishes >= 0)
		k->ports[s->publishes] = fds[0];
	if (s->unpublishes >= 0)
		fd_close(&k->ports[s->unpublishes]);
	for (size_t i = 0; i < n && !s->takes_life && !s->takes_network && s->publishes < 0; i++)
		fd_close(&fds[i]);
}

static ssize_t answer_peer(const struct keeper_process *k, int at, const struct keeper_step *s)
{
	const int *network = s->gives >= 0 ? k->networks[s->gives] : NULL;
	size_t n = 0;

	while (network && n < KEEPER_NETWORK_FDS && network[n] >= 0)
		n++;
	return fds_send(k->fds[at], &s->answer, sizeof(s->answer), network, n);
}

static void carry_out(struct keeper_process *k, int at, const struct keeper_step *s)
{
	if (s->ends >= 0 && fds_send(k->fds[s->ends], &s->end, sizeof(s->end), NULL, 0) < 0)
		drop_peer(k, s->ends);
	if (k->table.peers[at].state == KEEPER_FREE)
		return;
	if (k->table.retired) /* before the peer sees EOF, and starts another keeper */
		stop_listening(k);
	if (s->drop || (s->answers && answer_peer(k, at, s) < 0))
		drop_peer(k, at);
}

/* One message at a time, so that no peer keeps the loop to itself. A byte more than a message has is seen. */
static void hear_peer(struct keeper_process *k, int at)
{
	char bytes[sizeof(struct keeper_message) + 1];
	struct keeper_step step;
	int fds[4];
	size_t nfds = ARRAY_SIZE(fds);
	ssize_t n = fds_recv(k->fds[at], bytes, sizeof(bytes), fds, &nfds, MSG_DONTWAIT);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		drop_peer(k, at);
		return;
	}
	keeper_take(&k->table, at, bytes, (size_t)n, nfds, clock_now(), &step);
	keep_descriptors(k, at, &step, fds, nfds);
	carry_out(k, at, &step);
}

/* Ports whose boxes have ended, and ports whose relay has. */
static void drop_ports(struct keeper_process *k, const struct pollfd *ports)
{
	for (int i = 0; i < KEEPER_PORTS_MAX; i++)
		if (ports[i].revents && k->ports[i] == ports[i].fd)
			drop_port(k, i);
	for (int at; (at = keeper_stale_port(&k->table)) >= 0;)
		drop_port(k, at);
}

static void drop_late(struct keeper_process *k, int64_t now)
{
	for (int i = 0; i < KEEPER_PEERS_MAX; i++)
		if (k->table.peers[i].due && now >= k->table.peers[i].due)
			drop_peer(k, i);
}

static bool is_empty(const struct keeper_process *k)
{
	for (size_t i = 0; i < KEEPER_PEERS_MAX; i++)
		if (k->fds[i] >= 0)
			return false;
	return true;
}

static int wait_ms(const struct keeper_process *k, int64_t now)
{
	int64_t due = keeper_due(&k->table), idle = k->idle_since + KEEPER_IDLE_MS * MS;

	if (k->idle_since && (!due || idle < due))
		due = idle;
	if (!due)
		return -1;
	return due <= now ? 0 : (int)((due - now) / MS + 1);
}

static int turn(struct keeper_process *k)
{
	struct pollfd p[KEEPER_PEERS_MAX + 1 + KEEPER_PORTS_MAX], *ports = p + KEEPER_PEERS_MAX + 1;

	for (size_t i = 0; i < KEEPER_PEERS_MAX; i++)
		p[i] = (struct pollfd){.fd = k->fds[i], .events = POLLIN};
	p[KEEPER_PEERS_MAX] = (struct pollfd){.fd = k->listener, .events = POLLIN};
	for (size_t i = 0; i < KEEPER_PORTS_MAX; i++)
		ports[i] = (struct pollfd){.fd = k->ports[i]}; /* its end only */
	if (poll(p, ARRAY_SIZE(p), wait_ms(k, clock_now())) < 0)
		return errno == EINTR ? 0 : -1;
	for (int i = 0; i < KEEPER_PEERS_MAX; i++)
		if (p[i].revents && k->fds[i] == p[i].fd)
			hear_peer(k, i);
	if (p[KEEPER_PEERS_MAX].revents && k->listener >= 0)
		accept_peer(k);
	drop_late(k, clock_now());
	drop_ports(k, ports);
	if (!is_empty(k))
		k->idle_since = 0;
	else if (!k->idle_since)
		k->idle_since = clock_now();
	return 0;
}

static bool is_needed(const struct keeper_process *k)
{
	if (!is_empty(k))
		return true;
	return k->listener >= 0 && (!k->idle_since || clock_now() < k->idle_since + KEEPER_IDLE_MS * MS);
}

int keeper_serve(struct str state, void (*ready)(void), bool *ret_other, struct err *e)
{
	static struct keeper_process k;

	*ret_other = false;
	k = (struct keeper_process){.lock = -1, .listener = -1, .table.memory_max = half_of_memory()};
	memset(k.fds, -1, sizeof(k.fds));
	memset(k.lives, -1, sizeof(k.lives));
	memset(k.networks, -1, sizeof(k.networks));
	memset(k.ports, -1, sizeof(k.ports));
	if (check_place(e) != 0)
		return -1;
	k.dir = open_folder(state, e);
	if (k.dir < 0 || take_lock(&k, ret_other, e) != 0 || open_socket(&k, e) != 0)
		return -1;
	signal(SIGPIPE, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	title_set("keeper");
	prctl(PR_SET_NAME, "caisson-keeper");
	k.idle_since = clock_now();
	ready();
	while (is_needed(&k))
		if (turn(&k) != 0)
			break;
	stop_listening(&k);
	for (int i = 0; i < KEEPER_PEERS_MAX; i++)
		if (k.fds[i] >= 0)
			drop_peer(&k, i);
	for (int i = 0; i < KEEPER_PORTS_MAX; i++)
		drop_port(&k, i);
	close(k.dir);
	return 0;
}
