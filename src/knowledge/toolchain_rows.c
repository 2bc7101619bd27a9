/* See toolchain_rows.h. */
#include "knowledge/toolchain_rows.h"

struct str toolchain_text(uint16_t offset) { return str_of(toolchain_texts + offset); }

struct str toolchain_home(size_t i)
{
	return i < toolchain_npaths ? toolchain_text(toolchain_paths[i]) : STR("");
}

const struct toolchain_prefix *toolchain_prefix(size_t i)
{
	return i < toolchain_nprefixes ? &toolchain_prefixes[i] : NULL;
}

struct str toolchain_variables(void) { return toolchain_text(toolchain_vars); }
