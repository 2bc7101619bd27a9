/* Limits of a box: the table of names, units and profile values, and the parser for their notation. */
#include "model/limits.h"

#define DIGITS_MAX 12   /* before the decimal point; no real quantity needs more */
#define DECIMALS_MAX 3
#define DAY_MS ((uint64_t)86400 * 1000)
#define ALL UINT64_MAX  /* all CPUs of the machine */
#define SHARE (UINT64_MAX - 1) /* three quarters of the machine's memory */

struct unit {
	char name[4];
	uint64_t factor; /* of the unit; 0 ends the list */
};

static const struct unit of_cpus[] = {{"", 1000}, {"", 0}};
static const struct unit of_count[] = {{"", 1}, {"", 0}};
static const struct unit of_time[] = {{"", 1000}, {"s", 1000}, {"ms", 1}, {"m", 60000}, {"h", 3600000},
		{"", 0}};
static const struct unit of_size[] = {{"", MB}, {"K", 1 << 10}, {"KB", 1 << 10}, {"KiB", 1 << 10}, {"M", MB},
		{"MB", MB}, {"MiB", MB}, {"G", MB << 10}, {"GB", MB << 10}, {"GiB", MB << 10},
	{"T", MB << 20}, {"TB", MB << 20}, {"TiB", MB << 20}, {"k", 1 << 10}, {"m", MB}, {"g", MB << 10},
	{"", 0}};

static const struct limit_row {
	const char *name;
	const struct unit *units;
	uint64_t min, max;
	uint64_t of_profile[PROFILES]; /* exec, work */
	const char *expected;
} rows[LIMITS] = {
	[LIMIT_CPUS] = {"cpus", of_cpus, 10, 1024000, {2000, ALL},
			"expected a number of CPUs from 0.01 to 1024, such as 2 or 0.5"},
	[LIMIT_MEMORY] = {"memory", of_size, 4 * MB, MB << 24, {1024 * MB, SHARE},
			"expected a size from 4M to 16T, such as 512M or 1G; a plain number is megabytes"},
	[LIMIT_TIME] = {"timeout", of_time, 1, 7 * DAY_MS, {30000, 600000},
			"expected a time from 1ms to 168h, such as 30, 1.5, 500ms or 2m; a plain number is "
			"seconds"},
	[LIMIT_PIDS] = {"pids", of_count, 1, 4194304, {256, 4096},
			"expected a number of processes from 1 to 4194304"},
	[LIMIT_SCRATCH] = {"scratch", of_size, 64 << 10, MB << 24, {128 * MB, 1024 * MB},
			"expected a size from 64K to 16T, such as 128M; a plain number is megabytes"},
	[LIMIT_OUTPUT] = {"output", of_size, 1 << 10, MB << 10, {64 * MB, 64 * MB},
			"expected a size from 1K to 1G, such as 64M; a plain number is megabytes"},
	[LIMIT_CPU_TIME] = {"cpu_time", of_time, 1, 1024 * 7 * DAY_MS, {0, 0},
			"expected a time from 1ms, such as 30, 1.5, 500ms or 2m; a plain number is seconds"},
	[LIMIT_IO] = {"io", of_size, 64 << 10, MB << 20, {0, 0},
			"expected a size for each second from 64K to 1T, such as 20M; a plain number is "
			"megabytes"},
};

static const char profile_names[PROFILES][8] = {[PROFILE_EXEC] = "exec", [PROFILE_WORK] = "work"};

const char *limit_name(enum limit l) { return rows[l].name; }
const char *profile_name(enum profile p) { return profile_names[p]; }

int profile_find(struct str name, enum profile *ret)
{
	ptrdiff_t i = STR_INDEX(profile_names, name);

	if (i < 0)
		return -1;
	*ret = (enum profile)i;
	return 0;
}

bool limit_valid(enum limit l, uint64_t value) { return value >= rows[l].min && value <= rows[l].max; }

/*
 * Parses digits, optionally with a decimal point and up to three decimals; *ret is in thousandths. Returns
 * the number of bytes read; 0: not a number.
 */
