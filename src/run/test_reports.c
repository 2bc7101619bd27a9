/* Requests reports from test runners, and combines them with the printed output. See test_reports.h. */
#define _GNU_SOURCE
#include "run/test_reports.h"

#include "base/embedded.h"
#include "base/json.h"
#include "result/test_diff.h"
#include "result/validate.h"
#include "run/canary.h"
#include "run/run_validation.h"
#include "run/spec_builder.h"
#include "sys/state.h"

#define DIR_IN_BOX "/caisson/reports/"
#define FOLDER "reports"
#define OWN_MAX 4
#define WORDS_MAX 4096 /* words of a command that gets more arguments */

#define WITNESS "/caisson/witness/"
#ifdef __aarch64__
#define CPU "AARCH64"
#else
#define CPU "X86_64"
#endif

enum way { /* how a runner is asked for its report */
	WAY_VARIABLE,  /* a variable, which it reads wherever it is started in the command */
	WAY_PRELOAD,   /* WITNESS "node.cjs", which every node process loads */
	WAY_ARGUMENTS, /* only if the command is nothing but the call of the runner */
	WAY_PATH,      /* WITNESS "bin/ctest", which stands before the runner on the PATH */
	WAY_EXEC,      /* WITNESS "exec", which starts the test programs of go and cargo */
};

enum coverage {
	COVERS_OTHERWISE, /* output and report count different things */
	COVERS_SAME,      /* they count the same things */
	COVERS_REACHED,   /* the same, and a call of the runner that is not reached has text alone */
	/*
	 * The runner prints more than the report has: packages that do not compile, documentation tests. A
	 * call of it that is not reached has text alone.
	 */
	COVERS_PART,
};

static const struct test_runner {
	char file[12];             /* file name in the box */
	char format[8];            /* format of the printed output */
	char machine[16];          /* format of the report */
	enum way way;
	char word[12];             /* the command must contain it; empty: any command */
	/* commands with one of these request reports themselves, or conflict with ours */
	char own[OWN_MAX][20];
	char variable[16];         /* WAY_VARIABLE */
	char before[56];           /* words before the file name */
	enum coverage coverage;
} rows[] = {
	{"pytest.xml", "pytest", "junit-xml", WAY_VARIABLE, "", {"--junitxml", "--junit-xml", "no:junitxml"},
			"PYTEST_ADDOPTS", "--junitxml=", COVERS_SAME},
	{"node.xml", "node", "junit-xml", WAY_PRELOAD, "", {"--test-reporter"}, "", "", COVERS_OTHERWISE},
	{"rspec.json", "rspec", "rspec-json", WAY_VARIABLE, "rspec", {"--format", " -f", "--out", " -o"},
			"SPEC_OPTS", "--format progress --format json --out ", COVERS_SAME},
	{"jest.json", "jest", "jest-json", WAY_PRELOAD, "", {"--json", "--outputFile", "--watch"}, "", "",
			COVERS_SAME},
	{"vitest.json", "vitest", "jest-json", WAY_PRELOAD, "", {"--reporter", "--outputFile", "--watch"}, "",
			"", COVERS_SAME},
	{"mocha.json", "mocha", "mocha-json", WAY_PRELOAD, "", {""}, "", "", COVERS_REACHED},
	{"phpunit.xml", "phpunit", "junit-xml", WAY_ARGUMENTS, "phpunit",
			{"--log-junit", "--configuration", "--no-logging"}, "", "--log-junit ",
			COVERS_OTHERWISE},
	{"ctest.xml", "ctest", "junit-xml", WAY_PATH, "ctest", {"--output-junit"}, "", "", COVERS_PART},
	{"go.json", "go-test", "go-test-json", WAY_EXEC, "", {" -json", " -exec"}, "", "",
			COVERS_PART},
	{"cargo.json", "libtest", "libtest-json", WAY_EXEC, "", {""}, "", "",
			COVERS_PART},
};

/* Its pipe has lines about canaries, of all runners (canary.h). */
static const struct test_runner canary_row = {.file = "canary"};

