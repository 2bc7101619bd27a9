/*
 * Files that data name: a patch for patch, git apply, git am or apply_patch, or entries for git update-index.
 *
 * The reader lists every file that one of these programs may access. The programs interpret headers in
 * different ways, so each interpretation is listed. A unified hunk is skipped by the line counts in its
 * header, as the programs do. Every other line is a possible header, with any indentation. If the text is
 * unknown, or is a kind of diff that this file does not parse, any file below the directory may be written.
 */
#include "shell/eval.h"

#define PATCH_NAMES_MAX 1024 /* names in one patch; with more, any file below may be written */
#define PATCH_DIGITS_MAX 9   /* digits of a line count */

struct patch_reader {
	struct eval *e;
	const char *op;
	struct span at;
	struct str text;
	size_t next;          /* offset of the next line */
	struct str root;      /* --directory of git apply, or empty */
	long strip;           /* value of -p; -1: not given */
	bool git;             /* git apply: without -p, it strips one component */
	bool link;            /* the current file becomes a symbolic link */
	bool loose;           /* the text has something that is not modelled */
	size_t old_left, new_left; /* remaining lines of the current hunk */
	size_t nnames;
};

static bool patch_line(struct patch_reader *r, struct str *ret)
{
	size_t end = r->next;

	if (r->next >= r->text.n)
		return false;
	while (end < r->text.n && r->text.p[end] != '\n')
		end++;
	*ret = str_sub(r->text, r->next, end);
	r->next = end + 1;
	if (ret->n && ret->p[ret->n - 1] == '\r')
		ret->n--;
	return true;
}

/* ---- one name ---- */

static void add_file(struct patch_reader *r, struct str path, bool gone)
{
	struct word w;

	if (!path.n)
		return;
	if (str_has(path, HOLE_ANY) || ++r->nnames > PATCH_NAMES_MAX) {
		r->loose = true;
		return;
	}
	if (r->root.n && path.p[0] != '/')
		path = str_path(r->e->a, r->root, path);
	w = word_of(path, r->at);
	emit_access(r->e, ACCESS_WRITE, w, false, r->op, r->at);
	if (gone)
		emit_access(r->e, ACCESS_DELETE, w, false, r->op, r->at);
	if (r->link)
		emit_link(r->e, w, r->at);
}

/* Returns the path without its first n components; empty if it has fewer. Adjacent slashes count as one. */
static struct str without_components(struct str path, size_t n)
{
	size_t i = 0;

	while (n-- > 0) {
		while (i < path.n && path.p[i] != '/')
			i++;
		if (i >= path.n)
			return (struct str){"", 0};
		while (i < path.n && path.p[i] == '/')
			i++;
	}
	return str_from(path, i);
}

/* bare: the name has no a/ or b/ prefix (rename to, Index:). */
static void add_stripped(struct patch_reader *r, struct str path, bool bare, bool gone)
{
	if (r->strip >= 0) {
		add_file(r, without_components(path, (size_t)r->strip), gone);
		if (bare && r->strip > 0)
			add_file(r, without_components(path, (size_t)r->strip - 1), gone);
		return;
	}
	if (bare || !r->git || !(str_starts(path, "a/") || str_starts(path, "b/")))
		add_file(r, path, gone);
	if (r->git && !bare)
		add_file(r, without_components(path, 1), gone);
	else if (!r->git && str_has(path, '/'))
		add_file(r, str_base(path), gone);
}

static char escaped_char(char c)
{
	static const char letters[] = "abtnvfr", values[] = "\a\b\t\n\v\f\r";
	const char *p = c ? strchr(letters, c) : NULL;

	return p ? values[p - letters] : c;
}

/*
 * Decodes a name in double quotes with C escapes. False: it decodes to nothing, ends in a backslash, or has a
 * NUL.
 */
static bool unquote_name(struct arena *a, struct str s, struct str *ret)
{
	struct buf b;

	buf_init(&b, a, 0);
	for (size_t i = 1; i < s.n && s.p[i] != '"'; i++) {
		unsigned value = 0, digits = 0;

		if (s.p[i] != '\\') {
			buf_char(&b, s.p[i]);
			continue;
		}
		if (++i >= s.n)
			return false;
		for (; digits < 3 && i < s.n && s.p[i] >= '0' && s.p[i] <= '7'; digits++, i++)
			value = value * 8 + (unsigned)(s.p[i] - '0');
		if (digits && value == 0)
			return false;
		if (digits) {
			buf_char(&b, (char)value);
			i--;
		} else {
			buf_char(&b, escaped_char(s.p[i]));
		}
	}
	*ret = buf_view(&b);
	return ret->n > 0;
}

static bool is_nothing(struct str name)
{
	return str_is(name, "/dev/null") || str_starts(name, "/dev/null\t") || str_starts(name, "/dev/null ");
}

