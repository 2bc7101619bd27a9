/* Words the end of a run. See run_summary.h. */
#define _GNU_SOURCE
#include <string.h>

#include "cli/cli.h"
#include "cli/run_summary.h"

static struct str limit_reached(struct arena *a, const char *what, enum limit l, uint64_t value)
{
	return str_fmt(a, "ended at its %s limit of %.*s", what, STR_ARG(limit_text(a, l, value)));
}

static struct str at_output_limit(struct arena *a, const struct job *j)
{
	const struct limits *l = &j->run.spec.limits;

	if (j->outcome.by_caches)
		return STR("ended because the caches of the project are full (sandbox.caches.project)");
	if (j->outcome.by_scratch)
		return limit_reached(a, "scratch", LIMIT_SCRATCH, l->scratch);
	return limit_reached(a, "output", LIMIT_OUTPUT, l->output);
}

/* How the program ended; empty: it did not start, and say_why() in cmd_run.c has said so. */
static struct str ending(struct arena *a, const struct job *j)
{
	const struct outcome *o = &j->outcome;
	const struct limits *l = &j->run.spec.limits;

	switch (o->status) {
	case STATUS_OK: return STR("ok");
	case STATUS_EXIT_NONZERO: return str_fmt(a, "exit status %d", o->exit_code);
	case STATUS_SIGNAL: return str_fmt(a, "ended by SIG%s", sigabbrev_np(o->signal) ?: "?");
	case STATUS_OOM: return limit_reached(a, "memory", LIMIT_MEMORY, l->memory);
	case STATUS_OUTPUT_LIMIT: return at_output_limit(a, j);
	case STATUS_TIMEOUT:
		return o->by_cpu_time ? limit_reached(a, "CPU time", LIMIT_CPU_TIME, l->cpu_ms)
				      : limit_reached(a, "time", LIMIT_TIME, l->time_ms);
	default: return STR("");
	}
}

static bool ended_by_itself(enum status s) { return s == STATUS_OK || s == STATUS_EXIT_NONZERO; }

static void say_figures(struct arena *a, const struct job *j, struct str how)
{
	const struct outcome *o = &j->outcome;
	struct str memory = o->peak_memory ? str_fmt(a, ", %.1f MB", (double)o->peak_memory / MB) : STR("");

	output_error("%.*s, %.2f s%.*s", STR_ARG(how), (double)o->duration_ms / 1000, STR_ARG(memory));
}

/* A result that a validator rejected, or that shows less than it seems. */
static void say_validation(const struct job *j)
{
	const struct validation *v = j->report.validation;

	for (const struct check_note *n = v ? v->checks : NULL; n; n = n->next)
		if (!n->warning)
			output_error("the result is not valid: %.*s", STR_ARG(n->message));
	for (const struct check_note *n = v ? v->suspicions : NULL; n; n = n->next)
		output_error("%.*s", STR_ARG(n->message));
}

void run_summary(struct arena *a, const struct job *j, bool always)
{
	struct str how = j->outcome.interrupted ? STR("") : ending(a, j);

	if (!how.n && j->outcome.status != STATUS_SETUP_ERROR)
		return;
	if (how.n && (always || !ended_by_itself(j->outcome.status)))
		say_figures(a, j, how);
	if (always)
		say_validation(j);
	for (const struct hint *h = j->report.hints; h; h = h->next)
		output_error("%.*s", STR_ARG(h->text));
}
