/*
 * struct arena: one per request; everything that belongs to the request lives and dies with it.
 *
 * Memory is zeroed and aligned to 16 bytes; `used` never exceeds `cap`; nothing is freed before arena_free().
 *
 * Leaving. arena_alloc() never returns NULL. When the cap (or the machine's memory) is exhausted, it leaves
 * the innermost arena_run(), which then returns ARENA_FULL, so its callers need no checks. arena_leave() does
 * the same for other bounds. Each arena_run() links to the one around it; leaving an inner one returns to the
 * outer.
 *
 * Cleanups. Code that owns more than arena memory (a descriptor, a child, a lock, a value of a library)
 * registers its release with arena_defer(). Each cleanup runs once: when the arena_run() in which it was
 * registered is left, or in arena_free(), the newest first. A cleanup runs before the stack is unwound, so it
 * may use local variables of the function that registered it. It must not allocate from this arena.
 *
 * Processes. A child of fork() has copies of its parent's guards and cleanups and must use neither: the child
 * calls arena_disown() first (process_fork() does).
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/err.h"

#define ARENA_CAP_DEFAULT ((size_t)512 << 20)

struct arena_chunk;
struct arena_guard;

struct arena_cleanup { /* owned by the caller: a local variable, or a member of the resource to release */
	void (*fn)(void *ptr); /* NULL: not registered */
	void *ptr;
	struct arena_cleanup *older;
};

struct arena {
	struct arena_chunk *chunks;
	size_t used, cap;
	struct arena_guard *guard;      /* innermost arena_run(), or NULL */
	struct arena_cleanup *cleanups; /* newest cleanup */
	struct arena *parent;           /* frees this arena when it is left or freed; NULL: none */
	struct arena_cleanup of_parent;
	int left;             /* code passed to arena_leave() */
	size_t allocs;        /* allocations so far */
	size_t fail_at;       /* torture: fail the allocation with this number (1-based); 0 = never */
};

enum { ARENA_DONE = 0, ARENA_FULL = -1 };

void arena_init(struct arena *a, size_t cap);
/*
 * Initializes an arena for a part of the work of `parent`. When the parent is left or freed, it frees this
 * arena. Without an arena_run() of its own, a full arena leaves the innermost one of its parent.
 */
void arena_init_in(struct arena *a, size_t cap, struct arena *parent);
/* Changes the parent; NULL: none. */
void arena_adopt(struct arena *a, struct arena *parent);
/*
 * Runs the cleanups, then frees the memory and detaches the arena from its parent. The arena can be used
 * again.
 */
void arena_free(struct arena *a);
/*
 * For the end of the process, which frees all memory at once: runs the cleanups, and frees memory only under
 * a leak checker.
 */
void arena_end(struct arena *a);
bool arena_leaks_matter(void);
void *arena_alloc(struct arena *a, size_t n) __attribute__((returns_nonnull, malloc, alloc_size(2)));
/* n * size; an overflow counts as full */
void *arena_array(struct arena *a, size_t n, size_t size) __attribute__((returns_nonnull, malloc));
/* Grows the last allocation in place if possible, else copies; new bytes are zero. */
void *arena_grow(struct arena *a, void *old, size_t old_n, size_t new_n) __attribute__((returns_nonnull));
/*
 * Makes room for one more element of an array with n elements of this size: returns the array, which may have
 * moved. *cap, which begins with 0, is the number of elements that it has room for.
 */
static inline void *arena_room(struct arena *a, void *array, size_t n, size_t *cap, size_t size)
{
	size_t more = *cap ? 2 * *cap : 8;

	if (n >= *cap) {
		array = arena_grow(a, array, *cap * size, more * size);
		*cap = more;
	}
	return array;
}

#define arena_new(a, type) ((type *)arena_alloc((a), sizeof(type)))
/* A copy of a value: arena_copy(a, (struct point){.x = 1}). */
static inline void *arena_dup(struct arena *a, const void *p, size_t n)
{
	return memcpy(arena_alloc(a, n), p, n);
}
#define arena_copy(a, ...) ((__typeof__(__VA_ARGS__) *)arena_dup((a), &(__VA_ARGS__), sizeof(__VA_ARGS__)))

/*
 * Runs fn(arg) so that arena_alloc() and arena_leave() inside it can leave it. Returns fn's value if fn
 * returns (it must be >= 0), ARENA_FULL if the arena was exhausted, or the code passed to arena_leave().
 * Nests.
 */
int arena_run(struct arena *a, int (*fn)(void *arg), void *arg);
/*
 * Runs the cleanups registered in the innermost arena_run() and leaves it with `code` (negative, not
 * ARENA_FULL). Aborts the program if there is none: that is a bug.
 */
void arena_leave(struct arena *a, int code) __attribute__((noreturn));

/* Registers fn(ptr). *c must stay in place until it has run or was forgotten. Allocates nothing. */
void arena_defer(struct arena *a, struct arena_cleanup *c, void (*fn)(void *ptr), void *ptr);
/* Runs the cleanup now, and not again. Ignores a cleanup that has run or that is all zero. */
void arena_release(struct arena *a, struct arena_cleanup *c);
/* Unregisters the cleanup without running it: the caller has released the resource, or passes it on. */
void arena_forget(struct arena *a, struct arena_cleanup *c);
/*
 * For a child after fork(): drops the guards and cleanups, which belong to the parent. arena_run() starts
 * over.
 */
void arena_disown(struct arena *a);
