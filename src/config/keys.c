/*
 * The table of keys, generated from key_rows.h. docs/policy.md shows the same rows; test_config compares
 * them.
 */
#include "base/num.h"
#include "config/knowledge_yaml.h"
#include "config/load.h"
#include "model/network_request.h"

static int parse_mode(struct load *l, const struct ynode *n, void *field)
{
	static const struct value_name names[] = {{"default", MODE_DEFAULT},
			{"acceptEdits", MODE_ACCEPT_EDITS}, {"plan", MODE_PLAN},
		{"bypassPermissions", MODE_BYPASS}, {"dontAsk", MODE_DONT_ASK}};
	int v = 0;
	if (value_choice(l, n, names, ARRAY_SIZE(names),
			"expected default, acceptEdits, plan, bypassPermissions or dontAsk", &v) < 0)
		return -1;
	*(enum mode *)field = (enum mode)v;
	return 0;
}

static int parse_route(struct load *l, const struct ynode *n, void *field)
{
	static const struct value_name names[] = {{"advise", ROUTE_ADVISE}, {"off", ROUTE_OFF},
			{"warn", ROUTE_WARN}, {"ask", ROUTE_ASK}, {"deny", ROUTE_DENY}};
	int v = 0;
	if (value_choice(l, n, names, ARRAY_SIZE(names), "expected off, advise, warn, ask or deny", &v) < 0)
		return -1;
	*(enum route *)field = (enum route)v;
	return 0;
}

/* An unjudgeable command is never allowed: fencepost's `allow` here is read as ask. */
static int parse_on_error(struct load *l, const struct ynode *n, void *field)
{
	enum verdict v;
	if (value_verdict(l, n, &v) < 0)
		return -1;
	if (v == VERDICT_ALLOW && l->src->dialect != CONFIG_FENCEPOST)
		return value_fail(l, n, "expected ask or deny");
	if (v == VERDICT_ALLOW)
		value_note(l, n, "a request that cannot be judged is never allowed; read as ask");
	*(enum verdict *)field = v == VERDICT_ALLOW ? VERDICT_ASK : v;
	return 0;
}

/* Rows of all files are packed together after the last file. */
static int parse_commands(struct load *l, const struct ynode *n, void *field)
{
	struct own_commands *own = arena_new(l->a, struct own_commands);
	(void)field;
	if (yaml_null(n))
		return 0;
	own->file = l->file;
	own->rows = n;
	own->next = l->commands;
	l->commands = own;
	return 0;
}

static int pack_commands(struct load *l)
{
	struct know_packed packed;
	size_t n = 0, i;
	for (const struct own_commands *c = l->commands; c; c = c->next)
		n++;
	if (!n)
		return 0;
	struct know_source *src = arena_array(l->a, n, sizeof(*src));
	i = n;
	for (const struct own_commands *c = l->commands; c; c = c->next)
		src[--i] = (struct know_source){&c->file, c->rows};
	if (know_yaml_pack(l->a, src, n, &packed, l->e) < 0)
		return -1;
	l->policy.commands = packed.rows;
	l->policy.ncommands = packed.nrows;
	return 0;
}

/* How interpreters of a language receive code. */
static const struct {
	enum lang lang;
	char flags[24];
} interpreters[] = {{LANG_PYTHON, "-c"}, {LANG_JAVASCRIPT, "-e -p --eval --print"},
	{LANG_POWERSHELL, "-c -Command"}, {LANG_PERL, "-e -E"}, {LANG_RUBY, "-e"}, {LANG_PHP, "-r"},
	{LANG_LUA, "-e"}};

static bool plain_name(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+-", s.p[i]))
			return false;
	return s.n > 0 && s.p[0] != '-';
}

/*
 * An unknown name under `interpreters` is a program that takes code like the others of its language. The code
 * is then judged; but nobody knows that the program really runs that language, so the command runs in the box
 * at best.
 */
static void add_interpreters(struct load *l, struct buf *rows)
{
	for (const struct interpreter_rules *r = l->policy.interpreters; r; r = r->next)
		for (size_t i = 0; i < ARRAY_SIZE(interpreters); i++)
			for (const struct texts *t = r->names; t && r->lang == interpreters[i].lang;
				t = t->next)
				if (plain_name(t->text) && !know_find(t->text, l->policy.commands,
						l->policy.ncommands))
					buf_fmt(rows,
						"- {name: ['%.*s'], style: posix, abbrev: false, flags: "
						"{'%s': 'code:%s last'}, operands: {first: [exec], rest: "
						"none, empty: 'code:%s'}, "
						"when: [{flags: '%s', operands: {first: [], empty: none}}], "
						"effects: [executes-workspace]}\n",
						STR_ARG(t->text), interpreters[i].flags, lang_name(r->lang),
						lang_name(r->lang), interpreters[i].flags);
}

