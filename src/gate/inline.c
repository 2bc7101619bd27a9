/*
 * Small languages inside a command line: decides which pieces of awk, sed, SQL, jq, less and gdb are plainly
 * harmless, that is, can neither run a command nor open a file of their own choice. These are conservative
 * scanners, not parsers: anything they do not recognise is not harmless. Languages without a row are harmless
 * if their reader (src/code) understood all of the text.
 */
#include "code/code.h"
#include "gate/judge.h"

/* ---- sed ---- */

/*
 * A sed script can reach files and commands only by e, w, W, r, R and by the e and w flags of s. Everything
 * else recognised here is harmless.
 */
struct sed {
	struct str s;
	size_t i;
	bool brackets; /* a delimiter in a bracket expression does not end the regex */
	bool refused;  /* every sed rejects this, so nothing runs */
};

static char sed_at(const struct sed *d) { return d->i < d->s.n ? d->s.p[d->i] : '\0'; }

static void sed_blanks(struct sed *d, bool ends)
{
	while (d->i < d->s.n && (ascii_is_space(sed_at(d)) ? ends || sed_at(d) != '\n' : ends &&
			sed_at(d) == ';'))
		d->i++;
}

/* Skips a bracket expression whose [ is at i. */
static bool sed_bracket(struct sed *d)
{
	d->i++;
	d->i += sed_at(d) == '^';
	d->i += sed_at(d) == ']'; /* literal when it comes first */
	for (; d->i < d->s.n && sed_at(d) != ']'; d->i++) {
		char c = sed_at(d), kind = d->i + 1 < d->s.n ? d->s.p[d->i + 1] : '\0';

		if (c == '\n' || (c == '\\' && (!kind || strchr("][\\\n", kind)))) /* seds differ about \] */
			return false;
		if (c == '\\')
			d->i++;
		if (c != '[' || !kind || !strchr(":.=", kind))
			continue;
		for (d->i += 2; d->i + 1 < d->s.n && !(sed_at(d) == kind && d->s.p[d->i + 1] == ']'); d->i++)
			if (sed_at(d) == '\n')
				return false;
		d->i++;
	}
	return d->i < d->s.n;
}

/* Skips a regular expression and the delimiter after it. */
static bool sed_until(struct sed *d, char delim)
{
	for (; d->i < d->s.n; d->i++) {
		char c = sed_at(d);

		if (c == delim) {
			d->i++;
			return true;
		}
		if (c == '\n')
			return false;
		if (c == '\\')
			d->i++;
		else if (c == '[' && d->brackets && !sed_bracket(d))
			return false;
	}
	return false;
}

static void sed_number(struct sed *d)
{
	while (text_digit(sed_at(d)))
		d->i++;
}

static bool sed_address(struct sed *d)
{
	char c = sed_at(d);

	if (text_digit(c)) {
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

	if (!delim || delim == '\n' || delim == '\\' || delim == '[' || delim == ']' || delim == HOLE_NUM)
		return false;
	d->i++;
	if (!sed_until(d, delim))
		return false;
	for (; d->i < d->s.n && sed_at(d) != delim; d->i++) /* replacement: no bracket expressions */
		if (sed_at(d) == '\\')
			d->i++;
		else if (sed_at(d) == '\n')
			return false;
	if (d->i++ >= d->s.n)
		return false;
	while (flags && d->i < d->s.n && (text_digit(sed_at(d)) || strchr("gpiIM", sed_at(d))))
		d->i++;
	d->refused = flags && d->i < d->s.n && sed_at(d) && !strchr("gpiImMewW \t\r\n;}#", sed_at(d));
	return true;
}

/* Accepts the end of a command: end of text, newline, semicolon, closing brace or comment. */
static bool sed_end(struct sed *d)
{
	sed_blanks(d, false);
	return d->i >= d->s.n || strchr("\n;}#", sed_at(d));
}

static void sed_line(struct sed *d) /* a, i, c: text to the end of the line; a backslash continues it */
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
	case '}': case '=': case 'd': case 'D': case 'g': case 'G': case 'h': case 'H': case 'n': case 'N':
			case 'p': case 'P': case 'x': case 'z': case 'F':
		return sed_end(d);
	case 'q': case 'Q': case 'l':
		sed_blanks(d, false);
		sed_number(d);
		return sed_end(d);
	case 'b': case 't': case 'T': case ':':
		sed_blanks(d, false);
		while (ascii_is_name_start(sed_at(d)) || text_digit(sed_at(d)))
			d->i++;
		return sed_end(d);
	case '#': /* unlike text, a comment ends with its line despite a backslash */
		while (d->i < d->s.n && sed_at(d) != '\n')
			d->i++;
		return true;
	}
	return false;
}

