/* caisson run: runs a command in a fresh box and reports the result. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "box/seatbelt.h"
#include "cli/cli.h"
#include "client/person.h"
#include "cli/run_summary.h"
#include "judge/world.h"
#include "record/handoff.h"
#include "run/job.h"
#include "run/job_unfinished.h"
#include "run/output_filter.h"
#include "sys/file.h"
#include "sys/foreground.h"
#include "sys/path.h"

#define PROGRESS_AFTER_MS 2000
#define FOLLOW_FD 3 /* reports the command's final directory to the client's shell */

extern char **environ;

struct run_options {
	struct run_request rq;
	struct run_words words; /* the part of the request that is still to be parsed */
	struct option_list network; /* becomes one of the words */
	struct option_list env, read, write;
	bool json, print_seatbelt;
	const char *report, *background_after;
};

#define AT(field) offsetof(struct run_options, field)
#define WORD(name) AT(words.v[WORD_##name])
#define LIMIT(name) AT(words.v[WORD_LIMIT + LIMIT_##name])
static const struct option_row options[] = {
	{"", OPTION_GROUP, 0, "", "Program"},
	{"c", OPTION_ONCE, AT(rq.code), "CODE",
			"run this shell text, or code in the language of --lang; operands are its arguments"},
	{"file", OPTION_ONCE, AT(rq.file), "FILE",
			"run this script; --lang, its first line or its name tells the language"},
	{"lang", OPTION_VALUE, WORD(LANG), "LANG",
			"language: python, node, bash, sh, zsh, perl, ruby, php, lua, r, powershell"},
	{"shell", OPTION_VALUE, WORD(SHELL), "bash|sh|zsh", "shell for -c: bash (default), sh, zsh"},
	{"skill", OPTION_ONCE, AT(rq.skill), "FILE",
			"skill file; its front matter may set a time limit, a task, the network, and an "
			"allow-list of programs (caisson help skills)"},
	{"gate", OPTION_FLAG, AT(rq.gate), "",
			"judge first: refuse a command that would be denied or asked about"},
	{"ticket", OPTION_ONCE, AT(rq.ticket), "ID",
			"run the command that a hook judged under this name, once; only with --plain, "
			"--json, --report, --head, --tail, --config"},
	{"", OPTION_GROUP, 0, "", "Files, environment and network"},
	{"profile", OPTION_VALUE, WORD(PROFILE), "exec|work",
			"exec (default): none of your files; work: your project, writable, and the "
			"toolchains in your home"},
	{"workspace", OPTION_ONCE, WORD(WORKSPACE), "DIR[:ro|rw]",
			"directory to show in the box, writable unless :ro"},
	{"read", OPTION_LIST, AT(read), "PATH",
			"file or directory to show read-only; may be repeated"},
	{"write", OPTION_LIST, AT(write), "PATH", "file or directory to show writable; may be repeated"},
	{"root", OPTION_ONCE, AT(rq.root), "DIR",
			"directory to use as the root of the box instead of the system's directories"},
	{"image", OPTION_ONCE, AT(rq.image), "IMAGE",
			"image to use as the root, or none (caisson image list; caisson help images)"},
	{"cwd", OPTION_VALUE, AT(rq.cwd), "DIR",
			"working directory (default: this directory if it is in the workspace, else the "
			"workspace, else the home)"},
	{"env", OPTION_LIST, AT(env), "NAME=VALUE", "set an environment variable; may be repeated"},
	{"stdin", OPTION_FLAG, AT(rq.input), "",
			"pass standard input to the program (default: empty input)"},
	{"network", OPTION_LIST, AT(network), "HOSTS",
			"deny (default), loopback (default of work), hosts such as "
			"api.example.org,preset:registries (may be repeated), or host if your policy permits "
			"it"},
	{"", OPTION_GROUP, 0, "", "Limits (default of the profile exec; of work)"},
	{"cpus", OPTION_VALUE, LIMIT(CPUS), "N", "number of CPUs, such as 2 or 0.5 (default: 2; all)"},
	{"memory", OPTION_VALUE, LIMIT(MEMORY), "SIZE", 
			"memory, such as 512M or 1G; a plain number is megabytes (default: 1G; three "
			"quarters of the machine's)"},
	{"timeout", OPTION_VALUE, LIMIT(TIME), "TIME",
			"time, such as 30, 1.5, 500ms or 2m; a plain number is seconds (default: 30s; 10m)"},
	{"cpu-time", OPTION_VALUE, LIMIT(CPU_TIME), "TIME",
			"CPU time of all processes together (default: no limit but --timeout)"},
	{"io", OPTION_VALUE, LIMIT(IO), "SIZE",
			"bytes a second read from and written to each disk, such as 20M (default: no limit); "
			"needs a cgroup"},
	{"pids", OPTION_VALUE, LIMIT(PIDS), "N", "processes and threads (default: 256; 4096)"},
	{"scratch", OPTION_VALUE, LIMIT(SCRATCH), "SIZE", 
			"total size of files in /tmp and the home (default: 128M; 1G)"},
	{"output", OPTION_VALUE, LIMIT(OUTPUT), "SIZE", "output of each stream"},
	{"", OPTION_GROUP, 0, "", "The box"},
	{"backend", OPTION_VALUE, WORD(BACKEND), "BACKEND",
			"engine that makes the box: native (default), bwrap, docker, podman, runc, crun, "
			"gvisor, systemd, qemu, firecracker, or auto"},
	{"require", OPTION_VALUE, WORD(REQUIRE), "cgroup",
			"refuse to run if no cgroup can limit memory and processes"},
	{"accept", OPTION_VALUE, WORD(ACCEPT), "watched",
			"run even if no cgroup enforces --memory: caisson watches the memory and ends the "
			"box at the limit"},
	{"background", OPTION_FLAG, AT(rq.background), "",
			"with --profile work: processes that outlive the program keep running, until caisson "
			"stop or for 8 hours"},
	{"background-after", OPTION_VALUE, AT(background_after), "TIME",
			"the same, and a program that runs longer than TIME keeps running: the report says "
			"running"},
	{"", OPTION_GROUP, 0, "", "Checking the result"},
	{"task", OPTION_VALUE, WORD(TASK), "TASK",
			"check the result as: test, typecheck, lint, data, json, custom (default: the "
			"skill's task, or recognised from the output)"},
	{"columns", OPTION_VALUE, WORD(COLUMNS), "NAMES",
			"for --task data: required columns, separated by commas; id:integer also sets a "
			"type"},
	{"schema", OPTION_VALUE, AT(rq.schema), "FILE",
			"for --task json: JSON Schema for the output"},
	{"validator", OPTION_VALUE, AT(rq.validator), "FILE",
			"script that checks the result, in its own box: it reads the report and answers as "
			"caisson validate does (caisson help validators)"},
	{"", OPTION_GROUP, 0, "", "The report, the record and the policy"},
	{"json", OPTION_FLAG, AT(json), "",
			"print the report as one JSON object (default unless standard output is a terminal)"},
	{"plain", OPTION_FLAG, AT(rq.plain), "",
			"pass the output through and print no report; a line on standard error if a limit or "
			"the box ended it"},
	{"report", OPTION_VALUE, AT(report), "FILE", "write the report to this file"},
	{"print-seatbelt", OPTION_FLAG, AT(print_seatbelt), "",
			"run nothing: print a profile for macOS's sandbox-exec with the same walls; untested "
			"on macOS (caisson help backends)"},
	{"head", OPTION_VALUE, WORD(HEAD), "N",
			"show the first N lines of each stream in the report instead of 4 KB from both ends; "
			"combines with --tail"},
	{"tail", OPTION_VALUE, WORD(TAIL), "N", "show the last N lines of each stream in the report"},
	{"iso-times", OPTION_FLAG, AT(rq.iso_times), "",
			"convert Unix times in the report to ISO 8601 (default: leave them)"},
	{"agent", OPTION_VALUE, AT(rq.agent), "ID", "name of the agent for the record"},
	{"config", OPTION_VALUE, AT(rq.config), "FILE", "use this policy file instead of your own"},
	OPTION_HELP_ROW,
};

