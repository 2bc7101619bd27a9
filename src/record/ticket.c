/* Tickets: writing, taking, expiry. See ticket.h. */
#define _GNU_SOURCE
#include "record/ticket.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/json_write.h"
#include "base/utf8.h"
#include "judge/client_session.h"
#include "judge/engine.h"
#include "record/client_walls.h"
#include "sys/directory.h"
#include "sys/file.h"
#include "sys/ids.h"
#include "sys/path.h"
#include "sys/sha256.h"
#include "sys/state.h"

#define FOLDER "tickets"
#define VERSION 7
#define HASH_LETTERS 16
#define TAG_LETTERS (TICKET_ID + 3 * (1 + HASH_LETTERS)) /* ID.SESSION.PROMPT.CALL */
#define TICKET_ARENA_MAX (8 * TICKET_BYTES_MAX) /* a parsed ticket, with its unescaped texts */

/* JSON would repair bytes that are not UTF-8; then another command would run than the judged one. */
static bool is_utf8(const struct ticket *t)
{
	const struct str all[] = {t->command, t->project.path, t->cwd, t->policy, t->agent, t->session,
			t->client,
			t->tool, t->tool_use_id, t->id, t->config, t->approved};

	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		if (!utf8_valid(all[i]) || memchr(all[i].n ? all[i].p : "x", 0, all[i].n ? all[i].n : 1))
			return false;
	return true;
}

struct str ticket_cwd(struct arena *a, const struct ticket *t)
{
	return t->cwd.n ? str_path(a, t->project.path, t->cwd) :
			t->project.path;
}

static int fail_changed(const char *what, struct str path, int why, struct err *e)
{
	if (why == ESTALE || why == ELOOP || why == ENOENT || why == ENOTDIR)
		return err_input(e,
				"the %s '%.*s' was moved or replaced since the command was judged; run the "
				"command again", what,
				STR_ARG(path));
	return err_set(e, ERR_SYSTEM, why, "cannot open the %s '%.*s'", what, STR_ARG(path));
}

/* Opens both directories and compares their known identities. */
static int open_both(struct arena *a, const struct ticket *t, struct identity *ret_project,
		struct identity *ret_cwd, struct err *e)
{
	const char *path = str_c(a, t->project.path), *below = str_c(a, t->cwd);
	struct str whole = ticket_cwd(a, t);
	FD_CLEANUP int root = directory_open_expected(path, t->project.id, O_PATH);

	if (root < 0)
		return fail_changed("project", t->project.path, errno, e);
	FD_CLEANUP int cwd = directory_open_below(root, below);
	if (cwd < 0)
		return fail_changed("directory", whole, errno, e);
	if (directory_identity(root, ret_project) != 0 || directory_identity(cwd, ret_cwd) != 0)
		return err_system(e, "cannot stat '%.*s'", STR_ARG(whole));
	return 0;
}

int ticket_locate(struct arena *a, const struct directory *project, struct str cwd, struct ticket *t,
		struct err *e)
{
	struct ticket to = {.project = *project};

	if (!path_inside(cwd, project->path))
		return err_input(e, "the directory '%.*s' lies outside of the project '%.*s'",
				STR_ARG(cwd),
				STR_ARG(project->path));
	to.cwd = str_from(cwd, cwd.n > project->path.n ? project->path.n + 1 : cwd.n);
	if (open_both(a, &to, &to.project.id, &to.cwd_id, e) != 0)
		return -1;
	t->project = to.project;
	t->cwd = to.cwd;
	t->cwd_id = to.cwd_id;
	return 0;
}

int ticket_check(struct arena *a, const struct ticket *t, struct err *e)
{
	struct identity project, cwd;

	if (open_both(a, t, &project, &cwd, e) != 0)
		return -1;
	return identity_same(cwd, t->cwd_id) ? 0 : fail_changed("directory", ticket_cwd(a, t), ESTALE, e);
}

/* As signed 64-bit numbers, which JSON parsers can read. */
static void put_directory(struct buf *b, const char *key, struct str path, struct identity id)
{
	json_put_open(b, key, '{');
	json_put_key(b, "path");
	json_put_string(b, path);
	buf_fmt(b, ",\"dev\":%lld,\"ino\":%lld}", (long long)id.dev, (long long)id.ino);
}

