/*
 * The one program behind every command name in the oracle's jail (jail.c hard-links it as evil, git, cat, env
 * ...). It appends what it was started with as one record to the jail's log, then becomes the real tool of
 * that name if there is one, else ends with 0.
 *
 * A record: the bytes "RECO", the length of the rest (32 bits, host order), then NUL-terminated strings: the
 * path that was executed, the working directory, argv. One write with O_APPEND, so records of processes that
 * run at the same time do not mix.
 */
#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#define RECORD_MAX ((size_t)64 << 10)

static char record[RECORD_MAX + 8];
static size_t used = 8;

static void add(const char *s)
{
	size_t n = strlen(s) + 1;

	if (n > RECORD_MAX - used)
		return;
	memcpy(record + used, s, n);
	used += n;
}

static const char *base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static int exists(const char *dir, const char *name, char *path, size_t cap)
{
	int n = snprintf(path, cap, "%s/%s", dir, name);

	return *name && n > 0 && (size_t)n < cap && access(path, F_OK) == 0;
}

int main(int argc, char **argv, char **envp)
{
	const char *file = (const char *)getauxval(AT_EXECFN);
	char cwd[4096], path[4352];
	uint32_t n;
	int fd;

	if (!file)
		file = argv[0] ? argv[0] : "";
	add(file);
	add(getcwd(cwd, sizeof cwd) ? cwd : "");
	for (int i = 0; i < argc; i++)
		add(argv[i]);
	memcpy(record, "RECO", 4);
	n = (uint32_t)(used - 8);
	memcpy(record + 4, &n, sizeof n);
	fd = open("/.log", O_WRONLY | O_APPEND | O_CLOEXEC);
	if (fd >= 0) {
		if (write(fd, record, used) < 0)
			return 125;
		close(fd);
	}
	/*
	 * a script with #! is executed under its own path; then argv[0] names the interpreter, which is the
	 * program we stand for
	 */
	if (!exists("/bin", base(file), path, sizeof path) && argc > 0)
		file = argv[0];
	if (exists("/.real", base(file), path, sizeof path))
		execve(path, argv, envp);
	return 0;
}
