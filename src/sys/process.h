/*
 * Runs another program without a shell: passes text on its standard input, returns its standard output,
 * within a time limit.
 *
 * Theory of operation:
 * - The child has its own process group, only its standard streams open (stderr is /dev/null), / as its
 *   directory, default signals, and dies with its parent.
 * - The status pipe carries the errno of a failure before exec; exec closes it.
 * - The input is a memory file, so a child that does not read blocks nobody.
 * - The output pipe goes to the parent. The parent waits for the child's exit, not for EOF, so a grandchild
 *   that keeps the pipe open delays nothing.
 * - In every case the parent kills the whole group before it reaps the child; until then the pid cannot
 *   belong to another group. A descendant that leaves the group is not waited for.
 */
#pragma once
#include <sys/types.h>

#include "base/str.h"

#define PROCESS_INPUT_MAX ((size_t)1 << 20)

struct process_request {
	const char *path;        /* absolute */
	char *const *argv, *const *envp;
	struct str input;
	char *output;            /* buffer of the caller */
	size_t output_max;       /* more output is an error */
	unsigned timeout_ms;
	/*
	 * Receives the output in pieces of any total size, instead of the buffer. Must not leave an arena:
	 * the child still runs.
	 */
	void (*sink)(void *ctx, const char *bytes, size_t n);
	void *sink_ctx;
};

struct process_result {
	size_t n;                /* bytes of output */
	int status;              /* exit code, or 128 + the signal */
};

/*
 * Like fork(). In the child, arena_disown() drops the guards and cleanups of the arena, which belong to the
 * parent. The child can leave only an arena_run() of its own, and ends with _exit(). NULL: the child
 * allocates from no arena of its parent.
 */
pid_t process_fork(struct arena *a);
/*
 * Like fork(), for a child that takes everything over, also the cleanups of the parent's arenas: the parent
 * ends without running them.
 */
pid_t process_fork_heir(void);

/*
 * Waits for a child. Returns its wait status; 0 without a child (pid <= 0), or if it was waited for already.
 */
int process_wait(pid_t pid);
/*
 * Returns 0 if the program exited in time, with any status. -1 if it could not be started (ERR_SYSTEM), took
 * too long or wrote too much (ERR_LIMIT). Allocates nothing, so nothing is left behind.
 */
int process_ask(const struct process_request *rq, struct process_result *ret, struct err *e);
