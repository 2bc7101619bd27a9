/* Losses in diffs of test files: rows of diffs, and the counts that each must have. */
#include "result/test_diff.h"
#include "unit.h"

static struct arena arena;
#define A (&arena)

#define HEAD(name) "diff --git a/" name " b/" name "\nindex 1..2 100644\n--- a/" name "\n+++ b/" name "\n"

static const struct row {
	const char *name, *diff;
	size_t files;
	int64_t asserts, skips;
} rows[] = {
	{"nothing", "", 0, 0, 0},
	{"a test more", HEAD("t.py") "@@ -3,0 +4,2 @@\n+def test_b():\n+    assert f(2) == 4\n", 1, 1, 0},
	{"an assertion less", HEAD("t.py") "@@ -3 +3 @@\n-    assert f(2) == 4\n+    pass\n", 1, -1, 0},
	{"another value", HEAD("t.py") "@@ -3 +3 @@\n-    assert f(2) == 4\n+    assert f(2) == 5\n", 1, 0,
			0},
	{"a test moved", HEAD("t.py") "@@ -3,2 +2,0 @@\n-def test_b():\n-    assert f(2) == 4\n"
			HEAD("u.py") "@@ -0,0 +1,2 @@\n+def test_b():\n+    assert f(2) == 4\n", 2, 0, 0},
	{"a test skipped", HEAD("t.py") "@@ -2,0 +3 @@\n+@pytest.mark.skip\n", 1, 0, 1},
	{"a new test that is skipped",
			HEAD("t.py") "@@ -2,0 +3,3 @@\n+@pytest.mark.skipif(WINDOWS)\n+def test_c():\n+    "
			"assert 1\n", 1, 1, 0},
	{"a skip less", HEAD("t.py") "@@ -2 +1,0 @@\n-@pytest.mark.skip\n", 1, 0, 0},
	{"it becomes it.skip",
			HEAD("a.test.js") "@@ -1 +1 @@\n-it('a', () => {\n+it.skip('a', () => {\n", 1, 0, 1},
	{"a new it.skip", HEAD("a.test.js") "@@ -1,0 +2 @@\n+it.skip('b', () => {});\n", 1, 0, 0},
	{"a new test hides no other skip",
			HEAD("t.py") "@@ -2,0 +3 @@\n+@pytest.mark.skip\n@@ -9,0 +11,2 @@\n"
			"+def test_c():\n+    assert 1\n", 1, 1, 1},
	{"a file that is gone",
			"diff --git a/t.py b/t.py\ndeleted file mode 100644\n--- a/t.py\n+++ /dev/null\n"
			"@@ -1,2 +0,0 @@\n-def test_a():\n-    assert 1\n", 1, -1, 0},
	{"lines that look like names", HEAD("t.sql") "@@ -1 +1 @@\n--- x\n+++ y\n", 1, 0, 0},
};

/* A line behind a removed assertion, as a change of one line in the middle of a test. */
#define EDIT(line) HEAD("t.py") "@@ -3 +3 @@\n-    assert f(2) == 4\n+" line "\n"

static const struct hiding_row {
	const char *name, *diff;
	int64_t asserts, skips, hiding, plugins;
	bool witness;
} hiding_rows[] = {
	{"or True", EDIT("    assert f(2) == 4 or True"), 0, 0, 1, 0, false},
	{"a tuple", EDIT("    assert (f(2) == 4, 'text')"), -1, 0, 0, 0, false},
	{"no tuple", EDIT("    assert (f(2, 3) == 4)"), 0, 0, 0, 0, false},
	{"two tuples", EDIT("    assert (f(2), 1) == (4, 1)"), 0, 0, 0, 0, false},
	{"True", EDIT("    assert True"), -1, 0, 0, 0, false},
	{"True for something", EDIT("    assert True is f(2)"), 0, 0, 0, 0, false},
	{"a handler", EDIT("    try: assert f(2) == 4\n+    except AssertionError: pass"), 1, 0, 1, 0,
			false},
	{"a handler that does nothing", EDIT("    assert f(2) == 4\n+    except:\n+        pass"), 0, 0, 1,
			0, false},
	{"a handler that does something", EDIT("    assert f(2) == 4\n+    except:\n+        raise"), 0, 0,
			0, 0, false},
	{"an early return", EDIT("    return\n+    assert f(2) == 4"), 0, 1, 0, 0, false},
	{"a value is returned", EDIT("    assert f(2) == 4\n+    return 4"), 0, 0, 0, 0, false},
	{"a new test with a return",
			HEAD("a_test.go") "@@ -3,0 +4,3 @@\n+func TestB(t *testing.T) {\n"
			"+\treturn\n+}\n", 0, 0, 0, 0, false},
	{"an assertion replaced", HEAD("a.test.js") "@@ -1,0 +2 @@\n+assert.strictEqual = () => {};\n", 1,
			0, 1, 0, false},
	{"a plugin", HEAD("pytest.ini") "@@ -1,0 +2 @@\n+addopts = -p evil\n", 0, 0, 0, 1, false},
	{"the witness", HEAD("pytest.ini") "@@ -1,0 +2 @@\n+addopts = -p no:caisson_witness\n", 0, 0, 0, 1,
			true},
	{"a project of that name", HEAD("t.py") "@@ -1,0 +2 @@\n+open('/a/caisson/x')\n", 0, 0, 0, 0, false},
};

static void test_hiding(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(hiding_rows); i++) {
		const struct hiding_row *r = &hiding_rows[i];
		struct test_diff d;

		test_diff_read(A, str_of(r->diff), &d);
		CHECK_ROW(d.asserts == r->asserts && d.skips == r->skips, r->name);
		CHECK_ROW(d.hiding == r->hiding && d.plugins == r->plugins, r->name);
		CHECK_ROW(d.witness == r->witness, r->name);
	}
}

static void test_rows(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct test_diff d;

		test_diff_read(A, str_of(rows[i].diff), &d);
		CHECK_ROW(d.nfiles == rows[i].files, rows[i].name);
		CHECK_ROW(d.asserts == rows[i].asserts && d.skips == rows[i].skips, rows[i].name);
	}
}

static void test_many(void)
{
	struct test_diff d;
	struct buf b;

	buf_init(&b, A, 0);
	for (int i = 0; i < 3 * TEST_DIFF_FILES_MAX; i++)
		buf_fmt(&b, "diff --git a/%d b/%d\n--- a/%d\n+++ b/%d\n@@ -1 +1 @@\n-x\n+y\n", i, i, i, i);
	test_diff_read(A, buf_view(&b), &d);
	CHECK(d.nfiles == 3 * TEST_DIFF_FILES_MAX && str_is(d.files[TEST_DIFF_FILES_MAX - 1], "63"));
}

int main(void)
{
	arena_init(A, ARENA_CAP_DEFAULT);
	RUN(test_rows);
	RUN(test_hiding);
	RUN(test_many);
	arena_free(A);
	return unit_end();
}
