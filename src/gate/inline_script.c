/*
 * Perl, Ruby, PHP and Lua inside a command line: which programs are plainly harmless. One scanner for the four, with a row of what differs.
 *
 * It cuts the text into tokens: strings, comments, patterns, names, operators. A name is harmless when it is on the language's list (functions
 * without effect, words of the syntax), or when it cannot be a call: a variable, a key of a table, a name that the text itself defines. A
 * name that is none of these ends it: not harmless. So does whatever the scanner does not understand; interpolation that could hold code,
 * here-documents, and forms that evaluate (s///e, #{...} with more than a name) are looked into or refused.
 */
#include "gate/inline.h"

#define LOCALS_MAX 64
#define NEST_MAX 16 /* interpolations inside interpolations */

struct script {
	const struct script_language *l;
	struct str s;
	size_t i;
	bool operand;   /* the last token ends an operand: / divides, ? asks */
	bool bare;      /* it is a bare name that may take arguments, or a closing brace: what / starts is not certain */
	bool arrow;     /* . or -> or :: stands before: a member follows */
	unsigned nest;
	struct str locals[LOCALS_MAX];
	size_t nlocals;
};

static bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
static bool digit(char c) { return (c >= '0' && c <= '9') || c == HOLE_NUM; }
static bool space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
static char at(const struct script *x, size_t k) { return x->i + k < x->s.n ? x->s.p[x->i + k] : '\0'; }

static bool listed(struct str w, const char *list)
{
	for (const char *a = list; a && *a && w.n;) {
		size_t n = strcspn(a, " ");

		if (n == w.n && !memcmp(a, w.p, n))
			return true;
		a += n + (a[n] == ' ');
	}
	return false;
}

static bool scan(struct script *x, char end);

/* Code inside text, to its closing brace. */
static bool inner(struct script *x, char end)
{
	bool operand = x->operand, ok;

	if (++x->nest > NEST_MAX)
		return false;
	x->operand = false;
	ok = scan(x, end);
	x->operand = operand;
	x->nest--;
	return ok;
}

/* $x, @x, ${...}, @{...} and subscripts inside Perl's or PHP's text; #{...} in Ruby's. False: not understood. */
static bool interpolation(struct script *x, char end)
{
	char c = at(x, 0), next = at(x, 1);

	if (x->l->sigil && c == '@' && (next == '{' || next == '$' || letter(next)) && x->l->perl)
		return next != '{' ? (x->i++, true) : (x->i += 2, inner(x, '}'));
	if (x->l->sigil && c == '$' && next == '{')
		return x->i += 2, inner(x, '}');
	if (x->l->sigil && c == '{' && next == '$' && !x->l->perl)
		return x->i++, inner(x, '}');
	if (!x->l->sigil && c == '#' && next == '{' && x->l->hash_brace)
		return x->i += 2, inner(x, '}');
	if (x->l->sigil && c == '$' && letter(next)) { /* $x[...], $x{...}, $x->[...]: an index may be code */
		for (x->i++; letter(at(x, 0)) || digit(at(x, 0)) || at(x, 0) == ':';)
			x->i++;
		for (;;) {
			if (at(x, 0) == '-' && at(x, 1) == '>' && (at(x, 2) == '[' || at(x, 2) == '{'))
				x->i += 2;
			char open = at(x, 0);
			if ((open != '[' && open != '{') || open == end || !x->l->perl)
				return true;
			x->i++;
			if (!inner(x, open == '[' ? ']' : '}'))
				return false;
		}
	}
	x->i++;
	return true;
}

static char closing(char c)
{
	switch (c) {
	case '(': return ')';
	case '[': return ']';
	case '{': return '}';
	case '<': return '>';
	}
	return c;
}

