/* Policies for people: all that one says, what it says that loosens, and what in it is worth a warning. */
#pragma once
#include "cli/doc.h"
#include "model/policy.h"

/* Everything in force, in the words of docs/policy.md. */
void show_policy(struct doc *o, const struct policy *p);
/* Only what could make a verdict milder than the built-in policy has it. False: there is nothing. */
bool show_loosening(struct doc *o, const struct policy *p);
/*
 * Calls fn for each allow rule that allows far more than it seems to, and each rule that can match nothing.
 */
void show_warnings(struct arena *a, const struct policy *p,
		void (*fn)(void *ctx, struct str where, struct str rule, const char *why), void *ctx);
