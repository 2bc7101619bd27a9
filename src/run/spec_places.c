/*
 * The parts of the host that the caller chooses for a box: workspace, further paths, root and working
 * directory. Names are resolved here; errors are reported before anything is created.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>

#include "base/glob.h"
#include "box/box.h"
#include "box/protect.h"
#include "image/image_store.h"
#include "judge/world.h"
#include "run/spec_builder.h"
#include "sys/directory.h"
#include "sys/file.h"
#include "sys/git_view.h"
#include "sys/project.h"
#include "sys/state.h"

#define PROTECTED_MAX 512  /* names added by policies */

struct place_search {
	struct spec_builder *m;
	struct path_memo memo;
};

/* Makes a name absolute, relative to the caller's directory, and removes trailing slashes. */
static struct str make_absolute(struct place_search *p, struct str name)
{
	while (name.n > 1 && name.p[name.n - 1] == '/')
		name.n--;
	return name.n && name.p[0] == '/' ? name : str_path(p->m->a, p->m->at->cwd, name);
}

/* Resolves a path for the box. -1 and *e if it does not exist or is unreachable. */
static int look_up(struct place_search *p, const char *option, struct str name, struct path_answer *ret,
	struct err *e)
{
	if (!name.n)
		return err_input(e, "%s needs a name", option);
	path_look(&p->memo, make_absolute(p, name), ret);
	if (ret->kind == PATH_ABSENT || ret->target == PATH_ABSENT)
		return err_input(e, "%s '%.*s' does not exist", option, STR_ARG(name));
	if (!ret->real.n || ret->target == PATH_UNREADABLE)
		return err_input(e, "%s '%.*s' cannot be reached", option, STR_ARG(name));
	return 0;
}

/* The directory of Caisson's own that overlaps this path; empty: none. */
static struct str own_files(const struct spec_builder *m, struct str real)
{
	const struct str own[] = {m->at->config_dir, m->at->state_dir,
			str_fmt(m->a, SPEC_STAGE_MEMORY, (unsigned)m->at->uid)};

	for (size_t i = 0; i < ARRAY_SIZE(own); i++)
		if (path_inside(own[i], real) || path_inside(real, own[i]))
			return own[i];
	return STR("");
}

bool spec_is_own(const struct spec_builder *m, struct str real) { return own_files(m, real).n > 0; }

/* Refuses Caisson's own files: a program that can write them can lift all restrictions. */
static int refuse_own_files(struct place_search *p, const char *option, struct str real, struct err *e)
{
	struct str own = own_files(p->m, real);

	return !own.n ? 0 : err_input(e, "%s '%.*s' would show caisson's own files in '%.*s'",
			option, STR_ARG(real), STR_ARG(own));
}

/* ---- workspace ---- */

static void protect_path(struct spec_builder *m, struct str path, size_t *n)
{
	if (!texts_have(m->r->spec.protected, path) && (*n)++ < PROTECTED_MAX)
		texts_add(m->a, &m->r->spec.protected, path);
}

/* Makes a pattern relative to the workspace. All of a directory becomes the directory itself. */
static struct str in_workspace(struct str pattern)
{
	if (str_starts(pattern, "/"))
		pattern = str_from(pattern, 1);
	if (str_ends(pattern, "/**"))
		pattern.n -= 3;
	return pattern;
}

/* Removes and returns the first component of a path. */
static struct str take_component(struct str *path)
{
	ptrdiff_t slash = str_find(*path, '/', 0);
	struct str first = str_first(*path, slash < 0 ? path->n : (size_t)slash);

	*path = str_from(*path, slash < 0 ? path->n : (size_t)slash + 1);
	return first;
}

/*
 * Applies a pattern of a project whose root is above the workspace: protects the part inside the workspace.
 * If the pattern covers all of it, the workspace becomes read-only.
 */
