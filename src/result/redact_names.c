/*
 * Secrets that their name gives away: NAME=value, name: value, "name": "value", ?name=value, --name value,
 * <name>value</name>, and headers. The candidate starts with the last word of the name; the rest of the name
 * lies behind it.
 */
#include "result/redact_table.h"

#define BLANKS_MAX 16    /* around a separator */
#define VALUE_MAX 2048   /* bytes of a value */
#define ANY_MIN 4        /* bytes of a password */
#define LOOSE_MIN 6      /* ... where the text may be source code */
#define DATA_MIN 8
#define PATH_START "/~."

struct named_value { /* a name with its value */
	const struct candidate *c;
	struct str name;         /* as far as it lies behind, with the last word */
	size_t from, to;         /* the value */
	char separator;          /* = : > or a blank */
	char quote;              /* around the value; 0: none */
	char end;                /* the character after the value; 0: the end of the text */
	bool key_quoted, tight;  /* tight: no blanks around the separator */
};

static bool is_at(const struct candidate *c, size_t at, const char *set)
{
	return at < c->text.n && c->text.p[at] && strchr(set, c->text.p[at]);
}

/* Compares a word of the table, in which _ stands for one separator or nothing. */
static enum found match_word(const struct candidate *c, const char *word, size_t *ret_to)
{
	size_t at = 0;

	for (; *word; word++) {
		if (*word == '_') {
			at += is_at(c, at, "_-. ");
			continue;
		}
		if (at >= c->text.n)
			return c->more ? FOUND_MORE : FOUND_NO;
		if (ascii_to_lower(c->text.p[at]) != *word)
			return FOUND_NO;
		at++;
	}
	*ret_to = at;
	return FOUND_YES;
}

/* True if the last characters are those of the word, in any case. */
static bool ends_like(struct str s, const char *word, size_t n)
{
	if (s.n < n)
		return false;
	for (; n && ascii_to_lower(s.p[s.n - 1]) == word[n - 1]; n--)
		s.n--;
	return !n;
}

/* True if one of the words stands before the last word of the name. */
static bool stands_after(struct str before, const char *words)
{
	if (!*words)
		return true;
	if (before.n && strchr("_-. ", before.p[before.n - 1]))
		before.n--;
	if (!before.n || !ascii_is_letter(before.p[before.n - 1]))
		return false;
	for (const char *from = words, *p = words;; p++) {
		if (*p && *p != ' ')
			continue;
		if (p > from && ends_like(before, from, (size_t)(p - from)))
			return true;
		if (!*p)
			return false;
		from = p + 1;
	}
}

/* The name so far: letters, digits and separators before the word; one blank between two words as well. */
static struct str name_behind(const struct candidate *c)
{
	size_t n = 0;

	while (n < c->behind) {
		char b = c->text.p[-(ptrdiff_t)n - 1];

		if (!ascii_is_name(b) && b != '-' && b != '.' && !(b == ' ' && n == 0))
			break;
		n++;
	}
	return str_n(c->text.p - n, n);
}

static char char_before(const struct named_value *n)
{
	size_t used = (size_t)(n->c->text.p - n->name.p);

	return used < n->c->behind ? n->name.p[-1] : used ? '\n' : n->c->before;
}

static size_t skip_blanks(const struct candidate *c, size_t at)
{
	return redact_run(c->text, at, " \t", BLANKS_MAX);
}

/* A quote, also as JSON escapes it. */
static size_t skip_quote(const struct candidate *c, size_t at, char *ret)
{
	size_t n = is_at(c, at, "\\") && is_at(c, at + 1, "\"'");

	if (!is_at(c, at + n, "\"'`"))
		return 0;
	*ret = c->text.p[at + n];
	return n + 1;
}

/* ---- the separator ---- */

static enum found find_separator(struct named_value *n, size_t *at)
{
	const struct candidate *c = n->c;
	size_t blanks;
	char quote = 0;

	*at += skip_quote(c, *at, &quote);
	n->key_quoted = quote;
	*at += is_at(c, *at, "]");
	blanks = skip_blanks(c, *at);
	*at += blanks;
	if (candidate_open(c, *at) || candidate_open(c, *at + 1))
		return FOUND_MORE;
	if (is_at(c, *at, ":=")) {
		n->separator = c->text.p[*at];
		if (c->text.p[*at] == '=' && is_at(c, *at + 1, "=~"))
			return FOUND_NO; /* a comparison */
		if (c->text.p[*at] == ':' && is_at(c, *at + 1, ":"))
			return FOUND_NO;
		*at += is_at(c, *at + 1, "=>") ? 2 : 1;
	} else if (is_at(c, *at, ">") && char_before(n) == '<') {
		n->separator = '>';
		++*at;
	} else if (blanks && !quote && str_starts(n->name, "--")) {
		n->separator = ' ';
	} else {
		return FOUND_NO;
	}
	n->tight = !blanks;
	blanks = n->separator == '>' ? 0 : skip_blanks(c, *at);
	n->tight &= !blanks;
	*at += blanks;
	return candidate_open(c, *at) || candidate_open(c, *at + 1) ? FOUND_MORE : FOUND_YES;
}

