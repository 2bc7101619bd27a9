/* See test_diff.h. */
#include "result/test_diff.h"

#include "result/lines.h"

/* Parts of lines, in the languages of usual test files. */
static const char asserts[][28] = {"assert", "Assert", "ASSERT_", "EXPECT_", "CHECK(", "REQUIRE(",
		"expect(", "expect {", ".should", "should_", "must_", "t.Error", "t.Fatal", "t.Fail",
		"b.Fatal", "require.", ".raises(", "raises(", "self.fail", "is_deeply", "is(", "ok(",
		"isnt(", "like(", "[ ", "[[ "};
static const char skips[][28] = {"skip", "Skip", "SKIP", "xfail", "xit(", "xtest(", "xdescribe(",
		".todo(", ".failing(", "#[ignore", "@Disabled", "@Ignore", "DISABLED_", "pending",
		"deselect", "--ignore", "collect_ignore", "IgnorePatterns", "go:build ignore",
		"unittest.expectedF", "should_panic", "{ return; ", "recover()", "except Exception"};
static const char tests[][28] = {"def test", "it(", "it.skip(", "test(", "test.skip(", "xit(", "xtest(",
		"it.todo(", "test.todo(", "it.failing(", "func Test", "#[test]", "@Test",
		"function test", "TEST(", "TEST_F(", "TEST_P(", "TEST_CASE(", "subtest ", "@test ",
		"it '", "it \"", "specify "};

/* They catch the failure of an assertion, or put something else in the place of one. */
static const char hiding[][28] = {"except AssertionError", "suppress(AssertionError", "suppress(Exception",
		"raises(AssertionError", "Raises(AssertionError", " or True", " || true);", "catch {}",
		"catch { }", "catch (e) {}", "catch (_) {}", "catch (err) {}", "{ recover() }",
		"_ = recover()", ".strictEqual =", ".deepEqual =", ".deepStrictEqual =", ".toBe =",
		".toEqual =", "expect.extend({toBe", "expect.extend({ toBe", "mock.method(assert",
		"except: pass", "except Exception: pass",
		"except BaseException: pass"};
/* Lines that assert nothing, whole. */
static const char trivial[][28] = {"assert True", "assert(true);", "assert.ok(true);",
		"expect(true).toBe(true);", "self.assertTrue(True)"};
static const char plugins[][28] = {"addopts", "pytest_plugins", "-p "};
static const char witness[][28] = {"caisson_witness", "CAISSON_WITNESS", "CAISSON_CANARY",
		"/caisson/reports", "/caisson/witness"};

struct hunk {
	int64_t skips, tests; /* added less removed */
	bool except;          /* the line before begins a handler for every exception */
};

static int64_t has_any(struct str line, const char (*words)[28], size_t n)
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

static bool is_any(struct str line, const char (*words)[28], size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (str_is(line, words[i]))
			return true;
	return false;
}

/* assert (a == b, "text"): a tuple, which is always true. */
static bool asserts_tuple(struct str line)
{
	int64_t depth = 0;
	bool comma = false;

	if (!str_starts(line, "assert (") || !str_ends(line, ")"))
		return false;
	for (size_t i = 7; i < line.n; i++) {
		depth += strchr("([{", line.p[i]) ? 1 : strchr(")]}", line.p[i]) ? -1 : 0;
		comma |= depth == 1 && line.p[i] == ',';
		if (!depth)
			return comma && i + 1 == line.n;
	}
	return false;
}

static bool is_assertion(struct str line)
{
	return has_any(line, asserts, ARRAY_SIZE(asserts)) && !is_any(line, trivial, ARRAY_SIZE(trivial)) &&
			!asserts_tuple(line);
}

/* A handler for every exception that does nothing, in two lines. */
static bool swallows(struct hunk *h, struct str line)
{
	static const char starts[][28] = {"except:", "except Exception:", "except BaseException:"};
	bool was = h->except;

	h->except = is_any(line, starts, ARRAY_SIZE(starts));
	return was && str_is(line, "pass");
}

bool test_diff_names_witness(struct str text) { return has_any(text, witness, ARRAY_SIZE(witness)); }

static void read_change(struct str line, struct hunk *h, struct test_diff *d)
{
	int64_t sign = line.p[0] == '+' ? 1 : -1;
	struct str text = lines_trim(str_sub(line, 1, line.n));

	d->asserts += sign * is_assertion(text);
	d->hiding += sign * (has_any(text, hiding, ARRAY_SIZE(hiding)) || swallows(h, text));
	d->plugins += sign * has_any(text, plugins, ARRAY_SIZE(plugins));
	d->witness |= sign > 0 && test_diff_names_witness(text);
	h->skips += sign * (has_any(text, skips, ARRAY_SIZE(skips)) || str_is(text, "return") ||
			str_is(text, "return;"));
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
