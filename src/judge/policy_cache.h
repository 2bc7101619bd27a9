/*
 * Policies that are kept between requests: `check --batch` and the library judge many commands in one
 * process.
 *
 * Loaded policies know each file that decides about them (struct policies.sources): those that were read,
 * those that were looked for and are not there, and the trust store once a project's file was compared with
 * it. Before each request their stamps are compared (sys/stamp.h), and so is everything that says which files
 * these are: directory, home, project, repositories around it. A difference loads all of them again. A load
 * that failed is tried again.
 *
 * Judgements point into the policies that they were made by. A judgement that outlives its request holds
 * their set.
 */
#pragma once
#include "judge/engine.h"

#define POLICY_CACHE_GROWTH ((size_t)16 << 20) /* bytes that matching may add before all is loaded again */

struct policy_set {
	struct arena arena; /* owns the rest */
	unsigned holders;
	struct policies_request request; /* its texts are copies */
	struct session session;          /* open: the world that the policies were loaded in */
	struct texts *around;            /* repositories around the project */
	struct policies policies;
	size_t loaded_bytes;             /* of the arena after loading; matching adds to it */
};

struct policy_cache { /* empty when it is zero */
	struct policy_set *set;
};

/*
 * The policies in force for this request, whose session is open. On success *ret belongs to the cache until
 * the next call; policy_set_hold() keeps it longer. A failure denies.
 */
int policy_cache_get(struct policy_cache *c, struct arena *a, const struct policies_request *rq,
		     struct policy_set **ret, struct err *e);
void policy_cache_free(struct policy_cache *c);
struct policy_set *policy_set_hold(struct policy_set *s);
void policy_set_release(struct policy_set *s); /* NULL is fine */
