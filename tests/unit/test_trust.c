/* The trust store: what is trusted, what is refused, and the file it lives in. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/trust.h"
#include "sys/file.h"
#include "unit.h"

#define ONE "1111111111111111111111111111111111111111111111111111111111111111"
#define TWO "2222222222222222222222222222222222222222222222222222222222222222"
#define WHEN STR("2026-01-01T00:00:00Z")

static struct arena arena;
static struct arena *const A = &arena;
static char dir[] = "/tmp/caisson-trust-XXXXXX";

static bool trusted(struct str store, const char *path, const char *digest)
{
	bool yes = true;
	struct err e;
	CHECK_INT(trust_is(A, store, str_of(path), str_of(digest), &yes, &e), 0);
	return yes;
}

static struct str with(struct str store, const char *path, const char *digest)
{
	struct err e;
	struct str s = STR("untouched");
	CHECK_INT(trust_add(A, store, str_of(path), str_of(digest), WHEN, &s, &e), 0);
	return s;
}

static void test_trust(void)
{
	struct str s = STR("");
	bool found;
	struct err e;
	CHECK(!trusted(s, "/p/.caisson.yaml", ONE));
	s = with(s, "/p/.caisson.yaml", "sha256:" ONE);
	CHECK_STR(s, "[\n{\"path\":\"/p/.caisson.yaml\",\"sha256\":\"" ONE
			"\",\"when\":\"2026-01-01T00:00:00Z\"}\n]\n");
	CHECK(trusted(s, "/p/.caisson.yaml", ONE));
	CHECK(trusted(s, "/p/.caisson.yaml", "sha256:" ONE));
	CHECK(!trusted(s, "/p/.caisson.yaml", TWO)); /* the content changed */
	CHECK(!trusted(s, "/p/.caisson.yam", ONE));
	CHECK(!trusted(s, "/q/.caisson.yaml", ONE)); /* the same content elsewhere */
	CHECK(!trusted(s, "/p/.caisson.yaml", ""));
	CHECK(!trusted(s, "/p/.caisson.yaml", "sha256:"));
	s = with(s, "/q", TWO);
	s = with(s, "/p/.caisson.yaml", TWO); /* the new content instead of the old */
	CHECK(trusted(s, "/q", TWO));
	CHECK(trusted(s, "/p/.caisson.yaml", TWO));
	CHECK(!trusted(s, "/p/.caisson.yaml", ONE));
	CHECK_INT(trust_remove(A, s, STR("/q"), &s, &found, &e), 0);
	CHECK(found);
	CHECK(!trusted(s, "/q", TWO));
	CHECK(trusted(s, "/p/.caisson.yaml", TWO));
	CHECK_INT(trust_remove(A, s, STR("/q"), &s, &found, &e), 0);
	CHECK(!found);
	CHECK_INT(trust_remove(A, s, STR("/p/.caisson.yaml"), &s, &found, &e), 0);
	struct trust_entry *list;
	CHECK_INT(trust_read(A, s, &list, &e), 0);
	CHECK(!list);
}

static void test_odd_names(void)
{
	struct str s = with(STR(""), "/a \"quoted\"\n\xc3\xa9", ONE);
	CHECK(trusted(s, "/a \"quoted\"\n\xc3\xa9", ONE));
	struct err e;
	struct str out = STR("untouched");
	/* two such names would look the same in JSON */
	CHECK_INT(trust_add(A, s, STR("/bad\xff"), STR(ONE), WHEN, &out, &e), -1);
	CHECK_INT(trust_add(A, s, STR("relative"), STR(ONE), WHEN, &out, &e), -1);
	CHECK_INT(trust_add(A, s, STR(""), STR(ONE), WHEN, &out, &e), -1);
	CHECK_INT(trust_add(A, s, STR("/nul\0x"), STR(ONE), WHEN, &out, &e), -1);
	CHECK_INT(trust_add(A, s, STR("/p"), STR("123"), WHEN, &out, &e), -1);
	CHECK_INT(trust_add(A, s, STR("/p"), STR("sha512:" ONE), WHEN, &out, &e), -1);
	CHECK_STR(out, "untouched");
	CHECK(!trusted(with(STR(""), "/bad\xef\xbf\xbd", ONE), "/bad\xff", ONE));
}

