/*
 * src/sys/dbus.c and src/sys/scope.c: messages byte by byte as another implementation writes them (busctl of
 * systemd 252), what hostile peers may say, and a real dbus-daemon where there is one. A peer here is the
 * other end of a socket pair, filled before it is read.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sys/clock.h"
#include "sys/file.h"
#include "sys/scope.h"
#include "unit.h"

#define MS ((int64_t)1000000)
#define OK_LINE "OK 0123456789abcdef0123456789abcdef\r\n"

/* ---- bytes ---- */

static const char golden_hello[] =
	"6c01000100000000010000006d00000001016f00150000002f6f72672f667265656465736b746f702f44427573000000030"
	"173000500000048656c6c6f000000"
	"02017300140000006f72672e667265656465736b746f702e444275730000000006017300140000006f72672e66726565646"
	"5736b746f702e4442757300000000";

/* busctl's, with serial 3 for its 2 and without its flag 4 (a person may be asked). */
static const char golden_question[] =
	"6c0100010001000003000000b600000001016f00190000002f6f72672f667265656465736b746f702f73797374656d64310"
	"00000000000000301730012000000"
	"53746172745472616e7369656e74556e697400000000000002017300200000006f72672e667265656465736b746f702e737"
	"97374656d64312e4d616e61676572"
	"000000000000000006017300180000006f72672e667265656465736b746f702e73797374656d64310000000000000000080"
	"16700107373612873762961287361"
	"28737629290000002000000063616973736f6e2d372d303030303030303030303030303061622e73636f706500000000040"
	"000006661696c00000000c0000000"
	"0b0000004465736372697074696f6e00017300001c00000063616973736f6e3a20612073616e64626f78656420636f6d6d6"
	"16e64000000000400000050494473"
	"000261750000000008000000d204000070110100000000000800000044656c65676174650001620001000000000000000b0"
	"00000436f6c6c6563744d6f646500"
	"0173000012000000696e6163746976652d6f722d6661696c65640000000000000f00000054696d656f757453746f7055536"
	"56300017400008096980000000000"
	"0000000000000000";

static struct str hex_of(const struct dbus_out *m, char *to)
{
	for (size_t i = 0; i < m->n; i++)
		str_put(to + 2 * i, 3, "%02x", (unsigned char)m->p[i]);
	return str_n(to, 2 * m->n);
}

static void test_messages_byte_by_byte(void)
{
	static const struct dbus_target hello = {"org.freedesktop.DBus", "/org/freedesktop/DBus",
			"org.freedesktop.DBus", "Hello"};
	char hex[2 * DBUS_OUT_MAX + 1];
	struct dbus_out m;

	dbus_call(&m, 1, &hello, NULL);
	dbus_end(&m);
	CHECK_STR(hex_of(&m, hex), golden_hello);
	scope_question(&m, "caisson-7-00000000000000ab.scope", (const pid_t[]){1234, 70000}, 2);
	CHECK(!m.full);
	CHECK_STR(hex_of(&m, hex), golden_question);
}

