/*
 * Glob patterns. See glob.h.
 *
 * The matcher simulates an NFA. A position is the byte offset in the pattern at which an element starts.
 * Position n (the length) means "matched". Position n + 1 means "matched, and the separator after it read"
 * (GLOB_BELOW, GLOB_WORDS), which accepts anything. A step leads from a position to the same or a later one,
 * so one pass from left to right finds everything that a hole can reach.
 */
#include "base/glob.h"

#define CLASS_BYTES_MAX 256 /* maximum length of [..]; a longer one is not a class */

enum glob_kind { LITERAL, ONE, CLASS, STAR, DIRS, END, PAST };

struct element {
	enum glob_kind kind;
	char byte;      /* LITERAL */
	bool slashes;   /* STAR: also matches slashes */
	size_t len;     /* bytes in the pattern */
};


static unsigned char fold(unsigned char c) { return ascii_is_upper(c) ? (unsigned char)(c + 32) : c; }

/*
 * Returns the length of the class that starts at `at`; 0 if it does not end, so that the bracket is a
 * literal.
 */
static size_t class_length(struct str p, size_t at)
{
	size_t i = at + 1;

	if (i < p.n && (p.p[i] == '!' || p.p[i] == '^'))
		i++;
	if (i < p.n && p.p[i] == ']')
		i++;
	for (; i < p.n && i - at < CLASS_BYTES_MAX && p.p[i] != '/'; i++) {
		if (p.p[i] == '\\' && i + 1 < p.n)
			i++;
		else if (p.p[i] == ']')
			return i + 1 - at;
	}
	return 0;
}

static unsigned char class_byte(struct str c, size_t *i)
{
	if (c.p[*i] == '\\' && *i + 2 < c.n)
		++*i;
	return (unsigned char)c.p[(*i)++];
}

/* Classes such as [a-z_], [!a], [^a], []x]; they never match a slash. */
static bool in_class(struct str c, unsigned char b, bool folded)
{
	size_t i = 1, first;
	bool negated = c.p[1] == '!' || c.p[1] == '^', found = false;

	if (b == '/')
		return false;
	i += negated;
	for (first = i; i + 1 < c.n && (i == first || c.p[i] != ']');) {
		unsigned char lo = class_byte(c, &i), hi = lo;

		if (i + 2 < c.n && c.p[i] == '-') {
			i++;
			hi = class_byte(c, &i);
		}
		found |= b >= lo && b <= hi;
		if (folded) {
			unsigned char up = ascii_is_lower(b) ? (unsigned char)(b - 32) : b;

			found |= (fold(b) >= lo && fold(b) <= hi) || (up >= lo && up <= hi);
		}
	}
	return found != negated;
}

static struct element star_at(const struct glob *g, size_t at)
{
	struct str p = g->pattern;
	size_t end = at;
	bool start = at == 0 || p.p[at - 1] == '/';

	while (end < p.n && p.p[end] == '*')
		end++;
	if (!(g->flags & GLOB_PATH))
		return (struct element){.kind = STAR, .slashes = true, .len = end - at};
	if (end - at >= 2 && start && end < p.n && p.p[end] == '/')
		return (struct element){.kind = DIRS, .len = end + 1 - at};
	return (struct element){.kind = STAR, .len = end - at, .slashes = end - at >= 2 &&
			(!(g->flags & GLOB_GIT) || (start && end == p.n))};
}

static struct element element_at(const struct glob *g, size_t at)
{
	struct str p = g->pattern;
	size_t n;

	if (at >= p.n)
		return (struct element){.kind = at == p.n ? END : PAST};
	if (p.p[at] == '*')
		return star_at(g, at);
	if (g->flags & GLOB_PATH) {
		if (p.p[at] == '?')
			return (struct element){.kind = ONE, .len = 1};
		if (p.p[at] == '[' && (n = class_length(p, at)))
			return (struct element){.kind = CLASS, .len = n};
		if (p.p[at] == '\\' && at + 1 < p.n)
			return (struct element){.kind = LITERAL, .byte = p.p[at + 1], .len = 2};
	} else if ((g->flags & GLOB_ESCAPE) && p.p[at] == '\\' && at + 1 < p.n &&
			(p.p[at + 1] == '*' || p.p[at + 1] == '\\')) {
		return (struct element){.kind = LITERAL, .byte = p.p[at + 1], .len = 2};
	}
	return (struct element){.kind = LITERAL, .byte = p.p[at], .len = 1};
}

