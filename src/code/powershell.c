/* PowerShell: statements, blocks, functions, and the entry point. See powershell.h. */
#include "code/powershell.h"

#include <strings.h>

/* ---- blocks ---- */

static void enter_scope(struct ps *p)
{
	if (p->nopen < PS_DEPTH_MAX)
		p->open[p->nopen++] = ++p->blocks;
	else
		p->stopped = true;
}

/* After a block the working directory is known only if the block did not change it. */
static void leave_scope(struct ps *p, struct str cwd)
{
	if (p->nopen)
		p->nopen--;
	if (!str_eq(cwd, p->w->s->cwd) || cwd.p != p->w->s->cwd.p)
		p->w->s->cwd = CODE_HOLE;
}

/* Reads a block behind its brace. */
static void read_scope(struct ps *p)
{
	struct str cwd = p->w->s->cwd;

	enter_scope(p);
	ps_statements(p, '}');
	leave_scope(p, cwd);
}

/* Reads the block of a statement, from its brace. */
static void read_block(struct ps *p)
{
	ps_newlines(p);
	if (ps_take(p, '{'))
		read_scope(p);
}

static void loop_block(struct ps *p)
{
	struct str cwd = p->w->s->cwd;

	if (p->moves)
		p->w->s->cwd = CODE_HOLE;
	read_block(p);
	p->w->s->cwd = p->moves ? CODE_HOLE : cwd;
}

void ps_skip_block(struct ps *p)
{
	bool mute = p->mute;
	struct str cwd = p->w->s->cwd;

	p->mute = true;
	read_scope(p);
	p->w->s->cwd = cwd;
	p->mute = mute;
}

struct ps_val ps_block_at(struct ps *p, size_t from, const struct ps_val *it)
{
	size_t back = p->i;
	struct ps_val old = p->it, v;
	struct str cwd = p->w->s->cwd;
	struct span here = p->w->here;

	if (p->mute)
		return PS_UNKNOWN;
	if (p->calls >= PS_CALLS_MAX) {
		ps_mark(p, MARKER_BOUND);
		return PS_UNKNOWN;
	}
	p->calls++;
	p->i = from;
	p->it = it ? *it : PS_UNKNOWN;
	if (p->moves)
		p->w->s->cwd = CODE_HOLE;
	enter_scope(p);
	v = ps_statements(p, '}');
	leave_scope(p, p->w->s->cwd);
	p->w->s->cwd = p->moves ? CODE_HOLE : cwd;
	p->it = old;
	p->calls--;
	if (!p->failed)
		p->i = back;
	p->w->here = here;
	return v;
}

void ps_walk_blocks(struct ps *p, const struct ps_val *v)
{
	if (v->kind == PS_BLOCK)
		ps_block_at(p, v->from, NULL);
	for (size_t i = 0; v->kind == PS_LIST && i < v->nitems; i++)
		ps_walk_blocks(p, &v->items[i]);
}

/* ---- functions ---- */

const struct ps_function *ps_function(struct ps *p, struct str name)
{
	for (size_t i = p->nfunctions; i > 0; i--)
		if (p->functions[i - 1].name.n == name.n && !strncasecmp(p->functions[i - 1].name.p, name.p,
				name.n))
			return &p->functions[i - 1];
	return NULL;
}

/* Reads parameters up to and including the parenthesis. Binds arguments by position if none is named. */
static void bind_parameters(struct ps *p, const struct ps_arg *args, size_t n)
{
	size_t k = 0;
	bool named = false;

	for (size_t i = 0; i < n; i++)
		named |= args[i].param.n > 0 || args[i].splat;
	for (;;) {
		ps_newlines(p);
		if (ps_end(p) || ps_at(p, 0) == ')')
			break;
		while (ps_at(p, 0) == '[' && !ps_end(p)) { /* types and attributes */
			unsigned open = 0;

			for (; !ps_end(p); p->i++) {
				if (strchr("{`$", ps_at(p, 0)) && !str_like_any(str_sub(p->s, p->i, p->i + 5),
						"$true $fals"))
					ps_mark(p, MARKER_ATTRIBUTE);
				open += ps_at(p, 0) == '[';
				open -= ps_at(p, 0) == ']';
				if (!open)
					break;
			}
			p->i++;
			ps_newlines(p);
		}
		if (!ps_take(p, '$'))
			return;
		struct str name = ps_variable_name(p);
		struct ps_var *var = ps_var(p, name, true);
		bool given = k < n && !named;

		ps_newlines(p);
		if (ps_at(p, 0) == '=') {
			p->i++;
			ps_newlines(p);
			ps_expression(p, 0);
			ps_newlines(p);
		}
		if (var && !p->mute) {
			var->val = given ? args[k].val : PS_UNKNOWN;
			var->block = p->nopen ? p->open[p->nopen - 1] : 0;
			if (!var->assigned)
				var->assigned = 1;
		}
		k++;
		if (ps_at(p, 0) == ',')
			p->i++;
		else if (ps_at(p, 0) != ')')
			ps_fail(p);
	}
	p->i++;
}

