/*
 * Paths that no word of a command names: the name of a copy inside its target directory, and the files that
 * git reads and restores by its pathspecs.
 */
#include "base/descriptor.h"
#include "base/glob.h"
#include "gate/judge.h"
#include "gate/path_table.h"

static struct str last_name(struct str path)
{
	while (path.n > 1 && path.p[path.n - 1] == '/')
		path.n--;
	path = path_base(path);
	return str_is_any(path, ". .. /") ? STR("") : path;
}

/* ---- accesses by place and by path ---- */

#define PREFIXES_MAX 4096 /* bytes of a path whose directories are looked up one by one */

struct access_node {
	struct access_node *next;
	const struct access *x;
	size_t order; /* among all accesses of the request */
};

struct access_list {
	struct access_node *first, **end;
};

struct access_index {
	const struct pmap *sources; /* place of a command to what it reads and deletes (struct access_list) */
	const struct pmap *copies;  /* exact path as it is written to its copies and links */
	struct access_list all;     /* of the copies */
	size_t shortest;            /* length of the shortest path of a copy */
};

static struct str place_of(const struct span *at)
{
	_Static_assert(sizeof(struct span) == 3 * sizeof(uint32_t), "the bytes are a key: no padding");
	return str_n((const char *)at, sizeof(*at));
}

static void index_node(struct judge *j, struct access_list *list, const struct access *x, size_t order)
{
	struct access_node *n = arena_copy(j->a, (struct access_node){.x = x, .order = order});

	if (!list->end)
		list->end = &list->first;
	LIST_ADD(list->end, n);
}

static void index_add(struct judge *j, const struct pmap **map, struct str key, const struct access *x,
		size_t order)
{
	struct access_list *list = (struct access_list *)pmap_get(*map, key);

	if (!list) {
		list = arena_new(j->a, struct access_list);
		*map = pmap_set(j->a, *map, key, list);
	}
	index_node(j, list, x, order);
}

static const struct access_index *access_index(struct judge *j)
{
	struct access_index *made = j->accesses;
	size_t order = 0;

	if (made)
		return made;
	made = j->accesses = arena_new(j->a, struct access_index);
	for (const struct access *x = j->f->accesses; x; x = x->next, order++) {
		if (x->kind == ACCESS_READ || x->kind == ACCESS_DELETE)
			index_add(j, &made->sources, place_of(&x->at), x, order);
		if (!access_copies(x) || x->path.kind != WORD_EXACT)
			continue;
		if (!made->copies || x->path.text.n < made->shortest)
			made->shortest = x->path.text.n;
		index_add(j, &made->copies, x->path.text, x, order);
		index_node(j, &made->all, x, order);
	}
	return made;
}

/* Returns the reads and deletes at the place of this access. */
static const struct access_node *sources_of(struct judge *j, const struct access *x)
{
	const struct access_list *list = pmap_get(access_index(j)->sources, place_of(&x->at));

	return list ? list->first : NULL;
}

/* Returns the copies and links to this path and to directories above it, in the order of the request. */
static const struct access_node *copies_above(struct judge *j, struct str path)
{
	const struct access_index *all = access_index(j);
	struct access_node *found = NULL;

	if (path.n > PREFIXES_MAX)
		return all->all.first;
	for (size_t n = all->shortest ? all->shortest : 1; all->copies && n <= path.n; n++) {
		bool whole = n == path.n || path.p[n] == '/' || path.p[n - 1] == '/';
		const struct access_list *list = whole ? pmap_get(all->copies, str_first(path, n)) : NULL;

		for (const struct access_node *m = list ? list->first : NULL; m; m = m->next) {
			struct access_node **at = &found;

			while (*at && (*at)->order < m->order)
				at = &(*at)->next;
			*at = arena_copy(j->a, (struct access_node){.next = *at, .x = m->x,
					.order = m->order});
		}
	}
	return found;
}

/* ---- into a directory ---- */

