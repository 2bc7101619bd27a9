/*
 * The program of a box: argv, code on the command line, or a script from a file; and the same as text for the
 * gate.
 *
 * A script is read once, here. The gate judges that text, not its name. If the box cannot see the script's
 * directory, the text appears as /caisson/NAME, so that nothing else of that directory is visible. If it can:
 *  - without the gate the script runs where it is;
 *  - with the gate the file may change after the judgement, so the judged text runs, as /caisson/PATH. A
 *    mount over the file is not enough: renaming another file over it on the host removes the mount. Symbolic
 *    links beside the text, and in its parent directories up to the top of the visible place, lead to the
 *    real neighbours. So the script finds files relative to itself.
 */
#include <dirent.h>
#include <errno.h>

#include "run/spec_builder.h"
#include "sys/file.h"
#include "sys/path.h"

#define SCRIPT_ROOT "/caisson"
#define SCRIPT_DIR SCRIPT_ROOT "/"
#define ARGS_MAX 65536             /* words of a command */
#define ARG_BYTES_MAX 131071       /* bytes of one word: the kernel's bound */
#define NEIGHBOURS_MAX 2000        /* links for a judged script, in all its parent directories */

/* The request names the language of code or a script, or its first line or its name tells it. */
static int pick_language(struct spec_builder *m, struct str path, struct str text,
		const struct language **ret, struct err *e)
{
	if (m->rq->language)
		*ret = language_row(m->rq->language);
	else if (!path.n)
		*ret = language_row(LANGUAGE_BASH);
	else
		*ret = str_starts(text, "#!") ? language_by_shebang(text) : language_by_ending(path);
	return *ret ? 0 : err_input(e, "cannot tell the language of '%.*s': name it with --lang",
			STR_ARG(path));
}

/* ---- words ---- */

struct argv_words {
	char **v;
	size_t n, cap;
};

static void add_word(struct spec_builder *m, struct argv_words *w, const char *s)
{
	w->v = arena_room(m->a, w->v, w->n + 1, &w->cap, sizeof(*w->v)); /* and a NULL */
	w->v[w->n++] = str_c(m->a, str_of(s));
	w->v[w->n] = NULL;
}

static int add_rest(struct spec_builder *m, struct argv_words *w, struct err *e)
{
	for (size_t i = 0; m->rq->argv && m->rq->argv[i]; i++) {
		if (i == ARGS_MAX)
			return err_input(e, "more than %d arguments", ARGS_MAX);
		add_word(m, w, m->rq->argv[i]);
	}
	return 0;
}

static bool plain_word(struct str s) { return str_is_alnum_or(s, "_-./=:,+@%"); }

/* Quotes the words as a command line. */
static struct str command_of(struct spec_builder *m, char *const *argv)
{
	struct buf b;

	buf_init(&b, m->a, 0);
	for (size_t i = 0; argv[i]; i++) {
		if (i)
			buf_char(&b, ' ');
		if (plain_word(str_of(argv[i])) && !(i == 0 && strchr(argv[i], '=')))
			buf_str(&b, str_of(argv[i]));
		else
			buf_quoted(&b, str_of(argv[i]));
	}
	return buf_view(&b);
}

/* ---- argv, code, script ---- */

static int set_program(struct spec_builder *m, struct err *e)
{
	struct argv_words w = {0};

	if (m->rq->language)
		return err_input(e, "--lang needs -c or --file");
	if (add_rest(m, &w, e) != 0)
		return -1;
	if (!w.n || !w.v[0][0])
		return err_input(e,
				"no program given: caisson run -- PROGRAM [ARGUMENTS], or -c CODE, or --file "
				"FILE");
	m->r->spec.argv = w.v;
	m->r->gate_request.command = command_of(m, w.v);
	return 0;
}

/* Makes the text for the gate: shell text unchanged, other code as an argument of its interpreter. */
static void gate_code(struct spec_builder *m, const struct language *l, struct str code)
{
	struct buf b;

	m->r->gate_request.dialect = l->dialect;
	m->r->gate_request.command = code;
	if (l->shell || l->dialect == DIALECT_POWERSHELL)
		return;
	buf_init(&b, m->a, 0);
	buf_fmt(&b, "%s %s ", l->program, l->flag);
	buf_quoted(&b, code);
	m->r->gate_request.command = buf_view(&b);
}

static int use_program(struct spec_builder *m, const struct argv_words *w, const struct language *l,
		struct str code)
{
	m->r->spec.argv = w->v;
	m->r->spec.shell = l->shell;
	gate_code(m, l, code);
	return 0;
}