int config_pack_commands(struct load *l)
{
	struct own_commands *own = arena_new(l->a, struct own_commands);
	struct buf rows;

	if (pack_commands(l) < 0)
		return -1;
	buf_init(&rows, l->a, 0);
	add_interpreters(l, &rows);
	if (!rows.n)
		return 0;
	if (yaml_read(l->a, STR("interpreters"), buf_view(&rows), &own->file, l->e) < 0)
		return -1;
	own->rows = own->file.root;
	own->next = l->commands;
	l->commands = own;
	return pack_commands(l);
}

static int parse_classifier(struct load *l, const struct ynode *n, void *field)
{
	static const struct value_field fields[] = {
		{"command", value_texts, offsetof(struct classifier, command)},
		{"timeout_ms", value_millis, offsetof(struct classifier, timeout_ms)},
	};
	struct classifier c = {.timeout_ms = 2000};
	if (value_map(l, n, fields, ARRAY_SIZE(fields), &c) < 0)
		return -1;
	if (!c.command && !yaml_null(n))
		return value_fail(l, n, "a classifier needs 'command'");
	*(struct classifier *)field = c; /* the whole block: the last one wins */
	return 0;
}

static int parse_task(struct load *l, const struct ynode *n, void *field)
{
	static const struct value_name names[] = {{"test", TASK_TEST}, {"typecheck", TASK_TYPECHECK},
			{"lint", TASK_LINT}, {"data", TASK_DATA}, {"json", TASK_JSON},
			{"custom", TASK_CUSTOM}};
	int v = 0;
	if (value_choice(l, n, names, ARRAY_SIZE(names),
			"expected " TASK_NAMES, &v) < 0)
		return -1;
	*(enum task *)field = (enum task)v;
	return 0;
}

static int validator_item(struct load *l, const struct ynode *n, void *node)
{
	static const struct value_field fields[] = {
		{"name", value_text, offsetof(struct custom_validator, name)},
		{"task", parse_task, offsetof(struct custom_validator, task)},
		{"command", value_texts, offsetof(struct custom_validator, command)},
		{"timeout_ms", value_millis, offsetof(struct custom_validator, timeout_ms)},
	};
	struct custom_validator *v = node;
	v->task = TASK_CUSTOM;
	v->timeout_ms = 10000;
	if (value_map(l, n, fields, ARRAY_SIZE(fields), v) < 0)
		return -1;
	if (!v->command || !v->name.n)
		return value_fail(l, n, "a validator needs 'name' and 'command'");
	return plain_name(v->name) ? 0 : value_fail(l, yaml_get(n, "name"),
			"expected a name of letters, digits and ._+-");
}

static int parse_validators(struct load *l, const struct ynode *n, void *field)
{
	return value_list(l, n, field, sizeof(struct custom_validator), validator_item);
}

static int parse_guidance(struct load *l, const struct ynode *n, void *field)
{
	static const struct value_field fields[] = {
		{"enabled", value_bool, offsetof(struct guidance, enabled)},
		{"includeDefaults", value_bool, offsetof(struct guidance, include_defaults)},
		{"extra", value_texts, offsetof(struct guidance, extra)},
	};
	struct guidance g = {.enabled = true, .include_defaults = true};
	if (value_map(l, n, fields, ARRAY_SIZE(fields), &g) < 0)
		return -1;
	*(struct guidance *)field = g;
	return 0;
}

static int parse_redirect(struct load *l, const struct ynode *n, void *field)
{
	static const struct value_field fields[] = {
		{"tmp", value_bool, offsetof(struct tmp_redirect, on)},
		{"tmpTarget", value_text, offsetof(struct tmp_redirect, target)},
	};
	struct tmp_redirect r = {.target = STR("/tmp/claude")};
	if (value_map(l, n, fields, ARRAY_SIZE(fields), &r) < 0)
		return -1;
	struct str name = str_starts(r.target, "/tmp/") ? str_from(r.target, 5) : STR("");
	if (!name.n || str_has(name, '/') || str_is_any(name, ". .."))
		return value_fail(l, yaml_get(n, "tmpTarget"), "expected a directory directly below /tmp");
	*(struct tmp_redirect *)field = r;
	return 0;
}

