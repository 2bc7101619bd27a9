/* Scopes of the user's systemd manager; scope.h has the theory. */
#define _GNU_SOURCE
#include "sys/scope.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sys/clock.h"
#include "sys/file.h"

#define MS ((int64_t)1000000)
#define RUNTIME_MAX 256
#define STATUS_MAX 4096          /* bytes of /proc/PID/status */
#define ERROR_TEXT_MAX 160       /* bytes of a peer's message in an error */
#define STOP_TIMEOUT_US 10000000 /* from SIGTERM to SIGKILL when the manager stops (logout, shutdown) */
#define SYSTEMD "org.freedesktop.systemd1"
#define BUS "org.freedesktop.DBus"

enum { SERIAL_HELLO = 1, SERIAL_MATCH, SERIAL_START };

/* ---- request ---- */

static void put_property(struct dbus_out *m, const char *name, const char *signature)
{
	dbus_put_struct(m);
	dbus_put_string(m, name);
	dbus_put_signature(m, signature);
}

void scope_question(struct dbus_out *m, const char *unit, const pid_t *pids, size_t n)
{
	static const struct dbus_target to = {SYSTEMD, "/org/freedesktop/systemd1", SYSTEMD ".Manager",
			"StartTransientUnit"};
	struct dbus_array properties, list;

	dbus_call(m, SERIAL_START, &to, "ssa(sv)a(sa(sv))");
	dbus_put_string(m, unit);
	dbus_put_string(m, "fail"); /* if a unit of this name exists */
	properties = dbus_put_array(m, 8);
	put_property(m, "Description", "s");
	dbus_put_string(m, "caisson: a sandboxed command");
	put_property(m, "PIDs", "au");
	list = dbus_put_array(m, 4);
	for (size_t i = 0; i < n; i++)
		dbus_put_u32(m, (uint32_t)pids[i]);
	dbus_put_array_end(m, list);
	put_property(m, "Delegate", "b");
	dbus_put_u32(m, true);
	put_property(m, "CollectMode", "s");
	dbus_put_string(m, "inactive-or-failed");
	put_property(m, "TimeoutStopUSec", "t");
	dbus_put_u64(m, STOP_TIMEOUT_US);
	dbus_put_array_end(m, properties);
	dbus_put_array_end(m, dbus_put_array(m, 8)); /* no other units */
	dbus_end(m);
}

/* Says Hello and subscribes to signals, as a message bus requires. The manager's own socket needs neither. */
static void put_greeting(struct dbus_out m[2])
{
	static const struct dbus_target hello = {BUS, "/org/freedesktop/DBus", BUS, "Hello"};
	static const struct dbus_target match = {BUS, "/org/freedesktop/DBus", BUS, "AddMatch"};

	dbus_call(&m[0], SERIAL_HELLO, &hello, NULL);
	dbus_end(&m[0]);
	dbus_call(&m[1], SERIAL_MATCH, &match, "s");
	dbus_put_string(&m[1], "type='signal',sender='" SYSTEMD "',interface='" SYSTEMD
			".Manager',member='JobRemoved'");
	dbus_end(&m[1]);
}

/* ---- connection ---- */

/*
 * PIDs mean the same to the peer only in the same pid namespace. In ours, the peer's NSpid line has a single
 * number.
 */
static bool same_pid_namespace(pid_t peer)
{
	char path[32], text[STATUS_MAX];
	ssize_t n;

	if (peer <= 0)
		return false;
	str_put(path, sizeof(path), "/proc/%d/status", (int)peer);
	FD_CLEANUP int fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	text[n < 0 ? 0 : n] = '\0';
	const char *line = strstr(text, "\nNSpid:\t");
	return line && strcspn(line + 8, "\t") > strcspn(line + 8, "\n");
}

static int open_runtime(const char *path, struct err *e)
{
	FD_CLEANUP int fd = open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;
	int opened;

	if (fd < 0 || fstat(fd, &st) != 0)
		return err_system(e, "no user manager runs: cannot open '%s'", path);
	if (st.st_uid != geteuid() || (st.st_mode & 07777) != 0700)
		return err_input(e, "'%s' is not a directory of this user alone", path);
	opened = fd;
	fd = -1;
	return opened;
}

static int connect_at(int runtime, const char *name, struct err *e)
{
	char path[64];
	pid_t peer = 0;
	int fd;

	/* through the directory that was checked */
	str_put(path, sizeof(path), "/proc/self/fd/%d/%s", runtime, name);
	fd = dbus_connect(path, &peer, e);
	if (fd < 0 && e->errnum)
		return err_set(e, ERR_SYSTEM, e->errnum, "cannot connect to '%s' in the runtime directory",
				name);
	if (fd >= 0 && !same_pid_namespace(peer)) {
		close(fd);
		return err_input(e, "the user manager is in another pid namespace");
	}
	return fd;
}

