/* caisson audit tail: prints the newest rows, and follows new ones. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "audit/index.h"
#include "cli/record_home.h"
#include "cli/rows.h"
#include "sys/file.h"

#define TAIL_DEFAULT 10
#define TAIL_MAX 10000
#define TICK_MS 1000       /* poll interval even without an inotify event */
#define TICK_BLIND_MS 200  /* poll interval without inotify */

struct audit_tail_options {
	bool json, follow;
	const char *n;
	bool utc;
};

struct audit_tail_job {
	struct arena a;
	struct audit_tail_options o;
	size_t n;
	struct record_home at;
	struct page page;
	struct rows_printer rows;
	char file[AUDIT_FILE_MAX]; /* file and offset after the last row printed; empty: none */
	uint64_t end;
};

/* ---- existing rows ---- */

static int newest(struct audit_tail_job *j, struct err *e)
{
	static const struct audit_filter all = {0};
	struct audit_line *l = arena_new(&j->a, struct audit_line);
	struct search *s;
	int got;

	if (search_new(&j->a, &j->at.audit, &all, j->n, &s, e) < 0)
		return -1;
	while ((got = search_next(s, l, e)) > 0 && !j->page.gone) {
		rows_put(&j->rows, l);
		memcpy(j->file, l->file, strlen(l->file) + 1);
		j->end = l->at + l->text.n + 1;
	}
	search_close(s);
	return got < 0 ? -1 : 0;
}

/* ---- new rows ---- */

static int watch_writes(const struct audit_tail_job *j)
{
	int fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	char path[4096];

	if (fd >= 0 && (j->at.audit.path.n >= sizeof path ||
			!memcpy(path, j->at.audit.path.p, j->at.audit.path.n) ||
			(path[j->at.audit.path.n] = '\0') ||
			inotify_add_watch(fd, path, IN_MODIFY | IN_CREATE | IN_MOVED_TO) < 0))
		fd_close(&fd);
	return fd;
}

/* Waits for a row, an interrupt, or the end of the reader. False: stop. */
static bool wait_for_more(int signals, int writes)
{
	char events[4096];
	struct pollfd fds[] = {{.fd = signals, .events = POLLIN}, {.fd = STDOUT_FILENO},
			{.fd = writes, .events = POLLIN}};

	if (poll(fds, writes >= 0 ? 3 : 2, writes >= 0 ? TICK_MS : TICK_BLIND_MS) < 0)
		return errno == EINTR;
	if (fds[0].revents || (fds[1].revents & (POLLERR | POLLHUP | POLLNVAL)))
		return false;
	while (writes >= 0 && read(writes, events, sizeof events) > 0)
		;
	return true;
}

static int follow(struct audit_tail_job *j, struct err *e)
{
	struct audit_line *l = arena_new(&j->a, struct audit_line);
	struct audit_follow *f;
	sigset_t ending;
	int got = 0;

	if (audit_follow_new(&j->a, &j->at.audit, j->file[0] ? j->file : NULL, j->end, &f, e) < 0)
		return -1;
	slow_end(); /* from here on, waiting is expected */
	sigemptyset(&ending);
	sigaddset(&ending, SIGINT);
	sigaddset(&ending, SIGTERM);
	sigaddset(&ending, SIGHUP);
	sigprocmask(SIG_BLOCK, &ending, NULL);
	FD_CLEANUP int signals = signalfd(-1, &ending, SFD_CLOEXEC | SFD_NONBLOCK);
	FD_CLEANUP int writes = watch_writes(j);
	do {
		while (!j->page.gone && (got = audit_follow_next(f, l, e)) > 0)
			rows_put(&j->rows, l);
		page_flush(&j->page);
	} while (got >= 0 && !j->page.gone && signals >= 0 && wait_for_more(signals, writes));
	audit_follow_close(f);
	return got < 0 ? -1 : 0;
}

/* ---- the command ---- */

static int audit_tail_job_run(void *arg)
{
	struct audit_tail_job *j = arg;
	struct err e = {0};

	home_find(&j->a, &j->at);
	if (home_open(&j->a, &j->at, false, &e) < 0)
		return home_failed("audit tail", &e);
	page_begin(&j->page, &j->a, false);
	rows_begin(&j->rows, &j->a, &j->page, j->o.json ? ROWS_JSON : j->page.terminal ? ROWS_TABLE :
			ROWS_PLAIN);
	j->rows.utc = j->o.utc;
	int rc = newest(j, &e);
	if (rc == 0 && j->o.follow)
		rc = follow(j, &e);
	const int code = page_end(&j->page);
	home_close(&j->at);
	if (rc == 0)
		return code;
	output_error("audit tail: %s", e.text);
	return EXIT_INTERNAL;
}

#define AT(field) offsetof(struct audit_tail_options, field)
static const struct option_row options[] = {
	{"n", OPTION_VALUE, AT(n), "N", "print this many rows (default: 10, at most 10000)"},
	{"f", OPTION_FLAG, AT(follow), "", "follow: print new rows until interrupted"},
	{"json", OPTION_FLAG, AT(json), "", "print the rows as stored, one JSON object a line"},
	{"utc", OPTION_FLAG, AT(utc), "", "times in UTC (default: local time)"},
	OPTION_HELP_ROW,
};

static int run_audit_tail(const struct command_row *self, int argc, char **argv)
{
	struct audit_tail_job j = {0};
	int64_t n = TAIL_DEFAULT;
	int code;

	if (!options_only(self, argc, argv, &j.o, &code))
		return code;
	if (!option_number(self, "-n", j.o.n, 1, TAIL_MAX, &n, &code))
		return code;
	j.n = (size_t)n;
	return with_arena(&j.a, audit_tail_job_run, &j);
}

static const struct exit_row exits[] = {
	{0, "the rows were printed; with -f: interrupted, or the reader went away"},
	{EXIT_NO_RECORD, "no record exists yet"}, {EXIT_USAGE, "usage"},
	{EXIT_INTERNAL, "the record cannot be read, or other users can write to it"},
};

static const struct example_row examples[] = {
	{"caisson audit tail -n 3", "Prints the three newest rows, one line each."},
	{"caisson audit tail -n 100 --json | jq .command", "Prints rows as JSON for a program."},
	{"caisson audit tail -f", "Shows what agents do while they do it."},
};

const struct command_row command_audit_tail = {
	.name = "audit tail",
	.synopsis = "[-n N] [-f] [--json]",
	.summary = "show the newest rows of the record, and follow it",
	.about = "Prints the newest rows, oldest first, one line for each row. -f prints new rows as they "
			"are written, also past midnight.",
	COMMAND_OPTIONS(options),
	COMMAND_EXITS(exits),
	COMMAND_EXAMPLES(examples),
	.run = run_audit_tail,
};
