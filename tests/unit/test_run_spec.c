/*
 * From option texts to a request to a spec: rows of options, with parts of the spec or of the error message.
 */
#define _GNU_SOURCE
#include <time.h>

#include "knowledge/variables.h"
#include "record/ticket.h"
#include "run/git_identity.h"
#include "run/run.h"
#include "run/skill.h"
#include "place.h"
#include "sys/file.h"

static struct view here;
static struct run_world world;
static struct policies policies;

static void load(const char *user, const char *system, const char *project)
{
	struct config_source own[2], other = {.name = STR("project.yaml"), .who = WHO_ANYONE};
	struct config_note *notes = NULL;
	struct err e = {0};
	size_t n = 0;

	if (system)
		own[n++] = (struct config_source){.name = STR("system.yaml"), .bytes = str_of(system),
				.who = WHO_SYSTEM};
	if (user)
		own[n++] = (struct config_source){.name = STR("user.yaml"), .bytes = str_of(user),
				.who = WHO_OWNER};
	policies_default(&policies);
	if (n && config_load(A, own, n, &policies.own, &notes, &e) != 0)
		unit_fail(__FILE__, __LINE__, "%s", e.text);
	policies.apart = project;
	if (!project)
		return;
	other.bytes = str_of(project);
	if (config_load(A, &other, 1, &policies.project, &notes, &e) != 0)
		unit_fail(__FILE__, __LINE__, "%s", e.text);
}

/* The list outlives the caller. */
static void set_environ(char *const *list)
{
	size_t n = 0;
	char **copy;

	while (list[n])
		n++;
	copy = arena_array(A, n + 1, sizeof(*copy));
	memcpy(copy, list, n * sizeof(*copy));
	world.environ = copy;
}

struct asked { /* options as written on the command line; NULL or empty: not given */
	char *const *argv;
	const char *code, *lang, *shell, *file, *profile, *workspace, *root, *cwd, *network, *backend,
			*require, *accept, *skill, *task, *agent;
	const char *cpus, *memory, *timeout, *pids, *scratch, *output, *cpu_time, *io;
	struct texts *env, *read, *write;
	bool input, plain;
	double lower[LIMITS]; /* of an agent, as numbers */
};

static int request_of(const struct asked *o, struct run_request *ret, struct err *e)
{
	const struct run_words words = {.v = {[WORD_LANG] = o->lang, [WORD_SHELL] = o->shell,
			[WORD_PROFILE] = o->profile, [WORD_WORKSPACE] = o->workspace,
			[WORD_NETWORK] = o->network, [WORD_BACKEND] = o->backend,
			[WORD_REQUIRE] = o->require, [WORD_ACCEPT] = o->accept, [WORD_TASK] = o->task,
			[WORD_LIMIT + LIMIT_CPUS] = o->cpus, [WORD_LIMIT + LIMIT_MEMORY] = o->memory,
			[WORD_LIMIT + LIMIT_TIME] = o->timeout, [WORD_LIMIT + LIMIT_PIDS] = o->pids,
			[WORD_LIMIT + LIMIT_SCRATCH] = o->scratch, [WORD_LIMIT + LIMIT_OUTPUT] = o->output,
			[WORD_LIMIT + LIMIT_CPU_TIME] = o->cpu_time, [WORD_LIMIT + LIMIT_IO] = o->io}};

	*ret = (struct run_request){.argv = o->argv, .code = o->code, .file = o->file, .root = o->root,
			.cwd = o->cwd, .skill = o->skill, .agent = o->agent, .env = o->env, .read = o->read,
			.write = o->write, .input = o->input, .plain = o->plain};
	for (enum limit l = 0; l < LIMITS; l++)
		if (o->lower[l] && limit_from_number(l, o->lower[l], &ret->lower[l], e) != 0)
			return -1;
	return request_parse(A, &words, ret, e);
}

/* The record keeps options as texts: they must give the same request again. */
static void check_texts(const struct run_request *rq)
{
	struct run_request again = {.argv = rq->argv, .code = rq->code};
	struct run_words words = {0};
	struct err e = {0};

	for (size_t i = 0; request_option(i); i++) {
		struct str text = request_text(A, rq, i);

		*request_slot(&words, &again, i) = text.p ? str_c(A, text) : NULL;
	}
	CHECK_INT(request_parse(A, &words, &again, &e), 0);
	CHECK(!memcmp(rq->limits, again.limits, sizeof(again.limits)));
	CHECK(rq->language == again.language && rq->profile == again.profile && rq->task == again.task &&
			rq->backend == again.backend && rq->require_cgroup == again.require_cgroup &&
			rq->accept_watched == again.accept_watched);
	CHECK(rq->network.given == again.network.given && rq->network.mode == again.network.mode);
	CHECK_STRN(network_request_text(A, &again.network), network_request_text(A, &rq->network));
	CHECK(rq->workspace.given == again.workspace.given &&
			rq->workspace.writable == again.workspace.writable);
	CHECK_STRN(again.workspace.path, rq->workspace.path);
}

/* A spec as one line, or "error: ..." */
static struct str describe(const struct asked *o)
{
	struct run r = {.id = STR("0")};
	struct run_request rq;
	struct err e = {0};
	const struct spec *s = &r.spec;
	struct buf b;

	buf_init(&b, A, 0);
	if (request_of(o, &rq, &e) != 0 || run_skill(A, &rq, &e) != 0 ||
			run_prepare(A, &rq, &world, &policies, &r, &e) != 0) {
		buf_fmt(&b, "error: %s", e.text);
		return buf_view(&b);
	}
	check_texts(&rq);
	buf_c(&b, "argv");
	for (size_t i = 0; s->argv[i]; i++)
		buf_fmt(&b, " [%s]", s->argv[i]);
	buf_fmt(&b, "; gate %.*s; %s cpus %u memory %lluM time %llu pids %u scratch %lluM output %lluM cpu "
			"%llu io %lluM", STR_ARG(r.gate_request.command), profile_name(s->profile),
			s->limits.cpu_milli,
		(unsigned long long)(s->limits.memory / MB), (unsigned long long)s->limits.time_ms,
		s->limits.pids, (unsigned long long)(s->limits.scratch / MB),
		(unsigned long long)(s->limits.output / MB), (unsigned long long)s->limits.cpu_ms,
		(unsigned long long)(s->limits.io / MB));
	buf_fmt(&b, "; network %s home %.*s cwd '%.*s' workspace '%.*s' %s input %d%s%s",
			network_isolated(&s->network) ? "deny" : "host", STR_ARG(s->home), STR_ARG(s->cwd),
			STR_ARG(s->workspace),
		s->workspace_writable ? "rw" : "ro", s->input, s->pass_through ? " through" : "",
		s->require_cgroup ? " cgroup" : s->refuse_watched ? " enforced" : "");
	for (const struct spec_path *p = s->paths; p; p = p->next)
		buf_fmt(&b, "; %s %.*s at '%.*s'", p->writable ? "write" : "read", STR_ARG(p->path),
				STR_ARG(p->at));
	for (const struct spec_file *f = s->files; f; f = f->next)
		buf_fmt(&b, "; file %.*s = %.*s", STR_ARG(f->path), STR_ARG(f->text));
	for (const struct spec_var *v = s->env; v; v = v->next)
		buf_fmt(&b, "; %.*s=%.*s", STR_ARG(v->name), STR_ARG(v->value));
	buf_c(&b, "; scrubbed");
	for (const struct texts *t = r.scrubbed; t; t = t->next)
		buf_fmt(&b, " %.*s", STR_ARG(t->text));
	buf_c(&b, "; capped");
	for (const struct texts *t = r.capped; t; t = t->next)
		buf_fmt(&b, " %.*s", STR_ARG(t->text));
	buf_char(&b, ';');
	return buf_view(&b);
}

