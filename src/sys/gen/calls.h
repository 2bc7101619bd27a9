/*
 * The policy of the system call filter, as data (calls.c), for the small compiler beside it (gen_seccomp.c).
 * Build time only.
 *
 * Each call is named once. An unnamed call fails with ENOSYS, as on a kernel without it: programs fall back,
 * and a call of a later kernel is closed until somebody has thought about it.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Every other action is an errno. PRETEND: the call does nothing and returns 0. SKIP: the next arm is left
 * out.
 */
enum { ALLOW = -1, PRETEND = -2, SKIP = -3 };

#define ARMS_MAX 10

enum network_when { ALWAYS, SEALED, NETWORKED };

/*
 * One comparison: when (argument & mask) == value, or != with `unless`, the action is taken; else the next
 * arm is tried.
 */
struct arm {
	int action; /* 0: no more arms */
	unsigned char arg;
	bool unless;
	bool high;  /* the high 32 bits are compared */
	uint32_t mask, value;
};

/*
 * Numbers are compared by their low 32 bits: the kernel ignores the rest of them. A pointer is NULL when both
 * halves are 0.
 */
struct checked_call {
	const char *name;
	enum network_when when;
	int otherwise;
	struct arm arms[ARMS_MAX];
};

/* one that libseccomp of Debian 12 has no name for; these numbers are the same on all architectures */
struct numbered_call {
	const char *name;
	int nr;
};

struct call_list {
	int action;
	const char *names; /* blanks between them */
};

extern const struct call_list call_lists[];
extern const size_t call_lists_n;
extern const struct checked_call checked_calls[];
extern const size_t checked_calls_n;
extern const struct numbered_call numbered_calls[];
extern const size_t numbered_calls_n;
