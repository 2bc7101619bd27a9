/*
 * Reads the git identity. Leaves out values that are not plain: with an escape, a quote or a control
 * character, or too long. See git_identity.h.
 */
#include "run/git_identity.h"

#define VALUE_MAX 200

enum { KEYS = 3 };

static const struct {
	char section[8], name[16];
} keys[KEYS] = {{"user", "name"}, {"user", "email"}, {"init", "defaultbranch"}};

struct identity_reader {
	struct arena *a;
	struct str found[KEYS];
};

static bool is_plain(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] == '\\' || s.p[i] == '"' || (unsigned char)s.p[i] < ' ' || s.p[i] == 127)
			return false;
	return s.n <= VALUE_MAX;
}

/* A line that was not understood may be the setting. */
static void take_setting(void *ctx, const struct git_setting *s, enum git_scope scope)
{
	struct identity_reader *r = ctx;

	for (size_t i = 0; i < KEYS && scope != GIT_SCOPE_REPOSITORY; i++)
		if (str_is(s->section, keys[i].section) && !s->sub.n && str_is(s->key, keys[i].name))
			r->found[i] = is_plain(s->value) ? str_dup(r->a, s->value) : STR("");
}

struct str git_identity(struct arena *a, const struct git_place *place, struct str home)
{
	struct identity_reader r = {.a = a};
	const char *last = "";
	struct buf b;

	git_settings_each(a, NULL, place, home, take_setting, &r);
	buf_init(&b, a, 0);
	for (size_t i = 0; i < KEYS; i++) {
		if (!r.found[i].n)
			continue;
		if (strcmp(last, keys[i].section) != 0)
			buf_fmt(&b, "[%s]\n", keys[i].section);
		last = keys[i].section;
		buf_fmt(&b, "\t%s = \"%.*s\"\n", keys[i].name, STR_ARG(r.found[i]));
	}
	return buf_view(&b);
}
