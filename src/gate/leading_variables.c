/*
 * Environment variables that are never ignored before a command: an allow rule for `npm test` does not cover
 * `NODE_OPTIONS=--require=./x npm test`, while `CI=1 npm test` is the same command. See leading_variables.h.
 */
#include "gate/leading_variables.h"

#include "knowledge/variables.h"

static const struct var_row *find_dangerous(struct str name)
{
	const struct var_row *r = var_find_folded(name);

	return r && r->effect != VAR_NONE ? r : NULL;
}

bool leading_variable_is_dangerous(struct str name)
{
	return !name.n || !text_exact(name) || find_dangerous(name);
}

bool leading_variable_matters(const struct setting *s)
{
	const struct var_row *r = find_dangerous(s->name);

	return leading_variable_is_dangerous(s->name) &&
			!(r && (r->bits & VAR_IDLE) && text_exact(s->value) && var_idle(s->value));
}
