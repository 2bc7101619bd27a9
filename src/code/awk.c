/*
 * awk inside a command line: which programs can neither run a command nor open a file of their own choice,
 * and which do so only with constant texts, which are followed. A conservative scanner, not a parser:
 * whatever it does not recognise is not harmless.
 */
#include <strings.h>

#include "code/tree.h"

/* a number that is not known is a number */
static bool is_digit(char c) { return ascii_is_digit(c) || c == HOLE_NUM; }

/*
 * awk reaches out by system(), by a pipe, by getline, by > in a print, by ARGV (the files it reads next), and
 * by gawk's @load, @include and indirect calls. All of these are common in strings and patterns too (/a|b/,
 * $3 > 5, x || y, /system/), so the text is cut into tokens until nothing of the kind follows.
 */
struct awk {
	struct code_walk *w; /* NULL: only looked at */
	struct str s;
	size_t i;
	bool operand;  /* the last token can end an operand, so that / is a division */
	bool unsure;   /* ... or perhaps not, after ) ++ -- */
	bool printing; /* in a print or printf statement */
	unsigned depth;
	bool text;      /* the last token is a text without escapes: `last` */
	struct str last;
	bool runs;      /* programs are started */
};

/* Where the last thing starts that could reach out; nothing after it needs to be understood. */
static size_t awk_loud(struct str s)
{
	size_t loud = 0;

	for (size_t i = 0; i < s.n; i++)
		if (strchr("|>@", s.p[i]) || (s.n - i >= 6 && !strncasecmp(s.p + i, "system", 6)) ||
				(s.n - i >= 7 && !strncasecmp(s.p + i, "getline", 7)) ||
		    (s.n - i >= 4 && !memcmp(s.p + i, "ARGV", 4)))
			loud = i + 1;
	return loud;
}

/*
 * Passes a bracket expression whose [ is at i, to its ]. The awks differ about a leading ], about [:alpha:]
 * and about escapes in it, so it is read as long as possible, and is not certain when something in it would
 * end the pattern, or start a bracket, in another reading.
 */
static bool awk_bracket(struct awk *w)
{
	struct str s = w->s;
	size_t i = w->i + 1;

	i += i < s.n && s.p[i] == '^';
	i += i < s.n && s.p[i] == ']';
	for (; i < s.n && s.p[i] != ']'; i++) {
		char c = s.p[i], next = i + 1 < s.n ? s.p[i + 1] : '\0';

		if (c == '/' || c == '\n' || (c == '[' && next != ':') ||
				(c == '\\' && (next == ']' || next == '/' || next == '[')))
			return false;
		if (c == '\\')
			i++;
		if (c != '[')
			continue;
		for (i += 2; i < s.n && ascii_is_name_start(s.p[i]);)
			i++;
		if (i + 1 >= s.n || s.p[i] != ':' || s.p[++i] != ']')
			return false;
	}
	w->i = i;
	return i < s.n;
}

/* ---- what it reaches out to, when that is constant ---- */

static void mark_here(struct awk *w, size_t from)
{
	w->w->here = (struct span){w->w->text, (uint32_t)from, (uint32_t)(w->i < w->s.n ? w->i : w->s.n)};
}

static void skip_blanks(struct awk *w)
{
	while (w->i < w->s.n && (w->s.p[w->i] == ' ' || w->s.p[w->i] == '\t'))
		w->i++;
}

/* "text" without escapes. */
static bool read_constant(struct awk *w, struct str *ret)
{
	size_t from;

	skip_blanks(w);
	if (w->i >= w->s.n || w->s.p[w->i] != '"')
		return false;
	for (from = ++w->i; w->i < w->s.n && w->s.p[w->i] != '"'; w->i++)
		if (w->s.p[w->i] == '\\' || w->s.p[w->i] == '\n' || text_hole(w->s.p[w->i]))
			return false;
	*ret = str_sub(w->s, from, w->i++);
	return w->i <= w->s.n;
}

/* The statement ends here. */
static bool ends_statement(struct awk *w)
{
	skip_blanks(w);
	return w->i >= w->s.n || strchr(";}\n#", w->s.p[w->i]);
}

/* print > "file", print >> "file", print | "command": at the operator. */
static bool print_to(struct awk *w)
{
	size_t from = w->i;
	bool pipe = w->s.p[w->i] == '|';
	struct str target;

	if (!w->w)
		return false;
	w->i += 1 + (!pipe && w->i + 1 < w->s.n && w->s.p[w->i + 1] == '>');
	if (!read_constant(w, &target) || !ends_statement(w) || str_starts(target, "/inet"))
		return false;
	mark_here(w, from);
	if (pipe)
		code_run_text(w->w, target, (TSNode){0});
	else
		code_access(w->w, ACCESS_WRITE, target, false, "awk", (TSNode){0});
	w->runs |= pipe;
	w->operand = true;
	return true;
}