static void test_too_much_for_a_message(void)
{
	static const struct dbus_target to = {NULL, "/", NULL, "M"};
	char text[DBUS_OUT_MAX];
	struct dbus_out m;
	struct dbus d;
	struct err e = {0};
	int pair[2];

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	dbus_call(&m, 1, &to, "s");
	dbus_put_string(&m, text);
	dbus_put_u32(&m, 1);
	dbus_end(&m);
	CHECK(m.full);
	CHECK(m.n <= sizeof(m.p));
	CHECK_INT(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	dbus_start(&d, pair[0], 0);
	CHECK_INT(dbus_send(&d, &m, 1, &e), -1);
	CHECK_INT(e.kind, ERR_LIMIT);
	CHECK_INT(recv(pair[1], text, 1, MSG_DONTWAIT), -1); /* nothing of it was sent */
	dbus_close(&d);
	close(pair[1]);
}

/* ---- a peer ---- */

struct peer_field {
	uint8_t code;
	char type;
	const char *text; /* NULL: the number */
	uint32_t n;
};

/* A message of a peer: built with the same functions, then given its type and fields. */
static void say(struct dbus_out *m, enum dbus_type type, uint32_t serial, const struct peer_field *fields,
		size_t n)
{
	struct dbus_array list;

	*m = (struct dbus_out){.n = 4, .p = {'l', (char)type, 0, 1}};
	dbus_put_u32(m, 0);
	dbus_put_u32(m, serial);
	list = dbus_put_array(m, 8);
	for (size_t i = 0; i < n; i++) {
		dbus_put_struct(m);
		m->p[m->n++] = (char)fields[i].code;
		dbus_put_signature(m, (const char[]){fields[i].type, 0});
		if (!fields[i].text)
			dbus_put_u32(m, fields[i].n);
		else if (fields[i].type == 'g')
			dbus_put_signature(m, fields[i].text);
		else
			dbus_put_string(m, fields[i].text);
	}
	dbus_put_array_end(m, list);
	dbus_put_struct(m); /* pads */
	m->body = m->n;
}

static void say_removed(struct dbus_out *m, const char *unit, const char *result)
{
	static const struct peer_field fields[] = {{1, 'o', "/org/freedesktop/systemd1", 0},
			{2, 's', "org.freedesktop.systemd1.Manager", 0},
						   {3, 's', "JobRemoved", 0}, {8, 'g', "uoss", 0},
						   {9, 'u', NULL, 0}};

	say(m, DBUS_SIGNAL, 70, fields, 5);
	dbus_put_u32(m, 12);
	dbus_put_string(m, "/org/freedesktop/systemd1/job/12");
	dbus_put_string(m, unit);
	dbus_put_string(m, result);
	dbus_end(m);
}

static void say_error(struct dbus_out *m, uint32_t to, const char *text)
{
	const struct peer_field fields[] = {{4, 's', "org.freedesktop.DBus.Error.Failed", 0},
			{5, 'u', NULL, to}, {8, 'g', "s", 0}};

	say(m, DBUS_ERROR, 71, fields, 3);
	dbus_put_string(m, text);
	dbus_end(m);
}

static void say_reply(struct dbus_out *m, uint32_t to)
{
	const struct peer_field fields[] = {{5, 'u', NULL, to}, {8, 'g', "o", 0}};

	say(m, DBUS_REPLY, 69, fields, 2);
	dbus_put_string(m, "/org/freedesktop/systemd1/job/12");
	dbus_end(m);
}

static struct str bytes_of(const struct dbus_out *m) { return str_n(m->p, m->n); }

static void test_parse(void)
{
	struct dbus_out m;
	struct dbus_in in;
	struct str text;
	uint32_t id;
	size_t at = 0;

	say_removed(&m, "a.scope", "done");
	CHECK_INT(dbus_parse(bytes_of(&m), &in), m.n);
	CHECK_INT(in.type, DBUS_SIGNAL);
	CHECK_INT(in.serial, 70);
	CHECK_STR(in.member, "JobRemoved");
	CHECK_STR(in.interface, "org.freedesktop.systemd1.Manager");
	CHECK_STR(in.signature, "uoss");
	CHECK(dbus_take_u32(in.body, &at, &id) && id == 12);
	CHECK(dbus_take_string(in.body, &at, &text));
	CHECK(dbus_take_string(in.body, &at, &text) && str_is(text, "a.scope"));
	CHECK(dbus_take_string(in.body, &at, &text) && str_is(text, "done"));
	CHECK(!dbus_take_string(in.body, &at, &text)); /* there is no more */
	CHECK(!dbus_take_u32(in.body, &at, &id));
}

/*
 * Every cut is "more to come" or a malformed message, and is read no further: the bytes stand at the end of
 * their memory.
 */
static void test_parse_truncated(void)
{
	struct dbus_out m;
	struct dbus_in in;

	say_removed(&m, "a.scope", "done");
	for (size_t n = 0; n < m.n; n++) {
		char *copy = malloc(n ? n : 1);
		if (n)
			memcpy(copy, m.p, n);
		CHECK_INT(dbus_parse(str_n(copy, n), &in), 0);
		free(copy);
	}
}

/*
 * Each byte with each of some values: never a crash (the address sanitizer looks on), never longer than what
 * is there.
 */
static void test_parse_any_byte_wrong(void)
{
	static const uint8_t values[] = {0, 1, 2, 4, 7, 8, 'l', 'B', 's', 'v', 'a', 0x7f, 0x80, 0xff};
	struct dbus_out m;
	struct dbus_in in;
	struct str text;

	say_removed(&m, "a.scope", "done");
	for (size_t i = 0; i < m.n; i++)
		for (size_t k = 0; k < sizeof(values); k++) {
			char *copy = malloc(m.n);
			memcpy(copy, m.p, m.n);
			copy[i] = (char)values[k];
			ssize_t n = dbus_parse(str_n(copy, m.n), &in);
			CHECK(n <= (ssize_t)m.n);
			for (size_t at = 0; n > 0 && dbus_take_string(in.body, &at, &text);)
				CHECK(text.p >= copy && text.p + text.n < copy + m.n);
			free(copy);
		}
}

static void set_u32(struct dbus_out *m, size_t at, uint32_t n)
{
	for (int i = 0; i < 4; i++)
		m->p[at + (size_t)i] = (char)(n >> 8 * i);
}

static void test_parse_malformed(void)
{
	static const struct {
		const char *name;
		size_t at;
		uint32_t n; /* in its place */
	} wrong[] = {
		{"big endian", 0, 'B' | DBUS_SIGNAL << 8 | 1u << 24},
		{"no such type", 0, 'l' | 9 << 8 | 1u << 24}, {"type 0", 0, 'l' | 1u << 24},
		{"version 2", 0, 'l' | DBUS_SIGNAL << 8 | 2u << 24}, {"a body of 4 GB", 4, UINT32_MAX},
		{"a body too long", 4, DBUS_IN_MAX},
		{"no serial", 8, 0}, {"fields of 4 GB", 12, UINT32_MAX},
		{"fields too long", 12, DBUS_IN_MAX - 8}, {"fields end early", 12, 21},
	};
	struct dbus_out m;
	struct dbus_in in;

	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		say_removed(&m, "a.scope", "done");
		set_u32(&m, wrong[i].at, wrong[i].n);
		CHECK_ROW(dbus_parse(bytes_of(&m), &in) == -1, wrong[i].name);
	}
	/* a field of another type than its own, and one of a type that no field has */
	say(&m, DBUS_REPLY, 1, (const struct peer_field[]){{5, 's', "text", 0}}, 1);
	CHECK_INT(dbus_parse(bytes_of(&m), &in), -1);
	say(&m, DBUS_REPLY, 1, (const struct peer_field[]){{3, 'u', NULL, 1}}, 1);
	CHECK_INT(dbus_parse(bytes_of(&m), &in), -1);
	say(&m, DBUS_REPLY, 1, (const struct peer_field[]){{77, 'v', "text", 0}}, 1);
	CHECK_INT(dbus_parse(bytes_of(&m), &in), -1);
	/* one of no interest is passed over */
	say(&m, DBUS_REPLY, 1, (const struct peer_field[]){{77, 's', "text", 0}, {5, 'u', NULL, 6}}, 2);
	CHECK_INT(dbus_parse(bytes_of(&m), &in), m.n);
	CHECK_INT(in.reply_serial, 6);
}

