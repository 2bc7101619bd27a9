/*
 * The /tmp of a box: the project's own, which its contained commands share (sys/kept_tmp.h), and in it files
 * of the host's /tmp.
 *
 * A file of the host is shown if the command names it or its session wrote it, and if it is a regular file of
 * the caller's with one name, in directories that nobody else can write. It is opened without following
 * links. The descriptor stays open until the box is gone, so the inode that the backend compares cannot
 * belong to another file. Any other name stays hidden, without an error: the command may not need it. A
 * directory of the caller's that is named or made in this way exists in the box, without its content.
 *
 * A file is read-only, unless the gate judged the command, the command itself writes the file, and either its
 * session made it or it lies directly in /tmp or /tmp/claude, where the gate lets commands outside of a box
 * write it as well.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>

#include "base/glob.h"
#include "gate/path_table.h"
#include "judge/world.h"
#include "run/spec_builder.h"
#include "sys/file.h"
#include "sys/kept_tmp.h"

#define PATTERN_ROOM 32

/* Names below /tmp that hold keys, sockets or state of other programs. The first match decides. */
static const struct {
	char pattern[PATTERN_ROOM];
	bool shown;
} special_names[] = {
	/* credentials and the sockets of agents */
	{"krb5*", false}, {"tkt*", false}, {"ssh-*", false}, {"gpg-*", false}, {".gnupg*", false},
	{"keyring-*", false}, {"agent.*", false}, {"*.sock", false}, {"xauth*", false}, {".Xauth*", false},
	{".X*", false}, {".ICE-unix", false}, {".font-unix", false}, {".XIM-unix", false}, {"dbus-*", false},
	{"pulse-*", false}, {"runtime-*", false}, {"systemd-private-*", false}, {"snap*", false},
	{"tmux-*", false}, {"screen*", false}, {"docker*", false}, {"podman*", false},
	{"containers-*", false},
	/* clients: Claude Code has a directory for the model's own files in its state */
	{"claude-*/*/*/scratchpad/**", true}, {"claude-*", false}, {".claude*", false}, {"codex*", false},
	{".codex*", false}, {"gemini*", false}, {".gemini*", false}, {"qwen*", false}, {"cursor*", false},
	{".cursor*", false}, {"copilot*", false}, {"opencode*", false}, {"vscode-*", false},
	{".vscode*", false}, {"code-*", false}, {"mcp-*", false},
};

static bool is_special(struct str name)
{
	for (size_t i = 0; i < ARRAY_SIZE(special_names); i++)
		if (glob_may(str_of(special_names[i].pattern), name, GLOB_PATH | GLOB_BELOW) != GLOB_NO)
			return !special_names[i].shown;
	return false;
}

static bool lies_in(const struct texts *dirs, struct str path)
{
	for (; dirs; dirs = dirs->next)
		if (path_inside(path, dirs->text))
			return true;
	return false;
}

/* Paths that the box has anyway, or must not have. */
static bool is_elsewhere(const struct run *r, struct str path)
{
	const struct view *v = r->world->context.view;
	const struct spec *s = &r->spec;
	const struct str other[] = {s->workspace, s->home, s->git_common, v->home, v->state_dir,
			v->config_dir};

	for (size_t i = 0; i < ARRAY_SIZE(other); i++)
		if (other[i].n && (path_inside(path, other[i]) || path_inside(other[i], path)))
			return true;
	for (const struct spec_path *p = s->paths; p; p = p->next)
		if (path_inside(path, spec_path_target(p)) || path_inside(spec_path_target(p), path))
			return true;
	return lies_in(s->hidden, path) || (r->rq->walls && lies_in(r->rq->walls->hidden, path));
}

static bool is_own_file(const struct stat *st, uint32_t uid)
{
	return S_ISREG(st->st_mode) && st->st_uid == uid && st->st_nlink == 1;
}

static bool is_own_dir(const struct stat *st, uint32_t uid)
{
	return S_ISDIR(st->st_mode) && st->st_uid == uid && !(st->st_mode & 022);
}

