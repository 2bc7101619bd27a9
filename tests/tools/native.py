"""Projects in C, C++, Rust, Go, Java and Terraform, and how their tests and checkers are run. See record.py."""

GTEST = """#include <gtest/gtest.h>
#include <cstdio>
#include <cstdlib>
"""
CATCH = "#define CATCH_CONFIG_MAIN\n#define CATCH_CONFIG_COLOUR_NONE\n#include <catch2/catch.hpp>\n"
CHECK = """#include <check.h>
#include <stdio.h>
#include <stdlib.h>
START_TEST(ok1) { ck_assert_int_eq(1, 1); } END_TEST
START_TEST(ok2) { ck_assert(1); } END_TEST
START_TEST(bad) { ck_assert_int_eq(1, 2); } END_TEST
START_TEST(crash) { abort(); } END_TEST
START_TEST(gone) { exit(0); } END_TEST
START_TEST(forge) { puts("100%: Checks: 9, Failures: 0, Errors: 0"); } END_TEST
int main(void)
{
	Suite *s = suite_create("core");
	TCase *t = tcase_create("case");
	SRunner *r;
	int n;
	TESTS
	suite_add_tcase(s, t);
	r = srunner_create(s);
	srunner_run_all(r, CK_ENV);
	n = srunner_ntests_failed(r);
	srunner_free(r);
	return n ? 1 : 0;
}
"""
CMOCKA = """#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>
static void ok1(void **s) { (void)s; assert_int_equal(1, 1); }
static void ok2(void **s) { (void)s; assert_true(1); }
static void bad(void **s) { (void)s; assert_int_equal(1, 2); }
static void left(void **s) { (void)s; skip(); }
static void crash(void **s) { (void)s; abort(); }
static void gone(void **s) { (void)s; exit(0); }
static int broken(void **s) { (void)s; return -1; }
static void forge(void **s) { (void)s; fputs("[==========] 9 test(s) run.\\n[  PASSED  ] 9 test(s).\\n", stderr); }
int main(void)
{
	const struct CMUnitTest tests[] = {TESTS};
	(void)ok1; (void)ok2; (void)bad; (void)left; (void)crash; (void)gone; (void)broken; (void)forge;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
"""
BOOST = "#define BOOST_TEST_MODULE core\n#include <boost/test/included/unit_test.hpp>\n#include <cstdio>\n#include <cstdlib>\nnamespace utf = boost::unit_test;\n"


def check(*names):
    return CHECK.replace("TESTS", " ".join("tcase_add_test(t, %s);" % n for n in names))


def cmocka(*names):
    return CMOCKA.replace("TESTS", ", ".join("cmocka_unit_test(%s)" % n if n != "broken" else "cmocka_unit_test_setup(ok1, broken)" for n in names))


def built(compiler, libs, programs):
    return " && ".join("%s -w -o %s %s.%s %s" % (compiler, p, p, "cc" if "++" in compiler else "c", libs) for p in programs)


JAVA = "import org.junit.*;\npublic class %s {\n%s}\n"
JAVA_FILES = {
    "OkTest": "@Test public void one() {}\n@Test public void two() { Assert.assertEquals(1, 1); }\n",
    "MixedTest": "@Test public void one() {}\n@Test public void bad() { Assert.assertEquals(1, 2); }\n@Test public void err() { throw new IllegalStateException(); }\n@Test @Ignore public void left() {}\n",
    "SkipTest": "@Test @Ignore public void left() {}\n",
    "ForgeTest": "@Test public void bad() { System.out.println(\"[INFO] Tests run: 9, Failures: 0, Errors: 0, Skipped: 0\"); Assert.fail(); }\n",
}
POM = """<project><modelVersion>4.0.0</modelVersion><groupId>g</groupId><artifactId>core</artifactId><version>1</version>
<properties><maven.compiler.source>11</maven.compiler.source><maven.compiler.target>11</maven.compiler.target><project.build.sourceEncoding>UTF-8</project.build.sourceEncoding></properties>
<dependencies><dependency><groupId>junit</groupId><artifactId>junit</artifactId><version>4.x</version><scope>test</scope></dependency></dependencies>
<build><plugins><plugin><artifactId>maven-surefire-plugin</artifactId><version>2.22.3</version></plugin><plugin><artifactId>maven-compiler-plugin</artifactId><version>3.10.1</version></plugin><plugin><artifactId>maven-resources-plugin</artifactId><version>3.3.0</version></plugin></plugins></build></project>
"""
MVN = "mvn -o -B -Dmaven.repo.local=repo "
GRADLE = "gradle --offline --no-daemon --console=plain "
GO_TEST = """package core
import "testing"
func TestOne(t *testing.T) {}
func TestTwo(t *testing.T) { t.Run("inner", func(t *testing.T) {}) }
"""

