/*
 * Findings of live_look() about clients with their own sandbox: do contained commands leave that sandbox, and
 * has the person trusted our hooks in Codex? Codex skips untrusted hooks.
 */
#include "client/codex.h"
#include "client/jsontext.h"
#include "client/live.h"
#include "sys/ancestors.h"
#include "sys/file.h"
#include "sys/path.h"

static struct str read_text(const struct live_request *q, struct str path)
{
	struct str text = STR("");

	return path.n && file_read(q->a, str_c(q->a, path), JSONTEXT_BYTES_MAX, &text, NULL, NULL) == 0
		       ? text
		       : STR("");
}

static struct str path_in(const struct live_request *q, const struct init_row *row, enum init_scope scope)
{
	struct init_request rq = *q->rq;

	rq.scope = scope;
	return init_path(q->a, &rq, row);
}

static struct json *read_json(const struct live_request *q, struct str path)
{
	struct json *root = NULL;

	return jsontext_read(q->a, read_text(q, path), q->row->comments, &root, NULL) == 0 ? root : NULL;
}

static struct str init_again(const struct live_request *q)
{
	return str_fmt(q->a, "caisson init --client %s, then start it again", q->row->name);
}

/* ---- Codex: trust ---- */

static int64_t whole_number(struct str text)
{
	int64_t n = 0;

	for (size_t i = 0; i < text.n; i++) {
		if (!ascii_is_digit(text.p[i]) || n > INT32_MAX)
			return -1;
		n = n * 10 + (text.p[i] - '0');
	}
	return text.n ? n : -1;
}

static bool take_hook(const struct live_request *q, struct str text, const struct json *entry,
	const struct json *hook, struct codex_hook *h)
{
	const struct json *command = json_key(hook, "command"), *timeout = json_key(hook, "timeout"),
			   *matcher = json_key(entry, "matcher");

	if (!command || command->kind != JSON_STRING || !init_is_ours(q->a, command->text, NULL))
		return false;
	h->command = command->text;
	h->timeout = timeout ? whole_number(str_sub(text, timeout->from, timeout->to)) : -1;
	h->has_matcher = json_is(matcher, JSON_STRING);
	h->matcher = h->has_matcher ? matcher->text : STR("");
	return true;
}

/* Finds our hook of an event and its position in the file. */
static bool find_hook(
	const struct live_request *q, struct str text, const struct json *event, struct codex_hook *h)
{
	h->group = 0;
	for (const struct json *entry = json_items(event); entry;
		entry = entry->next, h->group++) {
		const struct json *list = json_key(entry, "hooks");

		h->index = 0;
		for (const struct json *hook = json_items(list); hook;
			hook = hook->next, h->index++)
			if (take_hook(q, text, entry, hook, h))
				return true;
	}
	return false;
}

/* Codex names the file by its path, with or without links resolved. */
static enum codex_trust trust_of(const struct live_request *q, struct str config, struct codex_hook *h)
{
	enum codex_trust trust = codex_trusted(q->a, config, h);
	struct path_memo m;
	enum path_kind kind;

	if (trust != CODEX_UNTRUSTED)
		return trust;
	path_memo_init(&m, q->a, STR(""));
	h->file = path_real(&m, h->file, &kind);
	return codex_trusted(q->a, config, h);
}

static const struct {
	enum live_state state;
	const char *text;
} trusts[] = {
	[CODEX_UNTRUSTED] = {LIVE_NO,
		"the hooks for%s are not trusted, so Codex silently skips them"},
	[CODEX_STALE] = {LIVE_NO,
		"the hooks for%s have changed since they were trusted, so Codex silently skips them"},
	[CODEX_OFF] = {LIVE_NO, "the hooks for%s are turned off in Codex's config.toml (enabled = false)"},
	[CODEX_TRUSTED] = {LIVE_YES, "the hooks for%s are trusted"},
};
#define TRUSTS ARRAY_SIZE(trusts)

/* Checks the hooks of one file. Only the first one, which precedes a tool, decides if anything is guarded. */
static void look_trust(const struct live_request *q, enum init_scope scope, struct str config)
{
	struct str path = path_in(q, q->row, scope), text = read_text(q, path), all = str_of(q->row->events);
	const struct json *hooks = json_key(read_json(q, path), "hooks");
	enum codex_trust first = CODEX_TRUSTED;
	struct buf named[TRUSTS];

	for (size_t i = 0; i < TRUSTS; i++)
		buf_init(&named[i], q->a, 0);
	for (size_t i = 0; i < all.n;) {
		size_t blank = str_end(all, ' ', i);
		struct codex_hook h = {
			.file = path, .event = str_sub(all, i, blank)};

		if (find_hook(q, text, json_key(hooks, str_c(q->a, h.event)), &h)) {
			enum codex_trust trust = trust_of(q, config, &h);

			first = i ? first : trust;
			buf_fmt(&named[trust], "%s %.*s", named[trust].n ? "," : "", STR_ARG(h.event));
		}
		i += h.event.n + 1;
	}
	for (size_t i = 0; i < TRUSTS; i++)
		if (named[i].n)
			live_add(q->a, q->l, "trusted",
				trusts[i].state == LIVE_NO && i != first ? LIVE_PARTLY : trusts[i].state,
				str_fmt(q->a, trusts[i].text, str_c(q->a, buf_view(&named[i]))),
				STR("start codex, type /hooks, and trust them"));
}

