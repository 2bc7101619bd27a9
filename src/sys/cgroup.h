/*
 * Control groups: version 2, version 1, and hybrids of both (limits on version 1, an empty version 2 tree beside it). The only file that
 * knows the difference.
 *
 * A group is one new directory for each hierarchy that is used, beside or below the caller's own, named caisson-PID-RANDOM. On version 2 it is made below the
 * nearest ancestor of the caller's group that hands out the memory and pids controllers (a group with processes of its own cannot).
 * Where no writable hierarchy limits memory and processes, cg_make() says so and the caller falls back to what else there is.
 */
#pragma once
#include <sys/types.h>

#include "base/err.h"
#include "base/str.h"
#include "model/outcome.h"

enum cg_limit { CG_MEMORY_MAX /* bytes, without swap */, CG_CPU_MILLI, CG_PIDS_MAX };
#define CG_HIERARCHIES_MAX 5 /* memory, cpu, pids, cpuacct, and version 2's */
#define CG_NAME_MAX 64

struct cg_dir {
	int parent;           /* descriptor of the directory it was made in; -1: this slot is empty */
	int fd;               /* of the group itself */
	bool v2;
	unsigned controllers; /* bits of CG_HAS_* */
};

struct cgroup {
	struct cg_dir dirs[CG_HIERARCHIES_MAX];
	size_t n;
	char name[CG_NAME_MAX];
	int oom_event;        /* readable (POLLIN or POLLPRI, see oom_poll) when the kernel killed something for memory; -1: none */
	short oom_poll;
	uint64_t oom_before;  /* kills counted before the start */
};

struct cg_host { /* what this host gives the caller; for doctor */
	enum enforcer memory, cpu, pids; /* ENFORCED_CGROUP2, ENFORCED_CGROUP1 or ENFORCED_NOT */
	bool kill;            /* a group can be killed at once */
	bool into;            /* a child can be born in its group */
	char where[256];      /* the directory groups are made in, or what is missing */
};

/* A fresh group. ERR_SYSTEM with the reason when memory or pids cannot be limited. Leftovers of dead launchers are removed on the way. */
int cg_make(struct cgroup *cg, struct err *e);
int cg_set(struct cgroup *cg, enum cg_limit what, uint64_t n, struct err *e);
enum enforcer cg_enforcer(const struct cgroup *cg, enum cg_limit what);
/* The descriptor for CLONE_INTO_CGROUP, or -1; true in *ret_rest when cg_attach() is needed besides. */
int cg_into(const struct cgroup *cg, bool *ret_rest);
/* Moves a process into all (remaining) hierarchies. On version 1 the kernel may wait 10 ms for this. */
int cg_attach(struct cgroup *cg, pid_t pid, bool into_done, struct err *e);
/* Kills everything in it, where the kernel can (version 2); the caller kills the box's init besides. */
void cg_kill(const struct cgroup *cg);
uint64_t cg_memory_now(const struct cgroup *cg);
uint64_t cg_memory_peak(const struct cgroup *cg);  /* 0: not known */
uint64_t cg_cpu_us(const struct cgroup *cg);       /* 0: not known */
uint64_t cg_oom_kills(const struct cgroup *cg);    /* since cg_make() */
/* Removes the directories: all processes must be gone; waits a little for those that are just leaving. Safe to call twice. */
void cg_remove(struct cgroup *cg);
void cg_probe(struct cg_host *ret);
