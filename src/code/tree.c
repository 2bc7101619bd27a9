/* Reads one piece of code, and records the findings of all walkers. See tree.h. */
#include <stdlib.h>

#include "code/tree.h"

static const struct code_language languages[LANGS] = {
	[LANG_PYTHON] = {tree_sitter_python, python_walk},
	[LANG_JAVASCRIPT] = {tree_sitter_javascript, javascript_walk},
	[LANG_POWERSHELL] = {NULL, powershell_walk},
	[LANG_POWERSHELL_ENCODED] = {NULL, powershell_encoded_walk},
	[LANG_PERL] = {NULL, script_walk},
	[LANG_PERL_PATTERN] = {NULL, script_pattern_walk},
	[LANG_RUBY] = {NULL, script_walk},
	[LANG_PHP] = {NULL, script_walk},
	[LANG_LUA] = {NULL, script_walk},
	[LANG_AWK] = {NULL, awk_walk},
};

bool code_knows(enum lang lang) { return languages[lang].walk != NULL; }

/* ---- nodes ---- */

struct str node_text(const struct code_walk *w, TSNode n)
{
	return ts_node_is_null(n) ? STR("") : str_sub(w->src, ts_node_start_byte(n), ts_node_end_byte(n));
}
struct span node_at(const struct code_walk *w, TSNode n)
{
	return ts_node_is_null(n) ? w->here : (struct span){w->text, ts_node_start_byte(n),
			ts_node_end_byte(n)};
}

bool node_is_any(TSNode n, const char *const *types, size_t count)
{
	const char *t = node_type(n);

	for (size_t i = 0; i < count; i++)
		if (type_is(t, types[i]))
			return true;
	return false;
}

/* Binary search: field names are sorted. tree-sitter's own lookup is linear. */
static TSFieldId field_id(const TSLanguage *l, const char *name)
{
	uint32_t low = 1, high = ts_language_field_count(l) + 1;

	while (low < high) {
		uint32_t mid = (low + high) / 2;
		const char *at = ts_language_field_name_for_id(l, (TSFieldId)mid);
		int order = name[0] != at[0] ? (unsigned char)name[0] - (unsigned char)at[0] : strcmp(name,
				at);

		if (order == 0)
			return (TSFieldId)mid;
		if (order < 0)
			high = mid;
		else
			low = mid + 1;
	}
	return 0;
}

TSNode node_field(TSNode n, const char *name)
{
	TSFieldId id = ts_node_is_null(n) ? 0 : field_id(ts_node_language(n), name);

	return id ? ts_node_child_by_field_id(n, id) : (TSNode){0};
}

struct walk_children {
	struct walk_children *next;
	const void *id;
	TSNode *list;
	uint32_t n;
};

static uint32_t fetch_children(struct code_walk *w, TSNode n, TSNode *list, uint32_t most)
{
	TSTreeCursor *c = &w->cursor;
	uint32_t got = 0;

	if (c->tree)
		ts_tree_cursor_reset(c, n);
	else
		*c = ts_tree_cursor_new(n);
	for (bool more = ts_tree_cursor_goto_first_child(c); more && got < most;
			more = ts_tree_cursor_goto_next_sibling(c)) {
		TSNode k = ts_tree_cursor_current_node(c);

		if (ts_node_is_named(k) && (!ts_node_is_extra(k) || node_is(k, "html_comment")))
			list[got++] = k;
	}
	return got;
}

/* Caches the list per node: walkers ask for it often, and collecting it is slow. */
TSNode *node_children(struct code_walk *w, TSNode n, uint32_t *ret_n)
{
	static TSNode none[1];
	uint32_t most = ts_node_is_null(n) ? 0 : ts_node_named_child_count(n);
	struct walk_children **at, *c;

	*ret_n = 0;
	if (!most)
		return none;
	if (!w->children) {
		for (w->nchains = 64; w->nchains < w->src.n / 8; w->nchains *= 2)
			;
		w->children = arena_array(w->a, w->nchains, sizeof(*w->children));
	}
	at = &w->children[((uintptr_t)n.id / 8 ^ (uintptr_t)n.id / 65536) & (w->nchains - 1)];
	for (c = *at; c && c->id != n.id; c = c->next)
		;
	if (!c) {
		c = arena_new(w->a, struct walk_children);
		*c = (struct walk_children){.next = *at, .id = n.id,
				.list = arena_array(w->a, most, sizeof(*c->list))};
		c->n = fetch_children(w, n, c->list, most);
		*at = c;
	}
	*ret_n = c->n;
	return c->list;
}

bool walk_enter(struct code_walk *w, TSNode n)
{
	if (++w->nodes > CODE_NODES_MAX || w->depth >= CODE_DEPTH_MAX || walk_full(w)) {
		if (!w->bound_said)
			code_marker_add(w, MARKER_BOUND, n);
		w->bound_said = true;
		return false;
	}
	w->depth++;
	return true;
}

