/*
 * JavaScript: names and constants by abstract values. Inside src/code/javascript*.c only.
 *
 * The principle: every function that has an effect is reached from a name that the language or its runtime
 * gives (fs, require, process, eval). The values of such names are followed through variables, patterns,
 * literals, members and imports. Where one of them goes somewhere that is not followed (an argument of a
 * function of the text, a return, an array that is filled later), it counts there as called with unknown
 * arguments, or the code is not complete. So a value that is not followed is harmless to call, and the
 * methods of unknown objects need no list.
 *
 * Values do not depend on the order of the statements or on scopes: a name stands for all that is ever
 * assigned to it anywhere in the text.
 */
#pragma once
#include "code/tree.h"

#define JS_UNION_MAX 8         /* values one name may stand for */
#define JS_ITEMS_MAX 64        /* of a literal whose keys or values are asked for */
#define JS_ARGS_MAX 64         /* arguments of one call that are looked at */
#define JS_STEPS_BASE 100000   /* evaluations of one text: ... */
#define JS_STEPS_PER_BYTE 8    /* ... and as many more for each byte, but ... */
#define JS_STEPS_MAX 2000000   /* ... no more than this */
#define JS_EVAL_DEPTH_MAX 120  /* of one evaluation */
#define JS_PATTERN_DEPTH_MAX 16
#define JS_TEXT_MAX 16384      /* bytes of one folded text */
#define JS_WORDS_MAX 1024      /* of an argv */
#define JS_PATH_PARTS_MAX 12

enum js_kind {
	JS_UNKNOWN = 0, /* nothing that has an effect when it is called; any text */
	JS_TEXT,        /* abstract text */
	JS_NUM,         /* a number; `text` holds its digits when it is a plain integer */
	JS_PATH,        /* a thing of the runtime, by its qualified name */
	JS_NODE,        /* a literal of the text: object, array, function, class */
	JS_NAMES,       /* an array of names of files */
	JS_PACKAGE,     /* what a package or a file exports: run in the box, so not followed */
	JS_UNDEF,       /* undefined: as a text it is its name, and nothing can be done with it otherwise */
	/* Object.keys, .values, .entries of a literal; `text` says which, "entry" is one of the last */
	JS_ITEMS,
};

struct js_value {
	enum js_kind kind;
	struct str text;
	TSNode node;
};

struct js_set {
	struct js_value v[JS_UNION_MAX];
	size_t n;
};

/* Where a name gets a value from. */
enum js_from { JS_FROM_EXPR, JS_FROM_PATH, JS_FROM_MEMBER, JS_FROM_KEY, JS_FROM_ELEMENT, JS_FROM_INDEX,
		JS_FROM_NOWHERE, JS_FROM_NUMBER, JS_FROM_PARAM };

struct js_source {
	enum js_from from;
	TSNode node;                 /* EXPR; KEY: the key of a pattern, which may be computed */
	struct str key;              /* PATH: the qualified name; MEMBER: the key; PARAM: the function */
	size_t index;                /* PARAM */
	const struct js_source *of;  /* MEMBER, KEY, ELEMENT, INDEX */
};

struct js_def {
	struct js_def *next;
	const struct js_source *source;
};

struct js_site {                 /* a call of a function of the text, by its name */
	struct js_site *next;
	TSNode call;
};

struct js_env {                  /* a variable that the code puts into its environment */
	struct js_env *next;
	const char *name;
	struct str value;
	TSNode at;
};

struct js_name {
	struct js_name *next;
	struct str name;
	struct js_def *defs;
	bool declared;  /* somewhere in the text */
	bool top;       /* outside of all functions: hides the runtime's name everywhere */
	bool stored;    /* a property of this name is assigned to somewhere */
	struct js_def *stores; /* ... these */
	bool storing;          /* they are being found out */
	const struct js_set *store_value; /* all of them together, when that was found out */
	bool undef;     /* it may be used before it has a value */
	bool is_var, ref_many;
	uint32_t var_at, ref_at;           /* where it is declared with a value, and first used */
	/* in which function; of uses only those in functions that are hoisted */
	const void *var_fn, *ref_fn;
	bool busy, done;
	struct js_set value;
	struct js_site *sites;
	/* all identifiers of this name; definitions; calls; definitions that are functions */
	size_t refs, ndefs, nsites, nfunctions;
	bool property;  /* there is a property of this name */
	bool own;       /* the text gives one to an object or class */
	bool row_known; /* of the qualified name */
	enum { JS_GLOBAL_UNKNOWN, JS_GLOBAL_YES, JS_GLOBAL_NO } global;
	const struct js_row *row;
};