/* Passes text up to `end`, which is passed; brackets nest. `live`: expressions inside it are looked into. */
static bool text(struct script *x, char open, char end, bool live)
{
	unsigned depth = 0;

	while (x->i < x->s.n) {
		char c = at(x, 0);

		if (c == '\\') {
			x->i += 2;
		} else if (open != end && c == open) {
			depth++;
			x->i++;
		} else if (c == end) {
			x->i++;
			if (!depth--)
				return true;
		} else if (live && (c == '$' || c == '@' || c == '#' || c == '{')) {
			/* (?{ code }) in a pattern is code */
			if (c == '{' && x->i > 1 && x->s.p[x->i - 1] == '?' && x->s.p[x->i - 2] == '(')
				return false;
			size_t before = x->i;
			if (!interpolation(x, end))
				return false;
			if (x->i == before)
				x->i++;
		} else {
			if (c == '?' && at(x, 1) == '?' && at(x, 2) == '{')
				return false;
			x->i++;
		}
	}
	return false;
}

static bool quoted(struct script *x)
{
	char c = at(x, 0);

	x->i++;
	x->operand = true;
	x->bare = false;
	return text(x, c, c, c == '"' && (x->l->sigil || x->l->hash_brace));
}

/* A pattern /.../flags. */
static bool pattern(struct script *x, char open)
{
	x->i++;
	if (!text(x, open, closing(open), true))
		return false;
	while (letter(at(x, 0)))
		if (at(x, 0) == 'e' || at(x, 0) == 'o')
			return false;
		else
			x->i++;
	x->operand = true;
	return true;
}

/* s{..}{..}flags, tr/../../, y: the second part is text, never code. */
static bool two_parts(struct script *x, bool live)
{
	char open = at(x, 0), end = closing(open);

	if (!open || letter(open) || digit(open) || space(open) || open == ',' || open == ';' || open == ')' || open == '=' || open == '#')
		return false;
	x->i++;
	if (!text(x, open, end, live && open != '\''))
		return false;
	if (open != end) {
		while (space(at(x, 0)))
			x->i++;
		open = at(x, 0);
		end = closing(open);
		if (!open || letter(open) || open == '#')
			return false;
		x->i++;
	}
	if (!text(x, open, end, live && open != '\''))
		return false;
	while (letter(at(x, 0)))
		if (live && at(x, 0) == 'e')
			return false;
		else
			x->i++;
	x->operand = true;
	return true;
}

/* Perl's q qq qw m qr s tr y, Ruby's %w[] %q() and its kin. 1: passed, 0: none of them, -1: not understood. */
static int quote_like(struct script *x, struct str word)
{
	char open = at(x, 0);
	bool plain = open && !letter(open) && !digit(open) && !space(open) && open != ',' && open != ';' && open != ')' && open != '=' && open != '#';

	if (!x->l->perl || x->arrow)
		return 0;
	if (listed(word, "s"))
		return plain ? (two_parts(x, true) ? 1 : -1) : 0;
	if (listed(word, "tr y"))
		return plain ? (two_parts(x, false) ? 1 : -1) : 0;
	if (!listed(word, "q qq qw m qr") || !plain)
		return 0;
	if (listed(word, "m qr"))
		return pattern(x, open) ? 1 : -1;
	x->i++;
	x->operand = true;
	return text(x, open, closing(open), listed(word, "qq")) ? 1 : -1;
}

/* ---- names ---- */

static bool local(const struct script *x, struct str name)
{
	for (size_t i = 0; i < x->nlocals; i++)
		if (str_eq(x->locals[i], name))
			return true;
	return false;
}

static void learn(struct script *x, struct str name)
{
	if (x->nlocals < LOCALS_MAX)
		x->locals[x->nlocals++] = name;
}

static size_t skip_blanks(const struct script *x, size_t i)
{
	while (i < x->s.n && space(x->s.p[i]))
		i++;
	return i;
}

/* What may follow use, require: names of libraries without effect. */
static bool library(struct script *x)
{
	size_t from;
	bool quote;

	x->i = skip_blanks(x, x->i);
	if (at(x, 0) == '(')
		x->i = skip_blanks(x, x->i + 1);
	quote = at(x, 0) == '\'' || at(x, 0) == '"';
	x->i += quote;
	from = x->i;
	while (letter(at(x, 0)) || digit(at(x, 0)) || at(x, 0) == ':' || at(x, 0) == '.' || at(x, 0) == '/' || at(x, 0) == '-')
		x->i++;
	struct str name = str_sub(x->s, from, x->i);
	x->i += quote;
	x->operand = true;
	return listed(name, x->l->libraries) || (x->l->perl && name.n && (digit(name.p[0]) || name.p[0] == 'v'));
}

