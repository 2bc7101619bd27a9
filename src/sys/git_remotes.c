/* See git_remotes.h. */
#define _GNU_SOURCE
#include "sys/git_remotes.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "sys/file.h"
#include "sys/stamp_cache.h"

#define REMOTES_MAX 64
#define URL_MAX 1024 /* bytes of an address */
#define LOOSE_MAX 256                /* bytes of the file of a reference */
#define PACKED_MAX ((size_t)8 << 20) /* bytes of packed-refs */

void git_remotes_start(
	struct git_remotes *r, struct path_memo *m, const struct git_place *place, struct git_answer *ret)
{
	*r = (struct git_remotes){
		.a = m->a, .stamps = m->stamps, .place = place, .ret = ret, .end = &ret->remotes};
}

static bool is_plain_byte(char c) { return ascii_is_alnum(c) || strchr("-._~/:@%+,=", c); }

/* [USER@]HOST:PATH, as scp writes it. A host that starts with a dash is an option of ssh. */
static bool is_scp_form(struct str url)
{
	ptrdiff_t colon = str_find(url, ':', 0), slash = str_find(url, '/', 0), at = str_find(url, '@', 0);
	size_t host = at >= 0 && at < colon ? (size_t)at + 1 : 0;

	return colon > (ptrdiff_t)host + 1 && (slash < 0 || slash > colon) && url.p[0] != '-' &&
		url.p[host] != '-' && (size_t)colon + 1 < url.n && url.p[colon + 1] != ':' &&
		url.p[colon + 1] != '/';
}

/* Removes "user:password@" of https://user:password@host/path; git itself still uses it. */
static struct str without_user(struct arena *a, struct str url)
{
	static const char scheme[] = "https://";
	struct str rest = str_from(url, sizeof(scheme) - 1);
	ptrdiff_t slash = str_find(rest, '/', 0), at;

	if (!str_starts(url, scheme))
		return url;
	while ((at = str_find(rest, '@', 0)) >= 0 && (slash < 0 || at < slash)) {
		rest = str_from(rest, (size_t)at + 1);
		slash = str_find(rest, '/', 0);
	}
	return str_fmt(a, "%s%.*s", scheme, STR_ARG(rest));
}

static bool is_plain(struct str url)
{
	for (size_t i = 0; i < url.n; i++)
		if (!is_plain_byte(url.p[i]))
			return false;
	if (url.n > URL_MAX)
		return false;
	if (str_starts(url, "https://"))
		return url.n > 8 && url.p[8] != '/' && url.p[8] != '-';
	if (str_starts(url, "ssh://"))
		return url.n > 6 && url.p[6] != '/' && url.p[6] != '-';
	return is_scp_form(url);
}

static void add_remote(struct git_remotes *r, const struct git_setting *s)
{
	struct git_item *i;

	if (r->n++ >= REMOTES_MAX) {
		r->ret->redirected = true; /* one that is not listed may have the name of another */
		return;
	}
	i = arena_new(r->a, struct git_item);
	*i = (struct git_item){.name = str_dup(r->a, s->sub),
		.text = is_plain(s->value) ? str_dup(r->a, without_user(r->a, s->value)) : STR("")};
	*r->end = i;
	r->end = &i->next;
}

/* ---- settings ---- */

/* Sections that take no part in a request to a remote. Programs that they name are judged on their own. */
static const char harmless_sections[] =
	"add advice alias am apply author bitbucket blame bugtraq checkout clean clone color column "
	"commit commitgraph committer completion diff difftool feature filter format fsck gc ghq "
	"gitflow github gitg gitk gitlab gitlens gitreview gpg grep gui hook husky i18n index init "
	"interactive log mailinfo mailmap merge mergetool notes pack pager push rebase receive rerere "
	"sequence showbranch sparse stash status tag tar trailer user versionsort worktree";

