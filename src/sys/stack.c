/* See stack.h. */
#define _GNU_SOURCE
#include "sys/stack.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <ucontext.h>

#define STACK_BYTES ((size_t)8 << 20) /* the usual limit; only used pages take memory */
#define GUARD_BYTES ((size_t)64 << 10)

struct stack_call {
	int (*fn)(int argc, char **argv);
	int argc;
	char **argv;
	int result;
};

/* makecontext() passes only int arguments, so the pointer comes in two halves. */
static void call_on_stack(unsigned high, unsigned low)
{
	struct stack_call *c = (struct stack_call *)(((uintptr_t)high << 32) | low); /* NOLINT: a pointer */

	c->result = c->fn(c->argc, c->argv);
}

int stack_run(int (*fn)(int argc, char **argv), int argc, char **argv)
{
	struct stack_call c = {.fn = fn, .argc = argc, .argv = argv};
	ucontext_t here, there;
	struct rlimit l;
	char *stack;

	if (getrlimit(RLIMIT_STACK, &l) != 0 || l.rlim_cur >= STACK_BYTES)
		return fn(argc, argv);
	stack = mmap(NULL, GUARD_BYTES + STACK_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE |
			MAP_STACK, -1, 0);
	if (stack == MAP_FAILED || mprotect(stack + GUARD_BYTES, STACK_BYTES, PROT_READ | PROT_WRITE) != 0 ||
			getcontext(&there) != 0)
		return fn(argc, argv);
	there.uc_stack.ss_sp = stack + GUARD_BYTES;
	there.uc_stack.ss_size = STACK_BYTES;
	there.uc_link = &here;
	makecontext(&there, (void (*)(void))call_on_stack, 2, (unsigned)((uintptr_t)&c >> 32),
			(unsigned)(uintptr_t)&c);
	return swapcontext(&here, &there) == 0 ? c.result : fn(argc, argv);
}
