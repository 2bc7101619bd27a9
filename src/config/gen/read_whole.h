/* For the programs that bake files into tables when caisson is built. */
#pragma once
#include <stdio.h>
#include <stdlib.h>

#include "config/yaml.h"

static inline struct str read_whole(struct arena *a, const char *path)
{
	FILE *f = fopen(path, "rb");
	struct buf b;
	char block[65536];
	size_t n;
	buf_init(&b, a, YAML_BYTES_MAX + 1);
	while (f && (n = fread(block, 1, sizeof(block), f)) > 0)
		buf_add(&b, block, n);
	if (!f || ferror(f)) {
		fprintf(stderr, "cannot read '%s'\n", path);
		exit(1);
	}
	fclose(f);
	return buf_view(&b);
}
