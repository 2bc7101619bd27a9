/*
 * Files and streams. Every descriptor is close-on-exec at birth; every read has a maximum.
 *
 * FD_CLEANUP closes a descriptor at the end of its scope. That is enough while nothing is allocated: leaving
 * an arena skips the end of the scope. FD_SCOPE closes it in both cases:
 *
 *     FD_SCOPE f = {0};
 *     fd_scope(&f, a, open(path, O_RDONLY | O_CLOEXEC));
 */
#pragma once
#include <sys/stat.h>

#include "base/str.h"

void fd_close(int *fd); /* for FD_CLEANUP */
#define FD_CLEANUP __attribute__((cleanup(fd_close)))

struct fd_scope {
	int fd;
	struct arena *a;
	struct arena_cleanup cleanup;
};
void fd_scope(struct fd_scope *s, struct arena *a, int fd); /* once; fd may be -1 */
void fd_scope_end(struct fd_scope *s);                      /* for FD_SCOPE; also earlier */
#define FD_SCOPE __attribute__((cleanup(fd_scope_end))) struct fd_scope

/*
 * Opens for reading, regular files only (a FIFO or device would block or never end). The descriptor, or -1;
 * *ret_stat is of the opened file.
 */
int file_open(const char *path, struct stat *ret_stat, struct err *e);
/*
 * The whole file, at most max bytes. ret_stat may be NULL. A file that does not exist is ERR_SYSTEM with
 * ENOENT.
 */
int file_read(struct arena *a, const char *path, size_t max, struct str *ret, struct stat *ret_stat,
		struct err *e);
/*
 * All bytes of a descriptor until EOF, at most max. `name` is for the message. A full arena leaves: see
 * FD_SCOPE.
 */
int fd_read_all(struct arena *a, int fd, const char *name, size_t max, struct str *ret, struct err *e);
/* The same for a regular file that was looked at: what it held then, with no read more than needed. */
int fd_read_file(struct arena *a, int fd, const char *name, const struct stat *st, size_t max,
		struct str *ret, struct err *e);
/* All n bytes, over short writes and interrupts. */
int fd_write_all(int fd, const char *name, struct str s, struct err *e);
/* A descriptor from which these bytes can be read, of a file that has no name; -1 and e. */
int fd_of_text(const char *name, struct str text, struct err *e);
/*
 * Puts these bytes in the place of the file, all or nothing: a new file (mode 0600) beside it, written and
 * synced, then renamed over it. A link at `path` is replaced, not followed.
 */
int file_replace(const char *path, struct str bytes, struct err *e);
/*
 * The same with a mode, and when it is somebody's file with its owner: a new file that cannot be given both
 * is not put there.
 */
struct file_look {
	mode_t mode;
	bool keep_owner;
	uid_t uid;
	gid_t gid;
};
int file_replace_as(const char *path, struct str bytes, const struct file_look *look, struct err *e);
/*
 * The same in two steps: the directory of the path as it is now (a descriptor or -1), and later the file in
 * it, whatever the path leads to then.
 */
int file_open_parent(const char *path, struct err *e);
int file_replace_in(int dir, const char *path, struct str bytes, const struct file_look *look, struct err *e);

/*
 * Lines from a descriptor. Owns its memory (not an arena's: a batch reads for as long as its caller writes,
 * one arena lives for one line). The line handed out is valid until the next call; a last line without a
 * newline is a line.
 */
#define LINE_SAMPLE 80

struct line_reader {
	int fd;
	size_t max;      /* longest line, without its newline */
	char *p;
	size_t n, at, cap;
	bool ended;
	char sample[LINE_SAMPLE]; /* the first bytes of a line that was too long */
};

enum { LINE_END = 0, LINE_OK = 1, LINE_TOO_LONG = 2 };

void line_reader_init(struct line_reader *r, int fd, size_t max);
void line_reader_free(struct line_reader *r);
/*
 * LINE_OK and *ret without its newline; LINE_TOO_LONG after skipping to the line's end, *ret is its first
 * LINE_SAMPLE bytes or fewer; LINE_END; or -1.
 */
int line_read(struct line_reader *r, struct str *ret, struct err *e);