const struct test_runner *test_runner(struct str file)
{
	ptrdiff_t at = STR_ROW(rows, file, file);

	return at < 0 ? NULL : &rows[at];
}

/* ---- requesting ---- */

/* Appends to the variable's existing value. */
static void add_variable(struct spec_builder *m, const char *name, char between, struct str value)
{
	struct spec_var **at = &m->r->spec.env, *v;

	while (*at && !str_is((*at)->name, name))
		at = &(*at)->next;
	if (!*at)
		*at = arena_new(m->a, struct spec_var);
	v = *at;
	v->name = str_of(name);
	v->value = v->value.n ? str_fmt(m->a, "%.*s%c%.*s", STR_ARG(v->value), between, STR_ARG(value)) :
			value;
}

static void add_file(struct spec_builder *m, const char *path, struct str text)
{
	m->r->spec.files = arena_copy(m->a, (struct spec_file){.next = m->r->spec.files,
			.path = str_of(path), .text = text});
}

/*
 * go and cargo start test programs by another program, if these variables say so. -count=1: a result that go
 * remembers from an earlier run shows nothing. tox passes only named variables on (its version 3, version 4).
 */
static void add_exec(struct spec_builder *m)
{
	static const char passed[] = "PYTEST_ADDOPTS,PYTHONPATH,NODE_OPTIONS,GOFLAGS";
	static const char *const libc[] = {"GNU", "MUSL"};

	add_file(m, WITNESS "exec", str_n((const char *)witness_exec, witness_exec_n));
	m->r->spec.files->executable = true;
	add_variable(m, "GOFLAGS", ' ', STR("-exec=" WITNESS "exec -count=1"));
	for (size_t i = 0; i < ARRAY_SIZE(libc); i++)
		add_variable(m, str_fmt_c(m->a, "CARGO_TARGET_" CPU "_UNKNOWN_LINUX_%s_RUNNER", libc[i]), ' ',
				STR(WITNESS "exec"));
	add_variable(m, "TOX_TESTENV_PASSENV", ' ', STR("PYTEST_ADDOPTS PYTHONPATH NODE_OPTIONS GOFLAGS"));
	add_variable(m, "TOX_OVERRIDE", ';', str_fmt(m->a, "testenv.pass_env+=%s", passed));
}

/* Before the other directories of the PATH. */
static void add_path(struct spec_builder *m)
{
	add_file(m, WITNESS "bin/ctest", str_n((const char *)witness_ctest, witness_ctest_n));
	m->r->spec.files->executable = true;
	for (struct spec_var *v = m->r->spec.env; v; v = v->next)
		if (str_is(v->name, "PATH"))
			v->value = str_cat(m->a, STR(WITNESS "bin:"), v->value);
}

/*
 * Shows the preload of node and the plugin of pytest. pytest finds the plugin by its entry point, so a Python
 * that ignores PYTHONPATH only lacks it.
 */
static void add_witnesses(struct spec_builder *m, bool canary)
{
	add_file(m, WITNESS "node.cjs", str_n((const char *)witness_node, witness_node_n));
	add_variable(m, "NODE_OPTIONS", ' ', STR("--require=" WITNESS "node.cjs"));
	add_exec(m);
	if (!canary)
		return;
	add_file(m, WITNESS "python/caisson_witness.py",
			str_n((const char *)witness_pytest, witness_pytest_n));
	add_file(m, WITNESS "python/caisson_witness-1.dist-info/METADATA",
			STR("Metadata-Version: 2.1\nName: caisson-witness\nVersion: 1\n"));
	add_file(m, WITNESS "python/caisson_witness-1.dist-info/entry_points.txt",
			STR("[pytest11]\ncaisson_witness = caisson_witness\n"));
	add_variable(m, "PYTHONPATH", ':', STR(WITNESS "python"));
}

/* True if the text is only words, so that further words are arguments of the same command. */
static bool only_words(struct str text) { return str_is_alnum_or(text, "_-./=:,+@ "); }

