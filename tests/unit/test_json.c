/* JSON: what the reader takes and refuses, where values are in their text, and what the writer escapes. */
#include "base/json_write.h"
#include "torture.h"
#include "unit.h"

static struct arena the_arena, *const A = &the_arena;

/* ---- reading ---- */

/* T: a strict reader takes it; t: only a tolerant one; -: nobody does. */
static const struct {
	char who;
	const char *text;
} texts[] = {
	{'T', "3"},
	{'T', "\"x\""},
	{'T', " null "},
	{'T', "[]"},
	{'T', "{}"},
	{'T', "[1,2]"},
	{'T', "{\"a\":[{\"b\":null}]}"},
	{'T', "\t\r\n[ ]\n"},
	{'T', "-0"},
	{'T', "0.5e-7"},
	{'T', "1E+2"},
	{'T', "[1e308]"},
	{'-', ""},
	{'-', " "},
	{'-', "[1] x"},
	{'-', "[1]]"},
	{'-', "1 2"},
	{'-', "[1,]"},
	{'-', "[,1]"},
	{'-', "{\"a\":1,}"},
	{'-', "{,}"},
	{'-', "{\"a\"}"},
	{'-', "{\"a\":}"},
	{'-', "{a:1}"},
	{'-', "{'a':1}"},
	{'-', "{1:1}"},
	{'-', "["},
	{'-', "{"},
	{'-', "[1"},
	{'-', "}"},
	{'-', "01"},
	{'-', "-"},
	{'-', "+1"},
	{'-', ".5"},
	{'-', "1."},
	{'-', "1e"},
	{'-', "1e+"},
	{'-', "0x10"},
	{'-', "--1"},
	{'-', "1_0"},
	{'-', "NaN"},
	{'-', "[Infinity]"},
	{'-', "-Infinity"},
	{'-', "nul"},
	{'-', "nulll"},
	{'-', "True"},
	{'-', "truefalse"},
	{'-', "\"a"},
	{'-', "\"a\nb\""},
	{'-', "\"a\tb\""},
	{'-', "\"\\x41\""},
	{'-', "\"\\'\""},
	{'-', "\"\\u12\""},
	{'-', "\"\\u12g4\""},
	{'-', "\"\\"},
	{'-', "\v1"},
	{'-', "\xc2\xa0"
	      "1"},
	{'-', "// x\n1"},
	{'-', "/* x */1"},
	{'-', "[1] // x"},
	/* bytes that are not UTF-8: lone, overlong, half of a pair, too large, cut */
	{'-', "\"\xff\""},
	{'-', "\"\xc0\xaf\""},
	{'-', "\"\xed\xa0\x80\""},
	{'-', "\"\xf4\x90\x80\x80\""},
	{'-', "\"\xe2\x82\""},
	{'T', "\"\xf0\x9f\x98\x80\""},
	/* keys twice, also when only one is escaped */
	{'-', "{\"a\":1,\"a\":2}"},
	{'-', "{\"a\":1,\"\\u0061\":2}"},
	{'-', "{\"\":1,\"\":1}"},
	{'-', "[{\"x\":{\"k\":1,\"k\":1}}]"},
	{'T', "{\"a\":1,\"A\":2}"},
	{'-', "{\"1\":1,\"2\":1,\"3\":1,\"4\":1,\"5\":1,\"6\":1,\"7\":1,\"8\":1,\"9\":1,\"1\":2}"},
	/* readers differ on these */
	{'t', "\xef\xbb\xbf[1]"},
	{'t', "\"\\ud83d\""},
	{'t', "\"\\ude00\""},
	{'t', "\"\\ud83d\\u0041\""},
	{'t', "\"\\ude00\\ud83d\""},
	{'T', "\"\\ud83d\\ude00\""},
	{'t', "{\"\\u0000\":1}"},
	{'t', "{\"a\\u0000b\":1}"},
	{'T', "\"\\u0000\""},
	{'t', "9223372036854775808"},
	{'T', "9223372036854775807"},
	{'T', "-9223372036854775808"},
	{'t', "-9223372036854775809"},
	{'t', "123456789012345678901234567890"},
	{'t', "[1e309]"},
	{'t', "-1e999999999999"},
	{'T', "1e-999999999999"},
	{'T', "1.7976931348623157e308"},
};

static bool taken(struct str text, unsigned flags)
{
	struct json_reader r;
	json_reader_init(&r, A, text, flags);
	return json_only(&r) != NULL;
}

