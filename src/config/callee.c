/*
 * Rewrites callee patterns of other guards. Their patterns may contain a call (`*Path(*).unlink`,
 * `require('fs').rmSync`), because they match the text of the code. The readers in src/code name a callee by
 * its definition (`pathlib.Path.unlink`, `fs.rmSync`), so the pattern is rewritten to match that name.
 */
#include "config/load.h"

/* Offset of the parenthesis that closes the one at i, or -1. */
static ptrdiff_t closing(struct str s, size_t i)
{
	size_t depth = 0;

	for (; i < s.n; i++) {
		depth += s.p[i] == '(';
		if (s.p[i] == ')' && --depth == 0)
			return (ptrdiff_t)i;
	}
	return -1;
}

/* functions that return the module whose name they get */
static bool loads_module(struct str callee)
{
	return str_is_any(callee, "require import __import__ importlib.import_module");
}

/* The module named by the arguments ('fs', "node:fs"); a wildcard if they name none. */
static struct str module_of(struct str args)
{
	char quote = args.n >= 2 ? args.p[0] : '\0';

	if ((quote == '\'' || quote == '"') && args.p[args.n - 1] == quote)
		args = str_sub(args, 1, args.n - 1);
	if (str_starts(args, "node:"))
		args = str_from(args, 5);
	return args.n ? args : STR("*");
}

struct str callee_pattern(struct arena *a, struct str pattern)
{
	struct buf out;

	buf_init(&out, a, 0);
	for (size_t i = 0; i < pattern.n; i++) {
		ptrdiff_t end = pattern.p[i] == '(' ? closing(pattern, i) : -1;

		if (end < 0) {
			buf_char(&out, pattern.p[i]);
			continue;
		}
		if (loads_module(buf_view(&out))) {
			struct str module = module_of(str_sub(pattern, i + 1, (size_t)end));

			buf_init(&out, a, 0);
			buf_str(&out, module);
		}
		i = (size_t)end;
	}
	return buf_view(&out);
}

bool callee_never(struct str pattern)
{
	for (size_t i = 0; i < pattern.n; i++)
		if (strchr("()[]{}'\" ,;=", pattern.p[i]))
			return true;
	return false;
}
