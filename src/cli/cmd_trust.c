/*
 * caisson trust: a person adopts a project's policy, for exactly the content shown. Only this lets a
 * project's file make caisson milder, so it needs a person at a terminal: no option and no variable answers
 * the question. A fixed check also denies `caisson trust` to agents; an agent that could answer the question
 * would not need to ask.
 */
#define _GNU_SOURCE
#include <stddef.h>
#include <time.h>

#include "base/json_write.h"
#include "cli/cli.h"
#include "cli/show.h"
#include "client/person.h"
#include "config/trust.h"
#include "config/yaml.h"
#include "judge/engine.h"
#include "judge/world.h"
#include "sys/file.h"
#include "sys/state.h"

#define KEY_PARTS_MAX 8

struct trust_options {
	bool list, remove, json;
};

#define AT(field) offsetof(struct trust_options, field)
static const struct option_row options[] = {
	{"list", OPTION_FLAG, AT(list), "",
			"list trusted files, and if their content has changed"},
	{"remove", OPTION_FLAG, AT(remove), "", "stop trusting FILE, or the files of this project"},
	{"json", OPTION_FLAG, AT(json), "", "with --list: print one JSON object"},
	OPTION_HELP_ROW,
};

static const struct exit_row exits[] = {{0, "done"}, {1, "nothing was trusted or removed"},
		{EXIT_USAGE, "usage"}, {EXIT_INTERNAL, "internal error"}};

static const struct example_row examples[] = {
	{"caisson trust", "Shows the policy files of this project and what they would loosen, and asks."},
	{"caisson trust --list", "Lists trusted files."},
	{"caisson trust --remove .caisson.yaml", "Makes the file untrusted again: it can only be stricter."},
};

struct trust_job {
	struct arena a;
	struct trust_options o;
	const char *operand;
	struct view v;
	struct state_paths paths;
	struct str file;   /* absolute path of the operand, its directory resolved; or empty */
	struct buf out;
};

/* ---- the effect ---- */

static const struct ynode *look_up(const struct ynode *n, const char *dotted)
{
	for (unsigned i = 0; n && n->kind == YNODE_MAP && i < KEY_PARTS_MAX; i++) {
		char part[64];
		size_t len = strcspn(dotted, ".");

		if (len >= sizeof part)
			return NULL;
		memcpy(part, dotted, len);
		part[len] = '\0';
		n = yaml_get(n, part);
		if (!dotted[len])
			return n;
		dotted += len + 1;
	}
	return NULL;
}

/* Shows single values that have an effect only in a trusted file. Lists are shown as rules. */
static bool show_single_values(struct trust_job *j, struct doc *o, const struct policy_file *f)
{
	struct yaml_file y;
	bool any = false;

	if (f->kind == POLICY_SETTINGS || yaml_read(&j->a, f->path, f->bytes, &y, NULL) != 0)
		return false;
	for (size_t i = 0; config_key(i); i++) {
		const struct config_key *k = config_key(i);
		const struct ynode *n = k->who == WHO_TRUSTED ? look_up(y.root, k->name) : NULL;

		if (!n || n->kind != YNODE_SCALAR)
			continue;
		doc_text(o, k->name, n->text);
		any = true;
	}
	return any;
}

static int show_file(struct trust_job *j, const struct policy_file *f, struct err *e)
{
	struct policy_file as_trusted = *f;
	struct policies p;
	struct doc o;
	bool any;

	as_trusted.who = WHO_TRUSTED;
	if (policies_of_file(&j->a, &as_trusted, &p, NULL, e) != 0)
		return -1;
	put_visible(&j->out, f->path);
	buf_fmt(&j->out, "\n%.*s\n\nIt would loosen:\n\n", STR_ARG(config_digest(&j->a, f->bytes)));
	doc_start(&o, &j->out, false);
	any = show_single_values(j, &o, f);
	any |= show_loosening(&o, &p.own);
	if (!any)
		buf_c(&j->out, "nothing: it only makes verdicts stricter; its texts would be shown\n");
	return 0;
}

/* ---- the store ---- */

static int open_store(struct trust_job *j, struct str *ret_file, struct str *ret_store, struct err *e)
{
	struct str dir;

	if (state_make(&j->a, j->paths.state_dir, j->v.project, j->v.uid, &dir, e) != 0)
		return -1;
	*ret_file = j->paths.trust_store;
	return trust_load(&j->a, j->paths.trust_store, j->v.uid, ret_store, e);
}

static struct str now(struct arena *a)
{
	time_t t = time(NULL);
	struct tm tm;
	char text[32];

