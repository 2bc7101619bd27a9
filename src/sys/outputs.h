/*
 * STATE/outputs: full texts of outputs that are too long to show.
 *
 * A file gets its name only when it is complete (O_TMPFILE), so a writer that dies leaves no partial file.
 * Without O_TMPFILE it has a temporary name that starts with a dot; outputs_prune() removes leftovers.
 */
#pragma once
#include "base/str.h"

#define OUTPUTS_FOLDER "outputs"
/* files examined by one prune; the rest waits for the next */
#define OUTPUTS_MAX 1000000
#define OUTPUTS_TEMP_MAX 32
#define OUTPUTS_TEMP_SEC 86400   /* minimum age of a leftover temporary file */

struct output_file {
	int dir, fd;                 /* -1: not open */
	char temp[OUTPUTS_TEMP_MAX]; /* temporary name; empty: O_TMPFILE, no name */
};

/*
 * Opens a new file (0600) in STATE/outputs and creates that folder (0700) if it is missing. Only the caller
 * may have access to STATE: see state_make().
 */
int output_open(struct output_file *ret, const char *state, struct err *e);
/*
 * Gives the file its name and closes it. Fails if the name exists, since no file is ever overwritten; then
 * the file is gone.
 */
int output_finish(struct output_file *f, const char *name, struct err *e);
/* Closes and discards the file. */
void output_drop(struct output_file *f);

struct outputs_pruned {
	uint64_t files, bytes;           /* removed */
	uint64_t left_files, left_bytes; /* remaining */
};
/*
 * Removes files last written before `older_than` (seconds since 1970), then the oldest ones until the rest
 * has at most max_bytes (0: unlimited). A missing folder counts as empty. Handles only regular files; links
 * are neither followed nor removed. With `dry`, only counts.
 */
int outputs_prune(struct arena *a, struct str state, int64_t older_than, uint64_t max_bytes, bool dry,
		struct outputs_pruned *ret, struct err *e);
/*
 * True if the last prune was at least a day ago, by the mtime of the folder's mark file. Also renews the
 * mark, so the caller must prune.
 */
bool outputs_due(const struct output_file *f, int64_t now);
