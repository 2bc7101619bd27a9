/*
 * Landlock through its three system calls. Debian 12's kernel header stops at version 2, so this file defines
 * the parts it needs:
 * - version 1: reading, writing, executing, creating and removing
 * - version 2: renaming and linking between directories
 * - version 3: truncating
 * - version 4: TCP
 * - version 5: ioctl on devices
 * - version 6: abstract sockets and signals
 * - version 7: only adds logging
 *
 * Version 1 counts as none: it forbids every rename from one directory to another, which ordinary programs
 * need. Mounts enforce everything it could.
 */
#define _GNU_SOURCE
#include "sys/landlock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NR_CREATE_RULESET 444
#define NR_ADD_RULE 445
#define NR_RESTRICT_SELF 446
#define CREATE_VERSION 1u
#define RULE_PATH_BENEATH 1
#define VERSION_MIN 2

enum { /* access rights to files, one bit each */
	FS_EXECUTE = 1 << 0, FS_WRITE_FILE = 1 << 1, FS_READ_FILE = 1 << 2, FS_READ_DIR = 1 << 3,
			FS_REMOVE_DIR = 1 << 4, FS_REMOVE_FILE = 1 << 5,
	FS_MAKE_CHAR = 1 << 6, FS_MAKE_DIR = 1 << 7, FS_MAKE_REG = 1 << 8, FS_MAKE_SOCK = 1 << 9,
	FS_MAKE_FIFO = 1 << 10, FS_MAKE_BLOCK = 1 << 11,
	FS_MAKE_SYM = 1 << 12, FS_REFER = 1 << 13, FS_TRUNCATE = 1 << 14, FS_IOCTL_DEV = 1 << 15,

	FS_READ = FS_EXECUTE | FS_READ_FILE | FS_READ_DIR,
	/* Without FS_MAKE_CHAR and FS_MAKE_BLOCK: nobody creates devices. */
	FS_CHANGE = FS_WRITE_FILE | FS_REMOVE_DIR | FS_REMOVE_FILE | FS_MAKE_DIR | FS_MAKE_REG |
	FS_MAKE_SOCK | FS_MAKE_FIFO | FS_MAKE_SYM | FS_REFER |
		FS_TRUNCATE | FS_IOCTL_DEV,
	/* rights that the kernel accepts for a non-directory */
	FS_OF_FILES = FS_EXECUTE | FS_WRITE_FILE | FS_READ_FILE | FS_TRUNCATE | FS_IOCTL_DEV,
	FS_ALL = (1 << 16) - 1,
};
enum { NET_BIND_TCP = 1 << 0, NET_CONNECT_TCP = 1 << 1 };
enum { SCOPE_ABSTRACT_SOCKET = 1 << 0, SCOPE_SIGNAL = 1 << 1 };

struct ruleset { /* an older kernel accepts a longer struct if the rest is zero */
	uint64_t fs, net, scope;
};

struct rule_path {
	uint64_t allowed;
	int32_t parent;
} __attribute__((packed));

int landlock_version(void)
{
	static int known = -1; /* cache; the same for every ruleset */

	if (known < 0) {
		long v = syscall(NR_CREATE_RULESET, NULL, 0, CREATE_VERSION);
		known = v < VERSION_MIN ? 0 : (int)v;
	}
	return known;
}

/* Returns the file access rights that a version knows. */
static uint64_t known_rights(int version)
{
	uint64_t fs = FS_ALL;
	if (version < 5)
		fs &= ~(uint64_t)FS_IOCTL_DEV;
	if (version < 3)
		fs &= ~(uint64_t)FS_TRUNCATE;
	return fs;
}

int landlock_start(bool network)
{
	int version = landlock_version();
	if (!version) {
		errno = EOPNOTSUPP;
		return -1;
	}
	struct ruleset r = {.fs = known_rights(version)};
	if (version >= 4 && !network)
		r.net = NET_BIND_TCP | NET_CONNECT_TCP;
	if (version >= 6)
		r.scope = SCOPE_ABSTRACT_SOCKET | SCOPE_SIGNAL;
	return (int)syscall(NR_CREATE_RULESET, &r, sizeof r, 0); /* the kernel sets close-on-exec */
}

int landlock_allow(int ruleset, const char *path, bool writable)
{
	struct stat st;
	int fd = open(path, O_PATH | O_CLOEXEC);
	if (fd < 0)
		return -1;
	long done = fstat(fd, &st);
	if (done == 0) {
		uint64_t want = FS_READ | (writable ? (uint64_t)FS_CHANGE : 0);
		if (!S_ISDIR(st.st_mode))
			want &= FS_OF_FILES;
		struct rule_path rule = {.allowed = want & known_rights(landlock_version()), .parent = fd};
		done = syscall(NR_ADD_RULE, ruleset, RULE_PATH_BENEATH, &rule, 0);
	}
	int why = errno;
	close(fd);
	errno = why;
	return done == 0 ? 0 : -1;
}

int landlock_enforce(int ruleset)
{
	return syscall(NR_RESTRICT_SELF, ruleset, 0) == 0 ? 0 : -1;
}
