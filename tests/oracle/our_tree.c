/*
 * Our parser's syntax tree in the canonical form of bash_tree.c, for the comparison in tests/run/tree.sh.
 *
 *     our_tree parse FILE...      for every file: "== FILE", one line per command of the top level,
 *                                 then "!! end" or "!! refused: why"
 *     our_tree canon              parses the words in bash_tree's output (standard input) and prints them in
 *                                 our form
 *
 * Bash keeps words as text, and $( ) in them as its own printing of the commands it parsed. So words are
 * compared by reading both texts with our parser: bash judges where words begin and end and what commands are
 * in them, and the two readings must agree.
 */
#include <stdio.h>
#include <stdlib.h>

#include "shell/parse.h"

#define INPUT_MAX ((size_t)1 << 30)

static struct arena arena;
static uint64_t fuel;
static const char *source; /* the text whose tree is being printed: assignments are kept as ranges of it */

static void put_node(const struct syn_node *n);
static void put_items(const struct syn_node *n);
static void put_parts(const struct syn_part *p, bool quoted);

static void put_bytes(char kind, struct str s)
{
	putchar(kind);
	putchar('"');
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '\n')
			fputs("\\n", stdout);
		else if (s.p[i] == '"' || s.p[i] == '\\')
			printf("\\%c", s.p[i]);
		else
			putchar(s.p[i]);
	}
	putchar('"');
}

/* ---- words ---- */

static void put_param(const struct syn_param *m, bool quoted)
{
	printf("(p %.*s", STR_ARG(m->name));
	if (m->length || m->indirect || m->unknown)
		printf(" %s%s%s", m->length ? "#" : "", m->indirect ? "!" : "", m->unknown ? "?" : "");
	if (m->subscripted && m->all)
		printf(" [%c]", m->all);
	else if (m->subscripted) {
		fputs(" [", stdout);
		put_parts(m->subscript, true);
		putchar(']');
	}
	if (m->op != PARAM_PLAIN) {
		printf(" op%d%s%c(", (int)m->op, m->colon ? ":" : "", m->letter ? m->letter : '-');
		put_parts(m->arg, quoted);
		fputs(")(", stdout);
		put_parts(m->arg2, quoted);
		putchar(')');
	}
	putchar(')');
}

static bool literal(const struct syn_part *p, bool quoted, bool *ret_quoted)
{
	if (p->kind != PART_TEXT && p->kind != PART_QUOTED)
		return false;
	*ret_quoted = quoted || p->kind == PART_QUOTED;
	return true;
}

static void put_part(const struct syn_part *p, bool quoted)
{
	switch (p->kind) {
	case PART_DOUBLE:
		fputs("(d", stdout);
		put_parts(p->inside, true);
		putchar(')');
		break;
	case PART_PARAM:
		put_param(p->param, quoted);
		break;
	case PART_COMMAND:
		fputs(p->body || !p->text.n ? "(c" : "(b", stdout);
		if (p->body)
			put_items(p->body);
		else if (p->text.n)
			put_bytes(' ', p->text);
		putchar(')');
		break;
	case PART_ARITH:
		fputs("(a", stdout);
		put_parts(p->inside, true);
		putchar(')');
		break;
	case PART_PROCESS:
		printf("(%c", p->text.n ? p->text.p[0] : '?');
		if (p->body)
			put_items(p->body);
		putchar(')');
		break;
	default:
		break;
	}
}

/* Neighbouring literals of the same kind are one; an empty quoted one shows only when it stands alone. */
static void put_parts(const struct syn_part *p, bool quoted)
{
	while (p) {
		struct buf b;
		bool q, more;

		putchar(' ');
		if (!literal(p, quoted, &q)) {
			put_part(p, quoted);
			p = p->next;
			continue;
		}
		buf_init(&b, &arena, 0);
		do {
			buf_str(&b, p->text);
			p = p->next;
		} while (p && literal(p, quoted, &more) && more == q);
		put_bytes(q && !quoted ? 'q' : 't', buf_view(&b));
	}
}

