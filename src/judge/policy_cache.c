/* Caches policies between requests. See policy_cache.h. */
#include "judge/policy_cache.h"

#include <errno.h>
#include <stdlib.h>

#include "judge/world.h"

static bool same_text(const char *x, const char *y) { return x == y || (x && y && !strcmp(x, y)); }

/* Compares the fields that a caller of the cache may set. */
static bool same_request(const struct policies_request *x, const struct policies_request *y)
{
	return same_text(x->config, y->config) && x->settings == y->settings &&
			str_eq(x->context->cwd, y->context->cwd) &&
			str_eq(x->context->start_dir, y->context->start_dir);
}

static bool same_world(const struct view *x, const struct view *y)
{
	return x->uid == y->uid && str_eq(x->cwd, y->cwd) && str_eq(x->home, y->home) &&
		str_eq(x->project, y->project) && str_eq(x->config_dir, y->config_dir) &&
		str_eq(x->state_dir, y->state_dir);
}

static bool same_texts(const struct texts *x, const struct texts *y)
{
	while (x && y && str_eq(x->text, y->text)) {
		x = x->next;
		y = y->next;
	}
	return !x && !y;
}

static struct texts *roots_around(struct arena *a, const struct view *v)
{
	struct path_memo own, *m = v->memo;
	struct project_look look;

	if (!v->project.n)
		return NULL;
	if (!m) {
		m = &own;
		path_memo_init(m, a, v->cwd);
	}
	look = world_look(m, v);
	return project_enclosing(&look, v->project);
}

/* A missing file is looked for by the memo first, which knows much of the way. */
static bool source_holds(const struct policy_source *p, struct path_memo *m)
{
	struct path_answer at;

	if (m && p->stamp.errnum == ENOENT && !path_look_existing(m, str_of(p->path), &at) &&
			at.kind == PATH_ABSENT)
		return true;
	return stamp_holds(&p->stamp, p->path);
}

static bool still_holds(const struct policy_set *s, struct arena *a, const struct policies_request *rq)
{
	const struct view *now = rq->context->view;

	if (!s || s->arena.used - s->loaded_bytes > POLICY_CACHE_GROWTH)
		return false;
	if (!same_request(&s->request, rq) || !same_world(s->context.view, now) ||
	    !same_texts(s->around, roots_around(a, now)))
		return false;
	for (const struct policy_source *p = s->policies.sources; p; p = p->next)
		if (!source_holds(p, now->memo))
			return false;
	return true;
}

struct refill {
	struct policy_set *set;
	const struct policies_request *rq;
	struct err *e;
};

/* Copies the request: the policies outlive its arena. */
static int load_set(void *arg)
{
	struct refill *r = arg;
	struct policy_set *s = r->set;
	struct arena *a = &s->arena;
	const struct context *at = r->rq->context;

	s->request = *r->rq;
	s->request.keep = true;
	s->request.config = r->rq->config ? str_c(a, str_of(r->rq->config)) : NULL;
	s->context = (struct context){.places = true};
	s->context.cwd = str_dup(a, at->cwd);
	s->context.start_dir = str_dup(a, at->start_dir);
	s->context.home = str_dup(a, at->home);
	s->context.user = str_dup(a, at->user);
	context_open(a, &s->context);
	s->request.context = &s->context;
	if (policies_load(a, &s->request, &s->policies, r->e) != 0)
		return 1;
	s->around = roots_around(a, s->context.view);
	s->loaded_bytes = a->used;
	if (same_world(s->context.view, at->view))
		return 0;
	err_input(r->e, "the project changed while its policies were read");
	return 1;
}

static void drop_set(struct policy_cache *c)
{
	policy_set_release(c->set);
	c->set = NULL;
}

int policy_cache_get(struct policy_cache *c, struct arena *a, const struct policies_request *rq,
		     struct policy_set **ret, struct err *e)
{
	struct refill r = {.rq = rq, .e = e};
	int rc;

	if (!still_holds(c->set, a, rq)) {
		drop_set(c);
		r.set = calloc(1, sizeof(*r.set));
		if (!r.set)
			return err_limit(e, "no memory left for the policies");
		arena_init(&r.set->arena, ARENA_CAP_DEFAULT);
		c->set = policy_set_hold(r.set);
		rc = arena_run(&r.set->arena, load_set, &r);
		if (rc < 0)
			err_limit(e, "the policy files need too much memory");
		if (rc != 0) {
			drop_set(c);
			return -1;
		}
	}
	*ret = c->set;
	return 0;
}

void policy_cache_free(struct policy_cache *c)
{
	drop_set(c);
	stamp_cache_free(&c->stamps);
}

struct policy_set *policy_set_hold(struct policy_set *s)
{
	s->holders++;
	return s;
}

void policy_set_release(struct policy_set *s)
{
	if (!s || --s->holders)
		return;
	arena_free(&s->arena);
	free(s);
}
