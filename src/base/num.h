/* Checked integers from text. All numbers in input are parsed here. */
#pragma once
#include <stdint.h>

#include "base/str.h"

/*
 * Parses a decimal number with an optional '-'; no blanks. 0 and *ret, or -1 if the text is not a number in
 * [min, max].
 */
int num_parse(struct str s, int64_t min, int64_t max, int64_t *ret);
/* Not for bash's base#digits (base 2..64): shell/arith.c parses these. */
