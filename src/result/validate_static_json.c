/*
 * Type checkers and linters that print JSON: pyright --outputjson, eslint -f json, cargo check
 * --message-format=json, go vet -json.
 */
#include "result/validate_static.h"
#include "base/json.h"

#define BANNER_LINES_MAX 64 /* lines before a report, such as those of `npm run` */
#define SHORT_MAX 80
#define SHORT(s) (int)((s).n < SHORT_MAX ? (s).n : SHORT_MAX), (s).p

/* ---- shared ---- */

/* True for `[` alone or with a value after it, but not `[info] …`; the same for `{`. */
static bool opens_report(struct str line, char open)
{
	line = lines_trim(line);
	if (str_starts(line, "\xef\xbb\xbf"))
		line = str_sub(line, 3, line.n);
	if (!line.n || line.p[0] != open)
		return false;
	line = lines_trim(str_sub(line, 1, line.n));
	return !line.n || line.p[0] == (open == '{' ? '"' : '{') || line.p[0] == (open == '{' ? '}' : ']');
}

/*
 * Returns the text from the first line that starts a report, within the first `max` lines; empty if there is
 * none.
 */
static struct str report_start(struct str text, char open, size_t max)
{
	struct lines l = lines_of(text);
	size_t at = 0, seen = 0;
	for (struct str line; seen < max && lines_next(&l, &line); seen++, at = l.at)
		if (opens_report(line, open))
			return str_sub(text, at, text.n);
	return STR("");
}

static void bad_json(struct arena *a, struct validation *v, const struct json_reader *r)
{
	if (r->trouble == JSON_LIMIT)
		validation_unsure(a, v, NOTE_TOO_LARGE,
				"the report is too large to be checked (%.*s); check fewer files at once",
				SHORT(r->what));
	else if (r->trouble == JSON_CUT)
		validation_note(a, v, NOTE_MALFORMED_REPORT, false,
				"the report ends in the middle: the tool was stopped or its output was cut; "
				"run it again and keep all of it");
	else
		validation_note(a, v, NOTE_MALFORMED_REPORT, false,
				"the report is not JSON (line %zu of it, %.*s); run the tool again and keep "
				"nothing else on standard output",
			json_place(r->text, r->at).line, SHORT(r->what));
}

/*
 * Returns the only report of an output. NULL with a note if it is unreadable, or if there are two: either may
 * be forged.
 */
static struct json *read_report(struct arena *a, struct str text, char open, struct validation *v)
{
	struct json_reader r;
	json_reader_init(&r, a, report_start(text, open, BANNER_LINES_MAX), JSON_TOLERANT);
	struct json *report = json_next(&r);
	if (!report) {
		bad_json(a, v, &r);
		return NULL;
	}
	if (report_start(str_sub(r.text, r.at, r.text.n), open, SIZE_MAX).n) {
		validation_note(a, v, NOTE_TWO_REPORTS, false,
				"there is more than one report in the output, so none of them can be "
				"believed; run the tool once, by itself");
		return NULL;
	}
	return report;
}

static bool count_differs(struct arena *a, struct validation *v, const char *what, int64_t said,
		int64_t counted, struct str where)
{
	if (said == counted)
		return false;
	validation_note(a, v, NOTE_COUNT_MISMATCH, false,
			"the report says %lld %s but lists %lld%s%.*s; do not believe either number: run "
			"the tool again", (long long)said, what,
		(long long)counted, where.n ? " in " : "", SHORT(where));
	return true;
}

/* ---- pyright ---- */

int pyright_json_detect(const struct validate_input *in)
{
	struct str t = report_start(in->out, '{', BANNER_LINES_MAX);
	return t.n && str_contains(t, STR("\"generalDiagnostics\"")) && str_contains(t, STR("\"summary\"")) ?
			95 : 0;
}

