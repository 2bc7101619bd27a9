/*
 * struct pmap: a hash trie of 16-way nodes.
 *
 * A node is a leaf or a branch. A leaf holds one key; keys with equal hashes follow it through `next`,
 * sorted. A branch at depth d has a packed array of children, one for each value of the d-th four bits of the
 * hash; `bits` says which exist. Removal folds a branch with a single leaf into that leaf. So the shape
 * depends only on the keys, never on the order of insertions and removals.
 */
#include "base/pmap.h"

#define FAN_BITS 4
#define FAN (1u << FAN_BITS)

struct pmap_entry {
	struct str key;
	const void *value;
	const struct pmap *next;
};

struct pmap {
	bool leaf;
	uint16_t bits; /* branch: bit mask of existing children */
	uint32_t hash; /* leaf */
	union {        /* a leaf has one entry, a branch one child per bit; only these are allocated */
		struct pmap_entry entry[0];
		const struct pmap *kids[0];
	};
};

static unsigned slot(uint32_t hash, unsigned depth)
{
	return hash >> (depth * FAN_BITS) & (FAN - 1);
}

/* Counts the bits, in pairs, nibbles and bytes: a processor of 2003 has no instruction for it. */
static unsigned count_bits(unsigned bits)
{
	bits -= bits >> 1 & 0x5555;
	bits = (bits & 0x3333) + (bits >> 2 & 0x3333);
	bits = (bits + (bits >> 4)) & 0x0F0F;
	return (bits + (bits >> 8)) & 0xFF;
}

static unsigned rank(uint16_t bits, unsigned i) { return count_bits(bits & ((1u << i) - 1)); }

/* Returns child i of a node at this depth; a leaf counts as a branch whose only child is itself. */
static const struct pmap *child_at(const struct pmap *m, unsigned depth, unsigned i)
{
	if (!m)
		return NULL;
	if (m->leaf)
		return slot(m->hash, depth) == i ? m : NULL;
	return m->bits >> i & 1 ? m->kids[rank(m->bits, i)] : NULL;
}

static const void *find_hashed(const struct pmap *m, uint32_t hash, struct str key)
{
	for (unsigned depth = 0; m && !m->leaf; depth++)
		m = child_at(m, depth, slot(hash, depth));
	for (; m; m = m->entry->next)
		if (str_eq(m->entry->key, key))
			return m->entry->value;
	return NULL;
}

/* A map of one leaf needs no hash. */
const void *pmap_get(const struct pmap *m, struct str key)
{
	return find_hashed(m, m && !m->leaf ? str_key_hash(key) : 0, key);
}

static struct pmap *leaf_new(struct arena *a, uint32_t hash, struct str key, const void *value,
		const struct pmap *next)
{
	struct pmap *m = arena_alloc(a, sizeof *m + sizeof *m->entry);
	m->leaf = true;
	m->hash = hash;
	*m->entry = (struct pmap_entry){key, value, next};
	return m;
}

/* Sets or removes a key in a chain of leaves with one hash; the part after it is shared. */
static const struct pmap *chain_set(struct arena *a, const struct pmap *m, uint32_t hash, struct str key,
		const void *value)
{
	const struct pmap *head = NULL, **end = &head;
	for (; m && str_cmp(m->entry->key, key) < 0; m = m->entry->next) {
		struct pmap *copy = leaf_new(a, hash, m->entry->key, m->entry->value, NULL);
		*end = copy;
		end = &copy->entry->next;
	}
	if (m && str_eq(m->entry->key, key))
		m = m->entry->next;
	*end = value ? leaf_new(a, hash, key, value, m) : m;
	return head;
}

/*
 * Copies branch m (NULL: empty) with slot i set to `child` (NULL: removed). Folds it if only one leaf is
 * left.
 */
