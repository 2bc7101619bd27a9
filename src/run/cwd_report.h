/*
 * The directory in which a contained command ends. A client's shell keeps it for the next command, and a
 * command in a box is not run by that shell. So bash or zsh in the box says at its end where it is, in a file
 * of ours that only this box sees; what it says is untrusted, and counts only when it is a directory of the
 * project.
 *
 * The command itself is not touched: what the shell is told stands in a file that it reads first, because of
 * a variable (BASH_ENV, ZDOTDIR) which that file takes back at once.
 */
#pragma once
#include "run/run.h"

#define CWD_REPORT_MAX 4096

/* Adds it to what was prepared. `id` makes the file's name. *ret is its path on this side. */
int cwd_report_prepare(struct arena *a, struct run *r, enum dialect dialect, struct str id, struct str *ret,
		struct err *e);
/* After the run: the directory, or empty. Removes the file. */
struct str cwd_report_take(struct arena *a, const struct run_world *w, struct str path);
