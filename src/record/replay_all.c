/*
 * Judges many requests with other policies, and counts the differences. One pass over the rows; equal
 * requests with the same view and policies have the same answer, so each is judged once.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sodium.h>
#include <stdlib.h>

#include "gate/gate.h"
#include "record/replay.h"
#include "sys/file.h"

#define REDACTED_MARK "[redacted:"
#define KEY_BYTES 16
#define MEMO_START 4096              /* a power of two */
#define MEMO_MAX ((size_t)4 << 20)
#define SCRATCH_CAP ((size_t)256 << 20)
#define REASONS_TEXT_MAX 512

static int verdict_named(struct str name, enum verdict *ret)
{
	for (enum verdict v = VERDICT_DENY; v <= VERDICT_ALLOW; v++)
		if (str_is(name, verdict_name(v))) {
			*ret = v;
			return 0;
		}
	return -1;
}

/* ---- policies ---- */

struct trial_policy {
	struct str digest;
	struct policies policies;
	bool bad;
};

int trial_open(struct arena *a, const struct blobs *blobs, const char *config, struct trial *ret,
		struct err *e)
{
	struct policies now;
	struct policy_file **end = &ret->owner;

	*ret = (struct trial){.a = a, .blobs = blobs};
	/* loading it as if in force reports errors by line */
	if (policies_load(a, &(struct policies_request){.config = config, .alone = config != NULL}, &now,
			e) < 0)
		return -1;
	for (const struct policy_file *f = now.files; f; f = f->next)
		if (f->who == WHO_OWNER && !f->err) {
			*end = arena_new(a, struct policy_file);
			**end = *f;
			(*end)->next = NULL;
			end = &(*end)->next;
		}
	ret->policies = arena_array(a, TRIAL_POLICIES_MAX, sizeof(*ret->policies));
	return 0;
}

void trial_forget(struct trial *t)
{
	t->npolicies = 0;
}

static struct policy_file **copy_files(struct arena *a, const struct policy_file *from, bool owner,
		bool system, struct policy_file **end)
{
	for (; from; from = from->next) {
		if (!owner && (from->who == WHO_OWNER || (from->who == WHO_SYSTEM) != system))
			continue;
		*end = arena_new(a, struct policy_file);
		**end = *from;
		(*end)->next = NULL;
		end = &(*end)->next;
	}
	return end;
}

/* System, user, project: the order of merging. */
static int mix_policies(struct trial *t, const struct policies *old, struct policies *ret, struct err *e)
{
	struct policy_file *files = NULL, **end = &files;

	end = copy_files(t->a, old->files, false, true, end);
	end = copy_files(t->a, t->owner, true, false, end);
	end = copy_files(t->a, t->extra, true, false, end);
	copy_files(t->a, old->files, false, false, end);
	return policies_of_files(t->a, files, old->root, ret, e);
}

int trial_policies(struct trial *t, struct str digest, const struct policies **ret, struct err *e)
{
	struct trial_policy *p = t->policies, *end = p + t->npolicies;
	struct policies old;

	while (p < end && !str_eq(p->digest, digest))
		p++;
	if (!t->blobs)
		return err_input(e, "the record has no blobs");
	if (p == end) {
		if (t->npolicies == TRIAL_POLICIES_MAX)
			return err_limit(e,
					"there are more than %d different policies in the record",
					TRIAL_POLICIES_MAX);
		*p = (struct trial_policy){.digest = str_dup(t->a, digest)};
		p->bad = record_policies(t->a, t->blobs, p->digest, &old, e) < 0 ||
				mix_policies(t, &old, &p->policies, e) < 0;
		t->npolicies++;
		if (p->bad)
			return -1;
	}
	if (p->bad)
		return err_input(e, "the policy is not in the record any more");
	*ret = &p->policies;
	return 0;
}

/* ---- cache of judgements ---- */

struct replay_memo {
	unsigned char key[KEY_BYTES];
	void *tag;
	bool used, unseen;
	unsigned char to;
};

struct pass {
	struct arena *a;
	struct trial *t;
	struct replay_memo *memos;
	size_t nmemos, cap;
	const struct replay_visitor *v;
	struct replay_counts *counts;
	struct buf scratch_text;
};

