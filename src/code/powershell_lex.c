/*
 * The lexer for PowerShell: blanks and comments, strings, variables, bare words. Also values and variables.
 * See powershell.h.
 */
#include <strings.h>

#include "base/utf8.h"
#include "code/powershell.h"

#define LIST_ITEMS_JOINED_MAX 64

bool ps_fail(struct ps *p)
{
	if (!p->failed && !p->stopped) {
		p->failed = true;
		p->w->code->error_at = (struct span){p->w->text, (uint32_t)(p->i < p->s.n ? p->i : p->s.n),
				(uint32_t)(p->i < p->s.n ? p->i + 1 : p->s.n)};
	}
	return false;
}

bool ps_take(struct ps *p, char c)
{
	if (ps_at(p, 0) != c)
		return ps_fail(p);
	p->i++;
	return true;
}

bool ps_step(struct ps *p)
{
	if (++p->steps <= PS_STEPS_MAX)
		return !p->failed && !p->stopped;
	if (!p->stopped) {
		p->stopped = true;
		p->mute = false;
		ps_mark(p, MARKER_BOUND);
	}
	return false;
}

bool ps_enter(struct ps *p)
{
	if (p->depth >= PS_DEPTH_MAX || !ps_step(p)) {
		p->stopped = true;
		ps_mark(p, MARKER_BOUND);
		return false;
	}
	p->depth++;
	return true;
}

bool ps_name_char(char c) { return ascii_is_name(c) || (unsigned char)c >= 0x80; }

/* ---- blanks ---- */

static bool skip_comment(struct ps *p)
{
	if (ps_at(p, 0) == '#') {
		while (p->i < p->s.n && ps_at(p, 0) != '\n')
			p->i++;
		return true;
	}
	if (ps_at(p, 0) != '<' || ps_at(p, 1) != '#')
		return false;
	for (p->i += 2; p->i < p->s.n && !(ps_at(p, 0) == '#' && ps_at(p, 1) == '>');)
		p->i++;
	if (p->i >= p->s.n)
		return ps_fail(p);
	p->i += 2;
	return true;
}

void ps_blanks(struct ps *p)
{
	while (!ps_end(p)) {
		char c = ps_at(p, 0);

		if (ascii_is_blank(c) || c == '\r' || c == '\f' || c == '\v')
			p->i++;
		else if (c == '`' && ps_at(p, 1) == '\n')
			p->i += 2;
		else if (c == '`' && ps_at(p, 1) == '\r' && ps_at(p, 2) == '\n')
			p->i += 3;
		else if (!skip_comment(p))
			return;
	}
}

static void blanks_and(struct ps *p, const char *more)
{
	for (;;) {
		ps_blanks(p);
		if (ps_end(p) || !strchr(more, ps_at(p, 0)) || !ps_at(p, 0))
			return;
		p->i++;
	}
}

void ps_lines(struct ps *p) { blanks_and(p, "\n;"); }
void ps_newlines(struct ps *p) { blanks_and(p, "\n"); }

/* ---- values ---- */

struct ps_val ps_of(struct str text) { return (struct ps_val){.kind = PS_TEXT, .text = text}; }

struct str ps_text(struct ps *p, const struct ps_val *v)
{
	struct buf b;

	switch (v->kind) {
	case PS_NULL: return STR("");
	case PS_TEXT: return v->text;
	case PS_LIST:
		if (v->nitems > LIST_ITEMS_JOINED_MAX)
			return CODE_HOLE;
		buf_init(&b, p->a, 0);
		for (size_t i = 0; i < v->nitems; i++) {
			if (i)
				buf_char(&b, ' ');
			buf_str(&b, v->items[i].kind == PS_TEXT ? v->items[i].text : CODE_HOLE);
		}
		return buf_view(&b);
	default: return CODE_HOLE;
	}
}

struct ps_var *ps_var(struct ps *p, struct str name, bool make)
{
	for (size_t i = 0; i < p->nvars; i++)
		if (p->vars[i].name.n == name.n && !strncasecmp(p->vars[i].name.p, name.p, name.n))
			return &p->vars[i];
	if (!make || p->nvars == PS_VARS_MAX)
		return NULL;
	p->vars[p->nvars] = (struct ps_var){.name = name};
	return &p->vars[p->nvars++];
}

