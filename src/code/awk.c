/*
 * awk programs on a command line. Finds those that can neither run a command nor open a file of their own
 * choice, and reports commands and files that are constant strings. A conservative scanner, not a parser: a
 * program that it does not recognise is not harmless.
 */
#include <strings.h>

#include "code/tree.h"

/*
 * The scanner's state. awk reaches out through system(), pipes, getline, > in a print, ARGV (the files it
 * reads next), and gawk's @load, @include and indirect calls. The same characters are common in strings and
 * patterns (/a|b/, $3 > 5, x || y, /system/). So the scanner reads tokens up to the last such character.
 */
struct awk {
	struct code_walk *w; /* NULL: judge only, record nothing */
	struct str s;
	size_t i;
	bool operand;  /* the last token can end an operand: / is a division */
	bool unsure;   /* / is ambiguous, after ) ++ -- */
	bool printing; /* in a print or printf statement */
	unsigned depth;
	bool text;      /* `last` is the last token, a string without escapes */
	struct str last;
	bool runs;      /* the program starts commands */
};

/*
 * Returns the offset after the start of the last construct that could reach out. The text after it need not
 * be understood.
 */
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
 * Skips a bracket expression from its [ to its ]. Implementations of awk differ about a leading ], [:alpha:]
 * and escapes. So it takes the longest reading, and fails if another reading would end the pattern or start a
 * bracket inside.
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

/* ---- constant commands and files ---- */

static void mark_here(struct awk *w, size_t from)
{
	w->w->here = (struct span){w->w->text, (uint32_t)from, (uint32_t)(w->i < w->s.n ? w->i : w->s.n)};
}

static void skip_blanks(struct awk *w)
{
	while (w->i < w->s.n && ascii_is_blank(w->s.p[w->i]))
		w->i++;
}

/* Reads a "string" without escapes. */
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

/* True if the statement ends here. */
static bool ends_statement(struct awk *w)
{
	skip_blanks(w);
	return w->i >= w->s.n || strchr(";}\n#", w->s.p[w->i]);
}

/* Handles print > "file", print >> "file" and print | "command", from the operator on. */
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
			!(ascii_is_name_start(w->s.p[w->i + n]) || text_digit(w->s.p[w->i + n])));
}

/* Handles "command" | getline, from the bar on. */
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

/* Handles system("command"), getline < "file" and getline x < "file", from after the name. */
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
	while (w->i < w->s.n && (ascii_is_name_start(w->s.p[w->i]) || text_digit(w->s.p[w->i])))
		w->i++;
	skip_blanks(w);
	if (w->i >= w->s.n || strchr(");}\n#>=!&|?", w->s.p[w->i]))
		return true; /* reads the next line of its normal input */
	if (w->s.p[w->i++] != '<') /* else: getline into $1 or x[i], or a file on a continued line */
		return false;
	if (!read_constant(w, &text) || str_starts(text, "/inet"))
		return false;
	skip_blanks(w);
	if (w->i < w->s.n && !strchr(");}\n", w->s.p[w->i]))
		return false; /* the expression may continue */
	mark_here(w, from);
	code_access(w->w, ACCESS_READ, text, false, "awk", (TSNode){0});
	return w->operand = true;
}

/* True if the text contains a function that changes an array argument or an element of it. */
static bool changes_arrays(struct str s)
{
	static const char names[][12] = {"sub", "split", "match", "sort", "getline", "function", "func "};

	return STR_CONTAINS_ANY(s, names);
}

/*
 * Handles ARGV[i] after the name. A constant assigned to it is a file that awk reads. False if ARGV may
 * change otherwise.
 */
static bool read_arguments(struct awk *w, size_t from)
{
	size_t open;
	struct str text;

	if (changes_arrays(w->s))
		return false;
	if (w->i >= w->s.n || w->s.p[w->i] != '[') /* for (i in ARGV), delete ARGV */
		return from >= 3 && (str_ends(str_trim(str_first(w->s, from), " \t"), " in") ||
				str_ends(str_trim(str_first(w->s, from), " \t"), "delete"));
	for (open = ++w->i; w->i < w->s.n && w->s.p[w->i] != ']'; w->i++)
		if (strchr("[\"/#\n", w->s.p[w->i]) || w->s.p[w->i] == '=')
			return false;
	if (w->i++ >= w->s.n || w->i == open + 1)
		return false;
	w->operand = true;
	skip_blanks(w);
	if (w->i >= w->s.n || w->s.p[w->i] != '=' || (w->i + 1 < w->s.n && w->s.p[w->i + 1] == '='))
		return w->i + 1 >= w->s.n || w->s.p[w->i + 1] != '='; /* no compound assignment (+=) */
	w->i++;
	if (!w->w || !read_constant(w, &text) || !ends_statement(w))
		return false;
	mark_here(w, from);
	if (text.n)
		code_access(w->w, ACCESS_READ, text, false, "awk", (TSNode){0});
	return true;
}

/* Skips a string or regular expression. False if its end is uncertain. */
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

	while (w->i < w->s.n && (ascii_is_name_start(w->s.p[w->i]) || text_digit(w->s.p[w->i])))
		w->i++;
	name = str_sub(w->s, from, w->i);
	w->operand = true;
	for (size_t k = 0; k < ARRAY_SIZE(not_operands); k++)
		if (str_is(name, not_operands[k]))
			w->operand = false;
	if (str_is(name, "length")) { /* length /x/: implementations differ between division and pattern */
		size_t i = w->i;

		while (i < w->s.n && ascii_is_blank(w->s.p[i]))
			i++;
		w->unsure = i < w->s.n && w->s.p[i] == '/';
	}
	if (str_is_any(name, "print printf")) {
		w->printing = true;
		w->depth = 0;
	}
	if (str_contains_nocase(name, "system") || str_contains_nocase(name, "getline"))
		return read_reach(w, name, from);
	return str_is(name, "ARGV") ? read_arguments(w, from) : true;
}

/* Scans one operator or bracket. False if it reaches out, or may. */
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
	if (c == ';' || c == '}' || c == '{') /* a newline is not enough: it may continue the statement */
		w->printing = false;
	if (c == ')' || ((c == '+' || c == '-') && next == c))
		unsure = true;
	w->operand = c == ']';
	w->unsure = unsure;
	w->i += (next == c && strchr("|&+-", c)) ? 2 : 1;
	return true;
}

/* True if the string at i stands alone: no operand before it to concatenate, no operator that binds first. */
static bool stands_alone(struct str s, size_t i)
{
	while (i > 0 && ascii_is_blank(s.p[i - 1]))
		i--;
	if (i > 1 && s.p[i - 1] == '=')
		return !strchr("=!<>~+-*/%^", s.p[i - 2]);
	return i == 0 || strchr("{;(\n", s.p[i - 1]);
}

static bool awk_step(struct awk *w)
{
	char c = w->s.p[w->i];

	if (ascii_is_blank(c) || c == '\r') {
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
		w->text = ok && alone && !str_has(w->last, '\\');
		return ok;
	}
	if (ascii_is_name_start(c)) {
		w->unsure = false;
		return awk_name(w);
	}
	if (text_digit(c) || c == '.') {
		if (c == HOLE_NUM && w->i > 0 && w->s.p[w->i - 1] == '-')
			return false; /* a negative number would form -- */
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
	/* a started command would see changes of ENVIRON */
	w->code->complete = scan_program(&x) && !(x.runs && str_contains(x.s, STR("ENVIRON")));
}
