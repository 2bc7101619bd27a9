/* Counting rows. metrics.h says what is counted. */
#define _GNU_SOURCE
#include "audit/metrics.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"

#define START 256 /* places of the table at first; a power of two */
#define KEY_MAX 256
#define PEOPLE_COMMAND 160 /* bytes of a command that is told apart */
#define VERSION 1

/* ---- the table ---- */

void tally_init(struct tally *t, struct arena *a)
{
	*t = (struct tally){.a = a, .cap = START};
	t->entries = arena_array(a, START, sizeof *t->entries);
}

static struct tally_entry *find_entry(const struct tally *t, struct str key)
{
	for (size_t at = str_hash(key);; at++) {
		struct tally_entry *e = &t->entries[at & (t->cap - 1)];
		if (!e->key.n || str_eq(e->key, key))
			return e;
	}
}

static void grow_tally(struct tally *t)
{
	struct tally old = *t;
	t->cap *= 2;
	t->entries = arena_array(t->a, t->cap, sizeof *t->entries);
	for (size_t i = 0; i < old.cap; i++)
		if (old.entries[i].key.n)
			*find_entry(t, old.entries[i].key) = old.entries[i];
}

/* The counter of the family's keys. NULL: too many families. */
static size_t *family_of(struct tally *t, struct str key)
{
	size_t end = str_end(key, '|', 0);
	struct str name = str_first(key, end);
	for (size_t i = 0; i < ARRAY_SIZE(t->families); i++) {
		if (!t->families[i].name[0] && name.n < sizeof t->families[i].name)
			memcpy(t->families[i].name, name.p, name.n);
		if (str_is(name, t->families[i].name))
			return &t->families[i].n;
	}
	return NULL;
}

static void add_count(struct tally *t, struct str key, uint64_t n)
{
	struct tally_entry *e = find_entry(t, key);
	if (!e->key.n) {
		size_t *have = family_of(t, key);
		const size_t most = str_starts(key, "day|") ? METRICS_KEYS_MAX / 2 : str_starts(key,
				"denied|") ? METRICS_KEYS_MAX / 4 : METRICS_WORDS_MAX;
		if (!have || *have >= most || t->n >= METRICS_KEYS_MAX) {
			const struct str other = str_starts(key, "decisions|") ?
					STR("decisions|other|other") : str_starts(key, "validations|") ?
					STR("validations|other|other") :
						 str_starts(key, "results|") ? STR("results|other|other") :
								str_fmt(t->a, "%.*s|other",
								STR_ARG(tally_word(key, 0)));
			e = find_entry(t, other);
			t->n += !e->key.n;
			e->key = other;
		} else {
			if (2 * (t->n + 2) > t->cap) {
				grow_tally(t);
				e = find_entry(t, key);
			}
			e->key = str_dup(t->a, key);
			++*have;
			t->n++;
		}
	}
	e->n += n;
}

uint64_t tally_get(const struct tally *t, const char *key) { return find_entry(t, str_of(key))->n; }

struct str tally_word(struct str key, unsigned i)
{
	while (i--)
		str_cut(&key, '|');
	return str_until(key, '|');
}

static int by_key(const void *a, const void *b)
{
	return str_cmp(((const struct tally_entry *)a)->key, ((const struct tally_entry *)b)->key);
}

static int by_number(const void *a, const void *b)
{
	const struct tally_entry *x = a, *y = b;
	return x->n != y->n ? (x->n < y->n ? 1 : -1) : str_cmp(x->key, y->key);
}

static struct tally_entry *sort_entries(const struct tally *t, const char *start, size_t *ret_n,
		int (*order)(const void *, const void *))
{
	struct tally_entry *list = arena_array(t->a, t->n + 1, sizeof *list);
	size_t n = 0;
	for (size_t i = 0; i < t->cap; i++)
		if (t->entries[i].key.n && str_starts(t->entries[i].key, start))
			list[n++] = t->entries[i];
	qsort(list, n, sizeof *list, order);
	*ret_n = n;
	return list;
}

struct tally_entry *tally_family(const struct tally *t, const char *start, size_t *ret_n)
{
	return sort_entries(t, start, ret_n, by_key);
}
struct tally_entry *tally_largest(const struct tally *t, const char *start, size_t *ret_n)
{
	return sort_entries(t, start, ret_n, by_number);
}

/* ---- one row ---- */

static const uint64_t duration_ms[METRICS_BUCKETS] = {5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10000,
		30000, 60000, 600000};
