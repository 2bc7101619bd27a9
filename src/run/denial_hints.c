/*
 * Says which wall of the box probably caused a failure: a command that the box broke should not look like a
 * broken command. One table has all hints, in the order in which a report lists them; a second one has the
 * messages of programs that point to a hint.
 */
#include <unistd.h>

#include "base/ascii.h"
#include "base/num.h"
#include "run/missing_paths.h"
#include "run/network_hints.h"
#include "run/run.h"
#include "run/script_hint.h"
#include "run/search_path.h"
#include "sys/listening.h"
#include "sys/stream.h"

#define HINT_BYTES ((size_t)64 << 10) /* bytes searched at the end of each stream */
#define LISTENING_MAX 256 /* ports of the host that are looked at */
#define NO_LIMIT LIMITS
#define NOT_SEEN \
	"the box shows only the system's directories and the workspace"

enum hint_kind {
	HINT_CAPPED,
	HINT_SKILL,
	HINT_TIME,
	HINT_CPU_TIME,
	HINT_OOM,
	HINT_OUTPUT,
	HINT_CACHES,
	HINT_TMP,
	HINT_ENDED,
	HINT_TEARDOWN,
	HINT_DROPPED,
	HINT_NO_PROGRAM,
	HINT_SHELL_TEXT,
	HINT_SCRIPT,
	HINT_FILES,
	HINT_REGISTRIES,
	HINT_PATHS,
	HINT_PATH,
	HINT_NETWORK,
	HINT_CREDENTIALS,
	HINT_LOOPBACK,
	HINT_CACHE,
	HINT_MISSING,
	HINT_READONLY,
	HINT_MEMORY,
	HINT_PIDS,
	HINT_SCRATCH,
	HINT_PTRACE,
	HINT_PERF,
	HINT_PROGRAM,
	HINTS
};

struct clues { /* everything that hints are made from */
	struct arena *a;
	const struct run *r;
	const struct outcome *o;
	/* the ends of stderr and of both streams; empty unless the program failed, or may have */
	struct str err, said;
};

static const struct complaint {
	enum hint_kind hint;
	char text[40];
	char unless[12]; /* an option of the command that explains the message */
} complaints[] = {
		{HINT_NETWORK, "Could not resolve", ""},
		{HINT_NETWORK, "Network is unreachable", ""},
		{HINT_NETWORK, "Temporary failure in name resolution", ""},
		{HINT_NETWORK, "Temporary failure resolving", ""},
		{HINT_NETWORK, "Name or service not known", ""},
		{HINT_NETWORK, "EAI_AGAIN", ""},
		{HINT_NETWORK, "ENETUNREACH", ""},
		{HINT_NETWORK, "ENOTFOUND", ""},
		{HINT_NETWORK, "EAFNOSUPPORT", ""},
		{HINT_NETWORK, "Address family not supported", ""},
		{HINT_NETWORK, "NewConnectionError", ""},
		{HINT_NETWORK, "unable to resolve host", ""},
		{HINT_NETWORK, "unable to access 'http", ""},
		{HINT_NETWORK, "dial tcp", ""},
		{HINT_NETWORK, "failed to lookup address", ""},
		/* pip and apt, which do not say why */
		{HINT_NETWORK, "(from versions: none)", "--no-index"},
		{HINT_NETWORK, "Unable to locate package", ""},
		{HINT_CREDENTIALS, "could not read Username for", ""},
		{HINT_CREDENTIALS, "could not read Password for", ""},
		{HINT_CREDENTIALS, "Permission denied (publickey", ""},
		{HINT_CREDENTIALS, "code E401", ""},
		{HINT_LOOPBACK, "ECONNREFUSED", ""},
		{HINT_LOOPBACK, "onnection refused", ""},
		{HINT_LOOPBACK, "Couldn't connect to server", ""},
		{HINT_CACHE, "ENOTCACHED", ""},
		{HINT_CACHE, "NO_OFFLINE_", ""},
		{HINT_CACHE, "in offline mode", ""},
		{HINT_CACHE, "for offline mode", ""},
		{HINT_CACHE, "--offline was specified", ""},
		{HINT_CACHE, "using the `--offline` flag", ""},
		{HINT_CACHE, "GOPROXY=off", ""},
		{HINT_CACHE, "in your offline mirror", ""},
		{HINT_CACHE, "Executable doesn't exist at", ""},
		{HINT_CACHE, "requested artifact is missing", ""},
		{HINT_CACHE, "Network connectivity is disabled", ""},
		{HINT_READONLY, "Read-only file system", ""},
		{HINT_READONLY, "EROFS", ""},
		{HINT_READONLY, "read-only file system", ""},
		{HINT_MEMORY, "MemoryError", ""},
		{HINT_MEMORY, "Cannot allocate memory", ""},
		{HINT_MEMORY, "cannot allocate memory", ""},
		{HINT_MEMORY, "std::bad_alloc", ""},
		{HINT_MEMORY, "heap out of memory", ""},
		{HINT_MEMORY, "OutOfMemoryError", ""},
		{HINT_MEMORY, "ENOMEM", ""},
		{HINT_MEMORY, "memory exhausted", ""},
		{HINT_MEMORY, "virtual memory exhausted", ""},
		{HINT_PIDS, "Resource temporarily unavailable", ""},
		{HINT_PIDS, "can't start new thread", ""},
		{HINT_PIDS, "fork: retry", ""},
		{HINT_PIDS, "unable to create native thread", ""},
		{HINT_PIDS, "Cannot fork", ""},
		{HINT_SCRATCH, "No space left on device", ""},
		{HINT_SCRATCH, "ENOSPC", ""},
		{HINT_PTRACE, "ptrace:", ""},
		{HINT_PTRACE, "Could not trace the inferior", ""},
		{HINT_PTRACE, "LeakSanitizer has encountered a fatal", ""},
		{HINT_PTRACE, "PTRACE_", ""},
		{HINT_PTRACE, "ptrace(", ""},
		{HINT_PERF, "perf_event_open", ""},
		{HINT_PERF, "No permission to enable", ""},
		{HINT_PROGRAM, "command not found", ""},
		{HINT_PROGRAM, "not found", ""},
		{HINT_PROGRAM, "No such file or directory", ""},
};

