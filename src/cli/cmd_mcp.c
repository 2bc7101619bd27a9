/* caisson mcp: serves its tools (client/mcp_tools.c) to clients of the Model Context Protocol. */
#define _GNU_SOURCE
#include <limits.h>
#include <stddef.h>
#include <unistd.h>

#include "base/num.h"
#include "cli/cli.h"
#include "client/mcp.h"

struct server_options {
	struct mcp_options mcp;
	struct run_words words; /* the part of mcp.base that is still to be parsed */
	struct option_list network; /* becomes one of the words */
	struct option_list env, read, write;
	const char *parallel;
	struct mcp_places places;
};

#define AT(field) offsetof(struct server_options, mcp.base.field)
#define WORD(name) offsetof(struct server_options, words.v[WORD_##name])
#define LIMIT(name) offsetof(struct server_options, words.v[WORD_LIMIT + LIMIT_##name])
static const struct option_row options[] = {
	{"profile", OPTION_VALUE, WORD(PROFILE), "NAME",
			"exec (default): none of your files; work: your project, writable, and the "
			"toolchains in your home"},
	{"workspace", OPTION_VALUE, WORD(WORKSPACE), "DIR[:ro|rw]",
			"directory to show in the boxes, writable unless :ro"},
	{"read", OPTION_LIST, offsetof(struct server_options, read), "PATH",
			"file or directory to show read-only in the boxes; may be repeated"},
	{"write", OPTION_LIST, offsetof(struct server_options, write), "PATH",
			"file or directory to show writable; may be repeated"},
	{"root", OPTION_VALUE, AT(root), "DIR",
			"directory to use as the root of the boxes instead of the system's directories"},
	{"image", OPTION_VALUE, AT(image), "IMAGE", "image to use as the root (caisson help images)"},
	{"env", OPTION_LIST, offsetof(struct server_options, env), "NAME=VALUE",
			"set an environment variable for the programs; may be repeated"},
	{"cpus", OPTION_VALUE, LIMIT(CPUS), "N", "number of CPUs, such as 2 or 0.5"},
	{"memory", OPTION_VALUE, LIMIT(MEMORY), "SIZE", "memory, such as 512M or 1G; a plain number is "
			"megabytes"},
	{"timeout", OPTION_VALUE, LIMIT(TIME), "TIME",
			"time, such as 30, 1.5, 500ms or 2m; a plain number is seconds"},
	{"cpu-time", OPTION_VALUE, LIMIT(CPU_TIME), "TIME",
			"CPU time of all processes together (default: no limit but --timeout)"},
	{"io", OPTION_VALUE, LIMIT(IO), "SIZE",
			"bytes a second read from and written to each disk, such as 20M (default: no limit)"},
	{"pids", OPTION_VALUE, LIMIT(PIDS), "N", "processes and threads"},
	{"scratch", OPTION_VALUE, LIMIT(SCRATCH), "SIZE", "total size of files in /tmp and the home"},
	{"output", OPTION_VALUE, LIMIT(OUTPUT), "SIZE", "output of each stream"},
	{"network", OPTION_LIST, offsetof(struct server_options, network), "NAME",
			"deny (default), loopback (default of work), hosts such as "
			"api.example.org,preset:registries (may be repeated), or host if your policy permits "
			"it"},
	{"require", OPTION_VALUE, WORD(REQUIRE), "cgroup",
			"refuse to run if no cgroup can limit memory and processes"},
	{"accept", OPTION_VALUE, WORD(ACCEPT), "watched",
			"run even if no cgroup enforces --memory: caisson watches the memory and ends the "
			"box at the limit"},
	{"backend", OPTION_VALUE, WORD(BACKEND), "BACKEND",
			"engine that makes the boxes: native (default), bwrap, docker, podman, runc, crun, "
			"gvisor, systemd, qemu, firecracker, or auto"},
	{"skill", OPTION_VALUE, AT(skill), "FILE", "skill file; its front matter applies to every run"},
	{"task", OPTION_VALUE, WORD(TASK), "TASK",
			"task of every run: test, typecheck, lint, data, json, custom (default: each call "
			"may name one)"},
	{"columns", OPTION_VALUE, WORD(COLUMNS), "NAMES",
			"for --task data: required columns, separated by commas"},
	{"schema", OPTION_VALUE, AT(schema), "FILE",
			"for --task json: JSON Schema for the output"},
	{"validator", OPTION_VALUE, AT(validator), "FILE",
			"script that checks the results, in its own box (caisson help validators)"},
	{"iso-times", OPTION_FLAG, AT(iso_times), "",
			"convert Unix times in reports to ISO 8601 (default: leave them)"},
	{"agent", OPTION_VALUE, AT(agent), "ID",
			"name of the agent for the record (default: the client's name)"},
	OPTION_CONFIG_ROW,
	{"parallel", OPTION_VALUE, offsetof(struct server_options, parallel), "N",
			"number of calls served at the same time, from 1 to 8 (default)"},
	OPTION_HELP_ROW,
};

static const struct exit_row exits[] = {
	{0, "standard input ended"},
	{EXIT_USAGE, "usage"},
	{EXIT_INTERNAL, "the client does not read the answers"},
};

static const struct example_row examples[] = {
	{"claude mcp add caisson -- caisson mcp",
			"Gives Claude Code a tool that runs code without access to your files."},
	{"caisson mcp --profile work --timeout 10m",
			"Runs see the project in the current directory and may take ten minutes."},
	{"caisson mcp --workspace data:ro --memory 4G", "Runs can read one directory and write nothing."},
};

struct mcp_command {
	const struct command_row *self;
	struct server_options *o;
	struct arena a, trial; /* trial: memory of try_options() */
};

/* Checks the options at the start, before a client depends on the server. */
static int try_options(void *arg)
{
	struct mcp_command *c = arg;
	struct str refused;
	struct err e = {0};

	if (mcp_try_options(&c->a, &c->trial, &c->o->mcp, &c->o->places, &refused, &e) != 0)
		return usage_wrong(c->self, e.text);
	if (refused.n)
		output_error("mcp: nothing will run: %.*s", STR_ARG(refused));
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
		output_error("mcp: waits for a client of the Model Context Protocol on standard input; "
				"clients start it themselves (caisson help mcp)");
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
	.summary = "serve runs, checks, results and background boxes to agents (MCP)",
	.about = "Serves the Model Context Protocol on standard input and output, in versions 2026-07-28, "
			"2025-11-25, 2025-06-18, 2025-03-26 and 2024-11-05. The client starts and stops "
			"it.\n\nThe tool run executes a shell command, or code in a language, in a fresh "
			"box, as caisson run does, and returns the report. The tool check judges a command "
			"without running it. The tool result shows parts of an output that was too long for "
			"the report. The tool background lists, reads and ends boxes in the background, and "
			"verify_tests runs the tests of HEAD on the current code. Every run is judged "
			"first: a command that would be denied or asked about does not run, and the answer "
			"says why.\n\nThe options set the limits of every run. A call can ask for less (a "
			"smaller limit, a read-only workspace), never for more.",
	COMMAND_OPTIONS(options),
	COMMAND_EXITS(exits),
	COMMAND_EXAMPLES(examples),
	.run = run_mcp,
};
