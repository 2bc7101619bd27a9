/*
 * Real bash's own syntax tree: a loadable builtin for tests. Nothing of bash is linked into caisson.
 *
 *     cc -shared -fPIC -I/usr/include/bash -I/usr/include/bash/include -I/usr/include/bash/builtins …
 *             bash_tree.c -o bash_tree.so
 *     bash -c 'enable -f ./bash_tree.so tree; tree FILE'
 *
 * `tree FILE` parses FILE with bash's parser and prints one canonical S-expression per command of the top
 * level, in the form that our_tree.c prints for our own parser. Words stay as bash holds them, as W"..." (a
 * word), S"..." (an array assignment), H"..." and D"..." (a here-document's body, expanded or quoted), A"..."
 * (arithmetic), C"..." (a word in [[ ]]), R"..." (exact text); `our_tree canon` reads what is inside. A
 * syntax error ends with "!! refused".
 */
#include "config.h"
#include "bashtypes.h"
#include "shell.h"
#include "builtins.h"
#include "common.h"
#include "y.tab.h"

#include <stdio.h>

extern int parse_command(void);
extern void with_input_from_string(char *, const char *);
extern void push_stream(int);
extern COMMAND *global_command;
extern int EOF_Reached;

static void put_command(COMMAND *c);
static void put_items(COMMAND *c, int background);

static void put_text(char kind, const char *s)
{
	putchar(kind);
	putchar('"');
	for (; *s; s++) {
		if (*s == '\n')
			fputs("\\n", stdout);
		else if (*s == '"' || *s == '\\')
			printf("\\%c", *s);
		else
			putchar(*s);
	}
	putchar('"');
}

static void put_word(const WORD_DESC *w)
{
	put_text(w->flags & W_COMPASSIGN ? 'S' : 'W', w->word);
}

static void put_words(const WORD_LIST *l)
{
	for (; l; l = l->next) {
		putchar(' ');
		put_word(l->word);
	}
}

/* ---- redirections ---- */

static const char *const signs[] = {
	[r_output_direction] = ">", [r_input_direction] = "<", [r_inputa_direction] = "<",
	[r_appending_to] = ">>", [r_reading_until] = "<<",
	[r_reading_string] = "<<<", [r_duplicating_input] = "<&", [r_duplicating_output] = ">&",
	[r_deblank_reading_until] = "<<", [r_close_this] = "close",
	[r_err_and_out] = "&>", [r_input_output] = "<>", [r_output_force] = ">|",
	[r_duplicating_input_word] = "<&", [r_duplicating_output_word] = ">&",
	[r_move_input] = "<&", [r_move_output] = ">&", [r_move_input_word] = "<&",
	[r_move_output_word] = ">&", [r_append_err_and_out] = "&>>",
};

static void put_target(const REDIRECT *r)
{
	char number[32];

	switch (r->instruction) {
	case r_close_this:
		break;
	case r_duplicating_input:
	case r_duplicating_output:
	case r_move_input:
	case r_move_output:
		snprintf(number, sizeof number, r->instruction == r_move_input ||
				r->instruction == r_move_output ? "%d-" : "%d", r->redirectee.dest);
		put_text('W', number);
		break;
	case r_reading_until:
	case r_deblank_reading_until:
		put_text(r->redirectee.filename->flags & W_QUOTED ? 'D' : 'H', r->redirectee.filename->word);
		break;
	case r_move_input_word:
	case r_move_output_word:
		put_word(r->redirectee.filename);
		fputs(" move", stdout);
		break;
	default:
		put_word(r->redirectee.filename);
	}
}

static void put_redirects(const REDIRECT *r)
{
	for (; r; r = r->next) {
		fputs(" (", stdout);
		if (r->rflags & REDIR_VARASSIGN)
			printf("{%s}", r->redirector.filename->word);
		else
			printf("%d", r->redirector.dest);
		printf(" %s ", signs[r->instruction]);
		put_target(r);
		putchar(')');
	}
}

/* ---- [[ ]] ---- */

static void put_test(COND_COM *t);

/* a && (b && c) and (a && b) && c are one list */
static void put_chain(COND_COM *t, int type)
{
	if (t->type == COND_EXPR && !(t->flags & CMD_INVERT_RETURN)) {
		put_chain(t->left, type);
	} else if (t->type == type && !(t->flags & CMD_INVERT_RETURN)) {
		put_chain(t->left, type);
		put_chain(t->right, type);
	} else {
		putchar(' ');
		put_test(t);
	}
}

