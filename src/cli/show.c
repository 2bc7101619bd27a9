/* See show.h. The keys come in the order of docs/policy.md. */
#include "cli/show.h"

#include "base/regex.h"
#include "gate/broad.h"
#include "gate/gate.h"
#include "knowledge/row.h"

static void show_list(struct doc *o, const char *key, const struct texts *t)
{
	doc_list(o, key);
	for (; t; t = t->next)
		doc_text(o, NULL, t->text);
	doc_end(o);
}

static void show_texts(struct doc *o, const char *key, const struct texts *t)
{
	if (t)
		show_list(o, key, t);
}

/*
 * Opens a rule whose main key has this value. In YAML a rule without other keys is the bare value. False if
 * the rule is already closed.
 */
static bool rule_open(struct doc *o, const char *key, struct str value, const struct rule *r, bool more)
{
	if (!o->json && !more && !r->description.n && !r->alternative.n) {
		doc_where(o, r->where);
		doc_text(o, NULL, value);
		return false;
	}
	doc_map(o, NULL);
	if (!o->json)
		doc_where(o, r->where);
	doc_text(o, key, value);
	return true;
}

static void rule_close(struct doc *o, const struct rule *r)
{
	if (r->description.n)
		doc_text(o, "description", r->description);
	if (r->alternative.n)
		doc_text(o, "alternative", r->alternative);
	if (o->json)
		doc_where(o, r->where);
	doc_end(o);
}

static void rule_simple(struct doc *o, const char *key, struct str value, const struct rule *r)
{
	if (rule_open(o, key, value, r, false))
		rule_close(o, r);
}

static void show_prefixes(struct doc *o, const char *key, const struct prefix_rule *r)
{
	if (!r)
		return;
	doc_list(o, key);
	for (; r; r = r->next)
		rule_simple(o, "prefix", r->prefix, &r->rule);
	doc_end(o);
}

static void show_regexes(struct doc *o, const char *key, const struct regex_rule *r)
{
	if (!r)
		return;
	doc_list(o, key);
	for (; r; r = r->next)
		rule_simple(o, "test", r->pattern, &r->rule);
	doc_end(o);
}

static void show_tools(struct doc *o, const char *key, const struct tool_rule *r)
{
	if (!r)
		return;
	doc_list(o, key);
	for (; r; r = r->next)
		rule_simple(o, "tool", r->tool, &r->rule);
	doc_end(o);
}

static void show_validators(struct doc *o, const struct custom_validator *v)
{
	if (!v)
		return;
	doc_list(o, "validators");
	for (; v; v = v->next) {
		doc_map(o, NULL);
		doc_text(o, "name", v->name);
		doc_text(o, "task", str_of(task_name(v->task)));
		show_texts(o, "command", v->command);
		doc_number(o, "timeout_ms", v->timeout_ms);
		doc_end(o);
	}
	doc_end(o);
}

static struct str permission_text(struct arena *a, const struct permission_rule *r)
{
	return r->all ? r->tool : str_fmt(a, "%.*s(%.*s)", STR_ARG(r->tool), STR_ARG(r->pattern));
}

static void show_permissions(struct doc *o, const char *key, const struct permission_rule *r)
{
	if (!r)
		return;
	doc_list(o, key);
	for (; r; r = r->next)
		rule_simple(o, "rule", permission_text(o->b->a, r), &r->rule);
	doc_end(o);
}

static struct str join_texts(struct arena *a, const struct texts *t)
{
	struct buf b;

	buf_init(&b, a, 0);
	for (; t; t = t->next) {
		buf_str(&b, t->text);
		if (t->next)
			buf_char(&b, '|');
	}
	return buf_view(&b);
}

/* `only` is -1 for all decisions, else the one to show. */
static bool wanted(int only, enum verdict decision) { return only < 0 || only == (int)decision; }

