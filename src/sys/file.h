/*
 * Files and streams. Every descriptor is close-on-exec from birth; every read has a maximum.
 *
 * FD_CLEANUP closes a descriptor at the end of its scope. That is enough only if nothing is allocated
 * meanwhile: a full arena leaves by longjmp and skips the end of the scope. FD_SCOPE closes the descriptor in
 * both cases:
 *
 *     FD_SCOPE f = {0};
 *     fd_scope(&f, a, open(path, O_RDONLY | O_CLOEXEC));
 */
#pragma once
#include <dirent.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "base/str.h"

void fd_close(int *fd); /* for FD_CLEANUP */
#define FD_CLEANUP __attribute__((cleanup(fd_close)))

struct fd_scope {
	int fd;
	struct arena *a;
	struct arena_cleanup cleanup;
};
void fd_scope(struct fd_scope *s, struct arena *a, int fd); /* call it once; fd may be -1 */
void fd_scope_end(struct fd_scope *s);                      /* called by FD_SCOPE; may be called earlier */
#define FD_SCOPE __attribute__((cleanup(fd_scope_end))) struct fd_scope

/* The same for a listing of a directory; dir may be NULL. */
struct dir_scope {
	DIR *dir;
	struct arena *a;
	struct arena_cleanup cleanup;
};
void dir_scope(struct dir_scope *s, struct arena *a, DIR *dir);
void dir_scope_end(struct dir_scope *s);
#define DIR_SCOPE __attribute__((cleanup(dir_scope_end))) struct dir_scope

/* read() and pread() that a signal does not end. */
ssize_t fd_read(int fd, void *to, size_t n);
ssize_t fd_read_at(int fd, void *to, size_t n, off_t at);
/*
 * Opens a regular file for reading; a FIFO or device, which could block or never end, is an error. Returns
 * the descriptor, or -1 and *e. *ret_stat (may be NULL) describes the opened file.
 */
int file_open(const char *path, struct stat *ret_stat, struct err *e);
/* Writes a word to a file that exists, such as one of /proc or /sys. */
int file_put_word(const char *path, const char *word);
/* Reads the whole file, at most max bytes. ret_stat may be NULL. A missing file is ERR_SYSTEM with ENOENT. */
int file_read(struct arena *a, const char *path, size_t max, struct str *ret, struct stat *ret_stat,
		struct err *e);
/*
 * Reads a descriptor until EOF, at most max bytes. `name` is for the error message. Allocates: see FD_SCOPE.
 */
int fd_read_all(struct arena *a, int fd, const char *name, size_t max, struct str *ret, struct err *e);
/*
 * The same for a regular file after fstat(). Stops at the size in *st, which saves the read that would find
 * EOF.
 */
int fd_read_file(struct arena *a, int fd, const char *name, const struct stat *st, size_t max,
		struct str *ret, struct err *e);
/* Writes all bytes; continues after short writes and EINTR. */
int fd_write_all(int fd, const char *name, struct str s, struct err *e);
/* Returns a descriptor to read these bytes from, backed by a memory file; -1 and *e. */
int fd_of_text(const char *name, struct str text, struct err *e);
/*
 * Replaces the file atomically: writes and syncs a new file (mode 0600) in the same directory, then renames
 * it over `path`. A link at `path` is replaced, not followed.
 */
int file_replace(const char *path, struct str bytes, struct err *e);
/*
 * The same with a mode and, with keep_owner, an owner. Fails without replacing the file if the new one cannot
 * get both.
 */
struct file_look {
	mode_t mode;
	bool keep_owner;
	uid_t uid;
	gid_t gid;
};
int file_replace_as(const char *path, struct str bytes, const struct file_look *look, struct err *e);
/*
 * The same in two steps. The first opens the parent directory of the path (a descriptor, or -1 and *e). The
 * second replaces the file in that directory, wherever the path leads by then.
 */
int file_open_parent(const char *path, struct err *e);
int file_replace_in(int dir, const char *path, struct str bytes, const struct file_look *look, struct err *e);

/*
 * Reads lines from a descriptor. Owns its buffer, which is not in an arena: a batch reads as long as its
 * caller writes, but an arena lives for one line. A returned line is valid until the next call. The last line
 * needs no newline.
 */
#define LINE_SAMPLE 80

struct line_reader {
	int fd;
	size_t max;      /* longest line, without its newline */
	char *p;
	size_t n, at, cap;
	bool ended;
	char sample[LINE_SAMPLE]; /* first bytes of an overlong line */
};

enum { LINE_END = 0, LINE_OK = 1, LINE_TOO_LONG = 2 };

void line_reader_init(struct line_reader *r, int fd, size_t max);
void line_reader_free(struct line_reader *r);
/*
 * Returns one of:
 * - LINE_OK: *ret is the line without its newline;
 * - LINE_TOO_LONG: the line was skipped, *ret is its first LINE_SAMPLE bytes or fewer;
 * - LINE_END: EOF;
 * - -1 and *e.
 */
int line_read(struct line_reader *r, struct str *ret, struct err *e);
