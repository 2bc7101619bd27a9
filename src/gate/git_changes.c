/*
 * Finds the commits that the words of a command name, and the protected files that differ in them. See
 * git_changes.h.
 */
#include "gate/git_changes.h"

#include "gate/path_table.h"

#define NAMES_SHOWN 3

struct git_form { /* one command, parsed */
	struct judge *j;
	struct subject *s;
	struct str start; /* directory it starts in */
	struct know_options *o;
	size_t n;       /* operands before "--" */
	bool has_paths; /* "--" is present */
	bool backwards; /* undoes commits */
	bool from_index; /* writes the content of the index */
	struct git_changes *ret;
	enum git_change change;
	struct str revs;
};

/* ---- words ---- */

static struct str operand_at(const struct git_form *f, size_t i)
{
	return word_abstract(&f->s->c->argv[f->o->operands[i]]);
}

static bool has_any(const struct git_form *f, const char *const *options)
{
	for (; *options; options++)
		if (know_has(f->o, *options))
			return true;
	return false;
}

static void split_operands(struct git_form *f)
{
	size_t dashes = f->s->c->argc;

	for (size_t i = f->s->c->argc; i-- > 1;)
		if (f->s->c->argv[i].kind == WORD_EXACT && str_is(f->s->c->argv[i].text, "--"))
			dashes = i;
	f->has_paths = dashes < f->s->c->argc;
	while (f->n < f->o->noperands && f->o->operands[f->n] < dashes)
		f->n++;
}

/*
 * True if there may be further, unknown options or operands. The value of an option is one word, known or
 * not.
 */
static bool may_have_more(const struct git_form *f)
{
	for (size_t i = 1; i < f->s->c->argc; i++)
		if (f->s->c->argv[i].kind == WORD_REST)
			return true;
	return f->o->maybe_option;
}

static bool operands_known(const struct git_form *f)
{
	for (size_t i = 0; i < f->o->noperands; i++)
		if (f->s->c->argv[f->o->operands[i]].kind != WORD_EXACT)
			return false;
	return !may_have_more(f);
}

/* Holes are NUL bytes, and str_cat() keeps them. */
static void add_rev(struct git_form *f, struct str rev)
{
	f->revs = str_cat(f->j->a, f->revs.n ? str_cat(f->j->a, f->revs, STR(" ")) : f->revs, rev);
}

static void take_revs(struct git_form *f, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		add_rev(f, operand_at(f, i));
}

/* Takes the paths that limit the change, unless one is a pattern or unknown: then any path may change. */
static void take_paths(struct git_form *f, size_t from)
{
	struct str *paths = arena_array(f->j->a, f->o->noperands + 1, sizeof(*paths));
	struct str dir = repository_start(f->j, f->s, f->start);
	size_t n = 0;

	if (!dir.n || !operands_known(f))
		return;
	for (size_t i = from; i < f->o->noperands; i++) {
		struct str path = operand_at(f, i);

		if (!path.n || strpbrk(str_c(f->j->a, path), "*?[\\:"))
			return;
		if (!str_starts(path, "/"))
			path = str_path(f->j->a, dir, path);
		paths[n++] = path_plain(f->j->a, path);
	}
	f->ret->paths = paths;
	f->ret->npaths = n;
}

/* ---- commands ---- */

static enum git_changes_state read_checkout(struct git_form *f)
{
	static const char *const forced[] = {"-f", "--force", "--discard-changes", "-p", "--patch",
		"--overlay", "--no-overlay", "--ours", "--theirs", "-m", NULL};
	static const char *const creates[] = {
		"-b", "-B", "-c", "-C", "--create", "--force-create", "--orphan", NULL};
	bool is_switch = !strcmp(f->o->name, "git switch");

