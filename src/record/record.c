/* Writes rows and blobs of the record. See record.h. */
#define _GNU_SOURCE
#include "record/record.h"

#include <errno.h>

#include "base/json.h"
#include "gate/gate.h"
#include "record/secret_values.h"
#include "record/stream_cleaner.h"
#include "result/normalise.h"
#include "result/redact.h"
#include "sys/state.h"
#include "sys/stream.h"

#define READ_BYTES ((size_t)64 << 10)
#define ANSWERS_MAX AUDIT_SPEC_MAX /* bytes of the answers about files in a row */
/* bytes of a command in a row; a longer one is cut, and the row says so */
#define COMMAND_MAX ((size_t)1 << 20)
#define COMMAND_SPARE ((size_t)64 << 10) /* further bytes that are searched for the end of a secret */

/* ---- opening ---- */

static int open_all(struct arena *a, const struct view *v, const struct record_options *o, struct record *r,
		    struct err *e)
{
	struct str project = o->workspace ? *o->workspace : v->project;
	int rc = o->fresh && v->memo ? state_make_known(v->memo, v->state_dir, project, v->uid, &r->state, e)
				     : state_make(a, v->state_dir, project, v->uid, &r->state, e);

	if (rc != 0 || audit_open_in(a, r->state, v->uid, true, &r->audit, e) != 0)
		return -1;
	return blobs_open(a, r->state, v->uid, true, &r->blobs, e);
}

static void close_record(void *ptr)
{
	struct record *r = ptr;

	audit_close(&r->audit);
	blobs_close(&r->blobs);
}

static void close_with_arena(struct record *r)
{
	if (!r->cleanup.fn)
		arena_defer(r->a, &r->cleanup, close_record, r);
}

/* Reopens the blobs after record_close() when needed. A program that writes nothing creates no blob. */
static int rows_again(struct arena *a, struct record *r, struct err *e)
{
	struct audit au;

	if (r->off || r->audit.dir >= 0)
		return 0;
	close_with_arena(r);
	if (audit_open_in(a, r->state, r->audit.uid, true, &au, e) != 0)
		return -1;
	r->audit.dir = au.dir;
	return 0;
}

static int blobs_again(struct arena *a, struct record *r, struct err *e)
{
	if (r->off || r->blobs.dir >= 0)
		return 0;
	close_with_arena(r);
	return blobs_open(a, r->state, r->audit.uid, true, &r->blobs, e);
}

int record_open(struct arena *a, const struct view *v, const struct record_options *o,
		const struct policies *p,
		struct record *ret, struct err *e)
{
	struct policies builtin;
	const struct audit_policy *own;
	struct err why = {0};

	policies_default(&builtin);
	own = p ? &p->own.audit : &builtin.own.audit;
	*ret = (struct record){
		.a = a, .audit.dir = -1, .blobs.dir = -1, .policies = p, .environ = o->environ,
				.scrubbed = o->scrubbed,
		.required = !own->optional, .output_max = own->outputs,
	};
	close_with_arena(ret);
	if (open_all(a, v, o, ret, &why) == 0) {
		ret->audit.sync = own->sync;
		ret->audit.retain_days = own->retention_days;
		return 0;
	}
	record_close(ret);
	if (ret->required)
		return err_set(e, why.kind, 0, "nothing can be recorded: %s", why.text);
	ret->off = true;
	ret->why = why;
	return 0;
}

void record_close(struct record *r)
{
	if (r->cleanup.fn)
		arena_release(r->a, &r->cleanup);
}

void record_refuse(struct arena *a, const struct err *why, struct judgement *ret)
{
	engine_refuse(a, CHECK_RECORD_ERROR, why->text, ret);
}

/* Returns the failure, or turns the record off if it is not required. */
static int fail_record(struct record *r, const struct err *why, struct err *e)
{
	if (r->required)
		return err_wrap(e, why, "the request cannot be recorded");
	r->off = true;
	r->why = *why;
	return 0;
}

/* ---- texts and blobs ---- */

static struct redactor *redactor_of(struct arena *a, struct record *r)
{
	struct str *values;
	size_t n = 0;

	if (!r->redactor) {
		values = secret_values(a, r->environ, r->scrubbed, &n);
		r->redactor = redactor_new(a, values, n);
	}
	return r->redactor;
}

struct str record_redact(struct arena *a, struct record *r, struct str text)
{
	return redact_text(a, redactor_of(a, r), text, NULL);
}

struct str record_redact_command(struct arena *a, struct record *r, struct str text)
{
	return redact_command(a, redactor_of(a, r), text);
}

/* Stores bytes as a blob without redacting them. */
static int put_blob(struct arena *a, struct record *r, struct str bytes, struct str *ret, struct err *e)
{
	*ret = STR("");
	return r->off ? 0 : blobs_again(a, r, e) != 0 ? -1 : blob_put(a, &r->blobs, bytes,
			r->audit.sync == AUDIT_SYNC_ALWAYS, ret, e);
}

