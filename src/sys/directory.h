/*
 * Opens directories without following links, and compares their identity with the one that was judged
 * earlier. Allocates nothing, so it can run between fork and exec.
 */
#pragma once
#include <sys/stat.h>

#include "model/identity.h"

/* Opens an absolute path with O_PATH. -1 with errno; ELOOP: a component of the path is a link. */
int directory_open(const char *path);
/*
 * The same below an open directory. A path that would leave it is an error; an empty path is the directory
 * itself.
 */
int directory_open_below(int root, const char *path);
/* chmod() through a descriptor opened with O_PATH, which needs no permission on the directory itself. */
int directory_chmod(int fd, mode_t mode);
int directory_identity(int fd, struct identity *ret);
/* True if this is the expected directory. An unknown identity matches everything. */
bool directory_is(const struct stat *st, struct identity expected);
/*
 * Opens the directory with these flags if it has the expected identity. -1 with errno; ESTALE: the path now
 * leads to another directory.
 */
int directory_open_expected(const char *path, struct identity expected, int flags);
/* Checks that the path still leads to this directory. 0, or -1 with errno as above. */
int directory_check(const struct directory *d);
