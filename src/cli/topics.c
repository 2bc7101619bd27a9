/* The pages of the documentation that the program carries: `caisson help TOPIC`. */
#include "base/embedded.h"
#include "base/near.h"
#include "cli/cli.h"
#include "cli/page.h"

#define TITLE_COLUMN 18

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

int topic_print(struct arena *a, const char *word)
{
	struct page p;

	page_begin(&p, a, true);
	for (size_t i = 0; i < ARRAY_SIZE(topics); i++)
		if (str_is(topic_name(word), topics[i].name))
			page_put(&p, page_text(i));
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
