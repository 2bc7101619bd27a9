/* Prints policies for people: the whole policy, only the loosening parts, and warnings. */
#pragma once
#include "cli/doc.h"
#include "model/policy.h"

/* Shows everything in force, in the words of docs/policy.md. */
void show_policy(struct doc *o, const struct policy *p);
/* Shows only the parts that could make a verdict milder than the built-in policy. False if there are none. */
bool show_loosening(struct doc *o, const struct policy *p);
/* Calls fn for each allow rule that allows far more than it seems to, and each rule that can never match. */
void show_warnings(struct arena *a, const struct policy *p,
		void (*fn)(void *ctx, struct str where, struct str rule, const char *why), void *ctx);
