/*
 * No verdict becomes milder by wrapping. Every row of tests/cases that is not allowed is judged as it stands
 * and then inside of compound commands, nested shells, substitutions, here-documents, prefixes and other ways
 * to quote it, by the same policy; also in two of them at once. A denied command stays denied, an asking one
 * asks or is denied, a contained one is not allowed.
 */
#define _GNU_SOURCE
#include <stdlib.h>

#include "config/config.h"
#include "gate/gate.h"
#include "judge/engine.h"
#include "rows.h"
#include "sys/file.h"

#define PAIRS_PER_ROW 12 /* of wrappers, one in the other */
#define ROW_WRAPPERS_MIN 6
#define SHOWN_MAX 40     /* failures of one file that are printed */
#define PLAIN_WORDS_MAX 64

/* How the text stands in the wrapper. */
enum how {
	HOW_TEXT,     /* as it is: it must be a whole command */
	HOW_QUOTED,   /* in single quotes */
	HOW_ANSI,     /* in $'...', every byte by its number */
	HOW_TICKS,    /* as it must stand between backticks */
	HOW_BASE64,
	HOW_WORDS,    /* only a simple command of plain words: as it is */
	HOW_PROGRAM,  /* the same, and its name is a program, not only a builtin */
	/* each word in quotes, $'', r''m, \r\m */
	HOW_WORDS_QUOTED, HOW_WORDS_ANSI, HOW_WORDS_SPLIT, HOW_WORDS_ESCAPED,
};

/* Which shells have it, of those that a row is for, and: */
enum {
	BASH = 1, DASH = 2, ZSH = 4, ALL = BASH | DASH | ZSH,
	ASKS = 8,   /* the reader does not follow the text there and says so: an ask is enough */
	LINES = 16, /* holds only where text is read line by line, so not in a compound command */
	JOINS = 32, /* lines that end in a backslash are joined there, also inside of quotes */
};

struct wrapper {
	const char *name, *before, *after;
	enum how how;
	unsigned traits;
};