/* Time since boot, including suspend: nobody can set this clock. */
static uint64_t clock_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_BOOTTIME, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* ---- tickets of questions ---- */

struct str ticket_hash(struct arena *a, struct str x, struct str y, size_t letters)
{
	char hex[SHA256_HEX + 1];
	struct buf b;

	buf_init(&b, a, 0);
	buf_str(&b, x);
	buf_char(&b, '\0');
	buf_str(&b, y);
	sha256_hex(buf_view(&b), hex);
	return str_dup(a, str_n(hex, letters));
}

static void put_hash(struct buf *b, struct str x, struct str y)
{
	buf_char(b, '.');
	buf_str(b, ticket_hash(b->a, x, y, HASH_LETTERS));
}

/* ".SESSION.PROMPT.CALL". A subagent has its own prompts. */
static struct str tag_of(struct arena *a, const struct ticket *t)
{
	struct buf b;

	buf_init(&b, a, 0);
	put_hash(&b, str_fmt(a, "%.*s %.*s", STR_ARG(t->client), STR_ARG(t->session)), t->agent);
	put_hash(&b, STR("prompt"), t->prompt);
	put_hash(&b, STR("call"), t->tool_use_id);
	return buf_view(&b);
}

/* Returns part 0, 1 or 2 of a tag. */
static struct str tag_part(struct str tag, size_t i)
{
	return str_sub(tag, i * (1 + HASH_LETTERS), (i + 1) * (1 + HASH_LETTERS));
}

void ticket_end_asks(struct arena *a, struct str state, const struct ticket *now, bool over)
{
	const char *folder = str_fmt_c(a, "%.*s/" FOLDER, STR_ARG(state));
	struct str tag = tag_of(a, now);
	struct dirent *entry;
	DIR *d = opendir(folder);

	for (size_t n = 0; d && n < TICKET_SCAN_MAX && (entry = readdir(d)); n++) {
		struct str name = str_of(entry->d_name), other = str_from(name, TICKET_ID);
		char id[TICKET_ID + 1];

		if (name.n != TAG_LETTERS || !str_eq(tag_part(other, 0), tag_part(tag, 0)))
			continue;
		if ((!now->prompt.n || str_eq(tag_part(other, 1), tag_part(tag, 1))) &&
			!(over && str_eq(tag_part(other, 2), tag_part(tag, 2))))
			continue;
		snprintf(id, sizeof(id), "%.*s", TICKET_ID, entry->d_name);
		unlinkat(dirfd(d), id, 0);
		unlinkat(dirfd(d), entry->d_name, 0);
	}
	if (d)
		closedir(d);
}

/*
 * Called after the ticket is written: a tag without a ticket means nothing. A ticket that cannot be tagged
 * is removed.
 */
static int write_tag(struct arena *a, struct str state, const struct ticket *t, struct str id, struct err *e)
{
	struct str path;

	if (!t->asked || state_keep(a, state, FOLDER, str_cat(a, id, tag_of(a, t)), STR(""), &path, e) == 0)
		return 0;
	unlink(str_fmt_c(a, "%.*s/" FOLDER "/%.*s", STR_ARG(state), STR_ARG(id)));
	return -1;
}

/* ---- writing and taking ---- */

/* A list of words, or of one mode; empty: nothing requested. */
static void put_network(struct arena *a, struct buf *b, const struct network_request *n)
{
	const struct texts mode = {.text = network_request_text(a, n)}, *words = n->words ? n->words : &mode;

	json_put_texts(b, "network", n->given ? words : NULL);
}

/* Their paths are UTF-8 (judge/tmp_names.h). */
static void put_tmp(struct buf *b, const struct tmp_name *list)
{
	json_put_open(b, "tmp", '[');
	for (const struct tmp_name *n = list; n; n = n->next) {
		buf_c(b, n == list ? "{\"path\":" : ",{\"path\":");
		json_put_string(b, n->path);
		buf_fmt(b, ",\"writes\":%d,\"made\":%d}", n->writes, n->made);
	}
	buf_char(b, ']');
}