static void canon_word(struct str text)
{
	const char *outer = source;
	struct parser p;
	struct syn_word *w = NULL;

	source = text.p;
	parser_init(&p, &arena, DIALECT_BASH, text, 0, &fuel);
	if (parse_word(&p, &w) != PARSE_LINE || !w) {
		put_bytes('R', text);
	} else {
		fputs("(w", stdout);
		put_parts(w->parts, false);
		putchar(')');
	}
	source = outer;
}

static void canon_text(char kind, struct str text)
{
	const char *outer = source;
	struct parser p;
	struct syn_part *parts = NULL;

	source = text.p;
	parser_init(&p, &arena, DIALECT_BASH, text, 0, &fuel);
	if (parse_text(&p, kind == 'H' ? IN_HERE : IN_ARITH, &parts) != PARSE_LINE) {
		put_bytes('R', text);
	} else {
		printf("(%c", kind);
		put_parts(parts, true);
		putchar(')');
	}
	source = outer;
}

/* The last newline does not count: a body that the end of the text cuts off gets one in bash. */
static void put_here(char kind, struct str body)
{
	if (body.n && body.p[body.n - 1] == '\n')
		body.n--;
	if (kind == 'H')
		canon_text(kind, body);
	else
		put_bytes('D', body);
}

static void put_array(const struct syn_assign *as)
{
	printf("(array %.*s%s", STR_ARG(as->name), as->append ? "+" : "");
	for (const struct syn_element *e = as->elements; e; e = e->next) {
		fputs(" (", stdout);
		if (e->subscripted) {
			putchar('[');
			put_parts(e->subscript, true);
			fputs(e->append ? "]+=" : "]=", stdout);
		}
		if (e->value)
			put_parts(e->value->parts, false);
		putchar(')');
	}
	putchar(')');
}

static void canon_array(struct str text)
{
	const char *outer = source;
	struct parser p;
	struct syn_node *n = NULL;

	source = text.p;
	parser_init(&p, &arena, DIALECT_BASH, text, 0, &fuel);
	if (parse_line(&p, &n) == PARSE_LINE && n && n->kind == NODE_SIMPLE && n->assigns &&
			n->assigns->array)
		put_array(n->assigns);
	else
		put_bytes('R', text);
	source = outer;
}

static void put_word(const struct syn_word *w)
{
	if (w->assign && w->assign->array) {
		put_array(w->assign);
		return;
	}
	if (w->assign) { /* its parts are the value's alone */
		canon_word(w->source);
		return;
	}
	fputs("(w", stdout);
	put_parts(w->parts, false);
	putchar(')');
}

static void put_words(const struct syn_word *w)
{
	for (; w; w = w->next) {
		putchar(' ');
		put_word(w);
	}
}

/* ---- commands ---- */

static void put_redir(const struct syn_redir *r)
{
	static const struct {
		const char *sign;
		int fd;
	} ops[] = {
		[REDIR_READ] = {"<", 0}, [REDIR_WRITE] = {">", 1}, [REDIR_CLOBBER] = {">|", 1},
		[REDIR_APPEND] = {">>", 1}, [REDIR_READ_WRITE] = {"<>", 0},
		[REDIR_DUP_IN] = {"<&", 0}, [REDIR_DUP_OUT] = {">&", 1}, [REDIR_BOTH] = {"&>", 1},
		[REDIR_BOTH_APPEND] = {"&>>", 1},
		[REDIR_HERE] = {"<<", 0}, [REDIR_HERE_STRING] = {"<<<", 0},
	};
	bool dup = r->op == REDIR_DUP_IN || r->op == REDIR_DUP_OUT;

	fputs(" (", stdout);
	if (r->var.n)
		printf("{%.*s}", STR_ARG(r->var));
	else
		printf("%d", r->fd >= 0 ? r->fd : ops[r->op].fd);
	if (dup && r->target->plain && r->target->parts && str_is(r->target->parts->text, "-")) {
		fputs(" close )", stdout);
		return;
	}
	printf(" %s ", ops[r->op].sign);
	if (r->op == REDIR_HERE)
		put_here(r->here_quoted ? 'R' : 'H', r->here_source);
	else
		put_word(r->target);
	putchar(')');
}

