/*
 * Declarations shared by the Python walker, evaluator and tables. Inside src/code/python*.c only.
 *
 * The analysis ignores statement order. A name stands for everything that is ever bound to it in its scope;
 * an expression stands for a small set of values.
 *
 * A function with an effect may be mentioned in two places: as the callee of a call, and on the right of an
 * assignment to a plain name. Anywhere else it escapes, and counts as called there with unknown arguments.
 * Modules must not escape at all. So an unknown value is never a module, and calling it has no effect that
 * was not counted at its mention. Methods of unknown values are judged by their names.
 */
#pragma once
#include "base/pmap.h"
#include "code/tree.h"

/* possible values of one expression; with more, the expression is unknown */
#define PY_VALUES_MAX 8
#define PY_PLAIN_DEPTH_MAX 4       /* nesting of lists that are searched when there are more */
#define PY_FUEL_BASE 100000        /* evaluation budget of one snippet, ... */
#define PY_FUEL_PER_BYTE 8         /* ... plus this much per byte, ... */
#define PY_FUEL_MAX 3000000        /* ... at most this */
#define PY_EVAL_DEPTH_MAX 60       /* nesting of expressions, through names */
#define PY_ITEMS_MAX 64            /* known items of a literal list */
#define PY_ARGS_MAX 32             /* arguments of one call that are evaluated */
#define PY_TEXT_MAX ((size_t)64 << 10) /* bytes of one folded text */
#define PY_FOLDED_MAX ((size_t)32 << 20) /* bytes of all folded texts; further ones are unknown */
#define PY_STARS_MAX 16            /* modules imported with * */
#define PY_CWDS_MAX 5              /* possible working directories */
#define PY_DEFS_MAX 4096           /* bindings of one name that are evaluated */

enum pv_kind {
	PV_UNKNOWN, /* any object except a module */
	PV_LOST,    /* a bound was reached: anything, including modules and functions with effects */
	PV_NAME,    /* a module, function or class; `text`: its qualified name */
	PV_TEXT,    /* str or bytes: `text`, abstract */
	PV_PATH,    /* pathlib.Path: `text`, abstract */
	PV_SEQ,     /* list or tuple with known items */
	/*
	 * a number, None, a dict ...: its methods have no effect. `text`: result of str(), or a hole. Items
	 * of a dict: key, value, key ...
	 */
	PV_DATA,
	PV_USER,    /* a function, class or object that the code defines */
	PV_INST,    /* an object of a library's type; `text`: the type */
	PV_METHOD,  /* method `text` of the object `of` */
	PV_BELOW,   /* a path at or below the directory `text`: a str, or a pathlib.Path if `many` */
};

struct pvs;

struct pv {
	enum pv_kind kind;
	struct str text;
	const struct pv *of;
	const struct pvs *const *items;
	size_t nitems;
	bool many;   /* PV_SEQ: each item may occur any number of times */
	bool strict; /* PV_BELOW: not the directory itself */
	TSNode node; /* PV_DATA of a dict, PV_USER: node of the definition */
};

struct pvs {
	size_t n;
	bool cycle; /* evaluation met a name that is still being evaluated: the set is incomplete */
	const struct pv *v[PY_VALUES_MAX];
};

enum def_kind {
	DEF_EXPR,    /* = expr */
	DEF_ITEM,    /* item `index` of expr */
	DEF_EACH,    /* an item of the iterable expr */
	DEF_EACH_ITEM, /* item `index` of an item of the iterable expr */
	DEF_ENTER,   /* with expr as name */
	DEF_NAME,    /* import: `text` */
	DEF_USER,    /* def or class */
	/*
	 * parameter of function `text`, bound in `home`: value at position `index` or by name in its calls,
	 * else `expr`
	 */
	DEF_PARAMETER,
	DEF_SELF,    /* `self` in a method of class `text`, bound in `home` */
	DEF_NONE,
	DEF_DECORATED, /* a class that the decorator `expr` may have replaced */
	DEF_UNKNOWN,
};

struct py_scope;

struct py_def {
	struct py_def *next;
	enum def_kind kind;
	TSNode expr;
	const struct py_scope *scope, *home;
	size_t index;
	struct str text, name;
};

