/* See test_changes.h. */
#define _GNU_SOURCE
#include "run/test_changes.h"

#include <sys/stat.h>

#include "result/redact.h"
#include "result/test_diff.h"
#include "result/validate.h"
#include "run/head_listing.h"
#include "run/helper_run.h"
#include "run/run_validation.h"
#include "sys/stream.h"

#define TIME_MS 10000
#define NAMES_SHOWN 5

/* Patterns of gitignore's kind, relative to any directory. */
static const char patterns[][28] = {
	/* tests */
	"test_*.py", "*_test.py", "tests.py", "*.test.*", "*.spec.*", "*_test.go", "*_spec.rb", "*_test.rb",
	"*Test.java", "*Tests.java", "*Test.kt", "*Test.php", "*.t", "*.bats", "*_test.c*", "test_*.c*",
	"*_test.rs", "test/**", "tests/**", "t/**", "spec/**", "__tests__/**", "__snapshots__/**",
	/* runners */
	"conftest.py", "pytest.ini", "tox.ini", "setup.cfg", "pyproject.toml", "noxfile.py", ".coveragerc",
	"sitecustomize.py", "usercustomize.py", "package.json", "jest.config.*", "jest.setup.*",
	"vitest.config.*", "vite.config.*", ".mocharc*", "karma.conf*", "playwright.config.*",
	"tsconfig*.json", ".babelrc*", "babel.config.*", ".rspec", "Rakefile", "phpunit.xml*", "pom.xml",
	"build.gradle*", "Cargo.toml", "Makefile", "GNUmakefile", "CMakeLists.txt", "CTestConfig.cmake",
	/* CI */
	".github/workflows/**", ".gitlab-ci.yml", ".circleci/**", "Jenkinsfile", "azure-pipelines*.yml",
	".travis.yml", ".buildkite/**", ".drone.yml", "bitbucket-pipelines.yml",
};

struct str test_changes_paths(struct arena *a)
{
	struct buf b;

	buf_init(&b, a, 0);
	for (size_t i = 0; i < ARRAY_SIZE(patterns); i++)
		buf_fmt(&b, "':(glob)**/%s' ", patterns[i]);
	return buf_view(&b);
}

/*
 * Files that git does not know yet count as added: a copy of the index gets them. The base is HEAD as it was
 * when the session began, by the reflog.
 */
static struct str script(struct arena *a, int64_t since)
{
	static const char text[] =
		"cd \"$(git rev-parse --show-toplevel)\" || exit 3\n"
		"base=$(git rev-parse -q --verify HEAD^{commit}) || exit 3\n"
		"[ %lld = 0 ] || base=$(git rev-parse -q --verify 'HEAD@{%lld}^{commit}' 2>/dev/null) || "
		"base=HEAD\n"
		"export GIT_ALTERNATE_OBJECT_DIRECTORIES=$(realpath \"$(git rev-parse --git-path "
		"objects)\")\n"
		"cp \"$(git rev-parse --git-path index)\" /tmp/index && mkdir /tmp/objects || exit 3\n"
		"export GIT_INDEX_FILE=/tmp/index GIT_OBJECT_DIRECTORY=/tmp/objects\n"
		"git add -N .\n"
		"exec git -c core.fsmonitor=false diff --no-ext-diff --no-textconv --no-color --no-renames "
		"-U0 \"$base\" -- %.*s\n";
	struct str paths = test_changes_paths(a);

	return str_fmt(a, text, (long long)since, (long long)since, STR_ARG(paths));
}

static bool in_repository(struct arena *a, const struct run *r)
{
	struct stat st;

	return r->spec.workspace.n &&
			lstat(str_c(a, str_path(a, r->spec.workspace, STR(".git"))), &st) == 0;
}

static struct str file_names(struct arena *a, const struct test_diff *d)
{
	struct buf b;

