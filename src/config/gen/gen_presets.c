/*
 * gen-presets FILE.yaml... > preset_table.c: bakes the presets into one constant text, by name. Runs at build
 * time only.
 */
#include <stdio.h>
#include <stdlib.h>

#include "config/gen/read_whole.h"
#include "config/preset.h"
#include "config/yaml.h"

#define PRESETS_MAX 64

struct preset_table_job {
	struct arena *a;
	char **paths;
	size_t n;
	struct err e;
	struct buf blob;
	struct preset_row rows[PRESETS_MAX];
	int failed;
};

static void put(struct preset_table_job *j, struct str s, uint32_t *ret_at, uint32_t *ret_n)
{
	*ret_at = (uint32_t)j->blob.n;
	*ret_n = (uint32_t)s.n;
	buf_str(&j->blob, s);
}

/* "presets/git.yaml" is git */
static struct str name_of(struct str path)
{
	for (ptrdiff_t slash; (slash = str_find(path, '/', 0)) >= 0;)
		path = str_from(path, (size_t)slash + 1);
	return str_first(path, path.n - (str_ends(path, ".yaml") ? 5 : 0));
}

static int add(struct preset_table_job *j, size_t i)
{
	struct str text = read_whole(j->a, j->paths[i]);
	struct yaml_file f;
	struct preset_row *r = &j->rows[i];
	if (yaml_read(j->a, str_of(j->paths[i]), text, &f, &j->e) < 0)
		return -1;
	const struct ynode *title = yaml_get(yaml_get(f.root, "meta"), "title");
	if (!title || title->kind != YNODE_SCALAR || !title->text.n)
		return err_config(&j->e, "%s:1:1: a preset needs a 'meta' with a 'title'", j->paths[i]);
	put(j, name_of(str_of(j->paths[i])), &r->name, &r->name_n);
	put(j, title->text, &r->title, &r->title_n);
	put(j, text, &r->text, &r->text_n);
	return 0;
}

static int load(void *arg)
{
	struct preset_table_job *j = arg;
	buf_init(&j->blob, j->a, 0);
	for (size_t i = 0; i < j->n && !j->failed; i++)
		j->failed = add(j, i) < 0;
	return 0;
}

static void print(const struct preset_table_job *j)
{
	printf("/* Made by gen-presets from the YAML files in presets. */\n#include "
			"\"config/preset.h\"\n\nconst char preset_blob[] = {");
	for (size_t i = 0; i < j->blob.n; i++)
		printf("%s%d,", i % 32 ? "" : "\n", (signed char)j->blob.p[i]);
	printf("\n0};\n\nconst struct preset_row preset_rows[] = {\n");
	for (size_t i = 0; i < j->n; i++) {
		const struct preset_row *r = &j->rows[i];
		printf("\t{%u, %u, %u, %u, %u, %u},\n", r->name, r->name_n, r->title, r->title_n, r->text,
				r->text_n);
	}
	printf("};\n\nconst size_t preset_count = %zu;\n", j->n);
}

int main(int argc, char **argv)
{
	struct arena a;
	struct preset_table_job j = {.a = &a, .paths = argv + 1, .n = (size_t)argc - 1};
	arena_init(&a, ARENA_CAP_DEFAULT);
	if (argc < 2 || j.n > PRESETS_MAX) {
		fprintf(stderr, "usage: gen-presets FILE.yaml... > preset_table.c\n");
		return 64;
	}
	if (arena_run(&a, load, &j) < 0 || j.failed) {
		fprintf(stderr, "gen-presets: %s\n", j.e.text[0] ? j.e.text : "out of memory");
		return 1;
	}
	print(&j);
	arena_free(&a);
	return fflush(stdout) || ferror(stdout) ? 1 : 0;
}
