/* Asks the person at the terminal. client/person.h tests if a person is there. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <termios.h>
#include <unistd.h>

#include "cli/cli.h"
#include "sys/file.h"

#define ANSWER_MAX 64

/*
 * Reads the answer from the terminal, not from standard input. Keys typed before the question are discarded.
 */
bool person_types(struct buf *shown, const char *question, const char *word)
{
	char answer[ANSWER_MAX];
	size_t n = 0;
	FD_SCOPE tty = {0};

	fd_scope(&tty, shown->a, open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC));
	if (tty.fd < 0 || !isatty(tty.fd)) {
		output_error("needs a person: must be run in a terminal");
		return false;
	}
	buf_c(shown, question);
	tcflush(tty.fd, TCIFLUSH);
	if (output_write(buf_view(shown), 0) != 0)
		return false;
	shown->n = 0;
	while (n < sizeof answer) {
		ssize_t got = read(tty.fd, answer + n, 1);

		if (got != 1 || answer[n] == '\n')
			break;
		n++;
	}
	return str_is(str_n(answer, n), word);
}
