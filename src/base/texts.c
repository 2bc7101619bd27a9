/* The list of strings. See texts.h. */
#include "base/texts.h"

struct texts **texts_add(struct arena *a, struct texts **list, struct str text)
{
	while (*list)
		list = &(*list)->next;
	*list = arena_copy(a, (struct texts){.text = text});
	return &(*list)->next;
}

void texts_push(struct arena *a, struct texts **list, struct str text)
{
	*list = arena_copy(a, (struct texts){.next = *list, .text = text});
}

bool texts_have(const struct texts *list, struct str text)
{
	while (list && !str_eq(list->text, text))
		list = list->next;
	return list;
}