static bool sed_addresses(struct sed *d)
{
	if (!sed_address(d))
		return false;
	sed_blanks(d, false);
	if (sed_at(d) == ',') {
		d->i++;
		sed_blanks(d, false);
		if (!sed_address(d))
			return false;
		sed_blanks(d, false);
	}
	while (sed_at(d) == '!' || sed_at(d) == ' ')
		d->i++;
	return d->i < d->s.n;
}

static bool sed_reading(struct str s, bool brackets)
{
	struct sed d = {.s = s, .brackets = brackets};

	for (;;) {
		sed_blanks(&d, true);
		if (d.i >= s.n)
			return true;
		if (!sed_addresses(&d) || !sed_command(&d))
			return d.refused;
	}
}

/* Seds disagree about s/[/]/x/, so a script must be harmless, or rejected, in both readings. */
static bool sed_harmless(struct str s) { return sed_reading(s, true) && sed_reading(s, false); }

/* ---- SQL ---- */

/*
 * Clients run their own commands from the same text (.shell, \!, system), and servers have functions that
 * reach files and programs.
 */

#define WORD_ROOM 16

/* Client commands that only show something: .tables of sqlite3, \dt of psql. */
static bool sql_client_line(struct str line)
{
	static const char dots[] =
			".tables .schema .fullschema .indexes .indices .databases .dbinfo .dump .headers "
			".header .mode .width .nullvalue .separator .timer .stats .show .help .echo .bail "
			".changes .eqp .explain .version .quit .exit";
	static const char others[] = "\\l \\z \\x \\q \\conninfo \\timing";
	size_t n = 1;

	if (str_find(line, '\\', 1) >= 0 || str_has(line, '`') || str_has(line, '|'))
		return false;
	while (n < line.n && ascii_is_name_start(line.p[n]))
		n++;
	if (n < line.n && !ascii_is_space(line.p[n]) && line.p[n] != '+')
		return false;
	if (line.p[0] == '\\' && n > 1 && line.p[1] == 'd')
		return true; /* describes something, with any argument */
	return str_like_any(str_first(line, n), line.p[0] == '.' ? dots : others);
}

/* Scans lines and statements for commands of the client, not the server. */
static bool sql_client_harmless(struct str s)
{
	static const char words[][WORD_ROOM] = {"system", "source", "pager", "tee", "delimiter", "edit",
			"connect", ""};
	bool start = true;

	for (size_t i = 0; i < s.n; i++) {
		if (start && (s.p[i] == '.' || s.p[i] == '\\')) {
			size_t end = i;

			while (end < s.n && s.p[end] != '\n')
				end++;
			if (!sql_client_line(str_sub(s, i, end)))
				return false;
			i = end;
			continue;
		}
		if (s.p[i] == '\\')
			return false;
		if (start && ascii_is_name_start(s.p[i])) {
			size_t end = i;

			while (end < s.n && ascii_is_name_start(s.p[end]))
				end++;
			for (size_t k = 0; words[k][0]; k++) /* mysql ignores their case */
				if (strlen(words[k]) == end - i && str_contains_nocase(str_sub(s, i, end),
						words[k]))
					return false;
		}
		start = s.p[i] == '\n' || s.p[i] == ';' || (start && ascii_is_space(s.p[i]));
	}
	return true;
}

/*
 * edit(TEXT, EDITOR) of sqlite3 starts the editor. Finds the name before an opening parenthesis, also in
 * quotes, with blanks or a comment between.
 */
