/*
 * Samples with their expectations: beside the sample CASE stands CASE.expect, each line of it a task and what
 * has to come out:
 *
 *     typecheck valid fail mypy errors=2 files=1 +checker-stopped-early
 *
 * task, outcome, result, format, counts, and `+id` for each check that is noted. Columns that are required
 * are `columns_required=a,b`, a schema is `schema=FILE`, an exit code other than the recorded one is
 * `exit=N`. `-` for the format: not recognised; for the task: none was named.
 */
#pragma once
#include <dirent.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/num.h"
#include "result/validate.h"
#include "unit.h"

#define EXPECT_WORDS 24

static inline struct str expect_slurp(struct arena *a, const char *path, bool *ret_found)
{
	FILE *f = fopen(path, "re");
	struct buf b;
	char chunk[4096];
	buf_init(&b, a, 0);
	*ret_found = f != NULL;
	for (size_t n; f && (n = fread(chunk, 1, sizeof chunk, f)) > 0;)
		buf_add(&b, chunk, n);
	if (f)
		fclose(f);
	return buf_view(&b);
}

static inline size_t expect_split(struct str s, char sep, struct str *out, size_t max)
{
	size_t n = 0;
	for (size_t i = 0; i < s.n && n < max;) {
		ptrdiff_t end = str_find(s, sep, i);
		size_t to = end < 0 ? s.n : (size_t)end;
		if (to > i)
			out[n++] = str_sub(s, i, to);
		i = to + 1;
	}
	return n;
}

static inline bool expect_noted(const struct validation *v, struct str id)
{
	for (const struct check_note *n = v->checks; n; n = n->next)
		if (str_is(id, n->name))
			return true;
	return false;
}

static inline void expect_say(const struct validation *v, const char *row)
{
	static const char *const validity[] = {"indeterminate", "valid", "invalid"},
			*const result[] = {"none", "pass", "fail"};
	printf("#   %s: %s %s %s", row, validity[v->validity], result[v->result],
			v->format ? v->format : "-");
	for (const struct count *c = v->counts; c; c = c->next)
		printf(" %s=%lld", c->name, (long long)c->n);
	for (const struct check_note *n = v->checks; n; n = n->next)
		printf(" +%s (%.*s)", n->name, STR_ARG(n->message));
	printf("\n");
}

/* True if v is as words[1..] say. Every note must have its `+id`, every `name=n` its count. */
static inline bool expect_holds(const struct validation *v, const struct str *words, size_t n)
{
	static const char *const validity[] = {"indeterminate", "valid", "invalid"},
			*const result[] = {"none", "pass", "fail"};
	size_t notes = 0, seen = 0;
	bool ok = n >= 4 && str_is(words[1], validity[v->validity]) && str_is(words[2], result[v->result]) &&
			str_is(words[3], v->format ? v->format : "-");
	for (size_t i = 4; i < n; i++) {
		ptrdiff_t eq = str_find(words[i], '=', 0);
		struct str name = str_sub(words[i], 0, eq < 0 ? 0 : (size_t)eq);
		int64_t want = 0;
		if (str_starts(words[i], "+")) {
			ok &= expect_noted(v, str_sub(words[i], 1, words[i].n));
			notes++;
		} else if (!str_is(name, "columns_required") && !str_is(name, "schema") &&
				!str_is(name, "exit")) {
			bool found = false;
			ok &= num_parse(str_sub(words[i], (size_t)eq + 1, words[i].n), 0, INT64_MAX,
					&want) == 0;
			for (const struct count *c = v->counts; c; c = c->next)
				found |= str_is(name, c->name) && c->n == want;
			ok &= found;
		}
	}
	for (const struct check_note *c = v->checks; c; c = c->next) {
		bool again = false;
		for (const struct check_note *d = v->checks; d != c; d = d->next)
			again |= !strcmp(d->name, c->name);
		seen += !again;
	}
	return ok && seen == notes;
}

static inline void expect_line(struct arena *a, const char *dir, const char *name, struct validate_input in,
		struct str line)
{
	struct str words[EXPECT_WORDS], columns[EXPECT_WORDS];
	size_t n = expect_split(line, ' ', words, EXPECT_WORDS);
	bool found;
	if (n == 0)
		return;
	in.task = task_find(words[0]);
	CHECK(in.task || str_is(words[0], "-"));
	for (size_t i = 4; i < n; i++) {
		if (str_starts(words[i], "columns_required=")) {
			in.columns = columns;
			in.ncolumns = expect_split(str_sub(words[i], 17, words[i].n), ',', columns,
					EXPECT_WORDS);
		} else if (str_starts(words[i], "schema=")) {
			in.schema = expect_slurp(a,
					str_c(a, str_fmt(a, "%s/%.*s", dir,
					STR_ARG(str_sub(words[i], 7, words[i].n)))), &found);
			CHECK_ROW(found, name);
		} else if (str_starts(words[i], "exit=")) {
			int64_t code = 0;
			CHECK_ROW(num_parse(str_sub(words[i], 5, words[i].n), -1, 255, &code) == 0, name);
			in.exit_code = (int)code;
		}
	}
	struct validation v = {0};
	validate_text(a, &in, &v);
	if (!expect_holds(&v, words, n)) {
		unit_fail(__FILE__, __LINE__, "%s/%s: want %.*s", dir, name, STR_ARG(line));
		expect_say(&v, "got");
	}
}

/* A sample is NAME itself, or NAME.stdout and NAME.stderr with NAME.meta.json. */
static inline bool expect_sample(const char *dir, struct str name)
{
	struct arena a;
	bool out, err, meta, expect;
	arena_init(&a, ARENA_CAP_DEFAULT);
	const char *c = str_c(&a, name);
	struct validate_input in = {.status = STATUS_UNKNOWN};
	struct str text = expect_slurp(&a, str_c(&a, str_fmt(&a, "%s/%s.expect", dir, c)), &expect);
	in.out = expect_slurp(&a, str_c(&a, str_fmt(&a, "%s/%s.stdout", dir, c)), &out);
	if (!out)
		in.out = expect_slurp(&a, str_c(&a, str_fmt(&a, "%s/%s", dir, c)), &out);
	in.err = expect_slurp(&a, str_c(&a, str_fmt(&a, "%s/%s.stderr", dir, c)), &err);
	struct str about = expect_slurp(&a, str_c(&a, str_fmt(&a, "%s/%s.meta.json", dir, c)), &meta);
	struct json *m = NULL;
	if (meta && json_read(&a, about, &m, NULL) == 0)
		in.exit_code = (int)json_int_at(m, "exit_code");
	CHECK_ROW(out && expect && text.n, c);
	for (size_t i = 0; i < text.n;) {
		ptrdiff_t end = str_find(text, '\n', i);
		size_t to = end < 0 ? text.n : (size_t)end;
		expect_line(&a, dir, c, in, str_sub(text, i, to));
		i = to + 1;
	}
	arena_free(&a);
	return true;
}

/* Every expectation in the folder; how many there were. */
static inline size_t expect_folder(const char *dir)
{
	DIR *d = opendir(dir);
	size_t n = 0;
	for (struct dirent *e; d && (e = readdir(d));) {
		struct str name = str_of(e->d_name);
		if (str_ends(name, ".expect"))
			n += expect_sample(dir, str_sub(name, 0, name.n - 7));
	}
	if (d)
		closedir(d);
	return n;
}
