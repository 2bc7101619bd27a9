/*
 * Running a real program (bash, dash, coreutils) with given standard input, to compare with. Its standard
 * error is thrown away. Programs run with LC_ALL=C.UTF-8 and the system's PATH.
 */
#pragma once
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/str.h"

static inline void real_child(char *const argv[], int in, int out)
{
	int null = open("/dev/null", O_WRONLY);

	if (null < 0 || dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(null, 2) < 0)
		_exit(126);
	for (int fd = 3; fd < 64; fd++)
		close(fd);
	setenv("PATH", "/usr/bin:/bin", 1);
	setenv("LC_ALL", "C.UTF-8", 1);
	unsetenv("POSIXLY_CORRECT");
	execvp(argv[0], argv);
	_exit(127);
}

/* The program's output; input goes through a temporary file, so nothing can block. */
static inline struct str real_run(struct arena *a, char *const argv[], struct str input)
{
	char name[] = "/tmp/caisson-unit-XXXXXX", piece[65536];
	int in = mkstemp(name), out[2];
	struct buf b;
	ssize_t n;
	pid_t pid;

	buf_init(&b, a, 0);
	if (in < 0 || unlink(name) || write(in, input.p, input.n) != (ssize_t)input.n ||
			lseek(in, 0, SEEK_SET) || pipe(out))
		abort();
	pid = fork();
	if (pid < 0)
		abort();
	if (!pid)
		real_child(argv, in, out[1]);
	close(in);
	close(out[1]);
	while ((n = read(out[0], piece, sizeof(piece))) > 0)
		buf_add(&b, piece, (size_t)n);
	close(out[0]);
	waitpid(pid, NULL, 0);
	return buf_view(&b);
}

/* The text of a script, run by `shell`. */
static inline struct str real_script(struct arena *a, const char *shell, struct str script)
{
	char *argv[] = {(char *)(uintptr_t)shell, NULL};
	return real_run(a, argv, script);
}

/* Cuts the next piece, up to `end`, from *rest. */
static inline struct str real_piece(struct str *rest, const char *end)
{
	size_t n = strlen(end);

	for (size_t i = 0; i + n <= rest->n; i++) {
		if (memcmp(rest->p + i, end, n) == 0) {
			struct str piece = str_n(rest->p, i);
			*rest = str_n(rest->p + i + n, rest->n - i - n);
			return piece;
		}
	}
	struct str all = *rest;
	*rest = str_n("", 0);
	return all;
}

/* A fixed sequence of numbers below n. */
static inline unsigned real_rand(uint64_t *seed, unsigned n)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)((*seed >> 33) % n);
}

/* A word in single quotes for a shell. */
static inline void real_quote(struct buf *b, struct str s)
{
	buf_char(b, '\'');
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '\'')
			buf_c(b, "'\\''");
		else
			buf_char(b, s.p[i]);
	}
	buf_char(b, '\'');
}
