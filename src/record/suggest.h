/*
 * Rules that the record suggests. All requests are judged again by the policy that is in force now; for those
 * that would still be asked about a rule is made, as narrow as it can be: the very command, or its first two
 * words when several like it were asked about and nothing but the network speaks against it. Then all of them
 * are judged with these rules: a rule stays only when what it was made for is allowed by it.
 *
 * Never suggested: what a fixed check denies, denials at all, what the user's own rules ask about, and what
 * is asked about for another reason than the network or what a program may do (a table says which): secrets,
 * rights, what stays behind, destroys, or is not known. Also found: rules of the user's files that no request
 * met, and checks that never spoke.
 */
#pragma once
#include "record/replay.h"

#define SUGGEST_ASKS_MAX 4096    /* different commands that are told apart */
#define SUGGEST_RULES_MAX 512
#define SUGGEST_PARTS_MAX 8      /* commands of one request that are asked about */
#define SUGGEST_PREFIX_LEAST 3   /* different commands that make a prefix */

struct suggest_ask {
	struct str command;
	uint64_t n;
	struct str reasons;              /* ids, with commas */
	const char *left;                /* why there is no rule for it; NULL: there is */
	bool mild;
	/* words of the commands in it that are asked about, joined by blanks */
	struct str parts[SUGGEST_PARTS_MAX];
	size_t nparts;
	struct replay r;                 /* one of them, to be judged again */
};

struct suggest_rule {
	bool prefix;                     /* else the very command, by an expression */
	struct str text;                 /* words */
	uint64_t n, commands;            /* requests that it lets through, and different commands */
	struct str reasons;
	bool dropped;
};

struct suggest_dead { /* a rule of the user's that nothing met */
	struct str where, text;
	const char *what;                /* deny, ask, allow, ... */
};

struct suggest {
	struct replay_counts counts;
	struct suggest_ask *asks;        /* most frequent first */
	size_t nasks;
	/* requests that would be asked about now, and of these those that would not with the rules */
	uint64_t asked, removed;
	struct suggest_rule *rules;      /* most frequent first */
	size_t nrules;
	struct suggest_dead *dead;
	size_t ndead;
	enum check_id *silent;           /* checks that never spoke */
	size_t nsilent;
	bool more;
};

/* `least`: a command that was asked about less often gets no rule. */
int suggest_make(struct arena *a, const struct audit *au, const struct blobs *blobs, const char *config,
		const struct audit_filter *f, uint64_t least, struct suggest *ret, struct err *e);
/* The rules as a policy file, with comments; what is in it loads. */
void suggest_yaml(struct buf *b, const struct suggest *s);
/* The regular expression that matches exactly these words. */
struct str suggest_expression(struct arena *a, struct str words);
