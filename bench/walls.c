/*
 * The most boxes a second that this kernel allows: fresh namespaces for each /bin/true and nothing else, no
 * root, no limits, no filter. A box cannot be cheaper as long as nothing of it is used twice.
 *
 *     walls COUNT PARALLEL      prints how many a second
 *
 * Each of PARALLEL processes starts its share, one program after the other.
 */
#define _GNU_SOURCE
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/num.h"
#include "bench.h"

#define COUNT_MAX 1000000
#define PARALLEL_MAX 64

static int run_one(void)
{
	static char *const argv[] = {"/bin/true", NULL};
	struct clone_args args = {.flags = CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWNET |
			CLONE_NEWIPC | CLONE_NEWUTS, .exit_signal = SIGCHLD};
	pid_t pid = (pid_t)syscall(SYS_clone3, &args, sizeof(args));
	int status;

	if (pid == 0) {
		execv(argv[0], argv);
		_exit(127);
	}
	return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0 ? 0 : -1;
}

static void run_share(int64_t n)
{
	while (n-- > 0)
		if (run_one() != 0)
			_exit(1);
	_exit(0);
}

int main(int argc, char **argv)
{
	int64_t count, parallel;
	double begun = seconds(CLOCK_MONOTONIC);
	int status, failed = 0;

	if (argc != 3 || num_parse(str_of(argv[1]), 1, COUNT_MAX, &count) != 0 ||
			num_parse(str_of(argv[2]), 1, PARALLEL_MAX, &parallel) != 0) {
		fprintf(stderr, "usage: walls COUNT PARALLEL\n");
		return 64;
	}
	for (int64_t i = 0; i < parallel; i++)
		if (fork() == 0)
			run_share(count / parallel);
	for (int64_t i = 0; i < parallel; i++)
		failed |= wait(&status) < 0 || status != 0;
	if (failed) {
		fprintf(stderr, "walls: no namespaces here\n");
		return 1;
	}
	printf("%.0f\n", (double)(count / parallel * parallel) / (seconds(CLOCK_MONOTONIC) - begun));
	return 0;
}
