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
#define READ_BYTES 4096
#define WRITE_BYTES ((size_t)64 << 10) /* written at once */
/* the kept end may start this much later, to start at a line */
#define LINE_LOOK ((size_t)64 << 10)
#define PRUNE_ABOVE ((uint64_t)8 << 20) /* outputs of this size trigger pruning, in addition to once a day */
#define DAY 86400

struct output_copy { /* the file with the whole text, while it is written */
	struct buf unwritten;
	struct output_file file;
	bool open, failed;
	uint64_t bytes;        /* bytes of the text, written or not */
	struct str dir;        /* state directory */
};

struct stream_work { /* one stream after the other */
	struct arena *a;
	const struct run *r;
	struct stream_cleaner cleaner;
	char look[READ_BYTES]; /* buffer for raw bytes */
	uint64_t head_most;    /* maximum number of bytes of a head */
	bool head_full;        /* its text is longer: the rest is not shown */
	struct truncator cutter;
	struct output_copy copy;
};

/* ---- the file ---- */

static bool copy_open(struct stream_work *p)
{
	const struct view *v = p->r->world->context.view;
	struct output_copy *c = &p->copy;

	if (c->open || c->failed)
		return c->open;
	c->failed = !v->state_dir.n ||
			(!c->dir.n && state_make(p->a, v->state_dir, p->r->spec.workspace, v->uid, &c->dir,
			NULL) != 0) ||
		output_open(&c->file, str_c(p->a, c->dir), NULL) != 0;
	c->open = !c->failed;
	return c->open;
}

/* On failure nothing is kept; the report is more important. */
static void copy_flush(struct stream_work *p)
{
	struct output_copy *c = &p->copy;

	if (copy_open(p) && fd_write_all(c->file.fd, "output", buf_view(&c->unwritten), NULL) != 0) {
		output_drop(&c->file);
		c->open = false;
		c->failed = true;
	}
	c->unwritten.n = 0;
}

static void copy_add(struct stream_work *p, struct str text)
{
	struct output_copy *c = &p->copy;
	uint64_t room = c->bytes < RUN_TEXT_MAX ? RUN_TEXT_MAX - c->bytes : 0;

	c->bytes += text.n;
	text = str_first(text, room < text.n ? (size_t)room : text.n);
	while (text.n) {
		size_t n = WRITE_BYTES - c->unwritten.n < text.n ? WRITE_BYTES - c->unwritten.n : text.n;

		buf_add(&c->unwritten, text.p, n);
		text = str_from(text, n);
		if (c->unwritten.n == WRITE_BYTES)
			copy_flush(p);
	}
}

/* Removes outputs older than the record's retention, and the oldest beyond the quota. */
static void prune_outputs(struct stream_work *p)
{
	const struct run *r = p->r;
	int64_t now = time(NULL), days = r->outputs_days ? r->outputs_days : AUDIT_RETENTION_DAYS;
	struct outputs_pruned done;

	if (p->copy.bytes >= PRUNE_ABOVE || outputs_due(&p->copy.file, now))
		outputs_prune(p->a, p->copy.dir, now - days * DAY, r->outputs_quota, false, &done, NULL);
}

/* Returns a file path that nobody can predict; empty on failure. */
static struct str copy_end(struct stream_work *p, const char *what, bool wanted)
{
	struct output_copy *c = &p->copy;
	struct str name = str_fmt(p->a, "%.*s-%s.txt", STR_ARG(p->r->id), what), path = STR("");

	if (wanted) {
		copy_flush(p);
		if (c->open)
			prune_outputs(p);
		if (c->open && output_finish(&c->file, str_c(p->a, name), NULL) == 0)
			path = str_fmt(p->a, "%.*s/%s/%.*s", STR_ARG(c->dir), OUTPUTS_FOLDER, STR_ARG(name));
	} else if (c->open) {
		output_drop(&c->file);
	}
	c->open = c->failed = false;
	c->bytes = c->unwritten.n = 0;
	return path;
}

/* ---- sinks ---- */

static void take_head(void *ctx, struct str text)
{
	struct stream_work *p = ctx;

	p->head_full |= p->cutter.bytes + text.n > p->head_most;
	if (!p->head_full)
		truncator_feed(&p->cutter, text);
}

static void take_kept(void *ctx, struct str text)
{
	struct stream_work *p = ctx;

	copy_add(p, text);
	truncator_feed(&p->cutter, text);
}

/*
 * Returns the offset of the first line that starts at `at` or soon after; otherwise of the first character.
 */
static uint64_t line_from(struct stream_work *p, const struct stream *s, uint64_t at)
{
	uint64_t i = at - 1;
	ptrdiff_t got;

	while (i < at + LINE_LOOK && (got = stream_read(s, i, p->look, READ_BYTES, NULL)) > 0) {
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
static void pass_beginning(struct stream_work *p, const struct stream *s, uint64_t start)
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

static struct str show_stream(struct stream_work *p, const char *what, const struct stream *s, bool failed,
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
	bytes = p->copy.bytes;
	*ret_cut = (struct stream_cut){.is = t.is || lost || bytes > RUN_KEEP_ABOVE,
			.total_bytes = t.total_bytes + lost, .omitted_bytes = t.omitted_bytes + lost,
			.dropped_bytes = start + lost};
	/* a line may be only partly kept */
	ret_cut->total_lines = e.at < to ? UNKNOWN : lost ? p->cutter.newlines + s->lost_lines :
			t.total_lines;
	ret_cut->omitted_lines = e.at < to ? UNKNOWN : t.omitted_lines + s->lost_lines;
	if (bytes > RUN_TEXT_MAX)
		ret_cut->dropped_bytes += bytes - RUN_TEXT_MAX;
	ret_cut->path = copy_end(p, what, t.is || bytes > RUN_KEEP_ABOVE);
	return text;
}

void streams_show(struct arena *a, const struct run *r, const struct outcome *o, struct report *ret)
{
	struct stream_work *p;
	struct str *values;
	size_t n = 0;

	ret->out = ret->err = STR("");
	if (!o->out.total && !o->err.total)
		return;
	values = secret_values(a, variables_known(a, r->world, r->rq), r->scrubbed, &n);
	p = arena_new(a, struct stream_work);
	p->a = a;
	p->r = r;
	stream_cleaner_init(&p->cleaner, a, redactor_new(a, values, n));
	p->cleaner.timestamps = run_iso_times(r->rq);
	buf_init(&p->copy.unwritten, a, WRITE_BYTES);
	ret->out = show_stream(p, "stdout", &o->out, o->status != STATUS_OK, &ret->out_cut);
	ret->err = show_stream(p, "stderr", &o->err, o->status != STATUS_OK, &ret->err_cut);
	ret->sanitized = p->cleaner.counts;
	ret->redacted = redactor_count(p->cleaner.redactor) - p->cleaner.unseen;
}
