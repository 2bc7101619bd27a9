/*
 * struct texts: the list of strings. NULL is the empty list. Lists live in an arena and are only ever longer;
 * the strings are not copied.
 */
#pragma once
#include "base/arena.h"
#include "base/str.h"

struct texts {
	struct texts *next;
	struct str text;
};

/* Appends a string. Returns the new end: with end = texts_add(a, end, text) no call walks the list. */
struct texts **texts_add(struct arena *a, struct texts **list, struct str text);
/* Puts a string in front. */
void texts_push(struct arena *a, struct texts **list, struct str text);
bool texts_have(const struct texts *list, struct str text);