static bool take_keyword(struct ps *p, const char *word)
{
	size_t n = strlen(word);

	if (p->i >= p->s.n || p->s.n - p->i < n || strncasecmp(p->s.p + p->i, word, n) ||
			ps_name_char(ps_at(p, n)) || ps_at(p, n) == '-')
		return false;
	p->i += n;
	return true;
}

struct ps_val ps_call(struct ps *p, const struct ps_function *f, const struct ps_arg *args, size_t n)
{
	size_t back = p->i;
	struct str cwd = p->w->s->cwd;
	struct span here = p->w->here;
	struct ps_val v = PS_UNKNOWN;

	for (size_t i = 0; i < n; i++)
		ps_walk_blocks(p, &args[i].val);
	if (p->mute)
		return v;
	if (p->calls >= PS_CALLS_MAX) {
		ps_mark(p, MARKER_BOUND);
		return v;
	}
	p->calls++;
	enter_scope(p);
	if (f->params) {
		p->i = f->params;
		bind_parameters(p, args, n);
	}
	p->i = f->from;
	ps_newlines(p);
	if (!ps_end(p) && take_keyword(p, "param")) {
		ps_newlines(p);
		p->i++;
		bind_parameters(p, args, n);
	}
	ps_statements(p, '}');
	leave_scope(p, cwd);
	p->calls--;
	if (!p->failed)
		p->i = back;
	p->w->here = here;
	return v;
}

static void read_function(struct ps *p)
{
	struct ps_function f = {0};
	size_t from;

	ps_blanks(p);
	from = p->i;
	while (!ps_end(p) && !strchr(" \t\r\n({", ps_at(p, 0)))
		p->i++;
	f.name = str_sub(p->s, from, p->i);
	ps_newlines(p);
	if (ps_at(p, 0) == '(') {
		bool mute = p->mute;

		p->i++;
		f.params = p->i;
		p->mute = true;
		bind_parameters(p, NULL, 0);
		p->mute = mute;
		ps_newlines(p);
	}
	if (ps_at(p, 0) != '{' || !f.name.n) {
		ps_fail(p);
		return;
	}
	p->i++;
	f.from = p->i;
	ps_skip_block(p);
	/*
	 * Unclear calls: a function with the name of a cmdlet also runs through its aliases and from
	 * PowerShell itself. With two functions of one name, it is uncertain which one runs.
	 */
	if (str_has(f.name, ':') ||
			str_like_any(f.name, "prompt PSConsoleHostReadLine TabExpansion TabExpansion2") ||
			p->nfunctions == PS_FUNCTIONS_MAX || ps_cmdlet(f.name) || ps_function(p, f.name))
		ps_mark(p, MARKER_FUNCTION);
	else if (!p->mute)
		p->functions[p->nfunctions++] = f;
}

/* ---- statements ---- */

static void read_condition(struct ps *p)
{
	ps_newlines(p);
	if (ps_take(p, '('))
		ps_parenthesis(p);
}

/* Skips the keyword of the next part of a statement, which may be on a line of its own. */
static bool take_clause(struct ps *p, const char *keyword)
{
	size_t back = p->i;

	ps_newlines(p);
	if (!ps_end(p) && take_keyword(p, keyword))
		return true;
	p->i = back;
	return false;
}

static void if_statement(struct ps *p)
{
	read_condition(p);
	read_block(p);
	while (take_clause(p, "elseif")) {
		read_condition(p);
		read_block(p);
	}
	if (take_clause(p, "else"))
		read_block(p);
}

