/*
 * struct err: why a fallible function failed.
 *
 * Fallible functions return 0 or -1 and take a `struct err *` last. err_system() and its neighbours fill it
 * and return -1, so that a failure is one line:
 *     return err_system(e, "cannot open '%s'", path);
 * Messages are lower case, without a full stop, and name their subject in quotes. A NULL err is allowed: the
 * caller ignores the reason.
 */
#pragma once

enum err_kind {
	ERR_NONE = 0,
	ERR_SYSTEM,   /* a system call failed; errnum says why */
	ERR_INPUT,    /* invalid input */
	ERR_CONFIG,   /* invalid policy file */
	ERR_LIMIT,    /* a named bound is exhausted */
	ERR_INTERNAL, /* a bug in Caisson */
};

#define ERR_TEXT_MAX 512

struct err {
	enum err_kind kind;
	int errnum; /* 0 unless kind is ERR_SYSTEM */
	char text[ERR_TEXT_MAX];
};

/* Fills *e (truncating the text) and returns -1. If errnum != 0, appends ": strerror(errnum)". */
int err_set(struct err *e, enum err_kind kind, int errnum, const char *fmt,
		...) __attribute__((format(printf, 4, 5)));
/*
 * The same by kind: err_system() with errno, the others without a number. err_host() is ERR_SYSTEM as well:
 * this machine lacks something, and no errno says so.
 */
int err_system(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
int err_host(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
int err_input(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
int err_config(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
int err_limit(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
int err_internal(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/*
 * Adds context to a failure: "what: " and the text of `why`, with its kind and errnum. strerror() is not
 * repeated. Returns -1.
 */
int err_wrap(struct err *e, const struct err *why, const char *what);
