/*
 * The world: project root, files that decide, own files and the view, on real files below a temporary
 * directory.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "judge/world.h"
#include "place.h"
#include "sys/project.h"
#include "sys/secure.h"
#include "sys/state.h"

#define NOBODY 65534
#define STRANGER 12345

static void make_tree(void)
{
	make_dir("tree", 0755);
	make_dir("tree/d", 0755);
	make_dir("elsewhere", 0700);
	make_dir("elsewhere/deep", 0700);
	make_dir("globs", 0755);
	make_file("tree/f", "x", 0644);
	make_file("elsewhere/secret", "x", 0600);
	make_file("globs/a", "", 0644);
	make_file("globs/b", "", 0644);
	make_file("globs/c", "", 0644);
	make_link("f", "tree/lf");
	make_link("d", "tree/ld");
}

/* ---- project root ---- */

static struct str root_of(const char *cwd, const char *home)
{
	struct path_memo m;

	path_memo_init(&m, A, str_of(at(cwd)));
	struct project_look look = {&m, str_of(home[0] ? at(home) : ""), (uint32_t)getuid(), NULL};

	return project_find(&look, str_of(at(cwd)));
}

static void test_project_root(void)
{
	make_dir("home", 0755);
	make_repository("home/repo");
	make_dir("home/repo/sub", 0755);
	make_dir("home/repo/sub/empty", 0755);
	make_dir("home/repo/sub/empty/.git", 0755); /* no repository to git either */
	make_dir("home/plain", 0755);
	make_dir("home/tree", 0755);
	make_file("home/tree/.git", "gitdir: ../repo/.git/worktrees/tree\n", 0644);
	make_link("repo/sub", "home/link");
	static const struct {
		const char *cwd, *home, *want; /* want "": none */
	} rows[] = {
		{"home/repo", "home", "home/repo"},
		{"home/repo/sub", "home", "home/repo"},
		{"home/repo/sub/empty", "home", "home/repo"},
		{"home/repo/.git", "home", "home/repo"},
		{"home/link", "home", "home/repo"},
		{"home/plain", "home", "home/plain"},
		{"home/plain/../plain/.", "home", "home/plain"},
		{"home/tree", "home", "home/tree"},
		{"home", "home", ""},
		{"", "home", ""},
		{"/", "home", ""},
		{"/tmp", "home", ""},
		/* the home directory is a repository itself */
		{"home/repo/sub", "home/repo", "home/repo/sub"},
		{"home/repo", "home/repo", ""},
		{"home/link", "home/repo/sub", ""}, /* by another name */
		{"home/repo/sub", "home/link", ""},
		{"home/plain", "", "home/plain"},
		{"nowhere/project", "home", "nowhere/project"},
		{"nowhere/../home", "home", ""},
		{"/nonexistent/project", "/nonexistent/home", "/nonexistent/project"},
		{"/nonexistent", "/nonexistent/home", ""},
		{"home/repo/.git/HEAD", "home", ""},
	};
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const char *good = rows[i].want[0] ? at(rows[i].want) : "";
		struct str got = root_of(rows[i].cwd, rows[i].home);
		if (!str_is(got, good))
			unit_fail(__FILE__, __LINE__, "row %s: '%.*s', want '%s'", rows[i].cwd, STR_ARG(got),
					good);
	}
}

static void test_project_foreign(void)
{
	make_repository("planted");
	make_dir("planted/work", 0755);
	CHECK_STR(root_of("planted/work", "home"), at("planted"));
	CHECK_INT(chown(at("planted/.git"), STRANGER, STRANGER), 0);
	CHECK_STR(root_of("planted/work", "home"), at("planted/work")); /* as a stranger could do in /tmp */
	CHECK_INT(chown(at("planted/.git"), 0, 0) | chown(at("planted"), STRANGER, STRANGER), 0);
	CHECK_STR(root_of("planted/work", "home"), at("planted/work"));
}

