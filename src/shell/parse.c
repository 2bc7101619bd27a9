/*
 * Parses commands: lists, pipelines, compound and simple commands, functions. Redirections and assignments
 * are in parse_simple.c, [[ ]] in parse_test.c, words in word.c.
 */
#include "shell/parse.h"
#include "shell/parse_inner.h"

/* ---- reserved words ---- */

enum keyword {
	KEY_NONE, KEY_BANG, KEY_BRACE, KEY_CASE, KEY_COPROC, KEY_DO, KEY_DONE, KEY_ELIF, KEY_ELSE, KEY_ESAC,
			KEY_FI, KEY_FOR, KEY_FUNCTION,
	KEY_IF, KEY_IN, KEY_SELECT, KEY_THEN, KEY_TIME, KEY_UNTIL, KEY_WHILE, KEY_TEST, KEY_UNBRACE,
	KEY_FOREIGN,
};

static const struct {
	char word[12];
	enum keyword key;
	unsigned dialects;
} keywords[] = {
	{"!", KEY_BANG, ALL}, {"{", KEY_BRACE, ALL}, {"}", KEY_UNBRACE, ALL}, {"case", KEY_CASE, ALL},
	{"do", KEY_DO, ALL},
	{"done", KEY_DONE, ALL}, {"elif", KEY_ELIF, ALL}, {"else", KEY_ELSE, ALL}, {"esac", KEY_ESAC, ALL},
	{"fi", KEY_FI, ALL},
	{"for", KEY_FOR, ALL}, {"if", KEY_IF, ALL}, {"in", KEY_IN, ALL}, {"then", KEY_THEN, ALL},
	{"until", KEY_UNTIL, ALL},
	{"while", KEY_WHILE, ALL}, {"[[", KEY_TEST, BASH | ZSH}, {"coproc", KEY_COPROC, BASH | ZSH},
	{"function", KEY_FUNCTION, BASH | ZSH},
	{"select", KEY_SELECT, BASH | ZSH}, {"time", KEY_TIME, BASH | ZSH},
	/* zsh only, not modelled */
	{"foreach", KEY_FOREIGN, ZSH}, {"end", KEY_FOREIGN, ZSH}, {"repeat", KEY_FOREIGN, ZSH},
	{"nocorrect", KEY_FOREIGN, ZSH},
};

static enum keyword keyword_of(const struct parser *p, const struct syn_word *w)
{
	if (!w || !w->plain || !w->parts)
		return KEY_NONE;
	struct str s = w->parts->text;
	for (size_t i = 0; i < ARRAY_SIZE(keywords); i++)
		if ((keywords[i].dialects & 1u << p->dialect) && str_is(s, keywords[i].word))
			return keywords[i].key;
	return KEY_NONE;
}

/*
 * Returns the next reserved word without consuming it. Cheap: the first character rules out most positions.
 */
static enum keyword peek_keyword(struct parser *p)
{
	int c = lex_peek(p);
	if (c < 0 || !strchr("!{}[bcdefinrstuw", c))
		return KEY_NONE;
	char name[12];
	size_t n = 0, keep = p->pos;
	while (!lex_is_meta(c = lex_peek(p)) && n < sizeof name - 1) {
		if (strchr("\\'\"$`", c))
			break;
		name[n++] = (char)c;
		p->pos++;
	}
	bool ends = lex_is_meta(lex_peek(p));
	p->pos = keep;
	if (!ends)
		return KEY_NONE;
	struct syn_part text = {.kind = PART_TEXT, .text = {name, n}};
	struct syn_word w = {.parts = &text, .plain = true};
	return keyword_of(p, &w);
}

static void expect_keyword(struct parser *p, enum keyword key, const char *why)
{
	lex_newlines(p);
	if (peek_keyword(p) != key)
		lex_fail(p, why);
	word_read(p, WORD_NORMAL);
}

struct syn_node *parse_node(struct parser *p, enum node_kind kind, size_t from)
{
	struct syn_node *n = arena_new(p->a, struct syn_node);
	n->kind = kind;
	n->at = lex_span(p, from);
	return n;
}

