/* caisson mcp: serves its tools (client/mcp_tools.c) to clients of the Model Context Protocol. */
#define _GNU_SOURCE
#include <limits.h>
#include <stddef.h>
#include <unistd.h>

#include "base/num.h"
#include "cli/cli.h"
#include "client/mcp.h"
#include "run/job.h"
#include "sys/directory.h"
#include "sys/file.h"

struct server_options {
	struct mcp_options mcp;
	struct run_words words; /* the part of mcp.base that is still to be parsed */
	struct option_list network; /* becomes one of the words */
	struct option_list env, read, write;
	const char *parallel;
	/* identity of project and workspace at the start */
	struct directory pin, place;
};

#define AT(field) offsetof(struct server_options, mcp.base.field)
#define WORD(name) offsetof(struct server_options, words.v[WORD_##name])
#define LIMIT(name) offsetof(struct server_options, words.v[WORD_LIMIT + LIMIT_##name])
static const struct option_row options[] = {
	{"profile", OPTION_VALUE, WORD(PROFILE), "NAME",
			"exec (default): nothing of the caller's; work: the project, writable, and the "
			"home's toolchains"},
	{"workspace", OPTION_VALUE, WORD(WORKSPACE), "DIR[:ro|rw]",
			"a directory that is seen in the boxes, writable unless :ro"},
	{"read", OPTION_LIST, offsetof(struct server_options, read), "PATH",
			"a file or directory that can be read in the boxes; may be repeated"},
	{"write", OPTION_LIST, offsetof(struct server_options, write), "PATH",
			"one that can be written as well; may be repeated"},
	{"root", OPTION_VALUE, AT(root), "DIR",
			"a directory whose content is the root of the boxes, in place of the system's "
			"directories"},
	{"env", OPTION_LIST, offsetof(struct server_options, env), "NAME=VALUE",
			"a variable for the programs; may be repeated"},
	{"cpus", OPTION_VALUE, LIMIT(CPUS), "N", "CPUs, as 2 or 0.5"},
	{"memory", OPTION_VALUE, LIMIT(MEMORY), "SIZE", "memory, as 512M or 1G; a plain number is megabytes"},
	{"timeout", OPTION_VALUE, LIMIT(TIME), "TIME",
			"time, as 30, 1.5, 500ms or 2m; a plain number is seconds"},
	{"cpu-time", OPTION_VALUE, LIMIT(CPU_TIME), "TIME",
			"CPU time of all processes together (default: no limit but --timeout)"},
	{"io", OPTION_VALUE, LIMIT(IO), "SIZE",
			"bytes a second from each disk, and as many to it, as 20M (default: no limit)"},
	{"pids", OPTION_VALUE, LIMIT(PIDS), "N", "processes and threads"},
	{"scratch", OPTION_VALUE, LIMIT(SCRATCH), "SIZE", "files in /tmp and the home, all together"},
	{"output", OPTION_VALUE, LIMIT(OUTPUT), "SIZE", "output, each stream by itself"},
	{"network", OPTION_LIST, offsetof(struct server_options, network), "NAME",
			"deny (default), loopback (default of work), hosts as "
			"api.example.org,preset:registries (may be repeated), or host if your policy "
			"permits it (docs/network.md)"},
	{"require", OPTION_VALUE, WORD(REQUIRE), "cgroup",
			"refuse to run where memory and processes cannot be limited by a cgroup"},
	{"accept", OPTION_VALUE, WORD(ACCEPT), "watched",
			"run although no cgroup enforces --memory: the memory is watched, and the box ended "
			"when it is too much"},
	{"backend", OPTION_VALUE, WORD(BACKEND), "NAME",
			"how boxes are made: native (default), another engine, or auto for the first "
			"that can (docs/backends.md)"},
	{"skill", OPTION_VALUE, AT(skill), "FILE", "a skill's file, whose front matter holds for every run"},
	{"task", OPTION_VALUE, WORD(TASK), "TASK",
			"what every run is for: test, typecheck, lint, data, json, custom; else a call may "
			"say it"},
	{"columns", OPTION_VALUE, WORD(COLUMNS), "NAMES",
			"for the task data: columns that must be there, separated by commas"},
	{"schema", OPTION_VALUE, AT(schema), "FILE",
			"for the task json: the JSON Schema that the output must meet"},
	{"validator", OPTION_VALUE, AT(validator), "FILE",
			"a script that judges the results, in a box of its own (docs/validators.md)"},
	{"iso-times", OPTION_FLAG, AT(iso_times), "",
			"Unix times in reports become ISO 8601 (default: they stay as they were printed)"},
	{"agent", OPTION_VALUE, AT(agent), "ID",
			"the agent that asks; kept for the record (default: the client's name)"},
	{"config", OPTION_VALUE, AT(config), "FILE", "a policy file in place of your own"},
	{"parallel", OPTION_VALUE, offsetof(struct server_options, parallel), "N",
			"calls that are worked on at the same time, from 1 to 8 (default); others wait"},
	{"help", OPTION_HELP, 0, "", "print this"},
};

