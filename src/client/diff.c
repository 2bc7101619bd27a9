/* Unified diff: the shortest edit script (Myers 1986), grouped into hunks with three lines of context. */
#include "client/init_hooks.h"

#define AROUND 3

struct diff_lines {
	struct str *v;
	size_t n;
};

struct diffing {
	struct arena *a;
	struct diff_lines from, to;
	bool *out, *in; /* lines of `from` to delete, lines of `to` to insert */
};

static struct diff_lines split_lines(struct arena *a, struct str text)
{
	struct diff_lines l = {0};
	size_t i = 0;

	for (size_t k = 0; k < text.n; k++)
		l.n += text.p[k] == '\n' || k + 1 == text.n;
	l.v = arena_array(a, l.n + 1, sizeof *l.v);
	for (size_t k = 0, start = 0; k < text.n; k++)
		if (text.p[k] == '\n' || k + 1 == text.n) {
			l.v[i++] = str_sub(text, start, k + 1);
			start = k + 1;
		}
	return l;
}

/* Follows the furthest paths back to the start and marks each edit. */
static void walk_back(struct diffing *d, ptrdiff_t **trace, ptrdiff_t edits)
{
	ptrdiff_t x = (ptrdiff_t)d->from.n, y = (ptrdiff_t)d->to.n;

	for (; edits > 0; edits--) {
		const ptrdiff_t *v = trace[edits - 1] + edits; /* index 0 is diagonal 0 */
		ptrdiff_t k = x - y;
		bool down = k == -edits || (k != edits && v[k - 1] < v[k + 1]);
		ptrdiff_t px = down ? v[k + 1] : v[k - 1], py = px - (down ? k + 1 : k - 1);

		if (down)
			d->in[py] = true;
		else
			d->out[px] = true;
		x = px;
		y = py;
	}
}

/*
 * Finds the shortest edit script. Keeps the paths for each number of edits: edits * edits numbers, bounded by
 * DIFF_EDITS_MAX. False if more lines differ.
 */
static bool find_shortest(struct diffing *d)
{
	ptrdiff_t n = (ptrdiff_t)d->from.n, m = (ptrdiff_t)d->to.n;
	ptrdiff_t **trace = arena_array(d->a, DIFF_EDITS_MAX + 1, sizeof *trace);

	for (ptrdiff_t edits = 0; edits <= DIFF_EDITS_MAX; edits++) {
		ptrdiff_t *v = (ptrdiff_t *)arena_array(d->a, (size_t)(2 * edits + 3), sizeof *v) + edits + 1;
		const ptrdiff_t *old = edits ? trace[edits - 1] + edits : NULL;

		trace[edits] = v - edits - 1;
		for (ptrdiff_t k = -edits; k <= edits; k += 2) {
			ptrdiff_t x = !edits ? 0 : k == -edits || (k != edits && old[k - 1] < old[k + 1]) ?
					old[k + 1] : old[k - 1] + 1, y = x - k;

			while (x < n && y < m && y >= 0 && str_eq(d->from.v[x], d->to.v[y])) {
				x++;
				y++;
			}
			v[k] = x;
			if (x >= n && y >= m) {
				walk_back(d, trace, edits);
				return true;
			}
		}
	}
	return false;
}

static void put_line(struct buf *b, char sign, struct str line)
{
	buf_char(b, sign);
	buf_str(b, line);
	if (!str_ends(line, "\n"))
		buf_c(b, "\n\\ No newline at end of file\n");
}

/* Appends one hunk that starts at line *i of `from` and *j of `to`, and advances both past it. */
static void put_hunk(struct buf *b, const struct diffing *d, size_t *i, size_t *j)
{
	size_t x = *i < AROUND ? 0 : *i - AROUND, start = x, first = *j - (*i - x), y = first, quiet = 0,
			head;
	struct buf body;

	buf_init(&body, b->a, 0);
	for (x = start; x < *i; x++, y++)
		put_line(&body, ' ', d->from.v[x]);
	while (x < d->from.n || y < d->to.n) {
		if (x < d->from.n && d->out[x]) {
			put_line(&body, '-', d->from.v[x++]);
			quiet = 0;
		} else if (y < d->to.n && d->in[y]) {
			put_line(&body, '+', d->to.v[y++]);
			quiet = 0;
		} else {
			size_t ahead = 0;

			if (quiet >= AROUND) { /* close enough for the next change to join this hunk? */
				while (ahead < AROUND && x + ahead < d->from.n && !d->out[x + ahead] &&
						!(y + ahead < d->to.n && d->in[y + ahead]))
					ahead++;
				if (ahead == AROUND || x + ahead >= d->from.n)
					break;
			}
			put_line(&body, ' ', d->from.v[x++]);
			y++;
			quiet++;
		}
	}
	head = x - start;
	buf_fmt(b, "@@ -%zu,%zu +%zu,%zu @@\n", head ? start + 1 : start, head, y - first ? first + 1 : first,
			y - first);
	buf_str(b, buf_view(&body));
	*i = x;
	*j = y;
}

void diff_unified(struct buf *b, struct str from_name, struct str to_name, struct str from, struct str to)
{
	struct diffing d = {.a = b->a, .from = split_lines(b->a, from), .to = split_lines(b->a, to)};

	if (str_eq(from, to))
		return;
	d.out = arena_array(b->a, d.from.n + 1, sizeof *d.out);
	d.in = arena_array(b->a, d.to.n + 1, sizeof *d.in);
	if (!find_shortest(&d)) {
		memset(d.out, 1, d.from.n);
		memset(d.in, 1, d.to.n);
	}
	buf_fmt(b, "--- %.*s\n+++ %.*s\n", STR_ARG(from_name), STR_ARG(to_name));
	for (size_t i = 0, j = 0; i < d.from.n || j < d.to.n;) {
		if ((i < d.from.n && d.out[i]) || (j < d.to.n && d.in[j]))
			put_hunk(b, &d, &i, &j);
		else {
			i++;
			j++;
		}
	}
}
