/* See live.h. Each probe runs one program (sys/process.h) with its own time limit. */
#define _GNU_SOURCE
#include "client/live.h"

#include <unistd.h>

#include "client/client.h"
#include "client/jsontext.h"
#include "sys/file.h"
#include "sys/path.h"
#include "sys/process.h"

#define CANARY "caisson init --remove"  /* denied by a fixed check */
#define HARMLESS "true"
#define PROBE_MS 20000
#define PROBE_OUTPUT_MAX ((size_t)64 << 10)
#define KEY_DEPTH_MAX 4

struct looking {
	struct arena *a;
	struct init_request rq;
	const struct init_row *row;
	char *const *environment;
	struct live *l;
	struct str path, text;   /* the settings file being tested */
	struct json *root;
	struct str program;      /* run by the hooks; empty: no hooks found */
	/* "caisson@MARKETPLACE" if settings enable our Claude Code plugin; empty: none */
	struct str plugin;
};

void live_add(struct arena *a, struct live *l, const char *id, enum live_state state, struct str text,
		struct str todo)
{
	LIST_NEW(a, l->end, (struct live_finding){.id = id, .state = state, .text = text, .todo = todo});
}

static void add_row(struct looking *k, const char *id, enum live_state state, struct str text,
		struct str todo)
{
	live_add(k->a, k->l, id, state, text, todo);
}

static struct str advise_init(struct looking *k, const char *more)
{
	return str_fmt(k->a, "caisson init --client %s%s%s", k->row->name,
			k->rq.scope == INIT_PROJECT ? " --project" : "", more);
}

/* ---- asking the hook ---- */

enum answer { ANSWER_NONE, ANSWER_DENY, ANSWER_ASK, ANSWER_PASS };

/* Returns the first decision in a client's JSON, at any depth. */
static enum answer decision_of(const struct json *n, unsigned depth)
{
	static const char keys[][20] = {"permissionDecision", "decision", "permission"};

	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		const struct json *d = json_key(n, keys[i]);

		if (json_is(d, JSON_STRING))
			return str_is_any(d->text, "deny block") ? ANSWER_DENY :
					str_is(d->text, "ask") ? ANSWER_ASK : ANSWER_PASS;
	}
	for (const struct json *c = json_is(n, JSON_OBJECT) && depth < KEY_DEPTH_MAX ? n->first : NULL; c;
			c = c->next) {
		enum answer inner = decision_of(c, depth + 1);

		if (inner != ANSWER_PASS)
			return inner;
	}
	return ANSWER_PASS;
}

static struct str event_of(struct looking *k, const char *command)
{
	struct buf b;

	buf_init(&b, k->a, 0);
	for (const char *p = k->row->probe; *p; p++) {
		if (*p != '%')
			buf_char(&b, *p);
		else
			json_put_string(&b, *++p == 'C' ? str_of(command) : k->rq.project.n ? k->rq.project :
					STR("/tmp"));
	}
	return buf_view(&b);
}

/* Runs a line as the client does. The arena owns *ret_output. */
static int run_line(struct looking *k, struct str line, const char *command, struct process_result *ret,
		struct str *ret_output,
		struct err *e)
{
	char *output = arena_alloc(k->a, PROBE_OUTPUT_MAX);
	char *argv[] = {"/bin/sh", "-c", str_c(k->a, line), NULL};
	struct process_request rq = {.path = "/bin/sh", .argv = argv, .envp = k->environment,
			.input = event_of(k, command),
			.output = output, .output_max = PROBE_OUTPUT_MAX, .timeout_ms = PROBE_MS};

	if (process_ask(&rq, ret, e) != 0)
		return -1;
	*ret_output = str_n(output, ret->n);
	return 0;
}

/* Runs the hook for a command. *ret_why explains a reply that is not a valid answer. */
static enum answer ask_hook(struct looking *k, struct str hook, const char *command, struct str *ret_why)
{
	struct process_result r;
	struct str output;
	struct json *root;
	struct err e = {0};

	if (run_line(k, hook, command, &r, &output, &e) != 0) {
		*ret_why = str_fmt(k->a, "%s", e.text);
		return ANSWER_NONE;
	}
	if (r.status == HOOK_BLOCK)
		return ANSWER_DENY;
	if (r.status != HOOK_PASS) {
		*ret_why = str_fmt(k->a, "it ended with status %d", r.status);
		return ANSWER_NONE;
	}
	if (jsontext_read(k->a, output, false, &root, &e) != 0) {
		*ret_why = str_fmt(k->a, "its answer is not JSON: %s", e.text);
		return ANSWER_NONE;
	}
	return decision_of(root, 0);
}

/* Returns the last line on standard error, where a hook that denies by exit code says why. */
static struct str hook_complaint(struct looking *k, struct str hook, const char *command)
{
	struct process_result r;
	struct str said = STR("");
	struct err e = {0};
	size_t from = 0;

