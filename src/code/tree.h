/* The parser, and what the walkers of the languages share. Inside src/code only. */
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
	struct setting *settings; /* variables that the code puts into the environment of programs */
	size_t nodes;            /* walked so far */
	size_t began;            /* bytes of the arena that were used before */
	bool bound_said;
	unsigned depth;
	/* the place of findings in a language without grammar: its walker gives null nodes */
	struct span here;
	TSTreeCursor cursor;     /* for node_children(), with a table of nchains chains, a power of two */
	struct walk_children **children;
	size_t nchains;
	enum change_kind change; /* of the writes that are found now, when the call says it */
	void *own;               /* the language's state */
};

struct code_language {
	const TSLanguage *(*grammar)(void); /* NULL: the walker parses the text itself */
	void (*walk)(struct code_walk *w, TSNode root); /* called only when the whole text parsed */
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
/* Its type; "" of a null node. */
static inline const char *node_type(TSNode n) { return ts_node_is_null(n) ? "" : ts_node_type(n); }
/* Two literals are seldom alike in their first letters. */
static inline bool type_is(const char *t, const char *type) { return t[0] == type[0] && !strcmp(t, type); }
static inline bool node_is(TSNode n, const char *type) { return type_is(node_type(n), type); }
bool node_is_any(TSNode n, const char *const *types, size_t count);
/* Is the node of one of these types? */
#define IS_ANY(n, ...) \
	node_is_any((n), (const char *const[]){__VA_ARGS__}, \
			sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))
TSNode node_field(TSNode n, const char *name); /* a null node when there is none: ts_node_is_null() */
/*
 * The named children, without comments (but those of HTML in JavaScript: not every engine takes them for
 * such).
 */
TSNode *node_children(struct code_walk *w, TSNode n, uint32_t *ret_n);
/* Counts; past a bound the code is not complete, and false says stop. */
bool walk_enter(struct code_walk *w, TSNode n);
/* Has this code taken all the memory that it may? */
static inline bool walk_full(const struct code_walk *w) { return w->a->used - w->began > CODE_MEMORY_MAX; }
static inline void walk_exit(struct code_walk *w) { w->depth--; }

/* ---- findings ---- */
void code_call_add(struct code_walk *w, struct str name, const struct word *args, const struct str *names,
		size_t nargs, TSNode n);
void code_import_add(struct code_walk *w, struct str name, TSNode n);
/* Something dynamic, or not known: the code is no longer complete. `id` is a literal. */
void code_marker_add(struct code_walk *w, const char *id, TSNode n);
/*
 * A file: `path` is abstract text; relative ones are joined to the directory. `op` is the call's name (arena
 * or literal).
 */
void code_access(struct code_walk *w, enum access_kind kind, struct str path, bool below, const char *by,
	TSNode n);
void code_through_link(struct code_walk *w, TSNode n); /* a path may go through a link that leads elsewhere */
void code_touch(struct code_walk *w, struct str host, TSNode n);
void code_run_text(struct code_walk *w, struct str text, TSNode n);
void code_run_argv(struct code_walk *w, const struct word *argv, size_t argc, TSNode n);
/*
 * A variable that the code puts into its environment, or into that of programs it starts. The shell reader
 * knows what it makes programs do.
 */
void code_setting(struct code_walk *w, struct str name, struct str value, TSNode n);
/* Code of another (or the same) language that this code evaluates. */
void code_snippet(struct code_walk *w, enum lang lang, struct str text, TSNode n);
#define CODE_HOLE ((struct str){"", 1}) /* any text */