void ps_forget(struct ps *p)
{
	for (size_t i = 0; i < p->nvars; i++)
		p->vars[i].block = 0;
}

static struct str plain_name(struct str name)
{
	ptrdiff_t colon = str_find(name, ':', 0);

	if (colon > 0 && str_like_any(str_first(name, (size_t)colon),
			"global local private script using variable"))
		return str_from(name, (size_t)colon + 1);
	return name;
}

void ps_assign(struct ps *p, struct str name, struct ps_val v)
{
	struct str plain = plain_name(name);
	ptrdiff_t colon = str_find(plain, ':', 0);

	if (colon > 0 && str_is_like(str_first(plain, (size_t)colon), "env")) {
		ps_setting(p, str_from(plain, (size_t)colon + 1), ps_text(p, &v));
		return;
	}
	if (colon > 0 ||
			str_like_any(plain,
			"PSDefaultParameterValues PROFILE HOME PWD PSModuleAutoLoadingPreference OFS")) {
		ps_mark(p, MARKER_VARIABLE);
		return;
	}
	struct ps_var *var = ps_var(p, plain, true);
	if (!var)
		return;
	var->val = v;
	var->block = p->nopen ? p->open[p->nopen - 1] : 0;
}

static bool is_open(const struct ps *p, unsigned block)
{
	for (size_t i = 0; block && i < p->nopen; i++)
		if (p->open[i] == block)
			return true;
	return false;
}

/* ---- variables ---- */

/* Reads the name after $ or @. */
struct str ps_variable_name(struct ps *p)
{
	size_t from = p->i;

	if (ps_at(p, 0) == '{') {
		while (p->i < p->s.n && ps_at(p, 0) != '}') {
			if (ps_at(p, 0) == '`')
				ps_mark(p, MARKER_VARIABLE);
			p->i++;
		}
		if (p->i >= p->s.n) {
			ps_fail(p);
			return STR("");
		}
		p->i++;
		return str_sub(p->s, from + 1, p->i - 1);
	}
	if (ps_at(p, 0) == '$' || ps_at(p, 0) == '^' || ps_at(p, 0) == '?') {
		p->i++;
		return str_sub(p->s, from, p->i);
	}
	while (ps_name_char(ps_at(p, 0)) || ps_at(p, 0) == '?')
		p->i++;
	if (p->i > from && ps_at(p, 0) == ':' && (ps_name_char(ps_at(p, 1)))) {
		p->i++;
		while (ps_name_char(ps_at(p, 0)) || ps_at(p, 0) == '?')
			p->i++;
	}
	return str_sub(p->s, from, p->i);
}

static struct ps_val known_variable(struct ps *p, struct str name)
{
	struct str home = p->w->v->home;

	if (str_like_any(name, "null"))
		return (struct ps_val){.kind = PS_NULL};
	if (str_like_any(name, "true false"))
		return (struct ps_val){.kind = PS_TEXT, .text = name, .number = true};
	if (str_like_any(name, "_ PSItem"))
		return p->it;
	if (str_like_any(name, "HOME env:HOME env:USERPROFILE"))
		return home.n ? ps_of(home) : PS_UNKNOWN;
	if (str_like_any(name, "PWD"))
		return p->w->s->cwd.n ? ps_of(p->w->s->cwd) : PS_UNKNOWN;
	if (str_like_any(name, "PROFILE") && home.n)
		return ps_of(str_cat(p->a, home,
				STR("/.config/powershell/Microsoft.PowerShell_profile.ps1")));
	if (str_like_any(name, "LASTEXITCODE PID"))
		return (struct ps_val){.kind = PS_TEXT, .text = CODE_HOLE, .number = true};
	if (str_like_any(name,
			"PSVersionTable Error Host Matches MyInvocation ErrorActionPreference "
			"ProgressPreference IsLinux IsWindows IsMacOS"))
		return (struct ps_val){.kind = PS_DATA, .text = CODE_HOLE};
	return PS_UNKNOWN;
}

/* Reads a variable from its $. */
struct ps_val ps_variable(struct ps *p)
{
	p->i++;
	struct str name = plain_name(ps_variable_name(p));
	struct ps_var *v = ps_var(p, name, false);

