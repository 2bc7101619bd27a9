/*
 * Static evaluation: runs the syntax tree over abstract values (model/facts.h) instead of a machine. The
 * facts list every command that may run; an unknown value is a hole. This is the inner header of the files
 * named below; nothing outside src/shell includes it.
 *
 * Soundness:
 * - Both sides of every condition are evaluated and their states joined. A value that differs becomes
 *   unknown.
 * - A loop is unrolled while everything about it is known and small, else repeated until its state no longer
 *   changes.
 * - Code after `exit` or `break` is still listed.
 * - A builtin or option that changes the meaning of later code in a way that is not modelled is a trouble.
 *
 *   shell_state.c       variables, positional parameters, directories; joins of two states
 *   emit.c              adds facts and derived texts
 *   order.c             when each fact may happen
 *   expand.c            words to fields
 *   expand_param.c      ${ }
 *   brace.c             brace expansion
 *   partial_paths.c     texts that contain unknown names
 *   eval.c              compound commands and lists
 *   redirect.c          redirections
 *   eval_test.c         [[ ]] and (( ))
 *   call.c              simple commands: functions, builtins
 *   program_effects.c   programs
 *   shells.c            bash -c and other shells
 *   variable_effects.c  variables that make programs run something
 *   zsh.c               such variables and functions of zsh alone
 *   choice.c            known texts that an unknown value may have
 *   odd_globs.c         patterns under dotglob and nocaseglob
 *   patch.c             files that a patch names
 *   include.c           files that a source text includes
 *   content.c           text that the request itself writes into files
 *   marks.c             features of the text itself (marks.h)
 *   builtin.c           the table of builtins; builtin_*.c implement them
 */
#pragma once
#include "base/pmap.h"
#include "knowledge/knowledge.h"
#include "shell/parse.h"
#include "shell/shell.h"

#define EVAL_DEPTH_MAX 200   /* nested evaluations */
#define CALL_DEPTH_MAX 12    /* nested function calls */
#define TEXT_DEPTH_MAX 24    /* texts derived from texts */
#define LOOP_MAX 40          /* iterations of a loop that are evaluated one by one */
#define LOOP_WORDS_MAX 256   /* words of a for loop that are evaluated one by one */
#define FIX_MAX 4            /* rounds of a loop before all variables become unknown */
#define FIELDS_MAX 4096      /* fields a word may expand to */
#define BRACE_MAX 1024       /* words one brace expansion may produce */
#define VALUE_MAX 65536      /* bytes; a longer value of a variable becomes unknown */
#define PARALLEL_WORDS_MAX 64 /* words after ::: for which parallel's command is evaluated one by one */
#define XARGS_INPUT_MAX 4096 /* bytes of known input that are split for xargs */
#define XARGS_LINES_MAX 64   /* lines of that input that become commands of their own */
#define ODD_PATTERNS_MAX 16  /* variants of one pattern with dotglob and nocaseglob */
#define ODD_COMPONENTS_MAX 64 /* components that the pattern may have */
#define CHOICES_MAX 4        /* texts remembered for an unknown value */
#define CHOICE_TEXT_MAX 4096 /* bytes of each text */
#define CONTENTS_MAX 64      /* texts of files remembered */
#define CONTENT_FACTS_MAX 256 /* facts found in those texts */
#define CONTENT_TEXTS_MAX 4  /* texts that one file may hold */
#define DIRS_MAX 4           /* possible directories of a command; more become "unknown" */
#define COMMAND_DIRS_MAX 64  /* directories of one command that runs several times */

/* ---- values ---- */

enum shell_value_kind { VALUE_TEXT, VALUE_LIST, VALUE_MAP };

struct item {                    /* element of an array; the key is a decimal index or a string */
	struct str key, text;
};

/* Texts that an unknown value may have (choice.c). */
struct choice_list {
	const struct choice_list *next;
	struct str text;
};

/* A variable, immutable. A variable that is not in the map was not assigned: it is the environment's. */
struct shell_value {
	enum shell_value_kind kind;
	bool set;                /* false: certainly unset */
	bool maybe;              /* may be unset, or may have another value */
	bool ambient;            /* its unknown parts come from the environment alone */
	bool exported, integer, upper, lower;
	/* exported, or integer/upper/lower, on some paths only */
	bool doubt_exported, doubt_kind;
	bool fixed;              /* may be readonly: an assignment may fail and leave the old value */
	bool open;               /* array with further, unknown elements */
	struct str likely;       /* how one of those probably looks; see struct word */
	struct str text;
	const struct choice_list *may; /* candidates if `text` is unknown */
	const struct item *items;
	size_t n;
};