/* Adds the operand of "--- ", "rename to " and similar lines: a name, perhaps followed by a time. */
static void add_name(struct patch_reader *r, struct str rest, bool bare, bool gone)
{
	ptrdiff_t tab, blank;

	rest = str_trim(rest, " \t");
	if (!rest.n || is_nothing(rest))
		return;
	if (rest.p[0] == '"') {
		struct str name;

		if (unquote_name(r->e->a, rest, &name))
			add_stripped(r, name, bare, gone);
		else
			r->loose = true;
		return;
	}
	tab = str_find(rest, '\t', 0);
	if (tab >= 0)
		rest = str_first(rest, (size_t)tab);
	add_stripped(r, rest, bare, gone);
	blank = str_find(rest, ' ', 0);
	if (blank > 0)
		add_stripped(r, str_first(rest, (size_t)blank), bare, gone);
}

/* If only its mode changes, or it is empty, "diff --git a/x b/x" names a file without --- and +++ lines. */
static void add_git_names(struct patch_reader *r, struct str rest)
{
	bool found = false;

	if (str_has(rest, '"')) {
		ptrdiff_t second = str_find(rest, ' ', 1);

		add_name(r, rest, false, false);
		if (rest.p[0] != '"' && second > 0)
			add_name(r, str_from(rest, (size_t)second + 1), false, false);
		return;
	}
	for (size_t i = 0; i < rest.n; i++) {
		struct str from = str_first(rest, i), to = str_from(rest, i + 1);

		if (rest.p[i] != ' ' || !str_eq(without_components(from, 1), without_components(to, 1)))
			continue;
		add_stripped(r, to, false, false);
		found = true;
	}
	for (size_t i = 0; !found && i < rest.n; i++) /* a rename: other lines repeat the names */
		if (rest.p[i] == ' ')
			add_stripped(r, str_from(rest, i + 1), false, false);
}

/* ---- headers and hunks ---- */

static size_t read_number(struct str s, size_t *i, bool *ret_ok)
{
	size_t n = 0, from = *i;

	while (*i < s.n && ascii_is_digit(s.p[*i]))
		n = n * 10 + (size_t)(s.p[(*i)++] - '0');
	*ret_ok = *i > from && *i - from <= PATCH_DIGITS_MAX;
	return n;
}

/* Parses "-12,3" or "+12": *ret is the count, 1 if it is omitted. */
static bool hunk_range(struct str s, size_t *i, char sign, size_t *ret)
{
	bool ok;

	if (*i >= s.n || s.p[*i] != sign)
		return false;
	++*i;
	read_number(s, i, &ok);
	*ret = 1;
	if (ok && *i < s.n && s.p[*i] == ',') {
		++*i;
		*ret = read_number(s, i, &ok);
	}
	return ok;
}

static bool hunk_begins(struct patch_reader *r, struct str line)
{
	size_t i = 3;

	if (!str_starts(line, "@@ -") || !hunk_range(line, &i, '-', &r->old_left) || i >= line.n ||
			line.p[i++] != ' ' ||
	    !hunk_range(line, &i, '+', &r->new_left) || !str_starts(str_from(line, i), " @@")) {
		r->old_left = r->new_left = 0;
		return false;
	}
	return true;
}

/* True if this is a line of the current hunk. Any other line ends the hunk. */
static bool in_hunk(struct patch_reader *r, struct str line)
{
	char c = line.n ? line.p[0] : ' ';
	bool old = c == ' ' || c == '-', new = c == ' ' || c == '+';

	if (!r->old_left && !r->new_left)
		return false;
	if (c == '\\')
		return true;
	if ((!old && !new) || (old && !r->old_left) || (new && !r->new_left)) {
		r->old_left = r->new_left = 0;
		return false;
	}
	r->old_left -= old;
	r->new_left -= new;
	return true;
}

/* "*** 1,5 ****" and "--- 1,5 ----" are ranges of a context diff. */
static bool is_range(struct str rest)
{
	size_t i = 0;

	while (i < rest.n && (ascii_is_digit(rest.p[i]) || rest.p[i] == ','))
		i++;
	return i > 0 && (str_is(str_from(rest, i), " ****") ||
			str_is(str_from(rest, i), " ----"));
}

/* "3,4d", "2a", "s/.//": commands that patch passes to ed. A normal diff ("1c1") names no file. */
static bool is_edit(struct str line)
{
	size_t i = 0;

	while (i < line.n && (ascii_is_digit(line.p[i]) || line.p[i] == ','))
		i++;
	return i > 0 && i < line.n && strchr("acdis", line.p[i]);
}

static bool text_after(struct str line, const char *head, struct str *ret)
{
	if (!str_starts(line, head))
		return false;
	*ret = str_from(line, strlen(head));
	return true;
}

static void read_mode(struct patch_reader *r, struct str mode)
{
	r->link |= str_starts(mode, "12");
}

/* True if the next line is "+++ /dev/null": the patch deletes the file. */
static bool next_is_nothing(const struct patch_reader *r)
{
	struct patch_reader ahead = *r;
	struct str line;

	return patch_line(&ahead, &line) && str_starts(line, "+++ ") && is_nothing(str_from(line, 4));
}

