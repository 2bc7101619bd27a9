/*
 * The table of keys: what each is called, who may set it, what it means, an example, how it is read and where it goes. docs/policy.md shows the
 * same rows; test_config compares them.
 */
#include "base/num.h"
#include "config/knowledge_yaml.h"
#include "config/load.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static int parse_mode(struct load *l, const struct ynode *n, void *field)
{
	static const struct value_name names[] = {{"default", MODE_DEFAULT}, {"acceptEdits", MODE_ACCEPT_EDITS}, {"plan", MODE_PLAN},
		{"bypassPermissions", MODE_BYPASS}, {"dontAsk", MODE_DONT_ASK}};
	int v = 0;
	if (value_choice(l, n, names, COUNT(names), "expected default, acceptEdits, plan, bypassPermissions or dontAsk", &v) < 0)
		return -1;
	*(enum mode *)field = (enum mode)v;
	return 0;
}

static int parse_route(struct load *l, const struct ynode *n, void *field)
{
	static const struct value_name names[] = {{"advise", ROUTE_ADVISE}, {"off", ROUTE_OFF}, {"warn", ROUTE_WARN}, {"ask", ROUTE_ASK}, {"deny", ROUTE_DENY}};
	int v = 0;
	if (value_choice(l, n, names, COUNT(names), "expected off, advise, warn, ask or deny", &v) < 0)
		return -1;
	*(enum route *)field = (enum route)v;
	return 0;
}

/* What cannot be judged is never allowed: the language of fencepost has an allow here, which is read as ask. */
static int parse_on_error(struct load *l, const struct ynode *n, void *field)
{
	enum verdict v;
	if (value_verdict(l, n, &v) < 0)
		return -1;
	if (v == VERDICT_ALLOW && l->src->dialect != CONFIG_FENCEPOST)
		return value_fail(l, n, "expected ask or deny");
	if (v == VERDICT_ALLOW)
		value_note(l, n, "what cannot be judged is never allowed; read as ask");
	*(enum verdict *)field = v == VERDICT_ALLOW ? VERDICT_ASK : v;
	return 0;
}

/* Rows of all files are packed together, when the last file is read. */
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

static int pack(struct load *l)
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

/* How programs of a language are given code. */
static const struct {
	char lang[12], flags[24];
} interpreters[] = {{"python", "-c"}, {"javascript", "-e -p --eval --print"}, {"powershell", "-c -Command"}, {"perl", "-e -E"}, {"ruby", "-e"}, {"php", "-r"}, {"lua", "-e"}};

static bool plain_name(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+-", s.p[i]))
			return false;
	return s.n > 0 && s.p[0] != '-';
}

/*
 * Names under `interpreters` of which nothing is known are programs that take code as the others of their language do. What the code does
 * is judged then; that it is the language it is said to be nobody knows, so it runs in the box at best.
 */
static void add_interpreters(struct load *l, struct buf *rows)
{
	for (const struct interpreter_rules *r = l->policy.interpreters; r; r = r->next)
		for (size_t i = 0; i < COUNT(interpreters); i++)
			for (const struct texts *t = r->names; t && str_is(r->lang, interpreters[i].lang); t = t->next)
				if (plain_name(t->text) && !know_find(t->text, l->policy.commands, l->policy.ncommands))
					buf_fmt(rows, "- {name: ['%.*s'], style: posix, abbrev: false, flags: {'%s': 'code:%s last'}, operands: {first: [exec], rest: none, empty: 'code:%s'}, "
						"when: [{flags: '%s', operands: {first: [], empty: none}}], effects: [executes-workspace]}\n",
						STR_ARG(t->text), interpreters[i].flags, interpreters[i].lang, interpreters[i].lang, interpreters[i].flags);
}

int config_pack_commands(struct load *l)
{
	struct own_commands *own = arena_new(l->a, struct own_commands);
	struct buf rows;

	if (pack(l) < 0)
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
	return pack(l);
}

