/* caissond: options, tokens, start. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/num.h"
#include "box/box.h"
#include "cli/cli.h"
#include "cli/record_home.h"
#include "serve/serve_code.h"
#include "sys/cpus.h"
#include "sys/stack.h"
#include "sys/state.h"
#include "sys/title.h"

#define LISTEN_DEFAULT "127.0.0.1:8484"
#define MODULE_LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.,"

struct daemon_options {
	struct serve_options serve;
	struct run_words words; /* the part of serve.mcp.base that is still to be parsed */
	struct option_list network, env, read, names, origins;
	const char *listen, *open, *parallel, *queue, *pool, *body, *grace;
	struct mcp_places places;
};

#define AT(field) offsetof(struct daemon_options, field)
#define BASE(field) offsetof(struct daemon_options, serve.mcp.base.field)
#define WORD(name) AT(words.v[WORD_##name])
#define LIMIT(name) AT(words.v[WORD_LIMIT + LIMIT_##name])
static const struct option_row options[] = {
	{"", OPTION_GROUP, 0, "", "The server"},
	{"listen", OPTION_VALUE, AT(listen), "ADDRESS:PORT",
			"address to listen on (default: " LISTEN_DEFAULT "); with port 0 the system "
			"chooses one, and the first line of the output names it"},
	{"open", OPTION_VALUE, AT(open), "SCOPES",
			"what callers without a token may do, such as check,run; only on a loopback "
			"address (default: nothing)"},
	{"name", OPTION_LIST, AT(names), "NAME",
			"further name of this server in Host headers, such as that of a reverse proxy; "
			"may be repeated"},
	{"origin", OPTION_LIST, AT(origins), "ORIGIN",
			"origin whose web pages may call, such as https://example.org; may be "
			"repeated"},
	{"parallel", OPTION_VALUE, AT(parallel), "N",
			"maximum number of runs at the same time (default: 4 for each CPU, at most 256)"},
	{"queue", OPTION_VALUE, AT(queue), "N",
			"maximum number of waiting requests; more get status 429 (default: 256)"},
	{"pool", OPTION_VALUE, AT(pool), "N", "boxes to keep ready (default: 2 for each CPU)"},
	{"preload", OPTION_VALUE, AT(serve.preload), "MODULES",
			"keep as many more boxes ready in which Python has started and imported "
			"these, such as json,re; '' imports none (default: no such boxes)"},
	{"body", OPTION_VALUE, AT(body), "SIZE", "maximum size of a request (default: 16M)"},
	{"grace", OPTION_VALUE, AT(grace), "TIME",
			"time for running requests to finish after SIGTERM (default: 30s)"},
	{"no-gate", OPTION_FLAG, AT(serve.no_gate), "",
			"do not judge commands before they run; only the box protects, as with "
			"caisson run without --gate"},
	{"", OPTION_GROUP, 0, "", "Every run: a request can ask for less, never for more"},
	{"workspace", OPTION_ONCE, WORD(WORKSPACE), "DIR[:ro|rw]",
			"directory to show in the boxes, writable unless :ro"},
	{"read", OPTION_LIST, AT(read), "PATH",
			"file or directory to show read-only in the boxes; may be repeated"},
	{"root", OPTION_ONCE, BASE(root), "DIR",
			"directory to use as the root of the boxes instead of the system's directories"},
	{"image", OPTION_ONCE, BASE(image), "IMAGE",
			"image to use as the root (caisson help images)"},
	{"env", OPTION_LIST, AT(env), "NAME=VALUE",
			"set an environment variable for the programs; may be repeated"},
	{"network", OPTION_LIST, AT(network), "HOSTS",
			"deny (default), loopback, or hosts such as api.example.org (caisson help "
			"network)"},
	{"cpus", OPTION_VALUE, LIMIT(CPUS), "N", "number of CPUs, such as 2 or 0.5 (default: 2)"},
	{"memory", OPTION_VALUE, LIMIT(MEMORY), "SIZE", "memory, such as 512M or 1G (default: 1G)"},
	{"timeout", OPTION_VALUE, LIMIT(TIME), "TIME", "time, such as 30, 500ms or 2m (default: 30s)"},
	{"cpu-time", OPTION_VALUE, LIMIT(CPU_TIME), "TIME", "CPU time of all processes together"},
	{"pids", OPTION_VALUE, LIMIT(PIDS), "N", "processes and threads (default: 256)"},
	{"scratch", OPTION_VALUE, LIMIT(SCRATCH), "SIZE",
			"total size of files in /tmp and the home (default: 128M)"},
	{"output", OPTION_VALUE, LIMIT(OUTPUT), "SIZE", "output of each stream"},
	{"backend", OPTION_VALUE, WORD(BACKEND), "BACKEND",
			"engine that makes the boxes: native (default), another one, or auto "
			"(caisson help backends)"},
	{"require", OPTION_VALUE, WORD(REQUIRE), "cgroup",
			"refuse to run if no cgroup can limit memory and processes"},
	{"accept", OPTION_VALUE, WORD(ACCEPT), "watched",
			"run even if no cgroup enforces --memory: the memory is watched and the box ended "
			"at the limit"},
	{"config", OPTION_VALUE, BASE(config), "FILE", "use this policy file instead of your own"},
	{"help", OPTION_HELP, 0, "", "print this"},
};