static void show_redirects(struct doc *o, const struct redirect_rule *r, int only)
{
	static const char modes[][8] = {[REDIRECT_ANY] = "any", [REDIRECT_READ] = "read",
			[REDIRECT_WRITE] = "write", [REDIRECT_APPEND] = "append"};

	while (r && !wanted(only, r->decision))
		r = r->next;
	if (!r)
		return;
	doc_list(o, "redirects");
	for (; r; r = r->next) {
		if (!wanted(only, r->decision))
			continue;
		rule_open(o, "mode", str_of(modes[r->mode]), &r->rule, true);
		show_texts(o, r->outside ? "outside" : "glob", r->paths);
		doc_word(o, "decision", verdict_name(r->decision));
		rule_close(o, &r->rule);
	}
	doc_end(o);
}

static void show_arguments(struct doc *o, const struct argument_rule *r, int only)
{
	static const char tests[][16] = {[ARGUMENT_ANY_OUTSIDE] = "anyArgOutside",
			[ARGUMENT_ALL_INSIDE] = "allArgsInside",
		[ARGUMENT_ANY_MATCHES] = "anyArgMatches", [ARGUMENT_ALL_MATCH] = "allArgsMatch"};

	while (r && !wanted(only, r->decision))
		r = r->next;
	if (!r)
		return;
	doc_list(o, "arguments");
	for (; r; r = r->next) {
		if (!wanted(only, r->decision))
			continue;
		rule_open(o, "command", join_texts(o->b->a, r->commands), &r->rule, true);
		show_texts(o, tests[r->test], r->values);
		doc_word(o, "decision", verdict_name(r->decision));
		rule_close(o, &r->rule);
	}
	doc_end(o);
}

static void show_normalise(struct doc *o, const struct normalise_rule *r)
{
	if (!r)
		return;
	doc_list(o, "normalise");
	for (; r; r = r->next) {
		rule_open(o, "prefix", r->prefix, &r->rule, true);
		show_regexes(o, "strip", r->strip);
		rule_close(o, &r->rule);
	}
	doc_end(o);
}

static void show_only(struct doc *o, const struct names_rule *r)
{
	if (!r)
		return;
	doc_list(o, "only"); /* a name must be in every list, so there may be several */
	for (; r; r = r->next) {
		doc_map(o, NULL);
		if (!o->json)
			doc_where(o, r->rule.where);
		show_texts(o, "names", r->names);
		rule_close(o, &r->rule);
	}
	doc_end(o);
}

static void show_calls(struct doc *o, const char *key, const struct call_rule *r, int only)
{
	while (r && !wanted(only, r->decision))
		r = r->next;
	if (!r)
		return;
	doc_list(o, key);
	for (; r; r = r->next) {
		if (!wanted(only, r->decision))
			continue;
		rule_open(o, "match", join_texts(o->b->a, r->match), &r->rule, true);
		show_texts(o, "pathArgsOutside", r->outside);
		if (r->arg)
			doc_text(o, "argMatches", regex_pattern(r->arg));
		doc_word(o, "decision", verdict_name(r->decision));
		rule_close(o, &r->rule);
	}
	doc_end(o);
}

static void show_writes(struct doc *o, const struct call_rule *r, int only)
{
	if (!r || !wanted(only, r->decision))
		return;
	if (!o->json)
		doc_where(o, r->rule.where);
	doc_map(o, "writes");
	show_texts(o, "outside", r->outside);
	doc_word(o, "decision", verdict_name(r->decision));
	rule_close(o, &r->rule);
}

static bool any_call(const struct call_rule *r, int only)
{
	for (; r; r = r->next)
		if (wanted(only, r->decision))
			return true;
	return false;
}

static void show_interpreters(struct doc *o, const struct interpreter_rules *r, int only)
{
	bool open = false;

	for (; r; r = r->next) {
		if (only >= 0 && !any_call(r->calls, only) && !any_call(r->imports, only) &&
				!any_call(r->writes, only))
			continue;
		if (!open)
			doc_map(o, "interpreters");
		open = true;
		doc_map(o, str_c(o->b->a, r->name));
		show_texts(o, "names", r->names);
		show_calls(o, "calls", r->calls, only);
		show_calls(o, "imports", r->imports, only);
		show_writes(o, r->writes, only);
		doc_end(o);
	}
	if (open)
		doc_end(o);
}

