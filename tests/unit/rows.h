/*
 * The rows of tests/cases: what one is (test_cases.c says what stands in it) and how a file of them is read. For the tests that judge them.
 */
#pragma once
#include "base/str.h"
#include "unit.h"

#define CASES_DIR "tests/cases"
#define CASES_FILE_MAX ((size_t)4 << 20)
#define KEYS_MAX 12

struct expectation {
	struct str key, value;
};

struct row {
	size_t line;
	struct str verdict, command;
	struct expectation keys[KEYS_MAX];
	size_t nkeys;
};

static int hex(char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1; }

static struct str unescape(struct arena *a, struct str s)
{
	static const char names[] = "ntrfve\\0", bytes[] = "\n\t\r\f\v\033\\\0";
	struct buf b;

	buf_init(&b, a, 0);
	for (size_t i = 0; i < s.n; i++) {
		const char *name = s.p[i] == '\\' && i + 1 < s.n ? memchr(names, s.p[i + 1], sizeof(names) - 1) : NULL;

		if (name) {
			buf_char(&b, bytes[name - names]);
			i++;
		} else if (s.p[i] == '\\' && i + 3 < s.n && s.p[i + 1] == 'x' && hex(s.p[i + 2]) >= 0 && hex(s.p[i + 3]) >= 0) {
			buf_char(&b, (char)(hex(s.p[i + 2]) * 16 + hex(s.p[i + 3])));
			i += 3;
		} else {
			buf_char(&b, s.p[i]);
		}
	}
	return buf_view(&b);
}

static struct str next_line(struct str text, size_t *at)
{
	ptrdiff_t nl = str_find(text, '\n', *at);
	struct str l = str_sub(text, *at, nl < 0 ? text.n : (size_t)nl);

	*at = nl < 0 ? text.n : (size_t)nl + 1;
	return l;
}

static struct str trim(struct str s)
{
	while (s.n && (s.p[0] == ' ' || s.p[0] == '\t'))
		s = str_sub(s, 1, s.n);
	while (s.n && (s.p[s.n - 1] == ' ' || s.p[s.n - 1] == '\t'))
		s.n--;
	return s;
}

static bool row_head(struct arena *a, struct str l, struct row *r)
{
	ptrdiff_t colon = str_find(l, ':', 0);

	if (colon < 0)
		return false;
	r->verdict = str_sub(l, 0, (size_t)colon);
	r->command = str_sub(l, (size_t)colon + 1 + ((size_t)colon + 1 < l.n && l.p[colon + 1] == ' '), l.n);
	if (str_ends(r->verdict, "-e")) {
		r->verdict.n -= 2;
		r->command = unescape(a, r->command);
	}
	return str_is(r->verdict, "allow") || str_is(r->verdict, "ask") || str_is(r->verdict, "contain") || str_is(r->verdict, "deny") || str_is(r->verdict, "stop") ||
	       str_is(r->verdict, "sound");
}

/* The next row at *at; false at the end. A line that is none is a failure. */
static bool row_read(struct arena *a, const char *file, struct str text, size_t *at, size_t *line, struct str *common, struct row *ret)
{
	bool head = false, lines = false;

	*ret = (struct row){0};
	while (*at < text.n) {
		size_t here = *at;
		struct str l = next_line(text, at), t = trim(l);
		ptrdiff_t colon = str_find(t, ':', 0);

		if (head && (!l.n || l.p[0] != '\t')) {
			*at = here;
			return true;
		}
		++*line;
		if (str_starts(l, "@config "))
			*common = str_sub(l, 8, l.n);
		if (!t.n || l.p[0] == '#' || l.p[0] == '@')
			continue;
		if (!head) {
			head = row_head(a, l, ret);
			ret->line = *line;
			if (!head)
				unit_fail(file, (int)*line, "not a row: %.*s", STR_ARG(l));
		} else if (t.p[0] == '|') {
			struct str more = str_sub(t, 1 + (t.n > 1 && t.p[1] == ' '), t.n);

			more = str_sub(l, (size_t)(more.p - l.p), l.n); /* blanks at the end count */
			ret->command = lines ? str_fmt(a, "%.*s\n%.*s", STR_ARG(ret->command), STR_ARG(more)) : more;
			lines = true;
		} else if (colon > 0 && ret->nkeys < KEYS_MAX) {
			ret->keys[ret->nkeys++] = (struct expectation){str_sub(t, 0, (size_t)colon), trim(str_sub(t, (size_t)colon + 1, t.n))};
		} else {
			unit_fail(file, (int)*line, "not an expectation: %.*s", STR_ARG(t));
		}
	}
	return head;
}

static struct str row_get(const struct row *r, const char *key)
{
	for (size_t i = 0; i < r->nkeys; i++)
		if (str_is(r->keys[i].key, key))
			return r->keys[i].value;
	return STR("");
}
