/*
 * Evaluation of what is static: the syntax tree is run over abstract values (model/facts.h) instead of a
 * machine. Every command that may run is listed in the facts; what is not known is a hole. Inner header of
 * the files named below; nothing outside src/shell includes it.
 *
 * How it stays sound: both sides of every condition are evaluated and their states joined (what differs
 * becomes unknown); a loop is unrolled while everything about it is known and small, else repeated until its
 * state no longer changes; code after `exit` or `break` is still listed; a builtin or option that would
 * change the meaning of what follows in a way that is not modelled is a trouble.
 *
 *   shell_state.c    variables, positional parameters, directories; joining two states
 *   emit.c     adding to the facts, derived texts;  order.c: when each fact may happen
 *   expand.c   words to fields; expand_param.c: ${ }; brace.c: brace expansion; partial_paths.c: texts with
 *              unknown names in them
 *   eval.c     compound commands and lists;  redirect.c: redirections;  eval_test.c: [[ ]] and (( ))
 *   call.c     simple commands: functions, builtins; program_effects.c: programs; shells.c: bash -c and its
 *              kin
 *   variable_effects.c  variables that make programs run something;  zsh.c: those of zsh alone
 *   choice.c   known texts that an unknown value may have;  odd_globs.c: patterns with dotglob and nocaseglob
 *   patch.c    files that a patch names;  include.c: files that a source text includes
 *    content.c: text that the request itself writes into files
 *   marks.c    features of the text itself (marks.h)
 *   builtin.c  the table of builtins;  builtin_*.c: what they do
 */
#pragma once
#include "base/pmap.h"
#include "knowledge/knowledge.h"
#include "shell/parse.h"
#include "shell/shell.h"

#define EVAL_DEPTH_MAX 200   /* nested evaluations */
#define CALL_DEPTH_MAX 12    /* functions inside functions */
#define TEXT_DEPTH_MAX 24    /* texts derived from texts */
#define LOOP_MAX 40          /* iterations of a loop that are followed one by one */
#define LOOP_WORDS_MAX 256   /* words of a for loop that are followed one by one */
#define FIX_MAX 4            /* rounds before every variable a loop changes is given up */
#define FIELDS_MAX 4096      /* fields a word may expand to */
#define BRACE_MAX 1024       /* words one brace expansion may make */
#define VALUE_MAX 65536      /* a longer value of a variable is given up */
#define PARALLEL_WORDS_MAX 64 /* words after ::: for which the command of parallel is read one by one */
#define XARGS_INPUT_MAX 4096 /* bytes of known input that are taken apart for xargs */
#define XARGS_LINES_MAX 64   /* lines of it that become commands of their own */
#define ODD_PATTERNS_MAX 16  /* variants of one pattern with dotglob and nocaseglob */
#define ODD_COMPONENTS_MAX 64 /* components that it may have */
#define CHOICES_MAX 4        /* texts that are remembered for an unknown value */
#define CHOICE_TEXT_MAX 4096 /* bytes of each */
#define CONTENTS_MAX 64      /* texts of files that are remembered */
#define CONTENT_FACTS_MAX 256 /* facts that are found in them */
#define CONTENT_TEXTS_MAX 4  /* texts that one file may have */
#define DIRS_MAX 4           /* directories a command may be in before that is unknown */
#define COMMAND_DIRS_MAX 64  /* of one command that runs several times */

/* ---- values ---- */

enum shell_value_kind { VALUE_TEXT, VALUE_LIST, VALUE_MAP };

struct item {                    /* of an array: the key is a decimal index, or a string */
	struct str key, text;
};

/*
 * A variable, immutable. One that is absent from the map was not touched by the text: it is the
 * environment's.
 */
struct choice_list {             /* texts that an unknown value may have (choice.c) */
	const struct choice_list *next;
	struct str text;
};