static const struct exit_row exits[] = {
	{0, "the program ended with 0; any other code below 128 that is not listed here is the program's "
			"own"},
	{EXIT_USAGE, "usage"},
	{EXIT_INTERNAL, "the report, or the output of a program that ended with 0, could not be written"},
	{EXIT_TIMEOUT, "the time limit was reached"},
	{EXIT_SETUP, "caisson could not create the box or record the run"},
	{EXIT_REFUSED, "refused by the gate"},
	{128, "128 plus the number of the signal that ended the program"},
	{EXIT_OOM, "the memory limit was reached"},
	{EXIT_OUTPUT_LIMIT, "more output than the limit"},
};

static const struct example_row examples[] = {
	{"caisson run -- /usr/bin/python3 -c 'print(6 * 7)'",
			"Runs a program with its arguments and reports its output."},
	{"caisson run --lang python --timeout 5 -c 'while True: pass'",
			"Stops after five seconds: status timeout, exit code 124."},
	{"caisson run --workspace .:ro --plain -c 'grep -rc TODO . | sort'",
			"Runs shell text that can read the current directory and change nothing."},
	{"caisson run --profile work --gate -c 'make test'",
			"Judges an agent's command, then runs it in its project."},
	{"caisson run --file analyse.py --read data.csv --report report.json -- \"$PWD/data.csv\"",
			"Runs a script with its data at the usual path, and keeps the report in a file."},
};

