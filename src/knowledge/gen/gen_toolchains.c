/*
 * Checks the rows of knowledge/toolchains.yaml and lays them out for knowledge/toolchain_rows.h: one string
 * table, and offsets into it. Paths of the home are sorted, so that a path comes after its parents.
 */
#include "knowledge/gen/gen_toolchains.h"

#include <stdio.h>
#include <stdlib.h>

#include "knowledge/gen/gen_texts.h"
#include "knowledge/toolchain_rows.h"

#define PATHS_MAX 512
#define PREFIXES_MAX 64
#define TEXTS_MAX 60000 /* offsets are uint16_t */

struct toolchain_bake {
	struct arena *a;
	struct err *e;
	const struct yaml_file *file;
	struct gen_texts texts;
	struct str paths[PATHS_MAX];
	size_t npaths;
	struct toolchain_prefix prefixes[PREFIXES_MAX];
	size_t nprefixes;
	uint16_t variables;
};

static int fail(struct toolchain_bake *b, const struct ynode *n, const char *text)
{
	return yaml_fail(b->file, n, false, b->e, "%s", text);
}

static bool is_relative(struct str path)
{
	for (size_t from = 0; from <= path.n;) {
		size_t to = str_end(path, '/', from);
		struct str name = str_sub(path, from, to);

		if (!name.n || str_is_any(name, ". .."))
			return false;
		from = to + 1;
	}
	return true;
}

/* The words of a text with single blanks between them. NULL: empty. */
static int read_words(struct toolchain_bake *b, const struct ynode *row, const char *key, struct str *ret)
{
	const struct ynode *n = yaml_get(row, key);
	struct str rest = n ? n->text : STR(""), word;
	struct buf text;

	if (n && n->kind != YNODE_SCALAR)
		return fail(b, n, "expected a text");
	buf_init(&text, b->a, 0);
	while ((word = str_word(&rest)).n) {
		if (!is_relative(word))
			return fail(b, n, "expected relative paths without '..'");
		buf_fmt(&text, "%s%.*s", text.n ? " " : "", STR_ARG(word));
	}
	*ret = buf_view(&text);
	return 0;
}

static int check_keys(struct toolchain_bake *b, const struct ynode *row, const char *keys)
{
	if (row->kind != YNODE_MAP || !yaml_get(row, "name"))
		return fail(b, row, "a row needs 'name'");
	for (const struct ynode *c = row->child; c; c = c->next)
		if (!str_is_any(c->key, keys))
			return yaml_fail(b->file, c, true, b->e, "unknown key");
	return b->texts.b.n > TEXTS_MAX ? fail(b, row, "the table is full") : 0;
}

static int add_path(struct toolchain_bake *b, const struct ynode *row, struct str path)
{
	for (size_t i = 0; i < b->npaths; i++)
		if (str_eq(b->paths[i], path))
			return yaml_fail(b->file, row, false, b->e, "'%.*s' is listed twice", STR_ARG(path));
	if (b->npaths == PATHS_MAX)
		return fail(b, row, "the table is full");
	b->paths[b->npaths++] = path;
	return 0;
}

static int home_row(struct toolchain_bake *b, const struct ynode *row)
{
	struct str dirs, dir, parts, part;

	if (check_keys(b, row, "name in parts") < 0 || read_words(b, row, "in", &dirs) < 0 ||
			read_words(b, row, "parts", &parts) < 0)
		return -1;
	if (!dirs.n)
		return fail(b, row, "'in' names directories of the home");
	while ((dir = str_word(&dirs)).n) {
		struct str rest = parts;

		if (!parts.n && add_path(b, row, dir) < 0)
			return -1;
		while ((part = str_word(&rest)).n)
			if (add_path(b, row, str_path(b->a, dir, part)) < 0)
				return -1;
	}
	return 0;
}

static int prefix_row(struct toolchain_bake *b, const struct ynode *row)
{
	struct toolchain_prefix *p = &b->prefixes[b->nprefixes];
	struct str marker, parts;

	if (check_keys(b, row, "name marker parts") < 0 || read_words(b, row, "marker", &marker) < 0 ||
			read_words(b, row, "parts", &parts) < 0)
		return -1;
	if (!marker.n || str_has(marker, ' ') || !parts.n || b->nprefixes + 1 == PREFIXES_MAX)
		return fail(b, row, "a row needs one 'marker', and 'parts'");
	p->marker = (uint16_t)gen_texts_add(&b->texts, marker);
	p->parts = (uint16_t)gen_texts_add(&b->texts, parts);
	b->nprefixes++;
	return 0;
}

static void print(struct toolchain_bake *b)
{
	uint16_t at[PATHS_MAX] = {0};

	qsort(b->paths, b->npaths, sizeof(b->paths[0]), str_order);
	for (size_t i = 0; i < b->npaths; i++)
		at[i] = (uint16_t)gen_texts_add(&b->texts, b->paths[i]);
	printf("/* Made by gen-knowledge from knowledge/toolchains.yaml. */\n#include "
			"\"knowledge/toolchain_rows.h\"\n\n");
	gen_texts_print(&b->texts, "toolchain_texts");
	printf("const uint16_t toolchain_paths[] = {");
	for (size_t i = 0; i < b->npaths; i++)
		printf("%u,", at[i]);
	printf("};\nconst size_t toolchain_npaths = %zu;\n", b->npaths);
	printf("const struct toolchain_prefix toolchain_prefixes[] = {\n");
	for (size_t i = 0; i < b->nprefixes; i++)
		printf("\t{%u, %u},\n", b->prefixes[i].marker, b->prefixes[i].parts);
	printf("};\nconst size_t toolchain_nprefixes = %zu;\n", b->nprefixes);
	printf("const uint16_t toolchain_vars = %u;\n", b->variables);
}

int toolchains_print(struct arena *a, const struct yaml_file *f, struct err *e)
{
	struct toolchain_bake *b = arena_new(a, struct toolchain_bake);
	const struct ynode *home = yaml_get(f->root, "home"), *prefixes = yaml_get(f->root, "prefixes");
	struct str variables;

	*b = (struct toolchain_bake){.a = a, .e = e, .file = f};
	gen_texts_init(&b->texts, a);
	if (!home || !prefixes || home->kind != YNODE_LIST || prefixes->kind != YNODE_LIST)
		return err_config(e, "%.*s: expected 'home' and 'prefixes'", STR_ARG(f->name));
	for (const struct ynode *c = home->child; c; c = c->next)
		if (home_row(b, c) < 0)
			return -1;
	for (const struct ynode *c = prefixes->child; c; c = c->next)
		if (prefix_row(b, c) < 0)
			return -1;
	if (read_words(b, f->root, "variables", &variables) < 0)
		return -1;
	b->variables = (uint16_t)gen_texts_add(&b->texts, variables);
	print(b);
	return 0;
}
