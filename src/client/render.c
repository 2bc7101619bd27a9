/*
 * Renders answers, one function per family of clients. Never sends a field that a client does not know: one
 * client ignores the whole answer because of it and runs the command. If a client is not shown to obey a JSON
 * denial, deny by exit code 2 and standard error.
 */
#include "client/render.h"
#include "base/json_write.h"

/* ---- JSON ---- */

static const struct change_of_input *find_change(const struct change_of_input *c, struct str name)
{
	for (; c; c = c->next)
		if (str_eq(c->key, name))
			return c;
	return NULL;
}

void render_value(struct buf *b, const struct json *v, const struct change_of_input *changes)
{
	if (v->kind != JSON_OBJECT) {
		json_put_value(b, v);
		return;
	}
	buf_char(b, '{');
	for (const struct json *x = v->first; x; x = x->next) {
		const struct change_of_input *c = find_change(changes, x->key);

		json_put_comma(b);
		json_put_string(b, x->key);
		buf_char(b, ':');
		if (c)
			json_put_string(b, c->text);
		else
			json_put_value(b, x);
	}
	buf_char(b, '}');
}

/* ---- before a tool ---- */

/* Writes the reason on one line. Control characters from a command must not reach a terminal. */
static void put_block(struct reply *r, struct str reason)
{
	for (size_t i = 0; i < reason.n; i++)
		buf_char(&r->err, (unsigned char)reason.p[i] < 0x20 || reason.p[i] == 0x7F ? '?' :
				reason.p[i]);
	buf_char(&r->err, '\n');
	r->code = HOOK_BLOCK;
}

static const char words[][8] = {[DECIDE_DENY] = "deny", [DECIDE_ASK] = "ask", [DECIDE_ALLOW] = "allow"};

/* Claude Code's shape: all fields inside hookSpecificOutput. */
void render_claude(struct reply *r, const struct hook_input *h, const struct verdict_answer *v)
{
	bool silent = v->decision == DECIDE_PASS;

	if (silent && !v->changes && !(v->context.n && (h->client->can & CLIENT_ADDS)))
		return;
	buf_c(&r->out, "{\"hookSpecificOutput\":{");
	json_put_field(&r->out, "hookEventName", str_of(h->event->name));
	if (!silent)
		json_put_field(&r->out, "permissionDecision", str_of(words[v->decision]));
	if (!silent && v->reason.n)
		json_put_field(&r->out, "permissionDecisionReason", v->reason);
	if (v->changes && (v->decision != DECIDE_ASK || (h->client->can & CLIENT_ASKS_BOXED))) {
		json_put_key(&r->out, "updatedInput");
		render_value(&r->out, h->args, v->changes);
	} else if (silent) {
		json_put_field(&r->out, "additionalContext", v->context);
	}
	buf_c(&r->out, "}}\n");
}

/* Codex does not stop for "ask", nor for a denial with one unknown field; it stops only for the exit code. */
void render_codex(struct reply *r, const struct hook_input *h, const struct verdict_answer *v)
{
	if (v->decision == DECIDE_DENY || v->decision == DECIDE_ASK)
		put_block(r, v->reason);
	else if (v->changes || v->decision == DECIDE_ALLOW)
		render_claude(r, h, &(struct verdict_answer){.decision = DECIDE_ALLOW, .reason = v->reason,
				.changes = v->changes});
}

void render_gemini(struct reply *r, const struct hook_input *h, const struct verdict_answer *v)
{
	if (v->decision == DECIDE_DENY || v->decision == DECIDE_ASK) {
		buf_char(&r->out, '{');
		json_put_field(&r->out, "decision", STR("deny"));
		json_put_field(&r->out, "reason", v->reason);
		buf_c(&r->out, "}\n");
	} else if (v->changes) {
		buf_c(&r->out, "{\"hookSpecificOutput\":{");
		json_put_field(&r->out, "hookEventName", str_of(h->event->name));
		json_put_key(&r->out, "tool_input");
		render_value(&r->out, h->args, v->changes);
		buf_c(&r->out, "}}\n");
	}
}

