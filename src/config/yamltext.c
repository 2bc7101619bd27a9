/* Edits YAML as text. See yamltext.h. */
#include "config/yamltext.h"

#include <stdio.h>

#define INDENT_DEFAULT 2
#define INDENT_MAX 64
#define KEY_MAX 32

struct edit {
	struct arena *a;
	struct yaml_file old;
	char keys[YAMLTEXT_DEPTH_MAX][KEY_MAX];
	size_t nkeys;
	struct str item;
	struct str eol;
	size_t step;      /* columns of one level */
	bool json;        /* texts need double quotes */
	struct str made;  /* the new text, if it has the expected content */
};

/* ---- places ---- */

static size_t line_start(struct str text, uint32_t line)
{
	size_t at = 0;

	for (uint32_t l = 1; l < line; l++) {
		ptrdiff_t nl = str_find(text, '\n', at);

		if (nl < 0)
			return text.n;
		at = (size_t)nl + 1;
	}
	return at;
}

static size_t node_offset(const struct edit *x, const struct ynode *n)
{
	return line_start(x->old.bytes, n->line) + n->column - 1;
}

static char char_at(const struct edit *x, size_t at)
{
	return at < x->old.bytes.n ? x->old.bytes.p[at] : '\0';
}

/* Spaces at the start of a line. */
static size_t line_indent(const struct edit *x, uint32_t line)
{
	size_t from = line_start(x->old.bytes, line), at = from;

	while (char_at(x, at) == ' ')
		at++;
	return at - from;
}

static uint32_t last_line(const struct ynode *n)
{
	uint32_t last = n->line > n->key_line ? n->line : n->key_line;

	for (const struct ynode *c = n->child; c; c = c->next) {
		uint32_t line = last_line(c);

		last = line > last ? line : last;
	}
	return last;
}

/* ---- checking the new text ---- */

static bool same_node(const struct ynode *a, const struct ynode *b)
{
	const struct ynode *x = a->child, *y = b->child;

	if (a->kind != b->kind || a->count != b->count || !str_eq(a->text, b->text) ||
			yaml_null(a) != yaml_null(b))
		return false;
	for (; x && y; x = x->next, y = y->next)
		if (!str_eq(x->key, y->key) || !same_node(x, y))
			return false;
	return !x && !y;
}

static bool is_item(const struct edit *x, const struct ynode *n)
{
	return n->kind == YNODE_SCALAR && str_eq(n->text, x->item) && !yaml_null(n);
}

/* True if the longer list is the shorter one plus the item, at any position. */
static bool list_grew(const struct edit *x, const struct ynode *less, const struct ynode *more)
{
	const struct ynode *l = less ? less->child : NULL, *m = more->child;
	size_t extra = 0;

	if (more->kind != YNODE_LIST)
		return false;
	for (; m; m = m->next) {
		if (l && same_node(l, m))
			l = l->next;
		else if (is_item(x, m))
			extra++;
		else
			return false;
	}
	return !l && extra == 1;
}

/*
 * True if `more` is `less` plus the item in the list below the keys from number `depth` on; `less` may be
 * absent.
 */
static bool grew_by_one(const struct edit *x, const struct ynode *less, const struct ynode *more,
	size_t depth)
{
	const struct ynode *old = less && !yaml_null(less) ? less : NULL, *mine;

	if (depth == x->nkeys)
		return (!old || old->kind == YNODE_LIST) && list_grew(x, old, more);
	if (more->kind != YNODE_MAP || (old && old->kind != YNODE_MAP))
		return false;
	mine = old ? yaml_get(old, x->keys[depth]) : NULL;
	if (more->count != (old ? old->count : 0) + !mine)
		return false;
	for (const struct ynode *m = more->child; m; m = m->next) {
		const struct ynode *was = old ? yaml_get(old, str_c(x->a, m->key)) : NULL;

		if (str_is(m->key, x->keys[depth]) ? !grew_by_one(x, was, m, depth + 1)
						   : !was || !same_node(was, m))
			return false;
	}
	return true;
}

static bool accept_added(struct edit *x, struct str text)
{
	struct yaml_file now;

	if (yaml_read(x->a, x->old.name, text, &now, NULL) != 0 || !now.root ||
			!grew_by_one(x, x->old.root, now.root, 0))
		return false;
	x->made = text;
	return true;
}