static int by_name(const void *key, const void *row)
{
	return str_cmp(*(const struct str *)key, str_of(row));
}

const void *code_row(struct str name, const void *rows, size_t n, size_t size)
{
	return bsearch(&name, rows, n, size, by_name);
}

bool code_listed(struct str name, const struct code_names *names)
{
	return code_row(name, names->list, names->n, sizeof(*names->list)) != NULL;
}

/* ---- findings ---- */

void code_call_add(struct code_walk *w, struct str name, const struct word *args, const struct str *names,
		size_t nargs, TSNode n)
{
	LIST_NEW(w->a, w->calls_end, (struct code_call){.name = name, .args = args, .names = names,
			.nargs = nargs, .at = node_at(w, n)});
}

void code_import_add(struct code_walk *w, struct str name, TSNode n)
{
	LIST_NEW(w->a, w->imports_end, (struct code_import){.name = name, .at = node_at(w, n)});
}

void code_marker_add(struct code_walk *w, enum marker id, TSNode n)
{
	struct code_marker *m = arena_new(w->a, struct code_marker);

	w->code->complete = false;
	*m = (struct code_marker){.id = id, .at = node_at(w, n)};
	LIST_ADD(w->markers_end, m);
}

struct word code_word(struct code_walk *w, struct str text, TSNode n)
{
	return (struct word){.kind = text_exact(text) ? WORD_EXACT : WORD_UNKNOWN, .text = text,
			.at = node_at(w, n)};
}

/* True for functions that unpack an archive: the tables list them under these program names. */
static bool unpacks(const char *by)
{
	return by && (!strcmp(by, "tar") || !strcmp(by, "unzip") || !strcmp(by, "Expand-Archive"));
}

static struct access *last_access(const struct facts *f)
{
	return (struct access *)(void *)((char *)f->accesses_end - offsetof(struct access, next));
}

static void add_access(struct code_walk *w, const struct access *x)
{
	struct access *copy = arena_new(w->a, struct access);

	*copy = *x;
	LIST_ADD(w->f->accesses_end, copy);
}

/* Returns the path as a glob pattern whose unknown component at `at` is a hidden name. */
static struct str hidden_pattern(struct code_walk *w, struct str path, size_t at)
{
	struct buf b;

	buf_init(&b, w->a, 0);
	for (size_t i = 0; i < path.n; i++) {
		if (i == at)
			buf_c(&b, i + 1 < path.n && path.p[i + 1] != '/' ? ".*" : ".[!.]*");
		else if (text_hole(path.p[i]))
			buf_char(&b, '*');
		else {
			if (strchr("*?[\\", path.p[i]))
				buf_char(&b, '\\');
			buf_char(&b, path.p[i]);
		}
	}
	return buf_view(&b);
}

/* A directory listing includes hidden names: DIR/config may be .git/config. Adds these paths too. */
static void add_hidden(struct code_walk *w, const struct access *x)
{
	struct str path = x->path.text;

	if (str_has(path, HOLE_ANY))
		return;
	for (size_t i = 1; i < path.n; i++)
		if (path.p[i] == HOLE_NAME && path.p[i - 1] == '/' && str_find(path, '/', i) >= 0) {
			struct access hidden = *x;

			hidden.path = (struct word){.kind = WORD_REST, .glob = true,
					.text = hidden_pattern(w, path, i), .at = x->path.at};
			add_access(w, &hidden);
		}
}

void code_access(struct code_walk *w, enum access_kind kind, struct str path, bool below, const char *by,
	TSNode n)
{
	const struct access *last = w->f->accesses ? last_access(w->f) : NULL;
	struct str full = path;

	if (path.n && path.p[0] != '/' && path.p[0] != HOLE_ANY)
		full = str_cat(w->a, str_cat(w->a, w->s->cwd, STR("/")), path);
	/* an unknown working directory makes the whole path unknown */
	if (str_has(full, HOLE_ANY) && !str_has(path, HOLE_ANY))
		full = CODE_HOLE;
	struct access x = {.kind = kind, .below = below, .by = by, .at = node_at(w, n)};
	x.path = code_word(w, full.n ? full : CODE_HOLE, n);
	x.when = snippet_moment(w->s);
	if (kind == ACCESS_WRITE && last && last->kind != ACCESS_WRITE && span_same(last->at, x.at))
		x.change = CHANGE_COPY; /* a copy: the same call has just read the source */
	if (kind == ACCESS_WRITE && below && unpacks(by))
		x.change = CHANGE_TREE;
	if (kind == ACCESS_WRITE && w->change != CHANGE_PLAIN)
		x.change = w->change;
	add_access(w, &x);
	add_hidden(w, &x);
}