static bool word_at(const struct awk *w, const char *word)
{
	size_t n = strlen(word);

	return w->s.n - w->i >= n && !memcmp(w->s.p + w->i, word, n) &&
			(w->i + n == w->s.n ||
			!(ascii_is_name_start(w->s.p[w->i + n]) || is_digit(w->s.p[w->i + n])));
}

/* "command" | getline: at the bar. */
static bool pipe_from(struct awk *w)
{
	size_t from = w->i;

	if (!w->w || !w->text)
		return false;
	w->i++;
	skip_blanks(w);
	if (!word_at(w, "getline"))
		return false;
	w->i += strlen("getline");
	mark_here(w, from);
	code_run_text(w->w, w->last, (TSNode){0});
	w->runs = true;
	w->operand = false;
	return true;
}

/* system("command"), getline < "file", getline x < "file": after the name. */
static bool read_reach(struct awk *w, struct str name, size_t from)
{
	struct str text;

	if (!w->w)
		return false;
	skip_blanks(w);
	if (str_is(name, "system")) {
		if (w->i >= w->s.n || w->s.p[w->i++] != '(' || !read_constant(w, &text))
			return false;
		skip_blanks(w);
		if (w->i >= w->s.n || w->s.p[w->i++] != ')')
			return false;
		mark_here(w, from);
		code_run_text(w->w, text, (TSNode){0});
		return w->runs = w->operand = true;
	}
	if (!str_is(name, "getline"))
		return false;
	while (w->i < w->s.n && (ascii_is_name_start(w->s.p[w->i]) || is_digit(w->s.p[w->i])))
		w->i++;
	skip_blanks(w);
	if (w->i >= w->s.n || strchr(");}\n#>=!&|?", w->s.p[w->i]))
		return true; /* the next line of what it reads anyway */
	if (w->s.p[w->i++] != '<') /* into $1, into x[i], a file on a continued line */
		return false;
	if (!read_constant(w, &text) || str_starts(text, "/inet"))
		return false;
	skip_blanks(w);
	if (w->i < w->s.n && !strchr(");}\n", w->s.p[w->i]))
		return false; /* the text may go on */
	mark_here(w, from);
	code_access(w->w, ACCESS_READ, text, false, "awk", (TSNode){0});
	return w->operand = true;
}

/* Functions that change an array, or an element of one, that they are given. */
static bool changes_arrays(struct str s)
{
	static const char names[][12] = {"sub", "split", "match", "sort", "getline", "function", "func "};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (str_contains(s, str_of(names[i])))
			return true;
	return false;
}

/*
 * ARGV[i], after the name: what is put there, when it is constant, is read. False: something else may become
 * of ARGV.
 */
static bool read_arguments(struct awk *w, size_t from)
{
	size_t open;
	struct str text;

	if (changes_arrays(w->s))
		return false;
	if (w->i >= w->s.n || w->s.p[w->i] != '[') /* for (i in ARGV), delete ARGV */
		return from >= 3 && (str_ends(str_trim(str_sub(w->s, 0, from), " \t"), " in") ||
				str_ends(str_trim(str_sub(w->s, 0, from), " \t"), "delete"));
	for (open = ++w->i; w->i < w->s.n && w->s.p[w->i] != ']'; w->i++)
		if (strchr("[\"/#\n", w->s.p[w->i]) || w->s.p[w->i] == '=')
			return false;
	if (w->i++ >= w->s.n || w->i == open + 1)
		return false;
	w->operand = true;
	skip_blanks(w);
	if (w->i >= w->s.n || w->s.p[w->i] != '=' || (w->i + 1 < w->s.n && w->s.p[w->i + 1] == '='))
		return w->i + 1 >= w->s.n || w->s.p[w->i + 1] != '='; /* no += and the like */
	w->i++;
	if (!w->w || !read_constant(w, &text) || !ends_statement(w))
		return false;
	mark_here(w, from);
	if (text.n)
		code_access(w->w, ACCESS_READ, text, false, "awk", (TSNode){0});
	return true;
}

/* Passes a string or regular expression that starts at i; false when its end is not certain. */
static bool awk_quoted(struct awk *w, char end)
{
	for (w->i++; w->i < w->s.n; w->i++) {
		char c = w->s.p[w->i];

		if (c == '\\')
			w->i++;
		else if (c == '\n' || (c == '[' && end == '/' && !awk_bracket(w)))
			return false;
		else if (c == end) {
			w->i++;
			w->operand = true;
			return true;
		}
	}
	return false;
}