void pyright_json_check(struct arena *a, const struct validate_input *in, struct validation *v)
{
	struct json *report = read_report(a, in->out, '{', v);
	if (!report)
		return;
	struct json *list = json_key(report, "generalDiagnostics"), *summary = json_key(report, "summary");
	static const struct {
		char severity[12], count[20], name[16];
	} kinds[] = {{"error", "errorCount", "errors"}, {"warning", "warningCount", "warnings"},
			{"information", "informationCount", "informations"}};
	int64_t seen[3] = {0};
	if (!json_is(list, JSON_ARRAY) || !json_is(summary, JSON_OBJECT)) {
		validation_note(a, v, NOTE_MALFORMED_REPORT, false,
				"the report has no list of diagnostics or no summary; run pyright "
				"--outputjson again");
		return;
	}
	for (struct json *d = list->first; d; d = d->next) {
		struct json *s = json_key(d, "severity");
		for (size_t k = 0; k < 3; k++)
			seen[k] += json_is(s, JSON_STRING) && str_is(s->text, kinds[k].severity);
	}
	bool trusted = true;
	for (size_t k = 0; k < 3; k++) {
		int64_t said = json_int(json_key(summary, kinds[k].count), -1);
		validation_count(a, v, kinds[k].name, said);
		if (count_differs(a, v, kinds[k].name, said, seen[k], STR("")))
			trusted = false;
	}
	int64_t files = json_int(json_key(summary, "filesAnalyzed"), -1);
	if (files >= 0)
		validation_count(a, v, "files", files);
	if (in->exit_code > 1)
		static_no_result(a, in, v, "pyright");
	else if (files <= 0 && !seen[0])
		static_nothing(a, v);
	else if (trusted && in->exit_code == 1 && !seen[0] && seen[1])
		v->result = RESULT_FAIL; /* --warnings */
	else if (trusted)
		static_result(a, in, v, seen[0] > 0);
}

/* ---- eslint ---- */

struct eslint {
	int64_t files, errors, warnings;
};

int eslint_json_detect(const struct validate_input *in)
{
	struct str t = report_start(in->out, '[', BANNER_LINES_MAX);
	if (!t.n)
		return in->exit_code == 2 && str_contains(in->err, STR("Oops! Something went wrong!")) ? 45 :
				0;
	if (str_contains(t, STR("\"errorCount\"")) && str_contains(t, STR("\"filePath\"")))
		return 95;
	/* no file at all */
	struct str only = lines_trim(in->out);
	while (only.n && (only.p[only.n - 1] == '\n' || only.p[only.n - 1] == '\r'))
		only.n--;
	return in->task && str_is(only, "[]") ? 30 : 0;
}

/* Checks one file of the report; false if its numbers disagree. */
static bool eslint_file(struct arena *a, struct validation *v, struct json *file, struct eslint *sum)
{
	struct json *messages = json_key(file, "messages"), *path = json_key(file, "filePath");
	struct str name = json_is(path, JSON_STRING) ? path->text : STR("a file");
	int64_t seen[3] = {0};
	bool ignored = false; /* the file was named, and the configuration excludes it */
	if (!json_is(messages, JSON_ARRAY)) {
		validation_note(a, v, NOTE_MALFORMED_REPORT, false,
				"the report has no list of messages for %.*s; run eslint -f json again",
				SHORT(name));
		return false;
	}
	for (struct json *m = messages->first; m; m = m->next) {
		int64_t severity = json_int_at(m, "severity");
		if (severity >= 1 && severity <= 2)
			seen[severity]++;
		ignored |= str_starts(json_text_at(m, "message"), "File ignored ") && !json_key(m, "line");
	}
	sum->files += !ignored;
	sum->errors += seen[2];
	sum->warnings += seen[1];
	return !count_differs(a, v, "errors", json_int(json_key(file, "errorCount"), -1), seen[2], name) &&
		!count_differs(a, v, "warnings", json_int(json_key(file, "warningCount"), -1), seen[1], name);
}

