/* Sends descriptors through message sockets (AF_UNIX), and closes inherited ones. */
#pragma once
#include <stddef.h>
#include <sys/types.h>

#define FDS_MAX 200 /* descriptors in one message; the kernel's limit is 253 */

/* Sends one message with up to FDS_MAX descriptors. Like send(), but without SIGPIPE. */
ssize_t fds_send(int socket, const void *data, size_t n, const int *fds, size_t nfds);
/*
 * Like recv(). *nfds is the room in fds, then the number received; they are close-on-exec. -1 with EMFILE if
 * the kernel dropped some, for instance at this process's descriptor limit: then all are closed, so a partial
 * list never looks complete.
 */
ssize_t fds_recv(int socket, void *data, size_t n, int *fds, size_t *nfds, int flags);
/*
 * Closes all descriptors but these, which must be sorted in ascending order. For a child that must not hold a
 * pipe whose EOF others await.
 */
void fds_keep(const int *keep, size_t n);
/*
 * Makes every descriptor above 2 that is not close-on-exec, and so came from our caller, a copy of `by`, and
 * also these. Their numbers stay in use: code that still knows one must not meet another file there. -1 with
 * errno.
 */
int fds_replace_inherited(const int *more, size_t n, int by);
void fds_sort(int *fds, size_t n);