/* Settings of other sections, and of subsections. */
static const struct {
	const char *section, *keys;
} harmless_keys[] = {
	{"core",
		"abbrev attributesfile autocrlf bare bigfilethreshold checkroundtripencoding "
		"checkstat commentchar commentstring commitgraph compression deltabasecachelimit "
		"editor eol excludesfile filemode fscache fsmonitor fsync fsyncmethod "
		"fsyncobjectfiles hidedotfiles hookspath ignorecase ignorestat logallrefupdates "
		"longpaths loosecompression multipackindex notesref packedgitlimit "
		"packedgitwindowsize pager precomposeunicode preloadindex protecthfs protectntfs "
		"quotepath repositoryformatversion safecrlf sharedrepository sparsecheckout "
		"sparsecheckoutcone splitindex symlinks trustctime untrackedcache usereplacerefs "
		"warnambiguousrefs whitespace worktree"},
	{"extensions",
		"compatobjectformat noop objectformat preciousobjects refstorage relativeworktrees "
		"worktreeconfig"},
	{"fetch",
		"all fsckobjects output parallel prune showforcedupdates unpacklimit writecommitgraph"},
	{"http", "lowspeedlimit lowspeedtime maxrequests postbuffer version"},
	{"lfs", "access locksverify repositoryformatversion"},
	{"maintenance", "auto strategy"},
	{"pull", "ff"},
	{"remote",
		"followremotehead gh-resolved prune push pushdefault pushurl skipdefaultupdate "
		"skipfetchall tagopt url"},
	{"transfer", "fsckobjects unpacklimit"},
};

/* A name without a slash, a colon or anything else that could make it an address. */
static bool is_plain_name(struct str name)
{
	for (size_t i = 0; i < name.n; i++)
		if (!ascii_is_alnum(name.p[i]) && !strchr("-._", name.p[i]))
			return false;
	return name.n > 0 && name.p[0] != '-' && (name.p[0] != '.' || name.n == 1);
}

/* A reference that exists is no news for the remote that it is from. A symbolic one can be made by hand. */
static bool has_ref(const struct git_remotes *r, struct str remote, struct str branch)
{
	struct str ref = str_fmt(r->a, "refs/remotes/%.*s/%.*s", STR_ARG(remote), STR_ARG(branch)), text;
	const struct git_place *p = r->place;

	if (!is_plain_name(remote) || str_contains(branch, STR("..")) || !branch.n)
		return false;
	if (file_read(r->a, str_c(r->a, str_path(r->a, p->common, ref)), LOOSE_MAX, &text, NULL, NULL) == 0)
		return !str_starts(text, "ref:");
	return file_read(r->a, str_c(r->a, str_path(r->a, p->common, STR("packed-refs"))), PACKED_MAX, &text,
		       NULL, NULL) == 0 &&
		str_contains(text, str_fmt(r->a, " %.*s\n", STR_ARG(ref)));
}

/*
 * The left side of a refspec goes to the server, the right side says what git overwrites: references of this
 * remote only.
 */
static bool refspec_harmless(const struct git_remotes *r, const struct git_setting *s)
{
	struct str spec = str_from(s->value, str_starts(s->value, "+")), from, to, own;
	ptrdiff_t colon = str_find(spec, ':', 0);

	if (str_is(s->value, "refs/tags/*:refs/tags/*"))
		return true;
	if (colon < 0)
		return false;
	from = str_first(spec, (size_t)colon);
	to = str_from(spec, (size_t)colon + 1);
	own = str_fmt(r->a, "refs/remotes/%.*s/", STR_ARG(s->sub));
	if (to.n <= own.n || !str_eq(str_first(to, own.n), own))
		return false;
	if (str_is_any(from, "refs/heads/* refs/pull/*/head refs/pull/*/merge refs/merge-requests/*/head"))
		return true;
	return str_starts(from, "refs/heads/") &&
		has_ref(r, s->sub, str_from(from, strlen("refs/heads/")));
}

/* The name of the branch goes to the server. Under another name than here it must be one of the server's. */
static bool merge_harmless(struct git_remotes *r, const struct git_setting *s)
{
	static const char heads[] = "refs/heads/";
	struct str name = str_from(s->value, sizeof(heads) - 1);

	if (!str_starts(s->value, heads))
		return false;
	if (!str_eq(name, s->sub)) {
		struct git_item *m = arena_copy(r->a, (struct git_item){.name = s->sub, .next = r->merges,
			.text = str_dup(r->a, name)});

		r->merges = m;
	}
	return true;
}

