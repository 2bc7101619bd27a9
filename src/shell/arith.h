/*
 * Arithmetic as bash does it ((( )), $(( )), let, subscripts, [[ -eq ]]), over texts that may have holes (model/facts.h).
 *
 * The danger: bash evaluates the *values* of variables as expressions again, and a subscript in them is expanded, so a[$(cmd)] in a value
 * runs cmd. So: names are looked up through `get`, their values evaluated again (bounded depth); subscripts are handed to `get`/`set` as
 * raw text, and the callee expands them. Where an unknown text (HOLE_ANY) would be evaluated, or a variable's name is not known,
 * `opaque` is set: anything could run there. HOLE_NUM is an integer that is not known: harmless, the result is unknown.
 * Operators, precedence, bases (0x, 0, base#n), comma, assignment, ++ --, ?:, ** as in bash 5.2; 64 bits, wrapping.
 * A branch whose condition is not known is evaluated for its lookups, and what it assigns becomes unknown (HOLE_NUM).
 * An error in the expression (division by zero, bad syntax) sets `error`; what was looked up before it counts.
 */
#pragma once
#include "base/str.h"

struct arith {
	struct arena *a;
	unsigned *fuel;
	void *ctx;
	/* the variable's value as abstract text; "" when it is unset. sub is NULL, or the text between the brackets */
	struct str (*get)(void *ctx, struct str name, const struct str *sub);
	void (*set)(void *ctx, struct str name, const struct str *sub, struct str value);
	bool opaque, error;
};

struct number {
	bool known;
	int64_t n;
};

struct number arith_eval(struct arith *ar, struct str expr);
