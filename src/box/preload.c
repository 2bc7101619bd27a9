/*
 * An interpreter that starts ahead, in a primed box (spec.preload): init's side. ns.h has the theory.
 *
 *   interpreter  starts inside of all walls, imports modules, writes one byte, reads its arguments up to EOF,
 *                becomes the program (preload/python.py)
 *   init         tells the launcher NS_READY; takes the task of the run and NS_START; sends the arguments
 *
 * The interpreter has run nothing of any caller until it gets its arguments, and after them it gets nothing
 * more: init closes the socket. Its environment, its directory and its limits are those of the guess, so only
 * a run with the same ones gets it (ns_prime_fits()).
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "box/program.h"
#include "sys/cpus.h"
#include "sys/fds.h"
#include "sys/file.h"

#define READY '+'
#define OWN_ARGUMENTS 2 /* words of argv that the interpreter has already: its name and the option for code */

int preload_open(struct program *p, struct err *e)
{
	return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, p->loader) ==
			0 ? 0 : err_system(e, "cannot create the sockets of the box");
}

/* EOF, or anything but the byte: the interpreter ended, or could not be started. */
static int await_ready(const struct program *p, struct err *e)
{
	const struct ns_message m = {.kind = NS_READY};
	char word = 0;

	if (fd_read(p->loader[0], &word, 1) != 1 || word != READY)
		return err_host(e, "the interpreter that starts ahead ended before it was ready (can it "
				"import its modules?)");
	(void)fds_send(p->child->talk, &m, sizeof(m), NULL, 0);
	return 0;
}

static bool has_ended(pid_t pid)
{
	siginfo_t info = {0};

	return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid;
}

int preload_take_run(struct program *p, struct err *e)
{
	if (init_close_all_but(p->child->talk, p->loader[0], e) != 0)
		return -1;
	(void)cpus_restore(&p->task->cpus);
	if (await_ready(p, e) != 0 || program_take_task(p, e) != 0)
		return -1;
	if (has_ended(p->pid))
		return err_host(e, "the interpreter that was started ahead has died");
	return program_await_start(p->child, e);
}

/* A program that has died meanwhile is reaped with its status. */
static int send_word(int to, const char *word)
{
	return fd_write_all(to, "the interpreter", str_n(word, strlen(word) + 1), NULL);
}

void preload_send(const struct program *p)
{
	char *const *argv = p->task->argv + OWN_ARGUMENTS;

	if (send_word(p->loader[0], p->task->input ? "1" : "0") == 0)
		while (*argv && send_word(p->loader[0], *argv) == 0)
			argv++;
}
