/* The table that gen-presets makes: one constant text of all presets, and where each one's pieces stand in it. Nothing to relocate. */
#pragma once
#include "config/config.h"

struct preset_row {
	uint32_t name, name_n, title, title_n, text, text_n; /* offsets into preset_blob, and lengths */
};

extern const char preset_blob[];
extern const struct preset_row preset_rows[];
extern const size_t preset_count;
