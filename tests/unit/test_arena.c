/* src/base/arena: memory, the way out, cleanups, arenas of arenas, children. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "unit.h"

static void test_arena_memory(void)
{
	struct arena a;
	arena_init(&a, ARENA_CAP_DEFAULT);
	unsigned char *before = NULL;
	for (size_t n = 0; n < 3000; n++) {
		unsigned char *p = arena_alloc(&a, n);
		CHECK((uintptr_t)p % 16 == 0);
		CHECK(p != before);
		for (size_t i = 0; i < n; i++)
			if (p[i]) {
				CHECK(!"memory is zeroed");
				break;
			}
		memset(p, 0xaa, n);
		before = p;
	}
	CHECK(a.used >= 3000u * 2999 / 2 && a.used <= a.cap);
	CHECK_INT(a.allocs, 3000);
	arena_free(&a);
	CHECK_INT(a.used, 0);
}

static void test_arena_grow(void)
{
	struct arena a;
	arena_init(&a, ARENA_CAP_DEFAULT);
	char *p = arena_alloc(&a, 3);
	memcpy(p, "abc", 3);
	char *q = arena_grow(&a, p, 3, 1000);
	CHECK(p == q); /* the last allocation grows in place */
	CHECK(memcmp(q, "abc\0\0\0", 6) == 0);
	arena_alloc(&a, 1);
	char *r = arena_grow(&a, q, 1000, 2000);
	CHECK(r != q);
	CHECK(memcmp(r, "abc\0\0\0", 6) == 0 && r[1999] == 0);
	CHECK(arena_grow(&a, r, 2000, 10) == (void *)r);
	char *big = arena_grow(&a, r, 2000, (size_t)10 << 20); /* past any chunk */
	CHECK(memcmp(big, "abc", 3) == 0 && big[((size_t)10 << 20) - 1] == 0);
	char *fresh = arena_grow(&a, NULL, 0, 50);
	CHECK(fresh && fresh[49] == 0);
	arena_free(&a);
}

struct greedy {
	struct arena *a;
	size_t step;
	int leave; /* a code to leave with, or 0 */
	int inner; /* what a nested run came back with */
	bool nested, reached;
};

static int greedy(void *arg)
{
	struct greedy *g = arg;
	if (g->nested) {
		struct greedy in = {.a = g->a, .step = g->step, .leave = g->leave};
		g->inner = arena_run(g->a, greedy, &in);
		g->reached = true;
		return 7;
	}
	if (g->leave)
		arena_leave(g->a, g->leave);
	for (;;)
		arena_alloc(g->a, g->step);
	return 0;
}

static int overflow(void *arg)
{
	arena_array(((struct greedy *)arg)->a, SIZE_MAX / 8, 16);
	return 0;
}

static int too_large(void *arg)
{
	volatile size_t n = SIZE_MAX - 5; /* volatile: the compiler would see it and refuse */
	arena_alloc(((struct greedy *)arg)->a, n);
	return 0;
}

static int fine(void *arg)
{
	(void)arg;
	return 42;
}

static void test_arena_run(void)
{
	struct arena a;
	arena_init(&a, 1 << 20);
	struct greedy g = {.a = &a, .step = 100};
	CHECK_INT(arena_run(&a, greedy, &g), ARENA_FULL);
	CHECK(a.used <= a.cap && a.used > a.cap - 200);
	CHECK(a.guard == NULL);
	CHECK_INT(arena_run(&a, fine, NULL), 42);
	CHECK_INT(arena_run(&a, overflow, &g), ARENA_FULL);
	CHECK_INT(arena_run(&a, too_large, &g), ARENA_FULL);
	arena_free(&a);

	arena_init(&a, 1 << 20);
	g = (struct greedy){.a = &a, .step = 5000, .leave = -9};
	CHECK_INT(arena_run(&a, greedy, &g), -9);
	g.nested = true;
	CHECK_INT(arena_run(&a, greedy, &g), 7); /* only the innermost run is left */
	CHECK(g.reached);
	CHECK_INT(g.inner, -9);
	g.leave = 0;
	CHECK_INT(arena_run(&a, greedy, &g), 7);
	CHECK_INT(g.inner, ARENA_FULL);
	arena_free(&a);
}

/* Cleanups append their letter to a text. */
struct letters {
	struct arena *a;
	char *text;
	struct arena_cleanup outer;
	void (*work)(struct letters *l);
};

struct letter {
	struct letters *l;
	char c;
};

static void append(void *ptr)
{
	const struct letter *x = ptr;
	size_t n = strlen(x->l->text);

	x->l->text[n] = x->c;
	x->l->text[n + 1] = 0;
}

static void append_and_leave(void *ptr)
{
	append(ptr);
	arena_leave(((struct letter *)ptr)->l->a, -4);
}

static int work(void *arg)
{
	struct letters *l = arg;

	l->work(l);
	return 0;
}

static void leave_two(struct letters *l)
{
	struct letter x = {l, '?'}, y = {l, 'y'};
	struct arena_cleanup cx, cy;

	arena_defer(l->a, &cx, append, &x);
	arena_defer(l->a, &cy, append, &y);
	x.c = 'x'; /* a cleanup sees the variable as it is when the arena is left */
	arena_leave(l->a, -2);
}