int ticket_write(struct arena *a, struct str state, const struct ticket *t, struct str *ret, struct err *e)
{
	char id[TICKET_ID + 1];
	struct str path, name;
	struct buf b;

	if (!is_utf8(t) || !client_walls_is_utf8(&t->walls) || !str_starts(t->project.path, "/") ||
			!identity_known(t->project.id) ||
			!identity_known(t->cwd_id))
		return err_input(e, "the command cannot be passed on: it is not UTF-8, or has no directory");
	buf_init(&b, a, TICKET_BYTES_MAX);
	buf_fmt(&b, "{\"v\":%d,\"dialect\":%d,\"profile\":\"%s\",\"time_ms\":%llu,\"settings\":%d,"
			"\"follow\":%d,\"background\":%d,\"input\":%d", VERSION, (int)t->dialect,
		profile_name(t->profile), (unsigned long long)t->time_ms, t->settings, t->follow,
		t->background, t->input);
	json_put_field(&b, "command", t->command);
	put_directory(&b, "project", t->project.path, t->project.id);
	put_directory(&b, "cwd", t->cwd, t->cwd_id);
	json_put_field(&b, "policy", t->policy);
	json_put_field(&b, "agent", t->agent);
	json_put_field(&b, "session", t->session);
	json_put_field(&b, "client", t->client);
	json_put_field(&b, "tool", t->tool);
	json_put_field(&b, "tool_use_id", t->tool_use_id);
	json_put_field(&b, "id", t->id);
	json_put_field(&b, "config", t->config);
	json_put_field(&b, "boot", client_session_boot(a));
	buf_fmt(&b, ",\"created_ms\":%llu", (unsigned long long)clock_ms());
	put_network(a, &b, &t->network);
	json_put_words(&b, "approved", t->approved);
	put_tmp(&b, t->tmp);
	json_put_key(&b, "client_sandbox");
	client_walls_write(&b, &t->walls);
	buf_c(&b, "}\n");
	if (id_new(id, e) != 0)
		return -1;
	name = str_dup(a, str_n(id, TICKET_ID));
	if (state_keep(a, state, FOLDER, name, buf_view(&b), &path, e) != 0 ||
			write_tag(a, state, t, name, e) != 0)
		return -1;
	*ret = name;
	return 0;
}

static int open_own(int dir, const char *name, uint32_t uid, struct err *e)
{
	int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd < 0 && errno == ENOENT)
		return err_input(e, "no such ticket, or it was used already");
	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == uid && !(st.st_mode & 077))
		return fd;
	fd_close(&fd);
	return err_input(e, "not a ticket of caisson");
}

/* Renames the ticket, so that no other process gets it, then opens and unlinks it. */
static int open_taken(int dir, const char *id, uint32_t uid, struct err *e)
{
	char taken[TICKET_ID + 16];
	int fd;

	snprintf(taken, sizeof(taken), "%s.taken", id);
	if (renameat(dir, id, dir, taken) != 0)
		return errno == ENOENT ? err_input(e, "no such ticket, or it was used already")
				: err_set(e, ERR_INPUT, errno, "cannot claim the ticket");
	fd = open_own(dir, taken, uid, e);
	unlinkat(dir, taken, 0);
	return fd;
}

static int read_ticket(struct arena *a, struct str state, const char *id, uint32_t uid, bool take,
		struct str *ret, struct err *e)
{
	const char *folder = str_fmt_c(a, "%.*s/" FOLDER, STR_ARG(state));
	FD_SCOPE dir = {0}, f = {0};

	fd_scope(&dir, a, open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
	if (dir.fd < 0)
		return err_input(e, "no such ticket, or it was used already");
	if (state_folder_check(dir.fd, folder, uid, e) != 0)
		return -1;
	fd_scope(&f, a, take ? open_taken(dir.fd, id, uid, e) : open_own(dir.fd, id, uid, e));
	return f.fd < 0 ? -1 : fd_read_all(a, f.fd, "ticket", TICKET_BYTES_MAX, ret, e);
}

static struct identity read_directory(struct arena *a, const struct json *o, struct str *ret_path)
{
	*ret_path = json_dup_at(a, o, "path");
	return (struct identity){(uint64_t)json_int_at(o, "dev"),
			(uint64_t)json_int_at(o, "ino")};
}

static struct str read_words(struct arena *a, const struct json *list)
{
	struct buf b;

