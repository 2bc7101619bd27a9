/*
 * Our command line in process lists, which everybody can read, even in a box. A forked process that does not
 * need the arguments replaces them with a title.
 */
#pragma once

/* Notes the location of the arguments for title_set(). They must not change until then. */
void title_known(int argc, char **argv);
/* Overwrites all arguments with a title. Does nothing without title_known(). */
void title_set(const char *name);
