/*
 * Hooks of a repository, and programs that its settings name, are content of the project like its scripts: a
 * git command that runs one runs in the box. knowledge/git.yaml says which hooks a subcommand fires and which
 * settings it obeys; the world says which of them exist.
 */
#include "gate/overlay.h"

#define NAMES_SHOWN 3

const struct git_answer *git_hooks_answer(struct judge *j, struct str dir)
{
	for (const struct git_answer *g = j->v->gits; g; g = g->next)
		if (str_eq(g->dir, dir))
			return g;
	if (!j->v->closed)
		judge_ask(j, &(struct question){.kind = QUESTION_GIT, .path = dir});
	return NULL;
}

static const struct git_item *item_find(const struct git_item *i, struct str name)
{
	while (i && !str_eq(i->name, name))
		i = i->next;
	return i;
}

/* A later option overrides an earlier one; with both, the option counts as absent. */
static bool is_given(const struct know_options *o, const char *option, const char *opposite)
{
	return know_has(o, option) && !know_has(o, opposite);
}

/* "--continue:pre-commit" counts only with that option. Strips the condition from `word`. */
static bool applies(struct judge *j, const struct know_options *o, struct str *word)
{
	ptrdiff_t colon = str_find(*word, ':', 0);

	if (colon <= 0)
		return true;
	struct str option = str_first(*word, (size_t)colon);
	*word = str_from(*word, (size_t)colon + 1);
	return know_has(o, str_c(j->a, option)) || o->maybe_option;
}

/* True if this word of `fires` names a hook that would run. */
static const struct git_item *find_fired(
	struct judge *j, const struct know_options *o, const struct git_answer *g, struct str word)
{
	bool skipped = str_ends(word, "?") && is_given(o, "--no-verify", "--verify");

	word.n -= str_ends(word, "?");
	return !applies(j, o, &word) || skipped ? NULL : item_find(g->hooks, word);
}

/* "filter.*.clean" matches "filter.lfs.clean", and "gpg.*" every setting of the section. */
static bool setting_matches(struct str pattern, struct str name)
{
	ptrdiff_t dot = str_find(pattern, '.', 0);
	size_t last = pattern.n;

	while (last > 0 && pattern.p[last - 1] != '.')
		last--;
	if (dot < 0 || name.n <= (size_t)dot ||
		!str_eq(str_first(pattern, (size_t)dot + 1), str_first(name, (size_t)dot + 1)))
		return false;
	struct str key = str_from(pattern, last);
	return str_is(key, "*") || (name.n > key.n && str_eq(str_from(name, name.n - key.n), key));
}

/* True if the row's `obeys` lists this setting, for the given options. */
static bool is_listed(
	struct judge *j, const struct know_options *o, const struct know_row *row, struct str name)
{
	struct str list = know_obeys(row);

	for (struct str word = str_word(&list); word.n; word = str_word(&list))
		if (applies(j, o, &word) && setting_matches(word, name))
			return true;
	return false;
}

static void tell_hooks(struct judge *j, const struct check *c, struct subject *s, const struct git_answer *g)
{
	struct know_options *o = subject_options(j, s);
	const struct know_row *rows[] = {s->row, o->row};
	struct buf b;
	size_t n = 0;

	buf_init(&b, j->a, 0);
	for (size_t i = 0; i < 2 && !(i && rows[1] == rows[0]); i++) {
		struct str list = know_fires(rows[i]);

		for (struct str word = str_word(&list); word.n; word = str_word(&list)) {
			const struct git_item *hook = find_fired(j, o, g, word);

			if (hook && n++ < NAMES_SHOWN)
				buf_fmt(&b, "%s'%.*s'", n > 1 ? ", " : "", STR_ARG(hook->text));
		}
	}
	if (n)
		judge_say(j, c, s->c->at,
			str_fmt(j->a, "%s runs %s of this repository: %.*s%s", o->name,
				n > 1 ? "hooks" : "a hook", STR_ARG(buf_view(&b)),
				n > NAMES_SHOWN ? ", ..." : ""));
}

static void tell_programs(
	struct judge *j, const struct check *c, struct subject *s, const struct git_answer *g)
{
	struct know_options *o = subject_options(j, s);

	for (const struct git_item *p = g->programs; p; p = p->next)
		if (is_listed(j, o, o->row, p->name) || is_listed(j, o, s->row, p->name)) {
			judge_say(j, c, s->c->at,
				str_fmt(j->a, "%s runs '%.*s', a program of this project (%.*s)", o->name,
					STR_ARG(p->text), STR_ARG(p->name)));
			return;
		}
	if (g->unclear)
		judge_say(j, c, s->c->at,
			str_fmt(j->a,
				"%s reads a configuration in '%.*s' that caisson cannot parse and that may "
				"run programs",
				o->name, STR_ARG(g->top)));
}