/* ---- sets of positions ---- */

static bool set_has(const uint64_t *set, size_t at) { return set[at / 64] >> (at % 64) & 1; }
static void set_put(uint64_t *set, size_t at) { set[at / 64] |= (uint64_t)1 << (at % 64); }

/* Returns the next member at or after `at`, or SIZE_MAX. */
static size_t set_next(const struct glob *g, const uint64_t *set, size_t at)
{
	for (size_t w = at / 64; w < g->sets; w++) {
		uint64_t bits = w == at / 64 ? set[w] & (~(uint64_t)0 << (at % 64)) : set[w];

		if (bits)
			return w * 64 + (size_t)__builtin_ctzll(bits);
	}
	return SIZE_MAX;
}

/* Adds a position, and the next ones while the element may match nothing. */
static void enter_position(const struct glob *g, uint64_t *set, size_t at)
{
	while (!set_has(set, at)) {
		struct element e = element_at(g, at);

		set_put(set, at);
		if (e.kind != STAR && e.kind != DIRS)
			return;
		at += e.len;
	}
}

static bool burn_step(struct glob *g)
{
	if (++g->steps > GLOB_STEPS_MAX)
		g->gave_up = true;
	return !g->gave_up;
}

static char separator(const struct glob *g)
{
	return g->flags & GLOB_BELOW ? '/' : g->flags & GLOB_WORDS ? ' ' : '\0';
}

static bool takes(const struct glob *g, size_t at, struct element e, unsigned char b)
{
	bool folded = g->flags & GLOB_FOLD;

	switch (e.kind) {
	case LITERAL: return folded ? fold((unsigned char)e.byte) == fold(b) : (unsigned char)e.byte == b;
	case ONE: return b != '/';
	case CLASS: return in_class(str_sub(g->pattern, at, at + e.len), b, folded);
	case STAR: return e.slashes || b != '/';
	case END: return separator(g) && (char)b == separator(g);
	default: return true;
	}
}

static void set_clear(const struct glob *g, uint64_t *set)
{
	set[0] = 0;
	if (g->sets > 1) /* rare: most patterns are short */
		memset(set, 0, g->sets * sizeof *set);
}

static void set_copy(const struct glob *g, uint64_t *to, const uint64_t *from)
{
	to[0] = from[0];
	if (g->sets > 1)
		memcpy(to, from, g->sets * sizeof *to);
}

/* Advances the set by one byte. */
static void step_byte(struct glob *g, uint64_t *set, unsigned char b)
{
	uint64_t to[GLOB_SETS];

	set_clear(g, to);
	for (size_t at = set_next(g, set, 0); at != SIZE_MAX && burn_step(g); at = set_next(g, set, at + 1)) {
		struct element e = element_at(g, at);

		if (!takes(g, at, e, b))
			continue;
		if (e.kind == STAR) {
			set_put(to, at);
			enter_position(g, to, at + e.len);
		} else if (e.kind == END || e.kind == PAST) {
			set_put(to, g->pattern.n + 1);
		} else if (e.kind != DIRS || b == '/') {
			enter_position(g, to, at + e.len);
		}
		if (e.kind == DIRS)
			set_put(to, at); /* in the middle of a component: DIRS cannot end here */
	}
	set_copy(g, set, to);
}