struct shell_value {
	enum shell_value_kind kind;
	bool set;                /* false: certainly unset */
	bool maybe;              /* may be unset, or may be something else */
	bool ambient;            /* what is unknown in it comes from the environment alone */
	bool exported, integer, upper, lower;
	/* exported on some paths only; integer, upper or lower on some only */
	bool doubt_exported, doubt_kind;
	bool fixed;              /* may be readonly: an assignment may fail and leave the old value */
	bool open;               /* an array with other elements that are not known */
	struct str text;
	const struct choice_list *may; /* when `text` is not known */
	const struct item *items;
	size_t n;
};

struct func {                    /* one possible definition; `or` leads to the others */
	const struct func *or;
	const struct syn_node *body;
	bool maybe_absent;       /* the name may also not be a function */
};

/* The directories the shell may be in; n == 0: not known. */
struct dirs {
	struct str at[DIRS_MAX];
	size_t n;
};

struct params {                  /* $1 ... ; a WORD_REST at the end: more may follow */
	const struct word *at;
	size_t n;
};

enum option {
	OPT_EXTGLOB = 1, OPT_LASTPIPE = 2, OPT_XPG_ECHO = 4, OPT_PATH_CHANGED = 8, OPT_FUNCS_EXPORTED = 16,
	OPT_ABORTS = 32, /* set -e, set -u, readonly: a command may end the script where it stands */
};

struct input {                   /* standard input: what is left of it, when that is known */
	bool known;
	bool script;             /* the script that is running is read from it, too */
	struct str rest;
	/* absolute: it comes from this file, although what is in it is not known; or empty */
	struct str file;
};

struct shell_state {
	struct input in;
	const struct pmap *vars, *funcs, *aliases;
	const struct pmap *files; /* absolute path to what the request may have written there (content.c) */
	struct dirs dirs, dirs_ok, dirs_fail;
	bool cd_pending;         /* dirs_ok if the last command succeeded, dirs_fail if it failed */
	const struct dirs *stack;/* pushd's, newest first */
	size_t nstack;
	bool stack_unknown;
	struct params params;
	unsigned options;
	int status;              /* 0, 1 (failed), or -1 not known */
	bool dead;               /* nothing gets here */
};

struct output_sink { /* standard output that somebody will read */
	struct buf b;
	bool spoiled;            /* not known after all */
	bool may_miss;           /* a number that is not printed when the command fails */
	bool file;               /* it goes to a file (content.c) */
	/* written while a command before it could have ended the script (OPT_ABORTS) */
	bool doubtful;
};

/* Commands that run in no known order. While one is open, the moments of all facts found are remembered. */
struct unordered {
	size_t from;             /* index into eval.moments */
};
enum order {
	ORDER_KNOWN,             /* after all */
	ORDER_LOOP,              /* again and again, until the end */
	ORDER_WAITED,            /* beside each other, until the end */
	ORDER_BESIDE,            /* beside all that follows: background jobs, process substitutions */
	ORDER_ANY_TIME,          /* handlers of traps */
};

struct loop {
	struct loop *outer;
	struct shell_state next, left; /* joined states of continue and break; dead when there was none */
	struct unordered turns;
	enum order order;
};

struct frame {                   /* a function call, or a sourced text */
	struct frame *outer;
	struct shell_state returned;
	const struct pmap *locals; /* name to the caller's value, or to `absent` */
	/* those among them that may not have become local: declared under a condition */
	const struct pmap *maybe;
	unsigned unsure;           /* eval.unsure when the function was called */
	bool function;
};

struct trap {                    /* text that may run at any time: handlers, prompts */
	struct trap *next;
	struct str text;
	struct span at;
	bool prompt, done;
	/* runs at the end, or in a copy of the shell: what it changes does not matter */
	bool apart;
	const struct pmap *vars, *funcs; /* when it was set; NULL: or others, it was set more than once */
	unsigned since;          /* eval.changes then */
	enum dialect dialect;
};

struct seen_slot {
	struct str key;
	uint32_t value;          /* of a text: its index */
	struct moment *when;     /* of the fact, when it has one */
	void *fact;
};

