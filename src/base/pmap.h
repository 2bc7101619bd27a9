/*
 * struct pmap: a persistent map from string to pointer. Setting a key returns a new map and leaves the old
 * one unchanged, so copying a shell's whole state at a branch means copying a pointer. A NULL pmap is the
 * empty map. Nodes live in the arena. It is a hash trie of 16-way nodes; equal subtrees are usually the same
 * pointer, which makes comparing two branches cheap.
 */
#pragma once
#include "base/str.h"

struct pmap; /* opaque, immutable */

const void *pmap_get(const struct pmap *m, struct str key); /* NULL if absent */
/*
 * Returns a map in which key has this value (NULL removes the key). The key's bytes must live as long as the
 * arena.
 */
const struct pmap *pmap_set(struct arena *a, const struct pmap *m, struct str key, const void *value);
/* Calls fn for every entry, in an order that depends only on the keys. */
void pmap_each(const struct pmap *m, void (*fn)(void *ctx, struct str key, const void *value), void *ctx);
/*
 * Calls fn for every key whose values differ (by pointer) between the maps; an absent key has NULL. Skips
 * shared subtrees.
 */
void pmap_diff(const struct pmap *x, const struct pmap *y,
		void (*fn)(void *ctx, struct str key, const void *vx, const void *vy), void *ctx);