/* Ruby: a local name with arguments after it is a call all the same. */
static bool after_local(const struct script *x, size_t i)
{
	size_t to = i;

	while (to < x->s.n && letter(x->s.p[to]))
		to++;
	if (to > i)
		return listed(str_sub(x->s, i, to), "if unless and or then do end while until in rescue else");
	return i >= x->s.n || !strchr("(\"'$@", x->s.p[i]);
}

/* Perl: $name{key}, ->{key}: the brace at i is a subscript's. */
static bool subscript(const struct script *x, size_t i)
{
	size_t k = i;

	if (i > 1 && x->s.p[i - 1] == '>' && x->s.p[i - 2] == '-')
		return true;
	while (k > 0 && (letter(x->s.p[k - 1]) || digit(x->s.p[k - 1])))
		k--;
	return k < i && k > 0 && x->s.p[k - 1] == '$';
}

static bool name(struct script *x)
{
	size_t from = x->i;
	bool member = x->arrow;
	struct str w;
	int like;

	while (letter(at(x, 0)) || digit(at(x, 0)) || (x->l->marks && (at(x, 0) == '?' || at(x, 0) == '!') && at(x, 1) != '='))
		x->i++;
	w = str_sub(x->s, from, x->i);
	x->arrow = false;
	like = quote_like(x, w);
	if (like)
		return like > 0;
	size_t after = skip_blanks(x, x->i);
	char next = after < x->s.n ? x->s.p[after] : '\0', next2 = after + 1 < x->s.n ? x->s.p[after + 1] : '\0';
	if (listed(w, x->l->import) && !member)
		return library(x);
	if (listed(w, x->l->never))
		return false;
	x->operand = !listed(w, x->l->before) || member;
	x->bare = x->operand && !local(x, w);
	if (x->l->perl && listed(w, "do") && next != '{')
		return false; /* do FILE */
	if (x->l->roots && listed(w, x->l->roots) && !member && next != '.')
		return false;
	if (x->l->marks && !member && local(x, w) && !after_local(x, after))
		return false;
	if (member)
		return listed(w, x->l->members);
	if (listed(w, x->l->defines)) /* my, local, def, function: the name that follows is the text's own */
		return true;
	if (listed(w, x->l->words) || local(x, w))
		return true;
	if (x->l->perl && ((next == '=' && next2 == '>') || (next == '}' && from > 0 && x->s.p[from - 1] == '{' && subscript(x, from - 1))))
		return true; /* a key */
	if (x->l->marks && next == ':' && next2 != ':') /* a key of Ruby's */
		return true;
	if (!x->l->sigil && next == '=' && next2 != '=' && next2 != '~') { /* a variable gets its value */
		learn(x, w);
		return true;
	}
	if (!x->l->sigil && (next == '+' || next == '-' || next == '*') && next2 == '=') {
		learn(x, w);
		return true;
	}
	return false;
}

/* Names between bars: |a, b| of a block; after local, for, def, function. */
static bool bars(struct script *x)
{
	size_t i = x->i + 1;

	while (i < x->s.n && x->s.p[i] != '|') {
		size_t from = i;

		while (i < x->s.n && (letter(x->s.p[i]) || digit(x->s.p[i])))
			i++;
		if (i > from)
			learn(x, str_sub(x->s, from, i));
		else if (!strchr(" ,()*&\n", x->s.p[i]))
			return false;
		else
			i++;
	}
	x->i = i + 1;
	x->operand = false;
	return i < x->s.n;
}

