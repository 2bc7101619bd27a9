/*
 * Validators of type checkers and linters: recorded outputs, contradictions, and bytes that are none of it.
 */
#include "expect.h"
#include "torture.h"

/*
 * Recorded from the tools themselves, but for go-vet, which is written after the form that its documentation
 * gives.
 */
static void samples(void)
{
	CHECK_INT(expect_folder("tests/samples/mypy"), 7);
	CHECK_INT(expect_folder("tests/samples/tsc"), 7);
	CHECK_INT(expect_folder("tests/samples/eslint"), 7);
	CHECK_INT(expect_folder("tests/samples/pyright"), 4);
	CHECK_INT(expect_folder("tests/samples/cargo-check"), 4);
	CHECK_INT(expect_folder("tests/samples/go-vet"), 4);
}

struct row {
	const char *out, *err;
	int exit_code;
	const char *want; /* as in an .expect file */
};

static void check_rows(const struct row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct arena a;
		arena_init(&a, ARENA_CAP_DEFAULT);
		struct validate_input in = {.out = str_of(rows[i].out), .err = str_of(rows[i].err),
				.exit_code = rows[i].exit_code, .status = STATUS_UNKNOWN};
		expect_line(&a, "row", rows[i].out, in, str_of(rows[i].want));
		arena_free(&a);
	}
}

#define CHECK_ROWS(rows) check_rows(rows, sizeof(rows) / sizeof(rows)[0])

#define MYPY_LINE "a.py:1: error: no  [misc]\n"
#define FOUND(n) "Found " n " errors in 1 file (checked 3 source files)\n"

static void mypy_contradictions(void)
{
	static const struct row rows[] = {
		{MYPY_LINE FOUND("2"), "", 1, "typecheck invalid none mypy +count-mismatch"},
		{MYPY_LINE FOUND("2"), "", 1, "- indeterminate none mypy +lines-missing"},
		{MYPY_LINE MYPY_LINE MYPY_LINE FOUND("2"), "", 1, "- invalid none mypy +count-mismatch"},
		{MYPY_LINE MYPY_LINE FOUND("2"), "", 1, "typecheck valid fail mypy errors=2 files=3"},
		/* a made-up success before or after the real summary */
		{"Success: no issues found in 9 source files\n" MYPY_LINE MYPY_LINE FOUND("2"), "", 1,
				"typecheck valid fail mypy errors=2"},
		{MYPY_LINE MYPY_LINE FOUND("2") "Success: no issues found in 9 source files\n", "", 1,
				"typecheck invalid none mypy +exit-mismatch"},
		{MYPY_LINE MYPY_LINE FOUND("2") "Success: no issues found in 9 source files\n", "", 0,
				"typecheck valid fail mypy errors=2"},
		/* mypy . && pytest: the exit code is another command's */
		{"Success: no issues found in 9 source files\n", "", 1,
				"- indeterminate none mypy +exit-mismatch"},
		{"Success: no issues found in 0 source files\n", "", 0,
				"typecheck invalid none mypy +nothing-checked"},
		{"Success: no issues found in 3 source files\n", "", -1,
				"typecheck valid pass mypy errors=0"},
		{"\033[1mSuccess: no issues found in 3 source files\033[m\r\n", "", 0,
				"typecheck valid pass mypy errors=0"},
		{"a.py:1: \033[1m\033[31merror:\033[m no\r\n\033[31mFound 1 error in 1 file (checked 1 "
				"source file)\033[m\r\n", "", 1, "typecheck valid fail mypy errors=1"},
		{"a.py:1: note: x\n    s = 'a: error: b'\n" MYPY_LINE
				"Found 1 error in 1 file (checked 1 source file)\n", "", 1,
				"typecheck valid fail mypy errors=1"},
		{"Found 99999999999999999999 errors in 1 file (checked 1 source file)\n", "", 1,
				"typecheck indeterminate none - +not-recognised"},
		{"Found 3 errors in the log\n", "", 0, "- indeterminate none - +not-recognised"},
	};
	CHECK_ROWS(rows);
}

static void tsc_contradictions(void)
{
	static const struct row rows[] = {
		{"a.ts(1,2): error TS1: x\n", "", 2, "typecheck valid fail tsc errors=1"},
		{"a.ts(1,2): error TS1: x\nFound 2 errors in 1 file.\n", "", 1,
				"typecheck invalid none tsc +count-mismatch"},
		{"a.ts(1,2): error TS1: x\nFound 2 errors in 1 file.\n", "", 1,
				"- indeterminate none tsc +lines-missing"},
		{"a.ts:1:2 - error TS1: x\n\nFound 1 error in a.ts:1\n", "", 1,
				"lint valid fail tsc errors=1"},
		{"error TS1: x\n", "", 0, "- valid fail tsc errors=1 +exit-mismatch"},
		{"what is error TS2322?\n", "", 0, "- indeterminate none - +not-recognised"},
	};
	CHECK_ROWS(rows);
}

