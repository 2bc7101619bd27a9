/* Private to the gate: the state of one judgement, and how a check raises a reason. */
#pragma once
#include "gate/gate.h"

#define GATE_REASONS_MAX 64 /* more are counted in the verdict but not listed */
#define GATE_LIFTS_MAX 256  /* look-ups of the command a finding belongs to; past it nothing is lifted */
#define GATE_EXCERPT_MAX 60 /* bytes of a command that a message quotes */

struct judge {
	struct arena *a;
	const struct facts *f;
	const struct policy *p;
	const struct view *v;
	struct judgement *ret;
	struct reason **reasons_end, **warnings_end;
	size_t nreasons, nlifts;
};

struct finding {
	enum grade grade;
	struct str message, alternative, rule;
	struct span at;
};

/* Lowers the verdict by the finding's grade and lists it under the check's id. */
void judge_raise(struct judge *j, const struct check *c, const struct finding *fd);
/* The check's own grade and a message. */
void judge_say(struct judge *j, const struct check *c, struct span at, struct str message);
/* True when the command that this place belongs to, and whatever shares its range, is allowed by rules of the person's own. */
bool judge_lifted(struct judge *j, struct span at);
/* The bytes at a place, shortened and on one line, for a message. */
struct str judge_excerpt(const struct judge *j, struct span at);

/* rules.c */
enum match { MATCH_NO = 0, MATCH_MAYBE, MATCH_YES };
/* deny and ask rules: an unknown word may be the rule's word; any directory before the command's name is ignored. */
enum match rule_match(const struct prefix_rule *r, const struct command *c);
/* allow rules: every word of the rule must be there, known; a directory is ignored only when it is one of the system's. */
bool rule_allows(const struct prefix_rule *r, const struct command *c);
bool path_is_system_program(struct str path);

/* inline.c: true when this code can neither run a command nor write a file. */
bool inline_harmless(const struct snippet *s);