static void protect_from(struct spec_builder *m, struct str root, struct str pattern, size_t *n)
{
	struct spec *s = &m->r->spec;
	struct str way, rest = pattern;

	if (!root.n || !pattern.n || str_eq(root, s->workspace) || !path_inside(s->workspace, root))
		return;
	if (!str_has(pattern, '/'))
		protect_path(m, pattern, n); /* a name without a slash matches at any depth */
	for (way = str_from(s->workspace, root.n + 1); way.n && rest.n;) {
		if (str_starts(rest, "**/")) {
			protect_path(m, rest, n);
			return;
		}
		if (!glob_name(take_component(&rest), take_component(&way)))
			return;
	}
	if (rest.n)
		protect_path(m, rest, n);
	else
		s->workspace_writable = false;
}

static void protect_all(struct spec_builder *m)
{
	const struct texts *lists[] = {m->p->own.protected_paths,
			m->p->apart ? m->p->project.protected_paths : NULL};
	size_t n = 0;

	m->r->spec.protected = protect_names(m->a);
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++)
		for (const struct texts *t = lists[i]; t; t = t->next) {
			if (in_workspace(t->text).n)
				protect_path(m, in_workspace(t->text), &n);
			protect_from(m, m->p->root, in_workspace(t->text), &n);
		}
	for (const struct policy_around *x = m->p->around; x; x = x->next)
		for (const struct texts *t = x->policy.protected_paths; t; t = t->next)
			protect_from(m, x->root, in_workspace(t->text), &n);
	if (m->at->state_dir.n)
		m->r->spec.quarantine = str_fmt(m->a, "%.*s/quarantine/%.*s", STR_ARG(m->at->state_dir),
				STR_ARG(m->r->id));
}

static void add_git_config(struct spec_builder *m, struct str path)
{
	texts_push(m->a, &m->r->spec.git_configs, path);
}

/* Lists git's configuration outside repositories; it may name files of the workspace. */
static void git_configs(struct spec_builder *m)
{
	m->r->spec.callers_home = m->at->home;
	for (const struct git_file *f = git_config_files(m->a, m->at->home); f; f = f->next)
		add_git_config(m, f->path);
}

/* No box may write keys, or settings that other programs obey, even if a person asks for it. */
static int refuse_guarded(struct place_search *p, const char *option, struct str real, struct err *e)
{
	const char *pattern = world_guarded(&p->memo, real, p->m->at->home);

	return pattern ? err_input(e,
			"%s '%.*s' contains keys or settings (%s) that no box may write; name another "
			"directory", option, STR_ARG(real), pattern) : 0;
}

/* Explains why the work profile has no project. */
static int no_project(struct place_search *p, struct err *e)
{
	enum path_kind kind;
	struct str cwd = path_real(&p->memo, p->m->at->cwd, &kind);

	if (cwd.n && refuse_guarded(p, "the directory", cwd, e) != 0)
		return -1;
	return err_input(e,
			"the work profile needs a project, and '%.*s' is not a project: name a directory "
			"with --workspace",
			STR_ARG(p->m->at->cwd));
}

/* Refuses a link out of a repository or former workspace: a boxed program may have created it. */
static int refuse_link_out(struct place_search *p, const char *option, struct str name, struct str real,
	struct err *e)
{
	const struct view *at = p->m->at;
	struct project_look look = {&p->memo, at->home, at->uid, at->remembered};
	struct project_way way;
	enum path_kind kind;

	if (str_eq(make_absolute(p, name), real))
		return 0;
	way = project_way(&look, make_absolute(p, name));
	if (!way.root.n && (str_eq(way.real, real) || !str_starts(real, "/"))) /* a pipe has no path */
		return 0;
	if (!way.root.n)
		return err_input(e,
				"%s '%.*s' changed while caisson examined it: a link or directory in its "
				"path was replaced",
				option, STR_ARG(name));
	(void)path_real(&p->memo, real, &kind);
	return err_input(e,
			"%s '%.*s' leaves the project '%.*s' through the link '%.*s'; name the %s itself: "
			"'%.*s'",
			option, STR_ARG(name), STR_ARG(way.root), STR_ARG(way.link),
					kind == PATH_DIR ? "directory" : "file",
			STR_ARG(real));
}

int spec_refuse_escape(struct spec_builder *m, const char *option, struct str name, struct str real,
		struct err *e)
{
	struct place_search p = {.m = m};