static void put_test(COND_COM *t)
{
	int invert = t->flags & CMD_INVERT_RETURN;

	if (invert)
		fputs("(not ", stdout);
	if (t->type == COND_EXPR) {
		put_test(t->left);
	} else if (t->type == COND_AND || t->type == COND_OR) {
		COND_COM plain = *t;

		plain.flags &= ~CMD_INVERT_RETURN;
		fputs(t->type == COND_AND ? "(and" : "(or", stdout);
		put_chain(&plain, t->type);
		putchar(')');
	} else if (t->type == COND_UNARY) {
		printf("(%s ", t->op->word);
		put_text('C', t->left->op->word);
		putchar(')');
	} else if (t->type == COND_BINARY) {
		printf("(%s ", t->op->word);
		put_text('C', t->left->op->word);
		putchar(' ');
		put_text('C', t->right->op->word);
		putchar(')');
	}
	if (invert)
		putchar(')');
}

/* ---- commands ---- */

static void put_body(const char *name, COMMAND *c)
{
	printf(" (%s", name);
	put_items(c, 0);
	putchar(')');
}

static void put_case(CASE_COM *c)
{
	fputs("(case ", stdout);
	put_word(c->word);
	for (PATTERN_LIST *p = c->clauses; p; p = p->next) {
		fputs(" (clause (", stdout);
		put_words(p->patterns);
		putchar(')');
		put_items(p->action, 0);
		fputs(p->flags & CASEPAT_FALLTHROUGH ? " ;&)" : p->flags & CASEPAT_TESTNEXT ? " ;;&)" : ")",
				stdout);
	}
}

static void put_arith(const WORD_LIST *l)
{
	putchar(' ');
	put_text('A', l ? l->word->word : "1");
}

/* A group around one compound command is left out: see our_tree.c. */
static COMMAND *function_body(COMMAND *c)
{
	COMMAND *in = c->type == cm_group ? c->value.Group->command : NULL;

	if (!in || c->redirects || in->redirects || in->flags & (CMD_INVERT_RETURN | CMD_TIME_PIPELINE))
		return c;
	return in->type == cm_simple || in->type == cm_connection || in->type == cm_function_def ? c : in;
}

static void put_compound(COMMAND *c)
{
	switch (c->type) {
	case cm_for:
		fputs("(for ", stdout);
		put_word(c->value.For->name);
		put_words(c->value.For->map_list);
		put_body("do", c->value.For->action);
		break;
	case cm_select:
		fputs("(select ", stdout);
		put_word(c->value.Select->name);
		put_words(c->value.Select->map_list);
		put_body("do", c->value.Select->action);
		break;
	case cm_case:
		put_case(c->value.Case);
		break;
	case cm_while:
	case cm_until:
		fputs(c->type == cm_while ? "(while" : "(until", stdout);
		put_body("if", c->value.While->test);
		put_body("do", c->value.While->action);
		break;
	case cm_if:
		fputs("(if", stdout);
		put_body("if", c->value.If->test);
		put_body("then", c->value.If->true_case);
		if (c->value.If->false_case)
			put_body("else", c->value.If->false_case);
		break;
	case cm_group:
		fputs("(group", stdout);
		put_items(c->value.Group->command, 0);
		break;
	case cm_subshell:
		fputs("(subshell", stdout);
		put_items(c->value.Subshell->command, 0);
		break;
	case cm_function_def:
		fputs("(function ", stdout);
		put_text('R', c->value.Function_def->name->word);
		putchar(' ');
		put_command(function_body(c->value.Function_def->command));
		break;
	case cm_arith:
		fputs("(arith", stdout);
		put_arith(c->value.Arith->exp);
		break;
	case cm_arith_for:
		fputs("(arith-for", stdout);
		put_arith(c->value.ArithFor->init);
		put_arith(c->value.ArithFor->test);
		put_arith(c->value.ArithFor->step);
		put_body("do", c->value.ArithFor->action);
		break;
	case cm_cond:
		fputs("(cond ", stdout);
		put_test(c->value.Cond);
		break;
	case cm_coproc:
		printf("(coproc %s ", c->value.Coproc->name);
		put_command(c->value.Coproc->command);
		break;
	default:
		printf("(kind-%d", (int)c->type);
	}
	put_redirects(c->redirects);
	putchar(')');
}

static void put_members(COMMAND *c, int type, int other);