struct seen_table { /* a table that only grows */
	struct seen_slot *slots;
	size_t n, cap;
};

struct link {
	struct link *next;
	struct str path;
	struct span at;          /* of the command that makes it */
};

struct file_reading { /* of the text of a file that is executed */
	const struct file_reading *outer;
	const void *content;
};

struct pipe {                    /* <( ): what is printed into it */
	struct pipe *next;
	struct span at;
	struct str text;
	bool known;
};

struct eval {
	struct arena *a;
	struct facts *f;
	const struct shell_request *rq;
	enum dialect dialect;
	uint64_t fuel;
	unsigned depth, calls, text_depth;
	struct shell_state s;
	const struct via *via;
	struct setting *settings; /* those that hold for the command at hand alone, the latest first */
	struct output_sink *out; /* NULL: nobody reads it */
	/* the innermost sink, also while a redirection leads elsewhere: an exit is felt there */
	struct output_sink *captured;
	struct loop *loop;
	struct frame *frame;
	struct trap *traps;
	const struct pmap *ever; /* every function that was ever defined */
	struct seen_table *seen; /* facts already listed */
	unsigned *nmarks;        /* of each kind */
	struct span at;          /* the command at hand */
	/* joined states in which an error ended the line of the innermost text */
	struct shell_state *aborted;
	bool ifs_touched, home_touched; /* the script sets IFS, HOME somewhere, or may */
	unsigned line_reads;     /* how often a builtin read lines */
	unsigned script_reads;   /* how often a command may have taken lines from its own script */
	unsigned aborts;         /* how often an error may have ended a line */
	unsigned changes;        /* how often the state was changed on purpose */
	const struct pmap *changed; /* of each variable that was ever set: the last of these changes */
	unsigned forgot;         /* the last one after which any variable may be anything */
	unsigned functions_lost; /* the last one after which something may be no function any more */
	bool odd_globs;          /* dotglob or nocaseglob may be on */
	bool functions_fixed;    /* readonly -f was there: a later definition may not take effect */
	bool trapped;            /* a handler runs between commands, and may print */
	bool physical;           /* set -P: cd follows links before .. */
	bool fds_closed;         /* 0, 1 or 2 may be closed: copying it may fail */
	bool shared_input;       /* a redirection may have opened the input that was there before */
	bool may_miss;           /* of the last substitution: as sink.may_miss */
	/* inside how many $( ), whose lines are read before the first of them runs */
	unsigned substitutions;
	bool script_input;       /* the script itself comes from standard input */
	bool exec_redirects;     /* exec without a command: its redirections last */
	unsigned reads;          /* how often something may have been read from standard input */
	bool foreign;            /* of the last expand_single(): as chars.foreign */
	struct dirs dirs_ever;   /* every directory the script may ever have been in */
	/* inside how many programs that run things on another machine or in a container */
	unsigned elsewhere;
	struct pipe *pipes;      /* newest first */
	const struct file_reading *reading; /* innermost first */
	unsigned ncontents, nfound; /* texts of files so far, and what was found in them */
	uint64_t content_fuel;   /* for them; while one is read, `fuel` is what is left of it */
	/* names that the script makes into links: what is written there is written elsewhere */
	struct link *links;
	unsigned choice, choices, choices_inside; /* choice.c */
	unsigned unsure;         /* inside how many conditions, since the output was last captured */
	uint32_t clock;          /* simple commands so far */
	uint32_t nchanges;       /* changes of files so far, those that were found before included */
	/* of every fact, for commands of code that was read afterwards; or NULL */
	const struct moment *fixed;
	enum change_kind change; /* what the write that is emitted next leaves behind */
	unsigned unordered;      /* inside how many of them */
	struct moment **moments; /* of the facts found since the outermost of them was opened */
	size_t nmoments, moments_cap;
};

enum { LEAVE_STOPPED = -4 };     /* a bound was reached: the trouble is in the facts */

