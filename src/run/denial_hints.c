/*
 * Guesses which denied resource caused a failure. A command that the box broke should not look like a broken
 * command. The rows are messages that programs print, each with the wall behind it.
 */
#include "run/network_hints.h"
#include "run/run.h"
#include "run/search_path.h"
#include "sys/stream.h"

#define HINT_BYTES ((size_t)64 << 10) /* bytes searched at the end of stderr */

enum wall { WALL_NETWORK, WALL_READONLY, WALL_MEMORY, WALL_PIDS, WALL_SCRATCH, WALL_PTRACE, WALL_PROGRAM,
		WALLS };

static const struct complaint {
	enum wall wall;
	char text[40];
} rows[] = {
	{WALL_NETWORK, "Could not resolve"}, {WALL_NETWORK, "Network is unreachable"},
	{WALL_NETWORK, "Temporary failure in name resolution"}, {WALL_NETWORK, "Temporary failure resolving"},
	{WALL_NETWORK, "Name or service not known"}, {WALL_NETWORK, "EAI_AGAIN"},
	{WALL_NETWORK, "ENETUNREACH"}, {WALL_NETWORK, "ENOTFOUND"}, {WALL_NETWORK, "EAFNOSUPPORT"},
	{WALL_NETWORK, "Address family not supported"}, {WALL_NETWORK, "NewConnectionError"},
	{WALL_NETWORK, "unable to resolve host"}, {WALL_NETWORK, "unable to access 'http"},
	{WALL_NETWORK, "dial tcp"}, {WALL_NETWORK, "failed to lookup address"},
	/* pip and apt, which do not say why */
	{WALL_NETWORK, "(from versions: none)"}, {WALL_NETWORK, "Unable to locate package"},
	{WALL_READONLY, "Read-only file system"}, {WALL_READONLY, "EROFS"},
	{WALL_READONLY, "read-only file system"},
	{WALL_MEMORY, "MemoryError"}, {WALL_MEMORY, "Cannot allocate memory"},
	{WALL_MEMORY, "cannot allocate memory"}, {WALL_MEMORY, "std::bad_alloc"},
	{WALL_MEMORY, "heap out of memory"}, {WALL_MEMORY, "OutOfMemoryError"},
	{WALL_MEMORY, "ENOMEM"}, {WALL_MEMORY, "memory exhausted"}, {WALL_MEMORY, "virtual memory exhausted"},
	{WALL_PIDS, "Resource temporarily unavailable"}, {WALL_PIDS, "can't start new thread"},
	{WALL_PIDS, "fork: retry"}, {WALL_PIDS, "unable to create native thread"}, {WALL_PIDS, "Cannot fork"},
	{WALL_SCRATCH, "No space left on device"}, {WALL_SCRATCH, "ENOSPC"},
	{WALL_PTRACE, "PTRACE_"}, {WALL_PTRACE, "ptrace:"}, {WALL_PTRACE, "ptrace("},
	{WALL_PTRACE, "Could not trace the inferior"},
	{WALL_PTRACE, "LeakSanitizer has encountered a fatal"},
	{WALL_PROGRAM, "command not found"}, {WALL_PROGRAM, "not found"},
	{WALL_PROGRAM, "No such file or directory"},
};

static const struct {
	char id[12], text[144];
} hints[WALLS] = {
	[WALL_NETWORK] = {"network", "the network is denied in the box"},
	[WALL_READONLY] = {"read-only",
			"only the workspace, the home and /tmp can be written in the box, and protected "
			"files of the workspace cannot"},
	[WALL_MEMORY] = {"memory", "the memory limit may be too small"},
	[WALL_PIDS] = {"pids", "the limit of processes and threads may be too small"},
	[WALL_SCRATCH] = {"scratch",
			"/tmp and the home share the scratch of the box, whose size may be too small (for a "
			"terminal: there are 256 pseudo-terminals)"},
	[WALL_PTRACE] = {"ptrace",
			"programs in the box may not trace each other; a person can permit it with "
			"'sandbox.ptrace: true' in the policy"},
	[WALL_PROGRAM] = {"not-found",
			"programs and files outside of the system's directories and the workspace are not "
			"seen in the box"},
};

static const struct {
	enum status status;
	bool other; /* the second limit with this status: CPU time, scratch */
	enum limit limit;
	char id[8], text[80];
} by_status[] = {
	{STATUS_TIMEOUT, false, LIMIT_TIME, "timeout", "the time limit was reached"},
	{STATUS_TIMEOUT, true, LIMIT_CPU_TIME, "timeout", "the limit of CPU time was reached"},
	{STATUS_OOM, false, LIMIT_MEMORY, "memory", "the memory limit was reached"},
	{STATUS_OUTPUT_LIMIT, false, LIMIT_OUTPUT, "output", "more output than the limit"},
	{STATUS_OUTPUT_LIMIT, true, LIMIT_SCRATCH, "scratch",
			"the project's /tmp holds more than its limit: remove files there"},
};

static void add_hint(struct arena *a, struct hint **list, const char *id, struct str text)
{
	for (; *list; list = &(*list)->next)
		if (!strcmp((*list)->id, id))
			return;
	*list = arena_new(a, struct hint);
	**list = (struct hint){.id = id, .text = text};
}

