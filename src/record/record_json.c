/*
 * Converts the inputs of a verdict to JSON and back: the view and the policies. Both are blobs of the record,
 * so their format is public (docs/audit.md): a later version reads blobs of an earlier one.
 */
#include "base/json_write.h"
#include "base/version.h"
#include "gate/gate.h"
#include "record/record.h"

#define VERSION 1

#define NAME_ROOM 12

static const char kinds[][NAME_ROOM] = {[PATH_ABSENT] = "absent", [PATH_FILE] = "file", [PATH_DIR] = "dir",
		[PATH_LINK] = "link", [PATH_DEVICE] = "device", [PATH_OTHER] = "other",
	[PATH_UNREADABLE] = "unreadable"};
static const char file_kinds[][NAME_ROOM] = {[POLICY_CAISSON] = "caisson", [POLICY_FENCEPOST] = "fencepost",
		[POLICY_SETTINGS] = "settings"};
static const char owners[][NAME_ROOM] = {[WHO_ANYONE] = "anyone", [WHO_TRUSTED] = "trusted",
		[WHO_OWNER] = "user", [WHO_SYSTEM] = "system"};

static const char changes[][NAME_ROOM] = {[GIT_CHANGE_CHECKOUT] = "checkout", [GIT_CHANGE_MERGE] = "merge",
	[GIT_CHANGE_PICK] = "pick", [GIT_CHANGE_STASH] = "stash", [GIT_CHANGE_REVERT] = "revert",
	[GIT_CHANGE_STASH_BRANCH] = "branch"};
static const char touches[][NAME_ROOM] = {[GIT_TOUCH_FILE] = "file", [GIT_TOUCH_LINK] = "link",
	[GIT_TOUCH_REPOSITORY] = "repository", [GIT_TOUCH_DELETE] = "delete"};

/* ---- writing ---- */

static void put_bool(struct buf *b, const char *key, bool v)
{
	if (v)
		buf_fmt(b, ",\"%s\":true", key);
}

static void put_ports(struct buf *b, const struct box_ports *p)
{
	for (size_t i = 0; i < p->n; i++)
		buf_fmt(b, "%s%u", i ? "," : ",\"box_ports\":[", p->at[i]);
	if (p->n)
		buf_char(b, ']');
}

static void put_path(struct buf *b, const struct path_answer *p)
{
	buf_c(b, "{\"path\":");
	json_put_string(b, p->path);
	json_put_field(b, "kind", str_of(kinds[p->kind]));
	if (p->target != p->kind)
		json_put_field(b, "target", str_of(kinds[p->target]));
	if (!str_eq(p->place, p->path))
		json_put_field(b, "place", p->place);
	if (!str_eq(p->real, p->path))
		json_put_field(b, "real", p->real);
	buf_fmt(b, ",\"owner\":%u", p->owner);
	if (p->links)
		buf_fmt(b, ",\"links\":%u", p->links);
	put_bool(b, "shared", p->shared);
	put_bool(b, "kept", p->kept);
	buf_char(b, '}');
}

static void put_glob(struct buf *b, const struct glob_answer *g)
{
	buf_c(b, "{\"pattern\":");
	json_put_string(b, g->pattern);
	buf_c(b, ",\"matches\":[");
	for (size_t i = 0; i < g->nmatches; i++) {
		if (i)
			buf_char(b, ',');
		json_put_string(b, g->matches[i]);
	}
	buf_char(b, ']');
	put_bool(b, "more", g->more);
	put_bool(b, "kept", g->kept);
	buf_char(b, '}');
}

static void put_items(struct buf *b, const char *key, const char *text, const struct git_item *first)
{
	if (!first)
		return;
	buf_fmt(b, ",\"%s\":[", key);
	for (const struct git_item *i = first; i; i = i->next) {
		buf_c(b, i == first ? "{\"name\":" : ",{\"name\":");
		json_put_string(b, i->name);
		json_put_field(b, text, i->text);
		buf_char(b, '}');
	}
	buf_char(b, ']');
}

