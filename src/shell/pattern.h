/*
 * Shell patterns on known texts: * ? [..] and the extended forms ?( *( +( @( !( of bash. A backslash in a
 * pattern makes the next byte literal. Pure, bounded: every step takes fuel. -1 means "not known": fuel gone,
 * a hole in the text or pattern, or a form whose result depends on the locale (? and [..] on a character that
 * is not ASCII) or on quirks of bash (a star right before an extended form).
 *
 * The extended forms are always active here, as inside [[ ]]. Elsewhere they are only with `shopt -s
 * extglob`: callers that do not know use pattern_extended() and give up.
 */
#pragma once
#include "base/str.h"

/* 1 the whole text matches, 0 it does not, -1 not known */
int pattern_match(struct str pattern, struct str text, unsigned *fuel);
/* ${x#p} ${x##p} ${x%p} ${x%%p}: 0 and what is left, or -1 */
int pattern_cut(struct str text, struct str pattern, bool from_head, bool longest, unsigned *fuel,
		struct str *ret);
/*
 * ${x/p/r} and friends; where: 0 first match, 1 all, 2 only at the head, 3 only at the tail. The replacement
 * is literal, except that with `ampersand` an unescaped & in it is the matched text (bash's
 * patsub_replacement). 0, or -1 not known.
 */
int pattern_replace(struct arena *a, struct str text, struct str pattern, struct str replacement, int where,
		bool ampersand,
	unsigned *fuel, struct str *ret);
/*
 * true when bytes that are active in a pattern occur unescaped: * ? [ with a ] after it, or an extended form
 */
bool pattern_active(struct str pattern);
/* true when one of ?( *( +( @( !( occurs unescaped: the pattern's meaning depends on extglob */
bool pattern_extended(struct str pattern);