/* Removing an item may leave an empty list, or nothing at all. */
static bool accept_removed(struct edit *x, struct str text)
{
	struct yaml_file now;

	if (yaml_read(x->a, x->old.name, text, &now, NULL) != 0 || !now.root ||
			!grew_by_one(x, now.root, x->old.root, 0))
		return false;
	x->made = text;
	return true;
}

static struct str splice_text(struct edit *x, size_t from, size_t to, struct str piece)
{
	struct buf b;

	buf_init(&b, x->a, 0);
	buf_str(&b, str_first(x->old.bytes, from));
	buf_str(&b, piece);
	buf_str(&b, str_from(x->old.bytes, to));
	return buf_view(&b);
}

/* ---- writing YAML ---- */

#define PLAIN_MARKS " ./_=+@-" /* in YAML, beside letters and digits */

/*
 * True if the text needs no quotes in any YAML: it starts with a letter, a slash or ./, and is not a reserved
 * word.
 */
static bool is_plain(struct str s)
{
	bool start = s.n && ascii_is_alnum_or(s.p[0], PLAIN_MARKS) && !strchr(" .=+@-0123456789", s.p[0]);

	if ((!start && !str_starts(s, "./")) || str_like_any(s, "true false yes no on off null y n"))
		return false;
	return str_is_alnum_or(s, PLAIN_MARKS);
}

static void put_text(struct buf *b, const struct edit *x, struct str s)
{
	if (!x->json && is_plain(s)) {
		buf_str(b, s);
		return;
	}
	if (!x->json && !str_has(s, '\'')) {
		buf_fmt(b, "'%.*s'", STR_ARG(s));
		return;
	}
	buf_char(b, '"');
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '"' || s.p[i] == '\\')
			buf_char(b, '\\');
		buf_char(b, s.p[i]);
	}
	buf_char(b, '"');
}

static void put_indent(struct buf *b, size_t n)
{
	while (n--)
		buf_char(b, ' ');
}

/* Lines for the keys from number `depth` on and the item below them; the first starts at this column. */
static struct str block_lines(struct edit *x, size_t depth, size_t indent)
{
	struct buf b;

	buf_init(&b, x->a, 0);
	for (; depth < x->nkeys; depth++, indent += x->step) {
		put_indent(&b, indent);
		buf_fmt(&b, "%s:%.*s", x->keys[depth], STR_ARG(x->eol));
	}
	put_indent(&b, indent);
	buf_c(&b, "- ");
	put_text(&b, x, x->item);
	buf_str(&b, x->eol);
	return buf_view(&b);
}

/* "allow: [item]" for a flow map; the item alone for a flow list. */
static struct str flow_piece(struct edit *x, size_t depth)
{
	struct buf b;
	size_t open = 0;

	buf_init(&b, x->a, 0);
	for (; depth < x->nkeys; depth++) {
		buf_fmt(&b, x->json ? "\"%s\": %s" : "%s: %s", x->keys[depth],
				depth + 1 < x->nkeys ? "{" : "[");
		open++;
	}
	put_text(&b, x, x->item);
	for (; open; open--)
		buf_char(&b, depth-- == x->nkeys ? ']' : '}');
	return buf_view(&b);
}

/* ---- putting in ---- */

/* Inserts whole lines before this one; terminates an unterminated last line. */
static bool add_lines(struct edit *x, uint32_t before, struct str lines)
{
	size_t at = line_start(x->old.bytes, before);

	if (at && x->old.bytes.p[at - 1] != '\n')
		lines = str_cat(x->a, x->eol, lines);
	return accept_added(x, splice_text(x, at, at, lines));
}

/* Offset behind the quoted text that starts here; the same offset if none does. */
static size_t skip_quoted(const struct edit *x, size_t at)
{
	char quote = char_at(x, at);

	if ((quote != '"' && quote != '\'') || !strchr(" \t\r\n[{,:", char_at(x, at - 1)))
		return at;
	for (at++; char_at(x, at) && char_at(x, at) != quote; at++)
		if (quote == '"' && char_at(x, at) == '\\')
			at++;
	return at;
}

