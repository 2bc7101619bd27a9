/*
 * Runs tests/cases/AREA/SUBJECT.txt: the verdict that each command must get, and what must be found in it.
 * One row is one TAP result. The subject is the id of a check, a language, a preset or a kind of command. A
 * row:
 *
 *     ask: rm -rf "$X"                     the verdict and the command, as it stands
 *     stop: ...                            anything but allow
 *     sound: ...                           anything but allow, or else everything below holds
 *     	ids: opaque-path                    exactly these reasons
 *     	id: opaque-path                     among the reasons
 *     	warns: ...   advice: ...            among the warnings, among the advice
 *     allow-e: echo a\x00b\n               with \n \t \r \f \v \e \\ \0 \xNN read
 *     allow:                               several lines: each after a tab, a bar and a blank
 *     	| cat <<E
 *     	| E
 *     	commands: [["cat"]]                 exactly these, in any order (argv as in the JSON answer)
 *     	has: ["rm","x"]                     one of the commands
 *     	not: rm                             no command of that name
 *     	writes: ["/w/p/a", null]            among the writes; [] means none (also reads, deletes, execs)
 *     	complete: false
 *     	approval: box                       where it runs when a person approves it
 *     	reaches: preset:registries/npm      what the box reaches; "nothing": nothing
 *     	near: opaque-path                   a near miss: this reason must be absent
 *     	shell: sh   cwd: /x   mode: plan    one line each
 *     	policy: NAME                        judged by a policy of tests/cases/policies.txt
 *     	config: {..}                        a policy of its own, as one line of YAML, added to the named one
 *     @policy NAME                         before the first row: for all rows of the file
 *
 * A row that expects anything but `allow` or `sound` must name reasons (`ids:` or `id:`). The directory is
 * /w/p and the home /home/dev unless a row says otherwise; /home has only repositories: src/repo, src/moved
 * (its settings lead the remotes elsewhere), src/plain (without remotes), src/part (a partial clone), src/odd
 * (a remote is named "../plain") and src/tracks (main tracks a branch of its own). Every check must have a
 * hit and a near miss.
 *
 *     test_cases [FILE...]                 runs all files, or these
 *     test_cases --write [FILE...]         adds `ids:` to rows that lack reasons; never changes a verdict
 *     test_cases --find WORD               lists the rows whose command or reasons have this word
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json_write.h"
#include "config/config.h"
#include "gate/gate.h"
#include "judge/engine.h"
#include "rows.h"
#include "sys/file.h"


static bool hit[CHECK_IDS], missed[CHECK_IDS];

/* ---- checking one row ---- */

struct test {
	struct arena *a;
	const char *file;
	const struct row *r;
	struct json *answer;
};

static void fail(struct test *t, const char *what, struct str value)
{
	unit_fail(t->file, (int)t->r->line, "%s %.*s", what, STR_ARG(value));
}

static struct str dump(const struct test *t, const struct json *v)
{
	struct buf b;

	buf_init(&b, t->a, 0);
	if (v)
		json_put_value(&b, v);
	return buf_view(&b);
}

static bool is_same(const struct test *t, const struct json *x, const struct json *y)
{
	return x && y && str_eq(dump(t, x), dump(t, y));
}

static bool has_reason(const struct test *t, const char *list, struct str id)
{
	for (const struct json *reason = json_items(json_key(t->answer, list)); reason; reason = reason->next)
		if (str_eq(json_text_at(reason, "id"), id))
			return true;
	return false;
}

/* Each of these ids is in the list of the answer: reasons, warnings or advice. */
static void expect_some(struct test *t, const char *list, struct str ids)
{
	size_t at = 0;

	while (at < ids.n) {
		ptrdiff_t end = str_find(ids, ' ', at);
		struct str id = str_sub(ids, at, end < 0 ? ids.n : (size_t)end);

		at = end < 0 ? ids.n : (size_t)end + 1;
		enum check_id k = check_find(id);
		if (!k || !has_reason(t, list, id))
			fail(t, !k ? "no such check:" : "missing reason", id);
		else
			hit[k] = true;
	}
}

static bool is_word_end(struct str s, size_t at)
{
	return at >= s.n || !(isalnum((unsigned char)s.p[at]) || s.p[at] == '-' || s.p[at] == '_');
}