static void test_broken(void)
{
	static const char *const rows[] = {
		"{}", "null", "[", "[1]", "[null]", "[[]]", "[{}]", "x", "[]x",
		"[{\"path\": \"/p\", \"sha256\": \"" ONE "\"}]",
		"[{\"path\": \"/p\", \"sha256\": \"" ONE "\", \"when\": 1}]",
		"[{\"path\": \"p\", \"sha256\": \"" ONE "\", \"when\": \"\"}]",
		"[{\"path\": \"/p\", \"sha256\": \"11\", \"when\": \"\"}]",
		"[{\"path\": \"/p\", \"path\": \"/q\", \"sha256\": \"" ONE "\", \"when\": \"\"}]",
		"[{\"path\": \"/p\", \"sha256\": \"" ONE "\", \"when\": \"\", \"more\": 1}]",
		/* good entries before the bad one do not count */
		"[{\"path\": \"/p\", \"sha256\": \"" ONE "\", \"when\": \"\"}, {}]",
	};
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		bool yes = false;
		struct str s = STR("untouched");
		struct err e = {0};
		CHECK_ROW(trust_is(A, str_of(rows[i]), STR("/p"), STR(ONE), &yes, &e) == -1, rows[i]);
		CHECK_ROW(!yes, rows[i]);
		CHECK_ROW(strstr(e.text, "the trust store is broken"), rows[i]);
		CHECK_ROW(trust_add(A, str_of(rows[i]), STR("/p"), STR(ONE), WHEN, &s, &e) == -1, rows[i]);
		CHECK_ROW(trust_remove(A, str_of(rows[i]), STR("/p"), &s, &yes, &e) == -1, rows[i]);
		CHECK_ROW(str_is(s, "untouched"), rows[i]);
	}
	bool yes = false;
	CHECK_INT(trust_is(A, STR(" [ ] "), STR("/p"), STR(ONE), &yes, NULL), 0);
	char *big = arena_alloc(A, TRUST_BYTES_MAX + 1);
	memset(big, ' ', TRUST_BYTES_MAX + 1);
	CHECK_INT(trust_is(A, str_n(big, TRUST_BYTES_MAX + 1), STR("/p"), STR(ONE), &yes, NULL), -1);
	struct buf b;
	buf_init(&b, A, 0);
	for (int i = 0; i <= TRUST_ENTRIES_MAX; i++)
		buf_fmt(&b, "%s{\"path\":\"/%d\",\"sha256\":\"" ONE "\",\"when\":\"\"}", i ? "," : "[", i);
	buf_c(&b, "]");
	CHECK_INT(trust_is(A, buf_view(&b), STR("/1"), STR(ONE), &yes, NULL), -1);
	CHECK(!yes);
}

struct adding {
	struct arena *a;
	struct str store, text;
};

static int add_one(void *arg)
{
	struct adding *t = arg;
	struct err e;
	if (trust_add(t->a, t->store, STR("/x"), STR(ONE), WHEN, &t->text, &e) == 0)
		return 0;
	CHECK_INT(e.kind, ERR_LIMIT);
	return 1;
}

/*
 * Each allocation fails once: an error or the way out, never a text that is cut short. Leaks show under
 * AddressSanitizer.
 */
static void test_torture(void)
{
	struct str store = with(with(STR(""), "/a", ONE), "/b", TWO), good = with(store, "/x", ONE);
	size_t n = 0, refused = 0;
	for (bool failed = true; failed && n < 200;) {
		struct arena a;
		struct adding t = {.a = &a, .store = store, .text = STR("")};
		arena_init(&a, ARENA_CAP_DEFAULT);
		a.fail_at = ++n;
		int code = arena_run(&a, add_one, &t);
		failed = a.allocs >= n;
		CHECK_INT(code == 0, !failed);
		CHECK_STRN(t.text, code == 0 ? good : STR(""));
		refused += code != 0;
		arena_free(&a);
	}
	CHECK(refused > 5);
}

static struct str file(void) { return str_fmt(A, "%s/trust.json", dir); }

static void test_file(void)
{
	struct err e;
	struct str s = STR("x");
	struct stat st;
	CHECK_INT(trust_load(A, file(), (uint32_t)getuid(), &s, &e), 0);
	CHECK_STR(s, "");
	CHECK_INT(trust_save(A, file(), with(s, "/p", ONE), &e), 0);
	CHECK_INT(stat(str_c(A, file()), &st), 0);
	CHECK_INT(st.st_mode & 07777, 0600);
	CHECK_INT(trust_load(A, file(), (uint32_t)getuid(), &s, &e), 0);
	CHECK(trusted(s, "/p", ONE));
	CHECK_INT(trust_save(A, file(), with(s, "/q", TWO), &e), 0);
	CHECK_INT(trust_load(A, file(), (uint32_t)getuid(), &s, &e), 0);
	CHECK(trusted(s, "/p", ONE) && trusted(s, "/q", TWO));
	CHECK_INT(chmod(str_c(A, file()), 0666), 0);
	CHECK_INT(trust_load(A, file(), (uint32_t)getuid(), &s, &e), -1);
	CHECK(strstr(e.text, "chmod go-w"));
	CHECK_INT(trust_load(A, str_of(dir), (uint32_t)getuid(), &s, &e), -1);
	CHECK_INT(trust_save(A, str_fmt(A, "%s/none/trust.json", dir), STR("[]"), &e), -1);
}

int main(void)
{
	if (!mkdtemp(dir))
		return 1;
	arena_init(A, ARENA_CAP_DEFAULT);
	RUN(test_trust);
	RUN(test_odd_names);
	RUN(test_broken);
	RUN(test_torture);
	RUN(test_file);
	unlink(str_c(A, file()));
	CHECK_INT(rmdir(dir), 0);
	unit_result("everything is removed");
	arena_free(A);
	return unit_end();
}