static void show_grades(struct doc *o, const struct regrade *list, bool only_milder)
{
	bool open = false;

	for (const struct regrade *r = list; r; r = r->next) {
		const struct check *c = gate_check(r->id);
		bool known = r->id != CHECK_NONE;
		struct str where = r->rule.where;

		if (known)
			where = str_fmt(o->b->a, "%.*s; built in: %s", STR_ARG(where), grade_name(c->grade));
		if (only_milder && known && r->grade >= c->grade)
			continue;
		if (!open)
			doc_map(o, "checks_grade");
		open = true;
		if (!o->json)
			doc_where(o, where);
		doc_word(o, str_c(o->b->a, r->name), grade_name(r->grade));
	}
	if (open)
		doc_end(o);
}

static void show_commands(struct doc *o, const struct policy *p)
{
	if (!p->ncommands)
		return;
	doc_list(o, "commands");
	for (size_t i = 0; i < p->ncommands; i++) {
		doc_map(o, NULL);
		doc_text(o, "name", str_of(know_string(&p->commands[i], p->commands[i].name)));
		doc_end(o);
	}
	doc_end(o);
}

static const char mode_names[][20] = {[MODE_DEFAULT] = "default", [MODE_ACCEPT_EDITS] = "acceptEdits",
		[MODE_PLAN] = "plan", [MODE_BYPASS] = "bypassPermissions", [MODE_DONT_ASK] = "dontAsk",
		[MODE_PAUSED] = "paused"};
static const char route_names[][8] = {[ROUTE_ADVISE] = "advise", [ROUTE_OFF] = "off", [ROUTE_WARN] = "warn",
		[ROUTE_ASK] = "ask", [ROUTE_DENY] = "deny"};

static void show_values(struct doc *o, const struct policy *p)
{
	doc_word(o, "default", verdict_name(p->fallback));
	if (p->on_error != VERDICT_ALLOW)
		doc_word(o, "onError", verdict_name(p->on_error));
	doc_word(o, "mode", mode_names[p->mode]);
	doc_word(o, "route", route_names[p->route]);
	doc_word(o, "contain_fallback", verdict_name(p->contain_fallback));
	doc_bool(o, "fold_case", p->fold_case);
	doc_bool(o, "client_settings", p->client_settings);
	doc_bool(o, "forbid_lifting", p->no_lifting);
}

static void show_bash(struct doc *o, const struct policy *p)
{
	doc_map(o, "bash");
	show_prefixes(o, "deny", p->deny);
	show_regexes(o, "checks", p->checks);
	show_only(o, p->only);
	show_regexes(o, "allowChecks", p->allow_checks);
	show_redirects(o, p->redirects, -1);
	show_arguments(o, p->arguments, -1);
	show_interpreters(o, p->interpreters, -1);
	if (p->ssh_allow || p->ssh_deny) {
		doc_map(o, "ssh");
		show_texts(o, "deny", p->ssh_deny);
		show_texts(o, "allow", p->ssh_allow);
		doc_end(o);
	}
	show_prefixes(o, "ask", p->ask);
	show_prefixes(o, "allow", p->allow);
	show_normalise(o, p->normalise);
	doc_bool(o, "discourageChaining", p->discourage_chaining);
	doc_bool(o, "offerManualRun", p->offer_manual_run);
	doc_end(o);
}

static void show_secrets(struct doc *o, const struct policy *p)
{
	doc_map(o, "secrets");
	doc_bool(o, "enabled", p->secrets.enabled);
	doc_bool(o, "scanInputs", p->secrets.scan_inputs);
	doc_bool(o, "scanOutputs", p->secrets.scan_outputs);
	doc_text(o, "scanner", p->secrets.scanner);
	show_texts(o, "inputTools", p->secrets.input_tools);
	show_texts(o, "outputTools", p->secrets.output_tools);
	if (p->secret_allow || p->secrets.allow_rules) {
		doc_map(o, "allow");
		show_texts(o, "paths", p->secret_allow);
		show_texts(o, "rules", p->secrets.allow_rules);
		doc_end(o);
	}
	doc_number(o, "maxScanBytes", p->secrets.scan_bytes_max);
	doc_number(o, "timeoutMs", p->secrets.timeout_ms);
	doc_end(o);
}

