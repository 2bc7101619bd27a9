/* Compares words by the edits between them (Damerau and Levenshtein). See near.h. */
#include "base/near.h"

#define WORD_MAX 32    /* longer words get no guess */
#define DISTANCE_MAX 3 /* edits beyond which two words are not similar */
#define BEGINNING_MIN 3

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

/* Edits that make b of a: inserting, removing or changing a letter, or exchanging two neighbours. */
static size_t count_edits(struct str a, struct str b)
{
	size_t rows[3][WORD_MAX + 1]; /* of the letter before last, the last one, this one */

	for (size_t k = 0; k <= b.n; k++)
		rows[1][k] = k;
	for (size_t i = 1; i <= a.n; i++) {
		size_t *before = rows[(i + 2) % 3], *last = rows[i % 3], *row = rows[(i + 1) % 3];

		row[0] = i;
		for (size_t k = 1; k <= b.n; k++) {
			row[k] = least(last[k - 1] + (a.p[i - 1] != b.p[k - 1]),
					least(row[k - 1], last[k]) + 1);
			if (i > 1 && k > 1 && a.p[i - 1] == b.p[k - 2] && a.p[i - 2] == b.p[k - 1])
				row[k] = least(row[k], before[k - 2] + 1);
		}
	}
	return rows[(a.n + 1) % 3][b.n];
}

/* The beginning of a word is as similar to it as one with a typing error. */
static size_t distance_of(struct str word, struct str candidate)
{
	if (word.n >= BEGINNING_MIN && word.n < candidate.n && !memcmp(word.p, candidate.p, word.n))
		return 1;
	return count_edits(word, candidate);
}

void near_try(struct near *n, const char *candidate)
{
	struct str s = str_of(candidate);
	size_t distance;

	if (!n->word.n || n->word.n > WORD_MAX || s.n > WORD_MAX)
		return;
	distance = distance_of(n->word, s);
	/* one edit may change half of a word, more may not: 'git' does not mean 'init' */
	if (distance > DISTANCE_MAX || distance * 2 > s.n - (distance > 1) ||
			(n->best && distance >= n->distance))
		return;
	n->distance = distance;
	n->best = candidate;
}

const char *near_text(struct arena *a, const struct near *n, const char *otherwise)
{
	return n->best ? str_fmt_c(a, ", did you mean '%s'", n->best) : otherwise;
}
