/* Names of validation results in reports. */
#include "model/validation.h"

const char *validation_note_name(enum note_id id)
{
	static const char names[NOTES][24] = {
#define VALIDATION_NOTE(constant, name) [NOTE_##constant] = name,
#include "model/note_rows.h"
#undef VALIDATION_NOTE
	};

	return names[id];
}

const char *validity_name(enum validity v)
{
	static const char names[][16] = {[VALIDITY_INDETERMINATE] = "indeterminate",
			[VALIDITY_VALID] = "valid", [VALIDITY_INVALID] = "invalid"};

	return (size_t)v < ARRAY_SIZE(names) ? names[v] : "indeterminate";
}

const char *result_name(enum verdict_of_result r)
{
	static const char names[][8] = {[RESULT_NONE] = "none", [RESULT_PASS] = "pass",
			[RESULT_FAIL] = "fail"};

	return (size_t)r < ARRAY_SIZE(names) ? names[r] : "none";
}

const char *evidence_name(enum evidence e)
{
	static const char names[][12] = {[EVIDENCE_NONE] = "", [EVIDENCE_PRINTED] = "printed",
			[EVIDENCE_MACHINE] = "machine", [EVIDENCE_WITNESSED] = "witnessed"};

	return (size_t)e < ARRAY_SIZE(names) ? names[e] : "";
}

static const char task_names[TASKS][12] = {[TASK_TEST] = "test", [TASK_TYPECHECK] = "typecheck",
		[TASK_LINT] = "lint", [TASK_DATA] = "data", [TASK_JSON] = "json", [TASK_CUSTOM] = "custom"};

const char *task_name(enum task t) { return t > TASK_ANY && t < TASKS ? task_names[t] : NULL; }

enum task task_find(struct str name)
{
	for (enum task t = TASK_ANY + 1; t < TASKS; t++)
		if (str_is(name, task_names[t]))
			return t;
	return TASK_ANY;
}

bool validation_totals(const struct validation *v, struct test_totals *ret)
{
	struct test_totals t = {0};
	int64_t total = -1;

	if (v->task != TASK_TEST || v->validity != VALIDITY_VALID || !v->counts)
		return false;
	for (const struct count *c = v->counts; c; c = c->next) {
		struct str name = str_of(c->name);

		if (str_is(name, "total"))
			total = c->n;
		else if (str_is_any(name, "passed xpassed measured"))
			t.passed += c->n;
		else if (str_is_any(name, "failed errors cancelled"))
			t.failed += c->n;
		else if (str_is_any(name, "skipped xfailed ignored todo"))
			t.skipped += c->n;
	}
	t.total = total >= 0 ? total : t.passed + t.failed + t.skipped;
	if (!t.passed && total > t.failed + t.skipped) /* some runners count only what did not pass */
		t.passed = total - t.failed - t.skipped;
	*ret = t;
	return true;
}
