/*
 * STATE/outputs: texts that are too long to be shown, for those who want to read on. A file has no name
 * before it is complete, so whatever happens to who writes it, nothing half is left; where the file system
 * cannot do that it has one that starts with a dot, which outputs_prune() removes when it is left over.
 */
#pragma once
#include "base/str.h"

#define OUTPUTS_FOLDER "outputs"
/* files that are looked at when old ones are removed; more are left for the next time */
#define OUTPUTS_MAX 1000000
#define OUTPUTS_TEMP_MAX 32
#define OUTPUTS_TEMP_SEC 86400   /* what is left over of a writer is older than this */

struct output_file {
	int dir, fd;                 /* -1: not open */
	char temp[OUTPUTS_TEMP_MAX]; /* its name until it is complete; empty: it has none */
};

/*
 * A new file (0600) in STATE/outputs, which is made (0700) when it is not there. STATE is the caller's alone:
 * state_make().
 */
int output_open(struct output_file *ret, const char *state, struct err *e);
/*
 * Gives it its name, which nobody must have: no file is ever written over. It is closed, and gone when that
 * fails.
 */
int output_finish(struct output_file *f, const char *name, struct err *e);
/* As if it had never been opened. */
void output_drop(struct output_file *f);

struct outputs_pruned {
	uint64_t files, bytes;           /* that were removed */
	uint64_t left_files, left_bytes; /* and those that stay */
};
/*
 * Removes files that were written before `older_than` (seconds since 1970), then the oldest ones until the
 * rest is no more than max_bytes (0: any). A folder that does not exist is empty. Only regular files count;
 * links are neither followed nor removed. `dry`: only says it.
 */
int outputs_prune(struct arena *a, struct str state, int64_t older_than, uint64_t max_bytes, bool dry,
		struct outputs_pruned *ret, struct err *e);
/*
 * Is it a day since the last time, by the folder's own mark? Asked once, the mark is new: the caller prunes.
 */
bool outputs_due(const struct output_file *f, int64_t now);