static bool awk_name(struct awk *w)
{
	static const char not_operands[][8] = {"print", "printf", "return", "in", "else", "do", "case",
			"delete", "exit"};
	size_t from = w->i;
	struct str name;

	while (w->i < w->s.n && (ascii_is_name_start(w->s.p[w->i]) || is_digit(w->s.p[w->i])))
		w->i++;
	name = str_sub(w->s, from, w->i);
	w->operand = true;
	for (size_t k = 0; k < ARRAY_SIZE(not_operands); k++)
		if (str_is(name, not_operands[k]))
			w->operand = false;
	if (str_is(name, "length")) { /* length /x/: a division to some awks, a pattern to others */
		size_t i = w->i;

		while (i < w->s.n && (w->s.p[i] == ' ' || w->s.p[i] == '\t'))
			i++;
		w->unsure = i < w->s.n && w->s.p[i] == '/';
	}
	if (str_is(name, "print") || str_is(name, "printf")) {
		w->printing = true;
		w->depth = 0;
	}
	if (str_contains_nocase(name, "system") || str_contains_nocase(name, "getline"))
		return read_reach(w, name, from);
	return str_is(name, "ARGV") ? read_arguments(w, from) : true;
}

/* One operator or bracket. False when it reaches out, or may. */
static bool awk_operator(struct awk *w)
{
	char c = w->s.p[w->i], next = w->i + 1 < w->s.n ? w->s.p[w->i + 1] : '\0';
	bool unsure = false;

	if (c == '@' || (c == '|' && next == '&'))
		return false;
	if (c == '|' && next != '|')
		return w->printing && !w->depth ? print_to(w) : pipe_from(w);
	if (c == '>' && w->printing && !w->depth)
		return print_to(w);
	if (c == '(' || c == '[')
		w->depth++;
	if ((c == ')' || c == ']') && w->depth)
		w->depth--;
	if (c == '\\')
		return false; /* a continued line */
	if (c == ';' || c == '}' || c == '{') /* a newline may continue the statement */
		w->printing = false;
	if (c == ')' || ((c == '+' || c == '-') && next == c))
		unsure = true;
	w->operand = c == ']';
	w->unsure = unsure;
	w->i += (next == c && strchr("|&+-", c)) ? 2 : 1;
	return true;
}

/*
 * Nothing before the text at i belongs to it: no operand that it would be joined to, no operator that would
 * take it first.
 */
static bool stands_alone(struct str s, size_t i)
{
	while (i > 0 && (s.p[i - 1] == ' ' || s.p[i - 1] == '\t'))
		i--;
	if (i > 1 && s.p[i - 1] == '=')
		return !strchr("=!<>~+-*/%^", s.p[i - 2]);
	return i == 0 || strchr("{;(\n", s.p[i - 1]);
}

static bool awk_step(struct awk *w)
{
	char c = w->s.p[w->i];

	if (c == ' ' || c == '\t' || c == '\r') {
		w->i++;
		return true;
	}
	if (c == '#') {
		while (w->i < w->s.n && w->s.p[w->i] != '\n')
			w->i++;
		return true;
	}
	if (c == '/' && (w->unsure || !w->operand))
		return !w->unsure && awk_quoted(w, '/');
	if (c == '"') {
		size_t from = w->i + 1;
		bool alone = stands_alone(w->s, w->i), ok = awk_quoted(w, '"');

		w->last = ok ? str_sub(w->s, from, w->i - 1) : STR("");
		w->text = ok && alone && !memchr(w->last.p, '\\', w->last.n);
		return ok;
	}
	if (ascii_is_name_start(c)) {
		w->unsure = false;
		return awk_name(w);
	}
	if (is_digit(c) || c == '.') {
		if (c == HOLE_NUM && w->i > 0 && w->s.p[w->i - 1] == '-')
			return false; /* a negative one would make this -- */
		w->unsure = false;
		w->operand = true;
		w->i++;
		return true;
	}
	return awk_operator(w);
}

static bool scan_program(struct awk *w)
{
	size_t loud = awk_loud(w->s);

	while (w->i < loud) {
		char c = w->s.p[w->i];

		if (c != ' ' && c != '\t' && c != '"' && c != '|')
			w->text = false;
		if (!awk_step(w))
			return false;
	}
	return true;
}

bool code_awk_harmless(struct str s) { return scan_program(&(struct awk){.s = s}); }

void awk_walk(struct code_walk *w, TSNode root)
{
	struct awk x = {.w = w, .s = w->src};

	(void)root;
	/* what is started would see it */
	w->code->complete = scan_program(&x) && !(x.runs && str_contains(x.s, STR("ENVIRON")));
}
