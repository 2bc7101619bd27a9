/* Creates the canaries, runs the attempts and reports how each ended. */
#define _GNU_SOURCE
#include "self/selftest_box.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/json_write.h"
#include "image/image_store.h"
#include "sys/clock.h"
#include "sys/file.h"
#include "sys/tree_walk.h"

#define TRIAL_ARENA ((size_t)64 << 20)
/* a box that ends later than this after its time limit was not stopped by it */
#define LATE_MS 1000
#define EXIT_BYTES (1 * MB) /* the kernel lets a process exceed the limit while it ends it */
#define SURVIVE_NS 1500000000L /* time after which a daemon of an attempt has acted */

/* ---- the canaries ---- */

static int make_token(char token[TRIAL_TOKEN + 1], struct err *e)
{
	unsigned char raw[(TRIAL_TOKEN - 8) / 2];

	if (getrandom(raw, sizeof(raw), 0) != (ssize_t)sizeof(raw))
		return err_system(e, "cannot get random bytes");
	memcpy(token, "caisson-", 8);
	for (size_t i = 0; i < sizeof(raw); i++)
		snprintf(token + 8 + 2 * i, 3, "%02x", raw[i]);
	return 0;
}

/*
 * Opens a listener on this host's loopback, which a box must not reach. Without one that attempt has no
 * target and is skipped.
 */
static void listen_here(struct trial_place *p)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	socklen_t n = sizeof(at);

	p->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (p->listener >= 0 && bind(p->listener, (struct sockaddr *)&at, sizeof(at)) == 0 &&
			listen(p->listener, 8) == 0 &&
	    getsockname(p->listener, (struct sockaddr *)&at, &n) == 0)
		p->port = ntohs(at.sin_port);
	else
		fd_close(&p->listener);
}

static int make_files(const struct trial_place *p, struct err *e)
{
	static const struct {
		char path[36], text[24]; /* a trailing slash means a directory */
	} files[] = {
		{"workspace/", ""}, {"workspace/.git/", ""}, {"workspace/.git/hooks/", ""},
		{"workspace/.git/objects/", ""}, {"workspace/.git/refs/", ""}, {"workspace/.claude/", ""},
		{"outside/", ""}, {"workspace/.git/HEAD", "ref: refs/heads/main\n"},
		{"workspace/.git/config", "[core]\n\tbare = false\n"},
		{"workspace/.claude/settings.json", "{}\n"},
		{"outside/canary", "canary\n"}, {"outside/secret", ""},
	};
	FD_CLEANUP int dir = open(p->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);

	for (size_t i = 0; dir >= 0 && i < ARRAY_SIZE(files); i++) {
		bool directory = str_ends(str_of(files[i].path), "/");
		FD_CLEANUP int fd = -1;

		if (directory && mkdirat(dir, files[i].path, 0755) == 0)
			continue;
		fd = directory ? -1 : openat(dir, files[i].path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
				0644);
		if (fd < 0 || fd_write_all(fd, files[i].path, *files[i].text ? str_of(files[i].text) :
				str_of(p->token), e) != 0)
			return err_system(e, "cannot make '%s/%s'", p->dir, files[i].path);
	}
	if (dir < 0 || symlinkat("../outside/canary", dir, "workspace/link") != 0)
		return err_system(e, "cannot make the canaries in '%s'", p->dir);
	return 0;
}

static void place_remove(struct trial_place *p)
{
	fd_close(&p->listener);
	(void)tree_remove(AT_FDCWD, p->dir);
}

static int place_make(struct trial_place *p, const char *dir, struct err *e)
{
	char real[TRIAL_PATH_MAX];

	if (!realpath(dir, real) || (size_t)snprintf(p->dir, sizeof(p->dir),
			"%.4000s/caisson-selftest-XXXXXX", real) >= sizeof(p->dir))
		return err_system(e, "cannot use '%s'", dir);
	if (make_token(p->token, e) != 0)
		return -1;
	if (!mkdtemp(p->dir))
		return err_system(e, "cannot make a directory in '%s'", real);
	if (make_files(p, e) != 0) {
		place_remove(p);
		return -1;
	}
	listen_here(p);
	return 0;
}

/* ---- one attempt ---- */

static const char *wall_name(enum trial_wall w, const struct outcome *o)
{
	static const char names[][16] = {[BY_NOBODY] = "", [BY_NETWORK] = "network ns",
			[BY_MOUNTS] = "mounts", [BY_FILTER] = "seccomp", [BY_PID_NAMESPACE] = "pid namespace",
		[BY_ENVIRONMENT] = "environment", [BY_PRIVILEGES] = "no privileges",
		[BY_PROTECTION] = "pinned mounts"};
	const enum enforcer limits[] = {[BY_MEMORY] = o->enforced.memory, [BY_TIME] = o->enforced.time,
			[BY_PIDS] = o->enforced.pids, [BY_SCRATCH] = o->enforced.scratch,
		[BY_OUTPUT] = o->enforced.output};
	const char *name;

	if (w < BY_MEMORY || w > BY_OUTPUT)
		return names[w];
	name = enforcer_name(limits[w]);
	return name ? name : "nobody";
}

