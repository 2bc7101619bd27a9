/*
 * The allow rule that would answer a question for good: which words of a command it has. `suggest` makes its
 * rules of these, and every question that a client asks names one (`caisson allow 'npm install'`).
 */
#pragma once
#include "judge/engine.h"

#define RULE_WORDS_MAX 300 /* bytes of a command that a rule can be made of */
#define RULE_PARTS_MAX 3   /* rules that one question may need */

/* The words of a command when all of them are known and plain; else empty. */
struct str rule_words(struct arena *a, const struct command *c);
/*
 * "pip index versions x" is one of "pip index"; empty: it has no second word that names what it does, or such
 * a rule would allow far more.
 */
struct str rule_prefix(struct str words);
/*
 * Reasons that one may decide about once and for all: for the very command; and, fewer, for whatever starts
 * like it. All others are about damage, secrets, rights, or about what is not known, and a person should look
 * each time.
 */
bool rule_decides(enum check_id id);
bool rule_widens(enum check_id id);
/* Does a reason point at this command? */
bool rule_speaks_of(const struct judgement *j, const struct command *c);
/*
 * The rules with which this request would be allowed, each quoted for a shell, separated by blanks. That is
 * tried: the request is judged again with them, and by what was seen of the world. Empty: rules of this kind
 * do not help, or would allow far more.
 */
struct str rules_allowing(struct arena *a, const struct engine_request *rq, const struct policies *p,
		const struct facts *f,
	const struct judgement *j);