/* ---- progress ---- */

struct run_progress {
	bool shown;
};

static void show_progress(void *ctx, uint64_t elapsed_ms, uint64_t memory)
{
	struct run_progress *p = ctx;

	if (elapsed_ms < PROGRESS_AFTER_MS)
		return;
	dprintf(STDERR_FILENO, "\r\033[Kcaisson: %llu s, %llu MB", (unsigned long long)elapsed_ms / 1000,
			(unsigned long long)(memory / MB));
	p->shown = true;
}

static void erase_progress(const struct run_progress *p)
{
	if (p->shown)
		dprintf(STDERR_FILENO, "\r\033[K");
}

/* ---- the run ---- */

struct run_call { /* one invocation */
	const struct command_row *self;
	const struct run_options *o;
	/* opened before the run, which may replace the path; -1: none */
	int report_dir;
	struct arena *a, *out;
	struct job job;
	struct output_filter filter; /* with a ticket: cleans the output as it passes */
	bool has_follow_fd;         /* FOLLOW_FD was open at the start, so the caller passed it */
	bool people;                /* output goes to a terminal, and nobody asked for a report on it */
};

static int print_seatbelt(void *arg)
{
	struct run_call *c = arg;
	struct run_words words = c->o->words;
	struct err e = {0};
	struct str text;

	words.v[WORD_NETWORK] = request_join(c->a, c->o->network.first);
	if (request_parse(c->a, &words, &c->job.request, &e) != 0 || job_prepare(c->a, &c->job, &e) != 0 ||
			seatbelt_profile(c->a, &c->job.run.spec, &text, &e) != 0)
		return usage_wrong(c->self, e.text);
	return output_write(text, 0);
}

static int go_or_complain(void *arg)
{
	struct run_call *c = arg;
	struct run_progress progress = {0};
	struct box_progress show = {show_progress, &progress};
	struct run_words words = c->o->words;
	struct err e = {0};
	int rc;

	words.v[WORD_NETWORK] = request_join(c->a, c->o->network.first);
	if (request_parse(c->a, &words, &c->job.request, &e) != 0 || (c->o->background_after &&
			limit_parse(LIMIT_TIME, str_of(c->o->background_after),
			&c->job.request.background_after, &e) != 0))
		return usage_wrong(c->self, e.text);
	if (c->o->rq.ticket && c->job.request.plain && output_filter_start(c->a, environ, &c->filter,
			&e) != 0) {
		output_error("run: %s", e.text);
		return EXIT_SETUP;
	}
	if (c->o->rq.ticket)
		c->job.client = person_client_watch;
	c->job.callers[0] = c->filter.out;
	c->job.callers[1] = c->filter.err;
	rc = job_go(c->a, &c->job, c->job.request.plain || !isatty(STDERR_FILENO) ? NULL : &show, &e);

	erase_progress(&progress);
	if (rc != 0 && c->o->rq.ticket) { /* for a model, which cannot pass options */
		output_error("run: %s; nothing ran: %s", e.text, e.kind == ERR_CONFIG ?
				"no contained command runs until a person corrects the policy (caisson "
				"config verify)" : "call the tool again with the original command");
		return EXIT_USAGE;
	}
	return rc == 0 ? 0 : usage_wrong(c->self, e.text);
}

