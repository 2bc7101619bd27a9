/*
 * For tests on real files: names below a temporary directory, made by place_begin() and removed with all that
 * is in it by place_end().
 */
#pragma once
#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sys/file.h"
#include "sys/glob_expand.h"
#include "unit.h"

static struct arena arena;
static struct arena *const A = &arena;
static char dir[] = "/tmp/caisson-place-XXXXXX";

/* A name below the temporary directory; absolute names stay. */
static inline char *at(const char *name)
{
	return str_c(A, name[0] == '/' ? str_of(name) : str_fmt(A, "%s%s%s", dir, name[0] ? "/" : "", name));
}

static inline void make_dir(const char *name, mode_t mode)
{
	CHECK_INT(mkdir(at(name), 0700), 0);
	CHECK_INT(chmod(at(name), mode), 0);
}

static inline void make_file(const char *name, const char *text, mode_t mode)
{
	FD_CLEANUP int fd = open(at(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	CHECK(fd >= 0);
	CHECK_INT(fd_write_all(fd, name, str_of(text), NULL), 0);
	CHECK_INT(fchmod(fd, mode), 0);
}

static inline void make_link(const char *text, const char *name) { CHECK_INT(symlink(text, at(name)), 0); }

static inline void make_repository(const char *name)
{
	make_dir(name, 0755);
	make_dir(str_c(A, str_fmt(A, "%s/.git", name)), 0755);
	make_file(str_c(A, str_fmt(A, "%s/.git/HEAD", name)), "ref: refs/heads/main\n", 0644);
}

static inline bool is_there(const char *name)
{
	struct stat st;

	return lstat(at(name), &st) == 0;
}

static inline struct path_answer look(const char *path)
{
	struct path_memo m;
	struct path_answer p;
	path_memo_init(&m, A, str_of(at("tree")));
	path_look(&m, str_of(at(path)), &p);
	return p;
}

static inline struct glob_answer expand(const char *pattern)
{
	struct path_memo m;
	struct glob_answer g;
	path_memo_init(&m, A, str_of(at("globs")));
	glob_expand(&m, str_of(at(pattern)), &g);
	return g;
}

static inline int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st, (void)type, (void)ftw;
	return remove(path);
}

static inline int place_begin(void)
{
	arena_init(A, ARENA_CAP_DEFAULT);
	return mkdtemp(dir) && chmod(dir, 0755) == 0 ? 0 : -1;
}

/* One more result: that nothing is left. */
static inline void place_end(void)
{
	struct stat st;
	nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	CHECK(stat(dir, &st) < 0);
	unit_result("everything is removed");
	arena_free(A);
}
