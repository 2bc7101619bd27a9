/*
 * The reader's results beside commands: the assignments that reach programs, the marks (features of the text
 * that a stricter policy may want to see; each kind has hits and near misses), and names that are known to be
 * only names.
 */
#include "shell/shell.h"
#include "unit.h"

static const struct view view = {.cwd = {"/w", 2}, .home = {"/home/u", 7}};

static void read_in(struct arena *a, struct str text, enum dialect d, struct facts *f)
{
	struct err e = {0};
	struct shell_request rq = {.text = text, .dialect = d, .view = &view};
	CHECK_INT(shell_read(a, &rq, f, &e), 0);
}

static struct str excerpt(const struct facts *f, struct span at)
{
	return str_sub(f->texts[at.text].bytes, at.from, at.to);
}

/* ---- settings ---- */

/* "NAME=value" for each, a leading one with a "+" before it; holes as "?". */
static struct str settings_text(struct arena *a, const struct setting *t)
{
	struct buf b;
	buf_init(&b, a, 0);
	for (; t; t = t->next) {
		buf_fmt(&b, "%s%s%.*s=", b.n ? " " : "", t->leading ? "+" : "", STR_ARG(t->name));
		for (size_t i = 0; i < t->value.n; i++)
			buf_char(&b, t->value.p[i] == HOLE_ANY ? '?' : t->value.p[i]);
	}
	return buf_view(&b);
}

/* The settings of the command that ends by this word. */
static struct str settings_of(struct arena *a, const struct facts *f, const char *last)
{
	for (const struct command *c = f->commands; c; c = c->next)
		if (str_is(c->argv[c->argc - 1].text, last))
			return settings_text(a, c->settings);
	return STR("no such command");
}

static const struct {
	const char *text, *all;
	const char *word, *of; /* the settings of the command whose last word is `word` */
} settings[] = {
	{"X=1 cmd", "+X=1", "cmd", "+X=1"},
	{"X=1; cmd", "X=1", "cmd", ""},
	{"X=1 Y=2 cmd; other", "+X=1 +Y=2", "cmd", "+Y=2 +X=1"},
	{"X=1 Y=2 cmd; other", "+X=1 +Y=2", "other", ""},
	{"env X=1 ./run; cmd", "+X=1", "cmd", ""},
	{"A=1 env B=2 cmd", "+A=1 +B=2", "cmd", "+A=1"}, /* the first one found is env itself */
	{"A=1 env B=2 ./run last; x", "+A=1 +B=2", "x", ""},
	{"sudo X=1 cmd", "+X=1", "nothing", "no such command"},
	{"A=1 sh -c 'B=2 cmd; other'", "+A=1 +B=2", "cmd", "+B=2 +A=1"},
	{"A=1 sh -c 'B=2 cmd; other'", "+A=1 +B=2", "other", "+A=1"},
	{"f() { cmd; }; A=1 f", "+A=1", "cmd", "+A=1"},
	{"export X=1; cmd", "X=1", "cmd", ""},
	{"declare -x X=1 Y=$u", "X=1 Y=?", "x", "no such command"},
	{"X=$(Y=1 inner) cmd", "+Y=1 +X=?", "inner", "+Y=1"},
	{"X=1 cmd; X=1 cmd", "+X=1 +X=1", "cmd", "+X=1"},
	{"for i in 1 2; do X=$i cmd; done", "i=1 +X=1 i=2 +X=2", "cmd", "+X=1"},
	{"echo X=1", "", "X=1", ""},
};

static void test_settings(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(settings); i++) {
		struct arena a;
		struct facts f;
		arena_init(&a, ARENA_CAP_DEFAULT);
		read_in(&a, str_of(settings[i].text), DIALECT_BASH, &f);
		CHECK_STRN(settings_text(&a, f.settings), str_of(settings[i].all));
		CHECK_STRN(settings_of(&a, &f, settings[i].word), str_of(settings[i].of));
		arena_free(&a);
	}
}

