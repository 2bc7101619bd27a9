/*
 * Shell patterns on known texts: * ? [..] and the extended forms ?( *( +( @( !( of bash. A backslash in a
 * pattern makes the next byte literal. Pure and bounded: every step uses fuel.
 *
 * -1 means "unknown":
 * - no fuel left,
 * - a hole in the text or pattern,
 * - a form whose result depends on the locale (? and [..] on a character that is not ASCII),
 * - a form whose result depends on quirks of bash (a star right before an extended form).
 *
 * The extended forms are always active here, as inside [[ ]]. Elsewhere they need `shopt -s extglob`: callers
 * that do not know if it is on check pattern_extended() and give up.
 */
#pragma once
#include "base/str.h"

/* 1 if the whole text matches, 0 if it does not, -1 if unknown. */
int pattern_match(struct str pattern, struct str text, unsigned *fuel);
/* ${x#p} ${x##p} ${x%p} ${x%%p}: 0 and the remaining text in *ret, or -1. */
int pattern_cut(struct str text, struct str pattern, bool from_head, bool longest, unsigned *fuel,
		struct str *ret);
/*
 * ${x/p/r} and related forms. where: 0 first match, 1 all, 2 only at the head, 3 only at the tail. The
 * replacement is literal, except that with `ampersand` an unescaped & in it is the matched text (bash's
 * patsub_replacement). 0, or -1 if unknown.
 */
int pattern_replace(struct arena *a, struct str text, struct str pattern, struct str replacement, int where,
		bool ampersand, unsigned *fuel, struct str *ret);
/* True if the pattern has an unescaped * or ?, a [ with a ] after it, or an extended form. */
bool pattern_active(struct str pattern);
/* 1 if the character is in the class of this name ("alpha"), 0 if not, -1 if POSIX has no such class. */
int pattern_class(struct str name, unsigned char c);
/* True if ?( *( +( @( or !( occurs unescaped: the pattern's meaning depends on extglob. */
bool pattern_extended(struct str pattern);