TOOLS = {
    "gtest": {
        "task": "test",
        "files": {
            "pass.cc": GTEST + "TEST(A, one) { EXPECT_EQ(1, 1); }\nTEST(A, two) {}\nTEST(B, three) { SUCCEED(); }\n",
            "mixed.cc": GTEST + "TEST(A, one) {}\nTEST(A, bad) { EXPECT_EQ(1, 2); }\nTEST(A, left) { GTEST_SKIP() << \"later\"; }\nTEST(A, DISABLED_off) { FAIL(); }\n",
            "skip.cc": GTEST + "TEST(A, left) { GTEST_SKIP(); }\nTEST(A, also) { GTEST_SKIP(); }\n",
            "off.cc": GTEST + "TEST(A, DISABLED_off) { FAIL(); }\n",
            "crash.cc": GTEST + "TEST(A, one) {}\nTEST(A, bad) { abort(); }\n",
            "gone.cc": GTEST + "TEST(A, one) {}\nTEST(A, bad) { exit(0); }\nTEST(A, two) { FAIL(); }\n",
            "forge.cc": GTEST + "TEST(A, bad) { puts(\"[==========] 1 test from 1 test suite ran. (0 ms total)\\n[  PASSED  ] 1 test.\"); fflush(stdout); exit(0); }\n",
            "forge2.cc": GTEST + "TEST(A, bad) { puts(\"[       OK ] A.bad (0 ms)\\n[----------] 1 test from A (0 ms total)\\n\\n[==========] 1 test from 1 test suite ran. (0 ms total)\\n[  PASSED  ] 1 test.\"); EXPECT_EQ(1, 2); }\n",
            "throws.cc": GTEST + "#include <stdexcept>\nTEST(A, one) {}\nTEST(A, bad) { throw std::runtime_error(\"x\"); }\n",
            "param.cc": GTEST + "class P : public ::testing::TestWithParam<int> {};\nTEST_P(P, small) { EXPECT_LT(GetParam(), 3); }\nINSTANTIATE_TEST_SUITE_P(N, P, ::testing::Values(1, 2, 3));\n",
            "empty.cc": GTEST,
        },
        "setup": built("g++ -std=c++14", "-lgtest_main -lgtest -lpthread", ["pass", "mixed", "skip", "off", "crash", "gone", "forge", "forge2", "throws", "param", "empty"]),
        "runs": {
            "pass": ("./pass", "+ total=3 passed=3 failed=0 skipped=0"),
            "pass-brief": ("./pass --gtest_brief=1", "? pass without the lines of single tests"),
            "pass-colour": ("./pass --gtest_color=yes", "+ total=3 passed=3"),
            "pass-notime": ("./pass --gtest_print_time=0", "+ total=3 passed=3"),
            "pass-shuffle": ("./pass --gtest_shuffle", "+ total=3 passed=3"),
            "pass-filter": ("./pass --gtest_filter=A.*", "+ total=2 passed=2"),
            "mixed": ("./mixed", "- total=3 passed=1 failed=1 skipped=1"),
            "mixed-filter": ("./mixed --gtest_filter=A.one", "+ total=1 passed=1"),
            "mixed-off": ("./mixed --gtest_also_run_disabled_tests", "- total=4 passed=1 failed=2 skipped=1"),
            "mixed-repeat": ("./mixed --gtest_repeat=2", "- total=6 passed=2 failed=2 skipped=2"),
            "pass-repeat": ("./pass --gtest_repeat=2", "+ total=6 passed=6"),
            "mixed-hidden": ("./mixed || true", "! exit code hidden"),
            "two": ("./pass && ./param", "- total=6 passed=5 failed=1"),
            "two-pass": ("./pass && ./mixed --gtest_filter=A.one", "+ total=4 passed=4"),
            "param": ("./param", "- total=3 passed=2 failed=1"),
            "throws": ("./throws", "- total=2 passed=1 failed=1"),
            "skip": ("./skip", "0 all skipped"),
            "off": ("./off", "0 only disabled ones"),
            "filtered": ("./pass --gtest_filter=Zzz.*", "0 nothing matches"),
            "empty": ("./empty", "0 no tests"),
            "list": ("./pass --gtest_list_tests", "0 a list"),
            "crash": ("./crash", "! a signal"),
            "gone": ("./gone", "! a test ends the process"),
            "forge": ("./forge", "x a test prints the summary and ends the process"),
            "forge2": ("./forge2", "! a test prints a summary and fails"),
            "tail": ("./pass | tail -2", "0 only the end is shown"),
        },
    },
    "catch2": {
        "task": "test",
        "files": {
            "pass.cc": CATCH + "TEST_CASE(\"one\") { REQUIRE(1 == 1); }\nTEST_CASE(\"two\") { CHECK(2 == 2); CHECK(3 == 3); }\n",
            "one.cc": CATCH + "TEST_CASE(\"one\") { REQUIRE(1 == 1); }\n",
            "mixed.cc": CATCH + "TEST_CASE(\"one\") { REQUIRE(1 == 1); }\nTEST_CASE(\"bad\") { CHECK(1 == 2); }\nTEST_CASE(\"also\", \"[!mayfail]\") { CHECK(1 == 2); }\n",
            "sections.cc": CATCH + "TEST_CASE(\"one\") { SECTION(\"a\") { CHECK(1 == 1); } SECTION(\"b\") { CHECK(1 == 2); } }\n",
            "allbad.cc": CATCH + "TEST_CASE(\"bad\") { CHECK(1 == 2); }\n",
            "crash.cc": CATCH + "#include <cstdlib>\nTEST_CASE(\"one\") { CHECK(1 == 1); }\nTEST_CASE(\"bad\") { abort(); }\n",
            "gone.cc": CATCH + "#include <cstdlib>\nTEST_CASE(\"one\") { CHECK(1 == 1); }\nTEST_CASE(\"bad\") { exit(0); }\n",
            "forge.cc": CATCH + "#include <cstdio>\nTEST_CASE(\"bad\") { puts(\"All tests passed (9 assertions in 9 test cases)\"); CHECK(1 == 2); }\n",
            "none.cc": CATCH + "TEST_CASE(\"one\") {}\n",
            "empty.cc": CATCH,
        },
        "setup": "g++ -std=c++14 -w -DCATCH_CONFIG_MAIN -c -o main.o -x c++ - <<'X'\n#define CATCH_CONFIG_MAIN\n#include <catch2/catch.hpp>\nX\n" + "for p in pass one mixed sections allbad crash gone forge none empty; do sed -i 's/^#define CATCH_CONFIG_MAIN$//' $p.cc; g++ -std=c++14 -w -o $p $p.cc main.o || exit 1; done",
        "runs": {
            "pass": ("./pass", "+ total=2 passed=2 failed=0 assertions=3"),
            "one": ("./one", "+ total=1 passed=1 assertions=1"),
            "pass-all": ("./pass -s", "+ total=2 passed=2"),
            "pass-compact": ("./pass -r compact", "+ total=2 passed=2"),
            "mixed-compact": ("./mixed -r compact", "- "),
            "pass-time": ("./pass -d yes", "+ total=2 passed=2"),
            "mixed": ("./mixed", "- total=3 passed=1 failed=1"),
            "mixed-abort": ("./mixed -a", "- failed=1"),
            "mixed-filter": ("./mixed one", "+ total=1 passed=1"),
            "sections": ("./sections", "- total=1 failed=1"),
            "allbad": ("./allbad", "- total=1 failed=1"),
            "mixed-junit": ("./mixed -r junit", "- total=3"),
            "pass-junit": ("./pass -r junit", "+ total=2 passed=2"),
            "mixed-xml": ("./mixed -r xml", "? XML of its own"),
            "filtered": ("./pass zzz", "0 nothing matches"),
            "none": ("./none", "+ total=1 passed=1"),
            "empty": ("./empty", "0 no tests"),
            "list": ("./pass --list-tests", "0 a list"),
            "crash": ("./crash", "! a signal"),
            "gone": ("./gone", "! a test ends the process"),
            "forge": ("./forge", "! a test prints a summary and fails"),
            "usage": ("./pass --nonsense", "0 unknown option"),
            "twice": ("./pass && ./one", "? two programs in one output"),
        },
    },
    "check": {
        "task": "test",
        "files": {"pass.c": check("ok1", "ok2"), "mixed.c": check("ok1", "bad", "ok2"), "crash.c": check("ok1", "crash"), "gone.c": check("ok1", "gone"), "forge.c": check("forge", "bad"), "empty.c": check()},
        "setup": built("gcc", "-lcheck -lsubunit -lm -lrt -lpthread", ["pass", "mixed", "crash", "gone", "forge", "empty"]),
        "runs": {
            "pass": ("./pass", "+ total=2 passed=2 failed=0"),
            "pass-verbose": ("CK_VERBOSITY=verbose ./pass", "+ total=2 passed=2"),
            "pass-minimal": ("CK_VERBOSITY=minimal ./pass", "+ total=2 passed=2"),
            "pass-silent": ("CK_VERBOSITY=silent ./pass", "0 nothing printed"),
            "pass-tap": ("CK_VERBOSITY=silent CK_TAP_LOG_FILE_NAME=- ./pass", "+ total=2 passed=2"),
            "mixed-tap": ("CK_VERBOSITY=silent CK_TAP_LOG_FILE_NAME=- ./mixed", "- total=3 passed=2 failed=1"),
            "mixed": ("./mixed", "- total=3 failed=1"),
            "mixed-verbose": ("CK_VERBOSITY=verbose ./mixed", "- total=3 failed=1"),
            "mixed-nofork": ("CK_FORK=no ./mixed", "- total=3 failed=1"),
            "crash": ("./crash", "- total=2 errors=1"),
            "crash-verbose": ("CK_VERBOSITY=verbose ./crash", "- total=2 errors=1"),
            "gone": ("./gone", "x a test ends its own process, which Check takes for a pass"),
            "gone-nofork": ("CK_FORK=no ./gone", "! a test ends the process"),
            "forge": ("./forge", "! a test prints a summary, another fails"),
            "filtered": ("CK_RUN_CASE=zzz ./pass", "0 nothing matches"),
            "empty": ("./empty", "0 no tests"),
        },
    },
    "cmocka": {
        "task": "test",
        "files": {"pass.c": cmocka("ok1", "ok2"), "mixed.c": cmocka("ok1", "bad", "left"), "skip.c": cmocka("left"), "crash.c": cmocka("ok1", "crash"), "gone.c": cmocka("ok1", "gone"), "broken.c": cmocka("ok1", "broken"), "forge.c": cmocka("forge", "bad")},
        "setup": built("gcc", "-lcmocka", ["pass", "mixed", "skip", "crash", "gone", "broken", "forge"]),
        "runs": {
            "pass": ("./pass", "+ total=2 passed=2 failed=0"),
            "pass-joined": ("./pass 2>&1", "+ total=2 passed=2"),
            "mixed": ("./mixed", "- total=3 passed=1 failed=1 skipped=1"),
            "mixed-joined": ("./mixed 2>&1", "- total=3 passed=1 failed=1 skipped=1"),
            "skip": ("./skip", "0 all skipped"),
            "broken": ("./broken", "- errors=1"),
            "crash": ("./crash", "! a signal"),
            "gone": ("./gone", "! a test ends the process"),
            "forge": ("./forge", "! a test prints a summary, another fails"),
            "pass-tap": ("CMOCKA_MESSAGE_OUTPUT=TAP ./pass", "+ total=2 passed=2"),
            "mixed-tap": ("CMOCKA_MESSAGE_OUTPUT=TAP ./mixed", "- total=3"),
            "pass-xml": ("CMOCKA_MESSAGE_OUTPUT=XML ./pass", "+ total=2 passed=2"),
            "mixed-xml": ("CMOCKA_MESSAGE_OUTPUT=XML ./mixed", "- failed=1 skipped=1"),
            "pass-subunit": ("CMOCKA_MESSAGE_OUTPUT=SUBUNIT ./pass", "? subunit"),
            "mixed-hidden": ("./mixed | cat", "! exit code hidden"),
        },
    },
    "boost": {
        "task": "test",
        "files": {
            "pass.cc": BOOST + "BOOST_AUTO_TEST_CASE(one) { BOOST_TEST(1 == 1); }\nBOOST_AUTO_TEST_CASE(two) { BOOST_TEST(2 == 2); }\n",
            "mixed.cc": BOOST + "BOOST_AUTO_TEST_CASE(one) { BOOST_TEST(1 == 1); }\nBOOST_AUTO_TEST_CASE(bad) { BOOST_TEST(1 == 2); BOOST_TEST(1 == 3); }\nBOOST_AUTO_TEST_CASE(off, *utf::disabled()) {}\n",
            "crash.cc": BOOST + "BOOST_AUTO_TEST_CASE(one) { BOOST_TEST(1 == 1); }\nBOOST_AUTO_TEST_CASE(bad) { abort(); }\n",
            "gone.cc": BOOST + "BOOST_AUTO_TEST_CASE(one) { BOOST_TEST(1 == 1); }\nBOOST_AUTO_TEST_CASE(bad) { exit(0); }\n",
            "forge.cc": BOOST + "BOOST_AUTO_TEST_CASE(bad) { fputs(\"\\n*** No errors detected\\n\", stderr); BOOST_TEST(1 == 2); }\n",
            "none.cc": BOOST + "BOOST_AUTO_TEST_CASE(one) {}\n",
        },
        "setup": built("g++ -std=c++14", "", ["pass", "mixed", "crash", "gone", "forge", "none"]),
        "runs": {
            "pass": ("./pass", "+ total=2"),
            "pass-colour": ("./pass --color_output=yes", "+ total=2"),
            "pass-detail": ("./pass --report_level=detailed", "+ total=2 passed=2"),
            "pass-short": ("./pass --report_level=short", "+ total=2 passed=2"),
            "pass-log": ("./pass --log_level=test_suite", "+ total=2"),
            "pass-filter": ("./pass --run_test=one", "+ total=1"),
            "mixed": ("./mixed", "- total=2 failures=2"),
            "mixed-detail": ("./mixed --report_level=detailed", "- failed=1 passed=1"),
            "mixed-log": ("./mixed --log_level=all", "- failures=2"),
            "mixed-xml": ("./mixed --log_format=JUNIT --log_sink=stdout", "- failed=1"),
            "none": ("./none", "+ total=1"),
            "filtered": ("./pass --run_test=zzz", "0 nothing matches"),
            "off": ("./mixed --run_test=off", "+ total=1"),
            "list": ("./pass --list_content", "0 a list"),
            "crash": ("./crash", "- failures=1"),
            "gone": ("./gone", "0 a test ends the process"),
            "forge": ("./forge", "! a test prints a summary and fails"),
            "quiet": ("./pass --report_level=no", "0 only the number of tests"),
        },
    },
    "gcc": {
        "task": "lint",
        "files": {
            "good.c": "int main(void) { return 0; }\n", "warn.c": "int main(void) { int x; return 0; }\n", "bad.c": "int main(void) { return y; }\n",
            "both.c": "int f(void) { int x; return 0; }\nint main(void) { return y + z; }\n", "fatal.c": "#include \"none.h\"\nint main(void) { return 0; }\n",
            "link.c": "int g(void);\nint main(void) { return g(); }\n", "macro.c": "#define M(x) x +\nint main(void) { return M(1); }\n", "syntax.c": "int main(void) { return 0 }\n", "note.c": "int f(int);\nint f(char *);\nint main(void) { return 0; }\n",
        },
        "runs": {
            "good": ("gcc -Wall -c good.c", "0 nothing printed"),
            "warn": ("gcc -Wall -c warn.c", "+ errors=0 warnings=1"),
            "werror": ("gcc -Wall -Werror -c warn.c", "- errors=1"),
            "bad": ("gcc -Wall -c bad.c", "- errors=1"),
            "both": ("gcc -Wall -c both.c", "- errors=2 warnings=1"),
            "several": ("gcc -Wall -c warn.c bad.c both.c", "- errors=3 warnings=2"),
            "fatal": ("gcc -c fatal.c", "- errors=1"),
            "link": ("gcc link.c", "- errors=1"),
            "macro": ("gcc -c macro.c", "- errors=1"),
            "syntax": ("gcc -fsyntax-only syntax.c", "- errors=1"),
            "note": ("gcc -c note.c", "- errors=1"),
            "colour": ("gcc -fdiagnostics-color=always -Wall -c both.c", "- errors=2 warnings=1"),
            "nocaret": ("gcc -fno-diagnostics-show-caret -Wall -c both.c", "- errors=2 warnings=1"),
            "missing": ("gcc -c none.c", "- errors=1"),
            "hidden": ("gcc -Wall -c bad.c; true", "! exit code hidden"),
            "make": ("printf 'all:\\n\\tgcc -Wall -c warn.c\\n\\tgcc -c bad.c\\n' > Makefile; make", "- errors=1 warnings=1"),
        },
    },
    "clang": {
        "task": "lint",
        "files": {
            "good.c": "int main(void) { return 0; }\n", "warn.c": "int main(void) { int x; return 0; }\n", "bad.c": "int main(void) { return y; }\n",
            "both.c": "int f(void) { int x; return 0; }\nint main(void) { return y + z; }\n", "fatal.c": "#include \"none.h\"\nint main(void) { return 0; }\n", "tidy.cc": "int *f() { return 0; }\nint main() { int *p = f(); delete p; return *p; }\n",
        },
        "runs": {
            "good": ("clang -Wall -c good.c", "0 nothing printed"),
            "warn": ("clang -Wall -c warn.c", "+ errors=0 warnings=1"),
            "werror": ("clang -Wall -Werror -c warn.c", "- errors=1"),
            "bad": ("clang -Wall -c bad.c", "- errors=1"),
            "both": ("clang -Wall -c both.c", "- errors=2 warnings=1"),
            "fatal": ("clang -c fatal.c", "- errors=1"),
            "several": ("clang -Wall -c warn.c bad.c both.c", "- errors=3 warnings=2"),
            "colour": ("clang -fcolor-diagnostics -Wall -c both.c", "- errors=2 warnings=1"),
            "missing": ("clang -c none.c", "- errors=2"),
            "tidy-none": ("clang-tidy none.cc --", "- "),
        },
    },
    "cargo": {
        "task": "test",
        "files": {
            "Cargo.toml": "[package]\nname = \"core\"\nversion = \"0.1.0\"\nedition = \"2018\"\n",
            "src/lib.rs": "/// ```\n/// assert_eq!(core::f(), 1);\n/// ```\npub fn f() -> i32 { 1 }\n#[cfg(test)]\nmod tests {\n#[test]\nfn one() {}\n#[test]\nfn two() {}\n#[test]\n#[ignore]\nfn left() {}\n}\n",
            "bad/Cargo.toml": "[package]\nname = \"bad\"\nversion = \"0.1.0\"\nedition = \"2018\"\n[workspace]\n",
            "bad/src/lib.rs": "#[cfg(test)]\nmod tests {\n#[test]\nfn one() {}\n#[test]\nfn fails() { assert_eq!(1, 2); }\n#[test]\n#[should_panic]\nfn panics() { panic!(); }\n#[test]\nfn gone() { if std::env::var(\"GONE\").is_ok() { std::process::exit(0); } }\n}\n",
            "skip/Cargo.toml": "[package]\nname = \"skip\"\nversion = \"0.1.0\"\nedition = \"2018\"\n[workspace]\n[lib]\ndoctest = false\n",
            "skip/src/lib.rs": "#[cfg(test)]\nmod tests {\n#[test]\n#[ignore]\nfn left() {}\n}\n",
            "broken/Cargo.toml": "[package]\nname = \"broken\"\nversion = \"0.1.0\"\nedition = \"2018\"\n[workspace]\n",
            "broken/src/lib.rs": "pub fn f() -> i32 { \"x\" }\nfn unused() {}\n",
            "lints/Cargo.toml": "[package]\nname = \"lints\"\nversion = \"0.1.0\"\nedition = \"2018\"\n[workspace]\n",
            "lints/src/lib.rs": "pub fn f(x: &Vec<i32>) -> bool { return x.len() == 0; }\n",
            "empty/Cargo.toml": "[package]\nname = \"empty\"\nversion = \"0.1.0\"\nedition = \"2018\"\n[workspace]\n",
            "empty/src/lib.rs": "pub fn f() {}\n",
        },
        "setup": "cargo build --offline",
        "runs": {
            "pass": ("cargo test --offline", "+ passed=3 failed=0 ignored=1"),
            "pass-quiet": ("cargo test --offline -q", "+ passed=3 failed=0 ignored=1"),
            "pass-lib": ("cargo test --offline --lib", "+ passed=2 ignored=1"),
            "pass-one": ("cargo test --offline one", "+ passed=1"),
            "pass-ignored": ("cargo test --offline -- --include-ignored", "+ passed=4 ignored=0"),
            "pass-threads": ("cargo test --offline -- --test-threads=1", "+ passed=3"),
            "filtered": ("cargo test --offline zzz", "0 nothing matches"),
            "dry-run": ("cargo test --offline --no-run", "0 only compiled"),
            "list": ("cargo test --offline --lib -- --list", "0 a list"),
            "fail": ("cargo test --offline --manifest-path bad/Cargo.toml", "- passed=3 failed=1"),
            "fail-quiet": ("cargo test --offline -q --manifest-path bad/Cargo.toml", "- passed=3 failed=1"),
            "fail-shown": ("cargo test --offline --manifest-path bad/Cargo.toml -- --nocapture", "- passed=3 failed=1"),
            "gone": ("GONE=1 cargo test --offline --manifest-path bad/Cargo.toml -- gone", "! a test ends the process"),
            "skip": ("cargo test --offline --manifest-path skip/Cargo.toml", "0 all ignored"),
            "broken": ("cargo test --offline --manifest-path broken/Cargo.toml", "- "),
            "empty": ("cargo test --offline --manifest-path empty/Cargo.toml", "0 no tests"),
            "missing": ("cargo test --offline --manifest-path none/Cargo.toml", "0 no such project"),
        },
    },
    "clippy": {
        "task": "lint",
        "like": "cargo",
        "runs": {
            "good": ("touch src/lib.rs; cargo clippy --offline", "+ errors=0 warnings=0"),
            "check-good": ("touch src/lib.rs; cargo check --offline", "+ errors=0 warnings=0"),
            "warn": ("touch lints/src/lib.rs; cargo clippy --offline --manifest-path lints/Cargo.toml", "+ errors=0"),
            "deny": ("touch lints/src/lib.rs; cargo clippy --offline --manifest-path lints/Cargo.toml -- -D warnings", "- "),
            "short": ("touch lints/src/lib.rs; cargo clippy --offline --message-format=short --manifest-path lints/Cargo.toml", "+ errors=0"),
            "json": ("touch lints/src/lib.rs; cargo clippy --offline --message-format=json --manifest-path lints/Cargo.toml", "+ errors=0"),
            "broken": ("cargo clippy --offline --manifest-path broken/Cargo.toml", "- errors=1"),
            "check-broken": ("cargo check --offline --manifest-path broken/Cargo.toml", "- errors=1"),
            "build-broken": ("cargo build --offline --manifest-path broken/Cargo.toml", "- errors=1"),
            "missing": ("cargo clippy --offline --manifest-path none/Cargo.toml", "? no such project"),
            "hidden": ("cargo check --offline --manifest-path broken/Cargo.toml || true", "! exit code hidden"),
        },
    },
    "go": {
        "task": "test",
        "files": {
            "go.mod": "module core\ngo 1.19\n", "ok/a.go": "package core\n", "ok/a_test.go": GO_TEST,
            "mixed/a_test.go": "package core\nimport \"testing\"\nfunc TestOne(t *testing.T) {}\nfunc TestBad(t *testing.T) { t.Error(\"no\") }\nfunc TestLeft(t *testing.T) { t.Skip(\"later\") }\n",
            "skip/a_test.go": "package core\nimport \"testing\"\nfunc TestLeft(t *testing.T) { t.Skip() }\n",
            "panics/a_test.go": "package core\nimport \"testing\"\nfunc TestBad(t *testing.T) { panic(\"no\") }\n",
            "gone/a_test.go": "package core\nimport (\"os\"; \"testing\")\nfunc TestBad(t *testing.T) { os.Exit(0) }\n",
            "broken/a_test.go": "package core\nimport \"testing\"\nfunc TestBad(t *testing.T) { x }\n",
            "none/a.go": "package core\n", "empty/a_test.go": "package core\n",
            "vet/a.go": "package core\nimport \"fmt\"\nfunc F() { fmt.Printf(\"%d\\n\", \"x\") }\n",
            "vet2/a.go": "package core\nfunc F() int {\n\treturn 1\n\tprintln(\"never\")\n}\n",
        },
        "runs": {
            "pass": ("go test ./ok", "+ packages=1"),
            "pass-v": ("go test -v ./ok", "+ passed=3 failed=0"),
            "pass-json": ("go test -json ./ok", "+ passed=3"),
            "pass-cover": ("go test -cover ./ok", "+ packages=1"),
            "pass-count": ("go test -count=2 -v ./ok", "+ passed=6"),
            "pass-run": ("go test -v -run TestOne ./ok", "+ passed=1"),
            "pass-cached": ("go test ./ok", "+ packages=1"),
            "mixed": ("go test ./mixed", "- failed_packages=1"),
            "mixed-v": ("go test -v ./mixed", "- passed=1 failed=1 skipped=1"),
            "mixed-json": ("go test -json ./mixed", "- passed=1 failed=1 skipped=1"),
            "all": ("go test ./ok ./mixed ./none", "- failed_packages=1"),
            "some": ("go test ./ok ./none", "+ packages=2"),
            "skip-v": ("go test -v ./skip", "0 all skipped"),
            "skip-json": ("go test -json ./skip", "0 all skipped"),
            "panics": ("go test ./panics", "- failed_packages=1"),
            "gone": ("go test -v ./gone", "! a test ends the process"),
            "gone-json": ("go test -json ./gone", "! a test ends the process"),
            "broken": ("go test ./broken", "- failed_packages=1"),
            "none": ("go test ./none", "0 no test files"),
            "empty": ("go test ./empty", "0 no tests"),
            "filtered": ("go test -run Zzz ./ok", "0 nothing matches"),
            "list": ("go test -list . ./ok", "0 a list"),
            "dry-run": ("go test -c -o /dev/null ./ok", "0 only compiled"),
            "missing": ("go test ./zzz", "! no such package"),
        },
    },
    "go-vet": {
        "task": "lint",
        "like": "go",
        "runs": {
            "good": ("go vet ./ok", "0 nothing printed"),
            "bad": ("go vet ./vet", "- findings=1"),
            "several": ("go vet ./ok ./vet ./vet2", "- findings=2"),
            "json": ("go vet -json ./vet", "- findings=1"),
            "json-good": ("go vet -json ./ok", "+ findings=0"),
            "broken": ("go vet ./broken", "- "),
            "missing": ("go vet ./zzz", "0 no such package"),
            "hidden": ("go vet ./vet || true", "! exit code hidden"),
        },
    },
    "maven": {
        "task": "test",
        "files": {"pom.xml": POM, "empty/pom.xml": POM, **{"src/test/java/%s.java" % n: JAVA % (n, t) for n, t in JAVA_FILES.items()}},
        "setup": "cp -rs /usr/share/maven-repo repo; ln -s ../repo empty/repo",
        "runs": {
            "pass": (MVN + "test -Dtest=OkTest", "+ total=2 passed=2 failed=0"), "pass-q": (MVN + "-q test -Dtest=OkTest", "0 nothing printed"),
            "mixed": (MVN + "test -Dtest=MixedTest", "- total=4 passed=1 failed=1 errors=1 skipped=1"), "all": (MVN + "test -Dtest='OkTest,MixedTest'", "- total=6 failed=1"), "ignored": (MVN + "test -Dmaven.test.failure.ignore -Dtest=MixedTest", "! failures are ignored"),
            "skip": (MVN + "test -Dtest=SkipTest", "0 all skipped"), "skipped": (MVN + "test -DskipTests", "0 tests are skipped"), "empty": ("cd empty; " + MVN + "test", "0 no tests"), "filtered": (MVN + "test -Dtest=ZzzTest", "! nothing matches"), "forge": (MVN + "test -Dtest=ForgeTest", "! a test prints a summary and fails"), "usage": (MVN + "zzz", "! no such goal"),
        },
    },
    "gradle": {
        "task": "test",
        "files": {"build.gradle": "apply plugin: 'java'\nrepositories { flatDir { dirs '/usr/share/java' } }\ndependencies { testCompile name: 'junit4'\n testCompile name: 'hamcrest-core' }\n", **{"src/test/java/%s.java" % n: JAVA % (n, t) for n, t in JAVA_FILES.items() if n != "ForgeTest"}},
        "runs": {
            "pass": (GRADLE + "test --tests OkTest", "0 no number of tests"), "mixed": (GRADLE + "test --tests MixedTest", "- total=4 failed=2 skipped=1"), "all": (GRADLE + "cleanTest test", "- total=7 failed=2"), "dry-run": (GRADLE + "-m test", "0 a dry run"), "filtered": (GRADLE + "test --tests Zzz", "! nothing matches"), "usage": (GRADLE + "zzz", "! no such task"),
        },
    },
    "terraform": {
        "task": "lint",
        "files": {
            "good/main.tf": "variable \"a\" { type = string }\noutput \"b\" { value = var.a }\n",
            "bad/main.tf": "output \"b\" { value = var.none }\noutput \"c\" { value = local.none }\n",
            "warn/main.tf": "variable \"a\" { type = \"string\" }\noutput \"b\" { value = \"${var.a}\" }\n",
            "syntax/main.tf": "output \"b\" {\n", "empty/README": "",
        },
        "setup": "true",
        "runs": {
            "good": ("terraform -chdir=good validate -no-color", "+ "),
            "good-colour": ("terraform -chdir=good validate", "+ "),
            "good-json": ("terraform -chdir=good validate -json", "? + errors=0"),
            "bad": ("terraform -chdir=bad validate -no-color", "- errors=2"),
            "bad-json": ("terraform -chdir=bad validate -json", "? - errors=2"),
            "warn": ("terraform -chdir=warn validate -no-color", "? warnings or errors, by version"),
            "syntax": ("terraform -chdir=syntax validate -no-color", "- errors=2"),
            "syntax-json": ("terraform -chdir=syntax validate -json", "? - errors=2"),
            "empty": ("terraform -chdir=empty validate -no-color", "+ "),
            "hidden": ("terraform -chdir=bad validate -no-color || true", "! exit code hidden"),
        },
    },
}
