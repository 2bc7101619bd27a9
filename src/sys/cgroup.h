/*
 * Control groups: version 2, version 1, and hybrids of both. Only cgroup.c and cgroup_map.c know the
 * difference.
 *
 * A group is one new directory in each hierarchy that is used. Its name is caisson-PID-TIME-NAMESPACE-RANDOM:
 * the launcher's pid, the time of creation, and the launcher's pid namespace. The name identifies leftovers
 * of a dead launcher. On version 1 the directory is created below the caller's own group. On version 2 it is
 * created below the nearest ancestor that delegates the memory and pids controllers; a group with processes
 * of its own cannot delegate them. If no writable hierarchy limits memory and processes, cg_make() fails with
 * the reason and the caller uses a fallback.
 *
 * A process gets into the group in two ways:
 * - version 2: the kernel creates it there (CLONE_INTO_CGROUP with cg_into());
 * - version 1: it moves itself (cg_enter()). Moving another process may take the kernel 10 ms, because that
 *   locks out every fork of the machine. A single thread that moves itself does not need this lock.
 */
#pragma once
#include <sys/types.h>

#include "base/err.h"
#include "model/outcome.h"
#include "sys/cgroup_map.h"

enum cg_limit { CG_MEMORY_MAX /* bytes, without swap */, CG_CPU_MILLI, CG_PIDS_MAX,
		CG_IO_MAX /* bytes per second, for each disk and each direction */ };
#define CG_NAME_MAX 80

struct cg_dir {
	int parent;           /* descriptor of the parent directory */
	/* descriptor of the group; -1: created with its first limit */
	int fd;
	int tasks;            /* version 1: descriptor of `tasks`, see cg_doors(); else -1 */
	bool v2;
	unsigned controllers; /* bits of CG_HAS_* */
};

/* parsed group name; `made` is in clock ticks since boot, like a process's start time */
struct cg_origin {
	int64_t pid, made, namespace;
};

struct cgroup { /* zeroed: no group */
	struct cg_origin self;
	struct cg_dir dirs[CG_HIERARCHIES_MAX];
	size_t n;
	char name[CG_NAME_MAX];
	/* ready for oom_poll at an OOM event; cg_oom_kills() rearms it; -1: none */
	int oom_event;
	short oom_poll;       /* POLLIN or POLLPRI */
	int oom_count;        /* descriptor of the file with the OOM kill counter */
	unsigned oom_again;   /* OOM events without a kill so far */
};

struct cg_host { /* control groups available to the caller; for doctor */
	enum enforcer memory, cpu, pids; /* ENFORCED_CGROUP2, ENFORCED_CGROUP1 or ENFORCED_NOT */
	bool kill;            /* cgroup.kill can kill the whole group at once */
	bool into;            /* CLONE_INTO_CGROUP is possible */
	bool swap;            /* swap counts as memory */
	char where[256];      /* parent directory of groups, or the reason why there is none */
};

/*
 * Creates a group. -1 and ERR_SYSTEM with the reason if memory or pids cannot be limited. `want` adds
 * CG_HAS_CPU, CG_HAS_IO or CG_HAS_CPUACCT: limits and counters that are used if a hierarchy has them. Do not
 * ask for a limit that the machine cannot exceed anyway: on version 1 it costs a directory.
 */
int cg_make(struct cgroup *cg, unsigned want, struct err *e);
/*
 * Creates a group in a systemd scope (sys/scope.h). The scope is delegated to this user and holds two of our
 * processes: `first` moves to the new group, `holder` to a sibling group. While the holder lives, the systemd
 * manager removes neither group, so the counters stay readable.
 */
struct cg_scope {
	const char *unit;
	pid_t first, holder;
};
int cg_make_in_scope(struct cgroup *cg, const struct cg_scope *scope, unsigned want, struct err *e);
/*
 * Opens the groups of a process that another program has put there, to read their counters and limits.
 * cg_remove() then only closes them.
 */
int cg_adopt(struct cgroup *cg, pid_t pid, struct err *e);
/*
 * Removes empty groups of this name below the caller's own and at the top, in all hierarchies: another
 * program made them. Returns how many of them are in use and stay.
 */
unsigned cg_remove_named(const char *name);
/* The limit in force, of memory or processes. UINT64_MAX: none, or it cannot be read. */
uint64_t cg_limit_now(const struct cgroup *cg, enum cg_limit what);
/* Sets a limit. Call it before a process enters the group. */
int cg_set(struct cgroup *cg, enum cg_limit what, uint64_t n, struct err *e);
/* Returns the mechanism that enforces this limit once it is set. ENFORCED_NOT: cg_set() would fail. */
enum enforcer cg_enforcer(const struct cgroup *cg, enum cg_limit what);
/*
 * Returns the descriptor for CLONE_INTO_CGROUP, or -1. *ret_rest is true if the process must also enter other
 * hierarchies.
 */
int cg_into(const struct cgroup *cg, bool *ret_rest);
/*
 * Stores the version 1 entry descriptors and returns their number; 0 on version 2. A process that writes to
 * them moves itself, so the kernel needs no machine-wide lock. They can be sent to another process and work
 * with any uid.
 */
size_t cg_doors(const struct cgroup *cg, int ret[CG_HIERARCHIES_MAX]);
/*
 * Moves the calling process, which must have a single thread, into the group. 0, or -1 with errno. Allocates
 * nothing.
 */
int cg_enter(const int *doors, size_t n);
/* True if version 2 probably limits memory here. A cheap guess: only cg_make() knows. */
bool cg_guess_v2(void);
/*
 * Kills every process of the group if the kernel can (version 2). Lifts the group's CPU limit, which would
 * delay their exit. The caller kills the box's init first.
 */
void cg_kill(const struct cgroup *cg);
uint64_t cg_memory_now(const struct cgroup *cg);
uint64_t cg_memory_peak(const struct cgroup *cg);  /* 0: unknown */
uint64_t cg_cpu_us(const struct cgroup *cg);       /* 0: unknown */
/*
 * Returns the mechanism that counts CPU time: ENFORCED_CGROUP2, ENFORCED_CGROUP1 (a hierarchy asked for with
 * `want`) or ENFORCED_NOT.
 */
enum enforcer cg_time_counter(const struct cgroup *cg);
/* Opens the list of the group's PIDs, one per line. -1 with errno. */
int cg_processes(const struct cgroup *cg);
/*
 * Returns the number of OOM kills since cg_make(). On version 1 it may wait a few milliseconds after an event
 * for the announced kill.
 */
uint64_t cg_oom_kills(struct cgroup *cg);
/*
 * Removes the directories. All processes must be dead; waits a little for those that are still exiting. Also
 * removes the leftovers of dead launchers. Safe to call twice.
 */
void cg_remove(struct cgroup *cg);
/* Its removal then looks for no groups of dead launchers: one of many boxes of a pool does that. */
void cg_spare_sweep(struct cgroup *cg);
void cg_probe(struct cg_host *ret);
/* Like cg_probe(), for an existing group. */
void cg_describe(const struct cgroup *cg, struct cg_host *ret);
