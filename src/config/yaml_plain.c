/*
 * A fast parser for the simple subset of YAML in which nearly all policies are written: block maps and lists,
 * plain and quoted scalars on one line, flow lists and maps on one line, comments. Anything else, and any
 * error, makes it give up, and libfyaml parses the whole text. So it may accept less than YAML, and must
 * never parse it differently. Tests and a fuzzer compare its trees with libfyaml's, including positions.
 */
#include "config/yaml_plain.h"

#include "base/utf8.h"

#define PLAIN_NODES_MAX 50000
#define PLAIN_DEPTH_MAX 16
#define PLAIN_KEYS_MAX 64  /* keys of one map: scanned for duplicates */
#define PLAIN_KEY_BYTES 64

struct reader {
	struct arena *a;
	const char *s;
	size_t n, at;      /* at: offset of the next byte */
	size_t line_start;
	size_t wide;       /* continuation bytes of UTF-8 on this line so far: columns count characters */
	uint32_t line;     /* 1-based */
	bool end;          /* only blank lines and comments are left */
	size_t nodes, depth;
};

/* only ASCII precedes it on its line */
static size_t column(const struct reader *r) { return r->at - r->line_start; }
static uint32_t place(const struct reader *r) { return (uint32_t)(r->at - r->line_start - r->wide) + 1; }
static char peek(const struct reader *r) { return r->at < r->n ? r->s[r->at] : '\n'; }
static char peek_at(const struct reader *r, size_t at) { return at < r->n ? r->s[at] : '\n'; }

static void skip_blanks(struct reader *r)
{
	while (peek(r) == ' ')
		r->at++;
}

/* True at the end of a line or before a comment. */
static bool line_done(const struct reader *r)
{
	return peek(r) == '\n' || (peek(r) == '#' && (column(r) == 0 || r->s[r->at - 1] == ' '));
}

/* Moves to the first byte of the next line with content; r->end if there is none. */
static void next_line(struct reader *r)
{
	for (;;) {
		const char *nl = r->at < r->n ? memchr(r->s + r->at, '\n', r->n - r->at) : NULL;
		if (!nl) {
			r->at = r->n;
			r->end = true;
			return;
		}
		r->at = r->line_start = (size_t)(nl - r->s) + 1;
		r->line++;
		r->wide = 0;
		skip_blanks(r);
		if (!line_done(r))
			return;
	}
}

static struct ynode *node_new(struct reader *r, enum ynode_kind kind)
{
	if (++r->nodes > PLAIN_NODES_MAX)
		return NULL;
	struct ynode *n = arena_new(r->a, struct ynode);
	n->kind = kind;
	n->text = STR("");
	n->line = r->line;
	n->column = place(r);
	return n;
}

static void add_node(struct ynode *parent, struct ynode *n)
{
	if (parent->tail)
		parent->tail->next = n;
	else
		parent->child = n;
	parent->tail = n;
	parent->count++;
}

struct key {
	struct str text;
	uint32_t line, column;
};

static bool name_byte(char c, bool first)
{
	return ascii_is_name_start(c) || (!first && (ascii_is_digit(c) || c == '-'));
}

/* Length of "name" before a ':' and a space or newline; 0: this is not a key. */
static size_t key_length(const struct reader *r)
{
	size_t n = 0;
	while (name_byte(peek_at(r, r->at + n), n == 0))
		n++;
	char after = peek_at(r, r->at + n + 1);
	return n <= PLAIN_KEY_BYTES && peek_at(r, r->at + n) == ':' && (after == ' ' || after == '\n') ? n :
			0;
}

/* Takes a key and its ':'; false: there is none, or the map already has it. */
static bool read_key(struct reader *r, const struct ynode *map, struct key *ret)
{
	size_t n = key_length(r);
	if (!n || map->count >= PLAIN_KEYS_MAX)
		return false;
	*ret = (struct key){str_n(r->s + r->at, n), r->line, place(r)};
	for (const struct ynode *c = map->child; c; c = c->next)
		if (str_eq(c->key, ret->text))
			return false;
	r->at += n + 1;
	return true;
}

