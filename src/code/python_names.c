/* Names of attributes that the code itself defines. */
#include "code/python.h"

/* Adds the words of a text, without leading dashes, as attribute names that the code defines. */
static void own_words(struct python *p, struct str text)
{
	for (size_t from = 0, to; from < text.n; from = to + 1) {
		char *name;

		for (to = from; to < text.n && text.p[to] != ' ' && text.p[to] != ',';)
			to++;
		while (from < to && text.p[from] == '-')
			from++;
		name = arena_alloc(p->a, to - from + 1);
		for (size_t i = from; i < to; i++)
			name[i - from] = (char)(text.p[i] == '-' ? '_' : text.p[i]);
		if (to > from)
			p->own = pmap_set(p->a, p->own, str_n(name, to - from), p);
	}
}

/* Learns attributes from add_argument("--name"), namedtuple("T", "a b") and SimpleNamespace(a=1). */
void py_own_attributes(struct python *p, TSNode function, TSNode args)
{
	struct str name = node_text(p->w, node_is(function, "attribute") ? node_field(function, "attribute") :
			function);
	uint32_t count;
	TSNode *kids = py_children(p, args, &count);
	bool makes = false;

	makes |= str_is_any(name,
			"add_argument add_option add_subparsers set_defaults namedtuple SimpleNamespace "
			"Namespace");
	for (uint32_t i = 0; makes && i < count; i++) {
		bool keyword = node_is(kids[i], "keyword_argument");
		TSNode v = keyword ? node_field(kids[i], "value") : kids[i];

		if (keyword)
			own_words(p, node_text(p->w, node_field(kids[i], "name")));
		for (uint32_t k = 0, parts = node_is(v, "string") ? ts_node_named_child_count(v) : 0;
				k < parts && k < PY_ITEMS_MAX; k++)
			if (node_is(ts_node_named_child(v, k), "string_content"))
				own_words(p, node_text(p->w, ts_node_named_child(v, k)));
	}
}
