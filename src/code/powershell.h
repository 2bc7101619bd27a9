/*
 * Internal to the reader of PowerShell.
 *
 *   powershell.c        statements, blocks, functions; the entry
 *   powershell_lex.c    blanks, strings, bare words, variables
 *   powershell_note.c   findings become facts
 *   powershell_expr.c   expressions, members, methods of .NET
 *   powershell_bind.c   the words of a command, and which parameter each belongs to
 *   powershell_cmd.c    commands: known cmdlets
 *   powershell_run.c    programs
 *   powershell_table.c  cmdlets, aliases, methods
 *
 * Theory: the text is parsed and evaluated in one pass, by recursive descent, in the two modes that
 * PowerShell itself has (expressions, and the words of a command). A value is abstract text, or a list of
 * them; a variable is known if it is assigned exactly once in the whole text and the block of that assignment
 * is still open. All branches are walked; loops over known lists are walked once for each item. A function is
 * walked when it is called. Unrecognised code is a marker, text that is not PowerShell is an error; nothing
 * is guessed.
 */
#pragma once
#include "code/tree.h"

#define PS_VARS_MAX 256
#define PS_FUNCTIONS_MAX 64
#define PS_CALLS_MAX 12      /* functions inside functions */
#define PS_LIST_MAX 64       /* items of a list that are followed one by one */
#define PS_ARGS_MAX 128      /* words of one command */
#define PS_STEPS_MAX 200000  /* statements, words and operands of one text, repetitions included */
#define PS_DEPTH_MAX 120
#define PS_FETCHED_MAX 16

enum ps_kind {
	PS_ANY = 0,  /* anything: an object */
	PS_TEXT,     /* text or number; `text` may have holes */
	PS_LIST,     /* `items` */
	PS_FILES,    /* files of a directory: `text` is a pattern of their paths */
	PS_DATA,     /* an object without effects: parsed JSON, a hash table, text that was read */
	PS_FETCHED,  /* what came from the network */
	PS_DECODED,  /* what was decoded: its text is not seen */
	PS_BLOCK,    /* a script block: `from` is the place after its brace */
	PS_CLIENT,   /* Net.WebClient */
	PS_NULL,
};

struct ps_val {
	enum ps_kind kind;
	struct str text;
	const struct ps_val *items;
	size_t nitems, from;
	bool below;          /* PS_FILES: and what is below them */
	bool bare;           /* PS_TEXT written without quotes: wildcards and ~ are expanded */
	bool number;         /* PS_TEXT that is a number, so that + adds */
};

struct ps_var {
	struct str name;
	unsigned assigned;   /* times in the whole text */
	unsigned block;      /* the block of the assignment, 0: not known (yet) */
	struct ps_val val;
};

struct ps_function {
	struct str name;
	size_t from;         /* after its brace */
	size_t params;       /* after the parenthesis of its parameters, 0: none there */
};

struct ps_arg {
	struct str param;    /* name without dash; n == 0: positional */
	struct ps_val val;
	bool has;            /* a parameter with a value (-x:value), or a positional */
	bool splat;          /* @name: any words */
	struct span at;
};

struct ps {
	struct code_walk *w;
	struct arena *a;
	struct str s;
	size_t i;
	unsigned depth, calls, steps, block, blocks;
	bool failed;         /* no PowerShell: error_at is set */
	bool stopped;        /* a bound */
	bool mute;           /* passes over a text: nothing is noted */
	bool moves;          /* the text changes its directory somewhere */
	bool loose;          /* it sets variables by their names; then none is known */
	bool lists_change;   /* items of lists are assigned to */
	struct str fetched[PS_FETCHED_MAX]; /* files that were written from the network */
	size_t nfetched;
	struct str start;    /* the directory at the start: .NET's own */
	struct ps_val it;    /* $_ */
	struct ps_var vars[PS_VARS_MAX];
	size_t nvars;
	struct ps_function functions[PS_FUNCTIONS_MAX];
	size_t nfunctions;
	unsigned open[PS_DEPTH_MAX];
	size_t nopen;
};

