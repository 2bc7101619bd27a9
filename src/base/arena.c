/*
 * struct arena: zeroed memory, handed out from the front of chunks.
 *
 * Chunks double from CHUNK_MIN to CHUNK_MAX. A request that would waste much of a chunk gets a chunk of its
 * own, which goes *behind* the current one so that small allocations keep filling that. Small chunks are
 * zeroed piece by piece when they are handed out: most of the first chunk is never used, so its pages stay
 * untouched. Large chunks come zeroed from the system. Under AddressSanitizer the unused part of a chunk is
 * poisoned and a gap follows every allocation, so that an overrun is detected although malloc knows only the
 * chunk.
 */
#include "base/arena.h"

#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__)
#define ARENA_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ARENA_ASAN 1
#endif
#endif

#ifdef ARENA_ASAN
#include <sanitizer/asan_interface.h>
#define GAP 16
#define POISON(p, n) ASAN_POISON_MEMORY_REGION((p), (n))
#define UNPOISON(p, n) ASAN_UNPOISON_MEMORY_REGION((p), (n))
#else
#define GAP 0
#define POISON(p, n) ((void)(p), (void)(n))
#define UNPOISON(p, n) ((void)(p), (void)(n))
#endif

#define ALIGN ((size_t)16)
#define CHUNK_MIN ((size_t)64 << 10)
#define CHUNK_MAX ((size_t)4 << 20)
/* malloc maps blocks of this size, so they are zero already */
#define CHUNK_ZEROED ((size_t)128 << 10)

struct arena_chunk {
	struct arena_chunk *next;
	size_t size, at; /* bytes in all, bytes handed out */
	bool zeroed;     /* the whole chunk is zero */
	bool own;        /* made for one allocation; the next chunk ignores its size */
	_Alignas(16) char data[];
};

_Static_assert(offsetof(struct arena_chunk, data) % ALIGN == 0, "chunk data must be aligned");

struct arena_guard { /* one arena_run() */
	jmp_buf back;
	struct arena_guard *previous;
	struct arena_cleanup *older; /* newest cleanup registered before this run */
};

/* ---- cleanups ---- */

void arena_defer(struct arena *a, struct arena_cleanup *c, void (*fn)(void *ptr), void *ptr)
{
	*c = (struct arena_cleanup){.fn = fn, .ptr = ptr, .older = a->cleanups};
	a->cleanups = c;
}

void arena_forget(struct arena *a, struct arena_cleanup *c)
{
	struct arena_cleanup **at = &a->cleanups;

	if (!c->fn)
		return;
	while (*at && *at != c)
		at = &(*at)->older;
	if (*at)
		*at = c->older;
	for (struct arena_guard *g = a->guard; g; g = g->previous)
		if (g->older == c)
			g->older = c->older;
	*c = (struct arena_cleanup){0};
}

void arena_release(struct arena *a, struct arena_cleanup *c)
{
	const struct arena_cleanup copy = *c;

	arena_forget(a, c); /* first: fn may free the memory of *c */
	if (copy.fn)
		copy.fn(copy.ptr);
}

static void release_newer(struct arena *a, const struct arena_cleanup *than)
{
	while (a->cleanups && a->cleanups != than)
		arena_release(a, a->cleanups);
}

void arena_disown(struct arena *a)
{
	a->cleanups = NULL;
	a->guard = NULL;
	a->parent = NULL;
	a->of_parent = (struct arena_cleanup){0};
}

/* ---- birth and end ---- */

void arena_init(struct arena *a, size_t cap)
{
	*a = (struct arena){.cap = cap};
}

static void free_inner(void *a) { arena_free(a); }

void arena_adopt(struct arena *a, struct arena *parent)
{
	if (a->parent)
		arena_forget(a->parent, &a->of_parent);
	a->parent = parent;
	if (parent)
		arena_defer(parent, &a->of_parent, free_inner, a);
}

void arena_init_in(struct arena *a, size_t cap, struct arena *parent)
{
	arena_init(a, cap);
	arena_adopt(a, parent);
}

static void release_all(struct arena *a)
{
	release_newer(a, NULL);
	arena_adopt(a, NULL);
}