	f->change = GIT_CHANGE_CHECKOUT;
	if ((is_switch && know_has(f->o, "--orphan")) || know_has(f->o, "--recurse-submodules"))
		return GIT_CHANGES_UNKNOWN;
	if (!f->n && f->o->noperands) {
		take_paths(f, 0);
		f->from_index = true;
		return GIT_CHANGES_UNKNOWN;
	}
	if (!f->n)
		return has_any(f, creates) || !has_any(f, forced) ? GIT_CHANGES_NONE : GIT_CHANGES_UNKNOWN;
	f->revs = str_is(operand_at(f, 0), "-") ? STR("@{-1}") : operand_at(f, 0);
	if (f->o->noperands > 1)
		take_paths(f, 1);
	return f->o->noperands > 1 || has_any(f, forced) ? GIT_CHANGES_PARTLY : GIT_CHANGES_KNOWN;
}

static enum git_changes_state read_restore(struct git_form *f)
{
	const struct know_option *source = know_option_find(f->o, "--source", NULL);

	f->change = GIT_CHANGE_CHECKOUT;
	if (!source && know_has(f->o, "--staged") && !know_has(f->o, "--worktree"))
		return GIT_CHANGES_NONE;
	take_paths(f, 0);
	f->from_index = !source;
	if (!source || !source->has_value)
		return GIT_CHANGES_UNKNOWN;
	f->revs = word_abstract(&source->value);
	return GIT_CHANGES_PARTLY;
}

static enum git_changes_state read_reset(struct git_form *f)
{
	static const char *const files[] = {"--hard", "--keep", "--merge", NULL};

	f->change = GIT_CHANGE_CHECKOUT;
	if (!has_any(f, files))
		return GIT_CHANGES_NONE;
	f->revs = f->n ? operand_at(f, 0) : STR("HEAD");
	return know_has(f->o, "--keep") ? GIT_CHANGES_KNOWN : GIT_CHANGES_PARTLY;
}

/*
 * Without -u only the index changes. But a later `git restore '*'` writes from the index, so its names count
 * now.
 */
static enum git_changes_state read_tree(struct git_form *f)
{
	f->change = GIT_CHANGE_CHECKOUT;
	if (!f->n)
		return know_has(f->o, "-u") ? GIT_CHANGES_UNKNOWN : GIT_CHANGES_NONE;
	f->revs = operand_at(f, f->n - 1);
	return GIT_CHANGES_PARTLY;
}

static bool goes_on(const struct git_form *f)
{
	static const char *const options[] = {"--abort", "--continue", "--quit", "--skip", NULL};

	return has_any(f, options);
}

static enum git_changes_state read_merge(struct git_form *f)
{
	f->change = GIT_CHANGE_MERGE;
	if (goes_on(f))
		return know_has(f->o, "--quit") ? GIT_CHANGES_NONE : GIT_CHANGES_UNKNOWN;
	take_revs(f, 0, f->n);
	if (!f->n)
		f->revs = STR("@{upstream}");
	return GIT_CHANGES_KNOWN;
}

static enum git_changes_state read_cherry_pick(struct git_form *f)
{
	f->change = GIT_CHANGE_PICK;
	if (goes_on(f))
		return know_has(f->o, "--quit") ? GIT_CHANGES_NONE : GIT_CHANGES_UNKNOWN;
	take_revs(f, 0, f->n);
	return f->n ? GIT_CHANGES_KNOWN : GIT_CHANGES_NONE;
}

/* Restores files that its commits deleted, including links, which the answer does not list. */
static enum git_changes_state read_revert(struct git_form *f)
{
	f->backwards = true;
	return read_cherry_pick(f);
}

static enum git_changes_state read_stash(struct git_form *f)
{
	struct str what = f->n ? operand_at(f, 0) : STR("push"),
		   which = f->n > 1 ? operand_at(f, 1) : STR("0");

