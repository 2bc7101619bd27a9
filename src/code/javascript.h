/*
 * JavaScript by abstract interpretation of names and constants. Inside src/code/javascript*.c only.
 *
 * Principle: code reaches every function with an effect from a name that the language or its runtime provides
 * (fs, require, process, eval). The evaluator tracks the values of these names through variables, patterns,
 * literals, members and imports. A value escapes where tracking ends: as an argument of a function of the
 * text, in a return, in an array that is filled later. There it counts as called with unknown arguments, or
 * the code is incomplete. So an untracked value is harmless to call, and the methods of unknown objects need
 * no list.
 *
 * Values do not depend on statement order or scope: a name stands for everything that is assigned to it
 * anywhere in the text.
 */
#pragma once
#include "code/tree.h"

#define JS_UNION_MAX 8         /* possible values of one name */
#define JS_ITEMS_MAX 64        /* items of a literal whose keys or values are listed */
#define JS_ARGS_MAX 64         /* arguments of one call that are evaluated */
#define JS_STEPS_BASE 100000   /* evaluation budget of one text, ... */
#define JS_STEPS_PER_BYTE 8    /* ... plus this much per byte, ... */
#define JS_STEPS_MAX 2000000   /* ... at most this */
#define JS_EVAL_DEPTH_MAX 120  /* nesting of evaluations */
#define JS_PATTERN_DEPTH_MAX 16
#define JS_TEXT_MAX 16384      /* bytes of one folded text */
#define JS_WORDS_MAX 1024      /* words of an argv */
#define JS_PATH_PARTS_MAX 12

