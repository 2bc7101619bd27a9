/* See listening.h. The kernel shows the sockets of a namespace in /proc/PID/net. */
#define _GNU_SOURCE
#include "sys/listening.h"

#include <fcntl.h>
#include <stdbool.h>
#include <unistd.h>

#include "sys/file.h"

#define TABLE_MAX ((size_t)256 << 10) /* bytes of a list of sockets: those that listen come first */
#define HEX "0123456789ABCDEF"
#define LISTENING "0A" /* state of a socket in /proc/net/tcp */

/* The port of a line as "0: 0100007F:1F90 00000000:0000 0A ..." if its socket listens; else 0. */
static uint16_t listening_port(struct str line)
{
	ptrdiff_t at = str_find(line, ':', 0), local = at < 0 ? -1 : str_find(line, ':', (size_t)at + 1);
	uint16_t port = 0;

	if (local < 0 || line.n < (size_t)local + 5 ||
			str_find(str_from(line, (size_t)local), ' ', 0) != 5)
		return 0;
	for (size_t i = 1; i <= 4; i++) {
		const char *digit = strchr(HEX, line.p[local + (ptrdiff_t)i]);

		if (!digit || !*digit)
			return 0;
		port = (uint16_t)(port * 16 + (digit - HEX));
	}
	line = str_from(line, (size_t)local + 6);
	at = str_find(line, ' ', 0); /* behind the other end's address stands the state */
	return at >= 0 && str_starts(str_from(line, (size_t)at + 1), LISTENING " ") ? port : 0;
}

static bool is_known(const uint16_t *ports, size_t n, uint16_t port)
{
	for (size_t i = 0; i < n; i++)
		if (ports[i] == port)
			return true;
	return false;
}

/* The beginning of a list. A list that cannot be read is empty. */
static struct str read_table(struct arena *a, int fd)
{
	char *text = arena_alloc(a, TABLE_MAX);
	ssize_t got = 1;
	size_t n = 0;

	while (got > 0 && n < TABLE_MAX) {
		got = read(fd, text + n, TABLE_MAX - n);
		n += got > 0 ? (size_t)got : 0;
	}
	return str_n(text, n);
}

static void add_table(struct arena *a, pid_t pid, const char *table, uint16_t *ret, size_t room, size_t *n)
{
	const char *path = str_fmt_c(a, "/proc/%d/net/%s", (int)pid, table);
	FD_SCOPE f = {0};
	struct str rest;

	fd_scope(&f, a, open(path, O_RDONLY | O_CLOEXEC));
	if (f.fd < 0)
		return;
	rest = read_table(a, f.fd);
	for (ptrdiff_t at; (at = str_find(rest, '\n', 0)) >= 0;
			rest = str_from(rest, (size_t)at + 1)) {
		uint16_t port = listening_port(str_first(rest, (size_t)at));

		if (port && *n < room && !is_known(ret, *n, port))
			ret[(*n)++] = port;
	}
}

size_t listening_ports(struct arena *a, pid_t pid, uint16_t *ret, size_t room)
{
	size_t n = 0;

	add_table(a, pid, "tcp", ret, room, &n);
	add_table(a, pid, "tcp6", ret, room, &n);
	return n;
}
