/*
 * Texts of the engine for the one who reads them. A person at a terminal has options (`--timeout`), a model
 * behind an MCP server has arguments (`timeout_sec`), and a model behind a client's hook has neither: there
 * a person changes the policy. Texts are written once, for the command line, and say the same to everybody
 * in words that the reader can act on.
 */
#pragma once
#include "model/limits.h"

enum audience {
	AUDIENCE_TERMINAL = 0, /* caisson run */
	AUDIENCE_CLIENT,       /* the run of a ticket: a model behind an agent client's hook */
	AUDIENCE_MCP,          /* a model that calls the tool `run` of caisson mcp */
};

/* The name of a limit for this reader. */
const char *audience_limit(enum audience who, enum limit l);
/* Says who can change a limit, and how: a clause to put behind a semicolon. */
struct str audience_advice(struct arena *a, enum audience who, enum limit l);
/* A text that may name options of `caisson run`. */
struct str audience_text(struct arena *a, enum audience who, struct str text);
