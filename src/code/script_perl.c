/*
 * Perl strings. Perl first finds the end of a string by its delimiters alone, and only then looks for
 * variables and code inside. So does perl_text(): it determines the extent, then scans the inside and nothing
 * beyond.
 */
#include "code/script.h"

/*
 * Sets *ret to the offset of the closing delimiter of the string at x->i. Brackets nest; a backslash escapes
 * the next character.
 */
static bool find_extent(const struct script *x, char open, char end, size_t *ret)
{
	unsigned depth = 0;

	for (size_t i = x->i; i < x->s.n; i++) {
		char c = x->s.p[i];

		if (c == '\\') {
			i++;
		} else if (c == end && !depth) {
			*ret = i;
			return true;
		} else if (open != end && (c == open || c == end)) {
			depth += c == open ? 1 : (unsigned)-1;
		}
	}
	return false;
}

/* Scans code inside a string, up to its closing bracket; x->s ends where the string ends. */
static bool read_code(struct script *x, char end)
{
	size_t from = x->i;

	/* a backslash may escape the string's delimiter instead of being code */
	return script_inner(x, end) && !memchr(x->s.p + from, '\\', x->i - from);
}

static bool word_char(char c) { return ascii_is_name_start(c) || text_digit(c); }

/* Returns the end of a variable's name: a word, with its package. */
static size_t name_end(const struct script *x, size_t i)
{
	for (;;) {
		while (i < x->s.n && word_char(x->s.p[i]))
			i++;
		if (i + 1 < x->s.n && x->s.p[i] == ':' && x->s.p[i + 1] == ':')
			i += 2; /* also a trailing :: */
		else if (i + 1 < x->s.n && x->s.p[i] == '\'' && ascii_is_name_start(x->s.p[i + 1]))
			i++; /* $a'b is the same as $a::b */
		else
			return i;
	}
}

/* Scans {name} after a sigil, or else a block of code. */
static bool read_braced(struct script *x)
{
	size_t from = ++x->i, to = name_end(x, from);

	if (to > from && to < x->s.n && x->s.p[to] == '}') {
		x->i = to + 1;
		return true;
	}
	return read_code(x, '}');
}

/*
 * Skips a number, range or word up to the closing bracket: an index, a key, or a quantifier of a pattern.
 * False, without moving, if it is anything else.
 */
static bool plain_subscript(struct script *x, char open)
{
	size_t i = x->i + (script_at(x, 0) == '-');
	bool word = open == '{' && i < x->s.n && ascii_is_name_start(x->s.p[i]);

	while (i < x->s.n && (word ? word_char(x->s.p[i]) : text_digit(x->s.p[i]) ||
			strchr(",. ", x->s.p[i])))
		i++;
	if (i >= x->s.n || x->s.p[i] != (open == '[' ? ']' : '}'))
		return false;
	x->i = i + 1;
	return true;
}

/* Scans [..] and {..} after a variable, also after ->. An index is code. */
static bool read_subscripts(struct script *x)
{
	for (;;) {
		char c = script_at(x, 0), next = script_at(x, 1), third = script_at(x, 2);

		if (c == '-' && next == '>' && (third == '@' || third == '$' || third == '%'))
			return false; /* "$x->@[ code ]" */
		if (c == '-' && next == '>' && (third == '[' || third == '{'))
			x->i += 2;
		c = script_at(x, 0);
		if (c != '[' && c != '{')
			return true;
		x->i++;
		if (plain_subscript(x, c))
			continue;
		if (!read_code(x, c == '[' ? ']' : '}'))
			return false;
	}
}

/* Scans the variable at x->i, from its $ or @. Any other $ or @ is plain text. */
static bool read_variable(struct script *x, bool pattern)
{
	char sigil = script_at(x, 0), next = script_at(x, 1);
	size_t before = x->i++;

	if (sigil == '$' && next == '#' && script_at(x, 1) &&
			(strchr("{$", script_at(x, 1)) || ascii_is_name_start(script_at(x, 1))))
		x->i++; /* $#{..}, $#$x, $#x */
	while (script_at(x, 0) == '$' && (word_char(script_at(x, 1)) || script_at(x, 1) == '$' ||
			script_at(x, 1) == '{'))
		x->i++;
	next = script_at(x, 0);
	if (next == '{')
		return read_braced(x) && read_subscripts(x);
	if (word_char(next) || (next == '\'' && ascii_is_name_start(script_at(x, 1)))) {
		x->i = name_end(x, x->i);
		return read_subscripts(x);
	}
	if (sigil == '@')
		return !(next && strchr(":'$", next)) && ((next != '+' && next != '-') || pattern ||
				(x->i++, read_subscripts(x)));
	if (!next || (pattern && strchr(")| \t\n", next)))
		return pattern; /* the anchor $ */
	if (pattern && next == '(')
		return false;
	if (!strchr("&`'+!/\\,;.@$|\"-<>0", next))
		return false;
	x->i = before + 2;
	return read_subscripts(x);
}