/* True if the first word is the runner or its launcher: `npx jest`, `./node_modules/.bin/jest`. */
static bool calls_runner(const struct test_runner *row, struct str first, struct str second)
{
	static const char starters[][8] = {"npx", "bunx", "php"};

	if (str_is(str_base(first), row->word))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(starters); i++)
		if (str_is(str_base(first), starters[i]) && str_is(str_base(second), row->word))
			return true;
	return false;
}

static bool add_to_words(struct spec_builder *m, const struct test_runner *row)
{
	struct str words = str_fmt(m->a, "%s" DIR_IN_BOX "%s", row->before, row->file);
	char *const *argv = m->r->spec.argv, **v;
	size_t n = 0;

	while (n < WORDS_MAX && argv[n])
		n++;
	if (!calls_runner(row, str_of(argv[0]), str_of(n > 1 ? argv[1] : "")) || argv[n])
		return false;
	v = arena_array(m->a, n + words.n + 1, sizeof(*v));
	memcpy(v, argv, n * sizeof(*v));
	for (size_t from = 0; from < words.n;) {
		size_t to = str_end(words, ' ', from);

		v[n++] = str_c(m->a, str_sub(words, from, to));
		from = to + 1;
	}
	m->r->spec.argv = v;
	return true;
}

/* For bash -c TEXT without arguments: extends the text. */
static bool add_to_text(struct spec_builder *m, const struct test_runner *row)
{
	char *const *argv = m->r->spec.argv;
	struct str text = str_of(m->rq->code), rest, first, second;
	char **v;

	if (!only_words(text) || !argv[0] || !argv[1] || !argv[2] || strcmp(argv[2], m->rq->code) != 0 ||
			argv[3])
		return false;
	rest = text;
	first = str_cut(&rest, ' ');
	second = str_until(rest, ' ');
	if (!calls_runner(row, first, second))
		return false;
	v = arena_array(m->a, 4, sizeof(*v));
	v[0] = argv[0];
	v[1] = argv[1];
	v[2] = str_fmt_c(m->a, "%s %s" DIR_IN_BOX "%s", m->rq->code, row->before, row->file);
	m->r->spec.argv = v;
	return true;
}

static bool add_arguments(struct spec_builder *m, const struct test_runner *row)
{
	if (m->rq->file)
		return false;
	return m->rq->code ? add_to_text(m, row) : add_to_words(m, row);
}

static bool suits_command(const struct test_runner *row, struct str command)
{
	if (!str_contains(command, str_of(row->word)))
		return false;
	for (size_t i = 0; i < OWN_MAX && row->own[i][0]; i++)
		if (str_contains(command, str_of(row->own[i])))
			return false;
	return true;
}

static void add_asked(struct spec_builder *m, const struct test_runner *row)
{
	struct test_report **end = &m->r->asked;
	struct spec_path **to = &m->r->spec.paths;

	while (*end)
		end = &(*end)->next;
	*end = arena_new(m->a, struct test_report);
	(*end)->row = row;
	(*end)->path = str_fmt(m->a, "%.*s/" FOLDER "/%.*s-%s", STR_ARG(m->at->state_dir),
			STR_ARG(m->r->id), row->file);
	while (*to)
		to = &(*to)->next;
	*to = arena_new(m->a, struct spec_path);
	**to = (struct spec_path){.path = (*end)->path, .at = str_fmt(m->a, DIR_IN_BOX "%s", row->file),
			.writable = true};
}

/* Only for the task `test`, and if the state directory can hold the pipes. */
int spec_ask_test_reports(struct spec_builder *m, struct err *e)
{
	struct str dir;

	(void)e;
	if (m->r->task.kind != TASK_TEST || !m->at->state_dir.n ||
	    state_check(m->a, m->at->state_dir, m->r->spec.workspace, m->at->uid, &dir, NULL) != 0)
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		if (!suits_command(&rows[i], m->r->gate_request.command))
			continue;
		if (rows[i].way == WAY_VARIABLE)
			add_variable(m, rows[i].variable, ' ', str_fmt(m->a, "%s" DIR_IN_BOX "%s",
					rows[i].before, rows[i].file));
		else if (rows[i].way == WAY_ARGUMENTS && !add_arguments(m, &rows[i]))
			continue;
		else if (rows[i].way == WAY_PATH)
			add_path(m);
		add_asked(m, &rows[i]);
	}
	if (m->r->task.canary)
		add_asked(m, &canary_row);
	add_witnesses(m, m->r->task.canary);
	return 0;
}