	if (run_line(k, str_fmt(k->a, "exec 2>&1; %.*s", STR_ARG(hook)), command, &r, &said, &e) != 0)
		return STR("");
	while (said.n && said.p[said.n - 1] == '\n')
		said.n--;
	for (size_t i = 0; i < said.n; i++)
		if (said.p[i] == '\n')
			from = i + 1;
	return str_from(said, from);
}

/* Reports that the harmless command is stopped: the program fails, or the policy stops it. */
static void note_stopped(struct looking *k, struct str hook, enum answer answer, struct str why)
{
	struct str said = answer == ANSWER_DENY ? hook_complaint(k, hook, HARMLESS) : STR("");

	if (str_starts(said, INIT_FAILED))
		add_row(k, "passes", LIVE_PARTLY,
				str_fmt(k->a, "the program fails with status %.*s, so every tool call is "
				"denied",
				STR_ARG(str_sub(said, sizeof(INIT_FAILED) - 1,
						(size_t)str_find(said, ',', 0)))),
			advise_init(k, "   # with a caisson that works"));
	else
		add_row(k, "passes", LIVE_PARTLY, str_fmt(k->a, "'%s' is %s, too: %.*s", HARMLESS,
				answer == ANSWER_ASK ? "asked about" : "denied",
				STR_ARG(said.n ? said : why)), STR("caisson config verify"));
}

static void probe_hook(struct looking *k, struct str hook)
{
	struct str why = STR("it let the command pass");
	enum answer canary = ask_hook(k, hook, CANARY, &why), harmless;

	if (canary != ANSWER_DENY) {
		add_row(k, "denies", LIVE_NO, str_fmt(k->a, "'%s' was not denied: %.*s", CANARY,
				STR_ARG(why)), STR("caisson config verify"));
		return;
	}
	add_row(k, "denies", LIVE_YES, str_fmt(k->a,
			"'%s' is denied when the hook is called as the client calls it", CANARY), STR(""));
	why = STR("by the policy, or because it does not load");
	harmless = ask_hook(k, hook, HARMLESS, &why);
	if (harmless == ANSWER_PASS)
		add_row(k, "passes", LIVE_YES, STR("'" HARMLESS "' is not denied"), STR(""));
	else
		note_stopped(k, hook, harmless, why);
}

/* ---- reading the settings ---- */

struct found_hook { /* our hook in an event's list */
	struct looking *k;
	const struct json *entry, *hook; /* our entry and our hook */
	struct str command;
	struct init_program program;
	size_t before;                    /* hooks of others before ours */
};

static const struct json *command_of(const struct json *hook)
{
	const struct json *c = json_key(hook, "command");

	if (!c)
		c = json_key(hook, "bash");
	return json_is(c, JSON_STRING) ? c : NULL;
}

static void see_hook(struct found_hook *f, const struct json *entry, const struct json *hook)
{
	const struct json *c = command_of(hook);

	if (!c)
		return;
	if (!init_is_ours(f->k->a, c->text, &f->program)) {
		f->before++;
		return;
	}
	f->entry = entry;
	f->hook = hook;
	f->command = c->text;
}

static void find_ours(struct found_hook *f, const struct json *list)
{
	for (const struct json *n = json_items(list); n && !f->hook; n = n->next) {
		const struct json *inner = json_key(n, "hooks");

		see_hook(f, n, n);
		for (const struct json *h = json_items(inner); h && !f->hook; h = h->next)
			see_hook(f, n, h);
	}
}

static void look_program(struct looking *k, struct str program)
{
	struct str path = program;

	if (!program.n || program.p[0] != '/')
		add_row(k, "program", LIVE_PARTLY,
				str_fmt(k->a, "'%.*s' is looked up in the client's PATH, which may differ",
						STR_ARG(program)), advise_init(k, ""));
	else if (access(str_c(k->a, path), X_OK) != 0)
		add_row(k, "program", LIVE_NO, str_fmt(k->a, "'%.*s' does not exist or cannot run",
				STR_ARG(path)), advise_init(k, "   # with the caisson that is to be used"));
	else
		add_row(k, "program", LIVE_YES, path, STR(""));
}

/* True if the hook has the row's `needs`, a literal "key": value. */
static bool has_needs(struct looking *k, const struct json *hook)
{
	struct str needs = str_of(k->row->needs);
	ptrdiff_t colon = str_find(needs, ':', 0);
	const struct json *v;

	if (colon < 3)
		return true;
	v = json_key(hook, str_c(k->a, str_sub(needs, 1, (size_t)colon - 1)));
	return v && str_eq(str_sub(k->text, v->from, v->to), str_from(needs, (size_t)colon + 2));
}