/* Both: the wrapper has its own, the inner command has those of the wrapper, too. */
static void test_settings_of_wrappers(void)
{
	struct arena a;
	struct facts f;
	arena_init(&a, ARENA_CAP_DEFAULT);
	read_in(&a, STR("A=1 env B=2 cmd"), DIALECT_BASH, &f);
	CHECK(f.commands && f.commands->next && !f.commands->next->next);
	CHECK_STRN(settings_text(&a, f.commands->settings), STR("+A=1"));
	CHECK_STRN(settings_text(&a, f.commands->next->settings), STR("+B=2 +A=1"));
	CHECK_STRN(excerpt(&f, f.settings->at), STR("A=1"));
	CHECK_STRN(excerpt(&f, f.settings->next->at), STR("B=2"));
	arena_free(&a);
	arena_init(&a, ARENA_CAP_DEFAULT);
	read_in(&a, STR("export A=1 B='x y'"), DIALECT_BASH, &f);
	CHECK_STRN(excerpt(&f, f.settings->at), STR("A=1"));
	CHECK_STRN(excerpt(&f, f.settings->next->at), STR("B='x y'"));
	arena_free(&a);
}

/* ---- marks ---- */

static const char *const names[MARK_KINDS] = {
	[MARK_FRAGMENT] = "fragment", [MARK_SAFE_SUBST] = "safe", [MARK_OBFUSCATED_FLAG] = "flag",
	[MARK_METACHARACTER] = "meta",
	[MARK_VARIABLE_CONTEXT] = "variable", [MARK_COMMENT_QUOTE] = "comment",
	[MARK_QUOTED_NEWLINE] = "qnewline", [MARK_CARRIAGE_RETURN] = "cr",
	[MARK_NEWLINE] = "newline", [MARK_IFS] = "ifs", [MARK_BACKTICK] = "backtick",
	[MARK_SUBSTITUTION] = "subst", [MARK_PARAMETER] = "param",
	[MARK_OLD_ARITHMETIC] = "oldarith", [MARK_ZSH_EXPANSION] = "zsh", [MARK_REDIRECTION] = "redir",
	[MARK_ESCAPED_BLANK] = "eblank",
	[MARK_ESCAPED_OPERATOR] = "eoperator", [MARK_UNICODE_BLANK] = "ublank", [MARK_MIDWORD_HASH] = "hash",
	[MARK_BRACES] = "braces",
	[MARK_MALFORMED] = "malformed", [MARK_INVISIBLE] = "invisible", [MARK_HOMOGLYPH] = "homoglyph",
	[MARK_PROMPT_EXPANSION] = "prompt",
	[MARK_ARITHMETIC_CODE] = "arithcode", [MARK_PIPELINE] = "pipeline",
	[MARK_SPAWNS] = "spawns",
};

/* The kinds that are there, in order of their numbers, each once. */
static struct str kinds(struct arena *a, const struct facts *f)
{
	struct buf b;
	buf_init(&b, a, 0);
	for (int k = 0; k < MARK_KINDS; k++)
		for (const struct mark *m = f->marks; m; m = m->next)
			if ((int)m->kind == k) {
				buf_fmt(&b, "%s%s", b.n ? " " : "", names[k]);
				break;
			}
	return buf_view(&b);
}