static size_t thousandths(struct str s, uint64_t *ret)
{
	uint64_t n = 0;
	size_t i = 0, decimals = 0;

	while (i < s.n && ascii_is_digit(s.p[i]) && i <= DIGITS_MAX)
		n = n * 10 + (uint64_t)(s.p[i++] - '0');
	if (!i || i > DIGITS_MAX)
		return 0;
	if (i + 1 < s.n && s.p[i] == '.' && ascii_is_digit(s.p[i + 1]))
		for (i++; i < s.n && ascii_is_digit(s.p[i]) && decimals < DECIMALS_MAX; decimals++)
			n = n * 10 + (uint64_t)(s.p[i++] - '0');
	for (; decimals < DECIMALS_MAX; decimals++)
		n *= 10;
	*ret = n;
	return i;
}

int limit_parse(enum limit l, struct str text, uint64_t *ret, struct err *e)
{
	const struct limit_row *row = &rows[l];
	uint64_t n = 0;
	size_t end = thousandths(text, &n);

	for (const struct unit *u = row->units; end && u->factor; u++) {
		uint64_t value;

		if (!str_is(str_from(text, end), u->name) || __builtin_mul_overflow(n, u->factor,
				&value))
			continue;
		if (value % 1000 && u->factor == 1) /* no fractions of a process or a millisecond */
			continue;
		value /= 1000;
		if (!limit_valid(l, value))
			break;
		*ret = value;
		return 0;
	}
	return err_input(e, "%s", row->expected);
}

int limit_from_number(enum limit l, double n, uint64_t *ret, struct err *e)
{
	const struct limit_row *row = &rows[l];
	double bounded = n > LIMIT_NUMBER_MAX ? LIMIT_NUMBER_MAX : n > 0 ? n : 0; /* NaN: 0 */
	uint64_t parts = (uint64_t)(bounded * 1000 + 0.5);
	uint64_t value = parts * row->units->factor / 1000; /* the first unit is that of a plain number */

	if (value < row->min || (row->units == of_count && parts % 1000))
		return err_input(e, "%s", row->expected);
	*ret = value;
	return 0;
}

struct str limit_text(struct arena *a, enum limit l, uint64_t value)
{
	if (l == LIMIT_CPUS)
		return value % 1000 ? str_fmt(a, "%llu.%03llu", (unsigned long long)value / 1000,
				(unsigned long long)value % 1000) : str_fmt(a, "%llu",
				(unsigned long long)value / 1000);
	if (l == LIMIT_TIME || l == LIMIT_CPU_TIME)
		return str_fmt(a, value % 1000 ? "%llums" : "%llus",
				(unsigned long long)(value % 1000 ? value : value / 1000));
	if (l == LIMIT_PIDS)
		return str_fmt(a, "%llu", (unsigned long long)value);
	if (value % 1024) {
		unsigned long long n = (value * 1000 + 1023) / 1024; /* rounded up: the parser rounds down */

		return str_fmt(a, "%llu.%03lluK", n / 1000, n % 1000);
	}
	return str_fmt(a, value % MB ? "%lluK" : "%lluM",
			(unsigned long long)(value % MB ? value >> 10 : value / MB));
}

uint64_t limit_default(enum profile p, enum limit l, const struct machine *m)
{
	uint64_t n = rows[l].of_profile[p];

	if (n == ALL)
		n = m->cpu_milli;
	else if (n == SHARE)
		n = m->memory / 4 * 3;
	return rows[l].of_profile[p] && n < rows[l].min ? rows[l].min : n;
}

void limits_of(const uint64_t value[LIMITS], struct limits *ret)
{
	*ret = (struct limits){.cpu_milli = (uint32_t)value[LIMIT_CPUS], .pids = (uint32_t)value[LIMIT_PIDS],
			.memory = value[LIMIT_MEMORY], .scratch = value[LIMIT_SCRATCH],
		.output = value[LIMIT_OUTPUT], .time_ms = value[LIMIT_TIME], .cpu_ms = value[LIMIT_CPU_TIME],
				.io = value[LIMIT_IO]};
}
