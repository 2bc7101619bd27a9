/*
 * Adds a person's rules to a policy file. Used by `caisson allow`, `ask`, `deny` and `suggest --apply`.
 *
 *     rules --rule_read()--> kind and example of each
 *     file --rule_plan()--> new text (yamltext.h), loaded and tried: each example must get the rule's verdict
 *     init_apply() writes the file
 *
 * A rule without effect (a deny rule or a fixed check still overrides it) is refused, and the message names
 * what overrides it. Nothing here prints or writes.
 */
#pragma once
#include "client/init_hooks.h"
#include "judge/engine.h"

#define RULES_MAX 512
#define RULE_TEXT_MAX 1000

enum rule_kind {
	RULE_PREFIX,     /* npm install: tools.bash.allow */
	RULE_REGEX,      /* ^npm install$: tools.bash.allowChecks */
	RULE_PERMISSION, /* Bash(npm run test:*): permissions.allow */
	RULE_TOOL,       /* mcp__docs_*: tools.allow */
	RULE_HOST,       /* example.com: sandbox.network.allow */
};

struct rule_item {
	enum rule_kind kind;
	struct str text;
	struct str example;  /* a command that the rule matches; empty: none known */
	const char *broad;   /* why an allow rule allows nearly everything; NULL: it does not */
	/* set by rule_plan() */
	bool there;          /* the rule exists already */
	struct str where;    /* file:line of the existing rule */
	enum verdict before, after; /* verdicts on the example */
	struct str reasons;  /* ids behind the old verdict, separated by commas */
};

struct rule_request {
	enum verdict verdict; /* VERDICT_ALLOW, _ASK or _DENY */
	bool project, remove;
	struct rule_item *items;
	size_t n;
};

struct rule_plan {
	struct init_request init;
	struct init_change file;
	const struct view *view;         /* view of the caller */
	const struct policies *policies; /* policies in force before the change */
	bool always_boxed;    /* allowed commands run in the box, too */
	bool was_trusted;     /* --project: the file was trusted; its new content is not */
	size_t n;             /* rules to add or remove */
};

/* Determines a rule's kind and its example. -1 if the text is not a rule; *e says what to write instead. */
int rule_read(struct arena *a, enum verdict verdict, struct str text, struct rule_item *ret, struct err *e);
/* The same for a host that boxes reach and that may be read from (model/network.h). */
int rule_read_host(struct arena *a, struct str text, struct rule_item *ret, struct err *e);
/* Computes the new file and tries it. -1 and the reason if nothing may be written. */
int rule_plan(struct arena *a, struct rule_request *rq, struct rule_plan *ret, struct err *e);