/* Parts of the description, each of which must be there; "!x" must not. */
static void expect(const char *file, int line, const struct asked *o, const char *const *wants, size_t n)
{
	struct str got = describe(o);

	for (size_t i = 0; i < n; i++) {
		bool not = wants[i][0] == '!';

		if (str_contains(got, str_of(wants[i] + not)) == not)
			unit_fail(file, line, "%s'%s' in %.*s", not ? "there is " : "no ", wants[i] + not,
					STR_ARG(got));
	}
}
#define EXPECT(o, ...) \
	expect(__FILE__, __LINE__, &(o), (const char *const[]){__VA_ARGS__}, \
			sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))
#define ASK(...) ((struct asked){__VA_ARGS__})
#define ONE(s) (&(struct texts){.text = str_of(s)})
#define ARGV(...) ((char *const[]){__VA_ARGS__, NULL})

static void test_programs(void)
{
	load(NULL, NULL, NULL);
	EXPECT(ASK(.argv = ARGV("ls", "-l", "a b")), "argv [ls] [-l] [a b];", "gate ls -l 'a b';");
	EXPECT(ASK(.argv = ARGV("X=1")), "argv [X=1];", "gate 'X=1';");
	EXPECT(ASK(.argv = ARGV("echo", "it's")), "gate echo 'it'\\''s';");
	EXPECT(ASK(.code = "echo $1"), "argv [bash] [-c] [echo $1];", "gate echo $1;");
	EXPECT(ASK(.code = "echo $1", .argv = ARGV("a")), "argv [bash] [-c] [echo $1] [bash] [a];");
	EXPECT(ASK(.code = "ls", .shell = "sh"), "argv [sh] [-c] [ls];");
	EXPECT(ASK(.code = "1", .lang = "python", .argv = ARGV("x")), "argv [python3] [-c] [1] [x];",
			"gate python3 -c '1';");
	EXPECT(ASK(.code = "1", .lang = "node"), "argv [node] [-e] [1];");
	EXPECT(ASK(.code = "1", .lang = "js"), "argv [node] [-e] [1];");
	EXPECT(ASK(.code = "1", .lang = "perl"), "argv [perl] [-e] [1];");
	EXPECT(ASK(.code = "1", .lang = "ruby"), "argv [ruby] [-e] [1];");
	EXPECT(ASK(.code = "1", .lang = "cobol"), "error: --lang 'cobol': expected one of bash, sh");
	EXPECT(ASK(.code = "1", .shell = "python"), "error: --shell 'python': expected bash, sh or zsh");
	EXPECT(ASK(.code = "1", .shell = "sh", .lang = "bash"),
			"error: use either --shell or --lang");
	EXPECT(ASK(.code = "1", .file = "x"), "error: use either -c or --file");
	EXPECT(ASK(.lang = "python", .argv = ARGV("ls")), "error: --lang needs -c or --file");
	EXPECT(ASK(.argv = NULL), "error: no program given");
	EXPECT(ASK(.argv = ARGV("")), "error: no program given");
}

static void test_scripts(void)
{
	load(NULL, NULL, NULL);
	make_file("a.py", "print(1)\n", 0644);
	make_file("tool", "#!/usr/bin/env -S python3.11 -u\n", 0644);
	make_file("odd name", "#!/bin/sh -e\nls\n", 0644);
	make_file("b.sh", "ls\n", 0644);
	make_file("text", "hello\n", 0644);
	make_file("secret", "x", 0);
	make_dir("ws", 0755);
	make_file("ws/in.py", "2\n", 0644);
	EXPECT(ASK(.file = at("a.py")), "argv [python3] [/caisson/a.py];",
			"file /caisson/a.py = print(1)\n;", "gate python3 -c 'print(1)\n';");
	EXPECT(ASK(.file = at("tool")), "argv [python3] [/caisson/tool];");
	EXPECT(ASK(.file = at("odd name"), .argv = ARGV("x")), "argv [sh] [/caisson/script] [x];",
			"gate #!/bin/sh -e\nls\n;");
	EXPECT(ASK(.file = at("b.sh")), "argv [bash] [/caisson/b.sh];");
	EXPECT(ASK(.file = at("text")), "error: cannot tell the language of");
	EXPECT(ASK(.file = at("text"), .lang = "perl"), "argv [perl] [/caisson/text];");
	EXPECT(ASK(.file = at("none.py")), "error: cannot open");
	EXPECT(ASK(.file = at("ws")), "is not a regular file");
	EXPECT(ASK(.file = ""), "error: --file needs the name of a file");
	EXPECT(ASK(.file = at("ws/in.py"), .workspace = at("ws")),
			str_fmt_c(A, "argv [python3] [%s/ws/in.py];", dir), "!file /caisson");
	if (geteuid() != 0)
		EXPECT(ASK(.file = at("secret"), .lang = "sh"), "error: cannot open");
}

static void test_limits(void)
{
	static const struct {
		const char *option, *value, *want;
	} rows[] = {
		{"memory", "512M", "memory 512M"}, {"memory", "1G", "memory 1024M"},
		{"memory", "64", "memory 64M"}, {"memory", "1.5G", "memory 1536M"},
		{"memory", "65536K", "memory 64M"}, {"memory", "100MiB", "memory 100M"},
		{"memory", "0", "error: --memory '0': expected"}, {"memory", "-1", "error: --memory"},
		{"memory", "", "error: --memory"}, {"memory", "x", "error: --memory"},
		{"memory", "1Q", "error: --memory"},
		{"memory", "999999999999T", "error: --memory"}, {"memory", "1 G", "error: --memory"},
		{"memory", "3M", "error: --memory"},
		{"timeout", "5", "time 5000 "}, {"timeout", "1.25", "time 1250 "},
		{"timeout", "500ms", "time 500 "}, {"timeout", "2m", "time 120000 "},
		{"timeout", "1h", "time 3600000 "}, {"timeout", "0", "error: --timeout"},
		{"timeout", "-5", "error: --timeout"}, {"timeout", "1e3", "error: --timeout"},
		{"timeout", "0.5ms", "error: --timeout"}, {"timeout", "400h", "error: --timeout"},
		{"cpus", "0.5", "cpus 500 "}, {"cpus", "4", "cpus 4000 "}, {"cpus", "0", "error: --cpus"},
		{"cpus", "0.001", "error: --cpus"}, {"cpus", "nan", "error: --cpus"},
		{"pids", "1", "pids 1 "}, {"pids", "1.5", "error: --pids"}, {"pids", "0", "error: --pids"},
		{"pids", "99999999", "error: --pids"},
		{"scratch", "1G", "scratch 1024M"}, {"scratch", "1K", "error: --scratch"},
		{"output", "2M", "output 2M"}, {"output", "2G", "error: --output"},
		{"cpu_time", "3", "cpu 3000 io 0M;"}, {"io", "20M", "io 20M"}, {"io", "1K", "error: --io"},
	};
	struct asked none = {.code = "ls"};

	load(NULL, NULL, NULL);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct asked w = none;
		const char **at_limit[LIMITS] = {&w.cpus, &w.memory, &w.timeout, &w.pids, &w.scratch,
				&w.output, &w.cpu_time, &w.io};

		for (enum limit l = 0; l < LIMITS; l++)
			if (!strcmp(limit_name(l), rows[i].option))
				*at_limit[l] = rows[i].value;
		expect(rows[i].value, (int)i, &w, &rows[i].want, 1);
	}
	EXPECT(none, "exec cpus 2000 memory 1024M time 30000 pids 256 scratch 128M output 64M cpu 0 io 0M;");
}