/* ---- simple commands and functions ---- */

static struct syn_node *parse_command(struct parser *p);

/* Parses the body after "name ()" or "function name". */
static struct syn_node *function_rest(struct parser *p, struct str name, size_t from)
{
	lex_newlines(p);
	struct syn_node *body = parse_command(p);
	if (!body)
		lex_fail(p, "a function has no body");
	struct syn_node *n = parse_node(p, NODE_FUNCTION, from);
	n->name = name;
	n->body = body;
	return n;
}

/* After the first word of a command: "(" ")" makes it a function definition. */
static bool function_parens(struct parser *p)
{
	size_t keep = p->pos;
	lex_blanks(p);
	if (lex_take(p, "(")) {
		lex_blanks(p);
		if (lex_take(p, ")"))
			return true;
		p->pos = keep;
		lex_fail(p, "an opening parenthesis is not expected here");
	}
	p->pos = keep;
	return false;
}

/*
 * The name of a function is its word after quote removal. bash rejects a name with expansions when it runs
 * the definition.
 */
static struct str function_name(struct parser *p, const struct syn_word *w)
{
	struct buf b;
	buf_init(&b, p->a, 0);
	for (const struct syn_part *part = w->parts; part; part = part->next) {
		if (part->kind != PART_TEXT && part->kind != PART_QUOTED) {
			lex_unsure(p, "a function's name with an expansion in it");
			continue;
		}
		buf_str(&b, part->text);
	}
	return buf_view(&b);
}

static void note_alias(struct parser *p, const struct syn_word *w)
{
	if (!p->aliases || p->alias_found || !w->plain || !w->parts || w->at.from < p->alias_done)
		return;
	if (!pmap_get(p->aliases, w->parts->text) ||
			(w->at.from < p->alias_barred_end && str_eq(w->parts->text, p->alias_barred)))
		return;
	p->alias_found = true;
	p->alias_from = w->at.from;
	p->alias_to = w->at.to;
	p->alias_name = w->parts->text;
}

/* Parses the rest of a simple command after its first word. */
static void parse_arguments(struct parser *p, struct syn_node *n, struct syn_word **end)
{
	struct syn_redir **redirs = &n->redirs;
	bool declaring = parse_declares(p, n->words);
	for (;;) {
		redirs = parse_redirections(p, redirs);
		struct syn_word *w = declaring ? parse_declared_word(p) : word_read(p, WORD_NORMAL);
		if (!w)
			break;
		LIST_ADD(end, w);
	}
	if (lex_peek(p) == '(')
		lex_fail(p, "an opening parenthesis is not expected here");
}

static struct syn_node *read_simple(struct parser *p)
{
	size_t from = p->pos;
	int c = lex_peek(p);
	if (c < 0 || (c > 0 && strchr("\n;|)", c)))
		return NULL; /* the usual end of a list: allocate nothing */
	struct syn_node *n = parse_node(p, NODE_SIMPLE, from);
	struct syn_assign **assigns = &n->assigns;
	struct syn_redir **redirs = &n->redirs;
	for (;;) {
		redirs = parse_redirections(p, redirs);
		struct syn_assign *as = parse_assignment(p);
		if (!as)
			break;
		LIST_ADD(assigns, as);
	}
	struct syn_word *w = word_read(p, WORD_COMMAND);
	if (w) {
		note_alias(p, w);
		if (!n->assigns && !n->redirs && function_parens(p))
			return function_rest(p, function_name(p, w), from);
		n->words = w;
		parse_arguments(p, n, &w->next);
	} else if (lex_peek(p) == '(' && (n->assigns || n->redirs)) {
		lex_fail(p, "an opening parenthesis is not expected here");
	}
	if (!n->words && !n->assigns && !n->redirs)
		return NULL;
	n->at = lex_span(p, from);
	return n;
}

/* ---- compound commands ---- */

