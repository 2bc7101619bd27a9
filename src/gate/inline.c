/*
 * Small languages inside a command line: which pieces of awk, sed, SQL and jq are plainly harmless, that is, can neither run a command nor
 * open a file of their own choice. Conservative scanners, not parsers: whatever they do not recognise is not harmless. Languages that have
 * no row here are never harmless.
 */
#include <strings.h>

#include "gate/judge.h"

static bool is_alpha(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

static bool contains_nocase(struct str s, const char *needle)
{
	size_t n = strlen(needle);

	for (size_t i = 0; n <= s.n && i <= s.n - n; i++)
		if (!strncasecmp(s.p + i, needle, n))
			return true;
	return false;
}

/* ---- awk ---- */

/*
 * awk reaches out by system(), by a pipe, by getline, by > in a print, and by gawk's @load, @include and indirect calls. Names are looked
 * for in the raw text; | and > need a scan, because both are common in patterns (/a|b/, $3 > 5, x || y).
 */
struct awk {
	struct str s;
	size_t i;
	bool operand;  /* the last token can end an operand, so that / is a division */
	bool unsure;   /* ... or perhaps not, after ) ++ -- */
	bool printing; /* in a print or printf statement */
	unsigned depth;
};

static bool awk_rest_quiet(const struct awk *w)
{
	return str_find(w->s, '|', w->i) < 0 && str_find(w->s, '>', w->i) < 0;
}

/* Passes a string or regular expression that starts at i; false when its end is not certain. */
static bool awk_quoted(struct awk *w, char end)
{
	for (w->i++; w->i < w->s.n; w->i++) {
		char c = w->s.p[w->i];

		if (c == '\\')
			w->i++;
		else if (c == '\n' || (c == '[' && end == '/' && str_find(w->s, ']', w->i) >= 0 &&
			str_find(str_sub(w->s, 0, (size_t)str_find(w->s, ']', w->i)), '/', w->i) >= 0))
			return false;
		else if (c == end) {
			w->i++;
			w->operand = true;
			return true;
		}
	}
	return false;
}

static void awk_name(struct awk *w)
{
	static const char *const not_operands[] = {"print", "printf", "return", "in", "else", "do", "case", "delete"};
	size_t from = w->i;
	struct str name;

	while (w->i < w->s.n && (is_alpha(w->s.p[w->i]) || is_digit(w->s.p[w->i])))
		w->i++;
	name = str_sub(w->s, from, w->i);
	w->operand = true;
	for (size_t k = 0; k < sizeof(not_operands) / sizeof(*not_operands); k++)
		if (str_is(name, not_operands[k]))
			w->operand = false;
	if (str_is(name, "print") || str_is(name, "printf")) {
		w->printing = true;
		w->depth = 0;
	}
}

/* One operator or bracket. False when it reaches out, or may. */
static bool awk_operator(struct awk *w)
{
	char c = w->s.p[w->i], next = w->i + 1 < w->s.n ? w->s.p[w->i + 1] : '\0';
	bool unsure = false;

	if (c == '|' && next != '|')
		return false;
	if (c == '>' && w->printing && !w->depth)
		return false;
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
	w->operand = c == ']' || c == '$';
	w->unsure = unsure;
	w->i += (next == c && strchr("|&+-", c)) ? 2 : 1;
	return true;
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
	if (c == '"')
		return awk_quoted(w, '"');
	if (is_alpha(c)) {
		w->unsure = false;
		awk_name(w);
		return true;
	}
	if (is_digit(c) || c == '.') {
		w->unsure = false;
		w->operand = true;
		w->i++;
		return true;
	}
	return awk_operator(w);
}

static bool awk_harmless(struct str s)
{
	struct awk w = {.s = s};

	if (contains_nocase(s, "system") || contains_nocase(s, "getline") || str_find(s, '@', 0) >= 0)
		return false;
	while (w.i < s.n) {
		if (awk_rest_quiet(&w))
			return true;
		if (!awk_step(&w))
			return false;
	}
	return true;
}

/* ---- sed ---- */

/* A sed script reaches out by e, w, W, r, R and by the e and w flags of s. Everything else that is recognised here is harmless. */
struct sed {
	struct str s;
	size_t i;
};

static char sed_at(const struct sed *d) { return d->i < d->s.n ? d->s.p[d->i] : '\0'; }

static void sed_blanks(struct sed *d, bool ends)
{
	while (d->i < d->s.n && (is_space(sed_at(d)) ? ends || sed_at(d) != '\n' : ends && sed_at(d) == ';'))
		d->i++;
}

/* Passes a bracket expression whose [ is at i. False when the delimiter is in it: seds differ about that, so its end is not certain. */
static bool sed_bracket(struct sed *d, char delim)
{
	d->i++;
	d->i += sed_at(d) == '^';
	d->i += sed_at(d) == ']'; /* literal when it comes first */
	for (; d->i < d->s.n && sed_at(d) != ']'; d->i++) {
		char c = sed_at(d), kind = d->i + 1 < d->s.n ? d->s.p[d->i + 1] : '\0';

		if (c == delim)
			return false;
		if (c == '\\')
			d->i++;
		if (c != '[' || !kind || !strchr(":.=", kind))
			continue;
		for (d->i += 2; d->i + 1 < d->s.n && !(sed_at(d) == kind && d->s.p[d->i + 1] == ']'); d->i++)
			if (sed_at(d) == delim)
				return false;
		d->i++;
	}
	return d->i < d->s.n;
}

/* Passes a regular expression and the delimiter after it. */
static bool sed_until(struct sed *d, char delim)
{
	for (; d->i < d->s.n; d->i++) {
		char c = sed_at(d);

		if (c == delim) {
			d->i++;
			return true;
		}
		if (c == '\\')
			d->i++;
		else if (c == '[' && !sed_bracket(d, delim))
			return false;
	}
	return false;
}

static void sed_number(struct sed *d)
{
	while (is_digit(sed_at(d)))
		d->i++;
}

static bool sed_address(struct sed *d)
{
	char c = sed_at(d);

	if (is_digit(c)) {
		sed_number(d);
	} else if (c == '$') {
		d->i++;
	} else if (c == '/') {
		d->i++;
		if (!sed_until(d, '/'))
			return false;
		while (sed_at(d) == 'I' || sed_at(d) == 'M')
			d->i++;
	} else if (c == '+' || c == '~') {
		d->i++;
		sed_number(d);
		return true;
	}
	if (sed_at(d) == '~') {
		d->i++;
		sed_number(d);
	}
	return true;
}

static bool sed_substitute(struct sed *d, bool flags)
{
	char delim = sed_at(d);

	if (!delim || delim == '\n' || delim == '\\' || delim == '[' || delim == ']')
		return false;
	d->i++;
	if (!sed_until(d, delim))
		return false;
	for (; d->i < d->s.n && sed_at(d) != delim; d->i++) /* the replacement: no brackets there */
		if (sed_at(d) == '\\')
			d->i++;
	if (d->i++ >= d->s.n)
		return false;
	while (flags && d->i < d->s.n && (is_digit(sed_at(d)) || strchr("gpiIM", sed_at(d))))
		d->i++;
	return true;
}

/* The end of a command: nothing, a newline, a semicolon, a closing brace or a comment. */
static bool sed_end(struct sed *d)
{
	sed_blanks(d, false);
	return d->i >= d->s.n || strchr("\n;}#", sed_at(d));
}

static void sed_line(struct sed *d) /* a, i, c: text to the end of the line, a backslash continues it */
{
	for (; d->i < d->s.n && sed_at(d) != '\n'; d->i++)
		if (sed_at(d) == '\\')
			d->i++;
}

static bool sed_command(struct sed *d)
{
	char c = sed_at(d);

	d->i++;
	switch (c) {
	case 's': return sed_substitute(d, true) && sed_end(d);
	case 'y': return sed_substitute(d, false) && sed_end(d);
	case 'a': case 'i': case 'c': sed_line(d); return true;
	case '{': return true;
	case '}': case '=': case 'd': case 'D': case 'g': case 'G': case 'h': case 'H': case 'n': case 'N': case 'p': case 'P': case 'x': case 'z': case 'F':
		return sed_end(d);
	case 'q': case 'Q': case 'l':
		sed_blanks(d, false);
		sed_number(d);
		return sed_end(d);
	case 'b': case 't': case 'T': case ':':
		sed_blanks(d, false);
		while (is_alpha(sed_at(d)) || is_digit(sed_at(d)))
			d->i++;
		return sed_end(d);
	case '#': sed_line(d); return true;
	}
	return false;
}

static bool sed_harmless(struct str s)
{
	struct sed d = {.s = s};

	for (;;) {
		sed_blanks(&d, true);
		if (d.i >= s.n)
			return true;
		if (!sed_address(&d))
			return false;
		sed_blanks(&d, false);
		if (sed_at(&d) == ',') {
			d.i++;
			sed_blanks(&d, false);
			if (!sed_address(&d))
				return false;
			sed_blanks(&d, false);
		}
		while (sed_at(&d) == '!' || sed_at(&d) == ' ')
			d.i++;
		if (d.i >= s.n || !sed_command(&d))
			return false;
	}
}

/* ---- SQL ---- */

/* Clients run their own commands from the same text (.shell, \!, system), and servers have functions that reach files and programs. */
static bool sql_harmless(struct str s)
{
	static const char *const words[] = {
		"program", "load_extension", "writefile", "readfile", "edit(", "fts3_tokenizer", "outfile", "dumpfile", "load_file", "load data", "attach",
		"vacuum", "lo_export", "lo_import", "pg_read", "pg_ls", "language", "xp_cmdshell", "sp_oacreate", "dblink", "system", "source", "pager", "tee",
		"delimiter", "copy", "sys_exec", "sys_eval", "install", "load ", "read_", "glob(",
	};
	bool start = true;

	if (str_find(s, '\\', 0) >= 0)
		return false;
	for (size_t i = 0; i < s.n; i++) {
		if (start && s.p[i] == '.')
			return false;
		start = s.p[i] == '\n' || s.p[i] == ';' || (start && is_space(s.p[i]));
	}
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (contains_nocase(s, words[i]))
			return false;
	return true;
}

static bool always(struct str s)
{
	(void)s;
	return true;
}

static const struct {
	const char *lang;
	bool (*harmless)(struct str);
	bool unknown_too; /* the language cannot reach out at all */
} languages[] = {
	{"awk", awk_harmless, false},
	{"jq", always, true},
	{"sed", sed_harmless, false},
	{"sql", sql_harmless, false},
};

bool inline_harmless(const struct snippet *s)
{
	for (size_t i = 0; s->lang && i < sizeof(languages) / sizeof(*languages); i++)
		if (!strcmp(languages[i].lang, s->lang))
			return languages[i].unknown_too || (s->text.kind == WORD_EXACT && languages[i].harmless(s->text.text));
	return false;
}
