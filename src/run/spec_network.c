/*
 * The network of a run:
 *   1. that of the profile; in the profile `work` with the hosts of the person's policy
 *   2. instead of it the request's, else the skill's as far as the person's policy covers it
 *   3. projects take hosts away (sandbox.network_only)
 *   4. an agent may ask for a part of it
 */
#include "base/num.h"
#include "run/registries.h"
#include "run/spec_builder.h"

/* Appends the rules of the words. `option` is where they stand, for the message. */
static int expand(struct spec_builder *m, const char *option, const struct texts *words,
		struct network_rule **list, struct err *e)
{
	struct registries r = {.world = m->world, .notes = m->r->registry_notes};
	struct err why = {0};

	for (; words; words = words->next)
		if (registries_expand(m->a, &r, words->text, list, &why) != 0)
			return err_wrap(e, &why, option);
	m->r->registry_notes = r.notes;
	m->r->registry_tools |= r.tools;
	return 0;
}

static int expand_standing(struct spec_builder *m, struct network_rule **list, struct err *e)
{
	m->r->policy_hosts = true;
	return expand(m, "sandbox.network.allow", m->p->own.sandbox.network_allow, list, e);
}

/*
 * Replaces the list by what it has in common with `by`. *ret_lost gets the rules that are narrower now, or
 * gone.
 */
static int keep_common(struct spec_builder *m, struct network_rule **list, const struct network_rule *by,
		struct network_rule **ret_lost, struct err *e)
{
	struct network_rule *kept = NULL, **end = &kept, *lost = NULL, **lost_end = &lost;
	size_t n = 0;

	for (struct network_rule *r = *list; r; r = r->next) {
		bool whole = false;

		for (const struct network_rule *o = by; o && !whole; o = o->next) {
			struct network_rule common;

			if (!network_rule_meet(r, o, &common))
				continue;
			if (n++ >= NETWORK_RULES_MAX)
				return err_limit(e, "a network has at most %d hosts", NETWORK_RULES_MAX);
			whole = network_rule_covers(&common, r);
			LIST_NEW(m->a, end, common);
		}
		if (!whole)
			LIST_NEW(m->a, lost_end, *r);
	}
	*lost_end = NULL;
	*list = kept;
	*ret_lost = lost;
	return 0;
}

static int take_away(struct spec_builder *m, const struct sandbox *s, struct network_rule **list,
		struct err *e)
{
	struct network_rule *only = NULL, *lost = NULL, **end = &m->r->taken_away;

	if (!s->network_limited || !*list)
		return 0;
	if (expand(m, "sandbox.network.allow of the project", s->network_only, &only, e) != 0)
		return -1;
	while (*end)
		end = &(*end)->next;
	if (keep_common(m, list, only, &lost, e) != 0)
		return -1;
	*end = lost;
	return 0;
}

/* A project that lists the hosts of its boxes takes away everything else. */
static bool is_limited(const struct spec_builder *m)
{
	for (const struct policy_around *x = m->p->around; x; x = x->next)
		if (x->policy.sandbox.network_limited)
			return true;
	return m->p->own.sandbox.network_limited || (m->p->apart && m->p->project.sandbox.network_limited);
}

static int add_host_ports(struct spec_builder *m, struct network_spec *n, struct err *e)
{
	const struct texts *t = m->r->spec.profile == PROFILE_WORK ? m->p->own.sandbox.host_ports : NULL;
	int64_t port;

	if (t && is_limited(m)) {
		spec_note_capped(m, "network");
		return 0;
	}
	for (; t; t = t->next) {
		if (n->nhost_ports == NETWORK_HOST_PORTS_MAX)
			return err_limit(e, "sandbox.network.host_ports has more than %d ports",
					NETWORK_HOST_PORTS_MAX);
		if (num_parse(t->text, 1, UINT16_MAX, &port) == 0)
			n->host_ports[n->nhost_ports++] = (uint16_t)port;
		n->mode = NETWORK_NAMES;
	}
	return 0;
}