static int parse_classifier(struct load *l, const struct ynode *n, void *field)
{
	static const struct value_field fields[] = {
		{"command", value_texts, offsetof(struct classifier, command)},
		{"timeout_ms", value_millis, offsetof(struct classifier, timeout_ms)},
	};
	struct classifier c = {.timeout_ms = 2000};
	if (value_map(l, n, fields, COUNT(fields), &c) < 0)
		return -1;
	if (!c.command && !yaml_null(n))
		return value_fail(l, n, "a classifier needs 'command'");
	*(struct classifier *)field = c; /* the whole block: of two the last holds */
	return 0;
}

static int parse_task(struct load *l, const struct ynode *n, void *field)
{
	static const struct value_name names[] = {{"test", 0}, {"typecheck", 1}, {"lint", 2}, {"data", 3}, {"json", 4}, {"custom", 5}};
	int v = 0;
	if (value_choice(l, n, names, COUNT(names), "expected test, typecheck, lint, data, json or custom", &v) < 0)
		return -1;
	*(struct str *)field = str_of(names[v].name);
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
	v->task = STR("custom");
	v->timeout_ms = 10000;
	if (value_map(l, n, fields, COUNT(fields), v) < 0)
		return -1;
	if (!v->command || !v->name.n)
		return value_fail(l, n, "a validator needs 'name' and 'command'");
	return plain_name(v->name) ? 0 : value_fail(l, yaml_get(n, "name"), "expected a name of letters, digits and ._+-");
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
	if (value_map(l, n, fields, COUNT(fields), &g) < 0)
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
	if (value_map(l, n, fields, COUNT(fields), &r) < 0)
		return -1;
	struct str name = str_starts(r.target, "/tmp/") ? str_sub(r.target, 5, r.target.n) : STR("");
	if (!name.n || str_find(name, '/', 0) >= 0 || str_is(name, ".") || str_is(name, ".."))
		return value_fail(l, yaml_get(n, "tmpTarget"), "expected a directory directly below /tmp");
	*(struct tmp_redirect *)field = r;
	return 0;
}

static int parse_network(struct load *l, const struct ynode *n, void *field)
{
	static const struct value_name names[] = {{"deny", false}, {"host-allowed", true}};
	int v = 0;
	if (value_choice(l, n, names, COUNT(names), "expected deny or host-allowed", &v) < 0)
		return -1;
	*(bool *)field = v;
	return 0;
}

/* The person's own value is a wish that the command line may change; everybody else's is a bound, and of several the smallest holds. */
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

static int parse_cpus(struct load *l, const struct ynode *n, void *field) { return parse_limit(l, n, field, LIMIT_CPUS); }
static int parse_memory(struct load *l, const struct ynode *n, void *field) { return parse_limit(l, n, field, LIMIT_MEMORY); }
static int parse_time(struct load *l, const struct ynode *n, void *field) { return parse_limit(l, n, field, LIMIT_TIME); }
static int parse_pids(struct load *l, const struct ynode *n, void *field) { return parse_limit(l, n, field, LIMIT_PIDS); }
static int parse_scratch(struct load *l, const struct ynode *n, void *field) { return parse_limit(l, n, field, LIMIT_SCRATCH); }
static int parse_output(struct load *l, const struct ynode *n, void *field) { return parse_limit(l, n, field, LIMIT_OUTPUT); }
static int parse_io(struct load *l, const struct ynode *n, void *field) { return parse_limit(l, n, field, LIMIT_IO); }
static int parse_cpu_time(struct load *l, const struct ynode *n, void *field) { return parse_limit(l, n, field, LIMIT_CPU_TIME); }

/* ---- audit.*: what the system's file says can be made stricter by the person, not milder ---- */

static struct audit_policy *audit_of(struct load *l) { return &l->policy.audit; }

static bool milder(struct load *l, const struct ynode *n, bool *of_system, bool is_milder)
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
	if (!milder(l, n, &audit_of(l)->of_system.required, !required && !audit_of(l)->optional))
		audit_of(l)->optional = !required;
	return 0;
}

