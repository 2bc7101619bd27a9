/* caisson logs: the output of a box in the background, without its secrets. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <unistd.h>

#include "cli/boxes.h"
#include "record/secret_values.h"
#include "result/normalise.h"
#include "result/redact.h"
#include "sys/file.h"

#define PIECE ((size_t)64 << 10)
#define LOOK_EVERY_MS 100

extern char **environ;

struct logs_job {
	struct boxes boxes;
	const char *id;
	bool follow;
	struct normaliser normaliser;
	struct redactor *redactor;
	struct buf plain, clean;
	char piece[PIECE];
};

static const struct option_row options[] = {
		{"f", OPTION_FLAG, offsetof(struct logs_job, follow), "", "follow: print new output until "
				"the box ends"},
		OPTION_HELP_ROW,
};

static const struct exit_row exits[] = {
		{0, "printed"},
		{1, "no such box, or its output is a running call's"},
		{EXIT_USAGE, "usage"},
		{EXIT_INTERNAL, "internal error"},
};

static const struct example_row examples[] = {
		{"caisson logs 3f9a",
				"Prints the output of the box whose id begins with 3f9a."},
		{"caisson logs -f 3f9a", "Prints its output and follows it until the box ends."},
};

static int put_clean(struct logs_job *j)
{
	int rc = j->clean.n ? output_write(buf_view(&j->clean), 0) : 0;

	j->plain.n = j->clean.n = 0;
	return rc;
}

/* Everything that is in the file by now. */
static int pump(struct logs_job *j, int fd)
{
	ssize_t n;

	while ((n = read(fd, j->piece, sizeof(j->piece))) > 0 || (n < 0 && errno == EINTR)) {
		int rc;

		if (n < 0)
			continue;
		normaliser_feed(&j->normaliser, str_n(j->piece, (size_t)n));
		redactor_feed(j->redactor, buf_view(&j->plain), &j->clean);
		rc = put_clean(j);
		if (rc != 0)
			return rc;
	}
	return 0;
}

static int open_log(const struct background *b, const char *name)
{
	return openat(b->dir, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
}

/* The holder has moved the content to log.old, and the file begins again. */
static bool is_cut(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && lseek(fd, 0, SEEK_CUR) > st.st_size && lseek(fd, 0, SEEK_SET) == 0;
}

static int show(struct logs_job *j, const struct background *b)
{
	FD_CLEANUP int old = open_log(b, "log.old");
	FD_CLEANUP int fd = open_log(b, "log");
	int rc = old >= 0 ? pump(j, old) : 0;
	bool ended = !j->follow;

	if (fd < 0) {
		output_error("logs: the box '%.*s' belongs to a call that is still running, which has its "
			     "output",
				STR_ARG(b->id));
		return 1;
	}

	while (rc == 0) {
		rc = pump(j, fd);
		if (is_cut(fd))
			continue;
		if (ended)
			break;
		/* what is written until the end of the holder is read once more */
		ended = background_wait(b, &j->boxes.a, j->boxes.state, LOOK_EVERY_MS);
	}
	if (rc != 0)
		return rc;
	normaliser_end(&j->normaliser);
	redactor_feed(j->redactor, buf_view(&j->plain), &j->clean);
	redactor_end(j->redactor, &j->clean);
	return put_clean(j);
}

static int print_log(void *arg)
{
	static const struct normalise_options as_printed = {0};
	struct logs_job *j = arg;
	struct arena *a = &j->boxes.a;
	struct background b;
	size_t n = 0;
	int rc = boxes_find(&j->boxes, "logs", j->id, &b);
	struct str *values;

	if (rc != 0)
		return rc;
	values = secret_values(a, environ, NULL, &n);
	j->redactor = redactor_new(a, values, n);
	buf_init(&j->plain, a, a->cap);
	buf_init(&j->clean, a, a->cap);
	normaliser_start(&j->normaliser, a, &as_printed, &j->plain);
	return show(j, &b);
}

static int run_logs(const struct command_row *self, int argc, char **argv)
{
	struct logs_job j = {0};
	int code, first = options_take(self, argc, argv, &j, &code);

	if (first < 0)
		return code;
	if (first == argc)
		return usage_wrong(self, "give one id (caisson ps lists them)");
	if (first + 1 < argc)
		return usage_extra(self, argv + first, 1, "give one id (caisson ps lists them)");
	j.id = argv[first];
	return with_arena(&j.boxes.a, print_log, &j);
}

const struct command_row command_logs = {
		.name = "logs",
		.synopsis = "[-f] BOX",
		.summary = "print the output of a box in the background",
		.about = "Prints the output of the box since it went to the background: both streams in "
			 "order, normalised and without secrets. The last 4 to 8 MB of a long output are "
			 "kept.",
		COMMAND_OPTIONS(options),
		COMMAND_EXITS(exits),
		COMMAND_EXAMPLES(examples),
		.run = run_logs,
};
