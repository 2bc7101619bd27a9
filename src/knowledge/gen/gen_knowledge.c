/*
 * gen-knowledge FILE.yaml... > knowledge_table.c: writes the rows of all files as one constant array.
 * gen-knowledge --variables FILE.yaml > variables_table.c: does the same for variables.
 * gen-knowledge --registries FILE.yaml > registries_table.c: ... for package registries.
 * gen-knowledge --network FILE.yaml > network_table.c: ... for forms that use the network.
 * gen-knowledge --toolchains FILE.yaml > toolchains_table.c: ... for toolchains.
 * gen-knowledge --caches FILE.yaml > caches_table.c: ... for caches of tools.
 * gen-knowledge --secrets FILE.yaml > secrets_table.c: ... for forms of secrets.
 * Runs at build time only.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "config/gen/read_whole.h"
#include "config/knowledge_yaml.h"
#include "knowledge/gen/gen_caches.h"
#include "knowledge/gen/gen_network.h"
#include "knowledge/gen/gen_registries.h"
#include "knowledge/gen/gen_secrets.h"
#include "knowledge/gen/gen_toolchains.h"
#include "knowledge/gen/gen_variables.h"
#include "knowledge/row.h"

#define SOURCES_MAX 64

/* Tables of other kinds than commands, each from one file. */
static const struct table_kind {
	char option[16];
	int (*print)(struct arena *a, const struct yaml_file *f, struct err *e);
} kinds[] = {{"--variables", variables_print}, {"--registries", registries_print},
	{"--network", network_print}, {"--toolchains", toolchains_print}, {"--caches", caches_print},
	{"--secrets", secrets_print}};

struct knowledge_job {
	struct arena *a;
	const struct table_kind *kind; /* NULL: commands */
	char **paths;
	size_t n;
	struct know_packed packed;
	struct err e;
	int failed;
};

static int load(void *arg)
{
	struct knowledge_job *j = arg;
	struct yaml_file *files = arena_array(j->a, j->n + 1, sizeof(*files));
	struct know_source *src = arena_array(j->a, j->n + 1, sizeof(*src));
	size_t n = 0;
	j->failed = 1;
	for (size_t i = 0; i < j->n; i++) {
		if (yaml_read(j->a, str_of(j->paths[i]), read_whole(j->a, j->paths[i]), &files[i], &j->e) < 0)
			return 0;
		if (files[i].root)
			src[n++] = (struct know_source){&files[i], files[i].root};
	}
	j->failed = know_yaml_pack(j->a, src, n, &j->packed, &j->e) < 0;
	return 0;
}

static int bake_table(void *arg)
{
	struct knowledge_job *j = arg;
	struct yaml_file f;

	j->failed = yaml_read(j->a, str_of(j->paths[1]), read_whole(j->a, j->paths[1]), &f, &j->e) < 0 ||
			j->kind->print(j->a, &f, &j->e) < 0;
	return 0;
}

int main(int argc, char **argv)
{
	struct arena a;
	struct knowledge_job j = {.a = &a, .paths = argv + 1, .n = (size_t)argc - 1};
	arena_init(&a, ARENA_CAP_DEFAULT);
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (argc == 3 && !strcmp(argv[1], kinds[i].option))
			j.kind = &kinds[i];
	if (j.kind) {
		if (arena_run(&a, bake_table, &j) < 0 || j.failed)
			fprintf(stderr, "gen-knowledge: %s\n", j.e.text[0] ? j.e.text : "out of memory");
		arena_free(&a);
		return j.failed || fflush(stdout) || ferror(stdout) ? 1 : 0;
	}
	if (argc < 2 || argc > SOURCES_MAX) {
		fprintf(stderr, "usage: gen-knowledge FILE.yaml... > knowledge_table.c\n");
		return 64;
	}
	if (arena_run(&a, load, &j) < 0 || j.failed) {
		fprintf(stderr, "gen-knowledge: %s\n", j.e.text[0] ? j.e.text : "out of memory");
		return 1;
	}
	printf("/* Made by gen-knowledge from the YAML files in knowledge: %zu names. */\n#include "
			"\"knowledge/row.h\"\n\nconst uint32_t know_baked[] = {", j.packed.nrows);
	for (size_t i = 0; i < j.packed.bytes / 4; i++)
		printf("%s0x%x,", i % 16 ? "" : "\n", j.packed.blob[i]);
	printf("\n};\n\nconst uint64_t know_keys[] = {");
	for (size_t i = 0; i < j.packed.nrows; i++)
		printf("%s0x%" PRIx64 ",", i % 8 ? "" : "\n",
				know_key(str_of(know_string(&j.packed.rows[i], j.packed.rows[i].name)),
				STR("")));
	printf("\n};\n");
	arena_free(&a);
	return fflush(stdout) || ferror(stdout) ? 1 : 0;
}