static bool sql_edits(struct str s)
{
	for (size_t i = 0; i + 4 < s.n; i++) {
		size_t to = i + 4;

		if (!str_contains_nocase(str_sub(s, i, to), "edit") ||
				(i > 0 && (ascii_is_name_start(s.p[i - 1]) || text_digit(s.p[i - 1]))))
			continue;
		while (to < s.n && (ascii_is_space(s.p[to]) || strchr("\"'`]\f\v", s.p[to])))
			to++;
		if (to < s.n && strchr("(/-", s.p[to]))
			return true;
	}
	return false;
}

static bool sql_harmless(struct str s)
{
	static const char words[][20] = {
		"program", "load_extension", "writefile", "readfile", "fts3_tokenizer", "outfile", "dumpfile",
		"load_file", "load data", "attach",
		"lo_export", "lo_import", "pg_read", "pg_ls", "language", "xp_cmdshell", "sp_oacreate",
		"dblink", "copy", "sys_exec", "sys_eval", "install",
		"load ", "read_", "glob(", "fsdir", "zipfile", "query_to_xml", "crosstab", "lo_unlink",
		"lo_put", "lo_from", "pg_terminate", "pg_cancel", "pg_reload", "pg_rotate",
		"pg_promote", "pg_file", "pg_drop", "pg_switch", "pg_stat_file", "pg_current_log",
	};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (str_contains_nocase(s, words[i]))
			return false;
	if ((str_contains_nocase(s, "vacuum") && str_contains_nocase(s, "into")) || sql_edits(s))
		return false;
	return sql_client_harmless(s);
}

/* ---- less, gdb ---- */

/*
 * Start-up keys of less: a position, or one search. Other keys are commands, and a line end lets the next one
 * start.
 */
static bool less_harmless(struct str s)
{
	size_t n = 0;

	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] < ' ' || s.p[i] == 0x7f)
			return false;
	if (s.n > 1 && (s.p[0] == '/' || s.p[0] == '?'))
		return true;
	while (n < s.n && text_digit(s.p[n]))
		n++;
	return n == s.n ? n > 0 : n + 1 == s.n && strchr("gGF", s.p[n]);
}

/*
 * Whole debugger commands. The debugged program is executed, and judged as such. Arguments are expressions,
 * which may run anything.
 */
static bool gdb_harmless(struct str s)
{
	static const char plain[][32] = {"run", "r", "start", "continue", "c", "bt", "bt full", "backtrace",
			"backtrace full", "where", "quit", "q", "up", "down", "list", "disassemble",
		"thread apply all bt", "thread apply all bt full", "thread backtrace all", "bt all",
		"info registers", "info threads", "info locals", "info args", "info sharedlibrary",
		"info frame",
		"set pagination off", "set confirm off", "set print pretty on"};

	return STR_INDEX(plain, s) >= 0;
}

/*
 * jq reads files of the text's choice only by import "x" as $name. Such directives come first, perhaps after
 * a comment.
 */
static bool jq_harmless(struct str s)
{
	size_t i = 0, to;

	while (i < s.n && ascii_is_space(s.p[i]))
		i++;
	for (to = i; to < s.n && ascii_is_name_start(s.p[to]);)
		to++;
	if (to < s.n && s.p[to] != '#' && !str_like_any(str_sub(s, i, to), "import include module"))
		return true;
	return !str_contains(s, STR("import")) || !str_has(s, '$');
}

static const struct {
	enum lang lang;
	bool (*harmless)(struct str);
	bool unknown_too; /* even if parts of the text are unknown */
} languages[] = {
	{LANG_AWK, code_awk_harmless, false},
	{LANG_GDB, gdb_harmless, false},
	{LANG_JQ, jq_harmless, true},
	{LANG_LESS, less_harmless, false},
	{LANG_SED, sed_harmless, false},
	{LANG_SQL, sql_harmless, false},
};

/* True if the text is exact, or only integers are unknown. */
static bool is_known(const struct word *w)
{
	return w->kind == WORD_EXACT || (w->kind == WORD_UNKNOWN && w->text.n > 0 && !text_open(w->text));
}

bool inline_harmless(const struct snippet *s)
{
	if (s->code && s->code->complete)
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(languages); i++)
		if (languages[i].lang == s->lang)
			return (languages[i].unknown_too || is_known(&s->text)) &&
					languages[i].harmless(s->text.text);
	return false;
}