static int parse_audit_sync(struct load *l, const struct ynode *n, void *field)
{
	static const struct value_name names[] = {{"always", AUDIT_SYNC_ALWAYS}, {"begin", AUDIT_SYNC_BEGIN}, {"none", AUDIT_SYNC_NONE}};
	static const int strength[] = {[AUDIT_SYNC_NONE] = 0, [AUDIT_SYNC_BEGIN] = 1, [AUDIT_SYNC_ALWAYS] = 2};
	int v = 0;
	(void)field;
	if (value_choice(l, n, names, COUNT(names), "expected always, begin or none", &v) < 0)
		return -1;
	if (!milder(l, n, &audit_of(l)->of_system.sync, strength[v] < strength[audit_of(l)->sync]))
		audit_of(l)->sync = (enum audit_sync)v;
	return 0;
}

static int parse_audit_retention(struct load *l, const struct ynode *n, void *field)
{
	int64_t days;
	(void)field;
	if (n->kind != YNODE_SCALAR || num_parse(n->text, AUDIT_RETENTION_DAYS, AUDIT_RETENTION_MAX, &days) < 0)
		return value_fail(l, n, "expected a number of days from 90 to 36500");
	if (!milder(l, n, &audit_of(l)->of_system.retention, days < audit_of(l)->retention_days))
		audit_of(l)->retention_days = (unsigned)days;
	return 0;
}

/* A size, or 0. */
static int parse_audit_size(struct load *l, const struct ynode *n, enum limit which, const char *expected, uint64_t *ret)
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
	return parse_audit_size(l, n, LIMIT_SCRATCH, "expected a size from 64K to 16T, as 4G, or 0 for no limit; a plain number is megabytes", field);
}

static int parse_audit_outputs(struct load *l, const struct ynode *n, void *field)
{
	return parse_audit_size(l, n, LIMIT_OUTPUT, "expected a size from 1K to 1G, as 16M, or 0 to keep none; a plain number is megabytes", field);
}

/* read before everything else, so here it is only passed over */
static int parse_import(struct load *l, const struct ynode *n, void *field)
{
	(void)l, (void)n, (void)field;
	return 0;
}

#define AT(member) offsetof(struct policy, member)

