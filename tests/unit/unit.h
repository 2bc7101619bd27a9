/*
 * The unit tests' framework: TAP on standard output. A test file has functions that CHECK things and a main()
 * of RUN lines:
 *
 *     int main(void)
 *     {
 *             RUN(test_this);
 *             RUN(test_that);
 *             return unit_end();
 *     }
 *
 * One RUN is one TAP result. A failed CHECK says where and what, and the function goes on, so that one run
 * shows all that is wrong.
 */
#pragma once
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/json.h"
#include "base/str.h"

/* Item i of an array, or NULL. */
static inline struct json *unit_item(const struct json *v, size_t i)
{
	struct json *x = json_items(v);

	while (x && i--)
		x = x->next;
	return x;
}

static int unit_count, unit_failures, unit_bad;

__attribute__((format(printf, 3, 4))) static inline void unit_fail(const char *file, int line,
		const char *fmt, ...)
{
	va_list ap;
	printf("# %s:%d: ", file, line);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf("\n");
	unit_bad++;
}

/* Bytes as a C string would write them, so that a diagnostic stays on one line. */
static inline void unit_bytes(const char *what, struct str s)
{
	printf("#   %s: \"", what);
	for (size_t i = 0; i < s.n && i < 400; i++) {
		unsigned char c = (unsigned char)s.p[i];
		if (c < 32 || c > 126 || c == '"' || c == '\\')
			printf("\\x%02x", c);
		else
			putchar(c);
	}
	printf("\" (%zu bytes)\n", s.n);
}

static inline void unit_str(const char *file, int line, const char *expr, struct str got, struct str want)
{
	if (str_eq(got, want))
		return;
	unit_fail(file, line, "%s", expr);
	unit_bytes(" got", got);
	unit_bytes("want", want);
}

static inline void unit_int(const char *file, int line, const char *expr, intmax_t got, intmax_t want)
{
	if (got != want)
		unit_fail(file, line, "%s is %jd, want %jd", expr, got, want);
}

#define CHECK(cond) ((cond) ? (void)0 : unit_fail(__FILE__, __LINE__, "%s", #cond))
#define CHECK_INT(got, want) unit_int(__FILE__, __LINE__, #got, (intmax_t)(got), (intmax_t)(want))
/* want is a C string */
#define CHECK_STR(got, want) unit_str(__FILE__, __LINE__, #got, (got), str_of(want))
#define CHECK_STRN(got, want) unit_str(__FILE__, __LINE__, #got, (got), (want))
/* For loops over tables: says which row. */
#define CHECK_ROW(cond, row) ((cond) ? (void)0 : unit_fail(__FILE__, __LINE__, "%s (row %s)", #cond, (row)))

static inline int count_fds(void)
{
	int n = 0;
	for (int fd = 0; fd < 256; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

static inline void unit_result(const char *name)
{
	unit_failures += unit_bad != 0;
	/*
	 * TAP wants the diagnostics after the result, but a crash must not swallow them: they stand before
	 * it, the result is one line.
	 */
	printf("%s %d - %s\n", unit_bad ? "not ok" : "ok", ++unit_count, name);
	fflush(stdout);
	unit_bad = 0;
}

#define RUN(fn) (fn(), unit_result(#fn))

static inline void unit_skip(const char *name, const char *why)
{
	printf("ok %d - %s # SKIP %s\n", ++unit_count, name, why);
}

static inline int unit_end(void)
{
	printf("1..%d\n", unit_count);
	return unit_failures != 0;
}
