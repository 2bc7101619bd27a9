/*
 * Properties of the answer to any hook input, well-formed or not, for tests and the fuzzer: the library alone
 * derives the same verdict, and the answer is parsed as the client would parse it.
 */
#pragma once
#include "client/hook.h"

enum heard { HEARD_NOTHING, HEARD_DENY, HEARD_ASK, HEARD_RUN_OTHER /* another command in its place */,
		HEARD_ALLOW, HEARD_WRONG };

static inline struct str heard_text(const struct json *o, const char *key)
{
	const struct json *v = json_key(o, key);

	return json_is(v, JSON_STRING) ? v->text : STR("");
}

/* The answer before a tool, as whoever asked understands it. */
static inline enum heard heard_before(struct arena *a, const struct client *c, const struct reply *r)
{
	struct json_reader reader;
	struct json *v;
	const struct json *inner, *args;
	struct str word, command;

	if (r->code == HOOK_BLOCK)
		return r->err.n ? HEARD_DENY : HEARD_WRONG;
	if (r->code != HOOK_PASS || r->err.n)
		return HEARD_WRONG;
	if (!r->out.n)
		return HEARD_NOTHING;
	json_reader_init(&reader, a, buf_view(&r->out), JSON_TOLERANT);
	v = json_next(&reader);
	if (!json_is(v, JSON_OBJECT) || !json_at_end(&reader))
		return HEARD_WRONG;
	inner = json_key(v, "hookSpecificOutput") ? json_key(v, "hookSpecificOutput") : v;
	word = heard_text(inner, "permissionDecision");
	if (!word.n)
		word = heard_text(v, "decision").n ? heard_text(v, "decision") : heard_text(v, "permission");
	if (str_is(word, "deny"))
		return HEARD_DENY;
	args = json_key(inner, "updatedInput");
	args = args ? args : json_key(inner, "tool_input");
	args = args ? args : json_key(v, "modifiedArgs");
	args = args ? args : json_key(v, "args");
	command = heard_text(args, "command").n ? heard_text(args, "command") : heard_text(args, "cmd").n ?
			heard_text(args, "cmd") : heard_text(args, "script");
	if (args && (!(c->can & CLIENT_REWRITES) || !str_contains(command, STR("/")) ||
			!str_contains(command, STR(" run --ticket "))))
		return HEARD_WRONG;
	/* most clients would run the original, whatever stands beside the question */
	if (str_is(word, "ask"))
		return (c->can & CLIENT_ASKS) && (!args || (c->can & CLIENT_ASKS_BOXED)) ? HEARD_ASK :
				HEARD_WRONG;
	if (args)
		return HEARD_RUN_OTHER;
	return !word.n || str_is(word, "allow") ? HEARD_ALLOW : HEARD_WRONG;
}

static inline bool answer_is_json(struct arena *a, const struct reply *r)
{
	struct json_reader reader;

	if (!r->out.n)
		return true;
	json_reader_init(&reader, a, buf_view(&r->out), JSON_TOLERANT);
	return json_is(json_next(&reader), JSON_OBJECT) && json_at_end(&reader);
}

/*
 * A refusal says nothing else on standard output; where the client hides standard error it says the same
 * there.
 */
static inline bool is_refusal(struct arena *a, const char *client, const struct reply *r)
{
	const struct client *c = client ? client_find(str_of(client)) : NULL;
	struct json_reader reader;

	if (r->code != HOOK_BLOCK || !r->err.n)
		return false;
	if (!c || !(c->can & CLIENT_HIDES_ERROR))
		return !r->out.n;
	json_reader_init(&reader, a, buf_view(&r->out), JSON_TOLERANT);
	return str_is(heard_text(json_next(&reader), "permissionDecision"), "deny") && json_at_end(&reader);
}

/*
 * NULL: the answer is one that this client understands, and no milder than the verdict. Inside an
 * arena_run().
 */
static inline const char *hook_wrong(struct arena *a, struct str input, const char *client,
		const struct reply *r)
{
	struct policies p;
	struct facts *facts = arena_new(a, struct facts), ignored;
	struct judgement j;
	struct hook_input h;
	struct err e = {0};
	enum heard heard;

	if (hook_read(a, input, client, NULL, &h, &e) != 0)
		return is_refusal(a, client, r) ? NULL : "what was not understood was not refused";
	if (h.phase != PHASE_PRE)
		return r->code == HOOK_PASS && answer_is_json(a, r) ? NULL :
				"an event that is over, or about no tool, did not pass";
	heard = heard_before(a, h.client, r);
	if (heard == HEARD_WRONG)
		return "no answer of this client's";
	struct engine_request rq = {.command = h.command, .context = &(struct context){.cwd = h.cwd},
			.dialect = h.dialect, .mode = h.mode};
	if (h.kind != TOOL_SHELL) {
		if (tool_facts(a, &h, STR(""), facts, &e) != 0)
			return heard == HEARD_DENY ? NULL : "a call that was not understood was not refused";
		rq.facts = facts;
		rq.command = facts->texts[0].bytes;
	}
	if (policies_load(a, &(struct policies_request){.context = &(struct context){.cwd = h.cwd},
			.settings = h.client->can & CLIENT_SETTINGS}, &p, &e) != 0)
		return heard == HEARD_DENY ? NULL : "it ran without a policy";
	if (engine_judge(a, &rq, &p, &ignored, &j, &e) != 0)
		return NULL;
	if (j.verdict == VERDICT_DENY && heard != HEARD_DENY)
		return "a denial was not told";
	if (j.verdict == VERDICT_ASK && heard != HEARD_DENY && heard != HEARD_ASK)
		return "what should be asked about would run";
	if (j.verdict == VERDICT_CONTAIN && heard != HEARD_DENY && heard != HEARD_ASK &&
			heard != HEARD_RUN_OTHER)
		return "what should be contained would run outside";
	return NULL;
}
