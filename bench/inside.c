/*
 * Measures judging without the start of a process: inside DIR, by the library itself. DIR is the project,
 * $HOME the home.
 *
 *     inside DIR REGEXES.yaml ROUNDS
 *
 * prints lines "name ratio", each a median divided by the median of starting `bash -c :` in the same rounds.
 * A round starts bash once and then does each thing REPEAT times, so that a busy moment affects all of them
 * alike.
 */
#define _GNU_SOURCE
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/num.h"
#include "bench.h"
#include "config/config.h"
#include "gate/gate.h"
#include "judge/world.h"
#include "shell/shell.h"
#include "sys/file.h"
#include "sys/user.h"

#define REPEAT 20
#define ROUNDS_MAX 2000

/* 100 bytes, with paths that are read, written and deleted. */
#define COMMAND \
	"grep -rn 'main(' src/base include > build/list.txt && cp build/list.txt docs/ && rm -f " \
			"build/old.txt"

/* Inline code of 200 bytes each. */
#define PYTHON \
	"python3 -c 'import json, sys\n" \
	"rows = [{\"n\": i, \"name\": f\"item {i}\"} for i in range(10)]\n" \
	"def total(rows, key=\"n\"):\n" \
	"    return sum(r.get(key, 0) for r in rows if r)\n" \
	"print(json.dumps({\"total\": total(rows)}), len(rows))'"
#define JAVASCRIPT \
	"node -e 'const rows = [1, 2, 3].map(i => ({n: i, name: `item ${i}`}));\n" \
	"const total = rows => rows.reduce((a, r) => a + r.n, 0);\n" \
	"for (const d of rows) if (d.n > 1) console.log(d.name.toUpperCase(), total(rows));'"

extern char **environ;

struct things {
	struct str dir;
	struct context context;
	struct user self; /* looked up once, as caisson check --batch does */
	struct policies plain, regexes;
	struct arena kept; /* holds what follows: the read command and the view with all answers */
	struct facts facts;
	struct view view;
	struct judgement judgement;
	bool failed;
};

struct bench {
	const char *name;
	void (*run)(struct things *t, struct arena *a);
};

static struct engine_request request(const struct things *t)
{
	return (struct engine_request){.command = STR(COMMAND), .context = &t->context};
}

static void judge(struct things *t, struct arena *a, const struct policies *p, struct str command)
{
	struct engine_request rq = request(t);
	struct facts f;
	struct judgement j;

	rq.command = command;
	if (engine_judge(a, &rq, p, &f, &j, NULL) != 0 || !j.complete)
		t->failed = true;
}

static void run_judge(struct things *t, struct arena *a) { judge(t, a, &t->plain, STR(COMMAND)); }
static void run_judge_regexes(struct things *t, struct arena *a) { judge(t, a, &t->regexes, STR(COMMAND)); }
static void run_python(struct things *t, struct arena *a) { judge(t, a, &t->plain, STR(PYTHON)); }
static void run_javascript(struct things *t, struct arena *a) { judge(t, a, &t->plain, STR(JAVASCRIPT)); }

static void run_world(struct things *t, struct arena *a)
{
	struct view v;

	world_view(a, &t->context, &t->plain.own, &v);
	if (!v.project.n)
		t->failed = true;
}

static void run_reader(struct things *t, struct arena *a)
{
	struct shell_request sr = {.text = STR(COMMAND), .view = &t->view};
	struct facts f;

	if (shell_read(a, &sr, &f, NULL) != 0)
		t->failed = true;
}

static void run_gate(struct things *t, struct arena *a)
{
	struct judgement j;

	gate_judge(a, &t->facts, &t->plain.own, &t->view, &j);
	if (j.questions)
		t->failed = true;
}

static void run_arena(struct things *t, struct arena *a)
{
	(void)t;
	(void)a;
}

static const struct bench benches[] = {
	{"judge", run_judge}, {"regexes", run_judge_regexes}, {"world", run_world}, {"reader", run_reader},
	{"gate", run_gate}, {"arena", run_arena},
	{"python", run_python}, {"javascript", run_javascript},
};
#define NBENCHES ARRAY_SIZE(benches)