/* ---- the value ---- */

/* The end of a quoted value; 0: the quote is not closed on its line. */
static enum found quoted_end(struct named_value *n, size_t *ret)
{
	struct str s = n->c->text;
	size_t at = n->from;

	for (; at < s.n && at - n->from < VALUE_MAX && s.p[at] != '\n'; at++) {
		if (s.p[at] != n->quote)
			continue;
		*ret = at - (at > n->from && s.p[at - 1] == '\\');
		return FOUND_YES;
	}
	return candidate_open(n->c, at) && at - n->from < VALUE_MAX ? FOUND_MORE : FOUND_NO;
}

/* A comma or semicolon inside of a word does not end a value: the rest of a password must not stay. */
static bool ends_value(const struct candidate *c, size_t at)
{
	char x = c->text.p[at];

	if ((unsigned char)x <= ' ' || strchr("\"'`<>(){}[]|\\&", x))
		return true;
	return (x == ',' || x == ';') && (at + 1 >= c->text.n || (unsigned char)c->text.p[at + 1] <= ' ' ||
			strchr("\"'`<>(){}[]|\\&,;", c->text.p[at + 1]) || c->command || x == ';');
}

static enum found plain_end(struct named_value *n, size_t *ret)
{
	const struct candidate *c = n->c;
	size_t at = n->from;

	while (at < c->text.n && at - n->from < VALUE_MAX) {
		if (c->text.p[at] == ',' && candidate_open(c, at + 1))
			return FOUND_MORE;
		if (ends_value(c, at))
			break;
		at++;
	}
	if (candidate_open(c, at) && at - n->from < VALUE_MAX)
		return FOUND_MORE;
	n->end = at < c->text.n ? c->text.p[at] : 0;
	while (at > n->from && strchr(".,;:", c->text.p[at - 1]))
		at--;
	*ret = at;
	return FOUND_YES;
}

static enum found find_value(struct named_value *n, size_t at)
{
	size_t quote = skip_quote(n->c, at, &n->quote);
	enum found f;

	n->from = at + quote;
	if (quote) {
		f = quoted_end(n, &n->to);
		if (f != FOUND_NO)
			return f;
		n->quote = 0;
	}
	f = plain_end(n, &n->to);
	return f == FOUND_YES && n->to <= n->from ? FOUND_NO : f;
}

/* ---- is it a secret? ---- */

static bool is_path(struct str v)
{
	return strchr(PATH_START, v.p[0]) && (v.p[0] == '/' || str_starts(v, "./") || str_starts(v, "../") ||
			str_starts(v, "~/"));
}

static bool all_upper(struct str s)
{
	bool letter = false;

	for (size_t i = 0; i < s.n; i++) {
		if (ascii_is_lower(s.p[i]))
			return false;
		letter |= ascii_is_upper(s.p[i]);
	}
	return letter;
}

/* A call, or an element. */
static bool ends_in_code(const struct named_value *n) { return !n->quote && n->end && strchr("([{", n->end); }

static bool has_other(struct str v) /* anything but letters */
{
	for (size_t i = 0; i < v.n; i++)
		if (!ascii_is_letter(v.p[i]))
			return true;
	return false;
}

/* Values that are no passwords wherever they stand. */
static bool is_other_text(struct str v)
{
	if (v.n < ANY_MIN || str_find(v, ' ', 0) >= 0 || is_path(v) || str_contains(v, STR("://")))
		return true;
	return (str_contains_nocase(v, "passw") || str_contains_nocase(v, "pwd")) && redact_identifier(v);
}

/* True where source code is unlikely: options, parameters, XML, variables of the environment. */
static bool is_no_code(const struct named_value *n)
{
	char before = char_before(n);

	if (str_starts(n->name, "--") || before == '?' || before == '&' || n->separator == '>')
		return true;
	/* NAME=value, and a part of a connection string */
	return n->separator == '=' && n->tight && (all_upper(n->name) || n->end == ';');
}

/* A password without quotes. */
static bool is_plain_password(const struct named_value *n, struct str v)
{
	bool words = redact_identifier(v) && (str_find(v, '_', 0) >= 0 || str_find(v, '.', 0) >= 0);

	if (ends_in_code(n) || (n->separator == '>' && n->end != '<') ||
			(n->separator == ' ' && v.p[0] == '-'))
		return false;
	if (is_no_code(n))
		return true;
	if (v.n < LOOSE_MIN || str_is_digits(v) || words)
		return false;
	if (n->separator == '=' && n->tight && !has_other(v))
		return n->end != ')' && n->end != ',';
	return has_other(v);
}

