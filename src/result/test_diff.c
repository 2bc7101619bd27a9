/* See test_diff.h. */
#include "result/test_diff.h"

#include "result/lines.h"

/* Parts of lines, in the languages of usual test files. */
static const char asserts[][20] = {"assert", "Assert", "ASSERT_", "EXPECT_", "CHECK(", "REQUIRE(",
		"expect(", "expect {", ".should", "should_", "must_", "t.Error", "t.Fatal", "t.Fail",
		"b.Fatal", "require.", ".raises(", "raises(", "self.fail", "is_deeply", "is(", "ok(",
		"isnt(", "like(", "[ ", "[[ "};
static const char skips[][20] = {"skip", "Skip", "SKIP", "xfail", "xit(", "xtest(", "xdescribe(",
		".todo(", ".failing(", "#[ignore", "@Disabled", "@Ignore", "DISABLED_", "pending",
		"deselect", "--ignore", "collect_ignore", "IgnorePatterns", "go:build ignore",
		"unittest.expectedF"};
static const char tests[][20] = {"def test", "it(", "it.skip(", "test(", "test.skip(", "xit(", "xtest(",
		"it.todo(", "test.todo(", "it.failing(", "func Test", "#[test]", "@Test",
		"function test", "TEST(", "TEST_F(", "TEST_P(", "TEST_CASE(", "subtest ", "@test ",
		"it '", "it \"", "specify "};

struct hunk {
	int64_t skips, tests; /* added less removed */
};

static int64_t has_any(struct str line, const char (*words)[20], size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (str_contains(line, str_of(words[i])))
			return 1;
	return 0;
}

/* A hunk that skips more than the tests it adds skips tests that were there. */
static void end_hunk(struct hunk *h, struct test_diff *d)
{
	int64_t added = h->tests > 0 ? h->tests : 0;

	if (h->skips > added)
		d->skips += h->skips - added;
	*h = (struct hunk){0};
}

/* Both names of a file are the same, unless it is new or gone. */
static void name_file(struct arena *a, struct str path, struct test_diff *d)
{
	if (str_is(path, "/dev/null") || !d->nfiles || d->nfiles > TEST_DIFF_FILES_MAX)
		return;
	if (str_starts(path, "a/") || str_starts(path, "b/"))
		path = str_sub(path, 2, path.n);
	d->files[d->nfiles - 1] = str_dup(a, path);
}

static void read_change(struct str line, struct hunk *h, struct test_diff *d)
{
	int64_t sign = line.p[0] == '+' ? 1 : -1;
	struct str text = str_sub(line, 1, line.n);

	d->asserts += sign * has_any(text, asserts, ARRAY_SIZE(asserts));
	h->skips += sign * has_any(text, skips, ARRAY_SIZE(skips));
	h->tests += sign * has_any(text, tests, ARRAY_SIZE(tests));
}

/* The header of a file ends with its first hunk, so a removed line "-- x" is no file name. */
void test_diff_read(struct arena *a, struct str diff, struct test_diff *ret)
{
	struct lines l = lines_of(diff);
	struct test_diff d = {0};
	struct hunk h = {0};
	bool header = false;
	struct str line;

	while (lines_next(&l, &line)) {
		if (str_starts(line, "diff --git ")) {
			end_hunk(&h, &d);
			d.nfiles++;
			header = true;
		} else if (str_starts(line, "@@ ")) {
			end_hunk(&h, &d);
			header = false;
		} else if (header && (str_starts(line, "--- ") || str_starts(line, "+++ "))) {
			name_file(a, lines_trim(str_sub(line, 4, line.n)), &d);
		} else if (!header && line.n && (line.p[0] == '+' || line.p[0] == '-')) {
			read_change(line, &h, &d);
		}
	}
	end_hunk(&h, &d);
	*ret = d;
}
