/*
 * Python: what its walker, its evaluator and its tables share. Inside src/code/python*.c only.
 *
 * The idea. Nothing here follows the order of statements. A name stands for all that is ever bound to it in
 * its scope; an expression stands for a small set of values. A function with an effect that is mentioned
 * anywhere but in front of its arguments, or on the right of a plain name, has escaped: it counts as called
 * there with arguments that are not known. Modules must not escape at all. So an unknown value is never a
 * module, and calling one does nothing that was not counted where it was mentioned; what its methods may do
 * is told by their names.
 */
#pragma once
#include "base/pmap.h"
#include "code/tree.h"

#define PY_VALUES_MAX 8            /* values that one expression may stand for; more: none is known */
#define PY_PLAIN_DEPTH_MAX 4       /* lists in lists that are looked through then */
#define PY_FUEL_BASE 100000        /* steps of evaluation in one snippet: ... */
#define PY_FUEL_PER_BYTE 8         /* ... and as many more for each byte, but ... */
#define PY_FUEL_MAX 3000000        /* ... no more than this */
#define PY_EVAL_DEPTH_MAX 60       /* expressions in expressions, through names */
#define PY_ITEMS_MAX 64            /* items of a literal list that are known */
#define PY_ARGS_MAX 32             /* arguments of one call that are looked at */
#define PY_TEXT_MAX ((size_t)64 << 10) /* bytes of a folded text */
#define PY_FOLDED_MAX ((size_t)32 << 20) /* bytes of all folded texts; further ones are not known */
#define PY_STARS_MAX 16            /* modules all of whose names are imported */
#define PY_CWDS_MAX 5              /* directories that the code may go to */
#define PY_DEFS_MAX 4096           /* bindings of one name that are looked at */

enum pv_kind {
	PV_UNKNOWN, /* any object, but no module */
	PV_LOST,    /* a bound was reached: anything, a module or function with effects as well */
	PV_NAME,    /* a module, function or class by its qualified name: `text` */
	PV_TEXT,    /* str or bytes: `text`, abstract */
	PV_PATH,    /* pathlib.Path: `text`, abstract */
	PV_SEQ,     /* list or tuple with known items */
	/*
	 * a number, None, a dict...: its methods do nothing; `text` is what str() gives, or a hole; items of
	 * a dict: key, value, key ...
	 */
	PV_DATA,
	PV_USER,    /* a function, class or object of the code's own */
	PV_INST,    /* an object of a library's type: `text` */
	PV_METHOD,  /* `text` of the object `of` */
	PV_BELOW,   /* some path at or below the directory `text`, as str or (`many`) pathlib.Path */
};

struct pvs;

struct pv {
	enum pv_kind kind;
	struct str text;
	const struct pv *of;
	const struct pvs *const *items;
	size_t nitems;
	bool many;   /* PV_SEQ: each item may stand for any number of them */
	bool strict; /* PV_BELOW: not the directory itself */
	TSNode node; /* PV_DATA of a dict, PV_USER: where */
};

struct pvs {
	size_t n;
	bool cycle; /* a name that is being evaluated was met: the set is not whole */
	const struct pv *v[PY_VALUES_MAX];
};

enum def_kind {
	DEF_EXPR,    /* = expr */
	DEF_ITEM,    /* item `index` of expr */
	DEF_EACH,    /* an item of what expr runs through */
	DEF_EACH_ITEM, /* item `index` of an item */
	DEF_ENTER,   /* with expr as */
	DEF_NAME,    /* import: `text` */
	DEF_USER,    /* def, class */
	/*
	 * what the calls of function `text`, bound in `home`, give it: by position `index`, by name, or else
	 * `expr`
	 */
	DEF_PARAMETER,
	DEF_SELF,    /* the object of a method of class `text`, bound in `home` */
	DEF_NONE,
	DEF_DECORATED, /* a class, of which the decorator `expr` may have made something else */
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
	unsigned level;         /* of evaluation, while busy */
	const struct pvs *memo;
	struct py_binding *early; /* the next whose memo is not to last */
};

enum scope_kind { SCOPE_MODULE, SCOPE_FUNCTION, SCOPE_CLASS };

struct py_scope {
	const void *id;         /* of its node: the key */
	enum scope_kind kind;
	bool comprehension;
	/* of a comprehension: what it runs through first, which is evaluated outside */
	const void *first;
	struct py_scope *parent;
	const struct pmap *names;  /* of struct py_binding */
	const struct pmap *outer;  /* declared global or nonlocal */
	struct str name;        /* of a class */
	struct py_binding *result; /* what a function returns */
	bool generator;
};

struct py_stars {           /* from X import * */
	struct py_stars *next;
	struct str module;
};

struct py_maybe {           /* a list is given to somebody, or an operand, who may change it */
	struct py_maybe *next;
	struct str name;
	TSNode other;           /* the function, or the other operand */
	bool call;
	const struct py_scope *scope;
};

