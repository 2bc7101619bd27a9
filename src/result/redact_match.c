/* Matches the forms of knowledge/secrets.yaml. A run takes as many characters as it can: no backtracking. */
#include "result/redact_table.h"

size_t redact_neutral(struct str s)
{
	size_t n = 0;

	while (n < s.n && (ascii_is_name(s.p[n]) || (s.p[n] && strchr("-.~+/=@%^,:!#*?", s.p[n]))))
		n++;
	return n;
}

/* FOUND_MORE if the text ends inside the prefix. */
static enum found starts_with(const struct candidate *c, struct str with, bool nocase)
{
	size_t n = c->text.n < with.n ? c->text.n : with.n;

	for (size_t i = 0; i < n; i++)
		if (nocase ? ascii_to_lower(c->text.p[i]) != with.p[i] : c->text.p[i] != with.p[i])
			return FOUND_NO;
	return n == with.n ? FOUND_YES : c->more ? FOUND_MORE : FOUND_NO;
}

static enum found match_step(const struct candidate *c, const struct secret_step *s, size_t *at)
{
	size_t from = *at, most = s->max == STEP_NO_MAXIMUM ? REDACT_MATCH_MAX : from + s->max;

	while (*at < c->text.n && *at < most && secret_in_set(s->set, c->text.p[*at]))
		++*at;
	if (*at >= c->text.n && c->more && *at < REDACT_MATCH_MAX)
		return FOUND_MORE;
	return *at - from >= s->min ? FOUND_YES : FOUND_NO;
}

enum found redact_steps(const struct candidate *c, size_t at, const struct secret_step *s, size_t n,
		size_t *ret_to)
{
	for (size_t i = 0; i < n; i++) {
		enum found f = match_step(c, &s[i], &at);

		if (f != FOUND_YES)
			return f;
	}
	/* something longer is something else */
	if (n && s[n - 1].max != STEP_NO_MAXIMUM && at < c->text.n &&
			secret_in_set(s[n - 1].set, c->text.p[at]))
		return FOUND_NO;
	*ret_to = at;
	return FOUND_YES;
}

bool redact_has(struct str s, unsigned flags)
{
	bool upper = false, lower = false, digit = false;

	for (size_t i = 0; i < s.n; i++) {
		upper |= ascii_is_upper(s.p[i]);
		lower |= ascii_is_lower(s.p[i]);
		digit |= ascii_is_digit(s.p[i]);
	}
	return !(flags & FORM_DIGIT && !digit) && !(flags & FORM_MIXED && !(digit && upper && lower));
}

static bool may_start(const struct secret_form *f, char before)
{
	if (f->flags & FORM_ANYWHERE)
		return true;
	if (ascii_is_letter(before) || ascii_is_digit(before))
		return false;
	return !(f->flags & FORM_ALONE) || !before || !strchr("-_./", before);
}

static enum found match_form(const struct secret_form *f, const struct candidate *c, struct match *ret)
{
	struct str prefix = str_of(secret_text(f->prefix));
	const struct secret_step *steps = secret_steps + f->step;
	size_t at = prefix.n, from = 0, to = 0, n = f->from == FORM_WHOLE ? 0 : f->from;
	enum found found = starts_with(c, prefix, f->flags & FORM_NOCASE);

	if (found != FOUND_YES)
		return found;
	ret->kind = secret_text(f->kind);
	if (f->flags & (FORM_URL | FORM_PEM))
		return f->flags & FORM_URL ? redact_url(c, ret) : redact_pem(c, ret);
	for (size_t i = 0; i < n; i++) /* what stays visible before the secret */
		if ((found = match_step(c, &steps[i], &at)) != FOUND_YES)
			return found;
	from = f->from == FORM_WHOLE ? 0 : at;
	found = redact_steps(c, at, steps + n, f->to - n, &to);
	if (found == FOUND_YES && f->to < f->nsteps)
		found = redact_steps(c, to, steps + f->to, (size_t)f->nsteps - f->to, &at);
	if (found != FOUND_YES)
		return found;
	if (!redact_has(str_sub(c->text, from ? from : prefix.n, to), f->flags) ||
			redact_placeholder(str_sub(c->text, from ? from : prefix.n, to)))
		return FOUND_NO;
	if (c->command)
		to = from + redact_neutral(str_sub(c->text, from, to));
	ret->from = from;
	ret->to = to;
	return to > from ? FOUND_YES : FOUND_NO;
}

size_t redact_first_row(const uint32_t *starts, size_t n, uint32_t start)
{
	size_t from = 0;

	while (n > from) {
		size_t middle = from + (n - from) / 2;

		if (starts[middle] < start)
			from = middle + 1;
		else
			n = middle;
	}
	return from;
}

enum found redact_forms_at(const struct candidate *c, struct match *ret)
{
	uint32_t start = redact_start(c->text);
	uint16_t next = redact_next(c->text);

	for (size_t i = redact_first_row(secret_form_starts, secret_nforms, start); i < secret_nforms; i++) {
		const struct secret_form *f = &secret_forms[i];
		enum found found;

		if (start && secret_form_starts[i] != start)
			break;
		found = redact_may_match(secret_form_next[i], next) && may_start(f, c->before) ?
				match_form(f, c, ret) : FOUND_NO;
		if (found != FOUND_NO)
			return found;
	}
	return FOUND_NO;
}
