/*
 * Finds the project of an event. The first event inside a project pins it to the session
 * (judge/client_session.h). From then on, the event's directory only says where in the project a command
 * runs. A directory elsewhere joins the session only if the client lists it or it is a linked worktree of the
 * pinned repository.
 *
 * A client without session ids cannot pin a project: each event searches for it, with the help of remembered
 * roots (sys/remembered.h).
 */
#include <errno.h>
#include <time.h>

#include "base/utf8.h"
#include "client/hook.h"
#include "judge/client_session.h"
#include "judge/tmp_names.h"
#include "judge/world.h"
#include "record/handoff.h"
#include "sys/directory.h"
#include "sys/file.h"
#include "sys/git_view.h"
#include "sys/kept_tmp.h"
#include "sys/state.h"

struct pinning {
	struct hook_call *c;
	struct path_memo *memo;
	struct client_session s;
	struct str cwd;   /* the event's directory, resolved */
	int64_t now;
	bool dirty;       /* must be written */
};

const struct directory *hook_pin(const struct hook_call *c) { return c->pin.path.n ? &c->pin : NULL; }

static struct str resolve_path(struct pinning *p, struct str path)
{
	enum path_kind kind;

	return str_starts(path, "/") ? path_real(p->memo, path, &kind) : STR("");
}

static int identify_directory(struct pinning *p, struct str path, struct directory *ret)
{
	FD_CLEANUP int fd = path.n && utf8_valid(path) ? directory_open(str_c(p->c->a, path)) : -1;

	ret->path = path;
	return fd < 0 ? -1 : directory_identity(fd, &ret->id);
}

/* ---- directories named by the client ---- */

/* Returns the project around this directory, as if the session had begun there. */
static struct str project_of(struct pinning *p, struct str dir)
{
	return world_project(p->c->a, p->c->view, &(struct context){.cwd = dir});
}

static bool is_listed(struct pinning *p, struct str project)
{
	const struct json *roots = json_key(p->c->h.all, "workspace_roots");

	if (p->c->h.start_dir.n && str_eq(project_of(p, p->c->h.start_dir), project))
		return true;
	for (const struct json *r = json_is(roots, JSON_ARRAY) ? roots->first : NULL; r; r = r->next)
		if (r->kind == JSON_STRING && str_starts(r->text, "/") &&
				str_eq(project_of(p, r->text), project))
			return true;
	return false;
}

/* ---- the session's file ---- */

static int store_session(struct pinning *p, bool fresh, struct err *e)
{
	struct hook_call *c = p->c;
	struct str state;

	p->s.last = p->now;
	p->s.ended = 0;
	p->s.boot = client_session_boot(c->a);
	for (size_t i = 0; i < p->s.n; i++)
		if (state_make(c->a, c->view->state_dir, p->s.roots[i].path, c->view->uid, &state, e) != 0)
			return -1;
	if (client_session_write(c->a, state, &p->s, c->view->uid, fresh, e) != 0)
		return -1;
	for (size_t i = 0; i < p->s.n; i++)
		(void)world_remember(c->a, c->view, state, p->s.roots[i].path, NULL);
	client_session_sweep(c->a, state, p->now);
	handoff_sweep(c->a, state, p->now);
	kept_tmp_sweep(c->a, state, p->now);
	return 0;
}

/* Adds the remotes of a root's repository. Those that appear later are asked about. */
static void take_remotes(struct pinning *p, struct str root)
{
	struct git_item **end = &p->s.remotes;
	struct git_answer g;

	git_look(p->memo, root, p->c->view->home, &g);
	while (*end)
		end = &(*end)->next;
	*end = g.remotes;
}

/*
 * First event: pins the project named by the client, else the one around the session's directory. A directory
 * that the call names is the model's choice, and never the session's.
 */
static int begin_session(struct pinning *p)
{
	struct hook_call *c = p->c;
	struct str base = resolve_path(p, c->h.start_dir);
	struct str project = c->h.session_cwd.n ? project_of(p, c->h.session_cwd) : c->view->project;

	if (base.n && !path_inside(p->cwd, base) && project_of(p, base).n)
		project = project_of(p, base);
	p->s = (struct client_session){.client = str_of(c->h.client->name), .id = c->h.session,
			.started = p->now, .n = 1};
	if (!project.n || identify_directory(p, project, &p->s.roots[0]) != 0)
		return -1;
	take_remotes(p, project);
	return 0;
}

/* ---- later events ---- */

/* Returns the index of the innermost root around the event's directory; p->s.n: none. */
static size_t root_around(const struct pinning *p)
{
	size_t best = p->s.n;

	for (size_t i = 0; i < p->s.n; i++)
		if (path_inside(p->cwd, p->s.roots[i].path) && (best == p->s.n ||
				p->s.roots[i].path.n > p->s.roots[best].path.n))
			best = i;
	return best;
}

