/*
 * How the root of a box is put together: an ordered list of operations, made before the box exists (plan.c, protect.c) and carried out inside
 * it (setup.c), where nothing is allocated or decided any more.
 *
 * Targets are paths in the box, absolute, without links in them. Directories above a target are made where they are missing, as long as they
 * lie on the box's own root; a target that exists is used as it is.
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
	OP_INSIDE,  /* what the box already has at `source`, once more at `target`: pins a name and can make it read-only */
	OP_EMPTY,   /* an empty directory that cannot be written, over whatever directory is there */
	OP_PROC, OP_PTS,
};

enum {
	OP_WRITABLE = 1, /* else read-only */
	OP_DEVICES = 2,  /* device nodes work; else they do not */
	OP_OURS = 4,     /* OP_INSIDE: both names are the box's own, and so no links */
	OP_STICKY = 8,   /* OP_SCRATCH: mode 1777, else 0700 */
	OP_CALLERS = 16, /* OP_BIND: a path the caller named, not one of the system: nothing in it may be a link */
	OP_IMAGE = 256,  /* the same for a part of a root that the caller named; its owners are not mapped */
	OP_COVERED = 128, /* writable, and so is a directory above it: a rule for that will do */
	OP_IS_DIR = 32, OP_IS_FILE = 64, /* OP_BIND: what the source is, when that is known beforehand */
};

struct op {
	struct op *next;
	enum op_kind kind;
	unsigned flags;
	const char *source, *target;
	const char *text; /* OP_FILE: this many bytes */
	size_t ntext;
	int tree;        /* OP_BIND: a detached mount made beforehand, used in place of `source`; -1: none */
};

struct ops { /* a list that grows at its end */
	struct op *first, **end;
};

struct op *ops_add(struct arena *a, struct ops *ops, enum op_kind kind, unsigned flags, struct str source, struct str target);

/* plan.c: everything a spec asks for. */
int plan_root(struct arena *a, const struct spec *s, struct ops *ret, struct err *e);
