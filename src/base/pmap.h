/*
 * struct pmap: a persistent map from string to pointer: setting returns a new map and leaves the old one as
 * it was, so that copying a shell's whole state at a branch is copying a pointer. A NULL pmap is the empty
 * map. Nodes live in the arena. A hash trie of 16-way nodes; equal subtrees are usually the same pointer,
 * which makes comparing two branches cheap.
 */
#pragma once
#include "base/str.h"

struct pmap; /* opaque, immutable */

const void *pmap_get(const struct pmap *m, struct str key); /* NULL when absent */
/*
 * A map in which key has this value (NULL = the key is removed). The key's bytes must live as long as the
 * arena.
 */
const struct pmap *pmap_set(struct arena *a, const struct pmap *m, struct str key, const void *value);
/* Calls fn for every entry, in an order that depends on the keys only. */
void pmap_each(const struct pmap *m, void (*fn)(void *ctx, struct str key, const void *value), void *ctx);
/*
 * Calls fn for every key whose values differ (by pointer) between the maps; absent is NULL. Subtrees that are
 * the same pointer are skipped.
 */
void pmap_diff(const struct pmap *x, const struct pmap *y,
		void (*fn)(void *ctx, struct str key, const void *vx, const void *vy), void *ctx);
