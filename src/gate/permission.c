/*
 * Permission rules in Claude Code's language. See permission.h and docs/permissions.md.
 *
 * A command is compared as its words joined by single blanks, as the shell passes them. For a deny rule that
 * is enough: Bash(git push -f) also catches `git 'push -f'`, which git would not understand. For an allow
 * rule a blank inside a word becomes another byte, which a blank of the rule does not match, so the rule's
 * words are the command's words. A quoted part of a rule gets the same byte.
 */
#include "gate/permission.h"

#include "base/glob.h"
#include "gate/leading_variables.h"

#define INNER_BLANK '\3'

_Static_assert(GLOB_HOLE_ANY == HOLE_ANY && GLOB_HOLE_NUM == HOLE_NUM,
		"base/glob.h and model/facts.h must agree about holes");

static const char transparent[][8] = {"timeout", "time", "nice", "nohup", "stdbuf"};

/* ---- the rule's pattern ---- */

struct shape { /* a prepared Bash(pattern) */
	struct str text;
	unsigned flags; /* GLOB_* flags */
	bool all;
};

static bool is_hole(char c) { return (unsigned char)c <= GLOB_HOLE_NAME; }

/* "x:*" and "x *" are prefixes at a word boundary. */
static struct shape shape_of(const struct permission_rule *r)
{
	struct shape s = {.text = r->pattern, .flags = GLOB_ESCAPE};

	while (s.text.n && ascii_is_blank(s.text.p[0]))
		s.text = str_from(s.text, 1);
	if (str_ends(s.text, ":*") || (str_ends(s.text, " *") && !str_ends(s.text, "\\ *"))) {
		s.text.n -= 2;
		s.flags |= GLOB_WORDS;
	}
	while (s.text.n && ascii_is_blank(s.text.p[s.text.n - 1]))
		s.text.n--;
	s.all = r->all || str_is(s.text, "*");
	return s;
}

/*
 * Removes the quotes of the pattern and merges runs of blanks. Blanks inside quotes become `inner`. False if
 * there is nothing to change, an unterminated quote, or no room.
 */
static bool unquote(struct str p, char inner, char *ret, size_t max, struct str *ret_text)
{
	char quote = '\0';
	bool any = false;
	size_t n = 0;

	if (p.n > max)
		return false;
	for (size_t i = 0; i < p.n; i++) {
		char c = p.p[i];

		if (c == quote) {
			quote = '\0';
		} else if (!quote && (c == '"' || c == '\'')) {
			quote = c;
			any = true;
		} else if (quote) {
			ret[n++] = c == ' ' ? inner : c;
		} else if (c != ' ' || (n && ret[n - 1] != ' ')) {
			ret[n++] = c;
		} else {
			any = true; /* a run of blanks */
		}
	}
	*ret_text = str_n(ret, n);
	return any && !quote;
}

/* Returns the length of NAME if the word at `at` is NAME=..., else 0. */
static size_t assignment_name_length(struct str text, size_t at)
{
	size_t i = at;

	while (i < text.n && ((ascii_is_digit(text.p[i]) && i > at) || ascii_is_letter(text.p[i]) ||
				 text.p[i] == '_'))
		i++;
	return i < text.n && text.p[i] == '=' ? i - at : 0;
}

/* ---- feeding a command ---- */

struct permission_feed {
	bool strict;   /* for allow rules */
	bool base;     /* strip the directory of the name */
	bool settings; /* include the assignments */
};

static void feed_text(struct glob *g, struct str text, const struct permission_feed *how)
{
	size_t from = 0;

	for (ptrdiff_t at; how->strict && (at = str_find(text, ' ', from)) >= 0; from = (size_t)at + 1) {
		glob_feed(g, str_sub(text, from, (size_t)at));
		glob_feed(g, str_n((const char[]){INNER_BLANK}, 1));
	}
	glob_feed(g, str_from(text, from));
}

/* Returns the literal start of a file name pattern, before its first wildcard. */
static struct str glob_start_bytes(struct str pattern)
{
	size_t i = 0;

	while (i < pattern.n && !is_hole(pattern.p[i]) && !strchr("*?[\\({@+!~", pattern.p[i]))
		i++;
	return str_first(pattern, i);
}