int scope_open_at(struct scope *s, const char *runtime, struct err *e)
{
	FD_CLEANUP int dir = open_runtime(runtime, e);
	int fd;

	if (dir < 0)
		return -1;
	fd = connect_at(dir, "systemd/private", e);
	s->direct = fd >= 0;
	if (fd < 0)
		fd = connect_at(dir, "bus", e);
	if (fd < 0)
		return -1;
	dbus_start(&s->bus, fd, 0);
	s->open = true;
	return 0;
}

int scope_open(struct scope *s, struct err *e)
{
	const char *given = getenv("XDG_RUNTIME_DIR");
	char usual[RUNTIME_MAX];

	if (geteuid() == 0)
		return err_host(e, "root has no user manager");
	/* the variable may be another user's, left by su */
	if (given && given[0] == '/' && scope_open_at(s, given, e) == 0)
		return 0;
	str_put(usual, sizeof(usual), "/run/user/%u", (unsigned)geteuid());
	return scope_open_at(s, usual, e);
}

int scope_ask(struct scope *s, const pid_t *pids, size_t n, struct err *e)
{
	struct dbus_out messages[3];
	uint64_t chance;

	if (!s->open || n == 0 || n > SCOPE_PIDS_MAX)
		return err_internal(e, "nobody to ask for a scope of %zu processes", n);
	if (getrandom(&chance, sizeof(chance), 0) != sizeof(chance))
		return err_system(e, "no random bytes");
	str_put(s->unit, sizeof(s->unit), "caisson-%d-%016jx.scope", (int)getpid(), (uintmax_t)chance);
	if (!s->direct)
		put_greeting(messages);
	scope_question(&messages[2], s->unit, pids, n);
	s->bus.deadline = clock_now() + SCOPE_ALL_MS * MS;
	return dbus_send(&s->bus, messages + (s->direct ? 2 : 0), s->direct ? 1 : 3, e);
}

/* ---- answer ---- */

/* Makes a peer's text safe to print: one line, no escape sequences. */
static void make_printable(struct str text, char *to, size_t room)
{
	size_t n = text.n < room - 1 ? text.n : room - 1;

	for (size_t i = 0; i < n; i++)
		to[i] = text.p[i] >= ' ' && text.p[i] < 0x7f ? text.p[i] : '?';
	to[n] = '\0';
}

static int note_refusal(const struct dbus_in *m, struct err *e)
{
	char text[ERROR_TEXT_MAX];
	struct str said = m->error;
	size_t at = 0;

	if (str_starts(m->signature, "s"))
		(void)dbus_take_string(m->body, &at, &said);
	make_printable(said, text, sizeof(text));
	return err_host(e, "the user manager refuses a scope: %s", text);
}

/* Arguments: job id, job, unit, result. */
static bool job_removed(const struct dbus_in *m, const char *unit, struct str *ret_result)
{
	struct str job, name;
	uint32_t id;
	size_t at = 0;

	if (m->type != DBUS_SIGNAL || !str_is(m->member, "JobRemoved") || !str_is(m->signature, "uoss"))
		return false;
	return dbus_take_u32(m->body, &at, &id) && dbus_take_string(m->body, &at, &job) &&
			dbus_take_string(m->body, &at, &name) &&
	       str_is(name, unit) && dbus_take_string(m->body, &at, ret_result);
}

/* Returns 1 if the processes are in the scope, 0 if not yet, -1 and *e on failure. */
static int judge_answer(const struct scope *s, const struct dbus_in *m, struct err *e)
{
	char text[ERROR_TEXT_MAX];
	struct str result;

	if (m->type == DBUS_ERROR && m->reply_serial >= SERIAL_HELLO && m->reply_serial <= SERIAL_START)
		return note_refusal(m, e);
	if (!job_removed(m, s->unit, &result))
		return 0;
	if (str_is(result, "done"))
		return 1;
	make_printable(result, text, sizeof(text));
	return err_host(e, "the user manager could not make a scope: %s", text);
}

int scope_wait(struct scope *s, bool patient, struct err *e)
{
	int64_t first = clock_now() + (patient ? SCOPE_PATIENT_MS : SCOPE_FIRST_MS) * MS,
			all = s->bus.deadline;
	struct dbus_in m;
	int known = 0;

	if (!s->open || !s->bus.deadline)
		return err_internal(e, "no scope was asked for");
	s->bus.deadline = first;
	if (dbus_await_auth(&s->bus, e) != 0)
		return -1;
	s->bus.deadline = first > all ? first : all; /* the caller may have been slow itself */
	while (known == 0) {
		if (dbus_next(&s->bus, &m, e) != 0)
			return -1;
		known = judge_answer(s, &m, e);
	}
	return known > 0 ? 0 : -1;
}

void scope_close(struct scope *s)
{
	if (s->open)
		dbus_close(&s->bus);
	s->open = false;
}