	if (str_like_any(what, "push save")) { /* restores the commit; untracked files go or stay */
		f->change = GIT_CHANGE_REVERT;
		f->revs = STR("HEAD");
		if (f->has_paths || (f->n > 1 && str_is(what, "push")))
			take_paths(f, f->n ? 1 : 0);
		return GIT_CHANGES_KNOWN;
	}
	f->change = GIT_CHANGE_STASH;
	if (str_like_any(what, "list show drop clear create store"))
		return GIT_CHANGES_NONE;
	if (str_is(what, "branch")) { /* checks out the stash's base commit, then applies the stash */
		f->change = GIT_CHANGE_STASH_BRANCH;
		which = f->n > 2 ? operand_at(f, 2) : STR("0");
	} else if (!str_like_any(what, "pop apply")) {
		return GIT_CHANGES_UNKNOWN;
	}
	f->revs = str_is_digits(which) ? str_fmt(f->j->a, "stash@{%.*s}", STR_ARG(which)) : which;
	return GIT_CHANGES_KNOWN;
}

/*
 * Checks out the upstream, or --onto, and picks the branch's own commits. So it writes the differences
 * between HEAD and these. Names that occur only in commits between them are not looked up.
 */
static enum git_changes_state read_rebase(struct git_form *f)
{
	static const char *const quiet[] = {"--quit", "--edit-todo", "--show-current-patch", NULL};
	const struct know_option *onto = know_option_find(f->o, "--onto", NULL);

	f->change = GIT_CHANGE_CHECKOUT;
	if (has_any(f, quiet))
		return GIT_CHANGES_NONE;
	if (goes_on(f) || know_has(f->o, "--root"))
		return GIT_CHANGES_UNKNOWN;
	take_revs(f, 0, f->n);
	if (!f->n)
		f->revs = STR("@{upstream}");
	if (onto && onto->has_value)
		add_rev(f, word_abstract(&onto->value));
	return GIT_CHANGES_PARTLY;
}

/* A remote's commits are not here yet, so their names are unknown; commits of this repository are known. */
static enum git_changes_state read_pull(struct git_form *f)
{
	f->change = know_has(f->o, "--rebase") ? GIT_CHANGE_CHECKOUT : GIT_CHANGE_MERGE;
	if (f->n < 2 || !str_is(operand_at(f, 0), "."))
		return GIT_CHANGES_UNKNOWN;
	take_revs(f, 1, f->n);
	return GIT_CHANGES_PARTLY;
}

/* Checks out commits between a good one and a bad one; the differences at the ends are looked up. */
static enum git_changes_state read_bisect(struct git_form *f)
{
	struct str what = f->n ? operand_at(f, 0) : STR("help");

	f->change = GIT_CHANGE_CHECKOUT;
	if (str_like_any(what, "log view visualize terms help") || know_has(f->o, "--no-checkout"))
		return GIT_CHANGES_NONE;
	if (str_is(what, "start"))
		take_revs(f, 1, f->n);
	else if (str_is_any(what, "reset replay run"))
		return GIT_CHANGES_UNKNOWN;
	else
		f->revs = STR("refs/bisect/bad");
	return f->revs.n ? GIT_CHANGES_PARTLY : GIT_CHANGES_NONE; /* without commits it changes no file */
}

static const struct {
	char name[16];
	enum git_changes_state (*read)(struct git_form *f);
} commands[] = {
	{"git checkout", read_checkout},
	{"git switch", read_checkout},
	{"git restore", read_restore},
	{"git reset", read_reset},
	{"git read-tree", read_tree},
	{"git merge", read_merge},
	{"git cherry-pick", read_cherry_pick},
	{"git revert", read_revert},
	{"git stash", read_stash},
	{"git rebase", read_rebase},
	{"git pull", read_pull},
	{"git bisect", read_bisect},
};

/* ---- references that the request itself moves ---- */

/* True if this revision is relative to the current or a former HEAD. */
static bool from_head(struct str revs)
{
	return str_contains(revs, STR("HEAD")) || str_has(revs, '@');
}

