/*
 * Edits whole lines: a line that looks like our own truncation marker gets a backslash, and Unix times in
 * prose become ISO 8601 UTC.
 *
 * A number counts as a time only if nothing speaks against it:
 *  - it has the right number of digits and lies between September 2020 and May 2033;
 *  - it is a word of its own, and its neighbours do not say that it is something else;
 *  - neither its line nor the whole text looks like JSON, CSV, XML or a table.
 * A line is converted as a whole: if one candidate is not a time, all of them stay, so that two numbers of a
 * line remain comparable.
 */
#define _GNU_SOURCE
#include "result/text.h"

/* a line that was written in parts is at least one byte longer */
#define EDIT_LINE_MAX (NORMALISE_LINE_MAX - 4)
#define WORD_MAX 24
#define TIME_FIRST 1600000000u
#define TIME_LAST 1999999999u
#define STAMP_DIGITS 10
#define DAYS_TO_2020 18262 /* days since 1970 */
#define MARKER "truncated ("
#define DOTS "... "

static bool one_of(char c, const char *set) { return c && strchr(set, c); }

/* ---- the marker ---- */

static bool marker_rest(struct str s)
{
	size_t i = 0;

	while (i < s.n && ascii_is_digit(s.p[i]))
		i++;
	if (!i || !str_starts(str_sub(s, i, s.n), " more line"))
		return false;
	s = str_sub(s, i + strlen(" more line"), s.n);
	if (str_starts(s, "s"))
		s = str_sub(s, 1, s.n);
	if (!str_starts(s, ") ..."))
		return false;
	for (i = strlen(") ..."); i < s.n; i++)
		if (!ascii_is_blank_or_newline(s.p[i]))
			return false;
	return true;
}

/* Returns the offset of the dots of the next look-alike from `from` on; text.n if there is none. */
static size_t find_marker(struct str text, size_t from)
{
	while (from < text.n) {
		const char *hit = memmem(text.p + from, text.n - from, MARKER, strlen(MARKER)), *end;
		size_t at, start;

		if (!hit)
			break;
		at = (size_t)(hit - text.p);
		from = at + strlen(MARKER);
		if (at < strlen(DOTS) || memcmp(hit - strlen(DOTS), DOTS, strlen(DOTS)))
			continue;
		at -= strlen(DOTS);
		for (start = at; start && ascii_is_blank(text.p[start - 1]); start--)
			;
		if (start && text.p[start - 1] != '\n')
			continue;
		end = memchr(hit, '\n', text.n - (from - strlen(MARKER)));
		end = end ? end : text.p + text.n;
		if ((size_t)(end - text.p) - start <= EDIT_LINE_MAX &&
				marker_rest(str_n(text.p + from, (size_t)(end - text.p) - from)))
			return at;
	}
	return text.n;
}

/* ---- times: evidence against one ---- */

#define WORDS_ROOM 72

/*
 * Words before a number that name it, and words after it that say what it counts. Indexed by first letter,
 * each between blanks.
 */
static const char names[26][WORDS_ROOM] = {
	['a' - 'a'] = " account amount ",
	['b' - 'a'] = " balance build byte bytes ",
	['c' - 'a'] = " capacity checksum code count counts crc cycles ",
	['f' - 'a'] = " fax free freq frequency ",
	['g' - 'a'] = " gid ",
	['h' - 'a'] = " hash hz ",
	['i' - 'a'] = " id ids index ino inode instructions invoice isbn issue iterations ",
	['j' - 'a'] = " job ",
	['k' - 'a'] = " key ",
	['l' - 'a'] = " len length limit line lines ",
	['m' - 'a'] = " max memory min ",
	['n' - 'a'] = " no nr num number ",
	['o' - 'a'] = " of offset ops order ",
	['p' - 'a'] = " page phone pid port ports ppid pr price ",
	['r' - 'a'] = " ref rev revision row rows rss run ",
	['s' - 'a'] = " seed seq sequence serial size sum ",
	['t' - 'a'] = " tel than ticket tid total ",
	['u' - 'a'] = " uid used ",
	['v' - 'a'] = " val value version ",
	['x' - 'a'] = " x ",
	['z' - 'a'] = " zip ",
};
static const char units[26][WORDS_ROOM] = {
	['a' - 'a'] = " allocs ",
	['b' - 'a'] = " b bit bits blocks byte bytes ",
	['c' - 'a'] = " calls characters chars cycles ",
	['e' - 'a'] = " entries eur events ",
	['f' - 'a'] = " files frees ",
	['g' - 'a'] = " gb gib ",
	['h' - 'a'] = " hits hz ",
	['i' - 'a'] = " inodes instructions items iterations iters ",
	['k' - 'a'] = " kb kib ",
	['l' - 'a'] = " line lines ",
	['m' - 'a'] = " mb mib microseconds milliseconds misses ms ",
	['n' - 'a'] = " nanoseconds ns ",
	['o' - 'a'] = " objects of ops or ",
	['p' - 'a'] = " packets pages parameters params ",
	['r' - 'a'] = " records requests row rows ",
	['s' - 'a'] = " samples sectors ",
	['t' - 'a'] = " times tokens total ",
	['u' - 'a'] = " us usd users ",
	['w' - 'a'] = " words ",
	['x' - 'a'] = " x ",
};