/* ---- when a hint holds ---- */

static bool speaks_of(const struct clues *c, struct str text, enum hint_kind hint)
{
	struct str command = c->r->gate_request.command;

	for (size_t i = 0; i < ARRAY_SIZE(complaints); i++) {
		const struct complaint *k = &complaints[i];

		if (k->hint == hint && str_contains(text, str_of(k->text)) &&
				!(k->unless[0] && str_contains(command, str_of(k->unless))))
			return true;
	}
	return false;
}

static bool complained(const struct clues *c, enum hint_kind hint) { return speaks_of(c, c->said, hint); }

static bool failed(const struct clues *c)
{
	return c->o->status == STATUS_EXIT_NONZERO || c->o->status == STATUS_SIGNAL ||
	       c->o->status == STATUS_TIMEOUT || c->o->interrupted || c->o->unfinished;
}

/* The status is that of the last program of a pipeline, as `tail`, or of the command after ||. */
static bool hides_failure(struct str command)
{
	static const char ends[][8] = {"tail", "head", "tee", "cat", "grep", "sed", "awk", "less", "wc",
			"true", ":", "echo"};
	size_t bar = command.n, word;

	if (str_contains(command, STR("$?")))
		return true;
	while (bar && command.p[bar - 1] != '|')
		bar--;
	for (word = bar; word < command.n && command.p[word] == ' ';)
		word++;
	for (size_t i = 0; bar && i < ARRAY_SIZE(ends); i++) {
		struct str rest = str_from(command, word);
		size_t n = strlen(ends[i]);

		if (str_starts(rest, ends[i]) && (rest.n == n || strchr(" \t\n;)", rest.p[n])))
			return true;
	}
	return false;
}

static bool is_isolated(const struct clues *c)
{
	return network_isolated(&c->r->spec.network);
}
static bool reaches_names(const struct clues *c) { return network_has_names(&c->r->spec.network); }

static bool out_of_time(const struct clues *c)
{
	return c->o->status == STATUS_TIMEOUT && !c->o->by_cpu_time;
}
static bool out_of_cpu(const struct clues *c)
{
	return c->o->status == STATUS_TIMEOUT && c->o->by_cpu_time;
}
static bool out_of_memory(const struct clues *c)
{
	return c->o->status == STATUS_OOM;
}
static bool too_long(const struct clues *c)
{
	return c->o->status == STATUS_OUTPUT_LIMIT && !c->o->by_scratch && !c->o->by_caches;
}
static bool caches_full(const struct clues *c) { return c->o->by_caches; }

