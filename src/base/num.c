/* Checked integers from text. */
#include "base/num.h"

int num_parse(struct str s, int64_t min, int64_t max, int64_t *ret)
{
	size_t i = 0;
	bool negative = s.n > 0 && s.p[0] == '-';
	if (negative)
		i++;
	if (i == s.n)
		return -1;
	int64_t n = 0; /* accumulates a negative number, which can hold INT64_MIN */
	for (; i < s.n; i++) {
		if (!ascii_is_digit(s.p[i]))
			return -1;
		if (__builtin_mul_overflow(n, 10, &n) || __builtin_sub_overflow(n, s.p[i] - '0', &n))
			return -1;
	}
	if (!negative && __builtin_sub_overflow((int64_t)0, n, &n))
		return -1;
	if (n < min || n > max)
		return -1;
	*ret = n;
	return 0;
}