/* Prints one line for people: why nothing ran. */
static void say_why(const struct job *j)
{
	const struct reason *r = j->report.reasons;

	if (j->report.error.n)
		output_error("run: %.*s", STR_ARG(j->report.error));
	else if (j->refused)
		output_error("run: %s%s%.*s", j->outcome.status == STATUS_DENIED ? "denied" :
				"needs a person's approval", r ? ": " : "", r ? (int)r->message.n : 0,
				r ? r->message.p : "");
}

/* Prints where processes went that stay, if no report is printed. */
static void say_background(const struct job *j)
{
	const struct run_background *k = j->request.plain ? j->report.background : NULL;

	if (k)
		output_error("run: %s in the background as %.*s (caisson logs %.8s, caisson stop %.8s)",
				k->running ? "it goes on" : "processes that it left go on", STR_ARG(k->id),
				k->id.p, k->id.p);
	for (size_t i = 0; k && i < k->npublished; i++)
		output_error("run: http://127.0.0.1:%u leads to it (caisson ports)", k->published[i]);
}

/* Prints the repairs made in the workspace, if no report is printed. */
static void say_changes(const struct job *j)
{
	for (const struct change *c = j->request.plain ? j->outcome.changes : NULL; c; c = c->next)
		output_error("run: in the workspace: '%.*s': %.*s%s%.*s", STR_ARG(c->path), STR_ARG(c->what),
				c->moved_to.n ? ", moved to " : "", STR_ARG(c->moved_to));
}

/* A failed setup may be the workspace's fault. Remember only a host that cannot make any box. */
static void note_ability(struct run_call *c)
{
	struct err why;
	bool failed = c->job.outcome.status == STATUS_SETUP_ERROR;

	handoff_note_box_failure(c->out, c->job.world.context.view->state_dir,
			failed && box_try(c->out, box_backend(NULL), &why) == BOX_IMPOSSIBLE);
}

/*
 * The hook after the command finds the report by the id of the call. If the report cannot be stored, print
 * its hints here: a command broken by the box must not look broken in itself.
 */
static void leave_report(struct run_call *c, struct str report)
{
	const struct ticket *t = &c->job.ticket;
	struct str state = c->job.world.context.view->state_dir;

	note_ability(c);
	handoff_sweep(c->out, state, time(NULL));
	job_unfinished_clear(c->out, &c->job);
	/* a client that ended the run may call no hook about it: the next call tells, and so do we now */
	if (c->job.outcome.interrupted && c->job.report.hints)
		(void)handoff_write(c->out, state, t->session, STR(HANDOFF_ENDED), report);
	if (t->tool_use_id.n && handoff_write(c->out, state, t->session, t->tool_use_id, report) == 0 &&
			!c->job.outcome.interrupted)
		return;
	for (const struct hint *h = c->job.report.hints; h; h = h->next)
		output_error("this ran in a box: %.*s", STR_ARG(h->text));
}

/*
 * True if a link in the workspace, or in another project, led elsewhere when the report's directory was
 * opened before the run. A program may have made that link, so no report goes there.
 */
static bool report_leaves(struct run_call *c)
{
	struct str cwd = c->job.world.context.view->cwd, name = str_of(c->o->report);
	struct str path = path_parent(name.p[0] == '/' ? name : str_path(c->out, cwd, name));
	struct str real = path_of_fd(c->out, c->report_dir);
	struct project_way way;
	struct path_memo memo;

	path_memo_init(&memo, c->out, cwd);
	if (path_leaves(&memo, path, real, c->job.run.spec.workspace))
		return true;
	if (!c->job.world.context.view)
		return false;
	struct project_look look = world_look(&memo, c->job.world.context.view);
	way = project_way(&look, path);
	return way.root.n || (!str_eq(way.real, real) && !path_inside(real, c->job.run.spec.workspace));
}

static int write_report(struct run_call *c, struct str report)
{
	struct err e = {0};

	if (report_leaves(c))
		return output_error(
				"run: the report was not written: '%s' is a link out of the workspace or "
				"project", c->o->report), -1;
	if (file_replace_in(c->report_dir, c->o->report, report, &(struct file_look){.mode = 0600}, &e) != 0)
		return output_error("run: %s", e.text), -1;
	return 0;
}