static void test_precedence(void)
{
	struct asked plain = {.code = "ls"}, asks = {.code = "ls", .timeout = "100", .memory = "4G"};

	make_file("SKILL.md", "---\nname: x\nsandbox_timeout_sec: 45\n---\n# X\n", 0644);
	make_file("quiet.md", "# no front matter\nsandbox_timeout_sec: 9\n", 0644);
	make_file("bad.md", "---\nsandbox_timeout_sec: soon\n---\n", 0644);
	make_file("open.md", "---\nsandbox_timeout_sec: 45\n# X\n", 0644);
	load("sandbox: {limits: {timeout: 60, memory: 2G}}", NULL, NULL);
	EXPECT(plain, "memory 2048M time 60000", "capped;");
	EXPECT(asks, "memory 4096M time 100000", "capped;");
	EXPECT(ASK(.code = "ls", .skill = at("SKILL.md")), "time 45000");
	EXPECT(ASK(.code = "ls", .skill = dir), "time 45000");
	EXPECT(ASK(.code = "ls", .skill = at("SKILL.md"), .timeout = "7"), "time 7000");
	EXPECT(ASK(.code = "ls", .skill = at("quiet.md")), "time 60000");
	EXPECT(ASK(.code = "ls", .skill = at("bad.md")), "error: ", "sandbox_timeout_sec");
	EXPECT(ASK(.code = "ls", .skill = at("open.md")), "error: ",
			"open.md:1:1: the front matter does not end");
	EXPECT(ASK(.code = "ls", .skill = at("none.md")), "error: cannot open");
	make_file("long.md", "---\nsandbox_timeout_sec: 300\nnetwork: host\n---\n", 0644);
	EXPECT(ASK(.code = "ls", .skill = at("long.md")), "time 60000", "network deny",
			"capped timeout network;");
	EXPECT(ASK(.code = "ls", .skill = at("long.md"), .timeout = "100", .network = "deny"), "time 100000",
			"network deny", "capped;");
	EXPECT(ASK(.code = "ls", .timeout = "50", .lower[LIMIT_TIME] = 100, .lower[LIMIT_MEMORY] = 64),
			"memory 64M time 50000", "capped timeout;");
	EXPECT(ASK(.code = "ls", .lower[LIMIT_TIME] = 10, .lower[LIMIT_MEMORY] = 65536),
			"memory 2048M time 10000", "capped memory;");
	EXPECT(ASK(.code = "ls", .lower[LIMIT_TIME] = 608400, .lower[LIMIT_MEMORY] = 103809024),
			"memory 2048M time 60000", "capped timeout memory;");
	EXPECT(ASK(.code = "ls", .timeout = "169h"), "error: ", "expected a time");
	EXPECT(ASK(.code = "ls", .lower[LIMIT_TIME] = 0.0001), "error: ", "expected a time");
	load("sandbox: {network: host-allowed}", NULL, NULL);
	EXPECT(ASK(.code = "ls", .skill = at("long.md")), "time 300000", "network host", "capped;");
	EXPECT(ASK(.code = "ls", .skill = at("long.md"), .lower[LIMIT_TIME] = 1000), "time 300000",
			"capped timeout;");
	load("sandbox: {limits: {timeout: 60}}", "sandbox: {limits: {timeout: 50, cpus: 1}}", NULL);
	EXPECT(plain, "cpus 1000 ", "time 50000", "capped;");
	EXPECT(asks, "time 50000", "capped timeout;");
	load("sandbox: {limits: {timeout: 60}}", NULL,
			"sandbox: {limits: {timeout: 20, memory: 8G, cpu_time: 5}, network: host-allowed, "
			"env: {pass: [SHAPE]}}");
	EXPECT(plain, "memory 1024M time 20000", "cpu 5000 io 0M;"); /* only smaller */
	EXPECT(asks, "memory 4096M time 20000", "capped timeout;");
	EXPECT(ASK(.code = "ls", .network = "host"), "error: --network 'host' needs");
	load("sandbox: {network: host-allowed}", NULL, NULL);
	EXPECT(ASK(.code = "ls", .network = "host"), "network host");
	EXPECT(plain, "network deny");
	EXPECT(ASK(.code = "ls", .network = "a.example,host"),
			"error: --network 'a.example,host': 'host' cannot be combined with other words");
	EXPECT(ASK(.code = "ls", .network = ""), "error: --network '': expected deny, loopback, host, or");
	load("sandbox: {network: host-allowed}\n", "forbid_lifting: true\n", NULL);
	policy_lock_apply(&policies.own, &(struct policy){0});
	EXPECT(ASK(.code = "ls", .network = "host"), "error: --network 'host' needs");
}

static void test_places(void)
{
	char *ws = at("ws2"), *home = at("home2"), *in;

	load(NULL, NULL, NULL);
	make_dir("ws2", 0755);
	make_dir("ws2/sub", 0755);
	make_dir("home2", 0755);
	make_dir("home2/proj", 0755);
	make_dir("state2", 0700);
	make_file("data", "x", 0644);
	make_link("ws2", "link");
	here.home = str_of(home);
	here.state_dir = str_of(at("state2"));
	EXPECT(ASK(.code = "ls"), "home /home/box cwd '' workspace '' ro input -1");
	EXPECT(ASK(.code = "ls", .input = true, .plain = true, .require = "cgroup"),
			"input 0 through cgroup");
	in = str_fmt_c(A, "workspace '%s' rw", ws);
	EXPECT(ASK(.code = "ls", .workspace = ws), in, "cwd ''");
	EXPECT(ASK(.code = "ls", .workspace = str_fmt_c(A, "%s:ro", ws)),
			str_fmt_c(A, "workspace '%s' ro", ws));
	EXPECT(ASK(.code = "ls", .workspace = str_fmt_c(A, "%s/:rw", ws)), in);
	EXPECT(ASK(.code = "ls", .workspace = str_fmt_c(A, "%s:overlay", ws)),
			"overlay is not available yet");
	EXPECT(ASK(.code = "ls", .workspace = at("none")), "error: --workspace", "does not exist");
	EXPECT(ASK(.code = "ls", .workspace = at("link")), "is a symbolic link; name the directory itself");
	EXPECT(ASK(.code = "ls", .workspace = at("link/")), "is a symbolic link");
	EXPECT(ASK(.code = "ls", .workspace = at("data")), "is not a directory");
	EXPECT(ASK(.code = "ls", .workspace = ""), "error: --workspace needs a name");
	EXPECT(ASK(.code = "ls", .workspace = "/"), "error: --workspace '/' is a directory of the system");
	EXPECT(ASK(.code = "ls", .workspace = "/usr"), "is a directory of the system");
	EXPECT(ASK(.code = "ls", .workspace = home), "the home directory");
	EXPECT(ASK(.code = "ls", .workspace = dir), "or one above it");
	EXPECT(ASK(.code = "ls", .workspace = at("state2")), "caisson's own files");
	EXPECT(ASK(.code = "ls", .workspace = at("home2/proj")), "workspace '");
	EXPECT(ASK(.code = "ls", .workspace = ws, .cwd = at("ws2/sub")), str_fmt_c(A, "cwd '%s/sub'", ws));
	EXPECT(ASK(.code = "ls", .workspace = ws, .cwd = at("ws2/none")),
			"is not a directory of the workspace");
	EXPECT(ASK(.code = "ls", .cwd = "/tmp"), "cwd '/tmp'");
	EXPECT(ASK(.code = "ls", .read = ONE(at("data"))), str_fmt_c(A, "; read %s/data at ''", dir));
	EXPECT(ASK(.code = "ls", .write = ONE(ws), .read = ONE(at("ws2/sub"))),
			str_fmt_c(A, "; write %s at ''; read %s/sub at ''", ws, ws));
	EXPECT(ASK(.code = "ls", .read = ONE(at("none"))), "error: --read", "does not exist");
	EXPECT(ASK(.code = "ls", .read = ONE("/")), "error: --read '/' is the root");
	EXPECT(ASK(.code = "ls", .read = ONE(home)), "the home directory");
	EXPECT(ASK(.code = "ls", .read = ONE("/proc/self")), "error: --read '/proc/self'");
	EXPECT(ASK(.code = "ls", .read = ONE(at("state2"))), "caisson's own files");
	EXPECT(ASK(.code = "ls", .write = ONE("/etc/passwd")),
			"error: --write '/etc/passwd' is a place of the system");
	EXPECT(ASK(.code = "ls", .root = at("data")), "error: --root", "is not a directory");
	EXPECT(ASK(.code = "ls", .root = "/"), "error: --root '/' is the system's own root");
	EXPECT(ASK(.code = "ls", .profile = "play"), "error: --profile 'play': expected exec or work");
	EXPECT(ASK(.code = "ls", .memory = "64M"), "input -1 enforced");
	EXPECT(ASK(.code = "ls", .memory = "64M", .accept = "watched"), "input -1; ");
	EXPECT(ASK(.code = "ls", .lower[LIMIT_MEMORY] = 64), "input -1 enforced");
	/* it wants more than there is, and relies on nothing */
	EXPECT(ASK(.code = "ls", .lower[LIMIT_MEMORY] = 65536), "input -1; ", "capped memory;");
	EXPECT(ASK(.code = "ls", .memory = "64M", .accept = "luck"),
			"error: --accept 'luck': expected watched");
	EXPECT(ASK(.code = "ls", .require = "luck"), "error: --require 'luck': expected cgroup");
	EXPECT(ASK(.code = "ls", .backend = "jail"),
			"error: --backend 'jail': expected one of these: auto native bwrap");
	EXPECT(ASK(.code = "ls", .agent = ""), "error: --agent needs a name");
}