static void is_directory_one(struct judge *j, const struct access *x, const struct where *w, void *ctx)
{
	(void)x;
	*(bool *)ctx |= (w->answer && w->answer->target == PATH_DIR) || str_eq(w->real, j->v->project) ||
			str_eq(w->real, j->v->home) || str_eq(w->real, j->v->cwd);
}

static bool is_directory(struct judge *j, const struct access *x)
{
	bool dir = str_ends(x->path.text, "/");

	if (x->path.kind == WORD_EXACT && !dir)
		paths_each(j, x, is_directory_one, &dir);
	return dir && x->path.kind == WORD_EXACT;
}

bool access_copies(const struct access *x)
{
	return x->kind == ACCESS_WRITE && (x->change == CHANGE_COPY || x->change == CHANGE_LINK);
}

/* True for standard output and error. Only redirections of descriptors 1 and 2 lead them elsewhere. */
static bool is_output(struct str path)
{
	return str_like_any(path_base(path), "stdout stderr 1 2");
}

/* Linux reopens the file behind a descriptor, even for writing when it was opened for reading. */
void paths_through_descriptor(struct judge *j, const struct access *x,
	void (*fn)(struct judge *, const struct access *, const struct where *, void *), void *ctx)
{
	if (x->kind != ACCESS_WRITE || path_descriptor(x->path.text) != DESCRIPTOR_ITSELF)
		return;
	for (const struct access *from = j->f->accesses; from; from = from->next) {
		struct access opened = *x;

		if (from->kind != ACCESS_READ || !access_is_redirection(from) ||
				path_descriptor(from->path.text) != DESCRIPTOR_NONE)
			continue;
		if (is_output(x->path.text) && from->fd != 1 && from->fd != 2)
			continue;
		opened.path = from->path;
		paths_each(j, &opened, fn, ctx);
	}
}

/*
 * cp -r DIR/. ., rsync DIR/ .: the files of the directory keep their names. The content of hidden directories
 * counts, too.
 */
static void content_into(struct judge *j, const struct access *x, struct str dir,
		void (*fn)(struct judge *, const struct access *, const struct where *, void *), void *ctx)
{
	static const char patterns[][12] = {"*", ".[!.]*", ".[!.]*/*"};

	while (dir.n > 1 && (str_ends(dir, "/") || str_ends(dir, "/.")))
		dir.n--;
	for (size_t i = 0; i < ARRAY_SIZE(patterns); i++) {
		struct str pattern = str_path(j->a, dir, str_of(patterns[i]));
		struct access probe = {.kind = ACCESS_READ,
				.path = {.kind = WORD_REST, .glob = true, .text = pattern, .at = x->at},
				.at = x->at};
		const struct glob_answer *g;

		paths_each(j, &probe, paths_visit_nothing, NULL);
		g = pmap_get(j->glob_answers, pattern);
		for (size_t k = 0; g && k < g->nmatches && g->matches[k].n > dir.n; k++) {
			struct access to = *x;

			to.path.text = str_cat(j->a, x->path.text,
					str_from(g->matches[k], dir.n));
			paths_each(j, &to, fn, ctx);
		}
		if (g && g->more) {
			struct access any = *x;

			any.change = CHANGE_TREE;
			paths_each(j, &any, fn, ctx);
		}
	}
}

/* True if the content of this directory is copied, not the directory itself. */
static bool copies_content(const struct access *x, const struct access *from)
{
	struct str path = from->path.text;

	if (from->path.kind != WORD_EXACT || !from->below || path.n < 3 || path.p[0] != '/')
		return false;
	return str_ends(path, "/.") || (access_by(x, "rsync") && str_ends(path, "/"));
}

