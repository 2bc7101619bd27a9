/* SHA-256 (FIPS 180-4). See sha256.h. */
#include "sys/sha256.h"

#include <sodium.h>

void sha256_digest(struct str bytes, unsigned char ret[SHA256_BYTES])
{
	crypto_hash_sha256(ret, (const unsigned char *)bytes.p, bytes.n);
}

void sha256_hex(struct str bytes, char ret[SHA256_HEX + 1])
{
	static const char digits[] = "0123456789abcdef";
	unsigned char hash[SHA256_BYTES];
	sha256_digest(bytes, hash);
	for (size_t i = 0; i < SHA256_BYTES; i++) {
		ret[2 * i] = digits[hash[i] >> 4];
		ret[2 * i + 1] = digits[hash[i] & 15];
	}
	ret[SHA256_HEX] = '\0';
}
