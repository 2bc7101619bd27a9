/* Shared by the files known_output*.c: the call as a row sees it, and small helpers. */
#pragma once
#include "shell/known_output.h"

#define OUTPUT_MAX ((size_t)1 << 20) /* bytes; a longer output is unknown */

struct output_call {
	struct arena *a;
	const struct output_env *env;
	const struct word *argv; /* without the command's name */
	size_t argc;
};

typedef bool output_fn(const struct output_call *c, struct str *ret);

output_fn output_base64, output_base32, output_xxd, output_tr, output_rev, output_tac, output_cut,
		output_head, output_tail;

static inline bool output_exact(const struct output_call *c)
{
	for (size_t i = 0; i < c->argc; i++)
		if (!text_exact(word_abstract(&c->argv[i])))
			return false;
	return true;
}

/* Standard input, if it is known exactly. */
static inline bool output_input(const struct output_call *c, struct str *ret)
{
	if (!c->env->in || !text_exact(*c->env->in) || c->env->in->n > OUTPUT_MAX)
		return false;
	*ret = *c->env->in;
	return true;
}

/* A byte of a real output: 0, 1 and 2 are holes in abstract text. */
static inline void output_byte(struct buf *b, unsigned char c)
{
	buf_char(b, text_hole((char)c) ? HOLE_ANY : (char)c);
}

/*
 * Returns the line that starts at *at, without its newline, and moves *at past it. *ret_ended: it ended with
 * a newline.
 */
static inline struct str output_line(struct str s, size_t *at, bool *ret_ended)
{
	ptrdiff_t nl = str_find(s, '\n', *at);
	struct str line = str_sub(s, *at, nl < 0 ? s.n : (size_t)nl);

	*ret_ended = nl >= 0;
	*at = nl < 0 ? s.n : (size_t)nl + 1;
	return line;
}