static bool is_harmless(struct git_remotes *r, const struct git_setting *s)
{
	bool branch = str_is(s->section, "branch"), remote = str_is(s->section, "remote");

	for (size_t i = 0; i < ARRAY_SIZE(harmless_keys); i++)
		if (str_is(s->section, harmless_keys[i].section) && str_is_any(s->key, harmless_keys[i].keys))
			return true;
	if (str_is_any(s->section, harmless_sections))
		return true;
	if ((branch || str_is(s->section, "pull")) && str_is(s->key, "rebase")) /* others open an editor */
		return git_config_true(s->value) || git_config_false(s->value) || str_is(s->value, "merges");
	if (branch && str_is(s->key, "remote"))
		return is_plain_name(s->value);
	if (branch && str_is(s->key, "merge"))
		return merge_harmless(r, s);
	if (remote && str_is(s->key, "fetch"))
		return refspec_harmless(r, s);
	if (remote && str_is(s->key, "partialclonefilter"))
		return str_is_any(s->value, "blob:none tree:0");
	if ((remote && str_is(s->key, "promisor")) ||
			(str_is(s->section, "extensions") && str_is(s->key, "partialclone"))) {
		r->ret->partial = true;
		return is_plain_name(remote ? s->sub : s->value);
	}
	if (str_is(s->section, "protocol") && str_is(s->key, "version"))
		return str_is_any(s->value, "0 1 2");
	return branch && !str_is(s->key, "mergeoptions");
}

void git_remotes_take(struct git_remotes *r, const struct git_setting *s, enum git_scope scope)
{
	bool submodules = str_is(s->section, "submodule") || str_is(s->key, "recursesubmodules");

	if (str_is(s->section, "remote") && s->sub.n && str_is(s->key, "url"))
		add_remote(r, s);
	if (str_is(s->section, "remote") && s->sub.n)
		r->ret->path_remotes |= !is_plain_name(s->sub) || s->sub.p[0] == '.';
	if (str_is(s->section, "branch") && str_is(s->key, "remote") && str_is(s->value, "."))
		r->ret->local_upstream = true;
	if (submodules)
		r->ret->submodules = true;
	else if (scope == GIT_SCOPE_REPOSITORY && !is_harmless(r, s))
		r->ret->redirected = true;
}

/* True unless the directory is absent or empty. */
static bool has_entries(const struct git_remotes *r, const char *name)
{
	const char *path = str_c(r->a, str_path(r->a, r->place->common, str_of(name)));
	const struct dirent *e;
	struct stamp stamp;
	bool found = false;
	struct str none;
	DIR *d;

	if (stamp_cache_get(r->stamps, STAMP_EMPTY, r->a, path, NULL, &none))
		return false;
	if (r->stamps) {
		stamp_take(path, &stamp);
		if (stamp.errnum == ENOENT)
			return false;
	}
	d = opendir(path);
	if (!d)
		return errno != ENOENT && errno != ENOTDIR;
	errno = 0;
	while (!found && (e = readdir(d)))
		found = !path_is_dots(e->d_name);
	found |= errno != 0;
	if (!found && r->stamps && stamp_cache_may_keep(&stamp, dirfd(d)))
		stamp_cache_put(r->stamps, STAMP_EMPTY, path, &stamp, STR(""));
	closedir(d);
	return found;
}

static bool is_known(const struct git_item *known, struct str url)
{
	for (; known; known = known->next)
		if (str_eq(known->text, url))
			return true;
	return false;
}

static size_t count_name(const struct git_item *list, struct str name)
{
	size_t n = 0;

	for (; list; list = list->next)
		n += str_eq(list->name, name);
	return n;
}

/*
 * Drops remotes with an address that is not plain, or (unless `any`) none of `known`, and those with several
 * addresses: git fetches from the first.
 */
static void drop_names(struct git_answer *g, const struct git_item *known, bool any)
{
	/* mark first: the names are counted in the whole list */
	for (struct git_item *i = g->remotes; i; i = i->next)
		if (count_name(g->remotes, i->name) > 1 || !(any || is_known(known, i->text)))
			i->text = STR("");
	for (struct git_item **at = &g->remotes; *at;) {
		if ((*at)->text.n) {
			at = &(*at)->next;
			continue;
		}
		*at = (*at)->next;
		g->other_remotes = true;
	}
	g->redirected |= g->partial && g->other_remotes;
}

static bool merge_known(const struct git_remotes *r, const struct git_item *merge)
{
	for (const struct git_item *i = r->ret->remotes; i; i = i->next)
		if (has_ref(r, i->name, merge->text))
			return true;
	return false;
}

void git_remotes_finish(struct git_remotes *r)
{
	r->ret->other_remotes |= has_entries(r, "branches") || has_entries(r, "remotes");
	r->ret->submodules |= has_entries(r, "modules");
	r->ret->redirected |= r->ret->unclear;
	for (const struct git_item *m = r->merges; m && !r->ret->redirected; m = m->next)
		r->ret->redirected = !merge_known(r, m);
	drop_names(r->ret, NULL, true);
}

void git_remotes_keep(struct git_answer *g, const struct git_item *known) { drop_names(g, known, false); }
