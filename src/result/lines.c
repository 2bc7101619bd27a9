/* Lines and words of an output. */
#include "result/lines.h"

#include "base/num.h"

bool lines_next(struct lines *l, struct str *ret)
{
	struct str rest = str_from(l->text, l->at);

	if (!rest.n)
		return false;
	*ret = str_cut(&rest, '\n');
	l->at = l->text.n - rest.n;
	if (str_ends(*ret, "\r"))
		ret->n--;
	return true;
}

struct str lines_trim(struct str s)
{
	while (s.n && ascii_is_blank(s.p[0]))
		s.p++, s.n--;
	while (s.n && ascii_is_blank(s.p[s.n - 1]))
		s.n--;
	return s;
}

struct str lines_trim_char(struct str s, char c)
{
	while (s.n && (s.p[0] == c || ascii_is_blank(s.p[0])))
		s.p++, s.n--;
	while (s.n && (s.p[s.n - 1] == c || ascii_is_blank(s.p[s.n - 1])))
		s.n--;
	return s;
}

bool lines_blank(struct str s) { return lines_trim(s).n == 0; }

bool scan_text(struct scan *c, const char *text)
{
	if (!str_starts(scan_rest(c), text))
		return false;
	c->at += strlen(text);
	return true;
}

static size_t count_digits(const struct scan *c, size_t from)
{
	size_t i = from;

	while (i < c->s.n && ascii_is_digit(c->s.p[i]))
		i++;
	return i - from;
}

bool scan_count(struct scan *c, int64_t *ret)
{
	size_t n = count_digits(c, c->at);

	if (!n || num_parse(str_sub(c->s, c->at, c->at + n), 0, COUNT_MAX, ret) < 0)
		return false;
	c->at += n;
	return true;
}

bool scan_seconds(struct scan *c)
{
	size_t n = count_digits(c, c->at), more;

	if (!n)
		return false;
	if (c->at + n < c->s.n && c->s.p[c->at + n] == '.') {
		more = count_digits(c, c->at + n + 1);
		if (!more)
			return false;
		n += 1 + more;
	}
	c->at += n;
	return true;
}

bool scan_blanks(struct scan *c)
{
	size_t from = c->at;

	while (c->at < c->s.n && ascii_is_blank(c->s.p[c->at]))
		c->at++;
	return c->at > from;
}

bool scan_word(struct scan *c, struct str *ret)
{
	size_t i = c->at;

	while (i < c->s.n && (ascii_is_letter(c->s.p[i]) || c->s.p[i] == '-'))
		i++;
	if (i == c->at)
		return false;
	*ret = str_sub(c->s, c->at, i);
	c->at = i;
	return true;
}
