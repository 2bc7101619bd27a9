/* Sends and closes descriptors. See fds.h. */
#define _GNU_SOURCE
#include "sys/fds.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/num.h"

union control {
	char room[CMSG_SPACE(FDS_MAX * sizeof(int))];
	struct cmsghdr head;
};

ssize_t fds_send(int socket, const void *data, size_t n, const int *fds, size_t nfds)
{
	union control c;
	struct iovec part = {(void *)data, n};
	struct msghdr msg = {.msg_iov = &part, .msg_iovlen = 1};
	ssize_t sent;

	if (nfds > FDS_MAX) {
		errno = EINVAL;
		return -1;
	}
	if (nfds) {
		msg.msg_control = c.room;
		msg.msg_controllen = CMSG_SPACE(nfds * sizeof(int));
		memset(c.room, 0, msg.msg_controllen);
		c.head = (struct cmsghdr){.cmsg_len = CMSG_LEN(nfds * sizeof(int)), .cmsg_level = SOL_SOCKET,
				.cmsg_type = SCM_RIGHTS};
		memcpy(CMSG_DATA(&c.head), fds, nfds * sizeof(int));
	}
	do
		sent = sendmsg(socket, &msg, MSG_NOSIGNAL);
	while (sent < 0 && errno == EINTR);
	return sent;
}

ssize_t fds_recv(int socket, void *data, size_t n, int *fds, size_t *nfds, int flags)
{
	union control c;
	struct iovec part = {data, n};
	size_t room = *nfds < FDS_MAX ? *nfds : FDS_MAX;
	struct msghdr msg = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = c.room,
			.msg_controllen = room ? CMSG_SPACE(room * sizeof(int)) : 0};
	const struct cmsghdr *head;
	ssize_t got;

	do
		got = recvmsg(socket, &msg, flags | MSG_CMSG_CLOEXEC);
	while (got < 0 && errno == EINTR);
	*nfds = 0;
	head = got < 0 ? NULL : CMSG_FIRSTHDR(&msg);
	if (head && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS) {
		*nfds = (head->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		*nfds = *nfds < room ? *nfds : room; /* alignment may leave room for one more */
		memcpy(fds, CMSG_DATA(head), *nfds * sizeof(int));
	}
	if (got >= 0 && msg.msg_flags & MSG_CTRUNC) {
		while (*nfds)
			close(fds[--*nfds]);
		errno = EMFILE;
		return -1;
	}
	return got;
}

static int by_number(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

void fds_sort(int *fds, size_t n) { qsort(fds, n, sizeof(*fds), by_number); }

void fds_keep(const int *keep, size_t n)
{
	unsigned from = 0;

	for (size_t i = 0; i < n; i++) {
		if ((unsigned)keep[i] > from)
			syscall(SYS_close_range, from, (unsigned)keep[i] - 1, 0);
		from = (unsigned)keep[i] + 1;
	}
	syscall(SYS_close_range, from, ~0u, 0);
}

static bool is_listed(const int *list, size_t n, int fd)
{
	for (size_t i = 0; i < n; i++)
		if (list[i] == fd)
			return true;
	return false;
}

int fds_replace_inherited(const int *more, size_t n, int by)
{
	DIR *d = opendir("/proc/self/fd");
	const struct dirent *x;
	int rc = d ? 0 : -1;

	while (d && (x = readdir(d))) {
		int64_t fd;

		if (num_parse(str_of(x->d_name), STDERR_FILENO + 1, INT_MAX, &fd) != 0 || fd == by ||
				(fcntl((int)fd, F_GETFD) != 0 && !is_listed(more, n, (int)fd)))
			continue;
		if (dup3(by, (int)fd, O_CLOEXEC) < 0)
			rc = -1;
	}
	if (d)
		closedir(d);
	return rc;
}