/* ---- eval.c ---- */
void eval_node(struct eval *e, const struct syn_node *n);
void eval_once(struct eval *e, const struct syn_node *n); /* as eval_node(), by the present choice alone */
/* Runs text as a script of the dialect, in the current state. */
void eval_text(struct eval *e, struct str text, const char *from, struct span origin, enum dialect d);
/* The same in a copy of the state. */
void eval_text_apart(struct eval *e, struct str text, const char *from, struct span origin, enum dialect d);
void eval_apart(struct eval *e, const struct syn_node *n);
/* Text for "sh": as dash and as bash. */
void eval_text_sh(struct eval *e, struct str text, const char *from, struct span origin);
void eval_enter(struct eval *e);
static inline void eval_exit(struct eval *e) { e->depth--; }
void eval_burn(struct eval *e, uint64_t n);
void eval_traps(struct eval *e);
void parser_for(struct eval *e, struct parser *p, struct str text, uint32_t index);
/* A text that is no script was read: an alias in a substitution inside it would be another text. */
void parsed_aliases(struct eval *e, const struct parser *p);
enum trap_kind { TRAP_ANY_TIME, TRAP_APART, TRAP_PROMPT };
void trap_add(struct eval *e, struct str text, struct span at, enum trap_kind kind);
void eval_prompt(struct eval *e, struct str text, struct span at);           /* variable_effects.c */
/* it may not have run at all */
void command_may_fail(struct eval *e, const struct shell_state *before, size_t mark);
void may_abort(struct eval *e);

/* ---- shell_state.c ---- */
extern const struct shell_value value_absent;
/* a parameter whose value zsh obeys: functions[ls]=... defines one (zsh.c) */
bool zsh_table(struct str name);
bool zsh_function(struct str name); /* a function that zsh calls by itself */
/* NULL: the environment's; namerefs followed */
const struct shell_value *var_get(const struct eval *e, struct str name);
void var_set(struct eval *e, struct str name, const struct shell_value *v);
/* its value is another one from now on */
void var_changed(struct eval *e, struct str name);
/* those that nobody has changed since are what they were then */
void vars_keep(struct eval *e, const struct pmap *then, unsigned since);
/* keeps attributes; upper, lower and integer make it unknown */
void var_set_text(struct eval *e, struct str name, struct str text);
void var_set_unknown(struct eval *e, struct str name);
void var_set_item(struct eval *e, struct str name, struct str key, bool key_known, struct str text,
		bool append);
void state_forget_vars(struct eval *e);                               /* every variable may be anything */
/* and functions, directory, parameters */
void state_forget(struct eval *e);
/* any state this very script may be in (for handlers) */
void state_any_time(struct eval *e);
struct params params_unknown(struct eval *e, struct span at);          /* any number of them, not known */
struct shell_state state_join(struct eval *e, const struct shell_state *x, const struct shell_state *y);
const struct pmap *vars_join(struct eval *e, const struct pmap *x, const struct pmap *y);
bool state_same(const struct shell_state *x, const struct shell_state *y);
/* to an outer shell: what is in files stays */
void state_return(struct eval *e, const struct shell_state *outer);
struct shell_state state_dead(const struct shell_state *s);
void state_assume(struct shell_state *s, bool success);
bool text_numeric(struct str s);
struct dirs dirs_join(const struct dirs *x, const struct dirs *y);
struct str path_normal(struct arena *a, struct str base, struct str path); /* textually, as cd does */
void dirs_change(struct eval *e, struct str path);                    /* cd to an abstract path */
void dirs_forget_names(struct eval *e);                               /* PWD and OLDPWD get other values */
bool name_valid(struct str s);
#define HOLE ((struct str){"", 1})                                    /* the NUL of the literal: HOLE_ANY */
#define HOLE_NUMBER ((struct str){"\1", 1})

/* ---- emit.c ---- */
void emit_command(struct eval *e, const struct word *argv, size_t argc, struct span at);
void emit_access(struct eval *e, enum access_kind kind, struct word path, bool below, const char *by,
	struct span at);