static void test_texts(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct str text = str_of(texts[i].text);
		CHECK_ROW(taken(text, JSON_STRICT) == (texts[i].who == 'T'), texts[i].text);
		CHECK_ROW(taken(text, JSON_TOLERANT) == (texts[i].who != '-'), texts[i].text);
	}
	CHECK(!taken(STR("[1]\0"), JSON_TOLERANT) && !taken(STR("\0"), JSON_TOLERANT) &&
		!taken(STR("\"a\0b\""), JSON_TOLERANT));
	CHECK(!taken((struct str){NULL, 0}, JSON_STRICT));
}

static void test_comments(void)
{
	static const struct {
		const char *text;
		bool ok;
	} rows[] = {
		{"// x\n[1, /* , ] */ 2 // y\n]// z", true},
		{"/**/{/**/\"a\"/**/:/**/1/**/}/**/", true},
		{"[1 /* x]", false},
		{"/ 1", false},
		{"[1]/*/", false},
		{"\"//\"", true},
	};
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		CHECK_ROW(taken(str_of(rows[i].text), JSON_COMMENTS) == rows[i].ok, rows[i].text);
}

static void test_values(void)
{
	struct json *v = NULL;
	struct err e;
	CHECK_INT(json_read(A,
			  STR("{\"a\": [1, \"x\\u0000y\", -2.5], \"t\": true, \"s\": \"\\ud83d\\ude00\\n\", "
			      "\"n\": null}"),
			  &v, &e),
		0);
	const struct json *a = json_key(v, "a");
	CHECK_INT(json_size(a), 3);
	CHECK_INT(json_int(json_items(a), -1), 1);
	CHECK_STRN(json_text(unit_item(a, 1)), STR("x\0y"));
	CHECK(json_is_int(unit_item(a, 0)) && !json_is_int(unit_item(a, 2)) &&
		json_int(unit_item(a, 2), 7) == 7 &&
		json_double(A, unit_item(a, 2)) == -2.5);
	CHECK(!unit_item(a, 3) && json_true_at(v, "t") && !json_true_at(v, "s") &&
		json_is(json_key(v, "n"), JSON_NULL));
	CHECK_STR(json_text_at(v, "s"), "\xf0\x9f\x98\x80\n");
	CHECK_STR(json_text_at(v, "t"), "");
	CHECK(!json_key(v, "x") && !json_key(a, "a") && !json_key(NULL, "a") && !json_items(v) &&
		!json_members(a) && json_int_at(NULL, "x") == 0);
	CHECK_STR(json_text(NULL), "");
}

/* Where values are: a file of settings is changed by these places. */
static void test_places(void)
{
	const struct str text = STR("{ \"k\" : [ 10 , {\"x\":true} ] }");
	struct json *v = NULL;
	CHECK_INT(json_read(A, text, &v, NULL), 0);
	const struct json *k = json_key(v, "k"), *x = json_key(unit_item(k, 1), "x");
	CHECK_STRN(str_sub(text, v->from, v->to), text);
	CHECK_STR(str_sub(text, k->start, k->to), "\"k\" : [ 10 , {\"x\":true} ]");
	CHECK_STR(str_sub(text, k->from, k->to), "[ 10 , {\"x\":true} ]");
	CHECK_STR(str_sub(text, json_items(k)->start, json_items(k)->to), "10");
	CHECK_STR(str_sub(text, x->start, x->to), "\"x\":true");
	CHECK(x->parent == unit_item(k, 1) && x->parent->parent == k && k->parent == v && !v->parent);
}

static void test_troubles(void)
{
	static const struct {
		const char *text, *why;
	} rows[] = {
		{"{\"a\":1,\n \"a\":2}", "line 2, column 2: a key twice: a"},
		{"{\"a\":\n 1,}", "line 2, column 4: expected a key in quotes"},
		{"", "line 1, column 1: expected a value"},
		{"[1] x", "line 1, column 5: expected nothing after the value"},
		{"[\"\xff\"]", "line 1, column 3: expected UTF-8"},
		{"{", "line 1, column 2: expected a key in quotes"},
		{"[\"a\nb\"]", "line 1, column 4: expected a string without control characters"},
		{"[1 2]", "line 1, column 4: expected ',' or ']'"},
		{"9223372036854775808", "line 1, column 1: a number that is too large: 9223372036854775808"},
		{"NaN", "line 1, column 1: expected a number, not NaN"},
	};
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct json *none = NULL;
		struct err e = {0};
		CHECK_ROW(json_read(A, str_of(rows[i].text), &none, &e) == -1 && none == NULL &&
				  e.kind == ERR_INPUT,
			rows[i].text);
		CHECK_ROW(!strcmp(e.text, rows[i].why), e.text);
	}
}