/* Lua: local a, b   for k, v in   function f(a, b). Learned before, wherever they stand. */
static void learn_lua(struct script *x)
{
	for (size_t i = 0; i < x->s.n; i++) {
		static const char *const words[] = {"local ", "for ", "function ", "function(", "local function "};

		for (size_t k = 0; k < sizeof(words) / sizeof(*words); k++) {
			size_t n = strlen(words[k]), j = i + n, from;

			if (x->s.n - i < n || memcmp(x->s.p + i, words[k], n) || (i && letter(x->s.p[i - 1])))
				continue;
			for (;;) {
				while (j < x->s.n && (space(x->s.p[j]) || x->s.p[j] == ',' || x->s.p[j] == '('))
					j++;
				from = j;
				while (j < x->s.n && (letter(x->s.p[j]) || digit(x->s.p[j])))
					j++;
				struct str w = str_sub(x->s, from, j);
				if (!w.n || listed(w, "in function do") || digit(w.p[0]))
					break;
				if (listed(w, x->l->never) || listed(w, "io os debug package _G _ENV string")) /* a name that hides one that matters */
					break;
				learn(x, w);
				size_t after = skip_blanks(x, j);
				if (after >= x->s.n || (x->s.p[after] != ',' && x->s.p[after] != '('))
					break;
				j = after;
			}
		}
	}
}

/* ---- tokens ---- */

static bool comment(struct script *x, bool *ret)
{
	bool hash = x->l->hash_comment && at(x, 0) == '#', slashes = x->l->slash_comment && at(x, 0) == '/' && at(x, 1) == '/', dashes = x->l->dash_comment && at(x, 0) == '-' && at(x, 1) == '-';

	*ret = true;
	if (x->l->slash_comment && at(x, 0) == '/' && at(x, 1) == '*') {
		for (x->i += 2; x->i < x->s.n && !(at(x, 0) == '*' && at(x, 1) == '/');)
			x->i++;
		x->i += 2;
		return true;
	}
	if (!hash && !slashes && !dashes)
		return false;
	if (dashes && at(x, 2) == '[') {
		*ret = false;
		return true;
	}
	if (x->l->slash_comment) /* ?> ends a comment of PHP's */
		for (size_t k = x->i; k + 1 < x->s.n && x->s.p[k] != '\n'; k++)
			if (x->s.p[k] == '?' && x->s.p[k + 1] == '>')
				*ret = false;
	while (x->i < x->s.n && at(x, 0) != '\n')
		x->i++;
	return true;
}

/* $name, @name, %name, $#name, $_, $0, $1, $$, $. ... */
static bool sigil(struct script *x)
{
	char c = at(x, 0), next;

	if (c == '%' && (x->operand || !x->l->perl))
		return x->i++, x->operand = false, true; /* the rest of a division */
	if (c == '&' || c == '*')
		return false;
	x->i++;
	if (c == '$' && at(x, 0) == '#' && (at(x, 1) == '{' || at(x, 1) == '$' || letter(at(x, 1))))
		x->i++;
	while (at(x, 0) == '$' && (letter(at(x, 1)) || at(x, 1) == '$' || at(x, 1) == '{')) {
		if (!x->l->perl)
			return false; /* $$x of PHP names a variable by its value */
		x->i++;
	}
	next = at(x, 0);
	x->operand = true;
	x->bare = false;
	if (next == '{') {
		x->i++;
		return x->l->perl && inner(x, '}') ? (x->operand = true) : false;
	}
	if (letter(next)) {
		size_t from = x->i;

		while (letter(at(x, 0)) || digit(at(x, 0)) || (x->l->perl && at(x, 0) == ':' && at(x, 1) == ':'))
			x->i += at(x, 0) == ':' ? 2 : 1;
		struct str w = str_sub(x->s, from, x->i);
		/* a variable as a function: $f(...) of PHP, $f->(...) of Perl; %ENV and @INC change what others do */
		if (!x->l->perl && at(x, 0) == '(')
			return false;
		return !listed(w, "ENV INC SIG ISA GLOBALS ARGV _ENV");
	}
	if (digit(next)) {
		while (digit(at(x, 0)))
			x->i++;
		return true;
	}
	if (x->l->perl && next && strchr("&`'+!/\\,;.@_0|\"", next)) {
		x->i++;
		return next != '`' || c == '$';
	}
	return false;
}

