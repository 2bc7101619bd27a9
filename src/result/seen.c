/* Set of names that are open or closed. See seen.h. */
#include "result/seen.h"

#define SEEN_START 64

uint64_t seen_key(struct str x, struct str y)
{
	uint64_t h = 14695981039346656037u;

	for (size_t i = 0; i < x.n; i++)
		h = (h ^ (unsigned char)x.p[i]) * 1099511628211u;
	h = (h ^ 0x1ff) * 1099511628211u; /* separator that occurs in no name */
	for (size_t i = 0; i < y.n; i++)
		h = (h ^ (unsigned char)y.p[i]) * 1099511628211u;
	return h ? h : 1;
}

static struct seen_entry *find_slot(struct seen_entry *e, size_t cap, uint64_t key)
{
	/* numbers of tests follow each other: spread, they make no long run of used slots */
	size_t i = (size_t)(key * 0x9e3779b97f4a7c15U >> 32) & (cap - 1);

	while (e[i].key && e[i].key != key)
		i = (i + 1) & (cap - 1);
	return &e[i];
}

static void grow_table(struct seen *s)
{
	size_t cap = s->cap ? 2 * s->cap : SEEN_START;
	struct seen_entry *e = arena_array(s->a, cap, sizeof(*e));

	for (size_t i = 0; i < s->cap; i++)
		if (s->e[i].key)
			*find_slot(e, cap, s->e[i].key) = s->e[i];
	s->e = e;
	s->cap = cap;
}

struct seen_entry *seen_get(struct seen *s, uint64_t key, bool *ret_new)
{
	struct seen_entry *e;

	if (s->full) {
		if (ret_new)
			*ret_new = true;
		return NULL;
	}
	if (2 * (s->n + 1) > s->cap)
		grow_table(s);
	e = find_slot(s->e, s->cap, key);
	if (ret_new)
		*ret_new = !e->key;
	if (e->key)
		return e;
	if (s->n >= SEEN_MAX) {
		s->full = true;
		return NULL;
	}
	e->key = key;
	s->n++;
	return e;
}

void seen_set(struct seen *s, struct seen_entry *e, bool open)
{
	if (!e || e->open == open)
		return;
	e->open = open;
	if (open)
		s->open++;
	else
		s->open--;
}
