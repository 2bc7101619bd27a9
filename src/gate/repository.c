/*
 * Planted repositories. To git, a directory that holds HEAD, objects and refs (or commondir, which points to
 * those) is a repository, and its config may name programs that even `git status` runs. Anything that may
 * write files in the project can make one, also earlier in the same request. So git in such a directory, or
 * below it, runs in the box.
 */
#include "base/descriptor.h"
#include "gate/overlay.h"

#define CLIMB_MAX 64 /* visited directories above git's start directory */

static void look_one(struct judge *j, const struct access *x, const struct where *w, void *ctx)
{
	(void)j, (void)x;
	*(bool *)ctx |= w->answer && w->answer->target != PATH_ABSENT && w->answer->target != PATH_UNREADABLE;
}

static struct str path_below(struct judge *j, struct str dir, const char *name)
{
	return str_path(j->a, str_is(dir, "/") ? STR("") : dir, str_of(name));
}

static bool on_disk(struct judge *j, struct str path)
{
	struct access x = {.kind = ACCESS_READ, .path = {.kind = WORD_EXACT, .text = path}};
	bool found = false;

	paths_each(j, &x, look_one, &found);
	return found;
}

/* True if it exists on the disk, or the request put it there before. */
static bool is_present(struct judge *j, struct str dir, const char *name, struct moment use)
{
	struct str path = path_below(j, dir, name);
	bool there = on_disk(j, path); /* always asks, whatever the request did */

	return overlay_exists(j, path, use) || there;
}

struct str repository_start(struct judge *j, struct subject *s, struct str dir)
{
	struct know_options *o = subject_options(j, s);

	for (size_t i = 0; i < o->noptions; i++) {
		struct know_option *k = &o->options[i];

		/* not the -C of git commit and git branch */
		if (!k->global || strcmp(k->name, "-C") != 0)
			continue;
		if (!k->has_value || k->value.kind != WORD_EXACT)
			return STR("");
		/* holes are NUL bytes, and str_cat() keeps them */
		dir = str_starts(k->value.text, "/") ? k->value.text
						     : str_cat(j->a, str_cat(j->a, dir, STR("/")),
						     k->value.text);
	}
	return text_exact(dir) && str_starts(dir, "/") ? dir : STR("");
}

static void real_one(struct judge *j, const struct access *x, const struct where *w, void *ctx)
{
	(void)j, (void)x;
	*(struct str *)ctx = w->real;
}

/* git searches upwards from the resolved directory. */
static struct str real_directory(struct judge *j, struct str dir)
{
	struct access x = {.kind = ACCESS_READ, .path = {.kind = WORD_EXACT, .text = dir}};
	struct str real = path_plain(j->a, dir);

	paths_each(j, &x, real_one, &real);
	return real;
}

/*
 * True if the directory has a .git of its own, which git finds before it considers the directory itself. git
 * worktree add and git clone create none in a directory that is not empty.
 */
static bool has_own(struct judge *j, struct str dir, struct moment use)
{
	struct str own = path_below(j, dir, ".git");
	const struct access *made = overlay_repository(j, dir, use);

	if (on_disk(j, own) && !overlay_removed(j, own, use))
		return true;
	return made && !(made->below && is_present(j, dir, "HEAD", made->when));
}

/* GIT_OBJECT_DIRECTORY names the objects, so the directory needs none. */
static bool objects_elsewhere(const struct judge *j)
{
	for (const struct setting *v = j->f->settings; v; v = v->next)
		if (str_is(v->name, "GIT_OBJECT_DIRECTORY"))
			return true;
	return false;
}

static bool looks_bare(struct judge *j, struct str dir, struct moment use)
{
	if (!is_present(j, dir, "HEAD", use))
		return false;
	/* ask all at once: every question that depends on an answer costs a round */
	bool objects = is_present(j, dir, "objects", use) || objects_elsewhere(j);
	bool refs = is_present(j, dir, "refs", use), common = is_present(j, dir, "commondir", use);
	bool own = has_own(j, dir, use);
	return ((objects && refs) || common) && !own && !str_ends(dir, "/.git");
}

/*
 * If this is a file by which git runs programs, returns the git directory that it would belong to; else
 * empty.
 */
static struct str git_dir_of(struct str path)
{
	if (str_like_any(path_base(path), "config config.worktree commondir"))
		return path_above(path);
	for (struct str dir = path_above(path); dir.n > 1; dir = path_above(dir))
		if (str_is(path_base(dir), "hooks"))
			return path_above(dir);
	return STR("");
}

bool repository_file(struct judge *j, struct str path)
{
	struct str dir = git_dir_of(path);

	if (!dir.n || !on_disk(j, path_below(j, dir, "HEAD")))
		return false;
	bool objects = on_disk(j, path_below(j, dir, "objects")),
	     refs = on_disk(j, path_below(j, dir, "refs")),
	     common = on_disk(j, path_below(j, dir, "commondir"));
	return (objects && refs) || common;
}

/* Returns the planted repository that git would find from this directory upwards, or empty. */
static struct str planted_around(struct judge *j, struct str start, struct moment use)
{
	struct str dir = real_directory(j, start), lower;

