/* The notation of network requests. See network_request.h. */
#include "model/network_request.h"

static struct texts *split_words(struct arena *a, struct str text, size_t *ret_n)
{
	struct texts *first = NULL, **end = &first;

	for (size_t from = 0; from <= text.n; ++*ret_n) {
		size_t comma = str_end(text, ',', from);
		struct str word = str_sub(text, from, comma);

		end = texts_add(a, end, str_trim(word, " \t"));
		from += word.n + 1;
	}
	return first;
}

static bool is_preset(struct str word)
{
	const size_t prefix = sizeof("preset:") - 1;
	struct str name = str_starts(word, "preset:") ? str_from(word, prefix) : STR("");

	for (size_t i = 0; i < name.n; i++)
		if (!ascii_is_lower(name.p[i]) && !ascii_is_digit(name.p[i]) && !strchr("-/", name.p[i]))
			return false;
	return name.n > 0;
}

int network_word_check(struct arena *a, struct str word, struct err *e)
{
	struct network_rule rule;

	return is_preset(word) ? 0 : network_rule_parse(a, word, &rule, e);
}

int network_request_parse(struct arena *a, struct str text, struct network_request *ret, struct err *e)
{
	struct network_spec mode;
	size_t n = 0;
	struct texts *words;

	if (network_parse(text, &mode) == 0) {
		*ret = (struct network_request){.given = true, .mode = mode.mode};
		return 0;
	}
	words = split_words(a, text, &n);
	if (n > NETWORK_WORDS_MAX)
		return err_input(e, "more than %d words", NETWORK_WORDS_MAX);
	for (const struct texts *t = words; t; t = t->next) {
		if (!t->text.n)
			return err_input(e,
					"expected deny, loopback, host, or names of hosts with commas "
					"between them");
		if (network_parse(t->text, &mode) == 0)
			return err_input(e, "'%.*s' cannot be combined with other words", STR_ARG(t->text));
	}
	*ret = (struct network_request){.given = true, .words = words};
	return 0;
}

struct network_request network_request_of(struct texts *words)
{
	struct network_spec mode;

	if (!words)
		return (struct network_request){0};
	if (!words->next && network_parse(words->text, &mode) == 0)
		return (struct network_request){.given = true, .mode = mode.mode};
	return (struct network_request){.given = true, .words = words};
}

struct str network_request_text(struct arena *a, const struct network_request *n)
{
	struct buf b;

	if (!n->given)
		return STR("");
	if (!n->words)
		return str_of(network_name(&(struct network_spec){.mode = n->mode}));
	buf_init(&b, a, 0);
	for (const struct texts *t = n->words; t; t = t->next)
		buf_fmt(&b, "%s%.*s", b.n ? "," : "", STR_ARG(t->text));
	return buf_view(&b);
}

bool network_request_is_host(const struct network_request *n)
{
	return n->given && !n->words && !network_isolated(&(struct network_spec){.mode = n->mode});
}
