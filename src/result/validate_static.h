/*
 * The validators of type checkers and linters: one pair of functions for each format, and what they share.
 * The rows are in validate_static.c.
 */
#pragma once
#include "result/lines.h"
#include "result/validate.h"

#define STATIC_VALIDATOR(name)                                              \
	int name##_detect(const struct validate_input *in);                 \
	void name##_check(struct arena *a, const struct validate_input *in, struct validation *v)

STATIC_VALIDATOR(mypy);
STATIC_VALIDATOR(tsc);
STATIC_VALIDATOR(silent);
STATIC_VALIDATOR(pyright_json);
STATIC_VALIDATOR(eslint_json);
STATIC_VALIDATOR(cargo_json);
STATIC_VALIDATOR(go_vet_json);

/*
 * Says the result, and whether the exit code (when known) agrees: 0 if and only if there are no errors.
 * Somebody who named no task may have put `| tail`, `|| true` or another command behind the tool; then errors
 * with exit 0 are a remark, and another exit code leaves it open.
 */
void static_result(struct arena *a, const struct validate_input *in, struct validation *v, bool errors);
/* The tool itself failed: there is no result. */
void static_no_result(struct arena *a, const struct validate_input *in, struct validation *v,
		const char *tool);
/* The tool ran and looked at nothing, which is no success. */
void static_nothing(struct arena *a, struct validation *v);
