#include "model/backend_choice.h"

static const char *const names[BACKENDS] = {
#define BACKEND_ROW(id, name) [BACKEND_##id] = name,
		BACKEND_CHOICES(BACKEND_ROW)
#undef BACKEND_ROW
};

const char *backend_choice_name(enum backend_choice c)
{
	return names[c];
}

enum backend_choice backend_choice_find(struct str name)
{
	for (enum backend_choice c = BACKEND_UNSET + 1; c < BACKENDS; c++)
		if (str_is(name, names[c]))
			return c;
	return BACKEND_UNSET;
}