void code_through_link(struct code_walk *w, TSNode n)
{
	struct access x = {.kind = ACCESS_EXEC, .below = true, .cause = CAUSE_LINK, .at = node_at(w, n)};

	x.path = code_word(w, CODE_HOLE, n);
	x.when = snippet_moment(w->s);
	add_access(w, &x);
}

void code_touch(struct code_walk *w, struct str host, TSNode n)
{
	LIST_NEW(w->a, w->f->touches_end, (struct touch){.host = code_word(w, host, n), .at = node_at(w, n)});
}

static void add_run(struct code_walk *w, const struct code_run *run)
{
	struct code_run *r = arena_new(w->a, struct code_run);

	*r = *run;
	r->cwd = w->s->cwd;
	LIST_ADD(w->runs_end, r);
}

void code_run_text(struct code_walk *w, struct str text, TSNode n)
{
	add_run(w, &(struct code_run){.text = text.n ? text : STR(":"), .at = node_at(w, n)});
}

void code_run_argv(struct code_walk *w, const struct word *argv, size_t argc, TSNode n)
{
	if (argc)
		add_run(w, &(struct code_run){.argv = argv, .argc = argc, .at = node_at(w, n)});
	else
		code_marker_add(w, MARKER_PROCESS, n);
}

void code_setting(struct code_walk *w, struct str name, struct str value, TSNode n)
{
	struct setting *s = arena_copy(w->a, (struct setting){.next = w->settings,
			.name = str_dup(w->a, name), .value = str_dup(w->a, value), .at = node_at(w, n)});

	w->settings = s;
}

/*
 * Passes all settings to all runs. A variable set anywhere may reach any program that the code starts,
 * because loops and functions change the order.
 */
static void hand_settings_on(struct code_walk *w)
{
	if (!w->settings)
		return;
	add_run(w, &(struct code_run){.at = w->settings->at});
	for (struct code_run *r = w->runs; r; r = r->next)
		r->settings = w->settings;
}

void code_snippet(struct code_walk *w, enum lang lang, struct str text, TSNode n)
{
	struct snippet *s = arena_copy(w->a, (struct snippet){.lang = lang, .text = code_word(w, text, n),
			.at = node_at(w, n), .cwd = w->s->cwd});

	s->when = snippet_moment(w->s);
	LIST_ADD(w->f->snippets_end, s);
}

/* ---- reading ---- */

/* Returns the first syntax error. Uses a cursor: child access by index is linear. */
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

struct walk_job {
	struct code_walk w;
	const struct code_language *l;
	struct grammar grammar;
};

static int parse_and_walk(void *arg)
{
	struct walk_job *j = arg;
	struct code *code = j->w.code;
	TSTree *tree = grammar_parse(&j->grammar, j->l->grammar());
	TSNode root = tree ? ts_tree_root_node(tree) : (TSNode){0};

	if (!tree || ts_node_has_error(root)) {
		if (tree)
			code->error_at = node_at(&j->w, first_error(root));
		return 0;
	}
	code->parsed = code->complete = true;
	j->l->walk(&j->w, root);
	return 0;
}

static void read_one(struct walk_job *j)
{
	struct code_walk *w = &j->w;

	w->began = w->a->used;
	w->code = arena_new(w->a, struct code);
	w->s->code = w->code;
	if (!j->l || w->s->text.kind != WORD_EXACT || w->s->text.text.n > CODE_TEXT_MAX)
		return;
	w->text = facts_add_text(w->a, w->f, (struct text){TEXT_FROM(SNIPPET), w->s->lang, w->s->at.text,
			w->s->at, w->s->text.text});
	w->code->error_at = (struct span){w->text, 0, 0};
	w->calls_end = &w->code->calls;
	w->imports_end = &w->code->imports;
	w->markers_end = &w->code->markers;
	w->runs_end = &w->runs;
	if (!j->l->grammar) {
		w->code->parsed = w->code->complete = true;
		j->l->walk(w, (TSNode){0});
		hand_settings_on(w);
		return;
	}
	if (arena_run(&j->grammar.heap, parse_and_walk, j) < 0) { /* a memory or error budget was exceeded */
		w->code->parsed = w->code->complete = false;
		w->code->error_at = (struct span){w->text, j->grammar.error_at, j->grammar.error_at};
	}
	hand_settings_on(w);
}

static void end_grammar(void *ptr) { grammar_end(ptr); }

void code_read(struct arena *a, struct facts *f, struct snippet *s, const struct view *v,
		struct code_run **ret_runs)
{
	struct walk_job j = {.w = {.a = a, .f = f, .s = s, .v = v, .src = s->text.text},
		.l = &languages[s->lang]};
	struct arena_cleanup cleanup;

	grammar_begin(&j.grammar, s->text.text);
	arena_defer(a, &cleanup, end_grammar, &j.grammar);
	read_one(&j);
	arena_release(a, &cleanup);
	*ret_runs = j.w.runs;
}