struct py_binding {
	struct str name;
	struct py_def *defs;
	size_t ndefs;
	bool local;             /* bound in a function: never the builtin */
	bool busy;
	unsigned level;         /* level of evaluation, while busy */
	const struct pvs *memo;
	struct py_binding *early; /* next binding whose memo must be dropped after the early phase */
};

enum scope_kind { SCOPE_MODULE, SCOPE_FUNCTION, SCOPE_CLASS };

struct py_scope {
	const void *id;         /* id of its node: the key of python.scopes */
	enum scope_kind kind;
	bool comprehension;
	/* comprehension: its first iterable, which is evaluated in the outer scope */
	const void *first;
	struct py_scope *parent;
	const struct pmap *names;  /* name -> struct py_binding */
	const struct pmap *outer;  /* names declared global or nonlocal */
	struct str name;        /* class name */
	struct py_binding *result; /* returned values of a function */
	bool generator;
};

struct py_stars {           /* from X import * */
	struct py_stars *next;
	struct str module;
};

struct py_maybe {           /* a list as argument of a function, or as operand, that may change it */
	struct py_maybe *next;
	struct str name;
	TSNode other;           /* the function, or the other operand */
	bool call;
	const struct py_scope *scope;
};

struct py_memo {            /* cached value of a node */
	struct py_memo *next;
	const void *id;
	const struct py_scope *scope;
	const struct pvs *value;
};

struct python {
	struct code_walk *w;
	struct arena *a;
	const struct pmap *scopes;
	struct py_scope *module;
	struct py_stars *stars;
	const struct pmap *open; /* names whose lists may be changed, or have another reference */
	/* names that occur elsewhere than as a callee */
	const struct pmap *mentioned;
	/* calls of plain names: lists of struct py_def with the arguments in expr */
	const struct pmap *sites;
	const struct pmap *own;  /* names of methods and attributes that the code defines */
	/* attribute name -> struct py_binding with all values ever stored under it */
	const struct pmap *fields;
	bool decorated;         /* the definition being collected has decorators */
	struct str method;      /* name of the definition being collected, if it is in a class */
	bool evals;             /* the code evaluates code that may rebind names */
	bool makes_otherwise;   /* objects may be created at places that do not name their class */
	bool steers;            /* the code may decide what a class pattern matches */
	TSNode environment_leak; /* where os.environ escapes; null: nowhere */
	bool classes;           /* objects with operators defined by the code may exist */
	bool hides;             /* the code binds a builtin's name to a value that may have effects */
	bool early;             /* `open` is not complete yet: treat all lists as changeable */
	struct py_maybe *maybes;
	struct py_binding *early_memos;
	struct py_def *chdirs;   /* calls that may change the working directory */
	/* attributes set on objects that may not be the code's own; "*": any attribute */
	const struct pmap *stored;
	/* a module outside the standard library is imported: the code will run in the box */
	bool foreign;
	size_t fuel;            /* remaining steps */
	size_t bounds;          /* number of evaluations that reached a bound */
	size_t folded;          /* bytes of folded text so far */
	/* hash table of nmemos chains, a power of two; NULL until the working directories are known */
	struct py_memo **memos;
	size_t nmemos;
	/* current level of evaluation; level of the outermost name that was met again */
	unsigned level, low;
	struct str cwds[PY_CWDS_MAX];
	size_t ncwds;
	bool writes_trees;      /* xml.etree is imported: .write() may take a path */
	const struct pv *unknown, *lost, *data;
};

/* ---- arguments of a call ---- */
struct py_arg {
	struct str name;        /* keyword; empty: positional */
	const struct pvs *v;
	TSNode node;
	const struct py_scope *scope;
};

struct py_args {
	struct py_arg v[PY_ARGS_MAX];
	size_t n;
	bool open;              /* *args, **kwargs or too many: further arguments are unknown */
	bool escaped;           /* the callee escaped without a call: all arguments are unknown */
};

/*
 * Returns the values of an argument by position or name; NULL if it is certainly absent. `pos` < 0: by name
 * only.
 */
const struct pvs *py_arg(struct python *p, const struct py_args *args, int pos, const char *name);

/* ---- python.c, python_scope.c ---- */
TSNode *py_children(struct python *p, TSNode n, uint32_t *ret_n); /* named children, without comments */
/* The first pass: collects all bindings of all names. */
void py_collect(struct python *p, TSNode root);
const struct py_scope *py_scope_of(const struct python *p, TSNode n, const struct py_scope *otherwise);

