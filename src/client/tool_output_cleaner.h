/*
 * Cleans the strings of a tool's output, in the hook after a tool.
 *
 *   - shells and tools of other servers: removes control sequences and invisible characters, replaces secrets
 *   - tools that read files: replaces secrets only, and only if the policy says so, because the next edit
 *     must find the text as it was read
 *
 * Numbers stay as printed, unless the caller's contract says otherwise.
 */
#pragma once
#include "client/hook.h"
#include "result/normalise.h"
#include "result/redact.h"

struct tool_output_cleaner {
	struct hook_call *c;
	bool normalise, redact;
	struct normalise_options options;
	struct redactor *redactor;
	struct sanitized sanitized;
	uint64_t redacted; /* secrets replaced */
	bool changed;      /* at least one string differs */
};

void tool_output_cleaner_start(struct hook_call *c, struct tool_output_cleaner *k);
struct str tool_output_cleaner_text(struct tool_output_cleaner *k, struct str raw);
/* Returns a copy of the value with clean strings; images and audio are kept. */
const struct json *tool_output_cleaner_value(struct tool_output_cleaner *k, const struct json *v);
