/* Predicts the paths that a git command will change: see git_tree.h. */
#define _GNU_SOURCE
#include "sys/git_tree.h"

#include <limits.h>
#include <unistd.h>

#include "base/glob.h"
#include "sys/git_view.h"
#include "sys/process.h"

#define RUN_MS 1500 /* timeout of one child */
#define ARGS_MAX 64
#define OID_BYTES 128   /* bytes of a line with an object id */
#define COMMITS_MAX 256 /* commits of one cherry-pick */
#define COMMITS_BYTES ((size_t)COMMITS_MAX * OID_BYTES)
#define KEPT_BYTES ((size_t)128 << 10)
#define RECORD_BYTES (PATH_MAX + 256)
#define PATTERNS_MAX 64

static const char git_programs[][20] = {"/usr/local/bin/git", "/usr/bin/git", "/bin/git"};

/*
 * Nothing is taken from the caller's environment: it could set a trace file, an alternate object store or a
 * transport.
 */
static char *const environment[] = {
	"PATH=/usr/local/bin:/usr/bin:/bin",
	"HOME=/nonexistent",
	"LC_ALL=C",
	"GIT_CONFIG_NOSYSTEM=1",
	"GIT_CONFIG_GLOBAL=/dev/null",
	"GIT_ATTR_NOSYSTEM=1",
	"GIT_OPTIONAL_LOCKS=0",
	"GIT_TERMINAL_PROMPT=0",
	"GIT_NO_LAZY_FETCH=1",
	"GIT_ALLOW_PROTOCOL=none",
	"GIT_PAGER=cat",
	"GIT_INDEX_FILE=/nonexistent/index",
	NULL,
};
#define ENVIRONMENT_INDEX (ARRAY_SIZE(environment) - 2) /* left out if git may read the index */

static const char *const overridden[] = {
	"core.fsmonitor=false",
	"core.untrackedCache=false",
	"core.hooksPath=/dev/null",
	"core.pager=cat",
	"core.alternateRefsCommand=false",
	"core.sshCommand=false",
	"core.attributesFile=/dev/null",
	"protocol.allow=never",
	"diff.external=",
	"log.showSignature=false",
	"gc.auto=0",
};

struct git_lookup {
	bool index; /* git also reads the index and the working tree */
	struct path_memo *m;
	const struct git_place *place;
	const char *git;
	char *argv[ARGS_MAX + 1];
	size_t argc;
};

/* ---- names ---- */

struct names { /* parser for the output of diff-tree -z; allocates nothing while the child runs */
	char record[RECORD_BYTES];
	size_t n;
	bool meta;            /* the record is the metadata of the next path */
	char mode[8], status; /* of the next path */
	bool broken;
	char *kept; /* entries: a character for the kind, the path, NUL */
	size_t nkept;
	bool more;
	struct str patterns[PATTERNS_MAX];
	size_t npatterns;
};

static bool is_part(struct str name, bool last)
{
	return str_like_any(name, last ? "HEAD config commondir" : "objects refs hooks");
}

/*
 * True if a component starts with a dot or a dash or is part of a repository, or if the policy protects the
 * name at any depth.
 */
static bool name_matters(const struct names *t, struct str path)
{
	for (size_t from = 0; from < path.n;) {
		size_t to = str_end(path, '/', from);

		if (path.p[from] == '.' || path.p[from] == '-' ||
				is_part(str_sub(path, from, to), to == path.n))
			return true;
		for (size_t i = 0; i < t->npatterns; i++)
			if (glob_path(t->patterns[i], str_from(path, from), GLOB_FOLD | GLOB_BELOW))
				return true;
		from = to + 1;
	}
	return false;
}

static void take_name(struct names *t, struct str path)
{
	enum git_touch_kind kind = t->status == 'D'             ? GIT_TOUCH_DELETE
				   : !strcmp(t->mode, "120000") ? GIT_TOUCH_LINK
				   : !strcmp(t->mode, "160000") ? GIT_TOUCH_REPOSITORY
								: GIT_TOUCH_FILE;

	if ((kind == GIT_TOUCH_FILE || kind == GIT_TOUCH_DELETE) && !name_matters(t, path))
		return;
	if (t->nkept + path.n + 2 > KEPT_BYTES) {
		t->more = true;
		return;
	}
	t->kept[t->nkept++] = (char)('0' + kind);
	memcpy(t->kept + t->nkept, path.p, path.n);
	t->nkept += path.n;
	t->kept[t->nkept++] = 0;
}