struct func {                    /* one possible definition; `or` links to the others */
	const struct func *or;
	const struct syn_node *body;
	bool maybe_absent;       /* the name may also be no function */
};

/* The directories the shell may be in; n == 0: unknown. */
struct dirs {
	struct str at[DIRS_MAX];
	size_t n;
};

struct params {                  /* $1, $2, ...; a WORD_REST at the end: more may follow */
	const struct word *at;
	size_t n;
};

enum option {
	OPT_EXTGLOB = 1, OPT_LASTPIPE = 2, OPT_XPG_ECHO = 4, OPT_PATH_CHANGED = 8, OPT_FUNCS_EXPORTED = 16,
	OPT_ABORTS = 32, /* set -e, set -u, readonly: any command may end the script */
};

struct input {                   /* standard input: the unread rest, if known */
	bool known;
	bool script;             /* the running script is read from it, too */
	struct str rest;
	/* absolute path of the file it comes from, or empty; `rest` may still be unknown */
	struct str file;
};

struct shell_state {
	struct input in;
	const struct pmap *vars, *funcs, *aliases;
	const struct pmap *files; /* absolute path -> texts the request may have written there (content.c) */
	struct dirs dirs, dirs_ok, dirs_fail;
	bool cd_pending;         /* directory is dirs_ok if the last command succeeded, else dirs_fail */
	const struct dirs *stack;/* pushd's stack, newest first */
	size_t nstack;
	bool stack_unknown;
	struct params params;
	unsigned options;
	int status;              /* 0, 1 (failed), or -1 (unknown) */
	bool dead;               /* control flow does not reach this state */
};

struct output_sink { /* standard output that is captured */
	struct buf b;
	bool spoiled;            /* the output is unknown after all */
	bool may_miss;           /* holds one number, missing if the command fails */
	bool file;               /* the output goes to a file (content.c) */
	/* written after a command that may have ended the script (OPT_ABORTS) */
	bool doubtful;
};

/*
 * Commands that run in no known order. While a struct unordered is open, eval.moments collects the moments of
 * all facts found.
 */
struct unordered {
	size_t from;             /* index into eval.moments */
};
enum order {
	ORDER_KNOWN,             /* the order is known after all */
	ORDER_LOOP,              /* repeated until the end of the loop */
	ORDER_WAITED,            /* concurrent with each other, until all have ended */
	ORDER_BESIDE,            /* concurrent with all later code: background jobs, process substitutions */
	ORDER_ANY_TIME,          /* trap handlers */
};

struct loop {
	struct loop *outer;
	struct shell_state next, left; /* states joined at `continue` and `break`; dead if none */
	struct unordered turns;
	enum order order;
};

struct frame {                   /* a function call or a sourced text */
	struct frame *outer;
	struct shell_state returned;
	const struct pmap *locals; /* name -> the caller's value, or `absent` */
	/* locals declared under a condition, perhaps not local */
	const struct pmap *maybe;
	unsigned unsure;           /* eval.unsure when the function was called */
	bool function;
};

struct trap {                    /* text that may run at any time: handler, prompt */
	struct trap *next;
	struct str text;
	struct span at;
	bool prompt, done;
	/* runs at the end or in a subshell: its changes have no effect */
	bool apart;
	const struct pmap *vars, *funcs; /* maps when the trap was set; NULL: it was set more than once */
	unsigned since;          /* eval.changes at that time */
	enum dialect dialect;
};

struct seen_slot {
	struct str key;
	uint32_t value;          /* index of the text, for keys of texts */
	struct moment *when;     /* moment of the fact, or NULL */
	void *fact;
};

struct seen_table { /* hash table that only grows */
	struct seen_slot *slots;
	size_t n, cap;
};

struct link {
	struct link *next;
	struct str path;
	struct span at;          /* the command that makes the link */
};

struct file_reading { /* a file's text that is being read because it is executed */
	const struct file_reading *outer;
	const void *content;
};

