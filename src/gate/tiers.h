/* The person's own rules, in the tiers of docs/policy.md. */
#pragma once
#include "gate/judge.h"

/*
 * All comparing of rules with one line, in the units of base/regex.h (about ten nanoseconds each): rules and
 * commands can both be many, and whoever waits for an answer gives up at some time. Past it the line is asked
 * about, and no further rule allows anything.
 */
#define TIERS_WORK_MAX ((int64_t)64 << 20)
#define TIERS_RULE 64   /* of one rule about one command */
#define TIERS_HIT 2000  /* of a rule that speaks: it is written down */

/* Takes so much work from what is left; false when nothing is. */
bool tiers_afford(struct judge *j, size_t cost);

/* Does a redirect rule, or an Edit() or Read() rule, allow this access? */
bool tiers_path_allowed(struct judge *j, const struct access *x, const struct where *w);

/* rule_normalise.c */
struct normal { /* a command */
	const struct command *raw;
	const struct command *loose;  /* for rules that deny and ask */
	const struct command *strict; /* for rules that allow */
	bool cut;                     /* more might have been left out */
};
void tiers_normalise(struct judge *j, const struct command *c, struct normal *ret);
/* for a rule that denies or asks */
enum prefix_match normal_match(const struct normal *n, const struct prefix_rule *r);

/* Between tiers.c and tiers_code.c: who spoke about one command, by tier. */
struct verdicts {
	bool deny, scoped, ask, allow, maybe;
};

/* A rule speaks of a command; what denies is raised at once, what asks when all have been heard. */
void tiers_heard(struct judge *j, struct subject *s, struct verdicts *v, enum verdict decision,
	bool scoped, enum prefix_match m, const struct rule *r, struct str what);
void tiers_raise_ask(struct judge *j, struct subject *s, const struct rule *r, struct str what,
	enum prefix_match m);
/* Lists a rule that denies or asks, under the id of its check. */
void tiers_raise(struct judge *j, enum check_id id, const struct rule *r, struct str what,
	enum prefix_match m, struct span at);
void tiers_tool(struct judge *j); /* tiers_tool.c: rules about the names of other tools */
struct redirect_test {
	const struct redirect_rule *r;
	bool some, all; /* of the paths it may touch: one is hit, all are */
};

void tiers_redirect_one(struct judge *j, const struct access *x, const struct where *w, void *ctx);
/*
 * The code that this command is given; code inside that code belongs to it, too. Without `v` those that ask
 * are raised.
 */
void tiers_hear_code(struct judge *j, struct subject *s, struct verdicts *v);
/* Its code is read completely and reads at most: node -e "console.log(1)". */
bool tiers_code_reads(struct judge *j, struct subject *s);
void tiers_decide_request(struct judge *j);
