/*
 * Building a spec: run_prepare() calls these steps in order; each reads the request, the policies and the
 * caller's world, and adds its part to the run.
 */
#pragma once
#include "run/run.h"

struct spec_builder {
	struct arena *a;
	const struct run_wishes *w;
	const struct run_world *world;
	const struct policies *p;
	struct run *r;
};

/* spec_limits.c */
/* Less than was asked for is given of this. */
void spec_note_capped(struct spec_builder *m, const char *name);
int spec_build_limits(struct spec_builder *m, struct err *e);
/* spec_places.c: workspace, home, further paths, working directory; the PATH that goes with them */
int spec_build_places(struct spec_builder *m, struct err *e);
struct str spec_search_path(struct spec_builder *m);
/* Something of the host at this place in the box. */
void spec_add_path(struct spec_builder *m, struct str real, struct str at, bool writable);
/* Refuses a name of the caller's that leads out of a project by a link which a box may have left there. */
int spec_refuse_escape(struct spec_builder *m, const char *option, struct str name, struct str real,
		struct err *e);
/* spec_program.c: argv, script, and the text for the gate */
int spec_build_program(struct spec_builder *m, struct err *e);
/* run_validation.c */
int spec_build_task(struct spec_builder *m, struct err *e);
/* test_reports.c: after everything else, since it adds to it */
int spec_ask_test_reports(struct spec_builder *m, struct err *e);
/* environment.c */
int spec_build_environment(struct spec_builder *m, struct err *e);
/*
 * spec_walls.c: the parts that the walls of a client's own sandbox decide. spec_walls_workspace() says which
 * directory is the workspace and whether it can be written: `project`, or the part of it that the client lets
 * its commands write. Then spec_walls_close() keeps `closed` and `hidden`.
 */
struct str spec_walls_workspace(struct spec_builder *m, struct str project, bool *ret_writable);
void spec_walls_close(struct spec_builder *m);