/* Reports if the hook line fails closed when the program is missing, crashes or hangs. */
static void look_closed(struct looking *k, const struct found_hook *f, const char *event)
{
	struct str want = init_command(k->a, k->row, &f->program, event);

	if (!has_needs(k, f->hook))
		add_row(k, "closed", LIVE_PARTLY,
				str_fmt(k->a, "%s is missing: the client runs the tool if the hook takes too "
				"long", k->row->needs),
				advise_init(k, ""));
	else if (!str_eq(f->command, want))
		add_row(k, "closed", LIVE_PARTLY,
				STR("its line differs from what init writes now: the client may run the tool "
				"if caisson is missing or crashes"),
				advise_init(k, ""));
	else if (k->row->outer_limit_s && !f->program.timeout.n)
		add_row(k, "closed", LIVE_PARTLY,
				STR("its line has no time limit, because the program 'timeout' was missing: "
				"the client runs the tool if the hook hangs"),
				str_fmt(k->a, "install coreutils, then %.*s", STR_ARG(advise_init(k, ""))));
	else
		add_row(k, "closed", LIVE_YES, STR("fails closed: a hook that is missing, crashes or fails "
				"denies"),
				STR(""));
}

static void look_entry(struct looking *k, const struct found_hook *f)
{
	const struct json *m = json_key(f->entry, "matcher");

	if (json_is(m, JSON_STRING) && m->text.n && !str_is_any(m->text, "* .*"))
		add_row(k, "matcher", LIVE_PARTLY, str_fmt(k->a, "only for tools that match '%.*s'",
				STR_ARG(m->text)), advise_init(k, ""));
	if (f->before)
		add_row(k, "first", LIVE_PARTLY,
				str_fmt(k->a, "%zu other hook%s before it, which may change what is judged",
				f->before, f->before == 1 ? " stands" : "s stand"),
				advise_init(k, " --remove, then without"));
}

/* ---- switched off ---- */

struct off_row {
	char object[12], key[16]; /* object: empty for the top level */
	char value[8];            /* JSON text */
};

static const struct off_row offs[] = {
	{"", "disableAllHooks", "true"}, {"hooksConfig", "enabled", "false"},
	{"tools", "enableHooks", "false"}, {"", "disableHooks", "true"}, {"hooks", "enabled", "false"},
};

static void look_off(struct looking *k)
{
	for (size_t i = 0; i < ARRAY_SIZE(offs); i++) {
		const struct json *in = offs[i].object[0] ? json_key(k->root, offs[i].object) : k->root,
				*v = json_key(in, offs[i].key);

		if (v && str_is(str_sub(k->text, v->from, v->to), offs[i].value))
			add_row(k, "enabled", LIVE_NO, str_fmt(k->a, "%.*s has \"%s\": %s, so no hook runs",
					STR_ARG(k->path), offs[i].key, offs[i].value),
					STR("remove that from the file"));
	}
}

static bool read_settings(struct looking *k, struct str path)
{
	struct err e = {0};

	k->path = path;
	k->root = NULL;
	if (!path.n || file_read(k->a, str_c(k->a, path), JSONTEXT_BYTES_MAX, &k->text, NULL, &e) != 0)
		return false;
	if (k->row->events[0] && jsontext_read(k->a, k->text, k->row->comments, &k->root, &e) != 0) {
		add_row(k, "settings", LIVE_NO, str_fmt(k->a, "%.*s:%s", STR_ARG(path), e.text),
				STR("correct the file: the client may not be able to read it either"));
		return false;
	}
	return true;
}

/* Several settings files may name a plugin; the last one wins: user, project, local. */
static void note_plugin(struct looking *k)
{
	const struct json *all = json_key(k->root, "enabledPlugins");

	for (const struct json *n = json_members(all); n; n = n->next)
		if (str_starts(n->key, "caisson@"))
			k->plugin = str_is(str_sub(k->text, n->from, n->to), "true") ? n->key : STR("");
}

static void look_local(struct looking *k)
{
	if (!k->row->local_file[0] || !k->rq.project.n ||
		!read_settings(k, str_fmt(k->a, "%.*s/%s/%s", STR_ARG(k->rq.project), k->row->project_dir,
			k->row->local_file)))
		return;
	look_off(k);
	note_plugin(k);
}

/* ---- one settings file ---- */

static bool look_plugin(struct looking *k)
{
	struct str mark = STR("const program = "), rest, program;
	struct err e = {0};
	struct json *n = NULL;
	size_t i = 0;

	while (i + mark.n < k->text.n && !str_eq(str_sub(k->text, i, i + mark.n), mark))
		i++;
	rest = str_from(k->text, i + mark.n);
	for (i = 0; i < rest.n && rest.p[i] != ';' && rest.p[i] != '\n'; i++)
		;
	if (jsontext_read(k->a, str_first(rest, i), false, &n, &e) != 0 || !n || n->kind != JSON_STRING)
		return false;
	program = n->text;
	add_row(k, "settings", LIVE_YES, k->path, STR(""));
	look_program(k, program);
	probe_hook(k, init_command(k->a, k->row, &(struct init_program){.path = program}, NULL));
	return true;
}