	for (unsigned i = 0; i < CLIMB_MAX && !looks_bare(j, dir, use); i++) {
		if (dir.n <= 1 || str_eq(dir, j->v->project))
			/* directories above the project are not the request's work */
			return STR("");
		dir = path_above(dir);
	}
	for (lower = real_directory(j, start); lower.n > dir.n; lower = path_above(lower))
		if (has_own(j, lower, use))
			return STR("");
	return dir;
}

/* Programs that run git on their own. */
static const char run_git[] = "git gh glab hub tig lazygit gitui gitk jj git-lfs pre-commit";

static bool runs_git(const struct subject *s)
{
	return str_like_any(s->base, run_git) || str_starts(s->base, "git-");
}

/* True if this git command reads no repository of its start directory. */
static bool reads_none(struct judge *j, struct subject *s)
{
	struct know_options *o = subject_options(j, s);
	const struct word *first = o->nwords ? &s->c->argv[o->words[0]] : NULL;

	if (!str_is(s->base, "git") || o->maybe_option)
		return false;
	if (!first)
		return know_has(o, "--version") || know_has(o, "--help") || s->c->argc == 1;
	if (first->kind != WORD_EXACT)
		return false;
	return str_like_any(first->text, "clone help init version") ||
	       (str_is(first->text, "config") && (know_has(o, "--global") || know_has(o, "--system")));
}

#define NOT_KNOWN STR("?") /* not a path: result of find_planted() for an unknown directory */

/* True for a word that is git's own output of the work tree's top, and not that of a function called git. */
static bool is_toplevel(struct judge *j, struct span at)
{
	struct str bytes = at.text < j->f->ntexts ? str_sub(j->f->texts[at.text].bytes, at.from, at.to) :
			STR("");

	if (!str_is_like(bytes, "\"$(git rev-parse --show-toplevel)\"") &&
			!str_is_like(bytes, "$(git rev-parse --show-toplevel)"))
		return false;
	for (const struct launch *l = j->f->launches; l; l = l->next)
		if (str_is(l->name, "git") && l->at.text == at.text && l->at.from >= at.from &&
				l->at.to <= at.to)
			return true;
	return false;
}

/*
 * True if the directory is unknown only because the request went to the top of the work tree. git finds the
 * same repository there as the preceding `git rev-parse`, which is judged separately.
 */
static bool at_toplevel(struct judge *j, struct subject *s)
{
	bool moved = false;

	for (const struct via *v = s->c->via; v; v = v->outer)
		if (v->kind != VIA_DIRECT && v->kind != VIA_SUBST)
			return false;
	for (const struct setting *v = j->f->settings; v; v = v->next)
		if (str_starts(v->name, "GIT_") || !text_exact(v->name))
			return false;
	for (size_t i = 0; i < j->nsubjects; i++) {
		const struct command *c = j->subjects[i].c;

		if (!str_like_any(j->subjects[i].base, "cd chdir pushd popd"))
			continue;
		if (c->argc != 2 || !is_toplevel(j, c->argv[1].at))
			return false;
		moved = true;
	}
	return moved && !know_option_find(subject_options(j, s), "-C", NULL);
}

struct str repository_seen_from(struct judge *j, struct subject *s, struct str dir)
{
	struct str from = repository_start(j, s, dir);

	return from.n || !at_toplevel(j, s) ? from : j->v->cwd;
}

/* Returns the planted repository that git may find, NOT_KNOWN, or empty. */
static struct str find_planted(struct judge *j, struct subject *s)
{
	struct str found = STR(""), unknown = reads_none(j, s) ? STR("") : NOT_KNOWN;

	for (size_t i = 0; (i < s->c->ndirs || !i) && !found.n; i++) {
		struct str dir = repository_seen_from(j, s, s->c->ndirs ? s->c->dirs[i] : s->c->cwd);

		if (path_descriptor(dir) != DESCRIPTOR_NONE)
			dir = STR(""); /* an unknown open directory */
		found = dir.n ? planted_around(j, dir, s->c->when) : unknown;
	}
	return found;
}

void repository_ask(struct judge *j)
{
	for (size_t i = 0; i < j->nsubjects; i++)
		if (runs_git(&j->subjects[i])) {
			find_planted(j, &j->subjects[i]);
			for (size_t k = 0; k < j->subjects[i].c->ndirs; k++)
				if (text_exact(j->subjects[i].c->dirs[k]) &&
					str_starts(j->subjects[i].c->dirs[k], "/"))
					git_hooks_answer(j, j->subjects[i].c->dirs[k]);
		}
}

#define LOOKS_LIKE "'%.*s' looks like a repository, whose settings may make git run programs"
#define UNKNOWN_DIRECTORY \
	" runs git in a directory that is not known, and the settings of a repository there may name " \
			"programs"

void repository_planted(struct judge *j, const struct check *c)
{
	for (size_t i = 0; i < j->nsubjects; i++) {
		struct subject *s = &j->subjects[i];
		struct str dir = runs_git(s) ? find_planted(j, s) : STR("");

		if (!dir.n)
			continue;
		judge_say(j, c, s->c->at, str_starts(dir, "/") ? str_fmt(j->a, LOOKS_LIKE, STR_ARG(dir)) :
			judge_quote(j, "", s->c->at, UNKNOWN_DIRECTORY));
	}
}

