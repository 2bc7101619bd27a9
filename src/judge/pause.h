/*
 * A pause: for a short time a person wants no questions and no boxes. Hooks judge in the mode `paused`: asks
 * and contains become allow, denials stay.
 *
 * The pause is a file in the state directory with a boot id and an end on a clock that also runs during
 * suspend. It therefore ends at that time, at the next boot, and after PAUSE_MAX_S in any case. A file does
 * not count if others may write it, if it is malformed, or if the state directory lies where agents may write
 * (the project, writable roots, temporary files).
 */
#pragma once
#include "model/view.h"

#define PAUSE_FILE "pause.json"
#define PAUSE_MAX_S 3600

struct pause {
	bool on;
	int64_t left_s;
	struct str project; /* root of the only project it covers; empty: all projects */
	struct str until;   /* local time, "10:31" */
};

/* Finds the pause in force for the view's project. Never fails: in doubt there is no pause. */
void pause_look(struct arena *a, const struct view *v, struct pause *ret);
/*
 * Starts a pause, or changes the end of the current one. An empty `project` covers all projects. Returns -1
 * and *e also where a pause could not take effect.
 */
int pause_start(struct arena *a, const struct view *v, struct str project, int64_t seconds, struct pause *ret,
		struct err *e);
/* Ends the pause. *ret_was: a pause file existed. */
int pause_end(struct arena *a, const struct view *v, bool *ret_was, struct err *e);
