/* STATE/outputs: a file is there when it is complete, and goes when it is old or there is too much. */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/stat.h>
#include <time.h>

#include "place.h"
#include "sys/outputs.h"

static void test_file(void)
{
	struct output_file f;
	struct stat st;
	struct err e = {0};
	struct str got;

	make_dir("state", 0700);
	CHECK_INT(output_open(&f, at("state"), &e), 0);
	CHECK_INT(stat(at("state/outputs"), &st), 0);
	CHECK_INT(st.st_mode & 07777, 0700);
	CHECK_INT(fd_write_all(f.fd, "x", STR("text"), &e), 0);
	CHECK(!is_there("state/outputs/a.txt"));
	CHECK_INT(output_finish(&f, "a.txt", &e), 0);
	CHECK_INT(f.fd, -1);
	CHECK_INT(file_read(A, at("state/outputs/a.txt"), 100, &got, &st, &e), 0);
	CHECK_STR(got, "text");
	CHECK_INT(st.st_mode & 07777, 0600);
	CHECK_INT(st.st_nlink, 1);
	/* a name that is taken stays what it is */
	CHECK_INT(output_open(&f, at("state"), &e), 0);
	CHECK_INT(output_finish(&f, "a.txt", &e), -1);
	CHECK_INT(e.errnum, EEXIST);
	CHECK_INT(file_read(A, at("state/outputs/a.txt"), 100, &got, NULL, &e), 0);
	CHECK_STR(got, "text");
	/* also when it is a link */
	make_link(at("elsewhere"), "state/outputs/b.txt");
	CHECK_INT(output_open(&f, at("state"), &e), 0);
	CHECK_INT(output_finish(&f, "b.txt", &e), -1);
	CHECK(!is_there("elsewhere"));
	CHECK_INT(output_open(&f, at("state"), &e), 0);
	output_drop(&f);
	CHECK_INT(output_open(&f, at("nowhere"), &e), -1);
	make_dir("state2", 0700);
	make_link(at("state/outputs"), "state2/outputs");
	CHECK_INT(output_open(&f, at("state2"), &e), -1);
}

/*
 * Where a file must have a name from the start, it is one that nobody looks for, and it is gone afterwards.
 */
static void test_named(void)
{
	struct output_file f;
	struct err e = {0};
	int fd;

	CHECK_INT(output_open(&f, at("state"), &e), 0);
	snprintf(f.temp, sizeof(f.temp), ".0123456789");
	fd = openat(f.dir, f.temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	CHECK(fd >= 0);
	fd_close(&fd);
	CHECK_INT(output_finish(&f, "c.txt", &e), 0);
	CHECK(is_there("state/outputs/c.txt") && !is_there("state/outputs/.0123456789"));
}

static void aged(const char *name, const char *text, int64_t days)
{
	struct timespec t[2] = {{.tv_sec = time(NULL) - days * 86400}, {.tv_sec = time(NULL) - days * 86400}};

	make_file(name, text, 0600);
	CHECK_INT(utimensat(AT_FDCWD, at(name), t, AT_SYMLINK_NOFOLLOW), 0);
}

static void test_prune(void)
{
	struct outputs_pruned done = {.files = 99};
	struct str state = str_of(at("state3"));
	struct err e = {0};

	CHECK_INT(outputs_prune(A, state, 0, 1, false, &done, &e), 0); /* there is nothing at all */
	CHECK_INT(done.files + done.left_files, 0);
	make_dir("state3", 0700);
	CHECK_INT(outputs_prune(A, state, 0, 1, false, &done, &e), 0);
	make_dir("state3/outputs", 0700);
	make_dir("state3/outputs/dir", 0700);
	make_file("precious", "precious", 0600);
	make_link(at("precious"), "state3/outputs/link");
	aged("state3/outputs/old", "0123456789", 91);
	aged("state3/outputs/new", "0123456789", 1);
	aged("state3/outputs/newer", "0123456789", 0);
	aged("state3/outputs/.left", "0123456789", 2);
	aged("state3/outputs/.underway", "0123456789", 0);
	aged("state3/outputs/.pruned", "\n", 200);
	CHECK_INT(outputs_prune(A, state, time(NULL) - 90 * 86400, 15, true, &done, &e), 0);
	CHECK_INT(done.files, 3);
	CHECK(is_there("state3/outputs/old") && is_there("state3/outputs/new"));
	CHECK_INT(outputs_prune(A, state, time(NULL) - 90 * 86400, 0, false, &done, &e), 0);
	CHECK_INT(done.files, 2);
	CHECK_INT(done.bytes, 20);
	CHECK_INT(done.left_files, 2);
	CHECK_INT(done.left_bytes, 20);
	CHECK(!is_there("state3/outputs/old") && !is_there("state3/outputs/.left") &&
			is_there("state3/outputs/new") && is_there("state3/outputs/.underway") &&
			is_there("state3/outputs/.pruned"));
	CHECK_INT(outputs_prune(A, state, time(NULL) - 90 * 86400, 20, false, &done, &e), 0);
	CHECK_INT(done.files, 0);
	CHECK_INT(outputs_prune(A, state, time(NULL) - 90 * 86400, 19, false, &done, &e), 0);
	CHECK_INT(done.files, 1);
	CHECK(!is_there("state3/outputs/new") && is_there("state3/outputs/newer")); /* the oldest first */
	CHECK(is_there("state3/outputs/dir") && is_there("state3/outputs/link") && is_there("precious"));
}

static void test_due(void)
{
	struct output_file f;
	struct err e = {0};
	int64_t now = time(NULL);

	make_dir("state4", 0700);
	CHECK_INT(output_open(&f, at("state4"), &e), 0);
	CHECK(outputs_due(&f, now));
	CHECK(!outputs_due(&f, now + 1));
	CHECK(!outputs_due(&f, now + 86000));
	aged("state4/outputs/.pruned", "\n", 2);
	CHECK(outputs_due(&f, now));
	CHECK(!outputs_due(&f, now + 1));
	output_drop(&f);
}

int main(void)
{
	place_begin();
	RUN(test_file);
	RUN(test_named);
	RUN(test_prune);
	RUN(test_due);
	place_end();
	return unit_end();
}
