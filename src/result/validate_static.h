/*
 * The validators of type checkers and linters: two functions for each format, and shared helpers. The rows
 * are in validate_static.c.
 */
#pragma once
#include "result/lines.h"
#include "result/validate.h"

VALIDATOR(mypy);
VALIDATOR(silent);
VALIDATOR(pyright_json);
VALIDATOR(eslint_json);
VALIDATOR(cargo_json);
VALIDATOR(go_vet_json);

/*
 * Sets the result, and checks that the exit code (if known) agrees: 0 if and only if there are no errors. A
 * caller that named no task may have added `| tail`, `|| true` or another command; then errors with exit 0
 * are only a warning, and another exit code leaves the result open.
 */
void static_result(struct arena *a, const struct validate_input *in, struct validation *v, bool errors);
/* The tool itself failed: no result. */
void static_no_result(struct arena *a, const struct validate_input *in, struct validation *v,
		const char *tool);
/* The tool checked nothing, which is no success. */
void static_nothing(struct arena *a, struct validation *v);
