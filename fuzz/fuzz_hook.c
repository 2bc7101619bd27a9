/*
 * libFuzzer: inputs of hooks. The first byte names the client, or nobody, the rest is the input.
 * Holds: no crash, no leak; every answer is one that the client understands, or exit 2 with a reason; what is
 * not understood is refused; the answer is never milder than the verdict that the library finds for the same
 * call; what is over always passes.
 */
#define _GNU_SOURCE
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../tests/unit/hook_check.h"

#define TEXT_MAX 8192

extern char **environ;
static char home[] = "/tmp/caisson-fuzz-XXXXXX";

static int drop(const char *path, const struct stat *st, int kind, struct FTW *f)
{
	(void)st, (void)kind, (void)f;
	return remove(path);
}

static void leave(void) { nftw(home, drop, 16, FTW_DEPTH | FTW_PHYS); }

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	char state[64];

	(void)argc, (void)argv;
	if (!mkdtemp(home))
		abort();
	snprintf(state, sizeof(state), "%s/state", home);
	setenv("HOME", home, 1);
	setenv("CAISSON_STATE", state, 1);
	unsetenv("XDG_CONFIG_HOME");
	unsetenv("SHELL");
	atexit(leave);
	return 0;
}

struct trial {
	struct arena *a;
	struct str input;
	const char *client;
	struct reply *reply;
};

static int check(void *arg)
{
	struct trial *t = arg;
	const char *wrong = hook_wrong(t->a, t->input, t->client, t->reply);

	if (wrong) {
		fprintf(stderr, "%s (exit %d)\n%.*s\n%.*s\n", wrong, t->reply->code,
				STR_ARG(buf_view(&t->reply->out)), STR_ARG(buf_view(&t->reply->err)));
		abort();
	}
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena a, out, again;
	struct reply reply;
	struct hook_options o = {.environ = environ};
	struct trial t = {.a = &again, .reply = &reply};

	if (size < 1 || size > TEXT_MAX)
		return 0;
	for (size_t i = 0; i + 1 < data[0] % 16 && client_at(i); i++)
		o.client = client_at(i)->name;
	t.client = o.client;
	t.input = str_n((const char *)data + 1, size - 1);
	arena_init(&a, (size_t)64 << 20);
	arena_init(&out, (size_t)64 << 20);
	arena_init(&again, (size_t)128 << 20);
	hook_reply(&a, &out, t.input, &o, &reply);
	(void)arena_run(&again, check, &t);
	arena_free(&again);
	arena_free(&out);
	arena_free(&a);
	return 0;
}
