/*
 * struct arena: one per request; everything that belongs to the request lives and dies with it.
 *
 * Invariants: memory is zeroed and aligned to 16 bytes; `used` never exceeds `cap`; nothing is freed before arena_free().
 * arena_alloc() never returns NULL. When the cap (or the machine's memory) is reached it leaves the innermost arena_run(), which then
 * returns ARENA_FULL: pure code above needs no checks, owns nothing but arena memory, and so can be left at any point.
 * The same way out serves any other bound: arena_leave() with a code of the caller's own.
 */
#pragma once
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

#define ARENA_CAP_DEFAULT ((size_t)512 << 20)

struct arena_chunk;

struct arena {
	struct arena_chunk *chunks;
	size_t used, cap;
	jmp_buf *guard;       /* innermost arena_run, or NULL */
	int left;             /* the code with which arena_leave() left it */
	size_t allocs;        /* allocations so far */
	size_t fail_at;       /* torture: fail the allocation with this number (1-based); 0 = never */
};

enum { ARENA_DONE = 0, ARENA_FULL = -1 };

void arena_init(struct arena *a, size_t cap);
void arena_free(struct arena *a);
/* For the end of the process, which gives everything back at once: arena_free() where leaks are looked for, else nothing. */
void arena_end(struct arena *a);
bool arena_leaks_matter(void);
void *arena_alloc(struct arena *a, size_t n) __attribute__((returns_nonnull, malloc, alloc_size(2)));
/* n * size with overflow counted as full */
void *arena_array(struct arena *a, size_t n, size_t size) __attribute__((returns_nonnull, malloc));
/* Grows the last allocation in place when it can, else copies; new bytes are zero. */
void *arena_grow(struct arena *a, void *old, size_t old_n, size_t new_n) __attribute__((returns_nonnull));

#define arena_new(a, type) ((type *)arena_alloc((a), sizeof(type)))

/*
 * Runs fn(arg) so that arena_alloc() and arena_leave() inside it can leave it. Returns fn's value when fn returns (fn must return >= 0),
 * ARENA_FULL when the arena was exhausted, or the code given to arena_leave(). Nests.
 */
int arena_run(struct arena *a, int (*fn)(void *arg), void *arg);
/* Leaves the innermost arena_run with `code` (negative, not ARENA_FULL). Aborts the program if there is none: that is a bug. */
void arena_leave(struct arena *a, int code) __attribute__((noreturn));