/* Two words, of which the second one means true. */
static int parse_either(struct load *l, const struct ynode *n, const struct value_name words[2], bool *field)
{
	struct str expected = str_fmt(l->a, "expected %s or %s", words[0].name, words[1].name);
	int v = 0;

	if (value_choice(l, n, words, 2, str_c(l->a, expected), &v) < 0)
		return -1;
	*field = v;
	return 0;
}

static int parse_network(struct load *l, const struct ynode *n, void *field)
{
	return parse_either(l, n, (const struct value_name[]){{"deny", false}, {"host-allowed", true}},
			field);
}

static int network_item(struct load *l, const struct ynode *n, void *node)
{
	struct texts *t = node;
	struct err why = {0};

	if (value_text(l, n, &t->text) < 0)
		return -1;
	return network_word_check(l->a, t->text, &why) == 0 ? 0 : value_fail(l, n, why.text);
}

static int read_port(struct load *l, const struct ynode *n, struct texts *t, int64_t least, const char *why)
{
	int64_t port;

	if (value_text(l, n, &t->text) < 0)
		return -1;
	return num_parse(t->text, least, UINT16_MAX, &port) == 0 ? 0 : value_fail(l, n, why);
}

static int port_item(struct load *l, const struct ynode *n, void *node)
{
	return read_port(l, n, node, 1, "expected a port from 1 to 65535");
}

static int parse_ports(struct load *l, const struct ynode *n, void *field)
{
	return value_list(l, n, field, sizeof(struct texts), port_item);
}

static int published_item(struct load *l, const struct ynode *n, void *node)
{
	return read_port(l, n, node, 1024, "expected a port from 1024 to 65535");
}

static int parse_published(struct load *l, const struct ynode *n, void *field)
{
	return value_list(l, n, field, sizeof(struct texts), published_item);
}

/* A project names what its boxes need; that takes hosts away, and adds none. */
static int parse_network_allow(struct load *l, const struct ynode *n, void *field)
{
	struct sandbox *s = field;
	bool adds = l->src->who >= WHO_OWNER;
	struct texts **list = adds ? &s->network_allow : &s->network_only;

	s->network_limited |= !adds;
	return value_list(l, n, list, sizeof(struct texts), network_item);
}

static int wrong_socket(struct load *l, const struct ynode *n, struct str name)
{
	struct near guess = {.word = name};

	for (size_t i = 0; i < BOX_SOCKETS; i++)
		near_try(&guess, box_socket_name(i));
	return yaml_fail(&l->file, n, false, l->e, "expected a list of ssh-agent, gpg-agent and docker%s",
			near_text(l->a, &guess, ""));
}

static int parse_sockets(struct load *l, const struct ynode *n, void *field)
{
	struct texts *list = NULL;

	if (value_texts(l, n, &list) < 0)
		return -1;
	for (const struct texts *t = list; t; t = t->next) {
		size_t i = 0;

		while (i < BOX_SOCKETS && !str_is(t->text, box_socket_name(i)))
			i++;
		if (i == BOX_SOCKETS)
			return wrong_socket(l, n, t->text);
		*(unsigned *)field |= 1u << i;
	}
	return 0;
}

static int parse_background(struct load *l, const struct ynode *n, void *field)
{
	return parse_either(l, n, (const struct value_name[]){{"kill", false}, {"keep", true}}, field);
}

static int parse_backend(struct load *l, const struct ynode *n, void *field)
{
	struct value_name names[BACKENDS];
	size_t count = 0;
	int v = 0;

	for (enum backend_choice c = BACKEND_UNSET + 1; c < BACKENDS; c++) {
		struct value_name *to = &names[count++];

		str_put(to->name, sizeof(to->name), "%s", backend_choice_name(c));
		to->value = (int)c;
	}
	if (value_choice(l, n, names, count, "expected one of " BACKEND_NAMES_TEXT, &v) < 0)
		return -1;
	*(enum backend_choice *)field = (enum backend_choice)v;
	return 0;
}

static int parse_client_sandbox(struct load *l, const struct ynode *n, void *field)
{
	return parse_either(l, n, (const struct value_name[]){{"refuse", false}, {"trust", true}}, field);
}

/*
 * The person's own value is a default that the command line may change. Every other value is a bound, and the
 * smallest bound holds.
 */
