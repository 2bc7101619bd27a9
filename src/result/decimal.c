/* Exact comparison of decimal numbers. See decimal.h. */
#include "result/decimal.h"

#include "base/num.h"

#define EXPONENT_MAX 1000000000  /* bound for exponents; larger ones are clamped */

static size_t count_digits(struct str s)
{
	size_t n = 0;
	for (size_t i = 0; i < s.n; i++)
		n += s.p[i] != '.';
	return n;
}

struct decimal decimal_of(struct str s)
{
	struct decimal d = {0};
	if (str_starts(s, "-")) {
		d.negative = true;
		s = str_sub(s, 1, s.n);
	}
	size_t mantissa = 0;
	while (mantissa < s.n && s.p[mantissa] != 'e' && s.p[mantissa] != 'E')
		mantissa++;
	struct str e = str_sub(s, mantissa + 1, s.n);
	s = str_sub(s, 0, mantissa);
	if (str_starts(e, "+"))
		e = str_sub(e, 1, e.n);
	if (e.n && num_parse(e, -EXPONENT_MAX, EXPONENT_MAX, &d.exponent) < 0)
		d.exponent = e.p[0] == '-' ? -EXPONENT_MAX : EXPONENT_MAX;
	ptrdiff_t point = str_find(s, '.', 0);
	int64_t before = point < 0 ? (int64_t)s.n : point; /* digits before the point */
	size_t from = 0, to = s.n;
	while (from < to && (s.p[from] == '0' || s.p[from] == '.')) {
		before -= s.p[from] == '0';
		from++;
	}
	while (to > from && (s.p[to - 1] == '0' || s.p[to - 1] == '.'))
		to--;
	if (from == to)
		return (struct decimal){.digits = STR("")};
	d.exponent += before;
	d.digits = str_sub(s, from, to);
	d.ndigits = count_digits(d.digits);
	return d;
}

static int digits_cmp(struct str x, struct str y)
{
	size_t i = 0, j = 0;
	for (;;) {
		i += i < x.n && x.p[i] == '.';
		j += j < y.n && y.p[j] == '.';
		if (i >= x.n || j >= y.n)
			return (i < x.n) - (j < y.n);
		if (x.p[i] != y.p[j])
			return x.p[i] < y.p[j] ? -1 : 1;
		i++;
		j++;
	}
}

int decimal_cmp(const struct decimal *x, const struct decimal *y)
{
	int sx = x->ndigits == 0 ? 0 : x->negative ? -1 : 1, sy = y->ndigits == 0 ? 0 : y->negative ? -1 : 1;
	if (sx != sy)
		return sx < sy ? -1 : 1;
	if (sx == 0)
		return 0;
	if (x->exponent != y->exponent)
		return x->exponent < y->exponent ? -sx : sx;
	return sx * digits_cmp(x->digits, y->digits);
}

bool decimal_is_whole(const struct decimal *d)
{
	return d->ndigits == 0 || d->exponent >= (int64_t)d->ndigits;
}

uint32_t decimal_hash(const struct decimal *d)
{
	uint32_t h = 2166136261u ^ (uint32_t)d->exponent ^ (d->negative ? 0x80000000u : 0);
	for (size_t i = 0; i < d->digits.n; i++)
		if (d->digits.p[i] != '.')
			h = (h ^ (unsigned char)d->digits.p[i]) * 16777619u;
	return h;
}