static bool tmp_full(const struct clues *c)
{
	return c->o->status == STATUS_OUTPUT_LIMIT && c->o->by_scratch;
}
static bool lingers(const struct clues *c)
{
	return c->o->lingers;
}

static bool not_executed(const struct clues *c)
{
	return c->o->status == STATUS_SETUP_ERROR && c->r->spec.argv && c->r->spec.argv[0] &&
			str_starts(str_of(c->o->err_setup.text), "cannot run '");
}

static bool program_missing(const struct clues *c)
{
	return not_executed(c) && missing_program(c->a, c->r, str_of(c->r->spec.argv[0]));
}

/* A person wrote `caisson run 'make test'` without -c. */
static bool is_shell_text(const struct clues *c)
{
	return not_executed(c) && str_has(str_of(c->r->spec.argv[0]), ' ');
}

/* Bash does not say which interpreter of a script is missing. */
static bool not_started(const struct clues *c)
{
	return (c->o->exit_code == 127 || c->o->exit_code == 126) &&
			(missing_programs_named(c->a, c->r, c->said) ||
			str_contains(c->said, STR("required file not found")));
}

static bool may_not_trace(const struct clues *c) { return !c->r->spec.ptrace; }

/* A server that was expected on this machine. */
static bool meant_loopback(const struct clues *c)
{
	return is_isolated(c) &&
	       (str_contains(c->said, STR("127.0.0.1")) || str_contains(c->said, STR("::1")) ||
			       str_contains(c->said, STR("localhost")));
}

/* ---- texts that depend on the run ---- */

static struct str say_capped(const struct clues *c)
{
	const struct texts *capped = c->r->capped;
	struct buf b;

	if (!capped)
		return STR("");
	buf_init(&b, c->a, 0);
	buf_c(&b, capped->next ? "the limits" : "the limit");
	for (const struct texts *t = capped; t; t = t->next)
		buf_fmt(&b, "%s '%.*s'", t == capped ? "" : ",", STR_ARG(t->text));
	buf_fmt(&b, " %s smaller than requested: the policy allows no more", capped->next ? "are" : "is");
	return buf_view(&b);
}

static struct str join_notes(struct arena *a, const struct texts *notes, const char *between);

static struct str say_unknown_keys(const struct clues *c)
{
	const struct skill *s = c->r->rq->skilled;

	if (!s || !s->unknown)
		return STR("");
	return str_fmt(c->a, "the skill has keys that caisson does not know, so they have no effect: %.*s",
			STR_ARG(join_notes(c->a, s->unknown, ", ")));
}

static struct str join_notes(struct arena *a, const struct texts *notes, const char *between)
{
	struct buf b;

	buf_init(&b, a, 0);
	for (; notes; notes = notes->next)
		buf_fmt(&b, "%s%.*s", b.n ? between : "", STR_ARG(notes->text));
	return buf_view(&b);
}

/* The first port after ':' or "port " on which the host listens; 0: none. */
static uint16_t wanted_of_host(const struct clues *c)
{
	uint16_t ports[LISTENING_MAX];
	size_t n = listening_ports(c->a, getpid(), ports, LISTENING_MAX);

	for (size_t at = 1; at < c->said.n; at++) {
		size_t end = at;
		int64_t port;

		if (c->said.p[at - 1] != ':' && !str_ends(str_first(c->said, at), "port "))
			continue;
		while (end < c->said.n && ascii_is_digit(c->said.p[end]))
			end++;
		if (num_parse(str_sub(c->said, at, end), 1, UINT16_MAX, &port) != 0)
			continue;
		for (size_t i = 0; i < n; i++)
			if (ports[i] == port)
				return ports[i];
	}
	return 0;
}

static struct str say_loopback(const struct clues *c)
{
	uint16_t port = c->r->spec.profile == PROFILE_WORK ? wanted_of_host(c) : 0;

	if (!port)
		return STR("127.0.0.1 and localhost belong to the box: it cannot reach a server outside");
	return str_fmt(c->a,
			"127.0.0.1 and localhost belong to the box; the machine listens on port %u, and the "
			"user can let boxes reach it with 'sandbox: {network: {host_ports: [%u]}}' in "
			AUDIENCE_POLICY, port, port);
}