#define ESLINT(errors, messages) \
	"[{\"filePath\":\"a.js\",\"messages\":[" messages "],\"errorCount\":" errors ",\"warningCount\":0}]"
#define PYRIGHT(errors, list) \
	"{\"generalDiagnostics\":[" list "],\"summary\":{\"filesAnalyzed\":1,\"errorCount\":" errors \
			",\"warningCount\":0,\"informationCount\":0}}"

static void json_contradictions(void)
{
	static const struct row rows[] = {
		{ESLINT("0", "{\"severity\":2}"), "", 0, "lint invalid none eslint-json +count-mismatch"},
		{ESLINT("1", "{\"severity\":2}"), "", 1, "lint valid fail eslint-json errors=1"},
		{ESLINT("1", "{\"severity\":2}"), "", 0, "lint invalid none eslint-json +exit-mismatch"},
		{ESLINT("1", "{\"severity\":2}"), "", 2, "- indeterminate none eslint-json +checker-failed"},
		{"\n> x@1.0.0 lint\n> eslint -f json .\n\n[info] x\n" ESLINT("1", "{\"severity\":2}") "\n",
				"", 1, "lint valid fail eslint-json errors=1"},
		{ESLINT("0", "") "\n" ESLINT("1", "{\"severity\":2}"), "", 1,
				"lint invalid none eslint-json +two-reports"},
		{"[{\"filePath\":\"a.js\",\"errorCount\":0,\"messages\":[", "", 0,
				"lint invalid none eslint-json +malformed-report"},
		{"[{\"filePath\":\"a.js\",\"errorCount\":0}]", "", 0,
				"lint invalid none eslint-json +malformed-report"},
		{"[{\"filePath\":\"a.js\",\"errorCount\":0,}]", "", 0,
				"lint invalid none eslint-json +malformed-report"},
		{PYRIGHT("0", "{\"severity\":\"error\"}"), "", 0,
				"typecheck invalid none pyright-json +count-mismatch"},
		{PYRIGHT("1", "{\"severity\":\"error\"}"), "", 1,
				"typecheck valid fail pyright-json errors=1"},
		{PYRIGHT("-1", ""), "", 0, "typecheck invalid none pyright-json +count-mismatch"},
		{"{\"reason\":\"compiler-message\",\"message\":{\"level\":\"error\"}}\n"
				"{\"reason\":\"build-finished\",\"success\":true}\n", "", 0,
			"typecheck invalid none cargo-json +count-mismatch"},
		{"{\"reason\":\"compiler-artifact\"}\n", "", 0,
				"typecheck invalid none cargo-json +malformed-report"},
		{"{\"reason\":\"build-finished\",\"success\":true}\n{\"reason\":\"compiler-message\","
				"\"message\":{\"level\":\"error\"}}\n", "", 101,
			"typecheck invalid none cargo-json +malformed-report"},
		{"{\"reason\":\"build-finished\",\"success\":false}\n", "error: linker\n", 101,
				"typecheck valid fail cargo-json +errors-elsewhere"},
		{"{\"reason\":\"build-finished\",\"success\":tr\n", "", 0,
				"typecheck invalid none cargo-json +malformed-report"},
		{"{\"reason\":\"build-finished\",\"success\":true}\ntest result: ok. 1 passed; 0 failed\n",
				"", 0, "typecheck indeterminate none - +not-recognised"},
		{"", "# a\n{}\nvet: ./a.go:3:2: undefined: x\n", 1,
				"lint valid fail go-vet-json errors=1 +checker-stopped-early"},
		{"", "# a\n{\"a\":{\"printf\":[{\"posn\":\"a.go:1:1\"", 0,
				"lint invalid none go-vet-json +malformed-report"},
		{"", "# a\n{\"a\":{\"printf\":{\"error\":\"x\"}}}\n", 1,
				"lint valid fail go-vet-json errors=1 +checker-stopped-early"},
	};
	CHECK_ROWS(rows);
}

/* ---- hostile ---- */

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

/* Every validator on every text, whatever its detection says. */
static void run_all(struct arena *a, struct str text)
{
	static const struct validator *const families[] = {validators_static, validators_data};
	for (size_t f = 0; f < 2; f++)
		for (const struct validator *r = families[f]; r->format; r++) {
			struct validate_input in = {.task = r->task, .out = text, .err = text, .exit_code = 1,
					.schema = text};
			struct validation v = {.validity = VALIDITY_VALID};
			r->detect(&in);
			r->check(a, &in, &v);
		}
}

