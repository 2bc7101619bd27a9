/*
 * See codex.h. The line to find:
 *
 *     {"timestamp": …, "type": "turn_context", "payload": {"turn_id": …, "cwd": …,
 *         "sandbox_policy": {"type": "workspace-write", "writable_roots": […], …},
 *         "permission_profile": {"type": "managed", "file_system": {"type": "restricted", "entries": [
 *             {"path": {"type": "special", "value": {"kind": "root"}}, "access": "read"},
 *             {"path": {"type": "path", "path": "/project"}, "access": "write"},
 *             {"path": {"type": "path", "path": "/project/.git"}, "access": "read", …}]}, …}}}
 *
 * The profile lists exactly what is open; an older Codex writes only the policy.
 */
#define _GNU_SOURCE
#include "client/codex.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/client_walls.h"
#include "sys/file.h"
#include "sys/path.h"

#define MARK "\"type\":\"turn_context\"" /* unescaped quotes: cannot match inside a JSON string */
#define CHUNK ((size_t)1 << 20)
#define FIRST_MAX 4096 /* bytes of a line before the mark */

struct str codex_home(struct arena *a, struct str home)
{
	const char *moved = getenv("CODEX_HOME");

	if (moved && moved[0] == '/')
		return str_of(moved);
	return home.n ? str_fmt(a, "%.*s/.codex", STR_ARG(home)) : STR("");
}

/* ---- one line ---- */

struct codex_reader {
	struct arena *a;
	struct str cwd;
	struct client_walls w;
	struct str refuse;
	bool reads_all;
};

static void refuse_mode(struct codex_reader *r, const char *why)
{
	if (!r->refuse.n)
		r->refuse = str_of(why);
}

static void add_path(struct codex_reader *r, struct texts **list, struct str path)
{
	while (path.n > 1 && path.p[path.n - 1] == '/')
		path.n--;
	if (!str_starts(path, "/") || !client_walls_add(r->a, list, path))
		refuse_mode(r, "Codex's sandbox names more paths than Caisson's box supports, or a relative "
				"path");
}

/* Closes names that Codex keeps read-only inside a writable project. Needed if only the policy is known. */
static void close_usual(struct codex_reader *r, struct str root)
{
	static const char names[][8] = {".git", ".codex", ".agents", ".aws"};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		add_path(r, &r->w.closed, str_path(r->a, root, str_of(names[i])));
}

enum opening { OPEN_HIDDEN, OPEN_READ, OPEN_WRITE };

static enum opening opening_of(const struct json *entry)
{
	struct str name = json_text_at(entry, "access");

	return str_is(name, "write") ? OPEN_WRITE : str_is(name, "read") ? OPEN_READ : OPEN_HIDDEN;
}

/*
 * Reads a directory that Codex names by kind. Its temporary directories do not matter: the box has its own.
 */
static void read_special(struct codex_reader *r, const struct json *value, enum opening open)
{
	struct str kind = json_text_at(value, "kind"), below = json_text_at(value, "subpath"), path = r->cwd;

	if (str_is(kind, "root")) {
		r->reads_all |= open != OPEN_HIDDEN;
		if (open == OPEN_WRITE)
			add_path(r, &r->w.writable, STR("/"));
		return;
	}
	if (str_is_any(kind, "slash_tmp tmpdir minimal"))
		return;
	if (!str_is_any(kind, "project_roots current_working_directory")) {
		if (open !=
			OPEN_WRITE) /* safe to ignore for a writable place, not for a closed or hidden one */
			refuse_mode(r, "Codex's sandbox closes a place that Caisson does not recognise");
		return;
	}
	if (below.n)
		path = str_path(r->a, path, below);
	add_path(r, open == OPEN_WRITE ? &r->w.writable : open == OPEN_READ ? &r->w.closed : &r->w.hidden,
			path);
}

