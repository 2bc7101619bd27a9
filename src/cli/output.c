/* All output to standard output and error, and properties of the terminal. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/chars.h"
#include "base/num.h"
#include "base/utf8.h"
#include "cli/cli.h"
#include "sys/file.h"

#define WIDTH_DEFAULT 100
#define WIDTH_MAX 1000

int output_write(struct str s, int code)
{
	struct err e = {0};

	slow_end();
	if (fd_write_all(STDOUT_FILENO, "standard output", s, &e) == 0)
		return code;
	if (e.errnum != EPIPE)
		output_error("%s", e.text);
	return EXIT_INTERNAL;
}

/* Replaces each byte of a character that a terminal would act on or not show by a question mark. */
static void hide(char *line)
{
	struct str s = str_of(line);

	for (size_t i = 0; i < s.n;) {
		size_t from = i;
		uint32_t cp = utf8_next(s, &i);

		if (cp == UTF8_BAD || cp < 0x20 || char_hidden(char_class(cp)))
			memset(line + from, '?', i - from);
	}
}

void output_error(const char *fmt, ...)
{
	char line[2 * ERR_TEXT_MAX];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	hide(line);
	slow_end();
	dprintf(STDERR_FILENO, "%s: %s\n", strcmp(program_invocation_short_name, "caissond") ? "caisson" :
			"caissond", line);
}

unsigned terminal_width(int fd)
{
	struct winsize w = {0};
	const char *columns = getenv("COLUMNS");
	int64_t n;

	if (columns && num_parse(str_of(columns), 1, WIDTH_MAX, &n) == 0)
		return (unsigned)n;
	return ioctl(fd, TIOCGWINSZ, &w) == 0 && w.ws_col > 0 ? w.ws_col : WIDTH_DEFAULT;
}

bool terminal_colour(int fd)
{
	const char *no = getenv("NO_COLOR"), *force = getenv("CLICOLOR_FORCE"), *term = getenv("TERM");

	if (no && *no)
		return false;
	if (force && *force && strcmp(force, "0") != 0)
		return true;
	return !(term && !strcmp(term, "dumb")) && isatty(fd);
}

bool terminal_choose_colour(const char *when)
{
	if (!strcmp(when, "always"))
		return unsetenv("NO_COLOR") == 0 && setenv("CLICOLOR_FORCE", "1", 1) == 0;
	if (!strcmp(when, "never"))
		return setenv("NO_COLOR", "1", 1) == 0;
	return !strcmp(when, "auto");
}

bool terminal_utf8(void)
{
	static const char names[][12] = {"LC_ALL", "LC_CTYPE", "LANG"};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const char *value = getenv(names[i]);

		if (value && *value)
			return strcasestr(value, "utf-8") || strcasestr(value, "utf8");
	}
	return false;
}
