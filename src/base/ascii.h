/* Classes of ASCII characters. They do not depend on a locale; EOF and bytes from 0x80 on belong to none. */
#pragma once
#include <stdbool.h>
#include <string.h>

static inline bool ascii_is_digit(int c) { return c >= '0' && c <= '9'; }
static inline bool ascii_is_lower(int c) { return c >= 'a' && c <= 'z'; }
static inline bool ascii_is_upper(int c) { return c >= 'A' && c <= 'Z'; }
static inline bool ascii_is_letter(int c) { return ascii_is_lower(c) || ascii_is_upper(c); }
static inline bool ascii_is_alnum(int c) { return ascii_is_letter(c) || ascii_is_digit(c); }
/* A letter, a digit, or one of these other characters. */
static inline bool ascii_is_alnum_or(char c, const char *others)
{
	return ascii_is_alnum(c) || (c && strchr(others, c));
}
static inline char ascii_to_upper(char c) { return ascii_is_lower(c) ? (char)(c & ~32) : c; }
static inline char ascii_to_lower(char c) { return ascii_is_upper(c) ? (char)(c | 32) : c; }
/* The value of a hex digit; -1 for any other character. */
static inline int ascii_hex_value(char c)
{
	if (ascii_is_digit(c))
		return c - '0';
	c = ascii_to_lower(c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}
/* Identifiers of variables: a letter or '_', then also digits. */
static inline bool ascii_is_name_start(int c) { return ascii_is_letter(c) || c == '_'; }
static inline bool ascii_is_name(int c) { return ascii_is_alnum(c) || c == '_'; }
/* A blank is a space or a tab; a space may also be an end of line. */
static inline bool ascii_is_blank(int c) { return c == ' ' || c == '\t'; }
static inline bool ascii_is_blank_or_newline(int c) { return ascii_is_blank(c) || c == '\n'; }
static inline bool ascii_is_space(int c) { return ascii_is_blank_or_newline(c) || c == '\r'; }
