/* See replay_show.h. Text from the record is made visible before it is printed. */
#define _GNU_SOURCE
#include "cli/replay_show.h"

#include <inttypes.h>

#include "base/json_write.h"
#include "base/num.h"
#include "cli/doc.h"
#include "cli/rows.h"
#include "gate/gate.h"
#include "judge/engine.h"

#define TITLE 11 /* width of a line's title */

/* ---- comparing ---- */

static struct str field_text(struct arena *a, const struct audit_line *l, const char *key)
{
	return l ? audit_text(a, audit_field(l, key)) : STR("");
}

static bool same_field(const struct audit_line *x, const struct audit_line *y, const char *key)
{
	return str_eq(audit_field(x, key), audit_field(y, key));
}

static bool same_inner(const struct audit_line *x, const struct audit_line *y, const char *key)
{
	return str_eq(audit_inner(audit_field(x, "validation"), key),
			audit_inner(audit_field(y, "validation"), key));
}

/* Length of a duration at `at`, as 0.09s, 12 ms or 3 seconds; 0: there is none. */
static size_t duration_length(struct str s, size_t at)
{
	static const char units[][8] = {"seconds", "second", "secs", "sec", "ms", "us", "ns", "s"};
	size_t i = at;

	if (at && (ascii_is_name(s.p[at - 1]) || s.p[at - 1] == '.'))
		return 0;
	while (i < s.n && ascii_is_digit(s.p[i]))
		i++;
	if (i == at)
		return 0;
	if (i + 1 < s.n && s.p[i] == '.' && ascii_is_digit(s.p[i + 1]))
		for (i++; i < s.n && ascii_is_digit(s.p[i]);)
			i++;
	i += i < s.n && s.p[i] == ' ';
	for (size_t k = 0; k < ARRAY_SIZE(units); k++) {
		size_t end = i + strlen(units[k]);

		if (str_starts(str_sub(s, i, s.n), units[k]) && (end == s.n || !ascii_is_name(s.p[end])))
			return end - at;
	}
	return 0;
}

/* True for texts that differ in nothing but durations: a second run is never exactly as fast. */
static bool same_but_durations(struct str x, struct str y)
{
	size_t i = 0, k = 0;

	while (i < x.n && k < y.n) {
		size_t dx = duration_length(x, i), dy = dx ? duration_length(y, k) : 0;

		if (!dy && x.p[i] != y.p[k])
			return false;
		i += dy ? dx : 1;
		k += dy ? dy : 1;
	}
	return i == x.n && k == y.n;
}

static bool same_output(const struct replay_shown *s)
{
	const struct audit_line *x = s->r.end, *y = s->again.end;
	bool out = same_field(x, y, "stdout") || (s->out.n && same_but_durations(s->out, s->again_out)),
			err = same_field(x, y, "stderr") || (s->err.n &&
			same_but_durations(s->err, s->again_err));

	return out && err;
}

static bool same_run(const struct replay_shown *s)
{
	const struct audit_line *x = s->r.end, *y = s->again.end;

	return x && same_field(x, y, "status") && same_field(x, y, "exit_code") &&
			same_output(s) && same_inner(x, y, "outcome") && same_inner(x, y, "result");
}

bool replay_differs(const struct replay_shown *s)
{
	const struct judged_again *all[] = {&s->derived, &s->policy, &s->world};

	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		if (all[i]->tried && (i ? !all[i]->ok || !all[i]->same : all[i]->ok && !all[i]->same))
			return true;
	return s->ran && !same_run(s);
}

/* ---- pieces of text ---- */

struct show {
	struct buf *b;
	const struct replay_shown *s;
	const struct replay_style *style;
};

static void title(struct show *w, const char *name)
{
	size_t n = strlen(name);

	buf_fmt(w->b, "%s%s%s", w->style->colour ? "\033[1m" : "", name, w->style->colour ? "\033[0m" : "");
	for (; n < TITLE; n++)
		buf_char(w->b, ' ');
}

