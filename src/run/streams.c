/*
 * The shown parts of the streams, and the file that keeps the rest. Everything is processed in chunks, so
 * that memory use is constant:
 *
 *     raw bytes ─► normaliser ─► redactor ─┬─► truncator: the shown part
 *                                          └─► STATE/outputs: the whole redacted text, for agents
 *
 * If a stream has more than STREAM_KEPT bytes, only its end is on disk. Then the report shows the beginning,
 * which is in memory, and the end, which is also kept; bytes in between count as the program wrote them. The
 * end starts at a line, and the redactor has read the bytes before it, so that it recognizes the second half
 * of a secret.
 */
#define _GNU_SOURCE
#include <time.h>

#include "base/utf8.h"
#include "record/secret_values.h"
#include "record/stream_cleaner.h"
#include "run/run.h"
#include "sys/file.h"
#include "sys/outputs.h"
#include "sys/state.h"
#include "sys/stream.h"

#define UNKNOWN UINT64_MAX
#define LOOK 4096
#define WAIT_MAX ((size_t)64 << 10)   /* write buffer */
/* the kept end may start this much later, to start at a line */
#define LINE_LOOK ((size_t)64 << 10)
#define PRUNE_ABOVE ((uint64_t)8 << 20) /* outputs of this size trigger pruning, in addition to once a day */
#define DAY 86400

struct keeper { /* the whole text, written to a file */
	struct buf waiting;
	struct output_file file;
	bool open, failed;
	uint64_t bytes;        /* bytes of the text, written or not */
	struct str dir;        /* state directory */
};

struct passage {
	struct arena *a;
	const struct run *r;
	struct stream_cleaner cleaner;
	char look[LOOK];       /* buffer for raw bytes */
	uint64_t head_most;    /* maximum number of bytes of a head */
	bool head_full;        /* its text is longer: the rest is not shown */
	struct truncator cutter;
	struct keeper keeper;
};

/* ---- the file ---- */

static bool keeper_open(struct passage *p)
{
	const struct view *v = p->r->world->context.view;
	struct keeper *k = &p->keeper;

	if (k->open || k->failed)
		return k->open;
	k->failed = !v->state_dir.n ||
			(!k->dir.n && state_make(p->a, v->state_dir, p->r->spec.workspace, v->uid, &k->dir,
			NULL) != 0) ||
		output_open(&k->file, str_c(p->a, k->dir), NULL) != 0;
	k->open = !k->failed;
	return k->open;
}

/* On failure nothing is kept; the report is more important. */
static void keeper_flush(struct passage *p)
{
	struct keeper *k = &p->keeper;

	if (keeper_open(p) && fd_write_all(k->file.fd, "output", buf_view(&k->waiting), NULL) != 0) {
		output_drop(&k->file);
		k->open = false;
		k->failed = true;
	}
	k->waiting.n = 0;
}

static void keeper_add(struct passage *p, struct str text)
{
	struct keeper *k = &p->keeper;
	uint64_t room = k->bytes < RUN_TEXT_MAX ? RUN_TEXT_MAX - k->bytes : 0;

	k->bytes += text.n;
	text = str_first(text, room < text.n ? (size_t)room : text.n);
	while (text.n) {
		size_t n = WAIT_MAX - k->waiting.n < text.n ? WAIT_MAX - k->waiting.n : text.n;

		buf_add(&k->waiting, text.p, n);
		text = str_from(text, n);
		if (k->waiting.n == WAIT_MAX)
			keeper_flush(p);
	}
}

/* Removes outputs older than the record's retention, and the oldest beyond the quota. */
static void prune_outputs(struct passage *p)
{
	const struct run *r = p->r;
	int64_t now = time(NULL), days = r->outputs_days ? r->outputs_days : AUDIT_RETENTION_DAYS;
	struct outputs_pruned done;

	if (p->keeper.bytes >= PRUNE_ABOVE || outputs_due(&p->keeper.file, now))
		outputs_prune(p->a, p->keeper.dir, now - days * DAY, r->outputs_quota, false, &done, NULL);
}

/* Returns a file path that nobody can predict; empty on failure. */
static struct str keeper_end(struct passage *p, const char *what, bool wanted)
{
	struct keeper *k = &p->keeper;
	struct str name = str_fmt(p->a, "%.*s-%s.txt", STR_ARG(p->r->id), what), path = STR("");

	if (wanted) {
		keeper_flush(p);
		if (k->open)
			prune_outputs(p);
		if (k->open && output_finish(&k->file, str_c(p->a, name), NULL) == 0)
			path = str_fmt(p->a, "%.*s/%s/%.*s", STR_ARG(k->dir), OUTPUTS_FOLDER, STR_ARG(name));
	} else if (k->open) {
		output_drop(&k->file);
	}
	k->open = k->failed = false;
	k->bytes = k->waiting.n = 0;
	return path;
}

/* ---- sinks ---- */

