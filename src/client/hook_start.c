/*
 * Sends the text for the model at session start. It is short, because every session reads it. The person's
 * own lines follow; an untrusted project cannot set that key.
 */
#include "client/hook.h"

#define EXTRA_MAX 50 /* lines added by the person */

static const char about[] =
	"Caisson judges the shell commands of this session before they run.\n- Reading, building and testing "
	"inside the project is allowed. Commands that execute files of the project run in a sandbox, the "
	"box: the project is writable there, files written elsewhere (in the home, beside the project) "
	"disappear with the box, and the network reaches only package registries and hosts that the policy "
	"lists.\n- Use the client's own tools for files (Read, Write, Edit, Grep, Glob), and the shell to "
	"run programs.\n- A denial says why, and often what to do instead. It is a decision, not an error: "
	"do not rephrase the same command. If it must be done, ask the user.\n- Commands in the box share a "
	"/tmp (and /tmp/claude) of the project until the session ends. It also contains files of the "
	"machine's /tmp that this session wrote or that a command names. Files that a command in the box "
	"creates there are visible to commands, not to the client's own tools.\n- [redacted:...] in an "
	"output stands for a secret that was removed on purpose.\n";

static const char about_always[] =
	"- Every shell command runs in the box, even if it only reads: files outside the project, the "
	"machine's processes and its servers are not visible there.\n";

void hook_start(struct hook_call *c)
{
	const struct policies_request rq = {.config = c->o->config, .context = &c->context};
	const struct guidance *g = &c->policies.own.guidance;
	const struct sandbox *s = &c->policies.own.sandbox;
	struct err why = {0};
	unsigned n = 0;
	struct buf b;

	buf_init(&b, c->a, 0);
	if (policies_load(c->a, &rq, &c->policies, &why) != 0) {
		buf_fmt(&b, "caisson's policy does not load, so every tool call will be denied until the "
				"user corrects it: %s\n", why.text);
		render_start(c->r, &c->h, buf_view(&b));
		return;
	}
	hook_pause(c);
	if (!g->enabled && !c->pause.on)
		return;
	if (g->enabled && g->include_defaults)
		buf_c(&b, about);
	if (g->enabled && g->include_defaults && s->always && s->enabled)
		buf_c(&b, about_always);
	if (c->pause.on)
		buf_fmt(&b, "- The user has paused caisson until %.*s: until then it neither asks nor "
				"contains; denials stay.\n",
			STR_ARG(c->pause.until));
	for (const struct texts *t = g->extra; t && g->enabled && n++ < EXTRA_MAX; t = t->next)
		buf_fmt(&b, "- %.*s\n", STR_ARG(t->text));
	render_start(c->r, &c->h, buf_view(&b));
}
