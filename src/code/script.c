/*
 * Perl, Ruby, PHP and Lua on a command line. Finds programs that are harmless except for known functions with
 * constant arguments. One scanner serves all four languages; a row per language holds the differences.
 *
 * The scanner splits the text into tokens: strings, comments, patterns, names, operators. A name is harmless
 * if it is on the language's list (keywords, functions without effect), or cannot be a call: a variable, a
 * hash key, a name that the text defines. Any other name makes the program not harmless, and so does anything
 * that the scanner does not understand. Interpolation that could hold code, here-documents, and forms that
 * evaluate (s///e, #{...} with more than a name) are scanned or refused.
 */
#include "code/script.h"

char script_closing(char c)
{
	switch (c) {
	case '(': return ')';
	case '[': return ']';
	case '{': return '}';
	case '<': return '>';
	}
	return c;
}

size_t script_blanks(const struct script *x, size_t i)
{
	while (i < x->s.n && ascii_is_space(x->s.p[i]))
		i++;
	return i;
}

static bool scan_until(struct script *x, char end);

bool script_inner(struct script *x, char end)
{
	bool operand = x->operand, ok;

	if (++x->nest > NEST_MAX)
		return false;
	x->operand = false;
	ok = scan_until(x, end);
	x->operand = operand;
	x->nest--;
	return ok;
}

/*
 * Scans interpolated code: ${...} and {$...} in PHP strings, #{...} in Ruby strings. The index in PHP's
 * "$x[...]" is not code. False if not understood.
 */
static bool read_interpolation(struct script *x)
{
	char c = script_at(x, 0), next = script_at(x, 1);

	if (x->l->sigil && c == '$' && next == '{')
		return x->i += 2, script_inner(x, '}');
	if (x->l->sigil && c == '{' && next == '$')
		return x->i++, script_inner(x, '}');
	if (x->l->hash_brace && c == '#' && next == '{')
		return x->i += 2, script_inner(x, '}');
	x->i++;
	return true;
}

/* Skips a string up to and including `end`; brackets nest. `live`: scans the code interpolated in it. */
static bool read_text(struct script *x, char open, char end, bool live)
{
	unsigned depth = 0;

	while (x->i < x->s.n) {
		char c = script_at(x, 0);

		if (c == '\\') {
			x->i += 2;
		} else if (x->l->dash_comment && (c == '\n' || c == '\r')) {
			return false; /* Lua: an error, or skipped after \z */
		} else if (open != end && c == open) {
			depth++;
			x->i++;
		} else if (c == end) {
			x->i++;
			if (!depth--)
				return true;
		} else if (live && (c == '$' || c == '#' || c == '{')) {
			if (!read_interpolation(x))
				return false;
		} else {
			x->i++;
		}
	}
	return false;
}

static bool read_quoted(struct script *x)
{
	char c = script_at(x, 0);

	x->i++;
	x->operand = true;
	x->bare = x->word = false;
	if (x->l->perl)
		return perl_text(x, c, c == '"' ? PERL_STRING : PERL_DEAD);
	return read_text(x, c, c, c == '"' && (x->l->sigil || x->l->hash_brace));
}

/* Skips a pattern /.../flags. */
static bool read_pattern(struct script *x)
{
	x->i++;
	if (!(x->l->perl ? perl_text(x, '/', PERL_PATTERN) : read_text(x, '/', '/', true)))
		return false;
	return perl_flags(x, x->l->perl ? PERL_FLAGS : "imxnus");
}

/* ---- names ---- */

static bool is_local(const struct script *x, struct str name)
{
	for (size_t i = 0; i < x->nlocals; i++)
		if (str_eq(x->locals[i], name))
			return true;
	return false;
}

static void learn_name(struct script *x, struct str name)
{
	if (x->nlocals < LOCALS_MAX)
		x->locals[x->nlocals++] = name;
}

/* Reads the operand of use or require. True if it is a library without effect. */
static bool read_library(struct script *x)
{
	size_t from;
	bool quote;

	x->i = script_blanks(x, x->i);
	if (script_at(x, 0) == '(')
		x->i = script_blanks(x, x->i + 1);
	quote = script_at(x, 0) == '\'' || script_at(x, 0) == '"';
	x->i += quote;
	from = x->i;
	while (ascii_is_name_start(script_at(x, 0)) || text_digit(script_at(x, 0)) ||
			script_at(x, 0) == ':' ||
			script_at(x, 0) == '.' || script_at(x, 0) == '/' || script_at(x, 0) == '-')
		x->i++;
	struct str name = str_sub(x->s, from, x->i);
	x->i += quote;
	x->operand = true;
	if (x->l->perl)
		perl_library(x, name);
	return str_is_any(name, x->l->libraries) ||
			(x->l->perl && name.n && (text_digit(name.p[0]) || name.p[0] == 'v'));
}

