/*
 * Asks a package manager for its registries. The answer may hold credentials: it is searched for hosts
 * (registry_hosts.h) and forgotten; no message quotes it.
 *
 * - caisson: chooses programs and files outside the project, starts a box for each question.
 * - the tool in the box: exec profile, no network, the directory /run, which is empty; HOME is the person's
 *   home, in which only installed programs and the tool's own configuration files are visible, read-only.
 */
#include "run/registry_hosts.h"
#include "run/registry_tool.h"
#include "run/spec_builder.h"
#include "sys/file.h"
#include "sys/glob_expand.h"
#include "sys/remembered.h"
#include "sys/stream.h"

#define MEMORY (1024 * MB)
#define OUTPUT MB
#define TIME_MS 10000
#define TEXT_MAX ((size_t)1 << 20) /* bytes of an answer, and of a configuration file */
#define WORDS_MAX 32               /* words of a question */
#define FILES_MAX 64               /* files of a configuration directory */

/* ---- the box ---- */

static const struct policies no_policies;

static void set_variable(struct registry_tools *t, struct str name, struct str value)
{
	struct spec_var *v = arena_copy(t->a, (struct spec_var){.next = t->run.spec.env, .name = name,
			.value = value});

	t->run.spec.env = v;
}

void registry_open(struct registry_tools *t)
{
	static char name[] = "true"; /* replaced by each question */
	static char *const nothing[] = {name, NULL};
	struct spec_builder m = {.a = t->a, .rq = &t->request, .world = t->world, .p = &no_policies,
			.at = t->world ? t->world->context.view : NULL, .r = &t->run};
	struct spec *s = &t->run.spec;
	enum path_kind kind;

	if (t->opened || !t->world)
		return;
	t->opened = true;
	path_memo_init(&t->memo, t->a, STR(""));
	t->request = (struct run_request){.argv = nothing, .cwd = "/run", .accept_watched = true,
			.network = {.given = true, .mode = NETWORK_DENY},
			.limits = {[LIMIT_MEMORY] = MEMORY, [LIMIT_OUTPUT] = OUTPUT, [LIMIT_TIME] = TIME_MS}};
	t->run.id = STR("registries");
	if (run_prepare(t->a, &t->request, t->world, &no_policies, &t->run, &t->why) != 0)
		return;
	s->home = path_real(&t->memo, t->world->context.view->home, &kind);
	if (s->home.n < 2 || kind != PATH_DIR) {
		err_input(&t->why, "no home directory");
		return;
	}
	spec_add_toolchains(&m, &t->memo);
	search_path_list(&m, &t->memo, false);
	if (search_path_make(&m, &t->path, &t->why) != 0)
		return;
	s->env = NULL;
	set_variable(t, STR("HOME"), s->home);
	set_variable(t, STR("PATH"), t->path);
	set_variable(t, STR("USER"), STR("box"));
	set_variable(t, STR("LC_ALL"), STR("C.UTF-8"));
	set_variable(t, STR("TERM"), STR("dumb"));
	set_variable(t, STR("NO_COLOR"), STR("1"));
}

/* ---- programs and files outside the project ---- */

bool registry_foreign(const struct run_world *w, struct str real)
{
	const struct view *v = w->context.view;

	if (path_inside(real, v->project))
		return true;
	for (struct str dir = real; dir.n > 1; dir = path_parent(dir))
		if (remembered_place(v->remembered, dir))
			return true;
	return false;
}

struct str registry_program(struct registry_tools *t, struct str name)
{
	struct str path = t->path;

	for (size_t from = 0; from < path.n;) {
		size_t end = str_end(path, ':', from);
		struct str dir = str_sub(path, from, end), real;
		enum path_kind kind;

		real = path_real(&t->memo, str_fmt(t->a, "%.*s/%.*s", STR_ARG(dir), STR_ARG(name)), &kind);
		if (kind == PATH_FILE && !registry_foreign(t->world, real))
			return real;
		from += dir.n + 1;
	}
	return STR("");
}

struct str registry_file(struct registry_tools *t, struct str word, struct str *ret_at)
{
	enum path_kind kind;
	struct str real;

	*ret_at = word;
	if (str_starts(word, "~/"))
		*ret_at = str_cat(t->a, t->run.spec.home, str_from(word, 1));
	real = path_real(&t->memo, *ret_at, &kind);
	if (kind != PATH_FILE && kind != PATH_DIR)
		return STR("");
	if (!registry_foreign(t->world, real))
		return real;
	registry_note(t, str_fmt(t->a, "'%.*s' is ignored: it is a link into a project",
			STR_ARG(word)));
	return STR("");
}

/* A directory as a pattern that stands for itself. */
static void put_literal(struct buf *b, struct str dir)
{
	for (size_t i = 0; i < dir.n; i++) {
		if (strchr("*?[\\", dir.p[i]))
			buf_char(b, '\\');
		buf_char(b, dir.p[i]);
	}
}

