/*
 * libFuzzer: a skill's file, which somebody else wrote. The bytes are the front matter, and once more the
 * whole file. Holds: no crash; whatever is refused is said; names are plain ones; what the skill says of
 * programs becomes a policy that loads, lists those programs, and does nothing else.
 */
#include "config/config.h"
#include "fuzz.h"
#include "run/skill.h"

#define TEXT_MAX 8192

struct input {
	struct arena *a;
	struct str text;
};

static bool in_list(const struct texts *list, struct str name)
{
	for (; list; list = list->next)
		if (str_eq(list->text, name))
			return true;
	return false;
}

static void check_policy(struct arena *a, const struct skill *s)
{
	struct config_source src = {.name = s->name, .bytes = s->policy, .who = WHO_TRUSTED};
	struct config_note *notes = NULL;
	struct policy p = {0};

	require((s->policy.n > 0) == (s->binaries != NULL));
	if (!s->policy.n)
		return;
	require(config_load(a, &src, 1, &p, &notes, NULL) == 0 && !notes);
	require(p.only && !p.only->next && !p.deny && !p.ask && !p.allow && !p.allow_checks && !p.regrades &&
			!p.writable_roots && !p.permission_allow);
	for (const struct texts *t = s->binaries; t; t = t->next) {
		require(t->text.n && t->text.n <= SKILL_NAME_MAX && !memchr(t->text.p, '/', t->text.n) &&
				!memchr(t->text.p, '*', t->text.n) && !memchr(t->text.p, '"', t->text.n));
		require(in_list(p.only->names, t->text));
	}
}

static int one(void *arg)
{
	struct input *in = arg;
	const struct str texts[] = {in->text, str_fmt(in->a, "---\n%.*s\n---\n", STR_ARG(in->text))};

	for (size_t i = 0; i < 2; i++) {
		struct skill s = {0};
		struct err e = {0};

		if (skill_read(in->a, STR("S.md"), texts[i], &s, &e) != 0)
			require(e.text[0]);
		else
			check_policy(in->a, &s);
	}
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena a;
	struct input in = {.a = &a, .text = str_n((const char *)data, size < TEXT_MAX ? size : TEXT_MAX)};

	arena_init(&a, ARENA_CAP_DEFAULT);
	require(arena_run(&a, one, &in) == 0);
	arena_free(&a);
	return 0;
}
