/* See peer.h. */
#define _GNU_SOURCE
#include "sys/peer.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/num.h"
#include "sys/file.h"

#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif
#define STAT_MAX 1024
#define STAT_AFTER_NAME 20 /* fields of /proc/PID/stat between the name and the start time */

uint64_t peer_start_time(pid_t pid)
{
	char path[40], text[STAT_MAX];
	const char *at;
	int64_t ticks;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	FD_CLEANUP int fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (n <= 0)
		return 0;
	text[n] = 0;
	at = strrchr(text, ')'); /* the name may hold blanks and brackets */
	for (int i = 0; at && i < STAT_AFTER_NAME; i++)
		at = strchr(at + 1, ' ');
	return at && num_parse(str_n(at + 1, strcspn(at + 1, " ")), 1, INT64_MAX, &ticks) == 0
			       ? (uint64_t)ticks
			       : 0;
}

static bool same_users(pid_t pid)
{
	struct stat own, other;
	char path[40];

	snprintf(path, sizeof(path), "/proc/%d/ns/user", (int)pid);
	return stat("/proc/self/ns/user", &own) == 0 && stat(path, &other) == 0 &&
	       own.st_dev == other.st_dev && own.st_ino == other.st_ino;
}

static bool alive(int pidfd)
{
	return poll(&(struct pollfd){.fd = pidfd, .events = POLLIN}, 1, 0) == 0;
}

bool peer_lives(pid_t pid, uint64_t start)
{
	FD_CLEANUP int fd = (int)syscall(SYS_pidfd_open, pid, 0);

	return fd >= 0 && alive(fd) && peer_start_time(pid) == start;
}

/*
 * The pidfd of the process that connected. Kernels before 6.5 give only a pid, which another process may have
 * by now: one that started after the look at the clock here is not the peer.
 */
static int peer_pidfd(int socket, pid_t pid)
{
	int fd = -1;
	socklen_t n = sizeof(fd);

	if (getsockopt(socket, SOL_SOCKET, SO_PEERPIDFD, &fd, &n) == 0) {
		fcntl(fd, F_SETFD, FD_CLOEXEC);
		return fd;
	}
	return errno == ENOPROTOOPT ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;
}

int peer_check(int socket, pid_t *ret_pid)
{
	struct ucred who;
	socklen_t n = sizeof(who);

	if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &who, &n) != 0)
		return -1;
	FD_CLEANUP int pidfd = peer_pidfd(socket, who.pid);
	uint64_t before = peer_start_time(who.pid);

	if (pidfd < 0 || !before || who.uid != geteuid() || !same_users(who.pid))
		return -1;
	/* Alive until here, so /proc has shown this process and no later one with its pid. */
	if (!alive(pidfd) || peer_start_time(who.pid) != before)
		return -1;
	if (ret_pid)
		*ret_pid = who.pid;
	return 0;
}