void eslint_json_check(struct arena *a, const struct validate_input *in, struct validation *v)
{
	if (!report_start(in->out, '[', BANNER_LINES_MAX).n) {
		static_no_result(a, in, v, "eslint");
		return;
	}
	struct json *report = read_report(a, in->out, '[', v);
	if (!report)
		return;
	struct eslint sum = {0};
	for (struct json *file = report->first; file; file = file->next)
		if (!eslint_file(a, v, file, &sum))
			return; /* one is enough: the report is not trustworthy */
	validation_count(a, v, "files", sum.files);
	validation_count(a, v, "errors", sum.errors);
	validation_count(a, v, "warnings", sum.warnings);
	if (in->exit_code > 1)
		static_no_result(a, in, v, "eslint");
	else if (!sum.files)
		static_nothing(a, v);
	else if (in->exit_code == 1 && !sum.errors && sum.warnings)
		v->result = RESULT_FAIL; /* --max-warnings */
	else
		static_result(a, in, v, sum.errors > 0);
}

/* ---- cargo ---- */

struct cargo {
	struct json_reader r; /* one reader for all lines: its bounds apply to all of them together */
	int64_t errors, warnings, finished, failed;
	bool last;      /* cargo prints nothing after the last build-finished */
};

static bool cargo_line(struct str line)
{
	return str_starts(line, "{\"reason\":\"");
}

int cargo_json_detect(const struct validate_input *in)
{
	struct lines l = lines_of(in->out);
	bool any = false, finished = false;
	if (str_find(in->out, '{', 0) < 0)
		return 0;
	for (struct str line; lines_next(&l, &line);) {
		if (cargo_line(line)) {
			any = true;
			finished = str_starts(line, "{\"reason\":\"build-finished\"");
		} else if (str_starts(line, "test result: ") || str_starts(line, "{ \"type\": \"suite\"")) {
			return 0; /* cargo test: the tests decide */
		}
	}
	return finished ? 90 : any ? 60 : 0;
}

static void cargo_message(struct json *row, struct cargo *c)
{
	struct json *level = json_key(json_key(row, "message"), "level"),
			*text = json_key(json_key(row, "message"), "message");
	/* Summaries of the compiler are not findings. */
	if (json_is(text, JSON_STRING) && (str_starts(text->text, "aborting due to ") ||
	str_ends(text->text, " warning emitted") || str_ends(text->text, " warnings emitted")))
		return;
	c->errors += json_is(level, JSON_STRING) && str_starts(level->text, "error");
	c->warnings += json_is(level, JSON_STRING) && str_is(level->text, "warning");
}

/* Reads one row. Macros may print anything between rows, so only text that looks like a row must be one. */
static bool cargo_row(struct arena *a, struct validation *v, struct str line, struct cargo *c)
{
	c->r.text = line;
	c->r.at = 0;
	struct json *row = json_next(&c->r);
	if (!row) {
		bad_json(a, v, &c->r);
		return false;
	}
	struct str reason = json_key(row, "reason")->text;
	c->last = str_is(reason, "build-finished");
	if (c->last) {
		c->finished++;
		c->failed += !json_true_at(row, "success");
	} else if (str_is(reason, "compiler-message")) {
		cargo_message(row, c);
	}
	return true;
}

void cargo_json_check(struct arena *a, const struct validate_input *in, struct validation *v)
{
	struct cargo c = {0};
	struct lines l = lines_of(in->out);
	json_reader_init(&c.r, a, STR(""), JSON_TOLERANT);
	for (struct str line; lines_next(&l, &line);)
		if (cargo_line(line) && !cargo_row(a, v, line, &c))
			return;
	validation_count(a, v, "errors", c.errors);
	validation_count(a, v, "warnings", c.warnings);
	if (!c.last) {
		validation_note(a, v, NOTE_MALFORMED_REPORT, false,
				"cargo's report has no 'build-finished' at its end: it was stopped or its "
				"output was cut; run it again and keep all of it");
		return;
	}
	if (c.errors && !c.failed)
		validation_note(a, v, NOTE_COUNT_MISMATCH, false,
				"cargo's report says success but lists %lld errors; do not believe it: run "
				"cargo again", (long long)c.errors);
	else if (c.failed && !c.errors)
		validation_note(a, v, NOTE_ERRORS_ELSEWHERE, true,
				"the build failed without an error of the compiler: standard error says why");
	static_result(a, in, v, c.failed > 0);
}