static void line(struct show *w, const char *name, struct str text)
{
	if (!text.n)
		return;
	title(w, name);
	put_visible(w->b, text);
	buf_char(w->b, '\n');
}

static struct str next_line(struct str *rest)
{
	ptrdiff_t end = str_find(*rest, '\n', 0);
	struct str l = str_sub(*rest, 0, end < 0 ? rest->n : (size_t)end);

	*rest = str_sub(*rest, end < 0 ? rest->n : (size_t)end + 1, rest->n);
	return l;
}

static size_t count_lines(struct str s)
{
	size_t n = 0;

	for (; s.n; n++)
		next_line(&s);
	return n;
}

/* Appends lines [from, to), each after a mark. */
static void put_lines(struct show *w, struct str text, size_t from, size_t to, const char *mark)
{
	for (size_t i = 0; text.n && i < to; i++) {
		struct str l = next_line(&text);

		if (i < from)
			continue;
		buf_c(w->b, mark);
		put_visible(w->b, l);
		buf_char(w->b, '\n');
	}
}

static void put_stream(struct show *w, const char *name, struct str text, struct str why)
{
	size_t n = count_lines(text);

	if (why.n) {
		line(w, name, str_fmt(w->b->a, "cannot be shown: %.*s", STR_ARG(why)));
		return;
	}
	if (!text.n)
		return;
	title(w, name);
	buf_fmt(w->b, "%zu bytes, %zu line%s\n", text.n, n, n == 1 ? "" : "s");
	if (w->style->full || n <= REPLAY_HEAD + REPLAY_TAIL) {
		put_lines(w, text, 0, n, "  | ");
		return;
	}
	put_lines(w, text, 0, REPLAY_HEAD, "  | ");
	buf_fmt(w->b, "  ... %zu lines more; --full shows them ...\n", n - REPLAY_HEAD - REPLAY_TAIL);
	put_lines(w, text, n - REPLAY_TAIL, n, "  | ");
}

/* ---- sections ---- */

static void show_request(struct show *w)
{
	static const char keys[][12] = {"agent_id", "client", "tool", "session"};
	const struct replay *r = &w->s->r;
	struct arena *a = w->b->a;
	struct buf who;

	line(w, "request", r->id);
	buf_init(&who, a, 0);
	put_time(&who, r->asked->ts, w->style->utc, "%Y-%m-%d %H:%M:%S %Z");
	line(w, "when", buf_view(&who));
	buf_init(&who, a, 0);
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		struct str v = field_text(a, r->asked, keys[i]);

		if (v.n)
			buf_fmt(&who, "%s%s %.*s", who.n ? ", " : "", keys[i], STR_ARG(v));
	}
	line(w, "who", buf_view(&who));
	line(w, "where", r->cwd);
	if (str_find(r->command, '\n', 0) < 0) {
		line(w, "command", r->command);
	} else {
		line(w, "command", STR("(several lines)"));
		put_lines(w, r->command, 0, count_lines(r->command), "  > ");
	}
	if (r->redacted)
		line(w, "", STR("a secret in the command was redacted, so the derivation may differ"));
}

static void put_reasons(struct buf *b, const struct judgement *j)
{
	buf_c(b, verdict_name(j->verdict));
	for (const struct reason *r = j->reasons; r; r = r->next)
		buf_fmt(b, "%s%s", r == j->reasons ? ": " : ", ", check_name(r->id));
}

static struct str recorded_verdict(struct arena *a, const struct replay *r)
{
	struct buf b;
	struct str list = r->judged ? audit_field(r->judged, "reasons") : STR(""), item;
	bool any = false;

	buf_init(&b, a, 0);
	buf_str(&b, r->said);
	while (audit_item(&list, &item)) {
		buf_c(&b, any ? ", " : ": ");
		buf_str(&b, audit_text(a, item));
		any = true;
	}
	return buf_view(&b);
}

