/*
 * Parses a hook input: JSON, then client, event and tool call. Anything unexpected is an error, and the
 * caller refuses.
 */
#include "client/client.h"

/* limit if the client ends commands itself: one day */
#define BACKGROUND_MS ((uint64_t)24 * 3600 * 1000)
#define TIME_MAX_MS BACKGROUND_MS
#define TIME_MIN_MS 1000 /* a smaller number has another unit or is useless; the profile's limit applies */

static struct str text_at(const struct json *o, const char *key)
{
	return json_text(*key ? json_key(o, key) : NULL);
}

static bool has_key(const struct json *o, struct str key) { return json_get(o, key) != NULL; }

/* True if the object has all (or any) of these keys. `keys` is " a b c ". */
static bool has_keys(const struct json *o, const char *keys, bool any)
{
	for (const char *p = keys + 1; *p;) {
		size_t n = strcspn(p, " ");

		if (has_key(o, str_n(p, n)) == any)
			return any;
		p += n + 1;
	}
	return !any;
}

static const struct client_event *event_named(const struct client *c, struct str name)
{
	for (const struct client_event *ev = c->events; ev->name[0]; ev++)
		if (str_is(name, ev->name))
			return ev;
	return NULL;
}

/*
 * Infers the event of an input that does not name it: a call with an output has been made, one without is
 * about to be. Null is not an output.
 */
static const struct client_event *event_by_shape(const struct client *c, const struct json *all)
{
	const struct json *result = json_key(all, c->result_key);
	enum phase phase = result && result->kind != JSON_NULL ? PHASE_POST : PHASE_PRE;

	if (!has_key(all, str_of(c->tool_key)) || !has_key(all, str_of(c->args_key)))
		return NULL;
	for (const struct client_event *ev = c->events; ev->name[0]; ev++)
		if (ev->phase == phase)
			return ev;
	return NULL;
}

/* `--event` fills in a missing event; if the input names one, too, both must agree. */
static const struct client_event *event_of(const struct client *c, const struct json *all, const char *given)
{
	struct str name = text_at(all, c->event_key);

	if (*c->event_key)
		return given && !str_is(name, given) ? NULL : event_named(c, name);
	return given ? event_named(c, str_of(given)) : event_by_shape(c, all);
}

static bool fits_client(const struct client *c, const struct json *all)
{
	return has_keys(all, c->need, false) && !has_keys(all, c->not, true);
}

/*
 * Finds the row whose marks match the input. With a name, only rows of that name match, and a known event is
 * enough if the marks do not decide.
 */
static int recognise_client(struct arena *a, const struct json *all, const char *name, const char *event,
		struct hook_input *ret, struct err *e)
{
	const struct client *c;

	for (unsigned strict = 2; strict-- > 0;)
		for (size_t i = 0; (c = client_at(i)) && (strict || name); i++) {
			const struct client_event *ev;

			if ((name && strcmp(name, c->name)) || (strict && !fits_client(c, all)) ||
					(!strict && *c->event_key && !has_key(all, str_of(c->event_key))))
				continue;
			ev = event_of(c, all, event);
			if (!ev)
				continue;
			ret->client = c;
			ret->event = ev;
			ret->phase = ev->phase;
			return 0;
		}
	if (name && !client_find(str_of(name)))
		return err_input(e, "unknown client '%.60s' (use one of %.*s)", name,
				STR_ARG(client_names(a)));
	if (name)
		return err_input(e, "unknown kind of input from %s", client_find(str_of(name))->title);
	return err_input(e, "cannot recognise the client of this input; name it with --client");
}

/*
 * A custom agent loop lists its abilities: "can": ["run", "ask"]. Without the list it understands only exit
 * codes. The row is copied, so that all later code finds this caller's abilities in it.
 */
static int read_abilities(struct arena *a, struct hook_input *h, struct err *e)
{
	static const struct {
		char name[8];
		unsigned can;
	} abilities[] = {{"run", CLIENT_REWRITES}, {"ask", CLIENT_ASKS}};
	const struct json *list = json_key(h->all, "can");
	struct client *row;

	if (!(h->client->can & CLIENT_NORMALISES) || !list)
		return 0;
	if (list->kind != JSON_ARRAY)
		return err_input(e, "'can' in the input is not a list; expected run, ask or both");
	row = arena_new(a, struct client);
	*row = *h->client;
	row->can |= CLIENT_ANSWERS;
	for (const struct json *x = list->first; x; x = x->next)
		for (size_t i = 0; i < ARRAY_SIZE(abilities); i++) /* unknown abilities are ignored */
			if (x->kind == JSON_STRING && str_is(x->text, abilities[i].name))
				row->can |= abilities[i].can;
	if ((row->can & CLIENT_ASKS) && (row->can & CLIENT_REWRITES))
		row->can |= CLIENT_ASKS_BOXED;
	h->client = row;
	return 0;
}

