/*
 * Directories by identity, roots that were seen before, links out of projects, sessions, places that no box
 * may write.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <time.h>

#include "gate/path_table.h"
#include "judge/client_session.h"
#include "place.h"
#include "sys/directory.h"
#include "sys/project.h"

#define NOW 2000000000

static struct path_memo memo;
static struct remembered known;

static struct project_look looking(void)
{
	path_memo_init(&memo, A, STR(""));
	remembered_read(A, NULL, str_of(at("state")), (uint32_t)getuid(), &known);
	return (struct project_look){.m = &memo, .home = str_of(at("home")), .uid = (uint32_t)getuid(),
			.known = &known};
}

static struct str root_of(const char *cwd)
{
	struct project_look l = looking();

	return project_find(&l, str_of(at(cwd)));
}

static struct directory directory_at(const char *name)
{
	struct directory d = {.path = str_of(at(name))};
	FD_CLEANUP int fd = directory_open(at(name));

	CHECK(fd >= 0 && directory_identity(fd, &d.id) == 0);
	return d;
}

static void remember(const char *name, int64_t when)
{
	struct directory d = directory_at(name);
	struct err e = {0};

	CHECK_INT(remembered_add(A, str_of(at("state")), REMEMBERED_ROOT, &d, when, &e), 0);
}

/* As a workspace that is no repository. */
static void note(const char *name)
{
	struct directory d = directory_at(name);

	CHECK_INT(remembered_add(A, str_of(at("state")), REMEMBERED_WORKSPACE, &d, NOW, NULL), 0);
}

/* ---- directories ---- */

static int open_as(const char *name, struct identity id)
{
	FD_CLEANUP int fd = directory_open_expected(at(name), id, O_PATH);

	return fd >= 0 ? 0 : errno;
}

static void test_directories(void)
{
	struct directory d;

	make_dir("dirs", 0755);
	make_dir("dirs/a", 0755);
	make_dir("dirs/b", 0755);
	make_link("dirs", "link");
	d = directory_at("dirs/a");
	CHECK_INT(open_as("dirs/a", d.id), 0);
	CHECK_INT(open_as("dirs/b", d.id), ESTALE);
	CHECK_INT(open_as("dirs/b", (struct identity){0}), 0);
	CHECK_INT(open_as("link/a", d.id), ELOOP);
	CHECK_INT(open_as("dirs/none", d.id), ENOENT);
	CHECK_INT(directory_check(&d), 0);
	CHECK_INT(rename(at("dirs/a"), at("dirs/c")) | rename(at("dirs/b"), at("dirs/a")), 0);
	CHECK(directory_check(&d) == -1 && errno == ESTALE);
	FD_CLEANUP int root = directory_open(at("dirs")), below = directory_open_below(root, "c");
	CHECK(below >= 0);
	CHECK(directory_open_below(root, "../dirs") == -1 && directory_open_below(root, at("dirs")) == -1);
}

/* ---- roots ---- */

static void test_remembered(void)
{
	struct directory again;

	make_repository("home/mono");
	make_repository("home/mono/sub");
	make_dir("home/mono/sub/src", 0755);
	CHECK_STR(root_of("home/mono/sub/src"), at("home/mono/sub"));
	CHECK_INT(unlink(at("home/mono/sub/.git/HEAD")), 0);
	CHECK_STR(root_of("home/mono/sub/src"), at("home/mono")); /* nobody has seen it */
	remember("home/mono/sub", NOW);
	CHECK_STR(root_of("home/mono/sub/src"), at("home/mono/sub"));
	CHECK_STR(root_of("home/mono"), at("home/mono"));
	again = directory_at("home/mono/sub");
	looking();
	CHECK(remembered_lately(&known, REMEMBERED_ROOT, &again, NOW + 60));
	CHECK(!remembered_lately(&known, REMEMBERED_ROOT, &again, NOW + REMEMBERED_AGAIN_S));
	CHECK_INT(rename(at("home/mono/sub"), at("home/mono/old")), 0);
	make_dir("home/mono/sub", 0755);
	CHECK_STR(root_of("home/mono/sub"), at("home/mono")); /* another directory of that name */
	looking();
	again = directory_at("home/mono/sub");
	CHECK(!remembered_lately(&known, REMEMBERED_ROOT, &again, NOW));
	remember("home/mono/sub", NOW);
	CHECK_STR(root_of("home/mono/sub"), at("home/mono/sub")); /* the last line counts */
}

