/*
 * Finds and loads the policies in force: the system's, the user's and the project's. A project's file has the
 * user's rights only if the user trusted exactly this content; else it is judged separately. Any file that
 * exists and does not load is an error. With client_settings, the permission rules of the client's own
 * settings are added under the same rule.
 */
#include "base/num.h"
#include "config/config.h"
#include "config/settings_json.h"
#include "config/trust.h"
#include "gate/gate.h"
#include "judge/world.h"
#include "sys/file.h"
#include "sys/project.h"
#include "sys/secure.h"
#include "sys/state.h"
#include "sys/user.h"

#define QUOTE_MAX 80 /* quoted bytes of a line in a message */
#define MANAGED_SETTINGS "/etc/claude-code/managed-settings.json"

struct loader {
	struct arena *a;
	const struct policies_request *rq;
	struct view v;
	struct path_memo *memo;
	struct state_paths paths;
	struct str trust; /* content of the trust store */
	bool trust_read;
	struct policy_file *files, **end;
	struct policy_source *sources;
	struct str around; /* load_some() takes files of this enclosing root; empty: all other files */
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

/* ---- finding the files ---- */

static struct policy_file *add_file(struct loader *l, struct str path, enum policy_kind kind,
		enum config_who who)
{
	struct policy_file *f = arena_copy(l->a, (struct policy_file){.path = path, .kind = kind, .who = who,
			.base = path_parent(path)});

