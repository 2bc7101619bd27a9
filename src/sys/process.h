/*
 * Asking another program: started without a shell, one text on its standard input, its standard output back,
 * within a time.
 *
 * Two processes and two pipes. The child has its own process group, nothing open but its standard streams
 * (errors go nowhere), / as its directory, default signals, and dies with its parent; what it fails at before
 * exec it tells through the status pipe, which exec closes. Its input is a file in memory, so that a child
 * that does not read blocks nobody. The parent waits for the end of the child, not for the end of the output:
 * a grandchild that keeps the pipe open delays nothing. Whatever happens, the whole group is killed before
 * the child is reaped (its number cannot mean another group until then). A descendant that leaves the group
 * is not waited for.
 */
#pragma once
#include <sys/types.h>

#include "base/str.h"

#define PROCESS_INPUT_MAX ((size_t)1 << 20)

struct process_request {
	const char *path;        /* absolute */
	char *const *argv, *const *envp;
	struct str input;
	char *output;            /* the caller's room */
	size_t output_max;       /* more output than this is an error */
	unsigned timeout_ms;
	/*
	 * Takes the output piece by piece, as much as there is, in place of the room. It must not leave: the
	 * child is still there.
	 */
	void (*sink)(void *ctx, const char *bytes, size_t n);
	void *sink_ctx;
};

struct process_result {
	size_t n;                /* bytes of output */
	int status;              /* exit code, or 128 + the signal */
};

/*
 * As fork(). In the child, arena_disown() has dropped the guards and cleanups of the arena, which are the
 * parent's: the child can leave only an arena_run() of its own, and ends by _exit(). NULL: the child
 * allocates from no arena of its parent.
 */
pid_t process_fork(struct arena *a);

/*
 * 0 when the program ended by itself in time, whatever its status; -1 when it could not be started
 * (ERR_SYSTEM), took too long or wrote too much (ERR_LIMIT). Takes no memory from anywhere, so nothing is
 * left behind.
 */
int process_ask(const struct process_request *rq, struct process_result *ret, struct err *e);