/*
 * Returns the directory of the hooks if git starts in this directory: there, or in the repository that an
 * option names. Empty if unknown.
 */
static struct str hooks_directory(struct judge *j, struct subject *s, struct str from)
{
	const struct know_option *k = know_option_find(subject_options(j, s), "--git-dir", NULL);
	struct str dir = repository_seen_from(j, s, from);

	if (!k || !dir.n)
		return dir;
	if (!k->has_value || k->value.kind != WORD_EXACT)
		return STR("");
	return str_starts(k->value.text, "/")
		       ? k->value.text
		       : str_path(j->a, dir, k->value.text);
}

/* The directories where git may start; one unknown directory if there is none. */
static size_t count_starts(const struct subject *s)
{
	return s->c->ndirs ? s->c->ndirs : 1;
}
static struct str start_at(const struct subject *s, size_t i)
{
	return s->c->ndirs ? s->c->dirs[i] : s->c->cwd;
}

static void check_start(struct judge *j, const struct check *c, struct subject *s, struct str from)
{
	struct str dir = hooks_directory(j, s, from);
	const struct git_answer *g = dir.n ? git_hooks_answer(j, dir) : NULL;
	bool brought = dir.n && overlay_checked_out(j, path_plain(j->a, dir), s->c->when);

	if ((brought || (!g && (!dir.n || j->v->closed))) && know_fires(subject_options(j, s)->row).n &&
		subject_options(j, s)->row != s->row)
		judge_say(j, c, s->c->at,
			str_fmt(j->a, "%s may run hooks: the repository is unknown",
				subject_options(j, s)->name));
	if (!g || !g->found)
		return;
	tell_hooks(j, c, s, g);
	tell_programs(j, c, s, g);
}

void git_hooks_check(struct judge *j, const struct check *c)
{
	for (size_t i = 0; i < j->nsubjects; i++)
		for (size_t k = 0; str_is(j->subjects[i].base, "git") && j->subjects[i].row &&
				   k < count_starts(&j->subjects[i]);
			k++)
			check_start(j, c, &j->subjects[i], start_at(&j->subjects[i], k));
}

/* ---- remotes ---- */

/* "git config [set] KEY VALUE" with a key that takes no part in fetches. */
static bool is_harmless_config(struct judge *j, struct subject *s)
{
	static const char keys[] =
		"user.name user.email core.autocrlf core.eol core.filemode core.ignorecase "
		"core.quotepath core.longpaths advice.detachedhead color.ui commit.gpgsign "
		"diff.algorithm fetch.prune gc.auto init.defaultbranch log.date merge.conflictstyle "
		"merge.ff pull.ff push.autosetupremote push.default push.followtags rebase.autosquash "
		"rebase.autostash rerere.enabled tag.gpgsign";
	const struct know_options *o = subject_options(j, s);
	const struct word *w[3] = {0};
	size_t n = 0;
	struct str key;

	for (size_t i = 0; i < o->noperands; i++) {
		const struct word *one = &s->c->argv[o->operands[i]];

		if (i == 0 && one->kind == WORD_EXACT && str_is(one->text, "set"))
			continue;
		if (n == 2)
			return false;
		w[n++] = one;
	}
	if (n != 2 || o->maybe_option || w[0]->kind != WORD_EXACT || know_has(o, "--rename-section"))
		return false;
	key = str_lower(j->a, w[0]->text);
	if (str_is(key, "pull.rebase")) /* other values open an editor */
		return w[1]->kind == WORD_EXACT && str_is_any(w[1]->text, "true false merges");
	return str_is_any(key, keys);
}

/* True if the request itself may change which remotes the repository has. */
static bool changes_remotes(struct judge *j, const struct subject *s)
{
	static const char names[][16] = {"git config", "git remote", "git submodule", "git clone", "git init",
		"git worktree", "git bundle", ""};

	for (size_t i = 0; i < j->nsubjects; i++) {
		struct subject *other = &j->subjects[i];
		struct str name = other->row ? str_of(subject_options(j, other)->name) : STR("");

		if (str_is(name, "git branch") && know_has(subject_options(j, other), "--set-upstream-to"))
			return true;
		for (size_t k = 0; other != s && str_is(other->base, "git") && names[k][0]; k++)
			if (str_starts(name, names[k]) && !subject_known(j, other)->readonly &&
				!(str_is(name, "git config") && is_harmless_config(j, other)))
				return true;
	}
	return false;
}

static const struct git_item *find_remote(const struct git_answer *g, struct str word)
{
	for (const struct git_item *i = g->remotes; i; i = i->next)
		if (str_eq(i->name, word) || str_eq(i->text, word))
			return i;
	return NULL;
}

/* Returns the host of https://HOST[:PORT]/..., ssh://[USER@]HOST[:PORT]/... and [USER@]HOST:PATH. */
static struct str remote_host(struct str url)
{
	ptrdiff_t at;
	size_t n = 0;

