/* Names of the sandbox modes of clients. */
#include "model/walls.h"

static const char names[][16] = {
	[CLIENT_SANDBOX_UNKNOWN] = "unknown",
	[CLIENT_SANDBOX_READ_ONLY] = "read-only",
	[CLIENT_SANDBOX_WORKSPACE_WRITE] = "workspace-write",
	[CLIENT_SANDBOX_NONE] = "none",
};

const char *client_sandbox_name(enum client_sandbox s)
{
	return names[s];
}

int client_sandbox_find(struct str name, enum client_sandbox *ret)
{
	ptrdiff_t i = STR_INDEX(names, name);

	if (i < 0)
		return -1;
	*ret = (enum client_sandbox)i;
	return 0;
}