struct pipe {                    /* <( ): the text printed into it */
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
	struct setting *settings; /* settings for the current command alone, latest first */
	struct output_sink *out; /* NULL: the output is not captured */
	/* innermost sink, kept while a redirection leads elsewhere: an exit affects it */
	struct output_sink *captured;
	struct loop *loop;
	struct frame *frame;
	struct trap *traps;
	const struct pmap *ever; /* every function ever defined */
	struct seen_table *seen; /* hash table of the facts already listed */
	unsigned *nmarks;        /* number of marks, by kind */
	struct span at;          /* the current command */
	/* how the last words of the current simple command and of the one before it probably look */
	struct str last_word, word_before;
	struct str likely_dir;   /* of a shell whose directory is not known; empty: no guess */
	/* joined states after an error ended a line of the innermost text */
	struct shell_state *aborted;
	bool ifs_touched, home_touched; /* the script may set IFS or HOME somewhere */
	unsigned line_reads;     /* count: a builtin read lines */
	unsigned script_reads;   /* count: a command may have read lines of its own script */
	unsigned aborts;         /* count: an error may have ended a line */
	unsigned changes;        /* count: deliberate changes of the state */
	const struct pmap *changed; /* variable -> number of its last change (`changes`) */
	unsigned forgot;         /* number of the last change that made every variable unknown */
	unsigned functions_lost; /* number of the last change that may have removed a function */
	bool odd_globs;          /* dotglob or nocaseglob may be on */
	bool functions_fixed;    /* readonly -f was used: a later definition may have no effect */
	bool trapped;            /* a handler runs between commands and may print */
	bool physical;           /* set -P: cd resolves symbolic links before .. */
	bool fds_closed;         /* fd 0, 1 or 2 may be closed: duplicating it may fail */
	bool shared_input;       /* a redirection may have reopened the outer standard input */
	bool may_miss;           /* output_sink.may_miss of the last substitution */
	/* nesting depth of $( ); all lines of one are parsed before the first runs */
	unsigned substitutions;
	bool script_input;       /* the script itself is read from standard input */
	bool exec_redirects;     /* exec without a command: its redirections persist */
	unsigned reads;          /* count: something may have read standard input */
	bool foreign;            /* chars.foreign of the last expand_single() */
	struct str likely;       /* how its result probably looks */
	struct dirs dirs_ever;   /* every directory the script may have been in */
	bool moved;              /* a command may run in another directory than the first one */
	/* nesting depth of programs that run commands on another machine or in a container */
	unsigned elsewhere;
	struct pipe *pipes;      /* newest first */
	const struct file_reading *reading; /* innermost file first */
	unsigned ncontents, nfound; /* file texts so far, and facts found in them */
	uint64_t content_fuel;   /* budget for file texts; while one is read, `fuel` holds the remainder */
	/* names that the script turns into links: a write there goes elsewhere */
	struct link *links;
	unsigned choice, choices, choices_inside; /* choice.c */
	unsigned unsure;         /* nesting depth of conditions since output was last captured */
	uint32_t clock;          /* number of simple commands so far */
	uint32_t nchanges;       /* number of file changes so far, repeated ones included */
	/* moment of every fact, for commands of code that is read later; or NULL */
	const struct moment *fixed;
	enum change_kind change; /* kind of change for the next write that is emitted */
	unsigned unordered;      /* nesting depth of struct unordered */
	struct moment **moments; /* moments of facts found since the outermost one was opened */
	size_t nmoments, moments_cap;
};

enum { LEAVE_STOPPED = -4 };     /* a bound was reached; the facts hold the trouble */

/* ---- eval.c ---- */
void eval_node(struct eval *e, const struct syn_node *n);
void eval_once(struct eval *e, const struct syn_node *n); /* as eval_node(), with the current choice only */
/* Evaluates text as a script of dialect d, in the current state. */
void eval_text(struct eval *e, struct str text, struct text_from from, struct span origin, enum dialect d);
/* As eval_text(), in a copy of the state (a subshell). */
void eval_text_apart(struct eval *e, struct str text, struct text_from from, struct span origin,
		enum dialect d);
