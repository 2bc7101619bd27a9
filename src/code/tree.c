/* Parsing with bounds, and the findings that all walkers share. See tree.h. */
#include "code/tree.h"

static const struct code_language languages[] = {
	{"powershell", NULL, powershell_walk},
	{"powershell-encoded", NULL, powershell_encoded_walk},
	{"javascript", tree_sitter_javascript, javascript_walk},
	{"python", tree_sitter_python, python_walk},
};

static const struct code_language *find(const char *lang)
{
	for (size_t i = 0; lang && i < sizeof(languages) / sizeof(*languages); i++)
		if (languages[i].name && !strcmp(languages[i].name, lang))
			return &languages[i];
	return NULL;
}

bool code_knows(const char *lang) { return find(lang) != NULL; }

/* ---- nodes ---- */

struct str node_text(const struct walk *w, TSNode n) { return ts_node_is_null(n) ? STR("") : str_sub(w->src, ts_node_start_byte(n), ts_node_end_byte(n)); }
struct span node_at(const struct walk *w, TSNode n) { return ts_node_is_null(n) ? w->here : (struct span){w->text, ts_node_start_byte(n), ts_node_end_byte(n)}; }
bool node_is(TSNode n, const char *type) { return !ts_node_is_null(n) && !strcmp(ts_node_type(n), type); }
TSNode node_field(TSNode n, const char *name) { return ts_node_is_null(n) ? n : ts_node_child_by_field_name(n, name, (uint32_t)strlen(name)); }

bool walk_enter(struct walk *w, TSNode n)
{
	if (++w->nodes > CODE_NODES_MAX || w->depth >= CODE_DEPTH_MAX) {
		code_marker_add(w, "bound", n);
		return false;
	}
	w->depth++;
	return true;
}

/* ---- findings ---- */

void code_call_add(struct walk *w, struct str name, const struct word *args, const struct str *names, size_t nargs, TSNode n)
{
	struct code_call *c = arena_new(w->a, struct code_call);

	*c = (struct code_call){.name = name, .args = args, .names = names, .nargs = nargs, .at = node_at(w, n)};
	*w->calls_end = c;
	w->calls_end = &c->next;
}

void code_import_add(struct walk *w, struct str name, TSNode n)
{
	struct code_import *i = arena_new(w->a, struct code_import);

	*i = (struct code_import){.name = name, .at = node_at(w, n)};
	*w->imports_end = i;
	w->imports_end = &i->next;
}

void code_marker_add(struct walk *w, const char *id, TSNode n)
{
	struct code_marker *m = arena_new(w->a, struct code_marker);

	w->code->complete = false;
	*m = (struct code_marker){.id = id, .at = node_at(w, n)};
	*w->markers_end = m;
	w->markers_end = &m->next;
}

static struct word word_for(struct walk *w, struct str text, TSNode n)
{
	return (struct word){.kind = text_exact(text) ? WORD_EXACT : WORD_UNKNOWN, .text = text, .at = node_at(w, n)};
}

void code_access(struct walk *w, enum access_kind kind, struct str path, bool below, const char *op, TSNode n)
{
	struct access *x = arena_new(w->a, struct access);
	struct str full = path;

	if (path.n && path.p[0] != '/' && path.p[0] != HOLE_ANY)
		full = str_cat(w->a, str_cat(w->a, w->s->cwd, STR("/")), path);
	if (full.n && memchr(full.p, HOLE_ANY, full.n) && !memchr(path.p, HOLE_ANY, path.n)) /* the directory is not known */
		full = CODE_HOLE;
	*x = (struct access){.kind = kind, .path = word_for(w, full.n ? full : CODE_HOLE, n), .below = below, .op = op, .at = node_at(w, n)};
	*w->f->accesses_end = x;
	w->f->accesses_end = &x->next;
}

void code_touch(struct walk *w, struct str host, TSNode n)
{
	struct touch *t = arena_new(w->a, struct touch);

	*t = (struct touch){.host = word_for(w, host, n), .at = node_at(w, n)};
	*w->f->touches_end = t;
	w->f->touches_end = &t->next;
}

static void add_run(struct walk *w, const struct code_run *run)
{
	struct code_run *r = arena_new(w->a, struct code_run);

	*r = *run;
	r->cwd = w->s->cwd;
	*w->runs_end = r;
	w->runs_end = &r->next;
}

void code_run_text(struct walk *w, struct str text, TSNode n) { add_run(w, &(struct code_run){.text = text.n ? text : STR(":"), .at = node_at(w, n)}); }

void code_run_argv(struct walk *w, const struct word *argv, size_t argc, TSNode n)
{
	if (argc)
		add_run(w, &(struct code_run){.argv = argv, .argc = argc, .at = node_at(w, n)});
	else
		code_marker_add(w, "process", n);
}

void code_snippet(struct walk *w, const char *lang, struct str text, TSNode n)
{
	struct snippet *s = arena_new(w->a, struct snippet);

	*s = (struct snippet){.lang = lang, .text = word_for(w, text, n), .at = node_at(w, n), .cwd = w->s->cwd};
	*w->f->snippets_end = s;
	w->f->snippets_end = &s->next;
}

