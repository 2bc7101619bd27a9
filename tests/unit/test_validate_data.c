/* Validators of tables and of JSON against a schema. */
#include "expect.h"
#include "result/schema.h"
#include "base/json.h"
#include "result/decimal.h"

static void samples(void)
{
	CHECK_INT(expect_folder("tests/samples/data"), 16);
}

struct row {
	const char *out, *want; /* as in an .expect file */
};

static void check_rows(const struct row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct arena a;
		arena_init(&a, ARENA_CAP_DEFAULT);
		struct validate_input in = {.out = str_of(rows[i].out), .exit_code = 0, .status = STATUS_OK};
		expect_line(&a, "row", rows[i].out, in, str_of(rows[i].want));
		arena_free(&a);
	}
}

#define CHECK_ROWS(rows) check_rows(rows, sizeof(rows) / sizeof(rows)[0])

static void separated(void)
{
	static const struct row rows[] = {
		{"\xef\xbb\xbfid;name\r\n1;a\r\n2;b\r\n",
				"data valid pass csv rows=2 columns=2 columns_required=id,name"},
		{"sep=;\r\nid;name\r\n1;a\r\n", "data valid pass csv rows=1 columns=2"},
		{"id,name\n1,\"a, \"\"b\"\"\nc\"\n2,d\n", "data valid pass csv rows=2 columns=2"},
		{"id,name\n1,\"a\n", "data invalid none csv +csv-quoting"},
		{"id,name\n1,\"a\"b\n", "data invalid none csv +csv-quoting"},
		{"id,name\n1,5\" pipe\n", "data invalid none csv +csv-quoting"},
		{"id\tname\n1\t5\" pipe\n", "data valid pass tsv rows=1 columns=2"},
		{"id,name\n1,a,b\n", "data invalid none csv +row-ragged"},
		{"id,name\n1\n", "data invalid none csv +row-ragged"},
		{"id,id\n1,2\n", "data invalid none csv +header-duplicate"},
		{",id\n0,2\n", "data invalid none csv +header-empty"},
		{"\"\",id\n0,2\n", "data invalid none csv +header-empty"},
		{"id,name\n\n1,a\n\n", "data valid pass csv rows=1"},
		{"id\n1\n2\n", "data valid pass csv rows=2 columns=1 columns_required=id"},
		{"id\n1\n2\n", "data indeterminate none csv rows=2 columns=1 +one-column"},
		{"psql: error: connection refused\nretry\n", "data indeterminate none csv +one-column"},
		{"| a | b |\n|---|---|\n| 1 | 2 |\n", "data indeterminate none - +not-recognised"},
		{"id\n\n1\n", "data valid pass csv rows=2 columns=1 columns_required=id"},
		{"loading\nid,name\n1,a\n", "data invalid none csv columns=1 +row-ragged"},
		{"text\n\"a, b\"\n", "data valid pass csv rows=1 columns=1 columns_required=text"},
		{"id,name", "data invalid none csv rows=0 +rows-none"},
		{"id,name\n1,a", "data valid pass csv rows=1"},
		{"id,n\xe4me\n1,a\n", "data valid pass csv rows=1 +not-utf8"},
		{"\n\n", "data invalid none csv +data-empty"},
		{"a|b\n1|2\n", "data valid pass csv rows=1 columns=2"},
	};
	CHECK_ROWS(rows);
}

static void nul_bytes(void)
{
	struct arena a;
	struct validation v;
	arena_init(&a, ARENA_CAP_DEFAULT);
	struct validate_input in = {.task = TASK_DATA, .out = STR("i\0d\0\n\0"), .status = STATUS_OK};
	validate_text(&a, &in, &v);
	CHECK(v.validity == VALIDITY_INVALID && expect_noted(&v, STR("not-text")));
	arena_free(&a);
}