/* Is `word` in the text, with neither a letter, a digit, '-' nor '_' beside it? */
static bool has_word(struct str text, struct str word)
{
	for (size_t i = 0; word.n && i + word.n <= text.n; i++)
		if (str_eq(str_sub(text, i, i + word.n), word) && is_word_end(text, i + word.n) &&
		    (i == 0 || is_word_end(text, i - 1)))
			return true;
	return false;
}

static void expect_ids(struct test *t, struct str ids)
{
	expect_some(t, "reasons", ids);
	for (const struct json *reason = json_items(json_key(t->answer, "reasons")); reason;
			reason = reason->next) {
		struct str id = json_text_at(reason, "id");

		if (!has_word(ids, id))
			fail(t, "unexpected reason", id);
	}
}

static void expect_near(struct test *t, struct str id)
{
	enum check_id k = check_find(id);

	if (!k || has_reason(t, "reasons", id) || has_reason(t, "warnings", id) ||
		has_reason(t, "advice", id))
		fail(t, !k ? "no such check:" : "near miss was hit:", id);
	else
		missed[k] = true;
}

static bool argv_in(const struct test *t, const struct json *list, const struct json *argv, bool objects)
{
	for (const struct json *item = json_items(list); item; item = item->next)
		if (is_same(t, objects ? json_key(item, "argv") : item, argv))
			return true;
	return false;
}

static void expect_commands(struct test *t, const struct json *want, bool exactly)
{
	const struct json *got = json_key(t->answer, "commands");

	for (const struct json *x = json_items(want); x; x = x->next)
		if (!argv_in(t, got, x, true))
			fail(t, "missing command", dump(t, x));
	for (const struct json *x = exactly ? json_items(got) : NULL; x; x = x->next)
		if (!argv_in(t, want, json_key(x, "argv"), false))
			fail(t, "unexpected command", dump(t, json_key(x, "argv")));
}

static void expect_absent(struct test *t, struct str name)
{
	for (const struct json *c = json_items(json_key(t->answer, "commands")); c; c = c->next)
		if (str_eq(json_text(json_items(json_key(c, "argv"))), name))
			fail(t, "unexpected command", name);
}

static void expect_paths(struct test *t, const char *key, const struct json *want)
{
	const struct json *got = json_key(t->answer, key);

	if (!json_size(want) && json_size(got))
		fail(t, "not empty:", str_of(key));
	for (const struct json *x = json_items(want); x; x = x->next) {
		bool found = false;

		for (const struct json *y = json_items(got); y; y = y->next)
			found |= is_same(t, json_key(y, "path"), x);
		if (!found)
			fail(t, key, dump(t, x));
	}
}

static void expect_approval(struct test *t, struct str want)
{
	if (!str_eq(json_text_at(t->answer, "approval"), want))
		fail(t, "the approval is not", want);
}

static void expect_reached(struct test *t, struct str want)
{
	struct buf b;

	buf_init(&b, t->a, 0);
	for (const struct json *w = json_items(json_key(t->answer, "box_network")); w; w = w->next)
		buf_fmt(&b, "%s%.*s", b.n ? " " : "", STR_ARG(json_text(w)));
	if (!str_eq(b.n ? buf_view(&b) : STR("nothing"), want))
		fail(t, "the box reaches", b.n ? buf_view(&b) : STR("nothing"));
}

static void expect(struct test *t, const struct expectation *x)
{
	struct json *v = NULL;
	char *key = str_c(t->a, x->key);
	struct err e = {0};

	if (!strcmp(key, "ids"))
		expect_ids(t, x->value);
	else if (!strcmp(key, "id"))
		expect_some(t, "reasons", x->value);
	else if (!strcmp(key, "warns"))
		expect_some(t, "warnings", x->value);
	else if (!strcmp(key, "advice"))
		expect_some(t, "advice", x->value);
	else if (!strcmp(key, "near"))
		expect_near(t, x->value);
	else if (!strcmp(key, "not"))
		expect_absent(t, x->value);
	else if (!strcmp(key, "approval"))
		expect_approval(t, x->value);
	else if (!strcmp(key, "reaches"))
		expect_reached(t, x->value);
	else if (strstr(" shell cwd config policy mode ", str_fmt_c(t->a, " %s ", key)))
		return;
	else if (json_read(t->a, x->value, &v, &e) != 0)
		fail(t, e.text, x->value);
	else if (!strcmp(key, "commands"))
		expect_commands(t, v, true);
	else if (!strcmp(key, "has")) {
		if (!argv_in(t, json_key(t->answer, "commands"), v, true))
			fail(t, "missing command", x->value);
	} else if (!strcmp(key, "complete")) {
		if (!is_same(t, json_key(t->answer, key), v))
			fail(t, "complete is not", x->value);
	} else if (strstr(" reads writes deletes execs ", str_fmt_c(t->a, " %s ", key)))
		expect_paths(t, key, v);
	else
		fail(t, "unknown key", x->key);
}