/* The work profile shows only the parts of the home that hold programs, never those that hold credentials. */
static void test_work(void)
{
	static const char *const dirs[] = {"home3", "home3/.cargo", "home3/.cargo/bin",
			"home3/.cargo/registry", "home3/.ssh", "home3/.local", "home3/.local/bin",
			"home3/.local/share", "home3/.local/share/keyrings",
		"home3/.config", "home3/.config/git", "home3/.aws", "home3/proj", "home3/proj/node_modules",
		"home3/proj/node_modules/.bin", "state3"};
	struct asked work = {.code = "ls", .profile = "work"};
	char *home;

	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++)
		make_dir(dirs[i], 0755);
	make_file("home3/.cargo/credentials.toml", "x", 0600);
	make_file("home3/.config/git/credentials", "x", 0600);
	make_file("home3/.config/git/ignore", "x", 0600);
	make_link("../.ssh", "home3/.cargo/git");
	home = at("home3");
	here.home = str_of(home);
	here.state_dir = str_of(at("state3"));
	here.cwd = here.project = str_of(at("home3/proj"));
	set_environ(ARGV(str_fmt_c(A, "PATH=/usr/local/bin:%s/.cargo/bin:%s/.ssh:.:%s/proj/node_modules/.bin:"
			"relative:/usr/bin:/var/x", home, home, home), "NVM_DIR=/n", "NODE_ENV=test"));
	load(NULL, NULL, NULL);
	EXPECT(work, "work cpus 8000 memory 12288M time 600000 pids 4096 scratch 1024M",
			str_fmt_c(A, "home %s cwd '%s/proj' workspace '%s/proj' rw", home, home, home));
	EXPECT(work, str_fmt_c(A, "read %s/.cargo/bin at ''", home),
			str_fmt_c(A, "read %s/.cargo/registry at ''", home),
			str_fmt_c(A, "read %s/.local/bin at ''", home));
	EXPECT(work, str_fmt_c(A, "read %s/.config/git/ignore at ''", home),
			str_fmt_c(A, "at '%s/.cache'", home), str_fmt_c(A, "at '%s/.npm'", home));
	EXPECT(work, "!.ssh", "!credentials", "!keyrings", "!.aws", "!.cargo/git", "NODE_ENV=test",
			"NVM_DIR=/n");
	EXPECT(work, str_fmt_c(A, "PATH=/usr/local/bin:%s/.cargo/bin:%s/proj:%s/proj/node_modules/.bin:/usr/"
			"bin:/usr/local/sbin:/usr/sbin:/sbin:/bin;", home, home, home));
	EXPECT(ASK(.code = "ls"), "!.cargo", "!NODE_ENV",
			"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin;",
			"home /home/box");
	here.project = STR("");
	EXPECT(work, "error: the work profile needs a project");
	here.project = str_of(at("home3/proj"));
}

static void test_protected(void)
{
	static const char *const must[] = {".gitconfig", ".gitmodules", ".bashrc", ".bash_profile", ".zshrc",
			".zprofile", ".profile", ".ripgreprc", ".mcp.json", ".claude.json", ".vscode",
			".idea", ".claude",
		".caisson.yaml", "migrations", "db/schema.sql", "*.lock"};
	struct run_request rq = {.code = "ls",
			.workspace = {.path = str_of(at("home3/proj")), .given = true, .writable = true}};
	struct run r = {0};
	struct err e;

	load("protected_paths: ['migrations/**', '*.lock']", NULL, "protected_paths: [/db/schema.sql]");
	CHECK_INT(run_prepare(A, &rq, &world, &policies, &r, &e), 0);
	for (size_t i = 0; i < ARRAY_SIZE(must); i++) {
		const struct texts *t = r.spec.protected;

		while (t && !str_is(t->text, must[i]))
			t = t->next;
		CHECK_ROW(t, must[i]);
	}
	for (const struct texts *t = r.spec.protected; t; t = t->next)
		CHECK_ROW(!str_is(t->text, ".git") && t->text.p[0] != '/', str_c(A, t->text));
	rq.workspace.writable = false;
	CHECK_INT(run_prepare(A, &rq, &world, &policies, &r, &e), 0);
	CHECK(!r.spec.protected);
}