/* True for a group that is code: (?{ }), (??{ }), (*{ }), also with blanks in between. */
static bool code_group(const struct script *x)
{
	size_t i = script_blanks(x, x->i + 1);

	if (i >= x->s.n || !strchr("?*", x->s.p[i]))
		return false;
	while (i < x->s.n && (strchr("?*p", x->s.p[i]) || ascii_is_space(x->s.p[i])))
		i++;
	return i < x->s.n && x->s.p[i] == '{';
}

/* Scans the inside of a string that interpolates. */
static bool read_text_inside(struct script *x, bool pattern)
{
	while (x->i < x->s.n) {
		char c = script_at(x, 0);

		if (c == '\\')
			x->i += 2;
		else if (pattern && c == '(' && code_group(x))
			return false;
		else if (c == '$' || c == '@') {
			if (!read_variable(x, pattern))
				return false;
		} else
			x->i++;
	}
	return x->i == x->s.n;
}

bool perl_text(struct script *x, char open, enum perl_live live)
{
	char end = script_closing(open);
	size_t whole = x->s.n, to;
	bool ok;

	if (!find_extent(x, open, end, &to))
		return false;
	x->s.n = to;
	ok = live == PERL_DEAD || read_text_inside(x, live == PERL_PATTERN);
	x->s.n = whole;
	x->i = to + 1;
	return ok;
}

/* ---- quote-like operators ---- */

bool perl_flags(struct script *x, const char *known)
{
	while (script_at(x, 0) && strchr(known, script_at(x, 0)))
		x->i++;
	x->operand = true;
	x->bare = x->word = false;
	/* e evaluates the replacement as code; other letters may start a word: y/a/b/and */
	return !ascii_is_name_start(script_at(x, 0));
}

/* Scans s{..}{..}flags, tr/../../ or y, from the first delimiter. The second part is a string, never code. */
static bool two_parts(struct script *x, bool dead)
{
	char open = script_at(x, 0);

	x->i++;
	if (!perl_text(x, open, dead ? PERL_DEAD : PERL_PATTERN))
		return false;
	if (script_closing(open) != open) {
		x->i = script_blanks(x, x->i);
		open = script_at(x, 0);
		if (!open || !strchr("/{([<|!,", open))
			return false;
		x->i++;
	}
	return perl_text(x, open, dead ? PERL_DEAD : PERL_STRING) &&
			perl_flags(x, dead ? "cdsr" : PERL_FLAGS "r");
}

/*
 * True for a key: before =>, or alone in the braces of a subscript, on one line. Perl looks no further than
 * the line.
 */
static bool is_key(const struct script *x, size_t from)
{
	size_t after = x->i, before = from;

	while (after < x->s.n && ascii_is_blank(x->s.p[after]))
		after++;
	if (after + 1 < x->s.n && x->s.p[after] == '=' && x->s.p[after + 1] == '>')
		return true;
	while (before > 0 && ascii_is_blank(x->s.p[before - 1]))
		before--;
	return after < x->s.n && x->s.p[after] == '}' && before > 0 && x->s.p[before - 1] == '{' &&
			perl_subscript(x, before - 1);
}

bool perl_subscript(const struct script *x, size_t i)
{
	size_t k = i;

	if (i > 1 && x->s.p[i - 1] == '>' && x->s.p[i - 2] == '-')
		return true;
	while (k > 0 && word_char(x->s.p[k - 1]))
		k--;
	return k < i && k > 0 && x->s.p[k - 1] == '$';
}

static int quote_like(struct script *x, struct str word, size_t from)
{
	static const char all[] = "q qq qw qr qx m s tr y";
	size_t at = script_blanks(x, x->i);
	char open;

	if (!str_is_any(word, all))
		return 0;
	if (x->arrow)
		return -1; /* a method of that name, followed by its arguments */
	if (is_key(x, from))
		return x->operand = true, x->bare = false, 1;
	open = at < x->s.n ? x->s.p[at] : '\0';
	/* accept only unambiguous delimiters; ambiguous ones only directly after the word */
	if (x->names || (x->operand && !x->bare) || !open || !strchr(at > x->i ? "/{([<" : "/{([<|!#,~%\"",
			open))
		return -1;
	x->i = at;
	if (str_is_any(word, "s tr y"))
		return two_parts(x, word.p[0] != 's') ? 1 : -1;
	x->i++;
	if (str_is_any(word, "qx"))
		return script_shell_text(x, open, x->i - 3) ? 1 : -1;
	if (str_is_any(word, "m qr"))
		return perl_text(x, open, PERL_PATTERN) && perl_flags(x, PERL_FLAGS) ? 1 : -1;
	if (!perl_text(x, open, str_is_any(word, "qq") ? PERL_STRING : PERL_DEAD))
		return -1;
	x->operand = true;
	x->bare = false;
	return 1;
}

