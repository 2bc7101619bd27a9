/* The raw result of a box, before any judgement about its meaning. Zeroed memory is a failure of ours. */
#pragma once
#include "base/str.h"

enum status {
	STATUS_SETUP_ERROR, STATUS_OK, STATUS_EXIT_NONZERO, STATUS_SIGNAL, STATUS_TIMEOUT, STATUS_OOM,
			STATUS_OUTPUT_LIMIT,
	STATUS_DENIED, STATUS_NEEDS_APPROVAL, STATUS_UNKNOWN,
};

enum enforcer { ENFORCED_NOT, ENFORCED_CGROUP2, ENFORCED_CGROUP1, ENFORCED_RLIMIT, ENFORCED_WATCH,
		ENFORCED_TMPFS, ENFORCED_TIMER, ENFORCED_PIPE, ENFORCED_NAMESPACE,
	ENFORCED_AFFINITY };

struct enforced { /* who enforced each limit */
	enum enforcer cpu, memory, pids, scratch, output, time, cpu_time, io, network;
};

/*
 * The raw output of one stream. A short one is in memory as a whole. For a longer one, memory holds its
 * beginning, and an unnamed file holds its last STREAM_RING bytes: byte i of the stream is at i modulo
 * STREAM_RING. sys/stream.h reads both.
 */
#define STREAM_KEPT ((uint64_t)64 << 20)     /* bytes at the end of a stream that are kept for people */
/* bytes before those, so that a secret that lies across their start is seen as one */
#define STREAM_CONTEXT ((uint64_t)64 << 10)
#define STREAM_RING (STREAM_KEPT + STREAM_CONTEXT)

struct stream {
	struct str text;       /* its beginning; without a file that is all that was kept */
	int file;              /* 0: none */
	uint64_t end;          /* with a file: bytes [stream_from(), end) are in it */
	uint64_t total;        /* bytes written by the program, kept or not */
	/* newlines before `end`; of a stream that is there as a whole nobody needs it */
	uint64_t lines;
	uint64_t lost_lines;   /* lines that end after it, or do not end */
};

/*
 * The first and one past the last byte that can be read; what lies before (but for `text`) and after them, up
 * to `total`, is lost.
 */
static inline uint64_t stream_from(const struct stream *s)
{
	return s->file && s->end > STREAM_RING ? s->end - STREAM_RING : 0;
}
static inline uint64_t stream_to(const struct stream *s) { return s->file ? s->end : s->text.n; }
static inline bool stream_whole(const struct stream *s)
{
	return !stream_from(s) && stream_to(s) == s->total;
}

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
	bool lingers;          /* the kernel is still giving back what it held; nothing of it runs any more */
	int interrupted;       /* the signal by which the caller ended it; 0: none */
	struct enforced enforced;
	struct change *changes;
	const char *backend;
	struct err err_setup;  /* STATUS_SETUP_ERROR: why */
};

const char *status_name(enum status s);
const char *enforcer_name(enum enforcer e); /* NULL: nobody */
