/* Checked integers from text. The only way a number is read from input. */
#pragma once
#include <stdint.h>

#include "base/str.h"

/*
 * Decimal, optional '-', the whole string, no blanks; 0 and *ret, or -1 when it is not a number or not in
 * [min, max].
 */
int num_parse(struct str s, int64_t min, int64_t max, int64_t *ret);
/* Base 2..64 as bash's base#digits reads it is arithmetic's own affair (shell/arith.c). */