static void judge_trial(struct arena *a, struct trial_place *p, struct selftest_trial *t, const struct run *r,
		const struct outcome *o)
{
	const struct attempt *at = t->attempt;
	const char *wrong = attempt_look(at->look, p);
	uint64_t limit = r->spec.limits.time_ms;

	t->status = o->status;
	t->duration_ms = o->duration_ms;
	t->peak_memory = o->peak_memory;
	t->by = wall_name(at->wall, o);
	t->timed = o->status == STATUS_TIMEOUT;
	t->over_ms = (int64_t)o->duration_ms - (int64_t)limit;
	t->end = TRIAL_BROKEN;
	if (o->status == STATUS_SETUP_ERROR) {
		t->end = TRIAL_UNTRIED;
		t->why = str_fmt(a, "%s", o->err_setup.text);
	} else if (wrong)
		t->why = str_of(wrong);
	else if (str_contains(o->out.text, STR("BREACH\n")))
		t->why = STR("the attempt succeeded");
	else if (str_contains(o->out.text, str_of(p->token)))
		t->why = STR("it read the canary");
	else if (str_starts(o->out.text, "MISSING ")) {
		t->end = TRIAL_UNTRIED;
		t->why = str_fmt(a, "there is no %.*s here", (int)strcspn(str_c(a, o->out.text) + 8, "\n"),
				o->out.text.p + 8);
	} else if (o->out.text.n == 0 && o->status == STATUS_TIMEOUT) { /* allow for a slow machine */
		t->end = TRIAL_UNTRIED;
		t->why = STR("its time limit ended before it began");
	} else if (!str_starts(o->out.text, "tried\n") || !(at->ends & 1u << o->status))
		t->why = str_fmt(a, "it ended with %s", status_name(o->status));
	else if (at->must[0] && !str_contains(o->out.text, str_of(at->must)))
		t->why = str_fmt(a, "its output lacks '%s'", at->must);
	else if (t->over_ms > LATE_MS)
		t->why = STR("it was stopped late");
	else if (at->wall == BY_MEMORY && o->peak_by_cgroup &&
			o->peak_memory > r->spec.limits.memory + EXIT_BYTES)
		/* not for a watched limit: a watcher notices an excess only afterwards */
		t->why = str_fmt(a, "it had %llu MB", (unsigned long long)(o->peak_memory / MB));
	else
		t->end = TRIAL_HELD;
}

/* Variables with our token that a box must not inherit, whatever their names are. */
static char *const *environment(struct arena *a, const struct trial_place *p)
{
	static const char names[][24] = {"AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN", "DB_PASSWORD",
			"CAISSON_SELFTEST"};
	char **env = arena_array(a, ARRAY_SIZE(names) + 2, sizeof(*env));

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		env[i] = str_fmt_c(a, "%s=%s", names[i], p->token);
	env[ARRAY_SIZE(names)] = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
	return env;
}

static const char *program_text(struct arena *a, const struct attempt *at)
{
	return str_fmt_c(a, "exec 2>/dev/null; for p in %s; do command -v $p >/dev/null || { echo MISSING "
			"$p; exit 0; }; done; echo tried; %s", at->need[0] ? at->need : "sh", at->script);
}

static int try_one(struct arena *a, const struct policies *policies, enum backend_choice backend,
		struct trial_place *p, struct selftest_trial *t, struct err *e)
{
	const struct attempt *at = t->attempt;
	char *const argv[] = {"/bin/sh", "-c", (char *)program_text(a, at), p->token, NULL};
	struct run_request *rq = arena_new(a, struct run_request);
	struct run_world world;
	struct run r = {0};
	struct box box = {0};
	struct outcome o;

	if (run_world(a, NULL, &world, e) != 0)
		return -1;
	world.environ = environment(a, p);
	p->home = world.context.view->home;
	*rq = (struct run_request){.argv = argv, .accept_watched = true, .backend = backend,
			.image = IMAGE_NONE, /* the attempts are programs of this machine */
			.network = {.given = true, .mode = NETWORK_DENY}};
	if (at->network[0])
		texts_add(a, &rq->network.words, str_of(at->network));
	memcpy(rq->limits, at->limits, sizeof(rq->limits));
	if (at->workspace)
		rq->workspace = (struct run_workspace){.path = str_fmt(a, "%s/workspace", p->dir),
				.given = true, .writable = true};
	texts_add(a, &rq->env, str_fmt(a, "OUT=%s/outside", p->dir));
	texts_add(a, &rq->env, str_fmt(a, "HOST_HOME=%.*s", STR_ARG(world.context.view->home)));
	texts_add(a, &rq->env, str_fmt(a, "PORT=%u", p->port));
	/* left out where the token is the secret content of the canary */
	if (at->look != LOOK_NOWHERE || at->workspace)
		texts_add(a, &rq->env, str_fmt(a, "TOKEN=%s", p->token));
	if (run_prepare(a, rq, &world, policies, &r, e) != 0)
		return -1;
	run_go(a, &r, &box, &(struct box_start){0}, NULL, &o);
	box_wait(&box, &o);
	judge_trial(a, p, t, &r, &o);
	return 0;
}