static void add_value(struct ynode *map, const struct key *k, struct ynode *n)
{
	n->key = k->text;
	n->key_line = k->line;
	n->key_column = k->column;
	add_node(map, n);
}

/* ---- values on one line ---- */

static bool may_start_plain(const struct reader *r)
{
	char c = peek(r), after = peek_at(r, r->at + 1);
	if (c == '-')
		return after != ' ' && after != '\n' && after != ',' && after != ']' && after != '}' &&
				after != '[' && after != '{';
	return !memchr("?:,[]{}#&*!|>'\"%@` \n", c, 21);
}

static struct ynode *read_plain(struct reader *r, bool flow)
{
	if (!may_start_plain(r))
		return NULL;
	struct ynode *n = node_new(r, YNODE_SCALAR);
	size_t from = r->at, to = r->at; /* to: offset behind the last byte that is not a space */
	for (; r->at < r->n && r->s[r->at] != '\n'; r->at++) {
		char c = r->s[r->at], after = peek_at(r, r->at + 1);
		if (c == '#' && r->s[r->at - 1] == ' ')
			break;
		if (flow && (c == ',' || c == ']' || c == '}'))
			break;
		if (flow && (c == '[' || c == '{'))
			return NULL;
		if (c == ':' && (after == ' ' || after == '\n' || (flow && memchr(",[]{}", after, 5))))
			return NULL;
		if (c != ' ')
			to = r->at + 1;
		r->wide += utf8_continues(c);
	}
	if (!n)
		return NULL;
	n->plain = true;
	n->text = str_n(r->s + from, to - from);
	return n;
}

/* '...' with '' for a quote, or "..." with \\ and \" and no other escapes. */
static struct ynode *read_quoted(struct reader *r)
{
	struct ynode *n = node_new(r, YNODE_SCALAR);
	char quote = peek(r), *copy = NULL;
	size_t from = ++r->at, out = 0;
	if (!n)
		return NULL;
	for (; r->at < r->n; r->at++) {
		char c = r->s[r->at], after = peek_at(r, r->at + 1);
		bool escape = quote == '\'' ? c == '\'' && after == '\'' : c == '\\';
		if (c == '\n' || (escape && quote == '"' && after != '\\' && after != '"'))
			return NULL;
		if (c == quote && !escape)
			break;
		if (escape && !copy) {
			const char *nl = memchr(r->s + r->at, '\n', r->n - r->at);
			copy = arena_alloc(r->a, (nl ? (size_t)(nl - r->s) : r->n) - from + 1);
			memcpy(copy, r->s + from, out);
		}
		r->at += escape;
		r->wide += utf8_continues(c);
		if (copy)
			copy[out] = r->s[r->at];
		out++;
	}
	if (r->at == r->n)
		return NULL;
	r->at++;
	n->text = str_n(copy ? copy : r->s + from, out);
	return n;
}

static struct ynode *flow_value(struct reader *r);

/* [a, b] and {a: b, c: d}; no empty entries. */
static struct ynode *read_flow(struct reader *r)
{
	bool map = peek(r) == '{';
	char close = map ? '}' : ']';
	struct ynode *n = node_new(r, map ? YNODE_MAP : YNODE_LIST);
	if (!n || ++r->depth > PLAIN_DEPTH_MAX)
		return NULL;
	r->at++;
	skip_blanks(r);
	while (peek(r) != close || n->count) {
		struct key k = {0};
		if (map && !read_key(r, n, &k))
			return NULL;
		skip_blanks(r);
		struct ynode *c = flow_value(r);
		if (!c)
			return NULL;
		if (map)
			add_value(n, &k, c);
		else
			add_node(n, c);
		skip_blanks(r);
		if (peek(r) == close)
			break;
		if (peek(r) != ',')
			return NULL;
		r->at++;
		skip_blanks(r);
	}
	r->at++;
	r->depth--;
	return n;
}