/* `word` has blanks at both ends, too. */
static bool is_known(const char (*words)[WORDS_ROOM], const char *word)
{
	return strstr(words[word[1] - 'a'], word) != NULL;
}

/*
 * Returns the last part of a name in lower case, between blanks: order_id, order-id and orderId give " id ".
 * False if it is not a short word.
 */
static bool last_part(struct str word, char ret[WORD_MAX])
{
	size_t from = word.n;

	while (from && ascii_is_letter(word.p[from - 1])) {
		from--;
		if (from && ascii_is_upper(word.p[from]) && ascii_is_lower(word.p[from - 1]))
			break;
	}
	if (from == word.n || word.n - from + 3 > WORD_MAX)
		return false;
	ret[0] = ' ';
	for (size_t i = from; i < word.n; i++)
		ret[i - from + 1] = (char)(word.p[i] | 0x20);
	memcpy(ret + (word.n - from) + 1, " ", 2);
	return true;
}

/* Checks the text before the number in its line; `last` is the last non-blank byte before the line. */
static bool before_allows(char last, struct str s)
{
	char word[WORD_MAX];
	size_t end = s.n, from;

	if (end && s.p[end - 1] == '=')
		return last_part(str_sub(s, 0, end - 1), word) &&
		       !is_known(names, word); /* time=1700000000 */
	if (end && one_of(s.p[end - 1], "[(")) {
		if (end > 1 && s.p[end - 2] != ' ')
			return false;
		end--;
		if (!end)
			return !one_of(last, "[{(,:>");
	} else if (end && s.p[end - 1] != ' ') {
		return false;
	}
	while (end && s.p[end - 1] == ' ')
		end--;
	if (!end)
		return !one_of(last, "[{(,:>");
	if (s.n - end > 1 && !one_of(s.p[s.n - 1], "[("))
		return false; /* columns */
	if (one_of(s.p[end - 1], ",|=\"'`+-*/%<>&$#@[{(~^\t"))
		return false;
	for (from = end; from && !ascii_is_blank_or_newline(s.p[from - 1]); from--)
		;
	if (ascii_is_digit(s.p[from]) || s.p[from] == '+')
		return false; /* adjacent numbers */
	if (s.p[end - 1] == ':')
		end--;
	if (end > from && one_of(s.p[end - 1], "\"'"))
		return false;
	return !last_part(str_sub(s, from, end), word) || !is_known(names, word);
}

/* Checks the text after the number in its line; `bracket` is the byte just before the number. */
static bool after_allows(char bracket, struct str s)
{
	char word[WORD_MAX];
	size_t i = 0, end;

	if (s.n && one_of(s.p[0], "]).:;!?")) {
		if (bracket == '[' && s.p[0] != ']')
			return false;
		i = 1;
		if (i < s.n && s.p[0] == ']' && s.p[i] == ':')
			i++;
		if (s.p[0] == ']' && i == s.n)
			return false; /* could as well be the end of a list */
		if (s.p[0] == ')' && i < s.n && one_of(s.p[i], ".:;!?"))
			i++;
	} else if (bracket == '[') {
		return false;
	}
	if (i < s.n && s.p[i] != ' ')
		return false;
	while (i < s.n && s.p[i] == ' ')
		i++;
	if (i == s.n)
		return true;
	if (one_of(s.p[i], ",|=+*/%<>&]}\t"))
		return false;
	for (end = i; end < s.n && ascii_is_letter(s.p[end]); end++)
		;
	return !last_part(str_sub(s, i, end), word) || !is_known(units, word);
}

