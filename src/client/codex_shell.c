/*
 * See codex.h. Codex writes the row of a call to the transcript before it runs the hook:
 *
 *     {"timestamp": …, "type": "response_item", "payload": {"type": "function_call",
 *         "name": "exec_command", "call_id": …,
 *         "arguments": "{\"cmd\": …, \"shell\": \"/usr/bin/zsh\", \"environment_id\": …}"}}
 *
 * How Codex finds a shell (0.149 and later): the base name of `shell` without its extension selects a type.
 * Codex takes the login shell if it has that type, else the first match in PATH, else /bin/sh. Before 0.149
 * it started the file that `shell` names. We check both, because the version is unknown.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "client/codex.h"
#include "sys/file.h"
#include "sys/path.h"
#include "sys/user.h"

#define TAIL_SHORT ((size_t)64 << 10) /* end of the transcript that usually holds the row */
#define TAIL_LONG ((size_t)4 << 20)
#define ROW_TRIES 5 /* Codex may not have written the row yet */
#define ROW_WAIT_MS 20
#define CALL_ID_MAX 200
#define SHELLS_MAX ((size_t)64 << 10) /* bytes of /etc/shells */

/* ---- the row ---- */

static const struct json *parse_json(struct arena *a, struct str text)
{
	struct json_reader r;
	const struct json *v;

	json_reader_init(&r, a, text, JSON_TOLERANT);
	v = json_next(&r);
	return v && json_at_end(&r) && v->kind == JSON_OBJECT ? v : NULL;
}

const struct json *codex_call_of_line(struct arena *a, struct str line, struct str call)
{
	const struct json *all = parse_json(a, line), *payload = json_key(all, "payload");

	if (!str_is(json_text_at(all, "type"), "response_item") ||
		!str_is(json_text_at(payload, "type"), "function_call") ||
		!str_eq(json_text_at(payload, "call_id"), call))
		return NULL;
	return parse_json(a, json_text_at(payload, "arguments"));
}

/* Finds the last row of the call among the complete lines of a text. */
static const struct json *find_row(struct arena *a, struct str text, struct str call)
{
	for (size_t end = text.n; end;) {
		const char *nl = memrchr(text.p, '\n', end);
		size_t from = nl ? (size_t)(nl - text.p) + 1 : 0;
		struct str line = str_sub(text, from, end);
		const struct json *found =
			str_contains(line, call) ? codex_call_of_line(a, str_dup(a, line), call) : NULL;

		if (found)
			return found;
		end = nl ? (size_t)(nl - text.p) : 0;
	}
	return NULL;
}

static const struct json *find_in_tail(
	struct arena *a, const struct codex_turn *t, struct str call, char *room, size_t most)
{
	size_t size = 0;
	int fd = codex_open_transcript(a, t, &size);
	size_t n = size < most ? size : most;

	if (fd < 0)
		return NULL;
	n = codex_read_at(fd, room, n, size - n);
	fd_close(&fd);
	return find_row(a, str_n(room, n), call);
}

/*
 * Returns the arguments of the call. NULL if the transcript lacks it (a session without a transcript, a call
 * made by another tool).
 */
static const struct json *find_call(struct arena *a, const struct codex_turn *t, struct str call)
{
	const struct json *found;
	size_t size = 0;
	char *room;

	if (!call.n || call.n > CALL_ID_MAX)
		return NULL;
	{
		FD_CLEANUP int fd = codex_open_transcript(a, t, &size);

		if (fd < 0)
			return NULL;
	}
	room = arena_alloc(a, TAIL_SHORT);
	found = find_in_tail(a, t, call, room, TAIL_SHORT);
	if (!found && size > TAIL_SHORT)
		found = find_in_tail(a, t, call, arena_alloc(a, TAIL_LONG), TAIL_LONG);
	for (int i = 0; i < ROW_TRIES && !found; i++) {
		nanosleep(&(struct timespec){.tv_nsec = ROW_WAIT_MS * 1000000L}, NULL);
		found = find_in_tail(a, t, call, room, TAIL_SHORT);
	}
	return found;
}

/* ---- the shell ---- */

static const struct shell_type {
	char name[12], programs[2][12]; /* Codex's name for the type, and the programs it searches in PATH */
	enum dialect dialect;
	bool known; /* Caisson can parse its language */
} types[] = {
	{"bash", {"bash", ""}, DIALECT_BASH, true},
	{"sh", {"sh", ""}, DIALECT_SH, true},
	{"zsh", {"zsh", ""}, DIALECT_ZSH, true},
	{"pwsh", {"pwsh", "powershell"}, DIALECT_POWERSHELL, true},
	{"powershell", {"pwsh", "powershell"}, DIALECT_POWERSHELL, true},
	{"cmd", {"cmd", ""}, DIALECT_BASH, false},
};

#define NTYPES ARRAY_SIZE(types)

static struct str last_part(struct str path)
{
	size_t from;

	while (path.n > 1 && path.p[path.n - 1] == '/')
		path.n--;
	for (from = path.n; from && path.p[from - 1] != '/'; from--)
		;
	return str_from(path, from);
}

/* Returns the shell type. NULL: unknown to Codex, which then takes /bin/sh. */
static const struct shell_type *type_of(struct str shell)
{
	struct str name = last_part(shell);
	ptrdiff_t dot = name.n ? str_find(name, '.', 1) : -1;

	name = dot < 0 ? name : str_first(name, (size_t)dot);
	for (size_t i = 0; i < NTYPES; i++)
		if (str_is(name, types[i].name))
			return &types[i];
	return NULL;
}