static int parse_event(struct arena *a, struct str text, const struct json **ret, struct err *e)
{
	struct json_reader r;
	struct json *v;

	json_reader_init(&r, a, text, JSON_TOLERANT);
	v = json_next(&r);
	if (!v || !json_at_end(&r))
		return err_input(e, "the input is not JSON: line %zu: %s%.*s",
				json_place(r.text, r.at).line, r.trouble == JSON_DUPLICATE ? "a key twice: " :
				v ? "more than one value" : "expected ",
			v ? 0 : (int)(r.what.n < 60 ? r.what.n : 60), v ? "" : r.what.p);
	if (v->kind != JSON_OBJECT)
		return err_input(e, "the input is not a JSON object");
	*ret = v;
	return 0;
}

/* Returns the tool's input, which may be JSON inside a string (Cursor's MCP calls, Copilot's older form). */
static const struct json *args_of(struct arena *a, const struct hook_input *h)
{
	const char *key = h->client->args_key;
	const struct json *v = h->event->args[0] || !*key ? h->all : json_key(h->all, key);
	struct err why = {0};

	if (json_is(v, JSON_STRING) && parse_event(a, v->text, &v, &why) != 0)
		return NULL;
	return json_is(v, JSON_OBJECT) ? v : NULL;
}

/* Returns the tool's name. Windsurf names an MCP tool by its parts. */
static struct str tool_of(struct arena *a, const struct hook_input *h)
{
	struct str server = text_at(h->args, "mcp_server_name"), tool = text_at(h->args, "mcp_tool_name");

	if (h->event->tool[0])
		return str_of(h->event->tool);
	if (*h->client->tool_key)
		return text_at(h->all, h->client->tool_key);
	return server.n && tool.n ? str_fmt(a, "mcp__%.*s__%.*s", STR_ARG(server), STR_ARG(tool)) : STR("");
}

/* Returns the directory: the one the tool call names, else the session's. */
static struct str cwd_of(struct arena *a, struct hook_input *h)
{
	/* keys that the client's tool accepts; it ignores others, so we must, too */
	static const struct {
		char client[12], keys[28];
	} own[] = {{"codex", " workdir cwd "}, {"gemini", " dir_path directory "}, {"qwen", " directory "},
			{"opencode", " workdir "}, {"cursor", " cwd working_directory "},
		{"windsurf", " cwd "}, {"generic", " cwd workdir directory "}};
	struct str session = text_at(h->all, "cwd"), wish = STR("");
	const struct json *roots = json_key(h->all, "workspace_roots");

	if (!session.n && json_is(roots, JSON_ARRAY) && roots->first)
		session = json_text(roots->first);
	for (size_t i = 0; i < ARRAY_SIZE(own) && h->kind == TOOL_SHELL; i++)
		for (const char *p = own[i].keys + 1; !strcmp(own[i].client, h->client->name) && *p &&
				!wish.n; p += strcspn(p, " ") + 1)
			wish = json_text(json_get(h->args, str_n(p, strcspn(p, " "))));
	if (!wish.n || str_eq(wish, session))
		return session;
	if (str_starts(session, "/"))
		h->session_cwd = session;
	return str_starts(wish, "/") || !session.n ? wish : str_path(a, session, wish);
}

static void read_call_options(struct hook_input *h)
{
	int64_t ms = json_int_at(h->args, "timeout");

	if (ms <= 0)
		ms = json_int_at(h->args, "timeout_ms");
	h->time_ms = ms >= TIME_MIN_MS && (uint64_t)ms < TIME_MAX_MS ? (uint64_t)ms : 0;
	h->background = json_true_at(h->args, "run_in_background") ||
			json_true_at(h->args, "is_background") || str_is_any(h->tool, "Monitor monitor");
	h->unboxed = json_true_at(h->args, "dangerouslyDisableSandbox") ||
			str_is(text_at(h->args, "sandbox_permissions"), "require_escalated") ||
			json_true_at(h->args, "with_escalated_permissions");
	if (h->background || (h->client->can & CLIENT_LIMITS))
		h->time_ms = BACKGROUND_MS;
}

/* A NUL byte is valid neither in shell text nor in a path. */
static bool has_nul(struct str s) { return str_has(s, 0); }

