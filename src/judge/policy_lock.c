/*
 * forbid_lifting: the administrator's policy holds, and other files can only tighten it. Settings that can
 * lift a verdict come from the system's policy alone; for all others the stricter value holds.
 */
#include "gate/gate.h"
#include "judge/engine.h"
#include "sys/state.h"

static bool from_system(const struct rule *r) { return str_starts(r->where, STATE_SYSTEM_POLICY ":"); }

/* Returns the grade in force under the system's policy alone. */
static enum grade system_grade(const struct policy *system, enum check_id id)
{
	enum grade grade = gate_check(id)->grade;

	for (const struct regrade *r = system->regrades; r; r = r->next)
		if (r->id == id)
			grade = r->grade;
	return grade;
}

static void drop_milder_grades(struct policy *p, const struct policy *system)
{
	struct regrade **at = &p->regrades;

	for (const struct regrade *r = system->regrades; r && *at; r = r->next)
		at = &(*at)->next; /* the system's regrades come first */
	while (*at) {
		if ((*at)->grade < system_grade(system, (*at)->id))
			*at = (*at)->next;
		else
			at = &(*at)->next;
	}
}

static void drop_allowing_calls(struct call_rule **at)
{
	while (*at) {
		if ((*at)->decision == VERDICT_ALLOW && !from_system(&(*at)->rule))
			*at = (*at)->next;
		else
			at = &(*at)->next;
	}
}

/* For rule types that can allow or deny: removes the allow rules that are not the system's. */
static void drop_allowing_rules(struct policy *p)
{
	for (struct redirect_rule **at = &p->redirects; *at;) {
		if ((*at)->decision == VERDICT_ALLOW && !from_system(&(*at)->rule))
			*at = (*at)->next;
		else
			at = &(*at)->next;
	}
	for (struct argument_rule **at = &p->arguments; *at;) {
		if ((*at)->decision == VERDICT_ALLOW && !from_system(&(*at)->rule))
			*at = (*at)->next;
		else
			at = &(*at)->next;
	}
	for (struct interpreter_rules *r = p->interpreters; r; r = r->next) {
		drop_allowing_calls(&r->calls);
		drop_allowing_calls(&r->imports);
		drop_allowing_calls(&r->writes);
	}
}

static void take_lists(struct policy *p, const struct policy *system)
{
	p->allow = system->allow;
	p->allow_checks = system->allow_checks;
	p->permission_allow = system->permission_allow;
	p->tool_allow = system->tool_allow;
	p->ssh_allow = system->ssh_allow;
	p->normalise = system->normalise;
	p->writable_roots = system->writable_roots;
	p->secret_allow = system->secret_allow;
	p->secrets.allow_rules = system->secrets.allow_rules;
	p->excluded_commands = system->excluded_commands;
	p->commands = system->commands;
	p->ncommands = system->ncommands;
}

static void take_values(struct policy *p, const struct policy *system)
{
	p->fallback = verdict_min(p->fallback, system->fallback);
	p->on_error = verdict_min(p->on_error, system->on_error);
	p->contain_fallback = verdict_min(p->contain_fallback, system->contain_fallback);
	p->route = p->route > system->route ? p->route : system->route;
	p->classifier = system->classifier;
	p->allow_readonly = system->allow_readonly;
	p->sandbox.enabled |= system->sandbox.enabled;
	p->sandbox.allow_unboxed &= system->sandbox.allow_unboxed;
	p->sandbox.always |= system->sandbox.always;
	p->hooks.approve &= system->hooks.approve;
	p->sandbox.host_network &= system->sandbox.host_network;
	p->sandbox.trust_client &= system->sandbox.trust_client;
	p->sandbox.accept_watched &= system->sandbox.accept_watched;
	p->sandbox.sockets &= system->sandbox.sockets;
	p->sandbox.background &= system->sandbox.background;
	p->sandbox.ptrace &= system->sandbox.ptrace;
	p->sandbox.read = system->sandbox.read;
	p->sandbox.write = system->sandbox.write;
	p->sandbox.env_pass = system->sandbox.env_pass;
	p->sandbox.network_allow = system->sandbox.network_allow;
	p->sandbox.host_ports = system->sandbox.host_ports;
	p->sandbox.publish = system->sandbox.publish;
	p->fold_case |= system->fold_case;
	p->discourage_chaining |= system->discourage_chaining;
	if (mode_lifts(p->mode))
		p->mode = system->mode;
}

bool mode_lifts(enum mode mode)
{
	return mode == MODE_ACCEPT_EDITS || mode == MODE_BYPASS || mode == MODE_PAUSED;
}

void policy_lock_apply(struct policy *p, const struct policy *system)
{
	drop_milder_grades(p, system);
	drop_allowing_rules(p);
	take_lists(p, system);
	take_values(p, system);
}