void paths_into_directory(struct judge *j, const struct access *x,
		void (*fn)(struct judge *, const struct access *, const struct where *, void *), void *ctx)
{
	if (x->kind != ACCESS_WRITE || !x->below || !access_copies(x) || !is_directory(j, x))
		return;
	for (const struct access_node *n = sources_of(j, x); n; n = n->next) {
		const struct access *from = n->x;
		struct str name = last_name(from->path.text);
		struct access to = *x;

		to.below = from->below;
		if (!access_same_cause(from, x))
			continue;
		if (copies_content(x, from)) {
			content_into(j, x, from->path.text, fn, ctx);
			continue;
		}
		if (!name.n || !path_known(&from->path))
			continue;
		to.path.text = str_path(j->a, x->path.text, name);
		to.path.glob = from->path.glob;
		to.path.kind = text_exact(to.path.text) && !from->path.glob ? WORD_EXACT : from->path.kind;
		paths_each(j, &to, fn, ctx);
	}
}

/* ---- names that this request makes ---- */

struct through {
	void (*fn)(struct judge *, const struct access *, const struct where *, void *);
	void *ctx;
};

static void through_one(struct judge *j, const struct access *x, const struct where *w, void *ctx)
{
	const struct through *t = ctx;

	if (w->place != PLACE_ROOT)
		t->fn(j, x, w, t->ctx);
}

/* True for a name inside the root, whatever it leads to. */
static bool named_in_root(struct judge *j, struct str path, bool link)
{
	const struct path_answer *a = pmap_get(j->answers, path);

	return a && a->place.n && path_place(j, a->place) == PLACE_ROOT && (!link || a->kind == PATH_LINK);
}

/*
 * Visits paths through links that ln made, and through links that were moved or copied. The latter still lie
 * at their source, so the rest of the path is looked up there. Changes through a link of ln are unknown to
 * the reader, which asks about them.
 */
void paths_through_new_names(struct judge *j, const struct access *x,
		void (*fn)(struct judge *, const struct access *, const struct where *, void *), void *ctx)
{
	struct through t = {fn, ctx};

	if (x->path.kind != WORD_EXACT)
		return;
	for (const struct access_node *m = copies_above(j, x->path.text); m; m = m->next) {
		const struct access *to = m->x;
		bool link = access_by(to, "ln"), moved = access_by(to, "mv") || access_by(to, "git mv");
		struct str rest;

		if (!path_within(x->path.text, to->path.text) || span_same(to->at, x->at) ||
				(link && x->kind != ACCESS_READ))
			continue;
		rest = str_from(x->path.text, to->path.text.n);
		for (const struct access_node *n = sources_of(j, to); n; n = n->next) {
			const struct access *from = n->x;
			struct access old = *x;

			if (from->path.kind != WORD_EXACT)
				continue;
			if (!link && !named_in_root(j, from->path.text, !rest.n || (!moved && !from->below)))
				continue;
			old.path.text = str_cat(j->a, from->path.text, rest);
			paths_each(j, &old, through_one, &t);
		}
	}
}

/* ---- renamed secrets ---- */

bool paths_renames_secret(struct judge *j, const struct access *x, const struct where *w)
{
	static const char movers[] = "mv os.rename os.replace os.renames shutil.move fs.rename fs.renameSync";
	bool moved = access_by_any(x, movers) || access_by(x, "git mv");

	if (x->kind != ACCESS_DELETE || !moved || w->place != PLACE_ROOT || !path_table_secret(j, w, false))
		return false;
	for (const struct access *to = j->f->accesses; to; to = to->next) {
		struct where known = {0};

		if (to->kind != ACCESS_WRITE || !span_same(to->at, x->at) || to->path.kind != WORD_EXACT)
			continue;
		known.path = known.real = path_plain(j->a, to->path.text);
		/* .env to .env.local: the new name still marks it as a secret */
		if (path_table_secret(j, &known, false))
			return false;
	}
	return true;
}