static int parse_limit(struct load *l, const struct ynode *n, void *field, enum limit which)
{
	struct limit_set *set = field;
	struct err why = {0};
	struct str text;
	uint64_t v;
	if (value_text(l, n, &text) < 0)
		return -1;
	if (limit_parse(which, text, &v, &why) < 0)
		return value_fail(l, n, why.text);
	if (l->src->who == WHO_OWNER)
		set->value = v;
	else if (!set->most || v < set->most)
		set->most = v;
	return 0;
}

static int parse_cpus(struct load *l, const struct ynode *n, void *field)
{
	return parse_limit(l, n, field, LIMIT_CPUS);
}
static int parse_memory(struct load *l, const struct ynode *n, void *field)
{
	return parse_limit(l, n, field, LIMIT_MEMORY);
}
static int parse_time(struct load *l, const struct ynode *n, void *field)
{
	return parse_limit(l, n, field, LIMIT_TIME);
}
static int parse_pids(struct load *l, const struct ynode *n, void *field)
{
	return parse_limit(l, n, field, LIMIT_PIDS);
}
static int parse_scratch(struct load *l, const struct ynode *n, void *field)
{
	return parse_limit(l, n, field, LIMIT_SCRATCH);
}
static int parse_output(struct load *l, const struct ynode *n, void *field)
{
	return parse_limit(l, n, field, LIMIT_OUTPUT);
}
static int parse_io(struct load *l, const struct ynode *n, void *field)
{
	return parse_limit(l, n, field, LIMIT_IO);
}
static int parse_cpu_time(struct load *l, const struct ynode *n, void *field)
{
	return parse_limit(l, n, field, LIMIT_CPU_TIME);
}

static int parse_results_require(struct load *l, const struct ynode *n, void *field)
{
	static const struct value_name names[] = {{"nothing", RESULT_NEEDS_NOTHING},
			{"recognised", RESULT_NEEDS_FORMAT}, {"witnessed", RESULT_NEEDS_WITNESS}};
	static const int strength[] = {[RESULT_NEEDS_NOTHING] = 0, [RESULT_NEEDS_FORMAT] = 1,
			[RESULT_NEEDS_WITNESS] = 2};
	struct result_policy *r = field;
	int v = 0;

	if (value_choice(l, n, names, ARRAY_SIZE(names), "expected nothing, recognised or witnessed", &v) < 0)
		return -1;
	if (l->src->who != WHO_SYSTEM && r->of_system && strength[v] < strength[r->need]) {
		value_note(l, n, "'results.require' is ignored: the system's policy is stricter");
		return 0;
	}
	r->need = (enum result_need)v;
	r->of_system |= l->src->who == WHO_SYSTEM;
	return 0;
}

static int parse_results_canary(struct load *l, const struct ynode *n, void *field)
{
	struct result_policy *r = field;
	bool on = true;

	if (value_bool(l, n, &on) < 0)
		return -1;
	r->no_canary = !on;
	return 0;
}

/* ---- audit.*: the person may make the system's values stricter, not milder ---- */

static struct audit_policy *audit_of(struct load *l) { return &l->policy.audit; }

static bool allows_change(struct load *l, const struct ynode *n, bool *of_system, bool is_milder)
{
	if (l->src->who == WHO_SYSTEM)
		*of_system = true;
	else if (*of_system && is_milder) {
		value_note(l, n, "'audit.%.*s' is ignored: the system's policy is stricter", STR_ARG(n->key));
		return true;
	}
	return false;
}

static int parse_audit_required(struct load *l, const struct ynode *n, void *field)
{
	bool required;
	(void)field;
	if (value_bool(l, n, &required) < 0)
		return -1;
	if (!allows_change(l, n, &audit_of(l)->of_system.required, !required && !audit_of(l)->optional))
		audit_of(l)->optional = !required;
	return 0;
}

static int parse_audit_sync(struct load *l, const struct ynode *n, void *field)
{
	static const struct value_name names[] = {{"always", AUDIT_SYNC_ALWAYS}, {"begin", AUDIT_SYNC_BEGIN},
			{"none", AUDIT_SYNC_NONE}};
	static const int strength[] = {[AUDIT_SYNC_NONE] = 0, [AUDIT_SYNC_BEGIN] = 1,
			[AUDIT_SYNC_ALWAYS] = 2};
	int v = 0;
	(void)field;
	if (value_choice(l, n, names, ARRAY_SIZE(names), "expected always, begin or none", &v) < 0)
		return -1;
	if (!allows_change(l, n, &audit_of(l)->of_system.sync, strength[v] < strength[audit_of(l)->sync]))
		audit_of(l)->sync = (enum audit_sync)v;
	return 0;
}

