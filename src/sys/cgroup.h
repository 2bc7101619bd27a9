/*
 * Control groups: version 2, version 1, and hybrids of both. cgroup.c and cgroup_map.c are the only files
 * that know the difference.
 *
 * A group is one new directory for each hierarchy that is used, named caisson-PID-TIME-NAMESPACE-RANDOM (the
 * launcher, when it made the group, the launcher's pid namespace), so that leftovers of a dead launcher can
 * be told. On version 1 it is made below the caller's own group, on version 2 below the nearest ancestor that
 * hands out the memory and pids controllers (a group with processes of its own cannot). Where no writable
 * hierarchy limits memory and processes, cg_make() says so and the caller falls back to what else there is.
 *
 * How a process gets in: on version 2 it is born there (CLONE_INTO_CGROUP with cg_into()); into the
 * hierarchies of version 1 it goes by itself (cg_enter()): for a process that is moved from outside the
 * kernel may wait 10 ms there, because it locks out every fork of the machine, which a single thread that
 * moves itself does not need.
 */
#pragma once
#include <sys/types.h>

#include "base/err.h"
#include "base/str.h"
#include "model/outcome.h"
#include "sys/cgroup_map.h"

enum cg_limit { CG_MEMORY_MAX /* bytes, without swap */, CG_CPU_MILLI, CG_PIDS_MAX,
		CG_IO_MAX /* bytes a second from each disk, and to it */ };
#define CG_NAME_MAX 80

struct cg_dir {
	int parent;           /* descriptor of the directory it is made in */
	/*
	 * of the group itself; -1: not made yet (a hierarchy for nothing but CPU time, until a limit is set
	 * there)
	 */
	int fd;
	int tasks;            /* version 1: where a thread enters by itself; else -1 */
	bool v2;
	unsigned controllers; /* bits of CG_HAS_* */
};

/*
 * what a group's name says of its making; the time in clock ticks since the machine started, as the start of
 * a process
 */
struct cg_origin {
	int64_t pid, made, namespace;
};

struct cgroup { /* zeroed: no group */
	struct cg_origin self;
	struct cg_dir dirs[CG_HIERARCHIES_MAX];
	size_t n;
	char name[CG_NAME_MAX];
	/*
	 * ready for oom_poll when the memory limit was hit: ask cg_oom_kills() then, which also rearms it;
	 * -1: none
	 */
	int oom_event;
	short oom_poll;       /* POLLIN or POLLPRI */
	int oom_count;        /* descriptor of the file that counts kills */
	unsigned oom_again;   /* events without a kill so far */
};

struct cg_host { /* what this host gives the caller; for doctor */
	enum enforcer memory, cpu, pids; /* ENFORCED_CGROUP2, ENFORCED_CGROUP1 or ENFORCED_NOT */
	bool kill;            /* a group can be killed at once */
	bool into;            /* a child can be born in its group */
	bool swap;            /* swap is counted with memory */
	char where[256];      /* the directory groups are made in, or what is missing */
};

/*
 * A fresh group. ERR_SYSTEM with the reason when memory or pids cannot be limited. `want`: what else is to be
 * limited or counted (CG_HAS_CPU, CG_HAS_IO, CG_HAS_CPUACCT), where there is a hierarchy for that; a limit
 * that the machine cannot exceed anyway is better not wanted, it costs a directory on version 1.
 */
int cg_make(struct cgroup *cg, unsigned want, struct err *e);
/*
 * A fresh group in a scope (sys/scope.h) that holds two processes of ours and is handed over to this user:
 * `first` is moved to the group, `holder` to another one beside it. While the holder lives the systemd
 * manager removes neither, so that their counters can be read.
 */
struct cg_scope {
	const char *unit;
	pid_t first, holder;
};
int cg_make_in_scope(struct cgroup *cg, const struct cg_scope *scope, unsigned want, struct err *e);
/* Before a process is in it. */
int cg_set(struct cgroup *cg, enum cg_limit what, uint64_t n, struct err *e);
/* The mechanism that enforces this limit once it is set; ENFORCED_NOT: cg_set() would fail. */
enum enforcer cg_enforcer(const struct cgroup *cg, enum cg_limit what);
/* The descriptor for CLONE_INTO_CGROUP, or -1; *ret_rest when it must enter others besides. */
int cg_into(const struct cgroup *cg, bool *ret_rest);
/*
 * The doors of version 1: descriptors through which a process enters by itself, which the kernel need not
 * wait for. They can be handed to another process and work whatever its user is. How many; 0 on version 2.
 */
size_t cg_doors(const struct cgroup *cg, int ret[CG_HIERARCHIES_MAX]);
/*
 * The calling process, which must have one thread, enters through them. 0 or -1 with errno. Takes no memory.
 */
int cg_enter(const int *doors, size_t n);
/* Is version 2 what limits memory here? Cheap, and a guess: cg_make() knows. */
bool cg_guess_v2(void);
/*
 * Kills everything in it, where the kernel can (version 2), and lifts its CPU limit, which would delay the
 * end; the caller kills the box's init first.
 */
void cg_kill(const struct cgroup *cg);
uint64_t cg_memory_now(const struct cgroup *cg);
uint64_t cg_memory_peak(const struct cgroup *cg);  /* 0: not known */
uint64_t cg_cpu_us(const struct cgroup *cg);       /* 0: not known */
/*
 * The enforcer that counts it: ENFORCED_CGROUP2, ENFORCED_CGROUP1 (a hierarchy that was wanted) or
 * ENFORCED_NOT.
 */
enum enforcer cg_time_counter(const struct cgroup *cg);
/* A descriptor to read the numbers of its processes from, a line each; -1 with errno. */
int cg_processes(const struct cgroup *cg);
/*
 * Since cg_make(). After an event of version 1 it may wait a few milliseconds for the kill that is announced.
 */
uint64_t cg_oom_kills(struct cgroup *cg);
/*
 * Removes the directories: all processes must be gone; waits a little for those that are just leaving.
 * Leftovers of dead launchers go as well. Safe to call twice.
 */
void cg_remove(struct cgroup *cg);
void cg_probe(struct cg_host *ret);
/* The same of a group that was made. */
void cg_describe(const struct cgroup *cg, struct cg_host *ret);