static void feed_word(struct glob *g, const struct word *w, bool first, const struct permission_feed *how)
{
	struct str any = str_n((const char[]){GLOB_HOLE_ANY}, 1);

	if (w->kind == WORD_REST && !first) {
		if (w->glob)
			glob_feed_names(g, glob_start_bytes(w->text));
		else
			glob_feed_rest(g);
		return;
	}
	if (!first)
		glob_feed(g, STR(" "));
	if (w->kind == WORD_EXACT || (w->kind == WORD_UNKNOWN && w->text.n))
		feed_text(g, first && how->base ? str_base(w->text) : w->text, how);
	else
		glob_feed(g, any);
}

/* Feeds the assignments in source order. Beyond PERMISSION_SETTINGS_MAX they count as unknown text. */
static void feed_settings(struct glob *g, const struct command *c, const struct permission_feed *how)
{
	const struct setting *list[PERMISSION_SETTINGS_MAX];
	size_t n = 0;

	for (const struct setting *x = c->settings; x; x = x->next) {
		size_t i = n;

		if (n++ == PERMISSION_SETTINGS_MAX) {
			glob_feed(g, str_n((const char[]){GLOB_HOLE_ANY}, 1));
			return;
		}
		for (; i > 0 &&
				(list[i - 1]->at.text > x->at.text ||
				(list[i - 1]->at.text == x->at.text &&
				list[i - 1]->at.from > x->at.from)); i--)
			list[i] = list[i - 1];
		list[i] = x;
	}
	for (size_t i = 0; i < n; i++) {
		feed_text(g, list[i]->name, how);
		glob_feed(g, STR("="));
		feed_text(g, list[i]->value, how);
		glob_feed(g, STR(" "));
	}
}

static enum glob_match command_match(struct shape s, const struct command *c, struct permission_feed how)
{
	struct glob g;

	glob_start(&g, s.text, s.flags);
	if (how.settings)
		feed_settings(&g, c, &how);
	for (size_t i = 0; i < c->argc; i++)
		feed_word(&g, &c->argv[i], i == 0, &how);
	return glob_end(&g);
}

static bool speaks_of_bash(const struct permission_rule *r)
{
	return str_is_any(r->tool, "Bash *");
}

static enum glob_match stronger(enum glob_match a, enum glob_match b) { return a > b ? a : b; }

/* Matches with and without the name's directory, and with the assignments if the rule has some. */
static enum glob_match any_match(struct shape s, const struct command *c)
{
	enum glob_match m = command_match(s, c, (struct permission_feed){0});

	if (m < GLOB_YES && str_has(c->argv[0].text, '/'))
		m = stronger(m, command_match(s, c, (struct permission_feed){.base = true}));
	if (m < GLOB_YES && c->settings && assignment_name_length(s.text, 0)) {
		m = stronger(m, command_match(s, c, (struct permission_feed){.settings = true}));
		m = stronger(m,
			command_match(s, c, (struct permission_feed){.settings = true, .base = true}));
	}
	return m;
}

enum prefix_match permission_bash(const struct permission_rule *r, const struct command *c)
{
	char room[GLOB_PATTERN_MAX];
	struct shape s = shape_of(r);
	enum glob_match m;

	if (!speaks_of_bash(r) || !c->argc)
		return MATCH_NO;
	if (s.all || !s.text.n)
		return MATCH_YES;
	if (c->argv[0].kind != WORD_EXACT && !c->argv[0].text.n)
		return MATCH_MAYBE;
	m = any_match(s, c);
	if (m < GLOB_YES && unquote(s.text, ' ', room, sizeof room, &s.text))
		m = stronger(m, any_match(s, c));
	return (enum prefix_match)m;
}

/* ---- allow ---- */

/* True if the rule spells out every assignment that matters at its start, before its first star. */
static bool rule_names_settings(struct str rule, const struct command *c)
{
	for (const struct setting *x = c->settings; x; x = x->next) {
		bool named = false;
		size_t n;

		if (!leading_variable_matters(x))
			continue;
		for (size_t at = 0; (n = assignment_name_length(rule, at)) && !named;) {
			ptrdiff_t end = str_find(rule, ' ', at);
			struct str value = str_sub(rule, at + n + 1, end < 0 ? rule.n : (size_t)end);

			named = str_eq(str_sub(rule, at, at + n), x->name) && str_eq(value, x->value) &&
					!str_has(value, '*');
			at = end < 0 ? rule.n : (size_t)end + 1;
		}
		if (!named)
			return false;
	}
	return true;
}

