/*
 * libFuzzer: settings files of clients. The first byte names the client, the rest is the file.
 * Holds: no crash, no leak; what the JSON reader takes is read; hooks put in are there, a second time changes
 * nothing, and taking them out gives back the very bytes, whatever the layout; a file that was there is never
 * taken for one of ours.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"
#include "client/init_hooks.h"
#include "client/jsontext.h"

#define TEXT_MAX 8192

struct trial {
	struct arena a;
	const struct init_row *row;
	struct str text;
};

static void fail(const char *why, struct str text)
{
	fprintf(stderr, "%s\n%.*s\n", why, STR_ARG(text));
	abort();
}

static void check_reader(struct trial *t)
{
	struct json *root = NULL;
	struct json *v = NULL;
	struct err e = {0};
	bool ours = jsontext_read(&t->a, t->text, false, &root, &e) == 0 && root;

	if (json_read(&t->a, t->text, &v, NULL) == 0 && !ours && !strstr(e.text, "nested too deeply"))
		fail(e.text, t->text);
}

static int check(void *arg)
{
	static const struct init_program program = {.path = {"/opt/it's/caisson", 17},
			.timeout = {"/opt/time out/timeout", 21}};
	struct trial *t = arg;
	struct str with, again, without;
	struct err e = {0};
	bool gone = false;

	check_reader(t);
	if (init_text_add(&t->a, t->row, &program, &t->text, &with, &e) != 0) {
		if (!e.text[0])
			fail("refused without a reason", t->text);
		if (init_text_remove(&t->a, t->row, t->text, &without, &gone, &e) == 0 &&
				!str_eq(without, t->text) && !str_contains(t->text, STR("caisson")))
			fail("something was taken out of a file that cannot be set up", t->text);
		return 0;
	}
	if (!str_contains(with, STR("caisson")))
		fail("nothing was put in", t->text);
	if (init_text_add(&t->a, t->row, &program, &with, &again, &e) != 0 || !str_eq(with, again))
		fail("the second time is another", with);
	if (init_text_remove(&t->a, t->row, with, &without, &gone, &e) != 0)
		fail(e.text, with);
	if (t->row->events[0] && !str_contains(t->text, STR("caisson")) &&
			(gone || !str_eq(without, t->text)))
		fail("not the bytes that were there", with);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct trial t = {0};
	size_t rows = 0;

	if (n < 1 || n > TEXT_MAX)
		return 0;
	while (init_at(rows))
		rows++;
	arena_init(&t.a, (size_t)256 << 20);
	t.row = init_at(data[0] % rows);
	t.text = str_n((const char *)data + 1, n - 1);
	arena_run(&t.a, check, &t);
	arena_free(&t.a);
	return 0;
}
