/*
 * Policies that are kept between requests: `check --batch` and the library judge many commands in one process.
 *
 * Loaded policies know each file that decides about them (struct policies.sources): those that were read, those that
 * were looked for and are not there, and the trust store once a project's file was compared with it. Before each
 * request their stamps are compared (sys/stamp.h), and so is everything that says which files these are: directory,
 * home, project, repositories around it. A difference loads all of them again. A load that failed is tried again.
 */
#pragma once
#include "judge/engine.h"

#define POLICY_CACHE_GROWTH ((size_t)16 << 20) /* bytes that matching may add before the policies are loaded again */

struct policy_cache {
	struct arena arena; /* owns the rest */
	bool filled;
	struct policies_request request; /* its texts are copies */
	struct view view;                /* the world that the policies were loaded in */
	struct texts *around;            /* repositories around the project */
	struct policies policies;
	size_t loaded_bytes;             /* of the arena after loading; matching adds to it */
};

/*
 * The policies in force for this request. `now` is the request's view (world_view() with rq's directory and home); its
 * memo may be NULL. On success *ret belongs to the cache and holds until the next call. A failure denies.
 */
int policy_cache_get(struct policy_cache *c, struct arena *a, const struct policies_request *rq, const struct view *now,
		     const struct policies **ret, struct err *e);
void policy_cache_free(struct policy_cache *c);
