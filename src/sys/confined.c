/* See confined.h. */
#define _GNU_SOURCE
#include "sys/confined.h"

#include <fcntl.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "sys/file.h"

/* The initial user namespace maps every id to itself. */
static bool in_first_users(void)
{
	FD_CLEANUP int fd = open("/proc/self/uid_map", O_RDONLY | O_CLOEXEC);
	static const char all[] = "0 0 4294967295";
	char text[128];
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text));
	size_t at = 0;

	for (ssize_t i = 0; i < n && at < sizeof(all); i++) { /* blanks only align the columns */
		bool blank = text[i] == ' ' || text[i] == '\n';

		if (blank && (!at || !all[at] || all[at - 1] == ' '))
			continue;
		if (text[i] != all[at] && !(blank && all[at] == ' '))
			return false;
		at++;
	}
	return n <= 0 || at == sizeof(all) - 1;
}

bool confined_here(void)
{
	return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 && prctl(PR_GET_SECCOMP) == SECCOMP_MODE_FILTER &&
	       !in_first_users();
}

const char *confined_by(void)
{
	if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 0)
		return "no_new_privs";
	if (prctl(PR_GET_SECCOMP) != SECCOMP_MODE_DISABLED)
		return "a seccomp filter";
	return in_first_users() ? NULL : "another user namespace";
}

bool confined_readonly(const char *dir)
{
	struct statvfs st;

	return statvfs(dir, &st) == 0 && (st.f_flag & ST_RDONLY);
}

/* /proc/net/dev has two heading lines, then one line per interface. */
bool confined_offline(void)
{
	FD_CLEANUP int fd = open("/proc/net/dev", O_RDONLY | O_CLOEXEC);
	char text[1024];
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text));
	struct str rest = str_n(text, n > 0 ? (size_t)n : 0);
	unsigned lines = 0;

	for (ptrdiff_t end; (end = str_find(rest, '\n', 0)) >= 0;
			rest = str_from(rest, (size_t)end + 1)) {
		struct str line = str_first(rest, (size_t)end);

		while (line.n && line.p[0] == ' ')
			line = str_from(line, 1);
		if (++lines > 2 && !str_starts(line, "lo:"))
			return false;
	}
	return lines >= 2 && !rest.n;
}