int test_reports_start(struct arena *a, const struct run *r, struct collector *ret, struct err *e)
{
	const char *paths[COLLECT_MAX];
	const struct view *v = r->world->context.view;
	struct str dir;
	size_t n = 0;

	if (!r->asked)
		return 0;
	for (const struct test_report *k = r->asked; k && n < COLLECT_MAX; k = k->next)
		paths[n++] = str_c(a, k->path);
	if (state_folder(a, v->state_dir, r->spec.workspace, v->uid, FOLDER, &dir, e) != 0)
		return -1;
	return collector_start(a, paths, n, TEST_REPORT_MAX, ret, e);
}

void test_reports_end(const struct run *r, struct collector *c)
{
	struct str texts[COLLECT_MAX];
	bool large[COLLECT_MAX];
	size_t n = c->n, i = 0;

	collector_end(c, texts, large);
	for (struct test_report *k = r->asked; k && i < n; k = k->next, i++) {
		k->text = texts[i];
		k->large = large[i];
	}
}

const char *test_reports_runner(const struct run *r)
{
	for (const struct test_report *k = r->asked; k; k = k->next)
		if (k->row != &canary_row && k->text.n)
			return k->row->format;
	return NULL;
}

/* ---- judging ---- */

static int64_t count_of(const struct validation *v, const char *name)
{
	for (const struct count *c = v->counts; c; c = c->next)
		if (!strcmp(c->name, name))
			return c->n;
	return 0;
}

static void add_counts(struct arena *a, struct validation *to, const struct validation *from)
{
	for (const struct count *c = from->counts; c; c = c->next) {
		struct count *have = to->counts;

		while (have && strcmp(have->name, c->name) != 0)
			have = have->next;
		if (have)
			have->n += c->n;
		else
			validation_count(a, to, c->name, c->n);
	}
}

static void add_notes(struct arena *a, struct validation *to, const struct validation *from)
{
	for (const struct check_note *n = from->checks; n; n = n->next)
		if (n->id != NOTE_EXIT_UNKNOWN) /* the combined result has one already */
			validation_note(a, to, n->id, n->warning, "%.*s", STR_ARG(n->message));
}

/* Returns the length of the first of several reports. XML starts with its declaration; JSON is one value. */
static size_t first_document(struct arena *a, struct str text)
{
	struct json_reader reader;
	struct str rest;

	if (text.n && text.p[0] == '<') {
		rest = str_from(text, 1);
		for (size_t at = 0; at + 5 <= rest.n; at++)
			if (!memcmp(rest.p + at, "<?xml", 5))
				return at + 1;
		return text.n;
	}
	json_reader_init(&reader, a, text, JSON_TOLERANT);
	return json_next(&reader) ? reader.at : text.n;
}

static struct str blanks_off(struct str s)
{
	while (s.n && strchr(" \t\r\n", s.p[0]))
		s = str_from(s, 1);
	return s;
}