static int judge_by(struct arena *a, const struct engine_request *rq, const struct policy *p, struct facts *f,
		struct judgement *j, struct err *e)
{
	struct policies all;

	policies_of(p, &all);
	return engine_judge(a, rq, &all, f, j, e);
}

static void judge_row(struct test *t)
{
	struct context at = {.cwd = row_get(t->r, "cwd"), .home = STR("/home/dev"), .user = STR("dev")};
	struct engine_request rq = {.command = t->r->command, .context = &at};
	struct str config = row_get(t->r, "config"), shell = row_get(t->r, "shell");
	struct policy policy = {0};
	struct judgement j = {0};
	struct facts f = {0};
	struct err e = {0};
	struct buf out, explained;

	if (!at.cwd.n)
		at.cwd = STR("/w/p");
	if (shell.n && engine_dialect(shell, &rq.dialect) != 0)
		fail(t, "no such shell:", shell);
	if (row_get(t->r, "mode").n && engine_mode(row_get(t->r, "mode"), &rq.mode) != 0)
		fail(t, "no such mode:", row_get(t->r, "mode"));
	config_default(&policy);
	struct str common = str_cat(t->a, t->r->policy, STR("\n"));
	struct config_source src[] = {
		{.name = STR("file.yaml"), .bytes = common, .who = WHO_OWNER},
		{.name = STR("case.yaml"), .bytes = str_cat(t->a, config, STR("\n")), .who = WHO_OWNER}};
	size_t from = !t->r->policy.n, to = 1 + (config.n > 0);
	if (to > from && (config_load(t->a, src + from, to - from, &policy, NULL, &e) != 0 ||
			gate_verify(&policy, &e) != 0))
		engine_refuse(t->a, CHECK_POLICY_ERROR, e.text, &j);
	else if (judge_by(t->a, &rq, &policy, &f, &j, &e) != 0)
		fail(t, e.text, rq.command);
	buf_init(&out, t->a, 0);
	answer_json(&out, STR("1"), &f, &j, policy.digest);
	if (json_read(t->a, buf_view(&out), &t->answer, &e) != 0)
		fail(t, e.text, buf_view(&out));
	buf_init(&explained, t->a, 0);
	/* must not fall over, whatever the row */
	gate_explain(&explained, &f, &j, (struct explain_style){.width = 80});
}

static int run_row(void *arg)
{
	struct test *t = arg;
	struct str verdict;

	judge_row(t);
	verdict = json_text_at(t->answer, "verdict");
	if (str_is(t->r->verdict, "sound") && !str_is(verdict, "allow"))
		return 0;
	if (str_is(t->r->verdict, "stop") ? str_is(verdict, "allow") : !str_is(t->r->verdict, "sound") &&
			!str_eq(verdict, t->r->verdict))
		fail(t, "verdict is", verdict);
	for (size_t i = 0; i < t->r->nkeys; i++)
		expect(t, &t->r->keys[i]);
	if (unit_bad) {
		unit_bytes("command", t->r->command);
		printf("#   commands: %.*s\n", STR_ARG(dump(t, json_key(t->answer, "commands"))));
		printf("#   reasons: %.*s\n", STR_ARG(dump(t, json_key(t->answer, "reasons"))));
	}
	return 0;
}

