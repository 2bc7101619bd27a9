/* CPUs: counting them, and moving processes among them. */
#define _GNU_SOURCE
#include "sys/cpus.h"

#include <errno.h>
#include <sched.h>
#include <unistd.h>

void cpus_own(cpu_set_t *ret)
{
	if (sched_getaffinity(0, sizeof(*ret), ret) != 0)
		CPU_ZERO(ret);
}

unsigned cpus_count(void)
{
	cpu_set_t set;

	cpus_own(&set);
	return CPU_COUNT(&set) ? (unsigned)CPU_COUNT(&set) : 1;
}

unsigned cpus_online(void)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);

	return n > 0 ? (unsigned)n : CPU_SETSIZE;
}

int cpus_restore(const cpu_set_t *all)
{
	cpu_set_t now;

	if (!CPU_COUNT(all))
		return 0;
	cpus_own(&now);
	return CPU_EQUAL(&now, all) ? 0 : sched_setaffinity(0, sizeof(*all), all);
}

/*
 * No error if the process is gone or may not be moved. But a process that was moved must get all CPUs back.
 */
static int move_process(pid_t pid, const cpu_set_t *to, const cpu_set_t *all, struct err *e)
{
	if (sched_setaffinity(pid, sizeof(*to), to) != 0 ||
			sched_setaffinity(pid, sizeof(*all), all) == 0 || errno == ESRCH)
		return 0;
	return err_system(e, "cannot give a process its CPUs back");
}

int cpus_away(pid_t pid, struct err *e)
{
	int here = sched_getcpu();
	cpu_set_t all, others;

	if (here < 0 || sched_getaffinity(0, sizeof(all), &all) != 0)
		return 0;
	others = all;
	CPU_CLR((size_t)here, &others);
	return CPU_COUNT(&others) ? move_process(pid, &others, &all, e) : 0;
}
