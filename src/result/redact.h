/*
 * Secrets made unreadable: exact values (of scrubbed variables), token patterns, PEM blocks. Works in chunks; what is found is replaced by
 * [redacted:KIND]. Texts are normalised first, so that no escape sequence splits a secret.
 */
#pragma once
#include "base/str.h"

struct redactor; /* opaque */

/* `values` are exact secrets (those of fewer than REDACT_VALUE_MIN bytes are left out: they would match everywhere). */
#define REDACT_VALUE_MIN 6
#define REDACT_VALUE_MAX 16384 /* of a longer one the first this many bytes are looked for */
struct redactor *redactor_new(struct arena *a, const struct str *values, size_t n);
/* All at once; *ret_count (may be NULL) is how many were replaced. The text itself when there were none. */
struct str redact(struct arena *a, struct redactor *r, struct str text, uint64_t *ret_count);
/* In chunks: what can no longer be part of a secret is appended to out. */
void redactor_feed(struct redactor *r, struct str chunk, struct buf *out);
void redactor_end(struct redactor *r, struct buf *out);
uint64_t redactor_count(const struct redactor *r);
/* The kinds, for docs; NULL after the last. A kind may come more than once. */
const char *redact_kind(size_t i);
