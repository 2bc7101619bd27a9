/*
 * Internal to redaction: encodings of an exact value that programs write without intent to hide it. These are
 * base64 (at any offset, wrapped, and for URLs), hexadecimal (with the usual separators), escaped (URLs,
 * JSON, HTML, Python), and reversed.
 */
#pragma once
#include "result/redact_table.h"

#define FORM_VALUE_MIN 8 /* minimum bytes of a value: shorter encodings would match too often */

enum form_kind { FORM_BASE64, FORM_HEX, FORM_ESCAPED, FORM_REVERSED };

struct form {
	enum form_kind kind;
	struct str text;       /* text to compare: base64 letters, else bytes of the value */
	bool partial;          /* base64: the next letter also holds bits of the value */
};
#define FORMS_MAX 6 /* forms of one value */

size_t forms_of(struct arena *a, struct str value, struct form *ret);
/* Matches the form at the start of the candidate. */
enum found form_match(const struct form *f, const struct candidate *c, size_t *ret_to);
/* Calls mark for each possible spelling of its first three bytes. */
void form_starts(const struct form *f, void (*mark)(void *ctx, const char *three), void *ctx);