struct shell_search {
	struct arena *a;
	const struct codex_places *p;
	struct path_memo memo;
	bool present; /* only an existing file counts, not a place for one */
};

static enum shell_found find_type(struct shell_search *s, const struct shell_type *type, struct str *ret)
{
	enum shell_found found = SHELL_NONE;

	if (type_of(s->p->login) == type && shell_is_program(s->a, s->p->login)) {
		*ret = s->p->login; /* only root can write the password database */
		return SHELL_OWN;
	}
	for (size_t i = 0; i < 2 && type->programs[i][0] && found == SHELL_NONE; i++)
		found = shell_in_path(&s->memo, &s->p->at, type->programs[i], s->present, ret);
	return found;
}

static bool is_listed(struct str shells, struct str path)
{
	for (size_t at = 0; at < shells.n;) {
		size_t to = str_end(shells, '\n', at);

		if (str_eq(str_sub(shells, at, to), path))
			return true;
		at = to + 1;
	}
	return false;
}

/* True if the named path is a system shell, or a missing file in a system directory. */
static bool is_systems(struct shell_search *s, struct str path)
{
	static const char dirs[][16] = {"/bin", "/usr/bin", "/usr/local/bin"};
	bool placed = is_listed(s->p->shells, path) && !shell_agents_place(&s->memo, &s->p->at, path);
	struct stat st;

	for (size_t i = 0; i < ARRAY_SIZE(dirs); i++)
		placed |= str_starts(path, "/") && str_is(path_parent(path), dirs[i]);
	if (!placed || shell_agents_place(&s->memo, &s->p->at, path))
		return false;
	return stat(str_c(s->a, path), &st) != 0 || (st.st_uid == 0 && !(st.st_mode & (S_IWGRP | S_IWOTH)));
}

static void refuse_shell(struct shell_search *s, struct shell_choice *ret, const char *what, struct str path)
{
	if (!ret->refuse.n)
		ret->refuse = str_fmt(s->a, "%s: '%.*s'", what, STR_ARG(path));
}

static void read_named(struct shell_search *s, struct str shell, struct shell_choice *ret)
{
	const struct shell_type *type = type_of(shell);
	struct str path = shell;
	enum shell_found found;

	ret->named = true;
	ret->dialect = DIALECT_SH;
	if (str_has(shell, '/') && !is_systems(s, shell)) {
		refuse_shell(s, ret,
			"the call names a shell that is not one of the system's; leave 'shell' out", shell);
		return;
	}
	found = type ? find_type(s, type, &path) : SHELL_NONE;
	if (found == SHELL_FOREIGN)
		refuse_shell(s, ret,
			"Codex would look for the shell that the call names where an agent can put a file; "
			"leave 'shell' out",
			path);
	else if (found == SHELL_OWN && !type->known)
		refuse_shell(s, ret,
			"the call names a shell whose language Caisson does not read; leave 'shell' out",
			path);
	else if (found == SHELL_OWN)
		ret->dialect = type->dialect;
}

/* The call names no shell: check every shell that may read the command. */
static void read_any(struct shell_search *s, const struct shell_type *from, size_t n,
		struct shell_choice *ret)
{
	s->present = true;
	for (size_t i = 0; i < n; i++) {
		struct str path = STR("");
		enum shell_found found = find_type(s, &from[i], &path);

		if (found == SHELL_FOREIGN)
			refuse_shell(s, ret,
				"Codex may start a shell that an agent could have placed there; remove its "
				"directory from PATH and restart Codex",
				path);
		else if (found == SHELL_OWN)
			ret->others |= 1U << from[i].dialect;
	}
}

void codex_shell_of_call(
	struct arena *a, const struct codex_places *p, const struct json *call, struct shell_choice *ret)
{
	struct shell_search s = {.a = a, .p = p};
	const struct shell_type *login = type_of(p->login);
	struct str elsewhere = json_text_at(call, "environment_id"), shell = json_text_at(call, "shell");

	*ret = (struct shell_choice){.refuse = STR("")};
	path_memo_init(&s.memo, a, STR(""));
	if (elsewhere.n && !str_is(elsewhere, "local"))
		refuse_shell(&s, ret, "the call is for another machine, which Caisson does not know",
			elsewhere);
	if (json_is(json_key(call, "shell"), JSON_STRING))
		read_named(&s, shell, ret);
	else if (call)
		read_any(&s, login ? login : &types[0], 1, ret);
	else
		read_any(&s, types, NTYPES, ret);
}

void codex_shell(struct arena *a, const struct codex_turn *t, struct str call, const struct view *v,
	struct shell_choice *ret)
{
	struct codex_places p = {.at = shell_places(v), .shells = STR("")};
	struct user self = {.shell = STR("")};
	struct path_memo m;
	enum path_kind kind;

	user_self(a, NULL, NULL, &self, NULL);
	p.login = self.shell;
	path_memo_init(&m, a, STR(""));
	p.at.own = path_real(&m, codex_home(a, t->home), &kind);
	file_read(a, "/etc/shells", SHELLS_MAX, &p.shells, NULL, NULL);
	codex_shell_of_call(a, &p, find_call(a, t, call), ret);
}