/* Judges all reports from one pipe. */
static void judge_reports(struct arena *a, const struct test_report *asked, struct validation *ret)
{
	struct str rest = blanks_off(asked->text);
	struct validation v = {.task = TASK_TEST, .validity = VALIDITY_VALID, .format = asked->row->machine,
			.evidence = EVIDENCE_MACHINE};
	bool passed = false, failed = false;

	for (size_t n = 0; rest.n; n++) {
		/* events are lines of one document */
		size_t to = asked->row->way == WAY_EXEC ? rest.n : first_document(a, rest);
		struct validate_input in = {.task = TASK_TEST, .out = str_first(rest, to),
				.status = STATUS_UNKNOWN, .exit_code = -1};
		struct validation one;

		if (n == TEST_REPORT_DOCUMENTS_MAX) {
			validation_unsure(a, &v, NOTE_TOO_LARGE,
					"the runner ran more than %d times; run fewer at a time",
					TEST_REPORT_DOCUMENTS_MAX);
			break;
		}
		validate_text(a, &in, &one);
		add_notes(a, &v, &one);
		/* nothing may precede the report */
		if (!one.format || strcmp(one.format, asked->row->machine) != 0 || !strchr("<{", rest.p[0]))
			validation_note(a, &v, NOTE_MALFORMED_REPORT, false,
					"the report of %s is invalid; find what else writes to it, or what "
					"ends the runner early", asked->row->format);
		else if (one.validity != VALIDITY_VALID)
			v.validity = v.validity == VALIDITY_INVALID ? v.validity : one.validity;
		v.suspicions = v.suspicions ? v.suspicions : one.suspicions;
		passed |= one.result == RESULT_PASS;
		failed |= one.result == RESULT_FAIL;
		add_counts(a, &v, &one);
		v.names = n ? NULL : one.names; /* of one report only */
		v.nnames = n ? 0 : one.nnames;
		rest = blanks_off(str_from(rest, to));
	}
	v.result = v.validity != VALIDITY_VALID ? RESULT_NONE : failed ? RESULT_FAIL : passed ? RESULT_PASS :
			RESULT_NONE;
	*ret = v;
}

/*
 * True if both counts agree where they are comparable. With errors they are not: one counts them as tests,
 * the other does not.
 */
static bool same_counts(const struct test_runner *row, const struct validation *text,
		const struct validation *machine)
{
	int64_t errors = count_of(text, "errors") + count_of(machine, "errors");

	if ((row->coverage != COVERS_SAME && row->coverage != COVERS_REACHED) || errors || !text->counts)
		return true;
	if (count_of(text, "failed") != count_of(machine, "failed"))
		return false;
	/* a pytest summary distinguishes more kinds */
	return !strcmp(row->format, "rspec") || count_of(text, "passed") +
			count_of(text, "xpassed") == count_of(machine, "passed");
}

/*
 * True if only the exit code is wrong: a pipeline after the tests hides it, and the report is better
 * evidence.
 */
static bool only_exit(const struct validation *v)
{
	for (const struct check_note *n = v->checks; n; n = n->next)
		if (!n->warning && n->id != NOTE_EXIT_MISMATCH)
			return false;
	return true;
}

/*
 * True if a report is better evidence than an output that contradicts itself: only the exit code is hidden,
 * or tests print summaries of their own (pytest -rP shows what they printed).
 */
static bool report_stands(const struct test_runner *row, const struct validation *text,
		const struct validation *machine)
{
	if (machine->validity != VALIDITY_VALID)
		return false;
	for (const struct check_note *n = text->checks; n; n = n->next)
		if (!n->warning && n->id != NOTE_TWO_SUMMARIES)
			return machine->result == RESULT_FAIL && only_exit(text) &&
					same_counts(row, text, machine);
	return true;
}

/* True if something failed that the report does not have, such as a package that does not compile. */
static bool report_lacks_failure(const struct test_runner *row, const struct validation *text,
		const struct validation *machine)
{
	return row->coverage == COVERS_PART && text->validity == VALIDITY_VALID &&
			text->result == RESULT_FAIL && machine->result != RESULT_FAIL;
}

/*
 * True if the output says what the report says. Other text behind a bare summary (tox prints its own verdict)
 * makes the output alone open; the same counts in both settle that.
 */
static bool output_agrees(const struct test_runner *row, const struct validation *text,
		const struct validation *machine)
{
	if (text->validity != VALIDITY_INDETERMINATE || !text->counts)
		return text->validity == VALIDITY_VALID;
	for (const struct check_note *n = text->checks; n; n = n->next)
		if (n->id != NOTE_TEXT_AFTER_SUMMARY)
			return false;
	return machine->result == RESULT_PASS && same_counts(row, text, machine);
}

