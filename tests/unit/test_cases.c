/*
 * Runs tests/cases/ (every .txt file there): what a command must be judged as, and what must be found in it. One row is one TAP result. A row:
 *
 *     ask: rm -rf "$X"                     the verdict and the command, as it stands. `stop`: anything but allow;
 *                                          `sound`: the same, or else everything below holds
 *     	ids: opaque-path                    exactly these reasons
 *     	id: opaque-path                     among the reasons; `warns:` among the warnings, `advice:` among the advice
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
 *     	near: opaque-path                   a near miss: this reason must be absent
 *     	shell: sh   cwd: /x   mode: plan   config: {..}  one line each; the policy as one line of YAML
 *     @config {..}                         a policy for all rows of the file that follow; a row's own is added to it
 *
 * The directory is /w/p and the home /home/dev unless said otherwise; /home is empty, whoever lives on this machine. Every check must have a hit and
 * a near miss.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mount.h>
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
	struct str common; /* the policy of the file */
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

static bool is_same(const struct test *t, const struct json *x, const struct json *y) { return x && y && str_eq(dump(t, x), dump(t, y)); }

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

static void expect_ids(struct test *t, struct str ids)
{
	expect_some(t, "reasons", ids);
	for (const struct json *reason = json_items(json_key(t->answer, "reasons")); reason; reason = reason->next) {
		struct str id = json_text_at(reason, "id");

		if (!str_contains(ids, id))
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
	else if (!strcmp(key, "shell") || !strcmp(key, "cwd") || !strcmp(key, "config") || !strcmp(key, "mode"))
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
	} else if (strstr(" reads writes deletes execs ", str_c(t->a, str_fmt(t->a, " %s ", key))))
		expect_paths(t, key, v);
	else
		fail(t, "unknown key", x->key);
}

static int judge_by(struct arena *a, const struct engine_request *rq, const struct policy *p, struct facts *f, struct judgement *j, struct err *e)
{
	struct policies all;

	policies_of(p, &all);
	return engine_judge(a, rq, &all, f, j, e);
}

static void judge_row(struct test *t)
{
	struct session at = {.cwd = row_get(t->r, "cwd"), .home = STR("/home/dev"), .user = STR("dev")};
	struct engine_request rq = {.command = t->r->command, .session = &at};
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
	struct config_source src[] = {{.name = STR("file.yaml"), .bytes = str_cat(t->a, t->common, STR("\n")), .who = WHO_OWNER},
				      {.name = STR("case.yaml"), .bytes = str_cat(t->a, config, STR("\n")), .who = WHO_OWNER}};
	size_t from = !t->common.n, to = 1 + (config.n > 0);
	if (to > from && (config_load(t->a, src + from, to - from, &policy, NULL, &e) != 0 || gate_verify(&policy, &e) != 0))
		engine_refuse(t->a, CHECK_POLICY_ERROR, e.text, &j);
	else if (judge_by(t->a, &rq, &policy, &f, &j, &e) != 0)
		fail(t, e.text, rq.command);
	buf_init(&out, t->a, 0);
	answer_json(&out, STR("1"), &f, &j, policy.digest);
	if (json_read(t->a, buf_view(&out), &t->answer, &e) != 0)
		fail(t, e.text, buf_view(&out));
	buf_init(&explained, t->a, 0);
	gate_explain(&explained, &f, &j, (struct explain_style){.width = 80}); /* must not fall over, whatever the row */
}

static int run_row(void *arg)
{
	struct test *t = arg;
	struct str verdict;

	judge_row(t);
	verdict = json_text_at(t->answer, "verdict");
	if (str_is(t->r->verdict, "sound") && !str_is(verdict, "allow"))
		return 0;
	if (str_is(t->r->verdict, "stop") ? str_is(verdict, "allow") : !str_is(t->r->verdict, "sound") && !str_eq(verdict, t->r->verdict))
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

static void run_file(const char *name)
{
	struct arena rows, a;
	struct str text;
	struct row r;
	struct err e = {0};
	struct str common = STR("");
	char path[512], title[600];
	size_t at = 0, line = 0;

	snprintf(path, sizeof(path), strchr(name, '/') ? "%s" : CASES_DIR "/%s", name);
	arena_init(&rows, ARENA_CAP_DEFAULT);
	if (file_read(&rows, path, CASES_FILE_MAX, &text, NULL, &e) != 0)
		unit_fail(path, 0, "%s", e.text);
	else
		while (row_read(&rows, path, text, &at, &line, &common, &r)) {
			struct test t = {.a = &a, .file = path, .r = &r, .common = common};

			arena_init(&a, ARENA_CAP_DEFAULT);
			if (arena_run(&a, run_row, &t) < 0)
				unit_fail(path, (int)r.line, "the arena is full");
			arena_free(&a);
			snprintf(title, sizeof(title), "%s:%zu", path, r.line);
			unit_result(title);
		}
	arena_free(&rows);
}

/* Its rows start programs, which must be root's; root has no id in an ordinary user's namespace. */
static const char with_programs[] = "classifier.txt";

static int is_case(const struct dirent *d) { return str_ends(str_of(d->d_name), ".txt") && strcmp(d->d_name, with_programs); }

/*
 * Checks that no row can show: test_gate.c fills the arena; tests/run/world.sh has files with links;
 * tests/run/git_view.sh has repositories with hooks; test_classifier.c has classifiers; tests/run/record.sh
 * has records that cannot be written; tests/run/box_planted.sh has workspaces that are not vetted;
 * tests/run/identity.sh has projects that are replaced.
 */
static bool shown_elsewhere(enum check_id id)
{
	switch (id) {
	case CHECK_INTERNAL_ERROR:
	case CHECK_RECORD_ERROR:
	case CHECK_PROJECT_CHANGED:
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

static bool put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool done = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		close(fd);
	return done;
}

/* An empty file system on /home, for this process alone. An ordinary user needs a user namespace for that, and stays who they are in it. */
static bool empty_home(void)
{
	uid_t uid = getuid();
	char map[64];

	if (unshare(uid == 0 ? CLONE_NEWNS : CLONE_NEWUSER | CLONE_NEWNS) != 0)
		return false;
	snprintf(map, sizeof(map), "%ju %ju 1", (uintmax_t)uid, (uintmax_t)uid);
	if (uid != 0 && !put("/proc/self/uid_map", map))
		return false;
	return mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 && mount("tmpfs", "/home", "tmpfs", MS_NOSUID | MS_NODEV, "size=64k") == 0;
}

/* Without arguments all files of tests/cases; else the files that are named. */
int main(int argc, char **argv)
{
	struct dirent **names;
	int n;

	if (argc == 1)
		run_file(with_programs);
	if (!empty_home() && access("/home/dev", F_OK) == 0) {
		unit_skip("the other rows", "they need a /home without dev, and this process cannot have one of its own");
		return unit_end();
	}
	for (int i = 1; i < argc; i++)
		run_file(argv[i]);
	if (argc > 1)
		return unit_end();
	n = scandir(CASES_DIR, &names, is_case, alphasort);

	CHECK(n > 0);
	unit_result("there are cases");
	for (int i = 0; i < n; i++) {
		run_file(names[i]->d_name);
		free(names[i]);
	}
	if (n > 0)
		free(names);
	RUN(every_check_has_rows);
	return unit_end();
}
