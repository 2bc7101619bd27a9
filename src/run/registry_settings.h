/*
 * The settings of package managers for a box that reaches hosts by name. The home of a box has none of the
 * person's settings, which may hold credentials; without them a tool would look for packages in its default
 * registry instead of the person's.
 */
#pragma once
#include "model/network.h"

/*
 * Reduces a settings file to the lines whose key matches a pattern, and to the headers of their sections,
 * without users and passwords. False, and nothing should be shown, if no line is left or if one of them
 * - names a host that the rules do not allow, or an address that is not understood,
 * - may hold a credential that cannot be removed.
 */
bool registry_settings(struct arena *a, struct str text, struct str patterns,
		const struct network_rule *rules, struct str *ret);
