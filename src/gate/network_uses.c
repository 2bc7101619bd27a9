/*
 * The network of commands whose form is known (knowledge/network.yaml). A read of a service that the person
 * set up is allowed: it runs outside of the box, with the person's credentials, as it would without caisson.
 * An install runs in a box that reaches the registries of its tool and nothing else. Every command without a
 * form uses the network in an unknown way, which is the check `network`.
 */
#include "gate/judge.h"
#include "knowledge/variables.h"
#include "model/network.h"

#define INSTEAD "use what is already on this machine, or ask the user to allow it"

/* python3 -m pip install, python3 -mpip install: the module's own words. */
static const struct net_form *form_of(const struct subject *s, const struct word *argv)
{
	size_t argc = s->c->argc;
	struct str option = str_starts(s->base, "python") && argc > 2 && argv[1].kind == WORD_EXACT
		? argv[1].text : STR("");

	if (str_is(option, "-m") && argv[2].kind == WORD_EXACT)
		return net_form_find(argv[2].text, argv + 2, argc - 2);
	if (str_starts(option, "-m"))
		return net_form_find(str_from(option, 2), argv + 1, argc - 1);
	return net_form_find(s->base, argv, argc);
}

/* Returns the absolute path of ../b, /d/b and file:../b; empty for any other word. */
static struct str local_path(struct judge *j, const struct command *c, const struct word *w)
{
	struct str path = w->text;

	if (w->kind != WORD_EXACT || !text_exact(c->cwd) || !str_starts(c->cwd, "/"))
		return STR("");
	if (str_starts(path, "file:"))
		path = str_from(path, 5);
	else if (!str_starts(path, "/") && !str_starts(path, "../") && !str_is(path, ".."))
		return STR("");
	return path_plain(j->a, str_starts(path, "/") ? path : str_path(j->a, c->cwd, path));
}

/*
 * Returns the form of an install from directories on this machine: npm install ../b. Packages in a writable
 * root count like ./b. *ret_outside is one that no box shows, or empty.
 */