static void put_connection(COMMAND *c)
{
	int k = c->value.Connection->connector;

	if (k == '|') {
		fputs("(pipe", stdout);
		put_members(c, '|', '|');
	} else if (k == AND_AND || k == OR_OR) {
		fputs("(andor", stdout);
		put_members(c, AND_AND, OR_OR);
	} else {
		fputs("(list", stdout);
		put_items(c, 0);
	}
	put_redirects(c->redirects);
	putchar(')');
}

/* Members of a chain that leans to either side; `type` and `other` are the connectors that belong to it. */
static void put_members(COMMAND *c, int type, int other)
{
	static int inner; /* flags count only for members: the chain's own were printed around it */
	CONNECTION *n = c->type == cm_connection ? c->value.Connection : NULL;

	if (n && (n->connector == type || n->connector == other) &&
			(!inner || !(c->flags & (CMD_INVERT_RETURN | CMD_TIME_PIPELINE)))) {
		int keep = inner;

		inner = 1;
		put_members(n->first, type, other);
		if (type != '|')
			fputs(n->connector == AND_AND ? " &&" : " ||", stdout);
		put_members(n->second, type, other);
		inner = keep;
		return;
	}
	int keep = inner;
	inner = 0;
	putchar(' ');
	put_command(c);
	inner = keep;
}

static void put_command(COMMAND *c)
{
	if (!c) {
		fputs("(nothing)", stdout);
		return;
	}
	int invert = c->flags & CMD_INVERT_RETURN, timed = c->flags & CMD_TIME_PIPELINE;

	if (timed)
		fputs("(time ", stdout);
	if (invert)
		fputs("(! ", stdout);
	if (c->type == cm_connection) {
		put_connection(c);
	} else if (c->type == cm_simple) {
		fputs("(simple", stdout);
		put_words(c->value.Simple->words);
		put_redirects(c->value.Simple->redirects);
		put_redirects(c->redirects);
		putchar(')');
	} else {
		put_compound(c);
	}
	if (invert)
		putchar(')');
	if (timed)
		putchar(')');
}

static void put_items(COMMAND *c, int background)
{
	CONNECTION *n = c && c->type == cm_connection ? c->value.Connection : NULL;

	if (!c)
		return;
	if (n && (n->connector == ';' || n->connector == '\n' || n->connector == '&') &&
			!(c->flags & (CMD_INVERT_RETURN | CMD_TIME_PIPELINE))) {
		put_items(n->first, n->connector == '&');
		put_items(n->second, background);
		return;
	}
	putchar(' ');
	put_command(c);
	if (background)
		fputs(" &", stdout);
}

/* At the top level every item has its own line. */
static void put_top(COMMAND *c, int background)
{
	CONNECTION *n = c->type == cm_connection ? c->value.Connection : NULL;

	if (n && (n->connector == ';' || n->connector == '\n' || n->connector == '&') &&
			!(c->flags & (CMD_INVERT_RETURN | CMD_TIME_PIPELINE))) {
		put_top(n->first, n->connector == '&');
		if (n->second)
			put_top(n->second, background);
		return;
	}
	put_command(c);
	fputs(background ? " &\n" : "\n", stdout);
}

static char *slurp(const char *path)
{
	FILE *f = fopen(path, "r");
	size_t n = 0, cap = 1 << 16;
	char *s = xmalloc(cap + 1);
	int c;

	if (!f)
		return NULL;
	while ((c = getc(f)) != EOF) {
		if (n == cap)
			s = xrealloc(s, (cap *= 2) + 1);
		if (c) /* bash drops NUL when it reads a script */
			s[n++] = (char)c;
	}
	s[n] = 0;
	fclose(f);
	return s;
}

int tree_builtin(WORD_LIST *list)
{
	char *text = list ? slurp(list->word->word) : NULL;
	int bad = 0;

	if (!text)
		return EXECUTION_FAILURE;
	push_stream(1);
	with_input_from_string(text, "tree");
	EOF_Reached = 0;
	while (!EOF_Reached && !bad) {
		global_command = NULL;
		bad = parse_command() != 0;
		if (!bad && global_command)
			put_top(global_command, 0);
		fflush(stdout);
	}
	puts(bad ? "!! refused" : "!! end");
	fflush(stdout);
	_exit(bad); /* this shell was started for one file, and its input is used up */
}

static char *tree_doc[] = {"Print the syntax tree of FILE.", NULL};

struct builtin tree_struct = {"tree", tree_builtin, BUILTIN_ENABLED, tree_doc, "tree FILE", 0};