/* Tests the hooks in the current file. */
static bool look_hooks(struct looking *k)
{
	struct found_hook f = {.k = k};
	struct str first = str_of(k->row->events);
	ptrdiff_t blank = str_find(first, ' ', 0);
	const char *event = str_c(k->a, blank < 0 ? first : str_first(first, (size_t)blank));

	find_ours(&f, json_key(json_key(k->root, "hooks"), event));
	if (!f.hook)
		return false;
	add_row(k, "settings", LIVE_YES, k->path, STR(""));
	k->program = f.program.path;
	look_program(k, f.program.path);
	look_closed(k, &f, event);
	look_entry(k, &f);
	probe_hook(k, f.command);
	return true;
}

static bool look_scope(struct looking *k, enum init_scope scope)
{
	k->rq.scope = scope;
	if (!read_settings(k, init_path(k->a, &k->rq, k->row)))
		return false;
	if (!k->row->events[0])
		return look_plugin(k);
	look_off(k);
	note_plugin(k);
	return look_hooks(k);
}

/* Returns the directory of Claude Code's copy of our plugin; empty: not installed. */
static struct str installed_at(struct looking *k)
{
	struct str settings = init_path(k->a, &k->rq, k->row);
	const struct json *list, *path = NULL;

	if (!read_settings(k, str_fmt(k->a, "%.*s/plugins/installed_plugins.json",
			STR_ARG(path_parent(settings)))))
		return STR("");
	list = json_key(json_key(k->root, "plugins"), str_c(k->a, k->plugin));
	for (const struct json *n = json_items(list); n && !path; n = n->next)
		path = json_key(n, "installPath");
	return json_is(path, JSON_STRING) ? path->text : STR("");
}

/* Tests the hooks of our Claude Code plugin. `any`: settings files have our hooks, too. */
static bool look_claude_plugin(struct looking *k, bool any)
{
	struct str at;

	k->rq.scope = INIT_USER;
	if (!k->plugin.n)
		return false;
	if (any)
		add_row(k, "twice", LIVE_PARTLY,
				str_fmt(k->a, "the plugin '%.*s' is enabled too, so every call is judged "
				"twice", STR_ARG(k->plugin)),
				str_fmt(k->a, "claude plugin uninstall %.*s", STR_ARG(k->plugin)));
	at = installed_at(k);
	if (at.n && read_settings(k, str_fmt(k->a, "%.*s/hooks/hooks.json", STR_ARG(at))) && look_hooks(k))
		return true;
	add_row(k, "plugin", LIVE_NO,
			str_fmt(k->a, "the plugin '%.*s' is enabled, but Claude Code has no copy of it with "
					"hooks",
			STR_ARG(k->plugin)),
			str_fmt(k->a, "claude plugin install %.*s", STR_ARG(k->plugin)));
	return false;
}

void live_look(struct arena *a, const struct init_request *rq, const struct init_row *row,
		char *const *environment, struct live *ret)
{
	const struct client *c = client_find(str_of(row->name));
	struct looking k = {.a = a, .rq = *rq, .row = row, .environment = environment, .l = ret,
			.plugin = STR(""), .program = STR("")};
	bool live, any;

	*ret = (struct live){.row = row, .title = c ? c->title : row->name, .cannot = c ? c->cannot : NULL};
	ret->end = &ret->first;
	any = look_scope(&k, INIT_USER);
	any |= look_scope(&k, INIT_PROJECT);
	look_local(&k);
	any |= look_claude_plugin(&k, any);
	if (any)
		live_sandbox(&(struct live_request){a, rq, row, k.program, ret});
	else
		add_row(&k, "settings", LIVE_NO, STR("no hook of caisson is set up"), advise_init(&k, ""));
	live = any;
	ret->state = any ? LIVE_YES : LIVE_NO;
	for (const struct live_finding *f = ret->first; f; f = f->next) {
		live &= f->state != LIVE_NO;
		if (f->state != LIVE_YES && ret->state == LIVE_YES)
			ret->state = LIVE_PARTLY;
	}
	if (!live)
		ret->state = LIVE_NO;
	ret->end = NULL; /* may point into the caller's copy */
}

bool live_present(struct arena *a, const struct init_request *rq, const struct init_row *row)
{
	struct init_request r = *rq;

	r.scope = INIT_USER;
	if (init_present(a, &r, row))
		return true;
	r.scope = INIT_PROJECT;
	return init_present(a, &r, row);
}