void eval_apart(struct eval *e, const struct syn_node *n);
/* Evaluates text for "sh": as dash and as bash. */
void eval_text_sh(struct eval *e, struct str text, struct text_from from, struct span origin);
void eval_enter(struct eval *e);
static inline void eval_exit(struct eval *e) { e->depth--; }
void eval_burn(struct eval *e, uint64_t n);
void eval_traps(struct eval *e);
void parser_for(struct eval *e, struct parser *p, struct str text, uint32_t index);
/*
 * After parsing a text that is no script: an alias in a substitution in it would change the text, so that is
 * a trouble.
 */
void parsed_aliases(struct eval *e, const struct parser *p);
enum trap_kind { TRAP_ANY_TIME, TRAP_APART, TRAP_PROMPT };
void trap_add(struct eval *e, struct str text, struct span at, enum trap_kind kind);
void eval_prompt(struct eval *e, struct str text, struct span at);           /* variable_effects.c */
/* The command may not have run at all: joins its effects on state and output with those of not running it. */
void command_may_fail(struct eval *e, const struct shell_state *before, size_t mark);
void may_abort(struct eval *e);

/* ---- shell_state.c ---- */
extern const struct shell_value value_absent;
/* True for a parameter whose assignment zsh acts on: functions[ls]=... defines ls (zsh.c). */
bool zsh_table(struct str name);
bool zsh_function(struct str name); /* a hook function that zsh calls automatically (zsh.c) */
/* NULL: the environment's value */
const struct shell_value *var_get(const struct eval *e, struct str name);
void var_set(struct eval *e, struct str name, const struct shell_value *v);
/* Records that the variable has another value from now on. */
void var_changed(struct eval *e, struct str name);
/* Restores the values of `then` for variables that have not changed since then. */
void vars_keep(struct eval *e, const struct pmap *then, unsigned since);
/* Assigns text and keeps attributes. An integer is evaluated; upper and lower make the value unknown. */
void var_set_text(struct eval *e, struct str name, struct str text);
void var_set_unknown(struct eval *e, struct str name);
/* The unknown text that was just assigned probably looks like this. */
void var_hint(struct eval *e, struct str name, struct str likely);
void var_set_item(struct eval *e, struct str name, struct str key, bool key_known, struct str text,
		bool append);
void state_forget_vars(struct eval *e);                               /* makes every variable unknown */
/* Makes variables, functions, directory and parameters unknown. */
void state_forget(struct eval *e);
/* Sets the state to any state that this script may be in (for handlers). */
void state_any_time(struct eval *e);
struct params params_unknown(struct eval *e, struct span at);          /* any number of unknown parameters */
struct shell_state state_join(struct eval *e, const struct shell_state *x, const struct shell_state *y);
const struct pmap *vars_join(struct eval *e, const struct pmap *x, const struct pmap *y);
bool state_same(const struct shell_state *x, const struct shell_state *y);
/* Returns to an outer shell's state. Contents of files stay. */
void state_return(struct eval *e, const struct shell_state *outer);
struct shell_state state_dead(const struct shell_state *s);
void state_assume(struct shell_state *s, bool success);
bool text_numeric(struct str s);
struct dirs dirs_join(const struct dirs *x, const struct dirs *y);
struct str path_normal(struct arena *a, struct str base, struct str path); /* textually, as cd does */
void dirs_change(struct eval *e, struct str path);                    /* cd to an abstract path */
void dirs_forget_names(struct eval *e);                               /* makes PWD and OLDPWD unknown */
bool name_valid(struct str s);
#define HOLE ((struct str){"", 1})                                    /* the NUL of the literal is HOLE_ANY */
#define HOLE_NUMBER ((struct str){"\1", 1})

/* ---- emit.c ---- */
void emit_command(struct eval *e, const struct word *argv, size_t argc, struct span at);
void emit_access(struct eval *e, enum access_kind kind, struct word path, bool below, const char *by,
	struct span at);
/* Adds a read of a file that lists other file names, for the program `by`. */
void emit_listed_access(struct eval *e, struct word path, bool below, const char *by, struct span at);
void emit_redirect_access(struct eval *e, enum access_kind kind, struct word path, bool below,
	enum redir_op op, int fd, struct span at);
/* Adds an access that a program makes because a variable says so. */
void emit_variable_access(struct eval *e, enum access_kind kind, struct word path, bool below, const char *by,
	struct span at);