static void show_limits(struct doc *o, const struct sandbox *s, const char *key, size_t offset)
{
	bool any = false;

	for (size_t i = 0; i < LIMITS; i++) {
		uint64_t v = *(const uint64_t *)((const char *)&s->limits[i] + offset);

		if (!v)
			continue;
		if (!any)
			doc_map(o, key);
		any = true;
		doc_text(o, limit_name((enum limit)i), limit_text(o->b->a, (enum limit)i, v));
	}
	if (any)
		doc_end(o);
}

static void show_sockets(struct doc *o, unsigned sockets)
{
	struct texts list[BOX_SOCKETS], *head = NULL;

	for (size_t i = BOX_SOCKETS; i-- > 0;)
		if (sockets >> i & 1) {
			list[i] = (struct texts){.next = head, .text = str_of(box_socket_name(i))};
			head = &list[i];
		}
	show_texts(o, "sockets", head);
}

static void show_sandbox(struct doc *o, const struct sandbox *s)
{
	doc_map(o, "sandbox");
	doc_bool(o, "enabled", s->enabled);
	doc_bool(o, "always", s->always);
	doc_bool(o, "allow_unboxed", s->allow_unboxed);
	doc_bool(o, "accept_watched", s->accept_watched);
	doc_word(o, "client_sandbox", s->trust_client ? "trust" : "refuse");
	doc_map(o, "network");
	doc_bool(o, "host", s->host_network);
	show_texts(o, "allow", s->network_allow);
	show_texts(o, "host_ports", s->host_ports);
	show_texts(o, "publish", s->publish);
	if (s->network_limited)
		show_list(o, "only", s->network_only); /* also if it is empty */
	doc_end(o);
	doc_word(o, "background", s->background ? "keep" : "kill");
	doc_bool(o, "ptrace", s->ptrace);
	show_sockets(o, s->sockets);
	show_texts(o, "read", s->read);
	show_texts(o, "write", s->write);
	show_limits(o, s, "limits", offsetof(struct limit_set, value));
	show_limits(o, s, "limits_most", offsetof(struct limit_set, most));
	if (s->env_pass || s->env_scrub) {
		doc_map(o, "env");
		show_texts(o, "pass", s->env_pass);
		show_texts(o, "scrub", s->env_scrub);
		doc_end(o);
	}
	doc_end(o);
}

static void show_rest(struct doc *o, const struct policy *p)
{
	show_texts(o, "writable_roots", p->writable_roots);
	show_texts(o, "protected_paths", p->protected_paths);
	show_texts(o, "secret_paths", p->secret_paths);
	show_texts(o, "excluded_commands", p->excluded_commands);
	if (p->classifier.command) {
		doc_map(o, "classifier");
		show_texts(o, "command", p->classifier.command);
		doc_number(o, "timeout_ms", p->classifier.timeout_ms);
		doc_end(o);
	}
	show_validators(o, p->validators);
	show_commands(o, p);
	doc_map(o, "guidance");
	doc_bool(o, "enabled", p->guidance.enabled);
	doc_bool(o, "includeDefaults", p->guidance.include_defaults);
	show_texts(o, "extra", p->guidance.extra);
	doc_end(o);
	doc_map(o, "redirect");
	doc_bool(o, "tmp", p->redirect.on);
	doc_text(o, "tmpTarget", p->redirect.target);
	doc_end(o);
	show_secrets(o, p);
	doc_map(o, "hooks");
	doc_bool(o, "approve", p->hooks.approve);
	doc_number(o, "deadline_ms", p->hooks.deadline_ms);
	doc_end(o);
	show_sandbox(o, &p->sandbox);
}

void show_policy(struct doc *o, const struct policy *p)
{
	show_values(o, p);
	show_grades(o, p->regrades, false);
	doc_map(o, "tools");
	show_bash(o, p);
	show_tools(o, "deny", p->tool_deny);
	show_tools(o, "ask", p->tool_ask);
	show_tools(o, "allow", p->tool_allow);
	doc_end(o);
	if (p->permission_deny || p->permission_ask || p->permission_allow) {
		doc_map(o, "permissions");
		show_permissions(o, "deny", p->permission_deny);
		show_permissions(o, "ask", p->permission_ask);
		show_permissions(o, "allow", p->permission_allow);
		doc_end(o);
	}
	show_rest(o, p);
}

/* ---- loosening ---- */

