/*
 * What the reader says of a text beside its commands: the assignments that reach programs, and the marks, features of the text that a
 * stricter policy may want to see. Each kind of mark has hits and near misses.
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

static struct str excerpt(const struct facts *f, struct span at) { return str_sub(f->texts[at.text].bytes, at.from, at.to); }

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
	for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
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

int main(void)
{
	RUN(test_settings);
	RUN(test_settings_of_wrappers);
	return unit_end();
}