static void test_odd_names(void)
{
	make_dir("home/odd", 0755);
	make_dir("home/odd/a\nb %41", 0755);
	make_dir("home/odd/a\nb A", 0755);
	remember("home/odd/a\nb %41", NOW);
	looking();
	CHECK(remembered_root(&known, str_of(at("home/odd/a\nb %41"))));
	CHECK(!remembered_root(&known, str_of(at("home/odd/a\nb A"))));
	CHECK(!remembered_root(NULL, str_of(at("home/odd"))));
}

static void test_many_roots(void)
{
	struct directory d = directory_at("home/odd");
	struct str state = str_of(at("state"));
	struct stat st;

	remember("home/odd", NOW);
	for (unsigned i = 0; i < 2000; i++) {
		d.path = str_fmt(A, "/srv/a-workspace-with-a-name-that-is-quite-long/%u", i);
		CHECK_INT(remembered_add(A, state, REMEMBERED_WORKSPACE, &d, NOW + (int64_t)i, NULL), 0);
	}
	CHECK(stat(at("state/roots"), &st) == 0 && (size_t)st.st_size < 2 * REMEMBERED_BYTES);
	looking();
	CHECK(remembered_lately(&known, REMEMBERED_WORKSPACE, &d, NOW + 2000));
	CHECK(!remembered_lately(&known, REMEMBERED_ROOT, &d, NOW + 2000));
	CHECK(remembered_root(&known, str_of(at("home/odd")))); /* workspaces do not push roots out */
	for (unsigned i = 0; i < 2000; i++) {
		d.path = str_fmt(A, "/srv/a-name-that-is-quite-long-so-that-the-file-grows/%u", i % 1000);
		CHECK_INT(remembered_add(A, state, REMEMBERED_ROOT, &d, NOW + (int64_t)i, NULL), 0);
	}
	CHECK(stat(at("state/roots"), &st) == 0 && (size_t)st.st_size < 2 * REMEMBERED_BYTES);
	looking();
	CHECK(remembered_lately(&known, REMEMBERED_ROOT, &d, NOW + 2000));
	d.path = STR("/srv/a-name-that-is-quite-long-so-that-the-file-grows/1");
	CHECK(!remembered_lately(&known, REMEMBERED_ROOT, &d, NOW + 2000)); /* the oldest are forgotten */
	CHECK_INT(chmod(at("state/roots"), 0644), 0);
	looking();
	CHECK_INT((int)known.text.n, 0); /* who else may read it may be who wrote it */
	CHECK_INT(unlink(at("state/roots")), 0);
}

static void test_enclosing(void)
{
	struct project_look l = looking();
	struct texts *t;

	make_repository("home/outer");
	make_dir("home/outer/mid", 0755);
	make_repository("home/outer/mid/inner");
	t = project_enclosing(&l, str_of(at("home/outer/mid/inner")));
	CHECK(t && str_is(t->text, at("home/outer")) && !t->next);
	remember("home/outer/mid", NOW);
	l = looking();
	t = project_enclosing(&l, str_of(at("home/outer/mid/inner")));
	CHECK(t && str_is(t->text, at("home/outer/mid")) && t->next &&
			str_is(t->next->text, at("home/outer")));
	CHECK(!project_enclosing(&l, str_of(at("home/outer"))));
}

