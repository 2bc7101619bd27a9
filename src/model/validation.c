/* Names of validation results in reports. */
#include "model/validation.h"

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
	static const char names[][8] = {[EVIDENCE_NONE] = "", [EVIDENCE_TEXT] = "text",
			[EVIDENCE_MACHINE] = "machine"};

	return (size_t)e < ARRAY_SIZE(names) ? names[e] : "";
}