static const struct pmap *branch_with(struct arena *a, const struct pmap *m, unsigned i,
		const struct pmap *child)
{
	const struct pmap *kids[FAN];
	uint16_t bits = 0;
	unsigned n = 0;
	for (unsigned k = 0; k < FAN; k++) {
		const struct pmap *c = k == i ? child : m && m->bits >> k & 1 ? m->kids[rank(m->bits, k)] :
				NULL;
		if (!c)
			continue;
		bits |= (uint16_t)(1u << k);
		kids[n++] = c;
	}
	if (n == 0 || (n == 1 && kids[0]->leaf))
		return n ? kids[0] : NULL;
	struct pmap *b = arena_alloc(a, sizeof *b + n * sizeof *kids);
	b->bits = bits;
	memcpy(b->kids, kids, n * sizeof *kids);
	return b;
}

/* Builds a branch at this depth from two chains with different hashes. */
static const struct pmap *join_nodes(struct arena *a, unsigned depth, const struct pmap *x,
	const struct pmap *y)
{
	unsigned i = slot(x->hash, depth), k = slot(y->hash, depth);
	const struct pmap *below = i == k ? join_nodes(a, depth + 1, x, y) : x;
	struct pmap *b = arena_alloc(a, sizeof *b + 2 * sizeof b->kids[0]);
	b->bits = (uint16_t)(1u << i | 1u << k);
	b->kids[i == k ? 0 : i > k] = below;
	if (i != k)
		b->kids[k > i] = y;
	return b;
}

static const struct pmap *node_set(struct arena *a, const struct pmap *m, unsigned depth, uint32_t hash,
		struct str key, const void *value)
{
	if (!m)
		return value ? leaf_new(a, hash, key, value, NULL) : NULL;
	if (m->leaf && m->hash == hash)
		return chain_set(a, m, hash, key, value);
	if (m->leaf)
		return value ? join_nodes(a, depth, m, leaf_new(a, hash, key, value, NULL)) : m;
	unsigned i = slot(hash, depth);
	return branch_with(a, m, i, node_set(a, child_at(m, depth, i), depth + 1, hash, key, value));
}

const struct pmap *pmap_set(struct arena *a, const struct pmap *m, struct str key, const void *value)
{
	uint32_t hash = str_key_hash(key);

	if (find_hashed(m, hash, key) == value)
		return m; /* no change: the same pointer keeps comparisons cheap */
	return node_set(a, m, 0, hash, key, value);
}

void pmap_each(const struct pmap *m, void (*fn)(void *ctx, struct str key, const void *value), void *ctx)
{
	if (!m)
		return;
	if (m->leaf) {
		for (; m; m = m->entry->next)
			fn(ctx, m->entry->key, m->entry->value);
		return;
	}
	for (unsigned i = 0; i < count_bits(m->bits); i++)
		pmap_each(m->kids[i], fn, ctx);
}

typedef void diff_fn(void *ctx, struct str key, const void *vx, const void *vy);

/* Compares two sorted chains with the same hash; either may be NULL. */
static void chain_diff(const struct pmap *x, const struct pmap *y, diff_fn *fn, void *ctx)
{
	while (x != y) {
		int order = !x ? 1 : !y ? -1 : str_cmp(x->entry->key, y->entry->key);
		if (order < 0) {
			fn(ctx, x->entry->key, x->entry->value, NULL);
		} else if (order > 0) {
			fn(ctx, y->entry->key, NULL, y->entry->value);
		} else if (x->entry->value != y->entry->value) {
			fn(ctx, x->entry->key, x->entry->value, y->entry->value);
		}
		x = order <= 0 ? x->entry->next : x;
		y = order >= 0 ? y->entry->next : y;
	}
}

static void node_diff(const struct pmap *x, const struct pmap *y, unsigned depth, diff_fn *fn, void *ctx)
{
	if (x == y)
		return;
	if ((!x || x->leaf) && (!y || y->leaf)) {
		if (x && y && x->hash != y->hash) {
			chain_diff(x, NULL, fn, ctx);
			chain_diff(NULL, y, fn, ctx);
		} else {
			chain_diff(x, y, fn, ctx);
		}
		return;
	}
	for (unsigned i = 0; i < FAN; i++)
		node_diff(child_at(x, depth, i), child_at(y, depth, i), depth + 1, fn, ctx);
}

void pmap_diff(const struct pmap *x, const struct pmap *y, diff_fn *fn, void *ctx)
{
	node_diff(x, y, 0, fn, ctx);
}
