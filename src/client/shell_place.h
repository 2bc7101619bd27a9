/* Where a client finds a shell by its name, and whether an agent may have put it there. */
#pragma once
#include "sys/path.h"

struct shell_places {
	struct str path; /* $PATH, as the client has it */
	struct str tmp;  /* $TMPDIR */
	struct str own;  /* the client's own directory, resolved: no place of an agent's; may be empty */
	const struct root *roots; /* where an agent may write */
};

enum shell_found { SHELL_NONE, SHELL_OWN, SHELL_FOREIGN };

/* $PATH and the places of this view. */
struct shell_places shell_places(const struct view *v);
/* Is this a program that can be started? */
bool shell_is_program(struct arena *a, struct str path);
/* May an agent have put a file there without being asked about it? */
bool shell_agents_place(struct path_memo *m, const struct shell_places *p, struct str path);
/*
 * The first program of this name in PATH. Foreign: an agent may have put it there; or, unless only a file
 * that is `present` counts, an agent could put one there that comes first.
 */
enum shell_found shell_in_path(
	struct path_memo *m, const struct shell_places *p, const char *name, bool present, struct str *ret);
