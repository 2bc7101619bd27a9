/* The string table of a generated file: each text once, ended by a NUL; rows refer to texts by offset. */
#pragma once
#include "base/pmap.h"

struct gen_texts {
	struct buf b;
	const struct pmap *known; /* text -> offset */
};

/* Offset 0 is the empty text. */
void gen_texts_init(struct gen_texts *t, struct arena *a);
/* Returns the offset of the text, which is added if it is new. */
uint32_t gen_texts_add(struct gen_texts *t, struct str s);
/* Prints the table as the constant array `name`. */
void gen_texts_print(const struct gen_texts *t, const char *name);
