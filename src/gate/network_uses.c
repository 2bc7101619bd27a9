/*
 * The network of commands whose form is known (knowledge/network.yaml). A read of a service that the person
 * set up is allowed: it runs outside of the box, with the person's credentials, as it would without caisson.
 * An install runs in a box that reaches the registries of its tool and nothing else. Every command without a
 * form uses the network in an unknown way, which is the check `network`.
 */
#include "gate/judge.h"
#include "knowledge/variables.h"

#define INSTEAD "use what is already here, or let a person allow it"

/* python3 -m pip install: the module's own words. */
static const struct net_form *form_of(const struct subject *s)
{
	const struct command *c = s->c;
	bool module = str_starts(s->base, "python") && c->argc > 2 && c->argv[1].kind == WORD_EXACT &&
		str_is(c->argv[1].text, "-m") && c->argv[2].kind == WORD_EXACT;

	if (module)
		return net_form_find(c->argv[2].text, c->argv + 2, c->argc - 2);
	return net_form_find(s->base, c->argv, c->argc);
}

/* A variable may name another service, another configuration or another program. */
static bool settings_harmless(const struct setting *s)
{
	for (; s; s = s->next)
		if (!net_variable_harmless(s->name))
			return false;
	return true;
}

/* In a box that reaches only registries, a variable matters if it leads elsewhere or runs something. */
static bool settings_ordinary(const struct setting *s, struct str home)
{
	for (; s; s = s->next) {
		const struct var_row *r = var_find_folded(s->name);

		if (r && !var_ordinary(r, s->value, home) && !net_variable_harmless(s->name))
			return false;
	}
	return true;
}

/* A command that runs outside must be the program of this name, and variables must tell it nothing. */
static bool runs_plainly(struct judge *j, const struct subject *s)
{
	if (s->form->use == NET_USE_REGISTRY)
		return settings_ordinary(j->f->settings, j->v->home) &&
			settings_ordinary(s->c->settings, j->v->home);
	return subject_is_program(j, s) && settings_harmless(j->f->settings) &&
		settings_harmless(s->c->settings) && !(j->p->sandbox.enabled && j->p->sandbox.always);
}

enum net_use network_use(struct judge *j, struct subject *s)
{
	if (!s->formed) {
		s->formed = true;
		s->form = s->c->argc ? form_of(s) : NULL;
		if (s->form && !runs_plainly(j, s))
			s->form = NULL;
	}
	return net_form_use(s->form);
}

bool network_uses_tell(struct judge *j, struct subject *s)
{
	switch (network_use(j, s)) {
	case NET_USE_READ:
		judge_say(j, gate_check(CHECK_NETWORK_READ), s->c->at,
			judge_quote(j, "", s->c->at, " asks a service on the network, and changes nothing"));
		return true;
	case NET_USE_REGISTRY:
		judge_raise_network(j, gate_check(CHECK_PACKAGE_INSTALL), s->c->at,
			judge_quote(j, "", s->c->at, " fetches packages"), INSTEAD,
			str_fmt(j->a, "preset:%s", net_form_tool(s->form)));
		return true;
	case NET_USE_REMOTE:
	case NET_USE_GET:
	case NET_USE_NONE: break;
	}
	return false;
}

void network_uses_in_box(struct judge *j)
{
	for (size_t i = 0; i < j->nsubjects; i++) {
		struct subject *s = &j->subjects[i];

		if (s->row && (subject_known(j, s)->effects & EFFECT_NETWORK) &&
			network_use(j, s) == NET_USE_READ)
			judge_raise_with(j, gate_check(CHECK_NETWORK), s->c->at,
				judge_quote(j, "", s->c->at,
					" uses the network, and another part of the request runs in the box"),
				"run it as a command of its own");
	}
}
