/*
 * `normalise`: strips parts of a command before prefixes are compared. A deny or ask rule is compared with
 * both the original and the stripped command, so nothing hides behind a stripped part or an unknown word. An
 * allow rule sees the stripped form only if all words are known.
 */
#include "base/regex.h"
#include "gate/tiers.h"

#define TEXT_MAX ((size_t)1 << 20) /* bytes of one command */
#define STRIPS_MAX 64              /* removals per command */
#define INNER_BLANK '\037'         /* a blank inside a word */
#define UNKNOWN '\036'             /* encloses the index of an unknown word */

/* Joins the words, with a blank after each. False if they are too long. */
static bool join_words(struct judge *j, const struct command *c, struct buf *b)
{
	buf_init(b, j->a, 0);
	for (size_t i = 0; i < c->argc; i++) {
		struct str w = c->argv[i].text;

		if (b->n + w.n > TEXT_MAX)
			return false;
		if (c->argv[i].kind != WORD_EXACT)
			buf_fmt(b, "%c%zu%c", UNKNOWN, i, UNKNOWN);
		for (size_t x = 0; x < w.n && c->argv[i].kind == WORD_EXACT; x++)
			buf_char(b, w.p[x] == ' ' ? INNER_BLANK : w.p[x]);
		buf_char(b, ' ');
	}
	return true;
}

/* Removes the matches of the regexes. False at a limit: there may be more matches. */
static bool strip_once(struct judge *j, const struct normalise_rule *n, struct str *text)
{
	for (size_t i = 0; i < STRIPS_MAX; i++) {
		const struct regex_rule *r = n->strip;
		enum regex_answer is = REGEX_NO;
		size_t from = 0, to = 0;

		for (; r; r = r->next) {
			is = regex_find_within(r->regex, *text, &from, &to, &j->work);
			if (is == REGEX_LIMIT)
				return false;
			if (is == REGEX_YES && from < to)
				break;
		}
		if (!r)
			return true;
		if (!tiers_afford(j, text->n / 8))
			return false;
		*text = str_cat(j->a, str_first(*text, from), str_from(*text, to));
	}
	return false;
}

/*
 * Maps a word of the text back to a word of the command: the original one, or an unknown word if only a part
 * of an unknown one is left.
 */
static struct word read_word(struct judge *j, const struct command *c, struct str text)
{
	struct word w = {.kind = WORD_EXACT, .text = text, .at = c->at};
	size_t at = 0, i = 1;
	char *copy;

	if (str_has(text, UNKNOWN)) {
		for (; i < text.n && ascii_is_digit(text.p[i]) && at < c->argc; i++)
			at = at * 10 + (size_t)(text.p[i] - '0');
		if (text.p[0] == UNKNOWN && i > 1 && i + 1 == text.n && text.p[i] == UNKNOWN &&
				at < c->argc && c->argv[at].kind != WORD_EXACT)
			return c->argv[at];
		return (struct word){.kind = WORD_UNKNOWN, .text = STR(""), .at = c->at};
	}
	if (str_has(text, INNER_BLANK)) {
		w.text = str_n(copy = str_c(j->a, text), text.n);
		for (i = 0; i < text.n; i++)
			copy[i] = copy[i] == INNER_BLANK ? ' ' : copy[i];
	}
	return w;
}

static const struct command *split_text(struct judge *j, const struct command *c, struct str text)
{
	struct command *k = arena_new(j->a, struct command);
	size_t from = 0;

	*k = *c;
	k->argc = 0;
	k->argv = arena_array(j->a, c->argc + 1, sizeof(*k->argv));
	while (from < text.n && k->argc < c->argc) {
		size_t to = str_end(text, ' ', from);

		if (to > from)
			k->argv[k->argc++] = read_word(j, c, str_sub(text, from, to));
		from = to + 1;
	}
	return k;
}

static bool all_known(const struct command *c)
{
	for (size_t i = 0; i < c->argc; i++)
		if (c->argv[i].kind != WORD_EXACT)
			return false;
	return true;
}

void tiers_normalise(struct judge *j, const struct command *c, struct normal *ret)
{
	bool known = all_known(c);

	*ret = (struct normal){.raw = c, .loose = c, .strict = c};
	for (const struct normalise_rule *n = j->p->normalise; n; n = n->next) {
		struct prefix_rule only = {.prefix = n->prefix};
		enum prefix_match m = tiers_afford(j, TIERS_RULE) ? rule_match(&only, ret->loose) : MATCH_NO;
		struct buf b;
		struct str text;

		if (m == MATCH_NO)
			continue;
		if (!join_words(j, ret->loose, &b)) {
			ret->cut = true;
			return;
		}
		text = buf_view(&b);
		ret->cut |= !strip_once(j, n, &text);
		ret->loose = split_text(j, ret->loose, text);
		if (known && m == MATCH_YES && !ret->cut)
			ret->strict = ret->loose;
	}
}

static bool same_program(struct str prefix, const struct command *c)
{
	ptrdiff_t blank = str_find(prefix, ' ', 0);

	return c->argc && str_eq(path_base(c->argv[0].text),
			blank < 0 ? prefix : str_first(prefix, (size_t)blank));
}

enum prefix_match normal_match(const struct normal *n, const struct prefix_rule *r)
{
	enum prefix_match m = rule_match(r, n->raw);

	if (m != MATCH_YES && n->loose != n->raw) {
		enum prefix_match other = rule_match(r, n->loose);

		m = other > m ? other : m;
	}
	return m == MATCH_NO && n->cut && same_program(r->prefix, n->raw) ? MATCH_MAYBE : m;
}