	if (!gmtime_r(&t, &tm) || !strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &tm))
		return STR("unknown");
	return str_dup(a, str_of(text));
}

static int remember_file(struct trust_job *j, const struct policy_file *f, struct err *e)
{
	struct str file, store;

	if (open_store(j, &file, &store, e) != 0 ||
			trust_add(&j->a, store, f->path, config_digest(&j->a, f->bytes), now(&j->a), &store,
			e) != 0)
		return -1;
	return trust_save(&j->a, file, store, e);
}

static int report_failure(const struct err *e)
{
	output_error("trust: %s", e->text);
	return e->kind == ERR_SYSTEM || e->kind == ERR_INTERNAL ? EXIT_INTERNAL : 1;
}

static int report_refusal(const struct err *e)
{
	output_error("trust: %s", e->text);
	return 1;
}

/* Returns 0 if the file is trusted now. */
static int trust_one(struct trust_job *j, const struct policy_file *f)
{
	struct err e = {0};

	if (f->err)
		return report_failure(f->err);
	if (f->who == WHO_TRUSTED) {
		put_visible(&j->out, f->path);
		buf_c(&j->out, " is trusted already\n");
		return 0;
	}
	if (show_file(j, f, &e) != 0)
		return report_failure(&e);
	if (!person_types(&j->out, "\nType yes to trust it in exactly this content: ", "yes")) {
		output_error("trust: the answer was not yes; nothing was trusted");
		return 1;
	}
	if (remember_file(j, f, &e) != 0)
		return report_failure(&e);
	put_visible(&j->out, f->path);
	buf_c(&j->out, " is trusted until its content changes\n");
	return 0;
}

/* Returns the project root for a policy file: the directory above .claude, else the file's own directory. */
static struct str root_of(struct str file)
{
	static const char marker[] = "/.claude/";

	for (size_t i = 0; i + sizeof marker - 1 < file.n; i++)
		if (!memcmp(file.p + i, marker, sizeof marker - 1))
			return str_sub(file, 0, i);
	return path_parent(file);
}

static int trust_files(struct trust_job *j)
{
	const struct context at = {.cwd = j->file.n ? root_of(j->file) : STR("")};
	struct policies_request rq = {.context = &at};
	struct policies p;
	struct err e = {0};
	size_t n = 0;
	int rc;

	if (person_check(&j->a, PERSON_TERMINAL, &e) != 0)
		return report_refusal(&e);
	if (policies_files(&j->a, &rq, &p, &e) != 0)
		return report_failure(&e);
	for (const struct policy_file *f = p.files; f; f = f->next) {
		if (!f->project || f->around.n || (j->file.n && !str_eq(f->path, j->file)))
			continue;
		n++;
		rc = trust_one(j, f);
		if (rc != 0)
			return output_write(buf_view(&j->out), rc); /* files trusted before stay trusted */
	}
	if (n)
		return output_write(buf_view(&j->out), 0);
	if (j->file.n)
		output_error("trust: '%.200s' is not the policy of a project: .caisson.yaml or "
				".claude/fencepost.yaml", j->operand);
	else
		output_error("trust: this project has no policy file");
	return 1;
}

/* ---- list and remove ---- */

enum trust_state { TRUST_HOLDS, TRUST_CHANGED, TRUST_GONE };
static const char state_texts[][24] = {"trusted", "changed, so not trusted", "gone"};
static const char state_names[][8] = {"trusted", "changed", "gone"};

static enum trust_state state_of(struct trust_job *j, const struct trust_entry *t)
{
	struct str bytes, digest;
	struct err e = {0};

	if (file_read(&j->a, str_c(&j->a, t->path), ENGINE_CONFIG_MAX, &bytes, NULL, &e) != 0)
		return TRUST_GONE;
	digest = config_digest(&j->a, bytes);
	return str_ends(digest, str_c(&j->a, t->sha256)) ? TRUST_HOLDS : TRUST_CHANGED;
}

static void list_json(struct trust_job *j, const struct trust_entry *t)
{
	struct buf *b = &j->out;

	buf_c(b, "{\"v\":1,\"files\":[");
	for (; t; t = t->next) {
		json_put_comma(b);
		buf_char(b, '{');
		json_put_field(b, "path", t->path);
		json_put_field(b, "sha256", t->sha256);
		json_put_field(b, "when", t->when);
		json_put_field(b, "state", str_of(state_names[state_of(j, t)]));
		buf_char(b, '}');
	}
	buf_c(b, "]}\n");
}

