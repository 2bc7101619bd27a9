/*
 * Commands that are dangerous by their words: the row type. The rows are in danger_rows.h, the matcher in
 * danger.c.
 */
#pragma once
#include "gate/judge.h"

struct danger {
	char first; /* byte of the program's name */
	uint8_t check; /* enum check_id */
	/* where these texts are: danger_text() */
	uint16_t command, options, operands, except, message, alternative;
};

extern const struct danger danger_rows[];
extern const size_t danger_nrows;
const char *danger_text(uint16_t at);
