/* Changes a person's files: shows the diff and its effect, asks, writes. See change.h. */
#define _GNU_SOURCE
#include <unistd.h>

#include "cli/change.h"
#include "cli/cli.h"
#include "cli/doc.h"
#include "record/record.h"

extern char **environ;

int record_deed(struct arena *a, const struct view *v, const struct policies *p, struct str command,
		struct str note, struct err *e)
{
	const struct record_options options = {.environ = environ};
	struct record r;
	int rc = record_open(a, v, &options, p, &r, e);

	if (rc == 0)
		rc = record_person(a, &r, command, v->cwd, note, e);
	record_close(&r);
	return rc;
}

void change_diff(struct buf *b, const struct init_change *c)
{
	diff_unified(b, c->exists ? c->path : STR("/dev/null"), c->gone ? STR("/dev/null") : c->path,
			c->before, c->after);
}

void show_change(struct arena *a, struct buf *out, const struct init_change *c)
{
	struct buf b;
	struct str all;

	buf_init(&b, a, 0);
	change_diff(&b, c);
	all = buf_view(&b);
	if (!isatty(STDOUT_FILENO)) {
		buf_str(out, all);
		return;
	}
	for (size_t i = 0; i < all.n;) {
		size_t end = str_end(all, '\n', i);
		struct str line = str_sub(all, i, end);

		put_visible(out, line);
		buf_char(out, '\n');
		i += line.n + 1;
	}
}

static const char *passive(enum verdict v)
{
	static const char words[][16] = {[VERDICT_DENY] = "denied", [VERDICT_ASK] = "asked about",
			[VERDICT_CONTAIN] = "run in the box", [VERDICT_ALLOW] = "allowed"};

	return words[v];
}

/* Before saying yes, a person must know where an allowed command runs. */
static const char *where_it_runs(const struct rule_plan *p)
{
	return p->always_boxed ? "An allowed command runs in the box, as every command does here "
			"(sandbox.always)."
			       : "An allowed command runs OUTSIDE the box, with your rights, your files and "
			       "your network, and so do the programs it starts.";
}

static void tell_rule(struct buf *out, const struct rule_request *rq, const struct rule_item *r)
{
	struct str shown = r->example.n && r->kind != RULE_HOST ? r->example : r->text;

	if (r->there) {
		buf_fmt(out, "'%.*s' is already in %.*s\n", STR_ARG(r->text), STR_ARG(r->where));
		return;
	}
	if (r->kind == RULE_HOST) {
		buf_fmt(out, "Commands in the box reach '%.*s'%s, and curl and wget read from it without a "
			     "question%s. Data can leave through a host that a box reaches.\n",
			STR_ARG(shown), rq->remove ? " no longer" : " then", rq->remove ? " no longer" : "");
		return;
	}
	if (r->example.n && r->before != r->after)
		buf_fmt(out, "'%.*s' is %s now%s%.*s%s; ", STR_ARG(shown), passive(r->before),
				r->reasons.n ? " (" : "", STR_ARG(r->reasons), r->reasons.n ? ")" : "");
	else
		buf_fmt(out, "'%.*s'%s: ", STR_ARG(shown), r->example.n &&
				!rq->remove ? " alone is judged so already" : "");
	if (rq->remove)
		buf_fmt(out, "without the rule it is %s.\n",
				r->example.n ? passive(r->after) :
				"judged by the other rules and the checks");
	else
		buf_fmt(out, "with the rule it is %s, %s, also with further arguments.\n",
				passive(rq->verdict),
			rq->project ? "in this project" : "in every project");
	if (r->broad && !rq->remove)
		buf_fmt(out, "This rule allows almost everything: %s.\n", r->broad);
}

static void tell_project(struct buf *out, const struct rule_request *rq, const struct rule_plan *p)
{
	if (rq->verdict == VERDICT_ALLOW && !rq->remove)
		buf_c(out, "An allow rule of a project works only for people who trust its file: run caisson "
				"trust afterwards.\n");
	else if (p->was_trusted)
		buf_c(out, "The file was trusted; its new content is not yet: run caisson trust "
				"afterwards.\n");
}

static bool allows_commands(const struct rule_request *rq)
{
	for (size_t i = 0; i < rq->n && rq->verdict == VERDICT_ALLOW && !rq->remove; i++) {
		const struct rule_item *r = &rq->items[i];

		if (!r->there && r->kind != RULE_HOST &&
			(r->example.n || r->kind == RULE_PREFIX || r->kind == RULE_REGEX))
			return true;
	}
	return false;
}

static bool any_broad(const struct rule_request *rq)
{
	for (size_t i = 0; i < rq->n && !rq->remove; i++)
		if (rq->items[i].broad && !rq->items[i].there)
			return true;
	return false;
}

/* Returns the command as a person would type it. */
static struct str command_text(struct arena *a, const char *command, const struct rule_request *rq)
{
	bool suggest = !strcmp(command, "suggest");
	struct buf b;

	buf_init(&b, a, 0);
	buf_fmt(&b, "caisson %s%s%s%s%s", command, rq->project ? " --project" : "",
			rq->n && rq->items[0].kind == RULE_HOST ? " --host" : "",
			rq->remove ? " --remove" : "", suggest ? " --apply" : "");
	for (size_t i = 0; i < rq->n && !suggest; i++) {
		buf_char(&b, ' ');
		buf_quoted(&b, rq->items[i].text);
	}
	return buf_view(&b);
}

static struct str note_text(struct arena *a, const struct rule_request *rq, const struct rule_plan *p)
{
	return str_fmt(a, "a person %s %zu %s rule%s %s %.*s", rq->remove ? "removed" : "added", p->n,
		rq->verdict == VERDICT_ALLOW ? "allow" : rq->verdict == VERDICT_ASK ? "ask" : "deny",
		p->n == 1 ? "" : "s", rq->remove ? "from" : "to",
		STR_ARG(p->file.path));
}

int change_rules(struct arena *a, const char *command, const struct rule_request *rq,
		const struct rule_plan *p, bool dry_run, struct buf *out)
{
	bool broad = any_broad(rq);
	struct err e = {0};

	show_change(a, out, &p->file);
	if (p->n)
		buf_char(out, '\n');
	for (size_t i = 0; i < rq->n; i++)
		tell_rule(out, rq, &rq->items[i]);
	if (allows_commands(rq))
		buf_fmt(out, "%s\n", where_it_runs(p));
	if (rq->project && p->n)
		tell_project(out, rq, p);
	if (dry_run || !p->n)
		return output_write(buf_view(out), 0);
	if (!person_types(out, broad ? "\nType everything to write it all the same: " :
			"\nType yes to write it: ", broad ? "everything" : "yes")) {
		output_error("%s: the answer was not %s; nothing was written", command,
				broad ? "everything" : "yes");
		return 1;
	}
	if (record_deed(a, p->view, p->policies, command_text(a, command, rq), note_text(a, rq, p),
			&e) != 0 ||
		init_apply(a, &p->init, &p->file, &e) != 0) {
		output_error("%s: %s", command, e.text);
		return e.kind == ERR_SYSTEM ? EXIT_INTERNAL : 1;
	}
	put_visible(out, p->file.path);
	buf_fmt(out, ": %zu %s %s\n", p->n, p->n == 1 ? "rule" : "rules",
			rq->remove ? "removed" : "added");
	return output_write(buf_view(out), 0);
}