static int list_trusted(struct trust_job *j)
{
	struct str store;
	struct trust_entry *t;
	struct err e = {0};

	if (trust_load(&j->a, j->paths.trust_store, j->v.uid, &store, &e) != 0 ||
			trust_read(&j->a, store, &t, &e) != 0)
		return report_failure(&e);
	if (j->o.json)
		list_json(j, t);
	else if (!t)
		buf_c(&j->out, "no file is trusted\n");
	for (; t && !j->o.json; t = t->next) {
		put_visible(&j->out, t->path);
		buf_fmt(&j->out, "\n  sha256:%.*s  ", STR_ARG(t->sha256));
		put_visible(&j->out, t->when);
		buf_fmt(&j->out, "  %s\n", state_texts[state_of(j, t)]);
	}
	return output_write(buf_view(&j->out), 0);
}

static int remove_trusted(struct trust_job *j)
{
	struct str file, store;
	struct trust_entry *t;
	struct err e = {0};
	size_t n = 0;

	if (open_store(j, &file, &store, &e) != 0 || trust_read(&j->a, store, &t, &e) != 0)
		return report_failure(&e);
	for (; t; t = t->next) {
		bool found = false;

		if (j->file.n ? !str_eq(t->path, j->file) : !path_inside(t->path, j->v.project))
			continue;
		if (trust_remove(&j->a, store, t->path, &store, &found, &e) != 0)
			return report_failure(&e);
		n += found;
		put_visible(&j->out, t->path);
		buf_c(&j->out, " is no longer trusted\n");
	}
	if (!n) {
		output_error("trust: '%.200s' is not trusted", j->operand ? j->operand : "this project");
		return 1;
	}
	if (trust_save(&j->a, file, store, &e) != 0)
		return report_failure(&e);
	return output_write(buf_view(&j->out), 0);
}

/* ---- the command ---- */

/* Returns the absolute path. A link as the file itself is kept, because the project knows it by that name. */
static struct str absolute(struct trust_job *j, const char *operand)
{
	struct path_memo m;
	enum path_kind kind;
	struct str path = str_of(operand), dir;

	if (path.n && path.p[0] != '/')
		path = str_path(&j->a, j->v.cwd, str_of(operand));
	path_memo_init(&m, &j->a, j->v.cwd);
	dir = path_real(&m, path_parent(path), &kind);
	return dir.n ? str_path(&j->a, dir, str_of(strrchr(str_c(&j->a, path), '/') + 1)) : path;
}

static int trust_job_run(void *arg)
{
	struct trust_job *j = arg;
	const struct state_env env = state_env();

	buf_init(&j->out, &j->a, 0);
	world_view(&j->a, context_or_own(NULL), NULL, &j->v);
	state_paths(&j->a, &env, j->v.home, j->v.project, &j->paths);
	j->file = j->operand ? absolute(j, j->operand) : STR("");
	return j->o.list ? list_trusted(j) : j->o.remove ? remove_trusted(j) : trust_files(j);
}

static int run_trust(const struct command_row *self, int argc, char **argv)
{
	struct trust_job j = {0};
	int code;

	if (!options_operand(self, argc, argv, &j.o, "give one file", &j.operand, &code))
		return code;
	if (j.o.list && (j.o.remove || j.operand))
		return usage_wrong(self, "--list takes neither --remove nor a file");
	if (j.o.json && !j.o.list)
		return usage_wrong(self, "--json needs --list");
	if (j.operand && !*j.operand)
		return usage_wrong(self, "the file name is empty");
	return with_arena(&j.a, trust_job_run, &j);
}

const struct command_row command_trust = {
	.name = "trust",
	.synopsis = "[FILE]\n"
		    "--list [--json]\n"
		    "--remove [FILE]",
	.summary = "trust a project's policy, in exactly its present content",
	.about = "A project's own policy (.caisson.yaml, .claude/fencepost.yaml; with client_settings also "
			".claude/settings.json) could come from anyone, so it can only make verdicts "
			"stricter. Once trusted it counts like your own: its allow rules, lower grades and "
			"writable directories apply, and its texts are shown. Trust covers exactly the "
			"content that was shown; if the file changes, it is untrusted again.\n\nWithout "
			"FILE, caisson goes through the policy files of this project. It shows each with its "
			"SHA-256 and what it would loosen, and waits for you to type yes. This needs a "
			"person: it must be run in a terminal, outside sandboxes, not below an agent client, "
			"and without the environment variables by which agents mark their commands. No "
			"option skips it.",
	COMMAND_OPTIONS(options),
	COMMAND_EXITS(exits),
	COMMAND_EXAMPLES(examples),
	.run = run_trust,
};