	path_memo_init(&p.memo, m->a, m->at->cwd);
	return refuse_link_out(&p, option, name, real, e);
}

/*
 * Returns the project of the caller's directory, unless the caller came there through a link out of another
 * project. Only the shell's PWD tells the way; the kernel does not know it.
 */
static int own_project(struct place_search *p, struct str *ret, struct err *e)
{
	const struct run_world *w = p->m->world;
	const struct view *at = p->m->at;
	enum path_kind kind;
	struct str cwd = path_real(&p->memo, at->cwd, &kind), pwd = STR("");

	*ret = at->project;
	if (!ret->n)
		return no_project(p, e);
	if (w->context.pin || path_inside(cwd, *ret))
		return 0;
	for (size_t i = 0; w->environ && w->environ[i]; i++)
		if (!strncmp(w->environ[i], "PWD=/", 5))
			pwd = str_of(w->environ[i] + 4);
	if (pwd.n && refuse_link_out(p, "the directory", pwd, cwd, e) != 0)
		return -1;
	return refuse_link_out(p, "the directory", at->cwd, cwd, e);
}

/* Explains why a judged directory cannot be reopened: inside a box openat2(2) is not available. */
static int not_pinned(const char *what, const char *path, struct err *e)
{
	int why = errno;

	if (why == ENOSYS && box_inside())
		return err_host(e, "this is already a box, and a box cannot contain another");
	if (why == EACCES || why == EPERM || why == ENOSYS || why == ENOMEM || why == EMFILE || why == ENFILE)
		return err_set(e, ERR_SYSTEM, why, "cannot open %s '%s'", what, path);
	return err_input(e,
			"%s '%s' was moved or replaced while caisson examined it; run the command again",
			what,
			path);
}

/* Pins the workspace to this directory, even if its name is reused later. A known identity must match. */
static int pin_workspace(struct place_search *p, struct err *e)
{
	struct spec_builder *m = p->m;
	struct spec *s = &m->r->spec;
	const char *path = str_c(m->a, s->workspace);
	const struct directory *place = m->rq->workspace.given ? m->rq->place : NULL;
	bool elsewhere = place && !str_eq(place->path, s->workspace);
	const struct directory *pin = str_eq(s->workspace, m->at->project) ? m->world->context.pin : NULL;
	struct identity known = place ? place->id : pin ? pin->id : (struct identity){0};
	FD_CLEANUP int fd = elsewhere ? -1 : directory_open_expected(path, known, O_PATH);

	if (elsewhere)
		errno = ESTALE;
	if (fd < 0 || directory_identity(fd, &s->workspace_id) != 0)
		return not_pinned("the workspace", path, e);
	return 0;
}

/*
 * For a linked worktree or a submodule: adds the git directory, without which git does not work. Only if the
 * workspace is the project itself, and the repository knows the working tree.
 */
static void shared_git(struct place_search *p)
{
	struct spec_builder *m = p->m;
	struct spec *s = &m->r->spec;
	struct git_place place;

	if (s->profile != PROFILE_WORK || !str_eq(s->workspace, m->at->project))
		return;
	if (!git_place_find(&p->memo, s->workspace, &place) || !str_eq(place.top, s->workspace))
		return;
	if (!(str_ends(place.common, "/.git") && git_place_linked(&p->memo, &place)) &&
			!git_place_submodule(&p->memo, &place))
		return;
	if (path_inside(place.common, s->workspace) || path_inside(s->workspace, place.common))
		return;
	if (path_inside(m->at->home, place.common) || refuse_own_files(p, "the workspace", place.common,
			NULL) != 0)
		return;
	FD_CLEANUP int fd = directory_open_expected(str_c(m->a, place.common), (struct identity){0}, O_PATH);
	if (fd >= 0 && directory_identity(fd, &s->git_common_id) == 0)
		s->git_common = place.common;
}

