/*
 * caisson config: checks that the policies load and warns about doubtful rules (verify), prints the effective
 * policy (show). config_keys.c documents the keys and writes a policy to start with.
 */
#define _GNU_SOURCE
#include <stddef.h>

#include "base/near.h"
#include "cli/cli.h"
#include "cli/config_keys.h"
#include "cli/show.h"
#include "config/yaml.h"
#include "gate/gate.h"
#include "judge/engine.h"
#include "judge/world.h"
#include "run/run.h"
#include "sys/secure.h"

enum { EXIT_BROKEN = 2 };

struct config_options {
	bool json, project, dry_run;
	const char *cwd, *config;
};

#define AT(field) offsetof(struct config_options, field)
static const struct option_row options[] = {
	OPTION_JSON_ROW,
	{"config", OPTION_VALUE, AT(config), "FILE", "verify, show: this file alone; the same as FILE"},
	{"project", OPTION_FLAG, AT(project), "", "init: write .caisson.yaml of this project"},
	{"dry-run", OPTION_FLAG, AT(dry_run), "", "init: print the file and write nothing"},
	{"cwd", OPTION_VALUE, AT(cwd), "DIR", "use the project of this directory (default: the current one)"},
	OPTION_HELP_ROW,
};

static const struct exit_row exits[] = {
	{0, "all files load (there may be warnings); printed; written"},
	{1, "no such key; the file to write exists, or this is not a person's call"},
	{EXIT_BROKEN, "a file does not load"}, {EXIT_USAGE, "usage"}, {EXIT_INTERNAL, "internal error"},
};

static const struct example_row examples[] = {
	{"caisson config init", "Writes a commented policy to start with to ~/.config/caisson/config.yaml."},
	{"caisson config verify", "Lists every policy file in force, with errors and warnings."},
	{"caisson config verify policy.yaml", "Checks one file before you install it."},
	{"caisson config show", "Prints the effective policy and where each rule comes from."},
	{"caisson config explain tools.bash.deny", "Explains one key: its meaning, who may set it, and an "
			"example."},
	{"caisson config schema > policy.schema.json", "Prints the JSON Schema of a policy, for editors."},
};

struct config_job {
	struct context context;
	struct arena a;
	const struct config_options *o;
	const char *operand; /* a file or a key, or NULL */
	struct buf out;
};

static struct policies_request request(struct config_job *j)
{
	j->context = (struct context){.cwd = j->o->cwd ? str_of(j->o->cwd) : STR("")};
	return (struct policies_request){.config = j->operand, .alone = j->operand != NULL,
			.context = &j->context};
}

static const char *kind_name(const struct policy_file *f)
{
	static const char who[][20] = {[WHO_ANYONE] = "project untrusted", [WHO_TRUSTED] = "project trusted",
			[WHO_OWNER] = "user", [WHO_SYSTEM] = "system"};

	return who[f->who];
}

static const char *language(const struct policy_file *f)
{
	static const char names[][16] = {[POLICY_CAISSON] = "caisson", [POLICY_FENCEPOST] = "fencepost",
			[POLICY_SETTINGS] = "client settings"};

	return names[f->kind];
}

/* ---- verify ---- */

struct verified { /* one verified file */
	struct verified *next;
	const struct policy_file *file;
	struct str error;    /* empty: the file loads */
	struct config_note *notes, **notes_end;
};

static void note(struct arena *a, struct verified *v, struct str text)
{
	struct config_note *n = arena_new(a, struct config_note);

	n->text = text;
	LIST_ADD(v->notes_end, n);
}

struct warning_context {
	struct arena *a;
	struct verified *v;
};

static void warn(void *ctx, struct str where, struct str rule, const char *why)
{
	struct warning_context *w = ctx;

	if (!str_starts(where, "preset "))
		note(w->a, w->v, str_fmt(w->a, "%.*s: '%.*s': %s", STR_ARG(where), STR_ARG(rule), why));
}

/*
 * A file tested by hand would be refused in its real place if others may write it. Warn before it is
 * installed.
 */
static void warn_unsafe(struct config_job *j, struct verified *v)
{
	struct view view;
	struct str ignored, path = v->file->path;
	struct err why = {0};

	world_view(&j->a, context_or_own(NULL), NULL, &view);
	if (path.p[0] != '/')
		path = str_path(&j->a, view.cwd, path);
	if (secure_read(&j->a, path, ENGINE_CONFIG_MAX, view.uid, &ignored, &why) != 0 &&
			why.kind == ERR_CONFIG)
		note(&j->a, v, str_dup(&j->a, str_of(why.text)));
}

