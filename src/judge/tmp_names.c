/* See tmp_names.h. */
#include "judge/tmp_names.h"

#include <limits.h>

#include "base/utf8.h"
#include "gate/judge.h"
#include "sys/tmp_tree.h"

/* Tickets and sessions are JSON, which has no other bytes. */
static bool can_travel(struct str path)
{
	return path.n < PATH_MAX && str_starts(path, "/tmp/") && utf8_valid(path) &&
			!str_has(path, 0);
}

void tmp_names_add(struct arena *a, struct tmp_name **list, const struct tmp_name *name)
{
	size_t n = 0;

	for (; *list && !str_eq((*list)->path, name->path); list = &(*list)->next)
		n++;
	if (!*list && n < TMP_NAMES_MAX && can_travel(name->path))
		*list = arena_copy(a, (struct tmp_name){.path = name->path});
	if (*list) {
		(*list)->writes |= name->writes;
		(*list)->made |= name->made;
	}
}

struct tmp_search {
	struct arena *a;
	struct str project;
	struct tmp_name *list;
};

static void add_plain(struct tmp_search *s, struct str path, bool writes)
{
	struct tmp_name name = {.path = path_plain(s->a, path), .writes = writes};

	if (!path_within(name.path, s->project))
		tmp_names_add(s->a, &s->list, &name);
}

/* A directory that a command works in, or a file. The kernel goes through a directory before it goes up. */
static void add_known(struct tmp_search *s, struct str path, bool writes)
{
	if (!str_starts(path, "/") || !str_contains(path, STR("/tmp/")) || !text_exact(path))
		return;
	for (size_t i = 0; i + 3 <= path.n; i++)
		if (str_is(str_sub(path, i, i + 3), "/..") && (i + 3 == path.n || path.p[i + 3] == '/'))
			add_plain(s, str_sub(path, 0, i), false);
	add_plain(s, path, writes);
}

/* The start of a name below /tmp in a word: at its beginning, or behind --in=, FILE=, @ or -I. -1: none. */
static ptrdiff_t name_start(struct str word)
{
	for (size_t i = 0; i < word.n; i++)
		if (str_starts(str_from(word, i), "/tmp/"))
			return !i || strchr("=@:", word.p[i - 1]) || (i == 2 && word.p[0] == '-')
					? (ptrdiff_t)i : -1;
	return -1;
}

/* A word that only the program understands. */
static void add_word(struct tmp_search *s, struct str word, struct str cwd)
{
	ptrdiff_t at = name_start(word);

	if (at >= 0)
		add_known(s, str_from(word, (size_t)at), false);
	else if (word.n && word.p[0] != '-' && word.p[0] != '/' && path_within(cwd, STR("/tmp")))
		add_known(s, str_path(s->a, cwd, word), false);
}

static void add_words(struct tmp_search *s, const struct command *c)
{
	for (size_t i = 1; i < c->argc; i++)
		if (c->argv[i].kind == WORD_EXACT)
			add_word(s, c->argv[i].text, c->cwd);
	for (const struct setting *v = c->settings; v; v = v->next)
		add_word(s, v->value, STR(""));
}

/* The host's files beside those of the boxes. */
static void add_tree(struct tmp_search *s, struct str path, uint32_t uid)
{
	struct texts *names = NULL;
	size_t n = 0;

	if (tmp_tree(s->a, path, uid, &names, &n))
		for (; names; names = names->next)
			add_known(s, names->text, false);
}

static void add_kept(struct tmp_search *s, const struct view *v)
{
	for (const struct path_answer *p = v->paths; p; p = p->next)
		if (p->kept && p->kind == PATH_DIR && !str_is(p->real, "/tmp"))
			add_tree(s, p->real, v->uid);
	for (const struct glob_answer *g = v->globs; g; g = g->next)
		for (size_t i = 0; g->kept && i < g->nmatches; i++)
			add_tree(s, g->matches[i], v->uid);
}

struct tmp_name *tmp_names(struct arena *a, const struct facts *f, const struct view *v, struct str project)
{
	struct tmp_search s = {.a = a, .project = project};

	for (const struct command *c = f->commands; c; c = c->next)
		add_known(&s, c->cwd, false);
	for (const struct access *x = f->accesses; x; x = x->next) {
		if (x->path.kind == WORD_EXACT && !x->elsewhere && !access_is_import(x) &&
				x->kind != ACCESS_DELETE)
			add_known(&s, x->path.text, x->kind == ACCESS_WRITE);
	}
	for (const struct look *l = f->looks; l; l = l->next)
		if (l->path.kind == WORD_EXACT)
			add_known(&s, l->path.text, false);
	if (v)
		add_kept(&s, v);
	for (const struct command *c = f->commands; c; c = c->next) /* the least certain ones last */
		if (!c->elsewhere)
			add_words(&s, c);
	return s.list;
}