static void foreach_statement(struct ps *p)
{
	struct ps_val list;
	struct ps_var *var;
	size_t start, count;

	ps_blanks(p);
	if (ps_at(p, 0) == '-') {
		p->i++;
		if (!take_keyword(p, "parallel"))
			ps_fail(p);
		ps_blanks(p);
	}
	ps_take(p, '(');
	ps_newlines(p);
	if (!ps_take(p, '$'))
		return;
	var = ps_var(p, ps_variable_name(p), true);
	ps_newlines(p);
	if (!take_keyword(p, "in"))
		ps_fail(p);
	ps_newlines(p);
	list = ps_pipeline(p);
	ps_newlines(p);
	ps_take(p, ')');
	start = p->i;
	count = list.kind == PS_LIST ? list.nitems : 1;
	for (size_t k = 0; (k < count || k == 0) && !p->failed && !p->stopped; k++) {
		p->i = start;
		enter_scope(p);
		if (var && !p->mute) {
			var->val = list.kind == PS_LIST && list.nitems ? list.items[k] : list;
			var->block = p->open[p->nopen - 1];
		}
		loop_block(p);
		if (p->nopen)
			p->nopen--;
		if (p->mute)
			break;
	}
}

static void for_statement(struct ps *p)
{
	ps_newlines(p);
	ps_take(p, '(');
	for (unsigned part = 0; part < 3; part++) {
		ps_newlines(p);
		if (!ps_end(p) && ps_at(p, 0) != ';' && ps_at(p, 0) != ')')
			ps_pipeline(p);
		ps_newlines(p);
		if (ps_at(p, 0) == ';')
			p->i++;
	}
	ps_newlines(p);
	ps_take(p, ')');
	loop_block(p);
}

static void switch_statement(struct ps *p)
{
	struct str cwd = p->w->s->cwd;

	ps_blanks(p);
	while (ps_at(p, 0) == '-' && !ps_end(p)) {
		p->i++;
		if (!take_keyword(p, "regex") && !take_keyword(p, "wildcard") && !take_keyword(p, "exact") &&
				!take_keyword(p, "casesensitive"))
			ps_fail(p);
		ps_blanks(p);
	}
	read_condition(p);
	ps_newlines(p);
	ps_take(p, '{');
	while (!ps_end(p)) {
		ps_lines(p);
		if (ps_at(p, 0) == '}')
			break;
		struct ps_val v = strchr("$\"'({@0123456789", ps_at(p, 0)) && ps_at(p, 0) ? ps_primary(p) :
				ps_bare(p);
		ps_walk_blocks(p, &v);
		read_block(p);
	}
	if (ps_end(p))
		ps_fail(p);
	p->i++;
	if (!str_eq(cwd, p->w->s->cwd))
		p->w->s->cwd = CODE_HOLE;
}

static void try_statement(struct ps *p)
{
	read_block(p);
	while (take_clause(p, "catch")) {
		for (ps_newlines(p); !ps_end(p) && ps_at(p, 0) != '{'; p->i++)
			if (!ps_name_char(ps_at(p, 0)) && !strchr("[]., \t\r\n", ps_at(p, 0)))
				ps_fail(p);
		read_block(p);
	}
	if (take_clause(p, "finally"))
		read_block(p);
}

static void do_statement(struct ps *p)
{
	loop_block(p);
	ps_newlines(p);
	if (!take_keyword(p, "while") && !take_keyword(p, "until"))
		ps_fail(p);
	read_condition(p);
}

static void while_statement(struct ps *p)
{
	read_condition(p);
	loop_block(p);
}

static void read_jump(struct ps *p)
{
	ps_blanks(p);
	if (!ps_end(p) && !strchr("\n;})", ps_at(p, 0))) {
		struct ps_val v = ps_pipeline(p);
		ps_walk_blocks(p, &v);
	}
}

static void param_statement(struct ps *p)
{
	ps_newlines(p);
	ps_take(p, '(');
	bind_parameters(p, NULL, 0);
}

static void fail_construct(struct ps *p)
{
	ps_mark(p, MARKER_CONSTRUCT);
	ps_fail(p);
}

static const struct {
	const char *word;
	void (*read)(struct ps *);
	bool braced; /* keyword only before a brace */
} statements[] = {
	{"if", if_statement, false}, {"foreach", foreach_statement, false}, {"for", for_statement, false},
	{"while", while_statement, false}, {"do", do_statement, false}, {"switch", switch_statement, false},
	{"try", try_statement, false},
	{"trap", read_block, false}, {"function", read_function, false}, {"filter", read_function, false},
	{"return", read_jump, false}, {"throw", read_jump, false}, {"exit", read_jump, false},
	{"break", read_jump, false}, {"continue", read_jump, false}, {"param", param_statement, false},
	{"begin", read_block, true}, {"process", loop_block, true}, {"end", read_block, true},
	{"clean", read_block, true}, {"dynamicparam", read_block, true}, {"class", fail_construct, false},
	{"enum", fail_construct, false}, {"using", fail_construct, false}, {"data", fail_construct, false},
	{"workflow", fail_construct, false},
	{"configuration", fail_construct, false}, {"inlinescript", fail_construct, true},
	{"parallel", fail_construct, true}, {"sequence", fail_construct, true},
};