static void put_git(struct buf *b, const struct git_answer *g)
{
	buf_c(b, "{\"dir\":");
	json_put_string(b, g->dir);
	put_bool(b, "found", g->found);
	if (g->top.n)
		json_put_field(b, "top", g->top);
	put_bool(b, "unclear", g->unclear);
	put_bool(b, "signs_commits", g->signs_commits);
	put_bool(b, "signs_tags", g->signs_tags);
	put_items(b, "hooks", "path", g->hooks);
	put_items(b, "programs", "command", g->programs);
	put_items(b, "remotes", "url", g->remotes);
	put_bool(b, "other_remotes", g->other_remotes);
	put_bool(b, "redirected", g->redirected);
	put_bool(b, "submodules", g->submodules);
	put_bool(b, "partial", g->partial);
	put_bool(b, "local_upstream", g->local_upstream);
	put_bool(b, "path_remotes", g->path_remotes);
	buf_char(b, '}');
}

static void put_tree(struct buf *b, const struct tree_answer *t)
{
	buf_c(b, "{\"dir\":");
	json_put_string(b, t->dir);
	json_put_field(b, "change", str_of(changes[t->change]));
	json_put_field(b, "revs", t->revs);
	if (t->keep.n)
		json_put_field(b, "keep", t->keep);
	put_bool(b, "known", t->known);
	put_bool(b, "more", t->more);
	if (t->touched)
		buf_c(b, ",\"touched\":[");
	for (const struct git_touch *x = t->touched; x; x = x->next) {
		buf_c(b, "{\"path\":");
		json_put_string(b, x->path);
		json_put_field(b, "kind", str_of(touches[x->kind]));
		buf_c(b, x->next ? "}," : "}]");
	}
	buf_char(b, '}');
}

static void put_roots(struct buf *b, const char *key, const struct root *first)
{
	buf_fmt(b, ",\"%s\":[", key);
	for (const struct root *r = first; r; r = r->next) {
		if (r != first)
			buf_char(b, ',');
		json_put_string(b, r->path);
	}
	buf_char(b, ']');
}

static void put_notes(struct buf *b, const struct call_note *notes)
{
	for (const struct call_note *n = notes; n; n = n->next) {
		buf_fmt(b, "%s{\"kind\":\"%s\"", n == notes ? ",\"notes\":[" : ",", gate_note_name(n->kind));
		if (n->text.n)
			json_put_field(b, "text", n->text);
		buf_c(b, n->next ? "}" : "}]");
	}
}

void record_view_json(struct buf *b, const struct view *v, const struct engine_request *rq)
{
	buf_fmt(b, "{\"v\":%d,\"shell\":\"%s\",\"mode\":\"%s\"", VERSION, dialect_name(rq->dialect),
			mode_name(rq->mode));
	json_put_field(b, "cwd", v->cwd);
	json_put_field(b, "home", v->home);
	json_put_field(b, "user", v->user);
	buf_fmt(b, ",\"uid\":%u", v->uid);
	json_put_field(b, "project", v->project);
	put_roots(b, "roots", v->roots);
	json_put_field(b, "config_dir", v->config_dir);
	json_put_field(b, "state_dir", v->state_dir);
	json_put_field(b, "program", v->program);
	json_put_field(b, "tmp", v->tmp);
	put_bool(b, "fold_case", v->fold_case);
	put_bool(b, "unvetted", v->unvetted.everywhere);
	if (v->unvetted.workspaces)
		put_roots(b, "unvetted_workspaces", v->unvetted.workspaces);
	put_ports(b, &v->box_ports);
	if (v->search)
		put_roots(b, "search", v->search);
	put_notes(b, rq->notes);
	buf_c(b, "}\n");
}

bool record_answers_json(struct buf *b, const struct view *v)
{
	if (!v->paths && !v->globs && !v->gits && !v->trees && !v->closed && !v->classified.asked)
		return false;
	buf_fmt(b, "{\"v\":%d", VERSION);
	put_bool(b, "closed", v->closed);
	if (v->classified.asked) {
		buf_c(b, ",\"classifier\":{\"verdict\":");
		json_put_string(b, v->classified.verdict);
		json_put_field(b, "said", v->classified.said);
		buf_char(b, '}');
	}
	if (v->paths)
		buf_c(b, ",\"paths\":[");
	for (const struct path_answer *p = v->paths; p; p = p->next) {
		put_path(b, p);
		buf_char(b, p->next ? ',' : ']');
	}
	if (v->globs)
		buf_c(b, ",\"globs\":[");
	for (const struct glob_answer *g = v->globs; g; g = g->next) {
		put_glob(b, g);
		buf_char(b, g->next ? ',' : ']');
	}
	if (v->gits)
		buf_c(b, ",\"git\":[");
	for (const struct git_answer *g = v->gits; g; g = g->next) {
		put_git(b, g);
		buf_char(b, g->next ? ',' : ']');
	}
	if (v->trees)
		buf_c(b, ",\"git_trees\":[");
	for (const struct tree_answer *t = v->trees; t; t = t->next) {
		put_tree(b, t);
		buf_char(b, t->next ? ',' : ']');
	}
	buf_char(b, '}');
	return true;
}

