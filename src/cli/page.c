/*
 * See page.h. With a pager there are two processes: the pager reads a pipe that this process writes, and this
 * process waits for it.
 */
#define _GNU_SOURCE
#include "cli/page.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/num.h"
#include "base/utf8.h"
#include "cli/cli.h"
#include "cli/doc.h"
#include "sys/file.h"
#include "sys/process.h"

#define HELD_MAX ((size_t)64 << 10)
#define ROWS_DEFAULT 24
#define ROWS_MAX 10000

extern char **environ;

static unsigned terminal_rows(int fd)
{
	struct winsize w = {0};
	const char *lines = getenv("LINES");
	int64_t n;

	if (lines && num_parse(str_of(lines), 2, ROWS_MAX, &n) == 0)
		return (unsigned)n;
	return ioctl(fd, TIOCGWINSZ, &w) == 0 && w.ws_row > 1 ? w.ws_row : ROWS_DEFAULT;
}

void page_begin(struct page *p, struct arena *a, bool paged)
{
	*p = (struct page){.fd = STDOUT_FILENO, .terminal = isatty(STDOUT_FILENO)};
	p->colour = terminal_colour(STDOUT_FILENO);
	p->width = terminal_width(STDOUT_FILENO);
	p->rows = terminal_rows(STDOUT_FILENO);
	p->waits = paged && p->terminal;
	buf_init(&p->held, a, 0);
}

/* ---- the pager ---- */

/* False if the first word is surely no program: then the shell would swallow the text. */
static bool starts_program(const char *command)
{
	struct str name = str_n(command, strcspn(command, " \t"));
	const char *dirs = getenv("PATH");
	char path[PATH_MAX];

	if (str_has(name, '/') || !str_is_alnum_or(name, "_-.+"))
		return true;
	for (dirs = dirs ? dirs : ""; *dirs; dirs += strspn(dirs, ":")) {
		size_t n = strcspn(dirs, ":");

		if (str_put(path, sizeof(path), "%.*s/%.*s", (int)n, dirs, STR_ARG(name)) < sizeof(path) &&
				access(path, X_OK) == 0)
			return true;
		dirs += n;
	}
	return false;
}

static const char *pager_command(void)
{
	const char *own = getenv("PAGER");

	if (!own)
		return access("/usr/bin/less", X_OK) == 0 || access("/bin/less", X_OK) == 0 ? "less -R" :
				NULL;
	if (!*own || !strcmp(own, "cat"))
		return NULL;
	if (starts_program(own))
		return own;
	output_error("the pager '%.100s' was not found (PAGER)", own);
	return NULL;
}

static void pager_child(int from, char *const argv[])
{
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	if (dup2(from, STDIN_FILENO) >= 0)
		execve("/bin/sh", argv, environ);
	_exit(127);
}

static void pager_start(struct page *p)
{
	const char *command = pager_command();
	char *argv[] = {(char *)(uintptr_t) "sh", (char *)(uintptr_t) "-c", (char *)(uintptr_t)command, NULL};
	int ends[2];

	if (!command || pipe2(ends, O_CLOEXEC) < 0)
		return;
	slow_end();
	pid_t pid = process_fork(NULL);
	if (pid == 0)
		pager_child(ends[0], argv);
	fd_close(&ends[0]);
	if (pid < 0) {
		fd_close(&ends[1]);
		return;
	}
	signal(SIGINT, SIG_IGN); /* the pager handles it; when it exits, writing fails */
	p->pager = pid;
	p->fd = ends[1];
}

/* ---- writing ---- */

static void write_out(struct page *p, struct str text)
{
	struct err e = {0};

	slow_end();
	if (p->gone || !text.n || fd_write_all(p->fd, "standard output", text, &e) == 0)
		return;
	p->gone = true;
	p->failed = e.errnum == EPIPE ? 0 : e.errnum;
}

void page_flush(struct page *p)
{
	write_out(p, buf_view(&p->held));
	p->held.n = 0;
}

void page_put(struct page *p, struct str text)
{
	if (p->gone)
		return;
	for (size_t i = 0; p->waits && i < text.n; i++)
		p->lines += text.p[i] == '\n';
	if (p->waits && p->lines >= p->rows) {
		p->waits = false;
		pager_start(p);
	}
	if (!p->waits && p->held.n + text.n > HELD_MAX)
		page_flush(p);
	if (!p->waits && text.n > HELD_MAX)
		write_out(p, text);
	else
		buf_str(&p->held, text);
}

int page_end(struct page *p)
{
	page_flush(p);
	if (p->pager) {
		fd_close(&p->fd);
		process_wait(p->pager);
	}
	if (!p->failed)
		return 0;
	output_error("cannot write to standard output: %s", strerror(p->failed));
	return EXIT_INTERNAL;
}

/* ---- layout ---- */

const char *tint_on(bool colour, enum tint t)
{
	static const char codes[][8] = {[TINT_NONE] = "", [TINT_BOLD] = "\033[1m", [TINT_DIM] = "\033[2m",
			[TINT_RED] = "\033[31m", [TINT_GREEN] = "\033[32m", [TINT_YELLOW] = "\033[33m",
			[TINT_CYAN] = "\033[36m"};

	return colour ? codes[t] : "";
}

const char *tint_off(bool colour, enum tint t) { return colour && t != TINT_NONE ? "\033[0m" : ""; }

/* East Asian scripts and emoji take two columns. */
static size_t columns_of(uint32_t cp)
{
	static const struct {
		uint32_t from, to;
	} wide[] = {{0x1100, 0x115F}, {0x2E80, 0xA4CF}, {0xAC00, 0xD7A3}, {0xF900, 0xFAFF}, {0xFE30, 0xFE6F},
			{0xFF00, 0xFF60}, {0xFFE0, 0xFFE6}, {0x1F300, 0x1FAFF}, {0x20000, 0x3FFFD}};

	for (size_t i = 0; i < ARRAY_SIZE(wide); i++)
		if (cp >= wide[i].from && cp <= wide[i].to)
			return 2;
	return 1;
}

/* Appends one character, escaped if it is invisible. Returns its columns. */
static size_t put_sign(struct buf *b, struct str sign)
{
	size_t from = b->n, taken = 0;

	if (sign.p[0] == '\n' || sign.p[0] == '\t')
		buf_c(b, sign.p[0] == '\n' ? "\\n" : "\\t");
	else
		put_visible(b, sign);
	for (size_t i = from; i < b->n;)
		taken += columns_of(utf8_next(str_n(b->p, b->n), &i));
	return taken;
}

size_t put_cell(struct buf *b, struct str text, size_t columns)
{
	size_t taken = 0, fits = b->n, fits_taken = 0; /* position of a possible ellipsis */

	for (size_t i = 0; i < text.n;) {
		size_t from = i;

		utf8_next(text, &i);
		taken += put_sign(b, str_sub(text, from, i));
		if (columns && taken > columns) {
			b->n = fits;
			buf_c(b, "…");
			return fits_taken + 1;
		}
		if (taken + 1 <= columns) {
			fits = b->n;
			fits_taken = taken;
		}
	}
	return taken;
}
