/* Reads the chain of parents from /proc. See ancestors.h. */
#define _GNU_SOURCE
#include "sys/ancestors.h"

#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

#include "base/num.h"
#include "sys/file.h"

#define STAT_MAX 1024

struct str ancestor_word(const struct ancestor *p, size_t i)
{
	for (size_t from = 0; from < p->args.n;) {
		size_t end = str_end(p->args, '\0', from);
		struct str word = str_sub(p->args, from, end);

		if (!i--)
			return word;
		from += word.n + 1;
	}
	return STR("");
}

/* "PID (name) S PARENT ...": the last bracket ends the name. */
int64_t ancestor_parent(struct str stat)
{
	size_t at = stat.n, end;
	int64_t parent;

	while (at && stat.p[at - 1] != ')')
		at--;
	if (!at || stat.n - at < 4)
		return -1;
	at += 3; /* blank, state, blank */
	for (end = at; end < stat.n && stat.p[end] != ' ';)
		end++;
	return num_parse(str_sub(stat, at, end), 0, INT32_MAX, &parent) == 0 ? parent : -1;
}

/*
 * Reads up to `room` bytes of /proc/PID/NAME (pid 0: this process). stat() reports size 0 for these files, so
 * read until EOF.
 */
static int read_proc(struct arena *a, int64_t pid, const char *name, size_t room, struct str *ret)
{
	const char *path = str_c(a, pid ? str_fmt(a, "/proc/%lld/%s", (long long)pid, name) : str_fmt(a,
			"/proc/self/%s", name));
	char *bytes = arena_alloc(a, room);
	FD_CLEANUP int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t n = 0;

	while (fd >= 0 && n < room) {
		ssize_t got = fd_read(fd, bytes + n, room - n);

		if (got < 0)
			return -1;
		if (!got)
			break;
		n += (size_t)got;
	}
	*ret = str_n(bytes, n);
	return fd < 0 ? -1 : 0;
}

static struct str read_exe(struct arena *a, int64_t pid)
{
	char *path = arena_alloc(a, PATH_MAX);
	ssize_t n = readlink(str_fmt_c(a, "/proc/%lld/exe", (long long)pid), path, PATH_MAX);

	return n > 0 && n < PATH_MAX ? str_n(path, (size_t)n) : STR("");
}

int ancestors_read(struct arena *a, struct ancestor **ret, size_t *ret_n, struct err *e)
{
	struct ancestor *all = arena_array(a, ANCESTORS_MAX, sizeof(*all));
	struct str text;
	int64_t pid = 0;
	size_t n = 0;

	while (read_proc(a, pid, "stat", STAT_MAX, &text) == 0 && (pid = ancestor_parent(text)) > 0) {
		struct ancestor *p = &all[n];

		if (n++ == ANCESTORS_MAX)
			return err_limit(e, "this process has more than %d parent processes", ANCESTORS_MAX);
		p->pid = pid;
		p->exe = read_exe(a, pid);
		if (read_proc(a, pid, "comm", STAT_MAX, &p->comm) == 0 && str_ends(p->comm, "\n"))
			p->comm.n--;
		if (read_proc(a, pid, "cmdline", ANCESTOR_ARGS_MAX, &p->args) != 0)
			p->args = STR("");
	}
	if (pid < 0 || (!n && pid == 0 && !text.n))
		return err_host(e, "cannot list the parent processes of this one: is /proc mounted?");
	*ret = all;
	*ret_n = n;
	return 0;
}