/* Adds one hint for all lowered limits. */
static void add_capped(struct arena *a, struct hint **list, const struct texts *capped)
{
	struct buf b;

	if (!capped)
		return;
	buf_init(&b, a, 0);
	buf_c(&b, capped->next ? "the limits" : "the limit");
	for (const struct texts *t = capped; t; t = t->next)
		buf_fmt(&b, "%s '%.*s'", t == capped ? "" : ",", STR_ARG(t->text));
	buf_fmt(&b, " %s smaller than was asked for: no more is allowed here", capped->next ? "are" : "is");
	add_hint(a, list, "limit-capped", buf_view(&b));
}

/* Adds one hint for all notes of a kind. */
static void add_notes(struct arena *a, struct hint **list, const char *id, const struct texts *notes)
{
	struct buf b;

	if (!notes)
		return;
	buf_init(&b, a, 0);
	for (; notes; notes = notes->next)
		buf_fmt(&b, "%s%.*s", b.n ? "; " : "", STR_ARG(notes->text));
	add_hint(a, list, id, buf_view(&b));
}

static void add_hidden(struct arena *a, struct hint **list, const struct texts *dirs)
{
	struct buf b;

	if (!dirs)
		return;
	buf_init(&b, a, 0);
	buf_c(&b, "the box does not show these directories of the PATH, so their programs do not run in it:");
	for (; dirs; dirs = dirs->next)
		buf_fmt(&b, " %.*s%s", STR_ARG(dirs->text), dirs->next ? "," : "");
	buf_c(&b, "; a person can show one with 'sandbox.read' in the policy");
	add_hint(a, list, "path", buf_view(&b));
}

/* True if the wall exists and the program's failure fits it. */
static bool is_likely(const struct run *r, const struct outcome *o, enum wall w)
{
	if (w == WALL_NETWORK)
		return network_isolated(&r->spec.network) && !o->network;
	if (w == WALL_PTRACE)
		return !r->spec.ptrace;
	return w != WALL_PROGRAM || o->exit_code == 127 || o->exit_code == 126;
}

static enum audience audience_of(const struct run *r) { return r->rq->audience; }

/* The relay knows the refused hosts whatever the program printed; otherwise a message must complain. */
static void add_network(struct arena *a, struct hint **list, const struct run *r, const struct outcome *o,
		struct str end, bool complained)
{
	const struct network_hint_context c = {.who = audience_of(r), .network = &r->spec.network,
			.taken_away = r->taken_away, .policy_counts = r->policy_hosts};
	struct str text = complained || o->network ? network_hint(a, &c, o, end) : STR("");

	if (text.n)
		add_hint(a, list, hints[WALL_NETWORK].id, text);
}

/* The client's own sandbox is read-only or unknown, and the box permits no more than it does. */
static void add_walls(struct arena *a, struct hint **list, const struct client_walls *w)
{
	if (w && w->mode == CLIENT_SANDBOX_READ_ONLY)
		add_hint(a, list, "read-only",
				STR("the client is in its read-only mode, so the project is read-only in "
				"the box as well"));
	else if (w && w->mode == CLIENT_SANDBOX_UNKNOWN)
		add_hint(a, list, "read-only",
				STR("the mode of the client's own sandbox could not be found out, so the "
				"project is read-only in the box "
				"(caisson doctor --client)"));
}

struct hint *denial_hints(struct arena *a, const struct run *r, const struct outcome *o)
{
	struct hint *list = NULL;
	struct str end;

	add_capped(a, &list, r->capped);
	for (size_t i = 0; i < ARRAY_SIZE(by_status); i++)
		if (by_status[i].status == o->status && by_status[i].other == (o->by_cpu_time || o->by_scratch))
			add_hint(a, &list, by_status[i].id, str_fmt(a, "%s; %.*s", by_status[i].text,
				STR_ARG(audience_advice(a, audience_of(r), by_status[i].limit))));
	if (o->lingers)
		add_hint(a, &list, "teardown",
				STR("the kernel is still giving back what the box held, which takes it a "
				"while; nothing of the box runs any more"));
	if (o->status == STATUS_SETUP_ERROR && str_starts(str_of(o->err_setup.text), "cannot run '"))
		add_hint(a, &list, hints[WALL_PROGRAM].id, str_of(hints[WALL_PROGRAM].text));
	if (o->status != STATUS_EXIT_NONZERO && o->status != STATUS_SIGNAL && o->status != STATUS_TIMEOUT)
		return list;
	end = stream_tail(a, &o->err, HINT_BYTES);
	add_notes(a, &list, "registries", r->registry_notes);
	add_notes(a, &list, "paths", r->path_notes);
	if (o->exit_code == 127 || str_contains(end, STR(STAND_IN_WORDS)))
		add_hidden(a, &list, r->hidden_dirs);
	add_network(a, &list, r, o, end, false);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (is_likely(r, o, rows[i].wall) && str_contains(end, str_of(rows[i].text))) {
			if (rows[i].wall == WALL_READONLY)
				add_walls(a, &list, r->rq->walls);
			if (rows[i].wall == WALL_NETWORK)
				add_network(a, &list, r, o, end, true);
			add_hint(a, &list, hints[rows[i].wall].id, str_of(hints[rows[i].wall].text));
		}
	return list;
}
