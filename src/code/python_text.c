/*
 * Python strings: literals, formats, paths, and identifiers after normalisation. All texts are abstract
 * (model/facts.h).
 */
#include "base/chars.h"
#include "base/utf8.h"
#include "code/python.h"

struct str py_cat(struct python *p, struct str x, struct str y)
{
	if (!x.n || !y.n)
		return x.n ? x : y;
	if (x.n + y.n > PY_TEXT_MAX || p->folded > PY_FOLDED_MAX)
		return CODE_HOLE;
	p->folded += x.n + y.n;
	return str_cat(p->a, x, y);
}

/* ---- literals ---- */

static bool is_hole_byte(char c) { return text_hole(c); }

static void put_byte(struct buf *b, unsigned c)
{
	/* these bytes mark holes, and occur in no path or word */
	buf_char(b, is_hole_byte((char)c) ? HOLE_ANY : (char)c);
}

static void put_point(struct buf *b, uint32_t cp, bool bytes)
{
	char out[4];
	size_t n = cp < 128 || bytes ? 0 : utf8_put(cp, out);

	if (cp < 128 || bytes)
		put_byte(b, cp & 255);
	else if (n)
		buf_add(b, out, n);
	else
		buf_char(b, HOLE_ANY);
}

static int digit_of(char c, unsigned base)
{
	int d = ascii_hex_value(c);

	return d < (int)base ? d : -1;
}

static uint32_t read_number(struct str s, size_t *i, unsigned base, unsigned max)
{
	uint32_t v = 0;

	for (unsigned k = 0; k < max && *i < s.n && digit_of(s.p[*i], base) >= 0; k++)
		v = v * base + (uint32_t)digit_of(s.p[(*i)++], base);
	return v;
}

/* Reads the escape sequence at s[i] (a backslash). Returns the offset after it. */
static size_t read_escape(struct buf *b, struct str s, size_t i, bool bytes)
{
	static const char names[] = "abfnrtv\\'\"", values[] = "\a\b\f\n\r\t\v\\'\"";
	const char *known;

	if (++i >= s.n) {
		buf_char(b, '\\');
		return i;
	}
	known = memchr(names, s.p[i], sizeof(names) - 1);
	if (known) {
		put_byte(b, (unsigned char)values[known - names]);
		return i + 1;
	}
	if (s.p[i] == '\n')
		return i + 1;
	if (s.p[i] == '\r')
		return i + 1 + (i + 1 < s.n && s.p[i + 1] == '\n');
	if (s.p[i] >= '0' && s.p[i] <= '7') {
		put_point(b, read_number(s, &i, 8, 3), bytes);
		return i;
	}
	if (s.p[i] == 'x' || (!bytes && (s.p[i] == 'u' || s.p[i] == 'U'))) {
		unsigned max = s.p[i] == 'x' ? 2 : s.p[i] == 'u' ? 4 : 8;

		i++;
		put_point(b, read_number(s, &i, 16, max), bytes);
		return i;
	}
	if (s.p[i] == 'N' && !bytes) { /* a character by name */
		ptrdiff_t end = str_find(s, '}', i);

		buf_char(b, HOLE_ANY);
		return end < 0 ? s.n : (size_t)end + 1;
	}
	buf_char(b, '\\');
	return i;
}

struct prefix {
	bool raw, bytes, format;
};

static struct prefix prefix_of(struct str start)
{
	struct prefix f = {0};

	for (size_t i = 0; i < start.n; i++) {
		char c = (char)(start.p[i] | 32);

		f.raw |= c == 'r';
		f.bytes |= c == 'b';
		f.format |= c == 'f' || c == 't';
	}
	return f;
}

static void decode_text(struct buf *b, struct str s, struct prefix f)
{
	for (size_t i = 0; i < s.n;) {
		if (s.p[i] == '\\' && !f.raw) {
			i = read_escape(b, s, i, f.bytes);
		} else if (f.format && (s.p[i] == '{' || s.p[i] == '}') && i + 1 < s.n &&
				s.p[i + 1] == s.p[i]) {
			buf_char(b, s.p[i]);
			i += 2;
		} else if (s.p[i] == '\r') { /* Python normalises line ends */
			buf_char(b, '\n');
			i += 1 + (i + 1 < s.n && s.p[i + 1] == '\n');
		} else {
			put_byte(b, (unsigned char)s.p[i++]);
		}
	}
}

/* True for {x} or {x!s} without width or conversion. */
static bool is_plain(struct python *p, TSNode interpolation, TSNode value)
{
	struct str rest = str_sub(p->w->src, ts_node_end_byte(value), ts_node_end_byte(interpolation));

	while (rest.n && rest.p[0] == ' ')
		rest = str_from(rest, 1);
	return str_is_any(rest, "} !s}");
}

