/* The world: paths, patterns, project root, own files and the view, on real files below a temporary directory. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/world.h"
#include "sys/file.h"
#include "sys/glob.h"
#include "sys/project.h"
#include "sys/secure.h"
#include "sys/state.h"
#include "torture.h"
#include "unit.h"

#define NOBODY 65534
#define STRANGER 12345

static struct arena arena;
static struct arena *const A = &arena;
static char dir[] = "/tmp/caisson-world-XXXXXX";

/* A name below the temporary directory; absolute names stay. */
static char *at(const char *name)
{
	return str_c(A, name[0] == '/' ? str_of(name) : str_fmt(A, "%s%s%s", dir, name[0] ? "/" : "", name));
}

static void make_dir(const char *name, mode_t mode)
{
	CHECK_INT(mkdir(at(name), 0700), 0);
	CHECK_INT(chmod(at(name), mode), 0);
}

static void make_file(const char *name, const char *text, mode_t mode)
{
	FD_CLEANUP int fd = open(at(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	CHECK(fd >= 0);
	CHECK_INT(fd_write_all(fd, name, str_of(text), NULL), 0);
	CHECK_INT(fchmod(fd, mode), 0);
}

static void make_link(const char *text, const char *name) { CHECK_INT(symlink(text, at(name)), 0); }

static struct path_answer look(const char *path)
{
	struct path_memo m;
	struct path_answer p;
	path_memo_init(&m, A, str_of(at("tree")));
	path_look(&m, str_of(at(path)), &p);
	return p;
}

static int count_fds(void)
{
	int n = 0;
	for (int fd = 0; fd < 256; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

/* ---- paths ---- */

static void make_tree(void)
{
	make_dir("tree", 0755);
	make_dir("tree/d", 0755);
	make_dir("tree/d/e", 0755);
	make_dir("tree/open", 0777);
	make_dir("elsewhere", 0700);
	make_dir("elsewhere/deep", 0700);
	make_file("tree/f", "x", 0644);
	make_file("tree/loose", "x", 0666);
	make_file("elsewhere/secret", "x", 0600);
	CHECK_INT(link(at("tree/f"), at("tree/hard")), 0);
	make_link("f", "tree/lf");
	make_link("d", "tree/ld");
	make_link("ld", "tree/lld");
	make_link("../elsewhere/deep", "tree/out");
	make_link(at("elsewhere/secret"), "tree/abs");
	make_link("nothing/here", "tree/dangling");
	make_link("loop2", "tree/loop1");
	make_link("loop1", "tree/loop2");
	make_link("self/x", "tree/self");
	make_link("d/", "tree/slash");
	make_link("/proc/self/cwd", "tree/procwd");
	CHECK_INT(mkfifo(at("tree/fifo"), 0600), 0);
}

static const struct {
	const char *path;
	enum path_kind kind, target;
	const char *place, *real; /* relative to the directory; NULL: the path itself; "": unknown; "." the directory */
} looks[] = {
	{"tree/f", PATH_FILE, PATH_FILE, NULL, NULL},
	{"tree/d", PATH_DIR, PATH_DIR, NULL, NULL},
	{"tree/d/", PATH_DIR, PATH_DIR, "tree/d", "tree/d"},
	{"tree//d/./e/../../f", PATH_FILE, PATH_FILE, "tree/f", "tree/f"},
	{"tree/lf", PATH_LINK, PATH_FILE, NULL, "tree/f"},
	{"tree/ld", PATH_LINK, PATH_DIR, NULL, "tree/d"},
	{"tree/ld/", PATH_DIR, PATH_DIR, "tree/d", "tree/d"},
	{"tree/ld/.", PATH_DIR, PATH_DIR, "tree/d", "tree/d"},
	{"tree/lld/e", PATH_DIR, PATH_DIR, "tree/d/e", "tree/d/e"},
	{"tree/lld/new", PATH_ABSENT, PATH_ABSENT, "tree/d/new", "tree/d/new"},
	{"tree/slash/new", PATH_ABSENT, PATH_ABSENT, "tree/d/new", "tree/d/new"},
	{"tree/slash", PATH_LINK, PATH_DIR, NULL, "tree/d"},
	{"tree/out/..", PATH_DIR, PATH_DIR, "elsewhere", "elsewhere"}, /* above where the link leads, not above the link */
	{"tree/out/../secret", PATH_FILE, PATH_FILE, "elsewhere/secret", "elsewhere/secret"},
	{"tree/abs", PATH_LINK, PATH_FILE, NULL, "elsewhere/secret"},
	{"tree/dangling", PATH_LINK, PATH_ABSENT, NULL, "tree/nothing/here"},
	{"tree/none", PATH_ABSENT, PATH_ABSENT, NULL, NULL},
	{"tree/none/../ld/e", PATH_DIR, PATH_DIR, "tree/d/e", "tree/d/e"},
	{"tree/none/a/../../lf", PATH_LINK, PATH_FILE, "tree/lf", "tree/f"},
	{"tree/none/../../..", PATH_DIR, PATH_DIR, "/tmp", "/tmp"},
	{"tree/f/below", PATH_ABSENT, PATH_ABSENT, NULL, NULL},
	{"tree/loop1", PATH_LINK, PATH_OTHER, "tree/loop1", ""},
	{"tree/loop1/x", PATH_OTHER, PATH_OTHER, "", ""},
	{"tree/self", PATH_LINK, PATH_OTHER, "tree/self", ""},
	{"tree/fifo", PATH_OTHER, PATH_OTHER, NULL, NULL},
	{"/", PATH_DIR, PATH_DIR, NULL, NULL},
	{"/../..//", PATH_DIR, PATH_DIR, "/", "/"},
	{"/dev/null", PATH_DEVICE, PATH_DEVICE, NULL, NULL},
	/* of the process that will use the path */
	{"/proc/self/cwd", PATH_LINK, PATH_DIR, NULL, "tree"},
	{"/proc/self/cwd/lf", PATH_LINK, PATH_FILE, "tree/lf", "tree/f"},
	{"/proc/self/cwd/../elsewhere/secret", PATH_FILE, PATH_FILE, "elsewhere/secret", "elsewhere/secret"},
	{"/proc/thread-self/cwd/f", PATH_FILE, PATH_FILE, "tree/f", "tree/f"},
	{"/proc/thread-self/../../cwd/f", PATH_FILE, PATH_FILE, "tree/f", "tree/f"},
	{"/proc/self/task/77/cwd/f", PATH_FILE, PATH_FILE, "tree/f", "tree/f"},
	{"tree/procwd/f", PATH_FILE, PATH_FILE, "tree/f", "tree/f"},
	{"/proc/self/root", PATH_LINK, PATH_DIR, NULL, "/"},
	{"/proc/self/root/dev/null", PATH_DEVICE, PATH_DEVICE, "/dev/null", "/dev/null"},
	{"/proc/self/root/proc/self/root/dev/null", PATH_DEVICE, PATH_DEVICE, "/dev/null", "/dev/null"},
	{"/proc/self/fd/1", PATH_LINK, PATH_OTHER, NULL, NULL},
	{"/proc/self/fd/1/x", PATH_OTHER, PATH_OTHER, "", ""},
	{"/proc/self/fd/../cwd/f", PATH_FILE, PATH_FILE, "tree/f", "tree/f"},
	{"/dev/fd/63", PATH_LINK, PATH_OTHER, NULL, NULL},
	{"/dev/fd/../cwd/f", PATH_FILE, PATH_FILE, "tree/f", "tree/f"},
	{"/dev/stdout", PATH_LINK, PATH_OTHER, NULL, NULL},
	{"/proc/self/exe", PATH_LINK, PATH_OTHER, NULL, NULL},
	{"/proc/self/environ", PATH_FILE, PATH_FILE, NULL, NULL},
	{"/proc/1/root", PATH_OTHER, PATH_OTHER, "", ""},
	{"/proc/1/root/etc/shadow", PATH_OTHER, PATH_OTHER, "", ""},
	{"/proc/1/task/1/cwd/x", PATH_OTHER, PATH_OTHER, "", ""},
	{"/proc/999999999/root/etc", PATH_OTHER, PATH_OTHER, "", ""}, /* there may be such a process by then */
	{"/proc/1/fd/3", PATH_OTHER, PATH_OTHER, "", ""},
	{"/proc/1/environ", PATH_FILE, PATH_FILE, NULL, NULL},
};

static const char *want(const char *text, const char *path) { return !text ? at(path) : !text[0] ? "" : at(text); }

static void test_path_table(void)
{
	int before = count_fds();
	for (size_t i = 0; i < sizeof looks / sizeof *looks; i++) {
		const char *path = looks[i].path;
		struct path_answer p = look(path);
		CHECK_ROW(p.kind == looks[i].kind, path);
		CHECK_ROW(p.target == looks[i].target, path);
		CHECK_ROW(str_is(p.place, want(looks[i].place, path)), path);
		CHECK_ROW(str_is(p.real, want(looks[i].real, path)), path);
		CHECK_ROW(str_is(p.path, at(path)), path);
	}
	CHECK_INT(count_fds(), before);
}

/* What the C library makes of every existing path of the table. */
static void test_path_realpath(void)
{
	unsigned n = 0;
	for (size_t i = 0; i < sizeof looks / sizeof *looks; i++) {
		char real[PATH_MAX];
		if (strncmp(looks[i].path, "/proc", 5) == 0 || strncmp(looks[i].path, "/dev/", 5) == 0 || strstr(looks[i].path, "procwd") || !realpath(at(looks[i].path), real))
			continue;
		CHECK_ROW(str_is(look(looks[i].path).real, real), looks[i].path);
		n++;
	}
	CHECK(n >= 15);
}

static void test_path_attributes(void)
{
	struct path_answer p = look("tree/f");
	CHECK_INT(p.links, 2);
	CHECK_INT(p.owner, getuid());
	CHECK(!p.shared);
	CHECK_INT(look("tree/hard").links, 2);
	CHECK_INT(look("tree/lf").links, 2);
	CHECK_INT(look("elsewhere/secret").links, 1);
	CHECK_INT(look("tree/d").links, 0);
	CHECK(look("tree/loose").shared);
	CHECK(look("tree/open").shared);
	CHECK(look("tree/open/new").shared);
	CHECK(look("tree/open/new/newer").shared);
	CHECK(!look("tree/d/new").shared);
	CHECK(!look("tree/d/e/../new").shared);
	CHECK(look("/tmp").shared);
	CHECK_INT(look("/").owner, 0);
}

static void test_path_strange(void)
{
	struct path_memo m;
	struct path_answer p;
	path_memo_init(&m, A, STR(""));
	static const struct str bad[] = {{"", 0}, {"relative", 8}, {"/a\0b", 4}};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		path_look(&m, bad[i], &p);
		CHECK_INT(p.kind, PATH_OTHER);
		CHECK_STR(p.real, "");
		CHECK_STR(p.place, "");
	}
	path_look(&m, STR("/proc/self/cwd/x"), &p); /* the view has no working directory */
	CHECK_STR(p.real, "");
	char *deep = arena_alloc(A, PATH_MAX + 100);
	for (size_t i = 0; i < PATH_MAX + 50; i += 2)
		memcpy(deep + i, "/x", 2);
	path_look(&m, str_n(deep, PATH_MAX - 2), &p);
	CHECK_INT(p.kind, PATH_ABSENT);
	CHECK_INT(p.real.n, PATH_MAX - 2);
	path_look(&m, str_n(deep, PATH_MAX + 20), &p);
	CHECK_STR(p.real, "");
	memset(deep, 'n', 300); /* a name no file system takes */
	deep[0] = '/';
	path_look(&m, str_n(deep, 300), &p);
	CHECK_INT(p.kind, PATH_ABSENT);
}

/* A chain of links: as many as the kernel follows, and one more. */
static void test_path_chain(void)
{
	char name[40], before[40] = "f";
	for (int i = 1; i <= PATH_LINKS_MAX + 1; i++) {
		snprintf(name, sizeof name, "tree/c%d", i);
		make_link(before, name);
		snprintf(before, sizeof before, "c%d", i);
	}
	struct stat st;
	CHECK_INT(stat(at("tree/c40"), &st), 0);
	CHECK_STR(look("tree/c40").real, at("tree/f"));
	CHECK_INT(stat(at("tree/c41"), &st), -1);
	CHECK_STR(look("tree/c41").real, "");
	CHECK_INT(look("tree/c41").kind, PATH_LINK);
}

static void test_path_memo(void)
{
	struct path_memo m;
	struct path_answer p;
	path_memo_init(&m, A, STR(""));
	path_look(&m, str_of(at("tree/d/e")), &p);
	size_t first = m.looks;
	path_look(&m, str_of(at("tree/d/e/new")), &p);
	CHECK_INT(m.looks, first + 1); /* only the new name */
	CHECK(!p.shared);
	path_memo_init(&m, A, STR(""));
	path_memo_trust(&m, str_of(at("tree/open")));
	path_look(&m, str_of(at("tree/open/new")), &p);
	CHECK_INT(m.looks, 1);
	CHECK(p.shared); /* found out although the directory itself was taken on trust */
	path_look(&m, str_of(at("tree/open")), &p);
	CHECK_INT(p.target, PATH_DIR);
	CHECK(p.shared);
	m.looks = PATH_LOOKS_MAX;
	path_look(&m, str_of(at("elsewhere/secret")), &p);
	CHECK_STR(p.real, ""); /* the round is used up */
}

static int look_torture(struct arena *a, void *path)
{
	struct path_memo m;
	struct path_answer p;
	path_memo_init(&m, a, STR(""));
	path_look(&m, str_of(path), &p);
	return p.kind == PATH_LINK ? 0 : 1;
}

static void test_path_torture(void)
{
	struct torture t;
	CHECK_INT(torture(look_torture, at("tree/lf"), 50, &t), 0);
	CHECK_INT(t.result, 0);
	CHECK(t.runs >= 3);
}

static void test_inside(void)
{
	CHECK(path_inside(STR("/a/b"), STR("/a")));
	CHECK(path_inside(STR("/a"), STR("/a")));
	CHECK(path_inside(STR("/a"), STR("/")));
	CHECK(!path_inside(STR("/ab"), STR("/a")));
	CHECK(!path_inside(STR("/"), STR("/a")));
	CHECK(!path_inside(STR(""), STR("/a")));
	CHECK(!path_inside(STR("/a"), STR("")));
	CHECK_STR(path_parent(STR("/a/b")), "/a");
	CHECK_STR(path_parent(STR("/a")), "/");
	CHECK_STR(path_parent(STR("/")), "/");
}

/* ---- patterns ---- */

static void test_glob_match(void)
{
	static const struct {
		const char *pattern, *name;
		int want;
	} rows[] = {
		{"*", "abc", 1}, {"a*c", "abbbc", 1}, {"a*c", "abbbd", 0}, {"a*b*c", "aXbYbZc", 1}, {"?", "a", 1}, {"?", "ab", 0}, {"", "", 1}, {"", "a", 0}, {"*", "", 1},
		{"[abc]", "b", 1}, {"[!abc]", "b", 0}, {"[^abc]", "d", 1}, {"[a-c]x", "bx", 1}, {"[a-c]x", "dx", 0}, {"[]a]", "]", 1}, {"[!]a]", "b", 1}, {"[a", "[a", 1}, {"[a", "a", 0},
		{"[a-]", "-", 1}, {"[\\]]", "]", 1}, {"[[:digit:]]*", "7x", 1}, {"[[:digit:]]*", "x7", 0}, {"[![:alpha:]]", "7", 1}, {"[[:nonsense:]]", "a", -1}, {"[[=a=]]", "a", -1},
		{"\\*", "*", 1}, {"\\*", "a", 0}, {"a\\?", "a?", 1}, {"*.txt", "a.txt", 1}, {"*.txt", ".txt", 1}, {"*\303\251*", "x\303\251y", 1}, {"?", "\303\251", -1}, {"[a-z]\303\251", "a\303\251", -1},
		{"a\\", "a\\", 1}, {"**", "abc", 1}, {"*a*a*a*a*a*a*a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", 0},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		CHECK_ROW(glob_match(str_of(rows[i].pattern), str_of(rows[i].name)) == rows[i].want, rows[i].pattern);
}

static struct glob_answer expand(const char *pattern)
{
	struct path_memo m;
	struct glob_answer g;
	path_memo_init(&m, A, str_of(at("globs")));
	glob_expand(&m, str_of(at(pattern)), &g);
	return g;
}

/* The matches without the directory's name, joined by blanks. */
static char *joined(const struct glob_answer *g)
{
	struct buf b;
	buf_init(&b, A, 0);
	for (size_t i = 0; i < g->nmatches; i++) {
		struct str s = g->matches[i], cut = str_fmt(A, "%s/globs/", dir);
		buf_c(&b, i ? " " : "");
		buf_str(&b, str_starts(s, str_c(A, cut)) ? str_sub(s, cut.n, s.n) : s);
	}
	return str_c(A, buf_view(&b));
}

static void make_globs(void)
{
	make_dir("globs", 0755);
	make_dir("globs/a", 0755);
	make_dir("globs/b", 0755);
	make_dir("globs/.hid", 0755);
	make_file("globs/a/x.c", "", 0644);
	make_file("globs/a/y.c", "", 0644);
	make_file("globs/b/x.c", "", 0644);
	make_file("globs/.hid/x.c", "", 0644);
	make_file("globs/c", "", 0644);
	make_file("globs/.dot", "", 0644);
	make_file("globs/st*r", "", 0644);
	make_link("a", "globs/la");
	make_link("gone", "globs/lx");
	make_link("/proc/self/cwd", "globs/cwd");
}

static void test_glob_table(void)
{
	static const struct {
		const char *pattern, *want;
	} rows[] = {
		{"globs/*", "a b c cwd la lx st*r"},
		{"globs/.*", ". .. .dot .hid"},
		{"globs/.d*", ".dot"},
		{"globs/\\.d*", ".dot"},
		{"globs/[.]d*", ""},
		{"globs/?", "a b c"},
		{"globs/[!a]", "b c"},
		{"globs/*/", "a/ b/ cwd/ la/"},
		{"globs/*/x.c", "a/x.c b/x.c la/x.c"},
		{"globs/[ab]/*.c", "a/x.c a/y.c b/x.c"},
		{"globs/**/y.c", "a/y.c la/y.c"},
		{"globs/l*", "la lx"},
		{"globs/st\\*r", "st*r"},
		{"globs/lx*", "lx"},
		{"globs/*/nothing", ""},
		{"globs/none/*", ""},
		{"globs/c/*", ""},
		{"globs/*/../c", "a/../c b/../c la/../c"}, /* cwd is the directory itself, and above it there is no c */
		{"/proc/self/cwd/a/*", "/proc/self/cwd/a/x.c /proc/self/cwd/a/y.c"},
		{"globs/cwd/b/*", "cwd/b/x.c"},
		{"globs/[", ""},
	};
	int before = count_fds();
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct glob_answer g = expand(rows[i].pattern);
		CHECK_ROW(!g.more, rows[i].pattern);
		if (strcmp(joined(&g), rows[i].want) != 0)
			unit_fail(__FILE__, __LINE__, "%s gives '%s', want '%s'", rows[i].pattern, joined(&g), rows[i].want);
	}
	CHECK_INT(count_fds(), before);
}

static void test_glob_unknown(void)
{
	static const char *const rows[] = {"/proc/*/environ", "/proc/1/root/*", "/proc/self/fd/*", "globs/@(a|b)", "relative*", "/dev/fd/*"};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct path_memo m;
		struct glob_answer g;
		path_memo_init(&m, A, str_of(dir));
		glob_expand(&m, i == 4 ? str_of(rows[i]) : str_of(at(rows[i])), &g);
		CHECK_ROW(g.more, rows[i]);
		CHECK_ROW(g.nmatches == 0, rows[i]);
	}
	make_dir("bytes", 0755);
	make_file("bytes/\303\251", "", 0644);
	struct glob_answer g = expand("bytes/?"); /* in a UTF-8 locale it matches, in C not */
	CHECK(g.more);
	CHECK_INT(g.nmatches, 1);
	CHECK(!expand("bytes/*").more);
}

static void test_glob_bounds(void)
{
	char name[40];
	make_dir("many", 0755);
	for (int i = 0; i < GLOB_MATCHES_MAX + 1; i++) {
		snprintf(name, sizeof name, "many/%d", i);
		make_file(name, "", 0600);
	}
	struct glob_answer g = expand("many/*");
	CHECK_INT(g.nmatches, GLOB_MATCHES_MAX);
	CHECK(g.more);
	CHECK_INT(unlink(at("many/7")), 0);
	g = expand("many/*");
	CHECK_INT(g.nmatches, GLOB_MATCHES_MAX);
	CHECK(!g.more);
	struct path_memo m;
	path_memo_init(&m, A, STR(""));
	m.entries = PATH_ENTRIES_MAX - 100; /* patterns of one round share a bound */
	glob_expand(&m, str_of(at("many/*")), &g);
	CHECK(g.more);
	CHECK(g.nmatches < 100);
}

static int glob_torture(struct arena *a, void *pattern)
{
	struct path_memo m;
	struct glob_answer g;
	path_memo_init(&m, a, STR("/"));
	glob_expand(&m, str_of(pattern), &g);
	return g.nmatches == 3 && !g.more ? 0 : 1;
}

static void test_glob_torture(void)
{
	int before = count_fds();
	struct torture t;
	CHECK_INT(torture(glob_torture, at("globs/*/x.c"), 200, &t), 0);
	CHECK_INT(t.result, 0);
	CHECK(t.runs > 10);
	CHECK_INT(count_fds(), before); /* also when it is left in the middle of a directory */
}

/* ---- project root ---- */

static struct str root_of(const char *cwd, const char *home)
{
	struct str s = STR("untouched");
	int found = project_root(A, str_of(at(cwd)), str_of(home[0] ? at(home) : ""), &s);
	CHECK((found == 0) == (s.n > 0));
	return s;
}

static void make_repository(const char *name)
{
	make_dir(name, 0755);
	make_dir(str_c(A, str_fmt(A, "%s/.git", name)), 0755);
	make_file(str_c(A, str_fmt(A, "%s/.git/HEAD", name)), "ref: refs/heads/main\n", 0644);
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
		{"home/repo/sub", "home/repo", "home/repo/sub"}, /* the home directory is a repository itself */
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
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const char *good = rows[i].want[0] ? at(rows[i].want) : "";
		struct str got = root_of(rows[i].cwd, rows[i].home);
		if (!str_is(got, good))
			unit_fail(__FILE__, __LINE__, "row %s: '%.*s', want '%s'", rows[i].cwd, STR_ARG(got), good);
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
	CHECK_INT(secure_read(A, str_of(at("conf/good")), 100, NOBODY, &bytes, &e), 0); /* and so is root's file */
	CHECK_INT(secure_read(A, str_of(at("conf/hers")), 100, NOBODY, &bytes, &e), -1);
	CHECK(strstr(e.text, "belongs to user 12345"));
	CHECK_INT(secure_read(A, str_of(at("elsewhere/secret")), 100, NOBODY, &bytes, &e), -1);
	CHECK_INT(e.errnum, EACCES);
	CHECK_INT(secure_read(A, str_of(at("conf/private")), 100, NOBODY, &bytes, &e), -1);
	CHECK_INT(e.errnum, EACCES);
}

/* ---- files that decide ---- */

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
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
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
	CHECK_INT(secure_read_project(A, root, str_of(at("home/repo/.caisson.yaml")), 100, &s, &e), 0);
	CHECK_STR(s, "deny: []");
	CHECK_INT(secure_read_project(A, root, str_of(at("home/repo/.caisson.yaml")), 7, &s, &e), -1);
	CHECK_INT(e.kind, ERR_LIMIT);
	make_link("../../.caisson.yaml", "home/repo/sub/empty/in.yaml");
	CHECK_INT(secure_read_project(A, root, str_of(at("home/repo/sub/empty/in.yaml")), 100, &s, &e), 0);
	make_link("../../elsewhere/secret", "home/repo/out.yaml");
	CHECK_INT(secure_read_project(A, root, str_of(at("home/repo/out.yaml")), 100, &s, &e), -1);
	CHECK(strstr(e.text, "leads out of the project"));
	CHECK_INT(secure_read_project(A, root, str_of(at("home/repo/none.yaml")), 100, &s, &e), -1);
	CHECK_INT(e.errnum, ENOENT);
	CHECK_INT(secure_read_project(A, root, str_of(at("home/repo/sub")), 100, &s, &e), -1);
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
	env = (struct state_env){.xdg_config = "c", .xdg_state = "", .caisson_state = "./x"}; /* relative ones do not count */
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
	return state_check(A, name[0] ? str_of(at(name)) : STR(""), str_of(at("home/repo")), (uint32_t)getuid(), &s, e);
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
	CHECK_INT(state_make(A, str_of(at("home/.local/state/caisson")), str_of(at("home/repo")), (uint32_t)getuid(), &s, &e), 0);
	CHECK_STR(s, at("home/.local/state/caisson"));
	CHECK_INT(stat(at("home/.local"), &st), 0);
	CHECK_INT(st.st_mode & 07777, 0700);
	CHECK_INT(state_make(A, s, STR(""), (uint32_t)getuid(), &s, &e), 0); /* again */
	CHECK_INT(state_make(A, str_of(at("home/repo/state")), str_of(at("home/repo")), (uint32_t)getuid(), &s, &e), -1);
	CHECK_INT(stat(at("home/repo/state"), &st), -1);
}

static void test_fencepost(void)
{
	struct texts *list = NULL;
	struct err e;
	struct str base = str_of(at("home/[odd] name"));
	make_dir("home/[odd] name", 0755);
	CHECK_INT(fencepost_files(A, base, &list, &e), 0);
	CHECK(!list);
	make_dir("home/[odd] name/.claude", 0755);
	make_file("home/[odd] name/.claude/fencepost.yaml", "", 0644);
	CHECK_INT(fencepost_files(A, base, &list, &e), 0);
	CHECK(list && !list->next && str_ends(list->text, "/.claude/fencepost.yaml"));
	make_dir("home/[odd] name/.claude/fencepost", 0755);
	make_dir("home/[odd] name/.claude/fencepost/config", 0755);
	CHECK_INT(fencepost_files(A, base, &list, &e), 0);
	CHECK(list && !list->next); /* an empty folder is none */
	make_file("home/[odd] name/.claude/fencepost/config/20.yaml", "", 0644);
	make_file("home/[odd] name/.claude/fencepost/config/10.yaml", "", 0644);
	make_file("home/[odd] name/.claude/fencepost/config/notes.txt", "", 0644);
	CHECK_INT(fencepost_files(A, base, &list, &e), 0);
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
	static struct texts list[] = {{.text = STR("~/plain")}, {.text = STR(".")}, {.text = STR("sub")}, {.text = STR("~")}, {.text = STR("/")}, {.text = STR("/tmp")},
		{.text = STR("~root")}, {.text = STR("../tree")}, {.text = STR("/proc/1/root/x")}, {.text = STR("/nonexistent/dir")}, {.text = STR("")}};
	for (size_t i = 0; i + 1 < sizeof list / sizeof *list; i++)
		list[i].next = &list[i + 1];
	struct policy p = {.writable_roots = list};
	struct engine_request rq = {.cwd = str_of(at("home/link")), .home = str_of(at("home")), .user = STR("dev")};
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
	static const char *const roots[] = {"home/plain", "home/repo", "home/repo/sub", "home/tree", "/nonexistent/dir"};
	for (size_t i = 0; i < sizeof roots / sizeof *roots; i++)
		CHECK_ROW(has_root(&v, at(roots[i])), roots[i]);
	static const char *const never[] = {"/", "/tmp", "home", "", "/root"};
	for (size_t i = 0; i < sizeof never / sizeof *never; i++)
		CHECK_ROW(!has_root(&v, at(never[i])), never[i]);
	setenv("TMPDIR", "/var/tmp", 1);
	setenv("XDG_STATE_HOME", at("tree/ld"), 1);
	rq = (struct engine_request){.home = str_of(at("home"))};
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

static void test_answers(void)
{
	struct view v = {.cwd = str_of(at("tree"))};
	struct question q[4] = {{.path = str_of(at("tree/lf"))}, {.glob = true, .path = str_of(at("globs/?"))}, {.path = str_of(at("tree/lf"))}, {.path = STR("/proc/self/cwd/f")}};
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
		many[i] = (struct question){.path = str_fmt(A, "/nonexistent/%zu", i), .next = i ? &many[i - 1] : NULL};
	CHECK_INT(world_answer(A, &v, &many[WORLD_ANSWERS_MAX + 9]), WORLD_ANSWERS_MAX - 4);
}

static int view_once(void *arg)
{
	struct arena *a = arg;
	struct engine_request rq = {.cwd = str_of(at("home/repo/sub"))};
	struct view v;
	struct question q = {.glob = true, .path = str_of(at("globs/*"))};
	world_view(a, &rq, NULL, &v);
	world_answer(a, &v, &q);
	return str_is(v.project, at("home/repo")) && v.globs->nmatches == 7 ? 0 : 1;
}

/* Each allocation fails once. User and working directory are then not known, which is no failure; anything else leaves. */
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
		CHECK(code == ARENA_FULL || code == 0);
		left += code == ARENA_FULL;
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
	if (!absent)
		CHECK_STR(project_scratch(&m, STRANGER), "");
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st, (void)type, (void)ftw;
	return remove(path);
}

#define RUN_ROOT(fn) (getuid() == 0 ? RUN(fn) : unit_skip(#fn, "only root can give files away"))

static void test_nobody(void) { as_nobody(nobody_sees); }

int main(void)
{
	struct stat st;
	if (!mkdtemp(dir) || chmod(dir, 0755) < 0)
		return 1;
	arena_init(A, ARENA_CAP_DEFAULT);
	make_tree();
	RUN(test_path_table);
	RUN(test_path_realpath);
	RUN(test_path_attributes);
	RUN(test_path_strange);
	RUN(test_path_chain);
	RUN(test_path_memo);
	RUN(test_path_torture);
	RUN(test_inside);
	RUN(test_glob_match);
	make_globs();
	RUN(test_glob_table);
	RUN(test_glob_unknown);
	RUN(test_glob_bounds);
	RUN(test_glob_torture);
	RUN(test_project_root);
	RUN_ROOT(test_project_foreign);
	RUN(test_secure_read);
	RUN_ROOT(test_secure_owner);
	RUN_ROOT(test_nobody);
	RUN(test_project_read);
	RUN(test_state_paths);
	RUN(test_state);
	RUN(test_fencepost);
	RUN(test_replace);
	RUN(test_view);
	RUN(test_answers);
	RUN(test_view_torture);
	RUN(test_scratch);
	nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	CHECK(stat(dir, &st) < 0);
	unit_result("everything is removed");
	arena_free(A);
	return unit_end();
}