static const struct {
	const char *text;
	const char *kinds;
	const char *at;        /* NULL, or what the first mark of the first kind covers */
	enum dialect dialect;
} marks[] = {
	{"ls -la src", "", NULL, DIALECT_BASH},
	/* fragments */
	{"\tls", "fragment", "\t", DIALECT_BASH},
	{"-rf x", "fragment", "-", DIALECT_BASH},
	{"&& ls", "fragment", "&", DIALECT_BASH},
	{"  ls -a", "", NULL, DIALECT_BASH},
	{"> out", "fragment redir", ">", DIALECT_BASH},
	{"a\n\tb", "newline", "\n", DIALECT_BASH},
	/* $(cat <<'EOF' */
	{"git commit -m \"$(cat <<'EOF'\nit's $x\nEOF\n)\"", "safe", "$(cat <<'EOF'\nit's $x\nEOF\n)",
			DIALECT_BASH},
	{"git commit -m \"$(cat <<EOF\nx\nEOF\n)\"", "subst", NULL, DIALECT_BASH},
	{"git commit -m \"$(cat <<'EOF'; ls\nx\nEOF\n)\"", "subst", NULL, DIALECT_BASH},
	{"echo $(cat - <<'EOF'\nx\nEOF\n)", "subst", NULL, DIALECT_BASH},
	/* disguised options */
	{"rm \"-\"rf x", "flag", "\"-\"rf", DIALECT_BASH},
	{"rm -'r'f x", "flag", "-'r'f", DIALECT_BASH},
	{"rm $'-rf' x", "flag", "$'-rf'", DIALECT_BASH},
	{"rm '-rf' x", "flag", NULL, DIALECT_BASH},
	{"rm \\-rf x", "flag", NULL, DIALECT_BASH},
	{"rm -\\rf x", "flag", NULL, DIALECT_BASH},
	{"rm -r\\f x", "flag", NULL, DIALECT_BASH},
	{"rm -r''f x", "flag", NULL, DIALECT_BASH},
	{"rm ''-rf x", "flag", NULL, DIALECT_BASH},
	{"rm -$x y", "flag", "-$x", DIALECT_BASH},
	{"rm --for'ce' y", "flag", NULL, DIALECT_BASH},
	{"rm --$x y", "flag", NULL, DIALECT_BASH},
	{"git commit -m\"text\"", "", NULL, DIALECT_BASH},
	{"git log --format=\"%h %s\"", "", NULL, DIALECT_BASH},
	{"grep -e'a b' f", "", NULL, DIALECT_BASH},
	{"make -j$(nproc)", "subst", NULL, DIALECT_BASH},
	{"cc -I\"$d\" -L$d x.c", "", NULL, DIALECT_BASH},
	{"git commit -m '- a list'", "", NULL, DIALECT_BASH},
	{"echo '--- title ---'", "", NULL, DIALECT_BASH},
	{"grep -- '-v' f", "", NULL, DIALECT_BASH},
	{"head '-5' f", "", NULL, DIALECT_BASH},
	/* metacharacters in quotes */
	{"echo 'a;b'", "meta", "'a;b'", DIALECT_BASH},
	{"echo \"a | $x\"", "meta", "\"a | $x\"", DIALECT_BASH},
	{"echo 'a,b' \"c\"", "", NULL, DIALECT_BASH},
	{"x='a;b'", "", NULL, DIALECT_BASH},
	{"echo \"$(a; b)\"", "subst", NULL, DIALECT_BASH},
	/* variables in dangerous places */
	{"echo x > $f", "variable redir", "> $f", DIALECT_BASH},
	{"echo x > \"$d/f\"", "variable redir", NULL, DIALECT_BASH},
	{"$x | cat", "variable pipeline", "$x", DIALECT_BASH},
	{"cat | \"$x\" y", "variable pipeline", "\"$x\"", DIALECT_BASH},
	{"cat <<< $x", "", NULL, DIALECT_BASH},
	{"echo $x | cat", "pipeline", "echo $x | cat", DIALECT_BASH},
	/* comments, newlines, carriage returns */
	{"ls # it's here", "comment", "# it's here", DIALECT_BASH},
	{"# say \"x\"\nls", "comment", NULL, DIALECT_BASH},
	{"ls # plain", "", NULL, DIALECT_BASH},
	{"echo 'a # b' #", "", NULL, DIALECT_BASH},
	{"{ ls # it's\n}", "comment", NULL, DIALECT_BASH},
	{"echo 'a\nb'", "qnewline", "'a\nb'", DIALECT_BASH},
	{"echo \"a\nb\"", "qnewline", "\"a\nb\"", DIALECT_BASH},
	{"echo $'a\\nb'", "", NULL, DIALECT_BASH},
	{"cat <<E\na\nb\nE", "", NULL, DIALECT_BASH},
	{"ls\r\npwd", "cr newline", "\r", DIALECT_BASH},
	{"echo 'a\rb'", "cr", NULL, DIALECT_BASH},
	{"ls\npwd", "newline", "\n", DIALECT_BASH},
	{"{ ls\npwd; }", "newline", NULL, DIALECT_BASH},
	{"if a\nthen b\nfi", "newline", NULL, DIALECT_BASH},
	{"ls &&\npwd", "", NULL, DIALECT_BASH},
	{"ls \\\n -a; pwd", "", NULL, DIALECT_BASH},
	{"ls\n", "", NULL, DIALECT_BASH},
	{"# x\nls", "", NULL, DIALECT_BASH},
	{"for f in a b\ndo ls\ndone", "", NULL, DIALECT_BASH},
	/* expansions */
	{"cat$IFS/etc/x", "ifs", "$IFS", DIALECT_BASH},
	{"cat${IFS%?}x", "ifs param", "${IFS%?}", DIALECT_BASH},
	{"OLD=$IFS; IFS=,", "", NULL, DIALECT_BASH},
	{"echo '$IFS'", "", NULL, DIALECT_BASH},
	{"echo `ls`", "backtick", "`ls`", DIALECT_BASH},
	{"echo '`ls`' \\`", "", NULL, DIALECT_BASH},
	{"echo $(ls)", "subst", "$(ls)", DIALECT_BASH},
	{"diff <(a) >(b)", "subst", "<(a)", DIALECT_BASH},
	{"echo '$(ls)' $((1+2))", "", NULL, DIALECT_BASH},
	{"cat <<E\n$(a) ${b}\nE", "subst param", "$(a)", DIALECT_BASH},
	{"cat <<'E'\n$(a) ${b}\nE", "", NULL, DIALECT_BASH},
	{"echo ${x}", "param", "${x}", DIALECT_BASH},
	{"echo $x '${x}'", "", NULL, DIALECT_BASH},
	{"echo $[1+2]", "oldarith", "$[1+2]", DIALECT_BASH},
	{"echo $((1+2))", "", NULL, DIALECT_BASH},
	{"=ls -l", "zsh", "=ls", DIALECT_ZSH},
	{"=ls -l", "", NULL, DIALECT_BASH},
	{"echo ${(e)x}", "param zsh", NULL, DIALECT_ZSH},
	{"echo a=b ~/x", "", NULL, DIALECT_ZSH},
	/* redirections */
	{"ls > out", "redir", "> out", DIALECT_BASH},
	{"wc < in", "redir", NULL, DIALECT_BASH},
	{"ls >/dev/null 2>&1 </dev/null", "", NULL, DIALECT_BASH},
	{"ls &>/dev/null >&2 2>/dev/null 3<&- ", "", NULL, DIALECT_BASH},
	{"ls >/dev/nullo", "redir", NULL, DIALECT_BASH},
	{"ls >/dev/null/../x", "redir", NULL, DIALECT_BASH},
	{"ls >& out", "redir", NULL, DIALECT_BASH},
	/* backslashes */
	{"cat a\\ b", "eblank", "\\ ", DIALECT_BASH},
	{"cat 'a\\ b' \"a\\ b\"", "", NULL, DIALECT_BASH},
	{"find . -exec ls {} \\;", "eoperator", "\\;", DIALECT_BASH},
	{"echo '\\;' \"\\;\"", "meta", NULL, DIALECT_BASH},
	{"echo \\a", "", NULL, DIALECT_BASH},
	/* odd words */
	{"ls\xc2\xa0-la", "ublank", "\xc2\xa0", DIALECT_BASH},
	{"echo 'a\xc2\xa0" "b'", "", NULL, DIALECT_BASH},
	{"echo 'a'#b", "hash", "#", DIALECT_BASH},
	{"echo a#'b'", "hash", NULL, DIALECT_BASH},
	{"echo a#b '#' '#x'", "", NULL, DIALECT_BASH},
	{"echo {a,b}", "braces", "{a,b}", DIALECT_BASH},
	{"echo x{1..9}", "braces", "x{1..9}", DIALECT_BASH},
	{"echo {a,'b c'}", "braces", NULL, DIALECT_BASH},
	{"echo {} {a} '{a,b}' HEAD@{1}", "", NULL, DIALECT_BASH},
	{"{ ls; }", "", NULL, DIALECT_BASH},
	{"echo a{b; ls", "malformed", "a{b", DIALECT_BASH},
	{"echo it\\'s; ls", "malformed", "it\\'s", DIALECT_BASH},
	{"echo a{b", "", NULL, DIALECT_BASH},
	{"[ -f x ]; [[ -f x ]]; echo 'a(' a[0]", "", NULL, DIALECT_BASH},
	{"find . \\( -name a \\); ls", "eoperator", NULL, DIALECT_BASH},
	/* characters that deceive */
	{"r\xe2\x80\x8bm x", "invisible", "\xe2\x80\x8b", DIALECT_BASH},
	{"echo 'a\xe2\x80\xae" "b'", "invisible", "\xe2\x80\xae", DIALECT_BASH},
	{"ls # \xe2\x80\xae", "invisible", NULL, DIALECT_BASH},
	{"echo 'x\xf3\xa0\x81\xa1'", "invisible", NULL, DIALECT_BASH},
	{"r\xe2\x80\x8d" "m x", "invisible", NULL, DIALECT_BASH},
	{"git commit -m '\xf0\x9f\x91\xa8\xe2\x80\x8d\xf0\x9f\x91\xa9 \xe2\x9a\xa0\xef\xb8\x8f'", "", NULL,
			DIALECT_BASH},
	{"echo \xe2\x9a\xa0\xef\xb8\x8f done", "", NULL, DIALECT_BASH},
	{"cat <<'E'\n\xe2\x80\xae\nE", "", NULL, DIALECT_BASH},
	{"cat <<E\n\xe2\x80\xae\nE", "invisible", NULL, DIALECT_BASH},
	{"bash <<'E'\nls \xe2\x80\xae\nE", "invisible", NULL, DIALECT_BASH},
	{"g\xd1\x96t push", "homoglyph", "g\xd1\x96t", DIALECT_BASH},
	{"\xd1\x81\xd0\xbe\xd1\x80\xd1\x83 x", "homoglyph", NULL, DIALECT_BASH},
	{"rm \xe2\x80\x93rf x", "homoglyph", NULL, DIALECT_BASH},
	{"cat /etc/p\xd0\xb0sswd", "homoglyph", "/etc/p\xd0\xb0sswd", DIALECT_BASH},
	{"cat \xd0\x94\xd0\xbe\xd0\xba\xd1\x83\xd0\xbc\xd0\xb5\xd0\xbd\xd1\x82.txt", "", NULL, DIALECT_BASH},
	{"cat docs/\xd0\x94\xd0\xbe\xd0\xba.md", "", NULL, DIALECT_BASH},
	{"echo 'p\xd0\xb0ss' \xce\x94t caf\xc3\xa9", "", NULL, DIALECT_BASH},
	/* what runs when it is evaluated */
	{"echo ${x@P}", "param prompt", NULL, DIALECT_BASH},
	{"PS4='$(id)'; set -x", "subst prompt", NULL, DIALECT_BASH},
	{"PS4='+ '; PS1='\\u\\$ '", "", NULL, DIALECT_BASH},
	{"x='a[$(id)]'; echo $((x))", "subst arithcode", NULL, DIALECT_BASH},
	{"read x; echo $((x + 1))", "arithcode", NULL, DIALECT_BASH},
	{"x=1; echo $((x + 1))", "", NULL, DIALECT_BASH},
	/* pipelines, and texts inside */
	{"a | b | c && d", "pipeline", "a | b | c ", DIALECT_BASH},
	{"echo; while :; do x & done", "spawns", "while :; do x & done", DIALECT_BASH},
	{"while :; do x & wait; done; while y; do x & done", "", NULL, DIALECT_BASH},
	{"a || b", "", NULL, DIALECT_BASH},
	{"sh -c 'a | b'", "meta pipeline", NULL, DIALECT_BASH},
	{"eval 'echo `x`'", "backtick", "`x`", DIALECT_BASH},
};