/* ---- conversations ---- */

struct talk {
	struct scope s;
	int peer;
};

static void talk_open(struct talk *t, const char *line)
{
	int pair[2];

	CHECK_INT(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	*t = (struct talk){.s = {.open = true, .direct = true, .unit = "caisson-7-00000000000000ab.scope"},
			.peer = pair[1]};
	dbus_start(&t->s.bus, pair[0], clock_now() + 300 * MS);
	CHECK(write(t->peer, line, strlen(line)) == (ssize_t)strlen(line));
}

static void talk_say(const struct talk *t, const struct dbus_out *m)
{
	CHECK(write(t->peer, m->p, m->n) == (ssize_t)m->n);
}

static void talk_close(struct talk *t)
{
	scope_close(&t->s);
	close(t->peer);
}

static void fails(int line, struct talk *t, const char *text)
{
	struct err why = {0};

	if (scope_wait(&t->s, false, &why) != -1)
		unit_fail(__FILE__, line, "scope_wait() succeeds");
	if (!strstr(why.text, text))
		unit_fail(__FILE__, line, "'%s' without '%s'", why.text, text);
}
#define EXPECT_FAILS(t, text) fails(__LINE__, (t), (text))

static void test_the_usual_answer(void)
{
	struct talk t;
	struct dbus_out m;
	struct err e = {0};

	talk_open(&t, OK_LINE);
	say_reply(&m, 3);
	talk_say(&t, &m);
	say_removed(&m, "another.scope", "failed"); /* not ours */
	talk_say(&t, &m);
	say_error(&m, 99, "not to a message of ours");
	talk_say(&t, &m);
	say_removed(&m, t.s.unit, "done");
	talk_say(&t, &m);
	CHECK_INT(scope_wait(&t.s, false, &e), 0);
	talk_close(&t);
}

static void test_answers_that_say_no(void)
{
	struct talk t;
	struct dbus_out m;

	talk_open(&t, OK_LINE);
	say_error(&m, 3, "no more \033]0;scopes\a\n today");
	talk_say(&t, &m);
	EXPECT_FAILS(&t, "refuses a scope: no more ?]0;scopes?? today");
	talk_close(&t);
	talk_open(&t, OK_LINE);
	say_removed(&m, t.s.unit, "failed");
	talk_say(&t, &m);
	EXPECT_FAILS(&t, "could not make a scope: failed");
	talk_close(&t);
	talk_open(&t, "REJECTED EXTERNAL\r\n");
	EXPECT_FAILS(&t, "does not take this user");
	talk_close(&t);
	talk_open(&t, OK_LINE);
	shutdown(t.peer, SHUT_WR);
	EXPECT_FAILS(&t, "has ended the connection");
	talk_close(&t);
}

/* A signal with our unit's name and something else in place of its arguments is none. */
static void test_almost_the_answer(void)
{
	static const struct peer_field fields[] = {{3, 's', "JobRemoved", 0}, {8, 'g', "uos", 0}};
	struct talk t;
	struct dbus_out m;

	talk_open(&t, OK_LINE);
	say(&m, DBUS_SIGNAL, 1, fields, 2);
	dbus_put_u32(&m, 12);
	dbus_put_string(&m, "/job");
	dbus_put_string(&m, t.s.unit);
	dbus_end(&m);
	talk_say(&t, &m);
	say_removed(&m, t.s.unit, "done");
	m.p[1] = DBUS_REPLY; /* the same as a reply */
	talk_say(&t, &m);
	say_removed(&m, t.s.unit, "done");
	set_u32(&m, m.body + 4, 4000); /* the job's name runs beyond the end */
	talk_say(&t, &m);
	EXPECT_FAILS(&t, "no answer in time");
	talk_close(&t);
}

static void test_hostile_texts(void)
{
	static char endless[4096];
	struct talk t;
	struct dbus_out m;

	memset(endless, 'x', sizeof(endless) - 1);
	talk_open(&t, endless); /* a line without an end */
	EXPECT_FAILS(&t, "is malformed");
	talk_close(&t);
	talk_open(&t, OK_LINE "lalala and no message at all");
	EXPECT_FAILS(&t, "is malformed");
	talk_close(&t);
	talk_open(&t, OK_LINE);
	say_removed(&m, t.s.unit, "done");
	set_u32(&m, 4, 100 << 20); /* a body of 100 MB */
	talk_say(&t, &m);
	EXPECT_FAILS(&t, "is malformed");
	talk_close(&t);
}

static void test_silence_ends_in_time(void)
{
	struct talk t;
	int64_t from = clock_now();

	talk_open(&t, ""); /* not even a line */
	EXPECT_FAILS(&t, "no answer in time");
	CHECK(clock_now() - from >= SCOPE_FIRST_MS * MS);
	talk_close(&t);
	talk_open(&t, OK_LINE);
	from = clock_now();
	t.s.bus.deadline = from + 2 * SCOPE_FIRST_MS * MS;
	EXPECT_FAILS(&t, "no answer in time");
	CHECK(clock_now() - from >= 2 * SCOPE_FIRST_MS * MS);
	talk_close(&t);
}

/* A peer that never stops talking: a child writes signals for as long as anybody reads. */
static void test_endless_signals(void)
{
	struct talk t;
	struct dbus_out m;
	pid_t pid;

	talk_open(&t, OK_LINE);
	t.s.bus.deadline = clock_now() + 60000 * MS;
	say_removed(&m, "another.scope", "done");
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		scope_close(&t.s);
		signal(SIGPIPE, SIG_DFL);
		while (write(t.peer, m.p, m.n) > 0)
			;
		_exit(0);
	}
	EXPECT_FAILS(&t, "no answer among 4096 D-Bus messages");
	CHECK_INT(t.s.bus.messages, DBUS_MESSAGES_MAX + 1);
	talk_close(&t);
	waitpid(pid, NULL, 0);
}

