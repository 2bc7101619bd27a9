/*
 * filtered [--network] [--landlock DIR...] [--] ARGV...: runs a program behind the system call filter alone,
 * or behind Landlock as well (everything may be read then, and only the given directories and /dev and /proc
 * changed), without any of the rest of a box.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "sys/landlock.h"
#include "sys/seccomp.h"

static int fail(const char *what)
{
	perror(what);
	return 125;
}

int main(int argc, char **argv)
{
	int i = 1, ruleset = -1;
	bool network = argc > i && !strcmp(argv[i], "--network");
	i += network;
	if (argc > i && !strcmp(argv[i], "--landlock")) {
		ruleset = landlock_start(network);
		if (ruleset < 0 || landlock_allow(ruleset, "/", false) < 0 ||
				landlock_allow(ruleset, "/dev", true) < 0 ||
				landlock_allow(ruleset, "/proc", true) < 0)
			return fail("filtered: landlock");
		for (i++; i < argc && strcmp(argv[i], "--"); i++)
			if (landlock_allow(ruleset, argv[i], true) < 0)
				return fail(argv[i]);
	}
	i += i < argc && !strcmp(argv[i], "--");
	if (i >= argc) {
		fprintf(stderr, "usage: filtered [--network] [--landlock DIR...] -- ARGV...\n");
		return 64;
	}
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 || (ruleset >= 0 && landlock_enforce(ruleset) < 0) ||
			seccomp_load(network, false))
		return fail("filtered");
	execvp(argv[i], argv + i);
	return fail(argv[i]);
}