static const struct wrapper wrappers[] = {
	{"subshell", "( ", "\n)", HOW_TEXT, ALL},
	{"braces", "{ ", "\n}", HOW_TEXT, ALL},
	{"if", "if true; then ", "\nfi", HOW_TEXT, ALL},
	{"else", "if false; then :; else ", "\nfi", HOW_TEXT, ALL},
	{"condition", "if ", "\nthen :; fi", HOW_TEXT, ALL},
	{"for", "for zz_i in 1; do ", "\ndone", HOW_TEXT, ALL},
	{"while", "while true; do ", "\nbreak; done", HOW_TEXT, ALL},
	{"case", "case x in x) ", "\n;; esac", HOW_TEXT, ALL},
	{"function", "zz_f() { ", "\n}; zz_f", HOW_TEXT, ALL},
	{"and", "true && { ", "\n}", HOW_TEXT, ALL},
	{"or", "false || { ", "\n}", HOW_TEXT, ALL},
	{"not", "! { ", "\n}", HOW_TEXT, ALL},
	{"time", "time { ", "\n}", HOW_TEXT, BASH},
	{"background", "{ ", "\n} &", HOW_TEXT, ALL},
	{"coproc", "coproc zz_c { ", "\n}", HOW_TEXT, BASH},
	{"redirected", "{ ", "\n} >/dev/null 2>&1", HOW_TEXT, ALL},
	{"after", "ls\n", "", HOW_TEXT, ALL},
	{"before", "", "\nls", HOW_TEXT, ALL},
	{"comment", "# x\n", "", HOW_TEXT, ALL},
	{"pipe to", "true | { ", "\n}", HOW_TEXT, ALL},
	{"pipe from", "{ ", "\n} | cat", HOW_TEXT, ALL},
	{"substitution", "echo $( ", "\n)", HOW_TEXT, ALL},
	{"quoted substitution", "echo \"a$( ", "\n)b\"", HOW_TEXT, ALL},
	{"assigned substitution", "zz_x=$( ", "\n)", HOW_TEXT, ALL},
	{"default value", "echo ${zz_u:-$( ", "\n)}", HOW_TEXT, ALL},
	{"array", "zz_a=( $( ", "\n) )", HOW_TEXT, BASH},
	{"subscript", "echo ${zz_a[$( ", "\n)]}", HOW_TEXT, BASH},
	{"process substitution", "cat <( ", "\n)", HOW_TEXT, BASH},
	{"process input", "ls > >( ", "\n)", HOW_TEXT, BASH},
	{"here-document substitution", "cat <<ZZ_E\n$( ", "\n)\nZZ_E", HOW_TEXT, ALL | JOINS},
	{"here-string substitution", "cat <<<\"$( ", "\n)\"", HOW_TEXT, BASH},
	{"here-document", "bash <<'ZZ_E'\n", "\nZZ_E", HOW_TEXT, BASH},
	{"dashed here-document", "bash -s x <<-'ZZ_E'\n", "\nZZ_E", HOW_TEXT, BASH},
	{"backticks", "echo `", "\n`", HOW_TICKS, BASH | DASH},
	{"eval", "eval ", "", HOW_QUOTED, ALL},
	{"zsh -c", "zsh -c ", "", HOW_QUOTED, ZSH},
	{"env zsh", "env ZZ_A=1 zsh -fc ", "", HOW_QUOTED, ZSH},
	{"nohup zsh", "nohup timeout 5 zsh -c ", "", HOW_QUOTED, ZSH},
	{"eval $''", "eval ", "", HOW_ANSI, BASH},
	{"trap", "trap ", " EXIT", HOW_QUOTED, ALL},
	{"bash -c", "bash -c ", "", HOW_QUOTED, BASH},
	{"bash -c $''", "bash -c ", "", HOW_ANSI, BASH},
	{"bash -lc", "/bin/bash -lc ", " x y", HOW_QUOTED, BASH},
	{"sh -c", "sh -c ", "", HOW_QUOTED, BASH | DASH},
	{"exec bash", "exec -a x bash -c ", "", HOW_QUOTED, BASH},
	{"env", "env -u ZZ_U ZZ_A=1 bash -c ", "", HOW_QUOTED, BASH},
	{"env -S", "env -S ", "", HOW_WORDS_QUOTED, BASH | DASH},
	{"nohup", "nohup bash -c ", "", HOW_QUOTED, BASH},
	{"timeout", "timeout -k 1 5s bash -c ", "", HOW_QUOTED, BASH},
	{"nice", "nice -n 5 bash -c ", "", HOW_QUOTED, BASH},
	{"setsid", "setsid -w bash -c ", "", HOW_QUOTED, BASH},
	{"stdbuf", "stdbuf -oL bash -c ", "", HOW_QUOTED, BASH},
	{"flock", "flock zz.lock bash -c ", "", HOW_QUOTED, BASH},
	{"flock -c", "flock zz.lock -c ", "", HOW_QUOTED, BASH | DASH},
	{"sudo", "sudo -n bash -c ", "", HOW_QUOTED, BASH},
	{"su", "su -c ", "", HOW_QUOTED, BASH | DASH},
	{"script", "script -qc ", " /dev/null", HOW_QUOTED, BASH | DASH},
	{"watch", "watch -n 9 ", "", HOW_QUOTED, BASH | DASH},
	{"xargs", "xargs -0 bash -c ", " </dev/null", HOW_QUOTED, BASH},
	{"find", "find . -maxdepth 0 -exec bash -c ", " \\;", HOW_QUOTED, BASH},
	{"here-string", "bash <<<", "", HOW_QUOTED, BASH},
	{"printf to bash", "printf '%s\\n' ", " | bash", HOW_QUOTED, BASH},
	{"base64 to bash", "echo ", " | base64 -d | bash", HOW_BASE64, BASH},
	{"variable to eval", "zz_c=", "; eval \"$zz_c\"", HOW_QUOTED, ALL},
	{"variable to bash", "zz_c=", "; bash -c \"$zz_c\"", HOW_QUOTED, BASH},
	{"positional", "set -- ", "; eval \"$1\"", HOW_QUOTED, ALL},
	{"eval of printf", "eval \"$(printf %s ", ")\"", HOW_QUOTED, ALL},
	{"source", "source <(printf '%s\\n' ", ")", HOW_QUOTED, BASH | ASKS},
	{"bash of a pipe", "bash <(printf '%s\\n' ", ")", HOW_QUOTED, BASH | ASKS},
	{"alias", "shopt -s expand_aliases\nalias zz_l=", "\nzz_l", HOW_QUOTED, BASH | LINES},
	{"PROMPT_COMMAND of bash -i", "PROMPT_COMMAND=", " bash -i", HOW_QUOTED, BASH},
	{"command", "command ", "", HOW_WORDS, BASH | DASH},
	{"env words", "env ", "", HOW_PROGRAM, BASH | DASH},
	{"nohup words", "nohup ", "", HOW_PROGRAM, BASH | DASH},
	{"timeout words", "timeout 5 ", "", HOW_PROGRAM, BASH | DASH},
	{"sudo words", "sudo ", "", HOW_PROGRAM, BASH | DASH},
	{"exec words", "exec ", "", HOW_PROGRAM, BASH | DASH},
	{"xargs words", "xargs -r ", " </dev/null", HOW_PROGRAM, BASH | DASH},
	{"piped xargs words", "echo | xargs ", "", HOW_PROGRAM, BASH | DASH},
	{"find words", "find . -maxdepth 0 -exec ", " \\;", HOW_PROGRAM, BASH | DASH},
	{"words", "", "", HOW_WORDS_QUOTED, ALL},
	{"words $''", "", "", HOW_WORDS_ANSI, BASH},
	{"words split", "", "", HOW_WORDS_SPLIT, ALL},
	{"words escaped", "", "", HOW_WORDS_ESCAPED, ALL},
	{"variable of words", "zz_c='", "'; $zz_c", HOW_WORDS, BASH | DASH},
	{"array of words", "zz_a=(", "); \"${zz_a[@]}\"", HOW_WORDS, BASH},
	{"positional words", "set -- ", "; \"$@\"", HOW_WORDS, BASH | DASH},
	{"printed words", "$(echo ", ")", HOW_WORDS, BASH | DASH},
};
#define NWRAPPERS ARRAY_SIZE(wrappers)

