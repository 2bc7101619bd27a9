/*
 * `apply_patch` with a here-document in a shell tool. Codex does not pass this text to a shell: it treats the
 * here-document as a call of its own patch tool, if the text holds nothing else except an optional `cd`
 * before it. No program has that name, so other spellings fail even without us.
 *
 * This file recognises a subset of the texts that Codex was seen to accept (docs/hooks.md), never more. A
 * text that counts as a patch is passed unchanged and must not reach a shell; every other text is judged as
 * shell text.
 */
#include "client/client.h"

static bool path_letter(char c)
{
	return ascii_is_name_start(c) || ascii_is_digit(c) || (c && strchr("./@%+,-", c));
}

static void skip_blanks(struct str *s)
{
	while (s->n && ascii_is_blank(s->p[0]))
		*s = str_from(*s, 1);
}

static void skip_space(struct str *s)
{
	while (s->n && ascii_is_blank_or_newline(s->p[0]))
		*s = str_from(*s, 1);
}

/* Takes a directory of literal characters, with or without quotes. */
static bool take_directory(struct str *s, struct str *ret)
{
	char quote = s->n && (s->p[0] == '\'' || s->p[0] == '"') ? s->p[0] : '\0';
	size_t from = quote ? 1 : 0, to = from;
	bool number = true;

	for (; to < s->n && (path_letter(s->p[to]) || (quote && s->p[to] == ' ')); to++)
		number &= ascii_is_digit(s->p[to]);
	if (to == from || number || s->p[from] == '-' || (quote && (to == s->n || s->p[to] != quote)))
		return false;
	*ret = str_sub(*s, from, to);
	*s = str_from(*s, to + (quote ? 1 : 0));
	return true;
}

/* Takes an optional `cd DIRECTORY &&`. */
static bool take_cd(struct str *s, struct str *ret)
{
	*ret = STR("");
	if (!str_starts(*s, "cd ") && !str_starts(*s, "cd\t"))
		return true;
	str_take(s, "cd");
	skip_blanks(s);
	if (!take_directory(s, ret))
		return false;
	skip_blanks(s);
	if (!str_take(s, "&&"))
		return false;
	skip_space(s);
	return true;
}

/* Takes << and the delimiter. *ret_plain: unquoted, so a shell would expand the body. */
static bool take_here(struct str *s, struct str *ret_end, bool *ret_plain)
{
	char quote;
	size_t from, to;

	if (!str_take(s, "<<"))
		return false;
	skip_blanks(s);
	quote = s->n && (s->p[0] == '\'' || s->p[0] == '"') ? s->p[0] : '\0';
	from = to = quote ? 1 : 0;
	if (to >= s->n || !ascii_is_name_start(s->p[to]))
		return false;
	while (to < s->n && (ascii_is_name_start(s->p[to]) || ascii_is_digit(s->p[to])))
		to++;
	if (quote && (to == s->n || s->p[to] != quote))
		return false;
	*ret_end = str_sub(*s, from, to);
	*ret_plain = !quote;
	*s = str_from(*s, to + (quote ? 1 : 0));
	skip_blanks(s);
	return str_take(s, "\n");
}

/*
 * Takes the lines before the delimiter. It must be the last line, and no earlier line may match it even with
 * blanks around it.
 */
static bool take_body(struct str s, struct str end, struct str *ret)
{
	for (size_t at = 0; at < s.n;) {
		size_t to = str_end(s, '\n', at);
		struct str line = str_sub(s, at, to);

		if (str_eq(tool_trimmed(line), end)) {
			*ret = str_first(s, at);
			return str_eq(line, end) && !tool_trimmed(str_from(s, to)).n;
		}
		at = to + 1;
	}
	return false;
}

static bool is_patch(struct str body)
{
	struct str all = tool_trimmed(body);

	return str_starts(all, "*** Begin Patch\n") && str_ends(all, "\n*** End Patch");
}

bool tool_shell_patch(struct str command, struct str *ret_dir)
{
	struct str s = command, dir, end, body;
	bool plain;

	skip_space(&s);
	if (!take_cd(&s, &dir) || (!str_take(&s, "apply_patch") && !str_take(&s, "applypatch")))
		return false;
	skip_blanks(&s);
	if (!take_here(&s, &end, &plain) || !take_body(s, end, &body) || !is_patch(body))
		return false;
	for (size_t i = 0; plain && i < body.n; i++)
		if (strchr("$`\\", body.p[i]))
			return false; /* Codex takes the body literally, but a shell would expand it */
	*ret_dir = dir;
	return true;
}

bool tool_names_patch(const struct facts *f)
{
	for (const struct command *c = f->commands; c; c = c->next) {
		struct str name = c->argc ? c->argv[0].text : STR("");

		/*
		 * Codex does not treat a path to apply_patch as a patch, and no known program has that name.
		 */
		if (str_is_any(name, "apply_patch applypatch") ||
			str_ends(name, "/apply_patch") || str_ends(name, "/applypatch"))
			return true;
	}
	return false;
}
