/* Torture: every allocation fails once. */
#include "torture.h"

#include <stdbool.h>

struct call {
	int (*fn)(struct arena *a, void *ctx);
	struct arena *a;
	void *ctx;
};

static int call(void *arg)
{
	struct call *c = arg;
	return c->fn(c->a, c->ctx);
}

/* One run; *ret_failed says whether the planned failure was reached. */
static int run(const struct call *what, bool guarded, size_t fail_at, bool *ret_failed)
{
	struct arena a;
	arena_init(&a, ARENA_CAP_DEFAULT);
	a.fail_at = fail_at;
	struct call c = *what;
	c.a = &a;
	int code = guarded ? arena_run(&a, call, &c) : call(&c);
	*ret_failed = fail_at != 0 && a.allocs >= fail_at;
	arena_free(&a);
	return code;
}

static int all(const struct call *what, bool guarded, size_t max, struct torture *ret)
{
	*ret = (struct torture){0};
	for (size_t n = 1;; n += n < max ? 1 : 1 + n / 8) {
		bool failed;
		int code = run(what, guarded, n, &failed);
		if (!failed) {
			ret->result = code;
			return code >= 0 && !ret->bad ? 0 : -1;
		}
		ret->runs++;
		if ((guarded ? code != ARENA_FULL : code >= 0) && !ret->bad) {
			ret->bad = code ? code : 1;
			ret->bad_at = n;
			return -1;
		}
	}
}

int torture(int (*fn)(struct arena *a, void *ctx), void *ctx, size_t max, struct torture *ret)
{
	return all(&(struct call){.fn = fn, .ctx = ctx}, true, max, ret);
}

int torture_fallible(int (*fn)(struct arena *a, void *ctx), void *ctx, size_t max, struct torture *ret)
{
	return all(&(struct call){.fn = fn, .ctx = ctx}, false, max, ret);
}
