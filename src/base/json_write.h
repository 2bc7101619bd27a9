/*
 * JSON writer: the only escaper, and parts of objects. Accepts every text: invalid UTF-8 becomes U+FFFD, and
 * control characters that a terminal executes (C0, DEL, C1) are escaped.
 */
#pragma once
#include "base/json.h"
#include "base/texts.h"

/* Appends a quoted string. */
void json_put_string(struct buf *b, struct str s);
/*
 * Appends `"key":`, with a comma before it unless it is the first member. The key is a constant that needs no
 * escapes.
 */
void json_put_key(struct buf *b, const char *key);
/* Appends a key and a string. */
void json_put_field(struct buf *b, const char *key, struct str s);
/* The same; an empty text becomes null. */
void json_put_field_or_null(struct buf *b, const char *key, struct str s);
/* Appends a key and a constant name; NULL becomes null. */
void json_put_name(struct buf *b, const char *key, const char *name);
/* Appends a key and true or false. */
void json_put_bool(struct buf *b, const char *key, bool value);
/* Appends a key and an array of strings: the words of a list separated by blanks and newlines. */
void json_put_words(struct buf *b, const char *key, struct str words);
/* The same for a list of texts. */
void json_put_texts(struct buf *b, const char *key, const struct texts *list);
/* Appends a comma unless this is the first item of its array. */
void json_put_comma(struct buf *b);
/* Starts an object or array, `bracket`, after a key; NULL: as an item of an array. */
void json_put_open(struct buf *b, const char *key, char bracket);
/* Appends a parsed value without blanks and in its order; numbers keep their spelling. */
void json_put_value(struct buf *b, const struct json *v);
