/* Looks up cmdlets, aliases and methods of .NET, which knowledge/code/powershell.yaml lists. */
#include "code/powershell.h"

const char *ps_alias(struct str name)
{
	for (size_t i = 0; i < ps_aliases_n; i++)
		if (str_is_like(name, ps_aliases[i].alias))
			return ps_aliases[i].name;
	return NULL;
}

bool ps_unix_alias(struct str name) { return str_like_any(name, ps_unix); }

const struct ps_cmdlet *ps_cmdlet(struct str name)
{
	static const struct ps_cmdlet quiet = {.out = 'd'}, object = {.out = 'i'};

	for (size_t i = 0; i < ps_cmdlets_n; i++)
		if (str_is_like(name, ps_cmdlets[i].name))
			return &ps_cmdlets[i];
	for (size_t i = 0; i < ps_marked_n; i++)
		if (str_like_any(name, ps_marked[i].names))
			return &ps_marked[i].row;
	if (str_like_any(name, ps_passing))
		return &object;
	return str_like_any(name, ps_harmless) ? &quiet : NULL;
}

const struct ps_static *ps_static(struct str type, struct str method)
{
	for (const struct ps_static *s = ps_statics; s < ps_statics + ps_statics_n; s++)
		if (str_is_like(type, s->type) && (s->method[0] == '*' || str_like_any(method, s->method)))
			return s;
	return NULL;
}

bool ps_method_harmless(struct str name, enum ps_kind kind)
{
	return str_like_any(name, ps_methods) ||
			(str_like_any(name, "Replace Clear Join") &&
			(kind == PS_TEXT || kind == PS_DATA || kind == PS_FETCHED || kind == PS_DECODED ||
			kind == PS_LIST));
}

bool ps_type_harmless(struct str name) { return str_like_any(name, ps_types); }