/* Ruby: false if arguments follow, because a local name with arguments is still a call. */
static bool after_local(const struct script *x, size_t i)
{
	size_t to = i;

	while (to < x->s.n && ascii_is_name_start(x->s.p[to]))
		to++;
	if (to > i)
		return str_is_any(str_sub(x->s, i, to),
				"if unless and or then do end while until in rescue else");
	return i >= x->s.n || !strchr("(\"'$@", x->s.p[i]);
}

/* PHP: true if fn(...) => or function (...) starts here. */
static bool function_follows(const struct script *x, size_t i)
{
	size_t to;

	i = script_blanks(x, i);
	for (to = i; to < x->s.n && ascii_is_name_start(x->s.p[to]);)
		to++;
	return str_is_any(str_sub(x->s, i, to), "fn function");
}

static bool name_byte(const struct script *x)
{
	char c = script_at(x, 0);

	return ascii_is_name_start(c) || text_digit(c) ||
			(x->l->marks && (c == '?' || c == '!') && script_at(x, 1) != '=');
}

struct script_name {
	struct str text;
	size_t from;      /* offset of the name */
	size_t after;     /* offset of the next byte that is not blank */
	char next, next2; /* byte at `after`, and the one after it */
	bool member;      /* a member of the value before it */
};

/* True for names that run or load something unknown. */
static bool refused_name(const struct script *x, const struct script_name *n)
{
	if (x->l->perl && str_is_any(n->text, "do") && n->next != '{')
		return true; /* do FILE */
	if (x->l->roots && str_is_any(n->text, x->l->roots) && !n->member && n->next != '.')
		return true;
	return x->l->marks && !n->member && is_local(x, n->text) &&
			!memchr(x->s.p + x->i, '\n', n->after - x->i) &&
		!after_local(x, n->after);
}

/* True for a key of a Perl hash or a keyword argument of Ruby. */
static bool key_name(struct script *x, const struct script_name *n)
{
	if (x->l->marks && n->next == ':' && n->next2 != ':')
		return true;
	if (!x->l->perl)
		return false;
	return (n->next == '=' && n->next2 == '>') ||
		(n->next == '}' && n->from > 0 && x->s.p[n->from - 1] == '{' &&
		perl_subscript(x, n->from - 1));
}

/* Ruby and Lua: true if the name is assigned, by = or a compound assignment. */
static bool assigned_name(const struct script *x, const struct script_name *n)
{
	if (x->l->sigil)
		return false;
	if (n->next == '=')
		return n->next2 != '=' && n->next2 != '~';
	return (n->next == '+' || n->next == '-' || n->next == '*') && n->next2 == '=';
}

/* True if a name without an entry in `acts` is known to have no effect. */
static bool harmless_name(struct script *x, const struct script_name *n)
{
	if (refused_name(x, n))
		return false;
	if (x->l->sigil && !x->l->perl && str_is_any(n->text, "array_map") && !n->member && n->next == '(')
		/* otherwise a string names the function that array_map calls */
		return function_follows(x, n->after + 1);
	if (n->member)
		return str_is_any(n->text, x->l->members);
	/* my, local, def, function: a definition follows */
	if (str_is_any(n->text, x->l->defines)) {
		x->operand = false;
		return true;
	}
	if (str_is_any(n->text, x->l->words) || is_local(x, n->text) || key_name(x, n))
		return true;
	if (!assigned_name(x, n))
		return false;
	learn_name(x, n->text);
	return true;
}

