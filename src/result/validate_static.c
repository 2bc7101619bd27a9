/* Type checkers and linters: the list of formats, and the text formats. */
#include "result/validate_static.h"

const struct validator validators_static[] = {
	{TASK_TYPECHECK, "pyright-json", EVIDENCE_MACHINE, pyright_json_detect, pyright_json_check,
			.both = true},
	{TASK_TYPECHECK, "cargo-json", EVIDENCE_MACHINE, cargo_json_detect, cargo_json_check, .both = true},
	{TASK_LINT, "eslint-json", EVIDENCE_MACHINE, eslint_json_detect, eslint_json_check, .both = true},
	{TASK_LINT, "go-vet-json", EVIDENCE_MACHINE, go_vet_json_detect, go_vet_json_check, .both = true},
	{TASK_TYPECHECK, "mypy", EVIDENCE_PRINTED, mypy_detect, mypy_check, .both = true},
	{TASK_TYPECHECK, "silent", EVIDENCE_NONE, silent_detect, silent_check, .both = true},
	{0},
};

/* ---- shared ---- */

static void exit_without_errors(struct arena *a, const struct validate_input *in, struct validation *v)
{
	static const char text[] =
			"the exit code is %d although no error is reported: the tool failed, its report is "
			"not whole, or another command failed; look at standard error "
		"and run it by itself";
	if (in->task)
		validation_note(a, v, NOTE_EXIT_MISMATCH, false, text, in->exit_code);
	else
		validation_unsure(a, v, NOTE_EXIT_MISMATCH, text, in->exit_code);
}

void static_result(struct arena *a, const struct validate_input *in, struct validation *v, bool errors)
{
	v->result = errors ? RESULT_FAIL : RESULT_PASS;
	if (in->exit_code == 0 && errors)
		validation_note(a, v, NOTE_EXIT_MISMATCH, !in->task,
			"errors are reported although the exit code is 0; run the tool by itself, without a "
			"pipe or '|| true', and believe the errors");
	else if (in->exit_code > 0 && !errors)
		exit_without_errors(a, in, v);
}

void static_no_result(struct arena *a, const struct validate_input *in, struct validation *v,
		const char *tool)
{
	static const char text[] =
			"%s itself failed (exit code %d) and has no result; fix its arguments or "
			"configuration and run it again";
	v->result = RESULT_NONE;
	if (in->task)
		validation_note(a, v, NOTE_CHECKER_FAILED, false, text, tool, in->exit_code);
	else
		validation_unsure(a, v, NOTE_CHECKER_FAILED, text, tool, in->exit_code);
}

void static_nothing(struct arena *a, struct validation *v)
{
	validation_note(a, v, NOTE_NOTHING_CHECKED, false,
			"not a single file was checked, so this is no success; name the files or directories "
			"to check");
}

/* ---- mypy ---- */

struct mypy {
	int64_t lines;                /* with an error */
	int64_t found, files, checked; /* of all summaries */
	size_t summaries;
	bool last_success, stopped;   /* of the last summary; of any */
	bool python;                  /* an error is in a Python file: other tools have the same lines */
};

/* Parses `path:1: error: ...`, which mypy counts. Source lines of --pretty are indented. */
static bool mypy_error_line(struct str line)
{
	return line.n && line.p[0] != ' ' && line.p[0] != '\t' && str_contains(line, STR(": error:"));
}

static bool mypy_summary(struct str line, struct mypy *m)
{
	struct scan c = scan_of(line);
	int64_t found, files, checked = 0;
	if (!line.n || (line.p[0] != 'S' && line.p[0] != 'F'))
		return false; /* most lines */
	if (scan_text(&c, "Success: no issues found in ") && scan_count(&c, &checked) &&
			scan_text(&c, " source file")) {
		m->last_success = true;
		m->checked += checked;
		m->summaries++;
		return true;
	}
	c = scan_of(line);
	if (!(scan_text(&c, "Found ") && scan_count(&c, &found) &&
			scan_text(&c, found == 1 ? " error in " : " errors in ") && scan_count(&c, &files) &&
	      scan_text(&c, files == 1 ? " file (" : " files (")))
		return false;
	if (scan_text(&c, "errors prevented further checking)"))
		m->stopped = true;
	else if (!(scan_text(&c, "checked ") && scan_count(&c, &checked) && scan_text(&c, " source file")))
		return false;
	m->last_success = false;
	m->found += found;
	m->files += files;
	m->checked += checked;
	m->summaries++;
	return true;
}