/* A file that has the names of others in it, for the program `by`. */
void emit_listed_access(struct eval *e, struct word path, bool below, const char *by, struct span at);
void emit_redirect_access(struct eval *e, enum access_kind kind, struct word path, bool below,
	enum redir_op op, int fd, struct span at);
/* The same for a file that a program touches because a variable says so. */
void emit_variable_access(struct eval *e, enum access_kind kind, struct word path, bool below, const char *by,
	struct span at);
void emit_launch(struct eval *e, struct str name, struct span at);
/* a leading one joins e->settings */
void emit_setting(struct eval *e, struct str name, struct str value, bool leading, struct span at);
void emit_touch(struct eval *e, struct word host, struct span at);
void emit_snippet(struct eval *e, const char *lang, struct word text, struct span at);
void emit_trouble(struct eval *e, enum trouble_kind kind, const char *message, struct span at);
bool first_reading(struct eval *e, uint32_t text, enum dialect d); /* of this text as a script */
uint32_t emit_text(struct eval *e, struct str bytes, const char *from, struct span origin);
void eval_stop(struct eval *e, const char *message) __attribute__((noreturn)); /* a bound */
void emit_link(struct eval *e, struct word path, struct span at);
/* at the end: writes through links of the script are writes to who knows where */
void emit_through_links(struct eval *e);
/* Commands found from now on are reached through this step; returns the old e->via, to be restored. */
const struct via *via_enter(struct eval *e, struct via step);
void in_forget(struct eval *e);     /* somebody may have read any of the input */
void out_add(struct eval *e, struct str text);
void out_unknown(struct eval *e);   /* something was printed here */
/* is what is in the sink what was printed? */
bool out_known(const struct eval *e, const struct output_sink *s, bool one_command);
void out_leave(struct eval *e);     /* the script may end here: nothing that comes later is certain */
size_t out_mark(const struct eval *e);
struct str out_since(struct eval *e, size_t mark);
void out_rewind(struct eval *e, size_t mark);
void out_doubt(struct eval *e, size_t mark); /* what was printed since may not have been */
void out_spoil(struct eval *e);     /* nothing about the output can be said any more */

/* ---- order.c ---- */
void order_tick(struct eval *e);                                      /* another simple command begins */
void order_found(struct eval *e, struct moment *when);                /* for the first time */
void order_found_again(struct eval *e, struct moment *when);
struct unordered order_open(struct eval *e);
void order_close(struct eval *e, struct unordered u, enum order order);
void order_close_program(struct eval *e, struct unordered u, size_t own_end, bool loops);
struct stage {                   /* of a pipeline */
	size_t to;               /* of eval.moments */
	uint32_t changes;        /* eval.nchanges, at its end */
};
/* changes: eval.nchanges before the first */
void order_close_stages(struct eval *e, struct unordered u, uint32_t changes, const struct stage *stages,
		size_t n);

/* ---- expand.c ---- */
struct fields {
	struct word *at;
	size_t n, cap;
};
void fields_add(struct eval *e, struct fields *fs, struct word w);
/* all expansions, appended */
void expand_word(struct eval *e, const struct syn_word *w, struct fields *ret);
/* no splitting: values of assignments */
struct str expand_single(struct eval *e, const struct syn_word *w);
/*
 * The name of a file in a redirection: several words would be an error, so a split or a pattern is simply not
 * known.
 */
struct word expand_target(struct eval *e, const struct syn_word *w);
/* the same without tildes after colons: here-strings, case, [[ ]] */
struct str expand_unsplit(struct eval *e, const struct syn_word *w);
/* quoted characters get a backslash */
struct str expand_pattern(struct eval *e, const struct syn_part *parts, bool quoted);
/* as in double quotes */
struct str expand_text(struct eval *e, const struct syn_part *parts);
/* the same, for arithmetic */
struct str expand_arith_text(struct eval *e, const struct syn_part *parts);
/* the word is a <( ), and all that it prints is known */
bool pipe_text(const struct eval *e, const struct word *w, struct str *ret);
struct word word_of(struct str text, struct span at);
struct word word_rest(struct span at);
/* by blanks; a rest is a hole */
struct str fields_join(struct eval *e, const struct word *at, size_t n);