struct py_memo {            /* what a node stands for, so that it is found out once */
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
	const struct pmap *open; /* names whose lists may be changed, or be known elsewhere */
	/* names that stand somewhere else than before the arguments of a call */
	const struct pmap *mentioned;
	/* calls of plain names: lists of struct py_def, whose expr are the arguments */
	const struct pmap *sites;
	const struct pmap *own;  /* names of the code's own methods and attributes */
	/* of struct py_binding: what is ever stored under the name of an attribute */
	const struct pmap *fields;
	bool decorated;         /* the definition that is collected now */
	struct str method;      /* its name, in a class */
	bool evals;             /* code is evaluated that may change what names hold */
	bool makes_otherwise;   /* objects may be made where their class is not named */
	bool steers;            /* what a class matches may be the code's own doing */
	TSNode environment_leak; /* where os.environ goes to something that is not followed; null: nowhere */
	bool classes;           /* there may be objects whose operators are the code's own */
	bool hides;             /* a name of the language's own is bound to something that may have effects */
	bool early;             /* it is not yet known which lists may be changed: take it that all are */
	struct py_maybe *maybes;
	struct py_binding *early_memos;
	struct py_def *chdirs;   /* calls that may change the directory */
	const struct pmap *stored; /* attributes that are set on what may not be the code's own; "*": any */
	/* a module that is not the language's own is imported: the code will run in the box */
	bool foreign;
	size_t fuel;            /* what is left */
	size_t bounds;          /* evaluations that reached one */
	size_t folded;          /* bytes */
	/* a table of nmemos chains, a power of two; NULL while the directories are not known */
	struct py_memo **memos;
	size_t nmemos;
	unsigned level, low;    /* how deep evaluation is; the outermost name that was met again */
	struct str cwds[PY_CWDS_MAX];
	size_t ncwds;
	bool writes_trees;      /* xml.etree is imported: .write() may take a path */
	const struct pv *unknown, *lost, *data;
};

/* ---- arguments of a call ---- */
struct py_arg {
	struct str name;        /* of a keyword argument */
	const struct pvs *v;
	TSNode node;
	const struct py_scope *scope;
};

struct py_args {
	struct py_arg v[PY_ARGS_MAX];
	size_t n;
	bool open;              /* *args, **kwargs or too many: the rest is not known */
	bool escaped;           /* no call at all: nothing is known */
};

/* The values of an argument by position or name; NULL when it is surely absent. `pos` < 0: by name only. */
const struct pvs *py_arg(struct python *p, const struct py_args *args, int pos, const char *name);

/* ---- python.c, python_scope.c ---- */
TSNode *py_children(struct python *p, TSNode n, uint32_t *ret_n); /* named ones, without comments */
/* All bindings of all names, before anything is looked at. */
void py_collect(struct python *p, TSNode root);
const struct py_scope *py_scope_of(const struct python *p, TSNode n, const struct py_scope *otherwise);

/* ---- python_value.c ---- */
const struct pvs *py_eval(struct python *p, TSNode n, const struct py_scope *sc);
void py_args_eval(struct python *p, TSNode list, const struct py_scope *sc, struct py_args *ret);
const struct pvs *pvs_one(struct python *p, const struct pv *v);
const struct pvs *pvs_text(struct python *p, enum pv_kind kind, struct str text);
const struct pvs *pvs_join(struct python *p, const struct pvs *x, const struct pvs *y);
/* The return value of a function of the code. */
const struct pvs *py_returned(struct python *p, TSNode function);
const struct pvs *py_dictionary(struct python *p, TSNode n, const struct py_scope *sc);
/* d[key], or all that d holds when the key is not known. */
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
/* Which of several values an interpolation stands for: the `at`th, from 1; 0: only count. */
struct py_pick {
	size_t at, several, n; /* interpolations with several values; how many those are */
};
struct str py_string(struct python *p, TSNode string, const struct py_scope *sc, struct py_pick *pick);
struct str py_percent(struct python *p, struct str format, const struct pvs *args);
struct str py_format(struct python *p, struct str format, const struct py_args *args);
struct str py_path_join(struct python *p, struct str x, struct str y);
/* Does a path stay below its directory when this is joined to it? */
bool py_stays_below(struct str path);
const struct pvs *pvs_below(struct python *p, struct str dir, bool path, bool strict);
struct str py_path_parent(struct python *p, struct str path);
/* as pathlib keeps it: without "." and empty parts */
struct str py_path_plain(struct python *p, struct str path);
struct str py_glob_text(struct python *p, struct str pattern);
struct str py_cat(struct python *p, struct str x, struct str y); /* bounded: a hole when too long */
/* The name after NFKC; false when that is not sure. */
bool py_identifier(struct python *p, struct str text, struct str *ret);

/* ---- python_call.c ---- */
/* A call of one value, with its effects. `escaped` mentions come here, too. */
void py_call(struct python *p, const struct pv *callee, const struct py_args *args, TSNode n);
/* Does a mention of this value, without a call, count as one? */
void py_escape(struct python *p, const struct pvs *v, TSNode n);
/*
 * An attribute of an object that is not known: a marker when its name is that of an effect. args: NULL when
 * it is not called.
 */
