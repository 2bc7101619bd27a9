/*
 * SHA-256 of bytes in memory. By the processor's own instructions where it has them, about five times as fast; else by libsodium.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

#define SHA256_BYTES 32
#define SHA256_HEX 64

void sha256(struct str bytes, unsigned char ret[SHA256_BYTES]);
/* The same in hexadecimal digits, with a NUL. */
void sha256_hex(struct str bytes, char ret[SHA256_HEX + 1]);

/* For tests: the one without the processor's help; and whether the processor helps. */
void sha256_plain(struct str bytes, unsigned char ret[SHA256_BYTES]);
bool sha256_is_fast(void);
