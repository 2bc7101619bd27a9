/*
 * The root of a box: an ordered list of operations, made outside of the box (plan.c, protect.c) and carried
 * out inside it (setup.c), where nothing is allocated any more. Parts that every box has are rows of a table,
 * so that init can build them before the spec is known.
 *
 * Targets are absolute paths in the box, without links in them. Directories above a target are made where
 * they are missing, as long as they lie on the box's own root; a target that exists is used as it is.
 */
#pragma once
#include "base/arena.h"
#include "model/spec.h"

#define PLAN_ID 1000u /* user and group in the box when the caller is root */

enum op_kind {
	OP_DIR,     /* an empty directory of the box's own root */
	OP_FILE,    /* a small file of the box's own root, with `text` */
	OP_LINK,    /* a symbolic link to `source` */
	OP_BIND,    /* a file or directory of the host, with all that is mounted below it */
	OP_SCRATCH, /* an empty directory that can be written: all of them share one size */
	/* Binds a path of the box at `target` once more: pins a name and can make it read-only. */
	OP_INSIDE,
	/* Covers a name of the box by another, with that one's attributes. A missing target is ignored. */
	OP_MASK,
	OP_EMPTY,   /* an empty directory that cannot be written, over whatever directory is there */
	OP_HOME,    /* the home of the caller; has no place in the box: OP_PART are parts of it */
	OP_PROC, OP_PTS,
	/* The system's directories and names of /etc. First in the plan, unless the caller gave a root. */
	OP_SYSTEM,
};

enum {
	OP_WRITABLE = 1, /* else read-only */
	OP_DEVICES = 2,  /* device nodes work; else they do not */
	OP_USUAL = 512,  /* one of the rows: init has built it already */
	OP_STICKY = 8,   /* OP_SCRATCH: mode 1777, else 0700 */
	/* OP_BIND: a path the caller named, not one of the system: nothing in it may be a link. */
	OP_CALLERS = 16,
	OP_IMAGE = 256,  /* the same for a part of a root that the caller named; its owners are not mapped */
	OP_COVERED = 128, /* a writable directory above it covers it in Landlock */
	/* OP_BIND, read-only: shares the content of files with the host, not FIFOs and sockets (setup.c). */
	OP_APART = 1024,
	OP_PART = 2048,  /* OP_BIND: lies in OP_HOME's source, and can be taken from there */
	OP_IS_DIR = 32, OP_IS_FILE = 64, /* OP_BIND: what the source is, when that is known beforehand */
};

struct op {
	struct op *next;
	enum op_kind kind;
	unsigned flags;
	const char *source, *target;
	const char *text; /* OP_FILE: this many bytes */
	size_t ntext;
	struct identity expected; /* OP_BIND: what the source must be */
	int tree;        /* OP_BIND: a detached mount made beforehand, used in place of `source`; -1: none */
};

struct ops { /* a list that grows at its end */
	struct op *first, **end;
};

struct op *ops_add(struct arena *a, struct ops *ops, enum op_kind kind, unsigned flags, struct str source,
		struct str target);

/*
 * The source of a mount cannot be used: errno says why. That another directory has its name is the
 * workspace's doing, and no failure of the host.
 */
int op_unusable(const struct op *op, struct err *e);

/*
 * plan.c: everything a spec asks for. Begins with OP_SYSTEM, and has of the rows only what may be written, or
 * it has all of them.
 */
int plan_root(struct arena *a, const struct spec *s, struct ops *ret, struct err *e);
/* After everything else: spec.closed and spec.hidden. */
int plan_close(struct arena *a, const struct spec *s, struct ops *ret, struct err *e);
/* The rows, for init: the i-th operation, false after the last. Takes no memory. */
bool plan_usual(size_t i, struct op *ret);
/* OP_SYSTEM: the i-th path, which is bound at itself, or is a link there as well. NULL after the last. */
const char *plan_system(size_t i);
