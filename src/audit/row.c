/* Writes a row as one line of JSON, and finds the fields that the chain needs without a JSON parser. */
#define _GNU_SOURCE
#include <inttypes.h>

#include "audit/inner.h"
#include "base/json_write.h"
#include "base/num.h"
#include "sys/sha256.h"

static const char kinds[AUDIT_KINDS][12] = {"begin", "end", "verdict", "recovered", "checkpoint", "tombstone",
		"person"};

const char *audit_kind_name(enum audit_kind k) { return (unsigned)k < AUDIT_KINDS ? kinds[k] : NULL; }

void hash_text(struct str bytes, char ret[AUDIT_HASH + 1]) { sha256_hex(bytes, ret); }

/* ---- writing ---- */

/* A body continues a row: each of its keys has a comma before it. */
static void put_key(struct buf *b, const char *key) { buf_fmt(b, ",\"%s\":", key); }

static void put_field(struct buf *b, const char *key, struct str s)
{
	if (!s.n)
		return;
	put_key(b, key);
	json_put_string(b, s);
}

static void put_number(struct buf *b, const char *key, struct audit_number n, bool always)
{
	if (n.known)
		buf_fmt(b, ",\"%s\":%" PRId64, key, n.n);
	else if (always)
		buf_fmt(b, ",\"%s\":null", key);
}

static void put_reasons(struct buf *b, const struct audit_row *r)
{
	if (!r->nreasons)
		return;
	buf_c(b, ",\"reasons\":[");
	for (size_t i = 0; i < r->nreasons; i++) {
		json_put_comma(b);
		json_put_string(b, r->reasons[i]);
	}
	buf_char(b, ']');
}

static void put_validation(struct buf *b, const struct audit_row *r)
{
	if (!r->validation.outcome.n)
		return;
	buf_c(b, ",\"validation\":{\"outcome\":");
	json_put_string(b, r->validation.outcome);
	put_field(b, "result", r->validation.result);
	put_field(b, "task", r->validation.task);
	put_field(b, "format", r->validation.format);
	put_field(b, "evidence", r->validation.evidence);
	put_field(b, "suspicions", r->validation.suspicions);
	buf_char(b, '}');
	if (r->counts.total.known)
		buf_fmt(b, ",\"counts\":{\"passed\":%jd,\"failed\":%jd,\"skipped\":%jd,\"total\":%jd}",
				(intmax_t)r->counts.passed.n, (intmax_t)r->counts.failed.n,
				(intmax_t)r->counts.skipped.n, (intmax_t)r->counts.total.n);
}

static void put_network(struct buf *b, const struct audit_row *r)
{
	if (r->network.allowed.known)
		buf_fmt(b, ",\"network\":{\"allowed\":%jd,\"refused\":%jd}", (intmax_t)r->network.allowed.n,
				(intmax_t)r->network.refused.n);
}

static bool id_is_plain(struct str id)
{
	for (size_t i = 0; i < id.n; i++) {
		char c = id.p[i];
		if (!(ascii_is_alnum(c) || c == '-' || c == '_'))
			return false;
	}
	return id.n <= AUDIT_ID_MAX;
}

/* Nothing, or what looks like one. */
static bool is_object(struct str s)
{
	return !s.n || (s.n <= AUDIT_SPEC_MAX && s.p[0] == '{' && s.p[s.n - 1] == '}' &&
			!str_has(s, '\n'));
}

static void put_object(struct buf *b, const char *key, struct str json)
{
	if (!json.n)
		return;
	put_key(b, key);
	buf_str(b, json);
}

