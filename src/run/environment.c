/*
 * The environment of a program in a box, built from scratch: harmless variables, requested ones, and a few
 * that make programs run unattended. The table of variables (knowledge/variables.h) classifies those of the
 * caller. Variables that look like credentials are left out and named in the report. Variables that decide
 * which code programs execute never pass.
 */
#include "base/glob.h"
#include "knowledge/variables.h"
#include "run/spec_builder.h"

#define NAME_MAX_BYTES 256
#define VARIABLES_MAX 4096   /* bound for the caller's variables */
#define SCRUBBED_MAX 256     /* bound for reported names */
#define USER "box"

bool variable_hijacks(struct str name)
{
	const struct var_row *r = var_find_folded(name);

	return name.n >= NAME_MAX_BYTES || (r && (r->bits & VAR_HIJACKS));
}

/* ---- building ---- */

static bool is_name(struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];

		if (!(ascii_is_name_start(c) || (i && ascii_is_digit(c))))
			return false;
	}
	return s.n > 0 && s.n < NAME_MAX_BYTES;
}

static void set_variable(struct spec_builder *m, struct str name, struct str value)
{
	struct spec_var **at = &m->r->spec.env;

	while (*at && !str_eq((*at)->name, name))
		at = &(*at)->next;
	if (!*at)
		*at = arena_new(m->a, struct spec_var);
	(*at)->name = name;
	(*at)->value = value;
}

static bool is_listed(const struct texts *t, struct str name, bool exactly)
{
	for (; t; t = t->next)
		if (exactly ? str_eq(t->text, name) : glob_name(t->text, name))
			return true;
	return false;
}

/*
 * Passes the caller's variables that the table allows, and those that the person's policy lists unless they
 * hijack programs.
 */
bool spec_passes(const struct spec_builder *m, struct str name)
{
	const struct var_row *r = var_find(name);

	if (r && (r->box == VAR_BOX_ALWAYS || (r->box == VAR_BOX_WORK && m->r->spec.profile == PROFILE_WORK)))
		return true;
	if (!is_listed(m->p->own.sandbox.env_pass, name, false))
		return false;
	r = r ? r : var_find_folded(name);
	return !r || r->box != VAR_BOX_NEVER;
}

static void note_scrubbed(struct spec_builder *m, struct str name, size_t *n)
{
	if ((*n)++ < SCRUBBED_MAX)
		texts_add(m->a, &m->r->scrubbed, str_dup(m->a, name));
}

static bool scrubbed_around(const struct policies *p, struct str name)
{
	for (const struct policy_around *x = p->around; x; x = x->next)
		if (is_listed(x->policy.sandbox.env_scrub, name, false))
			return true;
	return false;
}

static void take_callers(struct spec_builder *m)
{
	const struct sandbox *own = &m->p->own.sandbox, *project = &m->p->project.sandbox;
	size_t scrubbed = 0;

	for (size_t i = 0; m->world->environ && m->world->environ[i] && i < VARIABLES_MAX; i++) {
		struct str s = str_of(m->world->environ[i]);
		ptrdiff_t eq = str_find(s, '=', 0);
		struct str name = eq > 0 ? str_first(s, (size_t)eq) : STR(""),
				value = str_from(s, (size_t)eq + 1);

		if (!is_name(name))
			continue;
		if (is_listed(own->env_scrub, name, false) ||
				(m->p->apart && is_listed(project->env_scrub, name, false)) ||
		    scrubbed_around(m->p, name) ||
		    (var_secret(name, value) && !is_listed(own->env_pass, name, true)))
			note_scrubbed(m, name, &scrubbed);
		else if (spec_passes(m, name) && !search_path_lacks(m, name, value))
			set_variable(m, name, value);
	}
}

struct str spec_callers_value(const struct spec_builder *m, const char *name)
{
	size_t n = strlen(name);

	for (size_t i = 0; m->world->environ && m->world->environ[i] && i < VARIABLES_MAX; i++)
		if (!strncmp(m->world->environ[i], name, n) && m->world->environ[i][n] == '=')
			return str_of(m->world->environ[i] + n + 1);
	return STR("");
}

/* The same on every machine where possible; interactive editors and pagers are off. */
static int inject_fixed(struct spec_builder *m, struct err *e)
{
	const struct network_spec *n = &m->r->spec.network;
	unsigned unless = (network_isolated(n) && !network_has_names(n) ? 0 : VAR_OFFLINE) |
			(m->r->spec.ptrace ? VAR_UNTRACED : 0), bits;
	struct str term = spec_callers_value(m, "TERM"), name, value, path;

	for (size_t i = 0; var_set_in_box(i, &name, &value, &bits); i++)
		if (!(bits & unless))
			set_variable(m, name, value);
	set_variable(m, STR("HOME"), m->r->spec.home);
	set_variable(m, STR("USER"), STR(USER)); /* the only user that exists in the box */
	set_variable(m, STR("LOGNAME"), STR(USER));
	if (search_path_make(m, &path, e) != 0)
		return -1;
	set_variable(m, STR("PATH"), path);
	if (m->ssh_agent)
		set_variable(m, STR("SSH_AUTH_SOCK"), STR(SPEC_SSH_AGENT));
	set_variable(m, STR("TERM"), m->rq->plain && m->world->terminal && term.n &&
			term.n < NAME_MAX_BYTES ? term : STR("dumb"));
	return 0;
}

static int take_given(struct spec_builder *m, struct err *e)
{
	for (const struct texts *t = m->rq->env; t; t = t->next) {
		struct str s = t->text;
		ptrdiff_t eq = str_find(s, '=', 0);
		struct str name = eq > 0 ? str_first(s, (size_t)eq) : STR("");

		if (!is_name(name))
			return err_input(e, "--env '%.*s': expected NAME=VALUE",
					(int)(s.n < 60 ? s.n : 60), s.p);
		if (m->rq->agent && variable_hijacks(name))
			return err_input(e,
					"--env '%.*s': it decides what programs execute, so an agent cannot "
					"set it", STR_ARG(name));
		set_variable(m, name, str_from(s, (size_t)eq + 1));
	}
	return 0;
}

int spec_build_environment(struct spec_builder *m, struct err *e)
{
	take_callers(m);
	return inject_fixed(m, e) == 0 ? take_given(m, e) : -1;
}

/* ---- secret values ---- */

char *const *variables_known(struct arena *a, const struct run_world *world, const struct run_request *rq)
{
	char *const *environ = world ? world->environ : NULL;
	size_t given = 0, n = 0;
	char **v, **to;

	while (environ && environ[n] && n < VARIABLES_MAX)
		n++;
	for (const struct texts *t = rq ? rq->env : NULL; t; t = t->next)
		given++;
	to = v = arena_array(a, given + n + 1, sizeof(*v));
	for (const struct texts *t = rq ? rq->env : NULL; t; t = t->next)
		*to++ = (char *)t->text.p;
	if (n)
		memcpy(to, environ, n * sizeof(*v));
	return v;
}