/*
 * Rows that a wrapper makes milder. `part`: the text has this; `wrapper`: the one by name, NULL for all. Most
 * are right, because something else runs then; "gap" is something the reader should learn. The test fails
 * when an entry is not needed any more.
 */
struct exception {
	const char *part, *wrapper, *why;
	bool used;
};

static struct exception exceptions[] = {
	{"nice \"$@\"", NULL, "a shell or function of its own has other positional parameters: none", false},
	{"$1 a", NULL, "likewise", false},
	{"${1:-", NULL, "likewise, or known ones", false},
	{".e$@nv", NULL, "likewise", false},
	{"watch caisson", "xargs words",
			"xargs may add words to the text that watch hands to a shell: it is not known, so "
			"it runs in the box", false},
	{"alias zap=", NULL, "an alias holds only after the line or compound command in which it is made",
			false},
	{"{}", "find", "find replaces it", false},
	{"\n", "alias", "gap: an alias of several lines is not followed, and asks", false},
};

/* ---- texts ---- */

static bool in_words(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
			(c && strchr(" _./:@%+,-", c));
}

/*
 * Only words without any meaning for the shell, the first of which is no assignment, keyword or (for
 * programs) mere builtin.
 */
static bool plain_words(struct str s, bool program)
{
	static const char keywords[] =
			" if then else elif fi for while until do done case esac function select time "
			"coproc in exec command builtin repeat ";
	static const char builtins[] =
			" alias bg bind break builtin caller cd command compgen complete compopt continue "
			"declare dirs disown enable eval exec exit export fc fg "
				       "getopts hash help history jobs let local logout mapfile popd pushd "
				       "read readarray readonly return set shift shopt source suspend "
				       "times trap type typeset ulimit umask unalias unset wait . : ";
	char first[80];
	ptrdiff_t end;

	for (size_t i = 0; i < s.n; i++)
		if (!in_words(s.p[i]))
			return false;
	end = str_find(s, ' ', 0);
	if (!s.n || s.p[0] == ' ' || s.p[0] == '-' || end == 0)
		return false;
	snprintf(first, sizeof(first), " %.*s ", (int)(end < 0 ? s.n : (size_t)end), s.p);
	return !strstr(keywords, first) && !(program && strstr(builtins, first));
}