/* Quoted output cannot break a message's line. */
static void names_in_messages(void)
{
	struct arena a;
	struct validation v;
	arena_init(&a, ARENA_CAP_DEFAULT);
	struct validate_input in = {.task = TASK_DATA,
			.out = STR("[{\"a\\n\\u001b[31mb\":1,\"a\\n\\u001b[31mb\":2}]"), .status = STATUS_OK};
	validate_text(&a, &in, &v);
	CHECK(v.checks && !strcmp(v.checks->name, "json-duplicate-key"));
	for (size_t i = 0; v.checks && i < v.checks->message.n; i++)
		CHECK((unsigned char)v.checks->message.p[i] >= 0x20);
	arena_free(&a);
}

static void printed(void)
{
	static const struct row rows[] = {
		{" id | name \n----+------\n  1 | a\n  2 | b\n(2 rows)\n\n",
				"data valid pass psql rows=2 columns=2"},
		{" id | name \n----+------\n  1 | a\n(2 rows)\n\n", "data invalid none psql +count-mismatch"},
		{" id | name \n----+------\n(0 rows)\n\n", "data invalid none psql rows=0 +rows-none"},
		{" id | name \n----+------\n  1 | a   +\n    | b\n(1 row)\n",
				"data valid pass psql rows=1 columns=2"},
		{" id | name \n----+------\n  1 | c++\n(1 row)\n", "data valid pass psql rows=1 columns=2"},
		{" id | name \n----+------\n  1\n(1 row)\n", "data invalid none psql +row-ragged"},
		{" id | id \n----+----\n  1 | 2\n(1 row)\n", "data invalid none psql +header-duplicate"},
		{" id | name \n----+------\n  1 | a\n", "data valid pass psql rows=1 +footer-missing"},
		{" count \n-------\n     5\n(1 row)\n", "data valid pass psql rows=1 columns=1"},
		{"   id name\n0   1    a\n1   2    b\n", "data valid pass pandas rows=2 columns=2"},
		{"   id name\n0   1    a\n\n[2 rows x 2 columns]\n",
				"data invalid none pandas +count-mismatch"},
		{"    id  ...  z\n0    1  ...  2\n..  ..  ... ..\n99   1  ...  2\n\n[100 rows x 30 "
				"columns]\n", "data valid pass pandas rows=100 columns=30 "
				"columns_required=id"},
		{"    id  ...  z\n0    1  ...  2\n\n[1 rows x 30 columns]\n",
				"data indeterminate none pandas columns_required=name +column-not-shown"},
		{"    name\nid      \n1      a\n2      b\n\n[2 rows x 1 columns]\n",
				"data valid pass pandas rows=2 columns=1 columns_required=name"},
		{"   first name  id\n0           a   1\n\n[1 rows x 2 columns]\n",
				"data valid pass pandas rows=1 columns=2"},
		{"<class 'pandas.core.frame.DataFrame'>\nRangeIndex: 2 entries, 0 to 1\nData columns (total "
				"1 columns):\n #   Column  Non-Null Count  Dtype\n---  ------  "
				"--------------  -----\n"
		 " 0   id      2 non-null      int64\ndtypes: int64(1)\n",
		 "data valid pass pandas rows=2 columns=1 columns_required=id"},
		{"<class 'pandas.core.frame.DataFrame'>\nEmpty\n",
				"data indeterminate none pandas +info-partial"},
	};
	CHECK_ROWS(rows);
}

