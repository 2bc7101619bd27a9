/*
 * The rows of tests/cases: how the files are found and read. test_cases.c describes the format of a row.
 */
#pragma once
#include <dirent.h>
#include <stdlib.h>

#include "base/str.h"
#include "sys/file.h"
#include "unit.h"

#define CASES_DIR "tests/cases"
#define CASES_POLICIES CASES_DIR "/policies.txt" /* definitions of named policies, no rows */
#define CASES_FILE_MAX ((size_t)4 << 20)
#define CASES_PATH_MAX 600
#define KEYS_MAX 12

struct expectation {
	struct str key, value;
};

struct row {
	size_t line;
	struct str verdict, command;
	struct str policy; /* YAML: the named policy of the row or of its file; `config` is added to it */
	struct expectation keys[KEYS_MAX];
	size_t nkeys;
};

/* One file of rows while it is read. All strings belong to `a` or to `text`. */
struct rows {
	struct arena *a;
	const char *path;
	struct str text, policies; /* of this file, of CASES_POLICIES */
	size_t at, line;	   /* after the last row that was read */
	struct str policy;	   /* of all rows of the file */
	bool begun;		   /* a row was read */
};

static int hex(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)(c | 0x20);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static struct str unescape(struct arena *a, struct str s)
{
	static const char names[] = "ntrfve\\0", bytes[] = "\n\t\r\f\v\033\\\0";
	struct buf b;

	buf_init(&b, a, 0);
	for (size_t i = 0; i < s.n; i++) {
		const char *name = s.p[i] == '\\' && i + 1 < s.n ? memchr(names, s.p[i + 1],
				sizeof(names) - 1) : NULL;

		if (name) {
			buf_char(&b, bytes[name - names]);
			i++;
		} else if (s.p[i] == '\\' && i + 3 < s.n && s.p[i + 1] == 'x' && hex(s.p[i + 2]) >= 0 &&
				hex(s.p[i + 3]) >= 0) {
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

static bool is_verdict(struct str s)
{
	static const char *const names[] = {"allow", "contain", "ask", "deny", "stop", "sound"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (str_is(s, names[i]))
			return true;
	return false;
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
	return is_verdict(r->verdict);
}

/* The value of a key; empty also without the key. */
static struct str row_get(const struct row *r, const char *key)
{
	for (size_t i = 0; i < r->nkeys; i++)
		if (str_is(r->keys[i].key, key))
			return r->keys[i].value;
	return STR("");
}

/* The YAML of a named policy: the lines after `@policy NAME` that begin with a tab. */
static struct str named_policy(const struct rows *f, struct str name)
{
	struct buf b;
	bool ours = false;

	buf_init(&b, f->a, 0);
	for (size_t at = 0; at < f->policies.n;) {
		struct str l = next_line(f->policies, &at);

		if (str_starts(l, "@policy "))
			ours = str_eq(trim(str_sub(l, 8, l.n)), name);
		else if (ours && l.n && l.p[0] == '\t')
			buf_fmt(&b, "%.*s\n", STR_ARG(str_sub(l, 1, l.n)));
	}
	if (!b.n)
		unit_fail(f->path, (int)f->line, "no policy '%.*s' in " CASES_POLICIES, STR_ARG(name));
	return buf_view(&b);
}

/* `@policy NAME` before the first row: for all rows of the file. */
static void file_policy(struct rows *f, struct str l)
{
	if (!str_starts(l, "@policy ") || f->begun)
		unit_fail(f->path, (int)f->line, "not '@policy NAME' before the first row: %.*s", STR_ARG(l));
	else
		f->policy = named_policy(f, trim(str_sub(l, 8, l.n)));
}

/* A line of a row after its head: one more line of the command, or an expectation. */
static void row_line(struct rows *f, struct str l, bool *lines, struct row *r)
{
	struct str t = trim(l);
	ptrdiff_t colon = str_find(t, ':', 0);

	if (t.p[0] == '|') {
		struct str more = str_sub(t, 1 + (t.n > 1 && t.p[1] == ' '), t.n);

		more = str_sub(l, (size_t)(more.p - l.p), l.n); /* blanks at the end count */
		r->command = *lines ? str_fmt(f->a, "%.*s\n%.*s", STR_ARG(r->command), STR_ARG(more)) : more;
		*lines = true;
	} else if (colon > 0 && r->nkeys < KEYS_MAX) {
		struct str key = str_sub(t, 0, (size_t)colon);
		struct str value = trim(str_sub(t, (size_t)colon + 1, t.n));

		r->keys[r->nkeys++] = (struct expectation){key, value};
		if (str_is(key, "policy"))
			r->policy = named_policy(f, value);
	} else {
		unit_fail(f->path, (int)f->line, "not an expectation: %.*s", STR_ARG(t));
	}
}

/* False, and a failure, when the file cannot be read. */
static bool rows_open(struct arena *a, const char *path, struct rows *ret)
{
	struct err e = {0};

	*ret = (struct rows){.a = a, .path = path};
	if (file_read(a, path, CASES_FILE_MAX, &ret->text, NULL, &e) == 0 &&
	    file_read(a, CASES_POLICIES, CASES_FILE_MAX, &ret->policies, NULL, &e) == 0)
		return true;
	unit_fail(path, 0, "%s", e.text);
	return false;
}

/* The next row; false at the end. A line that belongs to no row is a failure. */
static bool rows_next(struct rows *f, struct row *ret)
{
	bool head = false, lines = false;

	while (f->at < f->text.n) {
		size_t here = f->at;
		struct str l = next_line(f->text, &f->at);

		if (head && (!l.n || l.p[0] != '\t')) {
			f->at = here;
			return true;
		}
		f->line++;
		if (!trim(l).n || l.p[0] == '#')
			continue;
		if (l.p[0] == '@') {
			file_policy(f, l);
		} else if (head) {
			row_line(f, l, &lines, ret);
		} else {
			*ret = (struct row){.line = f->line, .policy = f->policy};
			head = f->begun = row_head(f->a, l, ret);
			if (!head)
				unit_fail(f->path, (int)f->line, "not a row: %.*s", STR_ARG(l));
		}
	}
	return head;
}

static int is_case(const struct dirent *d) { return str_ends(str_of(d->d_name), ".txt"); }
static int is_area(const struct dirent *d) { return d->d_name[0] != '.' && !strchr(d->d_name, '.'); }

static int area_files(const char *area, void (*visit)(const char *path, void *arg), void *arg)
{
	struct dirent **names;
	char path[CASES_PATH_MAX];
	int n;

	snprintf(path, sizeof(path), CASES_DIR "/%s", area);
	n = scandir(path, &names, is_case, alphasort);
	for (int i = 0; i < n; i++) {
		snprintf(path, sizeof(path), CASES_DIR "/%s/%s", area, names[i]->d_name);
		visit(path, arg);
		free(names[i]);
	}
	if (n >= 0)
		free(names);
	return n;
}

/* Visits all files of rows, tests/cases/AREA/SUBJECT.txt, in the order of their names. Returns how many. */
static int cases_each(void (*visit)(const char *path, void *arg), void *arg)
{
	struct dirent **areas;
	int n = scandir(CASES_DIR, &areas, is_area, alphasort), files = 0;

	for (int i = 0; i < n; i++) {
		int some = area_files(areas[i]->d_name, visit, arg);

		files += some > 0 ? some : 0;
		free(areas[i]);
	}
	if (n >= 0)
		free(areas);
	return files;
}
