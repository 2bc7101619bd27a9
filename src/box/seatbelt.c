/* See seatbelt.h. The profile denies everything that it does not list; later rules stand above earlier ones.
 */
#define _GNU_SOURCE
#include "box/seatbelt.h"

#include "box/protect_inner.h"

#define PARAMETERS_MAX 4096

struct seatbelt_text {
	struct arena *a;
	struct buf heads, rules; /* comments with parameters; the rules */
	unsigned n;
	struct err *e;
	bool failed;
};

static const char first_rules[] =
		"(version 1)\n"
		"(deny default)\n"
		"(allow process-fork process-exec)\n"
		"(allow signal (target same-sandbox))\n"
		"(allow sysctl-read)\n"
		"(allow file-read-metadata)\n"
		"(allow file-read* (literal \"/\") (subpath \"/bin\") (subpath \"/sbin\") (subpath "
		"\"/usr\")\n"
		"  (subpath \"/System\") (subpath \"/Library/Developer\") (subpath "
		"\"/private/var/db/dyld\")\n"
		"  (literal \"/dev/null\") (literal \"/dev/zero\") (literal \"/dev/random\")\n"
		"  (literal \"/dev/urandom\"))\n"
		"(allow file-write-data (literal \"/dev/null\") (literal \"/dev/zero\"))\n";

/* The name of a new parameter. A path with a line break would end the comment that tells it. */
static struct str parameter(struct seatbelt_text *p, struct str path)
{
	struct str name = str_fmt(p->a, "P%u", p->n++);

	for (size_t i = 0; i < path.n; i++)
		if ((unsigned char)path.p[i] < ' ' || path.p[i] == 0x7f)
			p->failed = true;
	if (p->n > PARAMETERS_MAX)
		p->failed = true;
	if (p->failed)
		err_input(p->e, "a path cannot be a parameter of a profile: it has a control character, or "
				"there are too many");
	else
		buf_fmt(&p->heads, ";   -D %.*s=%.*s\n", STR_ARG(name), STR_ARG(path));
	return name;
}

static void put_rule(struct seatbelt_text *p, const char *verb, const char *what, struct str path)
{
	struct str name = parameter(p, path);

	buf_fmt(&p->rules, "(%s (%s (param \"%.*s\")))\n", verb, what, STR_ARG(name));
}

/* A protected path must not be written, and no directory on the way to it moved away. */
static void put_protected(struct seatbelt_text *p, struct str workspace, struct str name)
{
	put_rule(p, "deny file-write*", "subpath", str_path(p->a, workspace, name));
	for (ptrdiff_t slash = str_find(name, '/', 0); slash >= 0;
			slash = str_find(name, '/', (size_t)slash + 1))
		put_rule(p, "deny file-write-unlink", "literal",
				str_path(p->a, workspace, str_first(name, (size_t)slash)));
}

static void put_workspace(struct seatbelt_text *p, const struct spec *s)
{
	const struct protect_name *git;
	size_t n;

	put_rule(p, "allow file-read*", "subpath", s->workspace);
	if (!s->workspace_writable)
		return;
	put_rule(p, "allow file-write*", "subpath", s->workspace);
	put_rule(p, "deny file-write-unlink", "literal", s->workspace);
	git = gitdir_names(false, &n);
	for (size_t i = 0; i < n; i++)
		put_protected(p, s->workspace, str_fmt(p->a, ".git/%s", git[i].path));
	for (const struct texts *t = protect_names(p->a); t; t = t->next)
		if (!(protect_name_find(t->text)->flags & (NAME_WRITABLE | NAME_REPORT)))
			put_protected(p, s->workspace, t->text);
	for (const struct texts *t = s->protected; t; t = t->next)
		put_protected(p, s->workspace, t->text);
}

static int put_network(struct seatbelt_text *p, const struct spec *s)
{
	switch (s->network.mode) {
	case NETWORK_DENY: return 0;
	case NETWORK_LOOPBACK:
		buf_c(&p->rules, "(allow network* (local ip \"localhost:*\") (remote ip \"localhost:*\"))\n");
		return 0;
	case NETWORK_HOST: buf_c(&p->rules, "(allow network*)\n"); return 0;
	case NETWORK_NAMES: break;
	}
	return err_input(p->e, "a profile has no network by name (use --network deny, loopback or host)");
}

int seatbelt_profile(struct arena *a, const struct spec *s, struct str *ret, struct err *e)
{
	struct seatbelt_text p = {.a = a, .e = e};

	buf_init(&p.heads, a, 0);
	buf_init(&p.rules, a, 0);
	buf_c(&p.heads, "; A profile for /usr/bin/sandbox-exec -f FILE, with these parameters. Untested on "
			"macOS.\n"
			"; It has no limits of time, memory or processes.\n");
	buf_c(&p.rules, first_rules);
	for (const struct spec_path *path = s->paths; path; path = path->next) {
		if (path->cache == CACHE_PRIVATE || path->cache == CACHE_ABSENT)
			continue;
		put_rule(&p, "allow file-read*", "subpath", path->path);
		if (path->writable)
			put_rule(&p, "allow file-write*", "subpath", path->path);
	}
	if (s->workspace.n)
		put_workspace(&p, s);
	for (const struct texts *t = s->closed; t; t = t->next)
		put_rule(&p, "deny file-write*", "subpath", t->text);
	for (const struct texts *t = s->hidden; t; t = t->next)
		put_rule(&p, "deny file-read* file-write*", "subpath", t->text);
	if (put_network(&p, s) != 0 || p.failed)
		return -1;
	*ret = str_cat(a, buf_view(&p.heads), buf_view(&p.rules));
	return 0;
}