static void take_head(void *ctx, struct str text)
{
	struct passage *p = ctx;

	p->head_full |= p->cutter.bytes + text.n > p->head_most;
	if (!p->head_full)
		truncator_feed(&p->cutter, text);
}

static void take_kept(void *ctx, struct str text)
{
	struct passage *p = ctx;

	keeper_add(p, text);
	truncator_feed(&p->cutter, text);
}

/*
 * Returns the offset of the first line that starts at `at` or soon after; otherwise of the first character.
 */
static uint64_t line_from(struct passage *p, const struct stream *s, uint64_t at)
{
	uint64_t i = at - 1;
	ptrdiff_t got;

	while (i < at + LINE_LOOK && (got = stream_read(s, i, p->look, LOOK, NULL)) > 0) {
		const char *nl = memchr(p->look, '\n', (size_t)got);

		if (nl)
			return i + (uint64_t)(nl - p->look) + 1;
		i += (uint64_t)got;
	}
	for (i = at; i < at + 3 && stream_read(s, i, p->look, 1, NULL) == 1 && utf8_continues(p->look[0]);
			i++)
		;
	return i;
}

/* For a stream whose middle is lost: passes the part in memory, the gap, and the context of the rest. */
static void pass_beginning(struct passage *p, const struct stream *s, uint64_t start)
{
	struct str head = str_first(s->text, start < s->text.n ? (size_t)start : s->text.n);
	const char *nl = head.n ? memrchr(head.p, '\n', head.n) : NULL;

	p->head_most = nl ? (uint64_t)(nl - head.p) + 1 : head.n;
	stream_cleaner_pass(&p->cleaner, s, 0, p->head_most, PART_HEAD, take_head, p);
	truncator_gap(&p->cutter, start - p->cutter.bytes, stream_read(s, start - 1, p->look, 1, NULL) == 1 &&
			p->look[0] == '\n');
	stream_cleaner_context(&p->cleaner, s, start);
}

/* ---- one stream ---- */

static struct str show_stream(struct passage *p, const char *what, const struct stream *s, bool failed,
		struct stream_cut *ret_cut)
{
	const struct run *r = p->r;
	struct truncate_options o = {.max = r->rq->head || r->rq->tail ? RUN_STREAM_MAX : 0,
			.head = r->rq->head, .tail = r->rq->tail, .failed = failed};
	uint64_t to = stream_to(s), start = to > STREAM_KEPT ? to - STREAM_KEPT : 0, lost, bytes, before;
	struct truncated t;
	struct stream_extent e;
	struct str text;

	if (!s->total)
		return STR("");
	truncator_start(&p->cutter, p->a, &o);
	p->head_full = false;
	if (start) {
		start = line_from(p, s, start);
		pass_beginning(p, s, start);
	}
	before = p->cutter.newlines;
	e = stream_cleaner_pass(&p->cleaner, s, start, to, PART_END, take_kept, p);
	if (start && s->lines > before + e.newlines)
		truncator_gap_newlines(&p->cutter, s->lines - before - e.newlines);
	text = truncator_end(&p->cutter, &t);
	lost = s->total - e.at;
	bytes = p->keeper.bytes;
	*ret_cut = (struct stream_cut){.is = t.is || lost || bytes > RUN_KEEP_ABOVE,
			.total_bytes = t.total_bytes + lost, .omitted_bytes = t.omitted_bytes + lost,
			.dropped_bytes = start + lost};
	/* a line may be only partly kept */
	ret_cut->total_lines = e.at < to ? UNKNOWN : lost ? p->cutter.newlines + s->lost_lines :
			t.total_lines;
	ret_cut->omitted_lines = e.at < to ? UNKNOWN : t.omitted_lines + s->lost_lines;
	if (bytes > RUN_TEXT_MAX)
		ret_cut->dropped_bytes += bytes - RUN_TEXT_MAX;
	ret_cut->path = keeper_end(p, what, t.is || bytes > RUN_KEEP_ABOVE);
	return text;
}

void streams_show(struct arena *a, const struct run *r, const struct outcome *o, struct report *ret)
{
	struct passage *p;
	struct str *values;
	size_t n = 0;

	ret->out = ret->err = STR("");
	if (!o->out.total && !o->err.total)
		return;
	values = secret_values(a, variables_known(a, r->world, r->rq), r->scrubbed, &n);
	p = arena_new(a, struct passage);
	p->a = a;
	p->r = r;
	stream_cleaner_init(&p->cleaner, a, redactor_new(a, values, n));
	p->cleaner.timestamps = run_iso_times(r->rq);
	buf_init(&p->keeper.waiting, a, WAIT_MAX);
	ret->out = show_stream(p, "stdout", &o->out, o->status != STATUS_OK, &ret->out_cut);
	ret->err = show_stream(p, "stderr", &o->err, o->status != STATUS_OK, &ret->err_cut);
	ret->sanitized = p->cleaner.counts;
	ret->redacted = redactor_count(p->cleaner.redactor) - p->cleaner.unseen;
}