static bool scan_name(struct script *x)
{
	struct script_name n = {.from = x->i, .member = x->arrow};
	int like;

	while (name_byte(x))
		x->i++;
	n.text = str_sub(x->s, n.from, x->i);
	like = x->l->perl ? perl_word(x, n.text, n.from) : 0;
	if (!like)
		like = script_effect(x, n.text, n.from);
	x->arrow = false;
	x->names = x->l->perl && str_is(n.text, "sub");
	if (like)
		return like > 0;
	n.after = script_blanks(x, x->i);
	n.next = n.after < x->s.n ? x->s.p[n.after] : '\0';
	n.next2 = n.after + 1 < x->s.n ? x->s.p[n.after + 1] : '\0';
	if (str_is_any(n.text, x->l->import) && !n.member) {
		x->lax |= str_is(n.text, "no");
		return read_library(x);
	}
	if (str_is_any(n.text, x->l->never))
		return false;
	x->operand = !str_is_any(n.text, x->l->before) || n.member;
	x->bare = x->operand && !is_local(x, n.text);
	x->word = true;
	x->handle = PERL_HANDLE_NONE;
	return harmless_name(x, &n);
}

/* Learns the parameters of a block, between bars: |a, b|. */
static bool read_block_parameters(struct script *x)
{
	size_t i = x->i + 1;

	while (i < x->s.n && x->s.p[i] != '|') {
		size_t from = i;

		while (i < x->s.n && (ascii_is_name_start(x->s.p[i]) || text_digit(x->s.p[i])))
			i++;
		if (i > from)
			learn_name(x, str_sub(x->s, from, i));
		else if (!strchr(" ,()*&\n", x->s.p[i]))
			return false;
		else
			i++;
	}
	x->i = i + 1;
	x->operand = false;
	return i < x->s.n;
}

/*
 * Lua: learns the names in `local a, b`, `for k, v in` and `function f(a, b)`. Runs before the scan, over the
 * whole text.
 */
static void learn_lua(struct script *x)
{
	for (size_t i = 0; i < x->s.n; i++) {
		static const char words[][16] = {"local ", "for ", "function ", "function(",
				"local function "};

		for (size_t k = 0; k < ARRAY_SIZE(words); k++) {
			size_t n = strlen(words[k]), j = i + n, from;

			if (x->s.n - i < n || memcmp(x->s.p + i, words[k], n) ||
					(i && ascii_is_name_start(x->s.p[i - 1])))
				continue;
			for (;;) {
				while (j < x->s.n && (ascii_is_space(x->s.p[j]) || x->s.p[j] == ',' ||
						x->s.p[j] == '('))
					j++;
				from = j;
				while (j < x->s.n && (ascii_is_name_start(x->s.p[j]) ||
						text_digit(x->s.p[j])))
					j++;
				struct str w = str_sub(x->s, from, j);
				if (!w.n || str_is_any(w, "in function do") || text_digit(w.p[0]))
					break;
				/* never accept a name that would hide one of these */
				if (str_is_any(w, x->l->never) ||
						str_is_any(w, "io os debug package _G _ENV string"))
					break;
				learn_name(x, w);
				size_t after = script_blanks(x, j);
				if (after >= x->s.n || (x->s.p[after] != ',' && x->s.p[after] != '('))
					break;
				j = after;
			}
		}
	}
}

/* ---- tokens ---- */

/* True if c ends a line. In PHP and Lua a carriage return does, too. */
static bool line_end(const struct script *x, char c)
{
	return c == '\n' || (c == '\r' && (x->l->slash_comment || x->l->dash_comment));
}

static bool skip_comment(struct script *x, bool *ret)
{
	char c = script_at(x, 0), next = script_at(x, 1);
	bool hash = x->l->hash_comment && c == '#', slashes = x->l->slash_comment && c == '/' && next == '/';
	bool dashes = x->l->dash_comment && c == '-' && next == '-';

	*ret = true;
	if (x->l->slash_comment && c == '/' && next == '*') {
		for (x->i += 2; x->i < x->s.n && !(script_at(x, 0) == '*' && script_at(x, 1) == '/');)
			x->i++;
		x->i += 2;
		return true;
	}
	if (!hash && !slashes && !dashes)
		return false;
	if (dashes && script_at(x, 2) == '[')
		*ret = false; /* --[[ ]] */
	if (hash && next == '[' && x->l->slash_comment)
		*ret = false; /* an attribute in PHP 8, a comment before */
	for (; x->i < x->s.n && !line_end(x, script_at(x, 0)); x->i++)
		if (x->l->slash_comment && script_at(x, 0) == '?' && script_at(x, 1) == '>')
			*ret = false; /* ?> ends PHP mode, and the comment with it */
	return true;
}