static void read_entry(struct codex_reader *r, const struct json *entry)
{
	const struct json *path = json_key(entry, "path");
	enum opening open = opening_of(entry);
	struct str type = json_text_at(path, "type");

	if (str_is(type, "special"))
		read_special(r, json_key(path, "value"), open);
	else if (str_is(type, "path"))
		add_path(r,
			open == OPEN_WRITE  ? &r->w.writable
			: open == OPEN_READ ? &r->w.closed
					    : &r->w.hidden,
			json_text_at(path, "path"));
	else
		refuse_mode(r, "Codex's sandbox closes files by a pattern, which Caisson's box cannot "
				"repeat");
}

static void read_entries(struct codex_reader *r, const struct json *entries)
{
	r->w.mode = CLIENT_SANDBOX_WORKSPACE_WRITE;
	for (const struct json *entry = entries->first; entry; entry = entry->next)
		read_entry(r, entry);
	if (!r->w.writable)
		r->w.mode = CLIENT_SANDBOX_READ_ONLY;
	if (!r->reads_all)
		refuse_mode(r, "Codex's sandbox lets its commands read only a few places, and Caisson's box "
				"would "
			  "show more");
}

/* False if the profile has an unknown form. */
static bool read_profile(struct codex_reader *r, const struct json *profile)
{
	const struct json *files = json_key(profile, "file_system"), *entries = json_key(files, "entries");

	if (str_is_any(json_text_at(profile, "type"), "disabled external") ||
		str_is(json_text_at(files, "type"), "unrestricted")) {
		r->w.mode = CLIENT_SANDBOX_NONE;
		return true;
	}
	if (!str_is(json_text_at(profile, "type"), "managed") ||
		!str_is(json_text_at(files, "type"), "restricted") || !json_is(entries, JSON_ARRAY))
		return false;
	read_entries(r, entries);
	return true;
}

static void read_policy(struct codex_reader *r, const struct json *policy)
{
	struct str type = json_text_at(policy, "type");
	const struct json *roots = json_key(policy, "writable_roots");

	if (str_is_any(type, "danger-full-access external-sandbox"))
		r->w.mode = CLIENT_SANDBOX_NONE;
	else if (str_is(type, "read-only"))
		r->w.mode = CLIENT_SANDBOX_READ_ONLY;
	if (!str_is(type, "workspace-write"))
		return;
	r->w.mode = CLIENT_SANDBOX_WORKSPACE_WRITE;
	add_path(r, &r->w.writable, r->cwd);
	for (const struct json *v = json_is(roots, JSON_ARRAY) ? roots->first : NULL; v; v = v->next)
		if (json_is(v, JSON_STRING))
			add_path(r, &r->w.writable, v->text);
	for (const struct texts *t = r->w.writable; t; t = t->next)
		close_usual(r, t->text);
}

int codex_walls_of_line(
	struct arena *a, struct str line, struct str turn, struct client_walls *ret, struct str *ret_refuse)
{
	struct codex_reader r = {.a = a};
	struct json_reader reader;
	const struct json *all, *payload;

	json_reader_init(&reader, a, line, JSON_TOLERANT);
	all = json_next(&reader);
	payload = json_key(all, "payload");
	if (!all || !json_at_end(&reader) || !str_is(json_text_at(all, "type"), "turn_context") ||
		!json_is(payload, JSON_OBJECT))
		return -1;
	if (!turn.n || !str_eq(json_text_at(payload, "turn_id"), turn))
		return -1;
	r.cwd = json_text_at(payload, "cwd");
	if (!json_key(payload, "permission_profile") ||
		!read_profile(&r, json_key(payload, "permission_profile")))
		read_policy(&r, json_key(payload, "sandbox_policy"));
	*ret = r.w;
	*ret_refuse = r.refuse;
	return 0;
}

/* ---- the transcript ---- */

