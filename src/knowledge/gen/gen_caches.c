/*
 * Checks the rows of knowledge/caches.yaml and lays them out for knowledge/cache_rows.h. A path that would
 * show one of the file's `never` is an error, and so is a cache that lies in another.
 */
#include "knowledge/gen/gen_caches.h"

#include <stdio.h>
#include <stdlib.h>

#include "knowledge/cache_rows.h"
#include "knowledge/gen/gen_texts.h"

#define ROWS_MAX 512
#define TEXTS_MAX 60000 /* offsets are uint16_t */

struct cache_word { /* a word of the file, and where it stands */
	struct str text, tool;
	const struct ynode *at;
};

struct cache_words {
	struct cache_word v[ROWS_MAX];
	size_t n;
};

struct cache_bake {
	struct arena *a;
	struct err *e;
	const struct yaml_file *file;
	struct gen_texts texts;
	struct cache_words privates, paths, moves, nevers;
};

static int fail(struct cache_bake *b, const struct cache_word *w, const char *text)
{
	return yaml_fail(b->file, w->at, false, b->e, "'%.*s' %s", STR_ARG(w->text), text);
}

static bool is_below(struct str path, struct str dir)
{
	return path.n > dir.n && str_eq(str_first(path, dir.n), dir) && path.p[dir.n] == '/';
}

static int add_words(struct cache_bake *b, const struct ynode *n, struct str tool, struct cache_words *ret)
{
	struct str rest = n ? n->text : STR(""), word;

	while ((word = str_word(&rest)).n) {
		struct cache_word w = {str_dup(b->a, word), tool, n};

		if (ret->n >= ROWS_MAX || b->texts.b.n > TEXTS_MAX)
			return fail(b, &w, "does not fit any more: the table is full");
		if (word.p[0] == '/' || word.p[word.n - 1] == '/' || str_contains(word, STR("..")))
			return fail(b, &w, "is no path relative to the home");
		ret->v[ret->n++] = w;
	}
	return 0;
}

static int add_row(struct cache_bake *b, const struct ynode *row)
{
	static const char keys[][8] = {"tool", "paths", "moved", "never", "note"};
	struct str tool;

	if (row->kind != YNODE_MAP || !yaml_get(row, "tool") || !yaml_get(row, "paths"))
		return yaml_fail(b->file, row, false, b->e, "a row needs 'tool' and 'paths'");
	for (const struct ynode *c = row->child; c; c = c->next) {
		size_t i = 0;

		while (i < ARRAY_SIZE(keys) && !str_is(c->key, keys[i]))
			i++;
		if (i == ARRAY_SIZE(keys) || c->kind != YNODE_SCALAR)
			return yaml_fail(b->file, c, true, b->e, "unknown key, or no text");
	}
	tool = yaml_get(row, "tool")->text;
	if (add_words(b, yaml_get(row, "paths"), tool, &b->paths) != 0 ||
			add_words(b, yaml_get(row, "moved"), tool, &b->moves) != 0)
		return -1;
	return add_words(b, yaml_get(row, "never"), tool, &b->nevers);
}

static int compare(const void *x, const void *y)
{
	const struct cache_word *a = x, *b = y;

	return str_cmp(a->text, b->text);
}

static int check_paths(struct cache_bake *b)
{
	qsort(b->paths.v, b->paths.n, sizeof(*b->paths.v), compare);
	for (size_t i = 0; i < b->paths.n; i++) {
		const struct cache_word *w = &b->paths.v[i];

		for (size_t k = 0; k < b->paths.n; k++)
			if (k != i && (str_eq(w->text, b->paths.v[k].text) ||
					is_below(w->text, b->paths.v[k].text)))
				return fail(b, w, "is shown twice");
		for (size_t k = 0; k < b->nevers.n; k++)
			if (str_eq(w->text, b->nevers.v[k].text) || is_below(w->text, b->nevers.v[k].text))
				return fail(b, w, "is never to be shown");
	}
	for (size_t i = 0; i < b->moves.n; i++)
		if (str_find(b->moves.v[i].text, '=', 1) < 0)
			return fail(b, &b->moves.v[i], "is not VARIABLE=DIRECTORY");
	return 0;
}

static bool is_in(const struct cache_words *dirs, struct str path)
{
	for (size_t i = 0; i < dirs->n; i++)
		if (is_below(path, dirs->v[i].text))
			return true;
	return false;
}

/* ---- printing ---- */

static void print_rows(struct cache_bake *b)
{
	printf("const struct cache_row cache_rows[] = {\n");
	for (size_t i = 0; i < b->paths.n; i++) {
		const struct cache_word *w = &b->paths.v[i];

		printf("\t{%u, %u, %d},\n", gen_texts_add(&b->texts, w->tool),
				gen_texts_add(&b->texts, w->text), is_in(&b->privates, w->text));
	}
	printf("};\n\nconst size_t cache_nrows = %zu;\n\n", b->paths.n);
	printf("const struct cache_move cache_moves[] = {\n");
	for (size_t i = 0; i < b->moves.n; i++) {
		struct str text = b->moves.v[i].text;
		size_t eq = (size_t)str_find(text, '=', 0);

		printf("\t{%u, %u},\n", gen_texts_add(&b->texts, str_first(text, eq)),
				gen_texts_add(&b->texts, str_from(text, eq + 1)));
	}
	printf("};\n\nconst size_t cache_nmoves = %zu;\n\n", b->moves.n);
}

/* Only the words inside of `dirs`, if any are given. */
static void print_list(struct cache_bake *b, const char *name, const struct cache_words *words,
		const struct cache_words *dirs)
{
	size_t n = 0;

	printf("const uint16_t cache_%s[] = {", name);
	for (size_t i = 0; i < words->n; i++)
		if (!dirs || is_in(dirs, words->v[i].text)) {
			printf("%u, ", gen_texts_add(&b->texts, words->v[i].text));
			n++;
		}
	printf("};\n\nconst size_t cache_n%s = %zu;\n\n", name, n);
}

int caches_print(struct arena *a, const struct yaml_file *f, struct err *e)
{
	struct cache_bake *b = arena_new(a, struct cache_bake);
	const struct ynode *rows = yaml_get(f->root, "caches"), *privates = yaml_get(f->root, "private");

	b->a = a;
	b->e = e;
	b->file = f;
	gen_texts_init(&b->texts, a);
	if (!rows || rows->kind != YNODE_LIST || !privates || privates->kind != YNODE_SCALAR)
		return err_config(e, "%.*s: expected 'private' and 'caches'", STR_ARG(f->name));
	if (add_words(b, privates, STR(""), &b->privates) != 0 ||
			add_words(b, yaml_get(f->root, "moved"), STR(""), &b->moves) != 0)
		return -1;
	for (const struct ynode *c = rows->child; c; c = c->next)
		if (add_row(b, c) != 0)
			return -1;
	if (check_paths(b) != 0)
		return -1;
	printf("/* Made by gen-knowledge from knowledge/caches.yaml. */\n"
	       "#include \"knowledge/cache_rows.h\"\n\n");
	print_rows(b);
	print_list(b, "privates", &b->privates, NULL);
	print_list(b, "hidden", &b->nevers, &b->paths);
	gen_texts_print(&b->texts, "cache_texts");
	return 0;
}
