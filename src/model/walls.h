/*
 * The permissions of an agent client's own sandbox. Caisson's box runs outside that sandbox, so it must not
 * permit more than the sandbox does. Paths are absolute.
 */
#pragma once
#include "model/policy.h"

#define WALLS_PATHS_MAX 256 /* bound of each list */

enum client_sandbox {               /* zero is the strictest */
	CLIENT_SANDBOX_UNKNOWN = 0, /* not known: the box treats it as read-only */
	CLIENT_SANDBOX_READ_ONLY,
	CLIENT_SANDBOX_WORKSPACE_WRITE, /* `writable` lists the directories, `closed` the exceptions */
	CLIENT_SANDBOX_NONE,
};

struct client_walls {
	enum client_sandbox mode;
	struct texts *writable; /* writable directories */
	struct texts *closed;   /* read-only parts of them */
	struct texts *hidden;   /* unreadable files and directories */
};

/*
 * Names: "unknown", "read-only", "workspace-write", "none". client_sandbox_find() returns -1 if no mode has
 * this name.
 */
const char *client_sandbox_name(enum client_sandbox s);
int client_sandbox_find(struct str name, enum client_sandbox *ret);