enum moved {
	MOVED_NOTHING,
	MOVED_MAYBE, /* the revision's later meaning is unknown */
	MOVED_REFS,  /* references moved to other commits without a change of files */
};

/* True if the revisions mention one of the references that the command names (f2, refs/heads/f2, f2~1). */
static bool names_any(const struct git_form *f, struct str revs)
{
	if (!operands_known(f))
		return true;
	for (size_t i = 0; i < f->o->noperands; i++)
		if (operand_at(f, i).n && str_contains(revs, operand_at(f, i)))
			return true;
	return false;
}

/* True if git reset names another commit than HEAD. A path counts as a commit. */
static bool reset_elsewhere(const struct git_form *f)
{
	return may_have_more(f) ||
	       (f->n && !str_is(operand_at(f, 0), "HEAD") && !str_is(operand_at(f, 0), "@"));
}

/*
 * git stash makes a new stash@{0}, of files that are looked up for it, or none if nothing is changed; then a
 * later pop takes the stash that is there now. Others renumber stashes.
 */
static enum moved stash_moves(const struct git_form *f, struct str revs)
{
	struct str what = f->n ? operand_at(f, 0) : STR("push");

	if (!str_contains(revs, STR("stash")) || str_is_any(what, "list show apply create"))
		return MOVED_NOTHING;
	return str_is_any(what, "push save") && str_is(revs, "stash@{0}") ? MOVED_MAYBE : MOVED_REFS;
}

/* git fetch and git pull move no stash, unless a refspec of the request says so. */
static bool fetches_apart(const struct git_form *f, struct str revs)
{
	for (size_t i = 0; i < f->o->noperands; i++)
		if (str_has(operand_at(f, i), ':'))
			return false;
	return str_starts(revs, "stash@{") && operands_known(f);
}

/*
 * How a git command of the request may change the meaning of a later one's revisions. Commands that also
 * change files are judged by these files: they move HEAD, and the differences are at most what they have
 * changed.
 */
static enum moved moves(const struct git_form *f, struct str revs)
{
	static const char *const makes[] = {"-b", "-B", "-f", "--fetch", "--orphan", NULL};
	static const char *const resets[] = {"-B", "-C", "--force-create", "--amend", NULL};
	struct str name = str_from(str_of(f->o->name), strlen("git "));

	if (str_is_any(name,
	"add stage restore mv rm clean config init apply sparse-checkout gc maintenance push "
			"archive format-patch clone submodule prune repack update-index write-tree "
			"hash-object read-tree"))
		return MOVED_NOTHING;
	/* these move references only with the options in makes[] */
	if ((str_is_any(name, "worktree notes") || str_is(name, "worktree add") ||
			str_is(name, "worktree remove") || str_is(name, "remote add") ||
			str_is(name, "remote set-url") || str_is(name, "remote remove")) && !has_any(f,
					makes) && !names_any(f, revs))
		return MOVED_NOTHING;
	if (str_is(name, "stash"))
		return stash_moves(f, revs);
	if (str_is_any(name, "fetch pull") && fetches_apart(f, revs))
		return MOVED_NOTHING;
	if (str_is(name, "reset") && !reset_elsewhere(f))
		return MOVED_NOTHING;
	if (str_is_any(name, "checkout switch commit merge cherry-pick revert rebase bisect am"))
		return from_head(revs) || has_any(f, resets) ? MOVED_MAYBE : MOVED_NOTHING;
	/* from HEAD, unless there is a second operand */
	if (str_is_any(name, "branch tag"))
		return !names_any(f, revs) ? MOVED_NOTHING : f->o->noperands > 1 ? MOVED_REFS : MOVED_MAYBE;
	return MOVED_REFS; /* git fetch, git update-ref, git pull, and all others */
}