static struct ynode *flow_value(struct reader *r)
{
	char c = peek(r);
	return c == '[' || c == '{'    ? read_flow(r)
	       : c == '\'' || c == '"' ? read_quoted(r)
				       : read_plain(r, true);
}

/*
 * Parses a value that ends on this line and moves to the next one. If that is indented deeper than the
 * value's owner, the value continues there: give up.
 */
static struct ynode *inline_value(struct reader *r)
{
	char c = peek(r);
	struct ynode *n = c == '[' || c == '{' ? read_flow(r) : c == '\'' || c == '"' ? read_quoted(r) :
			read_plain(r, false);
	if (!n)
		return NULL;
	skip_blanks(r);
	if (!line_done(r))
		return NULL;
	next_line(r);
	return n;
}

/* ---- blocks ---- */

static bool at_dash(const struct reader *r) { return peek(r) == '-' && peek_at(r, r->at + 1) == ' '; }

static struct ynode *block_list(struct reader *r);

static struct ynode *block_map(struct reader *r)
{
	size_t indent = column(r);
	struct ynode *n = node_new(r, YNODE_MAP);
	if (!n || ++r->depth > PLAIN_DEPTH_MAX)
		return NULL;
	do {
		struct key k;
		struct ynode *c = NULL;
		if (!read_key(r, n, &k))
			return NULL;
		skip_blanks(r);
		if (!line_done(r))
			c = inline_value(r);
		else {
			next_line(r);
			if (r->end)
				return NULL;
			if (at_dash(r) && column(r) >= indent)
				c = block_list(r);
			else if (column(r) > indent && key_length(r))
				c = block_map(r);
		}
		if (!c || (!r->end && column(r) > indent)) /* the value continues, or there is an error */
			return NULL;
		add_value(n, &k, c);
	} while (!r->end && column(r) == indent && !at_dash(r));
	if (!r->end && column(r) == indent) /* an item where a key is expected */
		return NULL;
	r->depth--;
	return n;
}

static struct ynode *block_list(struct reader *r)
{
	size_t indent = column(r);
	struct ynode *n = node_new(r, YNODE_LIST);
	if (!n || ++r->depth > PLAIN_DEPTH_MAX)
		return NULL;
	do {
		r->at++;
		skip_blanks(r);
		if (line_done(r))
			return NULL;
		struct ynode *c = key_length(r) ? block_map(r) : inline_value(r);
		if (!c || (!r->end && column(r) > indent))
			return NULL;
		add_node(n, c);
	} while (!r->end && column(r) == indent && at_dash(r));
	r->depth--;
	return n;
}

/* Gives up on Unicode characters that other readers take for line ends, and on invisible ones. */
static bool is_odd(uint32_t c)
{
	return c == UTF8_BAD || c < 0xA0 || c == 0x2028 || c == 0x2029 || c == 0xFEFF ||
			(c & 0xFFFE) == 0xFFFE;
}

static bool plain_bytes(struct str b)
{
	for (size_t i = 0; i < b.n;) {
		char c = b.p[i];
		if ((c >= ' ' && c <= '~') || c == '\n')
			i++;
		else if (!((unsigned char)c & 0x80) || is_odd(utf8_next(b, &i)))
			return false;
	}
	return true;
}

bool yaml_plain(struct arena *a, struct yaml_file *f)
{
	if (!f->bytes.n || !plain_bytes(f->bytes))
		return false;
	struct str own = str_dup(a, f->bytes); /* the nodes' texts are slices of it */
	struct reader r = {.a = a, .s = own.p, .n = own.n, .line = 1};
	skip_blanks(&r);
	if (line_done(&r))
		next_line(&r);
	if (r.end || column(&r) != 0 || !key_length(&r))
		return false;
	struct ynode *root = block_map(&r);
	if (!root || !r.end)
		return false;
	f->root = root;
	return true;
}