	buf_init(&b, a, 0);
	for (const struct json *v = json_items(list); v; v = v->next)
		buf_fmt(&b, "%s%.*s", b.n ? " " : "", STR_ARG(json_text(v)));
	return buf_view(&b);
}

static int read_network(struct arena *a, const struct json *v, struct network_request *ret)
{
	struct texts *words = NULL, **end = &words;

	if (!json_is(v, JSON_ARRAY) || json_size(v) > NETWORK_WORDS_MAX)
		return -1;
	for (const struct json *x = json_items(v); x; x = x->next) {
		if (!json_is(x, JSON_STRING) || !json_text(x).n)
			return -1;
		end = texts_add(a, end, str_dup(a, json_text(x)));
	}
	*ret = network_request_of(words);
	return 0;
}

static struct tmp_name *read_tmp(struct arena *a, const struct json *list)
{
	struct tmp_name *first = NULL, **end = &first;
	size_t n = 0;

	for (const struct json *v = json_items(list); v && n < TMP_NAMES_MAX; v = v->next, n++) {
		*end = arena_copy(a, (struct tmp_name){.path = json_dup_at(a, v, "path"),
				.writes = json_int_at(v, "writes") == 1,
				.made = json_int_at(v, "made") == 1});
		end = &(*end)->next;
	}
	return first;
}

/* A ticket from before a reboot is expired: its clock has restarted. */
static bool is_expired(struct arena *a, const struct json *o)
{
	int64_t created = json_int_at(o, "created_ms");
	uint64_t now = clock_ms();

	if (!str_eq(json_text_at(o, "boot"), client_session_boot(a)))
		return true;
	return created <= 0 || (uint64_t)created > now || now - (uint64_t)created > TICKET_AGE_MS;
}

/* Returns 1 for a valid ticket that has expired. */
static int parse_ticket(struct arena *a, const struct json *o, struct ticket *ret)
{
	int64_t dialect = json_int_at(o, "dialect"), ms = json_int_at(o, "time_ms");
	struct ticket t = {.command = json_dup_at(a, o, "command"), .policy = json_dup_at(a, o, "policy"),
			.agent = json_dup_at(a, o, "agent"),
		.session = json_dup_at(a, o, "session"), .client = json_dup_at(a, o, "client"),
		.tool = json_dup_at(a, o, "tool"), .tool_use_id = json_dup_at(a, o, "tool_use_id"),
		.id = json_dup_at(a, o, "id"), .config = json_dup_at(a, o, "config"),
				.settings = json_int_at(o, "settings") == 1,
		.follow = json_int_at(o, "follow") == 1,
		.background = json_int_at(o, "background") == 1,
		.input = json_int_at(o, "input") == 1,
		.approved = read_words(a, json_key(o, "approved")), .tmp = read_tmp(a, json_key(o, "tmp"))};

	if (json_int_at(o, "v") != VERSION || profile_find(json_text_at(o, "profile"), &t.profile) != 0)
		return -1;
	if (client_walls_read(a, json_key(o, "client_sandbox"), &t.walls) != 0 ||
			read_network(a, json_key(o, "network"), &t.network) != 0)
		return -1;
	t.cwd_id = read_directory(a, json_key(o, "cwd"), &t.cwd);
	t.project.id = read_directory(a, json_key(o, "project"), &t.project.path);
	if (!str_starts(t.project.path, "/") || !identity_known(t.project.id) || !identity_known(t.cwd_id) ||
			dialect < 0 || dialect > DIALECT_POWERSHELL)
		return -1;
	if (ms && !limit_valid(LIMIT_TIME, (uint64_t)ms)) /* a negative one is too large */
		return -1;
	if (is_expired(a, o))
		return 1;
	t.dialect = (enum dialect)dialect;
	t.time_ms = (uint64_t)ms;
	*ret = t;
	return 0;
}

static int get_ticket(struct arena *a, struct str state, struct str id, uint32_t uid, bool take,
		struct ticket *ret, struct err *e)
{
	struct json *o;
	struct str text;
	int rc;

