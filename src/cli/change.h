/* Shared by the commands that change a person's files: the diff, and the question. */
#pragma once
#include "client/init_hooks.h"
#include "client/rule_change.h"

/* Notes in the record what a person does to caisson, before it is done. */
int record_deed(struct arena *a, const struct view *v, const struct policies *p, struct str command,
		struct str note, struct err *e);
/* The diff as it is for a pipe; a terminal is not given what a file may hold. */
void show_change(struct arena *a, struct buf *out, const struct init_change *c);
/*
 * Shows the effect of the planned rules, asks, and writes; returns the exit code. `command` is for messages.
 * With dry_run nothing is asked or written. The content of *out is shown first.
 */
int change_rules(struct arena *a, const char *command, const struct rule_request *rq,
		const struct rule_plan *p, bool dry_run, struct buf *out);
