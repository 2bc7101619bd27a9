/* Descriptors on their way through a socket of whole messages (AF_UNIX). */
#pragma once
#include <stddef.h>
#include <sys/types.h>

#define FDS_MAX 200 /* in one message; the kernel takes 253 */

/* One message with up to FDS_MAX of them. As send(), without a signal. */
ssize_t fds_send(int socket, const void *data, size_t n, const int *fds, size_t nfds);
/*
 * As recv(). *nfds: for how many there is room, then how many came; they are close-on-exec. -1 with EMFILE
 * when some got lost, since this process may not open so many: none of them is left then, and never is less
 * taken for all.
 */
ssize_t fds_recv(int socket, void *data, size_t n, int *fds, size_t *nfds, int flags);
/*
 * For a process of ours that must not hold what others wait for the end of: closes all but these, the
 * smallest first.
 */
void fds_keep(const int *keep, size_t n);
void fds_sort(int *fds, size_t n);