static void test_links_out(void)
{
	static const struct {
		const char *path, *root; /* root "": it leaves nothing */
	} rows[] = {
		{"home/linked", ""}, {"home/linked/in", ""}, {"home/linked/out", "home/linked"},
		{"home/linked/out/x", "home/linked"},
		{"home/linked/./in/../out", "home/linked"}, {"home/chain", "home/linked"}, {"home/way", ""},
		{"home/way/out", "home/linked"},
		{"home/linked/nowhere", "home/linked"}, {"home/linked/up/linked", "home/linked"},
		{"home/plain/in", ""}, {"home/plain/out", ""}, {"home/noted/in", ""},
		{"home/noted/dir/out", "home/noted"},
		{"home/noted/in/out", "home/noted"}, {"home/to-noted", ""}, {"home/to-noted/in", ""},
		{"home/linked/part/out", "home/linked/part"},
	};
	make_repository("home/linked");
	make_dir("home/linked/dir", 0755);
	make_dir("home/aside", 0755);
	make_link("dir", "home/linked/in");
	make_link("../aside", "home/linked/out");
	make_link("/nonexistent/x", "home/linked/nowhere");
	make_link("..", "home/linked/up");
	make_link("linked/out", "home/chain");
	make_link("linked", "home/way");
	make_dir("home/plain", 0755);
	make_dir("home/plain/dir", 0755);
	make_link("dir", "home/plain/in");
	make_link("../aside", "home/plain/out");
	make_dir("home/noted", 0755);
	make_dir("home/noted/dir", 0755);
	make_link("dir", "home/noted/in");
	make_link("../../aside", "home/noted/dir/out");
	make_link("noted", "home/to-noted");
	make_dir("home/linked/part", 0755);
	make_link("../dir", "home/linked/part/out");
	note("home/noted");
	note("home/linked/part");
	CHECK_STR(root_of("home/noted/dir"), at("home/noted/dir")); /* it is no root by that */
	CHECK_STR(root_of("home/linked/part"), at("home/linked"));
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct project_look l = looking();
		struct project_way way = project_way(&l, str_of(at(rows[i].path)));
		char real[PATH_MAX];

		if (!str_is(way.root, rows[i].root[0] ? at(rows[i].root) : ""))
			unit_fail(__FILE__, __LINE__, "row %s: %.*s", rows[i].path, STR_ARG(way.root));
		if (realpath(at(rows[i].path), real))
			CHECK_STR(way.real, real);
	}
}

static void test_worktrees(void)
{
	struct str repo = str_of(at("home/main"));

	make_repository("home/main");
	make_dir("home/main/.git/worktrees", 0755);
	make_dir("home/main/.git/worktrees/t", 0755);
	make_dir("home/t", 0755);
	make_file("home/t/.git", str_fmt_c(A, "gitdir: %s\n", at("home/main/.git/worktrees/t")), 0644);
	CHECK(!project_worktree(A, str_of(at("home/t")), repo)); /* only one side says so */
	make_file("home/main/.git/worktrees/t/gitdir", str_fmt_c(A, "%s\n", at("home/t/.git")), 0644);
	CHECK(project_worktree(A, str_of(at("home/t")), repo));
	CHECK(!project_worktree(A, str_of(at("home/linked")), repo));
	CHECK(!project_worktree(A, str_of(at("home/t")), str_of(at("home/linked"))));
	make_file("home/t/.git", str_fmt_c(A, "gitdir: %s\n", at("home/main/.git/worktrees/../worktrees/t")),
			0644);
	CHECK(!project_worktree(A, str_of(at("home/t")), repo));
}

/* ---- sessions ---- */

static void test_sessions(void)
{
	struct str state = str_of(at("state")), id = STR("../../etc/passwd");
	struct client_session s = {.client = STR("codex"), .id = id, .boot = STR("b"), .n = 2, .started = 5,
			.last = 7}, got;
	uint32_t uid = (uint32_t)getuid();
	struct err e = {0};

	s.roots[0] = (struct directory){STR("/a \"b\""), {1, 2}};
	s.roots[1] = (struct directory){STR("/c"), {UINT64_MAX, 1ull << 63}};
	CHECK_INT(client_session_read(A, state, s.client, id, uid, &got, &e), 0);
	CHECK_INT(client_session_write(A, state, &s, uid, true, &e), 0);
	CHECK_INT(client_session_read(A, state, s.client, id, uid, &got, &e), 1);
	CHECK(got.n == 2 && got.started == 5 && got.last == 7 && str_is(got.boot, "b") && str_eq(got.id, id));
	CHECK_STRN(got.roots[0].path, s.roots[0].path);
	CHECK(identity_same(got.roots[1].id, s.roots[1].id));
	CHECK_INT(client_session_write(A, state, &s, uid, true, &e), -1); /* somebody was first */
	CHECK_INT(e.errnum, EEXIST);
	s.last = 9;
	CHECK_INT(client_session_write(A, state, &s, uid, false, &e), 0);
	CHECK_INT(client_session_read(A, state, s.client, id, uid, &got, &e), 1);
	CHECK_INT((int)got.last, 9);
	/* another client's session of that name */
	CHECK_INT(client_session_read(A, state, STR("gemini"), id, uid, &got, &e), 0);
	CHECK_INT(client_session_read(A, state, s.client, id, uid + 1, &got, &e), -1);
	client_session_sweep(A, state, time(NULL) + CLIENT_SESSION_AGE_S - 60);
	CHECK_INT(client_session_read(A, state, s.client, id, uid, &got, &e), 1);
	client_session_sweep(A, state, time(NULL) + CLIENT_SESSION_AGE_S + 60);
	CHECK_INT(client_session_read(A, state, s.client, id, uid, &got, &e), 0);
	CHECK_INT(rmdir(at("state/sessions")), 0); /* nothing is left */
}