/* True if the element can match some byte of the hole. */
static bool takes_hole(const struct glob *g, size_t at, struct element e, char hole)
{
	if (hole == GLOB_HOLE_ANY)
		return e.kind != END || separator(g);
	if (hole == GLOB_HOLE_NAME)
		return e.kind == LITERAL ? e.byte != '/' : e.kind == END ? separator(g) &&
				separator(g) != '/' : true;
	for (const char *c = "-0123456789"; *c; c++)
		if (takes(g, at, e, (unsigned char)*c))
			return true;
	return false;
}

/* Advances `may` over a hole: adds every position that some value of the hole can reach. */
static void may_hole(struct glob *g, uint64_t *set, char hole)
{
	for (size_t at = set_next(g, set, 0); at != SIZE_MAX && burn_step(g); at = set_next(g, set, at + 1)) {
		struct element e = element_at(g, at);

		if (e.kind == PAST || !takes_hole(g, at, e, hole))
			continue;
		if (e.kind == END)
			set_put(set, g->pattern.n + 1);
		else if (e.kind != DIRS || hole == GLOB_HOLE_ANY)
			enter_position(g, set, at + e.len); /* a star also keeps its position */
	}
}

/*
 * Advances `must` over a hole: keeps only positions that match every value of it. `words`: any number of
 * whole words, each after a blank.
 */
static void must_hole(struct glob *g, uint64_t *set, char hole, bool words)
{
	uint64_t to[GLOB_SETS];

	set_clear(g, to);
	for (size_t at = set_next(g, set, 0); at != SIZE_MAX && burn_step(g); at = set_next(g, set, at + 1)) {
		struct element e = element_at(g, at);

		if (e.kind == STAR && (e.slashes || hole != GLOB_HOLE_ANY))
			enter_position(g, to, at);
		else if (e.kind == DIRS || e.kind == PAST || (e.kind == END && words && separator(g) == ' '))
			set_put(to, at);
	}
	set_copy(g, set, to);
}

static void split_pattern(struct glob *g)
{
	if (g->exact)
		memcpy(g->must, g->may, g->sets * sizeof *g->may);
	g->exact = false;
}

/* ---- the match ---- */

void glob_start(struct glob *g, struct str pattern, unsigned flags)
{
	g->pattern = pattern;
	g->flags = flags;
	g->exact = true;
	g->steps = 0;
	g->gave_up = pattern.n > GLOB_PATTERN_MAX;
	g->sets = g->gave_up ? 0 : (pattern.n + 1) / 64 + 1;
	memset(g->may, 0, g->sets * sizeof *g->may);
	if (!g->gave_up)
		enter_position(g, g->may, 0);
}

static bool is_dead(const struct glob *g) { return g->gave_up || set_next(g, g->may, 0) == SIZE_MAX; }

static bool plain_byte(const struct glob *g, char c)
{
	return c != '*' && c != '\\' && !(g->flags & GLOB_PATH && (c == '?' || c == '['));
}

/*
 * With a single position among literal bytes: compares the literals directly. Returns the new offset in the
 * text.
 */
static size_t run_literals(struct glob *g, struct str text, size_t i, size_t at)
{
	size_t from = at;

	while (i < text.n && at < g->pattern.n && g->pattern.p[at] == text.p[i] && plain_byte(g, text.p[i]) &&
			(unsigned char)text.p[i] > GLOB_HOLE_NAME)
		i++, at++;
	if (at > from) {
		set_clear(g, g->may);
		enter_position(g, g->may, at);
	}
	return i;
}

/* With a star and the literal after it: skips to the next such byte. */
static size_t run_star(const struct glob *g, struct str text, size_t i, size_t at)
{
	struct element e = element_at(g, at), then = element_at(g, at + e.len);

	if (e.kind != STAR || !e.slashes || then.kind != LITERAL || !set_has(g->may, at + e.len))
		return i;
	while (i < text.n && text.p[i] != then.byte && (unsigned char)text.p[i] > GLOB_HOLE_NAME)
		i++;
	return i;
}

/*
 * Fast paths for short patterns, which are mostly literal bytes and a star or two. Plain steps give the same
 * answer, but slower.
 */
