/* struct err: setting the error of a fallible function. */
#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static int fill_error(struct err *e, enum err_kind kind, int errnum, const char *fmt, va_list ap)
{
	int n;

	if (!e)
		return -1;
	e->kind = kind;
	e->errnum = errnum;
	n = vsnprintf(e->text, sizeof e->text, fmt, ap);
	if (n < 0) {
		n = 0;
		e->text[0] = '\0';
	}
	if (errnum != 0 && (size_t)n < sizeof e->text)
		snprintf(e->text + n, sizeof e->text - (size_t)n, ": %s", strerror(errnum));
	return -1;
}

int err_set(struct err *e, enum err_kind kind, int errnum, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fill_error(e, kind, errnum, fmt, ap);
	va_end(ap);
	return -1;
}

#define ERR_BY_KIND(name, kind, errnum)                    \
	int name(struct err *e, const char *fmt, ...)      \
	{                                                  \
		va_list ap;                                \
                                                           \
		va_start(ap, fmt);                         \
		fill_error(e, (kind), (errnum), fmt, ap);  \
		va_end(ap);                                \
		return -1;                                 \
	}

ERR_BY_KIND(err_system, ERR_SYSTEM, errno)
ERR_BY_KIND(err_host, ERR_SYSTEM, 0)
ERR_BY_KIND(err_input, ERR_INPUT, 0)
ERR_BY_KIND(err_config, ERR_CONFIG, 0)
ERR_BY_KIND(err_limit, ERR_LIMIT, 0)
ERR_BY_KIND(err_internal, ERR_INTERNAL, 0)

int err_wrap(struct err *e, const struct err *why, const char *what)
{
	int errnum = why->errnum;

	err_set(e, why->kind, 0, "%s: %s", what, why->text);
	if (e)
		e->errnum = errnum;
	return -1;
}
