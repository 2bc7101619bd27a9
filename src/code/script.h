/* Perl, Ruby, PHP and Lua. Inside src/code/script*.c only. */
#pragma once
#include "code/tree.h"

struct script_act {
	char name[20]; /* "unlink", "File.read"; empty: the list ends */
	char what[4];  /* a letter for each argument: r w d (D W: and below) . (nothing); a star: the last one again and again; s: for a shell, or a program and its words */
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

#define LOCALS_MAX 64
#define NEST_MAX 16 /* interpolations inside interpolations */

struct script {
	struct walk *w;
	const struct script_language *l;
	struct str s;
	size_t i;
	bool operand;   /* the last token ends an operand: / divides, ? asks */
	bool bare;      /* it is a bare name that may take arguments, or a closing brace: what / starts is not certain */
	bool arrow;     /* . or -> or :: stands before: a member follows */
	unsigned nest;
	struct str locals[LOCALS_MAX];
	size_t nlocals;
	bool runs;      /* programs are started */
};

static inline bool script_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
static inline bool script_digit(char c) { return (c >= '0' && c <= '9') || c == HOLE_NUM; }
static inline bool script_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
static inline char script_at(const struct script *x, size_t k) { return x->i + k < x->s.n ? x->s.p[x->i + k] : '\0'; }

const struct script_language *script_language(const char *lang);
/* Is it one of the words of this list, which blanks separate? */
bool script_listed(struct str w, const char *list);
char script_closing(char c); /* what ends a text that starts with this */
size_t script_blanks(const struct script *x, size_t i); /* the place after them */

/* ---- script_act.c: functions with an effect ---- */
void script_here(struct script *x, size_t from); /* findings are from there to where the scanner is */
/* `...`, qx{...}, %x(...): for a shell. At the place after the opening one. */
bool script_shell_text(struct script *x, char open, size_t from);
bool script_backquote(struct script *x);
/* system(...), File.read(...): 1: passed, 0: none of these, -1: not constant. `w` was passed. */
int script_effect(struct script *x, struct str w, size_t from);
