/*
 * Suggests allow rules from the record:
 *  1. All recorded requests are judged again with the policy now in force.
 *  2. Each request that would still be asked about gets a rule, as narrow as possible: the exact command. Its
 *     first two words are used if several such commands were asked about and only the network speaks against
 *     them.
 *  3. All of them are judged with these rules. A rule stays only if it allows the command that it was made
 *     for.
 *
 * Never suggested: rules against denials and fixed checks, and for commands that the user's own rules ask
 * about. Nor rules for asks with other reasons than the network or a program's permitted effects (a table
 * says which): secrets, permissions, persistence, destruction, unknown effects. Also reported: rules of the
 * user's files that no request matched, and checks that never fired.
 */
#pragma once
#include "record/replay.h"

#define SUGGEST_ASKS_MAX 4096    /* bound for different commands */
#define SUGGEST_RULES_MAX 512
#define SUGGEST_PARTS_MAX 8      /* commands of one request that are asked about */
#define SUGGEST_PREFIX_LEAST 3   /* different commands needed for a prefix rule */

struct suggest_ask {
	struct str command;
	uint64_t n;
	struct str reasons;              /* ids, separated by commas */
	const char *left;                /* why no rule is suggested; NULL: one is */
	bool mild;
	/* words of its commands that are asked about, joined by blanks */
	struct str parts[SUGGEST_PARTS_MAX];
	size_t nparts;
	struct replay r;                 /* one such request, to be judged again */
};

struct suggest_rule {
	bool prefix;                     /* else the exact command, as a regular expression */
	struct str text;                 /* words */
	uint64_t n, commands;            /* requests and different commands that it allows */
	struct str reasons;
	bool dropped;
};

struct suggest_dead { /* a rule of the user that matched no request */
	struct str where, text;
	const char *what;                /* deny, ask, allow, ... */
};

struct suggest {
	struct replay_counts counts;
	struct suggest_ask *asks;        /* most frequent first */
	size_t nasks;
	/* requests that would be asked about now; those of them that the rules allow */
	uint64_t asked, removed;
	struct suggest_rule *rules;      /* most frequent first */
	size_t nrules;
	struct suggest_dead *dead;
	size_t ndead;
	enum check_id *silent;           /* checks that never fired */
	size_t nsilent;
	bool more;
};

/* `least`: commands that were asked about less often get no rule. */
int suggest_make(struct arena *a, const struct audit *au, const struct blobs *blobs, const char *config,
		const struct audit_filter *f, uint64_t least, struct suggest *ret, struct err *e);
/* Appends the rules as a valid policy file, with comments. */
void suggest_yaml(struct buf *b, const struct suggest *s);
/* Returns the regular expression that matches exactly these words. */
struct str suggest_expression(struct arena *a, struct str words);
