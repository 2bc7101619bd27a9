/*
 * The permissions of an agent client's own sandbox. Caisson's box runs outside that sandbox, so it must not
 * open more than the sandbox did. Paths are absolute.
 */
#pragma once
#include "model/policy.h"

#define WALLS_PATHS_MAX 256 /* of each list */

enum client_sandbox {               /* zero is the strictest */
	CLIENT_SANDBOX_UNKNOWN = 0, /* nothing is known: the box treats it as read-only */
	CLIENT_SANDBOX_READ_ONLY,
	CLIENT_SANDBOX_WORKSPACE_WRITE, /* `writable` says where, `closed` what of that stays as it is */
	CLIENT_SANDBOX_NONE,
};

struct client_walls {
	enum client_sandbox mode;
	struct texts *writable; /* directories that a command may write */
	struct texts *closed;   /* parts of them that it may not */
	struct texts *hidden;   /* files and directories that it may not read */
};

/* model/walls.c: "unknown", "read-only", "workspace-write", "none". client_sandbox_find() returns 0, or -1
 * when there is no such name. */
const char *client_sandbox_name(enum client_sandbox s);
int client_sandbox_find(struct str name, enum client_sandbox *ret);