static bool has_controls(struct str s)
{
	return s.n && (str_has(s, '\033') || str_has(s, '\b') || str_has(s, '\r') ||
			str_has(s, 0));
}

/*
 * Escape sequences can split a secret that is readable on a terminal. If the normalised text contains more
 * secrets than the raw text, it is stored instead.
 */
static struct str without_secrets(struct arena *a, struct record *r, struct str raw)
{
	const struct normalise_options options = {0};
	struct sanitized counts = {0};
	uint64_t in_raw = 0, in_text = 0;
	struct str bytes = redact_text(a, redactor_of(a, r), raw, &in_raw), text;

	if (!has_controls(raw))
		return bytes;
	text = redact_text(a, redactor_of(a, r), normalise_text(a, raw, &options, &counts), &in_text);
	return in_text > in_raw ? text : bytes;
}

/* ---- streams ---- */

struct stream_parts { /* the stored parts of a stream that is in a file, on their way to a blob */
	struct stream_cleaner cleaner;
	const struct stream *s;
	/* [0, head) and [tail, stream_to()) are stored; both are equal if nothing is missing between */
	uint64_t head, tail;
	struct blob_sink *to;
	struct err *e;
	bool bad;
};

static void take_part(void *ctx, struct str text)
{
	struct stream_parts *p = ctx;

	p->bad |= p->to && !p->bad && blob_take(p->to, text, p->e) != 0;
}

static void take_gap(struct stream_parts *p, uint64_t bytes)
{
	if (bytes)
		take_part(p, str_fmt(p->cleaner.a, "\n[%llu bytes are not kept]\n",
				(unsigned long long)bytes));
}

/* Secrets across a cut are recognized as a whole (record/stream_cleaner.h). */
static int pour_parts(void *ctx, struct blob_sink *to, struct err *e)
{
	struct stream_parts *p = ctx;
	const uint64_t end = stream_to(p->s), head = p->head < p->tail ? p->head : end;
	struct stream_extent read;

	p->to = to;
	p->e = e;
	p->bad = false;
	read = stream_cleaner_pass(&p->cleaner, p->s, 0, head, head < end ? PART_HEAD : PART_END, take_part,
			p);
	if (head < end) {
		take_gap(p, p->tail - head + p->cleaner.left_out);
		stream_cleaner_context(&p->cleaner, p->s, p->tail);
		read = stream_cleaner_pass(&p->cleaner, p->s, p->tail, end, PART_END, take_part, p);
	}
	take_gap(p, p->s->total - end);
	if (read.at < end)
		return err_host(e, "it cannot be read back");
	return p->bad ? -1 : 0;
}

/* Counts the secrets found in this mode. */
static uint64_t count_secrets(struct stream_parts *p, bool as_is)
{
	uint64_t before = redactor_count(p->cleaner.redactor);
	struct err e;

	p->cleaner.as_is = as_is;
	pour_parts(p, NULL, &e);
	return redactor_count(p->cleaner.redactor) - before;
}

static bool stream_has_controls(struct arena *a, const struct stream *s)
{
	char *p = arena_alloc(a, READ_BYTES);
	ptrdiff_t got;

	for (uint64_t at = stream_from(s); (got = stream_read(s, at, p, READ_BYTES, NULL)) > 0;
			at += (uint64_t)got)
		if (has_controls(str_n(p, (size_t)got)))
			return true;
	return has_controls(s->text);
}

/* Stores a long stream like a short one, but in chunks. */
static int long_stream(struct arena *a, struct record *r, const struct stream *s, struct str *ret,
		bool *ret_cut, struct err *e)
{
	const uint64_t from = stream_from(s), to = stream_to(s), half = r->output_max / 2;
	struct stream_parts *p = arena_new(a, struct stream_parts);

	p->s = s;
	if (to > r->output_max || from) {
		p->head = from && half > s->text.n ? s->text.n : half;
		p->tail = to - from > half + (from ? STREAM_CONTEXT : 0) ? to - half : from + STREAM_CONTEXT;
	}
	*ret_cut = p->tail > p->head || to < s->total;
	stream_cleaner_init(&p->cleaner, a, redactor_of(a, r));
	p->cleaner.as_is = !stream_has_controls(a, s) || count_secrets(p, false) <= count_secrets(p, true);
	return blob_put_poured(a, &r->blobs, pour_parts, p, r->audit.sync == AUDIT_SYNC_ALWAYS, ret, e);
}