static int parse_audit_retention(struct load *l, const struct ynode *n, void *field)
{
	int64_t days;
	(void)field;
	if (n->kind != YNODE_SCALAR || num_parse(n->text, AUDIT_RETENTION_DAYS, AUDIT_RETENTION_MAX,
			&days) < 0)
		return value_fail(l, n, "expected a number of days from 90 to 36500");
	if (!allows_change(l, n, &audit_of(l)->of_system.retention, days < audit_of(l)->retention_days))
		audit_of(l)->retention_days = (unsigned)days;
	return 0;
}

/* A size, or 0. */
static int parse_audit_size(struct load *l, const struct ynode *n, enum limit which, const char *expected,
		uint64_t *ret)
{
	struct str text;
	if (value_text(l, n, &text) < 0)
		return -1;
	if (str_is(text, "0")) {
		*ret = 0;
		return 0;
	}
	return limit_parse(which, text, ret, NULL) < 0 ? value_fail(l, n, expected) : 0;
}

static int parse_audit_quota(struct load *l, const struct ynode *n, void *field)
{
	return parse_audit_size(l, n, LIMIT_SCRATCH,
			"expected a size from 64K to 16T, as 4G, or 0 for no limit; a plain number is "
			"megabytes", field);
}

static int parse_audit_outputs(struct load *l, const struct ynode *n, void *field)
{
	return parse_audit_size(l, n, LIMIT_OUTPUT,
			"expected a size from 1K to 1G, as 16M, or 0 to keep none; a plain number is "
			"megabytes", field);
}

/* read before everything else; skipped here */
static int parse_import(struct load *l, const struct ynode *n, void *field)
{
	(void)l, (void)n, (void)field;
	return 0;
}

const struct config_key config_keys[] = {
#define KEY(name, who, apart, help, example, shape, parse, offset) {name, who, apart, help, example, shape},
#include "config/key_rows.h"
#undef KEY
};

/*
 * Kept apart from the texts: the dynamic loader relocates pointers at every start, so fewer pages should hold
 * any.
 */
static value_parser *const parsers[] = {
#define KEY(name, who, apart, help, example, shape, parse, offset) parse,
#include "config/key_rows.h"
#undef KEY
};

static const size_t offsets[] = { /* in struct policy */
#define KEY(name, who, apart, help, example, shape, parse, offset) offset,
#include "config/key_rows.h"
#undef KEY
};

const size_t config_nkeys = ARRAY_SIZE(config_keys);

int config_key_parse(struct load *l, size_t i, const struct ynode *n)
{
	return parsers[i](l, n, (char *)&l->policy + offsets[i]);
}

const struct config_key *config_key(size_t i)
{
	return i < config_nkeys ? &config_keys[i] : NULL;
}

/* A later row wins over an earlier one whose prefix it continues. */
static const struct {
	char prefix[20], title[44];
} groups[] = {
	{"", "Judging"},
	{"tools.bash", "Rules for shell commands"},
	{"tools", "Rules for other tools"},
	{"permissions", "Permission rules, as clients write them"},
	{"secrets", "Secrets in inputs and outputs"},
	{"hooks", "Hooks of agent clients"},
	{"results", "Results of runs"},
	{"sandbox", "Boxes"},
	{"sandbox.network", "Network of boxes"},
	{"sandbox.limits", "Limits of boxes"},
	{"audit", "The record"},
	{"meta", "About the file"},
};

static bool below(const char *key, const char *prefix)
{
	size_t n = strlen(prefix);

	return !n || (strncmp(key, prefix, n) == 0 && (!key[n] || key[n] == '.'));
}

const char *config_group(size_t i) { return i < ARRAY_SIZE(groups) ? groups[i].title : NULL; }

size_t config_group_of(const struct config_key *k)
{
	size_t best = 0;

	for (size_t i = 0; i < ARRAY_SIZE(groups); i++)
		if (below(k->name, groups[i].prefix) &&
				strlen(groups[i].prefix) > strlen(groups[best].prefix))
			best = i;
	return best;
}

/* The key with this last part, or else the most similar one. */
const char *config_key_near(struct str name)
{
	struct near guess = {.word = name};
	for (size_t i = 0; i < config_nkeys && name.n; i++) {
		struct str key = str_of(config_keys[i].name);
		if (key.n > name.n && key.p[key.n - name.n - 1] == '.' &&
				str_eq(str_from(key, key.n - name.n), name))
			return key.p;
	}
	for (size_t i = 0; i < config_nkeys; i++)
		near_try(&guess, config_keys[i].name);
	return guess.best;
}