const struct config_row config_rows[] = {
	{{"import", WHO_ANYONE, false, "presets that come before the file's own content", "[git, secrets]"}, parse_import, 0},
	{{"default", WHO_TRUSTED, true, "verdict for a command that no check and no rule speaks about: allow, ask or deny", "ask"}, value_verdict, AT(fallback)},
	{{"onError", WHO_TRUSTED, true, "verdict for what cannot be judged: ask or deny", "deny"}, parse_on_error, AT(on_error)},
	{{"tools.bash.deny", WHO_ANYONE, false, "commands that are denied, by how they start", "[npm publish, {prefix: git push, description: a person pushes}]"},
	 rules_prefix, AT(deny)},
	{{"tools.bash.ask", WHO_ANYONE, false, "commands that a person must confirm, by how they start", "[docker run]"}, rules_prefix, AT(ask)},
	{{"tools.bash.allow", WHO_TRUSTED, true, "commands that may run although a check would ask, by how they start", "[make test]"}, rules_prefix, AT(allow)},
	{{"tools.bash.only", WHO_ANYONE, false, "the only programs that may be started; others are denied", "[ls, cat, python3]"}, rules_only, AT(only)},
	{{"tools.bash.checks", WHO_ANYONE, false, "commands that are denied, by regular expression", "[{test: '\\bfrob\\b.*--all', description: frobs everything}]"},
	 rules_checks, AT(checks)},
	{{"tools.bash.allowChecks", WHO_TRUSTED, true, "commands that may run although an ask rule speaks of them, by regular expression", "['^git push origin feature/\\S+$']"},
	 rules_allow_checks, AT(allow_checks)},
	{{"tools.bash.redirects", WHO_ANYONE, false, "redirections, by where they lead", "[{mode: write, outside: ['.', /tmp/claude], decision: deny}]"},
	 rules_redirects, AT(redirects)},
	{{"tools.bash.arguments", WHO_ANYONE, false, "commands, by their arguments", "[{command: 'rm|rmdir', anyArgOutside: ['.'], decision: ask}]"},
	 rules_arguments, AT(arguments)},
	{{"tools.bash.normalise", WHO_TRUSTED, true, "what is left out of a command before rules are compared", "[{prefix: kubectl, strip: ['-n \\S+']}]"},
	 rules_normalise, AT(normalise)},
	{{"tools.bash.ssh.allow", WHO_TRUSTED, true, "hosts that ssh may reach; others ask", "['*.test.example']"}, value_texts, AT(ssh_allow)},
	{{"tools.bash.ssh.deny", WHO_ANYONE, false, "hosts that ssh may not reach", "[prod-*]"}, value_texts, AT(ssh_deny)},
	{{"tools.bash.interpreters", WHO_ANYONE, false, "calls, imports and writes in code inside a command", "{python: {names: [python3], imports: [{match: ctypes, decision: ask}]}}"},
	 rules_interpreters, AT(interpreters)},
	{{"tools.bash.discourageChaining", WHO_TRUSTED, true, "a chain of commands that would ask is denied, so that its parts are run one by one", "true"},
	 value_bool, AT(discourage_chaining)},
	{{"tools.bash.offerManualRun", WHO_TRUSTED, true, "a denial says how a person can run the command", "true"}, value_bool, AT(offer_manual_run)},
	{{"tools.deny", WHO_ANYONE, false, "other tools that are denied, by name", "[{tool: mcp__mail_*, description: no mail from here}]"}, rules_tools, AT(tool_deny)},
	{{"tools.ask", WHO_ANYONE, false, "other tools that a person must confirm, by name", "[WebFetch]"}, rules_tools, AT(tool_ask)},
	{{"tools.allow", WHO_TRUSTED, true, "other tools that may be used, by name", "[mcp__docs_*]"}, rules_tools, AT(tool_allow)},
	{{"permissions.deny", WHO_ANYONE, false, "permission rules that deny", "['Read(~/.ssh/**)']"}, rules_permissions, AT(permission_deny)},
	{{"permissions.ask", WHO_ANYONE, false, "permission rules that ask", "['Bash(git push:*)']"}, rules_permissions, AT(permission_ask)},
	{{"permissions.allow", WHO_TRUSTED, true, "permission rules that allow", "['Bash(npm run test:*)']"}, rules_permissions, AT(permission_allow)},
	{{"checks_grade", WHO_TRUSTED, true, "grades of checks, by id: off, warn, contain, ask or deny", "{secret-read: deny}"}, rules_grades, AT(regrades)},
	{{"mode", WHO_OWNER, false, "permission mode when the client names none: default, acceptEdits, plan, bypassPermissions or dontAsk", "default"}, parse_mode, AT(mode)},
	{{"route", WHO_TRUSTED, true, "plain file work that a tool of the client does better: off, advise, warn, ask or deny", "advise"}, parse_route, AT(route)},
	{{"allow_readonly", WHO_TRUSTED, true, "commands that are known to only read need no rule where the default is not allow", "true"}, value_bool, AT(allow_readonly)},
	{{"contain_fallback", WHO_OWNER, false, "verdict instead of contain where nothing can be contained: allow, ask or deny", "ask"}, value_verdict, AT(contain_fallback)},
	{{"fold_case", WHO_TRUSTED, true, "protected names are compared without regard to case", "true"}, value_bool, AT(fold_case)},
	{{"writable_roots", WHO_TRUSTED, false, "directories besides the project that may be written", "[~/scratch]"}, value_texts, AT(writable_roots)},
	{{"protected_paths", WHO_ANYONE, false, "files that may not be written, besides the built-in ones; gitignore patterns", "[migrations/**]"}, value_texts, AT(protected_paths)},
	{{"secret_paths", WHO_ANYONE, false, "files that count as secrets, besides the built-in ones; gitignore patterns", "[config/prod.yaml]"}, value_texts, AT(secret_paths)},
	{{"excluded_commands", WHO_OWNER, false, "commands that are never put into a box: they are asked about where others are contained", "[docker]"}, value_texts, AT(excluded_commands)},
	{{"classifier", WHO_OWNER, false, "a program that is asked about what would ask", "{command: [/usr/local/bin/judge], timeout_ms: 2000}"}, parse_classifier, AT(classifier)},
	{{"validators", WHO_OWNER, false, "programs of your own that judge the results of runs", "[{name: coverage, task: test, command: [/usr/local/bin/coverage-check]}]"}, parse_validators, AT(validators)},
	{{"client_settings", WHO_OWNER, false, "the client's own permission rules are read as well", "true"}, value_bool, AT(client_settings)},
	{{"forbid_lifting", WHO_SYSTEM, false, "allow rules and milder grades of other files do not count", "true"}, value_bool, AT(no_lifting)},
	{{"commands", WHO_TRUSTED, false, "what commands of your own do with their arguments", "[{name: mywrap, style: posix, operands: {rest: command}}]"}, parse_commands, 0},
	{{"guidance", WHO_TRUSTED, false, "what the model is told when a session starts; the last block holds", "{enabled: true, includeDefaults: true, extra: [use make test]}"},
	 parse_guidance, AT(guidance)},
	{{"redirect", WHO_TRUSTED, false, "/tmp/x becomes TARGET/x before it is judged; the last block holds", "{tmp: true, tmpTarget: /tmp/claude}"}, parse_redirect, AT(redirect)},
	{{"secrets.enabled", WHO_TRUSTED, false, "inputs and outputs of tools are searched for secrets", "true"}, value_bool, AT(secrets.enabled)},
	{{"secrets.scanInputs", WHO_TRUSTED, false, "inputs with a secret are denied", "true"}, value_bool, AT(secrets.scan_inputs)},
	{{"secrets.scanOutputs", WHO_TRUSTED, false, "secrets in outputs are made unreadable", "true"}, value_bool, AT(secrets.scan_outputs)},
	{{"secrets.scanner", WHO_TRUSTED, false, "kept for files that name a scanner", "auto"}, value_text, AT(secrets.scanner)},
	{{"secrets.inputTools", WHO_TRUSTED, false, "tools whose inputs are searched", "[Bash, Write]"}, value_texts, AT(secrets.input_tools)},
	{{"secrets.outputTools", WHO_TRUSTED, false, "tools whose outputs are searched", "[Bash, Read]"}, value_texts, AT(secrets.output_tools)},
	{{"secrets.allow.paths", WHO_TRUSTED, false, "files that are no secrets although their names say so", "[.env.example]"}, value_texts, AT(secret_allow)},
	{{"secrets.allow.rules", WHO_TRUSTED, false, "kinds of secrets that are not reported", "[generic-*]"}, value_texts, AT(secrets.allow_rules)},
	{{"secrets.maxScanBytes", WHO_TRUSTED, false, "more than this is not searched", "1048576"}, value_size, AT(secrets.scan_bytes_max)},
	{{"secrets.timeoutMs", WHO_TRUSTED, false, "time for one search", "10000"}, value_millis, AT(secrets.timeout_ms)},
	{{"hooks.approve", WHO_OWNER, false, "what is allowed runs without a question of the client's own", "false"}, value_bool, AT(hooks.approve)},
	{{"hooks.deadline_ms", WHO_OWNER, false, "a hook that has no answer after this time denies; at most 20000", "8000"}, value_millis, AT(hooks.deadline_ms)},
	{{"sandbox.enabled", WHO_OWNER, false, "commands may be contained; else contain_fallback holds for them", "true"}, value_bool, AT(sandbox.enabled)},
	{{"sandbox.always", WHO_OWNER, false, "agents' commands that are allowed run in the box as well, where the client lets them be put there", "false"}, value_bool, AT(sandbox.always)},
	{{"sandbox.allow_unboxed", WHO_OWNER, false, "a caller may ask to run a command outside the box; a person is asked then", "false"}, value_bool, AT(sandbox.allow_unboxed)},
	{{"sandbox.network", WHO_OWNER, false, "whether `caisson run --network host` is possible: deny or host-allowed", "deny"}, parse_network, AT(sandbox.host_network)},
	{{"sandbox.env.pass", WHO_OWNER, false, "variables of the caller that programs in the box get as well; one that is named in full also when it looks like a credential", "[MY_SETTING, 'MYTOOL_*']"},
	 value_texts, AT(sandbox.env_pass)},
	{{"sandbox.env.scrub", WHO_ANYONE, false, "variables that programs in the box never get from the caller", "['INTERNAL_*']"}, value_texts, AT(sandbox.env_scrub)},
	{{"sandbox.limits.cpus", WHO_ANYONE, false, "CPUs of a box; in the system's file and in a project's the most that anybody gets", "2"}, parse_cpus, AT(sandbox.limits[LIMIT_CPUS])},
	{{"sandbox.limits.memory", WHO_ANYONE, false, "memory of a box, likewise; a plain number is megabytes", "1G"}, parse_memory, AT(sandbox.limits[LIMIT_MEMORY])},
	{{"sandbox.limits.timeout", WHO_ANYONE, false, "time of a run, likewise; a plain number is seconds", "30"}, parse_time, AT(sandbox.limits[LIMIT_TIME])},
	{{"sandbox.limits.pids", WHO_ANYONE, false, "processes and threads in a box, likewise", "256"}, parse_pids, AT(sandbox.limits[LIMIT_PIDS])},
	{{"sandbox.limits.scratch", WHO_ANYONE, false, "files of the box's own, likewise", "128M"}, parse_scratch, AT(sandbox.limits[LIMIT_SCRATCH])},
	{{"sandbox.limits.output", WHO_ANYONE, false, "bytes of each output stream, likewise", "64M"}, parse_output, AT(sandbox.limits[LIMIT_OUTPUT])},
	{{"sandbox.limits.cpu_time", WHO_ANYONE, false, "CPU time of a run, likewise", "60"}, parse_cpu_time, AT(sandbox.limits[LIMIT_CPU_TIME])},
	{{"sandbox.limits.io", WHO_ANYONE, false, "bytes a second from each disk and to it, likewise", "20M"}, parse_io, AT(sandbox.limits[LIMIT_IO])},
	{{"audit.required", WHO_OWNER, false, "what cannot be recorded does not run; what the system's file says can only be made stricter, here and in the next two", "true"},
	 parse_audit_required, 0},
	{{"audit.sync", WHO_OWNER, false, "rows of the record that are waited for until they are on the disk: always, begin (before a program starts) or none", "begin"}, parse_audit_sync, 0},
	{{"audit.retention_days", WHO_OWNER, false, "days of the record that are kept at least; 90 is the least", "90"}, parse_audit_retention, 0},
	{{"audit.quota", WHO_OWNER, false, "size of the whole record, outputs included, above which there is a warning; 0: none", "4G"}, parse_audit_quota, AT(audit.quota)},
	{{"audit.outputs", WHO_OWNER, false, "bytes of each output stream that the record keeps; of a longer one both ends are; 0: none", "16M"}, parse_audit_outputs, AT(audit.outputs)},
	{{"meta.title", WHO_ANYONE, false, "what the file is about; not used", "Our rules"}, value_nothing, 0},
	{{"meta.description", WHO_ANYONE, false, "the same at length; not used", "What we agreed on"}, value_nothing, 0},
};

const size_t config_nrows = COUNT(config_rows);

const struct config_key *config_key(size_t i)
{
	return i < config_nrows ? &config_rows[i].key : NULL;
}

/* A key whose last part it is, else the one that is spelt most like it. */
const char *config_key_near(struct str name)
{
	const char *best = NULL;
	size_t distance = SIZE_MAX;
	for (size_t i = 0; i < config_nrows && name.n; i++) {
		struct str key = str_of(config_rows[i].key.name);
		if (key.n > name.n && key.p[key.n - name.n - 1] == '.' && str_eq(str_sub(key, key.n - name.n, key.n), name))
			return key.p;
	}
	for (size_t i = 0; i < config_nrows; i++)
		value_nearer(name, config_rows[i].key.name, &best, &distance);
	return best;
}