/* Adds a look at a known name or pattern, if it is in /tmp. */
void emit_look(struct eval *e, struct word path);
void emit_launch(struct eval *e, struct str name, struct span at);
/* Adds the assignment. A leading one is also added to e->settings. */
void emit_setting(struct eval *e, struct str name, struct str value, bool leading, struct span at);
void emit_touch(struct eval *e, struct word host, struct span at);
void emit_snippet(struct eval *e, const char *lang, struct word text, struct span at);
void emit_trouble(struct eval *e, enum trouble_kind kind, const char *message, struct span at);
bool first_reading(struct eval *e, uint32_t text, enum dialect d); /* true once per text and dialect */
uint32_t emit_text(struct eval *e, struct str bytes, struct text_from from, struct span origin);
/* A bound was reached: adds the trouble and leaves with LEAVE_STOPPED. */
void eval_stop(struct eval *e, const char *message) __attribute__((noreturn));
void emit_link(struct eval *e, struct word path, struct span at);
/* To be called at the end: a write through a link of the script becomes a write to an unknown path. */
void emit_through_links(struct eval *e);
/*
 * Commands found from now on are reached through this step. Returns the old e->via, for the caller to
 * restore.
 */
const struct via *via_enter(struct eval *e, struct via step);
void in_forget(struct eval *e);     /* any of the input may have been read */
void out_add(struct eval *e, struct str text);
void out_unknown(struct eval *e);   /* prints unknown text */
/* True if the sink holds exactly the output. */
bool out_known(const struct eval *e, const struct output_sink *s, bool one_command);
void out_leave(struct eval *e);     /* the script may end here: later output is uncertain */
size_t out_mark(const struct eval *e);
struct str out_since(struct eval *e, size_t mark);
void out_rewind(struct eval *e, size_t mark);
void out_doubt(struct eval *e, size_t mark); /* output since the mark may be missing */
void out_spoil(struct eval *e);     /* makes the whole output unknown */

/* ---- order.c ---- */
void order_tick(struct eval *e);                                      /* starts another simple command */
void order_found(struct eval *e, struct moment *when);                /* sets the moment of a new fact */
void order_found_again(struct eval *e, struct moment *when);
struct unordered order_open(struct eval *e);
void order_close(struct eval *e, struct unordered u, enum order order);
void order_close_program(struct eval *e, struct unordered u, size_t own_end, bool loops);
struct stage {                   /* stage of a pipeline */
	size_t to;               /* its end in eval.moments */
	uint32_t changes;        /* eval.nchanges at its end */
};
/* `changes` is eval.nchanges before the first stage. */
void order_close_stages(struct eval *e, struct unordered u, uint32_t changes, const struct stage *stages,
		size_t n);

/* ---- expand.c ---- */
struct fields {
	struct word *at;
	size_t n, cap;
};
void fields_add(struct eval *e, struct fields *fs, struct word w);
/* Appends the fields of the word after all expansions. */
void expand_word(struct eval *e, const struct syn_word *w, struct fields *ret);
/* Expands without splitting: for values of assignments. */
struct str expand_single(struct eval *e, const struct syn_word *w);
/*
 * Expands the file name of a redirection. Several words would be an error, so the result of splitting is
 * unknown.
 */
struct word expand_target(struct eval *e, const struct syn_word *w);
/* As expand_single(), without tildes after colons: for here-strings, case, [[ ]]. */
struct str expand_unsplit(struct eval *e, const struct syn_word *w);
/* Expands to a pattern: quoted characters get a backslash. */
struct str expand_pattern(struct eval *e, const struct syn_part *parts);
/* Expands as in double quotes. */
struct str expand_text(struct eval *e, const struct syn_part *parts);
/* Expands as in double quotes, for arithmetic. */
struct str expand_arith_text(struct eval *e, const struct syn_part *parts);
/* True, and *ret, if the word is a <( ) whose whole output is known. */
bool pipe_text(const struct eval *e, const struct word *w, struct str *ret);
struct word word_of(struct str text, struct span at);
struct word word_rest(struct span at);
/* Joins the words with blanks; a WORD_REST becomes a hole. */
struct str fields_join(struct eval *e, const struct word *at, size_t n);

