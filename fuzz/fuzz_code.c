/*
 * libFuzzer: the readers of inline code. The first byte chooses the language, the rest is the code.
 * Holds: no crash, no leak, an end, and well-formed facts: ranges inside their texts, exact words without
 * holes, runs that have something to run, and code that is complete only when it was parsed and nothing in it
 * is marked as not known (in PowerShell a marker may also name what was recognised).
 */
#include <stdlib.h>

#include "code/code.h"
#include "fuzz.h"

#define TEXT_MAX 4096
#define SNIPPETS_MAX 16 /* code in code that is followed */

static void check_word(const struct word *w)
{
	if (w->kind > WORD_REST || (w->kind == WORD_EXACT && !text_exact(w->text)))
		abort();
}

static void check_code(const struct facts *f, const struct snippet *s)
{
	const struct code *c = s->code;

	if (c->complete && (!c->parsed || (c->markers && s->lang != LANG_POWERSHELL)))
		abort();
	for (const struct code_call *x = c->calls; x; x = x->next) {
		check_span(f, x->at);
		for (size_t i = 0; i < x->nargs; i++)
			check_word(&x->args[i]);
	}
	for (const struct code_import *x = c->imports; x; x = x->next)
		check_span(f, x->at);
	for (const struct code_marker *x = c->markers; x; x = x->next) {
		if (!x->id)
			abort();
		check_span(f, x->at);
	}
}

static void check_facts(const struct facts *f)
{
	for (const struct access *x = f->accesses; x; x = x->next) {
		if (x->kind > ACCESS_EXEC || (!x->by && x->cause == CAUSE_COMMAND))
			abort();
		check_word(&x->path);
		check_span(f, x->at);
	}
	for (const struct touch *x = f->touches; x; x = x->next) {
		check_word(&x->host);
		check_span(f, x->at);
	}
}

static void check_runs(const struct facts *f, const struct code_run *runs)
{
	for (const struct code_run *r = runs; r; r = r->next) {
		if (!r->argc && !r->text.n)
			abort();
		for (size_t i = 0; i < r->argc; i++)
			check_word(&r->argv[i]);
		check_span(f, r->at);
	}
}

/* The request's text, and in it the snippet. */
static int read_all(void *arg)
{
	struct arena *a = ((void **)arg)[0];
	const struct snippet *first = ((void **)arg)[1];
	struct view view = {.cwd = STR("/w"), .home = STR("/home/u"), .user = STR("u"), .tmp = STR("/tmp")};
	struct facts *f = arena_new(a, struct facts);
	struct snippet *s = arena_new(a, struct snippet);
	unsigned n = 0;

	facts_init(f);
	f->texts = arena_new(a, struct text);
	f->texts[0] = (struct text){.bytes = first->text.text};
	f->ntexts = f->texts_cap = 1;
	*s = *first;
	*f->snippets_end = s;
	f->snippets_end = &s->next;
	for (; s && n < SNIPPETS_MAX; s = s->next, n++) {
		struct code_run *runs = NULL;

		if (s->text.kind != WORD_EXACT)
			continue;
		code_read(a, f, s, &view, &runs);
		check_code(f, s);
		check_runs(f, runs);
	}
	check_facts(f);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const enum lang languages[] = {LANG_PYTHON, LANG_JAVASCRIPT, LANG_POWERSHELL, LANG_PERL,
		LANG_RUBY, LANG_PHP, LANG_LUA, LANG_PERL_PATTERN, LANG_AWK};
	struct snippet s = {0};
	struct arena a;

	if (size < 1 || size > TEXT_MAX)
		return 0;
	s.lang = languages[data[0] % (ARRAY_SIZE(languages))];
	s.text = (struct word){.kind = WORD_EXACT, .text = str_n((const char *)data + 1, size - 1)};
	s.cwd = STR("/w");
	if (!text_exact(s.text.text))
		return 0; /* such bytes are holes, and code with holes is not read */
	arena_init(&a, (size_t)128 << 20);
	arena_run(&a, read_all, (void *[]){&a, &s});
	arena_free(&a);
	return 0;
}