	LIST_ADD(l->end, f);
	return f;
}

static void note_failure(struct loader *l, struct policy_file *f, const struct err *why)
{
	f->err = arena_new(l->a, struct err);
	*f->err = *why;
}

/*
 * Records a file that the policies depend on, if they are kept. Call it before reading: a change during the
 * read then shows as a different stamp.
 */
static void note_source(struct loader *l, struct str path)
{
	struct policy_source *s;

	if (!l->rq->keep)
		return;
	s = arena_copy(l->a, (struct policy_source){.next = l->sources,
			.path = str_c(l->a, path)});

	stamp_take(s->path, &s->stamp);
	l->sources = s;
}

static bool lies_in(struct str path, struct str base, const char *folder)
{
	return path.n >= base.n && !memcmp(path.p, base.p, base.n) &&
			str_starts(str_from(path, base.n), folder);
}

/*
 * A file counts as the user's because of its location, which HOME and XDG_CONFIG_HOME determine. A project
 * can set both through the client's settings. So a location inside the project that only these variables name
 * belongs to the project. The search for the project uses the home directory of the passwd entry, because a
 * HOME inside the project would hide the project.
 */
static bool is_planted(struct loader *l, struct str path, struct err *e)
{
	struct project_look look = {.m = l->memo, .uid = l->v.uid, .known = l->v.remembered};
	struct user self = {.entry = l->v.entry_home};
	enum path_kind kind;
	struct str project;

	if (!l->v.cwd.n || (!l->v.has_entry && user_self(l->a, NULL, NULL, &self, NULL) != 0))
		return false;
	if (self.entry.n && (lies_in(path, self.entry, "/.config/caisson/") ||
			lies_in(path, self.entry, "/.claude/")))
		return false; /* the standard location, whatever the project is */
	look.home = self.entry;
	project = project_find(&look, l->v.cwd);
	if (!project.n || !path_inside(path_real(l->memo, path, &kind), project))
		return false;
	err_config(e,
			"'%.*s' is inside the project '%.*s', whose commands could change it; set HOME or "
			"XDG_CONFIG_HOME to another place", STR_ARG(path), STR_ARG(project));
	return true;
}

/* Adds a file of the user's or the system's, if it exists. */
static void add_secure(struct loader *l, struct str path, enum policy_kind kind, enum config_who who)
{
	struct str bytes = STR("");
	struct policy_file *f;
	struct err why = {0};
	int rc = SECURE_ABSENT;

	if (path.n) {
		note_source(l, path);
		rc = secure_read_known(l->memo, path, ENGINE_CONFIG_MAX, l->v.uid, &bytes, &why);
	}
	if (rc == SECURE_ABSENT)
		return;
	f = add_file(l, path, kind, who);
	f->bytes = bytes;
	if (rc != 0 || (who == WHO_OWNER && is_planted(l, path, &why)))
		note_failure(l, f, &why);
}

/*
 * A trust store with content must lie where the project's commands cannot write it, or a project could trust
 * itself. A missing store trusts nothing, wherever it would lie.
 */
static int read_trust(struct loader *l, struct err *e)
{
	struct str dir;

	l->trust_read = true;
	if (!l->paths.trust_store.n)
		return 0;
	note_source(l, l->paths.trust_store);
	if (trust_load(l->a, l->paths.trust_store, l->v.uid, &l->trust, e) != 0)
		return -1;
	return l->trust.n ? state_check(l->a, l->paths.state_dir, l->v.project, l->v.uid, &dir, e) : 0;
}

static int look_up_trust(struct loader *l, struct str path, struct str bytes, bool *ret, struct err *e)
{
	if (!l->trust_read && read_trust(l, e) != 0)
		return -1;
	return trust_is(l->a, l->trust, path, config_digest(l->a, bytes), ret, e);
}

/*
 * A project around this one can only be stricter, even if it is trusted: the user did not trust it with this
 * project.
 */
static void add_project(struct loader *l, struct str root, struct str path, enum policy_kind kind)
{
	struct str bytes = STR("");
	struct policy_file *f;
	struct err why = {0};
	bool is_trusted = false;
	int rc;

	note_source(l, path);
	rc = secure_read_project(l->memo, root, path, ENGINE_CONFIG_MAX, &bytes, &why);
	if (rc == SECURE_ABSENT)
		return;
	f = add_file(l, path, kind, WHO_ANYONE);
	f->project = true;
	f->bytes = bytes;
	f->unread = rc != 0;
	if (kind == POLICY_SETTINGS)
		f->base = root;
	if (!str_eq(root, l->v.project))
		f->around = root;
	if (rc != 0 || (!f->around.n && look_up_trust(l, path, bytes, &is_trusted, &why) != 0))
		note_failure(l, f, &why);
	else if (is_trusted)
		f->who = WHO_TRUSTED;
}

static int add_fencepost(struct loader *l, struct str base, bool project, struct err *e)
{
	struct str folder = str_path(l->a, base, STR(".claude"));
	struct texts *files = NULL;
	enum path_kind kind;

	if (!base.n)
		return 0;
	note_source(l, folder);
	path_real(l->memo, folder, &kind);
	if (kind == PATH_ABSENT)
		return 0;
	note_source(l, str_path(l->a, base, STR(FENCEPOST_FOLDER)));
	note_source(l, str_path(l->a, base, STR(FENCEPOST_FILE)));
	if (fencepost_files(l->memo, base, &files, e) != 0)
		return -1;
	for (; files; files = files->next) {
		if (project)
			add_project(l, base, files->text, POLICY_FENCEPOST);
		else
			add_secure(l, files->text, POLICY_FENCEPOST, WHO_OWNER);
	}
	return 0;
}

static enum policy_kind kind_of(struct str name)
{
	if (str_ends(name, "settings.json") || str_ends(name, "settings.local.json"))
		return POLICY_SETTINGS;
	return str_ends(name, "fencepost.yaml") ? POLICY_FENCEPOST : POLICY_CAISSON;
}

static void add_given(struct loader *l, const char *path)
{
	struct str name = str_of(path);
	struct policy_file *f = add_file(l, name, kind_of(name),
			str_is(name, STATE_SYSTEM_POLICY) ? WHO_SYSTEM : WHO_OWNER);
	struct err why = {0};

	note_source(l, name);
	if (file_read(l->a, path, ENGINE_CONFIG_MAX, &f->bytes, NULL, &why) != 0)
		note_failure(l, f, &why);
}

/* A nested repository is also part of the outer one: `git init` must not get rid of the outer rules. */
static int gather_around(struct loader *l, struct err *e)
{
	struct project_look look = world_look(l->memo, &l->v);

	for (const struct texts *t = project_enclosing(&look, l->v.project); t; t = t->next) {
		add_project(l, t->text, str_fmt(l->a, "%.*s/.caisson.yaml", STR_ARG(t->text)),
				POLICY_CAISSON);
		if (add_fencepost(l, t->text, true, e) != 0)
			return -1;
	}
	return 0;
}

static int gather_files(struct loader *l, struct err *e)
{
	if (!l->rq->alone)
		add_secure(l, l->paths.system_policy, POLICY_CAISSON, WHO_SYSTEM);
	if (l->rq->extra.n)
		add_file(l, l->rq->extra_name, POLICY_CAISSON, WHO_TRUSTED)->bytes = l->rq->extra;
	if (l->rq->hosts.n)
		add_file(l, STR("--network"), POLICY_CAISSON, WHO_OWNER)->bytes = l->rq->hosts;
	if (l->rq->config)
		add_given(l, l->rq->config);
	if (l->rq->alone)
		return 0;
	if (!l->rq->config) {
		add_secure(l, l->paths.user_policy, POLICY_CAISSON, WHO_OWNER);
		if (add_fencepost(l, l->v.home, false, e) != 0)
			return -1;
	}
	if (!l->v.project.n)
		return 0;
	add_project(l, l->v.project, l->paths.project_policy, POLICY_CAISSON);
	return add_fencepost(l, l->v.project, true, e) == 0 ? gather_around(l, e) : -1;
}

/* Adds the client's own settings files, if the policy or the caller asks for them. */
static void gather_settings(struct loader *l)
{
	add_secure(l, STR(MANAGED_SETTINGS), POLICY_SETTINGS, WHO_SYSTEM);
	if (l->v.home.n)
		add_secure(l, str_fmt(l->a, "%.*s/.claude/settings.json", STR_ARG(l->v.home)),
				POLICY_SETTINGS, WHO_OWNER);
	if (!l->v.project.n)
		return;
	add_project(l, l->v.project, str_fmt(l->a, "%.*s/.claude/settings.json", STR_ARG(l->v.project)),
			POLICY_SETTINGS);
	add_project(l, l->v.project, str_fmt(l->a, "%.*s/.claude/settings.local.json", STR_ARG(l->v.project)),
			POLICY_SETTINGS);
}

/* ---- from files to policies ---- */

/*
 * Returns the name of a file for messages. In the folder form the project chooses the file names, and the
 * model reads messages, so names of an untrusted project are left out.
 */
static struct str shown_name(struct arena *a, const struct policy_file *f)
{
	if (f->who != WHO_ANYONE || !str_ends(path_parent(f->path), "/.claude/fencepost/config"))
		return f->path;
	return str_cat(a, path_parent(f->path), STR("/*.yaml"));
}

/* A link's target is text of the project's choice, too, so an untrusted project's error is not shown. */
static int check_read(struct loader *l, struct err *e)
{
	for (const struct policy_file *f = l->files; f; f = f->next)
		if (f->err && f->unread && f->who == WHO_ANYONE) {
			return err_set(e, f->err->kind, 0,
					"%.*s: the project's policy cannot be read; caisson config verify "
					"says why", STR_ARG(shown_name(l->a, f)));
		} else if (f->err) {
			*e = *f->err;
			return -1;
		}
	return 0;
}

/* The gate's error names file and line of an unknown check; this adds the column and quotes the line. */
static int point_at(const struct policy_file *f, struct str message, struct err *e)
{
	size_t digits = 0, from = 0, line = 0, column = 0;
	ptrdiff_t quote = str_find(message, '\'', 0),
			end = quote < 0 ? -1 : str_find(message, '\'', (size_t)quote + 1);
	struct str id = end < 0 ? STR("") : str_sub(message, (size_t)quote + 1, (size_t)end), text;
	int64_t want;

	while (digits < message.n && ascii_is_digit(message.p[digits]))
		digits++;
	if (num_parse(str_first(message, digits), 1, INT32_MAX, &want) != 0)
		want = 1;
	while (++line < (size_t)want && str_find(f->bytes, '\n', from) >= 0)
		from = (size_t)str_find(f->bytes, '\n', from) + 1;
	text = str_sub(f->bytes, from, str_find(f->bytes, '\n', from) < 0 ? f->bytes.n :
			(size_t)str_find(f->bytes, '\n', from));
	while (column + id.n < text.n && !str_eq(str_sub(text, column, column + id.n), id))
		column++;
	text.n = text.n < QUOTE_MAX ? text.n : QUOTE_MAX;
	return err_config(e, "%.*s:%.*s:%zu%.*s: '%.*s'", STR_ARG(f->path), (int)digits,
			message.p, column + 1, STR_ARG(str_from(message, digits)), STR_ARG(text));
}

static int verify_checks(const struct policy *p, const struct policy_file *f, struct err *e)
{
	struct err why = {0};

	if (gate_verify(p, &why) == 0)
		return 0;
	for (; f; f = f->next)
		if (str_of(why.text).n > f->path.n && !memcmp(why.text, f->path.p, f->path.n) &&
				why.text[f->path.n] == ':')
			return point_at(f, str_of(why.text + f->path.n + 1), e);
	return err_set(e, why.kind, 0, "%s", why.text);
}

/* Merges the YAML files from `least` to `most` into one policy. *ret_n is their number. */
static int load_some(struct loader *l, enum config_who least, enum config_who most, struct policy *ret,
		struct config_note **notes, size_t *ret_n, struct err *e)
{
	struct config_source *src;
	size_t n = 0;

