/* Commands that are dangerous by their words: the row type. The rows are in danger_rows.h, the matcher in danger.c. */
#pragma once
#include "gate/judge.h"

struct danger {
	char first; /* byte of the program's name */
	uint16_t check, command, options, operands, except, message, alternative; /* where these texts are: danger_text() */
};

extern const struct danger danger_rows[];
extern const size_t danger_nrows;
const char *danger_text(uint16_t at);