bool paths_keeps_secret(struct judge *j, const struct access *x)
{
	bool kept = false;

	if (x->kind != ACCESS_READ || !(access_by(x, "cp") || access_by(x, "ln")) ||
			path_place(j, path_plain(j->a, x->path.text)) != PLACE_ROOT)
		return false;
	for (const struct access *to = j->f->accesses; to; to = to->next) {
		struct where known = {0};

		if (to->kind != ACCESS_WRITE || !span_same(to->at, x->at))
			continue;
		if (to->path.kind != WORD_EXACT)
			return false;
		known.path = known.real = path_plain(j->a, to->path.text);
		if (path_place(j, known.path) != PLACE_ROOT || !path_table_secret(j, &known, false) ||
				path_table_protected(j, known.path))
			return false;
		kept = true;
	}
	return kept;
}

/* ---- git ---- */

struct where paths_lexical(struct judge *j, struct str dir, struct str text)
{
	struct where w = {.sure = true};

	w.path = path_plain(j->a, str_starts(text, "/") ? text : str_path(j->a, dir, text));
	w.real = w.path;
	w.place = path_place(j, w.path);
	return w;
}

/* True for a pattern that names something: '.en?', but not '*.c', which asks for no secret. */
static bool is_wild_inside(struct str pattern)
{
	bool wild = false;

	for (size_t i = 0; i < pattern.n; i++)
		wild |= strchr("*?[", pattern.p[i]) != NULL;
	return wild && !strchr("*?[", pattern.p[0]);
}

/* REV:PATH contains a path. */
static struct str strip_pathspec(struct str text)
{
	ptrdiff_t colon = str_find(text, ':', 0);

	return colon < 0 ? text : str_from(text, (size_t)colon + 1);
}

void paths_raise_secret(struct judge *j, const struct subject *s, const char *what)
{
	judge_raise_at_most(j, CHECK_SECRET_READ, GRADE_DENY, s->c->at, judge_quote(j, "", s->c->at, what),
		NULL);
}

/* True if an option of git log asks for the changes, not only for the commits. */
static bool shows_patch(const struct know_options *o)
{
	static const char options[] = "-p -u -c -L --patch --cc --dd --unified --patch-with-stat "
				      "--patch-with-raw --word-diff --color-words --function-context -W";

	for (size_t i = 0; i < o->noptions; i++) {
		struct str name = str_of(o->options[i].name);

		if (str_is_any(name, options) || str_starts(name, "-U"))
			return true;
	}
	return false;
}

/* git log -L 1,9:PATH shows lines of the file. */
static void git_lines(struct judge *j, struct subject *s, struct know_options *o, struct str dir)
{
	const struct know_option *l = NULL;

	while ((l = know_option_find(o, "-L", l))) {
		struct str range = l->value.kind == WORD_EXACT ? l->value.text : STR("");
		size_t at = range.n;

		while (at > 0 && range.p[at - 1] != ':')
			at--;
		struct where w = paths_lexical(j, dir, str_from(range, at));
		if (at > 0 && at < range.n && path_table_secret(j, &w, false))
			paths_raise_secret(j, s, " shows a likely secret");
	}
}

/* git update-index --skip-worktree stores no content. */
static bool marks_only(const struct know_options *o)
{
	return know_has(o, "--assume-unchanged") || know_has(o, "--no-assume-unchanged") ||
	       know_has(o, "--skip-worktree") || know_has(o, "--no-skip-worktree");
}

/* git add -A, git add . */
static bool adds_all(const struct subject *s, const struct know_options *o)
{
	bool all = know_has(o, "-A");

	for (size_t i = 0; i < o->noperands; i++)
		all |= str_is_any(s->c->argv[o->operands[i]].text, ". ./ :/ * .*");
	return all;
}

/* The first operand of git grep is its pattern. */
static size_t git_first_path(const struct know_options *o, struct str name)
{
	return str_is(name, "grep") && !know_has(o, "-e") && !know_has(o, "-f");
}