static size_t skip_ahead(struct glob *g, struct str text, size_t i)
{
	uint64_t set = g->may[0];

	if (!g->exact || g->sets != 1 || (g->flags & GLOB_FOLD) || !set)
		return i;
	if ((set & (set - 1)) == 0)
		return run_literals(g, text, i, (size_t)__builtin_ctzll(set));
	return __builtin_popcountll(set) == 2 ? run_star(g, text, i, (size_t)__builtin_ctzll(set)) : i;
}

void glob_feed(struct glob *g, struct str text)
{
	for (size_t i = 0; i < text.n && !is_dead(g); i++) {
		char c;

		i = skip_ahead(g, text, i);
		if (i == text.n)
			return;
		c = text.p[i];
		if ((unsigned char)c <= GLOB_HOLE_NAME) {
			split_pattern(g);
			may_hole(g, g->may, c);
			must_hole(g, g->must, c, false);
			continue;
		}
		step_byte(g, g->may, (unsigned char)c);
		if (!g->exact)
			step_byte(g, g->must, (unsigned char)c);
	}
}

/* Adds the positions reached by a blank, the given bytes and then anything. */
static void feed_words(struct glob *g, struct str start, bool no_dash)
{
	uint64_t more[GLOB_SETS];

	if (is_dead(g))
		return;
	split_pattern(g);
	memcpy(more, g->may, g->sets * sizeof *more);
	step_byte(g, more, ' ');
	for (size_t i = 0; i < start.n; i++)
		step_byte(g, more, (unsigned char)start.p[i]);
	/* drop positions that need a dash here; elements that match a dash among other bytes stay */
	if (no_dash && !start.n) {
		uint64_t to[GLOB_SETS];

		memcpy(to, more, g->sets * sizeof *to);
		for (size_t at = set_next(g, more, 0); at != SIZE_MAX; at = set_next(g, more, at + 1)) {
			struct element e = element_at(g, at);

			if (e.kind == LITERAL && e.byte == '-')
				to[at / 64] &= ~((uint64_t)1 << (at % 64));
		}
		memcpy(more, to, g->sets * sizeof *more);
	}
	may_hole(g, more, GLOB_HOLE_ANY);
	for (size_t w = 0; w < g->sets; w++)
		g->may[w] |= more[w];
	must_hole(g, g->must, GLOB_HOLE_ANY, true);
}

void glob_feed_rest(struct glob *g) { feed_words(g, STR(""), false); }
void glob_feed_names(struct glob *g, struct str start) { feed_words(g, start, true); }

enum glob_match glob_end(const struct glob *g)
{
	size_t n = g->pattern.n;

	if (g->gave_up)
		return GLOB_MAYBE;
	if (!set_has(g->may, n) && !set_has(g->may, n + 1))
		return GLOB_NO;
	return g->exact || set_has(g->must, n) || set_has(g->must, n + 1) ? GLOB_YES : GLOB_MAYBE;
}

enum glob_match glob_may(struct str pattern, struct str text, unsigned flags)
{
	struct glob g;

	glob_start(&g, pattern, flags);
	glob_feed(&g, text);
	return glob_end(&g);
}

/* Greedy matching: on a mismatch, retry one byte after the last star's start. */
bool glob_stars(struct str pattern, struct str text, bool (*is_star)(char c))
{
	size_t p = 0, t = 0, star = SIZE_MAX, mark = 0;

	while (t < text.n) {
		if (p < pattern.n && is_star(pattern.p[p])) {
			star = p++;
			mark = t;
		} else if (p < pattern.n && pattern.p[p] == text.p[t]) {
			p++, t++;
		} else if (star != SIZE_MAX) {
			p = star + 1;
			t = ++mark;
		} else {
			return false;
		}
	}
	while (p < pattern.n && is_star(pattern.p[p]))
		p++;
	return p == pattern.n;
}

static bool is_star(char c) { return c == '*'; }

bool glob_name(struct str pattern, struct str text) { return glob_stars(pattern, text, is_star); }