/* "file:line" of an item in a list below `sandbox`, or just the file if the item is not found. */
static struct str item_place(struct arena *a, const struct yaml_file *y, const char *key, struct str item)
{
	const struct ynode *map = y->root ? yaml_get(y->root, "sandbox") : NULL, *n;

	n = map && map->kind == YNODE_MAP ? yaml_get(map, key + strlen("sandbox.")) : NULL;
	n = n || !y->root ? n : yaml_get(y->root, key); /* a key may be written with its dots */
	for (const struct ynode *c = n && n->kind == YNODE_LIST ? n->child : NULL; c; c = c->next)
		if (c->kind == YNODE_SCALAR && str_eq(c->text, item))
			return str_fmt(a, "%.*s:%u", STR_ARG(y->name), c->line);
	return y->name;
}

/* Runs look at these paths, since loading does not: a policy holds on several machines. */
static void warn_paths(struct config_job *j, struct verified *v, const struct sandbox *s)
{
	const struct {
		const char *key;
		const struct texts *paths;
		bool writable;
	} lists[] = {{"sandbox.write", s->write, true}, {"sandbox.read", s->read, false}};
	struct policies_request rq = request(j);
	struct run_world world;
	struct yaml_file y;
	struct err why = {0};

	if ((!s->read && !s->write) || run_world(&j->a, rq.context, &world, NULL) != 0 ||
			yaml_read(&j->a, v->file->path, v->file->bytes, &y, NULL) != 0)
		return;
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++)
		for (const struct texts *t = lists[i].paths; t; t = t->next)
			if (run_policy_path(&j->a, &world, lists[i].key, t->text, lists[i].writable, &why))
				note(&j->a, v, str_fmt(&j->a, "%.*s: no contained command runs: %s",
						STR_ARG(item_place(&j->a, &y, lists[i].key, t->text)),
						why.text));
}

static void verify_file(struct config_job *j, struct verified *v)
{
	struct policies p = {0};
	struct policies_request rq = request(j);
	struct config_note *notes = NULL;
	struct err why = {0};

	rq.thorough = true;
	v->notes_end = &v->notes;
	if (policies_of_file(&j->a, v->file, &p, &notes, &why) != 0 ||
			policies_examples(&rq, &p.own, &why) != 0) {
		v->error = str_dup(&j->a, str_of(why.text));
		return;
	}
	v->notes = notes;
	while (*v->notes_end)
		v->notes_end = &(*v->notes_end)->next;
	warn_paths(j, v, &p.own.sandbox);
	show_warnings(&j->a, &p.own, warn, &(struct warning_context){&j->a, v});
	if (j->operand)
		warn_unsafe(j, v);
}

static void print_verified(struct config_job *j, const struct verified *v)
{
	struct buf *b = &j->out;

	put_visible(b, v->file->path);
	buf_fmt(b, ": %s, %s: ", kind_name(v->file), language(v->file));
	if (v->error.n) {
		buf_c(b, "error\n  error: ");
		put_visible(b, v->error);
		buf_char(b, '\n');
		return;
	}
	buf_c(b, "ok\n");
	for (const struct config_note *n = v->notes; n; n = n->next) {
		buf_c(b, "  warning: ");
		put_visible(b, n->text);
		buf_char(b, '\n');
	}
}

static void doc_verified(struct doc *o, const struct verified *v)
{
	doc_map(o, NULL);
	doc_text(o, "path", v->file->path);
	doc_word(o, "kind", kind_name(v->file));
	doc_word(o, "language", language(v->file));
	doc_bool(o, "ok", !v->error.n);
	if (v->error.n)
		doc_text(o, "error", v->error);
	doc_list(o, "warnings");
	for (const struct config_note *n = v->notes; n; n = n->next)
		doc_text(o, NULL, n->text);
	doc_end(o);
	doc_end(o);
}

