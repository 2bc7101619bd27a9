/*
 * The policy of the system call filter as data (calls.c), for the small compiler beside it (gen_seccomp.c).
 * Build time only.
 *
 * Each call is named once. An unnamed call fails with ENOSYS, as on a kernel without it. Programs then fall
 * back, and a call of a later kernel stays closed until somebody has reviewed it.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Every other action is an errno. PRETEND: the call does nothing and returns 0. SKIP: skip the next arm. */
enum { ALLOW = -1, PRETEND = -2, SKIP = -3 };

#define ARMS_MAX 10

/* The filters in which a row counts: without and with network, without and with tracing. */
enum filter_when { ALWAYS, SEALED, NETWORKED, UNTRACED, TRACED };

/*
 * One comparison: takes the action if (argument & mask) == value, or != with `unless`; otherwise the next arm
 * follows.
 */
struct arm {
	int action; /* 0 ends the arms */
	unsigned char arg;
	bool unless;
	bool high;  /* compare the high 32 bits */
	uint32_t mask, value;
};

/*
 * A call whose arguments decide. Numbers are compared by their low 32 bits, since the kernel ignores the
 * rest. A pointer is NULL if both halves are 0.
 */
struct checked_call {
	const char *name;
	enum filter_when when;
	int otherwise;
	struct arm arms[ARMS_MAX];
};

/* a call unknown to Debian 12's libseccomp; same number on all architectures */
struct numbered_call {
	const char *name;
	int nr;
};

struct call_list {
	int action;
	const char *names; /* separated by blanks */
};

extern const struct call_list call_lists[];
extern const size_t call_lists_n;
extern const struct checked_call checked_calls[];
extern const size_t checked_calls_n;
extern const struct numbered_call numbered_calls[];
extern const size_t numbered_calls_n;
