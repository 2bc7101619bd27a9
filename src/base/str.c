/* struct str and struct buf. */
#define _GNU_SOURCE
#include "base/str.h"

#include <stdio.h>
#include <strings.h>

#define BUF_START ((size_t)64)

ptrdiff_t str_row(const char (*first)[], size_t stride, size_t n, struct str s)
{
	const char *name = *first;

	for (size_t i = 0; i < n; i++, name += stride)
		if (str_is(s, name))
			return (ptrdiff_t)i;
	return -1;
}

bool str_contains_row(struct str s, const char (*first)[], size_t stride, size_t n)
{
	const char *name = *first;

	for (size_t i = 0; i < n; i++, name += stride)
		if (str_contains(s, str_of(name)))
			return true;
	return false;
}

int str_cmp(struct str a, struct str b)
{
	size_t n = a.n < b.n ? a.n : b.n;
	int d = n ? memcmp(a.p, b.p, n) : 0;
	if (d == 0)
		return (a.n > b.n) - (a.n < b.n);
	return d < 0 ? -1 : 1;
}

int str_order(const void *x, const void *y)
{
	return str_cmp(*(const struct str *)x, *(const struct str *)y);
}

bool str_is_like(struct str a, const char *c) { return a.n == strlen(c) && !strncasecmp(a.p, c, a.n); }

static bool ends_word(char c) { return c == ' ' || !c; }

/* Looks at each place of `first`, which is the first byte of s in one case, that begins a word. */
static bool has_word(struct str s, const char *words, char first, bool fold)
{
	for (const char *at = words; (at = strchr(at, first)); at++) {
		size_t n = 1;

		if (at > words && at[-1] != ' ')
			continue;
		while (n < s.n && !ends_word(at[n]) && (at[n] == s.p[n] ||
				(fold && ascii_to_lower(at[n]) == ascii_to_lower(s.p[n]))))
			n++;
		if (n == s.n && ends_word(at[n]))
			return true;
	}
	return false;
}

bool str_is_any(struct str s, const char *words)
{
	return s.n && words && !ends_word(s.p[0]) && has_word(s, words, s.p[0], false);
}

bool str_like_any(struct str s, const char *words)
{
	char first = s.n && words ? ascii_to_lower(s.p[0]) : '\0';

	return !ends_word(first) && (has_word(s, words, first, true) ||
			(ascii_is_lower(first) && has_word(s, words, ascii_to_upper(first), true)));
}

ptrdiff_t str_find(struct str s, char c, size_t from)
{
	if (from >= s.n)
		return -1;
	const char *p = memchr(s.p + from, c, s.n - from);
	return p ? p - s.p : -1;
}

#define EACH(c) ((uint64_t)0x0101010101010101u * (unsigned char)(c))
#define WORDS_MAX 255 /* highest value of a one-byte counter */

/* Counts eight bytes at a time, each in its own counter. */
uint64_t str_count(struct str s, char c)
{
	uint64_t n = 0;
	size_t i = 0;

	while (i + 8 <= s.n) {
		uint64_t each = 0;

		for (unsigned k = 0; k < WORDS_MAX && i + 8 <= s.n; k++, i += 8) {
			uint64_t w;

			memcpy(&w, s.p + i, 8);
			w ^= EACH(c);
			each += ~(((w & EACH(0x7F)) + EACH(0x7F)) | w) >> 7 & EACH(1);
		}
		for (; each; each >>= 8)
			n += each & 0xFF;
	}
	for (; i < s.n; i++)
		n += s.p[i] == c;
	return n;
}

bool path_climbs(struct str path)
{
	bool name = false;
	for (size_t i = 0; i < path.n;) {
		size_t to = str_end(path, '/', i);
		struct str part = str_sub(path, i, to);
		if (name && str_is(part, ".."))
			return true;
		name |= part.n && !str_is_any(part, ". ..");
		i = to + 1;
	}
	return false;
}

bool str_is_digits(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!ascii_is_digit(s.p[i]))
			return false;
	return s.n > 0;
}

bool str_is_ascii(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] >= 0x80)
			return false;
	return true;
}

bool str_is_alnum_or(struct str s, const char *others)
{
	for (size_t i = 0; i < s.n; i++)
		if (!ascii_is_alnum_or(s.p[i], others))
			return false;
	return s.n > 0;
}

