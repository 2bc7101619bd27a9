/*
 * The remotes of a repository over HTTPS and SSH, from its configuration. A setting of the repository that is
 * not known to leave requests to its remotes alone may lead them elsewhere, or add to what they send.
 */
#pragma once
#include "model/view.h"
#include "sys/git_view.h"

struct git_remotes {
	struct arena *a;
	struct stamp_cache *stamps;
	const struct git_place *place;
	struct git_answer *ret;
	struct git_item **end;   /* of ret->remotes */
	struct git_item *merges; /* branches and the names of other branches that they merge */
	size_t n;
};

void git_remotes_start(
	struct git_remotes *r, struct path_memo *m, const struct git_place *place, struct git_answer *ret);
/* Takes one setting, in git's order. */
void git_remotes_take(struct git_remotes *r, const struct git_setting *s, enum git_scope scope);
/* Looks for remotes in files of their own, as old versions of git kept them. */
void git_remotes_finish(struct git_remotes *r);
/* Drops the remotes whose address is none of `known`: they were not there when the session began. */
void git_remotes_keep(struct git_answer *g, const struct git_item *known);