void arena_free(struct arena *a)
{
	release_all(a);
	for (struct arena_chunk *c = a->chunks, *next; c; c = next) {
		next = c->next;
		UNPOISON(c->data, c->size);
		free(c);
	}
	a->chunks = NULL;
	a->used = 0;
}

bool arena_leaks_matter(void)
{
#ifdef ARENA_ASAN
	return true;
#else
	return false;
#endif
}

void arena_end(struct arena *a)
{
	if (arena_leaks_matter())
		arena_free(a);
	else
		release_all(a);
}

/* ---- the way out ---- */

void arena_leave(struct arena *a, int code)
{
	while (!a->guard && a->parent)
		a = a->parent;
	if (!a->guard || code >= 0)
		abort();
	a->left = code;
	release_newer(a, a->guard->older);
	longjmp(a->guard->back, 1);
}

int arena_run(struct arena *a, int (*fn)(void *arg), void *arg)
{
	struct arena_guard here;
	int code;

	here.previous = a->guard;
	here.older = a->cleanups;
	if (setjmp(here.back) == 0) { /* ISO C allows only comparing its value */
		a->guard = &here;
		code = fn(arg);
	} else {
		code = a->left;
	}
	a->guard = here.previous;
	return code;
}

/* ---- memory ---- */

/* Charges one allocation of n bytes (already rounded) to the cap, or leaves. */
static void charge(struct arena *a, size_t n)
{
	a->allocs++;
	if (a->allocs == a->fail_at || n > a->cap - a->used)
		arena_leave(a, ARENA_FULL);
	a->used += n;
}

/* Returns a chunk with room for n bytes: the current one, or a new one. */
static struct arena_chunk *chunk_for(struct arena *a, size_t n)
{
	struct arena_chunk *head = a->chunks;
	if (head && n <= head->size - head->at)
		return head;
	size_t size = head && !head->own ? head->size * 2 : CHUNK_MIN;
	if (size > CHUNK_MAX)
		size = CHUNK_MAX;
	bool own = n > size / 4;
	if (own)
		size = n;
	bool zeroed = own || size >= CHUNK_ZEROED;
	struct arena_chunk *c = zeroed ? calloc(1, sizeof *c + size) : malloc(sizeof *c + size);
	if (!c)
		arena_leave(a, ARENA_FULL);
	*c = (struct arena_chunk){.size = size, .zeroed = zeroed, .own = own};
	POISON(c->data, size);
	if (own && head) {
		c->next = head->next;
		head->next = c;
	} else {
		c->next = head;
		a->chunks = c;
	}
	return c;
}

static size_t rounded(struct arena *a, size_t n)
{
	if (n > SIZE_MAX / 2)
		arena_leave(a, ARENA_FULL);
	return (n + GAP + ALIGN - 1) & ~(ALIGN - 1);
}

void *arena_alloc(struct arena *a, size_t n)
{
	size_t room = rounded(a, n ? n : 1);
	charge(a, room);
	struct arena_chunk *c = chunk_for(a, room);
	char *p = c->data + c->at;
	c->at += room;
	UNPOISON(p, n);
	if (!c->zeroed)
		memset(p, 0, n);
	return p;
}

void *arena_array(struct arena *a, size_t n, size_t size)
{
	size_t bytes;
	if (__builtin_mul_overflow(n, size, &bytes))
		arena_leave(a, ARENA_FULL);
	return arena_alloc(a, bytes);
}

void *arena_grow(struct arena *a, void *old, size_t old_n, size_t new_n)
{
	if (old && new_n <= old_n)
		return old;
	struct arena_chunk *c = a->chunks;
	size_t had = old ? rounded(a, old_n ? old_n : 1) : 0;
	if (old && c && c->at >= had && (char *)old == c->data + c->at - had) {
		size_t more = rounded(a, new_n) - had;
		if (more <= c->size - c->at) {
			charge(a, more);
			c->at += more;
			UNPOISON(old, new_n);
			if (!c->zeroed)
				memset((char *)old + old_n, 0, new_n - old_n);
			return old;
		}
	}
	char *p = arena_alloc(a, new_n);
	if (old)
		memcpy(p, old, old_n);
	return p;
}
