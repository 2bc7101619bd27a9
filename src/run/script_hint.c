/*
 * Scripts that the kernel refuses to execute. Its error says neither that the first line is wrong, nor that a
 * directory was named, nor that the file lies in this very directory. See script_hint.h.
 */
#include "run/script_hint.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "gate/judge.h"
#include "sys/directory.h"
#include "sys/file.h"
#include "sys/mounts.h"
#include "sys/path.h"

#define BEGINNING 256       /* bytes of the file that are read: the kernel looks at as many */
#define INTERPRETER_MAX 100 /* bytes of an interpreter's name that a hint shows */
#define BYTE_ORDER_MARK "\xEF\xBB\xBF"

/* Quotes and control characters would change the meaning of a hint. */
static bool is_odd(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] < ' ' || strchr("'\"`$\\\x7F", s.p[i]))
			return true;
	return false;
}

static struct str working_dir(const struct spec *s) { return s->cwd.n ? s->cwd : s->workspace; }

static bool is_shown(const struct spec *s, struct path_memo *memo, struct str path, enum path_kind *ret)
{
	return path_inside(path, s->workspace) && str_eq(path_real(memo, path, ret), path);
}

/*
 * Reads the beginning of a file of the workspace, and its mode. Another box of the project may have put a
 * link in the way by now: links are not followed.
 */
static bool read_beginning(struct arena *a, const struct spec *s, struct str path, char room[BEGINNING],
		struct str *ret, mode_t *ret_mode)
{
	FD_CLEANUP int dir = directory_open(str_c(a, s->workspace));
	FD_CLEANUP int fd = dir < 0 ? -1 : open_beneath(dir, str_c(a, str_from(path, s->workspace.n)),
			O_RDONLY | O_NONBLOCK);
	struct stat st;
	ssize_t n;

	if (fd < 0 || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
		return false;
	n = fd_read(fd, room, BEGINNING);
	*ret = str_n(room, n < 0 ? 0 : (size_t)n);
	*ret_mode = st.st_mode;
	return n >= 0;
}

static struct str interpreter_of(struct str line)
{
	size_t from = 2, to;

	while (from < line.n && line.p[from] == ' ')
		from++;
	to = str_end(line, ' ', from);
	return str_sub(line, from, to);
}

static struct str say_first_line(struct arena *a, struct str name, struct str text)
{
	struct str line = str_first(text, str_end(text, '\n', 0)), program;

	if (str_starts(text, BYTE_ORDER_MARK "#!"))
		return str_fmt(a,
				"'%.*s' begins with a byte order mark, so the kernel does not see its "
				"'#!' line: save it without the mark", STR_ARG(name));
	if (!str_starts(text, "#!"))
		return str_has(text, '\0') ? STR("") :
			str_fmt(a, "'%.*s' has no '#!' line, which names the interpreter of a script: add "
				"one, such as '#!/bin/sh', or name the interpreter: sh '%.*s'", STR_ARG(name),
				STR_ARG(name));
	if (line.n && line.p[line.n - 1] == '\r')
		return str_fmt(a, "the first line of '%.*s' has a Windows line ending, which becomes part "
				"of the interpreter's name: sed -i 's/\\r$//' '%.*s' removes them",
				STR_ARG(name), STR_ARG(name));
	program = interpreter_of(line);
	return !program.n || program.n > INTERPRETER_MAX || is_odd(program) ? STR("") :
		str_fmt(a, "the interpreter in the first line of '%.*s' is missing, or not shown in the "
			"box: '%.*s'", STR_ARG(name), STR_ARG(program));
}

struct str script_hint(struct arena *a, const struct run *r)
{
	const struct spec *s = &r->spec;
	struct str name = s->argv && s->argv[0] ? str_of(s->argv[0]) : STR(""), path, text;
	char room[BEGINNING];
	enum path_kind kind;
	struct path_memo memo;
	mode_t mode;

	if (!name.n || !s->workspace.n || s->root.n || is_odd(name))
		return STR("");
	path_memo_init(&memo, a, working_dir(s));
	path = path_plain(a, name.p[0] == '/' ? name : str_path(a, working_dir(s), name));
	if (!is_shown(s, &memo, path, &kind))
		return STR("");
	if (!str_has(name, '/'))
		return kind != PATH_FILE ? STR("") : str_fmt(a, "'%.*s' is in the working directory, where "
				"programs are not searched: write './%.*s'", STR_ARG(name), STR_ARG(name));
	if (kind == PATH_DIR)
		return str_fmt(a, "'%.*s' is a directory", STR_ARG(name));
	if (kind != PATH_FILE || !read_beginning(a, s, path, room, &text, &mode))
		return STR("");
	if (!(mode & (S_IXUSR | S_IXGRP | S_IXOTH)))
		return str_fmt(a, "'%.*s' is not executable: chmod +x '%.*s', or name its interpreter: "
				"sh '%.*s'", STR_ARG(name), STR_ARG(name), STR_ARG(name));
	return say_first_line(a, name, text);
}
