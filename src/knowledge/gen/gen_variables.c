/*
 * Checks the rows of knowledge/variables.yaml and lays them out for knowledge/variables.h: one string table,
 * and rows that refer to it by offset.
 */
#include "knowledge/gen/gen_variables.h"

#include <stdio.h>
#include <stdlib.h>

#include "knowledge/gen/gen_texts.h"
#include "knowledge/variables.h"

#define ROWS_MAX 4096
#define TEXTS_MAX 65535 /* offsets are uint16_t */

struct bake {
	struct arena *a;
	struct err *e;
	const struct yaml_file *file;
	const struct ynode *lists;
	struct gen_texts texts;
	const struct pmap *seen;   /* names that have a row */
	struct var_row rows[ROWS_MAX], patterns[ROWS_MAX];
	uint16_t secrets[ROWS_MAX], places[ROWS_MAX], credentials[ROWS_MAX], sets[ROWS_MAX];
	size_t nrows, npatterns, nsecrets, nplaces, ncredentials, nsets;
};

static int fail(struct bake *b, const struct ynode *n, const char *what)
{
	return yaml_fail(b->file, n, false, b->e, "%s", what);
}

/* ---- keys ---- */

struct named_effect {
	char name[16];
	uint8_t value;
};

enum { EFFECT_SECRET = VAR_EFFECTS, EFFECT_PLACE };

static const struct named_effect effects[] = {
	{"none", VAR_NONE}, {"changes", VAR_CHANGES}, {"prompt", VAR_PROMPT}, {"path", VAR_PATH},
	{"startup", VAR_STARTUP},
	{"script", VAR_SCRIPT}, {"unfollowed", VAR_UNFOLLOWED}, {"load", VAR_LOAD}, {"options", VAR_OPTIONS},
	{"command", VAR_COMMAND}, {"write", VAR_WRITE}, {"write-tree", VAR_WRITE_TREE}, {"host", VAR_HOST},
	{"secret", EFFECT_SECRET}, {"place", EFFECT_PLACE}, {"", 0},
};
static const struct named_effect boxes[] = {
	{"listed", VAR_BOX_LISTED}, {"never", VAR_BOX_NEVER}, {"made", VAR_BOX_MADE}, {"work", VAR_BOX_WORK},
	{"always", VAR_BOX_ALWAYS}, {"", 0},
};
static const char keys[][12] = {"name", "effect", "safe", "between", "operands", "idle", "fold", "hijacks",
		"box", "set", "offline", "untraced", "secret", "usual",
	"programs", "note", "ordinary", "acts"};

static const struct named_effect *lookup(const struct named_effect *table, struct str name)
{
	for (; table->name[0]; table++)
		if (str_is(name, table->name))
			return table;
	return NULL;
}

static int check_keys(struct bake *b, const struct ynode *row)
{
	if (row->kind != YNODE_MAP || !yaml_get(row, "name") || !yaml_get(row, "effect"))
		return fail(b, row, "a row needs 'name' and 'effect'");
	for (const struct ynode *c = row->child; c; c = c->next) {
		bool list = str_is(c->key, "ordinary") || str_is(c->key, "acts");

		if (STR_INDEX(keys, c->key) < 0)
			return yaml_fail(b->file, c, true, b->e, "unknown key");
		if (c->kind != (list ? YNODE_LIST : YNODE_SCALAR))
			return fail(b, c, list ? "expected a list of values" : "expected a text");
	}
	return 0;
}

static int flag(struct bake *b, const struct ynode *row, const char *key, uint8_t bit, bool usual,
		struct var_row *r)
{
	const struct ynode *n = yaml_get(row, key);
	bool yes = n ? str_is(n->text, "true") : usual;

	if (n && !yes && !str_is(n->text, "false"))
		return fail(b, n, "expected true or false");
	r->bits |= yes ? bit : 0;
	return 0;
}

