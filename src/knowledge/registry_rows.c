/* See registry_rows.h. */
#include "knowledge/registry_rows.h"

const struct registry_row *registry_at(size_t i) { return i < registry_nrows ? &registry_rows[i] : NULL; }

struct str registry_list(const struct registry_row *r, enum registry_list l)
{
	return str_of(registry_texts + r->lists[l]);
}

const struct registry_row *registry_find(struct str name)
{
	for (size_t i = 0; i < registry_nrows; i++) {
		struct str rest = registry_list(&registry_rows[i], REGISTRY_ALSO), word;

		if (str_eq(name, registry_list(&registry_rows[i], REGISTRY_NAME)))
			return &registry_rows[i];
		while ((word = str_word(&rest)).n)
			if (str_eq(name, word))
				return &registry_rows[i];
	}
	return NULL;
}
