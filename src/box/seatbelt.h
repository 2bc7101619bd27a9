/*
 * The profile of macOS's sandbox (seatbelt) for a spec, as text for sandbox-exec. Untested on macOS: tests
 * look at the text alone.
 */
#pragma once
#include "model/spec.h"

/*
 * Paths are parameters: the first lines are comments with the -D options to pass. -1 with the reason if the
 * profile cannot say what the spec asks for.
 */
int seatbelt_profile(struct arena *a, const struct spec *s, struct str *ret, struct err *e);
