/*
 * libFuzzer: configuration, which may be a hostile project's. Reads the bytes as YAML, as knowledge rows, and
 * as a policy in both dialects and from the least and the most trusted owner. Holds: no crash, no leak,
 * bounded nodes, a message whenever something is refused, the quick reader agrees with libfyaml, and an
 * untrusted file sets none of the keys it may not.
 */
#include <stdlib.h>

#include "config/config.h"
#include "config/knowledge_yaml.h"
#include "config/yaml_plain.h"

#define TEXT_MAX 8192

struct input {
	struct arena *a;
	struct str text;
};

static void check(const struct ynode *n, unsigned depth)
{
	uint32_t count = 0;

	if (depth > YAML_DEPTH_MAX + 1 || n->kind > YNODE_MAP)
		abort();
	for (const struct ynode *c = n->child; c; c = c->next, count++)
		check(c, depth + 1);
	if (count != n->count)
		abort();
}

static bool same(const struct ynode *x, const struct ynode *y)
{
	const struct ynode *a = x->child, *b = y->child;

	if (x->kind != y->kind || x->plain != y->plain || !str_eq(x->text, y->text) ||
			!str_eq(x->key, y->key) || x->line != y->line || x->column != y->column)
		return false;
	for (; a && b; a = a->next, b = b->next)
		if (!same(a, b))
			return false;
	return !a && !b;
}

/* libfyaml must accept every text that the quick reader accepts, and give the same tree. */
static void check_plain(struct arena *a, struct str text)
{
	struct yaml_file quick = {.name = STR("fuzz.yaml"), .bytes = text}, full = {0};

	if (str_contains(text, STR("''''")) || !yaml_plain(a, &quick))
		return;
	if (yaml_read_full(a, quick.name, text, &full, NULL) != 0 || !full.root ||
			!same(quick.root, full.root))
		abort();
}

static void check_policy(struct arena *a, struct str text, enum config_dialect dialect, enum config_who who)
{
	struct config_source src = {.name = STR("fuzz.yaml"), .bytes = text, .dialect = dialect, .who = who};
	struct config_note *notes = NULL;
	struct policy p;
	struct err e = {0};

	if (config_load(a, &src, 1, &p, &notes, &e) != 0) {
		if (!e.text[0])
			abort();
		return;
	}
	if (who == WHO_ANYONE && (p.classifier.command || p.excluded_commands || p.no_lifting ||
			p.ncommands || p.writable_roots || p.mode != MODE_DEFAULT))
		abort();
	for (const struct config_note *n = notes; n; n = n->next)
		if (!n->text.n)
			abort();
}

static int run(void *arg)
{
	struct input *in = arg;
	struct yaml_file f = {0};
	struct err e = {0};

	if (yaml_read(in->a, STR("fuzz.yaml"), in->text, &f, &e) != 0) {
		if (!e.text[0])
			abort();
		return 0;
	}
	if (!f.root)
		return 0;
	check(f.root, 0);
	if (f.root->kind == YNODE_LIST) {
		struct know_source src = {&f, f.root};
		struct know_packed packed;

		if (know_yaml_pack(in->a, &src, 1, &packed, &e) != 0 && !e.text[0])
			abort();
	}
	check_plain(in->a, in->text);
	check_policy(in->a, in->text, CONFIG_CAISSON, WHO_SYSTEM);
	check_policy(in->a, in->text, CONFIG_FENCEPOST, WHO_ANYONE);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena a;
	struct input in = {&a, str_n((const char *)data, size)};

	if (size > TEXT_MAX)
		return 0;
	arena_init(&a, (size_t)64 << 20);
	(void)arena_run(&a, run, &in);
	arena_free(&a);
	return 0;
}
