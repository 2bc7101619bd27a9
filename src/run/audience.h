/*
 * Adapts texts of the engine to their reader. A person at a terminal has options (`--timeout`). A model
 * behind an MCP server has arguments (`timeout_sec`). A model behind a client's hook has neither: there a
 * person changes the policy. Texts are written once, for the command line; these functions replace the names
 * in them.
 */
#pragma once
#include "model/limits.h"

enum audience {
	AUDIENCE_TERMINAL = 0, /* caisson run */
	AUDIENCE_CLIENT,       /* run of a ticket: a model behind an agent client's hook */
	AUDIENCE_MCP,          /* a model that calls the tool `run` of caisson mcp */
};

/* where a person changes the policy: a model repeats it to them */
#define AUDIENCE_POLICY "the policy (~/.config/caisson/config.yaml)"

/* Returns the name of a limit for this reader. */
const char *audience_limit(enum audience who, enum limit l);
/* Returns a clause, to follow a semicolon, that says who can change a limit, and how. */
struct str audience_advice(struct arena *a, enum audience who, enum limit l);
/*
 * Returns clauses that say who can show a directory in the box, who can let it be written, and how a package
 * is fetched all the same.
 */
const char *audience_show(enum audience who);
const char *audience_keep(enum audience who);
const char *audience_registry(enum audience who);
/* Translates a text that may name options of `caisson run`. */
struct str audience_text(struct arena *a, enum audience who, struct str text);