	if (!str_is_hex(id, TICKET_ID))
		return err_input(e, "a ticket has %d hexadecimal digits", TICKET_ID);
	if (read_ticket(a, state, str_c(a, id), uid, take, &text, e) != 0 || json_read(a, text, &o, e) != 0)
		return -1;
	rc = parse_ticket(a, o, ret);
	if (rc > 0)
		return err_input(e, "the ticket is older than %d minutes; run the command again",
				TICKET_AGE_MS / 60000);
	if (rc < 0 && json_int_at(o, "v") > 0 && json_int_at(o, "v") != VERSION)
		return err_input(e, "the ticket is from another version of caisson; run the command again");
	return rc == 0 ? 0 : err_input(e, "not a ticket of caisson");
}

int ticket_take(struct arena *a, struct str state, struct str id, uint32_t uid, struct ticket *ret,
		struct err *e)
{
	return get_ticket(a, state, id, uid, true, ret, e);
}

int ticket_peek(struct arena *a, struct str state, struct str id, uint32_t uid, struct ticket *ret,
		struct err *e)
{
	return get_ticket(a, state, id, uid, false, ret, e);
}

/* ---- the end of a session ---- */

struct forgetting {
	int dir;
	struct str client, session;
	char ids[TICKET_SCAN_MAX][TICKET_ID + 1];
	size_t n;
};

struct reading_session {
	struct arena a;          /* files of one ticket */
	const struct forgetting *f;
	const char *id;
	struct json *o;
};

static int load_ticket(void *arg)
{
	struct reading_session *r = arg;
	FD_SCOPE file = {0};
	struct err why = {0};
	struct str text;

	fd_scope(&file, &r->a, openat(r->f->dir, r->id, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
	if (file.fd < 0 || fd_read_all(&r->a, file.fd, "ticket", TICKET_BYTES_MAX, &text, &why) != 0)
		return 1;
	return json_read(&r->a, text, &r->o, &why) != 0;
}

static bool belongs_to_session(const struct forgetting *f, const char *id)
{
	struct reading_session r = {.f = f, .id = id};
	bool yes;

	arena_init(&r.a, TICKET_ARENA_MAX);
	yes = arena_run(&r.a, load_ticket, &r) == 0 && str_eq(json_text_at(r.o, "client"), f->client) &&
		str_eq(json_text_at(r.o, "session"), f->session);
	arena_free(&r.a);
	return yes;
}

/* Calls fn for each name in the folder. fn must not leave the arena_run. */
static void each_name(const char *folder, void (*fn)(struct forgetting *f, const char *name),
		struct forgetting *f)
{
	const struct dirent *entry;
	DIR *d = opendir(folder);

	f->dir = d ? dirfd(d) : -1;
	for (size_t n = 0; d && n < TICKET_SCAN_MAX && (entry = readdir(d)); n++)
		fn(f, entry->d_name);
	if (d)
		closedir(d);
}

static void note_ticket(struct forgetting *f, const char *name)
{
	if (str_is_hex(str_of(name), TICKET_ID) && belongs_to_session(f, name))
		memcpy(f->ids[f->n++], name, TICKET_ID + 1);
}

/* Removes the ticket, its tag, and all other files whose names start with its id. */
static void remove_noted(struct forgetting *f, const char *name)
{
	for (size_t i = 0; i < f->n; i++)
		if (!strncmp(name, f->ids[i], TICKET_ID))
			unlinkat(f->dir, name, 0);
}

void ticket_forget_session(struct arena *a, struct str state, struct str client, struct str session)
{
	const char *folder = str_fmt_c(a, "%.*s/" FOLDER, STR_ARG(state));
	struct forgetting *f = arena_new(a, struct forgetting);

	f->client = client;
	f->session = session;
	each_name(folder, note_ticket, f);
	if (f->n)
		each_name(folder, remove_noted, f);
}