/* ":100644 120000 OID OID M" */
static void take_meta(struct names *t, struct str meta)
{
	if (meta.n < 16 || meta.p[0] != ':' || meta.p[7] != ' ' || meta.p[14] != ' ') {
		t->broken = true;
		return;
	}
	memcpy(t->mode, meta.p + 8, 6);
	t->mode[6] = 0;
	t->status = meta.p[meta.n - 1];
}

static void take_output(void *ctx, const char *bytes, size_t n)
{
	struct names *t = ctx;

	for (size_t i = 0; i < n && !t->broken; i++) {
		if (bytes[i]) {
			if (t->n == sizeof t->record)
				t->broken = true;
			else
				t->record[t->n++] = bytes[i];
			continue;
		}
		if (t->meta)
			take_meta(t, str_n(t->record, t->n));
		else
			take_name(t, str_n(t->record, t->n));
		t->meta = !t->meta;
		t->n = 0;
	}
}

static void split_patterns(struct names *t, struct str list)
{
	for (size_t from = 0; from < list.n;) {
		size_t to = str_end(list, '\n', from);
		struct str p = str_sub(list, from, to);

		from = to + 1;
		p = str_starts(p, "~/") ? str_from(p, 2) : str_starts(p, "/") ? str_from(p, 1) : p;
		if (t->npatterns == PATTERNS_MAX)
			t->more = true;
		else if (p.n)
			t->patterns[t->npatterns++] = p;
	}
}

static void list_names(struct arena *a, const struct names *t, struct str top, struct tree_answer *ret)
{
	struct git_touch **end = &ret->touched;

	for (size_t at = 0; at < t->nkept;) {
		struct str path = str_of(t->kept + at + 1);

		*end = arena_copy(a, (struct git_touch){.kind = (enum git_touch_kind)(t->kept[at] - '0'),
			.path = str_path(a, top, path)});
		end = &(*end)->next;
		at += path.n + 2;
	}
	ret->more = t->more;
	ret->known = true;
}

/* ---- git ---- */

static void add_arg(struct git_lookup *r, const char *text)
{
	if (r->argc < ARGS_MAX)
		r->argv[r->argc++] = str_c(r->m->a, str_of(text));
	r->argv[r->argc] = NULL;
}

static void begin_command(struct git_lookup *r, const char *command)
{
	r->argc = 0;
	add_arg(r, "git");
	add_arg(r, str_fmt_c(r->m->a, "--git-dir=%.*s", STR_ARG(r->place->dir)));
	add_arg(r, str_fmt_c(r->m->a, "--work-tree=%.*s", STR_ARG(r->place->top)));
	add_arg(r, "--no-pager");
	for (size_t i = 0; i < ARRAY_SIZE(overridden); i++) {
		add_arg(r, "-c");
		add_arg(r, overridden[i]);
	}
	add_arg(r, command);
}

/* Runs the command. 0 if it exits with status 0 and its output is complete. */
static int run_command(struct git_lookup *r, struct str input, struct names *names, char *output, size_t max,
	size_t *ret_n)
{
	char *own[ARRAY_SIZE(environment)] = {NULL};
	struct process_request rq = {.path = r->git,
		.argv = r->argv,
		.envp = own,
		.input = input,
		.output = output,
		.output_max = max,
		.timeout_ms = RUN_MS};
	struct process_result result;

	for (size_t i = 0; i < ENVIRONMENT_INDEX + !r->index; i++)
		own[i] = environment[i];
	if (names) {
		rq.sink = take_output;
		rq.sink_ctx = names;
		names->meta = true;
		names->n = 0;
	}
	if (r->argc == ARGS_MAX || process_ask(&rq, &result, NULL) != 0 || result.status != 0 ||
		(names && (names->broken || names->n)))
		return -1;
	if (ret_n)
		*ret_n = result.n;
	return 0;
}

static void begin_diff(struct git_lookup *r, const char *command)
{
	static const char *const options[] = {"-r", "--raw", "-z", "--no-renames", "--no-ext-diff",
		"--no-textconv", "--ignore-submodules=dirty"};

	begin_command(r, command);
	for (size_t i = 0; i < ARRAY_SIZE(options); i++)
		add_arg(r, options[i]);
}

