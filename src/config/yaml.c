/* Turns YAML into arena nodes. See yaml.h. */
#include "config/yaml.h"

#include <libfyaml.h>
#include <stdio.h>

#include "base/pmap.h"
#include "base/utf8.h"
#include "config/yaml_plain.h"

#define QUOTE_MAX 160 /* bytes of the faulty line in an error message */

static struct str line_at(struct str bytes, uint32_t line)
{
	size_t from = 0;
	for (uint32_t l = 1; l < line; l++) {
		ptrdiff_t nl = str_find(bytes, '\n', from);
		if (nl < 0)
			return STR("");
		from = (size_t)nl + 1;
	}
	size_t nl = str_end(bytes, '\n', from);
	return str_sub(bytes, from, nl);
}

static int fail_at(struct str name, struct str bytes, uint32_t line, uint32_t column, struct err *e,
		const char *what)
{
	char shown[QUOTE_MAX + 1];
	struct str l = line_at(bytes, line);
	size_t n = 0;
	/* a hostile file must not send escape sequences to the terminal */
	for (size_t i = 0; i < l.n && n < QUOTE_MAX; i++) {
		unsigned char c = (unsigned char)l.p[i];
		if (c == '\r')
			continue;
		shown[n++] = c == '\t' ? ' ' : c < 32 || c == 127 ? '?' : (char)c;
	}
	while (n > 0 && l.n > n && utf8_continues(shown[n - 1]))
		n--; /* no half character at the cut */
	if (n > 0 && l.n > n && ((unsigned char)shown[n - 1] & 0x80))
		n--;
	shown[n] = '\0';
	return err_config(e, n ? "%.*s:%u:%u: %s: '%s'" : "%.*s:%u:%u: %s%s", STR_ARG(name), line,
			column, what, shown);
}

int yaml_fail(const struct yaml_file *f, const struct ynode *n, bool key, struct err *e, const char *fmt, ...)
{
	char what[256];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	uint32_t line = n ? n->line : 1, column = n ? n->column : 1;
	if (key && n && n->key_line)
		line = n->key_line, column = n->key_column;
	return fail_at(f->name, f->bytes, line, column, e, what);
}

const struct ynode *yaml_get(const struct ynode *map, const char *key)
{
	if (!map || map->kind != YNODE_MAP)
		return NULL;
	for (const struct ynode *n = map->child; n; n = n->next)
		if (str_is(n->key, key))
			return n;
	return NULL;
}

bool yaml_null(const struct ynode *n)
{
	return n->kind == YNODE_SCALAR && n->plain &&
			(!n->text.n || str_is_any(n->text, "~ null"));
}

struct level {
	struct ynode *node;
	const struct pmap *keys;
	struct str key;
	uint32_t key_line, key_column;
	bool have_key;
};

struct build {
	struct arena *a;
	struct yaml_file *f;
	struct err *e;
	struct fy_parser *parser;
	struct fy_diag *diag;
	struct fy_event *ev; /* the current event: freed also if the arena is left while it is in use */
	struct level stack[YAML_DEPTH_MAX + 1];
	size_t depth, nodes, documents;
};

static int fail_build(struct build *b, uint32_t line, uint32_t column, const char *what)
{
	return fail_at(b->f->name, b->f->bytes, line, column, b->e, what);
}

/*
 * Adds a node below the innermost open list or map. In a map, a scalar where a key is expected becomes the
 * key.
 */
static int attach_node(struct build *b, struct ynode *n)
{
	if (++b->nodes > YAML_NODES_MAX)
		return fail_build(b, n->line, n->column, "too many values");
	if (!b->depth) {
		b->f->root = n;
		return 0;
	}
	struct level *l = &b->stack[b->depth - 1];
	if (l->node->kind == YNODE_MAP && !l->have_key) {
		if (n->kind != YNODE_SCALAR)
			return fail_build(b, n->line, n->column, "a key must be a plain word");
		if (pmap_get(l->keys, n->text))
			return fail_build(b, n->line, n->column, "duplicate key");
		l->keys = pmap_set(b->a, l->keys, n->text, n);
		l->key = n->text;
		l->key_line = n->line, l->key_column = n->column;
		l->have_key = true;
		return 0;
	}
	if (l->node->kind == YNODE_MAP) {
		n->key = l->key;
		n->key_line = l->key_line, n->key_column = l->key_column;
		l->have_key = false;
	}
	if (l->node->tail)
		l->node->tail->next = n;
	else
		l->node->child = n;
	l->node->tail = n;
	l->node->count++;
	return 0;
}

