/* Perl, Ruby, PHP and Lua. Inside src/code/script*.c only. */
#pragma once
#include "code/tree.h"

struct script_act {
	char name[20]; /* "unlink", "File.read"; empty: the list ends */
	/*
	 * a letter for each argument: r w d (D W: and below) . (nothing); a star: the last one again and
	 * again; s: for a shell, or a program and its words
	 */
	char what[4];
};

struct script_language {
	enum lang lang;
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
	/* functions whose effect is told by their arguments, when these are constant */
	const struct script_act *acts;
	const char *roots;         /* tables of functions: only with a member right after */
};

#define LOCALS_MAX 64
#define NEST_MAX 16 /* interpolations inside interpolations */
#define BRACKETS_MAX 64 /* brackets inside brackets: after that everything counts as a reference */

struct script {
	struct code_walk *w;
	const struct script_language *l;
	struct str s;
	size_t i;
	bool operand;   /* the last token ends an operand: / divides, ? asks */
	/* it is a bare name that may take arguments, or a closing brace: what / starts is not certain */
	bool bare;
	bool word;      /* it is a name */
	/* it is a variable right behind a name: perhaps a file handle */
	enum { PERL_HANDLE_NONE, PERL_HANDLE_PERHAPS, PERL_HANDLE_ODD } handle;
	bool arrow;     /* . or -> or :: stands before: a member follows */
	unsigned nest;
	struct str locals[LOCALS_MAX];
	size_t nlocals;
	bool runs;      /* programs are started */
	bool names;     /* `sub` stands before: a name that the text defines follows */
	/* Perl: may a reference be a text, the name of a variable, and is it written through? */
	unsigned brackets;              /* that are open */
	bool reference[BRACKETS_MAX];   /* the term before, inside of that many, goes through one */
	bool listed[BRACKETS_MAX];      /* ... or some term since the bracket */
	bool mutates;                   /* push, ++ ...: what follows is changed */
	bool written;                   /* something is, through a reference */
	/* $_ is the last term; it is changed; it may go through one */
	bool topic, topic_written, topic_reference;
	bool strict, lax;               /* use strict; no strict */
	bool library, reads_argv;       /* functions of others are there; <> opens what @ARGV names */
};

static inline bool script_letter(char c) { return ascii_is_name_start(c); }
static inline bool script_digit(char c) { return ascii_is_digit(c) || c == HOLE_NUM; }
static inline bool script_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
static inline char script_at(const struct script *x, size_t k)
{
	return x->i + k < x->s.n ? x->s.p[x->i + k] : '\0';
}

const struct script_language *script_language(enum lang lang);
/* Is it one of the words of this list, which blanks separate? */
bool script_listed(struct str w, const char *list);
char script_closing(char c); /* what ends a text that starts with this */
size_t script_blanks(const struct script *x, size_t i); /* the place after them */

/* Code inside text, to its closing bracket, which is passed. False: not harmless, or not understood. */
bool script_inner(struct script *x, char end);

/* ---- script_perl.c: texts of Perl ---- */
enum perl_live { PERL_DEAD, PERL_STRING, PERL_PATTERN };
/*
 * Passes text that `open` starts, from after it to behind its end; variables and code in it are looked into.
 */
bool perl_text(struct script *x, char open, enum perl_live live);
/* q qq qw m qr qx s tr y, at the place after the word. 1: passed, 0: none of them, -1: not understood. */
int perl_word(struct script *x, struct str word, size_t from);
bool perl_variable(struct script *x);           /* $x, @{..}: at the sigil */
/* may what stands here be a term, after a variable that is a file handle? */
bool perl_handle(const struct script *x);
bool perl_empty_pattern(const struct script *x); /* // that is no operator */
#define PERL_FLAGS "msixpodualngc"              /* of a pattern */
/* Passes flags; false: others follow. */
bool perl_flags(struct script *x, const char *known);
void perl_dereference(struct script *x);        /* the term before goes through a reference */
/* at an operator or bracket: what does it do to the term before? */
void perl_operator(struct script *x);
void perl_library(struct script *x, struct str name); /* use NAME */
/* May the text change @ARGV, %SIG or the table of functions through a reference that is a text? */
bool perl_symbolic(struct script *x);
/* $name{key}, ->{key}: the brace at i is a subscript's */
bool perl_subscript(const struct script *x, size_t i);

/* ---- script_act.c: functions with an effect ---- */
void script_here(struct script *x, size_t from); /* findings are from there to where the scanner is */
/* `...`, qx{...}, %x(...): for a shell. At the place after the opening one. */
bool script_shell_text(struct script *x, char open, size_t from);
bool script_backquote(struct script *x);
/* system(...), File.read(...): 1: passed, 0: none of these, -1: not constant. `w` was passed. */
int script_effect(struct script *x, struct str w, size_t from);