/* True for a git command that may run before this one and is not read-only. */
static bool earlier_git(struct judge *j, const struct subject *s, size_t i, struct git_form *ret)
{
	struct subject *t = &j->subjects[i];

	*ret = (struct git_form){.j = j, .s = t};
	if (t == s || !str_is(t->base, "git") || !t->row || subject_known(j, t)->readonly)
		return false;
	if (t > s && !moment_precedes(t->c->when, s->c->when))
		return false;
	ret->o = subject_options(j, t);
	split_operands(ret);
	return true;
}

static enum moved moved(struct judge *j, const struct subject *s, struct str revs)
{
	enum moved most = MOVED_NOTHING;
	struct git_form f;

	for (size_t i = 0; i < j->nsubjects; i++) {
		enum moved now = earlier_git(j, s, i, &f) ? moves(&f, revs) : MOVED_NOTHING;

		most = now > most ? now : most;
	}
	return most;
}

/*
 * True if the index may hold another commit's files by now. That is not looked up for `git reset COMMIT`,
 * which changes no file itself.
 */
static bool index_moved(struct judge *j, const struct subject *s)
{
	/* these leave the index alone, or also change files, which are looked up */
	static const char *const apart[] = {"--soft", "--hard", "--keep", "--merge", NULL};
	struct git_form f;

	for (size_t i = 0; i < j->nsubjects; i++)
		if (earlier_git(j, s, i, &f) && !strcmp(f.o->name, "git reset") && reset_elsewhere(&f) &&
			!has_any(&f, apart))
			return true;
	return false;
}

/* ---- the question ---- */

static struct str kept_patterns(struct judge *j)
{
	struct buf b;

	buf_init(&b, j->a, 0);
	for (const struct texts *t = j->p->protected_paths; t; t = t->next)
		buf_fmt(&b, "%.*s\n", STR_ARG(t->text));
	return buf_view(&b);
}

/* True if a merge may place one side's file in a directory that the other side has renamed. */
static bool may_move(const struct tree_answer *t)
{
	if (t->change == GIT_CHANGE_CHECKOUT || t->change == GIT_CHANGE_REVERT)
		return false;
	for (const struct git_touch *x = t->touched; x; x = x->next)
		if (x->kind == GIT_TOUCH_LINK || x->kind == GIT_TOUCH_REPOSITORY ||
			str_like_any(path_base(x->path), "HEAD commondir"))
			return true;
	return false;
}

static void ask_world(struct git_form *f, struct str dir)
{
	struct tree_answer *q = arena_copy(f->j->a, (struct tree_answer){
		.dir = dir, .change = f->change, .revs = f->revs, .keep = kept_patterns(f->j)});

	for (const struct tree_answer *t = f->j->v->trees; t; t = t->next)
		if (tree_same(t, q)) {
			if (!t->known || t->more || may_move(t) || f->backwards)
				f->ret->state = GIT_CHANGES_UNKNOWN;
			f->ret->answer = t;
			return;
		}
	f->ret->state = GIT_CHANGES_UNKNOWN;
	if (!f->j->v->closed &&
		judge_ask(f->j, &(struct question){.kind = QUESTION_TREE, .path = dir, .tree = q}))
		f->ret->state = GIT_CHANGES_ASKED;
}

static bool takes_stash(const struct git_form *f)
{
	return str_starts(f->revs, "stash@{") &&
		(f->change == GIT_CHANGE_STASH || f->change == GIT_CHANGE_STASH_BRANCH);
}

/* The files of a stash that is there now, although the request may make a newer one. */
static void ask_about_stash(struct git_form *f, struct str dir)
{
	ask_world(f, dir);
	if (f->ret->state != GIT_CHANGES_ASKED)
		f->ret->state = GIT_CHANGES_UNKNOWN;
}

/* Returns why the world cannot list the changed names, or NULL if it can. */
static const char *why_blind(struct git_form *f, enum moved how)
{
	if (!text_exact(f->revs))
		return "by an unknown commit";
	if (f->from_index)
		return index_moved(f->j, f->s) ? "after a command that changes the index" : NULL;
	if (!f->revs.n)
		return NULL;
	if (know_has(f->o, "--git-dir") || know_has(f->o, "--work-tree"))
		return "with --git-dir or --work-tree";
	return how == MOVED_REFS ? "after a command that moves references" : NULL;
}