static struct ynode *node_new(struct build *b, enum ynode_kind kind, struct fy_token *t)
{
	struct ynode *n = arena_new(b->a, struct ynode);
	const struct fy_mark *m = t ? fy_token_start_mark(t) : NULL;
	n->kind = kind;
	n->text = STR("");
	n->line = m && m->line >= 0 ? (uint32_t)m->line + 1 : 1;
	n->column = m && m->column >= 0 ? (uint32_t)m->column + 1 : 1;
	return n;
}

static int open_level(struct build *b, struct ynode *n)
{
	if (attach_node(b, n) < 0)
		return -1;
	if (b->depth == YAML_DEPTH_MAX)
		return fail_build(b, n->line, n->column, "nested too deep");
	b->stack[b->depth++] = (struct level){.node = n};
	return 0;
}

/* libfyaml 0.7 misreads 'a''''b', which is a''b. */
static bool is_misread(const struct build *b, struct fy_token *t)
{
	const struct fy_mark *from = fy_token_start_mark(t), *to = fy_token_end_mark(t);
	if (!from || !to || from->input_pos > to->input_pos || to->input_pos > b->f->bytes.n)
		return true;
	return str_contains(str_sub(b->f->bytes, from->input_pos, to->input_pos), STR("''''"));
}

static int take_scalar(struct build *b, struct fy_event *ev)
{
	size_t len = 0;
	const char *text = ev->scalar.value ? fy_token_get_text(ev->scalar.value, &len) : NULL;
	struct ynode *n = node_new(b, YNODE_SCALAR, ev->scalar.value);
	if (ev->scalar.tag)
		return fail_build(b, n->line, n->column, "tags are not used here");
	enum fy_scalar_style style = ev->scalar.value ? fy_scalar_token_get_style(ev->scalar.value) :
			FYSS_PLAIN;
	n->plain = style == FYSS_PLAIN;
	/* the mark is behind the quote */
	n->column -= (style == FYSS_SINGLE_QUOTED || style == FYSS_DOUBLE_QUOTED) && n->column > 1;
	if (style == FYSS_SINGLE_QUOTED && is_misread(b, ev->scalar.value))
		return fail_build(b, n->line, n->column,
			"four quotes in a row: write the text in double quotes");
	if (text)
		n->text = str_dup(b->a, str_n(text, len));
	return attach_node(b, n);
}

static int take_event(struct build *b, struct fy_event *ev)
{
	struct ynode *n;
	switch (ev->type) {
	case FYET_DOCUMENT_START:
		n = node_new(b, YNODE_SCALAR, ev->document_start.document_start);
		return ++b->documents > 1 ? fail_build(b, n->line, n->column, "only one document is allowed")
					  : 0;
	case FYET_MAPPING_START:
		n = node_new(b, YNODE_MAP, ev->mapping_start.mapping_start);
		return ev->mapping_start.tag ? fail_build(b, n->line, n->column, "tags are not used here") :
				open_level(b, n);
	case FYET_SEQUENCE_START:
		n = node_new(b, YNODE_LIST, ev->sequence_start.sequence_start);
		return ev->sequence_start.tag ? fail_build(b, n->line, n->column, "tags are not used here") :
				open_level(b, n);
	case FYET_MAPPING_END:
	case FYET_SEQUENCE_END:
		b->depth--;
		return 0;
	case FYET_SCALAR:
		return take_scalar(b, ev);
	case FYET_ALIAS:
		n = node_new(b, YNODE_SCALAR, ev->alias.anchor);
		return fail_build(b, n->line, n->column, "aliases are not allowed");
	default:
		return 0;
	}
}

/* Words libfyaml's diagnosis like our own errors. */
static int fail_parse(struct build *b)
{
	void *iter = NULL;
	const struct fy_diag_error *de = fy_diag_errors_iterate(b->diag, &iter);
	if (!de)
		return fail_build(b, 1, 1, "not valid YAML");
	char what[200];
	snprintf(what, sizeof(what), "not valid YAML (%s)", de->msg ? de->msg : "syntax error");
	return fail_build(b, de->line >= 1 ? (uint32_t)de->line : 1, de->column >= 1 ? (uint32_t)de->column :
			1, what);
}