static struct str interpolate_text(struct python *p, TSNode n, const struct py_scope *sc,
	struct py_pick *pick)
{
	TSNode value = node_field(n, "expression");
	const struct pvs *v;

	if (ts_node_is_null(value) || !is_plain(p, n, value))
		return CODE_HOLE;
	v = py_eval(p, value, sc);
	if (pick && v->n > 1 && !v->cycle) {
		pick->several += !pick->at;
		pick->n = v->n;
		return pick->at && pick->at <= v->n ? py_text(p, v->v[pick->at - 1]) : CODE_HOLE;
	}
	return v->n == 1 && !v->cycle ? py_text(p, v->v[0]) : CODE_HOLE;
}

struct str py_string(struct python *p, TSNode string, const struct py_scope *sc, struct py_pick *pick)
{
	uint32_t n;
	TSNode *kids = py_children(p, string, &n);
	struct prefix f = {0};
	struct buf b;

	buf_init(&b, p->a, 0);
	for (uint32_t i = 0; i < n; i++) {
		if (node_is(kids[i], "string_start"))
			f = prefix_of(node_text(p->w, kids[i]));
		else if (node_is(kids[i], "string_content"))
			decode_text(&b, node_text(p->w, kids[i]), f);
		else if (node_is(kids[i], "interpolation"))
			buf_str(&b, interpolate_text(p, kids[i], sc, pick));
		if (b.n > PY_TEXT_MAX)
			return CODE_HOLE;
	}
	return buf_view(&b);
}

/* ---- formats ---- */

static struct str one_text(struct python *p, const struct pvs *v)
{
	return v && v->n == 1 && !v->cycle ? py_text(p, v->v[0]) : CODE_HOLE;
}

struct str py_percent(struct python *p, struct str format, const struct pvs *args)
{
	const struct pv *list = args->n == 1 && args->v[0]->kind == PV_SEQ ? args->v[0] : NULL;
	size_t next = 0;
	struct buf b;

	buf_init(&b, p->a, 0);
	for (size_t i = 0; i < format.n; i++) {
		if (format.p[i] != '%') {
			buf_char(&b, format.p[i]);
		} else if (i + 1 < format.n && format.p[i + 1] == '%') {
			buf_char(&b, '%');
			i++;
		} else if (i + 1 < format.n && (format.p[i + 1] == 's' || format.p[i + 1] == 'd')) {
			buf_str(&b, list ? (next < list->nitems ? one_text(p, list->items[next]) :
					CODE_HOLE) : next ? CODE_HOLE : one_text(p, args));
			next++;
			i++;
		} else {
			return CODE_HOLE;
		}
		if (b.n > PY_TEXT_MAX)
			return CODE_HOLE;
	}
	return buf_view(&b);
}

static struct str field_text(struct python *p, struct str name, const struct py_args *args, size_t *next)
{
	size_t at = 0, pos = 0;

	if (!name.n)
		pos = (*next)++;
	else if (ascii_is_digit(name.p[0]) && (pos = read_number(name, &at, 10, 3), at != name.n))
		return CODE_HOLE;
	else if (!ascii_is_digit(name.p[0]))
		return one_text(p, py_arg(p, args, -1, str_c(p->a, name)));
	return one_text(p, py_arg(p, args, (int)pos, ""));
}

struct str py_format(struct python *p, struct str format, const struct py_args *args)
{
	size_t next = 0;
	struct buf b;

	buf_init(&b, p->a, 0);
	for (size_t i = 0; i < format.n; i++) {
		ptrdiff_t end = str_find(format, '}', i);

		if ((format.p[i] == '{' || format.p[i] == '}') && i + 1 < format.n &&
				format.p[i + 1] == format.p[i]) {
			buf_char(&b, format.p[i++]);
		} else if (format.p[i] == '{') {
			struct str name = end < 0 ? STR("") : str_sub(format, i + 1, (size_t)end);

			if (end < 0)
				return CODE_HOLE;
			buf_str(&b, field_text(p, name, args, &next));
			i = (size_t)end;
		} else {
			buf_char(&b, format.p[i]);
		}
		if (b.n > PY_TEXT_MAX)
			return CODE_HOLE;
	}
	return buf_view(&b);
}

/* ---- paths ---- */

struct str py_path_join(struct python *p, struct str x, struct str y)
{
	if (!x.n || (y.n && y.p[0] == '/'))
		return y;
	if (!y.n)
		return x;
	if (y.p[0] == HOLE_ANY) /* y may be absolute */
		return CODE_HOLE;
	return py_cat(p, x.p[x.n - 1] == '/' ? x : py_cat(p, x, STR("/")), y);
}

bool py_stays_below(struct str path)
{
	if (!path.n || path.p[0] == '/' || str_has(path, HOLE_ANY))
		return false;
	for (size_t i = 0; i + 1 < path.n; i++)
		if (path.p[i] == '.' && path.p[i + 1] == '.')
			return false;
	return true;
}

