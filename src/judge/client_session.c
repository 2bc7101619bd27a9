/* See client_session.h. */
#define _GNU_SOURCE
#include "judge/client_session.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json_write.h"
#include "judge/engine.h"
#include "judge/tmp_names.h"
#include "sys/file.h"
#include "sys/ids.h"
#include "sys/sha256.h"
#include "sys/state.h"

#define FOLDER "sessions"
#define VERSION 1
#define BOOT_ID "/proc/sys/kernel/random/boot_id"
#define BOOT_MAX 64
#define SESSION_ARENA_MAX (16 * CLIENT_SESSION_BYTES_MAX)

static struct str name_of(struct arena *a, struct str client, struct str id)
{
	char hex[SHA256_HEX + 1];

	/* Client names contain no newline. */
	sha256_hex(str_fmt(a, "%.*s\n%.*s", STR_ARG(client), STR_ARG(id)), hex);
	return str_fmt(a, "%s.json", hex);
}

static struct str path_of(struct arena *a, struct str state, struct str name)
{
	return str_fmt(a, "%.*s/" FOLDER "/%.*s", STR_ARG(state), STR_ARG(name));
}

struct str client_session_boot(struct arena *a)
{
	struct str text = STR("");

	if (file_read(a, BOOT_ID, BOOT_MAX, &text, NULL, NULL) != 0)
		return STR("");
	while (text.n && text.p[text.n - 1] == '\n')
		text.n--;
	return text;
}

/* ---- reading ---- */

static int64_t number_of(const struct json *o, const char *key)
{
	return json_int_at(o, key);
}

static struct git_item *read_remotes(struct arena *a, const struct json *list)
{
	struct git_item *first = NULL, **end = &first;

	for (const struct json *v = json_items(list); v; v = v->next, end = &(*end)->next) {
		*end = arena_new(a, struct git_item);
		**end = (struct git_item){.text = str_dup(a, json_text(v))};
	}
	return first;
}

static int parse_session(struct arena *a, const struct json *o, struct client_session *ret)
{
	const struct json *roots = json_key(o, "roots");
	struct client_session s = {.client = json_dup_at(a, o, "client"), .id = json_dup_at(a, o, "session"),
		.boot = json_dup_at(a, o, "boot")};

	s.started = number_of(o, "started");
	s.last = number_of(o, "last");
	s.ended = number_of(o, "ended");
	s.n = json_size(roots);
	if (number_of(o, "v") != VERSION || !s.n || s.n > CLIENT_SESSION_ROOTS_MAX)
		return -1;
	size_t i = 0;
	for (const struct json *r = roots->first; r; r = r->next, i++) {
		s.roots[i].path = json_dup_at(a, r, "path");
		s.roots[i].id = (struct identity){(uint64_t)number_of(r, "dev"),
				(uint64_t)number_of(r, "ino")};
		if (!str_starts(s.roots[i].path, "/") || !identity_known(s.roots[i].id))
			return -1;
	}
	s.remotes = read_remotes(a, json_key(o, "remotes"));
	for (const struct json *v = json_items(json_key(o, "tmp")); v; v = v->next)
		tmp_names_add(a, &s.tmp, &(struct tmp_name){.path = str_dup(a, json_text(v)), .made = true});
	*ret = s;
	return 0;
}

static int fail_unreliable(const char *path, const char *why, struct err *e)
{
	return err_config(e, "the session's file '%s' %s; remove it, or start a new session", path, why);
}

static int open_session(const char *path, uint32_t uid, struct err *e)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd < 0 && errno != ENOENT && errno != ENOTDIR)
		return fail_unreliable(path, "cannot be opened", e);
	if (fd < 0 || (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == uid && !(st.st_mode & 077)))
		return fd;
	fd_close(&fd);
	return fail_unreliable(path, "can be accessed by other users", e);
}

int client_session_read(struct arena *a, struct str state, struct str client, struct str id, uint32_t uid,
		 struct client_session *ret, struct err *e)
{
	const char *path = str_c(a, path_of(a, state, name_of(a, client, id)));
	struct err why = {0};
	struct json *o;
	struct str text;

	FD_SCOPE f = {0};
	fd_scope(&f, a, open_session(path, uid, &why));
	if (f.fd < 0) {
		if (why.kind && e)
			*e = why;
		return why.kind ? -1 : 0;
	}
	if (fd_read_all(a, f.fd, path, CLIENT_SESSION_BYTES_MAX, &text, e) != 0 ||
			json_read(a, text, &o, e) != 0)
		return fail_unreliable(path, "cannot be read", e);
	return parse_session(a, o, ret) == 0 ? 1 : fail_unreliable(path, "cannot be read", e);
}

/* ---- writing ---- */