static void test_environment(void)
{
	static const char *const secret[] = {"ANTHROPIC_API_KEY=x", "CLAUDE_CODE_OAUTH_TOKEN=x",
			"AWS_SECRET_ACCESS_KEY=x", "AWS_ACCESS_KEY_ID=x", "AWS_SESSION_TOKEN=x",
			"AWS_BEARER_TOKEN_BEDROCK=x",
		"GOOGLE_APPLICATION_CREDENTIALS=/x", "AZURE_CLIENT_SECRET=x",
		"ACTIONS_ID_TOKEN_REQUEST_TOKEN=x", "ACTIONS_RUNTIME_TOKEN=x", "OTEL_EXPORTER_OTLP_HEADERS=x",
		"INPUT_ANTHROPIC_API_KEY=x", "GITHUB_TOKEN=x", "MY_TOKEN=x",
		"db_password=x", "FOO_SECRET_BAR=x", "STRIPE_KEY=x", "X_CREDENTIALS=x", "NPM_AUTH=x",
		"SSH_AUTH_SOCK=/x", "PLAIN=ghp_0123456789abcdefghij", "LINK=postgres://u:pw@h/db",
		"JWT=eyJhbGciOi.eyJzdWIi.c2ln", "ID=AKIAABCDEFGHIJKLMNOP"};
	static const char *const harmless[] = {"TZ=UTC", "EDITOR=vi", "LANG=C", "TOKENIZERS_PARALLELISM=1",
			"KEYBOARD=us", "MONKEY=1", "URL=https://example.com/a:b@c", "AUTHOR=me", "ID=AKIAabc",
			"PATH=/bin", "SK=sk-short"};
	static const char *const hijack[] = {"LD_PRELOAD", "LD_LIBRARY_PATH", "DYLD_INSERT_LIBRARIES",
			"PYTHONPATH", "NODE_OPTIONS", "NODE_PATH", "BASH_ENV", "ENV", "GIT_CONFIG_COUNT",
			"GIT_SSH_COMMAND", "PERL5OPT", "RUBYOPT", "RUBYLIB",
		"CLASSPATH", "GOFLAGS", "RUSTFLAGS", "npm_config_script_shell", "PROMPT_COMMAND", "IFS",
		"MAKEFLAGS", "LESSOPEN", "http_proxy", "JAVA_TOOL_OPTIONS", "XDG_CONFIG_HOME"};
	static const char *const free_names[] = {"TZ", "NO_COLOR", "NODE_ENV", "FOO", "LDAP_HOST",
			"ENVIRONMENT", "PYTHONUNBUFFERED"};

	for (size_t i = 0; i < ARRAY_SIZE(secret); i++)
		CHECK_ROW(var_secret(str_n(secret[i], strcspn(secret[i], "=")),
				str_of(strchr(secret[i], '=') + 1)), secret[i]);
	for (size_t i = 0; i < ARRAY_SIZE(harmless); i++)
		CHECK_ROW(!var_secret(str_n(harmless[i], strcspn(harmless[i], "=")),
				str_of(strchr(harmless[i], '=') + 1)), harmless[i]);
	for (size_t i = 0; i < ARRAY_SIZE(hijack); i++)
		CHECK_ROW(variable_hijacks(str_of(hijack[i])), hijack[i]);
	for (size_t i = 0; i < ARRAY_SIZE(free_names); i++)
		CHECK_ROW(!variable_hijacks(str_of(free_names[i])), free_names[i]);
}

static void test_variables(void)
{
	struct asked w = {.code = "ls"};

	set_environ(ARGV("TZ=UTC", "API_TOKEN=1", "LD_PRELOAD=/x.so", "SHAPE=round", "HIDDEN_ONE=1",
			"MY_KEY=2", "BASH_FUNC_x%%=() { id; }", "TERM=xterm", "HOME=/h", "LANG=de_DE.UTF-8"));
	load(NULL, NULL, NULL);
	EXPECT(w, "; TZ=UTC", "!SHAPE", "!LD_PRELOAD", "!BASH_FUNC", "!API_TOKEN=",
			"scrubbed API_TOKEN MY_KEY;", "HOME=/home/box", "LANG=C.UTF-8", "LC_ALL=C.UTF-8",
			"TERM=dumb", "GIT_EDITOR=true", "CAISSON=1", "CLAUDECODE=1", "USER=box",
		"LOGNAME=box", "TMPDIR=/tmp", "SHELL=/bin/bash", "; npm_config_fetch_retries=0",
		"; PIP_RETRIES=0");
	load("sandbox: {env: {pass: [SHAPE, MY_KEY, LD_PRELOAD, 'API_*'], scrub: ['HIDDEN_*']}}", NULL, NULL);
	EXPECT(w, "; SHAPE=round", "; MY_KEY=2", "!LD_PRELOAD", "!API_TOKEN=",
			"scrubbed API_TOKEN HIDDEN_ONE;");
	load("sandbox: {env: {pass: [SHAPE, TZ]}}", NULL,
			"sandbox: {env: {scrub: [SHAPE], pass: [HIDDEN_ONE]}}");
	EXPECT(w, "!SHAPE=", "!HIDDEN_ONE", "scrubbed API_TOKEN SHAPE MY_KEY;");
	load(NULL, NULL, NULL);
	w.env = NULL;
	for (const char *const *t = (const char *const[]){"A=1", "B=x=y", "PATH=/p", "LD_PRELOAD=/mine",
			"A=2", "E=", NULL}; *t; t++)
		texts_add(A, &w.env, str_of(*t));
	EXPECT(w, "; A=2", "!A=1", "; B=x=y", "; PATH=/p", "; LD_PRELOAD=/mine", "; E=;");
	w.agent = "claude";
	EXPECT(w, "error: --env 'LD_PRELOAD': it decides what programs execute, so an agent cannot set it");
	EXPECT(ASK(.code = "ls", .env = ONE("NOVALUE")), "error: --env 'NOVALUE': expected NAME=VALUE");
	EXPECT(ASK(.code = "ls", .env = ONE("=x")), "error: --env");
	EXPECT(ASK(.code = "ls", .env = ONE("a b=x")), "error: --env");
	world.terminal = true;
	EXPECT(ASK(.code = "ls", .plain = true), "TERM=xterm");
	EXPECT(ASK(.code = "ls"), "TERM=dumb");
	world.terminal = false;
}

/* ---- reports ---- */

static const struct run_request no_request, *made_for = &no_request;
static struct run made;

static struct str report(struct outcome *o, const struct judgement *j)
{
	struct report r;
	struct buf b;

	made.world = &world;
	made.rq = made_for;
	made.id = STR("0123");
	buf_init(&b, A, 0);
	report_make(A, &made, o, j, &r);
	report_json(&b, &r);
	return buf_view(&b);
}

static void has(const char *file, int line, struct str got, const char *want)
{
	if (!str_contains(got, str_of(want)))
		unit_fail(file, line, "no '%s' in %.*s", want, (int)(got.n < 2000 ? got.n : 2000), got.p);
}
#define HAS(got, want) has(__FILE__, __LINE__, got, want)