void record_policies_json(struct buf *b, const struct policies *p)
{
	buf_fmt(b, "{\"v\":%d,\"program\":\"" CAISSON_VERSION "\"", VERSION);
	json_put_field(b, "digest", p->digest);
	json_put_field(b, "root", p->root);
	buf_c(b, ",\"files\":[");
	for (const struct policy_file *f = p->files; f; f = f->next) {
		buf_c(b, f == p->files ? "{\"path\":" : ",{\"path\":");
		json_put_string(b, f->path);
		json_put_field(b, "base", f->base);
		json_put_field(b, "kind", str_of(file_kinds[f->kind]));
		json_put_field(b, "who", str_of(owners[f->who]));
		put_bool(b, "project", f->project);
		if (f->around.n)
			json_put_field(b, "around", f->around);
		json_put_field(b, "bytes", blob_digest(b->a, f->bytes));
		buf_char(b, '}');
	}
	buf_c(b, "]}\n");
}

/* ---- reading ---- */

struct view_reader { /* parser state */
	struct arena *a;
	const struct json *o;
	struct view *view;
	struct engine_request *rq;
	const struct blobs *blobs;
	struct policies *policies;
	struct err *e;
};

static struct str text(const struct view_reader *r, const struct json *o, const char *key)
{
	return json_dup_at(r->a, o, key);
}

static uint32_t number(const struct json *o, const char *key)
{
	int64_t n = json_int_at(o, key);

	return n > 0 && n <= UINT32_MAX ? (uint32_t)n : 0;
}

/* Returns the index of a name in a list of names, or -1. */
static int index_of(const char (*names)[NAME_ROOM], size_t n, struct str name)
{
	for (size_t i = 0; i < n; i++)
		if (str_is(name, names[i]))
			return (int)i;
	return -1;
}

static int read_path(struct view_reader *r, const struct json *o, struct path_answer *ret)
{
	int kind = index_of(kinds, ARRAY_SIZE(kinds), json_text_at(o, "kind")), target = kind;

	if (json_key(o, "target"))
		target = index_of(kinds, ARRAY_SIZE(kinds), json_text_at(o, "target"));
	if (kind < 0 || target < 0)
		return -1;
	*ret = (struct path_answer){.path = text(r, o, "path"), .kind = (enum path_kind)kind,
			.target = (enum path_kind)target, .owner = number(o, "owner"),
		.links = number(o, "links"), .shared = json_true_at(o, "shared"),
		.kept = json_true_at(o, "kept")};
	ret->place = json_key(o, "place") ? text(r, o, "place") : ret->path;
	ret->real = json_key(o, "real") ? text(r, o, "real") : ret->path;
	return 0;
}

static void read_glob(struct view_reader *r, const struct json *o, struct glob_answer *ret)
{
	const struct json *matches = json_key(o, "matches");
	size_t n = 0;

	ret->pattern = text(r, o, "pattern");
	ret->more = json_true_at(o, "more");
	ret->kept = json_true_at(o, "kept");
	ret->nmatches = json_size(matches);
	ret->matches = arena_array(r->a, ret->nmatches + 1, sizeof(*ret->matches));
	for (const struct json *x = json_items(matches); x; x = x->next)
		ret->matches[n++] = str_dup(r->a, json_text(x));
}

static struct git_item *read_items(struct view_reader *r, const struct json *o, const char *key,
		const char *text_key)
{
	struct git_item *list_of = NULL, **end = &list_of;

	for (const struct json *item = json_items(json_key(o, key)); item; item = item->next,
			end = &(*end)->next) {
		*end = arena_copy(r->a, (struct git_item){.name = text(r, item, "name"),
				.text = text(r, item, text_key)});
	}
	return list_of;
}

