/* See git_remotes.h. */
#define _GNU_SOURCE
#include "sys/git_remotes.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#define REMOTES_MAX 64
#define URL_MAX 1024 /* bytes of an address */

void git_remotes_start(struct git_remotes *r, struct arena *a, struct git_answer *ret)
{
	*r = (struct git_remotes){.a = a, .ret = ret, .end = &ret->remotes};
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
	struct str rest = str_sub(url, sizeof(scheme) - 1, url.n);
	ptrdiff_t slash = str_find(rest, '/', 0), at;

	if (!str_starts(url, scheme))
		return url;
	while ((at = str_find(rest, '@', 0)) >= 0 && (slash < 0 || at < slash)) {
		rest = str_sub(rest, (size_t)at + 1, rest.n);
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

/* Settings of a repository that lead its remotes elsewhere, or name a program that talks to them. */
static bool redirects(const struct git_setting *s)
{
	static const char keys[] =
		"remote.proxy remote.vcs remote.uploadpack http.proxy http.curloptresolve http.proxysslcert "
		"core.sshcommand core.gitproxy core.askpass credential.helper ssh.variant protocol.allow";
	char key[64];

	if (str_is(s->section, "url"))
		return true;
	if (str_is(s->section, "branch") && str_is(s->key, "remote"))
		return str_find(s->value, '/', 0) >= 0 || str_find(s->value, ':', 0) >= 0;
	str_put(key, sizeof(key), "%.*s.%.*s", STR_ARG(s->section), STR_ARG(s->key));
	return str_is_any(str_of(key), keys);
}

void git_remotes_take(struct git_remotes *r, const struct git_setting *s, enum git_scope scope)
{
	if (str_is(s->section, "remote") && s->sub.n && str_is(s->key, "url"))
		add_remote(r, s);
	if (scope == GIT_SCOPE_REPOSITORY && redirects(s))
		r->ret->redirected = true;
	if (str_is(s->section, "submodule") || str_is(s->key, "recursesubmodules"))
		r->ret->submodules = true;
}

/* True unless the directory is absent or empty. */
static bool has_entries(struct arena *a, struct str path)
{
	DIR *d = opendir(str_c(a, path));
	const struct dirent *e;
	bool found = false;

	while (d && !found && (e = readdir(d)))
		found = strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
	if (d)
		closedir(d);
	return d ? found : access(str_c(a, path), F_OK) == 0;
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
}

void git_remotes_finish(struct git_remotes *r, const struct git_place *place)
{
	static const char dirs[][12] = {"/branches", "/remotes"};

	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++)
		r->ret->other_remotes |= has_entries(r->a, str_cat(r->a, place->common, str_of(dirs[i])));
	r->ret->submodules |= has_entries(r->a, str_cat(r->a, place->common, STR("/modules")));
	r->ret->redirected |= r->ret->unclear;
	drop_names(r->ret, NULL, true);
}

void git_remotes_keep(struct git_answer *g, const struct git_item *known) { drop_names(g, known, false); }
