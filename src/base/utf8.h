/* UTF-8: strict decoding (no overlong forms, no surrogates), encoding, and repair for output. */
#pragma once
#include "base/str.h"

#define UTF8_BAD 0xFFFFFFFFu

/* Decodes one code point at s[*i], advances *i (by 1 on error) and returns it, or UTF8_BAD. */
uint32_t utf8_next(struct str s, size_t *i);
/* Encodes cp into out[4]; returns the length, 0 when cp is not encodable. */
size_t utf8_put(uint32_t cp, char out[4]);
/* True for a byte of a character behind its first one. */
static inline bool utf8_continues(char c) { return ((unsigned char)c & 0xC0) == 0x80; }
bool utf8_valid(struct str s);
/* Returns s itself if valid, else a copy in which U+FFFD replaces each bad byte. */
struct str utf8_repair(struct arena *a, struct str s);
