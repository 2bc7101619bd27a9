/*
 * src/box/vm_changes.c with lists that no honest machine sends: nothing outside of the workspace and nothing
 * that the plan protects changes.
 */
#define _GNU_SOURCE
#include <sys/mman.h>

#include "box/vm.h"
#include "place.h"

static struct op *plan(void)
{
	struct ops ops = {0};

	ops.end = &ops.first;
	ops_add(A, &ops, OP_BIND, OP_WRITABLE, str_of(at("ws")), str_of(at("ws")));
	ops_add(A, &ops, OP_INSIDE, OP_WRITABLE, str_of(at("ws/.git")), str_of(at("ws/.git")));
	ops_add(A, &ops, OP_INSIDE, 0, str_of(at("ws/.git/hooks")), str_of(at("ws/.git/hooks")));
	ops_add(A, &ops, OP_BIND, OP_WRITABLE, str_of(at("other")), str_of(at("ws/other")));
	return ops.first;
}

/* One change as the list has it. */
static void put_change(int file, enum vm_what what, const char *path, const char *bytes)
{
	struct vm_change h = {.what = what, .mode = 06755, .path = strlen(path), .size = strlen(bytes)};

	CHECK_INT(fd_write_all(file, "list", str_n((const char *)&h, sizeof(h)), NULL), 0);
	CHECK_INT(fd_write_all(file, "list", str_of(path), NULL), 0);
	CHECK_INT(fd_write_all(file, "list", str_of(bytes), NULL), 0);
}

static int apply(int file)
{
	struct spec s = {.workspace = str_of(at("ws")), .workspace_writable = true};

	return vm_changes_apply(file, plan(), &s, NULL);
}

static int apply_one(enum vm_what what, const char *path, const char *bytes)
{
	FD_CLEANUP int file = memfd_create("list", MFD_CLOEXEC);

	put_change(file, what, path, bytes);
	return apply(file);
}

static void make_workspace(void)
{
	static const char *const dirs[] = {
			"ws", "ws/.git", "ws/.git/hooks", "ws/other", "ws/dir", "other", "out"};

	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++)
		make_dir(dirs[i], 0755);
	make_file("ws/.git/hooks/old", "x", 0644);
	make_file("ws/dir/file", "x", 0644);
	make_file("out/file", "x", 0644);
	make_link("../out", "ws/away");
}

static void test_honest(void)
{
	struct stat st;

	CHECK_INT(apply_one(VM_FILE, "new", "text"), 0);
	CHECK(stat(at("ws/new"), &st) == 0 && st.st_size == 4);
	CHECK_INT(st.st_mode & 07777, 0755); /* never set-user-ID */
	CHECK_INT(apply_one(VM_FILE, ".git/HEAD", "ref"), 0);
	CHECK(is_there("ws/.git/HEAD"));
	CHECK_INT(apply_one(VM_DIR_ANEW, "dir", ""), 0);
	CHECK(is_there("ws/dir") && !is_there("ws/dir/file"));
	CHECK_INT(apply_one(VM_GONE, "dir", ""), 0);
	CHECK(!is_there("ws/dir"));
}

static void test_paths_out(void)
{
	static const char *const paths[] = {
			"../out/new", "..", ".", "/new", "dir/../../out/new", "a//b", "new/", "away/new"};

	for (size_t i = 0; i < ARRAY_SIZE(paths); i++)
		CHECK_INT(apply_one(VM_FILE, paths[i], "x"), -1);
	CHECK(!is_there("out/new"));
	CHECK_INT(apply_one(VM_GONE, "../out/file", ""), -1);
	CHECK_INT(apply_one(VM_GONE, "away/file", ""), 0);
	CHECK_INT(apply_one(VM_DIR, "away", ""), 0); /* takes the place of the link */
	CHECK_INT(apply_one(VM_GONE, "away", ""), 0);
	CHECK(is_there("out/file"));
}

static void test_protected(void)
{
	static const enum vm_what all[] = {VM_DIR_ANEW, VM_FILE, VM_LINK, VM_GONE};
	static const char *const paths[] = {
			".git", ".git/hooks", ".git/hooks/old", ".git/hooks/new", "other", "other/new"};

	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		for (size_t k = 0; k < ARRAY_SIZE(paths); k++) {
			const char *bytes = all[i] == VM_FILE || all[i] == VM_LINK ? "x" : "";

			CHECK_INT(apply_one(all[i], paths[k], bytes), 0);
			CHECK(is_there("ws/.git/hooks/old") && !is_there("ws/.git/hooks/new"));
			CHECK(is_there("ws/other") && !is_there("ws/other/new") && !is_there("other/new"));
		}
}

/* Changes after one that is left out are still applied; a list that is cut off is an error. */
static void test_lists(void)
{
	FD_CLEANUP int file = memfd_create("list", MFD_CLOEXEC);
	FD_CLEANUP int cut = memfd_create("list", MFD_CLOEXEC);

	put_change(file, VM_FILE, ".git/hooks/new", "bytes");
	put_change(file, VM_FILE, "after", "bytes");
	CHECK_INT(apply(file), 0);
	CHECK(is_there("ws/after") && !is_there("ws/.git/hooks/new"));
	put_change(cut, VM_FILE, "cut", "bytes");
	CHECK_INT(ftruncate(cut, lseek(cut, 0, SEEK_END) - 1), 0);
	CHECK_INT(apply(cut), -1);
	CHECK(!is_there("ws/cut"));
	CHECK_INT(apply_one(99, "kind", ""), -1);
}

int main(void)
{
	place_begin();
	make_workspace();
	RUN(test_honest);
	RUN(test_paths_out);
	RUN(test_protected);
	RUN(test_lists);
	place_end();
	return unit_end();
}
