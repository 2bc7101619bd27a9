/*
 * libFuzzer: validators. The first byte is exit code, status and task, the second says where standard error starts. Each validator reads the output,
 * also those that would not recognise it.
 * Holds: no crash, an end; a result only where it is valid; no count below zero there; a run that was killed is never valid; the same twice.
 */
#include <stdlib.h>

#include "result/validate.h"

#define TEXT_MAX 65536

struct input {
	struct arena *a;
	struct validate_input in;
};

static void hold(const struct validate_input *in, const struct validation *v)
{
	if (v->result != RESULT_NONE && v->validity != VALIDITY_VALID)
		abort();
	if (in->status >= STATUS_SIGNAL && in->status <= STATUS_OUTPUT_LIMIT && v->validity != VALIDITY_INVALID)
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

static int run(void *arg)
{
	struct input *x = arg;
	struct validation v, again;

	validate(x->a, &x->in, &v);
	hold(&x->in, &v);
	validate(x->a, &x->in, &again);
	if (v.validity != again.validity || v.result != again.result || v.format != again.format)
		abort();
	for (size_t i = 0; validator_at(i); i++) {
		struct validation one = {.validity = VALIDITY_VALID};

		validator_at(i)->check(x->a, &x->in, &one);
	}
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const tasks[] = {NULL, "test", "data", "lint", "typecheck", "json"};
	static const int codes[] = {0, 1, 2, 101, -1};
	const char *text = (const char *)data + 2;
	struct arena a;
	struct input x;
	size_t cut;

	if (size < 2 || size > TEXT_MAX)
		return 0;
	cut = data[1] * (size - 2) / 255;
	arena_init(&a, (size_t)256 << 20);
	x = (struct input){.a = &a, .in = {.out = str_n(text, cut), .err = str_n(text + cut, size - 2 - cut)}};
	x.in.exit_code = codes[data[0] % 5];
	x.in.status = data[0] >= 250 ? STATUS_SIGNAL + (data[0] & 3) : x.in.exit_code > 0 ? STATUS_EXIT_NONZERO : x.in.exit_code ? STATUS_UNKNOWN : STATUS_OK;
	x.in.task = tasks[data[0] / 5 % 6];
	x.in.schema = x.in.err.n ? x.in.err : STR("{\"type\": \"object\", \"required\": [\"a\"]}");
	(void)arena_run(&a, run, &x);
	arena_free(&a);
	return 0;
}