static int set_workspace(struct place_search *p, struct err *e)
{
	struct spec_builder *m = p->m;
	struct spec *s = &m->r->spec;
	const struct run_workspace *given = &m->rq->workspace;
	struct str name = given->path;
	struct path_answer at;

	s->workspace_writable = given->writable;
	if (!given->given) {
		if (s->profile != PROFILE_WORK)
			return 0;
		if (own_project(p, &name, e) != 0)
			return -1;
		s->workspace_writable = true;
		name = spec_walls_workspace(m, name, &s->workspace_writable);
	}
	if (look_up(p, "--workspace", name, &at, e) != 0)
		return -1;
	if (at.kind == PATH_LINK)
		return err_input(e,
				"--workspace '%.*s' is a symbolic link; name the directory itself: '%.*s'",
				STR_ARG(name), STR_ARG(at.real));
	if (at.target != PATH_DIR)
		return err_input(e, "--workspace '%.*s' is not a directory", STR_ARG(name));
	if (!project_allowed(&p->memo, at.real, m->at->home))
		return err_input(e,
				"--workspace '%.*s' is a directory of the system, the home directory, or "
				"one above it; name a directory inside", STR_ARG(at.real));
	if (refuse_own_files(p, "--workspace", at.real, e) != 0 ||
			refuse_guarded(p, "--workspace", at.real, e) != 0 ||
			refuse_link_out(p, "--workspace", name, at.real, e) != 0)
		return -1;
	s->workspace = at.real;
	if (s->workspace_writable) {
		protect_all(m);
		git_configs(m);
		shared_git(p);
	}
	return pin_workspace(p, e);
}

/* ---- further paths ---- */

/* Keeps the list sorted: a path comes after its parents. */
struct spec_path *spec_add_path(struct spec_builder *m, struct str real, struct str at, bool writable)
{
	struct spec_path **to = &m->r->spec.paths, *p = arena_copy(m->a,
			(struct spec_path){.path = real, .at = str_eq(real, at) ? STR("") : at,
			.writable = writable});
	while (*to && str_cmp(spec_path_target(*to), spec_path_target(p)) <= 0)
		to = &(*to)->next;
	p->next = *to;
	*to = p;
	return p;
}

/* Refuses a path that no box may have, whoever names it. */
static int refuse_extra(struct place_search *p, const char *option, struct str name,
		const struct path_answer *at, bool writable, struct err *e)
{
	static const char never[][8] = {"/proc", "/sys", "/dev", "/run"};

	for (size_t i = 0; i < ARRAY_SIZE(never); i++)
		if (path_inside(at->real, str_of(never[i])) &&
				!(writable && path_inside(at->real, STR("/dev/shm"))))
			return err_input(e, "%s '%.*s': %s can never be shown in a box",
					option, STR_ARG(name), never[i]);
	if (at->target != PATH_DIR && at->target != PATH_FILE)
		return err_input(e, "%s '%.*s' is neither a file nor a directory", option, STR_ARG(name));
	if (at->real.n < 2 || path_inside(p->m->at->home, at->real) ||
			(writable && !project_allowed(&p->memo, at->real, p->m->at->home)))
		return err_input(e,
				"%s '%.*s' is %s the home directory, or one above it; name something inside",
				option, STR_ARG(name), writable ? "a place of the system," : "the root,");
	if (refuse_own_files(p, option, at->real, e) != 0 ||
			(writable && refuse_guarded(p, option, at->real, e) != 0))
		return -1;
	return refuse_link_out(p, option, name, at->real, e);
}

static int extra_paths(struct place_search *p, const char *option, const struct texts *names, bool writable,
	struct err *e)
{
	for (; names; names = names->next) {
		struct path_answer at;

		if (look_up(p, option, names->text, &at, e) != 0 ||
				refuse_extra(p, option, names->text, &at, writable, e) != 0)
			return -1;
		spec_add_path(p->m, at.real, at.real, writable);
	}
	return 0;
}

/* ---- paths of the policy ---- */

void spec_note_path(struct spec_builder *m, struct str note)
{
	texts_add(m->a, &m->r->path_notes, note);
}

/*
 * A policy holds for all runs, so it is refused more than an option: keys, and repositories that could be
 * written, since only a workspace has protected names.
 */