/* Others' rules depend on the user: run this as nobody. The child reports through its exit status. */
static void as_nobody(void (*fn)(void))
{
	fflush(stdout);
	pid_t pid = fork();
	CHECK(pid >= 0);
	if (pid == 0) {
		unit_bad = 0;
		if (setgid(NOBODY) < 0 || setuid(NOBODY) < 0)
			_exit(99);
		fn();
		fflush(stdout);
		_exit(unit_bad ? 1 : 0);
	}
	int status = 0;
	CHECK_INT(waitpid(pid, &status, 0), pid);
	CHECK(WIFEXITED(status));
	CHECK_INT(WEXITSTATUS(status), 0);
}

static void nobody_sees(void)
{
	struct path_answer p = look("elsewhere/secret"); /* 0700 root */
	CHECK_INT(p.kind, PATH_UNREADABLE);
	CHECK_INT(p.target, PATH_UNREADABLE);
	CHECK_STR(p.real, at("elsewhere/secret"));
	p = look("elsewhere");
	CHECK_INT(p.kind, PATH_DIR);
	CHECK_INT(p.owner, 0);
	CHECK_STR(look("elsewhere/deep/../../tree/f").real, at("tree/f"));
	CHECK_INT(look("elsewhere/deep/../../tree/f").target, PATH_FILE);
	CHECK(expand("elsewhere/*").nmatches == 0);
	CHECK_STR(root_of("home/repo/sub", "/nonexistent"), at("home/repo")); /* root's repository is fine */
	struct str bytes;
	struct err e;
	/* and so is root's file */
	CHECK_INT(secure_read(A, str_of(at("conf/good")), 100, NOBODY, &bytes, &e), 0);
	CHECK_INT(secure_read(A, str_of(at("conf/hers")), 100, NOBODY, &bytes, &e), -1);
	CHECK(strstr(e.text, "belongs to user 12345"));
	CHECK_INT(secure_read(A, str_of(at("elsewhere/secret")), 100, NOBODY, &bytes, &e), -1);
	CHECK_INT(e.errnum, EACCES);
	CHECK_INT(secure_read(A, str_of(at("conf/private")), 100, NOBODY, &bytes, &e), -1);
	CHECK_INT(e.errnum, EACCES);
}

/* ---- files that decide ---- */

static struct path_memo *fresh(void)
{
	static struct path_memo m;
	path_memo_init(&m, A, STR(""));
	return &m;
}

static int reads(const char *name, struct err *e)
{
	struct str s = STR("untouched");
	int bad = secure_read(A, str_of(at(name)), 100, (uint32_t)getuid(), &s, e);
	CHECK(bad ? str_is(s, "untouched") : str_is(s, "text"));
	return bad;
}

static void test_secure_read(void)
{
	static const struct {
		const char *name, *says; /* NULL: it is read */
	} rows[] = {
		{"conf/good", NULL},
		{"conf/private", NULL},
		{"conf/link", NULL},
		{"conf/group", "others may write"},
		{"conf/world", "chmod go-w"},
		{"conf/tolink", "chmod go-w"},      /* a link to a file that others may write */
		{"conf/dangling", "does not exist"},
		{"conf/none", "No such file"},
		{"conf", "not a regular file"},
		{"conf/fifo", "not a regular file"},
		{"conf/circle", "not a regular file"},
		{"loosedir/good", "loosedir', so"},
		{"loosedir/link", "others may write"}, /* the file is fine; who may replace the link is not */
		{"conf/intoloose", "others may write"},
		{"sticky/good", NULL},
		{"conf/long", "longer than 100 bytes"},
	};
	make_dir("conf", 0755);
	make_dir("loosedir", 0775);
	make_dir("sticky", 01777);
	make_file("conf/good", "text", 0644);
	make_file("conf/private", "text", 0600);
	make_file("conf/group", "text", 0664);
	make_file("conf/world", "text", 0646);
	make_file("loosedir/good", "text", 0644);
	make_file("sticky/good", "text", 0644);
	char *text = arena_alloc(A, 102);
	memset(text, 'x', 101);
	make_file("conf/long", text, 0644);
	make_link("good", "conf/link");
	make_link("group", "conf/tolink");
	make_link("nothing", "conf/dangling");
	make_link("circle", "conf/circle");
	make_link("../conf/good", "loosedir/link");
	make_link("../loosedir/good", "conf/intoloose");
	CHECK_INT(mkfifo(at("conf/fifo"), 0600), 0);
	int before = count_fds();
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct err e = {0};
		int bad = reads(rows[i].name, &e);
		CHECK_ROW((bad != 0) == (rows[i].says != NULL), rows[i].name);
		if (bad && rows[i].says && !strstr(e.text, rows[i].says))
			unit_fail(__FILE__, __LINE__, "%s says '%s'", rows[i].name, e.text);
	}
	CHECK_INT(count_fds(), before);
	struct err e;
	CHECK_INT(reads("conf/none", &e), -1);
	CHECK_INT(e.errnum, ENOENT); /* absent, which is no error to those who ask */
	e = (struct err){0};
	struct str s = STR("untouched");
	struct path_memo *m = fresh();
	CHECK_INT(secure_read_known(m, str_of(at("conf/none")), 100, (uint32_t)getuid(), &s, &e),
			SECURE_ABSENT);
	CHECK(!e.kind && str_is(s, "untouched"));
	size_t looks = m->looks;
	CHECK_INT(secure_read_known(m, str_of(at("conf/good")), 100, (uint32_t)getuid(), &s, &e), 0);
	CHECK_STR(s, "text");
	CHECK_INT(m->looks, looks + 1); /* at the file alone */
	CHECK_INT(reads("conf/dangling", &e), -1);
	CHECK_INT(e.errnum, 0);
	CHECK_INT(e.kind, ERR_CONFIG);
}

