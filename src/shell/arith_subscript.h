/* Where a subscript in an arithmetic text ends. For arith.c. */
#pragma once
#include "base/str.h"

enum subscript { SUBSCRIPT_CLOSED, SUBSCRIPT_OPEN, SUBSCRIPT_UNCLEAR };

/*
 * s[at] is the [. Closed: *ret_end is the index of its ]. Open: there is none. Unclear: that cannot be said
 * without parsing shell text.
 */
enum subscript arith_subscript(struct str s, size_t at, size_t *ret_end);
