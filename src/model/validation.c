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