/* `rest` is an error that belongs to no single file. */
static void print_all(struct config_job *j, const struct verified *list, bool ok, const char *rest)
{
	struct doc o;

	if (!j->o->json) {
		for (const struct verified *v = list; v; v = v->next)
			print_verified(j, v);
		if (!list && ok)
			buf_c(&j->out, "no policy files; the built-in policy applies\n");
		if (*rest) {
			buf_c(&j->out, "error: ");
			put_visible(&j->out, str_of(rest));
			buf_char(&j->out, '\n');
		}
		return;
	}
	doc_start(&o, &j->out, true);
	doc_bool(&o, "ok", ok);
	if (*rest)
		doc_word(&o, "error", rest);
	doc_list(&o, "files");
	for (const struct verified *v = list; v; v = v->next)
		doc_verified(&o, v);
	doc_end(&o);
	doc_finish(&o);
}

static int verify_config(struct config_job *j)
{
	struct policies_request rq = request(j);
	struct policies p = {0};
	struct verified *list = NULL, **end = &list;
	struct err e = {0};
	bool ok = policies_files(&j->a, &rq, &p, &e) == 0;

	for (const struct policy_file *f = p.files; f; f = f->next) {
		struct verified *v = arena_new(&j->a, struct verified);

		v->file = f;
		verify_file(j, v);
		ok &= !v->error.n;
		LIST_ADD(end, v);
	}
	/* Some errors show only when all files are loaded together. */
	if (ok && policies_load(&j->a, &rq, &p, &e) != 0)
		ok = false;
	print_all(j, list, ok, e.text);
	return ok ? 0 : EXIT_BROKEN;
}

/* ---- show ---- */

static void show_imports(struct config_job *j, struct doc *o, const struct policy_file *f)
{
	struct yaml_file y;
	const struct ynode *n;

	if (f->kind == POLICY_SETTINGS || yaml_read(&j->a, f->path, f->bytes, &y, NULL) != 0 || !y.root ||
			!(n = yaml_get(y.root, "import")) || yaml_null(n))
		return;
	doc_list(o, "import");
	for (const struct ynode *c = n->kind == YNODE_LIST ? n->child : n; c;
			c = n->kind == YNODE_LIST ? c->next : NULL)
		doc_text(o, NULL, c->text);
	doc_end(o);
}

static void show_files(struct config_job *j, struct doc *o, const struct policy_file *f)
{
	doc_list(o, "files");
	for (; f; f = f->next) {
		doc_map(o, NULL);
		doc_text(o, "path", f->path);
		doc_word(o, "kind", kind_name(f));
		doc_word(o, "language", language(f));
		doc_text(o, "digest", config_digest(&j->a, f->bytes));
		show_imports(j, o, f);
		doc_end(o);
	}
	doc_end(o);
}

static void show_around(struct doc *o, const struct policy_around *x)
{
	doc_comment(o, "Projects around this one: each policy judges separately, and the strictest verdict "
			"wins.");
	doc_list(o, "around");
	for (; x; x = x->next) {
		doc_map(o, NULL);
		doc_text(o, "root", x->root);
		show_policy(o, &x->policy);
		doc_end(o);
	}
	doc_end(o);
}

static int show_config(struct config_job *j)
{
	struct policies_request rq = request(j);
	struct policies p;
	struct doc o;
	struct err e = {0};

	if (policies_load(&j->a, &rq, &p, &e) != 0) {
		output_error("%s", e.text);
		return EXIT_BROKEN;
	}
	doc_start(&o, &j->out, j->o->json);
	doc_comment(&o,
			"The effective policy. A comment behind each rule names its place; if a key is given "
			"twice, the last one wins.");
	doc_text(&o, "policy", p.digest);
	if (p.root.n)
		doc_text(&o, "project", p.root);
	if (p.files)
		show_files(j, &o, p.files);
	if (j->o->json)
		doc_map(&o, "own");
	show_policy(&o, &p.own);
	if (j->o->json)
		doc_end(&o);
	if (p.apart) {
		doc_comment(&o,
				"The project's own files, not trusted: they can only make verdicts "
				"stricter.");
		doc_map(&o, "untrusted");
		show_policy(&o, &p.project);
		doc_end(&o);
	}
	if (p.around)
		show_around(&o, p.around);
	doc_finish(&o);
	return 0;
}

/* ---- the command ---- */

static int explain_key(struct config_job *j)
{
	return config_explain(&j->a, &j->out, j->operand, j->o->json);
}

static int print_schema(struct config_job *j)
{
	struct err e = {0};

	if (config_schema(&j->a, &j->out, &e) == 0)
		return 0;
	output_error("config: %s", e.text);
	return EXIT_INTERNAL;
}

