/*
 * A person's rules put into a policy file: what `caisson allow`, `ask`, `deny` and `suggest --apply` share.
 *
 *     rules --rule_read()--> key and example of each
 *     file --rule_plan()--> the new text (yamltext.h), loaded and tried: each example must get the verdict
 *     the rule is for init_apply() writes it
 *
 * A rule that would change nothing (a deny rule or a check that nothing lifts still speaks) is refused with
 * what speaks against it. Nothing here prints or writes.
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
};

struct rule_item {
	enum rule_kind kind;
	struct str text;
	struct str example;  /* a command that it speaks about; empty: none is known */
	const char *broad;   /* why an allow rule allows nearly everything; NULL: it does not */
	/* filled by rule_plan() */
	bool there;          /* nothing to do */
	struct str where;    /* there: file:line */
	enum verdict before, after; /* of the example */
	struct str reasons;  /* ids that spoke before, with commas */
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
	const struct view *view;         /* of the caller */
	const struct policies *policies; /* in force before */
	bool always_boxed;    /* also what is allowed runs in the box */
	bool was_trusted;     /* --project: the file was, and its new content is not */
	size_t n;             /* rules that are put in or taken out */
};

/* Which kind of rule a text is, and what it is about. -1: it is none, with what to write instead. */
int rule_read(struct arena *a, enum verdict verdict, struct str text, struct rule_item *ret, struct err *e);
/* -1: nothing may be written, and why. */
int rule_plan(struct arena *a, struct rule_request *rq, struct rule_plan *ret, struct err *e);
