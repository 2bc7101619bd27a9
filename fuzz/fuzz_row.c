/*
 * Rows of the record, as a file may hold them after somebody else wrote to it: taking a line apart, its
 * fields, texts, numbers, lists, times. The input is put between a row's start and its end, so that it gets
 * behind the first look.
 */
#include <stdlib.h>

#include "audit/read.h"
#include "base/json.h"

#define START "{\"v\":1,\"seq\":7,\"id\":\"a\",\"kind\":\"end\",\"ts\":\"2026-01-31T10:00:00.000000Z\""
#define HASH "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define END ",\"prev\":\"" HASH "\",\"hash\":\"" HASH "\"}"
#define CAP ((size_t)32 << 20)

static void inside(struct str text, struct str part)
{
	if (part.n && (part.p < text.p || part.p + part.n > text.p + text.n))
		abort();
}

/* Each field lies in the line, and its text is the one that a JSON parser finds. */
static void look(struct arena *a, struct str text)
{
	struct audit_line *l = arena_new(a, struct audit_line);
	if (!audit_line_parse(text, l))
		return;
	struct json *tree = NULL;
	(void)json_read(a, text, &tree, NULL);
	for (size_t i = 0; i < l->nfields; i++) {
		struct str key = l->fields[i].key, value = l->fields[i].value, item, list = value;
		int64_t n;
		inside(text, key);
		inside(text, value);
		struct str decoded = audit_text(a, value);
		if (decoded.n > value.n)
			abort();
		if (tree && value.n && value.p[0] == '"' && str_find(key, '\\', 0) < 0) {
			const struct json *same = json_get(tree, key);
			if (json_is(same, JSON_STRING) && !str_eq(decoded, json_text(same)))
				abort();
		}
		(void)audit_number(value, &n);
		inside(text, audit_inner(value, "outcome"));
		while (audit_item(&list, &item))
			inside(text, item);
	}
}

struct input {
	struct arena *a;
	const uint8_t *data;
	size_t n;
};

static int run(void *arg)
{
	struct input *in = arg;
	struct str s = str_n((const char *)in->data, in->n);
	int64_t us;
	look(in->a, s);
	look(in->a, str_cat(in->a, str_cat(in->a, STR(START ","), s), STR(END)));
	look(in->a, str_cat(in->a, str_cat(in->a, STR(START ",\"command\":\""), s), STR("\"" END)));
	if (audit_time_parse(s, 1769853600000000, true, &us, NULL) == 0 && us < 0)
		abort();
	(void)audit_time_of(s);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct arena a;
	arena_init(&a, CAP);
	struct input in = {&a, data, n};
	(void)arena_run(&a, run, &in);
	arena_free(&a);
	return 0;
}
