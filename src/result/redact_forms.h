/*
 * Inside redaction: an exact value as programs write it without meaning to hide it: in base64 (whatever
 * stands before it, also wrapped, also for URLs), in hexadecimal (with the usual separators), escaped (URLs,
 * JSON, HTML, Python), and backwards.
 */
#pragma once
#include "result/redact_table.h"

#define FORM_VALUE_MIN 8 /* bytes: an encoding of fewer would match too much */

enum form_kind { FORM_BASE64, FORM_HEX, FORM_ESCAPED, FORM_REVERSED };

struct form {
	enum form_kind kind;
	struct str text;       /* what is compared: base64 letters, else bytes of the value */
	bool partial;          /* base64: the letter behind holds bits of the value as well */
};
#define FORMS_MAX 6 /* of one value */

size_t forms_of(struct arena *a, struct str value, struct form *ret);
/* Does the candidate start with it? */
enum found form_match(const struct form *f, const struct candidate *c, size_t *ret_to);
/* Calls mark for each way in which its first three bytes can be written. */
void form_starts(const struct form *f, void (*mark)(void *ctx, const char *three), void *ctx);
