/* See registry_settings.h. Pure. */
#include "run/registry_settings.h"

#include "knowledge/variables.h"
#include "run/registry_hosts.h"

#define VALUE_MAX 512   /* bytes of a line */
#define TOKEN_MIN 16    /* letters and digits of a part that may be a token */
#define TOKEN_DIGITS 6  /* digits of one with dashes */

struct settings_filter {
	struct arena *a;
	struct str patterns;
	const struct network_rule *rules;
	struct str section; /* header that is not in `out` yet */
	bool kept;          /* the line before was kept; an indented one belongs to it */
	struct buf out;
};

static bool is_allowed(const struct settings_filter *f, const struct texts *hosts)
{
	struct network_rule wanted;

	for (; hosts; hosts = hosts->next) {
		const struct network_rule *r = f->rules;

		if (network_rule_parse(f->a, hosts->text, &wanted, NULL) != 0)
			return false;
		while (r && !network_rule_covers(r, &wanted))
			r = r->next;
		if (!r)
			return false;
	}
	return true;
}

/*
 * True if the value has a known form of a credential, or a long part that mixes letters and digits outside of
 * the names of hosts: some registries have a token in the path.
 */
static bool may_be_secret(struct str key, struct str value)
{
	size_t letters = 0, digits = 0, word = 0; /* of this part; word: characters since a dash */

	for (size_t i = 0; i < value.n; i++) {
		char c = value.p[i];

		if (i >= 2 && str_eq(str_sub(value, i - 2, i + 1), STR("://")))
			while (i + 1 < value.n && value.p[i + 1] != '/')
				i++;
		if (!ascii_is_name(c) && c != '-')
			letters = digits = 0;
		letters += ascii_is_letter(c);
		digits += ascii_is_digit(c);
		word = ascii_is_alnum(c) ? word + 1 : 0;
		if ((word >= TOKEN_MIN && letters && digits) ||
				(letters + digits >= TOKEN_MIN && digits >= TOKEN_DIGITS))
			return true;
	}
	return var_secret(key, value);
}

static struct str without_userinfo(struct arena *a, struct str line)
{
	struct buf b;

	buf_init(&b, a, 0);
	for (size_t i = 0; i < line.n; i++) {
		buf_char(&b, line.p[i]);
		if (i >= 2 && str_eq(str_sub(line, i - 2, i + 1), STR("://")))
			i += registry_userinfo(str_from(line, i + 1));
	}
	return buf_view(&b);
}

/* Appends the line, after the header of its section. False if it must not be shown. */
static bool keep_line(struct settings_filter *f, struct str key, struct str line)
{
	struct registry_text t = {.text = line, .keys = STR("*")};
	struct texts *hosts = NULL;

	line = without_userinfo(f->a, line);
	if (line.n > VALUE_MAX || may_be_secret(key, str_from(line, key.n)))
		return false;
	if (str_contains(line, STR("://")) && (registry_hosts(f->a, &t, &hosts) != 0 || !hosts ||
			!is_allowed(f, hosts)))
		return false;
	if (f->section.n)
		buf_fmt(&f->out, "%.*s\n", STR_ARG(f->section));
	f->section = STR("");
	f->kept = true;
	buf_fmt(&f->out, "%.*s\n", STR_ARG(line));
	return true;
}

static bool take_line(struct settings_filter *f, struct str line)
{
	struct str trimmed = str_trim(line, " \t\r");
	ptrdiff_t url = -1;
	struct str key;

	if (!trimmed.n || strchr("#;", trimmed.p[0]))
		return true;
	for (size_t i = 0; i < line.n && url < 0; i++)
		url = str_starts(str_from(line, i), "://") ? (ptrdiff_t)i : -1;
	if (f->kept && ascii_is_blank(line.p[0]) && url >= 0)
		return keep_line(f, STR(""), line);
	f->kept = false;
	key = registry_key(url < 0 ? line : str_first(line, (size_t)url));
	if (str_starts(trimmed, "[") && str_ends(trimmed, "]") && !key.n)
		f->section = trimmed;
	else if (key.n && registry_key_counts(f->patterns, key))
		return keep_line(f, key, line);
	return true;
}

bool registry_settings(struct arena *a, struct str text, struct str patterns,
		const struct network_rule *rules, struct str *ret)
{
	struct settings_filter f = {.a = a, .patterns = patterns, .rules = rules};

	buf_init(&f.out, a, 0);
	for (size_t from = 0; from < text.n;) {
		size_t to = str_end(text, '\n', from);

		if (!take_line(&f, str_sub(text, from, to)))
			return false;
		from = to + 1;
	}
	*ret = buf_view(&f.out);
	return f.out.n > 0;
}