static void release_one(struct letters *l)
{
	struct letter x = {l, 'x'}, y = {l, 'y'}, z = {l, 'z'};
	struct arena_cleanup cx, cy, cz, none = {0};

	arena_defer(l->a, &cx, append, &x);
	arena_defer(l->a, &cy, append, &y);
	arena_defer(l->a, &cz, append, &z);
	arena_release(l->a, &cy);
	arena_release(l->a, &cy);
	arena_release(l->a, &none);
	arena_forget(l->a, &cz);
	arena_leave(l->a, -2);
}

/* The thing from outside is given up inside; the cleanups before it stay. */
static void release_outer(struct letters *l)
{
	struct letter x = {l, 'x'};
	struct arena_cleanup cx;

	arena_release(l->a, &l->outer);
	arena_defer(l->a, &cx, append, &x);
	arena_leave(l->a, -2);
}

static void nested(struct letters *l)
{
	struct letter n = {l, 'n'};
	struct arena_cleanup c;
	struct letters inner = {.a = l->a, .text = l->text, .work = leave_two};

	arena_defer(l->a, &c, append, &n);
	CHECK_INT(arena_run(l->a, work, &inner), -2);
	CHECK_STR(str_of(l->text), "yx");
	arena_leave(l->a, -3);
}

static void leave_twice(struct letters *l)
{
	struct letter x = {l, 'x'}, y = {l, 'y'};
	struct arena_cleanup cx, cy;

	arena_defer(l->a, &cx, append, &x);
	arena_defer(l->a, &cy, append_and_leave, &y);
	arena_leave(l->a, -2);
}

static void test_arena_cleanups(void)
{
	static const struct {
		void (*work)(struct letters *l);
		int code;
		const char *now, *freed;
	} rows[] = {
		{leave_two, -2, "yx", "yxba"},     {release_one, -2, "yx", "yxba"},
		{release_outer, -2, "bx", "bxa"},
		{nested, -3, "yxn", "yxnba"},      {leave_twice, -4, "yx", "yxba"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct arena a;
		char text[16] = "";
		struct letters l = {.a = &a, .text = text, .work = rows[i].work};
		struct letter first = {&l, 'a'}, second = {&l, 'b'};
		struct arena_cleanup c;

		arena_init(&a, 1 << 20);
		arena_defer(&a, &c, append, &first);
		arena_defer(&a, &l.outer, append, &second);
		CHECK_INT(arena_run(&a, work, &l), rows[i].code);
		CHECK_STR(str_of(text), rows[i].now);
		CHECK(a.guard == NULL);
		arena_free(&a);
		CHECK_STR(str_of(text), rows[i].freed);
		arena_free(&a);
		CHECK_STR(str_of(text), rows[i].freed);
	}
}

/* An arena of another one: each way to leave the outer frees the inner. */
static void use_inner(struct letters *l)
{
	struct letter x = {l, 'x'};
	struct arena_cleanup c;
	struct arena inner;

	arena_init_in(&inner, 1 << 16, l->a);
	arena_defer(&inner, &c, append, &x);
	arena_alloc(&inner, 100);
	if (l->outer.ptr) /* the inner one has no guard of its own */
		arena_alloc(&inner, 1 << 17);
	arena_leave(l->a, -2);
}

static void test_arena_inner(void)
{
	for (int full = 0; full < 2; full++) {
		struct arena a, b, other = {0};
		char text[16] = "";
		struct letters l = {.a = &a, .text = text, .work = use_inner, .outer.ptr = full ? &l : NULL};

		arena_init(&a, 1 << 20);
		CHECK_INT(arena_run(&a, work, &l), full ? ARENA_FULL : -2);
		CHECK_STR(str_of(text), "x");
		arena_init_in(&b, 1 << 20, &a);
		CHECK(a.cleanups == &b.of_parent);
		arena_free(&b);
		CHECK(a.cleanups == NULL);
		arena_init_in(&b, 1 << 20, &a);
		arena_adopt(&b, &other);
		CHECK(a.cleanups == NULL && other.cleanups == &b.of_parent);
		arena_adopt(&b, &a);
		CHECK(other.cleanups == NULL);
		arena_alloc(&b, 100);
		arena_free(&a);
		CHECK(b.chunks == NULL);
	}
}

/* A child that was forked inside a run leaves its own run only, and runs no cleanup of its parent. */
static void fork_inside(struct letters *l)
{
	struct letter x = {l, 'x'};
	struct arena_cleanup c;
	int status = -1;
	pid_t pid;

	arena_defer(l->a, &c, append, &x);
	pid = fork();
	if (pid == 0) {
		struct letters own = {.a = l->a, .text = l->text, .work = leave_two};
		int code;

		arena_disown(l->a);
		code = arena_run(l->a, work, &own);
		arena_free(l->a);
		_exit(code == -2 && !strcmp(l->text, "yx") ? 0 : 1);
	}
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK_INT(status, 0);
	arena_leave(l->a, -2);
}

static void test_arena_fork(void)
{
	struct arena a;
	char text[16] = "";
	struct letters l = {.a = &a, .text = text, .work = fork_inside};

	arena_init(&a, 1 << 20);
	arena_alloc(&a, 10);
	CHECK_INT(arena_run(&a, work, &l), -2);
	CHECK_STR(str_of(text), "x");
	arena_free(&a);
}

int main(void)
{
	RUN(test_arena_memory);
	RUN(test_arena_grow);
	RUN(test_arena_run);
	RUN(test_arena_cleanups);
	RUN(test_arena_inner);
	RUN(test_arena_fork);
	return unit_end();
}