/* Descriptors that come along are not kept. */
static void test_descriptors_are_not_taken(void)
{
	union {
		char room[CMSG_SPACE(sizeof(int))];
		struct cmsghdr head;
	} c = {.head = {.cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET,
			.cmsg_type = SCM_RIGHTS}};
	struct talk t;
	struct dbus_out m;
	struct err e = {0};
	int before, after;

	talk_open(&t, OK_LINE);
	say_removed(&m, t.s.unit, "done");
	before = open("/dev/null", O_RDONLY | O_CLOEXEC);
	memcpy(CMSG_DATA(&c.head), &before, sizeof(before));
	struct iovec part = {m.p, m.n};
	CHECK_INT(sendmsg(t.peer, &(struct msghdr){.msg_iov = &part, .msg_iovlen = 1, .msg_control = c.room,
			.msg_controllen = sizeof(c.room)}, 0), m.n);
	CHECK_INT(scope_wait(&t.s, false, &e), 0);
	after = open("/dev/null", O_RDONLY | O_CLOEXEC);
	CHECK_INT(after, before + 1);
	close(after);
	close(before);
	talk_close(&t);
}

/* ---- sockets in a directory ---- */

static char dir[64];

static int listen_at(const char *name)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	str_put(at.sun_path, sizeof(at.sun_path), "%s/%s", dir, name);
	CHECK_INT(bind(fd, (const struct sockaddr *)&at, sizeof(at)), 0);
	CHECK_INT(listen(fd, 4), 0);
	return fd;
}