void render_copilot(struct reply *r, const struct hook_input *h, const struct verdict_answer *v)
{
	if (v->decision == DECIDE_PASS && !v->changes)
		return;
	buf_char(&r->out, '{');
	/* without a decision the client asks its own question, about the changed input */
	if (v->decision != DECIDE_PASS) {
		json_put_field(&r->out, "permissionDecision", str_of(words[v->decision]));
		if (v->reason.n)
			json_put_field(&r->out, "permissionDecisionReason", v->reason);
	}
	if (v->changes && v->decision != DECIDE_ASK) { /* after "ask" it would run the original input */
		json_put_key(&r->out, "modifiedArgs");
		render_value(&r->out, h->args, v->changes);
	}
	buf_c(&r->out, "}\n");
}

/* Our own plugin: {"decision": "allow" or "deny", "reason", "args"}. It throws an error on anything else. */
void render_opencode(struct reply *r, const struct hook_input *h, const struct verdict_answer *v)
{
	bool deny = v->decision == DECIDE_DENY || v->decision == DECIDE_ASK;

	buf_char(&r->out, '{');
	json_put_field(&r->out, "decision", deny ? STR("deny") : STR("allow"));
	if (deny)
		json_put_field(&r->out, "reason", v->reason);
	else if (v->changes) {
		json_put_key(&r->out, "args");
		render_value(&r->out, h->args, v->changes);
	}
	buf_c(&r->out, "}\n");
}

/* A denial also exits with 2, which Cursor documents as equivalent. */
void render_cursor(struct reply *r, const struct hook_input *h, const struct verdict_answer *v)
{
	(void)h;
	buf_char(&r->out, '{');
	json_put_field(&r->out, "permission",
			str_of(words[v->decision == DECIDE_PASS ? DECIDE_ALLOW : v->decision]));
	if (v->reason.n && v->decision != DECIDE_PASS) {
		json_put_field(&r->out, "user_message", v->reason);
		json_put_field(&r->out, "agent_message", v->reason);
	}
	buf_c(&r->out, "}\n");
	if (v->decision == DECIDE_DENY)
		put_block(r, v->reason);
}

static void put_argv(struct buf *b, struct str command)
{
	struct str word;

	json_put_open(b, "argv", '[');
	/* stop at the comment */
	for (size_t from = 0; from < command.n && command.p[from] != '#'; from += word.n + 1) {
		size_t blank = str_end(command, ' ', from);

		word = str_sub(command, from, blank);
		if (!word.n)
			continue;
		if (from)
			buf_char(b, ',');
		json_put_string(b, word);
	}
	buf_char(b, ']');
}

/*
 * A loop that lists its abilities ("can" in its input) gets an answer as JSON. Exit code 0 means that it may
 * proceed: run the call unchanged (allow), or run the answer's command instead (run).
 */
void render_generic(struct reply *r, const struct hook_input *h, const struct verdict_answer *v)
{
	bool run = v->decision == DECIDE_ALLOW && v->changes;
	const struct change_of_input *command = find_change(v->changes, h->command_key);
	const char *word = run ? "run" : words[v->decision == DECIDE_PASS ? DECIDE_ALLOW : v->decision];

	if (v->decision == DECIDE_DENY || v->decision == DECIDE_ASK)
		put_block(r, v->reason);
	if (!(h->client->can & CLIENT_ANSWERS))
		return;
	buf_char(&r->out, '{');
	json_put_field(&r->out, "decision", str_of(word));
	if (v->reason.n)
		json_put_field(&r->out, "reason", v->reason);
	if (run && command) {
		json_put_field(&r->out, "command", command->text);
		put_argv(&r->out, command->text);
	}
	if (v->changes) {
		json_put_key(&r->out, "tool_input");
		render_value(&r->out, h->args, v->changes);
	}
	buf_c(&r->out, "}\n");
}

void render_exit(struct reply *r, const struct hook_input *h, const struct verdict_answer *v)
{
	(void)h;
	if (v->decision == DECIDE_DENY || v->decision == DECIDE_ASK)
		put_block(r, v->reason);
}

/* ---- after a tool ---- */

