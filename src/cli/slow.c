/*
 * Shows a person that reading the record takes time: after two seconds, a counting line on the terminal,
 * erased before any output. A timer signal writes it, so readers need no extra code; SA_RESTART resumes
 * interrupted system calls.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "cli/cli.h"

#define SLOW_AFTER_S 2

static volatile sig_atomic_t on, seconds;

static void tick(int sig)
{
	static const char head[] = "\r\033[Kcaisson: reading the record, ";
	char line[64], *p = line + sizeof(line);
	const int saved = errno;
	unsigned n = (unsigned)seconds++;

	(void)sig;
	*--p = 's';
	*--p = ' ';
	do
		*--p = (char)('0' + n % 10);
	while (n /= 10);
	p -= sizeof(head) - 1;
	memcpy(p, head, sizeof(head) - 1);
	if (write(STDERR_FILENO, p, (size_t)(line + sizeof(line) - p)) < 0)
		on = 0;
	errno = saved;
}

void slow_start(void)
{
	const struct itimerval every = {.it_value.tv_sec = SLOW_AFTER_S, .it_interval.tv_sec = 1};
	const char *term = getenv("TERM");
	struct sigaction act = {.sa_handler = tick, .sa_flags = SA_RESTART};

	if (on || !isatty(STDERR_FILENO) || !term || !strcmp(term, "dumb") ||
			sigaction(SIGALRM, &act, NULL) < 0)
		return;
	on = 1;
	seconds = SLOW_AFTER_S;
	setitimer(ITIMER_REAL, &every, NULL);
}

void slow_end(void)
{
	static const char erase[] = "\r\033[K";
	const struct itimerval never = {0};

	if (!on)
		return;
	setitimer(ITIMER_REAL, &never, NULL);
	on = 0;
	if (seconds > SLOW_AFTER_S && write(STDERR_FILENO, erase, sizeof(erase) - 1) < 0)
		return;
}
