/* Splits an argv into options and operands by the style of a row. See scan.h. */
#include "knowledge/scan.h"

struct word know_part(struct word w, size_t from)
{
	w.text = str_from(w.text, from);
	if (w.kind != WORD_REST)
		w.kind = text_exact(w.text) ? WORD_EXACT : WORD_UNKNOWN;
	return w;
}

void know_hit_add(struct know_scan *s, const struct know_flag *f, size_t at, size_t to,
		const struct word *value)
{
	s->hits = arena_room(s->a, s->hits, s->nhits, &s->hits_cap, sizeof(*s->hits));
	struct know_hit *h = &s->hits[s->nhits++];
	*h = (struct know_hit){.flag = f, .word = s->word, .at = at, .to = to, .has_value = value != NULL};
	if (value)
		h->value = *value;
	if (f && (f->arg.mods & MOD_LAST))
		s->last = true;
}

void know_unlisted_add(struct know_scan *s, struct str name, const struct word *value)
{
	if (!s->generic || name.n < 2)
		return;
	know_hit_add(s, NULL, s->word, s->word + 1, value);
	s->hits[s->nhits - 1].name = name;
}

void know_operand_add(struct know_scan *s, size_t at)
{
	s->operands = arena_room(s->a, s->operands, s->noperands, &s->operands_cap, sizeof(*s->operands));
	s->operands[s->noperands++] = at;
}