/* ---- parsing ---- */

struct steps {
	size_t left, errors;
};

/* True: stop. Ordinary code takes a step for about fifty bytes; a search for a way out of errors is cut short, since such a text is not read. */
static bool progress(TSParseState *state)
{
	struct steps *s = state->payload;

	if (state->has_error && ++s->errors > CODE_ERROR_STEPS_MAX)
		return true;
	return s->left-- == 0;
}

static const char *read_bytes(void *payload, uint32_t at, TSPoint position, uint32_t *ret_n)
{
	const struct str *s = payload;

	(void)position;
	*ret_n = at < s->n ? (uint32_t)(s->n - at) : 0;
	return at < s->n ? s->p + at : "";
}

/*
 * Brackets that stay open make the parser's search for a way out of an error quadratic: a second for 10 KB. Those in strings are counted as well,
 * which at worst leaves an odd text unread.
 */
static bool too_nested(struct str src)
{
	size_t depth = 0;

	for (size_t i = 0; i < src.n && depth <= CODE_DEPTH_MAX; i++) {
		char c = src.p[i];

		if (c == '(' || c == '[' || c == '{')
			depth++;
		else if ((c == ')' || c == ']' || c == '}') && depth)
			depth--;
	}
	return depth > CODE_DEPTH_MAX;
}

static TSTree *parse(const struct code_language *l, struct str *src)
{
	TSParser *p = ts_parser_new();
	struct steps steps = {.left = CODE_STEPS_BASE + src->n / CODE_STEP_BYTES};
	TSTree *tree = NULL;

	if (p && ts_parser_set_language(p, l->grammar()))
		tree = ts_parser_parse_with_options(p, NULL, (TSInput){.payload = src, .read = read_bytes, .encoding = TSInputEncodingUTF8},
			(TSParseOptions){.payload = &steps, .progress_callback = progress});
	if (p)
		ts_parser_delete(p);
	return tree;
}

/* The first place that is no code. By a cursor: asking for a child by its number counts from the first one. */
static TSNode first_error(TSNode root)
{
	TSTreeCursor c = ts_tree_cursor_new(root);
	TSNode found = root;

	while (ts_tree_cursor_goto_first_child(&c)) {
		bool inside = false;

		do {
			TSNode n = ts_tree_cursor_current_node(&c);

			inside = ts_node_has_error(n);
			if (inside || ts_node_is_missing(n)) {
				found = n;
				break;
			}
		} while (ts_tree_cursor_goto_next_sibling(&c));
		if (!inside || ts_node_is_error(found))
			break;
	}
	ts_tree_cursor_delete(&c);
	return found;
}

struct job {
	struct walk w;
	const struct code_language *l;
	TSTree *tree;
};

static int walk_tree(struct job *j)
{
	TSNode root = ts_tree_root_node(j->tree);

	if (ts_node_has_error(root)) {
		j->w.code->error_at = node_at(&j->w, first_error(root));
		return 0;
	}
	j->w.code->parsed = j->w.code->complete = true;
	j->l->walk(&j->w, root);
	return 0;
}

static uint32_t add_text(struct arena *a, struct facts *f, const struct snippet *s)
{
	if (f->ntexts == f->texts_cap) {
		size_t cap = f->texts_cap ? f->texts_cap * 2 : 8;

		f->texts = arena_grow(a, f->texts, f->texts_cap * sizeof(*f->texts), cap * sizeof(*f->texts));
		f->texts_cap = cap;
	}
	f->texts[f->ntexts] = (struct text){.from = s->lang, .in = s->at.text, .origin = s->at, .bytes = s->text.text};
	return (uint32_t)f->ntexts++;
}

static int read_one(void *arg)
{
	struct job *j = arg;
	struct walk *w = &j->w;

	w->code = arena_new(w->a, struct code);
	w->s->code = w->code;
	if (!j->l || w->s->text.kind != WORD_EXACT || w->s->text.text.n > CODE_TEXT_MAX)
		return 0;
	w->text = add_text(w->a, w->f, w->s);
	w->code->error_at = (struct span){w->text, 0, 0};
	w->calls_end = &w->code->calls;
	w->imports_end = &w->code->imports;
	w->markers_end = &w->code->markers;
	w->runs_end = &w->runs;
	if (!j->l->grammar) {
		w->code->parsed = w->code->complete = true;
		j->l->walk(w, (TSNode){0});
		return 0;
	}
	j->tree = too_nested(w->src) ? NULL : parse(j->l, &w->src);
	return j->tree ? walk_tree(j) : 0; /* no tree: too laborious, or no memory; not parsed */
}

int code_read(struct arena *a, struct facts *f, struct snippet *s, const struct view *v, struct code_run **ret_runs)
{
	struct job j = {.w = {.a = a, .f = f, .s = s, .v = v, .src = s->text.text}, .l = find(s->lang)};
	int rc = arena_run(a, read_one, &j);

	if (j.tree)
		ts_tree_delete(j.tree);
	*ret_runs = j.w.runs;
	return rc < 0 ? -1 : 0;
}