static struct replay_memo *find_memo(struct pass *p, const unsigned char *key)
{
	uint64_t at;

	memcpy(&at, key, sizeof(at));
	for (;; at++) {
		struct replay_memo *m = &p->memos[at & (p->cap - 1)];

		if (!m->used || !memcmp(m->key, key, KEY_BYTES))
			return m;
	}
}

static void grow_memos(struct pass *p)
{
	struct pass old = *p;

	p->cap = old.cap ? 2 * old.cap : MEMO_START;
	p->memos = arena_array(p->a, p->cap, sizeof(*p->memos));
	for (size_t i = 0; i < old.cap; i++)
		if (old.memos[i].used)
			*find_memo(p, old.memos[i].key) = old.memos[i];
}

static void hash_part(crypto_generichash_state *h, struct str s)
{
	uint64_t n = s.n;

	crypto_generichash_update(h, (const unsigned char *)&n, sizeof(n));
	crypto_generichash_update(h, (const unsigned char *)s.p, s.n);
}

static struct replay_memo *memo_of(struct pass *p, const struct replay *r)
{
	crypto_generichash_state h;
	unsigned char key[KEY_BYTES];

	crypto_generichash_init(&h, NULL, 0, KEY_BYTES);
	hash_part(&h, r->said);
	hash_part(&h, r->command);
	hash_part(&h, r->view);
	hash_part(&h, r->answers);
	hash_part(&h, r->policy);
	crypto_generichash_final(&h, key, KEY_BYTES);
	if (2 * (p->nmemos + 1) > p->cap && p->cap < MEMO_MAX)
		grow_memos(p);
	struct replay_memo *m = find_memo(p, key);
	if (!m->used && p->nmemos + 1 < p->cap)
		memcpy(m->key, key, KEY_BYTES);
	return m;
}

/* ---- one row ---- */

struct replay_one {
	struct pass *p;
	struct arena *scratch;
	const struct replay *r;
	enum verdict from;
	struct replay_memo *m;
	const struct audit_line *row;
	struct err e;
	int rc;
};

static int judge_one(void *arg)
{
	struct replay_one *o = arg;
	const struct policies *policies;
	struct derived *d = arena_new(o->scratch, struct derived);

	o->rc = -1;
	if (trial_policies(o->p->t, o->r->policy, &policies, &o->e) < 0 ||
			replay_under(o->scratch, o->p->t->blobs, o->r, policies, d, &o->e) < 0)
		return 0;
	o->rc = 0;
	o->m->to = (unsigned char)d->judgement.verdict;
	o->m->unseen = replay_unseen(o->row, &d->judgement);
	if (!o->m->unseen)
		o->m->tag = o->p->v->judged(o->p->v->ctx, o->r, o->from, d);
	if (o->p->nmemos + 1 < o->p->cap) {
		o->m->used = true;
		o->p->nmemos++;
	}
	return 0;
}

static int replay_row(struct pass *p, const struct audit_line *l)
{
	struct replay_counts *all = p->counts;
	struct arena scratch;
	struct str said = audit_field(l, "verdict");
	struct str cwd = audit_field(l, "cwd");
	struct replay r = {.id = l->id, .cwd = cwd.n > 1 ? str_sub(cwd, 1, cwd.n - 1) : STR(""),
			.policy = str_sub(audit_field(l, "policy"), 1, BLOB_DIGEST + 1),
			.view = str_sub(audit_field(l, "view"), 1, BLOB_DIGEST + 1),
		.answers = audit_field(l, "answers")};
	enum verdict from;
	struct replay_memo spare = {0};

	if (said.n < 2 || verdict_named(r.said = str_sub(said, 1, said.n - 1), &from) < 0)
		return 0;
	all->rows++;
	r.command = audit_text_buf(&p->scratch_text, audit_field(l, "command"));
	if (str_contains(r.command, STR(REDACTED_MARK)) || str_contains(cwd, STR(REDACTED_MARK))) {
		all->redacted++;
		return 0;
	}
	if (!blob_is_digest(r.policy) || !blob_is_digest(r.view) || replay_cut(l)) {
		all->missing++;
		return 0;
	}
	struct replay_one o =
		{.p = p, .r = &r, .from = from, .m = memo_of(p, &r), .row = l, .scratch = &scratch};
	if (!o.m->used) {
		if (p->nmemos + 1 >= p->cap)
			o.m = &spare;
		arena_init_in(&scratch, SCRATCH_CAP, p->a);
		if (arena_run(&scratch, judge_one, &o) < 0)
			o.rc = -1;
		arena_free(&scratch);
		if (o.rc < 0) {
			bool gone = o.e.kind == ERR_INPUT || (o.e.kind == ERR_SYSTEM && o.e.errnum == ENOENT);

			*(gone ? &all->missing : &all->failed) += 1;
			return 0;
		}
	}
	if (o.m->unseen) {
		all->unseen++;
		return 0;
	}
	all->judged++;
	p->v->row(p->v->ctx, o.m->tag, from, (enum verdict)o.m->to);
	return 0;
}