enum js_kind {
	JS_UNKNOWN = 0, /* any text, or an object that has no effect when called */
	JS_TEXT,        /* abstract text */
	JS_NUM,         /* a number; `text` holds its digits when it is a plain integer */
	JS_PATH,        /* an object of the runtime; `text`: its qualified name */
	JS_NODE,        /* a literal of the text: object, array, function, class */
	JS_NAMES,       /* an array of file names */
	JS_PACKAGE,     /* exports of a package or file: its code runs in the box, so they are not tracked */
	JS_UNDEF,       /* undefined: "undefined" as text; any other use fails */
	/*
	 * Object.keys, .values or .entries of a literal; `text`: which of them; "entry": one item of .entries
	 */
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

/* The origin of a name's value. */
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

struct js_site {                 /* a call of one of the text's functions, by name */
	struct js_site *next;
	TSNode call;
};

struct js_env {                  /* an environment variable that the code sets */
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
	bool top;       /* declared outside all functions: hides the runtime's name everywhere */
	bool stored;    /* some property of this name is assigned */
	struct js_def *stores; /* the values assigned to these properties */
	bool storing;          /* store_value is being computed */
	const struct js_set *store_value; /* union of all `stores`; NULL: not computed yet */
	bool undef;     /* it may be read before it has a value */
	bool is_var, ref_many;
	/* offset of the declaration with a value; offset of the first use */
	uint32_t var_at, ref_at;
	/* functions that contain them; ref_fn only for uses in hoisted functions */
	const void *var_fn, *ref_fn;
	bool busy, done;
	struct js_set value;
	struct js_site *sites;
	/* identifiers of this name; definitions; calls; definitions that are functions */
	size_t refs, ndefs, nsites, nfunctions;
	bool property;  /* the text mentions a property of this name */
	bool own;       /* the text defines this property in an object or class */
	bool row_known; /* `row` was looked up for the qualified name */
	enum { JS_GLOBAL_UNKNOWN, JS_GLOBAL_YES, JS_GLOBAL_NO } global;
	const struct js_row *row;
};

/* Cached results per node, so that each node is evaluated once. */
struct js_memo {
	struct js_memo *next;
	const void *id;
	const struct js_value *value; /* n values; n == 0: not evaluated yet */
	size_t n;
	enum { JS_DANGER_UNKNOWN, JS_DANGER_YES, JS_DANGER_NO } danger;
	bool busy;                   /* function node: its return value is being computed */
	bool owner_said;             /* key of a pattern: js_check_owner() added a marker */
};

struct js {
	struct js_name **names;  /* hash tables of nchains chains each, a power of two */
	struct js_memo **memos;
	size_t nchains;
	size_t steps, cycles;    /* steps: remaining budget */
	unsigned busy, depth;
	bool bound_said;
	bool feeds;              /* the code may write to the standard input of a program */
	bool sloppy_this;        /* `this` occurs outside classes */
	bool uses_arguments;
	bool shadows;            /* the text defines names of the runtime */
	/* the text assigns or declares names that may belong to the surrounding code */
	bool assigns;
	bool arrays_change;      /* some array is changed in place */
	bool arrays_move;        /* array elements may have moved to another index */
	bool stores_any;         /* some member is assigned */
	bool stores_computed;    /* some member with an unknown name is assigned */
	bool keys_computed;      /* a literal or class has members with computed names */
	/* file streams exist: they are opened later, by their members at that time */
	bool streams;
	/* assignment to a member of an unknown object, which may be a file stream */
	TSNode stream_store;
	/*
	 * computed member read, and call of an unknown value: together they may reach the Function
	 * constructor
	 */
	bool computed_read, unknown_call;
	TSNode computed_at;
	TSNode up[CODE_DEPTH_MAX + 1]; /* ancestors of the current node */
	unsigned nup;
	unsigned functions;            /* number of functions around the current node */
	uint32_t *own_this;            /* offsets of `this` inside classes, sorted */
	size_t nthis, this_cap;
	TSNode root;
	struct js_env *env;
	bool environment_leaks;          /* process.env escapes */
};

static inline struct js *js_of(const struct code_walk *w) { return w->own; }

/* ---- javascript_tree.c: nodes, names, assignments ---- */
TSNode *js_children(struct code_walk *w, TSNode n, size_t *ret_n); /* named children, without comments */
/* last named child; null if there is none */
TSNode js_last_child(struct code_walk *w, TSNode n);
struct js_memo *js_memo_get(struct code_walk *w, TSNode n);
struct js_name *js_name_get(struct code_walk *w, struct str name);
/* value of a string, or of the fixed part of a template */
struct str js_string(struct code_walk *w, TSNode string);
struct str js_escape(struct code_walk *w, struct str escape);
bool js_is_function(TSNode n);
/*
 * True if node runs this code. The other runtimes read it as TypeScript and accept text as a timer's
 * function.
 */
bool js_in_node(const struct code_walk *w);
void js_collect(struct code_walk *w, TSNode root);
/*
 * True if exactly one function of the text has this name and it is used only in calls by that name. Its
 * parameters are then the arguments of these calls.
 */
bool js_closed(struct code_walk *w, struct str name);
/*
 * True if `key`, computed at run time, is a name that the first pass would have had to note as a property but
 * did not see.
 */
bool js_unseen(struct code_walk *w, struct str key);

/* ---- javascript_value.c ---- */
struct js_set js_eval(struct code_walk *w, TSNode n);
struct js_set js_member(struct code_walk *w, const struct js_set *of, struct str key, TSNode n);
/* Adds a marker if reading member `key` of `object` may give away a dangerous value (javascript.c). */
void js_check_owner(struct code_walk *w, const struct js_set *object, struct str key, TSNode n);
/* The possible keys of a literal, of a class or of a pattern. */
struct js_set js_keys(struct code_walk *w, TSNode key);
/* Sets *ret_key to the key of a member or subscript expression. False if it is not one known text. */
bool js_key(struct code_walk *w, TSNode n, struct str *ret_key);
bool js_danger(struct code_walk *w, const struct js_set *s);
struct js_set js_one(struct js_value v);
static inline struct js_set js_unknown(void) { return js_one((struct js_value){.kind = JS_UNKNOWN}); }
static inline struct js_set js_path(struct str name)
{
	return js_one((struct js_value){.kind = JS_PATH, .text = name});
}
void js_add(struct code_walk *w, struct js_set *s, struct js_value v, TSNode n);
void js_add_all(struct code_walk *w, struct js_set *s, const struct js_set *more, TSNode n);
void js_bound(struct code_walk *w, TSNode n); /* records that a bound was reached */
/* The text of one value; a hole if it has no text. */
struct str js_text(const struct js_value *v);
/* The single text of a set, or a hole. */
struct str js_set_text(const struct js_set *s);

/* ---- javascript_result.c ---- */
struct js_set js_result(struct code_walk *w, TSNode n); /* value of a call or new expression */

/* ---- javascript_fold.c ---- */
struct js_set js_concat(struct code_walk *w, const struct js_set *a, const struct js_set *b, TSNode n);
/* Sets *ret to the result of a pure function of the runtime. False if the result is unknown. */
bool js_fold_call(struct code_walk *w, struct str path, TSNode *args, size_t nargs, TSNode n,
	struct js_set *ret);
bool js_fold_method(struct code_walk *w, const struct js_set *object, struct str name, TSNode *args,
	size_t nargs, TSNode n, struct js_set *ret);
bool js_fold_member(struct code_walk *w, struct str path, struct js_value *ret);

/* ---- javascript_table.c ---- */
enum js_act {
	JS_ACT_NONE = 0,   /* unknown: adds a marker */
	JS_ACT_PURE,       /* no effect */
	JS_ACT_INERT,      /* no effect, and it does not call its arguments */
	JS_ACT_MARK,
	/*
	 * `what`: pairs of a letter and an argument number. r w d x: read, write, delete, execute (upper
	 * case: the whole tree); o: deletes, with options the whole tree; m: creates a name; f: reads, unless
	 * the options say otherwise; l: target of a link; e: file with variables
	 */
	JS_ACT_FILES,
	/* opens a file with the flags in the second argument; `what`: default flag */
	JS_ACT_OPEN,
	/* ARGV: one array, or an object with the member cmd (Bun.spawn, Deno.run) */
	JS_ACT_SHELL, JS_ACT_SPAWN, JS_ACT_FORK, JS_ACT_ARGV,
	JS_ACT_COMMAND,    /* Deno.Command */
	JS_ACT_NET,        /* `what`: argument number of the address; empty: any host */
	JS_ACT_LISTEN,     /* on all interfaces */
	JS_ACT_BIND,       /* server.listen() */
	JS_ACT_SERVER,     /* listens after a call of listen() */
	JS_ACT_PORT,       /* connects to a port and host, or to a socket */
	JS_ACT_EVAL,       /* evaluates code; `what`: argument number */
	JS_ACT_FUNCTION,   /* evaluates code: the last argument */
	JS_ACT_TIMER,      /* takes a function, or code as text */
	JS_ACT_REQUIRE,
	JS_ACT_CREATE_REQUIRE,
	JS_ACT_PROMISIFY,  /* returns its argument or an equivalent of it; `what`: also for literals */
	JS_ACT_WORKER,
	/* Object.assign and similar: tampering if the first argument belongs to the runtime */
	JS_ACT_STORE,
};

struct js_row {
	/*
	 * "fs.rm" also matches fs.rmSync and fs.promises.rm; a last part "*" matches every name without a row
	 */
	char name[CODE_NAME_MAX];
	enum js_act act;
	enum marker marker; /* JS_ACT_MARK */
	char what[44];
};
extern const struct js_row js_rows[]; /* sorted by bytes */
extern const size_t js_rows_n;

const struct js_row *js_row(struct code_walk *w, struct str path);
/*
 * Returns the canonical qualified name: resolves "fs/promises", "node:fs", module.require, globalThis.process
 * ...
 */
struct str js_canonical(struct code_walk *w, struct str path);
/* Returns the canonical name of a runtime module, "" for any other module. */
struct str js_builtin(struct str specifier);
bool js_global(struct code_walk *w, struct str name); /* true for a name that the runtime provides */
bool js_effect_name(struct str method);

/* ---- javascript_call.c ---- */
struct js_call {
	struct str path;
	const struct js_row *row;
	TSNode *args;
	size_t nargs;
	bool open;     /* further arguments may exist, or all are unknown */
	TSNode n;
	const char *op;
};

/* False if there is no such argument. */
bool js_argument(struct code_walk *w, const struct js_call *c, size_t i, struct js_set *ret);
/*
 * Sets *ret to the member `key` of the options, which may be argument `from` or a later one. False if it is
 * certainly absent.
 */
bool js_option(struct code_walk *w, const struct js_call *c, size_t from, const char *key,
	struct js_set *ret);
bool js_is_list(const struct js_set *s); /* true if it is neither options nor a function */
/* ---- javascript_net.c ---- */
void js_touch(struct code_walk *w, const struct js_call *c);
struct str js_url_host(struct str url);
/* ---- javascript_call.c ---- */
/* Records the effects of a call; n is a call or new expression. */
void js_call(struct code_walk *w, TSNode n);
void js_tagged(struct code_walk *w, TSNode n);
/* Records that a value escapes: it counts as called with unknown arguments. */
void js_escaped(struct code_walk *w, const struct js_set *s, TSNode n);
/*
 * Queues a variable of the environment. It affects only child processes, and these may start later in the
 * text.
 */
void js_env_add(struct code_walk *w, struct str name, struct str value, TSNode n);
void js_environment(struct code_walk *w, struct str name, struct str value, TSNode n);
/* Any assigned member that looks like a variable may reach an untracked environment: reports them all. */
void js_stored_environment(struct code_walk *w, TSNode n);
/* Returns the value of require() or import of this module. */
struct js_set js_load(struct code_walk *w, struct str specifier);
void js_loaded(struct code_walk *w, const struct js_set *specifiers, TSNode n);
