/* Commands that are dangerous by their words: the row type. The rows are in danger_table.c, the matcher in danger.c. */
#pragma once
#include "gate/judge.h"

struct danger {
	const char *check;       /* id of the check it is raised under */
	const char *command;     /* program, then the words that must follow it as operands: "git push"; "mkfs.*" */
	const char *options;     /* one of these is present, in any spelling: "-f --force"; "-m=0777": with this value (a glob); NULL: no condition */
	const char *operands;    /* one of the other operands is one of these globs, blank-separated, ASCII case ignored; NULL: no condition */
	const char *except;      /* none of these options or operands is present; NULL: no condition */
	const char *message;     /* what it does: "'excerpt' message" */
	const char *alternative; /* may be NULL */
};

extern const struct danger danger_rows[];
extern const size_t danger_nrows;
