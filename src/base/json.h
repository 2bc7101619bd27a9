/*
 * JSON through jansson. Reading is strict: duplicate keys are an error, because two readers of one request may pick different ones.
 * Values made here are jansson's: reference counted, freed with json_decref(). Texts from outside may hold any bytes; json_of_str() repairs
 * what is not UTF-8, so that writing cannot fail because of them.
 */
#pragma once
#include <jansson.h>

#include "base/str.h"

/* Reads one JSON value (any kind). 0 and *ret, or -1 with "line L, column C: why". The whole text must be the value. */
int json_load_strict(struct str text, json_t **ret, struct err *e);
/* A string value; never NULL unless memory is exhausted. Bad UTF-8 becomes U+FFFD; a NUL is kept. */
json_t *json_of_str(struct arena *a, struct str s);
/* The bytes of a JSON string (NUL included), valid as long as the value; an empty string when v is NULL or not a string. */
struct str json_to_str(const json_t *v);
/* Appends v on one line without blanks, keys in the order of insertion. 0 or -1. */
int json_dump_buf(struct buf *b, const json_t *v, struct err *e);
/* The same and a newline: one record of JSON lines. */
int json_dump_line(struct buf *b, const json_t *v, struct err *e);
