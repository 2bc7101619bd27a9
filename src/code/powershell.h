/*
 * Internal to the PowerShell reader.
 *
 *   powershell.c        statements, blocks, functions; entry point
 *   powershell_lex.c    blanks, strings, bare words, variables
 *   powershell_note.c   turns findings into facts
 *   powershell_expr.c   expressions, members, .NET methods
 *   powershell_bind.c   words of a command and the parameters they bind to
 *   powershell_cmd.c    commands: known cmdlets
 *   powershell_run.c    programs
 *   powershell_table.c  cmdlets, aliases, methods
 *
 * Theory of operation: one recursive-descent pass parses and evaluates the text. Like PowerShell it has two
 * modes: expressions, and the words of a command. A value is abstract text or a list of values. A variable is
 * known if the whole text assigns it exactly once and the block of that assignment is still open. The pass
 * walks all branches, walks loops over known lists once per item, and walks a function at each call.
 * Unrecognised code becomes a marker; text that is not PowerShell is an error. Nothing is guessed.
 */
#pragma once
#include "code/tree.h"

#define PS_VARS_MAX 256
#define PS_FUNCTIONS_MAX 64
#define PS_CALLS_MAX 12      /* nesting of function calls */
#define PS_LIST_MAX 64       /* items of a list that are tracked one by one */
#define PS_ARGS_MAX 128      /* words of one command */
#define PS_STEPS_MAX 200000  /* budget of one text: statements, words and operands, repetitions included */
#define PS_DEPTH_MAX 120
#define PS_FETCHED_MAX 16

enum ps_kind {
	PS_ANY = 0,  /* any object */
	PS_TEXT,     /* text or number; `text` may have holes */
	PS_LIST,     /* `items` */
	PS_FILES,    /* files of a directory; `text`: pattern of their paths */
	PS_DATA,     /* an object without effects: parsed JSON, a hash table, a file's content */
	PS_FETCHED,  /* data from the network */
	PS_DECODED,  /* decoded data: its text is unknown */
	PS_BLOCK,    /* a script block; `from`: offset after its brace */
	PS_CLIENT,   /* Net.WebClient */
	PS_NULL,
};

struct ps_val {
	enum ps_kind kind;
	struct str text;
	const struct ps_val *items;
	size_t nitems, from;
	bool below;          /* PS_FILES: including everything below them */
	bool bare;           /* PS_TEXT without quotes: wildcards and ~ are expanded */
	bool number;         /* PS_TEXT that is a number: + adds */
};

struct ps_var {
	struct str name;
	unsigned assigned;   /* number of assignments in the whole text */
	unsigned block;      /* block of the assignment; 0: unknown, or not reached yet */
	struct ps_val val;
};

struct ps_function {
	struct str name;
	size_t from;         /* offset after the opening brace */
	size_t params;       /* offset after the opening parenthesis of the parameters; 0: no list */
};

struct ps_arg {
	struct str param;    /* name without dash; empty: positional */
	struct ps_val val;
	bool has;            /* has a value: -x:value, or positional */
	bool splat;          /* @name: expands to any words */
	struct span at;
};

struct ps {
	struct code_walk *w;
	struct arena *a;
	struct str s;
	size_t i;
	unsigned depth, calls, steps, block, blocks;
	bool failed;         /* not PowerShell: error_at is set */
	bool stopped;        /* a bound was reached */
	bool mute;           /* skipping: nothing is recorded */
	bool moves;          /* the text changes its working directory somewhere */
	bool loose;          /* the text sets variables by computed names: no variable is known */
	bool lists_change;   /* the text assigns to items of lists */
	struct str fetched[PS_FETCHED_MAX]; /* files written with data from the network */
	size_t nfetched;
	struct str start;    /* initial working directory: .NET keeps using it */
	struct ps_val it;    /* value of $_ */
	struct ps_var vars[PS_VARS_MAX];
	size_t nvars;
	struct ps_function functions[PS_FUNCTIONS_MAX];
	size_t nfunctions;
	unsigned open[PS_DEPTH_MAX];
	size_t nopen;
};

/* powershell_lex.c */
static inline char ps_at(const struct ps *p, size_t k) { return p->i + k < p->s.n ? p->s.p[p->i + k] : '\0'; }
static inline bool ps_end(const struct ps *p) { return p->i >= p->s.n || p->failed || p->stopped; }
void ps_blanks(struct ps *p);
void ps_lines(struct ps *p); /* skips newlines and semicolons as well */
void ps_newlines(struct ps *p);
bool ps_fail(struct ps *p);
/* Skips this character, which must come next. */
bool ps_take(struct ps *p, char c);
bool ps_step(struct ps *p);
/* Enters a nested construct; false at the bound. The caller counts p->depth down. */
bool ps_enter(struct ps *p);
bool ps_name_char(char c);
struct ps_val ps_string(struct ps *p);   /* at a quote */
struct ps_val ps_variable(struct ps *p); /* at $ */
struct str ps_variable_name(struct ps *p);
struct ps_val ps_bare(struct ps *p);     /* a bare word of a command */
struct str ps_text(struct ps *p, const struct ps_val *v); /* abstract text of the value */
void ps_count_assignments(struct ps *p);

