/*
 * Collects secret values. The table of variables (knowledge/variables.h) decides what looks like a
 * credential. See secret_values.h.
 */
#include "record/secret_values.h"

#include "knowledge/variables.h"

#define VARIABLES_MAX 4096 /* bound for the caller's variables */

struct str *secret_values(struct arena *a, char *const *environ, const struct texts *also, size_t *ret_n)
{
	struct str *v;
	size_t n = 0;

	while (environ && environ[n] && n < VARIABLES_MAX)
		n++;
	v = arena_array(a, n + 1, sizeof(*v));
	n = 0;
	for (size_t i = 0; environ && environ[i] && i < VARIABLES_MAX; i++) {
		struct str s = str_of(environ[i]);
		ptrdiff_t eq = str_find(s, '=', 0);
		struct str name = eq > 0 ? str_first(s, (size_t)eq) : STR(""),
				value = str_from(s, (size_t)eq + 1);

		if (name.n && (var_secret(name, value) || texts_have(also, name)) && !var_place(name))
			v[n++] = value;
	}
	*ret_n = n;
	return v;
}
