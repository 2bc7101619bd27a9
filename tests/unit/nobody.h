/* For tests that look at the machine both as root and as a user without privileges. */
#pragma once
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOBODY 65534

static inline bool is_root(void) { return geteuid() == 0; }

/* Runs fn in a child that is nobody; its result is the exit status. */
static inline int as_nobody(int (*fn)(void))
{
	pid_t pid = fork();
	if (pid == 0)
		_exit(setgid(NOBODY) == 0 && setuid(NOBODY) == 0 ? fn() : 99);
	int status;
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
