/*
 * Directories by their identity: opened without following any link, and compared with what they were when
 * somebody decided about them. Nothing here takes memory: it is used between fork and exec as well.
 */
#pragma once
#include <sys/stat.h>

#include "model/identity.h"

/* O_PATH, by an absolute path. -1 with errno; ELOOP: a component of the path is a link. */
int directory_open(const char *path);
/*
 * The same below an opened directory; a path that would leave it is an error. An empty path is the
 * directory itself.
 */
int directory_open_below(int root, const char *path);
int directory_identity(int fd, struct identity *ret);
/* Is this what was expected? An identity that is not known fits everything. */
bool directory_is(const struct stat *st, struct identity expected);
/*
 * Opened with these flags, and surely the expected one. -1 with errno; ESTALE: another directory has its
 * name.
 */
int directory_open_expected(const char *path, struct identity expected, int flags);
/* Does the path still lead to this directory? 0, or -1 with errno as above. */
int directory_check(const struct directory *d);
