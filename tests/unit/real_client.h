/* A real client (curl, openssl, node) that connects to a socket of the test, to see the bytes it sends. */
#pragma once
#include <arpa/inet.h>
#include <signal.h>
#include <sys/socket.h>

#include "real.h"

struct real_client {
	pid_t pid;
	int listener, peer; /* peer is -1 if the client never connected */
	unsigned port;
};

/* Starts the shell text with the port as $1, and waits until it connects. */
static inline struct real_client real_client_start(const char *command)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof(at);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct timeval patience = {.tv_sec = 30};
	struct real_client c = {.listener = fd};
	char port[8];

	if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof(at)) || listen(fd, 1) ||
			getsockname(fd, (struct sockaddr *)&at, &size) ||
			setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)))
		abort();
	c.port = ntohs(at.sin_port);
	(void)str_put(port, sizeof(port), "%u", c.port);
	c.pid = fork();
	if (c.pid < 0)
		abort();
	if (c.pid == 0) {
		int null = open("/dev/null", O_RDWR);
		setpgid(0, 0);
		real_child((char *[]){"bash", "-c", (char *)(uintptr_t)command, "bash", port, NULL}, null,
				null);
	}
	setpgid(c.pid, c.pid);
	c.peer = accept4(fd, NULL, NULL, SOCK_CLOEXEC);
	return c;
}

/* Reads more of what the client sends. False: nothing more comes. */
static inline bool real_client_read(const struct real_client *c, void *to, size_t room, size_t *n)
{
	ssize_t got = c->peer >= 0 && *n < room ? recv(c->peer, (char *)to + *n, room - *n, 0) : 0;

	*n += got > 0 ? (size_t)got : 0;
	return got > 0;
}

static inline void real_client_end(const struct real_client *c)
{
	if (c->peer >= 0)
		close(c->peer);
	close(c->listener);
	kill(-c->pid, SIGKILL);
	waitpid(c->pid, NULL, 0);
}