static const struct exit_row exits[] = {
	{0, "standard input ended"},
	{EXIT_USAGE, "usage"},
	{EXIT_INTERNAL, "the client does not read its answers"},
};

static const struct example_row examples[] = {
	{"claude mcp add caisson -- caisson mcp",
			"Claude Code gets a place to run code in, which sees nothing of this machine's "
			"files."},
	{"caisson mcp --profile work --timeout 10m",
			"Runs see the project in the current directory and may take ten minutes."},
	{"caisson mcp --workspace data:ro --memory 4G", "Runs can read one directory, and write nothing."},
};

struct mcp_command {
	const struct command_row *self;
	struct server_options *o;
	struct arena a, trial; /* trial: memory of try_options() */
};

/*
 * Pins the directories that the server was started for. Later calls use them, even if a boxed program renames
 * or replaces them.
 */
static void pin_directories(struct mcp_command *c, const struct job *j)
{
	struct server_options *o = c->o;
	const struct spec *s = &j->run.spec;
	FD_CLEANUP int fd = -1;

	o->pin.path = str_dup(&c->a, j->world.context.view->project);
	fd = o->pin.path.n ? directory_open(str_c(&c->a, o->pin.path)) : -1;
	if (fd >= 0 && directory_identity(fd, &o->pin.id) == 0)
		o->mcp.base.pin = &o->pin;
	if (o->mcp.base.workspace.given && s->workspace.n) {
		o->place = (struct directory){str_dup(&c->a, s->workspace), s->workspace_id};
		o->mcp.base.place = &o->place;
	}
}

/* Checks the options at the start, before a client depends on the server. */
static int try_options(void *arg)
{
	struct mcp_command *c = arg;
	struct job *j = arena_new(&c->trial, struct job);
	struct facts facts;
	struct err e = {0};

	j->request = c->o->mcp.base;
	j->request.code = ":";
	if (job_judge(&c->trial, j, &facts, &e) != 0)
		return usage_wrong(c->self, e.text);
	pin_directories(c, j);
	if (j->refused)
		output_error("mcp: nothing will run: %.*s", STR_ARG(j->judgement.reasons->message));
	return 0;
}

static int serve_mcp(void *arg)
{
	struct mcp_command *c = arg;
	struct err e = {0};
	int code;

	c->o->words.v[WORD_NETWORK] = request_join(&c->a, c->o->network.first);
	if (request_parse(&c->a, &c->o->words, &c->o->mcp.base, &e) != 0)
		return usage_wrong(c->self, e.text);
	code = with_arena(&c->trial, try_options, c);
	if (code != 0)
		return code;
	if (isatty(STDIN_FILENO))
		output_error("mcp: a client of the Model Context Protocol is expected on standard input; see "
				"caisson mcp --help");
	if (mcp_serve(&c->a, &c->o->mcp, STDIN_FILENO, STDOUT_FILENO, &e) == 0)
		return 0;
	output_error("mcp: %s", e.text);
	return EXIT_INTERNAL;
}

static int run_mcp(const struct command_row *self, int argc, char **argv)
{
	struct server_options o = {.mcp.version = CAISSON_VERSION};
	struct mcp_command c = {.self = self, .o = &o};
	int64_t parallel = 0;
	int code;

	if (!options_only(self, argc, argv, &o, &code))
		return code;
	if (o.parallel && num_parse(str_of(o.parallel), 1, MCP_RUNNING_MAX, &parallel) != 0)
		return usage_wrong(self, "--parallel needs a number from 1 to 8");
	o.mcp.parallel = (size_t)parallel;
	o.mcp.base.env = o.env.first;
	o.mcp.base.read = o.read.first;
	o.mcp.base.write = o.write.first;
	return with_arena(&c.a, serve_mcp, &c);
}

const struct command_row command_mcp = {
	.name = "mcp",
	.synopsis = "[OPTIONS]",
	.summary = "serve the tools run, verify_tests, check and result to an agent (MCP)",
	.about = "Speaks the Model Context Protocol on standard input and output, in its versions "
			"2026-07-28, 2025-11-25, 2025-06-18, 2025-03-26 and 2024-11-05. The client starts "
			"it and ends it.\n\n"
		 "The tool run puts a shell command, or code of a language, into a fresh box, as caisson "
		 "run does, and answers with its report; check judges a command without running it; "
		 "result "
		 "shows parts of an output that was too long for the report. What run is given is judged "
		 "first: what would be denied or asked about does not run, and the answer says why.\n\n"
		 "The options say what every run may have. A call can ask for less (a smaller limit, a "
		 "workspace that is read-only), never for more.",
	.options = options,
	.noptions = ARRAY_SIZE(options),
	.exits = exits,
	.nexits = ARRAY_SIZE(exits),
	.examples = examples,
	.nexamples = ARRAY_SIZE(examples),
	.run = run_mcp,
};