static void read_header(struct patch_reader *r, struct str line)
{
	static const char bare[][16] = {"rename to ", "rename from ", "copy to ", "copy from ", "rename old ",
			"rename new ", "Index:"};
	struct str rest;

	while (line.n && strchr(" \tX", line.p[0]))
		line = str_from(line, 1);
	while (str_starts(line, "- "))
		line = str_from(line, 2);
	if (text_after(line, "diff --git ", &rest)) {
		r->link = false;
		add_git_names(r, rest);
	} else if (text_after(line, "new file mode ", &rest) || text_after(line, "new mode ", &rest)) {
		read_mode(r, rest);
	} else if (text_after(line, "--- ", &rest)) {
		if (!is_range(rest))
			add_name(r, rest, false, next_is_nothing(r));
	} else if (text_after(line, "+++ ", &rest)) {
		add_name(r, rest, false, false);
	} else if (text_after(line, "*** ", &rest)) {
		if (!is_range(rest))
			add_name(r, rest, false, false);
	}
	for (size_t i = 0; i < ARRAY_SIZE(bare); i++)
		if (text_after(line, bare[i], &rest))
			add_name(r, rest, true, false);
	r->loose |= !r->git && is_edit(line);
}

static void read_diff(struct patch_reader *r)
{
	struct str line;

	while (patch_line(r, &line))
		if (!in_hunk(r, line) && !hunk_begins(r, line))
			read_header(r, line);
}

/* ---- other formats ---- */

/* git update-index --index-info: "MODE HASH[ STAGE]<tab>PATH" */
static void read_index(struct patch_reader *r)
{
	struct str line, name;

	while (patch_line(r, &line)) {
		ptrdiff_t tab = str_find(line, '\t', 0);
		struct str path = tab > 0 ? str_from(line, (size_t)tab + 1) : (struct str){"", 0};

		r->link = str_starts(line, "12");
		if (path.n && path.p[0] == '"')
			path = unquote_name(r->e->a, path, &name) ? name : (struct str){"", 0};
		r->loose |= line.n && !path.n;
		add_file(r, path, false);
	}
}

static void read_apply_patch(struct patch_reader *r)
{
	static const char heads[][24] = {"*** Add File: ", "*** Update File: ", "*** Delete File: ",
			"*** Move to: "};
	struct str line, rest;

	while (patch_line(r, &line))
		for (size_t i = 0; i < ARRAY_SIZE(heads); i++)
			if (text_after(line, heads[i], &rest))
				add_file(r, str_trim(rest, " \t"), i == 2);
}

static const struct {
	char format[16];
	void (*read)(struct patch_reader *r);
} formats[] = {{"patch", read_diff}, {"git-patch", read_diff}, {"index", read_index},
		{"apply-patch", read_apply_patch}};

/* ---- the command ---- */

static void read_options(struct patch_reader *r, const struct word *argv, size_t argc)
{
	struct know_options *o = arena_new(r->e->a, struct know_options);
	const struct know_option *x;

	know_options(r->e->a, know_find(str_base(argv[0].text), r->e->rq->own, r->e->rq->nown), argv, argc,
			o);
	for (x = know_option_find(o, "-p", NULL); x; x = know_option_find(o, "-p", x)) {
		size_t i = 0;
		bool ok = false;
		size_t n =
			x->has_value && x->value.kind == WORD_EXACT ? read_number(x->value.text, &i, &ok) : 0;

		r->loose |= !ok || i < x->value.text.n;
		r->strip = (long)n;
	}
	for (x = r->git ? know_option_find(o, "--directory", NULL) : NULL; x;
			x = know_option_find(o, "--directory", x)) {
		r->loose |= !x->has_value || x->value.kind != WORD_EXACT;
		r->root = x->has_value ? x->value.text : (struct str){"", 0};
	}
}

static void any_name_below(struct patch_reader *r)
{
	struct word here = word_of(STR("."), r->at);

	r->e->change = CHANGE_TREE;
	emit_access(r->e, ACCESS_WRITE, here, true, r->op, r->at);
	r->e->change = CHANGE_PLAIN;
}

void names_from_data(struct eval *e, const struct know_result *k, const struct know_use *u,
		const struct word *argv, size_t argc)
{
	struct patch_reader r = {.e = e, .op = k->name, .at = argv[0].at, .strip = -1,
			.git = strcmp(u->lang, "git-patch") == 0};
	bool inside = u->flags & USE_INSIDE, in = u->from == u->to, known = in ? e->s.in.known : inside &&
			u->value.kind == WORD_EXACT;

	r.text = in ? e->s.in.rest : u->value.text;
	read_options(&r, argv, argc);
	for (size_t i = 0; i < ARRAY_SIZE(formats) && known; i++)
		if (strcmp(formats[i].format, u->lang) == 0) {
			eval_burn(e, r.text.n / 16);
			formats[i].read(&r);
		}
	if (!known || !text_exact(r.text) || r.loose || !r.nnames)
		any_name_below(&r);
}
