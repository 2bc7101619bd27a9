/* Judging: every check of the table runs, every finding lowers the verdict, the minimum wins. */
#include "gate/judge.h"

static const char *const verdict_names[] = {"deny", "ask", "contain", "allow"};
static const char *const grade_names[] = {"off", "warn", "contain", "ask", "deny"};
static const enum verdict grade_verdicts[] = {VERDICT_ALLOW, VERDICT_ALLOW, VERDICT_CONTAIN, VERDICT_ASK, VERDICT_DENY};

const char *verdict_name(enum verdict v) { return verdict_names[v]; }
const char *grade_name(enum grade g) { return grade_names[g]; }

static bool listed(const struct reason *r, const char *id, const struct finding *fd)
{
	for (; r; r = r->next)
		if (!strcmp(r->id, id) && r->at.text == fd->at.text && r->at.from == fd->at.from && r->at.to == fd->at.to &&
		    str_eq(r->message, fd->message))
			return true;
	return false;
}

void judge_raise(struct judge *j, const struct check *c, const struct finding *fd)
{
	struct reason *r, ***end;

	if (fd->grade == GRADE_OFF)
		return;
	j->ret->verdict = verdict_min(j->ret->verdict, grade_verdicts[fd->grade]);
	if (j->nreasons >= GATE_REASONS_MAX || listed(fd->grade == GRADE_WARN ? j->ret->warnings : j->ret->reasons, c->id, fd))
		return;
	j->nreasons++;
	r = arena_new(j->a, struct reason);
	*r = (struct reason){.id = c->id, .grade = fd->grade, .message = fd->message, .alternative = fd->alternative, .rule = fd->rule, .at = fd->at};
	end = fd->grade == GRADE_WARN ? &j->warnings_end : &j->reasons_end;
	**end = r;
	*end = &r->next;
}

void judge_say(struct judge *j, const struct check *c, struct span at, struct str message)
{
	judge_raise(j, c, &(struct finding){.grade = c->grade, .message = message, .at = at});
}

static bool encloses(struct span outer, struct span in)
{
	return outer.text == in.text && outer.from <= in.from && in.to <= outer.to;
}

static bool allowed_by_rule(const struct judge *j, const struct command *c)
{
	for (const struct prefix_rule *r = j->p->allow; r; r = r->next)
		if (rule_allows(r, c))
			return true;
	return false;
}

/*
 * A finding belongs to the innermost command around it, so that `allow: [echo]` does not lift what stands in echo's $( ). A wrapper and what
 * it runs share a range, or parts of it; so every command that has a byte in common with that one must be allowed.
 */
bool judge_lifted(struct judge *j, struct span at)
{
	const struct command *inner = NULL;

	if (!j->p->allow || j->nlifts++ >= GATE_LIFTS_MAX)
		return false;
	for (const struct command *c = j->f->commands; c; c = c->next)
		if (encloses(c->at, at) && (!inner || c->at.to - c->at.from < inner->at.to - inner->at.from))
			inner = c;
	if (!inner)
		return false;
	for (const struct command *c = j->f->commands; c; c = c->next)
		if (c->at.text == inner->at.text && c->at.from < inner->at.to && inner->at.from < c->at.to && !allowed_by_rule(j, c))
			return false;
	return true;
}

struct str judge_excerpt(const struct judge *j, struct span at)
{
	struct buf b;
	struct str s;
	size_t n;

	if (at.text >= j->f->ntexts)
		return STR("");
	s = str_sub(j->f->texts[at.text].bytes, at.from, at.to);
	n = s.n > GATE_EXCERPT_MAX ? GATE_EXCERPT_MAX : s.n;
	while (n < s.n && n > 0 && ((unsigned char)s.p[n] & 0xC0) == 0x80)
		n--; /* do not cut a character */
	buf_init(&b, j->a, 0);
	for (size_t i = 0; i < n; i++)
		buf_char(&b, s.p[i] == '\n' || s.p[i] == '\t' ? ' ' : s.p[i]);
	if (n < s.n)
		buf_c(&b, "...");
	return buf_view(&b);
}

void gate_judge(struct arena *a, const struct facts *f, const struct policy *p, const struct view *v, struct judgement *ret)
{
	struct judge j = {.a = a, .f = f, .p = p, .v = v, .ret = ret};
	const struct check *rows;
	size_t n;

	*ret = (struct judgement){0};
	j.reasons_end = &ret->reasons;
	j.warnings_end = &ret->warnings;
	ret->verdict = VERDICT_ALLOW;
	ret->complete = f->complete;
	rows = gate_checks(&n);
	for (size_t i = 0; i < n; i++)
		if (rows[i].run && rows[i].grade != GRADE_OFF)
			rows[i].run(&j, &rows[i]);
}
