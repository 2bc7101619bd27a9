/*
 * src/image: bounds of a tree, archives cut and changed at every byte, names that lead nowhere else. Real
 * archives and boxes are in tests/run/image.sh.
 */
#define _GNU_SOURCE
#include <sys/mman.h>

#include "image/image_import.h"
#include "image/image_store.h"
#include "image/image_tar.h"
#include "place.h"
#include "sys/tree_walk.h"

#define BLOCK 512

struct archive {
	char bytes[16 * BLOCK];
	size_t n;
};

static void put_octal(char *to, size_t room, unsigned long value)
{
	str_put(to, room, "%0*lo", (int)room - 1, value);
}

static void put_entry(struct archive *t, const char *name, char type, const char *more)
{
	char *h = t->bytes + t->n;
	size_t size = type == '0' ? strlen(more) : 0;
	unsigned long sum = 0;

	memset(h, 0, BLOCK);
	str_put(h, 100, "%s", name);
	put_octal(h + 100, 8, 0755);
	put_octal(h + 124, 12, size);
	h[156] = type;
	if (type == '1' || type == '2')
		str_put(h + 157, 100, "%s", more);
	memcpy(h + 257, "ustar\00000", 8);
	memset(h + 148, ' ', 8);
	for (size_t i = 0; i < BLOCK; i++)
		sum += (unsigned char)h[i];
	put_octal(h + 148, 7, sum);
	t->n += BLOCK;
	memset(t->bytes + t->n, 0, BLOCK);
	memcpy(t->bytes + t->n, more, size);
	t->n += size ? BLOCK : 0;
}

static struct archive sample(void)
{
	struct archive t = {0};

	put_entry(&t, "./", '5', "");
	put_entry(&t, "bin/sh", '0', "program");
	put_entry(&t, "bin/hard", '1', "./bin/sh");
	put_entry(&t, "lib", '2', "/bin");
	put_entry(&t, "etc/", '5', "");
	memset(t.bytes + t.n, 0, (size_t)2 * BLOCK);
	t.n += (size_t)2 * BLOCK;
	return t;
}

/* Imports into a new directory with these bounds (0: the usual). Returns 0, or -1 and the reason. */
static int import_bounded(struct str bytes, uint64_t entries, uint64_t size, struct image_seal *ret,
		struct err *e)
{
	struct image_tree t;
	struct arena own;
	FD_CLEANUP int place = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	FD_CLEANUP int file = memfd_create("archive", MFD_CLOEXEC);
	int rc;