static void test_marks(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(marks); i++) {
		struct arena a;
		struct facts f;
		arena_init(&a, ARENA_CAP_DEFAULT);
		read_in(&a, str_of(marks[i].text), marks[i].dialect, &f);
		struct str got = kinds(&a, &f);
		CHECK_ROW(str_eq(got, str_of(marks[i].kinds)), marks[i].text);
		if (!str_eq(got, str_of(marks[i].kinds)))
			CHECK_STR(got, marks[i].kinds);
		const struct mark *first = f.marks;
		for (const struct mark *m = f.marks; m; m = m->next)
			if (m->kind < first->kind)
				first = m;
		if (marks[i].at && first)
			CHECK_STR(excerpt(&f, first->at), marks[i].at);
		CHECK_ROW(!marks[i].at || first, marks[i].text);
		arena_free(&a);
	}
}

/* Every kind is found somewhere above: a kind without a row would be one that nothing looks for. */
static void test_every_kind(void)
{
	for (int k = 0; k < MARK_KINDS; k++) {
		bool found = false;
		for (size_t i = 0; i < ARRAY_SIZE(marks); i++)
			found |= strstr(marks[i].kinds, names[k]) != NULL;
		CHECK_ROW(found, names[k]);
	}
}

/* A flood of one kind hides no other, and marks lie in their texts. */
static void test_many(void)
{
	struct arena a;
	struct facts f;
	struct buf b;
	arena_init(&a, ARENA_CAP_DEFAULT);
	buf_init(&b, &a, 0);
	for (int i = 0; i < 5000; i++)
		buf_c(&b, "echo ${x}\n");
	buf_c(&b, "echo `y` $IFS");
	read_in(&a, buf_view(&b), DIALECT_BASH, &f);
	CHECK_STR(kinds(&a, &f), "newline ifs backtick param");
	size_t n = 0;
	for (const struct mark *m = f.marks; m; m = m->next, n++)
		CHECK(m->at.text < f.ntexts && m->at.from <= m->at.to &&
				m->at.to <= f.texts[m->at.text].bytes.n);
	CHECK_INT(n, 2002);
	arena_free(&a);
}