static int refuse_standing(struct place_search *p, const char *key, struct str name, struct str real,
		bool writable, struct err *e)
{
	const char *keys = world_keys(&p->memo, real, p->m->at->home);
	enum path_kind kind;

	if (keys)
		return err_input(e, "%s '%.*s' contains keys or other secrets (%s); name another "
				"path in your policy", key, STR_ARG(name), keys);
	(void)path_real(&p->memo, str_path(p->m->a, real, STR(".git")), &kind);
	return !writable || kind == PATH_ABSENT ? 0 : err_input(e,
			"%s '%.*s' is a git repository, whose hooks a program in a box could change; name a "
			"directory inside", key, STR_ARG(name));
}

static bool is_added(const struct spec_builder *m, struct str real)
{
	for (const struct spec_path *p = m->r->spec.paths; p; p = p->next)
		if (str_eq(spec_path_target(p), real))
			return true;
	return false;
}

/* ret->real is empty if there is no such path. ERR_CONFIG if no box may have it: only a person can help. */
static int look_up_standing(struct place_search *p, const char *key, struct str text, bool writable,
		struct path_answer *ret, struct err *e)
{
	struct str name = world_expand(p->m->a, p->m->at, text);

	path_look(&p->memo, name, ret);
	if (!name.n || !ret->real.n || ret->target == PATH_ABSENT || ret->target == PATH_UNREADABLE) {
		ret->real = STR("");
		return 0;
	}
	if (refuse_extra(p, key, name, ret, writable, e) == 0 &&
			refuse_standing(p, key, text, ret->real, writable, e) == 0)
		return 0;
	if (e)
		e->kind = ERR_CONFIG;
	return -1;
}

/* The same policy holds on several machines and in several projects: a missing path is only noted. */
static int policy_path(struct place_search *p, const char *key, struct str text, bool writable,
		struct err *e)
{
	struct path_answer at;

	if (look_up_standing(p, key, text, writable, &at, e) != 0)
		return -1;
	if (!at.real.n)
		spec_note_path(p->m, str_fmt(p->m->a, "%s '%.*s' %s", key, STR_ARG(text),
				at.target == PATH_UNREADABLE ? "cannot be reached" : "does not exist"));
	else if (!is_added(p->m, at.real)) /* the command line holds */
		spec_add_path(p->m, at.real, at.real, writable && spec_walls_may_write(p->m, at.real));
	return 0;
}

int run_policy_path(struct arena *a, const struct run_world *world, const char *key, struct str text,
		bool writable, struct err *e)
{
	struct spec_builder m = {.a = a, .world = world, .at = world->context.view};
	struct place_search p = {.m = &m};
	struct path_answer at;

	path_memo_init(&p.memo, a, m.at->cwd);
	return look_up_standing(&p, key, text, writable, &at, e);
}

static int policy_paths(struct place_search *p, struct err *e)
{
	const struct sandbox *s = &p->m->p->own.sandbox;

	if (p->m->r->spec.profile != PROFILE_WORK)
		return 0;
	for (const struct texts *t = s->write; t; t = t->next)
		if (policy_path(p, "sandbox.write", t->text, true, e) != 0)
			return -1;
	for (const struct texts *t = s->read; t; t = t->next)
		if (policy_path(p, "sandbox.read", t->text, false, e) != 0)
			return -1;
	return 0;
}

/* ---- working directory, root ---- */

/*
 * Looks up an image, which becomes the root. It is below the state, which no other path of a box may be.
 */
static int set_image(struct place_search *p, struct str name, struct err *e)
{
	struct spec_builder *m = p->m;
	struct image_store store = {.uid = m->at->uid};
	struct image image;

	if (state_check(m->a, m->at->state_dir, STR(""), m->at->uid, &store.state, e) != 0 ||
			image_find(m->a, &store, name, &image, e) != 0)
		return -1;
	m->r->spec.root = image.root;
	m->r->spec.image = image.digest;
	m->r->image_name = name;
	return 0;
}