static void read_gits(struct view_reader *r, struct git_answer **end)
{
	for (const struct json *o = json_items(json_key(r->o, "git")); o; o = o->next, end = &(*end)->next) {
		*end = arena_copy(r->a, (struct git_answer){.dir = text(r, o, "dir"),
				.found = json_true_at(o, "found"), .top = text(r, o, "top"),
			.unclear = json_true_at(o, "unclear"),
			.signs_commits = json_true_at(o, "signs_commits"),
			.signs_tags = json_true_at(o, "signs_tags"),
			.hooks = read_items(r, o, "hooks", "path"),
			.programs = read_items(r, o, "programs", "command"),
			.remotes = read_items(r, o, "remotes", "url"),
			.other_remotes = json_true_at(o, "other_remotes"),
			.submodules = json_true_at(o, "submodules"),
			.partial = json_true_at(o, "partial"),
			.local_upstream = json_true_at(o, "local_upstream"),
			.path_remotes = json_true_at(o, "path_remotes"),
			.redirected = json_true_at(o, "redirected")});
	}
}

static int read_touched(struct view_reader *r, const struct json *o, struct git_touch **end)
{
	for (const struct json *name = json_items(json_key(o, "touched")); name; name = name->next,
			end = &(*end)->next) {
		int kind = index_of(touches, ARRAY_SIZE(touches), json_text_at(name, "kind"));

		if (kind < 0)
			return -1;
		*end = arena_copy(r->a, (struct git_touch){.kind = (enum git_touch_kind)kind,
				.path = text(r, name, "path")});
	}
	return 0;
}

static int read_trees(struct view_reader *r, struct tree_answer **end)
{
	for (const struct json *o = json_items(json_key(r->o, "git_trees")); o; o = o->next,
			end = &(*end)->next) {
		int change = index_of(changes, ARRAY_SIZE(changes), json_text_at(o, "change"));

		if (change < 0)
			return -1;
		*end = arena_copy(r->a, (struct tree_answer){.dir = text(r, o, "dir"),
				.change = (enum git_change)change,
			.revs = text(r, o, "revs"), .keep = text(r, o, "keep"),
			.known = json_true_at(o, "known"), .more = json_true_at(o, "more")});
		if (read_touched(r, o, &(*end)->touched) != 0)
			return -1;
	}
	return 0;
}

static int wrong_answers(struct view_reader *r)
{
	return err_input(r->e, "these are not the answers of a view, or those of another version");
}

static int read_answers(struct view_reader *r)
{
	struct view *v = r->view;
	const struct json *said = json_key(r->o, "classifier");

	if (json_int_at(r->o, "v") != VERSION)
		return wrong_answers(r);
	v->closed = json_true_at(r->o, "closed");
	if (json_is(said, JSON_OBJECT))
		v->classified = (struct classified){true, text(r, said, "verdict"), text(r, said, "said")};
	for (const struct json *x = json_items(json_key(r->o, "paths")); x; x = x->next) {
		struct path_answer *p = arena_new(r->a, struct path_answer);

		if (read_path(r, x, p) != 0)
			return wrong_answers(r);
		LIST_ADD(v->paths_end, p);
	}
	for (const struct json *x = json_items(json_key(r->o, "globs")); x; x = x->next) {
		struct glob_answer *g = arena_new(r->a, struct glob_answer);

		read_glob(r, x, g);
		LIST_ADD(v->globs_end, g);
	}
	read_gits(r, &v->gits);
	return read_trees(r, &v->trees) != 0 ? wrong_answers(r) : 0;
}

static void read_roots(struct view_reader *r, const char *key, struct root **end)
{
	for (const struct json *v = json_items(json_key(r->o, key)); v; v = v->next, end = &(*end)->next) {
		*end = arena_new(r->a, struct root);
		(*end)->path = str_dup(r->a, json_text(v));
	}
}

static void read_ports(const struct json *o, struct box_ports *ret)
{
	for (const struct json *v = json_items(json_key(o, "box_ports")); v && ret->n < VIEW_PORTS_MAX;
			v = v->next) {
		int64_t port = json_int(v, 0);

		if (port > 0 && port <= UINT16_MAX)
			ret->at[ret->n++] = (uint16_t)port;
	}
}

static int read_notes(const struct view_reader *r, const struct call_note **ret)
{
	struct call_note *first = NULL, **end = &first;

	for (const struct json *x = json_items(json_key(r->o, "notes")); x; x = x->next,
			end = &(*end)->next) {
		*end = arena_new(r->a, struct call_note);
		if (!gate_note_find(json_text_at(x, "kind"), &(*end)->kind))
			return err_input(r->e, "a view holds a note about the call that is not known");
		(*end)->text = text(r, x, "text");
	}
	*ret = first;
	return 0;
}