int codex_open_transcript(struct arena *a, const struct codex_turn *t, size_t *ret_size)
{
	struct path_memo m;
	enum path_kind kind, dir_kind;
	struct str real, dir;
	struct stat st;
	int fd;

	if (!str_starts(t->transcript, "/") || !codex_home(a, t->home).n)
		return -1;
	path_memo_init(&m, a, STR(""));
	real = path_real(&m, t->transcript, &kind);
	dir = path_real(&m, codex_home(a, t->home), &dir_kind);
	if (kind != PATH_FILE || dir_kind != PATH_DIR || !path_inside(real, dir) ||
		(t->project.n && path_inside(real, t->project)))
		return -1;
	fd = file_open(str_c(a, real), &st, NULL);
	if (fd >= 0 && (st.st_uid != t->uid || (st.st_mode & 022))) {
		close(fd);
		return -1;
	}
	*ret_size = fd >= 0 ? (size_t)st.st_size : 0;
	return fd;
}

size_t codex_read_at(int fd, char *to, size_t n, size_t at)
{
	size_t got = 0;

	while (got < n) {
		ssize_t rc = pread(fd, to + got, n - got, (off_t)(at + got));

		if (rc <= 0)
			break;
		got += (size_t)rc;
	}
	return got;
}

struct transcript_search {
	struct arena *a;
	const struct codex_turn *t;
	int fd;
	size_t size;
	char *piece, *line; /* read buffers */
	struct client_walls walls;
	struct str refuse;
};

/* Returns the line around an offset; empty if the line is incomplete or too long. */
static struct str line_at(const struct transcript_search *s, size_t at)
{
	size_t from = at > FIRST_MAX ? at - FIRST_MAX : 0, first = at - from;
	struct str all = str_n(s->line, codex_read_at(s->fd, s->line, FIRST_MAX + CODEX_LINE_MAX, from));
	ptrdiff_t end = str_find(all, '\n', at - from);

	while (first > 0 && s->line[first - 1] != '\n')
		first--;
	return end < 0 || (first == 0 && from > 0) ? STR("") : str_sub(all, first, (size_t)end);
}

/* Returns the offset of the last mark before `end` in a chunk of the file; -1: none. */
static ptrdiff_t last_mark(const char *text, size_t end)
{
	const char *at = NULL;

	for (const char *p = text; (p = memmem(p, (size_t)(text + end - p), MARK, strlen(MARK))); p++)
		at = p;
	return at ? at - text : -1;
}

/* True if a mark in this chunk starts the turn_context of this turn. */
static bool search_piece(struct transcript_search *s, size_t n, size_t at)
{
	for (ptrdiff_t mark = last_mark(s->piece, n); mark >= 0; mark = last_mark(s->piece, (size_t)mark)) {
		struct str line = line_at(s, at + (size_t)mark);

		if (line.n && codex_walls_of_line(
				      s->a, str_dup(s->a, line), s->t->turn, &s->walls, &s->refuse) == 0)
			return true;
	}
	return false;
}

/* Searches backwards, because the current turn began near the end. Chunks overlap, so that no mark is cut. */
static void search_back(struct transcript_search *s)
{
	size_t end = s->size, floor = end > CODEX_TRANSCRIPT_MAX ? end - CODEX_TRANSCRIPT_MAX : 0;

	s->piece = arena_alloc(s->a, CHUNK + sizeof(MARK));
	s->line = arena_alloc(s->a, FIRST_MAX + CODEX_LINE_MAX);
	while (end > floor) {
		size_t from = end - floor > CHUNK ? end - CHUNK : floor;

		if (search_piece(s, codex_read_at(s->fd, s->piece, end - from + strlen(MARK) - 1, from),
				from))
			break;
		end = from;
	}
}

void codex_walls(
	struct arena *a, const struct codex_turn *t, struct client_walls *ret, struct str *ret_refuse)
{
	struct transcript_search s = {.a = a, .t = t};
	FD_SCOPE f = {0};

	fd_scope(&f, a, codex_open_transcript(a, t, &s.size));
	s.fd = f.fd;
	*ret = (struct client_walls){0};
	*ret_refuse = STR("");
	if (f.fd < 0)
		return;
	search_back(&s);
	*ret = s.walls;
	*ret_refuse = s.refuse;
}
