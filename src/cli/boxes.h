/* For the commands about boxes in the background: where their entries are. */
#pragma once
#include "cli/cli.h"
#include "judge/context.h"
#include "keeper/background.h"

struct boxes {
	struct arena a;
	struct context here;
	struct str state;
};

/* Finds the state directory. A message and an exit code, or 0. Call it inside an arena_run(). */
int boxes_open(struct boxes *b, const char *command);
/* The same, and the entry with this id or beginning of one. */
int boxes_find(struct boxes *b, const char *command, const char *id, struct background *ret);
/* Prints the report of an ended box. Returns the exit code that the report has. */
int boxes_report(struct boxes *b, const char *command, const struct background *k);
