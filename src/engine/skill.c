/* See skill.h. */
#include "engine/skill.h"

#include <sys/stat.h>

#include "config/yaml.h"
#include "model/limits.h"
#include "sys/file.h"

#define KEY "sandbox_timeout_sec"

/* Between a first line of three dashes and the next such line; empty: there is none. One that does not end is an error: it may hold a limit. */
static int front_matter(struct str name, struct str text, struct str *ret, struct err *e)
{
	ptrdiff_t line;
	size_t from;

	if (str_starts(text, "\xEF\xBB\xBF"))
		text = str_sub(text, 3, text.n);
	line = str_find(text, '\n', 0);
	from = (size_t)line + 1;
	if (line < 3 || !str_starts(text, "---") || !(line == 3 || (line == 4 && text.p[3] == '\r'))) {
		*ret = STR("");
		return 0;
	}
	for (size_t at = from; at < text.n;) {
		ptrdiff_t end = str_find(text, '\n', at);
		struct str s = str_sub(text, at, end < 0 ? text.n : (size_t)end);

		if (str_is(s, "---") || str_is(s, "---\r")) {
			*ret = str_sub(text, from, at);
			return 0;
		}
		if (end < 0)
			break;
		at = (size_t)end + 1;
	}
	return err_set(e, ERR_INPUT, 0, "%.*s:1:1: the front matter does not end: a line '---' is missing", STR_ARG(name));
}

/* A key of the front matter; NULL: it is not there. */
static int look_up(struct arena *a, struct str name, struct str text, const char *key, struct yaml_file *f, const struct ynode **ret, struct err *e)
{
	struct str front;

	if (front_matter(name, text, &front, e) != 0 || yaml_read(a, name, front, f, e) != 0)
		return -1;
	*ret = f->root && f->root->kind == YNODE_MAP ? yaml_get(f->root, key) : NULL;
	return 0;
}

int skill_timeout_of(struct arena *a, struct str name, struct str text, uint64_t *ret, struct err *e)
{
	const struct ynode *n;
	struct yaml_file f;
	struct err why = {0};
	uint64_t ms;

	if (look_up(a, name, text, KEY, &f, &n, e) != 0)
		return -1;
	if (!n) {
		*ret = 0;
		return 0;
	}
	if (n->kind != YNODE_SCALAR || limit_parse(LIMIT_TIME, n->text, &ms, &why) != 0)
		return yaml_fail(&f, n, false, e, KEY ": %s", n->kind != YNODE_SCALAR ? "expected a number of seconds" : why.text);
	*ret = ms;
	return 0;
}

int skill_task_of(struct arena *a, struct str name, struct str text, struct str *ret, struct err *e)
{
	const struct ynode *n;
	struct yaml_file f;

	if (look_up(a, name, text, "task", &f, &n, e) != 0)
		return -1;
	if (n && n->kind != YNODE_SCALAR)
		return yaml_fail(&f, n, false, e, "task: expected a name");
	*ret = n && !yaml_null(n) ? n->text : STR("");
	return 0;
}

static int read_skill(struct arena *a, const char *path, const char **ret_file, struct str *ret, struct err *e)
{
	struct stat st;
	bool dir = stat(path, &st) == 0 && S_ISDIR(st.st_mode);

	*ret_file = dir ? str_c(a, str_fmt(a, "%s/SKILL.md", path)) : path;
	return file_read(a, *ret_file, SKILL_BYTES_MAX, ret, NULL, e);
}

int skill_timeout(struct arena *a, const char *path, uint64_t *ret, struct err *e)
{
	struct str text;
	const char *file;

	return read_skill(a, path, &file, &text, e) != 0 ? -1 : skill_timeout_of(a, str_of(file), text, ret, e);
}

int skill_task(struct arena *a, const char *path, struct str *ret, struct err *e)
{
	struct str text;
	const char *file;

	return read_skill(a, path, &file, &text, e) != 0 ? -1 : skill_task_of(a, str_of(file), text, ret, e);
}