static void show_again(struct show *w, const char *name, const struct judged_again *j, bool whole)
{
	struct buf b;

	if (!j->tried)
		return;
	buf_init(&b, w->b->a, 0);
	if (!j->ok)
		buf_fmt(&b, "not possible: %.*s", STR_ARG(j->why));
	else {
		put_reasons(&b, &j->d.judgement);
		if (w->s->r.judged)
			buf_c(&b, j->same ? " (the same)" : "  <-- differs from the record");
	}
	line(w, name, buf_view(&b));
	if (j->ok && !j->same)
		for (const struct reason *r = j->d.judgement.reasons; r; r = r->next)
			if (!w->s->r.judged ||
				!replay_has_reason(w->s->r.judged, str_of(check_name(r->id)))) {
				buf_fmt(w->b, "  + %s: ", check_name(r->id));
				put_visible(w->b, r->message);
				buf_char(w->b, '\n');
			}
	if (whole && j->ok)
		gate_explain(w->b, &j->d.facts, &j->d.judgement,
				(struct explain_style){.width = w->style->width, .colour = w->style->colour});
}

static void show_policy_files(struct show *w)
{
	const struct judged_again *j = &w->s->derived;

	line(w, "policy", w->s->r.policy);
	for (const struct policy_file *f = j->ok ? j->d.policies.files : NULL; f; f = f->next)
		line(w, "", f->path);
}

static void show_verdict(struct show *w)
{
	const struct replay_shown *s = w->s;

	if (!s->r.judged) {
		line(w, "verdict", STR("none: the run was not judged"));
	} else {
		line(w, "verdict", recorded_verdict(w->b->a, &s->r));
		show_policy_files(w);
		show_again(w, "derived", &s->derived, w->style->explain);
		if (s->derived.ok && !w->style->explain)
			for (const struct reason *r = s->derived.d.judgement.reasons; r; r = r->next) {
				buf_fmt(w->b, "  - %s: ", check_name(r->id));
				put_visible(w->b, r->message);
				buf_char(w->b, '\n');
			}
		if (s->derived.ok && !s->derived.same)
			line(w, "", s->derived.d.policies.own.classifier.command ?
					STR("a classifier decided then; it is not asked again") :
					STR("the program, or the record, has changed since"));
	}
	show_again(w, "today", &s->world, false);
	show_again(w, "today,then", &s->policy, false);
	if (s->policy.tried)
		line(w, "", STR(
				"today: today's policy and world; today,then: today's policy, the world as "
				"it was"));
}

static void put_number(struct buf *b, const struct audit_line *l, const char *key, const char *before,
		const char *unit)
{
	int64_t n;

	if (audit_number(audit_field(l, key), &n))
		buf_fmt(b, "%s%s%" PRId64 "%s", b->n ? ", " : "", before, n, unit);
}

/* Uses the words and units of caisson audit show. */
static void put_limits(struct buf *b, struct str limits)
{
	static const struct {
		char key[12], name[12], unit[8];
		int64_t one;
	} rows[] = {{"cpu_milli", "cpus", "", 1000}, {"memory", "memory", " MiB", 1 << 20},
			{"time_ms", "time", " s", 1000}, {"cpu_ms", "cpu time", " s", 1000},
			{"pids", "processes", "", 1},
		    {"scratch", "scratch", " MiB", 1 << 20}, {"output", "output", " MiB", 1 << 20}};
	int64_t n;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (audit_number(audit_inner(limits, rows[i].key), &n) && n > 0)
			buf_fmt(b, "%s%s %g%s", b->n ? ", " : "", rows[i].name,
					(double)n / (double)rows[i].one, rows[i].unit);
}