static void json_tables(void)
{
	static const struct row rows[] = {
		{"[{\"a\":NaN}]", "data invalid none json +json-nan"},
		{"[{\"a\":-Infinity}]", "data invalid none json +json-nan"},
		{"[{\"a\":\"NaN\"}]", "data valid pass json rows=1"},
		{"{\"a\":1}\n{\"a\":Infinity}\n", "data invalid none jsonl +json-nan"},
		{"{\"a\":1}\n{\"a\":\n", "data invalid none jsonl +json-cut"},
		{"{\"a\":1}\n{\"a\":2} x\n", "data invalid none jsonl +json-syntax"},
		{"{\"a\":1}\n\n{\"b\":2}\n", "data invalid none jsonl +row-ragged"},
		{"[]", "data invalid none json rows=0 +rows-none"},
		{"{\"data\":[{\"a\":1},{\"a\":null}],\"total\":2}",
				"data valid pass json rows=2 columns=1 missing=1"},
		{"{\"rows\":[]}", "data invalid none json rows=0 +rows-none"},
		{"{\"a\":[1,2],\"b\":[3]}", "data invalid none json +row-ragged"},
		{"{\"a\":[1,2],\"b\":[3,4]}", "data valid pass json rows=2 columns=2"},
		{"{\"a\":{\"0\":1,\"1\":2},\"b\":{\"0\":1}}", "data invalid none json +row-ragged"},
		{"{\"user\":{\"id\":1},\"place\":{\"x\":1,\"y\":2}}",
				"data valid pass json rows=1 columns=2"},
		{"[[1,2],[3]]", "data invalid none json +row-ragged"},
		{"[[1,2],[3,4]]", "data valid pass json rows=2 columns=2"},
		{"{\"columns\":[\"a\",\"a\"],\"data\":[[1,2]]}", "data invalid none json +header-duplicate"},
		{"{\"columns\":[\"a\"],\"data\":[[1,2]]}", "data invalid none json +row-ragged"},
		{"[{\"a\":1,\"a\":2}]", "data invalid none json +json-duplicate-key"},
		{"[{\"\":1}]", "data invalid none json +header-empty"},
		{"[{\"id\":12345678901234567890123}]", "data valid pass json rows=1"},
		{"\xef\xbb\xbf[{\"id\":1}]\r\n", "data valid pass json rows=1"},
		{"[{\"id\":01}]", "data invalid none json +json-syntax"},
		{"[{\"id\":1}] [", "data invalid none json +json-syntax"},
		{"[{'id':1}]", "data invalid none json +json-syntax"},
		{"[\"\\x\"]", "data invalid none json +json-syntax"},
		{"[\"\\ud800\"]", "data valid pass json rows=1"},
	};
	CHECK_ROWS(rows);
}

static void types(void)
{
	static const struct row rows[] = {
		{"id,when,ok,x\n1,2024-02-29,true,1.5\n2,,f,-1e3\n",
				"data valid pass csv rows=2 columns_required=id:integer,when:date,"
				"ok:boolean,x:number"},
		{"id,x\n1,a\n", "data invalid none csv columns_required=x:number +type-wrong"},
		{"id,x\n1,a\n", "data valid pass csv columns_required=x:text"},
		{"id,x\n1.5,a\n", "data invalid none csv columns_required=id:integer +type-wrong"},
		{"id\n2023-02-29\n", "data invalid none csv columns_required=id:date +type-wrong"},
		{"id\n2024-02-29T10:00:00+01:00\n", "data valid pass csv columns_required=id:date"},
		{"id\n2024-02-29Tx\n", "data invalid none csv columns_required=id:date +type-wrong"},
		{"id;x\n1;2,5\n", "data valid pass csv columns_required=x:number"},
		{"id;x\n1;-\n", "data invalid none csv columns_required=x:number +type-wrong"},
		{"id,x\n1,2\n", "data invalid none csv columns_required=y:number +column-missing"},
		{"a:b,x\n1,2\n", "data valid pass csv columns_required=a:b"},
		{"a:b,x\n1,2\n", "data valid pass csv columns_required=a:b:any"},
		{"a:b,x\n1,2\n", "data valid pass csv columns_required=a:b:integer"},
		{"a:b,x\n1,2\n", "data invalid none csv columns_required=a:b:date +type-wrong"},
		{"any,x\n1,2\n", "data valid pass csv columns_required=any"},
		{"   id name\n0   1    a\n", "data valid pass pandas columns_required=id:any"},
		{"id\tx\n1\t2\n", "data valid pass tsv columns_required=id:int"},
		{"[{\"id\":1},{\"id\":\"2\"}]",
				"data invalid none json columns_required=id:integer +type-wrong"},
		{"[{\"id\":1},{\"id\":null},{\"id\":3.0}]",
				"data valid pass json columns_required=id:integer"},
		{"[{\"id\":1.5}]", "data invalid none json columns_required=id:integer +type-wrong"},
		{"[{\"id\":[1]}]", "data invalid none json columns_required=id:text +type-wrong"},
		{"{\"columns\":[\"a\",\"b\"],\"data\":[[1,\"x\"]]}",
				"data invalid none json columns_required=b:number +type-wrong"},
		{"{\"a\":{\"0\":1},\"b\":{\"0\":\"x\"}}",
				"data invalid none json columns_required=b:number +type-wrong"},
		{"{\"a\":[1,2],\"b\":[true,false]}",
				"data valid pass json columns_required=a:integer,b:boolean"},
		{"{\"a\":1}\n{\"a\":true}\n",
				"data invalid none jsonl columns_required=a:number +type-wrong"},
		{" id | name \n----+------\n  1 | a\n  x | b\n(2 rows)\n",
				"data invalid none psql columns_required=id:integer +type-wrong"},
		{" id | name \n----+------\n  1 | a | b\n(1 row)\n",
				"data valid pass psql columns_required=id:integer"},
		{"   id name\n0   1    a\n",
				"data indeterminate none pandas columns_required=id:integer +type-not-seen"},
	};
	CHECK_ROWS(rows);
}