static const struct exit_row exits[] = {
		{0, "stopped by SIGTERM or SIGINT, and every run has ended"},
		{EXIT_USAGE, "usage"},
		{EXIT_INTERNAL, "could not start, or lost its workers"},
};

static const struct example_row examples[] = {
		{"caissond token add ci --scopes run,check", "Prints a new token, once."},
		{"caissond", "Serves on 127.0.0.1:8484 for callers with a token."},
		{"caissond --open run,check --listen 127.0.0.1:2000",
				"Lets every user of this machine run code."},
};

static const struct command_row command_daemon = {
		.name = "caissond",
		.alone = true,
		.synopsis = "[OPTIONS]\ntoken add NAME [--scopes SCOPES] [--parallel N] [--per-minute "
			    "N]\ntoken list\n"
			    "token remove NAME",
		.summary = "serve runs and verdicts over HTTP (caisson help serve)",
		.about = "Judges, runs and records commands for HTTP clients: POST /v1/run, POST /v1/check, "
			 "GET /v1/results/ID, GET /v1/audit, GET /metrics, GET /openapi.json; and the APIs "
			 "of Piston (/api/v2/execute) and SandboxFusion (/run_code).\n\n"
			 "Each run has a fresh box, and no box is used twice. caissond prepares boxes in "
			 "advance, so a run starts its program at once.\n\n"
			 "Each caller has a token; caissond stores only its hash. Its scopes are check, "
			 "run, read (results, record, metrics) and admin (all runs). For TLS put a reverse "
			 "proxy in front.",
		.options = options,
		.noptions = ARRAY_SIZE(options),
		.exits = exits,
		.nexits = ARRAY_SIZE(exits),
		.examples = examples,
		.nexamples = ARRAY_SIZE(examples),
};

/* ---- options ---- */

static int take_number(const char *text, const char *name, int64_t most, size_t *ret, struct err *e)
{
	int64_t n;

	if (!text)
		return 0;
	if (num_parse(str_of(text), 0, most, &n) != 0)
		return err_set(e, ERR_INPUT, 0, "--%s is a number from 0 to %lld", name, (long long)most);
	*ret = (size_t)n;
	return 0;
}

/* "[::1]:80" and "127.0.0.1:80" */
static int take_listen(struct arena *a, const char *text, struct serve_options *ret, struct err *e)
{
	struct str all = str_of(text);
	const char *colon = strrchr(text, ':');
	int64_t port;

	if (!colon || num_parse(str_of(colon + 1), 0, 65535, &port) != 0)
		return err_set(e, ERR_INPUT, 0, "--listen is ADDRESS:PORT");
	ret->port = (uint16_t)port;
	ret->address = str_c(a, str_trim(str_sub(all, 0, (size_t)(colon - text)), "[]"));
	return 0;
}

static bool is_loopback(const char *address)
{
	return str_starts(str_of(address), "127.") || !strcmp(address, "::1");
}

static int take_options(struct arena *a, struct daemon_options *o, struct err *e)
{
	struct serve_options *s = &o->serve;
	uint64_t grace = 30000, body = SERVE_BODY_MAX;
	size_t cpus = (size_t)cpus_count();

	s->parallel = 4 * cpus < 256 ? 4 * cpus : 256;
	s->queue = 256;
	s->pool = 2 * cpus < 64 ? 2 * cpus : 64;
	if (take_listen(a, o->listen ? o->listen : LISTEN_DEFAULT, s, e) != 0 ||
			(o->open && serve_scopes_parse(str_of(o->open), &s->open, e) != 0) ||
			take_number(o->parallel, "parallel", 256, &s->parallel, e) != 0 ||
			take_number(o->queue, "queue", 100000, &s->queue, e) != 0 ||
			take_number(o->pool, "pool", 128, &s->pool, e) != 0)
		return -1;
	if (s->preload && !str_only(str_of(s->preload), MODULE_LETTERS))
		return err_set(e, ERR_INPUT, 0, "--preload lists modules with commas, as json,re");
	if (s->open && !is_loopback(s->address))
		return err_set(e, ERR_INPUT, 0, "--open needs a loopback address: others need tokens");
	if ((o->grace && limit_parse(LIMIT_TIME, str_of(o->grace), &grace, e) != 0) ||
			(o->body && limit_parse(LIMIT_OUTPUT, str_of(o->body), &body, e) != 0))
		return -1;
	s->grace_ms = (int64_t)grace;
	s->body = body < SERVE_BODY_MAX ? body : SERVE_BODY_MAX;
	s->parallel += !s->parallel;
	s->names = o->names.first;
	s->origins = o->origins.first;
	s->mcp.base.env = o->env.first;
	s->mcp.base.read = o->read.first;
	o->words.v[WORD_NETWORK] = request_join(a, o->network.first);
	return request_parse(a, &o->words, &s->mcp.base, e);
}

