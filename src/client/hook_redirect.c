/* The policy's `redirect`: /tmp/x becomes TARGET/x before judging, so that the judged text is what runs. */
#include <sys/stat.h>

#include "client/hook_pre.h"

static bool starts_path(struct str s, size_t at)
{
	return at == 0 || strchr(" \t\n'\"=:<>(;|&,", s.p[at - 1]) != NULL;
}

static struct str redirect_text(struct arena *a, struct str s, struct str target)
{
	struct str name = str_from(target, 5);
	struct buf b;

	if (!str_contains(s, STR("/tmp/")))
		return s;
	buf_init(&b, a, HOOK_INPUT_MAX * 4);
	for (size_t i = 0; i < s.n; i++) {
		struct str rest = str_from(s, i), after = str_from(s, i + 5);

		buf_char(&b, s.p[i]);
		if (!str_starts(rest, "/tmp/") || !starts_path(s, i) ||
				(after.n >= name.n && !memcmp(after.p, name.p, name.n) &&
				(after.n == name.n || after.p[name.n] == '/')))
			continue;
		buf_str(&b, str_from(target, 1));
		i += 3; /* the slash after it is copied next */
	}
	return buf_view(&b);
}

void review_redirect_tmp(struct review *g)
{
	struct hook_call *c = g->c;
	const struct tmp_redirect *t = &c->policies.own.redirect;

	if (!t->on || !(c->h.client->can & CLIENT_REWRITES) || c->h.words)
		return;
	for (const struct json *v = c->h.args->first; v; v = v->next) {
		bool mine = review_is_shell(g) ? str_eq(v->key, c->h.command_key) :
				c->h.kind != TOOL_OTHER &&
				str_is_any(v->key, "file_path filePath path");
		struct str text = mine && v->kind == JSON_STRING ? redirect_text(c->a, v->text, t->target) :
				STR("");

		if (!text.n || str_eq(text, v->text))
			continue;
		review_change(g, v->key, text);
		/* the target must exist; the judge checks who else can write it */
		mkdir(str_c(c->a, t->target), 0700);
		if (review_is_shell(g))
			c->h.command = text;
		else
			((struct json *)v)->text = text; /* arena-owned; the answer carries it as a change */
	}
}