/* characters of a word under expansion, each with its kind */
enum char_kind { CHAR_TEXT, CHAR_QUOTED, CHAR_EXPANDED, CHAR_BREAK, CHAR_EMPTY, CHAR_REST };
struct chars {
	struct buf b, kinds;
	/* something unknown in it does not come from the environment: data that was read */
	bool foreign;
};
void chars_add(struct chars *c, struct str s, enum char_kind kind);
void chars_mark(struct chars *c, enum char_kind kind);
struct how {
	bool quoted, arith;
	bool made;               /* by brace expansion: no tilde after = there */
	enum char_kind text;
};
/* with tildes */
void expand_whole(struct eval *e, const struct syn_part *parts, struct how how, bool assigned,
		struct chars *out);
/* ---- expand_param.c ---- */
void expand_param(struct eval *e, const struct syn_param *pm, struct how how, struct chars *out,
		struct span at);
struct str param_ifs(const struct eval *e);
/* ---- partial_paths.c ---- */
/* nothing but names and numbers is unknown in it */
bool names_only(struct str s);
/* what a file name pattern finds, or is when it finds nothing */
struct str names_of_pattern(struct eval *e, struct str pattern);
struct str names_join(struct eval *e, struct str a, struct str b);
struct str names_cut(struct eval *e, enum param_op op, struct str s, struct str pattern);
/* exact, or with numbers that are words of their own in it */
bool script_known(struct str text);
/* ---- brace.c ---- */
/* false: nothing to expand */
bool brace_expand(struct eval *e, const struct syn_word *w, struct syn_word **ret);

/* ---- eval_test.c ---- */
struct number_result { bool known; int64_t n; };
struct number_result eval_arith(struct eval *e, struct str text);
struct number_result eval_arith_parts(struct eval *e, const struct syn_part *parts);
int eval_test(struct eval *e, const struct syn_test *t);       /* 0 true, 1 false, -1 */
int test_command(struct eval *e, const struct word *argv, size_t argc); /* the operands of test and [ */
/*
 * A variable named by a word at run time, perhaps with a subscript: evaluates the subscript. False: the name
 * is not known.
 */
bool var_reference(struct eval *e, struct str ref, struct str *ret_name, bool *ret_sub, struct str *ret_key,
		bool *ret_key_known);
void var_assign_reference(struct eval *e, struct str ref, struct str text, bool append);
struct str subscript_key(struct eval *e, const struct shell_value *v, struct str text, bool *ret_known);

/* ---- redirect.c ---- */
struct content;
struct written {                 /* a file that takes the output */
	struct str path;
	const struct content *old; /* what is before it, when it is appended */
};
struct io {
	struct output_sink *out;
	struct input in;
	bool replaced, reopened;
	struct output_sink sink;        /* what goes to these files */
	struct written files[DIRS_MAX];
	size_t nfiles;
};
/* keep: what to put back. True when a file cannot perhaps be opened: then the command does not run. */
bool eval_redirect(struct eval *e, const struct syn_redir *r, struct io *keep);
/* something in /dev or /proc but the null device, in some spelling */
bool may_be_device(const struct eval *e, struct word path);
void redirect_undo(struct eval *e, struct io *keep);
void redirect_unread(struct eval *e, struct io *keep); /* what goes to the file is not followed */

/* ---- choice.c ---- */
void choice_eval(struct eval *e, const struct syn_node *n);
const struct choice_list *choice_add(struct eval *e, const struct choice_list *to, struct str text);
/* and those that v may have */
const struct choice_list *choice_of(struct eval *e, const struct choice_list *to,
		const struct shell_value *v);
/* a value that may be one of these: which */
bool choice_text(struct eval *e, const struct choice_list *may, struct str *ret);
/* ${x:-word}, where x may be one of these: take the word? */
bool choice_word(struct eval *e, const struct choice_list *may);
unsigned choice_substitution(struct eval *e);              /* begins: it prints what its commands choose */
void choice_substituted(struct eval *e, unsigned outer);

