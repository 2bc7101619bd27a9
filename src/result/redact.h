/*
 * Secrets made unreadable: exact values (of scrubbed variables), token patterns, PEM blocks. Works in chunks;
 * what is found is replaced by [redacted:KIND]. Texts are normalised first, so that no escape sequence splits
 * a secret.
 */
#pragma once
#include "base/str.h"

struct redactor; /* opaque */

/*
 * `values` are exact secrets (those of fewer than REDACT_VALUE_MIN bytes are left out: they would match
 * everywhere).
 */
#define REDACT_VALUE_MIN 6
#define REDACT_VALUE_MAX 16384 /* of a longer one the first this many bytes are looked for */
struct redactor *redactor_new(struct arena *a, const struct str *values, size_t n);
/* All at once; *ret_count (may be NULL) is how many were replaced. The text itself when there were none. */
struct str redact(struct arena *a, struct redactor *r, struct str text, uint64_t *ret_count);
/*
 * The same for a command that a person is asked about, or a part of it. Marks of a key may stand around other
 * commands: whatever a shell could run stays visible, and of a key its long words go.
 */
struct str redact_command(struct arena *a, struct redactor *r, struct str text);
/* In chunks: what can no longer be part of a secret is appended to out. */
void redactor_feed(struct redactor *r, struct str chunk, struct buf *out);
void redactor_end(struct redactor *r, struct buf *out);
/*
 * Declares the text so far to be context: a secret that began in it is still found, but its undecided bytes
 * are not appended any more, and secrets inside it do not count. Returns the number of those bytes.
 */
size_t redactor_hide(struct redactor *r);
/* How many bytes at the end of what was fed are undecided and not appended yet. */
size_t redactor_held(const struct redactor *r);
uint64_t redactor_count(const struct redactor *r);
/* The kinds, for docs; NULL after the last. A kind may come more than once. */
const char *redact_kind(size_t i);
