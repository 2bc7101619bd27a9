/*
 * libFuzzer: lexer and parser. The first byte chooses dialect and extglob, the rest is the text.
 * Holds: no crash, no leak, an end (fuel and depth are bounded), ranges inside the text, memory linear in the
 * text.
 */
#include <stdlib.h>

#include "shell/parse.h"

#define TEXT_MAX 8192
#define MEMORY_PER_BYTE 16384 /* far above what is used: catches growth that is not linear */

static void check_word(const struct syn_word *w, size_t n)
{
	for (; w; w = w->next)
		if (w->at.from > w->at.to || w->at.to > n)
			abort();
}

static void check_node(const struct syn_node *node, size_t n)
{
	for (; node; node = node->next) {
		if (node->at.from > node->at.to || node->at.to > n)
			abort();
		check_word(node->words, n);
		for (const struct syn_redir *r = node->redirs; r; r = r->next)
			if (r->at.from > r->at.to || r->at.to > n || (!r->target && r->op != REDIR_HERE))
				abort();
		check_node(node->first, n);
		check_node(node->cond, n);
		check_node(node->body, n);
		check_node(node->orelse, n);
		for (const struct syn_clause *c = node->clauses; c; c = c->next)
			check_node(c->body, n);
	}
}

struct input {
	struct arena *a;
	enum dialect dialect;
	bool extglob;
	struct str text;
};

static int run(void *arg)
{
	struct input *in = arg;
	uint64_t fuel = 1 << 22;
	struct syn_node *n = NULL;
	struct parser p;
	enum parse_result r;

	parser_init(&p, in->a, in->dialect, in->text, 0, &fuel);
	p.extglob = in->extglob;
	for (size_t before = 0;; before = p.pos) {
		r = parse_line(&p, &n);
		if (r != PARSE_LINE)
			break;
		if (p.pos <= before) /* every line takes something away, or a reader would never end */
			abort();
		check_node(n, in->text.n);
		n = NULL;
	}
	if ((r == PARSE_ERROR || r == PARSE_BOUND) && (!p.error || p.error_at > in->text.n))
		abort();
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const enum dialect dialects[] = {DIALECT_BASH, DIALECT_SH, DIALECT_ZSH, DIALECT_BASH};
	struct arena a;
	struct input in;

	if (size < 1 || size > TEXT_MAX)
		return 0;
	in = (struct input){&a, dialects[data[0] & 3], data[0] & 4, str_n((const char *)data + 1, size - 1)};
	arena_init(&a, (size_t)1 << 20 | (size * MEMORY_PER_BYTE));
	if (arena_run(&a, run, &in) == ARENA_FULL)
		abort();
	arena_free(&a);
	return 0;
}
