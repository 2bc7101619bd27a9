/* Names of the kinds of facts, as they leave the program. */
#include "model/facts.h"

static const char via_names[VIA_KINDS][12] = {
	[VIA_DIRECT] = "direct",
	[VIA_SUBST] = "subst",
	[VIA_PROCSUB] = "procsub",
	[VIA_FUNCTION] = "function",
	[VIA_ALIAS] = "alias",
	[VIA_EVAL] = "eval",
	[VIA_TRAP] = "trap",
	[VIA_SOURCE] = "source",
	[VIA_SH_C] = "sh-c",
	[VIA_STDIN_SHELL] = "stdin-shell",
	[VIA_XARGS] = "xargs",
	[VIA_FIND] = "find",
	[VIA_WRAPPER] = "wrapper",
	[VIA_CODE] = "code",
};

bool via_same(const struct via *a, const struct via *b)
{
	return a->kind == b->kind && (a->name && b->name ? !strcmp(a->name, b->name) : a->name == b->name);
}

struct str via_text(struct arena *a, const struct via *v)
{
	return v->name ? str_fmt(a, "%s:%s", via_names[v->kind], v->name) : str_of(via_names[v->kind]);
}