static struct syn_node *parse_list(struct parser *p);

/* Parses a list that must not be empty. */
static struct syn_node *body_list(struct parser *p, const char *why)
{
	struct syn_node *l = parse_list(p);
	if (!l)
		lex_fail(p, why);
	return l;
}

static struct syn_node *do_group(struct parser *p)
{
	lex_newlines(p);
	if (lex_peek(p) == ';') {
		lex_next(p);
		lex_newlines(p);
	}
	struct syn_node *body;
	if (peek_keyword(p) == KEY_BRACE) { /* for and select accept a group instead of do ... done */
		word_read(p, WORD_NORMAL);
		body = body_list(p, "a group is empty");
		expect_keyword(p, KEY_UNBRACE, "a group is not closed");
		return body;
	}
	expect_keyword(p, KEY_DO, "'do' is missing");
	body = body_list(p, "a loop is empty");
	expect_keyword(p, KEY_DONE, "'done' is missing");
	return body;
}

static struct syn_node *parse_if(struct parser *p, size_t from)
{
	struct syn_node *n = parse_node(p, NODE_IF, from);
	n->cond = body_list(p, "a condition is empty");
	expect_keyword(p, KEY_THEN, "'then' is missing");
	n->body = body_list(p, "a branch is empty");
	lex_newlines(p);
	size_t here = p->pos;
	switch (peek_keyword(p)) {
	case KEY_ELIF:
		word_read(p, WORD_NORMAL);
		lex_enter(p);
		n->orelse = parse_if(p, here); /* consumes the fi */
		lex_exit(p);
		break;
	case KEY_ELSE:
		word_read(p, WORD_NORMAL);
		n->orelse = body_list(p, "a branch is empty");
		expect_keyword(p, KEY_FI, "'fi' is missing");
		break;
	default:
		expect_keyword(p, KEY_FI, "'fi' is missing");
	}
	n->at = lex_span(p, from);
	return n;
}

static struct syn_node *parse_while(struct parser *p, enum node_kind kind, size_t from)
{
	struct syn_node *n = parse_node(p, kind, from);
	n->cond = body_list(p, "a condition is empty");
	expect_keyword(p, KEY_DO, "'do' is missing");
	n->body = body_list(p, "a loop is empty");
	expect_keyword(p, KEY_DONE, "'done' is missing");
	n->at = lex_span(p, from);
	return n;
}

/* for ((a; b; c)), after the "for". */
static struct syn_node *arith_for(struct parser *p, size_t from)
{
	struct syn_node *n = parse_node(p, NODE_ARITH_FOR, from);
	lex_take(p, "((");
	for (int i = 0; i < 3; i++) {
		struct until u = {.stops = i < 2 ? ";" : ")", .open = '(', .close = ')', .quotes = IN_ARITH,
				.soft = true};
		n->arith[i] = parts_until(p, &u);
		if (!(i < 2 ? lex_take(p, ";") : lex_take(p, "))")))
			lex_fail(p, "'for ((' is not closed");
	}
	lex_blanks(p);
	n->body = do_group(p);
	n->at = lex_span(p, from);
	return n;
}

static struct syn_node *parse_for(struct parser *p, enum node_kind kind, size_t from)
{
	lex_blanks(p);
	if (kind == NODE_FOR && p->dialect != DIALECT_SH && lex_peek(p) == '(' && lex_ahead(p, 1) == '(')
		return arith_for(p, from);
	struct syn_node *n = parse_node(p, kind, from);
	n->name_word = word_read(p, WORD_NORMAL);
	if (!n->name_word)
		lex_fail(p, "a loop has no variable");
	n->name = function_name(p, n->name_word);
	if (p->dialect == DIALECT_ZSH) {
		lex_blanks(p);
		if (lex_peek(p) == '(' || !(peek_keyword(p) == KEY_IN || peek_keyword(p) == KEY_DO ||
				strchr(";\n", lex_peek(p))))
			lex_unsure(p, "a short loop of zsh");
	}
	lex_newlines(p);
	if (peek_keyword(p) == KEY_IN) {
		word_read(p, WORD_NORMAL);
		n->in = true;
		struct syn_word **end = &n->words;
		for (lex_blanks(p); (*end = word_read(p, WORD_NORMAL)); end = &(*end)->next)
			lex_blanks(p);
		if (lex_peek(p) != ';' && lex_peek(p) != '\n')
			lex_fail(p, "the list of a loop does not end");
	}
	n->body = do_group(p);
	n->at = lex_span(p, from);
	return n;
}