/* Characters of a word under expansion, each with its kind. */
enum char_kind { CHAR_TEXT, CHAR_QUOTED, CHAR_EXPANDED, CHAR_BREAK, CHAR_EMPTY, CHAR_REST };
struct chars {
	struct buf b, kinds;
	/* how the unknown text from `hint_at` to `hint_to` probably looks; empty: no guess */
	struct str hint;
	size_t hint_at, hint_to;
	/* an unknown part comes from data that was read, not from the environment */
	bool foreign;
};
void chars_add(struct chars *c, struct str s, enum char_kind kind);
void chars_mark(struct chars *c, enum char_kind kind);
/* The last `n` bytes, which are unknown text or a mark, probably look like this. */
void chars_hint(struct chars *c, size_t n, struct str likely);
/* Returns the guess that tells more about secrets; `a` may be empty. */
struct str word_likely_best(struct str a, struct str b);
/* How this word probably looks: its text, the names of its pattern, or its guess. */
struct str word_likely(struct eval *e, const struct word *w);
struct how {
	bool quoted, arith;
	bool made;               /* word made by brace expansion: no tilde expansion after = */
	enum char_kind text;
};
/* Expands the parts with tildes. */
void expand_whole(struct eval *e, const struct syn_part *parts, struct how how, bool assigned,
		struct chars *out);
/* ---- expand_param.c ---- */
void expand_param(struct eval *e, const struct syn_param *pm, struct how how, struct chars *out,
		struct span at);
struct str param_ifs(const struct eval *e);
/* ---- partial_paths.c ---- */
/* True if the only unknown parts are names and numbers, and s is not empty. */
bool names_only(struct str s);
/* Returns the name that a file name pattern finds, or the pattern itself if it finds none. */
struct str names_of_pattern(struct eval *e, struct str pattern);
struct str names_join(struct eval *e, struct str a, struct str b);
struct str names_cut(struct eval *e, enum param_op op, struct str s, struct str pattern);
/* True if the text is exact, or if its only holes are numbers that are whole words. */
bool script_known(struct str text);
/* ---- brace.c ---- */
/* False: the word has no brace to expand. */
bool brace_expand(struct eval *e, const struct syn_word *w, struct syn_word **ret);

/* ---- eval_test.c ---- */
struct number_result { bool known; int64_t n; };
struct number_result eval_arith(struct eval *e, struct str text);
struct number_result eval_arith_parts(struct eval *e, const struct syn_part *parts);
int eval_test(struct eval *e, const struct syn_test *t);       /* 0 true, 1 false, -1 unknown */
int test_command(struct eval *e, const struct word *argv, size_t argc); /* the operands of test and [ */
/*
 * Resolves a variable named by a word at run time, perhaps with a subscript, which is evaluated. False: the
 * name is unknown.
 */
bool var_reference(struct eval *e, struct str ref, struct str *ret_name, bool *ret_sub, struct str *ret_key,
		bool *ret_key_known);
void var_assign_reference(struct eval *e, struct str ref, struct str text, bool append);
struct str subscript_key(struct eval *e, const struct shell_value *v, struct str text, bool *ret_known);

/* ---- redirect.c ---- */
struct content;
struct written {                 /* file that receives the output */
	struct str path;
	const struct content *old; /* earlier content, if appended to */
};
struct io {
	struct output_sink *out;
	struct input in;
	bool replaced, reopened;
	struct output_sink sink;        /* output for these files */
	struct written files[DIRS_MAX];
	size_t nfiles;
};
/*
 * Saves the old state in *keep for redirect_undo(). True if opening a file may fail; then the command does
 * not run.
 */
bool eval_redirect(struct eval *e, const struct syn_redir *r, struct io *keep);
/* True unless the path is certainly outside /dev and /proc, in any spelling, or is /dev/null. */
bool may_be_device(const struct eval *e, struct word path);
void redirect_undo(struct eval *e, struct io *keep);
void redirect_unread(struct eval *e, struct io *keep); /* stops following the text written to the file */

/* ---- choice.c ---- */
void choice_eval(struct eval *e, const struct syn_node *n);
/* Returns `to` plus the texts that v may have. */
const struct choice_list *choice_of(struct eval *e, const struct choice_list *to,
		const struct shell_value *v);
/* True: *ret is the text that the current choice takes from `may`. */
bool choice_text(struct eval *e, const struct choice_list *may, struct str *ret);
/* ${x:-word}, x may be one of these: does the current choice take the word? */
bool choice_word(struct eval *e, const struct choice_list *may);
/* Begins a substitution: the choices of its commands are choices of its output. */
unsigned choice_substitution(struct eval *e);
void choice_substituted(struct eval *e, unsigned outer);