int record_stream(struct arena *a, struct record *r, const struct stream *s, struct str *ret, bool *ret_cut,
		struct err *e)
{
	*ret = STR("");
	*ret_cut = false;
	if (r->off || !s->total || !r->output_max)
		return 0;
	if (blobs_again(a, r, e) != 0)
		return -1;
	if (s->file || !stream_whole(s) || s->total > r->output_max)
		return long_stream(a, r, s, ret, ret_cut, e);
	return put_blob(a, r, without_secrets(a, r, s->text), ret, e);
}

/* ---- rows ---- */

/* Clients, and programs that start them, choose these texts: a name may contain a token. */
static void fill_who(struct arena *a, struct record *r, struct audit_row *row, const struct record_who *who)
{
	row->agent_id = record_redact(a, r, who->agent);
	row->session = record_redact(a, r, who->session);
	row->client = who->client;
	row->tool = record_redact(a, r, who->tool);
	row->tool_use_id = record_redact(a, r, who->tool_use_id);
}

/* A path may contain a secret. The redacted text is valid JSON, or empty. */
static struct str clean_json(struct arena *a, struct record *r, struct str json)
{
	uint64_t n = 0;
	struct str text = redact_text(a, redactor_of(a, r), json, &n);
	struct json *o;

	return n && json_read(a, text, &o, NULL) != 0 ? STR("") : text;
}

/* Stores the blob of the policies once per record. */
static int put_policy(struct arena *a, struct record *r, struct str *ret, struct err *e)
{
	struct buf b;

	if (!r->policy.n && r->policies) {
		if (blobs_again(a, r, e) != 0)
			return -1;
		buf_init(&b, a, RECORD_JSON_MAX);
		record_policies_json(&b, r->policies);
		struct str text = clean_json(a, r, buf_view(&b)), digest = blob_digest(a, text);
		bool sync = r->audit.sync == AUDIT_SYNC_ALWAYS;

		/* referenced blobs first, so that an existing list is complete */
		if (!blob_has(&r->blobs, digest)) {
			for (const struct policy_file *f = r->policies->files; f; f = f->next)
				if (blob_put_as(a, &r->blobs, blob_digest(a, f->bytes), f->bytes, sync,
						e) != 0)
					return -1;
			if (blob_put_as(a, &r->blobs, digest, text, sync, e) != 0)
				return -1;
		}
		r->policy = digest;
	}
	*ret = r->policy;
	return 0;
}

/* A view without its answers would give another verdict, so then no view is stored. */
static int put_view(struct arena *a, struct record *r, const struct engine_request *rq, const struct view *v,
		struct audit_row *row, struct err *e)
{
	struct buf view, answers;
	struct str text;

	buf_init(&view, a, RECORD_JSON_MAX);
	record_view_json(&view, v, rq);
	buf_init(&answers, a, RECORD_JSON_MAX);
	if (record_answers_json(&answers, v)) {
		row->answers = clean_json(a, r, buf_view(&answers));
		if (!row->answers.n || row->answers.n > ANSWERS_MAX) {
			row->answers = STR("");
			return 0;
		}
	}
	text = clean_json(a, r, buf_view(&view));
	return text.n ? put_blob(a, r, text, &row->view, e) : 0;
}

static int put_judged(struct arena *a, struct record *r, const struct engine_request *rq,
		const struct judgement *j, struct audit_row *row, struct err *e)
{
	struct str *ids;
	size_t n = 0;

	if (put_policy(a, r, &row->policy, e) != 0)
		return -1;
	if (!j)
		return 0;
	row->verdict = str_of(verdict_name(j->verdict));
	for (const struct reason *x = j->reasons; x && n < AUDIT_REASONS_MAX; x = x->next)
		n++;
	row->reasons = ids = arena_array(a, n + 1, sizeof(*ids));
	for (const struct reason *x = j->reasons; x && row->nreasons < AUDIT_REASONS_MAX; x = x->next)
		ids[row->nreasons++] = str_of(check_name(x->id));
	/* a call of another tool has no text that could be judged again */
	return j->view && !rq->facts ? put_view(a, r, rq, j->view, row, e) : 0;
}

static void fill_request(struct arena *a, struct record *r, const struct engine_request *rq,
		const struct judgement *j, struct audit_row *row)
{
	const size_t whole = COMMAND_MAX + COMMAND_SPARE;
	struct str text = record_redact(a, r, str_first(rq->command, whole));

	/* half a secret does not look like one: search more bytes than are stored */
	if (rq->command.n > whole)
		text = str_first(text, text.n > COMMAND_SPARE ? text.n - COMMAND_SPARE : 0);
	row->command = str_first(text, COMMAND_MAX);
	if (rq->command.n > COMMAND_MAX)
		row->note = str_fmt(a, RECORD_CUT "%zu bytes; its first %zu are here", rq->command.n,
				COMMAND_MAX);
	row->cwd = record_redact(a, r, j && j->view ? j->view->cwd : context_or_own(rq->context)->cwd);
}