static bool number(struct script *x)
{
	while (digit(at(x, 0)) || letter(at(x, 0)) || (at(x, 0) == '.' && digit(at(x, 1))))
		x->i++;
	x->operand = true;
	x->bare = false;
	return true;
}

/* Operators and brackets. */
static bool other(struct script *x)
{
	char c = at(x, 0), next = at(x, 1);

	if (c == '`')
		return false;
	if (c == '&' && next == '&') {
		x->i += 2;
		x->operand = false;
		return true;
	}
	if (c == '(' && x->operand && !x->bare && x->l->sigil && !x->l->perl)
		return false; /* PHP calls what a variable or a text names */
	if (c == '<' && !x->operand && (x->l->perl || next == '<')) { /* <STDIN>, <>; here-documents */
		if (x->l->perl && next == '>') {
			x->i += 2;
			return x->operand = true;
		}
		if (x->l->perl && x->s.n - x->i >= 7 && !memcmp(x->s.p + x->i, "<STDIN>", 7)) {
			x->i += 7;
			return x->operand = true;
		}
		return false;
	}
	if (c == '<' && next == '<' && !x->l->dash_comment && (at(x, 2) == '~' || at(x, 2) == '"' || at(x, 2) == '\'' || at(x, 2) == '-' || at(x, 2) == '<' || letter(at(x, 2))))
		return false; /* a here-document, perhaps */
	if (c == '?' && next == '>')
		return false;
	if (c == '&' && !x->operand && x->l->perl)
		return false; /* &f */
	if (c == '&' && next == ':' && x->l->marks) { /* &:name: the method of that name */
		x->i += 2;
		x->arrow = true;
		return letter(at(x, 0));
	}
	if (c == '&' && !x->operand && x->l->marks)
		return false;
	if (c == ':' && next == ':') {
		x->i += 2;
		x->arrow = true;
		return !x->l->perl;
	}
	if (c == ':' && letter(next) && x->l->marks && !x->operand) { /* a symbol */
		size_t from = ++x->i;

		while (letter(at(x, 0)) || digit(at(x, 0)))
			x->i++;
		return (x->operand = true) && !listed(str_sub(x->s, from, x->i), x->l->never);
	}
	if (c == '-' && next == '>') {
		x->i += 2;
		while (space(at(x, 0)))
			x->i++;
		if (x->l->perl && (at(x, 0) == '(' || at(x, 0) == '$' || at(x, 0) == '&'))
			return false;
		if (x->l->sigil && !x->l->perl && (at(x, 0) == '$' || at(x, 0) == '{'))
			return false;
		x->arrow = letter(at(x, 0));
		return true;
	}
	if (c == '-' && x->l->perl && !x->operand && letter(next) && !letter(at(x, 2)) && !digit(at(x, 2))) { /* -e -f -d: tests of files */
		x->i += 2;
		return strchr("edfrwxszl", next) != NULL;
	}
	if ((c == '.' && x->l->dot_member && letter(next) && at(x, 1) != '.') || (c == ':' && x->l->dash_comment && letter(next)) || (c == '.' && x->l->dot_member && space(next))) {
		x->i++;
		while (space(at(x, 0)))
			x->i++;
		x->arrow = letter(at(x, 0));
		return true;
	}
	if (c == '&' && next == '.' && x->l->marks) {
		x->i += 2;
		x->arrow = true;
		return true;
	}
	if (!strchr("+-*/%=<>!~^|&?:;,.()[]{}\\#", c) || (c == '#' && !x->l->dash_comment) || (c == '\\' && !x->l->perl))
		return false;
	if (c == '=' && letter(next) && (x->i == 0 || x->s.p[x->i - 1] == '\n'))
		return false; /* =begin, =pod */
	x->i++;
	x->operand = c == ')' || c == ']' || c == '}';
	x->bare = (c == '}' && (x->l->perl || x->l->marks)) || (c == ')' && skip_blanks(x, x->i) > x->i && memchr(x->s.p + x->i, '\n', skip_blanks(x, x->i) - x->i));
	return true;
}