static const uint64_t memory_mb[METRICS_BUCKETS] = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096,
		16384};

const uint64_t *metrics_buckets(enum metrics_histogram h)
{
	return h == METRICS_DURATION_MS ? duration_ms : memory_mb;
}

/* Turns a JSON string into a word: without quotes, escapes and special characters. An empty one is `none`. */
static void put_word(char *to, size_t *n, struct str value)
{
	struct str s = value.n > 2 ? str_sub(value, 1, value.n - 1) : STR("none");
	if (s.n > METRICS_WORD_MAX)
		s.n = METRICS_WORD_MAX;
	to[(*n)++] = '|';
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];
		bool plain = ascii_is_alnum(c) || c == '.' || c == '_' || c == ':' || c == '-';
		to[(*n)++] = plain ? c : '_';
	}
}

static void count_event(struct tally *t, const char *family_name, struct str one, struct str two)
{
	char key[KEY_MAX];
	size_t n = strlen(family_name);
	memcpy(key, family_name, n);
	if (one.p)
		put_word(key, &n, one);
	if (two.p)
		put_word(key, &n, two);
	add_count(t, str_n(key, n), 1);
}

static const struct str nothing = {NULL, 0};

static void add_to_histogram(struct tally *t, const char *name, const uint64_t *bounds, int64_t value)
{
	char key[KEY_MAX];
	unsigned i = 0;
	if (value < 0)
		return;
	while (i < METRICS_BUCKETS && (uint64_t)value > bounds[i])
		i++;
	add_count(t, str_n(key, (size_t)snprintf(key, sizeof key, "%s|%u", name, i)), 1);
	add_count(t, str_n(key, (size_t)snprintf(key, sizeof key, "%s|sum", name)), (uint64_t)value);
}

static void count_end(struct tally *t, const struct audit_line *l)
{
	struct str v = audit_field(l, "validation");
	int64_t n;
	count_event(t, "runs", audit_field(l, "status"), nothing);
	if (audit_number(audit_field(l, "duration_ms"), &n))
		add_to_histogram(t, "duration", duration_ms, n);
	if (audit_number(audit_field(l, "peak_memory_mb"), &n))
		add_to_histogram(t, "memory", memory_mb, n);
	if (audit_number(audit_field(l, "cpu_ms"), &n) && n > 0)
		add_count(t, STR("cpu|sum"), (uint64_t)n);
	if (v.n) {
		struct str task = audit_inner(v, "task");
		task = task.n ? task : STR("\"\"");
		count_event(t, "validations", task, audit_inner(v, "outcome"));
		count_event(t, "results", task, audit_inner(v, "result"));
	}
}

static void count_judged(struct tally *t, const struct audit_line *l, struct str verdict)
{
	struct str list = audit_field(l, "reasons"), item, first = STR("\"\"");
	for (bool any = false; audit_item(&list, &item); any = true) {
		count_event(t, "reasons", item, nothing);
		if (!any)
			first = item;
	}
	count_event(t, "decisions", verdict, first);
}

/* Statistics for people: by day, by agent, and which commands were denied or asked about. */
static void count_for_people(struct tally *t, const struct audit_line *l, struct str verdict)
{
	struct str agent = audit_field(l, "agent_id"), command = audit_field(l, "command");
	char key[KEY_MAX];
	struct str word = verdict.n > 2 ? str_sub(verdict, 1, verdict.n - 1) : STR("run");
	word.n = word.n < 16 ? word.n : 16;
	add_count(t, str_n(key, (size_t)snprintf(key, sizeof key, "day|%.10s|%.*s", l->ts.p, STR_ARG(word))),
		1);
	if (l->kind == AUDIT_END)
		return;
	count_event(t, "agent", agent.n > 2 ? agent : STR("\"\""), nothing);
	if (!str_is_any(word, "deny ask"))
		return;
	size_t n = (size_t)snprintf(key, sizeof key, "denied|%.*s|", STR_ARG(word));
	command = audit_text(t->a, command);
	command.n = command.n < PEOPLE_COMMAND ? command.n : PEOPLE_COMMAND;
	memcpy(key + n, command.p, command.n);
	add_count(t, str_n(key, n + command.n), 1);
}