int perl_word(struct script *x, struct str word, size_t from)
{
	size_t n = 1;

	x->mutates |= !x->arrow && str_is_any(word, "push unshift splice");
	x->topic_written |= !x->arrow && str_is_any(word, "s tr y chomp chop");
	while (n < word.n && text_digit(word.p[n]))
		n++;
	if (word.n > 1 && word.p[0] == 'x' && n == word.n && x->operand && !x->bare)
		return 1; /* "-"x20 */
	if (str_is(word, "x") && !x->operand && !is_key(x, from))
		return -1; /* not the repetition operator */
	return quote_like(x, word, from);
}

/* ---- variables and references ---- */

/*
 * Without `use strict` a string can act as a reference: $x = "ARGV"; push @$x, "id|" changes @ARGV. So the
 * scanner records whether the text writes through references at all. It goes by the shape of the terms: @$x,
 * @{..}, $x->[..], $x[..]{..} before an assignment or after push.
 */
static unsigned level(const struct script *x)
{
	return x->brackets < BRACKETS_MAX ? x->brackets : BRACKETS_MAX - 1;
}
static bool *reference_flag(struct script *x) { return &x->reference[level(x)]; }

void perl_dereference(struct script *x)
{
	*reference_flag(x) = x->listed[level(x)] = true;
	x->written |= x->mutates || x->brackets >= BRACKETS_MAX;
	x->topic_reference = true;
}

/* True for names that reach other packages or control perl itself. */
static bool is_special(struct str name)
{
	static const char dumper[] =
			"Data::Dumper::Sortkeys Data::Dumper::Terse Data::Dumper::Indent "
			"Data::Dumper::Useqq Data::Dumper::Deepcopy Data::Dumper::Maxdepth";

	return (str_contains(name, STR("::")) && !str_is_any(name, dumper)) ||
			str_is_any(name, "ENV INC SIG ISA ARGV");
}

/* Scans ${name} or ${ expression }. *ret_through: a value names the variable. */
static bool braced_variable(struct script *x, bool *ret_through)
{
	size_t from = ++x->i, to = name_end(x, from);

	*ret_through = to == from || to >= x->s.n || x->s.p[to] != '}';
	if (*ret_through)
		return script_inner(x, '}');
	x->i = to + 1;
	return !is_special(str_sub(x->s, from, to));
}

static bool named_variable(struct script *x)
{
	size_t from = x->i;

	while (ascii_is_name_start(script_at(x, 0)) || text_digit(script_at(x, 0)) ||
			(script_at(x, 0) == ':' && script_at(x, 1) == ':'))
		x->i += script_at(x, 0) == ':' ? 2 : 1;
	x->topic = str_is(str_sub(x->s, from, x->i), "_");
	return !is_special(str_sub(x->s, from, x->i));
}

/* Scans $1, or a variable with a punctuation name: $&, $!, @+. */
static bool sign_variable(struct script *x, char sigil)
{
	char c = script_at(x, 0);

	if (text_digit(c)) {
		while (text_digit(script_at(x, 0)))
			x->i++;
		return true;
	}
	if (!c || !strchr(sigil == '$' ? "&`'+!/\\,;.@0|\"-$" : "+-", c))
		return false;
	if (c == '\'' && ascii_is_name_start(script_at(x, 1)))
		return false;
	x->i++;
	return true;
}

/* True at $#{x}, $#$x, $#x: the last index. */
static bool last_index(const struct script *x)
{
	char next = script_at(x, 1);

	return script_at(x, 0) == '#' && (next == '{' || next == '$' || ascii_is_name_start(next));
}

bool perl_variable(struct script *x)
{
	char sigil = script_at(x, 0), next;
	size_t from = ++x->i;
	bool through, mutates = x->mutates, known;

	if (sigil == '$' && last_index(x))
		from = ++x->i;
	while (script_at(x, 0) == '$' && (ascii_is_name_start(script_at(x, 1)) || script_at(x, 1) == '$' ||
			script_at(x, 1) == '{'))
		x->i++;
	through = x->i > from;
	next = script_at(x, 0);
	x->topic = false;
	known = next == '{' ? braced_variable(x, &through) : ascii_is_name_start(next) ? named_variable(x) :
			sign_variable(x, sigil);
	if (!known)
		return false;
	x->handle = x->word ? (word_char(x->s.p[x->i - 1]) ? PERL_HANDLE_PERHAPS : PERL_HANDLE_ODD) :
			PERL_HANDLE_NONE;
	x->operand = true;
	x->bare = x->word = false;
	x->mutates = mutates;
	*reference_flag(x) = false;
	if (through)
		perl_dereference(x);
	return true;
}

