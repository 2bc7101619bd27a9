/*
 * Redacts secrets: exact values (of scrubbed variables), token patterns, PEM blocks. Works in chunks and
 * replaces each secret with [redacted:KIND]. Normalise texts first, so that no escape sequence splits a
 * secret.
 */
#pragma once
#include "base/str.h"

struct redactor; /* opaque */

/*
 * `values` are exact secrets. Those shorter than REDACT_VALUE_MIN are ignored: they would match everywhere.
 */
#define REDACT_VALUE_MIN 6
#define REDACT_VALUE_MAX 16384 /* only this many bytes of a longer value are compared */
struct redactor *redactor_new(struct arena *a, const struct str *values, size_t n);
/*
 * Redacts a whole text; *ret_count (may be NULL) is the number of replacements. Returns the text itself if
 * there were none.
 */
struct str redact_text(struct arena *a, struct redactor *r, struct str text, uint64_t *ret_count);
/*
 * The same for a command that a person is asked about, or a part of it. Other commands may stand between the
 * marks of a key: everything that a shell could run stays visible; only long words of key material are
 * replaced.
 */
struct str redact_command(struct arena *a, struct redactor *r, struct str text);
/* In chunks: appends text that can no longer be part of a secret to out. */
void redactor_feed(struct redactor *r, struct str chunk, struct buf *out);
void redactor_end(struct redactor *r, struct buf *out);
/*
 * Declares the text so far as context: a secret that began in it is still found, but its undecided bytes are
 * never appended, and secrets inside it do not count. Returns the number of undecided bytes.
 */
size_t redactor_hide(struct redactor *r);
/* Returns the number of undecided bytes at the end of the input, which are not appended yet. */
size_t redactor_held(const struct redactor *r);
uint64_t redactor_count(const struct redactor *r);
/* Returns the kinds, for documentation; NULL after the last. A kind may occur more than once. */
const char *redact_kind(size_t i);
