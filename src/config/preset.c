/* Presets: the files of presets/, embedded at build time, with their titles. */
#include "config/preset.h"

static struct str blob_piece(uint32_t at, uint32_t n) { return str_n(preset_blob + at, n); }

bool config_preset_at(size_t i, struct config_preset *ret)
{
	if (i >= preset_count)
		return false;
	const struct preset_row *r = &preset_rows[i];
	*ret = (struct config_preset){blob_piece(r->name, r->name_n), blob_piece(r->title, r->title_n),
			blob_piece(r->text, r->text_n)};
	return true;
}

bool config_preset(struct str name, struct config_preset *ret)
{
	for (size_t i = 0; config_preset_at(i, ret); i++)
		if (str_eq(ret->name, name))
			return true;
	return false;
}