/* Parses one clause of a case; NULL at esac. */
static struct syn_clause *parse_clause(struct parser *p)
{
	lex_newlines(p);
	if (peek_keyword(p) == KEY_ESAC)
		return NULL;
	struct syn_clause *c = arena_new(p->a, struct syn_clause);
	struct syn_word **end = &c->patterns;
	lex_take(p, "(");
	do {
		lex_blanks(p);
		if (!(*end = word_read(p, WORD_PATTERN)))
			lex_fail(p, "a pattern is missing");
		end = &(*end)->next;
		lex_blanks(p);
	} while (lex_take(p, "|"));
	if (!lex_take(p, ")"))
		lex_fail(p, "a pattern is not closed");
	c->body = parse_list(p);
	lex_newlines(p);
	if (p->dialect != DIALECT_SH && lex_take(p, ";;&"))
		c->end = CLAUSE_TEST;
	else if (p->dialect != DIALECT_SH && lex_take(p, ";&"))
		c->end = CLAUSE_FALL;
	else if (p->dialect == DIALECT_ZSH && lex_take(p, ";|"))
		c->end = CLAUSE_TEST;
	else if (!lex_take(p, ";;") && peek_keyword(p) != KEY_ESAC)
		lex_fail(p, "a clause does not end");
	return c;
}

static struct syn_node *parse_case(struct parser *p, size_t from)
{
	struct syn_node *n = parse_node(p, NODE_CASE, from);
	lex_blanks(p);
	n->words = word_read(p, WORD_NORMAL);
	if (!n->words)
		lex_fail(p, "'case' has no word");
	expect_keyword(p, KEY_IN, "'in' is missing");
	struct syn_clause **end = &n->clauses;
	while ((*end = parse_clause(p)))
		end = &(*end)->next;
	expect_keyword(p, KEY_ESAC, "'esac' is missing");
	n->at = lex_span(p, from);
	return n;
}

static struct syn_node *parse_function(struct parser *p, size_t from)
{
	lex_blanks(p);
	if (p->dialect == DIALECT_ZSH && (peek_keyword(p) == KEY_BRACE || lex_peek(p) == '('))
		lex_fail(p, "an anonymous function");
	struct syn_word *w = word_read(p, WORD_NORMAL);
	if (!w) {
		if (p->dialect == DIALECT_ZSH)
			lex_unsure(p, "an anonymous function");
		lex_fail(p, "a function has no name");
	}
	lex_blanks(p);
	if (lex_peek(p) == '(') { /* "function f ()" or "function f (subshell)" */
		size_t keep = p->pos;
		lex_next(p);
		lex_blanks(p);
		if (!lex_take(p, ")"))
			p->pos = keep;
	}
	return function_rest(p, function_name(p, w), from);
}

static bool compound_ahead(struct parser *p)
{
	switch (peek_keyword(p)) {
	case KEY_BRACE: case KEY_CASE: case KEY_FOR: case KEY_IF: case KEY_SELECT: case KEY_UNTIL:
			case KEY_WHILE: case KEY_TEST:
		return true;
	default:
		return lex_peek(p) == '(';
	}
}