static int append_row(struct arena *a, struct record *r, const struct audit_row *row, struct record_id *ret,
		struct err *e)
{
	struct audit_written done;

	if (rows_again(a, r, e) != 0 || audit_append(a, &r->audit, row, &done, e) != 0)
		return -1;
	if (ret)
		memcpy(ret->text, done.id, sizeof(done.id));
	return 0;
}

int record_verdict(struct arena *a, struct record *r, const struct record_who *who, struct str id,
		const struct engine_request *rq, const struct judgement *j,
	struct record_id *ret_id, struct err *e)
{
	struct audit_row row = {.kind = AUDIT_VERDICT, .id = id};
	struct err why = {0};

	if (ret_id)
		*ret_id = (struct record_id){0};
	if (r->off)
		return 0;
	fill_who(a, r, &row, who);
	fill_request(a, r, rq, j, &row);
	if (put_judged(a, r, rq, j, &row, &why) != 0 || append_row(a, r, &row, ret_id, &why) != 0)
		return fail_record(r, &why, e);
	return 0;
}

int record_person(struct arena *a, struct record *r, struct str command, struct str cwd, struct str note,
		struct err *e)
{
	struct audit_row row = {.kind = AUDIT_PERSON, .command = record_redact(a, r, command), .cwd = cwd,
			.note = note};
	struct err why = {0};

	if (r->off)
		return 0;
	return append_row(a, r, &row, NULL, &why) == 0 ? 0 : fail_record(r, &why, e);
}

int record_begin(struct arena *a, struct record *r, const struct record_who *who,
		const struct record_start *s, struct err *e)
{
	struct audit_row row = {.kind = AUDIT_BEGIN, .id = s->id, .spec = s->spec,
			.backend = s->backend ? str_of(s->backend) : STR("")};
	struct err why = {0};

	if (r->off)
		return 0;
	fill_who(a, r, &row, who);
	fill_request(a, r, s->rq, s->judgement, &row);
	if (put_judged(a, r, s->rq, s->judgement, &row, &why) != 0)
		return fail_record(r, &why, e);
	r->begun.id = row.id;
	r->begun.command = row.command;
	r->begun.verdict = row.verdict;
	if (append_row(a, r, &row, NULL, &why) != 0)
		return fail_record(r, &why, e);
	return 0;
}

static struct str note_ids(struct arena *a, const struct check_note *n)
{
	struct buf b;

	buf_init(&b, a, 0);
	for (; n; n = n->next)
		buf_fmt(&b, "%s%s", b.n ? "," : "", n->name);
	return buf_view(&b);
}

int record_end(struct arena *a, struct record *r, const struct record_who *who, const struct record_stop *s,
		struct err *e)
{
	const struct outcome *o = s->outcome;
	const struct validation *v = s->validation;
	struct test_totals t;
	bool ran = o->status != STATUS_SETUP_ERROR;
	struct audit_row row = {.kind = AUDIT_END, .id = s->id, .status = str_of(status_name(o->status)),
			.backend = o->backend ? str_of(o->backend) : STR(""), .out = s->out, .err = s->err,
			.note = s->note};
	struct err why = {0};

	if (r->off)
		return 0;
	fill_who(a, r, &row, who);
	if (str_eq(row.id, r->begun.id)) {
		row.command = r->begun.command;
		row.verdict = r->begun.verdict;
	}
	row.exit_code = (struct audit_number){true, s->exit_code};
	row.duration_ms = (struct audit_number){ran, (int64_t)o->duration_ms};
	row.cpu_ms = (struct audit_number){ran, (int64_t)o->cpu_ms};
	row.peak_memory_mb = (struct audit_number){o->peak_memory > 0,
			(int64_t)((o->peak_memory + MB - 1) / MB)};
	if (o->network) {
		row.network.allowed = (struct audit_number){true, (int64_t)o->network->allowed};
		row.network.refused = (struct audit_number){true, (int64_t)o->network->refused};
	}
	if (v) {
		row.validation.outcome = str_of(validity_name(v->validity));
		row.validation.result = str_of(result_name(v->result));
		row.validation.task = v->task ? str_of(task_name(v->task)) : STR("");
		row.validation.format = v->format ? str_of(v->format) : STR("");
		row.validation.evidence = str_of(evidence_name(v->evidence));
		row.validation.suspicions = note_ids(a, v->suspicions);
		if (validation_totals(v, &t)) {
			row.counts.passed = (struct audit_number){true, t.passed};
			row.counts.failed = (struct audit_number){true, t.failed};
			row.counts.skipped = (struct audit_number){true, t.skipped};
			row.counts.total = (struct audit_number){true, t.total};
		}
	}
	return append_row(a, r, &row, NULL, &why) == 0 ? 0 : fail_record(r, &why, e);
}
