/* See config_keys.h. */
#include "cli/config_keys.h"

#include "base/embedded.h"
#include "base/wrap.h"
#include "cli/cli.h"
#include "cli/doc.h"
#include "cli/page.h"
#include "client/init_hooks.h"
#include "client/person.h"
#include "judge/world.h"
#include "model/check.h"
#include "sys/state.h"

/* ---- explain ---- */

static const char *who_may(const struct config_key *k)
{
	static const char names[][8] = {[WHO_ANYONE] = "anyone", [WHO_TRUSTED] = "trusted",
			[WHO_OWNER] = "owner", [WHO_SYSTEM] = "system"};

	return names[k->who];
}

static const char *who_text(const struct config_key *k)
{
	static const char texts[][100] = {
		[WHO_ANYONE] = "every policy file",
		[WHO_TRUSTED] = "the system's policy, yours, and a project's that you trust",
		[WHO_OWNER] = "the system's policy and yours",
		[WHO_SYSTEM] = "the system's policy",
	};

	return k->apart ? "every policy file; an untrusted project can use it only to be stricter" :
			texts[k->who];
}

static void explain_json(struct arena *a, struct doc *o, const struct yaml_file *shapes,
		const struct config_key *k)
{
	doc_map(o, NULL);
	doc_word(o, "key", k->name);
	doc_word(o, "group", config_group(config_group_of(k)));
	doc_word(o, "who", who_may(k));
	doc_bool(o, "apart", k->apart);
	doc_word(o, "help", k->help);
	doc_word(o, "value", config_shape_text(a, shapes, k));
	doc_word(o, "example", k->example);
	doc_end(o);
}

static void put_line(struct buf *b, const char *label, const char *text, unsigned width)
{
	buf_fmt(b, "  %-9s", label);
	buf_wrapped(b, text, 11, 11, width);
}

static void explain_key(struct arena *a, struct buf *b, const struct yaml_file *shapes,
		const struct config_key *k)
{
	unsigned width = terminal_width(1);
	bool colour = terminal_colour(1);

	buf_fmt(b, "%s%s%s%s\n", b->n ? "\n" : "", tint_on(colour, TINT_BOLD), k->name,
			tint_off(colour, TINT_BOLD));
	put_line(b, "meaning", k->help, width);
	put_line(b, "value", config_shape_text(a, shapes, k), width);
	put_line(b, "set by", who_text(k), width);
	put_line(b, "example", str_fmt_c(a, "%s: %s", k->name, k->example), width);
}

/* True for the key itself and all keys below it: `tools.bash` is not a key but a prefix of some. */
static bool is_meant(const struct config_key *k, const char *name)
{
	size_t n = strlen(name);

	return !strncmp(k->name, name, n) && (!k->name[n] || k->name[n] == '.');
}

static void list_keys(struct buf *b)
{
	enum { COLUMN = 30, NARROW = 60 };
	unsigned width = terminal_width(1), column = width < NARROW ? 6 : COLUMN;
	bool colour = terminal_colour(1);

	for (size_t g = 0; config_group(g); g++) {
		buf_fmt(b, "%s%s%s%s\n", g ? "\n" : "", tint_on(colour, TINT_BOLD), config_group(g),
				tint_off(colour, TINT_BOLD));
		for (size_t i = 0; config_key(i); i++) {
			const struct config_key *k = config_key(i);

			if (config_group_of(k) != g)
				continue;
			buf_fmt(b, "  %-*s", (int)column - 2, k->name);
			if (strlen(k->name) + 3 > column)
				buf_fmt(b, "\n%*s", (int)column, "");
			buf_wrapped(b, k->help, column, column, width);
		}
	}
	buf_c(b, "\n`caisson config explain KEY` explains one, with its values and an example.\n");
}

static int no_such_key(const char *name)
{
	const char *best = config_key_near(str_of(name));

	if (check_find(str_of(name)) != CHECK_NONE)
		output_error("'%s' is a check, not a key: see caisson checks %s", name, name);
	else
		output_error("no key '%.100s'%s%s%s", name,
				best ? ", did you mean '" : " (caisson config explain lists them)",
				best ? best : "", best ? "'" : "");
	return 1;
}

int config_explain(struct arena *a, struct buf *out, const char *name, bool json)
{
	struct yaml_file shapes;
	struct doc o;
	struct page p;
	struct buf text;
	struct err e = {0};
	size_t n = 0;

	if (config_shapes(a, &shapes, &e) != 0) {
		output_error("config: %s", e.text);
		return EXIT_INTERNAL;
	}
	buf_init(&text, a, 0);
	doc_start(&o, &text, json);
	if (json)
		doc_list(&o, "keys");
	for (size_t i = 0; config_key(i) && (name || json); i++) {
		if (name && !is_meant(config_key(i), name))
			continue;
		n++;
		if (json)
			explain_json(a, &o, &shapes, config_key(i));
		else
			explain_key(a, &text, &shapes, config_key(i));
	}
	if (name && !n)
		return no_such_key(name);
	if (json) {
		doc_end(&o);
		doc_finish(&o);
		buf_str(out, buf_view(&text));
		return 0;
	}
	if (!name)
		list_keys(&text);
	page_begin(&p, a, true);
	page_put(&p, buf_view(&text));
	return page_end(&p);
}

/* ---- init ---- */

static int find_policy(struct arena *a, bool project, struct init_request *rq, struct init_change *c,
		struct err *e)
{
	const struct state_env env = state_env();
	struct state_paths paths;
	struct view v;
	struct str path;

	world_view(a, context_or_own(NULL), NULL, &v);
	state_paths(a, &env, v.home, v.project, &paths);
	*rq = (struct init_request){.scope = project ? INIT_PROJECT : INIT_USER, .home = v.home,
			.project = v.project, .state = paths.state_dir, .uid = v.uid};
	path = project ? paths.project_policy : paths.user_policy;
	if (!path.n)
		return err_input(e, project ? "this directory is not in a project" :
				"the home directory is unknown");
	if (init_look(a, rq, path, c, e) != 0)
		return -1;
	return c->exists ? err_input(e, "'%.*s' exists already, and is not replaced", STR_ARG(path)) : 0;
}

int config_start(struct arena *a, struct buf *out, bool project, bool dry_run)
{
	struct init_request rq;
	struct init_change c;
	struct err e = {0};
	struct str starter = str_n((const char *)policy_starter, policy_starter_n);

	if (dry_run) {
		buf_str(out, starter);
		return 0;
	}
	if (person_check(a, 0, &e) != 0 || find_policy(a, project, &rq, &c, &e) != 0) {
		output_error("config: %s", e.text);
		return 1;
	}
	c.after = starter;
	if (init_apply(a, &rq, &c, &e) != 0) {
		output_error("config: %s", e.text);
		return EXIT_INTERNAL;
	}
	put_visible(out, c.path);
	buf_c(out, ": written; everything in it is a comment until you edit it\n");
	return 0;
}