static void test_statuses(void)
{
	static const struct {
		struct outcome o;
		const char *want;
	} rows[] = {
		{{.status = STATUS_OK}, "\"status\":\"ok\",\"exit_code\":0,\"signal\":null"},
		{{.status = STATUS_EXIT_NONZERO, .exit_code = 124},
				"\"status\":\"exit_nonzero\",\"exit_code\":124,"},
		{{.status = STATUS_EXIT_NONZERO, .exit_code = 137},
				"\"status\":\"exit_nonzero\",\"exit_code\":137,"},
		{{.status = STATUS_SIGNAL, .signal = 9},
				"\"status\":\"signal\",\"exit_code\":137,\"signal\":9"},
		{{.status = STATUS_SIGNAL, .signal = 11},
				"\"status\":\"signal\",\"exit_code\":139,\"signal\":11"},
		{{.status = STATUS_TIMEOUT, .exit_code = -1}, "\"status\":\"timeout\",\"exit_code\":124,"},
		{{.status = STATUS_OOM, .exit_code = 0}, "\"status\":\"oom\",\"exit_code\":137,"},
		{{.status = STATUS_OUTPUT_LIMIT}, "\"status\":\"output_limit\",\"exit_code\":153,"},
		{{.status = STATUS_DENIED}, "\"status\":\"denied\",\"exit_code\":126,"},
		{{.status = STATUS_NEEDS_APPROVAL}, "\"status\":\"needs_approval\",\"exit_code\":126,"},
		{{.status = STATUS_UNKNOWN, .interrupted = 2}, "\"status\":\"unknown\",\"exit_code\":130,"},
		{{.status = STATUS_UNKNOWN}, "\"status\":\"unknown\",\"exit_code\":125,"},
		{{.status = STATUS_SETUP_ERROR, .err_setup = {.text = "no \"room\""}},
				"\"error\":\"no \\\"room\\\"\""},
		{{0}, "\"status\":\"setup_error\",\"exit_code\":125,"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct outcome o = rows[i].o;
		struct str got = report(&o, NULL);

		HAS(got, rows[i].want);
		HAS(got, o.status == STATUS_OK ? "\"is_error\":false" : "\"is_error\":true");
	}
}

static void test_streams(void)
{
	size_t n = 3 * RUN_STREAM_MAX;
	char *big = arena_alloc(A, n);
	struct outcome o = {.status = STATUS_OK, .out = {.text = STR("a\xFFz\0b"), .total = 5}};
	struct str got, kept;
	struct stat st;

	HAS(report(&o, NULL), "\"stdout\":\"a\xEF\xBF\xBDzb\"");
	HAS(report(&o, NULL), "\"sanitized\":{\"nul\":1,\"bad_utf8\":1},\"redacted\":0,");
	for (size_t i = 0; i < n; i++)
		big[i] = i % 64 == 63 ? '\n' : 'x';
	o.out = (struct stream){.text = str_n(big, n), .total = n};
	here.state_dir = str_of(at("state3"));
	got = report(&o, NULL);
	HAS(got, "\\n... truncated (49088 more lines) ...\\n");
	HAS(got, "\"truncated\":{\"stdout\":{\"total_bytes\":3145728,\"total_lines\":49152,"
			"\"omitted_bytes\":3141632,\"omitted_lines\":49088,\"dropped_bytes\":0,\"path\":\"");
	HAS(got, "state3/outputs/0123-stdout.txt\"},\"stderr\":null}");
	CHECK(got.n < 3 * TRUNCATE_DEFAULT);
	CHECK_INT(file_read(A, at("state3/outputs/0123-stdout.txt"), n + 1, &kept, &st, NULL), 0);
	CHECK_STRN(kept, o.out.text);
	CHECK_INT(st.st_mode & 07777, 0600);
	HAS(report(&o, NULL), "\"path\":null"); /* the name is taken: no file is ever written over */
	o.out = (struct stream){.text = str_n(big, 10), .total = 1000, .lost_lines = 7};
	HAS(report(&o, NULL),
			"{\"total_bytes\":1000,\"total_lines\":7,\"omitted_bytes\":990,\"omitted_lines\":7,"
			"\"dropped_bytes\":990,\"path\":null}");
	here.state_dir = STR("");
	o.out = (struct stream){.text = str_n(big, n), .total = n};
	HAS(report(&o, NULL), "\"path\":null");
}

/* The same hint for those who have options, those who have arguments and those who have neither. */
static void test_audiences(void)
{
	static const struct {
		enum audience who;
		enum status status;
		const char *want, *said;
	} rows[] = {
		{AUDIENCE_TERMINAL, STATUS_EXIT_NONZERO, "'--network preset:registries' lets it be fetched",
				"npm error code ENOTCACHED"},
		{AUDIENCE_CLIENT, STATUS_EXIT_NONZERO, "run the install as a separate command",
				"npm error code ENOTCACHED"},
		{AUDIENCE_MCP, STATUS_EXIT_NONZERO, "only the user who started this server can allow",
				"npm error code ENOTCACHED"},
		{AUDIENCE_CLIENT, STATUS_EXIT_NONZERO, "the user can change 'sandbox.limits.pids'",
				"fork: retry: Resource temporarily unavailable"},
		{AUDIENCE_MCP, STATUS_EXIT_NONZERO, "the argument 'memory_mb' changes it", "MemoryError"},
		{AUDIENCE_TERMINAL, STATUS_OOM,
				"the memory limit was reached; --memory sets another", ""},
		{AUDIENCE_MCP, STATUS_TIMEOUT,
				"reached; the argument 'timeout_sec' changes it, up to the server's own",
				""},
		{AUDIENCE_MCP, STATUS_OOM, "reached; the argument 'memory_mb' changes it", ""},
		{AUDIENCE_MCP, STATUS_OUTPUT_LIMIT, "only the user who started this server", ""},
		{AUDIENCE_CLIENT, STATUS_TIMEOUT,
				"the user can change 'sandbox.limits.timeout' in the policy", ""},
		{AUDIENCE_CLIENT, STATUS_OUTPUT_LIMIT,
				"the user can change 'sandbox.limits.output' in the policy", ""},
	};
	static const struct {
		const char *text, *want;
	} texts[] = {
		{"--cwd 'x' is not a directory", "cwd 'x' is not a directory"},
		{"--columns needs --task data", "columns needs task data"},
		{"no cgroup (add --accept watched)", "no cgroup (add the server's option 'accept' watched)"},
		{"say which directory with --workspace",
				"say which directory with the server's option 'workspace'"},
		{"a -- b --, x--timeout", "a -- b --, x--timeout"},
	};
	struct run_request rq = {0};

	made_for = &rq;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct str r;

		rq.audience = rows[i].who;
		r = report(&(struct outcome){.status = rows[i].status, .err = {
				.text = str_of(rows[i].said), .total = strlen(rows[i].said)}}, NULL);
		HAS(r, rows[i].want);
		CHECK_ROW(rows[i].who == AUDIENCE_TERMINAL || str_contains(r, STR("user who started")) ||
				!str_contains(r, STR("--")), rows[i].want);
	}
	made_for = &no_request;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		CHECK_ROW(str_is(audience_text(A, AUDIENCE_MCP, str_of(texts[i].text)), texts[i].want),
				texts[i].text);
		CHECK_ROW(str_is(audience_text(A, AUDIENCE_TERMINAL, str_of(texts[i].text)), texts[i].text),
				texts[i].text);
	}
}