	if (!name.n) {
		ps_fail(p);
		return PS_UNKNOWN;
	}
	if (str_is_like(name, "PSDefaultParameterValues"))
		ps_mark(p, MARKER_VARIABLE); /* its methods change the parameters of all commands */
	if (v && v->assigned) {
		if (v->assigned == 1 && is_open(p, v->block) && !(v->val.kind == PS_LIST && p->lists_change))
			return v->val;
		/* data stay harmless, whichever assignment applies */
		return v->val.kind == PS_DATA && v->assigned == 1 ? v->val : PS_UNKNOWN;
	}
	return known_variable(p, name);
}

static void count_one(struct ps *p, struct str name, unsigned times)
{
	struct ps_var *v = ps_var(p, plain_name(name), true);

	if (v)
		v->assigned += times;
	else
		ps_mark(p, MARKER_BOUND);
}

/* True if an item of the variable may be assigned: $x[0] = ..., $x.y[1] += ... Errs on the side of true. */
static bool item_assigned(struct ps *p)
{
	unsigned open = 0;
	bool index = false;

	for (; p->i < p->s.n; p->i++) {
		char c = ps_at(p, 0);

		if (c == '[') {
			open++;
			index = true;
		} else if (c == ']' && open) {
			open--;
		} else if (!open && !ps_name_char(c) && c != '.') {
			break;
		}
	}
	ps_blanks(p);
	return index && (open || (ps_at(p, 0) == '=' && ps_at(p, 1) != '=') || ps_at(p, 1) == '=' ||
			(ps_at(p, 0) == ps_at(p, 1) && strchr("+-", ps_at(p, 0)) && ps_at(p, 0)) ||
		ps_at(p, 0) == ','); /* $x[0], $y = ... */
}

/* $a, $b = ...: skips the names after the first. */
static void pass_names(struct ps *p)
{
	for (;;) {
		ps_newlines(p);
		if (ps_at(p, 0) != ',')
			break;
		p->i++;
		ps_newlines(p);
		if (ps_at(p, 0) != '$')
			break;
		p->i++;
		ps_variable_name(p);
		if (p->failed)
			break;
	}
	p->failed = false;
}

/*
 * How many assignments the operator counts for: `more` for = and in, 2 for compound operators, 0 for others.
 */
static unsigned assigns(const struct ps *p, unsigned more)
{
	char c = ps_at(p, 0), next = ps_at(p, 1);

	if (c == '=' && next != '=')
		return more;
	if ((c && strchr("+-*/%", c) && next == '=') || (c == '?' && next == '?' && ps_at(p, 2) == '='))
		return 2;
	if ((c == '+' || c == '-') && next == c)
		return 2;
	return (c == 'i' || c == 'I') && (next == 'n' || next == 'N') ? more : 0;
}

/*
 * Counts everything that looks like an assignment, even in strings and comments: counting too many is safe.
 */
void ps_count_assignments(struct ps *p)
{
	static const char loose[][12] = {"variable", "[ref]", "-ov ", "-pv ", "-ev ", "-iv ", "-wv ", "sv ",
			"nv ", "set "};
	unsigned more, times;

	for (size_t i = 0; i < ARRAY_SIZE(loose); i++)
		p->loose |= str_contains_nocase(p->s, loose[i]);
	more = p->loose ? 2 : 1;
	for (p->i = 0; p->i < p->s.n;) {
		if (p->s.p[p->i++] != '$')
			continue;
		size_t from = p->i;
		struct str name = ps_variable_name(p);
		size_t back = p->i;

		if (p->failed) { /* an unclosed brace in a string */
			p->failed = false;
			p->i = from;
			continue;
		}
		if (ps_at(p, 0) == '[' || ps_at(p, 0) == '.')
			p->lists_change |= item_assigned(p);
		p->i = back;
		pass_names(p);
		times = name.n ? assigns(p, more) : 0;
		if (times)
			count_one(p, name, times);
		p->i = back;
	}
	p->i = 0;
}

/* ---- strings ---- */