static void test_secure_owner(void)
{
	struct err e;
	make_file("conf/hers", "text", 0644);
	CHECK_INT(chown(at("conf/hers"), STRANGER, STRANGER), 0);
	CHECK_INT(reads("conf/hers", &e), -1);
	CHECK(strstr(e.text, "belongs to user 12345"));
	make_dir("herdir", 0755);
	make_file("herdir/good", "text", 0644);
	CHECK_INT(chown(at("herdir"), STRANGER, STRANGER), 0);
	CHECK_INT(reads("herdir/good", &e), -1);
}

static void test_project_read(void)
{
	struct str s, root = str_of(at("home/repo"));
	struct err e;
	make_file("home/repo/.caisson.yaml", "deny: []", 0666); /* untrusted anyway */
	CHECK_INT(secure_read_project(fresh(), root, str_of(at("home/repo/.caisson.yaml")), 100, &s, &e), 0);
	CHECK_STR(s, "deny: []");
	CHECK_INT(secure_read_project(fresh(), root, str_of(at("home/repo/.caisson.yaml")), 7, &s, &e), -1);
	CHECK_INT(e.kind, ERR_LIMIT);
	make_link("../../.caisson.yaml", "home/repo/sub/empty/in.yaml");
	CHECK_INT(secure_read_project(fresh(), root, str_of(at("home/repo/sub/empty/in.yaml")), 100, &s, &e),
			0);
	make_link("../../elsewhere/secret", "home/repo/out.yaml");
	CHECK_INT(secure_read_project(fresh(), root, str_of(at("home/repo/out.yaml")), 100, &s, &e), -1);
	CHECK(strstr(e.text, "leads out of the project"));
	CHECK_INT(secure_read_project(fresh(), root, str_of(at("home/repo/none.yaml")), 100, &s, &e),
			SECURE_ABSENT);
	CHECK_INT(secure_read_project(fresh(), root, str_of(at("home/repo/sub")), 100, &s, &e), -1);
}

/* ---- own files ---- */

static void test_state_paths(void)
{
	struct state_paths p;
	struct state_env env = {0};
	state_paths(A, &env, STR("/home/dev"), STR("/p"), &p);
	CHECK_STR(p.system_policy, "/etc/caisson/config.yaml");
	CHECK_STR(p.user_policy, "/home/dev/.config/caisson/config.yaml");
	CHECK_STR(p.state_dir, "/home/dev/.local/state/caisson");
	CHECK_STR(p.trust_store, "/home/dev/.local/state/caisson/trust.json");
	CHECK_STR(p.project_policy, "/p/.caisson.yaml");
	env = (struct state_env){.xdg_config = "/c", .xdg_state = "/s"};
	state_paths(A, &env, STR("/home/dev"), STR(""), &p);
	CHECK_STR(p.config_dir, "/c/caisson");
	CHECK_STR(p.state_dir, "/s/caisson");
	CHECK_STR(p.project_policy, "");
	/* relative ones do not count */
	env = (struct state_env){.xdg_config = "c", .xdg_state = "", .caisson_state = "./x"};
	state_paths(A, &env, STR("/home/dev"), STR(""), &p);
	CHECK_STR(p.config_dir, "/home/dev/.config/caisson");
	CHECK_STR(p.state_dir, "/home/dev/.local/state/caisson");
	env = (struct state_env){.xdg_state = "/s", .caisson_state = "/own"};
	state_paths(A, &env, STR(""), STR(""), &p);
	CHECK_STR(p.state_dir, "/own");
	CHECK_STR(p.config_dir, "");
	CHECK_STR(p.user_policy, "");
}

