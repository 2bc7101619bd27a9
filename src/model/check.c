/* Names of checks. */
#include "model/check.h"

static const char names[CHECK_IDS][CHECK_NAME_MAX] = {
#define GATE_CHECK(constant, name, ...) [CHECK_##constant] = name,
#include "model/check_rows.h"
#undef GATE_CHECK
};

const char *check_name(enum check_id id) { return names[id]; }

enum check_id check_find(struct str name)
{
	for (enum check_id id = CHECK_NONE + 1; id < CHECK_IDS; id++)
		if (str_is(name, names[id]))
			return id;
	return CHECK_NONE;
}