/* ---- names that are not known ---- */

/*
 * The paths that rm deletes or a redirection writes; "?" is a hole, "#" a number, "%" a name. The same one
 * after itself counts once.
 */
static struct str paths(struct arena *a, const struct facts *f)
{
	struct buf b;
	buf_init(&b, a, 0);
	const struct access *last = NULL;
	for (const struct access *x = f->accesses; x; x = x->next) {
		if (x->kind != ACCESS_WRITE && x->kind != ACCESS_DELETE)
			continue;
		if (!access_by(x, "rm") && x->cause != CAUSE_REDIRECT)
			continue;
		if (last && str_eq(last->path.text, x->path.text))
			continue;
		last = x;
		buf_c(&b, b.n ? " " : "");
		for (size_t i = 0; i < x->path.text.n; i++) {
			char c = x->path.text.p[i];
			buf_char(&b, c == HOLE_ANY ? '?' : c == HOLE_NUM ? '#' : c == HOLE_NAME ? '%' : c);
		}
	}
	return buf_view(&b);
}

static const struct {
	const char *text, *paths;
} names_rows[] = {
	{"for f in *.txt; do rm \"$f\"; done", "/w/%.txt"},
	{"for f in *; do rm \"$f\"; done", "/w/%"},
	{"for f in *c; do rm \"$f\"; done", "/w/%"},
	{"for f in test_*.py; do rm \"$f\"; done", "/w/%.py"},
	{"for f in src/*.c; do rm \"${f%.c}.o\"; done", "/w/src/%.o"},
	{"for f in src/*.c; do rm \"build/$(basename \"$f\" .c).o\"; done", "/w/build/%.o"},
	{"for f in src/*.c; do rm \"${f##*/}\" \"${f%/*}/x\"; done", "/w/%.c /w/src/x"},
	{"for d in */; do rm \"$d/x\"; done", "/w/%//x"},
	{"for f in *.c *.h; do rm \"$f\"; done", "/w/%"},
	{"for f in src/*.c lib/*.c; do rm \"$f\"; done", "?"},
	{"for f in .*; do rm \"$f\"; done", "?"},
	{"for f in **/*.c; do rm \"$f\"; done", "?"},
	{"for f in *.txt; do rm $f; done", "?"},
	{"shopt -s dotglob; for f in *.txt; do rm \"$f\"; done", "/w/% /w/* /w/.[!.]*"},
	{"for f in *.txt; do rm \"${f%.md}\"; done", "/w/%.txt"},
	{"for f in *; do rm \"${f%.md}\"; done", "?"},
	{"for f in $x; do rm \"$f\"; done", "?"},
	{"cd \"$x\"; for f in *.txt; do rm \"$f\"; done", "?/%.txt"},
	{"cd \"$x\"; echo > out$((y))", "?/out#"},
	{"cd /d; echo > out$((y))", "/w/out# /d/out#"},
	{"t=$(mktemp -d); rm -r \"$t\"", "/tmp/tmp.%"},
	{"t=$(mktemp /tmp/a-XXXX.log); rm \"$t\"", "/tmp/a-%.log"},
	{"export TMPDIR=/d; t=$(mktemp); rm \"$t\"", "/d/tmp.%"},
	{"t=$(mktemp -d) && cd \"$t\" && rm x", "/tmp/tmp.%/x"},
	{"rm \"log-$(date +%H%M).txt\" \"$(date +%F)\" \"$(uname -s)\"", "/w/log-%.txt /w/#-#-# /w/%"},
	{"rm \"$(date +%D)\"", "?"},
	{"rm \"$(date +%p)\"", "?"},
	{"ln -s / a; for d in */; do rm -r \"$d/etc\"; done", "?"},
	{"for d in *; do ln -s / \"$d\"; rm -r \"a/etc\"; done", "?"},
	{"printf 'x\\002y' | { read f; rm \"$f\"; }", "?"},
	{"rm $'a\\x02b'", "a?b"},
	{"t=$(mktemp); trap 'rm \"$t\"' EXIT", "/tmp/tmp.%"},
	{"t=$(mktemp); trap 'rm \"$t\"' EXIT; t=/x", "?"},
	{"f() { local t=/a; trap 'rm \"$t\"' EXIT; }; f", "?"},
	{"t=/a; trap 'rm \"$t\"' EXIT; . ./x", "?"},
	{"t=/a; f() { rm \"$t\"; }; trap f EXIT", "/a"},
	{"sleep 1 & echo > out$!", "/w/out#"},
	{"echo > out$!", "out?"},
	{"sleep 1 & p=$!; trap \"kill $p; rm x$p\" EXIT", ""},
	{"sleep 1 & p=$!; trap \"kill $p; rm x\" EXIT", "/w/x"},
	{"rm d/$(date +%Y/%m)", "/w/d/#/#"},
};

