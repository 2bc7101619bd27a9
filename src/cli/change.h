/* Shared by the commands that change a person's files: shows the diff and asks. */
#pragma once
#include "client/init_hooks.h"
#include "client/rule_change.h"

/* Records a person's change to caisson before it is made. */
int record_deed(struct arena *a, const struct view *v, const struct policies *p, struct str command,
		struct str note, struct err *e);
/* Appends the diff. */
void change_diff(struct buf *b, const struct init_change *c);
/* The same for a person. For a terminal, control characters from the file are made visible. */
void show_change(struct arena *a, struct buf *out, const struct init_change *c);
/*
 * Shows *out and the effect of the planned rules, asks, and writes; returns the exit code. `command` is for
 * messages. With dry_run it neither asks nor writes.
 */
int change_rules(struct arena *a, const char *command, const struct rule_request *rq,
		const struct rule_plan *p, bool dry_run, struct buf *out);
