/*
 * Commands that are dangerous by their words: the row type. The rows are in knowledge/gate/dangers.yaml, the
 * matcher is in danger.c.
 */
#pragma once
#include "gate/judge.h"

struct danger {
	uint8_t check; /* enum check_id */
	/* offsets of the texts, for danger_text() */
	uint16_t command, options, operands, except, message, alternative;
};

extern const struct danger danger_rows[];
/* First byte of the program's name in each row. */
extern const char danger_firsts[];
extern const size_t danger_nrows;
extern const char danger_texts[];
static inline const char *danger_text(uint16_t at) { return danger_texts + at; }