/* ---- python_value.c ---- */
const struct pvs *py_eval(struct python *p, TSNode n, const struct py_scope *sc);
void py_args_eval(struct python *p, TSNode list, const struct py_scope *sc, struct py_args *ret);
const struct pvs *pvs_one(struct python *p, const struct pv *v);
static inline const struct pvs *pvs_unknown(struct python *p) { return pvs_one(p, p->unknown); }
const struct pvs *pvs_text(struct python *p, enum pv_kind kind, struct str text);
const struct pvs *pvs_join(struct python *p, const struct pvs *x, const struct pvs *y);
/* Returns the return values of a function that the code defines. */
const struct pvs *py_returned(struct python *p, TSNode function);
const struct pvs *py_dictionary(struct python *p, TSNode n, const struct py_scope *sc);
/* Returns d[key], or all values of d if the key is unknown. */
const struct pvs *py_dict_value(struct python *p, const struct pv *v, const struct pvs *key);
const struct pvs *py_elements(struct python *p, const struct pvs *of);
/* str() of the value, as abstract text. */
struct str py_text(struct python *p, const struct pv *v);
/* Attribute of a value. */
const struct pvs *py_attribute(struct python *p, const struct pv *v, struct str attr);

/* ---- python_fold.c: calls whose value is known ---- */
bool py_is_set(struct python *p, const char *name);
struct str py_home(struct python *p); /* abstract */
struct str py_tmp(struct python *p);
const struct pvs *py_result(struct python *p, const struct pv *callee, const struct py_args *args);

/* ---- python_text.c ---- */
/* Selects one of several values of an interpolation: the `at`th, from 1; 0: only count. */
struct py_pick {
	/* several: number of interpolations with several values; n: how many values those have */
	size_t at, several, n;
};
struct str py_string(struct python *p, TSNode string, const struct py_scope *sc, struct py_pick *pick);
struct str py_percent(struct python *p, struct str format, const struct pvs *args);
struct str py_format(struct python *p, struct str format, const struct py_args *args);
struct str py_path_join(struct python *p, struct str x, struct str y);
/* True if joining this path to a directory cannot leave the directory. */
bool py_stays_below(struct str path);
const struct pvs *pvs_below(struct python *p, struct str dir, bool path, bool strict);
struct str py_path_parent(struct python *p, struct str path);
/* normalised as by pathlib: without "." and empty parts */
struct str py_path_plain(struct python *p, struct str path);
struct str py_glob_text(struct python *p, struct str pattern);
struct str py_cat(struct python *p, struct str x, struct str y); /* concatenation; a hole if it is too long */
/* Sets *ret to the name after NFKC normalisation. False if that is uncertain. */
bool py_identifier(struct python *p, struct str text, struct str *ret);

/* ---- python_call.c ---- */
/* Records the effects of calling one value. Also handles escaped mentions (args->escaped). */
void py_call(struct python *p, const struct pv *callee, const struct py_args *args, TSNode n);
/* Records a mention without a call: a value with effects counts as called. */
void py_escape(struct python *p, const struct pvs *v, TSNode n);
/*
 * Handles an attribute of an unknown object: adds a marker if the name is that of an effect. args: NULL if it
 * is not called.
 */
void py_unknown_attribute(struct python *p, struct str attr, const struct py_args *args, TSNode n);
void py_import(struct python *p, struct str module, bool in_class, TSNode n);
/* Records the files of the working directory that may shadow modules of the standard library. */
void py_shadows(struct python *p, TSNode n);
void py_environ(struct python *p, const struct pvs *name, const struct pvs *value, TSNode n);
/* Records that a variable is removed from the environment. */
void py_environ_less(struct python *p, const struct pvs *name, TSNode n);
/* True for os.environ and os.environb. */
static inline bool py_is_environment(const struct pv *v)
{
	return v->kind == PV_NAME && str_is_any(v->text, "os.environ os.environb");
}
/* Finds the possible working directories, by the calls that the first pass collected. */
void py_directories(struct python *p);
void py_store(struct python *p, const struct pvs *object, struct str attr, TSNode n);