	if (str_starts(url, "https://") || str_starts(url, "ssh://"))
		url = str_from(url, url.p[0] == 'h' ? 8 : 6);
	while (n < url.n && url.p[n] != '/')
		n++;
	url = str_first(url, n);
	while ((at = str_find(url, '@', 0)) >= 0)
		url = str_from(url, (size_t)at + 1);
	at = str_find(url, ':', 0);
	return at >= 0 ? str_first(url, (size_t)at) : url;
}

static struct str refspec_target(struct str spec)
{
	ptrdiff_t colon = str_find(spec, ':', 0);

	return colon < 0 ? STR("") : str_from(spec, (size_t)colon + 1);
}

/*
 * References of remotes count as known to their servers, so they come only from these. Others mean something
 * to git: refs/replace/ID shows one object in the place of another.
 */
bool git_hooks_refspec_plain(struct str spec)
{
	struct str to = refspec_target(spec);

	if (str_starts(spec, "+"))
		return false;
	return str_starts(to, "refs/") ? str_starts(to, "refs/heads/") || str_starts(to, "refs/tags/") ||
			str_starts(to, "refs/notes/")
				       : !str_starts(to, "remotes/");
}

/* True if a refspec of the command line writes branches, tags, notes or what this remote has. */
static bool writes_own(struct judge *j, struct str spec, const struct git_item *remote)
{
	return git_hooks_refspec_plain(spec) || str_starts(refspec_target(spec),
			str_fmt_c(j->a, "refs/remotes/%.*s/", STR_ARG(remote->name)));
}

static bool refspec_quiet(struct judge *j, struct str spec, const struct git_item *remote)
{
	return (net_host_is_forge(remote_host(remote->text)) || net_branch_is_common(spec)) &&
		writes_own(j, spec, remote);
}

/* ---- repositories on this machine ---- */

struct own_directory {
	struct str real;
	bool any, bad;
};

static void look_own(struct judge *j, const struct access *x, const struct where *w, void *ctx)
{
	struct own_directory *d = ctx;
	const struct path_answer *a = w->answer;

	(void)x;
	d->any = true;
	d->real = w->real;
	d->bad |= !a || !w->sure || w->wild || w->place != PLACE_OUTSIDE || a->target != PATH_DIR ||
		a->owner != j->v->uid || a->shared;
}

/* True for a directory of the caller that no box and nobody else writes. */
static bool is_own(struct judge *j, struct str path, struct str *ret_real)
{
	struct access x = {.kind = ACCESS_READ, .path = {.kind = WORD_EXACT, .text = path}};
	struct own_directory d = {0};

	if (!paths_each(j, &x, look_own, &d) || !d.any || d.bad)
		return false;
	*ret_real = d.real;
	return true;
}

/* True unless ".." follows a name: a link of that name would make the path another one. */
static bool climbs_first(struct str word)
{
	while (str_starts(word, "../"))
		word = str_from(word, 3);
	return !str_contains(word, STR("../")) && (!str_ends(word, "..") || str_is(word, ".."));
}

/*
 * git-upload-pack runs in the repository that git fetches from, with its settings. So it must be this one, or
 * one of the caller outside of the project whose settings name no programs and no promised objects.
 */
static bool source_harmless(struct judge *j, struct str dir, struct str word)
{
	struct str path = path_plain(j->a, str_starts(word, "/") ? word : str_path(j->a, dir, word)), real,
		   git;
	const struct git_answer *g = git_hooks_answer(j, path);

	return climbs_first(word) && path_place(j, path) == PLACE_OUTSIDE && is_own(j, path, &real) &&
		is_own(j, str_path(j->a, path, STR(".git")), &git) && g && g->found && !g->unclear &&
		!g->redirected && !g->partial && !g->programs &&
		str_eq(g->top, real) && str_eq(git, str_path(j->a, real, STR(".git")));
}

/* References of remotes count as known to their servers, so they come only from these. */
static bool local_refspec_quiet(struct str spec)
{
	struct str to = refspec_target(spec);

	if (str_starts(spec, "+") || str_has(spec, '*'))
		return false;
	return str_starts(to, "refs/") ? str_starts(to, "refs/heads/") || str_starts(to, "refs/tags/")
				       : !str_has(to, '/');
}

static bool is_path(struct str word)
{
	return str_is_any(word, ". ..") || str_starts(word, "./") || str_starts(word, "../") ||
		str_starts(word, "/");
}

bool git_hooks_from_path(struct judge *j, struct subject *s)
{
	struct know_options *o = subject_options(j, s);

	return o->noperands && is_path(s->c->argv[o->operands[0]].text);
}

/*
 * git fetch ../b, git pull . main. A pull from elsewhere changes files whose names are not known, and no
 * person named that repository before.
 */