const struct know_flag *know_flag_find(const struct know_row *r, struct str name)
{
	const struct know_flag *f = know_flags(r);
	size_t lo = 0, hi = r->nflags;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		int c = str_cmp(str_of(know_string(r, f[mid].name)), name);
		if (c == 0)
			return &f[mid];
		if (c < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return NULL;
}

/* Records that word i is uncertain: an inner command after it cannot be located. */
static void lose_word(struct know_scan *s, size_t i)
{
	s->unsure = true;
	if (s->lost)
		return;
	s->lost = i;
	s->lost_operands = s->noperands;
}

/* True if the text may name a file outside the working directory, or a hidden file. */
static bool names_path(struct str s)
{
	return s.n && (str_has(s, '/') || strchr(".~", s.p[0]) || text_open(s));
}

/* Handles an unlisted option: it may do anything with a value that names a file. */
static void lose_unlisted(struct know_scan *s, struct str name, const struct word *value, size_t i)
{
	know_unlisted_add(s, name, value);
	bool anything = s->row->effects & EFFECT_WORKSPACE; /* the row already allows that */
	if (value && names_path(value->text) && !s->opaque && !anything)
		s->opaque = i;
	lose_word(s, i);
}

static bool takes_word(const struct know_flag *f)
{
	return f->arg.kind != KIND_NONE && !(f->arg.mods & MOD_OPTIONAL);
}

/*
 * Option f at word i has no attached value: takes the following words if it needs them. Returns the index of
 * the last word used.
 */
static size_t take_option(struct know_scan *s, const struct know_flag *f, size_t i, bool sure)
{
	if (!takes_word(f)) {
		know_hit_add(s, f, i, i + 1, NULL);
		return i;
	}
	if (i + 1 >= s->argc) {
		know_hit_add(s, f, i, i + 1, NULL); /* the program will report an error */
		return i;
	}
	struct word v = s->argv[i + 1];
	if (v.kind == WORD_REST)
		lose_word(s, i + 1); /* it expands to any number of words: the value may be a later word */
	if (f->arg.kind == KIND_COMMAND) { /* fd -x cmd ... ; */
		size_t to = i + 1;
		while (to < s->argc && !(s->argv[to].kind == WORD_EXACT && str_is(s->argv[to].text, ";")))
			to++;
		know_hit_add(s, f, i + 1, to, &v);
		return to < s->argc ? to : to - 1;
	}
	size_t at = f->arg.mods & MOD_SECOND && i + 2 < s->argc && v.kind != WORD_REST ? i + 2 : i + 1;
	know_hit_add(s, f, at, at + 1, &s->argv[at]);
	if (v.kind == WORD_REST || !sure)
		return i; /* the next word is scanned again, as an operand or option */
	return f->arg.mods & MOD_PAIR && i + 2 < s->argc ? i + 2 : i + 1;
}

static bool spec_same(struct know_spec x, struct know_spec y)
{
	return x.kind == y.kind && x.mods == y.mods && x.lang == y.lang;
}

/*
 * Adds all long options that `name` abbreviates. If their arguments differ, all of them count and the word is
 * uncertain.
 */
static size_t take_abbreviated(struct know_scan *s, struct str name, const struct word *value, size_t i)
{
	const struct know_flag *f = know_flags(s->row), *found = NULL;
	size_t end = i;
	bool ambiguous = false;
	for (size_t k = 0; k < s->row->nflags; k++) {
		struct str full = str_of(know_string(s->row, f[k].name));
		if (!(s->row->bits & ROW_ABBREV) || full.n <= name.n || memcmp(full.p, name.p, name.n) != 0)
			continue;
		if (found && !spec_same(found->arg, f[k].arg))
			ambiguous = true;
		found = &f[k];
		if (value)
			know_hit_add(s, found, i, i + 1, value);
		else
			end = take_option(s, found, i, !ambiguous);
	}
	if (!found || ambiguous) {
		if (!found)
			lose_unlisted(s, name, value, i);
		lose_word(s, i);
		return i;
	}
	return end;
}

static size_t scan_long(struct know_scan *s, size_t i)
{
	struct word w = s->argv[i];
	ptrdiff_t eq = str_find(w.text, '=', 2);
	struct str name = str_first(w.text, eq >= 0 ? (size_t)eq : w.text.n);
	struct word value;
	if (!text_exact(name) || w.kind == WORD_REST) {
		s->maybe_option = true;
		lose_word(s, i);
		return i;
	}
	if (eq >= 0)
		value = know_part(w, (size_t)eq + 1);
	const struct know_flag *f = know_flag_find(s->row, name);
	if (!f)
		return take_abbreviated(s, name, eq >= 0 ? &value : NULL, i);
	if (eq < 0)
		return take_option(s, f, i, true);
	know_hit_add(s, f, i, i + 1, &value);
	return i;
}

/*
 * Adds letter k of a cluster, which is not in the row. At the start, the whole word may also be one name with
 * a single dash (-force).
 */
static void unlisted_letter(struct know_scan *s, struct word w, size_t k)
{
	if (!s->generic)
		return;
	char name[2] = {'-', w.text.p[k]};
	know_unlisted_add(s, str_dup(s->a, str_n(name, 2)), NULL);
	if (k != 1 || w.text.n == 2)
		return;
	ptrdiff_t eq = str_find(w.text, '=', 1);
	struct word v = know_part(w, eq >= 0 ? (size_t)eq + 1 : 0);
	know_unlisted_add(s, eq >= 0 ? str_first(w.text, (size_t)eq) : w.text, eq >= 0 ? &v : NULL);
}

/* Scans -abc, -n5 or -n 5. */
static size_t scan_cluster(struct know_scan *s, size_t i, size_t from)
{
	struct word w = s->argv[i];
	bool sure = true;
	const struct know_flag *digits = know_flag_find(s->row, STR("-#"));
	if (digits && str_is_digits(str_from(w.text, 1))) {
		know_hit_add(s, digits, i, i + 1, NULL);
		return i;
	}
	for (size_t k = from; k < w.text.n; k++) {
		char name[2] = {'-', w.text.p[k]};
		if (text_hole(name[1])) {
			s->maybe_option = true;
			lose_word(s, i);
			return i;
		}
		const struct know_flag *f = know_flag_find(s->row, str_n(name, 2));
		if (!f) {
			unlisted_letter(s, w, k);
			lose_word(s, i);
			sure = false; /* the rest of the word may be its value */
			continue;
		}
		if (f->arg.kind == KIND_NONE || (f->arg.mods & MOD_DIGITS)) {
			know_hit_add(s, f, i, i + 1, NULL);
			while ((f->arg.mods & MOD_DIGITS) && k + 1 < w.text.n &&
					ascii_is_digit(w.text.p[k + 1]))
				k++;
			continue;
		}
		if (k + 1 == w.text.n)
			return take_option(s, f, i, sure);
		struct word v = know_part(w, k + 1);
		know_hit_add(s, f, i, i + 1, &v);
		return i;
	}
	return i;
}

/* Returns the longest option that is a prefix of the word and accepts an attached argument. */
static const struct know_flag *attached_flag(const struct know_row *r, struct str text)
{
	const struct know_flag *f = know_flags(r), *found = NULL;
	for (size_t k = 0; k < r->nflags; k++)
		if ((f[k].arg.mods & MOD_ATTACHED) && str_starts(text, know_string(r, f[k].name)))
			found = &f[k]; /* sorted: the longest match comes last */
	return found;
}

/* Scans -name, --name or -name=value. A name with one dash in the row also matches with two. */
static size_t scan_long_dash(struct know_scan *s, size_t i)
{
	struct word w = s->argv[i];
	ptrdiff_t eq = str_find(w.text, '=', 1);
	struct str name = str_first(w.text, eq >= 0 ? (size_t)eq : w.text.n);
	if ((!text_exact(name) && !attached_flag(s->row, w.text)) || w.kind == WORD_REST) {
		s->maybe_option = true;
		lose_word(s, i);
		return i;
	}
	const struct know_flag *f = know_flag_find(s->row, w.text);
	if (f)
		return take_option(s, f, i, true);
	f = know_flag_find(s->row, name);
	if (!f && str_starts(name, "--"))
		f = know_flag_find(s->row, str_from(name, 1));
	struct word v = know_part(w, eq >= 0 ? (size_t)eq + 1 : 0);
	if (!f && (f = attached_flag(s->row, w.text))) {
		v = know_part(w, strlen(know_string(s->row, f->name)));
		know_hit_add(s, f, i, i + 1, &v);
		return i;
	}
	if (!f) {
		lose_unlisted(s, name, eq >= 0 ? &v : NULL, i);
		return i;
	}
	if (eq < 0)
		return take_option(s, f, i, true);
	know_hit_add(s, f, i, i + 1, &v);
	return i;
}

/* Scans tar xzf FILE: letters first, then their arguments in the same order. */
static size_t scan_bundle(struct know_scan *s, size_t i)
{
	struct word w = s->argv[i];
	size_t next = i + 1;
	for (size_t k = 0; k < w.text.n; k++) {
		char name[2] = {'-', w.text.p[k]};
		const struct know_flag *f = know_flag_find(s->row, str_n(name, 2));
		if (!f || !takes_word(f)) {
			if (f)
				know_hit_add(s, f, i, i + 1, NULL);
			else
				unlisted_letter(s, w, k), lose_word(s, i);
			continue;
		}
		if (next < s->argc) {
			if (s->argv[next].kind == WORD_REST)
				lose_word(s, next);
			know_hit_add(s, f, next, next + 1, &s->argv[next]);
			next++;
		}
	}
	return next - 1;
}

static bool name_char(char c, bool first)
{
	return ascii_is_name_start(c) || (!first && ascii_is_digit(c));
}

enum assign { ASSIGN_NO, ASSIGN_YES, ASSIGN_MAYBE };

/* env accepts any word with '=' as an assignment; treating sudo and make alike is safe here */
static enum assign classify_assignment(struct word w)
{
	for (size_t i = 0; i < w.text.n; i++) {
		if (w.text.p[i] == '=')
			return ASSIGN_YES; /* also with an empty name: env accepts "=x" */
		if (text_hole(w.text.p[i]))
			return ASSIGN_MAYBE;
	}
	return w.kind == WORD_EXACT ? ASSIGN_NO : ASSIGN_MAYBE;
}

/* True if the first byte is known. (A number may be negative.) */
static bool starts_known(struct word w)
{
	if (w.kind == WORD_EXACT)
		return true;
	if (!w.text.n || text_hole(w.text.p[0]))
		return false;
	return w.kind == WORD_UNKNOWN ||
			(w.glob && (name_char(w.text.p[0], false) || w.text.p[0] == '/' ||
			w.text.p[0] == '.'));
}

/*
 * True if the word starts with an unknown number and no option of the row starts with a digit. At worst the
 * number is negative, and the program rejects it.
 */
static bool starts_as_number(const struct know_row *r, struct word w)
{
	const struct know_flag *f = know_flags(r);

	if (w.kind != WORD_UNKNOWN || !w.text.n || w.text.p[0] != HOLE_NUM)
		return false;
	for (size_t i = 0; i < r->nflags; i++) {
		const char *name = know_string(r, f[i].name);
		if (name[0] == '-' && (name[1] == '#' || ascii_is_digit(name[1])))
			return false;
	}
	return true;
}

/* Handles operands and assignments. True if options end here. */
static bool scan_operand(struct know_scan *s, size_t i)
{
	const struct know_row *r = s->row;
	struct word w = s->argv[i];
	if ((r->bits & ROW_ASSIGN_ANY) || ((r->bits & ROW_ASSIGN_FIRST) && s->noperands == 0)) {
		enum assign as = classify_assignment(w);
		if (as == ASSIGN_YES) {
			know_hit_add(s, NULL, i, i + 1, &w);
			return false;
		}
		if (as == ASSIGN_MAYBE)
			lose_word(s, i);
	}
	if (s->subs && s->noperands == 0 && !s->sub)
		s->sub = i;
	know_operand_add(s, i);
	return s->sub || (r->style == STYLE_POSIX && s->noperands > r->until);
}

/* Handles an unknown word, which may be an option or any number of words. True if options end here. */
static bool scan_unknown(struct know_scan *s, size_t i)
{
	const struct know_row *r = s->row;
	struct word w = s->argv[i];
	bool sure_operand = starts_as_number(r, w) || (starts_known(w) && w.text.p[0] != '-');
	if (!sure_operand) {
		/* gate/option_names.c checks patterns against files whose names are options */
		s->maybe_option |= !w.glob;
		if (!s->lost) {
			s->lost = i;
			s->lost_operands = s->noperands;
		}
		if (w.kind == WORD_REST && !w.glob && ((r->bits & ROW_RUNS) || s->subs) && !s->opaque)
			s->opaque = i;
	}
	if (w.kind == WORD_REST) {
		lose_word(s, i);
		know_operand_add(s, i);
		return false; /* it may expand to nothing, so options may follow */
	}
	return scan_operand(s, i);
}

/* Scans an option at word i. Returns the index of the last word used, or 0 if the word is not an option. */
static size_t scan_option(struct know_scan *s, size_t i)
{
	const struct know_row *r = s->row;
	struct str t = s->argv[i].text;
	const struct know_flag *f;
	if (t.n == 1 && t.p[0] == '-' && s->argv[i].kind == WORD_EXACT) {
		f = know_flag_find(r, t);
		if (!f)
			return 0;
		know_hit_add(s, f, i, i + 1, NULL);
		return i;
	}
	if (t.n > 0 && (t.p[0] == '+' || t.p[0] == '@') && (f = know_flag_find(r, str_first(t, 1)))) {
		struct word v = know_part(s->argv[i], 1);
		know_hit_add(s, f, i, i + 1, &v);
		return i;
	}
	if (r->style == STYLE_TAR && i == s->start && t.n && t.p[0] != '-')
		return scan_bundle(s, i);
	if (t.n < 1 || t.p[0] != '-')
		return 0;
	if (r->style == STYLE_LONG_DASH)
		return scan_long_dash(s, i);
	if (t.n > 1 && t.p[1] == '-')
		return scan_long(s, i);
	/* a long name with one dash among short options (zip -TT) */
	if (t.n > 2 && (f = know_flag_find(r, t)))
		return take_option(s, f, i, true);
	return scan_cluster(s, i, 1);
}

void know_scan(struct know_scan *s)
{
	bool ended = s->row->style == STYLE_NONE;
	s->dashdash = SIZE_MAX;
	if (s->row->style == STYLE_FIND) {
		know_scan_find(s);
		return;
	}
	for (size_t i = s->start; i < s->argc; i++) {
		struct word w = s->argv[i];
		s->word = i;
		if (ended) {
			if (w.kind == WORD_REST && s->row->style != STYLE_POSIX)
				s->unsure = true;
			if (s->sub || !(s->subs || (s->row->bits & (ROW_ASSIGN_ANY | ROW_ASSIGN_FIRST))))
				know_operand_add(s, i);
			else
				scan_operand(s, i);
			continue;
		}
		if (w.kind == WORD_EXACT && str_is(w.text, "--") && !know_flag_find(s->row, w.text)) {
			ended = true;
			s->dashdash = s->noperands;
			continue;
		}
		if (w.kind == WORD_REST || !starts_known(w)) {
			ended = scan_unknown(s, i);
			continue;
		}
		size_t used = scan_option(s, i);
		if (used) {
			i = used;
			ended = s->last;
		} else {
			ended = scan_operand(s, i);
		}
	}
}
