/*
 * caisson check --batch: reads one JSON object per line and writes one per line. Each answer is written
 * before the next line is read, so that a caller can hold a conversation. An invalid line is answered, too;
 * only EOF ends the stream.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <unistd.h>

#include "base/json_write.h"
#include "cli/cli.h"
#include "gate/gate.h"
#include "judge/engine.h"
#include "judge/policy_cache.h"
#include "sys/file.h"
#include "sys/user.h"

/* the parser's largest command, with every byte escaped */
#define LINE_MAX_BYTES ((size_t)32 << 20)

/* Policies of the previous line's directory, and the result of loading them. */
struct loaded {
	struct policy_cache cache;
	bool failed;
	struct err e; /* last failure, reported once */
};

struct batch_line {
	struct context context;
	const struct batch *b;
	const struct user *self;
	struct loaded *loaded;
	struct arena *a;
	struct str line;
	struct json *value;
	struct str id;
	struct buf out;
};

static int answer_error(struct batch_line *t, const char *why)
{
	t->out.n = 0;
	buf_c(&t->out, "{\"id\":");
	buf_str(&t->out, t->id.n ? t->id : STR("null"));
	buf_c(&t->out, ",\"error\":");
	json_put_string(&t->out, str_of(why));
	buf_c(&t->out, "}\n");
	return 0;
}

/* Reads an optional string. False if the value has another type. */
static bool optional(const struct json *object, const char *key, const char *fallback, struct str *ret)
{
	const struct json *v = json_key(object, key);

	*ret = fallback ? str_of(fallback) : STR("");
	if (!v || json_is(v, JSON_NULL))
		return true;
	*ret = json_text(v);
	return json_is(v, JSON_STRING);
}

static const char *read_request(struct batch_line *t, struct engine_request *rq)
{
	const struct json *command = json_key(t->value, "command"), *id = json_key(t->value, "id");
	struct str shell;
	struct buf b;

	if (!json_is(t->value, JSON_OBJECT))
		return "the request must be a JSON object";
	buf_init(&b, t->a, 0);
	if (id)
		json_put_value(&b, id);
	t->id = buf_view(&b);
	if (!json_is(command, JSON_STRING))
		return "'command' is missing or not a string";
	rq->command = json_text(command);
	if (!optional(t->value, "cwd", t->b->cwd, &t->context.cwd) ||
			memchr(t->context.cwd.p, '\0', t->context.cwd.n))
		return "'cwd' is not a path";
	if (!optional(t->value, "shell", t->b->shell, &shell) ||
			(shell.n && engine_dialect(shell, &rq->dialect) != 0))
		return "'shell' is one of bash, sh, zsh, powershell";
	if (t->b->mode)
		engine_mode(str_of(t->b->mode), &rq->mode);
	t->context.home = t->self->home;
	t->context.user = t->self->name;
	rq->context = &t->context;
	return NULL;
}

/* Loads the view and checks the policy files again for each line. NULL if the policies do not load. */
static const struct policies *policies_for(struct batch_line *t)
{
	struct loaded *l = t->loaded;
	const struct policies_request request = {.config = t->b->config, .context = &t->context};
	struct policy_set *set = NULL;
	struct err e = {0};

	t->context.places = true;
	t->context.stamps = &l->cache.stamps;
	context_open(t->a, &t->context);
	l->failed = policy_cache_get(&l->cache, t->a, &request, &set, &e) != 0;
	if (l->failed && strcmp(l->e.text, e.text) != 0)
		output_error("%s", e.text);
	l->e = e;
	return set ? &set->policies : NULL;
}

static int run_turn(void *arg)
{
	struct batch_line *t = arg;
	struct engine_request rq = {0};
	struct facts facts = {0};
	struct judgement judgement = {0};
	const struct policies *policies;
	struct err e = {0};
	const char *why;

	buf_init(&t->out, t->a, 0);
	if (json_read(t->a, t->line, &t->value, &e) != 0)
		return answer_error(t, e.text);
	why = read_request(t, &rq);
	if (why)
		return answer_error(t, why);
	policies = policies_for(t);
	if (!policies)
		engine_refuse(t->a, CHECK_POLICY_ERROR, t->loaded->e.text, &judgement);
	else if (engine_judge(t->a, &rq, policies, &facts, &judgement, &e) != 0)
		return answer_error(t, e.text);
	answer_json(&t->out, t->id.n ? t->id : STR("null"), &facts, &judgement,
			policies ? policies->digest : STR(""));
	return 0;
}

/* Replaces an answer that does not fit by a denial, made in a separate arena. */
static int answer_too_large(struct batch_line *t)
{
	struct judgement refusal;
	struct facts nothing = {0};
	char id[64];
	struct str kept = {id, t->id.n < sizeof(id) ? t->id.n : 0};

	if (kept.n)
		memcpy(id, t->id.p, kept.n);
	struct arena *parent = t->a->parent;

	arena_free(t->a);
	arena_init_in(t->a, ARENA_CAP_DEFAULT, parent);
	buf_init(&t->out, t->a, 0);
	engine_refuse(t->a, CHECK_INTERNAL_ERROR, "the answer is larger than the memory limit", &refusal);
	answer_json(&t->out, kept.n ? kept : STR("null"), &nothing, &refusal, STR(""));
	return 0;
}

/* The stream of requests. Each line has its own arena. */
struct batch_stream {
	struct arena a;
	const struct batch *b;
	struct line_reader lines;
	struct loaded loaded;
	struct arena_cleanup cleanup;
};

static int one_line(struct batch_stream *s, const struct user *self, struct str line, int kind)
{
	struct arena a;
	struct batch_line t = {.b = s->b, .self = self, .loaded = &s->loaded, .a = &a, .line = line};
	int rc;

	arena_init_in(&a, ARENA_CAP_DEFAULT, &s->a);
	if (kind == LINE_TOO_LONG) {
		buf_init(&t.out, &a, 0);
		answer_error(&t, "the line is too long");
	} else if (arena_run(&a, run_turn, &t) < 0) {
		answer_too_large(&t);
	}
	rc = output_write(buf_view(&t.out), 0);
	arena_free(&a);
	return rc;
}

static void stream_end(void *ptr)
{
	struct batch_stream *s = ptr;

	line_reader_free(&s->lines);
	policy_cache_free(&s->loaded.cache);
}

static int serve_batch(void *arg)
{
	struct batch_stream *s = arg;
	struct user self = {0};
	struct str line;
	struct err e = {0};
	int kind;

	arena_defer(&s->a, &s->cleanup, stream_end, s);
	if (user_self(&s->a, NULL, getenv("HOME"), &self, &e) != 0)
		self = (struct user){0}; /* unknown user */
	line_reader_init(&s->lines, STDIN_FILENO, LINE_MAX_BYTES);
	while ((kind = line_read(&s->lines, &line, &e)) > 0)
		if (one_line(s, &self, line, kind) != 0)
			return EXIT_INTERNAL;
	if (kind < 0) {
		output_error("%s", e.text);
		return EXIT_INTERNAL;
	}
	return s->loaded.failed ? EXIT_DENY : 0;
}

int batch_run(const struct batch *b)
{
	struct batch_stream s = {.b = b};

	return with_arena(&s.a, serve_batch, &s);
}