static int parse_events(struct build *b)
{
	for (;;) {
		enum fy_event_type type;
		int r;

		b->ev = fy_parser_parse(b->parser);
		if (!b->ev)
			return fy_diag_got_error(b->diag) || fy_parser_get_stream_error(b->parser) ?
					fail_parse(b) : 0;
		type = b->ev->type;
		r = take_event(b, b->ev);
		fy_parser_event_free(b->parser, b->ev);
		b->ev = NULL;
		if (r < 0 || type == FYET_STREAM_END)
			return r;
	}
}

/* libfyaml's memory is not the arena's. */
static void free_parser(void *ptr)
{
	struct build *b = ptr;

	if (b->ev)
		fy_parser_event_free(b->parser, b->ev);
	fy_parser_destroy(b->parser);
	fy_diag_destroy(b->diag);
}

static int read_all(struct build *b)
{
	struct arena_cleanup cleanup;
	struct fy_diag_cfg dcfg;
	int r = -1;

	fy_diag_cfg_default(&dcfg);
	dcfg.fp = NULL;
	dcfg.level = FYET_ERROR;
	b->diag = fy_diag_create(&dcfg);
	if (!b->diag)
		return err_limit(b->e, "no memory to read '%.*s'", STR_ARG(b->f->name));
	fy_diag_set_collect_errors(b->diag, true);
	struct fy_parse_cfg cfg = {.flags = FYPCF_QUIET | FYPCF_JSON_NONE | FYPCF_DISABLE_MMAP_OPT,
			.diag = b->diag};
	b->parser = fy_parser_create(&cfg);
	arena_defer(b->a, &cleanup, free_parser, b);
	if (!b->parser || fy_parser_set_string(b->parser, b->f->bytes.p, b->f->bytes.n) < 0)
		err_limit(b->e, "no memory to read '%.*s'", STR_ARG(b->f->name));
	else
		r = parse_events(b);
	arena_release(b->a, &cleanup);
	return r;
}

/*
 * Accepts only UTF-8 without NUL and without directives: they are useless here, and a file with nothing else
 * would look empty.
 */
static int check_text(const struct yaml_file *f, struct err *e)
{
	struct str b = f->bytes;
	uint32_t line = 1;
	bool content = false;
	size_t i = 0;
	while (i < b.n) {
		size_t at = i;
		uint32_t c = utf8_next(b, &i);
		bool start = at == 0 || b.p[at - 1] == '\n';
		if (c == UTF8_BAD || c == 0)
			return fail_at(f->name, b, line, 1, e, "not text in UTF-8");
		if (start && c == '%' && !content)
			return fail_at(f->name, b, line, 1, e, "directives are not used here");
		content |= start && c != '#' && c != '\n' && c != '\r' && c != 0xFEFF;
		line += c == '\n';
	}
	return 0;
}

static int read_bytes(struct arena *a, struct yaml_file *f, bool full, struct err *e)
{
	struct build b = {.a = a, .f = f, .e = e};
	if (f->bytes.n > YAML_BYTES_MAX)
		return err_config(e, "%.*s:1:1: larger than %zu bytes", STR_ARG(f->name), YAML_BYTES_MAX);
	if (!full && yaml_plain(a, f))
		return 0;
	if (check_text(f, e) < 0)
		return -1;
	if (f->bytes.n && read_all(&b) < 0)
		return -1;
	if (f->root && yaml_null(f->root))
		f->root = NULL;
	return 0;
}

int yaml_read(struct arena *a, struct str name, struct str bytes, struct yaml_file *ret, struct err *e)
{
	struct yaml_file f = {.name = name, .bytes = bytes};
	if (read_bytes(a, &f, false, e) < 0)
		return -1;
	*ret = f;
	return 0;
}

int yaml_read_full(struct arena *a, struct str name, struct str bytes, struct yaml_file *ret, struct err *e)
{
	struct yaml_file f = {.name = name, .bytes = bytes};
	if (read_bytes(a, &f, true, e) < 0)
		return -1;
	*ret = f;
	return 0;
}
