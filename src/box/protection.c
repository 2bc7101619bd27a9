/* See protection.h. */
#include "box/protection.h"

static int protect_directory(struct arena *a, const struct spec *s, struct protect **ret,
		struct undertaker *u, const pid_t *init, struct ops *ops, struct err *e)
{
	if (protect_open(a, s, ret, e) != 0)
		return -1;
	if (!*ret)
		return 0;
	u->box = init;
	return undertaker_start(u, NULL, *ret, e) == 0 ? protect_before(*ret, s, ops, e) : -1;
}

/* The git directory of a linked worktree is a workspace of its own that holds nothing but a repository. */
int protection_begin(struct arena *a, struct protection *p, const struct spec *s, const pid_t *init,
		struct ops *ops, struct err *e)
{
	struct spec *git;

	if (protect_directory(a, s, &p->workspace, &p->undertaker, init, ops, e) != 0)
		return -1;
	if (!s->git_common.n)
		return 0;
	git = arena_new(a, struct spec);
	*git = *s;
	git->workspace = s->git_common;
	git->workspace_id = s->git_common_id;
	git->protected = NULL;
	return protect_directory(a, git, &p->git, &p->undertaker_git, init, ops, e);
}

/* Names in the git directory are reported by their absolute path. */
int protection_end(struct arena *a, struct protection *p, const struct spec *s, struct change **ret,
		struct err *e)
{
	struct change *more = NULL;
	int rc = p->workspace ? protect_after(a, p->workspace, ret, e) : 0;

	if (!p->git)
		return rc;
	if (protect_after(a, p->git, &more, rc == 0 ? e : NULL) != 0)
		return -1;
	while (*ret)
		ret = &(*ret)->next;
	*ret = more;
	for (; more; more = more->next)
		more->path = str_path(a, s->git_common, more->path);
	return rc;
}

static void put_right(struct protect *p)
{
	struct change *unread;
	struct arena a;

	arena_init(&a, ARENA_CAP_DEFAULT);
	(void)protect_after(&a, p, &unread, NULL);
	arena_free(&a);
}

void protection_abandon(struct protection *p)
{
	put_right(p->workspace);
	put_right(p->git);
}