static void show_run(struct show *w)
{
	const struct replay *r = &w->s->r;
	struct arena *a = w->b->a;
	struct str spec = r->begin ? audit_field(r->begin, "spec") : STR(""),
			limits = audit_inner(spec, "limits");
	struct buf b;

	if (!r->begin && !r->end) {
		line(w, "run", STR("not run by caisson"));
		return;
	}
	buf_init(&b, a, 0);
	buf_fmt(&b, "profile %.*s, network %.*s, backend %.*s",
			STR_ARG(audit_text(a, audit_inner(spec, "profile"))),
			STR_ARG(audit_text(a, audit_inner(spec, "network"))),
		STR_ARG(field_text(a, r->end ? r->end : r->begin, "backend")));
	line(w, "run", buf_view(&b));
	buf_init(&b, a, 0);
	put_limits(&b, limits);
	line(w, "limits", buf_view(&b));
	if (!r->end) {
		line(w, "end", STR(
				"missing in the record: caisson was killed, or the machine stopped"));
		return;
	}
	buf_init(&b, a, 0);
	buf_str(&b, field_text(a, r->end, "status"));
	put_number(&b, r->end, "exit_code", "exit code ", "");
	buf_fmt(&b, ", at %.*s", STR_ARG(r->end->ts));
	line(w, "end", buf_view(&b));
	buf_init(&b, a, 0);
	put_number(&b, r->end, "duration_ms", "", " ms");
	put_number(&b, r->end, "cpu_ms", "", " ms of CPU");
	put_number(&b, r->end, "peak_memory_mb", "", " MB at most");
	line(w, "used", buf_view(&b));
}

static void put_validation(struct buf *b, const struct audit_line *l)
{
	static const char keys[][8] = {"outcome", "result", "task", "format"};
	struct str v = audit_field(l, "validation");

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		struct str text = audit_text(b->a, audit_inner(v, keys[i]));

		if (text.n)
			buf_fmt(b, "%s%s %.*s", b->n ? ", " : "", keys[i], STR_ARG(text));
	}
}

static void show_output(struct show *w)
{
	const struct replay_shown *s = w->s;
	struct buf b;

	if (!s->r.end)
		return;
	buf_init(&b, w->b->a, 0);
	put_validation(&b, s->r.end);
	line(w, "validation", buf_view(&b));
	line(w, "note", field_text(w->b->a, s->r.end, "note"));
	put_stream(w, "stdout", s->out, s->out_why);
	put_stream(w, "stderr", s->err, s->err_why);
}

/* ---- a second run ---- */

/* Prints the differing lines between a common start and a common end. */
static void put_diff(struct show *w, const char *name, struct str old, struct str new)
{
	struct str x = old, y = new;
	size_t nx = count_lines(old), ny = count_lines(new), same = 0, tail = 0;

	if (str_eq(old, new) || same_but_durations(old, new))
		return;
	for (struct str p, q; x.n && y.n; same++) {
		p = next_line(&x);
		q = next_line(&y);
		if (!str_eq(p, q))
			break;
	}
	if (same > nx || same > ny)
		same = nx < ny ? nx : ny;
	while (tail < nx - same && tail < ny - same) {
		size_t ax = old.n, ay = new.n;

		/* the last remaining line of each side */
		while (ax && old.p[ax - 1] == '\n' && ax == old.n)
			ax--;
		while (ay && new.p[ay - 1] == '\n' && ay == new.n)
			ay--;
		size_t bx = ax, by = ay;
		while (bx && old.p[bx - 1] != '\n')
			bx--;
		while (by && new.p[by - 1] != '\n')
			by--;
		if (!str_eq(str_sub(old, bx, ax), str_sub(new, by, ay)))
			break;
		old.n = bx;
		new.n = by;
		tail++;
	}
	title(w, name);
	buf_fmt(w->b, "differs from line %zu on: %zu line%s then, %zu now\n", same + 1, nx - same - tail,
			nx - same - tail == 1 ? "" : "s", ny - same - tail);
	put_lines(w, old, same, nx - tail < same + REPLAY_DIFF ? nx - tail : same + REPLAY_DIFF, "  - ");
	put_lines(w, new, same, ny - tail < same + REPLAY_DIFF ? ny - tail : same + REPLAY_DIFF, "  + ");
}