static struct mypy mypy_read(struct str text)
{
	struct mypy m = {0};
	struct lines l = lines_of(text);
	for (struct str line; lines_next(&l, &line);)
		if (!mypy_summary(line, &m))
			if (mypy_error_line(line)) {
				m.lines++;
				m.python = m.python || str_contains(line, STR(".py:")) ||
						str_contains(line, STR(".pyi:"));
			}
	return m;
}

int mypy_detect(const struct validate_input *in)
{
	struct mypy m = mypy_read(in->out);
	if (!m.summaries && !m.lines)
		return str_starts(in->err, "mypy: ") ? 45 : 0;
	return m.summaries ? 90 : m.python ? 40 : 0;
}

static void mypy_lines(struct arena *a, const struct validate_input *in, struct validation *v,
		const struct mypy *m)
{
	if (m->lines == m->found)
		return;
	if (m->lines < m->found && !in->task)
		validation_unsure(a, v, NOTE_LINES_MISSING,
				"mypy found %lld errors but %lld are shown; let it print all of its output "
				"to see them", (long long)m->found,
			(long long)m->lines);
	else
		validation_note(a, v, NOTE_COUNT_MISMATCH, false,
				"mypy's summary says %lld errors but %lld are listed; do not believe either "
				"number: run mypy again and keep all of its output",
			(long long)m->found, (long long)m->lines);
}

void mypy_check(struct arena *a, const struct validate_input *in, struct validation *v)
{
	struct mypy m = mypy_read(in->out);
	if (!m.summaries && !m.lines) {
		static_no_result(a, in, v, "mypy");
		return;
	}
	validation_count(a, v, "errors", m.summaries ? m.found : m.lines);
	if (!m.summaries) {
		validation_note(a, v, NOTE_NO_SUMMARY, true,
				"mypy printed no summary, so nothing says that these are all of its errors; "
				"leave out --no-error-summary");
		static_result(a, in, v, true);
		return;
	}
	validation_count(a, v, "files", m.checked);
	mypy_lines(a, in, v, &m);
	if (m.stopped)
		validation_note(a, v, NOTE_CHECKER_STOPPED_EARLY, true,
				"an error kept mypy from checking the rest; there may be more errors when "
				"it is fixed");
	else if (m.checked == 0)
		static_nothing(a, v);
	if (m.last_success && m.found && in->exit_code == 0)
		v->result = RESULT_FAIL; /* several runs, and the last one was clean */
	else
		static_result(a, in, v, m.found > 0);
	if (m.last_success && in->exit_code > 0 && m.found)
		/* the last run, which set the exit code, found no errors */
		exit_without_errors(a, in, v);
}

/* ---- no output ---- */

/*
 * tsc, go vet and eslint print nothing when they find nothing, and so does a command that never called them.
 * So an empty output counts only if the caller named the task.
 */
int silent_detect(const struct validate_input *in)
{
	struct lines l = lines_of(in->out);
	for (struct str line; lines_next(&l, &line);)
		if (!lines_blank(line))
			return 0;
	l = lines_of(in->err);
	for (struct str line; lines_next(&l, &line);)
		if (!lines_blank(line))
			return 0;
	return in->task ? 10 : 0;
}

void silent_check(struct arena *a, const struct validate_input *in, struct validation *v)
{
	if (in->exit_code < 0 || !in->task) {
		validation_unsure(a, v, NOTE_SILENT,
				in->exit_code < 0 ? "nothing was printed, and the tool has no exit code; run "
				"it again" : "nothing was printed, so it is unknown which tool ran; name its "
				"task");
	} else if (in->exit_code > 0) {
		validation_note(a, v, NOTE_EXIT_MISMATCH, false,
				"the exit code is %d but nothing was printed; run the tool by itself to see "
				"why", in->exit_code);
	} else {
		v->result = RESULT_PASS;
		validation_note(a, v, NOTE_SILENT, true,
				"nothing was printed: the exit code 0 is all there is to say that the tool "
				"ran and found nothing");
	}
}