static struct syn_node *parse_coproc(struct parser *p, size_t from)
{
	struct syn_node *n = parse_node(p, NODE_COPROC, from);
	lex_blanks(p);
	n->name = STR("COPROC");
	if (!compound_ahead(p)) {
		/* "coproc NAME compound", or a simple command */
		size_t keep = p->pos;
		struct syn_word *w = word_read(p, WORD_NORMAL);
		lex_blanks(p);
		if (w && compound_ahead(p)) {
			n->name_word = w;
			n->name = function_name(p, w);
		} else {
			p->pos = keep;
		}
	}
	n->body = parse_command(p);
	if (!n->body)
		lex_fail(p, "'coproc' has no command");
	n->at = lex_span(p, from);
	return n;
}

/* At "(". */
static struct syn_node *parse_paren(struct parser *p, size_t from)
{
	struct syn_part *inside;
	if (p->dialect != DIALECT_SH && lex_ahead(p, 1) == '(' && parts_arith(p, &inside)) {
		struct syn_node *n = parse_node(p, NODE_ARITH, from);
		n->arith[0] = inside;
		return n;
	}
	lex_next(p);
	struct syn_node *n = parse_node(p, NODE_SUBSHELL, from);
	n->body = body_list(p, "a subshell is empty");
	lex_newlines(p);
	if (!lex_take(p, ")"))
		lex_fail(p, "a subshell is not closed");
	n->at = lex_span(p, from);
	return n;
}

static struct syn_node *parse_compound(struct parser *p, enum keyword key, size_t from)
{
	if (key != KEY_NONE)
		word_read(p, WORD_NORMAL);
	switch (key) {
	case KEY_IF: return parse_if(p, from);
	case KEY_WHILE: return parse_while(p, NODE_WHILE, from);
	case KEY_UNTIL: return parse_while(p, NODE_UNTIL, from);
	case KEY_FOR: return parse_for(p, NODE_FOR, from);
	case KEY_SELECT: return parse_for(p, NODE_SELECT, from);
	case KEY_CASE: return parse_case(p, from);
	case KEY_TEST: return parse_test(p, from);
	case KEY_FUNCTION: return parse_function(p, from);
	case KEY_COPROC: return parse_coproc(p, from);
	case KEY_BRACE: {
		struct syn_node *n = parse_node(p, NODE_GROUP, from);
		n->body = body_list(p, "a group is empty");
		expect_keyword(p, KEY_UNBRACE, "a group is not closed");
		n->at = lex_span(p, from);
		return n;
	}
	default: return parse_paren(p, from);
	}
}

static struct syn_node *parse_command(struct parser *p)
{
	lex_blanks(p);
	size_t from = p->pos;
	enum keyword key = peek_keyword(p);
	struct syn_node *n;
	lex_enter(p);
	switch (key) {
	case KEY_BRACE: case KEY_CASE: case KEY_COPROC: case KEY_FOR: case KEY_FUNCTION: case KEY_IF:
			case KEY_SELECT: case KEY_TEST:
	case KEY_UNTIL: case KEY_WHILE:
		n = parse_compound(p, key, from);
		if (key != KEY_FUNCTION)
			parse_redirections(p, &n->redirs);
		break;
	case KEY_FOREIGN:
		lex_unsure(p, "a reserved word of zsh that is not followed");
		n = read_simple(p);
		break;
	case KEY_NONE: case KEY_IN: case KEY_TIME: case KEY_BANG:
		if (lex_peek(p) == '(') {
			n = parse_compound(p, KEY_NONE, from);
			parse_redirections(p, &n->redirs);
		} else {
			n = read_simple(p);
		}
		break;
	default:
		n = NULL; /* a word that ends the enclosing list */
	}
	lex_exit(p);
	return n;
}

/* ---- pipelines and lists ---- */

/* Consumes "time" and its options, if "time" is the reserved word here. */
static bool take_time(struct parser *p)
{
	if (peek_keyword(p) != KEY_TIME)
		return false;
	word_read(p, WORD_NORMAL);
	for (const char *const *o = (const char *const[]){"-p", "--", NULL}; *o; o++) {
		lex_blanks(p);
		size_t keep = p->pos;
		struct syn_word *w = word_read(p, WORD_NORMAL);
		if (!(w && w->plain && w->parts && str_is(w->parts->text, *o)))
			p->pos = keep;
	}
	lex_blanks(p);
	return true;
}