/*
 * Other names there are the box's own (protect.c, protect_private.c, search_path.c, spec_sockets.c,
 * test_reports.c).
 */
static bool is_script_name(struct str name)
{
	return plain_word(name) && name.p[0] != '.' && name.p[0] != '-' &&
			!str_is_any(name, "empty git hidden links reports resolv.conf ssh-agent witness");
}

static void give_script(struct spec_builder *m, struct str name, struct str text)
{
	struct spec_file *f = arena_new(m->a, struct spec_file);

	f->path = str_cat(m->a, STR(SCRIPT_DIR), is_script_name(name) ? name : STR("script"));
	f->text = text;
	f->next = m->r->spec.files;
	m->r->spec.files = f;
}

static int set_code(struct spec_builder *m, struct err *e)
{
	const struct language *l;
	struct str text = str_of(m->rq->code);
	struct argv_words w = {0};

	if (pick_language(m, STR(""), STR(""), &l, e) != 0)
		return -1;
	add_word(m, &w, l->program);
	if (text.n > ARG_BYTES_MAX) {
		give_script(m, STR("script"), text);
		add_word(m, &w, str_c(m->a, m->r->spec.files->path));
	} else {
		add_word(m, &w, l->flag);
		add_word(m, &w, m->rq->code);
		if (l->shell && m->rq->argv && m->rq->argv[0])
			add_word(m, &w, l->program); /* $0 */
	}
	if (add_rest(m, &w, e) != 0)
		return -1;
	return use_program(m, &w, l, text);
}

/* Returns the visible place that contains the script: the workspace or a path. Empty: none. */
static struct str seen_in(const struct spec_builder *m, struct str real)
{
	if (path_inside(real, m->r->spec.workspace))
		return m->r->spec.workspace;
	for (const struct spec_path *p = m->r->spec.paths; p; p = p->next)
		if (!p->at.n && path_inside(real, p->path))
			return p->path;
	return STR("");
}

static struct spec_file *add_file(struct spec_builder *m, struct str real, struct str text)
{
	struct spec_file *f = arena_copy(m->a, (struct spec_file){.next = m->r->spec.files,
			.path = str_fmt(m->a, "%s%.*s", SCRIPT_ROOT, STR_ARG(real)), .text = text});

	m->r->spec.files = f;
	return f;
}

/* Adds links to all entries of a directory except the one that is built here. */
static int link_neighbours(struct spec_builder *m, struct str dir, struct str but, size_t *left,
		struct err *e)
{
	const struct dirent *entry;
	DIR_SCOPE d = {0};
	int rc = 0;

	dir_scope(&d, m->a, opendir(str_c(m->a, dir)));
	if (!d.dir)
		return err_system(e, "cannot list '%.*s', in which the script lies", STR_ARG(dir));
	while (rc == 0 && (entry = readdir(d.dir))) {
		struct str path;

		if (path_is_dots(entry->d_name) || str_is(but, entry->d_name))
			continue;
		path = str_path(m->a, dir, str_of(entry->d_name));
		if (*left == 0)
			rc = err_input(e,
					"--gate --file: more than %d files lie beside '%s'; name the script "
					"as an argument of its interpreter instead",
				     NEIGHBOURS_MAX, m->rq->file);
		else
			add_file(m, path, path)->link = true;
		--*left;
	}
	return rc;
}

/* Shows the judged text instead of the script, with links to its neighbours. */
static int copy_script(struct spec_builder *m, struct str top, struct str real, struct str text,
		struct err *e)
{
	size_t left = NEIGHBOURS_MAX;

	for (struct str at = real; at.n > top.n && at.n > 1; at = path_parent(at))
		if (link_neighbours(m, path_parent(at), str_base(at), &left, e) != 0)
			return -1;
	add_file(m, real, text);
	return 0;
}

/* A boxed program may have created the link; its target was not meant for the next box. */
static int stays_in(struct spec_builder *m, struct str name, struct str real, struct err *e)
{
	struct str path = name.p[0] == '/' ? name : str_path(m->a, m->at->cwd, name);
	struct str dir = m->r->spec.workspace;
	const struct spec_path *p = m->r->spec.paths;
	struct path_memo memo;

	path_memo_init(&memo, m->a, m->at->cwd);
	for (; !path_leaves(&memo, path, real, dir); p = p->next) {
		if (!p)
			return spec_refuse_escape(m, "--file", name, real, e);
		dir = p->at.n ? STR("") : p->path;
	}
	return err_input(e, "'%s' is a link out of '%.*s'; name the file itself", m->rq->file, STR_ARG(dir));
}

