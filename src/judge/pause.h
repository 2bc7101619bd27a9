/*
 * A pause: for a short time a person wants no questions and no boxes. Hooks judge as before, in the mode
 * `paused`: what would be asked about or contained is allowed, denials stay.
 *
 * It is a file in the state directory that names the boot and a time of the clock that also runs while the
 * machine sleeps, so it ends by itself: at that time, with the next boot, and after PAUSE_MAX_S whatever it
 * says. A file that is in any way not as it should be is no pause: others may write it, it is broken, or the
 * state directory lies where agents may write (the project, writable roots, temporary files).
 */
#pragma once
#include "model/view.h"

#define PAUSE_FILE "pause.json"
#define PAUSE_MAX_S 3600
#define PAUSE_DEFAULT_S 600

struct pause {
	bool on;
	int64_t left_s;
	struct str project; /* it holds for this one alone; empty: for all */
	struct str until;   /* "10:31", local time */
};

/* The pause in force in the view's project. Never fails: what cannot be found out is no pause. */
void pause_look(struct arena *a, const struct view *v, struct pause *ret);
/*
 * Starts one, or gives it another end. `project` empty: for all projects. -1 also where a pause could not
 * count.
 */
int pause_start(struct arena *a, const struct view *v, struct str project, int64_t seconds, struct pause *ret,
		struct err *e);
/* Ends it. *ret_was: there was a file. */
int pause_end(struct arena *a, const struct view *v, bool *ret_was, struct err *e);
