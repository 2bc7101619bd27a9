/*
 * Paths that no word of a command names: the name of a copy inside its target directory, the files that git
 * reads and restores by its pathspecs, and the words given to an unknown program.
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
	bool moved = access_by(x, "mv") || access_by(x, "git mv");

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

/* ---- git ---- */

static struct where place_lexically(struct judge *j, struct str dir, struct str text)
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

static void raise_secret(struct judge *j, const struct subject *s, const char *what)
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
		struct where w = place_lexically(j, dir, str_from(range, at));
		if (at > 0 && at < range.n && path_table_secret(j, &w, false))
			raise_secret(j, s, " shows a likely secret");
	}
}

static void git_operands(struct judge *j, struct subject *s, struct str dir)
{
	struct know_options *o = subject_options(j, s);
	bool index_only = know_has(o, "--staged") && !know_has(o, "--worktree");
	struct str name = o->name ? str_from(str_of(o->name), strlen("git ")) : STR("");
	bool reads = str_is(name, "stash push") || str_is_any(name,
			"add stage commit diff show blame annotate hash-object grep cat-file archive "
			"update-index interpret-trailers format-patch") ||
		(shows_patch(o) && str_is_any(name, "log whatchanged diff-tree diff-index diff-files"));
	bool restores = str_is_any(name, "checkout restore checkout-index") && !index_only;

	if (str_is(name, "log"))
		git_lines(j, s, o, dir);
	for (size_t i = 0; (reads || restores) && i < o->noperands; i++) {
		const struct word *word = &s->c->argv[o->operands[i]];
		struct where w;

		if (word->kind != WORD_EXACT || !word->text.n)
			continue;
		w = place_lexically(j, dir, strip_pathspec(word->text));
		w.wild = is_wild_inside(word->text);
		if (reads && path_table_secret(j, &w, false))
			raise_secret(j, s, " shows or stores a likely secret");
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
	struct where w = place_lexically(j, dir, STR("."));

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

/* ---- unknown programs ---- */

static bool is_launched(const struct judge *j, const struct subject *s)
{
	for (const struct launch *l = j->f->launches; l; l = l->next)
		if (str_eq(path_base(l->name), s->base))
			return true;
	return false; /* a builtin or a function */
}

/* An unknown program may print a secret that a word names, and the box does not hide its output. */
void paths_unknown_program(struct judge *j)
{
	for (size_t i = 0; i < j->nsubjects; i++) {
		const struct subject *s = &j->subjects[i];

		for (size_t k = 1; s->base.n && !s->row && is_launched(j, s) && k < s->c->argc; k++) {
			struct str text = s->c->argv[k].text;
			ptrdiff_t eq = str_find(text, '=', 0);
			struct where w;

			if (s->c->argv[k].kind != WORD_EXACT || !text.n || (text.p[0] == '-' && eq < 0) ||
					!text_exact(s->c->cwd))
				continue;
			if (str_has(text, ' ') || str_has(text, '\n'))
				continue; /* prose, not a path */
			w = place_lexically(j, s->c->cwd,
				eq < 0 ? text : str_from(text, (size_t)eq + 1));
			if (path_table_secret(j, &w, false))
				raise_secret(j, s, " may read a likely secret");
		}
	}
}

/* ---- secrets that are listed and then read ---- */

/* fd takes a regular expression: returns it without anchors and backslashes. */
static struct str plain_regex(struct judge *j, struct str text)
{
	struct buf b;

	buf_init(&b, j->a, 0);
	for (size_t i = 0; i < text.n; i++)
		if (!strchr("^$\\", text.p[i]))
			buf_char(&b, text.p[i]);
	return buf_view(&b);
}

/* Returns the pattern with x in place of [x]. */
static struct str without_brackets(struct judge *j, struct str pattern)
{
	struct buf b;

	buf_init(&b, j->a, 0);
	for (size_t i = 0; i < pattern.n; i++) {
		bool bracket = i + 2 < pattern.n && pattern.p[i] == '[' && pattern.p[i + 2] == ']';

		buf_char(&b, pattern.p[i + bracket]);
		i += bracket ? 2 : 0;
	}
	return buf_view(&b);
}

/* True for a pattern such as *env, which finds .env and no ordinary file. */
static bool picks_env(struct str pattern)
{
	static const char others[][12] = {
			"main.c", "index.js", "README.md", ".gitignore", "a.json", "Makefile"};

	if (!glob_path(pattern, STR(".env"), 0))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (glob_path(pattern, str_of(others[i]), 0))
			return false;
	return true;
}

/* True if a pattern that selects files by name selects secrets: rg -g .env, grep --include='.env*'. */
static bool selects_secret(struct judge *j, const struct subject *s, struct str pattern)
{
	struct where w;

	pattern = without_brackets(j, pattern);
	if (text_exact(pattern) && picks_env(pattern))
		return true;
	if (!pattern.n || pattern.p[0] == '!' || !text_exact(s->c->cwd))
		return false;
	w = place_lexically(j, s->c->cwd, pattern);
	w.wild = !strchr("*?[", pattern.p[0]);
	return path_table_secret(j, &w, false);
}

/* The same for each pattern of {.env,x}; a pattern with text around the braces is taken as it is. */
static bool any_selects_secret(struct judge *j, const struct subject *s, struct str pattern)
{
	bool any = selects_secret(j, s, pattern);

	if (!str_starts(pattern, "{") || !str_ends(pattern, "}"))
		return any;
	pattern = str_sub(pattern, 1, pattern.n - 1);
	for (size_t at = 0; at < pattern.n;) {
		size_t end = str_end(pattern, ',', at);

		any |= selects_secret(j, s, str_sub(pattern, at, end));
		at = end + 1;
	}
	return any;
}

/* Options of programs that search in files, and those with which they print no content. */
static const struct {
	char programs[40], select[40], silent[48];
} searchers[] = {
	{"grep egrep fgrep zgrep ugrep ug", "--include", "-l -L -c -q"},
	{"rg", "-g --iglob --type-add", "-l -c -q --files --files-without-match"},
	{"ag", "-G", "-l -L -c -g"},
};

/* Returns the pattern of file names in the value of an option of `searchers`. */
static struct str selecting_pattern(struct judge *j, const char *option, struct str value)
{
	if (!strcmp(option, "--iglob"))
		return str_lower(j->a, value);
	if (!strcmp(option, "--type-add")) /* NAME:PATTERN */
		return str_sub(value, str_end(value, ':', 0) + 1, value.n);
	return !strcmp(option, "-G") ? plain_regex(j, value) : value;
}

/* True if this program searches the directory that it runs in, because no path is given. */
static bool searches_cwd(struct judge *j, struct subject *s)
{
	struct know_options *o = NULL;

	if (str_is_any(s->base, "grep egrep fgrep git"))
		o = subject_options(j, s);
	else if (!str_is_any(s->base, "rg ag ack pt sift rgrep ug ugrep"))
		return false;
	if (str_is(s->base, "git") && !(o && o->name && !strcmp(o->name, "git grep") &&
			know_has(o, "--no-index")))
		return false;
	if (o && !str_is(s->base, "git") && !know_has(o, "-r") && !know_has(o, "-R"))
		return false;
	for (const struct access *x = j->f->accesses; x; x = x->next)
		if (x->kind == ACCESS_READ && x->below && command_covers(s->c, x->at))
			return false;
	return text_exact(s->c->cwd);
}

static void selected_secrets(struct judge *j, struct subject *s)
{
	if (searches_cwd(j, s)) {
		struct where w = place_lexically(j, s->c->cwd, STR("."));

		if (path_table_secret(j, &w, true) || path_table_process(w.path))
			raise_secret(j, s, " searches a directory that likely holds secrets");
	}
	for (size_t i = 0; i < ARRAY_SIZE(searchers); i++) {
		struct know_options *o = str_is_any(s->base, searchers[i].programs) ? subject_options(j, s)
										      : NULL;
		struct str rest = str_of(searchers[i].silent), word;
		bool silent = !o;

		while (!silent && (word = str_word(&rest)).n)
			silent = know_has(o, str_c(j->a, word));
		rest = str_of(searchers[i].select);
		while (!silent && (word = str_word(&rest)).n) {
			const struct know_option *k = NULL;
			const char *option = str_c(j->a, word);

			while ((k = know_option_find(o, option, k)))
				if (k->value.kind == WORD_EXACT && any_selects_secret(j, s,
						selecting_pattern(j, option, k->value.text)))
					raise_secret(j, s, " searches in a likely secret");
		}
	}
}

/* Returns the name that this word asks for; fd -e env asks for *.env. */
static struct str listed_name(struct judge *j, const struct subject *s, size_t k)
{
	struct str text = plain_regex(j, without_brackets(j, s->c->argv[k].text)),
			option = s->c->argv[k - 1].text;

	if (str_is_any(s->base, "fd fdfind") && (str_is(option, "-e") || str_is(option, "--extension")))
		return str_fmt(j->a, "*.%.*s", STR_ARG(text));
	if (str_is(option, "-iname") || str_is(option, "-ipath"))
		return str_lower(j->a, text);
	return text;
}

#define FD_PART_MIN 3 /* letters of a part of .env that fd finds it by */

/* True for ls ~/.ssh or find ~ -name id_rsa, which list secrets. */
static bool lists_secrets(struct judge *j, struct subject *s)
{
	struct know_options *o = str_is_any(s->base, "fd fdfind") ? subject_options(j, s) : NULL;
	bool hidden = o && (know_has(o, "-H") || know_has(o, "-u"));
	bool runs = o && (know_has(o, "-x") || know_has(o, "-X")), globs = o && know_has(o, "-g");

	if (!str_is_any(s->base, "find ls fd fdfind locate plocate eza exa") || !text_exact(s->c->cwd))
		return false;
	for (size_t k = 1; k < s->c->argc; k++) {
		struct where w;

		if (runs && str_starts(s->c->argv[k].text, "--search-path=")) {
			w = place_lexically(j, s->c->cwd, str_from(s->c->argv[k].text, 14));
			if (path_table_secret(j, &w, true))
				return true;
		}
		if (hidden && str_contains(STR(".env"), listed_name(j, s, k)) &&
				s->c->argv[k].text.n >= FD_PART_MIN)
			return true;
		if (s->c->argv[k].kind != WORD_EXACT || !s->c->argv[k].text.n ||
				s->c->argv[k].text.p[0] == '-' || str_is(s->c->argv[k - 1].text, "!") ||
				str_is(s->c->argv[k - 1].text, "-not"))
			continue;
		w = place_lexically(j, s->c->cwd, listed_name(j, s, k));
		w.wild = (globs || str_ends(s->c->argv[k - 1].text, "name")) &&
			 !strchr("*?[", s->c->argv[k].text.p[0]); /* '*.c' asks for no secret */
		if (path_table_secret(j, &w, runs && k > 1))
			return true;
	}
	return false;
}

/* find DIR -exec cat {} +: the command of find reads what it finds. */
static bool found_by(const struct subject *s, const struct access *x)
{
	return str_is(s->base, "find") && x->path.glob && command_covers(s->c, x->at);
}

void paths_listed_secrets(struct judge *j)
{
	static const char lookers[] =
			"ls stat wc du test [ file dirname basename readlink realpath chmod touch cd find";

	for (size_t i = 0; i < j->nsubjects; i++) {
		selected_secrets(j, &j->subjects[i]);
		if (!lists_secrets(j, &j->subjects[i]))
			continue;
		for (const struct access *x = j->f->accesses; x; x = x->next)
			if (x->kind == ACCESS_READ && !x->elsewhere && !access_by_any(x, lookers) &&
				(!path_known(&x->path) || found_by(&j->subjects[i], x)))
				judge_raise_at_most(j, CHECK_SECRET_READ, GRADE_DENY, x->at,
					judge_quote(j, "what ", j->subjects[i].c->at,
						" lists is a likely secret and may be read here"),
					NULL);
	}
}
