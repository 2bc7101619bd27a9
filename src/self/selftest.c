/* Parses the sets, judges their commands and counts the verdicts. */
#include "self/selftest.h"

#include "base/embedded.h"
#include "base/json_write.h"
#include "gate/gate.h"

#define ROW_ARENA_MAX ((size_t)64 << 20)

struct str selftest_text(enum selftest_kind kind)
{
	if (kind == SELFTEST_ATTEMPTS)
		return str_n((const char *)selftest_attempts, selftest_attempts_n);
	return str_n((const char *)selftest_ordinary, selftest_ordinary_n);
}

/* ---- reading ---- */

static struct str unescape(struct arena *a, struct str line)
{
	static const char from[] = "nt\\", to[] = "\n\t\\";
	struct buf b;

	buf_init(&b, a, 0);
	for (size_t i = 0; i < line.n; i++) {
		const char *known = line.p[i] == '\\' && i + 1 < line.n &&
				line.p[i + 1] ? strchr(from, line.p[i + 1]) : NULL;

		buf_char(&b, known ? to[known - from] : line.p[i]);
		i += known != NULL;
	}
	return buf_view(&b);
}

/* "[class] title"; `[ -f x ]` is a command */
static bool is_header(struct str line)
{
	return line.n > 1 && line.p[0] == '[' && ascii_is_lower(line.p[1]);
}

static struct selftest_class *add_class(struct arena *a, struct str line)
{
	ptrdiff_t end = str_find(line, ']', 0);
	struct selftest_class *c;

	if (end < 0 || (size_t)end + 2 >= line.n || line.p[end + 1] != ' ')
		return NULL;
	c = arena_new(a, struct selftest_class);
	c->name = str_sub(line, 1, (size_t)end);
	c->title = str_from(line, (size_t)end + 2);
	return c;
}

int selftest_parse(struct arena *a, struct str text, enum selftest_kind kind, struct selftest_set *ret,
		struct err *e)
{
	struct selftest_set set = {.kind = kind};
	struct selftest_class **end = &set.classes, *c = NULL;
	struct selftest_row **last = NULL;
	size_t number = 1;

	for (size_t at = 0; at < text.n; number++) {
		size_t nl = str_end(text, '\n', at);
		struct str line = str_sub(text, at, nl);

		at += line.n + 1;
		if (!line.n || line.p[0] == '#')
			continue;
		if (is_header(line)) {
			c = *end = add_class(a, line);
			if (!c)
				return err_input(e, "line %zu: expected '[class] title'", number);
			end = &c->next;
			last = &c->rows;
			continue;
		}
		if (!c)
			return err_input(e, "line %zu: a command before the first '[class] title'", number);
		*last = arena_new(a, struct selftest_row);
		(*last)->command = unescape(a, line);
		last = &(*last)->next;
		c->total++;
		set.total++;
	}
	*ret = set;
	return 0;
}

/* ---- judging ---- */

static enum check_id first_id(const struct judgement *j)
{
	static const enum grade grades[] = {[VERDICT_DENY] = GRADE_DENY, [VERDICT_ASK] = GRADE_ASK,
			[VERDICT_CONTAIN] = GRADE_CONTAIN, [VERDICT_ALLOW] = GRADE_WARN};

	for (const struct reason *r = j->reasons; r; r = r->next)
		if (r->grade == grades[j->verdict])
			return r->id;
	return CHECK_NONE;
}

static int judge_row(struct selftest_row *r, const struct selftest_request *rq, const struct policies *p,
		struct err *e)
{
	struct engine_request er = {.command = r->command, .context = rq->context};
	struct judgement j = {0};
	struct facts f;
	struct arena a;
	int rc;

	arena_init(&a, ROW_ARENA_MAX);
	rc = engine_judge(&a, &er, p, &f, &j, e);
	r->verdict = j.verdict;
	r->id = first_id(&j);
	arena_free(&a);
	return rc;
}

int selftest_judge(struct selftest_set *set, const struct selftest_request *rq, struct err *e)
{
	struct policies p = *rq->policies;

	p.own.classifier.command = NULL;
	for (struct selftest_class *c = set->classes; c; c = c->next) {
		for (struct selftest_row *r = c->rows; r; r = r->next) {
			if (judge_row(r, rq, &p, e) != 0)
				return -1;
			c->by[r->verdict]++;
			set->by[r->verdict]++;
		}
	}
	return 0;
}

bool selftest_failed(enum selftest_kind kind, enum verdict v)
{
	return kind == SELFTEST_ATTEMPTS ? v == VERDICT_ALLOW : v < VERDICT_CONTAIN;
}

unsigned selftest_failures(const struct selftest_set *set)
{
	return set->kind == SELFTEST_ATTEMPTS ? set->by[VERDICT_ALLOW] : set->by[VERDICT_DENY] +
			set->by[VERDICT_ASK];
}

/* ---- JSON ---- */

static void put_counts(struct buf *out, unsigned total, const unsigned by[4])
{
	buf_fmt(out, "\"total\":%u,\"denied\":%u,\"asked\":%u,\"contained\":%u,\"allowed\":%u", total,
			by[VERDICT_DENY], by[VERDICT_ASK], by[VERDICT_CONTAIN], by[VERDICT_ALLOW]);
}

static void put_rows(struct buf *out, enum selftest_kind kind, const struct selftest_class *c)
{
	bool any = false;

	for (const struct selftest_row *r = c->rows; r; r = r->next) {
		if (!selftest_failed(kind, r->verdict))
			continue;
		buf_c(out, any ? ",{\"command\":" : "{\"command\":");
		json_put_string(out, r->command);
		buf_fmt(out, ",\"verdict\":\"%s\"", verdict_name(r->verdict));
		if (r->id)
			buf_fmt(out, ",\"id\":\"%s\"", check_name(r->id));
		buf_char(out, '}');
		any = true;
	}
}

static void put_set(struct buf *out, const struct selftest_set *set)
{
	const char *failed = set->kind == SELFTEST_ATTEMPTS ? "missed" : "interrupted";

	buf_char(out, '{');
	put_counts(out, set->total, set->by);
	buf_fmt(out, ",\"%s\":%u,\"classes\":[", failed, selftest_failures(set));
	for (const struct selftest_class *c = set->classes; c; c = c->next) {
		buf_c(out, c == set->classes ? "{\"class\":" : ",{\"class\":");
		json_put_string(out, c->name);
		buf_c(out, ",\"title\":");
		json_put_string(out, c->title);
		buf_char(out, ',');
		put_counts(out, c->total, c->by);
		buf_fmt(out, ",\"%s\":[", failed);
		put_rows(out, set->kind, c);
		buf_c(out, "]}");
	}
	buf_c(out, "]}");
}

void selftest_json(struct buf *out, const struct selftest_set *attempts, const struct selftest_set *ordinary,
		const struct policies *p)
{
	buf_c(out, "\"attempts\":");
	put_set(out, attempts);
	buf_c(out, ",\"ordinary\":");
	put_set(out, ordinary);
	json_put_field_or_null(out, "project", p->root);
	json_put_field(out, "policy", p->digest);
}