static void put_redirs(const struct syn_node *n)
{
	for (const struct syn_redir *r = n->redirs; r; r = r->next)
		put_redir(r);
	if (n->stderr_too)
		fputs(" (2 >& (w t\"1\"))", stdout);
}

static void put_chain(const struct syn_test *t, enum test_kind kind);

static void put_test(const struct syn_test *t)
{
	switch (t->kind) {
	case TEST_AND:
	case TEST_OR:
		fputs(t->kind == TEST_AND ? "(and" : "(or", stdout);
		put_chain(t, t->kind);
		break;
	case TEST_NOT:
		/* bash toggles: two of them are none */
		if (t->left->kind == TEST_NOT) {
			put_test(t->left->left);
			return;
		}
		fputs("(not ", stdout);
		put_test(t->left);
		break;
	default:
		printf("(%.*s ", STR_ARG(t->op));
		canon_word(t->a->source);
		if (t->b) {
			putchar(' ');
			canon_word(t->b->source);
		}
	}
	putchar(')');
}

static void put_chain(const struct syn_test *t, enum test_kind kind)
{
	if (t->kind == kind) {
		put_chain(t->left, kind);
		put_chain(t->right, kind);
	} else {
		putchar(' ');
		put_test(t);
	}
}

static void put_body(const char *name, const struct syn_node *n)
{
	printf(" (%s", name);
	put_items(n);
	putchar(')');
}

static void put_case(const struct syn_node *n)
{
	static const char *const ends[] = {[CLAUSE_STOP] = ")", [CLAUSE_FALL] = " ;&)",
			[CLAUSE_TEST] = " ;;&)"};

	fputs("(case ", stdout);
	put_word(n->words);
	for (const struct syn_clause *c = n->clauses; c; c = c->next) {
		fputs(" (clause (", stdout);
		put_words(c->patterns);
		putchar(')');
		put_items(c->body);
		fputs(ends[c->end], stdout);
	}
}

/* bash drops blanks before each expression of a for ((, and an empty one is 1 */
static void put_arith(const struct syn_part *parts, bool trim)
{
	struct syn_part first;

	fputs(" (A", stdout);
	if (trim && parts && parts->kind == PART_TEXT) {
		first = *parts;
		while (first.text.n && strchr(" \t\n", first.text.p[0]))
			first.text.p++, first.text.n--;
		parts = first.text.n ? &first : first.next;
	}
	if (parts || !trim)
		put_parts(parts, true);
	else
		fputs(" t\"1\"", stdout);
	putchar(')');
}

static void put_for(const char *name, const struct syn_node *n)
{
	printf("(%s ", name);
	put_word(n->name_word);
	if (n->in)
		put_words(n->words);
	else
		fputs(" (w (d (p @)))", stdout);
	put_body("do", n->body);
}

static void put_simple(const struct syn_node *n)
{
	fputs("(simple", stdout);
	for (const struct syn_assign *as = n->assigns; as; as = as->next) {
		putchar(' ');
		if (as->array)
			put_array(as);
		else
			canon_word(str_n(source + as->at.from, as->at.to - as->at.from));
	}
	put_words(n->words);
}

static void put_pipe(const struct syn_node *n)
{
	fputs(n->timed ? "(time " : "", stdout);
	fputs(n->negated ? "(! " : "", stdout);
	if (!n->first) {
		fputs("(simple)", stdout);
	} else if (!n->first->next) {
		put_node(n->first);
	} else {
		fputs("(pipe", stdout);
		for (const struct syn_node *m = n->first; m; m = m->next) {
			putchar(' ');
			put_node(m);
		}
		putchar(')');
	}
	fputs(n->negated ? ")" : "", stdout);
	fputs(n->timed ? ")" : "", stdout);
}