static int state_is(const char *name, struct err *e)
{
	struct str s;
	return state_check(A, name[0] ? str_of(at(name)) : STR(""), str_of(at("home/repo")),
			(uint32_t)getuid(), &s, e);
}

static void test_state(void)
{
	struct err e;
	struct str s;
	struct stat st;
	CHECK_INT(state_is("home/plain", &e), 0);
	CHECK_INT(state_is("home/plain/new/newer", &e), 0);
	CHECK_INT(state_is("home/repo/state", &e), -1);
	CHECK(strstr(e.text, "inside the project"));
	CHECK_INT(state_is("home/link", &e), -1); /* by way of a link */
	CHECK_INT(state_is("loosedir", &e), -1);
	CHECK(strstr(e.text, "chmod go-w"));
	CHECK_INT(state_is("loosedir/new", &e), -1);
	CHECK_INT(state_is("conf/good", &e), -1);
	CHECK_INT(state_is("", &e), -1);
	CHECK_INT(state_make(A, str_of(at("home/.local/state/caisson")), str_of(at("home/repo")),
			(uint32_t)getuid(), &s, &e), 0);
	CHECK_STR(s, at("home/.local/state/caisson"));
	CHECK_INT(stat(at("home/.local"), &st), 0);
	CHECK_INT(st.st_mode & 07777, 0700);
	CHECK_INT(state_make(A, s, STR(""), (uint32_t)getuid(), &s, &e), 0); /* again */
	struct path_memo *m = fresh();
	CHECK_INT(state_make_known(m, s, STR(""), (uint32_t)getuid(), &s, &e), 0);
	size_t looks = m->looks;
	CHECK_INT(state_make_known(m, s, STR(""), (uint32_t)getuid(), &s, &e), 0);
	CHECK_INT(m->looks, looks); /* just looked at */
	CHECK_STR(s, at("home/.local/state/caisson"));
	CHECK_INT(state_make(A, str_of(at("home/repo/state")), str_of(at("home/repo")), (uint32_t)getuid(),
			&s, &e), -1);
	CHECK_INT(stat(at("home/repo/state"), &st), -1);
}

static void test_fencepost(void)
{
	struct texts *list = NULL;
	struct err e;
	struct str base = str_of(at("home/[odd] name"));
	make_dir("home/[odd] name", 0755);
	CHECK_INT(fencepost_files(fresh(), base, &list, &e), 0);
	CHECK(!list);
	make_dir("home/[odd] name/.claude", 0755);
	make_file("home/[odd] name/.claude/fencepost.yaml", "", 0644);
	CHECK_INT(fencepost_files(fresh(), base, &list, &e), 0);
	CHECK(list && !list->next && str_ends(list->text, "/.claude/fencepost.yaml"));
	make_dir("home/[odd] name/.claude/fencepost", 0755);
	make_dir("home/[odd] name/.claude/fencepost/config", 0755);
	CHECK_INT(fencepost_files(fresh(), base, &list, &e), 0);
	CHECK(list && !list->next); /* an empty folder is none */
	make_file("home/[odd] name/.claude/fencepost/config/20.yaml", "", 0644);
	make_file("home/[odd] name/.claude/fencepost/config/10.yaml", "", 0644);
	make_file("home/[odd] name/.claude/fencepost/config/notes.txt", "", 0644);
	CHECK_INT(fencepost_files(fresh(), base, &list, &e), 0);
	CHECK(list && str_ends(list->text, "/config/10.yaml"));
	CHECK(list && list->next && str_ends(list->next->text, "/config/20.yaml") && !list->next->next);
}

