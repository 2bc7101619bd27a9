/* Perl, Ruby, PHP and Lua. Inside src/code/script*.c only. */
#pragma once
#include "code/tree.h"

struct script_act {
	const char *name; /* "unlink", "File.read" */
	const char *what; /* a letter for each argument: r w d (D W: and below) . (nothing); a star: the last one again and again; s: for a shell, or a program and its words */
};

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
	const struct script_act *acts; /* functions whose effect is told by their arguments, when these are constant */
	const char *roots;         /* tables of functions: only with a member right after */
};

const struct script_language *script_language(const char *lang);