/* Adds a directory that the client lists, or a worktree of the pinned repository. */
static void join_root(struct pinning *p)
{
	struct str project = p->c->view->project;
	bool may;

	for (size_t i = 0; i < p->s.n; i++)
		if (str_eq(p->s.roots[i].path, project))
			return; /* already a root: a link led out of it */
	may = is_listed(p, project);
	for (size_t i = 0; i < p->s.n && !may; i++)
		may = project_worktree(p->c->a, project, p->s.roots[i].path);
	if (!may || p->s.n == CLIENT_SESSION_ROOTS_MAX ||
			identify_directory(p, project, &p->s.roots[p->s.n]) != 0)
		return;
	p->s.n++;
	take_remotes(p, project);
	p->dirty = true;
}

static bool has_start(const struct client *c)
{
	for (const struct client_event *ev = c->events; ev->name[0]; ev++)
		if (ev->phase == PHASE_START)
			return true;
	return false;
}

/*
 * Accepts a new identity after a reboot, which may change device numbers. A new inode number is accepted only
 * at the client's start event, or at any event if the client sends no start event.
 */
static bool pin_again(struct pinning *p, struct directory *root)
{
	struct str boot = client_session_boot(p->c->a);
	struct directory now;

	if (!boot.n || str_eq(boot, p->s.boot) || identify_directory(p, root->path, &now) != 0)
		return false;
	if (now.id.ino != root->id.ino && p->c->h.phase != PHASE_START && has_start(p->c->h.client))
		return false;
	root->id = now.id;
	p->dirty = true;
	return true;
}

static void check_root(struct pinning *p, struct directory *root)
{
	if (directory_check(root) == 0 || pin_again(p, root))
		return;
	p->c->changed = str_fmt(p->c->a,
			"the project '%.*s' was moved or replaced since this session began; start a new "
			"session to use it", STR_ARG(root->path));
}

static void choose_project(struct pinning *p)
{
	size_t i = root_around(p);

	if (i == p->s.n && p->c->view->project.n)
		join_root(p);
	i = root_around(p);
	if (i == p->s.n)
		i = 0; /* none matches: the event is outside the project */
	check_root(p, &p->s.roots[i]);
	p->c->pin = p->s.roots[i];
	p->c->view->project = p->c->pin.path;
	p->dirty |= p->s.last + CLIENT_SESSION_FRESH_S < p->now || p->s.ended || p->c->h.phase == PHASE_START;
}

/*
 * If the session's file cannot be written, the project is not pinned. No command goes to a box then either,
 * because a ticket needs the same state directory.
 */
static int pin_project(struct pinning *p, struct err *e)
{
	const struct view *v = p->c->view;
	struct str client = str_of(p->c->h.client->name);
	int found = client_session_read(p->c->a, v->state_dir, client, p->c->h.session, v->uid, &p->s, e);
	struct err why = {0};

	if (found == 0) {
		if (begin_session(p) != 0 || (store_session(p, true, &why) != 0 && why.errnum != EEXIST))
			return 0;
		found = client_session_read(p->c->a, v->state_dir, client, p->c->h.session, v->uid, &p->s, e);
	}
	if (found <= 0)
		return found;
	choose_project(p);
	p->c->view->session_remotes = p->s.remotes;
	p->c->tmp = p->s.tmp;
	if (p->dirty)
		(void)store_session(p, false, NULL);
	return 0;
}

/* Makes room for new names at the end: the oldest go. */
static void drop_oldest(struct tmp_name **list, size_t more)
{
	size_t n = more;

	for (const struct tmp_name *t = *list; t; t = t->next)
		n++;
	for (; *list && n > TMP_NAMES_MAX; n--)
		*list = (*list)->next;
}

/* Without the session's file, later commands must name the files. */
void hook_session_wrote(struct hook_call *c, const struct tmp_name *names)
{
	struct str client = str_of(c->h.client->name), state = c->view->state_dir;
	struct client_session s;
	size_t more = 0;

	for (const struct tmp_name *n = names; n; n = n->next) {
		const struct tmp_name *same = c->tmp;

		while (same && !str_eq(same->path, n->path))
			same = same->next;
		more += n->writes && !same;
	}
	if (!more || !c->pin.path.n ||
			client_session_read(c->a, state, client, c->h.session, c->view->uid, &s, NULL) != 1)
		return;
	drop_oldest(&s.tmp, more);
	for (const struct tmp_name *n = names; n; n = n->next)
		if (n->writes)
			tmp_names_add(c->a, &s.tmp, n);
	(void)client_session_write(c->a, state, &s, c->view->uid, false, NULL);
}

int hook_session(struct hook_call *c, struct err *e)
{
	struct pinning p = {.c = c, .now = time(NULL)};
	int rc = 0;

	c->view = arena_new(c->a, struct view);
	c->changed = c->pin.path = STR("");
	c->context = (struct context){.cwd = c->h.cwd, .start_dir = c->h.start_dir};
	world_view(c->a, &c->context, NULL, c->view);
	c->context.view = c->view;
	c->view->in_session = true;
	if (!c->h.session.n || !c->view->state_dir.n)
		return 0;
	p.memo = c->view->memo;
	p.cwd = resolve_path(&p, c->view->cwd);
	rc = pin_project(&p, e);
	c->context.pin = hook_pin(c);
	return rc;
}