static void quote_ansi(struct buf *b, struct str s)
{
	buf_c(b, "$'");
	for (size_t i = 0; i < s.n; i++)
		buf_fmt(b, i % 2 ? "\\%03o" : "\\x%02x", (unsigned char)s.p[i]);
	buf_char(b, '\'');
}

static void quote_ticks(struct buf *b, struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '\\' || s.p[i] == '`')
			buf_char(b, '\\');
		buf_char(b, s.p[i]);
	}
}

static void base64(struct buf *b, struct str s)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < s.n; i += 3) {
		size_t left = s.n - i;
		unsigned long v = (unsigned long)(unsigned char)s.p[i] << 16;

		v |= left > 1 ? (unsigned long)(unsigned char)s.p[i + 1] << 8 : 0;
		v |= left > 2 ? (unsigned long)(unsigned char)s.p[i + 2] : 0;
		buf_char(b, digits[v >> 18 & 63]);
		buf_char(b, digits[v >> 12 & 63]);
		buf_char(b, left > 1 ? digits[v >> 6 & 63] : '=');
		buf_char(b, left > 2 ? digits[v & 63] : '=');
	}
}

static void quote_word(struct buf *b, struct str w, enum how how)
{
	if (how == HOW_WORDS_QUOTED)
		buf_quoted(b, w);
	else if (how == HOW_WORDS_ANSI)
		quote_ansi(b, w);
	for (size_t i = 0; (how == HOW_WORDS_SPLIT || how == HOW_WORDS_ESCAPED) && i < w.n; i++) {
		buf_c(b, how == HOW_WORDS_ESCAPED ? "\\" : i ? "\"\"" : "''");
		buf_char(b, w.p[i]);
	}
}

static void quote_words(struct buf *b, struct str s, enum how how)
{
	for (size_t at = 0; at < s.n;) {
		ptrdiff_t end = str_find(s, ' ', at);
		size_t to = end < 0 ? s.n : (size_t)end;

		quote_word(b, str_sub(s, at, to), how);
		if (to < s.n)
			buf_char(b, ' ');
		at = to + 1;
	}
}

/*
 * Does the wrapper make sense around this text? `whole`: the text has been read to its end, without an error
 * of grammar.
 */
static bool applies(const struct wrapper *w, struct str s, unsigned shell, bool whole)
{
	if (!(w->traits & shell) || ((w->traits & JOINS) && str_contains(s, STR("\\\n"))))
		return false;
	switch (w->how) {
	case HOW_TEXT:
		return whole && !str_ends(s, "\\") && !str_contains(s, STR("ZZ_E"));
	case HOW_TICKS:
		return whole && !str_ends(s, "\\") && str_find(s, '\0', 0) < 0;
	case HOW_QUOTED:
	case HOW_ANSI:
	case HOW_BASE64:
		return str_find(s, '\0', 0) < 0;
	default:
		return plain_words(s, w->how == HOW_PROGRAM || !strcmp(w->name, "env -S"));
	}
}

static struct str wrap(struct arena *a, const struct wrapper *w, struct str s)
{
	struct buf b;

	buf_init(&b, a, 0);
	buf_c(&b, w->before);
	if (w->how == HOW_QUOTED || !strcmp(w->name, "env -S"))
		buf_quoted(&b, s);
	else if (w->how == HOW_ANSI)
		quote_ansi(&b, s);
	else if (w->how == HOW_TICKS)
		quote_ticks(&b, s);
	else if (w->how == HOW_BASE64)
		base64(&b, s);
	else if (w->how >= HOW_WORDS_QUOTED)
		quote_words(&b, s, w->how);
	else
		buf_str(&b, s);
	buf_c(&b, w->after);
	return buf_view(&b);
}

