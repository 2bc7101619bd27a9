/*
 * The exclusion entry in the settings of Claude Code's sandbox:
 *
 *     {"sandbox": {"excludedCommands": ["/usr/bin/caisson run --ticket:*"]}}
 *
 * Inside that sandbox no ticket can be redeemed and no box can be made. So commands that the hook has judged
 * and put on a ticket run outside it; the box opens no more than the sandbox did (claude.h). Without that
 * sandbox the entry has no effect.
 *
 * The entry is added after the hooks and removed before them, so that each step finds the bytes that it left.
 */
#include "client/init_hooks.h"
#include "client/jsontext.h"

#define ENTRY_END " run --ticket:*"
#define STEPS_MAX 20

struct excluding {
	struct arena *a;
	struct str text;
	struct json *root, *sandbox, *list;
	struct jstyle style;
	struct err *e;
};

struct str init_excluded(struct arena *a, struct str program)
{
	return str_fmt(a, "%.*s" ENTRY_END, STR_ARG(program));
}

bool init_is_excluded(struct str entry)
{
	size_t base = 0;

	if (!str_ends(entry, ENTRY_END))
		return false;
	for (size_t i = 0; i < entry.n - strlen(ENTRY_END); i++)
		if (entry.p[i] == '/')
			base = i + 1;
	return str_starts(str_from(entry, base), "caisson");
}

static int find_list(struct excluding *x)
{
	if (jsontext_read(x->a, x->text, false, &x->root, x->e) != 0)
		return -1;
	x->style = jsontext_style(x->text, x->root);
	x->sandbox = json_key(x->root, "sandbox");
	x->list = json_key(x->sandbox, "excludedCommands");
	if (x->sandbox && x->sandbox->kind != JSON_OBJECT)
		return jsontext_wrong(x->a, x->text, x->sandbox, "an object", x->e);
	if (x->list && x->list->kind != JSON_ARRAY)
		return jsontext_wrong(x->a, x->text, x->list, "an array", x->e);
	return 0;
}

static bool is_ours(const struct json *n)
{
	return n->kind == JSON_STRING && init_is_excluded(n->text);
}

/* Inserts the entry together with its missing containers. */
static void put_entry(struct excluding *x, struct str entry)
{
	const struct json *into = x->list ? x->list : x->sandbox ? x->sandbox : x->root;
	unsigned depth = x->list ? 3 : x->sandbox ? 2 : 1;
	struct buf b;

	buf_init(&b, x->a, 0);
	jstyle_break(&b, &x->style, depth);
	if (!x->sandbox)
		buf_c(&b, "\"sandbox\": {");
	if (!x->list)
		buf_c(&b, "\"excludedCommands\": [");
	json_put_string(&b, entry);
	if (!x->list)
		buf_char(&b, ']');
	if (!x->sandbox)
		buf_char(&b, '}');
	x->text = jsontext_put(x->a, x->text, into, buf_view(&b));
}

static void replace_entry(struct excluding *x, const struct json *n, struct str entry)
{
	struct buf b;

	buf_init(&b, x->a, 0);
	buf_str(&b, str_first(x->text, n->from));
	json_put_string(&b, entry);
	buf_str(&b, str_from(x->text, n->to));
	x->text = buf_view(&b);
}

/* Returns 1 if the text was changed, 0 if nothing is left to do, -1 on error. */
static int add_step(struct excluding *x, struct str entry)
{
	bool seen = false;

	if (find_list(x) != 0)
		return -1;
	for (const struct json *n = x->list ? x->list->first : NULL; n; n = n->next) {
		if (!is_ours(n))
			continue;
		if (!seen && str_eq(n->text, entry)) {
			seen = true;
			continue;
		}
		if (seen)
			x->text = jsontext_take(x->a, x->text, n);
		else
			replace_entry(x, n, entry); /* entry with another program path */
		return 1;
	}
	if (!seen)
		put_entry(x, entry);
	return !seen;
}

static int remove_step(struct excluding *x)
{
	if (find_list(x) != 0)
		return -1;
	for (const struct json *n = x->list ? x->list->first : NULL; n; n = n->next) {
		if (!is_ours(n))
			continue;
		if (!jsontext_made(x->text, n))
			x->text = jsontext_take(x->a, x->text, n);
		else if (!jsontext_made(x->text, x->list))
			x->text = jsontext_take(x->a, x->text, x->list);
		else
			x->text = jsontext_take(x->a, x->text, x->sandbox);
		return 1;
	}
	return 0;
}

static int edit_list(struct excluding *x, const struct str *entry, struct str *ret)
{
	int rc = 1;

	for (unsigned i = 0; i < STEPS_MAX && rc > 0; i++)
		rc = entry ? add_step(x, *entry) : remove_step(x);
	if (rc > 0)
		return err_limit(x->e, "1:1: more than %d changes", STEPS_MAX);
	if (rc == 0)
		*ret = x->text;
	return rc;
}

int init_exclude(struct arena *a, struct str text, struct str program, struct str *ret, struct err *e)
{
	struct excluding x = {.a = a, .text = text, .e = e};
	struct str entry = init_excluded(a, program);

	return edit_list(&x, &entry, ret);
}

int init_include(struct arena *a, struct str text, struct str *ret, struct err *e)
{
	struct excluding x = {.a = a, .text = text, .e = e};

	return edit_list(&x, NULL, ret);
}
