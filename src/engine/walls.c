/* See walls.h. */
#include "engine/walls.h"

#include "base/json.h"
#include "base/utf8.h"
#include "sys/path.h"

/* ---- lists, and JSON ---- */

bool walls_add(struct arena *a, struct texts **list, struct str path)
{
	size_t n = 0;

	for (; *list; list = &(*list)->next, n++)
		if (str_eq((*list)->text, path))
			return true;
	if (n >= WALLS_PATHS_MAX)
		return false;
	*list = arena_new(a, struct texts);
	(*list)->text = path;
	return true;
}

static bool list_survives(const struct texts *list)
{
	for (; list; list = list->next)
		if (!utf8_valid(list->text) || !str_starts(list->text, "/") ||
			memchr(list->text.p, 0, list->text.n))
			return false;
	return true;
}

bool walls_survive(const struct client_walls *w)
{
	return list_survives(w->writable) && list_survives(w->closed) && list_survives(w->hidden);
}

static void write_list(struct buf *b, const char *key, const struct texts *list)
{
	buf_fmt(b, ",\"%s\":[", key);
	for (const struct texts *t = list; t; t = t->next) {
		if (t != list)
			buf_char(b, ',');
		answer_string(b, t->text);
	}
	buf_char(b, ']');
}

void walls_write(struct buf *b, const struct client_walls *w)
{
	buf_fmt(b, "{\"mode\":\"%s\"", client_sandbox_name(w->mode));
	write_list(b, "writable", w->writable);
	write_list(b, "closed", w->closed);
	write_list(b, "hidden", w->hidden);
	buf_char(b, '}');
}

static int read_list(struct arena *a, const json_t *o, const char *key, struct texts **ret)
{
	const json_t *list = json_object_get(o, key);

	if (!json_is_array(list))
		return -1;
	for (size_t i = 0; i < json_array_size(list); i++) {
		struct str path = str_dup(a, json_to_str(json_array_get(list, i)));

		if (!str_starts(path, "/") || !walls_add(a, ret, path))
			return -1;
	}
	return 0;
}

int walls_read(struct arena *a, const json_t *o, struct client_walls *ret)
{
	struct client_walls w = {0};

	if (client_sandbox_find(json_to_str(json_object_get(o, "mode")), &w.mode) != 0)
		return -1;
	if (read_list(a, o, "writable", &w.writable) != 0 || read_list(a, o, "closed", &w.closed) != 0 ||
		read_list(a, o, "hidden", &w.hidden) != 0)
		return -1;
	*ret = w;
	return 0;
}

/* ---- in a spec ---- */

static bool may_write(const struct client_walls *w, struct str path)
{
	for (const struct texts *t = w->writable; t; t = t->next)
		if (path_inside(path, t->text))
			return true;
	return false;
}

/* The largest directory around the working directory that the client lets be written and that is part of the
 * project. */
static struct str writable_part(const struct client_walls *w, struct str cwd, struct str project)
{
	struct str best = STR("");

	for (const struct texts *t = w->writable; t; t = t->next)
		if (path_inside(t->text, project) && path_inside(cwd, t->text) &&
			(!best.n || t->text.n < best.n))
			best = t->text;
	return best;
}

struct str making_walls_workspace(struct making *m, struct str project, bool *ret_writable)
{
	const struct client_walls *w = m->w->walls;
	struct str part;

	if (!w || w->mode == CLIENT_SANDBOX_NONE)
		return project;
	*ret_writable = w->mode == CLIENT_SANDBOX_WORKSPACE_WRITE;
	if (!*ret_writable || may_write(w, project))
		return project;
	part = writable_part(w, m->world->cwd, project);
	*ret_writable = part.n > 0;
	return part.n ? part : project;
}

/* Names are patterns to those who protect them; a path with letters that mean something there cannot be kept.
 */
static bool is_literal(struct str path)
{
	for (size_t i = 0; i < path.n; i++)
		if (strchr("*?[]{}\\!", path.p[i]))
			return false;
	return true;
}

/*
 * A part of the workspace stays as it is: what is there is mounted read-only, and the protection of names
 * keeps an absent one away and a directory above from being renamed. Where that does not work the whole
 * workspace is read-only.
 */
static bool close_part(struct making *m, struct path_memo *memo, struct str path)
{
	struct spec *s = &m->r->spec;
	struct path_answer at;

	path_look(memo, path, &at);
	if (!is_literal(path) || at.kind == PATH_LINK ||
		!walls_add(m->a, &s->protected, str_sub(path, s->workspace.n + 1, path.n)))
		return false;
	return at.kind == PATH_ABSENT || (str_eq(at.real, path) && walls_add(m->a, &s->closed, path));
}

static void close_path(struct making *m, struct path_memo *memo, struct str path)
{
	struct spec *s = &m->r->spec;

	if (path_inside(s->workspace, path) ||
		(path_inside(path, s->workspace) && !close_part(m, memo, path)))
		s->workspace_writable = false;
}

/* A toolchain of the home, say, that lies in something hidden is not shown at all. */
static void hide_below(struct making *m, struct str hidden)
{
	for (struct spec_path **p = &m->r->spec.paths; *p;)
		if (!(*p)->at.n && !path_inside((*p)->path, m->world->project) &&
			path_inside((*p)->path, hidden))
			*p = (*p)->next;
		else
			p = &(*p)->next;
}

void making_walls_close(struct making *m)
{
	const struct client_walls *w = m->w->walls;
	struct spec *s = &m->r->spec;
	struct path_memo memo;

	if (!w || w->mode == CLIENT_SANDBOX_NONE)
		return;
	path_memo_init(&memo, m->a, STR(""));
	if (!str_eq(s->workspace, m->world->project))
		making_add_path(m, m->world->project, m->world->project, false);
	if (s->git_common.n && !may_write(w, s->git_common)) {
		making_add_path(m, s->git_common, s->git_common, false);
		s->git_common = STR("");
	}
	for (const struct texts *t = w->closed; t; t = t->next)
		close_path(m, &memo, t->text);
	for (const struct texts *t = w->hidden; t; t = t->next)
		hide_below(m, t->text);
	s->hidden = w->hidden;
}