static void git_operands(struct judge *j, struct subject *s, struct str dir)
{
	struct know_options *o = subject_options(j, s);
	bool index_only = know_has(o, "--staged") && !know_has(o, "--worktree");
	struct str name = o->name ? str_from(str_of(o->name), strlen("git ")) : STR("");
	bool reads = str_is(name, "stash push") || str_is_any(name,
			"add stage commit diff difftool show blame annotate hash-object grep cat-file "
			"archive update-index interpret-trailers format-patch") ||
		(shows_patch(o) && str_is_any(name, "log whatchanged diff-tree diff-index diff-files"));
	bool restores = str_is_any(name, "checkout restore checkout-index") && !index_only;

	if (str_is(name, "log"))
		git_lines(j, s, o, dir);
	if (str_is(name, "update-index") && marks_only(o))
		reads = false;
	if (str_is(name, "add") && know_has(o, "-f") && adds_all(s, o))
		paths_raise_secret(j, s, " adds ignored files, which likely are secrets, too");
	for (size_t i = git_first_path(o, name); (reads || restores) && i < o->noperands; i++) {
		const struct word *word = &s->c->argv[o->operands[i]];
		struct where w;

		if (word->kind != WORD_EXACT || !word->text.n)
			continue;
		w = paths_lexical(j, dir, strip_pathspec(word->text));
		w.wild = is_wild_inside(word->text);
		if (reads && path_table_secret(j, &w, false))
			paths_raise_secret(j, s, " shows or stores a likely secret");
		if (restores && (path_table_protected(j, w.path) || path_table_protected_dir(j, w.path)))
			judge_raise_at_most(j, CHECK_PROTECTED_WRITE, GRADE_DENY, s->c->at,
				judge_quote(
					j, "", s->c->at, " changes a file that other programs run or obey"),
				NULL);
	}
}

/* git's changes in another repository lie outside, although no word names a file. */
static void git_elsewhere(struct judge *j, struct subject *s, struct str dir,
		void (*fn)(struct judge *, const struct access *, const struct where *, void *), void *ctx)
{
	struct access x = {.kind = ACCESS_WRITE,
		.below = true,
		.by = subject_options(j, s)->name,
		.at = s->c->at,
		.when = s->c->when};
	struct where w = paths_lexical(j, dir, STR("."));

	if (subject_known(j, s)->readonly || !strchr(x.by, ' ') || path_within(w.path, j->v->project))
		return;
	x.path = (struct word){.kind = WORD_EXACT, .text = dir, .at = s->c->at};
	paths_each(j, &x, fn, ctx);
}

/* A repository named by --git-dir brings its own settings, as GIT_DIR does. */
static void git_named(struct judge *j, struct subject *s)
{
	struct know_options *o = subject_options(j, s);

	for (size_t i = 0; i < o->noptions; i++) {
		struct know_option *k = &o->options[i];

		if (k->global && !strcmp(k->name, "--git-dir") &&
				(!k->has_value || k->value.kind != WORD_EXACT ||
				!str_is(last_name(k->value.text), ".git")))
			judge_raise_at_most(j, CHECK_EXECUTES_FILE, GRADE_CONTAIN, s->c->at,
				judge_quote(j, "the settings of the repository that ", s->c->at,
					" names may make git run programs"),
				NULL);
	}
}

void paths_git(struct judge *j, void (*fn)(struct judge *, const struct access *, const struct where *,
		void *), void *ctx)
{
	for (size_t i = 0; i < j->nsubjects; i++) {
		struct subject *s = &j->subjects[i];
		bool git = str_is(s->base, "git"), known = false;

		for (size_t k = 0; git && k < s->c->ndirs; k++) { /* a preceding cd may have failed */
			struct str dir = repository_start(j, s, s->c->dirs[k]);

			if (!dir.n)
				continue;
			known = true;
			git_operands(j, s, dir);
			git_elsewhere(j, s, dir, fn, ctx);
		}
		if (known)
			git_named(j, s);
	}
}
