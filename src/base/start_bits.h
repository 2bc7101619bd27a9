/*
 * Bit tables that tell where in a text something could start: a place in a table belongs to the first three
 * or four bytes. Two different starts may share a place, so a mark means "maybe", and no mark means "no".
 * Shared by redaction and by the generator of its tables.
 */
#pragma once
#include <stdbool.h>
#include <stdint.h>

#define START_LENGTH 4 /* bytes */
#define START_LOG 18
#define START_WORDS ((1 << START_LOG) / 32)
#define START_KIND_LOG 16
#define START_KIND_WORDS ((1 << START_KIND_LOG) / 32)

/*
 * A place in a table of START_WORDS. The product is one of those with few collisions of the marks with logs,
 * source code and digits: a collision costs time, never a secret.
 */
static inline unsigned start_slot(uint32_t bytes) { return bytes * 0xE3ACC851u >> (32 - START_LOG); }

/* ... of START_KIND_WORDS: by another product, so that a collision in one table is none in the other. */
static inline unsigned start_kind_slot(uint32_t bytes)
{
	return bytes * 0x3B87EC39u >> (32 - START_KIND_LOG);
}

static inline bool start_is_marked(const uint32_t *bits, unsigned slot)
{
	return bits[slot / 32] >> slot % 32 & 1;
}

static inline void start_mark(uint32_t *bits, unsigned slot) { bits[slot / 32] |= 1u << slot % 32; }

static inline uint32_t start_of_three(const char *p)
{
	return (uint32_t)(unsigned char)p[0] | (uint32_t)(unsigned char)p[1] << 8 |
			(uint32_t)(unsigned char)p[2] << 16;
}

static inline uint32_t start_of_four(const char *p)
{
	return start_of_three(p) | (uint32_t)(unsigned char)p[3] << 24;
}
