/* Decimal numbers of any size, compared exactly by their digits. */
#pragma once
#include "base/str.h"

/* value = 0.DIGITS * 10^exponent */
struct decimal {
	bool negative;
	struct str
		digits; /* without leading and trailing zeros, possibly with a point; empty: zero */
	size_t ndigits; /* number of digits, without the point */
	int64_t exponent;
};

/* `number` is in JSON notation. */
struct decimal decimal_of(struct str number);
int decimal_cmp(const struct decimal *x, const struct decimal *y);
bool decimal_is_whole(const struct decimal *d);
uint32_t decimal_hash(const struct decimal *d);
