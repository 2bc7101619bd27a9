/*
 * Measures reading inline code by the library itself: the language's reader alone, without a shell around it
 * and without the gate.
 *
 *     inline LANGUAGE FILE ROUNDS
 *
 * prints the median seconds of one reading, the arena's bytes, if the text parsed, and if it was read
 * completely.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/num.h"
#include "bench.h"
#include "code/code.h"
#include "sys/file.h"

#define ROUNDS_MAX 1000
#define FILE_MAX ((size_t)16 << 20)

struct reading {
	struct arena a;
	const char *lang;
	struct str text;
	struct facts f;
	struct snippet s;
};

static double now(void) { return seconds(CLOCK_MONOTONIC); }

static int read_one(void *arg)
{
	struct reading *r = arg;
	struct code_run *runs = NULL;
	struct view v = {.home = STR("/home/user")};

	facts_init(&r->f);
	/* in no text */
	r->s = (struct snippet){.lang = lang_find(str_of(r->lang)),
			.text = {.kind = WORD_EXACT, .text = r->text},
			.at = {.text = UINT32_MAX}, .cwd = STR("/project")};
	r->f.snippets = &r->s;
	r->f.snippets_end = &r->s.next;
	code_read(&r->a, &r->f, &r->s, &v, &runs);
	return 0;
}

int main(int argc, char **argv)
{
	static double times[ROUNDS_MAX];
	struct arena kept;
	struct err e = {0};
	struct reading r;
	int64_t rounds;
	int rc = 0;
	size_t used = 0;
	bool parsed = false, complete = false;

	if (argc != 4 || num_parse(str_of(argv[3]), 1, ROUNDS_MAX, &rounds) != 0) {
		fputs("usage: inline LANGUAGE FILE ROUNDS\n", stderr);
		return 64;
	}
	arena_init(&kept, ARENA_CAP_DEFAULT);
	r = (struct reading){.lang = argv[1]};
	if (file_read(&kept, argv[2], FILE_MAX, &r.text, NULL, &e) != 0) {
		fprintf(stderr, "inline: %s\n", e.text);
		return 70;
	}
	for (int64_t i = 0; i < rounds && rc == 0; i++) {
		double from = now();

		arena_init(&r.a, ARENA_CAP_DEFAULT);
		rc = arena_run(&r.a, read_one, &r);
		parsed = r.s.code && r.s.code->parsed;
		complete = r.s.code && r.s.code->complete;
		used = r.a.used;
		arena_free(&r.a);
		times[i] = now() - from;
	}
	printf("%.9f %zu %s %s\n", median(times, (size_t)rounds), used, parsed ? "parsed" : "unparsed",
			rc ? "full" : complete ? "complete" : "incomplete");
	arena_free(&kept);
	return 0;
}
