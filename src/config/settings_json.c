/* Permission rules from a client's settings. See settings_json.h. */
#include "config/settings_json.h"

#include "base/json.h"
#include "config/config.h"

struct list { /* the rules of one key, in order */
	const char *key;
	struct permission_rule *first, **end;
};

struct settings_load {
	struct arena *a;
	struct str name, base;
	const struct json *root;
	struct list lists[3];
	size_t count;
	enum mode mode;
	bool has_mode;
	struct err *e;
};

static const struct {
	char name[20];
	enum mode mode;
} modes[] = {
	{"default", MODE_DEFAULT}, {"acceptEdits", MODE_ACCEPT_EDITS}, {"plan", MODE_PLAN},
	{"bypassPermissions", MODE_BYPASS}, {"dontAsk", MODE_DONT_ASK},
};

/*
 * Bytes 0 to 3 have a special meaning where rules are compared. Newlines and tabs stay: a rule may hold a
 * command of several lines.
 */
static bool is_clean(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] < 4)
			return false;
	return true;
}

static bool is_path_tool(struct str tool)
{
	return str_is_any(tool, "Read Edit Write");
}

static int read_rule(struct settings_load *l, struct list *to, size_t i, const struct json *v)
{
	struct permission_rule *r;
	struct str text = json_text(v);

	if (!json_is(v, JSON_STRING))
		return err_config(l->e, "%.*s: permissions.%s[%zu] is not a text",
				STR_ARG(l->name), to->key, i);
	if (text.n > SETTINGS_RULE_BYTES_MAX || !is_clean(text))
		return err_config(l->e,
				"%.*s: permissions.%s[%zu] is too long or holds control characters",
				STR_ARG(l->name), to->key, i);
	if (++l->count > SETTINGS_RULES_MAX)
		return err_limit(l->e, "%.*s: more than %d permission rules", STR_ARG(l->name),
				SETTINGS_RULES_MAX);
	r = arena_new(l->a, struct permission_rule);
	r->rule.where = str_fmt(l->a, "%.*s: permissions.%s[%zu]", STR_ARG(l->name), to->key, i);
	r->base = l->base;
	text = str_dup(l->a, text);
	if (!config_permission(text, r))
		return err_config(l->e,
				"%.*s: not a permission such as Bash(npm test) or Read(./x): '%.*s'",
				STR_ARG(r->rule.where),
			(int)(text.n < 80 ? text.n : 80), text.p);
	if (is_path_tool(r->tool) && str_starts(r->pattern, "!"))
		return err_config(l->e, "%.*s: a pattern cannot be negated", STR_ARG(r->rule.where));
	LIST_ADD(to->end, r);
	return 0;
}

static int read_list(struct settings_load *l, struct list *to, const struct json *v)
{
	if (!v || json_is(v, JSON_NULL))
		return 0;
	if (!json_is(v, JSON_ARRAY))
		return err_config(l->e, "%.*s: permissions.%s is not a list", STR_ARG(l->name), to->key);
	size_t i = 0;
	for (const struct json *rule = v->first; rule; rule = rule->next)
		if (read_rule(l, to, i++, rule) < 0)
			return -1;
	return 0;
}

static int read_mode(struct settings_load *l, const struct json *v)
{
	struct str text = json_text(v);

	if (!v || json_is(v, JSON_NULL))
		return 0;
	if (!json_is(v, JSON_STRING))
		return err_config(l->e, "%.*s: permissions.defaultMode is not a text", STR_ARG(l->name));
	l->has_mode = true;
	l->mode = MODE_DEFAULT; /* also for a mode of a newer client: it lifts nothing here */
	for (size_t i = 0; i < ARRAY_SIZE(modes); i++)
		if (str_is(text, modes[i].name))
			l->mode = modes[i].mode;
	return 0;
}

static int read_permissions(struct settings_load *l)
{
	const struct json *permissions;

	if (!json_is(l->root, JSON_OBJECT))
		return err_config(l->e, "%.*s: not a map of settings", STR_ARG(l->name));
	permissions = json_key(l->root, "permissions");
	if (!permissions || json_is(permissions, JSON_NULL))
		return 0;
	if (!json_is(permissions, JSON_OBJECT))
		return err_config(l->e, "%.*s: permissions is not a map", STR_ARG(l->name));
	for (size_t i = 0; i < ARRAY_SIZE(l->lists); i++)
		if (read_list(l, &l->lists[i], json_key(permissions, l->lists[i].key)) < 0)
			return -1;
	return read_mode(l, json_key(permissions, "defaultMode"));
}

/*
 * Prepends the list's rules to the existing ones, which may be constants; the order of rules does not matter.
 */
static void join_lists(struct list *l, struct permission_rule **to)
{
	*l->end = *to;
	*to = l->first;
}

int settings_load(struct arena *a, struct str name, struct str bytes, struct str base_dir, struct policy *p,
		struct err *e)
{
	struct settings_load l = {.a = a, .name = name, .base = base_dir,
			.lists = {{.key = "allow"}, {.key = "ask"}, {.key = "deny"}}, .e = e};
	struct json_reader r;

	if (bytes.n > SETTINGS_BYTES_MAX)
		return err_limit(e, "%.*s: more than %zu bytes", STR_ARG(name), SETTINGS_BYTES_MAX);
	if (str_only(bytes, " \t\r\n"))
		return 0;
	json_reader_init(&r, a, bytes, JSON_STRICT);
	l.root = json_only(&r);
	if (!l.root) {
		struct json_place at = json_place(bytes, r.at);

		return err_config(e, "%.*s:%zu:%zu: %.*s", STR_ARG(name), at.line, at.column,
				STR_ARG(json_why(&r)));
	}
	for (size_t i = 0; i < ARRAY_SIZE(l.lists); i++)
		l.lists[i].end = &l.lists[i].first;
	if (read_permissions(&l) < 0)
		return -1;
	join_lists(&l.lists[0], &p->permission_allow);
	join_lists(&l.lists[1], &p->permission_ask);
	join_lists(&l.lists[2], &p->permission_deny);
	if (l.has_mode)
		p->mode = l.mode;
	return 0;
}