/* Judges and checks one row; `then` may use the answer. */
static void run_one(const char *path, const struct row *r, void (*then)(struct test *t, void *arg), void *arg)
{
	struct arena a;
	struct test t = {.a = &a, .file = path, .r = r};
	char title[CASES_PATH_MAX + 32];

	snprintf(title, sizeof(title), "%s:%zu", path, r->line);
	if (str_starts(row_get(r, "cwd"), "/home/src/") && access("/home/src/repo", F_OK) != 0) {
		unit_skip(title, "this process cannot have a /home of its own");
		return;
	}
	arena_init(&a, ARENA_CAP_DEFAULT);
	if (arena_run(&a, run_row, &t) < 0)
		unit_fail(path, (int)r->line, "the arena is full");
	else if (then)
		then(&t, arg);
	arena_free(&a);
	unit_result(title);
}

/* A row that stops a command must say why, even if nothing but a mode does (`ids:` alone). */
static bool needs_reasons(const struct row *r)
{
	if (str_is(r->verdict, "allow") || str_is(r->verdict, "sound"))
		return false;
	for (size_t i = 0; i < r->nkeys; i++)
		if (str_is(r->keys[i].key, "ids") || str_is(r->keys[i].key, "id"))
			return false;
	return true;
}

static void run_file(const char *path, void *arg)
{
	struct arena kept;
	struct rows f;
	struct row r;

	(void)arg;
	arena_init(&kept, ARENA_CAP_DEFAULT);
	if (rows_open(&kept, path, &f))
		while (rows_next(&f, &r)) {
			if (needs_reasons(&r))
				unit_fail(path, (int)r.line,
						"no reasons: add them, or run test_cases --write");
			run_one(path, &r, NULL, NULL);
		}
	arena_free(&kept);
}

/* Its rows start programs, which must be root's; root has no id in an ordinary user's namespace. */
static const char with_programs[] = CASES_DIR "/policy/classifier.txt";

static void run_others(const char *path, void *arg)
{
	if (strcmp(path, with_programs) != 0)
		run_file(path, arg);
}

/* ---- --write and --find ---- */

/* Adds a line with the reasons of the answer, each once, in their order. */
static void add_ids(struct test *t, void *arg)
{
	struct buf *out = arg;
	const struct json *reason = json_items(json_key(t->answer, "reasons"));
	struct buf ids;

	buf_init(&ids, t->a, 0);
	for (; reason; reason = reason->next) {
		struct str id = json_text_at(reason, "id");

		if (!has_word(buf_view(&ids), id))
			buf_fmt(&ids, " %.*s", STR_ARG(id));
	}
	if (!unit_bad)
		buf_fmt(out, "\tids:%.*s\n", STR_ARG(buf_view(&ids)));
}

static void write_file(const char *path, void *arg)
{
	struct arena kept;
	struct rows f;
	struct row r;
	struct buf out;
	size_t done = 0;
	FILE *to;

	(void)arg;
	arena_init(&kept, ARENA_CAP_DEFAULT);
	buf_init(&out, &kept, 0);
	if (rows_open(&kept, path, &f))
		while (rows_next(&f, &r)) {
			buf_str(&out, str_sub(f.text, done, f.at));
			done = f.at;
			if (needs_reasons(&r))
				run_one(path, &r, add_ids, &out);
		}
	buf_str(&out, str_sub(f.text, done, f.text.n));
	if (out.n != f.text.n &&
		(!(to = fopen(path, "w")) || fwrite(out.p, 1, out.n, to) != out.n || fclose(to) != 0))
		unit_fail(path, 0, "cannot be written");
	arena_free(&kept);
}

/* On one line: other lines of the command after "\\n". */
static void show_row(const char *path, const struct row *r, struct str ids)
{
	printf("%s:%zu: %.*s: ", path, r->line, STR_ARG(r->verdict));
	for (size_t i = 0; i < r->command.n; i++)
		if (r->command.p[i] == '\n')
			printf("\\n");
		else
			putchar(r->command.p[i]);
	if (ids.n)
		printf(" [%.*s]", STR_ARG(ids));
	putchar('\n');
}

static void find_in_file(const char *path, void *arg)
{
	const struct str *word = arg;
	struct arena kept;
	struct rows f;
	struct row r;

	arena_init(&kept, ARENA_CAP_DEFAULT);
	if (rows_open(&kept, path, &f))
		while (rows_next(&f, &r)) {
			struct str ids = str_fmt(&kept, "%.*s %.*s %.*s", STR_ARG(row_get(&r, "ids")),
				STR_ARG(row_get(&r, "id")), STR_ARG(row_get(&r, "near")));

			if (has_word(r.command, *word) || has_word(ids, *word))
				show_row(path, &r, trim(ids));
		}
	arena_free(&kept);
}