static bool local_known(struct judge *j, struct subject *s, const struct git_answer *g, struct str dir)
{
	struct know_options *o = subject_options(j, s);
	struct str name = str_of(o->name), word = o->noperands ? s->c->argv[o->operands[0]].text : STR("");
	bool pull = str_is(name, "git pull"), here = str_is(word, ".");

	if ((!pull && !str_is(name, "git fetch")) || !is_path(word) || g->path_remotes || g->partial ||
		(pull && (!here || o->noperands < 2)) || know_has(o, "--prune") || know_has(o, "--force") ||
		know_has(o, "--all") || know_has(o, "--multiple"))
		return false;
	for (size_t k = 0; k < o->noperands; k++)
		if (s->c->argv[o->operands[k]].kind != WORD_EXACT ||
			(k && !local_refspec_quiet(s->c->argv[o->operands[k]].text)) ||
			(pull && str_has(s->c->argv[o->operands[k]].text, ':')))
			return false; /* of a pull only the names of commits tell what changes */
	if (!str_starts(word, "/") && !str_eq(g->top, dir)) /* git goes to the top first */
		return false;
	return here || source_harmless(j, dir, word);
}

/* True if the remote that git takes without a word, or by --all, is among those that are known. */
static bool remotes_known(struct judge *j, struct subject *s, const struct git_answer *g, struct str dir)
{
	struct know_options *o = subject_options(j, s);
	bool every = know_has(o, "--all") || know_has(o, "--multiple") ||
		str_starts(str_of(o->name), "git remote "); /* update, show, prune */
	size_t named = every ? o->noperands : o->noperands > 0;

	if (g->redirected || (know_has(o, "--force") && o->noperands > named))
		return false; /* with a refspec it overwrites references of this repository */
	if (g->submodules && !know_has(o, "--no-recurse-submodules") && !subject_known(j, s)->readonly)
		return false;
	if (g->local_upstream && str_is(str_of(o->name), "git pull") && o->noperands == 0)
		return false; /* it may merge a branch of this repository, whose files nobody looked up */
	if (local_known(j, s, g, dir))
		return true;
	if (!named || know_has(o, "--all"))
		return g->remotes && !g->other_remotes && o->noperands == 0;
	for (size_t i = 0; i < named; i++) {
		const struct git_item *r = find_remote(g, s->c->argv[o->operands[i]].text);

		if (!r)
			return false;
		for (size_t k = named; k < o->noperands; k++)
			if (!refspec_quiet(j, s->c->argv[o->operands[k]].text, r))
				return false;
	}
	return true;
}

bool git_hooks_remote_known(struct judge *j, struct subject *s)
{
	if (changes_remotes(j, s))
		return false;
	for (size_t k = 0; k < count_starts(s); k++) {
		struct str dir = hooks_directory(j, s, start_at(s, k));
		const struct git_answer *g = dir.n ? git_hooks_answer(j, dir) : NULL;

		if (!g || !g->found || overlay_checked_out(j, path_plain(j->a, dir), s->c->when) ||
			!remotes_known(j, s, g, dir))
			return false;
	}
	return true;
}

static bool word_listed(struct str list, const char *name)
{
	for (struct str word = str_word(&list); word.n; word = str_word(&list))
		if (str_is(word, name))
			return true;
	return false;
}

/* A key directory that the command itself names is not the person's. */
static bool names_keys(const struct command *c)
{
	const struct setting *s = c->settings;

	while (s && !str_is(s->name, "GNUPGHOME"))
		s = s->next;
	return s != NULL;
}

static bool signs_in(struct judge *j, struct subject *s, struct str from)
{
	struct str dir = hooks_directory(j, s, from);
	const struct git_answer *g = dir.n ? git_hooks_answer(j, dir) : NULL;
	struct know_options *o = subject_options(j, s);
	struct str list = know_obeys(o->row);

	if (word_listed(list, "commit.gpgsign"))
		return !know_has(o, "--no-gpg-sign") && (know_has(o, "-S") || (g && g->signs_commits));
	if (word_listed(list, "tag.gpgsign"))
		return !know_has(o, "--no-sign") &&
		       (know_has(o, "-s") || know_has(o, "-u") || (g && g->signs_tags && o->noperands > 0));
	return false;
}

static bool signs(struct judge *j, struct subject *s)
{
	for (size_t k = 0; !names_keys(s->c) && k < count_starts(s); k++)
		if (signs_in(j, s, start_at(s, k)))
			return true;
	return false;
}

struct subject *git_hooks_signs(struct judge *j)
{
	for (size_t i = 0; i < j->nsubjects; i++)
		if (str_is(j->subjects[i].base, "git") && j->subjects[i].row && signs(j, &j->subjects[i]))
			return &j->subjects[i];
	return NULL;
}
