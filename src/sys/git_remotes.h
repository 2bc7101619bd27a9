/*
 * The remotes of a repository over HTTPS and SSH, from its configuration. Settings that lead a remote
 * elsewhere, or that run something for it, make the list incomplete.
 */
#pragma once
#include "model/view.h"
#include "sys/git_view.h"

struct git_remotes {
	struct arena *a;
	struct git_answer *ret;
	struct git_item **end; /* of ret->remotes */
	size_t n;
};

void git_remotes_start(struct git_remotes *r, struct arena *a, struct git_answer *ret);
/* Takes one setting, in git's order. */
void git_remotes_take(struct git_remotes *r, const struct git_setting *s, enum git_scope scope);
/* Looks for remotes in files of their own, as old versions of git kept them. */
void git_remotes_finish(struct git_remotes *r, const struct git_place *place);
/* Drops the remotes whose address is none of `known`: they were not there when the session began. */
void git_remotes_keep(struct git_answer *g, const struct git_item *known);
