/* See registries.h. */
#include "run/registries.h"

#include "knowledge/registry_rows.h"
#include "run/registry_tool.h"

struct rule_expansion {
	struct arena *a;
	struct network_rule *first, **end;
	size_t n;
	uint64_t added; /* rows of tools, by index */
};

bool registries_is_preset(struct str word) { return str_starts(word, "preset:"); }

/* Starts with a copy of the caller's list, which stays as it is if the word is an error. */
static void copy_rules(struct rule_expansion *l, const struct network_rule *from)
{
	l->end = &l->first;
	for (; from; from = from->next, l->n++) {
		*l->end = arena_new(l->a, struct network_rule);
		**l->end = *from;
		(*l->end)->next = NULL;
		l->end = &(*l->end)->next;
	}
}

static int add_rule(struct rule_expansion *l, const struct network_rule *rule, struct err *e)
{
	for (struct network_rule *r = l->first; r; r = r->next) {
		if (!network_rule_covers(r, rule))
			continue;
		if (network_rule_covers(rule, r))
			r->on_site |= rule->on_site;
		if (r->on_site || !rule->on_site)
			return 0;
	}
	if (l->n++ >= NETWORK_RULES_MAX)
		return err_limit(e, "a network has at most %d hosts", NETWORK_RULES_MAX);
	*l->end = arena_new(l->a, struct network_rule);
	**l->end = *rule;
	(*l->end)->next = NULL;
	l->end = &(*l->end)->next;
	return 0;
}

/*
 * 127.0.0.0/8 and ::1 are the box's own loopback inside of it. 0.0.0.0 and :: mean the same to the kernel;
 * Maven's settings use them for "never".
 */
static bool is_loopback(const struct network_rule *rule)
{
	static const uint8_t v4[12] = {[10] = 0xff, [11] = 0xff}, v6[15];
	const uint8_t *at = rule->address;

	if (rule->kind != NETWORK_ADDRESS)
		return false;
	return memcmp(at, v4, sizeof(v4)) == 0 ? at[12] == 127 || at[12] == 0
					       : memcmp(at, v6, sizeof(v6)) == 0 && at[15] <= 1;
}

/* Leaves out a host that is none, since a configuration file may contain any text, and this machine. */
static int add_hosts(struct rule_expansion *l, const struct texts *hosts, struct err *e)
{
	struct network_rule rule;

	for (; hosts; hosts = hosts->next) {
		if (network_rule_parse(l->a, hosts->text, &rule, NULL) != 0 || is_loopback(&rule))
			continue;
		rule.on_site = rule.kind == NETWORK_NAME;
		if (add_rule(l, &rule, e) != 0)
			return -1;
	}
	return 0;
}

static int add_word(struct rule_expansion *l, struct str word, struct err *e)
{
	struct network_rule rule;

	return network_rule_parse(l->a, word, &rule, e) != 0 ? -1 : add_rule(l, &rule, e);
}

static int add_words(struct rule_expansion *l, struct str words, struct err *e)
{
	struct str word;

	while ((word = str_word(&words)).n)
		if (add_word(l, word, e) != 0)
			return -1;
	return 0;
}

/* Adds the tool and those that it comes with, each once. */
static int add_tool(struct rule_expansion *l, struct registry_tools *t, const struct registry_row *row,
		struct err *e)
{
	const struct registry_row *other;
	uint64_t wanted = row->with;

	for (size_t i = 0; (other = registry_at(i)); i++)
		wanted |= (uint64_t)(other == row) << i;
	for (size_t i = 0; (other = registry_at(i)); i++) {
		if (!((wanted & ~l->added) >> i & 1))
			continue;
		l->added |= UINT64_C(1) << i;
		if (add_words(l, registry_list(other, REGISTRY_HOSTS), e) != 0 ||
				add_hosts(l, registry_tool_hosts(t, other), e) != 0)
			return -1;
	}
	return 0;
}

static int add_all(struct rule_expansion *l, struct registry_tools *t, struct err *e)
{
	const struct registry_row *row;

	for (size_t i = 0; (row = registry_at(i)); i++)
		if (registry_tool_exists(t, row) && add_tool(l, t, row, e) != 0)
			return -1;
	return 0;
}

/* The caller runs this tool, so its hosts count even if only the project has the program (./gradlew). */
static int add_one(struct rule_expansion *l, struct registry_tools *t, const struct registry_row *row,
		struct err *e)
{
	return add_tool(l, t, row, e) != 0 ? -1 : add_words(l, registry_list(row, REGISTRY_APART), e);
}

static int no_preset(struct arena *a, struct str word, struct err *e)
{
	const struct registry_row *row;
	struct buf known;

	buf_init(&known, a, 0);
	for (size_t i = 0; (row = registry_at(i)); i++) {
		struct str name = registry_list(row, REGISTRY_NAME);

		buf_fmt(&known, "%s%.*s", i ? ", " : "", STR_ARG(name));
	}
	return err_input(e,
			"unknown preset '%.*s' (use preset:registries, or preset:registries/TOOL with one of "
			"%.*s)",
			(int)(word.n < 60 ? word.n : 60), word.p, STR_ARG(buf_view(&known)));
}

int registries_expand(struct arena *a, struct registries *r, struct str word, struct network_rule **list,
		struct err *e)
{
	struct str tool = str_from(word, sizeof(REGISTRY_PRESET)); /* after the slash */
	struct registry_tools tools = {.a = a, .world = r->world, .again = r->again, .notes = &r->notes};
	struct rule_expansion l = {.a = a};
	int rc;

	copy_rules(&l, *list);
	if (!registries_is_preset(word))
		rc = add_word(&l, word, e);
	else if (str_is(word, REGISTRY_PRESET))
		rc = add_all(&l, &tools, e);
	else if (str_starts(word, REGISTRY_PRESET "/") && registry_find(tool))
		rc = add_one(&l, &tools, registry_find(tool), e);
	else
		rc = no_preset(a, word, e);
	if (rc != 0)
		return -1;
	*list = l.first;
	r->tools |= l.added;
	return 0;
}