/* Results per node, so that each node is evaluated once. */
struct js_memo {
	struct js_memo *next;
	const void *id;
	const struct js_value *value; /* `n` of them, 0: not evaluated yet */
	size_t n;
	enum { JS_DANGER_UNKNOWN, JS_DANGER_YES, JS_DANGER_NO } danger;
	bool busy;                   /* a function: what it gives back is being found out */
	bool owner_said;             /* a key of a pattern: js_check_owner() found something */
};

struct js {
	struct js_name **names;  /* tables of nchains chains each, a power of two */
	struct js_memo **memos;
	size_t nchains;
	size_t steps, cycles;    /* steps: what is left */
	unsigned busy, depth;
	bool bound_said;
	bool feeds;              /* something is written to the input of a program, perhaps */
	bool sloppy_this;        /* `this` stands outside of classes */
	bool uses_arguments;
	bool shadows;            /* names of the runtime are defined */
	/* names are assigned or declared that may belong to the code around this text */
	bool assigns;
	bool arrays_change;      /* arrays are changed in place somewhere */
	bool arrays_move;        /* their elements may stand elsewhere than where they were written */
	bool stores_any;         /* some member of something is assigned to */
	bool stores_computed;    /* members with unknown names are assigned to */
	bool keys_computed;      /* a literal or class has members with computed names */
	bool streams;            /* of files: opened later, by what their members say then */
	/* where a member of something unknown is assigned to that may be one of these */
	TSNode stream_store;
	bool computed_read, unknown_call; /* both together may reach the constructor of functions */
	TSNode computed_at;
	TSNode up[CODE_DEPTH_MAX + 1]; /* ancestors of the node that is walked */
	unsigned nup;
	unsigned functions;            /* around it */
	uint32_t *own_this;            /* where `this` stands inside a class, in order */
	size_t nthis, this_cap;
	TSNode root;
	struct js_env *env;
	bool environment_leaks;          /* process.env goes to something that is not followed */
};

static inline struct js *js_of(const struct code_walk *w) { return w->own; }

/* ---- javascript_tree.c: nodes, names, and what is assigned where ---- */
TSNode *js_children(struct code_walk *w, TSNode n, size_t *ret_n); /* named ones, without comments */
TSNode js_last_child(struct code_walk *w, TSNode n);               /* named; null when there is none */
struct js_memo *js_memo_get(struct code_walk *w, TSNode n);
struct js_name *js_name_get(struct code_walk *w, struct str name);
/* the value of a string or of the fixed part of a template */
struct str js_string(struct code_walk *w, TSNode string);
struct str js_escape(struct code_walk *w, struct str escape);
bool js_is_function(TSNode n);
/* is it node that runs this? The others take it for TypeScript, and texts for functions */
bool js_in_node(const struct code_walk *w);
void js_collect(struct code_walk *w, TSNode root);
/*
 * Is this the name of one function of the text that is only ever called by it, so that its parameters are the
 * arguments of these calls?
 */
bool js_closed(struct code_walk *w, struct str name);
/* A key that is put together: would the first pass have taken note of the word? */
bool js_unseen(struct code_walk *w, struct str key);

/* ---- javascript_value.c ---- */
struct js_set js_eval(struct code_walk *w, TSNode n);
struct js_set js_member(struct code_walk *w, const struct js_set *of, struct str key, TSNode n);
/* A member that only some objects may give away without a marker (javascript.c). */
void js_check_owner(struct code_walk *w, const struct js_set *object, struct str key, TSNode n);
/* The possible keys of a literal, of a class or of a pattern. */
struct js_set js_keys(struct code_walk *w, TSNode key);
/* The key of a member or subscript expression: false when it is not one known text. */
bool js_key(struct code_walk *w, TSNode n, struct str *ret_key);
bool js_danger(struct code_walk *w, const struct js_set *s);
struct js_set js_one(struct js_value v);
void js_add(struct code_walk *w, struct js_set *s, struct js_value v, TSNode n);
void js_add_all(struct code_walk *w, struct js_set *s, const struct js_set *more, TSNode n);
void js_bound(struct code_walk *w, TSNode n); /* one is reached */
/* Text of one value: a hole when it has none. */
struct str js_text(const struct js_value *v);
/* The one text that a set stands for, or a hole. */
struct str js_set_text(const struct js_set *s);

/* ---- javascript_result.c ---- */
struct js_set js_result(struct code_walk *w, TSNode n); /* of a call or new expression */

