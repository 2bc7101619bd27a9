/*
 * Which policies are in force: the system's, the user's, and the project's. A project's file counts for as much as the user's only when the
 * user trusted exactly this content; else it is judged by itself. Any file that exists and does not load is an error.
 */
#include <errno.h>

#include "config/config.h"
#include "config/trust.h"
#include "engine/world.h"
#include "gate/gate.h"
#include "sys/file.h"
#include "sys/secure.h"
#include "sys/state.h"

#define SOURCES_MAX (2 * FENCEPOST_FILES_MAX + 8)

struct sources {
	struct config_source at[SOURCES_MAX];
	size_t n;
};

struct loader {
	struct arena *a;
	struct view v;
	struct state_paths paths;
	struct str trust; /* the store's text */
	bool trust_read;
	struct sources own, project;
};

void policies_of(const struct policy *p, struct policies *ret)
{
	*ret = (struct policies){.own = *p, .digest = p->digest};
}

void policies_default(struct policies *ret)
{
	struct policy p;

	config_default(&p);
	policies_of(&p, ret);
}

static int add(struct sources *s, struct str name, struct str bytes, enum config_dialect dialect, enum config_who who, struct err *e)
{
	if (s->n == SOURCES_MAX)
		return err_set(e, ERR_LIMIT, 0, "more than %d policy files", SOURCES_MAX);
	s->at[s->n++] = (struct config_source){.name = name, .bytes = bytes, .dialect = dialect, .who = who, .base = path_parent(name)};
	return 0;
}

/* A file of the user's or the system's; one that is not there is none. */
static int add_secure(struct loader *l, struct str path, enum config_dialect dialect, enum config_who who, struct err *e)
{
	struct str bytes;
	struct err own = {0};

	if (!path.n)
		return 0;
	if (secure_read(l->a, path, ENGINE_CONFIG_MAX, l->v.uid, &bytes, &own) == 0)
		return add(&l->own, path, bytes, dialect, who, e);
	if (own.kind == ERR_SYSTEM && own.errnum == ENOENT)
		return 0;
	*e = own;
	return -1;
}

static int trusted(struct loader *l, struct str path, struct str bytes, bool *ret, struct err *e)
{
	if (!l->trust_read && l->paths.trust_store.n && trust_load(l->a, l->paths.trust_store, l->v.uid, &l->trust, e) != 0)
		return -1;
	l->trust_read = true;
	return trust_is(l->a, l->trust, path, config_digest(l->a, bytes), ret, e);
}

static int add_project(struct loader *l, struct str path, enum config_dialect dialect, struct err *e)
{
	struct str bytes;
	struct err own = {0};
	bool is_trusted = false;

	if (secure_read_project(l->a, l->v.project, path, ENGINE_CONFIG_MAX, &bytes, &own) != 0) {
		if (own.kind == ERR_SYSTEM && own.errnum == ENOENT)
			return 0;
		*e = own;
		return -1;
	}
	if (trusted(l, path, bytes, &is_trusted, e) != 0)
		return -1;
	return is_trusted ? add(&l->own, path, bytes, dialect, WHO_TRUSTED, e) : add(&l->project, path, bytes, dialect, WHO_ANYONE, e);
}

static int add_fencepost(struct loader *l, struct str base, bool project, struct err *e)
{
	struct texts *files = NULL;

	if (!base.n)
		return 0;
	if (fencepost_files(l->a, base, &files, e) != 0)
		return -1;
	for (; files; files = files->next)
		if (project ? add_project(l, files->text, CONFIG_FENCEPOST, e) != 0 : add_secure(l, files->text, CONFIG_FENCEPOST, WHO_OWNER, e) != 0)
			return -1;
	return 0;
}

static int add_given(struct loader *l, const char *path, struct err *e)
{
	struct str bytes, name = str_of(path);
	bool fencepost = str_ends(name, "fencepost.yaml");

	if (file_read(l->a, path, ENGINE_CONFIG_MAX, &bytes, NULL, e) != 0)
		return -1;
	return add(&l->own, name, bytes, fencepost ? CONFIG_FENCEPOST : CONFIG_CAISSON, WHO_OWNER, e);
}

static int gather(struct loader *l, const struct policies_request *rq, struct err *e)
{
	if (!rq->alone && add_secure(l, l->paths.system_policy, CONFIG_CAISSON, WHO_SYSTEM, e) != 0)
		return -1;
	if (rq->config && add_given(l, rq->config, e) != 0)
		return -1;
	if (rq->alone)
		return 0;
	if (!rq->config && (add_secure(l, l->paths.user_policy, CONFIG_CAISSON, WHO_OWNER, e) != 0 || add_fencepost(l, l->v.home, false, e) != 0))
		return -1;
	if (!l->v.project.n)
		return 0;
	return add_project(l, l->paths.project_policy, CONFIG_CAISSON, e) != 0 || add_fencepost(l, l->v.project, true, e) != 0 ? -1 : 0;
}

struct whole {
	struct arena *a;
	const struct policies_request *rq;
	struct policies *ret;
	struct err *e;
	int result;
};

static int load_all(void *arg)
{
	struct whole *w = arg;
	struct loader *l = arena_new(w->a, struct loader);
	const struct state_env env = state_env();
	struct engine_request rq = {.cwd = w->rq->cwd, .home = w->rq->home};
	struct config_note *more = NULL;

	*l = (struct loader){.a = w->a, .trust = STR("")};
	world_view(w->a, &rq, NULL, &l->v);
	state_paths(w->a, &env, l->v.home, l->v.project, &l->paths);
	w->result = -1;
	if (gather(l, w->rq, w->e) != 0)
		return 0;
	policies_default(w->ret);
	w->ret->root = l->v.project;
	if (l->own.n && (config_load(w->a, l->own.at, l->own.n, &w->ret->own, &w->ret->notes, w->e) != 0 || gate_verify(&w->ret->own, w->e) != 0))
		return 0;
	w->ret->digest = w->ret->own.digest;
	if (l->project.n) {
		if (config_load(w->a, l->project.at, l->project.n, &w->ret->project, &more, w->e) != 0 || gate_verify(&w->ret->project, w->e) != 0)
			return 0;
		w->ret->apart = w->ret->project.silent = true;
		w->ret->digest = config_digest(w->a, str_cat(w->a, w->ret->digest, w->ret->project.digest));
	}
	w->result = 0;
	return 0;
}

int policies_load(struct arena *a, const struct policies_request *rq, struct policies *ret, struct err *e)
{
	struct err ignored;
	struct policies p = {0};
	struct whole w = {.a = a, .rq = rq, .ret = &p, .e = e ? e : &ignored};

	if (arena_run(a, load_all, &w) < 0)
		return err_set(e, ERR_LIMIT, 0, "the policy files need too much memory");
	if (w.result == 0)
		*ret = p;
	return w.result;
}