int replay_each(struct arena *a, const struct audit *au, struct trial *t, const struct audit_filter *f,
		const struct replay_visitor *v, struct replay_counts *ret, struct err *e)
{
	struct audit_filter own = *f;
	struct replay_counts counts = {0};
	struct pass p = {.a = a, .t = t, .v = v, .counts = &counts};
	struct audit_line *l = arena_new(a, struct audit_line);
	struct audit_reader *r;
	int got;

	own.kinds = 1u << AUDIT_VERDICT | 1u << AUDIT_BEGIN;
	buf_init(&p.scratch_text, a, AUDIT_ROW_MAX);
	grow_memos(&p);
	if (audit_reader_new(a, au, &own, AUDIT_NEWEST_FIRST, &r, e) < 0)
		return -1;
	while ((got = audit_next(r, l, e)) > 0)
		replay_row(&p, l);
	audit_reader_close(r);
	if (got < 0)
		return -1;
	*ret = counts;
	return 0;
}

/* ---- changes ---- */

struct changes {
	struct arena *a;
	struct replay_all *all;
};

static struct str reasons_text(struct arena *a, const struct judgement *j)
{
	struct buf b;

	buf_init(&b, a, 4 * REASONS_TEXT_MAX);
	for (const struct reason *r = j->reasons; r && b.n < REASONS_TEXT_MAX; r = r->next)
		buf_fmt(&b, "%s%s", b.n ? "," : "", check_name(r->id));
	return buf_view(&b);
}

/* Commands are distinguished by their text and both verdicts. */
static void *note_change(void *ctx, const struct replay *r, enum verdict from, const struct derived *d)
{
	struct changes *w = ctx;
	struct replay_all *all = w->all;

	if (d->judgement.verdict == from)
		return NULL;
	for (size_t i = 0; i < all->nchanges; i++) {
		struct replay_change *c = &all->changes[i];

		if (c->from == from && c->to == d->judgement.verdict && str_eq(c->command, r->command))
			return c;
	}
	if (all->nchanges == REPLAY_CHANGES_MAX) {
		all->more = true;
		return NULL;
	}
	struct replay_change *c = &all->changes[all->nchanges++];
	*c = (struct replay_change){.command = str_dup(w->a, r->command), .cwd = str_dup(w->a, r->cwd),
			.id = str_dup(w->a, r->id), .from = from, .to = d->judgement.verdict,
		.reasons = reasons_text(w->a, &d->judgement)};
	return c;
}

static void count_change(void *ctx, void *tag, enum verdict from, enum verdict to)
{
	struct changes *w = ctx;
	struct replay_change *c = tag;

	w->all->matrix[from][to]++;
	if (c)
		c->n++;
}

static int most_first(const void *x, const void *y)
{
	const struct replay_change *a = x, *b = y;

	if (a->n != b->n)
		return a->n < b->n ? 1 : -1;
	return str_cmp(a->command, b->command);
}

int replay_all(struct arena *a, const struct audit *au, struct trial *t, const struct audit_filter *f,
		struct replay_all *ret, struct err *e)
{
	struct replay_all all = {.changes = arena_array(a, REPLAY_CHANGES_MAX, sizeof(*all.changes))};
	struct changes w = {a, &all};

	if (replay_each(a, au, t, f, &(struct replay_visitor){&w, note_change, count_change}, &all.counts,
			e) < 0)
		return -1;
	qsort(all.changes, all.nchanges, sizeof(*all.changes), most_first);
	*ret = all;
	return 0;
}