/* Scans a variable: $name in PHP; $name, @name, %name, $#name, $_, $0, $1, $$, $. ... in Perl. */
static bool read_sigil(struct script *x)
{
	char c = script_at(x, 0), next;

	if (c == '%' && (x->operand || !x->l->perl))
		return x->i++, x->operand = false, true; /* % is an operator here */
	if (c == '&' || c == '*')
		return false;
	if (x->l->perl)
		return perl_variable(x);
	x->i++;
	next = script_at(x, 0);
	x->operand = true;
	x->bare = false;
	if (!ascii_is_name_start(next))
		return false; /* PHP: $$x and ${..} are variable variables */
	size_t from = x->i;
	while (ascii_is_name_start(script_at(x, 0)) || text_digit(script_at(x, 0)))
		x->i++;
	/* $f(...) calls the function that the variable names */
	return script_at(x, 0) != '(' && !str_is_any(str_sub(x->s, from, x->i), "GLOBALS");
}

/*
 * Scans 12, 1_000, 1.5, 1e-3, 0xff, 0b11. Fails if a letter follows directly (1or, 1x): some languages start
 * a new word there.
 */
static bool read_number(struct script *x)
{
	bool prefixed = script_at(x, 0) == '0' && script_at(x, 1) && strchr("xXbBoO", script_at(x, 1));
	size_t from;

	x->i += prefixed ? 2 : 0;
	for (from = x->i; text_digit(script_at(x, 0)) || script_at(x, 0) == '_' ||
			(prefixed && script_at(x, 0) && strchr("abcdefABCDEF", script_at(x, 0)));)
		x->i++;
	while (!prefixed && script_at(x, 0) == '.' && text_digit(script_at(x, 1)))
		for (x->i++; text_digit(script_at(x, 0)) || script_at(x, 0) == '_';)
			x->i++;
	if (!prefixed && (script_at(x, 0) == 'e' || script_at(x, 0) == 'E')) {
		x->i += 1 + (script_at(x, 1) == '-' || script_at(x, 1) == '+');
		for (from = x->i; text_digit(script_at(x, 0));)
			x->i++;
	}
	x->operand = true;
	x->bare = x->word = false;
	return x->i > from && !ascii_is_name_start(script_at(x, 0));
}

/*
 * Each read_ function handles one kind of operator. Returns 1 if scanned, 0 for anything else, -1 if not
 * harmless.
 */
static int read_ampersand(struct script *x)
{
	char next = script_at(x, 1);

	if (script_at(x, 0) != '&')
		return 0;
	if (next == '&') {
		x->i += 2;
		x->operand = false;
		return 1;
	}
	if (!x->operand && x->l->perl)
		return -1; /* &f calls f */
	if (next == ':' && x->l->marks) { /* &:name passes the method of that name */
		x->i += 2;
		x->arrow = true;
		return ascii_is_name_start(script_at(x, 0)) ? 1 : -1;
	}
	if (!x->operand && x->l->marks)
		return -1;
	if (next == '.' && x->l->marks) {
		x->i += 2;
		x->arrow = true;
		return 1;
	}
	return 0;
}

/* Handles <STDIN> and <>; refuses here-documents. */
static int read_angle(struct script *x)
{
	char next = script_at(x, 1);

	if (script_at(x, 0) != '<')
		return 0;
	if (!x->operand && (x->l->perl || next == '<')) {
		size_t n = x->l->perl && next == '>' ? 2 : x->l->perl && x->s.n - x->i >= 7 &&
				!memcmp(x->s.p + x->i, "<STDIN>", 7) ? 7 : 0;

		x->i += n;
		x->operand = true;
		x->reads_argv |= n == 2;
		return n ? 1 : -1;
	}
	if (next == '<' && !x->l->dash_comment && (script_at(x, 2) == '~' || script_at(x, 2) == '"' ||
			script_at(x, 2) == '\'' || script_at(x, 2) == '-' || script_at(x, 2) == '<' ||
			ascii_is_name_start(script_at(x, 2))))
		return -1; /* possibly a here-document */
	return 0;
}

static int read_colon(struct script *x)
{
	if (script_at(x, 0) == ':' && script_at(x, 1) == ':') {
		x->i += 2;
		x->arrow = true;
		return x->l->perl ? -1 : 1;
	}
	/* a symbol */
	if (script_at(x, 0) == ':' && ascii_is_name_start(script_at(x, 1)) && x->l->marks && !x->operand) {
		size_t from = ++x->i;

		while (ascii_is_name_start(script_at(x, 0)) || text_digit(script_at(x, 0)))
			x->i++;
		x->operand = true;
		return str_is_any(str_sub(x->s, from, x->i), x->l->never) ? -1 : 1;
	}
	return 0;
}

