/* src/sys: files, lines, users. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "sys/sha256.h"
#include "sys/file.h"
#include "sys/mount_list.h"
#include "sys/user.h"
#include "torture.h"
#include "unit.h"

static struct arena arena;
static struct arena *const A = &arena;
static char dir[] = "/tmp/caisson-sys-XXXXXX";

static const char *place(const char *name, struct str content)
{
	static char path[200];
	snprintf(path, sizeof path, "%s/%s", dir, name);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	CHECK(fd >= 0);
	CHECK_INT(fd_write_all(fd, path, content, NULL), 0);
	close(fd);
	return path;
}

static void test_file_read(void)
{
	struct err e;
	struct str s = STR("untouched");
	struct stat st;
	CHECK_INT(file_read(A, place("a", STR("one\0two")), 7, &s, &st, &e), 0);
	CHECK_STRN(s, STR("one\0two"));
	CHECK_INT(st.st_size, 7);
	s = STR("untouched");
	CHECK_INT(file_read(A, place("a", STR("one\0two")), 6, &s, NULL, &e), -1);
	CHECK_INT(e.kind, ERR_LIMIT);
	CHECK_STR(s, "untouched");
	CHECK_INT(file_read(A, place("empty", STR("")), 10, &s, NULL, &e), 0);
	CHECK_STR(s, "");
	CHECK_INT(file_read(A, "/nonexistent/x", 10, &s, NULL, &e), -1);
	CHECK_INT(e.errnum, ENOENT);
	CHECK_INT(file_read(A, dir, 10, &s, NULL, &e), -1); /* a directory */
	CHECK_INT(e.kind, ERR_INPUT);
	char fifo[300];
	snprintf(fifo, sizeof fifo, "%s/fifo", dir);
	CHECK_INT(mkfifo(fifo, 0600), 0);
	CHECK_INT(file_read(A, fifo, 10, &s, NULL, &e), -1); /* does not wait for a writer */
	CHECK_INT(file_read(A, "/dev/zero", 10, &s, NULL, &e), -1);
	/* size 0 by stat, bytes by read: the maximum holds while reading */
	CHECK_INT(file_read(A, "/proc/self/maps", 5, &s, NULL, &e), -1);
	CHECK_INT(e.kind, ERR_LIMIT);
}

static int read_big(struct arena *a, void *path)
{
	struct str s;
	struct err e;
	return file_read(a, path, (size_t)4 << 20, &s, NULL, &e) == 0 && s.n == 1000000 ? 0 : 1;
}

static void test_file_torture(void)
{
	char *big = arena_alloc(A, 1000000);
	const char *path = place("big", str_n(big, 1000000));
	int before = count_fds();
	struct torture t;
	CHECK_INT(torture(read_big, (void *)path, 100, &t), 0);
	CHECK(t.runs >= 1);
	CHECK_INT(t.result, 0);
	CHECK_INT(count_fds(), before); /* nothing stays open */
}

static int open_pipe(struct str content)
{
	int fd[2];
	CHECK_INT(pipe2(fd, O_CLOEXEC), 0);
	CHECK_INT(fd_write_all(fd[1], "pipe", content, NULL), 0);
	close(fd[1]);
	return fd[0];
}

static void test_lines(void)
{
	struct line_reader r;
	struct str s;
	FD_CLEANUP int fd = open_pipe(STR("one\n\n12345\n123456\nthe last"));
	line_reader_init(&r, fd, 5);
	CHECK_INT(line_read(&r, &s, NULL), LINE_OK);
	CHECK_STR(s, "one");
	CHECK_INT(line_read(&r, &s, NULL), LINE_OK);
	CHECK_STR(s, "");
	CHECK_INT(line_read(&r, &s, NULL), LINE_OK);
	CHECK_STR(s, "12345");
	CHECK_INT(line_read(&r, &s, NULL), LINE_TOO_LONG);
	CHECK_STR(s, "123456");
	CHECK_INT(line_read(&r, &s, NULL), LINE_TOO_LONG);
	CHECK_INT(line_read(&r, &s, NULL), LINE_END);
	CHECK_INT(line_read(&r, &s, NULL), LINE_END);
	line_reader_free(&r);
	FD_CLEANUP int nothing = open_pipe(STR(""));
	line_reader_init(&r, nothing, 5);
	CHECK_INT(line_read(&r, &s, NULL), LINE_END);
	line_reader_free(&r);
	line_reader_init(&r, -1, 5);
	struct err e;
	CHECK_INT(line_read(&r, &s, &e), -1);
	CHECK_INT(e.errnum, EBADF);
	line_reader_free(&r);
}

static void test_lines_long(void)
{
	/* Lines around and far past the reader's step, with and without a final newline. */
	size_t size = 1000000;
	char *text = arena_alloc(A, size);
	memset(text, 'x', size);
	text[70000] = text[70001] = text[500000] = '\n';
	FD_CLEANUP int fd = open(place("lines", str_n(text, size)), O_RDONLY | O_CLOEXEC);
	struct line_reader r;
	struct str s;
	line_reader_init(&r, fd, 450000);
	CHECK_INT(line_read(&r, &s, NULL), LINE_OK);
	CHECK_INT(s.n, 70000);
	CHECK_INT(line_read(&r, &s, NULL), LINE_OK);
	CHECK_INT(s.n, 0);
	CHECK_INT(line_read(&r, &s, NULL), LINE_OK);
	CHECK_INT(s.n, 500000 - 70002);
	CHECK_INT(line_read(&r, &s, NULL), LINE_TOO_LONG);
	CHECK_INT(s.n, LINE_SAMPLE);
	CHECK_INT(line_read(&r, &s, NULL), LINE_END);
	CHECK(r.cap <= 2 * 450000 + 200000); /* bounded by the maximum, not by the input */
	line_reader_free(&r);
}