static struct str say_registries(const struct clues *c)
{
	return join_notes(c->a, c->r->registry_notes, "; ");
}
static struct str say_paths(const struct clues *c)
{
	return join_notes(c->a, c->r->path_notes, "; ");
}

static struct str say_hidden_dirs(const struct clues *c)
{
	struct str dirs = join_notes(c->a, c->r->hidden_dirs, ", ");

	if (!dirs.n || !(str_contains(c->said, STR(STAND_IN_WORDS)) ||
			(c->o->exit_code == 127 && missing_programs_named(c->a, c->r, c->said))))
		return STR("");
	return str_fmt(c->a,
			"the box does not show these directories of PATH, so their programs cannot run: "
			"%.*s; %s",
			STR_ARG(dirs), audience_show(c->r->rq->audience));
}

/* The client knows why it ended the command, and its model often does not. */
static struct str say_ended(const struct clues *c)
{
	if (!c->o->interrupted || c->r->rq->audience != AUDIENCE_CLIENT)
		return STR("");
	return str_fmt(c->a,
			"the client ended the command after %llu s, before the box's own time limit; use a "
			"longer timeout, or run it in the background",
			(unsigned long long)(c->o->duration_ms / 1000));
}

/* A command that ended well and wrote beside the project would seem to have left something there. */
static struct str say_dropped(const struct clues *c)
{
	const struct spec *s = &c->r->spec;
	struct str rest = str_of(c->o->dropped);
	struct buf b;

	if (!rest.n || s->profile != PROFILE_WORK)
		return STR("");
	buf_init(&b, c->a, 0);
	while (rest.n) {
		struct str path = str_cut(&rest, '\n');
		bool home = path_inside(path, s->home) && path.n > s->home.n;

		buf_fmt(&b, "%s'%s%.*s'", b.n ? ", " : "", home ? "~" : "",
				STR_ARG(home ? str_from(path, s->home.n) : path));
	}
	return str_fmt(c->a, "these files were lost with the box: %.*s; write to the project or /tmp, or %s",
			STR_ARG(buf_view(&b)), audience_keep(c->r->rq->audience));
}

/* The relay knows the refused hosts whatever the program printed; otherwise a message must complain. */
static struct str say_network(const struct clues *c)
{
	bool speaks = complained(c, HINT_NETWORK);
	/* other texts of stdout have addresses, too */
	struct str said = !speaks || speaks_of(c, c->err, HINT_NETWORK) ? c->err : c->said;
	const struct network_hint_context x = {.who = c->r->rq->audience,
			.network = &c->r->spec.network,
			.argv = c->r->rq->argv,
			.taken_away = c->r->taken_away,
			.policy_counts = c->r->policy_hosts};
	struct str text = speaks || c->o->network ? network_hint(c->a, &x, c->o, said) : STR("");

	return text.n || !speaks || c->o->network ? text : STR("the network is denied in the box");
}

static struct str say_cache(const struct clues *c)
{
	if (!is_isolated(c))
		return STR("");
	return str_fmt(c->a, "a package is missing in the caches of the box and cannot be fetched offline; "
			"%s",
			audience_registry(c->r->rq->audience));
}

/* A person who names a file of this directory expects that the box shows it. */
static struct str say_files(const struct clues *c)
{
	struct str name = c->r->rq->audience != AUDIENCE_TERMINAL ? STR("") :
			missing_here(c->a, c->r, not_executed(c) ? str_of(c->o->err_setup.text) : c->said);

	if (!name.n)
		return name;
	return str_fmt(c->a,
			"the box shows none of your files unless an option names them; '--workspace .' shows "
			"this directory with '%.*s' ('--workspace .:ro': read-only)", STR_ARG(name));
}

static struct str say_script(const struct clues *c) { return script_hint(c->a, c->r); }

static struct str say_missing(const struct clues *c)
{
	return missing_paths_hint(c->a, c->r, c->said);
}