static int read_minus(struct script *x)
{
	char next = script_at(x, 1);

	if (script_at(x, 0) != '-')
		return 0;
	if (next == '>') {
		x->i += 2;
		while (ascii_is_space(script_at(x, 0)))
			x->i++;
		if (x->l->perl && (script_at(x, 0) == '(' || script_at(x, 0) == '$' ||
				script_at(x, 0) == '&'))
			return -1;
		if (x->l->sigil && !x->l->perl && (script_at(x, 0) == '$' || script_at(x, 0) == '{'))
			return -1;
		x->arrow = ascii_is_name_start(script_at(x, 0));
		if (x->l->perl && (script_at(x, 0) == '[' || script_at(x, 0) == '{'))
			perl_dereference(x);
		return 1;
	}
	/* file tests: -e -f -d */
	if (x->l->perl && (!x->operand || x->bare) && ascii_is_name_start(next) &&
			!ascii_is_name_start(script_at(x, 2)) && !text_digit(script_at(x, 2))) {
		if (x->operand)
			return -1; /* lc -s: a file test or a subtraction */
		x->i += 2;
		return strchr("edfrwxszl", next) ? 1 : -1;
	}
	return 0;
}

static int read_dot(struct script *x)
{
	char c = script_at(x, 0), next = script_at(x, 1);

	if ((c == '.' && x->l->dot_member && (ascii_is_name_start(next) || ascii_is_space(next))) ||
			(c == ':' && x->l->dash_comment && ascii_is_name_start(next))) {
		x->i++;
		while (ascii_is_space(script_at(x, 0)))
			x->i++;
		x->arrow = ascii_is_name_start(script_at(x, 0));
		return 1;
	}
	return 0;
}

/* True if the next line may start a new statement (Perl, Ruby). In PHP a call may continue across lines. */
static bool line_follows(const struct script *x)
{
	size_t to = script_blanks(x, x->i);

	return (x->l->perl || x->l->marks) && to > x->i && memchr(x->s.p + x->i, '\n', to - x->i);
}

/* True for operators that run something, or that this scanner does not track. */
static bool refused_operator(const struct script *x)
{
	char c = script_at(x, 0);

	if (c == '(' && x->operand && !x->bare && x->l->sigil && !x->l->perl)
		return true; /* PHP: calls the function that a variable or string names */
	if (c == '?' && script_at(x, 1) == '>')
		return true;
	/* *name accesses the symbol table; %" is a variable */
	return (c == '*' || c == '%') && x->l->perl && !x->operand;
}

/* True if the character is a plain operator or bracket in this language. */
static bool plain_operator(const struct script *x)
{
	char c = script_at(x, 0), before = x->i ? x->s.p[x->i - 1] : '\n';

	if (!strchr("+-*/%=<>!~^|&?:;,.()[]{}\\#", c) || (c == '#' && !x->l->dash_comment) ||
			(c == '\\' && !x->l->perl))
		return false;
	/* not =begin or =pod */
	return c != '=' || !ascii_is_name_start(script_at(x, 1)) || (before != '\n' && before != '\r');
}

static bool scan_operator(struct script *x)
{
	static int (*const kinds[])(struct script *) = {read_ampersand, read_angle, read_colon, read_minus,
			read_dot};
	char c = script_at(x, 0);

	if (c == '`')
		return script_backquote(x);
	if (refused_operator(x))
		return false;
	/* a doubled operator is one token */
	x->i += script_at(x, 1) == c && (c == '|' || (x->l->perl && (c == '*' || c == '/')));
	if (c == '@' && x->l->sigil && !x->l->perl) { /* PHP: @ suppresses warnings */
		x->i++;
		return true;
	}
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		int is = kinds[i](x);

		if (is)
			return is > 0;
	}
	if (!plain_operator(x))
		return false;
	if (x->l->perl)
		perl_operator(x);
	x->i++;
	x->operand = c == ')' || c == ']' || c == '}';
	x->word = false;
	x->handle = PERL_HANDLE_NONE;
	x->bare = (c == '}' && (x->l->perl || x->l->marks)) || (c == ')' && line_follows(x));
	return true;
}