static void test_replace(void)
{
	struct err e;
	struct str s;
	struct stat st;
	make_dir("replace", 0755);
	CHECK_INT(file_replace(at("replace/x"), STR("one"), &e), 0);
	CHECK_INT(stat(at("replace/x"), &st), 0);
	CHECK_INT(st.st_mode & 07777, 0600);
	make_link("x", "replace/link");
	CHECK_INT(file_replace(at("replace/link"), STR("two"), &e), 0);
	CHECK_INT(file_read(A, at("replace/x"), 10, &s, NULL, &e), 0);
	CHECK_STR(s, "one"); /* the link was replaced, not what it leads to */
	CHECK_INT(file_read(A, at("replace/link"), 10, &s, NULL, &e), 0);
	CHECK_STR(s, "two");
	CHECK_INT(file_replace(at("replace/none/x"), STR("x"), &e), -1);
	make_dir("replace/dir", 0755);
	CHECK_INT(file_replace(at("replace/dir"), STR("x"), &e), -1);
	CHECK_INT(expand("replace/.*").nmatches, 2); /* . and ..: no temporary file is left */
}

/* ---- the view ---- */

static bool has_root(const struct view *v, const char *path)
{
	for (const struct root *r = v->roots; r; r = r->next)
		if (str_is(r->path, path))
			return true;
	return false;
}

static void test_view(void)
{
	static struct texts list[] = {{.text = STR("~/plain")}, {.text = STR(".")}, {.text = STR("sub")},
			{.text = STR("~")}, {.text = STR("/")}, {.text = STR("/tmp")},
		{.text = STR("~root")}, {.text = STR("../tree")}, {.text = STR("/proc/1/root/x")},
		{.text = STR("/nonexistent/dir")}, {.text = STR("")}};
	for (size_t i = 0; i + 1 < ARRAY_SIZE(list); i++)
		list[i].next = &list[i + 1];
	struct policy p = {.writable_roots = list};
	struct context rq = {.cwd = str_of(at("home/link")), .home = str_of(at("home")), .user = STR("dev")};
	struct view v;
	unsetenv("CAISSON_STATE");
	unsetenv("XDG_STATE_HOME");
	unsetenv("XDG_CONFIG_HOME");
	setenv("TMPDIR", "relative", 1);
	world_view(A, &rq, &p, &v);
	CHECK_STR(v.cwd, at("home/link"));
	CHECK_STR(v.project, at("home/repo"));
	CHECK_STR(v.home, at("home"));
	CHECK_STR(v.user, "dev");
	CHECK_INT(v.uid, getuid());
	CHECK_STR(v.config_dir, at("home/.config/caisson"));
	CHECK_STR(v.state_dir, at("home/.local/state/caisson"));
	CHECK_STR(v.tmp, "/tmp");
	CHECK(str_ends(v.program, "/test_world"));
	CHECK(v.roots && str_is(v.roots->path, at("home/repo")));
	static const char *const roots[] = {"home/plain", "home/repo", "home/repo/sub", "home/tree",
			"/nonexistent/dir"};
	for (size_t i = 0; i < ARRAY_SIZE(roots); i++)
		CHECK_ROW(has_root(&v, at(roots[i])), roots[i]);
	static const char *const never[] = {"/", "/tmp", "home", "", "/root"};
	for (size_t i = 0; i < ARRAY_SIZE(never); i++)
		CHECK_ROW(!has_root(&v, at(never[i])), never[i]);
	setenv("TMPDIR", "/var/tmp", 1);
	setenv("XDG_STATE_HOME", at("tree/ld"), 1);
	rq = (struct context){.home = str_of(at("home"))};
	world_view(A, &rq, NULL, &v);
	CHECK_STR(v.tmp, "/var/tmp");
	CHECK_STR(v.state_dir, at("tree/d/caisson"));
	char *own = getcwd(NULL, 0);
	CHECK(own && str_is(v.cwd, own));
	free(own);
	CHECK(v.user.n > 0);
	unsetenv("XDG_STATE_HOME");
	unsetenv("TMPDIR");
}