int row_body(struct arena *a, const struct audit_row *r, struct str *ret, struct err *e)
{
	const bool end = r->kind == AUDIT_END;
	struct buf b;
	if (!audit_kind_name(r->kind) || !id_is_plain(r->id) || r->nreasons > AUDIT_REASONS_MAX)
		return err_input(e,
				"a row of the record has a kind, an id or a number of reasons that no row "
				"can have");
	if (!is_object(r->spec) || !is_object(r->answers))
		return err_input(e,
				"spec and answers of a row are objects on one line, of at most %zu bytes",
				AUDIT_SPEC_MAX);
	if (r->kind == AUDIT_TOMBSTONE && (!r->until.seq || !str_is_hex(r->until.hash, AUDIT_HASH)))
		return err_input(e, "a tombstone needs seq and hash of the newest row that was dropped");
	if (r->kind == AUDIT_CHECKPOINT && !r->key)
		return err_input(e, "a checkpoint needs a key");
	const struct {
		const char *key;
		struct str text;
	} who[] = {{"agent_id", r->agent_id}, {"session", r->session}, {"client", r->client},
			{"tool", r->tool}, {"tool_use_id", r->tool_use_id},
		   {"command", r->command}, {"cwd", r->cwd}, {"verdict", r->verdict}},
	  how[] = {{"policy", r->policy}, {"view", r->view}, {"backend", r->backend}, {"status", r->status}};
	size_t all = 0; /* before escaping: a text that cannot fit is not copied */
	for (size_t i = 0; i < ARRAY_SIZE(who); i++)
		all += who[i].text.n < AUDIT_ROW_MAX ? who[i].text.n : AUDIT_ROW_MAX;
	if (all >= AUDIT_ROW_MAX)
		return err_limit(e, "a row of the record would be longer than %zu bytes", AUDIT_ROW_MAX);
	buf_init(&b, a, 0);
	for (size_t i = 0; i < ARRAY_SIZE(who); i++)
		put_field(&b, who[i].key, who[i].text);
	put_reasons(&b, r);
	for (size_t i = 0; i < ARRAY_SIZE(how); i++)
		put_field(&b, how[i].key, how[i].text);
	put_object(&b, "answers", r->answers);
	put_object(&b, "spec", r->spec);
	put_number(&b, "exit_code", r->exit_code, end);
	put_number(&b, "duration_ms", r->duration_ms, end);
	put_number(&b, "cpu_ms", r->cpu_ms, end);
	put_number(&b, "peak_memory_mb", r->peak_memory_mb, end);
	put_validation(&b, r);
	put_network(&b, r);
	put_field(&b, "stdout", r->out);
	put_field(&b, "stderr", r->err);
	put_field(&b, "note", r->note);
	if (r->kind == AUDIT_TOMBSTONE && r->dropped.from.n)
		buf_fmt(&b, ",\"dropped\":{\"from\":\"%.*s\",\"to\":\"%.*s\",\"days\":%" PRIu64 ",\"rows\":%"
				PRIu64 ",\"bytes\":%" PRIu64 "}", STR_ARG(r->dropped.from),
			STR_ARG(r->dropped.to), r->dropped.days, r->dropped.rows, r->dropped.bytes);
	if (r->kind == AUDIT_TOMBSTONE)
		buf_fmt(&b, ",\"until\":{\"seq\":%" PRIu64 ",\"hash\":\"%.*s\"}", r->until.seq,
				STR_ARG(r->until.hash));
	if (b.n + FRAME_START_MAX + FRAME_END + 2 * TS_CHARS >= AUDIT_ROW_MAX)
		return err_limit(e, "a row of the record would be longer than %zu bytes", AUDIT_ROW_MAX);
	*ret = buf_view(&b);
	return 0;
}

/* ---- reading ---- */

static bool take_number(struct str *s, uint64_t *ret)
{
	size_t n = 0;
	int64_t value;
	while (n < s->n && n < 20 && ascii_is_digit(s->p[n]))
		n++;
	if (num_parse(str_first(*s, n), 1, INT64_MAX, &value) < 0 || s->p[0] == '0')
		return false;
	*s = str_from(*s, n);
	*ret = (uint64_t)value;
	return true;
}

/* Up to the next quote, which is taken off as well. */
static bool take_quoted(struct str *s, struct str *ret)
{
	ptrdiff_t end = str_find(*s, '"', 0);
	if (end < 0)
		return false;
	*ret = str_first(*s, (size_t)end);
	*s = str_from(*s, (size_t)end + 1);
	return true;
}

/* The first part of ts becomes a file name. */
static bool is_time(struct str s)
{
	static const char shape[] = "dddd-dd-ddTdd:dd:dd.ddddddZ";
	for (size_t i = 0; i < s.n && i < TS_CHARS; i++)
		if (shape[i] == 'd' ? !ascii_is_digit(s.p[i]) : s.p[i] != shape[i])
			return false;
	return s.n == TS_CHARS;
}

bool frame_start(struct str s, struct row_frame *ret)
{
	uint64_t version;
	s = str_first(s, FRAME_START_MAX);
	return str_take(&s, "{\"v\":") && take_number(&s, &version) && str_take(&s, ",\"seq\":") &&
			take_number(&s, &ret->seq) && str_take(&s, ",\"id\":\"") &&
	       take_quoted(&s, &ret->id) && str_take(&s, ",\"kind\":\"") && take_quoted(&s, &ret->kind) &&
	       str_take(&s, ",\"ts\":\"") && take_quoted(&s, &ret->ts) &&
	       is_time(ret->ts) && ret->id.n <= AUDIT_ID_MAX;
}

bool frame_end(struct str s, struct row_frame *ret)
{
	if (s.n < FRAME_END)
		return false;
	s = str_from(s, s.n - FRAME_END);
	if (!str_take(&s, ",\"prev\":\"") || !take_quoted(&s, &ret->prev) ||
			!str_take(&s, ",\"hash\":\"") || !take_quoted(&s, &ret->hash))
		return false;
	return str_is(s, "}") && str_is_hex(ret->prev, AUDIT_HASH) && str_is_hex(ret->hash, AUDIT_HASH);
}