/* ---- judging ---- */

struct subject {
	struct arena *a;
	const char *file;
	const struct row *r;
	const struct policies *p;
	struct context context;
	struct engine_request rq;
	unsigned shell;
	enum verdict plain;
	bool whole;
	size_t tried, *shown;
};

static enum verdict judge(struct subject *t, struct str command, bool *ret_whole)
{
	struct facts f = {0};
	struct judgement j = {0};
	struct err e = {0};

	t->rq.command = command;
	if (engine_judge(t->a, &t->rq, t->p, &f, &j, &e) != 0)
		unit_fail(t->file, (int)t->r->line, "%s", e.text);
	if (ret_whole)
		*ret_whole = j.complete;
	return j.verdict;
}

static bool excepted(struct str text, const char *wrapper)
{
	for (size_t i = 0; i < ARRAY_SIZE(exceptions); i++)
		if ((!exceptions[i].wrapper || !strcmp(exceptions[i].wrapper, wrapper)) &&
				str_contains(text, str_of(exceptions[i].part)))
			return exceptions[i].used = true;
	return false;
}

static void try(struct subject *t, const struct wrapper *outer, const struct wrapper *inner)
{
	struct str middle = inner ? wrap(t->a, inner, t->r->command) : t->r->command,
			text = wrap(t->a, outer, middle);
	enum verdict most = t->plain, v = judge(t, text, NULL);

	if (most == VERDICT_DENY && ((outer->traits | (inner ? inner->traits : 0)) & ASKS))
		most = t->rq.mode == MODE_DEFAULT ? VERDICT_ASK : VERDICT_ALLOW; /* a mode may lift an ask */
	t->tried++;
	if (v <= most || excepted(middle, outer->name) || excepted(t->r->command, outer->name) ||
			(inner && excepted(t->r->command, inner->name)))
		return;
	if (unit_bad++, ++*t->shown > SHOWN_MAX)
		return;
	printf("# %s:%zu: %s becomes %s by '%s'%s%s\n", t->file, t->r->line, verdict_name(t->plain),
			verdict_name(v), outer->name, inner ? " of " : "", inner ? inner->name : "");
	unit_bytes("text", text);
}

/* Two at once: the same pairs each time, others for each row. */
static void try_pairs(struct subject *t)
{
	uint32_t dice = str_hash(t->r->command);

	for (unsigned i = 0; i < PAIRS_PER_ROW; i++) {
		const struct wrapper *inner, *outer;

		dice = dice * 1664525 + 1013904223;
		inner = &wrappers[(dice >> 8) % NWRAPPERS];
		dice = dice * 1664525 + 1013904223;
		outer = &wrappers[(dice >> 8) % NWRAPPERS];
		if ((inner->traits & LINES) && (outer->how == HOW_TEXT || outer->how == HOW_TICKS))
			continue;
		if (applies(inner, t->r->command, t->shell, t->whole) &&
				applies(outer, wrap(t->a, inner, t->r->command), t->shell, true))
			try(t, outer, inner);
	}
}

static int run_row(void *arg)
{
	struct subject *t = arg;

	t->plain = judge(t, t->r->command, &t->whole);
	if (t->plain == VERDICT_ALLOW)
		return 0;
	for (size_t i = 0; i < NWRAPPERS; i++)
		if (applies(&wrappers[i], t->r->command, t->shell, t->whole))
			try(t, &wrappers[i], NULL);
	try_pairs(t);
	/* no shell takes a NUL in an argument */
	if (t->tried < ROW_WRAPPERS_MIN && str_find(t->r->command, '\0', 0) < 0)
		unit_fail(t->file, (int)t->r->line, "only %zu wrappers", t->tried);
	return 0;
}

static unsigned shell_of(enum dialect d) { return d == DIALECT_ZSH ? ZSH : d == DIALECT_SH ? DASH : BASH; }