static void loosening_bash(struct doc *o, const struct policy *p)
{
	show_prefixes(o, "allow", p->allow);
	show_regexes(o, "allowChecks", p->allow_checks);
	show_redirects(o, p->redirects, VERDICT_ALLOW);
	show_arguments(o, p->arguments, VERDICT_ALLOW);
	show_interpreters(o, p->interpreters, VERDICT_ALLOW);
	show_normalise(o, p->normalise);
	show_texts(o, "ssh.allow", p->ssh_allow);
}

bool show_loosening(struct doc *o, const struct policy *p)
{
	size_t from = o->b->n;

	loosening_bash(o, p);
	show_tools(o, "tools.allow", p->tool_allow);
	show_permissions(o, "permissions.allow", p->permission_allow);
	show_grades(o, p->regrades, true);
	show_texts(o, "writable_roots", p->writable_roots);
	show_texts(o, "secrets.allow.paths", p->secret_allow);
	show_texts(o, "secrets.allow.rules", p->secrets.allow_rules);
	show_texts(o, "excluded_commands", p->excluded_commands);
	show_texts(o, "sandbox.read", p->sandbox.read);
	show_texts(o, "sandbox.write", p->sandbox.write);
	show_commands(o, p);
	show_texts(o, "guidance.extra", p->guidance.extra);
	return o->b->n > from;
}

/* ---- warnings ---- */

typedef void warn_fn(void *ctx, struct str where, struct str rule, const char *why);

/* True if an expression matches commands that have nothing in common: it allows every command. */
static bool matches_anything(const struct regex_rule *r)
{
	static const char unlike[][20] = {"zq", "curl -s http://h/x", "/opt/k/7 --J=1", "rm -rf /"};

	for (size_t i = 0; i < ARRAY_SIZE(unlike); i++)
		if (regex_match(r->regex, str_of(unlike[i])) != REGEX_YES)
			return false;
	return true;
}

static void warn_idle(struct arena *a, const struct permission_rule *r, warn_fn *fn, void *ctx)
{
	for (; r; r = r->next) {
		const char *why = permission_idle(r);

		if (why)
			fn(ctx, r->rule.where, permission_text(a, r), why);
	}
}

static void warn_idle_prefixes(const struct prefix_rule *r, warn_fn *fn, void *ctx)
{
	for (; r; r = r->next) {
		const char *why = prefix_idle(r->prefix);

		if (why)
			fn(ctx, r->rule.where, r->prefix, why);
	}
}

static const char socket_dangers[BOX_SOCKETS][88] = {
	"programs in boxes can use your keys to log in and to sign while it runs",
	"programs in boxes can sign and decrypt with your keys while it runs",
	"programs in boxes can become root on this machine: the box no longer protects it",
};

void show_warnings(struct arena *a, const struct policy *p, warn_fn *fn, void *ctx)
{
	for (const struct prefix_rule *r = p->allow; r; r = r->next)
		if (!prefix_idle(r->prefix) && prefix_broad(r->prefix))
			fn(ctx, r->rule.where, r->prefix, prefix_broad(r->prefix));
	for (const struct regex_rule *r = p->allow_checks; r; r = r->next)
		if (matches_anything(r))
			fn(ctx, r->rule.where, r->pattern, "it allows every command");
	for (const struct permission_rule *r = p->permission_allow; r; r = r->next)
		if (permission_broad(r))
			fn(ctx, r->rule.where, permission_text(a, r), permission_broad(r));
	if (p->sandbox.ptrace)
		fn(ctx, STR("sandbox.ptrace"), STR("true"),
				"programs in boxes reach a large part of the kernel that is otherwise "
				"closed");
	for (size_t i = 0; i < BOX_SOCKETS; i++)
		if (p->sandbox.sockets >> i & 1)
			fn(ctx, STR("sandbox.sockets"), str_of(box_socket_name(i)), socket_dangers[i]);
	warn_idle_prefixes(p->deny, fn, ctx);
	warn_idle_prefixes(p->ask, fn, ctx);
	warn_idle_prefixes(p->allow, fn, ctx);
	warn_idle(a, p->permission_deny, fn, ctx);
	warn_idle(a, p->permission_ask, fn, ctx);
	warn_idle(a, p->permission_allow, fn, ctx);
}
