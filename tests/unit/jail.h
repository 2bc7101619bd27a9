/*
 * For tests of walls that cannot be taken down again: runs a function in a child, and brings back numbers and
 * how the child ended.
 */
#pragma once
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define JAIL_RESULTS_MAX 256

/*
 * fn(results, arg) runs in a child that cannot gain privileges and dies with its parent. Ends like waitpid's
 * status; -1: no child.
 */
static inline int jail_run(void (*fn)(int *results, const void *arg), int *results, const void *arg)
{
	int status = -1;
	fflush(stdout);
	pid_t pid = fork();
	if (pid == 0) {
		alarm(60);
		if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || prctl(PR_SET_PDEATHSIG, SIGKILL) < 0)
			_exit(99);
		fn(results, arg);
		_exit(0);
	}
	return pid > 0 && waitpid(pid, &status, 0) == pid ? status : -1;
}

static inline int *jail_results(void)
{
	int *p = mmap(NULL, JAIL_RESULTS_MAX * sizeof *p, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			-1, 0);
	return p == MAP_FAILED ? NULL : p;
}

/* 0, or why a call that says -1 failed. */
static inline int jail_errno(long result)
{
	return result < 0 ? errno : 0;
}
