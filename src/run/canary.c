/* Judges what canaries said. See canary.h. */
#include "run/canary.h"

#include "base/json.h"
#include "result/lines.h"
#include "result/validate.h"

/* Calls see(o, ctx) for each line that is an object. */
static void each_line(struct arena *a, struct str text, void (*see)(const struct json *o, void *ctx),
		void *ctx)
{
	struct lines l = lines_of(text);
	struct str line;

	for (size_t n = 0; n < CANARY_LINES_MAX && lines_next(&l, &line); n++) {
		struct json *o;

		if (json_read(a, line, &o, NULL) == 0 && json_is(o, JSON_OBJECT))
			see(o, ctx);
	}
}

struct canary_count {
	const char *runner, *state; /* for see_state_of() */
	bool said;
	int64_t started, ended; /* sessions of runners */
	int64_t done;           /* those of them that tried a canary */
	int64_t passed;         /* canaries that passed or were skipped, and sessions that swallowed them */
	struct str name;        /* the runner of the last such session */
};

static void see_state_of(const struct json *o, void *ctx)
{
	struct canary_count *c = ctx;

	c->said |= str_is(json_text_at(o, "runner"), c->runner) && str_is(json_text_at(o, "state"), c->state);
}

bool canary_said(struct arena *a, struct str lines, const char *runner, const char *state)
{
	struct canary_count c = {.runner = runner, .state = state};

	each_line(a, lines, see_state_of, &c);
	return c.said;
}

static void see_state(const struct json *o, void *ctx)
{
	struct canary_count *c = ctx;
	struct str state = json_text_at(o, "state");
	int64_t wrong;

	if (str_is(state, "started")) {
		c->started++;
		c->name = c->passed ? c->name : json_text_at(o, "runner");
	}
	c->ended += str_is(state, "done") || str_is(state, "skipped");
	if (!str_is(state, "done"))
		return;
	c->done++;
	wrong = json_int_at(o, "passed") + json_int_at(o, "skipped");
	if (wrong > 0 || json_int_at(o, "exit") == 0 || json_int_at(o, "failed") == 0) {
		c->passed += wrong > 0 ? wrong : 1;
		c->name = json_text_at(o, "runner");
	}
}

void canary_judge(struct arena *a, struct str lines, struct validation *v)
{
	struct canary_count c = {0};

	if (v->validity != VALIDITY_VALID || v->result != RESULT_PASS)
		return;
	each_line(a, lines, see_state, &c);
	v->canary = c.passed ? "passed" : c.ended < c.started ? "unfinished" : c.done ? "failed" :
			c.ended ? "skipped" : NULL;
	if (c.passed)
		validation_suspect(a, v, NOTE_CANARY_PASSED,
				"tests that must fail were added to this suite of %.*s and did not fail: "
				"something in the project or environment forces tests to pass, skips or "
				"drops them; find it (conftest, plugins, setup files, configuration)",
				STR_ARG(c.name));
	else if (c.ended < c.started)
		validation_suspect(a, v, NOTE_CANARY_PASSED,
				"%.*s ended too early to try tests that must fail; find what ends it",
				STR_ARG(c.name));
}