static void test_hints(void)
{
	static const struct {
		enum status status;
		int code;
		const char *text, *want;
	} rows[] = {
		{STATUS_EXIT_NONZERO, 6, "curl: (6) Could not resolve host: example.com",
				"\"id\":\"network\""}, {STATUS_EXIT_NONZERO, 1, "npm ERR! code EAI_AGAIN",
				"\"id\":\"network\""},
		{STATUS_EXIT_NONZERO, 1, "touch: cannot touch '/x': Read-only file system",
				"\"id\":\"read-only\""},
				{STATUS_EXIT_NONZERO, 1, "MemoryError", "\"id\":\"memory\""},
		{STATUS_EXIT_NONZERO, 1, "fork: retry: Resource temporarily unavailable", "\"id\":\"pids\""},
		{STATUS_EXIT_NONZERO, 1, "cp: error writing 'x': No space left on device",
				"\"id\":\"scratch\""},
		{STATUS_EXIT_NONZERO, 127, "bash: foo: command not found", "\"hints\":[]"},
		{STATUS_EXIT_NONZERO, 126, "./x: cannot execute: required file not found",
				"\"id\":\"not-found\""},
		{STATUS_EXIT_NONZERO, 1, "bash: foo: command not found", "\"hints\":[]"},
		{STATUS_TIMEOUT, -1, "", "\"id\":\"timeout\""}, {STATUS_OOM, -1, "", "\"id\":\"memory\""},
		{STATUS_OUTPUT_LIMIT, -1, "", "\"id\":\"output\""},
		{STATUS_EXIT_NONZERO, 1, "1 test failed", "\"hints\":[]"},
		{STATUS_OK, 0, "warning: Could not resolve host", "\"hints\":[]"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct outcome o = {.status = rows[i].status, .exit_code = rows[i].code,
				.err = {.text = str_of(rows[i].text), .total = strlen(rows[i].text)}};

		HAS(report(&o, NULL), rows[i].want);
	}
	HAS(report(&(struct outcome){.status = STATUS_TIMEOUT}, NULL), "--timeout sets another");
	HAS(report(&(struct outcome){.status = STATUS_TIMEOUT, .by_cpu_time = true}, NULL),
			"--cpu-time sets another");
	test_audiences();
	made.capped = &(struct texts){.text = STR("memory"), .next = &(struct texts){.text = STR("timeout")}};
	HAS(report(&(struct outcome){.status = STATUS_OK}, NULL),
			"the limits 'memory', 'timeout' are smaller than requested");
	made.capped = &(struct texts){.text = STR("pids")};
	HAS(report(&(struct outcome){.status = STATUS_OK}, NULL),
			"the limit 'pids' is smaller than requested");
	made.capped = NULL;
	made.spec.network.mode = NETWORK_HOST;
	HAS(report(&(struct outcome){.status = STATUS_EXIT_NONZERO, .exit_code = 1,
			.err = {.text = STR("Could not resolve host"), .total = 22}}, NULL), "\"hints\":[]");
	made.spec.network.mode = NETWORK_DENY;
}

static void test_refusal(void)
{
	struct reason r = {.id = CHECK_SECRET_READ, .message = STR("reads a secret")};
	struct judgement j = {.verdict = VERDICT_ASK, .reasons = &r};
	struct str got = report(&(struct outcome){.status = STATUS_NEEDS_APPROVAL}, &j);

	HAS(got, "\"reasons\":[{\"id\":\"secret-read\",\"message\":\"reads a secret\"}]");
	HAS(got, "\"duration_ms\":null,\"cpu_ms\":null,\"peak_memory_mb\":null");
	HAS(got, "\"backend\":null");
}

static void test_numbers(void)
{
	struct outcome o = {.status = STATUS_OK, .duration_ms = 12, .cpu_ms = 3, .peak_memory = 5 * MB +
			MB / 4, .peak_by_cgroup = true,
			.enforced = {.memory = ENFORCED_CGROUP2, .time = ENFORCED_TIMER}};

	made.spec.limits = (struct limits){.cpu_milli = 1500, .memory = 512 * MB, .time_ms = 2500, .pids = 7,
			.scratch = MB, .output = MB / 2};
	HAS(report(&o, NULL),
			"\"duration_ms\":12,\"cpu_ms\":3,\"peak_memory_mb\":5.25,"
			"\"peak_memory_by\":\"cgroup\"");
	HAS(report(&o, NULL),
			"\"cpus\":{\"value\":1.5,\"enforced_by\":null},\"memory_mb\":{\"value\":512,"
			"\"enforced_by\":\"cgroup2\"},\"timeout_sec\":{\"value\":2.5,"
			"\"enforced_by\":\"timer\"},\"pids\":{\"value\":7,");
	HAS(report(&o, NULL),
			"\"output_mb\":{\"value\":0.5,\"enforced_by\":null},"
			"\"cpu_time_sec\":{\"value\":null,\"enforced_by\":null},"
			"\"io_mb_sec\":{\"value\":null,\"enforced_by\":null},"
			"\"network\":{\"value\":\"deny\",\"enforced_by\":null}");
}

/* ---- git ---- */

static void test_identity(void)
{
	static const struct {
		const char *text, *want;
	} rows[] = {
		{"[user]\n\tname = Ada L\n\temail = a@example.com\n",
				"[user]\n\tname = \"Ada L\"\n\temail = \"a@example.com\"\n"},
		{"[User]\nNAME=\"Ada # L\" ; comment\n[init]\n  defaultBranch = main\n",
				"[user]\n\tname = \"Ada # L\"\n[init]\n\tdefaultbranch = \"main\"\n"},
		{"[credential]\n\thelper = store\n[url \"https://token@h\"]\n\tname = x\n[alias]\n\tx = "
				"!sh\n", ""},
		{"[user]\nname = a\n[core]\nname = b\n[user]\nname = c", "[user]\n\tname = \"c\"\n"},
		{"[user]\nname = a\\\n[alias]\n", ""}, {"[user]\nname = \"open\n", ""},
		{"[user]\nname = a\x01\n", ""}, {"", ""}, {"name = x", ""},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		make_file("home3/.gitconfig", rows[i].text, 0600);
		CHECK_STR(git_identity(A, NULL, str_of(at("home3"))), rows[i].want);
	}
	make_file("home3/.gitconfig",
			"[user]\nname = Ada\n[include]\npath = more\n[includeIf \"gitdir:~/jobs/\"]\npath = "
			"job\n", 0600);
	make_file("home3/more", "[user]\nemail = a@example.com\n", 0600);
	make_file("home3/job", "[user]\nemail = w@example.com\n", 0600);
	CHECK_STR(git_identity(A, NULL, str_of(at("home3"))),
			"[user]\n\tname = \"Ada\"\n\temail = \"a@example.com\"\n");
	struct str git = str_of(at("home3/jobs/x/.git"));
	struct git_place place = {.top = str_of(at("home3/jobs/x")), .dir = git, .common = git};
	CHECK_STR(git_identity(A, &place, str_of(at("home3"))),
			"[user]\n\tname = \"Ada\"\n\temail = \"w@example.com\"\n");
	make_file("home3/.gitconfig", "[user]\nname = Ada\n[credential]\nhelper = x\n", 0600);
	here.home = str_of(at("home3"));
	EXPECT(ASK(.code = "ls", .profile = "work", .workspace = at("home3/proj")),
			"/home3/.gitconfig = [user]\n\tname = \"Ada\"\n[safe]\n\tdirectory = *\n",
			"!credential");
	EXPECT(ASK(.code = "ls", .workspace = at("home3/proj")), "!gitconfig");
}

/* ---- tickets ---- */

static void test_ticket(void)
{
	struct ticket t = {.command = STR("echo 'a' \"$b\" \xC3\xA9\n\t\\"), .dialect = DIALECT_ZSH,
			.project = {STR("/p"), {1, 2}}, .cwd = STR("q"), .cwd_id = {UINT64_MAX, 1ull << 63},
			.profile = PROFILE_WORK, .time_ms = 120000, .policy = STR("sha256:1"),
			.agent = STR("a1"), .tool_use_id = STR("toolu_1"),
			.network = {.given = true, .words = &(struct texts){.text = STR("a.example:443"),
			.next = &(struct texts){.text = STR("preset:b")}}}}, got;
	struct str id = STR(""), again, state, other;
	uint32_t uid = (uint32_t)geteuid();
	struct err e = {0};
	struct stat st;

	make_dir("state4", 0700);
	state = str_of(at("state4"));
	CHECK_INT(ticket_write(A, state, &t, &id, &e), 0);
	CHECK_INT(ticket_write(A, state, &t, &other, &e), 0);
	CHECK(id.n == 32 && !str_eq(id, other));
	CHECK_INT(stat(str_fmt_c(A, "%.*s/tickets/%.*s", STR_ARG(state), STR_ARG(id)), &st), 0);
	CHECK_INT(st.st_mode & 07777, 0600);
	CHECK_INT(ticket_take(A, state, id, uid, &got, &e), 0);
	CHECK_STRN(got.command, t.command);
	CHECK_STRN(got.cwd, t.cwd);
	CHECK_STRN(got.project.path, t.project.path);
	CHECK(identity_same(got.project.id, t.project.id) && identity_same(got.cwd_id, t.cwd_id));
	CHECK_STRN(ticket_cwd(A, &got), STR("/p/q"));
	CHECK_STRN(got.policy, t.policy);
	CHECK_STRN(got.agent, t.agent);
	CHECK(got.network.given);
	CHECK_STR(network_request_text(A, &got.network), "a.example:443,preset:b");
	CHECK_STRN(got.tool_use_id, t.tool_use_id);
	CHECK(got.dialect == DIALECT_ZSH && got.profile == PROFILE_WORK && got.time_ms == 120000);
	CHECK_INT(ticket_take(A, state, id, uid, &got, &e), -1); /* once */
	CHECK(e.kind == ERR_INPUT && strstr(e.text, "used already"));
	CHECK_INT(ticket_take(A, state, other, uid + 1, &got, &e), -1); /* somebody else's */
	CHECK_INT(chmod(at("state4/tickets"), 0777), 0);
	CHECK_INT(ticket_take(A, state, other, uid, &got, &e), -1);
	CHECK(strstr(e.text, "others may write"));
	CHECK_INT(ticket_write(A, state, &t, &again, &e), -1);
	CHECK_INT(chmod(at("state4/tickets"), 0700), 0);
	CHECK_INT(ticket_take(A, state, other, uid, &got, &e), 0);
	CHECK_INT(ticket_take(A, state, STR("../../etc/passwd"), uid, &got, &e), -1);
	CHECK_INT(ticket_take(A, state, STR("0123456789abcdef0123456789ABCDEF"), uid, &got, &e), -1);
	make_link("/etc/passwd", "state4/tickets/0123456789abcdef0123456789abcdef");
	CHECK_INT(ticket_take(A, state, STR("0123456789abcdef0123456789abcdef"), uid, &got, &e), -1);
	make_file("state4/tickets/0123456789abcdef0123456789abcde0", "{\"v\":1}", 0600);
	CHECK_INT(ticket_take(A, state, STR("0123456789abcdef0123456789abcde0"), uid, &got, &e), -1);
	t.command = STR("a\xFF");
	CHECK_INT(ticket_write(A, state, &t, &again, &e), -1);
	t.command = STR("a\0b");
	CHECK_INT(ticket_write(A, state, &t, &again, &e), -1);
	CHECK_INT(rmdir(at("state4/tickets")), 0); /* nothing is left */
}

static struct ticket asked_in(const char *session, const char *prompt, const char *call)
{
	return (struct ticket){.command = STR("x"), .project = {STR("/p"), {1, 2}}, .cwd = STR(""),
			.cwd_id = {1, 3}, .profile = PROFILE_WORK,
		.client = STR("claude-code"), .session = str_of(session), .prompt = str_of(prompt),
		.tool_use_id = str_of(call), .asked = true,
		.network = {.given = true, .mode = NETWORK_HOST},
		.approved = STR("network executes-file")};
}

/* Is the ticket of a question still there after this event? */
static bool outlives(struct ticket t, struct ticket event, bool over)
{
	struct str state = str_of(at("state5")), id;
	struct ticket got;
	struct err e = {0};
	bool there;

	CHECK_INT(ticket_write(A, state, &t, &id, &e), 0);
	ticket_end_asks(A, state, &event, over);
	there = ticket_take(A, state, id, (uint32_t)geteuid(), &got, &e) == 0;
	if (there)
		CHECK(network_request_is_host(&got.network) && str_is(got.approved, "network executes-file"));
	return there;
}

static void test_ticket_of_question(void)
{
	struct ticket t = asked_in("s", "p1", "c1"), of_subagent = t, contained = t;

	make_dir("state5", 0700);
	CHECK(outlives(t, asked_in("s", "p1", "c1"), false));  /* another hook of the same call */
	CHECK(outlives(t, asked_in("s", "p1", "c2"), false));  /* a call beside it */
	CHECK(outlives(t, asked_in("s", "p1", "c2"), true));
	CHECK(outlives(t, asked_in("s2", "p2", "c1"), true));  /* another session */
	CHECK(outlives(t, asked_in("s", "", "c2"), false));    /* an event that names no prompt */
	CHECK(!outlives(t, asked_in("s", "p2", "c2"), false)); /* the next prompt: it was refused */
	CHECK(!outlives(t, asked_in("s", "p1", "c1"), true));  /* its call is over */
	CHECK(!outlives(t, asked_in("s", "", "c1"), true));
	of_subagent.agent = STR("a1");
	CHECK(outlives(of_subagent, asked_in("s", "p2", "c2"), false));
	contained.asked = false; /* nobody was asked, so nobody can have refused */
	CHECK(outlives(contained, asked_in("s", "p2", "c1"), true));
}

/*
 * Is a ticket taken after its file says something else under this key? The value goes up to the next comma.
 */
static bool taken_with(const char *key, const char *value)
{
	struct ticket t = asked_in("s", "p1", "c1"), got;
	struct str state = str_of(at("state5")), id, text;
	struct err e = {0};
	const char *path;
	char *from;

	CHECK_INT(ticket_write(A, state, &t, &id, &e), 0);
	path = str_fmt_c(A, "state5/tickets/%.*s", STR_ARG(id));
	CHECK_INT(file_read(A, at(path), 1 << 20, &text, NULL, NULL), 0);
	from = strstr(str_c(A, text), key);
	CHECK(from != NULL);
	if (!from)
		return true;
	from += strlen(key);
	text = str_fmt(A, "%.*s%s%s", (int)(text.n - strlen(from)), text.p, value, strchr(from, ','));
	make_file(path, str_c(A, text), 0600);
	return ticket_take(A, state, id, (uint32_t)geteuid(), &got, &e) == 0;
}

static void test_ticket_age(void)
{
	struct timespec t;
	long long now;

	clock_gettime(CLOCK_BOOTTIME, &t);
	now = (long long)t.tv_sec * 1000;
	CHECK(taken_with("\"created_ms\":", str_fmt_c(A, "%lld", now > 60000 ? now - 60000 : 1)));
	CHECK(!taken_with("\"created_ms\":", "0"));
	CHECK(!taken_with("\"created_ms\":", str_fmt_c(A, "%lld", now + 60000)));
	if (now > TICKET_AGE_MS + 60000)
		CHECK(!taken_with("\"created_ms\":", str_fmt_c(A, "%lld", now - TICKET_AGE_MS - 1000)));
	CHECK(!taken_with("\"boot\":", "\"another\""));
	CHECK(!taken_with("\"v\":", "3"));
	CHECK(!taken_with("\"network\":", "7"));
	CHECK(!taken_with("\"network\":", "[\"\"]"));
	CHECK(!taken_with("\"time_ms\":", "999999999999"));
}

int main(void)
{
	if (place_begin() != 0)
		return 1;
	here = (struct view){.cwd = STR("/"), .home = STR("/nonexistent-home"), .user = STR("dev"),
			.uid = 1000};
	world = (struct run_world){.environ = ARGV("PATH=/bin"), .context = {.cwd = STR("/"), .view = &here},
			.machine = {.cpu_milli = 8000, .memory = 16384 * MB}};
	RUN(test_programs);
	RUN(test_scripts);
	RUN(test_limits);
	RUN(test_precedence);
	RUN(test_places);
	RUN(test_work);
	RUN(test_protected);
	RUN(test_environment);
	RUN(test_variables);
	RUN(test_statuses);
	RUN(test_streams);
	RUN(test_hints);
	RUN(test_refusal);
	RUN(test_numbers);
	RUN(test_identity);
	RUN(test_ticket);
	RUN(test_ticket_of_question);
	RUN(test_ticket_age);
	place_end();
	return unit_end();
}