/* A file of the machine's /tmp that a message names on a line about read-only files; NULL: none. */
static const struct spec_tmp_file *find_readonly_tmp(const struct clues *c)
{
	for (size_t from = 0; c->r->spec.tmp_files && from < c->said.n;) {
		size_t end = str_end(c->said, '\n', from);
		struct str line = str_sub(c->said, from, end);

		from += line.n + 1;
		for (const struct spec_tmp_file *f = c->r->spec.tmp_files; f; f = f->next)
			if (!f->writable && speaks_of(c, line, HINT_READONLY) &&
					str_contains(line, f->path))
				return f;
	}
	return NULL;
}

/* The client's own sandbox is read-only or unknown, and the box permits no more than it does. */
static struct str say_readonly(const struct clues *c)
{
	const struct client_walls *w = c->r->rq->walls;
	const struct spec_tmp_file *f = find_readonly_tmp(c);

	if (w && w->mode == CLIENT_SANDBOX_READ_ONLY)
		return STR("the client is in its read-only mode, so the project is read-only in the box as "
			   "well");
	if (w && w->mode == CLIENT_SANDBOX_UNKNOWN)
		return STR("the mode of the client's own sandbox is unknown, so the project is read-only in "
			   "the box (caisson doctor --client)");
	if (f)
		return str_fmt(c->a, "'%.*s' is a file of the machine and read-only in the box; use another "
			"name in /tmp", STR_ARG(f->path));
	return STR("only the workspace (except protected files), the home and /tmp are writable in the box");
}

/* ---- the table ---- */

/*
 * A row holds if `applies` does (NULL: always) and, with `complained`, a message of the program points to it.
 * Then `say` makes the text (empty: no hint after all), or `text` is it. A limit adds how to change it.
 */
enum hint_when {
	ANYTIME,
	FAILED, /* after a failure */
	MASKED, /* also where the status is that of another command (hides_failure()) */
};

static const struct hint_row {
	char id[16];
	enum hint_when when;
	bool complained;
	enum limit limit;
	bool (*applies)(const struct clues *c);
	struct str (*say)(const struct clues *c);
	char text[168];
} rows[HINTS] = {
		[HINT_CAPPED] = {"limit-capped", ANYTIME, false, NO_LIMIT, NULL, say_capped, ""},
		[HINT_SKILL] = {"skill-key", ANYTIME, false, NO_LIMIT, NULL, say_unknown_keys, ""},
		[HINT_TIME] = {"timeout", ANYTIME, false, LIMIT_TIME, out_of_time, NULL,
				"the time limit was reached"},
		[HINT_CPU_TIME] = {"timeout", ANYTIME, false, LIMIT_CPU_TIME, out_of_cpu, NULL,
				"the CPU time limit was reached"},
		[HINT_OOM] = {"memory", ANYTIME, false, LIMIT_MEMORY, out_of_memory, NULL,
				"the memory limit was reached"},
		[HINT_OUTPUT] = {"output", ANYTIME, false, LIMIT_OUTPUT, too_long, NULL,
				"the output limit was reached"},
		[HINT_TMP] = {"scratch", ANYTIME, false, LIMIT_SCRATCH, tmp_full, NULL,
				"the project's /tmp exceeds its limit: remove files there"},
		[HINT_CACHES] = {"caches", ANYTIME, false, NO_LIMIT, caches_full, NULL,
				"the project's caches in boxes exceed their limit and are deleted; the user "
				"can raise 'sandbox.caches.project' in " AUDIENCE_POLICY},
		[HINT_ENDED] = {"ended", ANYTIME, false, NO_LIMIT, NULL, say_ended, ""},
		[HINT_TEARDOWN] = {"teardown", ANYTIME, false, NO_LIMIT, lingers, NULL,
				"the box has ended, but the kernel is still releasing its resources"},
		[HINT_DROPPED] = {"dropped", ANYTIME, false, NO_LIMIT, NULL, say_dropped, ""},
		[HINT_NO_PROGRAM] = {"not-found", ANYTIME, false, NO_LIMIT, program_missing, NULL, NOT_SEEN},
		[HINT_SHELL_TEXT] = {"shell-text", ANYTIME, false, NO_LIMIT, is_shell_text, NULL,
				"no program has this name; -c runs shell text: caisson run -c 'TEXT'"},
		[HINT_SCRIPT] = {"script", ANYTIME, false, NO_LIMIT, not_executed, say_script, ""},
		[HINT_FILES] = {"files", ANYTIME, false, NO_LIMIT, NULL, say_files, ""},
		[HINT_REGISTRIES] = {"registries", FAILED, false, NO_LIMIT, NULL, say_registries, ""},
		[HINT_PATHS] = {"paths", FAILED, false, NO_LIMIT, NULL, say_paths, ""},
		[HINT_PATH] = {"path", MASKED, false, NO_LIMIT, NULL, say_hidden_dirs, ""},
		[HINT_NETWORK] = {"network", MASKED, false, NO_LIMIT, is_isolated, say_network, ""},
		[HINT_CREDENTIALS] = {"credentials", FAILED, true, NO_LIMIT, reaches_names, NULL,
				"the host wants credentials, which the box does not have; ask the user to "
				"run the command outside the box"},
		[HINT_LOOPBACK] = {"loopback", FAILED, true, NO_LIMIT, meant_loopback, say_loopback, ""},
		[HINT_CACHE] = {"cache", MASKED, true, NO_LIMIT, NULL, say_cache, ""},
		[HINT_MISSING] = {"missing", MASKED, false, NO_LIMIT, NULL, say_missing, ""},
		[HINT_READONLY] = {"read-only", FAILED, true, NO_LIMIT, NULL, say_readonly, ""},
		[HINT_MEMORY] = {"memory", FAILED, true, LIMIT_MEMORY, NULL, NULL,
				"the memory limit may be too low"},
		[HINT_PIDS] = {"pids", FAILED, true, LIMIT_PIDS, NULL, NULL,
				"the limit of processes and threads may be too low"},
		[HINT_SCRATCH] = {"scratch", FAILED, true, LIMIT_SCRATCH, NULL, NULL,
				"the scratch space of the home and /tmp may be too small (or all 256 "
				"pseudo-terminals are in use)"},
		[HINT_PTRACE] = {"ptrace", MASKED, true, NO_LIMIT, may_not_trace, NULL,
				"programs in the box may not trace each other; the user can permit it with "
				"'sandbox.ptrace: true' in " AUDIENCE_POLICY},
		[HINT_PERF] = {"perf", MASKED, true, NO_LIMIT, NULL, NULL,
				"performance counters are not available in the box"},
		[HINT_PROGRAM] = {"not-found", FAILED, true, NO_LIMIT, not_started, NULL, NOT_SEEN},
};