/*
 * Assigns to the left side of `=`. Variables get the value, members of data are ignored, and anything else
 * adds a marker.
 */
static void assign_value(struct ps *p, struct str left, const struct ps_val *target, const struct ps_val *v,
		bool plain)
{
	struct str name = left;

	while (name.n && name.p[0] == '[') { /* [int]$x */
		ptrdiff_t close = str_find(name, ']', 0);

		if (close < 0)
			break;
		name = str_from(name, (size_t)close + 1);
		plain = false;
	}
	while (name.n && ascii_is_blank(name.p[0]))
		name = str_from(name, 1);
	bool variable = name.n > 1 && name.p[0] == '$';
	for (size_t i = 1; i < name.n; i++)
		variable &= ps_name_char(name.p[i]) || name.p[i] == ':' || (name.p[i] == '{' && i == 1) ||
				(name.p[i] == '}' && i + 1 == name.n);
	if (variable && !p->mute) {
		size_t back = p->i;
		struct str var = str_from(name, 1);

		if (var.p[0] == '{')
			var = str_sub(var, 1, var.n - 1);
		ps_assign(p, var, plain || v->kind == PS_DATA ? *v : ps_of(CODE_HOLE));
		p->i = back;
	} else if (!variable && target->kind != PS_DATA && !(name.n && str_find(left, ',', 0) > 0) &&
			!str_starts(str_lower(p->a, left), "[console]::") &&
			!str_starts(str_lower(p->a, left), "[net.servicepointmanager]::")) {
		ps_mark(p, MARKER_PROPERTY);
	}
	if (!variable)
		ps_walk_blocks(p, v);
}

static struct ps_val read_element(struct ps *p, const struct ps_val *in)
{
	struct ps_val v;

	if (in || ps_starts_command(p))
		return ps_command(p, in);
	v = ps_expression(p, 0);
	for (ps_blanks(p); !ps_end(p) && ps_redirection(p); ps_blanks(p))
		;
	return v;
}

static struct ps_val read_statement(struct ps *p);

static bool read_assignment(struct ps *p, size_t from, struct ps_val target, struct ps_val *ret)
{
	char c = ps_at(p, 0);
	size_t n = c == '=' ? 1 : (strchr("+-*/%", c) && c && ps_at(p, 1) == '=') ? 2 :
			(c == '?' && ps_at(p, 1) == '?' && ps_at(p, 2) == '=') ? 3 : 0;
	struct str left = str_sub(p->s, from, p->i);

	if (!n || ps_end(p))
		return false;
	while (left.n && ascii_is_blank(left.p[left.n - 1]))
		left.n--;
	p->i += n;
	ps_newlines(p);
	struct ps_val v;
	static const char values[][8] = {"if", "foreach", "switch", "try", "while", "for", "do"};
	size_t start = p->i;
	for (size_t i = 0; i < ARRAY_SIZE(values) && p->i == start; i++)
		take_keyword(p, values[i]);
	bool is_statement = p->i != start; /* $x = if (...) {...}: walked, but its value is unknown */
	p->i = start;
	v = is_statement ? read_statement(p) : ps_pipeline(p);
	if (is_statement)
		v = PS_UNKNOWN;
	ps_at_span(p, from, p->i);
	assign_value(p, left, &target, &v, n == 1);
	*ret = v;
	return true;
}

struct ps_val ps_pipeline(struct ps *p)
{
	size_t from = p->i;
	struct ps_val v;

	if (!ps_enter(p))
		return PS_UNKNOWN;
	v = read_element(p, NULL);
	ps_blanks(p);
	if (!read_assignment(p, from, v, &v)) {
		for (;;) {
			size_t back = p->i;

			ps_newlines(p);
			if (ps_end(p))
				break;
			bool pipe = ps_at(p, 0) == '|' && ps_at(p, 1) != '|',
					chain = (ps_at(p, 0) == '|' || ps_at(p, 0) == '&') &&
					ps_at(p, 1) == ps_at(p, 0);
			if (!pipe && !chain) {
				p->i = back;
				if (ps_at(p, 0) == '&') /* runs in the background */
					p->i++;
				break;
			}
			p->i += pipe ? 1 : 2;
			ps_newlines(p);
			struct ps_val in = v;
			v = read_element(p, pipe ? &in : NULL);
			ps_blanks(p);
		}
	}
	p->depth--;
	return v;
}

