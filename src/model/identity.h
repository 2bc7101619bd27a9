/*
 * The directory that a path meant when it was resolved: its device and inode. A path is only a name: a
 * program that can write the parent directory can give that name to another directory. So a directory travels
 * with its identity, and code that reopens it compares the two.
 */
#pragma once
#include "base/str.h"

struct identity { /* device and inode of a directory */
	uint64_t dev, ino; /* ino 0: not known, so not compared */
};

struct directory {
	struct str path; /* absolute and resolved; empty: none */
	struct identity id;
};

static inline bool identity_known(struct identity id) { return id.ino != 0; }

static inline bool identity_same(struct identity x, struct identity y)
{
	return x.dev == y.dev && x.ino == y.ino;
}