static struct str text_of(const struct clues *c, const struct hint_row *row)
{
	struct str text = row->say ? row->say(c) : str_of(row->text);

	if (!text.n || row->limit == NO_LIMIT)
		return text;
	return str_fmt(c->a, "%.*s; %.*s", STR_ARG(text),
			STR_ARG(audience_advice(c->a, c->r->rq->audience, row->limit)));
}

static void add_hint(struct arena *a, struct hint **list, const char *id, struct str text)
{
	for (; *list; list = &(*list)->next)
		if (!strcmp((*list)->id, id))
			return;
	*list = arena_new(a, struct hint);
	**list = (struct hint){.id = id, .text = text};
}

static bool holds_now(const struct hint_row *row, enum hint_when now)
{
	return row->when == ANYTIME || now == FAILED || (row->when == MASKED && now == MASKED);
}

struct hint *denial_hints(struct arena *a, const struct run *r, const struct outcome *o)
{
	struct clues c = {.a = a, .r = r, .o = o, .err = STR(""), .said = STR("")};
	enum hint_when now = failed(&c) ? FAILED : hides_failure(r->gate_request.command) ? MASKED : ANYTIME;
	struct hint *list = NULL;

	if (now != ANYTIME) {
		c.err = stream_tail(a, &o->err, HINT_BYTES);
		c.said = str_cat(a, c.err, str_cat(a, STR("\n"), stream_tail(a, &o->out, HINT_BYTES)));
	}
	for (size_t i = 0; i < HINTS; i++) {
		const struct hint_row *row = &rows[i];
		struct str text;

		/* what holds anytime is said at the end */
		if (o->unfinished && row->when == ANYTIME)
			continue;

		bool needs_words = row->complained || (i == HINT_NETWORK && now == MASKED);

		if (!holds_now(row, now) || (row->applies && !row->applies(&c)) ||
				(needs_words && !complained(&c, (enum hint_kind)i)))
			continue;
		text = text_of(&c, row);
		if (text.n)
			add_hint(a, &list, row->id, text);
	}
	return list;
}