/* The policy of a row; -1: the row is about a policy that does not load. */
static int load(struct arena *a, struct str common, struct str own, struct policies *ret)
{
	struct policy policy = {0};
	struct config_source src[] = {{.name = STR("file.yaml"), .bytes = str_cat(a, common, STR("\n")),
			.who = WHO_OWNER},
				      {.name = STR("case.yaml"), .bytes = str_cat(a, own, STR("\n")),
						.who = WHO_OWNER}};
	size_t from = !common.n, to = 1 + (own.n > 0);

	config_default(&policy);
	if (to > from && (config_load(a, src + from, to - from, &policy, NULL, NULL) != 0 ||
			gate_verify(&policy, NULL) != 0))
		return -1;
	policies_of(&policy, ret);
	return 0;
}

/*
 * Keys that turn on something about the form of the request's own text, which a wrapper does change; and a
 * classifier, which is not ours.
 */
static bool about_form(struct str own, struct str common)
{
	static const char *const keys[] = {"route:", "discourageChaining:", "import:", "classifier:"};

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
		if (str_contains(own, str_of(keys[i])) || str_contains(common, str_of(keys[i])))
			return true;
	return str_contains(own, STR("checks_grade:"));
}

struct totals {
	size_t rows, tried, shown;
};

static void run_one(const char *path, struct arena *kept, const struct row *r, const struct policies *shared,
	struct totals *n)
{
	struct arena a;
	struct policies own;
	struct subject t = {.a = &a, .file = path, .r = r, .p = shared, .shown = &n->shown};
	struct str config = row_get(r, "config"), shell = row_get(r, "shell"), mode = row_get(r, "mode");

	t.context = (struct context){.cwd = row_get(r, "cwd"), .home = STR("/home/dev"), .user = STR("dev")};
	t.rq = (struct engine_request){.context = &t.context};
	if (!t.context.cwd.n)
		t.context.cwd = STR("/w/p");
	if ((shell.n && engine_dialect(shell, &t.rq.dialect) != 0) ||
			(mode.n && engine_mode(mode, &t.rq.mode) != 0) || t.rq.dialect == DIALECT_POWERSHELL)
		return;
	t.shell = shell_of(t.rq.dialect);
	if (about_form(config, r->policy))
		return;
	if (config.n) {
		if (load(kept, r->policy, config, &own) != 0)
			return;
		t.p = &own;
	}
	arena_init(&a, ARENA_CAP_DEFAULT);
	if (arena_run(&a, run_row, &t) < 0)
		unit_fail(path, (int)r->line, "the arena is full");
	arena_free(&a);
	n->rows += t.plain != VERDICT_ALLOW;
	n->tried += t.tried;
}

static void run_file(const char *path, void *arg)
{
	struct arena kept;
	struct str loaded = STR("");
	struct policies shared;
	struct totals n = {0};
	struct rows f;
	struct row r;
	char title[CASES_PATH_MAX + 100];

	(void)arg;
	arena_init(&kept, ARENA_CAP_DEFAULT);
	policies_default(&shared);
	if (rows_open(&kept, path, &f))
		while (rows_next(&f, &r)) {
			if (!str_eq(r.policy, loaded) && load(&kept, r.policy, STR(""), &shared) != 0)
				unit_fail(path, (int)r.line, "the policy does not load");
			loaded = r.policy;
			if (!str_is(r.verdict, "allow"))
				run_one(path, &kept, &r, &shared, &n);
		}
	arena_free(&kept);
	snprintf(title, sizeof(title), "%s: %zu rows, %zu wrapped", path, n.rows, n.tried);
	unit_result(title);
}

static void exceptions_are_needed(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(exceptions); i++)
		CHECK_ROW(exceptions[i].used, exceptions[i].why); /* when not: take it out of the list */
}

/* Without arguments all files of tests/cases; else the files that are named. */
int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		run_file(argv[i], NULL);
	if (argc > 1)
		return unit_end();
	CHECK(cases_each(run_file, NULL) > 0);
	unit_result("there are cases");
	RUN(exceptions_are_needed);
	return unit_end();
}
