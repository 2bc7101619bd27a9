/* Finds one request in the record, and derives its verdict again. */
#define _GNU_SOURCE
#include "record/replay.h"

#include <string.h>

#include "audit/index.h"
#include "gate/gate.h"

#define REDACTED_MARK "[redacted:"

/* ---- finding ---- */

static struct audit_line *keep_row(struct arena *a, const struct audit_line *l)
{
	struct audit_line *copy = arena_new(a, struct audit_line);

	if (!audit_line_parse(str_dup(a, l->text), copy))
		return NULL;
	copy->file = str_c(a, str_of(l->file));
	copy->at = l->at;
	return copy;
}

/* Rows come oldest first, so the newest of each kind remains. */
static int collect_rows(struct arena *a, const struct audit *au, const struct audit_filter *f,
		struct replay *r, struct err *e)
{
	struct audit_line *l = arena_new(a, struct audit_line);
	struct search *search;
	int got;

	if (search_new(a, au, f, REPLAY_ROWS_MAX, &search, e) < 0)
		return -1;
	while ((got = search_next(search, l, e)) > 0) {
		struct audit_line **to = l->kind == AUDIT_VERDICT ? &r->verdict : l->kind == AUDIT_BEGIN ?
				&r->begin : l->kind == AUDIT_END ? &r->end : NULL;

		if (to)
			*to = keep_row(a, l);
	}
	search_close(search);
	return got < 0 ? -1 : 0;
}

static struct str text_of(struct arena *a, const struct audit_line *l, const char *key)
{
	return l ? str_dup(a, audit_text(a, audit_field(l, key))) : STR("");
}

bool replay_cut(const struct audit_line *row)
{
	struct str note = audit_field(row, "note");

	return row->kind != AUDIT_END && str_starts(note, "\"" RECORD_CUT);
}

static void fill_replay(struct arena *a, struct replay *r)
{
	r->asked = r->begin ? r->begin : r->verdict ? r->verdict : r->end;
	r->judged = r->begin && audit_field(r->begin, "verdict").n ? r->begin : r->verdict;
	r->command = text_of(a, r->asked, "command");
	r->cwd = text_of(a, r->asked, "cwd");
	if (!r->cwd.n)
		r->cwd = text_of(a, r->judged, "cwd");
	r->said = text_of(a, r->judged ? r->judged : r->end, "verdict");
	r->policy = text_of(a, r->judged ? r->judged : r->asked, "policy");
	r->view = text_of(a, r->judged, "view");
	r->answers = r->judged ? str_dup(a, audit_field(r->judged, "answers")) : STR("");
	r->redacted = str_contains(r->command, STR(REDACTED_MARK)) ||
			str_contains(r->cwd, STR(REDACTED_MARK));
	r->cut = replay_cut(r->asked);
}

int replay_find(struct arena *a, const struct audit *au, struct str id, struct replay *ret, struct err *e)
{
	struct replay r = {.id = id};

	if (collect_rows(a, au, &(struct audit_filter){.id = id}, &r, e) < 0)
		return -1;
	if (!r.verdict && !r.begin && !r.end)
		return 0;
	fill_replay(a, &r);
	*ret = r;
	return 1;
}

/* ---- judging ---- */

static int recorded_view(struct arena *a, const struct blobs *blobs, const struct replay *r,
		struct derived *d, struct err *e)
{
	if (r->cut)
		return err_input(e, "the command is too long for a row: only its beginning is in the record");
	if (!r->view.n)
		return err_input(e,
				"the view of the file system is not in the record: the request was not "
				"judged");
	if (!blobs)
		return err_input(e, "the record has no blobs");
	if (record_view(a, blobs, r->view, r->answers, &d->view, &d->rq, e) < 0)
		return -1;
	d->rq.command = r->command;
	return 0;
}

int replay_under(struct arena *a, const struct blobs *blobs, const struct replay *r, const struct policies *p,
		struct derived *ret, struct err *e)
{
	if (recorded_view(a, blobs, r, ret, e) < 0)
		return -1;
	ret->policies = *p;
	return engine_judge_again(a, &ret->rq, &ret->policies, &ret->view, &ret->facts, &ret->judgement, e);
}

int replay_derive(struct arena *a, const struct blobs *blobs, const struct replay *r, struct derived *ret,
		struct err *e)
{
	struct policies p;

	if (!r->policy.n || !blobs)
		return err_input(e, "the policy is not in the record");
	if (record_policies(a, blobs, r->policy, &p, e) < 0)
		return -1;
	return replay_under(a, blobs, r, &p, ret, e);
}

int replay_now(struct arena *a, const struct blobs *blobs, const struct replay *r, const char *config,
		struct derived *ret, struct err *e)
{
	struct context *at;
	struct view old;

	ret->rq = (struct engine_request){0};
	if (r->view.n && blobs) /* the recorded shell and mode */
		(void)record_view(a, blobs, r->view, STR(""), &old, &ret->rq, NULL);
	at = arena_copy(a, (struct context){.cwd = r->cwd});
	context_open(a, at);
	ret->rq = (struct engine_request){.command = r->command, .context = at, .dialect = ret->rq.dialect,
			.mode = ret->rq.mode};
	if (policies_load(a, &(struct policies_request){.config = config, .context = at}, &ret->policies,
			e) < 0)
		return -1;
	return engine_judge(a, &ret->rq, &ret->policies, &ret->facts, &ret->judgement, e);
}

/* ---- comparing ---- */

bool replay_has_reason(const struct audit_line *row, struct str id)
{
	struct str list = audit_field(row, "reasons"), item;

	while (audit_item(&list, &item)) /* ids have no escapes */
		if (item.n == id.n + 2 && !memcmp(item.p + 1, id.p, id.n))
			return true;
	return false;
}

bool replay_same(const struct audit_line *row, const struct judgement *j)
{
	struct str list = audit_field(row, "reasons"), item, verdict = audit_field(row, "verdict");
	const char *now = verdict_name(j->verdict);

	if (verdict.n != strlen(now) + 2 || memcmp(verdict.p + 1, now, strlen(now)) != 0)
		return false;
	for (const struct reason *r = j->reasons; r; r = r->next)
		if (!replay_has_reason(row, str_of(check_name(r->id))))
			return false;
	while (audit_item(&list, &item)) {
		const struct reason *r = j->reasons;

		while (r && !str_is(str_sub(item, 1, item.n - 1), check_name(r->id)))
			r = r->next;
		if (!r)
			return false;
	}
	return true;
}

bool replay_unseen(const struct audit_line *row, const struct judgement *j)
{
	for (const struct reason *r = j->reasons; r; r = r->next)
		if (r->id == CHECK_BOUND_REACHED)
			return j->cut && !replay_has_reason(row, str_of(check_name(CHECK_BOUND_REACHED)));
	return false;
}