/* A failure's output cannot be replaced; text can only be added. */
void render_claude_after(struct reply *r, const struct hook_input *h, const struct output_answer *o)
{
	bool replace = o->result && h->phase == PHASE_POST;

	if (!replace && !o->context.n)
		return;
	buf_c(&r->out, "{\"hookSpecificOutput\":{");
	json_put_field(&r->out, "hookEventName", str_of(h->event->name));
	if (replace) {
		json_put_key(&r->out, "updatedToolOutput");
		render_value(&r->out, o->result, NULL);
	}
	if (o->context.n)
		json_put_field(&r->out, "additionalContext", o->context);
	buf_c(&r->out, "}}\n");
}

/* Adds text for the model beside the result. */
static void add_context(struct reply *r, const struct hook_input *h, struct str text)
{
	buf_c(&r->out, "{\"hookSpecificOutput\":{");
	json_put_field(&r->out, "hookEventName", str_of(h->event->name));
	json_put_field(&r->out, "additionalContext", text);
	buf_c(&r->out, "}}\n");
}

/* The reason replaces the result, so added text becomes part of it. */
static void replace_result(struct reply *r, const struct output_answer *o, const char *decision,
		struct str head)
{
	bool ended = !o->text.n || o->text.p[o->text.n - 1] == '\n';
	struct str all = str_cat(r->out.a, head, o->text);

	if (o->context.n)
		all = str_fmt(r->out.a, "%.*s%s%.*s", STR_ARG(all), ended ? "" : "\n", STR_ARG(o->context));
	buf_char(&r->out, '{');
	json_put_field(&r->out, "decision", str_of(decision));
	json_put_field(&r->out, "reason", all);
	buf_c(&r->out, "}\n");
}

/*
 * A block replaces the result and its first lines, which say how the command ended. Write them again as Codex
 * does: without the exit code a failure would look like a success.
 */
void render_codex_after(struct reply *r, const struct hook_input *h, const struct output_answer *o)
{
	struct str head = STR("");

	if (h->kind == TOOL_SHELL)
		head = o->code >= 0 ? str_fmt(r->out.a, "Process exited with code %d\nOutput:\n", o->code)
				    : STR("Process exited with an unknown code\nOutput:\n");
	if (o->result)
		replace_result(r, o, "block", head);
	else if (o->context.n)
		add_context(r, h, o->context);
}

/* A replaced result always arrives as an error. */
void render_gemini_after(struct reply *r, const struct hook_input *h, const struct output_answer *o)
{
	if (o->result)
		replace_result(r, o, "deny",
				STR("This result is reported as an error only because caisson removed a "
				"secret from it. The tool said:\n"));
	else if (o->context.n)
		add_context(r, h, o->context);
}

void render_copilot_after(struct reply *r, const struct hook_input *h, const struct output_answer *o)
{
	(void)h;
	if (!o->result)
		return;
	buf_char(&r->out, '{');
	json_put_key(&r->out, "modifiedResult");
	render_value(&r->out, o->result, NULL);
	buf_c(&r->out, "}\n");
}

void render_opencode_after(struct reply *r, const struct hook_input *h, const struct output_answer *o)
{
	(void)h;
	buf_char(&r->out, '{');
	if (o->result)
		json_put_field(&r->out, "output", o->text);
	if (o->context.n)
		json_put_field(&r->out, "context", o->context);
	buf_c(&r->out, "}\n");
}

void render_generic_after(struct reply *r, const struct hook_input *h, const struct output_answer *o)
{
	(void)h;
	buf_str(&r->out, o->object);
	buf_char(&r->out, '\n');
}

void render_nothing_after(struct reply *r, const struct hook_input *h, const struct output_answer *o)
{
	(void)r, (void)h, (void)o;
}

/* ---- the start of a session ---- */

void render_start(struct reply *r, const struct hook_input *h, struct str text)
{
	if (!(h->client->can & CLIENT_GUIDES) || !text.n)
		return;
	buf_c(&r->out, "{\"hookSpecificOutput\":{");
	json_put_field(&r->out, "hookEventName", str_of(h->event->name));
	json_put_field(&r->out, "additionalContext", text);
	buf_c(&r->out, "}}\n");
}
