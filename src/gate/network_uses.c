/*
 * The network of commands whose form is known (knowledge/network.yaml). A read of a service that the person
 * set up is allowed: it runs outside of the box, with the person's credentials, as it would without caisson.
 * An install runs in a box that reaches the registries of its tool and nothing else. Every command without a
 * form uses the network in an unknown way, which is the check `network`.
 */
#include "gate/judge.h"
#include "knowledge/variables.h"
#include "model/network.h"

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
		if (!net_variable_harmless(s->name, s->value))
			return false;
	return true;
}

/* In a box that reaches only registries, a variable matters if it leads elsewhere or runs something. */
static bool settings_ordinary(const struct setting *s, struct str home)
{
	for (; s; s = s->next) {
		const struct var_row *r = var_find_folded(s->name);

		if (r && !var_ordinary(r, s->value, home) && !net_variable_harmless(s->name, s->value))
			return false;
	}
	return true;
}

/*
 * True if every step to the command runs it here, with these words: not ssh, docker exec, npx or xargs. The
 * spans of commands do not say that: a wrapped command has the place of its wrapper.
 */
static bool runs_here(const struct via *v)
{
	static const char wrappers[] = "timeout time nice ionice nohup env command exec stdbuf setsid watch "
				       "builtin";

	for (; v; v = v->outer)
		switch (v->kind) {
		case VIA_DIRECT:
		case VIA_SUBST:
		case VIA_PROCSUB:
		case VIA_FUNCTION:
		case VIA_EVAL:
		case VIA_SH_C: break;
		case VIA_WRAPPER:
			if (!v->name || !str_is_any(str_of(v->name), wrappers))
				return false;
			break;
		default: return false;
		}
	return true;
}