/* ---- odd_globs.c ---- */
/*
 * The other meanings of an absolute path with wildcards or names in it, with dotglob and nocaseglob. False:
 * too many.
 */
bool odd_patterns(struct eval *e, const struct word *path, struct str ret[ODD_PATTERNS_MAX], size_t *ret_n);

/* ---- include.c ---- */
void includes_read(struct eval *e, const char *op, const struct word *argv, size_t argc); /* by a compiler */

/* ---- content.c ---- */
/* standard output goes there */
void content_open(struct eval *e, struct word path, bool append, struct io *io);
bool content_spend(struct eval *e, uint64_t n); /* false: too much work, the text is given up */
void content_close(struct eval *e, const struct io *io);
void content_tee(struct eval *e, const struct word *argv, size_t argc, const struct pmap *before);
void content_changed(struct eval *e, const struct access *x); /* a write or a delete */
const struct pmap *content_join(struct eval *e, const struct pmap *x, const struct pmap *y);
/* the i-th text that it may have */
bool content_text(struct eval *e, struct word path, size_t i, struct str *ret);
/*
 * Reads the text of a file that is executed by the program `by` ("source"; empty: by the one its first line
 * names).
 */
void content_run(struct eval *e, struct word path, struct str by, const struct word *argv, size_t args,
		size_t argc);

/* ---- call.c ---- */
enum { CALL_FUNCTIONS = 1, CALL_BUILTINS = 2, CALL_PROGRAMS = 4, CALL_ALL = 7 };
void eval_simple(struct eval *e, const struct syn_node *n);
/* A command that another runs: it is listed with this step added. */
void call_via(struct eval *e, struct via step, const struct word *argv, size_t argc, unsigned what,
	struct span at);
enum assign_scope { ASSIGN_PLAIN, ASSIGN_EXPORT, ASSIGN_LEADING }; /* X=1; export X=1; for one command only */
void eval_assign(struct eval *e, const struct syn_assign *as, enum assign_scope scope);
struct str value_appended(struct eval *e, const struct shell_value *old, struct str text); /* old += text */
/* Text that a shell will run, through the program `name`; more: unknown words are added to it. */
/* A program with its words: program_effects.c. */
void call_program(struct eval *e, const struct word *argv, size_t argc);
void inner_script(struct eval *e, const char *name, struct str text, bool more, struct span at);

/* ---- patch.c ---- */
/*
 * Lists the files that a patch, or other data a program is given, names; those below the directory when the
 * data are not known.
 */
void names_from_data(struct eval *e, const struct know_result *k, const struct know_use *u,
		const struct word *argv, size_t argc);

/* ---- variable_effects.c ---- */
/* Lists the assignment, and what it makes programs run: PS4, PATH, BASH_ENV ... */
void assign_effect(struct eval *e, struct str name, struct str value, enum assign_scope scope,
		struct span at);
bool system_path(struct str path);  /* a program in one of the system's directories */

/* ---- shells.c ---- */
/* false: not a shell */
bool shell_program(struct eval *e, struct str base, const struct word *argv, size_t argc);
/* The text of a script that this shell runs; its arguments are argv[args, argc). False: not a shell. */
bool shell_text(struct eval *e, struct str base, struct str text, const struct word *argv, size_t args,
		size_t argc);

/* ---- builtin.c ---- */
struct builtin_call {
	struct eval *e;
	const struct word *argv;
	size_t argc;
	const struct syn_assign *const *from; /* for each word the assignment it was read as, or NULL */
	struct span at;
};
/* false: not one */
bool builtin_run(struct eval *e, struct str name, const struct word *argv, size_t argc,
		const struct syn_assign *const *from);
bool builtin_is(const struct eval *e, struct str name);
bool shopt_harmless(struct str name); /* builtin_flow.c: an option that changes nothing that is modelled */
