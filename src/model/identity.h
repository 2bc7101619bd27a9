/*
 * Which directory a path meant when it was resolved: its device and inode. A path is only a name, and a
 * program that may write the directory above it can give that name to another directory. So a directory
 * travels together with its identity, and who opens it again compares.
 */
#pragma once
#include "base/str.h"

struct identity { /* of a directory */
	uint64_t dev, ino; /* ino 0: not known, nothing is compared */
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