/* ---- numbers ---- */

static void numbers(void)
{
	static const struct {
		const char *x, *y;
		int cmp;
	} rows[] = {
		{"1", "1.0", 0}, {"1e2", "100", 0}, {"0.1e1", "1", 0}, {"-0", "0", 0}, {"0.0", "0e9", 0},
		{"0.1", "0.10", 0}, {"1", "2", -1}, {"-1", "-2", 1}, {"10", "9", 1},
		{"12345678901234567890123", "12345678901234567890124", -1}, {"1e999", "1e998", 1},
		{"1e-999", "0", 1}, {"-1e-999", "0", -1}, {"1.05", "1.5", -1},
		{"100.5", "1005e-1", 0}, {"1e99999999999999999999", "1", 1}, {"0.001", "1e-3", 0},
		{"123.456", "123.4561", -1},
	};
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct decimal x = decimal_of(str_of(rows[i].x)), y = decimal_of(str_of(rows[i].y));
		CHECK_ROW(decimal_cmp(&x, &y) == rows[i].cmp && decimal_cmp(&y, &x) == -rows[i].cmp,
				rows[i].x);
		CHECK_ROW(rows[i].cmp != 0 || decimal_hash(&x) == decimal_hash(&y), rows[i].x);
	}
	struct decimal whole = decimal_of(STR("1.50e1")), part = decimal_of(STR("1.5"));
	CHECK(decimal_is_whole(&whole) && !decimal_is_whole(&part));
}

/* ---- schema ---- */

static struct json *read_json(struct arena *a, const char *text)
{
	struct json_reader r;
	json_reader_init(&r, a, str_of(text), JSON_TOLERANT);
	struct json *v = json_next(&r);
	if (!v || !json_at_end(&r))
		unit_fail(__FILE__, __LINE__, "not JSON: %s", text);
	return v;
}

struct schema_row {
	const char *schema, *doc;
	enum schema_answer want;
};

static void check_schemas(const struct schema_row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct arena a;
		struct schema_result res;
		struct schema_budget left = SCHEMA_BUDGET;
		arena_init(&a, ARENA_CAP_DEFAULT);
		struct json *schema = read_json(&a, rows[i].schema), *doc = read_json(&a, rows[i].doc);
		if (schema && doc) {
			schema_check(&a, schema, doc, &left, &res);
			if (res.answer != rows[i].want)
				unit_fail(__FILE__, __LINE__, "%s on %s is %d, want %d", rows[i].schema,
						rows[i].doc, res.answer, rows[i].want);
			if (res.answer == SCHEMA_NO && !res.notes)
				unit_fail(__FILE__, __LINE__, "%s on %s: no without a reason", rows[i].schema,
						rows[i].doc);
		}
		arena_free(&a);
	}
}

#define CHECK_SCHEMAS(rows) check_schemas(rows, sizeof(rows) / sizeof(rows)[0])
#define Y SCHEMA_YES
#define N SCHEMA_NO
#define U SCHEMA_UNKNOWN