static void count_row(struct tally *t, const struct audit_line *l)
{
	struct str verdict = audit_field(l, "verdict"),
			kind = str_of(audit_kind_name(l->kind) ? audit_kind_name(l->kind) : "other"),
			client = audit_field(l, "client");
	const bool asked = l->kind == AUDIT_VERDICT || l->kind == AUDIT_BEGIN, judged = asked &&
			verdict.n > 2;
	char key[KEY_MAX];
	add_count(t, str_n(key, (size_t)snprintf(key, sizeof key, "rows|%.*s", STR_ARG(kind))), 1);
	/* a command judged by a client's hook already has a row when it begins */
	if (asked && (judged || l->kind == AUDIT_VERDICT || !client.n))
		count_event(t, "requests", client.n ? client : STR("\"\""), nothing);
	if (judged)
		count_judged(t, l, verdict);
	if (l->kind == AUDIT_BEGIN)
		add_count(t, STR("started"), 1);
	if (l->kind == AUDIT_END)
		count_end(t, l);
	if (t->days && (judged || l->kind == AUDIT_END))
		count_for_people(t, l, judged ? verdict : STR(""));
	t->seq = l->seq;
	memcpy(t->hash, l->hash.p, AUDIT_HASH);
	t->last = l->time;
	t->first = t->first ? t->first : l->time;
}

int metrics_rows(struct tally *t, const struct audit *au, const struct audit_filter *f, struct err *e)
{
	struct audit_line *l = arena_new(t->a, struct audit_line);
	struct audit_reader *r;
	int got;
	if (audit_reader_new(t->a, au, f, AUDIT_OLDEST_FIRST, &r, e) < 0)
		return -1;
	while ((got = audit_next(r, l, e)) > 0)
		if (l->seq > t->seq)
			count_row(t, l);
	audit_reader_close(r);
	return got;
}

/* ---- what was counted before ---- */

void metrics_state(struct buf *b, const struct tally *t)
{
	size_t n;
	struct tally_entry *all = tally_family(t, "", &n);
	buf_fmt(b, "{\"v\":%d,\"seq\":%" PRIu64 ",\"hash\":\"%.64s\",\"first\":%" PRId64 ",\"last\":%" PRId64
			",\"counts\":{", VERSION, t->seq, t->seq ? t->hash : AUDIT_ZERO, t->first, t->last);
	for (size_t i = 0; i < n; i++) /* keys have nothing that JSON would escape */
		buf_fmt(b, "%s\"%.*s\":%" PRIu64, i ? "," : "", STR_ARG(all[i].key), all[i].n);
	buf_c(b, "}}\n");
}

static bool read_state(struct tally *t, struct str state)
{
	struct json *v;
	if (!state.n || json_read(t->a, state, &v, NULL) < 0)
		return false;
	const struct str hash = json_text_at(v, "hash");
	bool ok = json_int_at(v, "v") == VERSION && hash.n == AUDIT_HASH && json_int_at(v, "seq") >= 0;
	if (ok) {
		t->seq = (uint64_t)json_int_at(v, "seq");
		memcpy(t->hash, hash.p, AUDIT_HASH);
		t->first = json_int_at(v, "first");
		t->last = json_int_at(v, "last");
	}
	for (const struct json *n = json_members(json_key(v, "counts")); n && ok; n = n->next)
		if (n->key.n && json_int(n, 0) >= 0)
			add_count(t, n->key, (uint64_t)json_int(n, 0));
	return ok;
}

/* True if the record still holds the row that was counted last. A record that starts later has dropped it. */
static int goes_on(const struct tally *t, const struct audit *au, bool *ret, struct err *e)
{
	struct audit_line *l = arena_new(t->a, struct audit_line);
	struct audit_filter f = {.since = t->last};
	struct audit_reader *r;
	int got;
	if (audit_reader_new(t->a, au, &f, AUDIT_OLDEST_FIRST, &r, e) < 0)
		return -1;
	while ((got = audit_next(r, l, e)) > 0 && l->seq < t->seq)
		continue;
	audit_reader_close(r);
	*ret = got > 0 && (l->seq > t->seq || !memcmp(l->hash.p, t->hash, AUDIT_HASH));
	return got < 0 ? -1 : 0;
}

int metrics_update(struct tally *t, const struct audit *au, struct str state, bool *ret_anew, struct err *e)
{
	bool same = false;
	if (read_state(t, state) && t->seq && goes_on(t, au, &same, e) < 0)
		return -1;
	if (!same)
		tally_init(t, t->a);
	*ret_anew = !same;
	return metrics_rows(t, au, &(struct audit_filter){.since = same ? t->last : 0}, e);
}