static int diff_trees(struct git_lookup *r, struct str from, struct str to, struct names *names)
{
	begin_diff(r, "diff-tree");
	add_arg(r, str_c(r->m->a, from));
	add_arg(r, str_c(r->m->a, to));
	add_arg(r, "--");
	return run_command(r, STR(""), names, NULL, 0, NULL);
}

/* Runs the command and returns its line of output; empty on error or without output. */
static struct str ask_line(struct git_lookup *r)
{
	char *line = arena_alloc(r->m->a, OID_BYTES);
	size_t n = 0;

	if (run_command(r, STR(""), NULL, line, OID_BYTES, &n) != 0)
		return STR("");
	return str_trim(str_n(line, n), "\n");
}

static struct str verify_revision(struct git_lookup *r, struct str rev)
{
	begin_command(r, "rev-parse");
	add_arg(r, "--verify");
	add_arg(r, "-q");
	add_arg(r, str_fmt_c(r->m->a, "%.*s^{commit}", STR_ARG(rev)));
	return ask_line(r);
}

/* Also tries the remote branch of that name, from which git would create a branch. */
static struct str find_commit(struct git_lookup *r, struct str rev)
{
	struct str found = verify_revision(r, rev);

	return found.n ? found
		       : verify_revision(r, str_fmt(r->m->a, "refs/remotes/origin/%.*s", STR_ARG(rev)));
}

/* ---- the changes ---- */

static int look_checkout(struct git_lookup *r, struct str rev, struct names *names)
{
	struct str to = find_commit(r, rev);

	return to.n ? diff_trees(r, STR("HEAD"), to, names) : -1;
}

static int look_merge(struct git_lookup *r, struct str rev, struct names *names)
{
	struct str to = verify_revision(r, rev), base;

	if (!to.n)
		return -1;
	begin_command(r, "merge-base");
	add_arg(r, "HEAD");
	add_arg(r, str_c(r->m->a, to));
	base = ask_line(r);
	return base.n ? diff_trees(r, base, to, names) : -1;
}

static int look_stash(struct git_lookup *r, struct str rev, struct names *names)
{
	struct arena *a = r->m->a;
	struct str stash = verify_revision(r, rev), untracked;

	if (!stash.n || diff_trees(r, str_fmt(a, "%.*s^1", STR_ARG(stash)), stash, names) != 0)
		return -1;
	untracked = verify_revision(r, str_fmt(a, "%.*s^3", STR_ARG(stash)));
	if (!untracked.n)
		return 0;
	begin_diff(r, "diff-tree");
	add_arg(r, "--root");
	add_arg(r, "--no-commit-id");
	add_arg(r, str_c(a, untracked));
	add_arg(r, "--");
	return run_command(r, STR(""), names, NULL, 0, NULL);
}

static int look_stash_branch(struct git_lookup *r, struct str rev, struct names *names)
{
	if (look_checkout(r, str_fmt(r->m->a, "%.*s^1", STR_ARG(rev)), names) != 0)
		return -1;
	return look_stash(r, rev, names);
}

/*
 * Compares in reverse, because the commit's content comes back. Git reads a file whose mtime equals that of
 * the index, so repositories with filters are refused. A submodule's work tree is ignored: git would run git
 * in it.
 */
static int look_revert(struct git_lookup *r, struct str rev, struct names *names)
{
	int rc;

	r->index = true;
	begin_diff(r, "diff-index");
	add_arg(r, "-R");
	add_arg(r, str_c(r->m->a, rev));
	add_arg(r, "--");
	rc = run_command(r, STR(""), names, NULL, 0, NULL);
	r->index = false;
	return rc;
}

/* Resolves all revisions at once: they may form a range. */
static int look_picks(struct git_lookup *r, const struct str *revs, size_t n, struct names *names)
{
	char *commits = arena_alloc(r->m->a, COMMITS_BYTES);
	size_t bytes = 0;

	begin_command(r, "rev-list");
	add_arg(r, "--no-walk=unsorted");
	for (size_t i = 0; i < n; i++)
		add_arg(r, str_c(r->m->a, revs[i]));
	add_arg(r, "--");
	if (run_command(r, STR(""), NULL, commits, COMMITS_BYTES, &bytes) != 0 || !bytes)
		return -1;
	begin_diff(r, "diff-tree");
	add_arg(r, "--root");
	add_arg(r, "-m");
	add_arg(r, "--no-commit-id");
	add_arg(r, "--stdin");
	return run_command(r, str_n(commits, bytes), names, NULL, 0, NULL);
}

