/*
 * The sets of `caisson selftest`: parsing, judging and counting. tests/run/selftest.sh runs the shipped ones.
 */
#include "base/json.h"
#include "self/selftest.h"
#include "torture.h"
#include "unit.h"

static struct arena a;

static void test_reading(void)
{
	static const char text[] =
			"# a comment\n\n[one] The first\nls \\n -l\n[ -f x ] && echo "
			"'a\\\\n\\tb\\q'\n[two-b] The second\n  # no comment\n\nlast\\";
	struct selftest_set s;
	struct err e = {0};

	CHECK_INT(selftest_parse(&a, str_of(text), SELFTEST_ORDINARY, &s, &e), 0);
	CHECK_INT(s.total, 4);
	CHECK_STR(s.classes->name, "one");
	CHECK_STR(s.classes->title, "The first");
	CHECK_INT(s.classes->total, 2);
	CHECK_STR(s.classes->rows->command, "ls \n -l");
	CHECK_STR(s.classes->rows->next->command, "[ -f x ] && echo 'a\\n\tb\\q'");
	CHECK_STR(s.classes->next->name, "two-b");
	CHECK_STR(s.classes->next->rows->command, "  # no comment");
	CHECK_STR(s.classes->next->rows->next->command, "last\\");
	CHECK(!s.classes->next->next);
}

static void test_errors(void)
{
	static const struct {
		const char *text, *why;
	} rows[] = {
		{"ls\n", "line 1: a command before the first '[class] title'"},
		{"# x\n[one\n", "line 2: expected '[class] title'"},
		{"[one]\n", "line 1: expected '[class] title'"},
		{"[one] \n", "line 1: expected '[class] title'"},
		{"[one] t\nls\n[two]x\n", "line 3: expected '[class] title'"},
	};
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct selftest_set s;
		struct err e = {0};
		CHECK_ROW(selftest_parse(&a, str_of(rows[i].text), SELFTEST_ATTEMPTS, &s, &e) == -1,
				rows[i].text);
		CHECK_STR(str_of(e.text), rows[i].why);
	}
}

static void test_counting(void)
{
	static const char text[] = "[c] t\nls\nrm -rf /etc\nmake\ncurl https://example.com\n";
	struct policies p;
	struct err e = {0};
	struct buf b;
	struct json *v = NULL;
	struct selftest_set attempts, ordinary;
	struct selftest_request rq = {.context = &(struct context){.cwd = STR("/w/p")}, .policies = &p};

	policies_default(&p);
	CHECK_INT(selftest_parse(&a, str_of(text), SELFTEST_ATTEMPTS, &attempts, &e), 0);
	CHECK_INT(selftest_parse(&a, str_of(text), SELFTEST_ORDINARY, &ordinary, &e), 0);
	CHECK_INT(selftest_judge(&attempts, &rq, &e), 0);
	CHECK_INT(selftest_judge(&ordinary, &rq, &e), 0);
	for (int i = 0; i < 4; i++)
		CHECK(attempts.by[i] == 1 && attempts.classes->by[i] == 1);
	CHECK_INT(selftest_failures(&attempts), 1);
	CHECK_INT(selftest_failures(&ordinary), 2);
	buf_init(&b, &a, 0);
	buf_char(&b, '{');
	selftest_json(&b, &attempts, &ordinary, &p);
	buf_char(&b, '}');
	CHECK_INT(json_read(&a, buf_view(&b), &v, &e), 0);
	const struct json *missed = json_key(unit_item(json_key(json_key(v, "attempts"), "classes"), 0),
			"missed");
	CHECK_INT((intmax_t)json_size(missed), 1);
	CHECK_STR(json_text_at(unit_item(missed, 0), "command"), "ls");
	const struct json *stopped = json_key(unit_item(json_key(json_key(v, "ordinary"), "classes"), 0),
			"interrupted");
	CHECK_INT((intmax_t)json_size(stopped), 2);
	CHECK_STR(json_text_at(unit_item(stopped, 1), "id"), "network");
}

static int parse_shipped(struct arena *x, void *ctx)
{
	struct selftest_set s;
	(void)ctx;
	return selftest_parse(x, str_sub(selftest_text(SELFTEST_ATTEMPTS), 0, 2000), SELFTEST_ATTEMPTS, &s,
			NULL) == 0 ? 0 : 1;
}

static void test_shipped(void)
{
	struct torture t;
	for (int k = SELFTEST_ATTEMPTS; k <= SELFTEST_ORDINARY; k++) {
		struct selftest_set s;
		struct err e = {0};
		CHECK_INT(selftest_parse(&a, selftest_text((enum selftest_kind)k), (enum selftest_kind)k, &s,
				&e), 0);
		CHECK_STR(str_of(e.text), "");
		CHECK(s.total >= 250);
	}
	CHECK_INT(torture(parse_shipped, NULL, 200, &t), 0);
}

int main(void)
{
	arena_init(&a, ARENA_CAP_DEFAULT);
	RUN(test_reading);
	RUN(test_errors);
	RUN(test_counting);
	RUN(test_shipped);
	arena_free(&a);
	return unit_end();
}