static void show_second(struct show *w)
{
	const struct replay_shown *s = w->s;
	const struct audit_line *x = s->r.end, *y = s->again.end;
	struct arena *a = w->b->a;
	struct buf b, v;

	if (!s->ran)
		return;
	buf_init(&b, a, 0);
	buf_init(&v, a, 0);
	buf_fmt(&b, "%.*s: %.*s", STR_ARG(s->again.id), STR_ARG(field_text(a, y, "status")));
	put_number(&b, y, "exit_code", "exit code ", "");
	put_number(&b, y, "duration_ms", "", " ms");
	put_number(&b, y, "peak_memory_mb", "", " MB");
	put_validation(&v, y);
	if (v.n)
		buf_fmt(&b, "; %.*s", STR_ARG(buf_view(&v)));
	buf_c(&b, same_run(s) ? " (the same)" : "  <-- differs from the record");
	line(w, "again", buf_view(&b));
	if (s->no_input)
		line(w, "", STR("the recorded run had an input, which is not in the record"));
	if (!x)
		return;
	put_diff(w, "stdout", s->out, s->again_out);
	put_diff(w, "stderr", s->err, s->again_err);
}

/* ---- for programs ---- */

static void json_again(struct buf *b, const char *key, const struct judged_again *j, bool judged)
{
	if (!j->tried)
		return;
	json_put_open(b, key, '{');
	json_put_bool(b, "ok", j->ok);
	if (!j->ok) {
		json_put_field(b, "error", j->why);
		buf_char(b, '}');
		return;
	}
	json_put_key(b, "same");
	buf_c(b, !judged ? "null" : j->same ? "true" : "false");
	json_put_field(b, "verdict", str_of(verdict_name(j->d.judgement.verdict)));
	json_put_key(b, "answer");
	answer_json(b, STR(""), &j->d.facts, &j->d.judgement, j->d.policies.digest);
	while (b->n && b->p[b->n - 1] == '\n')
		b->n--;
	buf_char(b, '}');
}

static void json_row(struct buf *b, const char *key, const struct audit_line *l)
{
	if (!l)
		return;
	struct json *o;
	json_put_key(b, key);
	if (json_read(b->a, l->text, &o, NULL) == 0) /* a tampered row may contain anything */
		buf_str(b, l->text);
	else
		buf_c(b, "null");
}

static void show_json(struct buf *b, const struct replay_shown *s)
{
	const struct replay *r = &s->r;

	buf_char(b, '{');
	json_put_field(b, "id", r->id);
	json_put_field(b, "command", r->command);
	json_put_field(b, "cwd", r->cwd);
	json_put_bool(b, "redacted", r->redacted);
	json_row(b, "verdict_row", r->verdict);
	json_row(b, "begin_row", r->begin);
	json_row(b, "end_row", r->end);
	json_again(b, "derived", &s->derived, r->judged != NULL);
	json_again(b, "today", &s->world, r->judged != NULL);
	json_again(b, "today_policy_then_world", &s->policy, r->judged != NULL);
	if (r->end) {
		json_put_field(b, "stdout", s->out);
		json_put_field(b, "stderr", s->err);
	}
	if (s->ran) {
		json_put_open(b, "again", '{');
		json_put_bool(b, "same", same_run(s));
		json_row(b, "end_row", s->again.end);
		json_put_field(b, "stdout", s->again_out);
		json_put_field(b, "stderr", s->again_err);
		buf_char(b, '}');
	}
	buf_c(b, "}\n");
}

void replay_show(struct buf *b, const struct replay_shown *s, const struct replay_style *style)
{
	struct show w = {b, s, style};

	if (style->json) {
		show_json(b, s);
		return;
	}
	show_request(&w);
	show_verdict(&w);
	show_run(&w);
	show_output(&w);
	show_second(&w);
}
