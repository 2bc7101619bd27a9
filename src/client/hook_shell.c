/*
 * Finds which shell reads a command, for clients that let the model choose one without telling the hook. One
 * row per client.
 *
 * An allowed command goes to that shell unchanged, so every candidate shell must parse it the same way. A
 * contained command needs no such check: the shell reads our own line, which means the same in all shells.
 */
#include "client/codex.h"
#include "client/hook_pre.h"

static void of_codex(struct review *g, const struct view *v, struct shell_choice *ret)
{
	const struct codex_turn t = codex_turn_of(g->c->h.all, v);

	codex_shell(g->c->a, &t, g->c->h.tool_use_id, v, ret);
}

/* These clients look up bash in PATH for every command, hooks included. */
static void of_path(struct review *g, const struct view *v, struct shell_choice *ret)
{
	struct arena *a = g->c->a;
	const struct shell_places p = shell_places(v);
	struct path_memo m;
	struct str path;

	path_memo_init(&m, a, STR(""));
	if (shell_in_path(&m, &p, "bash", true, &path) == SHELL_FOREIGN)
		ret->refuse = str_fmt(a,
			"%s runs commands with a 'bash' that an agent could have placed there; remove its "
			"directory from PATH and restart %s: '%.*s'",
			g->c->h.client->title, g->c->h.client->title, STR_ARG(path));
}

static const struct {
	char client[12];
	void (*look)(struct review *g, const struct view *v, struct shell_choice *ret);
} rows[] = {{"codex", of_codex}, {"gemini", of_path}, {"qwen", of_path}};

void review_shell(struct review *g, const struct view *v, struct shell_choice *ret)
{
	const struct hook_input *h = &g->c->h;

	*ret = (struct shell_choice){.refuse = STR("")};
	for (size_t i = 0; i < ARRAY_SIZE(rows) && h->command_key.n; i++)
		if (!strcmp(rows[i].client, h->client->name))
			rows[i].look(g, v, ret);
	/* We recognise a patch only in the syntax of Unix shells. */
	if (h->kind == TOOL_PATCH && ret->named && ret->dialect == DIALECT_POWERSHELL)
		ret->refuse = STR("the call gives a patch to PowerShell; leave 'shell' out");
}

int review_others(struct review *g, const struct shell_choice *s, bool *ret_differ, struct err *e)
{
	static const enum dialect all[] = {DIALECT_BASH, DIALECT_SH, DIALECT_ZSH, DIALECT_POWERSHELL};

	*ret_differ = false;
	if (!review_is_shell(g))
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(all) && g->j.verdict == VERDICT_ALLOW && !*ret_differ;
		i++) {
		struct engine_request rq = g->rq;
		struct judgement j;
		struct facts facts;

		rq.dialect = all[i];
		if (all[i] == g->rq.dialect || !(s->others & (1U << all[i])))
			continue;
		if (engine_judge(g->c->a, &rq, &g->c->policies, &facts, &j, e) != 0)
			return -1;
		*ret_differ = j.verdict != VERDICT_ALLOW;
	}
	return 0;
}