static void test_names(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(names_rows); i++) {
		struct arena a;
		struct facts f;
		arena_init(&a, ARENA_CAP_DEFAULT);
		read_in(&a, str_of(names_rows[i].text), DIALECT_BASH, &f);
		struct str got = paths(&a, &f);
		CHECK_ROW(str_eq(got, str_of(names_rows[i].paths)), names_rows[i].text);
		CHECK_STR(got, names_rows[i].paths);
		arena_free(&a);
	}
}

/* ---- variables that programs obey ---- */

/* Ordinary values: nothing but the command itself is listed. */
static const char *const ordinary[] = {
	"GIT_PAGER=cat ls",
	"PAGER=cat ls",
	"GIT_EDITOR=true ls",
	"EDITOR=vim ls",
	"GIT_PAGER='less -FRX' ls",
	"NODE_OPTIONS=--max-old-space-size=4096 ls",
	"PYTHONPATH=/usr/lib/x ls",
	"CC=gcc ls",
	"CC=clang-17 CXX=clang++-17 ls",
	"CC='ccache gcc' ls",
	"CC=x86_64-linux-gnu-gcc-12 ls",
	"PYTHONDONTWRITEBYTECODE=1 ls",
	"MAKEFLAGS=-j8 ls",
	"MAVEN_OPTS='-Xmx2g -XX:+UseG1GC' ls",
	"GOFLAGS=-mod=mod ls",
	"RUSTFLAGS='-D warnings' ls",
	"RUSTFLAGS='-C target-cpu=native' ls",
	"RUSTC_WRAPPER=sccache ls",
	"KUBECONFIG=~/.kube/config ls",
	"HOME=$HOME ls",
	"GIT_CONFIG_GLOBAL=/dev/null ls",
	"GIT_DIR=.git ls",
	"CGO_ENABLED=0 ls",
	"npm_config_loglevel=silent ls",
	"PIP_NO_CACHE_DIR=1 ls",
	"HISTFILE=/dev/null ls",
	"RUBYOPT=-W0 ls",
	"LC_ALL=C ls",
	"CI=1 ls",
	"PYTHONPATH= ls",
};

