/*
 * Replay over a whole record: every request of the shipped sets is recorded, found again and judged again,
 * and gets the verdict it got.
 */
#define _GNU_SOURCE
#include "audit/index.h"
#include "record/replay.h"
#include "record/suggest.h"
#include "self/selftest.h"
#include "place.h"

#define CWD "/w/p"

static struct record record;
static struct policies policies;

static void write_set(enum selftest_kind kind, size_t *n)
{
	struct selftest_set set;
	struct err e = {0};

	CHECK_INT(selftest_parse(A, selftest_text(kind), kind, &set, &e), 0);
	for (const struct selftest_class *c = set.classes; c; c = c->next)
		for (const struct selftest_row *r = c->rows; r; r = r->next, ++*n) {
			struct engine_request rq = {.command = r->command,
					.context = &(struct context){.cwd = STR(CWD)}};
			struct judgement j;
			struct facts f;
			struct arena a;

			arena_init(&a, ARENA_CAP_DEFAULT);
			CHECK_INT(engine_judge(&a, &rq, &policies, &f, &j, &e), 0);
			CHECK_INT(record_verdict(A, &record, &(struct record_who){.agent = STR("a")},
					str_fmt(A, "r-%zu", *n), &rq, &j, NULL, &e), 0);
			arena_free(&a);
		}
}

struct tally_of {
	size_t judged, rows, different;
};

static void *judged(void *ctx, const struct replay *r, enum verdict from, const struct derived *d)
{
	struct tally_of *t = ctx;

	t->judged++;
	if (d->judgement.verdict != from) {
		unit_fail(__FILE__, __LINE__, "%d became %d", (int)from, (int)d->judgement.verdict);
		unit_bytes("command", r->command);
	}
	return t;
}

static void counted(void *ctx, void *tag, enum verdict from, enum verdict to)
{
	struct tally_of *t = ctx;

	CHECK(tag == ctx);
	t->rows++;
	t->different += from != to;
}

static void test_all(void)
{
	struct err e = {0};
	struct trial t;
	struct replay_counts counts = {0};
	struct tally_of seen = {0};
	size_t n = 0;

	write_set(SELFTEST_ATTEMPTS, &n);
	write_set(SELFTEST_ORDINARY, &n);
	CHECK(n > 700);
	make_file("same.yaml", "default: allow\n", 0600);
	CHECK_INT(trial_open(A, &record.blobs, at("same.yaml"), &t, &e), 0);
	CHECK_INT(replay_each(A, &record.audit, &t, &(struct audit_filter){0},
			&(struct replay_visitor){&seen, judged, counted}, &counts, &e), 0);
	CHECK_INT(counts.rows, n);
	CHECK_INT(counts.judged + counts.redacted, n);
	CHECK_INT(counts.missing + counts.failed + counts.unseen, 0);
	CHECK_INT(seen.rows, counts.judged);
	CHECK_INT(seen.different, 0);
	CHECK(seen.judged <= seen.rows);
	printf("# %zu requests, %zu different ones judged again, %zu redacted\n", n, seen.judged,
			(size_t)counts.redacted);
}

static void test_found(void)
{
	struct err e = {0};
	struct replay r = {0};
	struct derived *d = arena_new(A, struct derived);

	CHECK_INT(replay_find(A, &record.audit, STR("r-0"), &r, &e), 1);
	CHECK(r.verdict && r.judged == r.verdict && !r.begin && !r.end && !r.redacted);
	CHECK_INT(replay_derive(A, &record.blobs, &r, d, &e), 0);
	CHECK(replay_same(r.judged, &d->judgement));
	CHECK(d->judgement.reasons &&
		replay_has_reason(r.judged, str_of(check_name(d->judgement.reasons->id))));
	CHECK(!replay_has_reason(r.judged, STR("no-such-check")));
	d->judgement.verdict = VERDICT_ALLOW;
	CHECK(!replay_same(r.judged, &d->judgement));
	d->judgement.verdict = VERDICT_DENY;
	d->judgement.reasons = NULL;
	CHECK(!replay_same(r.judged, &d->judgement));
	CHECK_INT(replay_find(A, &record.audit, STR("r-"), &r, &e), 0);
}

/*
 * No suggestion makes anything of the attempts pass that was stopped for another reason than that nobody had
 * been asked.
 */
static void test_suggested(void)
{
	struct err e = {0};
	struct suggest s;
	struct buf yaml;

	CHECK_INT(suggest_make(A, &record.audit, &record.blobs, at("same.yaml"), &(struct audit_filter){0}, 1,
			&s, &e), 0);
	CHECK(s.asked > 0 && s.removed <= s.asked);
	buf_init(&yaml, A, 0);
	suggest_yaml(&yaml, &s);
	for (size_t i = 0; i < s.nasks; i++)
		if (!s.asks[i].left && (str_contains(s.asks[i].reasons, STR("secret")) ||
				str_contains(s.asks[i].reasons, STR("privilege")) ||
				str_contains(s.asks[i].reasons, STR("persistence"))))
			unit_fail(__FILE__, __LINE__, "suggested: %.*s", STR_ARG(s.asks[i].command));
	struct policy_file f = {.path = STR("suggested.yaml"), .bytes = buf_view(&yaml), .base = STR("/"),
			.who = WHO_OWNER};
	struct policies with;
	CHECK_INT(policies_of_files(A, &f, STR(""), &with, &e), 0);
	size_t was_denied = 0, allowed = 0;
	struct selftest_set set;
	CHECK_INT(selftest_parse(A, selftest_text(SELFTEST_ATTEMPTS), SELFTEST_ATTEMPTS, &set, &e), 0);
	for (const struct selftest_class *c = set.classes; c; c = c->next)
		for (const struct selftest_row *r = c->rows; r; r = r->next) {
			struct engine_request rq = {.command = r->command,
					.context = &(struct context){.cwd = STR(CWD)}};
			struct judgement before, after;
			struct facts facts;
			struct arena a;

			arena_init(&a, ARENA_CAP_DEFAULT);
			CHECK_INT(engine_judge(&a, &rq, &policies, &facts, &before, &e), 0);
			CHECK_INT(engine_judge(&a, &rq, &with, &facts, &after, &e), 0);
			was_denied += before.verdict == VERDICT_DENY;
			if (before.verdict == VERDICT_DENY && after.verdict != VERDICT_DENY)
				unit_fail(__FILE__, __LINE__, "a denial was lifted: %.*s",
						STR_ARG(r->command));
			allowed += after.verdict == VERDICT_ALLOW;
			arena_free(&a);
		}
	CHECK(was_denied > 100);
	printf("# %zu rules suggested; %zu denials stay, %zu attempts that were asked about once would be "
			"allowed by them\n", s.nrules, was_denied, allowed);
}

int main(void)
{
	struct err e = {0};

	if (place_begin() < 0)
		return 1;
	policies_default(&policies);
	policies.own.audit.sync = AUDIT_SYNC_NONE;
	if (record_open(A, &(struct view){.state_dir = str_of(at("state")), .uid = (uint32_t)getuid()},
			&(struct record_options){0}, &policies, &record, &e) < 0)
		unit_fail(__FILE__, __LINE__, "%s", e.text);
	RUN(test_all);
	RUN(test_found);
	RUN(test_suggested);
	record_close(&record);
	place_end();
	return unit_end();
}
