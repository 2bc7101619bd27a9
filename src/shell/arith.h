/*
 * Arithmetic as in bash ((( )), $(( )), let, subscripts, [[ -eq ]]), over texts that may have holes
 * (model/facts.h).
 *
 * The danger: bash evaluates the *values* of variables as expressions again, and expands a subscript in them,
 * so a[$(cmd)] in a value runs cmd. Therefore names are looked up through `get`, and their values evaluated
 * again (bounded depth). `get` and `set` receive subscripts as raw text and expand them.
 *
 * Holes: `opaque` is set if an unknown text (HOLE_ANY) would be evaluated or a variable's name is unknown,
 * because anything could run there. It is also set at a bound (fuel, depth). HOLE_NUM is an unknown integer:
 * harmless, the result is unknown. A HOLE_NUM alone counts as having no leading zero.
 *
 * Operators, precedence, bases (0x, 0, base#n), comma, assignment, ++ --, ?: and ** are as in bash 5.2, with
 * 64 bits that wrap.
 *
 * A branch with an unknown condition is evaluated for its look-ups. Its assignments may or may not happen, so
 * the value passed to `set` covers the old and the new one (HOLE_NUM if both are integers, else HOLE_ANY).
 * The same holds for everything after a place that may end the expression with an error (a division by an
 * unknown number). An error in the expression (division by zero, bad syntax) sets `error`; look-ups before it
 * count.
 */
#pragma once
#include "base/str.h"

struct arith {
	struct arena *a;
	unsigned *fuel;
	void *ctx;
	/*
	 * Returns the variable's value as abstract text, "" if it is unset. sub is NULL, or the text between
	 * the brackets.
	 */
	struct str (*get)(void *ctx, struct str name, const struct str *sub);
	void (*set)(void *ctx, struct str name, const struct str *sub, struct str value);
	bool opaque, error;
	bool may_fail;       /* an error may end the expression (a division by an unknown number) */
	/*
	 * a[i++]+=1 expands its subscript once (unless a is associative). `get` may store the expanded
	 * subscript ("3") here. The `set` of the same operator then receives that text instead of the raw
	 * one, with `again` true. If `get` stores nothing, `set` receives the raw text.
	 */
	struct str resolved;
	bool again;
};

struct number {
	bool known;
	int64_t n;
};

struct number arith_eval(struct arith *ar, struct str expr);
