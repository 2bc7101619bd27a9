/* Firecracker's requests, jailer and vsock, apart from the rest for the tests. vm_firecracker.c has the
 * theory. */
#pragma once
#include "box/vm.h"
#include "sys/unix_http.h"

#define FIRECRACKER_CID 3      /* the smallest that a guest may have */
#define FIRECRACKER_NAME "box" /* short: paths of sockets have at most 107 bytes */
#define FIRECRACKER_WORDS 24   /* of a command line */

struct firecracker_machine { /* paths as firecracker sees them */
	unsigned cpus;
	uint64_t memory_mib;
	const char *kernel, *image, *vsock;
};

struct firecracker_jail {
	const char *jailer, *program, *base;
	uint32_t id; /* user and group */
};

/* Describes the machine at the API's socket, and starts it. A refusal is an error with firecracker's words.
 */
int firecracker_boot(struct arena *a, const char *socket, const struct firecracker_machine *m, struct err *e);
/* Connects to the agent through the socket of the vsock device. -1: it never answered, or `monitor` has
 * ended. */
int firecracker_connect(const char *path, pid_t monitor, int tries, struct err *e);
/* The command line of the jailer, with a NULL at its end. */
void firecracker_jail(struct arena *a, const struct firecracker_jail *j, char *ret[FIRECRACKER_WORDS]);
