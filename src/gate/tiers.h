/* The person's own rules, in the tiers of docs/policy.md. */
#pragma once
#include "gate/judge.h"

/*
 * Budget for comparing all rules with one request, in units of base/regex.h (about ten nanoseconds each).
 * Rules and commands can both be many, and clients time out. Past the budget the request is asked about, and
 * no further rule allows anything.
 */
#define TIERS_WORK_MAX ((int64_t)64 << 20)
#define TIERS_RULE 64   /* cost of one rule for one command */
#define TIERS_HIT 2000  /* cost of a match, which is recorded */

/* Charges `cost` to the budget; false when it is exhausted. */
bool tiers_afford(struct judge *j, size_t cost);

/* True if a redirect rule, or an Edit() or Read() rule, allows this access. */
bool tiers_path_allowed(struct judge *j, const struct access *x, const struct where *w);

/* rule_normalise.c */
struct normal { /* a command in three forms */
	const struct command *raw;
	const struct command *loose;  /* stripped, for deny and ask rules */
	const struct command *strict; /* stripped, for allow rules */
	bool cut;                     /* a limit stopped the stripping */
};
void tiers_normalise(struct judge *j, const struct command *c, struct normal *ret);
/* Matches a deny or ask rule. */
enum prefix_match normal_match(const struct normal *n, const struct prefix_rule *r);

/* Shared by tiers.c and tiers_code.c: the tiers with a rule that matches one command. */
struct verdicts {
	bool deny, scoped, ask, allow, maybe;
};

/*
 * Records the match of a rule with a command. A deny is raised at once; asks are raised after all rules were
 * compared.
 */
void tiers_match(struct judge *j, struct subject *s, struct verdicts *v, enum verdict decision,
	bool scoped, enum prefix_match m, const struct rule *r, struct str what);
void tiers_raise_ask(struct judge *j, struct subject *s, const struct rule *r, struct str what,
	enum prefix_match m);
/* Raises a deny or ask rule under its check's id. */
void tiers_raise(struct judge *j, enum check_id id, const struct rule *r, struct str what,
	enum prefix_match m, struct span at);
void tiers_tool(struct judge *j); /* tiers_tool.c: rules about the names of other tools */
struct redirect_test {
	const struct redirect_rule *r;
	bool some, all; /* some path, or every path, of the access matches */
};

void tiers_redirect_one(struct judge *j, const struct access *x, const struct where *w, void *ctx);
/*
 * Compares the rules about code with the code passed to this command, nested code included. If v is NULL,
 * raises the asks instead.
 */
void tiers_compare_code(struct judge *j, struct subject *s, struct verdicts *v);
/* True if the command's code was read completely and only reads: node -e "console.log(1)". */
bool tiers_code_reads(struct judge *j, struct subject *s);
void tiers_decide_request(struct judge *j);