static void mutations(void)
{
	static const char *const seeds[] = {
		MYPY_LINE FOUND("2"),
				ESLINT("1", "{\"severity\":2,\"x\":[1,2.5e-3,null,\"\\ud83d\\ude00\\n\"]}"),
				PYRIGHT("1", "{\"severity\":\"error\"}"),
		"a.ts(1,2): error TS1: x\nFound 2 errors in 1 file.\n",
		"# a\n{\"a\":{\"printf\":[{\"posn\":\"a.go:1:1\"}]}}\n",
		"{\"reason\":\"build-finished\",\"success\":true}\n", "id;name\r\n1;\"a;\"\"b\"\r\n2;c\r\n",
		" id | name \n----+------\n  1 | a +\n    | b\n(1 row)\n",
		"   id name\n0   1    a\n..\n\n[2 rows x 3 columns]\n",
		"<class 'pandas.core.frame.DataFrame'>\nIndex: 2 entries\nData columns (total 3 columns):\n "
				"0  id  2\n",
		"{\"type\":\"object\",\"properties\":{\"a\":{\"$ref\":\"#/properties\"}},"
				"\"pattern\":\"(a+)+$\",\"patternProperties\":{\"^a\":{\"$ref\":\"#\"}},"
				"\"$ref\":\"#/patternProperties\"}",
		"{\"uniqueItems\":true,\"items\":[{\"enum\":[1,1.0]}],\"multipleOf\":0.01,"
				"\"anyOf\":[{\"not\":{}}],\"contains\":true}\n{\"a\":NaN}\n",
	};
	uint32_t state = 20261116;
	for (size_t round = 0; round < 4000; round++) {
		struct arena a;
		char text[512];
		const char *seed = seeds[round % (ARRAY_SIZE(seeds))];
		size_t n = strlen(seed);
		arena_init(&a, ARENA_CAP_DEFAULT);
		memcpy(text, seed, n);
		for (size_t k = next_random(&state) % 6; k > 0 && n > 4; k--) {
			size_t at = next_random(&state) % n;
			switch (next_random(&state) % 4) {
			case 0: text[at] = (char)next_random(&state); break;
			case 1: n = at + 1; break;
			case 2: memmove(text + at, text + at + 1, n - at - 1); n--; break;
			default: text[at] = "[]{}\",:\n+|\\0-"[next_random(&state) % 13];
			}
		}
		/* allocated with the exact size, so that a sanitizer sees a byte too many */
		char *exact = malloc(n);
		memcpy(exact, text, n);
		run_all(&a, str_n(exact, n));
		free(exact);
		arena_free(&a);
	}
	CHECK(true);
}

static struct str repeated(struct arena *a, const char *unit, size_t bytes)
{
	struct buf b;
	buf_init(&b, a, 0);
	while (b.n < bytes)
		buf_c(&b, unit);
	return buf_view(&b);
}

/* A megabyte of one thing: must end soon, which the test's own time limit sees to. */
static void long_inputs(void)
{
	static const char *const units[] = {"[", "{\"a\":", "\"", "\\", "1", "1,", "a,", "{}", "# a\n{}\n",
			"+|", "-\n", "a - b", "): ", "{\"reason\":\"", "\n", " ", "\"\"", "[1,", "| ",
		"Found 1 error in 1 file (", "0", "{\"reason\":\"x\"}\n", "[{\n", "\t", "...", "\xef\xbb\xbf",
		"\xff"};
	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		struct arena a;
		arena_init(&a, (size_t)2 << 30);
		run_all(&a, repeated(&a, units[i], 1 << 20));
		arena_free(&a);
	}
	CHECK(true);
}

static int tortured(struct arena *a, void *ctx)
{
	run_all(a, str_of(ctx));
	return 0;
}

static void torture_all(void)
{
	static char texts[][300] = {ESLINT("1", "{\"severity\":2}"), "id,name\n1,a\n",
			"{\"type\":\"object\",\"pattern\":\"a.b\"}"};
	for (size_t i = 0; i < 3; i++) {
		struct torture t;
		CHECK_INT(torture(tortured, texts[i], 200, &t), 0);
		CHECK(t.runs > 0);
	}
}

int main(void)
{
	RUN(samples);
	RUN(mypy_contradictions);
	RUN(tsc_contradictions);
	RUN(json_contradictions);
	RUN(mutations);
	RUN(long_inputs);
	RUN(torture_all);
	return unit_end();
}
