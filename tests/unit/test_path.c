/* Paths and patterns in the real file system. */
#define _GNU_SOURCE
#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/wait.h>

#include "place.h"
#include "sys/path.h"
#include "torture.h"

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
	make_link("/dev/stdout", "tree/log");
	CHECK_INT(mkfifo(at("tree/fifo"), 0600), 0);
}

static const struct {
	const char *path;
	enum path_kind kind, target;
	/* relative to the directory; NULL: the path itself; "": unknown; "." the directory */
	const char *place, *real;
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
	/* above where the link leads, not above the link */
	{"tree/out/..", PATH_DIR, PATH_DIR, "elsewhere", "elsewhere"},
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
	{"/dev//./stdout", PATH_LINK, PATH_OTHER, "/dev/stdout", "/dev/stdout"},
	{"/dev/./fd//7", PATH_LINK, PATH_OTHER, "/dev/fd/7", "/dev/fd/7"},
	{"tree/log", PATH_LINK, PATH_OTHER, NULL, "/proc/self/fd/1"}, /* a delete takes the link away */
	{"/proc/self/exe", PATH_LINK, PATH_OTHER, NULL, NULL},
	{"/proc/self/environ", PATH_FILE, PATH_FILE, NULL, NULL},
	{"/proc/1/root", PATH_OTHER, PATH_OTHER, "", ""},
	{"/proc/1/root/etc/shadow", PATH_OTHER, PATH_OTHER, "", ""},
	{"/proc/1/task/1/cwd/x", PATH_OTHER, PATH_OTHER, "", ""},
	/* there may be such a process by then */
	{"/proc/999999999/root/etc", PATH_OTHER, PATH_OTHER, "", ""},
	{"/proc/1/fd/3", PATH_OTHER, PATH_OTHER, "", ""},
	{"/proc/1/environ", PATH_FILE, PATH_FILE, NULL, NULL},
};

static const char *want(const char *text, const char *path)
{
	return !text ? at(path) : !text[0] ? "" : at(text);
}

static void test_path_table(void)
{
	int before = count_fds();
	for (size_t i = 0; i < ARRAY_SIZE(looks); i++) {
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

/* The C library's answer for every existing path of the table. */
static void test_path_realpath(void)
{
	unsigned n = 0;
	for (size_t i = 0; i < ARRAY_SIZE(looks); i++) {
		char real[PATH_MAX];
		bool process = strncmp(looks[i].path, "/proc", 5) == 0 ||
				strncmp(looks[i].path, "/dev/", 5) == 0 || strstr(looks[i].path, "procwd");
		if (process || looks[i].target == PATH_OTHER || !realpath(at(looks[i].path), real))
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
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
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

/* By its number a process is another one, even this: its links are not followed and not kept. */
static void test_path_process(void)
{
	static const char *const names[] = {"ns/net", "ns/net/x", "cwd", "cwd/f", "root/etc", "exe", "fd/0",
			"task/1/root"};
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		struct path_answer p = look(str_fmt_c(A, "/proc/%ld/%s", (long)getpid(), names[i]));
		CHECK_ROW(p.kind == PATH_OTHER && p.target == PATH_OTHER, names[i]);
		CHECK_ROW(!p.real.n && !p.place.n, names[i]);
	}
	CHECK_STR(look("/proc/self/ns/net").real, "/proc/self/ns/net");
}

/* In a mount namespace of its own: /proc by another name. */
static void proc_elsewhere(void)
{
	if (unshare(CLONE_NEWNS) < 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
			mkdir(at("proc2"), 0755) < 0 ||
		mount("/proc", at("proc2"), NULL, MS_BIND, NULL) < 0)
		_exit(77);
	CHECK_STR(look("proc2/self/cwd/f").real, "");
	CHECK_STR(look("proc2/self/root/etc").real, "");
	CHECK_STR(look(str_fmt_c(A, "proc2/%ld/cwd", (long)getpid())).real, "");
	CHECK(expand("proc2/*/environ").more);
	CHECK_INT(expand("proc2/*").nmatches, 0);
}

static void test_path_proc_elsewhere(void)
{
	fflush(stdout);
	pid_t pid = fork();
	if (pid == 0) {
		unit_bad = 0;
		proc_elsewhere();
		fflush(stdout);
		_exit(unit_bad ? 1 : 0);
	}
	int status = 0;
	CHECK_INT(waitpid(pid, &status, 0), pid);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		unit_skip("test_path_proc_elsewhere", "no mount namespace");
	else {
		CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
		unit_result("test_path_proc_elsewhere");
	}
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
		{"*", "abc", 1}, {"a*c", "abbbc", 1}, {"a*c", "abbbd", 0}, {"a*b*c", "aXbYbZc", 1},
		{"?", "a", 1}, {"?", "ab", 0}, {"", "", 1}, {"", "a", 0}, {"*", "", 1},
		{"[abc]", "b", 1}, {"[!abc]", "b", 0}, {"[^abc]", "d", 1}, {"[a-c]x", "bx", 1},
		{"[a-c]x", "dx", 0}, {"[]a]", "]", 1}, {"[!]a]", "b", 1}, {"[a", "[a", 1}, {"[a", "a", 0},
		{"[a-]", "-", 1}, {"[\\]]", "]", 1}, {"[[:digit:]]*", "7x", 1}, {"[[:digit:]]*", "x7", 0},
		{"[![:alpha:]]", "7", 1}, {"[[:nonsense:]]", "a", -1}, {"[[=a=]]", "a", -1},
		{"\\*", "*", 1}, {"\\*", "a", 0}, {"a\\?", "a?", 1}, {"*.txt", "a.txt", 1},
		{"*.txt", ".txt", 1}, {"*\303\251*", "x\303\251y", 1}, {"?", "\303\251", -1},
		{"[a-z]\303\251", "a\303\251", -1},
		{"a\\", "a\\", 1}, {"**", "abc", 1},
		{"*a*a*a*a*a*a*a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", 0},
	};
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		CHECK_ROW(glob_match(str_of(rows[i].pattern), str_of(rows[i].name)) == rows[i].want,
				rows[i].pattern);
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
		/* cwd is the directory itself, and above it there is no c */
		{"globs/*/../c", "a/../c b/../c la/../c"},
		{"/proc/self/cwd/a/*", "/proc/self/cwd/a/x.c /proc/self/cwd/a/y.c"},
		{"globs/cwd/b/*", "cwd/b/x.c"},
		{"globs/[", ""},
	};
	int before = count_fds();
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct glob_answer g = expand(rows[i].pattern);
		CHECK_ROW(!g.more, rows[i].pattern);
		if (strcmp(joined(&g), rows[i].want) != 0)
			unit_fail(__FILE__, __LINE__, "%s gives '%s', want '%s'", rows[i].pattern, joined(&g),
					rows[i].want);
	}
	CHECK_INT(count_fds(), before);
}

static void test_glob_unknown(void)
{
	static const char *const rows[] = {"/proc/*/environ", "/proc/1/root/*", "/proc/self/fd/*",
			"globs/@(a|b)", "relative*", "/dev/fd/*"};
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
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

int main(void)
{
	if (place_begin() < 0)
		return 1;
	make_tree();
	RUN(test_path_table);
	RUN(test_path_realpath);
	RUN(test_path_attributes);
	RUN(test_path_strange);
	RUN(test_path_process);
	test_path_proc_elsewhere();
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
	place_end();
	return unit_end();
}