	CHECK_INT(tree_remove(place, "tree"), 0);
	CHECK_INT(mkdirat(place, "tree", 0700), 0);
	FD_CLEANUP int root = openat(place, "tree", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	CHECK_INT(fd_write_all(file, "archive", bytes, NULL), 0);
	CHECK_INT(lseek(file, 0, SEEK_SET), 0);
	image_tree_init(&t, root);
	t.entries_max = entries ? entries : t.entries_max;
	t.bytes_max = size ? size : t.bytes_max;
	arena_init_in(&own, ARENA_CAP_DEFAULT, A);
	rc = image_add_tar(&own, &t, file, e);
	image_tree_close(&t);
	rc = rc == 0 ? image_tree_seal(&own, &t, ret, e) : -1;
	arena_free(&own);
	return rc;
}

static int import(struct str bytes, struct image_seal *ret, struct err *e)
{
	return import_bounded(bytes, 0, 0, ret, e);
}

static void test_sample(void)
{
	struct archive t = sample();
	struct image_seal seal = {0};
	struct err e = {0};

	CHECK_INT(import(str_n(t.bytes, t.n), &seal, &e), 0);
	CHECK_INT(seal.entries, 5);
	CHECK_INT(seal.bytes, 14);
	/* as docs/images.md says: made with sha256sum from the listing */
	CHECK_STR(str_of(seal.digest), "ae6aa59334fc0c95593a01e8d7ccbb6f48d3e04fa59507d67c7789be3ceba70a");
}

static void test_bounds(void)
{
	struct archive t = sample();
	struct str all = str_n(t.bytes, t.n);
	struct image_seal seal;
	struct err e = {0};

	CHECK_INT(import_bounded(all, 5, 7, &seal, NULL), 0);
	CHECK_INT(import_bounded(all, 4, 7, &seal, &e), -1);
	CHECK_INT(e.kind, ERR_LIMIT);
	CHECK_INT(import_bounded(all, 5, 6, &seal, &e), -1);
	CHECK_INT(e.kind, ERR_LIMIT);
}

/* Only the zeros that fill up the record may be missing. */
static void test_cut(void)
{
	struct archive t = sample();
	struct image_seal seal;

	for (size_t n = 0; n < t.n; n += n % BLOCK < 4 ? 1 : 63)
		if ((import(str_n(t.bytes, n), &seal, NULL) == 0) != (n >= t.n - BLOCK))
			unit_fail(__FILE__, __LINE__, "cut after %zu bytes", n);
}

/* Whatever the header says, a change of it is noticed by its sum; nothing is written outside. */
static void test_changed(void)
{
	struct archive t = sample();
	struct image_seal seal;
	struct stat st;

	for (size_t i = 0; i < BLOCK; i += 3) {
		struct archive changed = t;

		changed.bytes[i] ^= 0x20;
		if (import(str_n(changed.bytes, changed.n), &seal, NULL) == 0 && !(i >= 148 && i < 156))
			unit_fail(__FILE__, __LINE__, "byte %zu changed", i);
	}
	CHECK_INT(stat(at("tree"), &st), 0);
	CHECK_INT(stat(at("planted"), &st), -1);
}

static void test_names(void)
{
	static const struct {
		const char *name;
		bool good;
	} rows[] = {{"a", true}, {"A1._-", true}, {"", false}, {".a", false}, {"-a", false}, {"a/b", false},
			{"a b", false}, {"none", false}, {"none1", true}, {"sha256", false},
			{"sha256:00", false}, {"é", false}, {"a:b", false}};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if ((image_check_name(str_of(rows[i].name), NULL) == 0) != rows[i].good)
			unit_fail(__FILE__, __LINE__, "'%s'", rows[i].name);
	CHECK_INT(image_check_name(str_n("a\0b", 3), NULL), -1);
}

/* A listing that begins with the same bytes is not the same image: fields end with NUL. */
static void test_digests(void)
{
	struct archive one = {0}, two = {0};
	struct image_seal first, second;

	put_entry(&one, "a", '0', "bc");
	put_entry(&two, "ab", '0', "c");
	one.n += (size_t)2 * BLOCK;
	two.n += (size_t)2 * BLOCK;
	CHECK_INT(import(str_n(one.bytes, one.n), &first, NULL), 0);
	CHECK_INT(import(str_n(two.bytes, two.n), &second, NULL), 0);
	CHECK(strcmp(first.digest, second.digest) != 0);
}

static void test_store(void)
{
	struct image_store s = {.state = str_of(at("state")), .uid = geteuid()};
	struct image_stage g = {0};
	struct image image, *all;
	struct err e = {0};
	bool moved, gone;
	int fds;

	make_dir("state", 0700);
	fds = count_fds();
	CHECK_INT(image_list(A, &s, &all, &e), 0);
	CHECK(!all);
	CHECK_INT(image_stage_begin(A, &s, &g, &e), 0);
	CHECK_INT(image_tree_dir(&g.tree, STR("etc"), &e), 0);
	CHECK_INT(image_stage_commit(&g, STR("x"), STR("test"), &image, &moved, &e), 0);
	image_stage_end(&g);
	CHECK_INT(image_find(A, &s, STR("x"), &image, &e), 0);
	FD_CLEANUP int lock = image_hold(A, &s, image.digest, &e);
	CHECK(lock >= 0);
	CHECK_INT(image_remove(A, &s, STR("x"), &gone, &e), -1);
	fd_close(&lock);
	CHECK_INT(image_remove(A, &s, STR("x"), &gone, &e), 0);
	CHECK(gone);
	CHECK_INT(image_hold(A, &s, image.digest, &e), -1);
	CHECK_INT(image_stage_begin(A, &s, &g, &e), 0); /* abandoned */
	image_stage_end(&g);
	CHECK_INT(count_fds(), fds);
	CHECK_INT(image_list(A, &s, &all, &e), 0);
	CHECK(!all);
}

int main(void)
{
	place_begin();
	RUN(test_sample);
	RUN(test_bounds);
	RUN(test_cut);
	RUN(test_changed);
	RUN(test_names);
	RUN(test_digests);
	RUN(test_store);
	CHECK_INT(tree_remove(AT_FDCWD, at("tree")), 0); /* its directories are read-only */
	place_end();
	return unit_end();
}