/* Parses "!" and "time" before a pipeline, in any order and number. */
static bool parse_prefixes(struct parser *p, struct syn_node *pipe)
{
	bool any = false;
	for (;;) {
		lex_blanks(p);
		enum keyword key = peek_keyword(p);
		if (key == KEY_BANG && !(p->extglob && lex_ahead(p, 1) == '(')) {
			word_read(p, WORD_NORMAL);
			pipe->negated = !pipe->negated;
		} else if (take_time(p)) {
			pipe->timed = true;
		} else {
			return any;
		}
		any = true;
	}
}

static struct syn_node *parse_pipeline(struct parser *p)
{
	size_t from = p->pos;
	struct syn_node head = {.kind = NODE_PIPE};
	bool any = parse_prefixes(p, &head);
	struct syn_node *first = parse_command(p), **end = &head.first;
	if (!first && !any)
		return NULL;
	for (struct syn_node *n = first; first; n = parse_command(p)) {
		if (!n)
			lex_fail(p, "a pipe has no command");
		LIST_ADD(end, n);
		lex_blanks(p);
		if (lex_peek(p) != '|' || lex_ahead(p, 1) == '|')
			break;
		lex_next(p);
		if (p->dialect != DIALECT_SH && lex_take(p, "&"))
			n->stderr_too = true;
		/* "time" after a pipe is an ordinary word; so is "!" here, which bash rejects */
		lex_newlines(p);
	}
	if (first && !first->next && !any)
		return first;
	struct syn_node *pipe = parse_node(p, NODE_PIPE, from);
	pipe->first = head.first;
	pipe->negated = head.negated;
	pipe->timed = head.timed;
	return pipe;
}

static struct syn_node *and_or(struct parser *p)
{
	size_t from = p->pos;
	struct syn_node *first = parse_pipeline(p);
	if (!first)
		return NULL;
	struct syn_node *n = NULL, **end = NULL;
	for (;;) {
		lex_blanks(p);
		enum join j = lex_take(p, "&&") ? JOIN_AND : lex_take(p, "||") ? JOIN_OR : JOIN_FIRST;
		if (j == JOIN_FIRST)
			break;
		if (!n) {
			n = parse_node(p, NODE_ANDOR, from);
			n->first = first;
			end = &first->next;
		}
		lex_newlines(p);
		struct syn_node *next = parse_pipeline(p);
		if (!next)
			lex_fail(p, "'&&' or '||' has no command after it");
		next->join = j;
		LIST_ADD(end, next);
	}
	if (!n)
		return first;
	n->at = lex_span(p, from);
	return n;
}

/* Consumes ";" or "&" after a member. False if there is none, or ";;" or another end of a clause. */
static bool parse_separator(struct parser *p, struct syn_node *member)
{
	lex_blanks(p);
	int c = lex_peek(p), next = c < 0 ? -1 : lex_ahead(p, 1);
	if (c == '&' && next != '&') {
		lex_next(p);
		member->background = true;
		if (p->dialect == DIALECT_ZSH)
			(void)(lex_take(p, "|") || lex_take(p, "!"));
		return true;
	}
	bool clause_end = next == ';' || (next == '&' && p->dialect != DIALECT_SH) ||
			(next == '|' && p->dialect == DIALECT_ZSH);
	if (c == ';' && !clause_end) {
		lex_next(p);
		return true;
	}
	return false;
}

/*
 * Parses the members of a list, separated by ; & and, unless it is a line of the script, newlines. A list of
 * one member is that member.
 */
