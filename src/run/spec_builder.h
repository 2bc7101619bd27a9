/*
 * The steps of building a spec, in the order in which run_prepare() calls them. Each step reads the request,
 * the policies and the caller's world, and adds its part to the run.
 */
#pragma once
#include "run/run.h"
#include "sys/path.h"

#define HOME_NAME_WORDS 32 /* of 64 bits */

struct spec_builder {
	struct arena *a;
	const struct run_request *rq;
	const struct run_world *world;
	const struct view *at;      /* of the caller's context */
	const struct policies *p;
	struct run *r;
	struct search_dir *search;  /* the caller's PATH (search_path.h) */
	struct search_prefix *prefixes; /* directories that were looked at as installations */
	bool ssh_agent;             /* the box has the person's (spec_sockets.c) */
	size_t search_links;        /* links in it that were followed so far */
	uint64_t home_names[HOME_NAME_WORDS]; /* see spec_home_may_have() */
};

/* spec_network.c */
int spec_build_network(struct spec_builder *m, struct err *e);
/* spec_limits.c */
/* Notes that this limit is lower than requested. */
void spec_note_capped(struct spec_builder *m, const char *name);
void spec_build_limits(struct spec_builder *m);
/* spec_places.c: workspace, further paths, root and working directory; calls spec_build_home() */
int spec_build_places(struct spec_builder *m, struct err *e);
/* spec_home.c: the home, with the programs, caches and git identity of the person */
void spec_build_home(struct spec_builder *m, struct path_memo *memo);
/*
 * False if the home has nothing of the name that a relative path begins with. Tables have many such names,
 * most homes have few of them, and one listing is cheaper than a look at each.
 */
bool spec_home_may_have(const struct spec_builder *m, struct str path);
/* spec_sockets.c: the person's own sockets that the policy gives to boxes */
#define SPEC_SSH_AGENT "/caisson/ssh-agent" /* where the box has that one */
void spec_build_sockets(struct spec_builder *m, struct path_memo *memo);
/* spec_caches.c: the caches of package managers and build tools, one set per project */
void spec_build_caches(struct spec_builder *m, struct path_memo *memo);
/* spec_tmp.c: the project's own /tmp, which is kept between commands */
void spec_build_tmp(struct spec_builder *m);
/*
 * search_path.c: lists the directories of the caller's PATH, and shows those that the box lacks, as far as
 * that is safe. Without it the box's PATH is the system's.
 */
void search_path_list(struct spec_builder *m, struct path_memo *memo, bool show);
/* The box's PATH. Call it when all paths of the box are known. */
int search_path_make(struct spec_builder *m, struct str *ret, struct err *e);
/* True if the variable names an installation that the box does not show. */
bool search_path_lacks(struct spec_builder *m, struct str name, struct str value);
/* Shows the programs and libraries that are installed in spec.home, the person's own home. */
void spec_add_toolchains(struct spec_builder *m, struct path_memo *memo);
/* True if Caisson's own files are in this resolved path, or it is in their directories. */
bool spec_is_own(const struct spec_builder *m, struct str real);
/* Adds a path of the host at a place in the box. */
struct spec_path *spec_add_path(struct spec_builder *m, struct str real, struct str at, bool writable);
/* Notes for the report that the box lacks a path of the policy. */
void spec_note_path(struct spec_builder *m, struct str note);
/*
 * Refuses a name from the caller that leads out of a project through a link, which a boxed program may have
 * created.
 */
int spec_refuse_escape(struct spec_builder *m, const char *option, struct str name, struct str real,
		struct err *e);
/* spec_program.c: argv, script, and the text for the gate */
int spec_build_program(struct spec_builder *m, struct err *e);
/* head_tests.c: wraps the program, if the tests of HEAD are requested */
int spec_use_head_tests(struct spec_builder *m, struct err *e);
/* run_validation.c */
int spec_build_task(struct spec_builder *m, struct err *e);
/* test_reports.c: last, since it extends the finished spec */
int spec_ask_test_reports(struct spec_builder *m, struct err *e);
/* spec_registries.c: settings of package managers, if the box reaches hosts by name */
int spec_build_registries(struct spec_builder *m, struct err *e);
/* environment.c: spec_passes() is true if the program gets this variable of the caller, if not secret. */
bool spec_passes(const struct spec_builder *m, struct str name);
int spec_build_environment(struct spec_builder *m, struct err *e);
/* The caller's value of a variable; empty: it is not set. */
struct str spec_callers_value(const struct spec_builder *m, const char *name);
/*
 * spec_walls.c: applies the walls of a client's own sandbox. spec_walls_workspace() chooses the workspace
 * (`project`, or the part of it that the client lets its commands write) and decides if it is writable.
 * spec_walls_close() then applies `closed` and `hidden`.
 */
struct str spec_walls_workspace(struct spec_builder *m, struct str project, bool *ret_writable);
void spec_walls_close(struct spec_builder *m);
/* True if the client lets its commands write this path, or has no sandbox of its own. */
bool spec_walls_may_write(const struct spec_builder *m, struct str real);