static const char *in_dir(const char *name)
{
	static char path[128];

	str_put(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

/* The requests to the listener: authentication and messages. */
static struct str heard(int listener, char *buf, size_t room)
{
	FD_CLEANUP int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	ssize_t n = recv(fd, buf, room, MSG_DONTWAIT);

	return str_n(buf, n < 0 ? 0 : (size_t)n);
}

static void test_whom_to_ask(void)
{
	static const pid_t pids[] = {1234};
	char buf[8192], auth[64], hex[32];
	struct scope s = {0};
	struct err e = {0};

	str_put(hex, sizeof(hex), "%u", (unsigned)geteuid());
	str_put(auth, sizeof(auth), "AUTH EXTERNAL 3%c", hex[0]);
	CHECK_INT(scope_open_at(&s, dir, &e), -1); /* no sockets */
	CHECK(!s.open);
	FD_CLEANUP int bus = listen_at("bus");
	CHECK_INT(scope_open_at(&s, dir, &e), 0);
	CHECK(!s.direct);
	CHECK_INT(scope_ask(&s, pids, 1, &e), 0);
	struct str said = heard(bus, buf, sizeof(buf));
	CHECK(said.n > 1 && said.p[0] == '\0' && str_starts(str_sub(said, 1, said.n), auth));
	CHECK(str_contains(said, STR("Hello")) && str_contains(said, STR("AddMatch")) &&
			str_contains(said, str_of(s.unit)));
	scope_close(&s);
	/* the manager's own socket is asked first, and needs no greeting */
	CHECK_INT(mkdir(in_dir("systemd"), 0700), 0);
	FD_CLEANUP int manager = listen_at("systemd/private");
	CHECK_INT(scope_open_at(&s, dir, &e), 0);
	CHECK(s.direct);
	CHECK_INT(scope_ask(&s, pids, 1, &e), 0);
	said = heard(manager, buf, sizeof(buf));
	CHECK(!str_contains(said, STR("Hello")) && str_contains(said, STR("\r\nBEGIN\r\nl\1")) &&
			str_contains(said, str_of(s.unit)));
	scope_close(&s);
	unlink(in_dir("systemd/private"));
	rmdir(in_dir("systemd"));
	unlink(in_dir("bus"));
}

static void test_a_directory_of_this_user_alone(void)
{
	char link[96];
	struct scope s = {0};
	struct err e = {0};
	FD_CLEANUP int bus = listen_at("bus");
	(void)bus; /* open until the end */

	CHECK_INT(chmod(dir, 0755), 0);
	CHECK_INT(scope_open_at(&s, dir, &e), -1);
	CHECK(strstr(e.text, "not a directory of this user alone"));
	CHECK_INT(chmod(dir, 0700), 0);
	str_put(link, sizeof(link), "%s-link", dir);
	CHECK_INT(symlink(dir, link), 0);
	CHECK_INT(scope_open_at(&s, link, &e), -1);
	unlink(link);
	CHECK_INT(scope_open_at(&s, "/nonexistent", &e), -1);
	CHECK_INT(e.errnum, ENOENT);
	if (geteuid() == 0) {
		CHECK_INT(chown(dir, 65534, 65534), 0);
		CHECK_INT(scope_open_at(&s, dir, &e), -1);
		CHECK_INT(chown(dir, 0, 0), 0);
	}
	CHECK_INT(scope_open_at(&s, dir, &e), 0); /* the twin */
	scope_close(&s);
	unlink(in_dir("bus"));
}

/* Only a socket that a process of this user listens at. */
static void test_a_server_of_another_user(void)
{
	struct scope s = {0};
	struct err e = {0};
	int ready[2], fd;
	char word;
	pid_t pid;

	CHECK_INT(pipe2(ready, O_CLOEXEC), 0);
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		fd = listen_at("bus");
		_exit(setresuid(65534, 65534, 65534) == 0 && listen(fd, 4) == 0 &&
				write(ready[1], "x", 1) == 1 ? pause() : 1);
	}
	CHECK_INT(read(ready[0], &word, 1), 1);
	CHECK_INT(scope_open_at(&s, dir, &e), -1);
	CHECK(strstr(e.text, "another user listens"));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(ready[0]);
	close(ready[1]);
	unlink(in_dir("bus"));
}

/* ---- a real one ---- */

static pid_t start_daemon(void)
{
	char address[128];
	int said[2];
	pid_t pid;

	str_put(address, sizeof(address), "--address=unix:path=%s/bus", dir);
	CHECK_INT(pipe2(said, O_CLOEXEC), 0);
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
		dup2(null, STDERR_FILENO); /* it complains of limits */
		dup2(said[1], STDOUT_FILENO);
		execlp("dbus-daemon", "dbus-daemon", "--session", "--nofork", "--nopidfile",
				"--print-address=1", address, (char *)NULL);
		_exit(127);
	}
	close(said[1]);
	/* its address, once it listens; else nothing */
	bool up = read(said[0], address, sizeof(address)) > 0;
	close(said[0]);
	if (up)
		return pid;
	waitpid(pid, NULL, 0);
	return -1;
}

