/*
 * Checks the rows of knowledge/network.yaml and lays them out for knowledge/network_forms.h: one string
 * table, and forms that refer to it by offset, one for each command of a row.
 */
#include "knowledge/gen/gen_network.h"

#include <stdio.h>
#include <stdlib.h>

#include "knowledge/gen/gen_texts.h"
#include "knowledge/network_forms.h"

#define FORMS_MAX 4096

struct net_bake {
	struct arena *a;
	struct err *e;
	const struct yaml_file *file;
	const struct ynode *lists;
	struct gen_texts texts;
	struct net_form forms[FORMS_MAX];
	size_t n;
};

static int fail(struct net_bake *b, const struct ynode *n, const char *what)
{
	return yaml_fail(b->file, n, false, b->e, "%s", what);
}

/* Reads words separated by blanks; "@NAME" stands for a list of `lists`. */
static int take_list(struct net_bake *b, const struct ynode *n, uint32_t *ret)
{
	struct str rest = n->text, word;
	struct buf text;

	if (n->kind != YNODE_SCALAR)
		return fail(b, n, "expected words, separated by blanks");
	buf_init(&text, b->a, 0);
	while ((word = str_word(&rest)).n) {
		const struct ynode *list = NULL;

		if (word.p[0] == '@') {
			list = yaml_get(b->lists, str_c(b->a, str_from(word, 1)));
			if (!list || list->kind != YNODE_SCALAR)
				return fail(b, n, "no such list");
			word = list->text;
		}
		buf_fmt(&text, "%s%.*s", text.n ? " " : "", STR_ARG(str_trim(word, " \n")));
	}
	*ret = gen_texts_add(&b->texts, buf_view(&text));
	return 0;
}

static int take_use(struct net_bake *b, const struct ynode *n, struct net_form *f)
{
	static const char names[][8] = {
		[NET_USE_READ] = "read", [NET_USE_REMOTE] = "remote", [NET_USE_GET] = "get",
		[NET_USE_FOLLOW] = "follow"};

	for (uint32_t i = 0; i < ARRAY_SIZE(names); i++)
		if (names[i][0] && str_is(n->text, names[i])) {
			f->use = i;
			return 0;
		}
	if (!str_starts(n->text, "registries/"))
		return fail(b, n, "expected read, remote, get, follow or registries/TOOL");
	f->use = NET_USE_REGISTRY;
	f->tool = gen_texts_add(&b->texts, n->text);
	return 0;
}

static int take_row(struct net_bake *b, const struct ynode *row)
{
	struct net_form f = {0};
	struct {
		const char *key;
		uint32_t *to;
	} lists[] = {
		{"options", &f.options}, {"first", &f.first}, {"words", &f.words}, {"not", &f.refused},
		{"unknown", &f.unknown}};
	const struct ynode *use = yaml_get(row, "use"), *commands = yaml_get(row, "commands");

	if (!use || use->kind != YNODE_SCALAR || !commands || commands->kind != YNODE_LIST)
		return fail(b, row, "a row needs 'use' and a list of 'commands'");
	if (take_use(b, use, &f) < 0)
		return -1;
	for (const struct ynode *c = row->child; c; c = c->next) {
		size_t i = 0;

		if (c == use || c == commands || str_is(c->key, "note"))
			continue;
		while (i < ARRAY_SIZE(lists) && !str_is(c->key, lists[i].key))
			i++;
		if (i == ARRAY_SIZE(lists))
			return yaml_fail(b->file, c, true, b->e, "unknown key");
		if (take_list(b, c, lists[i].to) < 0)
			return -1;
	}
	for (const struct ynode *c = commands->child; c; c = c->next) {
		if (c->kind != YNODE_SCALAR || !c->text.n || b->n == FORMS_MAX)
			return fail(b, c, "expected the words of a command, and not too many of them");
		f.command = gen_texts_add(&b->texts, c->text);
		b->forms[b->n++] = f;
	}
	return 0;
}

static const char *sorting_texts; /* qsort() has no argument for user data */

/* A command with several forms has the one with the milder use first. */
static int by_command(const void *x, const void *y)
{
	const struct net_form *a = x, *b = y;
	int order = strcmp(sorting_texts + a->command, sorting_texts + b->command);

	return order ? order : (int)a->use - (int)b->use;
}

static void print(const struct net_bake *b, const uint32_t *heads)
{
	printf("/* Made by gen-knowledge from knowledge/network.yaml. */\n"
	       "#include \"knowledge/network_forms.h\"\n\n");
	gen_texts_print(&b->texts, "net_texts");
	printf("const struct net_form net_forms[] = {\n");
	for (size_t i = 0; i < b->n; i++) {
		const struct net_form *f = &b->forms[i];

		printf("\t{%u, %u, %u, %u, %u, %u, %u, %u},\n", f->command, f->options, f->first, f->words,
			f->refused, f->unknown, f->tool, f->use);
	}
	printf("\t{0},\n};\n\nconst size_t net_nforms = %zu;\n"
	       "const uint32_t net_variables = %u, net_forges = %u, net_sources = %u,\n"
	       "\tnet_branches = %u;\n",
		b->n, heads[0], heads[1], heads[2], heads[3]);
}

int network_print(struct arena *a, const struct yaml_file *f, struct err *e)
{
	struct net_bake *b = arena_new(a, struct net_bake);
	static const char heads[][12] = {"variables", "forges", "sources", "branches"};
	const struct ynode *forms = yaml_get(f->root, "forms");
	uint32_t lists[ARRAY_SIZE(heads)] = {0};

	*b = (struct net_bake){.a = a, .e = e, .file = f, .lists = yaml_get(f->root, "lists")};
	gen_texts_init(&b->texts, a);
	for (size_t i = 0; i < ARRAY_SIZE(heads); i++) {
		const struct ynode *n = yaml_get(f->root, heads[i]);

		if (!n || take_list(b, n, &lists[i]) < 0)
			return err_config(e, "%.*s: expected '%s'", STR_ARG(f->name), heads[i]);
	}
	if (!forms || forms->kind != YNODE_LIST)
		return err_config(e, "%.*s: expected 'forms'", STR_ARG(f->name));
	for (const struct ynode *c = forms->child; c; c = c->next)
		if (take_row(b, c) < 0)
			return -1;
	sorting_texts = b->texts.b.p;
	qsort(b->forms, b->n, sizeof(*b->forms), by_command);
	print(b, lists);
	return 0;
}