static void schema_values(void)
{
	static const struct schema_row rows[] = {
		{"true", "1", Y}, {"false", "1", N}, {"{}", "null", Y}, {"1", "1", U},
		{"{\"type\":\"string\"}", "\"a\"", Y}, {"{\"type\":\"string\"}", "1", N},
		{"{\"type\":[\"string\",\"null\"]}", "null", Y},
		{"{\"type\":\"integer\"}", "1.0", Y}, {"{\"type\":\"integer\"}", "1.5", N},
		{"{\"type\":\"integer\"}", "12345678901234567890", Y},
		{"{\"type\":\"number\"}", "1.5", Y}, {"{\"type\":\"boolean\"}", "false", Y},
		{"{\"type\":\"bool\"}", "false", U}, {"{\"type\":5}", "1", U},
		{"{\"enum\":[1,\"a\",{\"x\":[1]}]}", "{\"x\":[1.0]}", Y}, {"{\"enum\":[1,\"a\"]}", "2", N},
		{"{\"enum\":1}", "1", U},
		{"{\"const\":{\"a\":1,\"b\":2}}", "{\"b\":2,\"a\":1}", Y}, {"{\"const\":false}", "0", N},
		{"{\"const\":[1,2]}", "[2,1]", N},
		{"{\"minimum\":1.5}", "1.5", Y}, {"{\"minimum\":1.5}", "1.49", N},
		{"{\"exclusiveMinimum\":1}", "1", N}, {"{\"exclusiveMaximum\":1}", "0.999", Y},
		{"{\"minimum\":1,\"exclusiveMinimum\":true}", "1", N},
		{"{\"maximum\":1,\"exclusiveMaximum\":false}", "1", Y}, {"{\"maximum\":\"1\"}", "1", U},
		{"{\"maximum\":9007199254740992}", "9007199254740993", N}, {"{\"minimum\":1}", "\"a\"", Y},
		{"{\"multipleOf\":0.01}", "19.99", Y}, {"{\"multipleOf\":0.01}", "19.999", N},
		{"{\"multipleOf\":7}", "49", Y}, {"{\"multipleOf\":7}", "50", N},
		{"{\"multipleOf\":1e-30}", "1", U}, {"{\"multipleOf\":0}", "1", U},
		{"{\"multipleOf\":3}", "0", Y},
		{"{\"minLength\":2}", "\"\xc3\xa4\"", N}, {"{\"maxLength\":1}", "\"\\ud83d\\ude00\"", Y},
		{"{\"maxLength\":2.0}", "\"abc\"", N},
		{"{\"pattern\":\"^a+$\"}", "\"aaa\"", Y}, {"{\"pattern\":\"^a+$\"}", "\"ab\"", N},
		{"{\"pattern\":\"a\"}", "\"bab\"", Y}, {"{\"pattern\":\"(\"}", "\"a\"", U},
		{"{\"pattern\":\"(\"}", "1", Y},
		{"{\"frobnicate\":1}", "1", U}, {"{\"frobnicate\":1,\"type\":\"string\"}", "1", N},
		{"{\"x-note\":1,\"title\":\"t\",\"$comment\":\"c\",\"default\":1}", "1", Y},
		{"{\"unevaluatedProperties\":false}", "{}", U}, {"{\"format\":\"email\"}", "\"x\"", Y},
	};
	CHECK_SCHEMAS(rows);
}