	buf_init(&b, a, 0);
	for (size_t i = 0; i < d->nfiles && i < NAMES_SHOWN; i++)
		buf_fmt(&b, "%s%.*s", i ? ", " : "", STR_ARG(d->files[i]));
	if (d->nfiles > NAMES_SHOWN)
		buf_fmt(&b, " and %zu more", d->nfiles - NAMES_SHOWN);
	return redact_text(a, redactor_new(a, NULL, 0), buf_view(&b), NULL);
}

/* True if one of the ids says that tests are gone. */
static bool lost_tests(const struct check_note *n)
{
	for (; n; n = n->next)
		if (n->id == NOTE_FEWER_TESTS || n->id == NOTE_MORE_SKIPPED || n->id == NOTE_TESTS_VANISHED)
			return true;
	return false;
}

/* True if a file was edited whose code runs in every test run, and the canary did not try it. */
static bool runner_untried(const struct run *r, const struct test_diff *d, const struct validation *v)
{
	static const char hooks[][20] = {"conftest.py", "sitecustomize.py", "usercustomize.py",
			"jest.config.", "jest.setup."};

	if (!r->task.canary || v->canary || v->evidence != EVIDENCE_WITNESSED)
		return false;
	if (d->plugins > 0)
		return true;
	for (size_t i = 0; i < d->nfiles && i < TEST_DIFF_FILES_MAX; i++)
		for (size_t k = 0; k < ARRAY_SIZE(hooks); k++)
			if (str_starts(str_base(d->files[i]), hooks[k]))
				return true;
	return false;
}

static void judge_diff(struct arena *a, const struct run *r, const struct test_diff *d, struct validation *v)
{
	struct str names = file_names(a, d);
	struct buf b;

	buf_init(&b, a, 0);
	if (d->asserts < 0)
		buf_fmt(&b, "; %lld fewer lines with assertions", (long long)-d->asserts);
	if (d->skips > 0)
		buf_fmt(&b, "; %lld new %s to skip or leave out tests", (long long)d->skips,
				d->skips == 1 ? "line" : "lines");
	if (d->hiding > 0)
		buf_fmt(&b, "; %lld new %s that can hide a failure", (long long)d->hiding,
				d->hiding == 1 ? "line" : "lines");
	if (d->witness)
		buf_c(&b, "; a new line names the part of the box that asks runners for reports");
	if (lost_tests(v->suspicions))
		buf_c(&b, "; fewer tests ran");
	if (runner_untried(r, d, v))
		buf_c(&b, "; this can change every result, and tests that must fail could not be tried: keep "
				"PYTHONPATH, NODE_OPTIONS and the loading of plugins");
	if (b.n)
		validation_suspect(a, v, NOTE_TESTS_CHANGED,
				"tests or their settings were edited (%.*s)%.*s; explain why. The MCP tool "
				"verify_tests, or the user with caisson verify-tests, can run the tests of "
				"HEAD",
				STR_ARG(names), STR_ARG(buf_view(&b)));
	else
		validation_note(a, v, NOTE_TESTS_CHANGED, true, "tests or their settings were edited: %.*s",
				STR_ARG(names));
}

void test_changes_look(struct arena *a, const struct policies *p, int64_t since, bool compared,
		struct report *report)
{
	const struct run *r = report->run;
	struct validation *v = arena_new(a, struct validation);
	struct run_request rq = {.config = r->rq->config, .limits = {[LIMIT_TIME] = TIME_MS}};
	struct outcome o = {0};
	struct test_diff d;
	struct err e = {0};

	if (!report->validation || report->validation->task != TASK_TEST ||
			report->validation->validity != VALIDITY_VALID ||
			report->validation->result != RESULT_PASS || !in_repository(a, r))
		return;
	rq.code = str_c(a, script(a, since));
	if (helper_run(a, r, p, &rq, STR(""), &o, &e) != 0 || o.exit_code != 0)
		return; /* no repository, no commit, or a change too large to be read */
	test_diff_read(a, stream_tail(a, &o.out, HELPER_OUTPUT), &d);
	if (!d.nfiles)
		return;
	*v = *report->validation;
	report->validation = v;
	if (!compared && r->task.canary)
		head_listing_compare(a, r, p, v);
	judge_diff(a, r, &d, v);
}