void py_unknown_attribute(struct python *p, struct str attr, const struct py_args *args, TSNode n);
void py_import(struct python *p, struct str module, bool in_class, TSNode n);
/* Files of the directory that may be loaded in place of the library's modules. */
void py_shadows(struct python *p, TSNode n);
void py_environ(struct python *p, const struct pvs *name, const struct pvs *value, TSNode n);
/* A variable is taken away. */
void py_environ_less(struct python *p, const struct pvs *name, TSNode n);
/* os.environ itself, as texts or as bytes. */
static inline bool py_is_environment(const struct pv *v)
{
	return v->kind == PV_NAME && (str_is(v->text, "os.environ") || str_is(v->text, "os.environb"));
}
/* The directories that relative paths may start from, from the calls that the first pass saw. */
void py_directories(struct python *p);
void py_store(struct python *p, const struct pvs *object, struct str attr, TSNode n);

/* ---- python_run.c ---- */
struct py_row;
struct word py_word(struct python *p, const struct pvs *v, TSNode n);
bool py_is_data(const struct pvs *v, const char *text); /* surely this number, True, None... */
const struct py_arg *py_keyword(const struct py_args *args, const char *name);
struct str py_base(struct str path); /* its last part, or some name */
void py_shell(struct python *p, const struct py_row *r, const struct py_args *args, TSNode n);
void py_argv(struct python *p, const struct py_args *args, TSNode n);
void py_exec(struct python *p, const struct py_row *r, const struct py_args *args, TSNode n);
void py_environment(struct python *p, const struct py_arg *a, bool own, TSNode n);
/* false: the directory is not the one that the code was started in, or not surely */
bool py_in_place(struct python *p);

/* ---- python_effect.c ---- */
/* The effects of a row. `self`: the object of a method; `unbound`: it is the first argument. */
void py_apply(struct python *p, const struct py_row *r, const struct pv *self, bool unbound,
		const struct py_args *args, TSNode n);
extern const struct py_args py_nothing; /* of what is mentioned and not called */
bool py_mode_writes(struct python *p, const struct pvs *mode, bool flags);
void py_sql(struct python *p, const struct py_args *args, TSNode n);
void py_writes(struct python *p, const struct pv *v, const char *op, TSNode n);

/* ---- python_table.c ---- */
enum py_kind {
	/* no effect; spec: what it gives: t text, d data, p path, a unknown, or the name of a type */
	PY_NOTHING = 1,
	/*
	 * spec: "position:keyword:letters" for each path. R W D, b below, i and the name in it, . the
	 * directory when it is absent, o it may be absent
	 */
	PY_FILE,
	PY_OPEN,        /* spec: "file position, mode position, keyword of the file" */
	PY_SHELL,       /* spec: position of the text */
	PY_ARGV,        /* subprocess.run and its kin */
	PY_EXECL, PY_EXECV, /* os.execl*, os.execv*; spec: position of the program */
	PY_NET,         /* spec: position:keyword of host or URL; "-" none */
	PY_MARK,        /* spec: the id */
	PY_CODE,        /* eval, exec; spec: position */
	PY_IMPORT,      /* __import__ */
	PY_GETATTR, PY_SETATTR,
	PY_CHDIR,
	PY_PUTENV, PY_UNSETENV, PY_ENVIRON,
	PY_SEARCH,      /* sys.path.append and the like */
	PY_VARS,
	PY_LOGGING,     /* filename= */
	PY_SQL,
	PY_TEMP,        /* tempfile: spec: position of the suffix; prefix and directory follow */
	PY_TYPE,        /* the class of an object: it could be called */
	PY_NAMES,       /* operator.attrgetter, methodcaller */
	PY_LINK,        /* like PY_FILE: the first path gets another name */
	PY_SPEC,        /* importlib.util.find_spec */
	PY_HELP,        /* help(): a text is the name of a module, which is loaded */
	PY_TESTS,       /* unittest.main */
};

struct py_row { /* texts in place: a table of pointers would have to be relocated at each start */
	char name[48];
	enum py_kind kind;
	char spec[44];
	char op[16]; /* what it is called in facts; empty: by its name */
};

enum py_module { PY_MODULE_OTHER, PY_MODULE_PURE, PY_MODULE_LISTED, PY_MODULE_STDLIB };

const struct py_row *py_row(struct str name);
enum py_module py_module(struct str name);
bool py_is_stdlib(struct str name);   /* a top-level module of the language's own */
bool py_is_builtin(struct str name);
/* an attribute of the language's own modules that is a module itself */
bool py_is_inner(struct str name);
/*
 * python_names.c: attributes that have no effect on any object; that have one on some; __x__ that give
 * nothing away
 */
bool py_harmless_name(struct str name);
bool py_effect_name(struct str name);
bool py_special_name(struct str name);
bool py_names_sorted(void);
void py_own_attributes(struct python *p, TSNode function, TSNode args);
/* For the test: are all tables in order? */
bool py_tables_sorted(void);