/* Reads a list by its name (@node), or the entries themselves, separated by single blanks. */
static int take_list(struct bake *b, const struct ynode *n, uint16_t *ret)
{
	struct str rest = n->text, word;
	struct buf text;

	if (str_starts(rest, "@")) {
		const struct ynode *list = yaml_get(b->lists, str_c(b->a, str_from(rest, 1)));

		if (!list || list->kind != YNODE_SCALAR)
			return fail(b, n, "no such list");
		rest = list->text;
	}
	buf_init(&text, b->a, 0);
	while ((word = str_word(&rest)).n) {
		if (text.n)
			buf_char(&text, ' ');
		buf_str(&text, word);
	}
	*ret = (uint16_t)gen_texts_add(&b->texts, buf_view(&text));
	return 0;
}

static bool runs_something(unsigned effect)
{
	return effect != VAR_NONE && effect != VAR_CHANGES && effect != VAR_HOST && effect < VAR_EFFECTS;
}

static int take_effect(struct bake *b, const struct ynode *n, struct var_row *r)
{
	const struct named_effect *effect = lookup(effects, n->text);

	if (str_starts(n->text, "code:") && n->text.n > 5) {
		r->effect = VAR_CODE;
		r->lang = (uint16_t)gen_texts_add(&b->texts, str_from(n->text, 5));
		return 0;
	}
	if (!effect)
		return fail(b, n, "no such effect");
	r->effect = effect->value;
	return 0;
}

/* The value that boxes set: all of them, those without hosts, or those without tracing. */
static int take_set(struct bake *b, const struct ynode *row, struct var_row *r)
{
	static const struct {
		char key[12];
		unsigned bit;
	} kinds[] = {{"set", 0}, {"offline", VAR_OFFLINE}, {"untraced", VAR_UNTRACED}};

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		const struct ynode *value = yaml_get(row, kinds[i].key);

		if (!value)
			continue;
		if (r->set)
			return fail(b, value, "a box sets it always, or only in one case");
		r->set = (uint16_t)gen_texts_add(&b->texts, value->text);
		r->bits |= kinds[i].bit;
	}
	return 0;
}

/* Reads everything in a row except its names. */
static int take_row(struct bake *b, const struct ynode *row, struct var_row *r)
{
	const struct ynode *safe = yaml_get(row, "safe"), *between = yaml_get(row, "between"),
			*box = yaml_get(row, "box"), *usual = yaml_get(row, "usual");
	const struct ynode *set = yaml_get(row, "set");
	const struct named_effect *passes = box ? lookup(boxes, box->text) : NULL;

	if (check_keys(b, row) < 0 || take_effect(b, yaml_get(row, "effect"), r) < 0 ||
			(safe && take_list(b, safe, &r->safe) < 0))
		return -1;
	if (flag(b, row, "idle", VAR_IDLE, false, r) < 0 || flag(b, row, "fold", VAR_FOLD, false, r) < 0 ||
	    flag(b, row, "operands", VAR_OPERANDS, false, r) < 0 || flag(b, row, "hijacks", VAR_HIJACKS,
	    runs_something(r->effect), r) < 0)
		return -1;
	if (box && !passes)
		return fail(b, box, "expected listed, never, made, work or always");
	r->box = passes ? passes->value : set ? VAR_BOX_MADE : r->bits & VAR_HIJACKS ? VAR_BOX_NEVER :
			VAR_BOX_LISTED;
	r->usual = usual ? (uint16_t)gen_texts_add(&b->texts, usual->text) : 0;
	r->between = between ? (uint16_t)gen_texts_add(&b->texts, between->text) : 0;
	if (take_set(b, row, r) < 0)
		return -1;
	if (safe && (!yaml_get(row, "ordinary") || !yaml_get(row, "acts")))
		return fail(b, safe, "values that are safe need examples: 'ordinary' and 'acts'");
	if (r->effect < VAR_EFFECTS && !yaml_get(row, "programs"))
		return fail(b, row, "'programs' says who reads it");
	if (runs_something(r->effect) && !yaml_get(row, "note") &&
			(!(r->bits & VAR_HIJACKS) || (yaml_get(row, "box") && r->box != VAR_BOX_NEVER)))
		return fail(b, row,
				"an exception from what follows from the effect needs a 'note' that "
				"explains it");
	return 0;
}