/* ---- the question ---- */

struct plain_repository { /* reasons to refuse a repository */
	bool odd, filters;
};

static void plain_setting(void *ctx, const struct git_setting *s, enum git_scope scope)
{
	struct plain_repository *p = ctx;
	bool promisor = str_is(s->section, "remote") &&
			str_is_any(s->key, "promisor partialclonefilter");
	bool partial = str_is(s->section, "extensions") && str_is(s->key, "partialclone");
	bool elsewhere = str_is(s->section, "core") && str_is(s->key, "worktree");

	p->odd |= scope == GIT_SCOPE_REPOSITORY && (promisor || partial || elsewhere);
	p->filters |= str_is(s->section, "filter");
}

/* `files`: git would read files, so filters would run. */
static bool is_usable(struct path_memo *m, const struct git_place *place, bool files)
{
	struct plain_repository p = {0};

	if (place->top.n < 2 || !git_place_owned(m, place))
		return false;
	return git_settings_each(m->a, m->stamps, place, STR(""), plain_setting, &p) && !p.odd &&
		!(files && p.filters);
}

/* True for a revision without colon, blank or pattern that is not an option. */
static bool plain_rev(struct str rev)
{
	for (size_t i = 0; i < rev.n; i++) {
		char c = rev.p[i];

		if (!(ascii_is_alnum(c) ||
			    strchr("._/@{}~^+#%,=-", c)))
			return false;
	}
	return rev.n && rev.n < 256 && rev.p[0] != '-';
}

static size_t split_revs(struct str list, struct str revs[GIT_TREE_REVS_MAX])
{
	size_t n = 0;

	for (size_t from = 0; from < list.n;) {
		size_t to = str_end(list, ' ', from);

		if (n == GIT_TREE_REVS_MAX || !plain_rev(str_sub(list, from, to)))
			return 0;
		revs[n++] = str_sub(list, from, to);
		from = to + 1;
	}
	return n;
}

static int look_up_change(struct git_lookup *r, enum git_change change, const struct str *revs, size_t n,
	struct names *names)
{
	int (*const each[])(struct git_lookup *, struct str, struct names *) = {
		[GIT_CHANGE_CHECKOUT] = look_checkout,
		[GIT_CHANGE_MERGE] = look_merge,
		[GIT_CHANGE_STASH] = look_stash,
		[GIT_CHANGE_REVERT] = look_revert,
		[GIT_CHANGE_STASH_BRANCH] = look_stash_branch,
	};

	if (change == GIT_CHANGE_PICK)
		return look_picks(r, revs, n, names);
	for (size_t i = 0; i < n; i++)
		if (str_contains(revs[i], STR("..")) || each[change](r, revs[i], names) != 0)
			return -1;
	return 0;
}

void git_tree_look(struct path_memo *m, const struct tree_answer *asked, struct tree_answer *ret)
{
	struct names *names = arena_new(m->a, struct names);
	struct git_lookup r = {.m = m};
	struct str revs[GIT_TREE_REVS_MAX];
	struct git_place place;
	size_t n = split_revs(asked->revs, revs);

	*ret = (struct tree_answer){
		.dir = asked->dir, .change = asked->change, .revs = asked->revs, .keep = asked->keep};
	for (size_t i = 0; i < ARRAY_SIZE(git_programs) && !r.git; i++)
		r.git = access(git_programs[i], X_OK) == 0 ? git_programs[i] : NULL;
	if (!n || !r.git || !git_place_find(m, asked->dir, &place) ||
		!is_usable(m, &place, asked->change == GIT_CHANGE_REVERT))
		return;
	r.place = &place;
	names->kept = arena_alloc(m->a, KEPT_BYTES);
	split_patterns(names, asked->keep);
	if (look_up_change(&r, asked->change, revs, n, names) == 0)
		list_names(m->a, names, place.top, ret);
}