/* Bounds: an error, not a stack overflow or a full machine. */
static void test_bounds(void)
{
	static char deep[200000];
	struct json_reader r;
	memset(deep, '[', sizeof deep);
	json_reader_init(&r, A, str_n(deep, sizeof deep), JSON_TOLERANT);
	CHECK(!json_only(&r) && r.trouble == JSON_LIMIT);
	memset(deep + 64, ']', 64);
	json_reader_init(&r, A, str_n(deep, 128), JSON_STRICT);
	r.depth_max = 64;
	CHECK(json_only(&r));
	json_reader_again(&r, str_n(deep, 128));
	r.depth_max = 63;
	CHECK(!json_only(&r) && r.trouble == JSON_LIMIT);
	json_reader_init(&r, A, STR("[1,2,3]"), JSON_STRICT);
	r.count_max = 3;
	CHECK(!json_only(&r) && r.trouble == JSON_LIMIT);
}

/* A reader that goes from line to line needs no more memory than for one. */
static void test_again(void)
{
	struct json_reader r;
	json_reader_init(&r, A, STR(""), JSON_STRICT);
	json_reader_again(&r, STR("{\"a\":1}"));
	CHECK(json_only(&r));
	const size_t used = A->used;
	for (int i = 0; i < 1000; i++) {
		json_reader_again(&r, STR("{\"a\":{\"b\":[1,2]}}"));
		const struct json *v = json_only(&r);
		CHECK_INT(json_size(json_key(json_key(v, "a"), "b")), 2);
	}
	CHECK_INT(A->used, used);
}

/* ---- without a tree ---- */

static void test_skip(void)
{
	static const struct {
		const char *text;
		size_t end;
	} rows[] = {{"\"a\\\"b\",", 6}, {"{\"}\":[1,{}]},", 12}, {"[[", 0}, {"[}", 0}, {"\"a", 0},
		{"-1.5e+7,", 7}, {"true}", 4}, {"", 0}, {",", 0}, {"[[[[]]]]", 8}, {"[[[[[]]]]]", 0}};
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		CHECK_ROW(json_skip(str_of(rows[i].text), 0, 4) == rows[i].end, rows[i].text);
}

/* ---- writing ---- */

static int write_all(struct arena *a, void *ctx)
{
	struct json *v = NULL;
	struct buf b;
	(void)ctx;
	CHECK_INT(json_read(a,
			  STR("{\"z\" : [null,true , false, 1.50e3,\"\\u00e9\\/\\r\"],\"\\u0001\":{}, "
			      "\"e\":[]}"),
			  &v, NULL),
		0);
	buf_init(&b, a, 0);
	json_put_value(&b, v);
	CHECK_STR(buf_view(&b),
		"{\"z\":[null,true,false,1.50e3,\"\xc3\xa9/\\u000d\"],\"\\u0001\":{},\"e\":[]}");
	return 0;
}

static void test_write(void)
{
	struct torture t;
	struct buf b;
	CHECK_INT(torture(write_all, NULL, 1000, &t), 0);
	CHECK(t.runs >= 2);
	buf_init(&b, A, 0);
	json_put_string(&b, STR("a\"\\/\n\t\r\b\0\x1b\x7f\xc2\x9b\xc2\xa0\xff\xe2\x80\xae"));
	CHECK_STR(buf_view(&b),
		"\"a\\\"\\\\/"
		"\\n\\t\\u000d\\u0008\\u0000\\u001b\\u007f\\u009b\xc2\xa0\xef\xbf\xbd\xe2\x80\xae\"");
	buf_init(&b, A, 0);
	buf_char(&b, '{');
	json_put_field(&b, "a", STR("{"));
	json_put_field(&b, "b", (struct str){NULL, 0});
	CHECK_STR(buf_view(&b), "{\"a\":\"{\",\"b\":\"\"");
}

static int all(void *arg)
{
	(void)arg;
	RUN(test_texts);
	RUN(test_comments);
	RUN(test_values);
	RUN(test_places);
	RUN(test_troubles);
	RUN(test_bounds);
	RUN(test_again);
	RUN(test_skip);
	RUN(test_write);
	return 0;
}

int main(void)
{
	arena_init(A, ARENA_CAP_DEFAULT);
	CHECK_INT(arena_run(A, all, NULL), 0);
	arena_free(A);
	return unit_end();
}