static void test_bad_sessions(void)
{
	static const char *const texts[] = {"", "{}", "[]", "{\"v\":2}", "{\"v\":1,\"roots\":[]}",
			"{\"v\":1,\"roots\":[{\"path\":\"x\",\"dev\":1,\"ino\":2}]}",
		"{\"v\":1,\"roots\":[{\"path\":\"/x\",\"dev\":1}]}",
		"{\"v\":1,\"v\":1,\"roots\":[{\"path\":\"/x\",\"dev\":1,\"ino\":2}]}"};
	struct client_session s = {.client = STR("c"), .id = STR("i"), .n = 1,
			.roots = {{STR("/x"), {1, 2}}}}, got;
	struct str state = str_of(at("state"));
	uint32_t uid = (uint32_t)getuid();
	const char *name = NULL;
	struct glob_answer files;
	struct err e = {0};

	CHECK_INT(client_session_write(A, state, &s, uid, true, &e), 0);
	path_memo_init(&memo, A, STR(""));
	glob_expand(&memo, str_of(at("state/sessions/*.json")), &files);
	CHECK_INT((int)files.nmatches, 1);
	name = files.nmatches ? str_c(A, files.matches[0]) : "/nonexistent";
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		make_file(name, texts[i], 0600);
		CHECK_INT(client_session_read(A, state, s.client, s.id, uid, &got, &e), -1);
		CHECK(strstr(e.text, "start a new session"));
	}
}

/* ---- places that no box may write ---- */

static void test_guarded(void)
{
	static const char *const guarded[] = {"/home/u/.ssh", "/home/u/.ssh/a/b", "/home/u/.config",
			"/home/u/.config/gcloud", "/home/u/.local",
		"/home/u/.local/share", "/home/u/.local/share/keyrings", "/home/u/.aws", "/home/u/.netrc",
		"/home/u/.claude", "/home/u/.cargo", "/home/u/.cache", "/home/u/bin/x",
		"/root/.ssh", "/home/other/.gnupg", "/home/u/p/.git", "/home/u/p/.git/hooks",
		"/data/p/.claude", "/data/p/.git/modules/x", "/var/lib/docker/x",
		"/home/u/.cursor/extensions"};
	static const char *const fine[] = {"/home/u/p", "/home/u/p/src", "/home/u/.cache/x",
			"/home/u/.cargo/registry", "/home/u/.local/share/chezmoi",
		"/home/u/p/.claude/worktrees/a", "/home/u/.cursor/worktrees/p/a",
		"/home/u/.codex/worktrees/a/p", "/data/p", "/home/u/p/.github", "/home/u/.sshx",
		"/home/u/p/dot.git", "/dev/shm/x", "/home/u/p/.env", "/home/u/binary", "/home/u/.dotfiles"};

	for (size_t i = 0; i < ARRAY_SIZE(guarded); i++)
		if (!path_table_guarded(str_of(guarded[i]), STR("/home/u")))
			unit_fail(__FILE__, __LINE__, "not guarded: %s", guarded[i]);
	for (size_t i = 0; i < ARRAY_SIZE(fine); i++)
		if (path_table_guarded(str_of(fine[i]), STR("/home/u")))
			unit_fail(__FILE__, __LINE__, "guarded: %s by %s", fine[i],
					path_table_guarded(str_of(fine[i]), STR("/home/u")));
}

int main(void)
{
	if (place_begin() != 0)
		return 1;
	make_dir("home", 0755);
	make_dir("state", 0700);
	RUN(test_directories);
	RUN(test_remembered);
	RUN(test_odd_names);
	RUN(test_many_roots);
	RUN(test_enclosing);
	RUN(test_links_out);
	RUN(test_worktrees);
	RUN(test_sessions);
	RUN(test_bad_sessions);
	RUN(test_guarded);
	place_end();
	return unit_end();
}