/*
 * print $x /2/: after a function and a variable, Perl takes the variable as a file handle if a term seems to
 * follow: a blank before it, none after it. After a punctuation variable ($;) Perl does not check for the
 * blank.
 */
bool perl_handle(const struct script *x)
{
	char next = script_at(x, 1);

	if (x->handle == PERL_HANDLE_NONE || !strchr("/?-+<%&*.", script_at(x, 0)) ||
			(strchr("*/", script_at(x, 0)) && next == script_at(x, 0)))
		return false;
	return !ascii_is_space(next) && next != '=' &&
			(x->handle == PERL_HANDLE_ODD || ascii_is_space(x->s.p[x->i - 1]));
}

/* At the first of two slashes: true if they are an empty pattern, false for the operator. */
bool perl_empty_pattern(const struct script *x)
{
	size_t i = x->i;

	while (i > 0 && ascii_is_space(x->s.p[i - 1]))
		i--;
	return (i > 0 && strchr("(,~", x->s.p[i - 1])) || (i >= 5 && !memcmp(x->s.p + i - 5, "split", 5));
}

/* At an equals sign: true if it assigns. */
static bool assigns(const struct script *x)
{
	char before = x->i > 0 ? x->s.p[x->i - 1] : '\0', next = script_at(x, 1);

	if (next == '~') { /* =~ with s, tr or y */
		size_t i = script_blanks(x, x->i + 2);
		return i < x->s.n && strchr("sty", x->s.p[i]);
	}
	if (next == '=' || next == '>' || before == '=' || before == '!')
		return false;
	return (before != '<' && before != '>') || (x->i > 1 && x->s.p[x->i - 2] == before);
}

void perl_operator(struct script *x)
{
	char c = script_at(x, 0), before = x->i > 0 ? x->s.p[x->i - 1] : '\0';
	bool twice = (c == '+' || c == '-') && script_at(x, 1) == c;

	if (c == '[' || c == '{') {
		if (x->operand && (before == ']' || before == '}'))
			perl_dereference(x); /* $x[0]{a} */
	} else if (twice || (c == '=' && assigns(x))) {
		x->written |= *reference_flag(x);
		x->topic_written |= x->topic;
		x->mutates |= twice;
	}
	if (strchr("([{", c)) {
		x->brackets++;
		*reference_flag(x) = x->listed[level(x)] = false;
		x->mutates &= c == '(';
	} else if (strchr(")]}", c)) {
		bool list = c == ')' && x->listed[level(x)];

		x->brackets -= x->brackets > 0;
		*reference_flag(x) |= list; /* ($x->{a}, ...) = */
		x->mutates &= c != '}';
	} else if (!twice) {
		*reference_flag(x) = false;
		x->mutates &= c != ',' && c != ';';
	}
}

void perl_library(struct script *x, struct str name)
{
	x->strict |= str_is(name, "strict");
	x->library |= !text_digit(name.n ? name.p[0] : '0') &&
			!str_is_any(name, "strict warnings utf8 feature integer bigint diagnostics");
}

/* True if options make perl read files on its own: -n, -p, -i, also in a cluster. */
static bool loops(const struct script *x)
{
	for (const struct command *c = x->w->f->commands; c; c = c->next) {
		if (!c->argc || c->argv[0].at.text != x->w->s->at.text ||
				c->argv[0].at.from != x->w->s->at.from)
			continue;
		for (size_t i = 1; i < c->argc; i++) {
			struct str w = c->argv[i].text;

			if (c->argv[i].kind != WORD_EXACT)
				return true;
			for (size_t k = 1; w.n > 1 && w.p[0] == '-' && k < w.n && !strchr("eEMmIF", w.p[k]);
					k++)
				if (strchr("npi", w.p[k]))
					return true;
		}
		return false;
	}
	return true;
}

bool perl_symbolic(struct script *x)
{
	/* -M options are separate snippets */
	for (const struct snippet *s = x->w->f->snippets; s; s = s->next)
		if (s != x->w->s && s->lang == LANG_PERL && s->at.text == x->w->s->at.text &&
			s->at.from == x->w->s->at.from)
			perl_library(x, s->text.text);
	if (x->strict && !x->lax)
		return false;
	x->written |= x->topic_written && x->topic_reference;
	return x->written && (x->library || x->runs || x->reads_argv || loops(x));
}
