/*
 * Linked into a copy of the program: the Nth allocation fails.
 *
 *   TORTURE_ARENA=N    the Nth call of arena_alloc(), arena_array() or arena_grow() leaves as with a full
 *                      arena
 *   TORTURE_MALLOC=N   the Nth malloc(), calloc() or realloc() of any library returns NULL
 *   TORTURE_ALL=1      so do all after it
 *   TORTURE_LOG=FILE   when the program ends it appends "arena=… malloc=… fds=…": what it counted, and what
 *                      it left open
 *
 * A child counts on from its parent's number.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"

#define FDS_MAX 1024

void *__real_arena_alloc(struct arena *a, size_t n);
void *__real_arena_array(struct arena *a, size_t n, size_t size);
void *__real_arena_grow(struct arena *a, void *old, size_t old_n, size_t new_n);
void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
void __real__exit(int code) __attribute__((noreturn));
void *__wrap_arena_alloc(struct arena *a, size_t n);
void *__wrap_arena_array(struct arena *a, size_t n, size_t size);
void *__wrap_arena_grow(struct arena *a, void *old, size_t old_n, size_t new_n);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);
void __wrap__exit(int code) __attribute__((noreturn));

struct counter {
	unsigned long n, fail_at;
};

static struct counter arenas, mallocs;
static bool all;
static pid_t program;
static char log_path[4096];

static bool fails(struct counter *c)
{
	c->n++;
	return c->fail_at && (c->n == c->fail_at || (all && c->n > c->fail_at));
}

static void set(struct counter *c, const char *name)
{
	const char *value = getenv(name);

	for (; value && *value >= '0' && *value <= '9'; value++)
		c->fail_at = c->fail_at * 10 + (unsigned long)(*value - '0');
	unsetenv(name);
}

static void __attribute__((constructor)) begin(void)
{
	const char *path = getenv("TORTURE_LOG");

	all = getenv("TORTURE_ALL") != NULL;
	if (path)
		snprintf(log_path, sizeof(log_path), "%s", path);
	unsetenv("TORTURE_ALL");
	unsetenv("TORTURE_LOG");
	program = getpid();
	set(&arenas, "TORTURE_ARENA");
	set(&mallocs, "TORTURE_MALLOC");
	arenas.n = mallocs.n = 0;
}

static void __attribute__((destructor)) end(void)
{
	char line[8192], target[512], name[64];
	int n, out;

	if (getpid() != program || !log_path[0])
		return;
	n = snprintf(line, sizeof(line), "arena=%lu malloc=%lu fds=", arenas.n, mallocs.n);
	for (int fd = STDERR_FILENO + 1; fd < FDS_MAX; fd++) {
		ssize_t got;

		snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
		got = readlink(name, target, sizeof(target) - 1);
		if (got < 0)
			continue;
		target[got] = 0;
		if (n < (int)sizeof(line) - 600)
			n += snprintf(line + n, sizeof(line) - (size_t)n, "%s;", target);
	}
	line[n++] = '\n';
	out = open(log_path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
	if (out >= 0 && write(out, line, (size_t)n) < 0)
		abort();
	log_path[0] = 0;
}

void __wrap__exit(int code)
{
	end();
	__real__exit(code);
}

void *__wrap_arena_alloc(struct arena *a, size_t n)
{
	if (fails(&arenas))
		arena_leave(a, ARENA_FULL);
	return __real_arena_alloc(a, n);
}

void *__wrap_arena_array(struct arena *a, size_t n, size_t size)
{
	if (fails(&arenas))
		arena_leave(a, ARENA_FULL);
	return __real_arena_array(a, n, size);
}

void *__wrap_arena_grow(struct arena *a, void *old, size_t old_n, size_t new_n)
{
	if (fails(&arenas))
		arena_leave(a, ARENA_FULL);
	return __real_arena_grow(a, old, old_n, new_n);
}

static void *refuse(void)
{
	errno = ENOMEM;
	return NULL;
}

void *__wrap_malloc(size_t n) { return fails(&mallocs) ? refuse() : __real_malloc(n); }
void *__wrap_calloc(size_t n, size_t size) { return fails(&mallocs) ? refuse() : __real_calloc(n, size); }
void *__wrap_realloc(void *p, size_t n) { return fails(&mallocs) ? refuse() : __real_realloc(p, n); }
