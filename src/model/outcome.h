/* The raw result of a box, before any judgement about its meaning. Zeroed memory means a setup error. */
#pragma once
#include "base/str.h"
#include "model/network_report.h"

enum status {
	STATUS_SETUP_ERROR, STATUS_OK, STATUS_EXIT_NONZERO, STATUS_SIGNAL, STATUS_TIMEOUT, STATUS_OOM,
			STATUS_OUTPUT_LIMIT,
	STATUS_DENIED, STATUS_NEEDS_APPROVAL,
	STATUS_RUNNING, /* in the background: another process reports the end */
	STATUS_UNKNOWN,
};

enum enforcer { ENFORCED_NOT, ENFORCED_CGROUP2, ENFORCED_CGROUP1, ENFORCED_RLIMIT, ENFORCED_WATCH,
		ENFORCED_TMPFS, ENFORCED_TIMER, ENFORCED_PIPE, ENFORCED_NAMESPACE,
	ENFORCED_AFFINITY };

struct enforced { /* the enforcer of each limit */
	enum enforcer cpu, memory, pids, scratch, output, time, cpu_time, io, network;
};

/*
 * The raw output of one stream. Short output is entirely in memory. For longer output, memory holds the
 * beginning and an unnamed file holds the last STREAM_RING bytes: byte i of the stream is at offset i modulo
 * STREAM_RING. sys/stream.h reads both.
 */
#define STREAM_KEPT ((uint64_t)64 << 20)     /* bytes kept from the end of a stream, for people */
/* bytes before those: a secret across their start is still recognized as a whole */
#define STREAM_CONTEXT ((uint64_t)64 << 10)
#define STREAM_RING (STREAM_KEPT + STREAM_CONTEXT)

struct stream {
	struct str text;       /* the beginning; without a file, everything that was kept */
	int file;              /* 0: none */
	uint64_t end;          /* with a file: it holds bytes [stream_from(), end) */
	uint64_t total;        /* bytes written by the program, kept or not */
	/* newlines before `end`; unused for a stream in memory */
	uint64_t lines;
	uint64_t lost_lines;   /* lines that end after `end`, or never */
	bool open_line;        /* the last byte that the program wrote is no newline */
	int pass_error;        /* errno of a failed copy to a caller who still reads; 0: none */
};

/*
 * Offsets of the first readable byte and of the byte after the last. Bytes outside this range (except for
 * `text`) are lost, up to `total`.
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

struct change { /* a change to the workspace that was undone after the run */
	struct change *next;
	struct str path;       /* relative to the workspace */
	struct str what;       /* "planted repository", "replaced", ... */
	struct str moved_to;   /* path in the quarantine; empty: not moved */
};

struct outcome {
	enum status status;
	int exit_code;         /* -1: none */
	int signal;            /* 0: none */
	struct stream out, err;
	uint64_t duration_ms, cpu_ms;
	uint64_t peak_memory;  /* bytes; 0: not known */
	bool peak_by_cgroup;   /* else from rusage: the largest single process */
	bool by_cpu_time;      /* STATUS_TIMEOUT: the limit of CPU time was reached */
	bool by_caches;        /* STATUS_OUTPUT_LIMIT: more files in the project's caches than the limit */
	bool by_scratch;       /* STATUS_OUTPUT_LIMIT: more files in /tmp than the limit */
	bool lingers;          /* no process is left, but the kernel is still releasing the box's resources */
	bool unfinished;       /* the program still runs: status and end are not known yet */
	int interrupted;       /* the signal with which the caller ended the run; 0: none */
	struct enforced enforced;
	struct change *changes;
	/* connections by name; NULL: the box reached no host by name */
	const struct network_report *network;
	/* the box lives on in the background, and another process has all that belongs to it */
	bool held;
	struct err err_hold;   /* why nothing stays in the background that should; kind 0: no trouble */
	bool relay_died;       /* the relay ended before the box, so later connections failed */
	/* why the person's caches are no lower layers; empty text: they are, or there are none */
	struct err no_overlay;
	char dropped[ERR_TEXT_MAX]; /* files that ended with the box, one path per line; empty: none seen */
	/* spec.collects: a descriptor of the box's home, once everything in it has ended; 0: none */
	int home;
	const char *backend;
	struct err err_setup;  /* STATUS_SETUP_ERROR: the reason */
};

const char *status_name(enum status s);
const char *enforcer_name(enum enforcer e); /* NULL: not enforced */
