/* See foreground.h. */
#define _GNU_SOURCE
#include "sys/foreground.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sys/process.h"

#define NOT_FOUND 127

int foreground_run(const char *dir, char *const *argv, int *ret_status, struct err *e)
{
	int status;
	pid_t pid = process_fork(NULL);

	if (pid < 0)
		return err_system(e, "cannot start '%s'", argv[0]);
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (chdir(dir) == 0)
			execvp(argv[0], argv);
		_exit(NOT_FOUND);
	}
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return err_system(e, "cannot wait for '%s'", argv[0]);
	*ret_status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	return 0;
}