/* Something runs, is loaded or written, or is not followed. */
static const char *const loud[] = {
	"PYTHONPATH=src ls",
	"CC=./evil.sh ls",
	"CC='sh -c \"rm -rf ~\"' ls",
	"CC='gcc -fplugin=./x.so' ls",
	"EDITOR='vim -S x.vim' ls",
	"NODE_OPTIONS='--require ./x.js' ls",
	"NODE_OPTIONS='--max-old-space-size=1 -r ./x' ls",
	"JAVA_TOOL_OPTIONS=-javaagent:x.jar ls",
	"MAVEN_OPTS='-Xmx1g -XX:OnError=evil' ls",
	"MAKEFLAGS='-f evil.mk' ls",
	"MAKEFLAGS=-sfevil.mk ls",
	"RUSTFLAGS='-Clinker=./x' ls",
	"RUSTFLAGS='-C linker=./x' ls",
	"GOFLAGS=-toolexec=./x ls",
	"CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER=./x ls",
	"GIT_DIR=/tmp/x ls",
	"GIT_WORK_TREE=/etc ls",
	"GIT_CONFIG_KEY_0=core.pager ls",
	"NPM_CONFIG_script_shell=./x ls",
	"npm_config_node_options=x ls",
	"PIP_INDEX_URL=http://evil/ ls",
	"DYLD_INSERT_LIBRARIES=x ls",
	"HOME=/tmp/x ls",
	"KUBECONFIG=./k ls",
	"HISTFILE=/etc/passwd ls",
	"PERL5DB='system(\"x\")' ls",
	"LD_LIBRARY_PATH=: ls",
	"GIT_TRACE=/etc/x ls",
	"LD_PRELOAD=~/.cargo/x.so ls",
	"BASH_ENV=~/.kube/x ls",
	"XDG_CONFIG_HOME=~/.config/../x ls",
	"LD_PRELOAD=/usr/../tmp/x ls",
};

static bool only_ls(const struct facts *f)
{
	if (!f->complete || f->troubles || f->snippets || !f->commands || f->commands->next)
		return false;
	for (const struct access *x = f->accesses; x; x = x->next)
		if (x->kind != ACCESS_READ)
			return false;
	return true;
}

static void test_variables(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(ordinary) + ARRAY_SIZE(loud); i++) {
		struct arena a;
		struct facts f;
		size_t n = ARRAY_SIZE(ordinary);
		const char *text = i < n ? ordinary[i] : loud[i - n];
		arena_init(&a, ARENA_CAP_DEFAULT);
		read_in(&a, str_of(text), DIALECT_BASH, &f);
		CHECK_ROW(only_ls(&f) == (i < n), text);
		arena_free(&a);
	}
}

int main(void)
{
	RUN(test_settings);
	RUN(test_settings_of_wrappers);
	RUN(test_marks);
	RUN(test_every_kind);
	RUN(test_many);
	RUN(test_names);
	RUN(test_variables);
	return unit_end();
}
