/*
 * One pass over one piece of code: state and findings that the walkers of all languages share. Inside
 * src/code only.
 */
#pragma once
#include "code/code.h"
#include "code/grammar.h"

struct code_walk {
	struct arena *a;
	struct facts *f;
	struct snippet *s;
	const struct view *v;
	struct code *code;
	uint32_t text;           /* index of the code in f->texts */
	struct str src;          /* the code */
	struct code_call **calls_end;
	struct code_import **imports_end;
	struct code_marker **markers_end;
	struct code_run *runs, **runs_end;
	struct setting *settings; /* variables that the code sets for its child processes */
	size_t nodes;            /* nodes walked so far */
	size_t began;            /* arena usage at the start, in bytes */
	bool bound_said;
	unsigned depth;
	/* span of findings in languages without a grammar, whose walkers pass null nodes */
	struct span here;
	/* for node_children(); `children` is a hash table of nchains chains, a power of two */
	TSTreeCursor cursor;
	struct walk_children **children;
	size_t nchains;
	enum change_kind change; /* kind of the writes of the current call, if it has one */
	void *own;               /* private state of the language's walker */
};

struct code_language {
	const TSLanguage *(*grammar)(void); /* NULL: the walker parses the text itself */
	void (*walk)(struct code_walk *w, TSNode root); /* called only if the whole text parsed */
};

const TSLanguage *tree_sitter_python(void);
const TSLanguage *tree_sitter_javascript(void);
void python_walk(struct code_walk *w, TSNode root);
void javascript_walk(struct code_walk *w, TSNode root);
void awk_walk(struct code_walk *w, TSNode root);
void script_walk(struct code_walk *w, TSNode root);
void script_pattern_walk(struct code_walk *w, TSNode root);
void powershell_walk(struct code_walk *w, TSNode root);
void powershell_encoded_walk(struct code_walk *w, TSNode root);

/* ---- nodes ---- */
struct str node_text(const struct code_walk *w, TSNode n);
struct span node_at(const struct code_walk *w, TSNode n);
/* A word of this text, with the place of the node. */
struct word code_word(struct code_walk *w, struct str text, TSNode n);
/* The node's type; "" for a null node. */
static inline const char *node_type(TSNode n) { return ts_node_is_null(n) ? "" : ts_node_type(n); }
/* Compares the first byte before strcmp(): most types differ there. */
static inline bool type_is(const char *t, const char *type) { return t[0] == type[0] && !strcmp(t, type); }
/* For bsearch() in rows that start with a pointer to the type. */
static inline int type_order(const void *type, const void *row)
{
	return strcmp(type, *(const char *const *)row);
}
static inline bool node_is(TSNode n, const char *type) { return type_is(node_type(n), type); }
bool node_is_any(TSNode n, const char *const *types, size_t count);
/* True if the node has one of these types. */
#define IS_ANY(n, ...) \
	node_is_any((n), (const char *const[]){__VA_ARGS__}, \
			sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))
TSNode node_field(TSNode n, const char *name); /* a null node (ts_node_is_null()) if absent */
/*
 * The named children, without comments. HTML comments in JavaScript are included: not every engine treats
 * them as comments.
 */
TSNode *node_children(struct code_walk *w, TSNode n, uint32_t *ret_n);
/*
 * Counts the node and the depth. False if a bound is reached: the caller stops, and the code is incomplete.
 */
bool walk_enter(struct code_walk *w, TSNode n);
/* True if this code has used its memory budget. */
static inline bool walk_full(const struct code_walk *w) { return w->a->used - w->began > CODE_MEMORY_MAX; }
static inline void walk_exit(struct code_walk *w) { w->depth--; }

/* ---- tables: knowledge/code ---- */
#define CODE_NAME_MAX 52 /* names are stored inline: pointers would need relocation at each start */
struct code_names {
	const char (*list)[CODE_NAME_MAX]; /* sorted by bytes */
	size_t n;
};
bool code_listed(struct str name, const struct code_names *names);
/* The row with this name, NULL if there is none. Rows start with their name and are sorted by bytes. */
const void *code_row(struct str name, const void *rows, size_t n, size_t size);
#define CODE_ROW(name, rows) code_row((name), (rows), rows##_n, sizeof(*(rows)))

/* ---- findings ---- */
void code_call_add(struct code_walk *w, struct str name, const struct word *args, const struct str *names,
		size_t nargs, TSNode n);
void code_import_add(struct code_walk *w, struct str name, TSNode n);
/* Something dynamic or unknown: the code becomes incomplete. */
void code_marker_add(struct code_walk *w, enum marker id, TSNode n);
/*
 * Records a file access. `path` is abstract text; a relative one is joined to the working directory. `by` is
 * the call's name (arena or literal).
 */
void code_access(struct code_walk *w, enum access_kind kind, struct str path, bool below, const char *by,
	TSNode n);
/* records that a path may follow a symlink that leads elsewhere */
void code_through_link(struct code_walk *w, TSNode n);
void code_touch(struct code_walk *w, struct str host, TSNode n);
void code_run_text(struct code_walk *w, struct str text, TSNode n);
void code_run_argv(struct code_walk *w, const struct word *argv, size_t argc, TSNode n);
/*
 * Records a variable that the code sets for itself or for its child processes. The shell reader knows the
 * effects of variables.
 */
void code_setting(struct code_walk *w, struct str name, struct str value, TSNode n);
/* Records code, in this or another language, that this code evaluates. */
void code_snippet(struct code_walk *w, enum lang lang, struct str text, TSNode n);
#define CODE_HOLE ((struct str){"", 1}) /* any text */
