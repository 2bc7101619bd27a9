/*
 * The probe: a program that, run inside a box, tries to get out of it, one way per name, and says in one line
 * what came of it:
 *
 *     refused EPERM     the kernel or a wall said no (or killed it: refused SIGSYS)
 *     done              it worked
 *     leak WHAT         it got hold of something that is not the box's
 *     absent WHAT       there was nothing here to try it on
 *
 * Every attack is one that works, or at least gets further than a refusal, for somebody without walls;
 * tests/run/filter.sh runs most of them there as well. Never run them on a machine as it is: umount, remount
 * and their like mean it. A fresh user and mount namespace is the least.
 */
#pragma once
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

enum answer_kind { REFUSED, DONE, LEAK, ABSENT };

#define ANSWER_TEXT_MAX 240

struct answer {
	enum answer_kind kind;
	int errnum; /* REFUSED */
	char text[ANSWER_TEXT_MAX];
};

struct probe {
	const char *name;
	struct answer (*fn)(char **args); /* what follows the name on the command line; NULL at the end */
	/* for functions that serve several names: put before the arguments by main */
	unsigned long flags;
	const char *needs;                /* an argument that must be given; NULL: none */
};

/* each ends with a NULL name */
extern const struct probe probes_kernel[], probes_mount[], probes_box[], probes_benign[];

/* The flags of the probe that runs. */
unsigned long probe_flags(void);
struct answer refused(int errnum);
struct answer done(void);
struct answer leak(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
struct answer absent(const char *what);
/* A call's result: below zero it is refused with errno, else done. */
struct answer result(long value);
/* Runs fn in a child and brings back its answer; a child that a signal ended is refused by it. */
struct answer in_child(struct answer (*fn)(char **args), char **args);
/* A fresh name in $TMPDIR or /tmp, in a buffer that the next call uses again. */
const char *fresh_path(const char *suffix);