static int read_view(struct view_reader *r)
{
	struct view *v = r->view;
	const struct json *o = r->o;
	struct engine_request rq = {0};
	struct context *at;

	*v = (struct view){.cwd = text(r, o, "cwd"), .home = text(r, o, "home"), .user = text(r, o, "user"),
			.uid = number(o, "uid"), .project = text(r, o, "project"),
		.config_dir = text(r, o, "config_dir"), .state_dir = text(r, o, "state_dir"),
		.program = text(r, o, "program"), .tmp = text(r, o, "tmp"),
		.fold_case = json_true_at(o, "fold_case"),
		.unvetted = {.everywhere = json_true_at(o, "unvetted")}};
	v->paths_end = &v->paths;
	v->globs_end = &v->globs;
	at = arena_copy(r->a, (struct context){.cwd = v->cwd, .home = v->home, .user = v->user});
	rq = (struct engine_request){.context = at};
	if (json_int_at(o, "v") != VERSION || engine_dialect(json_text_at(o, "shell"), &rq.dialect) != 0 ||
		engine_mode(json_text_at(o, "mode"), &rq.mode) != 0)
		return err_input(r->e, "this is not a view, or one of another version");
	if (read_notes(r, &rq.notes) != 0)
		return -1;
	read_roots(r, "roots", &v->roots);
	read_roots(r, "unvetted_workspaces", &v->unvetted.workspaces);
	read_ports(o, &v->box_ports);
	read_roots(r, "search", &v->search);
	*r->rq = rq;
	return 0;
}

static int read_files(struct view_reader *r, struct policy_file **end)
{
	for (const struct json *o = json_items(json_key(r->o, "files")); o; o = o->next,
			end = &(*end)->next) {
		struct policy_file *f = arena_new(r->a, struct policy_file);
		int kind = index_of(file_kinds, ARRAY_SIZE(file_kinds), json_text_at(o, "kind")),
				who = index_of(owners, ARRAY_SIZE(owners), json_text_at(o, "who"));

		if (kind < 0 || who < 0)
			return err_input(r->e, "a list of policies names a kind of file that is not known");
		*f = (struct policy_file){.path = text(r, o, "path"), .base = text(r, o, "base"),
				.kind = (enum policy_kind)kind, .who = (enum config_who)who,
				.project = json_true_at(o, "project"), .around = text(r, o, "around")};
		if (blob_get(r->a, r->blobs, json_text_at(o, "bytes"), ENGINE_CONFIG_MAX, &f->bytes,
				r->e) != 0)
			return -1;
		*end = f;
	}
	return 0;
}

static int read_policies(struct view_reader *r)
{
	struct policy_file *files = NULL;

	if (json_int_at(r->o, "v") != VERSION)
		return err_input(r->e, "this is not a list of policies, or one of another version");
	if (read_files(r, &files) != 0)
		return -1;
	return policies_of_files(r->a, files, text(r, r->o, "root"), r->policies, r->e);
}

static int read_json(struct view_reader *r, struct str json, int (*work)(struct view_reader *r))
{
	struct json *o;

	if (json_read(r->a, json, &o, r->e) != 0)
		return -1;
	r->o = o;
	return work(r);
}

int record_view_parse(struct arena *a, struct str json, struct str answers, struct view *ret,
		struct engine_request *ret_rq, struct err *e)
{
	struct view_reader r = {.a = a, .view = ret, .rq = ret_rq, .e = e};

	return read_json(&r, json, read_view) != 0 ||
			(answers.n && read_json(&r, answers, read_answers) != 0) ? -1 : 0;
}

int record_view(struct arena *a, const struct blobs *blobs, struct str digest, struct str answers,
		struct view *ret, struct engine_request *ret_rq, struct err *e)
{
	struct str json;

	return blob_get(a, blobs, digest, RECORD_JSON_MAX, &json, e) != 0 ? -1 : record_view_parse(a, json,
			answers, ret, ret_rq, e);
}

int record_policies(struct arena *a, const struct blobs *blobs, struct str digest, struct policies *ret,
		struct err *e)
{
	struct view_reader r = {.a = a, .blobs = blobs, .policies = ret, .e = e};
	struct str json;

	return blob_get(a, blobs, digest, RECORD_JSON_MAX, &json, e) != 0 ? -1 : read_json(&r, json,
			read_policies);
}
