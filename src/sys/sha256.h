/* SHA-256, with libsodium. */
#pragma once
#include <stddef.h>

#include "base/str.h"

#define SHA256_BYTES 32
#define SHA256_HEX 64

void sha256_digest(struct str bytes, unsigned char ret[SHA256_BYTES]);
/* The same as hexadecimal digits with a NUL. */
void sha256_hex(struct str bytes, char ret[SHA256_HEX + 1]);

/* The same of bytes that come in parts. */
struct sha256_state {
	_Alignas(8) unsigned char room[104]; /* libsodium's own state */
};

void sha256_start(struct sha256_state *s);
void sha256_add(struct sha256_state *s, struct str bytes);
void sha256_end_hex(struct sha256_state *s, char ret[SHA256_HEX + 1]);
