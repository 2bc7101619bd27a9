/*
 * Reads security-relevant files. Anybody who can write a policy can lift it, so a policy that others may
 * write is refused, with the command that repairs it. The checks use the opened descriptor.
 */
#pragma once
#include "base/str.h"

struct path_memo;

/*
 * Reads the user's or the system's file, at most max bytes. It must be a regular file. It and its directory
 * must belong to uid or root and must not be writable for group or others; a sticky directory may be. If the
 * path is a link, the link's own directory must be safe, too. A missing file is ERR_SYSTEM with ENOENT. A
 * dangling link is a separate error, since a file was meant to exist.
 */
int secure_read(struct arena *a, struct str path, size_t max, uint32_t uid, struct str *ret, struct err *e);
/*
 * The same with known directories. Returns SECURE_ABSENT for a missing file and leaves *e alone, since most
 * of the files are missing.
 */
#define SECURE_ABSENT 1
int secure_read_known(struct path_memo *m, struct str path, size_t max, uint32_t uid, struct str *ret,
		struct err *e);
/*
 * Reads a file of the project. It is untrusted whoever owns it, so it only has to be regular and not too
 * long. A link must stay inside the root: parts of the text may appear in messages, and a project must not
 * choose whose. Returns SECURE_ABSENT for a missing file.
 */
int secure_read_project(struct path_memo *m, struct str root, struct str path, size_t max, struct str *ret,
		struct err *e);
/*
 * Checks that a resolved directory belongs to the caller or root and that nobody else may write it. 0, or -1
 * and *e with the remedy. A missing directory is ENOENT.
 */
int secure_dir(struct path_memo *m, struct str dir, uint32_t uid, struct err *e);
