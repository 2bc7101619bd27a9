/*
 * The limits of a box: their names, their notation, the values of the profiles. Pure.
 *
 * While a spec is made, limits are numbers by name, 0 where none was given; struct limits is the result that
 * backends enforce.
 */
#pragma once
#include "base/str.h"

#define MB ((uint64_t)1 << 20)

enum profile { PROFILE_EXEC, PROFILE_WORK, PROFILES };
enum limit { LIMIT_CPUS /* thousandths */, LIMIT_MEMORY, LIMIT_TIME /* ms */, LIMIT_PIDS, LIMIT_SCRATCH,
		LIMIT_OUTPUT, LIMIT_CPU_TIME /* ms */, LIMIT_IO /* bytes a second */, LIMITS };

/* All but cpu_ms and io are always set; 0 there is no limit besides the wall clock's. */
struct limits {
	uint32_t cpu_milli;   /* thousandths of a CPU */
	uint32_t pids;
	uint64_t memory;      /* bytes, of all processes together, swap and scratch included */
	uint64_t scratch;     /* bytes of /tmp, the home and /dev/shm together */
	uint64_t output;      /* bytes of each stream */
	uint64_t time_ms;     /* wall clock */
	uint64_t cpu_ms;      /* CPU time of all processes together */
	uint64_t io;          /* bytes a second from each disk, and as many to it */
};

struct limit_set { /* what policies say of one limit; 0: nothing */
	uint64_t value;       /* the person's own wish */
	uint64_t most;        /* the system's and projects': nobody gets more */
};

struct machine { /* what a profile's shares are of */
	uint64_t cpu_milli, memory;
	uint64_t pids;       /* that all processes of the caller may have together; 0: any number */
};

const char *limit_name(enum limit l); /* as in the policy: cpus, memory, timeout, ... */
const char *profile_name(enum profile p);
int profile_find(struct str name, enum profile *ret);
/*
 * "2", "0.5" (CPUs); "512M", "1.5G", "64K", a plain number is megabytes (memory, scratch, output); "30",
 * "1.5", "500ms", "2m", "1h", a plain number is seconds (times); "256" (pids). -1 with what is expected, when
 * it is none of these or not within reason.
 */
int limit_parse(enum limit l, struct str text, uint64_t *ret, struct err *e);
/* The same without an upper bound, for what can only make another limit smaller. */
int limit_parse_less(enum limit l, struct str text, uint64_t *ret, struct err *e);
/* As limit_parse() reads it. */
struct str limit_text(struct arena *a, enum limit l, uint64_t value);
/* from the profile: never 0, except for LIMIT_CPU_TIME and LIMIT_IO */
uint64_t limit_default(enum profile p, enum limit l, const struct machine *m);
void limits_of(const uint64_t value[LIMITS], struct limits *ret);
