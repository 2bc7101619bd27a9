/*
 * Rules about other tools than a shell, by name: tools.deny, ask and allow, and clients' permission rules
 * (WebFetch(domain:x), mcp__server__*). The tiers rank: deny, ask, allow, default. Rules with paths, Read()
 * and Edit(), are compared where the files are. The default applies to unknown tools: a known tool's file
 * accesses are judged like a command's.
 */
#include "base/glob.h"
#include "gate/permission.h"
#include "gate/tiers.h"

static bool tool_is(struct judge *j, struct str pattern)
{
	struct str tool = j->f->tool;

	if (glob_name(pattern, tool) || (j->f->touches && str_is(pattern, "WebFetch")))
		return true;
	/* a server's name covers all its tools */
	return str_starts(pattern, "mcp__") && tool.n > pattern.n + 2 &&
			!memcmp(tool.p, pattern.p, pattern.n) && str_starts(str_from(tool, pattern.n),
			"__");
}

/* domain:example.com covers that host and its subdomains. */
static bool host_is(struct judge *j, struct str pattern)
{
	struct str want = str_from(pattern, 7);

	for (const struct touch *t = j->f->touches; t; t = t->next) {
		struct str host = t->host.text;

		if (glob_name(want, host) || (host.n > want.n && host.p[host.n - want.n - 1] == '.' &&
				str_eq(str_from(host, host.n - want.n), want)))
			return true;
	}
	return false;
}

/* A rule with an unknown kind of pattern may match. */
static enum prefix_match permission_matches(struct judge *j, const struct permission_rule *r)
{
	if (str_is(r->tool, "Bash") || permission_covers(r, ACCESS_READ) ||
			permission_covers(r, ACCESS_WRITE) || !tool_is(j, r->tool))
		return MATCH_NO;
	if (r->all || str_is(r->pattern, "*"))
		return MATCH_YES;
	if (str_starts(r->pattern, "domain:"))
		return host_is(j, r->pattern) ? MATCH_YES : MATCH_NO;
	return MATCH_MAYBE;
}

static struct span whole_text(const struct judge *j)
{
	return (struct span){.to = j->f->ntexts ? (uint32_t)j->f->texts[0].bytes.n : 0};
}

static bool compare_rules(struct judge *j, const struct tool_rule *tools,
	const struct permission_rule *permissions, enum check_id id)
{
	enum step_kind tier = id == CHECK_CONFIGURED_DENY ? STEP_DENY : STEP_ASK;
	bool matched = false;

	for (const struct tool_rule *r = tools; r && tiers_afford(j, TIERS_RULE); r = r->next)
		if (tool_is(j, r->tool)) {
			judge_step(j, tier, r->rule.where, whole_text(j));
			tiers_raise(j, id, &r->rule, r->tool, MATCH_YES, whole_text(j));
			matched = true;
		}
	for (const struct permission_rule *r = permissions; r && tiers_afford(j, TIERS_RULE); r = r->next) {
		enum prefix_match m = permission_matches(j, r);

		if (m == MATCH_NO)
			continue;
		judge_step(j, tier, r->rule.where, whole_text(j));
		tiers_raise(j, id, &r->rule, r->tool, m, whole_text(j));
		matched = true;
	}
	return matched;
}

static bool is_allowed(struct judge *j)
{
	for (const struct tool_rule *r = j->p->tool_allow; r && tiers_afford(j, TIERS_RULE); r = r->next)
		if (tool_is(j, r->tool)) {
			judge_step(j, STEP_ALLOW, r->rule.where, whole_text(j));
			return true;
		}
	for (const struct permission_rule *r = j->p->permission_allow; r && tiers_afford(j, TIERS_RULE);
			r = r->next)
		if (permission_matches(j, r) == MATCH_YES) {
			judge_step(j, STEP_ALLOW, r->rule.where, whole_text(j));
			return true;
		}
	return false;
}

void tiers_tool(struct judge *j)
{
	static const enum grade grades[] = {GRADE_DENY, GRADE_ASK, GRADE_ASK, GRADE_OFF};
	enum grade g = grades[j->p->fallback];
	bool matched;

	if (!j->f->tool.n)
		return;
	matched = compare_rules(j, j->p->tool_deny, j->p->permission_deny, CHECK_CONFIGURED_DENY);
	matched |= compare_rules(j, j->p->tool_ask, j->p->permission_ask, CHECK_CONFIGURED_ASK);
	if (matched || j->f->tool_known || g == GRADE_OFF || is_allowed(j))
		return;
	judge_step(j, STEP_DEFAULT, str_of(grade_name(g)), whole_text(j));
	judge_raise(j, gate_check(CHECK_CONFIGURED_DEFAULT),
		&(struct finding){.grade = g,
			.at = whole_text(j),
			.message = str_fmt(j->a,
				"no rule of the policy allows the tool '%.*s', and its default is not allow",
				(int)(j->f->tool.n < GATE_EXCERPT_MAX ? j->f->tool.n : GATE_EXCERPT_MAX),
				j->f->tool.p)});
}
