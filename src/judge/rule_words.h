/*
 * Builds the allow rule that would answer an ask for good, from the words of a command. `suggest` makes its
 * rules with it, and each ask of a client names one (`caisson allow 'npm install'`).
 */
#pragma once
#include "judge/engine.h"

#define RULE_WORDS_MAX 300 /* longest command that becomes a rule, in bytes */
#define RULE_PARTS_MAX 3   /* most rules for one ask */

/* Returns the words of a command, joined by blanks, if all are known and plain; else empty. */
struct str rule_words(struct arena *a, const struct command *c);
/*
 * Returns the prefix for a wider rule: "pip index" for "pip index versions x". Empty if the second word does
 * not name an action, or if the rule would allow far more.
 */
struct str rule_prefix(struct str words);
/*
 * rule_decides(): a person may answer this reason once and for all for exactly this command. rule_widens(),
 * for fewer reasons: also for every command with the same prefix. All other reasons are about damage,
 * secrets, privileges or unknown code, and a person should look each time.
 */
bool rule_decides(enum check_id id);
bool rule_widens(enum check_id id);
/* True if a reason points at this command. */
bool rule_speaks_of(const struct judgement *j, const struct command *c);
/*
 * Returns the rules that would allow this request, each quoted for a shell, separated by blanks. The result
 * is verified: the request is judged again with the rules and the recorded view. Empty if allow rules do not
 * help, or would allow far more.
 */
struct str rules_allowing(struct arena *a, const struct engine_request *rq, const struct policies *p,
		const struct facts *f,
	const struct judgement *j);