/*
 * After a name that may take arguments, or a brace: "f /2" or "f /x/"? Unambiguous with a blank on both
 * sides, or on none.
 */
static bool is_uncertain(const struct script *x)
{
	char c = script_at(x, 0);
	bool before = x->i > 0 && ascii_is_space(x->s.p[x->i - 1]), after = ascii_is_space(script_at(x, 1)) ||
			script_at(x, 1) == '=';

	if (x->bare && (c == '/' || x->l->perl))
		return c == '/' || c == '?' || (c == '<' && !after) || (c == '%' && !after);
	/* Ruby's own rule; a variable in a block may be a method outside of it */
	return before && !after;
}

/* Scans Ruby's $x, @x, $1, $~. */
static bool scan_ruby_variable(struct script *x)
{
	size_t from;

	x->i += 1 + (script_at(x, 1) == '@');
	from = x->i;
	while (ascii_is_name_start(script_at(x, 0)) || text_digit(script_at(x, 0)))
		x->i++;
	x->operand = true;
	x->bare = x->word = false;
	/* these two control where require searches */
	return x->i > from && !str_is_any(str_sub(x->s, from, x->i), "LOAD_PATH LOADED_FEATURES");
}

/* Scans Ruby's %w[...] and similar literals. */
static bool scan_percent_text(struct script *x)
{
	char open = script_at(x, 2);

	if (!script_at(x, 1) || !strchr("wqix", script_at(x, 1)) || !open || !strchr("([{<|/", open))
		return false;
	x->i += 3;
	if (x->s.p[x->i - 2] == 'x')
		return script_shell_text(x, open, x->i - 3);
	x->operand = true;
	return read_text(x, open, script_closing(open), false);
}

/* True at $ in Perl and PHP, and at @ or % where Perl expects a variable. */
static bool at_sigil(const struct script *x)
{
	char c = script_at(x, 0), next = script_at(x, 1);

	if (!x->l->sigil || c == '$' || !x->l->perl)
		return x->l->sigil && c == '$';
	return c == '@' || (c == '%' && !x->operand &&
			(ascii_is_name_start(next) || next == '$' || next == '{'));
}

/* True if / % ? or < after a name may be either an operator or the start of a string. */
static bool ambiguous(const struct script *x)
{
	char c = script_at(x, 0);

	if ((c != '/' && c != '%' && c != '?' && c != '<') || (!x->l->perl && !x->l->marks) || !x->operand)
		return false;
	return (x->bare || (x->l->marks && x->word)) && is_uncertain(x);
}

/*
 * Scans comments, strings, names, numbers and variables. True if it was one of these; *ret is then the
 * result.
 */
static bool scan_common(struct script *x, bool *ret)
{
	char c = script_at(x, 0), before = x->i ? x->s.p[x->i - 1] : ' ';

	if (skip_comment(x, ret))
		return true;
	if (x->l->perl && c == '\'' && (ascii_is_name_start(before) || text_digit(before)))
		*ret = false; /* $a'b is the same as $a::b */
	else if (c == '"' || c == '\'')
		*ret = read_quoted(x);
	else if (c == '[' && x->l->dash_comment && (script_at(x, 1) == '[' || script_at(x, 1) == '='))
		*ret = false; /* [[long string]] */
	else if (ascii_is_name_start(c))
		*ret = scan_name(x);
	else if (text_digit(c))
		*ret = read_number(x);
	else if (at_sigil(x))
		*ret = read_sigil(x);
	else
		return false;
	return true;
}

static bool scan_token(struct script *x)
{
	bool regex = x->l->perl || x->l->marks, ok;
	char c = script_at(x, 0);

	if (ascii_is_space(c)) {
		/* Ruby: the statement ends, or continues with a dot: / and % start a literal */
		if (c == '\n' && x->l->marks)
			x->operand = x->bare = false;
		x->i++;
		return true;
	}
	if (scan_common(x, &ok))
		return ok;
	if (x->l->marks && (c == '$' || c == '@'))
		return scan_ruby_variable(x);
	if (x->l->marks && c == '%' && !x->operand)
		return scan_percent_text(x);
	if (x->l->marks && c == '|' && !x->operand && x->i > 0)
		return read_block_parameters(x);
	if (ambiguous(x) || (x->l->perl && perl_handle(x)))
		return false;
	if (c == '/' && !x->operand && regex)
		return (!x->l->perl || script_at(x, 1) != '/' || perl_empty_pattern(x)) && read_pattern(x);
	if (c == '?' && !x->operand && regex)
		return false;
	return scan_operator(x);
}