struct str py_path_plain(struct python *p, struct str path)
{
	struct buf b;

	buf_init(&b, p->a, 0);
	if (path.n && path.p[0] == '/')
		buf_char(&b, '/');
	for (size_t from = 0; from < path.n;) {
		size_t slash = str_end(path, '/', from);
		struct str part = str_sub(path, from, slash);

		from += part.n + 1;
		if (!part.n || str_is(part, "."))
			continue;
		if (b.n && b.p[b.n - 1] != '/')
			buf_char(&b, '/');
		buf_str(&b, part);
	}
	return b.n ? buf_view(&b) : STR(".");
}

struct str py_path_parent(struct python *p, struct str path)
{
	(void)p;
	while (path.n > 1 && path.p[path.n - 1] == '/')
		path.n--;
	for (size_t i = path.n; i-- > 0;)
		if (text_hole(path.p[i]) && path.p[i] == HOLE_ANY)
			return CODE_HOLE;
		else if (path.p[i] == '/')
			return str_first(path, i ? i : 1);
	return STR(".");
}

/*
 * The matches of a glob pattern as abstract text: a component with a wildcard becomes HOLE_NAME, ** anything.
 */
struct str py_glob_text(struct python *p, struct str pattern)
{
	struct buf b;
	size_t from = 0, wild;

	buf_init(&b, p->a, 0);
	while (from <= pattern.n) {
		size_t to = str_end(pattern, '/', from);
		struct str part = str_sub(pattern, from, to);

		if (str_contains(part, STR("**")))
			return py_cat(p, str_dup(p->a, buf_view(&b)), CODE_HOLE);
		if (part.n > 1 && part.p[0] == '*' && !memchr(part.p + 1, '*', part.n - 1) &&
				!str_has(part, '?') && !str_has(part, '[')) {
			/* * does not match a leading dot, so the hole is not empty */
			buf_char(&b, HOLE_NAME);
			buf_str(&b, str_from(part, 1));
		} else if (str_starts(part, ".") && (wild = strcspn(str_c(p->a, part), "*?[")) < part.n) {
			if (wild < 3)
				return CODE_HOLE; /* .* may match .. */
			buf_str(&b, str_first(part, wild - 1)); /* the wildcard may match nothing */
			buf_char(&b, HOLE_NAME);
		} else if (str_has(part, '*') || str_has(part, '?') ||
				str_has(part, '[')) {
			buf_char(&b, memchr(part.p, HOLE_ANY, part.n) ? HOLE_ANY : HOLE_NAME);
		} else {
			buf_str(&b, part);
		}
		if (to < pattern.n)
			buf_char(&b, '/');
		from = to + 1;
	}
	return buf_view(&b);
}

/* ---- names ---- */

/* Letters whose NFKC form is themselves or not ASCII. */
static const struct char_range own_letters[] = {{0xC0, 0xD6}, {0xD8, 0xF6}, {0xF8, 0x131}, {0x134, 0x13E},
		{0x141, 0x148}, {0x14A, 0x17E}, {0x180, 0x1C3},
	{0x386, 0x3CE}, {0x400, 0x52F}, {0x5D0, 0x5EA}, {0x620, 0x64A}, {0x904, 0x939}, {0x3041, 0x3096},
	{0x30A1, 0x30FA}, {0x4E00, 0x9FFF}, {0xAC00, 0xD7A3}};

static bool is_own(uint32_t cp)
{
	return char_in_ranges(own_letters, ARRAY_SIZE(own_letters), cp);
}

/* Returns the ASCII character in the NFKC form; 0 if there is none, or it is unknown here. */
static char ascii_of(uint32_t cp)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

	if (cp < 128)
		return (char)cp;
	if (cp >= 0xFF01 && cp <= 0xFF5E) /* fullwidth forms */
		return (char)(cp - 0xFF01 + '!');
	if (cp >= 0x1D400 && cp <= 0x1D6A3) /* mathematical letters */
		return letters[(cp - 0x1D400) % 52];
	if (cp >= 0x1D7CE && cp <= 0x1D7FF)
		return (char)('0' + (cp - 0x1D7CE) % 10);
	return 0;
}

bool py_identifier(struct python *p, struct str text, struct str *ret)
{
	struct buf b;

	*ret = text;
	if (str_is_ascii(text))
		return true;
	buf_init(&b, p->a, 0);
	for (size_t i = 0; i < text.n;) {
		size_t from = i;
		uint32_t cp = utf8_next(text, &i);

		if (cp != UTF8_BAD && ascii_of(cp))
			buf_char(&b, ascii_of(cp));
		else if (cp != UTF8_BAD && is_own(cp))
			buf_add(&b, text.p + from, i - from);
		else
			return false;
	}
	*ret = buf_view(&b);
	return true;
}