/*
 * Checks that no row can show: test_gate.c fills the arena; tests/run/world.sh has files with links;
 * tests/run/git_view.sh has repositories with hooks; test_classifier.c has classifiers; tests/run/record.sh
 * has records that cannot be written; tests/run/box_planted.sh has workspaces that are not vetted;
 * tests/run/identity.sh has projects that are replaced; tests/run/tmp.sh has files of boxes, and
 * tests/run/background.sh servers in them.
 */
static bool shown_elsewhere(enum check_id id)
{
	switch (id) {
	case CHECK_INTERNAL_ERROR:
	case CHECK_RECORD_ERROR:
	case CHECK_PROJECT_CHANGED:
	case CHECK_BOX_PROCESS:
	case CHECK_BOX_FILE:
	case CHECK_BOX_PORT:
	case CHECK_LINK_WRITE:
	case CHECK_OUTSIDE_OVERWRITE:
	case CHECK_GIT_PLANTED:
	case CHECK_GIT_HOOK:
	case CHECK_UNVETTED_WORKSPACE:
	case CHECK_CLASSIFIER:
	case CHECK_CODE_ERROR:
	case CHECK_CODE_DYNAMIC: return true;
	default: return false;
	}
}

static void every_check_has_rows(void)
{
	for (enum check_id id = CHECK_NONE + 1; id < CHECK_IDS; id++) {
		CHECK_ROW(hit[id] || shown_elsewhere(id), check_name(id));
		CHECK_ROW(missed[id] || shown_elsewhere(id), check_name(id));
	}
}

/* A file beside the areas would not be run. */
static void files_lie_in_areas(void)
{
	struct dirent **names;
	int n = scandir(CASES_DIR, &names, is_case, alphasort);

	for (int i = 0; i < n; i++) {
		CHECK_ROW(!strcmp(names[i]->d_name, "policies.txt"), names[i]->d_name);
		free(names[i]);
	}
	if (n >= 0)
		free(names);
}

static void policies_are_defined_once(void)
{
	struct arena a;
	struct str text, names = STR(" ");
	struct err e = {0};

	arena_init(&a, ARENA_CAP_DEFAULT);
	CHECK_INT(file_read(&a, CASES_POLICIES, CASES_FILE_MAX, &text, NULL, &e), 0);
	for (size_t at = 0; at < text.n;) {
		struct str l = next_line(text, &at);
		struct str name = str_fmt(&a, " %.*s ", STR_ARG(trim(str_sub(l, l.n < 8 ? l.n : 8, l.n))));

		if (!str_starts(l, "@policy "))
			continue;
		CHECK_ROW(!str_contains(names, name), str_c(&a, name));
		names = str_cat(&a, names, name);
	}
	arena_free(&a);
}

static bool put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	bool done = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		close(fd);
	return done;
}

