/* Timestamps: in rows, and as a person writes them. All are UTC. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <time.h>

#include "audit/read.h"
#include "base/num.h"

#define SECOND_US ((int64_t)1000000)
#define DAY_S 86400
#define LATEST_US (253402300800 * SECOND_US) /* the year 10000 */
#define BACK_MAX 1000000000 /* of any unit */
#define WHEN_MAX 64

_Static_assert(AUDIT_DAY_US == DAY_S * SECOND_US, "a day");

/* The C library's gmtime_r() reads the time zone file first, which UTC does not need. */
void audit_time_text(int64_t us, char ret[AUDIT_TS_CHARS + 1])
{
	if (us < 0 || us >= LATEST_US)
		us = 0;
	/* Years start in March, in eras of 400 of them; see days_of(). */
	int64_t day = us / AUDIT_DAY_US + 719468, era = day / 146097, of_era = day % 146097;
	int64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365,
			of_year = of_era - (365 * year + year / 4 - year / 100);
	unsigned month = (unsigned)((5 * of_year + 2) / 153), second = (unsigned)(us / SECOND_US % DAY_S);
	unsigned y = (unsigned)(era * 400 + year + (month >= 10)), m = month < 10 ? month + 3 : month - 9,
			d = (unsigned)(of_year - (153 * month + 2) / 5 + 1);
	char text[64];
	str_put(text, sizeof text, "%04u-%02u-%02uT%02u:%02u:%02u.%06uZ", y % 10000, m % 100, d % 100,
			second / 3600, second / 60 % 60, second % 60, (unsigned)(us % SECOND_US));
	memcpy(ret, text, AUDIT_TS_CHARS);
	ret[AUDIT_TS_CHARS] = '\0';
}

/*
 * Days since 1970 of a Gregorian date. Years start in March, so that the leap day is the last day of its
 * year.
 */
static int64_t days_of(int64_t year, int64_t month, int64_t day)
{
	if (month <= 2)
		year--, month += 12;
	return 365 * year + year / 4 - year / 100 + year / 400 + (153 * (month - 3) + 2) / 5 +
			day - 1 - 719468;
}

static unsigned month_days(unsigned year, unsigned month)
{
	static const unsigned char days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
	return days[month - 1] + (month == 2 && leap);
}

/* Takes n digits off the front. */
static bool take_digits(struct str *s, size_t n, unsigned least, unsigned most, unsigned *ret)
{
	unsigned v = 0;
	if (s->n < n)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!ascii_is_digit(s->p[i]))
			return false;
		v = 10 * v + (unsigned)(s->p[i] - '0');
	}
	*s = str_from(*s, n);
	*ret = v;
	return v >= least && v <= most;
}

static bool take_letter(struct str *s, char c)
{
	if (!s->n || s->p[0] != c)
		return false;
	*s = str_from(*s, 1);
	return true;
}

/* Microseconds behind the decimal point, any number of digits; finer ones are cut off. */
static bool take_fraction(struct str *s, int64_t *ret)
{
	int64_t unit = SECOND_US / 10, v = 0;
	unsigned d;
	if (!take_digits(s, 1, 0, 9, &d))
		return false;
	do {
		v += d * unit;
		unit /= 10;
	} while (s->n && ascii_is_digit(s->p[0]) && take_digits(s, 1, 0, 9, &d));
	*ret = v;
	return true;
}

/* A date, optionally with a time; *ret_day: only the date was given. */
static bool date_time(struct str s, int64_t *ret, bool *ret_day)
{
	unsigned year, month, day, hour, minute, second = 0;
	int64_t us = 0;
	if (!take_digits(&s, 4, 1970, 9999, &year) || !take_letter(&s, '-') ||
			!take_digits(&s, 2, 1, 12, &month) || !take_letter(&s, '-') ||
			!take_digits(&s, 2, 1, month_days(year, month), &day))
		return false;
	*ret = days_of(year, month, day) * DAY_S * SECOND_US;
	*ret_day = !s.n;
	if (!s.n)
		return true;
	if ((!take_letter(&s, 'T') && !take_letter(&s, ' ')) || !take_digits(&s, 2, 0, 23, &hour) ||
			!take_letter(&s, ':') || !take_digits(&s, 2, 0, 59, &minute))
		return false;
	if (take_letter(&s, ':') &&
		(!take_digits(&s, 2, 0, 60, &second) || (take_letter(&s, '.') && !take_fraction(&s, &us))))
		return false;
	take_letter(&s, 'Z');
	*ret += ((int64_t)hour * 3600 + minute * 60 + second) * SECOND_US + us;
	return !s.n;
}

int64_t audit_time_of(struct str ts)
{
	int64_t us;
	bool day;
	return ts.n == AUDIT_TS_CHARS && ts.p[10] == 'T' && ts.p[19] == '.' && ts.p[26] == 'Z' &&
			date_time(ts, &us, &day) ? us : -1;
}

/* 7d: this long before now. */
static bool parse_ago(struct str s, int64_t now, int64_t *ret)
{
	static const struct {
		char unit;
		int64_t seconds;
	} units[] = {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', DAY_S}, {'w', 7 * DAY_S}};
	int64_t n;
	if (s.n < 2 || num_parse(str_first(s, s.n - 1), 0, BACK_MAX, &n) < 0)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (units[i].unit == s.p[s.n - 1]) {
			const int64_t back = n * units[i].seconds * SECOND_US;
			*ret = back < now ? now - back : 1; /* 0 would be no bound */
			return true;
		}
	return false;
}

int audit_time_parse(struct str s, int64_t now, bool end, int64_t *ret, struct err *e)
{
	int64_t t = 0, seconds;
	bool day = false;
	if (str_is(s, "now"))
		t = now;
	else if (str_is_any(s, "today yesterday"))
		t = now - now % AUDIT_DAY_US - (s.p[0] == 'y' ? AUDIT_DAY_US : 0), day = true;
	else if (take_letter(&s, '@') && num_parse(s, 1, INT64_C(253402300799), &seconds) == 0)
		t = seconds * SECOND_US;
	else if (!parse_ago(s, now, &t) && !date_time(s, &t, &day))
		return err_input(e,
				"invalid time '%.*s' (use 30m, 12h, 7d, 2w, today, yesterday, now, "
				"2026-01-31 or 2026-01-31T10:00)", (int)(s.n < WHEN_MAX ? s.n : WHEN_MAX),
				s.p);
	*ret = t + (day && end ? AUDIT_DAY_US : 0);
	return 0;
}
