/*
 * The processes above this one, as /proc shows them: the parent, its parent, and so on, at most
 * ANCESTORS_MAX. The list ends at the first process of this PID namespace, and where /proc hides a process of
 * somebody else.
 */
#pragma once
#include "base/str.h"

#define ANCESTORS_MAX 64
#define ANCESTOR_ARGS_MAX 4096 /* bytes of a command line that are read */

struct ancestor {
	int64_t pid;
	struct str comm; /* the kernel's short name */
	struct str exe;  /* path of the program; empty: it may not be read */
	struct str args; /* words of the command line, each with a NUL behind it; may be cut */
};

/*
 * Nearest first. -1: not even the parent of this process can be found out, or there are more than
 * ANCESTORS_MAX.
 */
int ancestors_read(struct arena *a, struct ancestor **ret, size_t *ret_n, struct err *e);
/* Word i of the command line, or empty. */
struct str ancestor_word(const struct ancestor *p, size_t i);
/*
 * The PID of the parent in the text of /proc/PID/stat; -1: it is not such a text. The name in it may hold
 * blanks and brackets.
 */
int64_t ancestor_parent(struct str stat);
