/* Tickets that are used inside a client's own sandbox. See job_sandbox.h. */
#include "run/job_sandbox.h"

#include <errno.h>

#include "judge/world.h"
#include "sys/confined.h"

/* A sandbox with its own /tmp or home shows no tickets at all. */
static int fail_hidden(struct err *e)
{
	struct err inner = *e;

	return err_set(e, inner.kind, inner.errnum,
			"%s; or the client's own sandbox hides it, see caisson doctor --client", inner.text);
}

int job_ticket(struct arena *a, struct job *j, struct err *e)
{
	struct str id = str_of(j->request.ticket);
	struct view own = {0};
	struct err why = {0};

	world_user(a, context_or_own(NULL), &own);
	if (ticket_take(a, own.state_dir, id, own.uid, &j->ticket, e) == 0)
		return 0;
	if (!confined_here())
		return -1;
	if (e->errnum != EROFS && e->errnum != EACCES && e->errnum != EPERM)
		return fail_hidden(e);
	if (ticket_peek(a, own.state_dir, id, own.uid, &j->ticket, &why) != 0) {
		*e = why;
		return -1;
	}
	j->peeked = true;
	return 0;
}

/* Advice for a person, for clients that `caisson init` can configure to run tickets outside their sandbox. */
static const char *advice_for(struct arena *a, struct str client)
{
	if (!str_is_any(client, "codex claude-code"))
		return "see caisson help clients";
	return str_fmt_c(a, "ask the user to run 'caisson init --client %.*s' and to restart it; 'caisson "
			"doctor --client %.*s' says what is missing", STR_ARG(client), STR_ARG(client));
}

static void refuse_sandboxed(struct arena *a, struct job *j)
{
	struct str client = j->ticket.client.n ? j->ticket.client : STR("this client");
	struct err why = {0};

	err_host(&why, "%.*s runs commands in its own sandbox, where Caisson cannot create a box, so nothing "
			"ran: %s", STR_ARG(client), advice_for(a, client));
	j->outcome = (struct outcome){.status = STATUS_SETUP_ERROR, .exit_code = -1, .err_setup = why};
}

/*
 * True if the client's sandbox protects as much as the box: read-only home, no network. A person's approval
 * for the box does not cover the client's sandbox.
 */
static bool may_run_here(struct arena *a, const struct job *j)
{
	struct str home;

	if (!j->policies.own.sandbox.trust_client || j->ticket.network.given || j->ticket.approved.n)
		return false;
	home = j->world.context.view->home;
	return home.n && confined_readonly(str_c(a, home)) && confined_offline();
}

bool job_sandboxed(struct arena *a, struct job *j)
{
	struct err why;

	if (!j->request.ticket || !confined_here() || box_inside())
		return false;
	if (!j->peeked && box_try(a, box_backend(NULL), &why) != BOX_IMPOSSIBLE)
		return false;
	j->sandboxed = true;
	j->direct = may_run_here(a, j);
	if (!j->direct)
		refuse_sandboxed(a, j);
	return true;
}