/* The command must not contain INNER_BLANK, which has a special meaning in prepared texts. */
static bool plain_words(const struct command *c)
{
	for (size_t i = 0; i < c->argc; i++)
		if (str_has(c->argv[i].text, INNER_BLANK))
			return false;
	return true;
}

static bool strict_match(struct shape s, const struct command *c)
{
	struct str name = c->argv[0].text;
	struct permission_feed how = {.strict = true, .settings = assignment_name_length(s.text, 0) > 0};

	if (command_match(s, c, how) != GLOB_YES) {
		how.base = true;
		if (!path_is_system_program(name) || command_match(s, c, how) != GLOB_YES)
			return false;
	}
	return rule_names_settings(s.text, c);
}

bool permission_bash_allows(const struct permission_rule *r, const struct command *c)
{
	char room[GLOB_PATTERN_MAX];
	struct shape s = shape_of(r);

	if (!speaks_of_bash(r) || !c->argc || c->argv[0].kind != WORD_EXACT || !c->argv[0].text.n ||
			!plain_words(c))
		return false;
	if (s.all)
		return rule_names_settings(STR(""), c);
	if (!s.text.n) /* Bash(:*) allows nothing */
		return false;
	if (strict_match(s, c))
		return true;
	return unquote(s.text, INNER_BLANK, room, sizeof room, &s.text) && strict_match(s, c);
}

static bool allowed_by_rule(const struct permission_rule *rules, const struct command *c)
{
	for (const struct permission_rule *r = rules; r; r = r->next)
		if (permission_bash_allows(r, c))
			return true;
	return false;
}

/*
 * Returns the wrapper's name: "timeout", or "/usr/bin/timeout", without an assignment that changes what it
 * runs. Else NULL.
 */
static const char *wrapper_name(const struct command *c)
{
	struct str name;

	if (!c->argc || c->argv[0].kind != WORD_EXACT)
		return NULL;
	name = c->argv[0].text;
	if (path_is_system_program(name))
		name = str_base(name);
	ptrdiff_t i = STR_INDEX(transparent, name);

	if (i >= 0)
		return rule_names_settings(STR(""), c) ? transparent[i] : NULL;
	return NULL;
}

static bool same_word(const struct word *a, const struct word *b)
{
	return a->kind == b->kind && span_same(a->at, b->at) && str_eq(a->text, b->text);
}

/* True if the wrapper runs `in`: its last words, reached through it. */
static bool wrapper_runs(const struct command *c, const char *name, const struct command *in)
{
	size_t skip;

	if (!in->via || in->via->kind != VIA_WRAPPER || strcmp(in->via->name, name) != 0)
		return false;
	if (in->argc >= c->argc || !in->argc)
		return false;
	skip = c->argc - in->argc;
	for (size_t i = 0; i < in->argc; i++)
		if (!same_word(&c->argv[skip + i], &in->argv[i]))
			return false;
	return true;
}

/*
 * Follows wrappers inwards. Each has one command; a second one that looks the same (from another path through
 * the text) ends with the same words.
 */
bool permission_allowed(const struct permission_rule *rules, const struct facts *f, const struct command *c)
{
	for (unsigned depth = 0; depth < PERMISSION_WRAPPERS_MAX; depth++) {
		const struct command *in;
		const char *name;

		if (allowed_by_rule(rules, c))
			return true;
		name = wrapper_name(c);
		if (!name)
			return false;
		for (in = f->commands; in && !wrapper_runs(c, name, in);)
			in = in->next;
		if (!in)
			return false;
		c = in;
	}
	return false;
}

/* ---- files ---- */

static const char reading[][16] = {"Read", "Grep", "Glob", "LS", "*"};
static const char writing[][16] = {"Edit", "Write", "MultiEdit", "NotebookEdit", "*"};

bool permission_covers(const struct permission_rule *r, enum access_kind kind)
{
	const char (*list)[16] = kind == ACCESS_READ ? reading : kind == ACCESS_WRITE ||
			kind == ACCESS_DELETE ? writing : NULL;

	for (size_t i = 0; list && i < ARRAY_SIZE(reading); i++)
		if (str_is(r->tool, list[i]))
			return true;
	return false;
}

