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
	/* Covers a file of the box by a link of the box's own root, or if impossible as OP_INSIDE does. */
	OP_COVER,
	/* An empty read-only directory over an existing one; or `source`, an OP_FILE, over a file. */
	OP_EMPTY,
	/*
	 * The directory with the upper layer of OP_HOME, which comes after it: with one, parts of the home
	 * can be written, and nothing of the home changes.
	 */
	OP_LAYER,
	OP_HOME,    /* the caller's home, or another directory: not mounted itself, the source of OP_PART */
	/* A descriptor (`tree`) that init keeps open as long as the box lives. The first one counts. */
	OP_HOLD,
	OP_PROC, OP_PTS,
	/* The system's directories and names of /etc. First in the plan, unless the caller gave a root. */
	OP_SYSTEM,
};

enum {
	OP_WRITABLE = 1, /* else read-only */
	OP_DEVICES = 2,  /* device nodes work; else they do not */
	OP_STICKY = 8,   /* OP_SCRATCH: mode 1777, else 0700 */
	/* OP_BIND: a path that the caller named. No component of it may be a link. */
	OP_CALLERS = 16,
	OP_IS_DIR = 32, OP_IS_FILE = 64, /* OP_BIND: the kind of the source, if known */
	OP_COVERED = 128, /* a writable directory above it covers it in Landlock */
	/* Like OP_CALLERS, for a part of a root that the caller named; owners are not mapped. */
	OP_IMAGE = 256,
	OP_USUAL = 512,  /* one of the rows: init has built it already */
	/* OP_BIND, read-only: shares the content of files with the host, not FIFOs and sockets (setup.c). */
	OP_APART = 1024,
	OP_EXECUTABLE = 4096, /* OP_FILE */
	OP_PART = 2048,  /* OP_BIND: a part of OP_HOME's source, taken from there if possible */
	/*
	 * OP_BIND: to be written in the layer, in `text` below its upper directory: a part of the home, or in
	 * an overlay of its own. Without an overlay it is left out or, with OP_LOWER, read-only.
	 */
	OP_CACHE = 4096, OP_LOWER = 8192, /* OP_INSIDE, OP_EMPTY with OP_CACHE: only if the cache is there */
	/*
	 * OP_BIND, OP_SCRATCH: later targets inside are looked up from this mount, not by their whole path.
	 * The directories above may be shared with other boxes, whose programs can exchange them meanwhile.
	 */
	OP_ANCHOR = 16384,
};

struct op {
	struct op *next;
	enum op_kind kind;
	unsigned flags;
	const char *source, *target;
	const char *text; /* OP_FILE: the content; OP_CACHE: see there */
	size_t ntext;     /* its length */
	struct identity expected; /* OP_BIND: the identity that the source must have */
	int tree;        /* OP_BIND: a detached mount to use instead of `source`; -1: none */
};

struct ops { /* a list that grows at its end */
	struct op *first, **end;
};

struct op *ops_add(struct arena *a, struct ops *ops, enum op_kind kind, unsigned flags, struct str source,
		struct str target);

struct stat;
/* True if this is the source that the operation expects. */
bool op_is_source(const struct op *op, const struct stat *st);
/*
 * Reports that the source of a mount cannot be used, with errno as the reason. A workspace that was replaced
 * by another directory is an error of the input, not of the host.
 */
int op_unusable(const struct op *op, struct err *e);

/*
 * plan.c: turns the whole spec into operations. With the system's root the list begins with OP_SYSTEM and has
 * only the writable rows; with a caller's root it has all rows.
 */
int plan_root(struct arena *a, const struct spec *s, struct ops *ret, struct err *e);
/* Appends spec.closed and spec.hidden, after everything else. */
int plan_close(struct arena *a, const struct spec *s, struct ops *ret, struct err *e);
/* The i-th row as an operation, for init. False after the last. Allocates nothing. */
bool plan_usual(size_t i, struct op *ret);
/* OP_SYSTEM: the i-th path, bound at itself or copied as a link. NULL after the last. */
const char *plan_system(size_t i);
