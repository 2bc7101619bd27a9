/* What happened in a box: raw, before any judgement about meaning. Zeroed memory is a failure of ours. */
#pragma once
#include "base/str.h"

enum status {
	STATUS_SETUP_ERROR, STATUS_OK, STATUS_EXIT_NONZERO, STATUS_SIGNAL, STATUS_TIMEOUT, STATUS_OOM, STATUS_OUTPUT_LIMIT,
	STATUS_DENIED, STATUS_NEEDS_APPROVAL, STATUS_UNKNOWN,
};

enum enforcer { ENFORCED_NOT, ENFORCED_CGROUP2, ENFORCED_CGROUP1, ENFORCED_RLIMIT, ENFORCED_WATCH, ENFORCED_TMPFS, ENFORCED_TIMER, ENFORCED_PIPE, ENFORCED_NAMESPACE,
	ENFORCED_AFFINITY };

struct enforced { /* who enforced each limit */
	enum enforcer cpu, memory, pids, scratch, output, time, cpu_time, network;
};

struct stream {
	struct str text;       /* what was kept */
	uint64_t total;        /* bytes written by the program, kept or not */
};

struct change { /* something in the workspace that was put right afterwards */
	struct change *next;
	struct str path;       /* relative to the workspace */
	struct str what;       /* "planted repository", "replaced", ... */
	struct str moved_to;   /* quarantine; empty: nothing was moved */
};

struct outcome {
	enum status status;
	int exit_code;         /* -1: none */
	int signal;            /* 0: none */
	struct stream out, err;
	uint64_t duration_ms, cpu_ms;
	uint64_t peak_memory;  /* bytes; 0: not known */
	bool peak_by_cgroup;   /* else by rusage: the largest single process */
	bool by_cpu_time;      /* STATUS_TIMEOUT: it was the limit of CPU time that ended it */
	int interrupted;       /* the signal by which the caller ended it; 0: none */
	struct enforced enforced;
	struct change *changes;
	const char *backend;
	int leaving[3];        /* processes of ours that are on their way out; box_wait() */
	struct err err_setup;  /* STATUS_SETUP_ERROR: why */
};

const char *status_name(enum status s);
const char *enforcer_name(enum enforcer e); /* NULL: nobody */