static void put_andor(const struct syn_node *n)
{
	fputs("(andor", stdout);
	for (const struct syn_node *m = n->first; m; m = m->next) {
		fputs(m->join == JOIN_AND ? " && " : m->join == JOIN_OR ? " || " : " ", stdout);
		put_node(m);
	}
}

/*
 * bash prints f() (x) inside a substitution as f () { (x) }: a group around one compound command is left out
 * on both sides
 */
static const struct syn_node *function_body(const struct syn_node *n)
{
	const struct syn_node *in = n->body;

	if (n->kind != NODE_GROUP || n->redirs || !in || in->redirs || in->next || in->background)
		return n;
	return in->kind == NODE_SIMPLE || in->kind == NODE_LIST || in->kind == NODE_ANDOR ||
			in->kind == NODE_PIPE || in->kind == NODE_FUNCTION ? n : in;
}

static void put_node(const struct syn_node *n)
{
	switch (n->kind) {
	case NODE_SIMPLE: put_simple(n); break;
	case NODE_PIPE: put_pipe(n); return;
	case NODE_ANDOR: put_andor(n); break;
	case NODE_LIST: fputs("(list", stdout); put_items(n); break;
	case NODE_GROUP: fputs("(group", stdout); put_items(n->body); break;
	case NODE_SUBSHELL: fputs("(subshell", stdout); put_items(n->body); break;
	case NODE_IF:
		fputs("(if", stdout);
		put_body("if", n->cond);
		put_body("then", n->body);
		if (n->orelse)
			put_body("else", n->orelse);
		break;
	case NODE_WHILE:
	case NODE_UNTIL:
		fputs(n->kind == NODE_WHILE ? "(while" : "(until", stdout);
		put_body("if", n->cond);
		put_body("do", n->body);
		break;
	case NODE_FOR: put_for("for", n); break;
	case NODE_SELECT: put_for("select", n); break;
	case NODE_ARITH_FOR:
		fputs("(arith-for", stdout);
		for (int i = 0; i < 3; i++)
			put_arith(n->arith[i], true);
		put_body("do", n->body);
		break;
	case NODE_CASE: put_case(n); break;
	case NODE_FUNCTION:
		fputs("(function ", stdout);
		put_bytes('R', n->name);
		putchar(' ');
		put_node(function_body(n->body));
		break;
	case NODE_COND: fputs("(cond ", stdout); put_test(n->test); break;
	case NODE_ARITH: fputs("(arith", stdout); put_arith(n->arith[0], false); break;
	case NODE_COPROC:
		printf("(coproc %.*s ", STR_ARG(n->name));
		put_node(n->body);
		break;
	}
	put_redirs(n);
	putchar(')');
}

static void put_items(const struct syn_node *n)
{
	if (!n)
		return;
	if (n->kind == NODE_LIST && !n->redirs) {
		for (const struct syn_node *m = n->first; m; m = m->next) {
			putchar(' ');
			put_node(m);
			fputs(m->background ? " &" : "", stdout);
		}
		return;
	}
	putchar(' ');
	put_node(n);
}

static void put_line(const struct syn_node *n)
{
	if (n->kind != NODE_LIST) {
		put_node(n);
		putchar('\n');
		return;
	}
	for (const struct syn_node *m = n->first; m; m = m->next) {
		put_node(m);
		fputs(m->background ? " &\n" : "\n", stdout);
	}
}

/* ---- the two modes ---- */

/*
 * Everything; the caller frees it. Without NUL: bash drops them when it reads a script, and so does
 * shell_read().
 */
static struct str slurp(FILE *f)
{
	size_t n = 0, cap = 0, got = 1;
	char *s = NULL;

