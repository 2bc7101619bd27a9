/* SHA-256 (FIPS 180-4). See sha256.h. */
#include "sys/sha256.h"

#include <sodium.h>

void sha256_digest(struct str bytes, unsigned char ret[SHA256_BYTES])
{
	crypto_hash_sha256(ret, (const unsigned char *)bytes.p, bytes.n);
}

static void put_hex(const unsigned char hash[SHA256_BYTES], char ret[SHA256_HEX + 1])
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < SHA256_BYTES; i++) {
		ret[2 * i] = digits[hash[i] >> 4];
		ret[2 * i + 1] = digits[hash[i] & 15];
	}
	ret[SHA256_HEX] = '\0';
}

void sha256_hex(struct str bytes, char ret[SHA256_HEX + 1])
{
	unsigned char hash[SHA256_BYTES];

	sha256_digest(bytes, hash);
	put_hex(hash, ret);
}

_Static_assert(sizeof(crypto_hash_sha256_state) == sizeof(struct sha256_state), "the state has this size");

void sha256_start(struct sha256_state *s)
{
	crypto_hash_sha256_init((crypto_hash_sha256_state *)(void *)s->room);
}

void sha256_add(struct sha256_state *s, struct str bytes)
{
	crypto_hash_sha256_update((crypto_hash_sha256_state *)(void *)s->room, (const unsigned char *)bytes.p,
			bytes.n);
}

void sha256_end_hex(struct sha256_state *s, char ret[SHA256_HEX + 1])
{
	unsigned char hash[SHA256_BYTES];

	crypto_hash_sha256_final((crypto_hash_sha256_state *)(void *)s->room, hash);
	put_hex(hash, ret);
}
