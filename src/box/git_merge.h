/*
 * Settings of a repository that programs in a box made in their private copy of its configuration, merged
 * into the host's file. Pure: texts in, text out.
 *
 * Only settings of a positive list with checked values are taken over: none of them makes git run a program,
 * contact another host, write outside of refs/remotes, or read another file. The copy is hostile text. The
 * result never contains bytes of it, only names and values that were read, checked and written again; it is
 * read back before it counts.
 */
#pragma once
#include "base/str.h"
#include "base/texts.h"

struct git_merge {
	struct str base;    /* the configuration at the start of the box */
	struct str box;     /* the box's copy at its end */
	struct str now;     /* the configuration on the host */
	struct str modules; /* .gitmodules as the box could not change it; empty: none */
};

struct git_merged {
	struct str text;       /* the new configuration; `now` if nothing is taken over */
	size_t taken;          /* settings taken over */
	/* names of settings that are not, without control characters */
	struct texts *refused;
};

/* False: one of the texts cannot be read, or has too many lines; nothing is taken over. */
bool git_merge(struct arena *a, const struct git_merge *m, struct git_merged *ret);