/* After a name that may take arguments, or a brace: "f /2" or "f /x/"? Certain when a blank stands on both sides, or on none. */
static bool uncertain(const struct script *x)
{
	char c = at(x, 0);
	bool before = x->i > 0 && space(x->s.p[x->i - 1]), after = space(at(x, 1)) || at(x, 1) == '=';

	if (c == '/' || x->l->perl)
		return c == '/' || c == '?' || (c == '<' && !after) || (c == '%' && !after);
	return before && !after; /* Ruby's own rule */
}

static bool token(struct script *x)
{
	char c = at(x, 0);
	bool ok;

	if (space(c)) {
		x->i++;
		return true;
	}
	if (comment(x, &ok))
		return ok;
	if (x->l->perl && c == '\'' && x->i > 0 && (letter(x->s.p[x->i - 1]) || digit(x->s.p[x->i - 1])))
		return false; /* $a'b is $a::b */
	if (c == '"' || c == '\'')
		return quoted(x);
	if (c == '[' && x->l->dash_comment && (at(x, 1) == '[' || at(x, 1) == '='))
		return false; /* [[long text]] */
	if (letter(c))
		return name(x);
	if (digit(c))
		return number(x);
	if (x->l->sigil && (c == '$' || (x->l->perl && (c == '@' || (c == '%' && !x->operand && (letter(at(x, 1)) || at(x, 1) == '$' || at(x, 1) == '{'))))))
		return sigil(x);
	if (x->l->marks && (c == '$' || c == '@')) { /* $x, @x, $1, $~ of Ruby */
		x->i += 1 + (at(x, 1) == '@');
		if (!letter(at(x, 0)) && !digit(at(x, 0)))
			return false;
		while (letter(at(x, 0)) || digit(at(x, 0)))
			x->i++;
		return x->operand = true;
	}
	if (x->l->marks && c == '%' && !x->operand) { /* %w[...] */
		char open = at(x, 2);

		if (!strchr("wqi", at(x, 1)) || !open || !strchr("([{<|/", open))
			return false;
		x->i += 3;
		x->operand = true;
		return text(x, open, closing(open), false);
	}
	if (x->l->marks && c == '|' && !x->operand && x->i > 0)
		return bars(x);
	if ((c == '/' || c == '%' || c == '?' || c == '<') && (x->l->perl || x->l->marks) && x->operand && x->bare && uncertain(x))
		return false;
	if (c == '/' && !x->operand && (x->l->perl || x->l->marks))
		return pattern(x, '/');
	if (c == '?' && !x->operand && (x->l->perl || x->l->marks))
		return false;
	return other(x);
}

static bool scan(struct script *x, char end)
{
	unsigned depth = 0;
	char open = end == '}' ? '{' : end == ']' ? '[' : '\0';

	while (x->i < x->s.n) {
		if (end && at(x, 0) == end && !depth--) {
			x->i++;
			return true;
		}
		if (end && at(x, 0) == open)
			depth++;
		size_t before = x->i;
		if (!token(x) || x->i == before || x->i > x->s.n)
			return false;
	}
	return !end;
}

/* "List::Util=sum,max": the argument of perl -M. Empty when it is more than that. */
static struct str library_name(struct str s)
{
	size_t n = 0, k;

	while (n < s.n && (letter(s.p[n]) || digit(s.p[n]) || s.p[n] == ':'))
		n++;
	for (k = n + 1; n < s.n && s.p[n] == '=' && k < s.n && (letter(s.p[k]) || digit(s.p[k]) || s.p[k] == ',' || s.p[k] == ':');)
		k++;
	return n == s.n || (n < s.n && s.p[n] == '=' && k == s.n) ? str_sub(s, 0, n) : STR("");
}

bool inline_script_harmless(const struct script_language *l, struct str s)
{
	struct script x = {.l = l, .s = s};

	if (l->perl && listed(library_name(s), l->libraries))
		return true; /* of -M */
	if (l->dash_comment)
		learn_lua(&x);
	return scan(&x, '\0');
}