static void test_passwd(void)
{
	struct str db =
			STR("root:x:0:0:root:/root:/bin/bash\nbroken "
			"line\n::0:0::/x:\nnum:x:y:0::/n:/s\ndev:x:1000:1000:D,,,:/home/dev:/bin/sh\n"
			    "rel:x:1001:1::home:/bin/sh\nlast:x:1002:1::/l:");
	struct user u = {.uid = 77};
	CHECK(passwd_find(db, STR(""), 1000, &u));
	CHECK_STR(u.name, "dev");
	CHECK_STR(u.home, "/home/dev");
	CHECK(passwd_find(db, STR("root"), 5, &u));
	CHECK_INT(u.uid, 0);
	CHECK(passwd_find(db, STR("last"), 0, &u)); /* no newline at the end */
	CHECK_STR(u.home, "/l");
	CHECK(passwd_find(db, STR("rel"), 0, &u));
	CHECK_STR(u.home, ""); /* a relative home is none */
	u.uid = 77;
	CHECK(!passwd_find(db, STR("num"), 0, &u));
	CHECK(!passwd_find(db, STR(""), 4242, &u));
	CHECK(!passwd_find(STR(""), STR("root"), 0, &u));
	CHECK_INT(u.uid, 77);
}

static void test_self(void)
{
	struct user u;
	struct err e;
	CHECK_INT(user_self(A, NULL, NULL, &u, &e), 0);
	CHECK_INT(u.uid, getuid());
	CHECK(u.name.n > 0);
	struct str own = u.home;
	CHECK_INT(user_self(A, NULL, dir, &u, &e), 0); /* a directory of ours */
	CHECK_STR(u.home, dir);
	static const char *const refused[] = {"relative", "", "/nonexistent"};
	for (size_t i = 0; i < 3; i++) {
		CHECK_INT(user_self(A, NULL, refused[i], &u, &e), 0);
		CHECK_STRN(u.home, own);
	}
	CHECK_INT(user_self(A, NULL, place("plain", STR("x")), &u, &e), 0); /* ours, but not a directory */
	CHECK_STRN(u.home, own);
	if (getuid() == 0) {
		char other[300];
		snprintf(other, sizeof other, "%s/other", dir);
		CHECK_INT(mkdir(other, 0755), 0);
		CHECK_INT(chown(other, 12345, 12345), 0);
		CHECK_INT(user_self(A, NULL, other, &u, &e), 0);
	} else {
		CHECK_INT(user_self(A, NULL, "/", &u, &e), 0);
	}
	CHECK_STRN(u.home, own); /* somebody else's directory */
}

static int self(struct arena *a, void *ctx)
{
	struct user u;
	struct str s;
	return user_self(a, NULL, ctx, &u, NULL) < 0 || cwd_get(a, &s, NULL) < 0;
}

static void test_self_torture(void)
{
	struct torture t;
	CHECK_INT(torture(self, dir, 100, &t), 0);
	CHECK(t.runs >= 3);
}

static void test_cwd(void)
{
	struct str s;
	struct err e;
	char *was = getcwd(NULL, 0);
	CHECK_INT(chdir(dir), 0);
	CHECK_INT(cwd_get(A, &s, &e), 0);
	CHECK_STR(s, dir);
	char gone[300];
	snprintf(gone, sizeof gone, "%s/gone", dir);
	CHECK(mkdir(gone, 0700) == 0 && chdir(gone) == 0 && rmdir(gone) == 0);
	CHECK_INT(cwd_get(A, &s, &e), -1);
	CHECK_INT(e.errnum, ENOENT);
	CHECK(was && chdir(was) == 0);
	free(was);
}

static void remove_all(void)
{
	static const char *const names[] = {"a", "empty", "fifo", "big", "lines", "plain", "other"};
	char path[300];
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		snprintf(path, sizeof path, "%s/%s", dir, names[i]);
		remove(path);
	}
	rmdir(dir);
}

static void test_sha256(void)
{
	char hex[SHA256_HEX + 1];

	sha256_hex(STR("abc"), hex);
	CHECK_STR(str_of(hex), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	sha256_hex(STR(""), hex);
	CHECK_STR(str_of(hex), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

static bool listed(const struct texts *t, const char *path)
{
	for (; t; t = t->next)
		if (str_is(t->text, path))
			return true;
	return false;
}

static void test_mount_list(void)
{
	struct texts *all = NULL;

	CHECK_INT(mount_list(A, &all, NULL), 0);
	CHECK(listed(all, "/") && listed(all, "/proc"));
	CHECK(!listed(all, "") && !listed(all, dir));
}

int main(void)
{
	if (!mkdtemp(dir))
		return 1;
	arena_init(A, ARENA_CAP_DEFAULT);
	RUN(test_file_read);
	RUN(test_file_torture);
	RUN(test_lines);
	RUN(test_mount_list);
	RUN(test_lines_long);
	RUN(test_passwd);
	RUN(test_self);
	RUN(test_self_torture);
	RUN(test_cwd);
	RUN(test_sha256);
	arena_free(A);
	remove_all();
	return unit_end();
}