static void judge_both(struct arena *a, const struct test_runner *row, const struct outcome *o,
		const struct validation *machine, struct validation *v)
{
	struct validation text = *v;
	bool same = text.format && !strcmp(text.format, row->format);

	if (same && text.validity == VALIDITY_INVALID && !report_stands(row, &text, machine))
		return;
	if (text.format && !same) { /* output of another runner: both results must hold */
		if (machine->validity == VALIDITY_INVALID ||
				(machine->result == RESULT_FAIL && text.validity == VALIDITY_VALID))
			add_notes(a, v, machine);
		if (text.validity == VALIDITY_VALID && machine->validity == VALIDITY_VALID &&
				machine->result == RESULT_FAIL)
			v->result = RESULT_FAIL;
		return;
	}
	if (report_lacks_failure(row, &text, machine))
		return;
	*v = *machine;
	if (same && text.validity == VALIDITY_INVALID && machine->result != RESULT_FAIL)
		validation_note(a, v, NOTE_TWO_SUMMARIES, true,
				"the output contains summaries that tests printed; the report of %s is used "
				"instead",
				row->format);
	if (same && machine->validity == VALIDITY_VALID && text.validity == VALIDITY_VALID &&
			(text.result != machine->result || !same_counts(row, &text, machine)))
		validation_note(a, v, NOTE_REPORTS_DISAGREE, false,
				"the output and the report of %s disagree; find the test that prints a "
				"summary or writes a report itself", row->format);
	if (v->validity == VALIDITY_VALID && v->result == RESULT_PASS && o->exit_code != 0)
		validation_note(a, v, NOTE_EXIT_MISMATCH, false,
				"all tests passed according to the report, but the command ended with %d; "
				"find what else failed", o->exit_code);
	if (v->validity == VALIDITY_VALID && same && output_agrees(row, &text, machine))
		v->evidence = EVIDENCE_WITNESSED;
}

static void judge_missing(struct arena *a, const struct test_report *k, struct str canary,
		struct validation *v)
{
	static const char taken[][16] = {[WAY_PRELOAD] = "NODE_OPTIONS", [WAY_ARGUMENTS] = "its arguments"};
	const struct test_runner *row = k->row;

	if (!v->format || strcmp(v->format, row->format) != 0 || v->validity != VALIDITY_VALID ||
			row->coverage == COVERS_PART || canary_said(a, canary, row->format, "own"))
		return;
	if (row->coverage == COVERS_REACHED && !canary_said(a, canary, row->format, "started"))
		return;
	validation_unsure(a, v, NOTE_REPORT_MISSING,
			"%s was asked for a report and wrote none, so this summary may be forged; find what "
			"ends it early, or takes %s away from it", row->format,
			row->variable[0] ? row->variable : taken[row->way]);
}

void test_reports_judge(struct arena *a, const struct run *r, const struct outcome *o, struct validation *v)
{
	bool killed = o->status != STATUS_OK && o->status != STATUS_EXIT_NONZERO;
	struct str canary = STR("");

	if (killed)
		return;
	for (const struct test_report *k = r->asked; k; k = k->next)
		if (k->row == &canary_row)
			canary = k->text;
	for (const struct test_report *k = r->asked; k; k = k->next) {
		struct validation machine;

		if (k->row == &canary_row)
			continue;
		if (k->large) {
			validation_unsure(a, v, NOTE_TOO_LARGE,
					"the report of %s is larger than %zu MB; run fewer tests at a time",
					k->row->format, TEST_REPORT_MAX >> 20);
			continue;
		}
		if (k->text.n) {
			judge_reports(a, k, &machine);
			judge_both(a, k->row, o, &machine, v);
		} else {
			judge_missing(a, k, canary, v);
		}
	}
	validate_command(a, &(struct validate_input){.command = r->gate_request.command}, v);
	if (v->validity != VALIDITY_VALID)
		v->result = RESULT_NONE;
	canary_judge(a, canary, v);
	if (v->result == RESULT_PASS && test_diff_names_witness(r->gate_request.command))
		validation_suspect(a, v, NOTE_CANARY_PASSED,
				"the command names the part of the box that tries tests that must fail; "
				"leave that out");
}