static struct ps_val read_statement(struct ps *p)
{
	struct ps_val none = {.kind = PS_NULL};

	if (ps_at(p, 0) == ':' && ps_name_char(ps_at(p, 1))) { /* a label */
		while (ps_at(p, 0) == ':' || ps_name_char(ps_at(p, 0)))
			p->i++;
		ps_newlines(p);
	}
	for (size_t i = 0; i < ARRAY_SIZE(statements); i++)
		if (take_keyword(p, statements[i].word)) {
			size_t after = p->i;

			ps_newlines(p);
			if (statements[i].braced && ps_at(p, 0) != '{') { /* a command with this name */
				p->i = after - strlen(statements[i].word);
				break;
			}
			p->i = after;
			statements[i].read(p);
			return none;
		}
	struct ps_val v = ps_pipeline(p);
	ps_blanks(p);
	if (!ps_end(p) && !strchr("\n;})", ps_at(p, 0)))
		ps_fail(p);
	return v;
}

struct ps_val ps_statements(struct ps *p, char end)
{
	struct ps_val last = {.kind = PS_NULL};
	unsigned n = 0;

	if (p->depth >= PS_DEPTH_MAX) {
		p->stopped = true;
		ps_mark(p, MARKER_BOUND);
		return last;
	}
	p->depth++;
	while (ps_step(p)) {
		ps_lines(p);
		if (ps_end(p))
			break;
		if (ps_at(p, 0) == '}' || ps_at(p, 0) == ')') {
			if (ps_at(p, 0) != end)
				ps_fail(p);
			break;
		}
		last = read_statement(p);
		n++;
	}
	if (end && !p->failed && !p->stopped) {
		if (p->i >= p->s.n)
			ps_fail(p);
		p->i++;
	}
	p->depth--;
	return n > 1 ? PS_UNKNOWN : last;
}

/* ---- entry point ---- */

void powershell_walk(struct code_walk *w, TSNode root)
{
	static const char moves[][16] = {"cd ", "cd\n", "set-location", "push-location", "pop-location",
			"pushd", "popd", "chdir", "sl "};
	static const char quotes[][4] = {"\xE2\x80\x98", "\xE2\x80\x99", "\xE2\x80\x9A", "\xE2\x80\x9B",
			"\xE2\x80\x9C", "\xE2\x80\x9D", "\xE2\x80\x9E"};
	static const char blanks[][4] = {"\xC2\x85", "\xC2\xA0", "\xE1\x9A\x80", "\xE2\x80\x80",
			"\xE2\x80\x81", "\xE2\x80\x82", "\xE2\x80\x83", "\xE2\x80\x84", "\xE2\x80\x85",
			"\xE2\x80\x86",
		"\xE2\x80\x87", "\xE2\x80\x88", "\xE2\x80\x89", "\xE2\x80\x8A", "\xE2\x80\xA8",
		"\xE2\x80\xA9", "\xE2\x80\xAF", "\xE2\x81\x9F", "\xE3\x80\x80"};
	struct ps *p = arena_new(w->a, struct ps);
	struct str cwd = w->s->cwd;

	(void)root;
	*p = (struct ps){.w = w, .a = w->a, .s = w->src, .start = cwd, .it = PS_UNKNOWN};
	ps_at_span(p, 0, w->src.n);
	for (size_t i = 0; i < ARRAY_SIZE(moves); i++)
		p->moves |= str_contains_nocase(w->src, moves[i]);
	for (size_t i = 0; i < ARRAY_SIZE(quotes); i++)
		if (str_contains_nocase(w->src, quotes[i])) {
			ps_mark(p, MARKER_UNICODE); /* PowerShell reads these as quotes */
			break;
		}
	for (size_t i = 0; i < ARRAY_SIZE(blanks); i++)
		if (str_contains_nocase(w->src, blanks[i])) {
			ps_mark(p, MARKER_UNICODE); /* PowerShell reads these as blanks */
			break;
		}
	if (str_contains_nocase(w->src, "amsiutils") || str_contains_nocase(w->src, "amsiinit") ||
			str_contains_nocase(w->src, "amsiscan") || str_contains_nocase(w->src, "amsi.dll"))
		ps_mark(p, MARKER_PROTECTIONS);
	ps_count_assignments(p);
	enter_scope(p);
	ps_statements(p, '\0');
	if (p->failed)
		w->code->parsed = w->code->complete = false;
	if (p->stopped)
		w->code->complete = false;
	w->s->cwd = cwd;
}