/* Offset behind the last entry of the flow list or map that starts here; 0: its end is not found. */
static size_t flow_last(const struct edit *x, size_t open)
{
	size_t last = open, depth = 0;

	for (size_t at = open; at < x->old.bytes.n; at++) {
		char c = char_at(x, at = skip_quoted(x, at));

		if (c == '#' && strchr(" \t\n", char_at(x, at - 1))) {
			while (at < x->old.bytes.n && char_at(x, at) != '\n')
				at++;
			continue;
		}
		if (ascii_is_space(c))
			continue;
		depth += c == '[' || c == '{';
		depth -= c == ']' || c == '}';
		if (!depth)
			return last + 1;
		last = at;
	}
	return 0;
}

static bool add_flow(struct edit *x, const struct ynode *n, size_t depth)
{
	size_t at = flow_last(x, node_offset(x, n));
	struct str piece = flow_piece(x, depth);
	char last;

	if (!at)
		return false;
	last = char_at(x, at - 1);
	piece = str_fmt(x->a, "%s%.*s", last == '[' || last == '{' ? "" : last == ',' ? " " : ", ",
			STR_ARG(piece));
	return accept_added(x, splice_text(x, at, at, piece));
}

/* A block list: adds a line like its entries, behind the last or before the first. */
static bool add_item(struct edit *x, const struct ynode *list)
{
	size_t indent = line_indent(x, list->child->line);
	struct str line = block_lines(x, x->nkeys, indent);

	if (char_at(x, line_start(x->old.bytes, list->child->line) + indent) != '-')
		return false;
	return add_lines(x, last_line(list) + 1, line) || add_lines(x, list->key_line + 1, line);
}

static bool add_key(struct edit *x, const struct ynode *map, size_t depth)
{
	size_t indent = line_indent(x, map->child->key_line);
	struct str lines = block_lines(x, depth, indent);

	return add_lines(x, last_line(map) + 1, lines) || add_lines(x, map->child->key_line, lines);
}

/* A key without a value: its content goes below it. */
static bool fill_key(struct edit *x, const struct ynode *null, size_t depth)
{
	return add_lines(x, null->key_line + 1,
			block_lines(x, depth, line_indent(x, null->key_line) + x->step));
}

static bool add_there(struct edit *x, const struct ynode *n, size_t depth)
{
	char first = char_at(x, node_offset(x, n));

	if (yaml_null(n))
		return fill_key(x, n, depth);
	if (n->kind == YNODE_LIST && depth == x->nkeys)
		return first == '[' ? add_flow(x, n, depth) : n->child && add_item(x, n);
	if (n->kind == YNODE_MAP && depth < x->nkeys)
		return first == '{' ? add_flow(x, n, depth) : n->child && add_key(x, n, depth);
	return false;
}

/* ---- both ---- */

static void edit_start(struct edit *x, struct arena *a, const char *path)
{
	size_t from = 0, n;

	x->a = a;
	for (; path[from] && x->nkeys < YAMLTEXT_DEPTH_MAX; from += n + (path[from + n] == '.')) {
		n = strcspn(path + from, ".");
		if (n >= KEY_MAX)
			break;
		memcpy(x->keys[x->nkeys++], path + from, n);
	}
	x->eol = str_contains(x->old.bytes, STR("\r\n")) ? STR("\r\n") : STR("\n");
	x->step = INDENT_DEFAULT;
	for (const struct ynode *c = x->old.root ? x->old.root->child : NULL; c; c = c->next)
		if (c->kind == YNODE_MAP && c->child && c->line > c->key_line &&
				c->child->key_column > c->key_column &&
			c->child->key_column - c->key_column <= INDENT_MAX) {
			x->step = c->child->key_column - c->key_column;
			break;
		}
	if (x->old.root && char_at(x, node_offset(x, x->old.root)) == '{') {
		size_t at = node_offset(x, x->old.root) + 1;

		while (char_at(x, at) && strchr(" \t\r\n", char_at(x, at)))
			at++;
		x->json = char_at(x, at) == '"' || char_at(x, at) == '}';
	}
}

/* The deepest existing node on the way to the list; *ret_depth: the number of keys leading to it. */
static const struct ynode *deepest_node(const struct edit *x, size_t *ret_depth)
{
	const struct ynode *n = x->old.root;
	size_t depth = 0;

	while (n && depth < x->nkeys && yaml_get(n, x->keys[depth]))
		n = yaml_get(n, x->keys[depth++]);
	*ret_depth = depth;
	return n;
}

