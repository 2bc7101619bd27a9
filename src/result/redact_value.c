/*
 * Judges texts that stand where a secret may stand: placeholders, words of programs and sentences, and
 * letters and digits in disorder.
 */
#include "result/redact_table.h"

#define RANDOM_MIN 8
#define ENTROPY_FROM 10      /* characters from which the entropy of letters with digits counts */
#define LETTERS_MIN 20       /* ... of letters alone */
#define DISTINCT_MIN 3       /* a text of fewer different characters is a row of stars or crosses */
#define WORD_DIGITS_MAX 4    /* digits at the end of a word: a year, a version */
#define ENTROPY_UNIT 256     /* log2 with eight bits behind the point */

/* log2(x) * ENTROPY_UNIT for x >= 1, by repeated squaring: the result needs no mathematical library. */
static unsigned log2_fixed(unsigned x)
{
	unsigned whole = 31 - (unsigned)__builtin_clz(x), r = whole * ENTROPY_UNIT;
	uint64_t m = ((uint64_t)x << 30) >> whole; /* [1, 2) with 30 bits behind the point */

	for (unsigned bit = ENTROPY_UNIT / 2; bit; bit /= 2) {
		m = m * m >> 30;
		if (m >= (uint64_t)2 << 30) {
			m >>= 1;
			r += bit;
		}
	}
	return r;
}

/* Shannon entropy of a character, in 1/ENTROPY_UNIT bits. */
static unsigned entropy_of(struct str s)
{
	unsigned counts[256] = {0}, n = s.n < 65536 ? (unsigned)s.n : 65536;
	uint64_t sum = 0;

	for (unsigned i = 0; i < n; i++)
		counts[(unsigned char)s.p[i]]++;
	for (unsigned c = 0; c < 256; c++)
		if (counts[c])
			sum += (uint64_t)counts[c] * (log2_fixed(n) - log2_fixed(counts[c]));
	return n ? (unsigned)(sum / n) : 0;
}

static bool few_distinct(struct str s)
{
	char seen[DISTINCT_MIN];
	size_t n = 0;

	for (size_t i = 0; i < s.n; i++) {
		if (n && memchr(seen, s.p[i], n))
			continue;
		if (n + 1 == DISTINCT_MIN)
			return false;
		seen[n++] = s.p[i];
	}
	return true;
}

/* $NAME, ${NAME}, {{ name }}, <name>, %NAME%, %(name)s, @name@ */
static bool is_reference(struct str s)
{
	size_t n = 1;

	if (strchr("<{[", s.p[0]) || (s.n > 1 && s.p[0] == '$' && (s.p[1] == '{' || s.p[1] == '(')) ||
			(s.n > 1 && s.p[0] == '%' && s.p[1] == '('))
		return true;
	if (!strchr("$%@", s.p[0]) || s.n < 2 || ascii_is_digit(s.p[1]))
		return false;
	while (n < s.n && (ascii_is_name(s.p[n]) || s.p[n] == '.'))
		n++;
	return s.p[0] == '$' ? n == s.n || strchr("-:[", s.p[n]) : n + 1 == s.n && s.p[n] == s.p[0];
}

bool redact_placeholder(struct str value)
{
	struct str s = str_trim(value, "\"'` .,;:!?"), rest = str_of(secret_text(secret_placeholder_parts)),
			word;

	if (!s.n || (s.n >= DISTINCT_MIN && few_distinct(s)) || is_reference(s) ||
			str_like_any(s, secret_text(secret_placeholder_words)))
		return true;
	while ((word = str_word(&rest)).n)
		if (str_contains(s, word))
			return true;
	return false;
}

/* Returns how often neighbours are of different kinds: a letter beside a digit, or letters of other case. */
static size_t count_turns(struct str s)
{
	size_t turns = 0;

	for (size_t i = 1; i < s.n; i++) {
		char x = s.p[i - 1], y = s.p[i];

		turns += (ascii_is_letter(x) && ascii_is_digit(y)) ||
				(ascii_is_digit(x) && ascii_is_letter(y)) ||
				(ascii_is_lower(x) && ascii_is_upper(y)) ||
				(ascii_is_upper(x) && ascii_is_lower(y) && i > 1 &&
				ascii_is_upper(s.p[i - 2]));
	}
	return turns;
}

/* True for letters in words (small, capital, or camel case) with at most a few digits after them. */
static bool is_word(struct str s)
{
	size_t letters = 0, digits = 0, turns;

	while (letters < s.n && ascii_is_letter(s.p[letters]))
		letters++;
	while (letters + digits < s.n && ascii_is_digit(s.p[letters + digits]))
		digits++;
	turns = count_turns(str_sub(s, 0, letters));
	return letters + digits == s.n && digits <= WORD_DIGITS_MAX && turns <= letters / 4;
}

bool redact_identifier(struct str value)
{
	size_t from = 0;

	for (size_t i = 0; i <= value.n; i++) {
		if (i < value.n && !strchr("_.-:/>@+ ", value.p[i]))
			continue;
		if (!is_word(str_sub(value, from, i)))
			return false;
		from = i + 1;
	}
	return true;
}

bool redact_random(struct str value)
{
	size_t letters = 0, digits = 0, upper = 0, turns = count_turns(value);
	unsigned entropy;

	for (size_t i = 0; i < value.n; i++) {
		if ((unsigned char)value.p[i] <= ' ' || (unsigned char)value.p[i] > '~')
			return false;
		letters += ascii_is_letter(value.p[i]);
		upper += ascii_is_upper(value.p[i]);
		digits += ascii_is_digit(value.p[i]);
	}
	if (value.n < RANDOM_MIN || letters < 3)
		return false;
	if (letters == value.n && value.n >= LETTERS_MIN && (!upper || upper == letters))
		return entropy_of(value) >= ENTROPY_UNIT * 18 / 5;
	if (redact_identifier(value))
		return false;
	entropy = entropy_of(value);
	if (!digits)
		return value.n >= 2 * RANDOM_MIN && turns >= value.n / 4 && entropy >= 3 * ENTROPY_UNIT;
	return (turns >= 2 && entropy >= 2 * ENTROPY_UNIT) ||
			(value.n >= ENTROPY_FROM && entropy >= 3 * ENTROPY_UNIT);
}