/* False if the two bytes can never match. Holes and special characters of a pattern may match. */
static bool may_agree(char p, char b, unsigned flags)
{
	if (p == '*' || p == '?' || p == '[' || p == ']' || p == '\\' || (unsigned char)b <= GLOB_HOLE_NAME)
		return true;
	return p == b || ((flags & GLOB_FOLD) && fold((unsigned char)p) == fold((unsigned char)b));
}

bool glob_path(struct str pattern, struct str path, unsigned flags)
{
	/*
	 * Fast path: tables of names are tried against every path, and nearly all differ in the first or last
	 * byte.
	 */
	if (pattern.n && path.n && !may_agree(pattern.p[0], path.p[0], flags))
		return false;
	if (pattern.n && path.n && !(flags & (GLOB_BELOW | GLOB_WORDS)) &&
			!may_agree(pattern.p[pattern.n - 1], path.p[path.n - 1], flags))
		return false;
	return glob_may(pattern, path, flags | GLOB_PATH) == GLOB_YES;
}

/* ---- gitignore ---- */

/* A pattern, assembled on the stack. */
struct draft {
	char p[GLOB_PATTERN_MAX];
	size_t n;
	bool full;
};

static void draft_add(struct draft *d, struct str s)
{
	if (s.n > sizeof d->p - d->n) {
		d->full = true;
		return;
	}
	if (s.n)
		memcpy(d->p + d->n, s.p, s.n);
	d->n += s.n;
}

static void draft_literal(struct draft *d, struct str s)
{
	for (size_t i = 0; i < s.n && !d->full; i++) {
		if (s.p[i] && strchr("*?[\\", s.p[i]))
			draft_add(d, STR("\\"));
		draft_add(d, str_sub(s, i, i + 1));
	}
}

/* Trailing blanks are ignored unless escaped. */
static struct str trim_pattern(struct str p)
{
	while (p.n && p.p[p.n - 1] == ' ' && !(p.n > 1 && p.p[p.n - 2] == '\\'))
		p.n--;
	return p;
}

/* Prepends `dir` literally. `deep`: the pattern may start at any depth below it, with or without a slash. */
static enum glob_match gitignore(struct str dir, bool deep, struct str pattern, struct str path,
		unsigned flags)
{
	struct draft d;
	struct glob g;
	enum glob_match m;
	bool directory;

	d.n = 0;
	d.full = false;
	pattern = trim_pattern(pattern);
	directory = str_ends(pattern, "/");
	while (str_ends(pattern, "/"))
		pattern.n--;
	deep |= !str_has(pattern, '/');
	while (str_starts(pattern, "/"))
		pattern = str_from(pattern, 1);
	if (!pattern.n) { /* "/": everything below */
		pattern = STR("**");
		directory = false;
	}
	draft_literal(&d, dir);
	if (deep)
		draft_add(&d, STR("**/"));
	draft_add(&d, pattern);
	if (d.full)
		return GLOB_MAYBE;
	glob_start(&g, str_n(d.p, d.n), (flags & GLOB_FOLD) | GLOB_PATH | GLOB_GIT | GLOB_BELOW);
	glob_feed(&g, path);
	m = glob_end(&g);
	if (m == GLOB_YES && directory && !str_ends(path, "/") && !set_has(g.exact ? g.may : g.must, d.n + 1))
		return GLOB_MAYBE; /* the path itself, which may not be a directory */
	return m;
}

enum glob_match gitignore_below(struct str dir, struct str pattern, struct str path, unsigned flags)
{
	enum glob_match m;

	if (dir.n) {
		char with[GLOB_PATTERN_MAX];

		while (str_ends(dir, "/"))
			dir.n--;
		if (dir.n >= sizeof with)
			return GLOB_MAYBE;
		if (dir.n)
			memcpy(with, dir.p, dir.n);
		with[dir.n] = '/';
		return gitignore(str_n(with, dir.n + 1), false, pattern, path, flags);
	}
	m = gitignore(STR(""), true, pattern, path, flags);
	return m == GLOB_YES ? GLOB_MAYBE : m;
}
