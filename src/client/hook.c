/* See hook.h: the steps of one input, and the reply if a step fails. */
#include "client/hook.h"

#include "base/json_write.h"
#include "record/ticket.h"

static void start_reply(struct arena *out, struct reply *r)
{
	*r = (struct reply){.code = HOOK_BLOCK};
	buf_init(&r->out, out, 0);
	buf_init(&r->err, out, 0);
}

bool hook_cannot_block(const struct hook_options *o)
{
	return o->client && o->event && client_phase(o->client, o->event) != PHASE_PRE;
}

/*
 * Repeats the refusal on standard output for clients that hide standard error. The exit code denies in any
 * case.
 */
static void also_as_answer(const struct hook_options *o, struct reply *r)
{
	const struct client *client = o->client ? client_find(str_of(o->client)) : NULL;
	struct str said = buf_view(&r->err);

	if (!client || !(client->can & CLIENT_HIDES_ERROR))
		return;
	buf_char(&r->out, '{');
	json_put_field(&r->out, "permissionDecision", STR("deny"));
	json_put_field(&r->out, "permissionDecisionReason", str_trim(said, "\n"));
	buf_c(&r->out, "}\n");
}

/*
 * Makes a refusal: exit 2 with the reason. If the tool has already run, there is nothing to refuse and the
 * exit code is 0.
 */
static void refuse(struct arena *out, const struct hook_options *o, const char *why, struct reply *ret)
{
	bool over = hook_cannot_block(o);

	start_reply(out, ret);
	ret->code = over ? HOOK_PASS : HOOK_BLOCK;
	buf_c(&ret->err, over ? "caisson: the output was not examined: " :
			"caisson: nothing was judged, so nothing runs: ");
	for (; *why; why++)
		buf_char(&ret->err, (unsigned char)*why < 0x20 || *why == 0x7F ? '?' : *why);
	buf_char(&ret->err, '\n');
	if (!over)
		also_as_answer(o, ret);
}

void hook_refuse_unread(struct arena *out, const struct hook_options *o, const char *why, struct reply *ret)
{
	struct str both = str_fmt(out, "%s (if the tool has run already, its output stays as it is)", why);

	refuse(out, o, hook_cannot_block(o) ? why : str_c(out, both), ret);
}

struct hook_work {
	struct hook_call call;
	struct str input;
	struct err err;
	int rc;
};

static int answer_event(struct hook_call *c, struct err *e)
{
	if (c->h.phase == PHASE_PRE)
		return hook_pre(c, e);
	if (c->h.phase == PHASE_START)
		hook_start(c);
	else
		hook_post(c); /* PHASE_POST, PHASE_FAILURE */
	return 0;
}

static int parse_input(void *arg)
{
	struct hook_work *w = arg;
	struct hook_call *c = &w->call;

	if (w->input.n > HOOK_INPUT_MAX)
		w->rc = err_limit(&w->err, "the input is longer than %zu bytes", HOOK_INPUT_MAX);
	else
		w->rc = hook_read(c->a, w->input, c->o->client, c->o->event, &c->h, &w->err);
	return 0;
}

/*
 * Trusts CLAUDE_PROJECT_DIR only from a client that always sets it, because a project's settings can set
 * variables, too.
 */
static struct str start_dir_of(const struct hook_call *c)
{
	static const char name[] = "CLAUDE_PROJECT_DIR=";

	for (size_t i = 0; (c->h.client->can & CLIENT_START_DIR) && c->o->environ && c->o->environ[i]; i++)
		if (str_starts(str_of(c->o->environ[i]), name))
			return str_of(c->o->environ[i] + sizeof(name) - 1);
	return STR("");
}

/*
 * Drops the tickets of open questions: an earlier prompt's questions were refused, and after a tool this
 * call's question is answered.
 */
static void end_questions(struct hook_call *c)
{
	const struct hook_input *h = &c->h;
	struct ticket now = {.client = str_of(h->client->name), .session = h->session, .agent = h->agent,
			.prompt = h->prompt, .tool_use_id = h->tool_use_id};

	if ((h->client->can & CLIENT_ASKS_BOXED) && h->session.n && c->view->state_dir.n)
		ticket_end_asks(c->a, c->view->state_dir, &now, h->phase == PHASE_POST ||
				h->phase == PHASE_FAILURE);
}

static int make_answer(void *arg)
{
	struct hook_work *w = arg;

	w->call.h.start_dir = start_dir_of(&w->call);
	if (w->call.h.phase == PHASE_END)
		hook_end(&w->call);
	if (w->call.h.phase == PHASE_END || w->call.h.phase == PHASE_OTHER)
		return 0;
	w->rc = hook_session(&w->call, &w->err);
	end_questions(&w->call);
	if (w->rc == 0)
		w->rc = answer_event(&w->call, &w->err);
	return 0;
}

/* The reply has an arena of its own, and the answer is made under the guards of both. */
struct guarded_answer {
	struct hook_work *w;
	int rc;
};

static int answer_guarded(void *arg)
{
	struct guarded_answer *o = arg;

	o->rc = arena_run(o->w->call.a, make_answer, o->w);
	return 0;
}

void hook_reply(struct arena *a, struct arena *out, struct str input, const struct hook_options *o,
		struct reply *ret)
{
	struct hook_work w = {.call = {.a = a, .o = o, .r = ret}, .input = input};
	struct guarded_answer answer = {&w, -1};

	start_reply(out, ret);
	if (arena_run(a, parse_input, &w) < 0)
		err_limit(&w.err, "the input needs too much memory");
	else if (w.rc == 0) {
		if (o->set_phase)
			o->set_phase(w.call.h.phase);
		ret->code = w.call.h.phase == PHASE_PRE ? HOOK_BLOCK : HOOK_PASS;
		if (arena_run(out, answer_guarded, &answer) >= 0 && answer.rc >= 0 && w.rc == 0)
			return;
		if (!w.err.kind)
			err_limit(&w.err, "the memory limit was reached");
		/* a finished call is never blocked; its output stays as it is */
		if (w.call.h.phase != PHASE_PRE) {
			start_reply(out, ret);
			ret->code = HOOK_PASS;
			return;
		}
	}
	if (w.call.h.client)
		refuse(out, o, w.err.text, ret);
	else
		hook_refuse_unread(out, o, w.err.text, ret);
}