/*
 * Opens a name below /tmp with O_PATH. -1: it is neither a file nor a directory of the caller's own, or
 * others can replace it.
 */
static int open_own(const char *name, uint32_t uid, struct stat *ret)
{
	FD_CLEANUP int at = open("/tmp", O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	char part[NAME_MAX + 1];
	int found;

	for (const char *slash; at >= 0 && (slash = strchr(name, '/')); name = slash + 1) {
		size_t n = (size_t)(slash - name);

		if (!n || n > NAME_MAX)
			return -1;
		memcpy(part, name, n);
		part[n] = 0;
		FD_CLEANUP int next = openat(at, part, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (next < 0 || fstat(next, ret) != 0 || !is_own_dir(ret, uid))
			return -1;
		fd_close(&at);
		at = next;
		next = -1;
	}
	FD_CLEANUP int fd = at < 0 ? -1 : openat(at, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fstat(fd, ret) != 0 || !(is_own_file(ret, uid) || is_own_dir(ret, uid)))
		return -1;
	found = fd;
	fd = -1;
	return found;
}

struct held_file { /* lives as long as the arena */
	int fd;
	struct arena_cleanup cleanup;
};

static void release_file(void *ptr) { fd_close(&((struct held_file *)ptr)->fd); }

static bool may_write(const struct run *r, const struct tmp_name *n, struct str below)
{
	const struct client_walls *w = r->rq->walls;

	if (!r->rq->ticket && !r->rq->gate)
		return false;
	if (w && w->mode != CLIENT_SANDBOX_NONE && (!lies_in(w->writable, n->path) ||
			lies_in(w->closed, n->path)))
		return false;
	if (str_starts(below, "claude/"))
		below = str_from(below, 7);
	return n->writes && (n->made || !str_has(below, '/'));
}

/* Keeps the list sorted, and each path once. */
static void add_file(struct arena *a, struct run *r, const struct tmp_name *n, const struct stat *st,
		bool writable)
{
	struct spec_tmp_file **to = &r->spec.tmp_files, *f;

	while (*to && str_cmp((*to)->path, n->path) < 0)
		to = &(*to)->next;
	if (*to && str_eq((*to)->path, n->path))
		return;
	f = arena_copy(a, (struct spec_tmp_file){.next = *to, .path = n->path,
			.id = {st->st_dev, st->st_ino}, .writable = writable});
	*to = f;
}

static void add_directory(struct arena *a, struct run *r, struct str path)
{
	texts_push(a, &r->spec.tmp_dirs, path);
}

void run_show_tmp(struct arena *a, struct run *r, const struct tmp_name *names)
{
	const struct view *v = r->world->context.view;
	struct path_memo memo;

	if (!r->spec.tmp.n || !names)
		return;
	path_memo_init(&memo, a, v->cwd);
	for (const struct tmp_name *n = names; n; n = n->next) {
		struct str below = str_from(n->path, 5);
		const char *name = str_c(a, below);
		struct held_file *held = arena_new(a, struct held_file);
		struct stat st;

		if (!str_starts(n->path, "/tmp/") || is_special(below) || is_elsewhere(r, n->path) ||
				path_table_secret_name(str_base(n->path)) ||
				world_guarded(&memo, n->path, v->home))
			continue;
		held->fd = open_own(name, v->uid, &st);
		if (held->fd < 0)
			continue;
		arena_defer(a, &held->cleanup, release_file, held);
		if (S_ISDIR(st.st_mode))
			add_directory(a, r, n->path);
		else
			add_file(a, r, n, &st, may_write(r, n, below));
	}
}

void spec_build_tmp(struct spec_builder *m)
{
	struct spec *s = &m->r->spec;

	if (s->profile != PROFILE_WORK || !s->workspace.n || !m->at->state_dir.n)
		return;
	s->tmp = kept_tmp_path(m->a, m->at->state_dir, s->workspace);
	run_show_tmp(m->a, m->r, m->rq->tmp);
}