/* ---- serving ---- */

struct daemon_call {
	struct daemon_options *o;
	struct arena a, trial;
};

static int try_options(void *arg)
{
	struct daemon_call *d = arg;
	struct str refused;
	struct err e = {0};

	if (mcp_try_options(&d->a, &d->trial, &d->o->serve.mcp, &d->o->places, &refused, &e) != 0)
		return usage_wrong(&command_daemon, e.text);
	if (refused.n)
		output_error("nothing will run: %.*s", STR_ARG(refused));
	return 0;
}

static int tokens_path(struct arena *a, const char **ret, struct err *e)
{
	struct record_home h;
	struct str dir;

	home_find(a, &h);
	if (state_folder(a, h.state, h.view.project, h.uid, "serve", &dir, e) != 0)
		return -1;
	*ret = str_c(a, str_path(a, dir, STR("tokens.json")));
	return 0;
}

static int serve_http(void *arg)
{
	struct daemon_call *d = arg;
	struct serve_options *s = &d->o->serve;
	struct err e = {0};
	int control, code;
	pid_t spawner;

	if (take_options(&d->a, d->o, &e) != 0)
		return usage_wrong(&command_daemon, e.text);
	code = with_arena(&d->trial, try_options, d);
	if (code != 0)
		return code;
	if (s->preload && serve_spawn_try(s, &e) != 0)
		return usage_wrong(&command_daemon, e.text);
	serve_code_probe(&s->versions);
	spawner = tokens_path(&d->a, &s->tokens, &e) != 0 ? -1 : serve_spawner(s, &control, &e);
	if (spawner < 0) {
		output_error("%s", e.text);
		return EXIT_INTERNAL;
	}
	return serve_run(&d->a, s, control, spawner);
}

/* ---- tokens ---- */

struct token_options {
	const char *scopes, *parallel, *per_minute;
};

#define TOKEN_AT(field) offsetof(struct token_options, field)
static const struct option_row token_options[] = {
		{"scopes", OPTION_VALUE, TOKEN_AT(scopes), "SCOPES",
				"what the token permits: check, run, read, admin, separated by commas "
				"(default: run)"},
		{"parallel", OPTION_VALUE, TOKEN_AT(parallel), "N",
				"maximum number of runs at the same time (default: that of the server)"},
		{"per-minute", OPTION_VALUE, TOKEN_AT(per_minute), "N",
				"maximum number of requests per minute (default: no limit)"},
		{"help", OPTION_HELP, 0, "", "print this"},
};

static const struct command_row command_token = {
		.name = "caissond token",
		.alone = true,
		.synopsis = "add NAME [--scopes SCOPES] [--parallel N] [--per-minute N]\nlist\nremove NAME",
		.summary = "manage the tokens of callers; only their hashes are stored",
		.options = token_options,
		.noptions = ARRAY_SIZE(token_options),
		.exits = exits,
		.nexits = ARRAY_SIZE(exits),
};

struct token_call {
	struct arena a;
	struct token_options o;
	const char *verb, *name, *path;
	struct serve_tokens tokens;
};

static size_t token_index(const struct token_call *t)
{
	size_t i = 0;

	while (i < t->tokens.n && strcmp(t->tokens.v[i].name, t->name) != 0)
		i++;
	return i;
}

static bool is_token_name(const char *name)
{
	return name[0] && strlen(name) <= SERVE_NAME_MAX && strcmp(name, SERVE_ANONYMOUS) != 0 &&
	       str_only(str_of(name), "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.");
}