/*
 * A client's tool_call wraps a call of another tool; we judge the inner call. Qwen Code also accepts other
 * spellings of the name, which we refuse.
 */
static int unwrap_event(struct hook_input *h, struct err *e)
{
	const struct json *args = json_key(h->args, "arguments");
	struct str name = text_at(h->args, "name");

	if (!str_is(h->tool, "tool_call") || !(h->client->can & CLIENT_WRAPS))
		return 0;
	for (size_t i = 0; i < name.n && !str_starts(name, "mcp__"); i++)
		if (name.p[i] != '_' && !ascii_is_lower(name.p[i]))
			name.n = 0;
	if (!name.n || !json_is(args, JSON_OBJECT))
		return err_input(e, "'tool_call' needs the name of a listed tool and its arguments");
	h->tool = name;
	h->args = args;
	return 0;
}

/* Turns a shell text that the client treats as a patch into a call of the patch tool. */
static void see_patch(struct arena *a, struct hook_input *h)
{
	struct str dir;

	if (h->kind != TOOL_SHELL || h->words || !(h->client->can & CLIENT_PATCHES))
		return;
	if (!tool_shell_patch(h->command, &dir))
		return;
	h->kind = TOOL_PATCH;
	h->tool = STR("apply_patch");
	if (dir.n && dir.p[0] != '/')
		dir = str_path(a, h->cwd, dir);
	h->paths_base = dir;
}

static int read_call(struct arena *a, struct hook_input *h, struct err *e)
{
	h->args = args_of(a, h);
	h->tool = tool_of(a, h);
	if (!h->args || !h->tool.n || has_nul(h->tool))
		return err_input(e, "the input names no tool, or has no input for it");
	if (unwrap_event(h, e) != 0)
		return -1;
	/* opencode's batch tool calls others without hooks */
	if (str_is(h->tool, "batch") && json_key(h->args, "tool_calls"))
		return err_input(e, "'batch' calls tools that caisson would not judge: call them one by one");
	h->kind = tool_kind(h->tool);
	if (h->kind == TOOL_OTHER && (h->client->can & CLIENT_MARKS) && tool_unlisted_shell(h->tool, h->args))
		h->kind = TOOL_SHELL;
	h->cwd = cwd_of(a, h);
	if (has_nul(h->cwd) || (h->cwd.n && h->cwd.p[0] != '/'))
		return err_input(e, "the working directory in the input is not an absolute path");
	read_call_options(h);
	if (h->kind == TOOL_SHELL && tool_command(a, h, e) != 0)
		return -1;
	see_patch(a, h);
	return 0;
}

/* Reads the remaining fields. Never fails: an event after a tool is not refused because of its call. */
static void read_rest(struct arena *a, struct hook_input *h)
{
	const char *key = h->event->result[0] ? h->event->result : h->client->result_key;
	struct err why = {0};

	h->session = text_at(h->all, h->client->session_key);
	h->tool_use_id = text_at(h->all, h->client->id_key);
	h->agent = text_at(h->all, "agent_id");
	h->prompt = text_at(h->all, "prompt_id");
	if (engine_mode(text_at(h->all, "permission_mode"), &h->mode) == 0 && h->mode == MODE_PAUSED)
		h->mode = MODE_DEFAULT; /* only a person can pause, never a client */
	if (h->mode == MODE_BYPASS && (h->client->can & CLIENT_UNATTENDED))
		h->mode = MODE_DONT_ASK;
	if (h->phase == PHASE_PRE)
		return;
	h->result = json_key(h->all, key);
	if (h->phase == PHASE_POST || h->phase == PHASE_FAILURE)
		(void)read_call(a, h, &why);
	else
		h->cwd = str_starts(text_at(h->all, "cwd"), "/") ? text_at(h->all, "cwd") : STR("");
}

int hook_read(struct arena *a, struct str text, const char *client, const char *event, struct hook_input *ret,
		struct err *e)
{
	struct hook_input h = {0};

	h.tool = h.command = h.command_key = h.cwd = h.paths_base = h.session_cwd = h.session =
			h.tool_use_id = h.agent = h.prompt = STR("");
	if (parse_event(a, text, &h.all, e) != 0 || recognise_client(a, h.all, client, event, &h, e) != 0)
		return -1;
	if (read_abilities(a, &h, e) != 0)
		return -1;
	if (h.phase == PHASE_PRE && read_call(a, &h, e) != 0)
		return -1;
	read_rest(a, &h);
	*ret = h;
	return 0;
}
