/*
 * libFuzzer: the whole shell reader. The first byte chooses the dialect, the rest is the text.
 * Holds: no crash, no leak, an end, and well-formed facts: lists that end, ranges inside their texts, words
 * of a known kind, exact words without holes, and a trouble whenever the facts are not complete.
 */
#include <stdlib.h>

#include "fuzz.h"
#include "shell/shell.h"

#define TEXT_MAX 4096

static void check_words(const struct facts *f, const struct word *w, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (w[i].kind > WORD_REST || (w[i].kind == WORD_EXACT && !text_exact(w[i].text)))
			abort();
		check_span(f, w[i].at);
	}
}

static void check_facts(const struct facts *f)
{
	if (!f->complete && !f->troubles)
		abort();
	for (const struct command *c = f->commands; c; c = c->next) {
		if (c->argc && !c->argv)
			abort();
		check_words(f, c->argv, c->argc);
		check_span(f, c->at);
	}
	for (const struct access *x = f->accesses; x; x = x->next) {
		check_words(f, &x->path, 1);
		check_span(f, x->at);
	}
	for (const struct trouble *t = f->troubles; t; t = t->next) {
		if (t->kind >= TROUBLE_KINDS || !t->message)
			abort();
		check_span(f, t->at);
	}
	for (size_t i = 1; i < f->ntexts; i++)
		if (f->texts[i].in >= i) /* a text is derived from an earlier one */
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const enum dialect dialects[] = {DIALECT_BASH, DIALECT_SH, DIALECT_ZSH, DIALECT_BASH};
	struct view view = {.cwd = STR("/w"), .home = STR("/home/u"), .user = STR("u")};
	struct facts facts = {0};
	struct shell_request rq;
	struct arena a;
	struct err e;

	if (size < 1 || size > TEXT_MAX)
		return 0;
	rq = (struct shell_request){.text = str_n((const char *)data + 1, size - 1),
			.dialect = dialects[data[0] & 3], .view = &view};
	arena_init(&a, (size_t)128 << 20);
	if (shell_read(&a, &rq, &facts, &e) == 0)
		check_facts(&facts);
	arena_free(&a);
	return 0;
}
