/* Finds the end of a subscript in an arithmetic text, for arith.c. */
#pragma once
#include "base/str.h"

enum subscript { SUBSCRIPT_CLOSED, SUBSCRIPT_OPEN, SUBSCRIPT_UNCLEAR };

/*
 * s[at] is the [. CLOSED: *ret_end is the index of its ]. OPEN: it has no ]. UNCLEAR: only a shell parser
 * could tell.
 */
enum subscript arith_subscript(struct str s, size_t at, size_t *ret_end);