static void put_session(struct buf *b, const struct client_session *s, uint32_t uid)
{
	buf_fmt(b, "{\"v\":%d", VERSION);
	json_put_field(b, "client", s->client);
	json_put_field(b, "session", s->id);
	buf_fmt(b, ",\"uid\":%u", uid);
	json_put_field(b, "boot", s->boot);
	buf_c(b, ",\"roots\":[");
	for (size_t i = 0; i < s->n; i++) {
		buf_c(b, i ? ",{\"path\":" : "{\"path\":");
		json_put_string(b, s->roots[i].path);
		buf_fmt(b, ",\"dev\":%lld,\"ino\":%lld}", (long long)s->roots[i].id.dev,
				(long long)s->roots[i].id.ino);
	}
	buf_c(b, "],\"remotes\":[");
	for (const struct git_item *i = s->remotes; i; i = i->next) {
		buf_c(b, i == s->remotes ? "" : ",");
		json_put_string(b, i->text);
	}
	buf_c(b, "],\"tmp\":[");
	for (const struct tmp_name *t = s->tmp; t; t = t->next) {
		buf_c(b, t == s->tmp ? "" : ",");
		json_put_string(b, t->path);
	}
	buf_fmt(b, "],\"started\":%lld,\"last\":%lld", (long long)s->started, (long long)s->last);
	if (s->ended)
		buf_fmt(b, ",\"ended\":%lld", (long long)s->ended);
	buf_c(b, "}\n");
}

int client_session_write(struct arena *a, struct str state, const struct client_session *s, uint32_t uid,
		bool fresh,
		struct err *e)
{
	const char *path = str_c(a, path_of(a, state, name_of(a, s->client, s->id))), *draft;
	char unique[ID_LETTERS + 1];
	struct str made;
	struct buf b;
	int rc;

	buf_init(&b, a, CLIENT_SESSION_BYTES_MAX);
	put_session(&b, s, uid);
	if (!fresh)
		return file_replace(path, buf_view(&b), e);
	/* Link the complete file into place: a concurrent reader finds no file or the whole file. */
	if (id_new(unique, e) != 0 || state_keep(a, state, FOLDER, str_of(unique), buf_view(&b), &made,
			e) != 0)
		return -1;
	draft = str_c(a, made);
	rc = link(draft, path) == 0 ? 0 : err_system(e, "cannot make '%s'", path);
	unlink(draft);
	return rc;
}

/* ---- other sessions ---- */

struct session_look { /* a look at the file of another session */
	struct arena a;
	const char *path;
	struct str project;
	int64_t now_s;
};

/* 0: it does not use the project any more; else it may. */
static int look_at_session(void *arg)
{
	struct session_look *l = arg;
	struct client_session s;
	struct json *o;
	struct str text;

	if (file_read(&l->a, l->path, CLIENT_SESSION_BYTES_MAX, &text, NULL, NULL) != 0 ||
			json_read(&l->a, text, &o, NULL) != 0 || parse_session(&l->a, o, &s) != 0)
		return 1;
	if (s.ended || s.last + CLIENT_SESSION_IDLE_S < l->now_s)
		return 0;
	for (size_t i = 0; i < s.n; i++)
		if (str_eq(s.roots[i].path, l->project))
			return 1;
	return 0;
}

static bool uses_project(struct session_look *l)
{
	bool uses;

	arena_init(&l->a, SESSION_ARENA_MAX);
	uses = arena_run(&l->a, look_at_session, l) != 0;
	arena_free(&l->a);
	return uses;
}

bool client_session_shared(struct arena *a, struct str state, const struct client_session *s,
		struct str project, int64_t now_s)
{
	struct str folder = str_fmt(a, "%.*s/" FOLDER, STR_ARG(state)), own = name_of(a, s->client, s->id);
	DIR *d = opendir(str_c(a, folder));
	char path[PATH_MAX];
	const struct dirent *entry;
	bool shared = false;
	struct stat st;
	size_t n = 0;

	for (; d && !shared && n < CLIENT_SESSION_SWEEP_MAX && (entry = readdir(d)); n++) {
		struct session_look l = {.path = path, .project = project, .now_s = now_s};

		if (entry->d_name[0] == '.' || str_is(own, entry->d_name) ||
				fstatat(dirfd(d), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
				st.st_mtime + CLIENT_SESSION_IDLE_S < now_s)
			continue;
		str_put(path, sizeof(path), "%.*s/%s", STR_ARG(folder), entry->d_name);
		shared = uses_project(&l);
	}
	if (d)
		closedir(d);
	return shared || n == CLIENT_SESSION_SWEEP_MAX;
}

void client_session_sweep(struct arena *a, struct str state, int64_t now_s)
{
	DIR *d = opendir(str_c(a, str_fmt(a, "%.*s/" FOLDER, STR_ARG(state))));
	const struct dirent *entry;
	struct stat st;

	for (size_t n = 0; d && n < CLIENT_SESSION_SWEEP_MAX && (entry = readdir(d)); n++)
		if (entry->d_name[0] != '.' && fstatat(dirfd(d), entry->d_name, &st,
				AT_SYMLINK_NOFOLLOW) == 0 &&
		    S_ISREG(st.st_mode) && st.st_mtime + CLIENT_SESSION_AGE_S < now_s)
			unlinkat(dirfd(d), entry->d_name, 0);
	if (d)
		closedir(d);
}
