/*
 * Filters whose output follows from their input: base64, base32, xxd -r -p, tr, rev, tac, cut, head, tail.
 * They work only on exact input and arguments, and only in forms without an error; everything else is
 * unknown.
 */
#include "base/num.h"
#include "shell/known_output_row.h"
#include "shell/pattern.h"

static struct str arg_text(const struct output_call *c, size_t i) { return word_abstract(&c->argv[i]); }

static bool read_input(const struct output_call *c, struct str *in)
{
	return output_exact(c) && output_input(c, in);
}

/* --- base64, base32, xxd --- */

struct coding {
	const char *alphabet;
	unsigned bits, group;  /* bits per character; characters per group */
	const char *data_chars; /* allowed numbers of data characters in a padded last group, as digits */
};

static const struct coding base64 = {"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", 6, 4,
		"23"};
static const struct coding base32 = {"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 5, 8, "2457"};

struct coding_options {
	bool decode, garbage;
	int64_t wrap;
};

static bool wrap_value(struct str s, int64_t *ret) { return num_parse(s, 0, 100000, ret) == 0; }

/* Parses one word of short options: letters d and i, then maybe w with its value in this word or the next. */
static bool short_options(const struct output_call *c, size_t *i, struct coding_options *o)
{
	struct str s = arg_text(c, *i);

	for (size_t k = 1; k < s.n; k++) {
		if (s.p[k] == 'd') {
			o->decode = true;
		} else if (s.p[k] == 'i') {
			o->garbage = true;
		} else if (s.p[k] == 'w') {
			if (k + 1 < s.n)
				return wrap_value(str_from(s, k + 1), &o->wrap);
			return ++*i < c->argc && wrap_value(arg_text(c, *i), &o->wrap);
		} else {
			return false;
		}
	}
	return true;
}

static bool coding_options(const struct output_call *c, struct coding_options *o)
{
	size_t operands = 0;

	*o = (struct coding_options){.wrap = 76};
	for (size_t i = 0; i < c->argc; i++) {
		struct str s = arg_text(c, i);

		if (str_is(s, "-")) {
			if (operands++)
				return false;
			continue;
		}
		if (str_is(s, "--decode"))
			o->decode = true;
		else if (str_is(s, "--ignore-garbage"))
			o->garbage = true;
		else if (str_starts(s, "--wrap=") ? !wrap_value(str_from(s, 7), &o->wrap) : s.n < 2 ||
				s.p[0] != '-' || !short_options(c, &i, o))
			return false;
	}
	return true;
}

/*
 * Returns the characters without newlines; with `garbage`, drops all that are not in the alphabet. False: an
 * invalid character.
 */
static bool only_alphabet(struct arena *a, const struct coding *k, struct str in, bool garbage,
		struct str *ret)
{
	struct buf b;

	buf_init(&b, a, 0);
	for (size_t i = 0; i < in.n; i++) {
		char ch = in.p[i];

		if (strchr(k->alphabet, ch) || ch == '=')
			buf_char(&b, ch);
		else if (ch != '\n' && !garbage)
			return false;
	}
	*ret = buf_view(&b);
	return true;
}

static bool decode_text(const struct output_call *c, const struct coding *k, struct str in, bool garbage,
	struct str *ret)
{
	struct str s;
	struct buf out;
	size_t data, rest;
	uint64_t bits = 0;
	unsigned have = 0;

	if (!only_alphabet(c->a, k, in, garbage, &s) || s.n % k->group)
		return false;
	for (data = 0; data < s.n && s.p[data] != '='; data++)
		;
	rest = data % k->group;
	if (s.n - data >= k->group || (rest && !strchr(k->data_chars, '0' + (int)rest)) ||
			(!rest && data != s.n))
		return false;
	for (size_t i = data; i < s.n; i++)
		if (s.p[i] != '=')
			return false;
	buf_init(&out, c->a, 0);
	for (size_t i = 0; i < data; i++) {
		bits = bits << k->bits | (uint64_t)(strchr(k->alphabet, s.p[i]) - k->alphabet);
		have += k->bits;
		if (have >= 8) {
			have -= 8;
			output_byte(&out, (unsigned char)(bits >> have & 0xff));
		}
	}
	if (bits & ((1u << have) - 1))
		return false; /* leftover bits that belong to no byte: newer versions reject them */
	*ret = buf_view(&out);
	return true;
}

static bool encode_text(const struct output_call *c, const struct coding *k, struct str in, int64_t wrap,
	struct str *ret)
{
	struct buf out;
	uint64_t bits = 0;
	unsigned have = 0;
	size_t n = 0, column = 0, chars = (in.n * 8 + k->bits - 1) / k->bits,
			total = (chars + k->group - 1) / k->group * k->group;

	buf_init(&out, c->a, 0);
	for (size_t i = 0; n < total; n++) {
		if (have < k->bits && i < in.n) {
			bits = bits << 8 | (unsigned char)in.p[i++];
			have += 8;
		} else if (have && have < k->bits) {
			bits <<= k->bits - have;
			have = k->bits;
		}
		if (wrap && column++ == (size_t)wrap) {
			buf_char(&out, '\n');
			column = 1;
		}
		buf_char(&out, n >= chars ? '=' :
				k->alphabet[bits >> (have - k->bits) & ((1u << k->bits) - 1)]);
		have -= n >= chars ? have : k->bits;
	}
	if (wrap && out.n)
		buf_char(&out, '\n');
	*ret = buf_view(&out);
	return true;
}

static bool output_coded(const struct output_call *c, const struct coding *k, struct str *ret)
{
	struct coding_options o;
	struct str in;

	if (!read_input(c, &in) || !coding_options(c, &o))
		return false;
	return o.decode ? decode_text(c, k, in, o.garbage, ret) : encode_text(c, k, in, o.wrap, ret);
}

bool output_base64(const struct output_call *c, struct str *ret) { return output_coded(c, &base64, ret); }
bool output_base32(const struct output_call *c, struct str *ret) { return output_coded(c, &base32, ret); }

/* xxd -r -p, on whole pairs of digits with only blanks and newlines between them. */
bool output_xxd(const struct output_call *c, struct str *ret)
{
	struct str in;
	struct buf out;
	bool reverse = false, plain = false;

	if (!read_input(c, &in))
		return false;
	for (size_t i = 0; i < c->argc; i++) {
		if (str_is(arg_text(c, i), "-r"))
			reverse = true;
		else if (str_is(arg_text(c, i), "-p") || str_is(arg_text(c, i), "-ps"))
			plain = true;
		else
			return false;
	}
	if (!reverse || !plain)
		return false;
	buf_init(&out, c->a, 0);
	for (size_t i = 0; i < in.n; i++) {
		if (in.p[i] == ' ' || in.p[i] == '\n')
			continue;
		int high = ascii_hex_value(in.p[i]), low = i + 1 < in.n ? ascii_hex_value(in.p[i + 1]) : -1;

		if (high < 0 || low < 0)
			return false;
		output_byte(&out, (unsigned char)(high * 16 + low));
		i++;
	}
	*ret = buf_view(&out);
	return true;
}

/* --- tr --- */

struct tr_set {
	unsigned char c[1024];
	size_t n;
	/* 'u' or 'l' for exactly [:upper:] or [:lower:]; 'c' with another class; else 0 */
	char kind;
};

static bool set_add(struct tr_set *s, unsigned char c)
{
	if (s->n == sizeof(s->c))
		return false;
	s->c[s->n++] = c;
	return true;
}

/* t[*i] is the [ of [:name:]. */
static bool set_class(struct tr_set *s, struct str t, size_t *i)
{
	size_t end = *i + 2;
	struct str name;

	while (end + 1 < t.n && !(t.p[end] == ':' && t.p[end + 1] == ']'))
		end++;
	if (end + 1 >= t.n)
		return false;
	name = str_sub(t, *i + 2, end);
	for (unsigned c = 0; c < 256; c++) {
		int in = pattern_class(name, (unsigned char)c);

		if (in < 0 || (in && !set_add(s, (unsigned char)c)))
			return false;
	}
	s->kind = *i == 0 && end + 2 == t.n && str_is_any(name, "upper lower") ? name.p[0] :
			'c';
	*i = end + 2;
	return true;
}

/* Parses one character, maybe an escape. */
static bool set_char(struct str t, size_t *i, unsigned char *ret)
{
	static const char from[] = "abfnrtv\\", to[] = "\a\b\f\n\r\t\v\\";
	const char *at;
	unsigned v = 0;

	*ret = (unsigned char)t.p[(*i)++];
	if (*ret >= 0x80)
		return false;
	if (*ret != '\\')
		return true;
	if (*i >= t.n)
		return false;
	if (t.p[*i] >= '0' && t.p[*i] <= '7') {
		for (int k = 0; k < 3 && *i < t.n && t.p[*i] >= '0' && t.p[*i] <= '7'; k++)
			v = v * 8 + (unsigned)(t.p[(*i)++] - '0');
		*ret = (unsigned char)v;
		return v < 256;
	}
	at = strchr(from, t.p[(*i)++]);
	if (at)
		*ret = (unsigned char)to[at - from];
	return at != NULL;
}

static bool set_parse(struct str t, struct tr_set *s)
{
	*s = (struct tr_set){.n = 0};
	for (size_t i = 0; i < t.n;) {
		unsigned char lo, hi;

		if (t.p[i] == '[' && i + 1 < t.n && t.p[i + 1] == ':') {
			if (!set_class(s, t, &i))
				return false;
			continue;
		}
		if (t.p[i] == '[' && i + 2 < t.n &&
				(t.p[i + 1] == '=' || t.p[i + 2] == '*' || t.p[i + 1] == '\\'))
			return false; /* [=c=] [c*n] */
		if (!set_char(t, &i, &lo))
			return false;
		hi = lo;
		if (i + 1 < t.n && t.p[i] == '-') {
			i++;
			if ((t.p[i] == '[' && i + 1 < t.n && strchr(":=", t.p[i + 1])) ||
					!set_char(t, &i, &hi) || hi < lo)
				return false;
		}
		for (unsigned c = lo; c <= hi; c++)
			if (!set_add(s, (unsigned char)c))
				return false;
	}
	return true;
}

static void set_complement(struct tr_set *s)
{
	bool in[256] = {false};

	for (size_t i = 0; i < s->n; i++)
		in[s->c[i]] = true;
	s->n = 0;
	for (unsigned c = 0; c < 256; c++)
		if (!in[c])
			s->c[s->n++] = (unsigned char)c;
}

struct tr {
	bool delete, squeeze, complement;
	unsigned char map[256];
	bool gone[256], once[256];
};

/* Fills the table of a translation from x to y. Classes are allowed only as the pair upper/lower. */
static bool tr_map(struct tr *t, const struct tr_set *x, const struct tr_set *y)
{
	if (!y->n || (t->complement && y->n != 1) || y->kind == 'c')
		return false;
	if (y->kind && (!x->kind || x->kind == 'c' || t->complement))
		return false;
	if (x->kind == 'c' && y->n != 1)
		return false;
	for (size_t i = 0; i < x->n; i++)
		t->map[x->c[i]] = y->c[i < y->n ? i : y->n - 1];
	return true;
}

static bool tr_plan(struct tr *t, struct tr_set *x, const struct tr_set *y, size_t sets)
{
	const struct tr_set *squeezed = sets == 2 ? y : x;
	bool translate = sets == 2 && !t->delete;

	if (t->complement)
		set_complement(x);
	if (t->delete ? sets != 1u + t->squeeze : sets == 1 && !t->squeeze)
		return false;
	for (unsigned c = 0; c < 256; c++)
		t->map[c] = (unsigned char)c;
	if (translate && !tr_map(t, x, y))
		return false;
	for (size_t i = 0; t->delete && i < x->n; i++)
		t->gone[x->c[i]] = true;
	for (size_t i = 0; t->squeeze && i < squeezed->n; i++)
		t->once[squeezed->c[i]] = true;
	return true;
}

bool output_tr(const struct output_call *c, struct str *ret)
{
	struct tr t = {.delete = false};
	struct tr_set x, y = {.n = 0};
	struct str in;
	struct buf out;
	size_t i = 0, sets;
	int last = -1;

	if (!read_input(c, &in))
		return false;
	for (; i < c->argc && arg_text(c, i).n > 1 && arg_text(c, i).p[0] == '-'; i++) {
		struct str s = arg_text(c, i);
		if (str_is(s, "--") && ++i)
			break;
		for (size_t k = 1; k < s.n; k++) {
			if (!memchr("cCds", s.p[k], 4))
				return false;
			t.complement |= s.p[k] == 'c' || s.p[k] == 'C';
			t.delete |= s.p[k] == 'd';
			t.squeeze |= s.p[k] == 's';
		}
	}
	sets = c->argc - i;
	if (sets < 1 || sets > 2 || !set_parse(arg_text(c, i), &x) ||
			(sets == 2 && !set_parse(arg_text(c, i + 1), &y)) || !tr_plan(&t, &x, &y, sets))
		return false;
	if (sets == 2 && arg_text(c, i + 1).n > 1 && arg_text(c, i + 1).p[0] == '-')
		return false; /* may be parsed as an option */
	buf_init(&out, c->a, 0);
	for (size_t k = 0; k < in.n; k++) {
		unsigned char b = (unsigned char)in.p[k];
		if (t.gone[b])
			continue;
		b = t.map[b];
		if (t.once[b] && last == b)
			continue;
		last = b;
		output_byte(&out, b);
	}
	*ret = buf_view(&out);
	return true;
}

/* --- lines --- */

bool output_rev(const struct output_call *c, struct str *ret)
{
	struct str in;
	struct buf out;
	bool ended;

	if (!read_input(c, &in) || c->argc || !str_is_ascii(in))
		return false;
	buf_init(&out, c->a, 0);
	for (size_t at = 0; at < in.n;) {
		struct str line = output_line(in, &at, &ended);
		for (size_t i = line.n; i--;)
			buf_char(&out, line.p[i]);
		if (ended)
			buf_char(&out, '\n');
	}
	*ret = buf_view(&out);
	return true;
}

bool output_tac(const struct output_call *c, struct str *ret)
{
	struct str in;
	struct buf out;
	size_t end;

	if (!read_input(c, &in) || c->argc)
		return false;
	buf_init(&out, c->a, 0);
	for (end = in.n; end;) {
		size_t from = end - 1;
		while (from && in.p[from - 1] != '\n')
			from--;
		buf_str(&out, str_sub(in, from, end));
		end = from;
	}
	*ret = buf_view(&out);
	return true;
}

struct cut_options {
	char by; /* 'b' (also -c) or 'f' */
	char delimiter;
	bool only; /* -s */
	struct str list;
};

/* 1 if n is in the list N, N-M, N-, -M, ...; 0 if not; -1 if the list is malformed. */
static int is_in_list(struct str list, int64_t n)
{
	bool in = false;

	for (size_t i = 0; i <= list.n;) {
		size_t end = i, dash;
		int64_t lo = 1, hi = INT64_MAX;
		struct str item;

		while (end < list.n && list.p[end] != ',')
			end++;
		item = str_sub(list, i, end);
		dash = !str_has(item, '-') ? item.n : (size_t)str_find(item, '-', 0);
		if (item.n == 0 || (dash == 0 && item.n == 1) ||
				(dash && num_parse(str_first(item, dash), 1, 1000000, &lo)))
			return -1;
		if (dash == item.n)
			hi = lo;
		else if (dash + 1 < item.n && num_parse(str_from(item, dash + 1), lo, 1000000, &hi))
			return -1;
		in |= n >= lo && n <= hi;
		i = end + 1;
	}
	return in;
}

static bool cut_options(const struct output_call *c, struct cut_options *o)
{
	bool given = false; /* -d is valid only with -f */

	*o = (struct cut_options){.delimiter = '\t'};
	for (size_t i = 0; i < c->argc; i++) {
		struct str s = arg_text(c, i), value;
		char x = s.n > 1 && s.p[0] == '-' ? s.p[1] : 0;

		if (str_is(s, "-s")) {
			o->only = true;
			continue;
		}
		if (!x || !memchr("bcfd", x, 4) || (s.n == 2 && i + 1 >= c->argc))
			return false;
		value = s.n > 2 ? str_from(s, 2) : arg_text(c, ++i);
		if (x == 'd') {
			if (value.n != 1)
				return false;
			o->delimiter = value.p[0];
			given = true;
		} else {
			if (o->by)
				return false;
			o->by = x == 'f' ? 'f' : 'b';
			o->list = value;
		}
	}
	return o->by && is_in_list(o->list, 1) >= 0 && (o->by == 'f' || (!o->only && !given));
}

static void cut_bytes(struct buf *out, struct str line, struct str list)
{
	for (size_t i = 0; i < line.n; i++)
		if (is_in_list(list, (int64_t)i + 1))
			buf_char(out, line.p[i]);
	buf_char(out, '\n');
}

static void cut_fields(struct buf *out, struct str line, const struct cut_options *o)
{
	bool first = true;
	int64_t n = 0;

	if (!str_has(line, o->delimiter)) {
		if (!o->only) {
			buf_str(out, line);
			buf_char(out, '\n');
		}
		return;
	}
	for (size_t i = 0; i <= line.n;) {
		size_t end = str_end(line, o->delimiter, i);

		if (is_in_list(o->list, ++n)) {
			if (!first)
				buf_char(out, o->delimiter);
			first = false;
			buf_str(out, str_sub(line, i, end));
		}
		i = end + 1;
	}
	buf_char(out, '\n');
}

bool output_cut(const struct output_call *c, struct str *ret)
{
	struct str in;
	struct buf out;
	struct cut_options o;
	bool ended;

	if (!read_input(c, &in) || !cut_options(c, &o) || o.delimiter == '\n' || o.list.n > 64)
		return false;
	if ((o.by == 'b' && !str_is_ascii(in)) || in.n * o.list.n > OUTPUT_MAX)
		return false; /* the list is parsed again for every byte */
	buf_init(&out, c->a, 0);
	for (size_t at = 0; at < in.n;) {
		struct str line = output_line(in, &at, &ended);
		if (o.by == 'b')
			cut_bytes(&out, line, o.list);
		else
			cut_fields(&out, line, &o);
	}
	*ret = buf_view(&out);
	return true;
}

/* --- head and tail --- */

struct line_count {
	bool bytes;
	char sign; /* '-', '+' or 0 */
	int64_t n;
};

/* Parses -n N, -nN, -c N, -cN, -N, --lines=N, --bytes=N; nothing else. */
static bool ends_options(const struct output_call *c, struct line_count *e)
{
	struct str s, value;

	*e = (struct line_count){.n = 10};
	if (!c->argc)
		return true;
	s = arg_text(c, 0);
	if (str_starts(s, "--lines=") || str_starts(s, "--bytes=")) {
		value = str_from(s, 8);
		e->bytes = s.p[2] == 'b';
	} else if (s.n >= 2 && s.p[0] == '-' && (s.p[1] == 'n' || s.p[1] == 'c')) {
		if (s.n == 2 && c->argc < 2)
			return false;
		value = s.n > 2 ? str_from(s, 2) : arg_text(c, 1);
		e->bytes = s.p[1] == 'c';
	} else if (s.n >= 2 && s.p[0] == '-' && ascii_is_digit(s.p[1])) {
		value = str_from(s, 1);
	} else {
		return false;
	}
	if (c->argc != 1u + (s.n == 2 && (s.p[1] == 'n' || s.p[1] == 'c')))
		return false;
	if (value.n && (value.p[0] == '-' || value.p[0] == '+')) {
		e->sign = value.p[0];
		value = str_from(value, 1);
	}
	return value.n && value.p[0] != '-' && num_parse(value, 0, 1000000000, &e->n) == 0;
}

/* Returns the end of the n-th unit (line or byte), or the end of the text if there are fewer. */
static size_t units_end(struct str s, bool bytes, int64_t n)
{
	size_t at = 0;

	if (bytes)
		return (uint64_t)n < s.n ? (size_t)n : s.n;
	for (bool ended; n > 0 && at < s.n; n--)
		output_line(s, &at, &ended);
	return at;
}

static int64_t count_units(struct str s, bool bytes)
{
	int64_t n = 0;

	if (bytes)
		return (int64_t)s.n;
	for (size_t i = 0; i < s.n; i++)
		n += s.p[i] == '\n' || i + 1 == s.n;
	return n;
}

bool output_head(const struct output_call *c, struct str *ret)
{
	struct str in;
	struct line_count e;
	int64_t all;

	if (!read_input(c, &in) || !ends_options(c, &e) || e.sign == '+')
		return false;
	all = count_units(in, e.bytes);
	if (e.sign == '-')
		e.n = all > e.n ? all - e.n : 0;
	*ret = str_first(in, units_end(in, e.bytes, e.n));
	return true;
}

bool output_tail(const struct output_call *c, struct str *ret)
{
	struct str in;
	struct line_count e;
	int64_t all, skip;

	if (!read_input(c, &in) || !ends_options(c, &e))
		return false;
	all = count_units(in, e.bytes);
	if (e.sign == '+')
		skip = e.n ? e.n - 1 : 0;
	else
		skip = all > e.n ? all - e.n : 0;
	*ret = str_from(in, units_end(in, e.bytes, skip));
	return true;
}