/* ---- javascript_fold.c ---- */
struct js_set js_concat(struct code_walk *w, const struct js_set *a, const struct js_set *b, TSNode n);
/* The result of a pure function of the runtime; false: unknown. */
bool js_fold_call(struct code_walk *w, struct str path, TSNode *args, size_t nargs, TSNode n,
	struct js_set *ret);
bool js_fold_method(struct code_walk *w, const struct js_set *object, struct str name, TSNode *args,
	size_t nargs, TSNode n, struct js_set *ret);
bool js_fold_member(struct code_walk *w, struct str path, struct js_value *ret);

/* ---- javascript_table.c ---- */
enum js_act {
	JS_ACT_NONE = 0,   /* nothing is known: a marker */
	JS_ACT_PURE,       /* no effect */
	JS_ACT_INERT,      /* no effect, and whatever it is given is not called */
	JS_ACT_MARK,       /* `what` is the id */
	/*
	 * `what`: pairs of a letter and the argument's number: r w d x (upper case: and below), o: deleted,
	 * and below when options follow, m: a new name is added, f: read unless the options say otherwise
	 */
	JS_ACT_FILES,
	/* a file, by the flags of the second argument; `what`: the flag when there is none */
	JS_ACT_OPEN,
	/* ARGV: one array, or an object with cmd (Bun.spawn, Deno.run) */
	JS_ACT_SHELL, JS_ACT_SPAWN, JS_ACT_FORK, JS_ACT_ARGV,
	JS_ACT_COMMAND,    /* Deno.Command */
	/* `what`: number of the argument that is an address, or of host and port; empty: any host */
	JS_ACT_NET,
	JS_ACT_EVAL,       /* code: `what` is the number of the argument */
	JS_ACT_FUNCTION,   /* code: the last argument */
	JS_ACT_TIMER,      /* a function, or code */
	JS_ACT_REQUIRE,
	JS_ACT_CREATE_REQUIRE,
	JS_ACT_PROMISIFY,  /* gives its argument back, in effect; `what`: also a literal */
	JS_ACT_WORKER,
	JS_ACT_STORE,      /* Object.assign and its kin: tampering when the first argument is the runtime's */
};

struct js_row {
	/* "fs.rm" stands for fs.rmSync and fs.promises.rm, too; a last part "*" for all that has no row */
	char name[48];
	enum js_act act;
	char what[32];
};

const struct js_row *js_row(struct code_walk *w, struct str path);
/*
 * The qualified name in its one spelling: "fs/promises" and "node:fs", module.require, globalThis.process ...
 */
struct str js_canonical(struct code_walk *w, struct str path);
/* "" when it is no module of the runtime. */
struct str js_builtin(struct str specifier);
bool js_global(struct code_walk *w, struct str name); /* a name that the runtime gives */
bool js_effect_name(struct str method);

/* ---- javascript_call.c ---- */
struct js_call {
	struct str path;
	const struct js_row *row;
	TSNode *args;
	size_t nargs;
	bool open;     /* more arguments may follow, or all are unknown */
	TSNode n;
	const char *op;
};

/* false: there is no such argument. */
bool js_argument(struct code_walk *w, const struct js_call *c, size_t i, struct js_set *ret);
/* A member of the options that argument `from` or a later one may be. False: there surely is none. */
bool js_option(struct code_walk *w, const struct js_call *c, size_t from, const char *key,
	struct js_set *ret);
bool js_is_list(const struct js_set *s); /* no options, no function */
/* ---- javascript_net.c ---- */
void js_touch(struct code_walk *w, const struct js_call *c);
struct str js_url_host(struct str url);
/* ---- javascript_call.c ---- */
/* n: a call or new expression. */
void js_call(struct code_walk *w, TSNode n);
void js_tagged(struct code_walk *w, TSNode n);
/* A value goes where it is not followed. */
void js_escaped(struct code_walk *w, const struct js_set *s, TSNode n);
/* It matters only to programs that are started, perhaps later in the text. */
void js_env_add(struct code_walk *w, struct str name, struct str value, TSNode n);
void js_environment(struct code_walk *w, struct str name, struct str value, TSNode n);
/*
 * Members that are assigned anywhere and look like variables may reach an environment that is not followed.
 */
void js_stored_environment(struct code_walk *w, TSNode n);
/* require() or import of this. */
struct js_set js_load(struct code_walk *w, struct str specifier);
void js_loaded(struct code_walk *w, const struct js_set *specifiers, const char *op, TSNode n);