/* Reads the script's text and path. */
static int read_script(struct spec_builder *m, struct str *ret_text, struct str *ret_real, struct err *e)
{
	struct stat st;
	FD_SCOPE f = {0};

	fd_scope(&f, m->a, file_open(m->rq->file, &st, e));
	if (f.fd < 0 || fd_read_file(m->a, f.fd, m->rq->file, &st, RUN_SCRIPT_MAX, ret_text, e) != 0)
		return -1;
	*ret_real = path_of_fd(m->a, f.fd);
	return stays_in(m, str_of(m->rq->file), *ret_real, e);
}

static int place_script(struct spec_builder *m, struct str real, struct str text, struct argv_words *w,
		struct err *e)
{
	struct str top = seen_in(m, real);

	if (top.n && !m->rq->gate) {
		add_word(m, w, str_c(m->a, real));
		return 0;
	}
	if (!top.n)
		give_script(m, str_base(str_of(m->rq->file)), text);
	else if (copy_script(m, top, real, text, e) != 0)
		return -1;
	add_word(m, w, str_c(m->a, m->r->spec.files->path));
	return 0;
}

static int set_script(struct spec_builder *m, struct err *e)
{
	const struct language *l;
	struct str name = str_of(m->rq->file), text, real;
	struct argv_words w = {0};

	if (!name.n)
		return err_input(e, "--file needs the name of a file");
	if (read_script(m, &text, &real, e) != 0 || pick_language(m, name, text, &l, e) != 0)
		return -1;
	add_word(m, &w, l->program);
	if (place_script(m, real, text, &w, e) != 0 || add_rest(m, &w, e) != 0)
		return -1;
	return use_program(m, &w, l, text);
}

/* Relative names are resolved as in the box, if its directory exists on the host. */
static struct str starts_in(const struct spec_builder *m)
{
	const struct spec *s = &m->r->spec;

	if (!s->workspace.n)
		return m->at->cwd;
	return !s->cwd.n ? s->workspace : path_inside(s->cwd, s->workspace) ? s->cwd : m->at->cwd;
}

/* Reuses a context that is open: looking at the world is the larger part of a judgement. */
static const struct context *gate_context(struct spec_builder *m)
{
	const struct context *open[] = {&m->world->context, &m->world->workspace};
	struct str cwd = starts_in(m);
	struct context *at;

	for (size_t i = 0; i < ARRAY_SIZE(open); i++)
		if (open[i]->view && str_eq(open[i]->view->cwd, cwd))
			return open[i];
	at = arena_new(m->a, struct context);
	at->cwd = cwd;
	return at;
}

/* A name with an empty part, "." or ".." could be another file than the one that is listed. */
static bool is_file_name(struct str name)
{
	struct str rest = name;
	size_t n = 0;

	for (struct str part; (part = str_part(&rest)).n; n += part.n + 1)
		if (str_is(part, "..") || str_has(part, 0) || part.n > 255)
			return false;
	return name.n && n == name.n + 1;
}

static int add_files(struct spec_builder *m, struct err *e)
{
	size_t n = 0, bytes = 0;

	for (const struct run_file *f = m->rq->files; f; f = f->next) {
		struct spec_file *to = arena_new(m->a, struct spec_file);

		bytes += f->text.n;
		if (++n > RUN_FILES_MAX || bytes > RUN_FILES_BYTES)
			return err_input(e, "files: at most %d, and %zu MB in all", RUN_FILES_MAX,
					RUN_FILES_BYTES >> 20);
		if (!is_file_name(f->name))
			return err_input(e, "files: '%.*s' is not a name below the home",
					(int)(f->name.n < 100 ? f->name.n : 100), f->name.p);
		*to = (struct spec_file){.next = m->r->spec.files, .text = f->text,
				.path = str_path(m->a, m->r->spec.home, f->name)};
		m->r->spec.files = to;
	}
	return 0;
}

int spec_build_program(struct spec_builder *m, struct err *e)
{
	if (m->rq->code && m->rq->file)
		return err_input(e, "use either -c or --file");
	m->r->gate_request.context = gate_context(m);
	if (add_files(m, e) != 0)
		return -1;
	return m->rq->code ? set_code(m, e) : m->rq->file ? set_script(m, e) : set_program(m, e);
}
