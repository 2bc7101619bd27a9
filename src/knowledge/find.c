/*
 * Scans the argv of find: options, start paths, then an expression whose -exec ends at ";" or at "{} +". The
 * row's flags are the predicates. A start path becomes an operand; everything else becomes a hit.
 */
#include "knowledge/scan.h"

static bool word_is(struct word w, const char *c) { return w.kind == WORD_EXACT && str_is(w.text, c); }

static bool starts_expression(struct word w)
{
	return w.kind == WORD_EXACT && ((w.text.n > 1 && w.text.p[0] == '-') || word_is(w, "(") ||
			word_is(w, ")") || word_is(w, "!") || word_is(w, ","));
}

/* True if the word would act, should an unknown word before it be the ";" that ends -exec. */
static bool word_acts(const struct know_row *r, struct word w)
{
	const struct know_flag *f = w.kind == WORD_EXACT ? know_flag_find(r, w.text) : NULL;
	return f && (know_runs(f->arg.kind) || f->arg.kind == KIND_WRITE || str_is(w.text, "-delete"));
}

/* Scans -exec CMD ... ; or {} + and returns the index of the last word used. */
static size_t take_exec(struct know_scan *s, const struct know_flag *f, size_t i)
{
	size_t to = i + 1;
	bool unknown = false, more = false;
	for (; to < s->argc; to++) {
		struct word w = s->argv[to];
		if (word_is(w, ";"))
			break;
		if (word_is(w, "+") && to > i + 1 && word_is(s->argv[to - 1], "{}")) {
			more = true;
			break;
		}
		if (unknown && word_acts(s->row, w) && !s->opaque)
			s->opaque = to;
		if (w.kind == WORD_REST && !w.glob && !s->opaque)
			s->opaque = to; /* may contain the ";" and another -exec */
		unknown |= w.kind != WORD_EXACT;
	}
	struct word mark = {.kind = more ? WORD_UNKNOWN : WORD_EXACT, .text = STR(""), .at = s->argv[i].at};
	know_hit_add(s, f, i + 1, more ? to - 1 : to, &mark);
	return to < s->argc ? to : s->argc - 1;
}

static size_t take_predicate(struct know_scan *s, const struct know_flag *f, size_t i)
{
	if (f->arg.kind == KIND_COMMAND)
		return take_exec(s, f, i);
	if (f->arg.kind == KIND_NONE || (f->arg.mods & MOD_OPTIONAL) || i + 1 >= s->argc) {
		know_hit_add(s, f, i, i + 1, NULL);
		return i;
	}
	know_hit_add(s, f, i + 1, i + 2, &s->argv[i + 1]);
	if (s->argv[i + 1].kind == WORD_REST) {
		s->unsure = s->maybe_option = true;
		if (!s->argv[i + 1].glob && !s->opaque)
			s->opaque = i + 1;
		return i + 1;
	}
	return f->arg.mods & MOD_PAIR && i + 2 < s->argc ? i + 2 : i + 1;
}

static bool follows_links(struct word w) { return word_is(w, "-H") || word_is(w, "-L") || word_is(w, "-P"); }

/* True if the word may start with a dash. */
static bool may_be_option(struct word w)
{
	if (w.kind != WORD_UNKNOWN || !w.text.n)
		return w.kind == WORD_UNKNOWN;
	return w.text.p[0] == HOLE_ANY || w.text.p[0] == HOLE_NAME || w.text.p[0] == '-';
}

static void opaque_at(struct know_scan *s, size_t i)
{
	if (!s->opaque)
		s->opaque = i;
}

/* Returns the index after the last word that could end an -exec. */
static size_t last_end(const struct know_scan *s)
{
	size_t end = s->argc;

	while (end > s->start && !word_is(s->argv[end - 1], ";") && !word_is(s->argv[end - 1], "+"))
		end--;
	return end;
}

void know_scan_find(struct know_scan *s)
{
	bool paths = true, unknown = false;
	size_t end = last_end(s);

	s->dashdash = SIZE_MAX;
	for (size_t i = s->start; i < s->argc; i++) {
		struct word w = s->argv[i];
		const struct know_flag *f = w.kind == WORD_EXACT ? know_flag_find(s->row, w.text) : NULL;

		s->word = i;
		if (w.kind == WORD_REST && !w.glob) {
			s->unsure = s->maybe_option = true;
			opaque_at(s, i);
		}
		if (paths && i == s->start && w.kind == WORD_EXACT && follows_links(w))
			continue;
		if (f) {
			paths = paths && (follows_links(w) || word_is(w, "-D") || word_is(w, "-O"));
			i = take_predicate(s, f, i);
			continue;
		}
		if (starts_expression(w)) {
			paths = paths && str_starts(w.text, "-O");
			if (w.text.p[0] == '-')
				know_unlisted_add(s, w.text, NULL);
			continue;
		}
		if (!paths && w.kind != WORD_EXACT) {
			s->maybe_option = true; /* may be -exec, if a ";" follows */
			if (i < end)
				opaque_at(s, i);
			continue;
		}
		if (unknown && (word_is(w, ";") || word_is(w, "+")))
			opaque_at(s, i); /* ends an -exec inside an unknown word */
		unknown |= w.kind != WORD_EXACT;
		s->maybe_option |= may_be_option(w);
		know_operand_add(s, i);
	}
}