int registry_files(struct registry_tools *t, struct str word, struct texts **ret, struct err *e)
{
	struct str at, real = registry_file(t, word, &at);
	struct texts *list = NULL, **end = &list;
	struct glob_answer entries = {0};
	enum path_kind kind = PATH_ABSENT;
	struct buf pattern;

	if (real.n)
		real = path_real(&t->memo, real, &kind);
	if (kind == PATH_DIR) {
		buf_init(&pattern, t->a, 0);
		put_literal(&pattern, real);
		buf_c(&pattern, "/*");
		glob_expand(&t->memo, buf_view(&pattern), &entries);
	} else if (kind == PATH_FILE) {
		entries = (struct glob_answer){.matches = &real, .nmatches = 1};
	}
	if (entries.more || entries.nmatches > FILES_MAX)
		return err_limit(e, "'%.*s' cannot be read, or has more than %d files",
				STR_ARG(at), FILES_MAX);
	for (size_t i = 0; i < entries.nmatches; i++) {
		struct str file = path_real(&t->memo, entries.matches[i], &kind);

		if (kind != PATH_FILE || registry_foreign(t->world, file))
			continue;
		end = texts_add(t->a, end, file);
	}
	*ret = list;
	return 0;
}

/* ---- asking ---- */

static void show_config(struct registry_tools *t, struct spec_builder *m, struct str words)
{
	struct str word, at, real;

	while ((word = str_word(&words)).n) {
		real = registry_file(t, word, &at);
		if (real.n && !path_inside(real, STR("/usr")))
			spec_add_path(m, real, at, false);
	}
}

static void set_variables(struct registry_tools *t, struct str words)
{
	struct str word;

	while ((word = str_word(&words)).n) {
		ptrdiff_t eq = str_find(word, '=', 0);

		if (eq > 0)
			set_variable(t, str_first(word, (size_t)eq), str_from(word, (size_t)eq + 1));
	}
}

/* Runs one question. 0 and the answer, which is valid until the arena is left; -1 and *e. */
static int run_question(struct arena *a, const struct run *r, struct str *ret, struct err *e)
{
	struct outcome o = {0};
	struct box box = {0};
	int rc = 0;

	run_go(a, r, &box, &(struct box_start){0}, NULL, &o);
	if (o.status == STATUS_SETUP_ERROR)
		rc = err_host(e, "%s", o.err_setup.text);
	else if (o.status == STATUS_EXIT_NONZERO)
		rc = err_input(e, "it ended with status %d", o.exit_code);
	else if (o.status != STATUS_OK || o.out.total > TEXT_MAX)
		rc = err_limit(e, "%s", status_name(o.status == STATUS_OK ? STATUS_OUTPUT_LIMIT : o.status));
	else
		*ret = stream_tail(a, &o.out, TEXT_MAX);
	box_wait(&box, &o);
	return rc;
}

/*
 * The first question that is answered counts; programs that are not there are skipped. Without any, the
 * answer is empty.
 */
static int ask_in_box(struct registry_tools *t, const struct registry_row *row, struct str *ret,
		struct err *e)
{
	struct registry_tools box = *t; /* with files and variables of this tool */
	struct spec_builder m = {.a = t->a, .rq = &box.request, .world = t->world, .p = &no_policies,
			.at = t->world->context.view, .r = &box.run};
	struct str lines = registry_list(row, REGISTRY_ASK);
	int rc = 0;

	show_config(t, &m, registry_list(row, REGISTRY_CONFIG));
	set_variables(&box, registry_list(row, REGISTRY_SET));
	while (lines.n) {
		size_t end = str_end(lines, '\n', 0);
		struct str line = str_first(lines, end), word;
		char **argv = arena_array(t->a, WORDS_MAX + 1, sizeof(*argv));

		lines = str_from(lines, line.n + 1);
		for (size_t n = 0; n < WORDS_MAX && (word = str_word(&line)).n; n++)
			argv[n] = str_c(t->a, word);
		box.run.spec.argv = argv;
		if (!registry_program(t, str_of(argv[0])).n)
			continue;
		rc = run_question(t->a, &box.run, ret, e);
		if (rc == 0)
			break;
	}
	return rc;
}

/* ---- reading ---- */

static int read_file(struct registry_tools *t, const struct registry_row *row, struct str real,
		struct texts **ret, struct err *e)
{
	struct registry_text text = {.keys = registry_list(row, REGISTRY_KEYS),
			.before = registry_list(row, REGISTRY_BEFORE)};

	if (file_read(t->a, str_c(t->a, real), TEXT_MAX, &text.text, NULL, e) != 0)
		return -1;
	if (registry_hosts(t->a, &text, ret) != 0)
		return err_input(e, "'%.*s' is not valid JSON", STR_ARG(real));
	return 0;
}

static int read_place(struct registry_tools *t, const struct registry_row *row, struct str word,
		struct texts **ret, struct err *e)
{
	struct texts *files;

	if (registry_files(t, word, &files, e) != 0)
		return -1;
	for (; files; files = files->next)
		if (read_file(t, row, files->text, ret, e) != 0)
			return -1;
	return 0;
}

int registry_ask(struct registry_tools *t, const struct registry_row *row, struct texts **ret, struct err *e)
{
	struct registry_text answer = {.keys = registry_list(row, REGISTRY_KEYS),
			.bare = registry_list(row, REGISTRY_BARE)};
	struct str words = registry_list(row, REGISTRY_READ), word;
	struct texts *hosts = NULL;

	if (t->why.text[0])
		return err_wrap(e, &t->why, "the box");
	if (registry_list(row, REGISTRY_ASK).n) {
		if (ask_in_box(t, row, &answer.text, e) != 0)
			return -1;
		if (registry_hosts(t->a, &answer, &hosts) != 0)
			return err_input(e, "its answer is not valid JSON");
	}
	while ((word = str_word(&words)).n)
		if (read_place(t, row, word, &hosts, e) != 0)
			return -1;
	*ret = hosts;
	return 0;
}
