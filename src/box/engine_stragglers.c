/*
 * Processes that a killed engine left in the middle of making a container: monitors and runtimes, which have
 * the container's name or id among their arguments (also as their own name), and processes that have entered
 * the box's root and wait to be started. Each is held by a pidfd while it is looked at, so that no other
 * process is killed.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/num.h"
#include "box/guest.h"
#include "sys/file.h"

#define ARGUMENTS_MAX ((size_t)16 << 10)
#define NAME_MIN 16         /* shorter names may be anybody's */
#define STRAGGLER_LOOKS 100 /* at all */
#define QUIET_LOOKS 3       /* in a row that found nothing */
#define LOOK_MS 50

static bool has_name(const char *text, size_t n, struct str name)
{
	return name.n >= NAME_MIN && memmem(text, n, name.p, name.n);
}

static bool is_straggler(const char *pid, struct str name, struct str id, const struct stat *root)
{
	char path[64], text[ARGUMENTS_MAX];
	struct stat at;
	ssize_t n;

	str_put(path, sizeof(path), "/proc/%s/root", pid);
	if (root->st_ino && stat(path, &at) == 0 && at.st_dev == root->st_dev && at.st_ino == root->st_ino)
		return true;
	str_put(path, sizeof(path), "/proc/%s/cmdline", pid);
	FD_CLEANUP int fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, text, sizeof(text));
	return n > 0 && (has_name(text, (size_t)n, name) || has_name(text, (size_t)n, id));
}

/* The number of processes that were killed. */
static int kill_stragglers(struct str name, struct str id, const struct stat *root)
{
	DIR *d = opendir("/proc");
	const struct dirent *entry;
	int64_t pid;
	int n = 0;

	while (d && (entry = readdir(d))) {
		if (num_parse(str_of(entry->d_name), 2, INT32_MAX, &pid) != 0 || pid == getpid())
			continue;
		FD_CLEANUP int pidfd = (int)syscall(SYS_pidfd_open, (pid_t)pid, 0);
		if (pidfd >= 0 && is_straggler(entry->d_name, name, id, root) &&
				syscall(SYS_pidfd_send_signal, pidfd, SIGKILL, NULL, 0) == 0)
			n++;
	}
	if (d)
		closedir(d);
	return n;
}

void guest_end_stragglers(const struct guest_box *g, struct str id)
{
	struct stat root = {0};

	if (stat(g->stage.root, &root) != 0)
		root.st_ino = 0;
	for (int i = 0, quiet = 0; i < STRAGGLER_LOOKS && quiet < QUIET_LOOKS; i++) {
		quiet = kill_stragglers(str_of(g->id), id, &root) ? 0 : quiet + 1;
		(void)poll(NULL, 0, LOOK_MS);
	}
}
