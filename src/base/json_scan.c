/* JSON without a tree: finds the end of a value, and unescapes strings. */
#include "base/json.h"
#include "base/utf8.h"

size_t json_skip_string(struct str s, size_t i)
{
	for (i++; i < s.n; i++) {
		if (s.p[i] == '"')
			return i + 1;
		i += s.p[i] == '\\';
	}
	return 0;
}

static bool is_word(char c)
{
	return ascii_is_digit(c) || ascii_is_lower(c) || c == '-' || c == '+' || c == '.' ||
	       c == 'E';
}

/* Skips a number, true, false or null. */
static size_t skip_word(struct str s, size_t i)
{
	const size_t from = i;
	while (i < s.n && is_word(s.p[i]))
		i++;
	return i > from ? i : 0;
}

/* Skips an object or an array. */
static size_t skip_nest(struct str s, size_t i, size_t depth_max)
{
	char closing[JSON_DEPTH_MAX];
	size_t depth = 0;
	while (i < s.n) {
		const char c = s.p[i];
		if (c == '"') {
			if (!(i = json_skip_string(s, i)))
				return 0;
			continue;
		}
		if (c == '{' || c == '[') {
			if (depth == depth_max || depth == JSON_DEPTH_MAX)
				return 0;
			closing[depth++] = c == '{' ? '}' : ']';
		} else if (c == '}' || c == ']') {
			if (closing[--depth] != c)
				return 0;
			if (!depth)
				return i + 1;
		}
		i++;
	}
	return 0;
}

size_t json_skip(struct str s, size_t i, size_t depth_max)
{
	if (i >= s.n)
		return 0;
	if (s.p[i] == '{' || s.p[i] == '[')
		return skip_nest(s, i, depth_max);
	return s.p[i] == '"' ? json_skip_string(s, i) : skip_word(s, i);
}

static int hex4(struct str s, size_t at, uint32_t *ret)
{
	if (at + 4 > s.n)
		return -1;
	uint32_t cp = 0;
	for (size_t i = at; i < at + 4; i++) {
		int digit = ascii_hex_value(s.p[i]);
		if (digit < 0)
			return -1;
		cp = cp * 16 + (uint32_t)digit;
	}
	*ret = cp;
	return 0;
}

static bool is_high(uint32_t cp)
{
	return cp >= 0xd800 && cp < 0xdc00;
}
static bool is_low(uint32_t cp)
{
	return cp >= 0xdc00 && cp < 0xe000;
}

/*
 * Returns the code point of \uXXXX or of a surrogate pair. *i points behind the u and moves behind the
 * escape.
 */
static int unicode_escape(struct str s, size_t *i, unsigned flags, uint32_t *ret)
{
	uint32_t cp, low;
	if (hex4(s, *i, &cp) < 0)
		return -1;
	*i += 4;
	if (is_high(cp) && *i + 6 <= s.n && s.p[*i] == '\\' && s.p[*i + 1] == 'u' &&
		hex4(s, *i + 2, &low) == 0 && is_low(low)) {
		cp = 0x10000 + ((cp - 0xd800) << 10) + (low - 0xdc00);
		*i += 6;
	} else if (is_high(cp) || is_low(cp)) {
		if (!(flags & JSON_TOLERANT))
			return -1;
		cp = 0xfffd; /* Python and JavaScript write lone surrogates */
	}
	*ret = cp;
	return 0;
}

/* Unescaping never makes a text longer. */
int json_unescape(struct str s, unsigned flags, char *out, size_t *ret_n)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	size_t n = 0;
	for (size_t i = 0; i < s.n;) {
		if (s.p[i] != '\\') {
			out[n++] = s.p[i++];
			continue;
		}
		char c = i + 1 < s.n ? s.p[i + 1] : 0;
		i += 2;
		const char *known = c ? memchr(from, c, sizeof from - 1) : NULL;
		uint32_t cp;
		if (known) {
			out[n++] = to[known - from];
		} else if (c == 'u' && unicode_escape(s, &i, flags, &cp) == 0) {
			char bytes[4];
			size_t wide = utf8_put(cp, bytes);
			memcpy(out + n, bytes, wide);
			n += wide;
		} else if (flags & JSON_REPAIR) {
			out[n++] = c == 'u' ? '?' : c ? c : '\\';
		} else {
			return -1;
		}
	}
	*ret_n = n;
	return 0;
}