/* Makes repositories with remotes and nothing else, for rows about git fetch: cwd: /home/src/repo. */
static bool make_repository(void)
{
	static const char dirs[][32] = {"/home/src", "/home/src/repo", "/home/src/repo/.git",
		"/home/src/repo/.git/objects", "/home/src/repo/.git/refs", "/home/src/moved",
		"/home/src/moved/.git", "/home/src/moved/.git/objects", "/home/src/moved/.git/refs",
		"/home/src/plain", "/home/src/plain/.git", "/home/src/plain/.git/objects",
		"/home/src/plain/.git/refs", "/home/src/part", "/home/src/part/.git",
		"/home/src/part/.git/objects", "/home/src/part/.git/refs", "/home/src/odd",
		"/home/src/odd/.git", "/home/src/odd/.git/objects", "/home/src/odd/.git/refs",
		"/home/src/tracks", "/home/src/tracks/.git", "/home/src/tracks/.git/objects",
		"/home/src/tracks/.git/refs"};
	static const char remotes[] = "[remote \"origin\"]\n\turl = https://github.com/example/app.git\n"
		"[remote \"upstream\"]\n\turl = git@github.com:upstream/app.git\n"
		"[remote \"corp\"]\n\turl = https://git.example.com/app.git\n";
	static const char moved[] = "[url \"https://example.net/\"]\n\tinsteadOf = https://github.com/\n";
	static const char part[] = "[remote \"origin\"]\n\turl = /w/p\n\tpromisor = true\n";
	static const char odd[] = "[remote \"../plain\"]\n\turl = /w/p\n";
	static const char tracks[] = "[remote \"origin\"]\n\turl = https://github.com/example/app.git\n"
		"[branch \"main\"]\n\tremote = .\n\tmerge = refs/heads/main\n";
	char both[sizeof(remotes) + sizeof(moved)];

	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++)
		if (mkdir(dirs[i], 0755) != 0)
			return false;
	snprintf(both, sizeof(both), "%s%s", remotes, moved);
	return put("/home/src/repo/.git/HEAD", "ref: refs/heads/main\n") &&
		put("/home/src/moved/.git/HEAD", "ref: refs/heads/main\n") &&
		put("/home/src/plain/.git/HEAD", "ref: refs/heads/main\n") &&
		put("/home/src/part/.git/HEAD", "ref: refs/heads/main\n") &&
		put("/home/src/odd/.git/HEAD", "ref: refs/heads/main\n") &&
		put("/home/src/tracks/.git/HEAD", "ref: refs/heads/main\n") &&
		put("/home/src/tracks/.git/config", tracks) &&
		put("/home/src/plain/.git/config", "[core]\n\tbare = false\n") &&
		put("/home/src/part/.git/config", part) && put("/home/src/odd/.git/config", odd) &&
		put("/home/src/repo/.git/config", remotes) && put("/home/src/moved/.git/config", both);
}

/*
 * Empty file systems on /home and /tmp, for this process alone: somebody may have files there, a /tmp/claude
 * for example. An ordinary user needs a user namespace for that, and stays who they are in it.
 */
static bool empty_home(bool tmp)
{
	uid_t uid = getuid();
	char map[64];

	if (unshare(uid == 0 ? CLONE_NEWNS : CLONE_NEWUSER | CLONE_NEWNS) != 0)
		return false;
	snprintf(map, sizeof(map), "%ju %ju 1", (uintmax_t)uid, (uintmax_t)uid);
	if (uid != 0 && !put("/proc/self/uid_map", map))
		return false;
	return mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 && mount("tmpfs", "/home", "tmpfs",
			MS_NOSUID | MS_NODEV, "size=256k") == 0 && (!tmp || mount("tmpfs", "/tmp", "tmpfs",
			MS_NOSUID | MS_NODEV, "size=256k,mode=1777") == 0) && make_repository();
}

/* True if rows, or the sources, lie in /tmp. */
static bool uses_tmp(int n, char **paths)
{
	char cwd[PATH_MAX];
	bool uses = !getcwd(cwd, sizeof(cwd)) || str_starts(str_of(cwd), "/tmp/");

	for (int i = 0; i < n && !uses; i++)
		uses = str_starts(str_of(paths[i]), "/tmp/");
	return uses;
}

static void visit_all(int n, char **paths, void (*visit)(const char *path, void *arg), void *arg)
{
	for (int i = 0; i < n; i++)
		visit(paths[i], arg);
	if (!n)
		CHECK(cases_each(visit, arg) > 0);
}

int main(int argc, char **argv)
{
	bool writes = argc > 1 && !strcmp(argv[1], "--write");

	if (argc == 3 && !strcmp(argv[1], "--find")) {
		struct str word = str_of(argv[2]);

		visit_all(0, NULL, find_in_file, &word);
		return unit_bad != 0;
	}
	if (argc == 1)
		run_file(with_programs, NULL);
	if (!empty_home(!uses_tmp(argc - 1, argv + 1)) && access("/home/dev", F_OK) == 0) {
		unit_skip("the other rows",
				"they need a /home without dev, and this process cannot have one of its own");
		return unit_end();
	}
	visit_all(argc - 1 - writes, argv + 1 + writes,
		writes ? write_file : argc == 1 ? run_others : run_file, NULL);
	if (argc > 1)
		return unit_end();
	unit_result("there are cases");
	RUN(every_check_has_rows);
	RUN(policies_are_defined_once);
	RUN(files_lie_in_areas);
	return unit_end();
}