/*
 * Runs the command in the client's sandbox, which the person's policy trusts, with the shell that the client
 * would have started.
 */
static int run_direct(void *arg)
{
	struct run_call *c = arg;
	const struct ticket *t = &c->job.ticket;
	char *argv[] = {(char *)dialect_name(t->dialect), "-c", str_c(c->out, t->command), NULL};
	struct err e = {0};
	int status;

	output_error("this runs in the sandbox of %.*s, not in a box (sandbox.client_sandbox: trust)",
			STR_ARG(t->client));
	if (foreground_run(str_c(c->out, ticket_cwd(c->out, t)), argv, &status, &e) == 0)
		return status;
	output_error("run: %s", e.text);
	return EXIT_SETUP;
}

/*
 * True if a person probably expected the program to read: a shell or an interpreter without a script, at a
 * terminal, or bytes that wait in a pipe.
 */
static bool expects_input(const struct run_request *rq)
{
	static const char readers[] = "bash sh zsh dash fish python python3 node perl ruby php lua cat";
	int waiting = 0;

	if (rq->input || !isatty(STDERR_FILENO))
		return false;
	if (isatty(STDIN_FILENO))
		return rq->argv && rq->argv[0] && !rq->argv[1] && !rq->code && !rq->file &&
				str_is_any(str_of(rq->argv[0]), readers);
	return ioctl(STDIN_FILENO, FIONREAD, &waiting) == 0 && waiting > 0 &&
			lseek(STDIN_FILENO, 0, SEEK_CUR) < 0 && errno == ESPIPE;
}

/* The program went on when its output could not be written, but success would hide the loss. */
static int say_lost_output(const struct job *j, int code)
{
	int why = j->outcome.out.pass_error;

	if (!j->request.plain || !why)
		return code;
	output_error("run: cannot write 'standard output': %s", strerror(why));
	return code ? code : EXIT_INTERNAL;
}

static int print_report(void *arg)
{
	struct run_call *c = arg;
	const struct job *j = &c->job;
	struct buf b;

	buf_init(&b, c->out, 0);
	report_json(&b, &j->report);
	/* Messages begin a line, also behind the ^C that a terminal shows. */
	if (c->people && (j->outcome.out.open_line || j->outcome.err.open_line || j->outcome.interrupted))
		fd_write_all(STDOUT_FILENO, "standard output", STR("\n"), NULL);
	say_why(j);
	say_changes(j);
	say_background(j);
	if (c->o->rq.ticket && j->request.plain && !j->sandboxed && !j->peeked)
		leave_report(c, buf_view(&b));
	if (c->report_dir >= 0 && write_report(c, buf_view(&b)) != 0)
		return EXIT_INTERNAL;
	if (j->request.plain && !c->o->rq.ticket)
		run_summary(c->out, j, c->people);
	if (c->people && expects_input(&c->o->rq))
		output_error("standard input was empty for the program; --stdin passes yours");
	return j->request.plain ? say_lost_output(j, j->report.code) :
			output_write(buf_view(&b), j->report.code);
}

static int run_one(const struct command_row *self, const struct run_options *o, int report_dir)
{
	struct arena a, out;
	struct run_call c = {.self = self, .o = o, .report_dir = report_dir, .a = &a, .out = &out,
			.job = {.request = o->rq},
			.has_follow_fd = o->rq.ticket && fcntl(FOLLOW_FD, F_GETFD) >= 0};
	int rc;

	arena_init(&a, ARENA_CAP_DEFAULT);
	arena_init(&out, ARENA_CAP_DEFAULT);
	c.people = !o->json && !o->rq.plain && !o->rq.ticket && isatty(STDOUT_FILENO);
	c.job.request.plain |= c.people || (o->rq.ticket && !o->json);
	rc = arena_run(&a, o->print_seatbelt ? print_seatbelt : go_or_complain, &c);
	if (rc == 0 && !o->print_seatbelt)
		rc = arena_run(&out, c.job.direct ? run_direct : print_report, &c);
	if (!output_filter_end(&c.filter)) /* first, or the message would go through the filter */
		output_error("run: the output could not be sanitised, so a part of it is missing");
	if (rc < 0) {
		output_error("run: the memory limit was reached");
		rc = EXIT_SETUP;
	}
	if (c.has_follow_fd && c.job.ticket.follow)
		fd_write_all(FOLLOW_FD, "descriptor 3", c.job.ended_in, NULL);
	if (c.job.outcome.held) /* undertakers of the box still use the memory */
		_exit(rc);
	arena_free(&out); /* meanwhile the kernel removes the box */
	arena_free(&a);
	job_end(&c.job); /* last: the kernel may still be removing the box */
	return rc;
}