static struct syn_node *parse_members(struct parser *p, bool line)
{
	struct syn_node *l = NULL, *first = NULL, **end = &first;
	size_t from = p->pos;
	for (;;) {
		if (line)
			lex_blanks(p);
		else
			lex_newlines(p);
		struct syn_node *n = and_or(p);
		if (!n)
			break;
		LIST_ADD(end, n);
		lex_burn(p, 1);
		bool more = parse_separator(p, n);
		if (!more && !line && lex_peek(p) == '\n')
			more = true;
		if (!more)
			break;
	}
	if (!first)
		return NULL;
	if (!first->next && !first->background)
		return first;
	l = parse_node(p, NODE_LIST, from);
	l->first = first;
	return l;
}

static struct syn_node *parse_list(struct parser *p)
{
	lex_enter(p);
	struct syn_node *l = parse_members(p, false);
	lex_exit(p);
	return l;
}

struct syn_node *parse_substitution(struct parser *p)
{
	struct syn_redir *outer = p->pending, **outer_end = p->pending_end;
	size_t alias_done = p->alias_done;
	p->pending = NULL;
	p->pending_end = &p->pending;
	struct syn_node *l = parse_list(p);
	lex_newlines(p);
	if (!lex_take(p, ")"))
		lex_fail(p, "a substitution is not closed");
	if (p->pending)
		lex_unsure(p, "a here-document is not finished where its substitution ends");
	p->pending = outer;
	p->pending_end = outer ? outer_end : &p->pending;
	p->alias_done = alias_done;
	return l;
}

/* ---- entries ---- */

void parser_init(struct parser *p, struct arena *a, enum dialect d, struct str text, uint32_t text_index,
		uint64_t *fuel)
{
	*p = (struct parser){.a = a, .dialect = d, .text = text_index, .s = text.p, .end = text.n,
			.fuel = fuel};
	p->pending_end = &p->pending;
}

struct parse_job {
	struct parser *p;
	struct syn_node *node;
	struct syn_word *word;
	enum quote_context quotes;
	struct syn_part *parts;
};

static int line_job(void *arg)
{
	struct parse_job *j = arg;
	struct parser *p = j->p;
	j->node = parse_members(p, true);
	lex_blanks(p);
	if (lex_peek(p) == '\n')
		lex_newline(p);
	else if (lex_peek(p) >= 0)
		lex_fail(p, "this is not expected here");
	else if (p->pending) /* the text ends where a here-document should start: its body is empty */
		p->pending = NULL;
	return 0;
}

static int word_job(void *arg)
{
	struct parse_job *j = arg;
	j->word = word_read(j->p, WORD_WHOLE);
	return 0;
}

static int text_job(void *arg)
{
	struct parse_job *j = arg;
	struct until u = {.stops = "", .quotes = j->quotes, .soft = true, .whole = true};
	j->parts = parts_until(j->p, &u);
	return 0;
}

static enum parse_result run_guarded(struct parse_job *j, int (*fn)(void *))
{
	switch (arena_run(j->p->a, fn, j)) {
	case 0: return PARSE_LINE;
	case LEAVE_SYNTAX: return PARSE_ERROR;
	case LEAVE_BOUND: return PARSE_BOUND;
	default: arena_leave(j->p->a, ARENA_FULL);
	}
}

enum parse_result parse_line(struct parser *p, struct syn_node **ret)
{
	if (lex_peek(p) < 0)
		return PARSE_END;
	struct parse_job j = {.p = p};
	p->alias_found = false;
	p->comments = p->last_comment = p->bodies = p->last_body = NULL;
	p->error = NULL;
	p->depth = 0;
	enum parse_result r = run_guarded(&j, line_job);
	if (r == PARSE_LINE)
		*ret = j.node;
	return r;
}

enum parse_result parse_word(struct parser *p, struct syn_word **ret)
{
	struct parse_job j = {.p = p};
	enum parse_result r = run_guarded(&j, word_job);
	if (r == PARSE_LINE)
		*ret = j.word;
	return r;
}

enum parse_result parse_text(struct parser *p, enum quote_context q, struct syn_part **ret)
{
	struct parse_job j = {.p = p, .quotes = q};
	enum parse_result r = run_guarded(&j, text_job);
	if (r == PARSE_LINE)
		*ret = j.parts;
	return r;
}
