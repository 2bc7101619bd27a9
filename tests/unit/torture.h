/*
 * Torture: runs a function again and again, each time in a fresh arena in which the n-th allocation fails,
 * for n = 1, 2, ... until it gets through. A function that owns nothing but arena memory must be left by
 * ARENA_FULL each time and never crash.
 */
#pragma once
#include "base/arena.h"

struct torture {
	size_t runs;       /* times the function was left, that is: its number of allocations */
	int result;        /* what it returned when it got through */
	int bad;           /* a value other than ARENA_FULL that a failing run came back with; 0 = none */
	size_t bad_at;
};

/*
 * fn(a, ctx) returns >= 0. At most `max` allocations are tried one by one; when there are more, the rest is
 * tried in growing strides, so that functions with many allocations stay affordable. 0 when every failing run
 * was left by ARENA_FULL and the last one got through, else -1.
 */
int torture(int (*fn)(struct arena *a, void *ctx), void *ctx, size_t max, struct torture *ret);
/*
 * The same for functions that run arena_run() themselves and so return -1 when the arena is full: fn is
 * called directly and must return < 0 in each failing run.
 */
int torture_fallible(int (*fn)(struct arena *a, void *ctx), void *ctx, size_t max, struct torture *ret);