/* Checks before the run that the report can be written. */
static bool report_possible(const char *path, int *ret_dir)
{
	const char *slash = strrchr(path, '/');

	if (!path[0] || (slash && !slash[1]))
		return false;
	*ret_dir = file_open_parent(path, NULL);
	return *ret_dir >= 0 && faccessat(*ret_dir, ".", W_OK | X_OK, 0) == 0;
}

/* A ticket fixes the whole run; any option outside this list would change what was judged. */
static bool goes_with_ticket(const char *name)
{
	return str_is_any(str_of(name), "ticket config head tail plain report json");
}

static bool is_given(const struct option_row *row, const struct run_options *o)
{
	const void *at = (const char *)o + row->offset;

	switch (row->kind) {
	case OPTION_FLAG: return *(const bool *)at;
	case OPTION_LIST: return ((const struct option_list *)at)->first;
	case OPTION_VALUE:
	case OPTION_ONCE: return *(const char *const *)at != NULL;
	case OPTION_HELP:
	case OPTION_GROUP: break;
	}
	return false;
}

static bool only_ticket(const struct run_options *o, bool operands)
{
	for (size_t i = 0; i < ARRAY_SIZE(options); i++)
		if (is_given(&options[i], o) && !goes_with_ticket(options[i].name))
			return false;
	return !operands;
}

static int run_boxed(const struct command_row *self, int argc, char **argv)
{
	struct run_options o = {0};
	int code, first = options_take(self, argc, argv, &o, &code);
	FD_CLEANUP int report_dir = -1;

	if (first < 0)
		return code;
	if (o.json && o.rq.plain)
		return usage_wrong(self,
				"use either --json or --plain; --report FILE keeps the report");
	if (o.rq.plain && !o.report && (o.words.v[WORD_HEAD] || o.words.v[WORD_TAIL]))
		return usage_wrong(self,
				"--head and --tail shape the report, but --plain prints none; add --report "
				"FILE");
	if (o.report && !report_possible(o.report, &report_dir))
		return usage_wrong(self, "--report needs a file in a writable directory");
	if (o.rq.ticket && !only_ticket(&o, first < argc))
		return usage_wrong(self,
				"--ticket allows only --plain, --json, --report, --head, --tail and "
				"--config");
	o.rq.argv = argv + first;
	o.rq.env = o.env.first;
	o.rq.read = o.read.first;
	o.rq.write = o.write.first;
	return run_one(self, &o, report_dir);
}

const struct command_row command_run = {
	.name = "run",
	.synopsis = "[OPTIONS] -- PROGRAM [ARGUMENTS]\n"
		    "[OPTIONS] -c 'SHELL TEXT' [ARGUMENTS]\n"
		    "[OPTIONS] --lang LANG -c CODE [ARGUMENTS]\n"
		    "[OPTIONS] --file FILE [ARGUMENTS]",
	.summary = "run a program in a fresh box",
	.about = "Creates a box, runs the program in it, removes the box, and prints a report: how the "
			"program ended, its output, its resources, and what enforced each limit. The program "
			"sees the system's directories, an empty home and /tmp, and what the options name. "
			"It has no network and no privileges, and the kernel ends it at its "
			"limits.\n\nLimits come from the command line, else from the skill, else from your "
			"policy, else from the profile; the system's and the project's policy can lower "
			"them. exec: 2 CPUs, 1024 MB, 30 s, 256 processes, 128 MB of scratch space. work: "
			"all CPUs, three quarters of the memory, 10 minutes, 4096 processes, 1 GB of scratch "
			"space.\n\nThe program gets a fresh environment: variables that look like "
			"credentials are removed and named in the report, and variables that decide which "
			"programs run never pass. Wrong use prints one line on standard error and exits with "
			"64 before anything is created.",
	COMMAND_OPTIONS(options),
	COMMAND_EXITS(exits),
	COMMAND_EXAMPLES(examples),
	.run = run_boxed,
};