static void schema_members(void)
{
	static const struct schema_row rows[] = {
		{"{\"required\":[\"a\"]}", "{\"a\":1}", Y}, {"{\"required\":[\"a\"]}", "{}", N},
		{"{\"required\":[\"a\"]}", "[]", Y}, {"{\"required\":\"a\"}", "{}", U},
		{"{\"properties\":{\"a\":{\"type\":\"string\"}}}", "{\"a\":1}", N},
		{"{\"properties\":{\"a\":{\"type\":\"string\"}}}", "{\"b\":1}", Y},
		{"{\"properties\":{\"a\":true},\"additionalProperties\":false}", "{\"a\":1,\"b\":2}", N},
		{"{\"properties\":{\"a\":true},\"additionalProperties\":false}", "{\"a\":1}", Y},
		{"{\"additionalProperties\":{\"type\":\"number\"}}", "{\"a\":\"x\"}", N},
		{"{\"patternProperties\":{\"^x\":{\"type\":\"number\"}},\"additionalProperties\":false}",
				"{\"xa\":1}", Y},
		{"{\"patternProperties\":{\"^x\":{\"type\":\"number\"}}}", "{\"xa\":\"1\"}", N},
		{"{\"patternProperties\":{\"^x\":{}},\"additionalProperties\":false}", "{\"y\":1}", N},
		{"{\"patternProperties\":{\"(\":{}},\"additionalProperties\":false}", "{\"y\":1}", U},
		{"{\"propertyNames\":{\"maxLength\":1}}", "{\"ab\":1}", N},
		{"{\"propertyNames\":{\"maxLength\":1}}", "{\"a\":1}", Y},
		{"{\"minProperties\":1}", "{}", N}, {"{\"maxProperties\":1}", "{\"a\":1,\"b\":2}", N},
		{"{\"dependentRequired\":{\"a\":[\"b\"]}}", "{\"a\":1}", N},
		{"{\"dependencies\":{\"a\":{\"required\":[\"b\"]}}}", "{\"a\":1,\"b\":1}", Y},
		{"{\"items\":{\"type\":\"number\"}}", "[1,2,\"3\"]", N},
		{"{\"items\":{\"type\":\"number\"}}", "[1,2]", Y}, {"{\"items\":false}", "[]", Y},
		{"{\"prefixItems\":[{\"type\":\"string\"}],\"items\":{\"type\":\"number\"}}", "[\"a\",1,2]",
				Y},
		{"{\"prefixItems\":[{\"type\":\"string\"}],\"items\":false}", "[\"a\",1]", N},
		{"{\"prefixItems\":[{\"type\":\"string\"}]}", "[1]", N},
		{"{\"items\":[{\"type\":\"string\"}],\"additionalItems\":false}", "[\"a\",1]", N},
		{"{\"items\":[{\"type\":\"string\"}]}", "[\"a\",1]", Y},
		{"{\"contains\":{\"type\":\"number\"}}", "[\"a\",1]", Y},
		{"{\"contains\":{\"type\":\"number\"}}", "[\"a\"]", N},
		{"{\"contains\":{},\"maxContains\":1}", "[1,2]", N},
		{"{\"contains\":{},\"maxContains\":1.0}", "[1,2]", N},
		{"{\"contains\":{},\"minContains\":2.00}", "[1,2]", Y},
		{"{\"contains\":{},\"minContains\":1.5}", "[1,2]", U},
		{"{\"contains\":{\"odd\":1},\"minContains\":0}", "[1]", Y},
		{"{\"contains\":{\"odd\":1}}", "[1]", U},
		{"{\"minItems\":1,\"maxItems\":2}", "[]", N},
		{"{\"minItems\":1,\"maxItems\":2}", "[1,2,3]", N}, {"{\"maxItems\":2}", "[1,2]", Y},
		{"{\"uniqueItems\":true}", "[1,\"1\",1.0]", N},
		{"{\"uniqueItems\":true}", "[{\"a\":1,\"b\":2},{\"b\":2,\"a\":1}]", N},
		{"{\"uniqueItems\":true}", "[1,true,[1],[2],{}]", Y},
		{"{\"uniqueItems\":false}", "[1,1]", Y},
	};
	CHECK_SCHEMAS(rows);
}

