/* See watchdog.h. The handlers use only async-signal-safe calls, on their own stack. */
#define _GNU_SOURCE
#include "cli/watchdog.h"

#include <poll.h>
#include <signal.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define DEADLINE_MS 8000      /* default; the policy can change it */
#define DEADLINE_MAX_MS 20000 /* below every limit in init_table.c */
/* after the deadline, for a process that is stopped or blocks signals */
#define KILL_AFTER_MS 2000
#define HANDLER_STACK ((size_t)64 << 10) /* a signal frame takes up to 12 KB on some processors */

#define ENDING_TEXT 128

#define SENTENCE(why) "caisson: nothing was judged, so nothing runs: " why "\n"
#define CRASHED(name) \
	{name, SENTENCE("caisson crashed (" #name "); ask a person to run: caisson doctor --client")}

struct ending {
	int signal;
	char text[ENDING_TEXT]; /* char array: no relocation at each start */
};

/* Every signal that dumps core by default, except SIGXFSZ, which main() ignores. */
static const struct ending endings[] = {
	{SIGALRM, SENTENCE("no answer in time (hooks.deadline_ms)")},
	CRASHED(SIGSEGV), CRASHED(SIGBUS), CRASHED(SIGILL), CRASHED(SIGFPE), CRASHED(SIGABRT),
	CRASHED(SIGSYS), CRASHED(SIGTRAP), CRASHED(SIGXCPU), CRASHED(SIGQUIT),
};
#define NENDINGS ARRAY_SIZE(endings)

/* State of the signal handlers. The stack comes last, so that its pages are touched only in use. */
static struct {
	volatile sig_atomic_t passes;
	struct timespec began;
	timer_t killer;
	bool kills;              /* `killer` exists */
	unsigned ms;             /* current deadline */
	_Alignas(16) char stack[HANDLER_STACK];
} watchdog;

static void say(const char *text)
{
	struct pollfd err = {.fd = STDERR_FILENO, .events = POLLOUT};
	ssize_t n;

	if (poll(&err, 1, 0) != 1)
		return; /* a stream that nobody reads must not block us */
	n = write(STDERR_FILENO, text, strlen(text));
	(void)n;
}

static void end_by_signal(int signal)
{
	if (watchdog.passes)
		_exit(HOOK_PASS);
	for (size_t i = 0; i < NENDINGS; i++)
		if (endings[i].signal == signal)
			say(endings[i].text);
	_exit(HOOK_BLOCK);
}

/*
 * Arms a kernel timer that sends SIGKILL. The hook line that `caisson init` writes turns that into a denial.
 */
static void set_killer(long ms)
{
	struct itimerspec t = {.it_value = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}};

	if (watchdog.kills)
		timer_settime(watchdog.killer, 0, &t, NULL);
}

void watchdog_start(void)
{
	struct sigevent kill_event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGKILL};
	const stack_t own = {.ss_sp = watchdog.stack, .ss_size = sizeof(watchdog.stack)};
	struct sigaction act = {.sa_handler = end_by_signal, .sa_flags = SA_ONSTACK};
	sigset_t all;

	clock_gettime(CLOCK_MONOTONIC, &watchdog.began);
	sigaltstack(&own, NULL);
	sigfillset(&act.sa_mask); /* only the first signal answers */
	sigemptyset(&all);
	for (size_t i = 0; i < NENDINGS; i++) {
		if (arena_leaks_matter() && endings[i].signal != SIGALRM)
			continue; /* a sanitizer reports crashes */
		sigaction(endings[i].signal, &act, NULL);
		sigaddset(&all, endings[i].signal);
	}
	watchdog.kills = timer_create(CLOCK_MONOTONIC, &kill_event, &watchdog.killer) == 0;
	watchdog_deadline(0);
	sigprocmask(SIG_UNBLOCK, &all, NULL); /* the caller may have blocked them (inherited) */
}

static long elapsed_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (long)(now.tv_sec - watchdog.began.tv_sec) * 1000 +
			(now.tv_nsec - watchdog.began.tv_nsec) / 1000000;
}

void watchdog_deadline(unsigned ms)
{
	struct itimerval t = {0};
	long left;

	ms = !ms ? DEADLINE_MS : ms < DEADLINE_MAX_MS ? ms : DEADLINE_MAX_MS;
	if (ms == watchdog.ms)
		return;
	watchdog.ms = ms;
	left = (long)ms - elapsed_ms();
	left = left > 0 ? left : 1;
	t.it_value.tv_sec = left / 1000;
	t.it_value.tv_usec = (suseconds_t)(left % 1000 * 1000);
	setitimer(ITIMER_REAL, &t, NULL);
	set_killer(left + KILL_AFTER_MS);
}

void watchdog_phase(enum phase phase) { watchdog.passes = phase != PHASE_PRE; }

bool watchdog_passes(void) { return watchdog.passes; }