/* ---- odd_globs.c ---- */
/*
 * Returns the other meanings of an absolute path with wildcards or unknown names, under dotglob and
 * nocaseglob. False: too many.
 */
bool odd_patterns(struct eval *e, const struct word *path, struct str ret[ODD_PATTERNS_MAX], size_t *ret_n);

/* ---- include.c ---- */
void includes_read(struct eval *e, const char *op, const struct word *argv, size_t argc); /* for a compiler */

/* ---- content.c ---- */
/* Standard output goes to this path: prepares io->sink and io->files. */
void content_open(struct eval *e, struct word path, bool append, struct io *io);
bool content_spend(struct eval *e, uint64_t n); /* false: budget used up, the text becomes unknown */
void content_close(struct eval *e, const struct io *io);
void content_tee(struct eval *e, const struct word *argv, size_t argc, const struct pmap *before);
void content_changed(struct eval *e, const struct access *x); /* after a write or a delete */
const struct pmap *content_join(struct eval *e, const struct pmap *x, const struct pmap *y);
/* Returns the i-th text that the file may have; false if there are fewer. */
bool content_text(struct eval *e, struct word path, size_t i, struct str *ret);
/*
 * Reads the text of a file that the program `by` executes ("source"; empty: the interpreter of its first
 * line).
 */
void content_run(struct eval *e, struct word path, struct str by, const struct word *argv, size_t args,
		size_t argc);

/* ---- call.c ---- */
enum { CALL_FUNCTIONS = 1, CALL_BUILTINS = 2, CALL_PROGRAMS = 4, CALL_ALL = 7 };
void eval_simple(struct eval *e, const struct syn_node *n);
/* Runs a command for another one: it is listed with this step added. */
void call_via(struct eval *e, struct via step, const struct word *argv, size_t argc, unsigned what,
	struct span at);
enum assign_scope { ASSIGN_PLAIN, ASSIGN_EXPORT, ASSIGN_LEADING }; /* X=1; export X=1; X=1 cmd */
void eval_assign(struct eval *e, const struct syn_assign *as, enum assign_scope scope);
struct str value_appended(struct eval *e, const struct shell_value *old, struct str text); /* old += text */
/* Evaluates a program with its arguments (program_effects.c). */
void call_program(struct eval *e, const struct word *argv, size_t argc);
/*
 * Evaluates text that a shell will run, started by the program `name`. more: the program appends unknown
 * words.
 */
void inner_script(struct eval *e, const char *name, struct str text, bool more, struct span at);

/* ---- patch.c ---- */
/*
 * Lists the files named by a patch or by other data given to a program. If the data are unknown: everything
 * below the directory.
 */
void names_from_data(struct eval *e, const struct know_result *k, const struct know_use *u,
		const struct word *argv, size_t argc);

/* ---- variable_effects.c ---- */
/* Lists the assignment and whatever it makes programs run: PS4, PATH, BASH_ENV ... */
void assign_effect(struct eval *e, struct str name, struct str value, enum assign_scope scope,
		struct span at);
/* Lists the files that these variables name relative to the directory of the program that starts now. */
void relative_effects(struct eval *e, const struct pmap *vars);
/* The same for one variable; nothing if its value is absolute or names no file. */
void relative_effect(struct eval *e, struct str name, struct str value, struct span at);
bool system_path(struct str path);  /* true for a program in a system directory */

/* ---- shells.c ---- */
/* False: not a shell. */
bool shell_program(struct eval *e, struct str base, const struct word *argv, size_t argc);
/*
 * Evaluates the text of a script that this shell runs; its arguments are argv[args, argc). False: not a
 * shell.
 */
bool shell_text(struct eval *e, struct str base, struct str text, const struct word *argv, size_t args,
		size_t argc);

/* ---- builtin.c ---- */
struct builtin_call {
	struct eval *e;
	const struct word *argv;
	size_t argc;
	const struct syn_assign *const *from; /* per word: the assignment it was parsed as, or NULL */
	struct span at;
};
/* False: not a builtin. */
bool builtin_run(struct eval *e, struct str name, const struct word *argv, size_t argc,
		const struct syn_assign *const *from);
bool builtin_is(const struct eval *e, struct str name);
bool shopt_harmless(struct str name); /* builtin_flow.c: the option changes nothing that is modelled */