bool str_only(struct str s, const char *bytes)
{
	for (size_t i = 0; i < s.n; i++)
		if (!s.p[i] || !strchr(bytes, s.p[i]))
			return false;
	return true;
}

bool str_is_hex(struct str s, size_t n)
{
	if (s.n != n)
		return false;
	for (size_t i = 0; i < n; i++)
		if (!(ascii_is_digit(s.p[i]) || (s.p[i] >= 'a' && s.p[i] <= 'f')))
			return false;
	return true;
}

/*
 * memchr is several times as fast as memmem while the first byte is rare. Otherwise, or with many near
 * misses, memmem does the rest: it is linear in any case.
 */
bool str_contains(struct str s, struct str needle)
{
	const char *at, *end;
	size_t misses = 0;

	if (needle.n == 0 || s.n < needle.n)
		return needle.n == 0;
	at = s.p;
	end = s.p + s.n;
	while ((size_t)(end - at) >= needle.n && misses * 16 <= (size_t)(at - s.p) + 256) {
		at = memchr(at, needle.p[0], (size_t)(end - at) - needle.n + 1);
		if (!at)
			return false;
		if (memcmp(at, needle.p, needle.n) == 0)
			return true;
		at++;
		misses++;
	}
	return (size_t)(end - at) >= needle.n && memmem(at, (size_t)(end - at), needle.p, needle.n);
}

bool str_contains_nocase(struct str s, const char *needle)
{
	size_t n = strlen(needle);

	for (size_t i = 0; n <= s.n && i <= s.n - n; i++)
		if (!strncasecmp(s.p + i, needle, n))
			return true;
	return false;
}


struct str str_word(struct str *rest)
{
	size_t from = 0, to;
	struct str word;

	while (from < rest->n && ascii_is_blank_or_newline(rest->p[from]))
		from++;
	for (to = from; to < rest->n && !ascii_is_blank_or_newline(rest->p[to]);)
		to++;
	word = str_sub(*rest, from, to);
	*rest = str_sub(*rest, to, rest->n);
	return word;
}

struct str str_base(struct str path)
{
	size_t from = path.n;
	while (from > 0 && path.p[from - 1] != '/')
		from--;
	return str_sub(path, from, path.n);
}

struct str str_trim(struct str s, const char *set)
{
	size_t n = strlen(set);

	while (s.n && memchr(set, s.p[0], n))
		s = str_sub(s, 1, s.n);
	while (s.n && memchr(set, s.p[s.n - 1], n))
		s.n--;
	return s;
}

struct str str_sub(struct str s, size_t from, size_t to)
{
	if (to > s.n)
		to = s.n;
	if (from >= to)
		return STR("");
	return str_n(s.p + from, to - from);
}

struct str str_part(struct str *rest)
{
	struct str part;

	do {
		size_t from = 0, to;

		while (from < rest->n && rest->p[from] == '/')
			from++;
		for (to = from; to < rest->n && rest->p[to] != '/';)
			to++;
		part = str_sub(*rest, from, to);
		*rest = str_sub(*rest, to, rest->n);
	} while (part.n == 1 && part.p[0] == '.');
	return part;
}

struct str str_dup(struct arena *a, struct str s)
{
	return str_n(str_c(a, s), s.n);
}

struct str str_lower(struct arena *a, struct str s)
{
	char *p = str_c(a, s);
	for (size_t i = 0; i < s.n; i++)
		p[i] = ascii_to_lower(p[i]);
	return str_n(p, s.n);
}

char *str_c(struct arena *a, struct str s)
{
	char *p = arena_alloc(a, s.n + 1);
	if (s.n)
		memcpy(p, s.p, s.n);
	return p;
}

/* ---- formats ---- */

/* vsnprintf() with a size_t result. A failure, which none of our formats can cause, gives an empty text. */
static size_t format(char *to, size_t room, const char *fmt, va_list ap)
{
	int n = vsnprintf(to, room, fmt, ap);

	return n > 0 ? (size_t)n : 0;
}

size_t str_put(char *to, size_t room, const char *fmt, ...)
{
	va_list ap;
	size_t n;

	va_start(ap, fmt);
	n = format(to, room, fmt, ap);
	va_end(ap);
	return n;
}

/* The text has a NUL after it. */
static struct str format_in(struct arena *a, const char *fmt, va_list ap)
{
	va_list again;
	size_t n;
	char *p;