/* True for JSON, XML, CSV or tab-separated columns. */
static bool machine_line(struct str s)
{
	static const bool telling[256] = {['"'] = true, ['<'] = true, ['/'] = true, [','] = true};
	size_t commas = 0, i = 0;

	while (i < s.n && ascii_is_blank_or_newline(s.p[i]))
		i++;
	if (i < s.n && (s.p[i] == '{' || s.p[i] == '<'))
		return true;
	for (; i + 1 < s.n; i++) {
		if (!telling[(unsigned char)s.p[i]])
			continue;
		if (s.p[i] == '"' && s.p[i + 1] == ':')
			return true;
		if ((s.p[i] == '<' && s.p[i + 1] == '/') || (s.p[i] == '/' && s.p[i + 1] == '>'))
			return true;
		commas += s.p[i] == ',' && s.p[i + 1] != ' ';
	}
	return commas > 1;
}

/* ---- times: conversion ---- */

static unsigned days_in(unsigned year, unsigned month)
{
	static const unsigned char days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

	return days[month] + (month == 1 && year % 4 == 0); /* no century without a leap year in this range */
}

/* Appends that many digits and the byte `then`. */
static void put_number(struct buf *b, unsigned v, unsigned digits, char then)
{
	char c[5];

	c[digits] = then;
	for (unsigned i = digits; i; i--, v /= 10)
		c[i - 1] = (char)('0' + v % 10);
	buf_add(b, c, digits + 1);
}

static void put_time(struct buf *b, uint32_t t, struct str fraction)
{
	unsigned year = 2020, month = 0, day = t / 86400 - DAYS_TO_2020, rest = t % 86400;

	while (day >= (year % 4 == 0 ? 366u : 365u))
		day -= year++ % 4 == 0 ? 366u : 365u;
	for (; day >= days_in(year, month); month++)
		day -= days_in(year, month);
	put_number(b, year, 4, '-');
	put_number(b, month + 1, 2, '-');
	put_number(b, day + 1, 2, 'T');
	put_number(b, rest / 3600, 2, ':');
	put_number(b, rest / 60 % 60, 2, ':');
	put_number(b, rest % 60, 2, fraction.n ? '.' : 'Z');
	if (fraction.n) {
		buf_str(b, fraction);
		buf_char(b, 'Z');
	}
}

struct prose_time {
	size_t from, to;
	uint32_t seconds;
	struct str fraction;
};

/* Parses the digits text[from, to), and a fraction of seconds after them. */
static bool stamp_read(struct str text, size_t from, size_t to, struct prose_time *ret)
{
	size_t n = to - from, end = to;
	uint64_t seconds = 0;

	if (n != 10 && n != 13 && n != 16 && n != 19)
		return false;
	for (size_t i = from; i < from + STAMP_DIGITS; i++)
		seconds = seconds * 10 + (uint64_t)(text.p[i] - '0');
	if (seconds < TIME_FIRST || seconds > TIME_LAST)
		return false;
	*ret = (struct prose_time){from, to, (uint32_t)seconds, str_sub(text, from + STAMP_DIGITS, to)};
	if (n > STAMP_DIGITS || to + 1 >= text.n || text.p[to] != '.' || !ascii_is_digit(text.p[to + 1]))
		return true;
	for (end = to + 1; end < text.n && ascii_is_digit(text.p[end]); end++)
		;
	ret->fraction = str_sub(text, to + 1, end);
	ret->to = end;
	return ret->fraction.n <= 9;
}

/* Returns the last non-blank byte before `at`. */
static char last_before(const struct prose *p, struct str text, size_t at)
{
	while (at && ascii_is_blank_or_newline(text.p[at - 1]))
		at--;
	return at ? text.p[at - 1] : p->last;
}

static bool word_byte(char c) { return ascii_is_digit(c) || ascii_is_letter(c) || c == '_'; }