/* A command that runs outside must be the program of this name, and variables must tell it nothing. */
static bool runs_plainly(struct judge *j, const struct subject *s)
{
	if (s->form->use == NET_USE_REGISTRY)
		return settings_ordinary(j->f->settings, j->v->home) &&
			settings_ordinary(s->c->settings, j->v->home);
	if (s->form->use != NET_USE_GET && j->p->sandbox.enabled && j->p->sandbox.always)
		return false; /* it would run in the box, which has no credentials */
	return subject_is_program(j, s) && runs_here(s->c->via) && settings_harmless(j->f->settings) &&
		settings_harmless(s->c->settings);
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

/* ---- hosts ---- */

static bool is_host_byte(char c) { return ascii_is_alnum(c) || c == '-' || c == '.' || c == '_'; }

/*
 * Returns the host of an address as the text of a rule, empty if programs may disagree about it: user names,
 * patterns, unusual bytes. Ports 80 and 443 need not be written. `scheme`: "https://" may not be left out.
 */
static struct str host_of(struct judge *j, struct str url, bool scheme)
{
	static const char schemes[][12] = {"https://", "http://", "ssh://"};
	size_t end = 0, port;
	bool plain = true;

	for (size_t i = 0; i < url.n; i++)
		plain &= url.p[i] > ' ' && url.p[i] < 0x7f && !strchr("@{}[]\\\"'`|^<>", url.p[i]);
	for (size_t i = 0; plain && i < ARRAY_SIZE(schemes); i++)
		if (str_starts(url, schemes[i])) {
			url = str_sub(url, strlen(schemes[i]), url.n);
			scheme = false;
			break;
		}
	while (end < url.n && is_host_byte(url.p[end]))
		end++;
	port = end;
	if (port < url.n && url.p[port] == ':')
		for (port++; port < url.n && ascii_is_digit(url.p[port]);)
			port++;
	if (scheme || !plain || !end || (port < url.n && !strchr("/?#", url.p[port])) || port == end + 1)
		return STR("");
	if (str_is(str_sub(url, end, port), ":443") || str_is(str_sub(url, end, port), ":80"))
		port = end;
	return str_dup(j->a, str_sub(url, 0, port));
}

/* True if the person's policy lists the host (sandbox.network.allow). */
static bool host_listed(struct judge *j, struct str host)
{
	struct network_rule inner, outer;

	if (network_rule_parse(j->a, host, &inner, NULL) != 0)
		return false;
	for (const struct texts *t = j->p->sandbox.network_allow; t; t = t->next)
		if (network_rule_parse(j->a, t->text, &outer, NULL) == 0 &&
			network_rule_covers(&outer, &inner))
			return true;
	return false;
}

struct use_hosts {
	struct str unlisted; /* hosts that no list has, separated by blanks */
	bool known;          /* every host of the command is known */
	bool any;
};

static struct use_hosts hosts_of(struct judge *j, struct subject *s)
{
	struct use_hosts h = {.known = true, .unlisted = STR("")};

	for (const struct know_use *u = subject_known(j, s)->uses; u; u = u->next) {
		struct str host;

		if (u->role != USE_HOST)
			continue;
		host = u->value.kind == WORD_EXACT ? host_of(j, u->value.text, s->form->use == NET_USE_REMOTE)
						   : STR("");
		h.any = true;
		h.known &= host.n > 0;
		if (host.n && !host_listed(j, host))
			h.unlisted = str_fmt(j->a, "%.*s%s%.*s", STR_ARG(h.unlisted), h.unlisted.n ? " " : "",
				STR_ARG(host));
	}
	h.known &= h.any;
	return h;
}

/* A fetch of addresses: quiet if the person listed all hosts. The question names the others. */
static bool tell_hosts(struct judge *j, struct subject *s)
{
	struct use_hosts h = hosts_of(j, s);
	struct str rest = h.unlisted, first = str_word(&rest);

	if (!h.known)
		return false;
	if (first.n)
		judge_raise_network(j, gate_check(CHECK_NETWORK), s->c->at,
			judge_quote(j, "", s->c->at, " uses the network"),
			str_c(j->a, str_fmt(j->a,
				"let a person list the host, if it may be read from without questions: "
				"caisson allow --host %.*s", STR_ARG(first))),
			s->form->use == NET_USE_GET ? h.unlisted : STR(""));
	return true;
}

/*
 * Returns what an install from elsewhere needs: the registries of its tool and the hosts of its addresses.
 * Empty: not known, or not reached by HTTP.
 */
static struct str install_words(struct judge *j, const struct subject *s)
{
	struct str tool = net_program_tool(s->base), words = str_fmt(j->a, "preset:%.*s", STR_ARG(tool));
	bool any = false;

	for (size_t i = 1; i < s->c->argc; i++) {
		struct str word = s->c->argv[i].text, host;
		ptrdiff_t at = str_find(word, ':', 0);

		if (s->c->argv[i].kind != WORD_EXACT)
			return STR("");
		while (at >= 0 && !str_starts(str_sub(word, (size_t)at, word.n), "://"))
			at = str_find(word, ':', (size_t)at + 1);
		if (at < 0)
			continue;
		while (at > 0 && ascii_is_lower(word.p[at - 1]))
			at--;
		word = str_sub(word, (size_t)at, word.n);
		host = str_starts(word, "http") ? host_of(j, word, true) : STR("");
		if (!host.n)
			return STR("");
		words = str_fmt(j->a, "%.*s %.*s", STR_ARG(words), STR_ARG(host));
		any = true;
	}
	return any && tool.n ? words : STR("");
}

static bool tell_install(struct judge *j, struct subject *s)
{
	struct str words = packages_install(j, s->c->at) ? install_words(j, s) : STR("");

	if (words.n)
		judge_raise_network(j, gate_check(CHECK_NETWORK), s->c->at,
			judge_quote(j, "", s->c->at, " uses the network"), INSTEAD, words);
	return words.n > 0;
}

/* ---- commands ---- */

static void tell_read(struct judge *j, struct subject *s, const char *does)
{
	judge_say(j, gate_check(CHECK_NETWORK_READ), s->c->at, judge_quote(j, "", s->c->at, does));
}

bool network_uses_tell(struct judge *j, struct subject *s)
{
	switch (network_use(j, s)) {
	case NET_USE_READ:
		tell_read(j, s, " asks a service on the network, and changes nothing");
		return true;
	case NET_USE_REGISTRY:
		judge_raise_network(j, gate_check(CHECK_PACKAGE_INSTALL), s->c->at,
			judge_quote(j, "", s->c->at, " fetches packages"), INSTEAD,
			str_fmt(j->a, "preset:%s", net_form_tool(s->form)));
		return true;
	case NET_USE_REMOTE:
		if (!git_hooks_remote_known(j, s))
			return tell_hosts(j, s);
		tell_read(j, s, " fetches from a remote of this repository");
		return true;
	case NET_USE_GET: return tell_hosts(j, s);
	case NET_USE_NONE: return tell_install(j, s);
	}
	return false;
}

/* A box has neither the person's credentials nor the hosts of these; those that a policy lists it has. */
static bool needs_outside(struct judge *j, struct subject *s)
{
	enum net_use use = network_use(j, s);

	return use == NET_USE_READ || (use == NET_USE_REMOTE && git_hooks_remote_known(j, s));
}

void network_uses_in_box(struct judge *j)
{
	for (size_t i = 0; i < j->nsubjects; i++) {
		struct subject *s = &j->subjects[i];

		if (s->row && (subject_known(j, s)->effects & EFFECT_NETWORK) && needs_outside(j, s))
			judge_raise_with(j, gate_check(CHECK_NETWORK), s->c->at,
				judge_quote(j, "", s->c->at,
					" uses the network, and another part of the request runs in the box"),
				"run it as a command of its own");
	}
}
