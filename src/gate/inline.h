/* Between inline.c and the scanners of small languages. Inside src/gate only. */
#pragma once
#include "gate/judge.h"

struct script_language {
	const char *name;
	bool perl, sigil, marks;   /* Perl; variables have a $; Ruby, whose names may end with ? or ! */
	bool hash_brace;           /* #{...} in text */
	bool hash_comment, slash_comment, dash_comment;
	bool dot_member;           /* a.b */
	const char *words;         /* of the syntax, and functions without effect */
	const char *before;        /* of these: after them an operand comes, so / starts a pattern */
	const char *members;       /* methods without effect */
	const char *never;         /* refused wherever they stand */
	const char *defines;
	const char *import, *libraries;
	const char *roots;         /* tables of functions: only with a member right after */
};

bool inline_script_harmless(const struct script_language *l, struct str s);
const struct script_language *inline_script(const char *lang);