/* ---- names ---- */

static int add_name(struct bake *b, const struct ynode *row, struct var_row r, struct str name)
{
	const struct ynode *secret = yaml_get(row, "secret");
	bool pattern = memchr(name.p, '*', name.n);

	r.name = (uint16_t)gen_texts_add(&b->texts, name);
	if (b->nrows >= ROWS_MAX || b->npatterns >= ROWS_MAX || b->nsecrets >= ROWS_MAX ||
			b->texts.b.n > TEXTS_MAX - 4096)
		return fail(b, row, "the table is full");
	if (r.effect == EFFECT_SECRET || secret)
		b->secrets[b->nsecrets++] = r.name;
	if (r.effect == EFFECT_PLACE || (secret && str_is(secret->text, "place")))
		b->places[b->nplaces++] = r.name;
	if (secret && !str_is(secret->text, "place") && !str_is(secret->text, "true"))
		return fail(b, secret, "expected true or place");
	if (r.effect >= VAR_EFFECTS)
		return 0;
	if (pmap_get(b->seen, name))
		return yaml_fail(b->file, yaml_get(row, "name"), false, b->e, "'%.*s' has two rows",
				STR_ARG(name));
	b->seen = pmap_set(b->a, b->seen, str_dup(b->a, name), b);
	if (pattern)
		b->patterns[b->npatterns++] = r;
	else
		b->rows[b->nrows++] = r;
	return pattern && r.set ? fail(b, row, "the box sets variables, not patterns") : 0;
}

static int add_row(struct bake *b, const struct ynode *row)
{
	struct var_row r = {0};
	struct str rest, name;

	if (take_row(b, row, &r) < 0)
		return -1;
	rest = yaml_get(row, "name")->text;
	while ((name = str_word(&rest)).n)
		if (add_name(b, row, r, name) < 0)
			return -1;
	return 0;
}

static const char *sorting_texts; /* qsort() has no argument for user data */

static int by_name(const void *x, const void *y)
{
	const char *a = sorting_texts + ((const struct var_row *)x)->name,
			*b = sorting_texts + ((const struct var_row *)y)->name;

	for (size_t i = 0;; i++) {
		int d = (unsigned char)ascii_to_upper(a[i]) - (unsigned char)ascii_to_upper(b[i]);

		if (d || !a[i])
			return d ? d : strcmp(a, b);
	}
}

static size_t letter_count(const char *pattern)
{
	size_t n = 0;

	for (; *pattern; pattern++)
		n += *pattern != '*';
	return n;
}

static int by_letters(const void *x, const void *y)
{
	const char *a = sorting_texts + ((const struct var_row *)x)->name,
			*b = sorting_texts + ((const struct var_row *)y)->name;
	size_t n = letter_count(a), m = letter_count(b);

	return n > m ? -1 : n < m ? 1 : strcmp(a, b);
}

static uint32_t letters(const char *pattern)
{
	uint32_t bits = 0;

	for (; *pattern; pattern++)
		if (*pattern != '*')
			bits |= 1u << (*pattern & 31);
	return bits;
}

/* ---- printing ---- */

static void print_rows(const char *name, const struct var_row *v, size_t n)
{
	printf("const struct var_row %s[] = {\n", name);
	for (size_t i = 0; i < n; i++)
		printf("\t{%u, %u, %u, %u, %u, %u, %u, %u, %u},\n", v[i].name, v[i].safe, v[i].between,
				v[i].set, v[i].lang, v[i].usual, v[i].effect, v[i].box, v[i].bits);
	printf("\t{0},\n};\n\n");
}