/* Sets the rules that the projects leave. Without any the box has its own loopback. */
static int set_rules(struct spec_builder *m, struct network_rule *list, struct err *e)
{
	if (take_away(m, &m->p->own.sandbox, &list, e) != 0)
		return -1;
	if (m->p->apart && take_away(m, &m->p->project.sandbox, &list, e) != 0)
		return -1;
	for (const struct policy_around *x = m->p->around; x; x = x->next)
		if (take_away(m, &x->policy.sandbox, &list, e) != 0)
			return -1;
	if (m->r->taken_away)
		spec_note_capped(m, "network");
	m->r->spec.network = list ? (struct network_spec){.mode = NETWORK_NAMES, .rules = list}
				  : (struct network_spec){.mode = NETWORK_LOOPBACK};
	return add_host_ports(m, &m->r->spec.network, e);
}

/* Tests of a project use servers that they start themselves, so the profile `work` has a loopback. */
static int network_of_profile(struct spec_builder *m, struct err *e)
{
	struct network_rule *list = NULL;

	if (m->r->spec.profile != PROFILE_WORK) {
		m->r->spec.network.mode = NETWORK_DENY;
		return 0;
	}
	m->r->standing_network = true;
	return expand_standing(m, &list, e) == 0 ? set_rules(m, list, e) : -1;
}

/* A skill gets what the person's policy permits; otherwise its network is capped like a limit. */
static int network_of_skill(struct spec_builder *m, const struct network_request *n, struct err *e)
{
	struct network_rule *list = NULL, *standing = NULL, *lost = NULL;

	if (n->words) {
		if (expand(m, "network of the skill", n->words, &list, e) != 0 ||
				expand_standing(m, &standing, e) != 0 ||
				keep_common(m, &list, standing, &lost, e) != 0)
			return -1;
		if (lost)
			spec_note_capped(m, "network");
		return list ? set_rules(m, list, e) : network_of_profile(m, e);
	}
	if (!network_request_is_host(n) || m->p->own.sandbox.host_network) {
		m->r->spec.network.mode = n->mode;
		return 0;
	}
	spec_note_capped(m, "network");
	return network_of_profile(m, e);
}

/* A ticket's hosts were judged for this command; those of the policy hold for every command. */
static int network_of_words(struct spec_builder *m, const struct texts *words, struct err *e)
{
	struct network_rule *list = NULL;

	if (expand(m, "--network", words, &list, e) != 0)
		return -1;
	if (m->rq->ticket && m->r->spec.profile == PROFILE_WORK && expand_standing(m, &list, e) != 0)
		return -1;
	return set_rules(m, list, e);
}

static int network_of_request(struct spec_builder *m, struct err *e)
{
	const struct network_request *n = &m->rq->network;
	const struct skill *s = m->rq->skilled;

	if (!n->given)
		return s && s->network.given ? network_of_skill(m, &s->network, e)
					     : network_of_profile(m, e);
	if (n->words)
		return network_of_words(m, n->words, e);
	/* `approved` comes only from a ticket. */
	if (network_request_is_host(n) && !m->p->own.sandbox.host_network && !m->rq->approved.n)
		return err_input(e,
				"--network 'host' needs 'sandbox: {network: host-allowed}' in your own "
				"policy");
	m->r->spec.network.mode = n->mode;
	return 0;
}

/* The modes in the order of what they permit; hosts by name lie between the second and the third. */
static bool permits(const struct network_spec *n, enum network_mode mode)
{
	const struct network_spec wanted = {.mode = mode};

	return !network_has_sockets(&wanted) || !network_isolated(n) ||
			(network_has_sockets(n) && network_isolated(&wanted));
}

static int narrow_to(struct spec_builder *m, const struct network_request *part, struct err *e)
{
	struct network_spec *n = &m->r->spec.network;
	struct network_rule *list = NULL, *lost = NULL;

	if (!part->words) {
		if (permits(n, part->mode))
			*n = (struct network_spec){.mode = part->mode};
		else
			spec_note_capped(m, "network");
		return 0;
	}
	if (expand(m, "network", part->words, &list, e) != 0)
		return -1;
	if (network_isolated(n) && keep_common(m, &list, n->rules, &lost, e) != 0)
		return -1;
	if (lost)
		spec_note_capped(m, "network");
	if (list)
		*n = (struct network_spec){.mode = NETWORK_NAMES, .rules = list};
	else if (network_has_names(n))
		*n = (struct network_spec){.mode = NETWORK_LOOPBACK};
	return 0;
}

int spec_build_network(struct spec_builder *m, struct err *e)
{
	if (network_of_request(m, e) != 0)
		return -1;
	if (!m->rq->network_part.given)
		return 0;
	m->r->standing_network = false;
	return narrow_to(m, &m->rq->network_part, e);
}
