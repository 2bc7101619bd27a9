/* The walls of a client's own sandbox in the spec of the run that replaces it. See spec_builder.h. */
#include "record/client_walls.h"
#include "run/spec_builder.h"
#include "sys/path.h"

static bool may_write(const struct client_walls *w, struct str path)
{
	for (const struct texts *t = w->writable; t; t = t->next)
		if (path_inside(path, t->text))
			return true;
	return false;
}

/*
 * Returns the largest directory of the project that contains the working directory and that the client lets
 * its commands write.
 */
static struct str writable_part(const struct client_walls *w, struct str cwd, struct str project)
{
	struct str best = STR("");

	for (const struct texts *t = w->writable; t; t = t->next)
		if (path_inside(t->text, project) && path_inside(cwd, t->text) &&
			(!best.n || t->text.n < best.n))
			best = t->text;
	return best;
}

struct str spec_walls_workspace(struct spec_builder *m, struct str project, bool *ret_writable)
{
	const struct client_walls *w = m->rq->walls;
	struct str part;

	if (!w || w->mode == CLIENT_SANDBOX_NONE)
		return project;
	*ret_writable = w->mode == CLIENT_SANDBOX_WORKSPACE_WRITE;
	if (!*ret_writable || may_write(w, project))
		return project;
	part = writable_part(w, m->at->cwd, project);
	*ret_writable = part.n > 0;
	return part.n ? part : project;
}

bool spec_walls_may_write(const struct spec_builder *m, struct str real)
{
	const struct client_walls *w = m->rq->walls;

	return !w || w->mode == CLIENT_SANDBOX_NONE || may_write(w, real);
}

/* Protected names are patterns, so a path with special characters cannot be protected. */
static bool is_literal(struct str path)
{
	for (size_t i = 0; i < path.n; i++)
		if (strchr("*?[]{}\\!", path.p[i]))
			return false;
	return true;
}

/*
 * Makes a part of the workspace read-only: mounts it read-only, and protects its name, so that an absent file
 * stays absent and no parent is renamed. False if that is impossible; then the whole workspace becomes
 * read-only.
 */
static bool close_part(struct spec_builder *m, struct path_memo *memo, struct str path)
{
	struct spec *s = &m->r->spec;
	struct path_answer at;

	path_look(memo, path, &at);
	if (!is_literal(path) || at.kind == PATH_LINK ||
		!client_walls_add(m->a, &s->protected, str_from(path, s->workspace.n + 1)))
		return false;
	return at.kind == PATH_ABSENT || (str_eq(at.real, path) && client_walls_add(m->a, &s->closed, path));
}

static void close_path(struct spec_builder *m, struct path_memo *memo, struct str path)
{
	struct spec *s = &m->r->spec;

	if (path_inside(s->workspace, path) ||
		(path_inside(path, s->workspace) && !close_part(m, memo, path)))
		s->workspace_writable = false;
}

/* Removes paths (such as toolchains of the home) that are inside something hidden. */
static void hide_below(struct spec_builder *m, struct str hidden)
{
	for (struct spec_path **p = &m->r->spec.paths; *p;)
		if (!(*p)->at.n && !path_inside((*p)->path, m->at->project) &&
			path_inside((*p)->path, hidden))
			*p = (*p)->next;
		else
			p = &(*p)->next;
}

void spec_walls_close(struct spec_builder *m)
{
	const struct client_walls *w = m->rq->walls;
	struct spec *s = &m->r->spec;
	struct path_memo memo;

	if (!w || w->mode == CLIENT_SANDBOX_NONE)
		return;
	path_memo_init(&memo, m->a, STR(""));
	if (!str_eq(s->workspace, m->at->project))
		spec_add_path(m, m->at->project, m->at->project, false);
	if (s->git_common.n && !may_write(w, s->git_common)) {
		spec_add_path(m, s->git_common, s->git_common, false);
		s->git_common = STR("");
	}
	for (const struct texts *t = w->closed; t; t = t->next)
		close_path(m, &memo, t->text);
	for (const struct texts *t = w->hidden; t; t = t->next)
		hide_below(m, t->text);
	s->hidden = w->hidden;
}