/*
 * A path on the stack without empty components, "." and "..". An unknown component removed by ".." leaves an
 * unknown path.
 */
struct plain_path {
	char p[PERMISSION_PATH_MAX + 2]; /* plus a slash and a hole */
	size_t n;
};

static bool plain_add(struct plain_path *d, struct str part)
{
	if (part.n + 1 > PERMISSION_PATH_MAX - d->n)
		return false;
	d->p[d->n++] = '/';
	memcpy(d->p + d->n, part.p, part.n);
	d->n += part.n;
	return true;
}

static void plain_up(struct plain_path *d)
{
	size_t from = d->n;

	while (from > 0 && d->p[from - 1] != '/')
		from--;
	if (memchr(d->p + from, GLOB_HOLE_ANY, d->n - from)) { /* any number of components, so any parent */
		d->p[0] = GLOB_HOLE_ANY;
		d->n = 1;
		return;
	}
	d->n = from ? from - 1 : 0;
}

static bool plain_path(struct plain_path *d, struct str path)
{
	size_t i = 0;

	d->n = 0;
	/* an abstract text may start with a hole; its base directory is unknown */
	if (path.n && path.p[0] != '/') {
		d->p[d->n++] = GLOB_HOLE_ANY;
		while (i < path.n && path.p[i] == GLOB_HOLE_ANY)
			i++;
		size_t end = i;
		while (end < path.n && path.p[end] != '/')
			end++;
		if (end - i > PERMISSION_PATH_MAX - d->n)
			return false;
		memcpy(d->p + d->n, path.p + i, end - i);
		d->n += end - i;
		i = end;
	}
	path = str_from(path, i);
	for (struct str part; (part = str_part(&path)).n;) {
		if (str_is(part, ".."))
			plain_up(d);
		else if (!plain_add(d, part))
			return false;
	}
	return true;
}

static enum prefix_match file_match(const struct permission_rule *r, const struct view *v, struct str path,
		unsigned flags)
{
	struct str p = r->pattern, dir = v->cwd;

	if (str_starts(p, "//")) {
		dir = STR("/");
		p = str_from(p, 1);
	} else if (str_starts(p, "~/")) {
		dir = v->home;
		p = str_from(p, 1);
	} else if (str_is(p, "~")) {
		dir = v->home;
		p = STR("/");
	} else if (str_starts(p, "/")) {
		dir = r->base;
	} else {
		while (str_starts(p, "./"))
			p = str_from(p, 2);
	}
	if (str_is(p, ".") || !p.n)
		p = STR("/");
	return (enum prefix_match)gitignore_below(dir, p, path, flags);
}

enum prefix_match permission_file(const struct permission_rule *r, const struct view *v, struct str path,
		unsigned flags)
{
	struct plain_path d;
	unsigned fold = flags & PERMISSION_FOLD ? GLOB_FOLD : 0;
	enum prefix_match m;

	if (r->all && !r->pattern.n) /* Read(*) covers only paths below the working directory */
		return MATCH_YES;
	if (!plain_path(&d, path))
		return MATCH_MAYBE;
	if (str_ends(path, "/") || (flags & PERMISSION_BELOW) || !d.n) /* certainly a directory */
		d.p[d.n++] = '/';
	m = file_match(r, v, str_n(d.p, d.n), fold);
	if (m == MATCH_NO && (flags & PERMISSION_BELOW)) {
		d.p[d.n++] = GLOB_HOLE_ANY;
		m = file_match(r, v, str_n(d.p, d.n), fold) ? MATCH_MAYBE : MATCH_NO;
		d.n--;
	}
	/* the hole may contain "..", so the part before it is no evidence */
	if (m == MATCH_NO && memchr(d.p, GLOB_HOLE_ANY, d.n)) {
		size_t at = d.n - 1;

		while (d.p[at] != GLOB_HOLE_ANY)
			at--;
		m = file_match(r, v, str_n(d.p + at, d.n - at), fold) ? MATCH_MAYBE : MATCH_NO;
	}
	return m;
}

enum prefix_match permission_path(const struct permission_rule *r, const struct view *v, struct str path)
{
	return permission_file(r, v, path, 0);
}