void git_changes_of(struct judge *j, struct subject *s, struct str start, struct git_changes *ret)
{
	struct git_form f = {.j = j, .s = s, .start = start, .ret = ret, .revs = STR("")};
	struct str dir = repository_seen_from(j, s, start);
	enum moved how;
	size_t i = 0;

	*ret = (struct git_changes){0};
	if (!str_is(s->base, "git") || !s->row)
		return;
	f.o = subject_options(j, s);
	while (i < ARRAY_SIZE(commands) && strcmp(f.o->name, commands[i].name) != 0)
		i++;
	if (i == ARRAY_SIZE(commands))
		return;
	ret->followed = true;
	split_operands(&f);
	ret->state = dir.n ? commands[i].read(&f) : GIT_CHANGES_UNKNOWN;
	if (ret->state == GIT_CHANGES_NONE && operands_known(&f))
		return;
	how = moved(j, s, f.revs);
	if (takes_stash(&f) && s->c->when.again && !str_is(operand_at(&f, 0), "apply"))
		how = MOVED_REFS; /* in a loop the next one is another stash */
	ret->blind = why_blind(&f, how);
	ret->unnamed = !text_exact(f.revs);
	if (ret->blind || how != MOVED_NOTHING || !operands_known(&f))
		ret->state = GIT_CHANGES_UNKNOWN;
	if (ret->state == GIT_CHANGES_KNOWN || ret->state == GIT_CHANGES_PARTLY)
		ask_world(&f, dir);
	else if (dir.n && !ret->blind && operands_known(&f) && takes_stash(&f))
		ask_about_stash(&f, dir);
}

bool git_changes_touch(const struct git_changes *t, struct str path)
{
	for (size_t i = 0; i < t->npaths; i++)
		if (path_within(path, t->paths[i]))
			return true;
	return !t->npaths;
}

static void check_start(struct judge *j, struct subject *s, struct str start)
{
	struct git_changes t;
	struct buf b;
	size_t n = 0;

	git_changes_of(j, s, start, &t);
	if (t.blind)
		judge_raise_at_most(j, CHECK_PROTECTED_WRITE, GRADE_ASK, s->c->at,
			str_fmt(j->a, "the files that %s changes %s cannot be determined; protected files "
			"may be among them",
				subject_options(j, s)->name, t.blind),
			t.unnamed ? "write the name of the commit out" : "run it as a separate command");
	buf_init(&b, j->a, 0);
	for (const struct git_touch *x = t.answer ? t.answer->touched : NULL; x; x = x->next) {
		if (!git_changes_touch(&t, x->path) || !path_table_protected(j, x->path))
			continue;
		if (n++ < NAMES_SHOWN)
			buf_fmt(&b, "%s'%.*s'", n > 1 ? ", " : "", STR_ARG(x->path));
	}
	if (n)
		judge_raise_at_most(j, CHECK_PROTECTED_WRITE, GRADE_DENY, s->c->at,
			str_fmt(j->a, "%s changes %s that other programs run or obey: %.*s%s",
				subject_options(j, s)->name, n > 1 ? "files" : "a file",
				STR_ARG(buf_view(&b)), n > NAMES_SHOWN ? ", ..." : ""),
			NULL);
}

/* Checks every directory where the command may start: a preceding `cd` may have failed. */
void git_changes_check(struct judge *j)
{
	for (size_t i = 0; i < j->nsubjects; i++) {
		struct subject *s = &j->subjects[i];

		for (size_t k = 0; k < s->c->ndirs || !k; k++)
			check_start(j, s, s->c->ndirs ? s->c->dirs[k] : s->c->cwd);
	}
}
