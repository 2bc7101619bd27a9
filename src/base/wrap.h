/* Text in lines of a width. */
#pragma once
#include "base/str.h"

/*
 * Appends text and a newline, in lines of at most `width` columns. `at` is the column where it begins;
 * further lines begin at `indent`.
 */
void buf_wrapped(struct buf *b, const char *text, size_t at, size_t indent, size_t width);
