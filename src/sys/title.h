/*
 * Our command line in process lists, which everybody may read, in a box as well. A copy of us that has no use
 * for the arguments shows another text.
 */
#pragma once

/* Where they are, for title_set(). They must stay as they are until then. */
void title_known(int argc, char **argv);
/* Nothing of them is left. Without title_known() there is nothing to do. */
void title_set(const char *name);