/* A password: everything but placeholders, paths, words about passwords and source code. */
static bool is_password(const struct named_value *n, struct str v)
{
	if (is_other_text(v))
		return false;
	return n->quote ? n->separator != ':' || n->key_quoted || has_other(v) : is_plain_password(n, v);
}

static bool is_data(struct str v)
{
	bool upper = false, lower = false;
	size_t n = 0;

	for (; n < v.n && redact_in_set("A-Za-z0-9+/=_-", v.p[n]); n++) {
		upper |= ascii_is_upper(v.p[n]);
		lower |= ascii_is_lower(v.p[n]);
	}
	return n == v.n && n >= DATA_MIN && upper && lower && !redact_identifier(v);
}

static bool is_secret(const struct named_value *n, const struct secret_name *row)
{
	struct str v = str_sub(n->c->text, n->from, n->to);

	switch (row->value) {
	case VALUE_ANY: return is_password(n, v) && !redact_placeholder(v);
	case VALUE_DATA: return is_data(v) && !redact_placeholder(v);
	default:
		return !is_path(v) && !str_contains(v, STR("://")) && !ends_in_code(n) && redact_random(v) &&
				!redact_placeholder(v);
	}
}

/* A value of a form that this vendor's secrets have. */
static const char *vendor_kind(const struct named_value *n)
{
	struct str v = str_sub(n->c->text, n->from, n->to);
	struct candidate value = {.text = v};

	if (redact_identifier(v))
		return NULL;
	for (size_t i = 0; i < secret_nvendors; i++) {
		const struct secret_vendor *row = &secret_vendors[i];
		size_t to = 0;

		if (str_contains_nocase(n->name, secret_text(row->near)) && redact_steps(&value, 0,
				secret_steps + row->step, row->nsteps, &to) == FOUND_YES && to == v.n &&
				!redact_placeholder(v))
			return secret_text(row->kind);
	}
	return NULL;
}

/* A form of its own tells more than the name. */
static enum found find_form(const struct named_value *n, struct match *ret)
{
	struct candidate value = *n->c;
	enum found f;

	value.text = str_sub(n->c->text, n->from, n->c->text.n);
	value.before = '=';
	value.behind = 0;
	f = redact_forms_at(&value, ret);
	if (f != FOUND_YES)
		return f;
	ret->from += n->from;
	ret->to += n->from;
	return f;
}

static enum found judge_value(struct named_value *n, const struct secret_name *row, struct match *ret)
{
	enum found f = find_form(n, ret);
	const char *vendor;

	if (f != FOUND_NO)
		return f;
	vendor = vendor_kind(n);
	if (!vendor && !is_secret(n, row))
		return FOUND_NO;
	*ret = (struct match){vendor ? vendor : secret_text(row->kind), n->from, n->to};
	if (n->c->command)
		ret->to = n->from + redact_neutral(str_sub(n->c->text, n->from, n->to));
	return ret->to > ret->from ? FOUND_YES : FOUND_NO;
}

static enum found match_name(const struct secret_name *row, const struct candidate *c, struct match *ret)
{
	struct named_value n = {.c = c};
	struct str before;
	size_t at = 0;
	enum found f = match_word(c, secret_text(row->word), &at);

	if (f != FOUND_YES)
		return f;
	at += redact_run(c->text, at, "0-9", 2);
	if (candidate_open(c, at))
		return FOUND_MORE;
	if (at < c->text.n && (ascii_is_name(c->text.p[at]) || c->text.p[at] == '-'))
		return FOUND_NO; /* the name goes on: password_file, token-count */
	before = name_behind(c);
	n.name = str_n(before.p, before.n + at);
	f = find_separator(&n, &at); /* first, since most words have none */
	if (f != FOUND_NO && !stands_after(before, secret_text(row->after)))
		return FOUND_NO;
	if (f == FOUND_YES)
		f = find_value(&n, at);
	return f == FOUND_YES ? judge_value(&n, row, ret) : f;
}

enum found redact_names_at(const struct candidate *c, struct match *ret)
{
	uint32_t start = redact_start(c->text);
	uint16_t next = redact_next(c->text);

	for (size_t i = redact_first_row(secret_name_starts, secret_nnames, start); i < secret_nnames; i++) {
		enum found f;

		if (start && secret_name_starts[i] != start)
			break;
		if (!redact_may_match(secret_name_next[i], next))
			continue;
		f = match_name(&secret_names[i], c, ret);
		if (f != FOUND_NO)
			return f;
	}
	return FOUND_NO;
}
