/* Policies that are kept between requests: see policy_cache.h. */
#include "judge/policy_cache.h"

#include "judge/world.h"
#include "sys/stamp.h"

static bool same_text(const char *x, const char *y) { return x == y || (x && y && !strcmp(x, y)); }

/* The fields that a caller of the cache may set. */
static bool same_request(const struct policies_request *x, const struct policies_request *y)
{
	return same_text(x->config, y->config) && str_eq(x->cwd, y->cwd) && str_eq(x->home, y->home) &&
		str_eq(x->base, y->base) && x->settings == y->settings;
}

static bool same_world(const struct view *x, const struct view *y)
{
	return x->uid == y->uid && str_eq(x->cwd, y->cwd) && str_eq(x->home, y->home) && str_eq(x->project, y->project) &&
		str_eq(x->config_dir, y->config_dir) && str_eq(x->state_dir, y->state_dir);
}

static bool same_texts(const struct texts *x, const struct texts *y)
{
	while (x && y && str_eq(x->text, y->text)) {
		x = x->next;
		y = y->next;
	}
	return !x && !y;
}

static struct texts *around(struct arena *a, const struct view *v)
{
	struct path_memo m;
	struct project_look look;

	if (!v->project.n)
		return NULL;
	path_memo_init(&m, a, v->cwd);
	look = world_look(&m, v);
	return project_enclosing(&look, v->project);
}

static bool still_hold(const struct policy_cache *c, struct arena *a, const struct policies_request *rq,
		       const struct view *now)
{
	if (!c->filled || c->arena.used - c->loaded_bytes > POLICY_CACHE_GROWTH)
		return false;
	if (!same_request(&c->request, rq) || !same_world(&c->view, now) || !same_texts(c->around, around(a, now)))
		return false;
	for (const struct policy_source *s = c->policies.sources; s; s = s->next)
		if (!stamp_holds(&s->stamp, s->path))
			return false;
	return true;
}

struct refill {
	struct policy_cache *c;
	const struct policies_request *rq;
	const struct view *now;
	struct err *e;
};

/* The policies outlive the request, so that nothing of its memory is used. */
static int load_again(void *arg)
{
	struct refill *r = arg;
	struct policy_cache *c = r->c;
	struct arena *a = &c->arena;

	c->request = *r->rq;
	c->request.config = r->rq->config ? str_c(a, str_of(r->rq->config)) : NULL;
	c->request.cwd = str_dup(a, r->rq->cwd);
	c->request.home = str_dup(a, r->rq->home);
	c->request.base = str_dup(a, r->rq->base);
	c->request.known = NULL;
	if (policies_load(a, &c->request, &c->policies, r->e) != 0)
		return 1;
	c->view = *c->policies.view;
	c->policies.view = NULL; /* of this moment: a judgement looks again */
	c->around = around(a, &c->view);
	if (same_world(&c->view, r->now))
		return 0;
	err_set(r->e, ERR_INPUT, 0, "the project changed while its policies were read");
	return 1;
}

int policy_cache_get(struct policy_cache *c, struct arena *a, const struct policies_request *rq, const struct view *now,
		     const struct policies **ret, struct err *e)
{
	struct refill r = {c, rq, now, e};
	int rc;

	if (!still_hold(c, a, rq, now)) {
		policy_cache_free(c);
		arena_init(&c->arena, ARENA_CAP_DEFAULT);
		rc = arena_run(&c->arena, load_again, &r);
		if (rc < 0)
			err_set(e, ERR_LIMIT, 0, "the policy files need too much memory");
		c->filled = rc == 0;
		c->loaded_bytes = c->arena.used;
		if (rc != 0) {
			arena_free(&c->arena);
			return -1;
		}
	}
	*ret = &c->policies;
	return 0;
}

void policy_cache_free(struct policy_cache *c)
{
	if (c->filled)
		arena_free(&c->arena);
	*c = (struct policy_cache){0};
}
