/*
 * Cleans the strings of a tool's output, in the hook after a tool. For a shell, and for tools of other
 * servers, control sequences and invisible characters are removed and secrets are replaced. For tools that
 * read files, only secrets are replaced, and only if the policy wants that: the next edit must find the text
 * as it was read. Numbers stay as printed, unless the caller's contract is another.
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
	uint64_t redacted; /* secrets */
	bool changed;      /* a text is another one now */
};

void tool_output_cleaner_start(struct hook_call *c, struct tool_output_cleaner *k);
struct str tool_output_cleaner_text(struct tool_output_cleaner *k, struct str raw);
/* The same value with clean strings; pictures and sounds stay. */
const struct json *tool_output_cleaner_value(struct tool_output_cleaner *k, const struct json *v);