static double now(void) { return seconds(CLOCK_MONOTONIC); }

static double start_bash(void)
{
	char *const argv[] = {"bash", "-c", ":", NULL};
	double from = now();
	pid_t pid;
	int status = 1;

	if (posix_spawn(&pid, "/bin/bash", NULL, NULL, argv, environ) != 0 ||
			waitpid(pid, &status, 0) != pid || status != 0)
		return -1;
	return now() - from;
}

struct call {
	const struct bench *b;
	struct things *t;
	struct arena a;
};

static int call_once(void *arg)
{
	struct call *c = arg;

	c->b->run(c->t, &c->a);
	return 0;
}

static double repeat(const struct bench *b, struct things *t)
{
	double from = now();

	for (int i = 0; i < REPEAT; i++) {
		struct call c = {.b = b, .t = t};

		arena_init(&c.a, ARENA_CAP_DEFAULT);
		t->failed |= arena_run(&c.a, call_once, &c) != 0;
		arena_free(&c.a);
	}
	return (now() - from) / REPEAT;
}

/* The command read once, and judged until the gate has no more questions. */
static int prepare(void *arg)
{
	struct things *t = arg;
	struct shell_request sr = {.text = STR(COMMAND), .view = &t->view};

	world_view(&t->kept, &t->context, &t->plain.own, &t->view);
	if (shell_read(&t->kept, &sr, &t->facts, NULL) != 0)
		return 1;
	for (unsigned i = 0; i < GATE_ROUNDS_MAX; i++) {
		gate_judge(&t->kept, &t->facts, &t->plain.own, &t->view, &t->judgement);
		if (!t->judgement.questions)
			return 0;
		world_answer(&t->kept, &t->view, t->judgement.questions);
	}
	return 1;
}

static bool set_context(struct things *t)
{
	t->context = (struct context){.cwd = t->dir, .home = t->self.home, .user = t->self.name};
	return true;
}

static int load_regexes(struct things *t, const char *file, struct err *e)
{
	struct config_source src = {.name = str_of(file), .who = WHO_OWNER};
	struct policy p;

	if (file_read(&t->kept, file, ENGINE_CONFIG_MAX, &src.bytes, NULL, e) != 0 ||
			config_load(&t->kept, &src, 1, &p, NULL, e) != 0 || gate_verify(&p, e) != 0)
		return -1;
	policies_of(&p, &t->regexes);
	return 0;
}

int main(int argc, char **argv)
{
	static double bash[ROUNDS_MAX], times[NBENCHES][ROUNDS_MAX];
	struct things t = {0};
	struct err e = {0};
	int64_t rounds = 0;

	if (argc != 4 || num_parse(str_of(argv[3]), 1, ROUNDS_MAX, &rounds) != 0) {
		fputs("usage: inside DIR REGEXES.yaml ROUNDS\n", stderr);
		return 64;
	}
	arena_init(&t.kept, ARENA_CAP_DEFAULT);
	t.dir = str_of(argv[1]);
	policies_default(&t.plain);
	if (chdir(argv[1]) != 0 || user_self(&t.kept, NULL, getenv("HOME"), &t.self, &e) != 0 ||
			load_regexes(&t, argv[2], &e) != 0 ||
	    !set_context(&t) || arena_run(&t.kept, prepare, &t) != 0) {
		fprintf(stderr, "inside: %s\n", e.text[0] ? e.text : "cannot prepare");
		return 70;
	}
	for (int64_t i = 0; i < rounds; i++) {
		bash[i] = start_bash();
		t.failed |= bash[i] < 0;
		for (size_t k = 0; k < NBENCHES; k++)
			times[k][i] = repeat(&benches[k], &t);
	}
	double base = median(bash, (size_t)rounds);
	for (size_t k = 0; k < NBENCHES; k++)
		printf("%s %.5f\n", benches[k].name, median(times[k], (size_t)rounds) / base);
	arena_free(&t.kept);
	if (t.failed)
		fputs("inside: something was not judged\n", stderr);
	return t.failed ? 70 : 0;
}
