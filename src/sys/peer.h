/*
 * The process at the other end of a Unix socket. A boxed process has the uid of the person, so a uid says too
 * little: a peer must also live in our user namespace, which no box shares.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

/*
 * 0 if the peer of this connected socket has our user and our user namespace. Else -1, also if the peer has
 * ended or cannot be looked at. *ret_pid (may be NULL) is its pid.
 */
int peer_check(int socket, pid_t *ret_pid);
/*
 * Start of this process in clock ticks since boot, which tells it from a later one with its pid; 0: unknown.
 */
uint64_t peer_start_time(pid_t pid);
/* True while the process that started then runs. */
bool peer_lives(pid_t pid, uint64_t start);
