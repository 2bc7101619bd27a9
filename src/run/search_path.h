/*
 * The caller's PATH in a box of the work profile.
 *
 *  - search_path_list(), before the spec is complete: lists the directories of the caller's PATH, and shows
 *    those that the box lacks, read-only, as far as that is safe (search_show.c).
 *  - search_path_make(), after: the box's own PATH. A directory that the box does not show is left out. Its
 *    programs must not be replaced by others of the same name in silence, so a directory of stand-ins is in
 *    its place: one for each program that would resolve to another. They say so and fail.
 */
#pragma once
#include "run/spec_builder.h"

#define STAND_IN_WORDS "caisson: not run: " /* the start of what a stand-in prints */

struct search_program { /* a program in a directory of the PATH */
	struct search_program *next;
	struct str name;
	struct str hop;    /* where its link leads first, absolute; empty: it is no link */
	struct str real;
};

struct search_dir { /* a directory of the caller's PATH, in its order */
	struct search_dir *next;
	struct str text;   /* as a program of the box names it */
	struct str real;
	bool plain;        /* of the system, or of the workspace: there anyway */
	bool partial;      /* not all of its programs are listed */
	bool extra;        /* of a variable, not of the PATH */
	const char *why;   /* why it is not shown; NULL: it is, or nothing forbids it */
	/* of a directory that is shown: links; of a `plain` one: those that leave system and workspace */
	struct search_program *programs;
};

/* search_show.c: shows a directory, or sets `why`; then what its links lead to. odd: it is not shown. */
void search_show(struct spec_builder *m, struct path_memo *memo, struct search_dir *d, bool odd);
/*
 * The same for a directory that is there anyway. In the workspace, only the interpreter of an environment is
 * shown; what links lead to is not.
 */
void search_look_inside(struct spec_builder *m, struct path_memo *memo, struct search_dir *d);
/* True for directories of the host that are visible in every box. */
bool search_system(struct str dir);
/* True if a path of the host has the same content in the box. */
bool search_seen(const struct spec_builder *m, struct str path);
/* Returns why a resolved path cannot be shown, or NULL. */
const char *search_refuse(struct spec_builder *m, struct path_memo *memo, struct str real);
