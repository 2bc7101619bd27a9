/*
 * Packs knowledge rows from YAML into the blob of knowledge/row.h. The build-time generator and a user's
 * `commands:` use the same code, so both have the same syntax (docs/knowledge.md).
 */
#pragma once
#include "config/yaml.h"
#include "knowledge/row.h"

struct know_source {
	const struct yaml_file *file;
	const struct ynode *rows; /* a list */
};

struct know_packed {
	const uint32_t *blob;
	size_t bytes;
	const struct know_row *rows; /* inside the blob */
	size_t nrows;
};

int know_yaml_pack(struct arena *a, const struct know_source *src, size_t nsrc, struct know_packed *ret,
		struct err *e);