/* The image of the request, else of the skill, else of the policy. */
static int choose_image(struct place_search *p, struct err *e)
{
	struct spec_builder *m = p->m;
	const struct skill *skill = m->rq->skilled;
	struct err why = {0};

	if (m->rq->image)
		return !strcmp(m->rq->image, IMAGE_NONE) ? 0 : set_image(p, str_of(m->rq->image), e);
	if (skill && skill->image.n)
		return set_image(p, skill->image, &why) == 0
				? 0
				: err_wrap(e, &why, str_c(m->a, skill->name));
	if (!m->p->own.sandbox.image.n || str_is(m->p->own.sandbox.image, IMAGE_NONE) ||
			set_image(p, m->p->own.sandbox.image, &why) == 0)
		return 0;
	return err_config(e, "sandbox.image: %s", why.text);
}

static int set_root(struct place_search *p, struct err *e)
{
	const char *name = p->m->rq->root;
	struct path_answer at;

	if (!name)
		return choose_image(p, e);
	if (p->m->rq->image)
		return err_input(e, "use either --root or --image");
	if (look_up(p, "--root", str_of(name), &at, e) != 0)
		return -1;
	if (at.target != PATH_DIR)
		return err_input(e, "--root '%s' is not a directory", name);
	if (at.real.n < 2 || path_inside(p->m->at->home, at.real))
		return err_input(e,
				"--root '%s' is the system's own root, the home directory, or one above it",
				name);
	if (refuse_own_files(p, "--root", at.real, e) != 0 ||
			refuse_link_out(p, "--root", str_of(name), at.real, e) != 0)
		return -1;
	p->m->r->spec.root = at.real;
	return 0;
}

/* Pins a directory of the workspace; the identity from a ticket must match. */
static int pin_cwd(struct place_search *p, struct str real, struct identity expected, struct err *e)
{
	struct spec_builder *m = p->m;
	struct spec *s = &m->r->spec;
	const char *path = str_c(m->a, real);
	FD_CLEANUP int fd = directory_open_expected(path, expected, O_PATH);

	if (fd < 0 || directory_identity(fd, &s->cwd_id) != 0)
		return not_pinned("the directory", path, e);
	s->cwd = real;
	return 0;
}

static int set_directory(struct place_search *p, struct err *e)
{
	struct spec_builder *m = p->m;
	struct spec *s = &m->r->spec;
	enum path_kind kind;
	struct str real;

	if (!m->rq->cwd) {
		real = path_real(&p->memo, m->at->cwd, &kind);
		return path_inside(real, s->workspace) ||
				(m->rq->walls && path_inside(real, m->at->project)) ?
				pin_cwd(p, real, m->world->context.cwd_id, e) : 0;
	}
	if (!m->rq->cwd[0])
		return err_input(e, "--cwd needs a name");
	real = path_real(&p->memo, make_absolute(p, str_of(m->rq->cwd)), &kind);
	if (path_inside(real, s->workspace) && kind != PATH_DIR)
		return err_input(e, "--cwd '%s' is not a directory of the workspace", m->rq->cwd);
	if (path_inside(real, s->workspace))
		return pin_cwd(p, real, (struct identity){0}, e);
	if (path_inside(make_absolute(p, str_of(m->rq->cwd)), s->workspace))
		return err_input(e, "--cwd '%s' leads out of the workspace '%.*s' through a link",
				m->rq->cwd,
				STR_ARG(s->workspace));
	s->cwd = make_absolute(p, str_of(m->rq->cwd));
	return 0;
}

int spec_build_places(struct spec_builder *m, struct err *e)
{
	struct place_search p = {.m = m};

	path_memo_init(&p.memo, m->a, m->at->cwd);
	path_memo_trust(&p.memo, m->at->cwd);
	if (set_root(&p, e) != 0 || set_workspace(&p, e) != 0 ||
			extra_paths(&p, "--read", m->rq->read, false, e) != 0 ||
			extra_paths(&p, "--write", m->rq->write, true, e) != 0 || policy_paths(&p, e) != 0)
		return -1;
	spec_build_home(m, &p.memo);
	spec_build_sockets(m, &p.memo);
	spec_walls_close(m);
	spec_build_tmp(m);
	return set_directory(&p, e);
}
