/*
 * Checks the rows of knowledge/registries.yaml and lays them out for knowledge/registry_rows.h: one string
 * table, and rows that refer to it by offset.
 */
#include "knowledge/gen/gen_registries.h"

#include <inttypes.h>
#include <stdio.h>

#include "knowledge/gen/gen_texts.h"
#include "knowledge/registry_rows.h"

#define ROWS_MAX 64     /* `with` is a bit set */
#define TEXTS_MAX 60000 /* offsets are uint16_t */

struct registry_bake {
	struct arena *a;
	struct err *e;
	const struct yaml_file *file;
	struct gen_texts texts;
	const struct pmap *seen; /* names that have a row */
	struct registry_row rows[ROWS_MAX];
	const struct ynode *nodes[ROWS_MAX];
	size_t n;
};

static const char keys[REGISTRY_LISTS + 2][12] = {
	[REGISTRY_NAME] = "name", [REGISTRY_ALSO] = "also", [REGISTRY_PROGRAMS] = "programs",
	[REGISTRY_ASK] = "ask", [REGISTRY_SET] = "set", [REGISTRY_KEYS] = "keys", [REGISTRY_BARE] = "bare",
	[REGISTRY_CONFIG] = "config", [REGISTRY_READ] = "read", [REGISTRY_BEFORE] = "before",
	[REGISTRY_HOSTS] = "hosts", [REGISTRY_APART] = "apart", [REGISTRY_SHOWN] = "shown",
	[REGISTRY_LINES] = "lines", [REGISTRY_VISIBLE] = "visible", [REGISTRY_FETCH] = "fetch",
	"with", "note",
};

static int fail(struct registry_bake *b, const struct ynode *n, const char *text)
{
	return yaml_fail(b->file, n, false, b->e, "%s", text);
}

/* Single blanks between the words; the commands of `ask` one in each line. */
static struct str list_text(struct registry_bake *b, const struct ynode *n)
{
	bool list = n->kind == YNODE_LIST;
	struct buf text;
	struct str word;

	buf_init(&text, b->a, 0);
	for (const struct ynode *c = list ? n->child : n; c; c = list ? c->next : NULL) {
		struct str rest = c->text;

		if (text.n)
			buf_char(&text, '\n');
		for (size_t from = text.n; (word = str_word(&rest)).n;) {
			if (text.n > from)
				buf_char(&text, ' ');
			buf_str(&text, word);
		}
	}
	return buf_view(&text);
}

static int add_names(struct registry_bake *b, const struct ynode *row, struct str names)
{
	struct str name;

	while ((name = str_word(&names)).n) {
		if (pmap_get(b->seen, name))
			return yaml_fail(b->file, row, false, b->e, "'%.*s' has two rows", STR_ARG(name));
		b->seen = pmap_set(b->a, b->seen, str_dup(b->a, name), b);
	}
	return 0;
}

static int check_row(struct registry_bake *b, const struct ynode *row)
{
	if (row->kind != YNODE_MAP || !yaml_get(row, "name") || !yaml_get(row, "programs"))
		return fail(b, row, "a row needs 'name' and 'programs'");
	for (const struct ynode *c = row->child; c; c = c->next) {
		if (STR_INDEX(keys, c->key) < 0)
			return yaml_fail(b->file, c, true, b->e, "unknown key");
		if (c->kind != (str_is(c->key, keys[REGISTRY_ASK]) ? YNODE_LIST : YNODE_SCALAR))
			return fail(b, c, "expected a text, or a list of commands for 'ask'");
	}
	if ((yaml_get(row, "ask") || yaml_get(row, "read")) && !yaml_get(row, "keys"))
		return fail(b, row, "'keys' says which values name hosts");
	if (!yaml_get(row, "shown") != !yaml_get(row, "lines"))
		return fail(b, row, "'shown' and 'lines' belong together");
	return 0;
}

static int add_row(struct registry_bake *b, const struct ynode *row)
{
	struct registry_row *r = &b->rows[b->n];

	if (b->n >= ROWS_MAX || b->texts.b.n > TEXTS_MAX)
		return fail(b, row, "the table is full");
	if (check_row(b, row) < 0 || add_names(b, row, yaml_get(row, "name")->text) < 0 ||
			(yaml_get(row, "also") && add_names(b, row, yaml_get(row, "also")->text) < 0))
		return -1;
	for (size_t i = 0; i < REGISTRY_LISTS; i++) {
		const struct ynode *n = yaml_get(row, keys[i]);

		r->lists[i] = n ? (uint16_t)gen_texts_add(&b->texts, list_text(b, n)) : 0;
	}
	b->nodes[b->n++] = row;
	return 0;
}

static size_t row_named(const struct registry_bake *b, struct str name)
{
	size_t i = 0;

	while (i < b->n && !str_is(name, b->texts.b.p + b->rows[i].lists[REGISTRY_NAME]))
		i++;
	return i;
}

/* A row includes what the rows of its `with` include, whatever their order. */
static int resolve_with(struct registry_bake *b)
{
	for (size_t i = 0; i < b->n; i++) {
		const struct ynode *n = yaml_get(b->nodes[i], "with");
		struct str rest = n ? n->text : STR(""), word;

		while ((word = str_word(&rest)).n) {
			size_t other = row_named(b, word);

			if (other == b->n || other == i)
				return fail(b, n, "no such tool");
			b->rows[i].with |= UINT64_C(1) << other;
		}
	}
	for (size_t pass = 0; pass < b->n; pass++)
		for (size_t i = 0; i < b->n; i++)
			for (size_t k = 0; k < b->n; k++)
				if (b->rows[i].with >> k & 1)
					b->rows[i].with |= b->rows[k].with;
	return 0;
}

static void print(const struct registry_bake *b)
{
	printf("/* Made by gen-knowledge from knowledge/registries.yaml. */\n#include "
			"\"knowledge/registry_rows.h\"\n\n");
	gen_texts_print(&b->texts, "registry_texts");
	printf("const struct registry_row registry_rows[] = {\n");
	for (size_t i = 0; i < b->n; i++) {
		printf("\t{{");
		for (size_t k = 0; k < REGISTRY_LISTS; k++)
			printf("%u,", b->rows[i].lists[k]);
		printf("}, UINT64_C(0x%" PRIx64 ")},\n", b->rows[i].with);
	}
	printf("};\n\nconst size_t registry_nrows = %zu;\n", b->n);
}

int registries_print(struct arena *a, const struct yaml_file *f, struct err *e)
{
	struct registry_bake *b = arena_new(a, struct registry_bake);
	const struct ynode *rows = yaml_get(f->root, "tools");

	*b = (struct registry_bake){.a = a, .e = e, .file = f};
	gen_texts_init(&b->texts, a);
	if (!rows || rows->kind != YNODE_LIST || rows->next || rows != f->root->child)
		return err_config(e, "%.*s: expected 'tools' alone", STR_ARG(f->name));
	for (const struct ynode *c = rows->child; c; c = c->next)
		if (add_row(b, c) < 0)
			return -1;
	if (resolve_with(b) < 0)
		return -1;
	print(b);
	return 0;
}
