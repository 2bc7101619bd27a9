/*
 * Hands a command over to a run in the box. The judged command becomes a ticket (record/ticket.h), and the
 * client is told to run this program with the ticket. The command itself is not quoted again; people see it
 * as a comment.
 */
#define _GNU_SOURCE
#include <string.h>

#include "client/hook_pre.h"
#include "judge/tmp_names.h"
#include "judge/world.h"
#include "record/ticket.h"
#include "sys/path.h"
#include "sys/state.h"
#include "sys/user.h"

/*
 * True if a cd in this text may change its final directory. A quoted cd, or one in a function, only costs a
 * check.
 */
static bool may_move(const struct facts *f)
{
	for (const struct command *c = f->commands; c; c = c->next)
		if (c->argc && str_is_any(c->argv[0].text, "cd pushd popd"))
			return true;
	return false;
}

static bool plain_path(struct str s) { return str_starts(s, "/") && str_is_alnum_or(s, "_-./+@%,"); }

static struct str make_absolute(struct arena *a, const char *path, struct str cwd)
{
	if (!path)
		return STR("");
	return path[0] == '/' || !cwd.n ? str_of(path) : str_path(a, cwd, str_of(path));
}

/*
 * Returns the command that the client runs instead: this program with the ticket, and the original text as a
 * comment. A cd must also affect the client's shell. So the run reports its final directory on descriptor 3,
 * while its output and exit code stay those of the command.
 */
static struct str wrap_command(struct review *g, struct str ticket, bool follow)
{
	struct arena *a = g->c->a;
	struct str program = g->j.view->program, comment = text_comment(g);
	struct str run = str_fmt(a, "%.*s run --ticket %.*s", STR_ARG(program), STR_ARG(ticket));

	if (follow)
		run = str_fmt(a,
			"{ __d=$(%.*s 3>&1 >&4 4>&-); __s=$?; } 4>&1; "
			"[ -z \"$__d\" ] || cd -- \"$__d\" 2>/dev/null; (exit $__s)",
			STR_ARG(run));
	return str_cat(a, run, comment);
}

struct str review_cwd(struct review *g)
{
	struct path_memo m;
	enum path_kind kind;

	path_memo_init(&m, g->c->a, g->j.view->cwd);
	return path_real(&m, g->j.view->cwd, &kind);
}

/* Returns the ids behind the question: its reasons, or the warnings if the client's mode answered it. */
static struct str approved_ids(struct review *g, bool asked)
{
	const struct reason *list = asked ? g->j.reasons : g->j.warnings;
	struct buf b;

	buf_init(&b, g->c->a, 0);
	for (const struct reason *r = list; r; r = r->next) {
		const struct reason *same = list;

		while (same != r && (same->grade != GRADE_ASK || same->id != r->id))
			same = same->next;
		if (r->grade == GRADE_ASK && same == r)
			buf_fmt(&b, "%s%s", b.n ? " " : "", check_name(r->id));
	}
	return buf_view(&b);
}

/* Returns what the box reaches. The client's own sandbox, if there is one, decides about the network. */
static struct network_request granted_network(struct review *g)
{
	return network_request_of(g->walls.mode == CLIENT_SANDBOX_NONE ? g->j.network : NULL);
}

int review_hand_over(struct review *g, enum approval approval, bool asked, struct err *e)
{
	struct hook_call *c = g->c;
	const struct hook_input *h = &c->h;
	const struct view *v = g->j.view;
	bool approved = approval == APPROVAL_BOX || approval == APPROVAL_NETWORK;
	struct ticket t = {.command = h->command,
		.dialect = g->rq.dialect,
		.profile = PROFILE_WORK,
		.time_ms = h->time_ms,
		.background = h->background,
		.policy = c->policies.digest,
		.agent = h->agent,
		.session = h->session,
		.client = str_of(h->client->name),
		.tool = h->tool,
		.tool_use_id = h->tool_use_id,
		.id = str_of(g->id.text),
		.prompt = h->prompt,
		.asked = asked,
		.settings = h->client->can & CLIENT_SETTINGS,
		.follow = (h->client->can & CLIENT_FOLLOWS) && may_move(&g->facts),
		.input = h->client->can & CLIENT_INPUT,
		.network = granted_network(g),
		.approved = approved ? approved_ids(g, asked) : STR("")};
	struct directory project = {
		.path = v->project, .id = hook_pin(c) ? c->pin.id : (struct identity){0}};
	struct str state, id, own = STR("");

	t.tmp = tmp_names(c->a, &g->facts, g->j.view, v->project);
	for (const struct tmp_name *n = c->tmp; n; n = n->next)
		tmp_names_add(c->a, &t.tmp, n);
	t.walls = g->walls;
	t.follow &=
		t.walls.mode == CLIENT_SANDBOX_NONE; /* only a plain line may leave the client's sandbox */
	cwd_get(c->a, &own, NULL);
	t.config = make_absolute(c->a, c->o->config, own);
	if (!plain_path(v->program))
		return err_input(e, "the path of caisson contains unusual characters: '%.*s'",
			STR_ARG(v->program));
	if (state_make(c->a, v->state_dir, v->project, v->uid, &state, e) != 0 ||
		ticket_locate(c->a, &project, review_cwd(g), &t, e) != 0 ||
		ticket_write(c->a, state, &t, &id, e) != 0)
		return -1;
	review_change(g, h->command_key, wrap_command(g, id, t.follow));
	return 0;
}