static void codex_trust(const struct live_request *q)
{
	struct str config =
		read_text(q, str_fmt(q->a, "%.*s/config.toml", STR_ARG(codex_home(q->a, q->rq->home))));

	look_trust(q, INIT_USER, config);
	look_trust(q, INIT_PROJECT, config);
}

/* ---- sandboxes ---- */

static void codex_sandbox(const struct live_request *q)
{
	const struct init_row *rules = q->row + 1;
	struct str want = init_whole(q->a, rules, q->program), user = path_in(q, rules, INIT_USER),
		   project = path_in(q, rules, INIT_PROJECT);
	bool there = read_text(q, user).n || read_text(q, project).n;

	if (str_eq(read_text(q, user), want) || str_eq(read_text(q, project), want))
		live_add(q->a, q->l, "sandbox", LIVE_YES,
			STR("contained commands run outside Codex's own sandbox by its rules, in a box that "
			    "opens no more than that sandbox"),
			STR(""));
	else
		live_add(q->a, q->l, "sandbox", LIVE_PARTLY,
			str_fmt(q->a,
				"'%.*s' %s: contained commands are refused in Codex's own sandbox, in every "
				"mode but danger-full-access",
				STR_ARG(user),
				there ? "is for another program, or of another version" : "is missing"),
			init_again(q));
}

static bool is_excluded(const struct live_request *q, const struct json *root)
{
	const struct json *list = json_key(json_key(root, "sandbox"), "excludedCommands");
	struct str want = init_excluded(q->a, q->program);
	bool absolute = str_starts(q->program, "/"); /* a plugin's hooks name no absolute path */

	for (const struct json *n = json_items(list); n; n = n->next)
		if (n->kind == JSON_STRING && (absolute ? str_eq(n->text, want) : init_is_excluded(n->text)))
			return true;
	return false;
}

static bool is_true(
	const struct live_request *q, struct str path, const struct json *object, const char *key)
{
	const struct json *n = json_key(object, key);

	return n && str_is(str_sub(read_text(q, path), n->from, n->to), "true");
}

static void claude_sandbox(const struct live_request *q)
{
	const struct str files[] = {STR("/etc/claude-code/managed-settings.json"),
		path_in(q, q->row, INIT_USER), path_in(q, q->row, INIT_PROJECT),
		q->rq->project.n ? str_fmt(q->a, "%.*s/.claude/settings.local.json", STR_ARG(q->rq->project))
				 : STR("")};
	bool on = false, out = false;

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		const struct json *root = read_json(q, files[i]);

		on |= is_true(q, files[i], json_key(root, "sandbox"), "enabled");
		out |= is_excluded(q, root);
	}
	if (out)
		live_add(q->a, q->l, "sandbox", LIVE_YES,
			str_fmt(q->a,
				"its own sandbox is %s; contained commands run outside it by an exclusion, "
				"in a box that opens no more",
				on ? "on" : "off"),
			STR(""));
	else
		live_add(q->a, q->l, "sandbox", on ? LIVE_PARTLY : LIVE_YES,
			on ? STR("its own sandbox is on and has no exclusion for contained commands, so they "
				 "are refused")
			   : STR("its own sandbox is off"),
			init_again(q));
}

static void gemini_sandbox(const struct live_request *q)
{
	const struct str files[] = {path_in(q, q->row, INIT_USER), path_in(q, q->row, INIT_PROJECT)};

	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		if (is_true(q, files[i], json_key(read_json(q, files[i]), "security"), "toolSandboxing"))
			live_add(q->a, q->l, "sandbox", LIVE_PARTLY,
				str_fmt(q->a,
					"%.*s turns its own sandbox on (security.toolSandboxing): contained "
					"commands are refused in it",
					STR_ARG(files[i])),
				STR("turn it off"));
}

#define PROBE_ABOVE 4 /* ancestors searched: shells, timeout, doctor */

bool live_probing(struct arena *a, struct str session)
{
	struct ancestor *above;
	struct str self;
	size_t n;

	if (!str_is(session, LIVE_SESSION) || init_self(a, &self, NULL) != 0 ||
		ancestors_read(a, &above, &n, NULL) != 0)
		return false;
	for (size_t i = 0; i < n && i < PROBE_ABOVE; i++)
		if (str_eq(above[i].exe, self) && str_is(ancestor_word(&above[i], 1), "doctor"))
			return true;
	return false;
}

void live_sandbox(const struct live_request *q)
{
	static const struct {
		char client[12];
		void (*look)(const struct live_request *q);
	} rows[] = {{"codex", codex_trust}, {"codex", codex_sandbox}, {"claude-code", claude_sandbox},
		{"gemini", gemini_sandbox}};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (!strcmp(rows[i].client, q->row->name))
			rows[i].look(q);
}
