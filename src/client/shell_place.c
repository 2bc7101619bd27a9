/* See shell_place.h. */
#include "client/shell_place.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct shell_places shell_places(const struct view *v)
{
	const char *path = getenv("PATH");

	return (struct shell_places){
		.path = str_of(path ? path : ""), .tmp = v->tmp, .own = STR(""), .roots = v->roots};
}

bool shell_is_program(struct arena *a, struct str path)
{
	const char *c = str_c(a, path);
	struct stat st;

	return stat(c, &st) == 0 && S_ISREG(st.st_mode) && access(c, X_OK) == 0;
}

bool shell_agents_place(struct path_memo *m, const struct shell_places *p, struct str path)
{
	static const char shared[][12] = {"/tmp", "/var/tmp", "/dev/shm"};
	enum path_kind kind;
	struct str real = path_real(m, path, &kind);
	const struct path_dir *dir = path_dir(m, kind == PATH_DIR ? real : path_parent(real));

	for (const struct root *r = p->roots; r; r = r->next)
		if (path_inside(real, r->path))
			return true;
	if (!real.n || (dir && (dir->mode & S_IWOTH)))
		return true;
	if (path_inside(real, p->own)) /* Codex puts its own directory first in PATH */
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(shared); i++)
		if (path_inside(real, str_of(shared[i])))
			return true;
	return path_inside(real, p->tmp);
}

enum shell_found shell_in_path(
	struct path_memo *m, const struct shell_places *p, const char *name, bool present, struct str *ret)
{
	for (size_t at = 0; at <= p->path.n;) {
		size_t end = str_end(p->path, ':', at);
		struct str dir = str_sub(p->path, at, end);
		struct str file = str_path(m->a, dir, str_of(name));
		bool absolute = str_starts(dir, "/"), there = absolute && shell_is_program(m->a, file);
		bool foreign = !absolute || shell_agents_place(m, p, dir) ||
			       (there && shell_agents_place(m, p, file));

		*ret = file;
		at = end + 1;
		if (foreign && (there || !present))
			return SHELL_FOREIGN;
		if (there)
			return SHELL_OWN;
	}
	return SHELL_NONE;
}
