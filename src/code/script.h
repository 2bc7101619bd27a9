/* The scanner for Perl, Ruby, PHP and Lua. Inside src/code/script*.c only. */
#pragma once
#include "code/tree.h"

struct script_act {
	char name[20]; /* "unlink", "File.read"; empty: end of the list */
	/*
	 * a letter per argument: r read, w write, d delete (W D: the whole tree), . ignored, s shell text, or
	 * a program and its arguments; *: the last letter repeats
	 */
	char what[4];
};

struct script_language {
	enum lang lang;
	/* perl: is Perl; sigil: variables start with $; marks: is Ruby, whose names may end with ? or ! */
	bool perl, sigil, marks;
	bool hash_brace;           /* #{...} in strings is code */
	bool hash_comment, slash_comment, dash_comment;
	bool dot_member;           /* a.b accesses a member */
	const char *words;         /* keywords, and functions without effect */
	const char *before;        /* words that an operand follows, so that / starts a pattern */
	const char *members;       /* methods without effect */
	const char *never;         /* refused in any position */
	const char *defines;
	const char *import, *libraries;
	/* functions whose effect follows from constant arguments */
	const struct script_act *acts;
	const char *roots;         /* tables of functions: allowed only with a member directly after */
};

#define LOCALS_MAX 64
#define NEST_MAX 16 /* nesting of interpolations */
#define BRACKETS_MAX 64 /* nesting of brackets; deeper, every term counts as a reference */

struct script {
	struct code_walk *w;
	const struct script_language *l;
	struct str s;
	size_t i;
	bool operand;   /* the last token ends an operand: / is a division, ? a conditional */
	/* the last token is a bare name that may take arguments, or a closing brace: / is ambiguous */
	bool bare;
	bool word;      /* the last token is a name */
	/* the last token is a variable directly after a name: possibly a file handle */
	enum { PERL_HANDLE_NONE, PERL_HANDLE_PERHAPS, PERL_HANDLE_ODD } handle;
	bool arrow;     /* the last token is . or -> or ::, so a member follows */
	unsigned nest;
	struct str locals[LOCALS_MAX];
	size_t nlocals;
	bool runs;      /* the text starts programs */
	bool names;     /* after `sub`: the next name is a definition */
	/*
	 * Perl: does the text write through references? A reference may be a string, the name of a variable.
	 */
	unsigned brackets;              /* number of open brackets */
	bool reference[BRACKETS_MAX];   /* per bracket level: the last term dereferences */
	bool listed[BRACKETS_MAX];      /* per bracket level: some term since the bracket dereferences */
	bool mutates;                   /* after push, ++ ...: the next term is changed */
	bool written;                   /* something is written through a reference */
	/* $_ is the last term; $_ is changed; $_ may alias a dereferenced value */
	bool topic, topic_written, topic_reference;
	bool strict, lax;               /* `use strict` seen; `no strict` seen */
	/* functions of another module are loaded; <> opens the files in @ARGV */
	bool library, reads_argv;
};

static inline char script_at(const struct script *x, size_t k)
{
	return x->i + k < x->s.n ? x->s.p[x->i + k] : '\0';
}

const struct script_language *script_language(enum lang lang);
char script_closing(char c); /* closing delimiter for an opening one */
size_t script_blanks(const struct script *x, size_t i); /* offset after the blanks */

/*
 * Scans code inside a string, up to and including its closing bracket. False if it is not harmless or not
 * understood.
 */
bool script_inner(struct script *x, char end);

/* ---- script_perl.c: Perl's strings, patterns and variables ---- */
enum perl_live { PERL_DEAD, PERL_STRING, PERL_PATTERN };
/*
 * Scans a string that the delimiter `open` started, from after it to after its end, including variables and
 * code inside.
 */
bool perl_text(struct script *x, char open, enum perl_live live);
/*
 * Scans q qq qw m qr qx s tr y, from after the word. Returns 1 if scanned, 0 for another word, -1 if not
 * understood.
 */
int perl_word(struct script *x, struct str word, size_t from);
bool perl_variable(struct script *x);           /* scans $x, @{..} from the sigil */
/* true if a term may start here, because the variable before is a file handle */
bool perl_handle(const struct script *x);
bool perl_empty_pattern(const struct script *x); /* true if // here is a pattern, not the operator */
#define PERL_FLAGS "msixpodualngc"              /* flags of a pattern */
/* Skips the known flags. False if other flags follow. */
bool perl_flags(struct script *x, const char *known);
void perl_dereference(struct script *x);        /* records that the last term dereferences */
/* at an operator or bracket: updates the state for the last term */
void perl_operator(struct script *x);
void perl_library(struct script *x, struct str name); /* records `use NAME` */
/* True if the text may change @ARGV, %SIG or the symbol table through a symbolic reference. */
bool perl_symbolic(struct script *x);
/* true if the brace at i starts a subscript: $name{key}, ->{key} */
bool perl_subscript(const struct script *x, size_t i);

/* ---- script_act.c: functions with an effect ---- */
void script_here(struct script *x, size_t from); /* sets the span of findings: `from` to the current offset */
/* Scans shell text in `...`, qx{...} or %x(...), from after the opening delimiter. */
bool script_shell_text(struct script *x, char open, size_t from);
bool script_backquote(struct script *x);
/*
 * Handles system(...), File.read(...) after the name `w`. Returns 1 if scanned, 0 for any other name, -1 if
 * an argument is not constant.
 */
int script_effect(struct script *x, struct str w, size_t from);