/* ---- go vet ---- */

struct vet {
	int64_t packages, findings, errors;
};

/* On standard error before Go 1.26, on standard output since. */
static struct str vet_text(const struct validate_input *in)
{
	return report_start(in->err, '{', BANNER_LINES_MAX).n &&
			!report_start(in->out, '{', BANNER_LINES_MAX).n ? in->err : in->out;
}

int go_vet_json_detect(const struct validate_input *in)
{
	struct str t = vet_text(in);
	struct lines l = lines_of(t);
	bool package = false;
	if (str_find(t, '{', 0) < 0)
		return 0;
	for (struct str line; lines_next(&l, &line);) {
		if (package && str_starts(line, "{"))
			return str_contains(t, STR("\"posn\"")) ? 90 : 55;
		package = str_starts(line, "# ");
	}
	return 0;
}

/* {"package": {"analyzer": [{"posn", "message"}] | {"error": "…"}}} */
static void vet_object(struct json *report, struct vet *sum)
{
	for (struct json *package = report->first; package; package = package->next)
		for (struct json *analyzer = package->first; analyzer; analyzer = analyzer->next) {
			if (json_is(analyzer, JSON_ARRAY))
				sum->findings += (int64_t)analyzer->n;
			else
				sum->errors++;
		}
}

/* `vet: ./a.go:3:2: undefined: x` or `./a.go:3:2: …`: a package that cannot be checked */
static bool vet_error_line(struct str line)
{
	return str_starts(line, "vet: ") || (str_contains(line, STR(".go:")) && line.p[0] != '\t' &&
			line.p[0] != ' ');
}

/* Reads all objects, with `# package` lines between them; false with a note. */
static bool vet_read(struct arena *a, struct str text, struct validation *v, struct vet *sum)
{
	struct json_reader r;
	json_reader_init(&r, a, text, JSON_TOLERANT);
	while (!json_at_end(&r)) {
		if (r.text.p[r.at] == '{') {
			struct json *report = json_next(&r);
			if (!report) {
				bad_json(a, v, &r);
				return false;
			}
			vet_object(report, sum);
			continue;
		}
		struct lines l = {r.text, r.at};
		struct str line;
		if (!lines_next(&l, &line))
			break;
		sum->packages += str_starts(line, "# ");
		sum->errors += vet_error_line(line);
		r.at = l.at;
	}
	return true;
}

void go_vet_json_check(struct arena *a, const struct validate_input *in, struct validation *v)
{
	struct vet sum = {0};
	if (!vet_read(a, vet_text(in), v, &sum))
		return;
	validation_count(a, v, "packages", sum.packages);
	validation_count(a, v, "findings", sum.findings);
	validation_count(a, v, "errors", sum.errors);
	if (!sum.packages && !sum.findings && !sum.errors) {
		static_nothing(a, v);
		return;
	}
	/* With -json the exit code is 0 for any findings, but not if a package could not be checked. */
	if (in->exit_code > 0 && !sum.errors)
		static_no_result(a, in, v, "go vet");
	else if (sum.errors)
		validation_note(a, v, NOTE_CHECKER_STOPPED_EARLY, true,
				"some packages could not be checked; there may be more findings when they "
				"compile");
	v->result = sum.findings || sum.errors ? RESULT_FAIL : RESULT_PASS;
}
