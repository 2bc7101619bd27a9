/*
 * libFuzzer: the pure text functions: patterns, escapes, arithmetic. The first byte chooses, the next splits
 * the rest in two. Holds: no crash, an end, and what the functions promise of their results.
 */
#include <stdlib.h>

#include "shell/arith.h"
#include "shell/escape.h"
#include "shell/pattern.h"

#define TEXT_MAX 2048
#define FUEL 200000u

struct input {
	struct arena *a;
	unsigned which;
	struct str x, y;
};

static void pattern(struct input *in)
{
	unsigned fuel = FUEL;
	int whole = pattern_match(in->x, in->y, &fuel);
	struct str left;

	if (whole < -1 || whole > 1)
		abort();
	fuel = FUEL;
	/* what is cut from one end leaves the other end */
	if (pattern_cut(in->y, in->x, true, in->which & 8, &fuel, &left) == 0 &&
	    (left.n > in->y.n || memcmp(left.p, in->y.p + in->y.n - left.n, left.n)))
		abort();
	fuel = FUEL;
	if (pattern_cut(in->y, in->x, false, in->which & 8, &fuel, &left) == 0 &&
			(left.n > in->y.n || (left.n && memcmp(left.p, in->y.p, left.n))))
		abort();
	fuel = FUEL;
	/* a text that matches as a whole is cut to nothing by the longest match */
	if (whole == 1 && pattern_cut(in->y, in->x, true, true, &fuel, &left) == 0 && left.n)
		abort();
	fuel = FUEL;
	(void)pattern_replace(in->a, in->y, in->x, STR("<&>"), (int)(in->which >> 4 & 3), in->which & 8,
			&fuel, &left);
}

static void escapes(struct input *in)
{
	bool stop;

	for (int style = ESCAPE_ANSI_C; style <= ESCAPE_DASH_FORMAT; style++)
		(void)escape_decode(in->a, in->x, (enum escape_style)style, &stop);
}

static struct str get(void *ctx, struct str name, const struct str *sub)
{
	struct input *in = ctx;

	(void)sub;
	return name.n == 1 ? in->y : STR("");
}

static void set(void *ctx, struct str name, const struct str *sub, struct str value)
{
	(void)ctx, (void)name, (void)sub, (void)value;
}

static int run(void *arg)
{
	struct input *in = arg;
	unsigned fuel = FUEL;
	struct arith ar = {.a = in->a, .fuel = &fuel, .ctx = in, .get = get, .set = set};

	switch (in->which & 3) {
	case 0: pattern(in); break;
	case 1: escapes(in); break;
	default: (void)arith_eval(&ar, in->x);
	}
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena a;
	struct input in;
	size_t cut;

	if (size < 2 || size > TEXT_MAX)
		return 0;
	cut = data[1] * (size - 2) / 255;
	arena_init(&a, (size_t)256 << 20);
	in = (struct input){&a, data[0], str_n((const char *)data + 2, cut),
			str_n((const char *)data + 2 + cut, size - 2 - cut)};
	(void)arena_run(&a, run, &in);
	arena_free(&a);
	return 0;
}
