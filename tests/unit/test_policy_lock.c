/*
 * forbid_lifting: nothing of other files makes a verdict milder than the system's policy alone, and all that
 * tightens stays.
 */
#include "judge/engine.h"
#include "unit.h"

static struct arena arena;

static const char system_text[] =
	"forbid_lifting: true\n"
	"default: ask\n"
	"checks_grade: {inline-code: ask}\n"
	"tools:\n  bash:\n    allow: [git status]\n    redirects: [{mode: write, glob: /srv/**, decision: "
	"allow}]\n";

static const char user_text[] =
	"default: allow\n"
	"mode: bypassPermissions\n"
	"checks_grade: {inline-code: off, opaque-command: deny, secret-read: warn}\n"
	"writable_roots: [~/scratch]\n"
	"classifier: {command: [/bin/yes]}\n"
	"secrets: {allow: {paths: [.env]}}\n"
	"commands: [{name: mywrap, style: posix, operands: {rest: command}}]\n"
	"permissions: {allow: [Bash], deny: [WebFetch]}\n"
	"tools:\n  allow: [mcp__x]\n  bash:\n    deny: [npm publish]\n    ask: [docker run]\n    allow: "
	"[make]\n    allowChecks: ['.*']\n"
	"    ssh: {allow: ['*'], deny: [db]}\n"
	"    normalise: [{prefix: kubectl, strip: ['-n x']}]\n"
	"    redirects: [{mode: write, glob: /a, decision: allow}, {mode: write, glob: /b, decision: deny}]\n"
	"    arguments: [{command: rm, allArgsInside: [/a], decision: allow}, {command: rm, anyArgOutside: "
	"[/a], decision: ask}]\n"
	"    interpreters: {python: {names: [python3], imports: [{match: a, decision: allow}, {match: b, "
	"decision: deny}]}}\n";

static void load(bool with_user, struct policy *ret)
{
	struct config_source src[] = {
		{.name = STR("/etc/caisson/config.yaml"), .bytes = STR(""), .who = WHO_SYSTEM},
		{.name = STR("user.yaml"), .bytes = STR(""), .who = WHO_OWNER},
	};
	struct err e = {0};

	src[0].bytes = str_of(system_text);
	src[1].bytes = str_of(user_text);
	CHECK_INT(config_load(&arena, src, with_user ? 2 : 1, ret, NULL, &e), 0);
	if (e.kind)
		unit_fail(__FILE__, __LINE__, "%s", e.text);
}

static void test_lists(void)
{
	struct policy p, system;

	load(true, &p);
	load(false, &system);
	CHECK(p.no_lifting && p.allow && p.allow_checks);
	policy_lock_apply(&p, &system);
	CHECK(p.allow && str_is(p.allow->prefix, "git status") && !p.allow->next);
	CHECK(!p.allow_checks && !p.permission_allow && !p.tool_allow && !p.ssh_allow && !p.normalise);
	CHECK(!p.writable_roots && !p.secret_allow && !p.classifier.command && !p.commands && !p.ncommands);
	CHECK(p.deny && str_is(p.deny->prefix, "npm publish") && p.ask && p.permission_deny && p.ssh_deny);
}

static void test_rules_of_both_kinds(void)
{
	struct policy p, system;

	load(true, &p);
	load(false, &system);
	policy_lock_apply(&p, &system);
	CHECK(p.redirects && str_is(p.redirects->paths->text, "/srv/**"));
	CHECK(p.redirects->next && p.redirects->next->decision == VERDICT_DENY && !p.redirects->next->next);
	CHECK(p.arguments && p.arguments->decision == VERDICT_ASK && !p.arguments->next);
	CHECK(p.interpreters && p.interpreters->imports &&
			p.interpreters->imports->decision == VERDICT_DENY && !p.interpreters->imports->next);
}

static void test_values(void)
{
	struct policy p, system;
	const struct regrade *r;

	load(true, &p);
	load(false, &system);
	policy_lock_apply(&p, &system);
	CHECK_INT(p.fallback, VERDICT_ASK);
	CHECK_INT(p.mode, MODE_DEFAULT);
	r = p.regrades;
	CHECK(r && r->id == CHECK_INLINE_CODE && r->grade == GRADE_ASK);
	CHECK(r->next && r->next->id == CHECK_OPAQUE_COMMAND && r->next->grade == GRADE_DENY &&
		!r->next->next);
}

/* The client's mode lifts no more than the policy's may. */
static void test_judged(void)
{
	struct engine_request rq = {.command = STR("echo a\xc2\xa0" "b"),
			.context = &(struct context){.cwd = STR("/")}, .mode = MODE_BYPASS};
	struct policies own;
	struct policy p;
	struct facts f;
	struct judgement j;

	config_default(&p);
	policies_of(&p, &own);
	CHECK_INT(engine_judge(&arena, &rq, &own, &f, &j, NULL), 0);
	CHECK_INT(j.verdict, VERDICT_ALLOW);
	own.own.no_lifting = true;
	CHECK_INT(engine_judge(&arena, &rq, &own, &f, &j, NULL), 0);
	CHECK_INT(j.verdict, VERDICT_ASK);
	rq.mode = MODE_DONT_ASK;
	CHECK_INT(engine_judge(&arena, &rq, &own, &f, &j, NULL), 0);
	CHECK_INT(j.verdict, VERDICT_DENY);
}

int main(void)
{
	arena_init(&arena, ARENA_CAP_DEFAULT);
	RUN(test_lists);
	RUN(test_rules_of_both_kinds);
	RUN(test_values);
	RUN(test_judged);
	arena_free(&arena);
	return unit_end();
}