static int add_token(struct token_call *t, struct err *e)
{
	struct serve_token *new = &t->tokens.v[t->tokens.n];
	char secret[SERVE_SECRET_MAX];
	size_t parallel = 0, minute = 0;

	if (!is_token_name(t->name))
		return err_set(e, ERR_INPUT, 0, "a name has at most %d letters, digits, '-', '_' and '.'",
				SERVE_NAME_MAX);
	if (token_index(t) < t->tokens.n)
		return err_set(e, ERR_INPUT, 0, "there is a token '%s' already", t->name);
	if (t->tokens.n == SERVE_TOKENS_MAX)
		return err_set(e, ERR_LIMIT, 0, "there are %d tokens already", SERVE_TOKENS_MAX);
	*new = (struct serve_token){.scopes = SERVE_RUN};
	if ((t->o.scopes && serve_scopes_parse(str_of(t->o.scopes), &new->scopes, e) != 0) ||
			take_number(t->o.parallel, "parallel", 100000, &parallel, e) != 0 ||
			take_number(t->o.per_minute, "per-minute", 1000000, &minute, e) != 0 ||
			serve_token_new(new, secret, e) != 0)
		return -1;
	str_put(new->name, sizeof(new->name), "%s", t->name);
	new->parallel = (uint32_t)parallel;
	new->per_minute = (uint32_t)minute;
	t->tokens.n++;
	if (serve_tokens_write(&t->a, t->path, &t->tokens, e) != 0)
		return -1;
	return output_write(str_fmt(&t->a, "%s\n", secret), 0);
}

static int remove_token(struct token_call *t, struct err *e)
{
	size_t i = token_index(t);

	if (i == t->tokens.n)
		return err_set(e, ERR_INPUT, 0, "there is no token '%s'", t->name);
	t->tokens.v[i] = t->tokens.v[--t->tokens.n];
	return serve_tokens_write(&t->a, t->path, &t->tokens, e);
}

static int list_tokens(struct token_call *t)
{
	struct buf b;

	buf_init(&b, &t->a, 0);
	for (size_t i = 0; i < t->tokens.n; i++) {
		buf_fmt(&b, "%s\t", t->tokens.v[i].name);
		serve_scopes_put(&b, t->tokens.v[i].scopes);
		buf_fmt(&b, "\t%u\t%u\n", t->tokens.v[i].parallel, t->tokens.v[i].per_minute);
	}
	return output_write(buf_view(&b), 0);
}

static int change_tokens(void *arg)
{
	struct token_call *t = arg;
	struct err e = {0};
	int rc = -1;

	if (tokens_path(&t->a, &t->path, &e) == 0 && serve_tokens_read(&t->a, t->path, &t->tokens, &e) == 0)
		rc = !strcmp(t->verb, "add")      ? add_token(t, &e)
		     : !strcmp(t->verb, "remove") ? remove_token(t, &e)
						  : list_tokens(t);
	if (rc >= 0)
		return rc;
	output_error("token %s: %s", t->verb, e.text);
	return e.kind == ERR_INPUT ? EXIT_USAGE : EXIT_INTERNAL;
}

/* caissond token VERB [NAME] [OPTIONS] */
static int run_token(int argc, char **argv)
{
	struct token_call t = {.verb = argc > 1 ? argv[1] : "--help"};
	bool named = !strcmp(t.verb, "add") || !strcmp(t.verb, "remove");
	int skip = named ? 2 : 1, code;

	if (!strcmp(t.verb, "--help") || !strcmp(t.verb, "-h"))
		return usage_output(&command_token);
	if ((!named && strcmp(t.verb, "list") != 0) || argc <= skip)
		return usage_wrong(&command_token, "it is add NAME, list or remove NAME");
	t.name = argv[skip];
	if (!options_only(&command_token, argc - skip, argv + skip, &t.o, &code))
		return code;
	return with_arena(&t.a, change_tokens, &t);
}

static int start(int argc, char **argv)
{
	static struct daemon_options o; /* large, and the spawner keeps it */
	struct daemon_call d = {.o = &o};
	struct arena a;
	struct buf b;
	int code;

	signal(SIGPIPE, SIG_IGN);
	if (argc > 1 && !strcmp(argv[1], "token"))
		return run_token(argc - 1, argv + 1);
	if (argc == 2 && !strcmp(argv[1], "--version"))
		return output_write(STR("caissond " CAISSON_VERSION "\n"), 0);
	if (argc == 2 && !strcmp(argv[1], "--man")) {
		arena_init(&a, ARENA_CAP_DEFAULT);
		buf_init(&b, &a, 0);
		man_print(&b, &command_daemon);
		code = output_write(buf_view(&b), 0);
		arena_free(&a);
		return code;
	}
	if (!options_only(&command_daemon, argc, argv, &o, &code))
		return code;
	o.serve.mcp.version = CAISSON_VERSION;
	return with_arena(&d.a, serve_http, &d);
}

/* The spawner and the workers overwrite the arguments by their title, and use the options. */
static char **copy_arguments(int argc, char **argv)
{
	char **copy = calloc((size_t)argc + 1, sizeof(*copy));

	for (int i = 0; copy && i < argc; i++)
		if (!(copy[i] = strdup(argv[i])))
			return NULL;
	return copy;
}

int main(int argc, char **argv)
{
	char **copy = copy_arguments(argc, argv);

	title_known(argc, argv);
	box_entry(argc, argv);
	return copy ? stack_run(start, argc, copy) : EXIT_INTERNAL;
}