	va_copy(again, ap);
	n = format(NULL, 0, fmt, ap);
	p = arena_alloc(a, n + 1);
	format(p, n + 1, fmt, again);
	va_end(again);
	return str_n(p, n);
}

struct str str_fmt(struct arena *a, const char *fmt, ...)
{
	struct str s;
	va_list ap;

	va_start(ap, fmt);
	s = format_in(a, fmt, ap);
	va_end(ap);
	return s;
}

char *str_fmt_c(struct arena *a, const char *fmt, ...)
{
	struct str s;
	va_list ap;

	va_start(ap, fmt);
	s = format_in(a, fmt, ap);
	va_end(ap);
	return (char *)s.p;
}

struct str str_cat(struct arena *a, struct str x, struct str y)
{
	char *p = arena_alloc(a, x.n + y.n + 1);
	if (x.n)
		memcpy(p, x.p, x.n);
	if (y.n)
		memcpy(p + x.n, y.p, y.n);
	return str_n(p, x.n + y.n);
}

struct str str_path(struct arena *a, struct str dir, struct str name)
{
	char *p = arena_alloc(a, dir.n + name.n + 2);

	if (dir.n)
		memcpy(p, dir.p, dir.n);
	p[dir.n] = '/';
	if (name.n)
		memcpy(p + dir.n + 1, name.p, name.n);
	p[dir.n + 1 + name.n] = 0;
	return str_n(p, dir.n + 1 + name.n);
}

uint32_t str_hash(struct str s)
{
	uint32_t h = 2166136261u;
	for (size_t i = 0; i < s.n; i++)
		h = (h ^ (unsigned char)s.p[i]) * 16777619u;
	return h;
}

uint32_t str_key_hash(struct str s)
{
	const uint64_t odd = 0x9E3779B97F4A7C15u; /* the golden ratio: spreads low bits to high ones */
	uint64_t h = s.n;

	for (size_t i = 0; i < s.n; i += sizeof(h)) {
		uint64_t word = 0;

		if (s.n < sizeof(word))
			memcpy(&word, s.p, s.n);
		else /* the last word begins in the one before it */
			memcpy(&word, s.p + (s.n - i >= sizeof(word) ? i : s.n - sizeof(word)), sizeof(word));
		h = (h ^ word) * odd;
		h ^= h >> 32;
	}
	return (uint32_t)h;
}

void buf_init(struct buf *b, struct arena *a, size_t max)
{
	*b = (struct buf){.a = a, .max = max ? max : BUF_MAX_DEFAULT};
}

/* Makes room for n more bytes and returns a pointer to them. */
static char *make_room(struct buf *b, size_t n)
{
	if (n > b->max - b->n)
		arena_leave(b->a, ARENA_FULL);
	if (n > b->cap - b->n) {
		size_t cap = b->cap > b->max / 2 ? b->max : b->cap * 2;
		if (cap < BUF_START)
			cap = BUF_START;
		if (cap < b->n + n)
			cap = b->n + n;
		b->p = arena_grow(b->a, b->p, b->cap, cap);
		b->cap = cap;
	}
	return b->p + b->n;
}

void buf_char(struct buf *b, char c)
{
	*make_room(b, 1) = c;
	b->n++;
}

void buf_add(struct buf *b, const char *p, size_t n)
{
	if (n == 0)
		return;
	memcpy(make_room(b, n), p, n);
	b->n += n;
}

void buf_str(struct buf *b, struct str s)
{
	buf_add(b, s.p, s.n);
}

void buf_c(struct buf *b, const char *c)
{
	buf_add(b, c, strlen(c));
}

void buf_quoted(struct buf *b, struct str s)
{
	buf_char(b, '\'');
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] == '\'')
			buf_c(b, "'\\''");
		else
			buf_char(b, s.p[i]);
	buf_char(b, '\'');
}

void buf_fmt(struct buf *b, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	size_t n = format(NULL, 0, fmt, ap);
	va_end(ap);
	if (n == 0)
		return;
	/* One more byte for the NUL, given back at once; cap may exceed max by that byte, n never does. */
	if (n > b->max - b->n)
		arena_leave(b->a, ARENA_FULL);
	b->max++;
	char *p = make_room(b, n + 1);
	b->max--;
	va_start(ap, fmt);
	format(p, n + 1, fmt, ap);
	va_end(ap);
	b->n += n;
}
