/*
 * Reports the directory in which a contained command ends. A client's shell keeps its directory for the next
 * command, but it does not run the command in the box. So bash or zsh in the box writes its final directory
 * to a file that only this box sees. The content is untrusted: it counts only if it is a directory of the
 * project.
 *
 * The command itself does not change. The shell sources a file with an EXIT trap at its start, named by a
 * variable (BASH_ENV, ZDOTDIR) which that file unsets at once.
 */
#pragma once
#include "run/run.h"

#define CWD_REPORT_MAX 4096

/*
 * Adds the file, the variable and the startup script to the prepared run. `id` is part of the file's name.
 * *ret is its path on the host.
 */
int cwd_report_prepare(struct arena *a, struct run *r, enum dialect dialect, struct str id, struct str *ret,
		struct err *e);
/* After the run: returns the directory, or empty, and removes the file. */
struct str cwd_report_take(struct arena *a, const struct view *v, struct str path);
