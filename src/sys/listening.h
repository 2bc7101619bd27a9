/* The ports on which somebody listens in the network namespace of a process. */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/arena.h"

/* Each TCP port once, IPv4 and IPv6. Returns their number, at most `room`; 0 also if they cannot be seen. */
size_t listening_ports(struct arena *a, pid_t pid, uint16_t *ret, size_t room);
