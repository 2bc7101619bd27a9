/*
 * struct err: why a fallible function failed.
 *
 * Fallible functions return 0 or -1 and take a `struct err *` last. err_set() fills it and returns -1, so
 * that a failure is one line:
 *     return err_set(e, ERR_SYSTEM, errno, "cannot open '%s'", path);
 * Messages are lower case, without a full stop, and name their subject in quotes. A NULL err is allowed: the
 * caller does not care why.
 */
#pragma once

enum err_kind {
	ERR_NONE = 0,
	ERR_SYSTEM,   /* the kernel said no; errnum says why */
	ERR_INPUT,    /* what was handed in is not acceptable */
	ERR_CONFIG,   /* a policy file does not load */
	ERR_LIMIT,    /* a bound with a name was reached */
	ERR_INTERNAL, /* a bug of ours */
};

#define ERR_TEXT_MAX 512

struct err {
	enum err_kind kind;
	int errnum; /* 0 unless kind is ERR_SYSTEM */
	char text[ERR_TEXT_MAX];
};

/* Fills *e (truncating the text) and returns -1. With errnum != 0 the text ends in ": strerror(errnum)". */
int err_set(struct err *e, enum err_kind kind, int errnum, const char *fmt,
		...) __attribute__((format(printf, 4, 5)));
/*
 * The same failure seen from further away: "what: " and the text of `why`, with its kind and errnum; the
 * reason is said once. Returns -1.
 */
int err_wrap(struct err *e, const struct err *why, const char *what);
