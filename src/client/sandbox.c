/* See sandbox.h: one row per client whose own sandbox a contained command leaves. */
#include "client/sandbox.h"

#include "client/claude.h"
#include "client/codex.h"
#include "record/client_walls.h"
#include "sys/path.h"

static void of_codex(struct hook_call *c, const struct view *v, struct client_walls *ret,
	struct str *ret_refuse)
{
	const struct codex_turn t = codex_turn_of(c->h.all, v);

	codex_walls(c->a, &t, ret, ret_refuse);
}

static void of_claude(struct hook_call *c, const struct view *v, struct client_walls *ret,
	struct str *ret_refuse)
{
	const struct claude_session s = {
		.files = c->policies.files, .base = c->h.start_dir, .home = v->home, .project = v->project};

	claude_walls(c->a, &s, ret, ret_refuse);
}

static const struct {
	char client[12];
	void (*walls)(struct hook_call *c, const struct view *v, struct client_walls *ret,
		struct str *ret_refuse);
} rows[] = {{"codex", of_codex}, {"claude-code", of_claude}};

/* Resolves links, because mounts apply to files, not to names. */
static struct texts *resolve_paths(struct arena *a, const struct texts *list)
{
	struct texts *all = NULL;
	struct path_memo m;

	path_memo_init(&m, a, STR(""));
	for (; list; list = list->next) {
		enum path_kind kind;
		struct str real = path_real(&m, list->text, &kind);

		client_walls_add(a, &all, real.n ? real : list->text);
	}
	return all;
}

void sandbox_walls(struct hook_call *c, const struct view *v, struct client_walls *ret,
	struct str *ret_refuse)
{
	*ret = (struct client_walls){.mode = CLIENT_SANDBOX_NONE};
	*ret_refuse = STR("");
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (!strcmp(rows[i].client, c->h.client->name))
			rows[i].walls(c, v, ret, ret_refuse);
	ret->writable = resolve_paths(c->a, ret->writable);
	ret->closed = resolve_paths(c->a, ret->closed);
	ret->hidden = resolve_paths(c->a, ret->hidden);
}