/* values */
struct ps_val ps_of(struct str text);
#define PS_UNKNOWN ((struct ps_val){.kind = PS_ANY, .text = CODE_HOLE})
struct ps_var *ps_var(struct ps *p, struct str name, bool make);
void ps_assign(struct ps *p, struct str name, struct ps_val v);
void ps_forget(struct ps *p);

/* findings */
void ps_at_span(struct ps *p, size_t from, size_t to);
void ps_mark(struct ps *p, enum marker id); /* the code becomes incomplete, unless it is a category */
void ps_access(struct ps *p, enum access_kind kind, const struct ps_val *v, bool below, bool literal,
		const char *op);
/* with forward slashes and ~ expanded; C:\x becomes /C:/x */
struct str ps_path(struct ps *p, struct str text);
void ps_touch(struct ps *p, const struct ps_val *url);
void ps_setting(struct ps *p, struct str name, struct str value);
void ps_code(struct ps *p, const struct ps_val *v); /* records text that is run as PowerShell */

/* expressions */
struct ps_val ps_expression(struct ps *p, unsigned level);
/*
 * Parses the rest of a list, from the comma after its first item, including trailing blanks. *ret_end
 * receives the end of the last item.
 */
struct ps_val ps_list(struct ps *p, struct ps_val first, struct ps_val (*item)(struct ps *p),
		size_t *ret_end);
struct ps_val ps_primary(struct ps *p);

/* commands; `in`: input from the pipe, NULL for the first command */
bool ps_starts_command(struct ps *p);
struct ps_val ps_command(struct ps *p, const struct ps_val *in);
struct ps_val ps_pipeline(struct ps *p);
struct ps_val ps_parenthesis(struct ps *p); /* behind its opening one */
bool ps_redirection(struct ps *p);

/* statements */
struct ps_val ps_statements(struct ps *p, char end); /* up to and including `end` */
/* walks a script block, then restores the position */
struct ps_val ps_block_at(struct ps *p, size_t from, const struct ps_val *it);
/* walks the script blocks in a value that something may run */
void ps_walk_blocks(struct ps *p, const struct ps_val *v);
void ps_skip_block(struct ps *p); /* from after a brace: skips the block without recording anything */
struct ps_val ps_call(struct ps *p, const struct ps_function *f, const struct ps_arg *args, size_t n);
const struct ps_function *ps_function(struct ps *p, struct str name);

/* tables */
struct ps_cmdlet {
	char name[28];      /* empty: a shared row for many cmdlets whose parameters do not matter */
	/*
	 * "Name=k Name! ...": a digit before the name is its position, ! marks a switch, k is the kind of the
	 * value; see knowledge/code/powershell.yaml
	 */
	char params[464];
	char pipe;          /* kind of the piped input: a letter as in params; 0: data */
	/*
	 * output: n nothing, d data, f fetched, p its paths, i its input, j its paths joined (Join-Path),
	 * T a new temporary file, B the last value of its script block, 0 anything
	 */
	char out;
	enum marker say;
};
struct ps_marked { /* cmdlets that share a row */
	char names[640];
	struct ps_cmdlet row;
};
struct ps_alias {
	char alias[8], name[24];
};
const struct ps_cmdlet *ps_cmdlet(struct str name);
const char *ps_alias(struct str name);
bool ps_unix_alias(struct str name); /* a program on systems other than Windows */
bool ps_harmless_verb(struct str name);
struct ps_static {
	char type[32], method[216]; /* "*": any */
	/* a letter per argument: r read, w write, d delete, D delete tree, x execute, a append, . ignored */
	char args[4];
	char out;                  /* result: t text, d data, f fetched, e decoded, 0 anything */
};
const struct ps_static *ps_static(struct str type, struct str method);
bool ps_method_harmless(struct str name, enum ps_kind kind);
bool ps_type_harmless(struct str name); /* its casts and static properties have no effect */

/* The tables of knowledge/code/powershell.yaml (scripts/powershell-table). */
extern const struct ps_cmdlet ps_cmdlets[];
extern const struct ps_marked ps_marked[];
extern const struct ps_alias ps_aliases[];
extern const struct ps_static ps_statics[];
extern const size_t ps_cmdlets_n, ps_marked_n, ps_aliases_n, ps_statics_n;
extern const char ps_harmless[], ps_passing[], ps_unix[], ps_methods[], ps_types[];
