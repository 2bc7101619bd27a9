/* See gen_texts.h. */
#include "knowledge/gen/gen_texts.h"

#include <stdio.h>

void gen_texts_init(struct gen_texts *t, struct arena *a)
{
	*t = (struct gen_texts){0};
	buf_init(&t->b, a, 0);
	buf_char(&t->b, '\0');
}

uint32_t gen_texts_add(struct gen_texts *t, struct str s)
{
	const uint32_t *known = pmap_get(t->known, s);
	uint32_t *at;

	if (known || !s.n)
		return known ? *known : 0;
	at = arena_new(t->b.a, uint32_t);
	*at = (uint32_t)t->b.n;
	buf_str(&t->b, s);
	buf_char(&t->b, '\0');
	t->known = pmap_set(t->b.a, t->known, str_dup(t->b.a, s), at);
	return *at;
}

void gen_texts_print(const struct gen_texts *t, const char *name)
{
	printf("const char %s[] = {", name);
	for (size_t i = 0; i < t->b.n; i++)
		printf("%s%d,", i % 32 ? "" : "\n", (signed char)t->b.p[i]);
	printf("0};\n\n");
}