static void schema_combined(void)
{
	static const struct schema_row rows[] = {
		{"{\"allOf\":[{\"minimum\":1},{\"maximum\":2}]}", "3", N},
		{"{\"allOf\":[{\"minimum\":1},{\"maximum\":2}]}", "2", Y}, {"{\"allOf\":{}}", "2", U},
		{"{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"number\"}]}", "1", Y},
		{"{\"anyOf\":[{\"type\":\"string\"},{\"type\":\"number\"}]}", "null", N},
		{"{\"anyOf\":[{\"odd\":1},{\"type\":\"number\"}]}", "1", Y},
		{"{\"anyOf\":[{\"odd\":1},{\"type\":\"string\"}]}", "1", U},
		{"{\"oneOf\":[{\"minimum\":1},{\"minimum\":2}]}", "3", N},
		{"{\"oneOf\":[{\"minimum\":1},{\"minimum\":2}]}", "1", Y},
		{"{\"oneOf\":[{\"odd\":1},{\"minimum\":1}]}", "1", U},
		{"{\"not\":{\"type\":\"string\"}}", "1", Y}, {"{\"not\":{\"type\":\"string\"}}", "\"a\"", N},
		{"{\"not\":{\"odd\":1}}", "1", U}, {"{\"not\":{}}", "1", N},
		{"{\"if\":{\"minimum\":5},\"then\":{\"maximum\":7},\"else\":{\"minimum\":0}}", "8", N},
		{"{\"if\":{\"minimum\":5},\"then\":{\"maximum\":7},\"else\":{\"minimum\":0}}", "-1", N},
		{"{\"if\":{\"minimum\":5},\"then\":{\"maximum\":7},\"else\":{\"minimum\":0}}", "6", Y},
		{"{\"if\":{\"odd\":5},\"then\":{\"maximum\":7}}", "8", U},
		{"{\"$ref\":\"#/$defs/a\",\"$defs\":{\"a\":{\"type\":\"string\"}}}", "1", N},
		{"{\"$ref\":\"#/$defs/a~1b%20c\",\"$defs\":{\"a/b c\":{\"type\":\"number\"}}}", "1", Y},
		{"{\"$ref\":\"other.json\"}", "1", U}, {"{\"$ref\":\"#/nowhere\"}", "1", U},
		{"{\"$ref\":\"#\"}", "1", U},
		{"{\"properties\":{\"next\":{\"$ref\":\"#\"}},\"required\":[\"v\"]}",
				"{\"v\":1,\"next\":{\"v\":2,\"next\":{}}}", N},
		{"{\"properties\":{\"next\":{\"$ref\":\"#\"}},\"required\":[\"v\"]}",
				"{\"v\":1,\"next\":{\"v\":2}}", Y},
		{"{\"$ref\":\"#/allOf/1\",\"allOf\":[{},{\"type\":\"string\"}]}", "1", N},
		{"{\"$schema\":\"http://json-schema.org/draft-07/schema#\","
				"\"properties\":{\"a\":{\"$ref\":\"#/definitions/n\","
				"\"type\":\"string\"}},\"definitions\":{\"n\":{\"type\":\"number\"}}}",
			"{\"a\":1}", Y},
		{"{\"properties\":{\"a\":{\"$ref\":\"#/$defs/n\",\"type\":\"string\"}},"
				"\"$defs\":{\"n\":{\"type\":\"number\"}}}", "{\"a\":1}", N},
		{"{\"$id\":\"https://example.com/x\",\"type\":\"number\"}", "1", Y},
		{"{\"allOf\":[{\"$id\":\"y\"}]}", "1", U},
		{"{\"$schema\":\"https://example.com/mine\",\"type\":\"number\"}", "1", U},
		{"{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\"}", "1", Y},
		/* the same member once as a pattern, once as a keyword */
		{"{\"patternProperties\":{\"pattern\":\"^z\"},"
				"\"allOf\":[{\"$ref\":\"#/patternProperties\"}]}", "{\"pattern\":1}", U},
	};
	CHECK_SCHEMAS(rows);
}

/* A check that takes more and more time ends with unknown. */
static void schema_bounds(void)
{
	static const struct schema_row rows[] = {
		{"{\"$defs\":{\"a\":{\"anyOf\":[{\"$ref\":\"#/$defs/a\"},{\"$ref\":\"#/$defs/a\"}]}},"
				"\"$ref\":\"#/$defs/a\"}", "1", U},
		{"{\"allOf\":[{\"$ref\":\"#\"},{\"$ref\":\"#\"},{\"$ref\":\"#\"}]}", "{\"a\":[1,2,3]}", U},
		{"{\"pattern\":\"^(a|a)*$\"}",
				"\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab\"", U},
	};
	CHECK_SCHEMAS(rows);
}