/* lex */
bool ps_word_is(struct str word, const char *name); /* without case */
bool ps_listed(struct str word, const char *list);  /* " a b c ", without case */
struct str ps_lower(struct ps *p, struct str s);
static inline char ps_at(const struct ps *p, size_t k) { return p->i + k < p->s.n ? p->s.p[p->i + k] : '\0'; }
static inline bool ps_end(const struct ps *p) { return p->i >= p->s.n || p->failed || p->stopped; }
void ps_blanks(struct ps *p);
void ps_lines(struct ps *p); /* newlines and semicolons as well */
void ps_newlines(struct ps *p);
bool ps_fail(struct ps *p);
bool ps_step(struct ps *p);
bool ps_name_char(char c);
struct ps_val ps_string(struct ps *p);   /* at a quote */
struct ps_val ps_variable(struct ps *p); /* at $ */
struct str ps_variable_name(struct ps *p);
struct ps_val ps_bare(struct ps *p);     /* a bare word of a command */
struct str ps_text(struct ps *p, const struct ps_val *v); /* as text, with holes */
void ps_count_assignments(struct ps *p);

/* values */
struct ps_val ps_of(struct str text);
#define PS_UNKNOWN ((struct ps_val){.kind = PS_ANY, .text = CODE_HOLE})
struct ps_var *ps_var(struct ps *p, struct str name, bool make);
void ps_assign(struct ps *p, struct str name, struct ps_val v);
void ps_forget(struct ps *p);

/* findings */
void ps_at_span(struct ps *p, size_t from, size_t to);
void ps_mark(struct ps *p, const char *id);  /* dynamic: not complete */
void ps_say(struct ps *p, const char *id);   /* a category: the facts stay complete */
void ps_access(struct ps *p, enum access_kind kind, const struct ps_val *v, bool below, bool literal,
		const char *op);
struct str ps_path(struct ps *p, struct str text); /* with slashes and the home; C:\x becomes /C:/x */
void ps_touch(struct ps *p, const struct ps_val *url);
void ps_setting(struct ps *p, struct str name, struct str value);
void ps_code(struct ps *p, const struct ps_val *v); /* text that is run as PowerShell */

/* expressions */
struct ps_val ps_expression(struct ps *p, unsigned level);
/*
 * At the comma behind the first item: the rest of the list, with the blanks behind it; *ret_end is where the
 * last item ends.
 */
struct ps_val ps_list(struct ps *p, struct ps_val first, struct ps_val (*item)(struct ps *p),
		size_t *ret_end);
struct ps_val ps_primary(struct ps *p);

/* commands: `in` is what the pipe brings, NULL at its start */
bool ps_starts_command(struct ps *p);
struct ps_val ps_command(struct ps *p, const struct ps_val *in);
struct ps_val ps_pipeline(struct ps *p);
bool ps_redirection(struct ps *p);

/* statements */
struct ps_val ps_statements(struct ps *p, char end); /* passes `end` */
/* walks a script block, and comes back */
struct ps_val ps_block_at(struct ps *p, size_t from, const struct ps_val *it);
void ps_walk_blocks(struct ps *p, const struct ps_val *v); /* script blocks in it, which something may run */
void ps_skip_block(struct ps *p); /* at the place after a brace: passes it without noting anything */
struct ps_val ps_call(struct ps *p, const struct ps_function *f, const struct ps_arg *args, size_t n);
const struct ps_function *ps_function(struct ps *p, struct str name);

/* tables */
struct ps_cmdlet {
	char name[28];      /* empty: stands for many, whose words do not matter */
	/*
	 * "Name=k Name! ...": a digit before the name is its position, ! a switch, k what its value is; see
	 * powershell_table.c
	 */
	char params[464];
	char pipe;          /* what comes by the pipe: a letter as in params, 0: data */
	char out;           /* what it gives: d data, f fetched, p its paths, i what came in, 0 anything */
	char say[16];       /* category; empty: none */
};
const struct ps_cmdlet *ps_cmdlet(struct str name);
const char *ps_alias(struct str name);
bool ps_unix_alias(struct str name); /* elsewhere than on Windows these are programs */
bool ps_harmless_verb(struct str name);
struct ps_static {
	char type[32], method[216]; /* "*": any */
	char args[4];              /* a letter for each argument: r w d D(elete below) x a(ppend = write) . */
	char out;                  /* t text d data f fetched e decoded 0 any */
};
const struct ps_static *ps_static(struct str type, struct str method);
bool ps_method_harmless(struct str name, enum ps_kind kind);
bool ps_type_harmless(struct str name);