/* Parts of a view are those of the whole view. */
static void test_parts(void)
{
	static const char *const dirs[] = {"home/repo/sub", "home/link", "home/plain", "home",
			"/nonexistent"};
	struct context rq = {.cwd = str_of(at("home/plain")), .home = str_of(at("home")), .user = STR("dev")};
	struct view v, own = {0};

	world_view(A, &rq, NULL, &v);
	world_user(A, &rq, &own);
	CHECK_STRN(own.home, v.home);
	CHECK_STRN(own.user, v.user);
	CHECK_STRN(own.state_dir, v.state_dir);
	CHECK_STRN(own.config_dir, v.config_dir);
	CHECK_INT(own.uid, v.uid);
	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++) {
		struct view there;

		rq.cwd = str_of(at(dirs[i]));
		world_view(A, &rq, NULL, &there);
		CHECK_ROW(str_eq(world_project(A, &v, &rq), there.project), dirs[i]);
	}
}

/*
 * A run looks at places alone. A judgement by the same view finds all the rest, unvetted workspaces above
 * all.
 */
static void test_places(void)
{
	struct context rq = {.cwd = str_of(at("home/repo")), .home = str_of(at("home")), .places = true};
	struct policy p = {0};
	struct view v, again, judged;

	unsetenv("TMPDIR");
	setenv("XDG_STATE_HOME", at("home/unreadable"), 1);
	CHECK_INT(mkdir(at("home/unreadable"), 0700) | mkdir(at("home/unreadable/caisson"), 0700), 0);
	/* a list that cannot be read */
	CHECK_INT(symlink("vetted", at("home/unreadable/caisson/vetted")), 0);
	world_view(A, &rq, NULL, &v);
	CHECK(v.places && !v.program.n && !v.tmp.n && !v.unvetted.everywhere);
	CHECK_STR(v.project, at("home/repo"));
	world_again(A, &v, NULL, &again);
	CHECK(again.places);
	world_again(A, &again, &p, &judged);
	CHECK(!judged.places && str_is(judged.tmp, "/tmp") && judged.unvetted.everywhere);
	CHECK(str_ends(judged.program, "/test_world"));
	unsetenv("XDG_STATE_HOME");
}

static void test_answers(void)
{
	struct view v = {.cwd = str_of(at("tree"))};
	struct question q[4] = {{.path = str_of(at("tree/lf"))},
			{.kind = QUESTION_GLOB, .path = str_of(at("globs/?"))},
			{.path = str_of(at("tree/lf"))}, {.path = STR("/proc/self/cwd/f")}};
	for (size_t i = 0; i < 3; i++)
		q[i].next = &q[i + 1];
	CHECK_INT(world_answer(A, &v, q), 3);
	CHECK(v.paths && str_is(v.paths->real, at("tree/f")));
	CHECK(v.paths && v.paths->next && str_is(v.paths->next->real, at("tree/f")) && !v.paths->next->next);
	CHECK(v.globs && v.globs->nmatches == 3 && !v.globs->next);
	CHECK_INT(world_answer(A, &v, q), 0); /* nothing new: the judge cannot go round for ever */
	struct question more = {.path = STR("/")};
	CHECK_INT(world_answer(A, &v, &more), 1);
	CHECK(v.paths->next->next && str_is(v.paths->next->next->real, "/"));
	struct question *many = arena_array(A, WORLD_ANSWERS_MAX + 10, sizeof *many);
	for (size_t i = 0; i < WORLD_ANSWERS_MAX + 10; i++)
		many[i] = (struct question){.path = str_fmt(A, "/nonexistent/%zu", i),
				.next = i ? &many[i - 1] : NULL};
	CHECK_INT(world_answer(A, &v, &many[WORLD_ANSWERS_MAX + 9]), WORLD_ANSWERS_MAX - 4);
}

static int view_once(void *arg)
{
	struct arena *a = arg;
	struct context rq = {.cwd = str_of(at("home/repo/sub"))};
	struct view v;
	struct question q = {.kind = QUESTION_GLOB, .path = str_of(at("globs/*"))};
	world_view(a, &rq, NULL, &v);
	world_answer(a, &v, &q);
	return str_is(v.project, at("home/repo")) && v.globs->nmatches == 3 ? 0 : 1;
}

/*
 * Each allocation fails once. User and working directory are then not known, which is no failure; anything
 * else leaves.
 */
