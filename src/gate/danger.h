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
/* First and second byte of the program's name in each row; NUL: it has no second one. */
extern const char danger_firsts[], danger_seconds[];
extern const size_t danger_nrows;
extern const char danger_texts[];
static inline const char *danger_text(uint16_t at) { return danger_texts + at; }