static bool scan_until(struct script *x, char end)
{
	unsigned depth = 0;
	char open = end == '}' ? '{' : end == ']' ? '[' : '\0';

	while (x->i < x->s.n) {
		if (end && script_at(x, 0) == end && !depth--) {
			x->i++;
			return true;
		}
		if (end && script_at(x, 0) == open)
			depth++;
		size_t before = x->i;
		if (!scan_token(x) || x->i == before || x->i > x->s.n)
			return false;
	}
	return !end;
}

/* The library in the argument of perl -M: "List::Util=sum,max". Empty if the argument contains more. */
static struct str library_name(struct str s)
{
	size_t n = 0, k;

	while (n < s.n && (ascii_is_name_start(s.p[n]) || text_digit(s.p[n]) || s.p[n] == ':'))
		n++;
	for (k = n + 1; n < s.n && s.p[n] == '=' && k < s.n &&
			(ascii_is_name_start(s.p[k]) || text_digit(s.p[k]) || s.p[k] == ',' ||
			s.p[k] == ':');)
		k++;
	return n == s.n || (n < s.n && s.p[n] == '=' && k == s.n) ? str_first(s, n) : STR("");
}

/* Handles the argument of ruby -r: a library or a file. False if it is neither. */
static bool is_required_library(struct script *x)
{
	for (size_t i = 0; i < x->s.n; i++)
		if (!ascii_is_name_start(x->s.p[i]) && !text_digit(x->s.p[i]) && !strchr("./-", x->s.p[i]))
			return false;
	if (!x->s.n || str_is_any(x->s, x->l->words))
		return false;
	script_here(x, 0);
	if (!str_is_any(x->s, x->l->libraries))
		code_access(x->w, ACCESS_EXEC, strchr("./", x->s.p[0]) ? x->s : CODE_HOLE, false, "require",
				(TSNode){0});
	return true;
}

/*
 * False if part of the text may not be code. Lua skips a first line that starts with #. PHP treats everything
 * outside <? ?> as plain text, on standard input from the start.
 */
static bool starts_plain(const struct script *x)
{
	if (x->l->dash_comment)
		return !x->s.n || x->s.p[0] != '#';
	return !x->l->slash_comment || !(str_contains(x->s, STR("<?")) || str_contains(x->s, STR("<%")) ||
			str_contains_nocase(x->s, "<script"));
}

/* Ruby: true if the text may change ARGV, because gets reads the files in it. */
static bool changes_arguments(const struct script *x)
{
	static const char words[][12] = {"push", "unshift", "concat", "insert", "append", "prepend",
			"replace", "fill", "<<", "] =", "]=", "map!", "merge"};

	for (size_t i = 0; str_contains(x->s, STR("ARGV")) && i < ARRAY_SIZE(words); i++)
		if (str_contains(x->s, str_of(words[i])))
			return true;
	return false;
}

void script_walk(struct code_walk *w, TSNode root)
{
	struct script x = {.w = w, .l = script_language(w->s->lang), .s = w->src};

	(void)root;
	if ((x.l->perl && str_is_any(library_name(x.s), x.l->libraries)) ||
			(x.l->marks && is_required_library(&x)))
		return; /* the argument of perl -M or ruby -r */
	if (x.l->dash_comment)
		learn_lua(&x);
	/* a started program would see changes of ENV */
	w->code->complete = starts_plain(&x) && scan_until(&x, '\0') &&
			!(x.runs && str_contains(x.s, STR("ENV"))) &&
			    !(x.l->perl && perl_symbolic(&x)) && !(x.l->marks && changes_arguments(&x));
}

/*
 * Handles perl -F. Perl quotes the pattern unless it starts with a delimiter; text after its closing
 * delimiter would be code.
 */
void script_pattern_walk(struct code_walk *w, TSNode root)
{
	struct str s = w->src;
	bool own = s.n && strchr("/\"'", s.p[0]);

	(void)root;
	for (size_t i = 0; i < s.n; i++)
		if (strchr("$@`{", s.p[i]) || !s.p[i] || (own && i > 0 && i + 1 < s.n && s.p[i] == s.p[0]))
			w->code->complete = false;
	if (own && (s.n < 2 || s.p[s.n - 1] != s.p[0]))
		w->code->complete = false;
}
