/* Paths below a workspace: as text, and where they lead on the host. */
#define _GNU_SOURCE
#include <fcntl.h>

#include "box/protect_inner.h"

const char *path_join(struct arena *a, const char *dir, const char *name)
{
	return str_fmt_c(a, "%s%s%s", dir, dir[0] && name[0] ? "/" : "", name);
}

const char *path_basename(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

const char *path_dirname(struct arena *a, const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? str_c(a, str_n(path, (size_t)(slash - path))) : "";
}

/*
 * Relative, without empty, "." and ".." components; a slash at the end is dropped. NULL: it is no such path.
 */
const char *path_clean(struct arena *a, struct str s)
{
	struct buf b;

	buf_init(&b, a, PROTECT_PATH_MAX + 1);
	if (!s.n || s.p[0] == '/' || s.n >= PROTECT_PATH_MAX || memchr(s.p, 0, s.n))
		return NULL;
	for (size_t from = 0; from <= s.n;) {
		size_t to = str_end(s, '/', from);
		struct str part = str_sub(s, from, to);

		if (str_is(part, "..") || (!part.n && to < s.n))
			return NULL;
		if (part.n && !str_is(part, ".")) {
			if (b.n)
				buf_char(&b, '/');
			buf_str(&b, part);
		}
		from = to + 1;
	}
	return b.n ? str_c(a, buf_view(&b)) : NULL;
}

/*
 * Where a path of the host leads to, when that is below the workspace: relative. NULL: elsewhere, or nowhere.
 */
const char *protect_inside(struct protect *p, struct str path)
{
	HELD f = {p, held_add(p, open(str_c(p->a, path), O_PATH | O_CLOEXEC))};
	struct str real;

	if (f.fd < 0)
		return NULL;
	real = link_text(p->a, AT_FDCWD, str_fmt_c(p->a, "/proc/self/fd/%d", f.fd));
	if (real.n <= p->workspace.n + 1 || memcmp(real.p, p->workspace.p, p->workspace.n) != 0 ||
			real.p[p->workspace.n] != '/')
		return NULL;
	return path_clean(p->a, str_sub(real, p->workspace.n + 1, real.n));
}

const char *protect_resolve(struct protect *p, const char *dir, struct str path)
{
	struct str all = str_starts(path, "/") ? path
					       : str_fmt(p->a, "%.*s/%s/%.*s", STR_ARG(p->workspace),
								 dir[0] ? dir : ".", STR_ARG(path));
	const char *real = protect_inside(p, all);

	return real ? real : protect_as_text(p, dir, path); /* not there yet */
}

const char *protect_as_text(struct protect *p, const char *dir, struct str path)
{
	struct str w = p->workspace;
	struct buf b;

	if (str_starts(path, "/")) {
		if (path.n <= w.n + 1 || memcmp(path.p, w.p, w.n) != 0 || path.p[w.n] != '/')
			return NULL;
		path = str_sub(path, w.n + 1, path.n);
		dir = "";
	}
	if (path.n + strlen(dir) >= PROTECT_PATH_MAX)
		return NULL;
	buf_init(&b, p->a, 0);
	buf_c(&b, dir);
	for (size_t from = 0; from < path.n;) {
		size_t slash = str_end(path, '/', from);
		struct str part = str_sub(path, from, slash);

		from += part.n + 1;
		if (str_is(part, "..")) {
			if (!b.n)
				return NULL; /* above the workspace */
			while (b.n && b.p[--b.n] != '/')
				;
		} else if (part.n && !str_is(part, ".")) {
			if (b.n)
				buf_char(&b, '/');
			buf_str(&b, part);
		}
	}
	return path_clean(p->a, buf_view(&b));
}

/* The first component that is a link; NULL: none of those above the last. */
const char *protect_link_above(struct protect *p, const char *path)
{
	struct stat st;

	for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
		const char *part = str_c(p->a, str_n(path, (size_t)(slash - path)));

		if (below_stat(p->ws, part, &st) < 0)
			return NULL;
		if (S_ISLNK(st.st_mode))
			return part;
	}
	return NULL;
}

/* `..` only at the beginning of a relative path. */
static bool climbs_late(struct str path)
{
	bool named = str_starts(path, "/");

	for (size_t from = 0; from < path.n;) {
		size_t slash = str_end(path, '/', from);
		struct str part = str_sub(path, from, slash);

		from += part.n + 1;
		if (str_is(part, "..") && named)
			return true;
		named |= part.n && !str_is_any(part, ". ..");
	}
	return false;
}

const char *protect_plain(struct protect *p, const char *dir, struct str path)
{
	const char *text = climbs_late(path) ? NULL : protect_as_text(p, dir, path);
	struct stat st;

	if (!text || protect_link_above(p, text) ||
			(below_stat(p->ws, text, &st) == 0 && S_ISLNK(st.st_mode)))
		return NULL;
	return text;
}
