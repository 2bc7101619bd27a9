/*
 * A cache of policies between requests, for `check --batch` and the library, which judge many commands in one
 * process.
 *
 * Loaded policies list every file that decides about them (struct policies.sources): files that were read,
 * files that were searched for and do not exist, and the trust store if a project's file was compared with
 * it. Before each request the cache compares their stamps (sys/stamp.h) and the inputs that select the files:
 * directory, home, project, enclosing repositories. Any difference reloads everything. A failed load is
 * retried.
 *
 * Judgements point into the policies that made them. A judgement that outlives its request must hold their
 * set.
 */
#pragma once
#include "judge/engine.h"
#include "sys/stamp_cache.h"

#define POLICY_CACHE_GROWTH ((size_t)16 << 20) /* growth of the arena by matching that forces a reload */

struct policy_set {
	struct arena arena; /* owns everything below */
	unsigned holders;
	struct policies_request request; /* its strings are copies */
	struct context context;          /* open; its view is the world at load time */
	struct texts *around;            /* repositories around the project */
	struct policies policies;
	size_t loaded_bytes;             /* arena size after loading; matching adds to it */
};

struct policy_cache { /* all zero: empty */
	struct policy_set *set;
	struct stamp_cache stamps; /* for the contexts of the requests */
};

/*
 * Returns the policies in force for this request, whose context must be open. On success *ret belongs to the
 * cache until the next call; policy_set_hold() keeps it longer. Returns -1 and *e on failure, and the caller
 * denies.
 */
int policy_cache_get(struct policy_cache *c, struct arena *a, const struct policies_request *rq,
		     struct policy_set **ret, struct err *e);
void policy_cache_free(struct policy_cache *c);
struct policy_set *policy_set_hold(struct policy_set *s);
void policy_set_release(struct policy_set *s); /* NULL is allowed */
