/*
 * Reads the chain of parent processes from /proc: the parent, its parent, and so on, at most ANCESTORS_MAX.
 * The list ends at the first process of this PID namespace, or where /proc hides a process of another user.
 */
#pragma once
#include "base/str.h"

#define ANCESTORS_MAX 64
#define ANCESTOR_ARGS_MAX 4096 /* bytes read of a command line */

struct ancestor {
	int64_t pid;
	struct str comm; /* the kernel's short name */
	struct str exe;  /* path of the program; empty if not readable */
	struct str args; /* arguments, each followed by a NUL; may be truncated */
};

/*
 * Returns the ancestors in an array of the arena, nearest first. -1 and *e if the parent of this process is
 * unknown, or if there are more than ANCESTORS_MAX ancestors.
 */
int ancestors_read(struct arena *a, struct ancestor **ret, size_t *ret_n, struct err *e);
/* Returns argument i of the command line, or an empty string. */
struct str ancestor_word(const struct ancestor *p, size_t i);
/*
 * Returns the parent's PID from the text of /proc/PID/stat, or -1 if the text is malformed. The process name
 * in it may hold blanks and brackets.
 */
int64_t ancestor_parent(struct str stat);
