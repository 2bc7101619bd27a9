/* SHA-256 (FIPS 180-4). See sha256.h. */
#include "sys/sha256.h"

#include <sodium.h>
#include <stdint.h>

#if defined(__x86_64__) && defined(__has_include)
#if __has_include(<sys/platform/x86.h>)
#include <immintrin.h>
#include <sys/platform/x86.h>
#define SHA256_X86 1
#endif
#endif

#define BLOCK 64
#define LENGTH_AT (BLOCK - 8) /* of the last block: the number of bits */

void sha256_plain(struct str bytes, unsigned char ret[SHA256_BYTES]) { crypto_hash_sha256(ret, (const unsigned char *)bytes.p, bytes.n); }

#ifdef SHA256_X86

static const uint32_t round_constants[64] __attribute__((aligned(16))) = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
	0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
	0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

/* The state as the instructions want it: words A B E F in one register, C D G H in the other, the first in the highest part. */
struct state {
	__m128i abef, cdgh;
};

__attribute__((target("sha,sse4.1"))) static void blocks(struct state *s, const unsigned char *p, size_t n)
{
	const __m128i swap = _mm_set_epi8(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3);
	__m128i abef = s->abef, cdgh = s->cdgh;
	for (; n; n--, p += BLOCK) {
		const __m128i abef_before = abef, cdgh_before = cdgh;
		__m128i w[4]; /* the next sixteen words of the schedule */
		for (int i = 0; i < 4; i++)
			w[i] = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(p + 16 * i)), swap);
#pragma GCC unroll 16
		for (int i = 0; i < 16; i++) { /* four rounds each */
			const int a = i & 3, b = (i + 1) & 3, c = (i + 2) & 3, d = (i + 3) & 3;
			const __m128i words = _mm_add_epi32(w[a], _mm_load_si128((const __m128i *)(round_constants + 4 * i)));
			cdgh = _mm_sha256rnds2_epu32(cdgh, abef, words);
			abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(words, 0x0E));
			if (i < 12)
				w[a] = _mm_sha256msg2_epu32(_mm_add_epi32(_mm_sha256msg1_epu32(w[a], w[b]), _mm_alignr_epi8(w[d], w[c], 4)), w[d]);
		}
		abef = _mm_add_epi32(abef, abef_before);
		cdgh = _mm_add_epi32(cdgh, cdgh_before);
	}
	s->abef = abef;
	s->cdgh = cdgh;
}

static void put_word(unsigned char *p, uint32_t w)
{
	for (int i = 0; i < 4; i++)
		p[i] = (unsigned char)(w >> (24 - 8 * i));
}

__attribute__((target("sha,sse4.1"))) static void by_processor(struct str bytes, unsigned char ret[SHA256_BYTES])
{
	struct state s = {
		.abef = _mm_set_epi32(0x6a09e667, (int)0xbb67ae85, 0x510e527f, (int)0x9b05688c),
		.cdgh = _mm_set_epi32(0x3c6ef372, (int)0xa54ff53a, 0x1f83d9ab, 0x5be0cd19),
	};
	unsigned char last[2 * BLOCK] = {0};
	const size_t whole = bytes.n / BLOCK, rest = bytes.n % BLOCK, more = rest < LENGTH_AT ? 1 : 2;
	const uint64_t bits = (uint64_t)bytes.n * 8;
	uint32_t w[8];
	blocks(&s, (const unsigned char *)bytes.p, whole);
	if (rest)
		memcpy(last, bytes.p + whole * BLOCK, rest);
	last[rest] = 0x80;
	put_word(last + (more - 1) * BLOCK + LENGTH_AT, (uint32_t)(bits >> 32));
	put_word(last + (more - 1) * BLOCK + LENGTH_AT + 4, (uint32_t)bits);
	blocks(&s, last, more);
	_mm_storeu_si128((__m128i *)w, s.abef);
	_mm_storeu_si128((__m128i *)(w + 4), s.cdgh);
	static const unsigned char places[8] = {3, 2, 7, 6, 1, 0, 5, 4}; /* of A to H */
	for (int i = 0; i < 8; i++)
		put_word(ret + 4 * i, w[places[i]]);
}

/* The C library has asked the processor already, when the program started. */
bool sha256_is_fast(void) { return CPU_FEATURE_ACTIVE(SHA) && CPU_FEATURE_ACTIVE(SSE4_1); }

void sha256(struct str bytes, unsigned char ret[SHA256_BYTES])
{
	if (sha256_is_fast())
		by_processor(bytes, ret);
	else
		sha256_plain(bytes, ret);
}

#else

bool sha256_is_fast(void) { return false; }
void sha256(struct str bytes, unsigned char ret[SHA256_BYTES]) { sha256_plain(bytes, ret); }

#endif

void sha256_hex(struct str bytes, char ret[SHA256_HEX + 1])
{
	static const char digits[] = "0123456789abcdef";
	unsigned char hash[SHA256_BYTES];
	sha256(bytes, hash);
	for (size_t i = 0; i < SHA256_BYTES; i++) {
		ret[2 * i] = digits[hash[i] >> 4];
		ret[2 * i + 1] = digits[hash[i] & 15];
	}
	ret[SHA256_HEX] = '\0';
}