/* ---- all attempts ---- */

struct attempt_run { /* arguments of try_one(), with its own arena: output of an attempt is not kept */
	struct arena *a;
	const struct policies *policies;
	enum backend_choice backend;
	struct trial_place *place;
	struct selftest_trial *t;
	struct err *e;
	int rc;
};

static int try_inner(void *arg)
{
	struct attempt_run *o = arg;

	o->rc = try_one(o->a, o->policies, o->backend, o->place, o->t, o->e);
	return 0;
}

static int try_row(struct arena *a, const struct policies *policies, enum backend_choice backend,
		struct trial_place *p, struct selftest_trial *t, struct err *e)
{
	struct arena own;
	struct attempt_run o = {.a = &own, .policies = policies, .backend = backend, .place = p, .t = t,
			.e = e};

	arena_init_in(&own, TRIAL_ARENA, a);
	if (arena_run(&own, try_inner, &o) != 0)
		o.rc = err_limit(e, "attempt '%s': the memory bound was reached", t->attempt->name);
	t->why = str_dup(a, t->why);
	arena_free(&own);
	return o.rc;
}

static void count_trial(struct box_test *test, const struct selftest_trial *t)
{
	test->held += t->end == TRIAL_HELD;
	test->broken += t->end == TRIAL_BROKEN;
	test->untried += t->end == TRIAL_UNTRIED;
}

/* Waits until a process that outlived its box would have acted. */
static void wait_for_survivors(int64_t since)
{
	int64_t left = since + SURVIVE_NS - clock_now();
	struct timespec t = {.tv_sec = left / 1000000000L, .tv_nsec = left % 1000000000L};

	if (left > 0)
		nanosleep(&t, NULL);
}

static int run_all(struct arena *a, const struct policies *policies, enum backend_choice backend,
		struct trial_place *p, struct box_test *ret, struct err *e)
{
	static const struct attempt leftover = {.name = "leftovers",
			.title = "anything left behind", .wall = BY_PID_NAMESPACE};
	struct box_test test = {0};
	struct selftest_trial **end = &test.trials, *t;
	int64_t last = 0;
	const char *wrong;

	for (size_t i = 0; i < nattempts; i++) {
		t = *end = arena_new(a, struct selftest_trial);
		end = &t->next;
		t->attempt = &attempts[i];
		if (try_row(a, policies, backend, p, t, e) != 0)
			return -1;
		if (i == 0 && t->status == STATUS_SETUP_ERROR)
			return err_host(e, "no box can be made: %.*s",
					(int)t->why.n > 300 ? 300 : (int)t->why.n, t->why.p);
		count_trial(&test, t);
		last = clock_now();
	}
	wait_for_survivors(last);
	t = *end = arena_new(a, struct selftest_trial);
	wrong = attempts_leftover(p);
	*t = (struct selftest_trial){.attempt = &leftover, .end = wrong ? TRIAL_BROKEN : TRIAL_HELD,
			.why = wrong ? str_of(wrong) : STR(""), .by = "pid namespace", .status = STATUS_OK};
	count_trial(&test, t);
	*ret = test;
	return 0;
}

int box_test(struct arena *a, const struct policies *p, enum backend_choice backend, const char *dir,
		struct box_test *ret, struct err *e)
{
	struct trial_place place = {.listener = -1};
	int rc;

	if (place_make(&place, dir, e) != 0)
		return -1;
	rc = run_all(a, p, backend, &place, ret, e);
	place_remove(&place);
	return rc;
}

void box_test_json(struct buf *out, const struct box_test *test)
{
	static const char ends[][8] = {"held", "broken", "untried"};

	buf_fmt(out, "{\"held\":%u,\"broken\":%u,\"untried\":%u,\"attempts\":[", test->held, test->broken,
			test->untried);
	for (const struct selftest_trial *t = test->trials; t; t = t->next) {
		buf_fmt(out, "%s{\"name\":\"%s\",\"title\":", t == test->trials ? "" : ",", t->attempt->name);
		json_put_string(out, str_of(t->attempt->title));
		buf_fmt(out, ",\"end\":\"%s\",\"by\":\"%s\",\"status\":\"%s\",\"duration_ms\":%llu",
				ends[t->end], t->by ? t->by : "", status_name(t->status),
				(unsigned long long)t->duration_ms);
		if (t->status == STATUS_OOM)
			buf_fmt(out, ",\"peak_memory_mb\":%llu", (unsigned long long)(t->peak_memory / MB));
		if (t->timed)
			buf_fmt(out, ",\"over_ms\":%lld", (long long)t->over_ms);
		if (t->why.n) {
			buf_c(out, ",\"why\":");
			json_put_string(out, t->why);
		}
		buf_char(out, '}');
	}
	buf_c(out, "]}");
}
