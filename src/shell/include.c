/*
 * Files that a source text includes. A compiler copies an included file into its output or into its error
 * messages, so `#include ".env"` reads a secret. Only text inside the request is scanned: known standard
 * input, and files that the request writes (content.c).
 *
 * Every quoted text in a line with a directive counts as a name; macros, comments and conditions add no
 * others.
 */
#include "shell/eval.h"

/*
 * Emits every text of one line between two quotes, even if the first one closes a string, and every text in
 * <...>.
 */
static void names_in(struct eval *e, struct str line, struct span at, const char *op)
{
	for (size_t i = 0; i < line.n; i++) {
		char close = line.p[i] == '"' ? '"' : line.p[i] == '<' ? '>' : 0;
		ptrdiff_t end = close ? str_find(line, close, i + 1) : -1;
		struct str name = str_sub(line, i + 1, end < 0 ? i + 1 : (size_t)end);
		if (str_ends(name, "\\")) /* \" inside a string */
			name.n--;
		if (name.n)
			emit_access(e, ACCESS_READ, word_of(name, at), false, op, at);
	}
}

static bool is_directive(struct str line)
{
	line = str_trim(line, " \t\v\f\r");
	bool preprocessor = str_starts(line, "#") || str_starts(line, "%:") || str_starts(line, "?\?=");
	bool assembler = str_starts(line, ".include") || str_starts(line, ".macro");
	return preprocessor || assembler || str_contains(line, STR("incbin")) || str_starts(line, "/*");
}

static void read_source(struct eval *e, struct str text, struct span at, const char *op)
{
	struct buf b;
	buf_init(&b, e->a, 0);
	eval_burn(e, text.n / 16 + 1);
	for (size_t i = 0; i < text.n; i++) /* a backslash at the end of a line joins it with the next line */
		if (text.p[i] == '\\' && i + 1 < text.n && text.p[i + 1] == '\n')
			i++;
		else
			buf_char(&b, text.p[i]);
	struct str all = buf_view(&b);
	for (size_t from = 0; from < all.n;) {
		size_t nl = str_end(all, '\n', from);
		struct str line = str_sub(all, from, nl);
		if (is_directive(line))
			names_in(e, line, at, op);
		from += line.n + 1;
	}
}

void includes_read(struct eval *e, const char *op, const struct word *argv, size_t argc)
{
	struct str text;
	if (e->s.in.known)
		read_source(e, e->s.in.rest, argv[0].at, op);
	for (size_t i = 1; i < argc; i++) {
		if (pipe_text(e, &argv[i], &text))
			read_source(e, text, argv[0].at, op);
		for (size_t k = 0; content_text(e, argv[i], k, &text); k++)
			read_source(e, text, argv[0].at, op);
	}
}
