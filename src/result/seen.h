/* A set of names by 64-bit hash, each open (started) or closed (ended). */
#pragma once
#include "base/str.h"

#define SEEN_MAX ((size_t)1 << 18)

struct seen_entry {
	uint64_t key; /* 0: free */
	bool open;
};

struct seen {
	struct arena *a;
	struct seen_entry *e;
	size_t n, cap, open;
	bool full;    /* more than SEEN_MAX names: the set is incomplete */
};

uint64_t seen_key(struct str x, struct str y);
/* Returns the entry of a key, created (closed) if it is new. NULL if full. *ret_new may be NULL. */
struct seen_entry *seen_get(struct seen *s, uint64_t key, bool *ret_new);
void seen_set(struct seen *s, struct seen_entry *e, bool open);
