/* Paths that lead to an open file. Unknown names and numbers match any name. */
#include "base/descriptor.h"

#define DEPTH_MAX 6

/* "*" matches any name. */
static const char places[][DEPTH_MAX][8] = {
	{"dev", "fd", "*"}, {"dev", "stdin"}, {"dev", "stdout"}, {"dev", "stderr"},
	{"proc", "*", "fd", "*"}, {"proc", "*", "task", "*", "fd", "*"},
};

static bool in_kernel(struct str first) { return str_is(first, "dev") || str_is(first, "proc"); }

static bool is_descriptor(const struct str *parts, size_t n)
{
	if (!in_kernel(parts[0]))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		size_t k = 0;

		while (k < n && places[i][k][0] && (places[i][k][0] == '*' || str_is(parts[k], places[i][k])))
			k++;
		if (k == n && (n == DEPTH_MAX || !places[i][n][0]))
			return true;
	}
	return false;
}

/* False if the first component is certain, and is neither dev nor proc. */
static bool may_lead_to_kernel(struct str path)
{
	return path.n < 2 || strchr("/.dp", path.p[1]) || str_contains(path, STR(".."));
}

enum descriptor path_descriptor(struct str path)
{
	struct str parts[DEPTH_MAX];
	size_t depth = 0;

	if (!str_starts(path, "/") || !may_lead_to_kernel(path))
		return DESCRIPTOR_NONE; /* most paths */
	for (struct str part; (part = str_part(&path)).n;) {
		if (str_is(part, "..")) {
			depth -= depth > 0;
			continue;
		}
		if (depth < DEPTH_MAX)
			parts[depth] = part;
		depth++;
		if (depth <= DEPTH_MAX && is_descriptor(parts, depth))
			return path.n ? DESCRIPTOR_BELOW : DESCRIPTOR_ITSELF;
		if (depth == 1 && !in_kernel(part) && !str_contains(path, STR("..")))
			return DESCRIPTOR_NONE;
	}
	return DESCRIPTOR_NONE;
}