/* ---- python_run.c ---- */
struct py_row;
struct word py_word(struct python *p, const struct pvs *v, TSNode n);
/* true if it is certainly this number, True, None ... */
bool py_is_data(const struct pvs *v, const char *text);
const struct py_arg *py_keyword(const struct py_args *args, const char *name);
struct str py_base(struct str path); /* last component of the path, or a placeholder */
void py_shell(struct python *p, const struct py_row *r, const struct py_args *args, TSNode n);
void py_argv(struct python *p, const struct py_args *args, TSNode n);
void py_exec(struct python *p, const struct py_row *r, const struct py_args *args, TSNode n);
void py_environment(struct python *p, const struct py_arg *a, bool own, TSNode n);
/* true if the working directory is certainly the initial one */
bool py_in_place(struct python *p);

/* ---- python_effect.c ---- */
/*
 * Records the effects of a row. `self`: the object of a method; `unbound`: the object is the first argument.
 */
void py_apply(struct python *p, const struct py_row *r, const struct pv *self, bool unbound,
		const struct py_args *args, TSNode n);
extern const struct py_args py_nothing; /* arguments of an escaped mention: all unknown */
bool py_mode_writes(struct python *p, const struct pvs *mode, bool flags);
void py_sql(struct python *p, const struct py_args *args, TSNode n);
void py_writes(struct python *p, const struct pv *v, const char *op, TSNode n);

/* ---- python_table.c ---- */
enum py_kind {
	/* no effect; spec: result: t text, d data, p path, a unknown, or the name of a type */
	PY_NOTHING = 1,
	/*
	 * spec: "position:keyword:letters" per path. R W D: read, write, delete; b: and below; i: also the
	 * source's name in it; .: default is the working directory; o: optional; q: SQLite database; z: an
	 * archive suffix is added; p: also parents that become empty
	 */
	PY_FILE,
	PY_OPEN,        /* spec: "file position, mode position, keyword of the file" */
	PY_SHELL,       /* spec: position of the command text */
	PY_ARGV,        /* subprocess.run and similar */
	PY_EXECL, PY_EXECV, /* os.execl*, os.execv*; spec: position of the program */
	PY_NET,         /* spec: position:keyword of host or URL; "-" none */
	PY_MARK,
	PY_CODE,        /* eval, exec; spec: position of the code */
	PY_IMPORT,      /* __import__ */
	PY_GETATTR, PY_SETATTR,
	PY_CHDIR,
	PY_PUTENV, PY_UNSETENV, PY_ENVIRON,
	PY_SEARCH,      /* sys.path.append and similar */
	PY_VARS,
	PY_LOGGING,     /* filename= */
	PY_SQL,
	PY_TEMP,        /* tempfile; spec: position of the suffix; prefix and directory follow it */
	PY_TYPE,        /* type(): returns the class of an object, which could be called */
	PY_NAMES,       /* operator.attrgetter, methodcaller */
	PY_LINK,        /* like PY_FILE; the first path gets a second name */
	PY_SPEC,        /* importlib.util.find_spec */
	PY_HELP,        /* help(): imports the module that a text argument names */
	PY_TESTS,       /* unittest.main */
};

struct py_row { /* strings are stored inline: pointers would need relocation at each start */
	char name[CODE_NAME_MAX];
	enum py_kind kind;
	enum marker marker; /* PY_MARK */
	char spec[44];
	char op[16]; /* name of the operation in facts; empty: the function's own name */
};

enum py_module { PY_MODULE_OTHER, PY_MODULE_PURE, PY_MODULE_LISTED, PY_MODULE_STDLIB };

extern const struct py_row py_rows[];
extern const size_t py_rows_n;
extern const struct code_names py_pure, py_inner, py_listed, py_stdlib, py_builtins, py_harmless, py_effects,
		py_special;

const struct py_row *py_row(struct str name);
enum py_module py_module(struct str name);
bool py_is_stdlib(struct str name);   /* a top-level module of the standard library */
bool py_is_builtin(struct str name);
/* an attribute of a standard module that is itself a module */
bool py_is_inner(struct str name);
/*
 * Attributes without an effect on any object; attributes with an effect on some object; __x__ names that give
 * nothing away.
 */
bool py_harmless_name(struct str name);
bool py_effect_name(struct str name);
bool py_special_name(struct str name);
void py_own_attributes(struct python *p, TSNode function, TSNode args);
