/*
 * libFuzzer: validators. The first byte is exit code, status and task, the second says where standard error
 * starts. Each validator reads the output, also those that would not recognise it. Then standard error is
 * read as a report that the runner wrote besides. Holds: no crash, an end; what is written is JSON in UTF-8,
 * without counts where they are not valid; a result only where it is valid; no count below zero there; a run
 * that was killed is never valid; the same twice.
 */
#include <stdlib.h>

#include "base/json.h"
#include "base/utf8.h"
#include "result/validate.h"
#include "run/run_validation.h"
#include "run/test_reports.h"

#define TEXT_MAX 65536

struct input {
	struct arena *a;
	struct validate_input in;
};

static void hold(const struct validate_input *in, const struct validation *v)
{
	if (v->result != RESULT_NONE && v->validity != VALIDITY_VALID)
		abort();
	if (in->status >= STATUS_SIGNAL && in->status <= STATUS_OUTPUT_LIMIT &&
			v->validity != VALIDITY_INVALID)
		abort();
	if (v->validity == VALIDITY_VALID && (!v->format || v->evidence == EVIDENCE_NONE))
		abort();
	for (const struct count *c = v->counts; c; c = c->next)
		if (v->validity == VALIDITY_VALID && c->n < 0)
			abort();
	for (const struct check_note *n = v->checks; n; n = n->next)
		if (!n->warning && v->validity != VALIDITY_INVALID)
			abort();
}

/* As the report has it: one JSON object, in UTF-8. */
static void write_out(struct arena *a, const struct validation *v)
{
	struct json *root = NULL;
	struct buf b;

	buf_init(&b, a, 0);
	validation_json(&b, v);
	if (!utf8_valid(buf_view(&b)) || json_read(a, buf_view(&b), &root, NULL) != 0 ||
			!json_is(root, JSON_OBJECT))
		abort();
	if (v->validity != VALIDITY_VALID && json_members(json_key(root, "counts")))
		abort();
}

/* Standard error is what came as the runner's report. */
static void beside_report(struct input *x)
{
	static const char *const files[] = {"pytest.xml", "jest.json", "rspec.json", "node.xml"};
	struct outcome o = {.status = x->in.status, .exit_code = x->in.exit_code};
	struct validate_input in = x->in;

	in.task = TASK_TEST;
	in.err = STR("");
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		struct test_report asked = {.row = test_runner(str_of(files[i])), .text = x->in.err};
		struct run r = {.asked = &asked};
		struct validation v;

		validate_text(x->a, &in, &v);
		test_reports_judge(x->a, &r, &o, &v);
		hold(&in, &v);
		write_out(x->a, &v);
	}
}

static int run(void *arg)
{
	struct input *x = arg;
	struct validation v, again;
	struct validator r;

	validate_text(x->a, &x->in, &v);
	hold(&x->in, &v);
	write_out(x->a, &v);
	beside_report(x);
	validate_text(x->a, &x->in, &again);
	if (v.validity != again.validity || v.result != again.result || v.format != again.format)
		abort();
	for (size_t i = 0; validator_at(i, &r); i++) {
		struct validation one = {.validity = VALIDITY_VALID};

		validator_check(&r, x->a, &x->in, &one);
	}
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const enum task tasks[] = {TASK_ANY, TASK_TEST, TASK_DATA, TASK_LINT, TASK_TYPECHECK,
			TASK_JSON};
	static const int codes[] = {0, 1, 2, 101, -1};
	const char *text = (const char *)data + 2;
	struct arena a;
	struct input x;
	size_t cut;

	if (size < 2 || size > TEXT_MAX)
		return 0;
	cut = data[1] * (size - 2) / 255;
	arena_init(&a, (size_t)256 << 20);
	x = (struct input){.a = &a,
			.in = {.out = str_n(text, cut), .err = str_n(text + cut, size - 2 - cut)}};
	x.in.exit_code = codes[data[0] % 5];
	x.in.status = data[0] >= 250 ? STATUS_SIGNAL + (data[0] & 3) : x.in.exit_code > 0 ?
			STATUS_EXIT_NONZERO : x.in.exit_code ? STATUS_UNKNOWN : STATUS_OK;
	x.in.task = tasks[data[0] / 5 % 6];
	x.in.schema = x.in.err.n ? x.in.err : STR("{\"type\": \"object\", \"required\": [\"a\"]}");
	(void)arena_run(&a, run, &x);
	arena_free(&a);
	return 0;
}