static void read_escape(struct ps *p, struct buf *b) /* after the backtick */
{
	static const char from[] = "0abefnrtv", to[] = "\0\a\b\033\f\n\r\t\v";
	char c = ps_at(p, 0);
	const char *at = c ? strchr(from, c) : NULL;

	if (c == 'u' && ps_at(p, 1) == '{') {
		uint32_t cp = 0;
		char out[4];

		for (p->i += 2; p->i < p->s.n && ps_at(p, 0) != '}' && cp < 0x110000; p->i++) {
			char d = ps_at(p, 0);

			cp = cp * 16 + (uint32_t)(ascii_is_digit(d) ? d - '0' : ((d | 32) - 'a' + 10) & 15);
		}
		p->i++;
		buf_add(b, out, utf8_put(cp, out));
		return;
	}
	if (p->i >= p->s.n)
		return;
	p->i++;
	buf_char(b, at ? to[at - from] : c); /* `0 becomes a hole: no path contains NUL */
}

/* Reads $name or $(...) inside a string. True if there is one. */
static bool read_expansion(struct ps *p, struct buf *b)
{
	char next = ps_at(p, 1);
	struct ps_val v;

	if (next == '(') {
		p->i += 2;
		v = ps_statements(p, ')');
	} else if (ps_name_char(next) || next == '{' || next == '$' || next == '^' || next == '?') {
		v = ps_variable(p);
	} else {
		return false;
	}
	buf_str(b, ps_text(p, &v));
	return true;
}

static struct ps_val here_string(struct ps *p)
{
	char quote = ps_at(p, 1);
	struct buf b;

	buf_init(&b, p->a, 0);
	for (p->i += 2; ascii_is_blank(ps_at(p, 0)) || ps_at(p, 0) == '\r';)
		p->i++;
	if (ps_at(p, 0) != '\n') {
		ps_fail(p);
		return PS_UNKNOWN;
	}
	p->i++;
	while (!ps_end(p)) {
		bool start = p->s.p[p->i - 1] == '\n';

		if (start && ps_at(p, 0) == quote && ps_at(p, 1) == '@') {
			p->i += 2;
			if (b.n && b.p[b.n - 1] == '\n')
				b.n--;
			return ps_of(buf_view(&b));
		}
		if (quote == '"' && ps_at(p, 0) == '`') {
			p->i++;
			read_escape(p, &b);
		} else if (quote != '"' || ps_at(p, 0) != '$' || !read_expansion(p, &b)) {
			buf_char(&b, ps_at(p, 0));
			p->i++;
		}
	}
	ps_fail(p);
	return PS_UNKNOWN;
}

static void read_quoted(struct ps *p, struct buf *b) /* at the quote */
{
	char quote = ps_at(p, 0);

	for (p->i++; !ps_end(p);) {
		char c = ps_at(p, 0);

		if (c == quote && ps_at(p, 1) != quote) {
			p->i++;
			return;
		}
		if (c == quote) {
			buf_char(b, c);
			p->i += 2;
		} else if (quote == '"' && c == '`') {
			p->i++;
			read_escape(p, b);
		} else if (quote != '"' || c != '$' || !read_expansion(p, b)) {
			buf_char(b, c);
			p->i++;
		}
	}
	ps_fail(p);
}

/* Reads a string from ' or " or @' or @". */
struct ps_val ps_string(struct ps *p)
{
	struct buf b;

	if (ps_at(p, 0) == '@')
		return here_string(p);
	buf_init(&b, p->a, 0);
	read_quoted(p, &b);
	return ps_of(buf_view(&b));
}

/* Reads a bare word of a command, expanding quotes and variables in it. Stops where another word starts. */
struct ps_val ps_bare(struct ps *p)
{
	struct buf b;
	size_t from = p->i;

	buf_init(&b, p->a, 0);
	while (!ps_end(p)) {
		char c = ps_at(p, 0);

		if (strchr(" \t\r\n\f\v;,(){}|&<>", c))
			break;
		if ((unsigned char)c == 0xE2 && (unsigned char)ps_at(p, 1) == 0x80)
			ps_mark(p, MARKER_UNICODE); /* PowerShell also accepts other dashes and blanks */
		if (c == '`') {
			p->i++;
			if (ps_at(p, 0) == '\n' || ps_at(p, 0) == '\r')
				ps_mark(p, MARKER_WORD);
			read_escape(p, &b);
		} else if (c == '\'' || c == '"') {
			read_quoted(p, &b);
		} else if (c != '$' || !read_expansion(p, &b)) {
			buf_char(&b, c);
			p->i++;
		}
	}
	if (p->i == from)
		ps_fail(p);
	return (struct ps_val){.kind = PS_TEXT, .text = buf_view(&b), .bare = true};
}
