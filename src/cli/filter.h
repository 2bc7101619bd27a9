/* Shared by `normalise` and `redact`: text passes through in pieces, so it may have any length. */
#pragma once
#include "cli/cli.h"
#include "result/normalise.h"
#include "result/redact.h"

struct filter {
	struct arena *a;
	const char *path;            /* NULL or -: standard input */
	struct normalise_options options;
	struct redactor *redactor;   /* NULL: nothing is redacted */
	bool json;
};

/* The exit code. */
int filter_run(const struct filter *f);