static int by_hand(const struct edit *x, const char *path, bool remove, struct err *e)
{
	size_t depth;
	const struct ynode *n = deepest_node(x, &depth);
	uint32_t line = !n ? 1 : n->key_line ? n->key_line : n->line;
	struct buf b;

	buf_init(&b, x->a, 0);
	put_text(&b, x, x->item);
	return err_config(e,
			"%.*s:%u: this layout cannot be changed safely by a program; %s by hand, %s %s: %.*s",
			STR_ARG(x->old.name), line,
		remove ? "remove it" : "write it", remove ? "from" : "as an entry of", path,
		STR_ARG(buf_view(&b)));
}

int yamltext_add(struct arena *a, struct str name, struct str text, const char *path, struct str item,
		struct str *ret, struct err *e)
{
	struct edit x = {.item = item};
	const struct ynode *n;
	size_t depth;
	bool done;

	if (yaml_read(a, name, text, &x.old, e) != 0)
		return -1;
	edit_start(&x, a, path);
	n = deepest_node(&x, &depth);
	done = n ? add_there(&x, n, depth) : add_lines(&x, UINT32_MAX, block_lines(&x, 0, 0));
	if (!done)
		return by_hand(&x, path, false, e);
	*ret = x.made;
	return 0;
}

/* ---- taking out ---- */

/* [a, ITEM, b]: removes the comma before it too, or the one behind it if it is the first. */
static bool remove_flow(struct edit *x, const struct ynode *n)
{
	size_t from = node_offset(x, n), to = skip_quoted(x, from), before;

	if (to > from)
		to++;
	while (to < x->old.bytes.n && !strchr(",]#\r\n", char_at(x, to)))
		to++;
	while (char_at(x, to - 1) == ' ')
		to--;
	for (before = from; before && strchr(" \t\r\n", char_at(x, before - 1));)
		before--;
	if (before && char_at(x, before - 1) == ',')
		return accept_removed(x, splice_text(x, before - 1, to, STR("")));
	if (char_at(x, to) == ',')
		for (to++; char_at(x, to) == ' ';)
			to++;
	return accept_removed(x, splice_text(x, from, to, STR("")));
}

int yamltext_remove(struct arena *a, struct str name, struct str text, const char *path, struct str item,
		struct str *ret, struct err *e)
{
	struct edit x = {.item = item};
	const struct ynode *n, *c;
	size_t depth;

	if (yaml_read(a, name, text, &x.old, e) != 0)
		return -1;
	edit_start(&x, a, path);
	n = deepest_node(&x, &depth);
	for (c = n && n->kind == YNODE_LIST && depth == x.nkeys ? n->child : NULL; c && !is_item(&x, c);)
		c = c->next;
	if (!c)
		return err_input(e, "%.*s: '%.*s' is not in %s", STR_ARG(name), STR_ARG(item), path);
	if (char_at(&x, node_offset(&x, n)) == '[' ? !remove_flow(&x, c)
						   : !accept_removed(&x,
								splice_text(&x, line_start(text, c->line),
								line_start(text, c->line + 1), STR(""))))
		return by_hand(&x, path, true, e);
	*ret = x.made;
	return 0;
}

/* ---- looking ---- */

const struct ynode *yamltext_list(const struct yaml_file *f, const char *path)
{
	struct edit x = {.old = *f};
	size_t depth;
	const struct ynode *n;

	edit_start(&x, NULL, path);
	n = deepest_node(&x, &depth);
	return n && depth == x.nkeys && n->kind == YNODE_LIST ? n : NULL;
}

const struct ynode *yamltext_find(const struct ynode *list, struct str item)
{
	static const char keys[][8] = {"prefix", "command", "test", "rule", "tool"};

	for (const struct ynode *c = list ? list->child : NULL; c; c = c->next) {
		if (c->kind == YNODE_SCALAR && str_eq(c->text, item))
			return c;
		for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
			const struct ynode *v = yaml_get(c, keys[i]);

			if (v && v->kind == YNODE_SCALAR && str_eq(v->text, item))
				return c;
		}
	}
	return NULL;
}
