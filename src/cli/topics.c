/* The pages of the documentation that the program carries: `caisson help TOPIC`. */
#include "base/ascii.h"
#include "base/embedded.h"
#include "base/near.h"
#include "base/wrap.h"
#include "cli/cli.h"
#include "cli/page.h"

#define TITLE_COLUMN 18
#define WIDTH_MAX 100 /* of the lines of a page on a terminal */
#define CODE_INDENT 4 /* lines that begin with as many blanks are code, or go on with a list */

static const struct topic {
	char name[16], title[56];
} topics[] = {
#define TOPIC(array, name, title) {name, title},
	EMBEDDED_PAGES(TOPIC)
#undef TOPIC
};

static struct str page_text(size_t i)
{
	size_t at = 0;

#define TOPIC(array, name, title) \
	if (at++ == i) \
		return str_n((const char *)array, array##_n);
	EMBEDDED_PAGES(TOPIC)
#undef TOPIC
	return STR("");
}

/* "run" is a command and a page; "run.md" and "docs/run.md" name the page. */
static struct str topic_name(const char *word)
{
	struct str s = str_of(word);

	str_take(&s, "docs/");
	if (str_ends(s, ".md"))
		s.n -= strlen(".md");
	return s;
}

bool topic_is(const char *word)
{
	return STR_ROW(topics, name, topic_name(word)) >= 0;
}

/* The column under which a paragraph, an item of a list or a row of a table goes on. */
static size_t hanging_indent(struct str line)
{
	size_t n = 0;

	while (n < line.n && line.p[n] == ' ')
		n++;
	if (str_starts(str_from(line, n), "- ") || str_starts(str_from(line, n), "| "))
		return n + 2;
	if (n < line.n && ascii_is_digit(line.p[n]) && str_contains(str_sub(line, n, n + 4), STR(". ")))
		return n + 3;
	return n;
}

/* The lines of a page may be long. On a terminal they are broken at blanks, but for code. */
static void put_page(struct page *p, struct arena *a, struct str text)
{
	size_t width = p->width < WIDTH_MAX ? p->width : WIDTH_MAX;
	bool code = false;
	struct buf b;

	buf_init(&b, a, 0);
	for (size_t at = 0; p->terminal && at < text.n;) {
		struct str line = str_sub(text, at, str_end(text, '\n', at));
		size_t indent = hanging_indent(line);

		at += line.n + 1;
		code ^= str_starts(line, "```");
		buf_str(&b, str_first(line, indent));
		if (code || indent >= CODE_INDENT || line.n <= width)
			buf_fmt(&b, "%.*s\n", STR_ARG(str_from(line, indent)));
		else
			buf_wrapped(&b, str_c(a, str_from(line, indent)), indent, indent, width);
	}
	page_put(p, p->terminal ? buf_view(&b) : text);
}

int topic_print(struct arena *a, const char *word)
{
	struct page p;

	page_begin(&p, a, true);
	for (size_t i = 0; i < ARRAY_SIZE(topics); i++)
		if (str_is(topic_name(word), topics[i].name))
			put_page(&p, a, page_text(i));
	return page_end(&p);
}

void topics_try(struct near *guess)
{
	for (size_t i = 0; i < ARRAY_SIZE(topics); i++)
		near_try(guess, topics[i].name);
}

void topics_list(struct buf *b)
{
	buf_c(b, "Pages, printed by `caisson help TOPIC`; where a command has the same name, by\n"
			"`caisson help TOPIC.md`:\n");
	for (size_t i = 0; i < ARRAY_SIZE(topics); i++)
		buf_fmt(b, "  %-*s%s\n", TITLE_COLUMN, topics[i].name, topics[i].title);
}
