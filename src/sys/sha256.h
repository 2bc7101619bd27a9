/* SHA-256 of bytes in memory, with libsodium. */
#pragma once
#include <stddef.h>

#include "base/str.h"

#define SHA256_BYTES 32
#define SHA256_HEX 64

void sha256_digest(struct str bytes, unsigned char ret[SHA256_BYTES]);
/* The same as hexadecimal digits with a NUL. */
void sha256_hex(struct str bytes, char ret[SHA256_HEX + 1]);