static void test_view_torture(void)
{
	int before = count_fds(), code = -1;
	size_t n = 0, left = 0;
	for (bool failed = true; failed && n < 1000;) {
		struct arena a;
		arena_init(&a, ARENA_CAP_DEFAULT);
		a.fail_at = ++n;
		code = arena_run(&a, view_once, &a);
		failed = a.allocs >= n;
		CHECK(code <= 0);
		left += code < 0;
		arena_free(&a);
	}
	CHECK_INT(code, 0);
	CHECK(left > 20);
	CHECK_INT(count_fds(), before);
}

static void test_scratch(void)
{
	struct path_memo m;
	struct stat st;
	bool absent = lstat("/tmp/claude", &st) < 0;
	path_memo_init(&m, A, STR(""));
	struct str got = project_scratch(&m, (uint32_t)getuid());
	bool good = absent || (S_ISDIR(st.st_mode) && st.st_uid == getuid() && !(st.st_mode & 022));
	CHECK_STR(got, good ? "/tmp/claude" : "");
	path_memo_init(&m, A, STR(""));
	if (!absent) /* another one than its owner */
		CHECK_STR(project_scratch(&m, st.st_uid == STRANGER ? STRANGER + 1 : STRANGER), "");
}

/*
 * A program in a box exchanges home/race/a with a link to another repository, again and again. It may make
 * the project unknown, or narrower, but never another repository.
 */
static pid_t exchange_names(const char *one, const char *other)
{
	pid_t pid = fork();

	if (pid == 0)
		for (unsigned i = 0;; i = i * 1103515245 + 12345) {
			for (volatile unsigned spin = 1u << (i >> 28); spin; spin--)
				;
			syscall(SYS_renameat2, AT_FDCWD, one, AT_FDCWD, other, RENAME_EXCHANGE);
		}
	return pid;
}

static bool led_away(struct str cwd, struct str race)
{
	struct project_way way;
	struct path_memo m;
	struct view v;
	struct arena a;
	bool bad;

	arena_init(&a, 16 << 20);
	path_memo_init(&m, &a, cwd);
	way = project_way(&(struct project_look){&m, str_of(at("home")), (uint32_t)getuid(), NULL}, cwd);
	bad = way.real.n && !path_inside(way.real, race) && !str_eq(way.root, race);
	world_view(&a, &(struct context){.cwd = cwd}, NULL, &v);
	bad |= v.project.n && !path_inside(v.project, race);
	arena_free(&a);
	return bad;
}

static void test_project_race(void)
{
	struct timespec now, end;
	unsigned looks = 0, bad = 0;
	struct str cwd, race;
	pid_t pid;

	make_repository("home/race");
	make_dir("home/race/a", 0755);
	make_dir("home/race/a/b", 0755);
	make_repository("home/prey");
	make_dir("home/prey/b", 0755);
	make_link("../prey", "home/race/l");
	cwd = str_of(at("home/race/a/b"));
	race = str_of(at("home/race"));
	pid = exchange_names(at("home/race/a"), at("home/race/l"));
	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += 1;
	do {
		bad += led_away(cwd, race);
		looks++;
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while (now.tv_sec < end.tv_sec || (now.tv_sec == end.tv_sec && now.tv_nsec < end.tv_nsec));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	CHECK(looks > 10);
	if (bad)
		unit_fail(__FILE__, __LINE__, "%u of %u looks: the target of the link is the project", bad,
				looks);
}

#define RUN_ROOT(fn) (getuid() == 0 ? RUN(fn) : unit_skip(#fn, "only root can give files away"))

static void test_nobody(void) { as_nobody(nobody_sees); }

int main(void)
{
	if (place_begin() < 0)
		return 1;
	make_tree();
	RUN(test_project_root);
	RUN_ROOT(test_project_foreign);
	RUN(test_project_race);
	RUN(test_secure_read);
	RUN_ROOT(test_secure_owner);
	RUN_ROOT(test_nobody);
	RUN(test_project_read);
	RUN(test_state_paths);
	RUN(test_state);
	RUN(test_fencepost);
	RUN(test_replace);
	RUN(test_view);
	RUN(test_parts);
	RUN(test_places);
	RUN(test_answers);
	RUN(test_view_torture);
	RUN(test_scratch);
	place_end();
	return unit_end();
}
