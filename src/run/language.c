/* The table of languages. See language.h. */
#include "run/language.h"

#define SHEBANG_MAX 256

static const struct language rows[LANGUAGES] = {
	[LANGUAGE_BASH] = {{"bash"}, "bash", "-c", {".bash", ".sh"}, true, DIALECT_BASH},
	[LANGUAGE_SH] = {{"sh", "dash", "ash"}, "sh", "-c", {""}, true, DIALECT_SH},
	[LANGUAGE_ZSH] = {{"zsh"}, "zsh", "-c", {".zsh"}, true, DIALECT_ZSH},
	[LANGUAGE_PYTHON] = {{"python", "python3", "py"}, "python3", "-c", {".py"}, false, DIALECT_BASH},
	[LANGUAGE_NODE] = {{"node", "javascript", "js", "nodejs"}, "node", "-e", {".js", ".mjs", ".cjs"},
			false, DIALECT_BASH},
	[LANGUAGE_PERL] = {{"perl"}, "perl", "-e", {".pl", ".pm"}, false, DIALECT_BASH},
	[LANGUAGE_RUBY] = {{"ruby"}, "ruby", "-e", {".rb"}, false, DIALECT_BASH},
	[LANGUAGE_PHP] = {{"php"}, "php", "-r", {".php"}, false, DIALECT_BASH},
	[LANGUAGE_LUA] = {{"lua"}, "lua", "-e", {".lua"}, false, DIALECT_BASH},
	[LANGUAGE_R] = {{"r", "Rscript"}, "Rscript", "-e", {".R", ".r"}, false, DIALECT_BASH},
	[LANGUAGE_POWERSHELL] = {{"powershell", "pwsh"}, "pwsh", "-Command", {".ps1"}, false,
			DIALECT_POWERSHELL},
};

const struct language *language_row(enum run_language l) { return l ? &rows[l] : NULL; }
const char *language_name(enum run_language l) { return l ? rows[l].names[0] : NULL; }

enum run_language language_find(struct str name)
{
	for (enum run_language l = LANGUAGE_UNKNOWN + 1; l < LANGUAGES; l++)
		for (size_t k = 0; k < ARRAY_SIZE(rows[l].names) && rows[l].names[k][0]; k++)
			if (str_is(name, rows[l].names[k]))
				return l;
	return LANGUAGE_UNKNOWN;
}

enum run_language language_of_dialect(enum dialect d)
{
	static const enum run_language languages[] = {[DIALECT_BASH] = LANGUAGE_BASH,
			[DIALECT_SH] = LANGUAGE_SH, [DIALECT_ZSH] = LANGUAGE_ZSH,
			[DIALECT_POWERSHELL] = LANGUAGE_POWERSHELL};

	return languages[d];
}

const struct language *language_by_ending(struct str path)
{
	for (enum run_language l = LANGUAGE_UNKNOWN + 1; l < LANGUAGES; l++)
		for (size_t k = 0; k < ARRAY_SIZE(rows[l].ends) && rows[l].ends[k][0]; k++)
			if (str_ends(path, rows[l].ends[k]))
				return &rows[l];
	return NULL;
}

static struct str word_after(struct str s, size_t *at)
{
	size_t from;

	while (*at < s.n && ascii_is_blank(s.p[*at]))
		++*at;
	from = *at;
	while (*at < s.n && s.p[*at] != ' ' && s.p[*at] != '\t' && s.p[*at] != '\r')
		++*at;
	return str_sub(s, from, *at);
}

/* "#!/usr/bin/env python3", "#!/bin/sh -e", "#!/usr/bin/python3.11" */
const struct language *language_by_shebang(struct str text)
{
	ptrdiff_t end = str_find(text, '\n', 0);
	struct str line = str_first(text, end < 0 || end > SHEBANG_MAX ? SHEBANG_MAX : (size_t)end), name;
	size_t at = 2;

	if (!str_starts(line, "#!"))
		return NULL;
	name = str_base(word_after(line, &at));
	while (str_is(name, "env") || (name.n && name.p[0] == '-'))
		name = str_base(word_after(line, &at));
	while (name.n && (ascii_is_digit(name.p[name.n - 1]) || name.p[name.n - 1] == '.') &&
			!language_find(name))
		name.n--;
	return language_row(language_find(name));
}