/*
 * Finds the next number in text[from, to) that could be a time by its digits alone. Checks every tenth byte,
 * which any run of ten digits must hit. A number starts at `from` or later.
 */
static bool next_stamp(struct str text, size_t from, size_t to, struct prose_time *ret)
{
	size_t i = from + STAMP_DIGITS - 1;

	while (i < to) {
		size_t a = i, b = i;

		if (!ascii_is_digit(text.p[i])) {
			i += STAMP_DIGITS;
			continue;
		}
		while (a > from && ascii_is_digit(text.p[a - 1]))
			a--;
		while (b < to && ascii_is_digit(text.p[b]))
			b++;
		if ((!a || !word_byte(text.p[a - 1])) && (b == text.n || !word_byte(text.p[b])) &&
				stamp_read(text, a, b, ret))
			return true;
		i = b + STAMP_DIGITS;
	}
	return false;
}

/* Cache for the current line: it may have many numbers. */
struct looked {
	struct str text;
	size_t from, to;  /* the line; `to` is 0 before the first */
	bool times;       /* all its candidates are times */
	char last;
};

static bool is_time(const struct looked *l, const struct prose_time *t)
{
	struct str before = str_sub(l->text, l->from, t->from);

	return before_allows(l->last, before) &&
		after_allows(before.n ? before.p[before.n - 1] : 0, str_sub(l->text, t->to, l->to));
}

static bool all_times(const struct looked *l)
{
	struct prose_time t = {.to = l->from};

	while (next_stamp(l->text, t.to, l->to, &t))
		if (!is_time(l, &t))
			return false;
	return true;
}

static void look_around(struct looked *l, const struct prose *p, size_t at)
{
	const char *before, *end;

	if (l->to > at)
		return;
	before = at ? memrchr(l->text.p, '\n', at) : NULL;
	end = memchr(l->text.p + at, '\n', l->text.n - at);
	l->from = before ? (size_t)(before - l->text.p) + 1 : 0;
	l->to = end ? (size_t)(end - l->text.p) : l->text.n;
	l->last = last_before(p, l->text, l->from);
	l->times = l->to - l->from <= EDIT_LINE_MAX && !machine_line(str_sub(l->text, l->from, l->to)) &&
			all_times(l);
}

/* Appends text[from, to) with its times converted. */
static void put_stamps(struct buf *out, const struct prose *p, struct str text, size_t from, size_t to,
		struct sanitized *counts)
{
	struct looked l = {.text = text};
	struct prose_time t = {.to = from};
	size_t shown = from;

	while (p->timestamps && !p->machine && next_stamp(text, t.to, to, &t)) {
		look_around(&l, p, t.from);
		if (!l.times)
			continue;
		buf_add(out, text.p + shown, t.from - shown);
		put_time(out, t.seconds, t.fraction);
		counts->timestamps++;
		shown = t.to;
	}
	buf_add(out, text.p + shown, to - shown);
}

/* ---- the interface ---- */

/* Notes how the whole text starts. */
static void begin_piece(struct prose *p, struct str text)
{
	size_t i = 0;

	while (i < text.n && ascii_is_blank_or_newline(text.p[i]))
		i++;
	if (i == text.n)
		return;
	p->begun = true;
	p->machine = one_of(text.p[i], "{<") ||
			(text.p[i] == '[' && (i + 1 == text.n || one_of(text.p[i + 1], "{[\"\n")));
}

static void finish_piece(struct prose *p, struct str text) { p->last = last_before(p, text, text.n); }

void prose_lines(struct buf *out, struct prose *p, struct str text, struct sanitized *counts)
{
	size_t from = 0;

	if (!p->begun)
		begin_piece(p, text);
	while (from < text.n) {
		size_t at = find_marker(text, from);

		put_stamps(out, p, text, from, at, counts);
		if (at < text.n) {
			buf_char(out, '\\');
			counts->markers++;
			buf_add(out, text.p + at, strlen(DOTS MARKER)); /* or it would match again */
			at += strlen(DOTS MARKER);
		}
		from = at;
	}
	finish_piece(p, text);
}

void prose_part(struct buf *out, struct prose *p, struct str text)
{
	if (!p->begun)
		begin_piece(p, text);
	buf_str(out, text);
	finish_piece(p, text);
}