	while (got > 0 && cap < INPUT_MAX) {
		cap = cap ? cap * 2 : 1 << 16;
		s = realloc(s, cap);
		if (!s)
			abort();
		while (n < cap && (got = fread(s + n, 1, cap - n, f)) > 0)
			n += got;
	}
	for (size_t i = got = 0; i < n; i++)
		if (s[i])
			s[got++] = s[i];
	return str_n(s, got);
}

static int parse_file(void *arg)
{
	struct str text = *(struct str *)arg;
	struct syn_node *n = NULL;
	enum parse_result r;
	struct parser p;

	source = text.p;
	parser_init(&p, &arena, DIALECT_BASH, text, 0, &fuel);
	while ((r = parse_line(&p, &n)) == PARSE_LINE) {
		if (n)
			put_line(n);
		n = NULL;
	}
	if (r == PARSE_END)
		puts(p.unsure ? "!! end unsure" : "!! end");
	else
		printf("!! refused: %s at %zu\n", r == PARSE_BOUND ? "a bound" : p.error, p.error_at);
	return 0;
}

static void parse_files(char **files)
{
	for (; *files; files++) {
		FILE *f = fopen(*files, "r");
		struct str text;

		if (!f)
			continue;
		text = slurp(f);
		fclose(f);
		arena_init(&arena, ARENA_CAP_DEFAULT);
		fuel = 1 << 28;
		printf("== %s\n", *files);
		if (arena_run(&arena, parse_file, &text) < 0)
			puts("\n!! refused: memory");
		arena_free(&arena);
		free((char *)text.p);
	}
}

/* One token X"..." of bash_tree's output, past the opening quote. */
static struct str token(struct str in, size_t *at)
{
	struct buf b;

	buf_init(&b, &arena, 0);
	for (; *at < in.n && in.p[*at] != '"'; ++*at) {
		if (in.p[*at] == '\\' && *at + 1 < in.n)
			++*at, buf_char(&b, in.p[*at] == 'n' ? '\n' : in.p[*at]);
		else
			buf_char(&b, in.p[*at]);
	}
	++*at;
	return buf_view(&b);
}

static int canon_line(void *arg)
{
	struct str in = *(struct str *)arg;

	for (size_t i = 0; i < in.n;) {
		char k = in.p[i];

		if (i + 1 >= in.n || in.p[i + 1] != '"' || !strchr("WSHACRD", k)) {
			putchar(k);
			i++;
			continue;
		}
		i += 2;
		struct str text = token(in, &i);
		if (k == 'W' || k == 'C')
			canon_word(text);
		else if (k == 'S')
			canon_array(text);
		else if (k == 'R')
			put_bytes('R', text);
		else if (k == 'A')
			canon_text(k, text);
		else
			put_here(k, text);
	}
	return 0;
}

static void canon(void)
{
	struct str all = slurp(stdin);

	for (size_t i = 0; i < all.n;) {
		const char *end = memchr(all.p + i, '\n', all.n - i);
		size_t n = end ? (size_t)(end - (all.p + i)) + 1 : all.n - i;
		struct str line = str_n(all.p + i, n);

		if (str_starts(line, "== ") || str_starts(line, "!! ")) {
			fwrite(line.p, 1, line.n, stdout);
		} else {
			arena_init(&arena, ARENA_CAP_DEFAULT);
			fuel = 1 << 28;
			if (arena_run(&arena, canon_line, &line) < 0)
				puts("\n!! memory");
			arena_free(&arena);
		}
		i += n;
	}
	free((char *)all.p);
}

int main(int argc, char **argv)
{
	if (argc > 2 && !strcmp(argv[1], "parse"))
		parse_files(argv + 2);
	else if (argc == 2 && !strcmp(argv[1], "canon"))
		canon();
	else
		return fputs("usage: our_tree parse FILE... | our_tree canon\n", stderr), 64;
	return 0;
}