static pid_t daemon_pid;

/*
 * It takes the user, gives a name, takes the match, and knows no systemd: it either says so or starts
 * something that fails.
 */
static void test_a_real_bus_without_systemd(void)
{
	static const pid_t pids[] = {1234};
	struct scope s = {0};
	struct err e = {0};
	struct dbus_in in;

	CHECK_INT(scope_open_at(&s, dir, &e), 0);
	CHECK_INT(scope_ask(&s, pids, 1, &e), 0);
	s.bus.deadline = clock_now() + 10000 * MS;
	CHECK_INT(dbus_next(&s.bus, &in, &e), 0);
	CHECK_INT(in.type, DBUS_REPLY);
	CHECK_INT(in.reply_serial, 1);
	CHECK_STR(in.signature, "s");
	CHECK(in.body.n > 4 && in.body.p[4] == ':');
	do /* a signal: the name is ours */
		CHECK_INT(dbus_next(&s.bus, &in, &e), 0);
	while (in.type == DBUS_SIGNAL);
	CHECK_INT(in.type, DBUS_REPLY);
	CHECK_INT(in.reply_serial, 2);
	CHECK_INT(scope_wait(&s, false, &e), -1);
	CHECK(strstr(e.text, "refuses a scope: "));
	scope_close(&s);
}

int main(void)
{
	str_put(dir, sizeof(dir), "/tmp/caisson-dbus-XXXXXX");
	CHECK(mkdtemp(dir) != NULL);
	RUN(test_messages_byte_by_byte);
	RUN(test_too_much_for_a_message);
	RUN(test_parse);
	RUN(test_parse_truncated);
	RUN(test_parse_any_byte_wrong);
	RUN(test_parse_malformed);
	RUN(test_the_usual_answer);
	RUN(test_answers_that_say_no);
	RUN(test_almost_the_answer);
	RUN(test_hostile_texts);
	RUN(test_silence_ends_in_time);
	RUN(test_endless_signals);
	RUN(test_descriptors_are_not_taken);
	RUN(test_whom_to_ask);
	RUN(test_a_directory_of_this_user_alone);
	if (geteuid() == 0)
		RUN(test_a_server_of_another_user);
	else
		unit_skip("test_a_server_of_another_user", "only root can be another user");
	daemon_pid = start_daemon();
	if (daemon_pid > 0)
		RUN(test_a_real_bus_without_systemd);
	else
		unit_skip("test_a_real_bus_without_systemd",
				"dbus-daemon is missing (the Debian package dbus-daemon)");
	if (daemon_pid > 0) {
		kill(daemon_pid, SIGTERM);
		waitpid(daemon_pid, NULL, 0);
	}
	unlink(in_dir("bus"));
	rmdir(dir);
	return unit_end();
}