/*
 * True if this way to a command keeps the directory, or the reader tracks it. Other ways may run the command
 * anywhere.
 */
static bool step_stays(const struct via *v)
{
	switch (v->kind) {
	case VIA_DIRECT:
	case VIA_SUBST:
	case VIA_PROCSUB:
	case VIA_FUNCTION:
	case VIA_ALIAS:
	case VIA_EVAL:
	case VIA_TRAP:
	case VIA_SOURCE:
	case VIA_SH_C:
	case VIA_STDIN_SHELL:
	case VIA_XARGS: return true;
	case VIA_CODE:
		return v->lang == LANG_PYTHON || v->lang == LANG_JAVASCRIPT || v->lang == LANG_POWERSHELL;
	case VIA_WRAPPER: return str_like_any(str_of(v->name),
			"env command exec builtin nice ionice nohup time timeout stdbuf setsid sudo watch");
	default: return false;
	}
}

static bool stays(const struct via *v)
{
	for (; v; v = v->outer)
		if (!step_stays(v))
			return false;
	return true;
}

/* True for the same directory, one above it or one below it: git searches in both directions. */
static bool is_related(const struct judge *j, struct str path)
{
	for (const struct root *r = j->v->unvetted.workspaces; r; r = r->next)
		if (path_within(path, r->path) || path_within(r->path, path))
			return true;
	return false;
}

static void related_one(struct judge *j, const struct access *x, const struct where *w, void *ctx)
{
	bool *found = ctx;

	(void)x;
	*found |= !w->sure || is_related(j, w->path) || is_related(j, w->real);
}

/* Tests the path as written and its target. An unknown path may lie anywhere. */
static bool leads_there(struct judge *j, struct str dir, struct str path)
{
	struct access x = {.kind = ACCESS_READ};
	bool found = false;

	x.path = (struct word){.kind = WORD_EXACT, .text = str_starts(path, "/") ? path
			: str_path(j->a, dir, path)};
	return !paths_each(j, &x, related_one, &found) || found;
}

/* True if a global option or a variable places the repository or its files there. */
static bool named_there(struct judge *j, struct subject *s, struct str dir)
{
	struct know_options *o = subject_options(j, s);

	for (size_t i = 0; i < o->noptions; i++) {
		struct know_option *k = &o->options[i];

		if (k->global && str_like_any(str_of(k->name), "--git-dir --work-tree") &&
				(!k->has_value || k->value.kind != WORD_EXACT ||
				leads_there(j, dir, k->value.text)))
			return true;
	}
	for (const struct setting *v = j->f->settings; v; v = v->next)
		if (str_starts(v->name, "GIT_") && (!text_exact(v->value) || leads_there(j, dir, v->value)))
			return true;
	return false;
}

/*
 * True if a word names something in an unvetted workspace. Options of programs other than git are not parsed.
 */
static bool is_mentioned(struct judge *j, const struct subject *s, struct str dir)
{
	for (size_t i = 1; i < s->c->argc; i++) {
		struct str text = s->c->argv[i].text, path;
		ptrdiff_t equals = str_find(text, '=', 0);

		if (str_starts(text, "-") && equals > 0)
			text = str_from(text, (size_t)equals + 1);
		path = path_plain(j->a, str_starts(text, "/") ? text : str_path(j->a, dir, text));
		for (const struct root *r = j->v->unvetted.workspaces; r; r = r->next)
			if (path_within(path, r->path))
				return true;
	}
	return false;
}

/*
 * True if an unknown word may be an option that names a directory. git's such options precede its subcommand.
 */
static bool hidden_option(struct judge *j, struct subject *s)
{
	struct know_options *o = subject_options(j, s);
	size_t end = str_is(s->base, "git") && o->nwords ? o->words[0] : s->c->argc;

	for (size_t i = 1; i < end && !str_like_any(s->base, "gh glab hub pre-commit"); i++)
		if (s->c->argv[i].kind != WORD_EXACT)
			return true;
	return false;
}

static bool meets_unvetted(struct judge *j, struct subject *s)
{
	struct str dir;

	if (j->v->unvetted.everywhere)
		return true;
	if (!j->v->unvetted.workspaces)
		return false;
	dir = repository_start(j, s, s->c->cwd);
	return is_related(j, j->v->project) || !dir.n || !stays(s->c->via) || leads_there(j, dir, STR(".")) ||
			hidden_option(j, s) || named_there(j, s, dir) || is_mentioned(j, s, dir);
}

void repository_unvetted(struct judge *j, const struct check *c)
{
	if (!j->v->unvetted.everywhere && !j->v->unvetted.workspaces)
		return;
	for (size_t i = 0; i < j->nsubjects; i++) {
		struct subject *s = &j->subjects[i];

		if (runs_git(s) && meets_unvetted(j, s))
			judge_say(j, c, s->c->at,
					STR("programs in a box may have left repositories there that have "
					"not been checked yet"));
	}
}
