/*
 * The limits of a box: names, notation, and values of the profiles. Pure.
 *
 * While a spec is built, limits are an array indexed by enum limit, with 0 for "not given". struct limits is
 * the result that backends enforce.
 */
#pragma once
#include "base/str.h"

#define MB ((uint64_t)1 << 20)
#define LIMIT_NUMBER_MAX 1e9 /* larger numbers count as this */

enum profile { PROFILE_EXEC, PROFILE_WORK, PROFILES };
enum limit { LIMIT_CPUS /* thousandths */, LIMIT_MEMORY, LIMIT_TIME /* ms */, LIMIT_PIDS, LIMIT_SCRATCH,
		LIMIT_OUTPUT, LIMIT_CPU_TIME /* ms */, LIMIT_IO /* bytes a second */, LIMITS };

/* cpu_ms and io may be 0: no limit but the wall clock's. All other fields are always set. */
struct limits {
	uint32_t cpu_milli;   /* thousandths of a CPU */
	uint32_t pids;
	uint64_t memory;      /* bytes, all processes together, including swap and scratch */
	uint64_t scratch;     /* bytes of /tmp, the home and /dev/shm together */
	uint64_t output;      /* bytes, each stream */
	uint64_t time_ms;     /* wall clock */
	uint64_t cpu_ms;      /* CPU time of all processes together */
	uint64_t io;          /* bytes a second, for reads and for writes of each disk */
};

struct limit_set { /* one limit in the policies; 0: not given */
	uint64_t value;       /* the person's value */
	uint64_t most;        /* upper bound, set by the system and by projects */
};

struct machine { /* the machine that a profile's shares refer to */
	uint64_t cpu_milli, memory;
	uint64_t pids;       /* maximum for all processes of the caller; 0: no limit */
};

const char *limit_name(enum limit l); /* key in the policy: cpus, memory, timeout, ... */
const char *profile_name(enum profile p);
int profile_find(struct str name, enum profile *ret);
/*
 * Parses a limit. -1 and *e with the expected form if the text is not a limit or is out of range.
 *   CPUs                     "2", "0.5"
 *   memory, scratch, output  "512M", "1.5G", "64K"; a plain number is megabytes
 *   times                    "30", "1.5", "500ms", "2m", "1h"; a plain number is seconds
 *   pids                     "256"
 */
int limit_parse(enum limit l, struct str text, uint64_t *ret, struct err *e);
/*
 * The same for a plain number (CPUs, megabytes, seconds, processes) that can only lower another limit, so it
 * has no upper bound but LIMIT_NUMBER_MAX.
 */
int limit_from_number(enum limit l, double n, uint64_t *ret, struct err *e);
/* True if limit_parse() could return this value. */
bool limit_valid(enum limit l, uint64_t value);
/* Formats a limit in the notation of limit_parse(). */
struct str limit_text(struct arena *a, enum limit l, uint64_t value);
/* The profile's value: never 0, except for LIMIT_CPU_TIME and LIMIT_IO. */
uint64_t limit_default(enum profile p, enum limit l, const struct machine *m);
void limits_of(const uint64_t value[LIMITS], struct limits *ret);