static void schema_task(void)
{
	static const struct {
		const char *out, *schema, *want;
	} rows[] = {
		{"{\"a\":1}", "{\"required\":[\"a\"]}", "json valid pass json values=1"},
		{"{\"a\":1}", "{\"required\":[\"b\"]}", "json invalid none json +schema-violation"},
		{"{\"a\":1}", "{\"require\":[\"b\"]}", "json indeterminate none json +schema-unsupported"},
		{"{\"a\":1}", "{\"required\":", "json indeterminate none json +schema-bad"},
		{"{\"a\":NaN}", "{}", "json invalid none json +json-nan"},
		{"{\"a\":1}\n{\"a\":2}\n", "{\"required\":[\"a\"]}", "json valid pass jsonl values=2"},
		{"{\"a\":1}\n{\"b\":2}\n", "{\"required\":[\"a\"]}",
				"json invalid none jsonl +schema-violation"},
		{"\"x\"", "{\"format\":\"email\"}", "json valid pass json +schema-format"},
		{"hello", "{}", "json invalid none json +json-syntax"},
	};
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct arena a;
		arena_init(&a, ARENA_CAP_DEFAULT);
		struct validate_input in = {.out = str_of(rows[i].out), .schema = str_of(rows[i].schema),
				.status = STATUS_OK};
		expect_line(&a, "schema", rows[i].out, in, str_of(rows[i].want));
		arena_free(&a);
	}
}

static void many_keys(void)
{
	struct arena a;
	struct buf b;
	struct json_reader r;
	arena_init(&a, ARENA_CAP_DEFAULT);
	buf_init(&b, &a, 0);
	buf_char(&b, '{');
	for (int i = 0; i < 50000; i++)
		buf_fmt(&b, "%s\"k%d\":%d", i ? "," : "", i, i);
	buf_char(&b, '}');
	json_reader_init(&r, &a, buf_view(&b), JSON_TOLERANT);
	struct json *v = json_next(&r);
	CHECK(v && v->n == 50000);
	CHECK_INT(json_int(json_key(v, "k49999"), -1), 49999);
	CHECK(!json_key(v, "k50000"));
	arena_free(&a);
}

/* Keys whose hashes collide must not make an object slow: a bound ends it. */
static void colliding_keys(void)
{
	struct arena a;
	struct buf b;
	struct json_reader r;
	arena_init(&a, ARENA_CAP_DEFAULT);
	buf_init(&b, &a, 0);
	buf_char(&b, '{');
	size_t found = 0;
	for (int i = 0; found < 700; i++) {
		char key[16];
		int n = snprintf(key, sizeof key, "k%d", i);
		if ((str_hash(str_n(key, (size_t)n)) & 0xfff) == 0)
			buf_fmt(&b, "%s\"%s\":1", found++ ? "," : "", key);
	}
	buf_char(&b, '}');
	json_reader_init(&r, &a, buf_view(&b), JSON_TOLERANT);
	CHECK(!json_next(&r) && r.trouble == JSON_LIMIT);
	struct validation v;
	struct validate_input in = {.task = TASK_DATA, .out = buf_view(&b), .status = STATUS_OK};
	validate_text(&a, &in, &v);
	CHECK(v.validity == VALIDITY_INDETERMINATE && expect_noted(&v, STR("too-large")));
	arena_free(&a);
}

static void many_columns(void)
{
	struct arena a;
	struct buf b;
	struct validation v;
	arena_init(&a, ARENA_CAP_DEFAULT);
	buf_init(&b, &a, 0);
	for (int i = 0; i < 70000; i++)
		buf_fmt(&b, "%sc%d", i ? "," : "", i);
	buf_c(&b, "\n1,2\n");
	struct validate_input in = {.task = TASK_DATA, .out = buf_view(&b), .status = STATUS_OK};
	validate_text(&a, &in, &v);
	CHECK(v.validity == VALIDITY_INDETERMINATE && expect_noted(&v, STR("too-large")));
	arena_free(&a);
}

int main(void)
{
	RUN(samples);
	RUN(separated);
	RUN(nul_bytes);
	RUN(names_in_messages);
	RUN(printed);
	RUN(json_tables);
	RUN(types);
	RUN(numbers);
	RUN(schema_values);
	RUN(schema_members);
	RUN(schema_combined);
	RUN(schema_bounds);
	RUN(schema_task);
	RUN(many_keys);
	RUN(colliding_keys);
	RUN(many_columns);
	return unit_end();
}
