/*
 * JSON, written straight into a buffer: the one escaper, and pieces of objects. Every text may be written:
 * bytes that are not UTF-8 become U+FFFD, and characters that a terminal obeys (C0, DEL, C1) are escaped.
 */
#pragma once
#include "base/json.h"

/* A string with its quotes. */
void json_put_string(struct buf *b, struct str s);
/* `"key":`, after a comma unless it is the first of its object. The key is one of ours: nothing in it needs
 * an escape. */
void json_put_key(struct buf *b, const char *key);
/* A key and a string. */
void json_put_field(struct buf *b, const char *key, struct str s);
/* A key and an array of strings: the words of a list that blanks and newlines separate. */
void json_put_words(struct buf *b, const char *key, struct str words);
/* A comma unless this is the first item of its array. */
void json_put_comma(struct buf *b);
/* A value that was read, without blanks and in its order; numbers as they were written. */
void json_put_value(struct buf *b, const struct json *v);