static int start_policy(struct config_job *j)
{
	return config_start(&j->a, &j->out, j->o->project, j->o->dry_run);
}

static const struct subcommand {
	char name[8];
	char operand[20]; /* empty: none */
	int (*run)(struct config_job *j);
} subcommands[] = {
	{"verify", "file", verify_config},
	{"show", "file", show_config},
	{"explain", "key", explain_key},
	{"init", "", start_policy},
	{"schema", "", print_schema},
};

struct config_call {
	struct config_job job;
	int (*run)(struct config_job *j);
};

static int run_call(void *arg)
{
	struct config_call *c = arg;
	int rc;

	buf_init(&c->job.out, &c->job.a, 0);
	rc = c->run(&c->job);
	return c->job.out.n ? output_write(buf_view(&c->job.out), rc) : rc;
}

static int unknown_subcommand(const struct command_row *self, const char *name)
{
	struct near guess = {.word = str_of(name)};
	char why[128];

	for (size_t i = 0; i < ARRAY_SIZE(subcommands); i++)
		near_try(&guess, subcommands[i].name);
	str_put(why, sizeof(why), "unknown subcommand '%.40s'%s%s%s", name,
			guess.best ? ", did you mean '" : " (use verify, show, explain, init or schema)",
			guess.best ? guess.best : "", guess.best ? "'" : "");
	return usage_wrong(self, why);
}

static int wrong_operands(const struct command_row *self, const struct subcommand *sub)
{
	char why[48];

	str_put(why, sizeof(why), sub->operand[0] ? "give one %s" : "unexpected argument", sub->operand);
	return usage_wrong(self, why);
}

static int run_config(const struct command_row *self, int argc, char **argv)
{
	struct config_options o = {0};
	struct config_call c = {.job = {.o = &o}};
	bool named = argc > 1 && argv[1][0] != '-';
	const struct subcommand *sub = NULL;
	int code, first = options_take(self, argc - named, argv + named, &o, &code);

	if (first < 0)
		return code;
	if (!named)
		return usage_wrong(self, "verify, show, explain, init or schema is missing");
	for (size_t i = 0; i < ARRAY_SIZE(subcommands); i++)
		if (!strcmp(argv[1], subcommands[i].name))
			sub = &subcommands[i];
	if (!sub)
		return unknown_subcommand(self, argv[1]);
	argc -= named;
	argv += named;
	if (first + (sub->operand[0] && !o.config ? 1 : 0) < argc)
		return wrong_operands(self, sub);
	c.run = sub->run;
	c.job.operand = first < argc ? argv[first] : o.config;
	if (c.job.operand && !*c.job.operand)
		return usage_wrong(self, "the name of the file or key is empty");
	return with_arena(&c.job.a, run_call, &c);
}

const struct command_row command_config = {
	.name = "config",
	.synopsis = "verify [--json] [--cwd DIR] [FILE]\n"
		    "show [--json] [--cwd DIR] [FILE]\n"
		    "explain [--json] [KEY]\n"
		    "init [--project] [--dry-run]\n"
		    "schema",
	.summary = "check, show and explain the policies in force, or start one",
	.about = "verify reads every policy file in force (the system's, the user's, the project's) or FILE "
			"alone, and prints a line for each: its path, whose it is, "
		 "whether it is trusted, and ok or the error with file, line and column. Warnings follow: "
		 "keys that are ignored because of whose file it is, presets that do "
		 "not exist, rules that allow far more than they seem to, rules that can match nothing.\n\n"
		 "show prints the policy that results, with the place of each rule behind it. A project's "
		 "file that is not trusted is shown apart, as it is judged.\n\n"
		 "explain lists the keys that a policy may have, in groups. With KEY it explains "
		"that key and "
		 "those below it: the meaning, the values, who may set it, an example.\n\n"
		 "init writes a policy to start with: everything in it is a comment, so it changes "
		"no verdict "
		 "until you edit it. A file that exists is never replaced.\n\n"
		 "schema prints the JSON Schema of a policy. Editors with a YAML language server "
		"complete and "
		 "check the keys with it.",
	COMMAND_OPTIONS(options),
	COMMAND_EXITS(exits),
	COMMAND_EXAMPLES(examples),
	.run = run_config,
};
