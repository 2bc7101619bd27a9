/* Shared by `normalise` and `redact`: text is processed in chunks, so it may have any length. */
#pragma once
#include "cli/cli.h"
#include "result/normalise.h"
#include "result/redact.h"

struct filter {
	struct arena *a;
	const char *path;            /* NULL or "-": standard input */
	struct normalise_options options;
	struct redactor *redactor;   /* NULL: no redaction */
	bool json;
};

/* Filters the whole stream. Returns the exit code. */
int filter_run(const struct filter *f);