static const struct net_form *local_form(struct judge *j, const struct subject *s, struct str *ret_outside)
{
	struct word *argv = arena_array(j->a, s->c->argc, sizeof(*argv));
	const struct net_form *f;
	bool any = false;

	*ret_outside = STR("");
	for (size_t i = 0; i < s->c->argc; i++) {
		struct str path = i ? local_path(j, s->c, &s->c->argv[i]) : STR("");
		enum place place = path.n ? path_place(j, path) : PLACE_UNKNOWN;

		argv[i] = s->c->argv[i];
		if (place == PLACE_OUTSIDE)
			*ret_outside = path;
		if (place == PLACE_OUTSIDE || place == PLACE_ROOT) {
			argv[i].text = STR("./local");
			any = true;
		}
	}
	f = any ? form_of(s, argv) : NULL;
	return f && f->use == NET_USE_REGISTRY ? f : NULL;
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

/* A value from the environment may be a secret that another part of the request names. */
static bool may_hold_secret(const struct judge *j, const struct command *c)
{
	bool unknown = false;

	for (size_t i = 1; i < c->argc; i++)
		unknown |= c->argv[i].kind != WORD_EXACT;
	for (uint32_t i = 0; unknown && i < j->f->ntexts; i++)
		if (flow_expands_secret(j, (struct span){.text = i, .to = (uint32_t)j->f->texts[i].bytes.n}))
			return true;
	return false;
}

/* A command that runs outside must be the program of this name, and variables must tell it nothing. */
static bool runs_plainly(struct judge *j, const struct subject *s)
{
	if (s->form->use == NET_USE_REGISTRY)
		return settings_ordinary(j->f->settings, j->v->home) &&
			settings_ordinary(s->c->settings, j->v->home);
	if ((s->form->use == NET_USE_READ || s->form->use == NET_USE_REMOTE) && j->p->sandbox.enabled &&
		j->p->sandbox.always)
		return false; /* it would run in the box, which has no credentials */
	return subject_is_program(j, s) && runs_here(s->c->via) && settings_harmless(j->f->settings) &&
		settings_harmless(s->c->settings) && !may_hold_secret(j, s->c);
}

enum net_use network_use(struct judge *j, struct subject *s)
{
	if (!s->formed) {
		s->formed = true;
		struct str outside;

		s->form = s->c->argc ? form_of(s, s->c->argv) : NULL;
		if (!s->form && packages_install(j, s->c->at)) {
			s->form = local_form(j, s, &outside);
			s->form = outside.n ? NULL : s->form;
		}
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
		plain &= url.p[i] > ' ' && url.p[i] < 0x7f && !strchr("{}[]\\\"'`|^<>", url.p[i]);
	for (size_t i = 0; plain && i < ARRAY_SIZE(schemes); i++)
		if (str_take(&url, schemes[i])) {
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
	if (port < url.n && url.p[port] != '/' && str_find(url, '@', port) >= 0)
		return STR(""); /* https://a?@b */
	if (str_is(str_sub(url, end, port), ":443") || str_is(str_sub(url, end, port), ":80"))
		port = end;
	return str_dup(j->a, str_first(url, port));
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

static bool is_clone(struct judge *j, struct subject *s)
{
	return str_is(str_of(subject_options(j, s)->name), "git clone");
}

/* git fetch of an address that is no remote: quiet if it takes no reference of this repository away. */
static bool overwrites(struct judge *j, struct subject *s)
{
	struct know_options *o = subject_options(j, s);

	if (o->noperands > 1 && (know_has(o, "--force") || know_has(o, "--update-head-ok")))
		return true;
	for (size_t i = 1; i < o->noperands; i++)
		if (!git_hooks_refspec_plain(s->c->argv[o->operands[i]].text))
			return true;
	return false;
}

/*
 * True if git alone would run in a box that reaches the host: a forge takes data from anybody. The box has no
 * keys for ssh.
 */
static bool git_alone(struct judge *j, struct subject *s)
{
	struct know_options *o = subject_options(j, s);

	return j->nsubjects == 1 && o->noperands && str_starts(s->c->argv[o->operands[0]].text, "https://");
}

/*
 * A fetch of addresses: quiet if the person listed all hosts. The question names the others. A server can
 * send a client on, and settings of a repository can lead git elsewhere, so these run in a box, which reaches
 * the listed hosts alone.
 */
static bool tell_hosts(struct judge *j, struct subject *s)
{
	struct use_hosts h = hosts_of(j, s);
	struct str rest = h.unlisted, first = str_word(&rest);
	bool fetch = s->form->use == NET_USE_REMOTE && !is_clone(j, s);

	if (!h.known || (fetch && overwrites(j, s)))
		return false;
	if (!first.n && (fetch || s->form->use == NET_USE_FOLLOW))
		judge_raise_at_most(j, CHECK_NETWORK, GRADE_CONTAIN, s->c->at,
			judge_quote(j, "", s->c->at, " fetches from a listed host, which may redirect "
					"elsewhere"),
			INSTEAD);
	if (first.n)
		judge_raise_network(j, gate_check(CHECK_NETWORK), s->c->at,
				judge_quote(j, "", s->c->at, " uses the network"), str_fmt_c(j->a,
				"ask the user to allow the host, if reading from it is fine: caisson allow "
				"--host %.*s", STR_ARG(first)),
				s->form->use == NET_USE_REMOTE && !git_alone(j, s) ? STR("") : h.unlisted);
	return true;
}

/* Adds hosts that are joined by '+', and a port for all of them. */
static struct str with_hosts(struct judge *j, struct str words, struct str hosts, const char *port)
{
	for (size_t at = 0; at < hosts.n;) {
		size_t plus = str_end(hosts, '+', at);
		struct str one = str_sub(hosts, at, plus);

		words = str_fmt(j->a, "%.*s%s%.*s%s", STR_ARG(words), words.n ? " " : "", STR_ARG(one), port);
		at += one.n + 1;
	}
	return words;
}

static bool is_plain_host(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!is_host_byte(s.p[i]))
			return false;
	return s.n > 0;
}

/* ssh://git@HOST/..., git@HOST:PATH. Package managers try HTTPS first if they know the host. */
static struct str ssh_words(struct judge *j, struct str rest)
{
	size_t n = 0, end;
	struct str host, port = STR(":22");

	if (str_starts(rest, "git@"))
		rest = str_from(rest, 4);
	while (n < rest.n && !strchr(":/", rest.p[n]))
		n++;
	host = str_first(rest, n);
	if (!is_plain_host(host))
		return STR("");
	for (end = n + 1; end < rest.n && ascii_is_digit(rest.p[end]);)
		end++;
	if (n < rest.n && rest.p[n] == ':' && end > n + 1 && end < rest.n && rest.p[end] == '/')
		port = str_sub(rest, n, end);
	return with_hosts(j, with_hosts(j, STR(""), host, str_c(j->a, port)), net_source_hosts(host), "");
}

static struct str url_words(struct judge *j, struct str url)
{
	struct str host = host_of(j, url, true), more = net_source_hosts(host);

	return with_hosts(j, STR(""), more.n ? more : host, "");
}

struct install_source {
	bool any;         /* the word names a source that is no registry */
	struct str words; /* its hosts; empty: not known */
};

/* URL, NAME@URL, git@HOST:PATH, github:OWNER/NAME, OWNER/NAME. */
static struct install_source source_of(struct judge *j, const struct subject *s, struct str word)
{
	static const char prefixes[][12] = {"github:", "gitlab:", "bitbucket:", "gist:"};
	ptrdiff_t at = str_find(word, ':', 0), user;
	size_t from;

	while (at >= 0 && !str_starts(str_from(word, (size_t)at), "://"))
		at = str_find(word, ':', (size_t)at + 1);
	if (at >= 0) {
		for (from = (size_t)at; from > 0 && ascii_is_lower(word.p[from - 1]);)
			from--;
		word = str_from(word, from);
		if (str_starts(word, "ssh://"))
			return (struct install_source){true, ssh_words(j, str_from(word, 6))};
		return (struct install_source){true, str_starts(word, "http") ? url_words(j, word) : STR("")};
	}
	user = str_is(s->base, "go") ? -1 : str_find(word, '@', 1); /* a scope's at sign is the first byte */
	if (user > 0 && !str_starts(word, "git@"))
		word = str_from(word, (size_t)user + 1);
	if (str_starts(word, "git@"))
		return (struct install_source){true, ssh_words(j, word)};
	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++)
		if (str_starts(word, prefixes[i]))
			return (struct install_source){
				true, with_hosts(j, STR(""), net_source_hosts(str_of(prefixes[i])), "")};
	if (!word.n || strchr("@./~-", word.p[0]) || str_find(word, '/', 0) <= 0 ||
		str_has(word, ':'))
		return (struct install_source){0};
	if (str_is(s->base, "go")) /* a module's name starts with its host */
		return (struct install_source){
			true, url_words(j, str_fmt(j->a, "https://%.*s", STR_ARG(word)))};
	if (str_is_any(s->base, "npm npx pnpm pnpx yarn bun bunx"))
		return (struct install_source){
			true, with_hosts(j, STR(""), net_source_hosts(STR("github:")), "")};
	return (struct install_source){0};
}

/*
 * Returns what an install from elsewhere needs: the registries of its tool and the hosts of its addresses.
 * Empty: not known.
 */
static struct str install_words(struct judge *j, const struct subject *s)
{
	struct str tool = net_program_tool(s->base), words = str_fmt(j->a, "preset:%.*s", STR_ARG(tool));
	bool any = false;

	for (size_t i = 1; i < s->c->argc; i++) {
		struct install_source one;

		if (s->c->argv[i].kind != WORD_EXACT)
			return STR("");
		one = source_of(j, s, s->c->argv[i].text);
		if (!one.any)
			continue;
		if (!one.words.n)
			return STR("");
		words = str_fmt(j->a, "%.*s %.*s", STR_ARG(words), STR_ARG(one.words));
		any = true;
	}
	return any && tool.n ? words : STR("");
}

static bool tell_install(struct judge *j, struct subject *s)
{
	struct str words = packages_install(j, s->c->at) ? install_words(j, s) : STR(""), outside;

	if (!words.n && packages_install(j, s->c->at) && j->p->sandbox.enabled &&
		settings_ordinary(j->f->settings, j->v->home) &&
		settings_ordinary(s->c->settings, j->v->home) && local_form(j, s, &outside) && outside.n) {
		enum grade g = judge_grade(j, gate_check(CHECK_NETWORK));

		judge_raise_graded(j, gate_check(CHECK_NOT_CONTAINED), g > GRADE_ASK ? g : GRADE_ASK,
			s->c->at,
			str_fmt(j->a, "this would be contained, but it needs '%.*s', which no box shows",
				STR_ARG(outside)), INSTEAD);
		return true;
	}
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

/*
 * A clone writes what its data name, so it runs in a box, which reaches the host of the remote. A forge takes
 * data from anybody, so nothing else may run in that box.
 */
static bool tell_clone(struct judge *j, struct subject *s)
{
	struct str url = s->c->argv[subject_options(j, s)->operands[0]].text, host = host_of(j, url, true);

	if (!git_alone(j, s) || !net_host_is_forge(host))
		return tell_hosts(j, s);
	judge_raise_network(j, gate_check(CHECK_ARCHIVE_EXTRACT), s->c->at,
		judge_quote(j, "", s->c->at, " fetches a repository that is a remote of this one"), INSTEAD,
		host);
	return true;
}

bool network_uses_tell(struct judge *j, struct subject *s)
{
	switch (network_use(j, s)) {
	case NET_USE_READ:
		tell_read(j, s, " reads from a service on the network");
		return true;
	case NET_USE_REGISTRY:
		judge_raise_network(j, gate_check(CHECK_PACKAGE_INSTALL), s->c->at,
			judge_quote(j, "", s->c->at, " fetches packages"), INSTEAD,
			str_fmt(j->a, "preset:%s", net_form_tool(s->form)));
		return true;
	case NET_USE_REMOTE:
		if (!git_hooks_remote_known(j, s)) {
			if (!git_hooks_from_path(j, s))
				return tell_hosts(j, s);
			judge_raise_at_most(j, CHECK_NETWORK, GRADE_DENY, s->c->at,
				judge_quote(j, "", s->c->at, " copies another repository and runs git with "
					"its settings"),
				INSTEAD);
			return true;
		}
		if (is_clone(j, s))
			return tell_clone(j, s);
		tell_read(j, s, git_hooks_from_path(j, s) ? " fetches from a repository on this machine"
							  : " fetches from a remote of this repository");
		return true;
	case NET_USE_GET:
	case NET_USE_FOLLOW: return tell_hosts(j, s);
	case NET_USE_NONE: return tell_install(j, s);
	}
	return false;
}

/* git fetch . works in the box as well. */
static bool fetches_here(struct judge *j, struct subject *s)
{
	return git_hooks_from_path(j, s) &&
		str_is(s->c->argv[subject_options(j, s)->operands[0]].text, ".");
}

/* A box has neither the person's credentials nor the hosts of these; those that a policy lists it has. */
static bool needs_outside(struct judge *j, struct subject *s)
{
	enum net_use use = network_use(j, s);

	return use == NET_USE_READ ||
		(use == NET_USE_REMOTE && !is_clone(j, s) && !fetches_here(j, s) &&
			git_hooks_remote_known(j, s));
}

void network_uses_in_box(struct judge *j)
{
	for (size_t i = 0; i < j->nsubjects; i++) {
		struct subject *s = &j->subjects[i];

		if (s->row && (subject_known(j, s)->effects & EFFECT_NETWORK) && needs_outside(j, s))
			judge_raise_with(j, gate_check(CHECK_NETWORK), s->c->at,
				judge_quote(j, "", s->c->at,
					git_hooks_from_path(j, s)
						? " needs files that no box shows, and another part of the "
						  "request runs in the box"
						: " uses the network, and another part of the request runs "
						  "in the box"),
				"run it as a separate command");
	}
}