static void print_numbers(const char *name, const uint16_t *v, size_t n)
{
	printf("const uint16_t %s[] = {", name);
	for (size_t i = 0; i < n; i++)
		printf("%s%u,", i % 24 ? "" : "\n", v[i]);
	printf("0};\n");
}

static void print(const struct bake *b, uint16_t idle)
{
	printf("/* Made by gen-knowledge from knowledge/variables.yaml. */\n#include "
			"\"knowledge/variables.h\"\n\n");
	gen_texts_print(&b->texts, "var_texts");
	print_rows("var_rows", b->rows, b->nrows);
	print_rows("var_patterns", b->patterns, b->npatterns);
	printf("const struct var_secret var_secrets[] = {\n");
	for (size_t i = 0; i < b->nsecrets; i++)
		printf("\t{0x%x, %u},\n", letters(b->texts.b.p + b->secrets[i]), b->secrets[i]);
	printf("\t{0},\n};\n\n");
	print_numbers("var_places", b->places, b->nplaces);
	print_numbers("var_credentials", b->credentials, b->ncredentials);
	print_numbers("var_sets", b->sets, b->nsets);
	printf("const uint16_t var_idle_list = %u;\n", idle);
	printf("const size_t var_nrows = %zu, var_npatterns = %zu, var_nsecrets = %zu, var_nplaces = %zu, "
			"var_ncredentials = %zu, var_nsets = %zu;\n",
		b->nrows, b->npatterns, b->nsecrets, b->nplaces, b->ncredentials, b->nsets);
}

/* A plain item holds several patterns, separated by blanks; a quoted item is one pattern. */
static int add_credentials(struct bake *b, const struct ynode *list)
{
	for (const struct ynode *c = list ? list->child : NULL; c; c = c->next) {
		struct str rest = c->text, word;

		if (c->kind != YNODE_SCALAR || b->ncredentials + c->text.n > ROWS_MAX)
			return fail(b, c, "expected patterns of values");
		if (!c->plain)
			b->credentials[b->ncredentials++] = (uint16_t)gen_texts_add(&b->texts, c->text);
		else
			while ((word = str_word(&rest)).n)
				b->credentials[b->ncredentials++] = (uint16_t)gen_texts_add(&b->texts, word);
	}
	return 0;
}

int variables_print(struct arena *a, const struct yaml_file *f, struct err *e)
{
	struct bake *b = arena_new(a, struct bake);
	const struct ynode *rows = yaml_get(f->root, "variables"), *idle;
	uint16_t idle_at = 0;

	*b = (struct bake){.a = a, .e = e, .file = f, .lists = yaml_get(f->root, "lists")};
	gen_texts_init(&b->texts, a);
	for (const struct ynode *c = f->root ? f->root->child : NULL; c; c = c->next)
		if (!str_is(c->key, "lists") && !str_is(c->key, "variables") &&
				!str_is(c->key, "credentials"))
			return yaml_fail(f, c, true, e, "unknown key");
	idle = yaml_get(b->lists, "idle");
	if (!rows || rows->kind != YNODE_LIST || !idle || take_list(b, idle, &idle_at) < 0)
		return err_config(e, "%.*s: expected 'lists' with 'idle', and 'variables'", STR_ARG(f->name));
	for (const struct ynode *c = rows->child; c; c = c->next)
		if (add_row(b, c) < 0)
			return -1;
	if (add_credentials(b, yaml_get(f->root, "credentials")) < 0)
		return -1;
	sorting_texts = b->texts.b.p;
	qsort(b->rows, b->nrows, sizeof(*b->rows), by_name);
	qsort(b->patterns, b->npatterns, sizeof(*b->patterns), by_letters);
	for (size_t i = 0; i < b->nrows; i++)
		if (b->rows[i].set)
			b->sets[b->nsets++] = (uint16_t)i;
	print(b, idle_at);
	return 0;
}
