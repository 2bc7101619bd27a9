/* See ticket.h. */
#define _GNU_SOURCE
#include "engine/ticket.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/json.h"
#include "base/utf8.h"
#include "engine/engine.h"
#include "sys/file.h"
#include "sys/ids.h"
#include "sys/state.h"

#define FOLDER "tickets"
#define VERSION 2

/* Bytes that are not UTF-8 would be repaired on the way, and another command would run than the one that was judged. */
static bool survives(const struct ticket *t)
{
	const struct str all[] = {t->command, t->cwd, t->policy, t->agent, t->session, t->client, t->tool, t->tool_use_id, t->id, t->config, t->base};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (!utf8_valid(all[i]) || memchr(all[i].n ? all[i].p : "x", 0, all[i].n ? all[i].n : 1))
			return false;
	return true;
}

int ticket_write(struct arena *a, struct str state, const struct ticket *t, struct str *ret, struct err *e)
{
	char id[TICKET_ID + 1];
	struct str path, name;
	struct buf b;

	if (!survives(t) || !str_starts(t->cwd, "/"))
		return err_set(e, ERR_INPUT, 0, "the command cannot be handed on: it is not UTF-8, or has no directory");
	buf_init(&b, a, TICKET_BYTES_MAX);
	buf_fmt(&b, "{\"v\":%d,\"dialect\":%d,\"profile\":\"%s\",\"time_ms\":%llu,\"settings\":%d,\"follow\":%d", VERSION, (int)t->dialect, profile_name(t->profile),
		(unsigned long long)t->time_ms, t->settings, t->follow);
	answer_field(&b, "command", t->command);
	answer_field(&b, "cwd", t->cwd);
	answer_field(&b, "policy", t->policy);
	answer_field(&b, "agent", t->agent);
	answer_field(&b, "session", t->session);
	answer_field(&b, "client", t->client);
	answer_field(&b, "tool", t->tool);
	answer_field(&b, "tool_use_id", t->tool_use_id);
	answer_field(&b, "id", t->id);
	answer_field(&b, "config", t->config);
	answer_field(&b, "base", t->base);
	buf_c(&b, "}\n");
	if (id_new(id, e) != 0)
		return -1;
	name = str_dup(a, str_n(id, TICKET_ID));
	if (state_keep(a, state, FOLDER, name, buf_view(&b), &path, e) != 0)
		return -1;
	*ret = name;
	return 0;
}

/* Out of reach of others, opened, and removed. */
static int open_taken(int dir, const char *id, uint32_t uid, struct err *e)
{
	char taken[TICKET_ID + 16];
	struct stat st;
	int fd;

	snprintf(taken, sizeof(taken), "%s.taken", id);
	if (renameat(dir, id, dir, taken) != 0)
		return err_set(e, ERR_INPUT, 0, errno == ENOENT ? "there is no such ticket, or it was used already" : "the ticket cannot be taken");
	fd = openat(dir, taken, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	unlinkat(dir, taken, 0);
	if (fd < 0 || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_uid != uid || (st.st_mode & 077)) {
		fd_close(&fd);
		return err_set(e, ERR_INPUT, 0, "the ticket is not one of ours");
	}
	return fd;
}

static int read_taken(struct arena *a, struct str state, const char *id, uint32_t uid, struct str *ret, struct err *e)
{
	const char *folder = str_c(a, str_fmt(a, "%.*s/" FOLDER, STR_ARG(state)));
	FD_CLEANUP int dir = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (dir < 0)
		return err_set(e, ERR_INPUT, 0, "there is no such ticket, or it was used already");
	FD_CLEANUP int fd = open_taken(dir, id, uid, e);
	return fd < 0 ? -1 : fd_read_all(a, fd, "ticket", TICKET_BYTES_MAX, ret, e);
}

static struct str text_of(struct arena *a, const json_t *o, const char *key) { return str_dup(a, json_to_str(json_object_get(o, key))); }

static int parse(struct arena *a, const json_t *o, struct ticket *ret)
{
	json_int_t dialect = json_integer_value(json_object_get(o, "dialect")), ms = json_integer_value(json_object_get(o, "time_ms"));
	struct ticket t = {.command = text_of(a, o, "command"), .cwd = text_of(a, o, "cwd"), .policy = text_of(a, o, "policy"), .agent = text_of(a, o, "agent"),
		.session = text_of(a, o, "session"), .client = text_of(a, o, "client"), .tool = text_of(a, o, "tool"), .tool_use_id = text_of(a, o, "tool_use_id"),
		.id = text_of(a, o, "id"), .config = text_of(a, o, "config"), .base = text_of(a, o, "base"), .settings = json_integer_value(json_object_get(o, "settings")) == 1,
		.follow = json_integer_value(json_object_get(o, "follow")) == 1};

	if (json_integer_value(json_object_get(o, "v")) != VERSION || profile_find(json_to_str(json_object_get(o, "profile")), &t.profile) != 0)
		return -1;
	if (!str_starts(t.cwd, "/") || dialect < 0 || dialect > DIALECT_POWERSHELL || ms < 0)
		return -1;
	t.dialect = (enum dialect)dialect;
	t.time_ms = (uint64_t)ms;
	*ret = t;
	return 0;
}

struct parsing {
	struct arena *a;
	const json_t *o;
	struct ticket *ret;
	int rc;
};

static int parse_inside(void *arg)
{
	struct parsing *p = arg;

	p->rc = parse(p->a, p->o, p->ret);
	return 0;
}

int ticket_take(struct arena *a, struct str state, struct str id, uint32_t uid, struct ticket *ret, struct err *e)
{
	struct parsing p = {.a = a, .ret = ret};
	json_t *o = NULL;
	struct str text;
	int rc;

	if (!str_is_hex(id, TICKET_ID))
		return err_set(e, ERR_INPUT, 0, "a ticket has %d hexadecimal digits", TICKET_ID);
	if (read_taken(a, state, str_c(a, id), uid, &text, e) != 0 || json_load_strict(text, &o, e) != 0)
		return -1;
	p.o = o;
	rc = arena_run(a, parse_inside, &p); /* the value is jansson's: it is freed whatever happens */
	json_decref(o);
	if (rc < 0)
		return err_set(e, ERR_LIMIT, 0, "no memory left for the ticket");
	return p.rc == 0 ? 0 : err_set(e, ERR_INPUT, 0, "the ticket is not one of ours");
}
