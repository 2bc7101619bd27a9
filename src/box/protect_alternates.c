/*
 * Repositories that take objects from elsewhere (objects/info/alternates), which the box must see as well.
 *
 * The file decides which directories of the host a box may read. So a box cannot change one that is there,
 * and a new one that leads out of the workspace goes to quarantine. Only directories that an accepted file
 * names are shown, read-only.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "box/protect_inner.h"
#include "sys/file.h"
#include "sys/path.h"

#define FILE_BYTES 65536
#define DEPTH_MAX 5   /* as in git */
#define SHOWN_MAX 32

struct alternates {
	struct protect *p;
	struct ops *ops;
	const char *shown[SHOWN_MAX];
	size_t n;
};

/* The next path of the file; empty at its end. */
static struct str next_path(struct str *rest)
{
	while (rest->n) {
		size_t end = str_end(*rest, '\n', 0);
		struct str line = str_sub(*rest, 0, end);

		*rest = str_sub(*rest, line.n + 1, rest->n);
		if (line.n && line.p[0] != '#')
			return line;
	}
	return STR("");
}

void alternates_danger(struct protect *p, const char *path, struct git_danger *ret)
{
	const char *objects = path_dirname(p->a, path_dirname(p->a, path));
	struct str text, rest, line;

	if (below_read(p->a, p->ws, path, FILE_BYTES, &text) < 0)
		text = STR("?");
	for (rest = text; !ret->any && (line = next_path(&rest)).n;)
		ret->any = line.n >= PROTECT_PATH_MAX || !protect_resolve(p, objects, line);
	if (!ret->any)
		return;
	sha256_digest(text, ret->digest);
	ret->text = text;
}

/* The directory as git names it in the box, if no link is on its way; NULL: it is not shown. */
static const char *objects_at(struct alternates *s, const char *base, struct str line)
{
	struct protect *p = s->p;
	struct str text = str_starts(line, "/") ? line : str_fmt(p->a, "%s/%.*s", base, STR_ARG(line)), real;
	HELD dir = {p, held_add(p, open(str_c(p->a, text), O_PATH | O_DIRECTORY | O_CLOEXEC))};

	if (dir.fd < 0)
		return NULL;
	while (line.n > 1 && str_ends(line, "/"))
		line.n--;
	real = link_text(p->a, AT_FDCWD, str_fmt_c(p->a, "/proc/self/fd/%d", dir.fd));
	if (!str_ends(real, "/objects") || path_inside(real, p->workspace) ||
			path_inside(real, str_of(protect_state(p))) ||
			(str_starts(line, "/") && !str_eq(real, line)))
		return NULL;
	return str_c(p->a, real);
}

static void show_text(struct alternates *s, const char *base, struct str text, unsigned depth)
{
	struct protect *p = s->p;

	for (struct str line; s->n < SHOWN_MAX && (line = next_path(&text)).n;) {
		const char *dir = line.n < PROTECT_PATH_MAX ? objects_at(s, base, line) : NULL;
		struct str more;
		size_t i = 0;

		while (dir && i < s->n && strcmp(s->shown[i], dir) != 0)
			i++;
		if (!dir || i < s->n)
			continue;
		s->shown[s->n++] = dir;
		ops_add(p->a, s->ops, OP_BIND, OP_CALLERS | OP_IS_DIR, str_of(dir), str_of(dir));
		if (depth < DEPTH_MAX &&
				file_read(p->a, path_join(p->a, dir, "info/alternates"), FILE_BYTES, &more,
						NULL, NULL) == 0)
			show_text(s, dir, more, depth + 1);
	}
}

static void show_gitdir(void *ctx, struct str key, const void *value)
{
	struct alternates *s = ctx;
	const struct gitdir *g = value;
	const struct git_danger *part = &g->parts[PART_ALTERNATES];
	const char *top = str_c(s->p->a, s->p->workspace);

	if (g->pinned && part->any && part->text.n)
		show_text(s, path_join(s->p->a, path_join(s->p->a, top, str_c(s->p->a, key)), "objects"),
				part->text, 1);
}

void alternates_show(struct protect *p, struct ops *ops)
{
	struct alternates s = {.p = p, .ops = ops};

	if (p->vet < 0)
		return; /* another box may have made them */
	pmap_each(p->gitdirs_before, show_gitdir, &s);
}