	for (const struct policy_file *f = l->files; f; f = f->next)
		n++;
	src = arena_array(l->a, n + 1, sizeof(*src));
	n = 0;
	for (const struct policy_file *f = l->files; f; f = f->next)
		if (f->kind != POLICY_SETTINGS && f->who >= least && f->who <= most &&
				str_eq(f->around, l->around))
			src[n++] = (struct config_source){shown_name(l->a, f), f->bytes,
					f->kind == POLICY_FENCEPOST ? CONFIG_FENCEPOST : CONFIG_CAISSON,
					f->who, f->base};
	*ret_n = n;
	if (!n)
		return 0;
	while (*notes)
		notes = &(*notes)->next;
	return config_load(l->a, src, n, ret, notes, e) != 0 || verify_checks(ret, l->files, e) != 0 ? -1 : 0;
}

/*
 * Reduces an error in an untrusted project's file to its place: the model reads the message, and the quoted
 * line could be written for it. `caisson config verify` shows the whole error to a person.
 */
static int hide_project_text(struct loader *l, struct err *e)
{
	struct str text = str_dup(l->a, str_of(e->text));

	for (const struct policy_file *f = l->files; f; f = f->next) {
		struct str name = shown_name(l->a, f);
		size_t n = name.n;

		if (f->who != WHO_ANYONE || text.n < n || memcmp(text.p, name.p, n) != 0)
			continue;
		while (n < text.n && strchr(":0123456789", text.p[n]))
			n++;
		while (n > name.n && text.p[n - 1] == ':')
			n--;
		return err_set(e, e->kind, 0,
				"%.*s: the project's policy does not load; caisson config verify says why",
				(int)n, text.p);
	}
	return err_set(e, e->kind, 0, "the project's policy does not load; caisson config verify says why");
}

/*
 * Adds a client's settings file to the policy. A project's file never sets the mode, which only the user may
 * set. An untrusted file adds only its deny and ask rules.
 */
static int load_settings(struct loader *l, const struct policy_file *f, struct policy *p, struct err *e)
{
	struct permission_rule *allow = p->permission_allow;
	enum mode mode = p->mode;

	if (settings_load(l->a, f->path, f->bytes, f->base, p, e) != 0)
		return -1;
	if (f->project)
		p->mode = mode;
	if (f->who == WHO_ANYONE)
		p->permission_allow = allow;
	p->digest = config_digest(l->a, str_cat(l->a, p->digest, config_digest(l->a, f->bytes)));
	return 0;
}

static int load_all_settings(struct loader *l, struct policies *ret, struct err *e)
{
	struct policies none;

	policies_default(&none);
	for (const struct policy_file *f = l->files; f; f = f->next) {
		struct policy *p = f->who == WHO_ANYONE ? &ret->project : &ret->own;

		if (f->kind != POLICY_SETTINGS)
			continue;
		if (p == &ret->project && !ret->apart)
			*p = none.own;
		if (load_settings(l, f, p, e) != 0)
			return p == &ret->project ? hide_project_text(l, e) : -1;
		if (p == &ret->project)
			ret->apart |= p->permission_deny || p->permission_ask;
	}
	return 0;
}

static int forbid_lifting(struct loader *l, struct policy *own, struct err *e)
{
	struct policies system;
	struct config_note *notes = NULL;
	size_t n;

	policies_default(&system);
	if (load_some(l, WHO_SYSTEM, WHO_SYSTEM, &system.own, &notes, &n, e) != 0)
		return -1;
	for (const struct policy_file *f = l->files; f; f = f->next)
		if (f->kind == POLICY_SETTINGS && f->who == WHO_SYSTEM && load_settings(l, f, &system.own,
				e) != 0)
			return -1;
	policy_lock_apply(own, &system.own);
	return 0;
}

/* Loads each enclosing project separately: an allow of one must not make another milder. */
static int load_around(struct loader *l, bool given, struct policies *ret, struct err *e)
{
	struct policy_around **end = &ret->around;
	int rc = 0;
	size_t n;

	for (const struct policy_file *f = l->files; f && rc == 0; f = f->next) {
		if (!f->around.n || str_eq(f->around, l->around))
			continue;
		*end = arena_new(l->a, struct policy_around);
		(*end)->root = l->around = f->around;
		if (load_some(l, WHO_ANYONE, WHO_ANYONE, &(*end)->policy, &ret->notes, &n, e) != 0 ||
		    (!given && policies_examples(l->rq, &(*end)->policy, e) != 0))
			rc = hide_project_text(l, e);
		(*end)->policy.silent = true;
		ret->digest = config_digest(l->a, str_cat(l->a, ret->digest, (*end)->policy.digest));
		end = &(*end)->next;
	}
	l->around = STR("");
	return rc;
}

/* `given`: the files are already loaded, and their examples were tried when they came into force. */
static int load_files(struct loader *l, bool given, struct policies *ret, struct err *e)
{
	size_t n;

	policies_default(ret);
	ret->root = l->v.project;
	if ((!given && gather_files(l, e) != 0) || check_read(l, e) != 0 ||
			load_some(l, WHO_TRUSTED, WHO_SYSTEM, &ret->own, &ret->notes, &n, e) != 0)
		return -1;
	if (load_some(l, WHO_ANYONE, WHO_ANYONE, &ret->project, &ret->notes, &n, e) != 0)
		return hide_project_text(l, e);
	ret->apart = n > 0;
	if ((ret->own.client_settings || l->rq->settings) && !l->rq->alone && !given)
		gather_settings(l);
	if (check_read(l, e) != 0 || load_all_settings(l, ret, e) != 0)
		return -1;
	if (!given && policies_examples(l->rq, &ret->own, e) != 0) /* before forbid_lifting() removes rules */
		return -1;
	if (ret->own.no_lifting && forbid_lifting(l, &ret->own, e) != 0)
		return -1;
	ret->files = l->files;
	ret->project.silent = true;
	ret->digest = ret->apart ? config_digest(l->a, str_cat(l->a, ret->own.digest, ret->project.digest)) :
			ret->own.digest;
	if (load_around(l, given, ret, e) != 0)
		return -1;
	return ret->apart && !given && policies_examples(l->rq, &ret->project, e) != 0 ? hide_project_text(l,
			e) : 0;
}

static int load_policies(struct loader *l, struct policies *ret, struct err *e)
{
	return load_files(l, false, ret, e);
}
static int load_given(struct loader *l, struct policies *ret, struct err *e)
{
	return load_files(l, true, ret, e);
}

/* Lists the files. A file that does not load is left to the reader of the list. */
static int list_files(struct loader *l, struct policies *ret, struct err *e)
{
	struct policy own = {0};
	struct config_note *notes = NULL;
	size_t n;

	if (gather_files(l, e) != 0)
		return -1;
	if (!l->rq->alone && check_read(l, &(struct err){0}) == 0 && load_some(l, WHO_TRUSTED, WHO_SYSTEM,
			&own, &notes, &n, NULL) == 0 && own.client_settings)
		gather_settings(l);
	ret->root = l->v.project;
	ret->files = l->files;
	return 0;
}

struct policies_job {
	struct arena *a;
	const struct policies_request *rq;
	struct policy_file *files; /* given files; NULL: search for them */
	struct str root;
	int (*work)(struct loader *l, struct policies *ret, struct err *e);
	struct policies *ret;
	struct err *e;
	int result;
};

/* Policy files are looked up with the view's stat cache. */
static void take_memo(struct loader *l)
{
	l->memo = l->v.memo;
	if (l->memo)
		return;
	l->memo = arena_new(l->a, struct path_memo);
	path_memo_init(l->memo, l->a, l->v.cwd);
}

static int run_loader(void *arg)
{
	struct policies_job *w = arg;
	struct loader *l = arena_new(w->a, struct loader);
	const struct state_env env = state_env();
	const struct context *at = context_or_own(w->rq->context);

	*l = (struct loader){.a = w->a, .rq = w->rq, .trust = STR(""), .around = STR(""), .files = w->files,
			.end = &l->files};
	if (w->work == load_given) {
		l->v.project = w->root;
	} else {
		if (at->view)
			world_again(w->a, at->view, NULL, &l->v);
		else
			world_view(w->a, at, NULL, &l->v);
		take_memo(l);
		state_paths(w->a, &env, l->v.home, l->v.project, &l->paths);
	}
	w->result = w->work(l, w->ret, w->e);
	w->ret->sources = l->sources;
	return 0;
}

static int load_guarded(struct policies_job w, struct policies *ret)
{
	struct err why = {0}, *e = w.e;
	struct policies p = {0};

	w.ret = &p;
	w.e = &why;
	if (arena_run(w.a, run_loader, &w) < 0)
		return err_limit(e, "the policy files need too much memory");
	if (w.result == 0)
		*ret = p;
	else if (e)
		*e = why;
	return w.result;
}

int policies_load(struct arena *a, const struct policies_request *rq, struct policies *ret, struct err *e)
{
	return load_guarded((struct policies_job){.a = a, .rq = rq, .work = load_policies, .e = e}, ret);
}

int policies_of_files(struct arena *a, struct policy_file *files, struct str root, struct policies *ret,
		struct err *e)
{
	static const struct policies_request none;

	return load_guarded((struct policies_job){.a = a, .rq = &none, .files = files, .root = root,
			.work = load_given, .e = e}, ret);
}

int policies_files(struct arena *a, const struct policies_request *rq, struct policies *ret, struct err *e)
{
	return load_guarded((struct policies_job){.a = a, .rq = rq, .work = list_files, .e = e}, ret);
}

int policies_of_file(struct arena *a, const struct policy_file *f, struct policies *ret,
		struct config_note **ret_notes, struct err *e)
{
	struct config_source src = {f->path, f->bytes, f->kind == POLICY_FENCEPOST ? CONFIG_FENCEPOST :
			CONFIG_CAISSON, f->who, f->base};
	struct policies p;
	int rc;

	policies_default(&p);
	if (f->err) {
		if (e)
			*e = *f->err;
		return -1;
	}
	rc = f->kind == POLICY_SETTINGS ? settings_load(a, f->path, f->bytes, f->base, &p.own, e) :
			config_load(a, &src, 1, &p.own, ret_notes, e);
	if (rc != 0 || verify_checks(&p.own, f, e) != 0)
		return -1;
	*ret = p;
	return 0;
}
