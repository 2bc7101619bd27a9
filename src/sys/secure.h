/*
 * Reads files that decide something. Anybody who can write a policy can lift it, so a policy that others may
 * write is refused, with the command that repairs it. The checks use the opened descriptor.
 */
#pragma once
#include "base/str.h"

struct path_memo;

/*
 * The user's or the system's file, at most max bytes: regular; it and its directory owned by uid or root; not
 * writable for group or others (a directory may be, when it is sticky). When the path is a link, the link's
 * own directory must be safe as well. Absent is ERR_SYSTEM with ENOENT; a link to nothing is an error of its
 * own, since somebody meant a file to be there.
 */
int secure_read(struct arena *a, struct str path, size_t max, uint32_t uid, struct str *ret, struct err *e);
/*
 * The same where the directories are known already. Absent is SECURE_ABSENT, with nothing in *e: most files
 * that are looked for are not there.
 */
#define SECURE_ABSENT 1
int secure_read_known(struct path_memo *m, struct str path, size_t max, uint32_t uid, struct str *ret,
		struct err *e);
/*
 * A file of the project: untrusted whoever owns it, so only regular and not too long. A link must stay inside
 * the root: parts of the text may show up in messages, and a project must not choose whose. Absent is
 * SECURE_ABSENT.
 */
int secure_read_project(struct path_memo *m, struct str root, struct str path, size_t max, struct str *ret,
		struct err *e);
/*
 * Is a directory the caller's own (or root's), and nobody else's to write? Resolved path. 0, or -1 with what
 * to do. Absent is ENOENT.
 */
int secure_dir(struct path_memo *m, struct str dir, uint32_t uid, struct err *e);
